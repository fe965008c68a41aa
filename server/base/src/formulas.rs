//! Text in CSV files that a spreadsheet must not run.
//!
//! Spreadsheets evaluate a cell that begins with `=`, `+`, `-` or `@`, some of them also after a tab, a line
//! break or a quotation mark. [`guarded`] puts an apostrophe before such text, which spreadsheets take as
//! "this is text"; [`unguarded`] removes it again when one of our own exports is imported.

use std::borrow::Cow;

/// Whether a spreadsheet could evaluate the text, ignoring quotation marks at its beginning.
fn is_formula(text: &str) -> bool {
    // The full-width forms count as operators in East Asian versions of Excel.
    let starts = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
    text.trim_start_matches(['"', '\'']).starts_with(starts)
}

/// The text, safe for a cell.
pub fn guarded(text: &str) -> Cow<'_, str> {
    if is_formula(text) { format!("'{text}").into() } else { text.into() }
}

/// Reverses [`guarded`].
pub fn unguarded(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(text) if is_formula(text) => text,
        _ => cell,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn formulas_get_an_apostrophe() {
        for formula in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\"=1", "'=1", "\"'=1", "＝1"] {
            assert_eq!(guarded(formula), format!("'{formula}"));
        }
        for text in ["", "1-1", "a=b", "'quoted'", "\"quoted\"", "{\"a\":1}", "中文 = 1"] {
            assert_eq!(guarded(text), text);
        }
    }

    proptest! {
        #[test]
        fn guarding_is_reversible_and_leaves_no_formula(text in "['\"=+@\t\ra-c-]{0,8}") {
            let cell = guarded(&text).into_owned();
            prop_assert_eq!(unguarded(&cell), text);
            let first = cell.chars().next().unwrap_or('a');
            prop_assert!(!"=+-@\t\r\n".contains(first));
        }
    }
}
