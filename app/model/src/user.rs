//! People, their roles, and invitations.

use serde::{Deserialize, Serialize};

use super::{
    announcement::Announced,
    group::GroupName,
    ids::{GroupId, StudyId, UserId},
    keys::Settings,
    lang::Lang,
    mail::InvitationMail,
    names::names,
    plan::Reads,
    time::Timestamp,
};

names! {
    /// A role.
    pub enum Role as code {
        /// Imports data, creates studies, reads results; may rate, too.
        Admin = "admin",
        /// Rates assigned outputs, and sees nothing that names a model.
        Rater = "rater",
    }
}

/// The person behind a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Me {
    /// The account's id; never shown to other raters.
    pub id: UserId,
    /// The username.
    pub name: String,
    /// The role.
    pub role: Role,
    /// The language of the interface and the rubric.
    pub lang: Lang,
    /// Other personal settings.
    pub settings: Settings,
}

/// The visitor of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Visitor {
    /// The person, if logged in.
    pub me: Option<Me>,
    /// The interface language: the person's, otherwise the cookie's, otherwise the browser's.
    pub lang: Lang,
    /// For an admin: how many items waited in the inbox when the page was sent.
    pub waiting: u64,
    /// The announcements that the person had not read when the page was sent.
    pub announcements: Vec<Announced>,
    /// Name of the identity provider with which people can log in, if the operator allows one.
    pub sso: Option<String>,
    /// Whether the server can send email.
    pub mail: bool,
}

impl Visitor {
    /// Whether the visitor is an admin.
    pub fn is_admin(&self) -> bool {
        self.me.as_ref().is_some_and(|me| me.role == Role::Admin)
    }
}

/// A row of the people page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct UserRow {
    /// The account.
    pub id: UserId,
    /// The username.
    pub name: String,
    /// The role.
    pub role: Role,
    /// When the account was created.
    pub created_at: Timestamp,
    /// Whether the account is deactivated.
    pub disabled: bool,
    /// A time on the last day on which the person was logged in in a browser; absent if there was none.
    pub seen_at: Option<Timestamp>,
    /// Number of ratings, without replaced ones.
    pub ratings: u64,
    /// Unfinished ratings that studies which are not closed have planned for them.
    pub open_ratings: u64,
    /// Number of these studies.
    pub open_studies: u64,
    /// Those of them in which no other active person rates.
    pub alone_in: u64,
    /// Languages they read, which decide what they get in studies shared by language.
    pub reads: Reads,
    /// The groups that they are in.
    pub groups: Vec<GroupName>,
}

/// A link with which one person creates an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Invitation {
    /// The invitation's id, for revoking it.
    pub id: i64,
    /// A label for the admin: for whom it is.
    pub label: String,
    /// The role of the new account.
    pub role: Role,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    /// The person who used it, if anybody.
    pub used_by: Option<String>,
    /// Whether it is still valid.
    pub open: bool,
    /// The group that who accepts it joins.
    pub group: Option<GroupName>,
    /// The study that they join as a rater.
    pub study: Option<InvitedStudy>,
    /// The message with the link, for some weeks after it was sent; absent if none was asked for.
    pub mail: Option<InvitationMail>,
}

/// The study of an invitation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct InvitedStudy {
    pub id: StudyId,
    pub title: String,
}

/// An invitation as the person with its link sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenInvitation {
    pub role: Role,
    pub expires_at: Timestamp,
    /// The title of the study that they join.
    pub study: Option<String>,
}

impl From<Invitation> for OpenInvitation {
    fn from(Invitation { role, expires_at, study, .. }: Invitation) -> OpenInvitation {
        OpenInvitation { role, expires_at, study: study.map(|study| study.title) }
    }
}

/// What the people who accept an invitation join besides getting an account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Joins {
    pub group: Option<GroupId>,
    /// A study that is not closed, as a rater.
    pub study: Option<StudyId>,
}

/// Time in which a link to choose a new password can be used, in hours.
pub const RESET_HOURS: u32 = 48;

/// Most invitations that are created at once.
pub const MOST_INVITATIONS: usize = 200;

/// An invitation that was just created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct CreatedInvitation {
    /// Its label.
    pub label: String,
    /// The role of the new account.
    pub role: Role,
    /// Path of the link on this server. It can be used once and is not shown again.
    pub path: String,
}

/// Minimum length of a password, in characters (NIST SP 800-63B asks for at least 8).
pub const PASSWORD_MIN: usize = 10;
/// Maximum length of a password, in bytes: hashing time grows with it.
pub const PASSWORD_MAX: usize = 1024;

/// Why a username is invalid, if it is: 1 to 40 letters, digits, `-`, `_`, `.`.
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

/// Why a password is invalid, if it is.
pub fn password_fault(password: &str) -> Option<(&'static str, &'static str)> {
    if password.chars().count() < PASSWORD_MIN {
        return Some(("a password has at least 10 characters", "密码至少 10 个字符"));
    }
    if password.len() > PASSWORD_MAX {
        return Some(("a password has at most 1,024 bytes", "密码至多 1,024 字节"));
    }
    None
}
