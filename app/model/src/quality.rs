//! Quality control of a study, for admins: settings, calibration items, figures about raters, disagreements
//! and flags. [`super::feedback`] has the rater's view.

use serde::{Deserialize, Serialize};

use super::{
    code::CodeView,
    day::Day,
    error::AppError,
    flag::Flag,
    group::GroupName,
    ids::{OutputId, StudyId, TaskId, TaskRevisionId, Token, UserId},
    lang::{Bilingual, Lang},
    names::names,
    page::{PageOf, Paged},
    quality_preset::{ExtraWork, QualityPreset, Workload},
    ratings::Agreement,
    rubric::{Dimension, Rubric},
    study::StudyStatus,
    time::Timestamp,
};

names! {
    /// Whether and how calibration items open a study.
    #[derive(Default)]
    pub enum CalibrationMode as code {
        /// Raters start with the work.
        #[default]
        None = "none",
        /// Raters who miss the target cannot continue.
        MustPass = "must_pass",
        /// After each item, the rater sees the known scores and the reasons.
        Train = "train",
    }
}

names! {
    /// How disagreements are resolved.
    #[derive(Default)]
    pub enum Policy as code {
        /// An adjudicator gives the final scores.
        #[default]
        Adjudicator = "adjudicator",
        /// One more rater rates the output and the median is final; if no rater is left, it is adjudicated.
        ExtraRater = "extra_rater",
    }
}

names! {
    /// The figures about themselves that raters see.
    #[derive(Default)]
    pub enum FeedbackLevel as code {
        /// Nothing beyond the grading page.
        Nothing = "nothing",
        /// Progress and pace.
        #[default]
        Progress = "progress",
        /// Progress, and agreement with known scores, with other raters and with their own earlier ratings.
        Own = "own",
    }
}

names! {
    /// The consequence of exceeding a limit of the study.
    #[derive(Default)]
    pub enum LimitAction as code {
        /// Only the inbox shows it.
        #[default]
        Note = "note",
        /// The rater reads a warning before the next output.
        Warn = "warn",
        /// The rater is paused until an admin decides.
        Pause = "pause",
    }
}

names! {
    /// Where a known-score item is used.
    #[derive(Default)]
    pub enum Pool as code {
        /// In the calibration.
        Calibration = "calibration",
        /// Among the work, as a hidden check.
        Hidden = "hidden",
        /// In the calibration; as a hidden check only for raters who did not have it there.
        #[default]
        Both = "both",
    }
}

/// Shortest window of the limits, in items: in a shorter one, a rater could tell which item was a check.
pub const WINDOW_LEAST: u32 = 10;
/// Longest window of the limits, in items.
pub const WINDOW_MOST: u32 = 1000;
/// Fewest missed checks that a limit may react to, for the same reason.
pub const MISSED_LEAST: u32 = 2;
/// Largest minimum time for an item, in seconds.
pub const SECONDS_MOST: u32 = 3600;

/// Quality control settings of a study. The defaults switch everything off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(default)]
pub struct QualitySettings {
    /// How known-score items open the study.
    pub calibration: CalibrationMode,
    /// How many levels a score may differ from the known score on each dimension and still be correct; 0 is
    /// exact.
    pub tolerance: u8,
    /// With `must_pass`, the number of items that must be correct on every dimension; otherwise 0.
    pub needed: u32,
    /// Insert a hidden check with known scores about every N outputs; 0 for none, otherwise at least 2.
    pub known_item_every: u32,
    /// Repeat an output that the rater has rated before about every N outputs; 0 for none, otherwise at least 2.
    pub repeat_every: u32,
    /// Minimum number of outputs between an output and its repeat.
    pub repeat_apart: u32,
    /// Largest difference between two ratings of an output on a dimension that is not a disagreement; `None`
    /// for no limit.
    pub spread: Option<u8>,
    /// Overrides `spread` for correctness.
    pub spread_correctness: Option<u8>,
    /// How disagreements are resolved.
    pub policy: Policy,
    /// The figures about themselves that raters see.
    pub shown: FeedbackLevel,
    /// Minimum time for an item, in seconds; 0 for no limit. Items are outputs and hidden checks alike.
    pub min_seconds: u32,
    /// Number of items below the minimum time in a window that exceeds the limit.
    pub fast_limit: u32,
    /// Number of missed hidden known-score items in a window that exceeds the limit, at least 2; 0 for no limit.
    pub missed_limit: u32,
    /// Length of a window, in items that the rater rated. Limits are checked at its end only, so the moment says
    /// nothing about a single item.
    pub limit_window: u32,
    /// The consequence of exceeding a limit.
    pub limit_action: LimitAction,
    /// Minutes of work without a pause after which raters read that a break helps; 0 for never. At most
    /// [`BREAK_MOST`].
    pub break_minutes: u32,
    /// The day by which ratings are due, which raters and admins see. Nothing ends on it.
    pub due: Option<Day>,
}

/// The most minutes before a break is suggested: a day's work.
pub const BREAK_MOST: u32 = 480;

impl QualitySettings {
    /// Checks what can be checked without the study's rubric and known-score items.
    ///
    /// # Errors
    ///
    /// Names the first setting that cannot work, and how to change it.
    pub fn check(&self) -> Result<(), AppError> {
        if self.policy == Policy::ExtraRater && self.spread.is_none() && self.spread_correctness.is_none() {
            return Err(AppError::invalid(
                "policy",
                (
                    "an extra rater is asked where ratings differ by more than the allowed spread, which is not limited",
                    "只有评分差异超过允许范围时才会请额外评分者，而现在没有设置允许范围",
                ),
                ("Enter an allowed spread, or choose adjudication", "请输入允许范围，或选择裁决"),
            ));
        }
        for (field, every) in [("known_item_every", self.known_item_every), ("repeat_every", self.repeat_every)] {
            if every == 1 || every > OFTEN_MOST {
                return Err(AppError::invalid(
                    field,
                    ("the number must be 2 to 10,000, or 0", "此数须为 2 到 10,000，或 0"),
                    ("Enter another number; 20 is a good start", "请输入其他数字，可以从 20 开始"),
                ));
            }
        }
        if self.repeat_apart > OFTEN_MOST {
            return Err(AppError::invalid(
                "repeat_apart",
                ("the distance is at most 10,000 outputs", "间隔最多为 10,000 个输出"),
                ("Enter a smaller number", "请输入更小的数"),
            ));
        }
        let minutes = self.break_minutes;
        if minutes > BREAK_MOST {
            return Err(AppError::invalid(
                "break_minutes",
                (
                    format!("{minutes} minutes before a break are more than a day's work"),
                    format!("{minutes} 分钟后才提示休息，超过了一天的工作时间"),
                ),
                (
                    format!("Enter 1 to {BREAK_MOST} minutes, or 0 for no note"),
                    format!("请输入 1 到 {BREAK_MOST} 分钟，或输入 0 表示不提示"),
                ),
            ));
        }
        if self.has_limits() { self.check_limits() } else { Ok(()) }
    }

    fn check_limits(&self) -> Result<(), AppError> {
        let window = self.limit_window;
        if !(WINDOW_LEAST..=WINDOW_MOST).contains(&window) {
            return Err(AppError::invalid(
                "limit_window",
                (
                    format!(
                        "a window has {WINDOW_LEAST} to {WINDOW_MOST} outputs, so that raters cannot tell which output was a check"
                    ),
                    format!("每段须为 {WINDOW_LEAST} 到 {WINDOW_MOST} 个输出，以免评分者看出哪个输出是检验题"),
                ),
                ("Enter another number; 20 is a good start", "请输入其他数字，可以从 20 开始"),
            ));
        }
        if self.min_seconds > SECONDS_MOST {
            return Err(AppError::invalid(
                "min_seconds",
                ("the minimum time is at most an hour", "最短用时不能超过一小时"),
                (format!("Enter 0 to {SECONDS_MOST}"), format!("请输入 0 到 {SECONDS_MOST}")),
            ));
        }
        if self.min_seconds > 0 && !(1..=window).contains(&self.fast_limit) {
            return Err(AppError::invalid(
                "fast_limit",
                (
                    format!("{} of {window} outputs cannot be too fast", self.fast_limit),
                    format!("{window} 个输出中不可能有 {} 个过快", self.fast_limit),
                ),
                (format!("Enter 1 to {window}"), format!("请输入 1 到 {window}")),
            ));
        }
        if self.missed_limit > 0 && !(MISSED_LEAST..=window).contains(&self.missed_limit) {
            return Err(AppError::invalid(
                "missed_limit",
                (
                    format!(
                        "a limit reacts to at least {MISSED_LEAST} missed checks, so that raters cannot tell which output was one"
                    ),
                    format!("至少要错 {MISSED_LEAST} 道检验题，以免评分者看出哪个输出是检验题"),
                ),
                (format!("Enter {MISSED_LEAST} to {window}, or 0"), format!("请输入 {MISSED_LEAST} 到 {window}，或 0")),
            ));
        }
        if self.missed_limit > 0 && self.known_item_every == 0 {
            return Err(AppError::invalid(
                "missed_limit",
                (
                    "no known-score items come as hidden checks, so none can be missed",
                    "没有作为隐藏检验题的标准题，不会有错题",
                ),
                (
                    "Insert a known-score item about every N outputs, or enter 0",
                    "请先设置约每 N 个输出插入一道标准题，或输入 0",
                ),
            ));
        }
        Ok(())
    }

    /// Whether raters have limits.
    pub fn has_limits(&self) -> bool {
        self.min_seconds > 0 || self.missed_limit > 0
    }

    /// Whether hidden checks are on.
    pub fn has_hidden_checks(&self) -> bool {
        self.known_item_every > 0 || self.repeat_every > 0
    }

    /// The allowed spread on the dimension with this key; `None` for no limit.
    pub fn allowed(&self, dimension: &str) -> Option<u8> {
        match self.spread_correctness {
            Some(own) if dimension == CORRECTNESS => Some(own),
            _ => self.spread,
        }
    }

    /// Whether the scores are within the tolerance on every dimension. Answers about instructions, which have no known
    /// score, follow the scores.
    pub fn right(&self, given: &[u8], known: &[u8]) -> bool {
        given.len() >= known.len() && given.iter().zip(known).all(|(g, k)| g.abs_diff(*k) <= self.tolerance)
    }
}

/// Maximum "one in n" and distance that a study may set.
const OFTEN_MOST: u32 = 10_000;

/// Key of the dimension that can have its own threshold.
pub const CORRECTNESS: &str = "correctness";

/// A known-score item: code for a task, with known scores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct KnownItem {
    pub id: i64,
    /// The task's `task_id`.
    pub task_id: String,
    pub raw_nl: String,
    pub nl_lang: Lang,
    pub code: CodeView,
    /// Whether its code was pasted; otherwise it comes from a submission.
    pub pasted: bool,
    /// Whether the study grades the output itself. Its raters never get it as an item, and nobody does while a rating
    /// of it is missing.
    pub graded: bool,
    /// Where it is used.
    pub pool: Pool,
    /// Whether a rater has had it; it can then be deactivated, but not removed.
    pub used: bool,
    /// The known scores, one per dimension.
    pub scores: Vec<u8>,
    /// The reasons, one per dimension; may be empty.
    pub reasons: Vec<Bilingual>,
    /// Whether it is no longer shown to raters.
    pub deactivated: bool,
    /// Number of ratings.
    pub asked: u64,
    /// Number of ratings within the tolerance on every dimension.
    pub right: u64,
}

/// A new known-score item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct NewKnownItem {
    /// Source of the code.
    pub source: KnownItemSource,
    /// The known scores, one per dimension. Empty for the final scores of an output that the study grades.
    #[serde(default)]
    pub scores: Vec<u8>,
    /// The reasons, one per dimension; may be empty. An output that the study grades needs at least one.
    #[serde(default)]
    pub reasons: Vec<Bilingual>,
    /// Where it is used.
    #[serde(default)]
    pub pool: Pool,
}

/// A new known-score item as a form sends it. The lists have one entry per dimension.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct KnownItemForm {
    /// The number of an output; empty for pasted code.
    pub output: String,
    /// The number of the revision of the task for which code is pasted.
    pub task: String,
    pub code: String,
    pub surrounding_text: String,
    pub scores: Vec<u8>,
    pub reasons_en: Vec<String>,
    pub reasons_zh: Vec<String>,
    pub pool: Pool,
}

/// A change of a known-score item. Absent fields stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct KnownItemChange {
    /// Whether it is deactivated.
    pub deactivated: Option<bool>,
    /// Where it is used.
    pub pool: Option<Pool>,
}

/// A known-score item in a file (docs/formats.md), for studies of the same dataset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct KnownItemRecord {
    /// The task's `task_id`.
    pub task_id: String,
    pub code: String,
    /// The text around the code, as in a chat response.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub surrounding_text: String,
    /// The known scores, one per dimension.
    pub scores: Vec<u8>,
    /// The reasons, one per dimension; may be empty.
    #[serde(default)]
    pub reasons: Vec<Bilingual>,
    /// Where it is used.
    #[serde(default)]
    pub pool: Pool,
}

/// An output that the study grades, as a new known-score item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct KnownItemProposal {
    pub output: OutputId,
    /// The task's `task_id`.
    pub task_id: String,
    /// Start of the description.
    pub raw_nl: String,
    pub nl_lang: Lang,
    pub model: String,
    /// The final scores; absent on a dimension on which the median of the ratings is between two levels.
    pub scores: Vec<Option<u8>>,
    /// The reason of its adjudication; absent if the scores are the median of the ratings.
    pub decision: Option<String>,
    /// Number of ratings.
    pub ratings: u64,
    /// Ratings that are still missing.
    pub missing: u64,
}

/// How a rater keeps a study's limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct RaterLimits {
    pub rater: UserId,
    pub name: String,
    /// Since when the rater is paused.
    pub paused_at: Option<Timestamp>,
    /// Whether the rater has a warning to read.
    pub warned: bool,
    /// The last window over a limit that no admin has dealt with: items below the minimum time; 0 if that limit was
    /// kept.
    pub fast: u64,
    /// Missed hidden known-score items in it; 0 if that limit was kept.
    pub missed: u64,
    /// Hidden known-score items in it.
    pub checks: u64,
    /// Its items.
    pub items: u64,
}

/// Source of a known-score item's code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub enum KnownItemSource {
    /// An output for the study's dataset. If the study grades it, it must have a rating.
    Output(OutputId),
    /// Code pasted for a task of the study's dataset, with the text around it, as in a chat response. A hidden check needs such
    /// text if all outputs of the study have some, and must have none if none of them has.
    Pasted {
        task: TaskRevisionId,
        code: String,
        #[serde(default)]
        surrounding_text: String,
    },
}

/// Outputs and tasks from which known-score items can be made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct KnownItemChoices {
    /// Tasks to paste code for: revision, `task_id`, start of the description.
    pub tasks: Vec<(TaskRevisionId, String, String)>,
    /// Outputs that the study does not grade: output, `task_id`, model, sample.
    pub outputs: Vec<(OutputId, String, String, u32)>,
}

/// A rater's progress in the calibration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct CalibrationRow {
    pub rater: UserId,
    pub name: String,
    /// `None` before the rater has started.
    pub state: Option<CalibrationState>,
    /// Items rated in this round.
    pub rated: u64,
    /// Number of these within the tolerance.
    pub right: u64,
    /// Number of earlier rounds.
    pub earlier: u64,
    /// Whether an admin admitted the rater.
    pub admitted: bool,
}

/// State of a rater's calibration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum CalibrationState {
    /// In progress.
    Open,
    /// Passed; the rater can grade.
    Passed,
    /// Failed; the rater waits for an admin.
    Stopped,
}

/// A study's quality page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct QualityPage {
    pub title: String,
    pub rubric: Rubric,
    pub settings: QualitySettings,
    /// Known-score items, newest last.
    pub known_items: Vec<KnownItem>,
    /// Outputs and tasks from which further items can be made.
    pub choices: KnownItemChoices,
    /// The raters' calibration.
    pub calibrations: Vec<CalibrationRow>,
    /// Possible adjudicators: user, name, whether they are one.
    pub adjudicators: Vec<(UserId, String, bool)>,
    /// How the study's raters keep its limits.
    pub limits: Vec<RaterLimits>,
    /// The preset that the settings have the effect of; absent if they have the effect of none.
    pub preset: Option<QualityPreset>,
    /// What the work that the settings add for a rater depends on.
    pub workload: Workload,
    /// The work that the settings add for a rater.
    pub extra_work: ExtraWork,
    /// The output to add, if one is asked for.
    pub proposal: Option<KnownItemProposal>,
}

impl QualityPage {
    /// Number of active items that come in the calibration, and of those that come as hidden checks. With a
    /// calibration, items of both pools come there.
    pub fn pool_sizes(&self) -> (usize, usize) {
        let count = |of: &[Pool]| self.known_items.iter().filter(|i| !i.deactivated && of.contains(&i.pool)).count();
        let hidden: &[Pool] = match self.settings.calibration {
            CalibrationMode::None => &[Pool::Hidden, Pool::Both],
            CalibrationMode::MustPass | CalibrationMode::Train => &[Pool::Hidden],
        };
        (count(&[Pool::Calibration, Pool::Both]), count(hidden))
    }
}

/// Agreement of a rater's scores with reference scores.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Match {
    /// Number of outputs compared.
    pub outputs: u64,
    /// Number of pairs of scores.
    pub pairs: u64,
    /// Share of equal pairs, 0 to 1; `None` without pairs.
    pub exact: Option<f64>,
    /// Share of pairs at most one level apart, 0 to 1; `None` without pairs.
    pub within_one: Option<f64>,
    /// Mean difference on each dimension in levels, rater minus reference.
    pub difference: Vec<Option<f64>>,
    /// Krippendorff's ordinal alpha on each dimension; `None` if undefined.
    pub alpha: Vec<Option<f64>>,
}

/// Figures about one rater of one study (docs/statistics.md, "Raters").
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct RaterFigures {
    /// Ratings that count, and answered hidden checks.
    pub ratings: u64,
    /// Ratings with measured active time.
    pub timed: u64,
    /// Total active time of these, in milliseconds.
    pub active_ms: u64,
    /// Ratings per hour of active time; `None` without measured time.
    pub per_hour: Option<f64>,
    /// Agreement with the other raters of the same outputs.
    pub peers: Match,
    /// Agreement with known scores.
    pub known_items: Match,
    /// Outputs within the tolerance on every dimension, out of `known_items.outputs`.
    pub known_items_right: u64,
    /// Agreement with the rater's own first rating of repeated outputs.
    pub again: Match,
    /// Share of ratings with the same score on every dimension, 0 to 1.
    pub flat: Option<f64>,
    /// Longest run of consecutive equal ratings.
    pub longest_run: u64,
}

/// What waits on the pages of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TabCounts {
    pub study: StudyId,
    /// Its raters, former ones included.
    pub raters: u64,
    /// Ratings that count.
    pub ratings: u64,
    /// Open flags.
    pub flags: u64,
    /// Disagreements that wait for an adjudicator or an extra rater.
    pub disagreements: u64,
}

/// Live status of a study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Live {
    pub study: StudyId,
    /// Whether the study accepts ratings.
    pub status: StudyStatus,
    /// Ratings submitted.
    pub done: u64,
    /// Ratings needed, extra ratings included.
    pub wanted: u64,
    /// Extra ratings among those needed.
    pub extra: u64,
    /// Names of the dimensions, in the rubric's order.
    pub dimensions: Vec<Bilingual>,
    pub raters: Vec<LiveRater>,
    pub models: Vec<LiveModel>,
    /// Outputs that raters are working on.
    pub leases: Vec<Lease>,
    /// Estimated finish; `None` if there is not enough data.
    pub projection: Option<Projection>,
    /// Disagreements waiting for an adjudicator.
    pub disagreements: u64,
    /// Disagreements waiting for an extra rater.
    pub extra_waiting: u64,
    /// Open flags.
    pub flags: u64,
    /// Raters who failed the calibration.
    pub stopped: u64,
    /// Agreement of all raters on each dimension.
    pub agreement: Vec<Agreement>,
}

/// Live status of a rater.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct LiveRater {
    pub id: UserId,
    pub name: String,
    /// Outputs rated.
    pub rated: u64,
    /// Skipped outputs that are not rated.
    pub skipped: u64,
    /// Outputs that the rater is working on.
    pub leased: u64,
    /// Time of the newest rating.
    pub last_at: Option<Timestamp>,
    /// Median time from display to rating, in milliseconds.
    pub median_ms: Option<i64>,
    pub figures: RaterFigures,
}

/// Live status of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct LiveModel {
    pub name: String,
    /// Id, for links.
    pub id: i64,
    /// Ratings submitted.
    pub done: u64,
    /// Ratings needed.
    pub wanted: u64,
}

/// An output that a rater is working on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Lease {
    pub rater: String,
    /// The task's external id.
    pub task_id: String,
    /// Its task.
    pub task: TaskId,
    /// Its model.
    pub model: String,
    /// When it was opened.
    pub since: Option<Timestamp>,
    /// When the lease expires without activity.
    pub until: Timestamp,
}

/// Estimated finish of a study, with its basis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Projection {
    /// Estimated time of the last rating.
    pub end: Timestamp,
    /// Ratings in the window.
    pub ratings: u64,
    /// Length of the window up to now, in milliseconds; at most a day.
    pub window_ms: i64,
    /// Ratings still needed.
    pub left: u64,
}

/// Filter of the list of ratings. `None` matches everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct RatingFilter {
    /// By this rater.
    pub rater: Option<i64>,
    /// By a member of this group.
    #[serde(default)]
    pub group: Option<i64>,
    /// Of this model.
    pub model: Option<i64>,
    /// Of descriptions in this language.
    pub nl_lang: Option<Lang>,
    /// Index of the dimension for `score`.
    pub dimension: Option<usize>,
    /// Score on that dimension.
    pub score: Option<u8>,
    /// Only flagged ratings.
    pub flagged: bool,
    /// Only outputs with a disagreement.
    pub has_disagreement: bool,
    /// Only ratings that took less than this many seconds. Ratings without a measured time do not match.
    #[serde(default)]
    pub faster_than_s: Option<u32>,
    /// Text in the description or `task_id`.
    pub text: String,
    /// The page.
    #[serde(default)]
    #[cfg_attr(not(target_arch = "wasm32"), schema(ignore))]
    pub page: PageOf,
}

/// A page of the list of ratings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct RatingList {
    pub title: String,
    pub rubric: Rubric,
    /// Its raters, for the filter.
    pub raters: Vec<(UserId, String)>,
    /// The groups that they are in, for the filter.
    pub groups: Vec<GroupName>,
    /// Its models, for the filter.
    pub models: Vec<(i64, String)>,
    /// Number of matching ratings, at most [`PageOf::COUNTED`].
    pub found: u64,
    /// Whether there are more than `found`.
    pub more: bool,
    /// A page of them, newest first.
    #[cfg_attr(not(target_arch = "wasm32"), schema(ignore))]
    pub page: Paged<ListedRating>,
}

/// A rating in the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct ListedRating {
    /// Number of the rating; later ones have higher numbers.
    pub id: i64,
    pub output: OutputId,
    pub task: TaskId,
    /// The task's external id.
    pub task_id: String,
    /// Start of the description.
    pub raw_nl: String,
    pub nl_lang: Lang,
    pub model: String,
    pub rater: String,
    pub scores: Vec<u8>,
    pub comment: String,
    pub flag: Option<Flag>,
    pub at: Timestamp,
    /// Active time in milliseconds, if measured.
    pub active_ms: Option<u64>,
    /// Whether the output has a disagreement.
    pub has_disagreement: bool,
}

/// A flag and its reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct FlagRow {
    /// The flagged object.
    pub on: FlagOn,
    pub rater: String,
    /// The task's `task_id`.
    pub task_id: String,
    /// The task, for a link; `None` for a hidden check.
    pub task: Option<TaskId>,
    /// Start of the description.
    pub raw_nl: String,
    pub nl_lang: Lang,
    /// The model; `None` for a calibration item.
    pub model: Option<String>,
    pub flag: Flag,
    /// The rater's comment on it.
    pub comment: String,
    pub at: Timestamp,
    /// The reply (empty: resolved without one), its author and time.
    pub answer: Option<(String, String, Timestamp)>,
    /// Whether the rater has read the reply.
    pub read: bool,
}

/// The object of a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum FlagOn {
    /// An assignment of the study.
    Assignment(i64),
    /// A calibration item or a hidden check.
    Check(i64),
}

/// The state of a disagreement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum DisagreementState {
    /// Waiting for an adjudicator.
    Waiting,
    /// Waiting for an extra rater.
    ExtraRater,
    /// An extra rater has rated it: the median is final.
    Median,
    /// Adjudicated.
    Adjudicated,
}

/// An output with a disagreement, for an admin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct DisagreementRow {
    /// The output.
    pub output: OutputId,
    /// Its task.
    pub task: TaskId,
    /// The task's `task_id`.
    pub task_id: String,
    /// Start of the description.
    pub raw_nl: String,
    pub nl_lang: Lang,
    pub model: String,
    /// The items for the instructions of its conversation, where raters answer which it follows. All scores below are
    /// of the rubric's dimensions, and then of these items.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instructions: Vec<Dimension>,
    /// The spread on each dimension.
    pub spread: Vec<u8>,
    /// Each rater with their scores.
    pub ratings: Vec<(String, Vec<u8>)>,
    /// Its state.
    pub state: DisagreementState,
    /// The final scores, if any. A median has none for instructions.
    pub final_scores: Option<Vec<f64>>,
    /// Every adjudication, newest first.
    pub history: Vec<Decision>,
    /// The name under which the asking admin may adjudicate it; absent if they rated it.
    pub token: Option<Token>,
    /// Whether a rater is left who could give an extra rating.
    pub rater_left: bool,
}

/// An adjudication.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Decision {
    /// The adjudicator.
    pub by: String,
    /// One for each dimension, then one for each instruction.
    pub scores: Vec<u8>,
    /// The reason.
    pub comment: String,
    pub at: Timestamp,
    /// Whether a later adjudication replaced it.
    pub replaced: bool,
}

/// Disagreements per page.
pub const DISAGREEMENTS_PAGE: u32 = 20;

/// A page of the disagreements of a study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DisagreementList {
    pub title: String,
    pub rubric: Rubric,
    pub settings: QualitySettings,
    /// Those that wait first, the widest first.
    pub page: Paged<DisagreementRow>,
}
