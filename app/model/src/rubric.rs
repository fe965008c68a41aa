//! The rubric: dimensions, each with a scale and a description of every level.

use serde::{Deserialize, Serialize};

use super::{lang::Bilingual, time::Timestamp};

#[cfg(not(target_arch = "wasm32"))]
mod problems;

/// A versioned set of dimensions. A study keeps its version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Rubric {
    /// Short name of the rubric, the same in all versions.
    pub slug: String,
    /// Increases with each change. The server numbers versions, so files may leave it out.
    #[serde(default)]
    pub version: u32,
    /// Whether the checklist has one more item for each instruction of a conversation: whether the output follows it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub instructions: bool,
    /// The dimensions, in scoring order, and after them the checklist.
    pub dimensions: Vec<Dimension>,
}

/// One judged aspect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Dimension {
    /// The name in data files, such as `correctness`: lowercase letters and `_`.
    pub key: String,
    /// Whether it is an item of the checklist: a statement that raters answer with yes (score 1) or no (score 0).
    /// Items follow the other dimensions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub checklist: bool,
    /// The name on screen.
    pub name: Bilingual,
    /// The question that the rater answers, in a few words.
    #[serde(default)]
    pub question: Bilingual,
    /// Every level, best first. Files may leave out those of a checklist item, which are yes and no.
    #[serde(default)]
    pub levels: Vec<Level>,
}

impl Dimension {
    /// The levels of a checklist item.
    pub fn yes_and_no() -> Vec<Level> {
        let level = |score, en: &str, zh: &str| Level {
            score,
            label: Bilingual::default(),
            text: Bilingual { en: en.into(), zh: zh.into() },
        };
        vec![level(1, "Yes", "是"), level(0, "No", "否")]
    }

    /// The lowest and the highest score, both inclusive.
    pub fn range(&self) -> (u8, u8) {
        let scores = self.levels.iter().map(|l| l.score);
        (scores.clone().min().unwrap_or(0), scores.max().unwrap_or(0))
    }

    /// Where a score or a mean of scores is on the scale: 0 for the lowest, 1 for the highest.
    pub fn share(&self, score: f64) -> f64 {
        let (low, high) = self.range();
        (score - f64::from(low)) / f64::from(high.saturating_sub(low)).max(1.0)
    }

    /// Whether the scale has this score.
    pub fn has(&self, score: u8) -> bool {
        self.levels.iter().any(|l| l.score == score)
    }
}

/// One level of a scale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
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

    /// How many levels the two ends of its widest scale are apart.
    pub fn widest(&self) -> u8 {
        self.dimensions.iter().map(Dimension::range).map(|(low, high)| high.saturating_sub(low)).max().unwrap_or(0)
    }

    /// The number of dimensions before the checklist.
    pub fn scales(&self) -> usize {
        self.dimensions.iter().take_while(|d| !d.checklist).count()
    }

    /// Gives the items of the checklist their levels, which files may leave out.
    pub fn complete_checklist(&mut self) {
        for item in self.dimensions.iter_mut().filter(|d| d.checklist && d.levels.is_empty()) {
            item.levels = Dimension::yes_and_no();
        }
    }

    /// Its short name and version in words, as lists, exports and forms name it: `aixbench 1`.
    pub fn name(&self) -> String {
        format!("{} {}", self.slug, self.version)
    }
}

/// A dimension in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct DimensionSummary {
    /// The name on screen.
    pub name: Bilingual,
    /// The lowest score.
    pub low: u8,
    /// The highest score.
    pub high: u8,
    /// Whether it is an item of the checklist.
    pub checklist: bool,
}

/// A version of a rubric in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct RubricSummary {
    /// Short name.
    pub slug: String,
    /// The version.
    pub version: u32,
    /// Its dimensions, in scoring order.
    pub dimensions: Vec<DimensionSummary>,
}

impl RubricSummary {
    /// As [`Rubric::name`].
    pub fn name(&self) -> String {
        format!("{} {}", self.slug, self.version)
    }
}

impl From<&Rubric> for RubricSummary {
    fn from(rubric: &Rubric) -> Self {
        let dimensions = rubric.dimensions.iter().map(|dimension| {
            let (low, high) = dimension.range();
            DimensionSummary { name: dimension.name.clone(), low, high, checklist: dimension.checklist }
        });
        RubricSummary { slug: rubric.slug.clone(), version: rubric.version, dimensions: dimensions.collect() }
    }
}

/// A row of the list of rubrics: one that is not archived, at its newest version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct RubricRow {
    /// The newest version.
    pub newest: RubricSummary,
    /// Studies that use any of its versions.
    pub studies: u64,
}

/// One version of a rubric, and the list of all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct RubricDetail {
    /// The version that was asked for.
    pub rubric: Rubric,
    /// Every version, newest first.
    pub versions: Vec<RubricVersion>,
    /// Whether it is archived, so that no form offers it.
    pub archived: bool,
}

/// A stored version of a rubric. It never changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct RubricVersion {
    /// The version.
    pub version: u32,
    /// When it was stored.
    pub created_at: Timestamp,
    /// The person who saved it; absent for imports and the command line.
    pub created_by: Option<String>,
    /// Studies that use this version.
    pub studies: u64,
}

/// The rubrics that a new study can use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct RubricChoices {
    /// The dataset's default.
    pub default: RubricSummary,
    /// The newest versions of the other rubrics, without archived ones.
    pub others: Vec<RubricSummary>,
    /// Measured seconds per rating with the default. Absent if there are too few ratings.
    pub measured_s: Option<u32>,
}

/// The result of saving a rubric.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct SavedRubric {
    /// Short name.
    pub slug: String,
    /// Its newest version.
    pub version: u32,
    /// Whether this version was created; otherwise the newest one is identical.
    pub new: bool,
}

impl SavedRubric {
    /// The address of its page, which tells the result.
    pub fn address(&self) -> String {
        let SavedRubric { slug, version, new } = self;
        format!("/admin/rubrics/{slug}?{}={version}", if *new { "saved" } else { "same" })
    }
}

/// A dimension as the editor sends it: the levels from the highest score to 1, or an item of the checklist.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DimensionForm {
    pub key: String,
    pub checklist: bool,
    pub name_en: String,
    pub name_zh: String,
    pub question_en: String,
    pub question_zh: String,
    pub levels: Vec<LevelForm>,
}

/// A level as the editor sends it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LevelForm {
    pub label_en: String,
    pub label_zh: String,
    pub text_en: String,
    pub text_zh: String,
}

impl Dimension {
    /// Gives the levels their scores: the last is 1, each one before it 1 more. Those of a checklist item have theirs.
    pub fn number_levels(&mut self) {
        if self.checklist {
            return;
        }
        for (score, level) in (1..=u8::MAX).zip(self.levels.iter_mut().rev()) {
            level.score = score;
        }
    }
}

impl From<DimensionForm> for Dimension {
    fn from(form: DimensionForm) -> Self {
        let text = |en: String, zh: String| Bilingual { en: en.trim().to_owned(), zh: zh.trim().to_owned() };
        let levels = form.levels.into_iter().map(|level| Level {
            score: 0,
            label: text(level.label_en, level.label_zh),
            text: text(level.text_en, level.text_zh),
        });
        let mut dimension = Dimension {
            key: form.key.trim().to_owned(),
            checklist: form.checklist,
            name: text(form.name_en, form.name_zh),
            question: text(form.question_en, form.question_zh),
            levels: if form.checklist { Dimension::yes_and_no() } else { levels.collect() },
        };
        dimension.number_levels();
        dimension
    }
}
