//! One model's results on every dataset, against a baseline.

use app::{
    model::{
        claims::significant,
        compare::{ComparisonFigures, Selection},
        ids::{ModelId, RunId, SubmissionId},
        results::{Estimated, HistoryRun, ModelDataset, ModelResults, ModelSubmission, Versus},
    },
    port::Admin,
};

use super::{Allowance, DatasetFigures, HISTORY_MOST, ResultService, lock, tests};
use crate::{db::results_board, error::Failure};

impl ResultService {
    /// See [`app::port::Results::model`].
    pub(super) async fn of_model(
        &self,
        admin: &Admin,
        model: ModelId,
        baseline: Option<ModelId>,
    ) -> Result<ModelResults, Failure> {
        let (name, submissions) = self
            .db
            .read(move |conn| Ok((results_board::model_name(conn, model)?, results_board::submissions(conn, model)?)))
            .await?;
        let name = name.ok_or_else(|| Failure::not_found("model"))?;
        let mut slugs: Vec<String> = submissions.iter().map(|(slug, _)| slug.clone()).collect();
        slugs.sort_unstable();
        slugs.dedup();
        let allowance = Allowance::new();
        let (mut datasets, mut others) = (Vec::new(), Vec::new());
        for slug in slugs {
            let own = submissions.iter().filter(|(of, _)| *of == slug).map(|(_, submission)| submission.clone());
            let shown = self.dataset_figures(admin, &slug, &allowance).await?;
            others.extend(shown.resolved.options.models.iter().filter(|(id, _)| *id != model).cloned());
            datasets.push(self.on_dataset(admin, shown, own.collect(), (model, baseline), &allowance).await?);
        }
        others.sort_unstable();
        others.dedup();
        let baseline = others.iter().find(|(id, _)| Some(*id) == baseline).cloned();
        others.sort_by_key(|(_, name)| name.to_lowercase());
        Ok(ModelResults { model, name, baseline, others, datasets })
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
        let runs: Vec<RunId> = {
            let own = |run: &&app::model::compare::RunOption| run.model == model && run.done > 0;
            shown.resolved.options.runs.iter().filter(own).map(|run| run.id).collect()
        };
        let older_runs = runs.len().saturating_sub(ModelResults::HISTORY) as u64;
        let mut history = Vec::new();
        for run in runs.into_iter().take(ModelResults::HISTORY).rev() {
            let of = submissions.iter().find(|s| s.runs.iter().any(|(id, _)| *id == run)).map(|s| s.id);
            if let Some(submission) = of {
                history.push(self.history_run(admin, &shown, (run, submission), (model, baseline), allowance).await?);
            }
        }
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

    /// One run's pass@1, against the run by which the baseline is compared. What the allowance does not cover has no
    /// figures yet; the page asks again.
    async fn history_run(
        &self,
        admin: &Admin,
        shown: &DatasetFigures,
        (run, submission): (RunId, SubmissionId),
        (model, baseline): (ModelId, Option<ModelId>),
        allowance: &Allowance,
    ) -> Result<HistoryRun, Failure> {
        let other = baseline.and_then(|baseline| {
            let of = |id: &RunId| shown.resolved.options.runs.iter().any(|r| r.id == *id && r.model == baseline);
            Some((baseline, *shown.resolved.selection.runs.iter().flatten().find(|id| of(id))?))
        });
        let selection = Selection {
            dataset: shown.slug.clone(),
            models: Some(std::iter::once(model).chain(other.map(|(id, _)| id)).collect()),
            studies: Some(Vec::new()),
            runs: Some(std::iter::once(run).chain(other.map(|(_, run)| run)).collect()),
            ..Selection::default()
        };
        let resolved = self.comparisons.resolve(admin, selection).await?;
        let key = (run, other.map(|(_, run)| run));
        let known = lock(&self.known.history).get(&key).cloned();
        if let Some((_, known)) = known.filter(|(revision, _)| *revision == resolved.revision) {
            return Ok(known);
        }
        let computed = match allowance.covers(resolved.rows()) {
            true => self.comparisons.latest(&resolved).await?.0,
            false => None,
        };
        let times = self.db.read(move |conn| results_board::run_times(conn, &[run])).await?;
        let figures = computed.as_ref().map(|computed| &computed.figures);
        let measured = figures.and_then(|figures| tests(figures, 0, &[1]));
        let found = HistoryRun {
            run,
            submission,
            at: times.get(&run).copied().unwrap_or_default(),
            pass: measured.as_ref().and_then(|m| m.values.first().copied().flatten()),
            tasks: measured.map_or(0, |m| m.tasks),
            versus: figures.and_then(|figures| differences_of(figures, (0, 1), 0).pop().flatten()),
        };
        if let Some(computed) = &computed {
            let mut history = lock(&self.known.history);
            if history.len() >= HISTORY_MOST {
                history.clear();
            }
            history.insert(key, (computed.revision.clone(), found.clone()));
        }
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
    let versus = |sign: f64, mean: Option<f64>, interval: Option<app::model::ratings::Interval>, tasks, p| {
        let interval = interval.map(|i| {
            let (a, b) = (i.low * sign, i.high * sign);
            app::model::ratings::Interval { low: a.min(b), high: a.max(b) }
        });
        // `+ 0.0` turns -0.0 into 0.0, which would be printed with its sign.
        let difference = Estimated { value: mean? * sign + 0.0, interval };
        Some(Versus { difference, tasks, p, significant: significant(interval, p) })
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
            versus(sign, x.mean, x.interval, x.tasks, human.holm.get(at).copied().flatten())
        })
        .collect();
    if let Some(automated) = &figures.automated {
        let mut pairs = automated.pairs.iter().filter_map(|x| Some((x, side(x.first, x.second)?)));
        found.push(
            pairs
                .next()
                .and_then(|(x, sign)| versus(sign, (x.tasks > 0).then_some(x.pass), x.pass_interval, x.tasks, x.holm)),
        );
    }
    found
}
