//! Ratings that another tool or a judge model made, on their way in.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{ids::StudyId, problem::Problem};

/// Whose ratings a file holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum RatingsKind {
    /// People's, made with another tool: they become a closed study of this title.
    People(String),
    /// A judge model's of this name: compared with people, never mixed in.
    Judge(String),
}

/// How an uploaded file of ratings is to be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RatingsReading {
    /// The short name of the dataset whose outputs were rated.
    pub dataset: String,
    /// Whether one judge model gave them: then no column need say who.
    pub judge: bool,
    /// Which column holds what, where it has another name: ours to the file's.
    pub columns: BTreeMap<String, String>,
}

/// Something that a column can hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct RatingsField {
    /// Our name for it: `task_id`, `rater`, a dimension's key.
    pub name: String,
    /// Whether a file must have it.
    pub needed: bool,
    /// The column that it is read from; absent where there is none.
    pub column: Option<String>,
}

/// What a file of ratings holds, and what is wrong with it. Nothing is taken while anything is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct RatingsPreview {
    /// The file's name.
    pub file: String,
    /// Ratings that would be taken.
    pub ratings: u64,
    /// Outputs that they are of.
    pub outputs: u64,
    /// Who gave them, with how many; empty for a judge.
    pub raters: Vec<(String, u64)>,
    /// The models, with how many ratings each and the submission that they are of.
    pub models: Vec<(String, u64, i64)>,
    /// Lines that a later rating had replaced: passed over.
    pub superseded: u64,
    /// The file's columns, by their names.
    pub columns: Vec<String>,
    /// What columns can hold, those that a file must have first.
    pub fields: Vec<RatingsField>,
    /// Columns that nothing is read from.
    pub unused: Vec<String>,
    /// The first ratings as they were understood: line, task, model, rater, scores.
    pub first: Vec<(u64, String, String, String, Vec<u8>)>,
    /// What is wrong, the first of it.
    pub problems: Vec<Problem>,
    /// How much is wrong in all.
    pub problem_count: u64,
    /// The study that was made of it; absent for a judge, and in a preview.
    pub study: Option<StudyId>,
    /// Whether it was taken.
    pub taken: bool,
}
