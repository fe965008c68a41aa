//! Effects whose code is compiled once for all of them instead of once each.

use leptos::prelude::*;

/// Runs `run` in the browser, now and whenever something changes that it has read; `run` gets its previous
/// result. Otherwise like Leptos's [`Effect::new`].
pub fn effect<T: 'static>(run: impl FnMut(Option<T>) -> T + 'static) {
    let run: Box<dyn FnMut(Option<T>) -> T> = Box::new(run);
    Effect::new(run);
}
