//! Options of a run: see `engine::batch` and `engine::dates`.

use model::{conversation::TestProfile, ids::RunId, run::Dates};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{runs::RUNS, stored::optional_named};
use base::error::Failure;

/// Options of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct How {
    /// Whether harmless outputs share a JVM.
    pub fast: bool,
    /// The date that outputs see; absent for today's.
    pub dates: Option<Dates>,
    /// The form of CodeIF-Bench's tests; absent for the default.
    pub profile: Option<TestProfile>,
}

/// The options of this run, or the defaults if it does not exist.
pub fn get(conn: &Connection, run: RunId) -> Result<How, Failure> {
    let query = "SELECT id, fast, dates, profile FROM runs WHERE id = ?1";
    let read = |row: &Row<'_>| {
        Ok(How {
            fast: row.get("fast")?,
            dates: optional_named(row, RUNS, "dates", Dates::from_name)?,
            profile: optional_named(row, RUNS, "profile", TestProfile::from_name)?,
        })
    };
    Ok(conn.prepare_cached(query)?.query_row([run.0], read).optional()?.unwrap_or_default())
}

/// Stores a run's options before it starts.
pub fn set(conn: &Connection, run: RunId, how: How) -> Result<(), Failure> {
    let dates = how.dates.map(Dates::name);
    let profile = how.profile.map(TestProfile::name);
    conn.execute(
        "UPDATE runs SET fast = ?2, dates = ?3, profile = ?4 WHERE id = ?1",
        params![run.0, how.fast, dates, profile],
    )?;
    Ok(())
}
