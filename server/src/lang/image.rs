//! Folders with copies of the parts of a toolchain that the sandbox needs, built once and mounted read-only.
//!
//! A copy contains only what we chose of a toolchain, and does not change when the host's packages do.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    engine::toolchain::readable,
    sandbox::{bubblewrap, tool},
};

/// The folder `name` below `folder`; `make` fills it if it does not exist yet.
///
/// # Errors
/// Fails if the disk is full or a tool fails.
pub fn prepared(folder: &Path, name: &str, make: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<PathBuf> {
    let place = folder.join(name);
    if !place.is_dir() {
        fs::create_dir_all(folder)?;
        // Built in a temporary folder and renamed, so that an incomplete folder is never used.
        let making = tempfile::Builder::new().prefix("making-").tempdir_in(folder)?;
        make(making.path())?;
        readable(making.path())?;
        match fs::rename(making.path(), &place) {
            Ok(()) => drop(making.keep()),
            // Another process was faster.
            Err(_) if place.is_dir() => {}
            Err(e) => return Err(e),
        }
    }
    Ok(place)
}

/// Copies a folder and everything below it for whose path, relative to `from`, `wanted` is true. Follows links.
///
/// # Errors
/// Fails if a file cannot be read or written.
pub fn copy_tree(from: &Path, to: &Path, wanted: &dyn Fn(&Path) -> bool) -> io::Result<()> {
    copy_below(from, from, to, wanted)
}

fn copy_below(root: &Path, from: &Path, to: &Path, wanted: &dyn Fn(&Path) -> bool) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let (Some(name), Ok(relative)) = (path.file_name(), path.strip_prefix(root)) else { continue };
        if !wanted(relative) {
            continue;
        }
        let target = to.join(name);
        match fs::metadata(&path) {
            Ok(data) if data.is_dir() => copy_below(root, &path, &target, wanted)?,
            Ok(data) if data.is_file() => drop(fs::copy(&path, &target)?),
            // A dangling link, a socket.
            _ => {}
        }
    }
    Ok(())
}

/// All shared libraries that these programs and libraries link to, by the paths at which the loader looks for them.
///
/// # Errors
/// Fails if `ldd` is missing.
pub fn libraries(programs: &[PathBuf]) -> io::Result<BTreeSet<PathBuf>> {
    let ldd = bubblewrap::find("ldd").ok_or_else(|| io::Error::other("`ldd` is missing (package libc-bin)"))?;
    let mut wanted = BTreeSet::new();
    for program in programs {
        // `ldd` fails on a program that links to nothing.
        let Ok(text) = tool::run(&ldd, [program]) else { continue };
        for line in text.lines() {
            // Either `libz.so.1 => /lib/…/libz.so.1 (0x…)` or, for the loader, `/lib64/ld-….so.2 (0x…)`.
            let path = line.split("=>").last().unwrap_or_default().split_whitespace().next().unwrap_or_default();
            if path.starts_with('/') {
                wanted.insert(PathBuf::from(path));
            }
        }
    }
    Ok(wanted)
}

/// Copies libraries to their own paths below `to`.
///
/// # Errors
/// Fails if a file cannot be read or written.
pub fn copy_libraries(libraries: &BTreeSet<PathBuf>, to: &Path) -> io::Result<()> {
    for path in libraries {
        let target = to.join(path.strip_prefix("/").unwrap_or(path));
        fs::create_dir_all(target.parent().unwrap_or(to))?;
        fs::copy(path, target)?;
    }
    Ok(())
}

/// The mounts of a prepared folder: each of its top-level entries appears in the sandbox's root.
///
/// # Errors
/// Fails if the folder cannot be read.
pub fn mounts(place: &Path) -> io::Result<Vec<(PathBuf, String)>> {
    let entries = fs::read_dir(place)?.map(|entry| {
        let entry = entry?;
        Ok((entry.path(), format!("/{}", entry.file_name().to_string_lossy())))
    });
    let mut mounts = entries.collect::<io::Result<Vec<_>>>()?;
    mounts.sort();
    Ok(mounts)
}
