//! Identifiers, one type each, so that a study's number is never taken for a task's.
//!
//! Database ids are for admins only. What a rater's side of the program sees is an opaque
//! [`Token`]: random, so that neither its value nor its order tells anything.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = std::num::ParseIntError;
            fn from_str(s: &str) -> Result<Self, Self::Err> {
                s.parse().map(Self)
            }
        }
    )*};
}

ids! {
    /// A person with an account.
    UserId
    /// A named set of tasks, through all its versions.
    DatasetId
    /// One imported state of a dataset.
    DatasetVersionId
    /// A task, through all its revisions.
    TaskId
    /// One wording of a task; outputs belong to it.
    TaskRevisionId
    /// A system under comparison.
    ModelId
    /// One upload of a model's outputs.
    SubmissionId
    /// What a model gave for one task.
    OutputId
    /// A file that was uploaded and waits for its admin's decision.
    UploadId
    /// A grading campaign.
    StudyId
    /// One rating, current or superseded.
    RatingId
    /// One execution of a dataset's tests over a submission.
    RunId
    /// A personal token for the REST API.
    ApiTokenId
    /// An address that receives messages about events.
    WebhookId
    /// One event on its way to a webhook.
    DeliveryId
    /// A link to a closed study's public page.
    PublicLinkId
}

/// The opaque name of something that a rater may see: 128 random bits as 32 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct Token(pub String);

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
