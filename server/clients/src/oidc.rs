//! An identity provider that the operator allows, and logging in with it by OpenID Connect: the authorization code
//! flow with PKCE, state and nonce.
//!
//! It contacts the issuer's host and those that the operator adds, follows no redirect and uses no proxy. Secrets,
//! codes and tokens are neither stored, logged nor shown.

use std::{
    collections::BTreeSet,
    fmt,
    future::Future,
    pin::Pin,
    time::{Duration, Instant},
};

use model::user::Role;
use openidconnect::{
    AccessTokenHash, AsyncHttpClient, AuthType, AuthorizationCode, ClaimsVerificationError, ClientId, ClientSecret,
    CsrfToken, HttpRequest, HttpResponse, IssuerUrl, Nonce, OAuth2TokenResponse, PkceCodeChallenge, PkceCodeVerifier,
    RedirectUrl, RequestTokenError, Scope, SignatureVerificationError, TokenResponse,
    core::{
        CoreAuthenticationFlow, CoreClient, CoreClientAuthMethod, CoreIdTokenClaims, CoreJwsSigningAlgorithm,
        CoreProviderMetadata, CoreTokenResponse,
    },
};
use reqwest::{Url, redirect::Policy};
use tokio::sync::{Mutex, Semaphore};

use super::{Fault, Secret};
use base::error::chain;

/// Path of the page to which the provider sends people back.
pub const CALLBACK: &str = "/log-in/sso/callback";

/// Timeouts of connecting and of a whole request: somebody waits.
const CONNECT: Duration = Duration::from_secs(5);
const PATIENCE: Duration = Duration::from_secs(10);
/// Maximum size of a provider's answer in bytes; keys of large providers have some kilobytes.
const LARGEST_BODY: usize = 1024 * 1024;
/// Requests to the provider at the same time, because visitors without an account can cause them.
const REQUESTS: usize = 8;
/// How long the provider's description and keys are used.
const FRESH: Duration = Duration::from_secs(5 * 60);
/// How long they are used at least, and the pause after a failure, so that visitors cannot make us ask all the time.
const PAUSE: Duration = Duration::from_secs(10);

/// The algorithms of signatures that are accepted: those with a public key.
const ALGORITHMS: [CoreJwsSigningAlgorithm; 9] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha384,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
];

/// What the operator says about the provider.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Its issuer URL.
    pub issuer: String,
    /// Our ID there.
    pub client_id: String,
    /// The secret that belongs to it; public clients have none.
    pub client_secret: Option<Secret>,
    /// Name on the login button; the issuer's host if it is empty.
    pub name: String,
    /// Further hosts that the provider's description may name for tokens and keys.
    pub hosts: Vec<String>,
    /// Domains of verified e-mail addresses that may log in; any if there is none.
    pub domains: Vec<String>,
    /// Role of accounts that a first login creates; without it, none is created.
    pub create: Option<Role>,
    /// Where people reach this server, without a slash at the end.
    pub public_url: String,
}

/// A login that has begun. All but the address stays in the browser that began it.
#[derive(Clone, Debug)]
pub struct Begun {
    /// The provider's page.
    pub address: String,
    pub state: String,
    pub nonce: String,
    /// The secret half of PKCE.
    pub verifier: String,
}

/// Who somebody is to the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub issuer: String,
    pub subject: String,
    /// The name that the person has there, if it says.
    pub username: Option<String>,
    /// The e-mail address, if the provider verified it.
    pub email: Option<String>,
}

/// Why a login with the provider failed, for the log. It contains no code, token or secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failed {
    /// The provider cannot be reached or does not answer as the protocol says.
    Provider(String),
    /// What it says about the person cannot be trusted.
    Token(String),
}

/// A provider.
pub struct Provider {
    issuer: IssuerUrl,
    redirect: RedirectUrl,
    options: Options,
    http: Http,
    description: Mutex<Description>,
}

#[derive(Default)]
struct Description {
    known: Option<(Instant, CoreProviderMetadata)>,
    failed: Option<(Instant, Failed)>,
}

impl Provider {
    /// Checks the options. The provider is not contacted before somebody logs in.
    ///
    /// # Errors
    /// The first option that is wrong.
    pub fn new(options: Options) -> Result<Provider, Fault> {
        let remedy = "Write it as https://id.example.org; http is allowed for this machine only";
        let url = |option, text: &str| match Url::parse(text).ok().filter(is_safe) {
            Some(url) => Ok(url),
            None => Err(Fault { option, what: format!("\"{text}\" is not an https URL"), remedy }),
        };
        let issuer_url = url("--oidc-issuer", &options.issuer)?;
        if options.client_id.trim().is_empty() {
            let what = "the client ID is missing".to_owned();
            return Err(Fault { option: "--oidc-client-id", what, remedy: "Use the ID that the provider gave" });
        }
        let mut origins = BTreeSet::from([origin(&issuer_url)]);
        for host in &options.hosts {
            origins.insert(origin(&url("--oidc-host", host)?));
        }
        if let Some(domain) = options.domains.iter().find(|domain| domain.is_empty() || domain.contains(['@', '/'])) {
            let what = format!("\"{domain}\" is not a domain");
            return Err(Fault { option: "--oidc-allow-domain", what, remedy: "Write it as example.org" });
        }
        let wrong = |e: openidconnect::url::ParseError| Fault { option: "--oidc-issuer", what: e.to_string(), remedy };
        let http = Http::new(origins).map_err(|e| Fault {
            option: "--oidc-issuer",
            what: format!("the client cannot start: {e}"),
            remedy: "Check the system's certificates",
        })?;
        Ok(Provider {
            issuer: IssuerUrl::new(options.issuer.clone()).map_err(wrong)?,
            redirect: RedirectUrl::new(format!("{}{CALLBACK}", options.public_url)).map_err(wrong)?,
            options,
            http,
            description: Mutex::default(),
        })
    }

    /// The name on the login button.
    pub fn name(&self) -> &str {
        match self.options.name.trim() {
            "" => self.issuer.url().host_str().unwrap_or("OpenID Connect"),
            name => name,
        }
    }

    /// The role of accounts that a first login creates.
    pub fn creates(&self) -> Option<Role> {
        self.options.create
    }

    /// Whether the operator lets this person log in.
    pub fn admits(&self, identity: &Identity) -> bool {
        let domain = identity.email.as_deref().and_then(|email| email.rsplit_once('@')).map(|(_, domain)| domain);
        self.options.domains.is_empty()
            || domain.is_some_and(|domain| self.options.domains.iter().any(|one| one.eq_ignore_ascii_case(domain)))
    }

    /// Begins a login.
    ///
    /// # Errors
    /// The provider does not describe itself.
    pub async fn begin(&self) -> Result<Begun, Failed> {
        let description = self.describe(FRESH).await?;
        if !is_safe(description.authorization_endpoint().url()) {
            return Err(Failed::Provider("the authorization endpoint is not an https URL".into()));
        }
        let client = self.client(&description);
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let (address, state, nonce) = client
            .authorize_url(CoreAuthenticationFlow::AuthorizationCode, CsrfToken::new_random, Nonce::new_random)
            .add_scope(Scope::new("profile".into()))
            .add_scope(Scope::new("email".into()))
            .set_pkce_challenge(challenge)
            .url();
        Ok(Begun {
            address: address.into(),
            state: state.into_secret(),
            nonce: nonce.secret().clone(),
            verifier: verifier.into_secret(),
        })
    }

    /// Ends a login: exchanges the code, and checks what the provider says.
    ///
    /// # Errors
    /// The provider refuses the code, or what it says is not signed by it, not for us, not for this login, or expired.
    pub async fn end(&self, code: &str, nonce: &str, verifier: &str) -> Result<Identity, Failed> {
        let description = self.describe(FRESH).await?;
        let client = self.client(&description);
        let Some(token_url) = description.token_endpoint() else {
            return Err(Failed::Provider("the provider has no token endpoint".into()));
        };
        let client = client.set_token_uri(token_url.clone());
        let answer = client
            .exchange_code(AuthorizationCode::new(code.to_owned()))
            .set_pkce_verifier(PkceCodeVerifier::new(verifier.to_owned()))
            .request_async(&self.http)
            .await
            .map_err(|e| Failed::Provider(exchange_failed(&e)))?;
        let nonce = Nonce::new(nonce.to_owned());
        match identity(&client, &answer, &nonce) {
            // The provider may have changed its keys.
            Err(Refused::UnknownKey) => {
                let description = self.describe(PAUSE).await?;
                identity(&self.client(&description), &answer, &nonce)
            }
            found => found,
        }
        .map_err(|refused| match refused {
            Refused::UnknownKey => Failed::Token("its key is unknown".into()),
            Refused::Because(why) => Failed::Token(why),
        })
    }

    fn client(&self, description: &CoreProviderMetadata) -> Client {
        let secret = self.options.client_secret.as_ref().map(|secret| ClientSecret::new(secret.expose().to_owned()));
        let id = ClientId::new(self.options.client_id.trim().to_owned());
        let methods = description.token_endpoint_auth_methods_supported();
        let has = |method| methods.is_some_and(|all| all.contains(&method));
        let in_body = has(CoreClientAuthMethod::ClientSecretPost) && !has(CoreClientAuthMethod::ClientSecretBasic);
        let auth = if in_body { AuthType::RequestBody } else { AuthType::BasicAuth };
        CoreClient::from_provider_metadata(description.clone(), id, secret)
            .set_redirect_uri(self.redirect.clone())
            .set_auth_type(auth)
    }

    /// The provider's description and keys, at most this old.
    async fn describe(&self, most: Duration) -> Result<CoreProviderMetadata, Failed> {
        let mut description = self.description.lock().await;
        if let Some((at, known)) = &description.known
            && at.elapsed() < most
        {
            return Ok(known.clone());
        }
        if let Some((at, failed)) = &description.failed
            && at.elapsed() < PAUSE
        {
            return Err(failed.clone());
        }
        match CoreProviderMetadata::discover_async(self.issuer.clone(), &self.http).await {
            Ok(found) => {
                *description = Description { known: Some((Instant::now(), found.clone())), failed: None };
                Ok(found)
            }
            Err(e) => {
                let failed = Failed::Provider(format!("its description or keys cannot be read: {}", chain(&e)));
                description.failed = Some((Instant::now(), failed.clone()));
                Err(failed)
            }
        }
    }
}

/// A client that has the provider's authorization endpoint.
type Client = CoreClient<
    openidconnect::EndpointSet,
    openidconnect::EndpointNotSet,
    openidconnect::EndpointNotSet,
    openidconnect::EndpointNotSet,
    openidconnect::EndpointMaybeSet,
    openidconnect::EndpointMaybeSet,
>;

/// Why a token is not believed.
enum Refused {
    /// It is signed by a key that the provider did not list.
    UnknownKey,
    Because(String),
}

/// Checks the ID token of an answer and reads it.
fn identity<T: openidconnect::EndpointState>(
    client: &CoreClient<
        openidconnect::EndpointSet,
        openidconnect::EndpointNotSet,
        openidconnect::EndpointNotSet,
        openidconnect::EndpointNotSet,
        T,
        openidconnect::EndpointMaybeSet,
    >,
    answer: &CoreTokenResponse,
    nonce: &Nonce,
) -> Result<Identity, Refused> {
    let because = |why: String| Refused::Because(why);
    let token = answer.id_token().ok_or_else(|| because("the answer has no ID token".into()))?;
    let verifier = client.id_token_verifier().set_allowed_algs(ALGORITHMS);
    let claims: &CoreIdTokenClaims = token.claims(&verifier, nonce).map_err(|e| match e {
        ClaimsVerificationError::SignatureVerification(SignatureVerificationError::NoMatchingKey) => {
            Refused::UnknownKey
        }
        e => because(chain(&e)),
    })?;
    // The access token is not used, but a wrong hash of it says that the answer was put together by somebody else.
    if let Some(expected) = claims.access_token_hash() {
        let algorithm = token.signing_alg().map_err(|e| because(e.to_string()))?;
        let key = token.signing_key(&verifier).map_err(|e| because(e.to_string()))?;
        let hash = AccessTokenHash::from_token(answer.access_token(), algorithm, key);
        if hash.map_err(|e| because(e.to_string()))? != *expected {
            return Err(because("the access token belongs to another ID token".into()));
        }
    }
    let verified = claims.email_verified() == Some(true);
    Ok(Identity {
        issuer: claims.issuer().to_string(),
        subject: claims.subject().to_string(),
        username: claims.preferred_username().map(|name| name.to_string()),
        email: claims.email().filter(|_| verified).map(|email| email.to_string()),
    })
}

/// Why a code was not exchanged. Texts of the provider are left out, because some repeat the request.
fn exchange_failed<E, T>(error: &RequestTokenError<E, openidconnect::StandardErrorResponse<T>>) -> String
where
    E: std::error::Error + 'static,
    T: openidconnect::ErrorResponseType + fmt::Display + 'static,
{
    match error {
        RequestTokenError::ServerResponse(refused) => format!("it refuses the code: {}", refused.error()),
        RequestTokenError::Request(e) => format!("the token endpoint cannot be reached: {}", chain(e)),
        RequestTokenError::Parse(..) => "the token endpoint's answer is not what the protocol says".into(),
        RequestTokenError::Other(_) => "the token endpoint's answer is empty or too old a protocol".into(),
    }
}

fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// Whether nobody on the way can read or change what is sent there.
fn is_safe(url: &Url) -> bool {
    let local = match url.host() {
        Some(openidconnect::url::Host::Domain(name)) => name == "localhost",
        Some(openidconnect::url::Host::Ipv4(ip)) => ip.is_loopback(),
        Some(openidconnect::url::Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    };
    match url.scheme() {
        "https" => url.has_host(),
        "http" => local,
        _ => false,
    }
}

/// Sends the requests.
struct Http {
    client: reqwest::Client,
    /// Where they may go.
    origins: BTreeSet<String>,
    permits: Semaphore,
}

/// Why a request was not answered.
#[derive(Debug, thiserror::Error)]
enum HttpFailed {
    #[error("{0} is not among the hosts that may be contacted; --oidc-host allows it")]
    Forbidden(String),
    #[error("the answer is larger than 1 MiB")]
    Large,
    #[error(transparent)]
    Network(#[from] reqwest::Error),
    #[error("the request is not valid")]
    Malformed,
}

impl Http {
    fn new(origins: BTreeSet<String>) -> Result<Http, reqwest::Error> {
        let client = reqwest::Client::builder()
            .user_agent(concat!("AixGrade/", env!("CARGO_PKG_VERSION")))
            .redirect(Policy::none())
            .no_proxy()
            .connect_timeout(CONNECT)
            .timeout(PATIENCE)
            .build()?;
        Ok(Http { client, origins, permits: Semaphore::new(REQUESTS) })
    }

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpFailed> {
        let (parts, body) = request.into_parts();
        let url = Url::parse(&parts.uri.to_string()).map_err(|_| HttpFailed::Malformed)?;
        if !is_safe(&url) || !self.origins.contains(&origin(&url)) {
            return Err(HttpFailed::Forbidden(origin(&url)));
        }
        let _permit = self.permits.acquire().await.map_err(|_| HttpFailed::Malformed)?;
        let request = self.client.request(parts.method, url).headers(parts.headers).body(body);
        let mut answer = request.send().await.map_err(reqwest::Error::without_url)?;
        let mut response = HttpResponse::new(Vec::new());
        *response.status_mut() = answer.status();
        *response.headers_mut() = answer.headers().clone();
        while let Some(chunk) = answer.chunk().await.map_err(reqwest::Error::without_url)? {
            if response.body().len() + chunk.len() > LARGEST_BODY {
                return Err(HttpFailed::Large);
            }
            response.body_mut().extend_from_slice(&chunk);
        }
        Ok(response)
    }
}

impl<'c> AsyncHttpClient<'c> for Http {
    type Error = HttpFailed;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, HttpFailed>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.send(request))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Options {
        Options {
            issuer: "https://id.example.org/realm".into(),
            client_id: "aixgrade".into(),
            public_url: "https://grade.example.org".into(),
            ..Options::default()
        }
    }

    #[test]
    fn wrong_options_are_named() {
        let check = |options: Options, wrong: Option<&str>| {
            assert_eq!(Provider::new(options).err().map(|fault| fault.option), wrong);
        };
        check(options(), None);
        check(Options { issuer: "http://127.0.0.1:9000".into(), ..options() }, None);
        check(Options { issuer: "http://id.example.org".into(), ..options() }, Some("--oidc-issuer"));
        check(Options { issuer: "id.example.org".into(), ..options() }, Some("--oidc-issuer"));
        check(Options { client_id: " ".into(), ..options() }, Some("--oidc-client-id"));
        check(Options { hosts: vec!["http://keys.example.org".into()], ..options() }, Some("--oidc-host"));
        check(Options { domains: vec!["@example.org".into()], ..options() }, Some("--oidc-allow-domain"));
    }

    #[test]
    fn domains_are_those_of_verified_addresses() {
        let provider = Provider::new(Options { domains: vec!["example.org".into()], ..options() }).unwrap();
        let check = |email: Option<&str>, admitted| {
            let (issuer, subject) = ("i".to_owned(), "s".to_owned());
            let email = email.map(str::to_owned);
            assert_eq!(provider.admits(&Identity { issuer, subject, username: None, email }), admitted);
        };
        check(Some("ada@Example.org"), true);
        check(Some("ada@example.org@elsewhere.example"), false);
        check(Some("ada@sub.example.org"), false);
        check(Some("ada@notexample.org"), false);
        check(None, false);
    }

    #[test]
    fn secrets_are_not_shown() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("secret");
        std::fs::write(&file, " hush-hush\n").unwrap();
        let secret = Secret::read(&file, "--x").unwrap();
        assert_eq!((secret.expose(), format!("{secret:?}").contains("hush")), ("hush-hush", false));
        std::fs::write(&file, "\n").unwrap();
        assert!(Secret::read(&file, "--x").is_err());
        assert!(Secret::read(&folder.path().join("none"), "--x").is_err());
    }
}
