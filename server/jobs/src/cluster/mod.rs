//! Workers on other machines, over NATS JetStream. docs/scaling.md describes the deployment.
//!
//! [`coordinator`] runs in the server: it leases items, publishes their jobs, and stores the reports. [`worker`] is
//! `aixgrade-worker`. [`registry`] is what the server knows of workers. This file has the names of everything in the
//! broker, which the server creates, and the connection.
//!
//! Invariants: a job leaves its stream only after its report is in the stream of results, so a job that is in neither is
//! lost and is published again, unless a worker says that it holds it. A report counts for the newest attempt at its item
//! only, and only from the worker that holds the attempt. What a worker sends is untrusted: its size is bounded, the broker
//! says which user sent it ([`hello_subject`]), it can only report attempts that are in progress and whose job it received
//! ([`receipts`]), and the conditions of a result do not come from its report ([`conditions`]). What a worker receives it
//! verifies: suites by their checksum.

mod conditions;
pub mod coordinator;
mod executor;
pub mod messages;
mod receipts;
pub mod registry;
pub mod worker;

use std::{fs, io, path::PathBuf, time::Duration};

use async_nats::{
    Client, ConnectError, ConnectErrorKind, ConnectOptions, Event, ServerAddr,
    jetstream::{
        self, Context,
        consumer::{AckPolicy, pull},
        object_store::{self, ObjectStore},
        stream::{DiscardPolicy, RetentionPolicy, StorageType},
    },
};
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use model::ids::RunId;
use serde::Deserialize;

use super::job::JobKind;
use base::error::{Failure, chain};
use db::runs::Ticket;

/// The stream of jobs. A work queue: a job leaves it when its worker acknowledges it.
pub const JOBS: &str = "AIXGRADE_JOBS";

/// The stream of reports. A work queue: a report leaves it once it is in the database.
pub const RESULTS: &str = "AIXGRADE_RESULTS";

/// The object store of suites, each under its SHA-256.
pub const SUITES: &str = "AIXGRADE_SUITES";

/// The stream that contains [`SUITES`], as NATS names it.
pub const SUITES_STREAM: &str = "OBJ_AIXGRADE_SUITES";

/// The server's consumer of [`RESULTS`].
pub const SERVER: &str = "server";

/// Where workers of all users present themselves.
const HELLOS: &str = "aixgrade.from.*.hello";

/// Where workers of all users say which jobs they begin.
const ALL_TAKEN: &str = "aixgrade.from.*.taken";

/// The broker's user for workers, unless address or credentials name one.
pub const WORKER: &str = "worker";

/// How long the broker waits for a sign of a worker before it gives the job to another. Workers send one several times
/// as often.
pub const ACK_WAIT: Duration = Duration::from_secs(20);

/// How long a worker waits before another attempt to reach the broker.
const AGAIN: Duration = Duration::from_secs(1);

/// A job that was given to this many workers without a report is given up: each of them may have died of it.
pub const MOST_DELIVERIES: i64 = 5;

/// The server believes that a job killed its workers if at least so many of them have been silent since they began it.
/// Otherwise the job is published again: one worker that takes jobs and reports none is no reason to give them up.
const LOST_WORKERS: usize = 3;

/// Jobs that may be with workers at a time, per kind.
const MOST_ACK_PENDING: i64 = 20_000;

/// Limits of the streams. The server publishes a bounded number of jobs at a time, so only a fault reaches them; then
/// the broker refuses messages instead of dropping old ones.
const MOST_STREAM_BYTES: i64 = 4 << 30;

/// The longest name of a worker's user.
const LONGEST_USER: usize = 64;

/// How the server or a worker reaches the broker.
#[derive(Clone, Debug)]
pub struct Broker {
    /// One or more addresses, separated by commas.
    pub url: String,
    pub credentials: Option<PathBuf>,
    /// Certificates of authorities besides the system's.
    pub ca: Option<PathBuf>,
    /// A client's certificate and its key.
    pub certificate: Option<(PathBuf, PathBuf)>,
}

impl Broker {
    /// Connects the server. Waits for nothing, because people need no broker: the client tries again until it is
    /// connected, and logs why it is not.
    ///
    /// # Errors
    /// Fails if an address or a file is invalid.
    pub async fn connect_server(&self, name: &str) -> Result<Client, Failure> {
        let options = self.options(name).await?.retry_on_initial_connect();
        options.connect(self.addresses()).await.map_err(|e| unusable(&e))
    }

    /// Connects a worker; waits as long as no broker answers.
    ///
    /// # Errors
    /// Fails if an address or a file is invalid, or if the broker refuses the worker's user or certificate, or has a
    /// certificate that is not valid for the worker.
    pub async fn connect_worker(&self, name: &str) -> Result<Client, Failure> {
        let options = self.options(name).await?.custom_inbox_prefix(inbox(&self.user()?));
        match options.clone().connect(self.addresses()).await {
            Ok(client) => return Ok(client),
            Err(e) if is_refusal(&e) => return Err(unusable(&e)),
            Err(e) => tracing::warn!(cause = %chain(&e), "cannot connect to the broker; trying again"),
        }
        options.retry_on_initial_connect().connect(self.addresses()).await.map_err(|e| unusable(&e))
    }

    /// The user that a worker is to the broker. Its subjects have this name.
    ///
    /// # Errors
    /// Fails if the credentials cannot be read, or if the name cannot be part of a subject.
    pub fn user(&self) -> Result<String, Failure> {
        let user = match &self.credentials {
            Some(file) => fs::read_to_string(file).ok().and_then(|content| name_in(&content)).ok_or_else(|| {
                let what = format!("cannot read the user's name in {}", file.display());
                Failure::invalid("--nats-creds", what, "Pass a credentials file, as `nsc` writes them")
            })?,
            None => self.login().map_or_else(|| WORKER.to_owned(), |(user, _)| user),
        };
        let may_have = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if user.is_empty() || user.len() > LONGEST_USER || !user.chars().all(may_have) {
            let what = format!("\"{user}\" cannot be the name of a worker's user");
            let hint = format!("Name it with at most {LONGEST_USER} letters, digits, \"-\" and \"_\"");
            return Err(Failure::invalid("--nats", what, hint));
        }
        Ok(user)
    }

    /// User and password in the addresses.
    fn login(&self) -> Option<(String, String)> {
        let addresses = self.addresses();
        let mut parsed = addresses.iter().filter_map(|address| address.parse::<ServerAddr>().ok());
        let decoded = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
        parsed.find_map(|address| Some((decoded(address.username()?), decoded(address.password().unwrap_or_default()))))
    }

    /// Its hosts and ports, without users and passwords, for messages.
    pub fn names(&self) -> String {
        let name = |address: &str| {
            let parsed = address.parse::<ServerAddr>();
            parsed.map_or_else(|_| "an invalid address".to_owned(), |at| format!("{}:{}", at.host(), at.port()))
        };
        self.addresses().into_iter().map(name).collect::<Vec<_>>().join(", ")
    }

    fn addresses(&self) -> Vec<&str> {
        self.url.split(',').map(str::trim).collect()
    }

    async fn options(&self, name: &str) -> Result<ConnectOptions, Failure> {
        let mut options = ConnectOptions::new()
            .name(name)
            .connection_timeout(Duration::from_secs(5))
            .ping_interval(Duration::from_secs(5))
            .reconnect_delay_callback(|attempts| Duration::from_millis(100 * (attempts as u64).clamp(1, 20)))
            .event_callback(|event| async move {
                match event {
                    Event::ClientError(_) | Event::ServerError(_) => tracing::warn!("broker: {event}"),
                    _ => tracing::info!("broker: {event}"),
                }
            });
        if let Some(file) = &self.credentials {
            options = options.credentials_file(file).await.map_err(|e| {
                let what = format!("cannot read {}: {e}", file.display());
                Failure::invalid("--nats-creds", what, "Pass a credentials file, as `nsc` writes them")
            })?;
        }
        if let Some(ca) = &self.ca {
            options = options.add_root_certificates(ca.clone()).require_tls(true);
        }
        if let Some((certificate, key)) = &self.certificate {
            options = options.add_client_certificate(certificate.clone(), key.clone()).require_tls(true);
        }
        // The client does not read user and password from addresses.
        if let Some((user, password)) = self.login() {
            options = options.user_and_password(user, password);
        }
        Ok(options)
    }
}

/// The name of the user in a credentials file: in its JWT.
fn name_in(credentials: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Claims {
        name: String,
    }
    let (_, rest) = credentials.split_once("-----BEGIN NATS USER JWT-----")?;
    let claims = rest.split_whitespace().next()?.split('.').nth(1)?;
    let claims = BASE64_URL_SAFE_NO_PAD.decode(claims).ok()?;
    serde_json::from_slice::<Claims>(&claims).ok().map(|claims| claims.name)
}

/// Whether a broker answered, but another attempt to connect would fail in the same way.
fn is_refusal(error: &ConnectError) -> bool {
    use std::error::Error as _;
    let source = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    match error.kind() {
        ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication | ConnectErrorKind::Tls => true,
        // A certificate that is not valid.
        _ => source.is_some_and(|source| source.kind() == io::ErrorKind::InvalidData),
    }
}

fn unusable(error: &ConnectError) -> Failure {
    let what = format!("cannot connect to the broker: {}", chain(error));
    Failure::invalid("--nats", what, "Check the address, the user and the certificates of the --nats options")
}

/// The JetStream context of a connection.
pub fn jetstream(client: &Client) -> Context {
    let mut context = jetstream::new(client.clone());
    context.set_timeout(Duration::from_secs(5));
    context
}

/// The subject of a job. It names the attempt, so that the server can ask the broker whether the job is still there.
pub fn job_subject(kind: JobKind, alone: bool, run: RunId, ticket: Ticket) -> String {
    format!("{}.{kind}.{}.{}.{}", queue(alone), run.0, ticket.item, ticket.attempt)
}

/// The attempt that a job's subject names.
pub fn ticket_of(subject: &str) -> Option<Ticket> {
    let mut parts = subject.rsplit('.');
    let attempt = parts.next()?.parse().ok()?;
    Some(Ticket { item: parts.next()?.parse().ok()?, attempt })
}

/// All jobs of a run.
pub fn jobs_of(run: RunId) -> String {
    format!("aixgrade.*.*.{}.>", run.0)
}

fn queue(alone: bool) -> &'static str {
    if alone { "aixgrade.alone" } else { "aixgrade.jobs" }
}

/// The subject of a report.
pub fn result_subject(user: &str, run: RunId) -> String {
    format!("aixgrade.from.{user}.results.{}", run.0)
}

/// Where a worker presents itself. The broker lets nobody but this user publish here.
pub fn hello_subject(user: &str) -> String {
    format!("aixgrade.from.{user}.hello")
}

/// Where a worker says which jobs it begins.
pub fn taken_subject(user: &str) -> String {
    format!("aixgrade.from.{user}.taken")
}

/// Where workers of a user get answers and jobs. The broker lets no other user of workers read here, and lets no worker
/// read what it answers the server.
pub fn inbox(user: &str) -> String {
    format!("aixgrade.inbox.{user}")
}

/// The user that published a message of a worker.
fn user_of(subject: &str) -> Option<&str> {
    subject.strip_prefix("aixgrade.from.")?.split('.').next()
}

/// Whether a worker's name begins with the user that published a message of it, so that no worker can use the name of
/// another user's, and everyone sees whose each is.
fn is_of_sender(worker: &str, subject: &str) -> bool {
    user_of(subject).is_some_and(|user| user == user_in(worker))
}

/// The user in a worker's name.
fn user_in(worker: &str) -> &str {
    worker.split('.').next().unwrap_or_default()
}

/// The server says here that a run was stopped. The content is its database.
pub fn stop_subject(run: RunId) -> String {
    format!("aixgrade.stop.{}", run.0)
}

/// Where workers hear of stopped runs.
pub const STOPS: &str = "aixgrade.stop.*";

/// The consumer of jobs of a kind. Its name is part of what the operator may configure permissions with.
pub fn consumer_name(kind: JobKind, alone: bool) -> String {
    if alone { format!("{kind}-alone") } else { kind.to_string() }
}

/// Creates streams, consumers and the object store, or updates them to these limits.
///
/// # Errors
/// The broker does not answer, has no JetStream, or has too few servers for so many replicas.
pub async fn create(context: &Context, replicas: usize) -> Result<ObjectStore, Failure> {
    let stream = |name: &str, subjects: &[&str]| jetstream::stream::Config {
        name: name.to_owned(),
        subjects: subjects.iter().map(|&subject| subject.to_owned()).collect(),
        retention: RetentionPolicy::WorkQueue,
        discard: DiscardPolicy::New,
        storage: StorageType::File,
        max_bytes: MOST_STREAM_BYTES,
        num_replicas: replicas,
        ..Default::default()
    };
    for config in
        [stream(JOBS, &["aixgrade.jobs.>", "aixgrade.alone.>"]), stream(RESULTS, &["aixgrade.from.*.results.*"])]
    {
        context.create_or_update_stream(config).await.map_err(Failure::internal)?;
    }
    let consumer = |name: String, filter: String, most_pending| pull::Config {
        durable_name: Some(name),
        ack_policy: AckPolicy::Explicit,
        ack_wait: ACK_WAIT,
        filter_subject: filter,
        max_ack_pending: most_pending,
        ..Default::default()
    };
    for kind in JobKind::all() {
        for alone in [false, true] {
            // Only one output at a time runs alone.
            let most = if alone { 1 } else { MOST_ACK_PENDING };
            let config = consumer(consumer_name(kind, alone), format!("{}.{kind}.>", queue(alone)), most);
            context.create_consumer_on_stream(config, JOBS).await.map_err(Failure::internal)?;
        }
    }
    let results = consumer(SERVER.to_owned(), String::new(), MOST_ACK_PENDING);
    context.create_consumer_on_stream(results, RESULTS).await.map_err(Failure::internal)?;
    let Ok(store) = context.get_object_store(SUITES).await else {
        let config = object_store::Config {
            bucket: SUITES.to_owned(),
            max_bytes: MOST_STREAM_BYTES,
            num_replicas: replicas,
            ..Default::default()
        };
        return context.create_object_store(config).await.map_err(Failure::internal);
    };
    // The client updates no object store, but its stream. The rest of the configuration is the client's.
    let stream = context.get_stream(SUITES_STREAM).await.map_err(Failure::internal)?;
    let is = &stream.cached_info().config;
    let ours = jetstream::stream::Config { max_bytes: MOST_STREAM_BYTES, num_replicas: replicas, ..is.clone() };
    if ours != *is {
        context.update_stream(ours).await.map_err(Failure::internal)?;
    }
    Ok(store)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_broker_have_no_passwords() {
        let url = "nats://worker:secret@one.example:4223, tls://two.example, three.example:1".to_owned();
        let broker = Broker { url, credentials: None, ca: None, certificate: None };
        assert_eq!(broker.names(), "one.example:4223, two.example:4222, three.example:1");
    }

    #[test]
    fn a_worker_has_the_name_of_its_user() {
        let user = |url: &str| {
            let broker = Broker { url: url.to_owned(), credentials: None, ca: None, certificate: None };
            broker.user().ok()
        };
        assert_eq!(user("nats://n1, nats://w-1:secret@n2").as_deref(), Some("w-1"));
        assert_eq!(user("nats://n1").as_deref(), Some(WORKER));
        for wrong in ["nats://a.b:secret@n1", "nats://%2A:secret@n1", "nats://%3E:secret@n1", "nats://a%20b:secret@n1"]
        {
            assert_eq!(user(wrong), None, "{wrong}");
        }
        let claims = BASE64_URL_SAFE_NO_PAD.encode("{\"name\":\"w-2\",\"iat\":1}");
        let file = format!("-----BEGIN NATS USER JWT-----\nx.{claims}.y\n------END NATS USER JWT------\n");
        assert_eq!(name_in(&file).as_deref(), Some("w-2"));
        assert_eq!(name_in("server_name: n1"), None);
        assert!(is_of_sender("w-1.host-0123", &hello_subject("w-1")));
        for other in ["w-2.host-0123", "w-1", "w-11.host", ".w-1", ""] {
            assert_eq!(is_of_sender(other, &result_subject("w-1", RunId(1))), other == "w-1", "{other}");
        }
    }

    #[test]
    fn subjects_name_their_attempt() {
        let ticket = Ticket { item: 12, attempt: 3 };
        for kind in JobKind::all() {
            for alone in [false, true] {
                let subject = job_subject(kind, alone, RunId(7), ticket);
                assert_eq!(ticket_of(&subject), Some(ticket), "{subject}");
            }
        }
        assert_eq!(ticket_of("aixgrade.jobs.python.1.x.1"), None);
    }
}
