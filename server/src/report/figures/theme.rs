//! The style sheet's colours, for files.

use app::{model::lang::Lang, ui::chart::STEPS};

/// Theme of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// On white, for print.
    #[default]
    Light,
    /// On a dark background.
    Dark,
}

impl Theme {
    /// Name in addresses: `light` or `dark`.
    pub fn named(name: &str) -> Option<Theme> {
        match name {
            "light" => Some(Theme::Light),
            "dark" => Some(Theme::Dark),
            _ => None,
        }
    }

    fn pick(self, (light, dark): (&'static str, &'static str)) -> &'static str {
        match self {
            Theme::Light => light,
            Theme::Dark => dark,
        }
    }
}

/// Light and dark, as in style/00-base.css.
const SURFACE: (&str, &str) = ("#ffffff", "#1b2023");
const INK: (&str, &str) = ("#1a2226", "#e4e9e8");
const INK_SOFT: (&str, &str) = ("#535f64", "#9fadb0");
const LINE: (&str, &str) = ("#d9deda", "#30383b");
const LINE_STRONG: (&str, &str) = ("#7d898c", "#75858a");
const ACCENT: (&str, &str) = ("#0d5c63", "#6fc9cd");
/// As in style/70-charts.css.
const SERIES: [(&str, &str); app::ui::chart::figure::SERIES] = [
    ("#0d5c63", "#6fc9cd"),
    ("#b34700", "#ffab70"),
    ("#6a51a3", "#bba7f0"),
    ("#7a6000", "#e0c65a"),
    ("#1f6fb4", "#7fb8f0"),
    ("#b02a6b", "#f08dbb"),
];
/// As in style/60-admin.css, with the text colours.
const PALETTE: [(&str, &str); STEPS] = [
    ("#f7f2cf", "#101822"),
    ("#d6e4ad", "#101822"),
    ("#a1d8a1", "#101822"),
    ("#6bc7a9", "#101822"),
    ("#3fb0b0", "#101822"),
    ("#268dab", "#101822"),
    ("#256e9b", "#ffffff"),
    ("#285183", "#ffffff"),
    ("#233261", "#ffffff"),
];

/// The style rules of a chart's classes in one theme.
pub(super) fn style(theme: Theme, lang: Lang) -> String {
    let [surface, ink, soft, line, strong, accent] =
        [SURFACE, INK, INK_SOFT, LINE, LINE_STRONG, ACCENT].map(|pair| theme.pick(pair));
    // The first available family is used; for Chinese, one with simplified characters.
    let fonts = match lang {
        Lang::En => "'Noto Sans','Liberation Sans','DejaVu Sans',Arial,'Noto Sans CJK SC',sans-serif",
        Lang::Zh => "'Noto Sans CJK SC','Source Han Sans SC','PingFang SC','Microsoft YaHei','Noto Sans',sans-serif",
    };
    let mut css = format!(
        "text{{font-family:{fonts};font-size:13px;fill:{ink}}}\
         .file-ground{{fill:{surface}}}.file-title{{font-size:17px;font-weight:600}}\
         .chart-label{{font-weight:600}}\
         .chart-note,.chart-tick{{fill:{soft}}}\
         .chart-grid{{stroke:{line}}}.chart-zero{{stroke:{strong};stroke-width:2}}\
         .chart-empty{{fill:none;stroke:{strong};stroke-dasharray:4 4}}\
         .chart-none rect{{fill:none;stroke:{line}}}.chart-none text{{fill:{soft}}}\
         .chart-part rect{{stroke:{strong}}}.chart-part text{{font-weight:600}}\
         .chart-mark{{stroke:{soft};fill:{soft}}}.chart-strong{{stroke:{accent};fill:{accent}}}\
         .chart-reach{{stroke-width:3}}.chart-end{{stroke-width:2}}\
         .chart-point{{stroke:{surface};stroke-width:2}}\
         .chart-dot circle,.chart-dot polygon{{stroke:{surface};stroke-width:1}}"
    );
    for (step, (part, on)) in PALETTE.iter().enumerate() {
        css += &format!(".step-{step} rect{{fill:{part}}}.step-{step} text{{fill:{on}}}");
    }
    for (series, pair) in SERIES.iter().enumerate() {
        css += &format!(".series-{series}{{fill:{}}}", theme.pick(*pair));
    }
    css
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = include_str!("../../../../style/00-base.css");
    const ADMIN: &str = include_str!("../../../../style/60-admin.css");
    const CHARTS: &str = include_str!("../../../../style/70-charts.css");

    /// The value of a custom property.
    fn value<'a>(css: &'a str, name: &str) -> &'a str {
        css.split(&format!("--{name}: ")).nth(1).and_then(|rest| rest.split(';').next()).unwrap_or_default()
    }

    #[test]
    fn files_have_the_pages_colours() {
        let both = |(light, dark): (&str, &str)| format!("light-dark({light}, {dark})");
        for (name, pair) in [
            ("surface", SURFACE),
            ("ink", INK),
            ("ink-soft", INK_SOFT),
            ("line", LINE),
            ("line-strong", LINE_STRONG),
            ("accent", ACCENT),
        ] {
            assert_eq!(value(BASE, name), both(pair), "{name}");
        }
        for (series, pair) in SERIES.iter().enumerate() {
            assert_eq!(value(CHARTS, &format!("series-{series}")), both(*pair));
        }
        for (step, (part, on)) in PALETTE.iter().enumerate() {
            assert_eq!(value(ADMIN, &format!("step-{step}")), *part);
            assert_eq!(value(ADMIN, &format!("on-step-{step}")), *on);
        }
    }

    /// WCAG requires 3:1 for graphics that are needed to understand the content.
    #[test]
    fn models_stand_out_from_the_ground() {
        let light = |hex: &str| {
            let part = |at: usize| f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
            let linear = |v: f64| if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) };
            0.2126 * linear(part(1)) + 0.7152 * linear(part(3)) + 0.0722 * linear(part(5))
        };
        let contrast = |a: f64, b: f64| (a.max(b) + 0.05) / (a.min(b) + 0.05);
        for (bright, dark) in SERIES {
            assert!(contrast(light(bright), light(SURFACE.0)) >= 3.0, "{bright}");
            assert!(contrast(light(dark), light(SURFACE.1)) >= 3.0, "{dark}");
        }
    }
}
