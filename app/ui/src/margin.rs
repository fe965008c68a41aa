//! Line notes in the margin of code, read-only or editable.
//!
//! Pages pass a [`Margin`] to [`super::code::CodeBox`]. Pages that only show notes use
//! [`read_only`]; the grading page's margin opens an editor below the line.

use std::sync::Arc;

use leptos::prelude::*;

use model::{
    lang::Lang,
    note::{LineNote, Position},
};

/// A displayed line of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DisplayedLine {
    /// Displayed line number, from 1.
    pub number: usize,
    /// Start of the line in the original code.
    pub start: Position,
    /// Start of the next line; `None` for the last.
    pub end: Option<Position>,
    /// Whether the line belongs to the original form, not the formatted one.
    pub raw: bool,
}

impl DisplayedLine {
    /// Whether a position of the code is in this line.
    pub fn holds(&self, at: Position) -> bool {
        (self.number == 1 || self.start <= at) && self.end.is_none_or(|end| at < end)
    }
}

/// The margin next to the lines.
#[derive(Clone)]
pub struct Margin {
    /// Draws the content below a line.
    pub under: Arc<dyn Fn(DisplayedLine) -> AnyView + Send + Sync>,
    /// Opens a line, by click or key; `None` for read-only lines.
    pub open: Option<Opener>,
}

/// How a line is opened.
#[derive(Clone, Copy)]
pub struct Opener {
    /// Called with the line.
    pub run: Callback<DisplayedLine>,
    /// Accessible name of the line's button.
    pub label: fn(usize, &str) -> String,
}

/// The lines, one per entry of `starts`.
pub fn spots(starts: &[Position], lines: usize, raw: bool) -> Vec<DisplayedLine> {
    let none = Position { line: 1, column: 1 };
    let start = |n: usize| starts.get(n).copied();
    (0..lines)
        .map(|n| DisplayedLine { number: n + 1, start: start(n).unwrap_or(none), end: start(n + 1), raw })
        .collect()
}

/// A read-only margin that shows notes with their authors.
pub fn read_only(notes: Vec<(LineNote, String)>) -> Margin {
    let notes = Arc::new(notes);
    let under = Arc::new(move |spot: DisplayedLine| {
        let here = notes
            .iter()
            .filter(|(note, _)| spot.holds(note.at))
            .map(|(note, who)| {
                let (text, who) = (note.text.clone(), who.clone());
                let lang = Lang::detect(&text).tag();
                view! {
                    <span class="note">
                        <span class="note-who">{who}</span>
                        <span class="note-text" lang=lang>{text}</span>
                    </span>
                }
            })
            .collect_view();
        here.into_any()
    });
    Margin { under, open: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_is_in_one_line() {
        let starts = [(1, 3), (2, 1), (2, 1), (2, 9)].map(|(line, column)| Position { line, column });
        let spots = spots(&starts, 4, false);
        let check = |line, column, number| {
            let at = Position { line, column };
            let found: Vec<_> = spots.iter().filter(|spot| spot.holds(at)).map(|spot| spot.number).collect();
            assert_eq!(found, [number], "{at:?}");
        };
        check(1, 1, 1);
        check(1, 3, 1);
        check(2, 1, 3);
        check(2, 8, 3);
        check(2, 9, 4);
        check(7, 1, 4);
    }
}
