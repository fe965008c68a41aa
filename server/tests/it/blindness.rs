//! Everything that a rater's session can reach, none of which names a model, a submission, a file, another
//! person or a database id.
//!
//! The lists of server functions, pages and other addresses come from the program itself, and the walk below
//! fails for any that it does not know. Each new one that raters may use needs a line here with the rater's request;
//! those for admins are in `endpoints.rs`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    endpoints::{Call, Row, rows},
    util::{Answer, Client, TestApp, smtp::Smtp},
};
use axum::http::{Method, StatusCode};
use model::{
    announcement::{Announced, Audience, NewAnnouncement},
    audit::Object,
    caller::{Admin, System},
    feedback::{Calibration, DisagreementQueue, RaterFeedback},
    flag::{Flag, FlagReason},
    grading::{Draft, GradingItem, Halt, Next, NextTask},
    ids::StudyId,
    lang::Bilingual,
    note::{LineNote, Position},
    page::PageOf,
    plan::Presentation,
    quality::{CalibrationMode, FeedbackLevel, KnownItemSource, NewKnownItem, Policy, Pool, QualitySettings},
    study::{NewStudy, StudySettings},
};
use port::{
    Accounts, Studies, Submissions,
    announcements::Announcements as _,
    guidelines::Guidelines as _,
    quality::{Monitoring as _, Quality as _},
};
use serde_json::{Value, json};

const ADMIN: Admin = System.admin();

/// The users of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum For {
    /// Everyone who is logged in.
    Raters,
    /// Admins: a rater is refused, whatever they send.
    Admins,
    /// Everybody.
    Everybody,
}

/// The names that the rater knows at this moment.
#[derive(Clone, Default)]
pub struct Here {
    pub study: String,
    pub item: String,
    pub disagreement: String,
}

/// A line of the walk: an endpoint under `/rpc`, who may call it, and the request body.
pub type Line = (&'static str, For, Value);

/// Every server function. Functions that change something come last; those that end the phase (such as a
/// skip) are left to [`Walk::ends`].
#[allow(clippy::too_many_lines, reason = "a list")]
pub fn functions(here: &Here, draft: &Draft) -> Vec<Line> {
    let (study, item) = (&here.study, &here.item);
    let mut lines: Vec<Line> = vec![
        ("who", For::Raters, json!({})),
        ("my_studies", For::Raters, json!({})),
        ("my_feedback", For::Raters, json!({})),
        ("next_item", For::Raters, json!({"study": study, "holding": []})),
        ("next_task_items", For::Raters, json!({"study": study, "holding": []})),
        ("item", For::Raters, json!({"assignment": item})),
        ("own_ratings", For::Raters, json!({"study": study})),
        ("bookmark", For::Raters, json!({"assignment": item, "on": true})),
        ("own_lists", For::Raters, json!({"study": study})),
        ("read_guidelines", For::Raters, json!({"study": study})),
        ("study_rubric", For::Raters, json!({"study": study})),
        ("save_draft", For::Raters, json!({"assignment": item, "draft": draft})),
        ("submit_rating", For::Raters, json!({"assignment": "none", "draft": draft, "key": "k"})),
        ("set_keys", For::Raters, json!({"keys": {"off": false, "changed": []}})),
        ("my_disagreements", For::Raters, json!({})),
        ("open_disagreement", For::Raters, json!({"token": here.disagreement})),
        ("read_replies", For::Raters, json!({})),
        ("unread_announcements", For::Raters, json!({})),
        ("read_announcement", For::Raters, json!({"token": "none"})),
        ("reset_name", For::Everybody, json!({"secret": "none"})),
        ("linked", For::Raters, json!({})),
        ("my_mail", For::Raters, json!({})),
        ("mail_link", For::Everybody, json!({"token": "none"})),
        ("time_zones", For::Raters, json!({})),
        ("open_invitation", For::Everybody, json!({"secret": "none"})),
        // Admins create links to a closed study's results, for the public; nobody can guess one.
        ("open_public_study", For::Everybody, json!({"secret": "none"})),
        ("open_public_task", For::Everybody, json!({"secret": "none", "task": 1})),
        // Listed so that they are known; called where the walk needs their effect.
        ("skip", For::Raters, json!({"assignment": "none"})),
        ("undo_rating", For::Raters, json!({"assignment": "none"})),
        ("go_on", For::Raters, json!({"what": "none"})),
        ("adjudicate", For::Raters, json!({"token": "none", "scores": [1]})),
    ];
    let admins = rows().into_iter().filter(Row::is_for_admins);
    lines.extend(admins.filter_map(|row| match (row.function(), row.call) {
        (Some(name), Call::Function(arguments)) => Some((name, For::Admins, existing(&arguments))),
        _ => None,
    }));
    lines
}

/// Arguments that name a task that exists.
fn existing(arguments: &Value) -> Value {
    serde_json::from_str(&arguments.to_string().replace("\"TASK\"", "1")).unwrap()
}

/// The admins' addresses among those of the router that are pages, or those that are not.
fn admins_addresses(are_pages: bool) -> Vec<(&'static str, Method, String)> {
    let pages = web::router::pages();
    let rows = rows().into_iter().filter(Row::is_for_admins);
    rows.filter_map(|row| {
        let (method, pattern) = row.what.split_once(' ')?;
        let address = match row.call {
            Call::Get(address) | Call::Form(address, _) | Call::Files(address) => address.replace("TASK", "1"),
            Call::Function(_) => return None,
        };
        let is_page = method == "GET" && pages.iter().any(|page| page == pattern);
        (is_page == are_pages).then(|| (pattern, method.parse().unwrap(), address))
    })
    .collect()
}

/// Every page, as named by the routes, with a valid address for this rater.
pub fn pages(here: &Here) -> Vec<(&'static str, For, String)> {
    let Here { study, item, disagreement } = here;
    let mut pages = vec![
        ("/", For::Raters, "/".into()),
        ("/log-in", For::Everybody, "/log-in?error=wrong&name=ada".into()),
        ("/join/{secret}", For::Everybody, "/join/none".into()),
        ("/reset/{secret}", For::Everybody, "/reset/none".into()),
        ("/mail/{token}", For::Everybody, "/mail/none".into()),
        ("/public/{secret}", For::Everybody, "/public/none".into()),
        ("/public/{secret}/tasks/{task}", For::Everybody, "/public/none/tasks/none".into()),
        ("/new-password", For::Raters, "/new-password".into()),
        ("/account", For::Raters, "/account".into()),
        ("/account/email", For::Raters, "/account/email".into()),
        ("/my-studies", For::Raters, "/my-studies".into()),
        ("/tour", For::Raters, "/tour".into()),
        ("/grade/{study}", For::Raters, format!("/grade/{study}")),
        ("/grade/{study}/{item}", For::Raters, format!("/grade/{study}/{item}")),
        ("/side-by-side/{study}", For::Raters, format!("/side-by-side/{study}")),
        ("/studies/{study}/mine", For::Raters, format!("/studies/{study}/mine")),
        ("/rubric/{study}", For::Raters, format!("/rubric/{study}")),
        ("/guidelines/{study}", For::Raters, format!("/guidelines/{study}")),
        ("/adjudicate", For::Raters, "/adjudicate?adjudicated=1".into()),
        ("/adjudicate/{token}", For::Raters, format!("/adjudicate/{disagreement}")),
    ];
    pages.extend(admins_addresses(true).into_iter().map(|(pattern, _, address)| (pattern, For::Admins, address)));
    pages
}

/// Every other address of the router: downloads, event streams, forms.
fn addresses() -> Vec<(&'static str, For, Method, String)> {
    let others = vec![
        ("/healthz", For::Everybody, Method::GET, "/healthz"),
        ("/readyz", For::Everybody, Method::GET, "/readyz"),
        ("/assets/{name}", For::Everybody, Method::GET, "/assets/none"),
        ("/dev/server", For::Everybody, Method::GET, "/dev/server"),
        ("/log-in", For::Everybody, Method::POST, "/log-in"),
        ("/log-in/sso", For::Everybody, Method::GET, "/log-in/sso"),
        ("/log-in/sso/callback", For::Everybody, Method::GET, "/log-in/sso/callback"),
        ("/account/sso/unlink", For::Raters, Method::POST, "/account/sso/unlink"),
        ("/new-password", For::Raters, Method::POST, "/new-password"),
        ("/log-out", For::Everybody, Method::POST, "/log-out"),
        ("/join/{secret}", For::Everybody, Method::POST, "/join/none"),
        ("/reset/{secret}", For::Everybody, Method::POST, "/reset/none"),
        ("/mail/{token}", For::Everybody, Method::POST, "/mail/none"),
        ("/account/email", For::Raters, Method::POST, "/account/email"),
        ("/account/password", For::Raters, Method::POST, "/account/password"),
        ("/account/keys", For::Raters, Method::POST, "/account/keys"),
        ("/account/display", For::Raters, Method::POST, "/account/display"),
        ("/account/toured", For::Raters, Method::POST, "/account/toured"),
        ("/lang", For::Everybody, Method::POST, "/lang"),
        ("/grade/{study}", For::Raters, Method::POST, "/grade/none"),
        ("/rpc/{*function}", For::Everybody, Method::POST, "/rpc/none"),
        ("/public/{secret}/embed.svg", For::Everybody, Method::GET, "/public/none/embed.svg"),
        ("/public/{secret}/files/{file}", For::Everybody, Method::GET, "/public/none/files/means.csv"),
        ("/public/{secret}/figures/{file}", For::Everybody, Method::GET, "/public/none/figures/x.svg"),
    ];
    let others = others.into_iter().map(|(pattern, of, method, path)| (pattern, of, method, path.to_owned()));
    let admins = admins_addresses(false).into_iter();
    others.chain(admins.map(|(pattern, method, address)| (pattern, For::Admins, method, address))).collect()
}

/// Fields with a number that is no database id: a count, a position, a score, a time.
const NUMBERS: &[&str] = &[
    // A warning.
    "fast",
    "seconds",
    // Progress, steps, the rubric, scores.
    "rated",
    "skipped",
    "left",
    "number",
    "of",
    "needed",
    "right",
    "version",
    "score",
    "scores",
    "scales",
    "break_minutes",
    "only_here",
    "yours",
    "known",
    // Line notes, drafts, replies to flags, adjudications.
    "line",
    "column",
    "notes",
    "active_ms",
    "at",
    "adjudicated",
    "adjudicated_at",
    "spread",
    "disagreements",
    "waiting",
    // A rater's own figures.
    "per_hour",
    "ratings",
    "timed",
    "outputs",
    "pairs",
    "exact",
    "within_one",
    "difference",
    "alpha",
    "known_items_right",
    "flat",
    "longest_run",
];

/// Texts that no response to a rater may contain.
struct Secrets {
    names: Vec<String>,
    people: Vec<String>,
}

impl Secrets {
    async fn of(app: &TestApp, me: &str) -> Secrets {
        let (names, people) = app
            .services
            .db
            .read(|conn| {
                let list = |sql: &str| -> Result<Vec<String>, base::error::Failure> {
                    Ok(conn.prepare(sql)?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
                };
                Ok((
                    list("SELECT name FROM models UNION SELECT file_name FROM submissions")?,
                    list("SELECT name FROM users WHERE name <> 'admin'")?,
                ))
            })
            .await
            .unwrap();
        assert!(names.len() >= 6, "{names:?}");
        let people: Vec<String> = people.into_iter().filter(|name| name != me).collect();
        assert!(people.len() >= 2, "{people:?}");
        Secrets { names, people }
    }

    fn check(&self, what: &str, answer: &Answer) {
        let mut text = answer.body.to_lowercase();
        for (name, value) in &answer.headers {
            text.push_str(&format!("\n{name}: {}", value.to_str().unwrap_or_default().to_lowercase()));
        }
        // A nonce is drawn at random, so it may contain a short name.
        if let Some(nonce) = text.split("'nonce-").nth(1).and_then(|rest| rest.split('\'').next()).map(str::to_owned) {
            text = text.replace(&nonce, "");
        }
        for secret in &self.names {
            // The first word too: "Northwind" of "Northwind 2".
            for part in [secret.as_str(), secret.split(['.', ' ']).next().unwrap()] {
                assert!(!text.contains(&part.to_lowercase()), "{what} names {part}");
            }
        }
        let words: BTreeSet<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
        for person in &self.people {
            assert!(!words.contains(person.as_str()), "{what} names {person}");
        }
        // An answer may repeat the question, so a word counts only if the question did not contain it.
        assert!(what.contains("submission") || !text.contains("submission"), "{what} speaks of submissions");
        // Addresses, values and other attributes contain no bare row number.
        for attribute in ["href", "action", "src", "data-token", "for", "id"] {
            for value in answer.body.split(&format!(" {attribute}=\"")).skip(1) {
                let value = value.split('"').next().unwrap_or_default();
                // The icon is an image in its address.
                if value.starts_with("data:") {
                    continue;
                }
                let number = value
                    .split(['/', '?', '=', '&'])
                    .find(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()));
                assert!(number.is_none(), "{what} has {attribute}=\"{value}\"");
            }
        }
        if let Ok(value) = serde_json::from_str::<Value>(&answer.body) {
            no_ids(what, "", &value);
        }
    }
}

fn no_ids(what: &str, under: &str, value: &Value) {
    match value {
        Value::Number(number) => {
            assert!(NUMBERS.contains(&under), "{what} has the number {number} under `{under}`: is it an id?");
        }
        Value::Array(values) => values.iter().for_each(|value| no_ids(what, under, value)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| no_ids(what, name, value)),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// One rater's walk through everything, repeated as things change.
struct Walk {
    secrets: Secrets,
    client: Client,
    /// Functions and pages that have given a useful answer.
    answered: BTreeSet<String>,
}

impl Walk {
    fn note(&mut self, what: &str, when: &str, of: For, answer: &Answer) {
        let said = format!("{what} {when}");
        self.secrets.check(&said, answer);
        let status = answer.status;
        if of == For::Admins {
            assert_eq!(status, StatusCode::FORBIDDEN, "{said}: {}", answer.body);
            return;
        }
        assert_ne!(status, StatusCode::BAD_REQUEST, "{said} did not understand what was sent: {}", answer.body);
        assert!(!status.is_server_error(), "{said}: {}", answer.body);
        assert_ne!(status, StatusCode::FORBIDDEN, "{said}");
        if status.is_success() || status.is_redirection() {
            self.answered.insert(what.to_owned());
        }
    }

    /// Everything, in the phase `when`.
    async fn everything(&mut self, when: &str, here: &Here, draft: &Draft) {
        for (pattern, of, path) in pages(here) {
            let answer = self.client.get(&path).await;
            self.note(pattern, when, of, &answer);
        }
        for (name, of, sent) in functions(here, draft) {
            let answer = self.client.function(name, &sent).await;
            self.note(&format!("/rpc/{name}"), when, of, &answer);
        }
        let unknown = self.client.get("/no/such/page").await;
        self.note("/no/such/page", when, For::Everybody, &unknown);
    }

    async fn done(&mut self, name: &'static str, sent: Value) {
        let answer = self.client.function(name, &sent).await;
        assert!(answer.status.is_success() || answer.status.is_redirection(), "{name}: {}", answer.body);
        self.note(&format!("/rpc/{name}"), "done", For::Raters, &answer);
    }

    async fn next(&mut self, study: &str) -> Next {
        let answer = self.client.rpc("next_item", json!({"study": study, "holding": []})).await;
        self.note("/rpc/next_item", "on the way", For::Raters, &answer);
        answer.json()
    }

    async fn submit(&mut self, item: &GradingItem, draft: &Draft, key: &str) {
        let sent = json!({"assignment": item.token, "draft": draft, "key": key});
        self.done("submit_rating", sent).await;
    }
}

fn draft(scores: [u8; 3]) -> Draft {
    Draft { scores: scores.into_iter().map(Some).collect(), ..Draft::default() }
}

/// With everything that a draft can contain.
fn full() -> Draft {
    Draft {
        comment: "What is asked of an empty list?".into(),
        flag: Some(Flag { reason: FlagReason::Other, text: "Two readings.".into() }),
        active_ms: Some(4000),
        notes: vec![LineNote { at: Position { line: 1, column: 1 }, text: "too wide".into() }],
        ..draft([2, 2, 2])
    }
}

async fn study_named(client: &mut Client, title: &str) -> String {
    let my_studies: Value = client.rpc("my_studies", json!({})).await.json();
    let found = my_studies.as_array().unwrap().iter().find(|study| study["title"] == title);
    found.unwrap_or_else(|| panic!("{my_studies}"))["token"].as_str().unwrap().to_owned()
}

/// Rates everything that a rater is assigned.
async fn rate_all(client: &mut Client, study: &str, scores: [u8; 3]) {
    loop {
        match client.rpc("next_item", json!({"study": study, "holding": []})).await.json() {
            Next::Item(item) => {
                let sent = json!({"assignment": item.token, "draft": draft(scores), "key": "k"});
                let answer = client.rpc("submit_rating", sent).await;
                assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
            }
            Next::Calibration(calibration) => {
                let what = match *calibration {
                    Calibration::Feedback(feedback) => feedback.token.0,
                    Calibration::Passed(result) | Calibration::Stopped(result) => result.study.0,
                };
                client.form("/rpc/go_on", &[("what", &what)]).await;
            }
            Next::Finished { .. } => return,
            Next::Paused { .. } => panic!("the study is paused"),
        }
    }
}

#[tokio::test]
async fn walk_covers_every_function_page_and_address() {
    let here = Here::default();
    let check = |kind: &str, there: BTreeSet<String>, known: BTreeSet<String>| {
        let unknown: Vec<_> = there.difference(&known).collect();
        let gone: Vec<_> = known.difference(&there).collect();
        assert!(unknown.is_empty(), "the walk in this file does not know these {kind}: {unknown:?}");
        assert!(gone.is_empty(), "the walk in this file knows {kind} that are gone: {gone:?}");
        assert!(!there.is_empty());
    };
    check(
        "server functions",
        leptos::server_fn::axum::server_fn_paths().map(|(path, _)| path.to_owned()).collect(),
        functions(&here, &Draft::default()).iter().map(|(name, ..)| format!("/rpc/{name}")).collect(),
    );
    for (name, of, request) in functions(&here, &Draft::default()) {
        // The time of an answer about an item must not tell a hidden check from work.
        let is_about_items = of == For::Raters && request.get("assignment").is_some();
        assert!(!is_about_items || web::pace::is_paced(&format!("/rpc/{name}")), "{name}");
    }
    check(
        "pages",
        web::router::pages().iter().cloned().collect(),
        pages(&here).iter().map(|(pattern, ..)| (*pattern).to_owned()).collect(),
    );
    // Operators have a separate address, which people do not use.
    let router = include_str!("../../web/src/router.rs").split("pub fn watched").next().unwrap();
    check(
        "addresses",
        router.split(".route(\"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect(),
        addresses().iter().map(|(pattern, ..)| (*pattern).to_owned()).collect(),
    );
}

#[tokio::test]
#[allow(clippy::too_many_lines, reason = "one walk through all calls of a rater")]
async fn raters_never_see_models_or_ids() {
    let app = TestApp::demo().await;
    // So that the page about email is there; nothing is sent.
    app.services.mail.configure(Smtp::default().client(|_| ()), "https://grade.example.org");
    prepare(&app).await;
    let client = app.rater().await;
    let mut walk = Walk { secrets: Secrets::of(&app, "ada").await, client, answered: BTreeSet::new() };
    let study = study_named(&mut walk.client, "Blind").await;
    let mut here = Here { study: study.clone(), item: "none".into(), disagreement: "none".into() };

    // The calibration, with its known scores.
    let Next::Item(first) = walk.next(&study).await else { panic!("a calibration item comes first") };
    assert!(first.calibration.is_some());
    here.item = first.token.0.clone();
    walk.everything("before the calibration", &here, &draft([1, 1, 1])).await;
    walk.submit(&first, &full(), "c1").await;
    assert!(matches!(walk.next(&study).await, Next::Calibration(_)));
    walk.everything("with known scores", &here, &draft([1, 1, 1])).await;
    walk.done("go_on", json!({"what": first.token.0})).await;
    let Next::Item(second) = walk.next(&study).await else { panic!("a second item") };
    walk.submit(&second, &draft([4, 3, 5]), "c2").await;
    walk.done("go_on", json!({"what": second.token.0})).await;
    let announced: Vec<Announced> = walk.client.rpc("unread_announcements", json!({})).await.json();
    walk.done("read_announcement", json!({"token": announced[0].token.0})).await;
    let Next::Calibration(passed) = walk.next(&study).await else { panic!("the calibration's end") };
    assert!(matches!(*passed, Calibration::Passed(_)));
    walk.everything("after the calibration", &here, &draft([1, 1, 1])).await;
    walk.done("go_on", json!({"what": study})).await;

    // Work: an output before and after it is rated, flagged, replied to, withdrawn; a few more, with hidden
    // checks among them.
    let Next::Item(item) = walk.next(&study).await else { panic!("work") };
    here.item = item.token.0.clone();
    walk.everything("before rating", &here, &draft([1, 2, 3])).await;
    walk.submit(&item, &full(), "w1").await;
    walk.everything("after rating", &here, &full()).await;
    walk.done("undo_rating", json!({"assignment": item.token})).await;
    walk.everything("taken back", &here, &full()).await;
    walk.submit(&item, &full(), "w2").await;
    for flag in app.services.quality.flags(&ADMIN, StudyId(2), PageOf::default()).await.unwrap().1.rows {
        app.services.quality.reply_to_flag(&ADMIN, StudyId(2), flag.on, "Any answer is fine.").await.unwrap();
    }
    let back: RaterFeedback = walk.client.rpc("my_feedback", json!({})).await.json();
    assert!(!back.replies.is_empty() && !back.figures.is_empty(), "{back:?}");
    walk.everything("with a reply", &here, &full()).await;
    let Next::Item(skipped) = walk.next(&study).await else { panic!("more work") };
    walk.done("skip", json!({"assignment": skipped.token})).await;
    for n in 0..8 {
        let Next::Item(item) = walk.next(&study).await else { panic!("more work") };
        here.item = item.token.0.clone();
        let answer = walk.client.get(&format!("/grade/{study}/{}", item.token)).await;
        walk.note("/grade/{study}/{item}", "on the way", For::Raters, &answer);
        walk.submit(&item, &full(), &format!("m{n}")).await;
    }

    // The others rate the rest and disagree; this rater adjudicates outputs that they did not rate.
    for (name, scores) in [("bo", [1, 1, 1]), ("chen", [4, 3, 5])] {
        rate_all(&mut app.demo_user(name).await, &study, scores).await;
    }
    let lines = walk.client.rpc("my_disagreements", json!({})).await.json::<DisagreementQueue>().lines;
    here.disagreement = lines[0].token.0.clone();
    walk.everything("with a disagreement", &here, &full()).await;
    let decision = json!({"token": here.disagreement, "comment": "Misses one case.", "scores": [2, 2, 2]});
    walk.done("adjudicate", decision).await;
    walk.everything("adjudicated", &here, &full()).await;

    // The same side by side.
    let side_by_side = study_named(&mut walk.client, "Beside").await;
    let answer = walk.client.rpc("next_task_items", json!({"study": side_by_side, "holding": []})).await;
    let NextTask::Task(items) = answer.json::<NextTask>() else { panic!("{}", answer.body) };
    let mut there = Here { study: side_by_side.clone(), item: items[0].token.0.clone(), disagreement: "none".into() };
    walk.everything("side by side before rating", &there, &draft([1, 1, 1])).await;
    walk.submit(&items[0], &full(), "b1").await;
    walk.everything("side by side after rating", &there, &full()).await;
    rate_side_by_side(&mut walk, &side_by_side).await;
    there.item = items[0].token.0.clone();
    walk.everything("side by side at the end", &there, &full()).await;

    // Paused by an admin, and warned.
    let ada = app.services.accounts.named(&ADMIN, "ada").await.unwrap().unwrap();
    app.services.quality.pause_rater(&ADMIN, StudyId(2), ada, true).await.unwrap();
    assert!(matches!(walk.next(&study).await, Next::Paused { why: Halt::Rater, .. }));
    let sent = json!({"assignment": here.item, "draft": draft([1, 2, 4]), "key": "held"});
    let refused = walk.client.rpc("submit_rating", sent).await;
    walk.secrets.check("a submission of a paused rater", &refused);
    assert_eq!(refused.status, StatusCode::CONFLICT, "{}", refused.body);
    walk.everything("paused by an admin", &here, &full()).await;
    app.services.quality.pause_rater(&ADMIN, StudyId(2), ada, false).await.unwrap();
    let warn = move |tx: &rusqlite::Transaction<'_>| {
        Ok(tx.execute("UPDATE rater_limits SET warned = 1 WHERE study_id = 2 AND user_id = ?1", [ada.0])?)
    };
    assert_eq!(app.services.db.write(warn).await.unwrap(), 1);
    assert!(matches!(walk.next(&study).await, Next::Paused { why: Halt::Warning(_), .. }));
    walk.everything("with a warning", &here, &full()).await;
    walk.done("go_on", json!({"what": study})).await;
    assert!(!matches!(walk.next(&study).await, Next::Paused { .. }));

    // Paused, and closed.
    for status in ["paused", "closed"] {
        for id in ["2", "3"] {
            let mut admin = app.admin().await;
            let answer = admin.form("/rpc/set_study_status", &[("id", id), ("status", status)]).await;
            assert!(answer.status.is_success() || answer.status.is_redirection(), "{}", answer.body);
        }
        walk.everything(status, &here, &full()).await;
        walk.everything(status, &there, &full()).await;
    }

    for (pattern, of, method, path) in addresses() {
        // Logging out would end the walk.
        if pattern == "/log-out" {
            continue;
        }
        let headers = [
            ("accept", "text/html"),
            ("sec-fetch-site", "same-origin"),
            ("content-type", "application/x-www-form-urlencoded"),
        ];
        let answer = walk.client.send(method, &path, &headers, String::new()).await;
        walk.secrets.check(pattern, &answer);
        if of == For::Admins {
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{pattern}");
        }
    }

    // A walk without useful answers would prove nothing.
    let silent: Vec<String> = functions(&here, &full())
        .iter()
        .filter(|(_, of, _)| *of == For::Raters)
        .map(|(name, ..)| format!("/rpc/{name}"))
        .chain(pages(&here).iter().filter(|(_, of, _)| *of == For::Raters).map(|(p, ..)| (*p).to_owned()))
        .filter(|what| !walk.answered.contains(what))
        .collect();
    assert!(silent.is_empty(), "never answered: {silent:?}");
}

#[tokio::test]
async fn nothing_is_reachable_without_log_in() {
    let app = TestApp::demo().await;
    let secrets = Secrets::of(&app, "").await;
    let here = Here { study: "none".into(), item: "none".into(), disagreement: "none".into() };
    let mut nobody = app.anonymous();
    for (pattern, of, path) in pages(&here) {
        let answer = nobody.get(&path).await;
        if of != For::Everybody {
            assert!(answer.location().starts_with("/log-in"), "{pattern}: {}", answer.status);
        } else if pattern != "/log-in" {
            // The login page repeats the name that was tried.
            secrets.check(pattern, &answer);
        }
    }
    for (name, of, sent) in functions(&here, &draft([1, 1, 1])) {
        let answer = nobody.function(name, &sent).await;
        secrets.check(name, &answer);
        if of != For::Everybody {
            assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{name}: {}", answer.body);
        }
    }
}

/// Two studies: one at a time with every quality setting, and one side by side.
async fn prepare(app: &TestApp) {
    let users = app.services.accounts.users(&ADMIN, PageOf::first(PageOf::MOST)).await.unwrap().rows;
    let rows = app.services.submissions.list(&ADMIN, None, PageOf::first(PageOf::MOST)).await.unwrap().rows;
    let raters: Vec<_> = users.iter().filter(|user| user.name != "admin").map(|user| user.id).collect();
    let new = |title: &str, presentation| NewStudy {
        title: title.into(),
        dataset: "starter".into(),
        submissions: rows.iter().map(|row| row.id).collect(),
        raters: raters.clone(),
        seed: Some(11),
        settings: StudySettings { raters_per_output: 2, tasks: Some(8), presentation, ..StudySettings::default() },
        ..NewStudy::default()
    };
    // Each new study gets a copy.
    let text = Bilingual { en: "# How to rate\n\nTake your time.".into(), zh: String::new() };
    app.services.guidelines.save(&ADMIN, Object::Dataset("starter".into()), text, None).await.unwrap();
    let blind = app.services.studies.create(&ADMIN, new("Blind", Presentation::One)).await.unwrap();
    let side_by_side = app.services.studies.create(&ADMIN, new("Beside", Presentation::SideBySide)).await.unwrap();
    assert_eq!((blind, side_by_side), (StudyId(2), StudyId(3)));
    let text = Bilingual { en: "The server restarts at 18:00.".into(), zh: String::new() };
    let announced = NewAnnouncement { to: Audience::Study(blind), text, last_day: None, allow_names: false };
    app.services.announcements.publish(&ADMIN, announced).await.unwrap();
    let choices = app.services.quality.page(&ADMIN, blind).await.unwrap().choices;
    let pools = [Pool::Calibration, Pool::Calibration, Pool::Hidden, Pool::Hidden];
    for (n, (known, pool)) in [[4, 3, 5], [1, 1, 1], [4, 3, 5], [1, 1, 1]].iter().zip(pools).enumerate() {
        let source = KnownItemSource::Pasted {
            task: choices.tasks[n].0,
            code: format!("int known{n}() {{ return {n}; }}"),
            surrounding_text: String::new(),
        };
        let reasons = known.iter().map(|_| Bilingual { en: "Because.".into(), zh: "原因。".into() });
        let new = NewKnownItem { source, scores: known.to_vec(), reasons: reasons.collect(), pool };
        app.services.quality.add_known_item(&ADMIN, blind, new).await.unwrap();
    }
    let settings = QualitySettings {
        calibration: CalibrationMode::Train,
        tolerance: 1,
        known_item_every: 3,
        repeat_every: 3,
        repeat_apart: 1,
        spread: Some(1),
        policy: Policy::Adjudicator,
        shown: FeedbackLevel::Own,
        ..QualitySettings::default()
    };
    app.services.quality.set(&ADMIN, blind, crate::util::change_to(&settings)).await.unwrap();
    let ada = users.iter().find(|user| user.name == "ada").unwrap().id;
    app.services.quality.set_adjudicator(&ADMIN, blind, ada, true).await.unwrap();
}

/// Rates everything that is left, side by side.
async fn rate_side_by_side(walk: &mut Walk, study: &str) {
    let mut seen: BTreeMap<String, ()> = BTreeMap::new();
    loop {
        let answer = walk.client.rpc("next_task_items", json!({"study": study, "holding": []})).await;
        walk.note("/rpc/next_task_items", "on the way", For::Raters, &answer);
        let NextTask::Task(items) = answer.json::<NextTask>() else { return };
        for item in items.iter().filter(|item| !item.rated) {
            assert!(seen.insert(item.token.0.clone(), ()).is_none(), "an output comes once");
            walk.submit(item, &draft([3, 2, 4]), &item.token.0.clone()).await;
        }
    }
}
