//! Workers on other machines, over NATS JetStream. docs/scaling.md describes the deployment.
//!
//! [`coordinator`] runs in the server: it leases items, publishes their jobs, and stores the reports. [`worker`] is
//! `aixgrade-worker`. [`registry`] is what the server knows of workers. This file has the names of everything in the
//! broker, which the server creates, and the connection.
//!
//! Invariants: a job leaves its stream only after its report is in the stream of results, so a job that is in neither is
//! lost and is published again. A report counts for the newest attempt at its item only. What a worker sends is
//! untrusted: its size is bounded, it can only report attempts that are in progress, and the conditions of a result do not
//! come from its report ([`conditions`]). What a worker receives it verifies: suites by their checksum.

mod conditions;
pub mod coordinator;
mod executor;
pub mod messages;
pub mod registry;
pub mod worker;

use std::{io, path::PathBuf, time::Duration};

use async_nats::{
    Client, ConnectError, ConnectErrorKind, ConnectOptions, Event, ServerAddr,
    jetstream::{
        self, Context,
        consumer::{AckPolicy, pull},
        object_store::{self, ObjectStore},
        stream::{DiscardPolicy, RetentionPolicy, StorageType},
    },
};
use model::ids::RunId;

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

/// Workers present themselves here; the server answers.
pub const HELLO: &str = "aixgrade.hello";

/// Workers say here which jobs they begin.
pub const TAKEN: &str = "aixgrade.taken";

/// Where workers get answers and jobs, apart from the server's inbox, so that their credentials do not let them read what
/// the broker answers the server.
pub const WORKER_INBOX: &str = "aixgrade.inbox";

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
        let options = self.options(name).await?.custom_inbox_prefix(WORKER_INBOX);
        match options.clone().connect(self.addresses()).await {
            Ok(client) => return Ok(client),
            Err(e) if is_refusal(&e) => return Err(unusable(&e)),
            Err(e) => tracing::warn!(cause = %chain(&e), "cannot connect to the broker; trying again"),
        }
        options.retry_on_initial_connect().connect(self.addresses()).await.map_err(|e| unusable(&e))
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
        let addresses = self.addresses();
        let mut parsed = addresses.iter().filter_map(|address| address.parse::<ServerAddr>().ok());
        let decoded = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
        let user = parsed
            .find_map(|address| Some((decoded(address.username()?), decoded(address.password().unwrap_or_default()))));
        if let Some((user, password)) = user {
            options = options.user_and_password(user, password);
        }
        Ok(options)
    }
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
pub fn result_subject(run: RunId) -> String {
    format!("aixgrade.results.{}", run.0)
}

/// The server says here that a run was stopped.
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
    for config in [stream(JOBS, &["aixgrade.jobs.>", "aixgrade.alone.>"]), stream(RESULTS, &["aixgrade.results.*"])] {
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
