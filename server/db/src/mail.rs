//! Email: where people get it, what they chose, and the messages on their way.

use model::{
    day::Day,
    display::Display,
    fault::MailFault,
    ids::{StudyId, UserId},
    lang::Lang,
    mail::{Digest, MailKind, MailRow, MailState, MyMail, PROBLEMS_SHOWN},
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{
    plan::STUDY_ROWS,
    stored::{Table, optional_json, optional_parsed, parsed, table},
};
use base::error::Failure;

const OUTBOX: Table = table("mail_outbox", &["id"]);
const ADDRESSES: Table = table("mail_addresses", &["user_id"]);
const USERS: Table = table("users", &["user_id"]);
const SETTINGS: Table = table("rater_settings", &["user_id"]);

/// A message to store.
pub struct NewMessage<'a> {
    pub kind: MailKind,
    pub address: &'a str,
    /// Who gets it, if that is an account.
    pub user: Option<UserId>,
    pub invitation: Option<i64>,
    pub study: Option<StudyId>,
    /// Who asked for it, for the limits of what one person can have sent.
    pub asked_by: Option<UserId>,
    pub subject: &'a str,
    pub body: &'a str,
    pub created_at: Timestamp,
    /// When it is due.
    pub next_at: Timestamp,
}

/// A message that is to be sent now.
#[derive(Clone, Debug)]
pub struct Due {
    pub id: i64,
    pub kind: MailKind,
    pub address: String,
    pub subject: String,
    pub body: String,
    /// Attempts before this one.
    pub attempts: u32,
    pub created_at: Timestamp,
    /// The person and the study that it is about.
    pub about: Option<(UserId, StudyId)>,
}

/// Someone who is to learn that a study is due tomorrow, if that is so where they are.
pub struct DuePerson {
    pub user: UserId,
    pub study: StudyId,
    pub title: String,
    pub due: Day,
    pub address: String,
    pub lang: Lang,
    pub display: Display,
}

/// An admin who gets digests.
pub struct DigestPerson {
    pub user: UserId,
    pub name: String,
    pub digest: Digest,
    /// When the last one was written, or the choice was made.
    pub last: Timestamp,
    pub address: String,
    pub lang: Lang,
    pub display: Display,
}

/// What a person has chosen; `None` without an address.
pub fn chosen(conn: &Connection, user: UserId) -> Result<Option<MyMail>, Failure> {
    Ok(conn
        .prepare_cached("SELECT user_id, address, verified_at, due, digest FROM mail_addresses WHERE user_id = ?1")?
        .query_row([user.0], |row| {
            Ok(MyMail {
                address: row.get("address")?,
                verified: row.get::<_, Option<i64>>("verified_at")?.is_some(),
                due: row.get("due")?,
                digest: parsed(row, ADDRESSES, "digest")?,
            })
        })
        .optional()?)
}

/// Stores a person's address and choice. `verified_at` says that it is theirs; without it, `link` verifies it until a time.
pub fn set(
    conn: &Connection,
    user: UserId,
    mail: &MyMail,
    verified_at: Option<Timestamp>,
    link: Option<(&str, Timestamp)>,
    now: Timestamp,
) -> Result<(), Failure> {
    conn.prepare_cached(
        "REPLACE INTO mail_addresses (user_id, address, verified_at, secret_hash, expires_at, due, digest, digest_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![
        user.0,
        mail.address,
        verified_at.map(|at| at.0),
        link.map(|(hash, _)| hash),
        link.map(|(_, until)| until.0),
        mail.due,
        mail.digest.code(),
        now.0
    ])?;
    Ok(())
}

/// Changes what a person gets. A digest that was off begins now.
pub fn set_choice(conn: &Connection, user: UserId, due: bool, digest: Digest, now: Timestamp) -> Result<(), Failure> {
    conn.prepare_cached(
        "UPDATE mail_addresses SET due = ?2, digest = ?3, digest_at = iif(digest = ?3, digest_at, ?4) WHERE user_id = ?1",
    )?
    .execute(params![user.0, due, digest.code(), now.0])?;
    Ok(())
}

const WITHDRAW: &str =
    "UPDATE mail_outbox SET state = 'withdrawn', error = NULL, body = '', ended_at = ?2, next_at = NULL";

/// Removes a person's address, and withdraws what was to be sent to it.
pub fn remove(conn: &Connection, user: UserId, now: Timestamp) -> Result<(), Failure> {
    conn.prepare_cached("DELETE FROM mail_addresses WHERE user_id = ?1")?.execute([user.0])?;
    conn.prepare_cached(&format!("{WITHDRAW} WHERE user_id = ?1 AND state = 'waiting'"))?.execute([user.0, now.0])?;
    Ok(())
}

/// The username and address that a link with this secret verifies.
pub fn to_verify(conn: &Connection, secret_hash: &str, now: Timestamp) -> Result<Option<(String, String)>, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT u.name, a.address FROM mail_addresses a JOIN users u ON u.id = a.user_id
             WHERE a.secret_hash = ?1 AND a.expires_at > ?2 AND u.disabled = 0",
        )?
        .query_row(params![secret_hash, now.0], |row| Ok((row.get("name")?, row.get("address")?)))
        .optional()?)
}

/// Marks the address of a link as verified. Returns whether the link was valid.
pub fn verify(conn: &Connection, secret_hash: &str, now: Timestamp) -> Result<bool, Failure> {
    let changed = conn
        .prepare_cached(
            "UPDATE mail_addresses SET verified_at = ?2, secret_hash = NULL, expires_at = NULL, digest_at = ?2
             WHERE secret_hash = ?1 AND expires_at > ?2",
        )?
        .execute(params![secret_hash, now.0])?;
    Ok(changed > 0)
}

/// Ends notices of a kind to an address; for other kinds, all email to it.
pub fn stop(conn: &Connection, kind: MailKind, address: &str, now: Timestamp) -> Result<(), Failure> {
    let what = match kind {
        MailKind::Due => "due = 0",
        MailKind::Digest => "digest = 'off'",
        MailKind::Verify | MailKind::Invitation | MailKind::Test => {
            conn.prepare_cached(
                "INSERT INTO mail_stops (address, created_at) VALUES (lower(?1), ?2) ON CONFLICT DO NOTHING",
            )?
            .execute(params![address, now.0])?;
            "due = 0, digest = 'off'"
        }
    };
    conn.prepare_cached(&format!("UPDATE mail_addresses SET {what} WHERE address = ?1 COLLATE NOCASE"))?
        .execute([address])?;
    Ok(())
}

/// Lets email be sent to an address again.
pub fn allow(conn: &Connection, address: &str) -> Result<(), Failure> {
    conn.prepare_cached("DELETE FROM mail_stops WHERE address = lower(?1)")?.execute([address])?;
    Ok(())
}

/// Whether email of a kind to an address was ended.
pub fn is_stopped(conn: &Connection, kind: MailKind, address: &str) -> Result<bool, Failure> {
    let query = match kind {
        MailKind::Due => {
            "SELECT NOT EXISTS (SELECT 1 FROM mail_addresses WHERE address = ?1 COLLATE NOCASE AND due = 1)"
        }
        MailKind::Digest => {
            "SELECT NOT EXISTS (SELECT 1 FROM mail_addresses WHERE address = ?1 COLLATE NOCASE AND digest <> 'off')"
        }
        MailKind::Verify | MailKind::Invitation | MailKind::Test => {
            "SELECT EXISTS (SELECT 1 FROM mail_stops WHERE address = lower(?1))"
        }
    };
    Ok(conn.prepare_cached(query)?.query_row([address], |row| row.get(0))?)
}

/// The key that signs the links that end email.
pub fn key(conn: &Connection) -> Result<Vec<u8>, Failure> {
    Ok(conn.query_row("SELECT key FROM mail_key WHERE id = 1", [], |row| row.get(0))?)
}

/// How many messages of a kind a person has asked for since a time.
pub fn asked_for(conn: &Connection, user: UserId, kind: MailKind, since: Timestamp) -> Result<u32, Failure> {
    let query = "SELECT count(*) FROM mail_outbox WHERE asked_by = ?1 AND kind = ?2 AND created_at > ?3";
    Ok(conn.prepare_cached(query)?.query_row(params![user.0, kind.code(), since.0], |row| row.get(0))?)
}

/// How many verifications and invitations were written to an address since a time.
pub fn asked_to(conn: &Connection, address: &str, since: Timestamp) -> Result<u32, Failure> {
    let query = "SELECT count(*) FROM mail_outbox
        WHERE address = ?1 COLLATE NOCASE AND created_at > ?2 AND kind IN ('verify', 'invitation')";
    Ok(conn.prepare_cached(query)?.query_row(params![address, since.0], |row| row.get(0))?)
}

/// Stores a message; returns its number.
pub fn insert(conn: &Connection, new: &NewMessage<'_>) -> Result<i64, Failure> {
    conn.prepare_cached(
        "INSERT INTO mail_outbox (kind, address, user_id, invitation_id, study_id, asked_by, subject, body, state,
             created_at, next_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'waiting', ?9, ?10)",
    )?
    .execute(params![
        new.kind.code(),
        new.address,
        new.user.map(|id| id.0),
        new.invitation,
        new.study.map(|id| id.0),
        new.asked_by.map(|id| id.0),
        new.subject,
        new.body,
        new.created_at.0,
        new.next_at.0
    ])?;
    Ok(conn.last_insert_rowid())
}

const MESSAGE: &str =
    "SELECT id, kind, address, subject, body, attempts, created_at, user_id, study_id FROM mail_outbox";

/// Whether any message is due.
pub fn is_due(conn: &Connection, now: Timestamp) -> Result<bool, Failure> {
    let query = "SELECT 1 FROM mail_outbox WHERE state = 'waiting' AND next_at <= ?1 LIMIT 1";
    Ok(conn.prepare_cached(query)?.exists([now.0])?)
}

/// Reserves the message that has been due longest until `until`. If the server stops during an attempt, the message is
/// sent again after that time.
pub fn claim(conn: &Connection, now: Timestamp, until: Timestamp) -> Result<Option<Due>, Failure> {
    let found = conn
        .prepare_cached(&format!("{MESSAGE} WHERE state = 'waiting' AND next_at <= ?1 ORDER BY next_at, id LIMIT 1"))?
        .query_row([now.0], due)
        .optional()?;
    if let Some(due) = &found {
        conn.prepare_cached("UPDATE mail_outbox SET next_at = ?2 WHERE id = ?1")?.execute([due.id, until.0])?;
    }
    Ok(found)
}

/// One message.
pub fn get(conn: &Connection, id: i64) -> Result<Option<Due>, Failure> {
    Ok(conn.prepare_cached(&format!("{MESSAGE} WHERE id = ?1"))?.query_row([id], due).optional()?)
}

/// Whether there is still a reason to send a message: the recipient may have chosen otherwise meanwhile. Whether a rater
/// has anything left is not looked at.
pub fn still_applies(conn: &Connection, id: i64, kind: MailKind) -> Result<bool, Failure> {
    let condition = match kind {
        MailKind::Verify => {
            "EXISTS (SELECT 1 FROM mail_addresses a WHERE a.user_id = o.user_id AND a.address = o.address
                 AND a.secret_hash IS NOT NULL)"
        }
        MailKind::Invitation => {
            "EXISTS (SELECT 1 FROM invitations i WHERE i.id = o.invitation_id AND i.used_by IS NULL AND i.revoked_at IS NULL)"
        }
        MailKind::Due => {
            "EXISTS (SELECT 1 FROM mail_addresses a JOIN users u ON u.id = a.user_id
                 JOIN study_raters m ON m.user_id = a.user_id AND m.study_id = o.study_id
                 JOIN studies s ON s.id = m.study_id
                 WHERE a.user_id = o.user_id AND a.address = o.address AND a.verified_at IS NOT NULL AND a.due = 1
                     AND u.disabled = 0 AND s.status = 'running' AND s.archived_at IS NULL
                     AND m.removed_at IS NULL
                     AND NOT EXISTS (SELECT 1 FROM rater_limits l
                         WHERE l.study_id = s.id AND l.user_id = a.user_id AND l.paused_at IS NOT NULL))"
        }
        MailKind::Digest => {
            "EXISTS (SELECT 1 FROM mail_addresses a JOIN users u ON u.id = a.user_id
                 WHERE a.user_id = o.user_id AND a.address = o.address AND a.verified_at IS NOT NULL
                     AND a.digest <> 'off' AND u.disabled = 0 AND u.role = 'admin')"
        }
        MailKind::Test => "1",
    };
    let query = format!("SELECT {condition} FROM mail_outbox o WHERE o.id = ?1");
    Ok(conn.prepare_cached(&query)?.query_row([id], |row| row.get(0)).optional()?.unwrap_or(false))
}

/// Records that a message was sent.
pub fn sent(conn: &Connection, id: i64, now: Timestamp) -> Result<(), Failure> {
    conn.prepare_cached(
        "UPDATE mail_outbox SET state = 'sent', attempts = attempts + 1, error = NULL, body = '', ended_at = ?2, next_at = NULL
         WHERE id = ?1",
    )?
    .execute([id, now.0])?;
    Ok(())
}

/// Records that an attempt failed. Without a next one, the message is given up. A message that was withdrawn meanwhile
/// stays so.
pub fn failed(
    conn: &Connection,
    id: i64,
    why: &MailFault,
    next_at: Option<Timestamp>,
    now: Timestamp,
) -> Result<(), Failure> {
    let why = serde_json::to_string(why)?;
    match next_at {
        Some(next) => conn
            .prepare_cached("UPDATE mail_outbox SET attempts = attempts + 1, error = ?2, next_at = ?3 WHERE id = ?1 AND state = 'waiting'")?
            .execute(params![id, why, next.0])?,
        None => conn
            .prepare_cached(
                "UPDATE mail_outbox SET state = 'failed', attempts = attempts + 1, error = ?2, body = '', ended_at = ?3,
                     next_at = NULL WHERE id = ?1 AND state = 'waiting'",
            )?
            .execute(params![id, why, now.0])?,
    };
    Ok(())
}

/// Withdraws a message for which there is no reason any more. The limits of what is sent still count it.
pub fn withdraw(conn: &Connection, id: i64, now: Timestamp) -> Result<(), Failure> {
    conn.prepare_cached(&format!("{WITHDRAW} WHERE id = ?1 AND state = 'waiting'"))?.execute([id, now.0])?;
    Ok(())
}

/// Deletes messages that were sent, given up or withdrawn before a time, and with `unsent` those that were due before it
/// and wait.
pub fn forget(conn: &Connection, before: Timestamp, unsent: Option<Timestamp>) -> Result<usize, Failure> {
    let ended = conn
        .prepare_cached("DELETE FROM mail_outbox WHERE state IN ('sent', 'failed', 'withdrawn') AND ended_at < ?1")?
        .execute([before.0])?;
    let waiting = match unsent {
        Some(due) => {
            conn.prepare_cached("DELETE FROM mail_outbox WHERE state = 'waiting' AND next_at < ?1")?.execute([due.0])?
        }
        None => 0,
    };
    Ok(ended + waiting)
}

/// Messages that wait, messages that were given up, and when one was last sent.
pub fn counts(conn: &Connection) -> Result<(u64, u64, Option<Timestamp>), Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT (SELECT count(*) FROM mail_outbox WHERE state = 'waiting') AS waiting,
                 (SELECT count(*) FROM mail_outbox WHERE state = 'failed') AS failed,
                 (SELECT max(ended_at) FROM mail_outbox WHERE state = 'sent') AS sent_at",
        )?
        .query_row([], |row| {
            let sent_at = row.get::<_, Option<i64>>("sent_at")?.map(Timestamp);
            Ok((row.get("waiting")?, row.get("failed")?, sent_at))
        })?)
}

/// The newest messages that failed at least once and were not sent.
pub fn problems(conn: &Connection) -> Result<Vec<MailRow>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT id, kind, address, state, attempts, error, created_at, next_at FROM mail_outbox WHERE error IS NOT NULL
         ORDER BY id DESC LIMIT ?1",
    )?;
    let rows = statement.query_map([PROBLEMS_SHOWN], |row| {
        Ok(MailRow {
            kind: parsed(row, OUTBOX, "kind")?,
            address: row.get("address")?,
            state: parsed::<MailState>(row, OUTBOX, "state")?,
            attempts: row.get("attempts")?,
            error: optional_json(row, OUTBOX, "error")?,
            created_at: Timestamp(row.get("created_at")?),
            next_at: row.get::<_, Option<i64>>("next_at")?.map(Timestamp),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Raters of studies that are due on a day from `first` to `last`, who want to know and have no notice of
/// this date yet. Whether they have anything left is in their own progress, which counts hidden checks.
pub fn due_people(conn: &Connection, first: Day, last: Day) -> Result<Vec<DuePerson>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT s.id, s.title, s.due, m.user_id, a.address, u.lang, r.display
         FROM studies s JOIN study_raters m ON m.study_id = s.id JOIN users u ON u.id = m.user_id
             JOIN mail_addresses a ON a.user_id = m.user_id LEFT JOIN rater_settings r ON r.user_id = m.user_id
         WHERE s.status = 'running' AND s.archived_at IS NULL AND s.due BETWEEN ?1 AND ?2
             AND m.removed_at IS NULL AND u.disabled = 0 AND a.verified_at IS NOT NULL AND a.due = 1
             AND NOT EXISTS (SELECT 1 FROM rater_limits l
                 WHERE l.study_id = s.id AND l.user_id = m.user_id AND l.paused_at IS NOT NULL)
             AND NOT EXISTS (SELECT 1 FROM due_notices n
                 WHERE n.study_id = s.id AND n.user_id = m.user_id AND n.due = s.due)",
    )?;
    let rows = statement.query_map([first.to_string(), last.to_string()], |row| {
        Ok(DuePerson {
            user: UserId(row.get("user_id")?),
            study: StudyId(row.get("id")?),
            title: row.get("title")?,
            due: parsed(row, STUDY_ROWS.column("settings"), "due")?,
            address: row.get("address")?,
            lang: optional_parsed(row, USERS, "lang")?.unwrap_or_default(),
            display: optional_parsed(row, SETTINGS, "display")?.unwrap_or_default(),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Records that a person is written to about a study's due date. Returns whether they were not yet.
pub fn note_due(conn: &Connection, study: StudyId, user: UserId, due: Day) -> Result<bool, Failure> {
    let query = "INSERT INTO due_notices (study_id, user_id, due) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
    Ok(conn.prepare_cached(query)?.execute(params![study.0, user.0, due.to_string()])? > 0)
}

/// Admins who get digests.
pub fn digest_people(conn: &Connection) -> Result<Vec<DigestPerson>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT a.user_id, u.name, a.digest, a.digest_at, a.address, u.lang, r.display
         FROM mail_addresses a JOIN users u ON u.id = a.user_id LEFT JOIN rater_settings r ON r.user_id = a.user_id
         WHERE a.digest <> 'off' AND a.verified_at IS NOT NULL AND u.role = 'admin' AND u.disabled = 0",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(DigestPerson {
            user: UserId(row.get("user_id")?),
            name: row.get("name")?,
            digest: parsed(row, ADDRESSES, "digest")?,
            last: Timestamp(row.get("digest_at")?),
            address: row.get("address")?,
            lang: optional_parsed(row, USERS, "lang")?.unwrap_or_default(),
            display: optional_parsed(row, SETTINGS, "display")?.unwrap_or_default(),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Records that a digest was written, or that there was nothing to write. Returns whether nobody has done that since
/// `last`.
pub fn note_digest(conn: &Connection, user: UserId, last: Timestamp, now: Timestamp) -> Result<bool, Failure> {
    let query = "UPDATE mail_addresses SET digest_at = ?3 WHERE user_id = ?1 AND digest_at = ?2";
    Ok(conn.prepare_cached(query)?.execute([user.0, last.0, now.0])? > 0)
}

fn due(row: &Row<'_>) -> rusqlite::Result<Due> {
    Ok(Due {
        id: row.get("id")?,
        kind: parsed(row, OUTBOX, "kind")?,
        address: row.get("address")?,
        subject: row.get("subject")?,
        body: row.get("body")?,
        attempts: row.get("attempts")?,
        created_at: Timestamp(row.get("created_at")?),
        about: row
            .get::<_, Option<i64>>("user_id")?
            .zip(row.get::<_, Option<i64>>("study_id")?)
            .map(|(user, study)| (UserId(user), StudyId(study))),
    })
}
