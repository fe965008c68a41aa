//! What a rater sees of a study's quality: how a calibration went, answers to flags, their own
//! figures; and what an adjudicator sees of a disagreement. **No type in this file holds a model, a
//! submission, a file name or a database id.**

use serde::{Deserialize, Serialize};

use super::{
    code::CodeView,
    grading::{Flag, Progress, Scores},
    ids::Token,
    lang::Lang,
    quality::{Opening, RaterFigures},
    rubric::Rubric,
    time::Timestamp,
};

/// Which of the items that open a study this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct OpeningStep {
    /// Counted from 1.
    pub number: u64,
    /// How many there are.
    pub of: u64,
    /// What they are for.
    pub mode: Opening,
}

/// What comes between two items of a calibration, or after the last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub enum Calibration {
    /// The known scores of the item just rated.
    Feedback(Box<Feedback>),
    /// The rater may begin.
    Passed(OpeningResult),
    /// The rater was not near enough, and may not begin.
    Stopped(OpeningResult),
}

/// How a calibration went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct OpeningResult {
    /// The study's opaque name.
    pub study: Token,
    /// The study's title.
    pub title: String,
    /// Items near enough to the known scores.
    pub right: u64,
    /// Items rated.
    pub of: u64,
    /// Items that must be right; 0 where nothing must.
    pub needed: u64,
}

/// An item with its known scores, after the rater has rated it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Feedback {
    /// The item's opaque name.
    pub token: Token,
    /// The study's opaque name.
    pub study: Token,
    /// The study's title.
    pub title: String,
    /// Which item it is.
    pub step: OpeningStep,
    /// The description.
    pub raw_nl: String,
    /// The description's language.
    pub lang: Lang,
    /// The signature asked for.
    pub signature: Option<String>,
    /// The code.
    pub code: CodeView,
    /// The rubric.
    pub rubric: Rubric,
    /// What the rater gave, one place a dimension.
    pub yours: Scores,
    /// What is known, one place a dimension.
    pub known: Vec<u8>,
    /// Why, one place a dimension, in the rater's language where it was written in it; may be empty.
    pub reasons: Vec<String>,
}

/// An admin's answer to a flag that the rater raised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct FlagReply {
    /// The output's opaque name.
    pub token: Token,
    /// The study's opaque name.
    pub study: Token,
    /// The study's title.
    pub title: String,
    /// The description's beginning.
    pub raw_nl: String,
    /// The description's language.
    pub lang: Lang,
    /// What was raised.
    pub flag: Flag,
    /// The reply; empty where it was settled without a word.
    pub reply: String,
    /// When.
    pub at: Timestamp,
    /// Whether the rater has not yet said that they read it.
    pub fresh: bool,
}

/// What came back to a rater.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct CameBack {
    /// Answers to flags, newest first; the unread ones and the last few read.
    pub replies: Vec<FlagReply>,
    /// Disagreements that they may decide.
    pub disputes: u64,
    /// Their figures, of the studies that show them.
    pub figures: Vec<OwnFigures>,
}

/// A rater's own figures in one study, as far as the study shows them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct OwnFigures {
    /// The study's opaque name.
    pub study: Token,
    /// The study's title.
    pub title: String,
    /// How far they are.
    pub progress: Progress,
    /// Outputs per hour of active time.
    pub per_hour: Option<f64>,
    /// Time active, in milliseconds.
    pub active_ms: u64,
    /// Names of the dimensions and the rest of the figures; absent where the study shows progress only.
    pub figures: Option<(Rubric, RaterFigures)>,
}

/// What somebody may decide, and what they did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct DisputeQueue {
    /// The first of those that wait, then the first of those that the person decided.
    pub lines: Vec<DisputeLine>,
    /// How many wait in all.
    pub waiting: u64,
    /// How many the person decided in all.
    pub decided: u64,
}

/// A disagreement that waits, in an adjudicator's list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct DisputeLine {
    /// Its opaque name.
    pub token: Token,
    /// The study's title.
    pub title: String,
    /// The description's beginning.
    pub raw_nl: String,
    /// The description's language.
    pub lang: Lang,
    /// The widest spread on any dimension.
    pub spread: u8,
    /// When the asking person decided it, where they did.
    pub decided_at: Option<Timestamp>,
}

/// A disagreement as its adjudicator sees it: neither raters nor model have a name here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Dispute {
    /// Its opaque name.
    pub token: Token,
    /// The study's title.
    pub title: String,
    /// The description.
    pub raw_nl: String,
    /// The description's language.
    pub lang: Lang,
    /// The signature asked for.
    pub signature: Option<String>,
    /// The code.
    pub code: CodeView,
    /// The rubric.
    pub rubric: Rubric,
    /// The ratings under letters, in an order that says nothing.
    pub ratings: Vec<Voice>,
    /// The decision that stands, where there is one: scores and comment.
    pub decided: Option<(Vec<u8>, String)>,
}

/// One rating of a disputed output, without its rater.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Voice {
    /// One place a dimension.
    pub scores: Vec<u8>,
    /// What they said.
    pub comment: String,
    /// The flag they raised.
    pub flag: Option<Flag>,
    /// Line notes: the line of the code as it came, counted from 1, and the note.
    pub notes: Vec<(u32, String)>,
}
