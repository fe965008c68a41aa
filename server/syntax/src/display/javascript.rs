//! Display settings of JavaScript.

use crate::display::Display;

pub static DISPLAY: Display = Display {
    highlights: &[tree_sitter_javascript::HIGHLIGHT_QUERY],
    fences: &["javascript", "js", "node", "nodejs", "mjs", "cjs", "jsx", "es", "ecmascript"],
    solution: "{",
};
