//! Port: personal settings.

use async_trait::async_trait;

use super::{Answer, Caller};
use crate::model::keys::Keys;

/// Personal settings; they are read with the [`crate::model::user::Me`] of every request.
#[async_trait]
pub trait PersonalSettings: Send + Sync {
    /// Remembers the caller's keys; malformed where they collide.
    async fn set_keys(&self, caller: &Caller, keys: Keys) -> Answer<()>;
    /// Remembers that the caller has seen the first tour, or put it away.
    async fn set_toured(&self, caller: &Caller) -> Answer<()>;
}
