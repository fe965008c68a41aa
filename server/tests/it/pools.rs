//! Pools of known-score items, outputs that become known-score items, and limits for raters.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::collections::BTreeSet;

use axum::http::{Method, StatusCode};
use db::quality::{
    checks::Kind,
    disagreements,
    known_items::{self, available},
};
use model::{
    api::Scope,
    audit::AuditFilter,
    audit_details::{Details, Fact},
    caller::{Admin, System},
    error::AppError,
    feedback::Calibration,
    grading::{Draft, GradingItem, Halt, MyStudy, Next, OwnRatings},
    ids::{OutputId, StudyId, UserId},
    inbox::{InboxAct, InboxFilter, InboxItem, InboxKind, InboxRequest, InboxRow},
    lang::Bilingual,
    page::PageOf,
    plan::Extension,
    quality::{
        CalibrationMode, KnownItemChange, KnownItemRecord, KnownItemSource, LimitAction, NewKnownItem, Pool,
        QualitySettings,
    },
};
use port::{Plans as _, audit::AuditLog as _, inbox::Inbox as _, quality::Quality as _};
use serde_json::{Value, json};

use crate::util::{Answer, Client, TestApp};

const STUDY: StudyId = StudyId(1);
const ADMIN: Admin = System.admin();

async fn token(client: &mut Client) -> String {
    let mine: Vec<MyStudy> = client.rpc("my_studies", json!({})).await.json();
    mine[0].token.0.clone()
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

fn draft(scores: [u8; 3], ms: u64) -> Draft {
    Draft { scores: scores.into_iter().map(Some).collect(), active_ms: Some(ms), ..Draft::default() }
}

async fn submit(client: &mut Client, item: &GradingItem, draft: &Draft) -> Answer {
    client.rpc("submit_rating", json!({"assignment": item.token, "draft": draft, "key": "k"})).await
}

async fn rate(client: &mut Client, item: &GradingItem) {
    let answer = submit(client, item, &draft([2, 2, 2], 60_000)).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
}

/// Rates everything, the calibration included.
async fn rate_all(client: &mut Client, study: &str) {
    loop {
        let read = match next(client, study).await {
            Next::Item(item) => {
                rate(client, &item).await;
                continue;
            }
            Next::Calibration(calibration) => match *calibration {
                Calibration::Feedback(feedback) => feedback.token.0,
                Calibration::Passed(result) | Calibration::Stopped(result) => result.study.0,
            },
            Next::Finished { .. } => return,
            other => panic!("{other:?}"),
        };
        client.form("/rpc/go_on", &[("what", &read)]).await;
    }
}

/// Adds an item with code of its own for a task of the dataset.
async fn add(app: &TestApp, n: usize, pool: Pool) -> i64 {
    let choices = app.services.quality.page(&ADMIN, STUDY).await.unwrap().choices;
    let source = KnownItemSource::Pasted {
        task: choices.tasks[n].0,
        code: format!("int known{n}() {{ return {n}; }}"),
        surrounding_text: String::new(),
    };
    let new = NewKnownItem { source, scores: vec![2, 2, 2], reasons: Vec::new(), pool };
    app.services.quality.add_known_item(&ADMIN, STUDY, new).await.unwrap()
}

async fn set(app: &TestApp, settings: QualitySettings) -> Result<(), AppError> {
    app.services.quality.set(&ADMIN, STUDY, crate::util::change_to(&settings)).await
}

async fn user(app: &TestApp, name: &str) -> UserId {
    app.services.accounts.named(&ADMIN, name).await.unwrap().unwrap()
}

/// The known-score items that the rater had as checks of a kind.
async fn had(app: &TestApp, rater: UserId, kind: &'static str) -> BTreeSet<i64> {
    let read = app.services.db.read(move |conn| {
        let mut statement = conn.prepare(
            "SELECT known_item_id FROM checks WHERE user_id = ?1 AND kind = ?2 AND known_item_id IS NOT NULL",
        )?;
        let rows = statement.query_map((rater.0, kind), |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    });
    read.await.unwrap()
}

fn one_field(refused: Result<(), AppError>) -> String {
    match refused.unwrap_err() {
        AppError::Invalid(problems) => problems[0].file.clone(),
        other => panic!("{other:?}"),
    }
}

async fn inbox(app: &TestApp, kind: InboxKind) -> Vec<InboxRow> {
    let filter = InboxFilter { kind: Some(kind), study: Some(STUDY) };
    app.services.inbox.list(&ADMIN, filter, PageOf::first(PageOf::MOST)).await.unwrap().rows
}

#[tokio::test]
async fn nobody_has_an_item_both_in_the_calibration_and_as_a_hidden_check() {
    let app = TestApp::demo().await;
    let calibration = [add(&app, 0, Pool::Calibration).await, add(&app, 1, Pool::Calibration).await];
    let hidden = [add(&app, 2, Pool::Hidden).await, add(&app, 3, Pool::Hidden).await];
    let both = add(&app, 4, Pool::Both).await;
    let settings =
        QualitySettings { calibration: CalibrationMode::Train, known_item_every: 2, ..QualitySettings::default() };
    set(&app, settings).await.unwrap();
    let (ada, bo) = (user(&app, "ada").await, user(&app, "bo").await);
    let mut client = app.rater().await;
    let study = token(&mut client).await;
    rate_all(&mut client, &study).await;
    assert_eq!(had(&app, ada, "calibration").await, [calibration[0], calibration[1], both].into());
    assert_eq!(had(&app, ada, "known_item").await, hidden.into());
    // Bo has no calibration, so the item of both pools can be a hidden check.
    app.services.quality.set_admission(&ADMIN, STUDY, bo, true).await.unwrap();
    let mut client = app.demo_user("bo").await;
    rate_all(&mut client, &study).await;
    assert_eq!(had(&app, bo, "known_item").await, [hidden[0], hidden[1], both].into());
    // A calibration afterwards would tell what it was.
    app.services.quality.set_admission(&ADMIN, STUDY, bo, false).await.unwrap();
    rate_all(&mut client, &study).await;
    assert_eq!(had(&app, bo, "calibration").await, calibration.into());
    // Nor does another item with the same code come again.
    app.services
        .quality
        .change_known_item(&ADMIN, STUDY, both, KnownItemChange { deactivated: Some(true), pool: None })
        .await
        .unwrap();
    let again = add(&app, 4, Pool::Both).await;
    for rater in [ada, bo] {
        for kind in [Kind::Calibration, Kind::Known] {
            let items = app.services.db.read(move |conn| available(conn, STUDY, rater, kind, true)).await.unwrap();
            assert!(!items.contains(&again), "{rater} {kind:?}");
        }
    }
}

#[tokio::test]
async fn settings_say_what_the_pools_lack() {
    let app = TestApp::demo().await;
    let of = QualitySettings::default;
    let checks = QualitySettings { known_item_every: 5, ..of() };
    let train = QualitySettings { calibration: CalibrationMode::Train, ..of() };
    let both = QualitySettings { known_item_every: 5, calibration: CalibrationMode::Train, ..of() };
    assert_eq!(one_field(set(&app, checks).await), "known_item_every");
    assert_eq!(one_field(set(&app, train).await), "calibration");
    let item = add(&app, 0, Pool::Calibration).await;
    assert_eq!(one_field(set(&app, checks).await), "known_item_every");
    set(&app, train).await.unwrap();
    let pool = async |pool| {
        let change = KnownItemChange { pool: Some(pool), deactivated: None };
        app.services.quality.change_known_item(&ADMIN, STUDY, item, change).await
    };
    // An item of both pools belongs to the calibration while there is one.
    pool(Pool::Both).await.unwrap();
    assert_eq!(one_field(set(&app, both).await), "known_item_every");
    set(&app, checks).await.unwrap();
    assert_eq!(app.services.quality.page(&ADMIN, STUDY).await.unwrap().pool_sizes(), (1, 1));
    pool(Pool::Hidden).await.unwrap();
    assert_eq!(one_field(set(&app, train).await), "calibration");
    assert_eq!(app.services.quality.page(&ADMIN, STUDY).await.unwrap().pool_sizes(), (0, 1));
    // Raters must be able to pass.
    pool(Pool::Both).await.unwrap();
    set(&app, QualitySettings { calibration: CalibrationMode::MustPass, needed: 1, ..of() }).await.unwrap();
    assert!(matches!(pool(Pool::Hidden).await, Err(AppError::Conflict(_))));
    assert!(matches!(app.services.quality.remove_known_item(&ADMIN, STUDY, item).await, Err(AppError::Conflict(_))));
    // The limits.
    let limits = QualitySettings { min_seconds: 5, fast_limit: 5, limit_window: 10, ..of() };
    set(&app, limits).await.unwrap();
    assert_eq!(one_field(set(&app, QualitySettings { limit_window: 9, ..limits }).await), "limit_window");
    assert_eq!(one_field(set(&app, QualitySettings { fast_limit: 0, ..limits }).await), "fast_limit");
    assert_eq!(one_field(set(&app, QualitySettings { fast_limit: 11, ..limits }).await), "fast_limit");
    assert_eq!(one_field(set(&app, QualitySettings { missed_limit: 1, ..limits }).await), "missed_limit");
    assert_eq!(one_field(set(&app, QualitySettings { missed_limit: 2, ..limits }).await), "missed_limit");
    assert_eq!(one_field(set(&app, QualitySettings { min_seconds: 3601, ..limits }).await), "min_seconds");
}

#[tokio::test]
async fn known_items_are_exported_and_imported_with_their_pools() {
    let app = TestApp::demo().await;
    add(&app, 0, Pool::Calibration).await;
    let removed = add(&app, 1, Pool::Hidden).await;
    let exported = app.services.quality.known_items(&ADMIN, STUDY).await.unwrap();
    assert_eq!(exported.iter().map(|item| item.pool).collect::<Vec<_>>(), [Pool::Calibration, Pool::Hidden]);
    // The code is there already; all or none.
    let import =
        async |items: Vec<KnownItemRecord>| app.services.quality.import_known_items(&ADMIN, STUDY, items).await;
    let new = KnownItemRecord { code: "int other;".into(), ..exported[0].clone() };
    assert!(matches!(import(vec![new.clone(), exported[1].clone()]).await, Err(AppError::Conflict(_))));
    let wrong = KnownItemRecord { scores: vec![9, 9, 9], ..new.clone() };
    match import(vec![new.clone(), wrong]).await.unwrap_err() {
        AppError::Invalid(problems) => assert_eq!(problems[0].file, "2.scores"),
        other => panic!("{other:?}"),
    }
    assert!(import(vec![KnownItemRecord { task_id: "none".into(), ..new.clone() }]).await.is_err());
    assert_eq!(app.services.quality.known_items(&ADMIN, STUDY).await.unwrap(), exported);
    app.services.quality.remove_known_item(&ADMIN, STUDY, removed).await.unwrap();
    assert_eq!(import(vec![exported[1].clone(), new]).await.unwrap(), 2);
    assert_eq!(app.services.quality.known_items(&ADMIN, STUDY).await.unwrap().len(), 3);
}

/// An output that ada and bo rated and chen did not, with no rating missing, and one with a missing rating.
async fn rated_outputs(app: &TestApp) -> (OutputId, OutputId) {
    let read = app.services.db.read(|conn| {
        let one = |sql: &str| conn.query_row(sql, [], |row| row.get(0).map(OutputId));
        let rated = one("SELECT a.output_id FROM assignments a WHERE a.study_id = 1
                         AND NOT EXISTS (SELECT 1 FROM assignments b JOIN users u ON u.id = b.user_id
                                         WHERE b.output_id = a.output_id AND u.name = 'chen')
                         GROUP BY a.output_id HAVING count(*) = count(a.rated_at) LIMIT 1")?;
        let open = one("SELECT a.output_id FROM assignments a WHERE a.study_id = 1
                        GROUP BY a.output_id HAVING count(a.rated_at) BETWEEN 1 AND count(*) - 1 LIMIT 1")?;
        Ok((rated, open))
    });
    read.await.unwrap()
}

#[tokio::test]
async fn adjudicated_output_becomes_a_known_item_for_those_who_never_had_it() {
    let app = TestApp::demo().await;
    let (mut ada, mut bo) = (app.rater().await, app.demo_user("bo").await);
    let study = token(&mut ada).await;
    // In turn, for a while: some outputs are complete, others are not.
    for _ in 0..40 {
        for who in [&mut ada, &mut bo] {
            if let Next::Item(it) = next(who, &study).await {
                rate(who, &it).await;
            }
        }
    }
    let (output, open) = rated_outputs(&app).await;
    let (admin_user, chen) = (user(&app, "admin").await, user(&app, "chen").await);
    let decide =
        app.services.db.write(move |tx| disagreements::decide(tx, STUDY, output, admin_user, &[4, 1, 5], "Right."));
    decide.await.unwrap();
    let proposal = app.services.quality.propose_known_item(&ADMIN, STUDY, output).await.unwrap();
    assert_eq!(
        (proposal.scores, proposal.decision.as_deref(), proposal.missing),
        (vec![Some(4), Some(1), Some(5)], Some("Right."), 0)
    );
    let median = app.services.quality.propose_known_item(&ADMIN, STUDY, open).await.unwrap();
    assert_eq!((median.scores, median.decision), (vec![Some(2); 3], None));
    assert!(median.missing > 0);

    // An explanation is required; the final scores are the default.
    let new = |output, reasons| NewKnownItem {
        source: KnownItemSource::Output(output),
        scores: Vec::new(),
        reasons,
        pool: Pool::Hidden,
    };
    let add = async |new| app.services.quality.add_known_item(&ADMIN, STUDY, new).await;
    assert_eq!(one_field(add(new(output, Vec::new())).await.map(|_| ())), "reasons");
    let why = || vec![Bilingual { en: "Handles the empty list.".into(), zh: String::new() }];
    let item = add(new(output, why())).await.unwrap();
    let waiting = add(new(open, why())).await.unwrap();
    assert!(matches!(add(new(output, why())).await, Err(AppError::Conflict(_))), "only once");
    let page = app.services.quality.page(&ADMIN, STUDY).await.unwrap();
    let found = page.known_items.iter().find(|one| one.id == item).unwrap();
    assert_eq!(
        (found.scores.as_slice(), found.graded, found.used, found.pool),
        ([4, 1, 5].as_slice(), true, false, Pool::Hidden)
    );
    let log = app.services.audit.page(&ADMIN, AuditFilter::default()).await.unwrap().entries;
    let facts = vec![Fact::KnownItem(item), Fact::Output(output), Fact::Pool(Pool::Hidden)];
    assert!(log.iter().any(|entry| entry.detail == Details(facts.clone())), "{log:?}");

    // Only who never had it may get it, and nobody while a rating is missing.
    let may = async |name: &'static str| {
        let rater = user(&app, name).await;
        app.services.db.read(move |conn| available(conn, STUDY, rater, Kind::Known, true)).await.unwrap()
    };
    assert_eq!((may("ada").await, may("bo").await, may("chen").await), (vec![], vec![], vec![item]));
    set(&app, QualitySettings { known_item_every: 2, ..QualitySettings::default() }).await.unwrap();
    let mut client = app.demo_user("chen").await;
    while had(&app, chen, "known_item").await.is_empty() {
        let it = self::item(&mut client, &study).await;
        rate(&mut client, &it).await;
    }
    assert_eq!(had(&app, chen, "known_item").await, [item].into());
    // From now on, chen cannot get the output as work, in any way.
    let left = app.services.db.read(move |conn| disagreements::rater_left(conn, STUDY, output)).await.unwrap();
    assert_ne!(left, Some(chen));
    app.services
        .plans
        .extend(&ADMIN, STUDY, Extension { raters_per_output: Some(3), ..Extension::default() })
        .await
        .unwrap();
    rate_all(&mut client, &study).await;
    let works = app.services.db.read(move |conn| disagreements::rates(conn, STUDY, output, chen)).await.unwrap();
    assert!(!works, "a hidden check came again as work");

    // Removal undoes it until a rater has had the item.
    app.services.quality.remove_known_item(&ADMIN, STUDY, waiting).await.unwrap();
    assert!(matches!(app.services.quality.remove_known_item(&ADMIN, STUDY, item).await, Err(AppError::Conflict(_))));
    let sizes = app.services.db.read(|conn| known_items::sizes(conn, STUDY)).await.unwrap();
    assert_eq!((sizes.hidden, sizes.both, sizes.calibration), (1, 0, 0));
}

/// Ten outputs at a time, of which five may be faster than ten seconds.
fn limits(limit_action: LimitAction) -> QualitySettings {
    QualitySettings { min_seconds: 10, fast_limit: 5, limit_window: 10, limit_action, ..QualitySettings::default() }
}

#[tokio::test]
async fn rater_is_paused_where_a_window_ends_and_loses_nothing() {
    let app = TestApp::demo().await;
    set(&app, limits(LimitAction::Pause)).await.unwrap();
    let mut ada = app.rater().await;
    let study = token(&mut ada).await;
    // Four of the first window are too fast: within the limit. Five of the second are not.
    for n in 0..20 {
        let it = item(&mut ada, &study).await;
        let ms = if n % 10 < 4 + n / 10 { 900 } else { 60_000 };
        assert_eq!(submit(&mut ada, &it, &draft([2, 2, 2], ms)).await.status, StatusCode::OK, "after {n}");
        if n == 18 {
            // The page has prefetched the output after the next.
            let named = json!({"study": study, "holding": []});
            assert!(matches!(ada.rpc("next_item", named).await.json(), Next::Item(_)));
        }
    }
    let Next::Paused { why: Halt::Rater, progress, .. } = next(&mut ada, &study).await else { panic!("not paused") };
    assert_eq!(progress.rated, 20, "every acknowledged rating is there");
    let mine: Vec<MyStudy> = ada.rpc("my_studies", json!({})).await.json();
    assert!(!mine[0].open && mine[0].paused);
    for (lang, words) in [("en", "You are paused in this study"), ("zh", "您在此项目中已被暂停")] {
        ada.form("/lang", &[("lang", lang)]).await;
        let page = ada.get(&format!("/grade/{study}")).await;
        assert!(page.body.contains(words), "{}", page.body);
        // Neither which limit nor which output.
        assert!(!page.body.contains("hidden check") && !page.body.contains("检验"));
    }
    // A draft is stored; a rating, a change and an undo are refused and change nothing.
    let own = ada.rpc("own_ratings", json!({"study": study})).await.json::<OwnRatings>().rows;
    let newest: GradingItem = ada.rpc("item", json!({"assignment": own[0].token})).await.json();
    let change = draft([1, 1, 1], 60_000);
    let refused = ada.rpc("submit_rating", json!({"assignment": newest.token, "draft": change, "key": "again"})).await;
    assert_eq!(refused.status, StatusCode::CONFLICT, "{}", refused.body);
    assert_eq!(ada.rpc("undo_rating", json!({"assignment": newest.token})).await.status, StatusCode::CONFLICT);
    let saved = ada.rpc("save_draft", json!({"assignment": newest.token, "draft": change})).await;
    assert_eq!(saved.status, StatusCode::OK, "{}", saved.body);

    // It waits in the inbox; it cannot be dismissed.
    let open = inbox(&app, InboxKind::Pace).await;
    let is_hers = |item: &InboxItem| matches!(item, InboxItem::Rater { name, count: 5, of: 10, seconds: 10, paused: true, .. } if name == "ada");
    assert!(open.len() == 1 && is_hers(&open[0].item), "{open:?}");
    let act = async |act| app.services.inbox.act(&ADMIN, InboxRequest { act, items: vec![open[0].id] }).await;
    assert!(matches!(act(InboxAct::Dismiss).await, Err(AppError::Conflict(_))));
    act(InboxAct::Resume).await.unwrap();
    assert!(inbox(&app, InboxKind::Pace).await.is_empty());
    assert!(matches!(next(&mut ada, &study).await, Next::Item(_)));
    let kept: GradingItem = ada.rpc("item", json!({"assignment": newest.token})).await.json();
    assert_eq!(kept.draft.scores, change.scores, "the draft is kept");
    // A new window begins.
    let it = item(&mut ada, &study).await;
    submit(&mut ada, &it, &draft([2, 2, 2], 900)).await;
    assert!(matches!(next(&mut ada, &study).await, Next::Item(_)));
}

#[tokio::test]
async fn missed_checks_count_only_where_a_window_ends_and_a_warning_is_read_once() {
    let app = TestApp::demo().await;
    for n in 0..6 {
        add(&app, n, Pool::Hidden).await;
    }
    let settings = QualitySettings {
        known_item_every: 2,
        missed_limit: 2,
        limit_window: 10,
        limit_action: LimitAction::Warn,
        ..QualitySettings::default()
    };
    set(&app, settings).await.unwrap();
    let mut ada = app.rater().await;
    let study = token(&mut ada).await;
    let mut rated = 0;
    let warned = loop {
        match next(&mut ada, &study).await {
            Next::Item(it) => {
                // Every hidden check is missed.
                submit(&mut ada, &it, &draft([1, 1, 1], 60_000)).await;
                rated += 1;
            }
            other => break other,
        }
    };
    assert!(matches!(warned, Next::Paused { why: Halt::Warning(_), .. }), "{warned:?}");
    assert_eq!(rated % 10, 0, "the moment says nothing about an item");
    let open = inbox(&app, InboxKind::Checks).await;
    assert!(matches!(&open[0].item, InboxItem::Rater { count: 2.., paused: false, .. }), "{open:?}");
    // Undoing and rating again decides nothing anew.
    let page = ada.get(&format!("/grade/{study}")).await;
    assert!(page.body.contains("Please take your time") && !page.body.contains("hidden check"), "{}", page.body);
    ada.form("/rpc/go_on", &[("what", &study)]).await;
    let own = ada.rpc("own_ratings", json!({"study": study})).await.json::<OwnRatings>().rows;
    ada.rpc("undo_rating", json!({"assignment": own[0].token})).await;
    let it: GradingItem = ada.rpc("item", json!({"assignment": own[0].token})).await.json();
    submit(&mut ada, &it, &draft([1, 1, 2], 60_000)).await;
    assert!(matches!(next(&mut ada, &study).await, Next::Item(_)));
    app.services.inbox.act(&ADMIN, InboxRequest { act: InboxAct::Dismiss, items: vec![open[0].id] }).await.unwrap();
    assert!(inbox(&app, InboxKind::Checks).await.is_empty());
}

#[tokio::test]
async fn rest_chooses_pools_and_resumes_raters() {
    let app = TestApp::demo().await;
    let token = &app.token(&[Scope::Read, Scope::WriteStudies]).await;
    let mut program = app.anonymous();
    let mut send = async |method: Method, path: &str, body: Option<Value>| {
        let answer = program.api(token, method, &format!("/api/v1/studies/1/{path}"), body).await;
        (answer.status.as_u16(), serde_json::from_str::<Value>(&answer.body).unwrap_or_default())
    };
    let task = app.services.quality.page(&ADMIN, STUDY).await.unwrap().choices.tasks[0].1.clone();
    let items = json!({"items": [{"task_id": task, "code": "int a;", "scores": [2, 2, 2], "pool": "calibration"}]});
    assert_eq!(send(Method::POST, "known-items/import", Some(items)).await, (200, json!({"imported": 1})));
    let id = app.services.quality.page(&ADMIN, STUDY).await.unwrap().known_items[0].id;
    let item = format!("known-items/{id}");
    assert_eq!(send(Method::PATCH, &item, Some(json!({"pool": "hidden"}))).await.0, 204);
    assert_eq!(send(Method::PATCH, &item, Some(json!({"pool": "secret"}))).await.0, 422);
    assert_eq!(send(Method::PATCH, &item, Some(json!({"deactivated": true, "pool": "both"}))).await.0, 204);
    let (_, page) = send(Method::GET, "quality", None).await;
    assert_eq!(
        (&page["known_items"][0]["pool"], &page["known_items"][0]["deactivated"]),
        (&json!("both"), &json!(true))
    );
    assert_eq!(send(Method::GET, "known-items", None).await, (200, json!([])), "deactivated ones are left out");
    assert_eq!(send(Method::DELETE, &item, None).await.0, 204);
    assert_eq!(send(Method::DELETE, &item, None).await.0, 404);

    // A preset, and a setting on top of it. The page says what it comes to.
    assert_eq!(send(Method::GET, "quality", None).await.1["preset"], json!("off"));
    let light = json!({"preset": "light", "break_minutes": 50});
    assert_eq!(send(Method::PATCH, "quality", Some(light)).await.0, 204);
    let (_, page) = send(Method::GET, "quality", None).await;
    assert_eq!(
        (&page["preset"], &page["settings"]["break_minutes"], &page["settings"]["repeat_every"]),
        (&json!("light"), &json!(50), &json!(20))
    );
    assert!(page["workload"]["ratings"].as_u64().unwrap() > 0 && page["extra_work"]["repeats"].is_f64(), "{page}");
    assert_eq!(send(Method::PATCH, "quality", Some(json!({"spread": 0}))).await.0, 204);
    assert_eq!(send(Method::GET, "quality", None).await.1["preset"], Value::Null);
    let refused = send(Method::PATCH, "quality", Some(json!({"preset": "strict"}))).await;
    assert_eq!(refused.0, 422, "strict needs known-score items: {}", refused.1);
    assert_eq!(send(Method::PATCH, "quality", Some(json!({"preset": "off", "break_minutes": null}))).await.0, 204);
    assert_eq!(send(Method::GET, "quality", None).await.1["preset"], json!("off"));

    let ada = user(&app, "ada").await;
    let pause = format!("raters/{ada}/pause");
    for _ in 0..2 {
        assert_eq!(send(Method::PUT, &pause, Some(json!({"on": true}))).await.0, 204);
    }
    let (_, page) = send(Method::GET, "quality", None).await;
    let row = page["limits"].as_array().unwrap().iter().find(|row| row["name"] == "ada").unwrap();
    assert!(!row["paused_at"].is_null(), "{row}");
    assert_eq!(send(Method::PUT, &pause, Some(json!({"on": false}))).await.0, 204);
    assert_eq!(send(Method::PUT, "raters/4711/pause", Some(json!({"on": true}))).await.0, 404);
    let log = app.services.audit.page(&ADMIN, AuditFilter::default()).await.unwrap().entries;
    let count = |action: &str| log.iter().filter(|entry| entry.action == action).count();
    // The second pause changed nothing.
    let counts = ["study.pause_rater", "study.resume_rater", "known_scores.set_pool", "known_scores.remove"].map(count);
    assert_eq!(counts, [1, 1, 2, 1]);
}
