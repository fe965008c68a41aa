//! Splits a chat answer into fenced code and surrounding text.

/// A chat answer, split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The code without fences; the whole answer if it has none.
    pub code: String,
    /// The text before and after the code, including other fenced code; may be empty.
    pub said: String,
}

/// Splits an answer. The code is the first fenced block that is marked as Java and contains a
/// brace: answers begin with the solution and continue with examples. If no block is
/// marked, unmarked blocks count, then any.
pub fn split(answer: &str) -> Answer {
    let blocks = blocks(answer);
    let chosen = [Some("java"), Some(""), None].into_iter().find_map(|language| {
        let mut of = blocks.iter().filter(|b| language.is_none_or(|l| b.language.eq_ignore_ascii_case(l)));
        let mut first = None;
        of.find(|b| {
            first.get_or_insert(**b);
            answer[b.code.0..b.code.1].contains('{')
        })
        .copied()
        .or(first)
    });
    let Some(block) = chosen else {
        return Answer { code: answer.to_owned(), said: String::new() };
    };
    let before = answer[..block.whole.0].trim();
    let after = answer[block.whole.1..].trim();
    let said = match (before, after) {
        ("", other) | (other, "") => other.to_owned(),
        (before, after) => format!("{before}\n\n{after}"),
    };
    let code = &answer[block.code.0..block.code.1];
    let code = code.replace("\r\n", "\n");
    Answer { code: code.strip_suffix('\n').map(str::to_owned).unwrap_or(code), said }
}

/// A fenced block, as byte offsets.
#[derive(Clone, Copy)]
struct Block<'a> {
    language: &'a str,
    code: (usize, usize),
    whole: (usize, usize),
}

fn blocks(answer: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, &str, usize, usize)> = None;
    let mut at = 0;
    for line in answer.split_inclusive('\n') {
        let text = line.trim_end();
        match open {
            None => {
                // Some answers open a fence after a sentence; a language is one word.
                let fence = ["```", "~~~"].into_iter().filter_map(|mark| text.find(mark)).min();
                if let Some(fence) = fence {
                    let mark_end = fence + text[fence..].chars().take_while(|c| text[fence..].starts_with(*c)).count();
                    let language = text[mark_end..].trim();
                    let inline = language.contains(['`', ' ']) && fence > 0;
                    if !inline {
                        let language = language.split_whitespace().next().unwrap_or_default();
                        open = Some((&text[fence..mark_end], language, at + fence, at + line.len()));
                    }
                }
            }
            Some((mark, language, begin, code)) => {
                // The closing fence may follow the last line of code without a line break.
                if let Some(rest) = text.strip_suffix(mark).filter(|rest| !rest.ends_with(&mark[..1])) {
                    let end = at + rest.len();
                    blocks.push(Block { language, code: (code, end.max(code)), whole: (begin, at + line.len()) });
                    open = None;
                }
            }
        }
        at += line.len();
    }
    if let Some((_, language, begin, code)) = open {
        // Cut off before the fence was closed.
        blocks.push(Block { language, code: (code, answer.len()), whole: (begin, answer.len()) });
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_code_and_keeps_the_talk() {
        let check = |answer: &str, code: &str, said: &str| {
            assert_eq!(split(answer), Answer { code: code.into(), said: said.into() }, "{answer}");
        };
        check("int f() { return 1; }\n", "int f() { return 1; }\n", "");
        check("Here:\n\n```java\nint f() {}\n```\nDone.", "int f() {}", "Here:\n\nDone.");
        check("```\nint f() {}\n```", "int f() {}", "");
        check("```java\r\nint f() {\r\n}\r\n```\r\n", "int f() {\n}", "");
        check("cut\n```java\nint f() {\n  return", "int f() {\n  return", "cut");
        check("glued:```Java\nint f() {}```", "int f() {}", "glued:");
        check(
            "First add\n```java\nimport java.util.*;\n```\nthen\n```java\nint f() {}\n```\n",
            "int f() {}",
            "First add\n```java\nimport java.util.*;\n```\nthen",
        );
        check("```xml\n<a/>\n```\n```java\nint f() {}\n```", "int f() {}", "```xml\n<a/>\n```");
        check("````java\nString s = \"```\"; {}\n````", "String s = \"```\"; {}", "");
        check("use ```x``` inline", "use ```x``` inline", "");
        check("~~~java\nint f() {}\n~~~", "int f() {}", "");
        check("", "", "");
        check("```java\n```", "", "");
    }
}
