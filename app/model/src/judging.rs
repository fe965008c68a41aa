//! Judgings: collections in which a judge model scores outputs with a rubric.

use serde::{Deserialize, Serialize};

use super::{
    collection::CollectionSettings,
    ids::{StudyId, SubmissionId},
    lang::Lang,
    names::names,
};

names! {
    /// The order in which a prompt lists the levels of every dimension.
    #[derive(Default)]
    pub enum LevelOrder as name {
        /// The best level first, as raters see them.
        #[default]
        BestFirst = "best_first",
        /// The worst level first.
        WorstFirst = "worst_first",
        /// One of both for each request, drawn from the seed.
        Drawn = "drawn",
    }
}

/// The answers of a judging whose prompts listed the levels in one order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct OrderMeans {
    /// `best_first` or `worst_first`.
    pub order: LevelOrder,
    /// Valid answers.
    pub answers: u64,
    /// Their mean score on each dimension, in the rubric's order.
    pub means: Vec<f64>,
}

/// Request for a new judging: of a study's outputs with its rubric, or of a submission's outputs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewJudging {
    /// The study.
    #[serde(default)]
    pub study: Option<StudyId>,
    /// The submission; absent with a study.
    #[serde(default)]
    pub submission: Option<SubmissionId>,
    /// With a submission: the rubric's short name, with a version for another than the newest (`aixbench 1`); empty for
    /// the dataset's.
    #[serde(default)]
    pub rubric: String,
    /// The judge model's name, as shown in comparisons; new to the dataset.
    pub judge: String,
    /// Name of the endpoint.
    pub endpoint: String,
    /// What the endpoint calls the model; empty if that is `judge`.
    #[serde(default)]
    pub endpoint_model: String,
    /// External IDs of the tasks; empty for all.
    #[serde(default)]
    pub tasks: Vec<String>,
    /// The language of the prompt and of the rubric in it.
    #[serde(default)]
    pub lang: Lang,
    #[serde(default)]
    pub level_order: LevelOrder,
    /// How requests are made. `samples` are answers per output; `system` and `template` stay empty, because a judging has
    /// its own.
    #[serde(default)]
    pub settings: CollectionSettings,
}

/// What a collection that is a judging has besides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct JudgingFacts {
    /// The study that it was started from, if it still exists.
    pub study: Option<StudyId>,
    /// The rubric with its version, such as `aixbench 1`.
    pub rubric: String,
    /// The keys of the rubric's dimensions, in the order of scores.
    pub dimensions: Vec<String>,
    /// Whether it asks which instructions of a conversation an output follows.
    pub instructions: bool,
    /// The language of its prompts.
    pub lang: Lang,
    pub level_order: LevelOrder,
    /// Number of outputs.
    pub outputs: u64,
    /// Outputs with at least one valid answer so far.
    pub scored: u64,
    /// Requests that were answered without valid scores, although asked once more.
    pub invalid: u64,
}
