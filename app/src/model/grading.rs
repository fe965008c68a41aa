//! The rater's side. **No type in this file holds a model, a submission, a file name or a
//! database id**: what is not here cannot leak.

use serde::{Deserialize, Serialize};

use super::{
    code::CodeView,
    feedback::{Calibration, FlagReply, OpeningStep},
    ids::Token,
    lang::Lang,
    note::{self, LineNote},
    plan::Presentation,
    rubric::Rubric,
};

/// The scores of one output, one place a dimension in the rubric's order; `None` is not yet scored.
pub type Scores = Vec<Option<u8>>;

/// What a rater has put down about one output, complete or not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// One place a dimension, in the rubric's order.
    pub scores: Scores,
    /// What the rater says about it.
    #[serde(default)]
    pub comment: String,
    /// Why the output needs somebody's eye, where the rater says so.
    #[serde(default)]
    pub flag: Option<Flag>,
    /// How long the rater had the page in front of them and was at it, in milliseconds; absent where
    /// the page could not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_ms: Option<u64>,
    /// What they say about single lines, in the order of the code.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<LineNote>,
}

impl Draft {
    /// Whether both say the same, however long that took.
    pub fn same(&self, other: &Draft) -> bool {
        Draft { active_ms: None, ..self.clone() } == Draft { active_ms: None, ..other.clone() }
    }

    /// Nothing put down yet.
    pub fn blank(rubric: &Rubric) -> Self {
        Draft { scores: vec![None; rubric.dimensions.len()], ..Draft::default() }
    }

    /// The first dimension without a score, if there is one.
    pub fn first_open(&self) -> Option<usize> {
        self.scores.iter().position(Option::is_none)
    }

    /// What keeps this from being a rating under `rubric`, if anything does.
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
        if matches!(&self.flag, Some(Flag::Other(text)) if text.trim().is_empty()) {
            return Some(DraftFault::NoReason);
        }
        self.text_fault()
    }

    /// What keeps this from being kept as a draft: like [`Draft::fault`], but gaps are fine.
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
        let flag = match &self.flag {
            Some(Flag::Other(text)) => text.chars().count(),
            _ => 0,
        };
        if self.comment.chars().count().max(flag) > TEXT_MAX {
            return Some(DraftFault::TooLong);
        }
        (!note::sound(&self.notes)).then_some(DraftFault::Notes)
    }
}

/// The longest comment or flag text, in characters: enough for a page, too little to fill a disk.
pub const TEXT_MAX: usize = 4000;

/// Why a draft cannot be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DraftFault {
    /// The dimension at this place has no score.
    Missing(usize),
    /// The dimension at this place has a score that its scale does not.
    OffScale(usize),
    /// The flag has a reason of one's own, which is not said.
    NoReason,
    /// The comment or the flag is longer than [`TEXT_MAX`].
    TooLong,
    /// The line notes are too many or too long, or one stands where the code has no line.
    Notes,
    /// There are more or fewer scores than the rubric has dimensions.
    OtherRubric,
}

/// Why a rater wants somebody to look at an output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "ssr", schema(as = RaterFlag))]
#[serde(rename_all = "snake_case")]
pub enum Flag {
    /// The description leaves open what is asked.
    DescriptionUnclear,
    /// The rater cannot judge it.
    CannotJudge,
    /// The code stops in the middle.
    CodeTruncated,
    /// In the rater's own words.
    Other(String),
}

/// One output as a rater sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GradingItem {
    /// The assignment's opaque name.
    pub token: Token,
    /// The study's opaque name.
    pub study: Token,
    /// The study's title.
    pub title: String,
    /// How the study shows its outputs. The items of a calibration come one at a time in every study.
    #[serde(default)]
    pub presentation: Presentation,
    /// The description, exactly as it came.
    pub raw_nl: String,
    /// The description's language.
    pub lang: Lang,
    /// The signature asked for, where there is one.
    pub signature: Option<String>,
    /// The code.
    pub code: CodeView,
    /// The rubric to judge it by.
    pub rubric: Rubric,
    /// What was put down so far; for a rated output, the rating.
    pub draft: Draft,
    /// Whether this rater has already submitted a rating of it.
    pub rated: bool,
    /// Where the rater stands.
    pub progress: Progress,
    /// The output rated before this one, to go back to.
    pub previous: Option<Token>,
    /// The output rated after this one, where the rater went back.
    pub following: Option<Token>,
    /// Which item of the study's calibration this is; absent for all that counts as work.
    #[serde(default)]
    pub opening: Option<OpeningStep>,
    /// What was answered to flags that the rater raised on it, newest first.
    #[serde(default)]
    pub replies: Vec<FlagReply>,
}

/// What a rater finds when asking for the next output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Next {
    /// This output.
    Item(Box<GradingItem>),
    /// Nothing is left for this rater.
    Finished {
        /// The study's title.
        title: String,
        /// Where the rater stands.
        progress: Progress,
        /// The output rated last, to go back to.
        previous: Option<Token>,
    },
    /// The study is not open now.
    Paused {
        /// The study's title.
        title: String,
        /// Where the rater stands.
        progress: Progress,
    },
    /// Something about the study's calibration comes first.
    Calibration(Box<Calibration>),
}

/// What a rater finds when asking for the next task of a study that shows its outputs side by side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NextTask {
    /// All outputs of one task that are this rater's, in the order of their letters: the first is A.
    /// The order is the rater's own, drawn from the study's seed. Outputs that the rater rated
    /// already (before a reload, say) stand among them.
    Task(Vec<GradingItem>),
    /// The study shows one output at a time: ask for the next item instead.
    OneByOne,
    /// Nothing is left for this rater.
    Finished {
        /// The study's title.
        title: String,
        /// Where the rater stands.
        progress: Progress,
        /// The output rated last, to go back to.
        previous: Option<Token>,
    },
    /// The study is not open now.
    Paused {
        /// The study's title.
        title: String,
        /// Where the rater stands.
        progress: Progress,
    },
}

/// Where a rater stands in a study.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Progress {
    /// Outputs this rater has rated.
    pub rated: u64,
    /// Outputs this rater has skipped and may yet be offered again.
    pub skipped: u64,
    /// Outputs of this rater's share still to come. Somebody who has finished may take some of them,
    /// and a rater who has finished may be given some of others'.
    pub left: u64,
}

/// The answer to a submitted rating, given only after it is committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Receipt {
    /// It was stored now.
    Stored,
    /// The same submission had been stored before; it counts once.
    AlreadyStored,
}

/// A study on the rater's desk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeskStudy {
    /// The study's opaque name.
    pub token: Token,
    /// Its title.
    pub title: String,
    /// Whether ratings are taken now.
    pub open: bool,
    /// How outputs come before the rater.
    pub presentation: Presentation,
    /// Where the rater stands.
    pub progress: Progress,
}

/// A study's rubric, to be read and printed by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RubricSheet {
    /// The study's title.
    pub title: String,
    /// The rubric.
    pub rubric: Rubric,
}

/// A rating the rater gave, in their own list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnRating {
    /// The assignment.
    pub token: Token,
    /// The description's beginning.
    pub raw_nl: String,
    /// The description's language.
    pub lang: Lang,
    /// The scores given.
    pub scores: Scores,
    /// Whether it carries a comment.
    pub commented: bool,
    /// Whether it carries a flag.
    pub flagged: bool,
    /// What was noted on single lines.
    pub notes: Vec<LineNote>,
}
