//! Which key asks for what on the grading page, and which keys a rater may choose.
//!
//! Digits, arrows, Enter and Escape are fixed: they are what the page is about. Everything else is one
//! key without Ctrl, Alt or Command, and a rater may put it elsewhere.

use serde::{Deserialize, Serialize};

/// What a key of the rater's choice asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Goes to the lines of the code, to note something on one.
    Note,
    /// Starts writing the comment.
    Comment,
    /// Goes to the flag.
    Flag,
    /// Gives the output back.
    Skip,
    /// Takes the last submission back.
    Undo,
    /// Goes to the output rated before.
    Back,
    /// Goes on again after going back.
    Forward,
    /// Switches between laid-out code and code as it came.
    Raw,
    /// Side by side: goes to the output on the left.
    Left,
    /// Side by side: goes to the output on the right.
    Right,
    /// Opens the sheet of keys.
    Help,
}

impl Action {
    /// Every action, in the order of the sheet.
    pub const ALL: [Action; 11] = [
        Action::Note,
        Action::Comment,
        Action::Flag,
        Action::Skip,
        Action::Undo,
        Action::Back,
        Action::Forward,
        Action::Raw,
        Action::Left,
        Action::Right,
        Action::Help,
    ];

    /// The key as the program comes.
    pub fn default_key(self) -> char {
        match self {
            Action::Note => 'l',
            Action::Comment => 'c',
            Action::Flag => 'f',
            Action::Skip => 's',
            Action::Undo => 'u',
            Action::Back => 'b',
            Action::Forward => 'n',
            Action::Raw => 'r',
            Action::Left => ',',
            Action::Right => '.',
            Action::Help => '?',
        }
    }

    /// The word for it in forms.
    pub fn code(self) -> &'static str {
        match self {
            Action::Note => "note",
            Action::Comment => "comment",
            Action::Flag => "flag",
            Action::Skip => "skip",
            Action::Undo => "undo",
            Action::Back => "back",
            Action::Forward => "forward",
            Action::Raw => "raw",
            Action::Left => "left",
            Action::Right => "right",
            Action::Help => "help",
        }
    }
}

/// A rater's keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Keys {
    /// Whether single keys are switched off: for people whose hands or whose voice press keys by mistake
    /// (WCAG 2.1.4). What is no character (Enter, arrows) still acts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub off: bool,
    /// What differs from the keys as they come.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    changed: Vec<(Action, char)>,
}

impl Keys {
    /// Keys with these choices; an action without one keeps the key that it comes with.
    ///
    /// # Errors
    /// The first choice that cannot be, and why.
    pub fn choose(off: bool, chosen: &[(Action, char)]) -> Result<Keys, (Action, KeyFault)> {
        let chosen: Vec<_> = chosen.iter().map(|(action, key)| (*action, fold(*key))).collect();
        let changed = chosen.iter().copied().filter(|(action, key)| action.default_key() != *key).collect();
        let keys = Keys { off, changed };
        for (action, key) in &chosen {
            if let Some(fault) = reserved(*key) {
                return Err((*action, fault));
            }
        }
        for (n, action) in Action::ALL.iter().enumerate() {
            let key = keys.key(*action);
            if let Some(other) = Action::ALL.iter().take(n).find(|other| keys.key(**other) == key) {
                // Said at what was changed: the other one has been there before.
                let at =
                    if keys.changed.iter().any(|(a, _)| a == action) { (*action, *other) } else { (*other, *action) };
                return Err((at.0, KeyFault::Taken(at.1)));
            }
        }
        Ok(keys)
    }

    /// The key for an action.
    pub fn key(&self, action: Action) -> char {
        self.changed.iter().find(|(a, _)| *a == action).map_or(action.default_key(), |(_, key)| *key)
    }

    /// What a character asks for, in either case of its letters.
    pub fn action(&self, key: char) -> Option<Action> {
        let key = fold(key);
        Action::ALL.into_iter().find(|action| self.key(*action) == key)
    }

    /// Whether they are such as [`Keys::choose`] makes.
    pub fn is_sound(&self) -> bool {
        Keys::choose(self.off, &self.changed).is_ok_and(|keys| keys == *self)
    }

    /// Whether nothing differs from how the program comes.
    pub fn is_default(&self) -> bool {
        *self == Keys::default()
    }
}

/// Why a key cannot be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyFault {
    /// Another action has it.
    Taken(Action),
    /// It gives a score.
    Digit,
    /// The browser has it: `/` and `'` search in the page, the space bar scrolls and presses.
    Browser,
    /// It is no single key of a keyboard without an input method.
    NotOneKey,
}

/// Why no action may have this key, if none may. Letters are free: a screen reader that reads has them
/// all for itself and hands them on only in the fields, where they mean what the sheet says.
pub fn reserved(key: char) -> Option<KeyFault> {
    match key {
        '0'..='9' => Some(KeyFault::Digit),
        '/' | '\'' | ' ' => Some(KeyFault::Browser),
        key if key.is_ascii_graphic() => None,
        _ => Some(KeyFault::NotOneKey),
    }
}

/// The key as it is compared: small letters, and the plain form of what an input method writes wide.
pub fn fold(key: char) -> char {
    match key {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(key) - 0xfee0).unwrap_or(key).to_ascii_lowercase(),
        '。' => '.',
        '、' => ',',
        key => key.to_ascii_lowercase(),
    }
}

/// What a person set for themselves, beside their language.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Settings {
    /// Their keys.
    #[serde(default, skip_serializing_if = "Keys::is_default")]
    pub keys: Keys,
    /// Whether they have seen the first tour, or put it away.
    #[serde(default)]
    pub toured: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_as_they_come_do_not_collide() {
        assert_eq!(Keys::choose(false, &[]), Ok(Keys::default()));
        for action in Action::ALL {
            assert_eq!(reserved(action.default_key()), None, "{action:?}");
            assert_eq!(Keys::default().action(action.default_key()), Some(action));
        }
    }

    #[test]
    fn choices_that_collide_are_refused() {
        let check = |chosen: &[(Action, char)], expected: Result<(), (Action, KeyFault)>| {
            assert_eq!(Keys::choose(false, chosen).map(|_| ()), expected, "{chosen:?}");
        };
        check(&[(Action::Comment, 'k')], Ok(()));
        check(&[(Action::Comment, 'F')], Err((Action::Comment, KeyFault::Taken(Action::Flag))));
        check(&[(Action::Note, 'f')], Err((Action::Note, KeyFault::Taken(Action::Flag))));
        check(&[(Action::Comment, 'f'), (Action::Flag, 'c')], Ok(()));
        check(&[(Action::Comment, '3')], Err((Action::Comment, KeyFault::Digit)));
        check(&[(Action::Comment, '/')], Err((Action::Comment, KeyFault::Browser)));
        check(&[(Action::Comment, 'é')], Err((Action::Comment, KeyFault::NotOneKey)));
    }

    #[test]
    fn a_key_is_known_in_either_case_and_width() {
        let keys = Keys::choose(false, &[(Action::Comment, 'K')]).unwrap_or_default();
        let check = |key, action| assert_eq!(keys.action(key), action, "{key}");
        check('k', Some(Action::Comment));
        check('K', Some(Action::Comment));
        check('c', None);
        check('？', Some(Action::Help));
        check('Ｋ', Some(Action::Comment));
        check('。', Some(Action::Right));
    }
}
