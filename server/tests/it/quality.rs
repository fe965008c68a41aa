//! Quality of studies: calibration, hidden checks, disagreements and their adjudication, flags and replies,
//! masking. None of it names a model to a rater or changes a study's ratings.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::cmp::Reverse;

use crate::util::{Answer, Client, TestApp};
use axum::http::{Method, StatusCode};
use model::{
    api::Scope,
    caller::{Admin, System},
    feedback::{Calibration, Disagreement, DisagreementQueue, RaterFeedback},
    flag::{Flag, FlagReason},
    grading::{Draft, GradingItem, MyStudy, Next, OWN_RATINGS, OwnRatings, Receipt},
    ids::{StudyId, SubmissionId, TaskRevisionId, Token, UserId},
    lang::Lang,
    page::{PageOf, Which},
    plan::Reads,
    quality::{
        CalibrationMode, DISAGREEMENTS_PAGE, DisagreementRow, DisagreementState, FeedbackLevel, FlagOn,
        KnownItemChange, KnownItemSource, NewKnownItem, Policy, Pool, QualitySettings, RatingFilter,
    },
    ratings::TaskScores,
};
use port::{
    Plans as _, Studies as _,
    quality::{Monitoring as _, Quality as _},
};
use serde_json::{Value, json};

const STUDY: StudyId = StudyId(1);
const ADMIN: Admin = System.admin();

async fn study(client: &mut Client) -> String {
    let my_studies: Vec<MyStudy> = client.rpc("my_studies", json!({})).await.json();
    my_studies[0].token.0.clone()
}

async fn next(client: &mut Client, study: &str) -> Next {
    client.rpc("next_item", json!({"study": study, "holding": []})).await.json()
}

async fn item(client: &mut Client, study: &str) -> GradingItem {
    match next(client, study).await {
        Next::Item(item) => *item,
        other => panic!("no item but {other:?}"),
    }
}

fn draft(scores: [u8; 3]) -> Draft {
    Draft { scores: scores.into_iter().map(Some).collect(), ..Draft::default() }
}

async fn submit(client: &mut Client, item: &GradingItem, draft: &Draft, key: &str) -> Answer {
    client.rpc("submit_rating", json!({"assignment": item.token, "draft": draft, "key": key})).await
}

async fn rate(client: &mut Client, item: &GradingItem, scores: [u8; 3]) {
    let answer = submit(client, item, &draft(scores), "k").await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
}

/// Adds known-score items, pasted for the first tasks of the dataset.
async fn add_known_item(app: &TestApp, scores: &[[u8; 3]]) -> Vec<i64> {
    let choices = app.services.quality.page(&ADMIN, STUDY).await.unwrap().choices;
    let mut ids = Vec::new();
    for (n, known) in scores.iter().enumerate() {
        let source = KnownItemSource::Pasted {
            task: choices.tasks[n].0,
            code: format!("int gold{n}() {{ return {n}; }}"),
            surrounding_text: String::new(),
        };
        let new = NewKnownItem { source, scores: known.to_vec(), reasons: Vec::new(), pool: Pool::Both };
        ids.push(app.services.quality.add_known_item(&ADMIN, STUDY, new).await.unwrap());
    }
    ids
}

async fn set(app: &TestApp, settings: QualitySettings) {
    app.services.quality.set(&ADMIN, STUDY, crate::util::change_to(&settings)).await.unwrap();
}

async fn counts(app: &TestApp) -> (i64, i64) {
    let count = |conn: &rusqlite::Connection, sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0));
    app.services
        .db
        .read(move |conn| {
            Ok((
                count(conn, "SELECT count(*) FROM ratings WHERE replaced_at IS NULL")?,
                count(conn, "SELECT count(*) FROM check_ratings WHERE replaced_at IS NULL")?,
            ))
        })
        .await
        .unwrap()
}

#[tokio::test]
async fn invalid_settings_are_refused() {
    let app = TestApp::demo().await;
    add_known_item(&app, &[[4, 3, 5]]).await;
    let check = async |settings: QualitySettings, field: &str| {
        let answer = app.services.quality.set(&ADMIN, STUDY, crate::util::change_to(&settings)).await;
        match answer.unwrap_err() {
            model::error::AppError::Invalid(problems) => assert_eq!(problems[0].file, field, "{settings:?}"),
            other => panic!("{settings:?}: {other:?}"),
        }
    };
    let of = QualitySettings::default;
    check(QualitySettings { known_item_every: 1, ..of() }, "known_item_every").await;
    check(QualitySettings { repeat_every: 10_001, ..of() }, "repeat_every").await;
    check(QualitySettings { spread: Some(4), ..of() }, "spread").await;
    check(QualitySettings { tolerance: 4, ..of() }, "tolerance").await;
    check(QualitySettings { calibration: CalibrationMode::MustPass, needed: 2, ..of() }, "needed").await;
    check(QualitySettings { calibration: CalibrationMode::MustPass, needed: 0, ..of() }, "needed").await;
    // Settings that never have an effect.
    check(QualitySettings { policy: Policy::ExtraRater, ..of() }, "policy").await;
    // Outputs that the study grades itself cannot become known-score items; scores off the scale are
    // rejected.
    let planned = "SELECT min(output_id) FROM assignments";
    let graded = app.services.db.read(|conn| Ok(conn.query_row(planned, [], |row| row.get(0))?)).await.unwrap();
    let graded = KnownItemSource::Output(model::ids::OutputId(graded));
    let new =
        |source, scores: &[u8]| NewKnownItem { source, scores: scores.to_vec(), reasons: Vec::new(), pool: Pool::Both };
    assert!(app.services.quality.add_known_item(&ADMIN, STUDY, new(graded.clone(), &[4, 3, 5])).await.is_err());
    let pasted = |task| KnownItemSource::Pasted {
        task: TaskRevisionId(task),
        code: "x".into(),
        surrounding_text: String::new(),
    };
    assert!(app.services.quality.add_known_item(&ADMIN, STUDY, new(pasted(1), &[5, 3, 5])).await.is_err());
    assert!(app.services.quality.add_known_item(&ADMIN, STUDY, new(pasted(9999), &[4, 3, 5])).await.is_err());
}

#[tokio::test]
async fn failed_calibration_stops_the_rater_until_admitted() {
    let app = TestApp::demo().await;
    add_known_item(&app, &[[4, 3, 5], [1, 1, 1]]).await;
    set(
        &app,
        QualitySettings {
            calibration: CalibrationMode::MustPass,
            needed: 2,
            tolerance: 1,
            ..QualitySettings::default()
        },
    )
    .await;
    let (mut ada, mut bo) = (app.rater().await, app.demo_user("bo").await);
    let token = study(&mut ada).await;
    // Bo is close enough on both: within one level.
    for _ in 0..2 {
        let it = item(&mut bo, &token).await;
        assert_eq!(it.calibration.unwrap().of, 2);
        let good = it.code.raw.iter().any(|line| line.text().contains("gold0"));
        rate(&mut bo, &it, if good { [3, 3, 4] } else { [2, 1, 2] }).await;
        // The rating of a calibration item is final, and the item cannot be skipped.
        assert_eq!(submit(&mut bo, &it, &draft([1, 2, 3]), "again").await.status, StatusCode::CONFLICT);
        assert_eq!(bo.rpc("skip", json!({"assignment": it.token})).await.status, StatusCode::CONFLICT);
    }
    let Next::Calibration(passed) = next(&mut bo, &token).await else { panic!("nothing about how it went") };
    assert!(matches!(*passed, Calibration::Passed(ref r) if (r.right, r.of, r.needed) == (2, 2, 2)), "{passed:?}");
    let gone_on = bo.form("/rpc/go_on", &[("what", &token)]).await;
    assert_eq!(gone_on.location(), format!("/grade/{token}"));
    assert!(item(&mut bo, &token).await.calibration.is_none(), "the work has begun");

    // Ada is not.
    for _ in 0..2 {
        let it = item(&mut ada, &token).await;
        rate(&mut ada, &it, [1, 3, 1]).await;
    }
    for _ in 0..2 {
        let Next::Calibration(stopped) = next(&mut ada, &token).await else { panic!("not stopped") };
        assert!(matches!(*stopped, Calibration::Stopped(_)), "{stopped:?}");
        // Acknowledging the result admits nobody.
        ada.form("/rpc/go_on", &[("what", &token)]).await;
    }
    assert_eq!(app.services.quality.live(&ADMIN, STUDY).await.unwrap().stopped, 1);
    let rows = app.services.quality.page(&ADMIN, STUDY).await.unwrap().calibrations;
    let ada_id = rows.iter().find(|row| row.name == "ada").unwrap().rater;
    // After a restart, the items come again; after admission, the work does.
    app.services.quality.set_admission(&ADMIN, STUDY, ada_id, false).await.unwrap();
    assert!(item(&mut ada, &token).await.calibration.is_some());
    app.services.quality.set_admission(&ADMIN, STUDY, ada_id, true).await.unwrap();
    assert!(item(&mut ada, &token).await.calibration.is_none());
    // None of this created a rating of the study.
    assert_eq!(counts(&app).await, (0, 4));
}

#[tokio::test]
async fn training_shows_the_known_scores_after_each_item() {
    let app = TestApp::demo().await;
    add_known_item(&app, &[[4, 3, 5]]).await;
    set(&app, QualitySettings { calibration: CalibrationMode::Train, ..QualitySettings::default() }).await;
    let mut ada = app.rater().await;
    let token = study(&mut ada).await;
    let it = item(&mut ada, &token).await;
    rate(&mut ada, &it, [1, 1, 1]).await;
    for _ in 0..2 {
        let Next::Calibration(shown) = next(&mut ada, &token).await else { panic!("no known scores") };
        let Calibration::Feedback(f) = *shown else { panic!("{shown:?}") };
        assert_eq!((f.known, f.yours), (vec![4, 3, 5], vec![Some(1); 3]), "until it is read");
    }
    ada.form("/rpc/go_on", &[("what", &it.token.0)]).await;
    let Next::Calibration(ended) = next(&mut ada, &token).await else { panic!("no end") };
    assert!(matches!(*ended, Calibration::Passed(ref r) if r.right == 0), "training stops no rater: {ended:?}");
    // Another rater's item is not readable.
    let mut bo = app.demo_user("bo").await;
    assert_eq!(bo.rpc("item", json!({"assignment": it.token})).await.status, StatusCode::NOT_FOUND);
}

/// Compares the list of a rater's own ratings with the way back through them, and returns how many steps back there are.
async fn own_list_of(ada: &mut Client, token: &str, rated: u64) -> u64 {
    let mut own = Vec::new();
    for page in 1.. {
        let asked = json!({"study": token, "page": page});
        let OwnRatings { rows, older } = ada.rpc("own_ratings", asked).await.json();
        assert!(rows.windows(2).all(|pair| pair[0].at >= pair[1].at) && rows.len() <= OWN_RATINGS);
        own.extend(rows);
        if !older {
            break;
        }
    }
    let (mut back, mut seen, mut newest) = (0, std::collections::BTreeSet::new(), Vec::new());
    let mut at = own[0].token.clone();
    loop {
        let here: GradingItem = ada.rpc("item", json!({"assignment": at})).await.json();
        if seen.insert((here.raw_nl, serde_json::to_string(&here.code.raw).unwrap())) {
            newest.push(at);
        }
        let Some(previous) = here.previous else { break };
        at = previous;
        back += 1;
    }
    assert_eq!(own.iter().map(|own| own.token.clone()).collect::<Vec<_>>(), newest);
    assert!((own.len() as u64) < rated, "repeats came");
    let found: OwnRatings = ada.rpc("own_ratings", json!({"study": token, "words": "no such words"})).await.json();
    assert_eq!(found, OwnRatings { rows: Vec::new(), older: false });
    let word = own[0].raw_nl.split_whitespace().next().unwrap().to_uppercase();
    let found: OwnRatings = ada.rpc("own_ratings", json!({"study": token, "words": word})).await.json();
    assert!(found.rows.contains(&own[0]), "{found:?}");
    back
}

/// Whether ada has been given all outputs of her plan.
async fn is_all_given(app: &TestApp) -> bool {
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM assignments WHERE study_id = 1 AND user_id = 2 AND shown_at IS NULL)";
    app.services.db.read(move |conn| Ok(conn.query_row(sql, [], |row| row.get(0))?)).await.unwrap()
}

#[tokio::test]
async fn hidden_checks_look_like_work_and_do_not_count() {
    let app = TestApp::demo().await;
    add_known_item(&app, &[[4, 3, 5], [1, 1, 1], [2, 2, 2]]).await;
    set(
        &app,
        QualitySettings {
            known_item_every: 4,
            repeat_every: 4,
            repeat_apart: 5,
            shown: FeedbackLevel::Own,
            ..QualitySettings::default()
        },
    )
    .await;
    let mut ada = app.rater().await;
    let token = study(&mut ada).await;
    let first = item(&mut ada, &token).await;
    let (all, mut shapes) = (first.progress.rated + first.progress.left, Vec::new());
    let mut rated = 0;
    let mut seen = std::collections::BTreeSet::new();
    let mut it = first;
    loop {
        assert_eq!(it.progress.rated, rated);
        let planned = it.progress.rated + it.progress.left;
        // Checks for which there was no task with another output to come do not come after the last output.
        assert!(planned == all || planned < all && is_all_given(&app).await, "{planned} of {all} after {rated}");
        assert!(seen.insert(it.token.0.clone()) && it.token.0.len() == 32 && it.calibration.is_none());
        let json: Value = serde_json::to_value(&it).unwrap();
        shapes.push(json.as_object().unwrap().keys().cloned().collect::<Vec<_>>());
        assert!(rated == 0 || it.previous.is_some(), "one can always go back");
        rate(&mut ada, &it, [2, 2, 2]).await;
        rated += 1;
        it = match next(&mut ada, &token).await {
            Next::Item(it) => *it,
            Next::Finished { progress, .. } => {
                assert_eq!((progress.rated, progress.left), (rated, 0));
                break;
            }
            other => panic!("{other:?}"),
        };
        // Work of others is taken over at the end, so she gets more than was planned.
        if rated == all {
            break;
        }
    }
    assert!(shapes.windows(2).all(|pair| pair[0] == pair[1]), "every item has the same fields");
    let (ratings, checks) = counts(&app).await;
    assert!(checks > 5, "{checks} checks came");
    assert_eq!(ratings + checks, rated as i64);
    // They are among her ratings, newest first, and can be opened again; the study does not contain them. What shows the same
    // code for the same description is one row, so no repeat is listed together with the rating that it repeats.
    let back = own_list_of(&mut ada, &token, rated).await;
    assert_eq!(back + 1, rated, "the way back leads through all of them");
    let csv = app.admin().await.get("/admin/compare/starter/export/study-ratings.csv?studies=1&runs=none").await.body;
    assert_eq!(csv.lines().count() as i64, ratings + 1);
    let live = app.services.quality.live(&ADMIN, STUDY).await.unwrap();
    let figures = &live.raters.iter().find(|r| r.name == "ada").unwrap().figures;
    assert_eq!((live.done as i64, figures.ratings as i64), (ratings, ratings + checks));
    assert_eq!((figures.again.exact, figures.flat), (Some(1.0), Some(1.0)));
    assert_eq!(figures.known_items.outputs as i64 + figures.again.outputs as i64, checks);
    assert_eq!(
        figures.known_items_right,
        u64::from(figures.known_items.outputs == 3),
        "one item has the scores that she gave"
    );
}

#[tokio::test]
async fn skipped_hidden_check_comes_again() {
    let app = TestApp::demo().await;
    add_known_item(&app, &[[4, 3, 5], [1, 1, 1], [2, 2, 2]]).await;
    set(&app, QualitySettings { known_item_every: 2, ..QualitySettings::default() }).await;
    let mut ada = app.rater().await;
    let token = study(&mut ada).await;
    let mut it = item(&mut ada, &token).await;
    while !it.code.raw.iter().any(|line| line.text().contains("gold")) {
        rate(&mut ada, &it, [1, 1, 1]).await;
        it = item(&mut ada, &token).await;
    }
    let saved = draft([4, 1, 1]);
    ada.rpc("save_draft", json!({"assignment": it.token, "draft": saved})).await;
    let again: GradingItem = ada.rpc("item", json!({"assignment": it.token})).await.json();
    assert_eq!((again.draft, again.rated), (saved, false));
    assert_eq!(ada.rpc("skip", json!({"assignment": it.token})).await.status, StatusCode::OK);
    let after = item(&mut ada, &token).await;
    assert_eq!(after.progress.skipped, 1);
    assert_ne!(after.token, it.token);
    rate(&mut ada, &it, [4, 1, 1]).await;
    assert_eq!(item(&mut ada, &token).await.progress.skipped, 0);
}

/// Ada and Bo rate everything that they are assigned until one output of both has a large spread. Returns
/// the disagreements of all pages.
async fn every_disagreement(app: &TestApp) -> Vec<DisagreementRow> {
    let (mut rows, mut of) = (Vec::new(), PageOf::first(DISAGREEMENTS_PAGE));
    loop {
        let page = app.services.quality.disagreements(&ADMIN, STUDY, of.clone()).await.unwrap().page;
        assert!(page.rows.len() <= DISAGREEMENTS_PAGE as usize);
        rows.extend(page.rows);
        if page.next.is_none() {
            return rows;
        }
        of.after = page.next;
    }
}

async fn disagree(ada: &mut Client, bo: &mut Client, chen: &mut Client, token: &str) {
    for (n, who) in [ada, bo, chen].into_iter().enumerate() {
        while let Next::Item(it) = next(who, token).await {
            let far = if it.raw_nl.len() % 3 == 0 { [1, 1, 1] } else { [4, 3, 5] };
            rate(who, &it, if n == 0 { far } else { [4, 3, 5] }).await;
        }
    }
}

/// The study's tasks, a few on each page.
async fn every_task(app: &TestApp, which: Which) -> Vec<TaskScores> {
    let (mut rows, mut of) = (Vec::new(), PageOf { which, ..PageOf::first(7) });
    loop {
        let page = app.services.studies.tasks(&ADMIN, STUDY, of.clone()).await.unwrap();
        rows.extend(page.rows);
        of.after = page.next;
        if of.after.is_none() {
            return rows;
        }
    }
}

#[tokio::test]
async fn tasks_are_searched_filtered_and_ordered() {
    let app = TestApp::demo().await;
    let (mut ada, mut bo, mut chen) = (app.rater().await, app.demo_user("bo").await, app.demo_user("chen").await);
    let token = study(&mut ada).await;
    let all = every_task(&app, Which::default()).await;
    assert!(all.len() > 7 && all.iter().all(|row| row.spread.is_none()));
    // Most of the tasks, so that some stay without ratings.
    for n in 0..all.len() {
        for (who, scores) in [(&mut ada, [1, 1, 1]), (&mut bo, [4, 3, 5]), (&mut chen, [2, 3, 4])] {
            if n % 2 == 0
                && let Next::Item(it) = next(who, &token).await
            {
                rate(who, &it, scores).await;
            }
        }
    }
    let all = every_task(&app, Which::default()).await;
    let rated = |row: &TaskScores| row.models.iter().any(|model| model.ratings > 0);
    let word = all[0].task.raw_nl.split_whitespace().next().unwrap().to_lowercase();
    type Fits<'a> = &'a dyn Fn(&TaskScores) -> bool;
    let searched = Which { search: word.clone(), ..Which::default() };
    let has_word =
        |row: &TaskScores| format!("{} {}", row.task.task_id, row.task.raw_nl).to_lowercase().contains(&word);
    let cases: [(Which, Fits); 5] = [
        (Which::only("show", "rated"), &rated),
        (Which::only("show", "unrated"), &|row| !rated(row)),
        (Which::only("show", "disagreements"), &|row| row.spread > Some(0)),
        (Which::only("nl_lang", "zh"), &|row| row.task.nl_lang == Lang::Zh),
        (searched, &has_word),
    ];
    let ids = |rows: &[TaskScores]| rows.iter().map(|row| row.task.id).collect::<Vec<_>>();
    for (which, fits) in cases {
        let expected: Vec<TaskScores> = all.iter().filter(|row| fits(row)).cloned().collect();
        assert!(!expected.is_empty(), "{which:?}");
        assert_eq!(ids(&every_task(&app, which.clone()).await), ids(&expected), "{which:?}");
        let mut widest = expected;
        widest.sort_by_key(|row| Reverse(row.spread));
        let which = Which { sort: "spread".into(), ..which };
        assert_eq!(ids(&every_task(&app, which.clone()).await), ids(&widest), "{which:?}");
    }
}

#[tokio::test]
async fn adjudication_is_blind_and_keeps_history() {
    let app = TestApp::demo().await;
    set(&app, QualitySettings { spread: Some(2), ..QualitySettings::default() }).await;
    let (mut ada, mut bo, mut chen) = (app.rater().await, app.demo_user("bo").await, app.demo_user("chen").await);
    let token = study(&mut ada).await;
    // In turn, so that each rates a third, and nobody takes over another's part.
    let mut rated = 1;
    while rated > 0 {
        rated = 0;
        for (n, who) in [&mut ada, &mut bo, &mut chen].into_iter().enumerate() {
            if let Next::Item(it) = next(who, &token).await {
                rate(who, &it, if n == 0 { [1, 1, 1] } else { [4, 3, 5] }).await;
                rated += 1;
            }
        }
    }
    let live = app.services.quality.live(&ADMIN, STUDY).await.unwrap();
    assert!(live.disagreements > 0 && live.done == live.wanted);
    let before = counts(&app).await;

    // A rater without the role may adjudicate nothing; with it, only what they did not rate.
    assert!(bo.rpc("my_disagreements", json!({})).await.json::<DisagreementQueue>().lines.is_empty());
    let people = app.services.quality.page(&ADMIN, STUDY).await.unwrap().adjudicators;
    let bo_id = people.iter().find(|(_, name, _)| name == "bo").unwrap().0;
    app.services.quality.set_adjudicator(&ADMIN, STUDY, bo_id, true).await.unwrap();
    let mine = bo.rpc("my_disagreements", json!({})).await.json::<DisagreementQueue>().lines;
    let mut admin = app.admin().await;
    let DisagreementQueue { lines: all, waiting, .. } = admin.rpc("my_disagreements", json!({})).await.json();
    assert_eq!((all.len() as u64, waiting), (live.disagreements, live.disagreements));
    assert!(mine.len() < all.len(), "bo cannot adjudicate outputs that he rated");
    assert!(!mine.is_empty());
    // One adjudicator's name for it does not work for another.
    assert_eq!(bo.rpc("open_disagreement", json!({"token": all[0].token})).await.status, StatusCode::NOT_FOUND);

    let one: Disagreement = bo.rpc("open_disagreement", json!({"token": mine[0].token})).await.json();
    assert_eq!(one.output.ratings.len(), 2);
    let text = serde_json::to_string(&one).unwrap();
    for name in ["\"ada\"", "\"bo\"", "\"chen\"", "Northwind", "Quillmoor", "Saltmarsh"] {
        assert!(!text.contains(name), "{name} in {text}");
    }
    let decide = |scores: [&'static str; 3], comment: &'static str| {
        vec![("scores[0]", scores[0]), ("scores[1]", scores[1]), ("scores[2]", scores[2]), ("comment", comment)]
    };
    let with = |token: &str, fields: Vec<(&'static str, &'static str)>| {
        let mut all: Vec<(String, String)> = vec![("token".into(), token.into())];
        all.extend(fields.into_iter().map(|(k, v)| (k.to_owned(), v.to_owned())));
        all
    };
    let post = async |client: &mut Client, fields: Vec<(String, String)>| {
        let fields: Vec<(&str, &str)> = fields.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        client.form("/rpc/adjudicate", &fields).await
    };
    let wrong = post(&mut bo, with(&mine[0].token.0, decide(["5", "3", "5"], ""))).await;
    assert_ne!(wrong.status, StatusCode::OK, "off the scale");
    let comment = "Misses it.</textarea><b>";
    post(&mut bo, with(&mine[0].token.0, decide(["2", "2", "2"], comment))).await;
    let page = bo.get(&format!("/adjudicate/{}", mine[0].token)).await.body;
    assert!(page.contains("Misses it.&lt;/textarea&gt;&lt;b&gt;</textarea>"), "the comment stays text");
    post(&mut bo, with(&mine[0].token.0, decide(["2", "2", "2"], comment))).await;
    post(&mut bo, with(&mine[0].token.0, decide(["3", "2", "4"], "On reflection."))).await;
    let rows = every_disagreement(&app).await;
    let decided: Vec<_> = rows.iter().filter(|row| row.state == DisagreementState::Adjudicated).collect();
    assert_eq!(decided.len(), 1);
    assert_eq!(decided[0].final_scores, Some(vec![3.0, 2.0, 4.0]));
    let history: Vec<_> = decided[0].history.iter().map(|d| (d.scores.clone(), d.replaced)).collect();
    assert_eq!(history, [(vec![3, 2, 4], false), (vec![2, 2, 2], true)], "pressed twice it counts once");
    assert_eq!(counts(&app).await, before, "no rating was touched");

    assert!(rows.iter().all(|row| row.final_scores.is_some() == (row.state == DisagreementState::Adjudicated)));
}

#[tokio::test]
async fn extra_rater_makes_the_median_final() {
    let app = TestApp::demo().await;
    set(&app, QualitySettings { spread: Some(2), policy: Policy::ExtraRater, ..QualitySettings::default() }).await;
    let (mut ada, mut bo, mut chen) = (app.rater().await, app.demo_user("bo").await, app.demo_user("chen").await);
    let token = study(&mut ada).await;
    // Twice: extra ratings go to raters who had finished.
    for _ in 0..3 {
        disagree(&mut ada, &mut bo, &mut chen, &token).await;
    }
    let live = app.services.quality.live(&ADMIN, STUDY).await.unwrap();
    assert!(live.extra > 0, "{live:?}");
    assert_eq!((live.extra_waiting, live.done), (0, live.wanted));
    let rows = every_disagreement(&app).await;
    let settled: Vec<_> = rows.iter().filter(|row| row.state == DisagreementState::Median).collect();
    assert_eq!(settled.len() as u64, live.extra);
    for row in &settled {
        assert_eq!(row.ratings.len(), 3, "one more than planned");
        let mut middle: Vec<u8> = row.ratings.iter().map(|(_, scores)| scores[0]).collect();
        middle.sort_unstable();
        assert_eq!(row.final_scores.as_ref().unwrap()[0], f64::from(middle[1]));
    }
    let worst = app
        .services
        .db
        .read(|conn| {
            Ok(conn.query_row(
                "SELECT max(n) FROM (SELECT count(*) n FROM assignments GROUP BY output_id, user_id)",
                [],
                |row| row.get::<_, i64>(0),
            )?)
        })
        .await
        .unwrap();
    assert_eq!(worst, 1, "no rater rates an output twice");
}

#[tokio::test]
async fn flag_gets_one_reply_read_by_its_rater() {
    let app = TestApp::demo().await;
    let (mut ada, mut bo) = (app.rater().await, app.demo_user("bo").await);
    let token = study(&mut ada).await;
    let it = item(&mut ada, &token).await;
    let flagged = Draft {
        flag: Some(Flag { reason: FlagReason::Other, text: "What is an empty list here?".into() }),
        ..draft([2, 2, 2])
    };
    assert_eq!(submit(&mut ada, &it, &flagged, "k").await.json::<Receipt>(), Receipt::Stored);
    let flags = app.services.quality.flags(&ADMIN, STUDY, PageOf::default()).await.unwrap().1.rows;
    assert_eq!((flags.len(), flags[0].answer.clone()), (1, None));
    assert_eq!(app.services.quality.live(&ADMIN, STUDY).await.unwrap().flags, 1);
    app.services.quality.reply_to_flag(&ADMIN, STUDY, flags[0].on, "The list is never empty.").await.unwrap();
    assert_eq!(app.services.quality.live(&ADMIN, STUDY).await.unwrap().flags, 0);

    let back: RaterFeedback = ada.rpc("my_feedback", json!({})).await.json();
    assert_eq!((back.replies[0].reply.as_str(), back.replies[0].fresh), ("The list is never empty.", true));
    let rated_item: GradingItem = ada.rpc("item", json!({"assignment": it.token})).await.json();
    assert_eq!(rated_item.replies[0].reply, "The list is never empty.");
    assert!(bo.rpc("my_feedback", json!({})).await.json::<RaterFeedback>().replies.is_empty());
    let my_studies = ada.get("/my-studies").await.body;
    assert!(my_studies.contains("The list is never empty."), "it is on the start page without JavaScript");
    ada.form("/rpc/read_replies", &[]).await;
    let flags = app.services.quality.flags(&ADMIN, STUDY, PageOf::default()).await.unwrap().1.rows;
    assert!(flags[0].read);
    // The same flag on a changed rating already has a reply; a different one does not.
    let changed = Draft { scores: draft([3, 2, 2]).scores, ..flagged.clone() };
    submit(&mut ada, &it, &changed, "k2").await;
    assert_eq!(app.services.quality.live(&ADMIN, STUDY).await.unwrap().flags, 0);
    submit(&mut ada, &it, &Draft { flag: Some(Flag::plain(FlagReason::CannotJudge)), ..changed.clone() }, "k3").await;
    assert_eq!(app.services.quality.live(&ADMIN, STUDY).await.unwrap().flags, 1);
    // So does the same reason with other words.
    let flag = app.services.quality.flags(&ADMIN, STUDY, PageOf::default()).await.unwrap().1.rows[0].on;
    app.services.quality.reply_to_flag(&ADMIN, STUDY, flag, "Do your best.").await.unwrap();
    assert_eq!(app.services.quality.live(&ADMIN, STUDY).await.unwrap().flags, 0);
    let worded = Flag { reason: FlagReason::CannotJudge, text: "I do not know Spring.".into() };
    submit(&mut ada, &it, &Draft { flag: Some(worded.clone()), ..changed }, "k4").await;
    let flags = app.services.quality.flags(&ADMIN, STUDY, PageOf::default()).await.unwrap().1.rows;
    assert_eq!((flags[0].flag.clone(), flags[0].answer.clone()), (worded, None));
    assert_eq!(app.services.quality.live(&ADMIN, STUDY).await.unwrap().flags, 1);
    let nothing = app.services.quality.reply_to_flag(&ADMIN, STUDY, FlagOn::Assignment(9999), "x").await;
    assert!(nothing.is_err());
}

#[tokio::test]
async fn masked_names_are_hidden_from_raters_and_stay_stored() {
    let app = TestApp::demo().await;
    app.services
        .db
        .write(|tx| {
            let model =
                "SELECT m.name FROM submissions s JOIN models m ON m.id = s.model_id WHERE s.id = submission_id";
            Ok(tx.execute(
                &format!("UPDATE outputs SET code = '// by ChatGPT for ' || ({model}) || char(10) || code"),
                [],
            )?)
        })
        .await
        .unwrap();
    let mut ada = app.rater().await;
    let token = study(&mut ada).await;
    let text = |item: &GradingItem| serde_json::to_string(&item.code).unwrap();
    let it = item(&mut ada, &token).await;
    assert!(text(&it).contains("ChatGPT"));
    let submissions = [1, 2, 3].map(SubmissionId);
    for id in submissions {
        let state = app.services.quality.mask(&ADMIN, id, true).await.unwrap();
        assert!(state.masked.is_none() && state.identity_leak_count > 0);
        assert_eq!(state.identity_leaks[0].code_line, Some(1));
        app.services.quality.set_mask(&ADMIN, id, true).await.unwrap();
        assert!(app.services.quality.mask(&ADMIN, id, true).await.unwrap().masked.is_some());
    }
    let masked: GradingItem = ada.rpc("item", json!({"assignment": it.token})).await.json();
    assert!(text(&masked).contains("MASKED") && !text(&masked).contains("ChatGPT"), "{}", text(&masked));
    for name in ["Northwind", "Quillmoor", "Saltmarsh"] {
        assert!(!text(&masked).contains(name), "{name}");
    }
    let stored = app.admin().await.get("/admin/outputs/1").await.body;
    assert!(stored.contains("ChatGPT"), "an admin sees the original");
    // Pasted code would otherwise be the only code with a name in it.
    let source = KnownItemSource::Pasted {
        task: app.services.quality.page(&ADMIN, STUDY).await.unwrap().choices.tasks[0].0,
        code: "// by ChatGPT\nint known() { return 1; }".into(),
        surrounding_text: String::new(),
    };
    let new = NewKnownItem { source, scores: vec![4, 3, 5], reasons: Vec::new(), pool: Pool::Both };
    app.services.quality.add_known_item(&ADMIN, STUDY, new).await.unwrap();
    set(&app, QualitySettings { calibration: CalibrationMode::Train, ..QualitySettings::default() }).await;
    let known = item(&mut app.demo_user("bo").await, &token).await;
    assert!(known.calibration.is_some() && text(&known).contains("MASKED"), "{}", text(&known));
    assert!(!text(&known).contains("ChatGPT"), "{}", text(&known));
    // Submissions were masked with different names, of which one is a part of another.
    let names = r#"UPDATE submission_masks SET names = CASE submission_id WHEN 1 THEN '["int"]' ELSE '["int known","chatgpt"]' END"#;
    app.services.db.write(move |tx| Ok(tx.execute(names, [])?)).await.unwrap();
    let known: GradingItem = app.demo_user("bo").await.rpc("item", json!({"assignment": known.token})).await.json();
    assert!(text(&known).contains("MASKED") && !text(&known).contains("known"), "{}", text(&known));
    for id in submissions {
        app.services.quality.set_mask(&ADMIN, id, false).await.unwrap();
    }
    let again: GradingItem = ada.rpc("item", json!({"assignment": it.token})).await.json();
    assert!(text(&again).contains("ChatGPT"));
}

#[tokio::test]
async fn pasted_code_has_text_around_it_where_work_has() {
    let app = TestApp::demo().await;
    let task = app.services.quality.page(&ADMIN, STUDY).await.unwrap().choices.tasks[0].0;
    let add = async |number: u32, surrounding_text: &str, pool| {
        let code = format!("int known{number}() {{ return {number}; }}");
        let source = KnownItemSource::Pasted { task, code, surrounding_text: surrounding_text.into() };
        let new = NewKnownItem { source, scores: vec![4, 3, 5], reasons: Vec::new(), pool };
        app.services.quality.add_known_item(&ADMIN, STUDY, new).await
    };
    let write = async |sql: &'static str| app.services.db.write(move |tx| Ok(tx.execute(sql, [])?)).await.unwrap();
    let refused = async |number, text| {
        let answer = add(number, text, Pool::Hidden).await.unwrap_err();
        assert!(matches!(&answer, model::error::AppError::Invalid(p) if p[0].file == "surrounding_text"), "{answer:?}");
    };
    write("UPDATE outputs SET surrounding_text = ''").await;
    refused(1, "Here it is:").await;
    add(2, " \r\n", Pool::Hidden).await.unwrap();
    // A calibration item is marked as such.
    add(3, "Here it is:", Pool::Calibration).await.unwrap();
    write("UPDATE outputs SET surrounding_text = 'Sure!'").await;
    refused(4, "").await;
    add(5, "Here it is:", Pool::Hidden).await.unwrap();
    write("UPDATE outputs SET surrounding_text = '' WHERE id = (SELECT min(id) FROM outputs)").await;
    add(6, "", Pool::Both).await.unwrap();
    add(7, "Here it is:", Pool::Both).await.unwrap();
    let exported = app.services.quality.known_items(&ADMIN, STUDY).await.unwrap();
    assert_eq!(exported[0].surrounding_text, "");
    assert_eq!(exported[2].surrounding_text, "Here it is:");
}

#[tokio::test]
async fn ratings_are_found_by_every_filter() {
    let app = TestApp::demo().await;
    let (mut ada, mut bo) = (app.rater().await, app.demo_user("bo").await);
    let token = study(&mut ada).await;
    for n in 0..6u8 {
        let it = item(&mut ada, &token).await;
        let flag = (n == 0).then_some(Flag::plain(FlagReason::CodeTruncated));
        let said = if n == 1 { "Zebra crossing" } else { "" };
        let given = Draft { flag, comment: said.into(), active_ms: Some(90_000), ..draft([1 + n % 4, 2, 2]) };
        submit(&mut ada, &it, &given, "k").await;
    }
    let it = item(&mut bo, &token).await;
    rate(&mut bo, &it, [4, 3, 5]).await;
    let find = async |filter: RatingFilter| app.services.quality.ratings(&ADMIN, STUDY, filter).await.unwrap();
    let all = find(RatingFilter::default()).await;
    assert_eq!((all.found, all.more, all.page.rows.len(), all.page.rows[0].rater.as_str()), (7, false, 7, "bo"));
    assert_eq!((all.page.rows[0].active_ms, all.page.rows[1].active_ms), (None, Some(90_000)));
    let check = async |filter: RatingFilter, found: u64| {
        assert_eq!(find(filter.clone()).await.found, found, "{filter:?}");
    };
    let of = RatingFilter::default;
    let ada_id = all.raters.iter().find(|(_, name)| name == "ada").unwrap().0.0;
    check(RatingFilter { rater: Some(ada_id), ..of() }, 6).await;
    check(RatingFilter { dimension: Some(0), score: Some(1), ..of() }, 2).await;
    check(RatingFilter { dimension: Some(2), ..of() }, 7).await;
    // On any dimension.
    check(RatingFilter { score: Some(5), ..of() }, 1).await;
    check(RatingFilter { score: Some(3), ..of() }, 2).await;
    check(RatingFilter { flagged: true, ..of() }, 1).await;
    // Of those with a measured time.
    check(RatingFilter { faster_than_s: Some(91), ..of() }, 6).await;
    check(RatingFilter { faster_than_s: Some(90), ..of() }, 0).await;
    check(RatingFilter { has_disagreement: true, ..of() }, 0).await;
    check(RatingFilter { text: "zebra".into(), ..of() }, 1).await;
    check(RatingFilter { text: "%".into(), ..of() }, 0).await;
    check(RatingFilter { rater: Some(ada_id), flagged: true, text: "zebra".into(), ..of() }, 0).await;
    let models: u64 = {
        let mut sum = 0;
        for (id, _) in &all.models {
            sum += find(RatingFilter { model: Some(*id), ..of() }).await.found;
        }
        sum
    };
    assert_eq!(models, 7);
    let first = find(RatingFilter { page: PageOf::first(5), ..of() }).await.page;
    let rest = PageOf { after: first.next.clone(), ..PageOf::first(5) };
    let rest = find(RatingFilter { page: rest, ..of() }).await.page;
    assert_eq!((first.rows.len(), rest.rows.len(), &rest.next), (5, 2, &None));
    assert_eq!([first.rows, rest.rows].concat(), all.page.rows);
    // Pages and figures work without JavaScript.
    let mut admin = app.admin().await;
    for page in ["", "/ratings?flagged=1", "/quality", "/flags", "/disagreements"] {
        let answer = admin.get(&format!("/admin/studies/1{page}")).await;
        assert_eq!(answer.status, StatusCode::OK, "{page}");
    }
    assert_eq!(admin.get("/adjudicate").await.status, StatusCode::OK);
}

#[tokio::test]
async fn raters_cannot_open_admin_pages() {
    let app = TestApp::demo().await;
    let mut ada = app.rater().await;
    for page in ["ratings", "quality", "flags", "disagreements"] {
        assert_eq!(ada.get(&format!("/admin/studies/1/{page}")).await.status, StatusCode::FORBIDDEN, "{page}");
    }
    for (function, arguments) in [
        ("study_quality", json!({"study": 1})),
        ("study_live", json!({"study": 1})),
        ("study_tabs", json!({"study": 1})),
        ("study_ratings", json!({"study": 1, "filter": RatingFilter::default()})),
        ("study_flags", json!({"study": 1})),
        ("study_disagreements", json!({"study": 1})),
        ("mask", json!({"submission": 1})),
    ] {
        let answer = ada.rpc(function, arguments.clone()).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{function}: {}", answer.body);
        let answer = app.anonymous().rpc(function, arguments).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{function}: {}", answer.body);
    }
    for function in ["my_feedback", "my_disagreements"] {
        assert_eq!(app.anonymous().rpc(function, json!({})).await.status, StatusCode::UNAUTHORIZED, "{function}");
    }
    let of = ["study", "submission", "item", "rater", "user", "on", "check", "output", "deactivated", "admitted"];
    let fields: Vec<(&str, &str)> =
        of.iter().map(|f| (*f, if ["deactivated", "admitted", "check"].contains(f) { "true" } else { "1" })).collect();
    for function in ["add_known_item", "reply_to_flag", "ask_extra"] {
        let answer = ada.form(&format!("/rpc/{function}"), &fields).await;
        assert!(
            answer.status == StatusCode::FORBIDDEN || answer.headers.contains_key("location"),
            "{function}: {}",
            answer.status
        );
    }
    let flags = app.services.quality.flags(&ADMIN, STUDY, PageOf::default()).await.unwrap().1.rows;
    assert!(flags.is_empty());
    assert!(app.services.quality.page(&ADMIN, STUDY).await.unwrap().known_items.is_empty());
    assert_eq!(app.services.quality.live(&ADMIN, STUDY).await.unwrap().extra, 0);
}

/// A study in which bo skips items and rates everything else, and then ada finishes.
#[derive(Clone, Copy, Debug)]
struct Skipping {
    /// For each skipped item, in order, whether it is a hidden check.
    kinds: &'static [bool],
    /// How often each is skipped.
    times: u32,
    raters_per_output: u32,
    /// Whether ada does not read the language of the skipped items.
    foreign: bool,
    /// Whether ada leaves when the items are hers, so that her leases end.
    leaves: bool,
}

/// What ada's requests do to bo's skipped items.
#[derive(Debug, PartialEq, Eq)]
struct Skipped {
    /// What bo's page says is left, after each request that changed it.
    left: Vec<u64>,
    /// Number of the items that are lost to bo, after each request that changed it.
    lost: Vec<u64>,
    /// The status of rating each item at the end.
    rated: Vec<StatusCode>,
}

impl Skipping {
    /// Plans are drawn at random, and not every plan has such items.
    async fn tried(self) -> Skipped {
        for _ in 0..30 {
            if let Some(found) = self.once().await {
                return found;
            }
        }
        panic!("no plan has such items: {self:?}")
    }

    async fn app(self) -> TestApp {
        let app = TestApp::demo().await;
        let token = app.token(&[Scope::WriteStudies]).await;
        let study = json!({
            "title": "Skipped", "dataset": "starter", "submissions": [1], "raters": [2, 3], "tasks": 16,
            "raters_per_output": self.raters_per_output, "repeat_every": 2, "repeat_apart": 1,
            "sharing": if self.foreign { "language" } else { "count" },
        });
        if self.foreign {
            let english = Reads::of(&[Lang::En]).unwrap();
            app.services.plans.set_reads(&System.admin(), UserId(2), english).await.unwrap();
        }
        let created = app.anonymous().api(&token, Method::POST, "/api/v1/studies", Some(study)).await;
        assert!(created.status.is_success(), "{}", created.body);
        app
    }

    async fn once(self) -> Option<Skipped> {
        let app = self.app().await;
        let (mut ada, mut bo) = (app.rater().await, app.demo_user("bo").await);
        let study = skipped_study(&mut bo).await.token.0;
        let mut skipped: Vec<(GradingItem, u32)> = Vec::new();
        loop {
            let all = skipped.len() == self.kinds.len() && skipped.iter().all(|(_, times)| *times == self.times);
            // What was skipped once comes again.
            let again = if self.times == 1 { skipped.len() as u64 } else { 0 };
            if all && skipped_study(&mut bo).await.progress.left <= again {
                break;
            }
            let Next::Item(it) = next(&mut bo, &study).await else { break };
            if let Some((_, times)) = skipped.iter_mut().find(|(one, _)| one.token == it.token) {
                if *times == self.times {
                    // It would come between what is left and a check that is due after it.
                    return None;
                }
                assert_eq!(bo.rpc("skip", json!({ "assignment": it.token })).await.status, StatusCode::OK);
                *times += 1;
                continue;
            }
            let is_check = is_check(&app, &it.token).await;
            let is_readable = it.nl_lang == Lang::En || !self.foreign;
            let is_meant = it.progress.rated > 1
                && self.kinds.get(skipped.len()) == Some(&is_check)
                && is_readable != self.foreign;
            if is_meant {
                assert_eq!(bo.rpc("skip", json!({ "assignment": it.token })).await.status, StatusCode::OK);
                skipped.push((*it, 1));
                continue;
            }
            rate(&mut bo, &it, [2, 2, 2]).await;
        }
        if skipped.len() < self.kinds.len() {
            return None;
        }
        let names = serde_json::to_string(&skipped.iter().map(|(item, _)| &item.token.0).collect::<Vec<_>>()).unwrap();
        let (mut left, mut lost, mut idle) = (Vec::new(), Vec::new(), 0);
        // A request may find nothing although the next one will.
        while idle < 4 {
            let (is, gone) = (skipped_study(&mut bo).await.progress.left, lost_to_bo(&app, &names).await);
            if (left.last(), lost.last()) != (Some(&is), Some(&gone)) {
                left.push(is);
                lost.push(gone);
            }
            let answer = next(&mut ada, &study).await;
            if self.leaves && lost_to_bo(&app, &names).await == self.kinds.len() as u64 {
                let sql = "UPDATE assignments SET leased_until = 1 WHERE user_id = 2 AND leased_until IS NOT NULL;
                    UPDATE checks SET away_until = 1 WHERE away_until IS NOT NULL;";
                app.services.db.write(move |tx| Ok(tx.execute_batch(sql)?)).await.unwrap();
                left.push(skipped_study(&mut bo).await.progress.left);
                // Hidden checks may come before it, as before other outputs that are taken over.
                loop {
                    let Next::Item(again) = next(&mut bo, &study).await else { panic!("{self:?}: nothing came back") };
                    if again.token == skipped[0].0.token {
                        break;
                    }
                    assert!(is_check(&app, &again.token).await, "{self:?}: an output came back first");
                    rate(&mut bo, &again, [2, 2, 2]).await;
                }
                left.push(skipped_study(&mut bo).await.progress.left);
                break;
            }
            match answer {
                Next::Item(it) => {
                    rate(&mut ada, &it, [2, 2, 2]).await;
                    idle = 0;
                }
                _ => idle += 1,
            }
        }
        let mut rated = Vec::new();
        for (n, (item, _)) in skipped.iter().enumerate() {
            rated.push(submit(&mut bo, item, &draft([2, 2, 2]), &format!("k{n}")).await.status);
        }
        Some(Skipped { left, lost, rated })
    }
}

async fn skipped_study(client: &mut Client) -> MyStudy {
    let all: Vec<MyStudy> = client.rpc("my_studies", json!({})).await.json();
    all.into_iter().find(|one| one.title == "Skipped").unwrap()
}

async fn is_check(app: &TestApp, item: &Token) -> bool {
    let name = item.0.clone();
    let sql = "SELECT count(*) > 0 FROM checks WHERE token = ?1";
    app.services.db.read(move |conn| Ok(conn.query_row(sql, [name], |row| row.get(0))?)).await.unwrap()
}

/// Number of bo's items among these names that ada has taken over, or would have if they were work.
async fn lost_to_bo(app: &TestApp, names: &str) -> u64 {
    let names = names.to_owned();
    let sql = "SELECT (SELECT count(*) FROM checks WHERE away_until IS NOT NULL AND token IN (SELECT value FROM json_each(?1)))
        + (SELECT count(*) FROM handouts h JOIN assignments a ON a.study_id = h.study_id AND a.output_id = h.output_id
           WHERE h.token IN (SELECT value FROM json_each(?1)) AND a.user_id = 2
             AND NOT EXISTS (SELECT 1 FROM assignments b
                 WHERE b.study_id = h.study_id AND b.output_id = h.output_id AND b.user_id IS NOT 2))";
    app.services.db.read(move |conn| Ok(conn.query_row(sql, [names], |row| row.get(0))?)).await.unwrap()
}

#[tokio::test]
async fn a_skipped_hidden_check_is_lost_where_work_would_be() {
    // One rater an output: another one takes skipped work over. Two, or none who reads the language: nobody can.
    for (raters_per_output, foreign) in [(1, false), (2, false), (1, true)] {
        for times in [1, 2] {
            let of = |kinds| Skipping { kinds, times, raters_per_output, foreign, leaves: false };
            let (check, work) = (of(&[true]).tried().await, of(&[false]).tried().await);
            assert_eq!(check, work, "{raters_per_output} raters an output, {foreign}, skipped {times} times");
            assert_eq!(check.lost.len(), if raters_per_output == 1 && !foreign { 2 } else { 1 });
        }
    }
}

/// How many of the items that come after the last planned one are work, and how many are hidden checks.
async fn after_the_last() -> (u64, u64) {
    let of = Skipping { kinds: &[], times: 0, raters_per_output: 1, foreign: false, leaves: false };
    let app = of.app().await;
    let mut ada = app.rater().await;
    let study = skipped_study(&mut ada).await.token.0;
    let (mut work, mut checks, mut is_over) = (0, 0, false);
    while let Next::Item(it) = next(&mut ada, &study).await {
        if is_over {
            *(if is_check(&app, &it.token).await { &mut checks } else { &mut work }) += 1;
        }
        rate(&mut ada, &it, [2, 2, 2]).await;
        let left = skipped_study(&mut ada).await.progress.left;
        assert!(!is_over || left == 0, "{left} left after an item that was taken over");
        is_over |= left == 0;
    }
    (work, checks)
}

#[tokio::test]
async fn what_comes_after_the_last_planned_item_may_be_a_hidden_check() {
    // Plans are drawn at random: in 16 positions, each a repeat with a probability of one half, some has none.
    let (mut work, mut checks) = (0, 0);
    for _ in 0..8 {
        let found = after_the_last().await;
        (work, checks) = (work + found.0, checks + found.1);
    }
    assert!(work >= 8 && checks >= 8, "{work} outputs and {checks} hidden checks");
}

#[tokio::test]
async fn what_a_taker_leaves_comes_back_whatever_it_is() {
    let of = |kinds| Skipping { kinds, times: 1, raters_per_output: 1, foreign: false, leaves: true };
    let (check, work) = (of(&[true]).tried().await, of(&[false]).tried().await);
    assert_eq!(check, work);
    assert_eq!((check.left.last(), check.rated), (Some(&1), vec![StatusCode::OK]));
}

#[tokio::test]
async fn skipped_items_are_lost_one_by_one_whatever_they_are() {
    let orders: [&[bool]; 6] = [
        &[false, true],
        &[true, false],
        &[true, true],
        &[false, false, true],
        &[false, true, true],
        &[true, false, false],
    ];
    for kinds in orders {
        for times in [1, 2] {
            let found = Skipping { kinds, times, raters_per_output: 1, foreign: false, leaves: false }.tried().await;
            assert_eq!(found.lost, (0..=kinds.len() as u64).collect::<Vec<_>>(), "{kinds:?}, skipped {times} times");
            let steps = found.left.windows(2).all(|two| two[0] - two[1] <= 1);
            assert!(steps && found.left.last() == Some(&0), "{kinds:?}, skipped {times} times: {:?}", found.left);
        }
    }
}

#[tokio::test]
async fn pasted_code_is_written_as_work_is() {
    let app = TestApp::demo().await;
    let task = app.services.quality.page(&ADMIN, STUDY).await.unwrap().choices.tasks[0].0;
    let add = async |code: &str| {
        let source = KnownItemSource::Pasted { task, code: code.into(), surrounding_text: String::new() };
        let new = NewKnownItem { source, scores: vec![4, 3, 5], reasons: Vec::new(), pool: Pool::Hidden };
        match app.services.quality.add_known_item(&ADMIN, STUDY, new).await {
            Ok(_) => String::new(),
            Err(model::error::AppError::Invalid(problems)) => problems[0].file.clone(),
            Err(other) => panic!("{other:?}"),
        }
    };
    let all = async |code: &str, filter: &str| {
        let sql = format!("UPDATE outputs SET code = '{code}', prompt = NULL WHERE {filter}");
        app.services.db.write(move |tx| Ok(tx.execute(&sql, [])?)).await.unwrap();
    };
    let (plain, spaced) = ("int f(int a) {\n  return g(a).h();\n}", "int f ( int a ) { return g ( a ) . h ( ) ; }");
    let long = format!("int f(int a) {{ {} }}", "g(a);".repeat(40));
    all(spaced, "TRUE").await;
    assert_eq!(add(plain).await, "code");
    assert_eq!(add(spaced).await, "");
    all(plain, "id = (SELECT output_id FROM assignments WHERE study_id = 1 LIMIT 1)").await;
    assert_eq!(add(plain).await, "");
    assert_eq!(add(&long).await, "code");
    all(plain, "TRUE").await;
    assert_eq!(add(spaced).await, "code");
}

#[tokio::test]
async fn no_check_is_of_a_task_whose_outputs_have_all_come() {
    let app = TestApp::demo().await;
    let token = app.token(&[Scope::WriteStudies]).await;
    let study = json!({
        "title": "Skipped", "dataset": "starter", "submissions": [1, 2, 3], "raters": [2], "tasks": 24,
        "raters_per_output": 1,
    });
    let created = app.anonymous().api(&token, Method::POST, "/api/v1/studies", Some(study)).await;
    let id = StudyId(created.json::<Value>()["id"].as_i64().unwrap());
    let tasks = app.services.quality.page(&ADMIN, id).await.unwrap().choices.tasks;
    for (n, task) in tasks.iter().take(24).enumerate() {
        let code = format!("int known{n}() {{ return {n}; }}");
        let source = KnownItemSource::Pasted { task: task.0, code, surrounding_text: String::new() };
        let new = NewKnownItem { source, scores: vec![4, 3, 5], reasons: Vec::new(), pool: Pool::Hidden };
        app.services.quality.add_known_item(&ADMIN, id, new).await.unwrap();
    }
    let settings =
        QualitySettings { known_item_every: 5, repeat_every: 5, repeat_apart: 6, ..QualitySettings::default() };
    app.services.quality.set(&ADMIN, id, crate::util::change_to(&settings)).await.unwrap();
    let mut ada = app.rater().await;
    let study = skipped_study(&mut ada).await.token.0;
    let (mut items, mut checks) = (0, 0);
    while let Next::Item(item) = next(&mut ada, &study).await {
        items += 1;
        let name = item.token.clone();
        let to_come: Option<u64> = app
            .services
            .db
            .read(move |conn| {
                let Some(check) = db::quality::checks::by_token(conn, &name, UserId(2))? else { return Ok(None) };
                let sql = "SELECT count(*) FROM assignments a JOIN outputs o ON o.id = a.output_id
                    WHERE a.study_id = ?1 AND a.user_id = 2 AND a.shown_at IS NULL AND o.revision_id = ?2";
                Ok(Some(conn.query_row(sql, [check.study.0, check.task.0], |row| row.get(0))?))
            })
            .await
            .unwrap();
        checks += u32::from(to_come.is_some());
        assert_ne!(to_come, Some(0), "item {items} is of a task whose outputs have all come");
        rate(&mut ada, &item, [2, 2, 2]).await;
    }
    assert!(items - checks == 72 && checks >= 12, "{checks} checks among {items} items");
}

/// A study of one submission in which ada and bo share 16 tasks, without hidden checks so far.
async fn plain_study() -> (TestApp, StudyId) {
    let app = TestApp::demo().await;
    let token = app.token(&[Scope::WriteStudies]).await;
    let study = json!({
        "title": "Skipped", "dataset": "starter", "submissions": [1], "raters": [2, 3], "tasks": 16, "raters_per_output": 1,
    });
    let created = app.anonymous().api(&token, Method::POST, "/api/v1/studies", Some(study)).await;
    let id = created.json::<Value>()["id"].as_i64().unwrap();
    (app, StudyId(id))
}

#[tokio::test]
async fn checks_that_are_switched_on_later_do_not_come_at_once() {
    let (app, id) = plain_study().await;
    let mut ada = app.rater().await;
    let study = skipped_study(&mut ada).await.token.0;
    for _ in 0..6 {
        let it = item(&mut ada, &study).await;
        rate(&mut ada, &it, [2, 2, 2]).await;
    }
    let repeats = QualitySettings { repeat_every: 2, repeat_apart: 1, ..QualitySettings::default() };
    app.services.quality.set(&ADMIN, id, crate::util::change_to(&repeats)).await.unwrap();
    assert!(!is_check(&app, &item(&mut ada, &study).await.token).await, "none is due for the outputs before");
}

#[tokio::test]
async fn items_that_could_not_be_work_are_no_hidden_checks() {
    let app = TestApp::demo().await;
    let graded = "SELECT max(v.revision_id) FROM dataset_version_tasks v JOIN studies s ON s.version_id = v.version_id
        WHERE s.id = 1 AND v.revision_id NOT IN (
            SELECT o.revision_id FROM assignments a JOIN outputs o ON o.id = a.output_id WHERE a.study_id = 1)";
    let other = app.services.db.read(|conn| Ok(conn.query_row(graded, [], |row| row.get::<_, i64>(0))?)).await.unwrap();
    let own = app.services.quality.page(&ADMIN, STUDY).await.unwrap().choices.tasks[0].0;
    let add = async |task, code: &str, pool| {
        let source = KnownItemSource::Pasted { task, code: code.into(), surrounding_text: String::new() };
        let new = NewKnownItem { source, scores: vec![4, 3, 5], reasons: Vec::new(), pool };
        match app.services.quality.add_known_item(&ADMIN, STUDY, new).await {
            Ok(_) => String::new(),
            Err(model::error::AppError::Invalid(problems)) => problems[0].file.clone(),
            Err(other) => panic!("{other:?}"),
        }
    };
    // Of each task of the study, raters see three outputs.
    assert_eq!(add(TaskRevisionId(other), "int a;", Pool::Hidden).await, "task");
    assert_eq!(add(TaskRevisionId(other), "int a;", Pool::Calibration).await, "");
    assert_eq!(add(own, "// by ChatGPT\nint a;", Pool::Both).await, "code");
    assert_eq!(add(own, "// by ChatGPT\nint a;", Pool::Calibration).await, "");
    assert_eq!(add(own, "int b;", Pool::Hidden).await, "");
    // Nor by another pool.
    let items = app.services.quality.page(&ADMIN, STUDY).await.unwrap().known_items;
    let change = KnownItemChange { pool: Some(Pool::Both), ..KnownItemChange::default() };
    for (item, is_refused) in items.iter().zip([true, true, false]) {
        let answer = app.services.quality.change_known_item(&ADMIN, STUDY, item.id, change).await;
        assert_eq!(answer.is_err(), is_refused, "{}", item.task_id);
    }
}

#[tokio::test]
async fn a_rater_gets_only_checks_that_could_be_their_work() {
    let app = TestApp::demo().await;
    let id = add_known_item(&app, &[[4, 3, 5]]).await[0];
    let ada = UserId(2);
    let usable = async || {
        let read = move |conn: &rusqlite::Connection| db::quality::known_items::hidden_ones(conn, STUDY, ada, true);
        app.services.db.read(read).await.unwrap()
    };
    let write = async |sql: &'static str| app.services.db.write(move |tx| Ok(tx.execute_batch(sql)?)).await.unwrap();
    assert_eq!(usable().await, [id]);
    write("UPDATE study_raters SET reads = 'zh' WHERE study_id = 1 AND user_id = 2").await;
    write("UPDATE task_revisions SET nl_lang = 'en' WHERE id = (SELECT revision_id FROM known_items)").await;
    assert!(usable().await.is_empty(), "in a language that the rater does not read");
    write("UPDATE study_raters SET reads = 'en' WHERE study_id = 1 AND user_id = 2").await;
    assert_eq!(usable().await, [id]);
    write(
        "UPDATE known_items SET output_id =
             (SELECT id FROM outputs WHERE id NOT IN (SELECT output_id FROM assignments WHERE study_id = 1) LIMIT 1)",
    )
    .await;
    assert_eq!(usable().await, [id]);
    write(
        "INSERT INTO disagreement_handouts (token, study_id, output_id, user_id)
         SELECT 'seen', 1, output_id, 2 FROM known_items",
    )
    .await;
    assert!(usable().await.is_empty(), "an adjudicator has seen it");
}

#[tokio::test]
async fn a_time_that_cannot_be_is_refused_whatever_the_item_is() {
    let app = TestApp::demo().await;
    let mut ada = app.rater().await;
    let token = study(&mut ada).await;
    let it = item(&mut ada, &token).await;
    for active_ms in [u64::MAX, 1 << 63, 1 << 62, model::grading::ACTIVE_MS_MAX + 1] {
        let wrong = Draft { active_ms: Some(active_ms), ..draft([2, 2, 2]) };
        for answer in [
            submit(&mut ada, &it, &wrong, "k").await,
            ada.rpc("save_draft", json!({"assignment": it.token, "draft": wrong})).await,
        ] {
            assert!(answer.status.is_client_error(), "{active_ms}: {} {}", answer.status, answer.body);
            assert!(answer.body.contains("Time"), "{}", answer.body);
        }
    }
    let longest = Draft { active_ms: Some(model::grading::ACTIVE_MS_MAX), ..draft([2, 2, 2]) };
    assert_eq!(submit(&mut ada, &it, &longest, "k").await.status, StatusCode::OK);
}
