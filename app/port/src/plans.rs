//! Port: plans of studies.

use async_trait::async_trait;

use model::{caller::Admin, error::Answer};
use model::{
    ids::{StudyId, UserId},
    plan::{Extension, PlanDetail, Reads},
    study::{StudyChange, StudyDraft},
};

/// Plans of studies, for admins.
#[async_trait]
pub trait Plans: Send + Sync {
    /// The current plan; before the start, the expected work.
    async fn get(&self, admin: &Admin, id: StudyId) -> Answer<PlanDetail>;
    /// Adds a rater, with a number of units if shares are set by hand. A draft is planned
    /// anew; in a running study the rater takes over a fair share of the work that nobody has opened.
    async fn join(&self, admin: &Admin, id: StudyId, user: UserId, share: Option<u32>) -> Answer<()>;
    /// Removes a rater. Their ratings are kept; their remaining work is reassigned.
    async fn leave(&self, admin: &Admin, id: StudyId, user: UserId) -> Answer<()>;
    /// Adds outputs, tasks or raters per output.
    async fn extend(&self, admin: &Admin, id: StudyId, by: Extension) -> Answer<()>;
    /// The settings of a study, to edit while it is a draft.
    async fn draft(&self, admin: &Admin, id: StudyId) -> Answer<StudyDraft>;
    /// Changes the settings of a draft and draws its plan again, all or nothing.
    ///
    /// # Errors
    /// The study has started, or the settings are not possible.
    async fn edit(&self, admin: &Admin, id: StudyId, change: StudyChange) -> Answer<()>;
    /// Creates a draft with the same settings, known-score items, raters and adjudicators, and a new seed. Accounts that
    /// cannot take part any more are left out.
    async fn copy(&self, admin: &Admin, id: StudyId) -> Answer<StudyId>;
    /// Sets the seconds per rating for the estimated hours; `None` for the measured value.
    async fn set_pace(&self, admin: &Admin, id: StudyId, seconds: Option<u32>) -> Answer<()>;
    /// Sets the languages that a person reads. Existing plans do not change.
    async fn set_reads(&self, admin: &Admin, user: UserId, reads: Reads) -> Answer<()>;
}
