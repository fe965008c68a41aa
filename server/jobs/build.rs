//! Hashes the sources that a result depends on, so that server and workers can check that they run outputs alike: this
//! crate's and those of the crates that it uses, the Java harness, and the versions of all dependencies.

use std::{
    collections::BTreeSet,
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::{Path, PathBuf},
};

fn main() -> io::Result<()> {
    let root = Path::new("../..");
    let workspace = fs::read_to_string(root.join("Cargo.toml"))?;
    let mut crates = BTreeSet::from([PathBuf::from("server/jobs")]);
    let mut unread: Vec<PathBuf> = crates.iter().cloned().collect();
    while let Some(folder) = unread.pop() {
        let manifest = fs::read_to_string(root.join(folder).join("Cargo.toml"))?;
        unread.extend(
            dependencies(&manifest).filter_map(|name| member(&workspace, name)).filter(|m| crates.insert(m.clone())),
        );
    }
    let mut places = vec![root.join("Cargo.lock"), root.join("java-harness/src"), root.join("java-harness/patch")];
    places.extend(crates.iter().flat_map(|folder| ["src", "Cargo.toml"].map(|name| root.join(folder).join(name))));
    let mut sources = DefaultHasher::new();
    for place in places {
        println!("cargo::rerun-if-changed={}", place.display());
        hash(&place, &mut sources)?;
    }
    println!("cargo::rustc-env=AIXGRADE_RUNNER_SOURCES={:016x}", sources.finish());
    Ok(())
}

/// The names in the table of dependencies.
fn dependencies(manifest: &str) -> impl Iterator<Item = &str> {
    let table = manifest.split_once("\n[dependencies]\n").map_or("", |(_, rest)| rest);
    let lines = table.lines().take_while(|line| !line.starts_with('['));
    lines.filter_map(|line| line.split(['.', ' ', '=']).next())
}

/// The folder of one of our own crates.
fn member(workspace: &str, name: &str) -> Option<PathBuf> {
    let definition = format!("{name} = {{ path = \"");
    let line = workspace.lines().find_map(|line| line.strip_prefix(&definition))?;
    line.split('"').next().map(PathBuf::from)
}

/// Adds a file, or the files of a folder, in the order of their names.
fn hash(place: &Path, sources: &mut DefaultHasher) -> io::Result<()> {
    if place.is_file() {
        fs::read(place)?.hash(sources);
        return Ok(());
    }
    let mut entries = fs::read_dir(place)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    for entry in entries {
        entry.file_name().hash(sources);
        hash(&entry, sources)?;
    }
    Ok(())
}
