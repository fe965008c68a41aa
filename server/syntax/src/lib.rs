//! Readable code: a model's output in lines, highlighted; Java also formatted.
//!
//! Services call [`view`]; no other crate prepares code for display. [`outline`] says what code defines and [`items`] what it
//! consists of, for readers of chat responses. [`display`] says how each language is highlighted,
//! and how its code is found in chat responses. This crate may not know where code comes from.
//! Invariants: no view is computed on an async
//! thread (no public function does that), and formatting changes whitespace only. The latter is checked for every
//! output, by parsing the result and comparing the tokens; if they differ, the original code is shown.

mod build;
mod cached;
pub mod display;
mod doc;
mod expressions;
mod highlight;
pub mod items;
pub mod java;
pub mod outline;
mod packed;
mod parse;
mod scopes;
mod space;
mod statements;
pub mod traced;
pub mod trials;
mod truncated;

use model::{
    code::{CodeView, Line, Remark},
    code_lang::CodeLang,
    note::Position,
};

pub use cached::{view, view_of_item};
pub use highlight::KINDS;

/// Longer code (in bytes) is shown unformatted and without highlighting: it is twenty times the longest published
/// output, and parsing long invalid text is slow.
const LONGEST: usize = 32 * 1024;

/// Computes a view, on the calling thread. Java is formatted; other languages keep their original form.
fn make(code: &str, lang: CodeLang) -> CodeView {
    if code.trim().is_empty() {
        return CodeView { remark: Some(Remark::Empty), ..CodeView::default() };
    }
    if code.len() > LONGEST {
        let remark = (lang == CodeLang::Java).then_some(Remark::DoesNotParse);
        return CodeView { raw: highlight::plain(code), remark, ..CodeView::default() };
    }
    if lang != CodeLang::Java {
        return CodeView { raw: lines(code, lang), ..CodeView::default() };
    }
    let bearable = parse::is_bearable(code, lang);
    let laid_out = if bearable { lay_out(code) } else { None };
    let remark = match &laid_out {
        Some(_) => None,
        None if bearable && parse::completes_a_method(code) => None,
        None if truncated::is_truncated(code) => Some(Remark::Truncated),
        None => Some(Remark::DoesNotParse),
    };
    CodeView {
        only_here: Vec::new(),
        starts: laid_out.as_ref().map(|text| starts(code, text)).unwrap_or_default(),
        laid_out: laid_out.map(|text| highlight::highlight(&text, lang)),
        raw: if bearable { highlight::highlight(code, lang) } else { highlight::plain(code) },
        remark,
        surrounding_text: String::new(),
    }
}

/// The lines of the unformatted `code`, highlighted if it is short enough.
pub fn lines(code: &str, lang: CodeLang) -> Vec<Line> {
    match code.len() <= LONGEST && parse::is_bearable(code, lang) {
        true => highlight::highlight(code, lang),
        false => highlight::plain(code),
    }
}

/// The formatted `code` without a trailing line break; `None` if it does not parse as Java.
pub fn lay_out(code: &str) -> Option<String> {
    // Line endings and a byte order mark are not tokens, and the printer writes its own line endings.
    let code = code.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let parsed = parse::Parsed::new(&code)?;
    let mut builder = build::Builder::new(&parsed.source);
    let of = if parsed.is_members() { statements::Items::Members } else { statements::Items::Statements };
    statements::items(&mut builder, &parsed.nodes(), of);
    let text = doc::print(&builder.finish());
    let again = parse::Parsed::like(&parsed, &text)?;
    (again.tokens() == parsed.tokens()).then_some(text)
}

/// The position in `code` at which each line of `laid_out` begins. Formatting changes whitespace only, so the nth other
/// character of one text is the nth of the other. An empty line has the position of the next line.
fn starts(code: &str, laid_out: &str) -> Vec<Position> {
    // A byte order mark is not a token; formatting drops it.
    let ink = |c: &char| !c.is_whitespace() && *c != '\u{feff}';
    let mut places = (1..).zip(code.split('\n')).flat_map(|(line, text)| {
        (1..).zip(text.chars()).filter(move |(_, c)| ink(c)).map(move |(column, _)| Position { line, column })
    });
    let mut starts = Vec::new();
    let mut empty = 0;
    for line in laid_out.split('\n') {
        let marks = line.chars().filter(ink).count();
        let Some(begins) = (marks > 0).then(|| places.next()).flatten() else {
            empty += 1;
            continue;
        };
        if marks > 1 {
            places.nth(marks - 2);
        }
        starts.extend(std::iter::repeat_n(begins, empty + 1));
        empty = 0;
    }
    let end = starts.last().copied().unwrap_or(Position { line: 1, column: 1 });
    starts.extend(std::iter::repeat_n(end, empty));
    starts
}

#[cfg(test)]
mod tests;
