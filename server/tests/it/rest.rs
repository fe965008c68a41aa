//! The REST API: authentication, responses, idempotency, and robustness against any input.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::collections::BTreeSet;

use crate::util::{Answer, TestApp};
use axum::http::{Method, StatusCode};
use model::{
    api::{NewToken, Scope},
    caller::System,
    ids::{ApiTokenId, UserId},
    page::PageOf,
    user::Role,
};
use port::{Accounts, api::Tokens};
use serde_json::{Value, json};
use services::accounts::Validity;

/// An error always has the same form.
fn check_problem(answer: &Answer, status: u16, what: &str) -> Value {
    assert_eq!(answer.status.as_u16(), status, "{what}: {}", answer.body);
    assert_eq!(answer.headers["content-type"], "application/problem+json", "{what}");
    let problem: Value = answer.json();
    assert_eq!(problem["status"], status, "{what}");
    assert!(problem["title"].is_string() && problem["detail"].is_string(), "{what}: {problem}");
    problem
}

#[tokio::test]
async fn token_ends_when_revoked_or_owner_is_no_admin() {
    let app = TestApp::demo().await;
    let token = app.token(&[Scope::Read]).await;
    let mut program = app.anonymous();
    let me: Value = program.api(&token, Method::GET, "/api/v1/me", None).await.json();
    assert_eq!((me["name"].as_str(), &me["scopes"]), (Some("admin"), &json!(["read"])));
    // The use is recorded; the token itself is not.
    let rows = app.services.tokens.list(&System.admin(), PageOf::first(PageOf::MOST)).await.unwrap().rows;
    assert!(rows[0].last_used_at.is_some() && rows[0].live && token.starts_with(&rows[0].prefix));
    let file = std::fs::read(app.services.db.path()).unwrap();
    let wal = std::fs::read(app.services.db.path().with_extension("sqlite3-wal")).unwrap_or_default();
    let holds = |bytes: &[u8]| bytes.windows(token.len()).any(|window| window == token.as_bytes());
    assert!(!holds(&file) && !holds(&wal));

    app.services.tokens.revoke(&System.admin(), ApiTokenId(me["token"].as_i64().unwrap())).await.unwrap();
    let answer = program.api(&token, Method::GET, "/api/v1/me", None).await;
    check_problem(&answer, 401, "revoked");
    assert_eq!(answer.headers["www-authenticate"], "Bearer");

    let token = app.token(&[Scope::Admin]).await;
    let users = app.services.accounts.users(&System.admin(), PageOf::first(PageOf::MOST)).await.unwrap().rows;
    let admin = users.iter().find(|user| user.name == "admin").unwrap().id;
    app.services.accounts.set_disabled(&System.admin(), admin, true).await.unwrap();
    check_problem(&program.api(&token, Method::GET, "/api/v1/me", None).await, 401, "owner switched off");
    app.services.accounts.set_disabled(&System.admin(), admin, false).await.unwrap();
    assert_eq!(program.api(&token, Method::GET, "/api/v1/me", None).await.status, StatusCode::OK);
}

#[tokio::test]
async fn api_accepts_only_tokens() {
    let app = TestApp::demo().await;
    let mut admin = app.admin().await;
    check_problem(&admin.api("", Method::GET, "/api/v1/datasets", None).await, 401, "a session's cookie");
    for wrong in ["axg_", "axg_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "x", "demo-password-admin"] {
        check_problem(&app.anonymous().api(wrong, Method::GET, "/api/v1/datasets", None).await, 401, wrong);
    }
    for header in ["Basic YWRtaW46eA==", "axg_x", "Bearer", ""] {
        let headers = [("authorization", header)];
        let answer = app.anonymous().send(Method::GET, "/api/v1/datasets", &headers, String::new()).await;
        check_problem(&answer, 401, header);
    }
    // Pages ignore tokens.
    let token = app.token(&[Scope::Admin]).await;
    let headers = [("authorization", &*format!("Bearer {token}")), ("accept", "text/html")];
    let page = app.anonymous().send(Method::GET, "/admin", &headers, String::new()).await;
    assert!(page.location().starts_with("/log-in"));
}

#[tokio::test]
async fn errors_are_always_problem_details() {
    let app = TestApp::demo().await;
    let token = &app.token(&[Scope::Admin]).await;
    let mut program = app.anonymous();
    let bearer = format!("Bearer {token}");
    let check = |answer: Answer, status, what: &str| check_problem(&answer, status, what);
    check(program.api(token, Method::GET, "/api/v1/nothing", None).await, 404, "no address");
    check(program.api(token, Method::GET, "/api", None).await, 404, "the root");
    check(program.api(token, Method::GET, "/api/v1/runs/4711", None).await, 404, "no run");
    check(program.api(token, Method::GET, "/api/v1/runs/x", None).await, 400, "no number");
    check(program.api(token, Method::GET, "/api/v1/runs?limit=0", None).await, 400, "no page");
    check(program.api(token, Method::GET, "/api/v1/runs?cursor=%25", None).await, 400, "no cursor");
    let answer = program.api(token, Method::DELETE, "/api/v1/runs", None).await;
    assert!(answer.headers["allow"].to_str().unwrap().contains("POST"));
    check(answer, 405, "no such method");
    let send = |kind: &'static str, body: String| {
        let (mut program, bearer) = (app.anonymous(), bearer.clone());
        async move {
            let headers = [("authorization", bearer.as_str()), ("content-type", kind)];
            program.send(Method::POST, "/api/v1/runs", &headers, body).await
        }
    };
    check(send("text/plain", "{}".into()).await, 415, "no JSON by name");
    let problem = check(send("application/json", "{\"submission\":\n x}".into()).await, 400, "no JSON");
    assert!(problem["detail"].as_str().unwrap().contains("line 2 column"), "{problem}");
    let problem = check(send("application/json", r#"{"submission": "x"}"#.into()).await, 422, "the wrong type");
    assert!(problem["detail"].as_str().unwrap().contains("submission"), "{problem}");
    check(send("application/json", format!("\"{}\"", "x".repeat(1024 * 1024))).await, 413, "too large");
    let new = json!({"label": "", "scopes": ["read"]});
    let problem = check(program.api(token, Method::POST, "/api/v1/tokens", Some(new)).await, 422, "no label");
    assert_eq!(problem["problems"][0]["file"], "label");
}

/// The field that identifies a row of a list.
type Key = fn(&Value) -> String;

#[tokio::test]
async fn lists_are_paged_and_etags_are_honoured() {
    let app = TestApp::demo().await;
    let token = &app.token(&[Scope::Read]).await;
    let mut program = app.anonymous();
    let mut rater = app.rater().await;
    let own = crate::stalls::study(&mut rater).await;
    for (n, note) in ["one", "two", "three"].into_iter().enumerate() {
        let item: Value = rater.rpc("next_item", json!({"study": own})).await.json();
        let assignment = item["Item"]["token"].as_str().unwrap();
        let draft = json!({"scores": [1, 2, 3], "comment": "", "flag": {"other": note}});
        let sent = json!({"assignment": assignment, "draft": draft, "key": format!("k{n}")});
        assert_eq!(rater.rpc("submit_rating", sent).await.status, StatusCode::OK);
    }
    let mut all = async |path: &str, limit: usize, key: Key| {
        let mut next = Some(format!("{path}?limit={limit}"));
        let mut seen = Vec::new();
        while let Some(path) = next {
            let page: Value = program.api(token, Method::GET, &path, None).await.json();
            let items = page["items"].as_array().unwrap();
            assert!(items.len() <= limit, "{path}");
            seen.extend(items.iter().map(key));
            next = page["next"].as_str().map(str::to_owned);
        }
        seen
    };
    let lists: [(&str, usize, usize, Key); 3] = [
        ("/api/v1/datasets/starter/tasks", 15, 40, |task| task["task_id"].to_string()),
        ("/api/v1/studies/1/tasks", 7, 28, |task| task["task"]["task_id"].to_string()),
        ("/api/v1/studies/1/flags", 2, 3, |flag| flag["flag"]["other"].to_string()),
    ];
    for (path, limit, number, key) in lists {
        let seen = all(path, limit, key).await;
        assert_eq!(seen, all(path, 200, key).await, "{path}");
        assert_eq!(seen.iter().collect::<BTreeSet<_>>().len(), seen.len(), "{path}");
        assert_eq!(seen.len(), number, "{path}");
    }
    let cursor = "/api/v1/studies/1/flags?cursor=eA";
    assert_eq!(program.api(token, Method::GET, cursor, None).await.status, StatusCode::UNPROCESSABLE_ENTITY);

    let bearer = format!("Bearer {token}");
    let first = program.api(token, Method::GET, "/api/v1/datasets", None).await;
    let tag = first.headers["etag"].to_str().unwrap().to_owned();
    let headers = [("authorization", bearer.as_str()), ("if-none-match", tag.as_str())];
    let again = program.send(Method::GET, "/api/v1/datasets", &headers, String::new()).await;
    assert_eq!((again.status, again.body.as_str()), (StatusCode::NOT_MODIFIED, ""));
}

#[tokio::test]
async fn idempotent_request_is_executed_once() {
    let app = TestApp::demo().await;
    let token = app.token(&[Scope::WriteStudies]).await;
    let people = app.services.accounts.users(&System.admin(), PageOf::first(PageOf::MOST)).await.unwrap().rows;
    let raters: Vec<UserId> = people.iter().filter(|p| p.name != "admin").map(|p| p.id).collect();
    let new = |title: &str| {
        json!({"title": title, "dataset": "starter", "submissions": [1], "raters": raters, "raters_per_output": 1})
            .to_string()
    };
    let send = |key: &'static str, body: String| {
        let (mut program, bearer) = (app.anonymous().at("203.0.113.7"), format!("Bearer {token}"));
        async move {
            let headers =
                [("authorization", bearer.as_str()), ("content-type", "application/json"), ("idempotency-key", key)];
            program.send(Method::POST, "/api/v1/studies", &headers, body).await
        }
    };
    let count = || async { app.anonymous().api(&token, Method::GET, "/api/v1/studies", None).await.json::<Value>() };
    let before = count().await["items"].as_array().unwrap().len();
    let first = send("k1", new("One")).await;
    assert_eq!(first.status, StatusCode::CREATED, "{}", first.body);
    let again = send("k1", new("One")).await;
    assert_eq!((again.status, &again.body), (first.status, &first.body));
    assert_eq!(again.headers["location"], first.headers["location"]);
    assert_eq!(again.headers["idempotency-replayed"], "true");
    check_problem(&send("k1", new("Another")).await, 422, "another body");
    // Of many simultaneous requests one is executed; the others get 409 or its response.
    let many = futures::future::join_all((0..8).map(|_| send("k2", new("Two")))).await;
    assert!(many.iter().any(|answer| answer.status == StatusCode::CREATED));
    for answer in many.iter().filter(|answer| answer.status != StatusCode::CREATED) {
        check_problem(answer, 409, "at work");
    }
    // A failed request may be retried with its key.
    check_problem(&send("k3", new("")).await, 422, "no title");
    check_problem(&send("k3", new("")).await, 422, "no title");
    assert_eq!(send("k3", new("Three")).await.status, StatusCode::CREATED);
    assert_eq!(count().await["items"].as_array().unwrap().len(), before + 3);
    // A key is its person's: another one's request with it is executed, or refused for what the other may not.
    app.services.accounts.add(System, "root", Role::Admin, "a long password", Validity::Lasting).await.unwrap();
    let scopes = vec![Scope::WriteStudies];
    let theirs = NewToken { label: "test".into(), scopes, days: 1 };
    let other = app.services.tokens.create_for(System, "root", theirs).await.unwrap().secret;
    let as_other = |token: String, body: String| {
        let mut program = app.anonymous().at("203.0.113.7");
        async move {
            let bearer = format!("Bearer {token}");
            let headers =
                [("authorization", bearer.as_str()), ("content-type", "application/json"), ("idempotency-key", "k1")];
            program.send(Method::POST, "/api/v1/studies", &headers, body).await
        }
    };
    let theirs = as_other(other, new("One")).await;
    assert_eq!((theirs.status, theirs.headers.get("idempotency-replayed")), (StatusCode::CREATED, None));
    assert_ne!(theirs.headers["location"], first.headers["location"]);
    check_problem(&as_other(app.token(&[Scope::Read]).await, new("One")).await, 403, "not for a key either");
    // A restart forgets nothing.
    let app = app.restarted();
    let headers = [
        ("authorization", &*format!("Bearer {token}")),
        ("content-type", "application/json"),
        ("idempotency-key", "k1"),
    ];
    let later = app.anonymous().send(Method::POST, "/api/v1/studies", &headers, new("One")).await;
    assert_eq!(later.body, first.body);
    // The work goes on where the client disconnects, and its origin is recorded all the same.
    let admin = app.token(&[Scope::Admin]).await;
    let path = "/api/v1/audit?action=study.create&limit=1";
    let page: Value = app.anonymous().api(&admin, Method::GET, path, None).await.json();
    assert_eq!((&page["items"][0]["via"], &page["items"][0]["address"]), (&json!("token"), &json!("203.0.113.7")));
    // Responses with a secret are not stored.
    let headers = [("authorization", &*format!("Bearer {admin}")), ("idempotency-key", "k4")];
    check_problem(&app.anonymous().send(Method::POST, "/api/v1/tokens", &headers, "{}").await, 400, "a secret");
}

#[tokio::test]
async fn outputs_are_uploaded_and_read_back() {
    let app = TestApp::demo().await;
    let token = &app.token(&[Scope::WriteData]).await;
    let mut program = app.anonymous();
    let bearer = format!("Bearer {token}");
    let file = "{\"task_id\": \"S01\", \"generation\": \"int f() { return 1; }\"}\n";
    let headers = [("authorization", bearer.as_str()), ("content-type", "application/octet-stream")];
    let sent = program.send(Method::POST, "/api/v1/uploads?file=out.jsonl", &headers, file).await;
    assert_eq!(sent.status, StatusCode::CREATED, "{}", sent.body);
    let upload = sent.json::<Value>()["upload"].as_i64().unwrap();
    let preview = format!("/api/v1/uploads/{upload}/preview?dataset=starter");
    let preview: Value = program.api(token, Method::GET, &preview, None).await.json();
    assert_eq!((&preview["matched"], &preview["file"]), (&json!(1), &json!("out.jsonl")));
    let new = json!({"upload": upload, "dataset": "starter", "model": "By API"});
    let taken = program.api(token, Method::POST, "/api/v1/submissions", Some(new.clone())).await;
    assert_eq!(taken.status, StatusCode::CREATED, "{}", taken.body);
    let at = taken.location().to_owned();
    let row: Value = program.api(token, Method::GET, &at, None).await.json();
    assert_eq!((&row["model_name"], &row["outputs"]), (&json!("By API"), &json!(1)));
    let outputs: Value = program.api(token, Method::GET, &format!("{at}/outputs"), None).await.json();
    let output = format!("/api/v1/outputs/{}", outputs["items"][0]["id"]);
    let output: Value = program.api(token, Method::GET, &output, None).await.json();
    assert_eq!(output["task"]["task_id"], "S01");
    check_problem(&program.api(token, Method::POST, "/api/v1/submissions", Some(new)).await, 409, "twice");
    // A dataset as a file; an invalid one changes nothing.
    let bad = program.send(Method::POST, "/api/v1/imports?file=tasks.zip", &headers, "no archive").await;
    check_problem(&bad, 422, "no archive");
}

/// Bad values for a path parameter, and for a query parameter.
const BAD: [&str; 12] = [
    "0",
    "-1",
    "x",
    "9223372036854775807",
    "9223372036854775808",
    "1.5",
    "%00",
    "%FF",
    "%2e%2e",
    "null",
    "%E6%97%A5",
    "1%20",
];

#[tokio::test]
async fn no_input_causes_an_internal_error() {
    let app = TestApp::demo().await;
    let token = &app.token(&[Scope::Admin]).await;
    let document: Value = app.anonymous().api("", Method::GET, "/api/v1/openapi.json", None).await.json();
    let bearer = format!("Bearer {token}");
    let (mut operations, mut requests) = (0, 0);
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            operations += 1;
            let verb: Method = method.to_uppercase().parse().unwrap();
            let fill = |value: &str| {
                let mut parts = path.split('{');
                let first = parts.next().unwrap().to_owned();
                parts.fold(first, |all, part| format!("{all}{value}{}", part.split_once('}').unwrap().1))
            };
            let mut tries: Vec<(String, &str, Vec<u8>)> = Vec::new();
            // Every parameter wrong, with no body and with each wrong body.
            for bad in BAD {
                tries.push((fill(bad), "application/json", b"{}".to_vec()));
                let names = operation["parameters"].as_array().into_iter().flatten();
                let names = names.filter(|p| p["in"] == "query").map(|p| p["name"].as_str().unwrap());
                let query: Vec<String> = names.map(|name| format!("{name}={bad}")).collect();
                for one in &query {
                    tries.push((format!("{}?{one}", fill("1")), "application/json", b"{}".to_vec()));
                }
                tries.push((format!("{}?{}", fill("1"), query.join("&")), "application/json", b"{}".to_vec()));
            }
            let bodies: [&[u8]; 10] = [
                b"",
                b"{",
                b"null",
                b"[]",
                b"\"\"",
                b"{}",
                b"\xff\xfe",
                b"{\"id\": 1e400}",
                b"[[[[[[[[[[[[[[[[[[[[",
                &[0; 64],
            ];
            for body in bodies {
                for kind in
                    ["application/json", "text/plain", "application/octet-stream", "application/json; charset=x"]
                {
                    tries.push((format!("{}?file=a.jsonl&dataset=starter", fill("1")), kind, body.to_vec()));
                }
            }
            // The documented example with each of its values made wrong.
            let example = &operation["requestBody"]["content"]["application/json"]["example"];
            for key in example.as_object().into_iter().flat_map(|object| object.keys()) {
                for value in [
                    json!(null),
                    json!(-1),
                    json!(1e18),
                    json!("\u{0}日"),
                    json!([]),
                    json!({}),
                    json!("x".repeat(9000)),
                ] {
                    let mut wrong = example.clone();
                    wrong[key] = value;
                    tries.push((fill("1"), "application/json", wrong.to_string().into_bytes()));
                }
            }
            for (address, kind, body) in tries {
                // Revoking its own token would make the rest of this test pass for nothing.
                if address.contains("/tokens/1") || (verb == Method::PATCH && address.contains("/people/")) {
                    continue;
                }
                requests += 1;
                let headers = [("authorization", bearer.as_str()), ("content-type", kind)];
                let answer = app.anonymous().send(verb.clone(), &address, &headers, body.clone()).await;
                let what = format!("{verb} {address} {kind} {:?}", String::from_utf8_lossy(&body));
                assert!(answer.status.as_u16() < 500, "{what}: {} {}", answer.status, answer.body);
                assert_ne!(answer.status, StatusCode::UNAUTHORIZED, "{what}");
                if answer.status.is_client_error() {
                    check_problem(&answer, answer.status.as_u16(), &what);
                }
            }
        }
    }
    assert!(operations > 30 && requests > 1000, "{operations} operations, {requests} requests");
}

/// A change of an object that does not exist is refused, also one that changes nothing.
#[tokio::test]
async fn changes_need_their_object() {
    let app = TestApp::demo().await;
    let token = &app.token(&[Scope::Admin]).await;
    let document: Value = app.anonymous().api("", Method::GET, "/api/v1/openapi.json", None).await.json();
    let changes = [Method::PATCH, Method::PUT, Method::DELETE];
    let mut tried = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let verb: Method = method.to_uppercase().parse().unwrap();
            let parts: Vec<&str> = path.split_inclusive('}').collect();
            let ids = parts.iter().filter(|part| part.contains('{')).count();
            if !changes.contains(&verb) || ids == 0 {
                continue;
            }
            // Nothing that the path names exists, then all of it but the last.
            for existing in [0, ids - 1] {
                let fill = |(at, part): (usize, &&str)| match part.split_once('{') {
                    Some((before, "kind}")) => format!("{before}dataset"),
                    Some((before, _)) => format!("{before}{}", if at < existing { "1" } else { "999999" }),
                    None => (*part).to_owned(),
                };
                let address: String = parts.iter().enumerate().map(fill).collect();
                let example = operation["requestBody"]["content"]["application/json"]["example"].clone();
                for body in [example, json!({})] {
                    tried += 1;
                    let body = (!operation["requestBody"].is_null()).then_some(body);
                    let is_empty = body == Some(json!({}));
                    let answer = app.anonymous().api(token, verb.clone(), &address, body).await;
                    // An empty body may lack what the operation needs.
                    let is_refused = answer.status == 404 || (is_empty && answer.status == 422);
                    assert!(is_refused, "{verb} {address}, empty: {is_empty}: {} {}", answer.status, answer.body);
                }
            }
        }
    }
    assert!(tried > 50, "{tried}");
}

#[tokio::test]
async fn document_lists_exactly_the_routes() {
    let app = TestApp::demo().await;
    let token = &app.token(&[Scope::Admin]).await;
    let document: Value = app.anonymous().api("", Method::GET, "/api/v1/openapi.json", None).await.json();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    let methods = ["get", "put", "post", "patch", "delete"];
    let mut named = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in methods {
            let address = path.replace("{slug}", "nothing").replace(['{', '}'], "");
            let answer = app.anonymous().api(token, method.to_uppercase().parse().unwrap(), &address, None).await;
            let routed = answer.status != StatusCode::METHOD_NOT_ALLOWED;
            assert_eq!(routed, item[method].is_object(), "{method} {path}: {}", answer.status);
            if let Some(id) = item[method]["operationId"].as_str() {
                assert!(named.insert(id.to_owned()), "two operations are called {id}");
            }
        }
    }
    // Every name that the document refers to exists in it.
    let text = document.to_string();
    for name in text.split("#/components/schemas/").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(document["components"]["schemas"][name].is_object(), "the schema {name} is missing");
    }
    // `operations()`, from which the document is generated, registers all routes: no other file of the API
    // does.
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/web/src/rest")).unwrap() {
        let path = entry.unwrap().path();
        let source = std::fs::read_to_string(&path).unwrap();
        let own = source.matches(".route(").count();
        let expected = if path.ends_with("mod.rs") { 2 } else { 0 };
        assert_eq!(own, expected, "{}: register operations with `routes!` in rest/mod.rs", path.display());
    }
}

#[tokio::test]
async fn audit_log_is_paged_with_origins() {
    let app = TestApp::demo().await;
    let token = app.token(&[Scope::Admin, Scope::WriteStudies, Scope::Read]).await;
    let mut client = app.anonymous().at("203.0.113.7");
    for days in 1..=3 {
        let body = json!({"label": format!("dora {days}"), "role": "rater", "days": days});
        assert_eq!(client.api(&token, Method::POST, "/api/v1/invitations", Some(body)).await.status, 201);
    }
    let mut path = "/api/v1/audit?action=invitation.create&limit=2".to_owned();
    let mut entries: Vec<Value> = Vec::new();
    loop {
        let page: Value = client.api(&token, Method::GET, &path, None).await.json();
        entries.extend(page["items"].as_array().unwrap().iter().cloned());
        match page["next"].as_str() {
            Some(next) => path = next.to_owned(),
            None => break,
        }
    }
    let details: Vec<_> = entries.iter().map(|entry| entry["detail"].clone()).collect();
    let expected = [3, 2, 1].map(|n| json!([{"label": format!("dora {n}")}, {"role": "rater"}, {"days": n}]));
    assert_eq!(details, expected);
    let entry = &entries[0];
    assert_eq!(
        (&entry["person"], &entry["via"], &entry["address"]),
        (&json!("admin"), &json!("token"), &json!("203.0.113.7"))
    );
    assert_eq!(client.api(&token, Method::GET, "/api/v1/audit?action=made.up", None).await.status, 422);
    let mut admin = app.admin().await.at("2001:db8::1");
    admin.form("/rpc/invite", &[("label", "eve"), ("role", "rater"), ("days", "1")]).await;
    let page: Value = client.api(&token, Method::GET, "/api/v1/audit?object=eve", None).await.json();
    let entry = &page["items"][0];
    assert_eq!((&entry["via"], &entry["address"]), (&json!("session"), &json!("2001:db8::1")));
}
