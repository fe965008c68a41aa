//! The admins' inbox: reads it, and acts on several items at once, or after the time in which it can be undone.

mod later;
mod preview;

use std::sync::Arc;

use async_trait::async_trait;
use model::{
    audit::{Action, Object},
    audit_details::Fact,
    caller::Admin,
    error::{Answer, AppError},
    ids::{RunId, StudyId, UserId},
    inbox::{
        ITEMS_MOST, InboxAct, InboxCount, InboxDone, InboxFilter, InboxItem, InboxKind, InboxPage, InboxPreview,
        InboxRequest, InboxRow,
    },
    page::{PageOf, Paged},
    run::Rerun,
    text::excerpt,
};
use port::{Runs, inbox::Inbox};
use rusqlite::{Connection, Transaction};

use crate::{
    quality::{self, QualityService},
    runs::RunService,
};
use base::error::Failure;
use db::{
    Db,
    audit::Change,
    inbox::{self, Found, Subject, Waiting},
    quality::{calibrations, disagreements, flags, limits},
    routines, studies, webhooks,
};

/// Items of one transaction: raters' submissions wait that long.
const CHUNK: usize = 100;

pub struct InboxService {
    db: Db,
    runs: Arc<RunService>,
    quality: Arc<QualityService>,
}

impl InboxService {
    /// A service over `db`.
    pub fn new(db: Db, runs: Arc<RunService>, quality: Arc<QualityService>) -> Self {
        InboxService { db, runs, quality }
    }

    /// How many items wait.
    ///
    /// # Errors
    /// Internal errors.
    pub async fn waiting(&self, _: &Admin) -> Result<u64, Failure> {
        self.db.read(inbox::total).await
    }

    /// Adds the names under which the admin adjudicates the disagreements among the rows.
    async fn named(&self, user: Option<UserId>, rows: Vec<(InboxRow, Waiting, bool)>) -> Answer<Vec<InboxRow>> {
        let Some(user) = user else { return Ok(rows.into_iter().map(|(row, ..)| row).collect()) };
        let place = |waiting: &Waiting, own: bool| match (waiting.subject, waiting.study) {
            (Subject::Disagreement(output), Some(study)) if !own => Some((study, output)),
            _ => None,
        };
        let places: Vec<_> = rows.iter().filter_map(|(_, waiting, own)| place(waiting, *own)).collect();
        let mut tokens = self.quality.handouts(user, places).await?.into_iter();
        let name = |(mut row, waiting, own): (InboxRow, Waiting, bool)| {
            if place(&waiting, own).is_some()
                && let InboxItem::Disagreement { token, .. } = &mut row.item
            {
                *token = tokens.next();
            }
            row
        };
        Ok(rows.into_iter().map(name).collect())
    }

    /// Runs what the engine stopped or failed on again.
    async fn rerun(&self, admin: &Admin, id: i64, run: RunId, what: Rerun) -> Answer<()> {
        self.runs.rerun(admin, run, what).await?;
        let by = admin.id();
        let end = move |tx: &Transaction<'_>| {
            inbox::end_act(tx, id)?;
            inbox::decided(tx, id, by)
        };
        Ok(self.db.write(end).await?)
    }

    async fn retry_runs(&self, admin: &Admin, items: Vec<i64>, alone: bool) -> Answer<(InboxDone, Vec<i64>)> {
        let (mut done, mut rest) = (InboxDone::default(), Vec::new());
        for id in items {
            let what = match self.db.read(move |conn| inbox::get(conn, id)).await? {
                Some(Found::Open(Waiting { subject: Subject::Run(kind, run), .. })) => {
                    (run, if kind == InboxKind::Run { Rerun::Rest } else { Rerun::Failed })
                }
                // Not a run, or gone: decided below.
                _ => {
                    rest.push(id);
                    continue;
                }
            };
            match self.rerun(admin, id, what.0, what.1).await {
                Ok(()) => done.done += 1,
                Err(error) if alone || matches!(error, AppError::Internal(_)) => return Err(error),
                Err(_) => done.refused += 1,
            }
        }
        Ok((done, rest))
    }
}

#[async_trait]
impl Inbox for InboxService {
    async fn page(&self, admin: &Admin, filter: InboxFilter, of: PageOf) -> Answer<InboxPage> {
        let user = admin.id();
        let (page, rows) = self
            .db
            .read(move |conn| {
                let Paged { rows, previous, next, found } = rows(conn, filter, &of, user)?;
                let page = InboxPage {
                    waiting: inbox::total(conn)?,
                    kinds: inbox::counts(conn, filter.study)?,
                    studies: inbox::studies(conn)?,
                    page: Paged { rows: Vec::new(), previous, next, found },
                };
                Ok((page, rows))
            })
            .await?;
        let rows = self.named(user, rows).await?;
        Ok(InboxPage { page: Paged { rows, ..page.page }, ..page })
    }

    async fn list(&self, admin: &Admin, filter: InboxFilter, of: PageOf) -> Answer<Paged<InboxRow>> {
        let user = admin.id();
        let Paged { rows, previous, next, found } = self.db.read(move |conn| rows(conn, filter, &of, user)).await?;
        Ok(Paged { rows: self.named(user, rows).await?, previous, next, found })
    }

    async fn counts(&self, _: &Admin, filter: InboxFilter) -> Answer<Vec<InboxCount>> {
        let counts = self.db.read(move |conn| inbox::counts(conn, filter.study)).await?;
        let asked = |kind: &InboxKind| filter.kind.is_none_or(|only| only == *kind);
        let counts = counts.into_iter().filter(|(kind, _)| asked(kind));
        Ok(counts.map(|(kind, waiting)| InboxCount { kind, waiting }).collect())
    }

    async fn act(&self, admin: &Admin, request: InboxRequest) -> Answer<InboxDone> {
        let (act, items) = checked(request)?;
        let alone = items.len() == 1;
        self.carry_out(admin, act, items, alone).await
    }

    async fn act_later(&self, admin: &Admin, request: InboxRequest) -> Answer<InboxDone> {
        let (act, items) = checked(request)?;
        self.ask(admin, act, items).await
    }

    async fn undo(&self, admin: &Admin, request: i64) -> Answer<u64> {
        self.take_back(admin, request).await
    }

    async fn preview(&self, admin: &Admin, id: i64) -> Answer<Option<InboxPreview>> {
        self.look_at(admin, id).await
    }
}

impl InboxService {
    /// Does it. With `alone`, what cannot be done with the one item is an error.
    async fn carry_out(&self, admin: &Admin, act: InboxAct, items: Vec<i64>, alone: bool) -> Answer<InboxDone> {
        let (mut done, items) = match act {
            InboxAct::Retry => self.retry_runs(admin, items, alone).await?,
            _ => (InboxDone::default(), items),
        };
        let by = admin.id();
        for chunk in items.chunks(CHUNK) {
            let chunk = chunk.to_vec();
            let work = move |tx: &Transaction<'_>| {
                let (mut done, mut entries) = (InboxDone::default(), Vec::new());
                for id in chunk {
                    match one(tx, act, id, by) {
                        Ok(entry) => {
                            done.done += 1;
                            entries.push(entry);
                        }
                        Err(failure) if alone => return Err(failure),
                        Err(failure) => not_done(tx, id, failure, &mut done)?,
                    }
                    inbox::end_act(tx, id)?;
                }
                Ok(Change::each(entries, done))
            };
            let part = self.db.write_audited(admin, action(act), work).await?;
            done.done += part.done;
            done.gone += part.gone;
            done.refused += part.refused;
        }
        Ok(done)
    }
}

/// The act and the items of a request, each once.
fn checked(request: InboxRequest) -> Answer<(InboxAct, Vec<i64>)> {
    let InboxRequest { act, mut items } = request;
    items.sort_unstable();
    items.dedup();
    if items.is_empty() || items.len() > ITEMS_MOST {
        return Err(AppError::invalid(
            "items",
            (format!("{} items are selected", items.len()), format!("选择了 {} 项", items.len())),
            (format!("Select 1 to {ITEMS_MOST}"), format!("请选择 1 到 {ITEMS_MOST} 项")),
        ));
    }
    Ok((act, items))
}

/// Counts an item with which nothing could be done.
///
/// # Errors
/// The failure, where it is not about the item.
fn not_done(conn: &Connection, id: i64, failure: Failure, done: &mut InboxDone) -> Result<(), Failure> {
    match failure {
        Failure::App(AppError::Conflict(_) | AppError::NotFound(_)) => match inbox::get(conn, id)? {
            Some(Found::Open(_)) => done.refused += 1,
            _ => done.gone += 1,
        },
        failure => return Err(failure),
    }
    Ok(())
}

/// The action in the audit log.
fn action(act: InboxAct) -> Action {
    match act {
        InboxAct::Resolve => Action::FlagReply,
        InboxAct::AddRater => Action::OutputAddRating,
        InboxAct::Restart => Action::CalibrationReset,
        InboxAct::Admit => Action::CalibrationAdmit,
        InboxAct::Resume => Action::StudyResumeRater,
        // Of runs, the runs' service says it.
        InboxAct::Retry => Action::WebhookRetry,
        InboxAct::Dismiss => Action::InboxDismiss,
    }
}

/// The open item `id`, which `act` applies to.
fn open_item(conn: &Connection, act: InboxAct, id: i64) -> Result<Waiting, Failure> {
    let item = match inbox::get(conn, id)? {
        Some(Found::Open(item)) => item,
        Some(Found::Done(Some(name))) => {
            return Err(Failure::conflict((
                format!("{name} has already dealt with this. It no longer waits."),
                format!("{name} 已处理此项，无需再处理。"),
            )));
        }
        Some(Found::Done(None)) => {
            return Err(Failure::conflict((
                "This no longer waits: its cause has gone.",
                "此项的起因已不存在，无需再处理。",
            )));
        }
        None => return Err(Failure::not_found("inbox item")),
    };
    if !item.subject.kind().acts().contains(&act) {
        return Err(Failure::conflict((
            "This action does not apply to this kind of item.",
            "此操作不适用于该类事项。",
        )));
    }
    Ok(item)
}

/// Deals with one item; writes nothing where it fails.
fn one(conn: &Connection, act: InboxAct, id: i64, by: Option<UserId>) -> Result<(Object, Vec<Fact>), Failure> {
    let item = open_item(conn, act, id)?;
    let study = || item.study.ok_or_else(|| Failure::internal("an inbox item without its study"));
    let entry = match (act, item.subject) {
        (InboxAct::Resolve, Subject::Flag(on)) => {
            let study = study()?;
            let Some((user, flag)) = flags::standing(conn, study, on)? else {
                return Err(Failure::conflict(("The rater has withdrawn this flag.", "评分者已撤回该标记。")));
            };
            flags::insert(conn, study, on, (user, &flag), "", by)?;
            (Object::Study(study), vec![Fact::Flag(on)])
        }
        (InboxAct::AddRater, Subject::Disagreement(output)) => {
            quality::ask_extra(conn, study()?, output, by)?;
            (Object::Study(study()?), vec![Fact::Output(output)])
        }
        (InboxAct::Restart, Subject::Rater(_, rater)) => {
            calibrations::reset(conn, study()?, rater)?;
            (Object::Study(study()?), vec![Fact::Account(rater)])
        }
        (InboxAct::Admit, Subject::Rater(_, rater)) => {
            calibrations::admit(conn, study()?, rater, by)?;
            (Object::Study(study()?), vec![Fact::Account(rater)])
        }
        (InboxAct::Resume, Subject::Rater(_, rater)) => {
            if !limits::resume(conn, study()?, rater)? {
                return Err(Failure::conflict(("This rater is not paused.", "该评分者未被暂停。")));
            }
            (Object::Study(study()?), vec![Fact::Account(rater)])
        }
        (InboxAct::Dismiss, Subject::Rater(_, rater)) if limits::is_paused(conn, study()?, rater)? => {
            return Err(Failure::conflict((
                "This rater is paused until an admin decides. Resume the rater, or remove them from the study.",
                "该评分者已暂停，等待管理员处理。请让其继续评分，或将其移出项目。",
            )));
        }
        (InboxAct::Retry, Subject::Delivery(delivery)) => {
            let Some(webhook) = webhooks::retry(conn, delivery)? else {
                return Err(Failure::not_found("delivery"));
            };
            (Object::Webhook(webhook), vec![Fact::Delivery(delivery)])
        }
        (InboxAct::Dismiss, subject) => {
            inbox::dismiss(conn, &item, by)?;
            let kind = subject.kind();
            match subject {
                Subject::Rater(_, rater) => {
                    (Object::Study(study()?), vec![Fact::InboxItem(kind), Fact::Account(rater)])
                }
                Subject::Run(_, run) => (Object::Run(run), vec![Fact::InboxItem(kind)]),
                Subject::Delivery(delivery) => {
                    let webhook = webhooks::delivery(conn, delivery)?.ok_or_else(|| Failure::not_found("delivery"))?;
                    (Object::Webhook(webhook.webhook), vec![Fact::Delivery(delivery)])
                }
                Subject::Flag(_) | Subject::Disagreement(_) | Subject::Plan | Subject::Routine(_) => {
                    return Err(Failure::internal("an item that cannot be dismissed"));
                }
            }
        }
        _ => return Err(Failure::internal("an action on another kind of item")),
    };
    inbox::decided(conn, id, by)?;
    Ok(entry)
}

/// A page of the items without names of disagreements, and whether the admin rated each.
fn rows(
    conn: &Connection,
    filter: InboxFilter,
    of: &PageOf,
    user: Option<UserId>,
) -> Result<Paged<(InboxRow, Waiting, bool)>, Failure> {
    let Paged { rows, previous, next, found } = inbox::list(conn, filter, of)?;
    let mut shown_rows = Vec::with_capacity(rows.len());
    for waiting in rows {
        let title = match waiting.study {
            Some(study) => studies::title(conn, study)?,
            None => None,
        };
        // Withdrawn in the same moment, for example.
        let Some((item, own)) = shown(conn, &waiting, user)? else { continue };
        let Waiting { id, study, since, subject } = waiting;
        shown_rows.push((InboxRow { id, kind: subject.kind(), study, title, since, item }, waiting, own));
    }
    Ok(Paged { rows: shown_rows, previous, next, found })
}

/// The content of an item, and whether the admin rated the output.
fn shown(conn: &Connection, waiting: &Waiting, user: Option<UserId>) -> Result<Option<(InboxItem, bool)>, Failure> {
    let study = waiting.study.unwrap_or(StudyId(0));
    let item = match waiting.subject {
        Subject::Flag(on) => inbox::flag(conn, on)?,
        Subject::Rater(kind, rater) => inbox::rater(conn, study, kind, rater)?,
        Subject::Plan => inbox::plan(conn, study)?,
        Subject::Run(_, run) => inbox::run(conn, run)?,
        Subject::Delivery(delivery) => inbox::delivery(conn, delivery)?,
        Subject::Routine(routine) => routines::item(conn, routine)?,
        Subject::Disagreement(output) => {
            let about = disagreements::about(conn, output)?;
            let item = InboxItem::Disagreement {
                task_id: about.task_id,
                raw_nl: excerpt(&about.raw_nl, 200),
                nl_lang: about.nl_lang,
                spread: disagreements::get(conn, study, output)?.map_or(0, |found| found.spread),
                token: None,
            };
            let own = user.map(|user| disagreements::rates(conn, study, output, user)).transpose()?;
            return Ok(Some((item, own.unwrap_or(true))));
        }
    };
    Ok(item.map(|item| (item, false)))
}
