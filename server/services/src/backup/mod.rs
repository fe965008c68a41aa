//! Backups of a data folder, and what makes a data folder of a backup: `aixgrade backup` and `aixgrade restore`.
//!
//! A backup has the database and the uploaded files. The engine's files are not in it: the database has the tests, from
//! which they are made again.

pub mod archive;
pub mod manifest;
pub mod restore;
pub mod schedule;
pub mod snapshot;
pub mod store;

use std::{
    fs::File,
    io::{self, ErrorKind, Read, Write},
    path::Path,
};

use model::{caller::System, error::Answer, time::Timestamp};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::Services;
use base::{background, error::Failure};
use manifest::Manifest;
use snapshot::Snapshot;
use store::{Store, Stored};

/// Says where a file of a backup goes, by its path in the data folder.
pub type Place<'a> = dyn FnMut(&str) -> Result<Box<dyn Write>, Failure> + 'a;

/// A backup that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Made {
    /// The file's path, or the name of the backup in its folder.
    pub name: String,
    /// When it began.
    pub created_at: Timestamp,
    /// Number of files in it.
    pub files: usize,
    /// Their size in bytes.
    pub bytes: u64,
    /// Number of bytes that were written for it.
    pub written: u64,
    /// Checksums of uploads that the database refers to and the data folder does not have.
    pub missing: Vec<String>,
}

impl Made {
    fn new(name: String, manifest: &Manifest, written: u64, missing: Vec<String>) -> Made {
        let (created_at, files, bytes) = (manifest.created_at, manifest.files.len(), manifest.bytes());
        Made { name, created_at, files, bytes, written, missing }
    }
}

impl Services {
    /// Writes a backup to a new file, and reads it back.
    ///
    /// # Errors
    /// Refuses a file that exists. Fails if another backup is being made, or the file cannot be written; then no file is
    /// left.
    pub async fn back_up_to_file(&self, _system: System, path: &Path) -> Answer<Made> {
        let (services, path) = (self.clone(), path.to_path_buf());
        Ok(blocking(move || services.write_file(&path).map_err(|failure| failure.writing(&path))).await?)
    }

    fn write_file(&self, path: &Path) -> Result<Made, Failure> {
        let shown = path.display().to_string();
        let taken = || Failure::invalid(&shown, "this file exists", "Name a new file; no backup is overwritten");
        if path.try_exists()? {
            return Err(taken());
        }
        let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let unusable = |e: io::Error| match e.kind() {
            ErrorKind::StorageFull => e.into(),
            _ => Failure::invalid(&shown, format!("the file cannot be written: {e}"), "Name a file in another folder"),
        };
        let mut file = tempfile::Builder::new().prefix(".aixgrade-backup-").tempfile_in(folder).map_err(unusable)?;
        let snapshot = Snapshot::take(&self.db, &self.folder, &self.uploads)?;
        let manifest = archive::write(&snapshot, file.as_file_mut())?;
        file.as_file().sync_all()?;
        let written = file.as_file().metadata()?.len();
        let read = archive::read(file.reopen()?, &shown, &mut |_| Ok(Box::new(io::sink())))?;
        if read != manifest {
            return Err(Failure::internal("the backup was read back with other content"));
        }
        file.persist_noclobber(path).map_err(|e| match e.error.kind() {
            ErrorKind::AlreadyExists => taken(),
            _ => unusable(e.error),
        })?;
        File::open(folder)?.sync_all()?;
        Ok(Made::new(shown, &manifest, written, snapshot.missing))
    }

    /// Writes a backup to a stream, such as standard output.
    ///
    /// # Errors
    /// Fails if another backup is being made, or the stream cannot be written.
    pub async fn back_up_to_stream(&self, _system: System, out: impl Write + Send + 'static) -> Answer<Made> {
        let services = self.clone();
        let write = move || {
            let snapshot = Snapshot::take(&services.db, &services.folder, &services.uploads)?;
            let manifest = archive::write(&snapshot, out)?;
            Ok(Made::new("-".into(), &manifest, manifest.bytes(), snapshot.missing))
        };
        Ok(blocking(write).await?)
    }

    /// Adds a backup to a folder of backups, and reads it back. A missing or empty folder becomes one.
    ///
    /// # Errors
    /// As [`Store::create`] and [`Store::add`]. Fails if another backup is being made.
    pub async fn back_up_to_folder(&self, _system: System, folder: &Path) -> Answer<Made> {
        Ok(self.add_to_folder(folder).await?)
    }

    /// [`Services::back_up_to_folder`], for what records why it failed.
    async fn add_to_folder(&self, folder: &Path) -> Result<Made, Failure> {
        let (services, folder) = (self.clone(), folder.to_path_buf());
        let write = move || {
            let store = Store::create(&folder)?;
            let snapshot = Snapshot::take(&services.db, &services.folder, &services.uploads)?;
            let (Stored { name, manifest }, written) = store.add(&snapshot)?;
            Ok(Made::new(name, &manifest, written, snapshot.missing))
        };
        blocking(write).await
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, Failure> + Send + 'static) -> Result<T, Failure> {
    background::run(work).await?
}

/// A reader that counts and hashes what passes through it.
struct Hashed<R> {
    inner: R,
    hash: Sha256,
    bytes: u64,
}

impl<R> Hashed<R> {
    fn new(inner: R) -> Hashed<R> {
        Hashed { inner, hash: Sha256::new(), bytes: 0 }
    }

    /// Number of bytes, and their SHA-256.
    fn finish(self) -> (u64, String) {
        (self.bytes, hex::encode(self.hash.finalize()))
    }
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.hash.update(&buffer[..read]);
        self.bytes += read as u64;
        Ok(read)
    }
}

/// Copies a part of a backup, and returns the number of bytes and their SHA-256. `name` names the backup in errors.
fn pipe(from: &mut impl Read, to: &mut impl Write, name: &str) -> Result<(u64, String), Failure> {
    let mut from = Hashed::new(from);
    let mut buffer = vec![0; 64 << 10];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => to.write_all(&buffer[..read])?,
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(unreadable(name, &e)),
        }
    }
    to.flush()?;
    Ok(from.finish())
}

/// The refusal of a backup that cannot be read.
fn unreadable(name: &str, cause: &io::Error) -> Failure {
    Failure::invalid(name, format!("the backup cannot be read: {cause}"), "Use another backup; nothing was changed")
}
