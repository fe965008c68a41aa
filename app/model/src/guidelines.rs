//! Guidelines: what raters should know for a study, beyond its rubric. Markdown in both languages.

use serde::{Deserialize, Serialize};

use super::{
    audit::Object,
    lang::{Bilingual, Lang},
    time::Timestamp,
};

/// Longest guidelines in one language, in characters.
pub const LONGEST_GUIDELINES: usize = 50_000;

impl Object {
    /// The address of the editor of the object's guidelines; absent for kinds that have none.
    pub fn guidelines_address(&self) -> Option<String> {
        match self {
            Object::Dataset(slug) => Some(format!("/admin/guidelines/dataset/{slug}")),
            Object::Study(id) => Some(format!("/admin/guidelines/study/{id}")),
            _ => None,
        }
    }
}

/// Which version of a study's guidelines a rater has read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GuidelinesState {
    /// The study has none.
    #[default]
    None,
    /// The rater has not read them.
    New,
    /// They have changed since the rater read them.
    Changed,
    /// The rater has read them.
    Read,
}

/// A study's guidelines as raters read them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuidelinesSheet {
    /// The study's title.
    pub title: String,
    /// Safe HTML, made on the server.
    pub html: String,
    /// Its language.
    pub lang: Lang,
    /// When they were saved.
    pub at: Timestamp,
}

/// The guidelines of a study, or the default of a dataset's new studies, as admins see them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct GuidelinesDetail {
    /// The study's title or the dataset's short name.
    pub name: String,
    /// Markdown; empty where there are none.
    pub text: Bilingual,
    /// The same as safe HTML.
    pub html: Bilingual,
    /// The version shown, from 1; 0 without any.
    pub version: u32,
    /// Every version, newest first.
    pub versions: Vec<GuidelinesVersion>,
}

/// A saved version of guidelines. It never changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct GuidelinesVersion {
    /// The version, from 1.
    pub version: u32,
    /// When it was saved.
    pub created_at: Timestamp,
    /// The person who saved it; absent for the command line.
    pub created_by: Option<String>,
}
