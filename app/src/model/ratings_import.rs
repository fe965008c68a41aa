//! Ratings that another tool or a judge model made, on their way in.

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
