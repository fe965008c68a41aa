//! One model's results on every dataset, against a baseline.

use model::{
    caller::Admin,
    claims::significant,
    comparison::{ComparisonFigures, Selection},
    error::AppError,
    ids::{ModelId, RunId, SubmissionId},
    results::{DatasetPage, Estimated, HistoryRun, ModelDataset, ModelResults, ModelSubmission, Versus},
    stats::Tested,
};

use super::{Allowance, DatasetFigures, HISTORY_MOST, HistoryKey, Known, Queued, ResultService, lock, tests};
use crate::comparisons::{ComparisonService, ResolvedSelection};
use base::error::Failure;
use db::results;

impl ResultService {
    /// See [`port::Results::model`].
    pub(super) async fn of_model(
        &self,
        admin: &Admin,
        model: ModelId,
        baseline: Option<ModelId>,
        after: &str,
    ) -> Result<ModelResults, Failure> {
        let after = after.to_owned();
        let (name, mut others, page, own) = self
            .db
            .read(move |conn| {
                let name = results::model_name(conn, model)?.ok_or_else(|| Failure::not_found("model"))?;
                let (page, shown) = {
                    let all = results::datasets_of(conn, model)?;
                    let (page, shown) = DatasetPage::of(&all, &after);
                    (page, shown.to_vec())
                };
                let own = shown.into_iter().map(|slug| {
                    let submissions = results::submissions(conn, model, &slug)?;
                    Ok((slug, submissions))
                });
                let own = own.collect::<Result<Vec<_>, Failure>>()?;
                Ok((name, results::others(conn, model)?, page, own))
            })
            .await?;
        let allowance = Allowance::of_request();
        let mut datasets = Vec::new();
        for (slug, submissions) in own {
            let shown = self.dataset_figures(admin, &slug, None, &allowance).await?;
            datasets.push(self.on_dataset(admin, shown, submissions, (model, baseline), &allowance).await?);
        }
        let baseline = others.iter().find(|(id, _)| Some(*id) == baseline).cloned();
        others.sort_by_key(|(_, name)| name.to_lowercase());
        Ok(ModelResults { model, name, baseline, others, datasets, page })
    }

    async fn on_dataset(
        &self,
        admin: &Admin,
        shown: DatasetFigures,
        submissions: Vec<ModelSubmission>,
        (model, baseline): (ModelId, Option<ModelId>),
        allowance: &Allowance,
    ) -> Result<ModelDataset, Failure> {
        let baseline = baseline.filter(|id| *id != model && shown.resolved.options.models.iter().any(|(m, _)| m == id));
        let dataset = shown.dataset();
        let mut differences = Vec::new();
        if let (Some(baseline), true) = (baseline, shown.figures.is_some()) {
            let (computed, _) = self.comparisons.latest(&shown.resolved).await?;
            let at = |id| shown.resolved.selection.models.iter().flatten().position(|m| *m == id);
            let pair = at(model).zip(at(baseline));
            differences = vec![None; dataset.dimensions.len() + usize::from(!dataset.pass_at.is_empty())];
            if let (Some(computed), Some(pair)) = (computed, pair) {
                differences = differences_of(&computed.figures, pair, dataset.dimensions.len());
            }
        }
        let (history, older_runs) = self.history(admin, &shown, &submissions, (model, baseline), allowance).await?;
        Ok(ModelDataset {
            own: shown.results(model),
            baseline: baseline.map(|baseline| shown.results(baseline)),
            differences,
            submissions,
            history,
            older_runs,
            dataset,
        })
    }

    /// The pass@1 of the model's newest runs, each against the run by which the baseline is compared, oldest first; and
    /// how many older runs there are. What the allowance does not cover is computed later and has no figures yet; the
    /// page asks again.
    async fn history(
        &self,
        admin: &Admin,
        shown: &DatasetFigures,
        submissions: &[ModelSubmission],
        (model, baseline): (ModelId, Option<ModelId>),
        allowance: &Allowance,
    ) -> Result<(Vec<HistoryRun>, u64), Failure> {
        let options = &shown.resolved.options;
        let own = options.runs.iter().filter(|run| run.model == model && run.done > 0).map(|run| run.id);
        let own: Vec<RunId> = own.collect();
        let older = own.len().saturating_sub(ModelResults::HISTORY) as u64;
        let of = |run| submissions.iter().find(|s| s.runs.iter().any(|(id, _)| *id == run)).map(|s| (run, s.id));
        let runs: Vec<(RunId, SubmissionId)> =
            own.into_iter().take(ModelResults::HISTORY).rev().filter_map(of).collect();
        let other = baseline.and_then(|baseline| {
            let of = |id: &RunId| options.runs.iter().any(|run| run.id == *id && run.model == baseline);
            Some((baseline, *shown.resolved.selection.runs.iter().flatten().find(|id| of(id))?))
        });
        let selections = runs.iter().map(|(run, _)| Selection {
            dataset: shown.slug.clone(),
            models: Some(std::iter::once(model).chain(other.map(|(id, _)| id)).collect()),
            studies: Some(Vec::new()),
            runs: Some(std::iter::once(*run).chain(other.map(|(_, run)| run)).collect()),
            ..Selection::default()
        });
        let selections: Vec<Selection> = selections.collect();
        let revisions = self.comparisons.revisions(admin, selections.clone()).await?;
        let ids: Vec<RunId> = runs.iter().map(|(run, _)| *run).collect();
        let times = self.db.read(move |conn| results::run_times(conn, &ids)).await?;
        let (mut history, mut later) = (Vec::new(), Vec::new());
        for (((run, submission), selection), revision) in runs.into_iter().zip(selections).zip(revisions) {
            let key = (run, other.map(|(_, run)| run));
            let at = times.get(&run).copied().unwrap_or_default();
            let known = lock(&self.known.history).get(&key).cloned();
            if let Some((_, known)) = known.filter(|(of, _)| *of == revision) {
                history.push(HistoryRun { at, ..known });
                continue;
            }
            let empty = HistoryRun { run, submission, at, pass: None, tasks: 0, answered: 0, versus: None };
            let resolved = shown.resolved.with(selection, revision);
            if allowance.covers(resolved.rows()) {
                history.push(self.known.history_run(&self.comparisons, key, empty, &resolved).await?);
            } else {
                history.push(empty.clone());
                later.push((key, empty, resolved));
            }
        }
        self.compute_history_later(later);
        Ok((history, older))
    }

    /// Computes runs of a history when those that were asked for before are done.
    fn compute_history_later(&self, mut wanted: Vec<(HistoryKey, HistoryRun, ResolvedSelection)>) {
        {
            let mut queued = lock(&self.known.queued);
            wanted.retain(|(key, ..)| queued.insert(Queued::History(*key)));
        }
        if wanted.is_empty() {
            return;
        }
        let (comparisons, known) = (self.comparisons.clone(), self.known.clone());
        tokio::spawn(async move {
            for (key, empty, resolved) in wanted {
                let turn = known.turn.lock().await;
                let done = known.history_run(&comparisons, key, empty, &resolved).await;
                drop(turn);
                // The conversion logs the error.
                let _: Result<(), AppError> = done.map(|_| ()).map_err(AppError::from);
                lock(&known.queued).remove(&Queued::History(key));
            }
        });
    }
}

impl Known {
    /// Computes a run of a history, of which `empty` has everything else.
    async fn history_run(
        &self,
        comparisons: &ComparisonService,
        key: HistoryKey,
        empty: HistoryRun,
        resolved: &ResolvedSelection,
    ) -> Result<HistoryRun, Failure> {
        let computed = comparisons.computed(resolved).await?;
        let measured = tests(&computed.figures, 0, &[1]);
        let found = HistoryRun {
            pass: measured.as_ref().and_then(|m| m.values.first().copied().flatten()),
            tasks: measured.as_ref().map_or(0, |m| m.tasks),
            answered: measured.map_or(0, |m| m.answered),
            versus: differences_of(&computed.figures, (0, 1), 0).pop().flatten(),
            ..empty
        };
        let mut history = lock(&self.history);
        if history.len() >= HISTORY_MOST {
            history.clear();
        }
        history.insert(key, (computed.revision.clone(), found.clone()));
        Ok(found)
    }
}

/// Differences of two of a comparison's models, first minus second: one entry per dimension, then pass@1 where there
/// are runs.
fn differences_of(
    figures: &ComparisonFigures,
    (first, second): (usize, usize),
    dimensions: usize,
) -> Vec<Option<Versus>> {
    let versus =
        |sign: f64, mean: Option<f64>, interval: Option<model::ratings::Interval>, tasks, tested: Option<Tested>| {
            let interval = interval.map(|i| {
                let (a, b) = (i.low * sign, i.high * sign);
                model::ratings::Interval { low: a.min(b), high: a.max(b) }
            });
            // `+ 0.0` turns -0.0 into 0.0, which would be printed with its sign.
            let difference = Estimated { value: mean? * sign + 0.0, interval };
            let p = tested.map(|tested| tested.holm);
            Some(Versus {
                difference,
                tasks,
                test: tested.map(|tested| tested.test),
                uncorrected_p: tested.map(|tested| tested.p),
                p,
                significant: significant(interval, p),
            })
        };
    let side = |a: usize, b: usize| match (a, b) {
        both if both == (first, second) => Some(1.0),
        both if both == (second, first) => Some(-1.0),
        _ => None,
    };
    let mut found: Vec<Option<Versus>> = (0..dimensions)
        .map(|d| {
            let human = figures.human.as_ref()?;
            let rows = human.comparison.differences.iter().enumerate().filter(|(_, x)| x.dimension == d);
            let (at, x, sign) = rows.filter_map(|(at, x)| Some((at, x, side(x.first, x.second)?))).next()?;
            versus(sign, x.mean, x.interval, x.tasks, human.tested(at))
        })
        .collect();
    if let Some(automated) = &figures.automated {
        let mut pairs = automated.pairs.iter().filter_map(|x| Some((x, side(x.first, x.second)?)));
        found.push(
            pairs.next().and_then(|(x, sign)| {
                versus(sign, (x.tasks > 0).then_some(x.pass), x.pass_interval, x.tasks, x.tested())
            }),
        );
    }
    found
}
