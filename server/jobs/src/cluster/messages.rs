//! What server and workers send each other, as JSON, compressed if it is long.

use std::io::{Read, Write as _};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use model::{
    conversation::TestProfile,
    ids::RunId,
    reason::{FailedCheck, Fault},
    run::{Dates, Sums},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::job::{Job, JobKind, Report};
use db::runs::Ticket;
use engine::runner::Allowance;

/// Messages longer than this are compressed.
const COMPRESSED_FROM: usize = 4 << 10;

/// The most bytes that a message may have when it is unpacked: an output has 1 MiB at most, and its report contains it
/// a few times.
const MOST_BYTES: usize = 16 << 20;

/// A job with what its worker needs besides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assignment {
    /// The server's database. The report repeats it.
    pub instance: String,
    pub run: RunId,
    /// The suite's name in the object store: its SHA-256.
    pub suite: String,
    pub limits: Limits,
    pub options: Options,
    pub job: Job,
    /// A worker that repeats it received this job.
    pub receipt: String,
}

/// The limits of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    pub cpu_s: u64,
    pub wait_s: u64,
    pub heap_mib: u64,
    pub threads: u64,
}

/// The options of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    pub fast: bool,
    pub dates: Option<Dates>,
    /// The form of CodeIF-Bench's tests.
    pub profile: TestProfile,
}

impl Limits {
    /// The limits of this program.
    pub fn of(allowance: Allowance) -> Limits {
        let Allowance { cpu_s, wait_s, heap_mib, threads, .. } = allowance;
        Limits { cpu_s, wait_s, heap_mib, threads }
    }

    /// Whether none exceeds those of `most`.
    pub fn are_within(self, most: Limits) -> bool {
        self.cpu_s <= most.cpu_s
            && self.wait_s <= most.wait_s
            && self.heap_mib <= most.heap_mib
            && self.threads <= most.threads
    }

    /// Limits and options as the engine takes them.
    pub fn allowance(self, options: Options) -> Allowance {
        let Limits { cpu_s, wait_s, heap_mib, threads } = self;
        Allowance { cpu_s, wait_s, heap_mib, threads, fast: options.fast, dates: options.dates }
    }
}

/// A worker's report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delivery {
    /// The worker's name for itself.
    pub worker: String,
    /// Its build. Reports of another build than the server's are refused.
    pub build: String,
    pub instance: String,
    pub run: RunId,
    pub kind: JobKind,
    pub suite: String,
    /// That of its assignment.
    pub receipt: String,
    pub report: Report,
}

impl Delivery {
    /// The ID of its message. The broker ignores a message whose ID it has seen in the last two minutes, so it is the
    /// worker's own: the report of one that does not hold the attempt must not replace that of the one that does.
    pub fn id(&self) -> String {
        format!("{}.{}.{}.{}", self.instance, self.report.item, self.report.attempt, self.worker)
    }
}

/// That a worker begins a job. From then on, only its report counts, as long as it says that it holds the attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Taken {
    pub worker: String,
    pub claim: Claim,
}

/// An attempt that a worker holds, with the receipt of its assignment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    pub item: i64,
    pub attempt: u32,
    pub receipt: String,
}

impl Claim {
    pub fn attempt(&self) -> Ticket {
        Ticket { item: self.item, attempt: self.attempt }
    }
}

impl Assignment {
    /// What its worker says of it.
    pub fn claim(&self) -> Claim {
        Claim { item: self.job.item, attempt: self.job.attempt, receipt: self.receipt.clone() }
    }
}

/// What a worker says about itself, every few seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    pub worker: String,
    pub host: String,
    pub version: String,
    pub build: String,
    pub slots: u32,
    pub abilities: Vec<Ability>,
    /// The isolation layers of its host, of those that not every host provides.
    pub landlock: bool,
    pub groups: Option<Sums>,
    /// Jobs in progress.
    pub running: u32,
    /// Jobs reported since it started.
    pub done: u64,
    /// Whether it ends after its jobs in progress.
    pub draining: bool,
    /// The attempts that it began and has not reported.
    pub holds: Vec<Claim>,
}

/// A kind of jobs that a worker was asked to run, and whether it can.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ability {
    pub kind: JobKind,
    /// The toolchain's version; empty if it was not found.
    pub version: String,
    /// How many sandbox checks ran.
    pub checks: u32,
    /// Those that failed.
    pub failed: Vec<FailedCheck>,
    /// Why it cannot run such jobs at all: no toolchain, no sandbox.
    pub fault: Option<Fault>,
}

impl Ability {
    /// Whether jobs of this kind may run here.
    pub fn is_proved(&self) -> bool {
        self.fault.is_none() && self.failed.is_empty() && self.checks > 0
    }
}

/// The server's answer to a hello.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Welcome {
    /// Absent if the worker may ask for jobs, otherwise why not.
    pub refused: Option<Refusal>,
}

/// Why a worker gets no jobs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// An admin removed it.
    Removed,
    /// It is another build of the program than the server.
    OtherBuild {
        /// The server's.
        version: String,
        build: String,
    },
}

/// Packs a message.
///
/// # Errors
/// Fails if it cannot be serialized.
pub fn pack(message: &impl Serialize) -> Result<Vec<u8>, serde_json::Error> {
    let json = serde_json::to_vec(message)?;
    if json.len() < COMPRESSED_FROM {
        return Ok(json);
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    // Writing to memory does not fail; if it did, the message would be sent as it is.
    match encoder.write_all(&json).and_then(|()| encoder.finish()) {
        Ok(packed) => Ok(packed),
        Err(_) => Ok(json),
    }
}

/// Unpacks a message.
///
/// # Errors
/// Says what is wrong with it.
pub fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    let unpacked;
    let json = if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut content = Vec::new();
        let most = MOST_BYTES as u64 + 1;
        GzDecoder::new(bytes).take(most).read_to_end(&mut content).map_err(|e| e.to_string())?;
        unpacked = content;
        &unpacked
    } else {
        bytes
    };
    if json.len() > MOST_BYTES {
        return Err(format!("the message has more than {MOST_BYTES} bytes"));
    }
    serde_json::from_slice(json).map_err(|e| e.to_string())
}

/// What this program's results depend on besides its toolchains: a hash of the sources of this crate and of all that it
/// uses (`build.rs`), in 16 hexadecimal digits. Server and workers must have the same.
pub const BUILD: &str = env!("AIXGRADE_RUNNER_SOURCES");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_messages_are_packed_and_bombs_are_refused() {
        for text in ["short".to_owned(), "long ".repeat(100_000)] {
            let packed = pack(&text).unwrap();
            assert!(packed.len() < 10_000);
            assert_eq!(unpack::<String>(&packed).unwrap(), text);
        }
        let bomb = pack(&"x".repeat(MOST_BYTES)).unwrap();
        assert!(bomb.len() < MOST_BYTES / 100);
        assert!(unpack::<String>(&bomb).unwrap_err().contains("more than"));
    }

    #[test]
    fn limits_of_a_job_may_not_exceed_the_workers_own() {
        let most = Limits::of(Allowance::default());
        assert!(most.are_within(most));
        assert!(!Limits { cpu_s: most.cpu_s + 1, ..most }.are_within(most));
        assert!(!Limits { threads: most.threads + 1, ..most }.are_within(most));
    }
}
