//! `aixgrade report BUNDLE`: a comparison's figures computed again, away from where they were made.

use std::{fs::File, io::BufReader, path::PathBuf};

use app::model::lang::Lang;
use clap::Args;
use serde::Serialize;

use super::Global;
use crate::{
    error::Failure,
    report::{bundle, results_file, sheet, tables},
};

/// `report`
#[derive(Args)]
pub struct Report {
    /// The bundle that `aixgrade export bundle` or the comparison's page wrote
    #[arg(value_name = "BUNDLE", required_unless_present = "results")]
    bundle: Option<PathBuf>,
    /// In place of a bundle: per-task results of another runner, as MODEL=FILE with the tab-separated
    /// columns task_id, passed, total; once for each model
    #[arg(long, value_name = "MODEL=FILE", conflicts_with = "bundle")]
    results: Vec<String>,
    /// The tables' language: en or zh
    #[arg(long, default_value = "en")]
    words: Lang,
}

/// What a bundle comes to.
#[derive(Serialize)]
struct Reported<'a> {
    /// The program that made it.
    program: &'a str,
    /// When.
    made_at: &'a str,
    /// Always: a bundle whose figures differ is an error.
    same: bool,
    figures: &'a app::model::compare::Sheet,
}

/// Runs the command. It needs no data folder.
pub fn run(global: &Global, report: &Report) -> Result<(), Failure> {
    let Some(bundle) = &report.bundle else { return results(global, report) };
    let name = bundle.display().to_string();
    let file = File::open(bundle)
        .map_err(|e| Failure::invalid(&name, format!("the file cannot be read: {e}"), "Name the bundle's file"))?;
    let bundle = bundle::read(&name, BufReader::new(file))?;
    let computed = sheet::compute(&bundle.ground);
    // As text: two figures that differ in their last bit differ here.
    if serde_json::to_string(&computed)? != serde_json::to_string(&bundle.sheet)? {
        return Err(Failure::invalid(
            &name,
            format!(
                "the figures in it are not those that this program computes from its data ({} made them)",
                bundle.manifest.program
            ),
            "Use the program that wrote it; if that is this one, the figures were changed",
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
            "{}Made by {} on {}; {} files unchanged; every figure was computed again and is the same to the last bit.",
            tables::markdown(reported.figures, report.words),
            reported.program,
            reported.made_at,
            bundle.manifest.files.len()
        )
    })
}

/// The tables of models whose results are in files.
fn results(global: &Global, report: &Report) -> Result<(), Failure> {
    let read = |given: &String| {
        let Some((model, path)) = given.split_once('=') else {
            return Err(Failure::invalid("--results", format!("`{given}` names no file"), "Write MODEL=FILE"));
        };
        let text = std::fs::read_to_string(path)
            .map_err(|e| Failure::invalid(path, format!("the file cannot be read: {e}"), "Name the results' file"))?;
        Ok((model.to_owned(), path.to_owned(), text))
    };
    let files = report.results.iter().map(read).collect::<Result<Vec<_>, Failure>>()?;
    let figures = sheet::compute(&results_file::ground(&files)?);
    global.show(&figures, |figures| tables::markdown(figures, report.words))
}
