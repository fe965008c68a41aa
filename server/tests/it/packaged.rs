//! Hand-assembled classes, as packaged by the published benchmark: imported as a submission, run, compared,
//! run again, on the command line and as a browser does it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{collections::BTreeMap, fs, path::Path, process::Output};

use crate::util::{TestApp, program::program};
use axum::http::StatusCode;
use db::runs;
use model::{
    caller::System,
    ids::{OutputId, RunId, SubmissionId},
    page::PageOf,
    run::{ItemFilter, ItemRow, ItemState, NewRun, Origin, Rerun, RunDetail, RunStatus, Verdict},
    run_pair::Passes,
};
use port::{Runs, Submissions};
use serde_json::Value;

/// The program's answer to `args`, over the application's data folder.
fn ran(app: &TestApp, args: &[&str]) -> Output {
    program(app, args).output().unwrap()
}

fn well(output: Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn write(root: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

const PACKAGE: &str = "src/main/java/com/aixcode/autoTest";

/// A checkout in the benchmark's shape, invented for this test: three tasks, two models.
fn made_up() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let evaluation = |number: u32, cases: &str| {
        format!(
            "package com.aixcode.autoTest.evaluation;\nimport com.aixcode.autoTest.AbstractBaseEvaluation;\n\
             public class Evaluation{number} extends AbstractBaseEvaluation {{\n\
             public Evaluation{number}(String p, String x) {{ super(p, x); }}\n\
             @Override public int[] evaluation() {{ int passed = 0; {cases} }}\n}}\n"
        )
    };
    let class = |model: &str, name: &str, body: &str| {
        format!(
            "package com.aixcode.autoTest.generate.{model};\nimport com.aixcode.autoTest.GenerateMethodBase;\n\
             public class {name} extends GenerateMethodBase {{\n{body}\n}}\n"
        )
    };
    let double = evaluation(
        1,
        "if (solution.twice(2) == 4) passed++; if (solution.twice(0) == 0) passed++; return new int[] {passed, 2};",
    );
    let upper = evaluation(2, "if (\"A\".equals(solution.upper(\"a\"))) passed++; return new int[] {passed, 1};");
    // More passes than cases, as one of the published classes reports.
    let odd = evaluation(30, "passed = solution.twice(2); return new int[] {passed, 2};");
    let right = "public int twice(int n) { return 2 * n; }";
    write(
        folder.path(),
        &[
            (
                "src/main/resources/dataset_autotest_nl.jsonl",
                "{\"task_id\": 1, \"raw_nl\": \"Doubles a number.\", \"signature\": \"public int twice(int n)\"}\n\
                 {\"task_id\": 2, \"raw_nl\": \"转成大写\", \"signature\": \"public String upper(String s)\"}\n\
                 {\"task_id\": 30, \"raw_nl\": \"Doubles, oddly counted.\", \"signature\": \"public int twice(int n)\"}\n",
            ),
            (
                &format!("{PACKAGE}/GenerateMethodBase.java"),
                "package com.aixcode.autoTest;\npublic class GenerateMethodBase {\n\
                 public int twice(int n) { throw new RuntimeException(); }\n\
                 public String upper(String s) { throw new RuntimeException(); }\n}\n",
            ),
            (
                &format!("{PACKAGE}/AbstractBaseEvaluation.java"),
                "package com.aixcode.autoTest;\npublic abstract class AbstractBaseEvaluation {\n\
                 public GenerateMethodBase solution;\n\
                 public AbstractBaseEvaluation(String folder, String prefix) {\n\
                 String number = getClass().getSimpleName().replace(\"Evaluation\", \"\");\n\
                 try { solution = (GenerateMethodBase) Class.forName(folder + \".\" + prefix + number)\
                 .getDeclaredConstructor().newInstance(); }\n\
                 catch (Exception e) { throw new IllegalStateException(e); }\n}\n\
                 public abstract int[] evaluation();\n}\n",
            ),
            (&format!("{PACKAGE}/evaluation/Evaluation1.java"), &double),
            (&format!("{PACKAGE}/evaluation/Evaluation2.java"), &upper),
            (&format!("{PACKAGE}/evaluation/Evaluation30.java"), &odd),
            (&format!("{PACKAGE}/generate/one/First1.java"), &class("one", "First1", right)),
            (
                &format!("{PACKAGE}/generate/one/First2.java"),
                &class("one", "First2", "public String upper(String s) { return s; }"),
            ),
            (&format!("{PACKAGE}/generate/one/First30.java"), &class("one", "First30", right)),
            (
                &format!("{PACKAGE}/generate/two/Second1.java"),
                &class("two", "Second1", "public int twice(int n) { return n + 2; }"),
            ),
            (
                &format!("{PACKAGE}/generate/two/Second2.java"),
                &class("two", "Second2", "public String upper(String s) { return s.toUpperCase() }"),
            ),
        ],
    );
    folder
}

/// Imports a checkout and its models' folders as submissions 1, 2, …
fn take(app: &TestApp, checkout: &Path, models: &[(&str, &str)]) {
    well(ran(app, &["import", "aixbench", checkout.to_str().unwrap()]));
    for (model, folder) in models {
        let folder = checkout.join(PACKAGE).join("generate").join(folder);
        let args = ["submissions", "upload", folder.to_str().unwrap(), "--dataset", "aixbench-auto", "--model", model];
        well(ran(app, &args));
    }
}

fn run(app: &TestApp, submission: &str) -> Vec<Value> {
    let args = ["run", "--dataset", "aixbench-auto", "--submission", submission, "--json"];
    lines(&well(ran(app, &args)))
}

async fn get(app: &TestApp, run: i64) -> RunDetail {
    app.services.runs.get(&System.admin(), RunId(run)).await.unwrap()
}

/// The outputs of a run.
async fn outputs(app: &TestApp, run: RunId) -> Vec<ItemRow> {
    let most = PageOf::first(PageOf::MOST);
    app.services.runs.items(&System.admin(), run, ItemFilter::default(), most).await.unwrap().rows
}

#[tokio::test]
#[allow(clippy::too_many_lines, reason = "one run through its stages, in order")]
async fn packaged_classes_are_run_compared_and_run_again() {
    let app = TestApp::empty().await;
    let checkout = made_up();
    take(&app, checkout.path(), &[("One", "one"), ("Two", "two")]);

    // A line per output with the fields that scripts read, and the figures at the end.
    let first = run(&app, "1");
    let found: Vec<_> = first[..3]
        .iter()
        .map(|l| (l["task_id"].as_str().unwrap(), l["sample"].as_u64().unwrap(), l["verdict"].as_str().unwrap()))
        .collect();
    assert_eq!(found, [("1", 0, "passed"), ("2", 0, "failed"), ("30", 0, "anomaly")]);
    assert_eq!((&first[0]["passed"], &first[0]["total"]), (&2.into(), &2.into()));
    assert!(first[0]["cpu_ms"].as_u64().unwrap() > 0 && first[0]["wall_ms"].is_u64());
    let metrics = &first[3]["metrics"];
    assert_eq!((metrics["solved"].as_u64(), metrics["ratio_sum"].as_f64()), (Some(1), Some(3.0)));
    assert_eq!(metrics["ratio_sum_clamped"].as_f64(), Some(2.0));
    let second = run(&app, "2");
    assert_eq!(second[1]["verdict"], "compile_error");

    // The same data give the same bytes: from the command line, again, and from the page.
    let exported = well(ran(&app, &["runs", "export", "1", "--as", "jsonl"]));
    assert_eq!(lines(&exported), first);
    assert_eq!(exported, well(ran(&app, &["runs", "export", "1"])));
    app.services
        .accounts
        .add(System, "root", model::user::Role::Admin, "a long password", services::accounts::Validity::Lasting)
        .await
        .unwrap();
    let mut admin = app.anonymous();
    admin.form("/log-in", &[("name", "root"), ("password", "a long password")]).await;
    assert_eq!(admin.get("/admin/runs/1/results.jsonl").await.body, exported);
    let csv = well(ran(&app, &["runs", "export", "1", "--as", "csv"]));
    assert_eq!(admin.get("/admin/runs/1/results.csv").await.body, csv);
    let parquet = ran(&app, &["runs", "export", "1", "--as", "parquet"]).stdout;
    assert!(parquet.starts_with(b"PAR1"));
    assert_eq!(admin.get("/admin/runs/1/results.parquet").await.body, String::from_utf8_lossy(&parquet));

    // The two runs compared.
    let pair = app.services.runs.compare(&System.admin(), RunId(1), RunId(2), Some("2".into())).await.unwrap();
    assert_eq!(pair.passes, Passes { both: 0, only_a: 1, only_b: 0, neither: 2, not_counted: 0 });
    assert_eq!(
        pair.tasks.iter().map(|t| (t.task_id.as_str(), t.differs())).collect::<Vec<_>>(),
        [("1", true), ("2", true), ("30", true)]
    );
    let focus = pair.focus.unwrap();
    assert_eq!((focus.previous.as_deref(), focus.next.as_deref()), (Some("1"), Some("30")));
    assert!(focus.b.unwrap().message.contains("';' expected"), "the compiler's message is shown next to the code");
    let compared = admin.get("/admin/runs/compare.csv?a=1&b=2").await;
    assert_eq!(compared.body.lines().nth(3).unwrap(), "30,0,anomaly,4,2,,,,true");
    let unknown = admin.get("/admin/runs/compare.csv?a=1&b=99").await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);

    // A task without an output is listed, and counts 0.
    let detail = get(&app, 2).await;
    assert_eq!(detail.missing.iter().map(|m| m.task_id.as_str()).collect::<Vec<_>>(), ["30"]);
    assert_eq!((detail.row.metrics.tasks, detail.row.metrics.answered), (3, 2));
    assert_eq!(detail.lenient_tests, None, "these tests are not the published ones of task 1, 2 and 30");

    // One output: its source next to the model's lines, and the compiler's message at its line.
    let output = outputs(&app, RunId(2)).await[1].output;
    let item = app.services.runs.item(&System.admin(), RunId(2), output).await.unwrap();
    let wrong: Vec<_> = item.listing.iter().filter(|l| !l.messages.is_empty()).collect();
    assert!(matches!(wrong[..], [line] if line.origin == Origin::Same(4)), "{:?}", item.listing);
    assert!(item.listing.iter().any(|l| matches!(&l.origin, Origin::Changed(3, was) if was.contains("Second2"))));
    assert_eq!(item.previous.unwrap().task_id, "1");
    assert_eq!(item.next, None);

    // Only one task: its line and the whole run's figures; it was run, not cached.
    let again = lines(&well(ran(&app, &["run", "--resume", "1", "--only", "2", "--json"])));
    assert_eq!((again.len(), &again[0]["task_id"], &again[0]["cached"]), (2, &"2".into(), &false.into()));
    assert_eq!(again[1]["metrics"], first[3]["metrics"]);
    let strange = ran(&app, &["run", "--resume", "1", "--only", "77"]);
    assert_eq!(strange.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&strange.stderr).contains("run 1 has no output for 77"));

    // Only outdated results: there are none, then one item's outcome seems to come from another engine.
    let finished = async || outputs(&app, RunId(1)).await.iter().map(|i| i.cpu_ms).collect::<Vec<_>>();
    let before = finished().await;
    well(ran(&app, &["run", "--resume", "1", "--changed"]));
    assert_eq!(finished().await, before, "nothing had changed, so nothing was run");
    app.services
        .db
        .write_blocking(|tx| {
            tx.execute("UPDATE run_items SET key = 'old', fingerprint = 'old' WHERE run_id = 1 AND output_id = 1", [])?;
            tx.execute("DELETE FROM outcomes", [])?;
            Ok(())
        })
        .unwrap();
    let mixed = get(&app, 1).await;
    assert_eq!(mixed.mixed, 1);
    well(ran(&app, &["run", "--resume", "1", "--changed"]));
    let alike = get(&app, 1).await;
    assert_eq!((alike.mixed, alike.row.status), (0, RunStatus::Finished));
    assert_eq!(finished().await[1..], before[1..], "only what had changed was run");
}

#[tokio::test]
async fn only_eligible_outputs_are_run_again() {
    let app = TestApp::demo().await;
    let all = app.services.submissions.list(&System.admin(), None, PageOf::first(PageOf::MOST)).await.unwrap().rows;
    let submission: SubmissionId = all[0].id;
    let (services, caller) = (&app.services.runs, System.admin());
    let run = services.start(&caller, NewRun::of(submission).fresh()).await.unwrap();
    let output: OutputId = outputs(&app, run).await[0].output;
    let refused = async |what: Rerun, why: &str| {
        let error = services.rerun(&caller, run, what.clone()).await.unwrap_err().to_string();
        assert!(error.contains(why), "{what:?}: {error}");
    };
    refused(Rerun::Output(output), "already waiting or running").await;
    refused(Rerun::Failed, "no engine errors").await;
    refused(Rerun::Rest, "is not stopped").await;
    refused(Rerun::Tasks(vec!["nothing".into()]), "has no output for nothing").await;
    services.cancel(&caller, run).await.unwrap();
    refused(Rerun::Output(output), "Resume it first").await;
    services.rerun(&caller, run, Rerun::Rest).await.unwrap();
    let detail = services.get(&caller, run).await.unwrap();
    assert_eq!((detail.row.status, detail.row.done), (RunStatus::Running, 0));

    // Engine errors are reset; outputs taken over from a dead worker are counted.
    let db = &app.services.db;
    let past = model::time::Timestamp(0);
    let item = db.write_blocking(|tx| runs::claim(tx, run, "gone", past, false)).unwrap().unwrap().item;
    let later = model::time::Timestamp(base::clock::now().0 + runs::LEASE_MS);
    let again = db.write_blocking(|tx| runs::claim(tx, run, "here", later, false)).unwrap().unwrap();
    assert_eq!(item, again.item);
    let failed = runs::Finish::Failed {
        fault: model::reason::Fault::System { detail: "no room".into() },
        again: false,
        worker: None,
    };
    db.write_blocking(|tx| runs::finish(tx, again.ticket(), &failed)).unwrap();
    let detail = services.get(&caller, run).await.unwrap();
    assert_eq!((detail.taken_over, detail.row.failed), (1, 1));
    // The queue decides which one comes first.
    let at = outputs(&app, run).await.iter().position(|item| item.state == ItemState::Failed).unwrap();
    services.rerun(&caller, run, Rerun::Failed).await.unwrap();
    assert_eq!(outputs(&app, run).await[at].state, ItemState::Waiting);

    // Forbidden for others.
    let mut rater = app.rater().await;
    let answer = rater.get(&format!("/admin/runs/compare.csv?a={run}&b={run}")).await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn invalid_folder_of_classes_names_its_files() {
    let app = TestApp::empty().await;
    let checkout = made_up();
    well(ran(&app, &["import", "aixbench", checkout.path().to_str().unwrap()]));
    let one = checkout.path().join(PACKAGE).join("generate/one");
    fs::write(one.join("Helper.java"), "class Helper {}").unwrap();
    fs::write(one.join("Other1.java"), "class Other1 {}").unwrap();
    let upload = |path: &Path| {
        let args = ["submissions", "upload", path.to_str().unwrap(), "--dataset", "aixbench-auto", "--model", "m"];
        let output = ran(&app, &args);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, said) = upload(&one);
    assert_eq!(code, Some(2));
    for expected in [
        "Helper.java: the file name does not end with a task ID",
        "Other1.java: a second class for task 1, besides First1.java",
    ] {
        assert!(said.contains(expected), "{said}");
    }
    let (code, said) = upload(checkout.path());
    assert_eq!(code, Some(2));
    assert!(said.contains("Java files in several folders"), "{said}");
    assert!(
        app.services
            .submissions
            .list(&System.admin(), None, PageOf::first(PageOf::MOST))
            .await
            .unwrap()
            .rows
            .is_empty(),
        "nothing was taken"
    );
}

#[tokio::test]
async fn published_classes_reproduce_the_published_figures() {
    let Some(checkout) = prerequisites::aixbench_checkout() else { return };
    let Some(data) = prerequisites::aixbench_data() else { return };
    let app = TestApp::empty().await;
    take(&app, &checkout, &[("aiXcoder", "aixcoder"), ("Copilot", "copilot")]);
    for (submission, model, solved, sum) in [("1", "aixcoder", 86, 119.96), ("2", "copilot", 79, 121.97)] {
        let reference = fs::read_to_string(data.join(format!("reference_{model}.tsv"))).unwrap();
        let expected: BTreeMap<&str, (u64, u64)> = reference
            .lines()
            .skip(1)
            .map(|line| {
                let [id, passed, total] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
                (id, (passed.parse().unwrap(), total.parse().unwrap()))
            })
            .collect();
        let found = run(&app, submission);
        assert_eq!(found.len(), expected.len() + 1);
        for line in &found[..expected.len()] {
            let id = line["task_id"].as_str().unwrap();
            if !prerequisites::UNSTEADY_TASKS.contains(&id) {
                let result = (line["passed"].as_u64().unwrap(), line["total"].as_u64().unwrap());
                assert_eq!(result, expected[id], "{model}: {line}");
            }
        }
        let same = found[..expected.len()].iter().all(|line| {
            let (passed, total) = expected[line["task_id"].as_str().unwrap()];
            (line["passed"].as_u64(), line["total"].as_u64()) == (Some(passed), Some(total))
        });
        let metrics = &found.last().unwrap()["metrics"];
        if same {
            assert_eq!(metrics["solved"], solved, "{model}");
            assert!((metrics["ratio_sum"].as_f64().unwrap() - sum).abs() < 0.005, "{model}: {metrics}");
        }
        println!("{model}: {metrics}");
    }
    let lenient = get(&app, 1).await.lenient_tests.unwrap();
    let of = |id: &str| lenient.iter().find(|of| of.task_id == id).map_or(&[][..], |of| &of.answers);
    assert!(of("10").contains(&"new ArrayList<String>()".to_owned()) && of("8").is_empty(), "{lenient:?}");
    let printed = well(ran(&app, &["runs", "show", "1"]));
    assert!(
        printed.contains("The tests of these tasks accept a constant or another degenerate answer: 2, "),
        "{printed}"
    );
    let items = outputs(&app, RunId(1)).await;
    let odd: Vec<_> = items.iter().filter(|i| i.verdict == Some(Verdict::Anomaly)).collect();
    assert!(matches!(odd[..], [item] if item.task_id == "164"), "{odd:?}");
}
