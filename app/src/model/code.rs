//! Code as people read it: laid out, highlighted, split into lines.

use serde::{Deserialize, Serialize};

use super::note::Place;

/// What a page needs to show one output. It names nobody.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct CodeView {
    /// The code laid out as a formatter would; absent where it does not parse.
    pub laid_out: Option<Vec<Line>>,
    /// The code as it came (without the fences of a chat answer).
    pub raw: Vec<Line>,
    /// Where each laid-out line begins in the code as it came; empty where there is no laid-out form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub starts: Vec<Place>,
    /// Why there is no laid-out form, or what to know about it.
    pub remark: Option<Remark>,
    /// What a chat answer said before and after its code; empty where it said nothing.
    pub said: String,
}

/// One line, as highlighted runs of text; joined they are the line without its line break.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct Line(pub Vec<Run>);

/// A run of text of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "ssr", schema(as = CodeRun))]
pub struct Run(
    /// The kind, from the closed list that the style sheet knows (`keyword`, `string`, …);
    /// empty for plain text.
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

/// A word about the code that the rater should have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Remark {
    /// The output holds no code at all.
    Empty,
    /// The code does not parse as Java, so it is shown as it came.
    DoesNotParse,
    /// The code ends in the middle: brackets or a literal stay open.
    Truncated,
}
