//! The submit queue: submissions that the server does not have yet.
//!
//! - Each submission is an entry of its own in the browser's storage, under the name of its rater: tabs
//!   share them, reloads keep them, and another person who logs in neither sees nor sends them.
//! - They are sent one at a time, oldest first, each under its key, so that a retry, a second tab or a
//!   second press counts once. One that waits for its draft delays those behind it: the server's order is
//!   the order of the rater's decisions, which "back" follows.
//! - An entry is deleted only when the server has it or its rater discards it. A rejected one stays, with
//!   the reason.
//!
//! The submit queue is created once, at the root, and outlives every page.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use leptos::{ev, prelude::*, task::spawn_local};
use serde::{Deserialize, Serialize};

use super::{
    browser,
    keys::{asked, pause},
};
use model::{error::AppError, grading::Draft, ids::Token};
use rpc::grading::{skip, submit_rating, who};
use texts::I18n;
use ui::{
    context::{use_i18n, use_visitor},
    effect::effect,
    failure::error_text,
    json,
};

/// An entry to deliver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Identifies the submission: sent again, it counts once.
    pub key: String,
    /// The study.
    pub study: Token,
    /// The output, by the rater's name for it.
    pub assignment: Token,
    /// The decision.
    pub what: Decision,
    /// Whether the page showed no earlier rating.
    #[serde(default)]
    pub first: bool,
    /// When, in milliseconds since 1970 by the browser's clock.
    pub since: f64,
    /// Why the server rejected it, if it did.
    pub refused: Option<String>,
}

/// A decision about an output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Decision {
    /// This rating.
    Rate(Draft),
    /// A skip.
    Skip,
}

/// The state of the connection between this browser and the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Connection {
    /// No problem.
    #[default]
    Open,
    /// The server could not be reached; it will be retried.
    Unreachable,
    /// The server is busy and said when to retry.
    Busy,
    /// The session has ended.
    LoggedOut,
    /// Another person, of this name, is logged in in this browser.
    SomebodyElse(String),
}

/// The state of a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubmissionState {
    /// Being sent, or waiting.
    Waiting,
    /// Rejected by the server.
    Refused(String),
    /// The server has it.
    Delivered,
}

/// The submit queue. Cheap to copy into closures.
#[derive(Clone, Copy)]
pub struct SubmitQueue {
    /// Waiting entries, oldest first.
    pub entries: RwSignal<Vec<Entry>>,
    /// The state of the connection.
    pub connection: RwSignal<Connection>,
    /// Whether the browser stores the entries; without storage, only this page has them.
    pub kept: RwSignal<bool>,
    rater: StoredValue<Option<String>>,
    i18n: I18n,
    inner: StoredValue<Arc<Mutex<Inner>>>,
}

#[derive(Default)]
struct Inner {
    busy: bool,
    failures: u32,
    /// The time before which a busy server wants no requests, in milliseconds since 1970.
    rests_until: f64,
    /// Drafts being sent: a rating must not overtake the draft that it replaces.
    drafts: Vec<Token>,
}

/// Provides the submit queue to everything below, and starts it in the browser; the root calls it once.
pub fn provide_submit_queue() {
    let submit_queue = SubmitQueue {
        entries: RwSignal::default(),
        connection: RwSignal::default(),
        kept: RwSignal::new(true),
        rater: StoredValue::new(use_visitor().me.map(|me| me.name)),
        i18n: use_i18n(),
        inner: StoredValue::default(),
    };
    provide_context(submit_queue);
    effect(move |began: Option<()>| {
        if began.is_none() {
            submit_queue.begin();
        }
    });
}

/// The submit queue; an empty one without storage if the root created none.
pub fn use_submit_queue() -> SubmitQueue {
    use_context::<SubmitQueue>().unwrap_or_else(|| SubmitQueue {
        entries: RwSignal::default(),
        connection: RwSignal::default(),
        kept: RwSignal::new(false),
        rater: StoredValue::new(None),
        i18n: use_i18n(),
        inner: StoredValue::default(),
    })
}

impl SubmitQueue {
    /// Adds a submission and sends it as soon as possible. With `first`, the page showed no rating of the output, so the
    /// server refuses this one if there is one by now.
    pub fn post(self, study: Token, assignment: Token, what: Decision, first: bool) -> String {
        let key = browser::random_key();
        let entry = Entry { key: key.clone(), study, assignment, what, first, since: browser::clock(), refused: None };
        self.store(&entry);
        self.entries.update(|entries| entries.push(entry));
        self.pump();
        key
    }

    /// The state of the submission with that name. Tracked, so an effect that reads it runs again.
    pub fn state_of(self, key: &str) -> SubmissionState {
        self.entries.with(|entries| match entries.iter().find(|entry| entry.key == key) {
            None => SubmissionState::Delivered,
            Some(Entry { refused: Some(why), .. }) => SubmissionState::Refused(why.clone()),
            Some(_) => SubmissionState::Waiting,
        })
    }

    /// How many submissions wait; tracked. Pages about ratings have it in the source of their data, to fetch once more
    /// when the server has them.
    pub fn waiting(self) -> usize {
        self.entries.with(|entries| entries.iter().filter(|entry| entry.refused.is_none()).count())
    }

    /// The newest waiting submission of an output.
    pub fn waiting_for(self, assignment: &Token) -> Option<Entry> {
        self.entries.with_untracked(|entries| {
            let waits = |entry: &&Entry| entry.assignment == *assignment && entry.refused.is_none();
            entries.iter().rev().find(waits).cloned()
        })
    }

    /// The names of the waiting submissions of an output.
    pub fn keys_for(self, assignment: &Token) -> Vec<String> {
        self.entries.with_untracked(|entries| {
            let waits = |entry: &&Entry| entry.assignment == *assignment && entry.refused.is_none();
            entries.iter().filter(waits).map(|entry| entry.key.clone()).collect()
        })
    }

    /// The outputs of a study whose submissions wait.
    pub fn waiting_in(self, study: &Token) -> Vec<Token> {
        self.entries.with_untracked(|entries| {
            let waits = |entry: &&Entry| entry.study == *study && entry.refused.is_none();
            entries.iter().filter(waits).map(|entry| entry.assignment.clone()).collect()
        })
    }

    /// Removes a submission, unless it may be on its way.
    pub fn take_back(self, key: &str) -> Option<Entry> {
        if self.within(|inner| inner.busy) {
            return None;
        }
        let entry = self.entries.with_untracked(|entries| entries.iter().find(|entry| entry.key == key).cloned());
        if entry.is_some() {
            self.discard(key);
        }
        entry
    }

    /// Deletes a submission: the server has it, or its rater discards it.
    pub fn discard(self, key: &str) {
        if let Some(rater) = self.rater.get_value() {
            browser::remove(&browser::entry_name(&rater, key));
        }
        self.entries.update(|entries| entries.retain(|entry| entry.key != key));
    }

    /// Tries again now.
    pub fn hurry(self) {
        self.within(|inner| inner.failures = 0);
        self.pump();
    }

    /// Sends nothing for that long, in milliseconds, as a busy server asked: not after another rating, either, nor
    /// when the page gets the focus.
    pub fn rest(self, ms: u64) {
        self.within(|inner| inner.rests_until = inner.rests_until.max(browser::clock() + ms as f64));
    }

    /// A draft of this output is about to be sent; its rating waits until it has arrived. False if one is
    /// already being sent, by a page that was left and returned to: two at once could arrive in the wrong
    /// order. False also while a busy server is left alone.
    pub fn draft_leaves(self, assignment: &Token) -> bool {
        self.within(|inner| {
            let free = !inner.drafts.contains(assignment) && browser::clock() >= inner.rests_until;
            if free {
                inner.drafts.push(assignment.clone());
            }
            free
        })
    }

    /// The draft has arrived, or has not.
    pub fn draft_lands(self, assignment: &Token) {
        self.within(|inner| inner.drafts.retain(|token| token != assignment));
        self.pump();
    }

    /// The owner of these drafts and submissions; nobody on a page without a session.
    pub fn rater(self) -> Option<String> {
        self.rater.get_value()
    }

    /// Finds out why the server rejects this rater's requests: `None` if the session is still valid.
    pub async fn estranged(self) -> Option<Connection> {
        match who().await {
            Ok(name) if Some(&name) == self.rater.get_value().as_ref() => None,
            Ok(name) => Some(Connection::SomebodyElse(name)),
            Err(AppError::Unauthenticated) => Some(Connection::LoggedOut),
            Err(_) => Some(Connection::Unreachable),
        }
    }

    fn begin(self) {
        let Some(rater) = self.rater.get_value() else { return };
        self.read();
        let online = window_event_listener(ev::online, move |_| self.hurry());
        // Somebody who logged in again in another tab returns to this one.
        let focus = window_event_listener(ev::focus, move |_| {
            if self.connection.get_untracked() != Connection::Open {
                self.hurry();
            }
        });
        // Another tab added or delivered an entry.
        let storage = window_event_listener(ev::storage, move |event| {
            if event.key().is_none_or(|key| key.starts_with(&browser::entry_name(&rater, ""))) {
                self.read();
            }
        });
        let leaving = window_event_listener(ev::beforeunload, move |event| {
            if !self.kept.get_untracked() && self.entries.with_untracked(|entries| !entries.is_empty()) {
                event.prevent_default();
            }
        });
        // As long as the page exists.
        std::mem::forget((online, focus, storage, leaving));
        self.pump();
    }

    /// Reads the storage. Entries that only this page has are kept.
    fn read(self) {
        let (Some(rater), true) = (self.rater.get_value(), self.kept.get_untracked()) else { return };
        let mut entries: Vec<Entry> =
            browser::all(&browser::entry_name(&rater, "")).iter().filter_map(|text| json::read(text).ok()).collect();
        entries.sort_by(|a, b| a.since.total_cmp(&b.since));
        if self.entries.with_untracked(|now| *now != entries) {
            self.entries.set(entries);
        }
    }

    fn store(self, entry: &Entry) {
        let stored = self
            .rater
            .get_value()
            .zip(serde_json::to_string(entry).ok())
            .is_some_and(|(rater, text)| browser::keep(&browser::entry_name(&rater, &entry.key), &text));
        if !stored {
            self.kept.set(false);
        }
    }

    fn pump(self) {
        let next = {
            let shared = self.inner.get_value();
            let mut inner = lock(&shared);
            let next = self.entries.with_untracked(|entries| {
                let first = entries.iter().find(|entry| entry.refused.is_none());
                first.filter(|entry| !inner.drafts.contains(&entry.assignment)).cloned()
            });
            if inner.busy || next.is_none() || browser::clock() < inner.rests_until {
                if next.is_none() && self.entries.with_untracked(Vec::is_empty) {
                    self.set_connection(Connection::Open);
                }
                return;
            }
            inner.busy = true;
            next
        };
        let Some(entry) = next else { return };
        spawn_local(async move {
            let answer = match &entry.what {
                Decision::Rate(draft) => {
                    let (output, key) = (entry.assignment.clone(), entry.key.clone());
                    submit_rating(output, draft.clone(), key, entry.first).await.map(|_| ())
                }
                Decision::Skip => skip(entry.assignment.clone()).await,
            };
            self.answered(entry, answer).await;
        });
    }

    async fn answered(self, entry: Entry, answer: Result<(), AppError>) {
        let busy = answer.as_ref().err().and_then(asked).is_some();
        let reason = answer.as_ref().err().cloned().unwrap_or(AppError::Unreachable);
        let connection = match answer {
            Ok(()) => {
                self.discard(&entry.key);
                Connection::Open
            }
            Err(AppError::Unauthenticated) => Connection::LoggedOut,
            Err(_) if busy => Connection::Busy,
            Err(error) if passing(&error) => Connection::Unreachable,
            // A name that the server does not know may be another person's.
            Err(error) => match self.estranged().await {
                Some(connection) => connection,
                None => {
                    self.refuse(&entry, error_text(&error, self.i18n));
                    Connection::Open
                }
            },
        };
        let failures = {
            let shared = self.inner.get_value();
            let mut inner = lock(&shared);
            inner.busy = false;
            inner.failures = if connection == Connection::Open { 0 } else { inner.failures + 1 };
            inner.failures
        };
        let open = connection == Connection::Open;
        let again = matches!(connection, Connection::Unreachable | Connection::Busy);
        self.set_connection(connection);
        if open {
            self.pump();
        } else if again {
            let wait = pause(failures, &reason, browser::chance());
            if busy {
                self.rest(wait);
            }
            set_timeout(move || self.pump(), Duration::from_millis(wait));
        }
    }

    fn refuse(self, entry: &Entry, why: String) {
        let refused = Entry { refused: Some(why), ..entry.clone() };
        self.store(&refused);
        self.entries.update(|entries| {
            if let Some(there) = entries.iter_mut().find(|there| there.key == refused.key) {
                *there = refused;
            }
        });
    }

    fn set_connection(self, connection: Connection) {
        if self.connection.with_untracked(|now| *now != connection) {
            self.connection.set(connection);
        }
    }

    fn within<T>(self, what: impl FnOnce(&mut Inner) -> T) -> T {
        what(&mut lock(&self.inner.get_value()))
    }
}

fn lock(inner: &Arc<Mutex<Inner>>) -> MutexGuard<'_, Inner> {
    // A poisoned lock contains valid data; ignore poisoning.
    inner.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a retry may help.
pub fn passing(error: &AppError) -> bool {
    matches!(error, AppError::Unreachable | AppError::Internal(_) | AppError::TooMany(_) | AppError::Busy(_))
}
