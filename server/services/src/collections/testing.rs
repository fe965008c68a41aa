//! The tests of a dynamic conversation's answers, and what is asked next.
//!
//! An answer is stored before its tests run, and what they show is stored together with the next request. After a kill,
//! answers without a result are tested again, and none is asked for again. A fault of the engine says nothing about an
//! answer: the model is not told of it, and the answer waits for its tests.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use model::{
    collection::{CollectionStatus, StopReason, TestedAnswer},
    conversation::Way,
    ids::DatasetVersionId,
    reason::Fault,
};
use tokio::task::JoinSet;

use super::{
    driver::{Driver, MOST_FAILURES},
    work::{Work, missing_prompt},
};
use base::error::Failure;
use db::collections::{self, Prompt, Untested};
use formats::conversations::cut_out;
use jobs::{
    Engine,
    answers::{AnswerTests, AnswerToTest},
    worker_count,
};

/// How often the tests of an answer are tried before the answer waits until the collection is resumed.
const MOST_TRIES: u32 = 2;

/// The tests of one collection's answers.
pub struct Testing {
    engine: Engine,
    version: DatasetVersionId,
    /// The tests, once they are prepared.
    prepared: Arc<Mutex<Option<AnswerTests>>>,
    pub flight: JoinSet<Done>,
    /// Requests whose answers are being tested.
    begun: Vec<i64>,
    /// Requests whose tests are tried again, with the time from which on.
    pub later: Vec<(i64, Instant)>,
    /// How often the engine failed on a request's answer; with [`MOST_TRIES`], it waits.
    faults: BTreeMap<i64, u32>,
    /// Answers in a row that wait because the engine failed on them.
    waiting_in_a_row: u32,
    /// Why the last such answer waits.
    pub last_fault: Option<Fault>,
}

/// A test that ended.
pub struct Done {
    of: Untested,
    ended: Result<TestedAnswer, Problem>,
}

/// Why an answer could not be tested.
enum Problem {
    /// No answer can be tested.
    Unprepared(Fault),
    /// The engine failed on this answer.
    Failed(Fault),
}

impl Testing {
    pub fn new(engine: &Engine, version: DatasetVersionId) -> Testing {
        Testing {
            engine: engine.clone(),
            version,
            prepared: Arc::default(),
            flight: JoinSet::new(),
            begun: Vec::new(),
            later: Vec::new(),
            faults: BTreeMap::new(),
            waiting_in_a_row: 0,
            last_fault: None,
        }
    }

    /// Whether no answer is being tested, or will be tested again.
    pub fn is_idle(&self) -> bool {
        self.flight.is_empty() && self.later.is_empty()
    }
}

impl Driver {
    /// Begins to test stored answers, as many at a time as there are processors.
    pub(super) async fn begin_tests(&mut self) -> Result<(), Failure> {
        let Work::Outputs(subjects) = &self.work else { return Ok(()) };
        if self.settings.way != Some(Way::Dynamic) {
            return Ok(());
        }
        let now = Instant::now();
        self.testing.later.retain(|(_, due)| *due > now);
        while self.testing.flight.len() < worker_count() {
            let testing = &self.testing;
            let waiting = testing.faults.iter().filter(|(_, count)| **count >= MOST_TRIES).map(|(request, _)| *request);
            let later = testing.later.iter().map(|(request, _)| *request);
            let not_now: Vec<i64> = testing.begun.iter().copied().chain(later).chain(waiting).collect();
            let (id, holder) = (self.id, self.holder.clone());
            let next = self.db.read(move |conn| collections::untested(conn, id, &holder, &not_now)).await?;
            let Some(of) = next else { return Ok(()) };
            let revision = subjects.revision(&of.request.task_id).ok_or_else(|| Failure::not_found("task"))?;
            let answer = AnswerToTest {
                revision,
                instruction: of.request.instruction.unwrap_or_default(),
                code: cut_out(&of.response).code,
            };
            self.testing.begun.extend(of.request.id);
            let (engine, db, version) = (self.testing.engine.clone(), self.db.clone(), self.testing.version);
            let prepared = self.testing.prepared.clone();
            self.testing.flight.spawn_blocking(move || {
                // Others wait while the first one prepares the tests.
                let mut known = prepared.lock().unwrap_or_else(PoisonError::into_inner);
                let tests = match &*known {
                    Some(tests) => Ok(tests.clone()),
                    None => AnswerTests::prepare(&engine, &db, version).map_err(Problem::Unprepared),
                };
                known.clone_from(&tests.as_ref().ok().cloned());
                drop(known);
                let ended = tests.and_then(|tests| tests.run(answer).map_err(Problem::Failed));
                Done { of, ended }
            });
        }
        Ok(())
    }

    /// Stores what the tests of an answer showed and what is asked next, or why they could not run.
    pub(super) async fn note_tested(&mut self, done: Done) -> Result<(), Failure> {
        let Done { of, ended } = done;
        let request = of.request.id.unwrap_or_default();
        self.testing.begun.retain(|begun| *begun != request);
        let fault = match ended {
            Ok(tests) => {
                self.testing.waiting_in_a_row = 0;
                return self.store_tested(of, tests).await;
            }
            Err(Problem::Unprepared(fault)) => {
                self.store_fault(request, &fault).await?;
                return self.end(CollectionStatus::Stopped, Some(StopReason::Tests(fault))).await;
            }
            Err(Problem::Failed(fault)) => fault,
        };
        self.store_fault(request, &fault).await?;
        let count = self.testing.faults.entry(request).or_default();
        *count += 1;
        if *count < MOST_TRIES {
            self.testing.later.push((request, Instant::now() + self.pace.wait(*count)));
            return Ok(());
        }
        self.testing.waiting_in_a_row += 1;
        self.testing.last_fault = Some(fault.clone());
        if self.testing.waiting_in_a_row >= MOST_FAILURES {
            self.end(CollectionStatus::Stopped, Some(StopReason::Tests(fault))).await?;
        }
        Ok(())
    }

    async fn store_fault(&self, request: i64, fault: &Fault) -> Result<(), Failure> {
        let (id, holder, fault) = (self.id, self.holder.clone(), fault.clone());
        self.db.write(move |tx| collections::not_tested(tx, id, &holder, request, &fault)).await
    }

    async fn store_tested(&self, of: Untested, tests: TestedAnswer) -> Result<(), Failure> {
        let Work::Outputs(subjects) = self.work.clone() else {
            return Err(Failure::internal("a judge's answer has no tests"));
        };
        let (id, holder, settings) = (self.id, self.holder.clone(), self.settings.clone());
        let Untested { request, response } = of;
        let (position, instruction) = (request.position, request.instruction.unwrap_or_default());
        let key = request.prompt.clone().unwrap_or_default();
        let name = key.clone();
        let read = move |conn: &rusqlite::Connection| {
            Ok((collections::tested_answers(conn, id, position)?, collections::prompt(conn, id, &name)?))
        };
        let (mut answers, sent) = self.db.read(read).await?;
        let sent = sent.ok_or_else(|| missing_prompt(id, &key))?;
        answers.push((instruction, tests.clone()));
        let next = match subjects.next_ask(&settings, &request.task_id, &answers) {
            Some(ask) => {
                let messages = subjects.ask(&settings, &request.task_id, ask, &sent, &response, &tests.failure)?;
                let key = format!("position {position} turn {}", request.turn + 1);
                Some((ask.instruction, Prompt { key, messages }))
            }
            None => None,
        };
        let store = move |tx: &rusqlite::Transaction<'_>| {
            let next = next.as_ref().map(|(instruction, prompt)| (*instruction, prompt));
            collections::tested(tx, id, &holder, &request, &tests, next)
        };
        self.db.write(store).await
    }
}
