//! Splits code into lines of highlighted runs.

use std::sync::LazyLock;

use app::model::code::{Line, Run};
use tree_sitter_highlight::{HighlightConfiguration, HighlightEvent, Highlighter};

/// The kinds of a [`Run`] that the style sheet knows. Plain text (variables,
/// punctuation) has none: it is most of a program, and a run for each bracket would make a page
/// several times as heavy.
pub const KINDS: [&str; 10] =
    ["keyword", "type", "function", "string", "number", "comment", "constant", "annotation", "property", "operator"];

/// The grammar's capture names with the kind of each.
const CAPTURES: [(&str, &str); 13] = [
    ("keyword", "keyword"),
    ("variable.builtin", "keyword"),
    ("function.builtin", "keyword"),
    ("constant.builtin", "constant"),
    ("constant", "constant"),
    ("type", "type"),
    ("function", "function"),
    ("string", "string"),
    ("number", "number"),
    ("comment", "comment"),
    ("attribute", "annotation"),
    ("property", "property"),
    ("operator", "operator"),
];

/// Additions to the grammar's query.
const MORE: &str = r#"
(field_access field: (identifier) @property)
((field_access field: (identifier) @constant) (#match? @constant "^_*[A-Z][A-Z\\d_]+$"))
(constructor_declaration name: (identifier) @function)
(method_reference "::" (identifier) @function)
(record_declaration name: (identifier) @type)
(annotation_type_declaration name: (identifier) @type)
(binary_integer_literal) @number
["@interface"] @keyword
["=" "+=" "-=" "*=" "/=" "&=" "|=" "^=" "%=" "<<=" ">>=" ">>>=" "==" "!=" "<=" ">=" "&&" "||" "+" "-" "*" "/" "%"
 "|" "^" "<<" ">>" ">>>" "++" "--" "!" "~" "->" "::"] @operator
(binary_expression operator: ["<" ">" "&"] @operator)
(ternary_expression ["?" ":"] @operator)
"#;

static JAVA: LazyLock<Option<HighlightConfiguration>> = LazyLock::new(|| {
    let query = format!("{}\n{MORE}", tree_sitter_java::HIGHLIGHTS_QUERY);
    match HighlightConfiguration::new(tree_sitter_java::LANGUAGE.into(), "java", &query, "", "") {
        Ok(mut configuration) => {
            configuration.configure(&CAPTURES.map(|(capture, _)| capture));
            Some(configuration)
        }
        Err(e) => {
            // Code without colours is better than none; a test checks the query.
            tracing::error!(cause = %e, "the highlighting query does not fit the grammar");
            None
        }
    }
});

/// The lines of `code`, highlighted.
pub fn highlight(code: &str) -> Vec<Line> {
    runs(code).unwrap_or_else(|| plain(code))
}

/// The lines of `code`, without highlighting.
pub fn plain(code: &str) -> Vec<Line> {
    let mut lines = Lines::default();
    lines.push("", code);
    lines.finish()
}

fn runs(code: &str) -> Option<Vec<Line>> {
    let configuration = JAVA.as_ref()?;
    let mut highlighter = Highlighter::new();
    let events = highlighter.highlight(configuration, code.as_bytes(), None, None, |_| None).ok()?;
    let mut lines = Lines::default();
    let mut kinds = Vec::new();
    for event in events {
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
            let piece = piece.strip_suffix('\r').unwrap_or(piece);
            if piece.is_empty() {
                continue;
            }
            // White space joins its neighbours.
            match self.current.last_mut() {
                Some(last) if last.0 == kind || piece.trim().is_empty() => last.1.push_str(piece),
                _ => self.current.push(Run(kind.to_owned(), piece.to_owned())),
            }
        }
    }

    fn finish(mut self) -> Vec<Line> {
        if !self.current.is_empty() {
            self.done.push(Line(self.current));
        }
        // A trailing line break starts no line.
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
    fn gives_each_word_its_kind() {
        let code = "@Override\npublic int go(List<String> xs) { // why\n  return Math.max(xs.size(), 0x1F) + this.LIMIT + \"a\" == null;\n}";
        let lines = highlight(code);
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
    fn keeps_text_that_is_no_java() {
        let check = |text: &str, expected: &[&str]| {
            let lines: Vec<_> = highlight(text).iter().map(Line::text).collect();
            assert_eq!(lines, expected);
        };
        check("", &[]);
        check("a\r\n\r\n  b 中文 {{{ \"\n\n", &["a", "", "  b 中文 {{{ \""]);
        check("\u{1f600} @@@ class", &["\u{1f600} @@@ class"]);
    }
}
