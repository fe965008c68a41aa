//! Which tasks of AixBench have tests that accept a constant or another degenerate answer. What is known is in
//! `server/benchmarks/src/constants/aixbench.tsv`; this test tries a few tasks again.
//!
//! All tasks are tried, and the file is written, if `prerequisites::constants` asks for it (docs/engine.md has the command).

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    fs,
    path::PathBuf,
};

use benchmarks::constants::{self, Source};
use engine::{grader::Task, suite::TestTree};
use model::run::Verdict;

use super::{PUBLISHED, grade, published, published_grader};

mod answers;
mod signature;

/// How many answers of each task are tried at least.
const MINIMUM: usize = 40;

/// Tasks that are tried each time: one that accepts any list, one that accepts a right answer, one whose method returns nothing, and
/// one that accepts no constant.
const SAMPLE: [&str; 4] = ["47", "102", "52", "8"];

/// Answers that were made for a task's tests by reading them. They pass.
const OF_TESTS: &[(&str, &[&str])] = &[
    (
        "2",
        &[
            "URLConnection c = url.openConnection(); c.setRequestProperty(\"Accept\", \"*/*\"); return (HttpURLConnection) c;",
        ],
    ),
    ("13", &["alphabet.isEmpty() ? \"\" : alphabet.substring(0, 1).repeat(length)"]),
    ("30", &["key.equals(\"Key1\") ? new AbstractMap.SimpleEntry<K, V>(key, null) : null"]),
    ("43", &["\"a=5\""]),
    ("79", &["outputStream.write(b);"]),
    ("90", &["map.put(key, new HashSet<Integer>(Arrays.asList(value, value + 1)));"]),
    ("126", &["new File(zipPath.replace(\".zip\", \".txt\")).createNewFile();"]),
    (
        "163",
        &["dest.resolve(\"dir1/dir2\").toFile().mkdirs(); Files.createFile(dest.resolve(\"dir1/dir2/file1.tmp\"));"],
    ),
];

/// What looks degenerate and is right for what the description says. That these are found shows that the others would be.
const RIGHT: &[(&str, &[&str])] = &[
    ("4", &["reader.close();"]),
    ("21", &["additionalProperties.put(key, value);"]),
    ("34", &["Arrays.sort(serverIds);"]),
    ("35", &["if (obj == null) throw new IllegalArgumentException();"]),
    ("52", &["mapObj.remove(key);"]),
    ("101", &["arr.clone()"]),
    ("102", &["(int) (map.size())"]),
    ("124", &["list.add(item);"]),
];

fn of<'a>(table: &[(&str, &'a [&'a str])], task_id: &str) -> &'a [&'a str] {
    table.iter().find(|(id, _)| *id == task_id).map_or(&[], |(_, answers)| answers)
}

/// The signatures of the tasks, by their IDs.
fn tasks(tree: &TestTree) -> BTreeMap<String, String> {
    let lines = String::from_utf8(tree["src/main/resources/dataset_autotest_nl.jsonl"].clone()).unwrap();
    let read = |line: &str| {
        let task: serde_json::Value = serde_json::from_str(line).unwrap();
        (task["task_id"].to_string(), task["signature"].as_str().unwrap().to_owned())
    };
    lines.lines().map(read).collect()
}

/// The answers that each of these tasks accepts, without those that are right.
fn accepted(tree: &TestTree, tasks: &BTreeMap<String, String>, chosen: &[&str]) -> BTreeMap<String, Vec<String>> {
    let class = |id: &str| format!("com.aixcode.autoTest.evaluation.Evaluation{id}");
    let mut tried: Vec<(&str, String)> = Vec::new();
    for id in chosen {
        let answers = answers::answers(&tasks[*id], of(OF_TESTS, id));
        assert!(of(RIGHT, id).iter().all(|right| answers.iter().any(|answer| answer == right)), "{id}");
        tried.extend(answers.into_iter().map(|answer| (*id, answer)));
    }
    let output = |(id, answer): &(&str, String)| {
        let signature = &tasks[*id];
        let task = Task { test_class: class(id), signature: Some(signature.clone()) };
        (task, answers::method(signature, answer))
    };
    println!("{} answers of {} tasks", tried.len(), chosen.len());
    let outputs: Vec<(Task, String)> = tried.iter().map(output).collect();
    let classes: BTreeSet<String> = tasks.keys().map(|id| class(id)).collect();
    let outcomes = grade(published_grader(tree, &classes, false), &outputs);
    let (mut found, mut counts) = (BTreeMap::<String, Vec<String>>::new(), BTreeMap::<&str, usize>::new());
    for ((id, answer), outcome) in tried.into_iter().zip(outcomes) {
        let is_right = of(RIGHT, id).contains(&answer.as_str());
        let must_pass = is_right || of(OF_TESTS, id).contains(&answer.as_str());
        assert!(!must_pass || outcome.verdict == Verdict::Passed, "{id} does not accept {answer}");
        if outcome.verdict == Verdict::CompileError {
            println!("{id}: {answer} does not compile: {}", outcome.message);
        } else if !is_right {
            *counts.entry(id).or_default() += 1;
        }
        if outcome.verdict == Verdict::Passed && !is_right {
            found.entry(id.to_owned()).or_default().push(answer);
        }
    }
    for id in chosen {
        let count = counts.get(id).copied().unwrap_or_default();
        assert!(count >= MINIMUM, "only {count} answers are tried for {id}");
    }
    for answers in found.values_mut() {
        answers.sort();
    }
    found
}

fn digest(tree: &TestTree, task_id: &str) -> String {
    constants::of_class(&tree[&format!("{PUBLISHED}/evaluation/Evaluation{task_id}.java")])
}

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../benchmarks/src/constants/aixbench.tsv")
}

/// Tries all tasks and writes what they accept.
fn record(tree: &TestTree, tasks: &BTreeMap<String, String>) {
    let all: Vec<&str> = tasks.keys().map(String::as_str).collect();
    let mut found = BTreeMap::new();
    for some in all.chunks(25) {
        found.extend(accepted(tree, tasks, some));
    }
    let mut text = String::new();
    for id in all {
        let digest = digest(tree, id);
        let answers = found.get(id).into_iter().flatten().map(String::as_str);
        let parts: Vec<&str> = [id, &digest].into_iter().chain(answers).collect();
        writeln!(text, "{}", parts.join("\t")).unwrap();
    }
    fs::write(file(), text).unwrap();
}

fn check(tree: &TestTree, tasks: &BTreeMap<String, String>) {
    let found = accepted(tree, tasks, &SAMPLE);
    for id in SAMPLE {
        let answers: Vec<&str> = found.get(id).into_iter().flatten().map(String::as_str).collect();
        assert_eq!(Some(&answers[..]), constants::accepted(Source::Aixbench, id, &digest(tree, id)), "{id}");
    }
}

#[test]
fn published_tests_accept_no_other_degenerate_answers_than_known() {
    let Some(checkout) = prerequisites::aixbench_checkout() else { return };
    let tree = published(&checkout);
    let tasks = tasks(&tree);
    match prerequisites::constants().as_deref() {
        Some("aixbench") => record(&tree, &tasks),
        // Only the benchmark that is asked for.
        Some(_) => {}
        None => check(&tree, &tasks),
    }
}
