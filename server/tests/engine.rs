//! The engine in its real sandbox.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop here")]

#[path = "util/prerequisites.rs"]
mod prerequisites;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, atomic::AtomicBool},
};

use app::model::run::{LimitHit, Outcome, Verdict, said};
use server::{
    engine::{
        EngineError,
        dates::Dates,
        grader::{Grader, Task, Worker},
        runner::Allowance,
        suite::{TestKind, TestTree},
    },
    sandbox::{Sandbox, bubblewrap::Bubblewrap},
};

/// The sandbox by way of the program just built, or of the one that `AIXGRADE_PROGRAM` names: a build
/// folder that several checkouts share may hold another's.
fn sandbox() -> Arc<dyn Sandbox> {
    let program = std::env::var_os("AIXGRADE_PROGRAM").unwrap_or_else(|| env!("CARGO_BIN_EXE_aixgrade").into());
    Arc::new(Bubblewrap::new(PathBuf::from(program)).unwrap())
}

/// A folder that lasts from one test run to the next: making the Java images takes a while.
fn folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("engine");
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn tree(root: &Path, wanted: impl Fn(&str) -> bool) -> TestTree {
    let mut files = TestTree::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let relative = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            if wanted(&relative) {
                files.insert(relative, fs::read(&path).unwrap());
            }
        }
    }
    files
}

/// Grades many with as many workers as cores; results in the order given.
fn grade(grader: Grader, outputs: &[(Task, String)]) -> Vec<Outcome> {
    let grader = Arc::new(grader);
    let next = Mutex::new(0);
    let results = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..workers() {
            let (grader, next, results) = (Arc::clone(&grader), &next, &results);
            scope.spawn(move || {
                let mut worker = Worker::new(grader, Arc::default());
                loop {
                    let at = {
                        let mut next = next.lock().unwrap();
                        *next += 1;
                        *next - 1
                    };
                    let Some((task, code)) = outputs.get(at) else { return };
                    let outcome = worker.grade(task, code).unwrap();
                    results.lock().unwrap().insert(at, outcome);
                }
            });
        }
    });
    results.into_inner().unwrap().into_values().collect()
}

fn workers() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from)
}

/// Every fixture of `java-harness/fixtures` in the real sandbox: the whole report as the golden file
/// says, and nothing left behind. `UPDATE_GOLDEN=1` writes the file anew.
#[test]
fn every_fixture_comes_to_its_verdict() {
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../java-harness/fixtures");
    let tests = tree(&fixtures.join("tests"), |path| path.ends_with(".java"));
    let classes: BTreeSet<String> = ["SumTest", "ObjectTest", "EmptyTest", "ValuesTest", "HiddenTest"]
        .iter()
        .map(|name| format!("aixgrade.fixture.{name}"))
        .collect();
    let allowance = Allowance { cpu_s: 2, wall_s: 20, heap_mib: 64, threads: 16, ..Allowance::default() };
    let grader = |fast| {
        let allowance = Allowance { fast, ..allowance };
        Grader::prepare(sandbox(), &folder(), TestKind::Aixgrade, &tests, &classes, allowance, workers()).unwrap()
    };
    let outputs = tree(&fixtures.join("outputs"), |path| path.ends_with(".java"));
    let names: Vec<&str> = outputs.keys().map(|name| name.trim_end_matches(".java")).collect();
    let outputs: Vec<(Task, String)> = outputs
        .values()
        .map(|bytes| {
            let code = String::from_utf8(bytes.clone()).unwrap();
            let test_class =
                code.lines().find_map(|line| line.strip_prefix("// test: ")).unwrap_or("aixgrade.fixture.SumTest");
            (Task { test_class: test_class.to_owned(), signature: None }, code)
        })
        .collect();
    let found = grade(grader(false), &outputs);
    let (mut report, mut wrong) = (String::new(), Vec::new());
    for (name, outcome) in names.iter().zip(&found) {
        report.push_str(&describe(name, outcome));
        if !name.starts_with(outcome.verdict.name()) {
            wrong.push(format!("{name} came to {outcome:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let golden = fixtures.join("expected.jsonl");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&golden, &report).unwrap();
    }
    let expected = fs::read_to_string(&golden).unwrap();
    for (found, expected) in report.lines().zip(expected.lines()) {
        assert_eq!(found, expected);
    }
    assert_eq!(report.lines().count(), expected.lines().count());

    // The fast mode over the same, the harmless ones between all the others several times: the same
    // verdicts, case for case.
    let harmless = names.iter().position(|name| *name == "passed").unwrap();
    let mixed: Vec<usize> = (0..outputs.len()).flat_map(|at| [at, harmless]).collect();
    let again: Vec<(Task, String)> = mixed.iter().map(|&at| outputs[at].clone()).collect();
    for (&at, fast) in mixed.iter().zip(grade(grader(true), &again)) {
        assert_eq!(describe(names[at], &fast), describe(names[at], &found[at]), "fast mode");
    }
}

/// A run may ask for another date than today's.
#[test]
fn dates_are_those_that_a_run_asks_for() {
    let Some(_) = prerequisites::host(Dates::June2022.needs()) else { return };
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../java-harness/fixtures");
    let tests = tree(&fixtures.join("tests"), |path| path.ends_with(".java"));
    let class = "aixgrade.fixture.SumTest".to_owned();
    let code = "public int sum(int[] values) {
        java.time.YearMonth asked = java.time.YearMonth.of(2022, 6);
        long waited = System.nanoTime();
        boolean all = java.time.YearMonth.now().equals(asked)
            && new java.util.Date().toInstant().toString().startsWith(asked.toString())
            && java.time.Instant.ofEpochMilli(System.currentTimeMillis()).toString().startsWith(asked.toString())
            && System.nanoTime() >= waited;
        return all ? java.util.Arrays.stream(values).sum() : -1;
    }";
    let outputs = [(Task { test_class: class.clone(), signature: None }, code.to_owned())];
    for (dates, verdict) in [(Some(Dates::June2022), Verdict::Passed), (None, Verdict::Failed)] {
        let allowance = Allowance { dates, ..Allowance::default() };
        let classes = BTreeSet::from([class.clone()]);
        let grader = Grader::prepare(sandbox(), &folder(), TestKind::Aixgrade, &tests, &classes, allowance, 1).unwrap();
        let found = grade(grader, &outputs);
        assert_eq!(found[0].verdict, verdict, "{:#?}", found[0]);
    }
}

fn fixture_tests() -> (TestTree, BTreeSet<String>) {
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../java-harness/fixtures");
    let tests = tree(&fixtures.join("tests"), |path| path.ends_with(".java"));
    (tests, BTreeSet::from(["aixgrade.fixture.SumTest".to_owned()]))
}

/// A source on which the compiler would work for minutes: its limit is processor time, by name, and outputs beside
/// and after it come to their verdicts.
#[test]
fn a_source_that_takes_the_compiler_too_long_is_refused_by_processor_time() {
    let levels = 18;
    let bomb = format!(
        "static <T> T of(java.util.concurrent.Callable<T> made) throws Exception {{ return made.call(); }}
        static <T> T of(java.util.concurrent.Callable<T> made, Object... more) throws Exception {{ return null; }}
        public int sum(int[] numbers) {{
            try {{ Object made = {}1{}; return 0; }} catch (Exception e) {{ return 1; }}
        }}",
        "of(() -> true ? ".repeat(levels),
        " : null)".repeat(levels)
    );
    let right = "public int sum(int[] numbers) { int sum = 0; for (int n : numbers) sum += n; return sum; }";
    let task = Task { test_class: "aixgrade.fixture.SumTest".into(), signature: None };
    let outputs: Vec<(Task, String)> =
        [bomb.as_str(), right, right, right].map(|code| (task.clone(), code.to_owned())).into();
    let (tests, classes) = fixture_tests();
    let allowance = Allowance::default();
    let grader = Grader::prepare(sandbox(), &folder(), TestKind::Aixgrade, &tests, &classes, allowance, 2).unwrap();
    let found = grade(grader, &outputs);
    let what = (found[0].verdict, found[0].limit, found[0].message.as_str());
    assert_eq!(what, (Verdict::CompileError, Some(LimitHit::Cpu), said::COMPILER_CPU), "{:#?}", found[0]);
    assert!(found[1..].iter().all(|outcome| outcome.verdict == Verdict::Passed), "{found:#?}");
}

/// However busy the host is: the helper's clock says so, and time without a processor is no waiting.
#[test]
fn an_endless_loop_uses_up_its_processor_time() {
    let code = "public int sum(int[] numbers) { int sum = 0; while (true) { sum++; } }";
    let task = Task { test_class: "aixgrade.fixture.SumTest".into(), signature: None };
    let (tests, classes) = fixture_tests();
    for fast in [false, true] {
        // A waiting limit that a busy host would reach first, if it counted all of the time.
        let allowance = Allowance { cpu_s: 2, wall_s: 6, fast, ..Allowance::default() };
        let grader = Grader::prepare(sandbox(), &folder(), TestKind::Aixgrade, &tests, &classes, allowance, 2).unwrap();
        for outcome in grade(grader, &[(task.clone(), code.to_owned()), (task.clone(), code.to_owned())]) {
            let what = (outcome.verdict, outcome.limit);
            assert_eq!(what, (Verdict::Timeout, Some(LimitHit::Cpu)), "fast: {fast}, {outcome:#?}");
        }
    }
}

#[test]
fn a_worker_of_a_stopped_run_gives_up_what_is_under_way() {
    let (tests, classes) = fixture_tests();
    let allowance = Allowance::default();
    let grader = Grader::prepare(sandbox(), &folder(), TestKind::Aixgrade, &tests, &classes, allowance, 1).unwrap();
    let mut worker = Worker::new(Arc::new(grader), Arc::new(AtomicBool::new(true)));
    let task = Task { test_class: "aixgrade.fixture.SumTest".into(), signature: None };
    // Ended while it is assembled, and before it is compiled.
    for code in ["public int sum(int[] numbers) { return 0; }\n".repeat(500), "public int sum(int[] n) {}".into()] {
        let graded = worker.grade(&task, &code);
        assert!(matches!(graded, Err(EngineError::Cancelled)), "{graded:?}");
    }
}

/// What of an outcome is the same every time, as one line of JSON.
fn describe(name: &str, outcome: &Outcome) -> String {
    let kinds = |kinds: Vec<&String>| kinds.into_iter().cloned().collect::<Vec<_>>();
    let line = serde_json::json!({
        "fixture": name,
        "verdict": outcome.verdict,
        "limit": outcome.limit,
        "passed": outcome.passed,
        "total": outcome.total,
        "message": outcome.message,
        "diagnostics": outcome.diagnostics,
        "changes": kinds(outcome.changes.iter().map(|c| &c.kind).collect()),
        "flags": kinds(outcome.flags.iter().map(|f| &f.kind).collect()),
        "cases": outcome.cases.iter().map(|c| (&c.name, c.passed, without_places(&c.detail))).collect::<Vec<_>>(),
    });
    format!("{line}\n")
}

/// Without the numbers that Java gives to objects, which differ from run to run: `Output$1@791e8d0d`.
fn without_places(text: &str) -> String {
    let mut parts = text.split('@');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_hexdigit());
        let mark = if rest.len() < part.len() { "…" } else { "" };
        format!("{all}@{mark}{rest}")
    })
}

#[test]
fn agrees_with_the_published_runner() {
    let Some(checkout) = prerequisites::aixbench_checkout() else { return };
    let Some(data) = prerequisites::aixbench_data() else { return };
    let source = "src/main/java/com/aixcode/autoTest";
    let tree = tree(&checkout, |path| {
        let packaged = path.contains("/generate/") && !path.ends_with("/copilot/GenerateMethod95.java");
        (path.starts_with("src/main/") || path.starts_with("lib/")) && !packaged
    });
    for (model, prefix) in [("aixcoder", "AixcoderOld"), ("copilot", "GenerateMethod")] {
        let reference = data.join(format!("reference_{model}.tsv"));
        let reference = fs::read_to_string(reference).unwrap();
        let expected: Vec<(String, u32, u32)> = reference
            .lines()
            .skip(1)
            .map(|line| {
                let mut parts = line.split('\t');
                let mut next = || parts.next().unwrap();
                (next().to_owned(), next().parse().unwrap(), next().parse().unwrap())
            })
            .collect();
        let outputs: Vec<(Task, String)> = expected
            .iter()
            .map(|(id, _, _)| {
                let file = checkout.join(format!("{source}/generate/{model}/{prefix}{id}.java"));
                let task =
                    Task { test_class: format!("com.aixcode.autoTest.evaluation.Evaluation{id}"), signature: None };
                (task, fs::read_to_string(file).unwrap())
            })
            .collect();
        let classes: BTreeSet<String> = outputs.iter().map(|(task, _)| task.test_class.clone()).collect();
        let grader = |fast| {
            let allowance = Allowance { fast, ..Allowance::default() };
            Grader::prepare(sandbox(), &folder(), TestKind::Aixbench, &tree, &classes, allowance, workers()).unwrap()
        };
        let found = grade(grader(false), &outputs);
        for ((id, passed, total), outcome) in expected.iter().zip(&found) {
            // 160 draws at random; 128 and 129 look at the clock.
            if !["128", "129", "160"].contains(&id.as_str()) {
                assert_eq!((outcome.passed, outcome.total), (*passed, *total), "{model}, task {id}: {outcome:#?}");
            }
        }
        for ((id, _, _), (fast, strict)) in expected.iter().zip(grade(grader(true), &outputs).iter().zip(&found)) {
            if !["128", "129", "160"].contains(&id.as_str()) {
                let told = |o: &Outcome| (o.verdict, o.limit, o.passed, o.total);
                assert_eq!(told(fast), told(strict), "{model}, task {id}, fast: {fast:#?}");
            }
        }
        let solved = found.iter().filter(|o| o.verdict == Verdict::Passed).count();
        println!("{model}: {} outputs agree, {solved} pass every case", found.len());
    }
}
