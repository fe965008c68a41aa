//! When an attempt at an output ends early.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use super::EngineError;

/// The longest time that an attempt may take on the clock, whatever it waits for: compilers, processes, other workers. Each
/// of these has a limit of its own, which no attempt exceeds by much, so this limit is reached only on a host that is far too
/// busy. It is an engine error, never a verdict: the output is tried once more, alone.
pub const LONGEST_ATTEMPT: Duration = Duration::from_secs(3600);

/// Ends an attempt: the run was stopped, or the attempt took [`LONGEST_ATTEMPT`]. Every loop that waits for a process, a
/// compiler or another worker checks it.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    cancelled: Arc<AtomicBool>,
    /// `None` for work that belongs to no attempt, such as sandbox checks.
    start: Option<Instant>,
}

impl Stop {
    /// Begins an attempt, which ends once `cancelled` is set.
    pub fn begin(cancelled: &Arc<AtomicBool>) -> Stop {
        Stop::since(cancelled, Instant::now())
    }

    /// An attempt that began at this moment.
    pub fn since(cancelled: &Arc<AtomicBool>, start: Instant) -> Stop {
        Stop { cancelled: Arc::clone(cancelled), start: Some(start) }
    }

    /// The flag by which a run is stopped.
    pub fn cancelled(&self) -> &AtomicBool {
        &self.cancelled
    }

    /// Whether the attempt goes on.
    ///
    /// # Errors
    /// [`EngineError::Cancelled`], and [`EngineError::Busy`] if the attempt took too long.
    pub fn check(&self) -> Result<(), EngineError> {
        self.check_after(self.start.map_or(Duration::ZERO, |start| start.elapsed()))
    }

    /// As [`Stop::check`], for an attempt after this time.
    ///
    /// # Errors
    /// As [`Stop::check`].
    pub fn check_after(&self, elapsed: Duration) -> Result<(), EngineError> {
        if self.cancelled.load(Ordering::SeqCst) {
            return Err(EngineError::Cancelled);
        }
        if elapsed >= LONGEST_ATTEMPT {
            let minutes = LONGEST_ATTEMPT.as_secs() / 60;
            return Err(EngineError::Busy(format!("an output had no verdict after {minutes} minutes")));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_ends_when_it_is_cancelled_or_takes_too_long() {
        let cancelled = Arc::default();
        let stop = Stop::begin(&cancelled);
        assert!(stop.check().is_ok() && stop.check_after(LONGEST_ATTEMPT - Duration::from_millis(1)).is_ok());
        assert!(matches!(stop.check_after(LONGEST_ATTEMPT), Err(EngineError::Busy(_))));
        cancelled.store(true, Ordering::SeqCst);
        assert!(matches!(stop.check(), Err(EngineError::Cancelled)));
    }
}
