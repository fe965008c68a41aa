//! The font of figures, shipped with the program so that files look the same on every machine, and how wide text is
//! in it.
//!
//! `AixGrade Sans` is a subset of Noto Sans CJK SC (SIL Open Font License): Latin and Greek letters in one file, the
//! Chinese characters of our own texts in another. A model's name in other characters needs a font of the machine.

use std::sync::{Arc, LazyLock};

use resvg::usvg::fontdb;
use skrifa::{
    FontRef, MetadataProvider,
    instance::{LocationRef, Size},
};

/// Latin and Greek letters, digits, punctuation, arrows.
pub const LATIN: &[u8] = include_bytes!("../../../assets/fonts/AixGradeSans-Regular.otf");
/// Chinese characters of the program's texts.
pub const CHINESE: &[u8] = include_bytes!("../../../assets/fonts/AixGradeSansSC-Regular.otf");

/// Families in the order of preference, as they stand in a file.
pub const FAMILIES: &str = "'AixGrade Sans','AixGrade Sans SC','Noto Sans CJK SC','Source Han Sans SC','PingFang SC',\
                            'Microsoft YaHei',Arial,sans-serif";

/// The shipped fonts.
static SHIPPED: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut db = fontdb::Database::new();
    for font in [LATIN, CHINESE] {
        db.load_font_data(font.to_vec());
    }
    Arc::new(db)
});

/// The shipped fonts and the machine's, read once.
static WITH_SYSTEM: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut db = SHIPPED.as_ref().clone();
    db.load_system_fonts();
    Arc::new(db)
});

/// The fonts that a text needs: the shipped ones where they have all its characters, so that the machine's are not
/// even read.
pub fn for_text(text: &str) -> Arc<fontdb::Database> {
    if text.chars().all(|c| c.is_control() || shipped(c)) { SHIPPED.clone() } else { WITH_SYSTEM.clone() }
}

/// The first character that neither the shipped fonts nor the machine's have.
pub fn missing(text: &str) -> Option<char> {
    let unknown = |c: &char| !c.is_control() && !shipped(*c);
    let mut unknown = text.chars().filter(unknown).peekable();
    unknown.peek()?;
    let db = WITH_SYSTEM.clone();
    let covers = |c: char| {
        let has =
            |data: &[u8], index| FontRef::from_index(data, index).is_ok_and(|font| font.charmap().map(c).is_some());
        db.faces().any(|face| db.with_face_data(face.id, has).unwrap_or(false))
    };
    unknown.find(|c| !covers(*c))
}

/// Whether a shipped font has the character.
pub fn shipped(c: char) -> bool {
    [LATIN, CHINESE].iter().any(|data| FontRef::new(data).is_ok_and(|font| font.charmap().map(c).is_some()))
}

/// Width of a text at this size, in the size's unit.
pub fn width(text: &str, size: f64) -> f64 {
    let Ok(font) = FontRef::new(LATIN) else { return text.chars().count() as f64 * size * 0.6 };
    let (charmap, metrics) = (font.charmap(), font.glyph_metrics(Size::new(1000.0), LocationRef::default()));
    let advance = |c: char| {
        let known = charmap.map(c).and_then(|glyph| metrics.advance_width(glyph)).map(f64::from);
        // Chinese characters are as wide as they are high.
        known.unwrap_or(if c >= '\u{2e80}' { 1000.0 } else { 600.0 })
    };
    text.chars().map(advance).sum::<f64>() / 1000.0 * size
}

/// The text, cut with an ellipsis if it is wider than `most`.
pub fn fit(text: &str, size: f64, most: f64) -> String {
    if width(text, size) <= most {
        return text.to_owned();
    }
    let mut kept = String::new();
    for c in text.chars() {
        kept.push(c);
        if width(&kept, size) + width("…", size) > most {
            kept.pop();
            break;
        }
    }
    format!("{}…", kept.trim_end())
}

/// The text in lines no wider than `most`; breaks at spaces, and between Chinese characters.
pub fn wrap(text: &str, size: f64, most: f64) -> Vec<String> {
    let (mut lines, mut line) = (Vec::new(), String::new());
    let mut words: Vec<String> = vec![String::new()];
    for c in text.chars() {
        let last = words.last_mut();
        match last {
            Some(word) => word.push(c),
            None => words.push(c.to_string()),
        }
        if c == ' ' || c >= '\u{2e80}' {
            words.push(String::new());
        }
    }
    for word in words {
        if !line.is_empty() && width(&format!("{line}{}", word.trim_end()), size) > most {
            lines.push(line.trim_end().to_owned());
            line = String::new();
        }
        line.push_str(&word);
    }
    if !line.trim_end().is_empty() {
        lines.push(line.trim_end().to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use model::{lang::Lang, run::Verdict};
    use texts::I18n;

    use super::*;

    #[test]
    fn text_is_measured_cut_and_wrapped() {
        assert!((width("0", 10.0) - 5.55).abs() < 0.2, "{}", width("0", 10.0));
        assert!((width("正确", 10.0) - 20.0).abs() < 1e-9);
        assert_eq!(fit("Copilot", 7.0, 100.0), "Copilot");
        let cut = fit("a very long name of a model", 7.0, 40.0);
        assert!(cut.ends_with('…') && width(&cut, 7.0) <= 40.0, "{cut}");
        let lines = wrap("one two three four five six", 7.0, 40.0);
        assert!(lines.len() > 1 && lines.iter().all(|line| width(line, 7.0) <= 40.0), "{lines:?}");
        assert_eq!(lines.join(" "), "one two three four five six");
        assert!(wrap("正确性代码质量可维护性", 7.0, 30.0).len() >= 3);
        assert!(wrap("", 7.0, 30.0).is_empty());
    }

    /// Figures in Chinese need no font of the machine, as long as names are Latin.
    #[test]
    fn our_own_texts_are_in_the_shipped_fonts() {
        let i = I18n::of(Lang::Zh);
        let t = i.chart();
        let verdicts = Verdict::ALL.map(|verdict| i.runs().verdict_name(verdict)).concat();
        let texts = [
            t.mean,
            t.interval,
            t.n,
            t.letters,
            t.pass_ratio,
            t.human_score,
            t.none,
            t.axis_levels,
            t.axis_share,
            &verdicts,
        ];
        for text in texts {
            for c in text.chars() {
                assert!(shipped(c), "{c} in {text}: add it to the subset (docs/statistics.md, Figures)");
            }
        }
        assert_eq!(missing("Copilot − 正确性 95%"), None);
        // A character of no language.
        assert_eq!(missing("\u{10fffd}"), Some('\u{10fffd}'));
    }
}
