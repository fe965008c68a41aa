//! `aixgrade runs …`

use std::{io::Write, path::PathBuf};

use app::{
    model::{
        ids::RunId,
        run::RunRow,
        run_pair::{PairOutput, RunPair, Side},
    },
    port::{Caller, Runs as _},
};
use clap::{Subcommand, ValueEnum};

use super::{Global, datasets::beginning, table};
use crate::{error::Failure, report};

/// What to do with runs; `aixgrade run` makes them.
#[derive(Subcommand)]
pub enum Runs {
    /// List the runs, the newest first
    List,
    /// Show what came of one
    Show {
        /// The run's number
        run: RunId,
    },
    /// Put two runs of one dataset side by side, task by task
    Compare {
        /// The one on the left
        a: RunId,
        /// The one on the right
        b: RunId,
        /// Also list the tasks on which the two came to the same
        #[arg(long)]
        all: bool,
    },
    /// Write a run's results to a file: the same bytes as the run's page gives
    Export {
        /// The run's number
        run: RunId,
        /// JSON Lines with the figures at the end, or CSV
        #[arg(long = "as", value_enum, default_value_t = Shape::Jsonl)]
        shape: Shape,
        /// The file to write [default: standard output]
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

/// How results are written.
#[derive(Clone, Copy, ValueEnum)]
pub enum Shape {
    /// One JSON object an output, and a last one with the figures
    Jsonl,
    /// One row an output
    Csv,
}

/// Runs the command.
pub async fn run(global: &Global, command: Runs) -> Result<(), Failure> {
    let services = global.open()?;
    let caller = Caller::Operator;
    match command {
        Runs::List => global.show(&services.runs.list(&caller, None).await?, |rows| list(rows)),
        Runs::Show { run } => global.show(&services.runs.get(&caller, run).await?, |detail| {
            let mut text = super::run::text(detail);
            if let Some(fault) = &detail.fault {
                text.push_str(&format!("\nThe engine could not do it: {fault}"));
            }
            text
        }),
        Runs::Compare { a, b, all } => {
            global.show(&services.runs.compare(&caller, a, b, None).await?, |pair| side_by_side(pair, all))
        }
        Runs::Export { run, shape, output } => {
            let detail = services.runs.get(&caller, run).await?;
            let bytes = match shape {
                Shape::Jsonl => report::runs::json_lines(&detail)?,
                Shape::Csv => report::runs::csv(&detail)?,
            };
            match output {
                None => std::io::stdout().lock().write_all(&bytes)?,
                Some(path) => std::fs::write(&path, &bytes).map_err(|e| {
                    let shown = path.display().to_string();
                    Failure::invalid(&shown, format!("the file cannot be written: {e}"), "Name another with -o")
                })?,
            }
            Ok(())
        }
    }
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
                format!("{:.2} %", row.metrics.pass_at_1 * 100.0),
                format!("{:.4}", row.metrics.ratio_sum),
                row.created_at.to_string(),
            ]
        })
        .collect();
    table(&["RUN", "MODEL", "DATASET", "SUBMISSION", "STATE", "DONE", "PASS@1", "RATIO SUM", "BEGUN"], &rows)
}

fn side_by_side(pair: &RunPair, all: bool) -> String {
    let (a, b, p) = (&pair.a, &pair.b, pair.passes);
    let name = |row: &RunRow| format!("{} (run {})", row.model_name, row.id);
    let figures = |what: &str, of: fn(&RunRow) -> f64, decimals: usize, unit: &str| {
        let (x, y) = (of(a), of(b));
        let cell = |value: f64| format!("{value:.decimals$}{unit}");
        // A difference of shares is in percentage points.
        let unit = if unit == " %" { " pp" } else { unit };
        vec![what.to_owned(), cell(x), cell(y), format!("{:+.decimals$}{unit}", y - x)]
    };
    let rows = [
        figures("tasks passed", |row| f64::from(row.metrics.solved), 0, ""),
        figures("pass@1", |row| row.metrics.pass_at_1 * 100.0, 2, " %"),
        figures("AvgPassRatio", |row| row.metrics.ratio_mean * 100.0, 2, " %"),
        figures("sum", |row| row.metrics.ratio_sum, 4, ""),
        figures("clamped", |row| row.metrics.ratio_mean_clamped * 100.0, 2, " %"),
    ];
    let mut text = table(&["", &name(a), &name(b), "DIFFERENCE"], &rows);
    text.push_str(&format!(
        "\n\nBoth pass {} tasks, only {} {}, only {} {}, neither {}.\n\n",
        p.both,
        name(a),
        p.only_a,
        name(b),
        p.only_b,
        p.neither
    ));
    let cell = |samples: &[PairOutput]| match samples {
        [] => "(no output)".to_owned(),
        [first, more @ ..] => {
            let verdict = first.verdict.map_or("(not run)", |verdict| verdict.name());
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
        text.push_str("The two came to the same on every task.");
    } else {
        text.push_str(&table(&["TASK", &name(a), &name(b), "DESCRIPTION"], &shown));
    }
    text
}
