//! Port: what waits for an admin.

use async_trait::async_trait;

use model::{caller::Admin, error::Answer};
use model::{
    inbox::{InboxCount, InboxDone, InboxFilter, InboxPage, InboxRequest, InboxRow},
    page::{PageOf, Paged},
};

/// The inbox, for admins.
#[async_trait]
pub trait Inbox: Send + Sync {
    /// A page of the items, newest first, with counts for the filter.
    async fn page(&self, admin: &Admin, filter: InboxFilter, of: PageOf) -> Answer<InboxPage>;
    /// A page of the items, newest first.
    async fn list(&self, admin: &Admin, filter: InboxFilter, of: PageOf) -> Answer<Paged<InboxRow>>;
    /// How many items wait of each kind.
    async fn counts(&self, admin: &Admin, filter: InboxFilter) -> Answer<Vec<InboxCount>>;
    /// Does something with items. What cannot be done with one of them is counted, and done with the others.
    ///
    /// # Errors
    /// With a single item: why it could not be done.
    async fn act(&self, admin: &Admin, request: InboxRequest) -> Answer<InboxDone>;
}
