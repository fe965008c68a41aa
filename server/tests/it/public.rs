//! The public page of a closed study: anyone with the link reads the comparison, and nothing about raters.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use crate::util::{Answer, TestApp};
use axum::http::StatusCode;
use model::{
    api::{CreatedPublicLink, NewPublicLink, PublicStudy, Publication},
    caller::{Admin, System},
    error::AppError,
    ids::StudyId,
    page::PageOf,
    study::StudyStatus,
};
use port::{Comparisons, Studies, api::PublicLinks};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::json;

const OPERATOR: Admin = System.admin();
const STUDY: StudyId = StudyId(1);
const RATERS: [&str; 3] = ["ada", "bo", "chen"];

/// A demo with some ratings, closed.
async fn closed() -> TestApp {
    let app = TestApp::demo().await;
    for name in RATERS {
        let mut rater = app.demo_user(name).await;
        let study =
            app.services.studies.list(&OPERATOR, PageOf::first(PageOf::MOST)).await.unwrap().rows.pop().unwrap().token;
        for n in 0..12 {
            let next = rater.rpc("next_item", json!({"study": study})).await;
            let item: serde_json::Value = next.json();
            let token = item.pointer("/Item/token").unwrap_or_else(|| panic!("{item}")).clone();
            let comment = format!("seen by {name}");
            let draft = json!({"scores": [1 + n % 4, 2, 3], "comment": comment, "flag": null});
            let answer =
                rater.rpc("submit_rating", json!({"assignment": token, "draft": draft, "key": format!("k{n}")}));
            let answer = answer.await;
            assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        }
    }
    app.services.studies.set_status(&OPERATOR, STUDY, StudyStatus::Closed).await.unwrap();
    app
}

async fn link(app: &TestApp, code: bool) -> CreatedPublicLink {
    app.services
        .public_links
        .create(&OPERATOR, STUDY, NewPublicLink { code, days: Some(7), ..NewPublicLink::default() })
        .await
        .unwrap()
}

fn check_nobody_named(answer: &Answer) {
    let words: Vec<_> = answer.body.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    for rater in RATERS {
        assert!(!words.contains(&rater), "{rater} is named");
    }
    assert!(!answer.body.contains("seen by"), "a comment is shown");
    assert_eq!(answer.headers["x-robots-tag"], "noindex, nofollow");
    assert!(answer.body.contains("noindex"));
}

#[tokio::test]
async fn public_link_shows_the_comparison_without_raters() {
    let app = closed().await;
    app.run_all(&mut ChaCha8Rng::seed_from_u64(3)).await;
    let created = link(&app, false).await;
    let mut anybody = app.anonymous();
    let page = anybody.get(&created.path).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.body);
    check_nobody_named(&page);
    for word in ["Northwind", "Quillmoor", "Correctness", "95", "The study was closed after 36 of "] {
        assert!(page.body.contains(word), "{word} is missing");
    }
    // A link without code shows none.
    assert!(!page.body.contains("/tasks/"));
    let task = app.services.studies.tasks(&OPERATOR, STUDY, PageOf::default()).await.unwrap().rows[0].task.id;
    assert_eq!(anybody.get(&format!("{}/tasks/{task}", created.path)).await.status, StatusCode::NOT_FOUND);
    let secret = created.path.strip_prefix("/public/").unwrap();
    let data = anybody.rpc("open_public_study", json!({"secret": secret})).await;
    assert_eq!(data.status, StatusCode::OK);
    assert!(RATERS.iter().all(|rater| !data.body.contains(&format!("\"{rater}\""))), "{}", data.body);
    // Every figure except those of single raters, of tests and of people, and no link to internal pages.
    let found: PublicStudy = data.json();
    let human = found.figures.human.unwrap();
    assert!(human.tests.iter().any(Result::is_ok) && human.reliability.iter().any(|r| r.pairs > 0));
    assert!(human.reliability.iter().all(|r| r.kappas.is_empty()));
    assert!(human.adjusted.iter().flatten().all(|adjusted| adjusted.raters.is_empty()));
    let automated = found.figures.automated.unwrap();
    assert!(automated.models.iter().all(|model| model.as_ref().is_some_and(|checked| checked.run.is_none())));
    assert!(found.figures.both.is_some() && page.body.contains("pass@1") && !page.body.contains("/admin/"));
    // They equal the figures that admins see.
    let selection = app.services.comparisons.study_selection(&OPERATOR, STUDY, true).await.unwrap();
    let inside = app.services.comparisons.get(&OPERATOR, selection).await.unwrap().figures;
    assert_eq!(human.comparison, inside.human.unwrap().comparison);
    let selection = app.services.comparisons.study_selection(&OPERATOR, STUDY, false).await.unwrap();
    assert_eq!(human.comparison, app.services.comparisons.by_people(&OPERATOR, selection).await.unwrap());
    // The database does not contain the link.
    let file = std::fs::read(app.services.db.path()).unwrap();
    assert!(!file.windows(secret.len()).any(|window| window == secret.as_bytes()));
}

#[tokio::test]
async fn public_page_says_what_it_is_for_and_offers_figures_and_data_without_raters() {
    let app = closed().await;
    app.run_all(&mut ChaCha8Rng::seed_from_u64(3)).await;
    let about = Publication {
        purpose: "  Which model writes the better Java?  ".into(),
        authors: "Lab & <Co>".into(),
        contact: "lab@example.org".into(),
        license: "CC BY 4.0".into(),
    };
    let new = NewPublicLink { about, ..NewPublicLink::default() };
    let created = app.services.public_links.create(&OPERATOR, STUDY, new).await.unwrap();
    assert_eq!(created.row.about.purpose, "Which model writes the better Java?");
    let mut anybody = app.anonymous();
    let page = anybody.get(&created.path).await;
    check_nobody_named(&page);
    for word in [
        "Which model writes the better Java?",
        "lab@example.org",
        "CC BY 4.0",
        "Lab &amp; &lt;Co&gt;",
        "author = {{Lab \\&amp; \\textless{}Co\\textgreater{}}}",
        "The study was closed after 36 of ",
        "Summary",
        "embed.svg",
    ] {
        assert!(page.body.contains(word), "{word} is missing: {}", page.body);
    }
    // Every file that the page links to exists and names nobody.
    let files: Vec<&str> = page.body.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let is_text = |href: &&str| href.contains(".svg") || href.contains(".csv");
    let files: Vec<String> = files
        .into_iter()
        .filter(|href| href.contains("/files/") || (href.contains("/figures/") && is_text(href)))
        .map(|href| href.replace("&amp;", "&"))
        .collect();
    assert!(files.len() > 20, "{files:?}");
    for file in &files {
        let answer = anybody.get(file).await;
        assert_eq!(answer.status, StatusCode::OK, "{file}: {}", answer.body);
        // Without the font, which has any letters.
        let (head, rest) = answer.body.split_once("base64,").unwrap_or((answer.body.as_str(), ""));
        let text = format!("{head}{}", rest.split_once(')').map_or("", |(_, rest)| rest));
        let words: Vec<_> = text.split(|c: char| !c.is_ascii_alphanumeric()).collect();
        assert!(RATERS.iter().all(|rater| !words.contains(rater)), "{file} names a rater");
        assert!(!words.contains(&"R1") && !answer.body.contains("seen by"), "{file} distinguishes raters");
    }
    // Code and descriptions are for links that show them.
    let outputs = anybody.get(&format!("{}/files/outputs.csv", created.path)).await.body;
    assert!(outputs.contains("mean_correctness") && !outputs.contains("return"), "{outputs}");
    let open = link(&app, true).await;
    assert!(anybody.get(&format!("{}/files/outputs.csv", open.path)).await.body.contains("return"));
    for hidden in ["files/ratings.csv", "files/bundle.zip", "files/study-ratings.csv", "figures/correctness-raters.svg"]
    {
        assert_eq!(anybody.get(&format!("{}/{hidden}", created.path)).await.status, StatusCode::NOT_FOUND, "{hidden}");
    }
    // The picture for other sites loads nothing and may be shown there.
    let embed = anybody.get(&format!("{}/embed.svg", created.path)).await;
    assert_eq!(embed.headers["content-type"], "image/svg+xml");
    assert_eq!(embed.headers["cross-origin-resource-policy"], "cross-origin");
    assert!(embed.body.starts_with("<svg") && !embed.body.contains("<script"), "{}", embed.body);
    let loaded = embed.body.split("url(").skip(1).all(|rest| rest.starts_with("data:") || rest.starts_with('#'));
    assert!(loaded && !embed.body.contains("href="), "the picture loads something");
    app.services.public_links.revoke(&OPERATOR, created.row.id).await.unwrap();
    assert_eq!(anybody.get(&format!("{}/embed.svg", created.path)).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn what_a_public_page_says_is_limited() {
    let app = closed().await;
    for (field, about) in [
        ("purpose", Publication { purpose: "字".repeat(2001), ..Publication::default() }),
        ("license", Publication { license: "x".repeat(301), ..Publication::default() }),
    ] {
        let new = NewPublicLink { about, ..NewPublicLink::default() };
        let refused = app.services.public_links.create(&OPERATOR, STUDY, new).await.unwrap_err();
        assert!(matches!(&refused, AppError::Invalid(problems) if problems[0].file == field), "{refused:?}");
    }
}

#[tokio::test]
async fn public_link_with_code_shows_outputs() {
    let app = closed().await;
    let created = link(&app, true).await;
    let task = app.services.studies.tasks(&OPERATOR, STUDY, PageOf::default()).await.unwrap().rows[0].task.id;
    let address = format!("{}/tasks/{task}", created.path);
    let mut anybody = app.anonymous();
    assert!(anybody.get(&created.path).await.body.contains(&address));
    let page = anybody.get(&address).await;
    assert_eq!(page.status, StatusCode::OK);
    check_nobody_named(&page);
    assert!(page.body.contains("<pre"));
    assert_eq!(anybody.get(&format!("{}/tasks/4711", created.path)).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn public_link_ends_when_revoked_or_expired() {
    let app = closed().await;
    let (revoked, expired, open) = (link(&app, false).await, link(&app, false).await, link(&app, false).await);
    app.services.public_links.revoke(&OPERATOR, revoked.row.id).await.unwrap();
    let sql = "UPDATE public_links SET expires_at = 1 WHERE id = ?1";
    app.services.db.write(move |tx| Ok(tx.execute(sql, [expired.row.id.0])?)).await.unwrap();
    let mut anybody = app.anonymous();
    assert_eq!(anybody.get(&revoked.path).await.status, StatusCode::NOT_FOUND);
    assert_eq!(anybody.get(&expired.path).await.status, StatusCode::NOT_FOUND);
    assert_eq!(anybody.get(&open.path).await.status, StatusCode::OK);
    let states: Vec<_> = app
        .services
        .public_links
        .list(&OPERATOR, STUDY, PageOf::first(PageOf::MOST))
        .await
        .unwrap()
        .rows
        .iter()
        .map(|link| link.open)
        .collect();
    assert_eq!(states, [true, false, false]);
}

#[tokio::test]
async fn only_a_closed_study_has_a_public_page() {
    let app = TestApp::demo().await;
    let new = NewPublicLink::default();
    let refused = app.services.public_links.create(&OPERATOR, STUDY, new).await.unwrap_err();
    assert_eq!(refused.status(), 409);
}

#[tokio::test]
async fn reopened_study_accepts_ratings_and_has_no_public_page_until_it_is_closed_again() {
    let app = closed().await;
    let made = link(&app, false).await;
    let mut anybody = app.anonymous();
    assert_eq!(anybody.get(&made.path).await.status, StatusCode::OK);
    let studies = &app.services.studies;
    for reason in ["", " ", &"x".repeat(501)] {
        let refused = studies.reopen(&OPERATOR, STUDY, reason).await;
        assert!(matches!(refused, Err(AppError::Invalid(_))), "{reason}: {refused:?}");
    }
    let resumed = studies.set_status(&OPERATOR, STUDY, StudyStatus::Running).await;
    assert!(matches!(resumed, Err(AppError::Conflict(_))), "{resumed:?}");
    studies.reopen(&OPERATOR, STUDY, " Two raters join late ").await.unwrap();
    assert_eq!(studies.get(&OPERATOR, STUDY).await.unwrap().row.status, StudyStatus::Running);
    assert!(matches!(studies.reopen(&OPERATOR, STUDY, "again").await, Err(AppError::Conflict(_))));
    assert_eq!(anybody.get(&made.path).await.status, StatusCode::NOT_FOUND);
    let token = studies.list(&OPERATOR, PageOf::default()).await.unwrap().rows.pop().unwrap().token;
    let next: serde_json::Value = app.rater().await.rpc("next_item", json!({"study": token})).await.json();
    assert!(next.pointer("/Item/token").is_some(), "{next}");
    let mut admin = app.admin().await;
    let audit = admin.get("/admin/audit?action=study.reopen").await.body;
    assert!(audit.contains("Two raters join late"), "{audit}");
    studies.set_status(&OPERATOR, STUDY, StudyStatus::Closed).await.unwrap();
    assert_eq!(anybody.get(&made.path).await.status, StatusCode::OK);
}
