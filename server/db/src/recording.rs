//! Records every executed statement, for the test that checks query plans
//! (`tests/it/authorization/statements.rs`).
//!
//! Only connections opened after [`start`] are recorded, so a server that never calls it does nothing here.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use rusqlite::{
    Connection,
    trace::{TraceEvent, TraceEventCodes},
};

static STARTED: AtomicBool = AtomicBool::new(false);
static FOLDER: Mutex<Option<PathBuf>> = Mutex::new(None);
static SEEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Records the statements of every connection to the database in `folder` that is opened from now on.
pub fn start(folder: &Path) {
    *FOLDER.lock().unwrap_or_else(PoisonError::into_inner) = Some(folder.to_owned());
    STARTED.store(true, Ordering::SeqCst);
}

/// The text of each executed statement.
pub fn seen() -> BTreeSet<String> {
    SEEN.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Records a new connection, if requested.
///
/// # Errors
///
/// Fails if SQLite refuses.
pub(super) fn watch(conn: &mut Connection, path: &Path) -> rusqlite::Result<()> {
    if STARTED.load(Ordering::SeqCst)
        && FOLDER.lock().unwrap_or_else(PoisonError::into_inner).as_deref() == path.parent()
    {
        conn.trace_v2(TraceEventCodes::SQLITE_TRACE_STMT, Some(note))?;
    }
    Ok(())
}

fn note(event: TraceEvent<'_>) {
    if let TraceEvent::Stmt(statement, _) = event {
        SEEN.lock().unwrap_or_else(PoisonError::into_inner).insert(statement.sql().into_owned());
    }
}
