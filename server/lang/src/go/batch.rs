//! A queue of samples that are built in batches, and a limit on how many builds and programs run at once: one for each
//! processor.
//!
//! Linking takes longer than compiling a small program, and one link can combine many samples. Workers therefore add
//! their samples to a queue. When a processor is free and no program waits to run, one of the waiting workers builds
//! the samples that are in the queue, up to [`MAX_SAMPLES`] and one for each task. No timer is needed: while the
//! processors are busy, the queue grows; when they are idle, a sample is built at once.
//!
//! Two samples of one task are never in the same batch: the programs of a batch contain all its samples, and only a
//! neighbor that solves the same task would have answers worth stealing.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use engine::{EngineError, stop::Stop};

/// How often a waiting worker checks whether its attempt ends early.
const LOOK: Duration = Duration::from_secs(1);

/// Maximum number of samples in a batch.
pub const MAX_SAMPLES: usize = 40;

/// Builds samples in batches and limits how many builds and programs run at once.
pub struct Batches<S, B> {
    state: Mutex<State<S, B>>,
    /// Signalled when a processor is free for a program.
    slot_free: Condvar,
}

struct State<S, B> {
    /// Number of free processors.
    free: usize,
    /// Number of programs that wait for a processor.
    programs_waiting: usize,
    /// The number of the next sample.
    next: u64,
    /// Samples that are in no batch yet.
    waiting: VecDeque<Waiting<S>>,
    /// Results that their workers have not taken yet, by the number of the sample.
    results: HashMap<u64, BuildResult<B>>,
}

/// A sample in the queue.
struct Waiting<S> {
    number: u64,
    /// The task that it solves, by any name.
    task: String,
    sample: S,
    /// Signals the sample's worker: the sample has a result, or the worker can build a batch.
    wake: Arc<Condvar>,
}

/// Takes the samples of the next batch from the queue: the first of each task, up to [`MAX_SAMPLES`].
fn take_batch<S>(waiting: &mut VecDeque<Waiting<S>>) -> Vec<Waiting<S>> {
    let mut tasks = HashSet::new();
    let (batch, left): (Vec<_>, Vec<_>) = std::mem::take(waiting)
        .into_iter()
        .partition(|one| tasks.len() < MAX_SAMPLES && tasks.insert(one.task.clone()));
    *waiting = left.into();
    batch
}

/// The result of building a sample.
enum BuildResult<B> {
    Built(B),
    /// The sample must be built alone.
    Alone,
    Cancelled,
}

/// A reserved processor. It is free again when this value is dropped.
pub struct Slot<S, B>(Arc<Batches<S, B>>);

impl<S, B> Batches<S, B> {
    /// An empty queue and this number of free processors.
    pub fn new(processors: usize) -> Arc<Batches<S, B>> {
        let (waiting, results) = (VecDeque::new(), HashMap::new());
        let state = State { free: processors.max(1), programs_waiting: 0, next: 0, waiting, results };
        Arc::new(Batches { state: Mutex::new(state), slot_free: Condvar::new() })
    }

    fn lock(&self) -> MutexGuard<'_, State<S, B>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reserves a processor for a program. Programs have priority over batches.
    ///
    /// # Errors
    /// The attempt ends.
    pub fn slot(self: &Arc<Self>, stop: &Stop) -> Result<Slot<S, B>, EngineError> {
        let mut state = self.lock();
        state.programs_waiting += 1;
        let mut checked = Ok(());
        while state.free == 0 && checked.is_ok() {
            let waited = self.slot_free.wait_timeout(state, LOOK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            checked = stop.check();
        }
        state.programs_waiting -= 1;
        if state.free == 0 {
            checked?;
        }
        state.free -= 1;
        Ok(Slot(Arc::clone(self)))
    }

    /// Builds a sample of a task in a batch. `build` receives the samples of a batch and returns a result for each; any
    /// worker that waits may call it. `None` if the sample must be built alone: `build` returned `None` for it, or failed.
    ///
    /// # Errors
    /// The attempt ends, or the one whose worker builds the batch was cancelled.
    pub fn build(
        &self,
        stop: &Stop,
        task: String,
        sample: S,
        build: impl Fn(&[S]) -> Result<Vec<Option<B>>, EngineError>,
    ) -> Result<Option<B>, EngineError> {
        let wake = Arc::new(Condvar::new());
        let mut state = self.lock();
        let number = state.next;
        state.next += 1;
        state.waiting.push_back(Waiting { number, task, sample, wake: Arc::clone(&wake) });
        loop {
            if let Some(result) = state.results.remove(&number) {
                return match result {
                    BuildResult::Built(built) => Ok(Some(built)),
                    BuildResult::Alone => Ok(None),
                    BuildResult::Cancelled => Err(EngineError::Cancelled),
                };
            }
            let is_waiting = state.waiting.iter().any(|waiting| waiting.number == number);
            if !is_waiting || state.free == 0 || state.programs_waiting > 0 {
                state = wake.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner).0;
                // A sample that is in a batch gets a result: the attempt of the worker that builds it has a limit, too.
                if let Some(at) = state.waiting.iter().position(|waiting| waiting.number == number)
                    && let Err(why) = stop.check()
                {
                    state.waiting.remove(at);
                    return Err(why);
                }
                continue;
            }
            state.free -= 1;
            let (mut samples, mut batch) = (Vec::new(), Vec::new());
            for Waiting { number, sample, wake, .. } in take_batch(&mut state.waiting) {
                samples.push(sample);
                batch.push((number, wake));
            }
            drop(state);
            let mut running = RunningBatch { batches: self, batch, results: Vec::new() };
            running.results = match build(&samples) {
                Ok(built) => {
                    built.into_iter().map(|built| built.map_or(BuildResult::Alone, BuildResult::Built)).collect()
                }
                Err(EngineError::Cancelled) => samples.iter().map(|_| BuildResult::Cancelled).collect(),
                // Every sample is then built alone. That build reports the error if it occurs again.
                Err(_) => Vec::new(),
            };
            drop(running);
            state = self.lock();
        }
    }

    /// Releases a processor, and wakes a program that waits for one or, if there is none, the worker of the first
    /// sample in the queue.
    fn release(&self, state: &mut State<S, B>) {
        state.free += 1;
        if state.programs_waiting > 0 {
            self.slot_free.notify_one();
        } else if let Some(first) = state.waiting.front() {
            first.wake.notify_one();
        }
    }
}

impl<S, B> Drop for Slot<S, B> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        self.0.release(&mut state);
    }
}

/// A batch that is being built. When this value is dropped, also by a panic, the workers receive the results. A sample
/// without a result must be built alone.
struct RunningBatch<'a, S, B> {
    batches: &'a Batches<S, B>,
    batch: Vec<(u64, Arc<Condvar>)>,
    results: Vec<BuildResult<B>>,
}

impl<S, B> Drop for RunningBatch<'_, S, B> {
    fn drop(&mut self) {
        let mut state = self.batches.lock();
        let mut results = std::mem::take(&mut self.results).into_iter();
        for (number, wake) in self.batch.drain(..) {
            state.results.insert(number, results.next().unwrap_or(BuildResult::Alone));
            wake.notify_one();
        }
        self.batches.release(&mut state);
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicUsize, Ordering},
        thread,
    };

    use super::*;

    /// Each worker receives the result of its own sample, whatever the batches are.
    #[test]
    fn every_worker_receives_the_result_of_its_own_sample() {
        let batches = Batches::<usize, usize>::new(2);
        let (building, largest, together) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for sample in 0..100 {
                let (batches, building, largest, together) = (&batches, &building, &largest, &together);
                scope.spawn(move || {
                    let built = batches.build(&Stop::default(), sample.to_string(), sample, |samples| {
                        let now = building.fetch_add(1, Ordering::SeqCst) + 1;
                        largest.fetch_max(now, Ordering::SeqCst);
                        together.fetch_max(samples.len(), Ordering::SeqCst);
                        thread::yield_now();
                        building.fetch_sub(1, Ordering::SeqCst);
                        Ok(samples.iter().map(|sample| (sample % 3 > 0).then_some(sample * 2)).collect())
                    });
                    assert_eq!(built.unwrap(), (sample % 3 > 0).then_some(sample * 2));
                    drop(batches.slot(&Stop::default()).unwrap());
                });
            }
        });
        assert!(largest.load(Ordering::SeqCst) <= 2);
        assert!(together.load(Ordering::SeqCst) <= MAX_SAMPLES);
        let state = batches.lock();
        assert_eq!((state.free, state.programs_waiting, state.waiting.len(), state.results.len()), (2, 0, 0, 0));
    }

    #[test]
    fn samples_that_arrive_while_the_processors_are_busy_are_built_together() {
        let batches = Batches::<usize, usize>::new(1);
        let sizes = Mutex::new(Vec::new());
        let slot = batches.slot(&Stop::default()).unwrap();
        thread::scope(|scope| {
            for sample in 0..MAX_SAMPLES + 5 {
                let (batches, sizes) = (&batches, &sizes);
                scope.spawn(move || {
                    let built = batches.build(&Stop::default(), sample.to_string(), sample, |samples| {
                        sizes.lock().unwrap().push(samples.len());
                        Ok(samples.iter().map(|&sample| Some(sample)).collect())
                    });
                    assert_eq!(built.unwrap(), Some(sample));
                });
            }
            while batches.lock().waiting.len() < MAX_SAMPLES + 5 {
                thread::yield_now();
            }
            drop(slot);
        });
        assert_eq!(sizes.into_inner().unwrap(), [MAX_SAMPLES, 5]);
    }

    #[test]
    fn samples_of_one_task_are_never_built_together() {
        let batches = Batches::<(usize, usize), ()>::new(1);
        let built = Mutex::new(Vec::new());
        let slot = batches.slot(&Stop::default()).unwrap();
        thread::scope(|scope| {
            // Six samples of the first task, two of the second, one of the third.
            for (task, samples) in [(0_usize, 6_usize), (1, 2), (2, 1)] {
                for sample in 0..samples {
                    let (batches, built) = (&batches, &built);
                    scope.spawn(move || {
                        let result = batches.build(&Stop::default(), task.to_string(), (task, sample), |samples| {
                            built.lock().unwrap().push(samples.to_vec());
                            Ok(samples.iter().map(|_| Some(())).collect())
                        });
                        assert_eq!(result.unwrap(), Some(()));
                    });
                }
            }
            while batches.lock().waiting.len() < 9 {
                thread::yield_now();
            }
            drop(slot);
        });
        let built = built.into_inner().unwrap();
        let sizes: Vec<usize> = built.iter().map(Vec::len).collect();
        assert_eq!(sizes, [3, 2, 1, 1, 1, 1]);
        for batch in built {
            let tasks: HashSet<usize> = batch.iter().map(|(task, _)| *task).collect();
            assert_eq!(tasks.len(), batch.len(), "{batch:?}");
        }
    }

    #[test]
    fn samples_of_a_failed_batch_are_built_alone() {
        let batches = Batches::<(), ()>::new(1);
        assert!(matches!(
            batches.build(&Stop::default(), String::new(), (), |_| Err(EngineError::Busy(String::new()))),
            Ok(None)
        ));
        assert!(matches!(batches.build(&Stop::default(), String::new(), (), |_| Ok(Vec::new())), Ok(None)));
        assert!(matches!(
            batches.build(&Stop::default(), String::new(), (), |_| Err(EngineError::Cancelled)),
            Err(EngineError::Cancelled)
        ));
        let panicked = thread::scope(|scope| {
            scope
                .spawn(|| batches.build(&Stop::default(), String::new(), (), |_| panic!("a build can panic")))
                .join()
                .is_err()
        });
        assert!(panicked);
        assert!(
            matches!(batches.build(&Stop::default(), String::new(), (), |_| Ok(vec![Some(())])), Ok(Some(()))),
            "the processor is free again"
        );
    }

    /// A worker whose attempt ends waits no longer, and leaves nothing in the queue.
    #[test]
    fn workers_whose_attempt_ends_stop_waiting() {
        let batches = Batches::<(), ()>::new(1);
        let slot = batches.slot(&Stop::default()).unwrap();
        let cancelled = Arc::default();
        let stop = Stop::begin(&cancelled);
        thread::scope(|scope| {
            let program = scope.spawn(|| batches.slot(&stop).map(drop));
            let sample = scope.spawn(|| batches.build(&stop, String::new(), (), |_| panic!("no processor is free")));
            while batches.lock().waiting.is_empty() || batches.lock().programs_waiting == 0 {
                thread::yield_now();
            }
            cancelled.store(true, Ordering::SeqCst);
            assert!(matches!(program.join().unwrap(), Err(EngineError::Cancelled)));
            assert!(matches!(sample.join().unwrap(), Err(EngineError::Cancelled)));
        });
        let state = batches.lock();
        assert_eq!((state.free, state.programs_waiting, state.waiting.len(), state.results.len()), (0, 0, 0, 0));
        drop(state);
        drop(slot);
        assert!(batches.slot(&Stop::default()).is_ok());
    }
}
