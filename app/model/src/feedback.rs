//! The part of a study's quality that a rater sees: calibration results, replies to flags, their own figures; and
//! what an adjudicator sees of a disagreement. **No type in this file contains a model, a submission, a file
//! name or a database id.**

use serde::{Deserialize, Serialize};

use super::{
    code::CodeView,
    flag::Flag,
    grading::{Progress, Scores},
    ids::Token,
    lang::Lang,
    note::LineNote,
    quality::{CalibrationMode, RaterFigures},
    rubric::Rubric,
    time::Timestamp,
};

/// Position of an item in the calibration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct CalibrationStep {
    /// From 1.
    pub number: u64,
    /// Number of items.
    pub of: u64,
    /// Purpose of the calibration.
    pub mode: CalibrationMode,
}

/// The page between two calibration items or after the last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub enum Calibration {
    /// The known scores of the item just rated.
    Feedback(Box<Feedback>),
    /// The rater passed and can start.
    Passed(CalibrationResult),
    /// The rater failed and cannot start.
    Stopped(CalibrationResult),
}

/// Result of a calibration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct CalibrationResult {
    /// Opaque token of the study.
    pub study: Token,
    /// The study's title.
    pub title: String,
    /// Items within the tolerance.
    pub right: u64,
    /// Items rated.
    pub of: u64,
    /// Items that must be right; 0 if there is no target.
    pub needed: u64,
}

/// A calibration item with its known scores, shown after the rater rated it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Feedback {
    /// Opaque token of the item.
    pub token: Token,
    /// Opaque token of the study.
    pub study: Token,
    /// The study's title.
    pub title: String,
    pub step: CalibrationStep,
    pub raw_nl: String,
    pub nl_lang: Lang,
    pub signature: Option<String>,
    pub code: CodeView,
    /// The conversation of which it is the last answer, as HTML; absent if its task is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    pub rubric: Rubric,
    /// The rater's scores, one per dimension.
    pub yours: Scores,
    /// The known scores, one per dimension.
    pub known: Vec<u8>,
    /// The reasons, one per dimension, in the rater's language if available; may be empty.
    pub reasons: Vec<String>,
}

/// An admin's reply to a flag that the rater raised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct FlagReply {
    /// Opaque token of the output.
    pub token: Token,
    /// Opaque token of the study.
    pub study: Token,
    /// The study's title.
    pub title: String,
    /// Start of the description.
    pub raw_nl: String,
    pub nl_lang: Lang,
    pub flag: Flag,
    /// The reply; empty if the flag was resolved without one.
    pub reply: String,
    /// Time of the reply.
    pub at: Timestamp,
    /// Whether the rater has not acknowledged it.
    pub fresh: bool,
}

/// Feedback to a rater.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct RaterFeedback {
    /// Replies to flags, newest first: all unread ones and the latest read ones.
    pub replies: Vec<FlagReply>,
    /// Disagreements that the rater can adjudicate.
    pub disagreements: u64,
    /// The rater's figures, for studies that show them.
    pub figures: Vec<OwnFigures>,
}

/// A rater's own figures in one study, within what the study shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct OwnFigures {
    /// Opaque token of the study.
    pub study: Token,
    /// The study's title.
    pub title: String,
    pub progress: Progress,
    /// Outputs rated per hour of active time.
    pub per_hour: Option<f64>,
    /// Active time in milliseconds.
    pub active_ms: u64,
    /// Names of the dimensions and further figures; `None` if the study shows progress only.
    pub figures: Option<(Rubric, RaterFigures)>,
}

/// An adjudicator's open and adjudicated disagreements.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct DisagreementQueue {
    /// The first open ones, then the first adjudicated ones.
    pub lines: Vec<DisagreementLine>,
    /// Total open.
    pub waiting: u64,
    /// Total adjudicated by this person.
    pub adjudicated: u64,
}

/// A disagreement in an adjudicator's list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct DisagreementLine {
    /// Opaque token of the disagreement.
    pub token: Token,
    /// The study's title.
    pub title: String,
    /// Start of the description.
    pub raw_nl: String,
    pub nl_lang: Lang,
    /// Largest difference on any dimension.
    pub spread: u8,
    /// When this person adjudicated it, if they did.
    pub adjudicated_at: Option<Timestamp>,
}

/// A disagreement as its adjudicator sees it, without names of raters or the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Disagreement {
    /// Opaque token of the disagreement.
    pub token: Token,
    /// The study's title.
    pub title: String,
    /// With an item for each instruction of the conversation, where raters answer which the output follows.
    pub output: RatedOutput,
    /// The current adjudication, if any: scores and comment.
    pub adjudicated: Option<(Vec<u8>, String)>,
    /// When it was adjudicated.
    pub adjudicated_at: Option<Timestamp>,
}

/// An output with ratings of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct RatedOutput {
    pub raw_nl: String,
    pub nl_lang: Lang,
    pub signature: Option<String>,
    pub code: CodeView,
    /// The conversation of which it is the last answer, as HTML; absent if its task is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    pub rubric: Rubric,
    /// The ratings. In a disagreement, they are in random order and have letters instead of names.
    pub ratings: Vec<AnonymousRating>,
}

/// A rating of the output, without its rater.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct AnonymousRating {
    /// One score per dimension.
    pub scores: Vec<u8>,
    pub comment: String,
    pub flag: Option<Flag>,
    /// Line notes, at their places in the original code.
    pub notes: Vec<LineNote>,
}
