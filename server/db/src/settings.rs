//! Personal settings. Read with the account (`accounts::by_id`), written here.

use model::{display::Display, ids::UserId, keys::Keys};
use rusqlite::{Connection, params};

use base::{clock, error::Failure};

/// Stores a person's keyboard shortcuts.
pub fn set_keys(conn: &Connection, user: UserId, keys: &Keys) -> Result<(), Failure> {
    conn.prepare_cached(
        "INSERT INTO rater_settings (user_id, keys) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET keys = excluded.keys",
    )?
    .execute(params![user.0, serde_json::to_string(keys)?])?;
    Ok(())
}

/// Stores how pages are to look to a person.
pub fn set_display(conn: &Connection, user: UserId, display: Display) -> Result<(), Failure> {
    conn.prepare_cached(
        "INSERT INTO rater_settings (user_id, display) VALUES (?1, ?2)
         ON CONFLICT DO UPDATE SET display = excluded.display",
    )?
    .execute(params![user.0, display.to_string()])?;
    Ok(())
}

/// Records that a person has seen the tour; the first time counts.
pub fn set_toured(conn: &Connection, user: UserId) -> Result<(), Failure> {
    conn.prepare_cached(
        "INSERT INTO rater_settings (user_id, tour_at) VALUES (?1, ?2)
         ON CONFLICT DO UPDATE SET tour_at = coalesce(tour_at, excluded.tour_at)",
    )?
    .execute(params![user.0, clock::now().0])?;
    Ok(())
}
