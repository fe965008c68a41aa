//! Active time: seconds in which the page is visible and there was input within the last minute. An open
//! page alone does not count.

use std::time::Duration;

use leptos::{ev, prelude::*};

use ui::{context::use_i18n, effect::effect, notice::Notice};

/// How long an input counts, in milliseconds.
const ALIVE_MS: f64 = 60_000.0;
/// A rater who did nothing for so long has had a break, in milliseconds.
const PAUSE_MS: f64 = 300_000.0;
/// Interval of counting. A second: nobody judges an output in less.
const TICK: Duration = Duration::from_secs(1);

/// The time since the page was opened and since the last pause, in milliseconds, and the moment of the last input. Cheap
/// to copy into closures.
#[derive(Clone, Copy)]
pub struct ActivityTimer(StoredValue<(u64, u64, f64)>);

/// Starts counting; the root calls it once.
pub fn provide_activity_timer() {
    let count = ActivityTimer(StoredValue::new((0, 0, 0.0)));
    provide_context(count);
    // In the browser only.
    effect(move |_| {
        let alive = move || {
            count.0.try_update_value(|(.., seen)| *seen = now());
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
            count.0.try_update_value(|(total, since_pause, seen)| {
                let quiet = now() - *seen;
                if !document().hidden() && quiet < ALIVE_MS {
                    *total += 1000;
                    *since_pause += 1000;
                } else if quiet > PAUSE_MS {
                    *since_pause = 0;
                }
            });
        };
        if let Ok(handle) = set_interval_with_handle(tick, TICK) {
            on_cleanup(move || handle.clear());
        }
    });
}

impl ActivityTimer {
    /// Milliseconds of activity since the page was opened.
    pub fn so_far(self) -> Option<u64> {
        self.0.try_with_value(|(total, ..)| *total)
    }

    /// Whether a break is due after so many minutes of work without a pause. Counts from the beginning once it was.
    fn is_break_due(self, minutes: u32) -> bool {
        self.0
            .try_update_value(|(_, since_pause, _)| {
                let due = minutes > 0 && *since_pause >= u64::from(minutes) * 60_000;
                if due {
                    *since_pause = 0;
                }
                due
            })
            .unwrap_or(false)
    }
}

/// Suggests a break if one is due when an output is shown, so never in the middle of one.
#[component]
pub fn BreakNote(
    /// Minutes of work without a pause before it; 0 for never.
    minutes: u32,
) -> impl IntoView {
    let b = use_i18n().grading();
    let (timer, due) = (use_context::<ActivityTimer>(), RwSignal::new(false));
    effect(move |_| {
        if timer.is_some_and(|timer| timer.is_break_due(minutes)) {
            due.set(true);
        }
    });
    move || {
        due.get().then(|| {
            view! {
                <Notice>
                    {b.break_note} " "
                    <button class="button quiet" type="button" on:click=move |_| due.set(false)>{b.break_done}</button>
                </Notice>
            }
        })
    }
}

/// The time spent on one output of a page. Cheap to copy into closures.
#[derive(Clone, Copy)]
pub enum Clock {
    /// All of the time, from a reading of the page's count on.
    Whole(ActivityTimer, u64),
    /// The time spent on this one of several.
    Part(Parts, usize),
    /// Not measured: in the tour.
    Stopped,
}

impl Clock {
    /// For the only output on the page, from now on.
    pub fn whole() -> Clock {
        let active = use_context::<ActivityTimer>();
        active.and_then(|active| Some(Clock::Whole(active, active.so_far()?))).unwrap_or(Clock::Stopped)
    }

    /// Milliseconds so far.
    pub fn read(self) -> Option<u64> {
        match self {
            Clock::Whole(active, since) => Some(active.so_far()?.saturating_sub(since)),
            Clock::Part(parts, n) => parts.of(n),
            Clock::Stopped => None,
        }
    }
}

/// Shares a page's time among outputs side by side: each moment counts for the active one, so that their
/// times add up to the total.
#[derive(Clone, Copy)]
pub struct Parts {
    active: Option<ActivityTimer>,
    split: StoredValue<Split>,
}

impl Parts {
    /// For this many outputs, of which the one `at` is active first.
    pub fn new(count: usize, at: usize) -> Parts {
        let active = use_context::<ActivityTimer>();
        let since = active.and_then(ActivityTimer::so_far).unwrap_or(0);
        Parts { active, split: StoredValue::new(Split { at, since, own: vec![0; count] }) }
    }

    /// Makes this output the active one.
    pub fn turn_to(self, n: usize) {
        if let Some(now) = self.active.and_then(ActivityTimer::so_far) {
            self.split.try_update_value(|split| split.turn_to(n, now));
        }
    }

    fn of(self, n: usize) -> Option<u64> {
        let now = self.active?.so_far()?;
        self.split.try_with_value(|split| split.of(n, now))
    }
}

/// The active output, the reading at which it became active, and the earlier time of each.
struct Split {
    at: usize,
    since: u64,
    own: Vec<u64>,
}

impl Split {
    fn turn_to(&mut self, n: usize, now: u64) {
        if let Some(own) = self.own.get_mut(self.at) {
            *own += now.saturating_sub(self.since);
        }
        (self.at, self.since) = (n, now);
    }

    fn of(&self, n: usize, now: u64) -> u64 {
        let running = if self.at == n { now.saturating_sub(self.since) } else { 0 };
        self.own.get(n).copied().unwrap_or(0) + running
    }
}

/// Milliseconds since the page was opened, by a monotonic clock. Events carry the same time.
pub(super) fn now() -> f64 {
    window().performance().map_or(0.0, |p| p.now())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_side_by_side_share_all_of_the_time() {
        let mut split = Split { at: 0, since: 1_000, own: vec![0; 3] };
        split.turn_to(2, 5_000);
        split.turn_to(0, 6_000);
        let now = 9_000;
        assert_eq!([0, 1, 2].map(|n| split.of(n, now)), [7_000, 0, 1_000]);
        assert_eq!((0..3).map(|n| split.of(n, now)).sum::<u64>(), now - 1_000);
        // Already active.
        split.turn_to(0, now);
        assert_eq!(split.of(0, now), 7_000);
        assert_eq!(split.of(9, now), 0);
    }
}
