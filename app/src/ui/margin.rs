//! What stands beside single lines of code: who may put something there, and what is put there.
//!
//! [`Margin`] is handed to [`super::code::CodeBox`]. A page that only shows line notes makes one with
//! [`read_only`]; the grading page makes its own, which opens an editor under the line.

use std::sync::Arc;

use leptos::prelude::*;

use crate::model::{
    lang::Lang,
    note::{LineNote, Place},
};

/// One shown line of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The line's number as it is shown, from 1.
    pub number: usize,
    /// Where the line begins in the code as it came.
    pub start: Place,
    /// Where the next one begins; absent for the last.
    pub end: Option<Place>,
    /// Whether it is a line of the code as it came, not of the laid-out form.
    pub raw: bool,
}

impl Spot {
    /// Whether a place of the code falls into this line.
    pub fn holds(&self, at: Place) -> bool {
        (self.number == 1 || self.start <= at) && self.end.is_none_or(|end| at < end)
    }
}

/// What stands beside the lines.
#[derive(Clone)]
pub struct Margin {
    /// Draws what belongs under a line.
    pub under: Arc<dyn Fn(Spot) -> AnyView + Send + Sync>,
    /// What opening a line does, by click or by key; absent where lines are only read.
    pub open: Option<Opener>,
}

/// How a line is opened.
#[derive(Clone, Copy)]
pub struct Opener {
    /// Called with the line.
    pub run: Callback<Spot>,
    /// What the line's button is called: its number and its text.
    pub label: fn(usize, &str) -> String,
}

/// The lines' places, one for each of `starts`.
pub fn spots(starts: &[Place], lines: usize, raw: bool) -> Vec<Spot> {
    let none = Place { line: 1, column: 1 };
    let start = |n: usize| starts.get(n).copied();
    (0..lines).map(|n| Spot { number: n + 1, start: start(n).unwrap_or(none), end: start(n + 1), raw }).collect()
}

/// A margin that shows notes, each with who wrote it.
pub fn read_only(notes: Vec<(LineNote, String)>) -> Margin {
    let notes = Arc::new(notes);
    let under = Arc::new(move |spot: Spot| {
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
    fn every_place_falls_into_one_line() {
        let starts = [(1, 3), (2, 1), (2, 1), (2, 9)].map(|(line, column)| Place { line, column });
        let spots = spots(&starts, 4, false);
        let check = |line, column, number| {
            let at = Place { line, column };
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
