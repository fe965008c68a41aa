//! Code blocks of a Markdown text, with what models do outside the standard.
//!
//! pulldown-cmark reads the text: fences of backticks and tildes of any length, in lists and quotes, indented, nested. What
//! it cannot know is added here, each case with its reason: a fence after words of a sentence, a closing fence glued to code,
//! code on the opening line, a fence that the prompt opened, a block in a list whose lines are not indented.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// Maximum number of times that a text is parsed again from a later place, because each reads the rest of the text.
const MOST_RESTARTS: usize = 30;

/// Maximum number of times that a text is parsed to see whether it is code.
const MOST_GUESSES: usize = 5;

/// Maximum depth of Markdown in blocks marked as Markdown.
const DEEPEST: usize = 3;

/// The place of a code block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fence {
    /// With its fences.
    pub range: Range<usize>,
    /// Whether it has a closing fence.
    pub is_closed: bool,
}

/// A code block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The language that it is marked with, in lower case; empty if it has no mark.
    pub language: String,
    /// Its content without fences, indentation of the list or quote around it, and the last line break.
    pub code: String,
    /// Its place with its fences.
    pub range: Range<usize>,
    pub kind: BlockKind,
    /// Whether it has a closing fence.
    pub is_closed: bool,
}

/// How a block begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    Fenced,
    /// The prompt opened the fence: the block is the text before a closing fence.
    OpenedByPrompt,
    /// It has no fence, but four blanks before each line.
    Indented,
}

/// What the reader of blocks asks about languages.
pub struct Rules<'r> {
    /// Whether a word in lower case marks code in a language that is read.
    pub is_language: &'r dyn Fn(&str) -> bool,
    /// Whether a text is code rather than words.
    pub is_code: &'r dyn Fn(&str) -> bool,
}

/// The places of all fenced blocks.
pub fn fences(text: &str) -> Vec<Fence> {
    let rules = Rules { is_language: &|_| false, is_code: &|_| false };
    let blocks = blocks(text, &rules).into_iter().filter(|block| block.kind == BlockKind::Fenced);
    blocks.map(|block| Fence { range: block.range, is_closed: block.is_closed }).collect()
}

/// Whether a text that should be code has a code fence: a line of backticks, or a block.
pub fn has_fence(text: &str) -> bool {
    text.contains("```") && (text.lines().any(|line| line.trim() == "```") || !fences(text).is_empty())
}

/// All blocks in their order.
pub fn blocks(text: &str, rules: &Rules<'_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    Reader { text, rules, blocks: &mut blocks, depth: 0, restarts: 0, guesses: 0 }.read();
    blocks
}

struct Reader<'r> {
    text: &'r str,
    rules: &'r Rules<'r>,
    blocks: &'r mut Vec<Block>,
    depth: usize,
    restarts: usize,
    guesses: usize,
}

/// A block as pulldown-cmark finds it.
struct Found {
    range: Range<usize>,
    /// The text after the opening fence; `None` for an indented block.
    info: Option<String>,
    code: String,
}

impl Reader<'_> {
    fn read(&mut self) {
        let mut from = 0;
        'restart: loop {
            let found = standard(self.text, from);
            let mut end = from;
            for found in found {
                if let Some(next) = self.outside(end, found.range.start, self.restarts < MOST_RESTARTS) {
                    self.restarts += 1;
                    from = next;
                    continue 'restart;
                }
                if found.info.is_some() {
                    end = found.range.end;
                }
                if let Some(next) = self.add(found).filter(|_| self.restarts < MOST_RESTARTS) {
                    self.restarts += 1;
                    from = next;
                    continue 'restart;
                }
            }
            match self.outside(end, self.text.len(), self.restarts < MOST_RESTARTS) {
                Some(next) => {
                    self.restarts += 1;
                    from = next;
                }
                None => return,
            }
        }
    }

    /// Looks at the text between blocks. Returns where to read on if a block begins or ends there.
    fn outside(&mut self, start: usize, end: usize, may_restart: bool) -> Option<usize> {
        if !may_restart || start >= end {
            return None;
        }
        let mut at = start;
        for line in self.text[start..end].split_inclusive('\n') {
            let (begins, text) = (at, line.trim_end());
            at += line.len();
            let Some(run) = text.find("```") else { continue };
            let marks = text[run..].chars().take_while(|c| *c == '`').count();
            let (before, after) = (&text[..run], &text[run + marks..]);
            if before.trim().is_empty() || after.contains("```") {
                continue;
            }
            // Models close a fence that the prompt opened right after the last line of code.
            if after.is_empty() && self.is_code_before(begins + run) {
                self.opened_by_prompt(begins + run, at);
                return Some(at);
            }
            // They open one after the words of a sentence.
            let word = language(after);
            let opens =
                after.trim().is_empty() || !after.trim().contains([' ', '`']) || (self.rules.is_language)(&word);
            let closes = self.text[at..].lines().any(|line| line.trim_end().ends_with(&text[run..run + marks]));
            if opens && closes {
                return Some(begins + run);
            }
        }
        None
    }

    /// Adds a block. Returns where to read on if it does not end where the standard says.
    fn add(&mut self, found: Found) -> Option<usize> {
        let Found { range, info, code } = found;
        let Some(info) = info else {
            // A fence behind four blanks is code to the standard, and a fence to models.
            let inner = if self.depth < DEEPEST { self.inner(&code, &range) } else { Vec::new() };
            match inner.is_empty() {
                true => self.push(String::new(), code, range, BlockKind::Indented, true),
                false => self.blocks.extend(inner),
            }
            return None;
        };
        let opening = self.text[range.clone()].trim_start_matches(|c| c != '`' && c != '~');
        let marks: String = opening.chars().take_while(|c| opening.starts_with(*c)).collect();
        if info.trim().is_empty()
            && let Some(next) = self.closes_a_prompt(&range, &code, &marks)
        {
            return Some(next);
        }
        let code = self.less_indented(&range).unwrap_or(code);
        let (language, first) = opening_line(&info, self.rules);
        let source = &self.text[range.clone()];
        let mut is_closed = is_closed(source, &marks);
        let (mut code, mut end, mut restart) = (code, range.end, None);
        // A closing fence right after the last line of code.
        if let Some((length, line_end)) = glued_end(source, &code, &marks) {
            code.truncate(length);
            end = range.start + line_end;
            is_closed = true;
            restart = Some(end);
        } else if !is_closed && range.end < self.text.trim_end().len() {
            // The lines of a block in a list item are not indented, so the standard ends the block with the item.
            let rest = self.text[range.end..].trim_start_matches('\n');
            let begins = self.text.len() - rest.len();
            let closing = closing_line(rest, &marks);
            if closing.is_some() || code.trim().is_empty() {
                let (taken, after) = closing.unwrap_or((rest.len(), rest.len()));
                code.push_str(&rest[..taken]);
                end = begins + after;
                is_closed = closing.is_some();
                restart = Some(end);
            }
        }
        if let Some(first) = first {
            code.insert_str(0, &format!("{first}\n"));
        }
        let range = range.start..end;
        let is_markdown = matches!(language.as_str(), "markdown" | "md");
        let inner = if is_markdown && self.depth < DEEPEST { self.inner(&code, &range) } else { Vec::new() };
        match inner.is_empty() {
            true => self.push(language, code, range, BlockKind::Fenced, is_closed),
            // A fence inside can end together with the block.
            false => self
                .blocks
                .extend(inner.into_iter().map(|block| Block { is_closed: is_closed || block.is_closed, ..block })),
        }
        restart
    }

    /// Whether the text up to a place is code, which the prompt opened a fence for.
    fn is_code_before(&mut self, end: usize) -> bool {
        if !self.is_first() {
            return false;
        }
        self.guesses += 1;
        self.guesses <= MOST_GUESSES && (self.rules.is_code)(&without_language(&self.text[..end], self.rules))
    }

    /// Whether no fence has been found yet.
    fn is_first(&self) -> bool {
        self.blocks.iter().all(|block| block.kind == BlockKind::Indented)
    }

    /// The content of a block whose fence is indented further than its lines. The standard removes the indentation of the
    /// fence wherever it can, which takes it from the bodies of functions.
    fn less_indented(&self, range: &Range<usize>) -> Option<String> {
        let begins = self.text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let before = &self.text[begins..range.start];
        let source = &self.text[range.clone()];
        if before.is_empty() || !before.chars().all(|c| c == ' ') || source.contains('\t') {
            return None;
        }
        let opening = source.trim_start();
        let marks: String = opening.chars().take_while(|c| opening.starts_with(*c)).collect();
        let mut lines: Vec<&str> = source.lines().skip(1).collect();
        lines.pop_if(|line| is_closing(line, &marks));
        let indent = |line: &&str| line.len() - line.trim_start_matches(' ').len();
        let least = lines.iter().filter(|line| !line.trim().is_empty()).map(indent).min()?;
        (least < before.len())
            .then(|| lines.iter().map(|line| format!("{}\n", line.get(least..).unwrap_or_default())).collect())
    }

    /// The blocks within a block.
    fn inner(&self, code: &str, range: &Range<usize>) -> Vec<Block> {
        let mut inner = Vec::new();
        let restarts = self.restarts + MOST_RESTARTS / 2;
        Reader { text: code, rules: self.rules, blocks: &mut inner, depth: self.depth + 1, restarts, guesses: 0 }
            .read();
        inner.retain(|block| block.kind == BlockKind::Fenced);
        let at = self.text[range.clone()].find(code).map(|at| range.start + at);
        for block in &mut inner {
            block.range = match at {
                Some(at) => at + block.range.start..at + block.range.end,
                None => range.clone(),
            };
        }
        inner
    }

    /// Adds the text before a fence without a language, if it is code that no fence opens: the prompt opened it. Returns where
    /// to read on, if the fence ends that code and opens nothing.
    fn closes_a_prompt(&mut self, range: &Range<usize>, code: &str, marks: &str) -> Option<usize> {
        if self.text[..range.start].trim().is_empty() || !self.is_code_before(range.start) {
            return None;
        }
        let source = &self.text[range.clone()];
        let opens_inside = code.lines().any(|line| is_opening(line, marks));
        let is_odd = odd_fences(&self.text[range.start..], marks);
        if !is_closed(source, marks) || opens_inside || (is_odd && !(self.rules.is_code)(code)) {
            let line_end = range.start + source.find('\n').map_or(source.len(), |at| at + 1);
            self.opened_by_prompt(range.start, line_end);
            return Some(line_end);
        }
        self.opened_by_prompt(range.start, range.start);
        None
    }

    fn opened_by_prompt(&mut self, code_end: usize, end: usize) {
        let code = without_language(&self.text[..code_end], self.rules);
        // Lines behind four blanks are a part of it.
        self.blocks.clear();
        self.push(String::new(), code, 0..end, BlockKind::OpenedByPrompt, true);
    }

    fn push(&mut self, language: String, code: String, range: Range<usize>, kind: BlockKind, is_closed: bool) {
        let code = code.strip_suffix('\n').map(str::to_owned).unwrap_or(code);
        // A closing fence that the standard takes for an opening one has nothing after it.
        if !code.trim().is_empty() || is_closed {
            self.blocks.push(Block { language, code, range, kind, is_closed });
        }
    }
}

/// The blocks that the standard finds from a place on.
fn standard(text: &str, from: usize) -> Vec<Found> {
    let rest = &text[from..];
    // A line that begins with a tag opens a block of HTML, in which fences do not count. Answers have tags of templates.
    let masked: String = rest
        .split_inclusive('\n')
        .map(|line| {
            let blank = line.len() - line.trim_start_matches(' ').len();
            match line[blank..].starts_with('<') {
                true => format!("{}x{}", &line[..blank], &line[blank + 1..]),
                false => line.to_owned(),
            }
        })
        .collect();
    let mut found = Vec::new();
    let mut open: Option<Found> = None;
    for (event, range) in Parser::new(&masked).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                let info = match kind {
                    CodeBlockKind::Fenced(_) => Some(info(&rest[range.clone()])),
                    CodeBlockKind::Indented => None,
                };
                open = Some(Found { range: from + range.start..from + range.end, info, code: String::new() });
            }
            Event::Text(part) => {
                if let Some(block) = &mut open {
                    // Of a tab that is partly indentation, the parser makes blanks.
                    let source = rest.get(range).filter(|source| source.len() == part.len());
                    block.code.push_str(source.unwrap_or(&part));
                }
            }
            Event::End(TagEnd::CodeBlock) => found.extend(open.take()),
            _ => {}
        }
    }
    found
}

/// The text after the opening fence of a block.
fn info(block: &str) -> String {
    let line = block.lines().next().unwrap_or_default();
    line.trim_start_matches(|c| c != '`' && c != '~').trim_start_matches(['`', '~']).trim().to_owned()
}

/// The language of an opening line, and the code on it. Models forget the line break after the fence or after the language.
fn opening_line<'i>(info: &'i str, rules: &Rules<'_>) -> (String, Option<&'i str>) {
    let word = language(info);
    if info.is_empty() || (rules.is_language)(&word) {
        let rest = info.split_once(char::is_whitespace).map(|(_, rest)| rest.trim());
        return (word, rest.filter(|rest| is_line_of_code(rest)));
    }
    match is_line_of_code(info) {
        true => (String::new(), Some(info)),
        false => (word, None),
    }
}

/// The language that an info string names: `python3.11`, `{.python .numberLines}`, `python title="a"`, `python:src/a.py`,
/// `language-python`, `a.py`.
pub fn language(info: &str) -> String {
    let text = info.trim().to_lowercase();
    let text = text.trim_start_matches(['{', '.', ' ']);
    let text =
        ["language-", "lang-", "language=", "lang="].iter().find_map(|start| text.strip_prefix(start)).unwrap_or(text);
    let text = text.trim_start_matches(['"', '\'']);
    let word = text.split(|c: char| c.is_whitespace() || ",:;{}()[]=\"'|".contains(c)).next().unwrap_or_default();
    let word = match word.rsplit_once('.') {
        // A version or a file name.
        Some((before, after)) if after.chars().all(|c| c.is_ascii_digit()) => before,
        Some((_, after)) => after,
        None => word,
    };
    let bare = word.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let bare = if bare.is_empty() { word } else { bare };
    bare.to_owned()
}

/// Whether a text on the line of an opening fence is code.
fn is_line_of_code(text: &str) -> bool {
    const WORDS: [&str; 27] = [
        "def",
        "import",
        "from",
        "class",
        "public",
        "private",
        "protected",
        "static",
        "final",
        "package",
        "#include",
        "using",
        "template",
        "function",
        "const",
        "let",
        "var",
        "async",
        "func",
        "fn",
        "pub",
        "use",
        "return",
        "struct",
        "enum",
        "interface",
        "type",
    ];
    let mut words = text.split_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next());
    let is_keyword = WORDS.contains(&first) && second.is_some();
    let is_comment = ["//", "/*", "#!", "\"\"\"", "'''"].iter().any(|mark| text.starts_with(mark));
    let calls =
        text.find('(').is_some_and(|at| text[..at].ends_with(|c: char| c.is_alphanumeric() || "_>]".contains(c)));
    is_keyword || is_comment || (calls && text.ends_with([')', ':', '{', '}', ';', ','])) || second == Some("=")
}

/// A text without a first line that only names its language: the prompt ended with the marks of the fence.
fn without_language(text: &str, rules: &Rules<'_>) -> String {
    let text = text.trim_start_matches(['\n', '\r']);
    match text.split_once('\n') {
        Some((first, rest)) if (rules.is_language)(&first.trim().to_lowercase()) => rest.to_owned(),
        _ => text.to_owned(),
    }
}

/// A line without the marks of a list or a quote before it.
fn bare(line: &str) -> &str {
    line.trim().trim_start_matches(['>', ' ', '\t']).trim_end()
}

/// Whether a line is a closing fence for these marks.
fn is_closing(line: &str, marks: &str) -> bool {
    let line = bare(line);
    line.len() >= marks.len() && line.starts_with(marks) && line.chars().all(|c| marks.starts_with(c))
}

/// Whether a line is an opening fence with a language.
fn is_opening(line: &str, marks: &str) -> bool {
    let line = bare(line);
    let info = line.trim_start_matches(|c| marks.starts_with(c));
    line.starts_with(marks) && !info.is_empty() && !info.contains('`')
}

/// Whether a block, given with its fences, ends with a closing one.
fn is_closed(block: &str, marks: &str) -> bool {
    let mut lines = block.trim_end().lines();
    let last = lines.next_back().unwrap_or_default();
    lines.next().is_some() && is_closing(last, marks)
}

/// Whether the number of fences in a text is odd.
fn odd_fences(text: &str, marks: &str) -> bool {
    text.lines().filter(|line| is_closing(line, marks) || is_opening(line, marks)).count() % 2 == 1
}

/// The closing fence after a block, if no other block begins before it: the length of the code before it, and the end of
/// its line.
fn closing_line(text: &str, marks: &str) -> Option<(usize, usize)> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if is_opening(line, marks) {
            return None;
        }
        if is_closing(line, marks) {
            return Some((at, at + line.len()));
        }
        at += line.len();
    }
    None
}

/// The end of code whose closing fence has no line of its own: its length, and the end of the fence's line in the block.
fn glued_end(block: &str, code: &str, marks: &str) -> Option<(usize, usize)> {
    let is_glued = |line: &str| {
        let Some(before) = line.trim_end().strip_suffix(marks) else { return false };
        // Marks in a comment, and marks around a word, are part of the code.
        let is_comment = before.trim().chars().all(|c| "*/#!>-".contains(c));
        !is_comment && !before.ends_with(&marks[..1]) && !before.contains(marks)
    };
    let mut at = 0;
    for line in code.split_inclusive('\n') {
        if is_glued(line) {
            let length = at + line.trim_end().len() - marks.len();
            // The same line in the block, which has the fences and indentation as well.
            let nth = code[..at].lines().count() + 1;
            let end = block.split_inclusive('\n').take(nth + 1).map(str::len).sum::<usize>();
            return Some((length, end));
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
#[path = "fences_test.rs"]
mod tests;
