//! Unpacks releases and archives.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Component, Path, PathBuf},
};

use flate2::read::GzDecoder;

use crate::{Error, at};

/// Unpacks files of a `.tar.gz`, `.tgz`, `.tar` or `.zip` archive. `place` says, by an entry's path in the archive, where
/// in `folder` it belongs. Links and entries whose path leads out of the archive are left out. Returns the number of
/// files.
pub fn unpack(archive: &Path, folder: &Path, place: &dyn Fn(&Path) -> Option<PathBuf>) -> Result<usize, Error> {
    let damaged = |e: &dyn std::fmt::Display| Error(format!("{} cannot be unpacked: {e}", archive.display()));
    let name = archive.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let file = File::open(archive).map_err(at(archive))?;
    let mut count = 0;
    if name.ends_with(".zip") {
        let mut archive = archives::zip(io::BufReader::new(file)).map_err(|e| damaged(&e))?;
        for number in 0..archive.len() {
            let mut entry = archive.by_index(number).map_err(|e| damaged(&e))?;
            let path = entry.enclosed_name().filter(|_| entry.is_file());
            if let Some(to) = path.and_then(|path| place(&path)) {
                save(&mut entry, &folder.join(to))?;
                count += 1;
            }
        }
        return Ok(count);
    }
    let plain: Box<dyn Read> = match name.ends_with(".tar") {
        true => Box::new(io::BufReader::new(file)),
        false => Box::new(GzDecoder::new(io::BufReader::new(file))),
    };
    let (mut archive, limit) = archives::tar(plain);
    for entry in archive.entries().map_err(|e| damaged(&e))? {
        let mut entry = entry.map_err(|e| damaged(&e))?;
        limit.allow(&entry);
        let path = entry.path().map_err(|e| damaged(&e))?.into_owned();
        let path: PathBuf = path.components().filter(|part| *part != Component::CurDir).collect();
        let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
        if entry.header().entry_type().is_file()
            && is_inside
            && let Some(to) = place(&path)
        {
            save(&mut entry, &folder.join(to))?;
            count += 1;
        }
    }
    Ok(count)
}

fn save(from: &mut impl Read, to: &Path) -> Result<(), Error> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent).map_err(at(parent))?;
    }
    let mut file = File::create(to).map_err(at(to))?;
    io::copy(from, &mut file).map_err(at(to))?;
    Ok(())
}

/// The path without its first folder: releases have everything in one.
pub fn below_first(path: &Path) -> Option<PathBuf> {
    let rest: PathBuf = path.components().skip(1).collect();
    (rest != Path::new("")).then_some(rest)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn entries_that_lead_out_and_links_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let (tar, to) = (folder.path().join("a.tar"), folder.path().join("to"));
        let mut archive = tar::Builder::new(File::create(&tar).unwrap());
        let mut add = |name: &str, kind: tar::EntryType| {
            let mut header = tar::Header::new_gnu();
            header.set_size(if kind == tar::EntryType::Regular { 1 } else { 0 });
            header.set_entry_type(kind);
            // As a hostile archive has it; the library would refuse it.
            header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
            if kind == tar::EntryType::Symlink {
                header.set_link_name("/etc").unwrap();
            }
            header.set_cksum();
            let content: &[u8] = if kind == tar::EntryType::Regular { b"x" } else { b"" };
            archive.append(&header, content).unwrap();
        };
        for name in ["p/a", "./p/b", "../out", "/out", "p/../../out"] {
            add(name, tar::EntryType::Regular);
        }
        add("p/link", tar::EntryType::Symlink);
        archive.into_inner().unwrap().flush().unwrap();
        assert_eq!(unpack(&tar, &to, &below_first).unwrap(), 2);
        assert!(to.join("a").is_file() && to.join("b").is_file() && !to.join("link").exists());
        assert!(!folder.path().join("out").exists());
        fs::write(folder.path().join("b.tar.gz"), "no archive").unwrap();
        let error = unpack(&folder.path().join("b.tar.gz"), &to, &below_first).unwrap_err().to_string();
        assert!(error.contains("b.tar.gz cannot be unpacked"), "{error}");
    }
}
