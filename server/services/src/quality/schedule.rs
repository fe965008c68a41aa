//! Positions of hidden checks in a rater's work. Pure.
//!
//! The positions are drawn from the study's seed and the rater alone. Nothing that the rater does moves
//! them, and the checks still to come can be counted, so the page's progress changes by one each time,
//! whatever the item is.

use model::quality::QualitySettings;
use port::AHEAD;

/// The item at one position of a rater's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// An output of the study.
    Work,
    /// A known-score item.
    KnownItem,
    /// An output that the rater rated before.
    Repeat,
}

/// Number of planned hidden checks of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Planned {
    /// Known-score items.
    pub known: u64,
    pub repeats: u64,
}

impl Planned {
    pub fn total(self) -> u64 {
        self.known + self.repeats
    }
}

/// The positions of a rater's work, from the first.
pub struct Schedule {
    settings: QualitySettings,
    seed: u64,
    /// Number of known-score items; each comes at most once.
    known_items: u64,
    at: u64,
    known_items_used: u64,
    repeats: u64,
    /// For each position so far, how many positions up to it were work.
    work: Vec<u64>,
}

impl Schedule {
    /// The positions of the rater with this number.
    pub fn new(settings: QualitySettings, seed: u64, rater: i64, known_items: u64) -> Schedule {
        let seed = mix(seed ^ mix(rater.cast_unsigned()));
        Schedule { settings, seed, known_items, at: 0, known_items_used: 0, repeats: 0, work: Vec::new() }
    }

    /// How many checks come before output number `output` of the rater's work, counted from 1; none before
    /// output 0.
    pub fn before_output(mut self, output: u64) -> Planned {
        let (mut planned, mut outputs) = (Planned::default(), 0);
        while outputs < output {
            match self.next() {
                Some(Slot::KnownItem) => planned.known += 1,
                Some(Slot::Repeat) => planned.repeats += 1,
                Some(Slot::Work) | None => outputs += 1,
            }
        }
        planned
    }

    fn draw(&self, salt: u64, every: u32) -> bool {
        every > 1 && mix(self.seed ^ salt ^ self.at.wrapping_mul(0x9E37_79B9)).is_multiple_of(every.into())
    }
}

impl Iterator for Schedule {
    type Item = Slot;

    fn next(&mut self) -> Option<Slot> {
        // An output is repeated only if it is old enough and has not been repeated. A page may have
        // prefetched some outputs that are not rated yet.
        let before = self.at.checked_sub(u64::from(self.settings.repeat_apart) + 1 + AHEAD as u64);
        let old = before.and_then(|at| self.work.get(usize::try_from(at).ok()?)).copied().unwrap_or(0);
        let slot = if self.at > 0
            && self.known_items_used < self.known_items
            && self.draw(0x601D, self.settings.known_item_every)
        {
            self.known_items_used += 1;
            Slot::KnownItem
        } else if self.repeats < old && self.draw(0xA6A1, self.settings.repeat_every) {
            self.repeats += 1;
            Slot::Repeat
        } else {
            Slot::Work
        };
        let so_far = self.work.last().copied().unwrap_or(0);
        self.work.push(so_far + u64::from(slot == Slot::Work));
        self.at += 1;
        Some(slot)
    }
}

/// Steele, Lea and Flood's SplitMix64 finalizer (OOPSLA 2014): a few nanoseconds, and every bit of the
/// input moves half of the output's.
fn mix(n: u64) -> u64 {
    let n = n.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let n = (n ^ (n >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    n ^ (n >> 31)
}

#[cfg(test)]
mod tests {
    use model::quality_preset::{ExtraWork, Workload};

    use super::*;

    fn settings(known_item_every: u32, repeat_every: u32, repeat_apart: u32) -> QualitySettings {
        QualitySettings { known_item_every, repeat_every, repeat_apart, ..QualitySettings::default() }
    }

    #[test]
    fn checks_have_the_configured_rate_and_distance() {
        let all: Vec<Slot> = Schedule::new(settings(10, 8, 20), 7, 3, 1000).take(4000).collect();
        let count = |slot| all.iter().filter(|s| **s == slot).count();
        // Binomial: 400 +- 19 and (of the rest) 450 +- 20; five standard deviations.
        assert!(count(Slot::KnownItem).abs_diff(400) < 95, "{}", count(Slot::KnownItem));
        assert!(count(Slot::Repeat).abs_diff(450) < 100, "{}", count(Slot::Repeat));
        assert_eq!(all[0], Slot::Work);
        for (at, _) in all.iter().enumerate().filter(|(_, s)| **s == Slot::Repeat) {
            let old = all[..at.saturating_sub(20)].iter().filter(|s| **s == Slot::Work).count();
            let used = all[..at].iter().filter(|s| **s == Slot::Repeat).count();
            assert!(used < old, "place {at} repeats what is not old enough");
        }
        let other: Vec<Slot> = Schedule::new(settings(10, 8, 20), 7, 4, 1000).take(4000).collect();
        assert_ne!(all, other, "each rater has different positions");
    }

    #[test]
    fn the_estimate_of_extra_work_is_the_mean_of_the_schedules() {
        let check = |known_item_every, repeat_every, apart, items: u64, ratings: u64| {
            let s = settings(known_item_every, repeat_every, apart);
            let load = Workload { ratings, hidden: items, ..Workload::default() };
            let expected = ExtraWork::of(&s, &load);
            let raters = 400;
            let planned = (0..raters).map(|rater| Schedule::new(s, 11, rater, items).before_output(ratings));
            let (known, repeats) = planned.fold((0, 0), |(k, r), p| (k + p.known, r + p.repeats));
            let near = |sum: u64, expected: f64| (sum as f64 / raters as f64 - expected).abs() < 0.5 + expected / 20.0;
            assert!(near(known, expected.known), "{known} known-score items of {raters} raters, {expected:?}");
            assert!(near(repeats, expected.repeats), "{repeats} repeats of {raters} raters, {expected:?}");
        };
        check(10, 0, 0, 1000, 150);
        check(0, 8, 20, 0, 150);
        check(15, 15, 20, 40, 300);
        check(5, 0, 0, 12, 200);
        check(0, 20, 20, 0, 30);
    }

    #[test]
    fn no_checks_without_settings_or_beyond_the_items() {
        let check = |s, known_items, expected: usize| {
            let found = Schedule::new(s, 1, 1, known_items).take(500).filter(|s| *s != Slot::Work).count();
            assert_eq!(found, expected);
        };
        check(settings(0, 0, 0), 5, 0);
        check(settings(2, 0, 0), 5, 5);
        check(settings(2, 0, 0), 0, 0);
    }

    #[test]
    fn checks_are_counted_before_the_next_output() {
        let s = settings(5, 4, 6);
        let of = || Schedule::new(s, 2022, 5, 40);
        let all: Vec<Slot> = of().take(400).collect();
        let works: Vec<usize> = (0..all.len()).filter(|at| all[*at] == Slot::Work).collect();
        assert_eq!(of().before_output(0), Planned::default());
        for (n, at) in works.iter().enumerate() {
            let count = |kind| all[..*at].iter().filter(|slot| **slot == kind).count() as u64;
            let expected = Planned { known: count(Slot::KnownItem), repeats: count(Slot::Repeat) };
            assert_eq!(of().before_output(n as u64 + 1), expected, "before output {}", n + 1);
        }
    }
}
