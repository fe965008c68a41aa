//! Backups in a folder. They share their content: files are stored as chunks, named by their SHA-256, and a backup writes
//! only chunks that the folder does not have.
//!
//! `backups/` has the manifests, one for each backup, `chunks/` the chunks, compressed with gzip. A manifest is written
//! last, so whatever is killed, every backup that is listed is complete. Only one process at a time writes.

use std::{
    collections::BTreeSet,
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, ErrorKind, Read, Write},
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use model::fault::{FolderProblem, RoutineFault};
use sha2::{Digest, Sha256};

use super::{
    Hashed, Place,
    manifest::{Entry, LARGEST, Manifest, is_checksum},
    snapshot::Snapshot,
    unreadable,
};
use base::error::Failure;
use db::copy;

/// Size of a chunk in bytes, before compression. SQLite changes pages in place, so most chunks of a database are the same
/// the day after.
const CHUNK: usize = 256 << 10;

/// The file that marks a folder of backups. Without it, nothing in a folder is ever deleted.
const MARK: &str = "aixgrade-backups";

/// A folder of backups, locked for this process.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    _lock: Option<File>,
}

/// A backup in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Its name: the time at which it began.
    pub name: String,
    pub manifest: Manifest,
}

impl Store {
    /// Opens a folder of backups to read them.
    ///
    /// # Errors
    /// Refuses a folder that has no backups.
    pub fn open(folder: &Path) -> Result<Store, Failure> {
        if !folder.join(MARK).is_file() {
            let what = format!("{} is not a folder of backups", folder.display());
            return Err(Failure::invalid("folder of backups", what, "Name a folder that `aixgrade backup` wrote to"));
        }
        Ok(Store { folder: folder.to_path_buf(), _lock: None })
    }

    /// Opens a folder of backups to add to them. A missing or empty folder becomes one.
    ///
    /// # Errors
    /// Refuses a folder with other files, and one that another process is writing to.
    pub fn create(folder: &Path) -> Result<Store, Failure> {
        Self::created(folder).map_err(|failure| failure.writing(folder))
    }

    fn created(folder: &Path) -> Result<Store, Failure> {
        if !folder.join(MARK).is_file() {
            let mut entries = match fs::read_dir(folder) {
                Err(e) if e.kind() == ErrorKind::NotFound => None,
                Err(e) => return Err(unusable(folder, FolderProblem::Unreadable { detail: e.to_string() })),
                Ok(entries) => Some(entries),
            };
            if entries.as_mut().is_some_and(|entries| entries.next().is_some()) {
                return Err(unusable(folder, FolderProblem::OtherFiles));
            }
            let made =
                make(folder).and_then(|()| write_whole(folder, MARK, b"Backups of AixGrade; see docs/operating.md\n"));
            made.map_err(|e| cannot_write(folder, e))?;
        }
        let lock = lock(folder)?;
        for part in ["backups", "chunks"] {
            make(&folder.join(part)).map_err(|e| cannot_write(folder, e))?;
        }
        Ok(Store { folder: folder.to_path_buf(), _lock: Some(lock) })
    }

    /// Adds a snapshot. Returns the backup, and how many bytes it added. Every chunk is read back, also those that the
    /// folder had; a damaged one is written again.
    ///
    /// # Errors
    /// Fails if the folder cannot be written.
    pub fn add(&self, snapshot: &Snapshot) -> Result<(Stored, u64), Failure> {
        self.added(snapshot).map_err(|failure| failure.writing(&self.folder))
    }

    /// Refuses a database of another server: the deletion of old backups would delete those of both.
    ///
    /// # Errors
    /// Fails if the folder's newest backup is of another database, or cannot be read.
    pub fn accepts(&self, instance: &str) -> Result<(), Failure> {
        match self.names()?.last().map(|name| self.find(name)).transpose()? {
            Some(newest) if newest.manifest.instance != instance => {
                Err(unusable(&self.folder, FolderProblem::OtherServer))
            }
            _ => Ok(()),
        }
    }

    fn added(&self, snapshot: &Snapshot) -> Result<(Stored, u64), Failure> {
        self.accepts(&snapshot.manifest.instance)?;
        let mut manifest = snapshot.manifest.clone();
        let (mut written, mut changed) = (0, BTreeSet::new());
        let mut buffer = Vec::with_capacity(CHUNK);
        for (path, file) in &snapshot.files {
            let mut content = Hashed::new(File::open(file)?);
            let mut chunks = Vec::new();
            loop {
                buffer.clear();
                content.by_ref().take(CHUNK as u64).read_to_end(&mut buffer)?;
                if buffer.is_empty() {
                    break;
                }
                let chunk = hex::encode(Sha256::digest(&buffer));
                let bytes = self.put(&chunk, &buffer)?;
                if bytes > 0 {
                    changed.insert(self.chunk(&chunk).with_file_name(""));
                    written += bytes;
                }
                chunks.push(chunk);
            }
            let (bytes, sha256) = content.finish();
            manifest.files.push(Entry { path: path.clone(), bytes, sha256, chunks });
        }
        // The chunks' names must be on the disk before the manifest is.
        for folder in changed.iter().map(PathBuf::as_path).chain([&*self.folder.join("chunks")]) {
            File::open(folder)?.sync_all()?;
        }
        let list = serde_json::to_vec(&manifest)?;
        let name = self.free_name(&manifest);
        write_whole(&self.folder.join("backups"), &format!("{name}.json"), &list)?;
        written += list.len() as u64;
        Ok((Stored { name, manifest }, written))
    }

    /// A name for a backup that no other has.
    fn free_name(&self, manifest: &Manifest) -> String {
        let time = manifest.created_at.rfc3339().replace(':', "-");
        let mut name = time.clone();
        let mut number = 2;
        while self.folder.join("backups").join(format!("{name}.json")).exists() {
            name = format!("{time}-{number}");
            number += 1;
        }
        name
    }

    /// The backups, oldest first.
    ///
    /// # Errors
    /// Fails if one cannot be read, and names it.
    pub fn list(&self) -> Result<Vec<Stored>, Failure> {
        let mut stored = Vec::new();
        for name in self.names()? {
            stored.push(self.find(&name)?);
        }
        stored.sort_by_key(|stored| stored.manifest.created_at);
        Ok(stored)
    }

    /// The names of the backups, oldest first.
    ///
    /// # Errors
    /// Fails if the folder cannot be read.
    pub fn names(&self) -> Result<Vec<String>, Failure> {
        let folder = self.folder.join("backups");
        let names = fs::read_dir(&folder).and_then(|entries| {
            let names =
                entries.map(|entry| Ok(entry?.file_name().to_string_lossy().strip_suffix(".json").map(str::to_owned)));
            names.filter_map(Result::transpose).collect::<io::Result<Vec<_>>>()
        });
        let mut names = names.map_err(|e| unreadable(&folder.display().to_string(), &e))?;
        names.sort();
        Ok(names)
    }

    /// A backup by its name.
    ///
    /// # Errors
    /// Fails if there is none, or it cannot be read.
    pub fn find(&self, name: &str) -> Result<Stored, Failure> {
        let known = self.names()?;
        if !known.iter().any(|known| known == name) {
            let what = format!("the folder has no backup {name:?}");
            return Err(Failure::invalid("--at", what, "`aixgrade restore FOLDER --list` prints their names"));
        }
        let path = self.folder.join("backups").join(format!("{name}.json"));
        let shown = path.display().to_string();
        let mut text = Vec::new();
        let read = File::open(&path).and_then(|file| file.take(LARGEST).read_to_end(&mut text));
        read.map_err(|e| unreadable(&shown, &e))?;
        Ok(Stored { name: name.to_owned(), manifest: Manifest::parse(&text, &shown)? })
    }

    /// Reads a backup, puts each file where `place` says, and checks that it is complete.
    ///
    /// # Errors
    /// Fails if a chunk is missing or damaged, or a file cannot be written.
    pub fn read(&self, manifest: &Manifest, place: &mut Place<'_>) -> Result<(), Failure> {
        for entry in &manifest.files {
            let mut out = place(&entry.path)?;
            let (mut hash, mut bytes) = (Sha256::new(), 0);
            for chunk in &entry.chunks {
                let data = self.get(chunk).map_err(|e| unreadable(&self.chunk(chunk).display().to_string(), &e))?;
                hash.update(&data);
                bytes += data.len() as u64;
                out.write_all(&data)?;
            }
            out.flush()?;
            if bytes != entry.bytes || hex::encode(hash.finalize()) != entry.sha256 {
                let what = io::Error::new(ErrorKind::InvalidData, format!("{} differs from its manifest", entry.path));
                return Err(unreadable(&self.folder.display().to_string(), &what));
            }
        }
        Ok(())
    }

    /// Deletes backups by their names, then all chunks that no other backup has. Returns the number of freed bytes.
    ///
    /// # Errors
    /// Fails if a remaining backup cannot be read; then no chunk is deleted.
    pub fn delete(&self, names: &[String]) -> Result<u64, Failure> {
        let mut freed = 0;
        for name in names {
            let path = self.folder.join("backups").join(format!("{name}.json"));
            freed += path.metadata()?.len();
            fs::remove_file(path)?;
        }
        // The manifests must be gone from the disk before their chunks are.
        File::open(self.folder.join("backups"))?.sync_all()?;
        let used: BTreeSet<String> =
            self.list()?.into_iter().flat_map(|stored| stored.manifest.files).flat_map(|entry| entry.chunks).collect();
        for group in fs::read_dir(self.folder.join("chunks"))? {
            for chunk in fs::read_dir(group?.path())? {
                let chunk = chunk?;
                let name = chunk.file_name().to_string_lossy().into_owned();
                // Names without the ending are left over from a process that was killed while it wrote.
                if !name.strip_suffix(".gz").is_some_and(|name| is_checksum(name) && used.contains(name)) {
                    freed += chunk.metadata()?.len();
                    fs::remove_file(chunk.path())?;
                }
            }
        }
        Ok(freed)
    }

    fn chunk(&self, name: &str) -> PathBuf {
        self.folder.join("chunks").join(&name[..2]).join(format!("{name}.gz"))
    }

    /// The content of a chunk, which has its name as checksum.
    fn get(&self, name: &str) -> io::Result<Vec<u8>> {
        let mut data = Vec::with_capacity(CHUNK);
        // A longer one is damaged.
        GzDecoder::new(File::open(self.chunk(name))?).take(CHUNK as u64 + 1).read_to_end(&mut data)?;
        if hex::encode(Sha256::digest(&data)) == name {
            Ok(data)
        } else {
            Err(io::Error::new(ErrorKind::InvalidData, "the chunk is damaged"))
        }
    }

    /// Stores a chunk, unless the folder has it, undamaged. Returns the number of bytes written.
    fn put(&self, name: &str, data: &[u8]) -> io::Result<u64> {
        if self.get(name).is_ok() {
            return Ok(0);
        }
        let path = self.chunk(name);
        let folder = path.with_file_name("");
        make(&folder)?;
        let mut gz = GzEncoder::new(tempfile::NamedTempFile::new_in(&folder)?, Compression::fast());
        gz.write_all(data)?;
        let file = gz.finish()?;
        file.as_file().sync_all()?;
        let bytes = file.as_file().metadata()?.len();
        file.persist(&path)?;
        self.get(name).map(|_| bytes)
    }
}

/// Creates a folder that only its owner can read.
fn make(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Writes a file that is either whole or missing.
fn write_whole(folder: &Path, name: &str, content: &[u8]) -> io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    file.persist(folder.join(name))?;
    File::open(folder)?.sync_all()
}

fn lock(folder: &Path) -> Result<File, Failure> {
    let opened = OpenOptions::new().create(true).truncate(false).write(true).open(folder.join("lock"));
    let file = opened.map_err(|e| cannot_write(folder, e))?;
    match copy::try_to_lock(&file)? {
        true => Ok(file),
        false => Err(unusable(folder, FolderProblem::InUse)),
    }
}

fn unusable(folder: &Path, problem: FolderProblem) -> Failure {
    Failure::Routine(RoutineFault::BackupFolder { folder: folder.display().to_string(), problem })
}

fn cannot_write(folder: &Path, e: io::Error) -> Failure {
    if e.kind() == ErrorKind::StorageFull {
        return e.into();
    }
    unusable(folder, FolderProblem::Unwritable { detail: e.to_string() })
}
