//! A test application: the whole router over its own data folder, with clients without an account, as a
//! rater and as an admin.

#![allow(dead_code, reason = "every test file uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

pub mod endpoint;
pub mod program;
pub mod provider;
pub mod smtp;

use std::{
    fs,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use axum::{
    Router,
    body::Body,
    extract::ConnectInfo,
    http::{HeaderMap, Method, Request, StatusCode, header},
};
use base::clock;
use db::runs::{self, Basis, Finish};
use http_body_util::BodyExt;
use model::{
    api::{NewToken, Scope},
    caller::System,
    ids::RunId,
    page::PageOf,
    quality::QualitySettings,
    quality_preset::QualityChange,
    run::{EngineReadiness, NewRun, Outcome, Verdict},
    time::Timestamp,
};
use port::{Runs, Submissions};
use prerequisites::PATIENCE;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde::de::DeserializeOwned;
use serde_json::Value;
use services::{Services, starter};
use tempfile::TempDir;
use tokio::{sync::OnceCell, time::timeout};
use tower::ServiceExt;
use web::{
    self as http,
    capacity::{Capacity, Places},
    config::Config,
    state::AppState,
};

/// A change of a study's quality settings to these.
pub fn change_to(settings: &QualitySettings) -> QualityChange {
    serde_json::from_value(serde_json::to_value(settings).unwrap()).unwrap()
}

/// The data folder of [`TestApp::demo`]. A program makes it once, because most tests begin with it.
static DEMO: OnceCell<Vec<(PathBuf, Vec<u8>)>> = OnceCell::const_new();

/// Each file of a data folder with the demo: its path there and its content.
async fn demo_files() -> Vec<(PathBuf, Vec<u8>)> {
    let app = TestApp::empty().await;
    starter::load(&app.services).await.unwrap();
    starter::demo(&app.services).await.unwrap();
    // Into the file itself, without the log beside it.
    assert!(!app.services.db.checkpoint().unwrap(), "the database is in use");
    let (mut files, mut folders) = (Vec::new(), vec![app.folder.path().to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if !name.ends_with("-wal") && !name.ends_with("-shm") {
                let bytes = fs::read(&path).unwrap();
                files.push((path.strip_prefix(app.folder.path()).unwrap().to_owned(), bytes));
            }
        }
    }
    files
}

/// The application under test.
pub struct TestApp {
    /// The services, for direct access.
    pub services: Services,
    /// Places for requests in progress.
    pub places: Places,
    folder: TempDir,
    router: Router,
}

impl TestApp {
    /// Gives every submission a run with invented verdicts, without running anything.
    pub async fn run_all(&self, random: &mut ChaCha8Rng) {
        let all =
            self.services.submissions.list(&System.admin(), None, PageOf::first(PageOf::MOST)).await.unwrap().rows;
        for submission in all {
            let run = self.services.runs.start(&System.admin(), NewRun::of(submission.id).fresh()).await.unwrap();
            assert!(verdicts(&self.services, run, random) > 0);
        }
    }

    /// As [`TestApp::demo`], with every statement recorded.
    pub async fn recorded() -> TestApp {
        let folder = tempfile::tempdir().unwrap();
        db::recording::start(folder.path());
        let app = TestApp::over(folder);
        starter::load(&app.services).await.unwrap();
        starter::demo(&app.services).await.unwrap();
        app
    }

    /// Only an empty database.
    pub async fn empty() -> TestApp {
        let folder = tempfile::tempdir().unwrap();
        TestApp::over(folder)
    }

    /// The starter dataset, three raters, an admin, and a running study, as created by `serve --demo`.
    pub async fn demo() -> TestApp {
        let folder = tempfile::tempdir().unwrap();
        for (path, bytes) in DEMO.get_or_init(demo_files).await {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        TestApp::over(folder)
    }

    /// The same data folder under a new server, as after a restart.
    pub fn restarted(self) -> TestApp {
        let TestApp { folder, .. } = self;
        TestApp::over(folder)
    }

    /// The same data folder under a server behind a proxy.
    pub fn public_at(self, url: &str) -> TestApp {
        TestApp::configured(self.folder, Config { public_url: Some(url.into()), ..at_once() })
    }

    /// The same server with other limits on what is in progress.
    pub fn with_capacity(self, capacity: Capacity) -> TestApp {
        let places = Places::new(capacity);
        let state = AppState { places: places.clone(), ..AppState::new(self.services.clone(), at_once()) };
        TestApp { places, router: http::router(state), ..self }
    }

    fn over(folder: TempDir) -> TestApp {
        TestApp::configured(folder, at_once())
    }

    fn configured(folder: TempDir, config: Config) -> TestApp {
        // Runs start on every machine: what they come to is the tests' own affair.
        let services = Services::open_with(folder.path(), |_| EngineReadiness::default()).unwrap();
        let state = AppState::new(services.clone(), config);
        let places = state.places.clone();
        TestApp { services, places, folder, router: http::router(state) }
    }

    /// The server's address on loopback, for programs that are no part of the test.
    pub async fn serve(&self) -> String {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let service = self.router.clone().into_make_service_with_connect_info::<SocketAddr>();
        tokio::spawn(async move { axum::serve(listener, service).await });
        address
    }

    /// A client without an account.
    pub fn anonymous(&self) -> Client {
        Client { router: self.router.clone(), cookies: Vec::new(), address: ADDRESS }
    }

    /// A demo account, logged in.
    pub async fn demo_user(&self, name: &str) -> Client {
        let mut client = self.anonymous();
        let password = format!("demo-password-{name}");
        let answer = client.form("/log-in", &[("name", name), ("password", &password)]).await;
        assert_eq!(answer.location(), "/", "logging in as {name}");
        client
    }

    /// The demo rater `ada`.
    pub async fn rater(&self) -> Client {
        self.demo_user("ada").await
    }

    /// The demo admin.
    pub async fn admin(&self) -> Client {
        self.demo_user("admin").await
    }

    /// A token of the demo admin's.
    pub async fn token(&self, scopes: &[Scope]) -> String {
        let new = NewToken { label: "test".into(), scopes: scopes.to_vec(), days: 1 };
        self.services.tokens.create_for(System, "admin", new).await.unwrap().secret
    }
}

/// Gives every waiting output of a run an invented verdict. Returns how many.
pub fn verdicts(services: &Services, run: RunId, random: &mut ChaCha8Rng) -> usize {
    let mut n = 0;
    let finish = |tx: &rusqlite::Transaction<'_>| {
        let until = Timestamp(clock::now().0 + runs::LEASE_MS);
        while let Some(leased) = runs::claim(tx, run, "test", until, false)? {
            n += 1;
            let mut outcome = Outcome::new(match random.random_range(0..4) {
                0 => Verdict::Passed,
                1 => Verdict::CompileError,
                _ => Verdict::Failed,
            });
            (outcome.passed, outcome.total) = match outcome.verdict {
                Verdict::Passed => (4, 4),
                Verdict::Failed => (random.random_range(0..4), 4),
                _ => (0, 0),
            };
            let how = Finish::Done(&outcome, Basis { key: "k", fingerprint: "f", worker: None }, false);
            runs::finish(tx, leased.ticket(), &how)?;
        }
        Ok(())
    };
    services.db.write_blocking(finish).unwrap();
    n
}

/// A person's browser, simulated.
#[derive(Clone)]
pub struct Client {
    router: Router,
    cookies: Vec<(String, String)>,
    address: IpAddr,
}

/// The address that clients have by default.
const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// A response.
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body as text.
    pub body: String,
}

impl Answer {
    /// The target of its redirect; panics without one.
    pub fn location(&self) -> &str {
        let to = self.headers.get(header::LOCATION).unwrap_or_else(|| panic!("{}: {}", self.status, self.body));
        to.to_str().unwrap()
    }

    /// The body as JSON.
    pub fn json<T: DeserializeOwned>(&self) -> T {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {} {}", self.status, self.body))
    }
}

impl Client {
    /// The same cookies for another server.
    pub fn moved_to(&self, app: &TestApp) -> Client {
        Client { router: app.router.clone(), cookies: self.cookies.clone(), address: self.address }
    }

    /// The same browser on another network.
    pub fn at(mut self, address: &str) -> Client {
        self.address = address.parse().unwrap();
        self
    }

    /// The cookies it holds, by name.
    pub fn cookies(&self) -> &[(String, String)] {
        &self.cookies
    }

    /// Removes a cookie.
    pub fn forget(&mut self, name: &str) {
        self.cookies.retain(|(known, _)| known != name);
    }

    /// Opens a page.
    pub async fn get(&mut self, path: &str) -> Answer {
        self.send(Method::GET, path, &[("accept", "text/html")], String::new()).await
    }

    /// Sends a form, as one of our pages would.
    pub async fn form(&mut self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let body = web::guard::query(fields.iter().copied());
        let headers = [
            ("content-type", "application/x-www-form-urlencoded"),
            ("accept", "text/html"),
            ("sec-fetch-site", "same-origin"),
        ];
        self.send(Method::POST, path, &headers, body).await
    }

    /// Calls a server function that takes JSON.
    pub async fn rpc(&mut self, function: &str, arguments: Value) -> Answer {
        let headers =
            [("content-type", "application/json"), ("accept", "application/json"), ("sec-fetch-site", "same-origin")];
        self.send(Method::POST, &format!("/rpc/{function}"), &headers, arguments.to_string()).await
    }

    /// Calls a server function, whether it takes JSON or a form.
    pub async fn function(&mut self, function: &str, arguments: &Value) -> Answer {
        let answer = self.rpc(function, arguments.clone()).await;
        if answer.status != StatusCode::BAD_REQUEST {
            return answer;
        }
        // It takes a form, then; JSON was refused before anything was done.
        let fields = flat(arguments);
        let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let body = web::guard::query(fields.iter().copied());
        let headers = [
            ("content-type", "application/x-www-form-urlencoded"),
            ("accept", "application/json"),
            ("sec-fetch-site", "same-origin"),
        ];
        self.send(Method::POST, &format!("/rpc/{function}"), &headers, body).await
    }

    /// Calls the REST API, with the token unless it is empty.
    pub async fn api(&mut self, token: &str, method: Method, path: &str, body: Option<Value>) -> Answer {
        let bearer = format!("Bearer {token}");
        let mut headers = Vec::new();
        if !token.is_empty() {
            headers.push(("authorization", bearer.as_str()));
        }
        if body.is_some() {
            headers.push(("content-type", "application/json"));
        }
        let body = body.map(|body| body.to_string()).unwrap_or_default();
        self.send(method, path, &headers, body).await
    }

    /// Requests an address and reads none of the body.
    pub async fn open(&mut self, headers: &[(&str, &str)], path: &str) -> axum::response::Response {
        let mut request = Request::builder().uri(path).header("host", "127.0.0.1:3000");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let address: SocketAddr = "127.0.0.1:50000".parse().unwrap();
        let request = request.extension(ConnectInfo(address)).body(Body::empty()).unwrap();
        answered(path, self.router.clone().oneshot(request)).await.unwrap()
    }

    /// Sends any request, keeping cookies as a browser does.
    pub async fn send(
        &mut self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path).header("host", "127.0.0.1:3000");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if !self.cookies.is_empty() {
            let jar: Vec<_> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
            request = request.header(header::COOKIE, jar.join("; "));
        }
        let address = SocketAddr::new(self.address, 50000);
        let request = request.extension(ConnectInfo(address)).body(body.into()).unwrap();
        let response = answered(path, self.router.clone().oneshot(request)).await.unwrap();
        let (parts, body) = response.into_parts();
        for cookie in parts.headers.get_all(header::SET_COOKIE) {
            let (name, value) = cookie.to_str().unwrap().split(';').next().unwrap().split_once('=').unwrap();
            self.cookies.retain(|(n, _)| n != name);
            if !value.is_empty() {
                self.cookies.push((name.into(), value.into()));
            }
        }
        let bytes = answered(path, body.collect()).await.unwrap().to_bytes();
        Answer { status: parts.status, headers: parts.headers, body: String::from_utf8_lossy(&bytes).into_owned() }
    }
}

/// Waits for the response to a request for `path`. Without one, the test fails with the path, and the others go on.
async fn answered<T>(path: &str, answer: impl Future<Output = T>) -> T {
    let minutes = PATIENCE.as_secs() / 60;
    timeout(PATIENCE, answer).await.unwrap_or_else(|_| panic!("{path} was not answered within {minutes} minutes"))
}

/// Makes the outputs of a submission the last answers of conversations of three turns.
pub fn make_conversations(
    conn: &rusqlite::Connection,
    submission: model::ids::SubmissionId,
) -> Result<(), base::error::Failure> {
    conn.execute("UPDATE all_submissions SET way = 'n' WHERE id = ?1", [submission.0])?;
    conn.execute("UPDATE outputs SET turn = 2, conversation = 0 WHERE submission_id = ?1", [submission.0])?;
    for (turn, kind) in [(0, "base"), (1, "edge_case"), (2, "code_standard")] {
        conn.execute(
            "INSERT INTO task_turns (revision_id, turn, kind, instruction, listed, judged)
             SELECT revision_id, ?2, ?3, 'Instruction ' || ?2, ?2, 1 FROM outputs WHERE submission_id = ?1 AND turn = 2",
            (submission.0, turn, kind),
        )?;
        if turn < 2 {
            conn.execute(
                "INSERT INTO outputs (submission_id, revision_id, sample, code, surrounding_text, turn, conversation)
                 SELECT submission_id, revision_id, 1 + ?2, 'earlier ' || ?2 || char(10) || code, '', ?2, 0
                 FROM outputs WHERE submission_id = ?1 AND turn = 2",
                (submission.0, turn),
            )?;
        }
    }
    Ok(())
}

/// Arguments as form fields.
fn flat(arguments: &Value) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    for (name, value) in arguments.as_object().unwrap() {
        flatten(name.clone(), value, &mut fields);
    }
    fields
}

fn flatten(name: String, value: &Value, fields: &mut Vec<(String, String)>) {
    match value {
        Value::Array(values) => {
            values.iter().enumerate().for_each(|(at, value)| flatten(format!("{name}[{at}]"), value, fields));
        }
        Value::Object(values) => {
            values.iter().for_each(|(key, value)| flatten(format!("{name}[{key}]"), value, fields))
        }
        Value::String(text) => fields.push((name, text.clone())),
        value => fields.push((name, value.to_string())),
    }
}

/// The usual settings, with answers as soon as they are there: tests make thousands of requests.
pub fn at_once() -> Config {
    Config { pace: Duration::ZERO, ..Config::default() }
}
