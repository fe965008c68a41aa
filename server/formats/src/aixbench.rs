//! The published benchmark: a checkout of its repository, or its bare `.jsonl` files.

use std::collections::{BTreeMap, BTreeSet};

use model::{
    code_lang::CodeLang,
    dataset::{Checks, TestKind},
    lang::{Bilingual, Lang},
    problem::Problem,
};

use super::{
    Found, FoundDataset, FoundTask, TestTree, description,
    files::Files,
    lines::{self, Fault},
    read_tasks, rubric_text, signature,
};

/// The short name of the tasks with tests.
pub const AUTO: &str = "aixbench-auto";
/// The short name of the tasks that people grade.
pub const MANUAL: &str = "aixbench-manual";

const RESOURCES: &str = "src/main/resources/";
const AUTO_FILE: &str = "dataset_autotest_nl.jsonl";
const MANUAL_FILE: &str = "dataset_manual_nl.jsonl";
/// The folder of a checkout with the sources of its tests.
pub const SOURCES: &str = "src/main/java/";
const GENERATED: &str = "src/main/java/com/aixcode/autoTest/generate/";
const TESTS: &str = "com.aixcode.autoTest.evaluation";

/// The folder of the checkout in `files`, with its slash; empty at the top, `None` without a checkout.
fn checkout_root(files: &Files) -> Option<String> {
    [AUTO_FILE, MANUAL_FILE].iter().find_map(|file| files.root_of(&format!("{RESOURCES}{file}")))
}

/// Reads a checkout: both datasets, the tests and the rubric's own wording. `None` where there is no checkout.
pub fn read_checkout(files: &Files) -> Option<Result<Found, Vec<Problem>>> {
    checkout_root(files).map(|root| read_root(files, &root))
}

fn read_root(files: &Files, root: &str) -> Result<Found, Vec<Problem>> {
    let mut notes = Vec::new();
    let rubric = match (files.text(&format!("{root}README.md")), files.text(&format!("{root}README-zh.md"))) {
        (Some(Ok(english)), Some(Ok(chinese))) => rubric_text::read(english, chinese),
        (Some(Err(problem)), _) | (_, Some(Err(problem))) => Err(problem.what),
        _ => Err("README.md or README-zh.md is missing".into()),
    };
    let rubric = rubric.map_err(|why| notes.push(format!("The bundled rubric is used: {why}."))).ok();
    let tree = test_tree(files, root);
    let mut datasets = Vec::new();
    let mut problems = Vec::new();
    for file in [AUTO_FILE, MANUAL_FILE] {
        let Some(bytes) = files.get(&format!("{root}{RESOURCES}{file}")) else {
            notes.push(format!("The checkout has no {file}."));
            continue;
        };
        match dataset(file, bytes) {
            Ok(found) => datasets.push(FoundDataset { source: files.name.clone(), ..found }),
            Err(found) => problems.extend(found),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    for dataset in datasets.iter_mut().filter(|d| d.slug == AUTO) {
        let mut without = Vec::new();
        for task in &mut dataset.tasks {
            let file = format!("{SOURCES}{}.java", TESTS.replace('.', "/") + "/Evaluation" + &task.task_id);
            if !tree.contains_key(&file) {
                without.push(task.task_id.clone());
                task.checks.tests = false;
                task.test_class = None;
            }
        }
        if !without.is_empty() {
            notes.push(format!("These tasks have no tests: {}.", without.join(", ")));
        }
        dataset.tests = Some(TestTree { kind: TestKind::Aixbench, files: tree.clone() });
    }
    Ok(Found { datasets, rubric, notes, bare: false })
}

/// Reads bare files of tasks. `None` where there are none.
pub fn read_bare(files: &Files) -> Option<Result<Found, Vec<Problem>>> {
    let is_tasks = |path: &str| path.ends_with(".jsonl") || path.ends_with(".json");
    files.below("").any(|(path, _)| is_tasks(path)).then(|| read_files(files))
}

fn read_files(files: &Files) -> Result<Found, Vec<Problem>> {
    let mut found = Found { datasets: Vec::new(), rubric: None, notes: Vec::new(), bare: true };
    let mut problems = Vec::new();
    for (path, bytes) in files.below("") {
        if !path.ends_with(".jsonl") && !path.ends_with(".json") {
            continue;
        }
        match dataset(path, bytes) {
            Ok(dataset) if found.datasets.iter().any(|d| d.slug == dataset.slug) => problems.push(Problem::new(
                path,
                (format!("a second file with tasks for {}", dataset.slug), format!("{} 的任务文件重复", dataset.slug)),
                ("Keep only one of them", "请只保留一个"),
            )),
            Ok(dataset) => found.datasets.push(dataset),
            Err(more) => problems.extend(more),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(found)
}

/// A dataset from its file of tasks. Which of the two it is, its name says, else whether its tasks
/// have signatures.
fn dataset(path: &str, bytes: &[u8]) -> Result<FoundDataset, Vec<Problem>> {
    let file = path.rsplit('/').next().unwrap_or(path);
    let mut tasks = read_tasks(file, bytes, task)?;
    let with_signature = tasks.iter().filter(|t| t.signature.is_some()).count();
    let auto = match file {
        AUTO_FILE => true,
        MANUAL_FILE => false,
        _ => with_signature > 0,
    };
    if auto && with_signature < tasks.len() {
        return Err(vec![Problem::new(
            file,
            (
                format!("\"signature\" is missing in {} of {} tasks", tasks.len() - with_signature, tasks.len()),
                format!("{1} 个任务中有 {0} 个缺少“signature”", tasks.len() - with_signature, tasks.len()),
            ),
            (
                "Add it to every task, or remove it from all tasks for a dataset without tests",
                "请为每个任务补上；若数据集不含测试，请全部去掉",
            ),
        )]);
    }
    for task in &mut tasks {
        task.checks = Checks { human: !auto, tests: auto };
        task.test_class = auto.then(|| format!("{TESTS}.Evaluation{}", task.task_id));
    }
    let text = |en: &str, zh: &str| Bilingual { en: en.into(), zh: zh.into() };
    let (slug, name, description) = if auto {
        (
            AUTO,
            text("AixBench, automated tests", "AixBench 自动化测试集"),
            text("Tasks with a signature, judged by Java tests.", "带方法签名的任务，由 Java 测试判定。"),
        )
    } else {
        (
            MANUAL,
            text("AixBench, descriptions", "AixBench 自然语言任务集"),
            text("Tasks that people rate against the rubric.", "由人按照评分标准打分的任务。"),
        )
    };
    Ok(FoundDataset {
        slug: slug.into(),
        name,
        description,
        license: "C-UDA".into(),
        source: file.into(),
        tasks,
        tests: None,
    })
}

fn task(object: &lines::Object) -> Result<FoundTask, Fault> {
    if let Some(field) = ["code", "generation", "completion"].iter().find(|field| object.get(field).is_some()) {
        return Err(Fault(
            (
                format!("the line has the field \"{field}\", so it is an output of a model, not a task"),
                format!("该行含“{field}”字段，是模型输出而不是任务"),
            )
                .into(),
            ("Upload outputs as a submission", "请将模型输出作为输出集上传").into(),
        ));
    }
    let raw_nl = description(object)?;
    Ok(FoundTask {
        task_id: object.task_id()?,
        nl_lang: Lang::detect(&raw_nl),
        raw_nl,
        signature: signature(object)?,
        checks: Checks::default(),
        code_lang: CodeLang::Java,
        test_class: None,
        test_body: None,
        turns: Vec::new(),
    })
}

/// The files that the tests run from: sources without the packaged models' code (but with what the
/// tests themselves name of it), resources, libraries.
fn test_tree(files: &Files, root: &str) -> BTreeMap<String, Vec<u8>> {
    let named = named_by_tests(files, root);
    files
        .below(root)
        .filter(|(path, _)| {
            let source = path.starts_with(SOURCES) && (!path.starts_with(GENERATED) || named.contains(*path));
            source || path.starts_with(RESOURCES) || path.starts_with("lib/") && path.ends_with(".jar")
        })
        .map(|(path, bytes)| (path.to_owned(), bytes.to_vec()))
        .collect()
}

/// Packaged model classes that a source outside their package imports.
fn named_by_tests(files: &Files, root: &str) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    for (path, bytes) in files.below(root) {
        if !path.starts_with(SOURCES) || path.starts_with(GENERATED) {
            continue;
        }
        for line in String::from_utf8_lossy(bytes).lines() {
            let class = line.trim().strip_prefix("import ").and_then(|rest| rest.strip_suffix(';'));
            let file = class.map(|class| format!("{SOURCES}{}.java", class.trim().replace('.', "/")));
            named.extend(file.filter(|file| file.starts_with(GENERATED)));
        }
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(entries: &[(&str, &str)]) -> Files {
        let mut files = Files::named("upload");
        for (path, text) in entries {
            files.add(path, text.as_bytes().to_vec()).unwrap();
        }
        files
    }

    const AUTO_TASKS: &str = "{\"task_id\": 0, \"raw_nl\": \"Adds.\", \"signature\": \"public int add(int a)\"}\n{\"task_id\": 3, \"raw_nl\": \"求最大值\", \"signature\": \"public int max(int a) \"}\n";
    const MANUAL_TASKS: &str = "{\"task_id\": 0, \"raw_nl\": \"Stops all jobs.\"}\n";

    #[test]
    fn reads_bare_files() {
        let found = super::super::read(&files(&[(AUTO_FILE, AUTO_TASKS), (MANUAL_FILE, MANUAL_TASKS)])).unwrap();
        let slugs: Vec<_> = found.datasets.iter().map(|d| (d.slug.as_str(), d.tasks.len())).collect();
        assert_eq!(slugs, [(AUTO, 2), (MANUAL, 1)]);
        let task = &found.datasets[0].tasks[1];
        assert_eq!((task.nl_lang, task.signature.as_deref()), (Lang::Zh, Some("public int max(int a) ")));
        assert_eq!(task.test_class.as_deref(), Some("com.aixcode.autoTest.evaluation.Evaluation3"));
        assert_eq!(found.datasets[1].tasks[0].checks, Checks { human: true, tests: false });
    }

    #[test]
    fn checkout_includes_its_tests() {
        let found = super::super::read(&files(&[
            ("bench/src/main/resources/dataset_autotest_nl.jsonl", AUTO_TASKS),
            ("bench/src/main/resources/tempFile/a.txt", "x"),
            (
                "bench/src/main/java/com/aixcode/autoTest/evaluation/Evaluation0.java",
                "import com.aixcode.autoTest.generate.m.M1;\n",
            ),
            ("bench/src/main/java/com/aixcode/autoTest/generate/m/M1.java", "class M1 {}"),
            ("bench/src/main/java/com/aixcode/autoTest/generate/m/M2.java", "class M2 {}"),
            ("bench/lib/gson.jar", "jar"),
            ("bench/README.md", "nothing"),
        ]))
        .unwrap();
        let auto = &found.datasets[0];
        assert_eq!(auto.source, "upload");
        let paths: Vec<_> = auto.tests.as_ref().unwrap().files.keys().map(String::as_str).collect();
        assert_eq!(
            paths,
            [
                "lib/gson.jar",
                "src/main/java/com/aixcode/autoTest/evaluation/Evaluation0.java",
                "src/main/java/com/aixcode/autoTest/generate/m/M1.java",
                "src/main/resources/dataset_autotest_nl.jsonl",
                "src/main/resources/tempFile/a.txt",
            ]
        );
        assert_eq!(auto.tasks.iter().map(|t| t.checks.tests).collect::<Vec<_>>(), [true, false]);
        let notes = found.notes.join(" ");
        assert!(notes.contains("The bundled rubric is used: README.md or README-zh.md is missing."), "{notes}");
        assert!(notes.contains("These tasks have no tests: 3."), "{notes}");
    }

    #[test]
    fn says_what_is_wrong() {
        let check = |entries: &[(&str, &str)], expected: &[&str]| {
            let problems = super::super::read(&files(entries)).unwrap_err();
            assert_eq!(problems.len(), expected.len(), "{problems:?}");
            for (problem, expected) in problems.iter().zip(expected) {
                assert!(problem.to_string().contains(expected), "{problem} does not say {expected}");
            }
        };
        check(&[], &["upload: no dataset found. Import a folder with a dataset.json, a checkout"]);
        check(&[(AUTO_FILE, MANUAL_TASKS)], &["\"signature\" is missing in 1 of 1 tasks"]);
        check(
            &[(MANUAL_FILE, "{\"task_id\": 0}\n{\"task_id\": 0, \"raw_nl\": \" \"}")],
            &["line 1: the field \"raw_nl\" is missing", "line 2: \"raw_nl\" is empty"],
        );
        check(&[(MANUAL_FILE, &format!("{MANUAL_TASKS}{MANUAL_TASKS}"))], &["line 2: the task \"0\" appears twice"]);
        check(
            &[("prediction.jsonl", "{\"task_id\": 0, \"raw_nl\": \"x\", \"code\": \"\"}")],
            &["it is an output of a model"],
        );
        check(&[("a.jsonl", MANUAL_TASKS), ("b.jsonl", MANUAL_TASKS)], &["second file with tasks for aixbench-manual"]);
    }

    #[test]
    fn reads_the_published_benchmark() {
        let Some(checkout) = prerequisites::aixbench_checkout() else { return };
        let found = super::super::read(&Files::folder(&checkout).unwrap()).unwrap();
        let counts: Vec<_> = found
            .datasets
            .iter()
            .map(|d| (d.slug.as_str(), d.tasks.len(), d.tasks.iter().filter(|t| t.nl_lang == Lang::Zh).count()))
            .collect();
        assert_eq!(counts.iter().map(|c| (c.0, c.1)).collect::<Vec<_>>(), [(AUTO, 175), (MANUAL, 161)]);
        assert!(counts.iter().all(|c| c.2 > 10), "{counts:?}");
        assert!(found.rubric.is_some());
        assert_eq!(found.notes, [""; 0]);
        assert!(found.datasets[0].tasks.iter().all(|t| t.checks.tests));
        let tree = &found.datasets[0].tests.as_ref().unwrap().files;
        let generated: Vec<_> = tree.keys().filter(|path| path.starts_with(GENERATED)).collect();
        assert_eq!(generated, ["src/main/java/com/aixcode/autoTest/generate/copilot/GenerateMethod95.java"]);
        assert_eq!(tree.keys().filter(|path| path.ends_with(".jar")).count(), 5 - 1);
    }
}
