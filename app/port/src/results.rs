//! Port: results of all models on all datasets.

use async_trait::async_trait;

use model::{caller::Admin, error::Answer};
use model::{
    ids::ModelId,
    results::{Board, BoardQuery, ModelResults},
};

/// Leaderboard and models, for admins.
#[async_trait]
pub trait Results: Send + Sync {
    /// The leaderboard: a page of datasets, and of models.
    async fn board(&self, admin: &Admin, query: BoardQuery) -> Answer<Board>;
    /// One model's results, against a baseline where one is named, on the page of datasets after the one with the short
    /// name `after`; empty for the first.
    async fn model(
        &self,
        admin: &Admin,
        model: ModelId,
        baseline: Option<ModelId>,
        after: String,
    ) -> Answer<ModelResults>;
}
