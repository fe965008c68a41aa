//! Starts docs/operating/compose.yml as docs/operating.md says, and runs a submission on its workers.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};

use super::{check::PATIENCE, folder, podman};
use crate::{
    toolchains,
    tools::{self, run, run_quietly, say},
};

/// podman-compose, from PyPI.
const PODMAN_COMPOSE: &str = "podman-compose==1.6.0";

/// The image of the brokers, made of Debian's package.
const BROKER: &str = "localhost/aixgrade-check-broker";

/// The project and the prefix of its containers and volumes, which are this check's own.
const PROJECT: &str = "aixgrade-check";

/// A started compose file, removed with its volumes when dropped.
struct Compose {
    program: PathBuf,
    folder: PathBuf,
}

impl Compose {
    fn command(&self, arguments: &[&str]) -> Result<Command> {
        let mut command = Command::new(&self.program);
        command.current_dir(&self.folder).args(["--project-name", PROJECT, "--file", "compose.yml"]).args(arguments);
        // With the settings of this machine.
        for (name, value) in podman()?.get_envs() {
            command.env(name, value.unwrap_or_default());
        }
        Ok(command)
    }
}

impl Drop for Compose {
    fn drop(&mut self) {
        let _ = self.command(&["down", "--volumes", "--timeout", "20"]).map(|mut command| command.output());
    }
}

/// Starts everything, runs a submission, and removes everything.
pub fn check(base: &str) -> Result<()> {
    let folder = folder()?;
    let place = folder.join("podman-compose");
    toolchains::environment(&place, &[PODMAN_COMPOSE])?;
    broker(base, &folder)?;
    let compose = Compose { program: place.join("bin/podman-compose"), folder: files(&folder)? };
    say("Starting a server, three brokers and two workers");
    run_quietly(&mut compose.command(&["up", "--detach"])?)?;
    let inside = |arguments: &[&str]| compose.command(&[&["exec", "-T"], arguments].concat());
    let token = ["token", "create", "--user", "admin", "--label", "check", "--scope", "write:runs"];
    // There is no account until the server has started.
    let begun = Instant::now();
    let token = loop {
        match run_quietly(&mut inside(&[&["server", "aixgrade"], &token[..]].concat())?) {
            Err(_) if begun.elapsed() < PATIENCE => thread::sleep(Duration::from_secs(1)),
            done => break done?,
        }
    };
    let token = format!("TOKEN={}", token.trim());
    let program = include_str!("run.py");
    let run_tests = |submission: u32| -> Result<()> {
        let submission = format!("SUBMISSION={submission}");
        let run_all = ["--env", &token, "--env", &submission, "server", "python3", "-c", program];
        let verdicts = run_quietly(&mut inside(&run_all)?);
        if verdicts.is_err() {
            run(&mut compose.command(&["logs"])?)?;
        }
        let verdicts = verdicts?;
        ensure!(verdicts.contains("passed"), "no output passed: {verdicts}");
        println!("The workers ran a submission's tests: {}", verdicts.trim());
        Ok(())
    };
    run_tests(1)?;
    say("The same without the third broker");
    run_quietly(&mut compose.command(&["stop", "n3"])?)?;
    run_tests(2)
}

/// Builds the image of the brokers.
fn broker(base: &str, folder: &Path) -> Result<()> {
    say(format!("Building the image {BROKER}"));
    let context = folder.join("broker");
    fs::create_dir_all(&context)?;
    let install = "apt-get update && apt-get install --yes --no-install-recommends nats-server";
    let file = format!("FROM {base}\nRUN {install}\nENTRYPOINT [\"/usr/sbin/nats-server\"]\n");
    fs::write(context.join("Dockerfile"), file)?;
    run_quietly(podman()?.args(["build", "--layers", "--tag", BROKER]).arg(&context)).map(|_| ())
}

/// Writes the files that the compose file needs in its folder, as docs/operating.md says.
fn files(folder: &Path) -> Result<PathBuf> {
    let place = folder.join("compose");
    fs::create_dir_all(&place)?;
    let source = tools::root().join("docs/operating");
    for name in ["compose.yml", "seccomp.json"] {
        fs::copy(source.join(name), place.join(name))?;
    }
    let configuration = fs::read_to_string(source.join("nats-server.conf"))?;
    fs::write(place.join("nats-server.conf"), configuration.replace("_PASSWORD", "-secret"))?;
    let addresses =
        |user: &str| format!("nats://{user}:{}-secret@n1:4222,nats://n2:4222,nats://n3:4222", user.to_uppercase());
    let settings = [
        ("SERVER_NATS", addresses("server")),
        ("WORKER_NATS", addresses("worker")),
        ("NATS_IMAGE", format!("{BROKER}:latest")),
        // No port of this machine that is in use.
        ("LISTEN", "127.0.0.1:".to_owned()),
    ];
    let settings: String = settings.iter().map(|(name, value)| format!("{name}={value}\n")).collect();
    fs::write(place.join(".env"), settings)?;
    Ok(place)
}
