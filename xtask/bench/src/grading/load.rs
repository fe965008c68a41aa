//! Admins' work while people rate: large uploads, downloads that are read or not read, runs.
//!
//! Each activity runs in its own thread, over the REST API as a program would do it, until it is told to
//! stop. It counts what it finished, so that a measurement without load cannot pass for one with load.

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use http_body_util::{BodyExt, Full};
use hyper::{
    Method, Request, Response,
    body::{Bytes, Incoming},
    client::conn::http1::handshake,
    header,
};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;

use crate::tools;

/// The dataset with tests that runs use; it is bundled with the program.
pub const STARTER: &str = "starter";
/// Lines of the upload: those for which one transaction once took 17.5 s.
const LINES: usize = 90_000;
/// Unread downloads: more than the database has readers.
const STALLED: usize = 8;

/// The kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Load {
    /// Uploads of 90,000 outputs, one after the other
    Import,
    /// Downloads of all ratings: some unread, and others read one after the other
    Download,
    /// Runs of the starter dataset's tests, without the cache
    Run,
}

impl Load {
    fn name(self) -> &'static str {
        match self {
            Load::Import => "imports",
            Load::Download => "downloads",
            Load::Run => "runs",
        }
    }
}

/// Activities in progress.
pub struct Activities {
    stop: Arc<AtomicBool>,
    threads: Vec<(&'static str, JoinHandle<Result<usize>>)>,
}

impl Activities {
    /// Starts them on the server at `address`, as the owner of `token`. `tasks` are those of the dataset
    /// `bench`.
    pub fn start(which: &[Load], address: &str, token: &str, tasks: usize) -> Activities {
        let stop = Arc::new(AtomicBool::new(false));
        let mut threads = Vec::new();
        for (number, load) in which.iter().enumerate() {
            let api = Api { address: address.to_owned(), token: token.to_owned() };
            let (load, stop) = (*load, stop.clone());
            let work = move || {
                // Admins' clients run on other machines, where they would not slow raters' clients.
                let _ = rustix::process::setpriority_process(None, 10);
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
                runtime.block_on(async {
                    match load {
                        Load::Import => import(&api, number, tasks, &stop).await,
                        Load::Download => download(&api, &stop).await,
                        Load::Run => test(&api, &stop).await,
                    }
                })
            };
            threads.push((load.name(), std::thread::spawn(work)));
        }
        Activities { stop, threads }
    }

    /// Ends them, and returns how many of each were finished.
    pub fn end(self) -> Result<Vec<(&'static str, usize)>> {
        self.stop.store(true, Ordering::Relaxed);
        let end = |(name, thread): (&'static str, JoinHandle<Result<usize>>)| {
            let done = thread.join().map_err(|_| anyhow::anyhow!("{name}: the thread panicked"))?;
            Ok((name, done.with_context(|| format!("{name} beside the raters"))?))
        };
        self.threads.into_iter().map(end).collect()
    }
}

/// The REST API.
struct Api {
    address: String,
    token: String,
}

impl Api {
    async fn send(&self, method: Method, path: &str, kind: &str, body: Bytes) -> Result<Response<Incoming>> {
        let stream = TcpStream::connect(&self.address).await?;
        let (mut connection, driver) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(driver);
        let request = Request::builder()
            .method(method)
            .uri(format!("/api/v1{path}"))
            .header(header::HOST, &self.address)
            .header(header::AUTHORIZATION, format!("Bearer {}", self.token))
            .header(header::CONTENT_TYPE, kind)
            .body(Full::new(body))?;
        let response = connection.send_request(request).await?;
        if !response.status().is_success() {
            let status = response.status();
            let text = response.into_body().collect().await?.to_bytes();
            bail!("{path}: {status}: {}", String::from_utf8_lossy(&text));
        }
        Ok(response)
    }

    async fn json(&self, method: Method, path: &str, body: &Value) -> Result<Value> {
        let response = self.send(method, path, "application/json", body.to_string().into()).await?;
        Ok(serde_json::from_slice(&response.into_body().collect().await?.to_bytes())?)
    }

    /// Uploads a file and imports it as a model's outputs; returns the submission's number.
    async fn submit(&self, file: Bytes, dataset: &str, model: &str) -> Result<Value> {
        let response = self.send(Method::POST, "/uploads?file=many.jsonl", "application/octet-stream", file).await?;
        let upload: Value = serde_json::from_slice(&response.into_body().collect().await?.to_bytes())?;
        let new = json!({ "upload": upload["upload"], "dataset": dataset, "model": model });
        Ok(self.json(Method::POST, "/submissions", &new).await?["id"].clone())
    }
}

async fn import(api: &Api, number: usize, tasks: usize, stop: &AtomicBool) -> Result<usize> {
    let mut lines = String::new();
    for line in 0..LINES {
        let code = super::code(line, line % tasks);
        lines.push_str(&json!({ "task_id": format!("T{}", line % tasks), "completion": code }).to_string());
        lines.push('\n');
    }
    let mut done = 0;
    while !stop.load(Ordering::Relaxed) {
        // The same file is imported only once.
        let model = format!("Imported {number}.{done}");
        let last = json!({ "task_id": "T0", "completion": format!("// {model}") });
        api.submit(format!("{lines}{last}\n").into(), "bench", &model).await?;
        done += 1;
    }
    Ok(done)
}

async fn download(api: &Api, stop: &AtomicBool) -> Result<usize> {
    let path = "/comparisons/bench/files/ratings.csv";
    let get = || api.send(Method::GET, path, "text/plain", Bytes::new());
    // Kept until the end: their bodies are never read.
    let mut stalled = Vec::new();
    for _ in 0..STALLED {
        stalled.push(get().await?);
    }
    let mut done = 0;
    while !stop.load(Ordering::Relaxed) {
        get().await?.into_body().collect().await?;
        done += 1;
    }
    drop(stalled);
    Ok(done)
}

async fn test(api: &Api, stop: &AtomicBool) -> Result<usize> {
    let outputs = tools::root().join("datasets").join(STARTER).join("outputs/northwind.jsonl");
    let file = Bytes::from(fs::read(&outputs).with_context(|| outputs.display().to_string())?);
    let submission = api.submit(file, STARTER, "Tested").await?;
    let mut done = 0;
    while !stop.load(Ordering::Relaxed) {
        let new = json!({ "submission": submission, "fresh": true });
        let run = api.json(Method::POST, "/runs", &new).await?["id"].clone();
        loop {
            let progress = api.json(Method::GET, &format!("/runs/{run}/progress"), &json!({})).await?;
            if progress["status"] != "running" {
                break;
            }
            if stop.load(Ordering::Relaxed) {
                return Ok(done);
            }
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        }
        let detail = api.json(Method::GET, &format!("/runs/{run}"), &json!({})).await?;
        if !detail["fault"].is_null() {
            bail!("the engine cannot work here: {}", detail["fault"]);
        }
        done += 1;
    }
    Ok(done)
}

/// Folder of the starter dataset.
pub fn starter() -> String {
    Path::new(&tools::root()).join("datasets").join(STARTER).to_string_lossy().into_owned()
}
