//! `aixgrade export …`

use std::{
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use clap::{Args, ValueEnum};
use model::{
    caller::System,
    comparison::{Selection, TaskFilter},
    decimals::Decimals,
    ids::{RunId, StudyId},
    lang::Lang,
    results::BoardQuery,
    slices::BoardSlice,
};

use super::Global;
use base::error::Failure;
use report::{
    csv::BOM,
    dataset_folder,
    figures::{RenderOptions, Theme, print::Width},
    table::Form,
    tables::{Name, Print},
};
use services::{
    Services,
    comparisons::{
        export::{File, Table},
        figure_files::Kind,
    },
    results::Allowance,
    spool::Download,
};

/// `export`
#[derive(Args)]
pub struct Export {
    /// What to export
    #[arg(value_enum)]
    what: What,
    /// One study: its ratings, its outputs or its means
    #[arg(long)]
    study: Option<StudyId>,
    /// A dataset: the data behind its comparison, with pseudonyms for raters. Of the leaderboard: only this dataset [default:
    /// all]
    #[arg(long, conflicts_with = "study", value_name = "NAME")]
    dataset: Option<String>,
    /// Of the leaderboard: only this slice of each dataset's tasks, by attribute and value, such as difficulty.hard,
    /// length.short, code_lang.go or nl_lang.en [default: all tasks]
    #[arg(long, value_name = "SLICE", value_parser = slice)]
    slice: Option<BoardSlice>,
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
    nl_lang: Option<Lang>,
    /// Format of the file
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// The figure to export, by its name on the comparison page, such as correctness-means or pass-at-1
    #[arg(long, requires = "dataset", value_name = "NAME")]
    figure: Option<String>,
    /// Width of the figure
    #[arg(long, value_enum, default_value = "column")]
    width: FigureWidth,
    /// Language of tables and figures: en or zh
    #[arg(long, default_value = "en")]
    words: Lang,
    /// Decimals of scores in tables
    #[arg(long, default_value_t = Decimals::default().scores, value_name = "N",
        value_parser = clap::value_parser!(u8).range(..=i64::from(Decimals::MOST)))]
    score_decimals: u8,
    /// Decimals of percentages in tables
    #[arg(long, default_value_t = Decimals::default().percent, value_name = "N",
        value_parser = clap::value_parser!(u8).range(..=i64::from(Decimals::MOST)))]
    percent_decimals: u8,
    /// The one table to export as CSV
    #[arg(long, value_enum, value_name = "NAME")]
    table: Option<PrintedTable>,
    /// Begin CSV with a byte order mark, as Excel needs it
    #[arg(long)]
    bom: bool,
    /// File to write [default: standard output]; the folder of dataset-folder
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
    /// All outputs that are compared, with their code, verdict and mean scores
    Outputs,
    /// Every pair of a dataset's models, with differences and p-values
    Pairs,
    /// Every model over slices of a dataset's tasks: by difficulty, length and language
    Slices,
    /// The comparison of a dataset as tables for a paper
    Tables,
    /// A zip file with the data and figures of a comparison; `aixgrade report` recomputes it
    Bundle,
    /// All models on all datasets: mean scores by people and pass@k by tests
    Leaderboard,
    /// A folder with outputs, ratings and verdicts as Parquet, which Python's datasets.load_dataset opens
    DatasetFolder,
    /// One figure of a dataset's comparison
    Figure,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PrintedTable {
    /// Figures of the tests
    Automatic,
    /// Figures by the verdicts as published
    Published,
    /// Mean scores by people
    Manual,
    /// Differences between models
    Differences,
    /// Agreement between raters
    Agreement,
}

impl PrintedTable {
    fn name(self) -> Name {
        match self {
            PrintedTable::Automatic => Name::Automatic,
            PrintedTable::Published => Name::Published,
            PrintedTable::Manual => Name::Manual,
            PrintedTable::Differences => Name::Differences,
            PrintedTable::Agreement => Name::Agreement,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FigureWidth {
    /// A journal's column, 89 mm
    Column,
    /// A journal's page, 183 mm
    Page,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Ratings, verdicts and outputs: comma-separated values
    Csv,
    /// Ratings, verdicts and outputs: one JSON object per line
    Jsonl,
    /// Ratings, verdicts and outputs: Apache Parquet
    Parquet,
    /// Tables: Markdown
    Md,
    /// Tables: LaTeX with booktabs and siunitx
    Tex,
    /// Figures: SVG with its font
    Svg,
    /// Figures: PNG, 600 pixels per inch
    Png,
    /// Figures: PDF
    Pdf,
    /// Figures: the caption
    Txt,
}

/// Runs the command.
pub async fn run(global: &Global, export: Export) -> Result<(), Failure> {
    match export.what {
        What::Figure => return figure(global, export).await,
        What::Leaderboard => return leaderboard(global, export).await,
        _ if export.slice.is_some() => {
            let fix = "Leave it out; `export slices` has every slice of a dataset's tasks";
            return Err(Failure::invalid("--slice", "only the leaderboard is of one slice of tasks", fix));
        }
        _ if export.dataset.is_none() && export.study.is_none() => {
            let what = "what is exported belongs to a dataset or to a study";
            return Err(Failure::invalid("--dataset", what, "Name one with --dataset or --study"));
        }
        _ => {}
    }
    let file = file(&export)?;
    if export.bom && file.kind() != Form::Csv.media() {
        return Err(no_mark());
    }
    if export.what == What::DatasetFolder && export.output.is_none() {
        return Err(Failure::invalid(
            "-o",
            "a folder cannot be written to standard output",
            "Name a new folder with -o",
        ));
    }
    let services = global.open()?;
    let selection = match export.study {
        Some(study) => services.comparisons.study_selection(&System.admin(), study, false).await?,
        None => selection(&services, &export).await?,
    };
    write(&services, selection, file, &export).await
}

/// What is exported, in the format that is asked for.
fn file(export: &Export) -> Result<File, Failure> {
    let of_study = export.study.is_some();
    let table = match export.what {
        What::Ratings if of_study => Some(Table::StudyRatings),
        What::Ratings => Some(Table::Ratings),
        What::Verdicts => Some(Table::Verdicts),
        What::Outputs => Some(Table::Outputs),
        _ => None,
    };
    let form = match export.format {
        None | Some(Format::Csv) => Some(Form::Csv),
        Some(Format::Jsonl) => Some(Form::JsonLines),
        Some(Format::Parquet) => Some(Form::Parquet),
        Some(_) => None,
    };
    if of_study && !matches!(export.what, What::Ratings | What::Outputs | What::Comparison) {
        return Err(Failure::invalid(
            "--study",
            "this can be exported for a dataset only, not for a study",
            "Use --dataset for the dataset and --studies for the study",
        ));
    }
    Ok(match (export.what, export.format) {
        (What::Comparison, None | Some(Format::Csv)) if of_study => File::Means,
        (What::Comparison, None) => File::Markdown,
        (What::Pairs, None | Some(Format::Csv)) => File::Pairs,
        (What::Slices, None | Some(Format::Csv)) => File::Slices,
        (What::Tables, Some(Format::Csv)) => match export.table {
            Some(table) => File::TableCsv(table.name()),
            None => {
                let what = "a CSV file has one table";
                let fix = "Name it with --table: automatic, published, manual, differences or agreement";
                return Err(Failure::invalid("--table", what, fix));
            }
        },
        (What::Tables, None | Some(Format::Md)) => File::Markdown,
        (What::Tables, Some(Format::Tex)) => File::Latex,
        (What::Bundle, None) => File::Bundle,
        (What::DatasetFolder, None) => File::DatasetFolder,
        _ => match table.zip(form) {
            Some((table, form)) => File::Table(table, form),
            None => {
                return Err(Failure::invalid(
                    "--format",
                    "this format does not fit what is exported",
                    "Use csv, jsonl or parquet for ratings, verdicts and outputs, md, tex or csv for tables, svg, png, pdf, csv or txt for a figure; leave it out for a bundle or a folder",
                ));
            }
        },
    })
}

async fn write(services: &Services, selection: Selection, file: File, export: &Export) -> Result<(), Failure> {
    let decimals = Decimals { scores: export.score_decimals, percent: export.percent_decimals };
    let print = Print { decimals, ..export.words.into() };
    let ready = services.comparisons.ready(&System.admin(), selection, file, print).await?;
    if let (File::DatasetFolder, Some(folder)) = (file, &export.output) {
        let download = services.comparisons.export(ready).await?;
        return dataset_folder::unpack(download.file, folder);
    }
    copy(services.comparisons.export(ready).await?, export)
}

/// Writes the file, and says of how many lines it is.
fn copy(download: Download, export: &Export) -> Result<(), Failure> {
    let mut out = open(export.output.as_deref())?;
    if export.bom {
        out.write_all(BOM)?;
    }
    let lines = download.copy_to(&mut out)?;
    if export.output.is_some() && lines > 0 {
        eprintln!("Exported {lines} lines.");
    }
    Ok(())
}

/// The leaderboard, with every figure: the command waits for those that are not known yet.
async fn leaderboard(global: &Global, export: Export) -> Result<(), Failure> {
    if export.format.is_some_and(|format| format != Format::Csv) {
        return Err(Failure::invalid("--format", "the leaderboard is exported as CSV", "Use csv, or leave it out"));
    }
    let parts = [&export.models.is_empty(), &export.studies.is_empty(), &export.runs.is_empty()];
    if parts.iter().any(|is_empty| !**is_empty) || export.study.is_some() || export.nl_lang.is_some() {
        let what = "the leaderboard has every model, and the studies and runs of each dataset's comparison";
        let fix = "Leave out --study, --studies, --models, --runs and --nl-lang; --slice selects tasks";
        return Err(Failure::invalid("leaderboard", what, fix));
    }
    let query = BoardQuery {
        dataset: export.dataset.clone().unwrap_or_default(),
        slice: export.slice.map(BoardSlice::name).unwrap_or_default(),
        ..BoardQuery::default()
    };
    let services = global.open()?;
    copy(services.results.csv(&System.admin(), query, Allowance::unlimited()).await?, &export)
}

/// A slice of the leaderboard, by its name.
fn slice(name: &str) -> Result<BoardSlice, String> {
    let found = BoardSlice::read(name).map_err(|error| error.to_string())?;
    found.ok_or_else(|| "name an attribute and a value, such as difficulty.hard".to_owned())
}

/// The part of a dataset that the arguments select.
async fn selection(services: &Services, export: &Export) -> Result<Selection, Failure> {
    let dataset = export.dataset.clone().unwrap_or_default();
    let known = services
        .comparisons
        .resolve(&System.admin(), Selection { dataset: dataset.clone(), ..Selection::default() })
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
    Ok(Selection {
        models: given(models.is_empty()).then_some(models),
        studies: given(export.studies.is_empty()).then(|| export.studies.clone()),
        runs: given(export.runs.is_empty()).then(|| export.runs.clone()),
        nl_lang: export.nl_lang,
        dataset,
        ..Selection::default()
    })
}

/// One figure, in the format that is asked for or that the file's name says.
async fn figure(global: &Global, export: Export) -> Result<(), Failure> {
    let kind = match export.format {
        Some(Format::Svg) => Kind::Svg,
        Some(Format::Png) => Kind::Png,
        Some(Format::Pdf) => Kind::Pdf,
        Some(Format::Csv) => Kind::Csv,
        Some(Format::Txt) => Kind::Text,
        Some(_) => {
            let what = "this format does not fit a figure";
            return Err(Failure::invalid("--format", what, "Use svg, png, pdf, csv or txt"));
        }
        None => {
            let name = export.output.as_ref().and_then(|path| path.file_name()).and_then(|name| name.to_str());
            name.and_then(Kind::of).map_or(Kind::Svg, |(_, kind)| kind)
        }
    };
    if export.bom && kind != Kind::Csv {
        return Err(no_mark());
    }
    let width = match export.width {
        FigureWidth::Column => Width::Column,
        FigureWidth::Page => Width::Page,
    };
    let options = RenderOptions { width, theme: Theme::Light, lang: export.words };
    if export.dataset.is_none() {
        let what = "a figure belongs to a dataset's comparison";
        return Err(Failure::invalid("--dataset", what, "Name the dataset; choose a study with --studies"));
    }
    let wanted = export.figure.clone().unwrap_or_default();
    let services = global.open()?;
    let selection = selection(&services, &export).await?;
    let names = services.comparisons.figure_names(&System.admin(), selection.clone()).await?;
    if !names.contains(&wanted) {
        let what = format!("this comparison has no figure named \"{wanted}\"");
        return Err(Failure::invalid("--figure", what, format!("Choose from: {}", names.join(", "))));
    }
    let asked = (selection, TaskFilter::default());
    let bytes = services.comparisons.figure_file(&System.admin(), asked, (&wanted, kind), options).await?;
    let mut out = open(export.output.as_deref())?;
    if export.bom {
        out.write_all(BOM)?;
    }
    out.write_all(&bytes)?;
    Ok(out.flush()?)
}

fn no_mark() -> Failure {
    Failure::invalid("--bom", "only CSV begins with a byte order mark", "Leave it out, or use --format csv")
}

/// The file to write, or standard output.
pub fn open(path: Option<&Path>) -> Result<Box<dyn Write + Send>, Failure> {
    let Some(path) = path else { return Ok(Box::new(BufWriter::new(std::io::stdout()))) };
    let file = std::fs::File::create(path).map_err(|e| {
        Failure::invalid(
            &path.display().to_string(),
            format!("the file cannot be written: {e}"),
            "Choose another file with -o",
        )
    })?;
    Ok(Box::new(BufWriter::new(file)))
}
