//! Results of slices of a dataset's tasks: the models' figures over the tasks that have an attribute in common.
//!
//! Formulas and the treatment of small slices are in docs/statistics.md, "Slices of tasks".

use serde::{Deserialize, Serialize};

use super::{
    code_lang::CodeLang, error::AppError, ids::ModelId, lang::Lang, names::names, ratings::Interval,
    results::BoardDimension,
};

names! {
    /// The attribute by which tasks are sliced.
    #[derive(Default, Hash)]
    pub enum SliceBy as name {
        /// The share of the other models that pass a task.
        #[default]
        Difficulty = "difficulty",
        /// The length of the description.
        Length = "length",
        /// The programming language.
        CodeLang = "code_lang",
        /// The language of the description.
        NlLang = "nl_lang",
    }

    /// A part of a dataset's tasks by the length of their descriptions.
    #[derive(Hash)]
    pub enum Length as name {
        /// The part with the shortest descriptions.
        Short = "short",
        /// The part between the others, if there are three.
        Medium = "medium",
        /// The part with the longest descriptions.
        Long = "long",
    }

    /// How difficult a task is for a model, by the other models.
    #[derive(Hash)]
    pub enum Difficulty as name {
        /// Less than a third of the other models pass it.
        Hard = "hard",
        /// A third to two thirds of them.
        Medium = "medium",
        /// More than two thirds of them.
        Easy = "easy",
        /// No other model has a verdict for the task.
        Unknown = "unknown",
    }
}

impl SliceBy {
    /// Whether all models have the same tasks in a slice, so that their figures can be ranked.
    pub fn is_shared(self) -> bool {
        self != SliceBy::Difficulty
    }
}

impl Difficulty {
    /// By the share of other models that pass the task.
    pub fn of(share: Option<f64>) -> Difficulty {
        // A mean of thirds can differ from a third in its last binary digit.
        const EQUAL: f64 = 1e-9;
        match share {
            None => Difficulty::Unknown,
            Some(share) if share < 1.0 / 3.0 - EQUAL => Difficulty::Hard,
            Some(share) if share > 2.0 / 3.0 + EQUAL => Difficulty::Easy,
            Some(_) => Difficulty::Medium,
        }
    }
}

/// What the tasks of a slice have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum SliceOf {
    Difficulty(Difficulty),
    /// Characters of the shortest and of the longest description.
    Length {
        shortest: u64,
        longest: u64,
    },
    CodeLang(CodeLang),
    NlLang(Lang),
}

impl SliceOf {
    /// The attribute.
    pub fn by(self) -> SliceBy {
        match self {
            SliceOf::Difficulty(_) => SliceBy::Difficulty,
            SliceOf::Length { .. } => SliceBy::Length,
            SliceOf::CodeLang(_) => SliceBy::CodeLang,
            SliceOf::NlLang(_) => SliceBy::NlLang,
        }
    }

    /// Its name in files.
    pub fn name(self) -> String {
        match self {
            SliceOf::Difficulty(difficulty) => difficulty.name().to_owned(),
            SliceOf::Length { shortest, longest } => format!("{shortest}-{longest}"),
            SliceOf::CodeLang(lang) => lang.code().to_owned(),
            SliceOf::NlLang(lang) => lang.code().to_owned(),
        }
    }
}

/// A slice of the tasks of every dataset, which the leaderboard can be limited to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoardSlice {
    Difficulty(Difficulty),
    /// A part of each dataset's tasks: their bounds are the dataset's own.
    Length(Length),
    CodeLang(CodeLang),
    NlLang(Lang),
}

impl BoardSlice {
    /// The slices by an attribute, in display order.
    pub fn of(by: SliceBy) -> Vec<BoardSlice> {
        match by {
            SliceBy::Difficulty => Difficulty::ALL.map(BoardSlice::Difficulty).to_vec(),
            SliceBy::Length => Length::ALL.map(BoardSlice::Length).to_vec(),
            SliceBy::CodeLang => CodeLang::ALL.map(BoardSlice::CodeLang).to_vec(),
            SliceBy::NlLang => Lang::ALL.map(BoardSlice::NlLang).to_vec(),
        }
    }

    /// Its attribute.
    pub fn by(self) -> SliceBy {
        match self {
            BoardSlice::Difficulty(_) => SliceBy::Difficulty,
            BoardSlice::Length(_) => SliceBy::Length,
            BoardSlice::CodeLang(_) => SliceBy::CodeLang,
            BoardSlice::NlLang(_) => SliceBy::NlLang,
        }
    }

    /// Its name in addresses and on the command line: attribute and value, such as `difficulty.hard`.
    pub fn name(self) -> String {
        let value = match self {
            BoardSlice::Difficulty(difficulty) => difficulty.name(),
            BoardSlice::Length(length) => length.name(),
            BoardSlice::CodeLang(lang) => lang.code(),
            BoardSlice::NlLang(lang) => lang.code(),
        };
        format!("{}.{value}", self.by())
    }

    /// The slice of this name; `None`, all tasks, for the empty name.
    ///
    /// # Errors
    /// The attribute or its value is unknown, or there is no value.
    pub fn read(name: &str) -> Result<Option<BoardSlice>, AppError> {
        if name.is_empty() {
            return Ok(None);
        }
        let (attribute, value) = name.split_once('.').unwrap_or((name, ""));
        let Some(by) = SliceBy::from_name(attribute) else {
            let names = SliceBy::ALL.map(SliceBy::name).join(", ");
            return Err(AppError::invalid(
                "slice",
                (format!("tasks have no attribute \"{attribute}\""), format!("任务没有属性“{attribute}”")),
                (
                    format!("Choose one of {names}, with a dot and a value, as in difficulty.hard"),
                    format!("请从 {names} 中选择，后接点和取值，例如 difficulty.hard"),
                ),
            ));
        };
        let all = BoardSlice::of(by);
        if let Some(found) = all.iter().find(|slice| slice.name() == name) {
            return Ok(Some(*found));
        }
        let what = match value {
            "" => (format!("{attribute} has no value"), format!("{attribute} 没有取值")),
            value => (format!("{attribute} is never \"{value}\""), format!("{attribute} 没有取值“{value}”")),
        };
        let names = all.into_iter().map(BoardSlice::name).collect::<Vec<_>>().join(", ");
        let fix = (format!("Choose one of {names}"), format!("请从 {names} 中选择"));
        Err(AppError::invalid("slice", what, fix))
    }

    /// Its place among the slices of a dataset's tasks by its attribute; `None` without a task. Of two parts by length, one
    /// is short and one is long; tasks that are all in one part are neither.
    pub fn place(self, slices: &[Slice]) -> Option<usize> {
        let last = slices.len().checked_sub(1)?;
        let of = match self {
            BoardSlice::Length(_) if last == 0 => return None,
            BoardSlice::Length(Length::Short) => return Some(0),
            BoardSlice::Length(Length::Medium) => return (last == 2).then_some(1),
            BoardSlice::Length(Length::Long) => return Some(last),
            BoardSlice::Difficulty(difficulty) => SliceOf::Difficulty(difficulty),
            BoardSlice::CodeLang(lang) => SliceOf::CodeLang(lang),
            BoardSlice::NlLang(lang) => SliceOf::NlLang(lang),
        };
        slices.iter().position(|slice| slice.of == of)
    }
}

/// The tasks of a dataset that a slice of the leaderboard has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct DatasetSlice {
    /// What they have in common; `None` without tasks.
    pub of: Option<SliceOf>,
    /// Tasks with ratings or tests in the slice. By difficulty, a task can be in it for some models only.
    pub tasks: u64,
    /// Tasks with ratings or tests in all slices.
    pub of_tasks: u64,
    /// Models with a test run: their verdicts say how difficult a task is.
    pub tested: u64,
    /// Languages of the descriptions of the tasks with ratings or tests.
    pub nl_langs: u64,
}

/// A slice of a comparison's tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Slice {
    pub of: SliceOf,
    /// Tasks with ratings or tests in the slice. A task can be in several slices by difficulty, each for other models.
    pub tasks: u64,
}

/// A model's figure over the tasks of a slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct SliceFigure {
    /// Tasks behind it.
    pub tasks: u64,
    /// `None` without tasks.
    pub value: Option<f64>,
    /// The 95 % interval; `None` with fewer than [`Slices::MIN_TASKS`] tasks.
    pub interval: Option<Interval>,
}

/// A metric over each slice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct SliceMetric {
    /// The dimension that people rate; absent for pass@1 by tests.
    pub dimension: Option<BoardDimension>,
    /// Figures over all tasks, one per model: those of the comparison.
    pub all: Vec<SliceFigure>,
    /// Figures over the tasks of each slice, one per model.
    pub slices: Vec<Vec<SliceFigure>>,
    /// Whether the means over all tasks, and over those of each slice, are adjusted for tasks, because the models have
    /// different ones.
    pub adjusted: Vec<bool>,
}

impl SliceMetric {
    /// The key of the metric of the tests.
    pub const TESTS: &str = "pass@1";

    /// A dimension's key, or [`SliceMetric::TESTS`].
    pub fn key(&self) -> &str {
        self.dimension.as_ref().map_or(Self::TESTS, |dimension| dimension.key.as_str())
    }
}

/// A comparison's results by slices of tasks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Slices {
    pub by: SliceBy,
    /// The compared models, in the order of every list below.
    pub models: Vec<(ModelId, String)>,
    /// The slices with tasks, in order. A single one has all tasks.
    pub slices: Vec<Slice>,
    /// The dimensions with ratings, then pass@1 if there are tests.
    pub metrics: Vec<SliceMetric>,
    /// Models with a test run: their verdicts say how difficult a task is.
    pub tested: u64,
    /// Languages of the descriptions of the tasks with ratings or tests.
    pub nl_langs: u64,
    /// Whether the first figures are being computed, so that there are none yet.
    #[serde(default)]
    pub computing: bool,
}

impl Slices {
    /// With fewer tasks, a bootstrap over tasks has too few different resamples for an interval.
    pub const MIN_TASKS: u64 = 5;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_has_one_name() {
        let all: Vec<BoardSlice> = SliceBy::ALL.into_iter().flat_map(BoardSlice::of).collect();
        for slice in &all {
            assert_eq!(BoardSlice::read(&slice.name()).unwrap(), Some(*slice));
        }
        let names: std::collections::BTreeSet<String> = all.iter().map(|slice| slice.name()).collect();
        assert_eq!(names.len(), all.len());
        assert_eq!(BoardSlice::read("").unwrap(), None);
    }

    #[test]
    fn what_is_no_slice_is_refused_with_what_there_is() {
        let check = |name: &str, what: &str, fix: &str| {
            let error = BoardSlice::read(name).unwrap_err().to_string();
            assert!(error.contains(what) && error.contains(fix), "{name}: {error}");
        };
        check("color.red", "no attribute \"color\"", "difficulty, length, code_lang, nl_lang");
        check(".hard", "no attribute \"\"", "difficulty.hard");
        check("difficulty", "difficulty has no value", "difficulty.hard, difficulty.medium");
        check("code_lang.", "code_lang has no value", "code_lang.go");
        check("code_lang.cobol", "code_lang is never \"cobol\"", "code_lang.go");
        check("length.10-20", "length is never \"10-20\"", "length.short, length.medium, length.long");
        check("difficulty.hard.", "difficulty is never \"hard.\"", "difficulty.hard");
    }

    #[test]
    fn parts_by_length_are_named_from_both_ends() {
        let places = |parts: u64| {
            let slice = |n| Slice { of: SliceOf::Length { shortest: n, longest: n }, tasks: 1 };
            let slices: Vec<Slice> = (0..parts).map(slice).collect();
            Length::ALL.map(|length| BoardSlice::Length(length).place(&slices))
        };
        assert_eq!(places(0), [None; 3]);
        assert_eq!(places(1), [None; 3], "all tasks together are neither short nor long");
        assert_eq!(places(2), [Some(0), None, Some(1)]);
        assert_eq!(places(3), [Some(0), Some(1), Some(2)]);
    }

    #[test]
    fn thirds_are_medium_whatever_their_rounding() {
        let check = |share, expected| assert_eq!(Difficulty::of(share), expected, "{share:?}");
        check(None, Difficulty::Unknown);
        check(Some(0.0), Difficulty::Hard);
        check(Some(0.33), Difficulty::Hard);
        check(Some((0.1 + 0.2 + 0.7) / 3.0), Difficulty::Medium);
        check(Some(1.0 - 1.0 / 3.0), Difficulty::Medium);
        check(Some(0.67), Difficulty::Easy);
        check(Some(1.0), Difficulty::Easy);
    }
}
