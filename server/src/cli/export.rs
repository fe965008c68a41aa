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
    /// What to write
    #[arg(value_enum)]
    what: What,
    /// One study: its ratings with the raters' names, or its means
    #[arg(long)]
    study: Option<StudyId>,
    /// A dataset: everything that its comparison rests on, raters under pseudonyms
    #[arg(long, conflicts_with = "study", required_unless_present = "study", value_name = "NAME")]
    dataset: Option<String>,
    /// Only these models, by name [default: all]
    #[arg(long, value_delimiter = ',', requires = "dataset")]
    models: Vec<String>,
    /// Only these studies [default: all with ratings, of the newest rubric]
    #[arg(long, value_delimiter = ',', requires = "dataset")]
    studies: Vec<StudyId>,
    /// Only these runs [default: each model's newest]
    #[arg(long, value_delimiter = ',', requires = "dataset")]
    runs: Vec<RunId>,
    /// Only tasks in this language: en or zh
    #[arg(long, requires = "dataset")]
    lang: Option<Lang>,
    /// How lines or tables are written
    #[arg(long, value_enum, requires = "dataset")]
    format: Option<Format>,
    /// The tables' language: en or zh
    #[arg(long, default_value = "en")]
    words: Lang,
    /// The file to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// Every rating, superseded ones included and marked
    Ratings,
    /// A study's means with their intervals
    Comparison,
    /// Every verdict of a dataset's runs
    Verdicts,
    /// A dataset's comparison as tables for a paper
    Tables,
    /// One zip with all that a comparison rests on; `aixgrade report` computes it again
    Bundle,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Ratings and verdicts: comma-separated values
    Csv,
    /// Ratings and verdicts: a JSON object a line
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
                "this cannot be written so",
                "Use csv or jsonl for ratings and verdicts, md or tex for tables, none for a bundle",
            ));
        }
    };
    let services = global.open()?;
    if let Some(study) = export.study {
        let bytes = match export.what {
            What::Ratings => services.studies.ratings_csv(&Caller::Operator, study).await?,
            What::Comparison => services.studies.comparison_csv(&Caller::Operator, study).await?,
            What::Verdicts | What::Tables | What::Bundle => {
                return Err(Failure::invalid(
                    "--study",
                    "this is of a dataset, not of one study",
                    "Name the dataset with --dataset, and the study with --studies",
                ));
            }
        };
        let mut out = open(export.output)?;
        out.write_all(&bytes)?;
        return Ok(out.flush()?);
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
                format!("no model `{name}` has outputs for {dataset}"),
                format!("Choose of: {}", names.join(", ")),
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
    let lines = services.comparisons.export(ready, open(export.output)?).await?;
    if to_file && lines > 0 {
        eprintln!("{lines} lines");
    }
    Ok(())
}

fn open(path: Option<PathBuf>) -> Result<Box<dyn Write + Send>, Failure> {
    let Some(path) = path else { return Ok(Box::new(BufWriter::new(std::io::stdout()))) };
    let file = std::fs::File::create(&path).map_err(|e| {
        Failure::invalid(
            &path.display().to_string(),
            format!("the file cannot be written: {e}"),
            "Name another with -o",
        )
    })?;
    Ok(Box::new(BufWriter::new(file)))
}
