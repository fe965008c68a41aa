//! Results of all models on all datasets: the leaderboard, and one model's page.
//!
//! Figures are those of comparisons with every default and final scores, over all tasks or a slice of them, computed and
//! held by [`super::comparisons`]; only the few that the leaderboard shows are cached here, by the same revision.

mod model;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use ::model::{
    caller::Admin,
    comparison::{Checked, ComparisonFigures, CountedScores, Selection},
    error::{Answer, AppError},
    ids::{ModelId, RunId},
    lang::Bilingual,
    results::{
        Board, BoardDataset, BoardDimension, BoardQuery, BoardResults, BoardRow, DatasetPage, Estimated, HistoryRun,
        Measured, ModelResults,
    },
    slices::{BoardSlice, DatasetSlice, SliceBy},
};
use async_trait::async_trait;
use port::Results;

use super::comparisons::{ComparisonService, Computed, ResolvedSelection};
use crate::spool::{Download, Spool};
use base::{background, error::Failure};
use db::{Db, results};
use report::board::{self, InSlice};

/// The service; see the module.
pub struct ResultService {
    db: Db,
    spool: Spool,
    comparisons: Arc<ComparisonService>,
    known: Arc<Known>,
}

/// A dataset's short name, and the slice of its tasks; `None` for all of them.
type FiguresKey = (String, Option<BoardSlice>);

/// A run of a history, and the run that it is compared with.
type HistoryKey = (RunId, Option<RunId>);

/// A run of a history, with the revision that it was computed of.
type Revised = (String, HistoryRun);

/// What is being computed while no request waits, or waits for its turn.
#[derive(PartialEq, Eq, Hash)]
enum Queued {
    /// A dataset's figures, by its short name: over all tasks, or over the slices by an attribute.
    Dataset(String, Option<SliceBy>),
    /// A run in a model's history.
    History(HistoryKey),
}

/// What was computed: a few numbers for each model.
#[derive(Default)]
struct Known {
    /// The last figures of each dataset, by its short name and the slice of tasks.
    datasets: Mutex<HashMap<FiguresKey, Arc<Figures>>>,
    /// Runs in models' histories.
    history: Mutex<HashMap<HistoryKey, Revised>>,
    queued: Mutex<HashSet<Queued>>,
    /// One at a time: the others keep their processor and memory.
    turn: tokio::sync::Mutex<()>,
}

/// Runs in histories that are cached, about 200 bytes each.
const HISTORY_MOST: usize = 20_000;

/// Results of models over slices that are cached, less than a kilobyte each, before those by other attributes than the last
/// one are dropped.
const SLICED_MOST: usize = 100_000;

/// Datasets that a refused file names.
const NAMED: usize = 10;

/// Ratings and verdicts that a request has figures computed of while it waits, about 50 ms.
const WAITED: u64 = 1_500;

/// How many ratings and verdicts may still have figures computed of while somebody waits. An installation can have a
/// hundred datasets, each small enough.
pub struct Allowance(Option<AtomicU64>);

impl Allowance {
    /// What a request waits for.
    pub fn of_request() -> Allowance {
        Allowance(Some(AtomicU64::new(WAITED)))
    }

    /// For a command: it waits for everything.
    pub fn unlimited() -> Allowance {
        Allowance(None)
    }

    fn covers(&self, rows: u64) -> bool {
        let Some(left) = &self.0 else { return true };
        left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(rows)).is_ok()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic cannot leave an entry half-updated; ignore poisoning.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Known {
    /// Keeps a dataset's figures.
    fn keep(&self, slug: &str, found: &[(Option<BoardSlice>, Arc<Figures>)]) {
        let by = found.iter().find_map(|(slice, _)| slice.map(BoardSlice::by));
        let mut datasets = lock(&self.datasets);
        datasets.extend(found.iter().map(|(slice, figures)| ((slug.to_owned(), *slice), figures.clone())));
        let sliced = datasets.iter().filter(|((_, slice), _)| slice.is_some());
        if sliced.map(|(_, figures)| figures.models.len()).sum::<usize>() > SLICED_MOST {
            datasets.retain(|(_, slice), _| slice.is_none_or(|slice| by.is_none_or(|by| slice.by() == by)));
        }
    }
}

/// The figures of one dataset, over all tasks or a slice of them.
struct Figures {
    selection: Selection,
    revision: String,
    dimensions: Vec<BoardDimension>,
    pass_at: Vec<u32>,
    models: HashMap<ModelId, (Option<Measured>, Option<Measured>)>,
    slice: Option<DatasetSlice>,
}

/// A dataset with what is known of it now.
struct DatasetFigures {
    slug: String,
    resolved: ResolvedSelection,
    /// `None` while the first figures are being computed.
    figures: Option<Arc<Figures>>,
    behind: bool,
}

impl DatasetFigures {
    fn results(&self, model: ModelId) -> BoardResults {
        let found = self.figures.as_ref().and_then(|figures| figures.models.get(&model));
        BoardResults {
            outputs: self.resolved.options.models.iter().any(|(id, _)| *id == model),
            people: found.and_then(|(people, _)| people.clone()),
            tests: found.and_then(|(_, tests)| tests.clone()),
        }
    }

    fn dataset(&self) -> BoardDataset {
        let figures = self.figures.as_ref();
        let (mut without_ratings, mut without_runs) = (0, 0);
        for (model, _) in &self.resolved.options.models {
            let results = self.results(*model);
            without_ratings += u64::from(results.people.is_none());
            without_runs += u64::from(results.tests.is_none());
        }
        BoardDataset {
            slug: self.slug.clone(),
            name: self.resolved.options.name.clone(),
            dimensions: figures.map(|f| f.dimensions.clone()).unwrap_or_default(),
            pass_at: figures.map(|f| f.pass_at.clone()).unwrap_or_default(),
            highest: Vec::new(),
            without_ratings,
            without_runs,
            computing: figures.is_none(),
            behind: self.behind,
            selection: self.resolved.selection.clone(),
            slice: figures.and_then(|f| f.slice.clone()),
        }
    }
}

impl ResultService {
    /// A service over `db` that takes its figures from `comparisons`.
    pub fn new(db: Db, spool: Spool, comparisons: Arc<ComparisonService>) -> Self {
        ResultService { db, spool, comparisons, known: Arc::default() }
    }

    /// The leaderboard as CSV: every model that the query selects on every dataset, a line for each figure.
    ///
    /// # Errors
    /// The slice is unknown, a dataset has no figures yet and the allowance does not cover them, or too many downloads are
    /// open.
    pub async fn csv(&self, admin: &Admin, query: BoardQuery, allowance: Allowance) -> Result<Download, Failure> {
        let all = self.db.read(results::datasets).await?;
        let wanted = wanted(&all, &query);
        let page = DatasetPage { all: wanted.len() as u64, ..DatasetPage::default() };
        let found = self.board_of(admin, &query, all, (page, &wanted), &allowance).await?;
        let missing: Vec<&str> = found.datasets.iter().filter(|of| of.computing).map(|of| of.slug.as_str()).collect();
        if !missing.is_empty() {
            let more = if missing.len() > NAMED { ", …" } else { "" };
            let missing = missing.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ") + more;
            return Err(Failure::conflict((
                format!(
                    "The figures of these datasets are being computed: {missing}. Download the file again in a few minutes, or run `aixgrade export leaderboard`, which waits for them."
                ),
                format!(
                    "正在计算以下数据集的结果：{missing}。请几分钟后重新下载，或运行 `aixgrade export leaderboard`，该命令会等待计算完成。"
                ),
            )));
        }
        self.spool.write(move |out| board::csv(&found, out)).await
    }

    /// The leaderboard of the datasets `wanted`, with all its models on one page.
    async fn board_of(
        &self,
        admin: &Admin,
        query: &BoardQuery,
        all: Vec<(String, Bilingual)>,
        (page, wanted): (DatasetPage, &[String]),
        allowance: &Allowance,
    ) -> Result<Board, Failure> {
        let slice = BoardSlice::read(&query.slice)?;
        let shown = wanted.iter().map(|slug| self.dataset_figures(admin, slug, slice, allowance));
        let shown = futures::future::join_all(shown).await.into_iter().collect::<Result<Vec<_>, Failure>>()?;
        let names: BTreeMap<ModelId, &String> =
            shown.iter().flat_map(|dataset| &dataset.resolved.options.models).map(|(id, name)| (*id, name)).collect();
        let rows = names.iter().map(|(model, name)| BoardRow {
            model: *model,
            name: (*name).clone(),
            rank: None,
            results: shown.iter().map(|dataset| dataset.results(*model)).collect(),
        });
        let rows = rows.collect();
        let datasets = shown.iter().map(DatasetFigures::dataset).collect();
        Ok(Board { page, ..board::arranged(datasets, all, rows, query, slice) })
    }

    /// One dataset's figures, over all tasks or a slice of them: those cached where nothing has changed, otherwise from its
    /// comparison. What the allowance does not cover is computed later, and the last figures are shown meanwhile.
    async fn dataset_figures(
        &self,
        admin: &Admin,
        slug: &str,
        slice: Option<BoardSlice>,
        allowance: &Allowance,
    ) -> Result<DatasetFigures, Failure> {
        let selection = Selection { dataset: slug.to_owned(), scores: CountedScores::Final, ..Selection::default() };
        let resolved = self.comparisons.resolve(admin, selection).await?;
        let slug = slug.to_owned();
        let known = lock(&self.known.datasets).get(&(slug.clone(), slice)).cloned();
        let current =
            |known: &Arc<Figures>| known.selection == resolved.selection && known.revision == resolved.revision;
        if known.as_ref().is_some_and(current) {
            return Ok(DatasetFigures { slug, resolved, figures: known, behind: false });
        }
        let by = slice.map(BoardSlice::by);
        // Slices take as long again as the figures that they are computed with.
        if !allowance.covers(resolved.rows() * (1 + u64::from(by.is_some()))) {
            self.compute_later(slug.clone(), by, resolved.clone());
            return Ok(DatasetFigures { slug, resolved, figures: known, behind: true });
        }
        let (computed, behind) = match allowance.0 {
            Some(_) => self.comparisons.latest(&resolved).await?,
            None => (Some(self.in_turn(&resolved).await?), false),
        };
        let Some(computed) = computed else {
            return Ok(DatasetFigures { slug, resolved, figures: known, behind });
        };
        let found = figures(&self.db, &resolved, computed, by).await?;
        self.known.keep(&slug, &found);
        let figures = found.into_iter().find(|(of, _)| *of == slice).map(|(_, figures)| figures);
        Ok(DatasetFigures { slug, resolved, figures, behind })
    }

    /// A comparison's figures, one after the other.
    async fn in_turn(&self, resolved: &ResolvedSelection) -> Result<Arc<Computed>, Failure> {
        let _turn = self.known.turn.lock().await;
        self.comparisons.computed(resolved).await
    }

    /// Computes a dataset's figures when those that were asked for before are done.
    fn compute_later(&self, slug: String, by: Option<SliceBy>, resolved: ResolvedSelection) {
        if !lock(&self.known.queued).insert(Queued::Dataset(slug.clone(), by)) {
            return;
        }
        let (db, comparisons, known) = (self.db.clone(), self.comparisons.clone(), self.known.clone());
        tokio::spawn(async move {
            let turn = known.turn.lock().await;
            let done = match comparisons.computed(&resolved).await {
                Ok(computed) => figures(&db, &resolved, computed, by).await,
                Err(failure) => Err(failure),
            };
            drop(turn);
            match done {
                Ok(figures) => known.keep(&slug, &figures),
                Err(failure) => {
                    // The conversion logs it.
                    let _logged = AppError::from(failure);
                }
            }
            lock(&known.queued).remove(&Queued::Dataset(slug, by));
        });
    }
}

/// Short names of the datasets that the query selects, in order.
fn wanted(all: &[(String, Bilingual)], query: &BoardQuery) -> Vec<String> {
    match query.dataset.as_str() {
        "" => all.iter().map(|(slug, _)| slug.clone()).collect(),
        one => vec![one.to_owned()],
    }
}

/// What the leaderboard shows of a comparison: over all tasks, or over each slice by an attribute.
async fn figures(
    db: &Db,
    resolved: &ResolvedSelection,
    computed: Arc<Computed>,
    by: Option<SliceBy>,
) -> Result<Vec<(Option<BoardSlice>, Arc<Figures>)>, Failure> {
    let Some(by) = by else {
        return Ok(vec![(None, Arc::new(whole(db, resolved, &computed).await?))]);
    };
    let chosen: HashSet<RunId> = resolved.selection.runs.iter().flatten().copied().collect();
    let runs = resolved.options.runs.iter().filter(|run| chosen.contains(&run.id)).map(|run| (run.model, run.id));
    let runs: HashMap<ModelId, RunId> = runs.collect();
    let chosen: Vec<RunId> = chosen.into_iter().collect();
    let ended = db.read(move |conn| results::run_times(conn, &chosen)).await?;
    let selection = resolved.selection.clone();
    let each = move || {
        let figures = |slice: BoardSlice, InSlice { slice: tasks, dimensions, pass_at, models }: InSlice| {
            let models = models.into_iter().map(|(model, people, mut tests)| {
                if let Some(tests) = &mut tests {
                    tests.run = runs.get(&model).copied();
                    tests.at = tests.run.and_then(|run| ended.get(&run).copied());
                }
                (model, (people, tests))
            });
            let models = models.filter(|(_, (people, tests))| people.is_some() || tests.is_some()).collect();
            let (selection, revision) = (selection.clone(), computed.revision.clone());
            (Some(slice), Arc::new(Figures { selection, revision, dimensions, pass_at, models, slice: Some(tasks) }))
        };
        let all = BoardSlice::of(by);
        let found =
            computed.sliced(by, |found| all.iter().map(|slice| board::in_slice(found, *slice)).collect::<Vec<_>>());
        all.into_iter().zip(found).map(|(slice, found)| figures(slice, found)).collect()
    };
    background::run(each).await
}

/// What the leaderboard shows of a comparison over all tasks.
async fn whole(db: &Db, resolved: &ResolvedSelection, computed: &Computed) -> Result<Figures, Failure> {
    let studies = resolved.selection.studies.clone().unwrap_or_default();
    let runs = resolved.selection.runs.clone().unwrap_or_default();
    let (rated, ended) =
        db.read(move |conn| Ok((results::rated_at(conn, &studies)?, results::run_times(conn, &runs)?))).await?;
    let figures = &computed.figures;
    let rubric = figures.human.as_ref().map(|human| &human.comparison.rubric);
    let dimensions = rubric.iter().flat_map(|rubric| &rubric.dimensions).map(|dimension| {
        let (low, high) = dimension.range();
        let (key, name, checklist) = (dimension.key.clone(), dimension.name.clone(), dimension.checklist);
        BoardDimension { key, name, low, high, checklist }
    });
    let checked = figures.automated.iter().flat_map(|automated| automated.models.iter().flatten());
    let pass_at: BTreeSet<u32> = checked.flat_map(|checked| std::iter::once(1).chain(ks(checked))).collect();
    let pass_at: Vec<u32> = pass_at.into_iter().collect();
    let models = resolved.selection.models.iter().flatten().enumerate().map(|(at, model)| {
        let mut people = people(figures, at);
        let mut tests = tests(figures, at, &pass_at);
        if let Some(people) = &mut people {
            people.at = rated.get(model).copied();
        }
        if let Some(tests) = &mut tests {
            tests.at = tests.run.and_then(|run| ended.get(&run).copied());
        }
        (*model, (people, tests))
    });
    Ok(Figures {
        selection: resolved.selection.clone(),
        revision: computed.revision.clone(),
        dimensions: dimensions.collect(),
        models: models.collect(),
        pass_at,
        slice: None,
    })
}

/// A model's mean scores; `None` without ratings.
fn people(figures: &ComparisonFigures, model: usize) -> Option<Measured> {
    let scores = figures.human.as_ref()?.comparison.models.get(model)?;
    let values = scores.dimensions.iter().map(|d| Some(Estimated { value: d.mean?, interval: d.interval }));
    let values: Vec<_> = values.collect();
    values.iter().any(Option::is_some).then_some(Measured {
        values,
        tasks: scores.tasks,
        answered: scores.tasks,
        missing: None,
        ratings: scores.ratings,
        at: None,
        run: None,
    })
}

/// The k above 1 for which a model has pass@k.
fn ks(checked: &Checked) -> impl Iterator<Item = u32> {
    checked.pass_at.iter().map(|at| at.k).filter(|k| *k > 1)
}

/// A model's pass@k for each of these k; `None` without a run.
fn tests(figures: &ComparisonFigures, model: usize, pass_at: &[u32]) -> Option<Measured> {
    let checked = figures.automated.as_ref()?.models.get(model)?.as_ref().filter(|of| of.metrics.has_tasks())?;
    let values = pass_at.iter().map(|k| match k {
        1 => Some(Estimated { value: checked.metrics.pass_at_1, interval: checked.pass_interval }),
        k => {
            let at = checked.pass_at.iter().find(|at| at.k == *k)?;
            Some(Estimated { value: at.value, interval: at.interval })
        }
    });
    Some(Measured {
        values: values.collect(),
        tasks: checked.metrics.tasks.into(),
        answered: checked.metrics.answered.into(),
        missing: Some(checked.missing.into()),
        ratings: 0,
        at: None,
        run: checked.run,
    })
}

#[async_trait]
impl Results for ResultService {
    async fn board(&self, admin: &Admin, query: BoardQuery) -> Answer<Board> {
        let all = self.db.read(results::datasets).await?;
        let wanted = wanted(&all, &query);
        let (page, shown) = DatasetPage::of(&wanted, &query.after);
        let mut found = self.board_of(admin, &query, all, (page, shown), &Allowance::of_request()).await?;
        let from = (query.page as usize).saturating_mul(BoardQuery::PAGE);
        found.rows = found.rows.into_iter().skip(from).take(BoardQuery::PAGE).collect();
        Ok(found)
    }

    async fn model(
        &self,
        admin: &Admin,
        model: ModelId,
        baseline: Option<ModelId>,
        after: String,
    ) -> Answer<ModelResults> {
        Ok(self.of_model(admin, model, baseline, &after).await?)
    }
}
