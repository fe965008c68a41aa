//! Models under evaluation.

use serde::{Deserialize, Serialize};

use super::{ids::ModelId, time::Timestamp};

/// A model with how much there is of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct ModelRow {
    pub id: ModelId,
    pub name: String,
    /// Short names of the datasets for which it has outputs.
    pub datasets: Vec<String>,
    /// Uploads of its outputs.
    pub submissions: u64,
    /// Test runs of its outputs.
    pub runs: u64,
    /// Studies that rate its outputs.
    pub studies: u64,
    /// Time of the newest submission.
    pub newest: Option<Timestamp>,
}
