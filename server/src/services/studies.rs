//! Studies, for admins: creating, watching, comparing models.

use std::collections::HashMap;

use app::{
    error::AppError,
    model::{
        audit::{Action, Object},
        comparison::{OutputRatings, TaskRatings, TaskScores},
        ids::{ModelId, OutputId, StudyId, TaskId, TaskRevisionId},
        page::{PageOf, Paged},
        study::{LONGEST_REASON, NewStudy, Overview, StudyDetail, StudyRow, StudyStatus},
    },
    port::{Admin, Answer, Studies},
};
use async_trait::async_trait;
use rusqlite::{Connection, Transaction};

use crate::{
    db::{
        Db,
        audit::{self, Change},
        plan,
        studies::{self, Scored},
    },
    error::Failure,
    layout,
    services::plans,
    stats::bootstrap::{self, Cell},
};

pub struct StudyService {
    db: Db,
}

impl StudyService {
    /// A service over `db`.
    pub fn new(db: Db) -> Self {
        StudyService { db }
    }

    async fn loaded<T: Send + 'static>(
        &self,
        id: StudyId,
        with: impl FnOnce(&Connection, StudyRatings) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        self.db
            .read_long(move |conn| {
                let setup = studies::setup(conn, id)?.ok_or_else(|| Failure::not_found("study"))?;
                let study = StudyRatings {
                    models: studies::models(conn, id)?,
                    tasks: studies::tasks(conn, id)?,
                    scored: studies::scored(conn, id, setup.rubric.dimensions.len())?,
                    setup,
                };
                with(conn, study)
            })
            .await
    }
}

/// A study's ratings.
struct StudyRatings {
    setup: studies::Setup,
    models: Vec<(ModelId, String)>,
    tasks: Vec<app::model::dataset::TaskRow>,
    scored: Vec<Scored>,
}

#[async_trait]
impl Studies for StudyService {
    async fn list(&self, _: &Admin, of: PageOf) -> Answer<Paged<StudyRow>> {
        Ok(self.db.read(move |conn| studies::list(conn, &of)).await?)
    }

    async fn overview(&self, _: &Admin) -> Answer<Overview> {
        Ok(self.db.read_long(studies::overview).await?)
    }

    async fn get(&self, _: &Admin, id: StudyId) -> Answer<StudyDetail> {
        Ok(self
            .db
            .read(move |conn| {
                let row = studies::get(conn, id)?.ok_or_else(|| Failure::not_found("study"))?;
                let setup = studies::setup(conn, id)?.ok_or_else(|| Failure::not_found("study"))?;
                Ok(StudyDetail {
                    row,
                    overlap: setup.overlap,
                    seed: setup.seed.to_string(),
                    rubric: setup.rubric.name(),
                    raters: studies::raters(conn, id)?,
                    flags: studies::flags(conn, id)?,
                })
            })
            .await?)
    }

    async fn create(&self, admin: &Admin, new: NewStudy) -> Answer<StudyId> {
        let title = new.title.trim().to_owned();
        let entry = |id| (Object::Study(id), title);
        let create = plans::create(self.db.clone(), admin.clone(), (new, None), (Action::StudyCreate, entry));
        // In a task of its own: a browser that hangs up leaves nothing half done.
        Ok(audit::spawn(create).await.map_err(Failure::internal)??)
    }

    async fn set_status(&self, admin: &Admin, id: StudyId, status: StudyStatus) -> Answer<()> {
        Ok(self
            .db
            .write_audited(admin, Action::StudySetStatus, move |tx| {
                let row = studies::get(tx, id)?.ok_or_else(|| Failure::not_found("study"))?;
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
                Ok(Change::of(Object::Study(id), status.to_string(), ()))
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
        let reopen = move |tx: &Transaction<'_>| {
            let row = studies::get(tx, id)?.ok_or_else(|| Failure::not_found("study"))?;
            if row.status != StudyStatus::Closed {
                return Err(Failure::conflict((
                    "The study is not closed, so it cannot be reopened.",
                    "项目尚未结束，无需重新开启。",
                )));
            }
            studies::set_status(tx, id, StudyStatus::Running)?;
            Ok(Change::of(Object::Study(id), reason, ()))
        };
        Ok(self.db.write_audited(admin, Action::StudyReopen, reopen).await?)
    }

    async fn tasks(&self, _: &Admin, id: StudyId) -> Answer<Vec<TaskScores>> {
        Ok(self.loaded(id, |_, study| Ok(task_scores(study))).await?)
    }

    async fn task(&self, _: &Admin, id: StudyId, task: TaskId) -> Answer<TaskRatings> {
        let (title, row, rubric, outputs) = self
            .db
            .read(move |conn| {
                let study = studies::get(conn, id)?.ok_or_else(|| Failure::not_found("study"))?;
                let setup = studies::setup(conn, id)?.ok_or_else(|| Failure::not_found("study"))?;
                let row = studies::tasks(conn, id)?
                    .into_iter()
                    .find(|row| row.id == task)
                    .ok_or_else(|| Failure::not_found("task"))?;
                let outputs = studies::task_outputs(conn, id, row.revision)?
                    .into_iter()
                    .map(|output| Ok((studies::output_ratings(conn, id, output.id)?, output)))
                    .collect::<Result<Vec<_>, Failure>>()?;
                Ok((study.title, row, setup.rubric, outputs))
            })
            .await?;
        let shown = outputs.into_iter().map(async |(ratings, output)| OutputRatings {
            model: output.model,
            sample: output.sample,
            code: layout::view(output.code, output.surrounding_text, row.code_lang).await,
            ratings,
        });
        let outputs = futures::future::join_all(shown).await;
        Ok(TaskRatings { title, task: row, rubric, outputs })
    }
}

/// One model's ratings on one dimension, a cell for each of the study's tasks.
fn cells(study: &StudyRatings, model: usize, dimension: usize) -> Vec<Cell> {
    let mut by_task: HashMap<TaskRevisionId, Cell> = HashMap::new();
    for scored in study.scored.iter().filter(|s| s.model == study.models[model].0) {
        by_task.entry(scored.task).or_default().push(f64::from(scored.scores[dimension]));
    }
    study.tasks.iter().map(|task| by_task.remove(&task.revision).unwrap_or_default()).collect()
}

fn task_scores(study: StudyRatings) -> Vec<TaskScores> {
    let dimensions = study.setup.rubric.dimensions.len();
    let cells: Vec<Vec<Vec<Cell>>> =
        (0..study.models.len()).map(|m| (0..dimensions).map(|d| cells(&study, m, d)).collect()).collect();
    let mut ranges: HashMap<(OutputId, usize), (u8, u8)> = HashMap::new();
    let mut spread: HashMap<TaskRevisionId, u8> = HashMap::new();
    for one in &study.scored {
        for (d, score) in one.scores.iter().enumerate() {
            let range = ranges.entry((one.output, d)).or_insert((*score, *score));
            *range = (range.0.min(*score), range.1.max(*score));
            let widest = spread.entry(one.task).or_default();
            *widest = (*widest).max(range.1 - range.0);
        }
    }
    let row = |(place, task): (usize, app::model::dataset::TaskRow)| TaskScores {
        models: cells
            .iter()
            .map(|dims| {
                let means = dims.iter().map(|tasks| bootstrap::mean(std::slice::from_ref(&tasks[place]))).collect();
                (means, dims.first().map_or(0, |tasks| tasks[place].len() as u64))
            })
            .collect(),
        spread: spread.get(&task.revision).copied().unwrap_or(0),
        task,
    };
    study.tasks.into_iter().enumerate().map(row).collect()
}
