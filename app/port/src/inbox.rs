//! Port: what waits for an admin.

use async_trait::async_trait;

use model::{caller::Admin, error::Answer};
use model::{
    inbox::{InboxCount, InboxDone, InboxFilter, InboxPage, InboxPreview, InboxRequest, InboxRow},
    page::{PageOf, Paged},
};

/// The inbox, for admins.
#[async_trait]
pub trait Inbox: Send + Sync {
    /// A page of the items, in the order in which the inbox lists them, with counts for the filter.
    async fn page(&self, admin: &Admin, filter: InboxFilter, of: PageOf) -> Answer<InboxPage>;
    /// A page of the items, in the order in which the inbox lists them.
    async fn list(&self, admin: &Admin, filter: InboxFilter, of: PageOf) -> Answer<Paged<InboxRow>>;
    /// How many items wait of each kind.
    async fn counts(&self, admin: &Admin, filter: InboxFilter) -> Answer<Vec<InboxCount>>;
    /// Does something with items. What cannot be done with one of them is counted, and done with the others.
    ///
    /// # Errors
    /// With a single item: why it could not be done.
    async fn act(&self, admin: &Admin, request: InboxRequest) -> Answer<InboxDone>;
    /// Does something with items after [`model::inbox::UNDO_S`] seconds, unless it is undone. The items leave the list at
    /// once. What cannot be done is counted, and nothing of it is attempted later.
    ///
    /// # Errors
    /// With a single item: why it cannot be done.
    async fn act_later(&self, admin: &Admin, request: InboxRequest) -> Answer<InboxDone>;
    /// Undoes what the same admin asked for. Returns the number of items that are back in the list.
    ///
    /// # Errors
    /// It has been carried out.
    async fn undo(&self, admin: &Admin, request: i64) -> Answer<u64>;
    /// An item with what an admin decides by; `None` if it no longer waits.
    async fn preview(&self, admin: &Admin, id: i64) -> Answer<Option<InboxPreview>>;
}
