//! When raters get answers about items: one after the other, each at the end of a step of the clock, counted from when it was its
//! turn.
//!
//! What a rater does with an output is written elsewhere than what they do with a hidden check, and takes a little more or less
//! time. A program that repeats a request, or sends many at once, could measure that and tell the two apart.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use axum::{
    Extension,
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};
use base::error::Failure;
use db::audit;
use model::{
    caller::{Caller, Capability, Person},
    ids::UserId,
};

use crate::{errors::HttpError, overload, state::AppState};

/// The length of a step: many times what a request takes, and too short to be noticed.
pub const STEP: Duration = Duration::from_millis(25);

/// The server functions about items of a rater: `app/rpc/src/grading.rs`.
const FUNCTIONS: [&str; 10] = [
    "next_item",
    "next_task_items",
    "item",
    "save_draft",
    "submit_rating",
    "skip",
    "bookmark",
    "own_lists",
    "undo_rating",
    "own_ratings",
];

/// Whether an address is about items of a rater.
pub fn is_paced(path: &str) -> bool {
    let mut parts = path.trim_start_matches('/').split('/');
    match (parts.next(), parts.next(), parts.next()) {
        (Some("rpc"), Some(function), _) => FUNCTIONS.contains(&function),
        (Some("grade" | "side-by-side"), Some(_), _) => true,
        (Some("studies"), Some(_), Some("mine")) => true,
        _ => false,
    }
}

/// Maximum number of a rater's requests about items at once; one more is refused. Pages send a handful.
const MOST_WAITING: usize = 32;

/// Raters with requests about items. The request that has its rater's lock is answered.
#[derive(Clone, Debug, Default)]
pub struct Queues(Arc<Mutex<HashMap<UserId, Arc<tokio::sync::Mutex<()>>>>>);

impl Queues {
    /// The queue of a rater, if it is not full.
    fn join(&self, rater: UserId) -> Option<Arc<tokio::sync::Mutex<()>>> {
        let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        queues.retain(|_, queue| Arc::strong_count(queue) > 1);
        let queue = queues.entry(rater).or_default();
        // One of them is the table's.
        (Arc::strong_count(queue) <= MOST_WAITING).then(|| Arc::clone(queue))
    }
}

/// Middleware: answers a rater's requests about items one after the other, each at the end of its step.
pub async fn keep(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    request: Request,
    next: Next,
) -> Response {
    let step = state.config.pace;
    let (Ok(person), true) = (Person::of(&caller), is_paced(request.uri().path()) && !step.is_zero()) else {
        return next.run(request).await;
    };
    let Some(queue) = state.queues.join(person.id) else { return overload::busy(&request) };
    let turn = queue.lock_owned().await;
    // A client that leaves does not end its turn, or the next one would measure what is left of this one's work.
    let answered = audit::spawn(async move {
        let begin = Instant::now();
        let response = next.run(request).await;
        tokio::time::sleep_until((begin + until_end(begin.elapsed(), step)).into()).await;
        drop(turn);
        response
    });
    answered.await.unwrap_or_else(|e| HttpError::from(Failure::internal(e)).into_response())
}

/// From the beginning to the end of the step in which a request was answered that took so long. `step` is above zero.
fn until_end(elapsed: Duration, step: Duration) -> Duration {
    let steps = elapsed.as_nanos() / step.as_nanos().max(1) + 1;
    step.saturating_mul(u32::try_from(steps).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_at_the_end_of_a_step() {
        let micros = Duration::from_micros;
        for (elapsed, expected) in [(0, 25_000), (1, 25_000), (24_999, 25_000), (25_000, 50_000), (61_000, 75_000)] {
            assert_eq!(until_end(micros(elapsed), STEP), micros(expected), "{elapsed}");
        }
    }

    #[test]
    fn a_queue_has_an_end_and_is_forgotten_when_it_is_empty() {
        let queues = Queues::default();
        let waiting: Vec<_> = (0..MOST_WAITING).map(|_| queues.join(UserId(1)).unwrap()).collect();
        assert!(queues.join(UserId(1)).is_none() && queues.join(UserId(2)).is_some());
        drop(waiting);
        assert!(queues.join(UserId(1)).is_some());
        assert_eq!(queues.0.lock().unwrap().len(), 1);
    }

    #[test]
    fn what_is_about_items_is_paced() {
        for path in ["/rpc/submit_rating", "/rpc/item", "/grade/a", "/grade/a/b", "/side-by-side/a", "/studies/a/mine"]
        {
            assert!(is_paced(path), "{path}");
        }
        for path in ["/", "/rpc/who", "/rpc", "/grade", "/studies/a", "/admin/grade/a", "/assets/item"] {
            assert!(!is_paced(path), "{path}");
        }
    }
}
