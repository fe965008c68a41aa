//! A text as a reader sees it: in lower case, without invisible characters, and with plain letters, hyphens and spaces in place of
//! those that look like them. Each place in it leads back to the original.

use std::{borrow::Cow, collections::HashMap, ops::Range, sync::LazyLock};

/// A folded text.
pub struct Folded<'t> {
    original: &'t str,
    text: Cow<'t, str>,
    /// Where the distance between a byte of the folded text and its byte of the original changes: both bytes.
    shifts: Vec<(usize, usize)>,
}

impl Folded<'_> {
    pub fn of(original: &str) -> Folded<'_> {
        if original.is_ascii() {
            return Folded { original, text: original.to_ascii_lowercase().into(), shifts: Vec::new() };
        }
        let (mut text, mut shifts) = (String::with_capacity(original.len()), Vec::new());
        let mut expected = 0;
        for (at, c) in original.char_indices() {
            let Some(plain) = fold(c) else { continue };
            if at != expected {
                shifts.push((text.len(), at));
            }
            text.push(plain);
            expected = at + plain.len_utf8();
        }
        Folded { original, text: text.into(), shifts }
    }

    /// The folded text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The byte of the original at which the character begins that begins at this byte.
    fn start(&self, at: usize) -> usize {
        let before = self.shifts.partition_point(|(folded, _)| *folded <= at);
        let last = before.checked_sub(1).and_then(|last| self.shifts.get(last));
        last.map_or(at, |(folded, original)| original + (at - folded))
    }

    /// The bytes of the original for these bytes, which are not empty and begin and end between characters.
    pub fn original(&self, range: &Range<usize>) -> Range<usize> {
        let last = self.text.get(..range.end).and_then(|text| text.char_indices().next_back()).map_or(0, |(at, _)| at);
        let last = self.start(last);
        let length = self.original.get(last..).and_then(|text| text.chars().next()).map_or(0, char::len_utf8);
        self.start(range.start)..last + length
    }

    /// Whether the original has a capital letter here.
    pub fn is_capital(&self, at: usize) -> bool {
        self.original.get(self.start(at)..).is_some_and(|text| text.starts_with(char::is_uppercase))
    }
}

/// A name as it is in folded texts.
pub fn folded(name: &str) -> String {
    name.chars().filter_map(fold).collect()
}

/// The character that a reader sees, in lower case; `None` for an invisible one.
fn fold(c: char) -> Option<char> {
    if c.is_ascii() {
        return Some(c.to_ascii_lowercase());
    }
    if is_invisible(c) {
        return None;
    }
    let c = plain(c);
    let lower = c.to_lowercase().next().unwrap_or(c);
    Some(LOOK_ALIKES.get(&c).or_else(|| LOOK_ALIKES.get(&lower)).copied().unwrap_or(lower))
}

/// Soft hyphens, characters without width, marks above letters, and signs that choose a direction or a form.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{300}'..='\u{36f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// The character of which this is a typographic form.
fn plain(c: char) -> char {
    let code = u32::from(c);
    let letter = |from: char, place: u32| char::from_u32(u32::from(from) + place).unwrap_or(c);
    match c {
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        '\u{2010}'..='\u{2015}' | '\u{2043}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{2d7}' => '-',
        '‘' | '’' | 'ʼ' | 'ʹ' | '′' => '\'',
        '“' | '”' | '„' => '"',
        '\u{ff01}'..='\u{ff5e}' => letter('!', code - 0xff01),
        'Ⓐ'..='Ⓩ' => letter('a', code - 0x24b6),
        'ⓐ'..='ⓩ' => letter('a', code - 0x24d0),
        '\u{1f130}'..='\u{1f149}' => letter('a', code - 0x1f130),
        '\u{1f150}'..='\u{1f169}' => letter('a', code - 0x1f150),
        '\u{1f170}'..='\u{1f189}' => letter('a', code - 0x1f170),
        // Bold, italic, script and other letters of mathematics: 13 alphabets of capital and small letters.
        '\u{1d400}'..='\u{1d6a3}' => letter('a', (code - 0x1d400) % 26),
        '\u{1d7ce}'..='\u{1d7ff}' => letter('0', (code - 0x1d7ce) % 10),
        '⁰' => '0',
        '¹' => '1',
        '²' => '2',
        '³' => '3',
        '⁴'..='⁹' => letter('4', code - 0x2074),
        '₀'..='₉' => letter('0', code - 0x2080),
        _ => c,
    }
}

/// Letters of other alphabets, and forms of Latin ones, that look like these letters.
static LOOK_ALIKES: LazyLock<HashMap<char, char>> = LazyLock::new(|| {
    let letters = [
        ('a', "аАαΑɑᴀ"),
        ('b', "ВΒЬʙℬ"),
        ('c', "сСϲᴄℂℭ"),
        ('d', "ԁᴅ"),
        ('e', "еЕεΕєᴇℯℰ"),
        ('f', "ϝꜰℱ"),
        ('g', "ɡɢℊԍԌ"),
        ('h', "НΗһҺʜℋℌℍℎ"),
        ('i', "іІιΙıɪℐℑӀӏ"),
        ('j', "јЈϳᴊ"),
        ('k', "кКκΚᴋ"),
        ('l', "ʟℒℓ"),
        ('m', "мМΜᴍℳ"),
        ('n', "Νηпɴℕ"),
        ('o', "оОοΟσօᴏℴ"),
        ('p', "рРρΡᴘℙ"),
        ('q', "ԛԚզℚ"),
        ('r', "ʀгℛℜℝ"),
        ('s', "ѕЅſꜱ"),
        ('t', "тТτΤᴛ"),
        ('u', "υսᴜ"),
        ('v', "νѵѴᴠ"),
        ('w', "ԝԜωᴡ"),
        ('x', "хХχΧ"),
        ('y', "уУγΥүҮʏ"),
        ('z', "ΖᴢℤℨᏃ"),
    ];
    letters.into_iter().flat_map(|(plain, alike)| alike.chars().map(move |c| (c, plain))).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_what_looks_alike() {
        let check = |text: &str, expected: &str| assert_eq!(Folded::of(text).text(), expected, "{text}");
        check("GPT‑4o − x", "gpt-4o - x");
        check("Chat\u{200b}GPT, Open\u{ad}AI\u{feff}", "chatgpt, openai");
        check("ＧＰＴ－４　ｏ", "gpt-4 o");
        check("\u{421}laude Сlаudе ϹΑ", "claude claude ca");
        check("𝗖𝗹𝗮𝘂𝗱𝗲 𝒢𝓅𝓉 𝟒 Ⓠⓦⓔⓝ", "claude gpt 4 qwen");
        check("I’m İ K", "i'm i k");
        check("通义千问 é", "通义千问 é");
    }

    #[test]
    fn places_lead_back() {
        for text in ["a\u{200b}b", "通\u{ad}义", "ＧＰ\u{200d}Ｔ-4", "plain", "é\u{301}x𝗖", "\u{feff}Сlaude"]
        {
            let folded = Folded::of(text);
            let mut from = 0;
            for (at, c) in folded.text().char_indices() {
                let range = folded.original(&(at..at + c.len_utf8()));
                let original = &text[range.clone()];
                assert_eq!(original.chars().filter_map(fold).collect::<String>(), c.to_string(), "{text}");
                assert!(range.start >= from, "{text}");
                from = range.end;
            }
            let whole = folded.original(&(0..folded.text().len()));
            assert_eq!(super::folded(&text[whole]), folded.text());
        }
    }
}
