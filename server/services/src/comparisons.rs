//! Comparisons of a dataset's models: selection, figures, and the tasks behind them.
//!
//! Figures are computed once for a selection and a revision, which changes with every rating and verdict.
//! While newer ones are computed, the page shows the previous ones and says so.

pub mod export;
pub mod figure_files;
pub mod input;

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use model::{
    caller::Admin,
    comparison::{
        ComparedOutput, ComparedTask, ComparisonFigures, ComparisonView, Options, Selection, StudyComparison,
        TaskFilter, TaskPage,
    },
    error::{Answer, AppError},
    ids::{ModelId, OutputId, StudyId, TaskId},
    ratings::{Comparison, OutputRatings},
    slices::{SliceBy, Slices},
};
use port::Comparisons;
use sha2::{Digest, Sha256};

use crate::{spool::Spool, task_tests};
use base::{background, clock, error::Failure};
use comparison::input::ComparisonInput;
use db::{Db, comparisons, stored, studies};
use report::{
    comparison_figures,
    slices::{self, Sliced},
    tasks,
};

/// If figures take longer than this, the previous ones are shown while they are recomputed.
const PATIENCE: Duration = Duration::from_millis(60);
/// Above this number of ratings and verdicts, figures are computed while the browser waits with an open
/// page.
const PROMPT: u64 = 5_000;
/// Large computations that are cached, by last use: a person looks at one or two at a time, and the largest
/// takes 30 MB.
const KEPT_LARGE: usize = 6;
/// Small computations that are cached (at most [`PROMPT`] ratings and verdicts, about 1 MB each): enough for
/// every public page in use.
const KEPT_SMALL: usize = 64;
/// Increase when the figures' content or format changes, so that cached ones are recomputed.
const GENERATION: u32 = 3;
/// Maximum number of runs of one model to choose from.
const LISTED: usize = 5;

pub struct ComparisonService {
    db: Db,
    spool: Spool,
    cache: Arc<Mutex<ComparisonCache>>,
}

/// Cached computations, the last used at the end.
#[derive(Default)]
struct ComparisonCache {
    by_selection: Vec<Arc<Computed>>,
    /// Selections that are being computed in the background.
    busy: HashSet<Selection>,
    /// A lock for each selection that is being computed, on which further requests for it wait.
    flights: HashMap<Selection, Weak<tokio::sync::Mutex<()>>>,
    /// Number of computations so far.
    computations: u64,
}

/// One computation.
pub struct Computed {
    /// The key: selection and format.
    pub input: ComparisonInput,

    pub figures: ComparisonFigures,

    lines: tasks::Lines,
    /// Results by slices, in the order of [`SliceBy::ALL`], computed when they are first asked for.
    slices: [OnceLock<Sliced>; SliceBy::ALL.len()],
    /// Revision of the input.
    pub revision: String,
    /// Duration of reading and computing.
    took: Duration,
    /// Time at or shortly before which the input was read.
    begun: Instant,
}

impl Computed {
    /// What `read` reads of the results by slices of tasks. The first time, this takes as long as the figures without
    /// differences.
    pub fn sliced<T>(&self, by: SliceBy, read: impl FnOnce(&Sliced) -> T) -> T {
        let compute = || slices::compute(&self.input, by);
        match SliceBy::ALL.iter().position(|one| *one == by).and_then(|at| self.slices.get(at)) {
            Some(known) => read(known.get_or_init(compute)),
            None => read(&compute()),
        }
    }

    fn is_large(&self) -> bool {
        let verdicts: usize = self.input.runs.iter().map(|run| run.verdicts.len()).sum();
        (self.input.ratings.len() + verdicts) as u64 > PROMPT
    }
}

/// A fully resolved selection, with its dataset.
#[derive(Clone)]
pub struct ResolvedSelection {
    /// The options.
    pub options: Options,
    /// The selection.
    pub selection: Selection,
    /// The current revision.
    pub revision: String,
    /// Whether studies, and whether runs, were selected by default. If so, studies and runs without results
    /// join as soon as they have some.
    open_ended: (bool, bool),
}

impl ResolvedSelection {
    /// Another selection from the same options, with its revision ([`ComparisonService::revisions`]). It must be fully
    /// resolved.
    pub fn with(&self, selection: Selection, revision: String) -> ResolvedSelection {
        ResolvedSelection { options: self.options.clone(), selection, revision, open_ended: (false, false) }
    }

    /// Approximate number of ratings and verdicts to read.
    pub fn rows(&self) -> u64 {
        let ratings =
            self.options.studies.iter().filter(|s| self.selection.studies.iter().flatten().any(|id| *id == s.id));
        let verdicts = self.options.runs.iter().filter(|r| self.selection.runs.iter().flatten().any(|id| *id == r.id));
        ratings.map(|s| s.ratings).sum::<u64>() + verdicts.map(|r| u64::from(r.done)).sum::<u64>()
    }

    fn live(&self) -> bool {
        let (any_study, any_run) = self.open_ended;
        let mut studies = self.options.studies.iter().filter(|s| s.open);
        let mut runs = self.options.runs.iter().filter(|r| r.open);
        studies.any(|s| any_study || self.selection.studies.iter().flatten().any(|c| *c == s.id))
            || runs.any(|r| any_run || self.selection.runs.iter().flatten().any(|c| *c == r.id))
    }
}

impl ComparisonService {
    /// `spool` holds this service's downloads.
    pub fn new(db: Db, spool: Spool) -> Self {
        ComparisonService { db, spool, cache: Arc::default() }
    }

    /// Resolves a selection and looks up its revision.
    pub async fn resolve(&self, _: &Admin, selection: Selection) -> Result<ResolvedSelection, Failure> {
        self.db
            .read_long(move |conn| {
                let options =
                    comparisons::options(conn, &selection.dataset)?.ok_or_else(|| Failure::not_found("dataset"))?;
                let open_ended = (selection.studies.is_none(), selection.runs.is_none());
                let selection = settle(&options, selection)?;
                let revision = comparisons::revision(conn, &selection)?;
                Ok(ResolvedSelection { options, selection, revision, open_ended })
            })
            .await
    }

    /// The revision of each of these selections, which must be fully resolved.
    pub async fn revisions(&self, _: &Admin, selections: Vec<Selection>) -> Result<Vec<String>, Failure> {
        let all = move |conn: &rusqlite::Connection| {
            selections.iter().map(|selection| comparisons::revision(conn, selection)).collect()
        };
        self.db.read_long(all).await
    }

    /// A study's own models by its own raters; with `tests`, also each model's newest run.
    pub async fn study_selection(&self, _: &Admin, id: StudyId, tests: bool) -> Result<Selection, Failure> {
        self.db
            .read_long(move |conn| {
                let row = studies::get(conn, id)?.ok_or_else(|| Failure::not_found("study"))?;
                let models = studies::models(conn, id)?.into_iter().map(|(model, _)| model).collect();
                let (studies, runs) = (Some(vec![id]), (!tests).then(Vec::new));
                Ok(Selection { dataset: row.dataset, models: Some(models), studies, runs, ..Selection::default() })
            })
            .await
    }

    /// The means of people's ratings, however long they take; without ratings, of nothing.
    pub async fn by_people(&self, admin: &Admin, selection: Selection) -> Result<Comparison, Failure> {
        let resolved = self.resolve(admin, selection).await?;
        let computed = self.computed(&resolved).await?;
        let human = computed.figures.human.as_ref().map(|human| human.comparison.clone());
        human
            .or_else(|| comparison_figures::unrated(&computed.input))
            .ok_or_else(|| Failure::not_found("rubric of the comparison"))
    }

    /// The figures, at least as new as `resolved`.
    pub async fn computed(&self, resolved: &ResolvedSelection) -> Result<Arc<Computed>, Failure> {
        let asked = Instant::now();
        let known = lock(&self.cache).get(&resolved.selection);
        if let Some(known) = known.filter(|known| known.revision == resolved.revision) {
            return Ok(known);
        }
        let flight = lock(&self.cache).flight(&resolved.selection);
        let _flight = flight.lock().await;
        // Another request has computed it meanwhile, from the same or newer input.
        let known = lock(&self.cache).get(&resolved.selection);
        if let Some(known) = known.filter(|known| known.revision == resolved.revision || known.begun >= asked) {
            return Ok(known);
        }
        self.compute(resolved.selection.clone(), resolved.options.name.clone()).await
    }

    /// How many times figures were computed, for tests.
    pub fn computations(&self) -> u64 {
        lock(&self.cache).computations
    }

    /// The figures, and whether they are out of date. Slow ones are computed while the previous ones are
    /// shown, or while the page says that there are none yet.
    pub async fn latest(&self, resolved: &ResolvedSelection) -> Result<(Option<Arc<Computed>>, bool), Failure> {
        let known = lock(&self.cache).get(&resolved.selection);
        let slow = match &known {
            Some(known) if known.revision == resolved.revision => return Ok((Some(known.clone()), false)),
            Some(known) => known.took > PATIENCE,
            None => resolved.rows() > PROMPT,
        };
        if !slow {
            return Ok((Some(self.computed(resolved).await?), false));
        }
        if lock(&self.cache).busy.insert(resolved.selection.clone()) {
            let service =
                ComparisonService { db: self.db.clone(), spool: self.spool.clone(), cache: self.cache.clone() };
            let resolved = resolved.clone();
            tokio::spawn(async move {
                let done = service.computed(&resolved).await;
                lock(&service.cache).busy.remove(&resolved.selection);
                // The conversion logs the error.
                let _: Result<(), AppError> = done.map(|_| ()).map_err(AppError::from);
            });
        }
        Ok((known, true))
    }

    async fn compute(&self, selection: Selection, name: model::lang::Bilingual) -> Result<Arc<Computed>, Failure> {
        let begun = Instant::now();
        lock(&self.cache).computations += 1;
        let (input, revision, stored) = self
            .db
            .read_long(move |conn| {
                // In one snapshot, so that the revision is that of the input.
                let revision = comparisons::revision(conn, &selection)?;
                let input = input::read(conn, name, &selection)?;
                let stored = comparisons::cached_figures(conn, &key(&input, &revision)?)?;
                Ok((input, revision, stored))
            })
            .await?;
        let stored = stored.and_then(|json| stored::cached::<ComparisonFigures>(&json));
        let known = stored.is_some();
        // Tens of millions of random draws for a large study.
        let task = background::run(move || {
            let figures = stored.unwrap_or_else(|| comparison_figures::compute(&input));
            let lines = tasks::Lines::of(&input);
            let slices = [const { OnceLock::new() }; SliceBy::ALL.len()];
            Arc::new(Computed { input, figures, lines, slices, revision, took: begun.elapsed(), begun })
        });
        let computed = task.await?;
        if !known && computed.took > PATIENCE {
            let (key, selection) = (key(&computed.input, &computed.revision)?, digest(&computed.input.selection)?);
            let json = serde_json::to_vec(&computed.figures)?;
            self.db.write(move |tx| comparisons::cache_figures(tx, &key, &selection, &json, clock::now().0)).await?;
        }
        lock(&self.cache).put(computed.clone());
        Ok(computed)
    }
}

impl ComparisonCache {
    fn get(&mut self, selection: &Selection) -> Option<Arc<Computed>> {
        let at = self.by_selection.iter().position(|known| known.input.selection == *selection)?;
        let used = self.by_selection.remove(at);
        self.by_selection.push(used.clone());
        Some(used)
    }

    fn put(&mut self, computed: Arc<Computed>) {
        self.by_selection.retain(|known| known.input.selection != computed.input.selection);
        let (large, most) = (computed.is_large(), if computed.is_large() { KEPT_LARGE } else { KEPT_SMALL });
        self.by_selection.push(computed);
        if self.by_selection.iter().filter(|known| known.is_large() == large).count() > most
            && let Some(oldest) = self.by_selection.iter().position(|known| known.is_large() == large)
        {
            self.by_selection.remove(oldest);
        }
    }

    fn flight(&mut self, selection: &Selection) -> Arc<tokio::sync::Mutex<()>> {
        if let Some(flight) = self.flights.get(selection).and_then(Weak::upgrade) {
            return flight;
        }
        self.flights.retain(|_, flight| flight.strong_count() > 0);
        let flight = Arc::default();
        self.flights.insert(selection.clone(), Arc::downgrade(&flight));
        flight
    }
}

fn lock(cache: &Mutex<ComparisonCache>) -> MutexGuard<'_, ComparisonCache> {
    // A panic cannot leave the list half-updated; ignore poisoning.
    cache.lock().unwrap_or_else(PoisonError::into_inner)
}

fn digest(selection: &Selection) -> Result<String, Failure> {
    Ok(hex::encode(Sha256::digest(serde_json::to_vec(selection)?)))
}

/// Everything that the figures depend on, including displayed names.
fn key(input: &ComparisonInput, revision: &str) -> Result<String, Failure> {
    let mut all = Sha256::new();
    all.update(format!("{} {GENERATION} ", env!("CARGO_PKG_VERSION")));
    all.update(serde_json::to_vec(&(&input.selection, &input.models, &input.rubric, input.seed))?);
    all.update(revision);
    Ok(hex::encode(all.finalize()))
}

/// Each model's newest run and the selected ones; a list of a thousand runs is of no use.
fn listed(mut options: Options, selection: &Selection) -> Options {
    let mut seen: HashMap<ModelId, usize> = HashMap::new();
    options.runs.retain(|run| {
        let count = seen.entry(run.model).or_default();
        *count += 1;
        *count <= LISTED || selection.runs.iter().flatten().any(|id| *id == run.id)
    });
    options
}

/// Fills defaults into the selection, and rejects inconsistent ones.
fn settle(options: &Options, selection: Selection) -> Result<Selection, Failure> {
    let study = |id| options.studies.iter().find(|study| study.id == id);
    let studies = match selection.studies {
        Some(ids) => ids,
        None => {
            // Studies with the rubric that was used last.
            let rated = || options.studies.iter().filter(|study| study.ratings > 0 && !study.archived);
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
                format!("scores by different rubrics cannot be merged: the studies use {first} and {second}"),
                format!("不同评分标准的分数不能合并：所选项目使用了 {first} 和 {second}"),
            ),
            (
                "Choose studies with the same rubric and version; compare the others on a page of their own",
                "请选择使用同一评分标准、同一版本的项目，其他项目请另行对比",
            ),
        ));
    }
    let known: HashMap<ModelId, &str> = options.models.iter().map(|(id, name)| (*id, name.as_str())).collect();
    // Models without data would only be counted as such; where no model has any, all are shown.
    let models = selection.models.unwrap_or_else(|| {
        let all = || options.models.iter().map(|(id, _)| *id).filter(|id| !options.archived_models.contains(id));
        let with_data: Vec<_> = all().filter(|id| !options.empty.contains(id)).collect();
        if with_data.is_empty() { all().collect() } else { with_data }
    });
    if let Some(unknown) = models.iter().find(|id| !known.contains_key(id)) {
        return Err(Failure::not_found(&format!("model {unknown} in this dataset")));
    }
    let runs = match selection.runs {
        Some(ids) => ids,
        // Each model's newest run with results.
        None => models
            .iter()
            .filter_map(|model| {
                let own = || options.runs.iter().filter(|run| run.model == *model && run.done > 0 && !run.archived);
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
    Ok(Selection { models: Some(models), studies: Some(studies), runs: Some(runs), ..selection })
}

#[async_trait]
impl Comparisons for ComparisonService {
    async fn get(&self, admin: &Admin, selection: Selection) -> Answer<ComparisonView> {
        let resolved = self.resolve(admin, selection).await?;
        let (computed, behind) = self.latest(&resolved).await?;
        let live = resolved.live();
        let options = listed(resolved.options, &resolved.selection);
        let Some(computed) = computed else {
            let names =
                options.models.iter().filter(|(id, _)| resolved.selection.models.iter().flatten().any(|m| m == id));
            let figures = ComparisonFigures {
                models: names.map(|(_, name)| name.clone()).collect(),
                ..ComparisonFigures::default()
            };
            let (raters, revision) = (Vec::new(), String::new());
            return Ok(ComparisonView {
                options,
                selection: resolved.selection,
                figures,
                raters,
                revision,
                behind,
                counting: true,
                live,
                captions: Vec::new(),
            });
        };
        let raters: Vec<String> = computed.input.raters.iter().map(|(_, name)| name.clone()).collect();
        Ok(ComparisonView {
            live,
            captions: figure_files::captions(&options.name, &computed.figures, &raters),
            options,
            selection: resolved.selection,
            figures: computed.figures.clone(),
            raters,
            revision: computed.revision.clone(),
            behind,
            counting: false,
        })
    }

    async fn of_study(&self, admin: &Admin, id: StudyId) -> Answer<StudyComparison> {
        let selection = self.study_selection(admin, id, false).await?;
        let (ratings, raters) = self.db.read(move |conn| studies::counted(conn, id)).await?;
        Ok(StudyComparison { selection, ratings, raters })
    }

    async fn revision(&self, admin: &Admin, selection: Selection) -> Answer<String> {
        let resolved = self.resolve(admin, selection).await?;
        let (computed, _) = self.latest(&resolved).await?;
        Ok(computed.map(|computed| computed.revision.clone()).unwrap_or_default())
    }

    async fn tasks(&self, admin: &Admin, selection: Selection, filter: TaskFilter) -> Answer<TaskPage> {
        let resolved = self.resolve(admin, selection).await?;
        let (computed, _) = self.latest(&resolved).await?;
        Ok(computed.map(|computed| tasks::page(&computed.input, &computed.lines, &filter)).unwrap_or_default())
    }

    async fn slices(&self, admin: &Admin, selection: Selection, by: SliceBy) -> Answer<Slices> {
        let resolved = self.resolve(admin, selection).await?;
        let (computed, _) = self.latest(&resolved).await?;
        let Some(computed) = computed else { return Ok(Slices { by, computing: true, ..Slices::default() }) };
        Ok(background::run(move || computed.sliced(by, |found| found.slices.clone())).await?)
    }

    async fn task(
        &self,
        admin: &Admin,
        selection: Selection,
        filter: TaskFilter,
        task: TaskId,
    ) -> Answer<ComparedTask> {
        let resolved = self.resolve(admin, selection).await?;
        let computed = match self.latest(&resolved).await? {
            (Some(computed), _) => computed,
            // Filters need the task's position, so this one page waits.
            (None, _) => self.computed(&resolved).await?,
        };
        let input = &computed.input;
        let row = input.tasks.iter().find(|row| row.id == task).cloned();
        let row = row.ok_or_else(|| Failure::not_found("task in this selection"))?;
        let (before, after) = tasks::neighbors(input, &computed.lines, &filter, task);
        let revisions: Vec<_> = input.tasks.iter().filter(|row| row.id == task).map(|row| row.revision).collect();
        let (selection, revision) = (resolved.selection, row.revision);
        let (outputs, tests) = self
            .db
            .read_long(move |conn| {
                let outputs = comparisons::task_outputs(conn, &selection, &revisions)?;
                let ids: Vec<OutputId> = outputs.iter().map(|output| output.id).collect();
                let of_study = selection.studies.iter().flatten().map(|id| studies::ratings_of(conn, *id, &ids));
                let mut of_studies = of_study.collect::<Result<Vec<_>, _>>()?;
                let each = outputs.into_iter().map(|output| {
                    let own = of_studies.iter_mut().filter_map(|ratings| ratings.remove(&output.id));
                    let ratings: Vec<_> = own.flatten().collect();
                    let mut verdict = None;
                    for run in selection.runs.iter().flatten() {
                        let found = comparisons::verdict(conn, *run, output.id)?;
                        verdict = verdict.or(found.map(|(v, passed, total)| (*run, v, passed, total)));
                    }
                    Ok((output, ratings, verdict))
                });
                Ok((each.collect::<Result<Vec<_>, Failure>>()?, task_tests::texts(conn, revision)?))
            })
            .await?;
        let names = &input.models;
        let lang = row.code_lang;
        let tests = task_tests::shown(tests, lang).await;
        let shown = outputs.into_iter().map(async |(output, ratings, verdict)| ComparedOutput {
            id: output.id,
            verdict,
            rated: OutputRatings {
                model: names.get(output.model).map(|(_, name)| name.clone()).unwrap_or_default(),
                sample: output.sample,
                code: syntax::view(output.code, output.surrounding_text, lang).await,
                ratings,
            },
        });
        let outputs = futures::future::join_all(shown).await;
        Ok(ComparedTask {
            name: input.name.clone(),
            task: row,
            tests,
            rubric: input.rubric.clone(),
            outputs,
            before,
            after,
        })
    }
}
