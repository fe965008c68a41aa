//! The meaning of keys on the grading page, and where scoring goes next. Pure rules, tested natively;
//! `shortcuts` executes them. Raters can choose the letters ([`Keys`]).

use model::{
    error::AppError,
    grading::Scores,
    keys::{Action, Keys},
};

/// The command of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Gives the current dimension this score.
    Score(u8),
    /// Goes to the previous dimension.
    Up,
    /// Goes to the next dimension.
    Down,
    /// Submits the rating.
    Submit,
    /// Leaves the text field or the code, back to the scales.
    Leave,
    /// The action of a configurable key.
    Do(Action),
}

/// Where the focus is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FocusContext {
    /// In a field that accepts text or has its own letters (a select field).
    Field,
    /// On a button, a link or another element that Enter activates.
    Control,
    /// On a line of the code, which Enter opens and arrows leave for the next.
    Line,
    /// In a box that arrows scroll.
    Scroller,
    /// On a scale, or on nothing in particular.
    Scale,
    /// In the list of shortcuts, which has the browser's own keys.
    Dialog,
}

/// The command of `key` (as in `KeyboardEvent.key`) at `place`. Keys with Ctrl, Alt or Meta belong to the
/// browser and must not get here.
pub fn command(key: &str, place: FocusContext, keys: &Keys) -> Option<Command> {
    match (place, key) {
        (FocusContext::Dialog, _) => None,
        (FocusContext::Field | FocusContext::Line, "Escape") => Some(Command::Leave),
        (FocusContext::Field, _) => None,
        (FocusContext::Control | FocusContext::Line, "Enter")
        | (FocusContext::Scroller | FocusContext::Control | FocusContext::Line, "ArrowUp" | "ArrowDown") => None,
        (_, "ArrowUp") => Some(Command::Up),
        (_, "ArrowDown") => Some(Command::Down),
        (_, "Enter") => Some(Command::Submit),
        // If shortcuts are off, no character key acts.
        _ if keys.off => None,
        (_, key) => {
            let mut characters = key.chars();
            match (characters.next(), characters.next()) {
                (Some(digit @ '0'..='9'), None) => {
                    digit.to_digit(10).and_then(|n| u8::try_from(n).ok()).map(Command::Score)
                }
                (Some(key), None) => keys.action(key).map(Command::Do),
                _ => None,
            }
        }
    }
}

/// The dimension to go to after `at` was scored by key: the next one, to keep a rhythm; from the last, the
/// first unscored one; otherwise the same.
pub fn after_score(scores: &Scores, at: usize) -> usize {
    if at + 1 < scores.len() { at + 1 } else { scores.iter().position(Option::is_none).unwrap_or(at) }
}

/// Milliseconds to wait before retrying after this many consecutive failures.
pub fn patience(failures: u32) -> u64 {
    // Soon at first, since most outages are short; never longer than a person waits before worrying.
    1000 << failures.saturating_sub(1).min(3)
}

/// As [`patience`], but at least as long as a busy server asks for. `chance`, from 0 to 1, spreads the browsers that it
/// asked at the same moment.
pub fn pause(failures: u32, error: &AppError, chance: f64) -> u64 {
    match asked(error) {
        Some(ms) => patience(failures).max(ms) + (ms as f64 * chance) as u64,
        None => patience(failures),
    }
}

/// How long the server asks to wait, in milliseconds, if it does; at most a minute.
pub fn asked(error: &AppError) -> Option<u64> {
    match error {
        AppError::Busy(seconds) | AppError::TooMany(seconds) => Some(1000 * (*seconds).min(60)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_the_listed_actions() {
        let check =
            |key, place, expected| assert_eq!(command(key, place, &Keys::default()), expected, "{key} at {place:?}");
        check("3", FocusContext::Scale, Some(Command::Score(3)));
        check("0", FocusContext::Scale, Some(Command::Score(0)));
        check("3", FocusContext::Field, None);
        check("3", FocusContext::Control, Some(Command::Score(3)));
        check("Enter", FocusContext::Scale, Some(Command::Submit));
        check("Enter", FocusContext::Scroller, Some(Command::Submit));
        check("Enter", FocusContext::Control, None);
        check("Enter", FocusContext::Field, None);
        check("ArrowDown", FocusContext::Scale, Some(Command::Down));
        check("ArrowDown", FocusContext::Scroller, None);
        check("ArrowLeft", FocusContext::Scale, None);
        check("Escape", FocusContext::Field, Some(Command::Leave));
        check("Escape", FocusContext::Dialog, None);
        check("s", FocusContext::Scale, Some(Command::Do(Action::Skip)));
        check("S", FocusContext::Scale, Some(Command::Do(Action::Skip)));
        check("l", FocusContext::Line, Some(Command::Do(Action::Note)));
        check("3", FocusContext::Line, Some(Command::Score(3)));
        check("Enter", FocusContext::Line, None);
        check("ArrowDown", FocusContext::Line, None);
        check("Escape", FocusContext::Line, Some(Command::Leave));
        check("s", FocusContext::Field, None);
        check("Tab", FocusContext::Scale, None);
        check("F5", FocusContext::Scale, None);
        check("Process", FocusContext::Scale, None);
    }

    #[test]
    fn no_character_key_acts_when_off() {
        let off = Keys::choose(true, &[]).unwrap_or_default();
        let check = |key, expected| assert_eq!(command(key, FocusContext::Scale, &off), expected, "{key}");
        check("3", None);
        check("c", None);
        check("Enter", Some(Command::Submit));
        check("ArrowUp", Some(Command::Up));
    }

    #[test]
    fn scoring_advances_and_returns_to_missing_scores() {
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
    fn retry_delay_grows_to_its_limit() {
        let check = |failures, ms| assert_eq!(patience(failures), ms);
        check(0, 1000);
        check(1, 1000);
        check(2, 2000);
        check(4, 8000);
        check(400, 8000);
    }

    #[test]
    fn a_busy_server_is_left_alone_as_long_as_it_asks() {
        let check = |failures, error: AppError, chance, ms| assert_eq!(pause(failures, &error, chance), ms, "{error}");
        check(1, AppError::Busy(2), 0.0, 2000);
        // Not all at the same moment.
        check(1, AppError::Busy(2), 0.5, 3000);
        check(4, AppError::Busy(2), 0.0, 8000);
        check(1, AppError::TooMany(30), 0.0, 30_000);
        check(1, AppError::Busy(u64::MAX), 0.0, 60_000);
        check(2, AppError::Unreachable, 0.9, 2000);
    }
}
