//! Port: personal settings.

use async_trait::async_trait;

use model::{caller::Person, error::Answer};
use model::{display::Display, keys::Keys};

/// Personal settings; they are read with the [`model::user::Me`] of every request.
#[async_trait]
pub trait PersonalSettings: Send + Sync {
    /// Stores the caller's shortcuts; rejected if they collide.
    async fn set_keys(&self, person: &Person, keys: Keys) -> Answer<()>;
    /// Remembers how pages are to look to the caller.
    async fn set_display(&self, person: &Person, display: Display) -> Answer<()>;
    /// Records that the caller has seen the tour or dismissed it.
    async fn set_toured(&self, person: &Person) -> Answer<()>;
}
