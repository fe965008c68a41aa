//! Flags and replies to them.

use model::{
    flag::{Flag, FlagReason},
    grading::Draft,
    ids::{OutputId, StudyId, TaskId, Token, UserId},
    lang::Lang,
    page::{PageOf, Paged},
    quality::{FlagOn, FlagRow},
    text::excerpt,
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, params};

use crate::stored::{REVISIONS, json, parsed, table};
use base::{clock, error::Failure};

type Answer = Option<(String, Option<String>, i64, bool)>;

/// The reply to that flag, the newest if there are several.
fn answer(conn: &Connection, column: &str, on: i64, flag: &str) -> Result<Answer, Failure> {
    Ok(conn
        .prepare_cached(&format!(
            "SELECT f.reply, u.name, f.at, f.read_at IS NOT NULL AS is_read FROM flag_replies f
             LEFT JOIN users u ON u.id = f.replied_by
             WHERE f.{column} = ?1 AND f.flag = ?2 ORDER BY f.id DESC LIMIT 1"
        ))?
        .query_row(params![on, flag], |row| {
            Ok((row.get("reply")?, row.get("name")?, row.get("at")?, row.get("is_read")?))
        })
        .optional()?)
}

/// The order of flags in lists: their time, whether they are on a hidden check, and the number of what they are on.
type Key = (i64, bool, i64);

fn key(text: &str) -> Option<Key> {
    let mut parts = text.split('-');
    let key = (parts.next()?.parse().ok()?, parts.next()? == "check", parts.next()?.parse().ok()?);
    parts.next().is_none().then_some(key)
}

fn key_of(row: &FlagRow) -> String {
    match row.on {
        FlagOn::Assignment(id) => format!("{}-rating-{id}", row.at.0),
        FlagOn::Check(id) => format!("{}-check-{id}", row.at.0),
    }
}

/// A page of the study's flags, on ratings that count and on hidden checks, newest first. Pages go forwards only.
///
/// # Errors
/// `after` is not a key of this list.
pub fn page(conn: &Connection, study: StudyId, of: &PageOf) -> Result<Paged<FlagRow>, Failure> {
    let after = match &of.after {
        None => (i64::MAX, true, i64::MAX),
        Some(text) => key(text).ok_or_else(|| {
            Failure::invalid(
                "page",
                (format!("`{text}` is not a key of this list"), format!("“{text}”不是此列表的键")),
                ("Start at the first page", "请从第一页开始"),
            )
        })?,
    };
    let limit = of.limit.clamp(1, PageOf::MOST);
    let mut statement = conn.prepare_cached(
        "SELECT at, is_check, id FROM (
             SELECT r.at, 0 AS is_check, a.id FROM assignments a CROSS JOIN ratings r ON r.assignment_id = a.id
             WHERE a.study_id = ?1 AND r.flag IS NOT NULL AND r.replaced_at IS NULL
             UNION ALL
             SELECT r.at, 1 AS is_check, p.id FROM checks p CROSS JOIN check_ratings r ON r.check_id = p.id
             WHERE p.study_id = ?1 AND r.replaced_at IS NULL AND json_extract(r.draft, '$.flag') IS NOT NULL)
         WHERE (at, is_check, id) < (?2, ?3, ?4) ORDER BY at DESC, is_check DESC, id DESC LIMIT ?5 + 1",
    )?;
    let keys = statement.query_map(params![study.0, after.0, after.1, after.2, limit], |row| {
        Ok((row.get::<_, bool>("is_check")?, row.get::<_, i64>("id")?))
    })?;
    let keys = keys.collect::<Result<Vec<_>, _>>()?;
    let more = keys.len() > limit as usize;
    let flags = keys.into_iter().take(limit as usize).map(|(is_check, id)| {
        let flag = if is_check { on_check(conn, id)? } else { on_rating(conn, id)? };
        flag.ok_or_else(|| Failure::internal("a flag is gone within a snapshot"))
    });
    let rows = flags.collect::<Result<Vec<_>, Failure>>()?;
    let next = rows.last().filter(|_| more).map(key_of);
    Ok(Paged { rows, previous: None, next, found: None })
}

fn on_rating(conn: &Connection, assignment: i64) -> Result<Option<FlagRow>, Failure> {
    let found = conn
        .prepare_cached(
            "SELECT u.name AS rater, t.external_id, t.id AS task, v.id AS revision_id, v.raw_nl, v.nl_lang, m.name AS model, r.id, r.flag,
                 r.comment, r.at
             FROM assignments a
             CROSS JOIN ratings r ON r.assignment_id = a.id
             JOIN users u ON u.id = r.user_id
             CROSS JOIN outputs o ON o.id = a.output_id
             JOIN submissions s ON s.id = o.submission_id JOIN models m ON m.id = s.model_id
             JOIN task_revisions v ON v.id = o.revision_id JOIN tasks t ON t.id = v.task_id
             WHERE a.id = ?1 AND r.flag IS NOT NULL AND r.replaced_at IS NULL",
        )?
        .query_row([assignment], |row| {
            let flags = table("ratings", &["id"]);
            let made = FlagRow {
                on: FlagOn::Assignment(assignment),
                rater: row.get("rater")?,
                task_id: row.get("external_id")?,
                task: Some(TaskId(row.get("task")?)),
                raw_nl: excerpt(&row.get::<_, String>("raw_nl")?, 200),
                nl_lang: parsed(row, REVISIONS, "nl_lang")?,
                model: Some(row.get("model")?),
                flag: json(row, flags, "flag")?,
                comment: row.get("comment")?,
                at: Timestamp(row.get("at")?),
                answer: None,
                read: false,
            };
            Ok((row.get::<_, String>("flag")?, made))
        })
        .optional()?;
    let Some((flag, made)) = found else { return Ok(None) };
    let answer = answer(conn, "assignment_id", assignment, &flag)?;
    Ok(Some(with_answer(made, answer)?))
}

fn on_check(conn: &Connection, check: i64) -> Result<Option<FlagRow>, Failure> {
    let found = conn
        .prepare_cached(
            "SELECT u.name AS rater, t.external_id, v.id AS revision_id, v.raw_nl, v.nl_lang, r.id, r.draft, r.at
             FROM checks p
             CROSS JOIN check_ratings r ON r.check_id = p.id
             JOIN users u ON u.id = p.user_id
             LEFT JOIN known_items g ON g.id = p.known_item_id
             LEFT JOIN outputs o ON o.id = p.output_id
             JOIN task_revisions v ON v.id = coalesce(g.revision_id, o.revision_id) JOIN tasks t ON t.id = v.task_id
             WHERE p.id = ?1 AND r.replaced_at IS NULL",
        )?
        .query_row([check], |row| {
            let made = FlagRow {
                on: FlagOn::Check(check),
                rater: row.get("rater")?,
                task_id: row.get("external_id")?,
                task: None,
                raw_nl: excerpt(&row.get::<_, String>("raw_nl")?, 200),
                nl_lang: parsed(row, REVISIONS, "nl_lang")?,
                model: None,
                flag: Flag::plain(FlagReason::CannotJudge),
                comment: String::new(),
                at: Timestamp(row.get("at")?),
                answer: None,
                read: false,
            };
            Ok((json::<Draft>(row, table("check_ratings", &["id"]), "draft")?, made))
        })
        .optional()?;
    let Some((draft, made)) = found else { return Ok(None) };
    let Some(flag) = draft.flag else { return Ok(None) };
    let answer = answer(conn, "check_id", check, &serde_json::to_string(&flag)?)?;
    Ok(Some(with_answer(FlagRow { flag, comment: draft.comment, ..made }, answer)?))
}

fn with_answer(row: FlagRow, answer: Answer) -> Result<FlagRow, Failure> {
    Ok(match answer {
        Some((reply, by, at, read)) => {
            FlagRow { answer: Some((reply, by.unwrap_or_default(), Timestamp(at))), read, ..row }
        }
        None => row,
    })
}

/// The current flag on that item, as JSON, and its rater; `None` without one.
pub fn standing(conn: &Connection, study: StudyId, on: FlagOn) -> Result<Option<(UserId, String)>, Failure> {
    match on {
        FlagOn::Assignment(id) => Ok(conn
            .prepare_cached(
                "SELECT r.user_id, r.flag FROM ratings r JOIN assignments a ON a.id = r.assignment_id
                 WHERE a.id = ?1 AND a.study_id = ?2 AND r.flag IS NOT NULL AND r.replaced_at IS NULL",
            )?
            .query_row(params![id, study.0], |row| Ok((UserId(row.get("user_id")?), row.get("flag")?)))
            .optional()?),
        FlagOn::Check(id) => {
            let found: Option<(i64, Draft)> = conn
                .prepare_cached(
                    "SELECT p.user_id, r.id, r.draft FROM check_ratings r JOIN checks p ON p.id = r.check_id
                     WHERE p.id = ?1 AND p.study_id = ?2 AND r.replaced_at IS NULL",
                )?
                .query_row(params![id, study.0], |row| {
                    Ok((row.get("user_id")?, json(row, table("check_ratings", &["id"]), "draft")?))
                })
                .optional()?;
            let Some((user, draft)) = found else { return Ok(None) };
            Ok(draft.flag.map(|flag| serde_json::to_string(&flag)).transpose()?.map(|flag| (UserId(user), flag)))
        }
    }
}

/// The output of an assignment and its rating that counts; `None` without one.
pub fn rating(conn: &Connection, assignment: i64) -> Result<Option<(OutputId, i64)>, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT a.output_id, r.id FROM assignments a JOIN ratings r ON r.assignment_id = a.id AND r.replaced_at IS NULL
             WHERE a.id = ?1",
        )?
        .query_row([assignment], |row| Ok((OutputId(row.get("output_id")?), row.get("id")?)))
        .optional()?)
}

/// Stores a reply to a flag.
pub fn insert(
    conn: &Connection,
    study: StudyId,
    on: FlagOn,
    raised: (UserId, &str),
    reply: &str,
    by: Option<UserId>,
) -> Result<(), Failure> {
    let (assignment, check) = match on {
        FlagOn::Assignment(id) => (Some(id), None),
        FlagOn::Check(id) => (None, Some(id)),
    };
    conn.execute(
        "INSERT INTO flag_replies (study_id, user_id, assignment_id, check_id, flag, reply, replied_by, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![study.0, raised.0.0, assignment, check, raised.1, reply, by.map(|id| id.0), clock::now().0],
    )?;
    Ok(())
}

/// Number of the study's flags without a reply.
pub fn open(conn: &Connection, study: StudyId) -> Result<u64, Failure> {
    let query = "SELECT count(*) FROM inbox
                 WHERE study_id = ?1 AND kind IN ('flag', 'check_flag') AND done_at IS NULL";
    Ok(conn.prepare_cached(query)?.query_row([study.0], |row| row.get(0))?)
}

/// A reply as its rater sees it.
pub struct Reply {
    /// The output's opaque name.
    pub token: Token,
    /// The study's opaque name.
    pub study: Token,
    /// The study's title.
    pub title: String,
    /// The beginning of the description.
    pub raw_nl: String,
    pub nl_lang: Lang,
    /// The flag.
    pub flag: Flag,
    /// The reply.
    pub reply: String,
    /// Time of the reply.
    pub at: Timestamp,
    /// Whether the rater has not marked it as read.
    pub fresh: bool,
}

/// Replies to the rater's flags, newest first: the unread ones, and a number of the others.
pub fn replies(conn: &Connection, rater: UserId, read: u32) -> Result<Vec<Reply>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT coalesce(h.token, p.token) AS item, s.token, s.title, v.id AS revision_id, v.raw_nl, v.nl_lang, f.id, f.flag,
                f.reply, f.at,
                f.read_at IS NULL AS is_new
         FROM flag_replies f
         JOIN studies s ON s.id = f.study_id
         LEFT JOIN assignments a ON a.id = f.assignment_id
         LEFT JOIN handouts h ON h.study_id = a.study_id AND h.output_id = a.output_id AND h.user_id = f.user_id
         LEFT JOIN checks p ON p.id = f.check_id
         LEFT JOIN known_items g ON g.id = p.known_item_id
         LEFT JOIN outputs o ON o.id = coalesce(a.output_id, p.output_id)
         JOIN task_revisions v ON v.id = coalesce(g.revision_id, o.revision_id)
         WHERE f.user_id = ?1 AND coalesce(h.token, p.token) IS NOT NULL
         ORDER BY f.id DESC",
    )?;
    let rows = statement.query_map([rater.0], |row| {
        let reply = Reply {
            token: Token(row.get("item")?),
            study: Token(row.get("token")?),
            title: row.get("title")?,
            raw_nl: excerpt(&row.get::<_, String>("raw_nl")?, 200),
            nl_lang: parsed(row, REVISIONS, "nl_lang")?,
            flag: json(row, table("flag_replies", &["id"]), "flag")?,
            reply: row.get("reply")?,
            at: Timestamp(row.get("at")?),
            fresh: row.get("is_new")?,
        };
        Ok(reply)
    })?;
    let mut left = read;
    let mut found = Vec::new();
    for row in rows {
        let reply = row?;
        if !reply.fresh {
            if left == 0 {
                continue;
            }
            left -= 1;
        }
        found.push(reply);
    }
    Ok(found)
}

/// Replies to flags that the rater raised on the item they know under that name, newest first.
pub fn of_item(conn: &Connection, rater: UserId, token: &Token) -> Result<Vec<Reply>, Failure> {
    Ok(replies(conn, rater, u32::MAX)?.into_iter().filter(|reply| reply.token == *token).collect())
}

/// Records that the rater has read every reply.
pub fn read(conn: &Connection, rater: UserId) -> Result<(), Failure> {
    conn.execute(
        "UPDATE flag_replies SET read_at = ?2 WHERE user_id = ?1 AND read_at IS NULL",
        params![rater.0, clock::now().0],
    )?;
    Ok(())
}
