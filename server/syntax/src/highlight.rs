//! Splits code into lines of highlighted runs.

use std::{sync::OnceLock, time::Duration};

use model::{
    code::{Line, Run, is_hidden, visible},
    code_lang::CodeLang,
};
use tree_sitter_highlight::{HighlightConfiguration, HighlightEvent, Highlighter};

use crate::display::display;

/// The kinds of a [`Run`] that the style sheet knows. Plain text (variables,
/// punctuation) has none: it is most of a program, and a run for each bracket would make a page
/// several times as heavy.
pub const KINDS: [&str; 11] = [
    "keyword",
    "type",
    "function",
    "string",
    "number",
    "comment",
    "constant",
    "annotation",
    "property",
    "operator",
    HIDDEN,
];
/// The kind of hidden characters, whatever they are part of.
const HIDDEN: &str = "hidden";

/// The grammars' capture names with the kind of each.
const CAPTURES: [(&str, &str); 15] = [
    ("keyword", "keyword"),
    ("variable.builtin", "keyword"),
    ("function.builtin", "keyword"),
    ("constant.builtin", "constant"),
    ("constant", "constant"),
    ("constructor", "type"),
    ("type", "type"),
    ("function", "function"),
    ("string", "string"),
    ("escape", "string"),
    ("number", "number"),
    ("comment", "comment"),
    ("attribute", "annotation"),
    ("property", "property"),
    ("operator", "operator"),
];

/// The languages' configurations, created when code in the language is first displayed.
static CONFIGURATIONS: [OnceLock<Option<HighlightConfiguration>>; CodeLang::ALL.len()] =
    [const { OnceLock::new() }; CodeLang::ALL.len()];

fn configuration(lang: CodeLang) -> Option<&'static HighlightConfiguration> {
    let make = || {
        let display = display(lang);
        let query = display.highlights.join("\n");
        match HighlightConfiguration::new(parsers::grammar(lang), lang.code(), &query, "", "") {
            Ok(mut configuration) => {
                configuration.configure(&CAPTURES.map(|(capture, _)| capture));
                Some(configuration)
            }
            Err(e) => {
                // Code without highlighting is better than none; a test checks the queries.
                tracing::error!(cause = %e, %lang, "the highlighting query does not fit the grammar");
                None
            }
        }
    };
    CONFIGURATIONS.get(lang as usize)?.get_or_init(make).as_ref()
}

/// The lines of `code`, highlighted as this language.
pub fn highlight(code: &str, lang: CodeLang) -> Vec<Line> {
    runs(code, lang).unwrap_or_else(|| plain(code))
}

/// The lines of `code`, without highlighting.
pub fn plain(code: &str) -> Vec<Line> {
    let mut lines = Lines::default();
    lines.push("", code);
    lines.finish()
}

/// CPU time limit for highlighting, beyond which code is shown plain: invalid code can make a query slow.
const LONGEST_HIGHLIGHT: Duration = Duration::from_millis(500);

fn runs(code: &str, lang: CodeLang) -> Option<Vec<Line>> {
    let configuration = configuration(lang)?;
    let start = parsers::cpu_time();
    let mut highlighter = Highlighter::new();
    let events = highlighter.highlight(configuration, code.as_bytes(), None, None, |_| None).ok()?;
    let mut lines = Lines::default();
    let mut kinds = Vec::new();
    for event in events {
        if parsers::cpu_time().saturating_sub(start) > LONGEST_HIGHLIGHT {
            return None;
        }
        match event.ok()? {
            HighlightEvent::HighlightStart(h) => kinds.push(CAPTURES.get(h.0).map_or("", |(_, kind)| kind)),
            HighlightEvent::HighlightEnd => {
                kinds.pop();
            }
            HighlightEvent::Source { start, end } => {
                lines.push(kinds.last().copied().unwrap_or_default(), code.get(start..end)?);
            }
        }
    }
    Some(lines.finish())
}

#[derive(Default)]
struct Lines {
    done: Vec<Line>,
    current: Vec<Run>,
}

impl Lines {
    fn push(&mut self, kind: &str, text: &str) {
        for (i, piece) in text.split('\n').enumerate() {
            if i > 0 {
                self.done.push(Line(std::mem::take(&mut self.current)));
            }
            let mut rest = piece.strip_suffix('\r').unwrap_or(piece);
            while let Some(first) = rest.chars().next() {
                let hidden = is_hidden(first);
                let end = rest.find(|c| is_hidden(c) != hidden).unwrap_or(rest.len());
                let (part, after) = rest.split_at(end);
                match hidden {
                    true => self.push_run(HIDDEN, &visible(part)),
                    false => self.push_run(kind, part),
                }
                rest = after;
            }
        }
    }

    fn push_run(&mut self, kind: &str, text: &str) {
        // Whitespace joins the run before it.
        match self.current.last_mut() {
            Some(last) if last.0 == kind || last.0 != HIDDEN && text.trim().is_empty() => last.1.push_str(text),
            _ => self.current.push(Run(kind.to_owned(), text.to_owned())),
        }
    }

    fn finish(mut self) -> Vec<Line> {
        if !self.current.is_empty() {
            self.done.push(Line(self.current));
        }
        // Blank lines at the end are dropped.
        while self.done.last().is_some_and(|line| line.text().trim().is_empty()) {
            self.done.pop();
        }
        self.done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_their_kind() {
        let code = "@Override\npublic int go(List<String> xs) { // why\n  return Math.max(xs.size(), 0x1F) + this.LIMIT + \"a\" == null;\n}";
        let lines = highlight(code, CodeLang::Java);
        let check = |line: usize, text: &str, kind: &str| {
            let found = lines[line].0.iter().find(|r| r.1.trim() == text);
            assert_eq!(found.map(|r| r.0.as_str()), Some(kind), "{text} in {:?}", lines[line]);
        };
        check(1, "public", "keyword");
        check(1, "go", "function");
        check(1, "// why", "comment");
        check(2, "return", "keyword");
        check(2, "max", "function");
        check(2, "0x1F", "number");
        check(2, "LIMIT", "constant");
        check(2, "\"a\"", "string");
        check(2, "null", "constant");
        check(2, "==", "operator");
        assert_eq!(lines.iter().map(Line::text).collect::<Vec<_>>().join("\n"), code);
        assert!(lines.iter().flat_map(|l| &l.0).all(|r| r.0.is_empty() || KINDS.contains(&r.0.as_str())));
    }

    #[test]
    fn hidden_characters_are_shown() {
        // As in "Trojan Source" (CVE-2021-42574): the comment ends where the reader does not see it.
        let code = "/*\u{202e} } \u{2066}if (ok)\u{2069} \u{2066} begin */\nint a\u{200b}\u{feff}b = 1; // \u{0}é 中 👩\u{200d}🔬\u{7f}";
        for lines in [highlight(code, CodeLang::Java), plain(code)] {
            let text = lines.iter().map(Line::text).collect::<Vec<_>>().join("\n");
            let expected = "/*⟨U+202E⟩ } ⟨U+2066⟩if (ok)⟨U+2069⟩ ⟨U+2066⟩ begin */\nint a⟨U+200B⟩⟨U+FEFF⟩b = 1; // ⟨U+0000⟩é 中 👩\u{200d}🔬⟨U+007F⟩";
            assert_eq!(text, expected);
            let hidden = lines.iter().flat_map(|line| &line.0).filter(|run| run.0 == HIDDEN);
            let hidden: Vec<&str> = hidden.map(|run| run.1.as_str()).collect();
            assert_eq!(hidden.len(), 7, "{hidden:?}");
            assert!(hidden.iter().all(|text| text.starts_with('⟨') && text.ends_with('⟩')), "{hidden:?}");
        }
    }

    #[test]
    fn tokens_of_every_language_have_their_kind() {
        let check = |lang: CodeLang, code: &str, expected: &[(&str, &str)]| {
            let lines = highlight(code, lang);
            for (text, kind) in expected {
                let found = lines.iter().flat_map(|line| &line.0).find(|run| run.1.trim() == *text);
                assert_eq!(found.map(|run| run.0.as_str()), Some(*kind), "{lang}: {text} in {lines:?}");
            }
            assert_eq!(lines.iter().map(Line::text).collect::<Vec<_>>().join("\n"), code);
            assert!(lines.iter().flat_map(|l| &l.0).all(|r| r.0.is_empty() || KINDS.contains(&r.0.as_str())));
        };
        check(
            CodeLang::Python,
            "    for x in xs:  # why\n        if len(x) > 0x1F: return \"a\"",
            &[("for", "keyword"), ("# why", "comment"), ("0x1F", "number"), ("return", "keyword"), ("\"a\"", "string")],
        );
        check(
            CodeLang::Cpp,
            "#include <vector>\nclass A { public: int go(std::vector<int> xs) { return 1; } }; // why",
            &[("class", "keyword"), ("go", "function"), ("int", "type"), ("1", "number"), ("// why", "comment")],
        );
        check(
            CodeLang::JavaScript,
            "const go = (xs) => { /* why */ return `a` + xs.length; }",
            &[("const", "keyword"), ("/* why */", "comment"), ("`a`", "string"), ("length", "property")],
        );
        check(
            CodeLang::Go,
            "    for _, x := range xs { // why\n        s += fmt.Sprint(\"a\", 1) }",
            &[("for", "keyword"), ("range", "keyword"), ("// why", "comment"), ("\"a\"", "string"), ("1", "number")],
        );
        check(
            CodeLang::Rust,
            "fn go(s: &str) -> u32 { let n = 1; /* why */ n }",
            &[("fn", "keyword"), ("go", "function"), ("u32", "type"), ("1", "constant"), ("/* why */", "comment")],
        );
    }

    #[test]
    fn text_that_is_not_java_is_kept() {
        let check = |text: &str, expected: &[&str]| {
            let lines: Vec<_> = highlight(text, CodeLang::Java).iter().map(Line::text).collect();
            assert_eq!(lines, expected);
        };
        check("", &[]);
        check("a\r\n\r\n  b 中文 {{{ \"\n\n", &["a", "", "  b 中文 {{{ \""]);
        check("\u{1f600} @@@ class", &["\u{1f600} @@@ class"]);
    }
}
