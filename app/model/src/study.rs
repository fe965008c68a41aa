//! Grading studies, as admins see them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    day::Day,
    error::AppError,
    ids::{GroupId, StudyId, SubmissionId, Token, UserId},
    names::names,
    patch::Patch,
    plan::{Presentation, RatedAnswers, Sharing},
    quality::QualitySettings,
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

names! {
    /// Status of a study.
    pub enum StudyStatus as code {
        /// Planned and not started; raters do not see it.
        Draft = "draft",
        /// Accepts ratings.
        Running = "running",
        /// Paused; accepts no ratings.
        Paused = "paused",
        /// Closed; its ratings are kept.
        Closed = "closed",
    }
}

/// What admins set about a study: how its work is planned, and how its quality is controlled. Stored as one JSON object, in
/// which the fields of [`QualitySettings`] are on the same level as the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(default)]
pub struct StudySettings {
    /// How outputs are shown to raters.
    pub presentation: Presentation,
    /// Which answers of a conversation are rated.
    pub answers: RatedAnswers,
    /// How the work is shared.
    pub sharing: Sharing,
    /// Limits the number of tasks, for a pilot; `None` for all.
    pub tasks: Option<u32>,
    /// Expected seconds per rating, at least 1; `None` to use the measured value.
    pub pace_s: Option<u32>,
    /// Raters per output, 1 to the number of raters.
    pub raters_per_output: u32,
    #[serde(flatten)]
    pub quality: QualitySettings,
}

impl Default for StudySettings {
    fn default() -> Self {
        StudySettings {
            presentation: Presentation::default(),
            answers: RatedAnswers::default(),
            sharing: Sharing::default(),
            tasks: None,
            pace_s: None,
            raters_per_output: 1,
            quality: QualitySettings::default(),
        }
    }
}

impl StudySettings {
    /// Checks what can be checked without the study's rubric, raters and known-score items.
    ///
    /// # Errors
    ///
    /// Names the first setting that cannot work, and how to change it.
    pub fn check(&self) -> Result<(), AppError> {
        if self.pace_s == Some(0) {
            return Err(AppError::invalid(
                "pace_s",
                ("a rating takes at least 1 second", "每次评分至少 1 秒"),
                ("Enter 1 or more, or leave it empty", "请输入 1 或更大的数，或留空"),
            ));
        }
        if self.tasks == Some(0) {
            return Err(AppError::invalid(
                "tasks",
                ("a study has at least 1 task", "项目至少有 1 个任务"),
                ("Enter 1 or more, or leave it empty for all", "请输入 1 或更大的数，或留空以选择全部"),
            ));
        }
        self.quality.check()
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
    /// Seed of the order; `None` to draw and record one.
    #[serde(default)]
    pub seed: Option<u64>,
    /// For shares set by hand: the maximum for each of `raters`, in order.
    #[serde(default)]
    pub shares: Vec<u32>,
    /// The rubric by its name, such as `aixbench 1`, or `aixbench` for the newest version; `None` for the dataset's
    /// default.
    #[serde(default)]
    pub rubric: Option<String>,
    /// Whether to create a draft, so that the plan can be reviewed before the start.
    #[serde(default)]
    pub draft: bool,
    #[serde(flatten)]
    pub settings: StudySettings,
}

/// A study as a form sends it, for a new one and for a draft. Lists are absent when nothing is selected.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StudyForm {
    pub title: String,
    /// The name of the dataset; of new studies only.
    pub dataset: String,
    pub submissions: Vec<SubmissionId>,
    pub raters: Vec<UserId>,
    /// Groups whose active members rate, too.
    pub groups: Vec<GroupId>,
    /// Digits, or empty for the default.
    pub seed: String,
    /// A rubric's name, or empty for the default.
    pub rubric: String,
    /// Shares set by hand, by the number of their rater.
    pub shares: BTreeMap<String, String>,
    /// [`StudySettings`] by name; an empty one gets its default.
    pub settings: BTreeMap<String, String>,
}

/// A change of a draft: fields of [`NewStudy`] with their new values. The plan is drawn again.
pub type StudyChange = Patch<NewStudy>;

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
