//! What the lanes of a run know about each other: which steps have ended, and whether another may begin.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::Done;

pub struct Board {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    done: Vec<Option<Done>>,
    /// No further step begins.
    ended: bool,
}

impl Board {
    /// For this many steps.
    pub fn new(steps: usize) -> Board {
        let done = (0..steps).map(|_| None).collect();
        Board { state: Mutex::new(State { done, ended: false }), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is complete before the lock is released, whatever panics meanwhile.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until these steps have ended; returns whether another may begin.
    pub fn wait_for(&self, steps: &[usize]) -> bool {
        let waits = |state: &mut State| !state.ended && steps.iter().any(|step| state.done[*step].is_none());
        let state = self.changed.wait_while(self.state(), waits).unwrap_or_else(PoisonError::into_inner);
        !state.ended
    }

    /// A step has ended, and with it the run if `last`.
    pub fn done(&self, step: usize, done: Done, last: bool) {
        let mut state = self.state();
        state.done[step] = Some(done);
        state.ended |= last;
        self.changed.notify_all();
    }

    /// The steps that have ended.
    pub fn all(self) -> Vec<Option<Done>> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).done
    }
}

#[cfg(test)]
mod tests {
    use std::{thread, time::Duration};

    use super::{super::Counts, *};

    fn passed() -> Done {
        Done { counts: Counts::one(true), passed: true, time: Duration::ZERO }
    }

    #[test]
    fn a_step_begins_when_those_before_it_have_ended() {
        let board = Board::new(2);
        assert!(board.wait_for(&[]));
        thread::scope(|scope| {
            let waiting = scope.spawn(|| board.wait_for(&[0, 1]));
            board.done(1, passed(), false);
            board.done(0, passed(), false);
            assert!(waiting.join().unwrap());
        });
        assert!(board.all().iter().all(Option::is_some));
    }

    #[test]
    fn nobody_waits_for_a_step_that_will_not_begin() {
        let board = Board::new(2);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| board.wait_for(&[0]));
            board.done(1, passed(), true);
            assert!(!waiting.join().unwrap());
        });
        assert!(!board.wait_for(&[]));
    }
}
