//! The hidden checks of one rater: when each comes, and how they are counted.
//!
//! Called by `services/grading/hand_out.rs`, which puts them into one queue with the work. A study's ratings
//! contain nothing about hidden checks.

use model::{
    grading::Progress,
    ids::{StudyId, TaskRevisionId, UserId},
    plan::Presentation,
    quality::{CalibrationMode, CalibrationState, QualitySettings},
    time::Timestamp,
};
use rusqlite::Connection;

use super::{
    calibration::rank,
    schedule::{Planned, Schedule},
};
use crate::grading::lease_end;
use base::error::Failure;
use db::{
    grading::RaterStudy,
    quality::{
        calibrations,
        checks::{self, Check, Kind},
        known_items,
    },
    queue::SKIPS,
};

/// The hidden checks of one rater in one study.
pub struct HiddenChecks {
    study: RaterStudy,
    rater: UserId,
    settings: QualitySettings,
    checks: Vec<Check>,
    /// The known-score items that may be used now.
    items: Vec<i64>,
    /// These, and those that may be used when others have rated them as work.
    planned_items: Vec<i64>,
    /// Whether no more come after the last output.
    over: bool,
    /// The number of outputs that the rater had had when counting began, and that time.
    from: (u64, Timestamp),
}

/// Number of unused known-score items among which the next one is chosen.
const COMPARED: usize = 64;

/// The rater's progress with the work.
#[derive(Clone, Copy, Debug)]
pub struct Counts {
    /// Outputs that were assigned to the rater at least once.
    pub given: u64,
    /// Outputs of the rater's plan that were not yet.
    pub fresh: u64,
}

impl HiddenChecks {
    /// The rater's hidden checks. Side-by-side studies have none: a check could not look like a task with
    /// several outputs.
    pub fn of(conn: &Connection, study: &RaterStudy, rater: UserId) -> Result<HiddenChecks, Failure> {
        let one = study.settings.presentation == Presentation::One;
        let settings = if one { study.settings.quality } else { QualitySettings::default() };
        let mut checks = if one { checks::list(conn, study.id, rater)? } else { Vec::new() };
        checks.retain(|check| check.kind.is_hidden());
        let (mut items, mut planned_items) = (Vec::new(), Vec::new());
        if settings.known_item_every > 0 {
            let both = is_calibrated(conn, study.id, rater, &settings)?;
            items = known_items::available(conn, study.id, rater, Kind::Known, both)?;
            planned_items = known_items::hidden_ones(conn, study.id, rater, both)?;
        }
        let over = one && checks::are_over(conn, study.id, rater)?;
        let from = checks::counted_from(conn, study.id, rater)?;
        Ok(HiddenChecks { study: study.clone(), rater, settings, checks, items, planned_items, over, from })
    }

    /// Whether there are any, or may be later.
    pub fn are_any(&self) -> bool {
        self.settings.has_hidden_checks() || !self.checks.is_empty()
    }

    /// Those leased to the rater.
    pub fn in_hand(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| check.rated_at.is_none() && check.leased)
    }

    /// Skipped ones that come again, with their positions in the rater's order.
    pub fn waiting(&self) -> impl Iterator<Item = (i64, &Check)> {
        let open = self.checks.iter().filter(|check| check.rated_at.is_none() && !check.leased && check.skips < SKIPS);
        open.filter_map(|check| Some((check.place?, check)))
    }

    /// Skipped ones that are not rated, with the times of their last skips.
    pub fn skipped(&self) -> impl Iterator<Item = (Timestamp, &Check)> {
        let skipped = self.checks.iter().filter(|check| check.rated_at.is_none() && check.skips > 0);
        skipped.filter_map(|check| Some((check.skipped_at?, check)))
    }

    /// Rated ones, with their times.
    pub fn rated(&self) -> impl Iterator<Item = (Timestamp, &Check)> {
        self.checks.iter().filter_map(|check| Some((check.rated_at?, check)))
    }

    /// The rater's progress, with hidden checks counted as work, both assigned ones and those still to come.
    /// The figures therefore change in the same way with every item.
    pub fn counted(&self, conn: &Connection, work: Progress, counts: Counts) -> Result<Progress, Failure> {
        let open = (self.in_hand().count() + self.waiting().count()) as u64;
        let mut to_come = self.missing(counts, counts.given + counts.fresh).total();
        if work.left + open == 0 && to_come > 0 && self.candidate(conn, counts, &[])?.is_none() {
            // A repeat was planned, but nothing was rated that could be repeated.
            to_come = 0;
        }
        let skipped = self.skipped().count() as u64;
        Ok(Progress {
            rated: work.rated + self.rated().count() as u64,
            skipped: work.skipped + skipped,
            left: work.left + open + to_come,
        })
    }

    /// Leases the hidden check that comes now instead of an output, if one is due. `recent` are the tasks
    /// that the rater has just seen, which are avoided if there are others.
    pub fn due(&self, conn: &Connection, counts: Counts, recent: &[TaskRevisionId]) -> Result<Option<Check>, Failure> {
        match self.candidate(conn, counts, recent)? {
            None if counts.fresh == 0 && !self.over && self.are_any() => {
                // A check that came after skipped items have come again would stand out. Later ones come among outputs
                // that the rater takes over.
                checks::end(conn, self.study.id, self.rater)?;
                Ok(None)
            }
            None => Ok(None),
            Some(candidate) => self.lease(conn, candidate).map(Some),
        }
    }

    /// Leases the hidden check that comes before the next output that the rater takes over from others. Without such checks,
    /// whatever comes after the rater's last planned item would surely be work.
    pub fn due_before_taken(
        &self,
        conn: &Connection,
        counts: Counts,
        recent: &[TaskRevisionId],
    ) -> Result<Option<Check>, Failure> {
        let missing = self.unseen(counts.given + 1);
        if missing.total() > 1 && !self.draws(counts) {
            return Ok(None);
        }
        // What others leave may be of any task, also of one of which the rater has had all outputs.
        let candidate = self.first(conn, missing, self.settings.repeat_apart, false, recent)?;
        candidate.map(|candidate| self.lease(conn, candidate)).transpose()
    }

    fn lease(&self, conn: &Connection, candidate: Candidate) -> Result<Check, Failure> {
        let (study, rater, until) = (self.study.id, self.rater, lease_end());
        match candidate {
            Candidate::Known(item) => checks::insert_known(conn, study, rater, Kind::Known, 0, item, Some(until)),
            Candidate::Repeat(output, first) => checks::insert_repeat(conn, study, rater, output, first, until),
        }
    }

    fn candidate(
        &self,
        conn: &Connection,
        counts: Counts,
        recent: &[TaskRevisionId],
    ) -> Result<Option<Candidate>, Failure> {
        // Before the next output; if none is left, the checks that were delayed.
        let planned = if counts.fresh > 0 { counts.given + 1 } else { counts.given };
        // Skips may leave too few ratings in between. The repeat then waits; after the last output it
        // comes in any case, because the rater has seen the number of items left.
        let apart = if counts.fresh > 0 { self.settings.repeat_apart } else { 0 };
        let missing = self.missing(counts, planned);
        // Those that had to wait do not come one after the other.
        if counts.fresh > 0 && missing.total() > 1 && !self.draws(counts) {
            return Ok(None);
        }
        let several = missing.total() > 0 && known_items::has_tasks_with_several(conn, self.study.id, self.rater)?;
        self.first(conn, missing, apart, several, recent)
    }

    /// Whether one of several waiting checks comes at this position: a draw with a probability of one third.
    fn draws(&self, counts: Counts) -> bool {
        let position = counts.given + self.checks.len() as u64;
        rank(self.study.seed ^ position, self.rater, 0)[0] < u8::MAX / 3
    }

    /// One of the missing checks that can come now. At least `apart` ratings are between a repeat and the output's first rating.
    /// `several` says whether the rater's work has several outputs of a task.
    fn first(
        &self,
        conn: &Connection,
        missing: Planned,
        apart: u32,
        several: bool,
        recent: &[TaskRevisionId],
    ) -> Result<Option<Candidate>, Failure> {
        if missing.known > 0
            && let Some(item) = self.known_item(conn, several, recent)?
        {
            return Ok(Some(Candidate::Known(item)));
        }
        if missing.repeats > 0 {
            let found = checks::repeatable(conn, self.study.id, self.rater, apart, several)?;
            return Ok(found.map(|(output, first)| Candidate::Repeat(output, first)));
        }
        Ok(None)
    }

    /// The unused known-score item that stands out least now.
    fn known_item(&self, conn: &Connection, several: bool, recent: &[TaskRevisionId]) -> Result<Option<i64>, Failure> {
        let unused = |item: &&i64| self.checks.iter().all(|check| check.known_item != Some(**item));
        let mut unused: Vec<i64> = self.items.iter().filter(unused).copied().collect();
        // A different order from the calibration's.
        unused.sort_by_key(|item| rank(!self.study.seed, self.rater, *item));
        unused.truncate(COMPARED);
        let mut items = Vec::new();
        for item in unused {
            let Some(task) = known_items::task(conn, item)? else { continue };
            let planned = known_items::planned(conn, self.study.id, self.rater, task)?;
            if let Some(oddness) = oddness(planned, several) {
                items.push(((recent.contains(&task), oddness), item));
            }
        }
        Ok(items.into_iter().min_by_key(|(order, _)| *order).map(|(_, item)| item))
    }

    /// The checks that came since counting began.
    fn counted_checks(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| check.shown_at > self.from.1)
    }

    /// How many checks of each kind come before the last of this many outputs, from where counting began.
    fn planned(&self, outputs: u64) -> Planned {
        let (from, since) = self.from;
        // An item that was deactivated after it came still took its position; one that came before has none.
        let gone = self.counted_checks().filter_map(|check| check.known_item);
        let gone = gone.filter(|item| !self.planned_items.contains(item)).count() as u64;
        let earlier = self.checks.iter().filter(|check| check.shown_at <= since).filter_map(|check| check.known_item);
        let earlier = earlier.filter(|item| self.planned_items.contains(item)).count() as u64;
        let items = (self.planned_items.len() as u64 + gone).saturating_sub(earlier);
        Schedule::new(self.settings, self.study.seed ^ from, self.rater.0, items)
            .before_output(outputs.saturating_sub(from))
    }

    /// The checks that come before the last of this many outputs and that the rater has not had.
    fn missing(&self, counts: Counts, outputs: u64) -> Planned {
        if self.over && counts.fresh == 0 {
            return Planned::default();
        }
        self.unseen(outputs)
    }

    /// The same, whether or not more come.
    fn unseen(&self, outputs: u64) -> Planned {
        let planned = self.planned(outputs);
        let given = |kind| self.counted_checks().filter(|check| check.kind == kind).count() as u64;
        Planned {
            known: planned.known.saturating_sub(given(Kind::Known)),
            repeats: planned.repeats.saturating_sub(given(Kind::Repeat)),
        }
    }
}

/// Whether items of both pools may come to the rater as hidden checks: while they have a calibration to do, these belong to it.
fn is_calibrated(
    conn: &Connection,
    study: StudyId,
    rater: UserId,
    settings: &QualitySettings,
) -> Result<bool, Failure> {
    Ok(settings.calibration == CalibrationMode::None
        || calibrations::get(conn, study, rater)?.is_some_and(|c| c.state == CalibrationState::Passed))
}

/// How much an item of a task would stand out among a rater's work, by how much of the task is in the rater's plan; `None` if the
/// rater could be sure that it is a check.
///
/// Outputs of a task come near each other (`plan::order`). A rater with `several` outputs of a task expects as many of every
/// task, in about the same time, and has had all of them when the next tasks begin. With one output of each task, a second
/// item of any task stands out equally, and one of a task without work does not.
fn oddness(planned: known_items::Planned, several: bool) -> Option<(u8, i64)> {
    use known_items::Planned;
    match (planned, several) {
        (Planned::None, false) => Some((0, 0)),
        (Planned::ToCome { started: true, distance }, _) => Some((1, distance)),
        (Planned::ToCome { started: false, distance }, _) => Some((2, distance)),
        (Planned::None, true) => Some((3, 0)),
        (Planned::Complete, false) => Some((4, 0)),
        (Planned::Complete, true) => None,
    }
}

/// Candidates for the next hidden check.
enum Candidate {
    Known(i64),
    Repeat(model::ids::OutputId, model::ids::RatingId),
}
