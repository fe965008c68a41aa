//! An identity provider on this machine that speaks OpenID Connect, and misbehaves as a test asks.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use axum::{
    Form, Json, Router,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use base::clock;
use base64::{Engine, prelude::BASE64_STANDARD, prelude::BASE64_URL_SAFE_NO_PAD};
use clients::{Secret, oidc::Options};
use openidconnect::{
    JsonWebKeyId, PrivateSigningKey,
    core::{CoreEdDsaPrivateSigningKey, CoreJwsSigningAlgorithm},
};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

pub const CLIENT: &str = "aixgrade";
pub const SECRET: &str = "hush-hush-client-secret";

/// What the provider does wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wrong {
    #[default]
    Nothing,
    /// The ID token has the nonce of another login.
    Nonce,
    /// It is for another client.
    Audience,
    /// It is for us and for another client.
    TwoAudiences,
    /// It expired an hour ago.
    Expired,
    /// It is signed by a key that is not the provider's.
    Signature,
    /// It names a key that the provider does not list.
    Key,
    /// It says that it needs no signature.
    Unsigned,
    /// It is signed with a secret that is the public key.
    Hmac,
    /// It is by another issuer.
    Issuer,
    /// The access token is not the one that it was issued with.
    AccessToken,
    /// There is none.
    Missing,
    /// The token endpoint refuses.
    Refuses,
    /// The description names another issuer.
    Description,
    /// The description names a host for tokens that the operator did not allow.
    Host,
    /// The description is a redirect.
    Redirect,
}

/// Who logs in at the provider.
#[derive(Clone, Debug, Default)]
pub struct Who {
    pub subject: &'static str,
    pub username: Option<&'static str>,
    /// An address, and whether it is verified.
    pub email: Option<(&'static str, bool)>,
}

/// The provider.
#[derive(Clone)]
pub struct FakeProvider {
    pub url: String,
    state: Arc<Mutex<Inner>>,
}

#[derive(Default)]
struct Inner {
    url: String,
    wrong: Wrong,
    /// What each code stands for.
    codes: BTreeMap<String, (Who, String, String)>,
    /// Number of requests.
    requests: usize,
}

impl FakeProvider {
    pub async fn start() -> FakeProvider {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(Inner { url: url.clone(), ..Inner::default() }));
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(describe))
            .route("/keys", get(keys))
            .route("/token", post(token))
            .with_state(state.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        FakeProvider { url, state }
    }

    /// The operator's options for it.
    pub fn options(&self) -> Options {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("secret");
        std::fs::write(&file, SECRET).unwrap();
        Options {
            issuer: self.url.clone(),
            client_id: CLIENT.into(),
            client_secret: Some(Secret::read(&file, "--oidc-client-secret-file").unwrap()),
            name: "Example ID".into(),
            public_url: "http://127.0.0.1:3000".into(),
            ..Options::default()
        }
    }

    pub fn does(&self, wrong: Wrong) {
        self.state.lock().unwrap().wrong = wrong;
    }

    /// Number of requests so far.
    pub fn requests(&self) -> usize {
        self.state.lock().unwrap().requests
    }

    /// Somebody logs in on the page that a redirect leads to; returns where the provider sends them back.
    pub fn log_in(&self, address: &str, who: &Who) -> String {
        let fields = query(address);
        assert!(address.starts_with(&format!("{}/authorize?", self.url)), "{address}");
        let field = |name: &str| fields.get(name).cloned().unwrap_or_else(|| panic!("no {name} in {address}"));
        assert_eq!((field("response_type"), field("client_id")), ("code".into(), CLIENT.into()));
        assert_eq!(field("code_challenge_method"), "S256");
        assert_eq!(field("redirect_uri"), "http://127.0.0.1:3000/log-in/sso/callback");
        assert_eq!(field("scope"), "openid profile email");
        let mut inner = self.state.lock().unwrap();
        let code = format!("code-{}", inner.codes.len());
        inner.codes.insert(code.clone(), (who.clone(), field("nonce"), field("code_challenge")));
        format!("/log-in/sso/callback?code={code}&state={}", field("state"))
    }
}

/// The fields of an address.
pub fn query(address: &str) -> BTreeMap<String, String> {
    let (_, query) = address.split_once('?').unwrap_or_default();
    form_urlencoded::parse(query.as_bytes()).into_owned().collect()
}

type Shared = State<Arc<Mutex<Inner>>>;

async fn describe(State(state): Shared) -> Response {
    let mut inner = state.lock().unwrap();
    inner.requests += 1;
    let url = &inner.url;
    let issuer = if inner.wrong == Wrong::Description { "https://elsewhere.example" } else { url };
    let tokens = if inner.wrong == Wrong::Host { "http://127.0.0.1:1" } else { url };
    if inner.wrong == Wrong::Redirect {
        return axum::response::Redirect::to(&format!("{url}/keys")).into_response();
    }
    Json(json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{url}/authorize"),
        "token_endpoint": format!("{tokens}/token"),
        "jwks_uri": format!("{url}/keys"),
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["EdDSA"],
    }))
    .into_response()
}

async fn keys(State(state): Shared) -> Json<Value> {
    state.lock().unwrap().requests += 1;
    Json(json!({"keys": [key(1, "k1").as_verification_key()]}))
}

#[derive(Deserialize)]
struct Exchange {
    grant_type: String,
    code: String,
    code_verifier: String,
    redirect_uri: String,
}

async fn token(State(state): Shared, headers: HeaderMap, Form(form): Form<Exchange>) -> Response {
    let mut inner = state.lock().unwrap();
    inner.requests += 1;
    let basic = format!("Basic {}", BASE64_STANDARD.encode(format!("{CLIENT}:{SECRET}")));
    assert_eq!(headers["authorization"].to_str().unwrap(), basic);
    assert_eq!(form.grant_type, "authorization_code");
    assert_eq!(form.redirect_uri, "http://127.0.0.1:3000/log-in/sso/callback");
    // A code counts once.
    let found = inner.codes.remove(&form.code);
    let (who, nonce, challenge) = match found {
        Some(found) if inner.wrong != Wrong::Refuses => found,
        _ => return (StatusCode::BAD_REQUEST, Json(json!({"error": "invalid_grant"}))).into_response(),
    };
    assert_eq!(BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(form.code_verifier)), challenge);
    let mut answer = json!({"access_token": "secret-access-token", "token_type": "Bearer", "expires_in": 60});
    if inner.wrong != Wrong::Missing {
        answer["id_token"] = id_token(&inner, &who, &nonce).into();
    }
    Json(answer).into_response()
}

fn id_token(inner: &Inner, who: &Who, nonce: &str) -> String {
    let wrong = inner.wrong;
    let now = clock::now().0 / 1000;
    let audience = match wrong {
        Wrong::Audience => json!("somebody-else"),
        Wrong::TwoAudiences => json!([CLIENT, "somebody-else"]),
        _ => json!(CLIENT),
    };
    let hash = |token: &str| BASE64_URL_SAFE_NO_PAD.encode(&sha512(token)[..32]);
    let mut claims = json!({
        "iss": if wrong == Wrong::Issuer { "https://elsewhere.example" } else { &inner.url },
        "sub": who.subject,
        "aud": audience,
        "exp": if wrong == Wrong::Expired { now - 3600 } else { now + 300 },
        "iat": now,
        "nonce": if wrong == Wrong::Nonce { "the-nonce-of-another-log-in" } else { nonce },
        "at_hash": hash(if wrong == Wrong::AccessToken { "another" } else { "secret-access-token" }),
    });
    if let Some(name) = who.username {
        claims["preferred_username"] = name.into();
    }
    if let Some((email, verified)) = who.email {
        claims["email"] = email.into();
        claims["email_verified"] = verified.into();
    }
    let (algorithm, kid) = match wrong {
        Wrong::Unsigned => ("none", "k1"),
        Wrong::Hmac => ("HS256", "k1"),
        Wrong::Key => ("EdDSA", "k9"),
        _ => ("EdDSA", "k1"),
    };
    let part = |value: Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    let text = format!("{}.{}", part(json!({"alg": algorithm, "kid": kid, "typ": "JWT"})), part(claims));
    let seed = if matches!(wrong, Wrong::Signature | Wrong::Key) { 9 } else { 1 };
    let signature = match wrong {
        Wrong::Unsigned => Vec::new(),
        Wrong::Hmac => {
            use hmac::{Hmac, Mac};
            let public = serde_json::to_value(key(1, "k1").as_verification_key()).unwrap();
            let public = BASE64_URL_SAFE_NO_PAD.decode(public["x"].as_str().unwrap()).unwrap();
            let mut mac = Hmac::<Sha256>::new_from_slice(&public).unwrap();
            mac.update(text.as_bytes());
            mac.finalize().into_bytes().to_vec()
        }
        _ => key(seed, kid).sign(&CoreJwsSigningAlgorithm::EdDsa, text.as_bytes()).unwrap(),
    };
    format!("{text}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature))
}

fn sha512(text: &str) -> Vec<u8> {
    sha2::Sha512::digest(text.as_bytes()).to_vec()
}

/// An Ed25519 key, as PKCS #8 has it: a fixed beginning and 32 bytes.
fn key(seed: u8, kid: &str) -> CoreEdDsaPrivateSigningKey {
    let mut der = hex::decode("302e020100300506032b657004220420").unwrap();
    der.extend([seed; 32]);
    let pem = format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", BASE64_STANDARD.encode(der));
    CoreEdDsaPrivateSigningKey::from_ed25519_pem(&pem, Some(JsonWebKeyId::new(kid.into()))).unwrap()
}
