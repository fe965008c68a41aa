//! Leases and waiting lists: the rows of `assignments` as a queue.
//!
//! A row belongs to its planned rater (`user_id`). While `leased_until` is set, it is leased to them; once
//! `rated_at` is set, it stays theirs. Every query here walks an index from its starting point, so none gets
//! slower as a study grows.

use model::{
    grading::Progress,
    ids::{OutputId, StudyId, TaskRevisionId, Token, UserId},
    plan::Reads,
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::events;
use base::{clock, error::Failure};

/// How often a rater may skip an output and still get it again.
pub const SKIPS: u32 = 2;

/// A planned rating that may be assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedRating {
    pub assignment: i64,
    pub output: OutputId,
    /// Its task revision; two outputs of one task are kept apart, or shown together.
    pub task: TaskRevisionId,
}

fn place(row: &Row<'_>) -> rusqlite::Result<PlannedRating> {
    Ok(PlannedRating {
        assignment: row.get("id")?,
        output: OutputId(row.get("output_id")?),
        task: TaskRevisionId(row.get("revision_id")?),
    })
}

/// A rater's progress.
pub fn progress(conn: &Connection, study: StudyId, rater: UserId) -> Result<Progress, Failure> {
    let (rated, left) = conn
        .prepare_cached("SELECT rated, open FROM study_raters WHERE study_id = ?1 AND user_id = ?2")?
        .query_row(params![study.0, rater.0], |row| Ok((row.get("rated")?, row.get("open")?)))?;
    let skipped = conn
        .prepare_cached("SELECT count(*) FROM skips WHERE study_id = ?1 AND user_id = ?2")?
        .query_row(params![study.0, rater.0], |row| row.get(0))?;
    Ok(Progress { rated, skipped, left })
}

/// The unrated assignments leased to the rater, in the order of assignment, each with its time; an expired
/// lease that nobody took over still counts.
pub fn in_hand(conn: &Connection, study: StudyId, rater: UserId) -> Result<Vec<(i64, PlannedRating)>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT a.id, a.output_id, o.revision_id, coalesce(a.shown_at, 0) AS shown
         FROM assignments a JOIN outputs o ON o.id = a.output_id
         WHERE a.study_id = ?1 AND a.user_id = ?2 AND a.leased_until IS NOT NULL ORDER BY a.shown_at, a.id",
    )?;
    let rows = statement.query_map(params![study.0, rater.0], |row| Ok((row.get("shown")?, place(row)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The next assignments of the rater's own plan that are not leased, each with its position in the order.
pub fn waiting(
    conn: &Connection,
    study: StudyId,
    rater: UserId,
    most: usize,
) -> Result<Vec<(i64, PlannedRating)>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT a.id, a.output_id, o.revision_id, coalesce(a.place, 0) AS position
         FROM assignments a JOIN outputs o ON o.id = a.output_id
         WHERE a.study_id = ?1 AND a.user_id = ?2 AND a.rated_at IS NULL AND a.leased_until IS NULL
         ORDER BY a.place LIMIT ?3",
    )?;
    let rows = statement.query_map(params![study.0, rater.0, most], |row| Ok((row.get("position")?, place(row)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The rater's skipped outputs that are not rated, by the names under which the rater knows them, each with the time of
/// the last skip.
pub fn skipped(conn: &Connection, study: StudyId, rater: UserId) -> Result<Vec<(Timestamp, Token)>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT k.at, h.token FROM skips k
         JOIN handouts h ON h.study_id = k.study_id AND h.output_id = k.output_id AND h.user_id = k.user_id
         WHERE k.study_id = ?1 AND k.user_id = ?2",
    )?;
    let rows = statement
        .query_map(params![study.0, rater.0], |row| Ok((Timestamp(row.get("at")?), Token(row.get("token")?))))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Number of skipped outputs that come again to the rater.
pub fn skipped_waiting(conn: &Connection, study: StudyId, rater: UserId) -> Result<u64, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT count(*) FROM skips k
             JOIN assignments a ON a.study_id = k.study_id AND a.output_id = k.output_id AND a.user_id = k.user_id
             WHERE k.study_id = ?1 AND k.user_id = ?2 AND a.rated_at IS NULL AND a.leased_until IS NULL",
        )?
        .query_row(params![study.0, rater.0], |row| row.get(0))?)
}

/// Number of the study's outputs that were assigned to the rater at least once.
pub fn given(conn: &Connection, study: StudyId, rater: UserId) -> Result<u64, Failure> {
    Ok(conn
        .prepare_cached("SELECT given FROM study_raters WHERE study_id = ?1 AND user_id = ?2")?
        .query_row(params![study.0, rater.0], |row| row.get(0))?)
}

/// The tasks of the rater's last ratings with their times, newest first.
pub fn seen(
    conn: &Connection,
    study: StudyId,
    rater: UserId,
    most: usize,
) -> Result<Vec<(Timestamp, TaskRevisionId)>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT a.rated_at, o.revision_id FROM assignments a JOIN outputs o ON o.id = a.output_id
         WHERE a.study_id = ?1 AND a.user_id = ?2 AND a.rated_at IS NOT NULL ORDER BY a.rated_at DESC LIMIT ?3",
    )?;
    let rows = statement.query_map(params![study.0, rater.0, most], |row| {
        Ok((Timestamp(row.get("rated_at")?), TaskRevisionId(row.get("revision_id")?)))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// This rater's planned ratings of a task, rated or not.
pub fn of_task(
    conn: &Connection,
    study: StudyId,
    rater: UserId,
    task: TaskRevisionId,
) -> Result<Vec<(PlannedRating, bool)>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT a.id, a.output_id, o.revision_id, a.rated_at IS NOT NULL AS is_rated
         FROM outputs o CROSS JOIN assignments a ON a.output_id = o.id AND a.study_id = ?1 AND a.user_id = ?2
         WHERE o.revision_id = ?3 ORDER BY a.output_id",
    )?;
    let rows = statement.query_map(params![study.0, rater.0, task.0], |row| Ok((place(row)?, row.get("is_rated")?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The task of an output.
pub fn task_of(conn: &Connection, output: OutputId) -> Result<Option<TaskRevisionId>, Failure> {
    let mut statement = conn.prepare_cached("SELECT revision_id FROM outputs WHERE id = ?1")?;
    Ok(statement.query_row([output.0], |row| Ok(TaskRevisionId(row.get(0)?))).optional()?)
}

/// The source from which a rater who has finished may take unstarted work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Donor {
    /// Nobody: it was planned for nobody, or its rater left.
    Nobody,
    /// This rater, from the end of their order.
    Rater(UserId),
}

/// Work that may be taken: an output that the taker does not have and did not have as a calibration item or hidden
/// check, in a language they read, that they have not skipped too often. Side by side, only a task of which its owner
/// has started no output.
pub(crate) const FITS: &str = "
    AND instr(?4, v.nl_lang) > 0
    AND NOT EXISTS (SELECT 1 FROM assignments m WHERE m.study_id = ?1 AND m.output_id = a.output_id AND m.user_id = ?2)
    AND NOT EXISTS (SELECT 1 FROM known_items g CROSS JOIN checks p ON p.known_item_id = g.id AND p.user_id = ?2
        WHERE g.output_id = a.output_id AND g.study_id = ?1)
    AND NOT EXISTS (SELECT 1 FROM skips k
        WHERE k.study_id = ?1 AND k.user_id = ?2 AND k.output_id = a.output_id AND k.times >= ?5)";

/// A list of raters as a parameter of a query: a JSON array of their numbers.
pub(crate) fn listed(raters: &[UserId]) -> String {
    let numbers: Vec<String> = raters.iter().map(|rater| rater.0.to_string()).collect();
    format!("[{}]", numbers.join(","))
}

/// Who takes what over.
#[derive(Clone, Debug)]
pub struct Taker {
    pub study: StudyId,
    pub rater: UserId,
    /// The languages that the rater reads.
    pub reads: Reads,
    /// The raters from whom the present request has taken something: nothing else is taken from them.
    pub served: Vec<UserId>,
}

/// One unstarted assignment that this rater may take over, with its position in the order of its present
/// owner. Work that was skipped for the last time belongs to nobody, and has minus the time of that skip as its position: it
/// comes after what was planned for nobody, the one skipped first first.
pub fn takeable(
    conn: &Connection,
    taker: &Taker,
    donor: Donor,
    whole_tasks: bool,
) -> Result<Option<(i64, PlannedRating)>, Failure> {
    let Taker { study, rater, reads, served } = taker;
    let donor = match donor {
        Donor::Nobody => None,
        Donor::Rater(id) => Some(id.0),
    };
    // A side-by-side task is reassigned as a whole: its owner has not started it, and the taker has none of
    // its outputs.
    let whole = if whole_tasks {
        "AND NOT EXISTS (SELECT 1 FROM outputs s CROSS JOIN assignments b
            ON b.study_id = ?1 AND b.output_id = s.id AND (b.user_id = ?2
                OR (b.user_id = ?3 AND (b.rated_at IS NOT NULL OR b.leased_until IS NOT NULL)))
            WHERE s.revision_id = o.revision_id)"
    } else {
        ""
    };
    let found = conn
        .prepare_cached(&format!(
            "SELECT a.id, a.output_id, o.revision_id, coalesce(a.place, 0) AS position FROM assignments a
             JOIN outputs o ON o.id = a.output_id JOIN task_revisions v ON v.id = o.revision_id
             WHERE a.study_id = ?1 AND a.user_id IS ?3 AND a.rated_at IS NULL AND a.leased_until IS NULL
               AND NOT EXISTS (SELECT 1 FROM skips s WHERE s.study_id = ?1 AND s.output_id = a.output_id AND s.times >= ?5
                   AND s.user_id IN (SELECT value FROM json_each(?6)))
             {FITS} {whole} ORDER BY a.place DESC LIMIT 1"
        ))?
        .query_row(params![study.0, rater.0, donor, reads.code(), SKIPS, listed(served)], |row| {
            Ok((row.get("position")?, place(row)?))
        })
        .optional()?;
    Ok(found)
}

/// Duration of a lease, in milliseconds; each draft extends it. A lease that ends later than this from now was made
/// before the clock was set back, and counts as expired.
pub const LEASE_MS: i64 = 30 * 60 * 1000;

/// One assignment whose lease has expired at `now` and that this rater may take over, with the end of that lease.
pub fn run_out(
    conn: &Connection,
    taker: &Taker,
    now: Timestamp,
) -> Result<Option<(Timestamp, PlannedRating)>, Failure> {
    let Taker { study, rater, reads, served } = taker;
    for (expired, bound) in [("a.leased_until < ?3", now.0), ("a.leased_until > ?3", now.0 + LEASE_MS)] {
        let found = conn
            .prepare_cached(&format!(
                "SELECT a.id, a.output_id, o.revision_id, a.leased_until FROM assignments a
                 JOIN outputs o ON o.id = a.output_id JOIN task_revisions v ON v.id = o.revision_id
                 WHERE a.study_id = ?1 AND a.user_id <> ?2 AND {expired}
                   AND a.user_id NOT IN (SELECT value FROM json_each(?6))
                 {FITS} ORDER BY a.leased_until, a.id LIMIT 1"
            ))?
            .query_row(params![study.0, rater.0, bound, reads.code(), SKIPS, listed(served)], |row| {
                Ok((Timestamp(row.get("leased_until")?).min(now), place(row)?))
            })
            .optional()?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// The other raters with unstarted work or hidden checks that wait, those with the most unrated work and checks first. At
/// the end of a study nearly all unrated work is leased, and asking every rater for work would take longer than a rating.
pub fn busiest(conn: &Connection, study: StudyId, rater: UserId) -> Result<Vec<UserId>, Failure> {
    let mut statement = conn.prepare_cached(
        "WITH checked AS MATERIALIZED (
             SELECT user_id, count(*) AS open, count(place) AS waiting FROM checks
             WHERE study_id = ?1 AND rated_at IS NULL AND kind <> 'calibration' AND away_until IS NULL
               AND (place IS NOT NULL OR leased_until IS NOT NULL)
             GROUP BY user_id)
         SELECT d.user_id FROM study_raters d LEFT JOIN checked c ON c.user_id = d.user_id
         WHERE d.study_id = ?1 AND d.user_id <> ?2
             AND (c.waiting > 0 OR d.open > 0
                 AND EXISTS (SELECT 1 FROM assignments a WHERE a.study_id = ?1 AND a.user_id = d.user_id
                     AND a.rated_at IS NULL AND a.leased_until IS NULL))
         ORDER BY d.open + coalesce(c.open, 0) DESC, d.user_id",
    )?;
    let rows = statement.query_map(params![study.0, rater.0], |row| Ok(UserId(row.get(0)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The planned ratings of a task that `holder` has not rated and this rater does not have.
pub fn rest_of_task(
    conn: &Connection,
    study: StudyId,
    rater: UserId,
    holder: Option<UserId>,
    task: TaskRevisionId,
) -> Result<Vec<PlannedRating>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT a.id, a.output_id, o.revision_id
         FROM outputs o CROSS JOIN assignments a ON a.output_id = o.id AND a.study_id = ?1 AND a.user_id IS ?3
         WHERE o.revision_id = ?4 AND a.rated_at IS NULL
           AND NOT EXISTS (SELECT 1 FROM assignments m
               WHERE m.study_id = ?1 AND m.output_id = a.output_id AND m.user_id = ?2)
           AND NOT EXISTS (SELECT 1 FROM known_items g CROSS JOIN checks p ON p.known_item_id = g.id AND p.user_id = ?2
               WHERE g.output_id = a.output_id AND g.study_id = ?1)
         GROUP BY a.output_id",
    )?;
    let rows = statement.query_map(params![study.0, rater.0, holder.map(|id| id.0), task.0], place)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The owner of a planned rating.
pub fn holder(conn: &Connection, assignment: i64) -> Result<Option<UserId>, Failure> {
    let mut statement = conn.prepare_cached("SELECT user_id FROM assignments WHERE id = ?1")?;
    Ok(statement.query_row([assignment], |row| row.get::<_, Option<i64>>(0))?.map(UserId))
}

/// Leases a planned rating to the rater until `until`, whoever its owner was.
pub fn hand_over(
    conn: &Connection,
    study: StudyId,
    assignment: i64,
    rater: UserId,
    until: Timestamp,
) -> Result<(), Failure> {
    conn.prepare_cached(
        "UPDATE assignments SET
            shown_at = CASE WHEN user_id IS ?2 THEN coalesce(shown_at, ?4) ELSE ?4 END,
            user_id = ?2, leased_until = ?3
         WHERE id = ?1 AND rated_at IS NULL",
    )?
    .execute(params![assignment, rater.0, until.0, events::next(conn, study, rater)?.0])?;
    Ok(())
}

/// Extends the rater's lease of this output. If the output went to another rater meanwhile, takes another of
/// its planned ratings that is not started or whose lease has expired. Returns whether there was one. Rated
/// outputs do not change.
pub fn renew(
    conn: &Connection,
    study: StudyId,
    output: OutputId,
    rater: UserId,
    until: Timestamp,
) -> Result<bool, Failure> {
    let now = clock::now().0;
    let own: Option<(i64, bool)> = conn
        .prepare_cached(
            "SELECT id, rated_at IS NOT NULL AS is_rated FROM assignments
             WHERE study_id = ?1 AND output_id = ?2 AND user_id = ?3",
        )?
        .query_row(params![study.0, output.0, rater.0], |row| Ok((row.get("id")?, row.get("is_rated")?)))
        .optional()?;
    if let Some((assignment, rated)) = own {
        if !rated {
            hand_over(conn, study, assignment, rater, until)?;
        }
        return Ok(true);
    }
    // Side by side, planned ratings belong to their rater with the whole task.
    let other: Option<i64> = conn
        .prepare_cached(
            "SELECT a.id FROM assignments a JOIN studies s ON s.id = a.study_id
             WHERE a.study_id = ?1 AND a.output_id = ?2 AND a.rated_at IS NULL
               AND (a.user_id IS NULL OR a.leased_until NOT BETWEEN ?3 AND ?4
                    OR (a.leased_until IS NULL AND s.presentation = 'one'))
             ORDER BY a.user_id IS NOT NULL, a.leased_until IS NULL, a.slot LIMIT 1",
        )?
        .query_row(params![study.0, output.0, now, now + LEASE_MS], |row| row.get(0))
        .optional()?;
    match other {
        Some(assignment) => {
            hand_over(conn, study, assignment, rater, until)?;
            Ok(true)
        }
        None => Ok(false),
    }
}

/// Skips an output that is leased to the rater. It goes to the position `place`, the end of the rater's
/// order; after the last allowed skip, it belongs to nobody ([`takeable`]).
pub fn pass_over(
    conn: &Connection,
    study: StudyId,
    output: OutputId,
    rater: UserId,
    place: i64,
) -> Result<(), Failure> {
    let at = events::next(conn, study, rater)?.0;
    let times: u32 = conn
        .prepare_cached(
            "INSERT INTO skips (study_id, output_id, user_id, times, at) VALUES (?1, ?2, ?3, 1, ?4)
             ON CONFLICT DO UPDATE SET times = times + 1, at = excluded.at RETURNING times",
        )?
        .query_row(params![study.0, output.0, rater.0, at], |row| row.get(0))?;
    let (whose, place) = if times < SKIPS { (Some(rater.0), place) } else { (None, -at) };
    conn.prepare_cached(
        "UPDATE assignments SET user_id = ?4, place = ?5, leased_until = NULL, shown_at = NULL
         WHERE study_id = ?1 AND output_id = ?2 AND user_id = ?3 AND rated_at IS NULL",
    )?
    .execute(params![study.0, output.0, rater.0, whose, place])?;
    Ok(())
}

/// The last position in the order of the assignments that wait for the rater.
pub fn last_place(conn: &Connection, study: StudyId, rater: UserId) -> Result<i64, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT place FROM assignments
         WHERE study_id = ?1 AND user_id = ?2 AND rated_at IS NULL AND leased_until IS NULL
         ORDER BY place DESC LIMIT 1",
    )?;
    let place: Option<Option<i64>> = statement.query_row(params![study.0, rater.0], |row| row.get(0)).optional()?;
    Ok(place.flatten().unwrap_or(0))
}

/// When the rater rated the output, if they did.
pub fn rated_at(
    conn: &Connection,
    study: StudyId,
    output: OutputId,
    rater: UserId,
) -> Result<Option<Timestamp>, Failure> {
    let found: Option<Option<i64>> = conn
        .prepare_cached("SELECT rated_at FROM assignments WHERE study_id = ?1 AND output_id = ?2 AND user_id = ?3")?
        .query_row(params![study.0, output.0, rater.0], |row| row.get(0))
        .optional()?;
    Ok(found.flatten().map(Timestamp))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Db;

    #[test]
    fn only_raters_with_unstarted_work_are_asked_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let db = Db::open(folder.path()).unwrap();
        // Nothing that the rows refer to exists, so they are not committed.
        let tried: Result<(), Failure> = db.write_blocking(|tx| {
            tx.execute_batch(
                "PRAGMA defer_foreign_keys = ON;
                 INSERT INTO study_raters (study_id, user_id) VALUES (1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (2, 6);
                 INSERT INTO assignments (study_id, output_id, slot, user_id, leased_until, rated_at) VALUES
                     (1, 1, 0, 1, NULL, NULL),
                     (1, 1, 1, 2, 9, NULL), (1, 2, 0, 2, 9, NULL), (1, 3, 0, 2, NULL, 9),
                     (1, 1, 2, 3, 9, NULL), (1, 2, 1, 3, NULL, NULL),
                     (1, 1, 3, 4, 9, NULL), (1, 2, 2, 4, NULL, NULL), (1, 3, 1, 4, NULL, NULL),
                     (1, 1, 4, 5, NULL, 9),
                     (2, 1, 0, 6, NULL, NULL);",
            )?;
            assert_eq!(busiest(tx, StudyId(1), UserId(1))?, [UserId(4), UserId(3)]);
            assert_eq!(busiest(tx, StudyId(1), UserId(4))?, [UserId(3), UserId(1)]);
            Err(Failure::internal("rolled back"))
        });
        assert!(tried.is_err());
    }
}
