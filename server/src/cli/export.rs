//! `aixgrade export …`

use std::{
    io::{BufWriter, Write},
    path::PathBuf,
};

use app::{
    model::{
        compare::Choice,
        ids::{RunId, StudyId},
        lang::Lang,
    },
    port::Caller,
};
use clap::{Args, ValueEnum};

use super::Global;
use crate::{error::Failure, report::lines::Form, services::comparisons::export::File};

/// `export`
#[derive(Args)]
pub struct Export {
    /// What to export
    #[arg(value_enum)]
    what: What,
    /// One study: its ratings with usernames, or its means
    #[arg(long)]
    study: Option<StudyId>,
    /// A dataset: the data behind its comparison, with pseudonyms for raters
    #[arg(long, conflicts_with = "study", required_unless_present = "study", value_name = "NAME")]
    dataset: Option<String>,
    /// Only these models, by name [default: all]
    #[arg(long, value_delimiter = ',', requires = "dataset")]
    models: Vec<String>,
    /// Only these studies [default: all that have ratings with the newest rubric]
    #[arg(long, value_delimiter = ',', requires = "dataset")]
    studies: Vec<StudyId>,
    /// Only these runs [default: the newest of each model]
    #[arg(long, value_delimiter = ',', requires = "dataset")]
    runs: Vec<RunId>,
    /// Only tasks in this description language: en or zh
    #[arg(long, requires = "dataset")]
    lang: Option<Lang>,
    /// Format of the file
    #[arg(long, value_enum, requires = "dataset")]
    format: Option<Format>,
    /// Language of the tables: en or zh
    #[arg(long, default_value = "en")]
    words: Lang,
    /// File to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// All ratings, including replaced ones, which are marked
    Ratings,
    /// The means of a study with their intervals
    Comparison,
    /// All verdicts of a dataset's runs
    Verdicts,
    /// The comparison of a dataset as tables for a paper
    Tables,
    /// A zip file with the data and figures of a comparison; `aixgrade report` recomputes it
    Bundle,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Ratings and verdicts: comma-separated values
    Csv,
    /// Ratings and verdicts: one JSON object per line
    Jsonl,
    /// Tables: Markdown
    Md,
    /// Tables: LaTeX with booktabs
    Tex,
}

/// Runs the command.
pub async fn run(global: &Global, export: Export) -> Result<(), Failure> {
    let file = match (export.what, export.format) {
        (What::Ratings, None | Some(Format::Csv)) => File::Ratings(Form::Csv),
        (What::Ratings, Some(Format::Jsonl)) => File::Ratings(Form::JsonLines),
        (What::Verdicts, None | Some(Format::Csv)) => File::Verdicts(Form::Csv),
        (What::Verdicts, Some(Format::Jsonl)) => File::Verdicts(Form::JsonLines),
        (What::Tables, None | Some(Format::Md)) => File::Markdown,
        (What::Tables, Some(Format::Tex)) => File::Latex,
        (What::Bundle, None) => File::Bundle,
        (What::Comparison, None) => File::Markdown,
        _ => {
            return Err(Failure::invalid(
                "--format",
                "this format does not fit what is exported",
                "Use csv or jsonl for ratings and verdicts, md or tex for tables; leave it out for a bundle",
            ));
        }
    };
    let services = global.open()?;
    if let Some(study) = export.study {
        return match export.what {
            What::Ratings => {
                let download = services.studies.ratings_csv(&Caller::Operator, study).await?;
                download.copy_to(&mut open(export.output)?)?;
                Ok(())
            }
            What::Comparison => {
                let bytes = services.studies.comparison_csv(&Caller::Operator, study).await?;
                let mut out = open(export.output)?;
                out.write_all(&bytes)?;
                Ok(out.flush()?)
            }
            What::Verdicts | What::Tables | What::Bundle => Err(Failure::invalid(
                "--study",
                "this can be exported for a dataset only, not for a study",
                "Use --dataset for the dataset and --studies for the study",
            )),
        };
    }
    let dataset = export.dataset.unwrap_or_default();
    let known = services
        .comparisons
        .settled(&Caller::Operator, Choice { dataset: dataset.clone(), ..Choice::default() })
        .await?;
    let model = |name: &String| {
        let found = known.options.models.iter().find(|(_, known)| known.eq_ignore_ascii_case(name));
        found.map(|(id, _)| *id).ok_or_else(|| {
            let names: Vec<&str> = known.options.models.iter().map(|(_, name)| name.as_str()).collect();
            Failure::invalid(
                "--models",
                format!("no model named \"{name}\" has outputs for {dataset}"),
                format!("Choose from: {}", names.join(", ")),
            )
        })
    };
    let models = export.models.iter().map(model).collect::<Result<Vec<_>, _>>()?;
    let given = |empty: bool| !empty;
    let choice = Choice {
        models: given(models.is_empty()).then_some(models),
        studies: given(export.studies.is_empty()).then_some(export.studies),
        runs: given(export.runs.is_empty()).then_some(export.runs),
        lang: export.lang,
        dataset,
        ..Choice::default()
    };
    let ready = services.comparisons.ready(&Caller::Operator, choice, file, export.words).await?;
    let to_file = export.output.is_some();
    let download = services.comparisons.export(ready).await?;
    let lines = download.copy_to(&mut open(export.output)?)?;
    if to_file && lines > 0 {
        eprintln!("Exported {lines} lines.");
    }
    Ok(())
}

fn open(path: Option<PathBuf>) -> Result<Box<dyn Write + Send>, Failure> {
    let Some(path) = path else { return Ok(Box::new(BufWriter::new(std::io::stdout()))) };
    let file = std::fs::File::create(&path).map_err(|e| {
        Failure::invalid(
            &path.display().to_string(),
            format!("the file cannot be written: {e}"),
            "Choose another file with -o",
        )
    })?;
    Ok(Box::new(BufWriter::new(file)))
}
