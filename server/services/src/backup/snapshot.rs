//! A consistent copy of a data folder, from which a backup is written at leisure.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use model::fault::RoutineFault;
use tempfile::TempDir;

use super::manifest::{self, Manifest};
use crate::uploads::Uploads;
use base::error::Failure;
use db::{
    Db,
    copy::{self, COPYING, Contents, Depth},
};

/// The files of a data folder at one moment. Its own folder is in the data folder and is deleted with this value.
pub struct Snapshot {
    /// The manifest without its files.
    pub manifest: Manifest,
    /// Path in the data folder, and where the copy is. The database is last.
    pub files: Vec<(String, PathBuf)>,
    /// Checksums of uploads that the database refers to and the data folder does not have.
    pub missing: Vec<String>,
    _folder: TempDir,
    _lock: File,
}

impl Snapshot {
    /// Copies the database and links the uploaded files. Others can read and write meanwhile.
    ///
    /// # Errors
    /// Fails if another backup of the folder is being made, if the database is damaged, or if the folder cannot be
    /// written.
    pub fn take(db: &Db, data: &Path, uploads: &Uploads) -> Result<Snapshot, Failure> {
        let running = || Failure::Routine(RoutineFault::BackupRunning { folder: data.display().to_string() });
        let lock = copy::lock(data)?.ok_or_else(running)?;
        clear(data)?;
        Self::taken(db, data, uploads, lock).map_err(|failure| failure.writing(data))
    }

    fn taken(db: &Db, data: &Path, uploads: &Uploads, lock: File) -> Result<Snapshot, Failure> {
        let folder = tempfile::Builder::new().prefix(COPYING).tempdir_in(data)?;
        let linked = folder.path().join("uploads");
        fs::create_dir(&linked)?;
        let mut manifest = Manifest::begin();
        // Before the database is copied, so that a file which is deleted meanwhile is there.
        let mut present = BTreeSet::new();
        for (checksum, _) in uploads.stored()? {
            if link(uploads, &checksum, &linked)? {
                present.insert(checksum);
            }
        }
        let database = folder.path().join(db::FILE);
        db.copy_to(&database)?;
        manifest.schema = copy::verify(&database, Depth::Structure)?;
        let Contents { instance, uploads: referenced } = copy::contents(&database)?;
        manifest.instance = instance;
        let (mut files, mut missing) = (Vec::new(), Vec::new());
        for checksum in referenced {
            // A file that was uploaded meanwhile has no link yet.
            if present.contains(&checksum) || link(uploads, &checksum, &linked)? {
                files.push((manifest::upload(&checksum), linked.join(checksum)));
            } else {
                missing.push(checksum);
            }
        }
        let demo = data.join(manifest::DEMO);
        if demo.exists() {
            files.push((manifest::DEMO.to_owned(), demo));
        }
        files.push((db::FILE.to_owned(), database));
        Ok(Snapshot { manifest, files, missing, _folder: folder, _lock: lock })
    }
}

/// Links or, where the file system has no links, copies an upload. Returns whether it exists.
fn link(uploads: &Uploads, checksum: &str, folder: &Path) -> Result<bool, Failure> {
    let (from, to) = (uploads.path(checksum), folder.join(checksum));
    let linked = match fs::hard_link(&from, &to) {
        Err(e) if e.kind() != ErrorKind::NotFound => fs::copy(&from, &to).map(drop),
        linked => linked,
    };
    match linked {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(false),
        Err(e) => Err(e.into()),
    }
}

/// The folders in which killed processes were copying, and the number of bytes in them.
///
/// # Errors
/// Fails if the data folder cannot be read.
pub fn unfinished(data: &Path) -> Result<Vec<(PathBuf, u64)>, Failure> {
    // While we have the lock, nobody copies.
    let Some(_lock) = copy::lock(data)? else { return Ok(Vec::new()) };
    Ok(found(data)?)
}

/// Deletes those folders, and returns them.
///
/// # Errors
/// Fails if a folder cannot be deleted.
pub fn clear_unfinished(data: &Path) -> Result<Vec<(PathBuf, u64)>, Failure> {
    let Some(_lock) = copy::lock(data)? else { return Ok(Vec::new()) };
    Ok(clear(data)?)
}

fn clear(data: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
    let found = found(data)?;
    found.iter().try_for_each(|(folder, _)| fs::remove_dir_all(folder))?;
    Ok(found)
}

fn found(data: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(data)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(COPYING) {
            // Uploads are links to files that stay, so only the database counts.
            let bytes = entry.path().join(db::FILE).metadata().map_or(0, |metadata| metadata.len());
            found.push((entry.path(), bytes));
        }
    }
    Ok(found)
}
