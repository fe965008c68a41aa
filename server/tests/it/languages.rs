//! Datasets in programming languages besides Java: import, and what becomes of them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use db::{datasets, runs, uploads::Purpose};
use formats::humaneval;
use model::{
    caller::System,
    code::{CodeView, Line},
    code_lang::CodeLang,
    comparison::Selection,
    dataset::{Checks, TestKind},
    failure_class::FailureClass,
    grading::NextTask,
    ids::SubmissionId,
    page::PageOf,
    plan::Presentation,
    run::{ItemFilter, ItemResult, Origin},
    study::{NewStudy, StudySettings},
    submission::{InvalidLines, Matching, OutputFilter},
    user::Role,
};
use port::{Accounts, Comparisons, Datasets, Runs, Studies, Submissions, quality::Quality};
use serde_json::{Value, json};

use crate::util::{TestApp, program::program};

/// A line of HumanEval-X's Python file.
pub fn task(number: u32, test: &str) -> String {
    let line = json!({
        "task_id": format!("Python/{number}"),
        "prompt": format!("def f{number}(x):\n    \"\"\" Returns x and {number}. \"\"\"\n"),
        "declaration": format!("def f{number}(x):\n"),
        "canonical_solution": format!("    return x + {number}\n"),
        "test": test,
        "example_test": "",
    });
    format!("{line}\n")
}

#[tokio::test]
async fn a_changed_test_makes_a_new_revision_and_an_unchanged_task_keeps_its_own() {
    let app = TestApp::empty().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("humaneval_python.jsonl");
    let mut imported = Vec::new();
    for second in ["assert f1(1) == 2", "assert f1(2) == 3"] {
        std::fs::write(&file, task(0, "assert f0(1) == 1") + &task(1, second)).unwrap();
        imported.push(app.services.imports.paths(System, vec![file.clone()]).await.unwrap().datasets);
    }
    let report = |at: usize| (imported[at][0].number, imported[at][0].new, imported[at][0].changed);
    assert_eq!([report(0), report(1)], [(1, true, 2), (2, true, 1)]);

    let detail = app.services.datasets.get(&System.admin(), "humaneval-x-python", None).await.unwrap();
    let of = PageOf::first(PageOf::MOST);
    let tasks = app.services.datasets.tasks(&System.admin(), "humaneval-x-python", None, of).await.unwrap().rows;
    let shown: Vec<_> = tasks.iter().map(|task| (&*task.task_id, &*task.raw_nl, task.code_lang)).collect();
    let python = CodeLang::Python;
    assert_eq!(shown, [("Python/0", "Returns x and 0.", python), ("Python/1", "Returns x and 1.", python)]);
    assert!(tasks.iter().all(|task| task.checks == Checks { human: true, tests: true }));

    let version = detail.row.version;
    let stored = move |conn: &rusqlite::Connection| {
        Ok((datasets::test_kind(conn, version)?, runs::code_langs(conn, version)?, runs::task_tests(conn, version)?))
    };
    let (kind, langs, bodies) = app.services.db.read_blocking(stored).unwrap();
    assert_eq!((kind, langs), (Some(TestKind::HumanevalX), vec![python]));
    let read = |body: &str| serde_json::from_str::<humaneval::Task>(body).unwrap().test;
    let tests: Vec<_> = bodies.iter().map(|(id, lang, body)| (*id, *lang, read(body))).collect();
    let expected = ["assert f0(1) == 1", "assert f1(2) == 3"].map(str::to_owned);
    assert_eq!(tests, [0, 1].map(|at| (tasks[at].revision, python, expected[at].clone())));
}

/// Uploads lines of outputs and takes them as this model's.
pub async fn upload(app: &TestApp, dataset: &str, model: &str, lines: &str) -> SubmissionId {
    let mut incoming = app.services.uploads.begin("outputs.jsonl").await.unwrap();
    incoming.write(lines.as_bytes()).await.unwrap();
    let file = incoming.finish().await.unwrap();
    let upload = app.services.submissions.note_upload(&System.admin(), file, Purpose::outputs(None)).await.unwrap();
    app.services
        .submissions
        .import(&System.admin(), upload, dataset, Matching::Auto, model, InvalidLines::Refuse)
        .await
        .unwrap()
}

/// A dataset with these tasks.
pub async fn import(app: &TestApp, lines: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("humaneval_python.jsonl");
    std::fs::write(&file, lines).unwrap();
    app.services.imports.paths(System, vec![file]).await.unwrap();
}

/// A whole program has helpers and names of its own, without which its body cannot be read.
#[tokio::test]
async fn people_see_what_a_whole_program_has_before_its_body() {
    let app = TestApp::empty().await;
    import(&app, &task(0, "assert f0(1) == 1")).await;
    let program = "import math as m\n\ndef _near(a):\n    return m.floor(a)\n\ndef f0(y):\n    return _near(y)\n";
    let line = json!({"task_id": "Python/0", "completion": program}).to_string();
    let mut incoming = app.services.uploads.begin("outputs.jsonl").await.unwrap();
    incoming.write(line.as_bytes()).await.unwrap();
    let file = incoming.finish().await.unwrap();
    let of = Purpose::outputs(None);
    let sent = app.services.submissions.note_upload(&System.admin(), file, of).await.unwrap();
    let (admin, submissions) = (System.admin(), &app.services.submissions);
    let preview = submissions.preview(&admin, sent, "humaneval-x-python", Matching::Auto).await.unwrap();
    let raw = |code: &CodeView| code.raw.iter().map(Line::text).collect::<Vec<_>>().join("\n");
    let whole = |text: &str| {
        for part in ["import math as m", "def _near(a):", "def f0(y):", "return _near(y)"] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
    };
    whole(&raw(&preview.first[0].code));
    let submission = upload(&app, "humaneval-x-python", "M", &line).await;
    let of = PageOf::first(PageOf::MOST);
    let outputs = submissions.outputs(&admin, submission, OutputFilter::default(), of).await.unwrap().rows;
    whole(&raw(&submissions.output(&admin, outputs[0].id).await.unwrap().code));
    // What a rater reads, and what is searched for names of models.
    let id = outputs[0].id;
    whole(&app.services.db.read_blocking(|conn| db::grading::texts(conn, id)).unwrap().code);
    whole(&app.services.db.read_blocking(|conn| db::quality::masks::texts(conn, submission)).unwrap()[0].2);
    let python = (lang::language(CodeLang::Python).unwrap().look)(&lang::Places::from_environment());
    let Some(()) = prerequisites::toolchain("python", python) else { return };
    run_of(&app, "humaneval-x-python", submission);
    let run = app.services.runs.list(&admin, None, PageOf::default()).await.unwrap().rows[0].id;
    let result = app.services.runs.item(&admin, run, outputs[0].id).await.unwrap();
    whole(&result.text.iter().map(Line::text).collect::<Vec<_>>().join("\n"));
    // The program that ran has all its lines, numbered as in the text.
    let numbers = result.listing.iter().filter_map(|line| match line.origin {
        Origin::Same(number) => Some((number, line.code.text())),
        Origin::Added | Origin::Changed(..) => None,
    });
    let numbers: Vec<_> = numbers.collect();
    let expected: Vec<_> = program.lines().enumerate().map(|(at, line)| (at as u32 + 1, line.to_owned())).collect();
    assert_eq!(numbers, expected);
}

#[tokio::test]
async fn a_run_in_a_language_without_its_toolchain_is_refused() {
    let app = TestApp::empty().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("humaneval_rust.jsonl");
    let task = json!({
        "task_id": "Rust/0", "prompt": "/*\n Same.\n*/\n", "declaration": "fn f(x: u32) -> u32 {\n", "test": "",
        "canonical_solution": "", "example_test": "",
    });
    std::fs::write(&file, task.to_string()).unwrap();
    app.services.imports.paths(System, vec![file]).await.unwrap();
    let submission =
        upload(&app, "humaneval-x-rust", "M", r#"{"task_id": "Rust/0", "generation": "    x\n}\n"}"#).await;
    // The compiler that built this test is there, the crates are not.
    let mut program = program(&app, &[]);
    program.env("AIXGRADE_TOOLCHAINS", folder.path());
    program.args(["run", "--dataset", "humaneval-x-rust", "--submission", &submission.to_string()]);
    let output = program.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{said}");
    let expected = "Outputs in Rust cannot be run on this machine: the crates rand, regex and md5 were not found";
    assert!(said.contains(expected), "{said}");
    assert!(app.services.runs.list(&System.admin(), None, PageOf::default()).await.unwrap().rows.is_empty());
}

/// The lines of a run of a submission by the program, one for each output and one with the figures.
pub fn run_of(app: &TestApp, dataset: &str, submission: SubmissionId) -> Vec<Value> {
    let mut program = program(app, &[]);
    let submission = submission.to_string();
    program.args(["run", "--dataset", dataset, "--submission", &submission, "--json"]);
    let output = program.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn a_run_gives_outputs_both_verdicts_and_keeps_them() {
    let python = (lang::language(CodeLang::Python).unwrap().look)(&lang::Places::from_environment());
    let Some(()) = prerequisites::toolchain("python", python) else { return };
    let app = TestApp::empty().await;
    let test = "def check(f):\n    assert f(1) == 1\ncheck(f0)";
    import(&app, &task(0, test)).await;
    let lying = "    class Equal:\n        def __eq__(self, other): return True\n    return Equal()\n";
    let samples = ["    return x\n", lying, "    return x + 1\n"];
    let lines: String = samples
        .iter()
        .map(|generation| format!("{}\n", json!({"task_id": "Python/0", "generation": generation})))
        .collect();
    let submission = upload(&app, "humaneval-x-python", "M", &lines).await;
    let found = run(&app, submission);
    let verdicts: Vec<_> = found[..3].iter().map(|line| line["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["passed", "failed", "failed"]);
    let newest = app.services.runs.list(&System.admin(), None, PageOf::default()).await.unwrap().rows.remove(0).id;
    let stored = |conn: &rusqlite::Connection| -> Result<Vec<Option<String>>, base::error::Failure> {
        let query = "SELECT i.published FROM run_items i JOIN outputs o ON o.id = i.output_id WHERE i.run_id = ?1
            ORDER BY o.sample";
        let mut statement = conn.prepare(query)?;
        let rows = statement.query_map([newest.0], |row| row.get::<_, Option<String>>(0))?;
        Ok(rows.collect::<Result<Vec<_>, _>>()?)
    };
    let published = app.services.db.read_blocking(stored).unwrap();
    let expected = ["passed", "passed", "failed"].map(|verdict| Some(verdict.to_owned()));
    assert_eq!(published, expected);
    // The guarded figures come first; those as published stand next to them with the reason.
    let why = "It answers with an object that is not plain data, which cannot be sent to the tests.";
    assert_eq!((&found[1]["published"], &found[1]["difference"]), (&json!("passed"), &json!(why)));
    assert_eq!((&found[0]["published"], &found[0]["difference"]), (&json!("passed"), &Value::Null));
    let (figures, third) = (&found[3], 1.0 / 3.0);
    let share = |value: &Value| (value["value"].as_f64().unwrap() - third).abs() < 1e-9;
    assert!(share(&figures["pass_at"][0]), "{figures}");
    assert!((figures["published"]["pass_at_1"].as_f64().unwrap() - 2.0 * third).abs() < 1e-9, "{figures}");
    assert_eq!((&figures["published"]["differ"], &figures["differences"][0]["outputs"]), (&json!(1), &json!(1)));
    let detail = app.services.runs.get(&System.admin(), newest).await.unwrap();
    assert_eq!(detail.row.published.map(|published| (published.solved, published.differ)), Some((1, 1)));
    let differs = ItemFilter { result: Some(ItemResult::Differs), ..ItemFilter::default() };
    let rows = app.services.runs.items(&System.admin(), newest, differs, PageOf::default()).await.unwrap().rows;
    assert_eq!(rows.iter().map(|row| (row.sample, row.differs())).collect::<Vec<_>>(), [(1, true)]);
    let selection = Selection { dataset: "humaneval-x-python".into(), ..Selection::default() };
    let compared = app.services.comparisons.get(&System.admin(), selection).await.unwrap().figures;
    let checked = compared.automated.unwrap().models[0].clone().unwrap();
    let published = checked.published.unwrap();
    assert_eq!((published.figures.differ, published.differences.len()), (1, 1));
    assert!(
        (checked.metrics.pass_at_1 - third).abs() < 1e-9 && (published.figures.pass_at_1 - 2.0 * third).abs() < 1e-9
    );
    app.services
        .accounts
        .add(System, "admin", Role::Admin, "demo-password-admin", services::accounts::Validity::Lasting)
        .await
        .unwrap();
    let mut admin = app.admin().await;
    for page in [format!("/admin/runs/{newest}"), "/admin/compare/humaneval-x-python".into()] {
        let page = admin.get(&page).await.body;
        assert!(page.contains("pass@1, as published") && page.contains(why), "{page}");
    }
    let page = admin.get(&format!("/admin/submissions/{submission}")).await.body;
    assert!(page.contains("as published"), "{page}");
    let languages = app.services.runs.languages(&System.admin()).await.unwrap();
    let cell = languages.models[0].cells.iter().flatten().next().unwrap();
    assert_eq!((cell.tasks, &*cell.failures), (1, &[(FailureClass::AssertionError, 1)][..]));
    let page = admin.get("/admin/languages").await.body;
    assert!(page.contains("Failures in Python") && page.contains("assertion error"), "{page}");
    let again = run(&app, submission);
    assert!(again[..3].iter().all(|line| line["cached"] == true), "{again:?}");
}

#[tokio::test]
async fn a_call_without_an_answer_fails_although_the_tests_catch_every_error() {
    let python = (lang::language(CodeLang::Python).unwrap().look)(&lang::Places::from_environment());
    let Some(()) = prerequisites::toolchain("python", python) else { return };
    let app = TestApp::empty().await;
    let test = "def check(f):\n    for _ in range(5):\n        try:\n            assert f(1) == 1\n        except:\n            \
                pass\ncheck(f0)";
    import(&app, &task(0, test)).await;
    let no_data = "    class Own:\n        pass\n    return Own()\n";
    let lines: String = ["    return x\n", no_data, "    return x\n"]
        .iter()
        .map(|generation| format!("{}\n", json!({"task_id": "Python/0", "generation": generation})))
        .collect();
    let submission = upload(&app, "humaneval-x-python", "M", &lines).await;
    let found = run(&app, submission);
    let verdicts: Vec<_> = found[..3].iter().map(|line| (&line["verdict"], &line["published"])).collect();
    let (passed, failed) = (json!("passed"), json!("failed"));
    assert_eq!(verdicts, [(&passed, &passed), (&failed, &passed), (&passed, &passed)]);
}

fn run(app: &TestApp, submission: SubmissionId) -> Vec<Value> {
    run_of(app, "humaneval-x-python", submission)
}

/// A language's name in files and in ids, the prompt of its task, and the output of a model that names itself.
pub const EACH: [(CodeLang, &str, &str, &str, &str); 6] = [
    (CodeLang::Python, "python", "Python", "def f(x):\n    \"\"\" Same. \"\"\"\n", "    return x  # NAME wrote this\n"),
    (CodeLang::Cpp, "cpp", "CPP", "/*\nSame.\n*/\nint f(int x){\n", "    return x; // NAME wrote this\n}\n"),
    (
        CodeLang::Java,
        "java",
        "Java",
        "class Solution {\n    /**\n    Same.\n    */\n    public int f(int x) {\n",
        "        return x; // NAME wrote this\n    }\n}",
    ),
    (
        CodeLang::JavaScript,
        "js",
        "JavaScript",
        "/* Same.\n*/\nconst f = (x) => {\n",
        "  return x; // NAME wrote this\n}\n",
    ),
    (CodeLang::Go, "go", "Go", "// Same.\nfunc F(x int) int {\n", "    return x // NAME wrote this\n}\n"),
    (CodeLang::Rust, "rust", "Rust", "/*\n Same.\n*/\n", "    x // NAME wrote this\n}\n"),
];

#[tokio::test]
async fn people_grade_outputs_in_every_language_and_never_read_a_masked_name() {
    let app = TestApp::demo().await;
    let folder = tempfile::tempdir().unwrap();
    for (_, name, id, prompt, _) in EACH {
        let line = json!({
            "task_id": format!("{id}/0"), "prompt": prompt, "declaration": "fn f(x: u32) -> u32 {\n", "test": "",
            "canonical_solution": "", "example_test": "", "import": "", "docstring": "", "test_setup": "",
        });
        std::fs::write(folder.path().join(format!("humaneval_{name}.jsonl")), line.to_string()).unwrap();
    }
    let report = app.services.imports.paths(System, vec![folder.path().to_owned()]).await.unwrap();
    assert_eq!(report.datasets.len(), EACH.len());
    let mut ada = app.rater().await;
    let users = app.services.accounts.users(&System.admin(), PageOf::default()).await.unwrap().rows;
    for (lang, name, id, _, code) in EACH {
        let dataset = format!("humaneval-x-{name}");
        let mut submissions = Vec::new();
        for model in ["CodeGeeX", "Plainmodel 7B"] {
            let line = json!({"task_id": format!("{id}/0"), "generation": code.replace("NAME", model)});
            submissions.push(upload(&app, &dataset, model, &line.to_string()).await);
        }
        for submission in &submissions {
            app.services.quality.set_mask(&System.admin(), *submission, true).await.unwrap();
        }
        let presentation = Presentation::SideBySide;
        let raters = users.iter().filter(|user| user.name == "ada").map(|user| user.id).collect();
        let new = NewStudy {
            title: name.into(),
            dataset,
            submissions,
            raters,
            settings: StudySettings { raters_per_output: 1, presentation, ..StudySettings::default() },
            ..NewStudy::default()
        };
        app.services.studies.create(&System.admin(), new).await.unwrap();
        let my_studies: Value = ada.rpc("my_studies", json!({})).await.json();
        let study =
            my_studies.as_array().unwrap().iter().find(|study| study["title"] == name).unwrap()["token"].clone();
        let next = ada.rpc("next_task_items", json!({"study": study, "holding": []})).await;
        for secret in ["CodeGeeX", "Plainmodel", "submission"] {
            assert!(!next.body.contains(secret), "{lang}: {secret} in {}", next.body);
        }
        let NextTask::Task(items) = next.json::<NextTask>() else { panic!("{lang}: {}", next.body) };
        assert_eq!(items.len(), 2);
        for item in items {
            assert_eq!((&*item.raw_nl, item.code.remark, &item.code.laid_out), ("Same.", None, &None), "{lang}");
            let runs: Vec<_> = item.code.raw.iter().flat_map(|line| &line.0).collect();
            let comment = runs.iter().find(|run| run.1.contains("MASKED wrote this"));
            assert_eq!(comment.map(|run| run.0.as_str()), Some("comment"), "{lang}: {runs:?}");
        }
        let page = ada.get(&format!("/side-by-side/{}", study.as_str().unwrap())).await;
        assert!(page.body.contains("MASKED wrote this") && !page.body.contains("CodeGeeX"), "{lang}: {}", page.body);
    }
}

#[tokio::test]
async fn outputs_find_tasks_of_their_own_language_and_keep_a_prompt_that_differs() {
    let app = TestApp::empty().await;
    import(&app, &(task(0, "") + &task(1, ""))).await;
    let own = "def f0(x):\n    \"\"\" Returns x and 0. \"\"\"\n";
    let lines = [
        json!({"task_id": "Python/0", "prompt": own, "generation": "    return x\n```\n"}),
        json!({"task_id": "Python/0", "prompt": "def f0(x):\n", "generation": "    return 1\n"}),
        json!({"task_id": "Python/1", "generation": ""}),
        json!({"task_id": "JavaScript/1", "generation": "}"}),
        json!({"task_id": "1", "generation": "    pass\n"}),
    ];
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let submission = upload(&app, "humaneval-x-python", "M", &lines).await;
    let stored = app.services.db.read_blocking(move |conn| {
        let mut statement = conn.prepare(
            "SELECT t.external_id, o.sample, o.code, o.prompt FROM outputs o JOIN task_revisions r ON r.id = o.revision_id
             JOIN tasks t ON t.id = r.task_id WHERE o.submission_id = ?1 ORDER BY o.id",
        )?;
        let rows = statement.query_map([submission.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
        Ok(rows.collect::<Result<Vec<(String, u32, String, Option<String>)>, _>>()?)
    });
    let row = |id: &str, sample, code: &str, prompt: Option<&str>| {
        (id.to_owned(), sample, code.to_owned(), prompt.map(str::to_owned))
    };
    let expected = [
        row("Python/0", 0, "    return x", None),
        row("Python/0", 1, "    return 1\n", Some("def f0(x):\n")),
        row("Python/1", 0, "", None),
    ];
    assert_eq!(stored.unwrap(), expected);
}

#[tokio::test]
async fn translations_find_their_pair_of_languages_and_no_other() {
    let app = TestApp::demo().await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("humaneval_python.jsonl"), task(0, "assert f0(1) == 1")).unwrap();
    let js = json!({
        "task_id": "JavaScript/0", "prompt": "/* Same. */\nconst f0 = (x) => {\n", "declaration": "const f0 = (x) => {\n",
        "canonical_solution": "  return x;\n}\n", "test": "console.assert(f0(1) === 1)", "example_test": "",
    });
    std::fs::write(folder.path().join("humaneval_js.jsonl"), js.to_string()).unwrap();
    let report = app.services.imports.with_translation(System, vec![folder.path().to_owned()]).await.unwrap();
    let slugs: Vec<&str> = report.datasets.iter().map(|dataset| dataset.slug.as_str()).collect();
    let expected = ["humaneval-x-python", "humaneval-x-js", "humaneval-x-python-to-js", "humaneval-x-js-to-python"];
    assert_eq!(slugs, expected);
    let published = "code translation\nPython:\ndef f0(x):\n\n    return x + 0\nJavaScript:\nconst f0 = (x) => {\n";
    let line = |prompt: &str| json!({"task_id": "Python/0", "prompt": prompt, "generation": "  return x;\n}\n"});
    let to_js = "humaneval-x-python-to-js";
    let submission = upload(&app, to_js, "M", &line(published).to_string()).await;
    let stored = app.services.db.read_blocking(move |conn| {
        let query = "SELECT prompt FROM outputs WHERE submission_id = ?1";
        Ok(conn.query_row(query, [submission.0], |row| row.get::<_, Option<String>>(0))?)
    });
    assert_eq!(stored.unwrap(), None, "it continues the declaration");
    // The same line is refused elsewhere, and so is one of another task.
    for (dataset, prompt) in [
        ("humaneval-x-python", published),
        (to_js, "def f0(x):\n    \"\"\" Returns x and 0. \"\"\"\n"),
        ("humaneval-x-js-to-python", published),
    ] {
        let mut incoming = app.services.uploads.begin("outputs.jsonl").await.unwrap();
        incoming.write(line(prompt).to_string().as_bytes()).await.unwrap();
        let file = incoming.finish().await.unwrap();
        let upload = app.services.submissions.note_upload(&System.admin(), file, Purpose::outputs(None)).await.unwrap();
        let read = app.services.submissions.preview(&System.admin(), upload, dataset, Matching::Auto).await.unwrap();
        assert_eq!((read.matched, read.unknown_count, read.problem_count), (0, 1, 0), "{dataset}");
    }
    // An ID of another dataset is found there.
    for (id, dataset, others) in [
        ("JavaScript/0", "humaneval-x-python", vec!["humaneval-x-js", "humaneval-x-js-to-python"]),
        ("HumanEval/0", "humaneval-x-js", vec!["humaneval-x-python", "humaneval-x-python-to-js"]),
        ("Python/4711", "humaneval-x-js", vec![]),
    ] {
        let mut incoming = app.services.uploads.begin("outputs.jsonl").await.unwrap();
        let line = json!({"task_id": id, "generation": "    return x"}).to_string();
        incoming.write(line.as_bytes()).await.unwrap();
        let file = incoming.finish().await.unwrap();
        let upload = app.services.submissions.note_upload(&System.admin(), file, Purpose::outputs(None)).await.unwrap();
        let read = app.services.submissions.preview(&System.admin(), upload, dataset, Matching::Auto).await.unwrap();
        let found: Vec<_> = read.other_datasets.iter().map(|one| (&*one.dataset, one.known, one.of)).collect();
        assert_eq!(found, others.into_iter().map(|slug| (slug, 1, 1)).collect::<Vec<_>>(), "{id}");
    }
    // People read what must be translated, as code.
    let mut admin = app.admin().await;
    let output: Value = admin.rpc("submission_outputs", json!({"id": submission})).await.json();
    let page = admin.get(&format!("/admin/outputs/{}", output["rows"][0]["id"])).await.body;
    assert!(page.contains("description-code") && page.contains("def f0(x):\n    return x + 0"), "{page}");
    let node = (lang::language(CodeLang::JavaScript).unwrap().look)(&lang::Places::from_environment());
    let Some(()) = prerequisites::host(node) else { return };
    let found = run_of(&app, to_js, submission);
    assert_eq!((&found[0]["verdict"], &found[0]["published"]), (&json!("passed"), &json!("passed")), "{found:?}");
    // Twice: computed, and kept.
    for _ in 0..2 {
        let results = app.services.runs.languages(&System.admin()).await.unwrap();
        let at = results.translation(CodeLang::Python, CodeLang::JavaScript).unwrap();
        let cell = results.models[0].cells[at].as_ref().unwrap();
        assert_eq!((cell.outputs, cell.at(1).unwrap().value, cell.published.unwrap().differ), (1, 1.0, 0));
        assert_eq!(results.models[0].mean(&results.generation(), 1), None, "no run in a language alone");
    }
    let page = admin.get("/admin/languages").await.body;
    assert!(page.contains("M, pass@1 by source and target language") && page.contains("100.0%"), "{page}");
    let table = admin.get("/admin/languages.csv").await.body;
    assert!(table.lines().nth(1).unwrap().starts_with("M,humaneval-x-python-to-js,python,javascript,"), "{table}");
}

#[tokio::test]
async fn pages_name_the_programming_language() {
    let app = TestApp::demo().await;
    import(&app, &task(0, "assert f0(1) == 1")).await;
    let mut admin = app.admin().await;
    let list = admin.get("/admin/datasets").await.body;
    assert!(list.contains(">Java<") && list.contains(">Python<") && list.contains("Programming language"), "{list}");
    let page = admin.get("/admin/datasets/humaneval-x-python").await.body;
    assert!(page.contains(">Python<") && page.contains("humaneval_python.jsonl, SHA-256 "), "{page}");
    admin.form("/lang", &[("lang", "zh")]).await;
    assert!(admin.get("/admin/datasets").await.body.contains("编程语言"));
}
