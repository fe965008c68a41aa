//! A rater's work: which items are assigned, what is stored, what counts, and what is never shown.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use crate::util::{Answer, Client, TestApp};
use axum::http::StatusCode;
use db::uploads::Purpose;
use model::{
    caller::System,
    flag::{Flag, FlagReason},
    grading::{Draft, GradingItem, Next, NextTask, OwnItem, OwnItems, OwnRating, OwnRatings, Receipt},
    ids::{StudyId, SubmissionId},
    note::{LineNote, Position},
    page::PageOf,
    plan::Presentation,
    quality::QualitySettings,
    study::{NewStudy, StudySettings},
    submission::{InvalidLines, Matching},
};
use port::{Accounts, Studies, Submissions, quality::Quality};
use serde_json::{Value, json};

async fn study(client: &mut Client) -> String {
    let my_studies: Value = client.rpc("my_studies", json!({})).await.json();
    my_studies[0]["token"].as_str().unwrap().to_owned()
}

async fn next(client: &mut Client, study: &str) -> Option<GradingItem> {
    match client.rpc("next_item", json!({"study": study})).await.json() {
        Next::Item(item) => Some(*item),
        Next::Finished { .. } => None,
        Next::Paused { .. } => panic!("the study is paused"),
        Next::Calibration(_) => panic!("the study has no calibration"),
    }
}

fn full(item: &GradingItem, score: u8) -> Draft {
    Draft { scores: item.rubric.dimensions.iter().map(|_| Some(score)).collect(), ..Draft::default() }
}

async fn submit(client: &mut Client, item: &GradingItem, draft: &Draft, key: &str) -> Answer {
    client.rpc("submit_rating", json!({"assignment": item.token, "draft": draft, "key": key})).await
}

async fn own(client: &mut Client, study: &str) -> Vec<OwnRating> {
    client.rpc("own_ratings", json!({"study": study})).await.json::<OwnRatings>().rows
}

#[tokio::test]
async fn repeated_submission_counts_once_and_changes_keep_history() {
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
    // A page that showed no rating replaces none; the same request again, or the same scores, are no other rating.
    let first = async |client: &mut Client, score, key: &str| {
        let sent = json!({"assignment": item.token, "draft": full(&item, score), "key": key, "first": true});
        client.rpc("submit_rating", sent).await
    };
    let refused = first(&mut ada, 1, "k4").await;
    assert_eq!(refused.status, StatusCode::CONFLICT, "{}", refused.body);
    assert!(refused.body.contains("RatedMeanwhile"), "{}", refused.body);
    for (score, key) in [(1, "k3"), (2, "k5")] {
        assert_eq!(first(&mut ada, score, key).await.json::<Receipt>(), Receipt::AlreadyStored);
    }
    assert_eq!(own(&mut ada, &study).await[0].scores, [Some(2); 3]);
    let csv = app.admin().await.get("/admin/compare/starter/export/study-ratings.csv?studies=1&runs=none").await.body;
    assert_eq!(csv.lines().count(), 3, "{csv}");
    assert_ne!(next(&mut ada, &study).await.unwrap().token, item.token);
}

#[tokio::test]
async fn acknowledged_ratings_and_drafts_survive_a_restart() {
    let app = TestApp::demo().await;
    let mut ada = app.rater().await;
    let study = study(&mut ada).await;
    let item = next(&mut ada, &study).await.unwrap();
    submit(&mut ada, &item, &full(&item, 2), "k").await.json::<Receipt>();
    let item = next(&mut ada, &study).await.unwrap();
    let scores = vec![Some(4), None, None];
    let draft = Draft {
        scores,
        comment: "so far 好".into(),
        flag: Some(Flag::plain(FlagReason::CannotJudge)),
        ..noted(&item, 1, "hm")
    };
    let saved = ada.rpc("save_draft", json!({"assignment": item.token, "draft": draft})).await;
    assert_eq!(saved.status, StatusCode::OK);

    let app = app.restarted();
    let mut ada = ada.moved_to(&app);
    assert_eq!(own(&mut ada, &study).await.len(), 1);
    let again = next(&mut ada, &study).await.unwrap();
    assert_eq!((again.token, again.draft), (item.token, draft));
}

#[tokio::test]
async fn invalid_ratings_and_foreign_outputs_are_refused() {
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
async fn every_output_gets_exactly_its_number_of_different_raters() {
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
                conn.query_row("SELECT count(*) FROM ratings WHERE replaced_at IS NULL", [], |r| r.get(0))?;
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
async fn skipped_output_comes_once_more() {
    let app = TestApp::demo().await;
    let mut ada = app.rater().await;
    let study = study(&mut ada).await;
    let first = next(&mut ada, &study).await.unwrap();
    for _ in 0..2 {
        // The second time, nothing is leased any more: it was pressed twice by mistake.
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
    // Work that others have not started still comes, but not what was skipped twice.
    while let Some(item) = next(&mut ada, &study).await {
        assert_ne!(item.token, first.token, "passed over twice, it is not offered again");
        submit(&mut ada, &item, &full(&item, 1), "k").await.json::<Receipt>();
    }
}

#[tokio::test]
async fn skipped_and_bookmarked_outputs_are_listed() {
    let app = TestApp::demo().await;
    let mut ada = app.rater().await;
    let study = study(&mut ada).await;
    let (mut items, mut bo) = (Vec::new(), app.demo_user("bo").await);
    for n in 0..3 {
        let item = next(&mut ada, &study).await.unwrap();
        assert!(!item.bookmarked && item.break_minutes == 0);
        ada.rpc("bookmark", json!({"assignment": item.token, "on": true})).await.json::<()>();
        match n {
            0 => assert_eq!(submit(&mut ada, &item, &full(&item, 2), "k").await.status, StatusCode::OK),
            _ => ada.rpc("skip", json!({"assignment": item.token})).await.json::<()>(),
        }
        items.push(item.token);
    }
    ada.rpc("bookmark", json!({"assignment": items[1], "on": false})).await.json::<()>();
    // Twice is once, and keeps the place.
    ada.rpc("bookmark", json!({"assignment": items[0], "on": true})).await.json::<()>();
    let lists: OwnItems = ada.rpc("own_lists", json!({"study": study})).await.json();
    let names = |items: &[OwnItem]| items.iter().map(|item| (item.token.clone(), item.rated)).collect::<Vec<_>>();
    assert_eq!(names(&lists.skipped), [(items[2].clone(), false), (items[1].clone(), false)]);
    assert_eq!(names(&lists.bookmarked), [(items[2].clone(), false), (items[0].clone(), true)]);
    let shown: GradingItem = ada.rpc("item", json!({"assignment": items[0]})).await.json();
    assert!(shown.bookmarked);
    // A rated output is skipped no more. Nobody else has these lists.
    let item: GradingItem = ada.rpc("item", json!({"assignment": items[2]})).await.json();
    submit(&mut ada, &item, &full(&item, 3), "k").await.json::<Receipt>();
    let lists: OwnItems = ada.rpc("own_lists", json!({"study": study})).await.json();
    assert_eq!(names(&lists.skipped), [(items[1].clone(), false)]);
    assert_eq!(bo.rpc("own_lists", json!({"study": study})).await.json::<OwnItems>(), OwnItems::default());
    assert_eq!(bo.rpc("bookmark", json!({"assignment": items[0], "on": true})).await.status, StatusCode::NOT_FOUND);
    // Without JavaScript the form bookmarks, and keeps what was entered.
    let fields = [("score-0", "3"), ("comment", "so far"), ("action", "unbookmark")];
    let answer = ada.form(&format!("/grade/{}", items[0]), &fields).await;
    assert!(answer.location().ends_with("?error=unbookmark"), "{}", answer.location());
    let shown: GradingItem = ada.rpc("item", json!({"assignment": items[0]})).await.json();
    assert!(!shown.bookmarked && shown.draft.comment == "so far");
}

#[tokio::test]
async fn an_internal_error_returns_what_a_form_contained() {
    let app = TestApp::demo().await;
    let mut ada = app.rater().await;
    let mut admin = app.admin().await;
    let study = study(&mut ada).await;
    let item = next(&mut ada, &study).await.unwrap();
    app.services.db.write(|tx| Ok(tx.execute_batch("DROP TABLE drafts; DROP TABLE study_guidelines;")?)).await.unwrap();
    let fields = [("score-0", "4"), ("comment", "as long as an <afternoon>"), ("action", "submit")];
    let page = ada.form(&format!("/grade/{}", item.token), &fields).await;
    assert_eq!(page.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert!(page.body.contains(">as long as an &lt;afternoon&gt;</textarea>"), "{}", page.body);
    // A server function, as a form without JavaScript calls it.
    let fields = [("object", "study 1"), ("en", "Rules of the house"), ("zh", ""), ("expected", "0")];
    let page = admin.form("/rpc/save_guidelines", &fields).await;
    assert_eq!(page.status, StatusCode::INTERNAL_SERVER_ERROR, "{}", page.body);
    assert!(page.body.contains(">Rules of the house</textarea>"), "{}", page.body);
}

#[tokio::test]
async fn a_study_suggests_a_break_to_its_raters() {
    let app = TestApp::demo().await;
    let mut ada = app.rater().await;
    let study = study(&mut ada).await;
    let settings = QualitySettings { break_minutes: 45, ..QualitySettings::default() };
    app.services.quality.set(&System.admin(), StudyId(1), crate::util::change_to(&settings)).await.unwrap();
    assert_eq!(next(&mut ada, &study).await.unwrap().break_minutes, 45);
    let wrong = QualitySettings { break_minutes: 481, ..settings };
    assert!(app.services.quality.set(&System.admin(), StudyId(1), crate::util::change_to(&wrong)).await.is_err());
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

/// Every model's name and every submission's file name.
async fn secrets(app: &TestApp) -> Vec<String> {
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
    secrets
}

fn names_nobody(secrets: &[String], what: &str, answer: &Answer) {
    let mut text = answer.body.to_lowercase();
    for (name, value) in &answer.headers {
        text.push_str(&format!("\n{name}: {}", value.to_str().unwrap_or_default().to_lowercase()));
    }
    for secret in secrets {
        // The first word too: "Northwind" of "Northwind 2".
        for part in [secret.as_str(), secret.split(['.', ' ']).next().unwrap()] {
            assert!(!text.contains(&part.to_lowercase()), "{what} names {part}");
        }
    }
    // An answer may repeat the question, so a word counts only if the question did not contain it.
    assert!(what.contains("submission") || !text.contains("submission"), "{what} speaks of submissions");
}

#[tokio::test]
async fn side_by_side_outputs_have_letters_and_no_names() {
    let app = TestApp::demo().await;
    let operator = System.admin();
    let users = app.services.accounts.users(&operator, PageOf::first(PageOf::MOST)).await.unwrap().rows;
    let rows = app.services.submissions.list(&operator, None, PageOf::first(PageOf::MOST)).await.unwrap().rows;
    let new = NewStudy {
        title: "Beside".into(),
        dataset: "starter".into(),
        submissions: rows.iter().map(|row| row.id).collect(),
        raters: users.iter().filter(|user| user.name != "admin").map(|user| user.id).collect(),
        settings: StudySettings {
            raters_per_output: 2,
            presentation: Presentation::SideBySide,
            ..StudySettings::default()
        },
        ..NewStudy::default()
    };
    app.services.studies.create(&operator, new).await.unwrap();
    let secrets = secrets(&app).await;
    let mut ada = app.rater().await;
    // The newest comes first.
    let study = study(&mut ada).await;
    let task = |answer: &Answer| match answer.json::<NextTask>() {
        NextTask::Task(items) => items,
        other => panic!("{other:?}"),
    };
    let first = task(&ada.rpc("next_task_items", json!({"study": study})).await);
    assert_eq!(first.len(), 3);
    assert!(first.iter().all(|item| item.raw_nl == first[0].raw_nl), "one task");
    for rated in [false, true] {
        if rated {
            submit(&mut ada, &first[1], &full(&first[1], 2), "k").await.json::<Receipt>();
        }
        let answer = ada.rpc("next_task_items", json!({"study": study})).await;
        names_nobody(&secrets, "next_task", &answer);
        let again = task(&answer);
        let tokens = |items: &[GradingItem]| items.iter().map(|item| item.token.clone()).collect::<Vec<_>>();
        assert_eq!(tokens(&again), tokens(&first), "the letters stay");
        assert_eq!(again.iter().map(|item| item.rated).collect::<Vec<_>>(), [false, rated, false]);
        let page = ada.get(&format!("/side-by-side/{study}")).await;
        assert_eq!(page.status, StatusCode::OK);
        assert!(page.body.contains("Output C"), "{}", page.body);
        names_nobody(&secrets, "/side-by-side", &page);
    }
    // Without JavaScript, one form returns to the whole task.
    let fields = [("score-0", "4"), ("score-1", "3"), ("score-2", "5"), ("action", "submit"), ("side_by_side", "1")];
    assert_eq!(
        ada.form(&format!("/grade/{}", first[0].token), &fields).await.location(),
        format!("/side-by-side/{study}")
    );
}

#[tokio::test]
async fn paused_study_rejects_ratings_and_keeps_drafts() {
    let app = TestApp::demo().await;
    let (mut ada, mut admin) = (app.rater().await, app.admin().await);
    let study = study(&mut ada).await;
    let item = next(&mut ada, &study).await.unwrap();
    admin.form("/rpc/set_study_status", &[("id", "1"), ("status", "paused")]).await;
    assert_eq!(submit(&mut ada, &item, &full(&item, 2), "k").await.status, StatusCode::CONFLICT);
    let saved = ada.rpc("save_draft", json!({"assignment": item.token, "draft": full(&item, 2)})).await;
    assert_eq!(saved.status, StatusCode::OK);
    assert!(matches!(ada.rpc("next_item", json!({"study": study})).await.json(), Next::Paused { .. }));
    admin.form("/rpc/set_study_status", &[("id", "1"), ("status", "running")]).await;
    assert_eq!(next(&mut ada, &study).await.unwrap().draft, full(&item, 2));
    assert_eq!(submit(&mut ada, &item, &full(&item, 2), "k").await.json::<Receipt>(), Receipt::Stored);
}

/// A draft with a note on the first line of the code.
fn noted(item: &GradingItem, score: u8, text: &str) -> Draft {
    let notes = vec![LineNote { at: Position { line: 1, column: 1 }, text: text.into() }];
    Draft { notes, ..full(item, score) }
}

#[tokio::test]
async fn line_notes_are_kept_submitted_replaced_and_exported() {
    let app = TestApp::demo().await;
    let mut ada = app.rater().await;
    let study = study(&mut ada).await;
    let item = next(&mut ada, &study).await.unwrap();
    let first = noted(&item, 3, "why \"this\", so?");
    assert_eq!(ada.rpc("save_draft", json!({"assignment": item.token, "draft": first})).await.status, StatusCode::OK);
    assert_eq!(next(&mut ada, &study).await.unwrap().draft, first);
    submit(&mut ada, &item, &first, "k1").await.json::<Receipt>();
    submit(&mut ada, &item, &noted(&item, 3, "changed"), "k2").await.json::<Receipt>();
    let own = own(&mut ada, &study).await;
    assert_eq!(own[0].notes, noted(&item, 3, "changed").notes);

    let mut admin = app.admin().await;
    let csv = admin.get("/admin/compare/starter/export/study-ratings.csv?studies=1&runs=none").await.body;
    assert!(csv.contains(r#""[{""line"":1,""column"":1,""text"":""why \""this\"", so?""}]""#), "{csv}");
    assert!(csv.contains("changed"), "{csv}");
    let task: i64 = app
        .services
        .db
        .read(|conn| {
            Ok(conn.query_row(
                "SELECT v.task_id FROM rating_notes n JOIN ratings r ON r.id = n.rating_id
                 JOIN assignments a ON a.id = r.assignment_id JOIN outputs o ON o.id = a.output_id
                 JOIN task_revisions v ON v.id = o.revision_id",
                [],
                |row| row.get(0),
            )?)
        })
        .await
        .unwrap();
    let page = admin.get(&format!("/admin/studies/1/tasks/{task}")).await.body;
    assert!(
        [">changed<", ">why \"this\", so?<"].iter().all(|note| page.contains(note)),
        "both are shown next to the code"
    );

    let check = async |client: &mut Client, line: u32, text: &str| {
        let notes = vec![LineNote { at: Position { line, column: 1 }, text: text.into() }];
        let answer = submit(client, &item, &Draft { notes, ..full(&item, 2) }, "k9").await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{line} {text}: {}", answer.body);
    };
    check(&mut ada, 9999, "beyond the end").await;
    check(&mut ada, 0, "before the beginning").await;
    check(&mut ada, 1, " ").await;
    check(&mut ada, 1, &"x".repeat(1001)).await;
}

#[tokio::test]
async fn notes_work_without_javascript() {
    let app = TestApp::demo().await;
    let mut ada = app.rater().await;
    let study = study(&mut ada).await;
    let item = next(&mut ada, &study).await.unwrap();
    let path = format!("/grade/{}", item.token);
    let fields = [("score-0", "4"), ("score-1", "3"), ("score-2", "5"), ("action", "submit")];
    let wrong: Vec<_> = fields.into_iter().chain([("notes", "1: fine\r\n999: no such line")]).collect();
    assert!(ada.form(&path, &wrong).await.location().ends_with("?error=notes-2"));
    let right: Vec<_> = fields.into_iter().chain([("notes", "1: fine\r\nand more\r\n")]).collect();
    ada.form(&path, &right).await;
    let own = own(&mut ada, &study).await;
    assert_eq!(own[0].notes.iter().map(|note| note.text.as_str()).collect::<Vec<_>>(), ["fine and more"]);
}

#[tokio::test]
async fn undo_restores_the_previous_rating() {
    let app = TestApp::demo().await;
    let mut ada = app.rater().await;
    let study = study(&mut ada).await;
    let undo = async |client: &mut Client, item: &GradingItem| {
        client.rpc("undo_rating", json!({"assignment": item.token})).await.status
    };
    let first = next(&mut ada, &study).await.unwrap();
    submit(&mut ada, &first, &full(&first, 1), "a1").await.json::<Receipt>();
    let second = next(&mut ada, &study).await.unwrap();
    submit(&mut ada, &second, &noted(&second, 2, "kept"), "b1").await.json::<Receipt>();

    // Only the newest; a repeated request does it once.
    assert_eq!(undo(&mut ada, &first).await, StatusCode::CONFLICT);
    for _ in 0..2 {
        assert_eq!(undo(&mut ada, &second).await, StatusCode::OK);
    }
    assert_eq!(own(&mut ada, &study).await.len(), 1);
    let again = next(&mut ada, &study).await.unwrap();
    assert_eq!((&again.token, again.rated, &again.draft), (&second.token, false, &noted(&second, 2, "kept")));
    // A late copy of a withdrawn rating does not restore it.
    assert_eq!(
        submit(&mut ada, &second, &noted(&second, 2, "kept"), "b1").await.json::<Receipt>(),
        Receipt::AlreadyStored
    );
    assert_eq!(own(&mut ada, &study).await.len(), 1);
    submit(&mut ada, &second, &full(&second, 3), "b2").await.json::<Receipt>();

    // Withdrawing a changed rating restores the one before it.
    submit(&mut ada, &first, &full(&first, 2), "a2").await.json::<Receipt>();
    assert_eq!(undo(&mut ada, &first).await, StatusCode::OK);
    let ratings = own(&mut ada, &study).await;
    let of = |token| ratings.iter().find(|r| r.token == token).map(|r| r.scores.clone());
    assert_eq!(of(first.token.clone()), Some(vec![Some(1); 3]));
    assert_eq!(of(second.token.clone()), Some(vec![Some(3); 3]));
    // Nothing was deleted: four ratings were given, two count.
    let counts: (i64, i64) = app
        .services
        .db
        .read(|conn| {
            Ok(conn.query_row("SELECT count(*), sum(replaced_at IS NULL) FROM ratings", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?)
        })
        .await
        .unwrap();
    assert_eq!(counts, (4, 2));
    // Nobody can withdraw another rater's rating.
    assert_eq!(undo(&mut app.demo_user("bo").await, &second).await, StatusCode::NOT_FOUND);
    assert_eq!(undo(&mut app.anonymous(), &second).await, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn undo_follows_the_order_of_ratings_when_the_clock_was_set_back() {
    let app = TestApp::demo().await;
    let mut ada = app.rater().await;
    let study = study(&mut ada).await;
    let first = next(&mut ada, &study).await.unwrap();
    submit(&mut ada, &first, &full(&first, 1), "a1").await.json::<Receipt>();
    // As if the clock had been an hour ahead, and was then set right.
    app.services
        .db
        .write_blocking(|tx| {
            tx.execute("UPDATE ratings SET at = at + 3600000", [])?;
            Ok(tx.execute("UPDATE study_raters SET last_event = last_event + 3600000", [])?)
        })
        .unwrap();
    let second = next(&mut ada, &study).await.unwrap();
    submit(&mut ada, &second, &full(&second, 2), "b1").await.json::<Receipt>();
    let mut undo = async |item: &GradingItem| ada.rpc("undo_rating", json!({"assignment": item.token})).await.status;
    assert_eq!(undo(&first).await, StatusCode::CONFLICT);
    assert_eq!(undo(&second).await, StatusCode::OK);
    assert_eq!(undo(&first).await, StatusCode::OK);
}

#[tokio::test]
async fn shortcuts_and_tour_are_stored_with_the_account() {
    let app = TestApp::demo().await;
    let mut ada = app.rater().await;
    let wrong = ada.form("/account/keys", &[("key-comment", "f"), ("action", "save")]).await;
    assert_eq!(wrong.location(), "/account?keys=taken&at=comment&other=flag#keys");
    let wrong = ada.form("/account/keys", &[("key-comment", "cc"), ("action", "save")]).await;
    assert_eq!(wrong.location(), "/account?keys=odd&at=comment#keys");
    ada.form("/account/keys", &[("key-comment", "k"), ("off", "on"), ("action", "save")]).await;
    ada.form("/account/toured", &[]).await;
    let mut again = app.demo_user("ada").await;
    let page = again.get("/account").await.body;
    assert!(page.contains(r#"name="key-comment" value="k""#) || page.contains(r#"value="k""#), "{page}");
    let settings: (String, bool) = app
        .services
        .db
        .read(|conn| {
            Ok(conn.query_row("SELECT keys, tour_at IS NOT NULL FROM rater_settings", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?)
        })
        .await
        .unwrap();
    assert_eq!(settings, (r#"{"off":true,"changed":[["comment","k"]]}"#.to_owned(), true));
    ada.form("/account/keys", &[("action", "reset")]).await;
    assert!(!ada.get("/account").await.body.contains(r#"value="k""#));
    assert_eq!(app.anonymous().form("/account/keys", &[]).await.location(), "/log-in?next=%2Faccount");
}

#[tokio::test]
async fn display_settings_are_in_every_document_of_their_person() {
    let app = TestApp::demo().await;
    let mut ada = app.rater().await;
    let default = r#"data-theme="system" data-text="normal" data-density="comfortable" data-wrap="scroll""#;
    assert!(ada.get("/my-studies").await.body.contains(default));
    for zone in ["Middle-earth/Shire", "Asia/Shanghai UTC"] {
        assert_eq!(ada.form("/account/display", &[("zone", zone)]).await.status, StatusCode::BAD_REQUEST, "{zone}");
    }
    let wrong = ada.form("/account/display", &[("theme", "purple")]).await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
    let saved = ada.form("/account/display", &[("theme", "dark"), ("text", "large"), ("wrap", "wrap")]).await;
    assert_eq!(saved.location(), "/account?done=display#display");
    let chosen = r#"data-theme="dark" data-text="large" data-density="comfortable" data-wrap="wrap""#;
    assert!(app.demo_user("ada").await.get("/my-studies").await.body.contains(chosen), "a new session");
    assert!(app.demo_user("bo").await.get("/my-studies").await.body.contains(default), "another person");
    assert!(app.anonymous().get("/log-in").await.body.contains(default));
    // What a form leaves out stays; the page after it is one of ours.
    let themed = ada.form("/account/display", &[("theme", "light"), ("next", "/my-studies?x=1")]).await;
    assert_eq!(themed.location(), "/my-studies?x=1");
    let kept = r#"data-theme="light" data-text="large" data-density="comfortable" data-wrap="wrap""#;
    assert!(ada.get("/my-studies").await.body.contains(kept));
    assert_eq!(ada.form("/account/display", &[("next", "//example.org")]).await.location(), "/");
    assert_eq!(app.anonymous().form("/account/display", &[]).await.location(), "/log-in?next=%2Faccount");
}

#[tokio::test]
async fn times_are_in_the_time_zone_of_their_reader() {
    let app = TestApp::demo().await;
    let mut admin = app.admin().await;
    let in_utc = |body: &str| (body.contains(" UTC<"), body.contains(" UTC+5:45<"));
    assert_eq!(in_utc(&admin.get("/admin/people").await.body), (true, false));
    let saved = admin.form("/account/display", &[("zone", "Asia/Kathmandu")]).await;
    assert_eq!(saved.location(), "/account?done=display#display");
    let chosen = r#"<option value="Asia/Kathmandu" selected>"#;
    assert!(admin.get("/account").await.body.contains(chosen));
    assert_eq!(in_utc(&admin.get("/admin/people").await.body), (false, true));
}

#[tokio::test]
async fn notes_after_a_mask_map_to_the_original_code() {
    let app = TestApp::demo().await;
    let mut ada = app.rater().await;
    let study = study(&mut ada).await;
    let first = next(&mut ada, &study).await.unwrap();
    // The output is one line that names its model, and an admin masks the name.
    let given = "int a; /* Northwind wrote this */ int b;";
    let token = first.token.0.clone();
    let submission = app.services.db.write(move |tx| {
        let id = "SELECT output_id FROM handouts WHERE token = ?1";
        tx.execute(&format!("UPDATE outputs SET code = ?2 WHERE id = ({id})"), [&token, given])?;
        let sql = format!("SELECT submission_id FROM outputs WHERE id = ({id})");
        Ok(tx.query_row(&sql, [&token], |row| row.get(0).map(SubmissionId))?)
    });
    app.services.quality.set_mask(&System.admin(), submission.await.unwrap(), true).await.unwrap();

    let item: GradingItem = ada.rpc("item", json!({"assignment": first.token})).await.json();
    let read = item.code.raw[0].text();
    assert_eq!(read, "int a; /* MASKED wrote this */ int b;");
    let column = |text: &str, of: &str| u32::try_from(text.find(of).unwrap()).unwrap() + 1;
    let note = |text: &str| LineNote { at: Position { line: 1, column: column(text, "int b") }, text: "unused".into() };
    let draft = Draft { notes: vec![note(&read)], ..full(&item, 2) };
    // The rater finds the note at its place, in the draft, in the rating and in the list.
    assert_eq!(ada.rpc("save_draft", json!({"assignment": item.token, "draft": draft})).await.status, StatusCode::OK);
    let again: GradingItem = ada.rpc("item", json!({"assignment": first.token})).await.json();
    assert_eq!(again.draft, draft);
    assert_eq!(submit(&mut ada, &item, &draft, "k").await.json::<Receipt>(), Receipt::Stored);
    assert_eq!(submit(&mut ada, &item, &draft, "k2").await.json::<Receipt>(), Receipt::AlreadyStored);
    let again: GradingItem = ada.rpc("item", json!({"assignment": first.token})).await.json();
    assert_eq!(again.draft, draft);
    assert_eq!(own(&mut ada, &study).await[0].notes, draft.notes);
    // Everybody else uses positions in the original code.
    let sql = "SELECT line, \"column\", text FROM rating_notes";
    let stored = app.services.db.read(move |conn| {
        let note = |row: &rusqlite::Row<'_>| {
            Ok(LineNote { at: Position { line: row.get(0)?, column: row.get(1)? }, text: row.get(2)? })
        };
        Ok(conn.query_row(sql, [], note)?)
    });
    assert_eq!(stored.await.unwrap(), note(given));
}

#[tokio::test]
async fn task_with_fifteen_outputs_is_rated_completely() {
    let app = TestApp::demo().await;
    let operator = System.admin();
    // A model with fifteen samples of each of two tasks.
    let lines: String = (0..30)
        .map(|n| {
            json!({"task_id": format!("S{:02}", 13 + n / 15), "code": format!("int f{n}() {{ return {n}; }}")})
                .to_string()
                + "\n"
        })
        .collect();
    let mut incoming = app.services.uploads.begin("samples.jsonl").await.unwrap();
    incoming.write(lines.as_bytes()).await.unwrap();
    let upload = app
        .services
        .submissions
        .note_upload(&operator, incoming.finish().await.unwrap(), Purpose::outputs(None))
        .await
        .unwrap();
    let submission = app
        .services
        .submissions
        .import(&operator, upload, "starter", Matching::TaskId, "Sampler", InvalidLines::Refuse)
        .await
        .unwrap();
    let users = app.services.accounts.users(&operator, PageOf::first(PageOf::MOST)).await.unwrap().rows;
    let new = NewStudy {
        title: "Samples".into(),
        dataset: "starter".into(),
        submissions: vec![submission],
        raters: users.iter().filter(|user| user.name == "ada").map(|user| user.id).collect(),
        settings: StudySettings {
            raters_per_output: 1,
            presentation: Presentation::SideBySide,
            ..StudySettings::default()
        },
        ..NewStudy::default()
    };
    app.services.studies.create(&operator, new).await.unwrap();
    let mut ada = app.rater().await;
    let study = study(&mut ada).await;
    let page = ada.get(&format!("/side-by-side/{study}")).await;
    assert!(page.body.contains("Output O") && !page.body.contains("Output P"), "{}", page.body);
    let mut rated = 0;
    while let NextTask::Task(items) = ada.rpc("next_task_items", json!({"study": study, "holding": []})).await.json() {
        assert_eq!(items.len(), 15);
        // Whichever outputs the page names, the task does not come again while it is on the page.
        let last = &items[14].token;
        let holding: Vec<_> = items.iter().map(|item| &item.token).collect();
        for item in &items {
            for holding in [&holding[..], &[last]] {
                let next: NextTask =
                    ada.rpc("next_task_items", json!({"study": study, "holding": holding})).await.json();
                let again = matches!(&next, NextTask::Task(next) if next[0].raw_nl == items[0].raw_nl);
                assert!(!again, "the task came again after {rated} ratings");
            }
            assert_eq!(submit(&mut ada, item, &full(item, 2), "k").await.json::<Receipt>(), Receipt::Stored);
            rated += 1;
        }
    }
    assert_eq!(rated, 30);
}

#[tokio::test]
async fn every_link_of_the_tour_leads_to_a_page() {
    let app = TestApp::demo().await;
    let mut rater = app.rater().await;
    let tour = rater.get("/tour").await;
    let links = tour.body.split("<a ").skip(1).filter_map(|link| link.split("href=\"").nth(1)?.split('"').next());
    let pages: Vec<_> = links.filter(|href| href.starts_with('/')).map(str::to_owned).collect();
    assert!(pages.iter().any(|href| href == "/my-studies"), "{pages:?}");
    for page in pages {
        let mut answer = rater.get(&page).await;
        if answer.status.is_redirection() {
            answer = rater.get(answer.location()).await;
        }
        assert_eq!(answer.status, StatusCode::OK, "{page}");
    }
}
