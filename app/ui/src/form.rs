//! Forms whose result the page shows.
//!
//! Without JavaScript, a form posts to its server function and the browser loads the page again.
//! With JavaScript, the same fields are sent in the same way, but the page stays: the fields are never parsed
//! into the function's argument type here, which keeps the parsers out of the client.

use leptos::{ev::SubmitEvent, prelude::*, server::ServerActionError, server_fn::ServerFn, task::spawn_local};
use serde::de::DeserializeOwned;

use crate::call::{Answer, Redirects, read, send};
use model::error::AppError;

/// A form's action and its result, for an [`ActionForm`] and the components that show the result.
pub struct FormAction<S: ServerFn> {
    value: RwSignal<Option<Result<S::Output, AppError>>>,
    version: RwSignal<usize>,
    pending: RwSignal<bool>,
    redirects: Redirects,
}

impl<S: ServerFn> Clone for FormAction<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: ServerFn> Copy for FormAction<S> {}

impl<S: ServerFn<Error = AppError>> Default for FormAction<S>
where
    S::Output: Clone + DeserializeOwned + Send + Sync + 'static,
{
    fn default() -> FormAction<S> {
        FormAction::new()
    }
}

impl<S: ServerFn<Error = AppError>> FormAction<S>
where
    S::Output: Clone + DeserializeOwned + Send + Sync + 'static,
{
    /// An action that was not sent yet, or the error of a form that was just refused without JavaScript.
    pub fn new() -> FormAction<S> {
        FormAction {
            value: RwSignal::new(refused(S::PATH).map(Err)),
            version: RwSignal::new(0),
            pending: RwSignal::new(false),
            redirects: Redirects::Follow,
        }
    }

    /// The same for a page that changes in place: with JavaScript, an answer leads nowhere else.
    pub fn in_place() -> FormAction<S> {
        FormAction { redirects: Redirects::Stay, ..FormAction::new() }
    }

    /// Sends these fields, as a form with them would. Nothing without JavaScript.
    pub fn dispatch(self, fields: &[(&str, String)]) {
        self.send(send(S::PATH.to_owned(), FORM, Ok(encoded(fields)), self.redirects));
    }

    /// The latest result.
    pub fn value(self) -> RwSignal<Option<Result<S::Output, AppError>>> {
        self.value
    }

    /// Number of results, a dependency for data to refetch after each.
    pub fn version(self) -> RwSignal<usize> {
        self.version
    }

    /// Whether a request is pending.
    pub fn pending(self) -> RwSignal<bool> {
        self.pending
    }

    fn send(self, answer: Answer) {
        self.pending.set(true);
        spawn_local(async move {
            let value = answer.await.and_then(|answer| read(&answer));
            // The page may be gone by now.
            self.value.try_set(Some(value));
            self.pending.try_set(false);
            self.version.try_update(|n| *n += 1);
        });
    }
}

/// A form that posts to a server function.
#[component]
pub fn ActionForm<S>(
    /// The action.
    action: FormAction<S>,
    /// The fields, named like the function's arguments, and a button.
    children: Children,
) -> impl IntoView
where
    S: ServerFn<Error = AppError> + 'static,
    S::Output: Clone + DeserializeOwned + Send + Sync + 'static,
{
    form(S::PATH, action.redirects, Box::new(move |answer| action.send(answer)), children)
}

fn form(path: &'static str, redirects: Redirects, begin: Box<dyn Fn(Answer)>, children: Children) -> AnyView {
    let submit = move |event: SubmitEvent| {
        if !event.default_prevented() {
            event.prevent_default();
            begin(post(path, &event, redirects));
        }
    };
    view! { <form method="post" action=path on:submit=submit>{children()}</form> }.into_any()
}

/// Error of a form refused without JavaScript, if this page load followed it. The error is in the
/// address, so that the browser renders the same as the server.
fn refused(path: &str) -> Option<AppError> {
    use_context::<ServerActionError>()
        .filter(|error| error.path() == path)
        .map(|error| leptos::server_fn::error::ServerFnUrlError::decode_err(error.err()))
}

const FORM: &str = "application/x-www-form-urlencoded";

#[cfg(target_arch = "wasm32")]
fn encoded(fields: &[(&str, String)]) -> String {
    use leptos::web_sys::UrlSearchParams;

    let Ok(params) = UrlSearchParams::new() else { return String::new() };
    fields.iter().for_each(|(name, value)| params.append(name, value));
    params.to_string().into()
}

#[cfg(not(target_arch = "wasm32"))]
fn encoded(_fields: &[(&str, String)]) -> String {
    String::new()
}

/// Sends the fields and the name of the pressed button.
#[cfg(target_arch = "wasm32")]
fn post(path: &str, event: &SubmitEvent, redirects: Redirects) -> Answer {
    use leptos::{
        wasm_bindgen::{JsCast, JsValue},
        web_sys::{FormData, HtmlButtonElement, HtmlFormElement, UrlSearchParams},
    };

    let body = || -> Result<String, JsValue> {
        let form: HtmlFormElement = event.target().ok_or(JsValue::NULL)?.unchecked_into();
        let fields = FormData::new_with_form(&form)?;
        if let Some(button) = event.submitter().and_then(|button| button.dyn_into::<HtmlButtonElement>().ok())
            && !button.name().is_empty()
        {
            fields.append_with_str(&button.name(), &button.value())?;
        }
        Ok(UrlSearchParams::new_with_str_sequence_sequence(&fields)?.to_string().into())
    };
    send(path.to_owned(), FORM, body().map_err(|_| AppError::Malformed), redirects)
}

#[cfg(not(target_arch = "wasm32"))]
fn post(_path: &str, _event: &SubmitEvent, _redirects: Redirects) -> Answer {
    Box::pin(std::future::ready(Err(AppError::Unreachable)))
}
