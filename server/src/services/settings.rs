//! What people set for themselves: their keys, and that they have seen the first tour. Everybody's own;
//! nobody sets anything for somebody else, so nothing of it is audited.

use app::{
    error::AppError,
    model::keys::Keys,
    port::{Answer, Caller, settings::PersonalSettings},
};
use async_trait::async_trait;

use crate::db::{Db, settings};

/// The service; see the module.
pub struct SettingsService {
    db: Db,
}

impl SettingsService {
    /// A service over `db`.
    pub fn new(db: Db) -> Self {
        SettingsService { db }
    }
}

#[async_trait]
impl PersonalSettings for SettingsService {
    async fn set_keys(&self, caller: &Caller, keys: Keys) -> Answer<()> {
        let user = caller.user()?.id;
        // Made in a browser: what our own form would not offer is no choice.
        if !keys.is_sound() {
            return Err(AppError::Malformed);
        }
        Ok(self.db.write(move |tx| settings::set_keys(tx, user, &keys)).await?)
    }

    async fn set_toured(&self, caller: &Caller) -> Answer<()> {
        let user = caller.user()?.id;
        Ok(self.db.write(move |tx| settings::set_toured(tx, user)).await?)
    }
}
