//! Prefetching: the next outputs are loaded before they are needed. Also remembers the last submissions, so
//! that they can be withdrawn. Lives at the root, through every page.
//!
//! [`State`] decides, [`Prefetch`] sends the requests.

use std::collections::VecDeque;

use leptos::{prelude::*, task::spawn_local};

use super::{session::Outcome, submit_queue::SubmitQueue};
use model::{
    grading::{GradingItem, Next, Progress},
    ids::Token,
};
use rpc::grading::next_item;

/// How many outputs are prefetched behind the one on screen. Together they are the three that a rater may
/// lease at once.
const READY: usize = 2;
/// How many submissions can be withdrawn one after the other without a reload.
const REMEMBERED: usize = 20;

/// See the module. Cheap to copy into closures.
#[derive(Clone, Copy)]
pub struct Prefetch(StoredValue<State>);

/// Provides it to everything below; the root calls it once.
pub fn provide_prefetch() {
    provide_context(Prefetch(StoredValue::default()));
}

impl Prefetch {
    /// The root's, or an empty one.
    pub fn current() -> Prefetch {
        use_context::<Prefetch>().unwrap_or_else(|| Prefetch(StoredValue::default()))
    }

    /// Records that this output is on screen.
    pub fn shows(self, item: &GradingItem) {
        self.0.update_value(|state| state.shows(item));
    }

    /// The output that was unfinished when its page was left.
    pub fn left_behind(self, study: &Token) -> Option<Token> {
        self.0.with_value(|state| if state.is_about(study) { state.shown.clone() } else { None })
    }

    /// Whether an output of this study is prefetched.
    pub fn has(self, study: &Token) -> bool {
        self.0.with_value(|state| state.is_about(study) && !state.ready.is_empty())
    }

    /// The prefetched output, which from now on counts as on screen.
    pub fn take(self, study: &Token) -> Option<GradingItem> {
        self.0.try_update_value(|state| state.take(study)).flatten()
    }

    /// Switches to this study.
    pub fn begin(self, study: &Token) {
        self.0.update_value(|state| state.begin(study));
    }

    /// Work on an output has ended; counts it.
    pub fn ended(self, item: &GradingItem, outcome: Outcome) {
        self.0.update_value(|state| state.ended(item, outcome));
    }

    /// The last submission of this page in the study that is not withdrawn.
    pub fn last_submitted(self, study: &Token) -> Option<Token> {
        self.0.with_value(|state| if state.is_about(study) { state.submitted.last().cloned() } else { None })
    }

    /// A submission was withdrawn; prefetched outputs were counted with it and are fetched again.
    pub fn reopened(self, study: &Token, token: &Token) {
        self.0.update_value(|state| state.reopened(study, token));
    }

    /// Fetches until [`READY`] outputs are prefetched. Outputs in the submit queue are still leased to the
    /// rater, so the request names them to exclude them.
    pub fn fill(self, study: Token, submit_queue: SubmitQueue) {
        let holding = self.0.try_update_value(|state| state.request(&study)).flatten();
        let Some(mut holding) = holding else { return };
        holding.extend(submit_queue.waiting_in(&study));
        spawn_local(async move {
            let answer = next_item(study.clone(), holding.clone()).await;
            let item = match answer {
                Ok(Next::Item(item)) => Some(*item),
                // Nothing more, or no connection: the page asks again when it gets there.
                _ => None,
            };
            if self.0.try_update_value(|state| state.fetched(&study, &holding, item)) == Some(true) {
                self.fill(study, submit_queue);
            }
        });
    }
}

/// Prefetched and submitted outputs, as plain data.
#[derive(Default)]
struct State {
    /// The current study.
    study: Option<Token>,
    ready: VecDeque<GradingItem>,
    /// The unfinished output that is, or is about to be, on screen: a rater who left the page returns to it.
    shown: Option<Token>,
    /// A request is pending.
    asking: bool,
    /// The progress and the newest rating by this page's own count, because prefetched outputs were fetched
    /// before them.
    standing: Option<(Progress, Option<Token>)>,
    submitted: Vec<Token>,
}

impl State {
    fn is_about(&self, study: &Token) -> bool {
        self.study.as_ref() == Some(study)
    }

    fn begin(&mut self, study: &Token) {
        if !self.is_about(study) {
            *self = State { study: Some(study.clone()), ..State::default() };
        }
    }

    fn shows(&mut self, item: &GradingItem) {
        self.begin(&item.study);
        self.shown = Some(item.token.clone());
        // The page requested one itself while another was being fetched: both got this.
        self.ready.retain(|ready| ready.token != item.token);
    }

    fn take(&mut self, study: &Token) -> Option<GradingItem> {
        if !self.is_about(study) {
            return None;
        }
        let mut item = self.ready.pop_front()?;
        self.shown = Some(item.token.clone());
        if let Some((progress, previous)) = &self.standing {
            item.progress = *progress;
            item.previous.clone_from(previous);
        }
        Some(item)
    }

    fn ended(&mut self, item: &GradingItem, outcome: Outcome) {
        let mut progress = item.progress;
        let mut previous = item.previous.clone();
        match outcome {
            Outcome::Rated => {
                // A calibration is not work, and nothing leads back into it.
                let work = item.calibration.is_none();
                if !item.rated && work {
                    progress = progress.after(1);
                }
                self.submitted.retain(|token| *token != item.token);
                if work {
                    previous = Some(item.token.clone());
                    self.submitted.push(item.token.clone());
                }
                if self.submitted.len() > REMEMBERED {
                    self.submitted.remove(0);
                }
            }
            Outcome::Skipped => progress.skipped += 1,
        }
        self.shown.take_if(|shown| *shown == item.token);
        self.standing = Some((progress, previous));
    }

    fn reopened(&mut self, study: &Token, token: &Token) {
        self.submitted.retain(|other| other != token);
        if self.is_about(study) {
            self.ready.clear();
            self.standing = None;
        }
    }

    /// Starts a request if more outputs are to be prefetched: the outputs to name in it. With nothing on
    /// screen, the page itself is asking.
    fn request(&mut self, study: &Token) -> Option<Vec<Token>> {
        self.begin(study);
        if self.asking || self.shown.is_none() || self.ready.len() >= READY {
            return None;
        }
        self.asking = true;
        Some(self.held())
    }

    /// The answer to a request that named `holding`. Returns whether to ask again.
    fn fetched(&mut self, study: &Token, holding: &[Token], item: Option<GradingItem>) -> bool {
        self.asking = false;
        // The rater may have gone on meanwhile, to a prefetched output or another study. If the server
        // returns an item that the page already has, it has no more: enough is prefetched.
        match item {
            Some(item) if self.is_about(study) && ![holding, &self.held()].iter().any(|t| t.contains(&item.token)) => {
                self.ready.push_back(item);
                true
            }
            _ => false,
        }
    }

    /// The outputs that this page has: on screen and prefetched.
    fn held(&self) -> Vec<Token> {
        self.shown.iter().cloned().chain(self.ready.iter().map(|item| item.token.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{grading::Draft, lang::Lang, rubric::Rubric};

    fn token(name: &str) -> Token {
        Token(name.into())
    }

    fn item(name: &str) -> GradingItem {
        GradingItem {
            token: token(name),
            study: token("study"),
            title: String::new(),
            presentation: Default::default(),
            raw_nl: String::new(),
            nl_lang: Lang::En,
            signature: None,
            code: Default::default(),
            conversation: None,
            rubric: Rubric { slug: String::new(), version: 1, instructions: false, dimensions: Vec::new() },
            draft: Draft::default(),
            rated: false,
            progress: Progress { rated: 3, skipped: 0, left: 5 },
            previous: None,
            following: None,
            calibration: None,
            replies: Vec::new(),
            bookmarked: false,
            break_minutes: 0,
            guidelines: Default::default(),
        }
    }

    /// The state with `a` on screen and this many prefetched.
    fn showing(ready: &[&str]) -> State {
        let mut state = State::default();
        state.shows(&item("a"));
        for name in ready {
            let holding = state.request(&token("study")).unwrap_or_default();
            assert!(state.fetched(&token("study"), &holding, Some(item(name))));
        }
        state
    }

    #[test]
    fn one_request_at_a_time_until_enough_is_prefetched() {
        let mut state = State::default();
        assert_eq!(state.request(&token("study")), None, "nothing is on screen");
        state.shows(&item("a"));
        assert_eq!(state.request(&token("study")), Some(vec![token("a")]));
        assert_eq!(state.request(&token("study")), None, "a request is on its way");
        let mut state = showing(&["b", "c"]);
        assert_eq!(state.request(&token("study")), None, "enough");
        assert_eq!(state.take(&token("study")).map(|item| item.token), Some(token("b")));
        assert_eq!(state.request(&token("study")), Some(vec![token("b"), token("c")]));
    }

    #[test]
    fn answer_without_new_items_ends_prefetching() {
        let check = |found: Option<GradingItem>| {
            let mut state = showing(&["b"]);
            let holding = state.request(&token("study")).unwrap_or_default();
            assert!(!state.fetched(&token("study"), &holding, found));
            assert_eq!(state.ready.len(), 1);
        };
        check(None);
        check(Some(item("a")));
        check(Some(item("b")));
        // Another study is on screen by now.
        let mut state = showing(&[]);
        state.request(&token("study"));
        state.begin(&token("other"));
        assert!(!state.fetched(&token("study"), &[], Some(item("b"))));
    }

    #[test]
    fn prefetched_item_gets_current_progress() {
        let mut state = showing(&["b"]);
        state.ended(&item("a"), Outcome::Rated);
        let next = state.take(&token("study")).map(|item| (item.progress, item.previous));
        assert_eq!(next, Some((Progress { rated: 4, skipped: 0, left: 4 }, Some(token("a")))));
        assert_eq!(state.submitted, [token("a")]);
        state.reopened(&token("study"), &token("a"));
        assert!(state.submitted.is_empty() && state.standing.is_none());
    }
}
