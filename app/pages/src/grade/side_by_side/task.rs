//! A side-by-side task: which column is active, which outputs are submitted, and when the page goes on.
//! Plain data without a browser; the view in the module above draws it and reports events.
//!
//! **The page goes on only after its rater has decided something on it.** A task that arrives with nothing
//! left to rate is shown as such and never reloaded automatically, so no answer of the server can keep the
//! page asking.

use crate::grade::session::Outcome;

/// The state of one task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Which outputs are submitted, in the order of the columns.
    submitted: Vec<bool>,
    active: usize,
    /// How many of them were rated before the page was drawn.
    rated_before: usize,
    /// Whether the rater has submitted or skipped something here and not withdrawn it.
    decided: bool,
    /// Whether the task was skipped, which skips all of its outputs.
    skipped: bool,
    /// Whether the page has gone on.
    left: bool,
}

impl Task {
    /// A task of outputs of which some are `rated` already. The first unrated one is active.
    pub fn new(rated: Vec<bool>) -> Task {
        Task {
            active: rated.iter().position(|rated| !rated).unwrap_or(0),
            rated_before: rated.iter().filter(|rated| **rated).count(),
            submitted: rated,
            decided: false,
            skipped: false,
            left: false,
        }
    }

    /// The column that shortcuts act on.
    pub fn active(&self) -> usize {
        self.active
    }

    /// Whether the output of the column is submitted.
    pub fn is_submitted(&self, column: usize) -> bool {
        self.submitted.get(column).copied().unwrap_or(false)
    }

    /// How many outputs are still to be rated.
    pub fn open(&self) -> usize {
        self.submitted.iter().filter(|submitted| !**submitted).count()
    }

    /// How many more outputs are rated than before the page was drawn.
    pub fn newly_rated(&self) -> u64 {
        (self.submitted.len() - self.open()).saturating_sub(self.rated_before) as u64
    }

    /// Makes a column active.
    pub fn activate(&mut self, column: usize) {
        if column < self.submitted.len() {
            self.active = column;
        }
    }

    /// The column to the left of the active one; the first has none.
    pub fn left_of_active(&self) -> usize {
        self.active.saturating_sub(1)
    }

    /// The column to the right of the active one; the last has none.
    pub fn right_of_active(&self) -> usize {
        (self.active + 1).min(self.submitted.len().saturating_sub(1))
    }

    /// The rater has submitted or skipped the output of a column. Returns the column that is next: the
    /// first open one to the right, then from the left.
    pub fn ended(&mut self, column: usize, outcome: Outcome) -> Option<usize> {
        if let Some(submitted) = self.submitted.get_mut(column) {
            *submitted = true;
        }
        self.decided = true;
        self.skipped |= outcome == Outcome::Skipped;
        if self.skipped {
            return None;
        }
        (self.active..self.submitted.len()).chain(0..self.active).find(|column| !self.is_submitted(*column))
    }

    /// The rater has withdrawn the rating of a column, which is then active.
    pub fn reopened(&mut self, column: usize) {
        if let Some(submitted) = self.submitted.get_mut(column) {
            *submitted = false;
        }
        self.activate(column);
        self.left = false;
    }

    /// Whether the page should go on now; true only once. `prefetched` says whether the next task is there
    /// already, `unsent` whether ratings still wait to be sent: without them the server would return this
    /// task again.
    pub fn go_on(&mut self, prefetched: bool, unsent: bool) -> bool {
        let over = self.decided && (self.skipped || self.open() == 0);
        let now = over && !self.left && (prefetched || !unsent);
        self.left |= now;
        now
    }

    /// Whether there was nothing to rate when the page was drawn, and still is not.
    pub fn nothing_to_rate(&self) -> bool {
        !self.decided && self.open() == 0
    }
}

/// The letters of a column, counted from 0: A to Z, then AA, AB, and so on.
pub fn letters(column: usize) -> String {
    let mut letters = Vec::new();
    let mut rest = column + 1;
    while rest > 0 {
        rest -= 1;
        letters.push(char::from(b'A' + u8::try_from(rest % 26).unwrap_or(0)));
        rest /= 26;
    }
    letters.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(columns: usize) -> Task {
        Task::new(vec![false; columns])
    }

    #[test]
    fn letters_go_on_beyond_z() {
        let check = |column, expected: &str| assert_eq!(letters(column), expected);
        check(0, "A");
        check(14, "O");
        check(25, "Z");
        check(26, "AA");
        check(27, "AB");
        check(51, "AZ");
        check(52, "BA");
        check(701, "ZZ");
        check(702, "AAA");
    }

    #[test]
    fn every_output_of_a_large_task_is_rated_before_the_page_goes_on() {
        let mut task = open(15);
        for column in 0..15 {
            assert_eq!(task.active(), column);
            assert!(!task.go_on(true, false), "{} are open", task.open());
            let next = task.ended(column, Outcome::Rated);
            assert_eq!(next, (column < 14).then_some(column + 1));
            task.activate(next.unwrap_or(column));
            assert_eq!(task.newly_rated(), column as u64 + 1);
        }
        assert!(task.go_on(true, false));
        assert!(!task.go_on(true, false), "once");
    }

    #[test]
    fn a_task_with_nothing_to_rate_never_goes_on_by_itself() {
        for columns in [0, 1, 12, 15] {
            let mut task = Task::new(vec![true; columns]);
            assert!(task.nothing_to_rate());
            for (prefetched, unsent) in [(false, false), (true, false), (true, true), (false, true)] {
                assert!(!task.go_on(prefetched, unsent), "{columns} columns");
            }
        }
        // Withdrawn and submitted again, it is a decision of its rater.
        let mut task = Task::new(vec![true, true]);
        task.reopened(1);
        assert!(!task.nothing_to_rate() && !task.go_on(true, false));
        assert_eq!(task.ended(1, Outcome::Rated), None);
        assert!(task.go_on(false, false));
    }

    #[test]
    fn the_page_waits_for_unsent_ratings_unless_the_next_task_is_there() {
        let mut task = open(1);
        task.ended(0, Outcome::Rated);
        assert!(!task.go_on(false, true));
        assert!(task.go_on(true, true));
    }

    #[test]
    fn one_skip_skips_the_task() {
        let mut task = open(3);
        assert_eq!(task.ended(1, Outcome::Skipped), None);
        assert!(task.go_on(false, false));
    }

    #[test]
    fn the_next_column_is_the_first_open_one_to_the_right_then_from_the_left() {
        let mut task = Task::new(vec![false, true, false, true]);
        assert_eq!((task.active(), task.right_of_active(), task.left_of_active()), (0, 1, 0));
        task.activate(2);
        assert_eq!(task.ended(2, Outcome::Rated), Some(0));
        task.activate(9);
        assert_eq!(task.active(), 2, "the column does not exist");
        task.activate(3);
        assert_eq!(task.right_of_active(), 3);
        assert_eq!(task.ended(0, Outcome::Rated), None);
        task.reopened(0);
        assert_eq!((task.active(), task.open(), task.go_on(true, false)), (0, 1, false));
    }
}
