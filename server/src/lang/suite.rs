//! A dataset version whose tasks bring their tests as programs, ready for running outputs.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

use app::model::{
    code_lang::CodeLang,
    ids::TaskRevisionId,
    reason::FailedCheck,
    run::{Conditions, Environment, Outcome},
};
use sha2::{Digest, Sha256};

use super::{
    Bench, Places, Toolchain,
    grader::{self, Sample},
    humaneval::Task,
    language, leftovers,
    process::Budget,
    trials,
};
use crate::{
    engine::{EngineError, proof::Shown, runner::Allowance},
    sandbox::{OptionalWalls, Sandbox},
};

/// Raised when the same output could come to another outcome than before, so that no cached outcome of an older
/// version is used.
const GENERATION: u32 = 1;

/// How long a program may wait for something, in seconds, as in the published evaluator's script. What waits longer
/// is a time-out and is not cached.
const WAIT_S: u64 = 5;

/// One task's tests.
struct Tests {
    lang: CodeLang,
    task: Task,
    /// SHA-256 of the tests' text.
    digest: String,
}

/// Runs outputs of one dataset version. Shared by all workers.
pub struct Suite {
    sandbox: Arc<dyn Sandbox>,
    toolchains: BTreeMap<CodeLang, Arc<dyn Toolchain>>,
    tests: BTreeMap<TaskRevisionId, Tests>,
    bench: Bench,
}

impl Suite {
    /// Reads tests and finds the toolchains of their languages. `folder` keeps what is prepared for the next time.
    ///
    /// # Errors
    /// A toolchain is missing, tests cannot be read, or our own failure.
    pub fn prepare(
        sandbox: Arc<dyn Sandbox>,
        folder: &Path,
        tests: &[(TaskRevisionId, CodeLang, String)],
        allowance: Allowance,
    ) -> Result<Suite, EngineError> {
        let places = Places::from_environment();
        let (mut toolchains, mut read) = (BTreeMap::new(), BTreeMap::new());
        for (revision, lang, text) in tests {
            let task: Task = serde_json::from_str(text).map_err(|e| EngineError::Tests(e.to_string()))?;
            let digest = hex::encode(Sha256::digest(text));
            read.insert(*revision, Tests { lang: *lang, task, digest });
            if !toolchains.contains_key(lang) {
                let missing = |why: String| EngineError::Sandbox(format!("{}: {why}", lang.name()));
                let found = language(*lang).ok_or_else(|| missing("outputs in it cannot be run".to_owned()))?;
                let toolchain = (found.find)(&places, folder).map_err(|e| missing(e.to_string()))?;
                toolchains.insert(*lang, toolchain);
            }
        }
        let bench = bench(Arc::clone(&sandbox), folder, allowance);
        leftovers::sweep(&bench.folder);
        Ok(Suite { sandbox, toolchains, tests: read, bench })
    }

    /// What is the same for every output, to be recorded with a run, with the checks that failed where the
    /// operator allows that.
    pub fn environment(&self, failed_checks: Vec<FailedCheck>) -> Environment {
        let OptionalWalls { landlock, groups } = self.sandbox.optional_walls();
        let Budget { cpu_s, wait_s, data_mib, threads } = self.bench.budget;
        let conditions = Conditions {
            cpu_s,
            wall_s: wait_s,
            heap_mib: data_mib,
            threads,
            fast: false,
            dates: None,
            landlock,
            groups,
            failed_checks,
            fallen: None,
        };
        Environment {
            java: self.versions(),
            time_zone: "UTC".to_owned(),
            locale: "C".to_owned(),
            encoding: "UTF-8".to_owned(),
            conditions: Some(conditions),
            limits: None,
            fingerprint: self.fingerprint(),
        }
    }

    /// The versions of the toolchains.
    pub fn versions(&self) -> String {
        let versions: Vec<&str> = self.toolchains.values().map(|toolchain| toolchain.version()).collect();
        versions.join("; ")
    }

    /// Stands for everything that decides besides the output and its task.
    pub fn fingerprint(&self) -> String {
        hex::encode(Sha256::digest(format!("{GENERATION} {} {:?}", self.versions(), self.bench.budget)))
    }

    /// Stands for everything that decides an output's outcome: text, task, tests, toolchain and limits.
    pub fn key(&self, revision: TaskRevisionId, sample: Sample<'_>) -> String {
        let tests = self.tests.get(&revision);
        let (version, digest) = tests.map_or(("", ""), |tests| {
            (self.toolchains.get(&tests.lang).map_or("", |toolchain| toolchain.version()), tests.digest.as_str())
        });
        let (budget, Sample { prompt, generation }) = (self.bench.budget, sample);
        hex::encode(Sha256::digest(format!("{GENERATION}\0{version}\0{budget:?}\0{digest}\0{prompt:?}\0{generation}")))
    }

    /// How many outputs to work on at once with so many processors.
    pub fn workers(&self, processors: usize) -> usize {
        self.toolchains.values().map(|toolchain| toolchain.workers(processors)).max().unwrap_or(processors)
    }

    /// Runs one output. `cancelled` is set from outside to end what is under way.
    ///
    /// # Errors
    /// Our own failure, or a cancelled run.
    pub fn grade(
        &self,
        revision: TaskRevisionId,
        sample: Sample<'_>,
        cancelled: &Arc<AtomicBool>,
    ) -> Result<Outcome, EngineError> {
        let missing = || EngineError::Tests("the task has no tests".to_owned());
        let Tests { lang, task, .. } = self.tests.get(&revision).ok_or_else(missing)?;
        let toolchain = self.toolchains.get(lang).ok_or_else(missing)?;
        let bench = Bench { cancelled: Arc::clone(cancelled), ..self.bench.clone() };
        grader::grade(&**toolchain, &bench, *lang, task, sample)
    }

    /// Runs the sandbox checks of every language that the dataset has.
    ///
    /// # Errors
    /// Our own failure.
    pub fn trials(&self) -> Result<Vec<Shown>, EngineError> {
        let mut shown = Vec::new();
        for (lang, toolchain) in &self.toolchains {
            shown.extend(trials::run(*lang, &**toolchain, &self.bench)?);
        }
        Ok(shown)
    }
}

/// What programs run with under these limits.
pub fn bench(sandbox: Arc<dyn Sandbox>, folder: &Path, allowance: Allowance) -> Bench {
    let Allowance { cpu_s, wall_s, heap_mib, threads, .. } = allowance;
    let budget = Budget { cpu_s, wait_s: wall_s.min(WAIT_S), data_mib: heap_mib, threads };
    Bench { sandbox, folder: folder.join("runs"), cancelled: Arc::default(), budget }
}
