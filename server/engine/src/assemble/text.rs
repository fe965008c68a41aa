//! Handles text before it is parsed: code fences of chat responses, and edits that keep line numbers.

use std::ops::Range;

use model::reason::Change;

/// Blanks everything but the code if the text is a chat response with fenced blocks.
///
/// Uses the last block with a method that the tests call, otherwise the last block, because chats end with their final
/// answer.
pub fn without_fences(text: &str, methods: &[String], changes: &mut Vec<Change>) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let fences: Vec<usize> =
        lines.iter().enumerate().filter(|(_, l)| l.trim_start().starts_with("```")).map(|(i, _)| i).collect();
    if fences.is_empty() {
        return text.to_owned();
    }
    // An unclosed block extends to the end: the response was cut off.
    let blocks: Vec<Range<usize>> =
        fences.chunks(2).map(|pair| pair[0] + 1..pair.get(1).copied().unwrap_or(lines.len())).collect();
    let holds = |block: &Range<usize>| {
        lines[block.clone()].iter().any(|line| methods.iter().any(|m| line.contains(m.as_str()) && line.contains('(')))
    };
    let chosen = blocks.iter().rev().find(|b| holds(b)).or(blocks.last()).cloned().unwrap_or(0..0);
    let number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    changes.push(Change::Fence { first: number(chosen.start + 1), last: number(chosen.end) });
    let kept = lines.iter().enumerate().map(|(i, line)| if chosen.contains(&i) { *line } else { "" });
    kept.collect::<Vec<_>>().join("\n")
}

/// Replacements in a text that keep its number of lines.
#[derive(Debug, Default)]
pub struct Edits(Vec<(Range<usize>, String)>);

impl Edits {
    /// Blanks a range except for its line breaks.
    pub fn blank(&mut self, range: Range<usize>) {
        self.0.push((range, String::new()));
    }

    /// Replaces a range by text without line breaks.
    pub fn replace(&mut self, range: Range<usize>, with: String) {
        self.0.push((range, with));
    }

    /// Inserts text without line breaks.
    pub fn insert(&mut self, at: usize, text: &str) {
        self.0.push((at..at, text.to_owned()));
    }

    /// Applies all edits. If two overlap, the earlier one counts; an insertion at a
    /// position comes before a replacement there.
    pub fn apply(&self, text: &str) -> String {
        let mut edits: Vec<_> = self.0.iter().collect();
        edits.sort_by_key(|(range, _)| (range.start, range.end));
        let (mut done, mut at) = (String::with_capacity(text.len() + 64), 0);
        for (range, with) in edits {
            if range.start < at {
                continue;
            }
            done.push_str(&text[at..range.start]);
            done.push_str(with);
            done.extend(text[range.clone()].chars().filter(|&c| c == '\n'));
            at = range.end;
        }
        done.push_str(&text[at..]);
        done
    }
}
