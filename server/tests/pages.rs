//! Every page of the router preloads its code.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

mod util;

use app::routes::{Group, Page};
use util::TestApp;

/// The document of each route names the group of the page that the route shows. The list is the router's
/// own, so new pages are tested automatically.
#[tokio::test]
async fn every_document_names_the_group_of_its_page() {
    let app = TestApp::demo().await;
    let mut admin = app.admin().await;
    let mut seen = Vec::new();
    for route in web::router::pages() {
        let path = route.replace(['{', '}'], "");
        let (page, _) = Page::at(&path, true).unwrap();
        let answer = admin.get(&path).await;
        let group = format!("data-group=\"{}\"", page.group().name());
        // Some pages redirect, and with invented ids most are “not found”, which are documents as well.
        if answer.status.is_redirection() {
            continue;
        }
        assert!(answer.body.contains(&group), "{path}: {}", &answer.body[..answer.body.len().min(200)]);
        seen.push(page);
    }
    for group in Group::ALL {
        assert!(seen.iter().any(|page| page.group() == *group), "no page of {group:?} was seen");
    }
    // An address without a page needs no group's code.
    assert!(!admin.get("/no/such/page").await.body.contains("data-group"));
    // Without an account, the start page is a page of its own.
    assert_eq!(Page::at("/", true), Page::at("/admin", true));
    assert_eq!(Page::at("/", false), Page::at("/my-studies", false));
}
