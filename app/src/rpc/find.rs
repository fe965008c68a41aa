//! The search over everything.

use leptos::prelude::*;

use super::call::Call;
#[cfg(feature = "ssr")]
use crate::port::ports;
use crate::{error::AppError, model::find::Hit};

/// Objects with all these words in their names.
#[server(prefix = "/rpc", endpoint = "find", protocol = Call)]
pub async fn find(words: String) -> Result<Vec<Hit>, AppError> {
    let (ports, admin) = ports()?;
    ports.search.find(&admin, words).await
}
