//! What an operator decides when starting the server.

use std::net::SocketAddr;

/// How `aixgrade serve` listens and what it may believe.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The address people type, where it differs: behind a proxy that ends TLS. An `https` one makes
    /// the session cookie `Secure`.
    pub public_url: Option<String>,
    /// Whether a proxy in front sets `X-Forwarded-For`. Believing it without one lets anybody dodge
    /// the slowing of guessed passwords.
    pub trust_proxy: bool,
}

impl Default for Config {
    fn default() -> Self {
        Config { listen: SocketAddr::from(([127, 0, 0, 1], 3000)), public_url: None, trust_proxy: false }
    }
}

impl Config {
    /// Whether people reach the server by TLS.
    pub fn secure(&self) -> bool {
        self.public_url.as_deref().is_some_and(|url| url.starts_with("https://"))
    }
}
