//! Model outputs: what an uploaded file holds, taking it, and what was taken.

use app::{
    error::AppError,
    model::{
        ids::{OutputId, SubmissionId, UploadId},
        submission::{Matching, OutputDetail, Preview, SubmissionDetail, SubmissionRow},
    },
    port::{Answer, Caller, Submissions},
};
use async_trait::async_trait;

use crate::{
    db::{Db, submissions},
    error::Failure,
    layout,
};

/// The service; see the module.
pub struct SubmissionService {
    db: Db,
}

impl SubmissionService {
    /// A service over `db`.
    pub fn new(db: Db) -> Self {
        SubmissionService { db }
    }
}

#[async_trait]
impl Submissions for SubmissionService {
    async fn list(&self, caller: &Caller, dataset: Option<String>) -> Answer<Vec<SubmissionRow>> {
        caller.admin()?;
        Ok(self.db.read(move |conn| submissions::list(conn, dataset.as_deref())).await?)
    }

    async fn get(&self, caller: &Caller, id: SubmissionId) -> Answer<SubmissionDetail> {
        caller.admin()?;
        Ok(self
            .db
            .read(move |conn| {
                let row = submissions::get(conn, id)?.ok_or_else(|| Failure::not_found("submission"))?;
                Ok(SubmissionDetail { row, outputs: submissions::outputs(conn, id)? })
            })
            .await?)
    }

    async fn output(&self, caller: &Caller, id: OutputId) -> Answer<OutputDetail> {
        caller.admin()?;
        let found = self
            .db
            .read(move |conn| submissions::output(conn, id)?.ok_or_else(|| Failure::not_found("output")))
            .await?;
        Ok(OutputDetail {
            code: layout::view(&found.code, &found.said),
            row: found.row,
            model_name: found.model,
            task: found.task,
        })
    }

    async fn preview(&self, caller: &Caller, _: UploadId, _: &str, _: Matching) -> Answer<Preview> {
        // Branch `formats` brings this.
        caller.admin()?;
        Err(AppError::NotFound("upload".into()))
    }

    async fn take(&self, caller: &Caller, _: UploadId, _: &str, _: Matching, _: &str) -> Answer<SubmissionId> {
        // Branch `formats` brings this.
        caller.admin()?;
        Err(AppError::NotFound("upload".into()))
    }
}
