//! Port: plans of studies.

use async_trait::async_trait;

use super::{Answer, Caller};
use crate::model::{
    ids::{StudyId, UserId},
    plan::{Extension, PlanDetail, Reads},
};

/// Plans of studies, for admins.
#[async_trait]
pub trait Plans: Send + Sync {
    /// The current plan; before the start, the expected work.
    async fn get(&self, caller: &Caller, id: StudyId) -> Answer<PlanDetail>;
    /// Adds a rater, with a number of units if shares are set by hand. A draft is planned
    /// anew; in a running study the rater takes over a fair share of the work that nobody has opened.
    async fn join(&self, caller: &Caller, id: StudyId, user: UserId, share: Option<u32>) -> Answer<()>;
    /// Removes a rater. Their ratings are kept; their remaining work is reassigned.
    async fn leave(&self, caller: &Caller, id: StudyId, user: UserId) -> Answer<()>;
    /// Adds outputs, tasks or raters per output.
    async fn extend(&self, caller: &Caller, id: StudyId, by: Extension) -> Answer<()>;
    /// Creates a draft with the same settings and raters and a new seed.
    async fn copy(&self, caller: &Caller, id: StudyId) -> Answer<StudyId>;
    /// Sets the seconds per rating for the estimated hours; `None` for the measured value.
    async fn set_pace(&self, caller: &Caller, id: StudyId, seconds: Option<u32>) -> Answer<()>;
    /// Sets the languages that a person reads. Existing plans do not change.
    async fn set_reads(&self, caller: &Caller, user: UserId, reads: Reads) -> Answer<()>;
}
