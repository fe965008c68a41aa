//! `aixgrade report BUNDLE`: recomputes the figures of an exported comparison.

use std::{fs::File, io::BufReader, path::PathBuf};

use clap::Args;
use model::lang::{Bilingual, Lang};
use serde::Serialize;

use super::Global;
use base::error::Failure;
use report::{bundle, comparison_figures, results_file, tables};

/// `report`
#[derive(Args)]
pub struct Report {
    /// Bundle exported by `aixgrade export bundle` or on the comparison page
    #[arg(value_name = "BUNDLE", required_unless_present = "results")]
    bundle: Option<PathBuf>,
    /// Use per-task results of another test runner instead of a bundle, as MODEL=FILE with the
    /// tab-separated columns task_id, passed, total; repeat for each model
    #[arg(long, value_name = "MODEL=FILE", conflicts_with = "bundle")]
    results: Vec<String>,
    /// Language of the tables: en or zh
    #[arg(long, default_value = "en")]
    words: Lang,
}

/// The result of checking a bundle.
#[derive(Serialize)]
struct Reported<'a> {
    /// The program version that exported the bundle.
    program: &'a str,
    /// When it was exported.
    made_at: &'a str,
    /// Always true: a bundle whose figures differ is an error.
    same: bool,
    figures: &'a model::comparison::ComparisonFigures,
}

/// Runs the command. It needs no data folder.
pub fn run(global: &Global, report: &Report) -> Result<(), Failure> {
    let Some(bundle) = &report.bundle else { return results(global, report) };
    let name = bundle.display().to_string();
    let file = File::open(bundle)
        .map_err(|e| Failure::invalid(&name, format!("the file cannot be read: {e}"), "Pass the path of a bundle"))?;
    let bundle = bundle::read(&name, BufReader::new(file))?;
    let computed = comparison_figures::compute(&bundle.input);
    // Compared as text, so that figures that differ in the last bit differ.
    if serde_json::to_string(&computed)? != serde_json::to_string(&bundle.figures)? {
        return Err(Failure::invalid(
            &name,
            format!(
                "the figures in the bundle differ from those that this version computes from its data (exported by {})",
                bundle.manifest.program
            ),
            "Use the version that exported the bundle. If this is that version, the figures in the bundle were changed",
        ));
    }
    let reported = Reported {
        program: &bundle.manifest.program,
        made_at: &bundle.manifest.made_at,
        same: true,
        figures: &computed,
    };
    global.show(&reported, |reported| {
        format!(
            "{}Exported by {} on {}. All {} files are unchanged, and all recomputed figures are identical to the last bit.",
            tables::markdown(reported.figures, &print(report.words, &bundle.input.name)),
            reported.program,
            reported.made_at,
            bundle.manifest.files.len()
        )
    })
}

/// Tables of models whose results are in files.
fn results(global: &Global, report: &Report) -> Result<(), Failure> {
    let read = |given: &String| {
        let Some((model, path)) = given.split_once('=') else {
            return Err(Failure::invalid(
                "--results",
                format!("\"{given}\" is not of the form MODEL=FILE"),
                "Write MODEL=FILE",
            ));
        };
        let text = std::fs::read_to_string(path).map_err(|e| {
            Failure::invalid(path, format!("the file cannot be read: {e}"), "Pass the path of the results")
        })?;
        Ok((model.to_owned(), path.to_owned(), text))
    };
    let files = report.results.iter().map(read).collect::<Result<Vec<_>, Failure>>()?;
    let figures = comparison_figures::compute(&results_file::input(&files)?);
    global.show(&figures, |figures| tables::markdown(figures, &report.words.into()))
}

fn print(lang: Lang, dataset: &Bilingual) -> tables::Print {
    tables::Print { dataset: dataset.get(lang).to_owned(), ..lang.into() }
}
