//! Personal settings: keyboard shortcuts, display and whether the tour was seen. They are not audited, because
//! people change only their own.

use async_trait::async_trait;
use model::{
    caller::Person,
    display::Display,
    error::{Answer, AppError},
    keys::Keys,
};
use port::settings::PersonalSettings;

use db::{Db, settings};

pub struct SettingsService {
    db: Db,
}

impl SettingsService {
    pub fn new(db: Db) -> Self {
        SettingsService { db }
    }
}

#[async_trait]
impl PersonalSettings for SettingsService {
    async fn set_keys(&self, person: &Person, keys: Keys) -> Answer<()> {
        let user = person.id;
        // The value comes from a browser; reject what our form does not offer.
        if !keys.is_sound() {
            return Err(AppError::Malformed);
        }
        Ok(self.db.write(move |tx| settings::set_keys(tx, user, &keys)).await?)
    }

    async fn set_display(&self, person: &Person, display: Display) -> Answer<()> {
        let user = person.id;
        Ok(self.db.write(move |tx| settings::set_display(tx, user, display)).await?)
    }

    async fn set_toured(&self, person: &Person) -> Answer<()> {
        let user = person.id;
        Ok(self.db.write(move |tx| settings::set_toured(tx, user)).await?)
    }
}
