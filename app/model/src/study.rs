//! Grading studies, as admins see them.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::{
    day::Day,
    ids::{StudyId, SubmissionId, Token, UserId},
    plan::{Presentation, RatedAnswers, Sharing},
    rubric::Dimension,
    time::Timestamp,
};

/// Maximum length of the reason for reopening a study, in characters.
pub const LONGEST_REASON: usize = 500;

/// A rater with work left is idle after so many days without a rating.
pub const IDLE_DAYS: i64 = 3;

/// How many of the raters with work left are idle at `now`; `active` has the time at which each was last active.
pub fn idle(active: &[i64], now: Timestamp) -> u64 {
    let idle = |at: &&i64| **at < now.0 - IDLE_DAYS * 86_400_000;
    active.iter().filter(idle).count() as u64
}

/// Status of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum StudyStatus {
    /// Planned and not started; raters do not see it.
    Draft,
    /// Accepts ratings.
    Running,
    /// Paused; accepts no ratings.
    Paused,
    /// Closed; its ratings are kept.
    Closed,
}

impl StudyStatus {
    /// Name in the database and on the command line.
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

/// Request for a new study.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct NewStudy {
    /// Title shown to raters.
    pub title: String,
    /// Short name of the dataset; its newest version with these submissions is used.
    pub dataset: String,
    /// Submissions to grade: at least one, all for the same dataset version.
    #[serde(default)]
    pub submissions: Vec<SubmissionId>,
    /// The raters.
    #[serde(default)]
    pub raters: Vec<UserId>,
    /// Raters per output, 1 to the number of raters.
    pub raters_per_output: u32,
    /// Seed of the order; `None` to draw and record one.
    #[serde(default)]
    pub seed: Option<u64>,
    /// Limits the number of tasks, for a pilot; `None` for all.
    #[serde(default)]
    pub tasks: Option<u32>,
    /// How outputs are shown to raters.
    #[serde(default)]
    pub presentation: Presentation,
    /// Which answers of a conversation are rated.
    #[serde(default)]
    pub answers: RatedAnswers,
    /// How the work is shared.
    #[serde(default)]
    pub sharing: Sharing,
    /// For shares set by hand: the maximum for each of `raters`, in order.
    #[serde(default)]
    pub shares: Vec<u32>,
    /// Expected seconds per rating; `None` to use the measured value.
    #[serde(default)]
    pub pace_s: Option<u32>,
    /// The rubric by its name, such as `aixbench 1`, or `aixbench` for the newest version; `None` for the dataset's
    /// default.
    #[serde(default)]
    pub rubric: Option<String>,
    /// Minutes of work after which raters read that a break helps; 0 for never.
    #[serde(default)]
    pub break_minutes: u32,
    /// Whether to create a draft, so that the plan can be reviewed before the start.
    #[serde(default)]
    pub draft: bool,
}

/// Change of a draft. Absent fields stay as they are; the plan is drawn again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct StudyChange {
    /// Title shown to raters.
    pub title: Option<String>,
    /// The rubric by its name, such as `aixbench 1`, or `aixbench` for the newest version.
    pub rubric: Option<String>,
    /// All submissions to grade.
    pub submissions: Option<Vec<SubmissionId>>,
    /// All raters.
    pub raters: Option<Vec<UserId>>,
    /// Raters per output.
    pub raters_per_output: Option<u32>,
    /// Seed of the order.
    pub seed: Option<u64>,
    /// Limits the number of tasks; 0 for all.
    pub tasks: Option<u32>,
    /// How outputs are shown to raters.
    pub presentation: Option<Presentation>,
    /// Which answers of a conversation are rated.
    pub answers: Option<RatedAnswers>,
    /// How the work is shared.
    pub sharing: Option<Sharing>,
    /// For shares set by hand: the maximum for each of the raters, in order.
    pub shares: Option<Vec<u32>>,
    /// Expected seconds per rating; 0 to use the measured value.
    pub pace_s: Option<u32>,
    /// Minutes of work after which raters read that a break helps; 0 for never.
    pub break_minutes: Option<u32>,
}

/// A study's settings, to edit while it is a draft.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StudyDraft {
    /// Only drafts can be edited.
    pub status: StudyStatus,
    /// The present settings.
    pub settings: NewStudy,
}

/// A row of the study list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct StudyRow {
    /// The study.
    pub id: StudyId,
    /// Opaque token used on the raters' side.
    pub token: Token,
    /// Its title.
    pub title: String,
    /// Short name of the dataset.
    pub dataset: String,
    pub status: StudyStatus,
    pub models: Vec<String>,
    /// Number of raters.
    pub raters: u64,
    /// Ratings submitted.
    pub done: u64,
    /// Ratings needed: outputs × raters per output.
    pub wanted: u64,
    pub created_at: Timestamp,
    /// Flags without a reply.
    pub flags: u64,
    /// Disagreements that wait for an adjudicator.
    pub disagreements: u64,
    /// Everything of the study that waits for an admin, these included.
    pub waiting: u64,
    /// Raters of a running study who have work left and did nothing for [`IDLE_DAYS`].
    pub idle: u64,
    /// The day by which ratings are due.
    pub due: Option<Day>,
}

/// A study's page without its comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct StudyDetail {
    pub row: StudyRow,
    /// Raters per output.
    pub raters_per_output: u32,
    /// Seed of the order. A string, because JavaScript numbers are exact only up to 2^53.
    pub seed: String,
    /// Name and version of the rubric.
    pub rubric: String,
    /// The rubric's dimensions.
    pub dimensions: Vec<Dimension>,
    /// Progress of each rater.
    pub raters: Vec<RaterProgress>,
}

/// Progress of a rater.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct RaterProgress {
    /// The rater.
    pub id: UserId,
    /// Their name.
    pub name: String,
    /// Outputs rated.
    pub rated: u64,
    /// Skipped outputs that are not rated.
    pub skipped: u64,
    /// Outputs that the rater is working on.
    pub leased: u64,
    /// Time of the newest rating.
    pub last_at: Option<Timestamp>,
    /// Median time from display to rating in milliseconds, if there are ratings.
    pub median_ms: Option<i64>,
}
