//! Runs assignments on this machine: fetches and verifies suites, prepares backends, and keeps both.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use async_nats::jetstream::{
    Context,
    object_store::ObjectInfo,
    stream::{LastRawMessageErrorKind, Stream},
};
use base64::{Engine as _, prelude::BASE64_URL_SAFE};
use model::{conversation::TestProfile, reason::Fault, run::Dates};
use tokio::sync::OnceCell;

use super::{
    AGAIN, SUITES, SUITES_STREAM,
    messages::{Ability, Assignment, Limits},
};
use crate::{
    backend::{self, Backend, ItemWorker, Setup},
    is_disk_full,
    job::{Ended, Job, JobKind, Report},
    sandbox,
    suites::{self, Tests},
};
use engine::{EngineError, runner::Allowance, self_test};
use lang::{Places, codeif::Conversations, suite, trials};
use sandbox::{OptionalLayers, Sandbox};

/// Backends that are kept ready. Each may have a compiler and started JVMs.
const MOST_BACKENDS: usize = 4;

/// Suites that are kept on disk.
const MOST_SUITES: usize = 64;

/// The largest suite that is accepted.
const MOST_SUITE_BYTES: usize = 512 << 20;

/// How often a suite that the store does not have is asked for again.
const MOST_MISSING: usize = 3;

/// What one backend is prepared for.
type Key = (String, Limits, bool, Option<&'static str>, &'static str);

/// Runs assignments on this machine.
pub struct Executor {
    folder: PathBuf,
    slots: usize,
    sandbox: Arc<dyn Sandbox>,
    backends: Mutex<BTreeMap<Key, Kept>>,
    uses: AtomicU64,
}

/// A backend, or one that is being prepared.
#[derive(Clone)]
struct Kept {
    ready: Arc<OnceCell<Arc<Ready>>>,
    used: u64,
}

/// A worker, and the flag that stops it.
type Stoppable = (Box<dyn ItemWorker>, Arc<AtomicBool>);

/// A backend with its workers that have nothing to do.
pub struct Ready {
    backend: Box<dyn Backend>,
    idle: Mutex<Vec<Stoppable>>,
}

impl Executor {
    /// An executor that keeps its files below `folder` and runs `slots` outputs at a time.
    ///
    /// # Errors
    /// Fails if the folder cannot be created, or if there is no sandbox on this machine.
    pub fn new(folder: &Path, slots: usize) -> Result<Executor, Fault> {
        let system = |e: io::Error| Fault::System { detail: format!("{}: {e}", folder.display()) };
        fs::create_dir_all(folder.join("fetched")).map_err(system)?;
        Ok(Executor {
            folder: folder.to_path_buf(),
            slots,
            sandbox: sandbox()?,
            backends: Mutex::default(),
            uses: AtomicU64::new(0),
        })
    }

    fn engine_folder(&self) -> PathBuf {
        self.folder.join("engine")
    }

    /// The isolation layers of this host, of those that not every host provides.
    pub fn layers(&self) -> OptionalLayers {
        self.sandbox.optional_layers()
    }

    /// Finds a toolchain and runs its sandbox checks. Blocks.
    pub fn prove(&self, kind: JobKind) -> Ability {
        let ability = Ability { kind, version: String::new(), checks: 0, failed: Vec::new(), fault: None };
        match self.checks(kind) {
            Ok((version, shown)) => Ability {
                version,
                checks: u32::try_from(shown.len()).unwrap_or(u32::MAX),
                failed: shown.into_iter().filter_map(|shown| shown.failed).collect(),
                ..ability
            },
            Err(fault) => Ability { fault: Some(fault), ..ability },
        }
    }

    fn checks(&self, kind: JobKind) -> Result<(String, Vec<self_test::CheckResult>), Fault> {
        let (sandbox, folder) = (Arc::clone(&self.sandbox), self.engine_folder());
        match kind {
            JobKind::Classes => {
                let (version, shown) =
                    self_test::run_with_version(sandbox, &folder, self.slots).map_err(|e| self.fault(e))?;
                Ok((version, shown))
            }
            JobKind::Conversations => {
                let (allowance, profile) = (Allowance::default(), TestProfile::default());
                let suite = Conversations::prepare(sandbox, &folder, &[], allowance, profile);
                let suite = suite.map_err(|e| self.fault(e))?;
                Ok((suite.versions(), suite.trials().map_err(|e| self.fault(e))?))
            }
            JobKind::Programs(code) => {
                let missing = |detail: String| Fault::Toolchain { detail: format!("{}: {detail}", code.name()) };
                let language = lang::language(code).ok_or_else(|| missing("cannot be run".to_owned()))?;
                let found = (language.find)(&Places::of(&self.folder), &folder);
                let toolchain = found.map_err(|e| missing(e.to_string()))?;
                let context = suite::context(sandbox, &folder, Allowance::default());
                let shown = trials::run(code, &*toolchain, &context).map_err(|e| self.fault(e))?;
                Ok((toolchain.version().to_owned(), shown))
            }
        }
    }

    /// How many outputs of a kind to run at a time.
    pub fn workers(&self, kind: JobKind) -> usize {
        let JobKind::Programs(code) = kind else { return self.slots };
        let found = lang::language(code)
            .and_then(|language| (language.find)(&Places::of(&self.folder), &self.engine_folder()).ok());
        found.map_or(self.slots, |toolchain| toolchain.workers(self.slots))
    }

    /// The tests of a suite, from the cache or from the broker's store. Their checksum is verified in both cases. Waits for a
    /// broker that does not answer, but no longer than `longest`.
    ///
    /// # Errors
    /// The suite is not in the store, another one is under its name, or the broker, which `broker` names, did not send it.
    pub async fn fetch(
        &self,
        context: &Context,
        broker: &str,
        name: &str,
        longest: Duration,
    ) -> Result<Arc<Vec<u8>>, Fault> {
        let tests = |detail| Fault::Tests { reason: None, detail };
        if !suites::is_name(name) {
            return Err(tests("the name of the suite is not a checksum".to_owned()));
        }
        let file = self.folder.join("fetched").join(name);
        if let Ok(bytes) = tokio::fs::read(&file).await
            && is_named(&bytes, name)
        {
            return Ok(Arc::new(bytes));
        }
        let Ok(bytes) = tokio::time::timeout(longest, from_store(context, name)).await else {
            let seconds = longest.as_secs();
            let detail = format!(
                "the broker {broker} did not send the tests (suite {name}) within {seconds} s; check that it is running and \
                 that this worker may read {SUITES}, then re-run the output"
            );
            return Err(Fault::System { detail });
        };
        let bytes = bytes.map_err(tests)?;
        let (folder, saved) = (self.folder.join("fetched"), bytes.clone());
        // A suite that cannot be cached is fetched again next time.
        let _ = tokio::task::spawn_blocking(move || save(&folder, &file, &saved)).await;
        Ok(Arc::new(bytes))
    }

    /// Runs a job on its backend. `register` gets the flag that stops it. Blocks.
    pub fn run(&self, ready: &Ready, job: &Job, register: impl FnOnce(&Arc<AtomicBool>)) -> Report {
        let idle = ready.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let (mut worker, cancelled) = idle.unwrap_or_else(|| {
            let cancelled = Arc::<AtomicBool>::default();
            (ready.backend.worker(Arc::clone(&cancelled)), cancelled)
        });
        register(&cancelled);
        let ended = match worker.run(job) {
            Ok(outcome) => Ended::Judged(Box::new(outcome)),
            Err(EngineError::Cancelled) => Ended::Returned,
            Err(e) => Ended::Failed(self.fault(e)),
        };
        // A worker that was told to stop is not used again.
        if !cancelled.load(Ordering::SeqCst) {
            ready.idle.lock().unwrap_or_else(PoisonError::into_inner).push((worker, cancelled));
        }
        let made_in = ready.backend.made_in(job.kind);
        Report { item: job.item, attempt: job.attempt, ended, made_in }
    }

    /// The backend of an assignment, if it is ready. Its suite was fetched and verified when it was prepared.
    pub fn kept(&self, assignment: &Assignment) -> Option<Arc<Ready>> {
        let mut backends = self.backends.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = backends.get_mut(&key(assignment))?;
        kept.used = self.uses.fetch_add(1, Ordering::Relaxed);
        kept.ready.get().cloned()
    }

    /// The backend of an assignment, prepared from its suite. Others that need the same one wait meanwhile. `version` is the
    /// toolchain's that the worker presented itself with. Blocks.
    ///
    /// # Errors
    /// Says why the assignment cannot run here.
    pub fn prepare(&self, assignment: &Assignment, bytes: &[u8], version: &str) -> Result<Arc<Ready>, Fault> {
        let Assignment { suite, limits, options, job, .. } = assignment;
        if !limits.are_within(Limits::of(Allowance::default())) {
            return Err(Fault::System { detail: "the job asks for more than this worker's limits".to_owned() });
        }
        let kept = {
            let mut backends = self.backends.lock().unwrap_or_else(PoisonError::into_inner);
            let used = self.uses.fetch_add(1, Ordering::Relaxed);
            let kept = backends.entry(key(assignment)).or_insert_with(|| Kept { ready: Arc::default(), used });
            kept.used = used;
            let kept = kept.clone();
            while backends.len() > MOST_BACKENDS {
                let oldest = backends.iter().min_by_key(|(_, kept)| kept.used).map(|(key, _)| key.clone());
                if let Some(oldest) = oldest {
                    backends.remove(&oldest);
                }
            }
            kept
        };
        let prepare = || async {
            let tests = suites::open(suite, bytes).map_err(|detail| Fault::Tests { reason: None, detail })?;
            let is_kind = match &tests {
                Tests::Classes(..) => job.kind == JobKind::Classes,
                Tests::Conversations(_) => job.kind == JobKind::Conversations,
                Tests::Repositories(_) => false,
                Tests::Programs(programs) => programs.keys().all(|lang| job.kind == JobKind::Programs(*lang)),
            };
            if !is_kind {
                return Err(Fault::System { detail: format!("the suite has no tests for {}", job.kind) });
            }
            let (sandbox, folder) = (Arc::clone(&self.sandbox), self.engine_folder());
            let setup = Setup {
                allowance: limits.allowance(*options),
                profile: options.profile,
                workers: self.slots,
                repositories: None,
            };
            let backend = backend::prepare(&tests, sandbox, &folder, setup);
            let backend = backend.map_err(|e| self.fault(e))??;
            let found = backend.environment(Vec::new()).java;
            if found != version {
                let detail =
                    format!("{found} was installed since the worker started with {version}; restart the worker");
                return Err(Fault::Toolchain { detail });
            }
            Ok(Arc::new(Ready { backend, idle: Mutex::default() }))
        };
        // On a thread that may block; a failure is not kept, so the next job tries again.
        tokio::runtime::Handle::current().block_on(kept.ready.get_or_try_init(prepare)).cloned()
    }

    fn fault(&self, e: EngineError) -> Fault {
        match is_disk_full(&e) {
            true => Fault::DiskFull { folder: self.folder.display().to_string() },
            false => e.into(),
        }
    }
}

fn key(assignment: &Assignment) -> Key {
    let Assignment { suite, limits, options, .. } = assignment;
    (suite.clone(), *limits, options.fast, options.dates.map(Dates::name), options.profile.name())
}

/// Fetches and verifies a suite. Waits as long as the broker does not answer.
///
/// # Errors
/// The suite is not in the store, or another one is under its name.
async fn from_store(context: &Context, name: &str) -> Result<Vec<u8>, String> {
    let store = context.get_stream_no_info(SUITES_STREAM).await.map_err(|e| e.to_string())?;
    let mut missing = 0;
    loop {
        match download(&store, name).await {
            Ok(Some(bytes)) if is_named(&bytes, name) => return Ok(bytes),
            Ok(Some(_)) => return Err(format!("the suite {name} does not have this checksum")),
            Ok(None) if missing == MOST_MISSING => return Err(format!("the broker has no suite {name}")),
            // A broker that was just started can be behind the others.
            Ok(None) => missing += 1,
            Err(cause) => tracing::info!(%cause, "cannot fetch a suite; trying again"),
        }
        tokio::time::sleep(AGAIN).await;
    }
}

/// Fetches a suite, one message after another: a consumer, as the client's object store makes one, could be made to deliver
/// to other subjects, so the broker grants workers none. `None` if the store has no suite of this name.
///
/// # Errors
/// The broker does not answer, or the connection ended.
async fn download(store: &Stream<()>, name: &str) -> Result<Option<Vec<u8>>, String> {
    let about = format!("$O.{SUITES}.M.{}", BASE64_URL_SAFE.encode(name));
    let about = match store.get_last_raw_message_by_subject(&about).await {
        Ok(about) => about,
        Err(e) if e.kind() == LastRawMessageErrorKind::NoMessageFound => return Ok(None),
        Err(e) => return Err(e.to_string()),
    };
    let about: ObjectInfo = serde_json::from_slice(&about.payload).map_err(|e| e.to_string())?;
    if about.deleted {
        return Ok(None);
    }
    let chunks = format!("$O.{SUITES}.C.{}", about.nuid);
    let (mut bytes, mut from) = (Vec::new(), 0);
    while bytes.len() < about.size.min(MOST_SUITE_BYTES + 1) {
        let chunk = store.get_first_raw_message_by_subject(&chunks, from).await.map_err(|e| e.to_string())?;
        bytes.extend_from_slice(&chunk.payload);
        from = chunk.sequence + 1;
    }
    Ok(Some(bytes))
}

fn is_named(bytes: &[u8], name: &str) -> bool {
    use sha2::{Digest, Sha256};
    bytes.len() <= MOST_SUITE_BYTES && hex::encode(Sha256::digest(bytes)) == name
}

/// Writes a suite to the cache and removes the oldest ones that are too many.
fn save(folder: &Path, file: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = tempfile::NamedTempFile::new_in(folder)?;
    fs::write(temporary.path(), bytes)?;
    temporary.persist(file).map_err(|e| e.error)?;
    let mut kept = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let modified = entry.metadata().and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
        kept.push((modified, entry.path()));
    }
    kept.sort();
    let surplus = kept.len().saturating_sub(MOST_SUITES);
    kept.iter().take(surplus).try_for_each(|(_, path)| fs::remove_file(path))
}

#[cfg(test)]
mod tests {
    use std::{net::TcpListener, thread};

    use super::{
        super::{Broker, jetstream},
        *,
    };
    use sandbox::{Report, fake::Fake};

    /// A broker that accepts connections and says nothing, and one that is not there.
    #[tokio::test]
    async fn a_suite_from_a_silent_broker_is_waited_for_no_longer_than_its_limit() {
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = silent.local_addr().unwrap();
        thread::spawn(move || silent.incoming().flatten().collect::<Vec<_>>());
        let absent = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let executor = Executor {
            folder: folder.path().to_path_buf(),
            slots: 1,
            sandbox: Arc::new(Fake(|_: &::sandbox::Command, _| Report::default())),
            backends: Mutex::default(),
            uses: AtomicU64::new(0),
        };
        let name = "a".repeat(64);
        for address in [at, absent] {
            let url = format!("nats://worker:secret@{address}");
            let broker = Broker { url, credentials: None, ca: None, certificate: None };
            // As a worker whose broker fell silent after it had connected.
            let client = broker.connect_server("test").await.unwrap();
            let (context, longest) = (jetstream(&client), Duration::from_secs(1));
            let fault = executor.fetch(&context, &broker.names(), &name, longest).await.unwrap_err();
            let Fault::System { detail } = fault else { panic!("{fault:?}") };
            let begin = format!("the broker {address} did not send the tests (suite {name}) within 1 s");
            assert!(detail.starts_with(&begin) && !detail.contains("secret"), "{detail}");
        }
    }
}
