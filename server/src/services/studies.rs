//! Studies, for admins: creating, watching, comparing models.

use std::collections::HashMap;

use app::{
    error::AppError,
    model::{
        audit::{Action, Object},
        dataset::TaskRow,
        ids::{ModelId, OutputId, StudyId, TaskId},
        page::{PageOf, Paged},
        ratings::{OutputRatings, TaskModelScores, TaskRatings, TaskScores},
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
    services::{plans, steps},
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
            Ok(Change::of(Object::Study(id), reason, ()))
        };
        Ok(self.db.write_audited(admin, Action::StudyReopen, reopen).await?)
    }

    async fn tasks(&self, _: &Admin, id: StudyId, of: PageOf) -> Answer<Paged<TaskScores>> {
        let read = move |conn: &Connection| {
            let setup = studies::setup(conn, id)?.ok_or_else(|| Failure::not_found("study"))?;
            let models = studies::models(conn, id)?;
            let dimensions = setup.rubric.dimensions.len();
            let page = studies::tasks_page(conn, id, &of)?;
            let scored = page
                .rows
                .iter()
                .map(|task| studies::scored(conn, id, task.revision, dimensions))
                .collect::<Result<Vec<_>, _>>()?;
            Ok((page, models, dimensions, scored))
        };
        let (page, models, dimensions, scored) = self.db.read_long(read).await?;
        let mut scored = scored.into_iter();
        Ok(page.map(|task| task_scores(task, &models, dimensions, &scored.next().unwrap_or_default())))
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
    let mut ranges: HashMap<(OutputId, usize), (u8, u8)> = HashMap::new();
    for one in scored {
        for (d, score) in one.scores.iter().enumerate() {
            let range = ranges.entry((one.output, d)).or_insert((*score, *score));
            *range = (range.0.min(*score), range.1.max(*score));
        }
    }
    TaskScores {
        models: models.collect(),
        spread: ranges.values().map(|(low, high)| high - low).max().unwrap_or(0),
        task,
    }
}
