//! The admins' inbox. Triggers keep the table; here it is read, and items are dismissed.

use model::{
    flag::{Flag, FlagReason},
    grading::Draft,
    ids::{DeliveryId, OutputId, RunId, StudyId, UserId, WebhookId},
    inbox::{FAST_S, InboxAct, InboxFilter, InboxItem, InboxKind, LatestRating},
    page::{PageOf, Paged},
    quality::FlagOn,
    text::excerpt,
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{
    page::{self, List, Sort},
    quality::checks,
    routines::Routine,
    runs,
    stored::{REVISIONS, json, named, optional_json, parsed, scores, table},
};
use base::{clock, error::Failure};

/// Number of a rater's latest ratings that an item comes with.
const LATEST: u32 = 12;

/// The subject of an item, as stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A flag.
    Flag(FlagOn),
    /// An output.
    Disagreement(OutputId),
    /// A rater and what is wrong: [`InboxKind::Calibration`], [`InboxKind::Pace`] or [`InboxKind::Checks`].
    Rater(InboxKind, UserId),
    /// The item's study.
    Plan,
    /// A run and what is wrong: [`InboxKind::Run`] or [`InboxKind::Engine`].
    Run(InboxKind, RunId),
    /// A delivery.
    Delivery(DeliveryId),
    /// What the server does every day.
    Routine(Routine),
}

impl Subject {
    /// The kind of item.
    pub fn kind(self) -> InboxKind {
        match self {
            Subject::Flag(_) => InboxKind::Flag,
            Subject::Disagreement(_) => InboxKind::Disagreement,
            Subject::Rater(kind, _) | Subject::Run(kind, _) => kind,
            Subject::Plan => InboxKind::Plan,
            Subject::Delivery(_) => InboxKind::Delivery,
            Subject::Routine(Routine::Backup) => InboxKind::Backup,
            Subject::Routine(Routine::Integrity) => InboxKind::Integrity,
        }
    }

    fn of(kind: &str, number: i64) -> Option<Subject> {
        Some(match kind {
            "flag" => Subject::Flag(FlagOn::Assignment(number)),
            "check_flag" => Subject::Flag(FlagOn::Check(number)),
            "disagreement" => Subject::Disagreement(OutputId(number)),
            "calibration" => Subject::Rater(InboxKind::Calibration, UserId(number)),
            "pace" => Subject::Rater(InboxKind::Pace, UserId(number)),
            "checks" => Subject::Rater(InboxKind::Checks, UserId(number)),
            "plan" => Subject::Plan,
            "run" => Subject::Run(InboxKind::Run, RunId(number)),
            "engine" => Subject::Run(InboxKind::Engine, RunId(number)),
            "delivery" => Subject::Delivery(DeliveryId(number)),
            "backup" => Subject::Routine(Routine::Backup),
            "integrity" => Subject::Routine(Routine::Integrity),
            _ => return None,
        })
    }
}

/// An item that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    pub id: i64,
    /// Its study, if it belongs to one.
    pub study: Option<StudyId>,
    pub subject: Subject,
    /// Since when.
    pub since: Timestamp,
}

/// The stored names of a kind, as a JSON list; `null` for any.
fn names(kind: Option<InboxKind>) -> Option<String> {
    kind.map(|kind| match kind {
        InboxKind::Flag => r#"["flag","check_flag"]"#.to_owned(),
        other => format!("[\"{}\"]", other.code()),
    })
}

fn waiting(row: &Row<'_>) -> rusqlite::Result<Waiting> {
    let (study, number): (i64, i64) = (row.get("study_id")?, row.get("subject")?);
    Ok(Waiting {
        id: row.get("id")?,
        study: (study > 0).then_some(StudyId(study)),
        subject: named(row, table("inbox", &["id"]), "kind", |kind| Subject::of(kind, number))?,
        since: Timestamp(row.get("since")?),
    })
}

/// A page of the items that wait, in the order of their places.
pub fn list(conn: &Connection, filter: InboxFilter, of: &PageOf) -> Result<Paged<Waiting>, Failure> {
    // Each has an index of listed items only.
    let within = match filter.study {
        Some(_) => "i.listed AND i.study_id = ?4",
        None => "i.listed AND ?4 IS NULL",
    };
    let list = List {
        columns: "i.id, i.kind, i.study_id, i.subject, i.since",
        table: "inbox i",
        joins: "",
        id: "i.id",
        within,
        filter: "(?3 IS NULL OR i.kind IN (SELECT value FROM json_each(?3)))",
        sorts: &[Sort::number("place", "i.place")],
        usual: "place",
        search: "",
        filters: &[],
    };
    let study = filter.study.map(|id| id.0);
    page::page(conn, &list, of, &[&names(filter.kind), &study], waiting)
}

/// How many wait of each kind, of one study or in all; kinds without any are left out.
pub fn counts(conn: &Connection, study: Option<StudyId>) -> Result<Vec<(InboxKind, u64)>, Failure> {
    let mut statement = match study {
        Some(_) => conn.prepare_cached("SELECT kind, open FROM inbox_counts WHERE study_id = ?1")?,
        None => {
            conn.prepare_cached("SELECT kind, sum(open) AS open FROM inbox_counts WHERE ?1 IS NULL GROUP BY kind")?
        }
    };
    let rows = statement.query_map([study.map(|id| id.0)], |row| {
        let subject = named(row, table("inbox_counts", &["kind"]), "kind", |kind| Subject::of(kind, 0))?;
        Ok((subject.kind(), row.get::<_, u64>("open")?))
    })?;
    let mut counts = InboxKind::ALL.map(|kind| (kind, 0));
    for row in rows {
        let (kind, open) = row?;
        if let Some((_, count)) = counts.iter_mut().find(|(of, _)| *of == kind) {
            *count += open;
        }
    }
    Ok(counts.into_iter().filter(|(_, count)| *count > 0).collect())
}

/// How many items wait in all.
pub fn total(conn: &Connection) -> Result<u64, Failure> {
    Ok(conn.prepare_cached("SELECT coalesce(sum(open), 0) FROM inbox_counts")?.query_row([], |row| row.get(0))?)
}

/// Studies with items, with their titles and how many wait; the newest first.
pub fn studies(conn: &Connection) -> Result<Vec<(StudyId, String, u64)>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT s.id, s.title, sum(c.open) AS open FROM inbox_counts c CROSS JOIN studies s ON s.id = c.study_id
         WHERE c.open > 0 GROUP BY s.id ORDER BY s.id DESC",
    )?;
    let rows = statement.query_map([], |row| Ok((StudyId(row.get("id")?), row.get("title")?, row.get("open")?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// State of an item for somebody who wants to deal with it.
pub enum Found {
    /// It waits.
    Open(Waiting),
    /// It does not any more, and who dealt with it, if somebody did.
    Done(Option<String>),
}

/// The item with this number; `None` if there never was one.
pub fn get(conn: &Connection, id: i64) -> Result<Option<Found>, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT i.id, i.kind, i.study_id, i.subject, i.since, i.done_at IS NULL AS open, u.name
             FROM inbox i LEFT JOIN users u ON u.id = i.done_by WHERE i.id = ?1",
        )?
        .query_row([id], |row| {
            Ok(if row.get("open")? { Found::Open(waiting(row)?) } else { Found::Done(row.get("name")?) })
        })
        .optional()?)
}

/// Records who dealt with an item that no longer waits.
pub fn decided(conn: &Connection, id: i64, by: Option<UserId>) -> Result<(), Failure> {
    conn.prepare_cached("UPDATE inbox SET done_by = ?2 WHERE id = ?1 AND done_at IS NOT NULL")?
        .execute(params![id, by.map(|id| id.0)])?;
    Ok(())
}

/// What an admin asked for, and can undo until it is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requested {
    /// Its number.
    pub id: i64,
    pub act: InboxAct,
    /// The admin.
    pub by: UserId,
    /// The items.
    pub items: Vec<i64>,
}

/// Records what an admin asked for. Its items leave the list. Returns its number, by which it is undone.
pub fn request(conn: &Connection, act: InboxAct, items: &[i64], by: UserId, due: Timestamp) -> Result<i64, Failure> {
    conn.prepare_cached("INSERT INTO inbox_requests (act, user_id, due) VALUES (?1, ?2, ?3)")?.execute(params![
        act.code(),
        by.0,
        due.0
    ])?;
    let id = conn.last_insert_rowid();
    // The later of two admins' acts on an item replaces the earlier.
    let mut insert = conn.prepare_cached("INSERT OR REPLACE INTO inbox_acts (item, request) VALUES (?1, ?2)")?;
    for item in items {
        insert.execute([*item, id])?;
    }
    Ok(id)
}

/// The first request that is due at `now`.
pub fn due(conn: &Connection, now: Timestamp) -> Result<Option<Requested>, Failure> {
    let found = conn
        .prepare_cached("SELECT id, act, user_id FROM inbox_requests WHERE due <= ?1 ORDER BY due, id LIMIT 1")?
        .query_row([now.0], |row| {
            let act = parsed(row, table("inbox_requests", &["id"]), "act")?;
            Ok(Requested { id: row.get("id")?, act, by: UserId(row.get("user_id")?), items: Vec::new() })
        })
        .optional()?;
    let Some(request) = found else { return Ok(None) };
    let mut statement = conn.prepare_cached("SELECT item FROM inbox_acts WHERE request = ?1 ORDER BY item")?;
    let items = statement.query_map([request.id], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(Some(Requested { items, ..request }))
}

/// Removes a request. Those of its items that still wait are listed again. Returns how many it had.
pub fn end_request(conn: &Connection, id: i64) -> Result<u64, Failure> {
    let items = conn.prepare_cached("DELETE FROM inbox_acts WHERE request = ?1")?.execute([id])?;
    conn.prepare_cached("DELETE FROM inbox_requests WHERE id = ?1")?.execute([id])?;
    Ok(items as u64)
}

/// The admin who asked for this; `None` if it has been carried out or undone.
pub fn requested_by(conn: &Connection, id: i64) -> Result<Option<UserId>, Failure> {
    Ok(conn
        .prepare_cached("SELECT user_id FROM inbox_requests WHERE id = ?1")?
        .query_row([id], |row| Ok(UserId(row.get(0)?)))
        .optional()?)
}

/// Ends an item's part in a request.
pub fn end_act(conn: &Connection, item: i64) -> Result<(), Failure> {
    conn.prepare_cached("DELETE FROM inbox_acts WHERE item = ?1")?.execute([item])?;
    Ok(())
}

/// Does something and takes it back. Returns the error that it ended with.
pub fn try_out<T>(conn: &Connection, work: impl FnOnce() -> Result<T, Failure>) -> Result<Result<T, Failure>, Failure> {
    conn.execute_batch("SAVEPOINT try_out")?;
    let ended = work();
    conn.execute_batch("ROLLBACK TO try_out; RELEASE try_out")?;
    Ok(ended)
}

/// What a rater rated last in a study, newest first.
pub fn latest_ratings(conn: &Connection, study: StudyId, rater: UserId) -> Result<Vec<LatestRating>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT r.id, t.external_id, r.at, r.active_ms, c.scores
         FROM assignments a INDEXED BY assignments_by_rater
         CROSS JOIN ratings r ON r.assignment_id = a.id AND r.replaced_at IS NULL
         CROSS JOIN counted c ON c.study_id = a.study_id AND c.output_id = a.output_id AND c.rating_id = r.id
         CROSS JOIN outputs o ON o.id = a.output_id
         CROSS JOIN task_revisions v ON v.id = o.revision_id CROSS JOIN tasks t ON t.id = v.task_id
         WHERE a.study_id = ?1 AND a.user_id = ?2 AND a.rated_at IS NOT NULL ORDER BY a.rated_at DESC LIMIT ?3",
    )?;
    let rows = statement.query_map(params![study.0, rater.0, LATEST], |row| {
        Ok(LatestRating {
            task_id: row.get("external_id")?,
            at: Timestamp(row.get("at")?),
            active_ms: row.get("active_ms")?,
            scores: scores(row, table("counted", &["id"]), "scores")?,
            known: None,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The known-score items that a rater answered last in a study, newest first.
pub fn latest_checks(conn: &Connection, study: StudyId, rater: UserId) -> Result<Vec<LatestRating>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT r.id, p.known_item_id, t.external_id, r.at, r.draft, g.scores
         FROM checks p CROSS JOIN check_ratings r ON r.check_id = p.id AND r.replaced_at IS NULL
         CROSS JOIN known_items g ON g.id = p.known_item_id
         CROSS JOIN task_revisions v ON v.id = g.revision_id CROSS JOIN tasks t ON t.id = v.task_id
         WHERE p.study_id = ?1 AND p.user_id = ?2 AND p.rated_at IS NOT NULL ORDER BY p.id DESC LIMIT ?3",
    )?;
    let rows = statement.query_map(params![study.0, rater.0, LATEST], |row| {
        let draft: Draft = json(row, table("check_ratings", &["id"]), "draft")?;
        Ok(LatestRating {
            task_id: row.get("external_id")?,
            at: Timestamp(row.get("at")?),
            active_ms: draft.active_ms,
            scores: checks::scores(&draft),
            known: Some(json(row, table("known_items", &["known_item_id"]), "scores")?),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Takes an item out of the inbox until it happens again. For a rater, the measurement starts again.
pub fn dismiss(conn: &Connection, item: &Waiting, by: Option<UserId>) -> Result<(), Failure> {
    let study = item.study.map(|id| id.0);
    match item.subject {
        Subject::Rater(InboxKind::Pace, rater) => {
            conn.execute(
                "UPDATE rater_watch SET timed = 0, fast = 0 WHERE study_id = ?1 AND user_id = ?2",
                params![study, rater.0],
            )?;
            conn.execute(
                "UPDATE rater_limits SET fast = 0 WHERE study_id = ?1 AND user_id = ?2",
                params![study, rater.0],
            )?;
        }
        Subject::Rater(_, rater) => {
            conn.execute(
                "UPDATE rater_watch SET checks = 0, missed = 0 WHERE study_id = ?1 AND user_id = ?2",
                params![study, rater.0],
            )?;
            conn.execute(
                "UPDATE rater_limits SET missed = 0 WHERE study_id = ?1 AND user_id = ?2",
                params![study, rater.0],
            )?;
        }
        _ => {
            conn.execute("UPDATE inbox SET done_at = ?2 WHERE id = ?1", params![item.id, clock::now().0])?;
        }
    }
    decided(conn, item.id, by)
}

/// Opens or closes the item of a disagreement, if the output's ratings call for it.
pub fn look(conn: &Connection, study: StudyId, output: OutputId) -> Result<(), Failure> {
    conn.prepare_cached("INSERT INTO inbox_look (kind, study_id, subject) VALUES ('disagreement', ?1, ?2)")?
        .execute(params![study.0, output.0])?;
    Ok(())
}

/// The content of a flag's item; `None` if the flag is gone.
pub fn flag(conn: &Connection, on: FlagOn) -> Result<Option<InboxItem>, Failure> {
    let (sql, id) = match on {
        FlagOn::Assignment(id) => (
            "SELECT r.id, u.name, t.external_id, v.id AS revision_id, v.raw_nl, v.nl_lang, r.flag, r.comment, NULL AS draft
             FROM assignments a
             JOIN ratings r ON r.assignment_id = a.id AND r.replaced_at IS NULL
             JOIN users u ON u.id = r.user_id
             JOIN outputs o ON o.id = a.output_id
             JOIN task_revisions v ON v.id = o.revision_id JOIN tasks t ON t.id = v.task_id
             WHERE a.id = ?1",
            id,
        ),
        FlagOn::Check(id) => (
            "SELECT r.id, u.name, t.external_id, v.id AS revision_id, v.raw_nl, v.nl_lang, NULL AS flag, NULL AS comment,
                 r.draft
             FROM checks p
             JOIN check_ratings r ON r.check_id = p.id AND r.replaced_at IS NULL
             JOIN users u ON u.id = p.user_id
             LEFT JOIN known_items g ON g.id = p.known_item_id
             LEFT JOIN outputs o ON o.id = p.output_id
             JOIN task_revisions v ON v.id = coalesce(g.revision_id, o.revision_id) JOIN tasks t ON t.id = v.task_id
             WHERE p.id = ?1",
            id,
        ),
    };
    let read = |row: &Row<'_>| {
        let item = InboxItem::Flag {
            on,
            task_id: row.get("external_id")?,
            raw_nl: excerpt(&row.get::<_, String>("raw_nl")?, 200),
            nl_lang: parsed(row, REVISIONS, "nl_lang")?,
            rater: row.get("name")?,
            flag: Flag::plain(FlagReason::CannotJudge),
            comment: row.get::<_, Option<String>>("comment")?.unwrap_or_default(),
        };
        let flag: Option<Flag> = optional_json(row, table("ratings", &["id"]), "flag")?;
        let draft: Option<Draft> = optional_json(row, table("check_ratings", &["id"]), "draft")?;
        Ok((item, flag, draft))
    };
    let found = conn.prepare_cached(sql)?.query_row([id], read).optional()?;
    let Some((item, flag, draft)) = found else { return Ok(None) };
    let InboxItem::Flag { task_id, raw_nl, nl_lang, rater, comment, .. } = item else { return Ok(None) };
    let (flag, comment) = match draft {
        Some(draft) => (draft.flag, draft.comment),
        None => (flag, comment),
    };
    Ok(flag.map(|flag| InboxItem::Flag { on, task_id, raw_nl, nl_lang, rater, flag, comment }))
}

/// The content of a rater's item.
pub fn rater(conn: &Connection, study: StudyId, kind: InboxKind, rater: UserId) -> Result<Option<InboxItem>, Failure> {
    let found = conn
        .prepare_cached(
            "SELECT u.name, w.timed, w.fast, w.checks, w.missed, l.fast AS limit_fast, l.items, l.missed AS limit_missed,
                l.checks AS limit_checks, l.paused_at IS NOT NULL AS paused,
                (SELECT s.min_seconds FROM all_studies s WHERE s.id = ?1) AS seconds
             FROM users u LEFT JOIN rater_watch w ON w.study_id = ?1 AND w.user_id = u.id
             LEFT JOIN rater_limits l ON l.study_id = ?1 AND l.user_id = u.id WHERE u.id = ?2",
        )?
        .query_row(params![study.0, rater.0], |row| {
            let number = |name: &str| Ok::<_, rusqlite::Error>(row.get::<_, Option<u64>>(name)?.unwrap_or(0));
            // The study's own limits, if one was exceeded.
            let (count, of, seconds) = match kind {
                InboxKind::Pace if number("limit_fast")? > 0 => {
                    (number("limit_fast")?, number("items")?, row.get::<_, Option<u32>>("seconds")?.unwrap_or(0))
                }
                InboxKind::Pace => (number("fast")?, number("timed")?, FAST_S),
                InboxKind::Checks if number("limit_missed")? > 0 => {
                    (number("limit_missed")?, number("limit_checks")?, 0)
                }
                InboxKind::Checks => (number("missed")?, number("checks")?, 0),
                _ => (0, 0, 0),
            };
            Ok(InboxItem::Rater { rater, name: row.get("name")?, count, of, seconds, paused: row.get("paused")? })
        })
        .optional()?;
    Ok(found)
}

/// The content of a plan's item.
pub fn plan(conn: &Connection, study: StudyId) -> Result<Option<InboxItem>, Failure> {
    let found = conn
        .prepare_cached(
            "SELECT s.id, s.status, (SELECT count(*) FROM assignments a WHERE a.study_id = s.id AND a.user_id IS NULL
                                                                   AND a.rated_at IS NULL AND a.leased_until IS NULL) AS unassigned
             FROM studies s WHERE s.id = ?1",
        )?
        .query_row([study.0], |row| {
            Ok((parsed(row, table("all_studies", &["id"]), "status")?, row.get("unassigned")?))
        })
        .optional()?;
    let Some((status, unassigned)) = found else { return Ok(None) };
    let mut statement = conn.prepare_cached(
        "SELECT u.name FROM study_raters m JOIN users u ON u.id = m.user_id
         WHERE m.study_id = ?1 AND m.removed_at IS NULL AND m.open > 0 AND u.disabled <> 0 ORDER BY u.name",
    )?;
    let inactive = statement.query_map([study.0], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(Some(InboxItem::Plan { status, unassigned, inactive }))
}

/// The content of a run's item.
pub fn run(conn: &Connection, run: RunId) -> Result<Option<InboxItem>, Failure> {
    let Some(found) = runs::get(conn, run)? else { return Ok(None) };
    let errors = conn
        .prepare_cached(
            "SELECT count(*) FROM run_items INDEXED BY run_items_failed WHERE run_id = ?1 AND state = 'failed'",
        )?
        .query_row([run.0], |row| row.get(0))?;
    Ok(Some(InboxItem::Run { run, dataset: found.dataset, fault: found.fault, errors }))
}

/// The content of a delivery's item.
pub fn delivery(conn: &Connection, id: DeliveryId) -> Result<Option<InboxItem>, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT w.id, w.url, d.id AS delivery, d.status, d.error, d.attempts
             FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE d.id = ?1",
        )?
        .query_row([id.0], |row| {
            Ok(InboxItem::Delivery {
                webhook: WebhookId(row.get("id")?),
                url: row.get("url")?,
                status: row.get("status")?,
                error: optional_json(row, table("webhook_deliveries", &["delivery"]), "error")?,
                attempts: row.get("attempts")?,
            })
        })
        .optional()?)
}
