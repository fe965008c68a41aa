//! Charts as files: a stand-alone SVG with title, legend, colours and font names, and the same as
//! PNG. Used by downloads and the bundle.
//!
//! `app::ui::chart::draw` draws the chart as on the page; this module adds a frame and a theme's
//! colours instead of the style sheet's custom properties.

mod png;
mod theme;

use std::fmt::Write;

use app::{
    model::lang::Lang,
    ui::chart::{
        bars::escape,
        draw,
        figure::{Figure, Key},
    },
};

pub use png::png;
pub use theme::Theme;

/// Width of a chart that fills its box on a page, in pixels.
const BOX: f64 = 800.0;
/// Outer margin, in pixels.
const EDGE: f64 = 24.0;
/// Height of the title's line, of a legend's line, and of the gap below, in pixels.
const TITLE: f64 = 30.0;
const LINE: f64 = 24.0;
const GAP: f64 = 12.0;

/// The figure as a stand-alone file. `lang` selects the glyphs of Chinese characters; the text is already in the
/// figure's language. Viewers draw letters with their own fonts.
pub fn svg(figure: &Figure, theme: Theme, lang: Lang) -> String {
    let (text, ..) = framed(figure, theme, lang);
    text
}

/// The file and its width and height in pixels.
fn framed(figure: &Figure, theme: Theme, lang: Lang) -> (String, f64, f64) {
    let size = draw::size(&figure.picture);
    let inner = size.width.unwrap_or(BOX).max(wide(&figure.title) * 1.3);
    let (legend, lines) = legend(&figure.legend, inner);
    let above = TITLE + lines * LINE + GAP;
    let (width, height) = (inner + 2.0 * EDGE, size.height + above + 2.0 * EDGE);
    let (title, desc, style) = (escape(&figure.title), escape(&figure.desc), theme::style(theme, lang));
    let mut out = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" lang="{}" class="chart"><title>{title}</title><desc>{desc}</desc><style>{style}</style>"#,
        lang.tag()
    );
    let base = EDGE + 17.0;
    _ = write!(
        out,
        r#"<rect class="file-ground" width="{width}" height="{height}"/><text class="file-title" x="{EDGE}" y="{base}">{title}</text>"#
    );
    let (top, picture) = (EDGE + TITLE, EDGE + above);
    _ = write!(out, r#"<g transform="translate({EDGE} {top})">{legend}</g>"#);
    let (own, high) = (size.width.unwrap_or(inner), size.height);
    _ = write!(out, r#"<svg x="{EDGE}" y="{picture}" width="{own}" height="{high}" overflow="visible">"#);
    out.push_str(&draw::inside(&figure.picture));
    out.push_str("</svg></svg>\n");
    (out, width, height)
}

/// The legend's entries side by side, and the number of lines.
fn legend(keys: &[Key], width: f64) -> (String, f64) {
    let (mut out, mut x, mut line) = (String::new(), 0.0, 0.0);
    for key in keys {
        let long = 22.0 + wide(&key.text) + 18.0;
        if x > 0.0 && x + long > width {
            (x, line) = (0.0, line + 1.0);
        }
        let (top, base, at) = (line * LINE, line * LINE + 12.0, x + 22.0);
        out.push_str(&draw::swatch(key.look, x, top));
        _ = write!(out, r#"<text x="{at:.1}" y="{base}">{}</text>"#, escape(&key.text));
        x += long;
    }
    (out, if keys.is_empty() { 0.0 } else { line + 1.0 })
}

/// Approximate width of a text in pixels; the viewer's fonts are unknown.
fn wide(text: &str) -> f64 {
    text.chars().map(|c| if c >= '\u{2e80}' { 13.0 } else { 7.2 }).sum()
}

#[cfg(test)]
mod tests {
    use app::{
        i18n::I18n,
        model::{
            comparison::Interval,
            run::Verdict,
            stats::{Estimate, Kappa, Undefined},
        },
        ui::chart::figures::{self, Apart, Both, Crowd},
    };

    use super::*;

    /// One of every kind, with a name that would break out of the file if it could.
    pub(super) fn every_kind(lang: Lang) -> Vec<Figure> {
        let i = I18n::of(lang);
        let models: Vec<String> = ["aiXcoder XL", "Copilot <b>&\"", "模型三"].map(String::from).into();
        let name = if lang == Lang::Zh { "正确性" } else { "Correctness" };
        let interval = |v: f64| Some(Interval { low: v - 0.15, high: v + 0.15 });
        let levels: Vec<(u8, String)> = (1..=4).map(|s| (s, format!("level {s}"))).collect();
        let counts: Vec<(String, Vec<u64>)> =
            models.iter().cloned().zip([vec![9, 20, 42, 90], vec![3, 9, 60, 89], vec![0; 4]]).collect();
        let means: Vec<_> = models
            .iter()
            .cloned()
            .zip([Some(2.95), Some(2.99), None])
            .map(|(m, v)| (m, v, v.and_then(interval)))
            .collect();
        let pair = Apart {
            models: (models[0].clone(), models[1].clone()),
            value: Some(-0.0372),
            interval: interval(-0.0372),
            separated: false,
            href: None,
        };
        let raters: Vec<(u32, String)> = (1..).zip(["ada", "bo", "chen"].map(String::from)).collect();
        let kappa = |first, second, value: f64| Kappa {
            first,
            second,
            outputs: 40,
            kappa: Ok(Estimate { value, interval: interval(value).ok_or(Undefined::TooFew) }),
        };
        let kappas = [kappa(1, 2, 0.81), kappa(1, 3, 0.42), kappa(2, 3, -0.05)];
        let points: Vec<Both> = (0..120u32)
            .map(|n| Both {
                model: n as usize % 3,
                task: n.to_string(),
                ratio: f64::from(n % 5) / 4.0,
                score: f64::from(1 + n % 4),
                href: None,
            })
            .collect();
        let crowds: Vec<Crowd> = (0..21u32)
            .flat_map(|ratio| (0..13u32).map(move |score| (ratio, score)))
            .map(|(ratio, score)| Crowd {
                ratio: f64::from(ratio) / 20.0,
                score: 1.0 + f64::from(score) / 4.0,
                models: vec![u64::from(ratio * score), u64::from((ratio * 7 + score) % 11), 0],
                href: None,
            })
            .collect();
        let tasks: Vec<figures::GridTask> = (0..161u32)
            .map(|n| {
                let share = |m: u32| (n % 7 != m).then(|| (f64::from((n * 5 + m) % 9) / 8.0, "3.00".to_owned()));
                figures::GridTask { name: n.to_string(), values: (0..3).map(share).collect(), href: None }
            })
            .collect();
        let groups = [
            ("pass@1".to_owned(), vec![Some(49.14), Some(45.14), None]),
            ("AvgPassRatio".to_owned(), vec![Some(68.55), Some(69.69), Some(12.0)]),
        ];
        vec![
            figures::distribution(i, "c", name, &levels, &counts, &|_| None),
            figures::means(i, "c", name, (1, 4), &means, &|_| None),
            figures::differences(i, "c", name, &[pair], false),
            figures::rater_agreement(i, "c", name, &raters, &kappas),
            figures::tests_and_people(i, "c", name, (1, 4), &models, &points),
            figures::crowds(i, "many", name, (1, 4), &models, &crowds),
            figures::grid(i, "c", name, &models, &tasks, ("1", "4")),
            figures::columns(i, "paper", "pass@1", &models, &groups, (0.0, 100.0), &|_| None),
            figures::shares(i, "pass", "pass@1", &means, &|_| None),
            figures::verdicts(
                i,
                "verdicts",
                &[(Verdict::Failed, "failed <b>".into()), (Verdict::Passed, "passed".into())],
                &models.iter().cloned().zip([vec![1, 2], vec![0, 3], vec![0, 0]]).collect::<Vec<_>>(),
                &|_| None,
            ),
        ]
    }

    #[test]
    fn every_file_is_well_formed_and_needs_nothing_else() {
        for lang in Lang::ALL {
            for figure in every_kind(lang) {
                for theme in [Theme::Light, Theme::Dark] {
                    let text = svg(&figure, theme, lang);
                    assert!(!text.contains("var(") && !text.contains("light-dark"), "{}", figure.id);
                    assert!(!text.contains("<b>"), "{}", figure.id);
                    assert!(!text.contains("NaN") && !text.contains("inf"), "{}", figure.id);
                    let tree = resvg::usvg::Tree::from_str(&text, &resvg::usvg::Options::default());
                    assert!(tree.is_ok(), "{}: {:?}", figure.id, tree.err());
                }
            }
        }
    }

    #[test]
    fn a_long_legend_goes_on_in_the_next_line() {
        let key = |text: &str| Key { look: draw_look(), text: text.into() };
        let (_, lines) = legend(&[key("a"), key("b")], 300.0);
        assert_eq!(lines, 1.0);
        let (_, lines) = legend(&[key("a rather long name of a model"), key("another long name of a model")], 300.0);
        assert_eq!(lines, 2.0);
        assert_eq!(legend(&[], 300.0).1, 0.0);
    }

    fn draw_look() -> app::ui::chart::figure::Look {
        app::ui::chart::figure::Look::Series(0)
    }
}
