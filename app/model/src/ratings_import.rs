//! The import of ratings made by another tool or a judge model.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{ids::StudyId, problem::Problem, table::TableField};

/// The kind of ratings in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum RatingsKind {
    /// People's, made with another tool: they become a closed study with this title.
    People(String),
    /// A judge model's with this name: compared with people's, never mixed with them.
    Judge(String),
}

/// Options for reading an uploaded file of ratings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RatingsReading {
    /// Short name of the dataset whose outputs were rated.
    pub dataset: String,
    /// Whether one judge model gave them; no rater column is needed then.
    pub judge: bool,
    /// Columns with other names: ours to the file's.
    pub columns: BTreeMap<String, String>,
}

/// A rating in a preview.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct ParsedRating {
    pub line: u64,
    pub task_id: String,
    pub model: String,
    pub rater: String,
    /// One score per dimension, in the rubric's order.
    pub scores: Vec<u8>,
}

/// A model in a preview of ratings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct RatedModel {
    pub model: String,
    /// Number of ratings.
    pub ratings: u64,
    /// The submission to which they belong.
    pub submission: i64,
}

/// A rater in a preview of ratings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct ParsedRater {
    pub rater: String,
    /// Number of ratings.
    pub ratings: u64,
}

/// The content of a file of ratings, and its problems. Nothing is imported while it has any.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct RatingsPreview {
    /// The file's name.
    pub file: String,
    /// Number of ratings to import.
    pub ratings: u64,
    /// Number of rated outputs.
    pub outputs: u64,
    /// The raters; empty for a judge model.
    pub raters: Vec<ParsedRater>,
    pub models: Vec<RatedModel>,
    /// Superseded lines, which are skipped.
    pub replaced: u64,
    /// The file's columns, by name.
    pub columns: Vec<String>,
    /// The columns of the format, required ones first.
    pub fields: Vec<TableField>,
    /// Unused columns.
    pub unused: Vec<String>,
    /// The first ratings, as parsed.
    pub first: Vec<ParsedRating>,
    /// The first problems.
    pub problems: Vec<Problem>,
    /// Total number of problems.
    pub problem_count: u64,
    /// The created study; absent for a judge model and in a preview.
    pub study: Option<StudyId>,
    /// Whether it was imported.
    pub imported: bool,
}
