//! The conversation around an output as people read it: earlier answers with masked names, and what changed between two
//! of them.

use crate::conversation_html::{ChangedLine, Changes, ShownTurn, html};
use model::{
    code::visible,
    conversation::{Conversation, TaskTurn, Way},
    ids::OutputId,
    lang::{Bilingual, Lang},
    rubric::{Dimension, Rubric},
};
use rusqlite::Connection;
use similar::{ChangeTag, TextDiff};
use texts::I18n;

use base::error::Failure;
use db::{conversations, instruction_answers, quality::masks};
use formats::masking::mask;

/// Equal lines shown before and after a change.
const CONTEXT: usize = 3;
/// Most lines of an answer that are compared: the time grows with their number times the differences.
const MOST_LINES: usize = 2000;

/// The conversation of which an output is the last answer, as raters see it: with `own` names masked, and those that are masked
/// in each answer itself. `None` if its task is no conversation.
pub fn masked(conn: &Connection, output: OutputId, own: &[String]) -> Result<Option<Conversation>, Failure> {
    let Some(mut found) = conversations::of_output(conn, output)? else { return Ok(None) };
    for answer in found.turns.iter_mut().filter_map(|turn| turn.answer.as_mut()) {
        let mut names = masks::of_output(conn, answer.output)?;
        names.extend(own.iter().filter(|name| !names.contains(name)).cloned().collect::<Vec<_>>());
        if !names.is_empty() {
            answer.code = mask(std::mem::take(&mut answer.code), &names).text;
        }
    }
    Ok(Some(found))
}

/// The instructions of an output about which a study's raters answer: none if its rubric does not ask.
pub fn asked_about(conn: &Connection, rubric: &Rubric, output: OutputId) -> Result<Vec<TaskTurn>, Failure> {
    if rubric.instructions { instruction_answers::instructions(conn, output) } else { Ok(Vec::new()) }
}

/// A rubric with an item of the checklist for each of these instructions.
pub fn with_instructions(mut rubric: Rubric, instructions: &[TaskTurn]) -> Rubric {
    for asked in instructions {
        let name = |lang| {
            let i = I18n::of(lang);
            format!("{} · {}", (i.turns().turn_n)(asked.turn), i.conversations().kind_name(asked.kind))
        };
        rubric.dimensions.push(Dimension {
            key: format!("instruction_{}", asked.turn),
            checklist: true,
            name: Bilingual { en: name(Lang::En), zh: name(Lang::Zh) },
            question: Bilingual { en: asked.instruction.clone(), zh: String::new() },
            levels: Dimension::yes_and_no(),
        });
    }
    rubric
}

/// The conversation as HTML, computed off the async threads.
///
/// # Errors
/// The computation was aborted.
pub async fn view(lang: Lang, conversation: Option<Conversation>) -> Result<Option<String>, Failure> {
    let Some(conversation) = conversation else { return Ok(None) };
    let drawn = tokio::task::spawn_blocking(move || html(I18n::of(lang), &shown(conversation)));
    Ok(Some(drawn.await.map_err(Failure::internal)?))
}

fn shown(conversation: Conversation) -> Vec<ShownTurn> {
    let mut previous: Option<String> = None;
    let way = conversation.way;
    let turns = conversation.turns.into_iter().map(|turn| {
        let answer = turn.answer.map(|answer| visible(&answer.code).into_owned());
        let changes = previous.as_ref().zip(answer.as_ref()).map(|(before, after)| changes(before, after));
        if answer.is_some() {
            previous.clone_from(&answer);
        }
        ShownTurn {
            turn: turn.place,
            again: turn.again,
            kind: turn.asked.kind,
            instruction: visible(&turn.asked.instruction).into_owned(),
            answer,
            is_joined: way == Way::Single && turn.asked.turn == 0,
            changes,
        }
    });
    turns.collect()
}

/// The lines that differ, with some equal ones around them.
fn changes(before: &str, after: &str) -> Changes {
    if before.lines().count().max(after.lines().count()) > MOST_LINES {
        return Changes::TooLong;
    }
    // A line end at the end of a text is no difference.
    let (before, after) = (format!("{}\n", before.trim_end()), format!("{}\n", after.trim_end()));
    let diff = TextDiff::from_lines(&before, &after);
    let mut lines = Vec::new();
    let mut shown_to = 0;
    let mut compared = 0;
    for group in diff.grouped_ops(CONTEXT) {
        let start = group.first().map_or(0, |op| op.old_range().start);
        if start > shown_to {
            lines.push(ChangedLine::LeftOut(start - shown_to));
        }
        shown_to = group.last().map_or(shown_to, |op| op.old_range().end);
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            compared += 1;
            let text = change.value().trim_end_matches(['\r', '\n']).to_owned();
            lines.push(match change.tag() {
                ChangeTag::Equal => ChangedLine::Same(text),
                ChangeTag::Insert => ChangedLine::Added(text),
                ChangeTag::Delete => ChangedLine::Removed(text),
            });
        }
    }
    let rest = before.lines().count().saturating_sub(shown_to);
    if compared > 0 && rest > 0 {
        lines.push(ChangedLine::LeftOut(rest));
    }
    Changes::Lines(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the previous answer and this one are, read back from the comparison of them.
    fn read_back(lines: &[ChangedLine], before: &str) -> (String, String) {
        let old: Vec<&str> = before.lines().collect();
        let (mut at, mut first, mut second) = (0, Vec::new(), Vec::new());
        for line in lines {
            match line {
                ChangedLine::Same(text) => {
                    first.push(text.clone());
                    second.push(text.clone());
                    at += 1;
                }
                ChangedLine::Removed(text) => {
                    first.push(text.clone());
                    at += 1;
                }
                ChangedLine::Added(text) => second.push(text.clone()),
                ChangedLine::LeftOut(n) => {
                    for text in &old[at..at + n] {
                        first.push((*text).to_owned());
                        second.push((*text).to_owned());
                    }
                    at += n;
                }
            }
        }
        (first.join("\n"), second.join("\n"))
    }

    #[test]
    fn changes_read_back_as_both_answers() {
        let many: Vec<String> = (0..40).map(|n| format!("line {n}")).collect();
        let mut changed = many.clone();
        changed[5] = "changed".into();
        changed.insert(30, "new".into());
        changed.remove(20);
        let check = |before: &str, after: &str| {
            let Changes::Lines(lines) = changes(before, after) else { panic!("too long") };
            assert_eq!(read_back(&lines, before), (before.to_owned(), after.to_owned()), "{lines:?}");
            lines
        };
        let lines = check(&many.join("\n"), &changed.join("\n"));
        assert_eq!(lines.iter().filter(|line| matches!(line, ChangedLine::LeftOut(_))).count(), 4);
        check("a", "b");
        check("a\nb", "b\nc");
    }

    #[test]
    fn equal_answers_have_no_lines_and_long_ones_are_not_compared() {
        assert_eq!(changes("a\nb\n", "a\nb"), Changes::Lines(Vec::new()));
        assert_eq!(changes(&"a\n".repeat(MOST_LINES + 1), "a"), Changes::TooLong);
    }
}
