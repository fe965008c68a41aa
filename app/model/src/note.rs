//! Line notes: a rater's remarks about positions in the code.
//!
//! A position is a line and a column of the **original** code, both from 1. The column is needed because an
//! original line may be long and become twenty formatted ones.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::code::{CodeView, Line};

/// Maximum number of notes of one rating.
pub const NOTES_MAX: usize = 100;
/// Maximum length of a note, in characters.
pub const NOTE_MAX: usize = 1000;

/// A position in the original code: line and column (in characters), both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The character in the line.
    pub column: u32,
}

/// A note at one position. Without line breaks and never blank.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct LineNote {
    /// Its position.
    #[serde(flatten)]
    pub at: Position,
    /// Its text.
    pub text: String,
}

/// Whether notes are valid: sorted, one per position, none blank, with a line break or too long.
pub fn sound(notes: &[LineNote]) -> bool {
    let fine = |note: &LineNote| {
        !note.text.trim().is_empty()
            && !note.text.contains(['\n', '\r'])
            && note.text.chars().count() <= NOTE_MAX
            && note.at.line >= 1
            && note.at.column >= 1
    };
    notes.len() <= NOTES_MAX && notes.iter().all(fine) && notes.windows(2).all(|pair| pair[0].at < pair[1].at)
}

/// Sets the note at a position, replacing an existing one; a blank text deletes it.
pub fn put(notes: &mut Vec<LineNote>, at: Position, text: &str) {
    let text: String = text.replace(['\n', '\r'], " ").trim().chars().take(NOTE_MAX).collect();
    notes.retain(|note| note.at != at);
    if !text.is_empty() {
        notes.push(LineNote { at, text });
        notes.sort_unstable();
    }
}

/// The start of each displayed line in the original code: formatted lines if `laid_out`, otherwise the
/// original ones.
pub fn starts(code: &CodeView, laid_out: bool) -> Vec<Position> {
    if laid_out && code.laid_out.is_some() {
        return code.starts.clone();
    }
    (1..).zip(&code.raw).map(|(line, text)| Position { line, column: indent(text) + 1 }).collect()
}

/// Notes as text, one per line: `12: text`, or `12:40: text` if it is not at the line's beginning. For the
/// form without JavaScript, and for tables.
pub fn to_text(notes: &[LineNote], code: &CodeView) -> String {
    let raw = starts(code, false);
    let mut out = String::new();
    for LineNote { at, text } in notes {
        let _ = match raw.contains(at) {
            true => writeln!(out, "{}: {text}", at.line),
            false => writeln!(out, "{}:{}: {text}", at.line, at.column),
        };
    }
    out
}

/// Parses the output of [`to_text`] or typed text. A line without a number continues the note above it. Two
/// notes at one position become one.
///
/// # Errors
///
/// The first invalid line, counted from 1.
pub fn from_text(text: &str, code: &CodeView) -> Result<Vec<LineNote>, usize> {
    let raw = starts(code, false);
    let mut notes: Vec<LineNote> = Vec::new();
    for (n, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match numbered(line) {
            Some((at, column, said)) => {
                let start = usize::try_from(at).ok().and_then(|at| raw.get(at.checked_sub(1)?)).ok_or(n + 1)?;
                let at = Position { line: at, column: column.unwrap_or(start.column) };
                match notes.iter_mut().find(|note| note.at == at) {
                    Some(note) => extend(note, said),
                    None => notes.push(LineNote { at, text: said.to_owned() }),
                }
            }
            None => extend(notes.last_mut().ok_or(n + 1)?, line.trim()),
        }
    }
    notes.retain(|note| !note.text.trim().is_empty());
    notes.sort_unstable();
    Ok(notes)
}

fn extend(note: &mut LineNote, more: &str) {
    if !note.text.is_empty() {
        note.text.push(' ');
    }
    note.text.push_str(more);
}

/// `12: text`, `12：text` or `12:40: text`.
fn numbered(line: &str) -> Option<(u32, Option<u32>, &str)> {
    let (first, rest) = line.split_once([':', '：'])?;
    let at = first.trim().parse().ok()?;
    let second = rest.split_once([':', '：']).and_then(|(column, said)| Some((column.trim().parse().ok()?, said)));
    Some(match second {
        Some((column, said)) if column >= 1 => (at, Some(column), said.trim()),
        _ => (at, None, rest.trim()),
    })
}

fn indent(line: &Line) -> u32 {
    let text = line.text();
    let blank = text.chars().take_while(|c| c.is_whitespace()).count();
    // A line of white space begins at its first column.
    if blank == text.chars().count() { 0 } else { u32::try_from(blank).unwrap_or(u32::MAX - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Run;

    fn code(lines: &[&str]) -> CodeView {
        let raw = lines.iter().map(|text| Line(vec![Run(String::new(), (*text).into())])).collect();
        CodeView { raw, ..CodeView::default() }
    }

    fn note(line: u32, column: u32, text: &str) -> LineNote {
        LineNote { at: Position { line, column }, text: text.into() }
    }

    #[test]
    fn notes_round_trip_as_text() {
        let code = code(&["int a;", "  return a;", ""]);
        let notes = vec![note(1, 1, "why?"), note(2, 3, "not set: a"), note(2, 10, "null")];
        let text = to_text(&notes, &code);
        assert_eq!(text, "1: why?\n2: not set: a\n2:10: null\n");
        assert_eq!(from_text(&text, &code), Ok(notes));
        let check = |text, expected: Result<Vec<LineNote>, usize>| assert_eq!(from_text(text, &code), expected);
        check("", Ok(vec![]));
        check("2：中文\n  goes on", Ok(vec![note(2, 3, "中文 goes on")]));
        check("1: a\n1: b", Ok(vec![note(1, 1, "a b")]));
        check("1:", Ok(vec![]));
        check("what?", Err(1));
        check("1: a\n9: b", Err(2));
        check("0: a", Err(1));
        check("99999999999: a", Err(1));
    }

    #[test]
    fn setting_a_note_replaces_removes_and_keeps_order() {
        let mut notes = Vec::new();
        put(&mut notes, Position { line: 2, column: 1 }, " b\nc ");
        put(&mut notes, Position { line: 1, column: 1 }, "a");
        assert_eq!(notes, [note(1, 1, "a"), note(2, 1, "b c")]);
        assert!(sound(&notes));
        put(&mut notes, Position { line: 1, column: 1 }, "  ");
        assert_eq!(notes, [note(2, 1, "b c")]);
        assert!(!sound(&[note(1, 1, " ")]));
        assert!(!sound(&[note(2, 1, "a"), note(1, 1, "b")]));
        assert!(!sound(&[note(0, 1, "a")]));
        assert!(!sound(&[note(1, 1, &"x".repeat(NOTE_MAX + 1))]));
    }
}
