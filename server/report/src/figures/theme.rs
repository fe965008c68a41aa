//! The style sheet's colors, for files.

use chart::{STEPS, figure::KINDS};

use super::{fonts, print};

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
    /// By its name in addresses: `light` or `dark`.
    pub(super) fn named(name: &str) -> Option<Theme> {
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
const SERIES: [(&str, &str); chart::figure::SERIES] = [
    ("#0d5c63", "#6fc9cd"),
    ("#b34700", "#ffab70"),
    ("#6a51a3", "#bba7f0"),
    ("#7a6000", "#e0c65a"),
    ("#1f6fb4", "#7fb8f0"),
    ("#b02a6b", "#f08dbb"),
];
/// As in style/60-admin.css, with the text colors.
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

/// A step with the color of its text. On a dark background, the highest is the lightest.
fn palette(theme: Theme, step: usize) -> (&'static str, &'static str) {
    let at = if theme == Theme::Dark { STEPS - 1 - step } else { step };
    PALETTE.get(at).copied().unwrap_or(SURFACE)
}

/// As in style/70-runs.css.
const GRAY: (&str, &str) = ("#a0a9b1", "#7d8a95");
/// As in style/70-runs.css, with the light theme's text colors.
const VERDICTS: [(&str, (&str, &str), &str); 9] = [
    ("passed", ("#00594f", "#43bd99"), "#ffffff"),
    ("failed", ("#e2712a", "#e8743f"), "#101418"),
    ("compile", ("#efb94f", "#f0bf62"), "#101418"),
    ("timeout", ("#7663bd", "#8f7ade"), "#ffffff"),
    ("memory", ("#9f3a7f", "#d878b4"), "#ffffff"),
    ("crashed", ("#2c3640", "#cfd6dc"), "#ffffff"),
    ("none", GRAY, "#101418"),
    ("tampered", ("#0d1114", "#f4f6f6"), "#ffffff"),
    ("anomaly", ("#f3e79b", "#ece05c"), "#101418"),
];

/// The style rules of a chart's classes in one theme. Lengths are in points.
pub(super) fn style(theme: Theme) -> String {
    let [surface, ink, soft, line, strong, accent] =
        [SURFACE, INK, INK_SOFT, LINE, LINE_STRONG, ACCENT].map(|pair| theme.pick(pair));
    let (fonts, size) = (fonts::FAMILIES, print::SIZE);
    let mut css = format!(
        "svg{{font-family:{fonts};font-size:{size}px}}text{{fill:{ink}}}.file-ground{{fill:{surface}}}\
         .print-head,.print-tick{{fill:{soft}}}\
         .print-grid{{stroke:{line};stroke-width:.5}}.print-axis{{stroke:{strong};stroke-width:.5}}\
         .print-zero{{stroke:{ink};stroke-width:.75}}\
         .print-reach{{stroke:{ink};stroke-width:.9}}.print-point{{fill:{ink};stroke:{surface};stroke-width:.4}}\
         .print-open{{fill:{surface};stroke:{ink};stroke-width:.9}}\
         .print-part{{stroke:{strong};stroke-width:.4}}.print-empty{{fill:none;stroke:{strong};stroke-width:.4}}\
         .chart-label{{fill:{ink}}}.chart-note,.chart-tick{{fill:{soft}}}\
         .chart-grid{{stroke:{line}}}.chart-zero{{stroke:{strong};stroke-width:2}}\
         .chart-empty{{fill:none;stroke:{strong}}}\
         .chart-none rect{{fill:none;stroke:{line}}}.chart-none text{{fill:{soft}}}\
         .chart-part rect{{stroke:{strong}}}\
         .chart-mark{{stroke:{soft};fill:{soft}}}.chart-strong{{stroke:{accent};fill:{accent}}}\
         .chart-dot circle,.chart-dot polygon{{stroke:{surface};stroke-width:1}}\
         .chart-hollow circle{{fill:{surface};stroke:{ink};stroke-width:1.5}}\
         .chart-whisker{{stroke:{soft};stroke-width:1.5;fill:none}}\
         .chart-frontier{{stroke:{accent};stroke-width:1.5;stroke-dasharray:6 4;fill:none}}\
         .chart-name{{stroke:{surface};stroke-width:4;stroke-linejoin:round;paint-order:stroke}}"
    );
    for step in 0..STEPS {
        let (part, on) = palette(theme, step);
        css += &format!(".step-{step} rect{{fill:{part}}}.step-{step} text{{fill:{on}}}");
    }
    for (name, pair, on) in VERDICTS {
        let fill = theme.pick(pair);
        // Every color of the dark theme is light enough for dark letters.
        let on = if theme == Theme::Dark { "#101418" } else { on };
        css += &format!(".v-{name} rect{{fill:{fill}}}.v-{name} text{{fill:{on}}}");
    }
    for kind in 0..=KINDS {
        // The gray of the last is that of a missing result.
        let fill = theme.pick(SERIES.get(kind).copied().unwrap_or(GRAY));
        let on = if theme == Theme::Dark || kind == KINDS { "#101418" } else { "#ffffff" };
        css += &format!(".kind-{kind} rect{{fill:{fill}}}.kind-{kind} text{{fill:{on}}}");
    }
    for (series, pair) in SERIES.iter().enumerate() {
        css += &format!(".series-{series}{{fill:{}}}.hatch-{series}{{fill:url(#hatch-{series})}}", theme.pick(*pair));
    }
    css
}

/// Patterns over the models' colors, so that bars are told apart in gray.
pub(super) fn hatches(theme: Theme) -> String {
    let surface = theme.pick(SURFACE);
    let lines = ["", "M0 4L4 0M-1 1L1 -1M3 5L5 3", "M0 2H4", "M2 0V4", "M0 0L4 4M-1 3L1 5M3 -1L5 1", "M0 2H4M2 0V4"];
    let pattern = |(at, path): (usize, &&str)| {
        format!(
            r#"<pattern id="hatch-{at}" width="4" height="4" patternUnits="userSpaceOnUse"><path d="M0 0{path}" stroke="{surface}" stroke-width=".9" fill="none"/></pattern>"#
        )
    };
    lines.iter().enumerate().map(pattern).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = include_str!("../../../../style/00-base.css");
    const ADMIN: &str = include_str!("../../../../style/60-admin.css");
    const CHARTS: &str = include_str!("../../../../style/70-charts.css");
    const RUNS: &str = include_str!("../../../../style/70-runs.css");

    /// The value of a custom property.
    fn value<'a>(css: &'a str, name: &str) -> &'a str {
        css.split(&format!("--{name}: ")).nth(1).and_then(|rest| rest.split(';').next()).unwrap_or_default()
    }

    #[test]
    fn files_have_the_pages_colors() {
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
        for (name, pair, _) in VERDICTS {
            assert_eq!(value(RUNS, &format!("v-{name}")), both(pair), "{name}");
        }
        for step in 0..STEPS {
            let ((light, on_light), (dark, on_dark)) = (palette(Theme::Light, step), palette(Theme::Dark, step));
            assert_eq!(value(ADMIN, &format!("step-{step}")), both((light, dark)));
            assert_eq!(value(ADMIN, &format!("on-step-{step}")), both((on_light, on_dark)));
        }
    }

    fn luminance(hex: &str) -> f64 {
        let part = |at: usize| f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap_or_default()) / 255.0;
        let linear = |v: f64| if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) };
        0.2126 * linear(part(1)) + 0.7152 * linear(part(3)) + 0.0722 * linear(part(5))
    }

    /// Printed in gray, two verdicts differ by at least 5 of 100 steps of lightness (CIE L*); letters on them by 4.5:1.
    #[test]
    fn verdicts_are_told_apart_in_gray() {
        let lightness = |hex: &str| 116.0 * luminance(hex).cbrt() - 16.0;
        let mut all: Vec<f64> = VERDICTS.iter().map(|(_, (light, _), _)| lightness(light)).collect();
        all.sort_by(f64::total_cmp);
        assert!(all.windows(2).all(|two| two[1] - two[0] >= 5.0), "{all:?}");
        for (name, (light, dark), on) in VERDICTS {
            let contrast = |a: f64, b: f64| (a.max(b) + 0.05) / (a.min(b) + 0.05);
            assert!(contrast(luminance(light), luminance(on)) >= 4.5, "{name}: light");
            assert!(contrast(luminance(dark), luminance("#101418")) >= 4.5, "{name}: dark");
        }
    }

    /// The lowest score is nearest to the background in both themes, and letters on each color are read.
    #[test]
    fn scores_and_kinds_are_right_in_both_themes() {
        let contrast = |a: f64, b: f64| (a.max(b) + 0.05) / (a.min(b) + 0.05);
        for theme in [Theme::Light, Theme::Dark] {
            let ground = luminance(theme.pick(SURFACE));
            let steps: Vec<f64> = (0..STEPS).map(|step| contrast(luminance(palette(theme, step).0), ground)).collect();
            assert!(steps.is_sorted_by(|a, b| a < b), "{theme:?}: {steps:?}");
            let css = style(theme);
            let rule = |class: &str, of: &str| {
                let found = css.split(&format!(".{class} {of}{{fill:")).nth(1).and_then(|rest| rest.split('}').next());
                luminance(found.unwrap_or_else(|| panic!("no color of {of} in .{class}")))
            };
            let classes = (0..STEPS).map(|step| format!("step-{step}"));
            for class in classes.chain((0..=KINDS).map(|kind| format!("kind-{kind}"))) {
                assert!(contrast(rule(&class, "rect"), rule(&class, "text")) >= 4.5, "{theme:?}: {class}");
            }
        }
    }

    /// WCAG requires 3:1 for graphics that are needed to understand the content.
    #[test]
    fn model_colors_have_contrast_with_the_background() {
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
