//! The search over everything.

use async_trait::async_trait;
use model::{
    caller::Admin,
    error::Answer,
    find::{Hit, WORDS_MAX},
};
use port::find::Search;

use db::{Db, find};

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
