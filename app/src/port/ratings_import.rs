//! What pages ask about ratings that were made elsewhere.

use async_trait::async_trait;

use super::{Answer, Caller};
use crate::model::{
    ids::UploadId,
    ratings_import::{RatingsKind, RatingsPreview, RatingsReading},
};

/// Taking uploaded files of ratings (admin throughout).
#[async_trait]
pub trait RatingsImports: Send + Sync {
    /// What an upload holds, read so, and what is wrong with it; takes nothing.
    async fn preview(&self, caller: &Caller, upload: UploadId, reading: RatingsReading) -> Answer<RatingsPreview>;
    /// Takes an upload, all of it or nothing; `kind` must be what `reading` says of a judge.
    async fn take(
        &self,
        caller: &Caller,
        upload: UploadId,
        reading: RatingsReading,
        kind: RatingsKind,
    ) -> Answer<RatingsPreview>;
}
