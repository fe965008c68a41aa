//! The search over everything.

use async_trait::async_trait;

use model::find::Hit;
use model::{caller::Admin, error::Answer};

/// The search over datasets, tasks, models, studies, runs and accounts.
#[async_trait]
pub trait Search: Send + Sync {
    /// Objects with all these words in their names, by kind, at most [`HITS`](model::find::HITS) of each. A number
    /// also finds the study and the run with this number.
    async fn find(&self, admin: &Admin, words: String) -> Answer<Vec<Hit>>;
}
