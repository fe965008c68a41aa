//! Metrics of a server in the OpenMetrics format, on an address of their own: `aixgrade serve --metrics-listen`.
//!
//! No metric names a person, a model, a study or an address of a client. docs/operating.md lists them.

use std::{collections::HashSet, fs, sync::LazyLock, time::Instant};

use axum::{
    extract::{MatchedPath, Request, State},
    http::{Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use model::{
    server::Disk,
    workers::{QueueRow, WorkerState, Workers},
};
use prometheus_client::{
    encoding::{EncodeLabelSet, text},
    metrics::{
        counter::ConstCounter,
        family::Family,
        gauge::{ConstGauge, Gauge},
        info::Info,
    },
    registry::{Registry, Unit},
};

use crate::{
    capacity::{Kind, Places},
    state::AppState,
    telemetry::Requests,
};
use base::{clock, error::Failure};
use db::load;
use services::{Services, backup::schedule::DailyFigures, disk};

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfFile {
    file: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfState {
    state: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfKind {
    kind: &'static str,
}

/// Counts a request, with the time until its response begins.
pub async fn count(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let method = known_method(request.method());
    let matched = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let function = FUNCTIONS.get(request.uri().path()).copied();
    let begun = Instant::now();
    let response = next.run(request).await;
    let status = response.status();
    let route = function.map(str::to_owned).or(matched).unwrap_or_else(|| "none".to_owned());
    state.requests.record(method, route, status.as_u16(), begun.elapsed());
    response
}

/// The addresses of the server functions that exist. A client could invent others without end.
static FUNCTIONS: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| leptos::server_fn::axum::server_fn_paths().map(|(path, _)| path).collect());

/// A client can send any word as method.
fn known_method(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        _ => "other",
    }
}

/// The sources of metrics.
#[derive(Clone)]
pub struct Watched {
    pub state: AppState,
    /// Daily backups, if the server makes any.
    pub backups: Option<DailyFigures>,
}

/// `GET /metrics`
pub async fn metrics(State(watched): State<Watched>) -> Response {
    match written(&watched).await {
        Ok(text) => {
            let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
            ([(header::CONTENT_TYPE, kind)], text).into_response()
        }
        Err(failure) => {
            let error = model::error::AppError::from(failure);
            (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")).into_response()
        }
    }
}

async fn written(watched: &Watched) -> Result<String, Failure> {
    let Watched { state, backups } = watched;
    let services = &state.services;
    let now = clock::now();
    let load = services.db.read_long(move |conn| load::load(conn, now)).await?;
    let folder = services.folder.clone();
    let disk = tokio::task::spawn_blocking(move || disk::quick(&folder)).await.map_err(Failure::internal)?;
    let mut registry = Registry::with_prefix("aixgrade");
    register_counts(&mut registry, &state.requests, services, backups.as_ref());
    register_load(&mut registry, &load);
    register_places(&mut registry, &state.places);
    register_disk(&mut registry, &disk);
    let mut text = String::new();
    text::encode(&mut text, &registry).map_err(Failure::internal)?;
    Ok(text)
}

/// Counters since the start of the process.
fn register_counts(registry: &mut Registry, requests: &Requests, services: &Services, backups: Option<&DailyFigures>) {
    let build = Info::new([("version", env!("CARGO_PKG_VERSION").to_owned())]);
    registry.register("build", "The program", build);
    registry.register("http_requests", "Requests by method, route and status", requests.count.clone());
    registry.register_with_unit(
        "http_request_duration",
        "Time until the response begins, by route",
        Unit::Seconds,
        requests.seconds.clone(),
    );
    let waits = services.db.waits();
    registry.register_with_unit(
        "database_reader_wait",
        "Time that a request waits for one of the database's readers",
        Unit::Seconds,
        waits.reader.clone(),
    );
    registry.register_with_unit(
        "database_write",
        "Time from the request of a write until it is on disk",
        Unit::Seconds,
        waits.write.clone(),
    );
    let submitted = services.grading.submitted.clone();
    registry.register(
        "ratings_submitted",
        "Ratings that were accepted, replaced ones and known-score items included",
        submitted,
    );
    let counts = services.runs.engine().counts();
    registry.register(
        "outputs_run",
        "Outputs that were run, by verdict; without those answered from the cache",
        counts.verdicts.clone(),
    );
    registry.register(
        "engine_errors",
        "Outputs on which the engine failed, also at the first of two attempts",
        counts.faults.clone(),
    );
    register_workers(registry, &services.runs.known_workers().unwrap_or_default());
    if let Some(backups) = backups {
        registry.register_with_unit(
            "backup_last_success_timestamp",
            "When the newest daily backup began, as a Unix time; 0 if there is none",
            Unit::Seconds,
            backups.last_s.clone(),
        );
        registry.register("backup_failures", "Daily backups that failed", backups.failures.clone());
    }
}

fn register_load(registry: &mut Registry, load: &load::Load) {
    let mut gauge = |name: &str, help: &str, value: i64| registry.register(name, help, ConstGauge::new(value));
    gauge("runs_in_progress", "Test runs in progress", load.runs);
    gauge(
        "outputs_waiting",
        "Outputs of these runs without a verdict, including those that are being run",
        load.outputs,
    );
    gauge("outputs_running", "Outputs that a worker of the engine is running, or that are in the broker", load.running);
    gauge("leases", "Outputs that raters have open", load.leases);
}

/// Workers on other machines.
fn register_workers(registry: &mut Registry, workers: &Workers) {
    let states = Family::<OfState, Gauge>::default();
    for state in WorkerState::ALL {
        let count = workers.workers.iter().filter(|worker| worker.state == state).count();
        states.get_or_create(&OfState { state: state.name() }).set(i64::try_from(count).unwrap_or(i64::MAX));
    }
    registry.register("workers", "Workers on other machines, by state", states);
    let ready = workers.workers.iter().filter(|worker| worker.state == WorkerState::Ready);
    let slots: u32 = ready.map(|worker| worker.slots).sum();
    registry.register("worker_slots", "Outputs that workers can run at a time", ConstGauge::new(i64::from(slots)));
    let jobs = Family::<OfState, Gauge>::default();
    let sum = |count: fn(&QueueRow) -> u64| workers.queues.iter().map(count).sum::<u64>();
    for (state, count) in [("waiting", sum(|queue| queue.waiting)), ("running", sum(|queue| queue.running))] {
        jobs.get_or_create(&OfState { state }).set(i64::try_from(count).unwrap_or(i64::MAX));
    }
    registry.register("worker_jobs", "Jobs at the broker: waiting for a worker, or with one", jobs);
    let unserved = workers.queues.iter().filter(|queue| queue.waiting > 0 && !queue.served).count();
    let mut gauge = |name: &str, help: &str, value: i64| registry.register(name, help, ConstGauge::new(value));
    let unserved = i64::try_from(unserved).unwrap_or(i64::MAX);
    gauge("worker_queues_unserved", "Queues with waiting jobs that no worker runs", unserved);
    gauge("broker_connected", "Whether the server reaches the broker: 1 or 0", i64::from(workers.connected));
    let count = |value: u64| ConstCounter::new(value);
    registry.register("worker_results_refused", "Results of workers that were refused", count(workers.refused_results));
    registry.register(
        "worker_jobs_lost",
        "Jobs that the broker lost and that were published again",
        count(workers.lost_jobs),
    );
}

fn register_places(registry: &mut Registry, places: &Places) {
    let taken = Family::<OfKind, Gauge>::default();
    for (of, kind) in Kind::ALL {
        taken.get_or_create(&OfKind { kind }).set(i64::try_from(places.taken(of)).unwrap_or(i64::MAX));
    }
    registry.register("http_requests_in_progress", "Requests without a response yet, by kind", taken);
}

fn register_disk(registry: &mut Registry, disk: &Disk) {
    let files = Family::<OfFile, Gauge>::default();
    for (file, bytes) in [("main", disk.database), ("write_ahead_log", disk.write_ahead_log)] {
        files.get_or_create(&OfFile { file }).set(i64::try_from(bytes).unwrap_or(i64::MAX));
    }
    registry.register_with_unit("database_size", "Size of the database's files", Unit::Bytes, files);
    let mut gauge = |name: &str, help: &str, bytes: u64| {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        registry.register_with_unit(name, help, Unit::Bytes, ConstGauge::new(bytes));
    };
    if let Some((free, all)) = disk.space {
        gauge("disk_free", "Free space on the disk of the data folder", free);
        gauge("disk_size", "Size of the disk of the data folder", all);
    }
    if let Some(resident) = resident_memory() {
        gauge("process_resident_memory", "Memory of the server's process", resident);
    }
}

/// Memory of this process in bytes.
fn resident_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kib =
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix("kB")?.trim().parse().ok());
    kib.map(|kib: u64| kib * 1024)
}
