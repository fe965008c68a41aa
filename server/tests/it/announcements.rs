//! Announcements.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use axum::http::{Method, StatusCode};
use base::clock;
use model::{
    announcement::{Announced, Audience, NewAnnouncement},
    api::Scope,
    caller::System,
    day::Day,
    ids::{AnnouncementId, StudyId, UserId},
    lang::Bilingual,
    page::PageOf,
    time::Timestamp,
};
use port::{announcements::Announcements as _, groups::Groups as _};
use serde_json::{Value, json};

use crate::util::{Client, TestApp};

fn new(to: Audience, en: &str) -> NewAnnouncement {
    let text = Bilingual { en: en.into(), zh: String::new() };
    NewAnnouncement { to, text, last_day: None, allow_names: false }
}

async fn unread(person: &mut Client) -> Vec<String> {
    let found: Vec<Announced> = person.rpc("unread_announcements", json!({})).await.json();
    found.into_iter().map(|one| one.text.en).collect()
}

async fn close_first(person: &mut Client) {
    let found: Vec<Announced> = person.rpc("unread_announcements", json!({})).await.json();
    let token = found[0].token.to_string();
    person.form("/rpc/read_announcement", &[("token", token.as_str())]).await;
}

#[tokio::test]
async fn each_audience_reads_what_is_for_it_until_it_is_closed() {
    let app = TestApp::demo().await;
    let admin = System.admin();
    let announcements = &app.services.announcements;
    let (mut ada, mut bo, mut boss) = (app.rater().await, app.demo_user("bo").await, app.admin().await);
    let group = app.services.groups.create(&admin, "Java").await.unwrap();
    app.services.groups.add_named(&admin, group, "bo").await.unwrap();
    let of = async |name: &str| app.services.accounts.named(&admin, name).await.unwrap().unwrap();
    let ada_id = of("ada").await;
    for (to, text) in [
        (Audience::Everyone, "to everyone"),
        (Audience::Study(StudyId(1)), "to the study"),
        (Audience::Group(group), "to the group"),
        (Audience::Account(ada_id), "to ada"),
    ] {
        announcements.publish(&admin, new(to, text)).await.unwrap();
    }
    assert_eq!(unread(&mut ada).await, ["to everyone", "to the study", "to ada"]);
    assert_eq!(unread(&mut bo).await, ["to everyone", "to the study", "to the group"]);
    assert_eq!(unread(&mut boss).await, ["to everyone"]);
    assert_eq!(app.anonymous().rpc("unread_announcements", json!({})).await.status, StatusCode::UNAUTHORIZED);

    // Every page has them, without scripts, too; and without any ID.
    let page = ada.get("/my-studies").await.body;
    assert!(page.contains("to the study") && page.contains("to ada") && !page.contains("to the group"), "{page}");
    close_first(&mut ada).await;
    assert_eq!(unread(&mut ada).await, ["to the study", "to ada"]);
    assert!(!ada.get("/my-studies").await.body.contains("to everyone"));
    assert_eq!(unread(&mut bo).await.len(), 3, "each person closes their own");

    // Nobody closes what is not for them.
    let token: Vec<Announced> = bo.rpc("unread_announcements", json!({})).await.json();
    let token = token[2].token.to_string();
    ada.form("/rpc/read_announcement", &[("token", token.as_str())]).await;
    let rows = announcements.list(&admin, PageOf::first(10)).await.unwrap().rows;
    let counts: Vec<_> = rows.iter().map(|row| (row.name.as_str(), row.read, row.people)).collect();
    let title = "Demo: three models on the starter tasks";
    assert_eq!(counts, [("ada", 0, 1), ("Java", 0, 1), (title, 0, 3), ("", 1, 4)]);

    // Members are those of now.
    app.services.groups.add_named(&admin, group, "ada").await.unwrap();
    assert_eq!(unread(&mut ada).await, ["to the study", "to the group", "to ada"]);

    announcements.withdraw(&admin, rows[0].id).await.unwrap();
    announcements.withdraw(&admin, rows[0].id).await.unwrap();
    assert_eq!(unread(&mut ada).await, ["to the study", "to the group"]);
    assert!(announcements.withdraw(&admin, AnnouncementId(99)).await.is_err());
}

#[tokio::test]
async fn the_last_day_ends_it_and_what_is_wrong_is_refused() {
    let app = TestApp::demo().await;
    let admin = System.admin();
    let announcements = &app.services.announcements;
    let mut ada = app.rater().await;
    let day = |offset: i64| Day::of(Timestamp(clock::now().0 + offset * 86_400_000));
    for (offset, text) in [(-1, "over"), (0, "today"), (1, "tomorrow")] {
        announcements
            .publish(&admin, NewAnnouncement { last_day: day(offset), ..new(Audience::Everyone, text) })
            .await
            .unwrap();
    }
    assert_eq!(unread(&mut ada).await, ["today", "tomorrow"]);
    let shown: Vec<_> = announcements.list(&admin, PageOf::first(10)).await.unwrap().rows;
    assert_eq!(shown.iter().map(|row| row.is_shown).collect::<Vec<_>>(), [true, true, false]);

    let refused = async |new: NewAnnouncement| announcements.publish(&admin, new).await.unwrap_err().to_string();
    let everyone = |text: &str| new(Audience::Everyone, text);
    assert!(refused(everyone(" \r\n ")).await.contains("has no text"));
    assert!(refused(everyone(&"x".repeat(2001))).await.contains("longer than 2000"));
    assert!(refused(new(Audience::Study(StudyId(99)), "x")).await.contains("audience"));
    assert!(refused(new(Audience::Account(UserId(99)), "x")).await.contains("audience"));
    // A model of this server, and a well-known one.
    for text in ["Outputs of Saltmarsh 13B are truncated", "Ask ChatGPT"] {
        assert!(refused(everyone(text)).await.contains("names a model"), "{text}");
        announcements.publish(&admin, NewAnnouncement { allow_names: true, ..everyone(text) }).await.unwrap();
    }
    // Text is text.
    announcements.publish(&admin, everyone("<b>bold</b>")).await.unwrap();
    assert!(ada.get("/my-studies").await.body.contains("&lt;b&gt;bold&lt;/b&gt;"));
}

#[tokio::test]
async fn programs_publish_list_and_withdraw() {
    let app = TestApp::demo().await;
    let token = app.token(&[Scope::Admin]).await;
    let send = async |method: Method, path: &str, body: Option<Value>| {
        app.anonymous().api(&token, method, &format!("/api/v1{path}"), body).await
    };
    let body = json!({"to": "study 1", "text": {"en": "Hello", "zh": "你好"}, "last_day": "2999-12-31"});
    let made = send(Method::POST, "/announcements", Some(body)).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.body);
    let id = made.json::<Value>()["id"].as_i64().unwrap();
    let list: Value = send(Method::GET, "/announcements", None).await.json();
    let row = &list["items"][0];
    assert_eq!(
        (&row["to"], &row["text"]["zh"], &row["last_day"]),
        (&json!("study 1"), &json!("你好"), &json!("2999-12-31"))
    );
    for wrong in [
        json!({"to": "nobody", "text": {"en": "x", "zh": ""}}),
        json!({"to": "everyone", "text": {"en": "x", "zh": ""}, "last_day": "2026-02-30"}),
    ] {
        let refused = send(Method::POST, "/announcements", Some(wrong)).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", refused.body);
    }
    assert_eq!(send(Method::DELETE, &format!("/announcements/{id}"), None).await.status, StatusCode::NO_CONTENT);
    assert_eq!(unread(&mut app.rater().await).await, [""; 0]);
    let entries: Value = send(Method::GET, "/audit", None).await.json();
    let actions: Vec<_> = entries["items"].as_array().unwrap().iter().map(|entry| entry["action"].clone()).collect();
    assert!(actions.contains(&json!("announcement.publish")) && actions.contains(&json!("announcement.withdraw")));
}
