//! People, invitations and failed logins.

use model::{
    group::GroupName,
    ids::{GroupId, StudyId, UserId},
    keys::Settings,
    lang::Lang,
    mail::InvitationMail,
    page::{PageOf, Paged},
    time::Timestamp,
    user::{Invitation, InvitedStudy, Joins, Me, Role, UserRow},
};
use rusqlite::{Connection, OptionalExtension, Row, params, types::Null};

use super::{
    page::{self, Filter, List, Sort},
    stored::{Table, json, optional_json, optional_parsed, parsed, table},
};
use base::{clock, error::Failure};

/// For queries with the account's number as `id`.
const USERS: Table = table("users", &["id"]);

/// For queries with the account's number as `id`.
const SETTINGS: Table = table("rater_settings", &["id"]);

/// For queries with the invitation's number as `id`.
const MAIL: Table = table("mail_outbox", &["id"]);

/// An account with the fields that a login needs.
pub struct Account {
    pub me: Me,
    /// Whether they have chosen a language.
    pub lang_chosen: bool,
    /// argon2id, as a PHC string.
    pub password_hash: String,
    /// Whether the account is deactivated.
    pub disabled: bool,
    /// Sessions of an earlier epoch have ended.
    pub epoch: i64,
    /// Whether they must choose a new password before anything else.
    pub must_change_password: bool,
}

const ACCOUNT: &str =
    "SELECT id, name, role, lang, password_hash, disabled, epoch, must_change_password, s.keys, s.tour_at, s.display
    FROM users LEFT JOIN rater_settings s ON s.user_id = users.id";

/// The account with this name, ignoring case.
pub fn by_name(conn: &Connection, name: &str) -> Result<Option<Account>, Failure> {
    Ok(conn.prepare_cached(&format!("{ACCOUNT} WHERE name = ?1"))?.query_row([name], account).optional()?)
}

/// The account with this id.
pub fn by_id(conn: &Connection, id: UserId) -> Result<Option<Account>, Failure> {
    Ok(conn.prepare_cached(&format!("{ACCOUNT} WHERE id = ?1"))?.query_row([id.0], account).optional()?)
}

/// A page of the accounts, by name unless asked otherwise.
pub fn list(conn: &Connection, of: &PageOf) -> Result<Paged<UserRow>, Failure> {
    let list = List {
        columns: "u.id, u.name, u.role, u.created_at, u.disabled, u.seen_at,
                (SELECT coalesce(sum(m.rated), 0) FROM study_raters m WHERE m.user_id = u.id) AS ratings,
                (SELECT coalesce(sum(m.open), 0) FROM study_raters m JOIN studies s ON s.id = m.study_id
                 WHERE m.user_id = u.id AND m.removed_at IS NULL AND s.status <> 'closed') AS open_ratings,
                (SELECT count(*) FROM study_raters m JOIN studies s ON s.id = m.study_id
                 WHERE m.user_id = u.id AND m.removed_at IS NULL AND s.status <> 'closed' AND m.open > 0) AS open_studies,
                (SELECT count(*) FROM study_raters m JOIN studies s ON s.id = m.study_id
                 WHERE m.user_id = u.id AND m.removed_at IS NULL AND s.status <> 'closed' AND m.open > 0
                     AND NOT EXISTS (SELECT 1 FROM study_raters o JOIN users x ON x.id = o.user_id
                         WHERE o.study_id = m.study_id AND o.user_id <> u.id AND o.removed_at IS NULL AND x.disabled = 0)
                ) AS alone_in,
                coalesce(u.reads, 'en zh') AS reads,
                (SELECT json_group_array(json_object('id', g.id, 'name', g.name) ORDER BY g.name)
                 FROM person_group_members m JOIN person_groups g ON g.id = m.group_id WHERE m.user_id = u.id) AS groups",
        table: "users u",
        joins: "",
        id: "u.id",
        within: "",
        // Not the raters of an import that is not complete.
        filter: "NOT EXISTS (SELECT 1 FROM study_raters m JOIN all_studies s ON s.id = m.study_id
            WHERE m.user_id = u.id AND s.importing_until IS NOT NULL)",
        sorts: &[
            Sort::text("name", "u.name"),
            Sort::number("since", "u.id"),
            Sort::text("role", "u.role"),
            Sort::number("seen", "u.seen_at"),
        ],
        usual: "name",
        search: "u.name",
        filters: &[
            Filter { name: "role", condition: "u.role = #", indexed: true },
            Filter {
                name: "group",
                condition: "EXISTS (SELECT 1 FROM person_group_members m WHERE m.group_id = # AND m.user_id = u.id)",
                indexed: false,
            },
            Filter { name: "active", condition: "u.disabled = (# <> '1')", indexed: false },
        ],
    };
    let read = |row: &Row<'_>| {
        Ok(UserRow {
            id: UserId(row.get("id")?),
            name: row.get("name")?,
            role: parsed(row, USERS, "role")?,
            created_at: Timestamp(row.get("created_at")?),
            disabled: row.get("disabled")?,
            seen_at: Some(Timestamp(row.get("seen_at")?)).filter(|at| at.0 > 0),
            ratings: row.get("ratings")?,
            open_ratings: row.get("open_ratings")?,
            open_studies: row.get("open_studies")?,
            alone_in: row.get("alone_in")?,
            reads: parsed(row, USERS, "reads")?,
            groups: json(row, USERS, "groups")?,
        })
    };
    page::page(conn, &list, of, &[], read)
}

/// The names of all accounts, in order.
pub fn names(conn: &Connection) -> Result<Vec<String>, Failure> {
    let mut statement = conn.prepare_cached("SELECT name FROM users ORDER BY name")?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Number of active admins.
pub fn admins(conn: &Connection) -> Result<u64, Failure> {
    Ok(conn.query_row("SELECT count(*) FROM users WHERE role = 'admin' AND disabled = 0", [], |row| row.get(0))?)
}

/// A password to store.
pub struct Password<'a> {
    /// Its hash.
    pub hash: &'a str,
    /// Whether its owner must change it before anything else.
    pub one_time: bool,
}

/// Creates an account; `None` if the name is taken.
pub fn insert(
    conn: &Connection,
    name: &str,
    role: Role,
    Password { hash, one_time }: Password<'_>,
) -> Result<Option<UserId>, Failure> {
    let id = conn
        .prepare_cached(
            "INSERT INTO users (name, role, password_hash, must_change_password, created_at) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (name) DO NOTHING RETURNING id",
        )?
        .query_row(params![name, role.code(), hash, one_time, clock::now().0], |row| row.get(0))
        .optional()?;
    Ok(id.map(UserId))
}

/// Sets a password, and ends every session of the account and its link to choose a password.
pub fn set_password(conn: &Connection, id: UserId, Password { hash, one_time }: Password<'_>) -> Result<i64, Failure> {
    conn.execute("DELETE FROM password_resets WHERE user_id = ?1", [id.0])?;
    Ok(conn.query_row(
        "UPDATE users SET password_hash = ?2, must_change_password = ?3, epoch = epoch + 1 WHERE id = ?1 RETURNING epoch",
        params![id.0, hash, one_time],
        |row| row.get(0),
    )?)
}

/// Deactivates an account (which ends its sessions) or activates it. Returns whether it exists.
pub fn set_disabled(conn: &Connection, id: UserId, disabled: bool) -> Result<bool, Failure> {
    let changed =
        conn.execute("UPDATE users SET disabled = ?2, epoch = epoch + ?2 WHERE id = ?1", params![id.0, disabled])?;
    Ok(changed > 0)
}

/// Sets the role of an account. An admin who becomes a rater is logged out.
pub fn set_role(conn: &Connection, id: UserId, role: Role) -> Result<(), Failure> {
    conn.execute(
        "UPDATE users SET role = ?2, epoch = epoch + (role = 'admin' AND ?2 <> 'admin') WHERE id = ?1",
        params![id.0, role.code()],
    )?;
    Ok(())
}

/// Records that the person is logged in.
pub fn seen(conn: &Connection, id: UserId) -> Result<(), Failure> {
    conn.prepare_cached("UPDATE users SET seen_at = max(seen_at, ?2) WHERE id = ?1")?
        .execute(params![id.0, clock::now().0])?;
    Ok(())
}

/// Stores a language.
pub fn set_lang(conn: &Connection, id: UserId, lang: Lang) -> Result<(), Failure> {
    conn.execute("UPDATE users SET lang = ?2 WHERE id = ?1", params![id.0, lang.code()])?;
    Ok(())
}

const INVITATION: &str = "i.id, i.label, i.role, i.created_at, i.expires_at, u.name, i.group_id, g.name AS group_name,
        i.study_id, s.title AS study_title,
        i.used_by IS NULL AND i.revoked_at IS NULL AND i.expires_at > ?3 AS open, o.state AS mail_state, o.error AS mail_error";
const INVITED: &str = "LEFT JOIN users u ON u.id = i.used_by LEFT JOIN person_groups g ON g.id = i.group_id
        LEFT JOIN studies s ON s.id = i.study_id LEFT JOIN mail_outbox o
            ON o.id = (SELECT max(n.id) FROM mail_outbox n WHERE n.invitation_id = i.id)";

/// A page of the invitations, newest first.
pub fn invitations(conn: &Connection, of: &PageOf) -> Result<Paged<Invitation>, Failure> {
    let list = List {
        columns: INVITATION,
        table: "invitations i",
        joins: INVITED,
        id: "i.id",
        within: "",
        filter: "",
        sorts: &[Sort::number("created", "i.id")],
        usual: "-created",
        search: "i.label || ' ' || coalesce(u.name, '')",
        filters: &[],
    };
    page::page(conn, &list, of, &[&clock::now().0], invitation)
}

/// The invitation with this secret hash, if it is open.
pub fn open_invitation(conn: &Connection, secret_hash: &str) -> Result<Option<Invitation>, Failure> {
    let found = conn
        .prepare_cached(&format!("SELECT {INVITATION} FROM invitations i {INVITED} WHERE i.secret_hash = ?1"))?
        .query_row(params![secret_hash, Null, clock::now().0], invitation)
        .optional()?;
    Ok(found.filter(|invitation| invitation.open))
}

/// Makes an invitation; returns its number.
pub fn insert_invitation(
    conn: &Connection,
    secret_hash: &str,
    label: &str,
    role: Role,
    joins: Joins,
    by: Option<UserId>,
    expires_at: Timestamp,
) -> Result<i64, Failure> {
    conn.execute(
        "INSERT INTO invitations (secret_hash, label, role, group_id, study_id, created_by, created_at, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            secret_hash,
            label,
            role.code(),
            joins.group.map(|id| id.0),
            joins.study.map(|id| id.0),
            by.map(|id| id.0),
            clock::now().0,
            expires_at.0
        ],
    )?;
    Ok(conn.last_insert_rowid())
}

/// The study of the invitation with this secret hash, if this person used it.
pub fn invited_study(conn: &Connection, secret_hash: &str, user: UserId) -> Result<Option<StudyId>, Failure> {
    let query = "SELECT study_id FROM invitations WHERE secret_hash = ?1 AND used_by = ?2";
    let found = conn.prepare_cached(query)?.query_row(params![secret_hash, user.0], |row| row.get::<_, Option<i64>>(0));
    Ok(found.optional()?.flatten().map(StudyId))
}

/// Marks an invitation as used.
pub fn use_invitation(conn: &Connection, id: i64, by: UserId) -> Result<(), Failure> {
    conn.execute("UPDATE invitations SET used_by = ?2, used_at = ?3 WHERE id = ?1", params![id, by.0, clock::now().0])?;
    Ok(())
}

/// Revokes an invitation. Returns whether it was unused; `None` if there is none.
pub fn revoke_invitation(conn: &Connection, id: i64) -> Result<Option<bool>, Failure> {
    let changed = conn.execute(
        "UPDATE invitations SET revoked_at = ?2 WHERE id = ?1 AND used_by IS NULL AND revoked_at IS NULL",
        params![id, clock::now().0],
    )?;
    if changed > 0 {
        return Ok(Some(true));
    }
    let known = conn.query_row("SELECT EXISTS (SELECT 1 FROM invitations WHERE id = ?1)", [id], |row| row.get(0))?;
    Ok(Some(false).filter(|_| known))
}

fn account(row: &Row<'_>) -> rusqlite::Result<Account> {
    let lang = optional_parsed(row, USERS, "lang")?;
    Ok(Account {
        me: Me {
            id: UserId(row.get("id")?),
            name: row.get("name")?,
            role: parsed(row, USERS, "role")?,
            lang: lang.unwrap_or_default(),
            settings: settings(row)?,
        },
        lang_chosen: lang.is_some(),
        password_hash: row.get("password_hash")?,
        disabled: row.get("disabled")?,
        epoch: row.get("epoch")?,
        must_change_password: row.get("must_change_password")?,
    })
}

/// Keys that this version does not know are kept unchanged, so that a newer database does not lock anybody
/// out.
fn settings(row: &Row<'_>) -> rusqlite::Result<Settings> {
    let toured: Option<i64> = row.get("tour_at")?;
    Ok(Settings {
        keys: optional_json(row, SETTINGS, "keys")?.unwrap_or_default(),
        toured: toured.is_some(),
        display: optional_parsed(row, SETTINGS, "display")?.unwrap_or_default(),
    })
}

fn invitation(row: &Row<'_>) -> rusqlite::Result<Invitation> {
    Ok(Invitation {
        id: row.get("id")?,
        label: row.get("label")?,
        role: parsed(row, table("invitations", &["id"]), "role")?,
        created_at: Timestamp(row.get("created_at")?),
        expires_at: Timestamp(row.get("expires_at")?),
        used_by: row.get("name")?,
        open: row.get("open")?,
        group: match row.get::<_, Option<i64>>("group_id")? {
            Some(id) => Some(GroupName { id: GroupId(id), name: row.get("group_name")? }),
            None => None,
        },
        // A study that is hidden while it is deleted has no title.
        study: match (row.get::<_, Option<i64>>("study_id")?, row.get::<_, Option<String>>("study_title")?) {
            (Some(id), Some(title)) => Some(InvitedStudy { id: StudyId(id), title }),
            _ => None,
        },
        mail: match optional_parsed(row, MAIL.column("state"), "mail_state")? {
            Some(state) => {
                Some(InvitationMail { state, error: optional_json(row, MAIL.column("error"), "mail_error")? })
            }
            None => None,
        },
    })
}

/// Stores the secret of a link to choose a new password, in place of an earlier one.
pub fn set_reset(conn: &Connection, user: UserId, secret_hash: &str, expires_at: Timestamp) -> Result<(), Failure> {
    conn.execute(
        "INSERT INTO password_resets (user_id, secret_hash, created_at, expires_at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET secret_hash = excluded.secret_hash, created_at = excluded.created_at,
             expires_at = excluded.expires_at",
        params![user.0, secret_hash, clock::now().0, expires_at.0],
    )?;
    Ok(())
}

/// The active account whose link to choose a new password has this secret and has not expired.
pub fn open_reset(conn: &Connection, secret_hash: &str) -> Result<Option<UserId>, Failure> {
    Ok(conn
        .prepare_cached(
            "SELECT r.user_id FROM password_resets r JOIN users u ON u.id = r.user_id
             WHERE r.secret_hash = ?1 AND r.expires_at > ?2 AND u.disabled = 0",
        )?
        .query_row(params![secret_hash, clock::now().0], |row| Ok(UserId(row.get(0)?)))
        .optional()?)
}
