//! The audit page: pages by key, filters, both languages, the download.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use axum::http::StatusCode;
use model::{
    audit::{AUDIT_PAGE, AuditPage},
    audit_details::{Details, Fact},
    caller::System,
    user::{Joins, Role},
};
use port::Accounts;
use serde_json::json;
use texts::audit::{EN, ZH};

use crate::util::TestApp;

#[tokio::test]
async fn the_audit_page_goes_back_entry_by_entry() {
    let app = TestApp::demo().await;
    let invitations = AUDIT_PAGE + 7;
    for n in 0..invitations {
        app.services
            .accounts
            .invite(&System.admin(), &format!("guest {n}"), Role::Rater, 3, Joins::default())
            .await
            .unwrap();
    }
    let mut admin = app.admin().await;
    let filter = |before: &str| json!({"filter": {"action": "invitation.create", "object": "guest", "before": before}});
    let first: AuditPage = admin.rpc("audit_log", filter("")).await.json();
    assert_eq!((first.entries.len(), first.older), (AUDIT_PAGE, true));
    assert!(first.people.contains(&"ada".to_owned()), "{:?}", first.people);
    let last = first.entries.last().unwrap().id.to_string();
    let second: AuditPage = admin.rpc("audit_log", filter(&last)).await.json();
    assert!(!second.older);
    let details: Vec<_> = first.entries.iter().chain(&second.entries).map(|entry| entry.detail.clone()).collect();
    let facts = |n| vec![Fact::Label(format!("guest {n}")), Fact::Role(Role::Rater), Fact::Days(3)];
    let expected: Vec<_> = (0..invitations).rev().map(|n| Details(facts(n))).collect();
    assert_eq!(details, expected);

    let page = admin.get("/admin/audit?action=invitation.create&object=guest").await;
    assert!(page.body.contains(&format!("href=\"?action=invitation.create&amp;object=guest&amp;before={last}\"")));
    let page = admin.get(&format!("/admin/audit?action=invitation.create&before={last}")).await;
    assert!(page.body.contains(EN.newest) && !page.body.contains(EN.older), "{}", page.body);
}

#[tokio::test]
async fn the_audit_page_filters_and_downloads_in_both_languages() {
    let app = TestApp::demo().await;
    let mut admin = app.admin().await;
    admin.form("/rpc/invite", &[("label", "=1+1"), ("role", "rater"), ("days", "1")]).await;
    let query = "person=admin&action=invitation.create&from=2020-01-01&to=2999-12-31";
    for (lang, words, role) in [("en", &EN, "Role: "), ("zh", &ZH, "角色：")] {
        admin.form("/lang", &[("lang", lang)]).await;
        let page = admin.get(&format!("/admin/audit?{query}")).await;
        assert_eq!(page.status, StatusCode::OK);
        let row = page.body.split("<tbody").nth(1).unwrap();
        assert!(row.contains(words.invitation_create) && row.contains(words.browser), "{row}");
        assert_eq!(row.matches("<tr").count(), 1, "{row}");
        assert!(row.contains(role) && row.contains("=1+1"), "{row}");
        let none = admin.get("/admin/audit?to=2001-01-01").await;
        assert!(none.body.contains(words.none));
    }
    let csv = admin.get(&format!("/admin/audit.csv?{query}")).await;
    assert_eq!(csv.headers["content-disposition"], "attachment; filename=\"audit-log.csv\"");
    let lines: Vec<_> = csv.body.lines().collect();
    assert_eq!(lines.len(), 2, "{}", csv.body);
    assert!(lines[1].contains(",admin,invitation.create,"), "{}", lines[1]);
    let facts = r#""[{""label"":""=1+1""},{""role"":""rater""},{""days"":1}]""#;
    assert!(lines[1].contains(facts), "{}", lines[1]);
    let all = admin.get("/admin/audit.csv").await;
    assert!(all.body.contains(",study.create,"), "{}", all.body);
    // Other people's changes and other days are not in it.
    for other in ["person=ada", "person=admin&to=2001-01-01", "action=invitation.create&object=nobody"] {
        assert_eq!(admin.get(&format!("/admin/audit.csv?{other}")).await.body.lines().count(), 1, "{other}");
    }
    for wrong in ["action=made.up", "from=yesterday", "before=x"] {
        assert_eq!(admin.get(&format!("/admin/audit.csv?{wrong}")).await.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(admin.get(&format!("/admin/audit?{wrong}")).await.status, StatusCode::UNPROCESSABLE_ENTITY);
    }
}
