//! The composition root: what the router's handlers are given.

use std::sync::Arc;

use app::port::Ports;
use axum::extract::FromRef;
use leptos::config::LeptosOptions;

use crate::{config::Config, services::Services};

/// Everything a handler may need; cheap to clone.
#[derive(Clone)]
pub struct AppState {
    /// The services.
    pub services: Services,
    /// The operator's decisions.
    pub config: Arc<Config>,
    /// What Leptos wants to know; the program itself uses none of it but the output name.
    pub leptos: LeptosOptions,
}

impl AppState {
    /// The state over opened services.
    pub fn new(services: Services, config: Config) -> Self {
        AppState {
            services,
            config: Arc::new(config),
            leptos: LeptosOptions::builder().output_name("aixgrade").build(),
        }
    }

    /// The services as the pages see them.
    pub fn ports(&self) -> Ports {
        self.services.ports()
    }
}

impl FromRef<AppState> for LeptosOptions {
    fn from_ref(state: &AppState) -> Self {
        state.leptos.clone()
    }
}
