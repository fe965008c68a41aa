//! People, what they may do, and how they are brought in.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::{ids::UserId, keys::Settings, lang::Lang, plan::Reads, time::Timestamp};

/// What a person may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Loads data, sets up studies, reads results; may rate too.
    Admin,
    /// Rates what they are given, and sees nothing that names a model.
    Rater,
}

impl Role {
    /// Name in the database and on the command line.
    pub fn code(self) -> &'static str {
        match self {
            Role::Admin => "admin",
            Role::Rater => "rater",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl FromStr for Role {
    type Err = UnknownRole;
    fn from_str(s: &str) -> Result<Self, UnknownRole> {
        match s {
            "admin" => Ok(Role::Admin),
            "rater" => Ok(Role::Rater),
            _ => Err(UnknownRole),
        }
    }
}

/// The text names no role.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("unknown role; write `admin` or `rater`")]
pub struct UnknownRole;

/// The person behind a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Me {
    /// The account's number; never shown to other raters.
    pub id: UserId,
    /// The name they log in with.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// The language in which they want the program and the rubric.
    pub lang: Lang,
    /// What else they set for themselves.
    #[serde(default)]
    pub settings: Settings,
}

/// What every page knows about its visitor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Visitor {
    /// The person, where somebody is logged in.
    pub me: Option<Me>,
    /// The language to speak: the person's, else the cookie's, else the browser's.
    pub lang: Lang,
}

impl Visitor {
    /// Whether the visitor is an admin.
    pub fn is_admin(&self) -> bool {
        self.me.as_ref().is_some_and(|me| me.role == Role::Admin)
    }
}

/// A row of the people page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct UserRow {
    /// The account.
    pub id: UserId,
    /// The name they log in with.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// When the account was made.
    pub created_at: Timestamp,
    /// Whether logging in is switched off.
    pub disabled: bool,
    /// How many ratings they gave, superseded ones not counted.
    pub ratings: u64,
    /// Which languages they read: decides what studies shared by language give them.
    pub reads: Reads,
}

/// A link that lets one person make an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Invitation {
    /// The invitation's number, for revoking it.
    pub id: i64,
    /// A note for the admin: who it is meant for.
    pub label: String,
    /// The role of the account it makes.
    pub role: Role,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    /// Who used it, once somebody has.
    pub used_by: Option<String>,
    /// Whether it still works.
    pub open: bool,
}

/// The shortest password accepted, in characters (NIST SP 800-63B asks for at least 8).
pub const PASSWORD_MIN: usize = 10;
/// The longest password accepted, in bytes: hashing time grows with it.
pub const PASSWORD_MAX: usize = 1024;

/// Why a user name cannot be taken, if it cannot: 1 to 40 letters, digits, `-`, `_`, `.`.
pub fn name_fault(name: &str) -> Option<(&'static str, &'static str)> {
    if name.is_empty() || name.chars().count() > 40 {
        return Some(("a username has 1 to 40 characters", "用户名为 1 到 40 个字符"));
    }
    if !name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c)) {
        return Some((
            "a username contains only letters, digits, \"-\", \"_\" and \".\"",
            "用户名只能包含文字、数字、“-”、“_”和“.”",
        ));
    }
    None
}

/// Why a password cannot be taken, if it cannot.
pub fn password_fault(password: &str) -> Option<(&'static str, &'static str)> {
    if password.chars().count() < PASSWORD_MIN {
        return Some(("a password has at least 10 characters", "密码至少 10 个字符"));
    }
    if password.len() > PASSWORD_MAX {
        return Some(("a password has at most 1,024 bytes", "密码至多 1,024 字节"));
    }
    None
}
