//! The tasks of a dataset version, as collections ask for them.

use std::collections::HashMap;

use app::{
    error::AppError,
    model::{
        collection::{ChatMessage, CollectionPlan, CollectionSettings, PLAN_PROMPTS, PlannedPrompt},
        dataset::{TaskRow, TestKind},
        ids::{DatasetVersionId, TaskRevisionId},
        lang::Bilingual,
    },
};
use rusqlite::Connection;

use crate::{
    db::{datasets, runs},
    error::Failure,
    formats::{
        humaneval,
        prompts::{self, Subject},
    },
};

/// Tasks by external ID.
pub struct Subjects {
    /// In the dataset's order.
    rows: Vec<TaskRow>,
    places: HashMap<String, usize>,
    /// What HumanEval-X has of its tasks, by their place.
    humaneval: HashMap<usize, humaneval::Task>,
}

impl Subjects {
    pub fn load(conn: &Connection, version: DatasetVersionId) -> Result<Subjects, Failure> {
        let rows = datasets::tasks(conn, version)?;
        let mut humaneval = HashMap::new();
        if datasets::test_kind(conn, version)? == Some(TestKind::HumanevalX) {
            let by_revision: HashMap<_, _> = rows.iter().enumerate().map(|(at, row)| (row.revision, at)).collect();
            for (revision, _, body) in runs::task_tests(conn, version)? {
                if let Some(at) = by_revision.get(&revision) {
                    humaneval.insert(*at, serde_json::from_str(&body)?);
                }
            }
        }
        let places = rows.iter().enumerate().map(|(at, row)| (row.task_id.clone(), at)).collect();
        Ok(Subjects { rows, places, humaneval })
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

    /// The task's row, and what HumanEval-X has of it.
    pub fn get(&self, task: &str) -> Result<Subject<'_>, Failure> {
        let at = *self.places.get(task).ok_or_else(|| Failure::not_found("task"))?;
        let row = self.rows.get(at).ok_or_else(|| Failure::not_found("task"))?;
        Ok(Subject { row, humaneval: self.humaneval.get(&at) })
    }

    /// The template for these tasks if nobody chose one.
    pub fn default_template(&self) -> Bilingual {
        let first = self.rows.first().map(|row| Subject { row, humaneval: self.humaneval.get(&0) });
        first.map(prompts::default_template).unwrap_or_default()
    }

    /// The messages for a task.
    pub fn messages(&self, settings: &CollectionSettings, task: &str) -> Result<Vec<ChatMessage>, Failure> {
        prompts::messages(&settings.system, &settings.template, self.get(task)?)
            .map_err(|problem| AppError::Invalid(vec![problem]).into())
    }

    /// Estimated tokens of the longest prompt.
    pub fn longest_prompt(&self, settings: &CollectionSettings, tasks: &[String]) -> Result<u64, Failure> {
        let sizes = tasks.iter().map(|task| Ok(prompts::prompt_tokens(&self.messages(settings, task)?)));
        Ok(sizes.collect::<Result<Vec<_>, Failure>>()?.into_iter().max().unwrap_or(0))
    }

    /// The requests of a collection of these tasks.
    ///
    /// # Errors
    ///
    /// The template cannot be filled in for a task.
    pub fn plan(&self, settings: &CollectionSettings, tasks: &[String]) -> Result<CollectionPlan, Failure> {
        let samples = u64::from(settings.samples);
        let (mut prompt_tokens, mut first) = (0, Vec::new());
        for task in tasks {
            let messages = self.messages(settings, task)?;
            prompt_tokens += prompts::prompt_tokens(&messages) * samples;
            if first.len() < PLAN_PROMPTS {
                first.push(PlannedPrompt { task_id: task.clone(), messages });
            }
        }
        let requests = tasks.len() as u64 * samples;
        Ok(CollectionPlan {
            tasks: tasks.len() as u64,
            requests,
            prompt_tokens,
            response_tokens: settings.response_tokens.map(|most| requests * u64::from(most)),
            first,
        })
    }
}
