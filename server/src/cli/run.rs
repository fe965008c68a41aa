//! `aixgrade run`

use std::{io::Write, time::Duration};

use app::{
    model::{
        ids::{RunId, SubmissionId},
        run::{ItemState, PassAtK, RunDetail, RunStatus},
    },
    port::{Caller, Runs as _, Submissions as _},
};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::{Global, table};
use crate::{db::run_how::How, engine::dates::Dates, error::Failure, report};

/// `run`
#[derive(Args)]
pub struct Run {
    /// The dataset's short name
    #[arg(long, required_unless_present = "resume")]
    dataset: Option<String>,
    /// The submission's number (`aixgrade submissions list`)
    #[arg(long, required_unless_present = "resume")]
    submission: Option<SubmissionId>,
    /// Run everything, also what was run before with the same code, tests and Java
    #[arg(long)]
    fresh: bool,
    /// Let outputs that visibly keep to themselves share a JVM; only a clean pass counts there,
    /// everything else is decided alone as ever
    #[arg(long)]
    fast: bool,
    /// The date that outputs and tests see (needs libfaketime)
    #[arg(long, value_name = "DATE", value_parser = dates)]
    dates: Option<Dates>,
    /// Go on with a run that was interrupted, by its number
    #[arg(long, value_name = "RUN", conflicts_with_all = ["dataset", "submission", "fresh", "fast", "dates"])]
    resume: Option<RunId>,
}

/// Runs the command: in this process, also where a server works on the same data folder.
pub async fn run(global: &Global, args: Run) -> Result<(), Failure> {
    let services = global.open()?;
    let caller = Caller::Operator;
    let id = match (args.resume, args.submission) {
        (Some(id), _) => id,
        (None, Some(submission)) => {
            let row = services.submissions.get(&caller, submission).await?.row;
            if args.dataset.as_deref() != Some(row.dataset.as_str()) {
                let what = format!("submission {} answers the dataset {}", row.id, row.dataset);
                return Err(Failure::invalid("--dataset", what, format!("Say --dataset {}", row.dataset)));
            }
            services.runs.start_how(&caller, submission, args.fresh, How { fast: args.fast, dates: args.dates }).await?
        }
        // The arguments' own rules do not let this through.
        (None, None) => return Err(Failure::invalid("--submission", "no submission is named", "Name one")),
    };
    let begun = services.runs.get(&caller, id).await?.row;
    if begun.status == RunStatus::Running {
        eprintln!(
            "Run {id}: {} outputs. If this is interrupted, `aixgrade run --resume {id}` goes on with it.",
            begun.items
        );
    }
    let engine = services.runs.engine().clone();
    let work = tokio::task::spawn_blocking(move || engine.work(id));
    let bar = ProgressBar::new(begun.items.into());
    let style = "{bar:30} {pos}/{len} outputs, {elapsed} gone, about {eta} left";
    bar.set_style(ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()));
    while !work.is_finished() {
        let (_, done, _) = services.db.read(move |conn| crate::db::runs::counts(conn, id)).await?;
        bar.set_position(u64::from(done));
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    bar.finish_and_clear();
    work.await.map_err(Failure::internal)??;
    let detail = services.runs.get(&caller, id).await?;
    if global.json {
        std::io::stdout().lock().write_all(&report::runs::json_lines(&detail)?)?;
    } else {
        global.show(&(), |()| text(&detail))?;
    }
    match detail.row.failed {
        0 => Ok(()),
        n => Err(Failure::internal(format!("the engine itself failed on {n} outputs; they have no verdict"))),
    }
}

fn dates(name: &str) -> Result<Dates, String> {
    let all: Vec<&str> = Dates::ALL.into_iter().map(Dates::name).collect();
    Dates::from_name(name).ok_or_else(|| format!("the dates to choose from are: {}", all.join(", ")))
}

fn text(detail: &RunDetail) -> String {
    let rows: Vec<Vec<String>> = detail
        .items
        .iter()
        .map(|item| {
            let verdict = match (item.state, item.verdict) {
                (ItemState::Failed, _) => "(engine failed)",
                (_, Some(verdict)) => verdict.name(),
                (_, None) => "(not run)",
            };
            let cases = format!("{}/{}", item.passed, item.total);
            vec![item.task_id.clone(), item.sample.to_string(), verdict.into(), cases, item.cpu_ms.to_string()]
        })
        .collect();
    let m = &detail.row.metrics;
    let mut text = table(&["TASK", "SAMPLE", "VERDICT", "CASES", "CPU MS"], &rows);
    text.push_str("\n\n");
    for (verdict, count) in detail.verdicts.iter().filter(|(_, count)| *count > 0) {
        text.push_str(&format!("{}: {count}\n", verdict.name()));
    }
    text.push_str(&format!("pass@1: {} of {} tasks, {:.2} %\n", m.solved, m.tasks, m.pass_at_1 * 100.0));
    for PassAtK { k, value } in detail.pass_at.iter().skip(1) {
        text.push_str(&format!("pass@{k}: {:.2} %\n", value * 100.0));
    }
    text.push_str(&format!("AvgPassRatio: {:.4}, {:.2} %", m.ratio_sum, m.ratio_mean * 100.0));
    if (m.ratio_sum - m.ratio_sum_clamped).abs() > 1e-9 {
        let (sum, mean) = (m.ratio_sum_clamped, m.ratio_mean_clamped * 100.0);
        text.push_str(&format!(" as reported; {sum:.4}, {mean:.2} % where no task counts for more than 1"));
    }
    text.push_str(&format!("\nRun {}, {} outputs answered from the cache.", detail.row.id, detail.cached));
    text
}
