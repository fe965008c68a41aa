//! What the rater puts down about one output, and how it gets to the server without being lost.
//!
//! - A draft goes out the moment it is made; while one is on its way only the newest waits, so
//!   they arrive in order and the latest wins.
//! - A rating is submitted under a key of its own; after a lost connection the same key is sent
//!   again, so that it counts once.
//! - What is not yet acknowledged is also kept in the browser's storage, and found there when the
//!   page is opened again.
//!
//! The messenger outlives the page: a draft on its way when the rater goes on still arrives.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use leptos::{prelude::*, task::spawn_local};

use super::{browser, keys::patience};
use crate::{
    error::AppError,
    i18n::I18n,
    model::{
        grading::{Draft, DraftFault},
        ids::Token,
        rubric::Rubric,
    },
    rpc::grading::{save_draft, skip, submit_rating},
    ui::failure::error_text,
};

/// How long writing must pause before the text is sent as a draft, in milliseconds.
const WRITING_PAUSE: u64 = 400;

/// Whether the server has what is on screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Nothing was changed here.
    Untouched,
    /// On its way.
    Saving,
    /// The server has it.
    Saved,
    /// The server could not be reached; it will be tried again.
    Retrying,
    /// The session has ended.
    LoggedOut,
    /// The server does not take it, and why.
    Refused(String),
}

/// How far the rating is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The rater is at it.
    Editing,
    /// On its way.
    Sending,
    /// The server could not be reached; the same rating will be sent again.
    Retrying,
    /// The session has ended; the rating waits for the rater to log in again.
    LoggedOut,
    /// The server has it, or took the output back.
    Done,
}

/// One output's draft and its way to the server. Cheap to copy into closures.
#[derive(Clone, Copy)]
pub struct Desk {
    /// What was put down so far.
    pub draft: RwSignal<Draft>,
    /// Whether the server has it.
    pub kept: RwSignal<Kept>,
    /// How far the rating is.
    pub phase: RwSignal<Phase>,
    /// What keeps the rating from being submitted, as a sentence; empty where nothing does.
    pub problem: RwSignal<String>,
    i18n: I18n,
    rubric: StoredValue<Rubric>,
    post: StoredValue<Post>,
    done: Callback<Outcome>,
}

/// How work on an output ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was rated.
    Rated,
    /// It was given back.
    Skipped,
}

/// A rating on its way: sent again with the same key until it is answered.
#[derive(Clone, Debug)]
struct Attempt {
    key: String,
    draft: Draft,
}

#[derive(Clone)]
struct Post {
    token: Token,
    state: Arc<Mutex<PostState>>,
}

#[derive(Default)]
struct PostState {
    /// A draft is on its way.
    flying: bool,
    /// The newest draft that is not.
    waiting: Option<Draft>,
    /// The rating to send once no draft is on its way.
    then: Option<Attempt>,
    /// The last rating tried; its key stays while its content does.
    tried: Option<Attempt>,
    failures: u32,
    /// Counts the changes of text, so that only the last one's pause sends.
    writing: u64,
}

impl Post {
    fn state(&self) -> MutexGuard<'_, PostState> {
        // A poisoned lock holds a draft that is still good.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Desk {
    /// A desk for `token`, with what the server has, or what this browser kept and never delivered.
    pub fn new(token: Token, rubric: Rubric, draft: Draft, i18n: I18n, done: Callback<Outcome>) -> Desk {
        Desk {
            draft: RwSignal::new(draft),
            kept: RwSignal::new(Kept::Untouched),
            phase: RwSignal::new(Phase::Editing),
            problem: RwSignal::new(String::new()),
            i18n,
            rubric: StoredValue::new(rubric),
            post: StoredValue::new(Post { token, state: Arc::default() }),
            done,
        }
    }

    /// Takes what this browser kept, where it keeps something newer than the server. After
    /// hydration only: the server cannot know it.
    pub fn recover(self) {
        let post = self.post.get_value();
        let kept = browser::unstash(&post.token).filter(|kept| self.sound(kept) && *kept != self.draft.get_untracked());
        match kept {
            Some(kept) => self.change(|draft| *draft = kept),
            None => browser::forget(&post.token),
        }
    }

    /// Changes the draft and sends it at once.
    pub fn change(self, how: impl FnOnce(&mut Draft)) {
        if self.put(how) {
            self.pump();
        }
    }

    /// Changes the draft's text and sends it when writing pauses.
    pub fn write(self, how: impl FnOnce(&mut Draft)) {
        if !self.put(how) {
            return;
        }
        let post = self.post.get_value();
        let now = {
            let mut state = post.state();
            state.writing += 1;
            state.writing
        };
        let pause = Duration::from_millis(WRITING_PAUSE);
        set_timeout(
            move || {
                if post.state().writing == now {
                    self.pump_with(post.clone());
                }
            },
            pause,
        );
    }

    /// Sends what waits, now: before leaving, when the connection is back, after logging in again.
    pub fn hurry(self) {
        let resend = match self.phase.get_untracked() {
            Phase::Retrying | Phase::LoggedOut => self.post.get_value().state().tried.clone(),
            _ => None,
        };
        match resend {
            Some(attempt) => self.send(self.post.get_value(), attempt),
            None => self.pump(),
        }
    }

    /// Submits the rating. Returns the dimension without a score where one is missing. Pressed
    /// again while the rating is on its way, it does nothing.
    pub fn submit(self) -> Option<usize> {
        if self.phase.get_untracked() != Phase::Editing {
            return None;
        }
        let draft = self.draft.get_untracked();
        if let Some(fault) = self.rubric.with_value(|rubric| draft.fault(rubric)) {
            self.problem.set(self.fault_text(fault));
            return match fault {
                DraftFault::Missing(place) | DraftFault::OffScale(place) => Some(place),
                DraftFault::TooLong | DraftFault::OtherRubric => None,
            };
        }
        self.problem.set(String::new());
        self.phase.set(Phase::Sending);
        let post = self.post.get_value();
        let now = {
            let mut state = post.state();
            let attempt = match state.tried.take() {
                Some(tried) if tried.draft == draft => tried,
                _ => Attempt { key: browser::random_key(), draft },
            };
            state.tried = Some(attempt.clone());
            // The rating holds all that the draft does. One on its way must not arrive after it.
            state.waiting = None;
            state.writing += 1;
            if state.flying {
                state.then = Some(attempt);
                None
            } else {
                Some(attempt)
            }
        };
        if let Some(attempt) = now {
            self.send(post, attempt);
        }
        None
    }

    /// Gives the output back.
    pub fn skip(self) {
        if self.phase.get_untracked() != Phase::Editing {
            return;
        }
        self.phase.set(Phase::Sending);
        let token = self.post.get_value().token;
        spawn_local(async move {
            match skip(token.clone()).await {
                Ok(()) => {
                    browser::forget(&token);
                    self.finish(Outcome::Skipped);
                }
                Err(error) => {
                    self.phase.try_set(Phase::Editing);
                    self.problem.try_set(error_text(&error, self.i18n));
                }
            }
        });
    }

    /// Says what is wrong with the draft.
    pub fn fault_text(self, fault: DraftFault) -> String {
        let name = |place: usize| {
            self.rubric.with_value(|rubric| {
                rubric.dimensions.get(place).map(|d| d.name.get(self.i18n.lang).to_owned()).unwrap_or_default()
            })
        };
        match fault {
            DraftFault::Missing(place) => (self.i18n.rater().score_missing)(&name(place)),
            DraftFault::OffScale(_) => self.i18n.common.off_scale.into(),
            DraftFault::TooLong => self.i18n.common.too_long.into(),
            DraftFault::OtherRubric => self.i18n.common.other_rubric.into(),
        }
    }

    /// The visitor's language.
    pub fn lang(self) -> crate::model::lang::Lang {
        self.i18n.lang
    }

    fn sound(self, draft: &Draft) -> bool {
        self.rubric.with_value(|rubric| draft.draft_fault(rubric)).is_none()
    }

    /// Changes the draft on screen, in the browser's storage and in the queue; false where the
    /// rating is on its way already.
    fn put(self, how: impl FnOnce(&mut Draft)) -> bool {
        if self.phase.get_untracked() != Phase::Editing {
            return false;
        }
        self.draft.update(how);
        self.problem.set(String::new());
        let draft = self.draft.get_untracked();
        if let Some(fault) = self.rubric.with_value(|rubric| draft.draft_fault(rubric)) {
            self.kept.set(Kept::Refused(self.fault_text(fault)));
            return false;
        }
        let post = self.post.get_value();
        browser::stash(&post.token, &draft);
        post.state().waiting = Some(draft);
        self.kept.set(Kept::Saving);
        true
    }

    fn pump(self) {
        self.pump_with(self.post.get_value());
    }

    /// Sends the waiting draft unless one is on its way. Runs on after the page is gone: signals
    /// may then be gone too, so they are only tried.
    fn pump_with(self, post: Post) {
        let draft = {
            let mut state = post.state();
            match state.waiting.take() {
                Some(draft) if !state.flying => {
                    state.flying = true;
                    draft
                }
                waiting => {
                    state.waiting = waiting;
                    return;
                }
            }
        };
        spawn_local(async move {
            let answer = save_draft(post.token.clone(), draft.clone()).await;
            let then = {
                let mut state = post.state();
                state.flying = false;
                state.then.take()
            };
            if let Some(attempt) = then {
                self.send(post, attempt);
                return;
            }
            match answer {
                Ok(()) => self.saved(post),
                Err(error) if passing(&error) => {
                    let wait = put_back(&post, draft);
                    self.kept.try_set(Kept::Retrying);
                    set_timeout(move || self.pump_with(post.clone()), wait);
                }
                Err(AppError::Unauthenticated) => {
                    put_back(&post, draft);
                    self.kept.try_set(Kept::LoggedOut);
                }
                Err(error) => {
                    self.kept.try_set(Kept::Refused(error_text(&error, self.i18n)));
                }
            }
        });
    }

    fn saved(self, post: Post) {
        let more = {
            let mut state = post.state();
            state.failures = 0;
            state.waiting.is_some()
        };
        if more {
            self.pump_with(post);
        } else {
            browser::forget(&post.token);
            self.kept.try_set(Kept::Saved);
        }
    }

    fn send(self, post: Post, attempt: Attempt) {
        self.phase.try_set(Phase::Sending);
        spawn_local(async move {
            match submit_rating(post.token.clone(), attempt.draft.clone(), attempt.key.clone()).await {
                // Stored before or stored now: it counts once, and that is all a rater needs to know.
                Ok(_) => {
                    browser::forget(&post.token);
                    self.finish(Outcome::Rated);
                }
                Err(error) if passing(&error) => {
                    let wait = {
                        let mut state = post.state();
                        state.failures += 1;
                        Duration::from_millis(patience(state.failures))
                    };
                    self.phase.try_set(Phase::Retrying);
                    set_timeout(
                        move || {
                            // Sent meanwhile by hand, or the page is gone and its storage keeps the rating.
                            if self.phase.try_get_untracked() == Some(Phase::Retrying) {
                                self.send(post.clone(), attempt.clone());
                            }
                        },
                        wait,
                    );
                }
                Err(AppError::Unauthenticated) => {
                    self.phase.try_set(Phase::LoggedOut);
                }
                Err(error) => {
                    self.phase.try_set(Phase::Editing);
                    self.problem.try_set(error_text(&error, self.i18n));
                }
            }
        });
    }

    fn finish(self, outcome: Outcome) {
        // Where the page is gone, nobody waits to be taken on.
        if self.phase.try_set(Phase::Done).is_none() {
            self.done.run(outcome);
        }
    }
}

/// Whether trying again may help.
fn passing(error: &AppError) -> bool {
    matches!(error, AppError::Unreachable | AppError::Internal(_) | AppError::TooMany(_))
}

/// Queues a draft again unless a newer one waits; says how long to pause.
fn put_back(post: &Post, draft: Draft) -> Duration {
    let mut state = post.state();
    state.waiting.get_or_insert(draft);
    state.failures += 1;
    Duration::from_millis(patience(state.failures))
}
