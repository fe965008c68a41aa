//! Samples that are built together, and programs that run: as many of both at once as there are processors.
//!
//! Linking takes longer than compiling a small program, and one link can hold many of them. Workers therefore leave what
//! is to be built here. One of them builds what waits by then, as soon as a processor is free and no program waits to
//! run; so there is always either enough to build or something to run, without a clock.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use crate::engine::EngineError;

/// The most samples of one link.
pub const LARGEST: usize = 40;

/// Builds samples in batches, and bounds how much happens at once.
pub struct Batches<S, B> {
    state: Mutex<State<S, B>>,
    /// Where programs wait for a processor.
    runs: Condvar,
}

struct State<S, B> {
    /// Processors that nothing here uses.
    free: usize,
    runs_waiting: usize,
    next: u64,
    waiting: VecDeque<Waiting<S>>,
    /// What became of a sample: built, not built in a batch, or a cancelled run.
    answers: HashMap<u64, Answer<B>>,
}

struct Waiting<S> {
    number: u64,
    sample: S,
    bell: Arc<Condvar>,
}

enum Answer<B> {
    Built(B),
    Alone,
    Cancelled,
}

/// A processor in use, until it is dropped.
pub struct Slot<S, B>(Arc<Batches<S, B>>);

impl<S, B> Batches<S, B> {
    /// With so many processors.
    pub fn new(processors: usize) -> Arc<Batches<S, B>> {
        let (waiting, answers) = (VecDeque::new(), HashMap::new());
        let state = State { free: processors.max(1), runs_waiting: 0, next: 0, waiting, answers };
        Arc::new(Batches { state: Mutex::new(state), runs: Condvar::new() })
    }

    fn lock(&self) -> MutexGuard<'_, State<S, B>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a processor; before samples that wait to be built.
    pub fn slot(self: &Arc<Self>) -> Slot<S, B> {
        let mut state = self.lock();
        state.runs_waiting += 1;
        while state.free == 0 {
            state = self.runs.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.runs_waiting -= 1;
        state.free -= 1;
        Slot(Arc::clone(self))
    }

    /// Builds a sample together with others. Nothing if it must be built alone, because `build` says so or failed.
    ///
    /// # Errors
    /// A cancelled run.
    pub fn build(
        &self,
        sample: S,
        build: impl Fn(&[S]) -> Result<Vec<Option<B>>, EngineError>,
    ) -> Result<Option<B>, EngineError> {
        let bell = Arc::new(Condvar::new());
        let mut state = self.lock();
        let number = state.next;
        state.next += 1;
        state.waiting.push_back(Waiting { number, sample, bell: Arc::clone(&bell) });
        loop {
            if let Some(answer) = state.answers.remove(&number) {
                return match answer {
                    Answer::Built(built) => Ok(Some(built)),
                    Answer::Alone => Ok(None),
                    Answer::Cancelled => Err(EngineError::Cancelled),
                };
            }
            let is_waiting = state.waiting.iter().any(|waiting| waiting.number == number);
            if !is_waiting || state.free == 0 || state.runs_waiting > 0 {
                state = bell.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            state.free -= 1;
            let count = state.waiting.len().min(LARGEST);
            let (mut samples, mut batch) = (Vec::new(), Vec::new());
            for Waiting { number, sample, bell } in state.waiting.drain(..count) {
                samples.push(sample);
                batch.push((number, bell));
            }
            drop(state);
            let mut led = Led { batches: self, batch, answers: Vec::new() };
            led.answers = match build(&samples) {
                Ok(built) => built.into_iter().map(|built| built.map_or(Answer::Alone, Answer::Built)).collect(),
                Err(EngineError::Cancelled) => samples.iter().map(|_| Answer::Cancelled).collect(),
                // Each fails alone, or does not.
                Err(_) => Vec::new(),
            };
            drop(led);
            state = self.lock();
        }
    }

    /// A processor is free: a program has it, or else somebody who builds.
    fn freed(&self, state: &mut State<S, B>) {
        state.free += 1;
        if state.runs_waiting > 0 {
            self.runs.notify_one();
        } else if let Some(first) = state.waiting.front() {
            first.bell.notify_one();
        }
    }
}

impl<S, B> Drop for Slot<S, B> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        self.0.freed(&mut state);
    }
}

/// A batch being built. Whoever has no answer in the end is built alone.
struct Led<'a, S, B> {
    batches: &'a Batches<S, B>,
    batch: Vec<(u64, Arc<Condvar>)>,
    answers: Vec<Answer<B>>,
}

impl<S, B> Drop for Led<'_, S, B> {
    fn drop(&mut self) {
        let mut state = self.batches.lock();
        let mut answers = std::mem::take(&mut self.answers).into_iter();
        for (number, bell) in self.batch.drain(..) {
            state.answers.insert(number, answers.next().unwrap_or(Answer::Alone));
            bell.notify_one();
        }
        self.batches.freed(&mut state);
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicUsize, Ordering},
        thread,
    };

    use super::*;

    /// Each of many workers gets what became of its own sample, however the samples were put together.
    #[test]
    fn every_sample_gets_its_own_answer() {
        let batches = Batches::<usize, usize>::new(2);
        let (building, largest, together) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for sample in 0..100 {
                let (batches, building, largest, together) = (&batches, &building, &largest, &together);
                scope.spawn(move || {
                    let built = batches.build(sample, |samples| {
                        let now = building.fetch_add(1, Ordering::SeqCst) + 1;
                        largest.fetch_max(now, Ordering::SeqCst);
                        together.fetch_max(samples.len(), Ordering::SeqCst);
                        thread::yield_now();
                        building.fetch_sub(1, Ordering::SeqCst);
                        Ok(samples.iter().map(|sample| (sample % 3 > 0).then_some(sample * 2)).collect())
                    });
                    assert_eq!(built.unwrap(), (sample % 3 > 0).then_some(sample * 2));
                    drop(batches.slot());
                });
            }
        });
        assert!(largest.load(Ordering::SeqCst) <= 2);
        assert!(together.load(Ordering::SeqCst) <= LARGEST);
        let state = batches.lock();
        assert_eq!((state.free, state.runs_waiting, state.waiting.len(), state.answers.len()), (2, 0, 0, 0));
    }

    #[test]
    fn what_waits_while_the_processors_are_busy_is_built_together() {
        let batches = Batches::<usize, usize>::new(1);
        let sizes = Mutex::new(Vec::new());
        let place = batches.slot();
        thread::scope(|scope| {
            for sample in 0..LARGEST + 5 {
                let (batches, sizes) = (&batches, &sizes);
                scope.spawn(move || {
                    let built = batches.build(sample, |samples| {
                        sizes.lock().unwrap().push(samples.len());
                        Ok(samples.iter().map(|&sample| Some(sample)).collect())
                    });
                    assert_eq!(built.unwrap(), Some(sample));
                });
            }
            while batches.lock().waiting.len() < LARGEST + 5 {
                thread::yield_now();
            }
            drop(place);
        });
        assert_eq!(sizes.into_inner().unwrap(), [LARGEST, 5]);
    }

    #[test]
    fn a_failed_build_leaves_its_samples_to_be_built_alone() {
        let batches = Batches::<(), ()>::new(1);
        assert!(matches!(batches.build((), |_| Err(EngineError::Busy(String::new()))), Ok(None)));
        assert!(matches!(batches.build((), |_| Ok(Vec::new())), Ok(None)));
        assert!(matches!(batches.build((), |_| Err(EngineError::Cancelled)), Err(EngineError::Cancelled)));
        let panicked =
            thread::scope(|scope| scope.spawn(|| batches.build((), |_| panic!("as tests do"))).join().is_err());
        assert!(panicked);
        assert!(matches!(batches.build((), |_| Ok(vec![Some(())])), Ok(Some(()))), "the processor is free again");
    }
}
