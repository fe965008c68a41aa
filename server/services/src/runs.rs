//! Test runs, for admins: starting, watching, reading results.

use std::{collections::HashSet, sync::Arc};

use async_trait::async_trait;
use model::{
    audit::{Action, Object},
    audit_details::Fact,
    caller::Admin,
    code_lang::CodeLang,
    conversation_results::ConversationResults,
    dataset::TestKind,
    error::Answer,
    ids::{DatasetVersionId, ModelId, OutputId, RunId, SubmissionId},
    languages::LanguageResults,
    page::{PageOf, Paged},
    published::Difference,
    run::{
        Dates, EngineNeed, EngineReadiness, ItemDetail, ItemFilter, ItemRow, LenientTests, NewRun, Rerun, RunDetail,
        RunProgress, RunRow, RunStatus, Verdict,
    },
    run_pair::RunPair,
    usual_failure::{LOOKED_AT, UsualFailure},
    workers::{ToRunAgain, Workers},
};
use port::Runs;
use rusqlite::{Connection, Transaction};
use texts::runs::{EN, ZH};

use super::{
    conversations::ConversationCache,
    languages::LanguageCache,
    run_figures::{Results, RunFigures, RunFiguresCache},
    run_pair,
};
use base::{background, error::Failure};
use benchmarks::{
    constants::{self, Source},
    humaneval,
};
use db::{
    Db,
    audit::Change,
    datasets,
    run_how::{self, How},
    run_results, run_workers,
    runs::{self, Counts, Run},
    submissions,
};
use formats::{aixbench, codeif};
use jobs::{Engine, cluster::registry::Registry};
use lang::{Places, python::scripts, repositories};
use report::{
    runs as results,
    table::{Form, Out},
};

pub struct RunService {
    db: Db,
    engine: Engine,
    readiness_check: ReadinessCheck,
    /// Figures of runs that did not change.
    figures: RunFiguresCache,
    language_cache: LanguageCache,
    conversation_cache: ConversationCache,
}

/// Tells what the engine lacks on this machine for a run with these dates.
pub type ReadinessCheck = fn(Option<Dates>) -> EngineReadiness;

impl RunService {
    /// `engine` executes the runs; `readiness_check` returns what the engine lacks on this machine.
    pub fn new(db: Db, engine: Engine, readiness_check: ReadinessCheck) -> Self {
        RunService {
            db,
            engine,
            readiness_check,
            figures: RunFiguresCache::default(),
            language_cache: LanguageCache::default(),
            conversation_cache: ConversationCache::default(),
        }
    }

    /// Refuses a run that cannot work on this machine, before anything is written. A JDK is needed for test classes; what
    /// test programs need depends on their language ([`Needs::check`]).
    fn ready(&self, dates: Option<Dates>, kind: Option<TestKind>) -> Result<(), Failure> {
        // A run whose language no worker has waits for one, and the page says so.
        if self.engine.cluster().is_some() {
            return Ok(());
        }
        let mut found = (self.readiness_check)(dates);
        if kind.is_some_and(|kind| kind == TestKind::HumanevalX || kind.is_conversation())
            && found.missing.contains(&EngineNeed::Jdk)
        {
            found.missing.retain(|need| *need != EngineNeed::Jdk);
            // It would install the JDK, too.
            found.install = None;
        }
        match found.missing.is_empty() {
            true => Ok(()),
            false => Err(Failure::conflict((EN.engine_lacks_line(&found), ZH.engine_lacks_line(&found)))),
        }
    }

    /// The engine: the server lets it serve, the command line executes a run with it.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The workers on other machines; `None` if outputs run in this process.
    pub fn known_workers(&self) -> Option<Workers> {
        self.engine.cluster().map(Registry::workers)
    }

    /// Removes a worker on another machine, for example because its credentials were stolen: its reports are refused, and
    /// its outcomes are not used again. Returns the runs with results of removed workers.
    ///
    /// # Errors
    /// No worker of this name has reported anything, and none is connected.
    pub async fn remove_worker(&self, admin: &Admin, name: String) -> Result<Vec<ToRunAgain>, Failure> {
        let is_connected = self.known_workers().is_some_and(|known| known.workers.iter().any(|one| one.name == name));
        let remove = move |tx: &Transaction<'_>| {
            if !is_connected && !run_workers::is_removed(tx, &name)? && !run_workers::has_reported(tx, &name)? {
                let hint = "See the names on the page Runs";
                return Err(Failure::invalid("NAME", format!("no worker {name} has reported a result"), hint));
            }
            let removed = run_workers::remove(tx, &name)?;
            let entries = removed.then(|| (Object::Worker(name), Vec::new()));
            Ok(Change::each(entries.into_iter().collect(), run_workers::to_run_again(tx)?))
        };
        self.db.write_audited(admin, Action::WorkerRemove, remove).await
    }

    /// Writes a run's outputs and figures as a file. `keep` says which outputs. Blocks.
    ///
    /// # Errors
    /// The run does not exist, or `out` cannot be written.
    pub fn write_results(
        &self,
        _: &Admin,
        id: RunId,
        form: Form,
        keep: impl Fn(&ItemRow) -> bool,
        out: Out<'_>,
    ) -> Result<u64, Failure> {
        let (figures, with_repositories) = (&self.figures, self.engine.repositories().is_some());
        let run = finish(self.db.read_blocking(|conn| detail(conn, id, figures, with_repositories))?);
        let mut count = 0;
        results::results(form, &run, out, |write| {
            self.db.read_blocking(|conn| {
                runs::each_item(conn, id, |item| {
                    if !keep(item) {
                        return Ok(());
                    }
                    count += 1;
                    write(item)
                })
            })
        })?;
        Ok(count)
    }

    /// Refuses options that the tests do not have, and tests that cannot run here. Starts programs.
    async fn check(&self, needs: Needs, how: How) -> Result<(), Failure> {
        let engine = self.engine.clone();
        tokio::task::spawn_blocking(move || needs.check(how, &engine)).await.map_err(Failure::internal)?
    }

    async fn create(&self, admin: &Admin, new: NewRun) -> Result<RunId, Failure> {
        let NewRun { submission, fresh, .. } = new;
        let how = match new.like {
            Some(run) => self.db.read(move |conn| run_how::get(conn, run)).await?,
            None => How { fast: new.fast, dates: new.dates, profile: new.profile },
        };
        // Before the transaction: looking for a toolchain starts programs, and raters wait for the writer.
        let needs = self.db.read(move |conn| Needs::of(conn, submission)).await?;
        self.ready(how.dates, needs.kind)?;
        self.check(needs, how).await?;
        let by = admin.id();
        let id = self
            .db
            .write_audited(admin, Action::RunStart, move |tx| {
                let row = submissions::get(tx, submission)?.ok_or_else(|| Failure::not_found("submission"))?;
                if !runs::has_tests(tx, submission)? && row.dataset.starts_with(codeif::SLUG) {
                    return Err(Failure::conflict((
                        format!("Submission {submission} belongs to a version of {} without tests: its file does not say where the tests are. Import the benchmark's own file again, upload the outputs again, and run those.", row.dataset),
                        format!("输出集 {submission} 所属的 {} 版本没有测试：数据文件没有说明测试的位置。请重新导入基准自带的文件并重新上传输出，然后运行新的输出集。", row.dataset),
                    )));
                }
                if !runs::has_tests(tx, submission)? {
                    return Err(Failure::conflict((
                        format!("None of the tasks of submission {submission} (dataset {}) has tests, so there is nothing to run.", row.dataset),
                        format!("输出集 {submission}（数据集 {}）的任务都没有测试，无法运行。", row.dataset),
                    )));
                }
                let id = runs::insert(tx, submission, fresh, by)?;
                run_how::set(tx, id, how)?;
                Ok(Change::of(Object::Run(id), [Fact::Submission(submission)], id))
            })
            .await?;
        let (db, engine) = (self.db.clone(), self.engine.clone());
        // A browser that disconnects does not interrupt it, and the engine repeats it where the server was stopped.
        let filled = tokio::task::spawn_blocking(move || {
            let filled = jobs::add_items(&db, id);
            engine.notify();
            filled
        });
        filled.await.map_err(Failure::internal)??;
        Ok(id)
    }
}

/// The facts that decide whether a submission's tests can be run here.
pub(super) struct Needs {
    dataset: String,
    kind: Option<TestKind>,
    langs: Vec<CodeLang>,
}

impl Needs {
    pub(super) fn of(conn: &Connection, submission: SubmissionId) -> Result<Needs, Failure> {
        let row = submissions::get(conn, submission)?.ok_or_else(|| Failure::not_found("submission"))?;
        let version = submissions::version(conn, submission)?;
        let (kind, langs) = (datasets::test_kind(conn, version)?, runs::code_langs(conn, version)?);
        Ok(Needs { dataset: row.dataset, kind, langs })
    }

    /// The toolchains that the tests need besides the engine's JDK, by their codes in the list of the crate `toolchains`.
    pub(super) fn toolchains(&self) -> Vec<&'static str> {
        match self.kind {
            Some(TestKind::CodeIfBench) => vec!["codeif"],
            Some(TestKind::Repositories) => vec![CodeLang::Python.code()],
            Some(kind) if kind.is_program() => self.langs.iter().map(|lang| lang.code()).collect(),
            _ => Vec::new(),
        }
    }

    /// Rejects options that the tests do not have, and languages without a toolchain on this machine. Starts programs.
    fn check(&self, how: How, engine: &Engine) -> Result<(), Failure> {
        if how.profile.is_some() && !self.kind.is_some_and(TestKind::is_conversation) {
            return Err(Failure::conflict((
                format!(
                    "Profiles are for CodeIF-Bench, and the dataset {} is not. Start the run without one.",
                    self.dataset
                ),
                format!("测试方案仅适用于 CodeIF-Bench，而数据集 {} 不是。请去掉该选项后再运行。", self.dataset),
            )));
        }
        if !self.kind.is_some_and(TestKind::is_program) {
            return Ok(());
        }
        if how.fast || how.dates.is_some() {
            return Err(Failure::conflict((
                "Shared JVMs and a set date are options for Java test classes. Start the run without them.",
                "共用 JVM 与指定日期仅适用于 Java 测试类，请取消这些选项后再运行。",
            )));
        }
        if self.kind == Some(TestKind::Repositories) {
            return self.check_repositories(engine);
        }
        if engine.cluster().is_some() {
            return Ok(());
        }
        if self.kind == Some(TestKind::CodeIfBench) {
            return scripts::look(&engine.places()).map_err(|missing| {
                Failure::conflict((
                    format!("Outputs of CodeIF-Bench cannot be run on this machine: {missing}"),
                    format!("此机器无法运行 CodeIF-Bench 的输出：{missing}"),
                ))
            });
        }
        self.langs.iter().try_for_each(|code| self.check_language(*code, &engine.places()))
    }

    /// Tests at repository level run in a process that has the sources of the projects, and not on other machines.
    fn check_repositories(&self, engine: &Engine) -> Result<(), Failure> {
        let dataset = &self.dataset;
        if engine.cluster().is_some() {
            return Err(Failure::conflict((
                format!(
                    "Workers on other machines do not have the sources of the projects that the tests of {dataset} need. Run them with `aixgrade run --repositories DIR` on the server's machine."
                ),
                format!(
                    "其他机器上的工作进程没有 {dataset} 的测试所需的项目源码。请在服务器所在的机器上使用 aixgrade run --repositories DIR 运行。"
                ),
            )));
        }
        let Some(folder) = engine.repositories() else {
            return Err(Failure::conflict((
                format!(
                    "The tests of {dataset} need the sources of the projects, which CodeIF-Bench does not contain. Start `aixgrade serve` or `aixgrade run` with --repositories DIR, where DIR/Source_Code has the projects (docs/operating.md)."
                ),
                format!(
                    "{dataset} 的测试需要各项目的源码，CodeIF-Bench 中没有这些源码。请使用 --repositories DIR 启动 aixgrade serve 或 aixgrade run，其中 DIR/Source_Code 存放这些项目（docs/operating.md）。"
                ),
            )));
        };
        repositories::look(folder).map_err(|missing| {
            Failure::conflict((
                format!(
                    "The folder of --repositories cannot be used: {missing}. It must contain the projects as the benchmark's authors publish them: Source_Code/TOPIC/PROJECT."
                ),
                format!(
                    "无法使用 --repositories 指定的文件夹：{missing}。其中的项目须与基准作者发布的一致：Source_Code/主题/项目。"
                ),
            ))
        })?;
        self.check_language(CodeLang::Python, &engine.places())
    }

    fn check_language(&self, code: CodeLang, places: &Places) -> Result<(), Failure> {
        let (name, dataset) = (code.name(), &self.dataset);
        let Some(language) = lang::language(code) else {
            return Err(Failure::conflict((
                format!(
                    "This version of AixGrade does not run tests in {name}. People can grade the outputs of dataset {dataset}."
                ),
                format!("此版本的 AixGrade 不能运行 {name} 的测试。数据集 {dataset} 的输出可由人评分。"),
            )));
        };
        (language.look)(places).map_err(|missing| {
            Failure::conflict((
                format!("Outputs in {name} cannot be run on this machine: {missing}"),
                format!("此机器无法运行 {name} 的输出：{missing}"),
            ))
        })
    }
}

#[async_trait]
impl Runs for RunService {
    async fn list(&self, _: &Admin, submission: Option<SubmissionId>, of: PageOf) -> Answer<Paged<RunRow>> {
        let (figures, with_repositories) = (self.figures.clone(), self.engine.repositories().is_some());
        Ok(self
            .db
            .read_long(move |conn| {
                let page = runs::list(conn, submission, &of)?;
                let ids: Vec<RunId> = page.rows.iter().map(|run| run.id).collect();
                let (counts, mut figures) = (runs::counts_of(conn, &ids)?, figures.read(conn, &ids)?);
                let mut lacking = HashSet::new();
                for run in &page.rows {
                    if lacks_sources(conn, run, with_repositories)? {
                        lacking.insert(run.id);
                    }
                }
                Ok(page.map(|run| {
                    let counts = counts.get(&run.id).copied().unwrap_or_default();
                    let figures = figures.remove(&run.id).unwrap_or_default();
                    row(&run, counts, &figures, lacking.contains(&run.id))
                }))
            })
            .await?)
    }

    async fn items(&self, _: &Admin, id: RunId, filter: ItemFilter, of: PageOf) -> Answer<Paged<ItemRow>> {
        Ok(self
            .db
            .read_long(move |conn| {
                runs::get(conn, id)?.ok_or_else(|| Failure::not_found("run"))?;
                runs::items_page(conn, id, &filter, &of)
            })
            .await?)
    }

    async fn readiness(&self, _: &Admin) -> Answer<EngineReadiness> {
        Ok(match self.engine.cluster() {
            Some(_) => EngineReadiness::default(),
            None => (self.readiness_check)(None),
        })
    }

    async fn workers(&self, _: &Admin) -> Answer<Option<Workers>> {
        let to_run_again = self.db.read(run_workers::to_run_again).await?;
        Ok(self.known_workers().map(|known| Workers { to_run_again, ..known }))
    }

    async fn get(&self, _: &Admin, id: RunId) -> Answer<RunDetail> {
        let (figures, with_repositories) = (self.figures.clone(), self.engine.repositories().is_some());
        let read = self.db.read_long(move |conn| detail(conn, id, &figures, with_repositories)).await?;
        Ok(background::run(move || finish(read)).await?)
    }

    async fn languages(&self, _: &Admin) -> Answer<LanguageResults> {
        let language_cache = self.language_cache.clone();
        let read = self.db.read_long(move |conn| language_cache.read(conn)).await?;
        let language_cache = self.language_cache.clone();
        Ok(background::run(move || read.finish(&language_cache)).await?)
    }

    async fn conversations(&self, _: &Admin) -> Answer<ConversationResults> {
        let cache = self.conversation_cache.clone();
        let read = self.db.read_long(move |conn| cache.read(conn)).await?;
        let cache = self.conversation_cache.clone();
        Ok(background::run(move || read.finish(&cache)).await?)
    }

    async fn progress(&self, _: &Admin, id: RunId) -> Answer<RunProgress> {
        let with_repositories = self.engine.repositories().is_some();
        Ok(self
            .db
            .read(move |conn| {
                let run = runs::get(conn, id)?.ok_or_else(|| Failure::not_found("run"))?;
                let (items, done, failed) = runs::counts(conn, id)?;
                // Cached answers took no time and say nothing about the rest.
                let left_s = run_results::worked(conn, &run)?.and_then(|(count, millis)| {
                    let left = u64::from(items - done) * u64::try_from(millis).ok()? / u64::from(count) / 1000;
                    u32::try_from(left).ok()
                });
                let waits = run.status == RunStatus::Running && run.begun_at.is_none();
                let lacks_sources = lacks_sources(conn, &run, with_repositories)?;
                let behind =
                    if waits { runs::open(conn, with_repositories)?.filter(|first| *first != id) } else { None };
                Ok(RunProgress {
                    status: run.status,
                    items,
                    done,
                    failed,
                    verdicts: run_results::verdicts(conn, id)?,
                    begun: run.begun_at.is_some(),
                    behind: behind.filter(|_| !lacks_sources),
                    lacks_sources,
                    left_s,
                })
            })
            .await?)
    }

    async fn item(&self, _: &Admin, id: RunId, output: OutputId) -> Answer<ItemDetail> {
        let found = self.db.read(move |conn| {
            let run = runs::get(conn, id)?.ok_or_else(|| Failure::not_found("run"))?;
            run_results::get_item(conn, &run, output)?.ok_or_else(|| Failure::not_found("output in this run"))
        });
        let mut detail = found.await?;
        // Parsing code takes milliseconds, so it does not run on the async threads.
        let read = tokio::task::spawn_blocking(move || {
            detail.text = syntax::lines(&detail.code, detail.code_lang);
            if let Some(outcome) = detail.outcome.as_ref().filter(|o| !o.source.is_empty()) {
                detail.listing = syntax::traced::listing(outcome, &detail.code, detail.code_lang);
            }
            detail
        });
        Ok(read.await.map_err(Failure::internal)?)
    }

    async fn start(&self, admin: &Admin, new: NewRun) -> Answer<RunId> {
        Ok(self.create(admin, new).await?)
    }

    async fn cancel(&self, admin: &Admin, id: RunId) -> Answer<()> {
        let stop = move |tx: &Transaction<'_>| {
            runs::get(tx, id)?.ok_or_else(|| Failure::not_found("run"))?;
            let ended = runs::end(tx, id, RunStatus::Stopped, None)?;
            let entries = ended.then(|| (Object::Run(id), Vec::new()));
            Ok(Change::each(entries.into_iter().collect(), ()))
        };
        Ok(self.db.write_audited(admin, Action::RunStop, stop).await?)
    }

    async fn rerun(&self, admin: &Admin, id: RunId, what: Rerun) -> Answer<()> {
        let (how, needs) = self
            .db
            .read(move |conn| {
                let run = runs::get(conn, id)?.ok_or_else(|| Failure::not_found("run"))?;
                Ok((run_how::get(conn, id)?, Needs::of(conn, run.submission)?))
            })
            .await?;
        self.ready(how.dates, needs.kind)?;
        if needs.kind == Some(TestKind::Repositories) {
            self.check(needs, how).await?;
        }
        let request = what.clone();
        let items = self
            .db
            .read_long(move |conn| {
                if let Rerun::Tasks(wanted) = &request {
                    known(conn, id, wanted)?;
                }
                runs::named(conn, id, &request)
            })
            .await?;
        let mut batches = items.chunks(runs::ITEMS).map(<[i64]>::to_vec).collect::<Vec<_>>().into_iter();
        let first = batches.next();
        let what = self
            .db
            .write_audited(admin, Action::RunRerun, move |tx| {
                let run = runs::get(tx, id)?.ok_or_else(|| Failure::not_found("run"))?;
                check_repeat(&run, &what, first.is_some(), runs::counts(tx, id)?)?;
                repeat(tx, id, &first.unwrap_or_default(), &what)?;
                Ok(Change::of(Object::Run(id), [Fact::Rerun(what.clone())], what))
            })
            .await?;
        for batch in batches {
            // Each is complete by itself: what a stopped server leaves out keeps its result.
            let what = what.clone();
            self.db
                .write(move |tx| match runs::get(tx, id)? {
                    Some(run) if run.status != RunStatus::Stopped => repeat(tx, id, &batch, &what),
                    _ => Ok(()),
                })
                .await?;
        }
        self.engine.notify();
        Ok(())
    }

    async fn compare(&self, _: &Admin, a: RunId, b: RunId, task: Option<String>) -> Answer<RunPair> {
        let (figures, with_repositories) = (self.figures.clone(), self.engine.repositories().is_some());
        let read = self.db.read_long(move |conn| {
            let side = |id| run_pair::Side::load(conn, one_row(conn, id, &figures, with_repositories)?);
            run_pair::Loaded::new(conn, side(a)?, side(b)?, task)
        });
        Ok(read.await?.finish().await)
    }
}

const STOPPED: (&str, &str) = (
    "This run is stopped. Resume it first, and re-run single outputs after it has finished.",
    "该运行已停止。请先继续运行，完成后再重新运行单个输出。",
);

/// Refuses a request to run again that does not suit the run's status, or for which there is nothing to do. `found`
/// tells whether it names finished items.
fn check_repeat(run: &Run, what: &Rerun, found: bool, (_, done, _): Counts) -> Result<(), Failure> {
    match (run.status, what) {
        (RunStatus::Stopped, Rerun::Rest) => Ok(()),
        (RunStatus::Stopped, _) => Err(Failure::conflict(STOPPED)),
        (_, Rerun::Rest) => Err(Failure::conflict((
            "This run is not stopped, so there is nothing to resume.",
            "该运行未停止，无需继续。",
        ))),
        (_, Rerun::Changed) if done > 0 => Ok(()),
        _ if found => Ok(()),
        (_, Rerun::OfRemovedWorkers) => Err(Failure::conflict((
            "There is nothing to re-run: this run has no results of removed workers.",
            "没有需要重新运行的内容：本次运行没有来自已移除工作进程的结果。",
        ))),
        (_, Rerun::Failed) => Err(Failure::conflict((
            "There is nothing to re-run: this run has no engine errors.",
            "没有需要重新运行的内容：本次运行没有引擎错误。",
        ))),
        _ => Err(Failure::conflict((
            "There is nothing to re-run: these outputs are already waiting or running.",
            "没有需要重新运行的内容：这些输出正在等待或运行中。",
        ))),
    }
}

/// Resets items and has the run run again.
fn repeat(conn: &Connection, id: RunId, items: &[i64], what: &Rerun) -> Result<(), Failure> {
    runs::reset(conn, items, matches!(what, Rerun::Output(_) | Rerun::Tasks(_)))?;
    runs::reopen(conn, id, *what == Rerun::Changed)
}

/// Whether a run has outputs for these tasks.
fn known(conn: &Connection, id: RunId, wanted: &[String]) -> Result<(), Failure> {
    let items = runs::brief_items(conn, id)?;
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

fn row(run: &Run, (items, done, failed): Counts, figures: &RunFigures, lacks_sources: bool) -> RunRow {
    RunRow {
        id: run.id,
        submission: run.submission,
        model_name: run.model_name.clone(),
        dataset: run.dataset.clone(),
        number: run.number,
        status: run.status,
        lacks_sources,
        items,
        done,
        failed,
        created_at: run.created_at,
        finished_at: run.finished_at,
        conversations: run.conversations,
        metrics: figures.metrics,
        published: figures.published,
    }
}

/// Whether no process works on an open run, and this one does not for want of the projects' sources.
fn lacks_sources(conn: &Connection, run: &Run, with_repositories: bool) -> Result<bool, Failure> {
    let leaves = run.status == RunStatus::Running && run.needs_repositories && !with_repositories;
    Ok(leaves && runs::left(conn, run.id)?.1 == 0)
}

/// A run's row.
fn one_row(conn: &Connection, id: RunId, cache: &RunFiguresCache, with_repositories: bool) -> Result<RunRow, Failure> {
    let run = runs::get(conn, id)?.ok_or_else(|| Failure::not_found("run"))?;
    let lacks_sources = lacks_sources(conn, &run, with_repositories)?;
    let figures = cache.read(conn, &[id])?.remove(&id).unwrap_or_default();
    Ok(row(&run, runs::counts(conn, id)?, &figures, lacks_sources))
}

/// A run without `pass@k`, which takes too long for a reader of the database: [`finish`] adds it. `with_repositories`
/// says whether this process has the projects' sources.
fn detail(conn: &Connection, id: RunId, cache: &RunFiguresCache, with_repositories: bool) -> Result<Detail, Failure> {
    let run = runs::get(conn, id)?.ok_or_else(|| Failure::not_found("run"))?;
    let lacks_sources = lacks_sources(conn, &run, with_repositories)?;
    let figures = cache.read(conn, &[id])?.remove(&id).unwrap_or_default();
    let results = match figures.has_intervals() {
        true => None,
        false => Some(Results::of(runs::samples(conn, id)?)),
    };
    let mixed = match &run.environment {
        Some(environment) => run_results::mixed(conn, id, environment)?,
        None => 0,
    };
    let found = run_results::verdicts(conn, id)?;
    let count = |verdict| found.iter().find(|(of, _)| *of == verdict).map_or(0, |(_, count)| *count);
    let differences = match figures.differ {
        0 => Vec::new(),
        _ => Difference::summed(run_results::differences(conn, id)?.into_iter().map(|(_, difference)| difference)),
    };
    let passed = count(Verdict::Passed);
    let usual_failure = match run.status {
        RunStatus::Finished => UsualFailure::of(&run_results::first_failures(conn, id, LOOKED_AT)?),
        _ => None,
    };
    let detail = RunDetail {
        usual_failure: usual_failure.filter(|usual| passed == 0 || usual.is_suspicious()),
        row: row(&run, runs::counts(conn, id)?, &figures, lacks_sources),
        environment: run.environment.unwrap_or_default(),
        pass_at: Vec::new(),
        published_tasks: figures.published_tasks,
        published_pass_at: Vec::new(),
        differences,
        fault: run.fault,
        verdicts: Verdict::ALL.into_iter().map(|v| (v, count(v))).collect(),
        cached: run_results::cached(conn, id)?,
        taken_over: run.taken_over,
        mixed,
        missing: run_results::missing(conn, id)?,
        theirs: run_results::agreement(conn, id)?,
        lenient_tests: lenient_tests(conn, run.version)?,
    };
    Ok(Detail { detail, model: run.model, figures, results })
}

/// The tasks of a version whose tests accept a constant; `None` if these tests were not tried.
fn lenient_tests(conn: &Connection, version: DatasetVersionId) -> Result<Option<Vec<LenientTests>>, Failure> {
    let (kind, langs) = (datasets::test_kind(conn, version)?, runs::code_langs(conn, version)?);
    let (source, tasks) = match (kind, &langs[..]) {
        (Some(TestKind::HumanevalX), [lang]) => {
            let tasks = runs::task_programs::<humaneval::Task>(conn, version)?.into_iter();
            let tasks = tasks.map(|(_, task)| (constants::of_program(&task), task.task_id));
            (Source::HumanevalX(*lang), tasks.collect::<Vec<_>>())
        }
        (Some(TestKind::Aixbench), _) => {
            let tasks = datasets::test_class_sources(conn, version, aixbench::SOURCES)?.into_iter();
            (Source::Aixbench, tasks.map(|(task_id, source)| (constants::of_class(&source), task_id)).collect())
        }
        _ => return Ok(None),
    };
    let mut lenient = Vec::new();
    for (digest, task_id) in tasks {
        let Some(answers) = constants::accepted(source, &task_id, &digest) else { return Ok(None) };
        if !answers.is_empty() {
            let answers = answers.iter().map(|answer| (*answer).to_owned()).collect();
            lenient.push(LenientTests { task_id, answers });
        }
    }
    Ok(Some(lenient))
}

/// A run as read, without intervals. [`finish`] adds them.
struct Detail {
    detail: RunDetail,
    model: ModelId,
    figures: Arc<RunFigures>,
    /// `None` if the intervals are known.
    results: Option<Results>,
}

fn finish(Detail { detail, model, figures, results }: Detail) -> RunDetail {
    let intervals = figures.intervals(model, results.unwrap_or_default());
    RunDetail { pass_at: intervals.guarded.clone(), published_pass_at: intervals.published.clone(), ..detail }
}
