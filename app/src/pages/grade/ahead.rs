//! What is fetched before it is asked for, so that the next output is there at once, and what was
//! submitted last, so that it can be taken back. Lives at the root, through every page.

use std::collections::VecDeque;

use leptos::{prelude::*, task::spawn_local};

use super::{desk::Outcome, outbox::Outbox};
use crate::{
    model::{
        grading::{GradingItem, Next, Progress},
        ids::Token,
    },
    rpc::grading::next_item,
};

/// How many outputs lie ready behind the one on screen. With it they are the three that a rater may
/// hold at once.
const READY: usize = 2;
/// How many submissions can be taken back one after the other without a reload.
const REMEMBERED: usize = 20;

/// See the module. Cheap to copy into closures.
#[derive(Clone, Copy)]
pub struct Ahead(StoredValue<State>);

#[derive(Default)]
struct State {
    /// The study that the rest is about.
    study: Option<Token>,
    ready: VecDeque<GradingItem>,
    /// What is on screen, or about to be, and is not done with: whoever left the page comes back to it.
    shown: Option<Token>,
    /// A request is on its way.
    asking: bool,
    /// Where the rater stands and what they rated last, by this page's own count: what lies ready was
    /// fetched before that.
    standing: Option<(Progress, Option<Token>)>,
    submitted: Vec<Token>,
}

/// Makes it available below; the root calls it once.
pub fn provide_ahead() {
    provide_context(Ahead(StoredValue::default()));
}

impl Ahead {
    /// The root's, or an empty one.
    pub fn current() -> Ahead {
        use_context::<Ahead>().unwrap_or_else(|| Ahead(StoredValue::default()))
    }

    /// This output is on screen.
    pub fn shows(self, item: &GradingItem) {
        self.begin(&item.study);
        self.0.update_value(|state| {
            state.shown = Some(item.token.clone());
            // The page asked for one itself while another was being fetched: both got this.
            state.ready.retain(|ready| ready.token != item.token);
        });
    }

    /// The output that was on screen when its page was left, where it is not done with.
    pub fn left_behind(self, study: &Token) -> Option<Token> {
        self.0.with_value(|state| if state.study.as_ref() == Some(study) { state.shown.clone() } else { None })
    }

    /// Whether an output of this study lies ready.
    pub fn has(self, study: &Token) -> bool {
        self.0.with_value(|state| state.study.as_ref() == Some(study) && !state.ready.is_empty())
    }

    /// The output that lies ready, as it stands now. From here on it counts as on screen.
    pub fn take(self, study: &Token) -> Option<GradingItem> {
        self.0
            .try_update_value(|state| {
                if state.study.as_ref() != Some(study) {
                    return None;
                }
                let mut item = state.ready.pop_front()?;
                state.shown = Some(item.token.clone());
                if let Some((progress, previous)) = &state.standing {
                    item.progress = *progress;
                    item.previous.clone_from(previous);
                }
                Some(item)
            })
            .flatten()
    }

    /// From here on it is about this study.
    pub fn begin(self, study: &Token) {
        self.0.update_value(|state| {
            if state.study.as_ref() != Some(study) {
                *state = State { study: Some(study.clone()), ..State::default() };
            }
        });
    }

    /// Work on an output has ended; counts it.
    pub fn ended(self, item: &GradingItem, outcome: Outcome) {
        self.0.update_value(|state| {
            let mut progress = item.progress;
            let mut previous = item.previous.clone();
            match outcome {
                Outcome::Rated => {
                    // A calibration is no work, and nothing leads back into it.
                    let work = item.opening.is_none();
                    if !item.rated && work {
                        progress.rated += 1;
                        progress.left = progress.left.saturating_sub(1);
                    }
                    if work {
                        previous = Some(item.token.clone());
                    }
                    state.submitted.retain(|token| *token != item.token);
                    if work {
                        state.submitted.push(item.token.clone());
                    }
                    if state.submitted.len() > REMEMBERED {
                        state.submitted.remove(0);
                    }
                }
                Outcome::Skipped => progress.skipped += 1,
            }
            state.shown.take_if(|shown| *shown == item.token);
            state.standing = Some((progress, previous));
        });
    }

    /// What this page submitted last in the study and has not taken back.
    pub fn last_submitted(self, study: &Token) -> Option<Token> {
        self.0.with_value(
            |state| {
                if state.study.as_ref() == Some(study) { state.submitted.last().cloned() } else { None }
            },
        )
    }

    /// A submission was taken back; what lies ready was counted with it and is fetched again.
    pub fn reopened(self, study: &Token, token: &Token) {
        self.0.update_value(|state| {
            state.submitted.retain(|other| other != token);
            if state.study.as_ref() == Some(study) {
                state.ready.clear();
                state.standing = None;
            }
        });
    }

    /// Fetches until [`READY`] outputs lie ready behind the one on screen. What still waits in the outbox
    /// is in the rater's hands too, so it is named: it must not come again. With nothing on screen the
    /// page itself is asking.
    pub fn fill(self, study: Token, outbox: Outbox) {
        self.begin(&study);
        let holding = self.0.try_update_value(|state| {
            let more = !state.asking && state.shown.is_some() && state.ready.len() < READY;
            state.asking |= more;
            more.then(|| state.hands())
        });
        let Some(mut holding) = holding.flatten() else { return };
        holding.extend(outbox.waiting_in(&study));
        spawn_local(async move {
            let answer = next_item(study.clone(), holding.clone()).await;
            let again = self.0.try_update_value(|state| {
                state.asking = false;
                // Meanwhile the rater may have gone on, to what lay ready or to another study.
                let known = |token| holding.contains(token) || state.hands().contains(token);
                match answer {
                    // Known, and given all the same, because the server counts only so many: enough lies ready.
                    Ok(Next::Item(item)) if !known(&item.token) && state.study.as_ref() == Some(&study) => {
                        state.ready.push_back(*item);
                        true
                    }
                    // Nothing more, or no connection: the page asks again when it gets there.
                    _ => false,
                }
            });
            if again == Some(true) {
                self.fill(study, outbox);
            }
        });
    }
}

impl State {
    /// The outputs that this page has in hand: on screen, and behind it.
    fn hands(&self) -> Vec<Token> {
        self.shown.iter().cloned().chain(self.ready.iter().map(|item| item.token.clone())).collect()
    }
}
