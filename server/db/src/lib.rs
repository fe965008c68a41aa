//! The database: one SQLite file in the data folder.
//!
//! All SQL is in this crate, one query file per aggregate. `Db::write` opens an IMMEDIATE transaction on
//! the only writing connection; `Db::read` provides a snapshot on a connection that cannot write. No other
//! crate opens a connection.
//!
//! Columns are read by name, so that another order of them changes nothing; only the value of a statement with a single
//! column is read by its position. A value that cannot be read is an error with its table, row and column ([`stored`]).
//!
//! This crate may not know services, formats, figures and the engine.

pub mod accounts;
pub mod announcements;
pub mod audit;
pub mod bookmarks;
pub mod collections;
pub mod comparison_final_scores;
pub mod comparison_input;
pub mod comparison_lines;
pub mod comparisons;
pub mod conversations;
pub mod copy;
pub mod datasets;
pub mod events;
pub mod find;
pub mod grading;
pub mod groups;
pub mod guidelines;
pub mod identities;
pub mod imported_ratings;
pub mod inbox;
pub mod instruction_answers;
pub mod judge_scores;
pub mod judgings;
pub mod languages;
pub mod load;
mod log;
pub mod mail;
pub mod migrations;
pub mod models;
pub mod notes;
pub mod overview;
pub mod page;
pub mod plan;
pub mod policy;
pub mod prune;
pub mod public_links;
pub mod quality;
pub mod queue;
pub mod recording;
pub mod results;
pub mod routines;
pub mod rubrics;
pub mod run_how;
pub mod run_results;
pub mod run_workers;
pub mod runs;
pub mod sessions;
pub mod settings;
pub mod staging;
pub mod steps;
pub mod stored;
pub mod studies;
pub mod submissions;
pub mod throttle;
pub mod tokens;
pub mod upkeep;
pub mod uploads;
pub mod waits;
pub mod webhooks;
pub mod withdrawals;
mod writer;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use model::time::Timestamp;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use tokio::sync::{Semaphore, SemaphorePermit};

use base::{background, error::Failure};
use log::LogCopier;
use waits::Waits;
use writer::Writer;

/// Name of the database file in the data folder.
pub const FILE: &str = "aixgrade.sqlite3";

/// Number of read connections. Reads take microseconds; more connections only use more page cache.
const READERS: usize = 4;

/// Pause between two transactions that delete an import, in which others can write.
const PAUSE: Duration = Duration::from_millis(2);

/// Marks the file as ours (`PRAGMA application_id`): the bytes `AxGr`.
pub const APPLICATION_ID: i32 = i32::from_be_bytes(*b"AxGr");

/// A handle on the database; cheap to clone.
#[derive(Clone)]
pub struct Db(Arc<Inner>);

struct Inner {
    path: PathBuf,
    writer: Arc<Mutex<Connection>>,
    queue: Writer,
    readers: Mutex<Vec<Connection>>,
    permits: Semaphore,
    /// For long reads: the other permits remain for raters.
    long_permits: Semaphore,
    waits: Waits,
    _log: LogCopier,
}

impl std::fmt::Debug for Db {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Db").field(&self.0.path).finish()
    }
}

impl Db {
    /// Opens the database in `folder`, creating and migrating it as needed.
    ///
    /// # Errors
    ///
    /// Refuses a file that is not ours, damaged, or newer than this program, and leaves it unchanged.
    pub fn open(folder: &Path) -> Result<Db, OpenError> {
        Db::open_with(folder, migrations::MIGRATIONS)
    }

    /// As [`Db::open`], for a program with these migrations.
    fn open_with(folder: &Path, migrations: &[&str]) -> Result<Db, OpenError> {
        let path = folder.join(FILE);
        let mut writer = connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
        // Checked before anything is changed.
        migrations::verify_with(&writer, migrations)?;
        copy::before_update(&writer, folder, migrations::count(migrations))?;
        // Readers do not wait for the writer, nor the writer for readers.
        writer.pragma_update(None, "journal_mode", "WAL")?;
        migrations::migrate(&mut writer, migrations)?;
        policy::store(&mut writer, &policy::POLICY)?;
        writer.pragma_update(None, "wal_autocheckpoint", log::BACKSTOP)?;
        let log = connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let writer = Arc::new(Mutex::new(writer));
        Ok(Db(Arc::new(Inner {
            path,
            queue: Writer::start(writer.clone()).map_err(OpenError::Thread)?,
            writer,
            readers: Mutex::new(Vec::new()),
            permits: Semaphore::new(READERS),
            long_permits: Semaphore::new(READERS / 2),
            waits: Waits::default(),
            _log: LogCopier::start(log).map_err(OpenError::Thread)?,
        })))
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Runs `work` in a write transaction, and commits it if `work` succeeds. On `Ok`, the change is on
    /// disk. Simultaneous writes share a commit.
    pub async fn write<T, F>(&self, work: F) -> Result<T, Failure>
    where
        T: Send + 'static,
        F: FnOnce(&Transaction<'_>) -> Result<T, Failure> + Send + 'static,
    {
        let begun = Instant::now();
        let written = self.0.queue.write(work).await;
        self.0.waits.write.observe(begun.elapsed().as_secs_f64());
        written
    }

    /// Runs `work` on a snapshot. It cannot write.
    pub async fn read<T, F>(&self, work: F) -> Result<T, Failure>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    {
        let _permit = self.reader().await?;
        let db = self.clone();
        blocking(move || db.read_blocking(work)).await
    }

    /// [`Db::read`] for what may take longer than some milliseconds, such as all results of a run: at a low priority, and
    /// with at most half of the readers, so that a rater always finds one.
    pub async fn read_long<T, F>(&self, work: F) -> Result<T, Failure>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    {
        let _long = self.0.long_permits.acquire().await.map_err(|_| Failure::internal("the reader pool is closed"))?;
        let _permit = self.reader().await?;
        let db = self.clone();
        background::run(move || db.read_blocking(work)).await?
    }

    /// Waits for a free reader.
    async fn reader(&self) -> Result<SemaphorePermit<'_>, Failure> {
        let begun = Instant::now();
        let permit = self.0.permits.acquire().await.map_err(|_| Failure::internal("the reader pool is closed"))?;
        self.0.waits.reader.observe(begun.elapsed().as_secs_f64());
        Ok(permit)
    }

    /// [`Db::write`] for code that is already on a blocking thread.
    pub fn write_blocking<T>(&self, work: impl FnOnce(&Transaction<'_>) -> Result<T, Failure>) -> Result<T, Failure> {
        let mut writer = lock(&self.0.writer);
        // Immediate: a deferred transaction that writes later fails at once if another process (such as the
        // command line) is writing, despite the busy timeout.
        let tx = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let value = work(&tx)?;
        tx.commit()?;
        Ok(value)
    }

    /// [`Db::read`] for code that is already on a blocking thread.
    pub fn read_blocking<T>(&self, work: impl FnOnce(&Connection) -> Result<T, Failure>) -> Result<T, Failure> {
        let pooled = lock(&self.0.readers).pop();
        let mut reader = match pooled {
            Some(reader) => reader,
            None => connect(&self.0.path, OpenFlags::SQLITE_OPEN_READ_ONLY)?,
        };
        let tx = reader.transaction()?;
        let value = work(&tx);
        tx.finish()?;
        lock(&self.0.readers).push(reader);
        value
    }

    /// Deletes the rows of killed imports, a few per transaction, so that others can write in between.
    /// Returns whether an import is in progress, or was killed so recently that it may be.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn clear_imports(&self, now: Timestamp) -> Result<bool, Failure> {
        for import in self.read_blocking(|conn| staging::abandoned(conn, now))? {
            self.clear_import(import)?;
        }
        self.read_blocking(staging::any)
    }

    /// As [`Db::clear_imports`], for one import that failed.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn clear_import(&self, import: staging::Import) -> Result<(), Failure> {
        loop {
            {
                let mut writer = lock(&self.0.writer);
                // It can only be switched outside a transaction, and this is the only writing connection.
                writer.pragma_update(None, "foreign_keys", false)?;
                let cleared = clear_some(&mut writer, import);
                writer.pragma_update(None, "foreign_keys", true)?;
                if cleared? {
                    return Ok(());
                }
            }
            // The mutex is not fair: without a pause, this thread would lock it again at once.
            std::thread::sleep(PAUSE);
        }
    }

    /// How long callers have waited.
    pub fn waits(&self) -> &Waits {
        &self.0.waits
    }

    /// The most rows that any transaction has inserted, changed or deleted so far, including by triggers.
    /// Other writes wait for about as long as that takes.
    pub fn most_rows(&self) -> u64 {
        self.0.queue.most_rows()
    }

    /// Copies the write-ahead log into the database and empties it. Returns whether a reader's snapshot
    /// prevents that, in which case the log keeps growing.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn checkpoint(&self) -> Result<bool, Failure> {
        let writer = lock(&self.0.writer);
        loop {
            let (stopped, pages): (bool, i64) =
                writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| Ok((row.get(0)?, row.get(1)?)))?;
            // SQLite does not wait for another copy of the log that is under way: it answers that the log has −1 pages.
            if !stopped || pages >= 0 {
                return Ok(stopped);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// SQLite's own check of the file; empty if it is intact.
    pub fn check(&self) -> Result<Vec<String>, Failure> {
        self.read_blocking(|conn| {
            let mut statement = conn.prepare("PRAGMA integrity_check")?;
            let rows = statement.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
            Ok(rows.into_iter().filter(|row| row != "ok").collect())
        })
    }
}

fn clear_some(writer: &mut Connection, import: staging::Import) -> Result<bool, Failure> {
    let tx = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let cleared = staging::clear(&tx, import)?;
    tx.commit()?;
    Ok(cleared)
}

/// The connection is sound even if the mutex is poisoned: dropping the transaction rolled it back.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, Failure> + Send + 'static) -> Result<T, Failure> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(e) => Err(Failure::internal(format!("a database task ended early: {e}"))),
    }
}

#[allow(clippy::disallowed_methods, reason = "the one place where connections open")]
fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, OpenError> {
    let mut conn = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    // Another process (a backup, the command line) may hold the lock for a moment.
    conn.busy_timeout(Duration::from_secs(10))?;
    // An acknowledged rating must survive a power failure: every commit waits for the disk.
    conn.pragma_update(None, "synchronous", "FULL")?;
    conn.pragma_update(None, "foreign_keys", true)?;
    // Sort in memory, not in files next to other people's data.
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    // Functions in a hostile schema are not executed.
    conn.pragma_update(None, "trusted_schema", false)?;
    conn.set_prepared_statement_cache_capacity(128);
    recording::watch(&mut conn, path)?;
    Ok(conn)
}

/// Why the database cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file was written by a newer program.
    #[error(
        "the database has schema {found}, but this version supports schemas up to {known}. Use a newer version; nothing was changed"
    )]
    Newer {
        /// The file's schema number.
        found: u32,
        /// The newest schema that this program knows.
        known: u32,
    },
    /// The file is a database, but not ours.
    #[error(
        "the file {FILE} in the data folder belongs to another program. Choose another folder with --data; nothing was changed"
    )]
    NotOurs,
    /// The file is damaged or no database.
    #[error("the file {FILE} in the data folder is damaged ({0}). Restore it from a backup; nothing was changed")]
    Damaged(String),
    /// The copy that is kept of a database before its schema is updated cannot be written.
    #[error(
        "the database has an older schema, and the copy that is made before the update cannot be written ({0}). Free as much space as the database takes, or make the data folder writable; nothing was changed"
    )]
    Copy(std::io::Error),
    /// One of the database's threads cannot be started.
    #[error("a thread of the database cannot be started: {0}")]
    Thread(std::io::Error),
    /// SQLite's error.
    #[error("the database cannot be opened: {0}")]
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for OpenError {
    fn from(e: rusqlite::Error) -> Self {
        match e.sqlite_error_code() {
            Some(rusqlite::ErrorCode::NotADatabase | rusqlite::ErrorCode::DatabaseCorrupt) => {
                OpenError::Damaged(e.to_string())
            }
            _ => OpenError::Sqlite(e),
        }
    }
}

impl From<OpenError> for Failure {
    fn from(e: OpenError) -> Self {
        Failure::internal(e)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_files_are_refused_unchanged() {
        let check = |bytes: &[u8]| {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join(FILE), bytes).unwrap();
            let error = Db::open(folder.path()).unwrap_err();
            assert_eq!(std::fs::read(folder.path().join(FILE)).unwrap(), bytes, "{error}");
            error
        };
        assert!(matches!(check(&[b'x'; 4096]), OpenError::Damaged(_)));

        let other = tempfile::tempdir().unwrap();
        let path = other.path().join(FILE);
        let conn = connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE).unwrap();
        conn.execute_batch("CREATE TABLE theirs (x); PRAGMA application_id = 7;").unwrap();
        drop(conn);
        let before = std::fs::read(&path).unwrap();
        assert!(matches!(Db::open(other.path()).unwrap_err(), OpenError::NotOurs));
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }

    #[test]
    fn a_read_cannot_write_and_a_failed_write_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let db = Db::open(folder.path()).unwrap();
        let insert = "INSERT INTO models (name) VALUES ('m')";
        assert!(db.read_blocking(|conn| Ok(conn.execute(insert, [])?)).is_err());
        let failed: Result<(), Failure> = db.write_blocking(|tx| {
            tx.execute(insert, [])?;
            Err(Failure::internal("on purpose"))
        });
        assert!(failed.is_err());
        let count = db.read_blocking(|c| Ok(c.query_row("SELECT count(*) FROM models", [], |r| r.get::<_, i64>(0))?));
        assert_eq!(count.unwrap(), 0);
    }
}
