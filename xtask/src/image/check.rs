//! `cargo xtask image --check`: starts the images as docs/operating.md says, and looks whether they do what it says.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};

use super::{IMAGES, podman, size};
use crate::tools::{run, run_quietly, say};

/// The most that an image may have, unpacked.
const MOST_BYTES: u64 = 400_000_000;

/// How long a server may take to stop.
const LONGEST_STOP: Duration = Duration::from_secs(10);

/// How long something may take that is waited for.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// The options with which docs/operating.md starts containers, without a volume and a port.
pub const OPTIONS: [&str; 5] = [
    "--read-only",
    "--tmpfs=/tmp",
    "--cap-drop=ALL",
    "--security-opt=no-new-privileges",
    "--security-opt=seccomp=docs/operating/seccomp.json",
];

/// Checks the server alone, server, brokers and workers together, and sizes.
pub fn all(base: &str) -> Result<()> {
    serves()?;
    loses_no_rating()?;
    super::compose::check(base)?;
    for (_, name) in IMAGES {
        let bytes = size(name)?;
        ensure!(bytes < MOST_BYTES, "{name} has {bytes} bytes, more than {MOST_BYTES}");
    }
    Ok(())
}

/// A container of the server's image, removed with its volume when dropped.
struct Server {
    name: String,
}

impl Server {
    fn start(name: &str, more: &[&str], arguments: &[&str]) -> Result<Server> {
        let server = Server { name: format!("aixgrade-check-{name}-{}", std::process::id()) };
        let mut start = podman()?;
        start.args(["run", "--detach", "--name", &server.name]).args(OPTIONS);
        start.arg("--volume").arg(format!("{}:/var/lib/aixgrade", server.name)).args(more);
        run_quietly(start.arg(IMAGES[0].1).args(arguments))?;
        server.wait_until_healthy()?;
        Ok(server)
    }

    /// By the image's health check.
    fn wait_until_healthy(&self) -> Result<()> {
        let begun = Instant::now();
        while !podman()?
            .args(["healthcheck", "run", &self.name])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()?
            .success()
        {
            if begun.elapsed() > PATIENCE {
                bail!("the health check fails; the server says:\n{}", self.log()?);
            }
            thread::sleep(Duration::from_millis(200));
        }
        Ok(())
    }

    fn log(&self) -> Result<String> {
        let output = podman()?.args(["logs", &self.name]).output()?;
        Ok(format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)))
    }

    /// A command in the container.
    fn exec(&self, command: &[&str]) -> Result<Command> {
        let mut exec = podman()?;
        exec.args(["exec", "--interactive", &self.name]).args(command);
        Ok(exec)
    }

    /// Stops the server, and returns how long that took.
    fn stop(&self) -> Result<Duration> {
        let begun = Instant::now();
        run_quietly(podman()?.args(["stop", "--time", "60", &self.name]))?;
        Ok(begun.elapsed())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        for command in [["rm", "--force", &self.name], ["volume", "rm", &self.name]] {
            let _ = podman().map(|mut podman| podman.args(command).output());
        }
    }
}

/// Runs a program in Python in a container and returns what it prints.
fn python(server: &Server, program: &str) -> Result<String> {
    Ok(run_quietly(&mut server.exec(&["python3", "-c", program])?)?.trim().to_owned())
}

/// The server answers on its port, as an ordinary user that can write nothing but its volume, and runs tests in sandboxes.
fn serves() -> Result<()> {
    say("Starting the server's image");
    let server = Server::start("alone", &["--publish=127.0.0.1::3000"], &[])?;
    let port = run_quietly(podman()?.args(["port", &server.name, "3000/tcp"]))?;
    let mut connection = TcpStream::connect(port.trim()).with_context(|| format!("nothing listens at {port}"))?;
    connection.set_read_timeout(Some(PATIENCE))?;
    connection.write_all(b"GET /readyz HTTP/1.0\r\n\r\n")?;
    let mut answer = String::new();
    connection.read_to_string(&mut answer)?;
    ensure!(answer.contains(" 200 "), "/readyz answers {answer}");
    ensure!(python(&server, "import os; print(os.getuid(), os.getgid())")? == "10001 10001", "another user");
    for folder in ["/", "/usr/local/bin", "/etc", "/var/cache"] {
        let refused = server.exec(&["touch", &format!("{folder}/file")])?.output()?;
        ensure!(!refused.status.success(), "{folder} can be written");
    }
    run(&mut server.exec(&["aixgrade", "doctor"])?)?;
    run(&mut server.exec(&["aixgrade", "run", "--submission", "1"])?)?;
    let left = "import glob\nprint(sum(') Z ' in open(file).read() for file in glob.glob('/proc/[0-9]*/stat')))";
    ensure!(python(&server, left)? == "0", "processes that have ended are left");
    println!("The image serves, and its sandboxes work. Tried with: {}", OPTIONS.join(" "));
    Ok(())
}

/// Stops a server while somebody rates, and starts it again.
fn loses_no_rating() -> Result<()> {
    say("Stopping the server while somebody rates");
    // The demo is served on loopback only.
    let server = Server::start("stopped", &["--env=AIXGRADE_LISTEN=127.0.0.1:3000"], &["serve", "--demo=study"])?;
    let program = include_str!("rate.py");
    let mut rating = server.exec(&["python3", "-c", program])?.stdout(Stdio::piped()).spawn()?;
    let mut lines = BufReader::new(rating.stdout.take().context("no output")?).lines();
    let mut acknowledged = 0;
    for _ in 0..5 {
        lines.next().context("a rating was not acknowledged")??;
        acknowledged += 1;
    }
    let stopping = thread::scope(|scope| {
        let stopping = scope.spawn(|| server.stop());
        acknowledged += lines.map_while(|line| line.ok()).count();
        stopping.join()
    });
    let took = stopping.map_err(|_| anyhow::anyhow!("stopping panicked"))??;
    rating.wait()?;
    ensure!(took < LONGEST_STOP, "the server took {took:?} to stop");
    run_quietly(podman()?.args(["start", &server.name]))?;
    server.wait_until_healthy()?;
    let count = "import sqlite3\nfile = sqlite3.connect('file:/var/lib/aixgrade/aixgrade.sqlite3?mode=ro', uri=True)\n\
                 print(file.execute('SELECT count(*) FROM ratings').fetchone()[0])";
    let stored: usize = python(&server, count)?.parse()?;
    ensure!(stored >= acknowledged, "{acknowledged} ratings were acknowledged, and {stored} are stored");
    println!(
        "The server stopped after {:.1} s; {acknowledged} ratings were acknowledged, {stored} are stored.",
        took.as_secs_f64()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools;

    #[test]
    fn the_options_are_the_documented_ones() {
        let text = std::fs::read_to_string(tools::root().join("docs/operating.md")).unwrap();
        for option in OPTIONS {
            let documented = option.replacen('=', " ", 1);
            assert!(text.contains(&documented), "{documented}");
        }
    }
}
