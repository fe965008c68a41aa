//! Limits the work that one text may cause. Steps are counted, not timed, so that the same text has the same
//! result on every machine. During the parser's error recovery a single step can take milliseconds; CPU time
//! is limited for that, as it is for running an output.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

/// Steps for one text. The longest accepted text ([`super::LONGEST`]) has at most 1.5 million tokens and
/// nodes, which are visited at most six times; parsing has a lower limit of its own.
const MOST_STEPS: u64 = 16_000_000;

/// CPU time of parsing one text. The longest honest text takes half a second.
const MOST_CPU: Duration = Duration::from_secs(5);

/// Cancellation is checked after this many steps: whenever the parser reports progress.
const LOOK_EVERY: u64 = 100;

/// Why a text could not be assembled into a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It has more than [`super::LONGEST`] bytes.
    TooLong,
    /// It contains no code.
    NoCode,
    /// Brackets nest deeper, or more of them stay open, than in any real program.
    TooDeep,
    /// Parsing it takes too much CPU time.
    TooMuchCpu,
    /// Parsing it takes too much memory.
    TooMuchMemory,
    /// Its step budget is used up.
    TooManySteps,
    /// The run was cancelled. This says nothing about the text.
    Cancelled,
}

/// The steps left for one text.
#[derive(Debug)]
pub struct Budget<'a> {
    spent: u64,
    most: u64,
    cpu: Duration,
    cancelled: Option<&'a AtomicBool>,
}

impl Default for Budget<'_> {
    fn default() -> Self {
        Budget { spent: 0, most: MOST_STEPS, cpu: MOST_CPU, cancelled: None }
    }
}

impl<'a> Budget<'a> {
    /// A budget that also ends once `cancelled` is set.
    pub fn until(cancelled: &'a AtomicBool) -> Budget<'a> {
        Budget { cancelled: Some(cancelled), ..Budget::default() }
    }

    /// A budget of this many steps.
    #[cfg(test)]
    pub fn of(most: u64) -> Budget<'a> {
        Budget { most, ..Budget::default() }
    }

    /// A budget without CPU time.
    #[cfg(test)]
    pub fn without_cpu() -> Budget<'a> {
        Budget { cpu: Duration::ZERO, ..Budget::default() }
    }

    /// CPU time that parsing may take.
    pub fn cpu(&self) -> Duration {
        self.cpu
    }

    /// Counts steps.
    ///
    /// # Errors
    ///
    /// [`Refusal::TooManySteps`] once the budget is used up, [`Refusal::Cancelled`].
    pub fn spend(&mut self, steps: u64) -> Result<(), Refusal> {
        let looked = self.spent / LOOK_EVERY;
        self.spent = self.spent.saturating_add(steps);
        if self.spent > self.most {
            return Err(Refusal::TooManySteps);
        }
        let must_look = self.spent / LOOK_EVERY != looked;
        if must_look && self.cancelled.is_some_and(|cancelled| cancelled.load(Ordering::Relaxed)) {
            return Err(Refusal::Cancelled);
        }
        Ok(())
    }

    /// Steps so far.
    pub fn spent(&self) -> u64 {
        self.spent
    }
}
