//! How C++ is shown. Its query goes on where that of C ends.

use crate::lang::Display;

pub static DISPLAY: Display = Display {
    grammar: || tree_sitter_cpp::LANGUAGE.into(),
    highlights: &[tree_sitter_c::HIGHLIGHT_QUERY, tree_sitter_cpp::HIGHLIGHT_QUERY],
    fences: &["cpp", "c++", "cc", "cxx", "c"],
    solution: "{",
};
