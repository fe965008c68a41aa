//! Code for display: formatted, highlighted, split into lines.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::note::Position;

/// The code of one output for a page. It names nobody.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct CodeView {
    /// The formatted code; absent if it does not parse.
    pub laid_out: Option<Vec<Line>>,
    /// The original code (without the fences of a chat response).
    pub raw: Vec<Line>,
    /// Start of each formatted line in the original code; empty if there is no formatted form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub starts: Vec<Position>,
    /// Lines that no other output on the page has, counted from 0: of the formatted form if there is one, otherwise of
    /// the original.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only_here: Vec<u32>,
    /// Why there is no formatted form, or another remark.
    pub remark: Option<Remark>,
    /// The text around the code of a chat response; may be empty.
    pub surrounding_text: String,
}

/// Whether a character shows nothing by itself, or changes the order in which the text around it is shown: with such
/// characters, code can look different from what a compiler reads. White space and the joiners of emoji and of Indic and
/// Persian words are not meant.
pub fn is_hidden(c: char) -> bool {
    match c {
        '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' => true,
        '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' => true,
        '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}' => true,
        _ => c.is_control() && !c.is_whitespace(),
    }
}

/// A text with hidden characters as their code points, such as `⟨U+202E⟩`.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match is_hidden(c) {
            true => shown.push_str(&format!("⟨U+{:04X}⟩", u32::from(c))),
            false => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// One line, as highlighted runs of text; joined, they are the line without its line break, with hidden characters as
/// [`visible`] shows them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct Line(pub Vec<Run>);

/// A run of text of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[cfg_attr(not(target_arch = "wasm32"), schema(as = CodeRun))]
pub struct Run(
    /// The kind, one of those in the style sheet (`keyword`, `string`, …); empty for plain text. [`ONLY_WORD`] follows it in
    /// a word that no other output on the page has.
    pub String,
    /// The text.
    pub String,
);

/// What follows the kind of a run that is a word of one output alone, among those on the page: another class.
pub const ONLY_WORD: &str = " only-word";

impl Line {
    /// The line's text without markup.
    pub fn text(&self) -> String {
        self.0.iter().map(|r| r.1.as_str()).collect()
    }
}

/// A remark about the code for the rater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Remark {
    /// The output contains no code.
    Empty,
    /// The code does not parse as Java, so the original is shown.
    DoesNotParse,
    /// The code is cut off: brackets or a literal stay open.
    Truncated,
}
