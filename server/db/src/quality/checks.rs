//! Calibration items and hidden checks: they measure raters, never models. Every query is for one rater of
//! one study; nothing that counts a study's ratings reads these tables (`checks`, `check_ratings`).
//!
//! A hidden check has the states of an assignment (`db/queue.rs`): leased, skipped and waiting, rated, gone.

use model::{
    grading::Draft,
    ids::{OutputId, RatingId, StudyId, TaskRevisionId, Token, UserId},
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::{
    events, notes,
    queue::{FITS, LEASE_MS, SKIPS, Taker, listed},
    stored::{Table, json, named, optional_json, table},
};
use base::{clock, error::Failure};

/// For queries with the check's number as `id`.
const CHECKS: Table = table("checks", &["id"]);

/// The kind of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A calibration item: rated before the work starts, and marked as such.
    Calibration,
    /// A hidden check with known scores.
    Known,
    /// A hidden check that repeats an output that the same rater has rated.
    Repeat,
}

impl Kind {
    /// Its name in the database.
    pub fn code(self) -> &'static str {
        match self {
            Kind::Calibration => "calibration",
            Kind::Known => "known_item",
            Kind::Repeat => "repeat",
        }
    }

    fn from_name(name: &str) -> Option<Kind> {
        [Kind::Calibration, Kind::Known, Kind::Repeat].into_iter().find(|kind| kind.code() == name)
    }

    /// Whether the rater cannot tell it from work.
    pub fn is_hidden(self) -> bool {
        self != Kind::Calibration
    }
}

/// A calibration item or a hidden check of one rater.
#[derive(Clone, Debug)]
pub struct Check {
    pub id: i64,
    /// The name under which its rater knows it.
    pub token: Token,
    pub study: StudyId,
    pub rater: UserId,
    pub kind: Kind,
    /// The round of the calibration; 0 otherwise.
    pub round: u32,
    /// The known-score item.
    pub known_item: Option<i64>,
    /// The output that a repeat shows again.
    pub output: Option<OutputId>,
    /// The output that it shows: the repeated one, or the one that the known-score item was made from.
    pub shown: Option<OutputId>,
    /// The revision of its task.
    pub task: TaskRevisionId,
    /// When it was assigned.
    pub shown_at: Timestamp,
    /// When it was first rated.
    pub rated_at: Option<Timestamp>,
    /// How often it was skipped since it was last rated.
    pub skips: u32,
    /// When it was last skipped.
    pub skipped_at: Option<Timestamp>,
    /// Whether the rater has read the known scores.
    pub acknowledged: bool,
    /// Whether it is leased to the rater.
    pub leased: bool,
    /// Its position in the rater's order while it waits to come again.
    pub place: Option<i64>,
}

const ROW: &str =
    "SELECT p.id, p.token, p.study_id, p.user_id, p.kind, p.round, p.known_item_id, p.output_id, p.shown_at, p.rated_at,
        p.skips, p.skipped_at, p.acknowledged, p.leased_until IS NOT NULL AS leased, p.place,
        coalesce(p.output_id, (SELECT output_id FROM known_items WHERE id = p.known_item_id)) AS shown,
        coalesce((SELECT revision_id FROM known_items WHERE id = p.known_item_id),
                 (SELECT revision_id FROM outputs WHERE id = p.output_id)) AS task
    FROM checks p";

fn row(row: &Row<'_>) -> rusqlite::Result<Check> {
    Ok(Check {
        id: row.get("id")?,
        token: Token(row.get("token")?),
        study: StudyId(row.get("study_id")?),
        rater: UserId(row.get("user_id")?),
        kind: named(row, CHECKS, "kind", Kind::from_name)?,
        round: row.get("round")?,
        known_item: row.get("known_item_id")?,
        output: row.get::<_, Option<i64>>("output_id")?.map(OutputId),
        shown: row.get::<_, Option<i64>>("shown")?.map(OutputId),
        shown_at: Timestamp(row.get("shown_at")?),
        rated_at: row.get::<_, Option<i64>>("rated_at")?.map(Timestamp),
        skips: row.get("skips")?,
        skipped_at: row.get::<_, Option<i64>>("skipped_at")?.map(Timestamp),
        acknowledged: row.get("acknowledged")?,
        leased: row.get("leased")?,
        place: row.get("place")?,
        task: TaskRevisionId(row.get("task")?),
    })
}

/// The check with this number.
pub fn get(conn: &Connection, id: i64) -> Result<Check, Failure> {
    Ok(conn.prepare_cached(&format!("{ROW} WHERE p.id = ?1"))?.query_row([id], row)?)
}

/// The check that this rater knows under this name.
pub fn by_token(conn: &Connection, token: &Token, rater: UserId) -> Result<Option<Check>, Failure> {
    Ok(conn
        .prepare_cached(&format!("{ROW} WHERE p.token = ?1 AND p.user_id = ?2"))?
        .query_row(params![token.0, rater.0], row)
        .optional()?)
}

/// All checks of the rater in the study, oldest first.
pub fn list(conn: &Connection, study: StudyId, rater: UserId) -> Result<Vec<Check>, Failure> {
    let mut statement =
        conn.prepare_cached(&format!("{ROW} WHERE p.study_id = ?1 AND p.user_id = ?2 ORDER BY p.id"))?;
    let rows = statement.query_map(params![study.0, rater.0], row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Assigns a known-score item to the rater. `until` is when the lease of a hidden check ends.
pub fn insert_known(
    conn: &Connection,
    study: StudyId,
    rater: UserId,
    kind: Kind,
    round: u32,
    known_item: i64,
    until: Option<Timestamp>,
) -> Result<Check, Failure> {
    let sql = "INSERT INTO checks
            (token, study_id, user_id, kind, round, known_item_id, shown_at, leased_until, like_output_id)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, (
            SELECT s.output_id FROM known_items g JOIN task_revisions gv ON gv.id = g.revision_id
                CROSS JOIN assignments s ON s.study_id = ?2 AND s.user_id = ?3
                JOIN outputs so ON so.id = s.output_id
                JOIN task_revisions sv ON sv.id = so.revision_id AND sv.nl_lang = gv.nl_lang
            WHERE ?9 AND g.id = ?6
            ORDER BY (s.output_id * 7919 + g.id * 104729) % 1000003, s.output_id LIMIT 1)) RETURNING id";
    let (token, now) = (clock::token().0, events::next(conn, study, rater)?.0);
    let until = until.map(|at| at.0);
    let values = params![token, study.0, rater.0, kind.code(), round, known_item, now, until, kind.is_hidden()];
    get(conn, conn.prepare_cached(sql)?.query_row(values, |row| row.get(0))?)
}

/// Assigns an output to the rater again, until `until`; the rating is compared with the rating `first`.
pub fn insert_repeat(
    conn: &Connection,
    study: StudyId,
    rater: UserId,
    output: OutputId,
    first: RatingId,
    until: Timestamp,
) -> Result<Check, Failure> {
    let sql = "INSERT INTO checks
            (token, study_id, user_id, kind, round, output_id, first_id, shown_at, leased_until, like_output_id)
        VALUES (?1, ?2, ?3, 'repeat', 0, ?4, ?5, ?6, ?7, ?4) RETURNING id";
    let (token, now) = (clock::token().0, events::next(conn, study, rater)?.0);
    let values = params![token, study.0, rater.0, output.0, first.0, now, until.0];
    get(conn, conn.prepare_cached(sql)?.query_row(values, |row| row.get(0))?)
}

/// The oldest of the rater's own rated outputs that have not been repeated, with the rating that counts, without the
/// newest `apart`; with `unfinished`, only of tasks of which another output is still to come.
pub fn repeatable(
    conn: &Connection,
    study: StudyId,
    rater: UserId,
    apart: u32,
    unfinished: bool,
) -> Result<Option<(OutputId, RatingId)>, Failure> {
    // The newest ratings of the rater, of work and of hidden checks.
    let border: Option<i64> = if apart == 0 {
        Some(i64::MAX)
    } else {
        conn.prepare_cached(
            "SELECT at FROM (
                SELECT rated_at AS at FROM assignments WHERE study_id = ?1 AND user_id = ?2 AND rated_at IS NOT NULL
                UNION ALL
                SELECT rated_at FROM checks
                WHERE study_id = ?1 AND user_id = ?2 AND kind <> 'calibration' AND rated_at IS NOT NULL
             ) ORDER BY at DESC LIMIT 1 OFFSET ?3 - 1",
        )?
        .query_row(params![study.0, rater.0, apart], |row| row.get(0))
        .optional()?
    };
    let Some(border) = border else { return Ok(None) };
    Ok(conn
        .prepare_cached(
            "WITH coming AS MATERIALIZED (
                 SELECT o.revision_id FROM assignments b JOIN outputs o ON o.id = b.output_id
                 WHERE b.study_id = ?1 AND b.user_id = ?2 AND b.rated_at IS NULL AND b.leased_until IS NULL
                   AND b.shown_at IS NULL)
             SELECT a.output_id, r.id FROM assignments a
             JOIN ratings r ON r.assignment_id = a.id AND r.replaced_at IS NULL
             WHERE a.study_id = ?1 AND a.user_id = ?2 AND a.rated_at < ?3
               AND NOT EXISTS (SELECT 1 FROM checks p
                               WHERE p.study_id = ?1 AND p.user_id = ?2 AND p.output_id = a.output_id)
               AND (NOT ?4 OR (SELECT o.revision_id FROM outputs o WHERE o.id = a.output_id) IN coming)
             ORDER BY a.rated_at LIMIT 1",
        )?
        .query_row(params![study.0, rater.0, border, unfinished], |row| {
            Ok((OutputId(row.get("output_id")?), RatingId(row.get("id")?)))
        })
        .optional()?)
}

pub fn draft(conn: &Connection, check: i64) -> Result<Option<Draft>, Failure> {
    Ok(conn
        .prepare_cached("SELECT id, draft FROM checks WHERE id = ?1")?
        .query_row([check], |row| optional_json(row, CHECKS, "draft"))?)
}

/// Stores a draft; the newest wins.
pub fn save_draft(conn: &Connection, check: i64, draft: &Draft) -> Result<(), Failure> {
    conn.prepare_cached("UPDATE checks SET draft = ?2 WHERE id = ?1")?
        .execute(params![check, serde_json::to_string(draft)?])?;
    Ok(())
}

/// The rating that counts, as an equal draft. Without the measured time, as for work.
pub fn current(conn: &Connection, check: i64) -> Result<Option<Draft>, Failure> {
    let found: Option<(i64, Draft)> = conn
        .prepare_cached("SELECT id, draft FROM check_ratings WHERE check_id = ?1 AND replaced_at IS NULL")?
        .query_row([check], |row| Ok((row.get("id")?, json(row, table("check_ratings", &["id"]), "draft")?)))
        .optional()?;
    let Some((id, draft)) = found else { return Ok(None) };
    Ok(Some(Draft { active_ms: None, notes: notes::of(conn, notes::Of::Checks, id)?, ..draft }))
}

/// Whether the submission with this key is already stored.
pub fn stored(conn: &Connection, check: i64, key: &str) -> Result<bool, Failure> {
    Ok(conn
        .prepare_cached("SELECT 1 FROM check_ratings WHERE check_id = ?1 AND key = ?2")?
        .exists(params![check, key])?)
}

/// Whether another rater would have rated the check `p` if it were work that they took over.
const IS_GONE: &str =
    "(coalesce((SELECT d.rated FROM study_raters d WHERE d.study_id = p.study_id AND d.user_id = p.away_by), 0)
    + (SELECT count(*) FROM checks c WHERE c.study_id = p.study_id AND c.user_id = p.away_by
       AND c.kind <> 'calibration' AND c.rated_at IS NOT NULL) >= p.away_rated)";

/// Leases an unrated check to its rater until `until`, as `queue::renew` does an assignment. Returns whether
/// the rater may have it: not if another rater would have taken it over, and either rated it or still had a lease of it,
/// unless there would be another planned rating for its rater.
pub fn renew(conn: &Connection, check: &Check, until: Timestamp) -> Result<bool, Failure> {
    // Another planned rating that is not started, or whose lease has expired.
    let has_other = format!(
        "EXISTS (SELECT 1 FROM assignments a
            WHERE a.study_id = p.study_id AND a.output_id = p.like_output_id AND a.user_id IS NOT p.user_id
              AND a.rated_at IS NULL
              AND (a.leased_until IS NULL OR a.leased_until NOT BETWEEN ?2 AND ?2 + {LEASE_MS}))"
    );
    let (rated, leased, away): (bool, bool, bool) = conn
        .prepare_cached(&format!(
            "SELECT rated_at IS NOT NULL AS is_rated, leased_until IS NOT NULL AS is_leased,
                away_until IS NOT NULL AND (away_until BETWEEN ?2 AND ?2 + {LEASE_MS} OR {IS_GONE})
                    AND NOT {has_other} AS is_away
             FROM checks p WHERE id = ?1"
        ))?
        .query_row(params![check.id, clock::now().0], |row| {
            Ok((row.get("is_rated")?, row.get("is_leased")?, row.get("is_away")?))
        })?;
    if rated || away {
        return Ok(rated);
    }
    // Assigned again after a skip, it comes after what is leased already.
    let shown = if leased { None } else { Some(events::next(conn, check.study, check.rater)?.0) };
    conn.prepare_cached(
        "UPDATE checks SET leased_until = ?2, place = NULL, shown_at = coalesce(?3, shown_at),
            away_by = NULL, away_until = NULL, away_rated = NULL
         WHERE id = ?1",
    )?
    .execute(params![check.id, until.0, shown])?;
    Ok(true)
}

/// Stores a rating of the check. An earlier one is marked as replaced and kept. Deletes the draft and the
/// skips.
pub fn insert_rating(conn: &Connection, check: &Check, draft: &Draft, key: &str) -> Result<(), Failure> {
    let now = events::next(conn, check.study, check.rater)?.0;
    conn.prepare_cached(
        "UPDATE checks SET rated_at = coalesce(rated_at, ?2), leased_until = NULL, place = NULL, draft = NULL, skips = 0
         WHERE id = ?1",
    )?
    .execute(params![check.id, now])?;
    conn.prepare_cached("UPDATE check_ratings SET replaced_at = ?2 WHERE check_id = ?1 AND replaced_at IS NULL")?
        .execute(params![check.id, now])?;
    // The notes have rows of their own, as those of work.
    let without_notes = Draft { notes: Vec::new(), ..draft.clone() };
    let rating: i64 = conn
        .prepare_cached("INSERT INTO check_ratings (check_id, key, draft, at) VALUES (?1, ?2, ?3, ?4) RETURNING id")?
        .query_row(params![check.id, key, serde_json::to_string(&without_notes)?, now], |row| row.get(0))?;
    notes::insert(conn, notes::Of::Checks, rating, &draft.notes)
}

/// Withdraws the rating that counts, as `withdrawals::withdraw` does for work: its content becomes the
/// draft. If it had replaced an earlier rating, that one counts again; otherwise the check is unrated and
/// leased to the rater until `until`.
pub fn withdraw(conn: &Connection, check: i64, draft: &Draft, until: Timestamp) -> Result<(), Failure> {
    let rating: i64 = conn
        .prepare_cached(
            "UPDATE check_ratings SET replaced_at = ?2, withdrawn = 1
             WHERE check_id = ?1 AND replaced_at IS NULL RETURNING id",
        )?
        .query_row(params![check, clock::now().0], |row| row.get(0))?;
    let earlier = conn
        .prepare_cached(
            "UPDATE check_ratings SET replaced_at = NULL
             WHERE id = (SELECT max(id) FROM check_ratings WHERE check_id = ?1 AND id < ?2 AND withdrawn = 0)",
        )?
        .execute(params![check, rating])?;
    if earlier == 0 {
        conn.prepare_cached("UPDATE checks SET rated_at = NULL, leased_until = ?2 WHERE id = ?1")?
            .execute(params![check, until.0])?;
    }
    save_draft(conn, check, draft)
}

/// The hidden check with the rater's newest rating of one, and the time of that rating.
pub fn last(conn: &Connection, study: StudyId, rater: UserId) -> Result<Option<(i64, Timestamp)>, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT p.id, r.at FROM checks p JOIN check_ratings r ON r.check_id = p.id AND r.replaced_at IS NULL
             WHERE p.study_id = ?1 AND p.user_id = ?2 AND p.kind <> 'calibration' ORDER BY r.at DESC, r.id DESC LIMIT 1",
        )?
        .query_row(params![study.0, rater.0], |row| Ok((row.get("id")?, Timestamp(row.get("at")?))))
        .optional()?)
}

/// Skips a check that is leased to its rater. It goes to the position `place`, the end of the rater's order;
/// after the last allowed skip, it does not come again.
pub fn pass_over(conn: &Connection, check: &Check, place: i64) -> Result<(), Failure> {
    let place = (check.skips + 1 < SKIPS).then_some(place);
    conn.prepare_cached(
        "UPDATE checks SET skips = skips + 1, skipped_at = ?2, leased_until = NULL, place = ?3 WHERE id = ?1",
    )?
    .execute(params![check.id, events::next(conn, check.study, check.rater)?.0, place])?;
    Ok(())
}

/// A state in which another rater could take a hidden check over if it were work.
#[derive(Clone, Copy, Debug)]
pub enum Losable {
    /// Its rater skipped it for the last time.
    Skipped,
    /// Its lease had ended at this time, or that of another rater who would have taken it over.
    Lapsed(Timestamp),
    /// It waits in the order of this rater.
    Waiting(UserId),
}

/// A hidden check that another rater would take over if it were work.
#[derive(Clone, Copy, Debug)]
pub struct ToLose {
    pub id: i64,
    pub rater: UserId,
    /// When it was skipped, when its lease ended, or its position in the order.
    pub at: i64,
}

/// The hidden check in this state that the taker would take over next if it were work. Whether the taker could is decided
/// by the output that the check is like (`like_output_id`). Where every rater rates every output, or the taker does not read
/// the language, nothing is lost.
pub fn next_to_lose(conn: &Connection, taker: &Taker, state: Losable) -> Result<Option<ToLose>, Failure> {
    let Taker { study, rater, reads, served } = taker;
    let has_lapsed = format!(
        "(p.away_until IS NULL AND p.leased_until NOT BETWEEN ?3 AND ?3 + {LEASE_MS}
          OR p.away_by <> ?2 AND p.away_until NOT BETWEEN ?3 AND ?3 + {LEASE_MS} AND NOT {IS_GONE})"
    );
    let (is, at, bound) = match state {
        Losable::Skipped => (
            "p.place IS NULL AND p.leased_until IS NULL AND p.away_until IS NULL AND p.skips >= ?3",
            "p.skipped_at",
            i64::from(SKIPS),
        ),
        // A lease that ends later than any that starts now has ended, too (`queue::run_out`).
        Losable::Lapsed(now) => (has_lapsed.as_str(), "min(coalesce(p.away_until, p.leased_until), ?3)", now.0),
        Losable::Waiting(donor) => ("p.place IS NOT NULL AND p.user_id = ?3", "p.place", donor.0),
    };
    let order = if matches!(state, Losable::Waiting(_)) { "DESC" } else { "ASC" };
    let mut statement = conn.prepare_cached(&format!(
        "SELECT p.id, p.user_id, {at} AS at FROM checks p
         WHERE p.study_id = ?1 AND p.rated_at IS NULL AND p.user_id <> ?2 AND p.kind <> 'calibration'
           AND {is} AND p.user_id NOT IN (SELECT value FROM json_each(?6))
           AND EXISTS (
               SELECT 1 FROM (SELECT p.like_output_id AS output_id) a
                   JOIN outputs o ON o.id = a.output_id JOIN task_revisions v ON v.id = o.revision_id
               WHERE TRUE {FITS})
         ORDER BY at {order}, p.id LIMIT 1"
    ))?;
    let found = statement
        .query_row(params![study.0, rater.0, bound, reads.code(), SKIPS, listed(served)], |row| {
            Ok(ToLose { id: row.get("id")?, rater: UserId(row.get("user_id")?), at: row.get("at")? })
        })
        .optional()?;
    Ok(found)
}

/// Records that the taker would have taken a hidden check over, with a lease until `until`, if it were work. It would
/// have been the last item in the taker's hands.
pub fn lose(conn: &Connection, taker: &Taker, check: ToLose, until: Timestamp) -> Result<(), Failure> {
    conn.prepare_cached(
        "UPDATE checks SET leased_until = NULL, place = NULL, away_by = ?3, away_until = ?4, away_rated = 1
             + (SELECT d.rated FROM study_raters d WHERE d.study_id = ?2 AND d.user_id = ?3)
             + (SELECT count(*) FROM assignments a
                WHERE a.study_id = ?2 AND a.user_id = ?3 AND a.leased_until IS NOT NULL)
             + (SELECT count(*) FROM checks c WHERE c.study_id = ?2 AND c.user_id = ?3 AND c.kind <> 'calibration'
                AND (c.rated_at IS NOT NULL OR c.leased_until IS NOT NULL))
         WHERE id = ?1",
    )?
    .execute(params![check.id, taker.study.0, taker.rater.0, until.0])?;
    Ok(())
}

/// Extends the leases that the rater would have of hidden checks of others, if they were work. One would be the item on which
/// the rater works now, if all others in the rater's hands at that time have been rated.
pub fn extend_lost(conn: &Connection, study: StudyId, rater: UserId, until: Timestamp) -> Result<(), Failure> {
    conn.prepare_cached(
        "UPDATE checks SET away_until = ?3
         WHERE study_id = ?1 AND away_by = ?2 AND rated_at IS NULL AND away_until < ?3 AND away_rated = 1
             + (SELECT d.rated FROM study_raters d WHERE d.study_id = ?1 AND d.user_id = ?2)
             + (SELECT count(*) FROM checks c WHERE c.study_id = ?1 AND c.user_id = ?2 AND c.kind <> 'calibration'
                AND c.rated_at IS NOT NULL)",
    )?
    .execute(params![study.0, rater.0, until.0])?;
    Ok(())
}

/// A hidden check of the rater that another one would have taken over and left, with the end of that lease. If it were
/// work, the rater could take it back.
pub fn come_back(
    conn: &Connection,
    study: StudyId,
    rater: UserId,
    now: Timestamp,
) -> Result<Option<(Timestamp, i64)>, Failure> {
    Ok(conn
        .prepare_cached(&format!(
            "SELECT p.id, min(p.away_until, ?3) AS until FROM checks p
             WHERE p.study_id = ?1 AND p.user_id = ?2 AND p.rated_at IS NULL AND p.skips < ?4
               AND p.away_until NOT BETWEEN ?3 AND ?3 + {LEASE_MS} AND NOT {IS_GONE}
             ORDER BY until, p.id LIMIT 1"
        ))?
        .query_row(params![study.0, rater.0, now.0, SKIPS], |row| Ok((Timestamp(row.get("until")?), row.get("id")?)))
        .optional()?)
}

/// Ends the leases of the unrated hidden checks of a rater who leaves the study, and of those of others that the rater
/// would have taken over. Others would take over the rater's own, or the rater, who may be added again.
pub fn release(conn: &Connection, study: StudyId, rater: UserId) -> Result<(), Failure> {
    conn.prepare_cached(
        "UPDATE checks SET leased_until = NULL, place = NULL, away_by = coalesce(away_by, ?2),
            away_until = coalesce(away_until, 0), away_rated = coalesce(away_rated, 9223372036854775807)
         WHERE study_id = ?1 AND rated_at IS NULL AND user_id = ?2 AND kind <> 'calibration'",
    )?
    .execute(params![study.0, rater.0])?;
    conn.prepare_cached("UPDATE checks SET away_until = 0 WHERE study_id = ?1 AND rated_at IS NULL AND away_by = ?2")?
        .execute(params![study.0, rater.0])?;
    Ok(())
}

/// Whether no hidden check comes any more after the rater's last output.
pub fn are_over(conn: &Connection, study: StudyId, rater: UserId) -> Result<bool, Failure> {
    let over = conn
        .prepare_cached("SELECT checks_over FROM study_raters WHERE study_id = ?1 AND user_id = ?2")?
        .query_row(params![study.0, rater.0], |row| row.get(0))
        .optional()?;
    Ok(over.unwrap_or(false))
}

/// Records that no hidden check comes any more after the rater's last output.
pub fn end(conn: &Connection, study: StudyId, rater: UserId) -> Result<(), Failure> {
    conn.prepare_cached("UPDATE study_raters SET checks_over = 1 WHERE study_id = ?1 AND user_id = ?2")?
        .execute(params![study.0, rater.0])?;
    Ok(())
}

/// Counts the hidden checks of a study's raters from now on.
pub fn restart(conn: &Connection, study: StudyId) -> Result<(), Failure> {
    conn.execute(
        "UPDATE study_raters SET checks_from = given, checks_since = last_event WHERE study_id = ?1",
        [study.0],
    )?;
    Ok(())
}

/// From where the hidden checks of a rater are counted: the number of outputs that the rater had had, and the time.
pub fn counted_from(conn: &Connection, study: StudyId, rater: UserId) -> Result<(u64, Timestamp), Failure> {
    let from = conn
        .prepare_cached("SELECT checks_from, checks_since FROM study_raters WHERE study_id = ?1 AND user_id = ?2")?
        .query_row(params![study.0, rater.0], |row| Ok((row.get("checks_from")?, Timestamp(row.get("checks_since")?))))
        .optional()?;
    Ok(from.unwrap_or((0, Timestamp(0))))
}

/// Records that the rater has read the known scores.
pub fn acknowledge(conn: &Connection, check: i64) -> Result<(), Failure> {
    conn.prepare_cached("UPDATE checks SET acknowledged = 1 WHERE id = ?1")?.execute([check])?;
    Ok(())
}

/// The scores of a complete draft.
pub fn scores(draft: &Draft) -> Vec<u8> {
    draft.scores.iter().flatten().copied().collect()
}

/// A rated check and the scores that its rating is compared with.
pub struct Answered {
    pub rater: UserId,
    /// The rated item.
    pub kind: Kind,
    pub at: Timestamp,
    /// The rating that counts.
    pub draft: Draft,
    /// The known scores, or those of the rater's own first rating.
    pub against: Vec<u8>,
}

/// Every rated check of the study.
pub fn answered(conn: &Connection, study: StudyId) -> Result<Vec<Answered>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT p.id, p.id AS check_id, p.known_item_id, p.user_id, p.kind, p.rated_at,
            (SELECT r.draft FROM check_ratings r WHERE r.check_id = p.id AND r.replaced_at IS NULL) AS draft,
            coalesce(g.scores,
                (SELECT json_group_array(x.score ORDER BY x.dimension) FROM rating_scores x
                 WHERE x.rating_id = p.first_id)) AS scores
         FROM checks p LEFT JOIN known_items g ON g.id = p.known_item_id
         WHERE p.study_id = ?1 AND p.rated_at IS NOT NULL ORDER BY p.rated_at",
    )?;
    let rows = statement.query_map([study.0], |row| {
        Ok(Answered {
            rater: UserId(row.get("user_id")?),
            kind: named(row, CHECKS, "kind", Kind::from_name)?,
            at: Timestamp(row.get("rated_at")?),
            draft: json(row, table("check_ratings", &["check_id"]), "draft")?,
            against: json(row, table("known_items", &["known_item_id"]), "scores")?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
