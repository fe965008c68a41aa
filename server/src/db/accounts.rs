//! People, invitations and failed log-ins.

use app::model::{
    ids::UserId,
    keys::Settings,
    lang::Lang,
    time::Timestamp,
    user::{Invitation, Me, Role, UserRow},
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::{clock, error::Failure};

/// An account as the log-in needs it.
pub struct Account {
    /// The person.
    pub me: Me,
    /// Whether they ever chose a language.
    pub lang_chosen: bool,
    /// argon2id, as a PHC string.
    pub password_hash: String,
    /// Whether logging in is switched off.
    pub disabled: bool,
    /// Sessions of an earlier epoch have ended.
    pub epoch: i64,
}

const ACCOUNT: &str = "SELECT id, name, role, lang, password_hash, disabled, epoch, s.keys, s.tour_at
    FROM users LEFT JOIN rater_settings s ON s.user_id = users.id";

/// The account of that name, in any case of its letters.
pub fn by_name(conn: &Connection, name: &str) -> Result<Option<Account>, Failure> {
    Ok(conn.prepare_cached(&format!("{ACCOUNT} WHERE name = ?1"))?.query_row([name], account).optional()?)
}

/// The account of that number.
pub fn by_id(conn: &Connection, id: UserId) -> Result<Option<Account>, Failure> {
    Ok(conn.prepare_cached(&format!("{ACCOUNT} WHERE id = ?1"))?.query_row([id.0], account).optional()?)
}

/// Everybody, by name.
pub fn list(conn: &Connection) -> Result<Vec<UserRow>, Failure> {
    let mut statement = conn.prepare_cached(
        "SELECT u.id, u.name, u.role, u.created_at, u.disabled,
                (SELECT coalesce(sum(m.rated), 0) FROM study_raters m WHERE m.user_id = u.id),
                coalesce(u.reads, 'en zh')
         FROM users u
         -- Not the raters of an import that is not complete.
         WHERE NOT EXISTS (SELECT 1 FROM study_raters m JOIN all_studies s ON s.id = m.study_id
             WHERE m.user_id = u.id AND s.importing_until IS NOT NULL)
         ORDER BY u.name",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(UserRow {
            id: UserId(row.get(0)?),
            name: row.get(1)?,
            role: parsed(row, 2)?,
            created_at: Timestamp(row.get(3)?),
            disabled: row.get(4)?,
            ratings: row.get(5)?,
            reads: parsed(row, 6)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// How many admins can log in.
pub fn admins(conn: &Connection) -> Result<u64, Failure> {
    Ok(conn.query_row("SELECT count(*) FROM users WHERE role = 'admin' AND disabled = 0", [], |row| row.get(0))?)
}

/// Makes an account; `None` where the name is taken.
pub fn insert(conn: &Connection, name: &str, role: Role, password_hash: &str) -> Result<Option<UserId>, Failure> {
    let id = conn
        .prepare_cached(
            "INSERT INTO users (name, role, password_hash, created_at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (name) DO NOTHING RETURNING id",
        )?
        .query_row(params![name, role.code(), password_hash, clock::now().0], |row| row.get(0))
        .optional()?;
    Ok(id.map(UserId))
}

/// Sets a password and ends every session of the account.
pub fn set_password(conn: &Connection, id: UserId, password_hash: &str) -> Result<i64, Failure> {
    Ok(conn.query_row(
        "UPDATE users SET password_hash = ?2, epoch = epoch + 1 WHERE id = ?1 RETURNING epoch",
        params![id.0, password_hash],
        |row| row.get(0),
    )?)
}

/// Switches logging in off (which ends every session) or on; whether there is such an account.
pub fn set_disabled(conn: &Connection, id: UserId, disabled: bool) -> Result<bool, Failure> {
    let changed =
        conn.execute("UPDATE users SET disabled = ?2, epoch = epoch + ?2 WHERE id = ?1", params![id.0, disabled])?;
    Ok(changed > 0)
}

/// Remembers a language.
pub fn set_lang(conn: &Connection, id: UserId, lang: Lang) -> Result<(), Failure> {
    conn.execute("UPDATE users SET lang = ?2 WHERE id = ?1", params![id.0, lang.code()])?;
    Ok(())
}

const INVITATION: &str = "SELECT i.id, i.label, i.role, i.created_at, i.expires_at, u.name,
        i.used_by IS NULL AND i.revoked_at IS NULL AND i.expires_at > ?1
    FROM invitations i LEFT JOIN users u ON u.id = i.used_by";

/// Every invitation, newest first.
pub fn invitations(conn: &Connection) -> Result<Vec<Invitation>, Failure> {
    let mut statement = conn.prepare_cached(&format!("{INVITATION} ORDER BY i.id DESC"))?;
    let rows = statement.query_map([clock::now().0], invitation)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The invitation whose secret hashes to this, where it is open.
pub fn open_invitation(conn: &Connection, secret_hash: &str) -> Result<Option<Invitation>, Failure> {
    let found = conn
        .prepare_cached(&format!("{INVITATION} WHERE i.secret_hash = ?2"))?
        .query_row(params![clock::now().0, secret_hash], invitation)
        .optional()?;
    Ok(found.filter(|invitation| invitation.open))
}

/// Makes an invitation.
pub fn insert_invitation(
    conn: &Connection,
    secret_hash: &str,
    label: &str,
    role: Role,
    by: Option<UserId>,
    expires_at: Timestamp,
) -> Result<(), Failure> {
    conn.execute(
        "INSERT INTO invitations (secret_hash, label, role, created_by, created_at, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![secret_hash, label, role.code(), by.map(|id| id.0), clock::now().0, expires_at.0],
    )?;
    Ok(())
}

/// Marks an invitation as used.
pub fn use_invitation(conn: &Connection, id: i64, by: UserId) -> Result<(), Failure> {
    conn.execute("UPDATE invitations SET used_by = ?2, used_at = ?3 WHERE id = ?1", params![id, by.0, clock::now().0])?;
    Ok(())
}

/// Ends an invitation; whether there was an unused one.
pub fn revoke_invitation(conn: &Connection, id: i64) -> Result<bool, Failure> {
    let changed = conn.execute(
        "UPDATE invitations SET revoked_at = ?2 WHERE id = ?1 AND used_by IS NULL AND revoked_at IS NULL",
        params![id, clock::now().0],
    )?;
    Ok(changed > 0)
}

fn account(row: &Row<'_>) -> rusqlite::Result<Account> {
    let lang: Option<String> = row.get(3)?;
    Ok(Account {
        me: Me {
            id: UserId(row.get(0)?),
            name: row.get(1)?,
            role: parsed(row, 2)?,
            lang: lang.as_deref().and_then(|code| code.parse().ok()).unwrap_or_default(),
            settings: settings(row.get(7)?, row.get(8)?),
        },
        lang_chosen: lang.is_some(),
        password_hash: row.get(4)?,
        disabled: row.get(5)?,
        epoch: row.get(6)?,
    })
}

/// Keys that this version does not understand are left as they come: nobody is kept out for them.
fn settings(keys: Option<String>, tour_at: Option<i64>) -> Settings {
    let keys = keys.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default();
    Settings { keys, toured: tour_at.is_some() }
}

fn invitation(row: &Row<'_>) -> rusqlite::Result<Invitation> {
    Ok(Invitation {
        id: row.get(0)?,
        label: row.get(1)?,
        role: parsed(row, 2)?,
        created_at: Timestamp(row.get(3)?),
        expires_at: Timestamp(row.get(4)?),
        used_by: row.get(5)?,
        open: row.get(6)?,
    })
}

/// A column that holds one of a closed list of words.
pub(super) fn parsed<T>(row: &Row<'_>, column: usize) -> rusqlite::Result<T>
where
    T: std::str::FromStr,
    T::Err: std::fmt::Display,
{
    let text: String = row.get(column)?;
    text.parse().map_err(|e: T::Err| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, e.to_string().into())
    })
}
