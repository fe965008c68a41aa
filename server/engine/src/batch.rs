//! The fast mode: one sandboxed JVM that runs several outputs one after another, each in its own class
//! loader with its own copy of the tests.
//!
//! Invariant: fast and strict runs give the same verdicts. Only outputs that [`shareable`] accepts qualify, and only a clean
//! pass counts: every case passed, no default changed, no thread left, within the time limit. Everything else,
//! including a failed case, is decided by a fresh JVM. After anything but passed or failed cases, the shared JVM is
//! discarded. An output can therefore not cost another one its pass.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use model::run::{Outcome, Verdict};

use super::{
    EngineError,
    compiler::greet,
    runner::{self, Allowance, Job},
    shareable,
    suite::Suite,
    toolchain::Toolchain,
};
use sandbox::{Child, Sandbox};

/// Time limit of one output in a shared JVM. Most outputs take milliseconds; one that needs more runs alone, which
/// decides. On a busy host more outputs run alone, and no verdict changes.
const PATIENCE: Duration = Duration::from_secs(2);

/// Maximum number of outputs per JVM, because loaded classes accumulate.
const MOST: u32 = 100;

/// A JVM that several outputs share, one at a time.
pub struct Batch {
    child: Child,
    taken: u32,
}

impl Batch {
    /// Starts a JVM.
    ///
    /// # Errors
    ///
    /// Engine errors only.
    pub fn start(
        sandbox: &Arc<dyn Sandbox>,
        toolchain: &Toolchain,
        suite: &Suite,
        allowance: Allowance,
    ) -> Result<Batch, EngineError> {
        let mut child = runner::launch(sandbox, toolchain, suite, allowance, u64::from(MOST))?;
        greet(&mut child)?;
        Ok(Batch { child, taken: 0 })
    }

    /// Runs one output and returns its outcome if it is a clean pass. `None` only means that the output must run alone.
    /// The second value says whether this JVM can continue.
    pub fn pass(&mut self, suite: &Suite, job: Job<'_>, allowance: Allowance) -> (Option<Outcome>, bool) {
        self.taken += 1;
        let before = self.child.cpu().unwrap_or_default();
        let nonce = runner::nonce();
        let begun = Instant::now();
        if self.child.send(&suite.job(job, true)).is_err() {
            return (None, false);
        }
        let Some(mut outcome) = runner::exchange(&mut self.child, &nonce, begun + PATIENCE, runner::LONGEST_RESULT)
            .ok()
            .and_then(|mut answer| runner::result(&mut answer, &nonce))
            .map(|(outcome, _)| outcome)
        else {
            return (None, false);
        };
        let cpu = self.child.cpu().map_or(Duration::ZERO, |now| now.saturating_sub(before));
        let ended = matches!(outcome.verdict, Verdict::Passed | Verdict::Failed)
            && outcome.flags.is_empty()
            && cpu < Duration::from_secs(allowance.cpu_s);
        outcome.wall_ms = u32::try_from(begun.elapsed().as_millis()).unwrap_or(u32::MAX);
        let passed = ended && outcome.verdict == Verdict::Passed;
        (passed.then_some(outcome), ended && self.taken < MOST)
    }
}

/// Whether an output may run in a shared JVM.
pub fn may_share(suite: &Suite, job: Job<'_>) -> bool {
    let known = [&suite.harmless, job.classes, &job.tests.classes];
    let of_tests = [&suite.library, job.classes, &job.tests.classes];
    shareable::are_shareable(job.classes, &known) && shareable::are_shareable(&job.tests.classes, &of_tests)
}
