//! What a broker with TLS lets the server and a worker do, with the users and permissions of docs/operating.md.

use std::{
    fs,
    net::TcpStream,
    path::{Path, PathBuf},
    process::Command,
};

use async_nats::{Client, ConnectOptions, Event, ServerError};
use futures::StreamExt as _;
use jobs::cluster::{
    WORKER, hello_subject, inbox,
    messages::{BUILD, Hello, Welcome, pack, unpack},
};
use model::run::RunStatus;
use prerequisites::PATIENCE;
use tokio::{sync::mpsc, time::timeout};

use super::{Data, brokers::Brokers, prerequisites_of_workers, program, start, wait, worker_program};

/// An authority, and certificates of a broker and of a client.
struct Certificates(PathBuf);

impl Certificates {
    fn create(folder: &Path) -> Result<Certificates, String> {
        let config = "[req]\ndistinguished_name = name\n[name]\n[ca]\nbasicConstraints = critical, CA:TRUE\n\
                      [node]\nbasicConstraints = CA:FALSE\nsubjectAltName = IP:127.0.0.1\n";
        fs::write(folder.join("openssl.conf"), config).unwrap();
        for name in ["ca", "other-ca", "broker", "client"] {
            let is_authority = name.ends_with("ca");
            let mut command = Command::new("openssl");
            command.args(["req", "-x509", "-config", "openssl.conf", "-days", "2", "-nodes", "-newkey", "ec"]);
            command.args(["-pkeyopt", "ec_paramgen_curve:prime256v1", "-subj", &format!("/CN={name}")]);
            command.args(["-extensions", if is_authority { "ca" } else { "node" }]);
            command.args(["-keyout", &format!("{name}.key"), "-out", &format!("{name}.pem")]);
            if !is_authority {
                command.args(["-CA", "ca.pem", "-CAkey", "ca.key"]);
            }
            let output = command.current_dir(folder).output().map_err(|e| format!("needs openssl: {e}"))?;
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(Certificates(folder.to_path_buf()))
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    /// What makes a broker ask for TLS, and for certificates of its clients.
    fn config(&self) -> String {
        let [cert, key, ca] = ["broker.pem", "broker.key", "ca.pem"].map(|name| self.file(name));
        format!("tls {{ cert_file: \"{cert}\", key_file: \"{key}\", ca_file: \"{ca}\", verify: true }}")
    }

    /// The options of the server and of a worker.
    fn pass_to(&self, command: &mut Command) {
        command.args(["--nats-ca", &self.file("ca.pem")]);
        command.args(["--nats-cert", &self.file("client.pem"), "--nats-key", &self.file("client.key")]);
    }

    /// A client of the broker as this user, and the errors that the broker reports to it.
    async fn connect(&self, url: &str, user: &str, inbox: &str) -> (Client, mpsc::UnboundedReceiver<String>) {
        let (report, reports) = mpsc::unbounded_channel();
        let options = ConnectOptions::with_user_and_password(user.to_owned(), "test".to_owned())
            .custom_inbox_prefix(inbox)
            .require_tls(true)
            .add_root_certificates(self.file("ca.pem").into())
            .add_client_certificate(self.file("client.pem").into(), self.file("client.key").into())
            .event_callback(move |event| {
                let report = report.clone();
                async move {
                    if let Event::ServerError(ServerError::Other(error)) = event {
                        // The test may have ended.
                        let _ = report.send(error.to_lowercase());
                    }
                }
            });
        (options.connect(url).await.unwrap(), reports)
    }
}

#[test]
fn workers_connect_with_tls_and_may_only_take_jobs_and_report_results() {
    let Some((nats, humaneval_x)) = prerequisites_of_workers() else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let Some(certificates) = prerequisites::host(Certificates::create(folder)) else { return };
    let data = Data::create(&folder.join("data"), &humaneval_x, 10, 2);
    let brokers = Brokers::start(folder, nats, 1, &certificates.config());
    let mut serve = Command::new(program());
    serve.arg("--data").arg(&data.folder).args(["serve", "--listen", "127.0.0.1:0", "--nats", &brokers.url("server")]);
    certificates.pass_to(&mut serve);
    let server = start(&mut serve, "Data folder");
    let worker = |url: &str| {
        let mut command = Command::new(worker_program());
        command.args(["--slots", "1", "--languages", "python", "--nats", url]);
        command.arg("--cache").arg(folder.join("cache"));
        command
    };

    // Refused at once, with the reason.
    let refused = |command: &mut Command, reason: &str| {
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).to_lowercase();
        assert!(!output.status.success() && said.contains(reason), "{said}");
    };
    let url = brokers.url("worker");
    wait("the broker listens", || TcpStream::connect(("127.0.0.1", brokers.ports[0])).is_ok());
    refused(worker(&url).args(["--nats-ca", &certificates.file("other-ca.pem")]), "certificate");
    refused(worker(&url).args(["--nats-ca", &certificates.file("ca.pem")]), "certificate");
    let mut stranger = worker(&brokers.url("stranger"));
    certificates.pass_to(&mut stranger);
    refused(&mut stranger, "authorization violation");

    let mut command = worker(&url);
    certificates.pass_to(&mut command);
    let working = start(&mut command, "takes jobs from the broker");
    let run = data.begin(data.submissions[0], true);
    wait("the run finishes", || data.progress(run).0 == RunStatus::Finished);
    assert_eq!((data.progress(run).2, data.verdicts(run).len()), (0, 20));
    drop(working);
    data.runtime.block_on(may_do_nothing_else(&certificates, &url));
    data.runtime.block_on(answers_go_to_workers_only(&certificates, &url));
    drop(server);
}

/// A worker's user cannot publish jobs, read what others are told, or change what is in the broker.
async fn may_do_nothing_else(certificates: &Certificates, url: &str) {
    let (client, mut reports) = certificates.connect(url, WORKER, &inbox(WORKER)).await;
    let publish = [
        "aixgrade.jobs.python.1.1.1",
        "aixgrade.alone.python.1.1.1",
        "aixgrade.stop.1",
        "aixgrade.inbox.x",
        "aixgrade.inbox.worker.x",
        "aixgrade.from.other.hello",
        "aixgrade.from.other.taken",
        "aixgrade.from.other.results.1",
        "_INBOX.x",
        "$JS.API.STREAM.CREATE.AIXGRADE_OTHER",
        "$JS.API.STREAM.UPDATE.AIXGRADE_JOBS",
        "$JS.API.STREAM.DELETE.AIXGRADE_JOBS",
        "$JS.API.STREAM.PURGE.AIXGRADE_JOBS",
        "$JS.API.STREAM.MSG.GET.AIXGRADE_JOBS",
        "$JS.API.STREAM.MSG.DELETE.AIXGRADE_JOBS",
        "$JS.API.STREAM.MSG.GET.AIXGRADE_RESULTS",
        "$JS.API.STREAM.PURGE.AIXGRADE_RESULTS",
        "$JS.API.STREAM.DELETE.OBJ_AIXGRADE_SUITES",
        "$JS.API.STREAM.PURGE.OBJ_AIXGRADE_SUITES",
        "$JS.API.CONSUMER.CREATE.AIXGRADE_JOBS",
        "$JS.API.CONSUMER.DURABLE.CREATE.AIXGRADE_JOBS.own",
        "$JS.API.CONSUMER.DELETE.AIXGRADE_JOBS.python",
        "$JS.API.CONSUMER.CREATE.AIXGRADE_RESULTS",
        "$JS.API.CONSUMER.MSG.NEXT.AIXGRADE_RESULTS.server",
        "$JS.ACK.AIXGRADE_RESULTS.server.1.1.1.1.0",
        "$JS.API.CONSUMER.CREATE.OBJ_AIXGRADE_SUITES",
        "$JS.API.CONSUMER.CREATE.OBJ_AIXGRADE_SUITES.own",
        "$JS.API.CONSUMER.DELETE.OBJ_AIXGRADE_SUITES.own",
        "$JS.FC.OBJ_AIXGRADE_SUITES.x",
        "$O.AIXGRADE_SUITES.C.x",
        "$O.AIXGRADE_SUITES.M.x",
    ];
    for subject in publish {
        client.publish(subject, "{}".into()).await.unwrap();
        let report = timeout(PATIENCE, reports.recv()).await.unwrap().unwrap();
        let expected = format!("permissions violation for publish to \"{}\"", subject.to_lowercase());
        assert!(report.contains(&expected), "{subject}: {report}");
    }
    let subscribe = [
        ">",
        "*.>",
        "aixgrade.>",
        "aixgrade.jobs.>",
        "aixgrade.from.>",
        "aixgrade.from.worker.hello",
        "aixgrade.inbox.>",
        "aixgrade.inbox.*.x",
        "aixgrade.inbox.other.>",
        "_INBOX.>",
        "$JS.>",
        "$JS.ACK.>",
        "$O.>",
    ];
    for subject in subscribe {
        let _subscription = client.subscribe(subject).await.unwrap();
        let report = timeout(PATIENCE, reports.recv()).await.unwrap().unwrap();
        let expected = format!("permissions violation for subscription to \"{}\"", subject.to_lowercase());
        assert!(report.contains(&expected), "{subject}: {report}");
    }
}

/// The server may publish everywhere; a worker cannot make it do so by asking for an answer elsewhere.
async fn answers_go_to_workers_only(certificates: &Certificates, url: &str) {
    let (worker, _) = certificates.connect(url, WORKER, &inbox(WORKER)).await;
    let (observer, _) = certificates.connect(url, "server", "_INBOX").await;
    let mut stops = observer.subscribe("aixgrade.stop.*").await.unwrap();
    let mut others = observer.subscribe("aixgrade.inbox.other.x").await.unwrap();
    observer.flush().await.unwrap();
    let said = Hello {
        worker: "worker.w".into(),
        host: "h".into(),
        version: "0".into(),
        build: BUILD.into(),
        slots: 1,
        abilities: Vec::new(),
        landlock: false,
        groups: None,
        running: 0,
        done: 0,
        draining: false,
        holds: Vec::new(),
    };
    let said = || pack(&said).unwrap().into();
    for elsewhere in ["aixgrade.stop.1", "aixgrade.inbox.other.x"] {
        worker.publish_with_reply(hello_subject(WORKER), elsewhere, said()).await.unwrap();
    }
    // The server answers in order.
    let answer = worker.request(hello_subject(WORKER), said()).await.unwrap();
    assert!(unpack::<Welcome>(&answer.payload).is_ok());
    observer.publish("aixgrade.stop.2", "last".into()).await.unwrap();
    observer.publish("aixgrade.inbox.other.x", "last".into()).await.unwrap();
    let first = timeout(PATIENCE, others.next()).await.unwrap().unwrap();
    assert_eq!(first.payload.as_ref(), b"last");
    let first = timeout(PATIENCE, stops.next()).await.unwrap().unwrap();
    assert_eq!(first.subject.as_str(), "aixgrade.stop.2");
}
