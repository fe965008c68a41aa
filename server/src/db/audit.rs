//! Who did what.

use app::port::Caller;
use rusqlite::{Connection, params};

use crate::{clock, error::Failure};

/// Notes a change in the transaction that makes it. `detail` holds no secret and no file's content.
pub fn note(conn: &Connection, caller: &Caller, action: &str, detail: &str) -> Result<(), Failure> {
    conn.prepare_cached("INSERT INTO audit (at, user_id, action, detail) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![clock::now().0, caller.id().map(|id| id.0), action, detail])?;
    Ok(())
}
