//! `aixgrade run`

use std::time::Duration;

use app::{
    model::{
        ids::{RunId, SubmissionId},
        run::{Again, ItemState, PassAtK, RunDetail, RunStatus},
    },
    port::{Answer, Caller, Runs as _, Submissions as _},
};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::{Global, table};
use crate::{
    db::{run_how::How, run_results},
    engine::dates::Dates,
    error::Failure,
    report,
    services::Services,
};

/// `run`
#[derive(Args)]
pub struct Run {
    /// Short name of the dataset
    #[arg(long, required_unless_present = "resume")]
    dataset: Option<String>,
    /// Number of the submission (see `aixgrade submissions list`)
    #[arg(long, required_unless_present = "resume")]
    submission: Option<SubmissionId>,
    /// Ignore cached results of the same code, tests and Java build
    #[arg(long, conflicts_with_all = ["failed", "changed", "only"])]
    fresh: bool,
    /// Let outputs without visible side effects share a JVM. Only clean passes are accepted from it;
    /// every other output is run again on its own
    #[arg(long)]
    fast: bool,
    /// Date that outputs and tests see (needs libfaketime)
    #[arg(long, value_name = "DATE", value_parser = dates)]
    dates: Option<Dates>,
    /// Run even if a sandbox check fails. Only for code that you would run without any sandbox
    #[arg(long, alias = "although-walls-have-fallen")]
    allow_degraded_sandbox: bool,
    /// Resume an interrupted or stopped run, by its number
    #[arg(long, value_name = "RUN", conflicts_with_all = ["dataset", "submission", "fresh", "fast", "dates"])]
    resume: Option<RunId>,
    /// Re-run the outputs on which the engine failed, in the run given by --resume or else in the
    /// newest run of the submission
    #[arg(long, conflicts_with_all = ["changed", "only"])]
    failed: bool,
    /// Like --failed, for outputs whose result may differ today because the engine, its limits or the
    /// Java build has changed
    #[arg(long, conflicts_with = "only")]
    changed: bool,
    /// Like --failed, for the outputs of this task; repeat for several
    #[arg(long, value_name = "TASK")]
    only: Vec<String>,
}

/// Runs the outputs in this process, even if a server uses the same data folder.
pub async fn run(global: &Global, args: Run) -> Result<(), Failure> {
    let services = global.open()?;
    let id = ready(&services, &args).await?;
    work(global, &services, id, args.allow_degraded_sandbox).await?;
    let mut detail = services.runs.get(&Caller::Operator, id).await?;
    if !args.only.is_empty() {
        // The figures cover the whole run, but only the requested tasks are listed.
        detail.items.retain(|item| args.only.contains(&item.task_id));
        detail.missing.clear();
    }
    if global.json {
        report::runs::json_lines(&detail, &mut std::io::stdout().lock())?;
    } else {
        global.show(&(), |()| text(&detail))?;
    }
    if detail.row.status != RunStatus::Finished {
        return Err(Failure::conflict(format!("the run was stopped; resume it with `aixgrade run --resume {id}`")));
    }
    match detail.row.failed {
        0 => Ok(()),
        n => Err(Failure::internal(format!(
            "the engine failed on {n} outputs, which have no verdict; see why with `aixgrade runs show {id}`, and retry \
             with `aixgrade run --resume {id} --failed`"
        ))),
    }
}

/// Finds or creates the run to process and marks what the engine has to run.
async fn ready(services: &Services, args: &Run) -> Answer<RunId> {
    let caller = Caller::Operator;
    let what = match (args.failed, args.changed, args.only.as_slice()) {
        (true, ..) => Some(Again::Failed),
        (_, true, _) => Some(Again::Changed),
        (_, _, []) => None,
        (_, _, tasks) => Some(Again::Tasks(tasks.to_vec())),
    };
    let id = match (args.resume, args.submission) {
        (Some(id), _) => id,
        (None, Some(submission)) => {
            let row = services.submissions.get(&caller, submission).await?.row;
            if args.dataset.as_deref() != Some(row.dataset.as_str()) {
                let wrong = format!("submission {} belongs to the dataset {}", row.id, row.dataset);
                return Err(Failure::invalid("--dataset", wrong, format!("Use --dataset {}", row.dataset)).into());
            }
            if what.is_none() {
                let how = How { fast: args.fast, dates: args.dates };
                return Ok(services.runs.start_how(&caller, submission, args.fresh, how).await?);
            }
            let newest = services.db.read(move |conn| run_results::newest(conn, submission)).await?;
            newest.ok_or_else(|| {
                let wrong = format!("submission {submission} has no run yet");
                Failure::invalid("--submission", wrong, "Leave out --failed, --changed and --only to start one")
            })?
        }
        // Clap requires one of them.
        (None, None) => {
            return Err(
                Failure::invalid("--submission", "no submission given", "Pass the number of a submission").into()
            );
        }
    };
    let status = services.runs.get(&caller, id).await?.row.status;
    match what {
        Some(what) => services.runs.again(&caller, id, what).await?,
        None if status == RunStatus::Cancelled => services.runs.again(&caller, id, Again::Rest).await?,
        None => {}
    }
    Ok(id)
}

/// Processes a run, with a progress bar on standard error if it is a terminal.
async fn work(global: &Global, services: &Services, id: RunId, degraded: bool) -> Result<(), Failure> {
    let begun = services.runs.get(&Caller::Operator, id).await?.row;
    if begun.status == RunStatus::Running {
        eprintln!(
            "Run {id}: {} outputs. If this is interrupted, resume it with `aixgrade run --resume {id}`.",
            begun.items
        );
    } else if !global.json {
        eprintln!("Run {id} is already finished. Its results:");
    }
    let engine = services.runs.engine().clone().allow_degraded_sandbox(degraded);
    let work = tokio::task::spawn_blocking(move || engine.work(id));
    let bar = ProgressBar::new(begun.items.into());
    let style = "{bar:30} {pos}/{len} outputs, {elapsed} elapsed, about {eta} remaining";
    bar.set_style(ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()));
    while !work.is_finished() {
        let (_, done, _) = services.db.read(move |conn| crate::db::runs::counts(conn, id)).await?;
        bar.set_position(u64::from(done));
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    bar.finish_and_clear();
    work.await.map_err(Failure::internal)?
}

fn dates(name: &str) -> Result<Dates, String> {
    let all: Vec<&str> = Dates::ALL.into_iter().map(Dates::name).collect();
    Dates::from_name(name).ok_or_else(|| format!("choose one of: {}", all.join(", ")))
}

/// A run as text.
pub fn text(detail: &RunDetail) -> String {
    let rows: Vec<Vec<String>> = detail
        .items
        .iter()
        .map(|item| {
            let verdict = match (item.state, item.verdict) {
                (ItemState::Failed, _) => "(engine error)",
                (ItemState::Leased, None) => "(running)",
                (_, Some(verdict)) => verdict.name(),
                (_, None) => "(waiting)",
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
    text.push_str(&format!("pass@1: {} of {} tasks, {:.2}%\n", m.solved, m.tasks, m.pass_at_1 * 100.0));
    for PassAtK { k, value } in detail.pass_at.iter().skip(1) {
        text.push_str(&format!("pass@{k}: {:.2}%\n", value * 100.0));
    }
    text.push_str(&format!("AvgPassRatio: {:.4}, {:.2}%", m.ratio_sum, m.ratio_mean * 100.0));
    if (m.ratio_sum - m.ratio_sum_clamped).abs() > 1e-9 {
        let (sum, mean) = (m.ratio_sum_clamped, m.ratio_mean_clamped * 100.0);
        text.push_str(&format!(" as reported; {sum:.4}, {mean:.2}% clamped to 1 per task"));
    }
    if !detail.missing.is_empty() {
        let tasks: Vec<&str> = detail.missing.iter().take(10).map(|m| m.task_id.as_str()).collect();
        let more = if detail.missing.len() > tasks.len() { ", …" } else { "" };
        text.push_str(&format!("\n{} tasks have no output: {}{more}", detail.missing.len(), tasks.join(", ")));
    }
    text.push_str(&format!("\nRun {}, {} results from the cache.", detail.row.id, detail.cached));
    text
}
