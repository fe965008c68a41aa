//! The fast mode: one sandboxed JVM that takes one output after another, each in a class loader of its
//! own with its own copy of the tests.
//!
//! What must stay true: fast and strict come to the same verdict. So only an output that is [`tame`]
//! gets in, and only a clean pass comes out: every case passed, no default changed, no thread left,
//! soon enough. Everything else (a failed case, too) is decided by a fresh JVM as ever, and after
//! anything that was not a clean end the shared one is given up. Nothing that a neighbour did can cost
//! an output its pass.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use app::model::run::{Outcome, Verdict};
use rand::Rng;

use super::{
    EngineError,
    compiler::greet,
    runner::{self, Allowance, Job},
    suite::Suite,
    tame,
    toolchain::Toolchain,
    wire::Reader,
};
use crate::sandbox::{Child, Sandbox};

/// How long one output may take here. Ordinary ones take milliseconds; one that needs more is run alone, which
/// decides. On a busy host more outputs are run alone, and none comes to another verdict.
const PATIENCE: Duration = Duration::from_secs(2);

/// A fresh JVM after so many: loaded classes pile up.
const MOST: u32 = 100;

/// A JVM that several outputs share, one at a time.
pub struct Batch {
    child: Child,
    taken: u32,
}

impl Batch {
    /// Starts one.
    ///
    /// # Errors
    /// Our own failure.
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

    /// Runs one output; its outcome if it is a clean pass. `None` says nothing about the output but
    /// that it has to be run alone; the second value is whether this JVM can go on.
    pub fn pass(&mut self, suite: &Suite, job: Job<'_>, allowance: Allowance) -> (Option<Outcome>, bool) {
        self.taken += 1;
        let before = self.child.cpu().unwrap_or_default();
        let nonce = hex::encode(rand::rng().random::<[u8; 16]>());
        let begun = Instant::now();
        if self.child.send(&suite.job(&nonce, job, true)).is_err() {
            return (None, false);
        }
        let Some(mut outcome) = Reader::receive(&mut self.child, begun + PATIENCE)
            .ok()
            .and_then(|mut answer| runner::result(&mut answer, &nonce))
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

/// Whether an output may be tried here at all.
pub fn may_share(suite: &Suite, job: Job<'_>) -> bool {
    let known = [&suite.library, job.classes, &job.tests.classes];
    tame::are_tame(job.classes, &known) && tame::are_tame(&job.tests.classes, &known)
}
