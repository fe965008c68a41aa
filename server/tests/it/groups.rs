//! Groups of people.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use axum::http::{Method, StatusCode};
use model::{
    api::Scope,
    caller::System,
    group::MemberChange,
    ids::UserId,
    page::{PageOf, Which},
    user::{Joins, Role},
};
use port::{Accounts as _, groups::Groups as _};
use serde_json::{Value, json};

use crate::util::TestApp;

async fn ids(app: &TestApp, group: Option<&str>) -> Vec<(UserId, String)> {
    let which = group.map_or_else(Which::default, |id| Which::only("group", id));
    let of = PageOf { which, ..PageOf::first(PageOf::MOST) };
    let rows = app.services.accounts.users(&System.admin(), of).await.unwrap().rows;
    rows.into_iter().map(|user| (user.id, user.name)).collect()
}

#[tokio::test]
async fn groups_choose_raters_filter_people_and_take_in_those_who_are_invited() {
    let app = TestApp::demo().await;
    let admin = System.admin();
    let groups = &app.services.groups;
    let id = groups.create(&admin, " Java ").await.unwrap();
    assert!(groups.create(&admin, "java").await.unwrap_err().to_string().contains("already"));
    assert!(groups.create(&admin, "").await.is_err());
    let refused = groups.add_named(&admin, id, "ada, nobody\nno-one").await.unwrap_err().to_string();
    assert!(refused.contains("\"nobody\"") && refused.contains("\"no-one\""), "{refused}");
    assert!(groups.get(&admin, id).await.unwrap().members.is_empty(), "all or none");
    groups.add_named(&admin, id, "ADA，bo\n").await.unwrap();
    let names = |members: Vec<model::group::Member>| members.into_iter().map(|m| m.name).collect::<Vec<_>>();
    assert_eq!(names(groups.get(&admin, id).await.unwrap().members), ["ada", "bo"]);

    let in_group = ids(&app, Some(&id.to_string())).await;
    assert_eq!(in_group.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>(), ["ada", "bo"]);
    let all = ids(&app, None).await;
    let of = |wanted: &str| all.iter().find(|(_, name)| name == wanted).unwrap().0;

    // Who accepts an invitation into the group is in it.
    let made = app
        .services
        .accounts
        .invite_many(&admin, "Dora", Role::Rater, 7, Joins { group: Some(id), study: None }, false)
        .await
        .unwrap();
    let join = [("name", "dora"), ("password", "a long enough password")];
    assert_eq!(app.anonymous().form(&made[0].path, &join).await.location(), "/");
    assert_eq!(names(groups.get(&admin, id).await.unwrap().members), ["ada", "bo", "dora"]);

    // Deactivated people are in no choice; the form adds the others once.
    app.services.accounts.set_disabled(&admin, of("bo"), true).await.unwrap();
    let mut browser = app.admin().await;
    let page = browser.get("/admin/studies/new?dataset=starter").await.body;
    assert!(page.contains("name=\"study[groups][]\"") && page.contains("2 members"), "{page}");
    let (group, ada) = (id.to_string(), of("ada").to_string());
    let fields = [
        ("study[title]", "T"),
        ("study[dataset]", "starter"),
        ("study[submissions][]", "1"),
        ("study[raters][]", ada.as_str()),
        ("study[groups][]", group.as_str()),
        ("study[settings][raters_per_output]", "2"),
    ];
    let plan = browser.form("/rpc/create_study", &fields).await;
    assert!(plan.location().ends_with("/plan"), "{}", plan.location());
    let study: i64 = plan.location().split('/').nth(3).unwrap().parse().unwrap();
    let page = async |browser: &mut crate::util::Client, page: Value| {
        let plan: Value = browser.rpc("plan", json!({"id": study, "page": page})).await.json();
        assert_eq!(plan["plan"]["raters"], json!([]));
        plan["raters"].clone()
    };
    let raters = async |browser: &mut crate::util::Client| {
        let found = page(browser, json!({})).await;
        let raters = found["rows"].as_array().unwrap().iter();
        let mut names: Vec<_> = raters.map(|rater| rater["name"].as_str().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(raters(&mut browser).await, ["ada", "dora"]);
    let found = page(&mut browser, json!({"which": {"search": "DOR"}, "limit": 1, "counted": true})).await;
    assert_eq!((&found["rows"][0]["name"], &found["found"]["rows"]), (&json!("dora"), &json!(1)));
    let change = MemberChange { add: vec![of("chen")], remove: vec![of("ada")] };
    groups.change_members(&admin, id, change).await.unwrap();
    let (number, group) = (study.to_string(), id.to_string());
    browser.form("/rpc/add_group", &[("id", &number), ("group", &group)]).await;
    assert_eq!(raters(&mut browser).await, ["ada", "chen", "dora"]);

    // The demo's study: ratings by the group's members only.
    let rated = browser.get(&format!("/admin/studies/1/ratings?group={id}")).await;
    assert!(rated.status.is_success() && rated.body.contains("name=\"group\""), "{}", rated.body);

    groups.rename(&admin, id, "JAVA").await.unwrap();
    groups.delete(&admin, id).await.unwrap();
    assert_eq!(browser.get(&format!("/admin/groups/{id}")).await.status, StatusCode::NOT_FOUND);
    assert!(ids(&app, Some(&id.to_string())).await.is_empty());
    assert_eq!(raters(&mut browser).await, ["ada", "chen", "dora"], "work stays");
    let log = browser.get("/admin/audit.csv").await.body;
    let added = r#"[{""name"":""Java""},{""added_members"":[""ada"",""bo""]}]"#;
    let renamed = r#"[{""old_name"":""Java""},{""name"":""JAVA""}]"#;
    for entry in ["group.create", added, "group.rename", renamed, "group.delete"] {
        assert!(log.contains(entry), "{entry}: {log}");
    }
}

#[tokio::test]
async fn programs_manage_groups() {
    let app = TestApp::demo().await;
    let token = app.token(&[Scope::Admin]).await;
    let mut program = app.anonymous();
    let made = program.api(&token, Method::POST, "/api/v1/groups", Some(json!({"name": "QA"}))).await;
    assert_eq!(made.status, StatusCode::CREATED);
    let id = made.json::<Value>()["id"].as_i64().unwrap();
    let path = format!("/api/v1/groups/{id}");
    let members = format!("{path}/members");
    let check = async |method: Method, path: &str, body: Value, expected: StatusCode| {
        let answer = app.anonymous().api(&token, method, path, Some(body)).await;
        assert_eq!(answer.status, expected, "{path}: {}", answer.body);
    };
    check(Method::PATCH, &members, json!({"add": [2, 3]}), StatusCode::NO_CONTENT).await;
    check(Method::PATCH, &members, json!({"add": [99]}), StatusCode::NOT_FOUND).await;
    check(Method::PATCH, &members, json!({"added": [2]}), StatusCode::UNPROCESSABLE_ENTITY).await;
    check(Method::PATCH, &path, json!({"name": "Reviewers"}), StatusCode::NO_CONTENT).await;
    check(Method::POST, "/api/v1/groups", json!({"name": "reviewers"}), StatusCode::CONFLICT).await;
    let listed: Value = program.api(&token, Method::GET, "/api/v1/groups", None).await.json();
    assert_eq!(listed["items"][0]["members"].as_array().map(Vec::len), Some(2), "{listed}");
    assert_eq!(program.api(&token, Method::DELETE, &path, None).await.status, StatusCode::NO_CONTENT);
    assert_eq!(program.api(&token, Method::GET, &path, None).await.status, StatusCode::NOT_FOUND);
}
