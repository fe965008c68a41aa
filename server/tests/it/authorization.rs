//! Authorization: one row for every page, form, download, server function and operation of the API,
//! requested without an account, as a rater of the study, as a rater of another, as an admin, and with a
//! token of each scope. The list comes from the code; anything without a row in `endpoints.rs`
//! fails here.
//!
//! Besides the status, every answer to a non-admin is searched for the names of models.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

mod statements;

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    endpoints::{self, Call, Row},
    util::{Answer, Client, TestApp},
};
use axum::http::{Method, StatusCode};
use model::{
    api::{NewToken, Scope},
    audit::Object,
    caller::{Caller, Capability, Person, System},
    lang::Bilingual,
    page::PageOf,
    run::NewRun,
    study::{NewStudy, StudySettings},
    user::{Joins, Role},
};
use port::{Accounts, Grading, Runs, Studies, guidelines::Guidelines};
use serde_json::{Value, json};
use services::accounts::Validity;

/// Words that only people who may know the models may read.
const MODELS: [&str; 3] = ["northwind", "quillmoor", "saltmarsh"];

/// No account, a rater of the study, a rater of another study, an admin.
const PEOPLE: [&str; 4] = ["no account", "a rater of the study", "a rater of another study", "an admin"];

struct TestSetup {
    app: TestApp,
    people: Vec<Client>,
    study: String,
    item: String,
    task: String,
}

/// The demo with a run, and a second study whose rater is not in the first.
async fn setup() -> TestSetup {
    set_up(TestApp::demo().await).await
}

async fn set_up(app: TestApp) -> TestSetup {
    let admin = System.admin();
    let users = app.services.accounts.users(&admin, PageOf::first(PageOf::MOST)).await.unwrap().rows;
    let id = |name: &str| users.iter().find(|user| user.name == name).unwrap().id;
    let submissions = app.services.submissions.clone();
    let first = port::Submissions::list(&*submissions, &admin, None, PageOf::first(PageOf::MOST))
        .await
        .unwrap()
        .rows
        .last()
        .unwrap()
        .id;
    app.services.runs.start(&admin, NewRun::of(first)).await.unwrap();
    let secret = app.services.accounts.invite(&admin, "dora", Role::Rater, 7, Joins::default()).await.unwrap();
    let dora = app
        .services
        .accounts
        .join(&secret, "dora", "demo-password-dora", model::plan::Reads::BOTH, model::time_zone::TimeZone::default())
        .await
        .unwrap()
        .me;
    let other = NewStudy {
        title: "Another".into(),
        dataset: "starter".into(),
        submissions: vec![first],
        raters: vec![dora.id],
        settings: StudySettings { raters_per_output: 1, ..StudySettings::default() },
        ..NewStudy::default()
    };
    app.services.studies.create(&admin, other).await.unwrap();
    let text = Bilingual { en: "Take your time.".into(), zh: String::new() };
    let first_study = Object::Study(model::ids::StudyId(1));
    app.services.guidelines.save(&admin, first_study, text, None).await.unwrap();
    let study = app
        .services
        .studies
        .list(&admin, PageOf::first(PageOf::MOST))
        .await
        .unwrap()
        .rows
        .into_iter()
        .find(|s| s.id.0 == 1)
        .unwrap()
        .token;
    // Setting the demo's passwords started epoch 1.
    let ada = app.services.accounts.resume(id("ada"), 1).await.unwrap().unwrap().me;
    let ada = Person::of(&Caller::User(ada)).unwrap();
    let next = app.services.grading.next(&ada, &study, Vec::new()).await.unwrap();
    let item = serde_json::to_value(next).unwrap();
    let item = item.pointer("/Item/token").and_then(Value::as_str).unwrap_or_else(|| panic!("{item}")).to_owned();
    let tasks = app.services.studies.tasks(&admin, model::ids::StudyId(1), PageOf::default()).await.unwrap().rows;
    let people = vec![app.anonymous(), app.rater().await, app.demo_user("dora").await, app.admin().await];
    TestSetup { app, people, study: study.0, item, task: tasks[0].task.id.to_string() }
}

impl TestSetup {
    /// The row's text with the names of real objects filled in.
    fn fill(&self, text: &str) -> String {
        // JSON has a task's number without quotes.
        let text = text.replace("\"TASK\"", &self.task).replace("TASK", &self.task);
        text.replace("STUDY", &self.study).replace("ITEM", &self.item)
    }

    /// An operation's address with numbers filled in.
    fn address(&self, path: &str, id: &str) -> String {
        let mut address = path
            .replace("{slug}", "starter")
            .replace("{output}", "1")
            .replace("{task}", &self.task)
            .replace("{other}", "1")
            .replace("{file}", "tables.md");
        for part in ["{user}", "{rater}", "{item}", "{token}"] {
            address = address.replace(part, "4711");
        }
        address.replace("{id}", id) + "?dataset=starter&file=a.jsonl"
    }

    async fn send(&self, client: &mut Client, row: &Row) -> Answer {
        match &row.call {
            Call::Get(address) => client.get(&self.fill(address)).await,
            Call::Form(address, fields) => {
                let filled: Vec<_> = fields.iter().map(|(name, value)| (*name, self.fill(value))).collect();
                let fields: Vec<_> = filled.iter().map(|(name, value)| (*name, value.as_str())).collect();
                client.form(&self.fill(address), &fields).await
            }
            Call::Files(address) => {
                let headers = [("content-type", "multipart/form-data; boundary=b"), ("sec-fetch-site", "same-origin")];
                client.send(Method::POST, address, &headers, "--b--\r\n").await
            }
            Call::Function(arguments) => {
                let arguments: Value = serde_json::from_str(&self.fill(&arguments.to_string())).unwrap();
                client.function(row.function().unwrap(), &arguments).await
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_row_of_the_table_is_enforced() {
    let setup = setup().await;
    let mut wrong = Vec::new();
    for row in endpoints::rows() {
        for (who, expected) in row.expected.iter().enumerate() {
            let mut client = setup.people[who].clone();
            let answer = setup.send(&mut client, &row).await;
            if answer.status.as_u16() != *expected {
                let body: String = answer.body.chars().take(160).collect();
                wrong.push(format!("{}: {} got {}, not {expected}: {body}", row.what, PEOPLE[who], answer.status));
            }
            let text = answer.body.to_lowercase();
            for model in MODELS.iter().filter(|_| who < 3) {
                if text.contains(model) {
                    wrong.push(format!("{}: {} read the name of the model {model}", row.what, PEOPLE[who]));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn every_route_has_a_row() {
    let mut there: BTreeSet<String> = BTreeSet::new();
    // Pages, from the router of the pages.
    there.extend(web::router::pages().iter().map(|path| format!("GET {path}")));
    // Server functions, from their registry.
    there.extend(app_functions());
    // The rest, from the router.
    there.extend(routes_of(include_str!("../../web/src/router.rs")));
    let rows: BTreeSet<String> = endpoints::rows().iter().map(|row| row.what.to_owned()).collect();
    let missing: Vec<_> = there.difference(&rows).collect();
    let gone: Vec<_> = rows.difference(&there).collect();
    assert!(
        missing.is_empty() && gone.is_empty(),
        "Without a row in server/tests/it/endpoints.rs: {missing:#?}\nRows for what is not there: {gone:#?}\n\
         A page for admins: `admins_page(\"/admin/x/{{id}}\", \"/admin/x/1\")`; a server function for admins: \
         `admins_call(\"/rpc/x\", json!({{\"id\": 1}}))`; others say the four statuses themselves. STUDY and ITEM \
         stand for a study's and an output's name on ada's side, TASK for the number of a task of the study."
    );
    // No other file defines routes.
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/web/src")).unwrap() {
        let path = file.unwrap().path();
        if path.is_file() && !path.ends_with("router.rs") {
            let source = std::fs::read_to_string(&path).unwrap();
            assert!(
                !source.contains(".route("),
                "{}: routes belong in router.rs, where this test looks",
                path.display()
            );
        }
    }
}

fn app_functions() -> Vec<String> {
    leptos::server_fn::axum::server_fn_paths().map(|(path, _)| path.to_owned()).collect()
}

/// The routes in a router's source: `.route("/x", post(f))` is `POST /x`.
fn routes_of(source: &str) -> Vec<String> {
    // Public and the same for everybody; the API has a table of its own below.
    let skipped = [
        "GET /healthz",
        "GET /readyz",
        "GET /metrics",
        "GET /assets/{name}",
        "GET /dev/server",
        "POST /rpc/{*function}",
    ];
    let mut found = Vec::new();
    for part in source.split(".route(").skip(1) {
        let Some(rest) = part.trim_start().strip_prefix('"') else { continue };
        let (path, rest) = rest.split_once('"').unwrap();
        for method in ["get", "post", "put", "patch", "delete", "any"] {
            let chain = rest.split(".route(").next().unwrap().split('\n').next().unwrap();
            if chain.contains(&format!("{method}(")) {
                found.push(format!("{} {path}", method.to_uppercase()));
            }
        }
    }
    assert!(found.len() > 10, "the router's source is read wrongly: {found:?}");
    found.retain(|route| !skipped.contains(&route.as_str()));
    found
}

#[tokio::test]
async fn every_operation_requires_its_scope() {
    let setup = setup().await;
    let document: Value = setup.app.anonymous().api("", Method::GET, "/api/v1/openapi.json", None).await.json();
    let mut there = BTreeMap::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            there.insert(format!("{} {path}", method.to_uppercase()), operation.clone());
        }
    }
    let table: BTreeMap<String, Option<Scope>> =
        endpoints::operations().into_iter().map(|(what, scope)| (what.to_owned(), scope)).collect();
    let missing: Vec<_> = there.keys().filter(|what| !table.contains_key(*what)).collect();
    let gone: Vec<_> = table.keys().filter(|what| !there.contains_key(*what)).collect();
    assert!(
        missing.is_empty() && gone.is_empty(),
        "Operations without a row in `operations()` of server/tests/it/endpoints.rs: {missing:#?}\n\
         Rows without an operation: {gone:#?}"
    );
    let mut tokens = Vec::new();
    for scope in Scope::ALL {
        tokens.push((scope, setup.app.token(&[scope]).await));
    }
    let mut wrong = Vec::new();
    for (what, needed) in &table {
        let (method, path) = what.split_once(' ').unwrap();
        let method: Method = method.parse().unwrap();
        // Reads use existing objects; changes use missing ones, so that later rows find the same data.
        let address = setup.address(path, if method == Method::GET { "1" } else { "4711" });
        let example = &there[what]["requestBody"]["content"]["application/json"]["example"];
        let body = example.is_object().then(|| example.clone());
        let mut check = |who: &str, answer: &Answer, expected: Option<u16>| {
            let status = answer.status.as_u16();
            let right = match expected {
                Some(expected) => status == expected,
                // The request is allowed; whether it succeeds is another question.
                None => !matches!(status, 401 | 403) && status < 500,
            };
            if !right {
                wrong.push(format!("{what} with {who}: {status} {}", answer.body));
            }
        };
        // Sessions mean nothing here, not even an admin's.
        for (who, client) in PEOPLE.iter().zip(&setup.people) {
            let answer = client.clone().api("", method.clone(), &address, body.clone()).await;
            check(who, &answer, if needed.is_some() { Some(401) } else { None });
        }
        for (scope, token) in &tokens {
            let answer = setup.app.anonymous().api(token, method.clone(), &address, body.clone()).await;
            let may = needed.is_none_or(|needed| scope.allows(needed));
            check(&format!("a token for {scope}"), &answer, if may { None } else { Some(403) });
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // The same for former admins and revoked tokens.
    let token = setup.app.token(&[Scope::Admin]).await;
    let rows = port::api::Tokens::list(&*setup.app.services.tokens, &System.admin(), PageOf::first(PageOf::MOST))
        .await
        .unwrap()
        .rows;
    port::api::Tokens::revoke(&*setup.app.services.tokens, &System.admin(), rows[0].id).await.unwrap();
    let answer = setup.app.anonymous().api(&token, Method::GET, "/api/v1/me", Some(json!({}))).await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
}

/// A token of an admin who is a rater now is as none: every operation refuses it in the same words, whether or not what it
/// names exists. The list of operations is the document's.
#[tokio::test]
async fn tokens_of_raters_are_refused_by_every_operation() {
    let setup = setup().await;
    let (accounts, admin) = (&setup.app.services.accounts, System.admin());
    let name = "demoted";
    accounts.add(System, name, Role::Admin, "demo-password-demoted", Validity::Lasting).await.unwrap();
    let new = NewToken { label: "test".into(), scopes: Scope::ALL.to_vec(), days: 1 };
    let token = setup.app.services.tokens.create_for(System, name, new).await.unwrap().secret;
    let mut program = setup.app.anonymous();
    let allowed = program.api(&token, Method::GET, "/api/v1/me", None).await;
    assert_eq!(allowed.status, StatusCode::OK, "{}", allowed.body);
    let user = accounts.named(&admin, name).await.unwrap().unwrap();
    accounts.set_role(&admin, user, Role::Rater).await.unwrap();
    let document: Value = program.api("", Method::GET, "/api/v1/openapi.json", None).await.json();
    let refused = program.api("axg_unknown", Method::GET, "/api/v1/me", None).await;
    let (mut wrong, mut operations) = (Vec::new(), 0);
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if operation["security"][0].get("token").is_none() {
                continue;
            }
            operations += 1;
            let body = &operation["requestBody"]["content"]["application/json"]["example"];
            for id in ["1", "4711"] {
                let (method, body) = (method.to_uppercase().parse().unwrap(), body.is_object().then(|| body.clone()));
                let answer = program.api(&token, method, &setup.address(path, id), body).await;
                if (answer.status, &answer.body) != (StatusCode::UNAUTHORIZED, &refused.body) {
                    wrong.push(format!("{path} of {id}: {} {}", answer.status, answer.body));
                }
            }
        }
    }
    assert!(wrong.is_empty() && operations > 100, "{operations} operations\n{}", wrong.join("\n"));
}
