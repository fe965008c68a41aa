//! Limits on the brackets of a text before a parser sees it. The parser's cost for text that opens brackets and never
//! closes them grows with the square of its length or faster.

/// Maximum nesting of brackets, far above real programs. For text that opens brackets and never closes them,
/// the parser's recovery takes time quadratic in the length or worse, and reports no progress.
pub const DEEPEST: usize = 256;

/// Maximum number of open `<`, per statement and in total. Each could begin a comparison or type arguments,
/// and the parser keeps both readings: memory grows with the square of their number, to 100 MB here. The
/// largest real outputs have some dozens.
const MOST_OPEN_IN_A_ROW: usize = 256;
/// See [`MOST_OPEN_IN_A_ROW`].
pub const MOST_OPEN: usize = 2_000;

/// Whether a text nests brackets deeper than [`DEEPEST`], or leaves more `<` open than [`MOST_OPEN`] (256 in a
/// statement). Such a text is not parsed.
pub fn are_too_many(text: &str) -> bool {
    deepest(text) > DEEPEST || has_many_open(text)
}

/// Whether more `<` are open than [`MOST_OPEN_IN_A_ROW`] or [`MOST_OPEN`]. A `>` closes one of its own
/// statement; the `>` of `->` or `>=` closes none.
fn has_many_open(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (mut open, mut before) = (0_usize, 0_usize);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'<' => open += 1,
            b'>' if at > 0 && bytes[at - 1] == b'-' || bytes.get(at + 1) == Some(&b'=') => {}
            b'>' => open = open.saturating_sub(1),
            b';' | b'{' | b'}' => {
                before += open;
                open = 0;
            }
            _ => {}
        }
        if open > MOST_OPEN_IN_A_ROW || before + open > MOST_OPEN {
            return true;
        }
    }
    false
}

/// Nesting depth of brackets of any kind, including those in strings and comments, because this is no
/// parser.
fn deepest(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_brackets_are_counted() {
        let check = |text: &str, expected: bool| assert_eq!(are_too_many(text), expected, "{text}");
        for open in ["(", "[", "{", "f(", "a["] {
            check(&open.repeat(DEEPEST), false);
            check(&open.repeat(DEEPEST + 1), true);
        }
        check(&"()".repeat(10_000), false);
        check(&"A<".repeat(MOST_OPEN_IN_A_ROW), false);
        check(&"A<".repeat(MOST_OPEN_IN_A_ROW + 1), true);
        check(&"A<B> a;".repeat(10_000), false);
        check(&"i<n;".repeat(MOST_OPEN), false);
        check(&"i<n;".repeat(MOST_OPEN + 1), true);
        // Neither closes a `<`.
        check(&"a<b->c>=d ".repeat(MOST_OPEN_IN_A_ROW + 1), true);
    }
}
