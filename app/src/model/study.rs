//! Grading campaigns, as admins see them.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::{
    ids::{StudyId, SubmissionId, Token, UserId},
    plan::{Presentation, Sharing},
    time::Timestamp,
};

/// Whether a study takes ratings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum StudyStatus {
    /// It is planned and has not begun; raters do not see it.
    Draft,
    /// Ratings are taken.
    Running,
    /// Ratings are not taken for now.
    Paused,
    /// It is over; what was given stays.
    Closed,
}

impl StudyStatus {
    /// The word used in the database and on the command line.
    pub fn code(self) -> &'static str {
        match self {
            StudyStatus::Draft => "draft",
            StudyStatus::Running => "running",
            StudyStatus::Paused => "paused",
            StudyStatus::Closed => "closed",
        }
    }
}

impl fmt::Display for StudyStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl FromStr for StudyStatus {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        match s {
            "draft" => Ok(StudyStatus::Draft),
            "running" => Ok(StudyStatus::Running),
            "paused" => Ok(StudyStatus::Paused),
            "closed" => Ok(StudyStatus::Closed),
            _ => Err("unknown status; write `draft`, `running`, `paused` or `closed`".into()),
        }
    }
}

/// What an admin asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct NewStudy {
    /// What raters read.
    pub title: String,
    /// The dataset's short name; its newest version with these submissions is used.
    pub dataset: String,
    /// Whose outputs are graded: at least one, all of the same dataset version.
    #[serde(default)]
    pub submissions: Vec<SubmissionId>,
    /// Who grades.
    #[serde(default)]
    pub raters: Vec<UserId>,
    /// How many different raters each output gets; 1 to the number of raters.
    pub overlap: u32,
    /// What the order is drawn from; drawn and recorded where absent.
    #[serde(default)]
    pub seed: Option<u64>,
    /// Only the first so many tasks of the seeded order, for a pilot; all where absent.
    #[serde(default)]
    pub tasks: Option<u32>,
    /// How outputs come before a rater.
    #[serde(default)]
    pub presentation: Presentation,
    /// By what the work is shared.
    #[serde(default)]
    pub sharing: Sharing,
    /// Shared by hand: the most for each of `raters`, in their order.
    #[serde(default)]
    pub shares: Vec<u32>,
    /// Seconds a rating, for the preview's hours; as measured where absent.
    #[serde(default)]
    pub pace_s: Option<u32>,
    /// Whether it waits to be started, so that its plan can be looked at first.
    #[serde(default)]
    pub draft: bool,
}

/// A row of the study list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct StudyRow {
    /// The study.
    pub id: StudyId,
    /// Its opaque name on the raters' side.
    pub token: Token,
    /// Its title.
    pub title: String,
    /// The dataset's short name.
    pub dataset: String,
    /// Whether it takes ratings.
    pub status: StudyStatus,
    /// The models compared.
    pub models: Vec<String>,
    /// How many raters.
    pub raters: u64,
    /// Ratings given.
    pub done: u64,
    /// Ratings wanted: outputs times overlap.
    pub wanted: u64,
    /// When it was made.
    pub created_at: Timestamp,
}

/// A study with everything its page shows but the comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct StudyDetail {
    /// The list's row.
    pub row: StudyRow,
    /// How many raters each output gets.
    pub overlap: u32,
    /// What the order is drawn from. As text: JavaScript's numbers end at 2^53.
    pub seed: String,
    /// The rubric's name and version.
    pub rubric: String,
    /// How far each rater has come.
    pub raters: Vec<RaterProgress>,
    /// Flags that raters raised and nobody answered, newest first.
    pub flags: Vec<RaisedFlag>,
}

/// How far one rater has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct RaterProgress {
    /// The rater.
    pub id: UserId,
    /// Their name.
    pub name: String,
    /// Outputs rated.
    pub rated: u64,
    /// Outputs skipped and not yet rated.
    pub skipped: u64,
    /// Outputs handed out to them now.
    pub leased: u64,
    /// Their newest rating.
    pub last_at: Option<Timestamp>,
    /// Median time from an output being shown to its rating, in milliseconds, where there are any.
    pub median_ms: Option<i64>,
}

/// A flag a rater raised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct RaisedFlag {
    /// The task's id in its source.
    pub task_id: String,
    /// The model.
    pub model: String,
    /// Who raised it.
    pub rater: String,
    /// The reason.
    pub flag: super::grading::Flag,
    /// When.
    pub at: Timestamp,
}
