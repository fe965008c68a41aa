//! Tables in uploaded files, whose columns can have any names.

use serde::{Deserialize, Serialize};

/// A column of a format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct TableField {
    /// Its name: `task_id`, `code`, `rater`, a dimension's key.
    pub name: String,
    /// Whether it is required.
    pub needed: bool,
    /// The file's column; absent if there is none.
    pub column: Option<String>,
}

/// The columns of an uploaded table of outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Table {
    /// The file's columns, by name.
    pub names: Vec<String>,
    /// The columns of the format, each with the file's.
    pub fields: Vec<TableField>,
    /// The columns that an admin chose: ours to the file's.
    pub chosen: std::collections::BTreeMap<String, String>,
}
