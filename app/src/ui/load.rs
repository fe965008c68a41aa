//! Waiting for a page's data.

use leptos::prelude::*;
use serde::{Serialize, de::DeserializeOwned};

use super::failure::Failure;
use crate::{error::AppError, i18n::use_i18n};

/// Draws `children` with what `data` brings, or says why it brought nothing. On the server the
/// page waits for it, so that it is complete without JavaScript and has the right status; in the
/// browser the old view stays until a new one is there.
///
/// ```text
/// let data = Resource::new(move || slug.get(), rpc::datasets::dataset);
/// view! { <Load data let:dataset> <h2>{dataset.row.slug}</h2> </Load> }
/// ```
#[component]
pub fn Load<T, F, V>(
    /// The page's resource, made at the top of the page.
    data: Resource<Result<T, AppError>>,
    /// Draws the data.
    children: F,
) -> impl IntoView
where
    T: Clone + Serialize + DeserializeOwned + Send + Sync + 'static,
    F: Fn(T) -> V + Clone + Send + Sync + 'static,
    V: IntoView + 'static,
{
    let i18n = use_i18n();
    let retry = Callback::new(move |()| data.refetch());
    view! {
        <Transition fallback=move || {
            view! { <p class="loading" role="status">{i18n.common.loading}</p> }
        }>
            {move || {
                let children = children.clone();
                Suspend::new(async move {
                    match data.await {
                        // Boxed, so that a page's type ends here.
                        Ok(value) => children(value).into_any(),
                        Err(error) => view! { <Failure error retry /> }.into_any(),
                    }
                })
            }}
        </Transition>
    }
}
