//! `aixgrade import …`

use std::path::PathBuf;

use clap::Subcommand;
use model::{caller::System, dataset::ImportReport};

use super::{Global, progress, ratings};
use base::error::Failure;
use services::{codeif, starter};

/// Import datasets or ratings. Importing the same dataset again changes nothing; changed tasks become a new version.
#[derive(Subcommand)]
pub enum Import {
    /// Import AixBench: a checkout of its repository, an archive of it, or its data files
    /// dataset_autotest_nl.jsonl and dataset_manual_nl.jsonl
    Aixbench {
        /// Folder, archive (.zip, .tar.gz) or .jsonl files
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
    },
    /// Import HumanEval-X: a checkout of its repository, an archive of it, a folder with the files
    /// humaneval_<language>.jsonl.gz, or such files
    HumanevalX {
        /// Folder, archive (.zip, .tar.gz) or humaneval_*.jsonl.gz files
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// Also import the translation task: a dataset for each ordered pair of languages
        #[arg(long)]
        translation: bool,
    },
    /// Import CodeIF-Bench: a checkout of its repository, an archive of it, or its data files. Data versions are imported
    /// side by side; the published outputs belong to that of the first release
    CodeifBench {
        /// Folder, archive (.zip, .tar.gz) or .jsonl files
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// Also import the outputs that the authors published in this checkout, with their verdicts
        #[arg(long, value_name = "DIR")]
        outputs: Option<PathBuf>,
    },
    /// Import the starter tasks in Python, C++, JavaScript, Go and Rust with the outputs of three invented models
    StarterLanguages,
    /// Import a dataset in AixGrade's own format: a folder with a dataset.json, or an archive of it
    Dataset {
        /// Folder or archive
        #[arg(value_name = "DIR")]
        path: PathBuf,
    },
    /// Import ratings from another tool, or the scores of a judge model, from a CSV file with a
    /// header and one line per rating
    Ratings(ratings::Ratings),
}

/// Runs the command.
pub async fn run(global: &Global, command: Import) -> Result<(), Failure> {
    let services = global.open()?;
    let mut outputs = None;
    let (paths, translation) = match command {
        Import::CodeifBench { paths, outputs: checkout } => {
            outputs = checkout;
            (paths, false)
        }
        Import::Aixbench { paths } => (paths, false),
        Import::HumanevalX { paths, translation } => (paths, translation),
        Import::Dataset { path } => (vec![path], false),
        Import::StarterLanguages => return global.show(&starter::languages(&services).await?, text),
        Import::Ratings(asked) => return ratings::run(global, &services, asked).await,
    };
    let bar = progress::spinner("Importing");
    let report = match translation {
        true => services.imports.with_translation(System, paths).await,
        false => services.imports.paths(System, paths).await,
    };
    let mut report = report.inspect_err(|_| bar.finish_and_clear())?;
    if let Some(checkout) = outputs {
        report.notes.extend(codeif::import_outputs(&services, checkout).await?);
    }
    bar.finish_and_clear();
    global.show(&report, text)
}

/// The report as text.
pub fn text(report: &ImportReport) -> String {
    let mut lines: Vec<String> = report
        .datasets
        .iter()
        .map(|d| {
            let tasks = format!("{} tasks ({} in English, {} in Chinese)", d.tasks, d.english, d.chinese);
            match d.new {
                true => format!("{}: version {}, {tasks}, {} new or changed", d.slug, d.number, d.changed),
                false => format!("{}: unchanged, version {} has the same {tasks}", d.slug, d.number),
            }
        })
        .collect();
    lines.extend(report.rubric.clone());
    lines.extend(report.notes.iter().cloned());
    lines.join("\n")
}
