//! What is wrong with somebody's input, where, and what to do about it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One thing wrong with a file or a form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Problem {
    /// The file's name as its owner knows it, or the form's field; empty where there is only one.
    pub file: String,
    /// The line, counted from 1; absent where the file as a whole is meant.
    pub line: Option<u64>,
    /// What is wrong, as a sentence without its full stop.
    pub what: String,
    /// What to do about it, as a sentence without its full stop.
    pub remedy: String,
}

impl Problem {
    /// A problem with a file as a whole, or with a form's field.
    pub fn new(file: impl Into<String>, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Problem { file: file.into(), line: None, what: what.into(), remedy: remedy.into() }
    }

    /// The same problem, at a line counted from 1.
    pub fn at(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }
}

/// `prediction.jsonl, line 12: the line is not valid JSON. Remove the trailing comma.`
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.file.as_str(), self.line) {
            ("", None) => {}
            ("", Some(line)) => write!(f, "line {line}: ")?,
            (file, None) => write!(f, "{file}: ")?,
            (file, Some(line)) => write!(f, "{file}, line {line}: ")?,
        }
        write!(f, "{}. {}.", self.what, self.remedy)
    }
}
