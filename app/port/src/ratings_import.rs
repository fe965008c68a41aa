//! Port: the import of ratings.

use async_trait::async_trait;

use model::{caller::Admin, error::Answer};
use model::{
    ids::UploadId,
    ratings_import::{RatingsKind, RatingsPreview, RatingsReading},
};

/// Import of uploaded files of ratings (for admins).
#[async_trait]
pub trait RatingsImports: Send + Sync {
    /// An upload's content and its problems, read with these options; imports nothing.
    async fn preview(&self, admin: &Admin, upload: UploadId, reading: RatingsReading) -> Answer<RatingsPreview>;
    /// Imports an upload, completely or not at all; `kind` must match `reading` in whether it is a judge
    /// model's.
    async fn import(
        &self,
        admin: &Admin,
        upload: UploadId,
        reading: RatingsReading,
        kind: RatingsKind,
    ) -> Answer<RatingsPreview>;
}
