//! CodeIF-Bench at repository level in the real sandbox, with a project and tasks of our own in the benchmark's layout.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop here")]

use std::{
    fs, io,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use benchmarks::place::Place;
use engine::{EngineError, runner::Allowance};
use formats::{FoundDataset, files::Files};
use lang::{
    Places,
    codeif::Answer,
    python::projects::{ENVIRONMENT, Environment},
    repositories::{self, Repositories, Task},
};
use model::{
    code_lang::CodeLang,
    conversation::{TestProfile, Way},
    dataset::TestKind,
    ids::TaskRevisionId,
    reason::{DataDefect, ProjectProblem, Reason},
    run::{LimitHit, Outcome, PublishedVerdict, Verdict},
};
use sandbox::{Child, Command, OptionalLayers, Sandbox, bubblewrap::Bubblewrap, tool};
use serde_json::{Value, json};

const SQUARE: &str = "class Square:
    def __init__(self, side):
        self.side = side

    def area(self, unit=1):
        return self.side * self.side * unit

    def name(self):
        return 'square'
";

const TESTS: &str = "import unittest

from shapes.square import Square


class SquareTest(unittest.TestCase):
    def test_area(self):
        self.assertEqual(Square(3).area(), 9)

    def test_units(self):
        self.assertEqual(Square(3).area(unit=2), 18)

    def test_name(self):
        self.assertEqual(Square(3).name(), 'square')

    def test_negative_side(self):
        with self.assertRaises(ValueError):
            Square(-1).area()

    def test_extension(self):
        self.assertEqual(Square(3).area(), '9')

    def test_own_code_fails(self):
        self.assertEqual(Square(3).name(), 'circle')


def test_fixture(no_such_fixture):
    pass
";

/// The IDs of tests.
fn id(name: &str) -> String {
    format!("tests/test_square.py::SquareTest::{name}")
}

/// The project's own code of `Square.area`, but for whitespace.
const CODE: &str = "    def area(self, unit = 1):\r\n        return self.side*self.side*unit\n";

/// A task of `Square.area`, with two instructions and an extension, all in the conversation.
fn task(namespace: &str) -> Value {
    let requirement = |name: &str| json!({ "requirement": "Do it.", "unit_test": ["def f(): pass"], "test": id(name) });
    json!({
        "namespace": namespace, "type": "method", "prompt": "Write area.", "code": CODE,
        "project_path": "Text/shapes", "completion_path": "Text/shapes/shapes/square.py",
        "signature_position": [5, 5], "body_position": [6, 6], "indent": 4,
        "tests": [id("test_area"), id("test_units")],
        "requirements": {
            "Code Standard": requirement("test_name"),
            "Exception Handling": requirement("test_negative_side"),
            "Functionality Extension": requirement("test_extension"),
        },
        "multi-turn": ["Code Standard", "Exception Handling", "Functionality Extension"],
    })
}

fn with(namespace: &str, changes: Value) -> Value {
    let mut task = task(namespace);
    let Value::Object(changes) = changes else { unreachable!("an object") };
    for (field, value) in changes {
        task[field] = value;
    }
    task
}

fn read(tasks: &[Value]) -> Result<FoundDataset, String> {
    let mut files = Files::named("tasks");
    let lines: String = tasks.iter().map(|task| format!("{task}\n")).collect();
    files.add("L_9.jsonl", lines.into_bytes()).unwrap();
    let found = formats::read(&files).map_err(|problems| problems[0].to_string())?;
    Ok(found.datasets.into_iter().next().unwrap())
}

struct Host {
    folder: tempfile::TempDir,
    suite: Repositories,
}

/// The operator's folder: a project, with links out of it and inside, and an environment for all projects.
///
/// # Errors
/// Says why there is no environment with pytest.
fn sources(folder: &Path, with_setup: bool) -> io::Result<()> {
    let project = folder.join(repositories::SOURCES).join("Text/shapes");
    fs::create_dir_all(project.join("shapes")).unwrap();
    fs::create_dir_all(project.join("tests")).unwrap();
    fs::write(project.join("shapes/__init__.py"), "").unwrap();
    fs::write(project.join("shapes/square.py"), SQUARE).unwrap();
    fs::write(project.join("tests/test_square.py"), TESTS).unwrap();
    if with_setup {
        fs::write(
            project.join("setup.py"),
            "from setuptools import setup\nsetup(name='shapes', packages=['shapes'])\n",
        )
        .unwrap();
    }
    fs::write(folder.join("secret.txt"), "secret of the host").unwrap();
    symlink("../../../secret.txt", project.join("outside.txt")).unwrap();
    symlink(folder.join("secret.txt"), project.join("absolute.txt")).unwrap();
    symlink("shapes/square.py", project.join("inside.py")).unwrap();
    let environment = folder.join(ENVIRONMENT);
    let places = Places::from_environment();
    // The tests' toolchain has pytest; otherwise the Python on the path may have it.
    match places.own("projects/bin/python").map(|python| python.ancestors().nth(2).unwrap().to_owned()) {
        Some(own) if has_pytest(&own) => symlink(own, &environment).unwrap(),
        _ => {
            let python = sandbox::bubblewrap::find("python3").unwrap_or_else(|| "python3".into());
            let arguments = ["-m", "venv", "--system-site-packages", "--without-pip", environment.to_str().unwrap()];
            tool::run(&python, arguments)?;
        }
    }
    Environment::find(folder, &project).map(drop)
}

fn has_pytest(environment: &Path) -> bool {
    let found = tempfile::tempdir().unwrap();
    symlink(environment, found.path().join(ENVIRONMENT)).unwrap();
    Environment::find(found.path(), &found.path().join("none")).is_ok()
}

fn host(tasks: &[Value], with_setup: bool) -> io::Result<Host> {
    host_in(tempfile::tempdir().unwrap(), tasks, with_setup, &|sandbox| sandbox)
}

/// The sandbox of a suite, made of the usual one.
type Wrap<'a> = &'a dyn Fn(Arc<dyn Sandbox>) -> Arc<dyn Sandbox>;

fn host_in(folder: tempfile::TempDir, tasks: &[Value], with_setup: bool, wrap: Wrap<'_>) -> io::Result<Host> {
    sources(folder.path(), with_setup)?;
    let dataset = read(tasks).unwrap();
    assert_eq!(dataset.tests.as_ref().unwrap().kind, TestKind::Repositories);
    let tests: Vec<_> = (0..)
        .zip(&dataset.tasks)
        .map(|(at, task)| (TaskRevisionId(at), CodeLang::Python, task.test_body.clone().unwrap()))
        .collect();
    let program = prerequisites::program();
    let sandbox = wrap(Arc::new(Bubblewrap::new(program).unwrap()));
    let engine = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("repositories");
    fs::create_dir_all(&engine).unwrap();
    let (allowance, profile) = (Allowance::default(), TestProfile::AsRun);
    let suite = Repositories::prepare(sandbox, &engine, folder.path(), &tests, allowance, profile).unwrap();
    Ok(Host { folder, suite })
}

impl Host {
    fn grade(&self, task: i64, code: &str, way: Way, turn: u32) -> Result<Outcome, EngineError> {
        self.suite.grade(TaskRevisionId(task), Answer::new(code, way, turn), &Arc::default())
    }

    fn check(&self, code: &str, (way, turn): (Way, u32), published: PublishedVerdict, guarded: Verdict) -> Outcome {
        let outcome = self.grade(0, code, way, turn).unwrap();
        let found = (outcome.published.as_ref().map(|published| published.verdict), outcome.verdict);
        assert_eq!(found, (Some(published), guarded), "{code}: {} {}", outcome.message, outcome.printed);
        outcome
    }

    fn problem(&self, task: i64, way: Way, turn: u32) -> ProjectProblem {
        match self.grade(task, GOOD, way, turn) {
            Err(EngineError::Project { project, problem }) => {
                assert!(project.starts_with("Text/"), "{project}");
                problem
            }
            other => unreachable!("a fault that names the project, not {other:?}"),
        }
    }
}

/// Indented otherwise than the project's code.
const GOOD: &str = "  def area(self, unit=1):\n    return self.side ** 2 * unit\n";

/// The same, with the given statements before it returns.
fn also(statements: &str) -> String {
    let lines: String = statements.lines().map(|line| format!("    {line}\n")).collect();
    format!("def area(self, unit=1):\n{lines}    return self.side ** 2 * unit\n")
}

use PublishedVerdict::{Failed, Passed, Timeout};

const BASE: (Way, u32) = (Way::Base, 0);

#[test]
fn answers_get_the_verdicts_of_the_projects_tests() {
    for with_setup in [false, true] {
        let Some(host) = prerequisites::toolchain("python", host(&[task("shapes.square.Square.area")], with_setup))
        else {
            return;
        };
        assert!(host.suite.trials().unwrap().iter().all(|check| check.failed.is_none()));
        let passed = host.check(GOOD, BASE, Passed, Verdict::Passed);
        assert_eq!((passed.passed, passed.total, passed.turns.len()), (1, 1, 0));
        let failed = host.check("def area(self, unit=1):\n    return 9", BASE, Failed, Verdict::Failed);
        assert!(failed.message.contains("9 != 18"), "{}", failed.message);
        let invalid = host.check("def area(self, unit=1:\n    return 9", BASE, Failed, Verdict::CompileError);
        assert!(invalid.message.starts_with("SyntaxError: "), "{}", invalid.message);
        host.check(&format!("{GOOD}\n  raise OSError('at import')\n"), BASE, Failed, Verdict::Crashed);
        host.check("    pass\n", BASE, Failed, Verdict::Failed);
        // The sandbox's user has a name, for which some projects ask.
        host.check(&also("import getpass\nassert getpass.getuser()"), BASE, Passed, Verdict::Passed);
        // Of single instructions, the base tests run as well, except with an extension.
        host.check(GOOD, (Way::Single, 1), Passed, Verdict::Passed);
        host.check(GOOD, (Way::Single, 2), Failed, Verdict::Failed);
        host.check("def area(self):\n    return '9'", (Way::Multi, 3), Passed, Verdict::Passed);
        // In a conversation, all tests so far.
        let strict = "def area(self, unit=1):\n    if self.side < 0:\n        raise ValueError\n    return self.side ** 2 * unit";
        let whole = host.check(strict, (Way::N, 2), Passed, Verdict::Passed);
        assert_eq!(whole.turns.iter().map(|turn| (turn.turn, turn.published)).collect::<Vec<_>>(), [(2, true)]);
        let forgot = host.check(GOOD, (Way::N, 2), Failed, Verdict::Failed);
        let turns = forgot.turns.iter().map(|turn| (turn.turn, turn.published, turn.guarded)).collect::<Vec<_>>();
        assert_eq!(turns, [(0, true, true), (1, true, true), (2, false, false)]);
        let unjudged = host.grade(0, "def area(self):\n    return '9'", Way::N, 3).unwrap();
        assert_eq!((unjudged.published, unjudged.verdict), (None, Verdict::Passed));
    }
}

#[test]
fn tests_of_turns_that_a_conversation_does_not_have_do_not_judge_it() {
    let mut task = task("shapes.square.Square.area");
    // No answer passes the first instruction's test.
    task["requirements"]["Code Standard"]["test"] = id("test_own_code_fails").into();
    let Some(host) = prerequisites::toolchain("python", host(&[task], false)) else { return };
    let strict =
        "def area(self, unit=1):\n    if self.side < 0:\n        raise ValueError\n    return self.side ** 2 * unit";
    let judged = |answered: Option<&[u32]>| {
        let answer = Answer { answered, ..Answer::new(strict, Way::N, 2) };
        let outcome = host.suite.grade(TaskRevisionId(0), answer, &Arc::default()).unwrap();
        let turns: Vec<_> = outcome.turns.iter().map(|turn| (turn.turn, turn.published)).collect();
        (outcome.published.unwrap().verdict, turns)
    };
    for whole in [None, Some(&[0, 1][..])] {
        assert_eq!(judged(whole), (Failed, vec![(0, true), (1, false), (2, true)]));
    }
    assert_eq!(judged(Some(&[])), (Passed, vec![(2, true)]));
}

/// Counts the processes that a sandbox starts.
struct Counting {
    inner: Arc<dyn Sandbox>,
    started: Arc<AtomicUsize>,
}

impl Sandbox for Counting {
    fn start(&self, command: &Command) -> io::Result<Child> {
        self.started.fetch_add(1, Ordering::Relaxed);
        self.inner.start(command)
    }

    fn optional_layers(&self) -> OptionalLayers {
        self.inner.optional_layers()
    }
}

#[test]
fn a_test_that_passed_the_projects_own_code_is_not_tried_on_it_again() {
    let started = Arc::new(AtomicUsize::new(0));
    let wrap = |inner| Arc::new(Counting { inner, started: Arc::clone(&started) }) as Arc<dyn Sandbox>;
    let starts = |unique: &str| {
        // A project of its own, so that no other test has checked its own code.
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join(repositories::SOURCES).join("Text/shapes");
        fs::create_dir_all(&project).unwrap();
        fs::write(project.join("unique.txt"), unique).unwrap();
        let host = host_in(folder, &[task("shapes.square.Square.area")], false, &wrap)?;
        started.store(0, Ordering::Relaxed);
        host.check(GOOD, BASE, Passed, Verdict::Passed);
        Ok::<_, io::Error>(started.load(Ordering::Relaxed))
    };
    let unique = format!("{:?} {}", std::time::SystemTime::now(), std::process::id());
    // Two tests, on the own code and on the answer; then on the answer alone.
    let Some(first) = prerequisites::toolchain("python", starts(&unique)) else { return };
    assert_eq!((first, starts(&unique).unwrap(), starts(&format!("{unique}, changed")).unwrap()), (4, 2, 4));
}

/// Does what pytest-asyncio does in its mode `auto`, and nothing in another.
const PLUGIN: &str = "import asyncio
import inspect


def pytest_addoption(parser):
    parser.addini('asyncio_mode', 'which coroutines are tests', default='strict')


def pytest_pyfunc_call(pyfuncitem):
    if pyfuncitem.config.getini('asyncio_mode') == 'auto' and inspect.iscoroutinefunction(pyfuncitem.obj):
        asyncio.run(pyfuncitem.obj())
        return True
";

#[test]
fn coroutines_run_as_tests_where_the_environment_has_pytest_asyncio() {
    let coroutine = "from shapes.square import Square


async def test_area():
    assert Square(3).area() == 9
";
    let tests = json!({ "tests": ["tests/test_coroutine.py::test_area"] });
    let run = |has_plugin: bool, code: &str| {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join(repositories::SOURCES).join("Text/shapes");
        fs::create_dir_all(project.join("tests")).unwrap();
        fs::write(project.join("conftest.py"), PLUGIN).unwrap();
        fs::write(project.join("tests/test_coroutine.py"), coroutine).unwrap();
        if has_plugin {
            fs::write(project.join("pytest_asyncio.py"), "").unwrap();
        }
        let host = host_in(folder, &[with("shapes.square.Square.area", tests.clone())], false, &|sandbox| sandbox)?;
        Ok::<_, io::Error>(host.grade(0, code, Way::Base, 0).map(|outcome| outcome.verdict))
    };
    let Some(good) = prerequisites::toolchain("python", run(true, GOOD)) else { return };
    assert_eq!(good.unwrap(), Verdict::Passed);
    assert_eq!(run(true, "def area(self):\n    return 8").unwrap().unwrap(), Verdict::Failed);
    // Otherwise, they cannot judge.
    assert!(matches!(run(false, GOOD).unwrap(), Err(EngineError::Project { .. })));
}

#[test]
fn limits_and_early_ends_are_no_pass() {
    let Some(Host { folder, suite }) =
        prerequisites::toolchain("python", host(&[task("shapes.square.Square.area")], false))
    else {
        return;
    };
    let host = Host { folder, suite: suite.with_cpu_limit(5) };
    let endless = host.check(&also("while True:\n    pass"), BASE, Timeout, Verdict::Timeout);
    assert_eq!(endless.limit, Some(LimitHit::Cpu));
    let waits = "import time\nbegun = time.process_time()\nwhile time.process_time() - begun < 3:\n    pass";
    let both = host.check(&also(waits), BASE, Timeout, Verdict::Timeout);
    assert_eq!(both.limit, Some(LimitHit::Cpu), "the tests share the limit");
    host.check(&also("bytearray(6 << 30)"), BASE, Failed, Verdict::OutOfMemory);
    host.check(&format!("import os\nos._exit(0)\n{}", also("")), BASE, Passed, Verdict::NoResult);
    host.check(&also("import os\nos._exit(0)"), BASE, Passed, Verdict::NoResult);
    host.check(&also("import os\nos._exit(3)"), BASE, Failed, Verdict::NoResult);
    host.check(&also("import sys\nsys.exit(0)"), BASE, Failed, Verdict::Failed);
    host.check(&also("import pytest\npytest.skip('no')"), BASE, Passed, Verdict::Anomaly);
    host.check(&also("import os, signal\nos.abort()"), BASE, Failed, Verdict::Crashed);
    // pytest keeps what a test prints in a file, which has room for it.
    host.check(&also("print('x' * (9 << 20))"), BASE, Passed, Verdict::Passed);
}

#[test]
fn tests_of_an_answer_share_one_budget_of_waiting() {
    let Some(Host { folder, suite }) =
        prerequisites::toolchain("python", host(&[task("shapes.square.Square.area")], false))
    else {
        return;
    };
    let host = Host { folder, suite: suite.with_waiting_limit(2) };
    // Each of both tests calls the function once.
    let sleep = |seconds: f64| also(&format!("import time\ntime.sleep({seconds})"));
    host.check(&sleep(0.3), BASE, Passed, Verdict::Passed);
    let both = host.check(&sleep(1.4), BASE, Timeout, Verdict::Timeout);
    assert_eq!((both.limit, both.reason), (Some(LimitHit::Wait), Some(Reason::WaitingTime { limit_ms: 2000 })));
    // Each test imports the module. The first one fails, so the tests of single turns run, and share the same budget.
    let turns = |seconds: f64| {
        let code = format!("def area(self, unit=1):\n    return 0\nimport time\ntime.sleep({seconds})\n");
        let outcome = host.check(&code, (Way::N, 2), Failed, Verdict::Failed);
        outcome.turns.iter().map(|turn| (turn.turn, turn.guarded)).collect::<Vec<_>>()
    };
    assert_eq!(turns(0.1), [(0, false), (1, true), (2, false)]);
    assert_eq!(turns(1.4), [(0, false), (1, false), (2, false)]);
}

#[test]
fn an_output_changes_nothing_for_another_and_nothing_outside() {
    let Some(host) = prerequisites::toolchain("python", host(&[task("shapes.square.Square.area")], false)) else {
        return;
    };
    let project = host.folder.path().join(repositories::SOURCES).join("Text/shapes");
    let wrong = "def area(self, unit=1):\n    return 0\n";
    let spoil = "
paths = ['/source/tests/test_square.py', '/source/shapes/square.py', '/source/new.py', '/python/site-0/pytest.py',
    '/python/lib/new.py', '/new.py', '/etc/passwd', 'outside.txt', 'absolute.txt']
reached = []
for path in paths:
    try:
        with open(path, 'r+' if path.endswith('.txt') else 'w') as file:
            file.write('assert True')
        reached.append(path)
    except OSError:
        pass
for path in ['tests/test_square.py', 'shapes/square.py', '/tmp/left.py', '/work/left.py']:
    with open(path, 'w') as file:
        file.write('def test_area(): pass')
for name, call in [('socket', lambda: __import__('socket').socket()), ('fork', lambda: __import__('os').fork())]:
    try:
        call()
        reached.append(name)
    except OSError:
        pass
import os
for folder, _, names in os.walk('/work/project'):
    for name in names:
        if name.endswith('.txt'):
            reached.append(name)
assert not reached, reached";
    let outcome = host.check(&also(spoil.trim()), BASE, Passed, Verdict::Passed);
    assert!(!outcome.printed.contains("secret of the host"));
    let left = "import os\nassert not os.path.exists('/tmp/left.py') and not os.path.exists('/work/left.py')";
    host.check(&also(left), BASE, Passed, Verdict::Passed);
    host.check(wrong, BASE, Failed, Verdict::Failed);
    // The link inside the project works, and shows the answer.
    host.check(&also("assert 'unit=1' in open('inside.py').read()"), BASE, Passed, Verdict::Passed);
    assert_eq!(fs::read_to_string(project.join("shapes/square.py")).unwrap(), SQUARE);
    assert_eq!(fs::read_to_string(project.join("tests/test_square.py")).unwrap(), TESTS);
    assert_eq!(fs::read_to_string(host.folder.path().join("secret.txt")).unwrap(), "secret of the host");
}

#[test]
fn a_project_that_cannot_judge_gives_a_fault_that_names_it() {
    let missing = json!({ "project_path": "Text/none", "completion_path": "Text/none/shapes/square.py" });
    let fails = json!({ "tests": [id("test_own_code_fails")] });
    let absent = json!({ "tests": ["tests/test_square.py::SquareTest::test_absent"] });
    let unrun = json!({ "requirements": { "Code Standard": { "requirement": "Do it.", "unit_test": [],
        "test": "tests/test_square.py::test_fixture" } }, "multi-turn": ["Code Standard"] });
    let moved = json!({ "signature_position": [2, 2], "body_position": [3, 3] });
    let shorter = json!({ "body_position": [6, 60] });
    let changed = json!({ "code": "    def area(self, unit=1):\n        return self.side ** 2 * unit\n" });
    let tasks = [
        with("a.area", missing),
        with("b.area", fails),
        with("c.area", absent),
        with("d.area", unrun),
        with("e.area", moved),
        with("f.area", shorter),
        task("g.area"),
        with("h.area", changed),
    ];
    let Some(host) = prerequisites::toolchain("python", host(&tasks, false)) else { return };
    assert_eq!(host.problem(0, Way::Base, 0), ProjectProblem::Missing);
    let test = |problem| match problem {
        ProjectProblem::OwnCode { test, .. } => test,
        other => unreachable!("{other:?}"),
    };
    assert_eq!(test(host.problem(1, Way::Base, 0)), id("test_own_code_fails"));
    assert_eq!(test(host.problem(2, Way::Base, 0)), id("test_absent"));
    assert_eq!(test(host.problem(3, Way::Single, 1)), "tests/test_square.py::test_fixture");
    let other = |line, offset| ProjectProblem::OtherVersion { file: "shapes/square.py".into(), line, offset };
    assert_eq!(host.problem(4, Way::Base, 0), other(2, Some(3)));
    assert_eq!(host.problem(5, Way::Base, 0), other(5, None));
    // A function of that name in the lines is not enough.
    assert_eq!(host.problem(7, Way::Base, 0), other(5, None));
    // The rest is not affected.
    assert_eq!(host.grade(6, GOOD, Way::Base, 0).unwrap().verdict, Verdict::Passed);
}

#[test]
fn defects_of_the_data_give_the_published_verdict_and_no_guarded_one() {
    let named = |id: &str| {
        let requirement = json!({ "requirement": "Do it.", "unit_test": ["def f(self): pass"], "test": id });
        json!({ "requirements": { "Code Standard": requirement }, "multi-turn": ["Code Standard"] })
    };
    let quoted = format!("'{}", id("test_name"));
    let mut indented = named(&id("test_negative_side"));
    indented["indent"] = json!(8);
    let early = format!("\n{CODE}");
    let mut invalid = named(&id("test_negative_side"));
    invalid["requirements"]["Code Standard"]["unit_test"] = json!(["def f(self:"]);
    let tasks = [
        with("a.area", indented),
        with("b.area", named(&quoted)),
        with("c.area", named(&id("test_name"))),
        with("d.area", named(&id("test_name"))),
        with("e.area", json!({ "code": early, "signature_position": [4, 4] })),
        with("f.area", invalid),
    ];
    let Some(host) = prerequisites::toolchain("python", host(&tasks, false)) else { return };
    let check = |task, (way, turn): (Way, u32), published, defect: &DataDefect| {
        let outcome = host.grade(task, GOOD, way, turn).unwrap();
        assert_eq!(outcome.reason, Some(Reason::CannotJudge { defect: defect.clone() }), "{task} {turn}");
        let found = outcome.published.map(|published| published.verdict);
        assert_eq!((found, outcome.verdict, outcome.passed), (Some(published), Verdict::Anomaly, 0));
    };
    // The answer becomes part of the function before it.
    check(0, BASE, Failed, &DataDefect::Indent { answer: 8, code: 4 });
    check(1, (Way::Single, 1), Failed, &DataDefect::QuotedTest { test: quoted });
    let shared = |task: &str| DataDefect::SharedTest { test: id("test_name"), task: task.into() };
    check(2, (Way::N, 1), Passed, &shared("d.area"));
    check(3, (Way::Multi, 1), Passed, &shared("c.area"));
    check(4, BASE, Passed, &DataDefect::EarlyLines { lines: 1 });
    check(5, (Way::Single, 1), Failed, &DataDefect::InvalidTest { test: id("test_negative_side") });
    // The base prompt can be judged.
    assert_eq!(host.grade(1, GOOD, Way::Base, 0).unwrap().verdict, Verdict::Passed);
}

#[test]
fn paths_out_of_the_project_are_refused() {
    for (project, path) in [
        ("Text/shapes", "Text/other/square.py"),
        ("Text/shapes", "Text/shapes/../../secret.txt"),
        ("Text/shapes", "Text/shapes//etc/passwd"),
        ("../Text", "../Text/square.py"),
        ("/etc", "/etc/passwd"),
    ] {
        let refused = read(&[with("a.area", json!({ "project_path": project, "completion_path": path }))]).unwrap_err();
        assert!(refused.contains("is not inside the project"), "{path}: {refused}");
    }
    // Also where the database says otherwise.
    let body: Value =
        serde_json::from_str(read(&[task("a.area")]).unwrap().tasks[0].test_body.as_ref().unwrap()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let Some(()) = prerequisites::toolchain("python", sources(folder.path(), false)) else { return };
    let tests: Vec<_> = [("project", "../Text/shapes"), ("file", "../../../secret.txt")]
        .into_iter()
        .zip(0..)
        .map(|((field, path), at)| {
            let mut body = body.clone();
            body["place"][field] = path.into();
            (TaskRevisionId(at), CodeLang::Python, body.to_string())
        })
        .collect();
    let program = prerequisites::program();
    let sandbox = Arc::new(Bubblewrap::new(program).unwrap());
    let engine = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("repositories");
    fs::create_dir_all(&engine).unwrap();
    let profile = TestProfile::AsRun;
    let suite = Repositories::prepare(sandbox, &engine, folder.path(), &tests, Allowance::default(), profile).unwrap();
    for (revision, ..) in &tests {
        let answer = Answer::new(GOOD, Way::Base, 0);
        let refused = suite.grade(*revision, answer, &Arc::default()).unwrap_err().to_string();
        assert!(refused.contains("leads out of its project"), "{refused}");
    }
}

#[test]
fn an_environment_without_pytest_is_told_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("Source_Code/Text/shapes");
    fs::create_dir_all(&project).unwrap();
    let told = |()| Environment::find(folder.path(), &project).map(drop).unwrap_err().to_string();
    assert!(told(()).contains("python3 -m venv") && told(()).contains("pytest"), "{}", told(()));
    let python = sandbox::bubblewrap::find("python3").ok_or("python3 is not installed");
    let Some(python) = prerequisites::host(python) else { return };
    let environment = project.join(ENVIRONMENT);
    let arguments = ["-m", "venv", "--without-pip", environment.to_str().unwrap()];
    let Some(_) = prerequisites::host(tool::run(&python, arguments)) else { return };
    assert!(told(()).contains("lacks pytest. Run `"), "{}", told(()));
}

#[test]
fn doctor_tries_projects_in_the_sandbox() {
    let folder = tempfile::tempdir().unwrap();
    let Some(()) = prerequisites::toolchain("python", sources(folder.path(), false)) else { return };
    let task: Task =
        serde_json::from_str(&read(&[task("a.area")]).unwrap().tasks[0].test_body.clone().unwrap()).unwrap();
    let lines = |first_line, last_line| Place { first_line, last_line, ..task.place.clone() };
    let of = |first, last| repositories::survey(folder.path(), &[(lines(first, last), task.code.clone())]);
    let off = ProjectProblem::OtherVersion { file: "shapes/square.py".into(), line: 4, offset: Some(1) };
    assert_eq!(of(4, 5), [("Text/shapes".to_owned(), Err(off))]);
    let found = of(5, 6);
    assert_eq!(found.len(), 1);
    assert!(found[0].0 == "Text/shapes" && found[0].1.as_ref().unwrap().contains(", pytest "), "{found:?}");
    let program = prerequisites::program();
    let sandbox = Arc::new(Bubblewrap::new(program).unwrap());
    let engine = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("repositories");
    assert_eq!(repositories::try_out(sandbox, &engine, folder.path(), "Text/shapes"), Ok(()));
    assert!(repositories::look(folder.path()).is_ok() && repositories::look(&folder.path().join("none")).is_err());
}
