//! How a run is done, beyond what it runs: see `engine::batch` and `engine::dates`.

use app::model::ids::RunId;
use rusqlite::{Connection, OptionalExtension, params};

use crate::{engine::dates::Dates, error::Failure};

/// How a run is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct How {
    /// Whether outputs that keep to themselves share a JVM.
    pub fast: bool,
    /// The date that outputs see; absent for today's.
    pub dates: Option<Dates>,
}

/// How this run is done; as usual where there is no such run.
pub fn get(conn: &Connection, run: RunId) -> Result<How, Failure> {
    let query = "SELECT fast, dates FROM runs WHERE id = ?1";
    let found: Option<(bool, Option<String>)> =
        conn.prepare_cached(query)?.query_row([run.0], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let (fast, dates) = found.unwrap_or_default();
    // The column's CHECK holds the list of names.
    Ok(How { fast, dates: dates.as_deref().and_then(Dates::from_name) })
}

/// Says how a run is done; before anybody has begun it.
pub fn set(conn: &Connection, run: RunId, how: How) -> Result<(), Failure> {
    let dates = how.dates.map(Dates::name);
    conn.execute("UPDATE runs SET fast = ?2, dates = ?3 WHERE id = ?1", params![run.0, how.fast, dates])?;
    Ok(())
}
