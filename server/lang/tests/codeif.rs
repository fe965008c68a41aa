//! CodeIF-Bench in its real sandbox: the verdicts that the authors published, and the figures of the branch `v1`.
//!
//! Reads the benchmark where the machine has it. `prerequisites::codeif_series` names other series than the one of the
//! test, separated by commas, or `all`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop here")]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use engine::runner::Allowance;
use formats::{
    FoundDataset,
    conversations::Turns,
    files::Files,
    outputs::{self, Asked, OutputLine},
};
use lang::{
    Places,
    codeif::{Answer, Conversations},
    python::scripts,
};
use model::{
    conversation::{InstructionKind, TestProfile, Way},
    dataset::TestKind,
    ids::TaskRevisionId,
    run::{Outcome, PublishedVerdict, Verdict},
};
use sandbox::{bubblewrap::Bubblewrap, tool};
use stats::conversations::{self, RoundAnswer};

/// The first release, to which the published outputs belong.
const FIRST_RELEASE: &str = "93b17ef:function/L_1_part_1.jsonl";

/// The published verdict that was computed from another text than the published output: series, way, task.
const OTHER_TEXT: (&str, Way, &str) = ("qwen-coder-turbo", Way::Base, "28");

fn data(checkout: &Path) -> FoundDataset {
    let git = sandbox::bubblewrap::find("git").unwrap();
    let arguments = ["-C", checkout.to_str().unwrap(), "show", FIRST_RELEASE];
    let text = tool::run(&git, arguments).unwrap();
    let mut files = Files::named("first release");
    files.add("L_1_part_1.jsonl", text.into_bytes()).unwrap();
    let found = formats::read(&files).unwrap();
    assert_eq!(found.notes, [""; 0]);
    found.datasets.into_iter().next().unwrap()
}

/// The file of outputs of a series, asked in this way.
fn file(checkout: &Path, series: &str, way: Way) -> PathBuf {
    let experiments = checkout.join("function/Experiments");
    let folder = match series.strip_prefix("lora-").and_then(|series| series.split_once('-')) {
        Some((model, size)) => experiments.join("lora").join(model).join(size).join(way.name()),
        None => {
            let folder = match way {
                Way::Base => "base",
                Way::Single => "single_round",
                Way::Multi => "multi_round",
                Way::N => "n_round",
                Way::Dynamic => unreachable!("the benchmark publishes no dynamic conversations"),
            };
            experiments.join(folder).join(series)
        }
    };
    let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    // Of two files with outputs, one is a JSON array.
    let mut files: Vec<PathBuf> = files.filter(|file| !file.to_str().unwrap().contains("_results")).collect();
    files.sort();
    files.pop().unwrap()
}

fn lines(file: &Path, dataset: &FoundDataset) -> Vec<OutputLine> {
    let turns = dataset.tasks.iter().map(|task| (task.task_id.clone(), task.turns.clone())).collect();
    let asked = Asked { turns: Some(Turns(turns)), ..Default::default() };
    let mut lines = Vec::new();
    let name = file.file_name().unwrap().to_str().unwrap();
    outputs::read(name, fs::File::open(file).unwrap(), &asked, |line| lines.push(line.unwrap()));
    lines
}

/// Runs every answer.
fn grade(suite: &Conversations, work: &[(TaskRevisionId, Answer<'_>)]) -> Vec<Outcome> {
    let (next, results) = (Mutex::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let at = {
                        let mut next = next.lock().unwrap();
                        *next += 1;
                        *next - 1
                    };
                    let Some((revision, answer)) = work.get(at) else { return };
                    let outcome = suite.grade(*revision, *answer, &Arc::default()).unwrap();
                    results.lock().unwrap().insert(at, outcome);
                }
            });
        }
    });
    results.into_inner().unwrap().into_values().collect()
}

/// The rows of a table, each by its columns.
fn table(file: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(file).unwrap();
    text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

struct Checked {
    dataset: FoundDataset,
    checkout: PathBuf,
    vectors: PathBuf,
    suite: Conversations,
}

fn checked(profile: TestProfile) -> Option<Checked> {
    let (checkout, vectors) = prerequisites::codeif_bench()?;
    prerequisites::toolchain("python", scripts::look(&Places::from_environment()))?;
    let dataset = data(&checkout);
    assert_eq!(dataset.tests.as_ref().unwrap().kind, TestKind::CodeIfBench);
    let program = prerequisites::program();
    let sandbox = Arc::new(Bubblewrap::new(program).unwrap());
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("codeif");
    fs::create_dir_all(&folder).unwrap();
    let tests: Vec<_> = (1..)
        .zip(&dataset.tasks)
        .map(|(at, task)| (TaskRevisionId(at), task.code_lang, task.test_body.clone().unwrap()))
        .collect();
    let suite = Conversations::prepare(sandbox, &folder, &tests, Allowance::default(), profile).unwrap();
    Some(Checked { dataset, checkout, vectors, suite })
}

/// Runs a check where the benchmark, its vectors and Python are there.
fn with(profile: TestProfile, check: impl FnOnce(&Checked)) {
    if let Some(checked) = checked(profile) {
        check(&checked);
    }
}

impl Checked {
    fn outcomes(&self, series: &str, way: Way) -> (Vec<OutputLine>, Vec<Outcome>) {
        let lines = lines(&file(&self.checkout, series, way), &self.dataset);
        let work: Vec<_> = lines
            .iter()
            .map(|line| {
                let at = self.dataset.tasks.iter().position(|task| task.task_id == line.task_id).unwrap();
                let turn = line.turn.unwrap();
                assert_eq!(turn.way, way);
                let answer = Answer::new(&line.code, way, turn.turn);
                (TaskRevisionId(i64::try_from(at + 1).unwrap()), answer)
            })
            .collect();
        let outcomes = grade(&self.suite, &work);
        (lines, outcomes)
    }

    fn kind(&self, line: &OutputLine) -> InstructionKind {
        let task = self.dataset.tasks.iter().find(|task| task.task_id == line.task_id).unwrap();
        task.turns[line.turn.unwrap().turn as usize].kind
    }

    /// The differences between the vectors and our verdicts, and the number of verdicts.
    fn check(&self, series: &str, way: Way, column: usize) -> (usize, Vec<String>) {
        let name = format!("codeif_{series}_{}.tsv", way.name());
        let rows = table(&self.vectors.join(name));
        let expected: BTreeMap<(String, String), bool> =
            rows.iter().map(|row| ((row[0].clone(), row[1].clone()), row[column] == "1")).collect();
        let (lines, outcomes) = self.outcomes(series, way);
        let (mut verdicts, mut wrong) = (0, Vec::new());
        for (line, outcome) in lines.iter().zip(&outcomes) {
            let key = (line.task_id.clone(), self.kind(line).title().to_owned());
            let found = outcome.published.as_ref().map(|published| published.verdict == PublishedVerdict::Passed);
            let known = OTHER_TEXT == (series, way, &*line.task_id) && column == PUBLISHED;
            verdicts += usize::from(found.is_some());
            if found != expected.get(&key).copied() && !known {
                let Outcome { verdict, message, printed, cpu_ms, .. } = outcome;
                let end: String = printed.chars().rev().take(300).collect::<Vec<_>>().into_iter().rev().collect();
                wrong.push(format!("{series} {} {key:?}: {verdict:?} {message:?} {cpu_ms} ms\n{end}\n", way.name()));
            }
        }
        assert_eq!(verdicts, rows.len(), "{series} {}: every published verdict", way.name());
        (verdicts, wrong)
    }
}

/// Columns of the tables: with the data as released, with the tests as the authors ran them, as published.
const RELEASED: usize = 2;
const AS_RUN: usize = 3;
const PUBLISHED: usize = 4;

fn series(vectors: &Path) -> Vec<String> {
    match prerequisites::codeif_series().as_deref() {
        None => vec!["gpt-4o".to_owned()],
        Some("all") => {
            let rows = table(&vectors.join("codeif_summary.tsv"));
            rows.into_iter().filter(|row| row[0] == "base").map(|row| row[1].clone()).collect()
        }
        Some(names) => names.split(',').map(str::to_owned).collect(),
    }
}

#[test]
fn published_verdicts_come_out() {
    with(TestProfile::AsRun, check_published);
}

fn check_published(checked: &Checked) {
    let (mut verdicts, mut wrong) = (0, Vec::new());
    for series in series(&checked.vectors) {
        for way in [Way::Base, Way::Single, Way::Multi, Way::N] {
            for column in [PUBLISHED, AS_RUN].into_iter().take(if way == Way::Base { 2 } else { 1 }) {
                let (count, more) = checked.check(&series, way, column);
                verdicts += if column == PUBLISHED { count } else { 0 };
                wrong.extend(more);
            }
        }
    }
    eprintln!("{verdicts} published verdicts");
    assert!(wrong.is_empty(), "{} of {verdicts}\n{}", wrong.len(), wrong.concat());
}

#[test]
fn tests_as_released_give_the_verdicts_of_the_data_file() {
    with(TestProfile::AsReleased, check_released);
}

fn check_released(checked: &Checked) {
    for series in series(&checked.vectors) {
        let (_, wrong) = checked.check(&series, Way::Single, RELEASED);
        assert!(wrong.is_empty(), "{}", wrong.concat());
    }
}

#[test]
fn figures_of_the_branch_v1_come_out() {
    with(TestProfile::AsReleased, check_figures);
}

fn check_figures(checked: &Checked) {
    for series in series(&checked.vectors) {
        let file = checked.vectors.join(format!("codeif_{series}_n_metrics_v1.tsv"));
        if !file.is_file() {
            continue;
        }
        let (base, base_outcomes) = checked.outcomes(&series, Way::Base);
        let (lines, outcomes) = checked.outcomes(&series, Way::N);
        let passed =
            |outcome: &Outcome| outcome.published.as_ref().is_some_and(|p| p.verdict == PublishedVerdict::Passed);
        let mut wrong = Vec::new();
        let rows = table(&file);
        for task in &checked.dataset.tasks {
            let of_task = |line: &&OutputLine| line.task_id == task.task_id;
            let at = base.iter().position(|line| of_task(&line)).unwrap();
            let answers: Vec<RoundAnswer> = lines
                .iter()
                .zip(&outcomes)
                .filter(|(line, outcome)| of_task(line) && outcome.published.is_some())
                .map(|(line, outcome)| RoundAnswer {
                    turn: line.turn.unwrap().turn,
                    passed: passed(outcome),
                    checks: outcome.turns.clone(),
                })
                .collect();
            let rounds = conversations::rounds(passed(&base_outcomes[at]), &answers);
            let flag = |passed: bool| if passed { "1" } else { "0" };
            let of_task_rows = || rows.iter().filter(|row| row[0] == task.task_id).skip(1);
            let expected: Vec<&Vec<String>> = of_task_rows().filter(|row| row[1] != "-").collect();
            assert_eq!(rounds.len(), expected.len(), "{}", task.task_id);
            for (round, row) in rounds.iter().zip(expected) {
                let found = [
                    flag(round.follows).to_owned(),
                    flag(round.passed).to_owned(),
                    format!("{:.6}", round.forgotten_as_coded),
                    format!("{:.6}", round.forgotten),
                ];
                if found[..] != row[3..7] {
                    wrong.push(format!("{series} {row:?}: {found:?}\n"));
                }
            }
            // Answers that are not judged have IA only.
            let unjudged: Vec<&str> = lines
                .iter()
                .zip(&outcomes)
                .filter(|(line, outcome)| of_task(line) && outcome.published.is_none())
                .map(|(_, outcome)| flag(outcome.turns.last().unwrap().published))
                .collect();
            let expected: Vec<&str> = of_task_rows().filter(|row| row[1] == "-").map(|row| &*row[3]).collect();
            assert_eq!(unjudged, expected, "{series} {}", task.task_id);
        }
        assert!(wrong.is_empty(), "{}", wrong.concat());
    }
}

#[test]
fn a_script_that_stops_before_its_tests_passes_as_published_only() {
    let places = Places::from_environment();
    let Some(()) = prerequisites::toolchain("python", scripts::look(&places)) else { return };
    let program = prerequisites::program();
    let sandbox = Arc::new(Bubblewrap::new(program).unwrap());
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("codeif");
    fs::create_dir_all(&folder).unwrap();
    let tests = ["assert f() == 1", "import inspect; assert 'return' in inspect.getsource(f)"];
    let body = serde_json::json!({ "benchmark": "codeif-bench", "task_id": "1", "code": "",
        "turns": [{ "kind": "base", "judged": true, "tests": tests }] });
    let tests = [(TaskRevisionId(1), model::code_lang::CodeLang::Python, body.to_string())];
    let suite = Conversations::prepare(sandbox, &folder, &tests, Allowance::default(), TestProfile::AsRun).unwrap();
    let good = "def f():\n    return 1\n";
    let check = |code: &str, published: PublishedVerdict, guarded: Verdict| {
        let answer = Answer::new(code, Way::Base, 0);
        let outcome = suite.grade(TaskRevisionId(1), answer, &Arc::default()).unwrap();
        let found = (outcome.published.as_ref().unwrap().verdict, outcome.verdict);
        assert_eq!(found, (published, guarded), "{code}: {} {}", outcome.message, outcome.printed);
    };
    use PublishedVerdict::{Failed, Passed, Timeout};
    check(good, Passed, Verdict::Passed);
    check("def f():\n    return 2\n", Failed, Verdict::Failed);
    check("def f(:\n", Failed, Verdict::CompileError);
    check("def f():\n    raise ValueError('é')\n", Failed, Verdict::Crashed);
    check("exit(0)\n", Passed, Verdict::NoResult);
    check("import os\nos._exit(0)\n", Passed, Verdict::NoResult);
    check("import sys\nsys.exit('no')\n", Failed, Verdict::Crashed);
    check(&format!("{good}if __name__ != '__main__':\n    raise OSError\n"), Passed, Verdict::Passed);
    check(
        &format!("{good}open('temp.py', 'w').write('x')\nimport os\nos.remove('temp.py')\n"),
        Passed,
        Verdict::Passed,
    );
    check(&format!("{good}import os\nassert os.listdir('.') == []\n"), Passed, Verdict::Passed);
    check(
        &format!("{good}import threading\nthreading.Thread(target=lambda: 1 / 0).start()\n"),
        Passed,
        Verdict::Passed,
    );
    check(&format!("{good}import os\nos.write(1, b'\\xff')\n"), Failed, Verdict::Crashed);
    check(&format!("{good}import atexit, os\natexit.register(os._exit, 3)\n"), Failed, Verdict::Crashed);
    check("while True:\n    pass\n", Timeout, Verdict::Timeout);
    check("def f():\n    return [0] * (1 << 40)\n", Failed, Verdict::OutOfMemory);
}
