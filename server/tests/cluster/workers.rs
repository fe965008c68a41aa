//! What an admin reads about workers on the Runs page, and a program from the API: who gets jobs, and why not.

use std::{
    fs,
    io::Write as _,
    process::{Command, Stdio},
};

use jobs::{
    cluster::{
        WORKER, hello_subject,
        messages::{Ability, BUILD, Hello, Welcome, pack, unpack},
    },
    job::JobKind,
};
use model::{
    code_lang::CodeLang,
    reason::{FailedCheck, SandboxCheck},
    run::{RunStatus, Verdict},
    workers::{WorkerRow, WorkerState, Workers},
};
use reqwest::{StatusCode, header, redirect};

use super::{
    Data, brokers::Brokers, prerequisites_of_workers, program, start, start_and_read, wait, worker, worker_program,
};

const PASSWORD: &str = "a long test password";

/// The columns of the table of workers, as the page names them.
const COLUMNS: [&str; 8] =
    ["Worker", "State", "Runs", "Slots in use", "Outputs", "Unanswered", "Per minute", "Last seen"];

/// An admin with a browser and an access token.
struct AdminClient {
    client: reqwest::Client,
    address: String,
    cookie: String,
    token: String,
}

impl AdminClient {
    /// Creates the account, logs in and creates the token.
    async fn new(data: &Data, address: String) -> AdminClient {
        let run = |args: &[&str], input: &str| {
            let mut command = Command::new(program());
            command.arg("--data").arg(&data.folder).args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut child = command.spawn().unwrap();
            child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{args:?}");
            String::from_utf8(output.stdout).unwrap()
        };
        run(&["user", "add", "boss", "--role", "admin", "--lasting"], PASSWORD);
        let said = run(&["--json", "token", "create", "--user", "boss", "--label", "test", "--scope", "read"], "");
        let token = serde_json::from_str::<serde_json::Value>(&said).unwrap()["secret"].as_str().unwrap().to_owned();
        let client = reqwest::Client::builder().redirect(redirect::Policy::none()).build().unwrap();
        let form = format!("name=boss&password={}", PASSWORD.replace(' ', "+"));
        let log_in = client
            .post(format!("{address}/log-in"))
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header("sec-fetch-site", "same-origin")
            .body(form);
        let answer = log_in.send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::SEE_OTHER);
        let cookies = answer.headers().get_all(header::SET_COOKIE).iter();
        let cookies: Vec<&str> = cookies.map(|cookie| cookie.to_str().unwrap().split(';').next().unwrap()).collect();
        AdminClient { cookie: cookies.join("; "), client, address, token }
    }

    async fn page(&self) -> String {
        let request = self.client.get(format!("{}/admin/runs", self.address)).header(header::COOKIE, &self.cookie);
        let answer = request.header(header::ACCEPT, "text/html").send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
        answer.text().await.unwrap()
    }

    async fn api(&self) -> Workers {
        let request = self.client.get(format!("{}/api/v1/workers", self.address)).bearer_auth(&self.token);
        let answer = request.send().await.unwrap().text().await.unwrap();
        serde_json::from_str::<Option<Workers>>(&answer).unwrap().unwrap()
    }
}

/// A table of the page: its columns, and the label and text of each cell, by row.
struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<(String, String)>>,
}

impl Table {
    /// The table with this caption, if the page has it. Leptos ends texts with `<!>`.
    fn of(page: &str, caption: &str) -> Option<Table> {
        let (_, table) = page.split_once(&format!("{caption}<!></caption>"))?;
        let (table, _) = table.split_once("</table>").unwrap();
        let (head, body) = table.split_once("<tbody").unwrap();
        let columns = head.split("<th ").skip(1).map(|cell| text(cell.split("</th>").next().unwrap())).collect();
        let rows = body.split("<tr").skip(1).map(|row| {
            let cells = row.split("data-label=\"").skip(1).map(|cell| {
                let (label, rest) = cell.split_once('"').unwrap();
                let end = rest.find("</td>").or_else(|| rest.find("</th>")).unwrap();
                (label.to_owned(), text(&rest[..end]))
            });
            cells.collect()
        });
        Some(Table { columns, rows: rows.collect() })
    }

    /// The texts of the row that begins with a name, in the order of `columns`.
    fn row(&self, name: &str, columns: &[&str]) -> Vec<&str> {
        assert_eq!(self.columns, columns);
        let row = self.rows.iter().find(|row| row[0].1 == name).unwrap();
        assert_eq!(row.iter().map(|(label, _)| label.as_str()).collect::<Vec<_>>(), columns, "{name}");
        row.iter().map(|(_, text)| text.as_str()).collect()
    }
}

/// What a person reads of an element whose opening tag is cut off somewhere.
fn text(html: &str) -> String {
    let (_, html) = html.split_once('>').unwrap();
    let mut found = String::new();
    for part in html.split('<') {
        found.push_str(part.split_once('>').map_or(part, |(_, text)| text));
    }
    found.replace("&quot;", "\"").replace("&#x27;", "'").replace("&amp;", "&").trim().to_owned()
}

/// Presents a worker that exists in words only: of the server's build, but with a hole in its sandbox.
async fn present_unproved(brokers: &Brokers, build: &str) {
    let client = brokers.broker("worker").connect_worker("test").await.unwrap();
    let hole = FailedCheck {
        lang: Some(CodeLang::Python),
        check: SandboxCheck::Sockets,
        expected: Verdict::Passed,
        found: Verdict::Failed,
        reason: None,
        message: String::new(),
    };
    let said = Hello {
        worker: "worker.unproved".into(),
        host: "h".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        build: build.into(),
        slots: 2,
        abilities: vec![Ability {
            kind: JobKind::Programs(CodeLang::Python),
            version: "Python 3".into(),
            checks: 6,
            failed: vec![hole],
            fault: None,
        }],
        landlock: false,
        groups: None,
        running: 0,
        done: 0,
        draining: false,
        holds: Vec::new(),
    };
    let said = pack(&said).unwrap();
    // A server that is busy may answer too late for one request.
    let answer = loop {
        if let Ok(answer) = client.request(hello_subject(WORKER), said.clone().into()).await {
            break answer;
        }
    };
    assert_eq!(unpack::<Welcome>(&answer.payload).unwrap().refused, None);
}

#[test]
fn an_admin_reads_which_workers_get_jobs_and_why_others_do_not() {
    let Some((nats, humaneval_x)) = prerequisites_of_workers() else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let data = Data::create(&folder.join("data"), &humaneval_x, 10, 2);
    let brokers = Brokers::start(folder, nats, 1, "");
    let mut serve = Command::new(program());
    serve.arg("--data").arg(&data.folder).args(["serve", "--listen", "127.0.0.1:0"]);
    let (server, said) = start_and_read(serve.args(["--nats", &brokers.url("server")]), "AixGrade is at ");
    let address = said.strip_prefix("AixGrade is at ").unwrap().to_owned();
    let admin = data.runtime.block_on(AdminClient::new(&data, address));
    let api = || data.runtime.block_on(admin.api());
    let page = || data.runtime.block_on(admin.page());
    let state = |name: &str| api().workers.into_iter().find(|worker| worker.name == name).map(|worker| worker.state);
    wait("the server reaches the broker", || api().connected);
    wait("the page names no worker", || page().contains("No worker is connected."));

    // Jobs that nobody takes.
    let run = data.begin(data.submissions[0], true);
    wait("jobs wait", || api().queues.iter().any(|queue| queue.waiting == 20));
    wait("the page says so", || page().contains("Outputs wait, and no worker runs them: python."));
    assert_eq!(
        Table::of(&page(), "Queues").unwrap().row("python", &["Queue", "Waiting", "Running"]),
        ["python", "20", "0"]
    );

    // A worker of other sources is there, and gets none of them.
    let other = folder.join("other");
    fs::copy(worker_program(), &other).unwrap();
    let mut bytes = fs::read(&other).unwrap();
    let own = bytes.windows(BUILD.len()).position(|part| part == BUILD.as_bytes()).unwrap();
    bytes[own..own + BUILD.len()].copy_from_slice(b"0123456789abcdef");
    fs::write(&other, bytes).unwrap();
    let mut command = Command::new(&other);
    command.args(["--slots", "3", "--languages", "python", "--nats", &brokers.url("worker")]);
    let other = start(command.arg("--cache").arg(folder.join("cache")), "it gets no jobs");
    let known = api().workers;
    let [WorkerRow { name: other_name, build: other_build, state: other_state, slots: 3, done: 0, .. }] = &known[..]
    else {
        panic!("{known:?}")
    };
    assert_eq!(*other_state, WorkerState::OtherBuild);
    assert_eq!(api().queues[0].waiting, 20);

    let working = worker(folder, &brokers.url("worker"), "python");
    wait("the run finishes", || data.progress(run).0 == RunStatus::Finished);
    let ready = |worker: &WorkerRow| worker.state == WorkerState::Ready && (worker.running, worker.done) == (0, 20);
    wait("the worker says how many it ran", || api().workers.iter().any(ready));
    let workers = api().workers;
    let good = workers.iter().find(|worker| ready(worker)).unwrap();
    data.runtime.block_on(present_unproved(&brokers, &good.build));
    assert_eq!(state("worker.unproved"), Some(WorkerState::FailedChecks));
    wait("the queues are counted again", || api().queues.iter().all(|queue| (queue.waiting, queue.running) == (0, 0)));
    let shown = page();
    let table = Table::of(&shown, "Workers").unwrap();
    assert_eq!(table.rows.len(), 3);
    let python = &good.abilities[0];
    assert!(python.toolchain.starts_with("Python 3") && python.checks > 0, "{python:?}");
    let row = table.row(&good.name, &COLUMNS);
    assert_eq!(row[1], "ready");
    let passed = format!("python: {}, {} sandbox checks passed", python.toolchain, python.checks);
    assert!(row[2].starts_with(&passed), "{row:?}");
    assert_eq!(row[3..6], ["0 of 1", "20", "0"]);
    assert!(row[6].parse::<f64>().is_ok() && row[7].contains(':'), "{row:?}");
    let row = table.row(other_name, &COLUMNS);
    let why = format!(
        "different build, gets no jobsVersion {}, build {other_build}. Install the release of the server on this machine.",
        env!("CARGO_PKG_VERSION")
    );
    assert_eq!((row[1], &row[3..6]), (why.as_str(), &["0 of 3", "0", "0"][..]));
    let row = table.row("worker.unproved", &COLUMNS);
    assert_eq!(row[1], "checks failed, gets no jobs");
    assert!(row[2].starts_with("python: sandbox checks failed, so it gets no jobs: "), "{row:?}");
    assert!(shown.contains("No jobs are waiting or running.") && !shown.contains("no worker runs them"));

    // Workers that die are gone after half a minute.
    drop((other, working));
    wait("they are gone", || [other_name, &good.name].iter().all(|name| state(name) == Some(WorkerState::Gone)));
    let table = Table::of(&page(), "Workers").unwrap();
    for name in [other_name, &good.name] {
        assert_eq!(table.row(name, &COLUMNS)[1], "gone");
    }
    drop(server);
}
