//! The grading session: a rater's draft for one output, and its safe delivery to the server.
//!
//! - A draft is sent as soon as it changes; while one is being sent, only the newest waits, so they arrive
//!   in order and the latest wins. Until it has arrived, it is also stored in the browser.
//! - A submission goes into the [`SubmitQueue`], which delivers it once; the rater goes on.
//!
//! Sending outlives the page: a draft that is being sent when the rater goes on still arrives.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use leptos::{prelude::*, task::spawn_local};

use super::{
    activity::Clock,
    browser,
    drafts::{Dispatch, Drafts},
    keys::asked,
    scales::{self, ScoreSheet, field_id},
    submit_queue::{Connection, Decision, SubmissionState, SubmitQueue, passing, use_submit_queue},
};
use model::{
    error::AppError,
    grading::{ACTIVE_MS_MAX, Draft, DraftFault},
    ids::Token,
    rubric::Rubric,
};
use rpc::grading::save_draft;
use texts::I18n;
use ui::failure::error_text;

/// How long typing must pause before the text is sent as a draft, in milliseconds.
const WRITING_PAUSE: u64 = 400;
/// How long a draft waits before it checks again whether the previous one has arrived.
const BEHIND_ANOTHER: Duration = Duration::from_millis(100);

/// Whether the server has what is on screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SaveState {
    /// Nothing was changed here.
    Untouched,
    /// Being sent.
    Saving,
    /// The server has it.
    Saved,
    /// The server could not be reached; it will be retried.
    Retrying,
    /// The session has ended or belongs to another person.
    LoggedOut,
    /// The server rejected it, and why.
    Refused(String),
}

/// The state of the rating.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// In progress.
    Editing,
    /// In the submit queue, and the page waits for the server, because there is nothing else to show.
    Sending,
    /// Finished.
    Done,
}

/// The input of a session.
pub struct Work {
    /// The study.
    pub study: Token,
    /// The output.
    pub token: Token,
    /// The rubric.
    pub rubric: Rubric,
    /// The earlier draft.
    pub draft: Draft,
    /// Whether it can be skipped: not if it was rated, and not in a calibration.
    pub skippable: bool,
    /// Whether nothing is sent to the server: the tour.
    pub practice: bool,
    /// Whether it can be bookmarked: not in a calibration or in the tour, to which nothing leads back.
    pub has_bookmark: bool,
    /// Whether its rater has returned to it: the page shows the earlier rating and stays when that arrives.
    pub earlier: bool,
    /// Its column, counted from 0, if several outputs are on the page.
    pub column: Option<usize>,
    /// Measures the time spent on it.
    pub clock: Clock,
}

/// Callbacks.
#[derive(Clone, Copy)]
pub struct Callbacks {
    /// Whether the next output is prefetched, so that nobody has to wait for the server.
    pub ready: Callback<(), bool>,
    /// Called when work on the output has ended.
    pub done: Callback<Outcome>,
}

/// One output's draft and its delivery. Cheap to copy into closures.
#[derive(Clone, Copy)]
pub struct Session {
    /// The draft on screen.
    pub draft: RwSignal<Draft>,
    /// Whether the server has it.
    pub kept: RwSignal<SaveState>,
    /// The state of the rating.
    pub phase: RwSignal<Phase>,
    /// Why the rating cannot be submitted, as a sentence; empty if it can.
    pub problem: RwSignal<String>,
    /// Whether it was submitted in another tab.
    pub elsewhere: RwSignal<bool>,
    /// The pending submission.
    pub submit_queue: SubmitQueue,
    i18n: I18n,
    rubric: StoredValue<Rubric>,
    post: StoredValue<Post>,
    callbacks: Callbacks,
    /// The submission for which the page waits.
    awaited: RwSignal<Option<(String, Outcome)>>,
    earlier: bool,
    /// The names of the output's submissions that waited when its rater returned to it.
    known: StoredValue<Vec<String>>,
    /// Whether its rater was told that a submission was refused.
    warned: StoredValue<bool>,
    skippable: bool,
    practice: bool,
    has_bookmark: bool,
    column: Option<usize>,
    /// The time spent on the output.
    clock: Clock,
}

/// How work on an output ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was rated.
    Rated,
    /// It was skipped.
    Skipped,
}

#[derive(Clone)]
struct Post {
    study: Token,
    token: Token,
    drafts: Arc<Mutex<Drafts>>,
}

impl Post {
    fn drafts(&self) -> MutexGuard<'_, Drafts> {
        // A poisoned lock contains a valid draft; ignore poisoning.
        self.drafts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    /// A session for one output.
    pub fn new(work: Work, i18n: I18n, callbacks: Callbacks) -> Session {
        let Work { study, token, rubric, draft, skippable, practice, has_bookmark, earlier, column, clock } = work;
        Session {
            draft: RwSignal::new(draft),
            kept: RwSignal::new(SaveState::Untouched),
            phase: RwSignal::new(Phase::Editing),
            problem: RwSignal::new(String::new()),
            elsewhere: RwSignal::new(false),
            submit_queue: use_submit_queue(),
            i18n,
            rubric: StoredValue::new(rubric),
            post: StoredValue::new(Post { study, token, drafts: Arc::default() }),
            callbacks,
            awaited: RwSignal::new(None),
            earlier,
            known: StoredValue::default(),
            warned: StoredValue::new(false),
            skippable,
            practice,
            has_bookmark,
            column,
            clock,
        }
    }

    /// Whether the page shows the rating that a submission would replace, or its rater was told of it.
    pub fn sees_rating(self) -> bool {
        self.earlier || self.warned.get_value()
    }

    /// Whether the output can be bookmarked.
    pub fn has_bookmark(self) -> bool {
        self.has_bookmark
    }

    /// The id of one of its fields, prefixed with the letter of its column.
    pub fn id(self, field: &str) -> String {
        field_id(self.column, field)
    }

    /// Its scores, for the scales.
    pub fn sheet(self) -> ScoreSheet {
        let give = Callback::new(move |(place, score)| self.give(place, score));
        ScoreSheet { draft: self.draft, give, column: self.column }
    }

    /// Sets a score.
    pub fn give(self, place: usize, score: u8) {
        self.change(|draft| scales::put(draft, place, score));
    }

    /// The id of the radio button for a score.
    pub fn radio_id(self, place: usize, score: u8) -> String {
        self.id(&scales::radio(place, score))
    }

    /// The submission was withdrawn: it is edited again.
    pub fn reopen(self, draft: Option<Draft>) {
        if let Some(draft) = draft {
            self.draft.set(draft);
        }
        self.awaited.set(None);
        self.kept.set(SaveState::Untouched);
        self.phase.set(Phase::Editing);
    }

    /// The output's name.
    pub fn token(self) -> Token {
        self.post.with_value(|post| post.token.clone())
    }

    /// The study's name.
    pub fn study(self) -> Token {
        self.post.with_value(|post| post.study.clone())
    }

    /// Restores a draft from this browser that is newer than the server's. Only after hydration, because the
    /// server cannot know it.
    pub fn recover(self) {
        let (token, Some(rater)) = (self.token(), self.submit_queue.rater()) else { return };
        if self.practice {
            return;
        }
        // Submitted before, and the server does not have it yet.
        if let Some(entry) = self.submit_queue.waiting_for(&token) {
            let outcome = match entry.what {
                Decision::Rate(draft) => {
                    self.draft.set(draft);
                    Outcome::Rated
                }
                Decision::Skip => Outcome::Skipped,
            };
            if self.earlier {
                self.known.set_value(self.submit_queue.keys_for(&token));
            } else {
                self.phase.set(Phase::Sending);
                self.awaited.set(Some((entry.key, outcome)));
                return;
            }
        }
        let kept =
            browser::unstash(&rater, &token).filter(|kept| self.sound(kept) && *kept != self.draft.get_untracked());
        match kept {
            Some(kept) => self.change(|draft| *draft = kept),
            None => browser::forget(&rater, &token),
        }
    }

    /// Follows a submission for which the page waits, and notices one from another tab. Call it in an
    /// effect, because it tracks.
    pub fn follow(self) {
        let Some((key, outcome)) = self.awaited.get() else {
            self.submit_queue.entries.track();
            let known = self.known.get_value();
            let theirs = self.submit_queue.keys_for(&self.token()).iter().any(|key| !known.contains(key));
            if theirs && self.phase.get_untracked() == Phase::Editing {
                self.elsewhere.set(true);
            }
            return;
        };
        match self.submit_queue.state_of(&key) {
            SubmissionState::Waiting => {}
            SubmissionState::Refused(why) => {
                // Its rater reads why and may submit again.
                self.warned.set_value(true);
                self.submit_queue.discard(&key);
                self.awaited.set(None);
                self.phase.set(Phase::Editing);
                self.problem.set(why);
            }
            SubmissionState::Delivered => {
                self.awaited.set(None);
                self.finish(outcome);
            }
        }
    }

    /// Changes the draft and sends it at once.
    pub fn change(self, how: impl FnOnce(&mut Draft)) {
        if self.put(how) {
            self.pump();
        }
    }

    /// Changes the draft's text and sends it when typing pauses.
    pub fn write(self, how: impl FnOnce(&mut Draft)) {
        if !self.put(how) {
            return;
        }
        let post = self.post.get_value();
        let edit = post.drafts().edited();
        let pause = Duration::from_millis(WRITING_PAUSE);
        set_timeout(
            move || {
                if post.drafts().is_newest(edit) {
                    self.pump_with(post.clone());
                }
            },
            pause,
        );
    }

    /// Sends the waiting draft now: before leaving, when the connection is back, after logging in again.
    pub fn hurry(self) {
        self.submit_queue.hurry();
        self.pump();
    }

    /// Submits the rating. Returns the dimension without a score, if one is missing. Pressed again, it does
    /// nothing.
    pub fn submit(self) -> Option<usize> {
        if self.phase.get_untracked() != Phase::Editing {
            return None;
        }
        let draft = self.draft.get_untracked();
        if let Some(fault) = self.rubric.with_value(|rubric| draft.fault(rubric)) {
            self.problem.set(self.fault_text(fault));
            return match fault {
                DraftFault::Missing(place) | DraftFault::OffScale(place) => Some(place),
                DraftFault::NoReason => {
                    browser::focus(&self.id("flag_text"), false);
                    None
                }
                DraftFault::TooLong | DraftFault::Notes | DraftFault::OtherRubric | DraftFault::Time => None,
            };
        }
        self.problem.set(String::new());
        browser::mark("aixgrade-submitted");
        let active_ms = self.active_ms(draft.active_ms);
        self.decide(Decision::Rate(Draft { active_ms, ..draft }), Outcome::Rated);
        None
    }

    /// The time spent on this output, `before` (in an earlier draft) and now.
    fn active_ms(self, before: Option<u64>) -> Option<u64> {
        Some(before.unwrap_or(0).saturating_add(self.clock.read()?).min(ACTIVE_MS_MAX))
    }

    /// Skips the output, or reports that this one cannot be skipped.
    pub fn skip(self) {
        if !self.skippable {
            self.problem.set(self.i18n.grading().not_skipped.into());
        } else if self.phase.get_untracked() == Phase::Editing {
            self.decide(Decision::Skip, Outcome::Skipped);
        }
    }

    /// Shows what is wrong with the draft.
    pub fn fault_text(self, fault: DraftFault) -> String {
        let name = |place: usize| {
            self.rubric.with_value(|rubric| {
                rubric.dimensions.get(place).map(|d| d.name.get(self.i18n.lang).to_owned()).unwrap_or_default()
            })
        };
        match fault {
            DraftFault::Missing(place) => (self.i18n.rater().score_missing)(&name(place)),
            DraftFault::OffScale(_) => self.i18n.common.off_scale.into(),
            DraftFault::Time => self.i18n.common.time_wrong.into(),
            DraftFault::NoReason => self.i18n.common.no_reason.into(),
            DraftFault::TooLong => self.i18n.common.too_long.into(),
            DraftFault::Notes => self.i18n.common.notes_wrong.into(),
            DraftFault::OtherRubric => self.i18n.common.other_rubric.into(),
        }
    }

    /// The visitor's language.
    pub fn lang(self) -> model::lang::Lang {
        self.i18n.lang
    }

    fn decide(self, what: Decision, outcome: Outcome) {
        if self.practice {
            self.finish(outcome);
            return;
        }
        let post = self.post.get_value();
        post.drafts().submitted();
        if let Some(rater) = self.submit_queue.rater() {
            browser::forget(&rater, &post.token);
        }
        self.phase.set(Phase::Sending);
        // Another tab's rating is already on its way: this one may come back, so the page waits for the answer.
        let ready = self.callbacks.ready.run(()) && !self.elsewhere.get_untracked();
        let key = self.submit_queue.post(post.study, post.token, what, !self.sees_rating());
        if ready {
            self.finish(outcome);
        } else {
            self.awaited.set(Some((key, outcome)));
        }
    }

    fn finish(self, outcome: Outcome) {
        // If the page is gone, there is nothing to advance.
        if self.phase.try_set(Phase::Done).is_none() {
            self.callbacks.done.run(outcome);
        }
    }

    fn sound(self, draft: &Draft) -> bool {
        self.rubric.with_value(|rubric| draft.draft_fault(rubric)).is_none()
    }

    /// Changes the draft on screen, in the browser's storage and in the queue; false if the rating is
    /// already being submitted.
    fn put(self, how: impl FnOnce(&mut Draft)) -> bool {
        if self.phase.get_untracked() != Phase::Editing {
            return false;
        }
        self.draft.update(how);
        self.problem.set(String::new());
        if self.practice {
            return false;
        }
        let draft = self.draft.get_untracked();
        if let Some(fault) = self.rubric.with_value(|rubric| draft.draft_fault(rubric)) {
            self.kept.set(SaveState::Refused(self.fault_text(fault)));
            return false;
        }
        let post = self.post.get_value();
        if let Some(rater) = self.submit_queue.rater() {
            browser::stash(&rater, &post.token, &draft);
        }
        post.drafts().put(draft);
        self.kept.set(SaveState::Saving);
        true
    }

    fn pump(self) {
        self.pump_with(self.post.get_value());
    }

    /// Sends the waiting draft unless one is being sent. Continues after the page is gone: its signals may
    /// then be gone, too, so access is fallible.
    fn pump_with(self, post: Post) {
        let send = post.drafts().send(|| self.submit_queue.draft_leaves(&post.token));
        let draft = match send {
            Dispatch::Nothing => return,
            Dispatch::Now(draft) => draft,
            Dispatch::Later => {
                set_timeout(move || self.pump_with(post), BEHIND_ANOTHER);
                return;
            }
        };
        spawn_local(async move {
            let answer = save_draft(post.token.clone(), draft.clone()).await;
            post.drafts().landed();
            self.submit_queue.draft_lands(&post.token);
            if self.phase.try_get_untracked().is_some_and(|phase| phase != Phase::Editing) {
                // Submitted meanwhile: the submit queue has all of it.
                return;
            }
            match answer {
                Ok(()) => self.saved(post),
                Err(error) if passing(&error) => self.again(post, draft, &error),
                Err(AppError::Unauthenticated) => self.logged_out(&post, draft, Connection::LoggedOut),
                Err(error) => match self.submit_queue.estranged().await {
                    None => {
                        self.kept.try_set(SaveState::Refused(error_text(&error, self.i18n)));
                    }
                    Some(Connection::Unreachable) => self.again(post, draft, &AppError::Unreachable),
                    Some(line) => self.logged_out(&post, draft, line),
                },
            }
        });
    }

    fn again(self, post: Post, draft: Draft, error: &AppError) {
        let wait = post.drafts().failed(draft, error, browser::chance());
        if asked(error).is_some() {
            self.submit_queue.rest(wait);
        }
        let wait = Duration::from_millis(wait);
        self.kept.try_set(SaveState::Retrying);
        set_timeout(move || self.pump_with(post.clone()), wait);
    }

    fn logged_out(self, post: &Post, draft: Draft, connection: Connection) {
        post.drafts().failed(draft, &AppError::Unauthenticated, 0.0);
        self.kept.try_set(SaveState::LoggedOut);
        self.submit_queue.connection.set(connection);
    }

    fn saved(self, post: Post) {
        let more = post.drafts().stored();
        if more {
            self.pump_with(post);
            return;
        }
        if let Some(rater) = self.submit_queue.rater() {
            browser::forget(&rater, &post.token);
        }
        self.kept.try_set(SaveState::Saved);
        // The connection is back: send what else waits.
        if self.submit_queue.connection.get_untracked() != Connection::Open {
            self.submit_queue.connection.set(Connection::Open);
            self.submit_queue.hurry();
        }
    }
}
