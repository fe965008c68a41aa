//! Logging in with an identity provider, which behaves and misbehaves.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use axum::http::{Method, StatusCode};
use clients::oidc::{Options, Provider};
use model::{
    caller::System,
    page::PageOf,
    user::{Joins, Role},
};
use port::Accounts as _;

use crate::util::{
    Answer, Client, TestApp,
    provider::{FakeProvider, Who, Wrong, query},
};

const ADA: Who = Who { subject: "1001", username: Some("ada"), email: None };

/// A demo whose people may log in with a provider.
async fn allowed(change: impl FnOnce(Options) -> Options) -> (TestApp, FakeProvider) {
    let (app, provider) = (TestApp::demo().await, FakeProvider::start().await);
    app.services.single_sign_on.allow(Provider::new(change(provider.options())).unwrap());
    (app, provider)
}

/// Goes to the provider and back.
async fn through(client: &mut Client, provider: &FakeProvider, who: &Who, path: &str) -> Answer {
    let headers = [("accept", "text/html"), ("sec-fetch-site", "same-origin")];
    let there = client.send(Method::GET, path, &headers, String::new()).await;
    assert_eq!(there.status, StatusCode::SEE_OTHER);
    let back = provider.log_in(there.location(), who);
    client.get(&back).await
}

async fn names(app: &TestApp) -> Vec<String> {
    let most = PageOf::first(PageOf::MOST);
    app.services.accounts.users(&System.admin(), most).await.unwrap().rows.into_iter().map(|user| user.name).collect()
}

fn why(answer: &Answer) -> String {
    let fields = query(answer.location());
    assert_eq!(fields.get("error").map(String::as_str), Some("sso"), "{}", answer.location());
    fields["why"].clone()
}

#[tokio::test]
async fn without_a_provider_there_is_none() {
    let app = TestApp::demo().await;
    let mut client = app.anonymous();
    for path in ["/log-in/sso", "/log-in/sso/callback?code=x&state=y"] {
        assert_eq!(client.get(path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
    assert!(!client.get("/log-in").await.body.contains("/log-in/sso"));
}

#[tokio::test]
async fn the_first_log_in_creates_an_account_only_if_the_operator_says_so() {
    let (app, provider) = allowed(|options| options).await;
    assert!(app.anonymous().get("/log-in?next=/account").await.body.contains("Log in with Example ID"));
    assert_eq!(provider.requests(), 0, "nobody has logged in");
    let before = names(&app).await;
    // The same name, and the same address, are not the same person.
    let mut client = app.anonymous();
    assert_eq!(why(&through(&mut client, &provider, &ADA, "/log-in/sso").await), "unknown");
    assert_eq!((client.get("/").await.location(), names(&app).await), ("/log-in", before));

    let (app, provider) = allowed(|options| Options { create: Some(Role::Rater), ..options }).await;
    let mut client = app.anonymous();
    let session = |client: &Client| client.cookies().iter().find(|(name, _)| name == "aixgrade").cloned();
    let answer = through(&mut client, &provider, &ADA, "/log-in/sso?next=%2Faccount").await;
    assert_eq!(answer.location(), "/account");
    let account = client.get("/account").await;
    assert!(account.body.contains("ada-2") && account.body.contains("Your account is linked"), "{}", account.body);
    assert!(session(&client).is_some());
    let once = names(&app).await;
    assert!(once.contains(&"ada-2".to_owned()));
    // The second login finds it, under a new session.
    let first = session(&client);
    assert_eq!(through(&mut client, &provider, &ADA, "/log-in/sso").await.location(), "/");
    assert_ne!(session(&client), first);
    assert_eq!(names(&app).await, once);
    // Nobody knows a password of it.
    let guess = [("name", "ada-2"), ("password", "")];
    assert!(app.anonymous().form("/log-in", &guess).await.location().contains("error=wrong"));
    // A deactivated account stays out.
    let most = PageOf::first(PageOf::MOST);
    let users = app.services.accounts.users(&System.admin(), most).await.unwrap().rows;
    let id = users.iter().find(|user| user.name == "ada-2").unwrap().id;
    app.services.accounts.set_disabled(&System.admin(), id, true).await.unwrap();
    assert_eq!(why(&through(&mut app.anonymous(), &provider, &ADA, "/log-in/sso").await), "disabled");
}

#[tokio::test]
async fn what_cannot_be_trusted_logs_nobody_in() {
    let check = async |wrong: Wrong, expected: &str| {
        let (app, provider) = allowed(|options| Options { create: Some(Role::Admin), ..options }).await;
        let before = names(&app).await;
        let mut client = app.anonymous();
        provider.does(wrong);
        let there = client.get("/log-in/sso").await;
        let answer = match there.location().starts_with(&provider.url) {
            true => client.get(&provider.log_in(there.location(), &ADA)).await,
            false => there,
        };
        assert_eq!(why(&answer), expected, "{wrong:?}");
        assert!(!answer.location().contains("secret"), "{}", answer.location());
        assert_eq!((client.get("/").await.location(), names(&app).await), ("/log-in", before), "{wrong:?}");
        let page = client.get(answer.location()).await;
        assert_eq!(page.status, StatusCode::OK);
        assert!(page.body.contains("class=\"notice"), "{wrong:?}: {}", page.body);
    };
    for wrong in [
        Wrong::Nonce,
        Wrong::Audience,
        Wrong::TwoAudiences,
        Wrong::Expired,
        Wrong::Signature,
        Wrong::Key,
        Wrong::Unsigned,
        Wrong::Hmac,
        Wrong::Issuer,
        Wrong::AccessToken,
        Wrong::Missing,
    ] {
        check(wrong, "token").await;
    }
    for wrong in [Wrong::Refuses, Wrong::Description, Wrong::Host, Wrong::Redirect] {
        check(wrong, "provider").await;
    }
}

#[tokio::test]
async fn a_log_in_ends_in_the_browser_that_began_it_and_once() {
    let (app, provider) = allowed(|options| Options { create: Some(Role::Rater), ..options }).await;
    let (mut theirs, mut mine) = (app.anonymous(), app.anonymous());
    let back = provider.log_in(theirs.get("/log-in/sso").await.location(), &ADA);
    // In a browser without the cookie, and in one with another login on the way.
    assert_eq!(why(&mine.get(&back).await), "state");
    mine.get("/log-in/sso").await;
    assert_eq!(why(&mine.get(&back).await), "state");
    assert_eq!(mine.get("/").await.location(), "/log-in");
    assert_eq!(theirs.get(&back).await.location(), "/");
    assert_eq!(why(&theirs.get(&back).await), "state");
    // The provider says no.
    let there = query(mine.get("/log-in/sso").await.location());
    let denied = format!("/log-in/sso/callback?error=access_denied&state={}", there["state"]);
    assert_eq!(why(&mine.get(&denied).await), "denied");
    // Somewhere else after the login.
    let elsewhere = "/log-in/sso?next=https%3A%2F%2Felsewhere.example%2F";
    assert_eq!(through(&mut mine, &provider, &ADA, elsewhere).await.location(), "/");
}

#[tokio::test]
async fn only_verified_addresses_of_the_domain_are_admitted() {
    let admitted =
        |options: Options| Options { domains: vec!["example.org".into()], create: Some(Role::Rater), ..options };
    let (app, provider) = allowed(admitted).await;
    let check = async |subject, email, expected: Option<&str>| {
        let who = Who { subject, username: None, email };
        let answer = through(&mut app.anonymous(), &provider, &who, "/log-in/sso").await;
        match expected {
            None => assert_eq!(answer.location(), "/"),
            Some(reason) => assert_eq!(why(&answer), reason),
        }
    };
    check("1", Some(("eve@example.org", true)), None).await;
    check("2", Some(("eve@example.org", false)), Some("domain")).await;
    check("3", Some(("eve@elsewhere.example", true)), Some("domain")).await;
    check("4", None, Some("domain")).await;
    // An account that exists does not open the door either.
    check("1", Some(("eve@elsewhere.example", true)), Some("domain")).await;
    assert!(names(&app).await.contains(&"eve".to_owned()));
}

#[tokio::test]
async fn an_invitation_and_an_account_can_be_linked() {
    let (app, provider) = allowed(|options| options).await;
    let secret = app.services.accounts.invite(&System.admin(), "Dora", Role::Admin, 7, Joins::default()).await.unwrap();
    let dora = Who { subject: "d", username: Some("dora"), email: None };
    let mut client = app.anonymous();
    assert!(client.get(&format!("/join/{secret}")).await.body.contains("Create account with Example ID"));
    let path = format!("/log-in/sso?join={secret}");
    assert_eq!(through(&mut client, &provider, &dora, &path).await.location(), "/");
    assert_eq!(client.get("/admin/people").await.status, StatusCode::OK);
    // It counts once.
    let eve = Who { subject: "e", username: Some("eve"), email: None };
    assert_eq!(why(&through(&mut app.anonymous(), &provider, &eve, &path).await), "gone");
    assert!(!names(&app).await.contains(&"eve".to_owned()));

    // Linking begins on our own page only, with an account.
    let mut ada = app.rater().await;
    let cross = [("accept", "text/html"), ("sec-fetch-site", "cross-site")];
    let link = "/log-in/sso?link=true";
    assert_eq!(ada.send(Method::GET, link, &cross, String::new()).await.status, StatusCode::FORBIDDEN);
    assert_eq!(ada.get(link).await.status, StatusCode::FORBIDDEN);
    let same = [("accept", "text/html"), ("sec-fetch-site", "same-origin")];
    assert_eq!(app.anonymous().send(Method::GET, link, &same, String::new()).await.status, StatusCode::FORBIDDEN);
    assert_eq!(through(&mut ada, &provider, &ADA, link).await.location(), "/account?done=sso");
    assert_eq!(why(&through(&mut ada, &provider, &dora, link).await), "taken");
    let mut other = app.anonymous();
    assert_eq!(through(&mut other, &provider, &ADA, "/log-in/sso").await.location(), "/");
    assert!(other.get("/account").await.body.contains("<dd>ada<"));
    assert_eq!(other.form("/account/sso/unlink", &[]).await.location(), "/account?done=unlinked");
    assert_eq!(why(&through(&mut app.anonymous(), &provider, &ADA, "/log-in/sso").await), "unknown");
    // Who uses the browser next does not get the identity of somebody who began to link it.
    let begun = ada.send(Method::GET, link, &same, String::new()).await;
    let back = provider.log_in(begun.location(), &Who { subject: "f", username: Some("f"), email: None });
    ada.form("/log-out", &[]).await;
    ada.form("/log-in", &[("name", "bo"), ("password", "demo-password-bo")]).await;
    assert!(ada.get("/account").await.body.contains("<dd>bo<"));
    assert_eq!(why(&ada.get(&back).await), "state");
    assert!(!ada.get("/account").await.body.contains("/account/sso/unlink"));
    // Each of these is in the audit log.
    let log = app.admin().await.get("/admin/audit.csv").await.body;
    for action in ["user.link", "user.unlink", "invitation.accept"] {
        assert!(log.contains(action), "{action}: {log}");
    }
}
