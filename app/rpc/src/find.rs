//! The search over everything.

use leptos::prelude::*;

use model::{error::AppError, find::Hit};
use ui::call::Call;
#[cfg(not(target_arch = "wasm32"))]
use ui::context::ports;

/// Objects with all these words in their names.
#[server(prefix = "/rpc", endpoint = "find", protocol = Call)]
pub async fn find(words: String) -> Result<Vec<Hit>, AppError> {
    let (ports, admin) = ports()?;
    ports.search.find(&admin, words).await
}
