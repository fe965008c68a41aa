//! `aixgrade runs …`

use std::{
    io::{BufWriter, Write},
    path::PathBuf,
};

use clap::{Subcommand, ValueEnum};
use model::{
    caller::System,
    conversation_results::{ConversationResults, DynamicShares, Share, WayResults},
    ids::RunId,
    run::{ItemRow, ItemState, RunDetail, RunRow},
    run_pair::{PairOutput, RunPair, Side},
    workers::ToRunAgain,
};
use port::Runs as _;
use serde::Serialize;
use texts::{conversations::EN as TEXTS, runs::EN};

use super::{Global, Rows, datasets::beginning};
use base::error::Failure;
use command::table;
use db::run_workers;
use report::table::Form;

/// List, show, compare and export test runs. Start them with `aixgrade run`.
#[derive(Subcommand)]
pub enum Runs {
    /// List runs, newest first
    List(Rows),
    /// Show the results of a run
    Show {
        /// Number of the run
        run: RunId,
    },
    /// Compare two runs of the same dataset, task by task
    Compare {
        /// First run
        a: RunId,
        /// Second run
        b: RunId,
        /// Also list tasks with equal results
        #[arg(long)]
        all: bool,
    },
    /// Remove a worker on another machine, for example because its credentials were stolen: its results are refused and not
    /// used again. Lists what to run again. Revoke its credentials at the broker first
    RemoveWorker {
        /// Its name, as on the page Runs
        name: String,
    },
    /// Show each model's figures in CodeIF-Bench: pass rates by way, accuracy and forgetting by round, verdicts that
    /// differ from those that the authors published
    Conversations {
        /// Print CSV
        #[arg(long)]
        csv: bool,
    },
    /// Export the results of a run: the same file as on the run's page
    Export {
        /// Number of the run
        run: RunId,
        /// JSON Lines with the metrics at the end, CSV or Parquet
        #[arg(long = "as", value_enum, default_value_t = Shape::Jsonl)]
        shape: Shape,
        /// File to write [default: standard output]
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

/// A run with all its outputs.
#[derive(Serialize)]
struct Whole {
    #[serde(flatten)]
    detail: RunDetail,
    items: Vec<ItemRow>,
    /// Why the engine failed, for the first [`FAULTS`] outputs on which it did: their tasks and reasons.
    engine_errors: Vec<(String, String)>,
}

/// Maximum number of outputs whose engine errors are listed.
const FAULTS: usize = 20;

/// Format of the results.
#[derive(Clone, Copy, ValueEnum)]
pub enum Shape {
    /// One JSON object per output, and a last one with the metrics
    Jsonl,
    /// One row per output
    Csv,
    /// One row per output, with typed columns
    Parquet,
}

/// Runs the command.
pub async fn run(global: &Global, command: Runs) -> Result<(), Failure> {
    let services = global.open()?;
    let admin = System.admin();
    match command {
        Runs::List(rows) => {
            let rows = rows.read(async |of| services.runs.list(&admin, None, of).await).await?;
            let again = services.db.read(run_workers::to_run_again).await?;
            global.show(&rows, |rows| format!("{}{}", list(rows), run_again(&again)))
        }
        Runs::Show { run } => {
            let detail = services.runs.get(&admin, run).await?;
            let items = super::run::items(&services, run).await?;
            let mut engine_errors = Vec::new();
            for item in items.iter().filter(|item| item.state == ItemState::Failed).take(FAULTS) {
                if let Some(fault) = services.runs.item(&admin, run, item.output).await?.fault {
                    engine_errors.push((item.task_id.clone(), EN.fault_line(&fault)));
                }
            }
            let whole = Whole { detail, items, engine_errors };
            global.show(&whole, |Whole { detail, items, engine_errors }| {
                let mut text = super::run::text(detail, items);
                if !engine_errors.is_empty() {
                    text.push_str("\n\nEngine errors:");
                    for (task, why) in engine_errors {
                        text.push_str(&format!("\n{task}: {why}"));
                    }
                }
                if detail.row.lacks_sources {
                    text.push_str(&format!("\n{}", (EN.lacks_sources)(detail.row.id)));
                }
                if let Some(fault) = &detail.fault {
                    text.push_str(&format!("\nThe engine could not run it: {}", EN.fault_line(fault)));
                }
                text
            })
        }
        Runs::RemoveWorker { name } => {
            let again = services.runs.remove_worker(&admin, name).await?;
            global.show(&again, |again| match again.as_slice() {
                [] => "Removed. No run has results of removed workers.".to_owned(),
                again => format!("Removed.{}", run_again(again)),
            })
        }
        Runs::Compare { a, b, all } => {
            global.show(&services.runs.compare(&admin, a, b, None).await?, |pair| side_by_side(pair, all))
        }
        Runs::Conversations { csv } => {
            let results = services.runs.conversations(&admin).await?;
            if csv {
                report::conversations::csv(&results, &mut std::io::stdout().lock())?;
                return Ok(());
            }
            global.show(&results, conversations)
        }
        Runs::Export { run, shape, output } => {
            let mut out: Box<dyn Write + Send> = match output {
                None => Box::new(BufWriter::new(std::io::stdout())),
                Some(path) => Box::new(BufWriter::new(std::fs::File::create(&path).map_err(|e| {
                    let shown = path.display().to_string();
                    Failure::invalid(&shown, format!("the file cannot be written: {e}"), "Choose another file with -o")
                })?)),
            };
            let form = match shape {
                Shape::Jsonl => Form::JsonLines,
                Shape::Csv => Form::Csv,
                Shape::Parquet => Form::Parquet,
            };
            services.runs.write_results(&admin, run, form, |_| true, &mut out)?;
            Ok(out.flush()?)
        }
    }
}

/// A share with its interval.
fn percent(share: &Share) -> String {
    let within = share.interval.map(|i| format!(" [{:.1}, {:.1}]", i.low * 100.0, i.high * 100.0));
    format!("{:.1}%{}", share.value * 100.0, within.unwrap_or_default())
}

/// A model's pass rates in one way, and how many of its verdicts equal those of the authors.
fn way_row(slug: &str, name: &str, of: &WayResults) -> Vec<String> {
    let guarded = match (&of.guarded, of.not_counted()) {
        (None, _) => String::new(),
        (Some(share), 0) => percent(share),
        (Some(share), n) if share.of == 0 => (EN.not_counted_n)(n),
        (Some(share), n) => format!("{} ({})", percent(share), (EN.not_counted_n)(n)),
    };
    let equal = of.authors.as_ref().map_or_else(String::new, |of| match of.defective {
        0 => format!("{}/{}", of.equal, of.compared),
        defective => {
            let (equal, compared) = (of.equal - of.defective_equal, of.compared - defective);
            format!("{}/{} ({equal}/{compared} without defects)", of.equal, of.compared)
        }
    });
    let count = format!("{}/{}", of.published.count(), of.published.of);
    let run = of.run.map_or_else(|| "authors".to_owned(), |run| run.to_string());
    let first = [slug, name, of.way.name()].map(str::to_owned);
    first.into_iter().chain([run, count, percent(&of.published), guarded, equal]).collect()
}

/// Pass rates by way, then the figures of conversations, then how the verdicts compare with the authors'.
fn conversations(results: &ConversationResults) -> String {
    let (mut ways, mut rounds, mut dynamic, mut notes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for dataset in &results.datasets {
        for model in &dataset.models {
            let (slug, name) = (dataset.slug.clone(), model.name.clone());
            for of in &model.ways {
                ways.push(way_row(&slug, &name, of));
                let Some(authors) = &of.authors else { continue };
                for difference in &authors.differences {
                    let passed = if difference.authors_passed { "passed" } else { "failed" };
                    let (way, task, kind) = (of.way.name(), &difference.task_id, difference.kind.title());
                    let why = TEXTS.difference(difference.reason);
                    notes.push(format!(
                        "{slug}, {name}, {way}, task {task}, {kind}: the authors published \"{passed}\". {why}"
                    ));
                }
            }
            if let Some(figures) = &model.dynamic {
                let by_round = |share: fn(&DynamicShares) -> &Share| {
                    let values = figures.rounds.iter().map(|of| format!("{:.1}%", share(&of.shares).value * 100.0));
                    values.collect::<Vec<_>>().join(" ")
                };
                let (accuracy, efficiency) = (by_round(|of| &of.accuracy), by_round(|of| &of.efficiency));
                let of = &figures.all;
                let mut row = vec![slug.clone(), name.clone(), percent(&of.instruction_accuracy)];
                row.extend([percent(&of.accuracy), percent(&of.efficiency), percent(&of.forgotten)]);
                row.extend([accuracy, efficiency]);
                dynamic.push(row);
            }
            let Some(figures) = &model.conversation else { continue };
            let (own, lost, coded) = (&figures.instruction_accuracy, &figures.forgotten, &figures.forgotten_as_coded);
            let accuracy = figures.rounds.iter().map(|round| format!("{:.1}%", round.accuracy.value * 100.0));
            let accuracy = accuracy.collect::<Vec<_>>().join(" ");
            rounds.push(vec![slug, name, percent(own), percent(lost), percent(coded), accuracy]);
        }
    }
    let mut text =
        table(&["dataset", "model", "way", "run", "passed", "as published", "guarded", "equal to authors"], &ways);
    if !rounds.is_empty() {
        text.push_str("\n\n");
        text.push_str(&table(&["dataset", "model", "IA", "IFR", "IFR as coded", "CA by round"], &rounds));
    }
    if !dynamic.is_empty() {
        let heads = ["dataset", "model", "IA", "CA", "IFE", "IFR", "CA by round", "IFE by round"];
        text.push_str("\n\nDynamic conversations, computed from runs (no figures are published)\n");
        text.push_str(&table(&heads, &dynamic));
    }
    if !results.leaderboard.is_empty() {
        let rows: Vec<Vec<String>> = results
            .leaderboard
            .iter()
            .map(|row| {
                let of = |(passed, of): (u32, u32)| format!("{passed}/{of}");
                let share = |share: f64| format!("{:.1}%", share * 100.0);
                let way = row.way.name().to_owned();
                vec![
                    row.name.clone(),
                    way,
                    of(row.function),
                    of(row.repository),
                    share(row.published),
                    share(row.value),
                ]
            })
            .collect();
        text.push_str("\n\nThe leaderboard's column L-1\n");
        text.push_str(&table(&["model", "way", "function", "repository 1", "as printed", "of all"], &rows));
    }
    for note in notes {
        text.push('\n');
        text.push_str(&note);
    }
    text
}

/// The guarded pass@1 of a run, how many outputs do not count in it, and how many have no verdict.
fn pass_at_1(row: &RunRow) -> String {
    let m = &row.metrics;
    let share = if m.has_tasks() { format!("{:.2}%", m.pass_at_1 * 100.0) } else { "-".to_owned() };
    let not_counted = (m.not_counted > 0).then(|| (EN.not_counted_n)(m.not_counted));
    let failed = (row.failed > 0).then(|| (EN.without_verdict_n)(row.failed));
    let notes: Vec<String> = not_counted.into_iter().chain(failed).collect();
    if notes.is_empty() { share } else { format!("{share} ({})", notes.join(", ")) }
}

fn list(rows: &[RunRow]) -> String {
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            vec![
                row.id.to_string(),
                row.model_name.clone(),
                format!("{} v{}", row.dataset, row.number),
                row.submission.to_string(),
                row.status.name().to_owned(),
                format!("{}/{}", row.done, row.items),
                pass_at_1(row),
                row.published.map_or_else(String::new, |published| format!("{:.2}%", published.pass_at_1 * 100.0)),
                format!("{:.4}", row.metrics.ratio_sum),
                row.created_at.to_string(),
            ]
        })
        .collect();
    let heads =
        ["RUN", "MODEL", "DATASET", "SUBMISSION", "STATE", "DONE", "PASS@1", "AS PUBLISHED", "RATIO SUM", "STARTED"];
    table(&heads, &rows)
}

/// What removed workers reported, and how to run it again.
fn run_again(runs: &[ToRunAgain]) -> String {
    let line = |ToRunAgain { run, outputs }: &ToRunAgain| {
        format!(
            "\nRun {run}: removed workers reported {outputs} results. Run them again on the page Runs, or with `aixgrade \
             run --resume {run} --removed-workers`."
        )
    };
    runs.iter().map(line).collect()
}

fn side_by_side(pair: &RunPair, all: bool) -> String {
    let (a, b, p) = (&pair.a, &pair.b, pair.passes);
    let name = |row: &RunRow| format!("{} (run {})", row.model_name, row.id);
    let figures = |what: &str, of: fn(&RunRow) -> f64, decimals: usize, unit: &str| {
        let (x, y) = (of(a), of(b));
        let cell = |value: f64| format!("{value:.decimals$}{unit}");
        // A difference of shares is in percentage points.
        let unit = if unit == "%" { " pp" } else { unit };
        vec![what.to_owned(), cell(x), cell(y), format!("{:+.decimals$}{unit}", y - x)]
    };
    let mut rows = vec![
        figures("tasks passed", |row| f64::from(row.metrics.solved), 0, ""),
        figures("pass@1", |row| row.metrics.pass_at_1 * 100.0, 2, "%"),
        figures("AvgPassRatio", |row| row.metrics.ratio_mean * 100.0, 2, "%"),
        figures("sum", |row| row.metrics.ratio_sum, 4, ""),
        figures("clamped", |row| row.metrics.ratio_mean_clamped * 100.0, 2, "%"),
    ];
    if a.metrics.not_counted.max(b.metrics.not_counted) > 0 {
        rows.push(figures("not counted", |row| f64::from(row.metrics.not_counted), 0, ""));
    }
    if a.failed.max(b.failed) > 0 {
        rows.push(figures("without a verdict", |row| f64::from(row.failed), 0, ""));
    }
    let mut text = table(&["", &name(a), &name(b), "DIFFERENCE"], &rows);
    text.push_str(&format!(
        "\n\nTasks passed by both: {}, only by {}: {}, only by {}: {}, by neither: {}.{}\n\n",
        p.both,
        name(a),
        p.only_a,
        name(b),
        p.only_b,
        p.neither,
        if p.not_counted > 0 { format!(" {}", (EN.pairs_not_counted)(p.not_counted)) } else { String::new() }
    ));
    let cell = |samples: &[PairOutput]| match samples {
        [] => "(no output)".to_owned(),
        [first, more @ ..] => {
            let verdict = first.verdict.map_or("(waiting)", |verdict| verdict.name());
            let more = if more.is_empty() { String::new() } else { format!(", {} more samples", more.len()) };
            format!("{verdict} {}/{}{more}", first.passed, first.total)
        }
    };
    let shown: Vec<Vec<String>> = pair
        .tasks
        .iter()
        .filter(|task| all || task.differs())
        .map(|task| {
            vec![task.task_id.clone(), cell(task.side(Side::A)), cell(task.side(Side::B)), beginning(&task.raw_nl)]
        })
        .collect();
    if shown.is_empty() {
        text.push_str("Both runs have the same result on every task.");
    } else {
        text.push_str(&table(&["TASK", &name(a), &name(b), "DESCRIPTION"], &shown));
    }
    text
}
