//! Datasets and their tasks, as admins see them.

use serde::{Deserialize, Serialize};

use super::{
    ids::{DatasetId, DatasetVersionId, TaskId, TaskRevisionId},
    lang::{Bilingual, Lang},
    time::Timestamp,
};

/// How a task's outputs are checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Checks {
    /// People grade it.
    pub human: bool,
    /// Tests run on it.
    pub tests: bool,
}

/// A row of the dataset list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct DatasetRow {
    /// The dataset.
    pub id: DatasetId,
    /// Its short name, used in URLs and on the command line.
    pub slug: String,
    /// Its name on screen.
    pub name: Bilingual,
    /// The newest version, which new work uses.
    pub version: DatasetVersionId,
    /// The newest version's number, counted from 1.
    pub number: u32,
    /// How many tasks the newest version has.
    pub tasks: u64,
    /// How many of them people grade.
    pub human: u64,
    /// How many of them have tests.
    pub tests: u64,
    /// How many submissions there are, over all versions.
    pub submissions: u64,
    /// When the newest version was imported.
    pub imported_at: Timestamp,
}

/// A dataset with the tasks of one version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct DatasetDetail {
    /// The list's row.
    pub row: DatasetRow,
    /// What the dataset says about itself.
    pub description: Bilingual,
    /// Its license, as its source names it.
    pub license: String,
    /// Where it was read from: a file or folder name, never a machine's path.
    pub source: String,
    /// Every version, newest first.
    pub versions: Vec<VersionRow>,
    /// The tasks of the version shown, in the dataset's order.
    pub tasks: Vec<TaskRow>,
}

/// One imported state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct VersionRow {
    /// The version.
    pub id: DatasetVersionId,
    /// Its number, counted from 1.
    pub number: u32,
    /// When it was imported.
    pub imported_at: Timestamp,
    /// How many tasks it has.
    pub tasks: u64,
    /// How many of them differ from, or are missing in, the version before.
    pub changed: u64,
}

/// One task in one wording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct TaskRow {
    /// The task.
    pub id: TaskId,
    /// The wording shown.
    pub revision: TaskRevisionId,
    /// The source's own id (`task_id`).
    pub task_id: String,
    /// The description (`raw_nl`), exactly as it came.
    pub raw_nl: String,
    /// The description's language.
    pub lang: Lang,
    /// The signature asked for, where there is one.
    pub signature: Option<String>,
    /// How its outputs are checked.
    pub checks: Checks,
}

/// What an import did, for the page and the command line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct ImportReport {
    /// A line for each dataset found.
    pub datasets: Vec<ImportedDataset>,
    /// Whether the rubric's own wording was found and taken.
    pub rubric: Option<String>,
    /// What was noticed and is worth knowing, though nothing is wrong.
    pub notes: Vec<String>,
}

/// What an import did to one dataset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct ImportedDataset {
    /// The dataset's short name.
    pub slug: String,
    /// The version that now is the newest.
    pub number: u32,
    /// Whether the import made it; else everything was there already.
    pub new: bool,
    /// How many tasks it has.
    pub tasks: u64,
    /// How many are in English.
    pub english: u64,
    /// How many are in Chinese.
    pub chinese: u64,
    /// How many differ from the version before, new ones included.
    pub changed: u64,
}
