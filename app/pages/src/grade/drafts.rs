//! The drafts of one output on their way to the server, as plain data: one is sent at a time and only the
//! newest waits, so that drafts arrive in order and the latest one wins.

use crate::grade::keys::pause;
use model::{error::AppError, grading::Draft};

/// See the module.
#[derive(Debug, Default)]
pub struct Drafts {
    /// Whether a draft is being sent.
    in_flight: bool,
    /// The newest draft that is not being sent.
    waiting: Option<Draft>,
    /// Consecutive failures.
    failures: u32,
    /// Counts the changes of text: only the pause after the last one sends.
    edits: u64,
}

impl Drafts {
    /// A new draft replaces the one that waits.
    pub fn put(&mut self, draft: Draft) {
        self.waiting = Some(draft);
    }

    /// The text has changed; returns the number of this change for [`Drafts::is_newest`].
    pub fn edited(&mut self) -> u64 {
        self.edits += 1;
        self.edits
    }

    /// Whether no change of text came after that one.
    pub fn is_newest(&self, edit: u64) -> bool {
        self.edits == edit
    }

    /// The output was submitted: the rating contains everything in the waiting draft.
    pub fn submitted(&mut self) {
        self.waiting = None;
        self.edits += 1;
    }

    /// The next action. `free` is called only if a draft could be sent, and says whether it may.
    pub fn send(&mut self, free: impl FnOnce() -> bool) -> Dispatch {
        if self.in_flight || self.waiting.is_none() {
            return Dispatch::Nothing;
        }
        if !free() {
            return Dispatch::Later;
        }
        self.in_flight = true;
        self.waiting.take().map_or(Dispatch::Nothing, Dispatch::Now)
    }

    /// The draft has been answered, or has not arrived.
    pub fn landed(&mut self) {
        self.in_flight = false;
    }

    /// The server has stored a draft. Returns whether a newer one waits.
    pub fn stored(&mut self) -> bool {
        self.failures = 0;
        self.waiting.is_some()
    }

    /// A draft has failed: it waits again unless a newer one does. Returns how long to pause, in
    /// milliseconds; [`pause`] says what `chance` is.
    pub fn failed(&mut self, draft: Draft, error: &AppError, chance: f64) -> u64 {
        self.waiting.get_or_insert(draft);
        self.failures += 1;
        pause(self.failures, error, chance)
    }
}

/// What to do with a waiting draft.
#[derive(Debug, PartialEq)]
pub enum Dispatch {
    /// Nothing waits, or one is being sent.
    Nothing,
    /// Send this draft now.
    Now(Draft),
    /// Another page's draft of this output is being sent: check again soon.
    Later,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(comment: &str) -> Draft {
        Draft { comment: comment.into(), ..Draft::default() }
    }

    #[test]
    fn one_draft_is_sent_at_a_time_and_the_newest_follows() {
        let mut drafts = Drafts::default();
        assert_eq!(drafts.send(|| true), Dispatch::Nothing);
        drafts.put(draft("a"));
        assert_eq!(drafts.send(|| true), Dispatch::Now(draft("a")));
        drafts.put(draft("b"));
        drafts.put(draft("c"));
        assert_eq!(drafts.send(|| true), Dispatch::Nothing, "one is on its way");
        drafts.landed();
        assert!(drafts.stored());
        assert_eq!(drafts.send(|| true), Dispatch::Now(draft("c")));
        drafts.landed();
        assert!(!drafts.stored());
    }

    #[test]
    fn a_failed_draft_waits_again_unless_a_newer_one_does() {
        let mut drafts = Drafts::default();
        drafts.put(draft("a"));
        drafts.send(|| true);
        drafts.landed();
        let first = drafts.failed(draft("a"), &AppError::Unreachable, 0.0);
        assert_eq!(drafts.send(|| true), Dispatch::Now(draft("a")));
        drafts.put(draft("b"));
        drafts.landed();
        assert!(drafts.failed(draft("a"), &AppError::Unreachable, 0.0) > first, "longer each time");
        assert_eq!(drafts.send(|| true), Dispatch::Now(draft("b")));
        drafts.landed();
        drafts.stored();
        drafts.put(draft("c"));
        drafts.send(|| true);
        assert_eq!(drafts.failed(draft("c"), &AppError::Unreachable, 0.0), first, "the connection was back");
    }

    #[test]
    fn other_pages_draft_goes_first_and_a_rating_replaces_all() {
        let mut drafts = Drafts::default();
        drafts.put(draft("a"));
        assert_eq!(drafts.send(|| false), Dispatch::Later);
        assert_eq!(drafts.send(|| true), Dispatch::Now(draft("a")));
        let edit = drafts.edited();
        drafts.put(draft("b"));
        assert!(drafts.is_newest(edit));
        drafts.submitted();
        assert!(!drafts.is_newest(edit), "the pause after it sends nothing");
        drafts.landed();
        assert_eq!(drafts.send(|| true), Dispatch::Nothing);
    }
}
