//! Studies, for admins: setting one up, watching it, comparing its models.

use std::{collections::HashMap, sync::Arc};

use app::{
    model::{
        comparison::{Comparison, OutputRatings, TaskRatings, TaskScores},
        ids::{ModelId, OutputId, StudyId, TaskId, TaskRevisionId},
        study::{NewStudy, StudyDetail, StudyRow, StudyStatus},
    },
    port::{Answer, Caller, Studies},
};
use async_trait::async_trait;
use rusqlite::Connection;

use crate::{
    db::{
        Db, audit, plan,
        studies::{self, Scored},
    },
    error::Failure,
    layout, report,
    services::{comparisons::ComparisonService, plans, spool::Download},
    stats::bootstrap::{self, Cell},
};

/// The service; see the module.
pub struct StudyService {
    db: Db,
    comparisons: Arc<ComparisonService>,
}

impl StudyService {
    /// A service over `db` whose comparisons are those that `comparisons` computes.
    pub fn new(db: Db, comparisons: Arc<ComparisonService>) -> Self {
        StudyService { db, comparisons }
    }

    /// Every rating of the study as CSV, superseded ones included and marked.
    pub async fn ratings_csv(&self, caller: &Caller, id: StudyId) -> Answer<Download> {
        Ok(self.comparisons.study_ratings(caller, id).await?)
    }

    /// The models compared by the ratings so far: the same figures as on the comparison's page.
    pub async fn comparison(&self, caller: &Caller, id: StudyId) -> Answer<Comparison> {
        Ok(self.comparisons.by_raters(caller, id).await?)
    }

    /// The comparison's table as CSV.
    pub async fn comparison_csv(&self, caller: &Caller, id: StudyId) -> Answer<Vec<u8>> {
        let comparison = self.comparison(caller, id).await?;
        Ok(report::csv::comparison(&comparison)?)
    }

    async fn loaded<T: Send + 'static>(
        &self,
        id: StudyId,
        with: impl FnOnce(&Connection, Ground) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        self.db
            .read(move |conn| {
                let setup = studies::setup(conn, id)?.ok_or_else(|| Failure::not_found("study"))?;
                let ground = Ground {
                    models: studies::models(conn, id)?,
                    tasks: studies::tasks(conn, id)?,
                    scored: studies::scored(conn, id, setup.rubric.dimensions.len())?,
                    setup,
                };
                with(conn, ground)
            })
            .await
    }
}

/// What figures are computed from.
struct Ground {
    setup: studies::Setup,
    models: Vec<(ModelId, String)>,
    tasks: Vec<app::model::dataset::TaskRow>,
    scored: Vec<Scored>,
}

#[async_trait]
impl Studies for StudyService {
    async fn list(&self, caller: &Caller) -> Answer<Vec<StudyRow>> {
        caller.admin()?;
        Ok(self.db.read(studies::list).await?)
    }

    async fn get(&self, caller: &Caller, id: StudyId) -> Answer<StudyDetail> {
        caller.admin()?;
        Ok(self
            .db
            .read(move |conn| {
                let row = studies::get(conn, id)?.ok_or_else(|| Failure::not_found("study"))?;
                let setup = studies::setup(conn, id)?.ok_or_else(|| Failure::not_found("study"))?;
                Ok(StudyDetail {
                    row,
                    overlap: setup.overlap,
                    seed: setup.seed.to_string(),
                    rubric: format!("{} {}", setup.rubric.slug, setup.rubric.version),
                    raters: studies::raters(conn, id)?,
                    flags: studies::flags(conn, id)?,
                })
            })
            .await?)
    }

    async fn create(&self, caller: &Caller, new: NewStudy) -> Answer<StudyId> {
        caller.admin()?;
        let caller = caller.clone();
        Ok(self
            .db
            .write(move |tx| {
                let id = plans::make(tx, &new, caller.id())?;
                audit::note(tx, &caller, audit::Action::StudyCreate, &format!("{id}: {}", new.title.trim()))?;
                Ok(id)
            })
            .await?)
    }

    async fn set_status(&self, caller: &Caller, id: StudyId, status: StudyStatus) -> Answer<()> {
        caller.admin()?;
        let caller = caller.clone();
        Ok(self
            .db
            .write(move |tx| {
                let row = studies::get(tx, id)?.ok_or_else(|| Failure::not_found("study"))?;
                if row.status == StudyStatus::Closed && status != StudyStatus::Closed {
                    return Err(Failure::conflict((
                        "A closed study cannot be reopened. Duplicate it instead.",
                        "已结束的项目无法重新开启，请复制该项目。",
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
                audit::note(tx, &caller, audit::Action::StudySetStatus, &format!("{id}: {status}"))
            })
            .await?)
    }

    async fn tasks(&self, caller: &Caller, id: StudyId) -> Answer<Vec<TaskScores>> {
        caller.admin()?;
        Ok(self.loaded(id, |_, ground| Ok(task_scores(ground))).await?)
    }

    async fn task(&self, caller: &Caller, id: StudyId, task: TaskId) -> Answer<TaskRatings> {
        caller.admin()?;
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
            code: layout::view(output.code, output.said).await,
            ratings,
        });
        let outputs = futures::future::join_all(shown).await;
        Ok(TaskRatings { title, task: row, rubric, outputs })
    }
}

/// One model's ratings on one dimension, a cell for each of the study's tasks.
fn cells(ground: &Ground, model: usize, dimension: usize) -> Vec<Cell> {
    let mut by_task: HashMap<TaskRevisionId, Cell> = HashMap::new();
    for scored in ground.scored.iter().filter(|s| s.model == ground.models[model].0) {
        by_task.entry(scored.task).or_default().push(f64::from(scored.scores[dimension]));
    }
    ground.tasks.iter().map(|task| by_task.remove(&task.revision).unwrap_or_default()).collect()
}

fn task_scores(ground: Ground) -> Vec<TaskScores> {
    let dimensions = ground.setup.rubric.dimensions.len();
    let cells: Vec<Vec<Vec<Cell>>> =
        (0..ground.models.len()).map(|m| (0..dimensions).map(|d| cells(&ground, m, d)).collect()).collect();
    let mut ranges: HashMap<(OutputId, usize), (u8, u8)> = HashMap::new();
    let mut spread: HashMap<TaskRevisionId, u8> = HashMap::new();
    for one in &ground.scored {
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
    ground.tasks.into_iter().enumerate().map(row).collect()
}
