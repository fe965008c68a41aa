//! The engine in its real sandbox.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop here")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, atomic::AtomicBool},
};

use engine::{
    EngineError, dates,
    grader::{Grader, Task, Worker},
    runner::Allowance,
    suite::{TestKind, TestTree},
};
use model::{
    reason::{Reason, Sign},
    run::{Dates, LimitHit, Outcome, Verdict},
};
use sandbox::{Sandbox, bubblewrap::Bubblewrap};

mod constants;

/// The sandbox with the helper of the program just built, or of the one that `AIXGRADE_PROGRAM` names,
/// because several checkouts may share a build folder.
fn sandbox() -> Arc<dyn Sandbox> {
    let program = prerequisites::program();
    Arc::new(Bubblewrap::new(program).unwrap())
}

/// A folder that is kept between test runs, because creating the Java images takes a while.
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

/// Grades many outputs with as many workers as cores; results in the given order.
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

/// Every fixture of `java-harness/fixtures` in the real sandbox: the report equals the golden file, and
/// nothing is left behind. `UPDATE_GOLDEN=1` writes the file.
#[test]
fn every_fixture_comes_to_its_verdict() {
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../java-harness/fixtures");
    let tests = tree(&fixtures.join("tests"), |path| path.ends_with(".java"));
    let classes: BTreeSet<String> = ["SumTest", "ObjectTest", "EmptyTest", "ValuesTest", "HiddenTest", "CheckTest"]
        .iter()
        .map(|name| format!("aixgrade.fixture.{name}"))
        .collect();
    let allowance = Allowance { cpu_s: 2, wait_s: 20, heap_mib: 64, threads: 16, ..Allowance::default() };
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

    // The same in fast mode, with the harmless ones repeated between the others: the same verdicts, case by
    // case.
    let harmless = names.iter().position(|name| *name == "passed").unwrap();
    let mixed: Vec<usize> = (0..outputs.len()).flat_map(|at| [at, harmless]).collect();
    let again: Vec<(Task, String)> = mixed.iter().map(|&at| outputs[at].clone()).collect();
    for (&at, fast) in mixed.iter().zip(grade(grader(true), &again)) {
        assert_eq!(describe(names[at], &fast), describe(names[at], &found[at]), "fast mode");
    }
}

fn published_grader(tests: &TestTree, classes: &BTreeSet<String>, fast: bool) -> Grader {
    let allowance = Allowance { fast, ..Allowance::default() };
    Grader::prepare(sandbox(), &folder(), TestKind::Aixbench, tests, classes, allowance, workers()).unwrap()
}

/// The fixture that answers wrong and reports so many passed cases over the control socket, as a method of a number
/// that answers with a text.
fn forger(method: &str, cases: u32) -> String {
    let fixture = "../../java-harness/fixtures/outputs/failed_forged_by_native_code.java";
    let code = fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(fixture)).unwrap();
    let parts = [
        ("public int sum(int[] numbers)", format!("public String {method}(double value)")),
        ("return -1;", "return \"x\";".into()),
        ("{4, 4, 0", format!("{{{cases}, {cases}, 0")),
    ];
    parts.into_iter().fold(code, |code, (from, to)| {
        assert!(code.contains(from), "{from}");
        code.replace(from, &to)
    })
}

/// The same for tests in the published format, which trust the solution's objects.
#[test]
fn every_published_fixture_comes_to_its_verdict() {
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../java-harness/fixtures");
    let tests = tree(&fixtures.join("published"), |path| path.starts_with("src/"));
    let class = |number: &str| format!("com.aixcode.autoTest.evaluation.Evaluation{number}");
    let classes: BTreeSet<String> = ["1", "2", "3", "4", "5", "6", "7", "8"].map(class).into();
    let mut codes: BTreeMap<String, String> = tree(&fixtures.join("published/outputs"), |_| true)
        .into_iter()
        .map(|(name, bytes)| (name, String::from_utf8(bytes).unwrap()))
        .collect();
    let forger = forger("twoDigits", 3);
    codes.insert("failed_forged_by_native_code.java".into(), format!("// test: 3\n{forger}"));
    let outputs: Vec<(Task, String)> = codes
        .values()
        .map(|code| {
            let number = code.lines().next().unwrap().strip_prefix("// test: ").unwrap();
            (Task { test_class: class(number), signature: None }, code.clone())
        })
        .collect();
    for fast in [false, true] {
        let found = grade(published_grader(&tests, &classes, fast), &outputs);
        let wrong: Vec<String> = codes
            .keys()
            .zip(&found)
            .filter(|(name, outcome)| {
                let unconfirmed = outcome.flags.iter().any(|flag| flag.sign == Sign::Unconfirmed);
                !name.starts_with(outcome.verdict.name()) || unconfirmed != name.contains("unconfirmed")
            })
            .map(|(name, outcome)| format!("{name} came to {outcome:#?}"))
            .collect();
        assert!(wrong.is_empty(), "fast: {fast}\n{}", wrong.join("\n"));
    }
}

/// The published tests are in another package than the solution and create it without arguments. What a person would have to
/// rewrite, and a constructor that throws, fails as in the published evaluator.
#[test]
fn published_tests_create_classes_of_any_usual_form() {
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../java-harness/fixtures");
    let tests = tree(&fixtures.join("published"), |path| path.starts_with("src/"));
    let method = "public int[] copy(int[] values) { return values.clone(); }";
    let forms = [
        (true, "package com.example.util; public class Helper { METHOD }"),
        (true, "public final class Helper { private Helper() { } METHOD }"),
        (true, "package com.example.util; /** Doc. */ public final class Helper { private Helper() { } METHOD }"),
        (true, "public class Helper { Helper() { } METHOD }"),
        (true, "public class Helper { protected Helper() throws Exception { super(); } METHOD }"),
        (true, "class Node { private Node() { } } public class Helper { private Helper() { } METHOD }"),
        (
            true,
            "public class Helper { private Helper() { } public static int[] copy(int[] values) { return values.clone(); } }",
        ),
        (false, "public class Helper { private Helper() { throw new UnsupportedOperationException(); } METHOD }"),
        (false, "public class Helper { private Helper() { throw new AssertionError(); } METHOD }"),
        (false, "public class Helper { public Helper(int x) { } METHOD }"),
        (false, "public class Outer { public static class Helper { METHOD } }"),
        (false, "public class Outer { private Outer() { } static class Helper { METHOD } }"),
    ];
    let class = "com.aixcode.autoTest.evaluation.Evaluation6".to_owned();
    let task = Task { test_class: class.clone(), signature: Some("public int[] copy(int[] values)".into()) };
    let outputs: Vec<_> = forms.iter().map(|(_, form)| (task.clone(), form.replace("METHOD", method))).collect();
    for fast in [false, true] {
        for ((passes, form), outcome) in
            forms.iter().zip(grade(published_grader(&tests, &BTreeSet::from([class.clone()]), fast), &outputs))
        {
            let (verdict, passed) = if *passes { (Verdict::Passed, 4) } else { (Verdict::Failed, 0) };
            assert_eq!((outcome.verdict, outcome.passed, outcome.total), (verdict, passed, 4), "{form}: {outcome:#?}");
        }
    }
}

/// A run may ask for another date than today's.
#[test]
fn dates_are_those_that_a_run_asks_for() {
    let Some(_) = prerequisites::host(dates::needs(Dates::June2022)) else { return };
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../java-harness/fixtures");
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
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../java-harness/fixtures");
    let tests = tree(&fixtures.join("tests"), |path| path.ends_with(".java"));
    (tests, BTreeSet::from(["aixgrade.fixture.SumTest".to_owned()]))
}

/// A source that would occupy the compiler for minutes: the verdict names the CPU limit, and other outputs
/// still get their verdicts.
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
    let what = (found[0].verdict, found[0].limit, found[0].reason.clone());
    assert_eq!(what, (Verdict::CompileError, Some(LimitHit::Cpu), Some(Reason::CompilerCpu)), "{:#?}", found[0]);
    assert!(found[1..].iter().all(|outcome| outcome.verdict == Verdict::Passed), "{found:#?}");
}

/// On a busy host the helper's CPU clock decides, and time without a processor is not waiting.
#[test]
fn an_endless_loop_uses_up_its_processor_time() {
    let code = "public int sum(int[] numbers) { int sum = 0; while (true) { sum++; } }";
    let task = Task { test_class: "aixgrade.fixture.SumTest".into(), signature: None };
    let (tests, classes) = fixture_tests();
    for fast in [false, true] {
        // A waiting limit that a busy host would reach first if it counted wall time.
        let allowance = Allowance { cpu_s: 2, wait_s: 6, fast, ..Allowance::default() };
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
    // Cancelled while it is assembled, and before it is compiled.
    for code in ["public int sum(int[] numbers) { return 0; }\n".repeat(500), "public int sum(int[] n) {}".into()] {
        let graded = worker.grade(&task, &code);
        assert!(matches!(graded, Err(EngineError::Cancelled)), "{graded:?}");
    }
}

/// The reproducible part of an outcome, as one line of JSON.
fn describe(name: &str, outcome: &Outcome) -> String {
    let kind = |value: serde_json::Value| value["kind"].clone();
    let line = serde_json::json!({
        "fixture": name,
        "verdict": outcome.verdict,
        "limit": outcome.limit,
        "passed": outcome.passed,
        "total": outcome.total,
        "reason": outcome.reason,
        "message": outcome.message,
        "diagnostics": outcome.diagnostics,
        "changes": outcome.changes.iter().map(|c| kind(serde_json::to_value(c).unwrap())).collect::<Vec<_>>(),
        "flags": outcome.flags.iter().map(|f| kind(serde_json::to_value(f).unwrap())).collect::<Vec<_>>(),
        "cases": outcome.cases.iter().map(|c| (&c.name, c.passed, without_places(&c.detail))).collect::<Vec<_>>(),
    });
    format!("{line}\n")
}

/// Without the numbers that Java gives to objects, which differ between runs: `Output$1@791e8d0d`.
fn without_places(text: &str) -> String {
    let mut parts = text.split('@');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_hexdigit());
        let mark = if rest.len() < part.len() { "…" } else { "" };
        format!("{all}@{mark}{rest}")
    })
}

const PUBLISHED: &str = "src/main/java/com/aixcode/autoTest";

fn published(checkout: &Path) -> TestTree {
    tree(checkout, |path| {
        let packaged = path.contains("/generate/") && !path.ends_with("/copilot/GenerateMethod95.java");
        (path.starts_with("src/main/") || path.starts_with("lib/")) && !packaged
    })
}

/// A solution chooses which methods of the base class it has, and the class that records its answers passes all of
/// them on: it compiles with every one. And the forger does not pass the published task 119.
#[test]
fn published_answers_can_be_recorded_whatever_else_a_solution_has() {
    let Some(checkout) = prerequisites::aixbench_checkout() else { return };
    let base = fs::read_to_string(checkout.join(PUBLISHED).join("GenerateMethodBase.java")).unwrap();
    let (nothing, asked) =
        ("{throw new RuntimeException(\"Not implemented\");}", "String formatDouble(double val) throws Exception ");
    assert!(base.contains(&format!("{asked}{nothing}")));
    let every_method = base
        .replace("package com.aixcode.autoTest;", "import com.aixcode.autoTest.GenerateMethodBase;")
        .replace("abstract class GenerateMethodBase", "class Solution119 extends GenerateMethodBase")
        .replace(
            &format!("{asked}{nothing}"),
            &format!("{asked}{{Thread.yield(); return String.format(\"%.2f\", val);}}"),
        );
    let task = Task { test_class: "com.aixcode.autoTest.evaluation.Evaluation119".into(), signature: None };
    let classes = BTreeSet::from([task.test_class.clone()]);
    let grader = published_grader(&published(&checkout), &classes, false);
    let found = grade(grader, &[(task.clone(), every_method), (task, forger("formatDouble", 4))]);
    assert_eq!((found[0].verdict, &found[0].flags[..]), (Verdict::Passed, &[][..]), "{:#?}", found[0]);
    assert_eq!((found[1].verdict, found[1].passed), (Verdict::Failed, 0), "{:#?}", found[1]);
}

#[test]
fn agrees_with_the_published_runner() {
    let Some(checkout) = prerequisites::aixbench_checkout() else { return };
    let Some(data) = prerequisites::aixbench_data() else { return };
    let (source, tree) = (PUBLISHED, published(&checkout));
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
        let grader = |fast| published_grader(&tree, &classes, fast);
        let found = grade(grader(false), &outputs);
        for ((id, passed, total), outcome) in expected.iter().zip(&found) {
            if !prerequisites::UNSTEADY_TASKS.contains(&id.as_str()) {
                assert_eq!((outcome.passed, outcome.total), (*passed, *total), "{model}, task {id}: {outcome:#?}");
            }
        }
        for ((id, _, _), (fast, strict)) in expected.iter().zip(grade(grader(true), &outputs).iter().zip(&found)) {
            if !prerequisites::UNSTEADY_TASKS.contains(&id.as_str()) {
                let told = |o: &Outcome| (o.verdict, o.limit, o.passed, o.total);
                assert_eq!(told(fast), told(strict), "{model}, task {id}, fast: {fast:#?}");
            }
        }
        let solved = found.iter().filter(|o| o.verdict == Verdict::Passed).count();
        println!("{model}: {} outputs agree, {solved} pass every case", found.len());
    }
}
