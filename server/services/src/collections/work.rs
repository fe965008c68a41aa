//! What a collection asks for: a model's outputs for tasks, or a judge model's scores of outputs.

use std::{collections::BTreeSet, sync::Arc};

use model::{
    collection::{ChatMessage, CollectionPlan, CollectionSettings, PLAN_PROMPTS, PlannedPrompt},
    conversation::{InstructionAnswer, Way},
    ids::{CollectionId, OutputId},
    judging::LevelOrder,
    lang::Lang,
    rubric::{Dimension, Rubric},
};
use rusqlite::Connection;

use super::{settings::response_limit, subjects::Subjects};
use crate::{conversation_view::with_instructions, visible_texts};
use base::error::Failure;
use db::{
    Db,
    collections::{self, Collection, Follow, Prompt, Sending},
    conversations, instruction_answers,
    judgings::{self, JudgeAnswer},
    stored,
};
use formats::{
    judging::{self, Material},
    prompts,
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
    /// Its `instructions` says whether the judging asks about the instructions of conversations.
    pub rubric: Rubric,
    pub lang: Lang,
    pub level_order: LevelOrder,
    pub seed: i64,
}

impl Work {
    pub fn load(conn: &Connection, of: &Collection) -> Result<Work, Failure> {
        Ok(match Judge::load(conn, of)? {
            None => Work::Outputs(Arc::new(Subjects::load(conn, of.version)?)),
            Some(judge) => Work::Scores(Arc::new(judge)),
        })
    }

    /// The order of levels in the prompt of a judging's request.
    pub fn level_order(&self, of: &Sending) -> Option<LevelOrder> {
        match (self, of.output) {
            (Work::Scores(judge), Some(output)) => Some(judge.order(output, of.sample)),
            _ => None,
        }
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

    /// What a response leads to. `messages` are those that it answers; `asked` is what a judge is asked about the output.
    ///
    /// # Errors
    ///
    /// The template of a conversation's instructions cannot be filled in.
    pub fn follow(
        &self,
        asked: Option<&Asked>,
        settings: &CollectionSettings,
        sending: &Sending,
        messages: &[ChatMessage],
        response: &str,
    ) -> Result<Follow, Failure> {
        let key = |turn: u32| format!("position {} turn {turn}", sending.position);
        let (judge, asked) = match self {
            Work::Scores(judge) => {
                (judge, asked.ok_or_else(|| Failure::internal("a judging's request has no output"))?)
            }
            Work::Outputs(_) if settings.way == Some(Way::Dynamic) => return Ok(Follow::Tests),
            Work::Outputs(subjects) => {
                let next = subjects.next(settings, &sending.task_id, sending.turn, messages, response)?;
                return Ok(next.map_or(Follow::Nothing, |(turn, messages)| {
                    Follow::Turn(turn, Prompt { key: key(turn), messages })
                }));
            }
        };
        Ok(match judging::read(response, &asked.rubric) {
            Ok(answer) => Follow::Scores(asked.answer(answer)),
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
                    response_tokens: response_limit(&of.settings).map(|most| requests * most),
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
    let output = |id: &String| Ok(stored::from_text(id, collections::COLLECTIONS, of.row.id.0, "tasks")?);
    of.tasks.iter().take(PLAN_PROMPTS).map(output).collect()
}

impl Judge {
    /// The judge of a judging; `None` if the collection is of outputs.
    pub fn load(conn: &Connection, of: &Collection) -> Result<Option<Judge>, Failure> {
        let Some(how) = &of.judging else { return Ok(None) };
        Ok(Some(Judge {
            rubric: Rubric { instructions: how.instructions, ..judgings::rubric(conn, of.row.id)? },
            lang: how.lang,
            level_order: how.level_order,
            seed: of.settings.seed.unwrap_or(0),
        }))
    }

    /// The messages with which the judge grades an output. Names that are masked for raters are masked for it, too.
    pub fn prompt(&self, conn: &Connection, output: OutputId, sample: u32) -> Result<Prompt, Failure> {
        let texts = visible_texts::of_output(conn, output)?;
        let order = self.order(output, sample);
        let asked = self.asked(conn, output)?;
        let description = conversations::of_output(conn, output)?.map(|conversation| {
            // A dynamic conversation can ask for an instruction several times.
            let mut seen = BTreeSet::new();
            // Instructions that the judge answers stand by themselves.
            let is_told = |turn: u32| asked.turns.is_empty() || turn == 0;
            let turns = conversation.turns.iter().map(|turn| &turn.asked);
            let told = turns.filter(|asked| is_told(asked.turn) && seen.insert(asked.turn));
            told.map(|asked| asked.instruction.trim()).collect::<Vec<_>>().join("\n\n")
        });
        let material = Material {
            description: description.as_deref().unwrap_or(&texts.raw_nl),
            instructions: asked.instructions(),
            signature: texts.signature.as_deref(),
            language: texts.code_lang.name(),
            code: &texts.code,
        };
        let messages = judging::messages(&self.rubric, self.lang, order == LevelOrder::WorstFirst, &material);
        Ok(Prompt { key: format!("output {output} {}", order.name()), messages })
    }

    /// The order in which the prompt for an output lists the levels.
    fn order(&self, output: OutputId, sample: u32) -> LevelOrder {
        match judging::is_worst_first(self.level_order, self.seed, output.0, sample) {
            true => LevelOrder::WorstFirst,
            false => LevelOrder::BestFirst,
        }
    }

    /// What the judge is asked about an output.
    pub fn asked(&self, conn: &Connection, output: OutputId) -> Result<Asked, Failure> {
        let instructions = match self.rubric.instructions {
            true => instruction_answers::instructions(conn, output)?,
            false => Vec::new(),
        };
        Ok(Asked {
            turns: instructions.iter().map(|asked| asked.turn).collect(),
            rubric: with_instructions(self.rubric.clone(), &instructions),
        })
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

/// What a judge is asked about one output.
pub struct Asked {
    /// The judging's rubric, and after its dimensions an item for each instruction.
    rubric: Rubric,
    /// The turns of these instructions.
    turns: Vec<u32>,
}

impl Asked {
    /// Why a response is not a valid answer; `None` if it is.
    pub fn fault(&self, response: &str) -> Option<judging::Fault> {
        judging::read(response, &self.rubric).err()
    }

    /// The items for instructions.
    fn instructions(&self) -> &[Dimension] {
        let (_, items) = self.rubric.dimensions.split_at(self.rubric.dimensions.len() - self.turns.len());
        items
    }

    /// A valid answer with its answers about instructions apart.
    fn answer(&self, judging::Answer { mut scores, comment }: judging::Answer) -> JudgeAnswer {
        let follows = scores.split_off(scores.len().saturating_sub(self.turns.len()));
        let answers = self.turns.iter().zip(follows);
        let instructions = answers.map(|(turn, score)| InstructionAnswer { turn: *turn, follows: score == 1 });
        JudgeAnswer { scores, instructions: instructions.collect(), comment }
    }
}

/// What the answers of a judge for one output come to: of each score the median, of each answer about an instruction what most
/// have. The comment is the first answer's.
pub fn combined(answers: &[JudgeAnswer]) -> JudgeAnswer {
    let scores: Vec<Vec<u8>> = answers.iter().map(|answer| answer.scores.clone()).collect();
    let follows = |answer: &JudgeAnswer| answer.instructions.iter().map(|one| u8::from(one.follows)).collect();
    let follows: Vec<Vec<u8>> = answers.iter().map(follows).collect();
    let (instructions, comment) =
        answers.first().map(|first| (first.instructions.clone(), first.comment.clone())).unwrap_or_default();
    let of = |(one, follows): (InstructionAnswer, u8)| InstructionAnswer { follows: follows == 1, ..one };
    JudgeAnswer {
        scores: judging::combined(&scores),
        instructions: instructions.into_iter().zip(judging::combined(&follows)).map(of).collect(),
        comment,
    }
}

/// The collection's number and its prompt's key, in errors.
pub fn missing_prompt(id: CollectionId, key: &str) -> Failure {
    Failure::internal(format!("collection {id} has no prompt {key:?}"))
}
