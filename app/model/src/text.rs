//! Shortened texts.

/// A text's first `most` characters on one line, with a mark if it is cut.
pub fn excerpt(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_are_one_line() {
        let check = |text, most, short: &str| assert_eq!(excerpt(text, most), short);
        check("a  b\n c", 10, "a b c");
        check("将 Date 类型转为时间字符串", 7, "将 Date…");
        check("", 3, "");
    }
}
