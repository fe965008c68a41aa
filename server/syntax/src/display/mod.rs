//! How code in each language is highlighted, and how it is found in chat responses.

mod cpp;
mod go;
mod java;
mod javascript;
mod python;
mod rust;

use model::code_lang::CodeLang;

/// How code in a language is highlighted, and how it is found in chat responses.
pub struct Display {
    /// The highlighting queries, which are concatenated.
    pub highlights: &'static [&'static str],
    /// The words after ``` that mark code in the language, in lower case.
    pub fences: &'static [&'static str],
    /// A text that every solution contains, but that commands, example calls and their output do not.
    pub solution: &'static str,
}

/// The display settings of a language.
pub fn display(lang: CodeLang) -> &'static Display {
    match lang {
        CodeLang::Java => &java::DISPLAY,
        CodeLang::Python => &python::DISPLAY,
        CodeLang::Cpp => &cpp::DISPLAY,
        CodeLang::JavaScript => &javascript::DISPLAY,
        CodeLang::Go => &go::DISPLAY,
        CodeLang::Rust => &rust::DISPLAY,
    }
}
