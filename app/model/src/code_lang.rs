//! The programming languages that tasks ask for.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// The programming language of a task and of the outputs for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum CodeLang {
    #[default]
    Java,
    Python,
    Cpp,
    JavaScript,
    Go,
    Rust,
}

impl CodeLang {
    /// Every language, in display order.
    pub const ALL: [CodeLang; 6] =
        [CodeLang::Python, CodeLang::Cpp, CodeLang::Java, CodeLang::JavaScript, CodeLang::Go, CodeLang::Rust];

    /// The short form used in files, URLs and the database.
    pub fn code(self) -> &'static str {
        match self {
            CodeLang::Java => "java",
            CodeLang::Python => "python",
            CodeLang::Cpp => "cpp",
            CodeLang::JavaScript => "javascript",
            CodeLang::Go => "go",
            CodeLang::Rust => "rust",
        }
    }

    /// The language's own spelling of its name, the same in every language people read.
    pub fn name(self) -> &'static str {
        match self {
            CodeLang::Java => "Java",
            CodeLang::Python => "Python",
            CodeLang::Cpp => "C++",
            CodeLang::JavaScript => "JavaScript",
            CodeLang::Go => "Go",
            CodeLang::Rust => "Rust",
        }
    }
}

impl fmt::Display for CodeLang {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl FromStr for CodeLang {
    type Err = UnknownCodeLang;

    /// Reads [`CodeLang::code`].
    fn from_str(text: &str) -> Result<CodeLang, UnknownCodeLang> {
        CodeLang::ALL.into_iter().find(|lang| lang.code() == text).ok_or(UnknownCodeLang)
    }
}

/// Error: the text is not a [`CodeLang::code`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown programming language; use java, python, cpp, javascript, go or rust")]
pub struct UnknownCodeLang;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_the_serialized_form() {
        for lang in CodeLang::ALL {
            assert_eq!(lang.code().parse(), Ok(lang));
            assert_eq!(serde_json::to_string(&lang).unwrap(), format!("\"{}\"", lang.code()));
        }
        assert!("Java".parse::<CodeLang>().is_err());
    }
}
