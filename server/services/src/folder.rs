//! The data folder: which process may serve it, and whether it belongs to a demo.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{ErrorKind, Write},
    path::Path,
};

use base::{error::Failure, folders::create_private};

/// The file that a server keeps locked while it runs.
const LOCK: &str = "serve.lock";
/// The file that marks a folder whose accounts have published passwords.
const DEMO: &str = "demo";

/// Proof that no other server uses the folder, as long as this value lives. Other commands need no lock and
/// work while a server runs.
#[derive(Debug)]
pub struct ServerLock {
    file: File,
}

impl Drop for ServerLock {
    fn drop(&mut self) {
        // A program that this process is starting has the file open until it runs, and would keep the lock so long. A
        // file system without locks has none to release.
        let _ = self.file.unlock();
    }
}

impl ServerLock {
    /// Creates the folder if it is missing, and locks it. The operating system releases the lock when the
    /// process ends.
    ///
    /// # Errors
    ///
    /// Fails if another server uses the folder, or it cannot be written.
    pub fn take(folder: &Path) -> Result<ServerLock, Failure> {
        let unusable = |cause: std::io::Error| {
            Failure::conflict(format!(
                "The data folder {} cannot be used: {cause}. Choose another with --data.",
                folder.display()
            ))
        };
        create_private(folder).map_err(unusable)?;
        let mut file =
            OpenOptions::new().create(true).truncate(false).write(true).open(folder.join(LOCK)).map_err(unusable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let other = std::fs::read_to_string(folder.join(LOCK)).unwrap_or_default();
                let process = match other.trim() {
                    "" => String::new(),
                    process => format!(" (process {process})"),
                };
                return Err(Failure::conflict(format!(
                    "Another aixgrade server{process} uses the data folder {}. \
                     Stop it first, or choose another folder with --data.",
                    folder.display()
                )));
            }
            // A file system without locks is no reason to refuse to serve.
            Err(TryLockError::Error(e)) if e.kind() == ErrorKind::Unsupported => {
                tracing::warn!("this file system has no locks; start only one server on the data folder");
            }
            Err(TryLockError::Error(e)) => return Err(unusable(e)),
        }
        // For the error message above.
        file.set_len(0).and_then(|()| write!(file, "{}", std::process::id())).map_err(unusable)?;
        Ok(ServerLock { file })
    }
}

/// The folder of images and of runs in progress, which the engine makes again if it is missing.
const ENGINE: &str = "engine";

/// Whether the folder is missing or contains nothing but the server's lock, toolchains, and what the engine makes of them.
pub fn is_empty(folder: &Path) -> std::io::Result<bool> {
    let mut entries = match std::fs::read_dir(folder) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(true),
        entries => entries?,
    };
    let toolchains = toolchains::folder(folder);
    let name = toolchains.file_name();
    entries.try_fold(true, |empty, entry| {
        let entry = entry?;
        let found = entry.file_name();
        Ok(empty && (found == LOCK || found == ENGINE || Some(found.as_os_str()) == name))
    })
}

/// Whether `serve --demo` filled the folder.
pub fn is_demo(folder: &Path) -> bool {
    folder.join(DEMO).exists()
}

/// Marks the folder as filled by `serve --demo`.
pub fn mark_demo(folder: &Path) -> std::io::Result<()> {
    let mut file = File::create(folder.join(DEMO))?;
    file.write_all(b"Accounts in this folder have published passwords. Serve it on this machine only.\n")?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_ended_is_not_kept_by_a_copy_of_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let lock = ServerLock::take(folder.path()).unwrap();
        // As a child has it between its start and its program.
        let _copy = lock.file.try_clone().unwrap();
        drop(lock);
        ServerLock::take(folder.path()).unwrap();
    }

    #[test]
    fn second_server_on_a_folder_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let first = ServerLock::take(folder.path()).unwrap();
        // As `aixgrade doctor` leaves it.
        std::fs::create_dir(folder.path().join(ENGINE)).unwrap();
        assert!(is_empty(folder.path()).unwrap());
        let Err(Failure::App(refused)) = ServerLock::take(folder.path()) else { panic!("a second server started") };
        let told = refused.to_string();
        assert!(told.contains(&format!("process {}", std::process::id())), "{told}");
        // Other commands open the folder meanwhile, two at a time.
        let (_one, _two) = (
            super::super::Services::open(folder.path()).unwrap(),
            super::super::Services::open(folder.path()).unwrap(),
        );
        drop(first);
        ServerLock::take(folder.path()).unwrap();
        assert!(!is_empty(folder.path()).unwrap());
    }
}
