//! A backup as one file: a tar archive of a data folder's files. Its last member is the manifest, so an archive without
//! one is incomplete.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufRead, BufReader, Read, Write},
};

use flate2::bufread::MultiGzDecoder;
use tar::{Builder, EntryType, Header};

use super::{
    Hashed, Place,
    manifest::{self, Entry, LARGEST, Manifest},
    pipe,
    snapshot::Snapshot,
    unreadable,
};
use base::error::Failure;

/// Name of the manifest in the archive.
const MANIFEST: &str = "backup.json";

/// Writes a snapshot. Returns what it contains.
///
/// # Errors
/// Fails if the archive cannot be written.
pub fn write(snapshot: &Snapshot, out: impl Write) -> Result<Manifest, Failure> {
    let mut manifest = snapshot.manifest.clone();
    let mut builder = Builder::new(out);
    for (path, file) in &snapshot.files {
        let file = File::open(file)?;
        let bytes = file.metadata()?.len();
        let mut content = Hashed::new(file);
        builder.append_data(&mut header(bytes, &manifest), path, &mut content)?;
        let (bytes, sha256) = content.finish();
        manifest.files.push(Entry { path: path.clone(), bytes, sha256, chunks: Vec::new() });
    }
    let list = serde_json::to_vec_pretty(&manifest)?;
    builder.append_data(&mut header(list.len() as u64, &manifest), MANIFEST, &*list)?;
    builder.into_inner()?.flush()?;
    Ok(manifest)
}

fn header(bytes: u64, manifest: &Manifest) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(EntryType::Regular);
    header.set_size(bytes);
    header.set_mode(0o600);
    header.set_mtime(u64::try_from(manifest.created_at.0 / 1000).unwrap_or_default());
    header
}

/// Reads an archive, which may be compressed with gzip, puts each file where `place` says, and checks that it is
/// complete. `name` names the archive in errors.
///
/// # Errors
/// Refuses an archive that is incomplete, differs from its manifest or contains other files. Fails if a file cannot be
/// written.
pub fn read(archive: impl Read, name: &str, place: &mut Place<'_>) -> Result<Manifest, Failure> {
    let mut archive = BufReader::new(archive);
    let is_compressed = archive.fill_buf().map_err(|e| unreadable(name, &e))?.starts_with(&[0x1f, 0x8b]);
    let content: Box<dyn Read> = match is_compressed {
        true => Box::new(MultiGzDecoder::new(archive)),
        false => Box::new(archive),
    };
    let (mut archive, limit) = archives::tar(content);
    let (mut manifest, mut found) = (None, BTreeMap::new());
    for member in archive.entries().map_err(|e| unreadable(name, &e))? {
        let mut member = member.map_err(|e| unreadable(name, &e))?;
        limit.allow(&member);
        let path = member.path().map_err(|e| unreadable(name, &e))?.to_string_lossy().into_owned();
        if path == MANIFEST {
            let mut text = Vec::new();
            member.by_ref().take(LARGEST).read_to_end(&mut text).map_err(|e| unreadable(name, &e))?;
            manifest = Some(Manifest::parse(&text, &format!("{name}, {MANIFEST}"))?);
            continue;
        }
        let is_ours = member.header().entry_type() == EntryType::Regular && manifest::is_part_of_a_data_folder(&path);
        if !is_ours || found.contains_key(&path) {
            let what = format!("it contains {path:?}, which no backup contains, or contains only once");
            return Err(Failure::invalid(name, what, "Name a file that `aixgrade backup` wrote"));
        }
        let (bytes, sha256) = pipe(&mut member, &mut place(&path)?, name)?;
        found.insert(path, (bytes, sha256));
    }
    let Some(manifest) = manifest else {
        let what = format!("the backup is incomplete: it does not end with {MANIFEST}");
        return Err(unreadable(name, &io::Error::new(io::ErrorKind::UnexpectedEof, what)));
    };
    // Each listed file as it was found, and no other file.
    let differs = manifest.files.iter().find(|entry| {
        found.remove(&entry.path).is_none_or(|(bytes, sha256)| bytes != entry.bytes || sha256 != entry.sha256)
    });
    match differs.map(|entry| entry.path.clone()).or_else(|| found.pop_first().map(|(path, _)| path)) {
        None => Ok(manifest),
        Some(path) => {
            let what = io::Error::new(io::ErrorKind::InvalidData, format!("{path} is missing or was changed"));
            Err(unreadable(name, &what))
        }
    }
}
