//! Downloads, written to a temporary file before the first byte is sent.
//!
//! A client may read as slowly as it likes. Whatever a download is made of (a database reader and its snapshot, a
//! thread, memory) is released when the file is complete; only the file waits for the client. The file has no
//! name, so it disappears with its last handle, also when the process is killed.

use std::{
    fs::File,
    io::{self, BufWriter, Seek, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use app::error::AppError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::Failure;

/// Downloads that are written at once. Each reads the database for as long as writing takes; there are two cores
/// on the smallest machine that we support, and raters need one.
const WRITING: usize = 2;
/// Downloads that exist at once, the ones included that clients are reading: the largest known is 32 MB, and a
/// gigabyte of disk is what a stalled client may cost in all.
const OPEN: usize = 32;
/// When a client that is refused should try again, in seconds.
const RETRY: u64 = 30;

/// Makes downloads; cheap to clone.
#[derive(Clone)]
pub struct Spool {
    folder: Arc<PathBuf>,
    writing: Arc<Semaphore>,
    open: Arc<Semaphore>,
}

/// A complete download, positioned at its start.
#[derive(Debug)]
pub struct Download {
    /// The bytes.
    pub file: File,
    /// How many bytes it has.
    pub bytes: u64,
    /// How many lines it has, for those that have lines; otherwise 0.
    pub lines: u64,
    /// Held until the client has read it or gone.
    pub permit: OwnedSemaphorePermit,
}

impl Spool {
    /// A spool for files in the data folder `data`.
    pub fn new(data: &Path) -> Spool {
        Spool {
            folder: Arc::new(data.to_path_buf()),
            writing: Arc::new(Semaphore::new(WRITING)),
            open: Arc::new(Semaphore::new(OPEN)),
        }
    }

    /// Has `fill` write a download on a blocking thread. `fill` returns the number of lines.
    ///
    /// # Errors
    /// What `fill` returns; [`AppError::TooMany`] while too many downloads are open.
    pub async fn write<F>(&self, fill: F) -> Result<Download, Failure>
    where
        F: FnOnce(&mut Out) -> Result<u64, Failure> + Send + 'static,
    {
        let permit = self.open.clone().try_acquire_owned().map_err(|_| AppError::TooMany(RETRY))?;
        let writing = self.writing.clone().acquire_owned().await.map_err(Failure::internal)?;
        let folder = self.folder.clone();
        let work = move || {
            // Held by the work and not by the request: a client that hangs up does not make room early.
            let _writing = writing;
            let mut out = BufWriter::new(tempfile::tempfile_in(&*folder)?);
            let lines = fill(&mut out)?;
            let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
            let bytes = file.metadata()?.len();
            file.rewind()?;
            Ok(Download { file, bytes, lines, permit })
        };
        tokio::task::spawn_blocking(work).await.map_err(Failure::internal)?
    }
}

/// What a download is written to: it can seek, as an archive needs.
pub type Out = BufWriter<File>;

impl Download {
    /// Copies the download to `out` and returns how many lines it has.
    ///
    /// # Errors
    /// `out` cannot be written.
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
    async fn too_many_open_downloads_are_refused_until_one_ends() {
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
        // None of them has a name in the data folder, so none is left behind.
        assert_eq!(std::fs::read_dir(data.path()).unwrap().count(), 0);
        let mut text = Vec::new();
        assert_eq!(open.remove(0).copy_to(&mut text).unwrap(), 1);
        assert_eq!(text, b"line\n");
        spool.write(line).await.unwrap();
    }

    #[tokio::test]
    async fn a_download_that_fails_leaves_room_for_the_next() {
        let data = tempfile::tempdir().unwrap();
        let spool = Spool::new(data.path());
        for _ in 0..=OPEN {
            assert!(spool.write(|_| Err(Failure::internal("on purpose"))).await.is_err());
        }
        spool.write(|_| Ok(0)).await.unwrap();
    }
}
