//! Runs of automated tests, for admins: starting, watching, reading results.

use app::{
    model::{
        ids::{OutputId, RunId, SubmissionId},
        run::{Again, EngineReadiness, ItemDetail, RunDetail, RunProgress, RunRow, RunStatus, StartHow, Verdict},
        run_pair::RunPair,
    },
    port::{Answer, Caller, Runs},
};
use async_trait::async_trait;
use rusqlite::Connection;

use super::run_pair;
use crate::{
    db::{
        Db, audit,
        run_how::{self, How},
        run_results,
        runs::{self, Run, TaskSamples},
        submissions,
    },
    engine::{dates::Dates, readiness},
    error::Failure,
    jobs::Engine,
    layout,
    stats::passk::{self, Sample},
};

/// The service; see the module.
pub struct RunService {
    db: Db,
    engine: Engine,
}

impl RunService {
    /// A service over `db`, whose runs `engine` works off.
    pub fn new(db: Db, engine: Engine) -> Self {
        RunService { db, engine }
    }

    /// The engine: the server lets it serve, the command line works a run off with it.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Starts a run, done in this way.
    ///
    /// # Errors
    /// For whoever is no admin; where the submission is not there or answers no task with tests.
    pub async fn start_how(
        &self,
        caller: &Caller,
        submission: SubmissionId,
        fresh: bool,
        how: How,
    ) -> Result<RunId, Failure> {
        caller.admin()?;
        // Said at once, and not on every output.
        if let Some(Err(missing)) = how.dates.map(Dates::needs) {
            return Err(Failure::conflict(missing.to_string()));
        }
        let who = caller.clone();
        let id = self
            .db
            .write(move |tx| {
                let row = submissions::get(tx, submission)?.ok_or_else(|| Failure::not_found("submission"))?;
                let id = runs::insert(tx, submission, fresh, who.id())?;
                run_how::set(tx, id, how)?;
                if runs::counts(tx, id)?.0 == 0 {
                    return Err(Failure::conflict((
                        format!("None of the tasks of submission {submission} (dataset {}) has tests, so there is nothing to run.", row.dataset),
                        format!("输出集 {submission}（数据集 {}）的任务都没有测试，无法运行。", row.dataset),
                    )));
                }
                audit::note(tx, &who, audit::Action::RunStart, &format!("run {id} of submission {submission}"))?;
                Ok(id)
            })
            .await?;
        self.engine.ring();
        Ok(id)
    }
}

#[async_trait]
impl Runs for RunService {
    async fn list(&self, caller: &Caller, submission: Option<SubmissionId>) -> Answer<Vec<RunRow>> {
        caller.admin()?;
        Ok(self
            .db
            .read(move |conn| {
                runs::list(conn, submission)?.iter().map(|run| row(conn, run, &figures(conn, run.id)?)).collect()
            })
            .await?)
    }

    async fn readiness(&self, caller: &Caller) -> Answer<EngineReadiness> {
        caller.admin()?;
        Ok(readiness::look())
    }

    async fn get(&self, caller: &Caller, id: RunId) -> Answer<RunDetail> {
        caller.admin()?;
        Ok(self.db.read(move |conn| detail(conn, id)).await?)
    }

    async fn progress(&self, caller: &Caller, id: RunId) -> Answer<RunProgress> {
        caller.admin()?;
        Ok(self
            .db
            .read(move |conn| {
                let run = runs::get(conn, id)?.ok_or_else(|| Failure::not_found("run"))?;
                let (items, done, failed) = runs::counts(conn, id)?;
                // What the cache answered took no time and says nothing about the rest.
                let left_s = run_results::worked(conn, &run)?.and_then(|(count, millis)| {
                    let left = u64::from(items - done) * u64::try_from(millis).ok()? / u64::from(count) / 1000;
                    u32::try_from(left).ok()
                });
                let waits = run.status == RunStatus::Running && run.begun_at.is_none();
                let behind = if waits { runs::open(conn)?.filter(|first| *first != id) } else { None };
                Ok(RunProgress {
                    status: run.status,
                    items,
                    done,
                    failed,
                    verdicts: run_results::verdicts(conn, id)?,
                    begun: run.begun_at.is_some(),
                    behind,
                    left_s,
                })
            })
            .await?)
    }

    async fn item(&self, caller: &Caller, id: RunId, output: OutputId) -> Answer<ItemDetail> {
        caller.admin()?;
        let found = self.db.read(move |conn| {
            let run = runs::get(conn, id)?.ok_or_else(|| Failure::not_found("run"))?;
            run_results::get_item(conn, &run, output)?.ok_or_else(|| Failure::not_found("output in this run"))
        });
        let mut detail = found.await?;
        // Reading Java takes milliseconds, which are none of the async threads'.
        let read = tokio::task::spawn_blocking(move || {
            detail.text = layout::lines(&detail.code);
            if let Some(outcome) = detail.outcome.as_ref().filter(|o| !o.source.is_empty()) {
                detail.listing = layout::traced::listing(outcome, &detail.code);
            }
            detail
        });
        Ok(read.await.map_err(Failure::internal)?)
    }

    async fn start(&self, caller: &Caller, submission: SubmissionId, fresh: bool) -> Answer<RunId> {
        Ok(self.start_how(caller, submission, fresh, How::default()).await?)
    }

    async fn start_so(&self, caller: &Caller, submission: SubmissionId, so: StartHow) -> Answer<RunId> {
        caller.admin()?;
        let how = match so.like {
            Some(run) => self.db.read(move |conn| run_how::get(conn, run)).await?,
            None => How { fast: so.fast, dates: so.june_2022.then_some(Dates::June2022) },
        };
        Ok(self.start_how(caller, submission, so.fresh, how).await?)
    }

    async fn cancel(&self, caller: &Caller, id: RunId) -> Answer<()> {
        caller.admin()?;
        let who = caller.clone();
        Ok(self
            .db
            .write(move |tx| {
                runs::get(tx, id)?.ok_or_else(|| Failure::not_found("run"))?;
                if runs::end(tx, id, RunStatus::Cancelled, None)? {
                    audit::note(tx, &who, audit::Action::RunCancel, &format!("run {id}"))?;
                }
                Ok(())
            })
            .await?)
    }

    async fn again(&self, caller: &Caller, id: RunId, what: Again) -> Answer<()> {
        caller.admin()?;
        let who = caller.clone();
        self.db
            .write(move |tx| {
                let run = runs::get(tx, id)?.ok_or_else(|| Failure::not_found("run"))?;
                match (run.status, &what) {
                    (RunStatus::Cancelled, Again::Rest) => {}
                    (RunStatus::Cancelled, _) => return Err(Failure::conflict(STOPPED)),
                    (_, Again::Rest) => {
                        return Err(Failure::conflict((
                            "This run is not stopped, so there is nothing to resume.",
                            "该运行未停止，无需继续。",
                        )));
                    }
                    (_, Again::Tasks(wanted)) => known(tx, id, wanted)?,
                    _ => {}
                }
                if runs::again(tx, id, &what)? == 0 && what != Again::Rest {
                    return Err(Failure::conflict(match what {
                        Again::Failed => (
                            "There is nothing to re-run: this run has no engine errors.",
                            "没有需要重新运行的内容：本次运行没有引擎错误。",
                        ),
                        _ => (
                            "There is nothing to re-run: these outputs are already waiting or running.",
                            "没有需要重新运行的内容：这些输出正在等待或运行中。",
                        ),
                    }));
                }
                audit::note(tx, &who, audit::Action::RunRepeat, &format!("run {id}: {}", named(&what)))
            })
            .await?;
        self.engine.ring();
        Ok(())
    }

    async fn compare(&self, caller: &Caller, a: RunId, b: RunId, task: Option<String>) -> Answer<RunPair> {
        caller.admin()?;
        let read = self.db.read(move |conn| {
            let side = |id| run_pair::Side::load(conn, id, detail(conn, id)?);
            run_pair::Loaded::new(conn, side(a)?, side(b)?, task)
        });
        Ok(read.await?.finish().await)
    }
}

const STOPPED: (&str, &str) = (
    "This run is stopped. Resume it first, and re-run single outputs after it has finished.",
    "该运行已停止。请先继续运行，完成后再重新运行单个输出。",
);

fn named(what: &Again) -> String {
    match what {
        Again::Output(output) => format!("output {output}"),
        Again::Tasks(tasks) => format!("tasks {}", tasks.join(", ")),
        Again::Failed => "what the engine failed on".into(),
        Again::Changed => "what has changed".into(),
        Again::Rest => "the rest".into(),
    }
}

/// Whether a run has outputs for these tasks.
fn known(conn: &Connection, id: RunId, wanted: &[String]) -> Result<(), Failure> {
    let items = runs::items(conn, id)?;
    let strange: Vec<&str> =
        wanted.iter().filter(|task| !items.iter().any(|i| i.task_id == **task)).map(String::as_str).collect();
    match strange.is_empty() {
        true => Ok(()),
        false => Err(Failure::invalid(
            "task",
            (
                format!("run {id} has no output for {}", strange.join(", ")),
                format!("运行 {id} 没有 {} 的输出", strange.join(", ")),
            ),
            (
                format!("List its tasks with `aixgrade runs show {id}`"),
                format!("可用 `aixgrade runs show {id}` 查看其任务"),
            ),
        )),
    }
}

/// Samples by task, as the figures want them.
fn figures(conn: &Connection, id: RunId) -> Result<Vec<Vec<Sample>>, Failure> {
    let sample = |&(verdict, passed, total): &(Verdict, u32, u32)| Sample {
        solved: verdict == Verdict::Passed,
        // Numbers count as reported where the tests came to their end; a tampered result's do not.
        ratio: match verdict {
            Verdict::Passed | Verdict::Failed | Verdict::Anomaly if total > 0 => f64::from(passed) / f64::from(total),
            _ => 0.0,
        },
    };
    let of = |samples: TaskSamples| samples.iter().map(sample).collect();
    Ok(runs::samples(conn, id)?.into_iter().map(of).collect())
}

fn row(conn: &Connection, run: &Run, figures: &[Vec<Sample>]) -> Result<RunRow, Failure> {
    let (items, done, failed) = runs::counts(conn, run.id)?;
    Ok(RunRow {
        id: run.id,
        submission: run.submission,
        model_name: run.model_name.clone(),
        dataset: run.dataset.clone(),
        number: run.number,
        status: run.status,
        items,
        done,
        failed,
        created_at: run.created_at,
        finished_at: run.finished_at,
        metrics: passk::metrics(figures),
    })
}

fn detail(conn: &Connection, id: RunId) -> Result<RunDetail, Failure> {
    let run = runs::get(conn, id)?.ok_or_else(|| Failure::not_found("run"))?;
    let figures = figures(conn, id)?;
    let items = runs::items(conn, id)?;
    let mixed = match &run.environment {
        Some(environment) => run_results::mixed(conn, id, &environment.fingerprint)?,
        None => 0,
    };
    let missing = run_results::missing(conn, id)?;
    let count = |verdict| items.iter().filter(|i| i.verdict == Some(verdict)).count();
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Ok(RunDetail {
        row: row(conn, &run, &figures)?,
        environment: run.environment.unwrap_or_default(),
        pass_at: passk::pass_at(&figures),
        fault: run.fault,
        verdicts: Verdict::ALL.into_iter().map(|v| (v, number(count(v)))).collect(),
        cached: number(items.iter().filter(|i| i.cached).count()),
        taken_over: run.taken_over,
        mixed,
        items,
        missing,
    })
}
