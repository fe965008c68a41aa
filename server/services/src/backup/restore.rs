//! Makes a data folder of a backup.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use super::{archive, manifest::Manifest, store::Store, unreadable};
use crate::folder::{self, ServerLock};
use base::error::Failure;
use db::copy::{self, Depth};

/// Prefix of the folder that a backup is unpacked to, in the data folder.
const UNPACKING: &str = "restoring-";

/// The source of a backup.
pub enum Source {
    Archive { content: Box<dyn Read + Send>, name: String },
    Store { store: Store, manifest: Manifest },
}

impl Source {
    /// Opens a file or a folder of backups. Of a folder, `at` names the backup; without it, the newest is used. `-` is
    /// standard input.
    ///
    /// # Errors
    /// Fails if there is no such backup.
    pub fn open(source: &Path, at: Option<&str>) -> Result<Source, Failure> {
        let name = source.display().to_string();
        if source.is_dir() {
            let store = Store::open(source)?;
            let found = match at {
                Some(at) => store.find(at)?,
                None => store.list()?.pop().ok_or_else(|| {
                    Failure::invalid(&name, "the folder has no backup yet", "Make one with `aixgrade backup`")
                })?,
            };
            return Ok(Source::Store { store, manifest: found.manifest });
        }
        if at.is_some() {
            return Err(Failure::invalid("--at", "only a folder has several backups", "Leave out --at"));
        }
        if name == "-" {
            return Ok(Source::Archive { content: Box::new(io::stdin()), name: "standard input".into() });
        }
        let file = File::open(source).map_err(|e| unreadable(&name, &e))?;
        Ok(Source::Archive { content: Box::new(file), name })
    }

    fn read(self, place: &mut super::Place<'_>) -> Result<Manifest, Failure> {
        match self {
            Source::Archive { content, name } => archive::read(content, &name, place),
            Source::Store { store, manifest } => store.read(&manifest, place).map(|()| manifest),
        }
    }

    /// Reads the whole backup and compares it with its checksums. Writes nothing.
    ///
    /// # Errors
    /// Fails if the backup is damaged or incomplete.
    pub fn check(self) -> Result<Manifest, Failure> {
        self.read(&mut |_| Ok(Box::new(io::sink())))
    }

    /// Restores the backup into a data folder, which must be missing or empty. The folder gets all files or none.
    ///
    /// # Errors
    /// Refuses a folder that has data or is being served. Fails if the backup is damaged or incomplete, or the folder
    /// cannot be written.
    pub fn restore(self, data: &Path) -> Result<Manifest, Failure> {
        let _lock = ServerLock::take(data)?;
        clear(data)?;
        if !folder::is_empty(data)? {
            return Err(Failure::conflict(format!(
                "The data folder {} is not empty. Restore into an empty folder: choose one with --data, and keep the \
                 present one until you have looked at the restored data.",
                data.display()
            )));
        }
        self.unpack(data).map_err(|failure| failure.writing(data))
    }

    fn unpack(self, data: &Path) -> Result<Manifest, Failure> {
        let unpacking = tempfile::Builder::new().prefix(UNPACKING).tempdir_in(data)?;
        let place = unpacking.path();
        fs::create_dir(place.join("uploads"))?;
        let manifest = self.read(&mut |path| {
            let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(place.join(path))?;
            Ok(Box::new(file) as Box<dyn Write>)
        })?;
        let database = place.join(db::FILE);
        copy::verify(&database, Depth::Everything)
            .map_err(|e| Failure::conflict(format!("The backup's database cannot be used: {e}.")))?;
        for entry in &manifest.files {
            File::open(place.join(&entry.path))?.sync_all()?;
        }
        File::open(place.join("uploads"))?.sync_all()?;
        // The database is last: until it has its name, the folder counts as empty.
        let rest =
            manifest.files.iter().map(|entry| &*entry.path).filter(|path| !path.contains('/') && *path != db::FILE);
        for path in ["uploads"].into_iter().chain(rest).chain([db::FILE]) {
            fs::rename(place.join(path), data.join(path))?;
        }
        File::open(data)?.sync_all()?;
        Ok(manifest)
    }
}

/// Deletes what a killed restore left.
fn clear(data: &Path) -> Result<(), Failure> {
    let entries = fs::read_dir(data)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>()?;
    let starts =
        |path: &Path, with: &str| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(with));
    let partial: Vec<_> = entries.iter().filter(|path| starts(path, UNPACKING)).collect();
    if partial.is_empty() || entries.iter().any(|path| starts(path, db::FILE)) {
        return Ok(());
    }
    // It was killed between two renames. These are the only names that it gives before the database's.
    for name in ["uploads", super::manifest::DEMO] {
        let path = data.join(name);
        let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        match removed {
            Err(e) if e.kind() != ErrorKind::NotFound => return Err(e.into()),
            _ => {}
        }
    }
    // Last, since it says that the others are left over.
    partial.into_iter().try_for_each(fs::remove_dir_all)?;
    Ok(())
}
