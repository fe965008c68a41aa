//! Copies of the database, made while others read and write it.

use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, ErrorKind},
    path::Path,
    time::Duration,
};

use rusqlite::{
    Connection, OpenFlags,
    backup::{Backup, StepResult},
};

use super::{Db, FILE, OpenError, connect, migrations};
use base::error::Failure;

/// Pages copied between two pauses: 16 MiB.
const PAGES: i32 = 4096;

/// Pause in which raters' commits reach the disk.
const PAUSE: Duration = Duration::from_millis(2);

/// How thoroughly [`verify`] reads a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// The structure of all pages.
    Structure,
    /// Also whether indexes, tables and constraints agree, which takes several times as long.
    Everything,
}

impl Db {
    /// Copies the database into a new file, as of the moment at which the copy begins. The copy has no journal of its
    /// own and has reached the disk when this returns. Others are not delayed; meanwhile, the write-ahead log grows.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn copy_to(&self, path: &Path) -> Result<(), Failure> {
        let source = connect(self.path(), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        copy(&source, path).map_err(|e| Failure::from(e).writing(path))
    }
}

/// As [`Db::copy_to`], from an open connection.
pub(super) fn copy(source: &Connection, path: &Path) -> rusqlite::Result<()> {
    // Without a transaction, every step would begin again with the newest pages.
    let snapshot = source.unchecked_transaction()?;
    migrations::version(&snapshot)?;
    let mut target = created(path)?;
    {
        let backup = Backup::new(source, &mut target)?;
        while backup.step(PAGES)? != StepResult::Done {
            std::thread::sleep(PAUSE);
        }
    }
    snapshot.finish()?;
    // The source's header says that there is a write-ahead log; the copy is a single file.
    target.pragma_update(None, "journal_mode", "DELETE")?;
    target.close().map_err(|(_, e)| e)?;
    let synced = File::open(path).and_then(|file| file.sync_all());
    synced.map_err(|e| rusqlite::Error::ToSqlConversionFailure(e.into()))
}

#[allow(clippy::disallowed_methods, reason = "a file that nobody else opens, and that is deleted if the copy fails")]
fn created(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let target = Connection::open_with_flags(path, flags)?;
    target.pragma_update(None, "journal_mode", "OFF")?;
    target.pragma_update(None, "synchronous", "OFF")?;
    Ok(target)
}

/// Checks that a copy is sound, ours and not newer than this program. Returns its schema.
///
/// # Errors
/// [`OpenError::Damaged`] with SQLite's first complaint, [`OpenError::NotOurs`] and [`OpenError::Newer`].
pub fn verify(path: &Path, depth: Depth) -> Result<u32, OpenError> {
    let conn = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    migrations::verify(&conn)?;
    let check = match depth {
        Depth::Structure => "PRAGMA quick_check(1)",
        Depth::Everything => "PRAGMA integrity_check(1)",
    };
    let answer: String = conn.query_row(check, [], |row| row.get(0))?;
    match migrations::version(&conn)? {
        _ if answer != "ok" => Err(OpenError::Damaged(answer)),
        // An empty file is a valid database of SQLite.
        0 => Err(OpenError::NotOurs),
        schema => Ok(schema),
    }
}

/// The facts about a database that its backup records.
pub struct Contents {
    /// Identity of the database, which all its copies have.
    pub instance: String,
    /// Checksums of the uploaded files that it refers to.
    pub uploads: BTreeSet<String>,
}

/// Reads a copy with the newest schema.
///
/// # Errors
/// Fails if the copy cannot be read.
pub fn contents(path: &Path) -> Result<Contents, Failure> {
    let conn = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut statement = conn.prepare("SELECT checksum FROM uploads UNION SELECT checksum FROM all_submissions")?;
    let uploads = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(Contents { instance: instance(&conn)?, uploads })
}

/// The identity of a database with the newest schema.
///
/// # Errors
/// Fails if the database cannot be read.
pub fn instance(conn: &Connection) -> Result<String, Failure> {
    Ok(conn.query_row("SELECT id FROM instance", [], |row| row.get(0))?)
}

/// Locked while something in a data folder is being copied.
const LOCK: &str = "backup.lock";

/// Prefix of a folder in which copies are being made. While [`lock`] is free, such a folder is left over from a process
/// that was killed.
pub const COPYING: &str = "copying-";

/// Between the database's name and its schema, in the name of a copy from before an update.
pub const SCHEMA: &str = ".schema-";

/// Locks a data folder for copying, until the file is closed. Returns `None` if it is locked.
///
/// # Errors
/// Fails if the folder cannot be written.
pub fn lock(data: &Path) -> io::Result<Option<File>> {
    let file = lock_file(data)?;
    Ok(try_to_lock(&file)?.then_some(file))
}

/// Locks a file, until it is closed. Returns whether that succeeded; if not, another process has the lock.
///
/// A lock that this process has just released can exist a moment longer: a process that another thread is starting has
/// copies of all open files until it begins its program. So this tries for a second.
///
/// # Errors
/// Fails if the file system refuses. One without locks is no reason to make no backups, and counts as success.
pub fn try_to_lock(file: &File) -> io::Result<bool> {
    for _ in 0..100 {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(10)),
            Err(TryLockError::Error(e)) if e.kind() == ErrorKind::Unsupported => return Ok(true),
            Err(TryLockError::Error(e)) => return Err(e),
        }
    }
    Ok(false)
}

fn lock_file(data: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).truncate(false).write(true).open(data.join(LOCK))
}

/// Keeps a copy of a database whose schema is about to be updated, so that the update can be undone: `FILE.schema-N`,
/// where N is its schema. Does nothing for a new database or one that has the newest schema.
pub(super) fn before_update(conn: &Connection, data: &Path, newest: u32) -> Result<(), OpenError> {
    let is_old = |schema| 0 < schema && schema < newest;
    if !is_old(migrations::version(conn)?) {
        return Ok(());
    }
    let keep = || {
        let lock = lock_file(data)?;
        match lock.lock() {
            Err(e) if e.kind() != ErrorKind::Unsupported => return Err(e),
            _ => {}
        }
        // Another process may have updated it while this one waited.
        let schema = migrations::version(conn).map_err(io::Error::other)?;
        if is_old(schema) {
            let place = tempfile::Builder::new().prefix(COPYING).tempdir_in(data)?;
            let path = place.path().join(FILE);
            copy(conn, &path).map_err(io::Error::other)?;
            fs::rename(path, data.join(format!("{FILE}{SCHEMA}{schema}")))?;
            File::open(data)?.sync_all()?;
        }
        Ok(())
    };
    keep().map_err(OpenError::Copy)
}

#[cfg(test)]
mod tests {
    use super::{
        super::migrations::tests::{NEXT, populated, tables, with},
        *,
    };

    #[test]
    fn an_update_keeps_a_copy_that_the_older_program_can_open() {
        let data = tempfile::tempdir().unwrap();
        let before = tables(&populated(data.path()));
        let kept = data.path().join(format!("{FILE}.schema-{}", migrations::newest()));
        drop(Db::open_with(data.path(), &with(NEXT)).unwrap());
        assert!(matches!(Db::open(data.path()), Err(OpenError::Newer { .. })));
        assert_eq!(verify(&kept, Depth::Everything).unwrap(), migrations::newest());
        assert_eq!(tables(&connect(&kept, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap()), before);
        // Nothing is copied when nothing is updated.
        std::fs::remove_file(&kept).unwrap();
        drop(Db::open_with(data.path(), &with(NEXT)).unwrap());
        assert!(!kept.exists());
    }

    #[test]
    fn an_update_can_be_taken_back() {
        let data = tempfile::tempdir().unwrap();
        drop(populated(data.path()));
        let db = Db::open_with(data.path(), &with(NEXT)).unwrap();
        db.write_blocking(|tx| Ok(tx.execute("INSERT INTO models (name) VALUES ('later')", [])?)).unwrap();
        drop(db);
        // In a folder of its own: the thread that wrote here may still be closing the file.
        let back = tempfile::tempdir().unwrap();
        let path = back.path().join(FILE);
        std::fs::rename(data.path().join(format!("{FILE}.schema-{}", migrations::newest())), &path).unwrap();
        assert_eq!(verify(&path, Depth::Everything).unwrap(), migrations::newest());
        let names = |conn: &Connection| {
            let mut statement = conn.prepare("SELECT name FROM models ORDER BY id")?;
            Ok(statement.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?)
        };
        // Another update begins with what was there.
        let again = Db::open_with(back.path(), &with(NEXT)).unwrap();
        assert_eq!(again.read_blocking(names).unwrap(), ["Model A", "Model B"]);
    }

    #[test]
    fn an_update_without_its_copy_does_not_happen() {
        let data = tempfile::tempdir().unwrap();
        let conn = populated(data.path());
        // A folder in the place of the copy stands for a disk that cannot be written.
        let kept = data.path().join(format!("{FILE}.schema-{}", migrations::newest()));
        std::fs::create_dir_all(kept.join("occupied")).unwrap();
        let refused = Db::open_with(data.path(), &with(NEXT)).unwrap_err();
        assert!(matches!(refused, OpenError::Copy(_)), "{refused}");
        assert_eq!(migrations::version(&conn).unwrap(), migrations::newest());
    }

    #[test]
    fn a_copy_that_is_damaged_or_foreign_is_refused() {
        let data = tempfile::tempdir().unwrap();
        let db = Db::open(data.path()).unwrap();
        let copy = data.path().join("copy");
        db.copy_to(&copy).unwrap();
        assert_eq!(verify(&copy, Depth::Everything).unwrap(), migrations::newest());
        let bytes = std::fs::read(&copy).unwrap();
        std::fs::write(&copy, &bytes[..bytes.len() / 2]).unwrap();
        assert!(matches!(verify(&copy, Depth::Structure), Err(OpenError::Damaged(_))));
        for foreign in [&b""[..], &b"not a database, but long enough to be read as one: ".repeat(40)] {
            std::fs::write(&copy, foreign).unwrap();
            assert!(verify(&copy, Depth::Structure).is_err());
        }
    }
}
