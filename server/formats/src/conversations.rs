//! Outputs of tasks that are conversations: which turn a line answers, and what of it is code.

use std::collections::HashMap;

use model::{
    conversation::{InstructionKind, TaskTurn, Way},
    reading::{BlockRole, ReadBlock, Reading, Why},
    submission::{Reported, Shape, TheirVerdict},
};
use serde_json::Value;

use super::{
    chat::Answer,
    lines::{Fault, Object},
    reasoning,
};

/// The turns of a dataset's tasks, by the tasks' IDs.
#[derive(Clone, Debug, Default)]
pub struct Turns(pub HashMap<String, Vec<TaskTurn>>);

/// How the model was asked for an output, and the turn that it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineTurn {
    pub way: Way,
    /// The place of the answer in the conversation.
    pub turn: u32,
    /// In a dynamic conversation: the turn of the task whose instruction it answers.
    pub instruction: Option<u32>,
}

/// Finds the turns of a file's lines, in their order.
pub struct Placing<'t> {
    turns: &'t Turns,
    /// The way that the file's name tells.
    way: Option<Way>,
    /// Lines of each task so far.
    seen: HashMap<String, usize>,
}

impl Turns {
    /// Starts to read a file of this name.
    pub fn placing(&self, file: &str) -> Placing<'_> {
        Placing { turns: self, way: way_of_name(file), seen: HashMap::new() }
    }

    fn of(&self, task_id: &str) -> Option<&Vec<TaskTurn>> {
        self.0.get(task_id).or_else(|| self.0.get(task_id.rsplit_once('/')?.1))
    }
}

/// The way that a file's name tells, as the benchmark's authors name files: `x_n.jsonl` or `x-n.jsonl`,
/// `x_single.jsonl` or `x020.jsonl`, `x_multi.jsonl` or `x03.jsonl`, `x_base.jsonl` or `x01.jsonl`.
pub fn way_of_name(file: &str) -> Option<Way> {
    let stem = file.rsplit('/').next().unwrap_or(file).to_lowercase();
    let stem = stem.split(".json").next().unwrap_or_default();
    let words =
        [("n", Way::N), ("single", Way::Single), ("multi", Way::Multi), ("base", Way::Base), ("dynamic", Way::Dynamic)];
    let named = words.into_iter().find(|(word, _)| {
        stem.strip_suffix(word).is_some_and(|rest| rest.is_empty() || rest.ends_with(['_', '-', ' ', '.']))
    });
    let numbered = [("020", Way::Single), ("03", Way::Multi), ("01", Way::Base)];
    named.or_else(|| numbered.into_iter().find(|(end, _)| stem.ends_with(end))).map(|(_, way)| way)
}

impl Placing<'_> {
    /// The turn that the next line answers: by the fields `turn` or `requirement` (at repository level, `type`), else by
    /// its position among the task's lines. In a dynamic conversation, `turn` counts the answers, and `instruction` or
    /// `requirement` tells what the answer was asked for.
    ///
    /// # Errors
    /// Nothing tells how the model was asked, or the task has no such turn.
    pub fn turn(&mut self, task_id: &str, object: &Object) -> Result<LineTurn, Fault> {
        let number = object.get("turn").and_then(Value::as_u64);
        let title = object.text("requirement")?.or(object.text("type")?).filter(|title| !title.trim().is_empty());
        let way = match object.text("way")? {
            Some(name) => Some(Way::from_name(name).ok_or_else(|| {
                Fault(
                    (format!("\"way\" is \"{name}\""), format!("“way”的值为“{name}”")).into(),
                    ("Use base, single, multi, n or dynamic", "请使用 base、single、multi、n 或 dynamic").into(),
                )
            })?),
            None => self.way.or((number.is_none() && title.is_none()).then_some(Way::Base)),
        };
        let way = way.ok_or_else(|| {
            Fault(
                ("neither the line nor the file's name tells how the model was asked", "该行和文件名都没有说明提问方式")
                    .into(),
                (
                    "Add \"way\" (base, single, multi, n or dynamic) to every line, or end the file's name with it: model_n.jsonl",
                    "请在每行加上“way”（base、single、multi、n 或 dynamic），或以它结尾命名文件，如 model_n.jsonl",
                )
                    .into(),
            )
        })?;
        let position = self.seen.entry(task_id.to_owned()).or_default();
        let at = *position;
        *position += 1;
        // A task that the dataset does not have is reported as such.
        let Some(turns) = self.turns.of(task_id).filter(|_| way != Way::Base) else {
            let instruction = (way == Way::Dynamic).then_some(0);
            return Ok(LineTurn { way, turn: 0, instruction });
        };
        let kind = match title {
            Some(title) => Some(InstructionKind::from_title(title).ok_or_else(|| no_such_turn(title))?),
            None => None,
        };
        if way == Way::Dynamic {
            let asked = object.get("instruction").and_then(Value::as_u64);
            let (Some(number), true) = (number, asked.is_some() || kind.is_some()) else {
                return Err(no_place());
            };
            let turn = u32::try_from(number).map_err(|_| no_such_turn(&number.to_string()))?;
            let found = turns.iter().find(|turn| match asked {
                Some(asked) => u64::from(turn.turn) == asked,
                None => Some(turn.kind) == kind,
            });
            let named = || asked.map_or_else(|| title.unwrap_or_default().to_owned(), |asked| asked.to_string());
            let instruction = found.ok_or_else(|| no_such_turn(&named()))?.turn;
            return Ok(LineTurn { way, turn, instruction: Some(instruction) });
        }
        let instructions = turns.len().saturating_sub(1).max(1);
        let place = u32::try_from(at % instructions + 1).unwrap_or(u32::MAX);
        let found = turns.iter().find(|turn| match (number, kind) {
            (Some(number), _) => u64::from(turn.turn) == number,
            (None, Some(kind)) => turn.kind == kind,
            (None, None) if way == Way::N => turn.turn == place,
            (None, None) => turn.listed == place,
        });
        let named = || number.map_or_else(|| title.unwrap_or_default().to_owned(), |number| number.to_string());
        found.map(|turn| LineTurn { way, turn: turn.turn, instruction: None }).ok_or_else(|| no_such_turn(&named()))
    }
}

fn no_place() -> Fault {
    Fault(
        (
            "the line does not say where in its dynamic conversation the answer stands",
            "该行没有说明回答在动态对话中的位置",
        )
            .into(),
        (
            "Add \"turn\", which counts the answers of the conversation from 0, and \"instruction\", the number of the \
             instruction that it answers, 0 for the base prompt",
            "请加上“turn”（从 0 起计数对话中的回答）和“instruction”（所回答指令的编号，基础提示为 0）",
        )
            .into(),
    )
}

fn no_such_turn(name: &str) -> Fault {
    let name: String = name.chars().take(100).collect();
    Fault(
        (format!("the task has no instruction \"{name}\""), format!("该任务没有指令“{name}”")).into(),
        (
            "Correct the instruction, or choose the data version to which these outputs belong",
            "请修正指令，或选择这些输出所属的数据版本",
        )
            .into(),
    )
}

/// The code of a response, as the published evaluator cuts it out: the first block that is marked as Python, else the
/// whole response. What is shown is then what is run. Reasoning is set apart first: none of the models that the benchmark
/// was published with shows any.
pub fn cut_out(response: &str) -> Answer {
    let reasoning::Parts { reasoning, answer, is_unfinished } = reasoning::split(response);
    let reading = Reading { reasoning, ..Reading::default() };
    let answer = if reading.reasoning.is_empty() { response } else { answer.as_str() };
    let Some((before, code, after)) = fenced(answer) else {
        let why = if is_unfinished { Why::NoAnswer } else { Why::Whole };
        let reading = Reading { why, ..reading };
        return Answer { code: answer.to_owned(), reading, is_cut_off: is_unfinished, ..Answer::default() };
    };
    let around: Vec<&str> = [before.trim(), after.trim()].into_iter().filter(|text| !text.is_empty()).collect();
    let block =
        ReadBlock { language: "python".into(), code: code.to_owned(), role: BlockRole::Code, is_cut_off: false };
    let reading = Reading { why: Why::First, blocks: vec![block], ..reading };
    Answer { code: code.to_owned(), surrounding_text: around.join("\n\n"), reading, is_cut_off: false }
}

/// The text before, in and after the first closed block that the evaluator's pattern finds:
/// three backticks and `python`, a line break, then everything up to the next three backticks.
fn fenced(answer: &str) -> Option<(&str, &str, &str)> {
    const OPENING: &str = "```python";
    let (at, body) = answer.match_indices(OPENING).find_map(|(at, _)| {
        let rest = &answer[at + OPENING.len()..];
        Some((at, rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n'))?))
    })?;
    let (code, after) = body.split_once("```")?;
    Some((&answer[..at], code, after))
}

/// Whether a text that the authors judged is this code. At repository level, their results have the text that the
/// evaluator's pattern matches, which begins with the line break after the opening fence.
pub fn is_cut_out(code: &str, judged: &str) -> bool {
    let judged = cut_out(judged).code;
    let from_first_line = |text: &str| text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')).map(str::to_owned);
    judged == code || from_first_line(&judged).is_some_and(|judged| judged == code)
}

/// The verdict that the benchmark's authors published with an output: `passed`, or `Result` at repository level.
/// `judged` is the text that they judged, if it is another one.
pub fn published_verdict(object: &Object, code: &str) -> Option<Reported> {
    let passed = match (object.get("passed"), object.get("Result")) {
        (Some(Value::Bool(passed)), _) => *passed,
        (_, Some(Value::String(result))) => result == "Pass",
        _ => return None,
    };
    let judged = object.get("judged").and_then(Value::as_str);
    let other_text = judged.is_some_and(|judged| !is_cut_out(code, judged));
    Some(Reported { verdict: Some(TheirVerdict { passed, other_text }), ..Reported::by(Shape::CodeIfBench) })
}

#[cfg(test)]
#[path = "conversations_test.rs"]
mod tests;
