//! Guidelines: who may write and read them, what their Markdown becomes, and who is told of a change.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use axum::http::{Method, StatusCode};
use model::{
    api::Scope,
    audit::Object,
    caller::System,
    grading::{MyStudy, Next},
    guidelines::{GuidelinesSheet, GuidelinesState},
    ids::StudyId,
    lang::{Bilingual, Lang},
    page::PageOf,
    study::{NewStudy, StudySettings},
};
use port::{Accounts, Plans, Studies, Submissions, guidelines::Guidelines};
use serde_json::{Value, json};

use crate::util::{Client, TestApp};

fn text(en: &str, zh: &str) -> Bilingual {
    Bilingual { en: en.into(), zh: zh.into() }
}

async fn save(app: &TestApp, object: Object, of: Bilingual) {
    app.services.guidelines.save(&System.admin(), object, of, None).await.unwrap();
}

async fn my_study(client: &mut Client, title: &str) -> MyStudy {
    let all: Vec<MyStudy> = client.rpc("my_studies", json!({})).await.json();
    all.into_iter().find(|study| study.title == title).unwrap()
}

async fn title(app: &TestApp, id: StudyId) -> String {
    app.services.studies.get(&System.admin(), id).await.unwrap().row.title
}

#[tokio::test]
async fn raters_read_them_and_see_that_they_changed() {
    let app = TestApp::demo().await;
    let (one, study) = (Object::Study(StudyId(1)), title(&app, StudyId(1)).await);
    let mut ada = app.rater().await;
    let mine = my_study(&mut ada, &study).await;
    assert_eq!(mine.guidelines, GuidelinesState::None);
    let read = json!({"study": mine.token});
    assert_eq!(ada.rpc("read_guidelines", read.clone()).await.status, StatusCode::NOT_FOUND);

    save(&app, one.clone(), text("# How to rate\n\nBe *fair*.", "")).await;
    assert_eq!(my_study(&mut ada, &study).await.guidelines, GuidelinesState::New);
    let Next::Item(item) = ada.rpc("next_item", json!({"study": mine.token})).await.json() else { panic!("no item") };
    assert_eq!(item.guidelines, GuidelinesState::New);
    let page = ada.get(&format!("/grade/{}", mine.token)).await.body;
    assert!(page.contains(&format!("/guidelines/{}", mine.token)), "{page}");
    let sheet: GuidelinesSheet = ada.rpc("read_guidelines", read.clone()).await.json();
    assert_eq!(sheet.html, "<h2>How to rate</h2>\n<p>Be <em>fair</em>.</p>\n");
    assert_eq!((sheet.title, sheet.lang), (study.clone(), Lang::En));
    assert_eq!(my_study(&mut ada, &study).await.guidelines, GuidelinesState::Read);
    // Saving the same again is no change.
    save(&app, one.clone(), text("# How to rate\r\n\r\nBe *fair*.", "")).await;
    assert_eq!(my_study(&mut ada, &study).await.guidelines, GuidelinesState::Read);
    save(&app, one.clone(), text("Be quick.", "请尽快。")).await;
    assert_eq!(my_study(&mut ada, &study).await.guidelines, GuidelinesState::Changed);
    // The page counts as reading, too, and has the reader's language.
    ada.form("/lang", &[("lang", "zh"), ("next", "/my-studies")]).await;
    assert!(ada.get(&format!("/guidelines/{}", mine.token)).await.body.contains("<p>请尽快。</p>"));
    assert_eq!(my_study(&mut ada, &study).await.guidelines, GuidelinesState::Read);
    // bo has read nothing, and somebody who does not rate in the study reads nothing.
    assert_eq!(my_study(&mut app.demo_user("bo").await, &study).await.guidelines, GuidelinesState::New);
    assert_eq!(app.admin().await.rpc("read_guidelines", read.clone()).await.status, StatusCode::NOT_FOUND);
    // Empty texts remove them.
    save(&app, one, text(" ", "")).await;
    assert_eq!(my_study(&mut ada, &study).await.guidelines, GuidelinesState::None);
    assert_eq!(ada.rpc("read_guidelines", read).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn html_in_markdown_stays_text_everywhere() {
    let app = TestApp::demo().await;
    let attack = "<script>alert(1)</script>\n\n<img src=x onerror=alert(2)>\n\n[x](javascript:alert(3)) \
        ![y](https://evil.example/pixel.png) [good](https://a.example/)";
    save(&app, Object::Study(StudyId(1)), text(attack, attack)).await;
    let mut ada = app.rater().await;
    let study = title(&app, StudyId(1)).await;
    let token = my_study(&mut ada, &study).await.token;
    let sheet: GuidelinesSheet = ada.rpc("read_guidelines", json!({"study": token})).await.json();
    let read = ada.get(&format!("/guidelines/{token}")).await.body;
    let mut admin = app.admin().await;
    let preview: Bilingual = admin.rpc("preview_guidelines", json!({"en": attack, "zh": ""})).await.json();
    let edited = admin.get("/admin/guidelines/study/1").await.body;
    for (place, html) in [("call", sheet.html), ("page", read), ("preview", preview.en), ("editor", edited)] {
        for evil in ["<script>alert", "<img src=x", "href=\"javascript", "src=\"https://evil"] {
            assert!(!html.contains(evil), "{evil} in {place}: {html}");
        }
        assert!(html.contains("&lt;script&gt;"), "{place}: {html}");
        assert!(html.contains("rel=\"noopener nofollow\">good</a>"), "{place}: {html}");
    }
}

#[tokio::test]
async fn new_studies_begin_with_the_datasets_guidelines() {
    let app = TestApp::demo().await;
    let admin = System.admin();
    let token = app.token(&[Scope::Read, Scope::WriteStudies]).await;
    let mut client = app.anonymous();
    let path = "/api/v1/guidelines/dataset/starter";
    let saved = client.api(&token, Method::PUT, path, Some(json!({"en": "Default", "zh": ""}))).await;
    assert_eq!(saved.json::<Value>()["version"], 1, "{}", saved.body);
    let other = client.api(&token, Method::GET, "/api/v1/guidelines/submission/1", None).await;
    assert_eq!(other.status, StatusCode::NOT_FOUND);

    let most = PageOf::first(PageOf::MOST);
    let users = app.services.accounts.users(&admin, most.clone()).await.unwrap().rows;
    let rows = app.services.submissions.list(&admin, None, most).await.unwrap().rows;
    let new = NewStudy {
        title: "With guidelines".into(),
        dataset: "starter".into(),
        submissions: rows.iter().map(|row| row.id).collect(),
        raters: users.iter().filter(|user| user.name == "ada").map(|user| user.id).collect(),
        settings: StudySettings { raters_per_output: 1, ..StudySettings::default() },
        ..NewStudy::default()
    };
    let id = app.services.studies.create(&admin, new).await.unwrap();
    let of = async |id: StudyId| {
        let found = app.services.guidelines.get(&admin, Object::Study(id), None).await.unwrap();
        (found.text.en, found.version)
    };
    assert_eq!(of(id).await, ("Default".into(), 1));
    assert_eq!(of(StudyId(1)).await, (String::new(), 0), "an existing study keeps its own");
    save(&app, Object::Study(id), text("Own", "")).await;
    save(&app, Object::Dataset("starter".into()), text("Newer default", "")).await;
    assert_eq!(of(id).await, ("Own".into(), 2));
    let copy = app.services.plans.copy(&admin, id).await.unwrap();
    assert_eq!(of(copy).await, ("Own".into(), 1));

    // Two admins at once.
    let guidelines = &app.services.guidelines;
    let late = guidelines.save(&admin, Object::Study(id), text("Late", ""), Some(1)).await.unwrap_err().to_string();
    assert!(late.contains("Somebody saved version 2"), "{late}");
    let long = guidelines.save(&admin, Object::Study(id), text(&"x".repeat(50_001), ""), None).await.unwrap_err();
    assert!(long.to_string().contains("longer than 50000 characters"), "{long}");
    let earlier = guidelines.get(&admin, Object::Study(id), Some(1)).await.unwrap();
    assert_eq!((earlier.text.en.as_str(), earlier.versions.len()), ("Default", 2));
    // A deleted study takes them with it.
    app.services.upkeep.delete_now(&admin, Object::Study(copy)).await.unwrap();
    let left = app.services.db.read_blocking(|conn| {
        Ok(conn.query_row("SELECT count(*) FROM study_guidelines WHERE study_id = 3", [], |row| row.get::<_, i64>(0))?)
    });
    assert_eq!((copy, left.unwrap()), (StudyId(3), 0));
}
