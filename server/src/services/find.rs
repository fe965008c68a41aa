//! The search over everything.

use app::{
    model::find::{Hit, WORDS_MAX},
    port::{Admin, Answer, find::Search},
};
use async_trait::async_trait;

use crate::db::{Db, find};

pub struct FindService {
    db: Db,
}

impl FindService {
    pub fn new(db: Db) -> Self {
        FindService { db }
    }
}

#[async_trait]
impl Search for FindService {
    async fn find(&self, _: &Admin, words: String) -> Answer<Vec<Hit>> {
        let words: String = words.chars().take(WORDS_MAX).collect();
        Ok(self.db.read(move |conn| find::find(conn, &words)).await?)
    }
}
