//! Studies, for admins: setting one up, watching it, comparing its models.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use app::{
    error::AppError,
    model::{
        comparison::{Comparison, Difference, DimensionScores, ModelScores, OutputRatings, TaskRatings, TaskScores},
        ids::{ModelId, OutputId, StudyId, SubmissionId, TaskId, TaskRevisionId, UserId},
        rubric::Rubric,
        study::{NewStudy, StudyDetail, StudyRow, StudyStatus},
    },
    port::{Answer, Caller, Studies},
};
use async_trait::async_trait;
use rand::{Rng, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;
use rusqlite::Connection;

use crate::{
    db::{
        Db, audit,
        studies::{self, Plan, Scored},
    },
    error::Failure,
    layout, report,
    services::handing,
    stats::{
        agreement::agreement,
        bootstrap::{self, Cell},
    },
};

/// Resamples behind every interval: its ends are then steady to about a twentieth of its width.
const RESAMPLES: u32 = 2000;
/// The longest title.
const TITLE_MAX: usize = 120;

/// The service; see the module.
pub struct StudyService {
    db: Db,
}

impl StudyService {
    /// A service over `db`.
    pub fn new(db: Db) -> Self {
        StudyService { db }
    }

    /// Every rating of the study as CSV, superseded ones included and marked.
    pub async fn ratings_csv(&self, caller: &Caller, id: StudyId) -> Answer<Vec<u8>> {
        caller.admin()?;
        Ok(self
            .db
            .read(move |conn| {
                let setup = studies::setup(conn, id)?.ok_or_else(|| Failure::not_found("study"))?;
                let mut table = report::csv::Ratings::new(&setup.rubric)?;
                studies::each_rating(conn, id, |line| table.push(line))?;
                table.finish()
            })
            .await?)
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
                let plan = plan(tx, &new)?;
                let id = studies::insert(tx, &plan, caller.id())?;
                audit::note(tx, &caller, "study create", &format!("{id}: {}", plan.title))?;
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
                    return Err(Failure::conflict("A closed study stays closed; make a new one."));
                }
                if status == StudyStatus::Draft && row.status != StudyStatus::Draft {
                    return Err(Failure::conflict("A study that has begun is no draft again; pause it, or clone it."));
                }
                studies::set_status(tx, id, status)?;
                audit::note(tx, &caller, "study status", &format!("{id}: {status}"))
            })
            .await?)
    }

    async fn comparison(&self, caller: &Caller, id: StudyId) -> Answer<Comparison> {
        caller.admin()?;
        let ground = self.loaded(id, |_, ground| Ok(ground)).await?;
        // Tens of millions of random draws for a large study: off the async threads.
        tokio::task::spawn_blocking(move || compare(&ground)).await.map_err(|e| AppError::from(Failure::internal(e)))
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
        let outputs = outputs
            .into_iter()
            .map(|(ratings, output)| OutputRatings {
                model: output.model,
                sample: output.sample,
                code: layout::view(&output.code, &output.said),
                ratings,
            })
            .collect();
        Ok(TaskRatings { title, task: row, rubric, outputs })
    }
}

/// Checks what the admin asks for and turns it into rows.
fn plan(conn: &Connection, new: &NewStudy) -> Result<Plan, Failure> {
    let title = new.title.trim();
    if title.is_empty() || title.chars().count() > TITLE_MAX {
        return Err(Failure::invalid("title", "a title has 1 to 120 characters", "Name the study"));
    }
    let submissions: Vec<SubmissionId> = distinct(&new.submissions);
    let raters: Vec<UserId> = distinct(&new.raters);
    let mut ground: Option<studies::Candidate> = None;
    for id in &submissions {
        let one = studies::candidate(conn, *id)?.ok_or_else(|| Failure::not_found("submission"))?;
        if one.dataset != new.dataset {
            return Err(Failure::invalid(
                "submissions",
                format!("submission {id} answers the dataset {}, not {}", one.dataset, new.dataset),
                "Choose submissions of one dataset",
            ));
        }
        if ground.as_ref().is_some_and(|first| first.version != one.version) {
            return Err(Failure::invalid(
                "submissions",
                "the submissions answer different versions of the dataset",
                "Upload the older ones again for the newest version, or choose those of one version",
            ));
        }
        ground = Some(one);
    }
    let Some(ground) = ground else {
        return Err(Failure::invalid("submissions", "no submission is chosen", "Choose at least one"));
    };
    if raters.is_empty() {
        return Err(Failure::invalid("raters", "no rater is chosen", "Choose at least one"));
    }
    for rater in &raters {
        if !studies::can_rate(conn, *rater)? {
            return Err(Failure::not_found("rater"));
        }
    }
    if new.overlap < 1 || new.overlap as usize > raters.len() {
        return Err(Failure::invalid(
            "overlap",
            format!("each output cannot have {} different raters out of {}", new.overlap, raters.len()),
            format!("Choose 1 to {}", raters.len()),
        ));
    }
    let seed = new.seed.unwrap_or_else(|| rand::rng().random());
    let mut outputs = Vec::new();
    for id in &submissions {
        outputs.extend(studies::gradable(conn, *id)?);
    }
    let outputs = pilot(outputs, new.tasks, seed);
    if outputs.is_empty() {
        return Err(Failure::invalid("submissions", "they hold no output to grade", "Choose others"));
    }
    let places = outputs.iter().enumerate().flat_map(|(i, output)| {
        let raters = &raters;
        (0..new.overlap).map(move |slot| {
            let rater = raters.get((i * new.overlap as usize + slot as usize) % raters.len().max(1)).copied();
            let place = rater.map(|rater| i64::from_be_bytes(handing::letter_rank(seed, rater, *output)) >> 1);
            studies::Planned { output: *output, slot, rater, place }
        })
    });
    let places = places.collect();
    Ok(Plan {
        title: title.to_owned(),
        version: ground.version,
        rubric_id: ground.rubric_id,
        overlap: new.overlap,
        seed,
        submissions,
        raters,
        places,
    })
}

/// All outputs, or those of so many tasks drawn by the seed.
fn pilot(outputs: Vec<(OutputId, TaskRevisionId)>, tasks: Option<u32>, seed: u64) -> Vec<OutputId> {
    let mut all: Vec<TaskRevisionId> =
        outputs.iter().map(|(_, task)| *task).collect::<BTreeSet<_>>().into_iter().collect();
    if let Some(n) = tasks {
        all.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        all.truncate(n as usize);
    }
    let chosen: BTreeSet<_> = all.into_iter().collect();
    outputs.into_iter().filter(|(_, task)| chosen.contains(task)).map(|(output, _)| output).collect()
}

fn distinct<T: Copy + Ord>(given: &[T]) -> Vec<T> {
    let mut seen = BTreeSet::new();
    given.iter().copied().filter(|id| seen.insert(*id)).collect()
}

/// Every figure of the comparison (docs/statistics.md).
fn compare(ground: &Ground) -> Comparison {
    let (rubric, seed) = (&ground.setup.rubric, ground.setup.seed);
    let cells: Vec<Vec<Vec<Cell>>> =
        (0..ground.models.len()).map(|m| (0..rubric.dimensions.len()).map(|d| cells(ground, m, d)).collect()).collect();
    // Each interval draws from a stream of its own, so that one more model changes no other figure.
    let stream = |a: usize, b: usize, d: usize| seed ^ (((a as u64) << 48) | ((b as u64) << 32) | (d as u64 + 1));
    let models = ground.models.iter().enumerate().map(|(m, (id, name))| {
        let own = || ground.scored.iter().filter(|s| s.model == *id);
        let dimensions = rubric.dimensions.iter().enumerate().map(|(d, dimension)| {
            let (low, high) = dimension.range();
            DimensionScores {
                mean: bootstrap::mean(&cells[m][d]),
                interval: bootstrap::mean_interval(&cells[m][d], RESAMPLES, stream(m, m, d)),
                distribution: (low..=high).map(|score| own().filter(|s| s.scores[d] == score).count() as u64).collect(),
            }
        });
        ModelScores {
            model: name.clone(),
            ratings: own().count() as u64,
            tasks: own().map(|s| s.task).collect::<BTreeSet<_>>().len() as u64,
            dimensions: dimensions.collect(),
        }
    });
    let pairs = (0..ground.models.len()).flat_map(|a| (a + 1..ground.models.len()).map(move |b| (a, b)));
    let differences = pairs.flat_map(|(a, b)| (0..rubric.dimensions.len()).map(move |d| (a, b, d))).map(|(a, b, d)| {
        let (mean, tasks) = bootstrap::difference(&cells[a][d], &cells[b][d]);
        let interval = bootstrap::difference_interval(&cells[a][d], &cells[b][d], RESAMPLES, stream(a, b, d));
        Difference { dimension: d, first: a, second: b, tasks, mean, interval }
    });
    Comparison {
        models: models.collect(),
        differences: differences.collect(),
        agreement: agreements(&ground.scored, rubric),
        rubric: rubric.clone(),
        resamples: RESAMPLES,
        seed: seed.to_string(),
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

fn agreements(scored: &[Scored], rubric: &Rubric) -> Vec<app::model::comparison::Agreement> {
    let place = |d: usize| {
        let mut units: BTreeMap<OutputId, Vec<u8>> = BTreeMap::new();
        for one in scored {
            units.entry(one.output).or_default().push(one.scores[d]);
        }
        units.into_values().collect::<Vec<_>>()
    };
    let each = rubric.dimensions.iter().enumerate().map(|(d, dimension)| {
        let (low, high) = dimension.range();
        agreement(&place(d), low, high)
    });
    each.collect()
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
