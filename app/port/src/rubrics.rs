//! Rubrics.

use async_trait::async_trait;

use model::{caller::Admin, error::Answer};
use model::{
    page::{PageOf, Paged},
    rubric::{Rubric, RubricChoices, RubricDetail, RubricRow, SavedRubric},
};

/// Rubrics (for admins). A stored version never changes.
#[async_trait]
pub trait Rubrics: Send + Sync {
    /// A page of the rubrics that are not archived, by short name.
    async fn list(&self, admin: &Admin, of: PageOf) -> Answer<Paged<RubricRow>>;
    /// A version of a rubric, by default the newest.
    async fn get(&self, admin: &Admin, slug: &str, version: Option<u32>) -> Answer<RubricDetail>;
    /// Stores a rubric as the next version of its short name, unless it equals the newest. `expected` is the newest
    /// version that the author knows of, 0 for a new rubric; if there is another, nothing is stored.
    async fn save(&self, admin: &Admin, rubric: Rubric, expected: Option<u32>) -> Answer<SavedRubric>;
    /// Stores the rubric of a JSON file, as [`Rubrics::save`] does.
    async fn import(&self, admin: &Admin, file: &str, json: &[u8]) -> Answer<SavedRubric>;
    /// The rubrics that a new study of a dataset can use.
    async fn choices(&self, admin: &Admin, dataset: &str) -> Answer<RubricChoices>;
    /// Sets the rubric of a dataset's new studies by its name, such as `aixbench 1`; without a number, the newest
    /// version.
    async fn set_default(&self, admin: &Admin, dataset: &str, rubric: &str) -> Answer<()>;
}
