//! Public pages of closed studies: their links, and what they show.
//!
//! What must stay true: nothing that leaves here names a rater or tells one from another. The figures
//! are over all raters; the comparison carries no rater, and of a task's ratings none is passed on.

use std::{collections::HashMap, sync::Arc};

use app::{
    error::AppError,
    model::{
        api::{MadePublicLink, NewPublicLink, PublicLinkRow, PublicStudy, PublicTask},
        comparison::Comparison,
        ids::{PublicLinkId, StudyId, TaskId},
        study::StudyStatus,
        time::Timestamp,
    },
    port::{Answer, Caller, Studies, api::PublicLinks},
};
use async_trait::async_trait;
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use rand::Rng;
use tokio::sync::Mutex;

use super::{studies::StudyService, tokens::hash};
use crate::{
    clock,
    db::{Db, audit, public_links, studies},
    error::Failure,
};

/// How long figures are kept for the next visitor, in milliseconds: a page that anybody may load must
/// not cost a resampling each time, and a correction should be seen soon.
const KEEP_MS: i64 = 60 * 1000;

/// The service; see the module.
pub struct PublicLinkService {
    db: Db,
    studies: Arc<StudyService>,
    figures: Mutex<HashMap<StudyId, (Timestamp, Comparison)>>,
}

impl PublicLinkService {
    /// A service over `db` that shows what `studies` computes.
    pub fn new(db: Db, studies: Arc<StudyService>) -> Self {
        PublicLinkService { db, studies, figures: Mutex::default() }
    }

    async fn resolve(&self, secret: &str) -> Answer<(StudyId, PublicLinkRow)> {
        let secret_hash = hash(secret);
        let found = self.db.read(move |conn| public_links::open(conn, &secret_hash)).await?;
        found.ok_or_else(|| AppError::NotFound("page".into()))
    }

    async fn tasks(&self, study: StudyId) -> Answer<Vec<(TaskId, String, String)>> {
        let tasks = self.db.read(move |conn| studies::tasks(conn, study)).await?;
        let short = |text: &str| text.chars().take(160).collect::<String>();
        Ok(tasks.into_iter().map(|task| (task.id, task.task_id, short(&task.raw_nl))).collect())
    }

    /// The figures, computed once a minute however many ask: the others wait for the first.
    async fn figures(&self, study: StudyId) -> Answer<Comparison> {
        let mut kept = self.figures.lock().await;
        let now = clock::now().0;
        kept.retain(|_, (at, _)| now - at.0 < KEEP_MS);
        if let Some((_, comparison)) = kept.get(&study) {
            return Ok(comparison.clone());
        }
        let comparison = self.studies.comparison(&Caller::Operator, study).await?;
        kept.insert(study, (Timestamp(now), comparison.clone()));
        Ok(comparison)
    }
}

#[async_trait]
impl PublicLinks for PublicLinkService {
    async fn list(&self, caller: &Caller, study: StudyId) -> Answer<Vec<PublicLinkRow>> {
        caller.admin()?;
        Ok(self
            .db
            .read(move |conn| {
                studies::get(conn, study)?.ok_or_else(|| Failure::not_found("study"))?;
                public_links::list(conn, study)
            })
            .await?)
    }

    async fn create(&self, caller: &Caller, study: StudyId, new: NewPublicLink) -> Answer<MadePublicLink> {
        caller.admin()?;
        if new.days.is_some_and(|days| !(1..=3650).contains(&days)) {
            return Err(AppError::invalid(
                "days",
                "a link works for 1 to 3650 days, or for good",
                "Choose a number in between, or none",
            ));
        }
        let secret = BASE64_URL_SAFE_NO_PAD.encode(rand::rng().random::<[u8; 32]>());
        let expires_at = new.days.map(|days| Timestamp(clock::now().0 + i64::from(days) * 24 * 60 * 60 * 1000));
        let (caller, secret_hash) = (caller.clone(), hash(&secret));
        let row = self
            .db
            .write(move |tx| {
                let row = studies::get(tx, study)?.ok_or_else(|| Failure::not_found("study"))?;
                if row.status != StudyStatus::Closed {
                    return Err(Failure::conflict("Only a closed study has a public page; close the study first."));
                }
                let id = public_links::insert(tx, study, &secret_hash, new.code, expires_at, caller.id())?;
                audit::note(tx, &caller, "public link create", &format!("{id} to study {study}"))?;
                public_links::get(tx, id)?.ok_or_else(|| Failure::internal("a link just made is not there"))
            })
            .await?;
        Ok(MadePublicLink { row, path: format!("/public/{secret}") })
    }

    async fn revoke(&self, caller: &Caller, id: PublicLinkId) -> Answer<()> {
        caller.admin()?;
        let caller = caller.clone();
        Ok(self
            .db
            .write(move |tx| {
                if !public_links::revoke(tx, id)? {
                    return Err(Failure::not_found("link that works"));
                }
                audit::note(tx, &caller, "public link revoke", &id.to_string())
            })
            .await?)
    }

    async fn open(&self, secret: &str) -> Answer<PublicStudy> {
        let (study, link) = self.resolve(secret).await?;
        let detail = self.studies.get(&Caller::Operator, study).await?;
        let tasks = if link.code { self.tasks(study).await? } else { Vec::new() };
        Ok(PublicStudy {
            title: detail.row.title,
            dataset: detail.row.dataset,
            raters: detail.row.raters,
            overlap: detail.overlap,
            comparison: self.figures(study).await?,
            tasks,
        })
    }

    async fn task(&self, secret: &str, task: TaskId) -> Answer<PublicTask> {
        let (study, link) = self.resolve(secret).await?;
        if !link.code {
            return Err(AppError::NotFound("page".into()));
        }
        let found = self.studies.task(&Caller::Operator, study, task).await?;
        let outputs = found.outputs.into_iter().map(|output| (output.model, output.code)).collect();
        Ok(PublicTask { title: found.title, task: found.task, outputs })
    }
}
