//! What pages ask about the sharing of a study's work.

use async_trait::async_trait;

use super::{Answer, Caller};
use crate::model::{
    ids::{StudyId, UserId},
    plan::{Extension, PlanDetail, Reads},
};

/// How studies' work is shared (admin throughout).
#[async_trait]
pub trait Plans: Send + Sync {
    /// The plan as it stands: before the study begins, what it will come to.
    async fn get(&self, caller: &Caller, id: StudyId) -> Answer<PlanDetail>;
    /// Lets somebody join, with so many units where the work is shared by hand. A draft is planned
    /// anew; in a study that has begun they take over a fair part of what nobody has begun.
    async fn join(&self, caller: &Caller, id: StudyId, user: UserId, share: Option<u32>) -> Answer<()>;
    /// Lets somebody leave. What they rated stays; the rest of their plan is shared out again.
    async fn leave(&self, caller: &Caller, id: StudyId, user: UserId) -> Answer<()>;
    /// Adds outputs, tasks or raters per output.
    async fn extend(&self, caller: &Caller, id: StudyId, by: Extension) -> Answer<()>;
    /// Makes a draft with the same settings and people and a new seed.
    async fn copy(&self, caller: &Caller, id: StudyId) -> Answer<StudyId>;
    /// Says how many seconds a rating takes, for the preview's hours; `None`: as measured.
    async fn set_pace(&self, caller: &Caller, id: StudyId, seconds: Option<u32>) -> Answer<()>;
    /// Says which languages somebody reads. Plans that are made stay as they are.
    async fn set_reads(&self, caller: &Caller, user: UserId, reads: Reads) -> Answer<()>;
}
