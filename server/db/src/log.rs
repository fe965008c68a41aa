//! Copies the write-ahead log into the database, on a thread of its own: the copy waits for the disk twice, and a rating
//! that is being submitted would wait with it.

use std::{
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread,
    time::Duration,
};

use rusqlite::Connection;

/// How often the log is copied while there are writes.
const EVERY: Duration = Duration::from_secs(1);

/// Length of the log, in pages of 4 KiB, from which a commit copies it, because the thread does not keep up.
pub const BACKSTOP: u32 = 16_000;

/// The thread; it ends when this is dropped.
pub struct LogCopier {
    _alive: Sender<()>,
}

impl LogCopier {
    /// Starts the thread over a connection of its own.
    ///
    /// # Errors
    ///
    /// Fails if the operating system cannot start a thread.
    pub fn start(connection: Connection) -> std::io::Result<LogCopier> {
        let (alive, ended) = channel();
        thread::Builder::new().name("log-copier".into()).spawn(move || serve(&connection, &ended))?;
        Ok(LogCopier { _alive: alive })
    }
}

fn serve(connection: &Connection, ended: &Receiver<()>) {
    let mut seen = 0;
    while ended.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
        if let Err(cause) = copy_if_changed(connection, &mut seen) {
            // The next attempt copies what this one did not.
            tracing::warn!(%cause, "the write-ahead log cannot be copied into the database");
        }
    }
}

/// Copies as much of the log as no reader needs, if there were commits since the last call. Writers do not wait meanwhile.
fn copy_if_changed(connection: &Connection, seen: &mut i64) -> rusqlite::Result<()> {
    let version: i64 = connection.query_row("PRAGMA data_version", [], |row| row.get(0))?;
    if version != *seen {
        connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
        *seen = version;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use rusqlite::OpenFlags;

    use super::{
        super::{Db, FILE, connect},
        *,
    };

    #[test]
    fn committed_rows_are_copied_into_the_database() {
        let (folder, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let db = Db::open(folder.path()).unwrap();
        let connection = connect(db.path(), OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
        let mut seen = 0;
        let models = || {
            let file = copy.path().join(FILE);
            // The database alone, without its log.
            std::fs::copy(db.path(), &file).unwrap();
            let alone = connect(&file, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
            alone.query_row("SELECT count(*) FROM models", [], |row| row.get::<_, i64>(0)).unwrap()
        };
        copy_if_changed(&connection, &mut seen).unwrap();
        for round in 1..4 {
            db.write_blocking(|tx| Ok(tx.execute("INSERT INTO models (name) VALUES (?1)", [round])?)).unwrap();
            copy_if_changed(&connection, &mut seen).unwrap();
            assert_eq!(models(), round);
        }
    }

    #[test]
    fn emptying_the_log_waits_for_a_copy_that_is_under_way() {
        let folder = tempfile::tempdir().unwrap();
        let db = Db::open(folder.path()).unwrap();
        let connection = connect(db.path(), OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
        let (alive, ended) = channel::<()>();
        let copying = thread::spawn(move || {
            while ended.try_recv() != Err(std::sync::mpsc::TryRecvError::Disconnected) {
                connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())).unwrap();
            }
        });
        for round in 0..200 {
            db.write_blocking(|tx| Ok(tx.execute("INSERT INTO models (name) VALUES (?1)", [round])?)).unwrap();
            assert!(!db.checkpoint().unwrap(), "round {round}");
        }
        drop(alive);
        copying.join().unwrap();
    }
}
