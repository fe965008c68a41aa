//! The composition root: the state of the router's handlers.

use std::sync::Arc;

use axum::extract::FromRef;
use leptos::config::LeptosOptions;

use crate::{
    capacity::Places,
    config::Config,
    pace::Queues,
    telemetry::{Readiness, Requests},
};
use services::Services;

/// Everything a handler may need; cheap to clone.
#[derive(Clone)]
pub struct AppState {
    pub services: Services,
    /// The operator's settings.
    pub config: Arc<Config>,
    /// Leptos's options, of which the program itself uses only the output name.
    pub leptos: LeptosOptions,
    /// Requests so far.
    pub requests: Requests,
    pub readiness: Readiness,
    /// Places for requests in progress.
    pub places: Places,
    /// Raters' requests about items.
    pub queues: Queues,
}

impl AppState {
    pub fn new(services: Services, config: Config) -> Self {
        AppState {
            services,
            config: Arc::new(config),
            leptos: LeptosOptions::builder().output_name("aixgrade").build(),
            requests: Requests::default(),
            readiness: Readiness::default(),
            places: Places::default(),
            queues: Queues::default(),
        }
    }
}

impl FromRef<AppState> for LeptosOptions {
    fn from_ref(state: &AppState) -> Self {
        state.leptos.clone()
    }
}
