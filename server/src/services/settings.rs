//! Personal settings: keyboard shortcuts and whether the tour was seen. They are not audited, because
//! people change only their own.

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
        // The value comes from a browser; reject what our form does not offer.
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
