//! The state of the server, and what its admins can ask of it.

use leptos::prelude::*;

use model::{
    error::AppError,
    server::{self, Freed, Maintenance, ServerNotice},
};
use ui::call::Call;
#[cfg(not(target_arch = "wasm32"))]
use ui::context::ports;

/// The state of the server.
#[server(prefix = "/rpc", endpoint = "server_state", protocol = Call)]
pub async fn server_state() -> Result<server::ServerState, AppError> {
    let (ports, admin) = ports()?;
    ports.server.state(&admin).await
}

/// What the overview tells about the server.
#[server(prefix = "/rpc", endpoint = "server_notices", protocol = Call)]
pub async fn server_notices() -> Result<Vec<ServerNotice>, AppError> {
    let (ports, admin) = ports()?;
    ports.server.notices(&admin).await
}

/// Unused data; nothing unless it is asked for.
#[server(prefix = "/rpc", endpoint = "unused_data", protocol = Call)]
pub async fn unused_data(asked: bool) -> Result<Option<Vec<Freed>>, AppError> {
    let (ports, admin) = ports()?;
    match asked {
        true => ports.server.unused(&admin).await.map(Some),
        false => Ok(None),
    }
}

/// Starts maintenance of the server. After pruning, the preview is no longer true, so the page without it follows.
#[server(prefix = "/rpc", endpoint = "start_maintenance")]
pub async fn start_maintenance(what: Maintenance) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.server.start(&admin, what).await?;
    if what == Maintenance::Prune {
        leptos_axum::redirect("/admin/server");
    }
    Ok(())
}
