//! The inbox: whatever people do, each thing that needs an admin is in it once, and nothing else is. Two admins who
//! decide the same are told.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::{cmp::Reverse, collections::BTreeSet, os::unix::fs::FileExt};

use crate::util::{Client, TestApp};
use axum::http::{Method, StatusCode};
use base::clock;
use db::{
    quality::{self, disagreements},
    routines::Routine,
    runs, studies,
};
use model::{
    api::{NewWebhook, Scope, WebhookEvent},
    audit::{AuditFilter, Object},
    caller::{Admin, Caller, Capability, System},
    error::AppError,
    fault::{FolderProblem, RoutineFault},
    feedback::{Disagreement, DisagreementQueue},
    flag::{Flag, FlagReason},
    grading::{Draft, GradingItem, MyStudy, Next},
    ids::{OutputId, RunId, StudyId, SubmissionId, Token},
    inbox::{InboxAct, InboxDone, InboxFilter, InboxItem, InboxKind, InboxPreview, InboxRequest, InboxRow, UNDO_S},
    page::PageOf,
    quality::{Policy, QualitySettings},
    reason::Fault,
    run::{NewRun, RunStatus},
    study::StudyStatus,
    time::Timestamp,
    user::{Joins, Role},
};
use port::{
    Accounts, Runs as _, Studies as _,
    audit::AuditLog as _,
    inbox::Inbox as _,
    quality::{Monitoring as _, Quality as _},
    upkeep::Upkeeps as _,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use services::{
    backup::schedule::{Daily, DailyFigures, Keep},
    quality::spread,
};

const STUDY: StudyId = StudyId(1);
const ADMIN: Admin = System.admin();

fn numbers(app: &TestApp, sql: &'static str) -> Vec<i64> {
    app.services
        .db
        .read_blocking(|conn| {
            let mut statement = conn.prepare(sql)?;
            let rows = statement.query_map([], |row| row.get(0))?;
            Ok(rows.collect::<Result<Vec<_>, _>>()?)
        })
        .unwrap()
}

/// The invariants. `dismissed` items are due, but not in the inbox.
async fn sound(app: &TestApp, dismissed: i64) {
    let extra = "SELECT count(*) FROM (SELECT kind, study_id, subject FROM inbox WHERE done_at IS NULL
                 EXCEPT SELECT kind, study_id, subject FROM inbox_due)";
    assert_eq!(numbers(app, extra), [0], "something waits that need not");
    let lost = "SELECT count(*) FROM (SELECT kind, study_id, subject FROM inbox_due
                EXCEPT SELECT kind, study_id, subject FROM inbox WHERE done_at IS NULL)";
    assert_eq!(numbers(app, lost), [dismissed], "something is lost");
    let miscounted = "SELECT count(*) FROM inbox_counts c WHERE open <> (
        SELECT count(*) FROM inbox i
        WHERE i.study_id = c.study_id AND i.kind = c.kind AND i.listed)";
    assert_eq!(numbers(app, miscounted), [0], "a count is wrong");
    stored_disagreements_follow(app).await;
    let live = app.services.quality.live(&ADMIN, STUDY).await.unwrap();
    let count = async |kind| {
        let filter = InboxFilter { kind: Some(kind), study: Some(STUDY) };
        app.services.inbox.counts(&ADMIN, filter).await.unwrap().first().map_or(0, |count| count.waiting)
    };
    assert_eq!(count(InboxKind::Disagreement).await, live.disagreements);
    assert_eq!(count(InboxKind::Flag).await, live.flags);
    assert_eq!(count(InboxKind::Calibration).await, live.stopped);
}

/// What is stored about disagreements is what follows from the ratings, and a walk through the pages shows all of it in
/// order.
async fn stored_disagreements_follow(app: &TestApp) {
    let (expected, apart, stored_apart, counts) = app
        .services
        .db
        .read_blocking(|conn| {
            let rubric = studies::setup(conn, STUDY)?.unwrap().rubric;
            let settings = quality::settings(conn, STUDY)?;
            let (mut expected, mut apart) = (Vec::new(), BTreeSet::new());
            for output in disagreements::rated_after(conn, STUDY, OutputId(0), usize::MAX >> 1)? {
                let rated = disagreements::rated(conn, STUDY, output)?.unwrap();
                if spread::are_apart(&rated, &settings, &rubric) {
                    apart.insert(output.0);
                }
                if let Some(state) = spread::state(&rated, &settings, &rubric) {
                    let widest = spread::spread(&rated, rubric.dimensions.len()).into_iter().max().unwrap();
                    expected.push((state, Reverse(widest), output));
                }
            }
            expected.sort_unstable();
            let mut statement =
                conn.prepare("SELECT output_id FROM disagreements WHERE study_id = 1 AND spread_exceeded")?;
            let stored: BTreeSet<i64> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
            Ok((expected, apart, stored, disagreements::counts(conn, STUDY)?))
        })
        .unwrap();
    let (mut walked, mut of) = (Vec::new(), PageOf::first(2));
    loop {
        let asked = of.clone();
        let page = app.services.db.read_blocking(move |conn| disagreements::page(conn, STUDY, &asked)).unwrap();
        walked.extend(page.rows.into_iter().map(|row| (row.state, Reverse(row.spread), row.output)));
        of.after = page.next;
        if of.after.is_none() {
            break;
        }
    }
    assert_eq!(walked, expected);
    assert_eq!(stored_apart, apart);
    assert_eq!(counts.values().sum::<u64>(), walked.len() as u64);
    for (state, count) in counts {
        assert_eq!(walked.iter().filter(|row| row.0 == state).count() as u64, count, "{state:?}");
    }
}

async fn items(app: &TestApp, kind: InboxKind) -> Vec<InboxRow> {
    let filter = InboxFilter { kind: Some(kind), study: None };
    app.services.inbox.list(&ADMIN, filter, PageOf::first(PageOf::MOST)).await.unwrap().rows
}

async fn act(app: &TestApp, by: &Admin, act: InboxAct, items: &[InboxRow]) -> Result<InboxDone, AppError> {
    let items = items.iter().map(|row| row.id).collect();
    app.services.inbox.act(by, InboxRequest { act, items }).await
}

/// Another admin, with an account.
async fn another_admin(app: &TestApp, name: &str) -> Admin {
    let secret = app.services.accounts.invite(&ADMIN, name, Role::Admin, 7, Joins::default()).await.unwrap();
    let me = app
        .services
        .accounts
        .join(
            &secret,
            name,
            &format!("demo-password-{name}"),
            model::plan::Reads::BOTH,
            model::time_zone::TimeZone::default(),
        )
        .await
        .unwrap()
        .me;
    Admin::of(&Caller::User(me)).unwrap()
}

async fn token(client: &mut Client) -> Token {
    let mine: Vec<MyStudy> = client.rpc("my_studies", json!({})).await.json();
    mine[0].token.clone()
}

async fn next(client: &mut Client, study: &Token) -> Option<GradingItem> {
    match client.rpc("next_item", json!({"study": study, "holding": []})).await.json() {
        Next::Item(item) => Some(*item),
        _ => None,
    }
}

fn scores(all: [u8; 3]) -> Draft {
    Draft { scores: all.into_iter().map(Some).collect(), ..Draft::default() }
}

async fn submit(client: &mut Client, item: &GradingItem, draft: &Draft, key: &str) {
    let sent = json!({"assignment": item.token, "draft": draft, "key": key});
    let answer = client.rpc("submit_rating", sent).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
}

/// Ada and Bo rate far apart, Chen does the rest, and every fifth rating has a flag.
async fn disagree(app: &TestApp) {
    let settings = QualitySettings { spread: Some(1), ..QualitySettings::default() };
    app.services.quality.set(&ADMIN, STUDY, crate::util::change_to(&settings)).await.unwrap();
    let mut n = 0;
    for (name, given) in [("ada", [1, 1, 1]), ("bo", [4, 3, 5]), ("chen", [4, 3, 5])] {
        let mut rater = app.demo_user(name).await;
        let study = token(&mut rater).await;
        while let Some(item) = next(&mut rater, &study).await {
            n += 1;
            let flag = (n % 5 == 0).then_some(Flag::plain(FlagReason::CannotJudge));
            submit(&mut rater, &item, &Draft { flag, ..scores(given) }, "k").await;
        }
    }
}

#[tokio::test]
async fn whatever_raters_and_admins_do_the_inbox_follows() {
    let app = TestApp::demo().await;
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut people = [app.rater().await, app.demo_user("bo").await, app.demo_user("chen").await];
    let mut admin = app.admin().await;
    let study = token(&mut people[0]).await;
    let mut last: [Option<GradingItem>; 3] = [None, None, None];
    for n in 0..240 {
        let who = random.random_range(0..3);
        let rater = &mut people[who];
        let draft = Draft {
            flag: random.random_bool(0.2).then_some(Flag::plain(FlagReason::CodeTruncated)),
            ..scores([random.random_range(1..=4), random.random_range(1..=3), random.random_range(1..=5)])
        };
        match random.random_range(0..20) {
            0..=12 => {
                if let Some(item) = next(rater, &study).await {
                    submit(rater, &item, &draft, &format!("k{n}")).await;
                    last[who] = Some(item);
                }
            }
            // A changed mind, and a withdrawn one.
            13 => {
                if let Some(item) = &last[who] {
                    let sent = json!({"assignment": item.token, "draft": draft, "key": format!("k{n}")});
                    rater.rpc("submit_rating", sent).await;
                }
            }
            14 => {
                if let Some(item) = &last[who] {
                    rater.rpc("undo_rating", json!({"assignment": item.token})).await;
                }
            }
            15 => {
                let flags = items(&app, InboxKind::Flag).await;
                if let Some(flag) = flags.first() {
                    act(&app, &ADMIN, InboxAct::Resolve, std::slice::from_ref(flag)).await.unwrap();
                }
            }
            16 => {
                let queue: DisagreementQueue = admin.rpc("my_disagreements", json!({})).await.json();
                if let Some(line) = queue.lines.first() {
                    let token = line.token.0.clone();
                    let fields =
                        [("token", token.as_str()), ("scores[0]", "2"), ("scores[1]", "2"), ("scores[2]", "2")];
                    assert!(admin.form("/rpc/adjudicate", &fields).await.location().contains("adjudicated=1"));
                }
            }
            17 => {
                let open = items(&app, InboxKind::Disagreement).await;
                // Refused where nobody is left who could rate.
                let _ = act(&app, &ADMIN, InboxAct::AddRater, open.get(..1).unwrap_or_default()).await;
            }
            _ => {
                let spread = random.random_bool(0.8).then(|| random.random_range(0..3));
                let spread_correctness = random.random_bool(0.3).then(|| random.random_range(0..3));
                let limited = spread.is_some() || spread_correctness.is_some();
                let policy = if random.random_bool(0.3) && limited { Policy::ExtraRater } else { Policy::Adjudicator };
                let settings = QualitySettings { spread, spread_correctness, policy, ..QualitySettings::default() };
                app.services.quality.set(&ADMIN, STUDY, crate::util::change_to(&settings)).await.unwrap();
            }
        }
        if n % 8 == 0 {
            sound(&app, 0).await;
        }
    }
    sound(&app, 0).await;
    assert!(!numbers(&app, "SELECT 1 FROM inbox WHERE kind = 'disagreement' AND done_at IS NOT NULL").is_empty());
}

#[tokio::test]
async fn pages_by_key_contain_every_item_once_and_name_no_model() {
    let app = TestApp::demo().await;
    disagree(&app).await;
    sound(&app, 0).await;
    let all = app.services.inbox.list(&ADMIN, InboxFilter::default(), PageOf::first(PageOf::MOST)).await.unwrap().rows;
    assert!(all.len() > 10, "{}", all.len());
    let (mut walked, mut of) = (Vec::new(), PageOf::first(3));
    loop {
        let page = app.services.inbox.list(&ADMIN, InboxFilter::default(), of).await.unwrap();
        walked.extend(page.rows.iter().map(|row| row.id));
        let Some(next) = page.next else { break };
        of = PageOf { after: Some(next), ..PageOf::first(3) };
    }
    assert_eq!(walked, all.iter().map(|row| row.id).collect::<Vec<_>>());
    let spreads: Vec<u8> = all
        .iter()
        .filter_map(|row| match row.item {
            InboxItem::Disagreement { spread, .. } => Some(spread),
            _ => None,
        })
        .collect();
    assert!(spreads.len() > 3 && spreads.is_sorted_by(|one, next| one >= next), "the widest first: {spreads:?}");
    // With the filter, on the page, and over the API.
    let mut admin = app.admin().await;
    let one = items(&app, InboxKind::Disagreement).await[0].id;
    let page = admin.get(&format!("/admin/inbox?kind=disagreement&study=1&item={one}")).await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.body.contains("/adjudicate/") && !page.body.contains("data-kind=\"flag\""));
    let read = app.token(&[Scope::Read]).await;
    let api = app.anonymous().api(&read, Method::GET, "/api/v1/inbox?kind=flag&limit=2", None).await;
    let rows: Value = api.json();
    assert_eq!(rows["items"].as_array().unwrap().len(), 2);
    assert!(rows["next"].is_string());
    let models = app.services.db.read_blocking(|conn| {
        let mut statement = conn.prepare("SELECT name FROM models")?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        Ok(rows.collect::<Result<Vec<_>, _>>()?)
    });
    for model in models.unwrap() {
        for text in [&page.body, &api.body] {
            assert!(!text.contains(&model), "the inbox names {model}");
        }
    }
    // The badge is in the navigation of another page, and the overview links here.
    let home = admin.get("/admin").await.body;
    assert!(home.contains(&format!("<span class=\"count\">{}<", all.len())), "{home}");
    assert!(home.contains("href=\"/admin/inbox?kind=flag\""), "{home}");
    assert!(home.contains("href=\"/admin/inbox?kind=disagreement\""), "{home}");
    // A rater sees neither.
    assert!(!app.rater().await.get("/my-studies").await.body.contains("/admin/inbox"));
}

#[tokio::test]
async fn of_two_admins_who_decide_the_same_the_second_is_told() {
    let app = TestApp::demo().await;
    disagree(&app).await;
    let (eve, finn) = (another_admin(&app, "eve").await, another_admin(&app, "finn").await);
    let flags = items(&app, InboxKind::Flag).await;
    let first = std::slice::from_ref(&flags[0]);
    let (one, other) =
        tokio::join!(act(&app, &eve, InboxAct::Resolve, first), act(&app, &finn, InboxAct::Resolve, first));
    let (won, lost) = if one.is_ok() { (one, other) } else { (other, one) };
    assert_eq!(won.unwrap().done, 1);
    let AppError::Conflict(message) = lost.unwrap_err() else { panic!("no conflict") };
    assert!(message.en.contains("already dealt with"), "{message:?}");
    assert_eq!(numbers(&app, "SELECT count(*) FROM flag_replies"), [1], "it is answered once");
    // Of several, those that are left are done.
    let three = [flags[0].clone(), flags[1].clone(), flags[2].clone()];
    let done = act(&app, &finn, InboxAct::Resolve, &three).await.unwrap();
    assert_eq!(done, InboxDone { done: 2, gone: 1, ..InboxDone::default() });
    let open = items(&app, InboxKind::Disagreement).await;
    let mixed = [flags[3].clone(), open[0].clone()];
    let done = act(&app, &finn, InboxAct::Resolve, &mixed).await.unwrap();
    assert_eq!(done, InboxDone { done: 1, refused: 1, ..InboxDone::default() });
    let filter = AuditFilter { action: "flag.reply".into(), ..AuditFilter::default() };
    assert_eq!(app.services.audit.page(&ADMIN, filter).await.unwrap().entries.len(), 4, "each is in the audit log");

    // An adjudication: both have opened the same output.
    let (mut one, mut other) = (app.admin().await, app.demo_user("eve").await);
    for client in [&mut one, &mut other] {
        client.rpc("my_disagreements", json!({})).await.json::<DisagreementQueue>();
    }
    let names = app.services.db.read_blocking(|conn| {
        let sql = "SELECT a.token, b.token FROM disagreement_handouts a JOIN disagreement_handouts b
                   ON b.study_id = a.study_id AND b.output_id = a.output_id AND b.user_id > a.user_id LIMIT 1";
        Ok(conn.query_row(sql, [], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?)
    });
    let (mine, theirs) = names.unwrap();
    let seen: Disagreement = one.rpc("open_disagreement", json!({"token": mine})).await.json();
    assert_eq!(seen.adjudicated_at, None);
    let form = |token: &str, seen: &str| {
        let scores = ["scores[0]", "scores[1]", "scores[2]"].map(|name| (name.to_owned(), "2".to_owned()));
        let rest = [("token", token), ("seen", seen), ("inbox", "true")];
        rest.map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter().chain(scores).collect::<Vec<_>>()
    };
    let send = async |client: &mut Client, fields: Vec<(String, String)>| {
        let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        client.form("/rpc/adjudicate", &fields).await
    };
    let answer = send(&mut one, form(&mine, "0")).await;
    assert!(answer.location().starts_with("/adjudicate/"), "{}", answer.location());
    assert!(answer.location().ends_with("from=inbox"), "{}", answer.location());
    let token = app.token(&[Scope::WriteStudies]).await;
    let api = json!({"scores": [3, 3, 3], "seen": 0});
    let path = format!("/api/v1/adjudications/{mine}");
    assert_eq!(app.anonymous().api(&token, Method::PUT, &path, Some(api)).await.status, StatusCode::CONFLICT);
    let headers = [
        ("content-type", "application/x-www-form-urlencoded"),
        ("accept", "application/json"),
        ("sec-fetch-site", "same-origin"),
    ];
    let body = format!("token={theirs}&seen=0&scores[0]=3&scores[1]=3&scores[2]=3");
    let refused = other.send(Method::POST, "/rpc/adjudicate", &headers, body).await;
    assert_eq!(refused.status, StatusCode::CONFLICT, "{}", refused.body);
    assert!(refused.body.contains("Somebody else has adjudicated"), "{}", refused.body);
    assert_eq!(numbers(&app, "SELECT count(*) FROM adjudications"), [1], "the first stays");
    // A person who has seen it may replace it.
    let again: Disagreement = other.rpc("open_disagreement", json!({"token": theirs})).await.json();
    send(&mut other, form(&theirs, &again.adjudicated_at.unwrap().0.to_string())).await;
    assert_eq!(numbers(&app, "SELECT count(*) FROM adjudications"), [2]);
    sound(&app, 0).await;
}

#[tokio::test]
async fn raters_who_are_too_fast_or_stopped_wait_until_an_admin_decides() {
    let app = TestApp::demo().await;
    let mut ada = app.rater().await;
    let study = token(&mut ada).await;
    let fast = Draft { active_ms: Some(900), ..scores([2, 2, 2]) };
    for n in 0..20 {
        assert_eq!(items(&app, InboxKind::Pace).await.len(), 0, "after {n}");
        let item = next(&mut ada, &study).await.unwrap();
        submit(&mut ada, &item, &fast, "k").await;
    }
    let open = items(&app, InboxKind::Pace).await;
    assert!(matches!(&open[0].item, InboxItem::Rater { name, count: 20, of: 20, .. } if name == "ada"), "{open:?}");
    act(&app, &ADMIN, InboxAct::Dismiss, &open).await.unwrap();
    // The measurement starts again.
    let item = next(&mut ada, &study).await;
    if let Some(item) = item {
        submit(&mut ada, &item, &fast, "k").await;
    }
    assert_eq!(items(&app, InboxKind::Pace).await.len(), 0);
    sound(&app, 0).await;

    // Calibration.
    app.services
        .db
        .write(|tx| {
            Ok(tx.execute("INSERT INTO calibrations (study_id, user_id, round, state) SELECT 1, id, 0, 'stopped' FROM users WHERE name IN ('bo', 'chen')", [])?)
        })
        .await
        .unwrap();
    let stopped = items(&app, InboxKind::Calibration).await;
    assert_eq!(stopped.len(), 2);
    act(&app, &ADMIN, InboxAct::Admit, &stopped[..1]).await.unwrap();
    sound(&app, 0).await;
    act(&app, &ADMIN, InboxAct::Restart, &stopped[1..]).await.unwrap();
    assert_eq!(items(&app, InboxKind::Calibration).await.len(), 0);
    sound(&app, 0).await;
}

#[tokio::test]
async fn runs_errors_and_deliveries_wait_until_they_are_retried_or_dismissed() {
    let app = TestApp::demo().await;
    let submission: SubmissionId = SubmissionId(numbers(&app, "SELECT min(id) FROM submissions")[0]);
    let run = app.services.runs.start(&ADMIN, NewRun::of(submission).fresh()).await.unwrap();
    let stop = async |fault: Option<Fault>| {
        app.services.db.write(move |tx| runs::end(tx, run, RunStatus::Stopped, fault.as_ref())).await.unwrap();
    };
    // An admin's own decision waits for nobody.
    app.services.runs.cancel(&ADMIN, run).await.unwrap();
    assert_eq!(items(&app, InboxKind::Run).await.len(), 0);
    app.services.runs.rerun(&ADMIN, run, model::run::Rerun::Rest).await.unwrap();
    stop(Some(Fault::NoTests)).await;
    let stopped = items(&app, InboxKind::Run).await;
    assert_eq!(stopped.len(), 1);
    let done = act(&app, &ADMIN, InboxAct::Retry, &stopped).await.unwrap();
    assert_eq!(done.done, 1);
    assert_eq!(items(&app, InboxKind::Run).await.len(), 0);
    assert!(act(&app, &ADMIN, InboxAct::Retry, &stopped).await.is_err(), "it is running");
    stop(Some(Fault::NoTests)).await;
    act(&app, &ADMIN, InboxAct::Dismiss, &stopped).await.unwrap();
    assert_eq!(items(&app, InboxKind::Run).await.len(), 0);
    sound(&app, 1).await;

    // Engine errors of one run are one item, which comes again with the next error.
    let fail = "UPDATE run_items SET state = 'failed', fault = '{\"code\":\"no_tests\"}', holder = NULL
                WHERE id = (SELECT min(id) FROM run_items WHERE state = 'waiting')";
    let fail = async || {
        app.services.db.write(move |tx| Ok(tx.execute(fail, [])?)).await.unwrap();
    };
    fail().await;
    fail().await;
    let errors = items(&app, InboxKind::Engine).await;
    assert!(
        matches!(&errors[..], [InboxRow { item: InboxItem::Run { run: RunId(_), errors: 2, .. }, .. }]),
        "{errors:?}"
    );
    act(&app, &ADMIN, InboxAct::Dismiss, &errors).await.unwrap();
    fail().await;
    assert_eq!(items(&app, InboxKind::Engine).await.len(), 1);
    sound(&app, 1).await;
    // Nobody looks for what belongs to an archived submission.
    app.services.upkeep.set_archived(&ADMIN, Object::Submission(submission), true).await.unwrap();
    assert_eq!(items(&app, InboxKind::Engine).await.len(), 0);
    app.services.upkeep.set_archived(&ADMIN, Object::Submission(submission), false).await.unwrap();
    assert_eq!(items(&app, InboxKind::Engine).await.len(), 1);

    // Deliveries.
    let new = NewWebhook { url: "https://receiver.example/hook".into(), events: vec![WebhookEvent::StudyClosed] };
    app.services.db
        .write(move |tx| {
            let id = db::webhooks::insert(tx, &new.url, "s", &new.events, None)?;
            tx.execute("INSERT INTO webhook_deliveries (webhook_id, event, state, created_at, next_at) VALUES (?1, 'test', 'waiting', unixepoch() * 1000, 1)", [id.0])?;
            Ok(tx.execute("UPDATE webhook_deliveries SET state = 'failed', attempts = 9, error = '{\"code\":\"timeout\",\"seconds\":10}', next_at = NULL", [])?)
        })
        .await
        .unwrap();
    let failed = items(&app, InboxKind::Delivery).await;
    assert!(matches!(&failed[0].item, InboxItem::Delivery { attempts: 9, .. }), "{failed:?}");
    act(&app, &ADMIN, InboxAct::Retry, &failed).await.unwrap();
    assert_eq!(numbers(&app, "SELECT count(*) FROM webhook_deliveries WHERE state = 'waiting'"), [1]);
    // It fails again, so it waits again, under its number.
    app.services.webhooks.deliver_due().await.unwrap();
    assert_eq!(items(&app, InboxKind::Delivery).await[0].id, failed[0].id);
    act(&app, &ADMIN, InboxAct::Dismiss, &failed).await.unwrap();
    sound(&app, 2).await;
    let filter = AuditFilter { action: "inbox.dismiss".into(), ..AuditFilter::default() };
    assert_eq!(app.services.audit.page(&ADMIN, filter).await.unwrap().entries.len(), 3);
}

#[tokio::test]
async fn daily_backups_that_fail_wait_until_one_succeeds() {
    let app = TestApp::demo().await;
    let place = tempfile::tempdir().unwrap();
    let keep = Keep { days: 7, weeks: 5, months: 12 };
    let daily = Daily { folder: place.path().join("backups"), keep, figures: DailyFigures::default() };
    // Somebody else's file is where the folder of backups should be.
    std::fs::write(&daily.folder, "a file").unwrap();
    for failures in 1..=2 {
        daily.attempt(&app.services).await.unwrap();
        let open = items(&app, InboxKind::Backup).await;
        let [InboxRow { item: InboxItem::Routine { failures: counted, succeeded_at: None, .. }, .. }] = &open[..]
        else {
            panic!("{open:?}")
        };
        assert_eq!(*counted, failures, "one item, however often it fails");
    }
    sound(&app, 0).await;
    // It cannot be dismissed, only mended. The page and the API show why.
    let open = items(&app, InboxKind::Backup).await;
    assert!(act(&app, &ADMIN, InboxAct::Dismiss, &open).await.is_err());
    let InboxItem::Routine { why, .. } = &open[0].item else { panic!("{open:?}") };
    let mut admin = app.admin().await;
    let page = admin.get("/admin/inbox?kind=backup").await.body;
    assert!(page.contains("Failed backup") && page.contains("2 attempts"), "{page}");
    let RoutineFault::BackupFolder { folder, problem: FolderProblem::Unreadable { .. } } = why else {
        panic!("{why:?}")
    };
    assert_eq!(folder, daily.folder.to_str().unwrap());
    assert!(page.contains("cannot be read"), "{page}");
    admin.form("/lang", &[("lang", "zh")]).await;
    let page = admin.get("/admin/inbox?kind=backup").await.body;
    assert!(page.contains("无法读取备份文件夹"), "{page}");
    let read = app.token(&[Scope::Read]).await;
    let api: Value = app.anonymous().api(&read, Method::GET, "/api/v1/inbox?kind=backup", None).await.json();
    assert_eq!(api["items"][0]["item"]["routine"]["why"]["code"], "backup_folder");

    std::fs::remove_file(&daily.folder).unwrap();
    daily.attempt(&app.services).await.unwrap();
    assert_eq!(items(&app, InboxKind::Backup).await.len(), 0);
    sound(&app, 0).await;
    // A server without daily backups waits for none.
    std::fs::remove_dir_all(&daily.folder).unwrap();
    std::fs::write(&daily.folder, "a file").unwrap();
    daily.attempt(&app.services).await.unwrap();
    assert_eq!(items(&app, InboxKind::Backup).await.len(), 1, "it comes back");
    app.services.end_routine(System, Routine::Backup).await.unwrap();
    assert_eq!(items(&app, InboxKind::Backup).await.len(), 0);
    sound(&app, 0).await;
}

#[tokio::test]
async fn a_damaged_database_waits_until_a_check_finds_none() {
    let app = TestApp::demo().await;
    app.services.check_database(System).await.unwrap();
    assert_eq!(items(&app, InboxKind::Integrity).await.len(), 0);
    // A page of an index that nothing here reads, in the file itself.
    let page = "SELECT rootpage FROM sqlite_schema WHERE name = 'webhook_deliveries_failed'";
    let (page, size) = (numbers(&app, page)[0], numbers(&app, "SELECT page_size FROM pragma_page_size")[0]);
    let path = app.services.db.path().to_path_buf();
    let overwrite = |bytes: &[u8]| {
        let file = std::fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
        let at = u64::try_from((page - 1) * size).unwrap();
        let mut before = vec![0; bytes.len()];
        file.read_exact_at(&mut before, at).unwrap();
        file.write_all_at(bytes, at).unwrap();
        before
    };
    app.services.db.checkpoint().unwrap();
    let before = overwrite(&[0xff; 64]);
    app.services.check_database(System).await.unwrap();
    let open = items(&app, InboxKind::Integrity).await;
    let [InboxRow { item: InboxItem::Routine { failures: 1, why, succeeded_at: Some(_) }, .. }] = &open[..] else {
        panic!("{open:?}")
    };
    assert!(matches!(why, RoutineFault::Damaged { .. }), "{why:?}");
    app.services.db.checkpoint().unwrap();
    overwrite(&before);
    app.services.check_database(System).await.unwrap();
    assert_eq!(items(&app, InboxKind::Integrity).await.len(), 0);
    sound(&app, 0).await;
}

#[tokio::test]
async fn a_plan_with_too_few_raters_waits_for_a_rater() {
    let app = TestApp::demo().await;
    let users = app.services.accounts.users(&ADMIN, PageOf::first(99)).await.unwrap().rows;
    let ada = users.iter().find(|user| user.name == "ada").unwrap().id;
    app.services.accounts.set_disabled(&ADMIN, ada, true).await.unwrap();
    let open = items(&app, InboxKind::Plan).await;
    assert!(matches!(&open[0].item, InboxItem::Plan { inactive, .. } if inactive == &["ada"]), "{open:?}");
    sound(&app, 0).await;
    // It cannot be dismissed, only mended.
    assert!(act(&app, &ADMIN, InboxAct::Dismiss, &open).await.is_err());
    let archived = async |at: Option<i64>| {
        let sql = "UPDATE all_studies SET archived_at = ?1 WHERE id = 1";
        app.services.db.write(move |tx| Ok(tx.execute(sql, [at])?)).await.unwrap();
    };
    archived(Some(1)).await;
    assert_eq!(items(&app, InboxKind::Plan).await.len(), 0, "nobody works on an archived study");
    archived(None).await;
    assert_eq!(items(&app, InboxKind::Plan).await.len(), 1);
    app.services.accounts.set_disabled(&ADMIN, ada, false).await.unwrap();
    assert_eq!(items(&app, InboxKind::Plan).await.len(), 0);
    app.services.accounts.set_disabled(&ADMIN, ada, true).await.unwrap();
    app.services.studies.set_status(&ADMIN, STUDY, StudyStatus::Closed).await.unwrap();
    assert_eq!(items(&app, InboxKind::Plan).await.len(), 0, "a closed study wants no more ratings");
    sound(&app, 0).await;
}

#[tokio::test]
async fn the_page_works_without_javascript_and_what_it_does_can_be_undone() {
    let app = TestApp::demo().await;
    disagree(&app).await;
    let mut admin = app.admin().await;
    let flags = items(&app, InboxKind::Flag).await;
    let (first, second) = (flags[0].id.to_string(), flags[1].id.to_string());
    let page = admin.get(&format!("/admin/inbox?kind=flag&item={first}")).await.body;
    assert!(page.contains("name=\"reply\"") && page.contains("class=\"code"), "the item is on the page: {page}");
    let sent = [("act", "resolve"), ("items[0]", first.as_str()), ("items[1]", second.as_str()), ("kind", "flag")];
    let done = admin.form("/rpc/act_on_items", &sent).await;
    assert_eq!(done.location(), "/admin/inbox?kind=flag&act=resolve&done=2&gone=0&refused=0&undo=1");
    let page = admin.get(done.location()).await;
    assert!(page.body.contains("2 flags will be resolved without a reply"), "{}", page.body);
    assert_eq!(items(&app, InboxKind::Flag).await.len(), flags.len() - 2, "they left the list");
    let undone = admin.form("/rpc/undo_act", &[("request", "1"), ("kind", "flag")]).await;
    assert_eq!(undone.location(), "/admin/inbox?kind=flag&undone=2");
    assert!(admin.get(undone.location()).await.body.contains("2 items are back in the inbox."));
    assert_eq!(items(&app, InboxKind::Flag).await, flags);
    // A reply returns here with its filter, and nowhere else.
    let InboxItem::Flag { on: model::quality::FlagOn::Assignment(on), .. } = flags[2].item else { panic!() };
    let on = on.to_string();
    let reply = |back: &'static str| {
        vec![("study", "1"), ("check", "false"), ("on", on.as_str()), ("reply", "Thanks"), ("inbox", back)]
    };
    let answer = admin.form("/rpc/reply_to_flag", &reply("/admin/inbox?kind=flag")).await;
    assert_eq!(answer.location(), "/admin/inbox?kind=flag");
    let answer = admin.form("/rpc/reply_to_flag", &reply("https://elsewhere.example/")).await;
    assert_eq!(answer.location(), "/admin/studies/1/flags");
    assert_eq!(items(&app, InboxKind::Flag).await.len(), flags.len() - 1);
    // An empty inbox says so.
    let other = TestApp::demo().await;
    assert!(other.admin().await.get("/admin/inbox").await.body.contains("Nothing needs your attention"));
}

#[tokio::test]
async fn what_is_not_undone_is_carried_out_once_it_is_due() {
    let app = TestApp::demo().await;
    disagree(&app).await;
    let inbox = &app.services.inbox;
    let (eve, finn) = (another_admin(&app, "eve").await, another_admin(&app, "finn").await);
    let flags = items(&app, InboxKind::Flag).await;
    let ask = async |by: &Admin, act: InboxAct, rows: &[InboxRow]| {
        inbox.act_later(by, InboxRequest { act, items: rows.iter().map(|row| row.id).collect() }).await
    };
    let after = |seconds: u32| Timestamp(clock::now().0 + i64::from(seconds) * 1000);
    let replies = "SELECT count(*) FROM flag_replies";

    let asked = ask(&eve, InboxAct::Resolve, &flags[..2]).await.unwrap();
    assert_eq!((asked.done, asked.gone, asked.refused), (2, 0, 0));
    assert_eq!(numbers(&app, replies), [0], "nothing is done yet");
    assert_eq!(items(&app, InboxKind::Flag).await, flags[2..], "they left the list");
    let request = asked.undo.unwrap();
    let AppError::Conflict(why) = inbox.undo(&finn, request).await.unwrap_err() else { panic!("no conflict") };
    assert!(why.en.contains("can no longer be undone"), "only by the admin who asked: {why:?}");
    assert_eq!(inbox.carry_out_due(after(UNDO_S - 2)).await.unwrap(), 0, "it is not due");
    assert_eq!(inbox.carry_out_due(after(UNDO_S)).await.unwrap(), 1);
    assert_eq!(numbers(&app, replies), [2]);
    assert!(inbox.undo(&eve, request).await.is_err(), "it is too late");
    let by = "SELECT count(*) FROM flag_replies f JOIN users u ON u.id = f.replied_by WHERE u.name = 'eve'";
    assert_eq!(numbers(&app, by), [2]);
    sound(&app, 0).await;

    // Of two admins, the later decides: the item is carried out once.
    ask(&eve, InboxAct::Resolve, &flags[2..4]).await.unwrap();
    ask(&finn, InboxAct::Resolve, &flags[2..3]).await.unwrap();
    assert_eq!(inbox.carry_out_due(after(UNDO_S)).await.unwrap(), 2);
    assert_eq!(numbers(&app, replies), [4]);
    // A flag that is raised meanwhile is another one: nobody has decided about it.
    let InboxItem::Flag { on: model::quality::FlagOn::Assignment(on), rater, .. } = &flags[5].item else { panic!() };
    ask(&eve, InboxAct::Resolve, &flags[5..6]).await.unwrap();
    let sql = "SELECT h.token FROM handouts h JOIN assignments a USING (study_id, output_id, user_id) WHERE a.id = ?1";
    let token: String = app.services.db.read_blocking(|conn| Ok(conn.query_row(sql, [on], |row| row.get(0))?)).unwrap();
    let draft = Draft { flag: Some(Flag::plain(FlagReason::CodeTruncated)), ..scores([1, 1, 1]) };
    let sent = json!({"assignment": token, "draft": draft, "key": "again"});
    assert_eq!(app.demo_user(rater).await.rpc("submit_rating", sent).await.status, StatusCode::OK);
    assert!(items(&app, InboxKind::Flag).await.iter().any(|row| row.id == flags[5].id), "it is back at once");
    assert_eq!(inbox.carry_out_due(after(UNDO_S)).await.unwrap(), 1);
    assert_eq!(numbers(&app, replies), [4]);
    // What cannot be done is refused at once, and its item stays.
    let open = items(&app, InboxKind::Disagreement).await;
    assert!(ask(&eve, InboxAct::Resolve, &open[..1]).await.is_err());
    let mixed = [open[0].clone(), flags[0].clone(), flags[4].clone()];
    let asked = ask(&eve, InboxAct::Resolve, &mixed).await.unwrap();
    assert_eq!((asked.done, asked.gone, asked.refused), (1, 1, 1));
    assert_eq!(items(&app, InboxKind::Disagreement).await, open);
    // Somebody who is no admin any more decides nothing: the item is back.
    app.services.accounts.set_disabled(&ADMIN, eve.id().unwrap(), true).await.unwrap();
    assert_eq!(inbox.carry_out_due(after(UNDO_S)).await.unwrap(), 1);
    assert_eq!(numbers(&app, replies), [4]);
    assert!(items(&app, InboxKind::Flag).await.contains(&flags[4]));
    sound(&app, 0).await;
    assert_eq!(numbers(&app, "SELECT (SELECT count(*) FROM inbox_requests) + (SELECT count(*) FROM inbox_acts)"), [0]);
}

#[tokio::test]
async fn an_item_comes_with_what_an_admin_decides_by_and_no_name_of_a_model() {
    let app = TestApp::demo().await;
    disagree(&app).await;
    let mut admin = app.admin().await;
    let flag = items(&app, InboxKind::Flag).await[0].clone();
    let InboxItem::Flag { rater, .. } = &flag.item else { panic!("{flag:?}") };
    let seen: InboxPreview = admin.rpc("inbox_item", json!({"id": flag.id})).await.json();
    let output = seen.output.unwrap();
    assert_eq!(output.ratings.len(), 1);
    assert!(output.ratings[0].flag.is_some() && !output.code.raw.is_empty());
    let expected = if rater == "ada" { vec![1, 1, 1] } else { vec![4, 3, 5] };
    assert_eq!(output.ratings[0].scores, expected);

    let open = items(&app, InboxKind::Disagreement).await[0].id;
    let answer = admin.rpc("inbox_item", json!({"id": open})).await;
    let models = app.services.db.read_blocking(|conn| {
        let mut statement =
            conn.prepare("SELECT name FROM models UNION SELECT name FROM users WHERE role = 'rater'")?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        Ok(rows.collect::<Result<Vec<_>, _>>()?)
    });
    for name in models.unwrap() {
        assert!(!answer.body.contains(&format!("\"{name}\"")), "{name} in {}", answer.body);
    }
    let seen: InboxPreview = answer.json();
    assert!(seen.output.unwrap().ratings.len() >= 2);
    // An admin who rates the output does not learn from here what the others think.
    let of_ada = "SELECT i.id FROM inbox i JOIN assignments a ON a.study_id = i.study_id AND a.output_id = i.subject
                  JOIN users u ON u.id = a.user_id WHERE i.kind = 'disagreement' AND u.name = 'ada' LIMIT 1";
    let of_ada = numbers(&app, of_ada)[0];
    let users = app.services.accounts.users(&ADMIN, PageOf::first(99)).await.unwrap().rows;
    let ada = users.iter().find(|user| user.name == "ada").unwrap().id;
    app.services.accounts.set_role(&ADMIN, ada, Role::Admin).await.unwrap();
    let mut ada = app.demo_user("ada").await;
    let seen: InboxPreview = ada.rpc("inbox_item", json!({"id": of_ada})).await.json();
    assert_eq!(seen.output, None);
    let gone: Option<InboxPreview> = admin.rpc("inbox_item", json!({"id": 4711})).await.json();
    assert_eq!(gone, None);
}
