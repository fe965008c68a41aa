//! Code for display: formatted, highlighted, split into lines.

use serde::{Deserialize, Serialize};

use super::note::Position;

/// The code of one output for a page. It names nobody.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
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
    #[serde(rename = "said")]
    pub surrounding_text: String,
}

/// One line, as highlighted runs of text; joined, they are the line without its line break.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct Line(pub Vec<Run>);

/// A run of text of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "ssr", schema(as = CodeRun))]
pub struct Run(
    /// The kind, one of those in the style sheet (`keyword`, `string`, …); empty for plain text.
    pub String,
    /// The text.
    pub String,
);

impl Line {
    /// The line's text without markup.
    pub fn text(&self) -> String {
        self.0.iter().map(|r| r.1.as_str()).collect()
    }
}

/// A remark about the code for the rater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Remark {
    /// The output contains no code.
    Empty,
    /// The code does not parse as Java, so the original is shown.
    DoesNotParse,
    /// The code is cut off: brackets or a literal stay open.
    Truncated,
}
