//! Studies, for admins: creating, watching, comparing models.

use std::{cmp::Reverse, collections::HashMap};

use async_trait::async_trait;
use model::{
    audit::{Action, Object},
    audit_details::Fact,
    caller::Admin,
    dataset::TaskRow,
    error::{Answer, AppError},
    ids::{ModelId, OutputId, StudyId, TaskId, TaskRevisionId, UserId},
    page::{PageOf, Paged, Which},
    ratings::{OutputRatings, TaskModelScores, TaskRatings, TaskScores},
    study::{LONGEST_REASON, NewStudy, RaterProgress, StudyDetail, StudyRow, StudyStatus},
};
use port::Studies;
use rusqlite::{Connection, Transaction};

use crate::{plans, steps};
use base::error::Failure;
use comparison::spread::Ranges;
use db::{
    Db,
    audit::{self, Change},
    plan,
    studies::{self, Scored},
};
use stats::bootstrap::{self, Cell};

/// The order of a study's tasks by their largest spread.
const BY_SPREAD: &str = "spread";

pub struct StudyService {
    db: Db,
}

impl StudyService {
    /// A service over `db`.
    pub fn new(db: Db) -> Self {
        StudyService { db }
    }
}

#[async_trait]
impl Studies for StudyService {
    async fn list(&self, _: &Admin, of: PageOf) -> Answer<Paged<StudyRow>> {
        Ok(self.db.read(move |conn| studies::list(conn, &of)).await?)
    }

    async fn get(&self, _: &Admin, id: StudyId) -> Answer<StudyDetail> {
        Ok(self
            .db
            .read(move |conn| {
                let row = studies::get(conn, id)?.ok_or_else(|| Failure::not_found("study"))?;
                let setup = studies::setup(conn, id)?.ok_or_else(|| Failure::not_found("study"))?;
                Ok(StudyDetail {
                    row,
                    raters_per_output: setup.raters_per_output,
                    seed: setup.seed.to_string(),
                    rubric: setup.rubric.name(),
                    dimensions: setup.rubric.dimensions,
                    raters: raters(conn, id)?,
                })
            })
            .await?)
    }

    async fn create(&self, admin: &Admin, new: NewStudy) -> Answer<StudyId> {
        let title = new.title.trim().to_owned();
        let entry = |id| (Object::Study(id), Fact::Name(title));
        let create = plans::create(self.db.clone(), admin.clone(), (new, None), (Action::StudyCreate, entry));
        // In a task of its own: a browser that hangs up leaves nothing half done.
        Ok(audit::spawn(create).await.map_err(Failure::internal)??)
    }

    async fn set_status(&self, admin: &Admin, id: StudyId, status: StudyStatus) -> Answer<()> {
        steps::finish(&self.db, id).await?;
        Ok(self
            .db
            .write_audited(admin, Action::StudySetStatus, move |tx| {
                let row = studies::get(tx, id)?.ok_or_else(|| Failure::not_found("study"))?;
                steps::none_left(tx, id)?;
                if row.status == StudyStatus::Closed && status != StudyStatus::Closed {
                    return Err(Failure::conflict((
                        "The study is closed. Reopen it with a reason first.",
                        "项目已结束，请先填写原因并重新开启。",
                    )));
                }
                if status == StudyStatus::Draft && row.status != StudyStatus::Draft {
                    return Err(Failure::conflict((
                        "A started study cannot become a draft again. Pause or duplicate it.",
                        "已开始的项目不能变回草稿，可以暂停或复制。",
                    )));
                }
                if row.status == StudyStatus::Draft && status == StudyStatus::Paused {
                    return Err(Failure::conflict((
                        "A draft cannot be paused. Start or close it.",
                        "草稿不能暂停，请开始或结束项目。",
                    )));
                }
                if row.status == StudyStatus::Draft && status == StudyStatus::Running {
                    plan::note(tx, id, "started", None, &plan::Moved { ratings: row.wanted, from: None })?;
                }
                studies::set_status(tx, id, status)?;
                Ok(Change::of(Object::Study(id), [Fact::Status(status)], ()))
            })
            .await?)
    }

    async fn reopen(&self, admin: &Admin, id: StudyId, reason: &str) -> Answer<()> {
        let reason = reason.trim().to_owned();
        if reason.is_empty() || reason.chars().count() > LONGEST_REASON {
            return Err(AppError::invalid(
                "reason",
                (
                    format!("the reason is empty or longer than {LONGEST_REASON} characters"),
                    format!("原因为空或超过 {LONGEST_REASON} 个字符"),
                ),
                ("Say in a sentence why the study is reopened", "请用一句话说明重新开启的原因"),
            ));
        }
        steps::finish(&self.db, id).await?;
        let reopen = move |tx: &Transaction<'_>| {
            let row = studies::get(tx, id)?.ok_or_else(|| Failure::not_found("study"))?;
            steps::none_left(tx, id)?;
            if row.status != StudyStatus::Closed {
                return Err(Failure::conflict((
                    "The study is not closed, so it cannot be reopened.",
                    "项目尚未结束，无需重新开启。",
                )));
            }
            studies::set_status(tx, id, StudyStatus::Running)?;
            Ok(Change::of(Object::Study(id), [Fact::Reason(reason)], ()))
        };
        Ok(self.db.write_audited(admin, Action::StudyReopen, reopen).await?)
    }

    async fn tasks(&self, _: &Admin, id: StudyId, of: PageOf) -> Answer<Paged<TaskScores>> {
        Ok(self
            .db
            .read_long(move |conn| match of.which.sort == BY_SPREAD {
                true => tasks_by_spread(conn, id, of),
                false => tasks(conn, id, &of),
            })
            .await?)
    }

    async fn task(&self, _: &Admin, id: StudyId, task: TaskId) -> Answer<TaskRatings> {
        let (title, row, rubric, outputs) = self
            .db
            .read(move |conn| {
                let study = studies::get(conn, id)?.ok_or_else(|| Failure::not_found("study"))?;
                let setup = studies::setup(conn, id)?.ok_or_else(|| Failure::not_found("study"))?;
                let row = studies::task(conn, id, task)?.ok_or_else(|| Failure::not_found("task"))?;
                let outputs = studies::task_outputs(conn, id, row.revision)?;
                let ids: Vec<OutputId> = outputs.iter().map(|output| output.id).collect();
                let mut ratings = studies::ratings_of(conn, id, &ids)?;
                let outputs = outputs.into_iter();
                let outputs: Vec<_> =
                    outputs.map(|output| (ratings.remove(&output.id).unwrap_or_default(), output)).collect();
                Ok((study.title, row, setup.rubric, outputs))
            })
            .await?;
        let shown = outputs.into_iter().map(async |(ratings, output)| OutputRatings {
            model: output.model,
            sample: output.sample,
            code: syntax::view(output.code, output.surrounding_text, row.code_lang).await,
            ratings,
        });
        let outputs = futures::future::join_all(shown).await;
        Ok(TaskRatings { title, task: row, rubric, outputs })
    }
}

/// The progress of each rater, by name.
pub(super) fn raters(conn: &Connection, id: StudyId) -> Result<Vec<RaterProgress>, Failure> {
    let mut times: HashMap<UserId, Vec<i64>> = HashMap::new();
    for (rater, took) in studies::rating_times(conn, id)? {
        times.entry(rater).or_default().push(took);
    }
    // The median, because a lunch break is one long gap, not a slower pace.
    let mut median = |rater| {
        let mut times = times.remove(&rater)?;
        times.sort_unstable();
        times.get(times.len() / 2).copied()
    };
    let rows = studies::raters(conn, id)?.into_iter();
    Ok(rows.map(|row| RaterProgress { median_ms: median(row.id), ..row }).collect())
}

/// A page of the tasks with their scores, in the dataset's order.
fn tasks(conn: &Connection, id: StudyId, of: &PageOf) -> Result<Paged<TaskScores>, Failure> {
    let setup = studies::setup(conn, id)?.ok_or_else(|| Failure::not_found("study"))?;
    let models = studies::models(conn, id)?;
    let dimensions = setup.rubric.dimensions.len();
    let page = studies::tasks_page(conn, id, of)?;
    let revisions: Vec<TaskRevisionId> = page.rows.iter().map(|task| task.revision).collect();
    let mut scored: HashMap<TaskRevisionId, Vec<Scored>> = HashMap::new();
    for one in studies::scored(conn, id, &revisions)? {
        // A rating without all its scores would shift the positions of the rest; the schema allows none.
        if one.scores.len() == dimensions {
            scored.entry(one.task).or_default().push(one);
        }
    }
    Ok(page.map(|task| {
        let own = scored.remove(&task.revision).unwrap_or_default();
        task_scores(task, &models, dimensions, &own)
    }))
}

/// A page of the tasks, those with the largest spread first. Spreads are not stored, so every page reads the whole study.
fn tasks_by_spread(conn: &Connection, id: StudyId, of: PageOf) -> Result<Paged<TaskScores>, Failure> {
    let which = Which { sort: String::new(), ..of.which.clone() };
    let mut every = PageOf { which, ..PageOf::first(PageOf::MOST) };
    let mut rows = Vec::new();
    loop {
        let page = tasks(conn, id, &every)?;
        rows.extend(page.rows);
        every.after = page.next;
        if every.after.is_none() {
            break;
        }
    }
    // A stable sort keeps the dataset's order among equals.
    rows.sort_by_key(|row| Reverse(row.spread));
    Ok(Paged::of_all(rows, &of))
}

/// A task's mean scores by model, and the largest spread of its outputs.
fn task_scores(task: TaskRow, models: &[(ModelId, String)], dimensions: usize, scored: &[Scored]) -> TaskScores {
    let mean = |of: &[&Scored], d: usize| {
        let scores = of.iter().filter_map(|one| one.scores.get(d)).map(|score| f64::from(*score)).collect::<Cell>();
        bootstrap::mean(&[scores])
    };
    let models = models.iter().map(|(model, _)| {
        let of: Vec<&Scored> = scored.iter().filter(|one| one.model == *model).collect();
        TaskModelScores { means: (0..dimensions).map(|d| mean(&of, d)).collect(), ratings: of.len() as u64 }
    });
    let mut ranges = Ranges::default();
    let spread = scored.iter().map(|one| ranges.add(one.output, &one.scores)).max().flatten();
    TaskScores { models: models.collect(), spread, task }
}
