//! Finds the code of a chat response: sets reasoning apart, and chooses among the blocks of the answer.
//!
//! The block that defines what the task asks for is the code, with the parts of other blocks that it needs. Of several
//! versions, the last complete one counts: models correct themselves. Without a known name, the first block that may be a
//! solution counts, because responses begin with the solution and continue with examples, or a later version of it.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use model::{
    code_lang::CodeLang,
    reading::{BlockRole, ReadBlock, Reading, Why},
};
use syntax::{
    display::{Display, display},
    outline::{self, Outline},
};

use super::{
    fences::{self, Block, BlockKind, Rules},
    reasoning,
};

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
        let reading = Reading { reasoning, ..Reading::default() };
        return Answer { code, reading, ..Answer::default() };
    };
    let taken: Vec<usize> = choice.parts.iter().map(|part| part.block).collect();
    let code: Vec<&str> =
        choice.parts.iter().filter_map(|part| blocks[part.block].code.get(part.range.clone())).collect();
    let code = join(&code);
    // What a helper block has besides its helper is not code of the output.
    let whole =
        |at: &usize| choice.parts.iter().any(|part| part.block == *at && part.range == (0..blocks[*at].code.len()));
    let ranges: Vec<Range<usize>> = taken.iter().filter(|at| whole(at)).map(|at| blocks[*at].range.clone()).collect();
    let read = blocks.iter().enumerate().map(|(at, block)| ReadBlock {
        language: block.language.clone(),
        code: block.code.clone(),
        role: match at {
            at if at == choice.code => BlockRole::Code,
            at if taken.contains(&at) => BlockRole::Helper,
            _ => BlockRole::Left,
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
    let keeps_indented = !has_fences && !blocks.is_empty() && !is_code(answer);
    blocks.retain(|block| block.kind != BlockKind::Indented || (keeps_indented && is_code(&block.code)));
    blocks
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
        .map(|block| {
            let lang = langs.iter().find(|lang| marked(block, display(**lang))).or(langs.first())?;
            outline::outline(&block.code, *lang)
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
    let others = |at: &usize| *at != code && tier(&blocks[*at]) == tier(&blocks[code]) && blocks[*at].is_closed;
    let defined = |outline: &Outline| -> BTreeSet<String> {
        outline
            .definitions
            .iter()
            .filter(|definition| !definition.is_member)
            .map(|definition| definition.name.clone())
            .collect()
    };
    let (mut known, mut needed) = (defined(own), own.uses.clone());
    let mut imports = Vec::new();
    let mut parts: Vec<Part> = Vec::new();
    // Each round adds what the parts of the last one need.
    loop {
        let mut added = BTreeSet::new();
        for at in (0..blocks.len()).rev().filter(others) {
            let Some(outline) = &outlines[at] else { continue };
            let length = blocks[at].code.len();
            if parts.iter().chain(&imports).any(|part| part.block == at && part.range == (0..length)) {
                continue;
            }
            if outline.only_imports {
                let is_wild = |name: &str| name == "*" || matches!(blocks[at].code.trim_start().as_bytes(), [b'#', ..]);
                let is_needed =
                    outline.definitions.iter().any(|import| needed.contains(&import.name) || is_wild(&import.name));
                if is_needed && !defined(outline).is_subset(&known) {
                    known.extend(defined(outline));
                    imports.push(Part { block: at, range: 0..length });
                }
                continue;
            }
            let missing: Vec<&outline::Definition> = outline
                .definitions
                .iter()
                .filter(|found| {
                    !found.is_member
                        && found.is_complete
                        && needed.contains(&found.name)
                        && !known.contains(&found.name)
                })
                .collect();
            if missing.is_empty() {
                continue;
            }
            let names = defined(outline);
            // Of a block with another version of the code, only the helpers are taken.
            let is_draft = names.iter().any(|name| known.contains(name) && outline.of(name).next().is_some());
            if is_draft || outline.has_errors {
                for found in &missing {
                    known.insert(found.name.clone());
                    added.extend(uses_of(&blocks[at].code, found, outline));
                    let part = Part { block: at, range: found.range.clone() };
                    if !parts.iter().any(|known| known.block == at && known.range == part.range) {
                        parts.push(part);
                    }
                }
            } else {
                known.extend(names);
                added.extend(outline.uses.iter().cloned());
                parts.push(Part { block: at, range: 0..length });
            }
        }
        if added.is_subset(&needed) {
            break;
        }
        needed.extend(added);
    }
    parts.sort_by_key(|part| (part.block, part.range.start));
    imports.sort_by_key(|part| part.block);
    imports.extend(parts);
    imports
}

/// The names that occur in the text of a definition, of those that its block uses.
fn uses_of(code: &str, definition: &outline::Definition, outline: &Outline) -> Vec<String> {
    let text = code.get(definition.range.clone()).unwrap_or_default();
    let words: BTreeSet<&str> = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).collect();
    outline.uses.iter().filter(|name| words.contains(name.as_str())).cloned().collect()
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
