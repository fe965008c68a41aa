//! Compresses views for the cache. A page gets about 500 runs of text with two strings each, 60 KB for 20 lines. A
//! packed view is one small block: all texts as one, and the runs as kinds and lengths, deflated, because formatted and
//! original text hardly differ.

use std::io::{Read, Write};

use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use model::{
    code::{CodeView, Line, Remark, Run},
    note::Position,
};
use serde::{Deserialize, Serialize};

use super::KINDS;

/// A view without the surrounding text.
pub struct Packed(Box<[u8]>);

#[derive(Serialize, Deserialize)]
struct Kept {
    laid_out: Option<Lines>,
    raw: Lines,
    starts: Vec<Position>,
    remark: Option<Remark>,
}

/// The lines as one text.
#[derive(Serialize, Deserialize)]
struct Lines {
    text: String,
    /// Number of runs per line.
    lines: Vec<u16>,
    /// For each run its kind (0: plain, otherwise an index into [`KINDS`] from 1) and its length in bytes.
    kinds: Vec<u8>,
    lengths: Vec<u16>,
}

impl Packed {
    /// Packs a view; `None` if one of its lines or runs is too long.
    pub fn of(view: &CodeView) -> Option<Packed> {
        let laid_out = match &view.laid_out {
            Some(lines) => Some(Lines::of(lines)?),
            None => None,
        };
        let kept = Kept { laid_out, raw: Lines::of(&view.raw)?, starts: view.starts.clone(), remark: view.remark };
        let mut deflated = DeflateEncoder::new(Vec::new(), Compression::default());
        deflated.write_all(&serde_json::to_vec(&kept).ok()?).ok()?;
        Some(Packed(deflated.finish().ok()?.into()))
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        self.0.len()
    }

    /// The unpacked view, with the surrounding text `said`.
    pub fn view(&self, surrounding_text: &str) -> Option<CodeView> {
        let mut text = Vec::new();
        DeflateDecoder::new(&*self.0).read_to_end(&mut text).ok()?;
        let Kept { laid_out, raw, starts, remark } = serde_json::from_slice(&text).ok()?;
        let laid_out = laid_out.as_ref().map(Lines::open);
        let surrounding_text = surrounding_text.to_owned();
        // What differs depends on the other outputs of a page, so it is no part of a cached view.
        Some(CodeView { laid_out, raw: raw.open(), starts, only_here: Vec::new(), remark, surrounding_text })
    }
}

impl Lines {
    fn of(lines: &[Line]) -> Option<Lines> {
        let runs = || lines.iter().flat_map(|line| &line.0);
        let kind = |run: &Run| match run.0.as_str() {
            "" => Some(0),
            name => u8::try_from(KINDS.iter().position(|known| *known == name)? + 1).ok(),
        };
        Some(Lines {
            text: runs().map(|run| run.1.as_str()).collect(),
            lines: lines.iter().map(|line| u16::try_from(line.0.len()).ok()).collect::<Option<_>>()?,
            kinds: runs().map(kind).collect::<Option<_>>()?,
            lengths: runs().map(|run| u16::try_from(run.1.len()).ok()).collect::<Option<_>>()?,
        })
    }

    fn open(&self) -> Vec<Line> {
        let mut marks = self.kinds.iter().zip(&self.lengths);
        let mut rest: &str = &self.text;
        let mut run = || {
            let (kind, length) = marks.next()?;
            let (text, after) = rest.split_at_checked(usize::from(*length))?;
            rest = after;
            let kind = usize::from(*kind).checked_sub(1).and_then(|at| KINDS.get(at)).copied().unwrap_or_default();
            Some(Run(kind.to_owned(), text.to_owned()))
        };
        self.lines.iter().map(|runs| Line((0..*runs).map_while(|_| run()).collect())).collect()
    }
}

#[cfg(test)]
mod tests {
    use model::code_lang::CodeLang;

    use super::*;

    #[test]
    fn packed_view_round_trips() {
        let check = |code: &str| {
            let view = super::super::make(code, CodeLang::Java);
            let packed = Packed::of(&view).and_then(|packed| packed.view(""));
            assert_eq!(packed, Some(view), "{code}");
        };
        check("");
        check("   \n");
        check("public int twice(int n) { // 两倍\n\n return 2 * n; /* \u{1f600} */ }");
        check("String s = \"多行\"; @Override int A_B = 0x1F;");
        check("if (a { not java");
        let run = |text: String| Line(vec![Run(String::new(), text)]);
        let long = CodeView { raw: vec![run("x".repeat(70_000))], ..CodeView::default() };
        assert!(Packed::of(&long).is_none());
        let unknown = CodeView { raw: vec![Line(vec![Run("no kind".into(), "x".into())])], ..CodeView::default() };
        assert!(Packed::of(&unknown).is_none());
    }
}
