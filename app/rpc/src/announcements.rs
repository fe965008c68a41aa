//! Announcements.

use leptos::prelude::*;

#[cfg(not(target_arch = "wasm32"))]
use model::{announcement::NewAnnouncement, day::Day, lang::Bilingual};
use model::{
    announcement::{Announced, Announcement, Audience},
    error::AppError,
    ids::{AnnouncementId, Token},
    page::{PageOf, Paged},
};
use ui::call::Call;
#[cfg(not(target_arch = "wasm32"))]
use ui::context::ports;

/// A page of the announcements.
#[server(prefix = "/rpc", endpoint = "announcements", protocol = Call)]
pub async fn announcements(#[server(default)] page: PageOf) -> Result<Paged<Announcement>, AppError> {
    let (ports, admin) = ports()?;
    ports.announcements.list(&admin, page).await
}

/// The audiences that a new announcement can have, `also` among them, with their names.
#[server(prefix = "/rpc", endpoint = "announcement_audiences", protocol = Call)]
pub async fn announcement_audiences(also: Option<Audience>) -> Result<Vec<(Audience, String)>, AppError> {
    let (ports, admin) = ports()?;
    ports.announcements.audiences(&admin, also).await
}

/// Publishes an announcement.
#[server(prefix = "/rpc", endpoint = "announce")]
pub async fn announce(
    to: String,
    en: String,
    zh: String,
    last_day: String,
    #[server(default)] allow_names: bool,
) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    let wrong = |field, why: String| AppError::invalid(field, why, ("Choose another", "请重新选择"));
    let to = to.parse().map_err(|why| wrong("to", why))?;
    let last_day: Option<Day> = match last_day.trim() {
        "" => None,
        text => Some(text.parse().map_err(|why| wrong("last_day", why))?),
    };
    let new = NewAnnouncement { to, text: Bilingual { en, zh }, last_day, allow_names };
    ports.announcements.publish(&admin, new).await?;
    Ok(())
}

/// Withdraws an announcement.
#[server(prefix = "/rpc", endpoint = "withdraw_announcement")]
pub async fn withdraw_announcement(id: AnnouncementId) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.announcements.withdraw(&admin, id).await
}

/// The announcements that the visitor has not read.
#[server(prefix = "/rpc", endpoint = "unread_announcements", protocol = Call)]
pub async fn unread_announcements() -> Result<Vec<Announced>, AppError> {
    let (ports, person) = ports()?;
    ports.announcements.unread(&person).await
}

/// Notes that the visitor has read an announcement.
#[server(prefix = "/rpc", endpoint = "read_announcement")]
pub async fn read_announcement(token: Token) -> Result<(), AppError> {
    let (ports, person) = ports()?;
    ports.announcements.note_read(&person, &token).await
}
