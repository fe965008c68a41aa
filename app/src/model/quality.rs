//! Quality of a study, for admins: its settings, items with known scores, figures about raters,
//! disagreements, flags. What a rater sees of it is in [`super::feedback`].

use serde::{Deserialize, Serialize};

use super::{
    code::CodeView,
    comparison::Agreement,
    grading::Flag,
    ids::{OutputId, StudyId, TaskId, TaskRevisionId, Token, UserId},
    lang::{Bilingual, Lang},
    rubric::Rubric,
    study::StudyStatus,
    time::Timestamp,
};

/// How items with known scores open a study.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Opening {
    /// They do not: raters begin with the work.
    #[default]
    None,
    /// A rater who is not near enough to the known scores is stopped.
    MustPass,
    /// After each, the rater sees the known scores and their reasons.
    Train,
}

/// What happens to an output whose raters disagree too much.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// It waits for an adjudicator.
    #[default]
    Adjudicator,
    /// One more rater rates it, and the median is final; where no rater is left, an adjudicator.
    ExtraRater,
}

/// What raters see of their own figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    /// Nothing but what is on the grading page.
    Nothing,
    /// How far they are, and their pace.
    #[default]
    Progress,
    /// That, and how they compare with known scores, with others and with themselves.
    Own,
}

/// What a study does about quality. The defaults do nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct QualitySettings {
    /// How items with known scores open the study.
    pub opening: Opening,
    /// How many levels a score may be off on each dimension and still count as right; 0 is exact.
    pub tolerance: u8,
    /// Where raters must pass: how many items must be right on every dimension.
    pub needed: u32,
    /// About one output in so many is an item with known scores, unmarked; 0 is none, else at least 2.
    pub gold_every: u32,
    /// About one output in so many is one that the rater has rated before; 0 is none, else at least 2.
    pub repeat_every: u32,
    /// At least so many outputs lie between an output and its repeat.
    pub repeat_apart: u32,
    /// The widest distance between two ratings of an output on a dimension that is let pass; absent:
    /// any.
    pub spread: Option<u8>,
    /// The same for correctness alone, instead of `spread`.
    pub spread_correctness: Option<u8>,
    /// What happens beyond that.
    pub policy: Policy,
    /// What raters see of their own figures.
    pub shown: Shown,
}

impl QualitySettings {
    /// Whether some output may be a hidden probe.
    pub fn probes(&self) -> bool {
        self.gold_every > 0 || self.repeat_every > 0
    }

    /// The widest spread let pass on the dimension with this key.
    pub fn allowed(&self, dimension: &str) -> Option<u8> {
        match self.spread_correctness {
            Some(own) if dimension == CORRECTNESS => Some(own),
            _ => self.spread,
        }
    }

    /// Whether these scores are near enough to the known ones to count as right.
    pub fn right(&self, given: &[u8], known: &[u8]) -> bool {
        given.len() == known.len() && given.iter().zip(known).all(|(g, k)| g.abs_diff(*k) <= self.tolerance)
    }
}

/// The settings as a form sends them: an empty threshold lets everything pass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct SettingsForm {
    /// See [`QualitySettings`], here and below.
    pub opening: Opening,
    /// See there.
    pub tolerance: u8,
    /// See there.
    pub needed: u32,
    /// See there.
    pub gold_every: u32,
    /// See there.
    pub repeat_every: u32,
    /// See there.
    pub repeat_apart: u32,
    /// A whole number, or nothing.
    #[serde(default)]
    pub spread: String,
    /// A whole number, or nothing.
    #[serde(default)]
    pub spread_correctness: String,
    /// See there.
    pub policy: Policy,
    /// See there.
    pub shown: Shown,
}

/// The key of the dimension that may have a threshold of its own.
pub const CORRECTNESS: &str = "correctness";

/// An output with known scores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct GoldItem {
    /// Its number.
    pub id: i64,
    /// The task's id in its source.
    pub task_id: String,
    /// The description.
    pub raw_nl: String,
    /// The description's language.
    pub lang: Lang,
    /// The code.
    pub code: CodeView,
    /// Whether it was pasted; else it was picked from a submission.
    pub pasted: bool,
    /// The known scores, one place a dimension.
    pub scores: Vec<u8>,
    /// Why, one place a dimension; may be empty.
    pub reasons: Vec<Bilingual>,
    /// Whether it is asked no more.
    pub retired: bool,
    /// How often raters rated it.
    pub asked: u64,
    /// How often within the tolerance on every dimension.
    pub right: u64,
}

/// What an admin says an item with known scores is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct NewGold {
    /// Where its code comes from.
    pub source: GoldSource,
    /// The known scores, one place a dimension.
    pub scores: Vec<u8>,
    /// Why, one place a dimension; may be empty.
    pub reasons: Vec<Bilingual>,
}

/// Where the code of an item with known scores comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub enum GoldSource {
    /// An output of a submission of the study's dataset that the study itself does not grade.
    Output(OutputId),
    /// Pasted for a task of the study's dataset.
    Pasted {
        /// The task.
        task: TaskRevisionId,
        /// The code.
        code: String,
    },
}

/// What an item with known scores may be made from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct GoldChoices {
    /// Tasks to paste code for: revision, id in the source, the description's beginning.
    pub tasks: Vec<(TaskRevisionId, String, String)>,
    /// Outputs that the study does not grade: output, task's id, model, sample.
    pub outputs: Vec<(OutputId, String, String, u32)>,
}

/// Where a rater stands with the items that open the study.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct OpeningRow {
    /// The rater.
    pub rater: UserId,
    /// Their name.
    pub name: String,
    /// Whether they are at it, through, or stopped; absent while they have not begun.
    pub state: Option<OpeningState>,
    /// Items rated in this round.
    pub rated: u64,
    /// Of these, within the tolerance.
    pub right: u64,
    /// Rounds before this one.
    pub earlier: u64,
    /// Whether an admin let them in.
    pub let_in: bool,
}

/// How the opening stands for a rater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum OpeningState {
    /// They are at it.
    Open,
    /// They may work.
    Passed,
    /// They did not pass, and wait for an admin.
    Stopped,
}

/// A study's quality page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct QualityPage {
    /// The study's title.
    pub title: String,
    /// Its rubric.
    pub rubric: Rubric,
    /// Its settings.
    pub settings: QualitySettings,
    /// Its items with known scores, newest last.
    pub gold: Vec<GoldItem>,
    /// What more can be made from.
    pub choices: GoldChoices,
    /// Where raters stand with the opening.
    pub openings: Vec<OpeningRow>,
    /// Who may be an adjudicator: user, name, whether they are.
    pub adjudicators: Vec<(UserId, String, bool)>,
}

/// How ratings compare with what they are held against.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Match {
    /// How many outputs were compared.
    pub outputs: u64,
    /// How many pairs of scores.
    pub pairs: u64,
    /// Share of pairs that are equal, 0 to 1; absent without pairs.
    pub exact: Option<f64>,
    /// Share of pairs at most one level apart.
    pub within_one: Option<f64>,
    /// Mean signed difference on each dimension, in levels: above 0, the rater's scores are higher.
    pub difference: Vec<Option<f64>>,
    /// Krippendorff's alpha (ordinal) on each dimension, between -1 and 1; absent where undefined.
    pub alpha: Vec<Option<f64>>,
}

/// Figures about one rater of one study (docs/statistics.md, "Raters").
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct RaterFigures {
    /// Ratings that count, and answered probes that came unmarked.
    pub ratings: u64,
    /// Ratings whose time was measured.
    pub timed: u64,
    /// Their time in sum, in milliseconds.
    pub active_ms: u64,
    /// Outputs per hour of that time; absent without any.
    pub per_hour: Option<f64>,
    /// Against the others' ratings of the same outputs.
    pub peers: Match,
    /// Against known scores.
    pub gold: Match,
    /// Items within the tolerance on every dimension, of `gold.outputs`.
    pub gold_right: u64,
    /// Against themselves, on outputs that came again.
    pub again: Match,
    /// Share of ratings with the same value on every dimension, 0 to 1.
    pub flat: Option<f64>,
    /// The longest run of equal ratings one after another.
    pub longest_run: u64,
}

/// A study as it goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Live {
    /// The study.
    pub study: StudyId,
    /// Whether it takes ratings.
    pub status: StudyStatus,
    /// Ratings given.
    pub done: u64,
    /// Ratings wanted, extra ones included.
    pub wanted: u64,
    /// Of the wanted, those beyond the overlap.
    pub extra: u64,
    /// Names of the dimensions, in the rubric's order.
    pub dimensions: Vec<Bilingual>,
    /// Each rater.
    pub raters: Vec<LiveRater>,
    /// Each model.
    pub models: Vec<LiveModel>,
    /// Outputs in somebody's hands.
    pub leases: Vec<Lease>,
    /// When it may be over.
    pub projection: Option<Projection>,
    /// Disagreements that wait for an adjudicator.
    pub disputes: u64,
    /// Disagreements that wait for an extra rater.
    pub extra_waiting: u64,
    /// Flags without an answer.
    pub flags: u64,
    /// Raters stopped at the opening.
    pub stopped: u64,
    /// Agreement on each dimension over all raters.
    pub agreement: Vec<Agreement>,
}

/// A rater of a study as it goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct LiveRater {
    /// The rater.
    pub id: UserId,
    /// Their name.
    pub name: String,
    /// Outputs rated.
    pub rated: u64,
    /// Outputs passed over and not yet rated.
    pub skipped: u64,
    /// Outputs in their hands.
    pub leased: u64,
    /// Their newest rating.
    pub last_at: Option<Timestamp>,
    /// Median time from showing to rating, in milliseconds.
    pub median_ms: Option<i64>,
    /// Their figures.
    pub figures: RaterFigures,
}

/// A model of a study as it goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct LiveModel {
    /// Its name.
    pub name: String,
    /// Its number, for links.
    pub id: i64,
    /// Ratings given.
    pub done: u64,
    /// Ratings wanted.
    pub wanted: u64,
}

/// An output in somebody's hands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Lease {
    /// Who has it.
    pub rater: String,
    /// Its task's id in its source.
    pub task_id: String,
    /// Its task.
    pub task: TaskId,
    /// Its model.
    pub model: String,
    /// Since when.
    pub since: Option<Timestamp>,
    /// Until when, without a sign of life.
    pub until: Timestamp,
}

/// When a study may be over, and from what that was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Projection {
    /// When the last rating comes at that pace.
    pub end: Timestamp,
    /// Ratings in the window.
    pub ratings: u64,
    /// The window's length, in milliseconds: at most a day, up to now.
    pub window_ms: i64,
    /// Ratings still to come.
    pub left: u64,
}

/// What the list of ratings is narrowed to. Absent: anything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct RatingFilter {
    /// By this rater.
    pub rater: Option<i64>,
    /// Of this model.
    pub model: Option<i64>,
    /// Of descriptions in this language.
    pub lang: Option<Lang>,
    /// On this dimension, counted from 0 …
    pub dimension: Option<usize>,
    /// … this score.
    pub score: Option<u8>,
    /// Only with a flag.
    pub flagged: bool,
    /// Only of outputs whose raters disagree beyond the threshold.
    pub disputed: bool,
    /// A word in the description or the task's id.
    pub text: String,
    /// The page, from 0.
    pub page: u32,
}

/// How many ratings a page of the list has.
pub const RATINGS_PAGE: u32 = 50;

/// A page of the list of ratings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct RatingList {
    /// The study's title.
    pub title: String,
    /// Its rubric.
    pub rubric: Rubric,
    /// Its raters, for the filter.
    pub raters: Vec<(UserId, String)>,
    /// Its models, for the filter.
    pub models: Vec<(i64, String)>,
    /// How many fit.
    pub found: u64,
    /// At most [`RATINGS_PAGE`], newest first.
    pub rows: Vec<ListedRating>,
}

/// A rating in the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct ListedRating {
    /// The task.
    pub task: TaskId,
    /// Its id in its source.
    pub task_id: String,
    /// The description's beginning.
    pub raw_nl: String,
    /// The description's language.
    pub lang: Lang,
    /// The model.
    pub model: String,
    /// The rater.
    pub rater: String,
    /// One place a dimension.
    pub scores: Vec<u8>,
    /// What they said.
    pub comment: String,
    /// The flag they raised.
    pub flag: Option<Flag>,
    /// When.
    pub at: Timestamp,
    /// How long the rater was at it, in milliseconds, where that was measured.
    pub active_ms: Option<u64>,
    /// Whether the output's raters disagree beyond the threshold.
    pub disputed: bool,
}

/// A flag, with its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct FlagRow {
    /// What it was raised on.
    pub on: FlagOn,
    /// Who raised it.
    pub rater: String,
    /// The task's id in its source.
    pub task_id: String,
    /// The task, for a link; absent for a probe.
    pub task: Option<TaskId>,
    /// The description's beginning.
    pub raw_nl: String,
    /// The description's language.
    pub lang: Lang,
    /// The model; absent for an item with known scores.
    pub model: Option<String>,
    /// The reason.
    pub flag: Flag,
    /// What the rater said beside it.
    pub comment: String,
    /// When.
    pub at: Timestamp,
    /// The answer: reply (empty: resolved without a word), who gave it, when.
    pub answer: Option<(String, String, Timestamp)>,
    /// Whether the rater has read the reply.
    pub read: bool,
}

/// What a flag was raised on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum FlagOn {
    /// An assignment of the study.
    Assignment(i64),
    /// A probe.
    Probe(i64),
}

/// How a disagreement stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum DisputeState {
    /// An adjudicator is to decide.
    Waiting,
    /// One more rater is to rate it.
    ExtraRater,
    /// An extra rater has rated it: the median is final.
    Median,
    /// An adjudicator has decided.
    Decided,
}

/// An output whose raters disagree beyond the study's threshold, for an admin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct DisputeRow {
    /// The output.
    pub output: OutputId,
    /// Its task.
    pub task: TaskId,
    /// The task's id in its source.
    pub task_id: String,
    /// The description's beginning.
    pub raw_nl: String,
    /// The description's language.
    pub lang: Lang,
    /// The model.
    pub model: String,
    /// The spread on each dimension.
    pub spread: Vec<u8>,
    /// Each rater with their scores.
    pub ratings: Vec<(String, Vec<u8>)>,
    /// How it stands.
    pub state: DisputeState,
    /// The final scores, where there are any.
    pub final_scores: Option<Vec<f64>>,
    /// Every decision, newest first.
    pub history: Vec<Decision>,
    /// Under which name the asking admin may decide it; absent where they rated it themselves.
    pub token: Option<Token>,
    /// Whether a rater is left who could rate it besides.
    pub rater_left: bool,
}

/// A decision of an adjudicator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Decision {
    /// Who decided.
    pub by: String,
    /// One place a dimension.
    pub scores: Vec<u8>,
    /// Why.
    pub comment: String,
    /// When.
    pub at: Timestamp,
    /// Whether a later decision took its place.
    pub superseded: bool,
}

/// Disagreements on one page.
pub const DISPUTES_PAGE: u32 = 20;

/// A page of the disagreements of a study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct DisputeList {
    /// The study's title.
    pub title: String,
    /// Its rubric.
    pub rubric: Rubric,
    /// Its settings.
    pub settings: QualitySettings,
    /// How many there are in all.
    pub found: u64,
    /// Those of the page, the waiting ones first.
    pub rows: Vec<DisputeRow>,
}

/// Where the final scores of an output come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum FinalBy {
    /// Its raters agree well enough, or nothing was decided yet: the mean of their ratings.
    Ratings,
    /// The median after an extra rating.
    Median,
    /// An adjudicator.
    Adjudicator,
}
