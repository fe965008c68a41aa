//! Figures as files: SVG, PNG and PDF of one drawing, with the shipped font, and the data behind them. Used by
//! downloads, the command line and the bundle.
//!
//! `chart` says what is drawn; [`print`] lays it out as a journal prints it; this module adds colors, fonts and
//! the caption, which stands in the file's description.

pub mod data;
mod fonts;
mod pdf;
mod png;
pub mod print;
mod theme;

use base64::{Engine, engine::general_purpose::STANDARD};
use chart::{bars::escape, figure::Figure};
use model::{error::AppError, lang::Lang};
use texts::I18n;

use crate::query;

use print::{Drawn, Heads, Width};

pub use pdf::pdf;
pub use png::png;
pub use theme::Theme;

/// How a figure is drawn.
#[derive(Clone, Copy, Debug)]
pub struct RenderOptions {
    /// Its width.
    pub width: Width,
    /// Its colors.
    pub theme: Theme,
    /// The language of its texts, which selects the glyphs of Chinese characters.
    pub lang: Lang,
}

impl RenderOptions {
    /// The options in the fields `width`, `theme` and `words` of an address. What is absent or empty is light, one column
    /// wide and in the language `lang`.
    ///
    /// # Errors
    ///
    /// Names the first field whose value is unknown, and the known values.
    pub fn read(get: impl Fn(&str) -> Option<String>, lang: Lang) -> Result<RenderOptions, AppError> {
        Ok(RenderOptions {
            width: query::choice(&get, "width", "column or page", Width::named)?.unwrap_or_default(),
            theme: query::choice(&get, "theme", "light or dark", Theme::named)?.unwrap_or_default(),
            lang: query::words(&get)?.unwrap_or(lang),
        })
    }
}

/// The figure as a stand-alone SVG with its font. `caption` becomes the description.
pub fn svg(figure: &Figure, caption: &str, options: RenderOptions) -> String {
    let font = format!(
        "@font-face{{font-family:'AixGrade Sans';src:url(data:font/otf;base64,{}) format('opentype')}}",
        STANDARD.encode(fonts::LATIN)
    );
    drawn(figure, caption, options, &font).0
}

/// The figure as SVG and its size in points. `more` is added to the style.
fn drawn(figure: &Figure, caption: &str, options: RenderOptions, more: &str) -> (String, f64, f64) {
    let t = I18n::of(options.lang).chart();
    let value = format!("{} [{}]", t.value, t.interval);
    let Drawn { width, height, body } =
        print::draw(figure, options.width, &Heads { value: &value, n: "n", letters: t.letters, share: t.axis_share });
    let (title, desc, style) = (escape(&figure.title), escape(caption), theme::style(options.theme));
    let (tag, mm) = (options.lang.tag(), options.width.mm());
    let high = height * 25.4 / 72.0;
    let hatches = theme::hatches(options.theme);
    let text = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{mm}mm" height="{high:.2}mm" viewBox="0 0 {width:.2} {height:.2}" role="img" lang="{tag}" class="chart"><title>{title}</title><desc>{desc}</desc><style>{more}{style}</style><defs>{hatches}</defs><rect class="file-ground" width="{width:.2}" height="{height:.2}"/>{body}</svg>
"#
    );
    (text, width, height)
}

#[cfg(test)]
mod tests {
    use chart::figures::{self, Bin, Entry, PairDifference, TestedRating};
    use model::{
        ratings::Interval,
        run::Verdict,
        stats::{Estimate, Kappa, Undefined},
    };
    use texts::I18n;

    use super::*;

    /// One of every kind, with a name that would break out of the file if it could.
    #[allow(clippy::too_many_lines, reason = "one example for each kind of figure")]
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
            .map(|(name, value)| Entry {
                name,
                value,
                interval: value.and_then(interval),
                n: 161,
                letters: "ab".into(),
                ..Entry::default()
            })
            .collect();
        let shares: Vec<_> = means
            .iter()
            .map(|entry| Entry { value: entry.value.map(|v| v / 4.0), interval: interval(0.5), ..entry.clone() })
            .collect();
        let pair = PairDifference {
            models: (models[0].clone(), models[1].clone()),
            value: Some(-0.0372),
            interval: interval(-0.0372),
            n: 161,
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
        let points: Vec<TestedRating> = (0..120u32)
            .map(|n| TestedRating {
                model: n as usize % 3,
                task: n.to_string(),
                ratio: f64::from(n % 5) / 4.0,
                score: f64::from(1 + n % 4),
                href: None,
            })
            .collect();
        let bins: Vec<Bin> = (0..21u32)
            .flat_map(|ratio| (0..13u32).map(move |score| (ratio, score)))
            .map(|(ratio, score)| Bin {
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
            ("pass@1".to_owned(), vec![Some((49.14, interval(49.14))), Some((45.14, None)), None]),
            ("AvgPassRatio".to_owned(), vec![Some((68.55, None)), Some((69.69, None)), Some((12.0, None))]),
        ];
        vec![
            figures::distribution(i, "c", name, &levels, &counts, &|_| None),
            figures::means(i, "c", name, (1, 4), &means),
            figures::differences(i, "c", name, &[pair], false),
            figures::rater_agreement(i, "c", name, &raters, &kappas),
            figures::tests_and_people(i, "c", name, (1, 4), &models, &points),
            figures::bins(i, "many", name, (1, 4), &models, &bins),
            figures::grid(i, "c", name, &models, &tasks, &[(0.0, "1".into()), (1.0, "4".into())]),
            figures::columns(i, "paper", "pass@1", &models, &groups, ("pass@1 (%)", 0.0, 100.0), &|_| None),
            figures::shares(i, "pass", "pass@1", &shares),
            figures::verdicts(
                i,
                "verdicts",
                &[(Verdict::Failed, "failed <b>".into()), (Verdict::Passed, "passed".into())],
                &models.iter().cloned().zip([vec![1, 2], vec![0, 3], vec![0, 0]]).collect::<Vec<_>>(),
                &|_| None,
            ),
        ]
    }

    fn options(lang: Lang) -> RenderOptions {
        RenderOptions { width: Width::Column, theme: Theme::Light, lang }
    }

    #[test]
    fn every_file_is_well_formed_and_self_contained() {
        for lang in Lang::ALL {
            for figure in every_kind(lang) {
                for theme in [Theme::Light, Theme::Dark] {
                    let text = svg(&figure, "A <caption> & more", RenderOptions { theme, ..options(lang) });
                    assert!(!text.contains("var(") && !text.contains("light-dark"), "{}", figure.id);
                    assert!(!text.contains("<b>") && !text.contains("<caption>"), "{}", figure.id);
                    let drawn = text.split("</style>").nth(1).unwrap_or_default();
                    assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{}", figure.id);
                    assert!(text.contains(r#"width="89mm""#), "{}", figure.id);
                    let tree = resvg::usvg::Tree::from_str(&text, &resvg::usvg::Options::default());
                    assert!(tree.is_ok(), "{}: {:?}", figure.id, tree.err());
                }
            }
        }
    }

    /// The attribute of each element that begins so.
    fn values(svg: &str, opening: &str, attribute: &str) -> Vec<f64> {
        let key = format!(" {attribute}=\"");
        let found = svg.split(opening).skip(1).filter_map(|rest| rest.split('>').next()?.split(key.as_str()).nth(1));
        found.filter_map(|rest| rest.split('"').next()?.parse().ok()).collect()
    }

    #[test]
    fn names_stand_beside_their_intervals_and_ticks_under_their_lines() {
        for (lang, width) in [(Lang::En, Width::Column), (Lang::Zh, Width::Page)] {
            let figure = every_kind(lang).into_iter().find(|f| f.id == "c-means").unwrap_or_else(|| panic!("means"));
            let text = svg(&figure, "", RenderOptions { width, ..options(lang) });
            let lines = values(&text, r#"<line class="print-grid""#, "x1");
            let labels: Vec<f64> = text
                .split("<text ")
                .filter(|part| part.contains(r#"class="print-tick""#))
                .filter_map(|part| part.split(r#"x=""#).nth(1)?.split('"').next()?.parse().ok())
                .collect();
            assert_eq!((lines.clone(), lines.len()), (labels, 4), "one label centered under each line");
            // Each point has its row's name at its height, left of every mark.
            let points = values(&text, "<circle ", "cy");
            let (names, ends): (Vec<f64>, Vec<f64>) = text
                .split("<text ")
                .filter(|part| part.contains(r#"class="print-label""#))
                .filter_map(|part| {
                    let of = |key: &str| part.split(key).nth(1)?.split('"').next()?.parse::<f64>().ok();
                    Some((of(r#"y=""#)?, of(r#"x=""#)?))
                })
                .unzip();
            assert_eq!(names.len(), points.len());
            assert!(names.iter().zip(&points).all(|(name, point)| (name - point).abs() < 4.0));
            let first = lines.iter().copied().fold(f64::INFINITY, f64::min);
            assert!(ends.iter().all(|end| *end < first), "{ends:?} {first}");
            // A reader needs the axis's title, n, groups, and values with intervals.
            let title = if lang == Lang::En { "Mean correctness (1–4)" } else { "正确性平均分（1–4）" };
            for needed in [title, ">161<", ">ab<", ">n<", "2.95 [2.80, 3.10]"] {
                assert!(text.contains(needed), "{needed}");
            }
            // A model without data is left out.
            assert!(!text.contains("模型三"));
        }
    }

    /// Nothing reaches beyond the figure's edge.
    #[test]
    fn everything_lies_within_the_figure() {
        for lang in Lang::ALL {
            for width in [Width::Column, Width::Page] {
                for figure in every_kind(lang) {
                    let (text, wide, high) = drawn(&figure, "", RenderOptions { width, ..options(lang) }, "");
                    let options = resvg::usvg::Options { fontdb: fonts::for_text("中a"), ..Default::default() };
                    let tree = resvg::usvg::Tree::from_str(&text, &options).unwrap_or_else(|e| panic!("{e}"));
                    let (scale, bounds) = (f64::from(tree.size().width()) / wide, tree.root().abs_bounding_box());
                    let right = f64::from(bounds.right()) / scale;
                    let bottom = f64::from(bounds.bottom()) / scale;
                    assert!(bounds.left() >= -0.5 && bounds.top() >= -0.5, "{}: {bounds:?}", figure.id);
                    assert!(right <= wide + 0.5 && bottom <= high + 0.5, "{}: {right} {bottom}", figure.id);
                }
            }
        }
    }
}
