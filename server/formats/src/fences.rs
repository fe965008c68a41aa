//! Code blocks of a Markdown text, with what models do outside the standard.
//!
//! pulldown-cmark reads the text: fences of backticks and tildes of any length, in lists and quotes, indented, nested. What
//! it cannot know is added here, each case with its reason: a fence after words of a sentence, a closing fence glued to code,
//! code on the opening line, a fence that the prompt opened, a block in a list whose lines are not indented.

use std::{borrow::Cow, cell::OnceCell, ops::Range};

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// Maximum number of times that a text is parsed again from a later place, because each reads the rest of the text.
const MOST_RESTARTS: usize = 30;

/// Maximum number of bytes up to which a text is parsed again, counting what was parsed so far of the response, its blocks and what was
/// parsed again. No response of up to 32 KiB comes to it.
const MOST_READ: usize = 2 * 1024 * 1024;

/// Maximum number of times that a text is parsed to see whether it is code.
const MOST_GUESSES: usize = 5;

/// The same for a response and all blocks in it.
const MOST_GUESSES_OF_ALL: usize = 10;

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
    counted_fences(text).0
}

/// The places of all fenced blocks, and how many bytes were parsed to find them.
pub fn counted_fences(text: &str) -> (Vec<Fence>, usize) {
    let rules = Rules { is_language: &|_| false, is_code: &|_| false };
    let (blocks, read) = counted_blocks(text, &rules);
    let blocks = blocks.into_iter().filter(|block| block.kind == BlockKind::Fenced);
    (blocks.map(|block| Fence { range: block.range, is_closed: block.is_closed }).collect(), read)
}

/// Whether a text that should be code has a code fence: a line of backticks, or a block.
pub fn has_fence(text: &str) -> bool {
    text.contains("```") && (text.lines().any(|line| line.trim() == "```") || !fences(text).is_empty())
}

/// All blocks in their order. Together, their codes are no longer than the text, but for line breaks.
pub fn blocks(text: &str, rules: &Rules<'_>) -> Vec<Block> {
    counted_blocks(text, rules).0
}

fn counted_blocks(text: &str, rules: &Rules<'_>) -> (Vec<Block>, usize) {
    let (mut blocks, mut spent) = (Vec::new(), Spent::default());
    Reader::new(text, rules, &mut blocks, &mut spent, 0, 0).read();
    (blocks, spent.read)
}

/// What was parsed so far of a response and the blocks in it.
#[derive(Default)]
struct Spent {
    /// Bytes that were parsed as Markdown.
    read: usize,
    /// Texts that were parsed to see whether they are code.
    guesses: usize,
}

struct Reader<'r> {
    text: &'r str,
    /// Its length without blanks at its end.
    inked: usize,
    rules: &'r Rules<'r>,
    blocks: &'r mut Vec<Block>,
    spent: &'r mut Spent,
    depth: usize,
    restarts: usize,
    guesses: usize,
    /// Whether no fence has been found yet.
    is_first: bool,
    ends: OnceCell<Vec<End>>,
    marked: OnceCell<Vec<Marked>>,
}

/// A block as pulldown-cmark finds it.
struct Found {
    range: Range<usize>,
    /// The text after the opening fence; `None` for an indented block.
    info: Option<String>,
    code: String,
}

/// Marks at the end of a line.
struct End {
    /// The end of the line without blanks.
    at: usize,
    marks: usize,
}

/// A line that begins with marks of a fence.
struct Marked {
    range: Range<usize>,
    mark: char,
    marks: usize,
    /// Whether there is nothing else in it, as in a closing fence, rather than a language.
    is_bare: bool,
    /// The next line with more of the same marks.
    longer: Option<usize>,
    /// The next line with other marks.
    other: Option<usize>,
}

impl<'r> Reader<'r> {
    fn new(
        text: &'r str,
        rules: &'r Rules<'r>,
        blocks: &'r mut Vec<Block>,
        spent: &'r mut Spent,
        depth: usize,
        restarts: usize,
    ) -> Reader<'r> {
        let (ends, marked, inked) = (OnceCell::new(), OnceCell::new(), text.trim_end().len());
        Reader { text, inked, rules, blocks, spent, depth, restarts, guesses: 0, is_first: true, ends, marked }
    }

    fn read(&mut self) {
        let mut from = 0;
        'restart: loop {
            self.spent.read += self.text.len() - from;
            let found = standard(self.text, from);
            let (mut end, mut looked) = (from, from);
            for found in found {
                // Blocks within one that ends later than the standard says are a part of it.
                if found.range.start < end {
                    continue;
                }
                // What is behind four blanks may be no code, so it is looked at, too.
                if let Some(next) = self.outside(end.max(looked), found.range.start) {
                    self.restarts += 1;
                    from = next;
                    continue 'restart;
                }
                looked = self.line_start(found.range.start);
                let is_fenced = found.info.is_some();
                let own_end = found.range.end;
                if let Some(next) = self.add(found) {
                    if self.may_restart(next) {
                        self.restarts += 1;
                        from = next;
                        continue 'restart;
                    }
                    end = next.max(own_end);
                } else if is_fenced {
                    end = own_end;
                }
            }
            match self.outside(end.max(looked), self.text.len()) {
                Some(next) => {
                    self.restarts += 1;
                    from = next;
                }
                None => return,
            }
        }
    }

    /// Whether the text may be parsed again from a place on.
    fn may_restart(&self, from: usize) -> bool {
        self.restarts < MOST_RESTARTS && self.spent.read + (self.text.len() - from) <= MOST_READ
    }

    /// Looks at the text between blocks. Returns where to read on if a block begins or ends there.
    fn outside(&mut self, start: usize, end: usize) -> Option<usize> {
        if start >= end || !self.may_restart(start) {
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
            if opens && self.closes_after(at, marks) {
                return Some(begins + run);
            }
        }
        None
    }

    /// Whether a line behind a place ends with so many backticks.
    fn closes_after(&self, from: usize, marks: usize) -> bool {
        let ends = self.ends.get_or_init(|| ends(self.text));
        let last = ends.get(ends.partition_point(|end| end.marks < marks));
        last.is_some_and(|end| end.at >= from + marks)
    }

    /// The closing fence after a block, if no other block begins before it: the place where its line begins, and where it ends.
    fn closing_line(&self, from: usize, marks: &str) -> Option<(usize, usize)> {
        let marked = self.marked.get_or_init(|| marked(self.text));
        let line_end = self.text[from..].find('\n').map_or(self.text.len(), |at| from + at + 1);
        let is_whole = from == 0 || self.text.as_bytes()[from - 1] == b'\n';
        let after = match fence_line(&self.text[from..line_end]) {
            Some((mark, count, is_bare)) if !is_whole && marks.starts_with(mark) && count >= marks.len() => {
                return is_bare.then_some((from, line_end));
            }
            _ if is_whole => from,
            _ => line_end,
        };
        let mut at = marked.partition_point(|line| line.range.start < after);
        loop {
            let line = marked.get(at)?;
            if !marks.starts_with(line.mark) {
                at = line.other?;
            } else if line.marks < marks.len() {
                at = line.longer?;
            } else {
                return line.is_bare.then_some((line.range.start, line.range.end));
            }
        }
    }

    /// Adds a block. Returns where to read on if it does not end where the standard says.
    fn add(&mut self, found: Found) -> Option<usize> {
        let Found { range, info, code } = found;
        let Some(info) = info else {
            // A fence behind four blanks is code to the standard, and a fence to models.
            let inner = if self.depth < DEEPEST { self.inner(&code, &range) } else { Vec::new() };
            match inner.is_empty() {
                true => self.push(String::new(), code, range, BlockKind::Indented, true),
                false => self.extend(inner),
            }
            return None;
        };
        let opening = self.text[range.clone()].trim_start_matches(|c| c != '`' && c != '~');
        let marks: String = opening.chars().take_while(|c| opening.starts_with(*c)).collect();
        if info.trim().is_empty()
            && let Some(next) =
                self.closes_a_prompt(&range, &code, &marks).or_else(|| self.opened_twice(&range, &marks))
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
        } else if !is_closed && range.end < self.inked {
            // The lines of a block in a list item are not indented, so the standard ends the block with the item.
            let begins = self.text.len() - self.text[range.end..].trim_start_matches('\n').len();
            let closing = self.closing_line(begins, &marks);
            if closing.is_some() || code.trim().is_empty() {
                let (code_end, after) = closing.unwrap_or((self.text.len(), self.text.len()));
                code.push_str(&self.text[begins..code_end]);
                end = after;
                is_closed = closing.is_some();
                restart = Some(end);
            }
        }
        if let Some(first) = first {
            code.insert_str(0, &format!("{first}\n"));
        }
        let (language, code) = self.with_language_below(language, code);
        let range = range.start..end;
        let is_markdown = matches!(language.as_str(), "markdown" | "md");
        let inner = if is_markdown && self.depth < DEEPEST { self.inner(&code, &range) } else { Vec::new() };
        match inner.is_empty() {
            true => self.push(language, code, range, BlockKind::Fenced, is_closed),
            // A fence inside can end together with the block.
            false => {
                self.extend(inner.into_iter().map(|block| Block { is_closed: is_closed || block.is_closed, ..block }));
            }
        }
        restart
    }

    /// Where a fence with a language begins right below a fence without one, in whose place it stands.
    fn opened_twice(&self, range: &Range<usize>, marks: &str) -> Option<usize> {
        let source = &self.text[range.clone()];
        let at = source.find('\n')? + 1;
        let line = source[at..].lines().next()?;
        let is_language = is_opening(line, marks) && (self.rules.is_language)(&language(&info(line)));
        (is_language && self.may_restart(range.start + at)).then_some(range.start + at)
    }

    /// The language and the code of a block. Some models write the language into the line below the fence. It may be a word of the
    /// code: a type of C++ or a statement of Go that goes on in the next line.
    fn with_language_below(&mut self, language: String, code: String) -> (String, String) {
        let Some((first, rest)) = code.split_once('\n').filter(|_| language.is_empty()) else {
            return (language, code);
        };
        let word = first.trim().to_lowercase();
        let is_named = (self.rules.is_language)(&word) && rest.contains(['=', '(', '{']);
        if !is_named || self.spent.guesses >= MOST_GUESSES_OF_ALL {
            return (language, code);
        }
        self.spent.guesses += 1;
        let needs_word = !(self.rules.is_code)(rest) && (self.rules.is_code)(&code);
        if needs_word { (language, code) } else { (word, rest.to_owned()) }
    }

    /// Whether the text up to a place is code, which the prompt opened a fence for.
    fn is_code_before(&mut self, end: usize) -> bool {
        if !self.is_first || self.guesses >= MOST_GUESSES || self.spent.guesses >= MOST_GUESSES_OF_ALL {
            return false;
        }
        self.guesses += 1;
        self.spent.guesses += 1;
        (self.rules.is_code)(&without_language(&self.text[..end], self.rules))
    }

    /// The content of a block whose fence is indented further than its lines. The standard removes the indentation of the
    /// fence wherever it can, which takes it from the bodies of functions.
    fn less_indented(&self, range: &Range<usize>) -> Option<String> {
        let before = &self.text[self.line_start(range.start)..range.start];
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

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |end| end + 1)
    }

    /// The blocks within a block.
    fn inner(&mut self, code: &str, range: &Range<usize>) -> Vec<Block> {
        let mut inner = Vec::new();
        let restarts = self.restarts + MOST_RESTARTS / 2;
        Reader::new(code, self.rules, &mut inner, self.spent, self.depth + 1, restarts).read();
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
        if !self.is_first || self.text[..range.start].trim().is_empty() || !self.is_code_before(range.start) {
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
            self.extend([Block { language, code, range, kind, is_closed }]);
        }
    }

    fn extend(&mut self, blocks: impl IntoIterator<Item = Block>) {
        for block in blocks {
            self.is_first &= block.kind == BlockKind::Indented;
            self.blocks.push(block);
        }
    }
}

/// The backticks at the ends of lines: the last line that has any, then the one before it that has more, and so on.
fn ends(text: &str) -> Vec<End> {
    let mut ends: Vec<End> = Vec::new();
    let mut end = text.len();
    for line in text.rsplit('\n') {
        let inked = line.trim_end();
        let marks = inked.len() - inked.trim_end_matches('`').len();
        if marks > ends.last().map_or(0, |last| last.marks) {
            ends.push(End { at: end - line.len() + inked.len(), marks });
        }
        end = end.saturating_sub(line.len() + 1);
    }
    ends
}

/// The lines that can open or close a fence.
fn marked(text: &str) -> Vec<Marked> {
    let mut lines: Vec<Marked> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        if let Some((mark, marks, is_bare)) = fence_line(line) {
            lines.push(Marked { range, mark, marks, is_bare, longer: None, other: None });
        }
    }
    // From the end: of each mark, the next lines with more and more of it.
    let (mut next, mut longer): ([Option<usize>; 2], [Vec<usize>; 2]) = Default::default();
    for at in (0..lines.len()).rev() {
        let own = usize::from(lines[at].mark == '~');
        while longer[own].last().is_some_and(|next| lines[*next].marks <= lines[at].marks) {
            longer[own].pop();
        }
        lines[at].longer = longer[own].last().copied();
        lines[at].other = next[1 - own];
        longer[own].push(at);
        next[own] = Some(at);
    }
    lines
}

/// The mark of a line that can open or close a fence, how many it begins with, and whether it has nothing else.
fn fence_line(line: &str) -> Option<(char, usize, bool)> {
    let line = bare(line);
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let info = line.trim_start_matches(mark);
    (!info.contains('`')).then_some((mark, line.len() - info.len(), info.is_empty()))
}

/// The blocks that the standard finds from a place on.
fn standard(text: &str, from: usize) -> Vec<Found> {
    let rest = &text[from..];
    // A line that begins with a tag opens a block of HTML, in which fences do not count. Answers have tags of templates.
    let mut masked = Cow::Borrowed(rest);
    if rest.contains('<') {
        let begins_with_tag = |line: &str| line.trim_start_matches(' ').starts_with('<');
        let line = |line: &str| if begins_with_tag(line) { line.replacen('<', "x", 1) } else { line.to_owned() };
        masked = Cow::Owned(rest.split_inclusive('\n').map(line).collect());
    }
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
