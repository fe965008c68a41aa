//! Who has what in hand, and what is waiting for whom: the rows of `assignments` as a queue.
//!
//! A row belongs to the rater for whom it is planned (`user_id`). While `leased_until` is set it is in
//! their hands; once `rated_at` is set it stays theirs for good. Every query here walks an index from
//! the place where it wants to be: none gets slower as a study grows.

use app::model::{
    grading::Progress,
    ids::{OutputId, StudyId, TaskRevisionId, UserId},
    plan::Reads,
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::events;
use crate::{clock, error::Failure};

/// How often a rater may pass over an output and still be offered it again.
pub const SKIPS: u32 = 2;

/// A planned rating that may be handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The planned rating.
    pub assignment: i64,
    /// The output.
    pub output: OutputId,
    /// Its task's wording; two outputs of one are kept apart, or shown together.
    pub task: TaskRevisionId,
}

fn place(row: &Row<'_>) -> rusqlite::Result<Place> {
    Ok(Place { assignment: row.get(0)?, output: OutputId(row.get(1)?), task: TaskRevisionId(row.get(2)?) })
}

/// Where the rater stands.
pub fn progress(conn: &Connection, study: StudyId, rater: UserId) -> Result<Progress, Failure> {
    let (rated, left) = conn
        .prepare_cached("SELECT rated, open FROM study_raters WHERE study_id = ?1 AND user_id = ?2")?
        .query_row(params![study.0, rater.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let skipped = conn
        .prepare_cached("SELECT count(*) FROM skips WHERE study_id = ?1 AND user_id = ?2")?
        .query_row(params![study.0, rater.0], |row| row.get(0))?;
    Ok(Progress { rated, skipped, left })
}

/// The assignments in the rater's hands, unrated, in the order in which they were handed out, each with
/// when that was; an expired lease that nobody took over is still theirs.
pub fn in_hand(conn: &Connection, study: StudyId, rater: UserId) -> Result<Vec<(i64, Place)>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT a.id, a.output_id, o.revision_id, coalesce(a.shown_at, 0)
         FROM assignments a JOIN outputs o ON o.id = a.output_id
         WHERE a.study_id = ?1 AND a.user_id = ?2 AND a.leased_until IS NOT NULL ORDER BY a.shown_at, a.id",
    )?;
    let rows = statement.query_map(params![study.0, rater.0], |row| Ok((row.get(3)?, place(row)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The next assignments of the rater's own plan that are not handed out, soonest first, each with its
/// position in the order.
pub fn waiting(conn: &Connection, study: StudyId, rater: UserId, most: usize) -> Result<Vec<(i64, Place)>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT a.id, a.output_id, o.revision_id, coalesce(a.place, 0)
         FROM assignments a JOIN outputs o ON o.id = a.output_id
         WHERE a.study_id = ?1 AND a.user_id = ?2 AND a.rated_at IS NULL AND a.leased_until IS NULL
         ORDER BY a.place LIMIT ?3",
    )?;
    let rows = statement.query_map(params![study.0, rater.0, most], |row| Ok((row.get(3)?, place(row)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// How many skipped outputs wait to come again to the rater.
pub fn skipped_waiting(conn: &Connection, study: StudyId, rater: UserId) -> Result<u64, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT count(*) FROM skips k
             JOIN assignments a ON a.study_id = k.study_id AND a.output_id = k.output_id AND a.user_id = k.user_id
             WHERE k.study_id = ?1 AND k.user_id = ?2 AND a.rated_at IS NULL AND a.leased_until IS NULL",
        )?
        .query_row(params![study.0, rater.0], |row| row.get(0))?)
}

/// How many of the study's outputs the rater has been given at least once.
pub fn given(conn: &Connection, study: StudyId, rater: UserId) -> Result<u64, Failure> {
    Ok(conn
        .prepare_cached("SELECT given FROM study_raters WHERE study_id = ?1 AND user_id = ?2")?
        .query_row(params![study.0, rater.0], |row| row.get(0))?)
}

/// The tasks of the rater's last ratings with when they were given, newest first.
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
    let rows = statement
        .query_map(params![study.0, rater.0, most], |row| Ok((Timestamp(row.get(0)?), TaskRevisionId(row.get(1)?))))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Every planned rating of a task that is this rater's, rated or not.
pub fn of_task(
    conn: &Connection,
    study: StudyId,
    rater: UserId,
    task: TaskRevisionId,
) -> Result<Vec<(Place, bool)>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT a.id, a.output_id, o.revision_id, a.rated_at IS NOT NULL
         FROM outputs o CROSS JOIN assignments a ON a.output_id = o.id AND a.study_id = ?1 AND a.user_id = ?2
         WHERE o.revision_id = ?3 ORDER BY a.output_id",
    )?;
    let rows = statement.query_map(params![study.0, rater.0, task.0], |row| Ok((place(row)?, row.get(3)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The task of an output.
pub fn task_of(conn: &Connection, output: OutputId) -> Result<Option<TaskRevisionId>, Failure> {
    let mut statement = conn.prepare_cached("SELECT revision_id FROM outputs WHERE id = ?1")?;
    Ok(statement.query_row([output.0], |row| Ok(TaskRevisionId(row.get(0)?))).optional()?)
}

/// From whom a rater who has finished may take what is not begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// From nobody: it was planned for nobody, or its rater left.
    Nobody,
    /// From this rater, from the end of their order.
    Rater(UserId),
}

/// What may be taken: an output that the taker does not have, in a language they read, that they have
/// not passed over too often. Side by side, only a task of which its holder has begun no output.
const FITS: &str = "
    AND instr(?4, v.lang) > 0
    AND NOT EXISTS (SELECT 1 FROM assignments m WHERE m.study_id = ?1 AND m.output_id = a.output_id AND m.user_id = ?2)
    AND NOT EXISTS (SELECT 1 FROM skips k
        WHERE k.study_id = ?1 AND k.user_id = ?2 AND k.output_id = a.output_id AND k.times >= ?5)";

/// One assignment that nobody has begun and that this rater may take over, with its position in the order
/// of the rater it is taken from.
pub fn takeable(
    conn: &Connection,
    study: StudyId,
    rater: UserId,
    from: From,
    reads: Reads,
    whole_tasks: bool,
) -> Result<Option<(i64, Place)>, Failure> {
    let donor = match from {
        From::Nobody => None,
        From::Rater(id) => Some(id.0),
    };
    // A task shown side by side goes over whole: neither has its donor begun it, nor has the taker any
    // output of it.
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
            "SELECT a.id, a.output_id, o.revision_id, coalesce(a.place, 0) FROM assignments a
             JOIN outputs o ON o.id = a.output_id JOIN task_revisions v ON v.id = o.revision_id
             WHERE a.study_id = ?1 AND a.user_id IS ?3 AND a.rated_at IS NULL AND a.leased_until IS NULL
             {FITS} {whole} ORDER BY a.place DESC LIMIT 1"
        ))?
        .query_row(params![study.0, rater.0, donor, reads.code(), SKIPS], |row| Ok((row.get(3)?, place(row)?)))
        .optional()?;
    Ok(found)
}

/// One assignment whose lease ended before `now` and that this rater may take over, with the end of that
/// lease.
pub fn run_out(
    conn: &Connection,
    study: StudyId,
    rater: UserId,
    reads: Reads,
    now: Timestamp,
) -> Result<Option<(Timestamp, Place)>, Failure> {
    let found = conn
        .prepare_cached(&format!(
            "SELECT a.id, a.output_id, o.revision_id, a.leased_until FROM assignments a
             JOIN outputs o ON o.id = a.output_id JOIN task_revisions v ON v.id = o.revision_id
             WHERE a.study_id = ?1 AND a.user_id <> ?2 AND a.leased_until < ?3
             {FITS} ORDER BY a.leased_until, a.id LIMIT 1"
        ))?
        .query_row(params![study.0, rater.0, now.0, reads.code(), SKIPS], |row| {
            Ok((Timestamp(row.get(3)?), place(row)?))
        })
        .optional()?;
    Ok(found)
}

/// Who else has work that is not rated, the one with the most first.
pub fn busiest(conn: &Connection, study: StudyId, rater: UserId) -> Result<Vec<UserId>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT user_id FROM study_raters WHERE study_id = ?1 AND user_id <> ?2 AND open > 0
         ORDER BY open DESC, user_id",
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
) -> Result<Vec<Place>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT a.id, a.output_id, o.revision_id
         FROM outputs o CROSS JOIN assignments a ON a.output_id = o.id AND a.study_id = ?1 AND a.user_id IS ?3
         WHERE o.revision_id = ?4 AND a.rated_at IS NULL
           AND NOT EXISTS (SELECT 1 FROM assignments m
               WHERE m.study_id = ?1 AND m.output_id = a.output_id AND m.user_id = ?2)
         GROUP BY a.output_id",
    )?;
    let rows = statement.query_map(params![study.0, rater.0, holder.map(|id| id.0), task.0], place)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Whose a planned rating is.
pub fn holder(conn: &Connection, assignment: i64) -> Result<Option<UserId>, Failure> {
    let mut statement = conn.prepare_cached("SELECT user_id FROM assignments WHERE id = ?1")?;
    Ok(statement.query_row([assignment], |row| row.get::<_, Option<i64>>(0))?.map(UserId))
}

/// Puts a planned rating into the rater's hands until `until`, whoever's it was.
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

/// Prolongs what the rater has of this output, or where it went to somebody else, takes another place
/// that nobody has begun or whose lease ran out. Whether there was one. What the rater has rated stays
/// as it is.
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
            "SELECT id, rated_at IS NOT NULL FROM assignments WHERE study_id = ?1 AND output_id = ?2 AND user_id = ?3",
        )?
        .query_row(params![study.0, output.0, rater.0], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    if let Some((assignment, rated)) = own {
        if !rated {
            hand_over(conn, study, assignment, rater, until)?;
        }
        return Ok(true);
    }
    // Side by side, what somebody else has planned is theirs with the whole task.
    let other: Option<i64> = conn
        .prepare_cached(
            "SELECT a.id FROM assignments a JOIN studies s ON s.id = a.study_id
             WHERE a.study_id = ?1 AND a.output_id = ?2 AND a.rated_at IS NULL
               AND (a.user_id IS NULL OR a.leased_until < ?3
                    OR (a.leased_until IS NULL AND s.presentation = 'one'))
             ORDER BY a.user_id IS NOT NULL, a.leased_until IS NULL, a.slot LIMIT 1",
        )?
        .query_row(params![study.0, output.0, now], |row| row.get(0))
        .optional()?;
    match other {
        Some(assignment) => {
            hand_over(conn, study, assignment, rater, until)?;
            Ok(true)
        }
        None => Ok(false),
    }
}

/// Skips an output that is in the rater's hands. It goes to the position `place`, the end of the rater's
/// order; skipped for the last time, it is nobody's.
pub fn pass_over(
    conn: &Connection,
    study: StudyId,
    output: OutputId,
    rater: UserId,
    place: i64,
) -> Result<(), Failure> {
    let times: u32 = conn
        .prepare_cached(
            "INSERT INTO skips (study_id, output_id, user_id, times, at) VALUES (?1, ?2, ?3, 1, ?4)
             ON CONFLICT DO UPDATE SET times = times + 1, at = excluded.at RETURNING times",
        )?
        .query_row(params![study.0, output.0, rater.0, clock::now().0], |row| row.get(0))?;
    let (whose, place) = if times < SKIPS { (Some(rater.0), Some(place)) } else { (None, None) };
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

/// Adds one more rating of an output on top of the overlap, for whoever comes first; returns the
/// planned rating. For outputs on which raters disagree.
pub fn add_extra(conn: &Connection, study: StudyId, output: OutputId) -> Result<i64, Failure> {
    Ok(conn
        .prepare_cached(
            "INSERT INTO assignments (study_id, output_id, slot)
             SELECT ?1, ?2, max(999, coalesce(max(slot), 999)) + 1 FROM assignments WHERE study_id = ?1 AND output_id = ?2
             RETURNING id",
        )?
        .query_row(params![study.0, output.0], |row| row.get(0))?)
}
