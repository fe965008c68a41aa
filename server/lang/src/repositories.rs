//! Runs answers to the turns of CodeIF-Bench's conversations at repository level: a function of an existing project, whose
//! sources the operator supplies.
//!
//! Which tests judge an answer follows the rules of the function level ([`super::codeif`]); here a test is a test ID of
//! pytest, which runs in a private copy of the project (`python/projects.rs`). Before a test judges answers, it runs on the
//! project's own code: where that shows that it cannot judge, the answers have a fault instead of a verdict. See
//! docs/engine.md.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, atomic::AtomicBool},
    time::{Duration, Instant},
};

use benchmarks::place::{Code, Found, Place, is_inside};
use model::{
    code_lang::CodeLang,
    conversation::{TestProfile, TurnCheck, TurnDefect, Way},
    ids::TaskRevisionId,
    reason::{DataDefect, FailedCheck, ProjectProblem, Reason},
    run::{Environment, Outcome, Verdict},
};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::{
    Places, RunContext, Toolchain,
    codeif::{self, Answer, alone},
    language, leftovers,
    process::Budget,
    python::projects::{self, Order, Project, TestEnd},
    suite, trials,
};
use engine::{EngineError, runner::Allowance, self_test::CheckResult};
use sandbox::Sandbox;

/// Increase when the same answer can get another outcome.
const GENERATION: u32 = 5;

/// The folder of the sources in the folder that the operator names, as the benchmark's authors publish it.
pub const SOURCES: &str = "Source_Code";

/// The limits of the published evaluator. It counts 60 seconds on the clock, for all tests of an answer; here, CPU time
/// decides, and all tests of an answer together may wait this long.
const CPU_S: u64 = 60;
const WAIT_S: u64 = 60;
const DATA_MIB: u64 = 5 << 10;

fn budget(of: Budget) -> Budget {
    Budget { cpu_s: CPU_S, wait_s: WAIT_S, data_mib: DATA_MIB, ..of }
}

/// What is left of a budget after so much CPU time, in microseconds, and waiting: a second of each at least, in which a test
/// that needs more ends.
fn left(of: Budget, cpu_us: u64, idle: Duration) -> Budget {
    let cpu_s = of.cpu_s.saturating_sub(cpu_us / 1_000_000).max(1);
    Budget { cpu_s, wait_s: of.wait_s.saturating_sub(idle.as_secs()).max(1), ..of }
}

/// A response that the published evaluator refuses without running anything.
const PLACEHOLDER: &str = "    pass\n";

/// A task with its tests.
#[derive(Clone, Debug, Deserialize)]
pub struct Task {
    pub place: Place,
    /// The project's own code, which is in the task's lines.
    #[serde(deserialize_with = "code")]
    pub code: Code,
    /// Why its tests cannot judge.
    #[serde(default)]
    pub defects: Vec<TurnDefect>,
    #[serde(flatten)]
    pub tests: codeif::Task,
}

impl Task {
    /// The first defect because of which an answer cannot be judged: of the whole task, or of a turn whose tests judge it.
    fn defect(&self, answer: Answer<'_>) -> Option<&DataDefect> {
        let Answer { way, turn, .. } = answer;
        let judges =
            |of: u32| of == turn || way == Way::N && of < turn && self.tests.is_judged(way, of) && answer.includes(of);
        self.defects.iter().find(|defect| defect.turn.is_none_or(judges)).map(|defect| &defect.defect)
    }

    /// Whether a test belongs to a turn that cannot be judged.
    fn is_defective(&self, test: &str, profile: TestProfile) -> bool {
        let turns = self.defects.iter().filter_map(|defect| defect.turn);
        turns.into_iter().any(|turn| self.tests.own(turn, profile).contains(&test))
    }
}

fn code<'de, D: serde::Deserializer<'de>>(text: D) -> Result<Code, D::Error> {
    Ok(Code::of(&String::deserialize(text)?))
}

/// What a test's run on a project's own code showed, once it has run.
type OwnCode = Arc<Mutex<Option<Result<(), ProjectProblem>>>>;

/// Runs the outputs of one dataset version. Shared by all workers.
pub struct Repositories {
    sandbox: Arc<dyn Sandbox>,
    /// Runs the sandbox checks.
    python: Arc<dyn Toolchain>,
    tasks: BTreeMap<TaskRevisionId, Task>,
    projects: BTreeMap<String, Result<Project, ProjectProblem>>,
    own_code: Mutex<HashMap<(TaskRevisionId, String), OwnCode>>,
    /// For the sandbox checks.
    python_context: RunContext,
    context: RunContext,
    profile: TestProfile,
}

impl Repositories {
    /// Reads the tests and copies the projects that they need from `repositories` to `folder`. A project that cannot be
    /// used is noted: its outputs then have a fault that names it.
    ///
    /// # Errors
    /// Fails if tests cannot be read, or if there is no Python for the sandbox checks; other engine errors.
    pub fn prepare(
        sandbox: Arc<dyn Sandbox>,
        folder: &Path,
        repositories: &Path,
        tests: &[(TaskRevisionId, CodeLang, String)],
        allowance: Allowance,
        profile: TestProfile,
    ) -> Result<Repositories, EngineError> {
        let (mut tasks, mut projects) = (BTreeMap::new(), BTreeMap::new());
        for (revision, _, text) in tests {
            let task: Task = serde_json::from_str(text).map_err(|e| EngineError::Tests(e.to_string()))?;
            // An inner path outside of the project is refused when the task's outputs run.
            if is_inside(&task.place.project) && !projects.contains_key(&task.place.project) {
                let project = prepared(repositories, &task.place.project, folder);
                projects.insert(task.place.project.clone(), project);
            }
            tasks.insert(*revision, task);
        }
        let missing = |e: std::io::Error| EngineError::Sandbox(format!("Python: {e}"));
        let python =
            language(CodeLang::Python).ok_or_else(|| EngineError::Sandbox("Python is not supported".into()))?;
        let python = (python.find)(&Places::of_images(folder), folder).map_err(missing)?;
        let python_context = suite::context(Arc::clone(&sandbox), folder, allowance);
        let mut context = python_context.clone();
        context.budget = budget(context.budget);
        leftovers::sweep(&context.folder);
        let own_code = Mutex::default();
        Ok(Repositories { sandbox, python, tasks, projects, own_code, python_context, context, profile })
    }

    /// Replaces the limit of CPU time, in seconds.
    pub fn with_cpu_limit(mut self, cpu_s: u64) -> Repositories {
        self.context.budget.cpu_s = cpu_s;
        self
    }

    /// Replaces the limit of waiting time, in seconds.
    pub fn with_waiting_limit(mut self, wait_s: u64) -> Repositories {
        self.context.budget.wait_s = wait_s;
        self
    }

    /// The conditions that all outputs share.
    pub fn environment(&self, failed_checks: Vec<FailedCheck>) -> Environment {
        suite::environment(
            self.sandbox.optional_layers(),
            self.context.budget,
            self.versions(),
            self.fingerprint(),
            failed_checks,
        )
    }

    /// The versions of the projects' interpreters and of pytest.
    pub fn versions(&self) -> String {
        let mut versions: Vec<&str> = self.projects.values().flatten().map(|project| &*project.version).collect();
        versions.sort_unstable();
        versions.dedup();
        versions.join("; ")
    }

    /// A hash of everything besides the output and its task that can affect an outcome: also of every file of the projects.
    pub fn fingerprint(&self) -> String {
        let mut digest = Sha256::new();
        digest.update(format!("{GENERATION} {:?} {}", self.context.budget, self.profile.name()));
        for (name, project) in &self.projects {
            digest.update(format!("\0{name}\0{}", project.as_ref().map_or("", |project| &project.digest)));
        }
        hex::encode(digest.finalize())
    }

    /// A name for which the sandbox checks need to run only once.
    pub fn sandbox_name(&self) -> String {
        format!("repositories: {}", self.python.version())
    }

    /// Runs the sandbox checks.
    ///
    /// # Errors
    /// Engine errors only.
    pub fn trials(&self) -> Result<Vec<CheckResult>, EngineError> {
        trials::run(CodeLang::Python, &*self.python, &self.python_context)
    }

    /// How many outputs to work on at once: with each of them using all the memory that it may, no more than the machine
    /// has.
    pub fn workers(&self, processors: usize) -> usize {
        let memory = fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
            let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
            line.split_whitespace().next()?.parse::<usize>().ok()
        });
        let places = memory.map_or(1, |kib| kib / 1024 / usize::try_from(DATA_MIB).unwrap_or(usize::MAX));
        processors.min(places).max(1)
    }

    /// Runs an answer with the tests by which the published evaluator judges it, one after another until one fails. In a
    /// conversation of all turns, also with the tests of single turns, as at function level.
    ///
    /// # Errors
    /// Engine errors, among them [`EngineError::Project`], and [`EngineError::Cancelled`].
    pub fn grade(
        &self,
        revision: TaskRevisionId,
        answer: Answer<'_>,
        cancelled: &Arc<AtomicBool>,
    ) -> Result<Outcome, EngineError> {
        let missing = || EngineError::Tests("the task has no tests".to_owned());
        let task = self.tasks.get(&revision).ok_or_else(missing)?;
        let (Place { project: name, file, .. }, place) = (&task.place, &task.place);
        if !place.is_inside() {
            return Err(EngineError::Tests(format!("the path {name}/{file} leads out of its project")));
        }
        let unusable = |problem| EngineError::Project { project: name.clone(), problem };
        let project = self.projects.get(name).ok_or_else(missing)?;
        let project = project.as_ref().map_err(|problem| unusable(problem.clone()))?;
        check_lines(&project.sources, place, &task.code).map_err(unusable)?;
        let context = self.context.attempt(cancelled);
        let begun = Instant::now();
        let Answer { code, way, turn, .. } = answer;
        let profile = if way == Way::Dynamic { TestProfile::V1 } else { self.profile };
        let is_judged = task.tests.is_judged(way, turn);
        let mut work = Work { task, project, context: &context, code, ended: HashMap::new(), waited: Duration::ZERO };
        let mut lists = vec![task.tests.tests(answer, profile)];
        // Whether earlier turns are tested depends on the first list's result, and all of them must be able to judge.
        lists.extend(alone(&task.tests, answer, false).map(|turn| task.tests.own(turn, profile)));
        // A test that cannot judge runs for the verdict as published only.
        for test in lists.iter().flatten().filter(|test| !task.is_defective(test, profile)) {
            self.check_own_code(revision, work.task, project, &context, test).map_err(|e| match e {
                CannotJudge::Project(problem) => unusable(problem),
                CannotJudge::Engine(e) => e,
            })?;
        }
        let Some(first) = lists.first().filter(|tests| !tests.is_empty()) else { return Err(missing()) };
        let mut outcome = work.judge(first, is_judged)?;
        for turn in alone(&task.tests, answer, outcome.published_pass) {
            let (published, guarded) = work.check(&task.tests.own(turn, profile))?;
            outcome.outcome.turns.push(TurnCheck { turn, published, guarded });
        }
        let mut outcome = outcome.outcome;
        if let Some(defect) = task.defect(answer) {
            (outcome.verdict, outcome.passed) = (Verdict::Anomaly, 0);
            outcome.reason = Some(Reason::CannotJudge { defect: defect.clone() });
        }
        outcome.cpu_ms = u32::try_from(work.ended.values().map(cpu_us).sum::<u64>() / 1000).unwrap_or(u32::MAX);
        outcome.wall_ms = u32::try_from(begun.elapsed().as_millis()).unwrap_or(u32::MAX);
        Ok(outcome)
    }

    /// Runs a test on the project's own code, once. The tests of the base prompt must pass there. Those of an instruction,
    /// which the own code need not follow, must run.
    fn check_own_code(
        &self,
        revision: TaskRevisionId,
        task: &Task,
        project: &Project,
        context: &RunContext,
        test: &str,
    ) -> Result<(), CannotJudge> {
        let key = (revision, test.to_owned());
        let known = Arc::clone(self.own_code.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default());
        // Other workers that need the test wait for its result.
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*known {
            return known.clone().map_err(CannotJudge::Project);
        }
        let is_base = task.tests.turns.first().is_some_and(|base| base.tests.iter().any(|own| own == test));
        let order = order(task, test, None);
        let passed_before = self.own_code_file(project, &order, is_base);
        if passed_before.exists() {
            *known = Some(Ok(()));
            return Ok(());
        }
        let found = project.run(context, context.budget, &order).map_err(CannotJudge::Engine)?;
        let has_run = found.ran > 0 && !matches!(found.end.verdict, Verdict::Crashed);
        let result = match if is_base { found.end.passed && found.end.finished } else { has_run } {
            true => Ok(()),
            false => Err(ProjectProblem::OwnCode { test: test.to_owned(), detail: told(&found) }),
        };
        if result.is_ok() {
            // Without the file, the next run tests again.
            let _ = passed_before.parent().map(fs::create_dir_all);
            let _ = fs::write(passed_before, []);
        }
        *known = Some(result.clone());
        result.map_err(CannotJudge::Project)
    }

    /// The file that says that a test can judge answers: it has run on the project's own code. It is next to the copy of the
    /// project, which no sandbox can write, and is removed with it.
    fn own_code_file(&self, project: &Project, order: &Order<'_>, is_base: bool) -> PathBuf {
        let Order { test, file, lines, .. } = order;
        let layers = self.sandbox.optional_layers();
        let conditions = format!("{GENERATION} {} {layers:?} {is_base} {test:?} {file:?} {lines:?}", project.digest);
        let name = hex::encode(Sha256::digest(conditions));
        project.sources.with_file_name("own-code").join(name)
    }
}

/// Why a test cannot judge an answer.
enum CannotJudge {
    Project(ProjectProblem),
    Engine(EngineError),
}

/// An outcome, and whether the published evaluator would pass the answer.
struct Judged {
    outcome: Outcome,
    published_pass: bool,
}

/// The tests of one answer.
struct Work<'a> {
    task: &'a Task,
    project: &'a Project,
    context: &'a RunContext,
    code: &'a str,
    /// How the tests that have run ended.
    ended: HashMap<String, TestEnd>,
    /// How long they waited.
    waited: Duration,
}

impl Work<'_> {
    /// Runs tests until one fails. They share the limit of CPU time; all tests of the answer, whatever list they are in, share
    /// that of waiting time.
    fn run(&mut self, tests: &[&str]) -> Result<(), EngineError> {
        let mut used = 0;
        for test in tests {
            if !self.ended.contains_key(*test) {
                let all = self.context.budget;
                let budget = left(all, used, self.waited);
                let mut found = self.project.run(self.context, budget, &order(self.task, test, Some(self.code)))?;
                // The limit that the reason names is that of all tests.
                found.end.ended.budget = all;
                self.waited += found.end.ended.idle;
                self.ended.insert((*test).to_owned(), found);
            }
            let Some(found) = self.ended.get(*test) else { continue };
            used += cpu_us(found);
            if !found.end.passed {
                break;
            }
        }
        Ok(())
    }

    /// Whether tests pass as published and guarded. Without a test, neither.
    fn check(&mut self, tests: &[&str]) -> Result<(bool, bool), EngineError> {
        if tests.is_empty() || self.code == PLACEHOLDER {
            return Ok((false, false));
        }
        self.run(tests)?;
        let all = |passed: fn(&TestEnd) -> bool| tests.iter().all(|test| self.ended.get(*test).is_some_and(passed));
        let published = all(|found| found.end.passed);
        Ok((published, published && all(|found| found.end.finished)))
    }

    /// The outcome of these tests: that of the first that fails, else of the first that passes as published only.
    fn judge(&mut self, tests: &[&str], is_judged: bool) -> Result<Judged, EngineError> {
        let (published_pass, _) = self.check(tests)?;
        let ran = || tests.iter().filter_map(|test| self.ended.get(*test));
        let deciding = ran().find(|found| !found.end.passed).or_else(|| ran().find(|found| !found.end.finished));
        let outcome = match deciding.or_else(|| ran().next_back()) {
            Some(found) => codeif::judged(&found.end, is_judged),
            None => codeif::refused("the response is only `pass`", is_judged),
        };
        Ok(Judged { outcome, published_pass })
    }
}

fn order<'a>(task: &'a Task, test: &'a str, completion: Option<&'a str>) -> Order<'a> {
    let Place { file, first_line, last_line, indent, .. } = &task.place;
    Order { test, file, lines: (*first_line, *last_line), indent: *indent, completion }
}

fn cpu_us(found: &TestEnd) -> u64 {
    found.end.ended.report.cpu_us
}

/// What a test said when it failed: the exception, or the last error or line of what was printed.
fn told(found: &TestEnd) -> String {
    let printed = || {
        let mut lines = found.end.ended.printed.trim().lines().rev();
        let last = lines.clone().next().unwrap_or_default();
        lines.find(|line| line.contains("Error")).unwrap_or(last).trim().to_owned()
    };
    let text = Some(found.end.message.clone()).filter(|message| !message.is_empty()).unwrap_or_else(printed);
    text.chars().take(500).collect()
}

/// Whether a task's lines have its code in a project's sources.
fn check_lines(sources: &Path, place: &Place, code: &Code) -> Result<(), ProjectProblem> {
    // An absent file has no code.
    let text = fs::read(sources.join(&place.file)).unwrap_or_default();
    let offset = match place.find(&String::from_utf8_lossy(&text), code) {
        Found::InPlace => return Ok(()),
        Found::Moved(offset) => Some(offset),
        Found::Absent => None,
    };
    Err(ProjectProblem::OtherVersion { file: place.file.clone(), line: place.first_line, offset })
}

/// The sources and the environment of a project.
fn parts(repositories: &Path, name: &str) -> Result<(PathBuf, projects::Environment), ProjectProblem> {
    let sources = sources(repositories, name).ok_or(ProjectProblem::Missing)?;
    let environment = projects::Environment::find(repositories, &sources);
    let environment = environment.map_err(|e| ProjectProblem::Environment { detail: e.to_string() })?;
    Ok((sources, environment))
}

/// Whether a project is ready for tasks: its sources, its environment, and the tasks' lines. Returns the versions that it
/// runs with.
///
/// # Errors
/// The first problem.
pub fn readiness(repositories: &Path, name: &str, tasks: &[(Place, Code)]) -> Result<String, ProjectProblem> {
    let (sources, environment) = parts(repositories, name)?;
    check(&sources, tasks)?;
    Ok(environment.version())
}

/// Whether the lines of tasks have their code in a project's sources.
///
/// # Errors
/// The first problem.
pub fn check(sources: &Path, tasks: &[(Place, Code)]) -> Result<(), ProjectProblem> {
    tasks.iter().try_for_each(|(place, code)| check_lines(sources, place, code))
}

/// A project of the operator, ready to run.
fn prepared(repositories: &Path, name: &str, folder: &Path) -> Result<Project, ProjectProblem> {
    let (sources, environment) = parts(repositories, name)?;
    Project::prepare(&sources, name, &environment, folder)
        .map_err(|e| ProjectProblem::Unreadable { detail: e.to_string() })
}

/// The folder of a project's sources, if it is there.
fn sources(repositories: &Path, name: &str) -> Option<PathBuf> {
    let folder = repositories.join(SOURCES).join(name);
    folder.is_dir().then_some(folder)
}

/// Whether a folder can be used as the operator's repositories.
///
/// # Errors
/// Says what is missing.
pub fn look(repositories: &Path) -> std::io::Result<()> {
    let folder = repositories.join(SOURCES);
    match folder.is_dir() {
        true => Ok(()),
        false => {
            Err(std::io::Error::new(std::io::ErrorKind::NotFound, format!("there is no folder {}", folder.display())))
        }
    }
}

/// Runs tests of our own in the sandbox with a project's environment: one that must pass, and one that must fail.
///
/// # Errors
/// Says what went wrong.
pub fn try_out(sandbox: Arc<dyn Sandbox>, folder: &Path, repositories: &Path, project: &str) -> Result<(), String> {
    let failed = |e: &dyn std::fmt::Display| e.to_string();
    let own = tempfile::tempdir().map_err(|e| failed(&e))?;
    fs::write(own.path().join("twice.py"), "def twice(n):\n    return n\n").map_err(|e| failed(&e))?;
    let test = "from twice import twice\n\n\ndef test_twice():\n    assert twice(2) == 4\n";
    fs::write(own.path().join("test_twice.py"), test).map_err(|e| failed(&e))?;
    let environment = projects::Environment::find(repositories, &repositories.join(SOURCES).join(project));
    let environment = environment.map_err(|e| failed(&e))?;
    let ours =
        Project::prepare(own.path(), &format!("check.{project}"), &environment, folder).map_err(|e| failed(&e))?;
    let mut context = suite::context(sandbox, folder, Allowance::default());
    context.budget = budget(context.budget);
    for (completion, expected) in [("def twice(n):\n    return 2 * n", true), ("def twice(n):\n    return n", false)] {
        let order = Order {
            test: "test_twice.py::test_twice",
            file: "twice.py",
            lines: (1, 2),
            indent: 0,
            completion: Some(completion),
        };
        let found = ours.run(&context, context.budget, &order).map_err(|e| failed(&e))?;
        if found.ran == 0 || (found.end.passed && found.end.finished) != expected {
            return Err(format!("a test of ours did not run as expected: {}", told(&found)));
        }
    }
    Ok(())
}

/// Every project below a folder, with the versions that it runs with, or its problem. `tasks` are those of all projects.
pub fn survey(repositories: &Path, tasks: &[(Place, Code)]) -> Vec<(String, Result<String, ProjectProblem>)> {
    let folders = |of: &Path| {
        let entries = fs::read_dir(of).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries
            .filter(|entry| entry.path().is_dir())
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            // What is not complete.
            .filter(|name| !name.starts_with('.'))
            .collect();
        names.sort();
        names
    };
    let root = repositories.join(SOURCES);
    let mut found = Vec::new();
    for topic in folders(&root) {
        for project in folders(&root.join(&topic)) {
            let name = format!("{topic}/{project}");
            let own: Vec<_> = tasks.iter().filter(|(place, _)| place.project == name).cloned().collect();
            let state = readiness(repositories, &name, &own);
            found.push((name, state));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_of_an_answer_share_their_limits() {
        let all = budget(Budget { cpu_s: 0, wait_s: 0, data_mib: 0, threads: 8 });
        let limits = |cpu_us, idle| {
            let Budget { cpu_s, wait_s, data_mib, threads } = left(all, cpu_us, Duration::from_millis(idle));
            assert!(data_mib == DATA_MIB && threads == 8);
            (cpu_s, wait_s)
        };
        assert_eq!(limits(0, 0), (60, 60));
        assert_eq!(limits(20_900_000, 40_100), (40, 20));
        assert_eq!(limits(70_000_000, 70_000), (1, 1));
    }
}
