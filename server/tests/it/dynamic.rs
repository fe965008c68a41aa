//! Dynamic conversations: the tests of each answer run in the sandbox and decide what is asked next, also across kills and
//! faults of the engine. All requests are sent by the program, which starts the sandbox.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::{
    path::Path,
    process::{Child, Stdio},
    time::Duration,
};
use texts::collections::stop_reason;

use db::{conversations, instruction_answers, plan};
use lang::{Places, python::scripts};
use model::{
    caller::{Admin, System},
    collection::{
        CollectionResume, CollectionRow, CollectionSettings, CollectionStatus, NewCollection, RequestRow,
        RequestStatus, StopReason,
    },
    conversation::Way,
    ids::{CollectionId, SubmissionId},
    page::PageOf,
    plan::RatedAnswers,
    reason::Fault,
    submission::{InvalidLines, Matching, OutputFilter},
};
use port::{Runs, Submissions, collections::Collections};
use serde_json::{Value, json};

use crate::{
    collections::{allow, requests, texts},
    util::{
        TestApp,
        endpoint::{Asked, Does, FakeEndpoint},
        program::program,
    },
};

const OPERATOR: Admin = System.admin();
/// Answered requests of all conversations: three for task 11, five for task 12, one for task 13.
const REQUESTS: usize = 9;
/// What the model is asked for, task by task: the instruction, and whether the answer passes its tests.
const ASKED: [(&str, &[(u32, bool)]); 3] = [
    ("11", &[(0, true), (1, true), (3, true)]),
    // The base prompt and the annotations are repaired; the limit leaves out the repetition for the error.
    ("12", &[(0, false), (0, true), (1, false), (1, true), (3, false)]),
    ("13", &[(0, true)]),
];

/// Imports three tasks of our own, in the benchmark's format, and returns the dataset's short name.
async fn import(app: &TestApp) -> String {
    let task = |n: u32| {
        let requirement = |text: &str, test: &str| json!({"requirement": format!("{text} {n}."), "unit_test": [test]});
        let raises = "try:\n    f(None)\nexcept ValueError:\n    pass\nelse:\n    assert False, 'no error'";
        json!({
            "task_id": n, "prompt": format!("Task {n}: add one."), "test": ["assert f(1) == 2, 'not 2'"], "code": "",
            "requirements": {
                "Exception Handling": requirement("Raise ValueError", raises),
                "Functionality Extension": requirement("Add two", "assert f(1) == 3"),
                "Annotation Coverage": requirement("Annotate", "assert f.__annotations__, 'bare'"),
            },
            "multi-turn": ["Annotation Coverage", "Functionality Extension", "Exception Handling"],
        })
    };
    let lines: Vec<String> = (11..14).map(|n| task(n).to_string()).collect();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("L_1_part_1.jsonl");
    std::fs::write(&file, lines.join("\n")).unwrap();
    app.services.imports.paths(System, vec![file]).await.unwrap();
    let find = "SELECT slug FROM datasets WHERE slug LIKE 'codeif-bench-%'";
    app.services.db.read(move |conn| Ok(conn.query_row(find, [], |row| row.get(0))?)).await.unwrap()
}

fn messages(asked: &Asked) -> Vec<String> {
    let all = asked.body["messages"].as_array().unwrap().iter();
    all.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}

/// The model: task 11 does what it is asked, task 12 needs to be told, and task 13 does everything at once.
fn answer(asked: &Asked) -> String {
    const BARE: &str = "def f(x):\n    return x + 1\n";
    const ANNOTATED: &str = "def f(x: int) -> int:\n    return x + 1\n";
    const CHECKED: &str = "def f(x: int) -> int:\n    if x is None:\n        raise ValueError(x)\n    return x + 1\n";
    let all = messages(asked);
    let (first, last) = (&all[0], &all[all.len() - 1]);
    let is_told = last.contains("does not meet");
    let code = match first {
        _ if first.contains("Task 13") => CHECKED,
        _ if first.contains("Task 11") => match last {
            _ if last.contains("Annotate") => ANNOTATED,
            _ if last.contains("Raise") => CHECKED,
            _ => BARE,
        },
        _ if last.contains("Annotate") && is_told => ANNOTATED,
        _ if last.contains("Raise") => ANNOTATED,
        _ if last.contains("Annotate") || is_told => BARE,
        _ => "def f(x):\n    return x\n",
    };
    format!("Here it is:\n```python\n{code}```")
}

async fn prepared() -> (TestApp, FakeEndpoint, String) {
    let endpoint = FakeEndpoint::start(|asked| Does::Slowly(Duration::from_millis(30), answer(asked))).await;
    let app = TestApp::demo().await;
    allow(&app, &endpoint);
    let dataset = import(&app).await;
    (app, endpoint, dataset)
}

fn new(dataset: &str, settings: CollectionSettings) -> NewCollection {
    let settings = CollectionSettings { way: Some(Way::Dynamic), ..settings };
    NewCollection {
        dataset: dataset.into(),
        model: "M".into(),
        endpoint: "fake".into(),
        settings,
        ..Default::default()
    }
}

/// Creates a collection whose requests the program may send.
async fn create(app: &TestApp, dataset: &str, settings: CollectionSettings) -> CollectionId {
    let id = app.services.collections.create(&OPERATOR, new(dataset, settings)).await.unwrap();
    app.services.collections.resume(&OPERATOR, id, CollectionResume::default()).await.unwrap();
    id
}

/// Starts the program, which sends the requests of a collection. `path` replaces the search path.
fn start(app: &TestApp, endpoint: &FakeEndpoint, id: CollectionId, path: Option<&Path>) -> Child {
    let (name, number) = (format!("fake={}", endpoint.url), id.to_string());
    let mut program = program(app, &["collect", "--resume", &number, "--endpoint", &name, "--no-import"]);
    if let Some(path) = path {
        program.env("PATH", path);
    }
    program.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Waits until the program has ended, and returns whether the collection is finished.
async fn end(mut child: Child) -> bool {
    tokio::task::spawn_blocking(move || child.wait().unwrap().success()).await.unwrap()
}

async fn row(app: &TestApp, id: CollectionId) -> CollectionRow {
    app.services.collections.get(&OPERATOR, id).await.unwrap().row
}

/// Ends the program with SIGKILL; another may take over at once.
async fn kill(app: &TestApp, mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
    app.services.db.write(|tx| Ok(tx.execute("UPDATE collections SET leased_until = 0", [])?)).await.unwrap();
}

/// The requests whose answer is stored.
async fn stored(app: &TestApp, id: CollectionId) -> Vec<i64> {
    let all = requests(app, id).await;
    all.into_iter().filter(|request| request.status == RequestStatus::Answered).map(|request| request.id).collect()
}

/// Checks that each conversation went as [`ASKED`], with the feedback that its tests gave.
async fn check(app: &TestApp, endpoint: &FakeEndpoint, id: CollectionId) {
    let found = row(app, id).await;
    assert_eq!((found.status, found.answered, found.failed), (CollectionStatus::Finished, 3, 0));
    let all = requests(app, id).await;
    for (task, expected) in ASKED {
        let mut of: Vec<&RequestRow> = all.iter().filter(|request| request.task_id == task).collect();
        of.sort_by_key(|request| request.turn);
        let asks: Vec<(u32, bool)> = of
            .iter()
            .map(|request| (request.instruction.unwrap(), request.tests.as_ref().unwrap().failure.is_empty()))
            .collect();
        assert_eq!(asks, expected, "task {task}");
        assert!(of.iter().all(|request| request.tests.as_ref().unwrap().checks.len() == 3), "of 0, 1 and 3");
    }
    let sent: Vec<Vec<String>> = endpoint.asked().iter().map(messages).collect();
    let longest = sent.iter().filter(|all| all[0].contains("Task 12")).max_by_key(|all| all.len()).unwrap();
    assert_eq!(longest.len(), 9);
    let (repair, annotate, again) = (&longest[2], &longest[4], &longest[6]);
    assert!(repair.contains("Task 12: add one.") && repair.contains("AssertionError: not 2"), "{repair}");
    assert!(annotate.contains("Annotate 12.") && !annotate.contains("Error"), "{annotate}");
    assert!(again.contains("Annotate 12.") && again.contains("AssertionError: bare"), "{again}");
    assert!(!sent.iter().flatten().any(|text| text.contains("Add two")), "an extension is not asked for");
    assert_eq!(endpoint.generated(), REQUESTS, "each request has its own key, and no other");
}

#[tokio::test(flavor = "multi_thread")]
async fn tests_decide_what_is_asked_next_also_after_kills() {
    const AT_ONCE: usize = 2;
    let Some(()) = prerequisites::toolchain("python", scripts::look(&Places::from_environment())) else { return };
    let (app, endpoint, dataset) = prepared().await;
    let id = create(&app, &dataset, CollectionSettings { at_once: AT_ONCE as u32, ..Default::default() }).await;
    let plan = app.services.collections.get(&OPERATOR, id).await.unwrap().plan;
    assert!(plan.at_most && plan.requests == 3 * 6, "{plan:?}");
    assert!(plan.first[1].messages[2].content.contains("AssertionError"), "a plan shows how failures are told");

    let mut kept = Vec::new();
    // Before answers are tested, and then in the middle of conversations.
    for enough in [3, 5, 7] {
        let mut child = start(&app, &endpoint, id, None);
        while stored(&app, id).await.len() < enough && child.try_wait().unwrap().is_none() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        kill(&app, child).await;
        kept.push((enough, stored(&app, id).await, endpoint.asked().len()));
    }
    assert!(end(start(&app, &endpoint, id, None)).await);
    check(&app, &endpoint, id).await;
    let asked = endpoint.asked();
    assert!(asked.len() <= REQUESTS + kept.len() * AT_ONCE, "at most those in flight are repeated");
    // Whether their tests had ended or not.
    for (enough, known, before) in kept {
        assert!(known.len() >= enough, "{known:?}");
        for again in &asked[before..] {
            let request = again.key().rsplit('-').next().unwrap().parse().unwrap();
            assert!(!known.contains(&request), "{request} was answered, and is asked for again");
        }
    }
    let submission = check_outputs(&app, &dataset, id).await;
    check_figures(&app, &dataset, submission).await;
    let mut admin = app.admin().await;
    let page = admin.get("/admin/conversations").await.body;
    assert!(page.contains("Dynamic conversations") && page.contains("IFE by round, dynamic"), "{page}");
    let page = admin.get(&format!("/admin/collections/{id}")).await.body;
    assert!(page.contains("Turn by turn, where tests of each answer decide"), "{page}");
}

/// Imports a collection and checks that its outputs know what they answer.
async fn check_outputs(app: &TestApp, dataset: &str, id: CollectionId) -> SubmissionId {
    let upload = app.services.collections.upload(&OPERATOR, id).await.unwrap();
    let preview = app.services.submissions.preview(&OPERATOR, upload, dataset, Matching::Auto).await.unwrap();
    assert_eq!((preview.way, preview.matched, preview.problem_count), (Some(Way::Dynamic), REQUESTS as u64, 0));
    let (matching, invalid) = (Matching::Auto, InvalidLines::Refuse);
    let submission = app.services.submissions.import(&OPERATOR, upload, dataset, matching, "M", invalid).await.unwrap();
    let page = PageOf::first(PageOf::MOST);
    let outputs = app.services.submissions.outputs(&OPERATOR, submission, OutputFilter::default(), page).await.unwrap();
    assert_eq!(outputs.rows.len(), REQUESTS);
    let last = app.services.db.read(move |conn| plan::gradable(conn, submission, RatedAnswers::Last)).await.unwrap();
    assert_eq!(last.len(), 3, "the last answer of each conversation");
    let output = last[1].output;
    let read = move |conn: &rusqlite::Connection| {
        Ok((conversations::of_output(conn, output)?, instruction_answers::instructions(conn, output)?))
    };
    let (conversation, instructions) = app.services.db.read(read).await.unwrap();
    let turns = conversation.unwrap().turns;
    let shown: Vec<_> = turns.iter().map(|turn| (turn.place, turn.asked.turn, turn.again)).collect();
    assert_eq!(shown, [(0, 0, false), (1, 0, true), (2, 1, false), (3, 1, true), (4, 3, false)]);
    assert_eq!(instructions.iter().map(|of| of.turn).collect::<Vec<_>>(), [1, 3], "each is rated once");
    // The file has what was sent and what tests showed, and so has the bundle.
    let write = move |conn: &rusqlite::Connection| {
        let mut bytes = Vec::new();
        services::collections::file::export_responses(conn, &[id], &mut bytes)?;
        Ok(bytes)
    };
    let bytes = app.services.db.read(write).await.unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), REQUESTS);
    let told = lines.iter().find(|line| line["task_id"] == "12" && line["turn"] == 2).unwrap();
    assert_eq!((&told["instruction"], told["messages"].as_array().unwrap().len()), (&json!(1), 5));
    assert!(told["tests"]["failure"].as_str().unwrap().contains("bare"), "{told}");
    submission
}

/// Runs the outputs and checks that the figures are those of the conversations.
async fn check_figures(app: &TestApp, dataset: &str, submission: SubmissionId) {
    let number = submission.to_string();
    let run = program(app, &["run", "--dataset", dataset, "--submission", &number, "--json"]).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let results = app.services.runs.conversations(&OPERATOR).await.unwrap();
    let figures = results.datasets[0].models[0].dynamic.clone().unwrap();
    let rounds: Vec<(u32, f64, f64)> = figures
        .rounds
        .iter()
        .map(|of| (of.shares.accuracy.of, of.shares.accuracy.value, of.shares.efficiency.value))
        .collect();
    let expected =
        [(3, 2.0 / 3.0, 2.0 / 3.0), (2, 1.0, 0.75), (2, 0.75, 2.0 / 3.0), (1, 1.0, 0.5), (1, 2.0 / 3.0, 0.4)];
    assert_eq!(rounds.len(), expected.len());
    for (found, expected) in rounds.iter().zip(expected) {
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(found.0 == expected.0 && near(found.1, expected.1) && near(found.2, expected.2), "{rounds:?}");
    }
    let table = String::from_utf8(program(app, &["runs", "conversations", "--csv"]).output().unwrap().stdout).unwrap();
    let line = format!("{dataset},M,dynamic,,,instruction_following_efficiency,round_5,0.4,1,,");
    assert!(table.contains(&line), "{table}");
    let text = String::from_utf8(program(app, &["runs", "conversations"]).output().unwrap().stdout).unwrap();
    assert!(text.contains("66.7% 75.0% 66.7% 50.0% 40.0%"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_of_the_engine_stops_and_is_told_to_nobody() {
    let Some(()) = prerequisites::toolchain("python", scripts::look(&Places::from_environment())) else { return };
    let (app, endpoint, dataset) = prepared().await;
    let id = create(&app, &dataset, CollectionSettings::default()).await;
    // Without a sandbox, answers wait for their tests, and nothing else is asked.
    let nothing = tempfile::tempdir().unwrap();
    assert!(!end(start(&app, &endpoint, id, Some(nothing.path()))).await);
    let stopped = row(&app, id).await;
    assert!(matches!(stopped.reason, Some(StopReason::Tests(Fault::Sandbox { .. }))), "{:?}", stopped.reason);
    assert!(stop_reason(&stopped.reason.unwrap()).en.starts_with("Tests of answers could not run: "));
    assert!(endpoint.asked().iter().all(|asked| messages(asked).len() == 1));
    // Without the tests of one task, the others go on.
    let take = |tx: &rusqlite::Transaction<'_>| {
        let query = "DELETE FROM task_tests WHERE revision_id = (
            SELECT revision_id FROM task_turns WHERE instruction = 'Annotate 12.') RETURNING revision_id, body";
        Ok(tx.query_row(query, [], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?)
    };
    let (revision, body) = app.services.db.write(take).await.unwrap();
    app.services.collections.resume(&OPERATOR, id, CollectionResume::default()).await.unwrap();
    assert!(!end(start(&app, &endpoint, id, None)).await);
    let stopped = row(&app, id).await;
    assert_eq!((stopped.status, stopped.answered), (CollectionStatus::Stopped, 2));
    assert!(matches!(stopped.reason, Some(StopReason::Tests(Fault::Tests { .. }))), "{:?}", stopped.reason);
    let waiting: Vec<RequestRow> = requests(&app, id).await.into_iter().filter(|of| of.tests.is_none()).collect();
    assert!(waiting.len() == 1 && waiting[0].task_id == "12" && waiting[0].tests_fault.is_some(), "{waiting:?}");
    // The answer that waits is tested, and not asked for again.
    let put = move |tx: &rusqlite::Transaction<'_>| {
        let query = "INSERT INTO task_tests (revision_id, body) VALUES (?1, ?2)";
        Ok(tx.execute(query, rusqlite::params![revision, body])?)
    };
    app.services.db.write(put).await.unwrap();
    app.services.collections.resume(&OPERATOR, id, CollectionResume::default()).await.unwrap();
    assert!(end(start(&app, &endpoint, id, None)).await);
    check(&app, &endpoint, id).await;
    assert_eq!(endpoint.asked().len(), REQUESTS);
    let said = ["bubblewrap", "sandbox", "has no tests"];
    assert!(endpoint.asked().iter().flat_map(messages).all(|text| !said.iter().any(|word| text.contains(word))));
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_end_a_dynamic_conversation_between_its_turns() {
    let Some(()) = prerequisites::toolchain("python", scripts::look(&Places::from_environment())) else { return };
    let (app, endpoint, dataset) = prepared().await;
    let settings = CollectionSettings { max_requests: Some(6), ..CollectionSettings::default() };
    let id = create(&app, &dataset, settings).await;
    assert!(!end(start(&app, &endpoint, id, None)).await);
    let stopped = row(&app, id).await;
    assert_eq!((stopped.reason, stopped.sent), (Some(StopReason::MaxRequests), 6));
    // Only whole conversations are imported.
    let upload = app.services.collections.upload(&OPERATOR, id).await.unwrap();
    let preview = app.services.submissions.preview(&OPERATOR, upload, &dataset, Matching::Auto).await.unwrap();
    assert_eq!((preview.problem_count, preview.missing_count), (0, 3 - stopped.answered));
    let how = CollectionResume { max_requests: Some(100), ..CollectionResume::default() };
    app.services.collections.resume(&OPERATOR, id, how).await.unwrap();
    assert!(end(start(&app, &endpoint, id, None)).await);
    check(&app, &endpoint, id).await;
    assert_eq!(endpoint.asked().len(), REQUESTS);
}

#[tokio::test]
async fn a_dynamic_conversation_needs_tests_that_run() {
    let (app, _endpoint, dataset) = prepared().await;
    let no_tests = |tx: &rusqlite::Transaction<'_>| Ok(tx.execute("UPDATE dataset_versions SET test_kind = NULL", [])?);
    assert!(app.services.collections.plan(&OPERATOR, new(&dataset, CollectionSettings::default())).await.is_ok());
    app.services.db.write(no_tests).await.unwrap();
    let refused = app.services.collections.plan(&OPERATOR, new(&dataset, CollectionSettings::default())).await;
    assert!(texts(&refused.unwrap_err()).contains("cannot run, and a dynamic conversation needs them"));
}
