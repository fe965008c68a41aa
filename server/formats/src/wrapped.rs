//! Code that models put into something else than fences: tags, calls of tools, JSON, HTML, and copies of chat pages.
//!
//! Code may contain all of that in its texts and comments. So what is inside must be code, and the answer as a whole must not
//! be, unless it begins with a tag or is a JSON object. Each text is searched for a limited number of places.

use std::ops::Range;

use serde_json::Value;

use super::{
    fences::{self, Block, BlockKind, Rules},
    values,
};

/// Tags around code, as their beginning and end. Attributes may follow a beginning without a closing bracket.
const TAGS: [(&str, &str); 21] = [
    ("<solution", "</solution>"),
    ("<code", "</code>"),
    ("<pre", "</pre>"),
    ("<answer", "</answer>"),
    ("<response", "</response>"),
    ("<output", "</output>"),
    ("<file", "</file>"),
    ("<antArtifact", "</antArtifact>"),
    ("<tool_call", "</tool_call>"),
    // Of a tool's call: `<parameter=code>`, `<parameter name="code">`.
    ("<parameter", "</parameter>"),
    ("<![CDATA[", "]]>"),
    ("<|begin_of_box|>", "<|end_of_box|>"),
    // Aider's way to write a new file.
    ("<<<<<<< SEARCH\n=======\n", ">>>>>>> REPLACE"),
    ("[CODE]", "[/CODE]"),
    ("[PYTHON]", "[/PYTHON]"),
    ("[JAVA]", "[/JAVA]"),
    ("[JAVASCRIPT]", "[/JAVASCRIPT]"),
    ("[CPP]", "[/CPP]"),
    ("[C++]", "[/C++]"),
    ("[GO]", "[/GO]"),
    ("[RUST]", "[/RUST]"),
];

/// Names of fields that have code.
const FIELDS: [&str; 9] =
    ["code", "solution", "completion", "answer", "program", "function", "implementation", "response", "content"];

/// HTML's names of characters.
const ENTITIES: [(&str, &str); 8] = [
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&amp;", "&"),
    ("&quot;", "\""),
    ("&apos;", "'"),
    ("&#39;", "'"),
    ("&#x27;", "'"),
    ("&nbsp;", " "),
];

/// Maximum number of places of a tag that are looked at.
const MOST_PLACES: usize = 64;

/// Maximum number of texts between tags or of an object that are looked at.
const MOST_LOOKS: usize = 12;

/// Maximum number of texts that are parsed to see where copied code ends.
const MOST_ENDS: usize = 6;

/// Maximum length of a tag with its attributes, in bytes.
const LONGEST_TAG: usize = 400;

/// Maximum depth of JSON texts in JSON texts, such as the arguments of a call.
const DEEPEST: usize = 3;

/// How code is recognized.
pub struct Wrappings<'r> {
    pub rules: &'r Rules<'r>,
    /// Whether code defines what is asked for.
    pub defines: &'r dyn Fn(&str) -> bool,
}

impl Wrappings<'_> {
    fn is_code(&self, text: &str) -> bool {
        (self.rules.is_code)(text)
    }

    /// The code of an answer without fences.
    pub fn find(&self, answer: &str) -> Option<Block> {
        self.tagged(answer).or_else(|| self.copied(answer))
    }

    /// The code in the only block of an answer, if the block wraps it once more.
    pub fn inside(&self, block: &str) -> Option<String> {
        let diff = || self.created(block).filter(|_| !self.is_code(block));
        self.object(block).or_else(|| self.tagged(block).map(|found| found.code)).or_else(diff)
    }

    /// The code that a diff adds, if it adds all of it.
    pub fn created(&self, diff: &str) -> Option<String> {
        const HEADERS: [&str; 8] = ["diff ", "index ", "new file", "--- ", "+++ ", "@@", "\\ No newline", "*** "];
        let lines =
            diff.lines().filter(|line| !line.trim().is_empty() && !HEADERS.iter().any(|head| line.starts_with(head)));
        let lines: Option<Vec<&str>> = lines.map(|line| line.strip_prefix('+')).collect();
        let code = lines?.join("\n");
        self.is_code(&code).then_some(code)
    }

    /// The code of an answer that is a text or an object of JSON and nothing else. Of an object, it is the text of a usual name that
    /// is code, or else of any name, if there is only one, or one that defines what is asked for.
    pub fn object(&self, answer: &str) -> Option<String> {
        let text = answer.trim();
        if text.starts_with('"') && text.ends_with('"') {
            return self.only_code(vec![(String::new(), serde_json::from_str(text).ok()?)]);
        }
        let fields = read_object(text)?;
        let mut found = Vec::new();
        for (name, value) in fields {
            texts(&name, value, 0, &mut found);
        }
        let is_usual = |name: &str| FIELDS.iter().any(|usual| usual.eq_ignore_ascii_case(name));
        let (usual, others): (Vec<_>, Vec<_>) = found.into_iter().partition(|(name, _)| is_usual(name));
        self.only_code(usual).or_else(|| self.only_code(others))
    }

    fn only_code(&self, texts: Vec<(String, String)>) -> Option<String> {
        let texts = texts.into_iter().map(|(_, text)| self.without_fences(text));
        let may_be_code = |text: &String| text.contains(['=', '(', '{']) || text.contains("return");
        let mut found: Vec<String> =
            texts.filter(may_be_code).take(MOST_LOOKS).filter(|text| self.is_code(text)).collect();
        found.dedup();
        if found.len() > 1 {
            found.retain(|text| (self.defines)(text));
        }
        found.pop().filter(|_| found.is_empty())
    }

    fn without_fences(&self, text: String) -> String {
        if !text.contains("```") {
            return text;
        }
        let mut blocks = fences::blocks(&text, self.rules);
        blocks.retain(|block| block.kind == BlockKind::Fenced);
        blocks.pop().filter(|_| blocks.is_empty()).map_or(text, |block| block.code)
    }

    /// The first code between tags, of which one begins a line and the other ends one, but for other tags.
    fn tagged(&self, answer: &str) -> Option<Block> {
        let mut places: Vec<(Range<usize>, Range<usize>)> =
            TAGS.iter().flat_map(|(open, close)| tags(answer, open, close)).collect();
        places.sort_by_key(|(range, _)| range.start);
        let begins = places.first()?.0.start == answer.len() - answer.trim_start().len();
        let (code, range) = places.into_iter().take(MOST_LOOKS).find_map(|(range, inside)| {
            let text = lines_between(&answer[inside]);
            let data = text.trim().strip_prefix("<![CDATA[").and_then(|text| text.strip_suffix("]]>"));
            let text = data.map_or(text, lines_between);
            let code = self.object(text).unwrap_or_else(|| unescaped(text.to_owned(), self.rules.is_code));
            (!is_within_code(&answer[..range.start]) && self.is_code(&code)).then_some((code, range))
        })?;
        (begins || !self.is_code(answer)).then(|| unfenced(&code, range))
    }

    /// The code below the header that chat pages show over a block, which a copy of the page has instead of fences: the language
    /// and the label of a button.
    fn copied(&self, answer: &str) -> Option<Block> {
        const LABELS: [&str; 4] = ["copy code", "copy", "复制代码", "复制"];
        let (mut at, mut before, mut found) = (0, None, None);
        let is_language = |word: &str| (self.rules.is_language)(word.trim());
        for line in answer.split_inclusive('\n') {
            let text = line.trim().to_lowercase();
            let label = LABELS.iter().find_map(|label| text.strip_suffix(label));
            match label {
                Some("") if before.is_some() => found = before.map(|start| (start, at + line.len())),
                Some(word) if is_language(word) => found = Some((at, at + line.len())),
                _ => {}
            }
            if found.is_some() {
                break;
            }
            before = if text.is_empty() { before } else { is_language(&text).then_some(at) };
            at += line.len();
        }
        let (start, from) = found?;
        // Sentences may follow it, behind a blank line.
        let mut code = answer[from..].trim_end();
        for _ in 0..MOST_ENDS {
            if self.is_code(code) {
                return Some(unfenced(code, start..from + code.len()));
            }
            code = code[..code.rfind("\n\n")?].trim_end();
        }
        None
    }
}

/// Code that a response has without fences.
pub fn unfenced(code: &str, range: Range<usize>) -> Block {
    let (language, code) = (String::new(), plain(code.to_owned()));
    Block { language, code, range, kind: BlockKind::Fenced, is_closed: true }
}

/// Code without a byte order mark at its beginning, and indented by blanks instead of blanks that do not break, which pages
/// have in their place.
pub fn plain(code: String) -> String {
    let has_other_blanks = code.starts_with('\u{feff}') || code.contains('\u{a0}');
    if !has_other_blanks {
        return code;
    }
    let line = |line: &str| {
        let text = line.trim_start_matches([' ', '\t', '\u{a0}']);
        format!("{}{text}", line[..line.len() - text.len()].replace('\u{a0}', " "))
    };
    code.trim_start_matches('\u{feff}').split_inclusive('\n').map(line).collect()
}

/// Code with characters instead of HTML's names for them, if it is code only with these. Some languages accept the names: to them,
/// `a &lt; b` is a variable `lt` and another statement. There they count in code that has no such characters otherwise, in a
/// line before any text or comment.
pub fn unescaped(code: String, is_code: &dyn Fn(&str) -> bool) -> String {
    let first = |text: &str| ENTITIES.iter().filter_map(|(name, _)| text.find(name)).min();
    if !code.contains('&') || first(&code).is_none() {
        return code;
    }
    let is_outside = |line: &str| {
        let before = first(line).map(|at| line[..at].trim_start());
        before.is_some_and(|before| {
            !before.contains(['"', '\''])
                && !before.contains("//")
                && !before.contains("# ")
                && !before.starts_with('*')
        })
    };
    let has_long_texts = ["\"\"\"", "'''", "`", "/*", "<", ">"].iter().any(|mark| code.contains(mark));
    let is_certain = !has_long_texts && code.lines().any(is_outside);
    let text = characters(&code);
    if is_code(&text) && (is_certain || !is_code(&code)) { text } else { code }
}

/// A text with characters instead of HTML's names for them.
fn characters(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (name, character) = ENTITIES.into_iter().find(|(name, _)| rest.starts_with(name)).unwrap_or(("&", "&"));
        out.push_str(character);
        rest = &rest[name.len()..];
    }
    out + rest
}

/// The fields of a text that is a JSON object.
fn read_object(text: &str) -> Option<serde_json::Map<String, Value>> {
    let text = text.trim();
    if !text.starts_with('{') || !text.ends_with('}') || values::are_too_many(text.as_bytes()) {
        return None;
    }
    serde_json::from_str(text).ok()
}

/// The texts in a value of JSON with the names of their fields.
fn texts(name: &str, value: Value, depth: usize, found: &mut Vec<(String, String)>) {
    match value {
        Value::String(text) => match (depth < DEEPEST).then(|| read_object(&text)).flatten() {
            Some(fields) => fields.into_iter().for_each(|(name, value)| texts(&name, value, depth + 1, found)),
            None => found.push((name.to_owned(), text)),
        },
        Value::Array(items) => items.into_iter().for_each(|item| texts(name, item, depth, found)),
        Value::Object(fields) => fields.into_iter().for_each(|(name, value)| texts(&name, value, depth, found)),
        _ => {}
    }
}

/// The places of a tag that begins a line, with the next closing one that ends a line: the ranges with and without the tags.
fn tags(text: &str, open: &str, close: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let mut found = Vec::new();
    let mut from = 0;
    for (at, _) in text.match_indices(open).take(MOST_PLACES) {
        if at < from || !is_at_edge(text[..at].rsplit('\n').next()) {
            continue;
        }
        let Some(start) = tag_end(text, at + open.len(), open) else { continue };
        let mut ends = text[start..].match_indices(close).take(MOST_PLACES).map(|(end, _)| start + end);
        let Some(end) = ends.find(|end| is_at_edge(text[end + close.len()..].split('\n').next())) else { break };
        from = end + close.len();
        found.push((at..from, start..end));
    }
    found
}

/// Whether a text ends within a comment or a text of code, such as the documentation of a function that is cut off.
fn is_within_code(before: &str) -> bool {
    let count = |mark: &str| before.matches(mark).count();
    count("/*") > count("*/") || count("\"\"\"") % 2 == 1 || count("'''") % 2 == 1
}

/// Whether the part of a line on one side of a tag has nothing but other tags.
fn is_at_edge(part: Option<&str>) -> bool {
    let part = part.unwrap_or_default().trim();
    part.is_empty() || (part.starts_with('<') && part.ends_with('>'))
}

/// The end of an opening tag whose name ends at a place.
fn tag_end(text: &str, at: usize, open: &str) -> Option<usize> {
    if open.ends_with(['>', ']', '[', '\n']) {
        return Some(at);
    }
    let rest = &text.as_bytes()[at..];
    let attributes = rest.iter().take(LONGEST_TAG).position(|byte| matches!(byte, b'>' | b'\n'))?;
    let is_tag = matches!(rest.first(), Some(b'>' | b' ' | b'=')) && rest.get(attributes) == Some(&b'>');
    is_tag.then_some(at + attributes + 1)
}

/// What stands on the line of a tag, or the lines below it with their indentation.
fn lines_between(text: &str) -> &str {
    let text = text.trim_end();
    text.split_once('\n').filter(|(first, _)| first.trim().is_empty()).map_or(text.trim(), |(_, rest)| rest)
}

#[cfg(test)]
#[path = "wrapped_test.rs"]
pub mod tests;
