//! The operator's settings at the start of the server.

use std::{net::SocketAddr, time::Duration};

use crate::pace;

/// How `aixgrade serve` listens, and which headers it trusts.
#[derive(Clone, Debug)]
pub struct Config {
    /// Address to listen on; port 0 picks a free one.
    pub listen: SocketAddr,
    /// The public address, if it differs: behind a proxy that terminates TLS. With `https`, the session
    /// cookie is `Secure`.
    pub public_url: Option<String>,
    /// Whether a proxy in front sets `X-Forwarded-For`. Trusting the header without one lets anybody evade
    /// the slow-down of password guesses.
    pub trust_proxy: bool,
    /// The step of the clock at whose end raters get answers about items (`pace.rs`); zero: at once.
    pub pace: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            listen: SocketAddr::from(([127, 0, 0, 1], 3000)),
            public_url: None,
            trust_proxy: false,
            pace: pace::STEP,
        }
    }
}

impl Config {
    /// Whether people reach the server by TLS.
    pub fn secure(&self) -> bool {
        self.public_url.as_deref().is_some_and(|url| url.starts_with("https://"))
    }
}
