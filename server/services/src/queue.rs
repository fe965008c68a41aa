//! The queue of what is sent to other servers, shared by webhooks and email: what is due is reserved for an attempt, and a
//! failed attempt is repeated after growing pauses. The queue itself is a table, so it survives a kill.

use std::{sync::Arc, time::Duration};

use model::{error::AppError, time::Timestamp};
use tokio::sync::Semaphore;

use base::error::Failure;

/// Waits between attempts, in seconds: minutes for a restart of the receiver, half a day for an outage
/// overnight.
const WAITS_S: [i64; 8] = [10, 60, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 12 * 3600];
/// How often the queue is checked while nothing is due.
const LOOK: Duration = Duration::from_secs(1);
/// Simultaneous attempts: one slow receiver does not delay the rest.
const AT_ONCE: usize = 4;

/// Something that sends what is due.
pub trait Queue: Clone + Send + Sync + 'static {
    type Due: Send + 'static;

    /// Reserves what has been due longest.
    fn take_due(&self) -> impl Future<Output = Result<Option<Self::Due>, Failure>> + Send;

    /// Makes an attempt and records what came of it. Fails only for internal errors, and if it was deleted meanwhile.
    fn deliver(&self, due: Self::Due) -> impl Future<Output = Result<(), Failure>> + Send;
}

/// When to try again after this many failed attempts before the one at `now`; `None` after the last.
pub fn next_attempt(attempts: u32, now: Timestamp) -> Option<Timestamp> {
    WAITS_S.get(attempts as usize).map(|s| Timestamp(now.0 + s * 1000))
}

/// Sends what is due, until the process ends.
pub async fn serve<Q: Queue>(queue: Q) {
    let slots = Arc::new(Semaphore::new(AT_ONCE));
    loop {
        let Ok(slot) = slots.clone().acquire_owned().await else { return };
        match queue.take_due().await {
            Ok(Some(due)) => {
                let queue = queue.clone();
                tokio::spawn(async move {
                    log(queue.deliver(due).await);
                    drop(slot);
                });
            }
            Ok(None) => {
                drop(slot);
                tokio::time::sleep(LOOK).await;
            }
            Err(failure) => {
                log(Err(failure));
                tokio::time::sleep(LOOK).await;
            }
        }
    }
}

/// Sends everything that is due now, one after the other; returns the number of attempts.
///
/// # Errors
///
/// Fails only for internal errors; failures of the receiver are recorded.
pub async fn deliver_due<Q: Queue>(queue: &Q) -> Result<usize, Failure> {
    let mut attempts = 0;
    while let Some(due) = queue.take_due().await? {
        queue.deliver(due).await?;
        attempts += 1;
    }
    Ok(attempts)
}

fn log(outcome: Result<(), Failure>) {
    match outcome {
        // Deleted during an attempt: nobody waits for the result.
        Ok(()) | Err(Failure::App(AppError::NotFound(_))) => {}
        Err(failure) => {
            let _logged = AppError::from(failure);
        }
    }
}
