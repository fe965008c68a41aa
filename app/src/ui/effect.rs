//! Effects, whose machinery is compiled once for all of them and not for each.

use leptos::prelude::*;

/// Runs `run` in the browser, now and whenever something changes that it has read; it gets what it returned
/// the last time. Leptos's [`Effect::new`] otherwise.
pub fn effect<T: 'static>(run: impl FnMut(Option<T>) -> T + 'static) {
    let run: Box<dyn FnMut(Option<T>) -> T> = Box::new(run);
    Effect::new(run);
}
