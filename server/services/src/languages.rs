//! HumanEval-X over its languages, for `services::runs`, which has authorized the caller.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
};

use model::{
    code_lang::CodeLang,
    dataset::TestKind,
    ids::RunId,
    languages::{LanguageCell, LanguageDataset, LanguageResults, ModelLanguages},
};
use rusqlite::Connection;

use super::run_figures::{Results, published};
use base::error::Failure;
use db::{
    languages::{self, NewestRun},
    run_results, runs,
};
use formats::{humaneval::SLUG, translation};
use stats::passk;

/// Figures of runs that did not change since they were computed, by the revision of their verdicts. One entry for each
/// run that was shown.
#[derive(Clone, Default)]
pub struct LanguageCache(Arc<Mutex<HashMap<RunId, (i64, LanguageCell)>>>);

/// Data read in one snapshot. [`Read::finish`] computes the figures.
pub struct Read {
    datasets: Vec<LanguageDataset>,
    /// The runs of each dataset.
    runs: Vec<Vec<NewestRun>>,
    /// The runs whose figures are not cached: their results, and cells that lack the figures.
    new: HashMap<RunId, (Results, LanguageCell)>,
}

/// Source and language of a dataset of HumanEval-X, from its short name, which no other dataset may have.
fn languages_of(slug: &str) -> Option<(Option<CodeLang>, CodeLang)> {
    let rest = slug.strip_prefix(SLUG)?;
    match rest.split_once("-to-") {
        Some((source, target)) => Some((Some(translation::language(source)?), translation::language(target)?)),
        None => Some((None, translation::language(rest)?)),
    }
}

impl LanguageCache {
    /// Reads what has changed.
    ///
    /// # Errors
    /// The database fails.
    pub fn read(&self, conn: &Connection) -> Result<Read, Failure> {
        let mut datasets: Vec<LanguageDataset> = languages::datasets(conn, TestKind::HumanevalX.name())?
            .into_iter()
            .filter_map(|slug| languages_of(&slug).map(|(source, lang)| LanguageDataset { slug, lang, source }))
            .collect();
        let place = |lang: CodeLang| CodeLang::ALL.iter().position(|known| *known == lang);
        datasets.sort_by_key(|dataset| (dataset.source.map(place), place(dataset.lang)));
        let found = datasets.iter().map(|dataset| languages::newest_runs(conn, &dataset.slug));
        let found = found.collect::<Result<Vec<_>, _>>()?;
        let known = self.lock(|cache| {
            let changed = |run: &&NewestRun| cache.get(&run.run).is_none_or(|(revision, _)| *revision != run.revision);
            found.iter().flatten().filter(changed).map(|run| run.run).collect::<Vec<_>>()
        });
        let mut samples = runs::samples_of(conn, &known)?;
        let mut new = HashMap::new();
        for run in known {
            let (verdicts, failures) = (run_results::verdicts(conn, run)?, run_results::failures(conn, run)?);
            let results = Results::of(samples.remove(&run).unwrap_or_default());
            let metrics = results.metrics();
            let cell = LanguageCell {
                run,
                tasks: metrics.tasks,
                answered: metrics.answered,
                outputs: verdicts.iter().map(|(_, count)| count).sum(),
                pass_at: Vec::new(),
                published: published(&results),
                published_pass_at: Vec::new(),
                verdicts,
                failures,
            };
            new.insert(run, (results, cell));
        }
        Ok(Read { datasets, runs: found, new })
    }

    fn lock<T>(&self, work: impl FnOnce(&mut HashMap<RunId, (i64, LanguageCell)>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Read {
    /// Computes the figures that are not cached. Takes some hundredths of a second for each run.
    pub fn finish(self, cache: &LanguageCache) -> LanguageResults {
        let Read { datasets, runs, mut new } = self;
        let mut models: BTreeMap<(String, i64), ModelLanguages> = BTreeMap::new();
        for (at, run) in runs.into_iter().enumerate().flat_map(|(at, runs)| runs.into_iter().map(move |run| (at, run)))
        {
            let cell = match new.remove(&run.run) {
                None => cache.lock(|cache| cache.get(&run.run).map(|(_, cell)| cell.clone())),
                Some((results, cell)) => {
                    let key = run.model.0.unsigned_abs();
                    let cell = LanguageCell {
                        pass_at: passk::estimated(key, &results.guarded),
                        published_pass_at: results.published.map_or_else(Vec::new, |all| passk::estimated(key, &all)),
                        ..cell
                    };
                    cache.lock(|cache| cache.insert(run.run, (run.revision, cell.clone())));
                    Some(cell)
                }
            };
            let empty =
                || ModelLanguages { model: run.model, name: run.name.clone(), cells: vec![None; datasets.len()] };
            let model = models.entry((run.name.to_lowercase(), run.model.0)).or_insert_with(empty);
            model.cells[at] = cell;
        }
        LanguageResults { datasets, models: models.into_values().collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_name_tells_the_languages() {
        assert_eq!(languages_of("humaneval-x-js"), Some((None, CodeLang::JavaScript)));
        let pair = Some((Some(CodeLang::Cpp), CodeLang::Go));
        assert_eq!(languages_of("humaneval-x-cpp-to-go"), pair);
        assert_eq!((languages_of("humaneval-x-perl"), languages_of("starter")), (None, None));
    }
}
