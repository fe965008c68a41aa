//! Shortened texts, and the order of names.

use std::cmp::Ordering;

/// A text's first `most` characters on one line, with a mark if it is cut.
pub fn excerpt(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

/// The order of names as people read them: numbers in them by their value, letters without regard to case.
pub fn natural_cmp(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    loop {
        let (Some(x), Some(y)) = (left.chars().next(), right.chars().next()) else {
            // Names that differ in case or leading zeros alone still have an order.
            return left.len().cmp(&right.len()).then_with(|| a.cmp(b));
        };
        let order = if x.is_ascii_digit() && y.is_ascii_digit() {
            let (m, n) = (digits(&mut left), digits(&mut right));
            m.len().cmp(&n.len()).then_with(|| m.cmp(n))
        } else {
            (left, right) = (&left[x.len_utf8()..], &right[y.len_utf8()..]);
            x.to_lowercase().cmp(y.to_lowercase())
        };
        if order.is_ne() {
            return order;
        }
    }
}

/// The digits at the beginning of the text, which they are taken from, without leading zeros.
fn digits<'a>(text: &mut &'a str) -> &'a str {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    *text = rest;
    digits.trim_start_matches('0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_are_in_order() {
        let mut names =
            ["model-10", "Model-2", "model-2b", "model-1", "model", "模型 3", "模型 20", "m-007", "m-7", "7B"];
        names.sort_by(|a, b| natural_cmp(a, b));
        let expected =
            ["7B", "m-007", "m-7", "model", "model-1", "Model-2", "model-2b", "model-10", "模型 3", "模型 20"];
        assert_eq!(names, expected);
        // Too long for a number.
        let (short, long) = ("9".repeat(40), "1".repeat(41));
        assert_eq!(natural_cmp(&short, &long), Ordering::Less);
        assert_eq!(natural_cmp("a", "a"), Ordering::Equal);
        assert_ne!(natural_cmp("a", "A"), Ordering::Equal, "the order does not depend on the order before");
    }

    #[test]
    fn excerpts_are_one_line() {
        let check = |text, most, short: &str| assert_eq!(excerpt(text, most), short);
        check("a  b\n c", 10, "a b c");
        check("将 Date 类型转为时间字符串", 7, "将 Date…");
        check("", 3, "");
    }
}
