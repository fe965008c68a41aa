//! Tests of `humaneval.rs`.

use std::io::Write;

use super::*;

fn line(id: &str) -> String {
    let line = serde_json::json!({
        "task_id": id,
        "prompt": "def f(x):\n    \"\"\" Same. \"\"\"\n",
        "declaration": "def f(x):\n",
        "canonical_solution": "    return x\n",
        "test": "assert f(1) == 1",
        "example_test": "",
    });
    format!("{line}\n")
}

fn files(entries: &[(&str, &[u8])]) -> Files {
    let mut files = Files::named("upload");
    for (path, bytes) in entries {
        match path.contains('/') {
            true => files.add(path, bytes.to_vec()).unwrap(),
            false => files.add_plain(path, *bytes).unwrap(),
        }
    }
    files
}

fn gzip(text: &str) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(text.as_bytes()).unwrap();
    packer.finish().unwrap()
}

#[test]
fn reads_files_packed_or_not_wherever_they_are() {
    let text = line("Python/0") + &line("Python/7");
    let packed = gzip(&text);
    for (path, bytes) in [
        ("humaneval_python.jsonl", text.as_bytes()),
        ("humaneval_python.jsonl.gz", &packed),
        ("x/codegeex/benchmark/humaneval-x/python/data/humaneval_python.jsonl.gz", &packed),
    ] {
        let found = super::super::read(&files(&[(path, bytes)])).unwrap();
        let dataset = &found.datasets[0];
        assert_eq!((&*dataset.slug, dataset.tasks.len()), ("humaneval-x-python", 2));
        let tests = dataset.tests.as_ref().unwrap();
        assert_eq!((tests.kind, tests.files.len()), (TestKind::HumanevalX, 0));
        assert!(dataset.source.ends_with(&hex::encode(Sha256::digest(bytes))), "{}", dataset.source);
        assert!(found.notes[0].contains("is not the published file"), "{:?}", found.notes);
        let task = &dataset.tasks[1];
        assert_eq!((&*task.task_id, &*task.raw_nl, task.code_lang), ("Python/7", "Same.", CodeLang::Python));
        assert_eq!(task.signature.as_deref(), Some("def f(x)"));
        let body: Task = serde_json::from_str(task.test_body.as_ref().unwrap()).unwrap();
        assert_eq!((&*body.task_id, &*body.test, &*body.example_test), ("Python/7", "assert f(1) == 1", ""));
    }
}

#[test]
fn says_what_is_wrong_where() {
    let check = |name: &str, text: &str, expected: &str| {
        let problems = super::super::read(&files(&[(name, text.as_bytes())])).unwrap_err();
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].to_string().contains(expected), "{} does not say {expected}", problems[0]);
    };
    let python = "humaneval_python.jsonl";
    let (first, second) = (line("Python/1"), line("Python/2"));
    check(python, &first.repeat(2), "humaneval_python.jsonl, line 2: the task \"Python/1\" appears twice");
    check(python, &(second + &first), "line 2: the task \"Python/1\" comes after \"Python/2\"");
    check(
        python,
        &line("CPP/0"),
        "line 1: the task \"CPP/0\" is not a task in Python. IDs in this file are \"Python/0\"",
    );
    check(python, &line("Python/x"), "the task \"Python/x\" is not a task in Python");
    check(python, &first.replace("\"test\"", "\"tests\""), "line 1: the field \"test\" is missing");
    check(python, &first.replace("\"assert f(1) == 1\"", "3"), "\"test\" is a number");
    check(python, "{\n", "line 1: the line is not valid JSON");
    check(python, "", "the file is empty");
    check("humaneval_go.jsonl", &line("Go/0"), "the field \"import\" is missing");
    let refused = |entries: &[(&str, &[u8])], expected: &str| {
        let problem = super::super::read(&files(entries)).unwrap_err()[0].to_string();
        assert!(problem.contains(expected), "{problem} does not say {expected}");
    };
    let packed = gzip(&first);
    refused(
        &[(python, first.as_bytes()), ("x/humaneval_python.jsonl.gz", &packed)],
        "a second file with the tasks in Python",
    );
    refused(&[("humaneval_js.jsonl.gz", &packed[..12])], "humaneval_js.jsonl.gz: the gzip file is damaged");
}

#[test]
fn reads_the_published_files() {
    let Some(folder) = prerequisites::humaneval_x() else { return };
    let packed = [
        ("python", "5752fb122efddb0e"),
        ("cpp", "dcf2e280a1e91bbc"),
        ("java", "276f36db2eb7aeb8"),
        ("js", "fe5d467f2c1a027b"),
        ("go", "09126ef64ac68f87"),
        ("rust", "ae5cabbbfc8fe252"),
    ];
    let found = super::super::read(&Files::folder(&folder).unwrap()).unwrap();
    assert_eq!(found.notes, [""; 0]);
    assert_eq!(found.datasets.len(), packed.len());
    for (dataset, (name, sum)) in found.datasets.iter().zip(packed) {
        assert_eq!(dataset.slug, format!("humaneval-x-{name}"));
        assert!(dataset.source.contains(&format!("SHA-256 {sum}")), "{}", dataset.source);
        let numbers: Vec<_> = dataset.tasks.iter().map(|task| task.task_id.rsplit('/').next().unwrap()).collect();
        assert_eq!(numbers, (0..164).map(|n| n.to_string()).collect::<Vec<_>>());
        for task in &dataset.tasks {
            let of = &task.task_id;
            assert!(task.raw_nl.len() > 20, "{of}: {}", task.raw_nl);
            for mark in ["*/", "/*", "\"\"\"", "#include"] {
                assert!(!task.raw_nl.contains(mark), "{of}: {mark} in {}", task.raw_nl);
            }
            let signature = task.signature.as_deref().unwrap();
            // Some tasks give helper functions or comments in addition to the description.
            let longer = [10, 22, 32, 38, 50, 64].iter().any(|n| of.ends_with(&format!("/{n}")));
            assert!(longer || signature.lines().count() == 1, "{of}: {signature}");
            assert!(!signature.contains("#include") && !signature.contains("import "), "{of}: {signature}");
        }
    }
}
