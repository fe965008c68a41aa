//! Guidelines.

use async_trait::async_trait;

use model::{
    audit::Object,
    guidelines::{GuidelinesDetail, GuidelinesSheet},
    ids::Token,
    lang::Bilingual,
};
use model::{
    caller::{Admin, Person},
    error::Answer,
};

/// Guidelines of studies, and the defaults of datasets.
#[async_trait]
pub trait Guidelines: Send + Sync {
    /// The guidelines of a study or a dataset, by default the newest version (admin). Other kinds of objects are not
    /// found.
    async fn get(&self, admin: &Admin, object: Object, version: Option<u32>) -> Answer<GuidelinesDetail>;
    /// Saves a new version, unless it equals the newest (admin). `expected` is the newest version that the author knows
    /// of; if there is another, nothing is saved. Empty texts remove the guidelines.
    async fn save(&self, admin: &Admin, object: Object, text: Bilingual, expected: Option<u32>) -> Answer<()>;
    /// Markdown as the safe HTML that raters get (admin).
    async fn preview(&self, admin: &Admin, text: Bilingual) -> Answer<Bilingual>;
    /// The guidelines of one of the rater's studies, which are noted as read.
    async fn read(&self, person: &Person, study: &Token) -> Answer<GuidelinesSheet>;
}
