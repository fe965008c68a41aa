//! Holds the Dockerfile and the manifests that use its images to the repository, because tests do not build images: what is
//! installed is what xtask installs, and the program knows the settings that are made.

use std::{collections::BTreeSet, fs};

use ::toolchains::system::{self, Distribution};

use super::IMAGES;
use crate::{server, setup, tools};

/// The instructions with their arguments, without comments; continued lines are joined.
fn instructions() -> Vec<(String, String)> {
    let text = read("Dockerfile").replace("\\\n", " ");
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    lines.map(|line| line.split_once(' ').unwrap()).map(|(name, rest)| (name.to_owned(), words(rest))).collect()
}

fn read(path: &str) -> String {
    fs::read_to_string(tools::root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The arguments of each instruction of this name.
fn all(name: &str) -> Vec<String> {
    instructions().into_iter().filter(|(known, _)| known == name).map(|(_, rest)| rest).collect()
}

fn only(name: &str) -> String {
    let [one] = &all(name)[..] else { panic!("not one {name}") };
    one.clone()
}

/// The variables that the images set.
fn settings() -> Vec<(String, String)> {
    let pairs = all("ENV").join(" ");
    pairs
        .split(' ')
        .map(|pair| pair.split_once('=').unwrap())
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}

fn setting(name: &str) -> String {
    settings().into_iter().find(|(known, _)| known == name).unwrap_or_else(|| panic!("no {name}")).1
}

/// Every source file of the program as one text.
fn sources() -> String {
    let mut files = Vec::new();
    for package in tools::packages().unwrap().iter().filter(|package| package.is_default) {
        tools::files(&package.folder.join("src"), &mut files).unwrap();
    }
    files.iter().map(|file| fs::read_to_string(file).unwrap_or_default()).collect()
}

#[test]
fn every_image_has_a_target_that_is_based_on_the_argument() {
    assert_eq!(only("ARG"), "BASE=debian:bookworm-slim");
    let mut stages = vec!["${BASE} AS engine".to_owned()];
    stages.extend(["worker", "server"].map(|target| format!("engine AS {target}")));
    assert_eq!(all("FROM"), stages);
    for (target, _) in IMAGES {
        assert!(stages.contains(&format!("engine AS {target}")), "{target}");
    }
    let programs = [server::HELPER, server::WORKER, server::PROGRAM];
    assert_eq!(all("COPY"), programs.map(|program| format!("{program} /usr/local/bin/")));
}

#[test]
fn the_image_has_the_engines_programs() {
    let runs = all("RUN");
    let run = runs.iter().find(|run| run.contains("apt-get install")).unwrap();
    let list = run.split("--no-install-recommends").nth(1).unwrap().split("&&").next().unwrap();
    let installed: BTreeSet<&str> = list.split_whitespace().collect();
    let mut needed: BTreeSet<&str> = Distribution::Debian.packages(&setup::ENGINE).into_iter().collect();
    needed.extend(Distribution::Debian.packages(&[&system::PYTHON, &system::VENV]));
    needed.extend(["ca-certificates", "python3-numpy"]);
    assert_eq!(installed, needed);
    // The modules that outputs may use.
    let source = read("server/engine/src/toolchain.rs");
    let list = source.split("const MODULES: &[&str] = &[").nth(1).unwrap().split("];").next().unwrap();
    let needed: Vec<&str> = list.split('"').filter(|module| module.contains('.')).collect();
    let kept =
        run.split("modules=").skip(1).map(|rest| rest.split(' ').next().unwrap().trim_start_matches("$modules,"));
    assert_eq!(kept.collect::<Vec<_>>().join(","), needed.join(","));
}

#[test]
fn the_program_knows_what_the_image_sets() {
    let sources = sources();
    for (name, _) in settings() {
        assert!(sources.contains(&format!("\"{name}\"")), "no setting {name}");
    }
    assert_eq!(all("ENTRYPOINT"), [server::WORKER, server::PROGRAM].map(|program| format!("[\"{program}\"]")));
    let command = only("CMD");
    let command = command.trim_matches(['[', ']', '"']);
    assert!(sources.to_lowercase().contains(&format!("\n    {command}(")), "no command {command}");
}

#[test]
fn the_server_runs_as_a_user_whose_folder_is_the_volume() {
    let user = only("USER");
    let (id, _) = user.split_once(':').unwrap();
    assert!(id.parse::<u32>().unwrap() > 0);
    assert!(all("RUN").iter().any(|run| run.contains(&format!("useradd --no-create-home --uid {id} "))));
    assert_eq!(all("VOLUME"), ["AIXGRADE_WORKER_CACHE", "AIXGRADE_DATA"].map(setting));
    let port = only("EXPOSE");
    assert!(setting("AIXGRADE_LISTEN").ends_with(&format!(":{port}")));
    let check = only("HEALTHCHECK");
    assert!(check.contains(&format!("/dev/tcp/127.0.0.1/{port} ")) && check.contains("GET /healthz "), "{check}");
    assert!(sources().contains(".route(\"/healthz\", "));
}

/// The files that start the images.
const MANIFESTS: [&str; 2] = ["docs/operating/compose.yml", "docs/operating/kubernetes.yml"];

#[test]
fn manifests_use_the_images_as_their_documentation_says() {
    let (sources, documentation) = (sources(), read("docs/operating.md"));
    let user = only("USER");
    let (id, _) = user.split_once(':').unwrap();
    for path in MANIFESTS {
        let manifest = read(path);
        let names =
            manifest.split(|c: char| !c.is_ascii_uppercase() && c != '_').filter(|name| name.starts_with("AIXGRADE_"));
        for name in names {
            assert!(sources.contains(&format!("\"{name}\"")), "{path}: no setting {name}");
        }
        for folder in all("VOLUME") {
            assert!(manifest.contains(&folder), "{path} mounts nothing at {folder}");
        }
        for (_, image) in IMAGES {
            let name = image.trim_start_matches("localhost/");
            assert!(manifest.contains(&format!("{name}:latest")), "{path} does not start {name}");
        }
        let file = path.rsplit('/').next().unwrap();
        assert!(documentation.contains(file), "docs/operating.md does not explain {file}");
        assert!(path.contains("compose") || manifest.contains(&format!("runAsUser: {id}\n")));
    }
}

#[test]
fn the_seccomp_profile_allows_what_sandboxes_call_in_every_engine() {
    let profile: serde_json::Value = serde_json::from_str(&read("docs/operating/seccomp.json")).unwrap();
    let rules = profile["syscalls"].as_array().unwrap();
    let allowed = |call: &str| {
        rules.iter().any(|rule| {
            let is_named = rule["names"].as_array().unwrap().iter().any(|name| name == call);
            is_named && rule["action"] == "SCMP_ACT_ALLOW" && rule["args"].is_null()
        })
    };
    for call in [
        "clone",
        "mount",
        "pivot_root",
        "sethostname",
        "setns",
        "umount2",
        "unshare",
        "landlock_restrict_self",
        "seccomp",
    ] {
        assert!(allowed(call), "{call}");
    }
    for call in ["bpf", "chroot", "kexec_load", "init_module", "open_by_handle_at", "perf_event_open", "reboot"] {
        assert!(!allowed(call), "{call}");
    }
    // Conditions that containerd does not know, and would take for none.
    assert!(rules.iter().all(|rule| rule["includes"].is_null() && rule["excludes"].is_null()));
}
