//! Comparisons of a dataset's models: choosing, figures, the tasks behind them.
//!
//! Figures are computed once for what they rest on: the choice, and a stamp that changes with every
//! rating and verdict. While newer ones are computed, the page shows the last, and says so.

pub mod export;
pub mod pictures;

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::{Duration, Instant},
};

use app::{
    error::AppError,
    model::{
        compare::{Choice, Compared, Options, OutputCompared, Sheet, TaskCompared, TaskFilter, TaskPage},
        comparison::{Comparison, OutputRatings},
        ids::{ModelId, StudyId, TaskId},
    },
    port::{Answer, Caller, Comparisons},
};
use async_trait::async_trait;
use sha2::{Digest, Sha256};

use crate::{
    clock,
    db::{Db, results, studies},
    error::Failure,
    layout,
    report::{ground::Ground, sheet, tasks},
    services::spool::Spool,
};

/// What takes longer than this is shown as it last was while it is computed anew.
const PATIENCE: Duration = Duration::from_millis(60);
/// A choice of more ratings and verdicts than this is computed while its page waits for it in the browser.
const PROMPT: u64 = 5_000;
/// Large computations kept in memory, those used last: a person looks at one or two at a time, and the largest takes
/// 30 MB.
const KEPT_LARGE: usize = 6;
/// Small ones (of at most [`PROMPT`] ratings and verdicts, so of at most about 1 MB): every public page of a closed
/// study that people look at.
const KEPT_SMALL: usize = 64;
/// Raised when a sheet holds something else than before: those kept are computed anew then.
const GENERATION: u32 = 2;
/// Runs of one model that are offered.
const LISTED: usize = 5;

/// The service; see the module.
pub struct ComparisonService {
    db: Db,
    spool: Spool,
    held: Arc<Mutex<Held>>,
}

/// What was computed, the one used last at the end.
#[derive(Default)]
struct Held {
    by_choice: Vec<Arc<Computed>>,
    /// Choices that are computed in the background.
    busy: HashSet<Choice>,
    /// A lock for each choice that is being computed: whoever wants the same waits for it.
    flights: HashMap<Choice, Weak<tokio::sync::Mutex<()>>>,
    /// How many computations there were.
    computations: u64,
}

/// One computation.
pub struct Computed {
    /// What it rests on.
    pub ground: Ground,
    /// Its figures.
    pub sheet: Sheet,
    /// Its tasks.
    lines: tasks::Lines,
    /// The ground's stamp.
    pub stamp: String,
    /// How long reading and computing took.
    took: Duration,
    /// When the ground was read, or soon before.
    begun: Instant,
}

impl Computed {
    fn is_large(&self) -> bool {
        let verdicts: usize = self.ground.runs.iter().map(|run| run.verdicts.len()).sum();
        (self.ground.ratings.len() + verdicts) as u64 > PROMPT
    }
}

/// A choice with nothing left to a default, and what it is of.
#[derive(Clone)]
pub struct Settled {
    /// What there is.
    pub options: Options,
    /// What is chosen of it.
    pub choice: Choice,
    /// The stamp now.
    pub stamp: String,
    /// Whether studies, and whether runs, were left to a default: then one that nothing has come of yet may count
    /// as soon as something has.
    open_ended: (bool, bool),
}

impl Settled {
    /// About how many ratings and verdicts are to be read.
    fn rows(&self) -> u64 {
        let ratings =
            self.options.studies.iter().filter(|s| self.choice.studies.iter().flatten().any(|id| *id == s.id));
        let verdicts = self.options.runs.iter().filter(|r| self.choice.runs.iter().flatten().any(|id| *id == r.id));
        ratings.map(|s| s.ratings).sum::<u64>() + verdicts.map(|r| u64::from(r.done)).sum::<u64>()
    }

    fn live(&self) -> bool {
        let (any_study, any_run) = self.open_ended;
        let mut studies = self.options.studies.iter().filter(|s| s.open);
        let mut runs = self.options.runs.iter().filter(|r| r.open);
        studies.any(|s| any_study || self.choice.studies.iter().flatten().any(|c| *c == s.id))
            || runs.any(|r| any_run || self.choice.runs.iter().flatten().any(|c| *c == r.id))
    }
}

impl ComparisonService {
    /// A service over `db` whose downloads go through `spool`.
    pub fn new(db: Db, spool: Spool) -> Self {
        ComparisonService { db, spool, held: Arc::default() }
    }

    /// What the choice comes to, with its stamp.
    pub async fn settled(&self, caller: &Caller, choice: Choice) -> Result<Settled, Failure> {
        caller.admin()?;
        self.db
            .read(move |conn| {
                let options = results::options(conn, &choice.dataset)?.ok_or_else(|| Failure::not_found("dataset"))?;
                let open_ended = (choice.studies.is_none(), choice.runs.is_none());
                let choice = settle(&options, choice)?;
                let stamp = results::stamp(conn, &choice)?;
                Ok(Settled { options, choice, stamp, open_ended })
            })
            .await
    }

    /// A study's own models by its own raters; with tests, where they are asked for, by each model's newest run.
    pub async fn study_choice(&self, caller: &Caller, id: StudyId, tests: bool) -> Result<Choice, Failure> {
        caller.admin()?;
        self.db
            .read(move |conn| {
                let row = studies::get(conn, id)?.ok_or_else(|| Failure::not_found("study"))?;
                let models = studies::models(conn, id)?.into_iter().map(|(model, _)| model).collect();
                let (studies, runs) = (Some(vec![id]), (!tests).then(Vec::new));
                Ok(Choice { dataset: row.dataset, models: Some(models), studies, runs, ..Choice::default() })
            })
            .await
    }

    /// A study's comparison by the ratings so far, however long it takes.
    pub async fn by_raters(&self, caller: &Caller, id: StudyId) -> Result<Comparison, Failure> {
        let choice = self.study_choice(caller, id, false).await?;
        let settled = self.settled(caller, choice).await?;
        let computed = self.computed(&settled).await?;
        let human = computed.sheet.human.as_ref().map(|human| human.comparison.clone());
        human.or_else(|| sheet::unrated(&computed.ground)).ok_or_else(|| Failure::not_found("rubric of the study"))
    }

    /// The figures, at least as new as `settled` was asked for.
    pub async fn computed(&self, settled: &Settled) -> Result<Arc<Computed>, Failure> {
        let asked = Instant::now();
        let known = lock(&self.held).get(&settled.choice);
        if let Some(known) = known.filter(|known| known.stamp == settled.stamp) {
            return Ok(known);
        }
        let flight = lock(&self.held).flight(&settled.choice);
        let _flight = flight.lock().await;
        // Computed by somebody else meanwhile, from what there was when this caller asked, or from something newer.
        let known = lock(&self.held).get(&settled.choice);
        if let Some(known) = known.filter(|known| known.stamp == settled.stamp || known.begun >= asked) {
            return Ok(known);
        }
        self.compute(settled.choice.clone(), settled.options.name.clone()).await
    }

    /// How many times figures were computed; tests hold it.
    pub fn computations(&self) -> u64 {
        lock(&self.held).computations
    }

    /// The figures, and whether they are behind what is there: those that take long are computed while
    /// the last ones are shown, or while the page says that there are none yet.
    async fn soon(&self, settled: &Settled) -> Result<(Option<Arc<Computed>>, bool), Failure> {
        let known = lock(&self.held).get(&settled.choice);
        let slow = match &known {
            Some(known) if known.stamp == settled.stamp => return Ok((Some(known.clone()), false)),
            Some(known) => known.took > PATIENCE,
            None => settled.rows() > PROMPT,
        };
        if !slow {
            return Ok((Some(self.computed(settled).await?), false));
        }
        if lock(&self.held).busy.insert(settled.choice.clone()) {
            let service = ComparisonService { db: self.db.clone(), spool: self.spool.clone(), held: self.held.clone() };
            let settled = settled.clone();
            tokio::spawn(async move {
                let done = service.computed(&settled).await;
                lock(&service.held).busy.remove(&settled.choice);
                // Logged by turning it into what a person would see.
                let _: Result<(), AppError> = done.map(|_| ()).map_err(AppError::from);
            });
        }
        Ok((known, true))
    }

    async fn compute(&self, choice: Choice, name: app::model::lang::Bilingual) -> Result<Arc<Computed>, Failure> {
        let begun = Instant::now();
        lock(&self.held).computations += 1;
        let (ground, stamp, kept) = self
            .db
            .read(move |conn| {
                // In one snapshot: the stamp is that of the ground.
                let stamp = results::stamp(conn, &choice)?;
                let ground = results::ground(conn, name, &choice)?;
                let kept = results::kept(conn, &key(&ground, &stamp)?)?;
                Ok((ground, stamp, kept))
            })
            .await?;
        // Figures that this program cannot read are none.
        let kept = kept.and_then(|json| serde_json::from_slice::<Sheet>(&json).ok());
        let known = kept.is_some();
        // Tens of millions of random draws for a large study: off the async threads.
        let task = tokio::task::spawn_blocking(move || {
            let sheet = kept.unwrap_or_else(|| sheet::compute(&ground));
            let lines = tasks::Lines::of(&ground);
            Arc::new(Computed { ground, sheet, lines, stamp, took: begun.elapsed(), begun })
        });
        let computed = task.await.map_err(Failure::internal)?;
        if !known && computed.took > PATIENCE {
            let (key, choice) = (key(&computed.ground, &computed.stamp)?, digest(&computed.ground.choice)?);
            let json = serde_json::to_vec(&computed.sheet)?;
            self.db.write(move |tx| results::keep(tx, &key, &choice, &json, clock::now().0)).await?;
        }
        lock(&self.held).put(computed.clone());
        Ok(computed)
    }
}

impl Held {
    fn get(&mut self, choice: &Choice) -> Option<Arc<Computed>> {
        let at = self.by_choice.iter().position(|known| known.ground.choice == *choice)?;
        let used = self.by_choice.remove(at);
        self.by_choice.push(used.clone());
        Some(used)
    }

    fn put(&mut self, computed: Arc<Computed>) {
        self.by_choice.retain(|known| known.ground.choice != computed.ground.choice);
        let (large, most) = (computed.is_large(), if computed.is_large() { KEPT_LARGE } else { KEPT_SMALL });
        self.by_choice.push(computed);
        if self.by_choice.iter().filter(|known| known.is_large() == large).count() > most
            && let Some(oldest) = self.by_choice.iter().position(|known| known.is_large() == large)
        {
            self.by_choice.remove(oldest);
        }
    }

    fn flight(&mut self, choice: &Choice) -> Arc<tokio::sync::Mutex<()>> {
        if let Some(flight) = self.flights.get(choice).and_then(Weak::upgrade) {
            return flight;
        }
        self.flights.retain(|_, flight| flight.strong_count() > 0);
        let flight = Arc::default();
        self.flights.insert(choice.clone(), Arc::downgrade(&flight));
        flight
    }
}

fn lock(held: &Mutex<Held>) -> MutexGuard<'_, Held> {
    // Whoever panicked while holding it left a list that is whole.
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

fn digest(choice: &Choice) -> Result<String, Failure> {
    Ok(hex::encode(Sha256::digest(serde_json::to_vec(choice)?)))
}

/// Everything that the figures depend on: names are shown, so they count too.
fn key(ground: &Ground, stamp: &str) -> Result<String, Failure> {
    let mut all = Sha256::new();
    all.update(format!("{} {GENERATION} ", env!("CARGO_PKG_VERSION")));
    all.update(serde_json::to_vec(&(&ground.choice, &ground.models, &ground.rubric, ground.seed))?);
    all.update(stamp);
    Ok(hex::encode(all.finalize()))
}

/// Of many runs only each model's newest, and those chosen: nobody reads a list of a thousand.
fn listed(mut options: Options, choice: &Choice) -> Options {
    let mut seen: HashMap<ModelId, usize> = HashMap::new();
    options.runs.retain(|run| {
        let count = seen.entry(run.model).or_default();
        *count += 1;
        *count <= LISTED || choice.runs.iter().flatten().any(|id| *id == run.id)
    });
    options
}

/// Puts what there is where the choice says nothing, and refuses what does not go together.
fn settle(options: &Options, choice: Choice) -> Result<Choice, Failure> {
    let study = |id| options.studies.iter().find(|study| study.id == id);
    let studies = match choice.studies {
        Some(ids) => ids,
        None => {
            // Those of the rubric that was used last.
            let rated = || options.studies.iter().filter(|study| study.ratings > 0);
            let rubric = rated().next().or(options.studies.first()).map(|study| &study.rubric);
            let mut ids: Vec<_> = rated().filter(|study| Some(&study.rubric) == rubric).map(|study| study.id).collect();
            ids.sort_unstable();
            ids
        }
    };
    let mut rubrics = Vec::new();
    for id in &studies {
        let study = study(*id).ok_or_else(|| Failure::not_found("study of this dataset"))?;
        if !rubrics.contains(&&study.rubric) {
            rubrics.push(&study.rubric);
        }
    }
    if let [first, second, ..] = rubrics[..] {
        return Err(Failure::invalid(
            "studies",
            (
                format!("the studies use different rubrics: {first} and {second}"),
                format!("所选项目使用不同的评分标准：{first} 和 {second}"),
            ),
            ("Choose studies with the same rubric", "请选择使用同一评分标准的项目"),
        ));
    }
    let known: HashMap<ModelId, &str> = options.models.iter().map(|(id, name)| (*id, name.as_str())).collect();
    let models = choice.models.unwrap_or_else(|| options.models.iter().map(|(id, _)| *id).collect());
    if let Some(unknown) = models.iter().find(|id| !known.contains_key(id)) {
        return Err(Failure::not_found(&format!("model {unknown} in this dataset")));
    }
    let runs = match choice.runs {
        Some(ids) => ids,
        // Each model's newest that has come to something.
        None => models
            .iter()
            .filter_map(|model| {
                let own = || options.runs.iter().filter(|run| run.model == *model && run.done > 0);
                own().find(|run| !run.open).or(own().next()).map(|run| run.id)
            })
            .collect(),
    };
    let mut taken = HashMap::new();
    for id in &runs {
        let run = options.runs.iter().find(|run| run.id == *id);
        let run = run.ok_or_else(|| Failure::not_found("run of this dataset"))?;
        if let Some(other) = taken.insert(run.model, run.id) {
            let name = known.get(&run.model).copied().unwrap_or_default();
            return Err(Failure::invalid(
                "runs",
                (format!("runs {other} and {id} both belong to {name}"), format!("运行 {other} 和 {id} 都属于 {name}")),
                ("Choose one run per model", "每个模型只能选择一次运行"),
            ));
        }
    }
    Ok(Choice { models: Some(models), studies: Some(studies), runs: Some(runs), ..choice })
}

#[async_trait]
impl Comparisons for ComparisonService {
    async fn get(&self, caller: &Caller, choice: Choice) -> Answer<Compared> {
        let settled = self.settled(caller, choice).await?;
        let (computed, behind) = self.soon(&settled).await?;
        let live = settled.live();
        let options = listed(settled.options, &settled.choice);
        let Some(computed) = computed else {
            let names = options.models.iter().filter(|(id, _)| settled.choice.models.iter().flatten().any(|m| m == id));
            let sheet = Sheet { models: names.map(|(_, name)| name.clone()).collect(), ..Sheet::default() };
            let (raters, stamp) = (Vec::new(), String::new());
            return Ok(Compared {
                options,
                choice: settled.choice,
                sheet,
                raters,
                stamp,
                behind,
                counting: true,
                live,
            });
        };
        Ok(Compared {
            live,
            options,
            choice: settled.choice,
            sheet: computed.sheet.clone(),
            raters: computed.ground.raters.iter().map(|(_, name)| name.clone()).collect(),
            stamp: computed.stamp.clone(),
            behind,
            counting: false,
        })
    }

    async fn of_study(&self, caller: &Caller, id: StudyId) -> Answer<Compared> {
        let choice = self.study_choice(caller, id, false).await?;
        self.get(caller, choice).await
    }

    async fn stamp(&self, caller: &Caller, choice: Choice) -> Answer<String> {
        let settled = self.settled(caller, choice).await?;
        let (computed, _) = self.soon(&settled).await?;
        Ok(computed.map(|computed| computed.stamp.clone()).unwrap_or_default())
    }

    async fn tasks(&self, caller: &Caller, choice: Choice, filter: TaskFilter) -> Answer<TaskPage> {
        let settled = self.settled(caller, choice).await?;
        let (computed, _) = self.soon(&settled).await?;
        Ok(computed.map(|computed| tasks::page(&computed.ground, &computed.lines, &filter)).unwrap_or_default())
    }

    async fn task(&self, caller: &Caller, choice: Choice, filter: TaskFilter, task: TaskId) -> Answer<TaskCompared> {
        let settled = self.settled(caller, choice).await?;
        let computed = match self.soon(&settled).await? {
            (Some(computed), _) => computed,
            // Nothing can be shown without the task's place: this one page waits.
            (None, _) => self.computed(&settled).await?,
        };
        let ground = &computed.ground;
        let row = ground.tasks.iter().find(|row| row.id == task).cloned();
        let row = row.ok_or_else(|| Failure::not_found("task in this choice"))?;
        let (before, after) = tasks::neighbours(ground, &computed.lines, &filter, task);
        let revisions: Vec<_> = ground.tasks.iter().filter(|row| row.id == task).map(|row| row.revision).collect();
        let choice = settled.choice;
        let outputs = self
            .db
            .read(move |conn| {
                let outputs = results::task_outputs(conn, &choice, &revisions)?;
                let each = outputs.into_iter().map(|output| {
                    let mut ratings = Vec::new();
                    for study in choice.studies.iter().flatten() {
                        ratings.extend(studies::output_ratings(conn, *study, output.id)?);
                    }
                    let mut verdict = None;
                    for run in choice.runs.iter().flatten() {
                        let found = results::verdict(conn, *run, output.id)?;
                        verdict = verdict.or(found.map(|(v, passed, total)| (*run, v, passed, total)));
                    }
                    Ok((output, ratings, verdict))
                });
                each.collect::<Result<Vec<_>, Failure>>()
            })
            .await?;
        let names = &ground.models;
        let shown = outputs.into_iter().map(async |(output, ratings, verdict)| OutputCompared {
            id: output.id,
            verdict,
            rated: OutputRatings {
                model: names.get(output.model).map(|(_, name)| name.clone()).unwrap_or_default(),
                sample: output.sample,
                code: layout::view(output.code, output.said).await,
                ratings,
            },
        });
        let outputs = futures::future::join_all(shown).await;
        Ok(TaskCompared { name: ground.name.clone(), task: row, rubric: ground.rubric.clone(), outputs, before, after })
    }
}
