//! Holds the Dockerfile to the repository, because no test here can build an image: what it copies exists, what it
//! installs is what xtask installs, and the program knows the settings that it makes.

use std::{collections::BTreeSet, fs};

use ::toolchains::system::Distribution;

use crate::{setup, tools};

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

/// The variables that the image sets.
fn settings() -> Vec<(String, String)> {
    let pairs = only("ENV");
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
fn base_images_are_pinned_to_the_compiler_and_one_release_of_debian() {
    let version = read("Cargo.toml");
    let version = version.lines().find_map(|line| line.strip_prefix("rust-version = ")).unwrap().trim_matches('"');
    assert_eq!(all("FROM"), [format!("rust:{version}-bookworm AS build"), "debian:bookworm-slim".to_owned()]);
}

#[test]
fn copied_files_exist() {
    let root = tools::root();
    let mut built = Vec::new();
    for copy in all("COPY") {
        let words: Vec<&str> = copy.split(' ').collect();
        let (from, paths) = match words.split_first().unwrap() {
            (first, rest) if first.starts_with("--") => (Some(*first), rest),
            _ => (None, &words[..]),
        };
        let (_, sources) = paths.split_last().unwrap();
        for source in sources {
            match from {
                None => assert!(root.join(source).exists(), "{source} does not exist"),
                Some("--from=build") => built.push(source.strip_prefix("/src/target/release/").unwrap().to_owned()),
                Some(other) => panic!("{other} is no stage"),
            }
        }
    }
    assert_eq!(built, ["aixgrade", crate::server::HELPER]);
    assert!(all("RUN").iter().any(|run| run.ends_with("cargo xtask build --release")));
    // What a build makes, and what belongs to somebody, is not sent.
    let ignored = read(".dockerignore");
    for folder in [".git", "target", "data"] {
        assert!(ignored.lines().any(|line| line == folder), "{folder} is sent");
    }
}

#[test]
fn the_image_has_the_engines_programs() {
    let runs = all("RUN");
    let run = runs.iter().find(|run| run.contains("apt-get install")).unwrap();
    let list = run.split("--no-install-recommends").nth(1).unwrap().split("&&").next().unwrap();
    let installed: BTreeSet<&str> = list.split_whitespace().collect();
    let mut needed: BTreeSet<&str> = Distribution::Debian.packages(&setup::ENGINE).into_iter().collect();
    needed.insert("ca-certificates");
    assert_eq!(installed, needed);
}

#[test]
fn the_program_knows_what_the_image_sets() {
    let sources = sources();
    for (name, _) in settings() {
        assert!(sources.contains(&format!("\"{name}\"")), "no setting {name}");
    }
    assert_eq!(only("ENTRYPOINT"), "[\"aixgrade\"]");
    let command = only("CMD");
    let command = command.trim_matches(['[', ']', '"']);
    assert!(sources.to_lowercase().contains(&format!("\n    {command}(")), "no command {command}");
}

#[test]
fn the_server_runs_as_a_user_whose_folder_is_the_volume() {
    let user = only("USER");
    let made = all("RUN").iter().any(|run| run.contains("useradd") && run.contains(&format!(" {user} ")));
    assert!(made && user != "root" && user != "0", "{user}");
    let names: Vec<String> = instructions().into_iter().map(|(name, _)| name).collect();
    let at = |name: &str| names.iter().position(|known| known == name).unwrap();
    assert!(at("USER") < at("ENTRYPOINT"));
    assert_eq!(only("VOLUME"), setting("AIXGRADE_DATA"));
    let port = only("EXPOSE");
    assert!(setting("AIXGRADE_LISTEN").ends_with(&format!(":{port}")));
    let check = only("HEALTHCHECK");
    assert!(check.contains(&format!("/dev/tcp/127.0.0.1/{port} ")) && check.contains("GET /healthz "), "{check}");
    assert!(sources().contains(".route(\"/healthz\", "));
}
