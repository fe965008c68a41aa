//! The admins' first page: what waits, what is late, what is in progress, and what changed. Every list is bounded.

use serde::{Deserialize, Serialize};

use super::{
    audit::Entry,
    collection::CollectionRow,
    day::Day,
    ids::{RunId, StudyId},
    inbox::InboxCount,
    lang::Bilingual,
    study::StudyRow,
    time::{DAY_MS, Timestamp},
};

/// Most studies, late raters, runs and collections of the overview.
pub const OVERVIEW_ROWS: usize = 6;
/// Most changes of the overview.
pub const OVERVIEW_CHANGES: usize = 8;
/// Days whose ratings are counted; today is the last.
pub const OVERVIEW_DAYS: usize = 14;
/// Days over which a study's pace is measured.
pub const PACE_DAYS: i64 = 7;
/// An admin who opens the overview after this long begins another visit, in milliseconds.
pub const VISIT_MS: i64 = DAY_MS / 24;

/// What an admin sees first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Overview {
    /// Whether there are datasets, submissions, and accounts of raters.
    pub has_datasets: bool,
    pub has_submissions: bool,
    pub has_raters: bool,
    /// Number of studies, in whatever state.
    pub studies: u64,
    /// Number of studies that run or are paused.
    pub open_studies: u64,
    /// Items of the inbox by kind, without kinds that have none.
    pub waiting: Vec<InboxCount>,
    /// Studies that run or are paused: those that are due first, then the newest; complete ones last.
    pub in_progress: Vec<StudyPace>,
    /// Raters of running studies with work left who did nothing for some days, the longest absent first.
    pub late_raters: Vec<LateRater>,
    /// Whether there are more of them.
    pub more_late: bool,
    /// Ratings of each of the last days in UTC, oldest first.
    pub days: Vec<(Day, u64)>,
    /// Ratings a day that the due dates of running studies need; absent if none has a date or work left.
    pub needed_a_day: Option<u64>,
    pub runs: Vec<OpenRun>,
    pub collections: Vec<CollectionRow>,
    /// What others changed, newest first.
    pub changes: Vec<Entry>,
    /// When the admin's visit before this one ended; absent at the first.
    pub last_visit: Option<Timestamp>,
}

/// A study's progress and pace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StudyPace {
    pub row: StudyRow,
    /// Ratings of the last [`PACE_DAYS`] days.
    pub recent: u64,
    /// Of these days, those since the study started: at least today.
    pub days: u64,
    /// Days until the due date, today included; 0 or less if it has passed.
    pub days_left: Option<i64>,
    /// The dimension on which raters agree least, and Krippendorff's alpha; absent without outputs that were rated twice.
    pub agreement: Option<(Bilingual, f64)>,
}

impl StudyPace {
    /// Ratings that are left.
    pub fn left(&self) -> u64 {
        self.row.wanted.saturating_sub(self.row.done)
    }

    /// Ratings a day that the due date needs; all that are left once it has passed. Absent without a date or work left.
    pub fn needed_a_day(&self) -> Option<u64> {
        let days = self.days_left.map(|days| u64::try_from(days).unwrap_or(0).max(1))?;
        Some(self.left().div_ceil(days)).filter(|needed| *needed > 0)
    }

    /// Whether the due date has passed or passes before the work is done at the recent pace.
    pub fn is_late(&self) -> bool {
        let Some(days_left) = self.days_left.filter(|_| self.left() > 0) else { return false };
        // More than a week before the date, and on a study's first day unless it is the last, it is too early to tell.
        let is_known = days_left <= PACE_DAYS && (self.days > 1 || days_left <= 1);
        let is_slow = self.needed_a_day().is_some_and(|needed| needed * self.days > self.recent);
        days_left < 1 || (is_known && is_slow)
    }
}

/// A rater who is late.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LateRater {
    pub study: StudyId,
    pub title: String,
    pub name: String,
    /// Ratings that are left for the rater.
    pub left: u64,
    /// When the rater last did something in the study; when they were added to it, or it began, if nothing yet.
    pub since: Timestamp,
}

/// A run in progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenRun {
    pub id: RunId,
    pub model_name: String,
    /// Short name of the dataset.
    pub dataset: String,
    pub done: u64,
    pub items: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ids::Token, study::StudyStatus};

    fn pace(done: u64, wanted: u64, recent: u64, days_left: Option<i64>) -> StudyPace {
        let row = StudyRow {
            id: StudyId(1),
            token: Token("t".into()),
            title: "T".into(),
            dataset: "d".into(),
            status: StudyStatus::Running,
            models: Vec::new(),
            raters: 1,
            done,
            wanted,
            created_at: Timestamp(0),
            flags: 0,
            disagreements: 0,
            waiting: 0,
            idle: 0,
            due: None,
        };
        StudyPace { row, recent, days: 7, days_left, agreement: None }
    }

    #[test]
    fn a_study_needs_what_is_left_by_its_date() {
        let check = |pace: StudyPace, needed, late| {
            assert_eq!((pace.needed_a_day(), pace.is_late()), (needed, late), "{pace:?}");
        };
        // Without a date nothing is late.
        check(pace(0, 100, 0, None), None, false);
        check(pace(100, 100, 0, Some(-3)), None, false);
        check(pace(90, 100, 70, Some(0)), Some(10), true);
        check(pace(90, 100, 70, Some(1)), Some(10), false);
        check(pace(0, 100, 70, Some(7)), Some(15), true);
        check(pace(0, 100, 105, Some(7)), Some(15), false);
        // Too early to tell.
        check(pace(0, 100, 0, Some(30)), Some(4), false);
        check(pace(0, 0, 0, Some(1)), None, false);
        // More ratings than were planned.
        check(pace(101, 100, 0, Some(1)), None, false);
        // A study that started 2 days ago, and today.
        check(StudyPace { days: 2, ..pace(0, 100, 30, Some(7)) }, Some(15), false);
        check(StudyPace { days: 2, ..pace(0, 100, 29, Some(7)) }, Some(15), true);
        check(StudyPace { days: 1, ..pace(0, 100, 0, Some(7)) }, Some(15), false);
        check(StudyPace { days: 1, ..pace(0, 100, 0, Some(1)) }, Some(100), true);
    }
}
