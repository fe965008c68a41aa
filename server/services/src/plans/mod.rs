//! How a study's work is assigned: creates the plan and changes it while people rate.
//!
//! All random choices are made by [`plan`], from the study's seed and the number of the event: the
//! same study with the same events has the same result. `new_study` creates studies; `change` is a change of the plan in
//! short transactions, and
//! `edit` such a change of a draft's settings.

mod change;
mod edit;
mod new_study;
mod refusals;

use std::collections::BTreeSet;

use async_trait::async_trait;
use model::{
    audit::{Action, Object},
    audit_details::Fact,
    caller::{Actor, Admin},
    error::Answer,
    ids::{StudyId, TaskRevisionId, UserId},
    plan::{Extension, PlanDetail, Reads, Sharing},
    study::{NewStudy, StudyChange, StudyDraft, StudySettings, StudyStatus},
};
use port::Plans;
use rusqlite::{Connection, Transaction};

use self::refusals::TITLE_MAX;
pub use self::{new_study::create, refusals::checked_title};
use base::error::Failure;
use db::{
    Db, accounts,
    audit::{self, Change},
    conversations,
    plan::{self as stored, Input},
    studies,
};
use plan::rows::{Gradable, chosen};

/// Fewest gaps between ratings from which the pace is measured instead of assumed.
const GAPS_MIN: usize = 10;
/// Number of gaps after which no further study is read.
const GAPS_ENOUGH: usize = 1000;

pub struct PlanService {
    db: Db,
}

impl PlanService {
    pub fn new(db: Db) -> Self {
        PlanService { db }
    }
}

#[async_trait]
impl Plans for PlanService {
    async fn get(&self, _: &Admin, id: StudyId) -> Answer<PlanDetail> {
        Ok(self.db.read_long(move |conn| detail(conn, id)).await?)
    }

    async fn join(&self, admin: &Admin, id: StudyId, user: UserId, share: Option<u32>) -> Answer<()> {
        let entry = (Action::StudyAddRater, Fact::Account(user));
        change::spawn(&self.db, admin, id, entry, move |conn, study| change::join(conn, study, user, share)).await
    }

    async fn leave(&self, admin: &Admin, id: StudyId, user: UserId) -> Answer<()> {
        let entry = (Action::StudyRemoveRater, Fact::Account(user));
        change::spawn(&self.db, admin, id, entry, move |conn, study| change::leave(conn, study, user)).await
    }

    async fn extend(&self, admin: &Admin, id: StudyId, by: Extension) -> Answer<()> {
        let entry = (Action::StudyExtend, Fact::Settings(serde_json::to_value(&by).map_err(Failure::from)?));
        change::spawn(&self.db, admin, id, entry, move |conn, study| change::extend(conn, study, &by)).await
    }

    async fn draft(&self, _: &Admin, id: StudyId) -> Answer<StudyDraft> {
        Ok(self.db.read(move |conn| edit::draft(conn, &Study::open(conn, id)?)).await?)
    }

    async fn edit(&self, admin: &Admin, id: StudyId, change: StudyChange) -> Answer<()> {
        let entry = (Action::StudyEdit, Fact::Settings(serde_json::to_value(&change).map_err(Failure::from)?));
        change::spawn(&self.db, admin, id, entry, move |conn, study| edit::edit(conn, study, &change)).await
    }

    async fn copy(&self, admin: &Admin, id: StudyId) -> Answer<StudyId> {
        let new = self.db.read_long(move |conn| copy(conn, &Study::open(conn, id)?)).await?;
        let entry = move |copy| (Object::Study(id), Fact::Duplicate(copy));
        let create = create(self.db.clone(), admin.clone(), (new, Some(id)), (Action::StudyDuplicate, entry));
        // In a task of its own: a browser that hangs up leaves nothing half done.
        Ok(audit::spawn(create).await.map_err(Failure::internal)??)
    }

    async fn set_pace(&self, admin: &Admin, id: StudyId, seconds: Option<u32>) -> Answer<()> {
        let set = move |tx: &Transaction<'_>| {
            let settings = StudySettings { pace_s: seconds, ..stored::settings(tx, id)? };
            settings.check()?;
            stored::save_settings(tx, id, &settings)?;
            Ok(Change::of(Object::Study(id), [Fact::Pace(seconds)], ()))
        };
        Ok(self.db.write_audited(admin, Action::StudySetPace, set).await?)
    }

    async fn set_reads(&self, admin: &Admin, user: UserId, reads: Reads) -> Answer<()> {
        let set = move |tx: &Transaction<'_>| {
            let account = accounts::by_id(tx, user)?.ok_or_else(|| Failure::not_found("account"))?;
            if !stored::set_reads(tx, user, reads)? {
                return Err(Failure::not_found("account"));
            }
            Ok(Change::of(Object::Account(account.me.name), [Fact::Reads(reads)], ()))
        };
        Ok(self.db.write_audited(admin, Action::UserSetLanguages, set).await?)
    }
}

/// Adds a person to the study to which they were invited.
pub(super) async fn join_invited(db: &Db, id: StudyId, user: UserId) -> Answer<()> {
    let entry = (Action::StudyAddRater, Fact::Account(user));
    change::spawn(db, Actor::Person(user), id, entry, move |conn, study| change::join(conn, study, user, None)).await
}

/// A study with the input of its plan.
struct Study {
    id: StudyId,
    status: StudyStatus,
    title: String,
    dataset: String,
    input: Input,
}

impl Study {
    fn open(conn: &Connection, id: StudyId) -> Result<Study, Failure> {
        let row = studies::get(conn, id)?.ok_or_else(|| Failure::not_found("study"))?;
        let input = stored::input(conn, id)?.ok_or_else(|| Failure::not_found("study"))?;
        Ok(Study { id, status: row.status, title: row.title, dataset: row.dataset, input })
    }

    fn changeable(&self) -> Result<(), Failure> {
        match self.status {
            StudyStatus::Closed => Err(Failure::conflict((
                "The study is closed. Duplicate it to continue with the same settings.",
                "项目已结束。如需沿用其设置，请复制该项目。",
            ))),
            _ => Ok(()),
        }
    }

    /// The languages in which a rater gets work: all, if work is shared by count.
    fn reads(&self, conn: &Connection, user: UserId) -> Result<Reads, Failure> {
        if self.input.settings.sharing == Sharing::Count { Ok(Reads::BOTH) } else { stored::reads(conn, user) }
    }
}

/// The outputs that the study grades, of which `kept` tasks come first.
fn gradable(conn: &Connection, input: &Input, kept: &BTreeSet<TaskRevisionId>) -> Result<Vec<Gradable>, Failure> {
    let mut outputs = Vec::new();
    for id in &input.submissions {
        outputs.extend(stored::gradable(conn, *id, input.settings.answers)?);
    }
    Ok(chosen(outputs, input.settings.tasks, input.seed, kept))
}

/// A request for the same study, with the raters who can still rate and another seed.
fn copy(conn: &Connection, study: &Study) -> Result<NewStudy, Failure> {
    let suffix = " (2)";
    let title: String = study.title.chars().take(TITLE_MAX - suffix.len()).collect();
    let same = edit::request(conn, study, |rater| studies::can_rate(conn, rater))?;
    Ok(NewStudy { title: format!("{title}{suffix}"), seed: None, ..same })
}

/// The measured seconds per rating: the median of the times between ratings with this rubric, in this study and the newest
/// others. `None` if there are too few.
pub(crate) fn measured_pace(conn: &Connection, rubric: i64, study: Option<StudyId>) -> Result<Option<u32>, Failure> {
    let mut gaps = stored::gaps(conn, rubric, study, GAPS_ENOUGH)?;
    gaps.sort_unstable();
    let median = gaps.get(gaps.len() / 2).filter(|_| gaps.len() >= GAPS_MIN);
    Ok(median.and_then(|ms| u32::try_from((ms + 999) / 1000).ok()))
}

fn detail(conn: &Connection, id: StudyId) -> Result<PlanDetail, Failure> {
    let study = Study::open(conn, id)?;
    let models = studies::models(conn, id)?;
    let size = stored::size(conn, id)?;
    let (events, taken_over) = stored::events(conn, id)?;
    let setup = studies::setup(conn, id)?.ok_or_else(|| Failure::not_found("study"))?;
    let settings = study.input.settings;
    let in_turns = conversations::has_turns(conn, setup.version)?;
    Ok(PlanDetail {
        study: id,
        title: study.title,
        status: study.status,
        presentation: settings.presentation,
        answers: in_turns.then_some(settings.answers),
        sharing: settings.sharing,
        raters_per_output: settings.raters_per_output,
        seed: study.input.seed.to_string(),
        dataset: study.dataset,
        tasks: size.tasks,
        tasks_most: stored::gradable_tasks(conn, id, settings.answers)?,
        outputs: size.outputs,
        wanted: size.wanted,
        done: size.done,
        waiting: size.waiting,
        pace_s: settings.pace_s,
        measured_s: measured_pace(conn, setup.rubric_id, Some(id))?,
        raters: stored::shares(conn, id, &models.iter().map(|(id, _)| *id).collect::<Vec<_>>())?,
        models: models.into_iter().map(|(_, name)| name).collect(),
        more: stored::more(conn, id)?,
        others: stored::others(conn, id)?,
        events,
        taken_over,
    })
}
