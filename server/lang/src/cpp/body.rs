//! Recognizes samples that are only the body of the function that a prompt begins.
//!
//! Such a sample can be compiled separately from the tests with the same result. It declares nothing outside its
//! function that the tests could see, and it has no directives, macros, attributes or assembler text that take effect
//! outside. In case of doubt a sample is not a body; it is then compiled together with the tests, as the published
//! evaluator does.

/// Whether a text is the rest of a function's body, followed by nothing but white space and comments. The opening brace
/// is before the text.
pub fn is_body(text: &str) -> bool {
    Reader { left: text.as_bytes(), depth: 1 }.ends_its_function()
}

/// The declaration of the function that a prompt begins: the prompt without its comments, with a semicolon instead of
/// the opening brace. `None` if the prompt contains anything else, except `#include` lines and `using
/// namespace std;`.
pub fn declaration(prompt: &str) -> Option<String> {
    let plain = without_comments(prompt)?;
    let declaration = plain.trim_end().strip_suffix('{')?;
    let lines = declaration.lines().filter(|line| !line.trim_start().starts_with("#include"));
    let rest: String = lines.flat_map(|line| [line, "\n"]).collect();
    let rest = rest.replace("using namespace std;", "");
    (!rest.contains(['{', '}', ';', '#', '\\', '"', '='])).then(|| format!("{};\n", declaration.trim_end()))
}

fn without_comments(text: &str) -> Option<String> {
    let (mut plain, mut left) = (String::new(), text);
    while let Some(at) = left.find(['/', '"', '\'']) {
        let (before, rest) = left.split_at(at);
        plain.push_str(before);
        left = if let Some(comment) = rest.strip_prefix("//") {
            comment.find('\n').map_or("", |end| &comment[end..])
        } else if let Some(comment) = rest.strip_prefix("/*") {
            plain.push(' ');
            comment.split_once("*/")?.1
        } else if let Some(path) = rest.strip_prefix('/') {
            // A slash in a path, as in `#include<boost/any.hpp>`.
            plain.push('/');
            path
        } else {
            return None;
        };
    }
    Some(plain + left)
}

/// Splits a text into tokens, as far as they matter here. Each method consumes a token and returns whether a body may
/// contain it.
struct Reader<'a> {
    left: &'a [u8],
    /// Number of open braces.
    depth: usize,
}

impl<'a> Reader<'a> {
    fn ends_its_function(mut self) -> bool {
        while let [first, rest @ ..] = self.left {
            let (first, second) = (*first, rest.first().copied());
            let is_over = self.depth == 0;
            let ok = match (first, second) {
                (b'/', Some(b'/')) => self.line_comment(),
                (b'/', Some(b'*')) => self.comment(),
                (b' ' | b'\t' | b'\n', _) | (b'\r', Some(b'\n')) => self.skip(1),
                _ if is_over => false,
                (b'"' | b'\'', _) => self.literal(first),
                // Digraphs of braces, `#` and brackets; attributes; the beginning of trigraphs.
                (b'<', Some(b'%')) | (b'%', Some(b'>' | b':')) | (b'[', Some(b'[')) | (b'?', Some(b'?')) => false,
                (b'<', Some(b':')) | (b':', Some(b'>')) => false,
                (b'{', _) => {
                    self.depth += 1;
                    self.skip(1)
                }
                (b'}', _) => {
                    self.depth -= 1;
                    self.skip(1)
                }
                (b'a'..=b'z' | b'A'..=b'Z' | b'_', _) => self.word(),
                (b'0'..=b'9', _) => self.number(),
                (b'#' | b'\\' | b'@' | b'$' | b'`', _) => false,
                (b'!'..=b'~', _) => self.skip(1),
                _ => false,
            };
            if !ok {
                return false;
            }
        }
        self.depth == 0
    }

    fn skip(&mut self, count: usize) -> bool {
        self.left = &self.left[count..];
        true
    }

    /// Consumes bytes while they are `wanted`, and returns them.
    fn take(&mut self, wanted: impl Fn(u8) -> bool) -> &'a [u8] {
        let end = self.left.iter().position(|&byte| !wanted(byte)).unwrap_or(self.left.len());
        let (taken, left) = self.left.split_at(end);
        self.left = left;
        taken
    }

    /// A comment to the end of the line. A backslash is rejected, because it could join the line with the next.
    fn line_comment(&mut self) -> bool {
        let comment = self.take(|byte| byte != b'\n');
        !comment.contains(&b'\\') && is_plain(comment)
    }

    fn comment(&mut self) -> bool {
        let Some(end) = self.left[2..].windows(2).position(|pair| pair == b"*/") else { return false };
        let comment = &self.left[2..2 + end];
        self.left = &self.left[end + 4..];
        !comment.contains(&b'\\') && is_plain(comment)
    }

    /// A string or character literal. A backslash before white space is rejected, because it could join two lines.
    fn literal(&mut self, quote: u8) -> bool {
        self.skip(1);
        loop {
            match self.left {
                [b'\\', b' ' | b'\t' | b'\r' | b'\n', ..] | [b'\n' | b'\r' | 0, ..] | [] => return false,
                [b'\\', _, ..] => self.skip(2),
                [b'?', b'?', ..] => return false,
                [end, ..] if *end == quote => return self.skip(1),
                [_, ..] => self.skip(1),
            };
        }
    }

    /// A name or keyword. Rejects words that could take effect outside the function, raw strings, and names that are
    /// reserved for the compiler, with a few exceptions.
    fn word(&mut self) -> bool {
        const REFUSED: [&str; 8] = ["main", "asm", "extern", "friend", "template", "namespace", "operator", "aixgrade"];
        let Ok(word) = std::str::from_utf8(self.take(|byte| byte.is_ascii_alphanumeric() || byte == b'_')) else {
            return false;
        };
        let is_raw = self.left.first() == Some(&b'"') && word.ends_with('R');
        let own = word.starts_with("__builtin_") || word == "__gcd" || word == "__func__";
        let is_reserved =
            word.starts_with("__") || word.starts_with('_') && word[1..].starts_with(|c: char| c.is_ascii_uppercase());
        !is_raw && !REFUSED.contains(&word) && (own || !is_reserved)
    }

    /// A number with its suffix: `0x1f`, `1e9`, `10LL`.
    fn number(&mut self) -> bool {
        self.take(|byte| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_');
        // A quote ends a number in C++11, but can be part of one in later versions.
        self.left.first() != Some(&b'\'')
    }
}

/// Whether a comment has no trigraphs, and no control characters: compilers differ on which of them end a line.
fn is_plain(comment: &[u8]) -> bool {
    let text = comment.strip_suffix(b"\r").unwrap_or(comment);
    let pairs = text.windows(2).all(|pair| pair != b"??");
    pairs
        && text.iter().enumerate().all(|(at, &byte)| match byte {
            b'\t' | b'\n' => true,
            b'\r' => text.get(at + 1) == Some(&b'\n'),
            _ => byte >= b' ' && byte != 0x7f,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_ends_with_its_function() {
        for body in [
            "    return 1;\n}\n",
            " if (x) { return '}'; }\r\n return \"}\\\"\"[0]; /* } */ } // }\n\n",
            "    vector<int> v = {1, 2};\n    return __builtin_popcount(v[a[0]]) + __gcd(1, 2) + 0x1f + 1e-9;\n}",
            "// a body's comment: \u{4e2d}\n    auto f = [](int a) { return a; };\n    return f(1) % 2 ? x : y;\n}",
        ] {
            assert!(is_body(body), "{body}");
        }
    }

    #[test]
    fn a_text_that_could_have_an_effect_outside_its_function_is_not_a_body() {
        for text in [
            "",
            "    return 1;\n",
            "    return 1;\n}\n}\n",
            "    return 1;\n}\nint g() { return 1; }\n",
            "    return 1;\n}\n;",
            "    return 1;\n}\n#define f g\n",
            "#define x\n return 1; }",
            "%: define x\n return 1; }",
            "    return 1; %>",
            "    return 1; ??>",
            "    return \"??/\"; }",
            "    asm(\"nop\"); }",
            "    __asm__(\"nop\"); }",
            "    extern int g(); return g(); }",
            "    int g() __attribute__((weak)); return 1; }",
            "    [[noreturn]] int x; }",
            "    _Pragma(\"x\") return 1; }",
            "    return main(); }",
            "    return R\"(})\"[0]; }",
            "    return u8R\"(})\"[0]; }",
            "    // a comment that goes on \\\n } int g() {\n}",
            "    // a comment\r } int g() {\n}",
            "    // a comment ??/\n } int g() {\n}",
            "    return \"a line\n\"; }",
            "    return \"a\\\nb\"[0]; }",
            "    return 1'000; }",
            "    \\u0061sm(\"nop\"); }",
            "    /* no end }",
            "    return 1;\u{b}}\n",
            "    return 1;\0}\n",
        ] {
            assert!(!is_body(text), "{text}");
        }
    }

    #[test]
    fn a_prompt_that_begins_one_function_has_a_declaration() {
        let prompt = "/*\nf(1) {\n*/\n#include<stdio.h>\n#include<boost/any.hpp>\nusing namespace std;\nvector<int> f(int x){ // x\n";
        let expected = "#include<stdio.h>\n#include<boost/any.hpp>\nusing namespace std;\nvector<int> f(int x);\n";
        assert_eq!(declaration(prompt).unwrap().trim_start(), expected);
        assert!(declaration("bool g(int x){\n return true;\n}\nbool f(int x){\n").is_none());
        assert!(declaration("#define A 1\nbool f(int x){\n").is_none());
        assert!(declaration("int a;\nbool f(int x){\n").is_none());
        assert!(declaration("bool f(int x){\n/* twice */\n").is_some());
        assert!(declaration("bool f(int x)\n").is_none());
    }
}
