//! Display settings of Python.

use crate::display::Display;

pub static DISPLAY: Display = Display {
    highlights: &[tree_sitter_python::HIGHLIGHTS_QUERY],
    fences: &["python", "py", "python3", "ipython"],
    solution: "def ",
};
