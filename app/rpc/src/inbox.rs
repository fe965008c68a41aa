//! The admins' inbox.

use leptos::prelude::*;

#[cfg(not(target_arch = "wasm32"))]
use model::inbox::InboxRequest;
use model::{
    error::AppError,
    ids::StudyId,
    inbox::{InboxAct, InboxDone, InboxFilter, InboxKind, InboxPage, InboxPreview},
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

/// An item with what an admin decides by; `None` if it no longer waits.
#[server(prefix = "/rpc", endpoint = "inbox_item", protocol = Call)]
pub async fn inbox_item(id: i64) -> Result<Option<InboxPreview>, AppError> {
    let (ports, admin) = ports()?;
    ports.inbox.preview(&admin, id).await
}

/// Does something with items after the time in which it can be undone, and returns to the list with the filter. The
/// fields come from a form: items as repeated `items[]`. Returns the act with its result.
#[server(prefix = "/rpc", endpoint = "act_on_items")]
pub async fn act_on_items(
    act: InboxAct,
    #[server(default)] items: Vec<i64>,
    #[server(default)] kind: Option<InboxKind>,
    #[server(default)] study: Option<StudyId>,
) -> Result<(InboxAct, InboxDone), AppError> {
    let (ports, admin) = ports()?;
    let done = ports.inbox.act_later(&admin, InboxRequest { act, items }).await?;
    let address = InboxFilter { kind, study }.address();
    let sign = if address.contains('?') { '&' } else { '?' };
    let InboxDone { done: count, gone, refused, undo } = done;
    let undo = undo.map(|undo| format!("&undo={undo}")).unwrap_or_default();
    leptos_axum::redirect(&format!("{address}{sign}act={act}&done={count}&gone={gone}&refused={refused}{undo}"));
    Ok((act, done))
}

/// Undoes what the same admin asked for, and returns to the list with the filter.
#[server(prefix = "/rpc", endpoint = "undo_act")]
pub async fn undo_act(
    request: i64,
    #[server(default)] kind: Option<InboxKind>,
    #[server(default)] study: Option<StudyId>,
) -> Result<u64, AppError> {
    let (ports, admin) = ports()?;
    let items = ports.inbox.undo(&admin, request).await?;
    let address = InboxFilter { kind, study }.address();
    let sign = if address.contains('?') { '&' } else { '?' };
    leptos_axum::redirect(&format!("{address}{sign}undone={items}"));
    Ok(items)
}
