//! The audit log: who did what, when, and from where.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::{
    audit_details::Details,
    ids::{AnnouncementId, ApiTokenId, CollectionId, GroupId, RunId, StudyId, SubmissionId, WebhookId},
    time::Timestamp,
};

/// Entries on one page of the audit log.
pub const AUDIT_PAGE: usize = 50;

/// Declares [`Action`] with its names.
macro_rules! actions {
    ($($variant:ident => $name:literal,)*) => {
        /// An audited action. Its name is `noun.verb`; it is stored, and part of the API. `texts::audit` has the
        /// words for it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Action { $($variant,)* }

        impl Action {
            /// Every action, by name.
            pub const ALL: &[Action] = &[$(Action::$variant,)*];

            /// The name.
            pub fn name(self) -> &'static str {
                match self { $(Action::$variant => $name,)* }
            }
        }
    };
}

actions! {
    AdjudicatorAdd => "adjudicator.add",
    AdjudicatorRemove => "adjudicator.remove",
    AnnouncementPublish => "announcement.publish",
    AnnouncementWithdraw => "announcement.withdraw",
    CalibrationAdmit => "calibration.admit",
    CalibrationReset => "calibration.reset",
    CollectionCreate => "collection.create",
    CollectionDelete => "collection.delete",
    CollectionResume => "collection.resume",
    CollectionStart => "collection.start",
    CollectionStop => "collection.stop",
    DatasetImport => "dataset.import",
    DatasetSetRubric => "dataset.set_rubric",
    FlagReply => "flag.reply",
    GroupCreate => "group.create",
    GroupDelete => "group.delete",
    GroupRename => "group.rename",
    GroupSetMembers => "group.set_members",
    GuidelinesSave => "guidelines.save",
    InboxDismiss => "inbox.dismiss",
    InvitationAccept => "invitation.accept",
    InvitationCreate => "invitation.create",
    InvitationRevoke => "invitation.revoke",
    JudgingCreate => "judging.create",
    KnownScoresActivate => "known_scores.activate",
    KnownScoresAdd => "known_scores.add",
    KnownScoresDeactivate => "known_scores.deactivate",
    KnownScoresRemove => "known_scores.remove",
    KnownScoresSetPool => "known_scores.set_pool",
    ObjectArchive => "object.archive",
    ObjectDelete => "object.delete",
    ObjectRename => "object.rename",
    ObjectRestore => "object.restore",
    ObjectUnarchive => "object.unarchive",
    OutputAddRating => "output.add_rating",
    OutputAdjudicate => "output.adjudicate",
    OutputChooseBlock => "output.choose_block",
    PublicLinkCreate => "public_link.create",
    PublicLinkRevoke => "public_link.revoke",
    RatingsImport => "ratings.import",
    RubricSave => "rubric.save",
    RunRerun => "run.rerun",
    RunStart => "run.start",
    RunStop => "run.stop",
    StorageBackUp => "storage.back_up",
    StoragePrune => "storage.prune",
    StudyAddRater => "study.add_rater",
    StudyCreate => "study.create",
    StudyDuplicate => "study.duplicate",
    StudyEdit => "study.edit",
    StudyExtend => "study.extend",
    StudyPauseRater => "study.pause_rater",
    StudyRemoveRater => "study.remove_rater",
    StudyReopen => "study.reopen",
    StudyResumeRater => "study.resume_rater",
    StudySetPace => "study.set_pace",
    StudySetQuality => "study.set_quality",
    StudySetStatus => "study.set_status",
    SubmissionImport => "submission.import",
    SubmissionMask => "submission.mask",
    SubmissionUnmask => "submission.unmask",
    TokenCreate => "token.create",
    TokenRevoke => "token.revoke",
    ToolchainInstall => "toolchain.install",
    UserActivate => "user.activate",
    UserCreate => "user.create",
    UserCreateReset => "user.create_reset",
    UserDeactivate => "user.deactivate",
    UserLink => "user.link",
    UserSetLanguages => "user.set_languages",
    UserSetPassword => "user.set_password",
    UserSetRole => "user.set_role",
    UserUnlink => "user.unlink",
    WebhookCreate => "webhook.create",
    WebhookRemove => "webhook.remove",
    WebhookRetry => "webhook.retry",
    WebhookTest => "webhook.test",
    WorkerRemove => "worker.remove",
}

impl Action {
    /// The action with this name.
    pub fn named(name: &str) -> Option<Action> {
        Action::ALL.iter().copied().find(|action| action.name() == name)
    }
}

/// The object that an action changed. It is stored and exported in words, such as `study 3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Object {
    /// An account, by its name.
    Account(String),
    /// What admins tell people.
    Announcement(AnnouncementId),
    /// A collection of outputs.
    Collection(CollectionId),
    /// A dataset, by its short name.
    Dataset(String),
    /// A group of people.
    Group(GroupId),
    /// An invitation.
    Invitation(i64),
    /// A rubric, by its short name.
    Rubric(String),
    /// A test run.
    Run(RunId),
    /// The files of the data folder.
    Storage,
    /// A study.
    Study(StudyId),
    /// A submission.
    Submission(SubmissionId),
    /// An access token.
    Token(ApiTokenId),
    /// A toolchain, by the code of its language.
    Toolchain(String),
    /// A webhook.
    Webhook(WebhookId),
    /// A worker on another machine, by its name.
    Worker(String),
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Object::Account(name) => write!(f, "account {name}"),
            Object::Announcement(id) => write!(f, "announcement {id}"),
            Object::Collection(id) => write!(f, "collection {id}"),
            Object::Dataset(slug) => write!(f, "dataset {slug}"),
            Object::Group(id) => write!(f, "group {id}"),
            Object::Invitation(id) => write!(f, "invitation {id}"),
            Object::Rubric(slug) => write!(f, "rubric {slug}"),
            Object::Run(id) => write!(f, "run {id}"),
            Object::Storage => f.write_str("storage"),
            Object::Study(id) => write!(f, "study {id}"),
            Object::Submission(id) => write!(f, "submission {id}"),
            Object::Token(id) => write!(f, "token {id}"),
            Object::Toolchain(code) => write!(f, "toolchain {code}"),
            Object::Webhook(id) => write!(f, "webhook {id}"),
            Object::Worker(name) => write!(f, "worker {name}"),
        }
    }
}

impl FromStr for Object {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, name) = text.split_once(' ').unwrap_or((text, ""));
        let found = match kind {
            "account" => Some(Object::Account(name.to_owned())),
            "announcement" => name.parse().ok().map(Object::Announcement),
            "collection" => name.parse().ok().map(Object::Collection),
            "dataset" => Some(Object::Dataset(name.to_owned())),
            "group" => name.parse().ok().map(Object::Group),
            "invitation" => name.parse().ok().map(Object::Invitation),
            "rubric" => Some(Object::Rubric(name.to_owned())),
            "run" => name.parse().ok().map(Object::Run),
            "storage" => Some(Object::Storage),
            "study" => name.parse().ok().map(Object::Study),
            "submission" => name.parse().ok().map(Object::Submission),
            "token" => name.parse().ok().map(Object::Token),
            "toolchain" => Some(Object::Toolchain(name.to_owned())),
            "webhook" => name.parse().ok().map(Object::Webhook),
            "worker" => Some(Object::Worker(name.to_owned())),
            _ => None,
        };
        found.ok_or_else(|| format!("unknown object {text}"))
    }
}

/// By which way a change came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Via {
    /// A browser that is logged in.
    Session,
    /// A token of the REST API.
    Token,
    /// The command line.
    CommandLine,
}

impl Via {
    /// As it is stored and exported.
    pub fn name(self) -> &'static str {
        match self {
            Via::Session => "session",
            Via::Token => "token",
            Via::CommandLine => "command line",
        }
    }
}

impl std::str::FromStr for Via {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let all = [Via::Session, Via::Token, Via::CommandLine];
        all.into_iter().find(|via| via.name() == name).ok_or_else(|| format!("unknown origin {name}"))
    }
}

/// A change that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Entry {
    /// Its number; later changes have higher ones.
    pub id: i64,
    /// When.
    pub at: Timestamp,
    /// The account's name; absent for the command line.
    pub person: Option<String>,
    /// The action, as `noun.verb`.
    pub action: String,
    /// The changed object, such as `study 3`.
    pub object: String,
    /// What else is worth knowing.
    pub detail: Details,
    /// By which way; absent for what the server does for an account between requests.
    pub via: Option<Via>,
    /// The number of the token.
    pub token: Option<i64>,
    /// The client's address.
    pub address: Option<String>,
}

/// A filter for entries, as in an address. Empty fields do not restrict them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AuditFilter {
    /// The account's name.
    pub person: String,
    /// The action's name.
    pub action: String,
    /// A text that the object or the detail contains.
    pub object: String,
    /// The first day, such as `2026-11-22` (UTC).
    pub from: String,
    /// The last day.
    pub to: String,
    /// Only entries before the one with this number.
    pub before: String,
}

impl AuditFilter {
    /// The filter that an address's query holds; `value` returns the value of a key.
    pub fn read(value: impl Fn(&str) -> String) -> AuditFilter {
        AuditFilter {
            person: value("person"),
            action: value("action"),
            object: value("object"),
            from: value("from"),
            to: value("to"),
            before: value("before"),
        }
    }

    /// Keys and values for an address, without the place in the list.
    pub fn fields(&self) -> [(&'static str, &str); 5] {
        [
            ("person", &self.person),
            ("action", &self.action),
            ("object", &self.object),
            ("from", &self.from),
            ("to", &self.to),
        ]
    }
}

/// A page of the audit log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditPage {
    /// The names of all accounts, for the filter.
    pub people: Vec<String>,
    /// The entries, newest first.
    pub entries: Vec<Entry>,
    /// Whether older entries match, too.
    pub older: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_noun_and_verb_and_in_order() {
        let names: Vec<_> = Action::ALL.iter().map(|action| action.name()).collect();
        assert!(names.is_sorted(), "{names:?}");
        for name in names {
            let (noun, verb) = name.split_once('.').unwrap_or_default();
            let word = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
            assert!(word(noun) && word(verb), "{name}");
            assert_eq!(Action::named(name).map(Action::name), Some(name));
        }
    }
    #[test]
    fn objects_are_read_as_they_are_written() {
        let objects = [
            Object::Account("ada".into()),
            Object::Announcement(AnnouncementId(9)),
            Object::Collection(CollectionId(7)),
            Object::Dataset("starter".into()),
            Object::Group(GroupId(8)),
            Object::Invitation(1),
            Object::Rubric("aixbench".into()),
            Object::Run(RunId(2)),
            Object::Storage,
            Object::Study(StudyId(3)),
            Object::Submission(SubmissionId(4)),
            Object::Token(ApiTokenId(5)),
            Object::Webhook(WebhookId(6)),
            Object::Worker("host-1a2b".into()),
        ];
        for object in objects {
            assert_eq!(object.to_string().parse(), Ok(object));
        }
        assert!("study x".parse::<Object>().is_err() && "planet 3".parse::<Object>().is_err());
    }
}
