//! Sets the reasoning of a model apart from its answer, by the markers that chat templates use.
//!
//! The one place for this rule: uploads, collections, continuations and judge models read responses through it. The
//! markers come from the public chat templates of these models and from the parsers of vLLM and SGLang.
//!
//! A marker counts only where a template puts it: an opening one at the beginning of the response or of a line, and
//! neither kind within quotation marks or within a code block, because answers may be about such texts. A closing marker
//! without an opening one ends reasoning whose opening was part of the prompt. An opening marker that is never closed
//! leaves no answer: the model was cut off while it reasoned.

use std::{collections::HashMap, ops::Range, rc::Rc};

use super::fences::{self, Fence};

/// A response, split.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// The reasoning without its markers; empty if there is none.
    pub reasoning: String,
    /// What the model answers, without the marks that templates put around answers.
    pub answer: String,
    /// Whether the reasoning has no end, so that there is no answer.
    pub is_unfinished: bool,
}

/// What opens and closes reasoning.
struct Pair {
    open: &'static str,
    close: &'static str,
}

const PAIRS: [Pair; 19] = [
    // DeepSeek R1, Qwen3, QwQ, GLM, Granite 3.3, Hunyuan, MiniMax, Nemotron, ERNIE, Phi-4, Kimi K2 and most others.
    Pair { open: "<think>", close: "</think>" },
    // Claude and models that were asked for it in a prompt.
    Pair { open: "<thinking>", close: "</thinking>" },
    // EXAONE Deep.
    Pair { open: "<thought>", close: "</thought>" },
    Pair { open: "<thoughts>", close: "</thoughts>" },
    Pair { open: "<reasoning>", close: "</reasoning>" },
    Pair { open: "<reflection>", close: "</reflection>" },
    Pair { open: "<scratchpad>", close: "</scratchpad>" },
    Pair { open: "<analysis>", close: "</analysis>" },
    // LongCat.
    Pair { open: "<longcat_think>", close: "</longcat_think>" },
    // Seed-OSS.
    Pair { open: "<seed:think>", close: "</seed:think>" },
    // MiniMax M3.
    Pair { open: "<mm:think>", close: "</mm:think>" },
    // Magistral.
    Pair { open: "[THINK]", close: "[/THINK]" },
    // Kimi VL.
    Pair { open: "◁think▷", close: "◁/think▷" },
    // Command A.
    Pair { open: "<|START_THINKING|>", close: "<|END_THINKING|>" },
    // Apertus.
    Pair { open: "<|inner_prefix|>", close: "<|inner_suffix|>" },
    // Sky-T1, OpenThinker.
    Pair { open: "<|begin_of_thought|>", close: "<|end_of_thought|>" },
    // Solar Open.
    Pair { open: "<|think|>", close: "<|end|>" },
    // Gemma 4.
    Pair { open: "<|channel>thought", close: "<channel|>" },
    // Gemma 3, tuned with GRPO.
    Pair { open: "<start_working_out>", close: "<end_working_out>" },
];

/// What opens reasoning at the beginning of a response and ends it at the beginning of a line: sentences of Granite 3.2 and Apriel,
/// and the section that Open WebUI makes.
const SENTENCES: [(&str, &str); 6] = [
    ("Here is my thought process:", "Here is my response:"),
    ("Here's my thought process:", "Here's my response:"),
    ("Here is my thought process:", "Here's my response:"),
    ("Here's my thought process:", "Here is my response:"),
    ("Here are my reasoning steps:", "[BEGIN FINAL RESPONSE]"),
    ("<details type=\"reasoning\"", "</details>"),
];

/// What templates put around an answer, at its beginning and at its end.
const WRAPPERS: [(&str, &str); 10] = [
    // Hunyuan; ERNIE and Granite 3.3.
    ("<answer>", "</answer>"),
    ("<response>", "</response>"),
    ("<output>", "</output>"),
    ("<solution>", "</solution>"),
    ("<SOLUTION>", "</SOLUTION>"),
    // Command A.
    ("<|START_RESPONSE|>", "<|END_RESPONSE|>"),
    // GLM.
    ("<|begin_of_box|>", "<|end_of_box|>"),
    ("<|begin_of_solution|>", "<|end_of_solution|>"),
    ("[BEGIN FINAL RESPONSE]", "[END FINAL RESPONSE]"),
    // Solar Open.
    ("<|begin|>assistant<|content|>", "<|end|>"),
];

/// What begins the answer in the place of the mark that would close its reasoning.
const FINAL: [&str; 4] = ["<answer>", "<|START_RESPONSE|>", "<|begin_of_box|>", "<|begin_of_solution|>"];

/// Marks of the beginning of an answer, which a prompt that was not cut exactly leaves in it.
const BEGINNINGS: [&str; 6] = [
    "<|im_start|>assistant",
    "<|start|>assistant",
    "<|start_header_id|>assistant<|end_header_id|>",
    "<|assistant|>",
    "<|Assistant|>",
    "[/INST]",
];

/// Marks of the user's next turn, which models write that do not stop behind their answer.
const NEXT_TURNS: [&str; 5] =
    ["<|im_start|>user", "<|start_header_id|>user<|end_header_id|>", "<start_of_turn>user", "<|user|>", "<｜User｜>"];

/// Marks of the end of an answer, which servers that keep special tokens leave in it.
const ENDS: [&str; 18] = [
    // Apriel.
    "[END FINAL RESPONSE]",
    "[/INST]",
    "<|im_start|>",
    "<|im_end|>",
    "<|endoftext|>",
    "<|return|>",
    "<|eot_id|>",
    "<|end_of_text|>",
    "<|end|>",
    "<|EOT|>",
    "<|END_OF_TURN_TOKEN|>",
    "<end_of_turn>",
    "<turn|>",
    "<｜end▁of▁sentence｜>",
    "[EOS]",
    "</s>",
    "<eos>",
    "<eod>",
];

/// Maximum length of a token that ends an answer, in bytes.
const LONGEST_TOKEN: usize = 60;

/// Maximum number of marks in a response whose surroundings are looked at. A model that repeats itself writes more.
const MOST_MARKS: usize = 24;

/// Maximum number of bytes that are parsed to know where the code blocks of a response are, seen from each mark. Beyond that, it
/// is read like one with too many marks. An answer of 10 KB after its reasoning comes to some 50 KB.
const MOST_READ: usize = 2 * 1024 * 1024;

/// Splits a response into reasoning and answer.
pub fn split(response: &str) -> Parts {
    let mut parts = harmony(response).or_else(|| sentences(response)).unwrap_or_else(|| pairs(response));
    if let Some(end) = next_turn(&parts.answer) {
        parts.answer.truncate(end);
    }
    let has_marks = parts.answer.len() != response.len();
    if let Some(answer) = unwrapped(&parts.answer, has_marks) {
        parts.answer = answer;
    }
    parts
}

/// The answer of a response without its reasoning.
pub fn answer(response: &str) -> String {
    split(response).answer
}

/// Messages of gpt-oss: `<|channel|>analysis<|message|>…<|end|><|start|>assistant<|channel|>final<|message|>…<|return|>`.
/// Decoding without special tokens leaves `analysis…assistantfinal…`.
fn harmony(response: &str) -> Option<Parts> {
    const CHANNEL: &str = "<|channel|>";
    const MESSAGE: &str = "<|message|>";
    const NEXT: [&str; 4] = ["<|end|>", "<|call|>", "<|start|>assistant<|channel|>", CHANNEL];
    let begins =
        BEGINNINGS.iter().find_map(|mark| response.trim_start().strip_prefix(*mark)).unwrap_or(response.trim_start());
    if !begins.starts_with(CHANNEL) {
        let bare = begins.strip_prefix("analysis")?;
        // The word alone may begin a sentence.
        return bare.split_once("assistantfinal").map(|(reasoning, answer)| parts(reasoning, answer));
    }
    let (mut reasoning, mut answer) = (Vec::new(), None);
    let mut rest = begins;
    while let Some(at) = rest.find(CHANNEL) {
        rest = &rest[at + CHANNEL.len()..];
        let Some((head, body)) = rest.split_once(MESSAGE) else { break };
        let is_final = head.trim_start().starts_with("final");
        // Code in an answer may contain such a text; only what stands in the template's place ends a message.
        let ends = |at: &usize| NEXT.iter().any(|mark| body[*at..].starts_with(mark));
        let end = match is_final {
            true => body.len(),
            false => body.match_indices("<|").map(|(at, _)| at).find(ends).unwrap_or(body.len()),
        };
        match is_final {
            true => answer = Some(&body[..end]),
            false => reasoning.push(body[..end].trim()),
        }
        rest = &body[end..];
    }
    let reasoning = reasoning.join("\n\n");
    Some(match answer {
        Some(answer) => parts(&reasoning, answer),
        None => Parts { reasoning, answer: String::new(), is_unfinished: true },
    })
}

fn sentences(response: &str) -> Option<Parts> {
    let text = response.trim_start();
    let (open, _) = SENTENCES.into_iter().find(|(open, _)| text.starts_with(open))?;
    let is_tag = open.starts_with('<');
    let rest = &text[if is_tag { text.find('>')? + 1 } else { open.len() }..];
    let of_open = SENTENCES.into_iter().filter(|(known, _)| *known == open);
    // The first one that begins a line outside of code.
    let mut fences = fences::fences(rest);
    fences.retain(|fence| fence.is_closed);
    fences.sort_by_key(|fence| fence.range.start);
    let first = |close: &'static str| {
        let (mut fences, mut code_end, mut line_start) = (fences.iter().peekable(), 0, Some(0));
        let mut after = 0;
        rest.match_indices(close).find(|(at, _)| {
            if let Some(line_break) = rest[after..*at].rfind('\n') {
                line_start = Some(after + line_break + 1);
            }
            after = at + close.len();
            while let Some(fence) = fences.next_if(|fence| fence.range.start <= *at) {
                code_end = code_end.max(fence.range.end);
            }
            // Only the first one of a line can begin it.
            line_start.take().is_some_and(|start| rest[start..*at].trim().is_empty()) && code_end <= *at
        })
    };
    Some(match of_open.filter_map(|(_, close)| first(close)).min_by_key(|(at, _)| *at) {
        Some((at, close)) => parts(&rest[..at], &rest[at + close.len()..]),
        None => Parts { reasoning: rest.trim().to_owned(), answer: String::new(), is_unfinished: true },
    })
}

fn parts(reasoning: &str, answer: &str) -> Parts {
    let mut text = String::new();
    push(&mut text, answer);
    Parts { reasoning: reasoning.trim().to_owned(), answer: text, is_unfinished: false }
}

fn pairs(response: &str) -> Parts {
    let mut at = response.len() - response.trim_start().len();
    for mark in BEGINNINGS {
        if let Some(rest) = response[at..].strip_prefix(mark) {
            at = response.len() - rest.trim_start().len();
            break;
        }
    }
    if !PAIRS.iter().any(|pair| response.contains(pair.open) || response.contains(pair.close)) {
        let start = if response[..at].trim().is_empty() { 0 } else { at };
        return Parts { answer: response[start..].to_owned(), ..Parts::default() };
    }
    let marks = PAIRS.iter().flat_map(|pair| places(response, pair.open).chain(places(response, pair.close)));
    if marks.take(MOST_MARKS + 1).count() > MOST_MARKS {
        return repeated(&response[at..]);
    }
    let mut seen = Seen { response, read: 0, fences: HashMap::new(), opening: HashMap::new(), closing: HashMap::new() };
    let found = between_marks(&mut seen, at);
    if seen.read > MOST_READ { repeated(&response[at..]) } else { found }
}

/// Splits a response from a place on, where it begins.
fn between_marks(seen: &mut Seen<'_>, mut at: usize) -> Parts {
    let response = seen.response;
    let (mut reasoning, mut answer) = (Vec::new(), String::new());
    // The opening mark was in the prompt.
    let is_open = PAIRS.iter().any(|pair| response[at..].starts_with(pair.open));
    if let Some(end) = (!is_open).then(|| seen.lost_opening(at)).flatten() {
        reasoning.push(response[at..end.start].trim());
        at = end.end;
    }
    let mut is_unfinished = false;
    while let Some((open, pair)) = seen.opening(at) {
        let (before, inside) = (&response[at..open], open + pair.open.len());
        push(&mut answer, before);
        match seen.closing(inside, pair) {
            Some(end) => {
                reasoning.push(response[inside..end.start].trim());
                at = end.end;
            }
            None => {
                let end = seen.final_mark(inside);
                reasoning.push(response[inside..end].trim());
                is_unfinished = answer.trim().is_empty() && end == response.len();
                at = end;
                break;
            }
        }
    }
    push(&mut answer, &response[at..]);
    reasoning.retain(|text| !text.is_empty());
    Parts { reasoning: reasoning.join("\n\n"), answer, is_unfinished }
}

/// A response with many marks: everything up to the last closing one is reasoning.
fn repeated(text: &str) -> Parts {
    let last = PAIRS.iter().filter_map(|pair| Some((text.rfind(pair.close)?, pair.close.len()))).max();
    match last {
        Some((at, length)) => parts(&text[..at], &text[at + length..]),
        None => Parts { reasoning: text.trim().to_owned(), answer: String::new(), is_unfinished: true },
    }
}

/// Adds a part of the answer. Blank lines around reasoning are not part of it.
fn push(answer: &mut String, part: &str) {
    if answer.is_empty() {
        let blank = part.len() - part.trim_start().len();
        // Indentation of the first line is part of the code.
        let start = part[..blank].rfind('\n').map_or(0, |at| at + 1);
        answer.push_str(&part[start..]);
    } else if !part.trim().is_empty() {
        answer.truncate(answer.trim_end().len());
        answer.push_str("\n\n");
        answer.push_str(part.trim_start_matches(['\n', '\r']));
    }
}

/// The places of a mark.
fn places<'t>(text: &'t str, mark: &'t str) -> impl Iterator<Item = usize> + 't {
    text.match_indices(mark).map(|(at, _)| at)
}

/// What is known of a response with marks. What a mark is depends on the text behind it, so it is looked at from several
/// places, from each once. All places are those of the response.
struct Seen<'t> {
    response: &'t str,
    /// Bytes that were parsed.
    read: usize,
    fences: HashMap<Range<usize>, Rc<[Fence]>>,
    opening: HashMap<usize, Option<(usize, &'static Pair)>>,
    closing: HashMap<(usize, &'static str), Option<Range<usize>>>,
}

impl Seen<'_> {
    /// The code blocks of a part of the response; none if too much was parsed before.
    fn fences(&mut self, part: Range<usize>) -> Rc<[Fence]> {
        if let Some(known) = self.fences.get(&part) {
            return known.clone();
        }
        if self.read > MOST_READ {
            return Rc::new([]);
        }
        let (mut found, read) = fences::counted_fences(&self.response[part.clone()]);
        self.read += read;
        for fence in &mut found {
            fence.range = fence.range.start + part.start..fence.range.end + part.start;
        }
        self.fences.entry(part).or_insert(found.into()).clone()
    }

    /// Where the answer begins behind reasoning from a place on that has no closing mark; the end of the response if it does not.
    fn final_mark(&mut self, from: usize) -> usize {
        let text = &self.response[from..];
        let fences = self.fences(from..self.response.len());
        let marks =
            FINAL.iter().flat_map(|mark| places(text, mark).collect::<Vec<_>>().into_iter().rev().take(MOST_MARKS));
        let is_answer =
            |at: &usize| begins_line(text, *at) && !fences.iter().any(|fence| fence.range.contains(&(from + at)));
        marks.filter(is_answer).max().map_or(self.response.len(), |at| from + at)
    }

    /// The first opening mark from a place on where a template would put it: at the beginning of a line outside of code.
    fn opening(&mut self, from: usize) -> Option<(usize, &'static Pair)> {
        if let Some(known) = self.opening.get(&from) {
            return *known;
        }
        let text = &self.response[from..];
        let fences = self.fences(from..self.response.len());
        let blank = text.len() - text.trim_start().len();
        let found = PAIRS.iter().flat_map(|pair| places(text, pair.open).map(move |at| (at, pair)));
        let mut found: Vec<(usize, &'static Pair)> = found.filter(|(at, _)| begins_line(text, *at)).collect();
        found.sort_by_key(|(at, _)| *at);
        let found = found.into_iter().find(|(at, pair)| {
            let is_alone = line_of(text, *at).trim() == pair.open;
            let is_code =
                fences.iter().any(|fence| fence.range.contains(&(from + at))) || text[..*at].ends_with([' ', '\t']);
            *at == blank || (!is_code && (is_alone || self.closing(from + at + pair.open.len(), pair).is_some()))
        });
        let found = found.map(|(at, pair)| (from + at, pair));
        self.opening.insert(from, found);
        found
    }

    /// The closing mark of reasoning that begins at a place. A model that writes about such marks repeats them, so the last one
    /// counts that the answer after it does not explain.
    fn closing(&mut self, from: usize, pair: &'static Pair) -> Option<Range<usize>> {
        if let Some(known) = self.closing.get(&(from, pair.close)) {
            return known.clone();
        }
        let text = &self.response[from..];
        let fences = self.fences(from..self.response.len());
        let candidates: Vec<usize> = places(text, pair.close).filter(|at| !is_quoted(text, *at, pair.close)).collect();
        let is_strong = |at: &usize| !is_in_code(text, from, *at, pair, &fences);
        let first = candidates.iter().position(is_strong).or_else(|| (!candidates.is_empty()).then_some(0));
        let found = first.map(|first| self.last_of(from, pair, &candidates[first..]));
        self.closing.insert((from, pair.close), found.clone());
        found
    }

    /// Of closing marks behind a place, each so many bytes, the last one that does not belong to the answer after the one before
    /// it.
    fn last_of(&mut self, from: usize, pair: &Pair, candidates: &[usize]) -> Range<usize> {
        let range = |at: usize| from + at..from + at + pair.close.len();
        let mut end = range(candidates.first().copied().unwrap_or_default());
        for at in candidates.iter().skip(1) {
            let next = range(*at);
            let fences = self.fences(end.end..self.response.len());
            let is_code = fences.iter().any(|fence| fence.range.contains(&next.start));
            // A pair of its own is a section of its own.
            let is_opened = self.opening(end.end).is_some_and(|(open, _)| open < next.start);
            if is_code || is_opened {
                break;
            }
            // Without a block before it, the text in between would be the answer.
            let has_block = |fences: Rc<[Fence]>| fences.iter().any(|fence| fence.is_closed);
            if !begins_line(&self.response[from..], *at) && has_block(self.fences(end.end..next.start)) {
                break;
            }
            end = next;
        }
        end
    }

    /// The closing mark of reasoning whose opening mark was part of the prompt.
    fn lost_opening(&mut self, from: usize) -> Option<Range<usize>> {
        let text = &self.response[from..];
        let fences = self.fences(from..self.response.len());
        let mut found: Option<Range<usize>> = None;
        // Words in capitals or with bars are tokens of a vocabulary; `<|end|>` ends answers, too.
        for pair in PAIRS.iter().filter(|pair| pair.close != "<|end|>" && pair.close != "<channel|>") {
            let candidates: Vec<usize> = places(text, pair.close)
                .filter(|at| !is_quoted(text, *at, pair.close))
                .filter(|at| !is_in_code(text, from, *at, pair, &fences))
                .filter(|at| is_at_edge(text, *at, pair.close))
                .collect();
            let Some(first) = candidates.first() else { continue };
            if self.opening(from).is_some_and(|(open, _)| open < from + first) {
                continue;
            }
            let range = self.last_of(from, pair, &candidates);
            if found.as_ref().is_none_or(|known| range.start < known.start) {
                found = Some(range);
            }
        }
        found
    }
}

/// Whether a closing mark is within a code block to which it belongs: its pair is in the same block, or the block goes on
/// after it and ends properly. The text begins at the place `from` of the response, to which `fences` refers.
fn is_in_code(text: &str, from: usize, at: usize, pair: &Pair, fences: &[Fence]) -> bool {
    let Some(fence) = fences.iter().find(|fence| fence.range.contains(&(from + at))) else { return false };
    let before = &text[fence.range.start - from..at];
    if before.rmatch_indices(pair.open).next().is_some() {
        return true;
    }
    let is_alone = line_of(text, at).trim() == pair.close;
    let after = &text[at..fence.range.end - from];
    // A block that was left open in the reasoning swallows the mark and the first fence of the answer.
    let opens_again = after.lines().skip(1).any(|line| {
        let line = line.trim_start();
        (line.starts_with("```") || line.starts_with("~~~")) && !line.trim_matches(['`', '~', ' ', '\r']).is_empty()
    });
    !(is_alone && (opens_again || !fence.is_closed))
}

/// Whether a mark is within quotation marks of its line.
fn is_quoted(text: &str, at: usize, mark: &str) -> bool {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let (before, after) = (&text[start..at], &text[at + mark.len()..]);
    let after = after.split('\n').next().unwrap_or_default();
    let mut open = None;
    let mut previous = ' ';
    for c in before.chars() {
        match open {
            Some(quote) if c == quote && previous != '\\' => open = None,
            Some(_) => {}
            // An apostrophe follows a letter.
            None if c == '\'' && previous.is_alphanumeric() && !"rfbu".contains(previous) => {}
            None if matches!(c, '"' | '\'' | '`') => open = Some(c),
            None => {}
        }
        previous = c;
    }
    open.is_some_and(|quote| after.contains(quote))
}

/// Whether a closing mark ends or begins its line, as templates have it.
fn is_at_edge(text: &str, at: usize, mark: &str) -> bool {
    let after = text[at + mark.len()..].split('\n').next().unwrap_or_default();
    let is_in_tag_text = text[..at].ends_with(['(', ',', '=', '/', '\\']);
    begins_line(text, at) || after.trim().is_empty() || !is_in_tag_text
}

fn begins_line(text: &str, at: usize) -> bool {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    text[start..at].trim().is_empty()
}

fn line_of(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    text[start..].split('\n').next().unwrap_or_default()
}

/// Where the user's next turn begins in an answer: in a line of its own, behind the mark of the answer's end, or at the end of the
/// response, but not in a code block or in a text of code.
fn next_turn(answer: &str) -> Option<usize> {
    let marks = NEXT_TURNS.iter().flat_map(|mark| places(answer, mark).take(MOST_MARKS).map(move |at| (at, *mark)));
    let mut marks: Vec<(usize, &str)> = marks.collect();
    marks.sort_unstable();
    let fences = if marks.is_empty() { Vec::new() } else { fences::fences(answer) };
    let begins = |(at, mark): &(usize, &str)| {
        let before = &answer[..*at];
        let ended = without_ends(before);
        let is_behind_end = || ended.len() < before.trim_end().len();
        let is_last = || answer[at + mark.len()..].trim().is_empty();
        let is_text = || ["\"\"\"", "'''", "`"].iter().any(|quote| before.matches(quote).count() % 2 == 1);
        // A fence with something behind it closes no block, although models mean it.
        let closing = ended.rsplit('\n').next().unwrap_or_default().trim();
        let is_behind_fence = closing.len() >= 3 && closing.chars().all(|c| matches!(c, '`' | '~'));
        is_behind_fence && ended.contains('\n')
            || (begins_line(answer, *at) || is_behind_end() || is_last())
                && !is_quoted(answer, *at, mark)
                && !fences.iter().any(|fence| fence.range.contains(at))
                && !is_text()
    };
    marks.into_iter().find(begins).map(|(at, _)| at)
}

/// A text without the marks of the end of an answer behind it.
fn without_ends(text: &str) -> &str {
    let mut text = text;
    while let Some(rest) =
        ENDS.iter().find_map(|end| text.trim_end().strip_suffix(*end)).or_else(|| without_token(text))
    {
        text = rest;
    }
    text
}

/// A text without the token of a vocabulary that ends it: `<|fim_pad|>`. No language has code that ends so.
fn without_token(text: &str) -> Option<&str> {
    let inside = text.trim_end().strip_suffix("|>")?;
    let start = inside.rfind("<|")?;
    let word = &inside[start + 2..];
    let is_token =
        (1..=LONGEST_TOKEN).contains(&word.len()) && word.chars().all(|c| c.is_alphanumeric() || "_▁".contains(c));
    let closes = WRAPPERS.iter().any(|(_, close)| close.strip_suffix("|>") == Some(&inside[start..]));
    (is_token && !closes).then_some(&inside[..start])
}

/// An answer without the marks that templates put around it, if it has any. A tag that prompts ask for is one in a response that has
/// other marks, or if its beginning was part of the prompt.
fn unwrapped(answer: &str, mut has_marks: bool) -> Option<String> {
    let mut text = without_ends(answer);
    has_marks |= text.len() < answer.trim_end().len();
    for (open, close) in WRAPPERS {
        let (start, end) = (text.trim_start(), text.trim_end());
        let is_tag = open.starts_with('<') && !open.starts_with("<|");
        match (start.strip_prefix(open), end.strip_suffix(close)) {
            // What follows the closing mark is read with both of them, unless code blocks tell where the code is.
            (Some(inside), closed)
                if (has_marks || !is_tag)
                    && (closed.is_some() || !inside.contains(close) || inside.contains("```")) =>
            {
                text = inside.trim_end().strip_suffix(close).unwrap_or(inside);
                break;
            }
            (None, Some(inside)) if !inside.contains(open) => {
                text = inside;
                break;
            }
            _ => {}
        }
    }
    if text.len() == answer.len() {
        return None;
    }
    // Line breaks next to a mark belong to the mark.
    let blank = text.len() - text.trim_start().len();
    let start = text[..blank].rfind('\n').map_or(0, |at| at + 1);
    Some(text[start..].to_owned())
}

#[cfg(test)]
#[path = "reasoning_test.rs"]
mod tests;
