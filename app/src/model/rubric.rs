//! The rubric: dimensions, each with a scale and a description of every level.

use serde::{Deserialize, Serialize};

use super::lang::Bilingual;

/// A versioned set of dimensions. A study keeps its version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Rubric {
    /// Short name of the rubric, the same in all versions.
    pub slug: String,
    /// Increases with each change of wording.
    pub version: u32,
    /// The dimensions, in scoring order.
    pub dimensions: Vec<Dimension>,
}

/// One judged aspect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Dimension {
    /// The name in data files: `correctness`, `code_quality`, `maintainability`.
    pub key: String,
    /// The name on screen.
    pub name: Bilingual,
    /// The question that the rater answers, in a few words.
    #[serde(default)]
    pub question: Bilingual,
    /// Every level, best first.
    pub levels: Vec<Level>,
}

impl Dimension {
    /// The lowest and the highest score, both inclusive.
    pub fn range(&self) -> (u8, u8) {
        let scores = self.levels.iter().map(|l| l.score);
        (scores.clone().min().unwrap_or(0), scores.max().unwrap_or(0))
    }

    /// Whether the scale has this score.
    pub fn has(&self, score: u8) -> bool {
        self.levels.iter().any(|l| l.score == score)
    }
}

/// One level of a scale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Level {
    /// The score that is stored.
    pub score: u8,
    /// One to three words; empty in a rubric read from an AixBench checkout, which has none.
    #[serde(default)]
    pub label: Bilingual,
    /// The level's meaning.
    pub text: Bilingual,
}

impl Rubric {
    /// The index of the dimension that is compared with the tests: correctness, otherwise the first. `None`
    /// without a dimension.
    pub fn against_tests(&self) -> Option<usize> {
        let named = self.dimensions.iter().position(|d| d.key == "correctness");
        named.or((!self.dimensions.is_empty()).then_some(0))
    }

    /// Why this is not a valid rubric, if so.
    pub fn fault(&self) -> Option<String> {
        if self.dimensions.is_empty() {
            return Some("the rubric has no dimension".into());
        }
        for (i, d) in self.dimensions.iter().enumerate() {
            if d.key.is_empty() || !d.key.chars().all(|c| c.is_ascii_lowercase() || c == '_') {
                return Some(format!("the key of dimension {} may contain only lowercase letters and `_`", i + 1));
            }
            if self.dimensions[..i].iter().any(|other| other.key == d.key) {
                return Some(format!("the dimension `{}` occurs twice", d.key));
            }
            if d.levels.len() < 2 || d.levels.len() > 9 {
                return Some(format!("the dimension `{}` has {} levels; 2 to 9 are supported", d.key, d.levels.len()));
            }
            if !d.levels.windows(2).all(|w| w[0].score == w[1].score + 1) || d.levels.last().map(|l| l.score) != Some(1)
            {
                return Some(format!("the levels of `{}` do not go down to 1 without a gap", d.key));
            }
        }
        None
    }
}
