//! The seam between coordinators and workers. A coordinator leases an item of a run, makes a [`Job`] of it and hands it
//! to a worker; the worker answers with a [`Report`], and [`settle`] stores it.
//!
//! [`super::Engine`] is both in one process. [`super::cluster`] sends jobs to workers on other machines: both types can
//! be serialized, and name no path, no row other than the item, and nothing of a person, a model or a study.
//!
//! Invariant: a report counts only for the attempt that its job began ([`runs::Ticket`]).

use std::fmt;

use model::{
    code_lang::CodeLang,
    conversation::Way,
    published::PublishedText,
    reason::Fault,
    run::{LimitHit, Outcome},
};
use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use base::error::Failure;
use db::runs::{self, Basis, Finish, Ticket};
use engine::grader::{self, Task};
use lang::{
    codeif::{self, Answer},
    grader::Sample,
    suite,
};

/// What runs a job: the Java engine with test classes, or a language whose tests are programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum JobKind {
    /// Java test classes.
    Classes,
    /// Test programs in a language.
    Programs(CodeLang),
    /// Conversations of CodeIF-Bench.
    Conversations,
}

/// The name of [`JobKind::Classes`].
const CLASSES: &str = "java-classes";

/// The name of [`JobKind::Conversations`].
const CONVERSATIONS: &str = "codeif-bench";

impl JobKind {
    /// Every kind, in display order.
    pub fn all() -> impl Iterator<Item = JobKind> {
        [JobKind::Classes].into_iter().chain(CodeLang::ALL.map(JobKind::Programs)).chain([JobKind::Conversations])
    }

    /// The name in subjects, in messages and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            JobKind::Classes => CLASSES,
            JobKind::Programs(lang) => lang.code(),
            JobKind::Conversations => CONVERSATIONS,
        }
    }

    /// The language of the outputs.
    pub fn lang(self) -> CodeLang {
        match self {
            JobKind::Classes => CodeLang::Java,
            JobKind::Programs(lang) => lang,
            JobKind::Conversations => CodeLang::Python,
        }
    }
}

impl fmt::Display for JobKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl From<JobKind> for String {
    fn from(kind: JobKind) -> String {
        kind.name().to_owned()
    }
}

impl TryFrom<String> for JobKind {
    type Error = String;

    fn try_from(name: String) -> Result<JobKind, String> {
        JobKind::all().find(|kind| kind.name() == name).ok_or_else(|| format!("unknown kind of job: {name}"))
    }
}

/// One output to run, once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    pub item: i64,
    /// The attempt that the lease of the item began. The report names it.
    pub attempt: u32,
    pub kind: JobKind,
    /// The task's tests in the suite: the test class, or the SHA-256 of the text.
    pub tests: String,
    /// The requested signature.
    pub signature: Option<String>,
    /// What the text continues, if that is not the task's prompt.
    pub prompt: Option<String>,
    /// What the published evaluator judges, if that is not the text.
    pub published_text: Option<PublishedText>,
    /// The model's text.
    pub code: String,
    /// In a conversation: how the model was asked, and the turn that the output answers.
    pub turn: Option<(Way, u32)>,
    /// The earlier turns whose tests judge the answer; all without a list.
    pub answered: Option<Vec<u32>>,
    /// Whether nothing else may run at the same time, because the engine failed on the output before.
    pub alone: bool,
}

impl Job {
    /// The attempt.
    pub fn ticket(&self) -> Ticket {
        Ticket { item: self.item, attempt: self.attempt }
    }

    /// The cache key of the output, from what toolchain, limits and options contribute to it.
    pub fn key(&self, basis: &str) -> String {
        match self.kind {
            JobKind::Classes => grader::key(basis, &self.task(), &self.code),
            JobKind::Programs(_) => suite::key(basis, &self.tests, self.sample()),
            JobKind::Conversations => codeif::key(basis, &self.tests, self.answer()),
        }
    }

    /// What the Java engine needs to know of the task.
    pub fn task(&self) -> Task {
        Task { test_class: self.tests.clone(), signature: self.signature.clone() }
    }

    /// An answer in a conversation. One without a place in it, which the import does not store, would answer the base
    /// prompt.
    pub fn answer(&self) -> Answer<'_> {
        let (way, turn) = self.turn.unwrap_or((Way::Base, 0));
        Answer { code: &self.code, way, turn, answered: self.answered.as_deref() }
    }

    /// The model's text with its prompt.
    pub fn sample(&self) -> Sample<'_> {
        Sample { prompt: self.prompt.as_deref(), generation: &self.code, published_text: self.published_text.as_ref() }
    }
}

/// The conditions of a result, as checksums.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MadeIn {
    /// What toolchain, limits and options contribute to cache keys.
    pub key_basis: String,
    /// The checksum that is stored with the result.
    pub fingerprint: String,
}

impl MadeIn {
    /// Conditions whose checksum is also their part of cache keys.
    pub fn from_one(fingerprint: String) -> MadeIn {
        MadeIn { key_basis: fingerprint.clone(), fingerprint }
    }
}

/// What a worker answers to a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    pub item: i64,
    pub attempt: u32,
    pub ended: Ended,
    pub made_in: MadeIn,
}

impl Report {
    /// The attempt that it is about.
    pub fn ticket(&self) -> Ticket {
        Ticket { item: self.item, attempt: self.attempt }
    }
}

/// How a job ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// With an outcome.
    Judged(Box<Outcome>),
    /// The engine failed.
    Failed(Fault),
    /// The worker gives it back unfinished.
    Returned,
}

/// Stores a report, with the key of its job, and the worker on another machine that sent it. If the lease of its attempt was lost meanwhile, or the attempt has been
/// reported before, nothing changes and the result is `false`. An output on which the engine failed is tried once more,
/// alone.
///
/// # Errors
/// Fails if the database cannot be written.
pub fn settle(
    conn: &Connection,
    report: &Report,
    key: &str,
    worker: Option<&str>,
    alone: bool,
) -> Result<bool, Failure> {
    let how = match &report.ended {
        Ended::Judged(outcome) => {
            let basis = Basis { key, fingerprint: &report.made_in.fingerprint, worker };
            Finish::Done(outcome, basis, is_lasting(outcome))
        }
        Ended::Failed(fault) => Finish::Failed { fault: fault.clone(), again: !alone, worker },
        Ended::Returned => Finish::Returned,
    };
    runs::finish(conn, report.ticket(), &how)
}

/// Whether the same outcome can be expected another time. Waiting time is measured by the clock, and the host can be
/// the reason why an output waits.
fn is_lasting(outcome: &Outcome) -> bool {
    outcome.limit != Some(LimitHit::Wait)
}

#[cfg(test)]
mod tests {
    use model::run::Verdict;

    use super::*;

    #[test]
    fn jobs_and_reports_survive_serialization_and_refuse_unknown_fields() {
        for kind in JobKind::all() {
            let job = Job {
                item: 7,
                attempt: 2,
                kind,
                tests: "t".into(),
                signature: Some("int f()".into()),
                prompt: None,
                published_text: Some(PublishedText { prompt: None, generation: "text".into() }),
                code: "code".into(),
                turn: Some((Way::N, 2)),
                answered: Some(vec![1]),
                alone: false,
            };
            let json = serde_json::to_string(&job).unwrap();
            assert_eq!(serde_json::from_str::<Job>(&json).unwrap(), job);
            let extended = json.replacen('{', "{\"path\": \"/etc/passwd\", ", 1);
            assert!(serde_json::from_str::<Job>(&extended).is_err());
        }
        assert!(serde_json::from_str::<JobKind>("\"cobol\"").is_err());
        let made_in = MadeIn { key_basis: "b".into(), fingerprint: "f".into() };
        for ended in
            [Ended::Judged(Box::new(Outcome::new(Verdict::Passed))), Ended::Failed(Fault::NoTests), Ended::Returned]
        {
            let report = Report { item: 7, attempt: 2, ended, made_in: made_in.clone() };
            let json = serde_json::to_string(&report).unwrap();
            assert_eq!(serde_json::from_str::<Report>(&json).unwrap(), report);
        }
    }
}
