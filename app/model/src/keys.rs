//! Keyboard shortcuts of the grading page, and which keys a rater may choose.
//!
//! Digits, arrows, Enter and Escape are fixed. Every other action has one key without Ctrl, Alt or Command,
//! which a rater may change.

use serde::{Deserialize, Serialize};

use super::display::Display;

/// An action with a configurable key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Goes to the lines of the code, to write a line note.
    Note,
    /// Starts writing the comment.
    Comment,
    /// Goes to the flag.
    Flag,
    /// Skips the output.
    Skip,
    /// Bookmarks the output, or removes the bookmark.
    Bookmark,
    /// Withdraws the last submission.
    Undo,
    /// Goes to the previously rated output.
    Back,
    /// Goes forward after going back.
    Forward,
    /// Switches between formatted and original code.
    Raw,
    /// Side by side: goes to the output on the left.
    Left,
    /// Side by side: goes to the output on the right.
    Right,
    /// Opens the study's guidelines.
    Guidelines,
    /// Opens the list of shortcuts.
    Help,
}

impl Action {
    /// Every action, in display order.
    pub const ALL: [Action; 13] = [
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
        Action::Guidelines,
        Action::Help,
        // Last: a key that a person chose before there were bookmarks keeps its action.
        Action::Bookmark,
    ];

    /// The default key.
    pub fn default_key(self) -> char {
        match self {
            Action::Note => 'l',
            Action::Comment => 'c',
            Action::Flag => 'f',
            Action::Skip => 's',
            Action::Bookmark => 'm',
            Action::Undo => 'u',
            Action::Back => 'b',
            Action::Forward => 'n',
            Action::Raw => 'r',
            Action::Left => ',',
            Action::Right => '.',
            Action::Guidelines => 'g',
            Action::Help => '?',
        }
    }

    /// Its name in forms.
    pub fn code(self) -> &'static str {
        match self {
            Action::Note => "note",
            Action::Comment => "comment",
            Action::Flag => "flag",
            Action::Skip => "skip",
            Action::Bookmark => "bookmark",
            Action::Undo => "undo",
            Action::Back => "back",
            Action::Forward => "forward",
            Action::Raw => "raw",
            Action::Left => "left",
            Action::Right => "right",
            Action::Guidelines => "guidelines",
            Action::Help => "help",
        }
    }
}

/// A rater's shortcuts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Keys {
    /// Whether single-character shortcuts are off: for people who press keys by mistake, or whose speech
    /// input does (WCAG 2.1.4). Other keys (Enter, arrows) still work.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub off: bool,
    /// The keys that differ from the defaults.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    changed: Vec<(Action, char)>,
}

impl Keys {
    /// Shortcuts with these choices; other actions keep their default keys.
    ///
    /// # Errors
    ///
    /// The first invalid choice, and why.
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
                // Reported at the changed action: the other one had the key before.
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

    /// The action of a character, ignoring case.
    pub fn action(&self, key: char) -> Option<Action> {
        let key = fold(key);
        Action::ALL.into_iter().find(|action| self.key(*action) == key)
    }

    /// Whether they satisfy the rules of [`Keys::choose`].
    pub fn is_sound(&self) -> bool {
        Keys::choose(self.off, &self.changed).is_ok_and(|keys| keys == *self)
    }

    /// Whether nothing differs from the defaults.
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
    /// The browser uses it: `/` and `'` search in the page, the space bar scrolls and presses.
    Browser,
    /// It is not a single key of a keyboard without an input method.
    NotOneKey,
}

/// Why no action may have this key, if so. Letters are free: a screen reader in reading mode uses them
/// itself, and passes them on only in form fields, where they have the meaning shown in the list.
pub fn reserved(key: char) -> Option<KeyFault> {
    match key {
        '0'..='9' => Some(KeyFault::Digit),
        '/' | '\'' | ' ' => Some(KeyFault::Browser),
        key if key.is_ascii_graphic() => None,
        _ => Some(KeyFault::NotOneKey),
    }
}

/// The key for comparisons: lower case, and the plain form of an input method's full-width character.
pub fn fold(key: char) -> char {
    match key {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(key) - 0xfee0).unwrap_or(key).to_ascii_lowercase(),
        '。' => '.',
        '、' => ',',
        key => key.to_ascii_lowercase(),
    }
}

/// A person's settings in addition to the language.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Settings {
    /// Their keys.
    #[serde(default, skip_serializing_if = "Keys::is_default")]
    pub keys: Keys,
    /// Whether they have seen the tour or dismissed it.
    #[serde(default)]
    pub toured: bool,
    /// How pages look to them.
    #[serde(default, skip_serializing_if = "Display::is_default")]
    #[cfg_attr(not(target_arch = "wasm32"), schema(value_type = String))]
    pub display: Display,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_shortcuts_do_not_collide() {
        assert_eq!(Keys::choose(false, &[]), Ok(Keys::default()));
        for action in Action::ALL {
            assert_eq!(reserved(action.default_key()), None, "{action:?}");
            assert_eq!(Keys::default().action(action.default_key()), Some(action));
        }
    }

    #[test]
    fn colliding_shortcuts_are_refused() {
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
