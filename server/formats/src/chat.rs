//! Finds the code of a chat response: sets reasoning apart, and chooses among the blocks of the answer.
//!
//! The block that defines what the task asks for is the code, with the parts of other blocks that it needs. Of several
//! versions, the last complete one counts: models correct themselves. Without a known name, the first block that may be a
//! solution counts, because responses begin with the solution and continue with examples, or a later version of it.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    mem,
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
    reasoning, sentences,
    wrapped::{Wrappings, plain, unescaped, unfenced},
};

/// Maximum number of blocks of a response that are parsed, the first ones. Parsing a block takes time even if it is short,
/// and a model that repeats itself writes thousands; others write some dozens.
pub const MOST_PARSED: usize = 200;

/// Maximum number of blocks of a response, the first ones, that are looked at for diffs, and for HTML's names of characters.
const MOST_UNWRAPPED: usize = 8;

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
    let name = wanted.and_then(|wanted| wanted.name.as_deref());
    let is_code = |text: &str| langs.iter().any(|lang| outline::is_code(text, *lang));
    let mut blocks = blocks(&answer, langs, name);
    for block in blocks.iter_mut().take(MOST_UNWRAPPED) {
        block.code = unescaped(mem::take(&mut block.code), &is_code);
    }
    let Some(choice) = choose(&blocks, langs, name, chosen) else {
        let code = if is_whole { response.to_owned() } else { answer };
        let code = unescaped(plain(code), &is_code);
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

/// The blocks of an answer. `name` is what the task asks for.
fn blocks(answer: &str, langs: &[CodeLang], name: Option<&str>) -> Vec<Block> {
    let is_language = |word: &str| langs.iter().any(|lang| display(*lang).fences.contains(&word));
    let is_code = |text: &str| langs.iter().any(|lang| outline::is_code(text, *lang));
    let rules = Rules { is_language: &is_language, is_code: &is_code };
    let defines = |text: &str| {
        let is_asked_for = |found: &Definition| !found.is_import && name.is_none_or(|name| found.name == name);
        langs
            .iter()
            .filter_map(|lang| outline::outline(text, *lang))
            .any(|own| own.definitions.iter().any(is_asked_for))
    };
    let wrappings = Wrappings { rules: &rules, defines: &defines };
    if let Some(code) = wrappings.object(answer) {
        return vec![unfenced(&code, 0..answer.len())];
    }
    let mut blocks = fences::blocks(answer, &rules);
    // Lines behind four blanks are code to the standard; in unfenced code they are the bodies of functions.
    let has_fences = blocks.iter().any(|block| block.kind != BlockKind::Indented);
    if !has_fences && let Some(block) = wrappings.find(answer) {
        return vec![block];
    }
    let is_code_as_a_whole = !has_fences && is_code(&unescaped(answer.to_owned(), &is_code));
    if !has_fences {
        let pieces = sentences::between(answer, &rules, &defines, is_code_as_a_whole);
        if !pieces.is_empty() {
            return pieces;
        }
    }
    let keeps_indented = !has_fences && !blocks.is_empty() && !is_code_as_a_whole;
    let mut looks = 0..MOST_PARSED;
    blocks.retain(|block| {
        block.kind != BlockKind::Indented || (keeps_indented && looks.next().is_some() && is_code(&block.code))
    });
    for block in blocks.iter_mut().filter(|block| matches!(&*block.language, "diff" | "patch")).take(MOST_UNWRAPPED) {
        if let Some(code) = wrappings.created(&block.code) {
            *block = Block { language: String::new(), code, ..block.clone() };
        }
    }
    if let [block] = &mut *blocks
        && let Some(code) = wrappings.inside(&block.code)
    {
        *block = Block { language: String::new(), code, ..block.clone() };
    }
    blocks.into_iter().map(|block| Block { code: plain(block.code), ..block }).collect()
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
