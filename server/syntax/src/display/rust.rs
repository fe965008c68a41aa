//! Display settings of Rust.

use crate::display::Display;

pub static DISPLAY: Display = Display {
    grammar: || tree_sitter_rust::LANGUAGE.into(),
    highlights: &[tree_sitter_rust::HIGHLIGHTS_QUERY],
    fences: &["rust", "rs"],
    solution: "{",
};
