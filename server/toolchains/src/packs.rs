//! Packs: a folder with toolchains as one file, for a machine without a network.
//!
//! A pack is a `.tar.gz` whose first entry says for which system it was made and has the SHA-256 of every file. It
//! contains files and folders only. What depends on paths is not packed but made again from what was fetched.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, BufReader, BufWriter, Read, Write},
    os::unix::fs::PermissionsExt,
    path::{Component, Path, PathBuf},
};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tar::{Builder, EntryType, Header};

use crate::{
    Error, Installed, Language, Part, at,
    install::{self, COMPLETE, Note},
    list,
};

/// The name of the first entry.
const MANIFEST: &str = "aixgrade-toolchains.json";
/// The format of packs.
const FORMAT: u64 = 1;

// All parts together have some 20,000 files and 1 GB.
/// The largest number of files in a pack.
const MOST_FILES: usize = 200_000;
/// The most bytes of a pack's files.
const MOST_BYTES: u64 = 8 << 30;
/// The most bytes of the first entry.
const MOST_MANIFEST: u64 = 64 << 20;

/// A pack that was written.
#[derive(Debug)]
pub struct Packed {
    pub parts: Vec<&'static Part>,
    pub bytes: u64,
    /// The SHA-256 of the file.
    pub sha256: String,
}

/// Writes the complete parts of a folder to a file.
///
/// # Errors
/// No part is complete, the name does not end in `.tar.gz`, or a file cannot be read or written.
pub fn pack(folder: &Path, file: &Path) -> Result<Packed, Error> {
    let name = file.to_string_lossy();
    if !name.ends_with(".tar.gz") && !name.ends_with(".tgz") {
        return Err(Error(format!("{name}: the name of a pack ends in .tar.gz")));
    }
    let parts: Vec<&'static Part> =
        list::parts().into_iter().filter(|part| install::is_current(folder, part)).collect();
    if parts.is_empty() {
        return Err(Error(format!("{} has no complete toolchain to pack", folder.display())));
    }
    let mut files = Vec::new();
    for part in &parts {
        let root = Path::new(part.name);
        match part.packed {
            [] => collect(folder, root, &mut files)?,
            packed => packed.iter().try_for_each(|name| collect(folder, &root.join(name), &mut files))?,
        }
    }
    let partial = file.with_extension("partial");
    let written = write(folder, &parts, &files, &partial);
    let sha256 = match written.and_then(|()| fs::rename(&partial, file).map_err(at(file))).and_then(|()| digest(file)) {
        Ok(sha256) => sha256,
        Err(error) => {
            let _ = fs::remove_file(&partial);
            return Err(error);
        }
    };
    Ok(Packed { parts, bytes: file.metadata().map_err(at(file))?.len(), sha256 })
}

/// Adds the files below a path. Refuses what is neither file nor folder.
fn collect(folder: &Path, inside: &Path, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    let path = folder.join(inside);
    let kind = path.symlink_metadata().map_err(at(&path))?.file_type();
    if kind.is_dir() {
        let mut names = Vec::new();
        for entry in fs::read_dir(&path).map_err(at(&path))? {
            names.push(entry?.file_name());
        }
        names.sort();
        return names.iter().try_for_each(|name| collect(folder, &inside.join(name), files));
    }
    if !kind.is_file() {
        return Err(Error(format!("{} is neither a file nor a folder and cannot be packed", path.display())));
    }
    if inside.file_name().is_none_or(|name| name != COMPLETE) {
        files.push(inside.to_owned());
    }
    Ok(())
}

fn write(folder: &Path, parts: &[&'static Part], files: &[PathBuf], to: &Path) -> Result<(), Error> {
    let mut hashes = serde_json::Map::new();
    for inside in files {
        hashes.insert(inside.to_string_lossy().into_owned(), digest(&folder.join(inside))?.into());
    }
    let described = |part: &&Part| {
        let made_of = json!({ "fingerprint": install::fingerprint(part), "depends": (part.depends)() });
        (part.name.to_owned(), made_of)
    };
    let described: serde_json::Map<String, Value> = parts.iter().map(described).collect();
    let manifest = json!({
        "format": FORMAT,
        "os": std::env::consts::OS,
        "arch": std::env::consts::ARCH,
        "parts": described,
        "files": hashes,
    });
    let compressed = GzEncoder::new(BufWriter::new(File::create(to).map_err(at(to))?), Compression::default());
    let mut archive = Builder::new(compressed);
    let text = manifest.to_string();
    archive.append_data(&mut header(text.len() as u64, 0o644), MANIFEST, text.as_bytes())?;
    for inside in files {
        let path = folder.join(inside);
        let file = File::open(&path).map_err(at(&path))?;
        let about = file.metadata().map_err(at(&path))?;
        let mode = if about.permissions().mode() & 0o100 == 0 { 0o644 } else { 0o755 };
        archive.append_data(&mut header(about.len(), mode), inside, BufReader::new(file)).map_err(at(&path))?;
    }
    archive.into_inner()?.finish()?.flush()?;
    Ok(())
}

/// A header without owner and time, so that the same files make the same pack.
fn header(size: u64, mode: u32) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(EntryType::Regular);
    header.set_size(size);
    header.set_mode(mode);
    header
}

fn digest(file: &Path) -> Result<String, Error> {
    let mut hash = Sha256::new();
    io::copy(&mut File::open(file).map_err(at(file))?, &mut hash).map_err(at(file))?;
    Ok(install::hex(&hash.finalize()))
}

/// Installs the parts of languages from a pack. `sha256` is the pack's, if the operator names it.
///
/// # Errors
/// The file is no pack, was made for another system, or is damaged. Nothing is installed then.
pub fn install_from(
    folder: &Path,
    languages: &[&'static Language],
    file: &Path,
    sha256: Option<&str>,
    note: Note<'_>,
) -> Result<Vec<Installed>, Error> {
    if let Some(expected) = sha256 {
        let found = digest(file)?;
        if !found.eq_ignore_ascii_case(expected) {
            return Err(Error(format!("{} has the SHA-256 {found} and not {expected}", file.display())));
        }
    }
    let folder = install::absolute(folder)?;
    // Each pack is unpacked into a folder of its own: two installations may run at once.
    let stage = folder.join(format!("{}{}", install::UNPACKED, std::process::id()));
    let unpacked = unpack(file, &stage).map_err(|e| Error(format!("{}: {e}", file.display())));
    let installed = unpacked.and_then(|manifest| {
        let provide = |part: &'static Part, place: &Path| {
            check(part, &manifest)?;
            fs::remove_dir(place).map_err(at(place))?;
            fs::rename(stage.join(part.name), place).map_err(at(place))
        };
        install::fill(&folder, languages, &provide, note)
    });
    // Removed after a failure, too.
    let _ = fs::remove_dir_all(&stage);
    installed
}

/// Refuses a part that the pack does not have, or has in another version.
fn check(part: &'static Part, manifest: &Manifest) -> Result<(), Error> {
    let Some(packed) = manifest.parts.get(part.name) else {
        return Err(Error("the pack does not have it".to_owned()));
    };
    if packed.fingerprint == install::fingerprint(part) {
        return Ok(());
    }
    let here = (part.depends)();
    Err(Error(match here == packed.depends {
        true => "the pack was made by another version of AixGrade".to_owned(),
        false => format!("the pack was made with {:?}, and this machine has {here:?}", packed.depends),
    }))
}

/// What the first entry of a pack says.
struct Manifest {
    parts: BTreeMap<String, PackedPart>,
    /// Files with their SHA-256.
    files: BTreeMap<String, String>,
}

/// What a pack's part was made of.
struct PackedPart {
    fingerprint: String,
    depends: String,
}

impl Manifest {
    fn read(text: &[u8]) -> Result<Manifest, Error> {
        let no_pack = || Error("this is not a pack of toolchains".to_owned());
        let value: Value = serde_json::from_slice(text).map_err(|_| no_pack())?;
        if value["format"].as_u64() != Some(FORMAT) {
            return Err(Error("the pack was made by another version of AixGrade".to_owned()));
        }
        let (os, arch) = (value["os"].as_str().unwrap_or_default(), value["arch"].as_str().unwrap_or_default());
        let here = (std::env::consts::OS, std::env::consts::ARCH);
        if (os, arch) != here {
            return Err(Error(format!("the pack is for {os} on {arch}, and this machine is {} on {}", here.0, here.1)));
        }
        let part = |(name, part): (&String, &Value)| {
            let text = |field: &str| Some(part[field].as_str()?.to_owned());
            Some((name.clone(), PackedPart { fingerprint: text("fingerprint")?, depends: text("depends")? }))
        };
        let file = |(name, hash): (&String, &Value)| Some((name.clone(), hash.as_str()?.to_owned()));
        let read = || {
            let parts = value["parts"].as_object()?.iter().map(part).collect::<Option<_>>()?;
            let files = value["files"].as_object()?.iter().map(file).collect::<Option<_>>()?;
            Some(Manifest { parts, files })
        };
        read().ok_or_else(no_pack)
    }
}

/// Unpacks a pack into a new folder, and compares every file with the first entry.
fn unpack(file: &Path, stage: &Path) -> Result<Manifest, Error> {
    let _ = fs::remove_dir_all(stage);
    fs::create_dir(stage).map_err(at(stage))?;
    let (mut archive, limit) = archives::tar(GzDecoder::new(BufReader::new(File::open(file)?)));
    let mut entries = archive.entries()?;
    let first = entries.next().ok_or_else(|| Error("this is not a pack of toolchains".to_owned()))?;
    let first = first.map_err(|_| Error("this is not a pack of toolchains".to_owned()))?;
    limit.allow(&first);
    if first.path()?.as_ref() != Path::new(MANIFEST) {
        return Err(Error("this is not a pack of toolchains".to_owned()));
    }
    let mut text = Vec::new();
    first.take(MOST_MANIFEST).read_to_end(&mut text)?;
    let manifest = Manifest::read(&text)?;
    if manifest.files.len() > MOST_FILES {
        return Err(Error(format!("the pack has more than {MOST_FILES} files")));
    }
    let (mut written, mut bytes) = (0, 0);
    for entry in entries {
        let entry = entry?;
        limit.allow(&entry);
        let path = entry.path()?.into_owned();
        let name = path.to_string_lossy().into_owned();
        let kind = entry.header().entry_type();
        let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
        if !is_inside {
            return Err(Error(format!("{name:?} leads out of the folder")));
        }
        if !kind.is_file() {
            return Err(Error(format!("{name:?} is neither a file nor a folder")));
        }
        let Some(expected) = manifest.files.get(&name) else {
            return Err(Error(format!("{name:?} is not in the pack's own list")));
        };
        let is_program = entry.header().mode()? & 0o100 != 0;
        let target = stage.join(&path);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).map_err(at(parent))?;
        }
        let (hash, length) = save(entry, &target, MOST_BYTES - bytes)?;
        if hash != *expected {
            return Err(Error(format!("{name:?} is damaged: its SHA-256 is not the recorded one")));
        }
        fs::set_permissions(&target, fs::Permissions::from_mode(if is_program { 0o755 } else { 0o644 }))?;
        (written, bytes) = (written + 1, bytes + length);
    }
    if written != manifest.files.len() {
        return Err(Error(format!("the pack has {written} of its {} files", manifest.files.len())));
    }
    Ok(manifest)
}

/// Writes a new file of at most `most` bytes; returns its SHA-256 and length.
fn save(mut from: impl Read, to: &Path, most: u64) -> Result<(String, u64), Error> {
    let mut file = File::options().write(true).create_new(true).open(to).map_err(at(to))?;
    let (mut hash, mut length) = (Sha256::new(), 0);
    let mut buffer = vec![0; 1 << 16];
    loop {
        let count = from.read(&mut buffer)?;
        if count == 0 {
            return Ok((install::hex(&hash.finalize()), length));
        }
        length += count as u64;
        if length > most {
            return Err(Error(format!("the pack's files have more than {MOST_BYTES} bytes")));
        }
        hash.update(&buffer[..count]);
        file.write_all(&buffer[..count]).map_err(at(to))?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pack of one file, with a first entry that fits unless `manifest` changes it, and entries that `add` appends.
    fn made(folder: &Path, change: &dyn Fn(&mut Value), add: &dyn Fn(&mut Builder<GzEncoder<File>>)) -> PathBuf {
        let part = list::parts()[1];
        let name = format!("{}/{}", part.name, part.proof);
        let mut manifest = json!({
            "format": FORMAT, "os": std::env::consts::OS, "arch": std::env::consts::ARCH,
            "parts": { part.name: { "fingerprint": install::fingerprint(part), "depends": "" } },
            "files": { &name: install::hex(&Sha256::digest(b"content")) },
        });
        change(&mut manifest);
        let file = folder.join("pack.tar.gz");
        let mut archive = Builder::new(GzEncoder::new(File::create(&file).unwrap(), Compression::fast()));
        let text = manifest.to_string();
        archive.append_data(&mut header(text.len() as u64, 0o644), MANIFEST, text.as_bytes()).unwrap();
        add(&mut archive);
        archive.into_inner().unwrap().finish().unwrap();
        file
    }

    fn content(archive: &mut Builder<GzEncoder<File>>) {
        archive.append_data(&mut header(7, 0o644), "node/node_modules/js-md5/package.json", &b"content"[..]).unwrap();
    }

    /// Appends an entry whose name and type the library would not write.
    fn raw(archive: &mut Builder<GzEncoder<File>>, name: &str, kind: EntryType, link: &str) {
        let mut header = header(0, 0o644);
        header.set_entry_type(kind);
        header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
        if !link.is_empty() {
            header.set_link_name_literal(link).unwrap();
        }
        header.set_cksum();
        archive.append(&header, io::empty()).unwrap();
    }

    /// Installs JavaScript from a pack; the error, or whether the part was installed.
    fn install(folder: &Path, pack: &Path, sha256: Option<&str>) -> Result<bool, String> {
        let javascript = list::language("javascript").unwrap();
        let installed = install_from(&folder.join("toolchains"), &[javascript], pack, sha256, &mut |_, _| {});
        match installed.map_err(|e| e.to_string())?[0].parts[0].1.clone() {
            install::Step::Failed(why) => Err(why),
            step => Ok(step == install::Step::Installed),
        }
    }

    #[test]
    fn a_pack_is_installed() {
        let folder = tempfile::tempdir().unwrap();
        let pack = made(folder.path(), &|_| {}, &content);
        let sha256 = digest(&pack).unwrap();
        assert!(install(folder.path(), &pack, Some("00")).unwrap_err().contains(&sha256));
        assert_eq!(install(folder.path(), &pack, Some(&sha256)), Ok(true));
        assert_eq!(install(folder.path(), &pack, None), Ok(false));
        let proof = folder.path().join("toolchains/node/node_modules/js-md5/package.json");
        assert_eq!(fs::read_to_string(proof).unwrap(), "content");
        let left: Vec<_> =
            fs::read_dir(folder.path().join("toolchains")).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert!(left.iter().all(|name| name == "node" || name == ".lock"), "{left:?}");
        // And packed again.
        let again = folder.path().join("again.tar.gz");
        let packed = super::pack(&folder.path().join("toolchains"), &again).unwrap();
        assert_eq!((packed.parts[0].name, packed.sha256), ("node", digest(&again).unwrap()));
        let other = tempfile::tempdir().unwrap();
        assert_eq!(install(other.path(), &again, None), Ok(true));
    }

    #[test]
    fn hostile_and_damaged_packs_are_refused_and_write_nothing() {
        let secret = "node/node_modules/js-md5/secret";
        type Add = Box<dyn Fn(&mut Builder<GzEncoder<File>>)>;
        let entry = |name: &'static str, kind: EntryType, link: &'static str| -> Add {
            Box::new(move |archive| {
                content(archive);
                raw(archive, name, kind, link);
            })
        };
        let cases: Vec<(&str, Add)> = vec![
            ("leads out of", entry("../escaped", EntryType::Regular, "")),
            ("leads out of", entry("node/../../escaped", EntryType::Regular, "")),
            ("leads out of", entry("/tmp/escaped", EntryType::Regular, "")),
            ("neither a file", entry(secret, EntryType::Symlink, "/etc/passwd")),
            ("neither a file", entry(secret, EntryType::Link, "../../../escaped")),
            ("neither a file", entry(secret, EntryType::Char, "")),
            ("neither a file", entry(secret, EntryType::Fifo, "")),
            ("not in the pack's own list", entry(secret, EntryType::Regular, "")),
            ("has 0 of its 1 files", Box::new(|_| {})),
            (
                "File exists",
                Box::new(|archive| {
                    content(archive);
                    content(archive);
                }),
            ),
            (
                "is damaged",
                Box::new(|archive| {
                    let name = "node/node_modules/js-md5/package.json";
                    archive.append_data(&mut header(7, 0o644), name, &b"changed"[..]).unwrap();
                }),
            ),
        ];
        for (expected, add) in cases {
            let folder = tempfile::tempdir().unwrap();
            let pack = made(folder.path(), &|_| {}, &*add);
            let refused = install(folder.path(), &pack, None).unwrap_err();
            assert!(refused.contains(expected), "{expected}: {refused}");
            let left: Vec<_> = fs::read_dir(folder.path().join("toolchains")).unwrap().collect();
            assert!(left.is_empty(), "{expected}: {left:?}");
            assert!(!folder.path().join("escaped").exists());
        }
    }

    #[test]
    fn packs_for_other_systems_and_versions_are_refused() {
        type Change = Box<dyn Fn(&mut Value)>;
        let cases: Vec<(&str, Change)> = vec![
            ("the pack is for plan9", Box::new(|manifest| manifest["os"] = "plan9".into())),
            ("the pack is for", Box::new(|manifest| manifest["arch"] = "vax".into())),
            ("another version", Box::new(|manifest| manifest["format"] = 2.into())),
            ("another version", Box::new(|manifest| manifest["parts"]["node"]["fingerprint"] = "".into())),
            (
                "cpython 3.1",
                Box::new(|manifest| {
                    manifest["parts"]["node"] = json!({ "fingerprint": "", "depends": "cpython 3.1" });
                }),
            ),
            ("does not have it", Box::new(|manifest| manifest["parts"] = json!({}))),
            ("not a pack", Box::new(|manifest| manifest["files"] = 1.into())),
        ];
        for (expected, change) in cases {
            let folder = tempfile::tempdir().unwrap();
            let pack = made(folder.path(), &*change, &content);
            let refused = install(folder.path(), &pack, None).unwrap_err();
            assert!(refused.contains(expected), "{expected}: {refused}");
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("text.tar.gz");
        fs::write(&file, "no archive").unwrap();
        assert!(install(folder.path(), &file, None).unwrap_err().contains("not a pack"));
    }

    #[test]
    fn links_and_incomplete_parts_are_not_packed() {
        let folder = tempfile::tempdir().unwrap();
        let (place, pack) = (folder.path().join("node"), folder.path().join("pack.tar.gz"));
        fs::create_dir(&place).unwrap();
        assert!(super::pack(folder.path(), &pack).unwrap_err().0.contains("no complete toolchain"));
        assert!(super::pack(folder.path(), Path::new("pack.zip")).unwrap_err().0.contains(".tar.gz"));
        fs::write(place.join(COMPLETE), install::fingerprint(list::parts()[1])).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", place.join("link")).unwrap();
        assert!(super::pack(folder.path(), &pack).unwrap_err().0.contains("cannot be packed"));
        assert!(!pack.exists() && !pack.with_extension("partial").exists());
    }
}
