//! Options of a run: see `engine::batch` and `engine::dates`.

use model::{conversation::TestProfile, ids::RunId, run::Dates};
use rusqlite::{Connection, OptionalExtension, Row, params};

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
    let query = "SELECT fast, dates, profile FROM runs WHERE id = ?1";
    let read = |row: &Row<'_>| {
        // The columns' CHECKs have the lists of names.
        Ok(How {
            fast: row.get("fast")?,
            dates: row.get::<_, Option<String>>("dates")?.as_deref().and_then(Dates::from_name),
            profile: row.get::<_, Option<String>>("profile")?.as_deref().and_then(TestProfile::from_name),
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
