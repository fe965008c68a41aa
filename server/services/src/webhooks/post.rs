//! One outgoing delivery: allowed hosts, signature, result.
//!
//! It follows no redirect and uses no proxy, so a delivery reaches the host that the operator allowed, or none.

use std::{collections::BTreeSet, time::Duration};

use base64::{Engine, prelude::BASE64_STANDARD};
use hmac::{Hmac, Mac};
use model::{error::AppError, fault::RequestFault, ids::DeliveryId};
use reqwest::{Client, Url, redirect::Policy};
use sha2::Sha256;
use tokio::sync::OnceCell;

use base::{clock, error::chain};

/// Timeout of an attempt: the receiver should store the message and process it later.
const PATIENCE: Duration = Duration::from_secs(10);
/// Maximum length of an address, in bytes.
const LONGEST: usize = 2000;

/// The allowed origins (scheme, host, port).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origins(BTreeSet<String>);

impl Origins {
    /// Parses the operator's list: `https://hooks.example.org`, `hooks.example.org` (the same), or, for a
    /// host without TLS, `http://10.0.0.5:8080`.
    ///
    /// # Errors
    ///
    /// Returns the first invalid entry.
    pub fn parse<'a>(entries: impl IntoIterator<Item = &'a str>) -> Result<Origins, String> {
        let mut origins = BTreeSet::new();
        for entry in entries {
            let entry = entry.trim();
            let full = if entry.contains("://") { entry.to_owned() } else { format!("https://{entry}") };
            let url = Url::parse(&full).ok().filter(|url| is_web(url) && url.path() == "/" && url.query().is_none());
            match url {
                Some(url) => origins.insert(url.origin().ascii_serialization()),
                None => return Err(entry.to_owned()),
            };
        }
        Ok(Origins(origins))
    }

    /// Whether deliveries may go to `url`.
    pub fn allow(&self, url: &str) -> bool {
        Url::parse(url).is_ok_and(|url| is_web(&url) && self.0.contains(&url.origin().ascii_serialization()))
    }

    pub fn names(&self) -> Vec<String> {
        self.0.iter().cloned().collect()
    }
}

/// An address in the stored form, if it is valid for a webhook.
pub(super) fn checked(url: &str) -> Result<String, AppError> {
    let fault = |what: (&str, &str)| {
        let remedy =
            ("Write it as https://hooks.example.org/aixgrade", "请写成 https://hooks.example.org/aixgrade 的形式");
        Err(AppError::invalid("url", what, remedy))
    };
    if url.len() > LONGEST {
        return fault(("the URL is longer than 2,000 bytes", "URL 超过 2,000 字节"));
    }
    match Url::parse(url.trim()) {
        Ok(url) if !url.username().is_empty() || url.password().is_some() => fault((
            "the URL contains a username or password, which other admins would see",
            "URL 包含用户名或密码，其他管理员可以看到",
        )),
        Ok(mut url) if is_web(&url) => {
            url.set_fragment(None);
            Ok(url.into())
        }
        _ => fault(("this is not a valid URL", "这不是有效的 URL")),
    }
}

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "https" | "http") && url.has_host()
}

/// Result of an attempt.
pub(super) enum Sent {
    /// The receiver accepted the delivery.
    Taken { status: u16 },
    /// The receiver rejected it or could not be reached.
    Failed {
        /// Its HTTP status, if it responded.
        status: Option<u16>,
        why: RequestFault,
    },
}

/// Sends deliveries. The client is created for the first one, because most servers have no webhook.
#[derive(Default)]
pub(super) struct Poster(OnceCell<Client>);

impl Poster {
    pub(super) async fn post(&self, url: &str, secret: &str, id: DeliveryId, body: &str) -> Sent {
        let failed = |status, why| Sent::Failed { status, why };
        let client = match self.0.get_or_try_init(|| async { client() }).await {
            Ok(client) => client,
            Err(e) => return failed(None, RequestFault::NotSent { detail: chain(&e) }),
        };
        let (id, seconds) = (format!("msg_{id}"), clock::now().0.div_euclid(1000));
        let Some(signature) = sign(secret, &id, seconds, body) else {
            return failed(None, RequestFault::DamagedSecret);
        };
        let request = client
            .post(url)
            .header("content-type", "application/json")
            .header("webhook-id", id)
            .header("webhook-timestamp", seconds.to_string())
            .header("webhook-signature", signature)
            .body(body.to_owned());
        let answer = match request.send().await {
            Ok(answer) => answer,
            Err(e) if e.is_timeout() => {
                return failed(None, RequestFault::Timeout { seconds: PATIENCE.as_secs() });
            }
            Err(e) => return failed(None, RequestFault::Network { detail: chain(&e.without_url()) }),
        };
        // The response body is not read, because it does not matter.
        let status = answer.status().as_u16();
        match answer.status() {
            code if code.is_success() => Sent::Taken { status },
            code if code.is_redirection() => failed(Some(status), RequestFault::Redirect { status }),
            _ => failed(Some(status), RequestFault::Status { status, detail: String::new() }),
        }
    }
}

fn client() -> Result<Client, reqwest::Error> {
    Client::builder()
        .user_agent(concat!("AixGrade/", env!("CARGO_PKG_VERSION")))
        .redirect(Policy::none())
        .no_proxy()
        .timeout(PATIENCE)
        .build()
}

/// The signature of a message as standardwebhooks.com defines it: `v1,` and the base64 of HMAC-SHA256 over
/// `id.seconds.body`. `None` if the secret is not `whsec_` and base64.
pub fn sign(secret: &str, id: &str, seconds: i64, body: &str) -> Option<String> {
    let key = BASE64_STANDARD.decode(secret.strip_prefix("whsec_")?).ok()?;
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).ok()?;
    mac.update(format!("{id}.{seconds}.{body}").as_bytes());
    Some(format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deliveries_go_to_allowed_origins_only() {
        let origins = Origins::parse(["hooks.example.org", "http://10.0.0.5:8080"]).unwrap();
        let check = |url, yes| assert_eq!(origins.allow(url), yes, "{url}");
        check("https://hooks.example.org/a?b=c", true);
        check("https://HOOKS.example.org:443/", true);
        check("http://10.0.0.5:8080/x", true);
        check("http://hooks.example.org/", false);
        check("https://hooks.example.org:8443/", false);
        check("https://hooks.example.org.evil.example/", false);
        check("https://evil.example/?hooks.example.org", false);
        check("https://hooks.example.org@evil.example/", false);
        check("https://10.0.0.5:8080/", false);
        check("file:///etc/passwd", false);
        // Other spellings of an allowed address are that address; those of others are not.
        check("http://167772165:8080/", true);
        check("http://0x0a.0.0.5:8080/", true);
        check("http://010.0.0.5:8080/", false);
        check("http://167772161:8080/", false);
        check("http://[::ffff:10.0.0.5]:8080/", false);
        check("http://[::1]:8080/", false);
        check("http://127.1:8080/", false);
        check("http://10.0.0.5:8080@127.0.0.1/", false);
        check("http://10.0.0.5:8080#@127.0.0.1/", true);
        check("http://10.0.0.5:8080\\@127.0.0.1/", true);
        check("https://hooks.example.org\u{3002}evil.example/", false);
        check("https://hooks.example.org./", false);
        check("", false);
        assert!(!Origins::default().allow("https://hooks.example.org/"));
        for bad in ["", "https://a.example/path", "ftp://a.example", "https://", "a b"] {
            assert_eq!(Origins::parse([bad]).unwrap_err(), bad);
        }
    }

    #[test]
    fn addresses_with_a_password_are_rejected() {
        let check = |url, ok| assert_eq!(checked(url).is_ok(), ok, "{url}");
        check("https://a.example/x", true);
        check("https://user:word@a.example/x", false);
        check("mailto:a@b.example", false);
        check("x", false);
    }

    #[test]
    fn signatures_follow_standard_webhooks() {
        // Computed with Python's hmac, hashlib and base64 (docs/api.md has the code).
        let secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
        let signature = sign(secret, "msg_7", 1_700_000_000, r#"{"type":"test"}"#).unwrap();
        assert_eq!(signature, "v1,80X26of1o9QTGeGUlxL+Ljb46vx1ZwMxRFenGB7/8sQ=");
        assert_eq!(sign("plain", "msg_7", 0, ""), None);
    }
}
