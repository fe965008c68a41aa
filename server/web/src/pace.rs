//! When raters get answers about items: at the end of a step of the clock, counted from the request.
//!
//! What a rater does with an output is written elsewhere than what they do with a hidden check, and takes a little more or less
//! time. A program that repeats a request could measure that, and tell the two apart.

use std::time::{Duration, Instant};

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};

use crate::state::AppState;

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

/// Holds such answers back until their step ends.
pub async fn keep(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let step = state.config.pace;
    if step.is_zero() || !is_paced(request.uri().path()) {
        return next.run(request).await;
    }
    let begin = Instant::now();
    let response = next.run(request).await;
    tokio::time::sleep_until((begin + until_end(begin.elapsed(), step)).into()).await;
    response
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
