//! Identifiers, one type each, so that a study's id is never used as a task's.
//!
//! Database ids are for admins only. Raters see opaque [`Token`]s: random, so that neither their values nor
//! their order reveal anything.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
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
    /// A group of people.
    GroupId
    /// Something that admins tell people.
    AnnouncementId
    /// A named set of tasks, with all its versions.
    DatasetId
    /// One imported version of a dataset.
    DatasetVersionId
    /// A task, with all its revisions.
    TaskId
    /// One revision of a task; outputs belong to it.
    TaskRevisionId
    /// A system under comparison.
    ModelId
    /// One upload of a model's outputs.
    SubmissionId
    /// A model's output for one task.
    OutputId
    /// An uploaded file that is not yet imported.
    UploadId
    /// A grading campaign.
    StudyId
    /// One rating, current or replaced.
    RatingId
    /// One execution of a dataset's tests over a submission.
    RunId
    /// A collection of outputs from an endpoint.
    CollectionId
    /// An access token for the REST API.
    ApiTokenId
    /// An address that receives messages about events.
    WebhookId
    /// One delivery to a webhook.
    DeliveryId
    /// A link to a closed study's public page.
    PublicLinkId
}

/// The opaque name of an object that a rater may see: 128 random bits as 32 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct Token(pub String);

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
