//! Announcements.

use model::{
    announcement::{Announced, Announcement, Audience, NewAnnouncement},
    day::Day,
    ids::{AnnouncementId, GroupId, StudyId, Token, UserId},
    lang::Bilingual,
    page::{PageOf, Paged},
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{
    page::{self, List, Sort},
    stored::{optional_parsed, table},
};
use base::{clock, error::Failure};

/// Whether the account `u` is in the audience of the announcement `a`.
const REACHES: &str = "u.disabled = 0 AND (
    coalesce(a.study_id, a.group_id, a.user_id) IS NULL OR a.user_id = u.id
    OR EXISTS (SELECT 1 FROM study_raters r WHERE r.study_id = a.study_id AND r.user_id = u.id AND r.removed_at IS NULL)
    OR EXISTS (SELECT 1 FROM person_group_members m WHERE m.group_id = a.group_id AND m.user_id = u.id))";

/// Whether `a` is shown on the day `?2`.
const SHOWN: &str = "a.withdrawn_at IS NULL AND (a.last_day IS NULL OR a.last_day >= ?2)";

fn today() -> Option<String> {
    Day::of(clock::now()).map(|day| day.to_string())
}

/// A page of the announcements.
pub fn list(conn: &Connection, of: &PageOf) -> Result<Paged<Announcement>, Failure> {
    let list = List {
        columns: "a.id, a.en, a.zh, a.study_id, a.group_id, a.user_id, a.last_day, a.created_at, a.withdrawn_at,
            coalesce(s.title, g.name, p.name, '') AS name, w.name AS author",
        table: "announcements a",
        joins: "LEFT JOIN all_studies s ON s.id = a.study_id LEFT JOIN person_groups g ON g.id = a.group_id
            LEFT JOIN users p ON p.id = a.user_id LEFT JOIN users w ON w.id = a.created_by",
        id: "a.id",
        within: "",
        filter: "",
        sorts: &[Sort::number("published", "a.id")],
        usual: "-published",
        search: "a.en || ' ' || a.zh",
        filters: &[],
    };
    let today = today();
    let mut page = page::page(conn, &list, of, &[], move |row| announcement(row, today.as_deref()))?;
    let ids: Vec<i64> = page.rows.iter().map(|row| row.id.0).collect();
    let mut statement = conn.prepare_cached(&format!(
        "SELECT a.id, count(*) AS people, count(d.user_id) AS read
         FROM json_each(?1) listed CROSS JOIN announcements a ON a.id = listed.value CROSS JOIN users u
             LEFT JOIN announcements_read d ON d.announcement_id = a.id AND d.user_id = u.id
         WHERE {REACHES} GROUP BY a.id"
    ))?;
    let mut rows = statement.query([serde_json::to_string(&ids)?])?;
    while let Some(row) = rows.next()? {
        let id = AnnouncementId(row.get("id")?);
        for listed in page.rows.iter_mut().filter(|listed| listed.id == id) {
            (listed.people, listed.read) = (row.get("people")?, row.get("read")?);
        }
    }
    Ok(page)
}

fn announcement(row: &Row<'_>, today: Option<&str>) -> rusqlite::Result<Announcement> {
    let last_day: Option<String> = row.get("last_day")?;
    let withdrawn_at: Option<i64> = row.get("withdrawn_at")?;
    let to = match (row.get("study_id")?, row.get("group_id")?, row.get("user_id")?) {
        (Some(id), ..) => Audience::Study(StudyId(id)),
        (_, Some(id), _) => Audience::Group(GroupId(id)),
        (.., Some(id)) => Audience::Account(UserId(id)),
        (None, None, None) => Audience::Everyone,
    };
    Ok(Announcement {
        id: AnnouncementId(row.get("id")?),
        to,
        name: row.get("name")?,
        text: Bilingual { en: row.get("en")?, zh: row.get("zh")? },
        is_shown: withdrawn_at.is_none() && last_day.as_deref().is_none_or(|last| today.is_none_or(|day| last >= day)),
        last_day: optional_parsed(row, table("announcements", &["id"]), "last_day")?,
        created_at: Timestamp(row.get("created_at")?),
        created_by: row.get("author")?,
        withdrawn_at: withdrawn_at.map(Timestamp),
        // Counted afterwards for the whole page.
        people: 0,
        read: 0,
    })
}

/// The name of an audience: the study's title, the group's name or the username; empty for everyone. `None` if it does
/// not exist.
pub fn audience_name(conn: &Connection, audience: Audience) -> Result<Option<String>, Failure> {
    let (statement, id) = match audience {
        Audience::Everyone => return Ok(Some(String::new())),
        Audience::Study(id) => ("SELECT title FROM studies WHERE id = ?1", id.0),
        Audience::Group(id) => ("SELECT name FROM person_groups WHERE id = ?1", id.0),
        Audience::Account(id) => ("SELECT name FROM users WHERE id = ?1", id.0),
    };
    Ok(conn.prepare_cached(statement)?.query_row([id], |row| row.get(0)).optional()?)
}

/// Everyone, the newest studies that are not closed, and the groups.
pub fn audiences(conn: &Connection) -> Result<Vec<(Audience, String)>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT * FROM (SELECT 0 AS kind, id, title AS name FROM studies WHERE status IN ('running', 'paused')
                        ORDER BY id DESC LIMIT 200)
         UNION ALL
         SELECT * FROM (SELECT 1 AS kind, id, name FROM person_groups ORDER BY name)",
    )?;
    let rows = statement.query_map([], |row| {
        let (kind, id, name): (i64, i64, String) = (row.get("kind")?, row.get("id")?, row.get("name")?);
        Ok((if kind == 0 { Audience::Study(StudyId(id)) } else { Audience::Group(GroupId(id)) }, name))
    })?;
    let everyone = std::iter::once(Ok((Audience::Everyone, String::new())));
    Ok(everyone.chain(rows).collect::<Result<_, _>>()?)
}

/// Adds an announcement.
pub fn insert(conn: &Connection, new: &NewAnnouncement, by: Option<UserId>) -> Result<AnnouncementId, Failure> {
    let (study, group, user) = match new.to {
        Audience::Everyone => (None, None, None),
        Audience::Study(id) => (Some(id.0), None, None),
        Audience::Group(id) => (None, Some(id.0), None),
        Audience::Account(id) => (None, None, Some(id.0)),
    };
    let last_day = new.last_day.map(|day| day.to_string());
    let token = clock::token();
    let id = conn.query_row(
        "INSERT INTO announcements (token, en, zh, study_id, group_id, user_id, last_day, created_at, created_by)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) RETURNING id",
        params![token.0, new.text.en, new.text.zh, study, group, user, last_day, clock::now().0, by.map(|by| by.0)],
        |row| row.get(0),
    )?;
    Ok(AnnouncementId(id))
}

/// Withdraws an announcement, if it is not withdrawn. `None` if it does not exist, otherwise whether it changed.
pub fn withdraw(conn: &Connection, id: AnnouncementId) -> Result<Option<bool>, Failure> {
    let found: Option<Option<i64>> =
        conn.query_row("SELECT withdrawn_at FROM announcements WHERE id = ?1", [id.0], |row| row.get(0)).optional()?;
    let Some(withdrawn_at) = found else { return Ok(None) };
    conn.execute(
        "UPDATE announcements SET withdrawn_at = coalesce(withdrawn_at, ?2) WHERE id = ?1",
        params![id.0, clock::now().0],
    )?;
    Ok(Some(withdrawn_at.is_none()))
}

/// The announcements that are shown to somebody, oldest first.
pub fn unread(conn: &Connection, user: UserId) -> Result<Vec<Announced>, Failure> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT a.token, a.en, a.zh, a.created_at FROM users u CROSS JOIN announcements a
         WHERE u.id = ?1 AND {SHOWN} AND {REACHES}
           AND NOT EXISTS (SELECT 1 FROM announcements_read d WHERE d.announcement_id = a.id AND d.user_id = u.id)
         ORDER BY a.id"
    ))?;
    let rows = statement.query_map(params![user.0, today()], |row| {
        Ok(Announced {
            token: Token(row.get("token")?),
            text: Bilingual { en: row.get("en")?, zh: row.get("zh")? },
            at: Timestamp(row.get("created_at")?),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Notes that somebody has read an announcement that reaches them; whether there is one.
pub fn note_read(conn: &Connection, user: UserId, announcement: &Token) -> Result<bool, Failure> {
    let found: Option<i64> = conn
        .prepare_cached(&format!(
            "SELECT a.id FROM announcements a CROSS JOIN users u ON u.id = ?1 WHERE a.token = ?2 AND {REACHES}"
        ))?
        .query_row(params![user.0, announcement.0], |row| row.get(0))
        .optional()?;
    let Some(id) = found else { return Ok(false) };
    conn.prepare_cached(
        "INSERT INTO announcements_read (announcement_id, user_id, read_at) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
    )?
    .execute(params![id, user.0, clock::now().0])?;
    Ok(true)
}
