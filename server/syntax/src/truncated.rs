//! Detects code that ends in the middle, which decides what a rater reads about code that does not parse.

/// Whether brackets, a literal or a comment are still open at the end, and no bracket was closed that was
/// not open.
pub fn is_truncated(code: &str) -> bool {
    let mut open = Vec::new();
    let mut rest = code;
    while let Some(c) = rest.chars().next() {
        let step = match c {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => match rest[2..].find("*/") {
                Some(end) => end + 4,
                None => return true,
            },
            '"' if rest.starts_with("\"\"\"") => match literal(&rest[3..], "\"\"\"") {
                Some(end) => end + 6,
                None => return true,
            },
            '"' | '\'' => {
                let mark = if c == '"' { "\"" } else { "'" };
                match literal(&rest[1..], mark) {
                    Some(end) => end + 2,
                    // Open on the last line: cut off there. On another: invalid.
                    None => return rest.split_once('\n').is_none_or(|(_, more)| more.trim().is_empty()),
                }
            }
            '(' | '[' | '{' => {
                open.push(c);
                1
            }
            ')' | ']' | '}' => {
                let expected = match c {
                    ')' => '(',
                    ']' => '[',
                    _ => '{',
                };
                if open.pop() != Some(expected) {
                    return false;
                }
                1
            }
            other => other.len_utf8(),
        };
        rest = &rest[step..];
    }
    !open.is_empty()
}

/// The position in `text`, which starts inside a literal, at which the literal ends, if it does. Only one with a mark of three
/// characters has several lines.
fn literal(text: &str, mark: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if c == '\n' && mark.len() == 1 {
            return None;
        } else if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if text[at..].starts_with(mark) {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_truncated_from_invalid() {
        let check = |code, truncated| assert_eq!(is_truncated(code), truncated, "{code}");
        check("int f() { return 1; }", false);
        check("int f() { return 1;", true);
        check("int f() { return g(1", true);
        check("int f() { return 1; } }", false);
        check("int f() { return (1]; ", false);
        check("String s = \"abc", true);
        check("String s = \"abc\nint x; {", false);
        check("String s = \"a\\\"b\"; char c = '{';", false);
        check("/* not finished {", true);
        check("// a brace { in a comment", false);
        check("String s = \"\"\"\n { \"", true);
        check("String s = \"\"\"\n { \"\"\";", false);
        check("String s = \"你", true);
        check("", false);
    }
}
