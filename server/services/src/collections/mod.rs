//! Collections: outputs, or a judge model's scores, requested from the operator's endpoints.
//!
//! A collection is created as a draft, so that its prompts and its cost can be looked at. While it is running, one
//! process sends its requests ([`driver`]): the server, or the command line. Responses with outputs become a file ([`file`])
//! that is previewed and imported like any upload; a judge's scores count in comparisons as they arrive ([`judging`]).

mod driver;
pub mod file;
pub mod judging;
mod settings;
mod subjects;
mod testing;
mod work;

use std::{
    collections::BTreeSet,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use async_trait::async_trait;
use model::{
    audit::{Action, Object},
    audit_details::Fact,
    caller::Admin,
    collection::{
        CollectionDetail, CollectionPlan, CollectionResume, CollectionRow, CollectionStatus, EndpointRow,
        NewCollection, RequestDetail, RequestRow, StopReason,
    },
    conversation::Way,
    error::{Answer, AppError},
    fault::RequestFault,
    ids::{CollectionId, DatasetVersionId, UploadId},
    judging::{LevelOrder, NewJudging},
    lang::Bilingual,
    page::{PageOf, Paged},
};
use port::collections::Collections;
use rusqlite::Connection;

pub use self::driver::Pace;
use self::{
    driver::Driver,
    settings::check,
    subjects::Subjects,
    work::{Judge, Work},
};
use super::{
    submissions::{SubmissionService, checked_model},
    uploads::Uploads,
};
use base::error::Failure;
use clients::endpoint::{Endpoint, Endpoints};
use db::{
    Db,
    audit::Change,
    collections::{self, Collection, NewRow},
    datasets, judgings,
    staging::Import,
};
use formats::prompts;
use jobs::Engine;

/// How often the server looks for collections to send.
const LOOK: Duration = Duration::from_secs(1);
/// Pause between two transactions that delete a collection, in which others can write.
const PAUSE: Duration = Duration::from_millis(2);
/// Maximum number of requests of a collection: two hundred samples for each of five thousand tasks.
const MOST_REQUESTS: u64 = 1_000_000;

#[derive(Clone)]
pub struct CollectionService(Arc<Inner>);

struct Inner {
    db: Db,
    submissions: Arc<SubmissionService>,
    uploads: Uploads,
    /// Runs the tests of dynamic conversations.
    engine: Engine,
    endpoints: RwLock<Endpoints>,
    pace: RwLock<Pace>,
}

impl CollectionService {
    /// Until [`CollectionService::allow`] is called, there is no endpoint.
    pub fn new(db: Db, submissions: Arc<SubmissionService>, uploads: Uploads, engine: Engine) -> Self {
        let (endpoints, pace) = (RwLock::default(), RwLock::default());
        CollectionService(Arc::new(Inner { db, submissions, uploads, engine, endpoints, pace }))
    }

    /// Sets the endpoints: the operator's decision.
    pub fn allow(&self, endpoints: Endpoints) {
        *self.0.endpoints.write().unwrap_or_else(PoisonError::into_inner) = endpoints;
    }

    /// Changes how long failed requests wait, for tests.
    pub fn set_pace(&self, pace: Pace) {
        *self.0.pace.write().unwrap_or_else(PoisonError::into_inner) = pace;
    }

    fn known(&self) -> Endpoints {
        self.0.endpoints.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The endpoint with this name.
    fn endpoint(&self, name: &str) -> Result<Endpoint, Failure> {
        self.known().get(name).cloned().ok_or_else(|| {
            let what = (format!("there is no endpoint named {name:?}"), format!("没有名为 {name:?} 的端点"));
            let remedy = (
                "Start the server with --endpoint, such as --endpoint local=http://127.0.0.1:8000/v1",
                "启动服务器时加上 --endpoint，例如 --endpoint local=http://127.0.0.1:8000/v1",
            );
            Failure::invalid("endpoint", what, remedy)
        })
    }

    /// Sends the requests of running collections whose endpoint this server has, and deletes the rows of deleted ones,
    /// until the process ends.
    pub async fn serve(self) {
        loop {
            if let Err(failure) = self.begin_unattended().await {
                let _logged = AppError::from(failure);
            }
            if let Err(failure) = self.clear_deleted().await {
                let _logged = AppError::from(failure);
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    async fn begin_unattended(&self) -> Result<(), Failure> {
        let endpoints = self.known();
        for (id, name, url) in self.0.db.read(collections::unattended).await? {
            if endpoints.get(&name).is_some_and(|endpoint| endpoint.url == url) {
                let service = self.clone();
                tokio::spawn(async move {
                    if let Err(failure) = service.send(id).await {
                        service.stop_failed(id, AppError::from(failure)).await;
                    }
                });
            }
        }
        Ok(())
    }

    /// Sends the requests of a running collection until it ends or is stopped, unless another process does. Returns
    /// whether it did.
    ///
    /// # Errors
    ///
    /// Its endpoint is unknown or has another URL now; or an internal error.
    pub async fn send(&self, id: CollectionId) -> Result<bool, Failure> {
        let found = self.load(id).await?;
        let endpoints = self.known();
        let endpoint = endpoints.get(&found.row.endpoint).filter(|endpoint| endpoint.url == found.url);
        let endpoint = endpoint.ok_or_else(|| no_endpoint(&found.row.endpoint, &found.url))?;
        let pace = *self.0.pace.read().unwrap_or_else(PoisonError::into_inner);
        match Driver::take(&self.0.db, id, endpoint, pace, &self.0.engine).await? {
            Some(driver) => driver.run().await.map(|()| true),
            None => Ok(false),
        }
    }

    /// Stops a collection that cannot be sent, so that it is not tried again every second.
    async fn stop_failed(&self, id: CollectionId, error: AppError) {
        let reason = match error {
            AppError::Internal(incident) => StopReason::Internal(incident),
            other => StopReason::Failing(RequestFault::NotSent { detail: other.to_string() }),
        };
        let stop = self.0.db.write(move |tx| collections::set_status(tx, id, CollectionStatus::Stopped, Some(&reason)));
        if let Err(failure) = stop.await {
            let _logged = AppError::from(failure);
        }
    }

    async fn clear_deleted(&self) -> Result<(), Failure> {
        while !self.0.db.write(|tx| collections::clear(tx)).await? {
            tokio::time::sleep(PAUSE).await;
        }
        Ok(())
    }

    async fn load(&self, id: CollectionId) -> Result<Collection, Failure> {
        let read = move |conn: &Connection| collections::get(conn, id)?.ok_or_else(|| Failure::not_found("collection"));
        self.0.db.read(read).await
    }

    /// Checks a request for a collection and completes it: the settings with the default template, and the tasks in
    /// the dataset's order.
    async fn checked(&self, new: NewCollection) -> Result<(DatasetVersionId, NewCollection, CollectionPlan), Failure> {
        let mut new = NewCollection { model: checked_model(&new.model)?, ..new };
        new.endpoint_model = match new.endpoint_model.trim() {
            "" => new.model.clone(),
            name => name.to_owned(),
        };
        check(&new.settings)?;
        let slug = new.dataset.clone();
        let load = move |conn: &Connection| {
            let dataset = datasets::get(conn, &slug)?.ok_or_else(|| Failure::not_found("dataset"))?;
            Ok((dataset.version, Subjects::load(conn, dataset.version)?))
        };
        let (version, subjects) = self.0.db.read_long(load).await?;
        if new.settings.template.en.trim().is_empty() {
            new.settings.template = subjects.default_template();
        }
        if subjects.have_turns() {
            new.settings.way.get_or_insert(Way::N);
            if new.settings.turn_template.en.trim().is_empty() {
                new.settings.turn_template = prompts::default_turn_template();
            }
            if new.settings.way == Some(Way::Dynamic) {
                if !subjects.have_tests() {
                    let what = (
                        format!("the tests of {} cannot run, and a dynamic conversation needs them", new.dataset),
                        format!("{} 的测试无法运行，而动态对话需要测试", new.dataset),
                    );
                    return Err(Failure::invalid("way", what, ("Choose another way", "请选择其他提问方式")));
                }
                if new.settings.feedback_template.en.trim().is_empty() {
                    new.settings.feedback_template = prompts::default_feedback_template();
                }
            }
        } else if new.settings.way.is_some() {
            let what = (
                format!("the tasks of {} are no conversations", new.dataset),
                format!("{} 的任务不是对话", new.dataset),
            );
            return Err(Failure::invalid("way", what, ("Leave the way out", "请留空")));
        }
        if let Some(unknown) = new.tasks.iter().find(|task| !subjects.has(task)) {
            let what = (
                format!("{} has no task {unknown}", new.dataset),
                format!("数据集 {} 中没有任务 {unknown}", new.dataset),
            );
            return Err(Failure::invalid("tasks", what, ("Use the task's external ID", "请使用任务的外部 ID")));
        }
        let chosen: BTreeSet<&String> = new.tasks.iter().collect();
        let mut tasks = subjects.ids();
        tasks.retain(|task| chosen.is_empty() || chosen.contains(task));
        let requests: u64 = tasks.iter().map(|task| subjects.requests(&new.settings, task)).sum();
        if requests * u64::from(new.settings.samples) > MOST_REQUESTS {
            let what = ("there are more than 1,000,000 requests", "请求超过 1,000,000 个");
            return Err(Failure::invalid("samples", what, ("Choose fewer samples or tasks", "请减少样本数或任务")));
        }
        let plan = subjects.plan(&new.settings, &tasks)?;
        new.tasks = tasks;
        Ok((version, new, plan))
    }
}

/// Whether a task of a collection of outputs has changed in a newer version of its dataset.
fn is_outdated(conn: &Connection, of: &Collection) -> Result<bool, Failure> {
    if of.judging.is_some() {
        return Ok(false);
    }
    let newest = datasets::get(conn, &of.row.dataset)?.map(|dataset| dataset.version);
    let Some(newest) = newest.filter(|newest| *newest != of.version) else { return Ok(newest.is_none()) };
    let (old, new) = (Subjects::load(conn, of.version)?, Subjects::load(conn, newest)?);
    Ok(of.tasks.iter().any(|task| old.revision(task) != new.revision(task)))
}

/// The error for a collection whose endpoint this process does not have.
fn no_endpoint(name: &str, url: &str) -> Failure {
    Failure::conflict((
        format!(
            "The collection uses the endpoint {name} at {url}, which is not configured. Start with --endpoint {name}={url}"
        ),
        format!("该采集使用位于 {url} 的端点 {name}，但未配置。请以 --endpoint {name}={url} 启动。"),
    ))
}

#[async_trait]
impl Collections for CollectionService {
    async fn endpoints(&self, _: &Admin) -> Answer<Vec<EndpointRow>> {
        Ok(self.known().rows())
    }

    async fn list(&self, _: &Admin, of: PageOf) -> Answer<Paged<CollectionRow>> {
        Ok(self.0.db.read(move |conn| collections::list(conn, &of)).await?)
    }

    async fn get(&self, _: &Admin, id: CollectionId) -> Answer<CollectionDetail> {
        let load = move |conn: &Connection| {
            let found = collections::get(conn, id)?.ok_or_else(|| Failure::not_found("collection"))?;
            let work = Work::load(conn, &found)?;
            let drawn = found.judging.as_ref().filter(|how| how.level_order == LevelOrder::Drawn);
            let orders = match drawn.filter(|_| found.row.status != CollectionStatus::Running) {
                Some(how) => judgings::by_order(conn, id, how.dimensions.len())?,
                None => Vec::new(),
            };
            Ok((collections::submissions(conn, id)?, is_outdated(conn, &found)?, found, work, orders))
        };
        let (submissions, outdated, found, work, orders) = self.0.db.read_long(load).await?;
        let known = self.known();
        let endpoint_known = known.get(&found.row.endpoint).map(|endpoint| endpoint.url == found.url);
        Ok(CollectionDetail {
            plan: work.plan(&self.0.db, &found).await?,
            row: found.row,
            url: found.url,
            settings: found.settings,
            form: found.form,
            in_work: found.in_work,
            endpoint_known: endpoint_known.unwrap_or_default(),
            submissions,
            outdated,
            orders,
        })
    }

    async fn requests(&self, _: &Admin, id: CollectionId, of: PageOf) -> Answer<Paged<RequestRow>> {
        self.load(id).await?;
        Ok(self.0.db.read(move |conn| collections::requests(conn, id, &of)).await?)
    }

    async fn request(&self, _: &Admin, id: CollectionId, request: i64) -> Answer<RequestDetail> {
        let read = move |conn: &Connection| {
            let collection = collections::get(conn, id)?.ok_or_else(|| Failure::not_found("collection"))?;
            let found = collections::request(conn, id, request)?.ok_or_else(|| Failure::not_found("request"))?;
            let asked = match (Judge::load(conn, &collection)?, &found.row.output) {
                (Some(judge), Some(output)) => Some(judge.asked(conn, output.id)?),
                _ => None,
            };
            Ok((found, asked))
        };
        let (mut found, asked) = self.0.db.read_long(read).await?;
        if let (Some(asked), Some(response)) = (asked, found.response.clone()) {
            let read = tokio::task::spawn_blocking(move || asked.fault(&response));
            let fault = read.await.map_err(Failure::internal)?.map(|fault| fault.text());
            found.fault = fault.map(|why| Bilingual { en: why.en, zh: why.zh });
        }
        Ok(found)
    }

    async fn plan(&self, _: &Admin, new: NewCollection) -> Answer<CollectionPlan> {
        Ok(self.checked(new).await?.2)
    }

    async fn create(&self, admin: &Admin, new: NewCollection) -> Answer<CollectionId> {
        let endpoint = self.endpoint(&new.endpoint)?;
        let (version, new, _) = self.checked(new).await?;
        let by = admin.id();
        let facts =
            [Fact::Model(new.model.clone()), Fact::Dataset(new.dataset.clone()), Fact::Endpoint(endpoint.name.clone())];
        let row = NewRow {
            version,
            model_name: new.model,
            endpoint_model: new.endpoint_model,
            endpoint: endpoint.name,
            url: endpoint.url,
            settings: new.settings,
            tasks: new.tasks,
            by,
            judging: None,
        };
        let create = move |tx: &rusqlite::Transaction<'_>| {
            let id = collections::insert(tx, &row)?;
            Ok(Change::of(Object::Collection(id), facts, id))
        };
        Ok(self.0.db.write_audited(admin, Action::CollectionCreate, create).await?)
    }

    async fn plan_judging(&self, _: &Admin, new: NewJudging) -> Answer<CollectionPlan> {
        Ok(self.judging_plan(new).await?)
    }

    async fn create_judging(&self, admin: &Admin, new: NewJudging) -> Answer<CollectionId> {
        Ok(CollectionService::create_judging(self, admin, new).await?)
    }

    async fn stop(&self, admin: &Admin, id: CollectionId) -> Answer<()> {
        let stop = move |tx: &rusqlite::Transaction<'_>| {
            let found = collections::get(tx, id)?.ok_or_else(|| Failure::not_found("collection"))?;
            if found.row.status != CollectionStatus::Running {
                return Ok(Change::each(Vec::new(), ()));
            }
            collections::set_status(tx, id, CollectionStatus::Stopped, Some(&StopReason::Admin))?;
            Ok(Change::of(Object::Collection(id), [], ()))
        };
        Ok(self.0.db.write_audited(admin, Action::CollectionStop, stop).await?)
    }

    async fn resume(&self, admin: &Admin, id: CollectionId, how: CollectionResume) -> Answer<()> {
        let found = self.load(id).await?;
        let known = self.known();
        if known.get(&found.row.endpoint).is_none_or(|endpoint| endpoint.url != found.url) {
            return Err(no_endpoint(&found.row.endpoint, &found.url).into());
        }
        let mut settings = found.settings;
        settings.max_requests = how.max_requests.or(settings.max_requests);
        settings.max_tokens = how.max_tokens.or(settings.max_tokens);
        while how.failed && !self.0.db.write(move |tx| collections::retry_failed(tx, id)).await? {
            tokio::time::sleep(PAUSE).await;
        }
        let action = if found.row.status == CollectionStatus::Draft {
            Action::CollectionStart
        } else {
            Action::CollectionResume
        };
        let resume = move |tx: &rusqlite::Transaction<'_>| {
            let row = collections::get(tx, id)?.ok_or_else(|| Failure::not_found("collection"))?.row;
            let is_complete = row.answered + row.failed >= row.total;
            if row.status == CollectionStatus::Running || (row.status == CollectionStatus::Finished && is_complete) {
                return Ok(Change::each(Vec::new(), ()));
            }
            collections::set_settings(tx, id, &settings)?;
            collections::set_status(tx, id, CollectionStatus::Running, None)?;
            Ok(Change::of(Object::Collection(id), [], ()))
        };
        Ok(self.0.db.write_audited(admin, action, resume).await?)
    }

    async fn remove(&self, admin: &Admin, id: CollectionId) -> Answer<()> {
        let remove = move |tx: &rusqlite::Transaction<'_>| {
            let found = collections::get(tx, id)?.ok_or_else(|| Failure::not_found("collection"))?;
            if found.row.status == CollectionStatus::Running || found.in_work {
                let why = ("The collection is running. Stop it first.", "采集正在进行，请先停止。");
                return Err(Failure::conflict(why));
            }
            let scores = judgings::hide_scores(tx, id)?;
            collections::delete(tx, id)?;
            let row = found.row;
            let facts = [Fact::Model(row.model_name), Fact::Dataset(row.dataset), Fact::Responses(row.answered)];
            Ok(Change::of(Object::Collection(id), facts, scores))
        };
        let scores = self.0.db.write_audited(admin, Action::CollectionDelete, remove).await?;
        // In the background; the server finishes what this cannot.
        let service = self.clone();
        if let Some(scores) = scores {
            let db = self.0.db.clone();
            tokio::task::spawn_blocking(move || db.clear_import(Import::Judging(scores)).map_err(AppError::from));
        }
        tokio::spawn(async move { service.clear_deleted().await.map_err(AppError::from) });
        Ok(())
    }

    async fn upload(&self, admin: &Admin, id: CollectionId) -> Answer<UploadId> {
        let found = self.load(id).await?;
        if found.judging.is_some() {
            let why = (
                "A judging has no outputs to import; its scores are in the comparison.",
                "评判没有可导入的输出；其分数在模型比较中。",
            );
            return Err(Failure::conflict(why).into());
        }
        if found.row.answered == 0 {
            let why = ("The collection has no responses yet.", "该采集还没有响应。");
            return Err(Failure::conflict(why).into());
        }
        let check = move |conn: &Connection| Ok((is_outdated(conn, &found)?, found));
        let (is_outdated, found) = self.0.db.read_long(check).await?;
        if is_outdated {
            let why = (
                "Tasks of this collection have changed in a new version of the dataset. Start a new collection.",
                "该采集的任务在数据集的新版本中已有变化，请新建采集。",
            );
            return Err(Failure::conflict(why).into());
        }
        let dataset = found.row.dataset.clone();
        let stored = file::write(&self.0.db, &self.0.uploads, found).await?;
        let checksum = stored.checksum.clone();
        let purpose = db::uploads::Purpose::outputs(Some(&dataset));
        let upload = self.0.submissions.note_upload(admin, stored, purpose).await?;
        self.0.db.write(move |tx| collections::add_file(tx, id, &checksum)).await?;
        Ok(upload)
    }
}
