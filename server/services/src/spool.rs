//! Downloads, written to a temporary file before the first byte is sent.
//!
//! A client may read as slowly as it likes: everything a download needs (a database reader and its snapshot,
//! a thread, memory) is released when the file is complete; only the file waits for the client. The file has
//! no name, so it disappears with its last handle, also when the process is killed.

use std::{
    fs::File,
    io::{self, BufWriter, Seek, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use model::error::AppError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use base::{background, error::Failure};

/// Downloads written at the same time. Each reads the database while it is written; the smallest supported
/// machine has two cores, and raters need one.
const WRITING: usize = 2;
/// Downloads that exist at the same time, including those that clients are reading: the largest known is 32
/// MB, so stalled clients cost at most a gigabyte of disk.
const OPEN: usize = 32;
/// When a rejected client should retry, in seconds.
const RETRY: u64 = 30;

/// Creates downloads; cheap to clone.
#[derive(Clone)]
pub struct Spool {
    folder: Arc<PathBuf>,
    writing: Arc<Semaphore>,
    open: Arc<Semaphore>,
}

/// A complete download, positioned at its start.
#[derive(Debug)]
pub struct Download {
    pub file: File,
    /// Size in bytes.
    pub bytes: u64,
    /// Number of lines, for files that have lines; otherwise 0.
    pub lines: u64,
    /// Held until the client has read it or disconnected.
    pub permit: OwnedSemaphorePermit,
}

impl Spool {
    /// Keeps its files in the data folder `data`.
    pub fn new(data: &Path) -> Spool {
        Spool {
            folder: Arc::new(data.to_path_buf()),
            writing: Arc::new(Semaphore::new(WRITING)),
            open: Arc::new(Semaphore::new(OPEN)),
        }
    }

    /// Lets `fill` write a download in the background. `fill` returns the number of lines.
    ///
    /// # Errors
    ///
    /// The error of `fill`; [`AppError::TooMany`] while too many downloads are open.
    pub async fn write<F>(&self, fill: F) -> Result<Download, Failure>
    where
        F: FnOnce(&mut Out) -> Result<u64, Failure> + Send + 'static,
    {
        let permit = self.open.clone().try_acquire_owned().map_err(|_| AppError::TooMany(RETRY))?;
        let writing = self.writing.clone().acquire_owned().await.map_err(Failure::internal)?;
        let folder = self.folder.clone();
        let place = folder.clone();
        let work = move || {
            // Held by the work, not by the request: a client that disconnects does not free its place
            // early.
            let _writing = writing;
            let mut out = BufWriter::new(tempfile::tempfile_in(&*folder)?);
            let lines = fill(&mut out)?;
            let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
            let bytes = file.metadata()?.len();
            file.rewind()?;
            Ok(Download { file, bytes, lines, permit })
        };
        let written: Result<Download, Failure> = background::run(work).await?;
        written.map_err(|e| e.writing(&place))
    }
}

impl Spool {
    /// A stored file as a download.
    ///
    /// # Errors
    ///
    /// [`AppError::TooMany`] while too many downloads are open.
    pub fn stored(&self, file: File) -> Result<Download, Failure> {
        let permit = self.open.clone().try_acquire_owned().map_err(|_| AppError::TooMany(RETRY))?;
        let bytes = file.metadata()?.len();
        Ok(Download { file, bytes, lines: 0, permit })
    }
}

/// The target of a download: seekable, as an archive needs.
pub type Out = BufWriter<File>;

impl Download {
    /// Copies the download to `out` and returns its number of lines.
    ///
    /// # Errors
    ///
    /// Fails if `out` cannot be written.
    pub fn copy_to(mut self, out: &mut dyn Write) -> io::Result<u64> {
        io::copy(&mut self.file, out)?;
        out.flush()?;
        Ok(self.lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn downloads_above_the_limit_are_refused() {
        let data = tempfile::tempdir().unwrap();
        let spool = Spool::new(data.path());
        let line = |out: &mut Out| {
            out.write_all(b"line\n")?;
            Ok(1)
        };
        let mut open = Vec::new();
        for _ in 0..OPEN {
            open.push(spool.write(line).await.unwrap());
        }
        assert!(matches!(spool.write(line).await, Err(Failure::App(AppError::TooMany(_)))));
        // No file has a name in the data folder, so none is left behind.
        assert_eq!(std::fs::read_dir(data.path()).unwrap().count(), 0);
        let mut text = Vec::new();
        assert_eq!(open.remove(0).copy_to(&mut text).unwrap(), 1);
        assert_eq!(text, b"line\n");
        spool.write(line).await.unwrap();
    }

    #[tokio::test]
    async fn failed_download_frees_its_place() {
        let data = tempfile::tempdir().unwrap();
        let spool = Spool::new(data.path());
        for _ in 0..=OPEN {
            assert!(spool.write(|_| Err(Failure::internal("on purpose"))).await.is_err());
        }
        spool.write(|_| Ok(0)).await.unwrap();
    }
}
