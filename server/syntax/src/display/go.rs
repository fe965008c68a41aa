//! Display settings of Go.

use crate::display::Display;

pub static DISPLAY: Display =
    Display { highlights: &[tree_sitter_go::HIGHLIGHTS_QUERY], fences: &["go", "golang"], solution: "{" };
