//! Which key does what on the grading page, and where scoring goes next. Pure rules, tested
//! natively; `hands` carries them out. Which letters they are is the rater's choice ([`Keys`]).

use crate::model::{
    grading::Scores,
    keys::{Action, Keys},
};

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Gives the current dimension this score.
    Score(u8),
    /// Goes to the dimension before.
    Up,
    /// Goes to the dimension after.
    Down,
    /// Submits the rating.
    Submit,
    /// Leaves the text field or the code, back to the scales.
    Leave,
    /// What a key of the rater's choice asks for.
    Do(Action),
}

/// Where the keyboard is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a field that takes text or has letters of its own (a list of choices).
    Field,
    /// On a button, a link or anything else that Enter presses.
    Control,
    /// On a line of the code, which Enter opens and arrows leave for the next.
    Line,
    /// In a box that arrows scroll.
    Scroller,
    /// On a scale, or nowhere in particular.
    Scale,
    /// In the sheet of keys, which has the browser's own keys.
    Dialog,
}

/// What `key` (as `KeyboardEvent.key` has it) asks for at `place`. Keys with Ctrl, Alt or Meta are
/// the browser's and must not get here.
pub fn act(key: &str, place: Place, keys: &Keys) -> Option<Act> {
    match (place, key) {
        (Place::Dialog, _) => None,
        (Place::Field | Place::Line, "Escape") => Some(Act::Leave),
        (Place::Field, _) => None,
        (Place::Control | Place::Line, "Enter")
        | (Place::Scroller | Place::Control | Place::Line, "ArrowUp" | "ArrowDown") => None,
        (_, "ArrowUp") => Some(Act::Up),
        (_, "ArrowDown") => Some(Act::Down),
        (_, "Enter") => Some(Act::Submit),
        // Switched off, nothing that is a character acts.
        _ if keys.off => None,
        (_, key) => {
            let mut characters = key.chars();
            match (characters.next(), characters.next()) {
                (Some(digit @ '1'..='9'), None) => {
                    digit.to_digit(10).and_then(|n| u8::try_from(n).ok()).map(Act::Score)
                }
                (Some(key), None) => keys.action(key).map(Act::Do),
                _ => None,
            }
        }
    }
}

/// The dimension to go to after `at` was scored by key: the one after it, so that the hand learns
/// one rhythm; from the last to the first that is still open; else stay.
pub fn after_score(scores: &Scores, at: usize) -> usize {
    if at + 1 < scores.len() { at + 1 } else { scores.iter().position(Option::is_none).unwrap_or(at) }
}

/// Milliseconds to wait before trying again after so many failures in a row.
pub fn patience(failures: u32) -> u64 {
    // Soon at first, since most gaps are short; never longer than a person waits before worrying.
    1000 << failures.saturating_sub(1).min(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_do_what_the_sheet_says() {
        let check =
            |key, place, expected| assert_eq!(act(key, place, &Keys::default()), expected, "{key} at {place:?}");
        check("3", Place::Scale, Some(Act::Score(3)));
        check("0", Place::Scale, None);
        check("3", Place::Field, None);
        check("3", Place::Control, Some(Act::Score(3)));
        check("Enter", Place::Scale, Some(Act::Submit));
        check("Enter", Place::Scroller, Some(Act::Submit));
        check("Enter", Place::Control, None);
        check("Enter", Place::Field, None);
        check("ArrowDown", Place::Scale, Some(Act::Down));
        check("ArrowDown", Place::Scroller, None);
        check("ArrowLeft", Place::Scale, None);
        check("Escape", Place::Field, Some(Act::Leave));
        check("Escape", Place::Dialog, None);
        check("s", Place::Scale, Some(Act::Do(Action::Skip)));
        check("S", Place::Scale, Some(Act::Do(Action::Skip)));
        check("l", Place::Line, Some(Act::Do(Action::Note)));
        check("3", Place::Line, Some(Act::Score(3)));
        check("Enter", Place::Line, None);
        check("ArrowDown", Place::Line, None);
        check("Escape", Place::Line, Some(Act::Leave));
        check("s", Place::Field, None);
        check("Tab", Place::Scale, None);
        check("F5", Place::Scale, None);
        check("Process", Place::Scale, None);
    }

    #[test]
    fn switched_off_no_character_acts() {
        let off = Keys::choose(true, &[]).unwrap_or_default();
        let check = |key, expected| assert_eq!(act(key, Place::Scale, &off), expected, "{key}");
        check("3", None);
        check("c", None);
        check("Enter", Some(Act::Submit));
        check("ArrowUp", Some(Act::Up));
    }

    #[test]
    fn scoring_goes_on_and_comes_back_for_gaps() {
        let check = |scores: &[u8], at, expected| {
            let scores = scores.iter().map(|s| (*s > 0).then_some(*s)).collect();
            assert_eq!(after_score(&scores, at), expected);
        };
        check(&[4, 0, 0], 0, 1);
        check(&[4, 2, 3], 0, 1);
        check(&[0, 2, 3], 2, 0);
        check(&[4, 2, 3], 2, 2);
    }

    #[test]
    fn waiting_grows_and_stays_bearable() {
        let check = |failures, ms| assert_eq!(patience(failures), ms);
        check(0, 1000);
        check(1, 1000);
        check(2, 2000);
        check(4, 8000);
        check(400, 8000);
    }
}
