//! Names of models and of their makers in texts: the list of names, and where they are in a text.
//!
//! A name is found in the [`Folded`] text, so that look-alike letters and invisible characters hide none, and as a whole phrase:
//! the family with its versions, sizes and editions (`Qwen2.5-Coder-32B-Instruct`). Names that are ordinary words as well need
//! such a part, a maker or a sentence of introduction next to them. Takes time in proportion to the text: a phrase has a limited
//! length, and what is read around it, too.

use std::{cmp::Reverse, collections::HashSet, ops::Range};

use super::folded::{Folded, folded};

/// Where a name counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Everywhere, also within words: nothing else has these letters.
    Anywhere,
    /// As a word, or as a word of an identifier: `claude_helper`, `ClaudeHelper`.
    Part,
    /// As a whole word.
    Word,
    /// A name that is also an ordinary word: with a version, size or edition after it, or introduced as the author.
    Versioned,
    /// An ordinary word in any text: like `Versioned`, but with a capital letter before a version.
    Proper,
    /// A word that formulas have with numbers: with a size (`34B`) or an edition after it, or introduced as the author.
    Sized,
    /// Only introduced as the author.
    Introduced,
    /// A company: before a name, after a name and `by` or `from`, or as the one that made or trained a model.
    Maker,
}
use Kind::{Anywhere, Introduced, Maker, Part, Proper, Sized, Versioned, Word};

/// The known names, in lower case. `~` is a space, a hyphen or an underscore.
const NAMES: [(Kind, &[&str]); 8] = [
    (
        Anywhere,
        &[
            "aixcoder",
            "anthropic",
            "bytedance",
            "chatglm",
            "chatgpt",
            "codefuse",
            "codegeex",
            "codegemma",
            "codellama",
            "code~llama",
            "codeqwen",
            "codestral",
            "codet5",
            "codewhisperer",
            "deepseek",
            "devstral",
            "doubao",
            "ernie~bot",
            "github~copilot",
            "huggingchat",
            "hunyuan",
            "inclusionai",
            "internlm",
            "iflytek",
            "ministral",
            "mistralai",
            "mixtral",
            "moonshotai",
            "nemotron",
            "openai",
            "qwen",
            "nousresearch",
            "santacoder",
            "starchat",
            "starcoder",
            "stepfun",
            "tabnine",
            "tongyi",
            "wizardcoder",
            "wizardlm",
            "zhipu",
            "通义千问",
            "通义灵码",
            "通义",
            "千问",
            "文心一言",
            "文心快码",
            "文心大模型",
            "文心",
            "讯飞星火",
            "科大讯飞",
            "讯飞",
            "星火大模型",
            "星火认知",
            "智谱清言",
            "智谱",
            "智谱ai",
            "豆包",
            "混元",
            "腾讯混元",
            "腾讯元宝",
            "百川智能",
            "百川大模型",
            "百川",
            "盘古大模型",
            "盘古",
            "月之暗面",
            "深度求索",
            "书生浦语",
            "书生·浦语",
            "日日新",
            "紫东太初",
            "零一万物",
            "阶跃星辰",
            "面壁智能",
            "面壁小钢炮",
            "蚂蚁百灵",
            "昆仑万维",
            "天工ai",
            "天工大模型",
            "360智脑",
            "海螺ai",
            "语言模型",
            "大语言模型",
            "作为ai",
            "作为一个ai",
            "作为一名ai",
            "作为一款ai",
            "作为人工智能",
            "作为一个人工智能",
            "作为一名人工智能",
        ],
    ),
    (
        Part,
        &[
            "claude",
            "copilot",
            "mistral",
            "magistral",
            "baichuan",
            "kwaipilot",
            "pangu",
            "exaone",
            "yiyan",
            "qianwen",
            "lingma",
            "deepmind",
            "openhermes",
            "vicuna",
            "smollm",
            "minicpm",
            "stablelm",
            "tinyllama",
            "openchat",
            "opencoder",
            "skywork",
            "solar~pro",
            "gpt~oss",
            "seed~oss",
            "seed~coder",
            "seed~thinking",
            "yi~coder",
            "phind",
            "kimi~k2",
            "minimax~m1",
            "minimax~m2",
            "minimax~text",
            "gemini~exp",
            "glm~4",
            "glm~5",
            "dbrx",
            "gigachat",
            "autoglm",
            "internvl",
            "llava",
            "voxtral",
            "pixtral",
            "apertus",
            "aya~expanse",
            "lfm2",
            "babbage~002",
            "davinci~002",
            "text~davinci",
            "mythomax",
            "stablecode",
            "openorca",
            "openthinker",
            "palmyra",
            "titan~text",
            "titan~embed",
            "moonshot~v1",
            "snowflake~arctic",
            "medlm",
            "learnlm",
            "code~bison",
            "chat~bison",
            "text~bison",
            "kat~coder",
            "kat~dev",
            "command~a~03",
            "command~r~03",
            "command~r~08",
            "o1~2024",
            "o3~2025",
            "o4~2025",
            "o3~deep~research",
            "sonar~pro",
            "sonar~deep",
        ],
    ),
    (
        Word,
        &[
            "as an ai",
            "qwq",
            "qvq",
            "language model",
            "codex",
            "incoder",
            "cursor ai",
            "cursor composer",
            "google bard",
            "google's bard",
            "nous hermes",
            "swe-1",
            "swe 1.5",
            "ling~1t",
            "ring~1t",
            "ling-flash",
            "ling-lite",
            "ling-mini",
            "ling-plus",
            "r1~0528",
            "r1-distill",
            "v3~0324",
            "v3.1~terminus",
            "meta ai",
            "x.ai",
            "z.ai",
            "moonshot ai",
            "stability ai",
            "perplexity ai",
            "amazon q",
            "amazon~titan",
            "deep seek",
            "open ai",
            "chat gpt",
            "ai21",
            "gpt4all",
            "command~r+",
            "command~r~plus",
        ],
    ),
    (
        Versioned,
        &["gpt", "gemini", "gemma", "llama", "grok", "kimi", "ernie", "jamba", "bloomz", "pythia", "olmo", "longcat"],
    ),
    (
        Proper,
        &[
            "phi",
            "nova",
            "granite",
            "falcon",
            "opus",
            "sonnet",
            "haiku",
            "o1",
            "o3",
            "o4",
            "command~r",
            "command~a",
            "glm",
            "aya",
            "orca",
            "zephyr",
            "hermes",
            "dolly",
            "titan",
            "reka",
            "wenxin",
            "palm",
        ],
    ),
    (
        Sized,
        &["yi", "allam", "cogito", "dolphin", "jais", "bloom", "alpaca", "lfm", "arctic", "codegen", "minimax", "mimo"],
    ),
    (
        Introduced,
        &[
            "bard", "step-1", "step-2", "step-3", "moonshot", "devin", "jules", "cursor", "windsurf", "cline", "元宝",
            "天工",
        ],
    ),
    (
        Maker,
        &[
            "alibaba",
            "alibaba cloud",
            "amazon",
            "apple",
            "baidu",
            "cohere",
            "github",
            "google",
            "google deepmind",
            "google ai",
            "huawei",
            "ibm",
            "meta",
            "microsoft",
            "nvidia",
            "tencent",
            "xai",
            "salesforce",
            "xiaomi",
            "meituan",
            "阿里云",
            "阿里巴巴",
            "阿里",
            "百度",
            "腾讯",
            "字节跳动",
            "字节",
            "华为",
            "华为云",
            "商汤",
            "小米",
            "谷歌",
            "微软",
            "英伟达",
        ],
    ),
];

/// Words after a family's name that tell its editions. Those of the second list are common words: after a space they count with a
/// capital letter only.
const EDITIONS: [&[&str]; 2] = [
    &[
        "opus",
        "sonnet",
        "haiku",
        "flash",
        "turbo",
        "mini",
        "nano",
        "lite",
        "ultra",
        "instruct",
        "coder",
        "distill",
        "distilled",
        "maverick",
        "scout",
        "behemoth",
        "reasoner",
        "lightning",
        "oss",
        "pro",
        "premier",
        "speciale",
        "terminus",
        "omni",
        "vl",
        "moe",
        "gguf",
        "awq",
        "gptq",
        "preview",
        "experimental",
        "thinking",
        "instant",
        "imagine",
        "audio",
        "embed",
        "guard",
        "guardian",
        "micro",
        "multimodal",
        "nemo",
        "nightly",
        "prover",
        "realtime",
        "reasoning",
        "robotics",
        "大模型",
        "语言模型",
        "模型",
    ],
    &[
        "advanced", "air", "base", "beta", "bot", "canvas", "chat", "code", "deep", "exp", "fast", "free", "heavy",
        "hf", "high", "it", "large", "latest", "low", "math", "max", "medium", "next", "plus", "python", "small",
        "think", "cloud", "core", "light", "ocr", "research", "search", "spark", "text", "tiny", "vision",
    ],
];

/// Words that contain a name and are none, each as what is before the name, the name, and what is after it.
const OTHERS: [(&str, &str, &str); 12] = [
    ("", "claude", " shannon"),
    ("", "claude", " e. shannon"),
    ("", "claude", " elwood shannon"),
    ("", "claude", " monet"),
    ("", "claude", " debussy"),
    ("jean-", "claude", ""),
    ("海纳", "百川", ""),
    ("", "百川", "归海"),
    ("", "文心", "雕龙"),
    ("", "盘古", "开天"),
    ("", "混元", "一气"),
    ("", "豆包", "子"),
];

/// What is before a name, apart from spaces and quotation marks, where a text says who wrote it.
const INTRODUCTIONS: [&str; 39] = [
    "i am",
    "i'm",
    "im",
    "my name is",
    "generated by",
    "written by",
    "created by",
    "produced by",
    "made by",
    "coded by",
    "implemented by",
    "authored by",
    "completed by",
    "provided by",
    "powered by",
    "solved by",
    "solution by",
    "solution from",
    "code by",
    "code from",
    "answer by",
    "answer from",
    "response by",
    "response from",
    "output by",
    "output from",
    "courtesy of",
    "helped by",
    "help of",
    "model:",
    "author:",
    "assistant:",
    "@author",
    "我是",
    "我叫",
    "作为",
    "模型：",
    "作者：",
    "模型:",
];

/// What is after a name where a text says who wrote it.
const CONTINUATIONS: [&str; 10] =
    [", an ai", ", a large", " is an ai", " (an ai", ", your ai", "，我", "生成", "编写", "大模型", "语言模型"];

/// What is before a maker who made or trained a model.
const MADE_BY: [&str; 8] =
    ["trained by ", "model by ", "model from ", "ai by ", "ai from ", "llm by ", "llm from ", "assistant from "];

/// The same, in a line that speaks of a model.
const MAYBE_MADE_BY: [&str; 7] =
    ["developed by ", "created by ", "made by ", "built by ", "designed by ", "released by ", "assistant by "];

/// What is between a name and its maker.
const BY: [&str; 7] = [" by ", " from ", ", by ", ", from ", " (by ", " (from ", " ("];

/// Most parts of a phrase after its family.
const MOST_PARTS: usize = 10;
/// Most bytes of a word of a phrase.
const LONGEST_PART: usize = 16;
/// Bytes that are read before and after an ordinary word.
const AROUND: usize = 120;

/// First words of models' names that occur in any code and so identify no model.
const COMMON: [&str; 18] = [
    "assistant",
    "baseline",
    "candidate",
    "coder",
    "command",
    "default",
    "falcon",
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

/// Names to find.
pub struct ModelNames {
    names: Vec<(String, Kind)>,
    /// Of each first byte, the names that begin with it, longest first.
    by_byte: Vec<Vec<usize>>,
    /// The first two bytes of names, as bits: almost every place of a text has others.
    beginnings: Vec<u64>,
}

/// The names that are masked without anything around them: those of the list, and of the models `known`, with the family that
/// begins a name (`northwind` of `Northwind 2`).
pub fn telling<'a>(known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let listed = NAMES.iter().filter(|(kind, _)| matches!(kind, Anywhere | Part | Word));
    let mut names: Vec<String> =
        listed.flat_map(|(_, names)| names.iter().map(|name| name.replace('~', " "))).collect();
    let mut have: HashSet<String> = names.iter().cloned().collect();
    for name in known {
        let name = name.trim().to_lowercase();
        let family: String = name.chars().take_while(|c| c.is_alphabetic()).collect();
        let tells = family.chars().count() >= 5 && !COMMON.contains(&family.as_str());
        for name in [Some(name), tells.then_some(family)].into_iter().flatten() {
            if name.chars().count() >= 4 && have.insert(name.clone()) {
                names.push(name);
            }
        }
    }
    names
}

impl ModelNames {
    /// The list, and these names in lower case, such as those that [`telling`] returned earlier.
    pub fn new(others: &[String]) -> ModelNames {
        let listed = NAMES.iter().flat_map(|(kind, names)| names.iter().map(|name| ((*name).to_owned(), *kind)));
        let mut names: Vec<(String, Kind)> = listed.collect();
        let mut have: HashSet<String> = names
            .iter()
            .filter(|(_, kind)| matches!(kind, Anywhere | Part | Word))
            .map(|(name, _)| name.replace('~', " "))
            .collect();
        for name in others {
            let name = folded(name);
            if !name.is_empty() && have.insert(name.clone()) {
                names.push(of_installation(name));
            }
        }
        names.sort_by_key(|(name, _)| Reverse(name.len()));
        let (mut by_byte, mut beginnings) = (vec![Vec::new(); 256], vec![0; 1024]);
        for (at, (name, _)) in names.iter().enumerate() {
            let mut bytes = name.bytes();
            let Some(first) = bytes.next() else { continue };
            if let Some(of_byte) = by_byte.get_mut(usize::from(first)) {
                of_byte.push(at);
            }
            let seconds = match bytes.next() {
                Some(b'~') => vec![b' ', b'-', b'_'],
                Some(second) => vec![second],
                None => (0..=u8::MAX).collect(),
            };
            for second in seconds {
                let (word, bit) = bit(first, second);
                if let Some(bits) = beginnings.get_mut(word) {
                    *bits |= bit;
                }
            }
        }
        ModelNames { names, by_byte, beginnings }
    }

    /// Where names are in a text, in order and apart from each other.
    pub fn find(&self, text: &str) -> Vec<Range<usize>> {
        let folded = Folded::of(text);
        let reading = Reading { names: self, folded: &folded, text: folded.text() };
        let mut found: Vec<Range<usize>> = Vec::new();
        let mut at = 0;
        while at < reading.text.len() {
            let Some(end) = reading.phrase(at, found.last()) else {
                at += 1;
                continue;
            };
            match found.last_mut().filter(|last| last.end == at) {
                // Two names without anything between them.
                Some(last) => last.end = end,
                None => found.push(at..end),
            }
            at = end;
        }
        found.iter().map(|range| folded.original(range)).collect()
    }

    /// The names that may begin this text, longest first.
    fn beginning<'n>(&'n self, text: &[u8]) -> impl Iterator<Item = (&'n str, Kind)> + use<'n> {
        let (first, second) = (text.first().copied().unwrap_or(0), text.get(1).copied().unwrap_or(0));
        let (word, bit) = bit(first, second);
        let may = self.beginnings.get(word).is_some_and(|bits| bits & bit != 0);
        let of_byte = self.by_byte.get(usize::from(first)).filter(|_| may).map_or(&[][..], Vec::as_slice);
        of_byte.iter().filter_map(|at| self.names.get(*at)).map(|(name, kind)| (name.as_str(), *kind))
    }
}

/// The place of two bytes among the beginnings of names.
fn bit(first: u8, second: u8) -> (usize, u64) {
    (usize::from(first) * 4 + usize::from(second / 64), 1 << (second % 64))
}

/// A name of this installation. Names that begin with a common word are words, exactly as they are.
fn of_installation(name: String) -> (String, Kind) {
    if !name.is_ascii() {
        return (name, Anywhere);
    }
    let family: String = name.chars().take_while(char::is_ascii_alphabetic).collect();
    if COMMON.contains(&family.as_str()) {
        return (name, Word);
    }
    let inside = |at: usize| at > 0 && at + 1 < name.len();
    let between = |at: usize, c: char| if inside(at) && matches!(c, ' ' | '-' | '_') { '~' } else { c };
    let flexible = name.char_indices().map(|(at, c)| between(at, c)).collect();
    (flexible, if family.len() >= 5 && family != "codex" { Part } else { Word })
}

/// What follows a family's name.
#[derive(Clone, Copy, Debug, Default)]
struct After {
    /// A version like those of models (`4`, `4.5`, `4o`), not just any number.
    version: bool,
    /// A size: `32B`, `8x7B`.
    size: bool,
    /// An edition that is no common word.
    edition: bool,
    /// A common word joined with a hyphen.
    hyphenated: bool,
    /// The edition is written with a capital letter or joined with a hyphen.
    proper: bool,
}

/// Part of a phrase.
enum Piece {
    Version { usual: bool },
    Size,
    Edition { common: bool },
    Name,
}

/// A text in which names are found.
struct Reading<'n> {
    names: &'n ModelNames,
    folded: &'n Folded<'n>,
    text: &'n str,
}

impl Reading<'_> {
    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn bytes(&self, at: usize) -> &[u8] {
        self.text.as_bytes().get(at..).unwrap_or_default()
    }

    fn from(&self, at: usize) -> &str {
        self.text.get(at..).unwrap_or_default()
    }

    /// At most [`AROUND`] bytes of the line before this byte.
    fn before(&self, at: usize) -> &str {
        let mut from = at.saturating_sub(AROUND);
        while !self.text.is_char_boundary(from) {
            from += 1;
        }
        let before = self.text.get(from..at).unwrap_or_default();
        before.rsplit('\n').next().unwrap_or_default()
    }

    /// The end of the phrase that begins here and counts. `last` is the name before it.
    fn phrase(&self, at: usize, last: Option<&Range<usize>>) -> Option<usize> {
        let candidates = self.names.beginning(self.bytes(at));
        candidates.filter_map(|(name, kind)| Some((self.spelled(name, at)?, kind))).find_map(|(end, kind)| {
            if self.is_other(at, end) {
                return None;
            }
            match kind {
                Maker => self.maker(at, end, last),
                _ => self.name(at, end, kind, self.follows_name(at, end, last)),
            }
        })
    }

    /// Whether an ordinary word is part of the name before it: `OpenAI o3`.
    fn follows_name(&self, at: usize, end: usize, last: Option<&Range<usize>>) -> bool {
        let joined = last
            .and_then(|last| self.text.get(last.end..at))
            .is_some_and(|gap| matches!(gap, " " | "  " | " (" | " - " | "/" | "'s "));
        joined && (self.folded.is_capital(at) || self.ends_with_digit(end))
    }

    /// The end of a name if it is spelled here.
    fn spelled(&self, name: &str, at: usize) -> Option<usize> {
        let text = self.text.as_bytes().get(at..at + name.len())?;
        let equal = |(wanted, found): (u8, &u8)| match wanted {
            b'~' => matches!(found, b' ' | b'-' | b'_'),
            wanted => wanted == *found,
        };
        name.bytes().zip(text).all(equal).then_some(at + name.len())
    }

    fn is_other(&self, at: usize, end: usize) -> bool {
        let name = self.text.get(at..end).unwrap_or_default();
        OTHERS.iter().any(|(before, other, after)| {
            *other == name && self.before(at).ends_with(before) && self.from(end).starts_with(after)
        })
    }

    /// The end of the phrase of a name at these bytes, if it counts. `attributed`: a maker is before it.
    fn name(&self, at: usize, end: usize, kind: Kind, attributed: bool) -> Option<usize> {
        let (whole, after) = self.whole(at, end, kind)?;
        let capital = self.folded.is_capital(at);
        let introduced = || {
            attributed
                || (kind == Versioned || capital || self.ends_with_digit(end)) && self.is_introduced(at, whole)
                || self.is_by_maker(whole)
                || kind == Versioned && capital && self.is_called_model(whole)
        };
        let counts = match kind {
            Anywhere | Part | Word => true,
            Versioned => after.version || after.size || after.edition || after.hyphenated || introduced(),
            Proper => {
                after.version && (capital || after.hyphenated) && !self.ends_with_digit(end)
                    || after.size
                    || after.edition && (after.proper || capital)
                    || introduced()
            }
            Sized => after.size || after.edition && after.proper || introduced(),
            Introduced => introduced(),
            Maker => false,
        };
        counts.then_some(whole)
    }

    fn ends_with_digit(&self, end: usize) -> bool {
        end.checked_sub(1).and_then(|last| self.byte(last)).is_some_and(|b| b.is_ascii_digit())
    }

    /// The end of the longest phrase whose bounds are those of a name of this kind, and what follows the family in it.
    fn whole(&self, at: usize, end: usize, kind: Kind) -> Option<(usize, After)> {
        let chinese = !self.text.get(at..end)?.is_ascii();
        let begins = match kind {
            Anywhere => true,
            _ if chinese => true,
            Part | Versioned => self.begins_part(at),
            _ => !self.ends_in_word(at),
        };
        if !begins {
            return None;
        }
        let ends = |end: usize| match kind {
            Anywhere => true,
            _ if chinese => true,
            Part | Versioned => self.ends_part(end),
            _ => !self.from(end).starts_with(is_word),
        };
        // The `o` of `gpt-4o`, where `gpt-4` is the name.
        let letters = self.from(end).bytes().take_while(u8::is_ascii_alphabetic).take(3).count();
        let mut from =
            if self.ends_with_digit(end) && letters <= 2 && !self.is_camel(end) { end + letters } else { end };
        let (mut whole, mut after) = (None, After::default());
        if let Some(first) = [from, end].into_iter().find(|end| ends(*end)) {
            whole = Some((first, after));
        }
        let mut hyphens = false;
        for _ in 0..MOST_PARTS {
            let separator = self.byte(from);
            let any_word = || if hyphens { self.hyphenated_word(from) } else { None };
            let Some((next, piece)) = self.piece(from).or_else(any_word) else { break };
            hyphens |= separator == Some(b'-');
            match piece {
                Piece::Version { usual } => after.version |= usual,
                Piece::Size => after.size = true,
                // `phi_mini` is a variable.
                Piece::Edition { common: false } if kind != Proper || separator != Some(b'_') => {
                    after.edition = true;
                    let first = from + usize::from(!separator.is_some_and(|b| b.is_ascii_alphanumeric()));
                    after.proper |= separator == Some(b'-') || self.folded.is_capital(first);
                }
                Piece::Edition { .. } => after.hyphenated |= separator == Some(b'-'),
                Piece::Name => {}
            }
            if ends(next) {
                whole = Some((next, after));
            }
            from = next;
        }
        whole
    }

    /// A word joined with a hyphen, which belongs to a name that already has such a part: `gpt-4o-search-preview`.
    fn hyphenated_word(&self, from: usize) -> Option<(usize, Piece)> {
        let word = self.from(from).strip_prefix('-')?;
        let length = word.bytes().take_while(u8::is_ascii_alphanumeric).take(LONGEST_PART + 1).count();
        let fits = word.starts_with(|c: char| c.is_ascii_alphabetic()) && length <= LONGEST_PART;
        fits.then_some((from + 1 + length, Piece::Name))
    }

    /// The part of a phrase that begins here, with what joins it to the part before, and its end.
    fn piece(&self, from: usize) -> Option<(usize, Piece)> {
        let joint = self.byte(from)?;
        let (at, joint) = match joint {
            b'-' | b'_' | b' ' | b'.' | b':' | b'@' => (from + 1, Some(joint)),
            _ => (from, None),
        };
        if let Some((end, size, usual)) = self.version(at) {
            let fits = match joint {
                Some(b'.' | b'@') => self.byte(at)?.is_ascii_digit(),
                Some(b':') => size,
                _ => true,
            };
            return fits.then_some((end, if size { Piece::Size } else { Piece::Version { usual } }));
        }
        if matches!(joint, Some(b'.' | b'@' | b':')) {
            return None;
        }
        for (list, common) in EDITIONS.iter().zip([false, true]) {
            let fits = |word: &&&str| {
                let end = at + word.len();
                self.from(at).starts_with(**word)
                    && (self.ends_part(end) || self.byte(end).is_some_and(|b| b.is_ascii_digit()))
                    && (!common || joint != Some(b' ') || self.folded.is_capital(at))
                    && (word.len() > 2 || joint == Some(b'-') || self.folded.is_capital(at))
            };
            if let Some(word) = list.iter().find(fits) {
                return Some((at + word.len(), Piece::Edition { common }));
            }
        }
        let (joint, capital) = (joint?, self.folded.is_capital(at));
        let fits = |kind: Kind| match kind {
            Anywhere | Part | Word => joint != b' ',
            Maker => false,
            _ => joint == b'-' || joint == b'_' && capital,
        };
        let names = self.names.beginning(self.bytes(at));
        let name = names.filter(|(_, kind)| fits(*kind)).find_map(|(name, _)| self.spelled(name, at))?;
        (self.ends_part(name) || self.byte(name).is_some_and(|b| b.is_ascii_digit())).then_some((name, Piece::Name))
    }

    /// The end of a version or size here, whether it is a size, and whether it is one that models usually have.
    fn version(&self, at: usize) -> Option<(usize, bool, bool)> {
        let mut bytes = self.text.as_bytes().get(at..)?;
        bytes = bytes.get(..LONGEST_PART).unwrap_or(bytes);
        let digits = |at: usize| bytes.iter().skip(at).take_while(|b| b.is_ascii_digit()).count();
        let letters = |at: usize| bytes.iter().skip(at).take_while(|b| b.is_ascii_alphabetic()).count();
        let prefix = match letters(0) {
            0 => 0,
            1 if bytes.first().is_some_and(|b| b"vrkmaoxetshq".contains(b)) => 1,
            2 if bytes.starts_with(b"fp") || bytes.starts_with(b"bf") => 2,
            3 if bytes.starts_with(b"int") => 3,
            _ => return None,
        };
        let first = digits(prefix);
        if first == 0 {
            return None;
        }
        let mut end = prefix + first;
        let mut usual = first == 1;
        // `4.5`, `8x7`, `2p5`.
        while matches!(bytes.get(end), Some(b'.' | b'x' | b'p')) && digits(end + 1) > 0 {
            usual = true;
            end += 1 + digits(end + 1);
        }
        // Letters of a version: `4o`, `32B`. Longer words are editions: `3coder`.
        let after = letters(end);
        let size = after == 1 && bytes.get(end) == Some(&b'b') && first <= 4;
        if (1..=2).contains(&after) && bytes.get(end + after).is_none_or(|b| !b.is_ascii_digit()) {
            end += after;
        }
        Some((at + end, size, usual))
    }

    /// Whether a word or a word of an identifier begins here.
    fn begins_part(&self, at: usize) -> bool {
        let before = self.before(at).chars().next_back();
        before.is_none_or(|c| !is_word(c) || matches!(c, '_' | '$')) || self.is_camel(at)
    }

    /// Whether a word or a word of an identifier ends here.
    fn ends_part(&self, at: usize) -> bool {
        let after = self.from(at).chars().next();
        after.is_none_or(|c| !is_word(c) || matches!(c, '_' | '$')) || self.is_camel(at)
    }

    /// Whether a capital letter begins a word of an identifier here: `useGPT`, `GPTHelper`.
    fn is_camel(&self, at: usize) -> bool {
        let letter = |at: usize| self.byte(at).is_some_and(|b| b.is_ascii_alphanumeric());
        let small = |at: usize| letter(at) && !self.folded.is_capital(at);
        let Some(before) = at.checked_sub(1) else { return false };
        letter(before) && letter(at) && self.folded.is_capital(at) && (small(before) || small(at + 1))
    }

    /// Whether the character before this byte belongs to a word.
    fn ends_in_word(&self, at: usize) -> bool {
        self.before(at).ends_with(is_word)
    }

    /// Whether a text says that its author has the name at these bytes.
    fn is_introduced(&self, at: usize, end: usize) -> bool {
        let marks: &[char] = &[' ', '\t', '"', '\'', '`', '*', '_', '(', '「', '《', '【'];
        let before = self.before(at).trim_end_matches(marks);
        let says = |words: &&str| {
            before.strip_suffix(*words).is_some_and(|rest| !words.is_ascii() || !rest.ends_with(is_word))
        };
        let alone = before.trim_start_matches([' ', '\t', '/', '*', '#', '-', ';', '<', '!', '"', '\'']);
        let after = self.from(end);
        let after = after.trim_start_matches(['"', '\'', '`', '*', '」', '》', '】']);
        INTRODUCTIONS.iter().any(says)
            || alone == "by"
            || after.starts_with(',')
                && before.strip_suffix("as").is_some_and(|rest| {
                    let rest = rest.trim_end_matches([' ', '/', '*', '#', '-']);
                    rest.is_empty() || rest.ends_with(['.', '!', ',', ':', '?'])
                })
            || alone.is_empty() && (after.starts_with(" here") || after.starts_with(" wrote"))
            || CONTINUATIONS.iter().any(|words| after.starts_with(words))
    }

    /// Whether a maker follows a name.
    fn is_by_maker(&self, end: usize) -> bool {
        let by = BY.iter().find(|by| self.from(end).starts_with(**by));
        by.is_some_and(|by| self.maker_at(end + by.len()).is_some())
    }

    /// Whether a word for a model follows a name.
    fn is_called_model(&self, end: usize) -> bool {
        let is_next = |word: &&str| self.from(end).starts_with(*word) && self.ends_part(end + word.len());
        [" model", " models", " llm", " ai"].iter().any(is_next)
    }

    /// The end of a maker's name here.
    fn maker_at(&self, at: usize) -> Option<usize> {
        let makers = self.names.beginning(self.bytes(at));
        let ends = makers.filter(|(_, kind)| *kind == Maker).filter_map(|(name, _)| self.spelled(name, at));
        ends.filter(|end| self.is_maker(at, *end)).max()
    }

    /// Whether a maker's name at these bytes is a word of its own, not of a package like `com.google.common` or an address.
    fn is_maker(&self, at: usize, end: usize) -> bool {
        if !self.text.get(at..end).is_some_and(str::is_ascii) {
            return true;
        }
        let dotted = self.byte(end) == Some(b'.') && self.byte(end + 1).is_some_and(|b| b.is_ascii_alphanumeric());
        !self.ends_in_word(at) && !self.before(at).ends_with('.') && !self.from(end).starts_with(is_word) && !dotted
    }

    /// The end of the phrase that a maker begins, if it counts.
    fn maker(&self, at: usize, end: usize, last: Option<&Range<usize>>) -> Option<usize> {
        if !self.is_maker(at, end) {
            return None;
        }
        let joints = ["'s own ", "'s ", " ", "-", "_", "/", "的", ""];
        let joint = joints.iter().find(|joint| self.from(end).starts_with(**joint)).map_or(0, |joint| joint.len());
        let name_at = end + joint;
        let names = self.names.beginning(self.bytes(name_at)).filter(|(_, kind)| !matches!(kind, Maker | Introduced));
        let spelled = |(name, kind)| Some((self.spelled(name, name_at)?, kind));
        let capital = self.folded.is_capital(name_at) || self.from(end).starts_with(['-', '/']);
        let named = names.filter_map(spelled).find_map(|(end, kind)| self.name(name_at, end, kind, capital));
        if named.is_some() {
            return named;
        }
        let before = self.before(at);
        let made = MADE_BY.iter().any(|by| before.ends_with(by))
            || last.is_some_and(|last| self.text.get(last.end..at).is_some_and(|gap| BY.contains(&gap)))
            || self.speaks_of_models(at)
                && (MAYBE_MADE_BY.iter().any(|by| before.ends_with(by)) || self.is_chinese_maker(at, end));
        made.then_some(end)
    }

    /// Whether a Chinese sentence says that the maker at these bytes made something: `由阿里云开发`.
    fn is_chinese_maker(&self, at: usize, end: usize) -> bool {
        let after = self.from(end);
        let after = ["公司", "集团", "团队"].iter().find_map(|word| after.strip_prefix(word)).unwrap_or(after);
        ["由", "来自", "是"].iter().any(|by| self.before(at).ends_with(by))
            && ["开发", "训练", "研发", "推出", "打造", "自研", "提供", "创建", "的"]
                .iter()
                .any(|word| after.starts_with(word))
    }

    /// Whether the line speaks of a model near this byte.
    fn speaks_of_models(&self, at: usize) -> bool {
        let mut to = (at + AROUND).min(self.text.len());
        while !self.text.is_char_boundary(to) {
            to -= 1;
        }
        let after = self.text.get(at..to).unwrap_or_default();
        let after = after.split('\n').next().unwrap_or_default();
        let words = ["i am", "i'm", " ai", "assistant", "model", "llm", "模型", "助手"];
        [self.before(at), after].iter().any(|part| words.iter().any(|word| part.contains(word)))
    }
}

/// Whether a character belongs to a word. Chinese has no spaces between words.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$' || c < '\u{590}' && c.is_alphabetic()
}

#[cfg(test)]
#[path = "model_names_test.rs"]
mod tests;
