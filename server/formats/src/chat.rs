//! Splits a chat response into fenced code and surrounding text.

use model::code_lang::CodeLang;

use syntax::display::{Display, display};

/// A chat response, split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The code without fences; the whole response if it has none.
    pub code: String,
    /// The text before and after the code, including other fenced code; may be empty.
    pub surrounding_text: String,
}

/// Splits a response in one of these languages. The code is the first fenced block that is marked as one of them and
/// may be a solution ([`Display::solution`]): responses begin with the solution and continue with examples. If no
/// block is marked, unmarked blocks count, then any.
pub fn split(answer: &str, langs: &[CodeLang]) -> Answer {
    let blocks = blocks(answer);
    let displays = || langs.iter().map(|lang| display(*lang));
    let marked =
        |b: &Block<'_>, display: &Display| display.fences.iter().any(|fence| b.language.eq_ignore_ascii_case(fence));
    let is_marked: [&dyn Fn(&Block<'_>) -> bool; 3] =
        [&|b| displays().any(|display| marked(b, display)), &|b| b.language.is_empty(), &|_| true];
    let chosen = is_marked.into_iter().find_map(|counts| {
        let mut of = blocks.iter().filter(|b| counts(b));
        let mut first = None;
        of.find(|b| {
            first.get_or_insert(**b);
            let code = &answer[b.code.0..b.code.1];
            displays().any(|display| code.contains(display.solution))
        })
        .copied()
        .or(first)
    });
    let Some(block) = chosen else {
        return Answer { code: answer.to_owned(), surrounding_text: String::new() };
    };
    let before = answer[..block.whole.0].trim();
    let after = answer[block.whole.1..].trim();
    let surrounding_text = match (before, after) {
        ("", other) | (other, "") => other.to_owned(),
        (before, after) => format!("{before}\n\n{after}"),
    };
    let code = &answer[block.code.0..block.code.1];
    let code = code.replace("\r\n", "\n");
    Answer { code: code.strip_suffix('\n').map(str::to_owned).unwrap_or(code), surrounding_text }
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
                // Some responses open a fence after a sentence; a language is one word.
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
    fn separates_code_from_surrounding_text() {
        let check = |answer: &str, code: &str, surrounding_text: &str| {
            let found = split(answer, &[CodeLang::Java]);
            assert_eq!(found, Answer { code: code.into(), surrounding_text: surrounding_text.into() }, "{answer}");
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

    #[test]
    fn finds_code_in_the_language_asked_for() {
        let check = |lang: CodeLang, answer: &str, code: &str| {
            assert_eq!(split(answer, &[lang]).code, code, "{lang}: {answer}");
        };
        let both =
            "```bash\npip install {x}\n```\n```python\nf(1)\n```\n```py\ndef f(x):\n    return x\n```\n```js\n{}\n```";
        check(CodeLang::Python, both, "def f(x):\n    return x");
        check(CodeLang::JavaScript, both, "{}");
        check(CodeLang::Cpp, "```C++\nint f() {}\n```", "int f() {}");
        check(CodeLang::Cpp, "```\nmain\n```\n```cpp\nint f() {}\n```", "int f() {}");
        check(CodeLang::Go, "```golang\nfunc f() {}\n```", "func f() {}");
        check(CodeLang::Rust, "```rs\nfn f() {}\n```", "fn f() {}");
        // No block is marked as Go: the first that may be a solution.
        check(CodeLang::Go, "```python\nf(1)\n```\n```c\nint f() {}\n```", "int f() {}");
        let of_all = split(both, &CodeLang::ALL);
        assert_eq!(of_all.code, "def f(x):\n    return x");
    }
}
