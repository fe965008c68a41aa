//! Display settings of Rust.

use crate::display::Display;

pub static DISPLAY: Display =
    Display { highlights: &[tree_sitter_rust::HIGHLIGHTS_QUERY], fences: &["rust", "rs"], solution: "{" };
