//! A rater's work: what is handed out, what is kept, what counts, and what never shows.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

mod util;

use app::model::grading::{Draft, Flag, GradingItem, Next, OwnRating, Receipt};
use axum::http::StatusCode;
use serde_json::{Value, json};
use util::{Answer, Client, TestApp};

async fn study(client: &mut Client) -> String {
    let desk: Value = client.rpc("desk", json!({})).await.json();
    desk[0]["token"].as_str().unwrap().to_owned()
}

async fn next(client: &mut Client, study: &str) -> Option<GradingItem> {
    match client.rpc("next", json!({"study": study})).await.json() {
        Next::Item(item) => Some(*item),
        Next::Finished { .. } => None,
        Next::Paused { .. } => panic!("the study is paused"),
    }
}

fn full(item: &GradingItem, score: u8) -> Draft {
    Draft { scores: item.rubric.dimensions.iter().map(|_| Some(score)).collect(), ..Draft::default() }
}

async fn submit(client: &mut Client, item: &GradingItem, draft: &Draft, key: &str) -> Answer {
    client.rpc("submit_rating", json!({"assignment": item.token, "draft": draft, "key": key})).await
}

async fn own(client: &mut Client, study: &str) -> Vec<OwnRating> {
    client.rpc("own_ratings", json!({"study": study})).await.json()
}

#[tokio::test]
async fn the_same_submission_counts_once_and_a_changed_mind_keeps_the_old() {
    let app = TestApp::demo().await;
    let mut ada = app.rater().await;
    let study = study(&mut ada).await;
    let item = next(&mut ada, &study).await.unwrap();
    assert_eq!(next(&mut ada, &study).await.unwrap().token, item.token, "the same until it is rated");

    assert_eq!(submit(&mut ada, &item, &full(&item, 3), "k1").await.json::<Receipt>(), Receipt::Stored);
    for key in ["k1", "k2"] {
        assert_eq!(submit(&mut ada, &item, &full(&item, 3), key).await.json::<Receipt>(), Receipt::AlreadyStored);
    }
    assert_eq!(submit(&mut ada, &item, &full(&item, 2), "k3").await.json::<Receipt>(), Receipt::Stored);
    // A late copy of the first request does not bring the old rating back.
    assert_eq!(submit(&mut ada, &item, &full(&item, 3), "k1").await.json::<Receipt>(), Receipt::AlreadyStored);

    let ratings = own(&mut ada, &study).await;
    assert_eq!(ratings.len(), 1);
    assert_eq!(ratings[0].scores, [Some(2); 3]);
    let csv = app.admin().await.get("/admin/studies/1/ratings.csv").await.body;
    assert_eq!(csv.lines().count(), 3, "{csv}");
    assert_ne!(next(&mut ada, &study).await.unwrap().token, item.token);
}

#[tokio::test]
async fn what_is_acknowledged_survives_a_restart_and_so_do_drafts() {
    let app = TestApp::demo().await;
    let mut ada = app.rater().await;
    let study = study(&mut ada).await;
    let item = next(&mut ada, &study).await.unwrap();
    submit(&mut ada, &item, &full(&item, 2), "k").await.json::<Receipt>();
    let item = next(&mut ada, &study).await.unwrap();
    let draft =
        Draft { scores: vec![Some(4), None, None], comment: "so far 好".into(), flag: Some(Flag::CannotJudge) };
    let saved = ada.rpc("save_draft", json!({"assignment": item.token, "draft": draft})).await;
    assert_eq!(saved.status, StatusCode::OK);

    let app = app.restarted();
    let mut ada = ada.moved_to(&app);
    assert_eq!(own(&mut ada, &study).await.len(), 1);
    let again = next(&mut ada, &study).await.unwrap();
    assert_eq!((again.token, again.draft), (item.token, draft));
}

#[tokio::test]
async fn gaps_scores_off_the_scale_and_other_peoples_outputs_are_refused() {
    let app = TestApp::demo().await;
    let (mut ada, mut bo) = (app.rater().await, app.demo_user("bo").await);
    let study = study(&mut ada).await;
    let item = next(&mut ada, &study).await.unwrap();
    let check = async |client: &mut Client, scores: Value, status| {
        let draft = json!({"scores": scores, "comment": "", "flag": null});
        let answer = client.rpc("submit_rating", json!({"assignment": item.token, "draft": draft, "key": "k"})).await;
        assert_eq!(answer.status, status, "{scores}: {}", answer.body);
    };
    check(&mut ada, json!([4, null, 5]), StatusCode::UNPROCESSABLE_ENTITY).await;
    check(&mut ada, json!([4, 4, 5]), StatusCode::UNPROCESSABLE_ENTITY).await;
    check(&mut ada, json!([0, 3, 5]), StatusCode::UNPROCESSABLE_ENTITY).await;
    check(&mut ada, json!([4, 3]), StatusCode::UNPROCESSABLE_ENTITY).await;
    check(&mut ada, json!([4, 3, 700]), StatusCode::BAD_REQUEST).await;
    check(&mut bo, json!([4, 3, 5]), StatusCode::NOT_FOUND).await;
    check(&mut app.anonymous(), json!([4, 3, 5]), StatusCode::UNAUTHORIZED).await;
    assert!(own(&mut ada, &study).await.is_empty());
    let mut long = full(&item, 2);
    long.comment = "x".repeat(4001);
    assert_eq!(submit(&mut ada, &item, &long, "k").await.status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn every_output_gets_exactly_its_overlap_of_different_raters() {
    let app = TestApp::demo().await;
    let mut raters = [app.rater().await, app.demo_user("bo").await, app.demo_user("chen").await];
    let study = study(&mut raters[0]).await;
    let mut given = 0;
    // In turns, so that their work interleaves, until nobody has anything left.
    loop {
        let mut busy = false;
        for rater in &mut raters {
            if let Some(item) = next(rater, &study).await {
                busy = true;
                given += 1;
                let score = 1 + u8::try_from(given % 3).unwrap();
                assert_eq!(submit(rater, &item, &full(&item, score), "k").await.status, StatusCode::OK);
            }
        }
        if !busy {
            break;
        }
    }
    let (wanted, done, worst) = app
        .services
        .db
        .read(|conn| {
            let wanted: i64 = conn.query_row("SELECT count(*) FROM assignments", [], |r| r.get(0))?;
            let done: i64 =
                conn.query_row("SELECT count(*) FROM ratings WHERE superseded_at IS NULL", [], |r| r.get(0))?;
            let worst: i64 = conn.query_row(
                "SELECT max(n) FROM (SELECT count(*) n FROM assignments GROUP BY output_id, user_id)",
                [],
                |r| r.get(0),
            )?;
            Ok((wanted, done, worst))
        })
        .await
        .unwrap();
    assert_eq!((given, done, worst), (wanted, wanted, 1));
}

#[tokio::test]
async fn skipping_gives_the_output_back_and_offers_it_once_more() {
    let app = TestApp::demo().await;
    let mut ada = app.rater().await;
    let study = study(&mut ada).await;
    let first = next(&mut ada, &study).await.unwrap();
    for _ in 0..2 {
        // The second time, nothing is in hand any more: pressed twice by mistake.
        assert_eq!(ada.rpc("skip", json!({"assignment": first.token})).await.status, StatusCode::OK);
    }
    let second = next(&mut ada, &study).await.unwrap();
    assert_ne!(second.token, first.token);
    assert_eq!(second.progress.skipped, 1);
    let mut last = second;
    while last.token != first.token {
        submit(&mut ada, &last, &full(&last, 1), "k").await.json::<Receipt>();
        last = next(&mut ada, &study).await.expect("the skipped one comes at the end");
    }
    ada.rpc("skip", json!({"assignment": first.token})).await;
    // What others have not begun comes still, but not what was passed over twice.
    while let Some(item) = next(&mut ada, &study).await {
        assert_ne!(item.token, first.token, "passed over twice, it is not offered again");
        submit(&mut ada, &item, &full(&item, 1), "k").await.json::<Receipt>();
    }
}

#[tokio::test]
async fn the_form_works_without_javascript() {
    let app = TestApp::demo().await;
    let mut ada = app.rater().await;
    let study = study(&mut ada).await;
    let item = next(&mut ada, &study).await.unwrap();
    let path = format!("/grade/{}", item.token);
    let gap = ada.form(&path, &[("score-0", "4"), ("comment", "half"), ("action", "submit")]).await;
    assert_eq!(gap.location(), format!("/grade/{study}/{}?error=missing-1", item.token));
    assert_eq!(next(&mut ada, &study).await.unwrap().draft.comment, "half", "what was put down is kept");
    let fields = [("score-0", "4"), ("score-1", "3"), ("score-2", "5"), ("comment", "a\r\nb"), ("flag", "other")];
    let fields: Vec<_> = fields.into_iter().chain([("flag_text", "odd"), ("action", "submit")]).collect();
    for _ in 0..2 {
        assert!(ada.form(&path, &fields).await.location().starts_with(&format!("/grade/{study}")));
    }
    let ratings = own(&mut ada, &study).await;
    assert_eq!(ratings.len(), 1);
    assert_eq!(ratings[0].scores, [Some(4), Some(3), Some(5)]);
    assert!(ratings[0].commented && ratings[0].flagged);
}

#[tokio::test]
async fn nothing_a_rater_can_reach_names_a_model() {
    let app = TestApp::demo().await;
    let mut ada = app.rater().await;
    let secrets: Vec<String> = app
        .services
        .db
        .read(|conn| {
            let mut names = conn.prepare("SELECT name FROM models UNION SELECT file_name FROM submissions")?;
            Ok(names.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
        })
        .await
        .unwrap();
    assert!(secrets.len() >= 6, "{secrets:?}");
    let check = |what: &str, answer: &Answer| {
        let mut text = answer.body.to_lowercase();
        for (name, value) in &answer.headers {
            text.push_str(&format!("\n{name}: {}", value.to_str().unwrap_or_default().to_lowercase()));
        }
        for secret in &secrets {
            // The first word too: "Northwind" of "Northwind 2".
            for part in [secret.as_str(), secret.split(['.', ' ']).next().unwrap()] {
                assert!(!text.contains(&part.to_lowercase()), "{what} names {part}");
            }
        }
        // An answer may repeat what was asked, so the word counts only where it was not in the question.
        assert!(what.contains("submission") || !text.contains("submission"), "{what} speaks of submissions");
    };
    let study = study(&mut ada).await;
    let item = next(&mut ada, &study).await.unwrap();
    for rated in [false, true] {
        if rated {
            submit(&mut ada, &item, &full(&item, 2), "k").await.json::<Receipt>();
        }
        let pages = ["/", "/account", &format!("/grade/{study}"), &format!("/grade/{study}/{}", item.token)];
        for page in pages.into_iter().chain([format!("/studies/{study}/mine").as_str()]) {
            let answer = ada.get(page).await;
            assert_eq!(answer.status, StatusCode::OK, "{page}");
            check(page, &answer);
        }
        for (function, arguments) in [
            ("desk", json!({})),
            ("next", json!({"study": study})),
            ("item", json!({"assignment": item.token})),
            ("own_ratings", json!({"study": study})),
        ] {
            check(function, &ada.rpc(function, arguments).await);
        }
    }
    // What is not a rater's stays shut, whatever number is tried.
    for path in ["/admin/outputs/1", "/admin/submissions/1", "/admin/studies/1/ratings.csv", "/admin/studies/1/tasks/1"]
    {
        assert_eq!(ada.get(path).await.status, StatusCode::FORBIDDEN, "{path}");
    }
    for (function, arguments) in [
        ("submissions", json!({"dataset": null})),
        ("submission", json!({"id": 1})),
        ("output", json!({"id": 1})),
        ("study", json!({"id": 1})),
        ("comparison", json!({"id": 1})),
        ("study_tasks", json!({"id": 1})),
        ("study_task", json!({"id": 1, "task": 1})),
        ("datasets", json!({})),
        ("dataset", json!({"slug": "starter", "version": null})),
        ("preview", json!({"upload": 1, "dataset": "starter", "matching": "auto"})),
        ("people", json!({})),
    ] {
        let answer = ada.rpc(function, arguments).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{function}: {}", answer.body);
        check(function, &answer);
    }
}

#[tokio::test]
async fn a_paused_study_takes_no_rating_and_keeps_the_draft() {
    let app = TestApp::demo().await;
    let (mut ada, mut admin) = (app.rater().await, app.admin().await);
    let study = study(&mut ada).await;
    let item = next(&mut ada, &study).await.unwrap();
    admin.form("/rpc/set_study_status", &[("id", "1"), ("status", "paused")]).await;
    assert_eq!(submit(&mut ada, &item, &full(&item, 2), "k").await.status, StatusCode::CONFLICT);
    let saved = ada.rpc("save_draft", json!({"assignment": item.token, "draft": full(&item, 2)})).await;
    assert_eq!(saved.status, StatusCode::OK);
    assert!(matches!(ada.rpc("next", json!({"study": study})).await.json(), Next::Paused { .. }));
    admin.form("/rpc/set_study_status", &[("id", "1"), ("status", "running")]).await;
    assert_eq!(next(&mut ada, &study).await.unwrap().draft, full(&item, 2));
    assert_eq!(submit(&mut ada, &item, &full(&item, 2), "k").await.json::<Receipt>(), Receipt::Stored);
}
