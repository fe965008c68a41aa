//! The details of an entry of the audit log: values, put into words where they are shown.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    ids::{DeliveryId, OutputId, PublicLinkId, StudyId, SubmissionId, UserId},
    inbox::InboxKind,
    plan::Reads,
    quality::{FlagOn, Pool},
    run::Rerun,
    study::StudyStatus,
    user::Role,
};

/// Something worth knowing about a change, besides its action and its object. It holds no secret and no file's content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Fact {
    /// The person that the change is about.
    Account(UserId),
    /// Names of people who became members.
    AddedMembers(Vec<String>),
    /// Who reads an announcement: `everyone`, `study 3`, `group 2` or `account 5`.
    Audience(String),
    /// A dataset, by its short name.
    Dataset(String),
    /// For how many days it is valid.
    Days(u32),
    /// A message to a webhook.
    Delivery(DeliveryId),
    /// The study that duplicates it.
    Duplicate(StudyId),
    /// The operator's endpoint that is asked.
    Endpoint(String),
    /// What the flag is about.
    Flag(FlagOn),
    /// What was deleted because nothing refers to it, and how many.
    Freed(Unused, u64),
    /// The name of a group.
    Group(String),
    /// For how many hours it is valid.
    Hours(u32),
    /// The kind of an item of the inbox.
    InboxItem(InboxKind),
    /// Lines of a file that were invalid and left out.
    InvalidLines(u64),
    /// The provider of single sign-on.
    Issuer(String),
    /// A known-score item.
    KnownItem(i64),
    /// How many known-score items.
    KnownItems(u64),
    /// What an admin calls it.
    Label(String),
    /// A public link.
    Link(PublicLinkId),
    /// How a password or an account came into being.
    Made(Made),
    /// The name of a model.
    Model(String),
    /// The name or title of the object.
    Name(String),
    /// The name or title of the object before.
    OldName(String),
    /// An output of a model.
    Output(OutputId),
    /// The code block of a response that is the code, from 1; `None`: the one that the rules choose.
    Block(Option<u32>),
    /// Seconds for a rating; absent: as measured.
    Pace(Option<u32>),
    /// Where a known-score item is used.
    Pool(Pool),
    /// How many ratings.
    Ratings(u64),
    /// The languages that a person reads.
    Reads(Reads),
    /// Why, in the words of the admin.
    Reason(String),
    /// Names of people who are members no more.
    RemovedMembers(Vec<String>),
    /// Which outputs run again.
    Rerun(Rerun),
    /// How many responses of a model.
    Responses(u64),
    /// The role of an account.
    Role(Role),
    /// A rubric with its version, such as `aixbench/2`.
    Rubric(String),
    /// What was set, by the API's names.
    Settings(Value),
    /// The new status of a study.
    Status(StudyStatus),
    /// The study for which it was done.
    Study(StudyId),
    /// A submission.
    Submission(SubmissionId),
    /// The first characters of a token.
    TokenPrefix(String),
    /// An address.
    Url(String),
    /// The new version.
    Version(u32),
}

/// How a password or an account came into being.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Made {
    /// The owner changed the password.
    ByOwner,
    /// The owner chose the password at the first login.
    AtFirstLogin,
    /// The owner set the password by a link.
    ByLink,
    /// The command line set the password.
    Reset,
    /// The account came with single sign-on.
    BySingleSignOn,
}

/// Data that nothing refers to, which `aixgrade prune` deletes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Unused {
    /// Files of interrupted uploads.
    UnfinishedUploads,
    /// Uploaded files without a submission.
    Uploads,
    /// Cached verdicts that no run's result came from.
    Verdicts,
    /// Test files that no dataset has.
    TestFiles,
    /// Images of toolchains that were replaced, and the programs built with them.
    Images,
    /// Compiled tests that match no dataset.
    Suites,
    /// Jars that no dataset's tests use.
    Jars,
    /// Copies of the database from before its schema was updated.
    OldSchemas,
}

/// The details of an entry: what is worth knowing about the change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct Details(pub Vec<Fact>);

/// Reads the details as they are stored, which is how [`Display`](fmt::Display) writes them.
impl FromStr for Details {
    type Err = serde_json::Error;

    fn from_str(stored: &str) -> Result<Details, serde_json::Error> {
        if stored.is_empty() { Ok(Details::default()) } else { serde_json::from_str(stored) }
    }
}

impl fmt::Display for Details {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            [] => Ok(()),
            facts => f.write_str(&serde_json::to_string(facts).map_err(|_| fmt::Error)?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_are_read_as_they_are_written() {
        for facts in [
            vec![],
            vec![Fact::Version(3)],
            vec![Fact::Label("a \"b\"".into()), Fact::Role(Role::Admin), Fact::Pace(None), Fact::Reads(Reads::BOTH)],
            vec![Fact::Freed(Unused::Jars, 2), Fact::Rerun(Rerun::Rest), Fact::Flag(FlagOn::Check(1))],
            vec![Fact::Settings(serde_json::json!({ "pace": { "min": 5 } }))],
        ] {
            let details = Details(facts);
            assert_eq!(details.to_string().parse::<Details>().unwrap(), details);
            let sent = serde_json::to_string(&details).unwrap();
            assert_eq!(serde_json::from_str::<Details>(&sent).unwrap(), details);
        }
        // Facts are part of the API.
        let details = Details(vec![Fact::KnownItem(4), Fact::Output(OutputId(7)), Fact::Pool(Pool::Hidden)]);
        assert_eq!(details.to_string(), r#"[{"known_item":4},{"output":7},{"pool":"hidden"}]"#);
    }

    #[test]
    fn text_that_is_no_facts_is_an_error() {
        for text in ["version 3", "[]x", r#"{"pace":5}"#, r#"[{"unknown":1}]"#] {
            assert!(text.parse::<Details>().is_err(), "{text}");
        }
    }
}
