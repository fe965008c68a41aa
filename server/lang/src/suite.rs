//! A dataset version whose tests are programs, ready to run outputs.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

use model::{
    code_lang::CodeLang,
    reason::FailedCheck,
    run::{Conditions, Environment, Outcome},
};
use sha2::{Digest, Sha256};

use super::{
    Places, RunContext, Toolchain,
    grader::{self, Sample},
    language, leftovers,
    process::Budget,
    trials,
};
use benchmarks::humaneval::Task;
use engine::{EngineError, runner::Allowance, self_test::CheckResult, stop::Stop};
use sandbox::{OptionalLayers, Sandbox};

/// Increase when the same output can get another outcome, so that outcomes cached by an older version are not reused.
const GENERATION: u32 = 2;

/// Maximum waiting time of a program in seconds, as in the published evaluator's script. A program that waits longer is
/// a timeout, and its outcome is not cached.
const WAIT_S: u64 = 5;

/// The tests of one task.
struct Tests {
    lang: CodeLang,
    task: Task,
}

/// Runs outputs of one dataset version. Shared by all workers.
pub struct Suite {
    sandbox: Arc<dyn Sandbox>,
    toolchains: BTreeMap<CodeLang, Arc<dyn Toolchain>>,
    /// By the SHA-256 of their text: see [`digest`].
    tests: BTreeMap<String, Tests>,
    context: RunContext,
}

impl Suite {
    /// Reads tests and finds the toolchains of their languages. `folder` stores what is built for later runs.
    ///
    /// # Errors
    /// Fails if a toolchain is missing or tests cannot be read; other engine errors.
    pub fn prepare<'a>(
        sandbox: Arc<dyn Sandbox>,
        folder: &Path,
        tests: impl Iterator<Item = (CodeLang, &'a str)>,
        allowance: Allowance,
    ) -> Result<Suite, EngineError> {
        let places = Places::of_images(folder);
        let (mut toolchains, mut read) = (BTreeMap::new(), BTreeMap::new());
        for (lang, text) in tests {
            let task: Task = serde_json::from_str(text).map_err(|e| EngineError::Tests(e.to_string()))?;
            read.insert(digest(text), Tests { lang, task });
            if let Entry::Vacant(toolchain) = toolchains.entry(lang) {
                let missing = |why: String| EngineError::Toolchain(format!("{}: {why}", lang.name()));
                let found =
                    language(lang).ok_or_else(|| missing("outputs in this language cannot be run".to_owned()))?;
                toolchain.insert((found.find)(&places, folder).map_err(|e| missing(e.to_string()))?);
            }
        }
        let context = context(Arc::clone(&sandbox), folder, allowance);
        leftovers::sweep(&context.folder);
        Ok(Suite { sandbox, toolchains, tests: read, context })
    }

    /// The conditions that all outputs share, to be recorded with a run. `failed_checks` are the sandbox checks that
    /// failed and that the operator allows to fail.
    pub fn environment(&self, failed_checks: Vec<FailedCheck>) -> Environment {
        let parts = self.toolchains.keys().map(|lang| self.fingerprint_of(*lang)).collect();
        let (versions, fingerprint) = (self.versions(), self.fingerprint());
        let layers = self.sandbox.optional_layers();
        Environment { parts, ..environment(layers, self.context.budget, versions, fingerprint, failed_checks) }
    }

    /// The versions of the toolchains.
    pub fn versions(&self) -> String {
        let versions: Vec<&str> = self.toolchains.values().map(|toolchain| toolchain.version()).collect();
        versions.join("; ")
    }

    /// A hash of everything besides outputs and their tasks that can affect an outcome, in all languages.
    pub fn fingerprint(&self) -> String {
        fingerprint(&self.versions(), self.context.budget)
    }

    /// The same for one language, whichever others the dataset has.
    pub fn fingerprint_of(&self, lang: CodeLang) -> String {
        digest(&self.key_basis(lang))
    }

    /// The part of [`key`] that toolchain and limits decide.
    pub fn key_basis(&self, lang: CodeLang) -> String {
        let version = self.toolchains.get(&lang).map_or("", |toolchain| toolchain.version());
        key_basis(version, self.context.budget)
    }

    /// Number of outputs to work on at once with this number of processors: the most that one of the languages asks
    /// for.
    pub fn workers(&self, processors: usize) -> usize {
        self.toolchains.values().map(|toolchain| toolchain.workers(processors)).max().unwrap_or(processors)
    }

    /// Runs one output with the tests of this [`digest`]. The caller sets `cancelled` to stop the run.
    ///
    /// # Errors
    /// Engine errors, and [`EngineError::Cancelled`].
    pub fn grade(&self, tests: &str, sample: Sample<'_>, cancelled: &Arc<AtomicBool>) -> Result<Outcome, EngineError> {
        let missing = || EngineError::Tests("the task has no tests".to_owned());
        let Tests { lang, task } = self.tests.get(tests).ok_or_else(missing)?;
        let toolchain = self.toolchains.get(lang).ok_or_else(missing)?;
        let context = self.context.attempt(cancelled);
        grader::grade(&**toolchain, &context, *lang, task, sample)
    }

    /// Runs the sandbox checks of every language in the dataset.
    ///
    /// # Errors
    /// Engine errors only.
    pub fn trials(&self) -> Result<Vec<CheckResult>, EngineError> {
        let mut shown = Vec::new();
        for (lang, toolchain) in &self.toolchains {
            shown.extend(trials::run(*lang, &**toolchain, &self.context)?);
        }
        Ok(shown)
    }
}

/// The SHA-256 of a text. That of a task's tests is their name.
pub fn digest(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}

/// The cache key of an output: a hash of text, task, tests, toolchain and limits. `basis` is [`Suite::key_basis`], and
/// `digest` names the tests.
pub fn key(basis: &str, digest: &str, Sample { prompt, generation, published_text }: Sample<'_>) -> String {
    let lengths = (prompt.map(str::len), generation.len());
    hex::encode(Sha256::digest(format!("{basis}\0{digest}\0{lengths:?}{prompt:?}\0{generation}\0{published_text:?}")))
}

/// [`Suite::fingerprint`] of toolchains of these versions.
pub fn fingerprint(versions: &str, budget: Budget) -> String {
    digest(&format!("{GENERATION} {versions} {budget:?}"))
}

/// [`Suite::key_basis`] of a toolchain of this version. Its [`digest`] is [`Suite::fingerprint_of`].
pub fn key_basis(version: &str, budget: Budget) -> String {
    format!("{GENERATION}\0{version}\0{budget:?}")
}

/// The conditions of outputs that run as programs under these limits.
pub fn environment(
    layers: OptionalLayers,
    budget: Budget,
    versions: String,
    fingerprint: String,
    failed_checks: Vec<FailedCheck>,
) -> Environment {
    let OptionalLayers { landlock, groups } = layers;
    let Budget { cpu_s, wait_s, data_mib, threads } = budget;
    let conditions = Conditions {
        cpu_s,
        wait_s,
        heap_mib: data_mib,
        threads,
        fast: false,
        dates: None,
        landlock,
        groups,
        failed_checks,
    };
    Environment {
        java: versions,
        time_zone: "UTC".to_owned(),
        locale: "C".to_owned(),
        encoding: "UTF-8".to_owned(),
        conditions,
        fingerprint,
        parts: Vec::new(),
    }
}

/// The limits of a program.
pub fn budget(allowance: Allowance) -> Budget {
    let Allowance { cpu_s, wait_s, heap_mib, threads, .. } = allowance;
    Budget { cpu_s, wait_s: wait_s.min(WAIT_S), data_mib: heap_mib, threads }
}

/// The settings for programs that run under these limits.
pub fn context(sandbox: Arc<dyn Sandbox>, folder: &Path, allowance: Allowance) -> RunContext {
    let budget = budget(allowance);
    let folder = folder.join("runs");
    RunContext { sandbox, folder, stop: Stop::default(), budget, own_answers: Arc::default() }
}
