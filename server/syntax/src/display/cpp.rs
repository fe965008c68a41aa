//! Display settings of C++. Its highlighting query extends that of C.

use crate::display::Display;

pub static DISPLAY: Display = Display {
    highlights: &[tree_sitter_c::HIGHLIGHT_QUERY, tree_sitter_cpp::HIGHLIGHT_QUERY],
    fences: &["cpp", "c++", "cc", "cxx", "c", "hpp", "h", "cplusplus"],
    solution: "{",
};
