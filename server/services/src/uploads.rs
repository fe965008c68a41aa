//! Uploaded files, stored under their checksum while they stream in.
//!
//! A file is written under a temporary name, hashed meanwhile, flushed to disk and only then renamed, so a
//! file with a checksum as its name has that content. Nothing is held in memory.

use std::{
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    time::Duration,
};

use sha2::{Digest, Sha256};
use tokio::io::AsyncWriteExt;

use super::backup::manifest::is_checksum;
use base::error::Failure;

/// Maximum file size in bytes: five times the size of the largest published benchmark with two hundred
/// samples per task.
pub const LARGEST: u64 = 512 * 1024 * 1024;

/// Prefix of unfinished files. The writer keeps its file locked: a file without a lock was left by a process
/// that was killed.
const UNFINISHED: &str = "incoming-";

/// The folder of uploads inside the data folder.
#[derive(Clone, Debug)]
pub struct Uploads {
    folder: PathBuf,
}

/// A file that is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFile {
    /// SHA-256 of its bytes.
    pub checksum: String,
    /// The client's file name, without folders.
    pub name: String,
    pub bytes: u64,
}

/// A temporary file; dropping this deletes it.
#[derive(Debug)]
pub struct HeldFile {
    /// The client's file name, without folders.
    pub name: String,
    path: tempfile::TempPath,
    /// Keeps the lock.
    _file: tokio::fs::File,
}

impl HeldFile {
    /// Opens it.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read.
    pub fn open(&self) -> Result<std::fs::File, Failure> {
        Ok(std::fs::File::open(&self.path)?)
    }
}

/// A file that is being written.
pub struct Incoming {
    folder: PathBuf,
    temporary: tempfile::TempPath,
    file: tokio::fs::File,
    hash: Sha256,
    name: String,
    bytes: u64,
}

impl Uploads {
    /// The uploads of a data folder.
    pub fn new(data: &Path) -> Uploads {
        Uploads { folder: data.join("uploads") }
    }

    /// Starts to receive a file; `name` is the client's file name, of which directories are stripped.
    ///
    /// # Errors
    ///
    /// Fails if the data folder cannot be written.
    pub async fn begin(&self, name: &str) -> Result<Incoming, Failure> {
        self.begin_file(name).await.map_err(|e| Failure::from(e).writing(&self.folder))
    }

    async fn begin_file(&self, name: &str) -> io::Result<Incoming> {
        tokio::fs::create_dir_all(&self.folder).await?;
        let (file, temporary) = loop {
            // If dropped before it is finished, a temporary file deletes itself.
            let (file, temporary) = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(&self.folder)?.into_parts();
            // Between the two, another process may have deleted the file.
            if file.try_lock().is_ok() && temporary.try_exists()? {
                break (file, temporary);
            }
        };
        Ok(Incoming {
            folder: self.folder.clone(),
            temporary,
            file: tokio::fs::File::from_std(file),
            hash: Sha256::new(),
            name: tidy(name),
            bytes: 0,
        })
    }

    /// Files that a killed process left unfinished, with their sizes.
    pub fn unfinished(&self) -> io::Result<Vec<(PathBuf, u64)>> {
        self.each_unfinished(|_| Ok(()))
    }

    /// Deletes files that a killed process left unfinished.
    pub fn clear_unfinished(&self) -> io::Result<Vec<(PathBuf, u64)>> {
        self.each_unfinished(|path| std::fs::remove_file(path))
    }

    fn each_unfinished(&self, act: impl Fn(&Path) -> io::Result<()>) -> io::Result<Vec<(PathBuf, u64)>> {
        let mut found = Vec::new();
        for (name, path, metadata) in self.files()? {
            if !name.starts_with(UNFINISHED) {
                continue;
            }
            match std::fs::File::open(&path) {
                // While we have the lock, the writer is not writing; a writer that starts now notices.
                Ok(file) if file.try_lock().is_ok() => {
                    act(&path)?;
                    found.push((path, metadata.len()));
                }
                Ok(_) => {}
                Err(e) if e.kind() == ErrorKind::NotFound => {}
                Err(e) => return Err(e),
            }
        }
        Ok(found)
    }

    /// The checksums of the stored files, with their sizes.
    pub fn stored(&self) -> io::Result<Vec<(String, u64)>> {
        let files = self.files()?.into_iter().filter(|(name, ..)| is_checksum(name));
        Ok(files.map(|(name, _, metadata)| (name, metadata.len())).collect())
    }

    fn files(&self) -> io::Result<Vec<(String, PathBuf, std::fs::Metadata)>> {
        let entries = match std::fs::read_dir(&self.folder) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut files = Vec::new();
        for entry in entries {
            let entry = entry?;
            match entry.metadata() {
                Ok(metadata) => files.push((entry.file_name().to_string_lossy().into_owned(), entry.path(), metadata)),
                // It was finished or abandoned meanwhile.
                Err(e) if e.kind() == ErrorKind::NotFound => {}
                Err(e) => return Err(e),
            }
        }
        Ok(files)
    }

    /// Whether a stored file is missing, or was stored more than `age` ago.
    pub fn is_old(&self, checksum: &str, age: Duration) -> bool {
        std::fs::metadata(self.path(checksum)).map_or(true, |metadata| super::prune::is_old(&metadata, age))
    }

    /// The path of the file with this checksum.
    pub fn path(&self, checksum: &str) -> PathBuf {
        self.folder.join(checksum)
    }

    /// Deletes a stored file, if it exists.
    pub fn remove(&self, checksum: &str) -> io::Result<()> {
        match std::fs::remove_file(self.path(checksum)) {
            Err(e) if e.kind() != ErrorKind::NotFound => Err(e),
            _ => Ok(()),
        }
    }

    /// Opens a stored file.
    ///
    /// # Errors
    ///
    /// Fails if it is missing or cannot be read.
    pub fn open(&self, checksum: &str) -> Result<std::fs::File, Failure> {
        self.find(checksum)?.ok_or_else(|| Failure::internal(format!("the upload {checksum} is missing")))
    }

    /// Opens a stored file; `None` if it is missing, as after a restore without the uploads.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read.
    pub fn find(&self, checksum: &str) -> Result<Option<std::fs::File>, Failure> {
        match std::fs::File::open(self.path(checksum)) {
            Ok(file) => Ok(Some(file)),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            Err(e) => Err(Failure::internal(format!("the upload {checksum} cannot be opened: {e}"))),
        }
    }
}

/// The name of a stored file as part of another name: without the ending that says its format.
pub fn stem(name: &str) -> &str {
    let name = name.strip_suffix(".gz").unwrap_or(name);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

impl Incoming {
    fn full(&self, e: io::Error) -> Failure {
        Failure::from(e).writing(&self.folder)
    }

    /// Number of bytes received.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Appends bytes.
    ///
    /// # Errors
    ///
    /// Fails if the file grows beyond [`LARGEST`] or cannot be written.
    pub async fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.bytes += bytes.len() as u64;
        if self.bytes > LARGEST {
            return Err(Failure::invalid(
                &self.name,
                (
                    format!("the file is larger than {} MiB", LARGEST / 1024 / 1024),
                    format!("文件超过 {} MiB", LARGEST / 1024 / 1024),
                ),
                ("Compress it with gzip, or split it", "请用 gzip 压缩，或拆分文件"),
            ));
        }
        self.hash.update(bytes);
        self.file.write_all(bytes).await.map_err(|e| self.full(e))
    }

    /// Keeps the file only until this value is dropped: for content that is read once and stored elsewhere.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written.
    pub async fn hold(mut self) -> Result<HeldFile, Failure> {
        self.file.flush().await.map_err(|e| self.full(e))?;
        Ok(HeldFile { name: self.name, path: self.temporary, _file: self.file })
    }

    /// Moves the file to its final name.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written.
    pub async fn finish(mut self) -> Result<StoredFile, Failure> {
        self.file.flush().await.map_err(|e| self.full(e))?;
        // Flush the content before it gets its name.
        self.file.sync_all().await.map_err(|e| self.full(e))?;
        drop(self.file);
        let checksum = hex::encode(self.hash.finalize());
        let (temporary, folder, place) = (self.temporary, self.folder.clone(), self.folder.join(&checksum));
        let moved = tokio::task::spawn_blocking(move || {
            temporary.persist(place).map_err(|e| e.error)?;
            // Flush the name, too.
            std::fs::File::open(folder)?.sync_all()
        });
        moved.await.map_err(Failure::internal)??;
        Ok(StoredFile { checksum, name: self.name, bytes: self.bytes })
    }
}

/// The last part of a path, printable and of limited length.
fn tidy(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let clean: String = last.chars().filter(|c| !c.is_control()).take(200).collect();
    if clean.trim().is_empty() { "unnamed".into() } else { clean.trim().to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn complete_file_gets_its_final_name() {
        let data = tempfile::tempdir().unwrap();
        let uploads = Uploads::new(data.path());
        let mut incoming = uploads.begin("C:\\work\\out.jsonl").await.unwrap();
        incoming.write(b"hello ").await.unwrap();
        incoming.write(b"world").await.unwrap();
        let stored = incoming.finish().await.unwrap();
        assert_eq!((stored.name.as_str(), stored.bytes), ("out.jsonl", 11));
        assert_eq!(stored.checksum, "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9");
        assert_eq!(std::io::read_to_string(uploads.open(&stored.checksum).unwrap()).unwrap(), "hello world");

        // The same content again is the same file; an abandoned one leaves nothing.
        let mut again = uploads.begin("again").await.unwrap();
        again.write(b"hello world").await.unwrap();
        assert_eq!(again.finish().await.unwrap().checksum, stored.checksum);
        let mut given_up = uploads.begin("../x").await.unwrap();
        given_up.write(b"half").await.unwrap();
        drop(given_up);
        let mut held = uploads.begin("held").await.unwrap();
        held.write(b"for now").await.unwrap();
        let held = held.hold().await.unwrap();
        assert_eq!(std::io::read_to_string(held.open().unwrap()).unwrap(), "for now");
        drop(held);
        assert_eq!(std::fs::read_dir(data.path().join("uploads")).unwrap().count(), 1);
    }

    #[tokio::test]
    async fn abandoned_files_are_deleted_and_open_ones_kept() {
        let data = tempfile::tempdir().unwrap();
        let uploads = Uploads::new(data.path());
        assert!(uploads.clear_unfinished().unwrap().is_empty());
        let mut incoming = uploads.begin("a").await.unwrap();
        incoming.write(b"half").await.unwrap();
        let held = uploads.begin("b").await.unwrap().hold().await.unwrap();
        let left = data.path().join("uploads").join("incoming-left");
        std::fs::write(&left, b"left").unwrap();
        assert_eq!(uploads.unfinished().unwrap(), [(left.clone(), 4)]);
        assert!(left.exists());
        assert_eq!(uploads.clear_unfinished().unwrap(), [(left.clone(), 4)]);
        assert!(!left.exists());
        held.open().unwrap();
        incoming.finish().await.unwrap();
    }
}
