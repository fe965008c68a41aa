//! The admins' inbox.

use leptos::prelude::*;

#[cfg(not(target_arch = "wasm32"))]
use model::inbox::InboxRequest;
use model::{
    error::AppError,
    ids::StudyId,
    inbox::{InboxAct, InboxDone, InboxFilter, InboxKind, InboxPage},
    page::PageOf,
};
use ui::call::Call;
#[cfg(not(target_arch = "wasm32"))]
use ui::context::ports;

/// A page of the inbox.
#[server(prefix = "/rpc", endpoint = "inbox", protocol = Call)]
pub async fn inbox(
    #[server(default)] filter: InboxFilter,
    #[server(default)] page: PageOf,
) -> Result<InboxPage, AppError> {
    let (ports, admin) = ports()?;
    ports.inbox.page(&admin, filter, page).await
}

/// Does something with items, and returns to the list with the filter. The fields come from a form: items as
/// repeated `items[]`.
#[server(prefix = "/rpc", endpoint = "act_on_items")]
pub async fn act_on_items(
    act: InboxAct,
    #[server(default)] items: Vec<i64>,
    #[server(default)] kind: Option<InboxKind>,
    #[server(default)] study: Option<StudyId>,
) -> Result<InboxDone, AppError> {
    let (ports, admin) = ports()?;
    let done = ports.inbox.act(&admin, InboxRequest { act, items }).await?;
    let address = InboxFilter { kind, study }.address();
    let sign = if address.contains('?') { '&' } else { '?' };
    let InboxDone { done: count, gone, refused } = done;
    leptos_axum::redirect(&format!("{address}{sign}done={count}&gone={gone}&refused={refused}"));
    Ok(done)
}
