//! How deep the blocks of a Python text nest.
//!
//! The grammar's scanner writes each open indentation into a buffer of the library, and past its end with more than 510 of them
//! (tree-sitter-python 0.25.0, `scanner.c`). Python itself accepts 100.

/// Most indentations that may be open at the same time. Lines of a text in quotes count, too.
const MOST: usize = 256;

/// Whether more than [`MOST`] indentations are open somewhere.
pub fn are_too_many(text: &str) -> bool {
    let mut open: Vec<usize> = Vec::new();
    for line in text.split(['\n', '\r', '\u{c}']) {
        let code = line.trim_start_matches([' ', '\t']);
        if code.is_empty() {
            continue;
        }
        // A tab is as wide as eight blanks to the scanner.
        let blanks = line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t'));
        let width: usize = blanks.map(|byte| if byte == b'\t' { 8 } else { 1 }).sum();
        while open.last().is_some_and(|last| *last >= width) {
            open.pop();
        }
        if width > 0 {
            open.push(width);
        }
        if open.len() > MOST {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use std::{ops::ControlFlow, time::Duration};

    use model::code_lang::CodeLang;

    use super::*;

    fn nested(levels: usize, indent: &str) -> String {
        (0..levels).map(|level| format!("{}if 1:\n", indent.repeat(level))).collect::<String>()
            + &indent.repeat(levels)
            + "x = 1\n"
    }

    #[test]
    fn only_open_indentations_count() {
        for indent in [" ", "    ", "\t"] {
            assert!(!are_too_many(&nested(MOST, indent)));
            assert!(are_too_many(&nested(MOST + 1, indent)));
        }
        assert!(!are_too_many(&nested(200, " ").repeat(20)));
        assert!(!are_too_many(&"    x = 1\n\n  # y\n".repeat(10_000)));
    }

    #[test]
    fn blocks_that_overflow_the_scanner_are_not_parsed() {
        let text = nested(511, " ").replace("x = 1", "x = \"a\"");
        let parsed =
            super::super::parse(&text, CodeLang::Python, Duration::from_secs(5), &mut || ControlFlow::Continue(()));
        assert_eq!(parsed.err(), Some(super::super::Refusal::TooDeep));
    }
}
