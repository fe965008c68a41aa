//! Outputs and judge models' scores that are requested from endpoints, for admins.

use async_trait::async_trait;

use model::{caller::Admin, error::Answer};
use model::{
    collection::{
        CollectionDetail, CollectionPlan, CollectionResume, CollectionRow, EndpointRow, NewCollection, RequestDetail,
        RequestRow,
    },
    ids::{CollectionId, UploadId},
    judging::NewJudging,
    page::{PageOf, Paged},
};

/// Collections of outputs.
#[async_trait]
pub trait Collections: Send + Sync {
    /// The endpoints that the operator allows, by name.
    async fn endpoints(&self, admin: &Admin) -> Answer<Vec<EndpointRow>>;
    /// Every collection, newest first.
    async fn list(&self, admin: &Admin, of: PageOf) -> Answer<Paged<CollectionRow>>;
    /// One collection.
    async fn get(&self, admin: &Admin, id: CollectionId) -> Answer<CollectionDetail>;
    /// A page of the requests that were sent, in their order.
    async fn requests(&self, admin: &Admin, id: CollectionId, of: PageOf) -> Answer<Paged<RequestRow>>;
    /// One request with its texts.
    async fn request(&self, admin: &Admin, id: CollectionId, request: i64) -> Answer<RequestDetail>;
    /// Previews a collection's requests without creating it.
    async fn plan(&self, admin: &Admin, new: NewCollection) -> Answer<CollectionPlan>;
    /// Creates a draft, which [`Collections::resume`] starts.
    async fn create(&self, admin: &Admin, new: NewCollection) -> Answer<CollectionId>;
    /// What a judging would send, without creating it.
    async fn plan_judging(&self, admin: &Admin, new: NewJudging) -> Answer<CollectionPlan>;
    /// Creates the draft of a judging.
    async fn create_judging(&self, admin: &Admin, new: NewJudging) -> Answer<CollectionId>;
    /// Sends no more requests; those in flight are waited for. Does nothing unless the collection is running.
    async fn stop(&self, admin: &Admin, id: CollectionId) -> Answer<()>;
    /// Starts a draft, or resumes a stopped collection. A finished one goes on only if failed requests are sent again.
    async fn resume(&self, admin: &Admin, id: CollectionId, how: CollectionResume) -> Answer<()>;
    /// Deletes a collection that is not running. Submissions that were imported from it stay; a judge's scores do not.
    async fn remove(&self, admin: &Admin, id: CollectionId) -> Answer<()>;
    /// Makes an upload of the responses so far, to be previewed and imported.
    async fn upload(&self, admin: &Admin, id: CollectionId) -> Answer<UploadId>;
}
