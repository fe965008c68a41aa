//! What a collection asks for: a model's outputs for tasks, or a judge model's scores of outputs.

use std::{collections::BTreeSet, sync::Arc};

use app::model::{
    collection::{ChatMessage, CollectionPlan, CollectionSettings, PLAN_PROMPTS, PlannedPrompt},
    conversation::Way,
    ids::{CollectionId, OutputId},
    judging::LevelOrder,
    lang::Lang,
    rubric::Rubric,
};
use rusqlite::Connection;

use super::subjects::Subjects;
use crate::{
    db::{
        Db,
        collections::{Collection, Follow, Prompt, Sending},
        conversations, judgings,
    },
    error::Failure,
    formats::{
        judging::{self, Material},
        prompts,
    },
    services::visible_texts,
};

/// Outputs whose prompts are made in one read, for a plan.
const CHUNK: usize = 200;

/// What a collection asks for.
#[derive(Clone)]
pub enum Work {
    Outputs(Arc<Subjects>),
    Scores(Arc<Judge>),
}

/// How a judge is asked.
pub struct Judge {
    pub rubric: Rubric,
    pub lang: Lang,
    pub level_order: LevelOrder,
    pub seed: i64,
}

impl Work {
    pub fn load(conn: &Connection, of: &Collection) -> Result<Work, Failure> {
        Ok(match &of.judging {
            None => Work::Outputs(Arc::new(Subjects::load(conn, of.version)?)),
            Some(how) => Work::Scores(Arc::new(Judge {
                rubric: judgings::rubric(conn, of.row.id)?,
                lang: how.lang,
                level_order: how.level_order,
                seed: of.settings.seed.unwrap_or(0),
            })),
        })
    }

    /// The first turn of a request, and its messages.
    pub fn first(
        &self,
        conn: &Connection,
        settings: &CollectionSettings,
        of: &Sending,
    ) -> Result<(u32, Prompt), Failure> {
        match (self, of.output) {
            (Work::Outputs(subjects), _) => {
                let (turn, messages) = subjects.first(settings, &of.task_id)?;
                let key = if turn == 0 { of.task_id.clone() } else { format!("{} turn {turn}", of.task_id) };
                Ok((turn, Prompt { key, messages }))
            }
            (Work::Scores(judge), Some(output)) => Ok((0, judge.prompt(conn, output, of.sample)?)),
            (Work::Scores(_), None) => Err(Failure::internal("a judging's request has no output")),
        }
    }

    /// What a response leads to. `messages` are those that it answers.
    ///
    /// # Errors
    ///
    /// The template of a conversation's instructions cannot be filled in.
    pub fn follow(
        &self,
        settings: &CollectionSettings,
        sending: &Sending,
        messages: &[ChatMessage],
        response: &str,
    ) -> Result<Follow, Failure> {
        let key = |turn: u32| format!("position {} turn {turn}", sending.position);
        let judge = match self {
            Work::Scores(judge) => judge,
            Work::Outputs(_) if settings.way == Some(Way::Dynamic) => return Ok(Follow::Tests),
            Work::Outputs(subjects) => {
                let next = subjects.next(settings, &sending.task_id, sending.turn, messages, response)?;
                return Ok(next.map_or(Follow::Nothing, |(turn, messages)| {
                    Follow::Turn(turn, Prompt { key: key(turn), messages })
                }));
            }
        };
        Ok(match judging::read(response, &judge.rubric) {
            Ok(answer) => Follow::Scores(answer.scores, answer.comment),
            Err(_) if sending.turn > 0 => Follow::Invalid,
            Err(fault) => {
                Follow::Turn(1, Prompt { key: key(1), messages: judging::messages_again(messages, &fault, judge.lang) })
            }
        })
    }

    /// What a collection of these tasks or outputs sends.
    ///
    /// # Errors
    ///
    /// The template cannot be filled in for a task.
    pub async fn plan(&self, db: &Db, of: &Collection) -> Result<CollectionPlan, Failure> {
        match (self, &of.judging) {
            (Work::Scores(judge), Some(how)) => {
                let (judge, outputs) = (judge.clone(), first_outputs(of)?);
                let first = db.read_long(move |conn| judge.first(conn, &outputs)).await?;
                let requests = how.outputs * u64::from(of.settings.samples);
                Ok(CollectionPlan {
                    tasks: how.outputs,
                    requests,
                    at_most: false,
                    prompt_tokens: how.prompt_tokens * u64::from(of.settings.samples),
                    response_tokens: of.settings.response_tokens.map(|most| requests * u64::from(most)),
                    first,
                })
            }
            (Work::Outputs(subjects), _) => subjects.plan(&of.settings, &of.tasks),
            (Work::Scores(_), None) => Err(Failure::internal("a judging without its facts")),
        }
    }
}

/// The first outputs of a judging.
fn first_outputs(of: &Collection) -> Result<Vec<OutputId>, Failure> {
    of.tasks.iter().take(PLAN_PROMPTS).map(|id| id.parse().map_err(Failure::internal)).collect()
}

impl Judge {
    /// The messages with which the judge grades an output. Names that are masked for raters are masked for it, too.
    pub fn prompt(&self, conn: &Connection, output: OutputId, sample: u32) -> Result<Prompt, Failure> {
        let texts = visible_texts::of_output(conn, output)?;
        let worst_first = judging::is_worst_first(self.level_order, self.seed, output.0, sample);
        let asked = conversations::of_output(conn, output)?.map(|conversation| {
            // A dynamic conversation can ask for an instruction several times.
            let mut seen = BTreeSet::new();
            let turns = conversation.turns.iter().filter(|turn| seen.insert(turn.asked.turn));
            turns.map(|turn| turn.asked.instruction.trim()).collect::<Vec<_>>().join("\n\n")
        });
        let material = Material {
            description: asked.as_deref().unwrap_or(&texts.raw_nl),
            signature: texts.signature.as_deref(),
            language: texts.code_lang.name(),
            code: &texts.code,
        };
        let messages = judging::messages(&self.rubric, self.lang, worst_first, &material);
        let order = if worst_first { "worst first" } else { "best first" };
        Ok(Prompt { key: format!("output {output} {order}"), messages })
    }

    /// The prompts of the first outputs.
    pub fn first(&self, conn: &Connection, outputs: &[OutputId]) -> Result<Vec<PlannedPrompt>, Failure> {
        outputs
            .iter()
            .take(PLAN_PROMPTS)
            .map(|output| {
                let task_id = judgings::task_of(conn, *output)?;
                Ok(PlannedPrompt { task_id, messages: self.prompt(conn, *output, 0)?.messages })
            })
            .collect()
    }

    /// Estimated tokens of the prompts of these outputs.
    pub async fn tokens(self: &Arc<Self>, db: &Db, outputs: &[OutputId]) -> Result<u64, Failure> {
        let mut sum = 0;
        for chunk in outputs.chunks(CHUNK) {
            let (judge, chunk) = (self.clone(), chunk.to_vec());
            let read = move |conn: &Connection| {
                let sizes =
                    chunk.iter().map(|output| Ok(prompts::prompt_tokens(&judge.prompt(conn, *output, 0)?.messages)));
                sizes.sum::<Result<u64, Failure>>()
            };
            sum += db.read_long(read).await?;
        }
        Ok(sum)
    }
}

/// The collection's number and its prompt's key, in errors.
pub fn missing_prompt(id: CollectionId, key: &str) -> Failure {
    Failure::internal(format!("collection {id} has no prompt {key:?}"))
}
