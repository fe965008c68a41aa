//! Rubrics: versions, files, and studies that score by a rubric of the lab's own.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use app::{
    error::AppError,
    model::{
        api::Scope,
        audit::Object,
        compare::Selection,
        grading::{Draft, GradingItem, Next, Receipt},
        ids::StudyId,
        lang::Bilingual,
        page::PageOf,
        rubric::{Dimension, Level, Rubric, SavedRubric},
        study::NewStudy,
    },
    port::{Accounts, Comparisons, Plans, Studies, Submissions, System, rubrics::Rubrics, upkeep::Upkeeps},
};
use axum::http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    stalls::{rate_next, study},
    util::{Client, TestApp},
};

/// A rubric of two dimensions, with two and with nine levels.
fn security() -> Rubric {
    let text = |en: &str| Bilingual { en: en.into(), zh: String::new() };
    let dimension = |key: &str, levels: u8| Dimension {
        key: key.into(),
        name: text(key),
        question: Bilingual::default(),
        levels: (1..=levels)
            .rev()
            .map(|score| Level { score, label: Bilingual::default(), text: text(&format!("{key} {score}")) })
            .collect(),
    };
    Rubric { slug: "security".into(), version: 0, dimensions: vec![dimension("safe", 2), dimension("exposure", 9)] }
}

async fn save(app: &TestApp, rubric: Rubric) -> SavedRubric {
    app.services.rubrics.save(&System.admin(), rubric, None).await.unwrap()
}

/// A running study of all submissions of the starter dataset that ada and bo rate.
async fn begin(app: &TestApp, rubric: Option<&str>) -> Result<StudyId, AppError> {
    let (admin, most) = (System.admin(), PageOf::first(PageOf::MOST));
    let users = app.services.accounts.users(&admin, most.clone()).await?.rows;
    let rows = app.services.submissions.list(&admin, None, most).await?.rows;
    let new = NewStudy {
        title: "Security review".into(),
        dataset: "starter".into(),
        submissions: rows.iter().map(|row| row.id).collect(),
        raters: users.iter().filter(|user| ["ada", "bo"].contains(&user.name.as_str())).map(|user| user.id).collect(),
        overlap: 2,
        rubric: rubric.map(str::to_owned),
        ..NewStudy::default()
    };
    app.services.studies.create(&admin, new).await
}

async fn next(client: &mut Client, study: &str) -> GradingItem {
    match client.rpc("next", json!({"study": study})).await.json() {
        Next::Item(item) => *item,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_stored_version_never_changes() {
    let app = TestApp::demo().await;
    let (rubrics, admin) = (&app.services.rubrics, System.admin());
    let of = |version, new| SavedRubric { slug: "security".into(), version, new };
    assert_eq!(save(&app, security()).await, of(1, true));
    assert_eq!(save(&app, security()).await, of(1, false), "nothing to save");
    let used = begin(&app, Some("security")).await.unwrap();
    let mut edited = security();
    edited.dimensions[0].name.en = "Safety".into();
    assert_eq!(save(&app, edited.clone()).await, of(2, true));
    // An earlier content may return.
    assert_eq!(save(&app, security()).await, of(3, true));
    assert_eq!(app.services.studies.get(&admin, used).await.unwrap().rubric, "security 1");
    let detail = rubrics.get(&admin, "security", Some(2)).await.unwrap();
    assert_eq!(detail.rubric, Rubric { version: 2, ..edited.clone() });
    assert_eq!(detail.versions.iter().map(|v| (v.version, v.studies)).collect::<Vec<_>>(), [(3, 0), (2, 0), (1, 1)]);
    // Two people who edit the same version.
    let late = rubrics.save(&admin, edited.clone(), Some(2)).await.unwrap_err().to_string();
    assert!(late.contains("Somebody saved version 3"), "{late}");
    let taken = rubrics.save(&admin, edited, Some(0)).await.unwrap_err().to_string();
    assert!(taken.contains("already a rubric security"), "{taken}");
    let changed = app.services.db.write_blocking(|tx| Ok(tx.execute("UPDATE rubrics SET json = '{}'", [])?));
    assert!(changed.is_err(), "the database refuses it, too");
}

#[tokio::test]
async fn studies_with_another_rubric_are_rated_and_compared_by_it() {
    let app = TestApp::demo().await;
    let admin = System.admin();
    let mut ada = app.rater().await;
    // Ratings with the bundled rubric.
    let first = study(&mut ada).await;
    for _ in 0..3 {
        assert_eq!(rate_next(&mut ada, &first, "").await, Some(Receipt::Stored));
    }
    save(&app, security()).await;
    let id = begin(&app, Some("security 1")).await.unwrap();
    let own = study(&mut ada).await;
    assert_ne!(own, first);
    for n in 0..4_u8 {
        let item = next(&mut ada, &own).await;
        assert_eq!(item.rubric.dimensions, security().dimensions);
        let rate = |scores: Vec<Option<u8>>| {
            let draft = Draft { scores, ..Draft::default() };
            json!({"assignment": item.token, "draft": draft, "key": item.token})
        };
        // Scores of the bundled rubric do not fit.
        assert_ne!(ada.rpc("submit_rating", rate(vec![Some(4), Some(3), Some(5)])).await.status, StatusCode::OK);
        assert_ne!(ada.rpc("submit_rating", rate(vec![Some(3), Some(9)])).await.status, StatusCode::OK);
        let receipt: Receipt = ada.rpc("submit_rating", rate(vec![Some(2), Some(9 - n)])).await.json();
        assert_eq!(receipt, Receipt::Stored);
    }
    let comparisons = &app.services.comparisons;
    let selection = Selection { dataset: "starter".into(), studies: Some(vec![id]), ..Selection::default() };
    let resolved = comparisons.resolve(&admin, selection.clone()).await.unwrap();
    comparisons.computed(&resolved).await.unwrap();
    let human = comparisons.get(&admin, selection.clone()).await.unwrap().figures.human.unwrap().comparison;
    assert_eq!(human.rubric.dimensions, security().dimensions);
    assert_eq!(human.models.iter().map(|model| model.ratings).sum::<u64>(), 4);
    for model in human.models.iter().filter(|model| model.ratings > 0) {
        assert_eq!(model.dimensions[0].mean, Some(2.0));
        assert!(model.dimensions[1].mean.is_some_and(|mean| (6.0..=9.0).contains(&mean)), "{model:?}");
        assert_eq!(model.dimensions.iter().map(|d| d.distribution.len()).collect::<Vec<_>>(), [2, 9]);
    }
    // Both studies at once measure different things.
    let both = Selection { studies: Some(vec![StudyId(1), id]), ..selection };
    let refused = comparisons.get(&admin, both).await.unwrap_err().to_string();
    assert!(refused.contains("cannot be merged") && refused.contains("security 1"), "{refused}");
    let mut browser = app.admin().await;
    let page = browser.get(&format!("/admin/compare/starter?studies={id}")).await.body;
    assert!(page.contains("Not included, because scores by different rubrics cannot be merged"), "{page}");
    let csv = browser.get(&format!("/admin/compare/starter/export/ratings.csv?studies={id}&runs=none")).await.body;
    assert!(csv.lines().next().is_some_and(|head| head.contains("rater,safe,exposure,comment")), "{csv}");
    assert!(csv.contains(",security 1,"), "{csv}");
    for address in [format!("/admin/studies/{id}"), format!("/admin/studies/{id}/quality"), "/admin/results".into()] {
        assert_eq!(browser.get(&address).await.status, StatusCode::OK, "{address}");
    }
    // A duplicate scores by the same version.
    save(&app, Rubric { dimensions: security().dimensions[..1].to_vec(), ..security() }).await;
    let copy = app.services.plans.copy(&admin, id).await.unwrap();
    assert_eq!(app.services.studies.get(&admin, copy).await.unwrap().rubric, "security 1");
}

#[tokio::test]
async fn rubrics_are_files_defaults_and_choices() {
    let app = TestApp::demo().await;
    let admin = System.admin();
    let token = app.token(&[Scope::Read, Scope::WriteStudies, Scope::Admin]).await;
    let mut client = app.anonymous();
    // From one installation to another.
    let answer = client.api(&token, Method::POST, "/api/v1/rubrics", Some(json!(security()))).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    let mut browser = app.admin().await;
    let file = browser.get("/admin/rubrics/security/rubric.json").await;
    let other = TestApp::empty().await;
    let imported = other.services.rubrics.import(&admin, "security-1.json", file.body.as_bytes()).await.unwrap();
    assert!(imported.new && imported.version == 1);
    let refused = other.services.rubrics.import(&admin, "x.json", b"{\n \"slug\": 3}").await.unwrap_err().to_string();
    assert!(refused.starts_with("x.json, line 2: the file is not a rubric"), "{refused}");
    // An empty installation has the bundled rubric, even after a restart.
    let listed = async |app: &TestApp| {
        let rows = app.services.rubrics.list(&admin, PageOf::first(1)).await.unwrap().rows;
        rows.into_iter().map(|row| row.newest.name()).collect::<Vec<_>>()
    };
    assert_eq!(listed(&other).await, ["aixbench 1"]);
    assert_eq!(listed(&other.restarted()).await, ["aixbench 1"]);

    let body = json!({"rubric": "security"});
    let set = client.api(&token, Method::PUT, "/api/v1/datasets/starter/rubric", Some(body)).await;
    assert_eq!(set.json::<Value>()["rubric"], "security 1");
    let id = begin(&app, None).await.unwrap();
    assert_eq!(app.services.studies.get(&admin, id).await.unwrap().rubric, "security 1");
    assert_eq!(app.services.studies.get(&admin, StudyId(1)).await.unwrap().rubric, "aixbench 1");
    let wrong = begin(&app, Some("security 9")).await.unwrap_err().to_string();
    assert!(wrong.contains("there is no rubric \"security 9\""), "{wrong}");

    // Archived, it is the default still, but nothing else offers it.
    let archive = Object::Rubric("aixbench".into());
    app.services.upkeep.set_archived(&admin, archive.clone(), true).await.unwrap();
    assert_eq!(listed(&app).await, ["security 1"]);
    assert!(app.services.rubrics.choices(&admin, "starter").await.unwrap().others.is_empty());
    assert!(app.services.upkeep.delete(&admin, archive.clone()).await.is_err(), "bundled, and in use");
    app.services.upkeep.set_archived(&admin, archive, false).await.unwrap();
    assert_eq!(app.services.rubrics.choices(&admin, "starter").await.unwrap().others[0].name(), "aixbench 1");
    // An unused rubric can be deleted.
    save(&app, Rubric { slug: "unused".into(), ..security() }).await;
    app.services.upkeep.delete(&admin, Object::Rubric("unused".into())).await.unwrap();
    assert!(app.services.rubrics.get(&admin, "unused", None).await.is_err());
}

#[tokio::test]
async fn the_form_of_the_editor_saves_without_scripts_and_names_wrong_fields() {
    let app = TestApp::demo().await;
    let mut browser = app.admin().await;
    let page = browser.get("/admin/rubrics/aixbench/edit").await.body;
    assert!(page.contains("name=\"dimensions[2][levels][4][text_zh]\""), "{page}");
    let form = |key: &'static str, text: &'static str| {
        vec![
            ("slug", "own"),
            ("expected", "0"),
            ("dimensions[0][key]", key),
            ("dimensions[0][name_en]", "Safety"),
            ("dimensions[0][levels][0][text_en]", text),
            ("dimensions[0][levels][0][label_zh]", "安全"),
            ("dimensions[0][levels][1][text_en]", "Unsafe"),
        ]
    };
    let headers = [
        ("content-type", "application/x-www-form-urlencoded"),
        ("accept", "application/json"),
        ("sec-fetch-site", "same-origin"),
    ];
    let body = server::http::guard::query(form("Not a key", ""));
    let refused = browser.send(Method::POST, "/rpc/save_rubric", &headers, body).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    for field in ["dimensions[0].key", "dimensions[0].levels[0].text"] {
        assert!(refused.body.contains(field), "{}", refused.body);
    }
    let saved = browser.form("/rpc/save_rubric", &form("safety", "<script>alert(1)</script>")).await;
    assert!(saved.status.is_success() || saved.status.is_redirection(), "{}", saved.body);
    let page = browser.get("/admin/rubrics/own").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.body.contains("&lt;script&gt;") && !page.body.contains("<script>alert"), "texts stay texts");
    let detail = app.services.rubrics.get(&System.admin(), "own", None).await.unwrap();
    assert_eq!(detail.rubric.dimensions[0].levels[0].label.zh, "安全");
    assert_eq!(detail.versions[0].created_by.as_deref(), Some("admin"));
    let entries = app.services.db.read_blocking(|conn| {
        Ok(conn.query_row(
            "SELECT count(*) FROM audit WHERE action = 'rubric.save' AND object = 'rubric own'",
            [],
            |row| row.get::<_, i64>(0),
        )?)
    });
    assert_eq!(entries.unwrap(), 1);
}
