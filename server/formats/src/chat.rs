//! Finds the code of a chat response: sets reasoning apart, and chooses among the blocks of the answer.
//!
//! The block that defines what the task asks for is the code, with the parts of other blocks that it needs. Of several
//! versions, the last complete one counts: models correct themselves. Without a known name, the first block that may be a
//! solution counts, because responses begin with the solution and continue with examples, or a later version of it.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    ops::Range,
    time::Duration,
};

use model::{
    code_lang::CodeLang,
    reading::{BlockRole, ReadBlock, Reading, Why},
};
use syntax::{
    display::{Display, display},
    outline::{self, Definition, Outline},
};

use super::{
    fences::{self, Block, BlockKind, Rules},
    reasoning,
};

/// Maximum number of blocks of a response that are parsed, the first ones. Parsing a block takes time even if it is short,
/// and a model that repeats itself writes thousands; others write some dozens.
pub const MOST_PARSED: usize = 200;

/// Most CPU time that a response's texts may take to parse. The longest of the published ones take some hundredths of it.
pub const LONGEST_READING: Duration = Duration::from_secs(2);

/// A chat response, split.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The code without fences; the whole answer if it has none.
    pub code: String,
    /// The text before and after the code, including other fenced code, without reasoning; may be empty.
    pub surrounding_text: String,
    pub reading: Reading,
    /// Whether the response ends within the code, or within its reasoning.
    pub is_cut_off: bool,
}

/// What a task asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    pub lang: CodeLang,
    /// The name of the function or class, if the task's signature has one.
    pub name: Option<String>,
}

impl Wanted {
    /// What a task with this signature asks for.
    pub fn of(lang: CodeLang, signature: Option<&str>) -> Wanted {
        Wanted { lang, name: signature.and_then(|signature| name(lang, signature)).map(str::to_owned) }
    }
}

/// The name that a signature declares. Of several lines, the last function's: helpers stand before it.
pub fn name(lang: CodeLang, signature: &str) -> Option<&str> {
    let declares = |line: &&str| line.contains('(') || (lang == CodeLang::JavaScript && line.contains('='));
    let line = signature.lines().rfind(declares).unwrap_or(signature);
    let line = match line.split_once(')') {
        // A method of Go has its receiver before its name.
        Some((receiver, rest)) if lang == CodeLang::Go && receiver.trim_start().starts_with("func (") => rest,
        _ => line,
    };
    let end = match lang {
        CodeLang::JavaScript if line.contains('=') => line.find('='),
        CodeLang::Rust => line.find(['(', '<']),
        _ => line.find('('),
    };
    let before = line.get(..end.unwrap_or(line.len()))?;
    let name = before.trim_end().rsplit(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).next()?;
    (!name.is_empty()).then_some(name)
}

/// Splits a response in one of these languages. `wanted` is what its task asks for, if that is known.
pub fn split(response: &str, langs: &[CodeLang], wanted: Option<&Wanted>) -> Answer {
    split_at(response, langs, wanted, None)
}

/// The same with the block of this number, from 0, as the code. The rules choose where the response has no such block.
pub fn split_at(response: &str, langs: &[CodeLang], wanted: Option<&Wanted>, chosen: Option<usize>) -> Answer {
    parsers::within(LONGEST_READING, || split_within(response, langs, wanted, chosen))
}

fn split_within(response: &str, langs: &[CodeLang], wanted: Option<&Wanted>, chosen: Option<usize>) -> Answer {
    let reasoning::Parts { reasoning, answer, is_unfinished } = reasoning::split(response);
    if is_unfinished {
        let reading = Reading { reasoning, why: Why::NoAnswer, blocks: Vec::new() };
        return Answer { reading, is_cut_off: true, ..Answer::default() };
    }
    let is_whole = answer == response;
    let answer = if answer.contains('\r') { answer.replace("\r\n", "\n") } else { answer };
    let own = wanted.map(|wanted| [wanted.lang]);
    let langs = own.as_ref().map_or(langs, |own| own.as_slice());
    let blocks = blocks(&answer, langs);
    let Some(choice) = choose(&blocks, langs, wanted.and_then(|wanted| wanted.name.as_deref()), chosen) else {
        let code = if is_whole { response.to_owned() } else { answer };
        let code = plain(code);
        let reading = Reading { reasoning, ..Reading::default() };
        return Answer { code, reading, ..Answer::default() };
    };
    let code: Vec<&str> =
        choice.parts.iter().filter_map(|part| blocks[part.block].code.get(part.range.clone())).collect();
    let code = join(&code);
    let (mut is_used, mut ranges) = (vec![false; blocks.len()], Vec::new());
    for part in &choice.parts {
        let block = &blocks[part.block];
        is_used[part.block] = true;
        // What a helper block has besides its helper is not code of the output.
        if part.range == (0..block.code.len()) {
            ranges.push(block.range.clone());
        }
    }
    let read = blocks.iter().zip(is_used).enumerate().map(|(at, (block, is_used))| ReadBlock {
        language: block.language.clone(),
        code: block.code.clone(),
        role: match is_used {
            _ if at == choice.code => BlockRole::Code,
            true => BlockRole::Helper,
            false => BlockRole::Left,
        },
        is_cut_off: !block.is_closed,
    });
    Answer {
        surrounding_text: without(&answer, &ranges),
        reading: Reading { reasoning, why: choice.why, blocks: read.collect() },
        is_cut_off: !blocks[choice.code].is_closed,
        code,
    }
}

/// The last fenced block of a response, without its reasoning.
pub fn last_block(answer: &str) -> Option<String> {
    let rules = Rules { is_language: &|_| false, is_code: &|_| false };
    fences::blocks(answer, &rules).pop().map(|block| block.code)
}

fn blocks(answer: &str, langs: &[CodeLang]) -> Vec<Block> {
    let is_language = |word: &str| langs.iter().any(|lang| display(*lang).fences.contains(&word));
    let is_code = |text: &str| langs.iter().any(|lang| outline::is_code(text, *lang));
    let mut blocks = fences::blocks(answer, &Rules { is_language: &is_language, is_code: &is_code });
    // Lines behind four blanks are code to the standard; in unfenced code they are the bodies of functions.
    let has_fences = blocks.iter().any(|block| block.kind != BlockKind::Indented);
    let is_header = |word: &str| is_language(word.trim());
    if !has_fences && let Some(block) = tagged(answer, &is_code).or_else(|| copied(answer, &is_header, &is_code)) {
        return vec![block];
    }
    let keeps_indented = !has_fences && !blocks.is_empty() && !is_code(answer);
    let mut looks = 0..MOST_PARSED;
    blocks.retain(|block| {
        block.kind != BlockKind::Indented || (keeps_indented && looks.next().is_some() && is_code(&block.code))
    });
    blocks.into_iter().map(|block| Block { code: plain(block.code), ..block }).collect()
}

/// Code without a byte order mark at its beginning, and indented by blanks instead of blanks that do not break, which pages
/// have in their place.
fn plain(code: String) -> String {
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

/// What models put around code instead of fences.
const TAGS: [(&str, &str); 10] = [
    ("<solution>", "</solution>"),
    ("<code>", "</code>"),
    ("[CODE]", "[/CODE]"),
    ("[PYTHON]", "[/PYTHON]"),
    ("[JAVA]", "[/JAVA]"),
    ("[JAVASCRIPT]", "[/JAVASCRIPT]"),
    ("[CPP]", "[/CPP]"),
    ("[C++]", "[/C++]"),
    ("[GO]", "[/GO]"),
    ("[RUST]", "[/RUST]"),
];

/// The first code between tags, of which one begins a line and the other ends one. Code may contain such tags, in comments and
/// texts, so an answer that is code as a whole has none.
fn tagged(answer: &str, is_code: &dyn Fn(&str) -> bool) -> Option<Block> {
    let between = |(open, close): &(&str, &str)| {
        let start = answer.match_indices(open).map(|(at, _)| at).find(|at| is_line_start(answer, *at))?;
        let from = start + open.len();
        let rest = &answer[from..];
        let ends_line = |at: &usize| rest[at + close.len()..].chars().find(|c| *c != ' ').is_none_or(|c| c == '\n');
        let end = from + rest.match_indices(close).map(|(at, _)| at).find(ends_line)?;
        Some((start..end + close.len(), from..end))
    };
    let (range, code) = TAGS.iter().filter_map(between).min_by_key(|(range, _)| range.start)?;
    let code = answer[code].trim_end();
    // What stands on the line of the tag, or the lines below it with their indentation.
    let code = code.split_once('\n').filter(|(first, _)| first.trim().is_empty()).map_or(code.trim(), |(_, rest)| rest);
    (is_code(code) && !is_code(answer)).then(|| unfenced(code, range))
}

fn is_line_start(text: &str, at: usize) -> bool {
    text[..at].chars().rfind(|c| *c != ' ').is_none_or(|c| c == '\n')
}

fn unfenced(code: &str, range: Range<usize>) -> Block {
    let (language, code) = (String::new(), plain(code.to_owned()));
    Block { language, code, range, kind: BlockKind::Fenced, is_closed: true }
}

/// Maximum number of texts that are parsed to see where copied code ends.
const MOST_ENDS: usize = 6;

/// The code below the header that chat pages show over a block, which a copy of the page has instead of fences: the language
/// and the label of a button.
fn copied(answer: &str, is_language: &dyn Fn(&str) -> bool, is_code: &dyn Fn(&str) -> bool) -> Option<Block> {
    const LABELS: [&str; 4] = ["copy code", "copy", "复制代码", "复制"];
    let (mut at, mut before, mut found) = (0, None, None);
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
        if is_code(code) {
            return Some(unfenced(code, start..from + code.len()));
        }
        code = code[..code.rfind("\n\n")?].trim_end();
    }
    None
}

/// The code of an answer, made of parts of its blocks.
struct Choice {
    /// The block that is the code.
    code: usize,
    /// The parts in the order in which they are joined; the last one is the code.
    parts: Vec<Part>,
    why: Why,
}

/// A part of a block, as byte offsets of its code.
struct Part {
    block: usize,
    range: Range<usize>,
}

fn choose(blocks: &[Block], langs: &[CodeLang], name: Option<&str>, chosen: Option<usize>) -> Option<Choice> {
    let whole = |at: usize| Part { block: at, range: 0..blocks[at].code.len() };
    match blocks {
        [] => return None,
        [_] => return Some(Choice { code: 0, parts: vec![whole(0)], why: Why::Only }),
        _ => {}
    }
    let marked = |block: &Block, display: &Display| display.fences.contains(&block.language.as_str());
    let tier = |block: &Block| match block.language.as_str() {
        language if langs.iter().any(|lang| display(*lang).fences.contains(&language)) => 0,
        "" => 1,
        _ => 2,
    };
    let outlines: Vec<Option<Outline>> = blocks
        .iter()
        .enumerate()
        .map(|(at, block)| {
            let lang = langs.iter().find(|lang| marked(block, display(**lang))).or(langs.first())?;
            if at < MOST_PARSED { outline::outline(&block.code, *lang) } else { None }
        })
        .collect();
    let chosen = chosen.filter(|at| *at < blocks.len()).map(|at| (at, Why::Chosen));
    let by_name = || name.and_then(|name| defining(blocks, &outlines, &tier, name));
    let (code, why) = match chosen.or_else(by_name) {
        Some(found) => found,
        None => (first(blocks, &outlines, &tier, langs)?, Why::First),
    };
    let mut parts = helpers(blocks, &outlines, &tier, code);
    parts.push(whole(code));
    Some(Choice { code, parts, why })
}

/// The block that defines a name: the last one that defines it completely, of the blocks in the language if there is one.
fn defining(
    blocks: &[Block],
    outlines: &[Option<Outline>],
    tier: &dyn Fn(&Block) -> usize,
    name: &str,
) -> Option<(usize, Why)> {
    // Better candidates have smaller numbers.
    let rank = |at: usize| {
        let outline = outlines[at].as_ref()?;
        let rank = outline.of(name).map(|found| match (found.is_complete && blocks[at].is_closed, found.is_member) {
            (true, false) => 0,
            (true, true) => 1,
            (false, _) => 2,
        });
        Some((rank.min()?, tier(&blocks[at])))
    };
    let ranks: Vec<(usize, (usize, usize))> = (0..blocks.len()).filter_map(|at| Some((at, rank(at)?))).collect();
    let best = ranks.iter().map(|(_, rank)| *rank).min()?;
    let (code, _) = ranks.iter().rfind(|(_, rank)| *rank == best)?;
    Some((*code, if ranks.len() == 1 { Why::Defines(name.to_owned()) } else { Why::LastVersion(name.to_owned()) }))
}

/// The first block that may be a solution, or the last one that defines the same names again.
fn first(
    blocks: &[Block],
    outlines: &[Option<Outline>],
    tier: &dyn Fn(&Block) -> usize,
    langs: &[CodeLang],
) -> Option<usize> {
    let best = blocks.iter().map(tier).min()?;
    let of_tier = || (0..blocks.len()).filter(|at| tier(&blocks[*at]) == best);
    let may_be_solution = |at: &usize| langs.iter().any(|lang| blocks[*at].code.contains(display(*lang).solution));
    let found = of_tier().find(may_be_solution).or_else(|| of_tier().next())?;
    let names = |at: usize| {
        let of = outlines[at].iter().flat_map(|outline| &outline.definitions);
        of.filter(|definition| !definition.is_import && !definition.is_member).collect::<Vec<_>>()
    };
    let own: BTreeSet<&str> = names(found).iter().map(|definition| definition.name.as_str()).collect();
    let again = of_tier().filter(|at| *at > found && blocks[*at].is_closed).filter(|at| {
        // Every name of the first version that is a function: examples assign to variables.
        let later: BTreeMap<&str, bool> =
            names(*at).iter().map(|definition| (definition.name.as_str(), definition.is_complete)).collect();
        !own.is_empty() && own.iter().all(|name| later.get(name).is_some_and(|is_complete| *is_complete))
    });
    Some(again.last().unwrap_or(found))
}

/// What the code needs from other blocks in its language: imports first, then definitions in the order of the answer.
fn helpers(blocks: &[Block], outlines: &[Option<Outline>], tier: &dyn Fn(&Block) -> usize, code: usize) -> Vec<Part> {
    let Some(own) = &outlines[code] else { return Vec::new() };
    let is_other = |at: usize| at != code && tier(&blocks[at]) == tier(&blocks[code]) && blocks[at].is_closed;
    let others = (0..blocks.len()).filter(|at| is_other(*at));
    let others = others.filter_map(|at| Some(Other::new(at, &blocks[at].code, outlines[at].as_ref()?, own)));
    let mut others: Vec<Other<'_>> = others.collect();
    // Where each name is defined: the block and its definition.
    let mut places: HashMap<&str, Vec<(usize, &Definition)>> = HashMap::new();
    for (at, other) in others.iter().enumerate() {
        for definition in other.outline.definitions.iter().filter(|definition| other.is_usable(definition)) {
            places.entry(&definition.name).or_default().push((at, definition));
        }
    }
    let mut known: HashSet<&str> = top_level(own).collect();
    let mut needed: HashSet<&str> = own.uses.iter().map(String::as_str).collect();
    let mut wanted: Vec<(usize, &Definition)> =
        needed.iter().filter_map(|name| places.get(name)).flatten().copied().collect();
    // The names of these imports are not known.
    for (at, other) in others.iter().enumerate().filter(|(_, other)| other.is_wild()) {
        wanted.extend(other.outline.definitions.first().map(|definition| (at, definition)));
    }
    // Each round adds what the parts of the last one need, from the last block to the first. It looks at the definitions of
    // names that were not needed before, so at each once.
    while !wanted.is_empty() {
        wanted.sort_by_key(|(at, definition)| (Reverse(*at), definition.range.start, definition.range.end));
        let mut added = Vec::new();
        for wanted in wanted.chunk_by(|(one, _), (other, _)| one == other) {
            if let Some((at, _)) = wanted.first() {
                others[*at].select(wanted, &mut known, &mut added);
            }
        }
        added.retain(|name| needed.insert(*name));
        wanted = added.iter().filter_map(|name| places.get(name)).flatten().copied().collect();
    }
    let (mut imports, mut parts): (Vec<Part>, Vec<Part>) = (Vec::new(), Vec::new());
    for other in others {
        let parts = if other.outline.only_imports { &mut imports } else { &mut parts };
        parts.extend(other.selected.into_iter().map(|(start, end)| Part { block: other.block, range: start..end }));
    }
    imports.extend(parts);
    imports
}

/// The names that a block defines, but for members.
fn top_level(outline: &Outline) -> impl Iterator<Item = &str> {
    outline.definitions.iter().filter(|definition| !definition.is_member).map(|definition| definition.name.as_str())
}

/// A block that may have something that the code needs.
struct Other<'b> {
    block: usize,
    code: &'b str,
    outline: &'b Outline,
    /// The ranges of its text that become part of the code, each as start and end.
    selected: BTreeSet<(usize, usize)>,
    /// Whether nothing more of it can be selected.
    is_done: bool,
    /// Whether single definitions are selected rather than the whole block. Until that is decided, nothing is.
    is_in_parts: bool,
    /// Where variables begin that are computed with the code, such as the result of an example.
    examples: HashSet<usize>,
}

impl<'b> Other<'b> {
    fn new(block: usize, code: &'b str, outline: &'b Outline, own: &Outline) -> Other<'b> {
        let of_code = |name: &str| own.of(name).any(|found| !found.is_member);
        let is_example = |found: &&Definition| found.runs && uses_of(code, found, outline).any(of_code);
        let examples: HashSet<usize> =
            outline.definitions.iter().filter(is_example).map(|found| found.range.start).collect();
        // Statements of an example would run before the code that they use is there.
        let is_in_parts = outline.has_errors || outline.runs || !examples.is_empty();
        Other { block, code, outline, selected: BTreeSet::new(), is_done: false, is_in_parts, examples }
    }

    /// Whether a definition can be what code needs that uses its name.
    fn is_usable(&self, definition: &Definition) -> bool {
        let is_whole = !definition.is_member && definition.is_complete;
        self.outline.only_imports || (is_whole && !self.examples.contains(&definition.range.start))
    }

    /// Whether it consists of imports that say nothing about the names that they make known.
    fn is_wild(&self) -> bool {
        let is_wild = |import: &Definition| import.name == "*" || self.code.trim_start().starts_with('#');
        self.outline.only_imports && self.outline.definitions.iter().any(is_wild)
    }

    /// Selects these definitions, whose names the code needs, unless the names are known. Adds the names that they use to `added`.
    fn select(&mut self, wanted: &[(usize, &'b Definition)], known: &mut HashSet<&'b str>, added: &mut Vec<&'b str>) {
        let outline = self.outline;
        if self.is_done {
            return;
        }
        if outline.only_imports {
            // What its other imports make known counts, too.
            if top_level(outline).any(|name| !known.contains(name)) {
                known.extend(top_level(outline));
                self.selected.insert((0, self.code.len()));
            }
            self.is_done = true;
            return;
        }
        let missing = wanted.iter().map(|(_, found)| *found).filter(|found| !known.contains(found.name.as_str()));
        let missing: Vec<&Definition> = missing.collect();
        if missing.is_empty() {
            return;
        }
        // Of a block with another version of the code, only the helpers are taken.
        let is_version = |found: &Definition| !found.is_import && !found.is_member && known.contains(&*found.name);
        self.is_in_parts = self.is_in_parts || outline.definitions.iter().any(is_version);
        if !self.is_in_parts {
            known.extend(top_level(outline));
            added.extend(outline.uses.iter().map(String::as_str));
            self.selected.insert((0, self.code.len()));
            self.is_done = true;
            return;
        }
        for found in missing {
            known.insert(&found.name);
            // Several definitions can be one text.
            if self.selected.insert((found.range.start, found.range.end)) {
                added.extend(uses_of(self.code, found, outline));
            }
            self.is_done |= found.range == (0..self.code.len());
        }
    }
}

/// The names that occur in the text of a definition, of those that its block uses.
fn uses_of<'o>(code: &str, definition: &Definition, outline: &'o Outline) -> impl Iterator<Item = &'o str> {
    let text = code.get(definition.range.clone()).unwrap_or_default();
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
    words.filter_map(|word| outline.uses.get(word)).map(String::as_str)
}

fn join(parts: &[&str]) -> String {
    match parts {
        [one] => (*one).to_owned(),
        several => {
            let trimmed: Vec<&str> = several.iter().map(|part| part.trim_matches('\n')).collect();
            trimmed.join("\n\n")
        }
    }
}

/// A text without these ranges.
fn without(text: &str, ranges: &[Range<usize>]) -> String {
    let mut ranges = ranges.to_vec();
    ranges.sort_by_key(|range| range.start);
    let mut parts = Vec::new();
    let mut at = 0;
    for range in ranges {
        parts.push(text.get(at..range.start).unwrap_or_default().trim());
        at = at.max(range.end);
    }
    parts.push(text.get(at..).unwrap_or_default().trim());
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

#[cfg(test)]
#[path = "chat_test.rs"]
mod tests;
