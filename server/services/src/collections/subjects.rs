//! The tasks of a dataset version, as collections ask for them.

use std::collections::HashMap;

use model::{
    collection::{
        ChatMessage, ChatRole, CollectionPlan, CollectionSettings, PLAN_PROMPTS, PlannedPrompt, RequestRow,
        TestedAnswer,
    },
    conversation::{TaskTurn, Way},
    dataset::{TaskRow, TestKind},
    dynamic::{self, Ask},
    error::AppError,
    ids::{DatasetVersionId, TaskRevisionId},
    lang::Bilingual,
    problem::Problem,
};
use rusqlite::Connection;

use super::settings::response_limit;
use base::error::Failure;
use db::{conversations, datasets, runs};
use formats::{
    humaneval,
    prompts::{self, Subject},
};

/// Tasks by external ID.
pub struct Subjects {
    /// In the dataset's order.
    rows: Vec<TaskRow>,
    places: HashMap<String, usize>,
    /// What HumanEval-X has of its tasks, by their place.
    humaneval: HashMap<usize, humaneval::Task>,
    /// The turns of tasks that are conversations.
    turns: HashMap<TaskRevisionId, Vec<TaskTurn>>,
    /// Whether the tests of conversations can run.
    has_tests: bool,
}

/// The failure of an answer in the prompts of a plan.
const PLAN_FAILURE: &str = "AssertionError";

/// Tokens of a response to expect where nothing tells.
pub const USUAL_RESPONSE: u64 = 500;

impl Subjects {
    pub fn load(conn: &Connection, version: DatasetVersionId) -> Result<Subjects, Failure> {
        let rows = datasets::tasks(conn, version)?;
        let mut humaneval = HashMap::new();
        let kind = datasets::test_kind(conn, version)?;
        if kind == Some(TestKind::HumanevalX) {
            let by_revision: HashMap<_, _> = rows.iter().enumerate().map(|(at, row)| (row.revision, at)).collect();
            for (revision, task) in runs::task_programs(conn, version)? {
                if let Some(at) = by_revision.get(&revision) {
                    humaneval.insert(*at, task);
                }
            }
        }
        let places = rows.iter().enumerate().map(|(at, row)| (row.task_id.clone(), at)).collect();
        let (turns, has_tests) = (conversations::turns_of_version(conn, version)?, kind == Some(TestKind::CodeIfBench));
        Ok(Subjects { rows, places, humaneval, turns, has_tests })
    }

    /// External IDs of all tasks.
    pub fn ids(&self) -> Vec<String> {
        self.rows.iter().map(|row| row.task_id.clone()).collect()
    }

    pub fn has(&self, task: &str) -> bool {
        self.places.contains_key(task)
    }

    /// The task's revision, if there is such a task.
    pub fn revision(&self, task: &str) -> Option<TaskRevisionId> {
        self.places.get(task).and_then(|at| self.rows.get(*at)).map(|row| row.revision)
    }

    /// Whether the tasks are conversations.
    pub fn have_turns(&self) -> bool {
        !self.turns.is_empty()
    }

    /// Whether the tests of conversations can run: not at repository level.
    pub fn have_tests(&self) -> bool {
        self.has_tests
    }

    /// The turns that are asked of a task, in order.
    fn asked(&self, settings: &CollectionSettings, task: &str) -> Vec<&TaskTurn> {
        let all =
            self.revision(task).and_then(|revision| self.turns.get(&revision)).map(Vec::as_slice).unwrap_or_default();
        let is_asked = |turn: &&TaskTurn| match settings.way {
            None | Some(Way::Base) => turn.turn == 0,
            Some(Way::Single) => turn.turn > 0,
            Some(Way::Multi | Way::N) => true,
            Some(Way::Dynamic) => turn.judged,
        };
        all.iter().filter(is_asked).collect()
    }

    /// Number of requests for one sample of a task; in a dynamic conversation, the maximum.
    pub fn requests(&self, settings: &CollectionSettings, task: &str) -> u64 {
        match settings.way {
            Some(Way::Dynamic) => dynamic::most_requests(self.instructions(settings, task).len()) as u64,
            _ => self.asked(settings, task).len().max(1) as u64,
        }
    }

    /// Whether these answered requests of a sample, in order, are all that there will be.
    pub fn is_whole(&self, settings: &CollectionSettings, answered: &[RequestRow]) -> bool {
        let Some(first) = answered.first() else { return false };
        if settings.way != Some(Way::Dynamic) {
            return answered.len() as u64 == self.requests(settings, &first.task_id);
        }
        let tested = answered.iter().filter_map(|row| Some((row.instruction?, row.tests.clone()?)));
        let tested: Vec<_> = tested.collect();
        tested.len() == answered.len() && self.next_ask(settings, &first.task_id, &tested).is_none()
    }

    /// The turns after the base prompt that a conversation asks for, in order.
    fn instructions(&self, settings: &CollectionSettings, task: &str) -> Vec<u32> {
        self.asked(settings, task).into_iter().map(|turn| turn.turn).filter(|turn| *turn > 0).collect()
    }

    /// What a dynamic conversation asks for after these answers: the instruction of each, and what its tests showed.
    pub fn next_ask(&self, settings: &CollectionSettings, task: &str, answers: &[(u32, TestedAnswer)]) -> Option<Ask> {
        let answered = |(instruction, tests): &(u32, TestedAnswer)| dynamic::Answered {
            instruction: *instruction,
            checks: tests.checks.clone(),
        };
        let answers: Vec<_> = answers.iter().map(answered).collect();
        dynamic::progress(&self.instructions(settings, task), &answers).next
    }

    /// The messages of the next request of a dynamic conversation: those that were sent, the response, and what is asked
    /// for. `failure` says why the response fails the tests of its instruction.
    pub fn ask(
        &self,
        settings: &CollectionSettings,
        task: &str,
        ask: Ask,
        sent: &[ChatMessage],
        response: &str,
        failure: &str,
    ) -> Result<Vec<ChatMessage>, Failure> {
        let asked = self.asked(settings, task);
        let turn = asked.iter().find(|turn| turn.turn == ask.instruction);
        let turn =
            turn.ok_or_else(|| Failure::internal("a conversation asks for a turn that its task does not have"))?;
        let next = if ask.again {
            let of = Subject { instruction: &turn.instruction, failure, ..self.get(task)? };
            user(prompts::text(&settings.feedback_template, of))?
        } else if turn.turn == 0 {
            let base = self.messages(settings, task)?;
            base.into_iter().next_back().ok_or_else(|| Failure::internal("a prompt has no message"))?
        } else {
            self.instruction(settings, task, turn)?
        };
        let answer = ChatMessage { role: ChatRole::Assistant, content: response.to_owned() };
        Ok(sent.iter().cloned().chain([answer, next]).collect())
    }

    /// The first turn that is asked of a task, and its messages.
    pub fn first(&self, settings: &CollectionSettings, task: &str) -> Result<(u32, Vec<ChatMessage>), Failure> {
        let messages = self.messages(settings, task)?;
        match self.asked(settings, task).first() {
            Some(turn) if turn.turn > 0 => Ok((turn.turn, self.in_one(settings, task, messages, turn)?)),
            _ => Ok((0, messages)),
        }
    }

    /// The next turn after a response, and its messages: an instruction after the model's own earlier answers, as the way of
    /// asking has it.
    pub fn next(
        &self,
        settings: &CollectionSettings,
        task: &str,
        turn: u32,
        sent: &[ChatMessage],
        response: &str,
    ) -> Result<Option<(u32, Vec<ChatMessage>)>, Failure> {
        let asked = self.asked(settings, task);
        let Some(next) = asked.iter().find(|next| next.turn > turn) else { return Ok(None) };
        let messages = match settings.way {
            Some(Way::Single) => self.in_one(settings, task, self.messages(settings, task)?, next)?,
            // The base prompt and its answer stay, and the instruction is another.
            Some(Way::Multi) if turn > 0 => {
                let mut messages = sent.to_vec();
                messages.pop();
                messages.push(self.instruction(settings, task, next)?);
                messages
            }
            _ => {
                let mut messages = sent.to_vec();
                messages.push(ChatMessage { role: ChatRole::Assistant, content: response.to_owned() });
                messages.push(self.instruction(settings, task, next)?);
                messages
            }
        };
        Ok(Some((next.turn, messages)))
    }

    fn instruction(&self, settings: &CollectionSettings, task: &str, turn: &TaskTurn) -> Result<ChatMessage, Failure> {
        let of = Subject { instruction: &turn.instruction, ..self.get(task)? };
        user(prompts::text(&settings.turn_template, of))
    }

    /// The base prompt and an instruction in one message.
    fn in_one(
        &self,
        settings: &CollectionSettings,
        task: &str,
        mut messages: Vec<ChatMessage>,
        turn: &TaskTurn,
    ) -> Result<Vec<ChatMessage>, Failure> {
        let instruction = self.instruction(settings, task, turn)?;
        if let Some(last) = messages.last_mut() {
            last.content = format!("{}\n\n{}", last.content, instruction.content);
        }
        Ok(messages)
    }

    /// The task's row, and what HumanEval-X has of it.
    pub fn get(&self, task: &str) -> Result<Subject<'_>, Failure> {
        let at = *self.places.get(task).ok_or_else(|| Failure::not_found("task"))?;
        let row = self.rows.get(at).ok_or_else(|| Failure::not_found("task"))?;
        Ok(Subject { row, humaneval: self.humaneval.get(&at), instruction: "", failure: "" })
    }

    /// The template for these tasks if nobody chose one.
    pub fn default_template(&self) -> Bilingual {
        let subject = |row| Subject { row, humaneval: self.humaneval.get(&0), instruction: "", failure: "" };
        let first = self.rows.first().map(subject);
        first.map(prompts::default_template).unwrap_or_default()
    }

    /// The messages for a task.
    pub fn messages(&self, settings: &CollectionSettings, task: &str) -> Result<Vec<ChatMessage>, Failure> {
        prompts::messages(&settings.system, &settings.template, self.get(task)?)
            .map_err(|problem| AppError::Invalid(vec![problem]).into())
    }

    /// The requests of a collection of these tasks.
    ///
    /// # Errors
    ///
    /// The template cannot be filled in for a task.
    pub fn plan(&self, settings: &CollectionSettings, tasks: &[String]) -> Result<CollectionPlan, Failure> {
        let samples = u64::from(settings.samples);
        let (mut requests, mut prompt_tokens, mut first) = (0, 0, Vec::new());
        let answer = response_limit(settings).unwrap_or(USUAL_RESPONSE);
        for task in tasks {
            let mut next = Some(self.first(settings, task)?);
            // In a dynamic conversation, the longest one: every answer fails.
            let each = |turn: &TaskTurn| [false, true].map(|again| Ask { instruction: turn.turn, again });
            let mut asks = self.asked(settings, task).into_iter().flat_map(each).skip(1);
            while let Some((turn, messages)) = next {
                let answers = messages.iter().filter(|message| message.role == ChatRole::Assistant).count() as u64;
                prompt_tokens += (prompts::prompt_tokens(&messages) + answers * answer) * samples;
                requests += samples;
                next = match settings.way {
                    Some(Way::Dynamic) => match asks.next() {
                        Some(ask) => Some((turn + 1, self.ask(settings, task, ask, &messages, "", PLAN_FAILURE)?)),
                        None => None,
                    },
                    _ => self.next(settings, task, turn, &messages, "")?,
                };
                if first.len() < PLAN_PROMPTS {
                    first.push(PlannedPrompt { task_id: task.clone(), messages });
                }
            }
        }
        Ok(CollectionPlan {
            tasks: tasks.len() as u64,
            requests,
            at_most: settings.way == Some(Way::Dynamic),
            prompt_tokens,
            response_tokens: response_limit(settings).map(|most| requests * most),
            first,
        })
    }
}

/// The user's message, if its template could be filled in.
fn user(text: Result<String, Problem>) -> Result<ChatMessage, Failure> {
    let content = text.map_err(|problem| AppError::Invalid(vec![problem]))?;
    Ok(ChatMessage { role: ChatRole::User, content })
}
