//! Loads a page's data.
//!
//! Each page loads data of its own type, and each type would need its own copy of Leptos's
//! resource code in the client, several kilobytes each. Therefore one resource serves all of
//! them with [`LoadedData`], and pages downcast when they draw.

use std::{any::Any, future::Future, marker::PhantomData, pin::Pin, sync::Arc};

use leptos::{
    prelude::*,
    server::codee::{Decoder, Encoder},
};
use serde::{Serialize, de::DeserializeOwned};

use super::failure::Failure;
use crate::{context::use_i18n, json};
use model::{error::AppError, user::Visitor};

/// A page's data: created at the top of the page, drawn by [`Load`].
pub struct Data<T> {
    loaded: Resource<LoadedData, AsJson>,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for Data<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Data<T> {}

impl<T: Clone + Serialize + DeserializeOwned + Send + Sync + 'static> Data<T> {
    /// Fetches for `source`, again whenever it changes.
    pub fn new<S, F>(
        source: impl Fn() -> S + Send + Sync + 'static,
        fetch: impl Fn(S) -> F + Send + Sync + 'static,
    ) -> Data<T>
    where
        S: PartialEq + Clone + Send + Sync + 'static,
        F: Future<Output = Result<T, AppError>> + Send + 'static,
    {
        let source = Box::new(move || Source(Arc::new(source())));
        let fetch = Box::new(move |source: Source| -> Pin<Box<dyn Future<Output = LoadedData> + Send>> {
            let source: &dyn Any = source.0.as_any();
            match source.downcast_ref::<S>() {
                Some(source) => {
                    let coming = fetch(source.clone());
                    Box::pin(async move { LoadedData::new(coming.await) })
                }
                // The source was put in as an `S` two lines above.
                None => Box::pin(std::future::ready(LoadedData::new::<T>(Err(AppError::Malformed)))),
            }
        });
        Data { loaded: resource(source, fetch), of: PhantomData }
    }

    /// The current data, for effects; tracked.
    pub fn get(&self) -> Option<Result<T, AppError>> {
        self.loaded.get().map(|loaded| loaded.open())
    }

    /// Fetches again; the current data stay until the response arrives.
    pub fn refetch(&self) {
        self.loaded.refetch();
    }
}

type Fetch = Box<dyn Fn(Source) -> Pin<Box<dyn Future<Output = LoadedData> + Send>> + Send + Sync>;

fn resource(source: Box<dyn Fn() -> Source + Send + Sync>, fetch: Fetch) -> Resource<LoadedData, AsJson> {
    // Not a blocking resource: the server sends every page in one piece (`SsrMode::Async`).
    Resource::new_with_options(source, fetch, false)
}

/// The input of a fetch, of any type.
#[derive(Clone)]
struct Source(Arc<dyn Same>);

impl PartialEq for Source {
    fn eq(&self, other: &Source) -> bool {
        self.0.is_same(other.0.as_any())
    }
}

trait Same: Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn is_same(&self, other: &dyn Any) -> bool;
}

impl<S: PartialEq + Send + Sync + 'static> Same for S {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<S>().is_some_and(|other| self == other)
    }
}

/// A `Result<T, AppError>` for any `T`.
#[derive(Clone)]
enum LoadedData {
    /// Fetched in this process.
    Value {
        value: Arc<dyn Any + Send + Sync>,
        /// JSON, serialized into the page.
        #[cfg(not(target_arch = "wasm32"))]
        write: fn(&dyn Any) -> Result<String, serde_json::Error>,
    },
    /// JSON that came with the page.
    Json(Arc<str>),
}

impl LoadedData {
    fn new<T: Serialize + Send + Sync + 'static>(value: Result<T, AppError>) -> LoadedData {
        LoadedData::Value {
            value: Arc::new(value),
            #[cfg(not(target_arch = "wasm32"))]
            write: |value| serde_json::to_string(&value.downcast_ref::<Result<T, AppError>>()),
        }
    }

    fn open<T: Clone + DeserializeOwned + 'static>(&self) -> Result<T, AppError> {
        match self {
            LoadedData::Value { value, .. } => {
                value.downcast_ref::<Result<T, AppError>>().cloned().unwrap_or(Err(AppError::Malformed))
            }
            LoadedData::Json(text) => json::read(text.as_ref()).unwrap_or(Err(AppError::Malformed)),
        }
    }
}

/// Serialization of [`LoadedData`] into the page.
struct AsJson;

impl Encoder<LoadedData> for AsJson {
    type Error = serde_json::Error;
    type Encoded = String;

    fn encode(loaded: &LoadedData) -> Result<String, serde_json::Error> {
        match loaded {
            #[cfg(not(target_arch = "wasm32"))]
            LoadedData::Value { value, write } => write(value.as_ref()),
            // Browsers never serialise it.
            #[cfg(target_arch = "wasm32")]
            LoadedData::Value { .. } => Ok("null".into()),
            LoadedData::Json(text) => Ok(text.as_ref().to_owned()),
        }
    }
}

impl Decoder<LoadedData> for AsJson {
    type Error = std::convert::Infallible;
    type Encoded = str;

    fn decode(text: &str) -> Result<LoadedData, std::convert::Infallible> {
        Ok(LoadedData::Json(text.into()))
    }
}

/// Draws `children` with the loaded data, or the error. On the server the
/// page waits for the data, so that it is complete without JavaScript and has the right status; in the
/// browser the old view stays until the new data arrive.
///
/// ```text
/// let data = Data::new(move || slug.get(), rpc::datasets::dataset);
/// view! { <Load data let:dataset> <h2>{dataset.row.slug}</h2> </Load> }
/// ```
#[component]
pub fn Load<T, F, V>(
    /// The page's data, created at the top of the page.
    data: Data<T>,
    /// Draws the data.
    children: F,
) -> impl IntoView
where
    T: Clone + Serialize + DeserializeOwned + Send + Sync + 'static,
    F: Fn(T) -> V + Send + Sync + 'static,
    V: IntoView + 'static,
{
    let retry = Callback::new(move |()| data.refetch());
    let draw = move |loaded: LoadedData| match loaded.open::<T>() {
        Ok(value) => children(value).into_any(),
        Err(error) => view! { <Failure error retry /> }.into_any(),
    };
    waiting(data.loaded, Arc::new(draw))
}

fn waiting(loaded: Resource<LoadedData, AsJson>, draw: Arc<dyn Fn(LoadedData) -> AnyView + Send + Sync>) -> AnyView {
    let i18n = use_i18n();
    // Lives as long as the view around this one.
    let around = StoredValue::new(());
    view! {
        <Transition fallback=move || {
            view! { <p class="loading" role="status">{i18n.common.loading}</p> }
        }>
            {move || {
                let draw = draw.clone();
                Suspend::new(async move {
                    let loaded = loaded.await;
                    // Data may arrive after the view around this one was replaced. Nobody sees what would be drawn, and
                    // drawing it would panic: signals that it reads are disposed, and it is outside the router.
                    if around.is_disposed() || use_context::<Visitor>().is_none() {
                        ().into_any()
                    } else {
                        draw(loaded)
                    }
                })
            }}
        </Transition>
    }
    .into_any()
}
