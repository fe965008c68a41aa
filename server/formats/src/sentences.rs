//! Code that stands between sentences without any mark.
//!
//! Only sentences are left out, and every remaining piece must be valid code. Otherwise the whole answer counts, so that no
//! broken code is dropped.

use std::ops::Range;

use super::{
    fences::{Block, Rules},
    wrapped::unfenced,
};

/// Maximum number of pieces of code in an answer.
const MOST_PIECES: usize = 12;

/// What may end a sentence.
const ENDS: [char; 10] = ['.', ':', '!', '?', ',', '。', '：', '！', '？', '，'];

/// The pieces of code between an answer's sentences. Empty if there is no sentence, if another piece is no valid code, or if no
/// piece is what `defines` asks for.
///
/// Some languages accept a single word, so that `is_code` says that the answer as a whole is code: then only such lines are
/// left out.
pub fn between(answer: &str, rules: &Rules<'_>, defines: &dyn Fn(&str) -> bool, is_code: bool) -> Vec<Block> {
    let is_word = |line: &str| is_title(line) || (rules.is_language)(line.trim());
    let kind = |line: &str, before: Line| match Line::of(line, before) {
        Line::Code if is_word(line) => Line::Sentence,
        Line::Sentence | Line::Session if is_code => Line::Code,
        kind => kind,
    };
    let Some(pieces) = pieces(answer, &kind) else { return Vec::new() };
    let texts = || pieces.iter().map(|piece| &answer[piece.clone()]);
    // Markdown has a form for code that is indented as a whole.
    let is_indented = |text: &str| text.lines().all(|line| line.trim().is_empty() || line.starts_with([' ', '\t']));
    if !texts().all(is_indented) && texts().all(|text| (rules.is_code)(text)) && texts().any(defines) {
        pieces.iter().map(|piece| unfenced(&answer[piece.clone()], piece.clone())).collect()
    } else {
        Vec::new()
    }
}

/// The ranges of lines between sentences, without pieces that are comments only; `None` if there is no sentence or too many
/// pieces.
fn pieces(answer: &str, kind: &dyn Fn(&str, Line) -> Line) -> Option<Vec<Range<usize>>> {
    let (mut found, mut current): (Vec<Range<usize>>, Option<Range<usize>>) = (Vec::new(), None);
    let (mut at, mut sentences) = (0, 0);
    let mut before = Line::Blank;
    let mut text = LongText::default();
    let mut lines = answer.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let end = at + line.len();
        // The head of a function may look like a sentence: `String f(String x)`.
        let is_head = lines.peek().is_some_and(|next| next.trim_start().starts_with('{'));
        let kind = if text.is_open() || is_head { Line::Code } else { kind(line, before) };
        match kind {
            Line::Blank => {}
            Line::Sentence | Line::Session => {
                sentences += 1;
                found.extend(current.take());
            }
            Line::Code => {
                text.read(line);
                let start = current.map_or(at, |piece| piece.start);
                current = Some(start..at + line.trim_end().len());
            }
        }
        (at, before) = (end, kind);
    }
    found.extend(current);
    let is_comment = |line: &str| line.trim().is_empty() || line.starts_with("# ") || line.starts_with("//");
    found.retain(|piece| !answer[piece.clone()].lines().all(is_comment));
    (sentences > 0 && found.len() <= MOST_PIECES).then_some(found)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Blank,
    Sentence,
    /// Of a session with an interpreter, which begins with its prompt and ends with a blank line.
    Session,
    Code,
}

impl Line {
    /// `before` is what the line above is: sentences go on.
    fn of(line: &str, before: Line) -> Line {
        let text = without_quoted_code(line.trim_end());
        let Some(first) = text.chars().next() else { return Line::Blank };
        if text.trim().is_empty() {
            return Line::Blank;
        }
        if text.starts_with(">>> ") || before == Line::Session {
            return Line::Session;
        }
        let is_chinese = |c: char| ('\u{2e80}'..'\u{fffd}').contains(&c);
        let begins = first.is_uppercase() || is_chinese(first) || is_listed(&text);
        let goes_on = first.is_lowercase() && !begins_code(&text) && (before == Line::Sentence || is_prose(&text));
        let has_end = text.ends_with(ENDS);
        let has_words = text.trim().contains(' ') || text.contains(is_chinese) || has_end || is_listed(&text);
        let is_assigned = text.contains('=') && !has_end && !is_listed(&text);
        let is_statement = text.contains(['{', '}']) || (!is_numbered(&text) && (text.ends_with(';') || is_assigned));
        if (begins || goes_on) && has_words && !is_statement { Line::Sentence } else { Line::Code }
    }
}

/// Whether a line is a word with a capital letter alone, such as a title: a statement that does nothing, if it is one.
fn is_title(line: &str) -> bool {
    let text = line.trim_end();
    text.starts_with(|c: char| c.is_ascii_uppercase()) && text.chars().all(|c| c.is_ascii_alphabetic())
}

/// Whether a line has nothing but words and ends as a sentence does.
fn is_prose(text: &str) -> bool {
    let is_of_words = |c: char| c.is_alphabetic() || " ,'’-.!?".contains(c);
    text.ends_with(['.', '!', '?']) && text.chars().all(is_of_words) && text.split(' ').count() > 3
}

/// Whether a line is an item of a list, a heading, a line below one, or a quotation.
fn is_listed(text: &str) -> bool {
    let is_rule = text.len() > 2 && text.chars().all(|c| "=-*_".contains(c));
    let is_marked = ["##", "- ", "* ", "• ", "**", "> "].iter().any(|mark| text.starts_with(mark));
    is_rule || is_marked || is_numbered(text)
}

/// Whether a line is an item of a numbered list.
fn is_numbered(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < text.len() && (rest.starts_with(". ") || rest.starts_with(") "))
}

/// Whether a line begins with a word that begins code without any other mark of it.
fn begins_code(text: &str) -> bool {
    const WORDS: [&str; 14] = [
        "import", "from", "use", "using", "package", "return", "def", "class", "async", "assert", "raise", "global",
        "del", "yield",
    ];
    text.contains(['(', '[']) || text.split(' ').next().is_some_and(|word| WORDS.contains(&word))
}

/// A line without what stands between backticks.
fn without_quoted_code(line: &str) -> String {
    let parts: Vec<&str> = line.split('`').collect();
    match parts.len() % 2 {
        1 => parts.iter().enumerate().map(|(at, part)| if at % 2 == 1 { "it" } else { part }).collect(),
        _ => line.to_owned(),
    }
}

/// Comments and texts of several lines.
#[derive(Default)]
struct LongText {
    /// The mark that ends the one that is open.
    end: Option<&'static str>,
}

impl LongText {
    fn is_open(&self) -> bool {
        self.end.is_some()
    }

    fn read(&mut self, line: &str) {
        const MARKS: [(&str, &str); 3] = [("/*", "*/"), ("\"\"\"", "\"\"\""), ("'''", "'''")];
        let mut rest = line;
        loop {
            if let Some(end) = self.end {
                let Some(at) = rest.find(end) else { return };
                (rest, self.end) = (&rest[at + end.len()..], None);
            }
            let Some(at) = rest.find(['/', '"', '\'']) else { return };
            rest = &rest[at..];
            let open = MARKS.iter().find(|(open, _)| rest.starts_with(open));
            self.end = open.map(|(_, end)| *end);
            rest = &rest[open.map_or(1, |(open, _)| open.len())..];
        }
    }
}

#[cfg(test)]
#[path = "sentences_test.rs"]
mod tests;
