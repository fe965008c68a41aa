//! Identity leaks: words in an output that may reveal its model to a rater.

use std::{collections::HashMap, ops::Range, sync::LazyLock};

use model::submission::IdentityLeak;

/// Models and vendors, in lower case. Only a warning: an admin decides.
const NAMES: [&str; 57] = [
    "aixcoder",
    "alibaba",
    "anthropic",
    "as an ai",
    "baichuan",
    "baidu",
    "bard",
    "bytedance",
    "chatglm",
    "chatgpt",
    "claude",
    "code llama",
    "codefuse",
    "codegeex",
    "codegen",
    "codellama",
    "codet5",
    "codewhisperer",
    "codex",
    "copilot",
    "cursor ai",
    "deepseek",
    "doubao",
    "ernie",
    "gemini",
    "gpt-3",
    "gpt-4",
    "gpt-5",
    "gpt4",
    "grok",
    "incoder",
    "internlm",
    "kimi",
    "language model",
    "llama",
    "meta ai",
    "minimax",
    "mistral",
    "mixtral",
    "moonshot",
    "openai",
    "phind",
    "qwen",
    "santacoder",
    "starcoder",
    "tabnine",
    "tongyi",
    "wizardcoder",
    "文心",
    "讯飞",
    "通义",
    "豆包",
    "混元",
    "智谱",
    "百川",
    "盘古",
    "语言模型",
];

static LOWER: LazyLock<Vec<String>> = LazyLock::new(|| NAMES.iter().map(|n| (*n).to_owned()).collect());

/// First words of models' names that occur in any code and so identify no model.
const COMMON: [&str; 16] = [
    "assistant",
    "baseline",
    "candidate",
    "coder",
    "default",
    "large",
    "medium",
    "model",
    "outputs",
    "prototype",
    "reference",
    "sample",
    "small",
    "solution",
    "system",
    "variant",
];

/// Finds identity leaks: names from a list of models and vendors, and `known` (models of this installation,
/// in any case), with the family that begins a name (`northwind` of `Northwind 2`). Names match whole words,
/// and a version after one belongs to it: `llama` is not found in `llamaFarm`, but `llama-3b` is found as a
/// whole.
pub struct LeakFinder {
    names: Vec<String>,
    /// Of each letter, in lower case, the names that begin with it.
    by_letter: HashMap<char, Vec<usize>>,
    /// The ASCII characters among these letters, as bits: almost every character of a text is another one.
    ascii: u128,
}

impl LeakFinder {
    /// With the names of known models, except very short ones, which would match everywhere.
    pub fn new<'a>(known: impl IntoIterator<Item = &'a str>) -> LeakFinder {
        let mut names = LOWER.clone();
        for name in known {
            let name = name.trim().to_lowercase();
            let family: String = name.chars().take_while(|c| c.is_alphabetic()).collect();
            let telling = family.chars().count() >= 5 && !COMMON.contains(&family.as_str());
            for name in [Some(name), telling.then_some(family)].into_iter().flatten() {
                if name.chars().count() >= 4 && !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        let mut by_letter: HashMap<char, Vec<usize>> = HashMap::new();
        for (at, name) in names.iter().enumerate() {
            by_letter.entry(name.chars().next().unwrap_or_default()).or_default().push(at);
        }
        let ascii = by_letter.keys().filter(|c| c.is_ascii()).map(|c| 1 << u32::from(*c)).sum();
        LeakFinder { names, by_letter, ascii }
    }

    /// The names, longest first, so that a name is masked before a part of it is.
    pub fn names(&self) -> Vec<String> {
        let mut names = self.names.clone();
        names.sort_by_key(|name| (std::cmp::Reverse(name.chars().count()), name.clone()));
        names
    }

    /// The first leak in an output, with the other names in it. `line` is the output's line in its file.
    pub fn find(&self, line: u64, task_id: &str, code: &str, surrounding_text: &str) -> Option<IdentityLeak> {
        let texts = [(code, true), (surrounding_text, false)];
        let mut all = texts.into_iter().flat_map(|(text, in_code)| {
            self.places(text).into_iter().filter_map(move |at| Some((text.get(at.clone())?, text, at, in_code)))
        });
        let (name, text, at, in_code) = all.next()?;
        let before = text.get(..at.start)?;
        let mut leak = IdentityLeak {
            line,
            task_id: task_id.to_owned(),
            name: name.to_owned(),
            others: Vec::new(),
            code_line: in_code.then(|| before.matches('\n').count() as u64 + 1),
            excerpt: excerpt(text, &at),
        };
        for (other, ..) in all {
            if leak.names().all(|name| name.to_lowercase() != other.to_lowercase()) {
                leak.others.push(other.to_owned());
            }
        }
        Some(leak)
    }

    /// Where each name is first in a text, in the order of the text. A name within a longer one is left out.
    fn places(&self, text: &str) -> Vec<Range<usize>> {
        let mut first: Vec<Option<Range<usize>>> = vec![None; self.names.len()];
        for (at, c) in text.char_indices() {
            if c.is_ascii() && self.ascii >> u32::from(c.to_ascii_lowercase()) & 1 == 0 {
                continue;
            }
            let mut lower = c.to_lowercase();
            let lower = lower.next().filter(|_| lower.next().is_none()).unwrap_or(c);
            for name in self.by_letter.get(&lower).into_iter().flatten() {
                if first[*name].is_none() {
                    first[*name] = name_at(text, &self.names[*name], at);
                }
            }
        }
        let mut places: Vec<Range<usize>> = first.into_iter().flatten().collect();
        places.sort_by_key(|at| (at.start, std::cmp::Reverse(at.end)));
        let mut end = 0;
        places.retain(|at| {
            let is_apart = at.start >= end;
            end = end.max(at.end);
            is_apart
        });
        places
    }
}

/// Maximum length of a version in bytes.
const LONGEST_VERSION: usize = 32;

/// The mask: a neutral word that is a valid Java name, so that formatting does not change.
pub const MASK: &str = "MASKED";

/// The next whole-word match of `name` (in lower case) in `text` from byte `from` on, ignoring case.
pub(super) fn find_name(text: &str, name: &str, from: usize) -> Option<Range<usize>> {
    let letter = name.chars().next()?;
    let mut rest = text.get(from..)?.char_indices();
    // The common case: one comparison per character.
    rest.find_map(|(offset, first)| same(first, letter).then(|| name_at(text, name, from + offset))?)
}

/// The whole-word match of `name` that begins at this byte.
fn name_at(text: &str, name: &str, start: usize) -> Option<Range<usize>> {
    // Chinese has no spaces between words.
    let bounded = name.is_ascii();
    if bounded && text.get(..start)?.ends_with(is_word) {
        return None;
    }
    let mut end = start;
    let mut letters = text.get(start..)?.chars();
    for wanted in name.chars() {
        let found = letters.next().filter(|c| same(*c, wanted))?;
        end += found.len_utf8();
    }
    if !bounded {
        return Some(start..end);
    }
    let whole = end + version(text.get(end..)?, name.ends_with(|c: char| c.is_ascii_digit()));
    let ends = |end: usize| text.get(end..).is_some_and(|rest| !rest.starts_with(is_word));
    [whole, end].into_iter().find(|end| ends(*end)).map(|end| start..end)
}

/// Length in bytes of a version at the start of a text that follows a model's name: `-4o`, `2.5`, ` 7B`,
/// `-v3.1-8b`; 0 without one. `numbered`: whether the name ends with a digit, as `gpt-4` does, to which the
/// `o` of `gpt-4o` belongs.
fn version(text: &str, numbered: bool) -> usize {
    let bytes = text.as_bytes().get(..LONGEST_VERSION).unwrap_or(text.as_bytes());
    let digits = |at: usize| bytes.get(at..).unwrap_or_default().iter().take_while(|b| b.is_ascii_digit()).count();
    let letters =
        |at: usize| bytes.get(at..).unwrap_or_default().iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let mut end = if numbered && letters(0) <= 2 { letters(0) } else { 0 };
    loop {
        let mut at = end;
        at += usize::from(matches!(bytes.get(at), Some(b'-' | b'_' | b'.' | b' ')));
        at += usize::from(matches!(bytes.get(at), Some(b'v' | b'V')));
        if digits(at) == 0 {
            return end;
        }
        at += digits(at);
        while bytes.get(at) == Some(&b'.') && digits(at + 1) > 0 {
            at += 1 + digits(at + 1);
        }
        at += if letters(at) <= 2 { letters(at) } else { 0 };
        end = at;
    }
}

/// Whether `c` is `lower` in any case. Letters whose lower case has several characters match themselves
/// only.
fn same(c: char, lower: char) -> bool {
    // Almost every character of a program.
    if c.is_ascii() {
        return c == lower || c.to_ascii_lowercase() == lower;
    }
    c == lower || c.to_lowercase().eq(std::iter::once(lower))
}

/// The line around a match, cut to fit on a page.
fn excerpt(text: &str, at: &Range<usize>) -> String {
    const AROUND: usize = 60;
    let before = text.get(..at.start).unwrap_or("");
    let after = text.get(at.end..).unwrap_or("");
    let before = before.rsplit('\n').next().unwrap_or("");
    let after = after.split('\n').next().unwrap_or("");
    let skip = before.chars().count().saturating_sub(AROUND);
    let start: String = before.chars().skip(skip).collect();
    let end: String = after.chars().take(AROUND).collect();
    let (cut, more) = (if skip > 0 { "…" } else { "" }, if after.chars().count() > AROUND { "…" } else { "" });
    format!("{cut}{}{}{end}{more}", start.trim_start(), text.get(at.clone()).unwrap_or("")).trim_end().to_owned()
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::masking::mask;

    fn masked(text: &str, names: &[String]) -> String {
        mask(text.to_owned(), names).text
    }

    #[test]
    fn finds_names_as_whole_words() {
        let finder = LeakFinder::new(["Northwind 2", "X"]);
        let check = |text: &str, found: Option<&str>| {
            assert_eq!(finder.find(1, "0", "", text).map(|t| t.name).as_deref(), found, "{text}");
        };
        check("// Generated by GitHub Copilot", Some("Copilot"));
        check("As an AI language model, I", Some("As an AI"));
        check("northwind 2 says", Some("northwind 2"));
        check("我是通义千问", Some("通义"));
        check("作为语言模型，我", Some("语言模型"));
        check("int llamaFarm = codexIndex;", None);
        check("class Has an aim", None);
        check("x", None);
        check("İİ copilot", Some("copilot"));
        // The first word identifies a family, whatever the version.
        check("// Northwind wrote this", Some("Northwind"));
        check("northwind_2", Some("northwind_2"));
        check("northwinds blow", None);
        let plain = LeakFinder::new(["Model 7", "Small-1B"]);
        assert!(plain.find(1, "0", "small model;", "").is_none(), "such words stand in any code");
    }

    #[test]
    fn reports_position_and_context() {
        let finder = LeakFinder::new([]);
        let found = finder.find(7, "12", "int a;\n  // by ChatGPT, 2023\nint b;", "").unwrap();
        assert_eq!((found.line, found.task_id.as_str(), found.code_line), (7, "12", Some(2)));
        assert_eq!(found.excerpt, "// by ChatGPT, 2023");
        assert_eq!(finder.find(7, "12", "int a;", "I am Qwen").unwrap().code_line, None);
    }

    #[test]
    fn reports_every_name_once_as_it_is_written() {
        let finder = LeakFinder::new(["Northwind"]);
        let found = finder.find(1, "0", "// As an AI (GPT-4o), not gpt-4o or Code Llama", "NORTHWIND, gpt-4o").unwrap();
        assert_eq!(found.names().collect::<Vec<_>>(), ["As an AI", "GPT-4o", "Code Llama", "NORTHWIND"]);
    }

    #[test]
    fn masks_every_name_and_nothing_else() {
        let names = LeakFinder::new(["Northwind"]).names();
        let check = |text: &str, expected: &str| assert_eq!(masked(text, &names), expected);
        check("// Copilot and COPILOT and copilots", "// MASKED and MASKED and copilots");
        check("/* 通义千问 wrote NORTHWIND's */", "/* MASKED千问 wrote MASKED's */");
        check("a\nb // code llama\nc", "a\nb // MASKED\nc");
        check("int llamaFarm;", "int llamaFarm;");
        check("", "");
        // Masked text contains no names, and masking it again changes nothing.
        let once = masked("gpt-4 gpt-4o GPT4 claude.Claude", &names);
        assert_eq!(masked(&once, &names), once);
        assert_eq!(once, "MASKED MASKED MASKED MASKED.MASKED");
        // A version is masked with its name, and nothing else is.
        check("// Qwen2.5-Coder-7B and GPT-4 Turbo", "// MASKED-Coder-7B and MASKED Turbo");
        check("// northwind-v2.1 7b, Northwind 2.", "// MASKED, MASKED.");
        check("codex 12 codex12 codex_index", "MASKED MASKED codex_index");
        check("// by llama in 3 steps", "// by MASKED in 3 steps");
    }

    /// Takes hours if each place reads all versions behind it.
    #[test]
    fn names_of_digits_and_signs_are_found_in_long_texts() {
        let finder = LeakFinder::new(["-1-1", "ſ-1K"]);
        let text = format!("a{} Copilot ſ-1\u{212a}", "-1".repeat(200_000));
        let found = finder.find(1, "0", &text, "").unwrap();
        assert_eq!(found.names().collect::<Vec<_>>(), ["Copilot", "ſ-1\u{212a}"]);
        assert!(mask(text, &finder.names()).text.ends_with("-1-1 MASKED MASKED"));
    }
}
