//! The admins' first page.

use std::collections::BTreeMap;

use model::{
    audit::Entry,
    day::Day,
    ids::{RunId, StudyId, UserId},
    inbox::InboxCount,
    overview::{LateRater, OVERVIEW_CHANGES, OVERVIEW_ROWS, OpenRun},
    time::{DAY_MS, Timestamp},
};
use rusqlite::{Connection, OptionalExtension, params};

use super::{audit, inbox, plan::STUDY_ROWS, runs, stored::parsed};
use base::error::Failure;

/// Newest entries of the audit log among which changes by others are looked for.
const CHANGES_READ: usize = 200;

/// What there is.
pub struct Counts {
    pub has_datasets: bool,
    pub has_submissions: bool,
    pub has_raters: bool,
    pub studies: u64,
    pub open_studies: u64,
}

/// Counts what there is.
pub fn counts(conn: &Connection) -> Result<Counts, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM datasets) AS datasets,
                 EXISTS (SELECT 1 FROM submissions) AS submissions,
                 EXISTS (SELECT 1 FROM users WHERE role = 'rater' AND disabled = 0) AS raters,
                 (SELECT count(*) FROM studies) AS studies,
                 (SELECT count(*) FROM studies WHERE status IN ('running', 'paused') AND archived_at IS NULL) AS open",
        )?
        .query_row([], |row| {
            Ok(Counts {
                has_datasets: row.get("datasets")?,
                has_submissions: row.get("submissions")?,
                has_raters: row.get("raters")?,
                studies: row.get("studies")?,
                open_studies: row.get("open")?,
            })
        })?)
}

/// Kinds of items in the inbox that have any.
pub fn waiting(conn: &Connection) -> Result<Vec<InboxCount>, Failure> {
    let counts = inbox::counts(conn, None)?.into_iter().filter(|(_, waiting)| *waiting > 0);
    Ok(counts.map(|(kind, waiting)| InboxCount { kind, waiting }).collect())
}

/// Studies that run or are paused, with when they started: those that are due first, then the newest; complete ones last.
pub fn in_progress(conn: &Connection) -> Result<Vec<(StudyId, Option<Timestamp>)>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT s.id, s.started_at FROM studies s
         WHERE s.status IN ('running', 'paused') AND s.archived_at IS NULL
         ORDER BY (SELECT coalesce(sum(c.wanted - c.done), 0) FROM study_counts c WHERE c.study_id = s.id) <= 0,
             s.due IS NULL, s.due, s.id DESC
         LIMIT ?1",
    )?;
    let rows = statement.query_map([OVERVIEW_ROWS], |row| {
        Ok((StudyId(row.get("id")?), row.get::<_, Option<i64>>("started_at")?.map(Timestamp)))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Ratings that are left in running studies with a due date, with that date.
pub fn due(conn: &Connection) -> Result<Vec<(u64, Day)>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT s.id, s.due,
             (SELECT max(coalesce(sum(c.wanted - c.done), 0), 0) FROM study_counts c WHERE c.study_id = s.id) AS left
         FROM studies s WHERE s.status = 'running' AND s.archived_at IS NULL AND s.due IS NOT NULL",
    )?;
    let rows =
        statement.query_map([], |row| Ok((row.get("left")?, parsed(row, STUDY_ROWS.column("settings"), "due")?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Ratings since a point in time, by study and number of the day since 1970.
pub fn ratings_since(conn: &Connection, since: Timestamp) -> Result<BTreeMap<(StudyId, i64), u64>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT m.study_id, a.rated_at / ?2 AS day, count(*) AS ratings
         FROM study_raters m CROSS JOIN assignments a
             ON a.study_id = m.study_id AND a.user_id = m.user_id AND a.rated_at >= ?1
         WHERE m.last_rating >= ?1 GROUP BY m.study_id, day",
    )?;
    let rows = statement.query_map(params![since.0, DAY_MS], |row| {
        Ok(((StudyId(row.get("study_id")?), row.get("day")?), row.get("ratings")?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Raters of running studies with work left who did nothing since `before`, the longest absent first, and whether there
/// are more.
pub fn late_raters(conn: &Connection, before: Timestamp) -> Result<(Vec<LateRater>, bool), Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT m.study_id, s.title, u.name, m.open,
             max(m.last_event, coalesce(m.added_at, 0), coalesce(s.started_at, 0)) AS since
         FROM study_raters m JOIN studies s ON s.id = m.study_id JOIN users u ON u.id = m.user_id
         WHERE s.status = 'running' AND s.archived_at IS NULL AND m.removed_at IS NULL AND m.open > 0 AND u.disabled = 0
           AND max(m.last_event, coalesce(m.added_at, 0), coalesce(s.started_at, 0)) < ?1
         ORDER BY since, m.study_id, u.name LIMIT ?2",
    )?;
    let rows = statement.query_map(params![before.0, OVERVIEW_ROWS + 1], |row| {
        Ok(LateRater {
            study: StudyId(row.get("study_id")?),
            title: row.get("title")?,
            name: row.get("name")?,
            left: row.get("open")?,
            since: Timestamp(row.get("since")?),
        })
    })?;
    let mut late = rows.collect::<Result<Vec<_>, _>>()?;
    let more = late.len() > OVERVIEW_ROWS;
    late.truncate(OVERVIEW_ROWS);
    Ok((late, more))
}

/// Runs in progress, oldest first.
pub fn open_runs(conn: &Connection) -> Result<Vec<OpenRun>, Failure> {
    let ids: Vec<RunId> = runs::open_runs(conn, OVERVIEW_ROWS, true)?;
    let counts = runs::counts_of(conn, &ids)?;
    let mut open = Vec::new();
    for id in ids {
        let Some(run) = runs::get(conn, id)? else { continue };
        let (items, done, _) = counts.get(&id).copied().unwrap_or_default();
        open.push(OpenRun {
            id,
            model_name: run.model_name,
            dataset: run.dataset,
            done: done.into(),
            items: items.into(),
        });
    }
    Ok(open)
}

/// What others than this admin changed since a point in time, newest first.
pub fn changes(conn: &Connection, since: Option<Timestamp>, name: &str) -> Result<Vec<Entry>, Failure> {
    let filter = audit::Filter { since, ..audit::Filter::default() };
    let entries = audit::list(conn, &filter, None, CHANGES_READ)?;
    let others = entries.into_iter().filter(|entry| entry.person.as_deref() != Some(name));
    Ok(others.take(OVERVIEW_CHANGES).collect())
}

/// When an admin last opened the overview, and when the visit before that one ended.
pub fn visit(conn: &Connection, user: UserId) -> Result<(Option<Timestamp>, Option<Timestamp>), Failure> {
    let found = conn
        .prepare_cached("SELECT overview_at, visit_before FROM rater_settings WHERE user_id = ?1")?
        .query_row([user.0], |row| {
            let time = |column| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(column)?.map(Timestamp));
            Ok((time("overview_at")?, time("visit_before")?))
        })
        .optional()?;
    Ok(found.unwrap_or_default())
}

/// Records that an admin opens the overview. With `begins`, that begins another visit.
pub fn visited(conn: &Connection, user: UserId, at: Timestamp, begins: bool) -> Result<(), Failure> {
    conn.prepare_cached(
        "INSERT INTO rater_settings (user_id, overview_at) VALUES (?1, ?2)
         ON CONFLICT DO UPDATE SET visit_before = iif(?3, overview_at, visit_before), overview_at = excluded.overview_at",
    )?
    .execute(params![user.0, at.0, begins])?;
    Ok(())
}
