//! Options of a run: see `engine::batch` and `engine::dates`.

use app::model::{ids::RunId, run::Dates};
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::Failure;

/// Options of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct How {
    /// Whether harmless outputs share a JVM.
    pub fast: bool,
    /// The date that outputs see; absent for today's.
    pub dates: Option<Dates>,
}

/// The options of this run, or the defaults if it does not exist.
pub fn get(conn: &Connection, run: RunId) -> Result<How, Failure> {
    let query = "SELECT fast, dates FROM runs WHERE id = ?1";
    let found: Option<(bool, Option<String>)> =
        conn.prepare_cached(query)?.query_row([run.0], |row| Ok((row.get("fast")?, row.get("dates")?))).optional()?;
    let (fast, dates) = found.unwrap_or_default();
    // The column's CHECK has the list of names.
    Ok(How { fast, dates: dates.as_deref().and_then(Dates::from_name) })
}

/// Stores a run's options before it starts.
pub fn set(conn: &Connection, run: RunId, how: How) -> Result<(), Failure> {
    let dates = how.dates.map(Dates::name);
    conn.execute("UPDATE runs SET fast = ?2, dates = ?3 WHERE id = ?1", params![run.0, how.fast, dates])?;
    Ok(())
}
