//! `aixgrade run`

use std::{io::Write, time::Duration};

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
    /// The dataset's short name
    #[arg(long, required_unless_present = "resume")]
    dataset: Option<String>,
    /// The submission's number (`aixgrade submissions list`)
    #[arg(long, required_unless_present = "resume")]
    submission: Option<SubmissionId>,
    /// Run everything, also what was run before with the same code, tests and Java
    #[arg(long, conflicts_with_all = ["failed", "changed", "only"])]
    fresh: bool,
    /// Let outputs that visibly keep to themselves share a JVM; only a clean pass counts there,
    /// everything else is decided alone as ever
    #[arg(long)]
    fast: bool,
    /// The date that outputs and tests see (needs libfaketime)
    #[arg(long, value_name = "DATE", value_parser = dates)]
    dates: Option<Dates>,
    /// Run the outputs although a trial of the sandbox has shown that a wall does not stand. Only for code
    /// that you would run with no sandbox at all
    #[arg(long)]
    although_walls_have_fallen: bool,
    /// Go on with a run that was interrupted or stopped, by its number
    #[arg(long, value_name = "RUN", conflicts_with_all = ["dataset", "submission", "fresh", "fast", "dates"])]
    resume: Option<RunId>,
    /// Make no new run: in the one named by --resume, else in the submission's newest, run the outputs
    /// again on which the engine itself failed
    #[arg(long, conflicts_with_all = ["changed", "only"])]
    failed: bool,
    /// The same for outputs that could come to something else today: the engine, its limits or the
    /// Java build are others than then
    #[arg(long, conflicts_with = "only")]
    changed: bool,
    /// The same for the outputs of this task; may be given several times
    #[arg(long, value_name = "TASK")]
    only: Vec<String>,
}

/// Runs the command: in this process, also where a server works on the same data folder.
pub async fn run(global: &Global, args: Run) -> Result<(), Failure> {
    let services = global.open()?;
    let id = ready(&services, &args).await?;
    work(global, &services, id, args.although_walls_have_fallen).await?;
    let mut detail = services.runs.get(&Caller::Operator, id).await?;
    if !args.only.is_empty() {
        // The figures are the whole run's; of the rest nobody asked.
        detail.items.retain(|item| args.only.contains(&item.task_id));
        detail.missing.clear();
    }
    if global.json {
        std::io::stdout().lock().write_all(&report::runs::json_lines(&detail)?)?;
    } else {
        global.show(&(), |()| text(&detail))?;
    }
    if detail.row.status != RunStatus::Finished {
        return Err(Failure::conflict(format!(
            "the run was stopped before its end; `aixgrade run --resume {id}` goes on with it"
        )));
    }
    match detail.row.failed {
        0 => Ok(()),
        n => Err(Failure::internal(format!(
            "the engine itself failed on {n} outputs, which have no verdict; `aixgrade runs show {id}` says why, and \
             `aixgrade run --resume {id} --failed` tries them again"
        ))),
    }
}

/// The run that is meant, open for the engine.
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
                let wrong = format!("submission {} answers the dataset {}", row.id, row.dataset);
                return Err(Failure::invalid("--dataset", wrong, format!("Say --dataset {}", row.dataset)).into());
            }
            if what.is_none() {
                let how = How { fast: args.fast, dates: args.dates };
                return Ok(services.runs.start_how(&caller, submission, args.fresh, how).await?);
            }
            let newest = services.db.read(move |conn| run_results::newest(conn, submission)).await?;
            newest.ok_or_else(|| {
                let wrong = format!("submission {submission} has no run yet in which something could be run again");
                Failure::invalid("--submission", wrong, "Leave out --failed, --changed and --only to make one")
            })?
        }
        // The arguments' own rules do not let this through.
        (None, None) => return Err(Failure::invalid("--submission", "no submission is named", "Name one").into()),
    };
    let status = services.runs.get(&caller, id).await?.row.status;
    match what {
        Some(what) => services.runs.again(&caller, id, what).await?,
        None if status == RunStatus::Cancelled => services.runs.again(&caller, id, Again::Rest).await?,
        None => {}
    }
    Ok(id)
}

/// Works a run off, with a bar on standard error where somebody is looking.
async fn work(global: &Global, services: &Services, id: RunId, although: bool) -> Result<(), Failure> {
    let begun = services.runs.get(&Caller::Operator, id).await?.row;
    if begun.status == RunStatus::Running {
        eprintln!(
            "Run {id}: {} outputs. If this is interrupted, `aixgrade run --resume {id}` goes on with it.",
            begun.items
        );
    } else if !global.json {
        eprintln!("Run {id} is at its end already; this is what came of it.");
    }
    let engine = services.runs.engine().clone().although_walls_have_fallen(although);
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
    work.await.map_err(Failure::internal)?
}

fn dates(name: &str) -> Result<Dates, String> {
    let all: Vec<&str> = Dates::ALL.into_iter().map(Dates::name).collect();
    Dates::from_name(name).ok_or_else(|| format!("the dates to choose from are: {}", all.join(", ")))
}

/// A run for people.
pub fn text(detail: &RunDetail) -> String {
    let rows: Vec<Vec<String>> = detail
        .items
        .iter()
        .map(|item| {
            let verdict = match (item.state, item.verdict) {
                (ItemState::Failed, _) => "(engine failed)",
                (ItemState::Leased, None) => "(at work)",
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
    if !detail.missing.is_empty() {
        let tasks: Vec<&str> = detail.missing.iter().take(10).map(|m| m.task_id.as_str()).collect();
        let more = if detail.missing.len() > tasks.len() { ", …" } else { "" };
        text.push_str(&format!("\n{} tasks have no output: {}{more}", detail.missing.len(), tasks.join(", ")));
    }
    text.push_str(&format!("\nRun {}, {} outputs answered from the cache.", detail.row.id, detail.cached));
    text
}
