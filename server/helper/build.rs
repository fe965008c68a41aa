//! Hashes the sources, so that server and helper can check that they are from the same build.

use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    io,
};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=src");
    let mut files = fs::read_dir("src")?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    files.sort();
    let mut sources = DefaultHasher::new();
    for file in files {
        fs::read(file)?.hash(&mut sources);
    }
    println!("cargo::rustc-env=AIXGRADE_HELPER_SOURCES={:08x}", sources.finish() >> 32);
    Ok(())
}
