//! `aixgrade run`

use std::{path::PathBuf, time::Duration};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use model::{
    caller::System,
    conversation::TestProfile,
    error::Answer,
    ids::{RunId, SubmissionId},
    page::PageOf,
    run::{
        Agreement, Dates, ItemFilter, ItemRow, ItemState, NewRun, PassAtK, PublishedVerdict, Rerun, RunDetail,
        RunStatus,
    },
};
use port::{Runs as _, Submissions as _};
use texts::runs::EN;

use super::Global;
use base::error::Failure;
use command::table;
use db::run_results;
use report::table::Form;
use services::Services;

/// `run`
#[derive(Args)]
pub struct Run {
    /// Short name of the dataset. The command fails if the submission belongs to another one
    #[arg(long)]
    dataset: Option<String>,
    /// Number of the submission (see `aixgrade submissions list`)
    #[arg(long, required_unless_present = "resume")]
    submission: Option<SubmissionId>,
    /// Ignore cached results of the same code, tests and toolchain
    #[arg(long, conflicts_with_all = ["failed", "changed", "only"])]
    fresh: bool,
    /// Let outputs without visible side effects share a JVM. Only clean passes in it count;
    /// every other output is run again on its own
    #[arg(long)]
    fast: bool,
    /// Date that outputs and tests see (needs libfaketime)
    #[arg(long, value_name = "DATE", value_parser = dates)]
    dates: Option<Dates>,
    /// Form of CodeIF-Bench's tests: as-run (as when the authors computed the published verdicts, the default),
    /// as-released (as in the data file) or v1 (the rules of the branch v1)
    #[arg(long, value_name = "PROFILE", value_parser = profile)]
    profile: Option<TestProfile>,
    /// Folder with the sources of the projects that CodeIF-Bench's tests at repository level need: DIR/Source_Code
    #[arg(long, env = "AIXGRADE_REPOSITORIES", value_name = "DIR")]
    repositories: Option<PathBuf>,
    /// Run even if a sandbox check fails. Use only for code that you would run without any sandbox
    #[arg(long)]
    allow_degraded_sandbox: bool,
    /// Resume an interrupted or stopped run, by its number
    #[arg(long, value_name = "RUN", conflicts_with_all = ["dataset", "submission", "fresh", "fast", "dates", "profile"])]
    resume: Option<RunId>,
    /// Re-run the outputs on which the engine failed, in the run given by --resume or else in the
    /// newest run of the submission
    #[arg(long, conflicts_with_all = ["changed", "only", "removed_workers"])]
    failed: bool,
    /// Like --failed, for the outputs that workers reported which were removed since
    #[arg(long, conflicts_with_all = ["changed", "only"])]
    removed_workers: bool,
    /// Like --failed, for outputs whose result may differ today because the engine, its limits or the
    /// toolchain has changed
    #[arg(long, conflicts_with = "only")]
    changed: bool,
    /// Like --failed, for the outputs of this task; repeat for several
    #[arg(long, value_name = "TASK")]
    only: Vec<String>,
}

/// Runs the outputs in this process, even if a server uses the same data folder.
pub async fn run(global: &Global, args: Run) -> Result<(), Failure> {
    let services = global.open()?;
    if let Some(folder) = &args.repositories {
        services.runs.engine().use_repositories(folder.clone());
    }
    let id = ready(&services, &args).await?;
    work(global, &services, id, args.allow_degraded_sandbox).await?;
    let mut detail = services.runs.get(&System.admin(), id).await?;
    // The figures cover the whole run, but only the requested tasks are listed.
    let only = args.only;
    let listed = |item: &ItemRow| only.is_empty() || only.contains(&item.task_id);
    if !only.is_empty() {
        detail.missing.clear();
    }
    if global.json {
        services.runs.write_results(&System.admin(), id, Form::JsonLines, listed, &mut std::io::stdout())?;
    } else {
        let mut items = items(&services, id).await?;
        items.retain(listed);
        global.show(&(), |()| text(&detail, &items))?;
    }
    if detail.row.status != RunStatus::Finished {
        return Err(Failure::conflict(format!("the run was stopped; resume it with `aixgrade run --resume {id}`")));
    }
    match detail.row.failed {
        0 => Ok(()),
        n => {
            let outputs = if n == 1 { "1 output, which has" } else { &format!("{n} outputs, which have") };
            Err(Failure::internal(format!(
                "the engine failed on {outputs} no verdict; see why with `aixgrade runs show {id}`, and retry with \
                 `aixgrade run --resume {id} --failed`"
            )))
        }
    }
}

/// Finds or creates the run to process and marks what the engine has to run.
async fn ready(services: &Services, args: &Run) -> Answer<RunId> {
    let admin = System.admin();
    let what = match (args.failed, args.changed, args.only.as_slice()) {
        _ if args.removed_workers => Some(Rerun::OfRemovedWorkers),
        (true, ..) => Some(Rerun::Failed),
        (_, true, _) => Some(Rerun::Changed),
        (_, _, []) => None,
        (_, _, tasks) => Some(Rerun::Tasks(tasks.to_vec())),
    };
    let id = match (args.resume, args.submission) {
        (Some(id), _) => id,
        (None, Some(submission)) => {
            let row = services.submissions.get(&admin, submission).await?;
            if args.dataset.as_deref().is_some_and(|dataset| dataset != row.dataset) {
                let wrong = format!("submission {} belongs to the dataset {}", row.id, row.dataset);
                return Err(Failure::invalid("--dataset", wrong, format!("Use --dataset {}", row.dataset)).into());
            }
            if what.is_none() {
                let Run { fresh, fast, dates, profile, .. } = *args;
                let new = NewRun { submission, fresh, fast, dates, like: None, profile };
                return services.runs.start(&admin, new).await;
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
    let status = services.runs.get(&admin, id).await?.row.status;
    match what {
        Some(what) => services.runs.rerun(&admin, id, what).await?,
        None if status == RunStatus::Stopped => services.runs.rerun(&admin, id, Rerun::Rest).await?,
        None => {}
    }
    Ok(id)
}

/// Processes a run, with a progress bar on standard error if it is a terminal.
async fn work(global: &Global, services: &Services, id: RunId, degraded: bool) -> Result<(), Failure> {
    let begun = services.runs.get(&System.admin(), id).await?.row;
    if begun.status == RunStatus::Running {
        eprintln!(
            "Run {id}: {} outputs. If the run is interrupted, resume it with `aixgrade run --resume {id}`.",
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
        let (_, done, _) = services.db.read(move |conn| db::runs::counts(conn, id)).await?;
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

fn profile(name: &str) -> Result<TestProfile, String> {
    let all: Vec<&str> = TestProfile::ALL.into_iter().map(TestProfile::name).collect();
    TestProfile::from_name(name).ok_or_else(|| format!("choose one of: {}", all.join(", ")))
}

/// Every output of a run, in the dataset's order.
pub async fn items(services: &Services, id: RunId) -> Answer<Vec<ItemRow>> {
    let (mut items, mut of) = (Vec::new(), PageOf::first(PageOf::MOST));
    loop {
        let page = services.runs.items(&System.admin(), id, ItemFilter::default(), of.clone()).await?;
        items.extend(page.rows);
        if page.next.is_none() {
            return Ok(items);
        }
        of.after = page.next;
    }
}

/// The figures of a run as published, next to the guarded ones, and why they differ.
fn published(detail: &RunDetail) -> String {
    let Some(published) = &detail.row.published else { return String::new() };
    let (solved, tasks, unit) = (published.solved, detail.published_tasks, unit(detail));
    let mut text = format!("\nAs published: {solved} of {tasks} {unit}{}", shares(&detail.published_pass_at));
    text.push_str(&format!("\n{}", EN.differ(published.differ)));
    for difference in &detail.differences {
        text.push_str(&format!("\n  {}", EN.difference_line(difference)));
    }
    text
}

/// How the verdicts of a run compare with those that came with the outputs.
fn agreement(theirs: &Agreement) -> String {
    if theirs.compared() == 0 {
        return String::new();
    }
    format!(
        "\nTheir verdict: the same for {} of {} outputs; {} passed by their verdict only, {} by ours only",
        theirs.agree,
        theirs.compared(),
        theirs.theirs_only,
        theirs.ours_only
    )
}

/// What the figures of a run count.
fn unit(detail: &RunDetail) -> &'static str {
    if detail.row.conversations { "turns" } else { "tasks" }
}

/// `, pass@1 68.68% [61.2, 75.9], pass@10 …`
fn shares(all: &[PassAtK]) -> String {
    let share = |at: &PassAtK| {
        let interval =
            at.interval.map(|i| format!(" [{:.1}, {:.1}]", i.low * 100.0, i.high * 100.0)).unwrap_or_default();
        format!(", pass@{} {:.2}%{interval}", at.k, at.value * 100.0)
    };
    all.iter().map(share).collect()
}

/// A run as text.
pub fn text(detail: &RunDetail, items: &[ItemRow]) -> String {
    let with_published = detail.row.published.is_some();
    let rows: Vec<Vec<String>> = items
        .iter()
        .map(|item| {
            let verdict = match (item.state, item.verdict) {
                (ItemState::Failed, _) => "(engine error)",
                (ItemState::Leased, None) => "(running)",
                (_, Some(verdict)) => verdict.name(),
                (_, None) => "(waiting)",
            };
            let cases = format!("{}/{}", item.passed, item.total);
            let mut row =
                vec![item.task_id.clone(), item.sample.to_string(), verdict.into(), cases, item.cpu_ms.to_string()];
            if with_published {
                row.push(item.published.map_or("", PublishedVerdict::name).to_owned());
                row.push(EN.why_differs(item).unwrap_or_default());
            }
            row
        })
        .collect();
    let m = &detail.row.metrics;
    let mut heads = vec!["TASK", "SAMPLE", "VERDICT", "CASES", "CPU MS"];
    if with_published {
        heads.extend(["AS PUBLISHED", "WHY THEY DIFFER"]);
    }
    let mut text = table(&heads, &rows);
    text.push_str("\n\n");
    for (verdict, count) in detail.verdicts.iter().filter(|(_, count)| *count > 0) {
        text.push_str(&format!("{}: {count}\n", verdict.name()));
    }
    let guarded = if with_published { "Guarded" } else { "Passed" };
    let pass_at = if m.has_tasks() { shares(&detail.pass_at) } else { String::new() };
    text.push_str(&format!("{guarded}: {} of {} {}{pass_at}", m.solved, m.tasks, unit(detail)));
    if m.not_counted > 0 {
        text.push_str(&format!("\n{}", (EN.not_counted)(m.not_counted)));
    }
    if detail.row.failed > 0 {
        text.push_str(&format!("\n{}", (EN.failures)(detail.row.failed)));
    }
    text.push_str(&published(detail));
    text.push_str(&agreement(&detail.theirs));
    let lenient = detail.lenient_tests.as_deref().unwrap_or_default();
    if !lenient.is_empty() {
        let tasks: Vec<&str> = lenient.iter().map(|of| of.task_id.as_str()).collect();
        text.push_str(&format!(
            "\nThe tests of these tasks accept a constant or another degenerate answer: {}",
            tasks.join(", ")
        ));
    }
    if m.has_tasks() {
        text.push_str(&format!("\nAvgPassRatio: {:.4}, {:.2}%", m.ratio_sum, m.ratio_mean * 100.0));
    }
    if (m.ratio_sum - m.ratio_sum_clamped).abs() > 1e-9 {
        let (sum, mean) = (m.ratio_sum_clamped, m.ratio_mean_clamped * 100.0);
        text.push_str(&format!(" as reported; {sum:.4}, {mean:.2}% clamped to 1 for each of the {}", unit(detail)));
    }
    if !detail.missing.is_empty() {
        let tasks: Vec<&str> = detail.missing.iter().take(10).map(|m| m.task_id.as_str()).collect();
        let more = if detail.missing.len() > tasks.len() { ", …" } else { "" };
        text.push_str(&format!("\n{} tasks have no output: {}{more}", detail.missing.len(), tasks.join(", ")));
    }
    text.push_str(&format!("\nRun {}, {} results from the cache.", detail.row.id, detail.cached));
    text
}
