//! How raters keep a study's limits. Items are outputs and hidden checks alike: no statement here tells the two apart
//! but the one that says which items were missed.

use model::{
    grading::Draft,
    ids::{StudyId, UserId},
    quality::RaterLimits,
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, params};

use crate::stored::{optional_json, table};
use base::{clock, error::Failure};

/// Number of the study's items that the rater has rated.
pub fn rated(conn: &Connection, study: StudyId, rater: UserId) -> Result<u64, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT m.rated + (SELECT count(*) FROM checks p
                               WHERE p.study_id = ?1 AND p.user_id = ?2 AND p.rated_at IS NOT NULL
                                 AND p.kind <> 'calibration')
             FROM study_raters m WHERE m.study_id = ?1 AND m.user_id = ?2",
        )?
        .query_row(params![study.0, rater.0], |row| row.get(0))?)
}

/// How many items the rater had rated when the last window ended; `None` before the first window.
pub fn judged(conn: &Connection, study: StudyId, rater: UserId) -> Result<Option<u64>, Failure> {
    Ok(conn
        .prepare_cached("SELECT judged FROM rater_limits WHERE study_id = ?1 AND user_id = ?2")?
        .query_row(params![study.0, rater.0], |row| row.get(0))
        .optional()?)
}

/// Begins a window after so many items.
pub fn begin(conn: &Connection, study: StudyId, rater: UserId, judged: u64) -> Result<(), Failure> {
    conn.prepare_cached(
        "INSERT INTO rater_limits (study_id, user_id, judged) VALUES (?1, ?2, ?3)
         ON CONFLICT DO UPDATE SET judged = excluded.judged",
    )?
    .execute(params![study.0, rater.0, judged])?;
    Ok(())
}

/// An item that the rater has rated.
pub struct RatedItem {
    /// The longest time that was measured for one of its ratings, in milliseconds.
    pub active_ms: Option<u64>,
    /// Of a hidden known-score item: the draft of the rating that counts, and the known scores.
    pub known: Option<(Draft, Vec<u8>)>,
}

/// The last items that the rater has rated, newest first.
pub fn window(conn: &Connection, study: StudyId, rater: UserId, items: u32) -> Result<Vec<RatedItem>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT CASE WHEN work THEN (SELECT max(r.active_ms) FROM ratings r WHERE r.assignment_id = w.id)
                ELSE (SELECT max(json_extract(r.draft, '$.active_ms')) FROM check_ratings r WHERE r.check_id = w.id)
                END AS active_ms, w.id AS check_id, w.known_item_id,
            (SELECT r.draft FROM check_ratings r WHERE NOT work AND r.check_id = w.id AND r.replaced_at IS NULL)
                AS draft,
            (SELECT g.scores FROM known_items g WHERE g.id = w.known_item_id) AS scores
         FROM (
             SELECT * FROM (SELECT 1 AS work, id, NULL AS known_item_id, rated_at FROM assignments
                            WHERE study_id = ?1 AND user_id = ?2 AND rated_at IS NOT NULL
                            ORDER BY rated_at DESC LIMIT ?3)
             UNION ALL
             SELECT 0, id, known_item_id, rated_at FROM checks
             WHERE study_id = ?1 AND user_id = ?2 AND rated_at IS NOT NULL AND kind <> 'calibration'
             ORDER BY rated_at DESC LIMIT ?3
         ) w",
    )?;
    let rows = statement.query_map(params![study.0, rater.0, items], |row| {
        let draft = optional_json(row, table("check_ratings", &["check_id"]), "draft")?;
        let scores = optional_json(row, table("known_items", &["known_item_id"]), "scores")?;
        Ok(RatedItem { active_ms: row.get("active_ms")?, known: draft.zip(scores) })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A window over a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exceeded {
    /// Items below the minimum time; 0 if that limit was kept.
    pub fast: u64,
    /// Missed known-score items; 0 if that limit was kept.
    pub missed: u64,
    /// Known-score items.
    pub checks: u64,
    /// Items.
    pub items: u64,
}

/// Stores a window over a limit, and whether the rater is warned or paused.
pub fn exceed(
    conn: &Connection,
    study: StudyId,
    rater: UserId,
    of: Exceeded,
    warn: bool,
    pause: bool,
) -> Result<(), Failure> {
    let paused = pause.then(|| clock::now().0);
    conn.prepare_cached(
        "UPDATE rater_limits SET fast = ?3, missed = ?4, checks = ?5, items = ?6, warned = max(warned, ?7),
             paused_at = coalesce(paused_at, ?8)
         WHERE study_id = ?1 AND user_id = ?2",
    )?
    .execute(params![study.0, rater.0, of.fast, of.missed, of.checks, of.items, warn, paused])?;
    Ok(())
}

/// Pauses a rater. Returns false if they were paused already.
pub fn pause(conn: &Connection, study: StudyId, rater: UserId) -> Result<bool, Failure> {
    if judged(conn, study, rater)?.is_none() {
        begin(conn, study, rater, rated(conn, study, rater)?)?;
    }
    let paused = conn
        .prepare_cached(
            "UPDATE rater_limits SET paused_at = ?3 WHERE study_id = ?1 AND user_id = ?2 AND paused_at IS NULL",
        )?
        .execute(params![study.0, rater.0, clock::now().0])?;
    Ok(paused > 0)
}

/// Lets a paused rater continue, with a new window. Returns whether they were paused.
pub fn resume(conn: &Connection, study: StudyId, rater: UserId) -> Result<bool, Failure> {
    let resumed = conn
        .prepare_cached(
            "UPDATE rater_limits SET paused_at = NULL, warned = 0, fast = 0, missed = 0, checks = 0, items = 0
             WHERE study_id = ?1 AND user_id = ?2 AND paused_at IS NOT NULL",
        )?
        .execute(params![study.0, rater.0])?;
    Ok(resumed > 0)
}

/// Begins a new window for every rater of the study, because its limits have changed.
pub fn restart(conn: &Connection, study: StudyId) -> Result<(), Failure> {
    conn.execute(
        "UPDATE rater_limits SET judged = (
             SELECT m.rated + (SELECT count(*) FROM checks p
                               WHERE p.study_id = m.study_id AND p.user_id = m.user_id AND p.rated_at IS NOT NULL
                                 AND p.kind <> 'calibration')
             FROM study_raters m WHERE m.study_id = rater_limits.study_id AND m.user_id = rater_limits.user_id)
         WHERE study_id = ?1
           AND EXISTS (SELECT 1 FROM study_raters m WHERE m.study_id = ?1 AND m.user_id = rater_limits.user_id)",
        [study.0],
    )?;
    Ok(())
}

/// Whether the rater is paused.
pub fn is_paused(conn: &Connection, study: StudyId, rater: UserId) -> Result<bool, Failure> {
    Ok(conn
        .prepare_cached("SELECT 1 FROM rater_limits WHERE study_id = ?1 AND user_id = ?2 AND paused_at IS NOT NULL")?
        .exists(params![study.0, rater.0])?)
}

/// Records that the rater has read the warning.
pub fn acknowledge(conn: &Connection, study: StudyId, rater: UserId) -> Result<(), Failure> {
    conn.prepare_cached("UPDATE rater_limits SET warned = 0 WHERE study_id = ?1 AND user_id = ?2 AND warned <> 0")?
        .execute(params![study.0, rater.0])?;
    Ok(())
}

/// How each rater of the study keeps its limits, by name.
pub fn list(conn: &Connection, study: StudyId) -> Result<Vec<RaterLimits>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT m.user_id, u.name, l.paused_at, coalesce(l.warned, 0) AS warned, coalesce(l.fast, 0) AS fast,
            coalesce(l.missed, 0) AS missed, coalesce(l.checks, 0) AS checks, coalesce(l.items, 0) AS items
         FROM study_raters m JOIN users u ON u.id = m.user_id
         LEFT JOIN rater_limits l ON l.study_id = m.study_id AND l.user_id = m.user_id
         WHERE m.study_id = ?1 AND m.removed_at IS NULL ORDER BY u.name",
    )?;
    let rows = statement.query_map([study.0], |row| {
        Ok(RaterLimits {
            rater: UserId(row.get("user_id")?),
            name: row.get("name")?,
            paused_at: row.get::<_, Option<i64>>("paused_at")?.map(Timestamp),
            warned: row.get("warned")?,
            fast: row.get("fast")?,
            missed: row.get("missed")?,
            checks: row.get("checks")?,
            items: row.get("items")?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
