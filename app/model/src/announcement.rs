//! Announcements: what admins tell people at the top of their pages.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::{
    day::Day,
    ids::{AnnouncementId, GroupId, StudyId, Token, UserId},
    lang::Bilingual,
    time::Timestamp,
};

/// Longest announcement in one language, in characters.
pub const LONGEST_ANNOUNCEMENT: usize = 2000;

/// The people who read an announcement. Its text is `everyone`, `study 3` (its raters), `group 2` or `account 5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Audience {
    Everyone,
    /// The raters of a study.
    Study(StudyId),
    Group(GroupId),
    /// One person.
    Account(UserId),
}

impl Audience {
    /// The page on which to announce something to it.
    pub fn announce_address(self) -> String {
        format!("/admin/announcements?to={}", self.to_string().replace(' ', "+"))
    }
}

impl fmt::Display for Audience {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Audience::Everyone => f.write_str("everyone"),
            Audience::Study(id) => write!(f, "study {id}"),
            Audience::Group(id) => write!(f, "group {id}"),
            Audience::Account(id) => write!(f, "account {id}"),
        }
    }
}

impl FromStr for Audience {
    type Err = String;

    fn from_str(text: &str) -> Result<Audience, String> {
        let (kind, id) = text.split_once(' ').unwrap_or((text, ""));
        let found = match kind {
            "everyone" if id.is_empty() => Some(Audience::Everyone),
            "study" => id.parse().ok().map(Audience::Study),
            "group" => id.parse().ok().map(Audience::Group),
            "account" => id.parse().ok().map(Audience::Account),
            _ => None,
        };
        found.ok_or_else(|| format!("\"{text}\" is not an audience such as everyone, study 3, group 2 or account 5"))
    }
}

impl TryFrom<String> for Audience {
    type Error = String;

    fn try_from(text: String) -> Result<Audience, String> {
        text.parse()
    }
}

impl From<Audience> for String {
    fn from(audience: Audience) -> String {
        audience.to_string()
    }
}

/// A new announcement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewAnnouncement {
    /// `everyone`, `study 3` (its raters), `group 2` or `account 5`.
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = String, example = "study 3"))]
    pub to: Audience,
    /// Plain text, up to 2,000 characters in each language; people read the other language where one is empty.
    pub text: Bilingual,
    /// The last day on which it is shown, in UTC. Without one, it is shown until people have read it.
    #[serde(default)]
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = Option<String>, example = "2026-11-30"))]
    pub last_day: Option<Day>,
    /// Publishes it although it names a model, which raters must not connect with an output.
    #[serde(default)]
    pub allow_names: bool,
}

/// An announcement as admins see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Announcement {
    pub id: AnnouncementId,
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = String, example = "study 3"))]
    pub to: Audience,
    /// The study's title, the group's name or the username; empty for everyone.
    pub name: String,
    pub text: Bilingual,
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = Option<String>, example = "2026-11-30"))]
    pub last_day: Option<Day>,
    pub created_at: Timestamp,
    /// The admin who wrote it; absent for the command line.
    pub created_by: Option<String>,
    /// When it was withdrawn, if it was. Since then, it is not shown to anyone.
    pub withdrawn_at: Option<Timestamp>,
    /// Whether people see it who have not read it.
    pub is_shown: bool,
    /// Number of active accounts in its audience.
    pub people: u64,
    /// How many of them have read it.
    pub read: u64,
}

/// An announcement as people see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Announced {
    pub token: Token,
    pub text: Bilingual,
    pub at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn audiences_are_read_as_they_are_written() {
        for audience in
            [Audience::Everyone, Audience::Study(StudyId(3)), Audience::Group(GroupId(2)), Audience::Account(UserId(5))]
        {
            assert_eq!(audience.to_string().parse(), Ok(audience));
        }
        for wrong in ["", "nobody", "everyone 2", "study", "study x"] {
            assert!(wrong.parse::<Audience>().is_err(), "{wrong}");
        }
    }
}
