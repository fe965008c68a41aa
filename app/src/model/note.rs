//! Line notes: what a rater says about one place in the code.
//!
//! A place is a line and a column of the code **as the model gave it**, both from 1. The column is
//! there because answers may be one long line, of which the layout that people read makes twenty.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::code::{CodeView, Line};

/// The most notes of one rating: more is a review, not a rating.
pub const NOTES_MAX: usize = 100;
/// The longest note, in characters.
pub const NOTE_MAX: usize = 1000;

/// A place in the code as it came: line and column (in characters), both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The character in the line.
    pub column: u32,
}

/// What is wrong at one place. Without line breaks and never blank.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct LineNote {
    /// Where.
    #[serde(flatten)]
    pub at: Place,
    /// What.
    pub text: String,
}

/// Whether notes are as they should be: in order, one a place, none blank or broken, none too long.
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

/// Puts a note down at a place, instead of the one that is there; a blank text removes it.
pub fn put(notes: &mut Vec<LineNote>, at: Place, text: &str) {
    let text: String = text.replace(['\n', '\r'], " ").trim().chars().take(NOTE_MAX).collect();
    notes.retain(|note| note.at != at);
    if !text.is_empty() {
        notes.push(LineNote { at, text });
        notes.sort_unstable();
    }
}

/// Where each line of the shown code begins in the code as it came: the laid-out lines where
/// `laid_out`, else the lines as they came.
pub fn starts(code: &CodeView, laid_out: bool) -> Vec<Place> {
    if laid_out && code.laid_out.is_some() {
        return code.starts.clone();
    }
    (1..).zip(&code.raw).map(|(line, text)| Place { line, column: indent(text) + 1 }).collect()
}

/// The shown line that `at` falls into, as its place among `starts`; none where there are no lines.
pub fn shown_line(starts: &[Place], at: Place) -> Option<usize> {
    let after = starts.partition_point(|start| *start <= at);
    (!starts.is_empty()).then(|| after.saturating_sub(1))
}

/// Notes as text, a line each: `12: what is wrong`, or `12:40: …` where it is not the line's beginning.
/// For the form without JavaScript, and for tables.
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

/// Reads what [`to_text`] wrote or a person typed. A line without a number goes on with the note above
/// it. Where two are at one place, they become one.
///
/// # Errors
/// The first line that cannot be read, counted from 1.
pub fn from_text(text: &str, code: &CodeView) -> Result<Vec<LineNote>, usize> {
    let raw = starts(code, false);
    let mut notes: Vec<LineNote> = Vec::new();
    for (n, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match numbered(line) {
            Some((at, column, said)) => {
                let start = usize::try_from(at).ok().and_then(|at| raw.get(at.checked_sub(1)?)).ok_or(n + 1)?;
                let at = Place { line: at, column: column.unwrap_or(start.column) };
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
    // A line of nothing but white space begins where it begins.
    if blank == text.chars().count() { 0 } else { u32::try_from(blank).unwrap_or(u32::MAX - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::code::Run;

    fn code(lines: &[&str]) -> CodeView {
        let raw = lines.iter().map(|text| Line(vec![Run(String::new(), (*text).into())])).collect();
        CodeView { raw, ..CodeView::default() }
    }

    fn note(line: u32, column: u32, text: &str) -> LineNote {
        LineNote { at: Place { line, column }, text: text.into() }
    }

    #[test]
    fn a_place_falls_into_the_line_that_began_last() {
        let starts = [(1, 1), (1, 9), (3, 5)].map(|(line, column)| Place { line, column });
        let check = |line, column, shown| assert_eq!(shown_line(&starts, Place { line, column }), shown);
        check(1, 1, Some(0));
        check(1, 8, Some(0));
        check(1, 9, Some(1));
        check(2, 1, Some(1));
        check(3, 5, Some(2));
        check(9, 1, Some(2));
        assert_eq!(shown_line(&[], Place { line: 1, column: 1 }), None);
    }

    #[test]
    fn notes_travel_as_text_and_back() {
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
    fn putting_replaces_removes_and_keeps_order() {
        let mut notes = Vec::new();
        put(&mut notes, Place { line: 2, column: 1 }, " b\nc ");
        put(&mut notes, Place { line: 1, column: 1 }, "a");
        assert_eq!(notes, [note(1, 1, "a"), note(2, 1, "b c")]);
        assert!(sound(&notes));
        put(&mut notes, Place { line: 1, column: 1 }, "  ");
        assert_eq!(notes, [note(2, 1, "b c")]);
        assert!(!sound(&[note(1, 1, " ")]));
        assert!(!sound(&[note(2, 1, "a"), note(1, 1, "b")]));
        assert!(!sound(&[note(0, 1, "a")]));
        assert!(!sound(&[note(1, 1, &"x".repeat(NOTE_MAX + 1))]));
    }
}
