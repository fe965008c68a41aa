//! Work that may take longer than a rater should wait: files, long reads, statistics. Its threads have a low priority, so
//! that the threads that answer raters get more of the processors while these are busy.
//!
//! Nothing here may hold the database's writer: everyone who writes would wait for a thread of low priority.

use std::{io, sync::LazyLock};

use rustix::process::{getpriority_process, setpriority_process};
use tokio::runtime::{Builder, Runtime};

use crate::error::Failure;

/// How much lower the priority is than the process's own, as `nice` counts it: while the processors are busy, such a thread
/// gets about a tenth of what another thread gets.
const NICE: i32 = 10;
/// The lowest priority of Linux.
const LOWEST: i32 = 19;

static THREADS: LazyLock<io::Result<Runtime>> = LazyLock::new(|| {
    // Only its blocking threads are used; they start when there is work and end when there is none.
    Builder::new_current_thread().thread_name("background").on_thread_start(lower_priority).build()
});

/// Runs `work`, which may block, and returns its value.
///
/// # Errors
///
/// [`Failure::Internal`] if `work` panics or the threads cannot be created.
pub async fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
    let threads = THREADS.as_ref().map_err(|e| Failure::internal(format!("background threads: {e}")))?;
    threads.spawn_blocking(work).await.map_err(Failure::internal)
}

/// Lowers the priority of the threads that compute statistics in parallel, too. Does nothing if they exist already.
pub fn lower_statistics() {
    let started = rayon::ThreadPoolBuilder::new().start_handler(|_| lower_priority()).build_global();
    if let Err(cause) = started {
        tracing::warn!(%cause, "statistics are computed at the priority of raters' requests");
    }
}

/// Of the calling thread alone.
fn lower_priority() {
    let lowered = getpriority_process(None).and_then(|nice| setpriority_process(None, (nice + NICE).min(LOWEST)));
    if let Err(cause) = lowered {
        tracing::warn!(%cause, "a background thread keeps the priority of raters' requests");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_background_threads_have_a_low_priority() {
        let priority = || getpriority_process(None).unwrap();
        let before = priority();
        assert_eq!(run(priority).await.unwrap(), (before + NICE).min(LOWEST));
        assert_eq!(tokio::task::spawn_blocking(priority).await.unwrap(), before);
        assert_eq!(priority(), before);
    }

    #[tokio::test]
    async fn a_panic_fails_only_its_work() {
        assert!(run(|| panic!("on purpose")).await.map(|()| 0).is_err());
        assert_eq!(run(|| 7).await.unwrap(), 7);
    }
}
