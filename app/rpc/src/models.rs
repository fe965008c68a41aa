//! Models.

use leptos::prelude::*;

use model::{
    error::AppError,
    models::ModelRow,
    page::{PageOf, Paged},
};
use ui::call::Call;
#[cfg(not(target_arch = "wasm32"))]
use ui::context::ports;

/// A page of the models.
#[server(prefix = "/rpc", endpoint = "models", protocol = Call)]
pub async fn models(#[server(default)] page: PageOf) -> Result<Paged<ModelRow>, AppError> {
    let (ports, admin) = ports()?;
    ports.submissions.models(&admin, page).await
}
