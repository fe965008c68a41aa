//! How long somebody is at it: seconds in which the page is visible and something was pressed, moved or
//! touched within the last minute. An open page alone is no work.

use crate::ui::effect::effect;
use std::time::Duration;

use leptos::{ev, prelude::*};

/// How long the last sign of life counts, in milliseconds.
const ALIVE_MS: f64 = 60_000.0;
/// How often is counted. A second: nobody judges an output in less.
const TICK: Duration = Duration::from_secs(1);

/// The count since the page was opened, in milliseconds. Cheap to copy into closures.
#[derive(Clone, Copy)]
pub struct Active(StoredValue<(u64, f64)>);

/// Begins to count; the root calls it once.
pub fn provide_active() {
    let count = Active(StoredValue::new((0, 0.0)));
    provide_context(count);
    // In the browser only.
    effect(move |_| {
        let alive = move || {
            count.0.try_update_value(|(_, seen)| *seen = now());
        };
        alive();
        let keys = window_event_listener(ev::keydown, move |_| alive());
        let moves = window_event_listener(ev::pointermove, move |_| alive());
        let presses = window_event_listener(ev::pointerdown, move |_| alive());
        let wheel = window_event_listener(ev::wheel, move |_| alive());
        on_cleanup(move || {
            keys.remove();
            moves.remove();
            presses.remove();
            wheel.remove();
        });
        let tick = move || {
            count.0.try_update_value(|(total, seen)| {
                if !document().hidden() && now() - *seen < ALIVE_MS {
                    *total += 1000;
                }
            });
        };
        if let Ok(handle) = set_interval_with_handle(tick, TICK) {
            on_cleanup(move || handle.clear());
        }
    });
}

impl Active {
    /// Milliseconds active since the page was opened.
    pub fn so_far(self) -> Option<u64> {
        self.0.try_with_value(|(total, _)| *total)
    }
}

/// Milliseconds active since the page was opened; `None` where nobody counts.
pub fn so_far() -> Option<u64> {
    use_context::<Active>().and_then(Active::so_far)
}

/// Milliseconds since the page was opened, by a clock that is never set back.
fn now() -> f64 {
    window().performance().map_or(0.0, |p| p.now())
}
