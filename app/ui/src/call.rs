//! Transport of server function calls, compiled once for all argument and result types. Leptos's own
//! protocol is compiled for each function, which makes a first visit heavier (ARCHITECTURE.md, "Decisions").

use std::{future::Future, pin::Pin};

use leptos::server_fn::{self, Http, Protocol, client::Client, codec::Json, server::Server};
use serde::{Serialize, de::DeserializeOwned};

use crate::json;
use model::error::AppError;

/// Arguments and result as JSON. On the server and on the wire it equals Leptos's [`Http`].
pub struct Call;

impl<Input, Output, C, S> Protocol<Input, Output, C, S, AppError> for Call
where
    Input: Serialize + Send,
    Output: DeserializeOwned + Send,
    C: Client<AppError>,
    S: Server<AppError>,
    Http<Json, Json>: Protocol<Input, Output, C, S, AppError>,
{
    const METHOD: http::Method = http::Method::POST;

    fn run_server<F, Fut>(
        request: S::Request,
        server_fn: F,
    ) -> impl Future<Output = Result<S::Response, AppError>> + Send
    where
        F: Fn(Input) -> Fut + Send,
        Fut: Future<Output = Result<Output, AppError>> + Send,
    {
        Http::<Json, Json>::run_server(request, server_fn)
    }

    fn run_client(path: &str, input: Input) -> impl Future<Output = Result<Output, AppError>> + Send {
        let body = serde_json::to_string(&input).map_err(|_| AppError::Malformed);
        let answer = send(path.to_owned(), JSON, body, Redirects::Follow);
        async move { read(&answer.await?) }
    }
}

const JSON: &str = "application/json";

/// The response to a server function call.
///
/// # Errors
/// [`AppError::Malformed`] if the response is not an `Output`.
pub fn read<Output: DeserializeOwned>(answer: &[u8]) -> Result<Output, AppError> {
    json::read(answer).map_err(|_| AppError::Malformed)
}

/// The response: the result's JSON, or the error.
pub type Answer = Pin<Box<dyn Future<Output = Result<server_fn::Bytes, AppError>> + Send>>;

/// What follows an answer that redirects, which it does for visitors without JavaScript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redirects {
    /// The visitor goes there.
    Follow,
    /// The page stays and changes in place.
    Stay,
}

/// Posts `body` and waits for the response. A request whose caller is gone is aborted.
#[cfg(target_arch = "wasm32")]
pub fn send(path: String, kind: &'static str, body: Result<String, AppError>, on: Redirects) -> Answer {
    use server_fn::{
        client::browser::BrowserClient,
        error::FromServerFnError,
        redirect::call_redirect_hook,
        request::{ClientReq, browser::BrowserRequest},
        response::ClientRes,
    };
    type Browser = BrowserClient;
    Box::pin(async move {
        let request = <BrowserRequest as ClientReq<AppError>>::try_new_post(&path, kind, JSON, body?)?;
        let response = <Browser as Client<AppError>>::send(request).await?;
        let status = ClientRes::<AppError>::status(&response);
        let location = ClientRes::<AppError>::location(&response);
        let redirects = (300..=399).contains(&status) || ClientRes::<AppError>::has_redirect(&response);
        let content = ClientRes::<AppError>::try_into_bytes(response).await?;
        if (400..=599).contains(&status) {
            return Err(AppError::de(content));
        }
        if redirects && on == Redirects::Follow {
            call_redirect_hook(&location);
        }
        Ok(content)
    })
}

/// The server never calls itself.
#[cfg(not(target_arch = "wasm32"))]
pub fn send(_path: String, _kind: &'static str, _body: Result<String, AppError>, _on: Redirects) -> Answer {
    Box::pin(std::future::ready(Err(AppError::Unreachable)))
}
