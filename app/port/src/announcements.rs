//! Port: announcements.

use async_trait::async_trait;

use model::{
    announcement::{Announced, Announcement, Audience, NewAnnouncement},
    ids::{AnnouncementId, Token},
    page::{PageOf, Paged},
};
use model::{
    caller::{Admin, Person},
    error::Answer,
};

/// Announcements of admins to people.
#[async_trait]
pub trait Announcements: Send + Sync {
    /// Every announcement, by default the newest first (admin).
    async fn list(&self, admin: &Admin, of: PageOf) -> Answer<Paged<Announcement>>;
    /// The audiences that an announcement can have, with their names: everyone, the studies that are not closed, the
    /// groups, and `also` (admin).
    async fn audiences(&self, admin: &Admin, also: Option<Audience>) -> Answer<Vec<(Audience, String)>>;
    /// Publishes an announcement (admin). Refuses a text that names a model, unless it may.
    async fn publish(&self, admin: &Admin, new: NewAnnouncement) -> Answer<AnnouncementId>;
    /// Withdraws an announcement, which is no longer shown to anyone (admin).
    async fn withdraw(&self, admin: &Admin, id: AnnouncementId) -> Answer<()>;
    /// The announcements that the person has not read, oldest first.
    async fn unread(&self, person: &Person) -> Answer<Vec<Announced>>;
    /// Notes that the person has read an announcement. A repeated call does nothing.
    async fn note_read(&self, person: &Person, announcement: &Token) -> Answer<()>;
}
