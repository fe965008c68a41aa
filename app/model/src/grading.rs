//! The rater's side. **No type in this file contains a model, a submission, a file name or a database id**,
//! so none can leak.

use serde::{Deserialize, Serialize};

use super::{
    code::CodeView,
    day::Day,
    feedback::{Calibration, CalibrationStep, FlagReply},
    flag::{Flag, FlagReason},
    guidelines::GuidelinesState,
    ids::Token,
    lang::Lang,
    note::{self, LineNote},
    plan::Presentation,
    rubric::Rubric,
    time::Timestamp,
};

/// Scores of one output, one per dimension in the rubric's order; `None` if not yet scored.
pub type Scores = Vec<Option<u8>>;

/// A rater's draft for one output, possibly incomplete.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// One entry per dimension, in the rubric's order.
    pub scores: Scores,
    /// Comment.
    #[serde(default)]
    pub comment: String,
    /// Flag, if the rater raised one.
    #[serde(default)]
    pub flag: Option<Flag>,
    /// Active time on the page in milliseconds; absent if the page could not measure it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_ms: Option<u64>,
    /// Line notes, in the order of the code.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<LineNote>,
}

impl Draft {
    /// Whether both have the same content, ignoring active time.
    pub fn same(&self, other: &Draft) -> bool {
        Draft { active_ms: None, ..self.clone() } == Draft { active_ms: None, ..other.clone() }
    }

    /// An empty draft.
    pub fn blank(rubric: &Rubric) -> Self {
        Draft { scores: vec![None; rubric.dimensions.len()], ..Draft::default() }
    }

    /// Index of the first dimension without a score.
    pub fn first_open(&self) -> Option<usize> {
        self.scores.iter().position(Option::is_none)
    }

    /// Why the draft is not a valid rating under `rubric`; `None` if it is.
    pub fn fault(&self, rubric: &Rubric) -> Option<DraftFault> {
        if self.scores.len() != rubric.dimensions.len() {
            return Some(DraftFault::OtherRubric);
        }
        for (i, (score, dimension)) in self.scores.iter().zip(&rubric.dimensions).enumerate() {
            match score {
                None => return Some(DraftFault::Missing(i)),
                Some(s) if !dimension.has(*s) => return Some(DraftFault::OffScale(i)),
                Some(_) => {}
            }
        }
        if self.flag.as_ref().is_some_and(|flag| flag.reason == FlagReason::Other && flag.text.trim().is_empty()) {
            return Some(DraftFault::NoReason);
        }
        self.text_fault()
    }

    /// Why the draft cannot be saved; like [`Draft::fault`], but missing scores are allowed.
    pub fn draft_fault(&self, rubric: &Rubric) -> Option<DraftFault> {
        if self.scores.len() != rubric.dimensions.len() {
            return Some(DraftFault::OtherRubric);
        }
        let off = |(s, d): (&Option<u8>, &super::rubric::Dimension)| s.is_some_and(|s| !d.has(s));
        if let Some(i) = self.scores.iter().zip(&rubric.dimensions).position(off) {
            return Some(DraftFault::OffScale(i));
        }
        self.text_fault()
    }

    fn text_fault(&self) -> Option<DraftFault> {
        let flag = self.flag.as_ref().map_or(0, |flag| flag.text.chars().count());
        if self.comment.chars().count().max(flag) > TEXT_MAX {
            return Some(DraftFault::TooLong);
        }
        if self.active_ms.is_some_and(|time| time > ACTIVE_MS_MAX) {
            return Some(DraftFault::Time);
        }
        (!note::sound(&self.notes)).then_some(DraftFault::Notes)
    }
}

/// Maximum length of a comment, a flag's text or a reply, in characters: a page of text.
pub const TEXT_MAX: usize = 4000;

/// The longest time that a rater may have spent on an output, in milliseconds: a week without a pause.
pub const ACTIVE_MS_MAX: u64 = 7 * 24 * 60 * 60 * 1000;

/// Why a draft is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DraftFault {
    /// The dimension with this index has no score.
    Missing(usize),
    /// The dimension with this index has a score outside its scale.
    OffScale(usize),
    /// [`FlagReason::Other`] without a text.
    NoReason,
    /// The comment or the flag exceeds [`TEXT_MAX`].
    TooLong,
    /// Too many or too long line notes, or a note on a line that does not exist.
    Notes,
    /// The number of scores differs from the rubric's dimensions.
    OtherRubric,
    /// The time spent on the output exceeds [`ACTIVE_MS_MAX`].
    Time,
}

/// One output as a rater sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GradingItem {
    /// Opaque token of the assignment.
    pub token: Token,
    /// Opaque token of the study.
    pub study: Token,
    /// The study's title.
    pub title: String,
    /// How the study shows its outputs. Calibration items come one at a time in every study.
    pub presentation: Presentation,
    /// The description, unchanged.
    pub raw_nl: String,
    pub nl_lang: Lang,
    /// Requested signature, if any.
    pub signature: Option<String>,
    pub code: CodeView,
    /// The conversation of which it is the last answer, as HTML; absent if its task is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    pub rubric: Rubric,
    /// The draft; for a rated output, the rating.
    pub draft: Draft,
    /// Whether the rater has submitted a rating.
    pub rated: bool,
    /// Progress of the rater.
    pub progress: Progress,
    /// Output rated before this one.
    pub previous: Option<Token>,
    /// Output rated after this one, if the rater went back.
    pub following: Option<Token>,
    /// Position in the calibration; `None` for work.
    pub calibration: Option<CalibrationStep>,
    /// Replies to the rater's flags on this output, newest first.
    pub replies: Vec<FlagReply>,
    /// Whether the rater has bookmarked it.
    pub bookmarked: bool,
    /// Minutes of work after which the page suggests a break; 0 for never.
    pub break_minutes: u32,
    /// Whether the study has guidelines to read.
    pub guidelines: GuidelinesState,
}

/// Why a rater gets nothing to rate now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Halt {
    /// The study is paused or closed.
    #[default]
    Study,
    /// The rater is paused until an admin decides.
    Rater,
    /// The rater must read a warning first.
    Warning(Warning),
}

/// The reasons of a warning. Figures are of a whole window and count hidden checks like work, so they do not reveal which
/// items are hidden checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// How many of the last ratings took less than the study's minimum time; 0 if that is within the limit.
    pub fast: u64,
    /// The number of those last ratings.
    pub of: u64,
    /// The minimum time, in seconds.
    pub seconds: u32,
    /// Whether scores were further from the rubric than the study allows.
    pub far: bool,
}

/// Response to a request for the next output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Next {
    /// This output.
    Item(Box<GradingItem>),
    /// Nothing is left for the rater.
    Finished {
        /// The study's title.
        title: String,
        /// Progress of the rater.
        progress: Progress,
        /// Output rated last.
        previous: Option<Token>,
    },
    /// Nothing can be rated now.
    Paused {
        /// The study's title.
        title: String,
        /// Progress of the rater.
        progress: Progress,
        /// Why.
        why: Halt,
    },
    /// A calibration step comes first.
    Calibration(Box<Calibration>),
}

/// Response to a request for the next task of a side-by-side study.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NextTask {
    /// All outputs of one task that are assigned to the rater, in the order of their letters; the first is A.
    /// The order is specific to the rater and drawn from the study's seed. Includes outputs that the rater
    /// rated already, for example before a reload.
    Task(Vec<GradingItem>),
    /// The study shows one output at a time: ask for the next item instead.
    OneByOne,
    /// Nothing is left for the rater.
    Finished {
        /// The study's title.
        title: String,
        /// Progress of the rater.
        progress: Progress,
        /// Output rated last.
        previous: Option<Token>,
    },
    /// Nothing can be rated now.
    Paused {
        /// The study's title.
        title: String,
        /// Progress of the rater.
        progress: Progress,
        /// Why.
        why: Halt,
    },
}

/// A rater's progress in a study.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Progress {
    /// Outputs that the rater rated.
    pub rated: u64,
    /// Outputs that the rater skipped; they come again.
    pub skipped: u64,
    /// Outputs of this rater's share still to come. A rater who has finished may take some of another's.
    pub left: u64,
}

impl Progress {
    /// The progress after this many more ratings of new outputs.
    #[must_use]
    pub fn after(self, ratings: u64) -> Progress {
        Progress { rated: self.rated + ratings, left: self.left.saturating_sub(ratings), ..self }
    }
}

/// Response to a submitted rating, sent after the commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Receipt {
    /// Stored.
    Stored,
    /// The same submission was stored before and counts once.
    AlreadyStored,
}

/// A study in the rater's list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MyStudy {
    /// Opaque token of the study.
    pub token: Token,
    /// Its title.
    pub title: String,
    /// Whether the study accepts ratings from this rater.
    pub open: bool,
    /// Whether an admin has to decide before this rater can continue.
    pub paused: bool,
    /// How outputs are shown.
    pub presentation: Presentation,
    /// Progress of the rater.
    pub progress: Progress,
    /// Whether there are guidelines to read.
    pub guidelines: GuidelinesState,
    /// The day by which its ratings are due, and whether that day has passed in UTC.
    pub due: Option<(Day, bool)>,
}

/// A study's rubric, as a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RubricSheet {
    /// The study's title.
    pub title: String,
    pub rubric: Rubric,
}

/// The items of a study that a rater skipped or bookmarked, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnItems {
    /// Skipped and not rated since.
    pub skipped: Vec<OwnItem>,
    pub bookmarked: Vec<OwnItem>,
    /// Whether one of the lists has older items, too, which are left out.
    pub older: bool,
}

impl OwnItems {
    /// The most items of a list.
    pub const MOST: usize = 200;
}

/// An item in a list of the rater's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnItem {
    /// The assignment.
    pub token: Token,
    /// The description.
    pub raw_nl: String,
    pub nl_lang: Lang,
    /// Whether the rater has submitted a rating.
    pub rated: bool,
}

/// Ratings on one page of the rater's own list.
pub const OWN_RATINGS: usize = 25;

/// A page of the rater's own ratings, newest first. It says no total: what counts would tell how many hidden checks there
/// are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnRatings {
    pub rows: Vec<OwnRating>,
    /// Whether the list continues.
    pub older: bool,
}

/// A rating in the rater's own list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnRating {
    /// The assignment.
    pub token: Token,
    /// When the rater first rated it.
    pub at: Timestamp,
    /// Start of the description.
    pub raw_nl: String,
    pub nl_lang: Lang,
    pub scores: Scores,
    /// Number of scores before those of the checklist.
    pub scales: usize,
    /// Whether it has a comment.
    pub commented: bool,
    /// Whether it has a flag.
    pub flagged: bool,
    /// Line notes.
    pub notes: Vec<LineNote>,
}
