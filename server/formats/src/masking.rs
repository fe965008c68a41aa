//! Masking of names in the code that raters see, and conversion of positions between the masked and the
//! original code.
//!
//! Raters' notes refer to the masked code; the database and everybody else use positions in the original. A
//! mask's length differs from the name's, so columns after it differ.

use std::ops::Range;

use model::note::{LineNote, NOTE_MAX, Position};

use super::model_names::ModelNames;

/// The mask: a neutral word that is a valid name in every language, so that formatting does not change.
pub const MASK: &str = "MASKED";

/// A text with masked names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Masked {
    /// The text that raters see.
    pub text: String,
    original: String,
    /// The masked ranges, in order.
    spans: Vec<Span>,
}

/// One mask: the byte ranges of the name and of its mask.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Span {
    name: Range<usize>,
    mask: Range<usize>,
}

/// Masks every name of a model in `text`: those that [`ModelNames`] lists, and `names`. Takes time in proportion to the text.
pub fn mask(text: String, names: &[String]) -> Masked {
    let found = ModelNames::new(names).find(&text);
    let mut masked = Masked { text: String::with_capacity(text.len()), original: text, spans: Vec::new() };
    let mut copied = 0;
    for name in found {
        masked.text.push_str(masked.original.get(copied..name.start).unwrap_or_default());
        copied = name.end;
        let start = masked.text.len();
        masked.text.push_str(MASK);
        masked.spans.push(Span { name, mask: start..masked.text.len() });
    }
    masked.text.push_str(masked.original.get(copied..).unwrap_or_default());
    masked
}

impl Masked {
    /// The byte of the original for a byte of the masked text. Within a mask: the start of the name.
    fn unmasked(&self, at: usize) -> usize {
        let before = self.spans.partition_point(|span| span.mask.start <= at);
        match before.checked_sub(1).and_then(|last| self.spans.get(last)) {
            None => at,
            Some(span) if at >= span.mask.end => span.name.end + (at - span.mask.end),
            Some(span) => span.name.start,
        }
    }

    /// The byte of the masked text for a byte of the original. Within a name: the start of its mask.
    fn masked(&self, at: usize) -> usize {
        let before = self.spans.partition_point(|span| span.name.start <= at);
        match before.checked_sub(1).and_then(|last| self.spans.get(last)) {
            None => at,
            Some(span) if at >= span.name.end => span.mask.end + (at - span.name.end),
            Some(span) => span.mask.start,
        }
    }

    /// Converts notes on the masked text to notes on the original. Several on one mask become one.
    pub fn to_original(&self, notes: Vec<LineNote>) -> Vec<LineNote> {
        self.moved(notes, &self.text, &self.original, |at| self.unmasked(at))
    }

    /// Converts notes on the original to notes on the masked text. Several on one name become one.
    pub fn to_masked(&self, notes: Vec<LineNote>) -> Vec<LineNote> {
        self.moved(notes, &self.original, &self.text, |at| self.masked(at))
    }

    fn moved(&self, notes: Vec<LineNote>, from: &str, to: &str, byte: impl Fn(usize) -> usize) -> Vec<LineNote> {
        if self.spans.is_empty() {
            return notes;
        }
        let mut moved: Vec<LineNote> = Vec::with_capacity(notes.len());
        for note in notes {
            let at = offset(from, note.at).and_then(|(at, beyond)| place(to, byte(at), beyond)).unwrap_or(note.at);
            match moved.iter_mut().find(|other| other.at == at) {
                Some(other) => {
                    let both = format!("{} {}", other.text, note.text);
                    other.text = both.chars().take(NOTE_MAX).collect();
                }
                None => moved.push(LineNote { at, text: note.text }),
            }
        }
        moved.sort_unstable();
        moved
    }
}

/// The byte at a position, and by how many columns the position lies beyond the end of its line.
fn offset(text: &str, at: Position) -> Option<(usize, usize)> {
    let (line, column) =
        (usize::try_from(at.line).ok()?.checked_sub(1)?, usize::try_from(at.column).ok()?.checked_sub(1)?);
    let start: usize = text.split('\n').take(line).map(|line| line.len() + 1).sum();
    let line = text.split('\n').nth(line)?;
    Some(match line.char_indices().nth(column) {
        Some((byte, _)) => (start + byte, 0),
        None => (start + line.len(), column - line.chars().count()),
    })
}

/// The position this many columns to the right of a byte.
fn place(text: &str, at: usize, beyond: usize) -> Option<Position> {
    let before = text.get(..at)?;
    let line = before.rsplit('\n').next().unwrap_or(before);
    let column = line.chars().count() + beyond + 1;
    Some(Position { line: u32::try_from(before.matches('\n').count() + 1).ok()?, column: u32::try_from(column).ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity_leaks::LeakFinder;

    fn note(line: u32, column: u32, text: &str) -> LineNote {
        LineNote { at: Position { line, column }, text: text.into() }
    }

    #[test]
    fn positions_after_a_mask_map_to_the_original() {
        let names = LeakFinder::new(["Northwind"]).names();
        let check = |text: &str, marked: char| {
            let masked = mask(text.to_owned(), &names);
            let column = |text: &str| u32::try_from(text.chars().position(|c| c == marked).unwrap() + 1).unwrap();
            let (read, given) = (note(1, column(&masked.text), "x"), note(1, column(text), "x"));
            assert_eq!(masked.to_original(vec![read.clone()]), vec![given.clone()], "{text}");
            assert_eq!(masked.to_masked(vec![given]), [read], "{text}");
        };
        check("int a; /* Northwind */ int §b;", '§');
        check("/* by gpt-4o and 通义 */ int §b; // qwen", '§');
        check("/* GPT-4 7b codex12 */ f(); § /* llama */", '§');
        check("int §a; // copilot", '§');
        check("nothing to mask §", '§');
    }

    #[test]
    fn notes_on_one_mask_become_one_and_lines_stay() {
        let names = LeakFinder::new([]).names();
        let masked = mask("a\n// gpt-4 x\nb".into(), &names);
        assert_eq!(masked.text, "a\n// MASKED x\nb");
        let notes =
            vec![note(2, 4, "one"), note(2, 6, "two"), note(2, 10, "behind"), note(3, 1, "b"), note(3, 9, "end")];
        let stored = vec![note(2, 4, "one two"), note(2, 9, "behind"), note(3, 1, "b"), note(3, 9, "end")];
        assert_eq!(masked.to_original(notes), stored);
        assert_eq!(masked.to_masked(stored.clone())[0], note(2, 4, "one two"));
        assert_eq!(masked.to_original(masked.to_masked(stored.clone())), stored);
    }

    #[test]
    fn spans_lead_back() {
        use rand::{Rng, SeedableRng};
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(7);
        let names = LeakFinder::new(["Northwind 2", "GPT-4 mini"]).names();
        let parts = [
            "gpt-4",
            " mini",
            "GPT4",
            "通义",
            "llama",
            "-3b",
            " 7",
            " ",
            "\n",
            "x",
            "Northwind",
            " 2",
            "MASKED",
            "É",
            "\u{200b}",
            "\u{421}laude",
            "\u{ff17}",
            "opus",
            "_",
            ".",
        ];
        for _ in 0..2000 {
            let text: String =
                (0..random.random_range(0..12)).map(|_| parts[random.random_range(0..parts.len())]).collect();
            let masked = mask(text.clone(), &names);
            assert_eq!(mask(masked.text.clone(), &names).text, masked.text, "{text:?}");
            let mut whole = String::new();
            let mut at = 0;
            for span in &masked.spans {
                assert_eq!(masked.text.get(span.mask.clone()), Some(MASK), "{text:?}");
                whole += text.get(at..span.name.start).unwrap();
                whole += MASK;
                at = span.name.end;
            }
            assert_eq!(whole + text.get(at..).unwrap(), masked.text, "{text:?}");
        }
    }

    #[test]
    fn a_text_that_is_nothing_but_names_is_masked() {
        let names = LeakFinder::new([]).names();
        let masked = mask("gpt4 ".repeat(52_000), &names);
        assert_eq!(masked.spans.len(), 52_000);
        assert_eq!(masked.text.len(), 52_000 * (MASK.len() + 1));
        let note = note(1, 1 + 51_999 * 7, "x");
        assert_eq!(masked.to_original(vec![note])[0].at.column, 1 + 51_999 * 5);
    }
}
