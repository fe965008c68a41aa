//! Conversations that are collected from an endpoint on this machine: each turn once, in order, after the model's own
//! answers, also across kills.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::{collections::BTreeMap, process::Stdio, time::Duration};

use model::{
    caller::{Admin, System},
    collection::{CollectionResume, CollectionSettings, CollectionStatus, NewCollection, RequestStatus, StopReason},
    conversation::Way,
    ids::CollectionId,
    page::PageOf,
    submission::{InvalidLines, Matching, OutputFilter},
};
use port::{Submissions, collections::Collections};
use serde_json::{Value, json};

use crate::{
    collections::{allow, requests, run, texts},
    util::{
        TestApp,
        endpoint::{Asked, Does, FakeEndpoint},
        program::program,
    },
};

const OPERATOR: Admin = System.admin();
/// Tasks of the dataset, and the turns of each.
const TASKS: usize = 3;
const TURNS: usize = 4;

/// Imports a dataset of conversations of our own, in the benchmark's format, and returns its short name.
async fn import(app: &TestApp) -> String {
    let task = |n: usize| {
        let requirement = |text: &str| json!({"requirement": format!("{text} {n}."), "unit_test": ["assert True"]});
        json!({
            "task_id": n, "prompt": format!("Task {n}: write f."), "test": ["assert f() == 1"],
            "code": "def f():\n    return 1\n",
            "requirements": {
                "Exception Handling": requirement("Raise"), "Annotation Coverage": requirement("Annotate"),
                "Code Standard": requirement("Tidy"),
            },
            "multi-turn": ["Annotation Coverage", "Exception Handling", "Code Standard"],
        })
    };
    let lines: Vec<String> = (11..11 + TASKS).map(|n| task(n).to_string()).collect();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("L_1_part_1.jsonl");
    std::fs::write(&file, lines.join("\n")).unwrap();
    app.services.imports.paths(System, vec![file]).await.unwrap();
    let find = "SELECT slug FROM datasets WHERE slug LIKE 'codeif-bench-%'";
    app.services.db.read(move |conn| Ok(conn.query_row(find, [], |row| row.get(0))?)).await.unwrap()
}

/// A dataset of conversations, and an endpoint whose answers number the messages before them.
async fn prepared(script: impl Fn(&Asked) -> Does + Send + Sync + 'static) -> (TestApp, FakeEndpoint, String) {
    let endpoint = FakeEndpoint::start(script).await;
    let app = TestApp::demo().await;
    allow(&app, &endpoint);
    let dataset = import(&app).await;
    (app, endpoint, dataset)
}

fn messages(asked: &Asked) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    asked.body["messages"].as_array().unwrap().iter().map(|m| (text(&m["role"]), text(&m["content"]))).collect()
}

/// An answer that says to which task and after how many messages it was given.
fn said(asked: &Asked) -> String {
    let all = messages(asked);
    let task: String = all[0].1.split("Task ").nth(1).unwrap_or_default().chars().take(2).collect();
    format!("```python\ndef f():\n    return {task}.{}\n```", all.len())
}

async fn create(app: &TestApp, dataset: &str, settings: CollectionSettings) -> CollectionId {
    let new = NewCollection {
        dataset: dataset.into(),
        model: "M".into(),
        endpoint: "fake".into(),
        settings,
        ..NewCollection::default()
    };
    app.services.collections.create(&OPERATOR, new).await.unwrap()
}

#[tokio::test]
async fn each_way_asks_for_what_it_is_and_becomes_a_submission() {
    let (app, endpoint, dataset) = prepared(|asked| Does::Says(said(asked))).await;
    let (tasks, turns) = (TASKS as u64, TURNS as u64);
    for (way, sent) in [(Way::Base, 1), (Way::Single, turns - 1), (Way::Multi, turns), (Way::N, turns)] {
        let before = endpoint.asked().len();
        let settings = CollectionSettings { way: Some(way), samples: 2, ..CollectionSettings::default() };
        let id = create(&app, &dataset, settings).await;
        let plan = app.services.collections.get(&OPERATOR, id).await.unwrap().plan;
        assert_eq!(plan.requests, 2 * tasks * sent, "{way:?}");
        let row = run(&app, id, CollectionResume::default()).await;
        assert_eq!((row.status, row.answered, row.sent), (CollectionStatus::Finished, 2 * tasks, 2 * tasks * sent));
        let asked = &endpoint.asked()[before..];
        let mut lengths = BTreeMap::<usize, u64>::new();
        for one in asked {
            let all = messages(one);
            *lengths.entry(all.len()).or_default() += 1;
            let roles: Vec<&str> = all.iter().map(|(role, _)| role.as_str()).collect();
            let expected: Vec<&str> = (0..all.len()).map(|at| if at % 2 == 0 { "user" } else { "assistant" }).collect();
            assert_eq!(roles, expected);
            // The model's own answers, and no other's.
            let task: String = all[0].1.split("Task ").nth(1).unwrap().chars().take(2).collect();
            for (at, (_, text)) in all.iter().enumerate().skip(1).step_by(2) {
                assert!(text.contains(&format!("return {task}.{at}")), "{text}");
            }
        }
        let expected: &[(usize, u64)] = match way {
            Way::Base => &[(1, 2 * 3)],
            Way::Single => &[(1, 2 * 9)],
            Way::Multi => &[(1, 2 * 3), (3, 2 * 9)],
            // Of which `dynamic.rs` has tests.
            Way::Dynamic => &[],
            Way::N => &[(1, 2 * 3), (3, 2 * 3), (5, 2 * 3), (7, 2 * 3)],
        };
        assert_eq!(lengths, expected.iter().copied().collect(), "{way:?}");
        let is_last = |one: &Asked, word: &str| messages(one).last().is_some_and(|(_, text)| text.contains(word));
        for word in ["Annotate", "Raise", "Tidy"] {
            let count = asked.iter().filter(|one| is_last(one, word)).count();
            assert_eq!(count, if way == Way::Base { 0 } else { 2 * TASKS }, "{way:?}: {word}");
        }
        // Through the preview and the transaction of an upload, with its way and its turns.
        let upload = app.services.collections.upload(&OPERATOR, id).await.unwrap();
        let (matching, invalid) = (Matching::Auto, InvalidLines::Refuse);
        let submission =
            app.services.submissions.import(&OPERATOR, upload, &dataset, matching, "M", invalid).await.unwrap();
        let page = PageOf::first(PageOf::MOST);
        let outputs =
            app.services.submissions.outputs(&OPERATOR, submission, OutputFilter::default(), page).await.unwrap();
        assert_eq!(outputs.rows.len() as u64, 2 * tasks * sent);
        let find = "SELECT s.way, count(DISTINCT o.conversation), max(o.turn) FROM submissions s
            JOIN outputs o ON o.submission_id = s.id WHERE s.id = ?1";
        let stored: (String, u64, u64) = app
            .services
            .db
            .read(move |conn| {
                Ok(conn.query_row(find, [submission.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?)
            })
            .await
            .unwrap();
        assert_eq!(stored, (way.name().to_owned(), 2, if way == Way::Base { 0 } else { turns - 1 }));
    }
    let wrong = CollectionSettings { way: Some(Way::N), ..CollectionSettings::default() };
    let new = NewCollection {
        dataset: "starter".into(),
        model: "M".into(),
        endpoint: "fake".into(),
        settings: wrong,
        ..NewCollection::default()
    };
    let refused = app.services.collections.plan(&OPERATOR, new).await.unwrap_err();
    assert!(texts(&refused).contains("are no conversations"), "{refused:?}");
}

#[tokio::test]
async fn a_turn_that_fails_ends_its_conversation_until_it_is_sent_again() {
    let (app, endpoint, dataset) = prepared(|asked| match (messages(asked).len(), asked.earlier) {
        (5, 0) if messages(asked)[0].1.contains("Task 12") => Does::Sends(400, vec![], "no".into()),
        _ => Does::Says(said(asked)),
    })
    .await;
    let id = create(&app, &dataset, CollectionSettings::default()).await;
    let row = run(&app, id, CollectionResume::default()).await;
    assert_eq!((row.status, row.answered, row.failed), (CollectionStatus::Finished, 2, 1));
    // Only complete conversations are imported.
    let upload = app.services.collections.upload(&OPERATOR, id).await.unwrap();
    let preview = app.services.submissions.preview(&OPERATOR, upload, &dataset, Matching::Auto).await.unwrap();
    assert_eq!((preview.problem_count, preview.missing_count), (0, 1));
    let row = run(&app, id, CollectionResume { failed: true, ..CollectionResume::default() }).await;
    assert_eq!((row.status, row.answered, row.failed), (CollectionStatus::Finished, 3, 0));
    assert_eq!(endpoint.generated(), TASKS * TURNS, "no answered turn is sent again");
}

#[tokio::test]
async fn limits_end_a_conversation_between_its_turns() {
    let (app, endpoint, dataset) = prepared(|asked| Does::Says(said(asked))).await;
    let settings = CollectionSettings { max_requests: Some(5), at_once: 1, ..CollectionSettings::default() };
    let id = create(&app, &dataset, settings).await;
    let row = run(&app, id, CollectionResume::default()).await;
    assert_eq!((row.reason, row.sent, row.answered), (Some(StopReason::MaxRequests), 5, 1));
    let row = run(&app, id, CollectionResume { max_requests: Some(100), ..CollectionResume::default() }).await;
    assert_eq!((row.status, row.sent as usize), (CollectionStatus::Finished, TASKS * TURNS));
    assert_eq!(endpoint.asked().len(), TASKS * TURNS);
}

/// The command line is killed with SIGKILL again and again within conversations.
#[tokio::test(flavor = "multi_thread")]
async fn killed_programs_go_on_at_the_next_turn() {
    const AT_ONCE: usize = 3;
    let (app, endpoint, dataset) = prepared(|asked| Does::Slowly(Duration::from_millis(40), said(asked))).await;
    let settings = CollectionSettings { samples: 5, at_once: AT_ONCE as u32, ..CollectionSettings::default() };
    let id = create(&app, &dataset, settings).await;
    app.services.collections.resume(&OPERATOR, id, CollectionResume::default()).await.unwrap();
    let (name, number) = (format!("fake={}", endpoint.url), id.to_string());
    let mut kills = 0;
    loop {
        let mut child = program(&app, &["collect", "--resume", &number, "--endpoint", &name, "--no-import"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let asked = endpoint.asked().len();
        let mut ended = false;
        while endpoint.asked().len() < asked + 11 && !ended {
            ended = child.try_wait().unwrap().is_some();
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        app.services.db.write(move |tx| Ok(tx.execute("UPDATE collections SET leased_until = 0", [])?)).await.unwrap();
        if ended {
            break;
        }
        kills += 1;
        assert!(kills < 100, "it never ends");
    }
    let all = requests(&app, id).await;
    assert!(all.len() == 5 * TASKS * TURNS && all.iter().all(|request| request.status == RequestStatus::Answered));
    assert!(kills >= 3, "{kills} kills");
    assert_eq!(endpoint.generated(), 5 * TASKS * TURNS, "each turn has its own key, and no other");
    assert!(endpoint.asked().len() <= 5 * TASKS * TURNS + kills * AT_ONCE, "at most those in flight are repeated");
}
