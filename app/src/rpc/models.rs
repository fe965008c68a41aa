//! Models.

use leptos::prelude::*;

use super::call::Call;
#[cfg(feature = "ssr")]
use crate::port::ports;
use crate::{
    error::AppError,
    model::{
        models::ModelRow,
        page::{PageOf, Paged},
    },
};

/// A page of the models.
#[server(prefix = "/rpc", endpoint = "models", protocol = Call)]
pub async fn models(#[server(default)] page: PageOf) -> Result<Paged<ModelRow>, AppError> {
    let (ports, admin) = ports()?;
    ports.submissions.models(&admin, page).await
}
