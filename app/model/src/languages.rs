//! HumanEval-X over its languages: every model's newest run in each.

use serde::{Deserialize, Serialize};

use super::{
    code_lang::CodeLang,
    failure_class::FailureClass,
    ids::{ModelId, RunId},
    published::AsPublished,
    run::{PassAtK, Verdict},
};

/// Every model's results in every language.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct LanguageResults {
    /// The datasets: code generation by language, then translation by pair of languages.
    pub datasets: Vec<LanguageDataset>,
    /// The models with a run, by name.
    pub models: Vec<ModelLanguages>,
}

/// A dataset of HumanEval-X.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct LanguageDataset {
    /// Its short name.
    pub slug: String,
    /// The language of the outputs.
    pub lang: CodeLang,
    /// Translation: the language that is translated.
    pub source: Option<CodeLang>,
}

/// A model's results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct ModelLanguages {
    pub model: ModelId,
    /// Its name.
    pub name: String,
    /// One entry for each of [`LanguageResults::datasets`]; absent without a run.
    pub cells: Vec<Option<LanguageCell>>,
}

/// A model's newest run in one language.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct LanguageCell {
    pub run: RunId,
    /// Number of tasks of the dataset's version.
    pub tasks: u32,
    /// How many of these have a verdict; the others count as not solved.
    pub answered: u32,
    /// Number of outputs with a verdict.
    pub outputs: u32,
    /// Guarded `pass@k`: k = 1, 10 and 100 as far as there are samples, or every k below ten samples.
    pub pass_at: Vec<PassAtK>,
    /// The figures as published.
    pub published: Option<AsPublished>,
    /// `pass@k` as published.
    pub published_pass_at: Vec<PassAtK>,
    /// Number of outputs per guarded verdict, only those that occur.
    pub verdicts: Vec<(Verdict, u32)>,
    /// Number of outputs per class of failure as published, only those that occur.
    pub failures: Vec<(FailureClass, u32)>,
}

impl LanguageCell {
    /// Guarded `pass@k`.
    pub fn at(&self, k: u32) -> Option<&PassAtK> {
        self.pass_at.iter().find(|at| at.k == k)
    }

    /// `pass@k` as published.
    pub fn published_at(&self, k: u32) -> Option<&PassAtK> {
        self.published_pass_at.iter().find(|at| at.k == k)
    }
}

impl LanguageResults {
    /// The k that a cell has, in order.
    pub fn ks(&self) -> Vec<u32> {
        let cells = self.models.iter().flat_map(|model| model.cells.iter().flatten());
        let mut all: Vec<u32> = cells.flat_map(|cell| cell.pass_at.iter().map(|at| at.k)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The indices of the datasets for code generation.
    pub fn generation(&self) -> Vec<usize> {
        (0..self.datasets.len()).filter(|at| self.datasets[*at].source.is_none()).collect()
    }

    /// The index of the dataset for translation from `source` to `target`.
    pub fn translation(&self, source: CodeLang, target: CodeLang) -> Option<usize> {
        self.datasets.iter().position(|dataset| dataset.source == Some(source) && dataset.lang == target)
    }
}

impl ModelLanguages {
    /// The mean of `pass@k` over these datasets; `None` if one of them has no such figure.
    pub fn mean(&self, datasets: &[usize], k: u32) -> Option<f64> {
        let values: Option<Vec<f64>> =
            datasets.iter().map(|at| Some(self.cells.get(*at)?.as_ref()?.at(k)?.value)).collect();
        values.filter(|values| !values.is_empty()).map(|values| values.iter().sum::<f64>() / values.len() as f64)
    }
}
