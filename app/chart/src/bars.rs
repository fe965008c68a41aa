//! SVG text of stacked bars and interval plots, which fill their box, and what all charts share: marks, scales,
//! escaping.
//!
//! Pure functions from figures to text, the same on the server and in the browser.
//! Widths are percentages and heights are pixels, so that a chart fills its box while its text keeps its size.
//! All text is escaped here and in
//! [`draw`](super::draw), nowhere else.

use std::fmt::Write;

use super::figure::KINDS;
use model::{ratings::Interval, run::Verdict};

/// Number of colors in the score palette, lightest (lowest score) first.
pub const STEPS: usize = 9;

/// A bar of a stacked chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// Name, on the line above the bar.
    pub label: String,
    /// Text at the right end of that line.
    pub note: String,
    /// Parts from left to right; their sum is the full width.
    pub parts: Vec<Part>,
}

/// One part of a bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Size; parts of size 0 are not drawn.
    pub size: u64,
    /// Name, short enough for a narrow part, such as a score.
    pub name: String,
    /// Class of its color.
    pub class: String,
    /// Tooltip.
    pub tip: String,
    /// Link target.
    pub href: Option<String>,
}

/// A row of an interval plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Its name.
    pub label: String,
    /// The figures as text, at the right end of the line above.
    pub note: String,
    /// Value of the point; `None` draws nothing.
    pub value: Option<f64>,
    /// Interval; `None` draws the point alone.
    pub interval: Option<Interval>,
    /// Number of tasks behind the value; 0 if it is not shown.
    pub n: u64,
    /// Letters of the compact letter display, in files.
    pub letters: String,
    /// Whether to highlight the row: a significant difference.
    pub strong: bool,
    /// Link target.
    pub href: Option<String>,
}

/// The scale of an interval plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The value at the left end.
    pub low: f64,
    /// The value at the right end.
    pub high: f64,
    /// Ticks with their labels.
    pub ticks: Vec<(f64, String)>,
    /// Position of the reference line for no difference.
    pub zero: Option<f64>,
    /// The measured quantity with its unit; printed in files.
    pub title: String,
}

impl Axis {
    /// A scale of whole scores.
    pub fn scores(low: u8, high: u8) -> Self {
        let ticks = (low..=high).map(|s| (f64::from(s), s.to_string())).collect();
        Axis { low: low.into(), high: high.into(), ticks, zero: None, title: String::new() }
    }

    /// A scale of differences: from the lowest to the highest of zero and all `values`, at round ticks.
    pub fn differences(values: impl IntoIterator<Item = f64>) -> Self {
        let ends = values.into_iter().filter(|v| v.is_finite());
        let (low, high) = ends.fold((0.0_f64, 0.0_f64), |(low, high), v| (low.min(v), high.max(v)));
        let step = step_of((high - low).max(0.1));
        let decimals = (-step.log10().floor()).clamp(0.0, 3.0) as usize;
        // A little less than a step may be left out, so that rounding makes no tick of its own.
        let (first, mut last) = ((low / step + 1e-9).floor() as i32, (high / step - 1e-9).ceil() as i32);
        if first == last {
            last += 1;
        }
        let at = |n: i32| f64::from(n) * step;
        let ticks = (first..=last).map(|n| (at(n), signed(at(n), decimals)));
        Axis { low: at(first), high: at(last), ticks: ticks.collect(), zero: Some(0.0), title: String::new() }
    }

    /// A scale of 0 to 100 percent.
    pub fn percent() -> Self {
        let ticks = [0.0, 25.0, 50.0, 75.0, 100.0].map(|v| (v, format!("{v:.0}%")));
        Axis { low: 0.0, high: 100.0, ticks: ticks.into(), zero: None, title: String::new() }
    }

    /// A scale of amounts above zero, and how an amount is placed on it: from zero, or by powers of ten if the largest is
    /// more than ten times the smallest. `number` writes a tick.
    pub fn amounts(values: &[f64], number: impl Fn(f64) -> String) -> (Self, fn(f64) -> f64) {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min).max(f64::MIN_POSITIVE);
        let high = values.iter().copied().fold(low, f64::max);
        let scale = |low, high, ticks| Axis { low, high, ticks, zero: None, title: String::new() };
        if high <= 10.0 * low {
            let step = step_of(high);
            let last = (high / step - 1e-9).ceil().max(1.0) as i32;
            let at = |n: i32| f64::from(n) * step;
            let ticks = (0..=last).map(|n| (at(n), number(at(n)))).collect();
            return (scale(0.0, at(last), ticks), |amount| amount);
        }
        let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
        // Over many powers of ten, the ticks between them would touch.
        let within: &[f64] = if last - first <= 3 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let all = (first..=last).flat_map(|power| within.iter().map(move |n| n * 10_f64.powi(power)));
        let all: Vec<f64> = all.collect();
        let from = all.iter().copied().filter(|tick| *tick <= low * 1.001).fold(0.0, f64::max);
        let to = all.iter().copied().filter(|tick| *tick >= high * 0.999).fold(f64::INFINITY, f64::min);
        let ticks = all.into_iter().filter(|tick| (from..=to).contains(tick));
        let ticks = ticks.map(|tick| (tick.log10(), number(tick))).collect();
        (scale(from.log10(), to.log10(), ticks), f64::log10)
    }

    /// The same scale with a title.
    pub fn titled(self, title: impl Into<String>) -> Self {
        Axis { title: title.into(), ..self }
    }

    /// Position of the value from the left in percent, with room for half a point at both ends.
    pub(super) fn place(&self, value: f64) -> f64 {
        let share = if self.high > self.low { (value - self.low) / (self.high - self.low) } else { 0.5 };
        MARGIN + (100.0 - 2.0 * MARGIN) * share.clamp(0.0, 1.0)
    }
}

/// A round step that divides the span into at most five.
fn step_of(span: f64) -> f64 {
    let unit = 10_f64.powf((span / 5.0).log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|n| n * unit).into_iter().find(|s| span / s <= 5.0).unwrap_or(span)
}

/// Palette step for part `index` of `count`, spread evenly from lightest to darkest.
pub fn step(index: usize, count: usize) -> usize {
    match count {
        0 | 1 => STEPS / 2,
        _ => (index * (STEPS - 1) + (count - 1) / 2) / (count - 1),
    }
}

/// Palette step for a share of the best possible value.
pub fn share_step(share: f64) -> usize {
    (share.clamp(0.0, 1.0) * (STEPS - 1) as f64).round() as usize
}

/// A share, 0 to 1, in percent: `68.7%`. The layout of the paper has two decimals.
pub fn percentage(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

/// A number with a true minus sign, or a plus sign if positive.
pub fn signed(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let zero = text.bytes().all(|b| b == b'0' || b == b'.');
    match (zero, value > 0.0) {
        (true, _) => text,
        (false, true) => format!("+{text}"),
        (false, false) => format!("−{text}"),
    }
}

/// The height of [`stacked_body`] in pixels.
pub(super) fn stacked_height(bars: &[Bar]) -> u32 {
    ROW * bars.len() as u32
}

/// Stacked bars of equal length; widths in percent of the box.
pub(super) fn stacked_body(out: &mut String, nothing: &str, bars: &[Bar], marks: &mut Marks) {
    let cramped = cramped(bars.iter().map(|bar| &bar.label));
    for (i, bar) in bars.iter().enumerate() {
        let top = ROW * i as u32;
        labels(out, top, &bar.label, &bar.note, cramped);
        let whole: u64 = bar.parts.iter().map(|p| p.size).sum();
        if whole == 0 {
            let (y, middle) = (top + BAR_TOP, top + BAR_TOP + BAR / 2 + 5);
            _ = write!(
                out,
                r#"<rect class="chart-empty" x="0" y="{y}" width="100%" height="{BAR}"/><text class="chart-note" x="50%" y="{middle}" text-anchor="middle">{}</text>"#,
                escape(nothing)
            );
            continue;
        }
        let mut before = 0;
        for part in &bar.parts {
            if part.size > 0 {
                segment(out, top, (percent(before, whole), percent(part.size, whole)), part, marks);
            }
            before += part.size;
        }
    }
}

/// The height of [`intervals_body`] in pixels.
pub(super) fn intervals_height(marks: &[Mark]) -> u32 {
    ROW * marks.len() as u32 + AXIS
}

/// Points with intervals on a common scale; widths in percent of the box.
pub(super) fn intervals_body(out: &mut String, axis: &Axis, marks: &[Mark], reached: &mut Marks) {
    let bottom = ROW * marks.len() as u32;
    for (i, (value, text)) in axis.ticks.iter().enumerate() {
        let x = axis.place(*value);
        let anchor = match i {
            0 => "start",
            _ if i + 1 == axis.ticks.len() => "end",
            _ => "middle",
        };
        // Keeps the outermost labels inside the chart.
        let label = match anchor {
            "start" => 0.0,
            "end" => 100.0,
            _ => x,
        };
        let class = if axis.zero.is_some_and(|z| (z - value).abs() < 1e-9) { "chart-zero" } else { "chart-grid" };
        let y = bottom + AXIS - 5;
        _ = write!(
            out,
            r#"<line class="{class}" x1="{x:.3}%" x2="{x:.3}%" y1="0" y2="{bottom}"/><text class="chart-tick" x="{label:.3}%" y="{y}" text-anchor="{anchor}">{}</text>"#,
            escape(text)
        );
    }
    let cramped = cramped(marks.iter().map(|mark| &mark.label));
    for (i, mark) in marks.iter().enumerate() {
        let top = ROW * i as u32;
        labels(out, top, &mark.label, &mark.note, cramped);
        let Some(value) = mark.value else { continue };
        let (x, y) = (axis.place(value), top + BAR_TOP + BAR / 2);
        let class = if mark.strong { "chart-mark chart-strong" } else { "chart-mark" };
        let tip = format!("{}: {}", mark.label, mark.note);
        let end_of_mark = reached.open(out, class, &tip, mark.href.as_deref());
        if let Some(interval) = mark.interval {
            let (from, to) = (axis.place(interval.low), axis.place(interval.high));
            _ = write!(out, r#"<line class="chart-reach" x1="{from:.3}%" x2="{to:.3}%" y1="{y}" y2="{y}"/>"#);
            for end in [from, to] {
                let (up, down) = (y - 6, y + 6);
                _ = write!(out, r#"<line class="chart-end" x1="{end:.3}%" x2="{end:.3}%" y1="{up}" y2="{down}"/>"#);
            }
        }
        _ = write!(out, r#"<circle class="chart-point" cx="{x:.3}%" cy="{y}" r="5.5"/>{end_of_mark}"#);
    }
}

/// Height of a row of a ranking's picture, in pixels.
const SLIM: u32 = 22;

/// One row of an interval plot without its name, for a cell of a table that holds the figures as text.
pub fn row(axis: &Axis, value: f64, interval: Option<(f64, f64)>) -> String {
    let middle = SLIM / 2;
    let mut out = format!(r#"<svg class="chart" width="100%" height="{SLIM}" aria-hidden="true">"#);
    for (tick, _) in &axis.ticks {
        let x = axis.place(*tick);
        _ = write!(out, r#"<line class="chart-grid" x1="{x:.2}%" x2="{x:.2}%" y1="0" y2="{SLIM}"/>"#);
    }
    out.push_str(r#"<g class="chart-mark chart-strong">"#);
    if let Some((low, high)) = interval {
        let (from, to, up, down) = (axis.place(low), axis.place(high), middle - 4, middle + 4);
        _ = write!(out, r#"<line class="chart-end" x1="{from:.2}%" x2="{to:.2}%" y1="{middle}" y2="{middle}"/>"#);
        for end in [from, to] {
            _ = write!(out, r#"<line class="chart-end" x1="{end:.2}%" x2="{end:.2}%" y1="{up}" y2="{down}"/>"#);
        }
    }
    let x = axis.place(value);
    _ = write!(out, r#"<circle class="chart-point" cx="{x:.2}%" cy="{middle}" r="5"/></g></svg>"#);
    out
}

/// Height of a cell's bar, in pixels.
const CELL: u32 = 10;

/// A value as a bar from the low end of its scale, with its interval as a line, for a cell that has the figures as text.
pub fn cell_bar((low, high): (f64, f64), value: f64, interval: Option<Interval>) -> String {
    let place = |value: f64| if high > low { ((value - low) / (high - low)).clamp(0.0, 1.0) * 100.0 } else { 0.0 };
    let width = place(value);
    let mut out = format!(
        r#"<svg class="cell-bar" width="100%" height="{CELL}" aria-hidden="true"><rect class="cell-bar-scale" width="100%" height="{CELL}"/><rect class="cell-bar-value" width="{width:.2}%" height="{CELL}"/>"#
    );
    if let Some(interval) = interval {
        let (from, to, middle) = (place(interval.low), place(interval.high), CELL / 2);
        _ = write!(out, r#"<line x1="{from:.2}%" x2="{to:.2}%" y1="{middle}" y2="{middle}"/>"#);
        for end in [from, to] {
            _ = write!(out, r#"<line x1="{end:.2}%" x2="{end:.2}%" y1="2" y2="8"/>"#);
        }
    }
    out.push_str("</svg>");
    out
}

/// The scale over the rows of [`row`]: a label over each line.
pub fn scale(axis: &Axis) -> String {
    let mut out = format!(r#"<svg class="chart" width="100%" height="{SLIM}" aria-hidden="true">"#);
    for (tick, text) in &axis.ticks {
        let x = axis.place(*tick);
        // Labels at the ends stay inside, close to their lines.
        let anchor = if x < 5.0 {
            "start"
        } else if x > 95.0 {
            "end"
        } else {
            "middle"
        };
        _ = write!(
            out,
            r#"<text class="chart-tick" x="{x:.2}%" y="15" text-anchor="{anchor}">{}</text>"#,
            escape(text)
        );
    }
    out.push_str("</svg>");
    out
}

/// Keyboard navigation of marks: one tab stop for the chart, arrow keys within it
/// (`view`). Charts in files have none.
pub(super) struct Marks {
    spoken: bool,
    first: bool,
}

impl Marks {
    pub(super) fn silent() -> Self {
        Marks { spoken: false, first: true }
    }

    pub(super) fn spoken() -> Self {
        Marks { spoken: true, first: true }
    }

    /// Opens the next mark, named by its tooltip; a link if it has a target and the chart is
    /// interactive. Returns the closing tag.
    pub(super) fn open(&mut self, out: &mut String, class: &str, tip: &str, href: Option<&str>) -> &'static str {
        let first = std::mem::replace(&mut self.first, false);
        let tip = escape(tip);
        let stop = if first { "0" } else { "-1" };
        let (opening, end) = match (self.spoken, href) {
            (false, _) => (format!(r#"<g class="{class}">"#), "</g>"),
            (true, None) => (format!(r#"<g class="{class}" role="img" tabindex="{stop}">"#), "</g>"),
            (true, Some(href)) => {
                let href = escape(href);
                (format!(r#"<a class="{class}" href="{href}" aria-label="{tip}" tabindex="{stop}">"#), "</a>")
            }
        };
        _ = write!(out, "{opening}<title>{tip}</title>");
        end
    }
}

/// Height of a row: a line of text and a bar below it.
const ROW: u32 = 46;
/// Offset of the bar from the top of the row.
const BAR_TOP: u32 = 20;
/// The bar's height.
const BAR: u32 = 20;
/// Height of the scale's labels.
const AXIS: u32 = 24;
/// Margin at both ends of an interval plot, in percent.
const MARGIN: f64 = 2.0;
/// Narrowest part, in percent, that fits its name on a phone.
const ROOM_FOR_NAME: f64 = 6.0;
/// Narrowest part, in percent, that also fits its share.
const ROOM_FOR_SHARE: f64 = 22.0;
/// Longest name, in characters, that leaves room for figures on a phone.
const SHORT_LABEL: usize = 20;

/// Whether a name is too long for figures next to it on a phone. Then all figures are left out, because a single
/// gap would look like a missing value. The table below the chart has them.
fn cramped<'a>(mut labels: impl Iterator<Item = &'a String>) -> bool {
    labels.any(|label| label.chars().count() > SHORT_LABEL)
}

fn labels(out: &mut String, top: u32, label: &str, note: &str, cramped: bool) {
    let y = top + 14;
    let class = if cramped { "chart-note chart-spare" } else { "chart-note" };
    _ = write!(
        out,
        r#"<text class="chart-label" x="0" y="{y}">{}</text><text class="{class}" x="100%" y="{y}" text-anchor="end">{}</text>"#,
        escape(label),
        escape(note)
    );
}

/// Class of a step of the score palette.
pub fn step_class(step: usize) -> String {
    format!("step-{step}")
}

/// Class of a kind's color; see [`KINDS`](super::figure::KINDS).
pub fn kind_class(kind: usize) -> String {
    format!("kind-{}", kind.min(KINDS))
}

/// Class of a verdict's color: the same wherever verdicts are shown (style/70-runs.css).
pub fn verdict_class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "v-passed",
        Verdict::Failed => "v-failed",
        Verdict::CompileError => "v-compile",
        Verdict::Timeout => "v-timeout",
        Verdict::OutOfMemory => "v-memory",
        Verdict::Crashed => "v-crashed",
        Verdict::NoResult => "v-none",
        Verdict::Tampered => "v-tampered",
        Verdict::Anomaly => "v-anomaly",
    }
}

fn segment(out: &mut String, top: u32, (x, width): (f64, f64), part: &Part, marks: &mut Marks) {
    let y = top + BAR_TOP;
    let end = marks.open(out, &format!("chart-part {}", part.class), &part.tip, part.href.as_deref());
    _ = write!(out, r#"<rect x="{x:.3}%" y="{y}" width="{width:.3}%" height="{BAR}"/>"#);
    if width >= ROOM_FOR_NAME {
        let (middle, base) = (x + width / 2.0, y + BAR / 2 + 5);
        let name = escape(&part.name);
        let text = if width >= ROOM_FOR_SHARE { format!("{name} · {width:.0}%") } else { name };
        _ = write!(out, r#"<text x="{middle:.3}%" y="{base}" text-anchor="middle">{text}</text>"#);
    }
    out.push_str(end);
}

fn percent(part: u64, whole: u64) -> f64 {
    part as f64 * 100.0 / whole as f64
}

/// Escapes text for an element or a quoted attribute. Characters that XML does not
/// allow become the replacement character.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() && !matches!(c, '\t' | '\n' | '\r') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stacked_bars(nothing: &str, bars: &[Bar]) -> String {
        let mut out = String::new();
        stacked_body(&mut out, nothing, bars, &mut Marks::spoken());
        out
    }

    fn intervals(axis: &Axis, marks: &[Mark]) -> String {
        let mut out = String::new();
        intervals_body(&mut out, axis, marks, &mut Marks::spoken());
        out
    }

    fn bar(label: &str, sizes: &[u64]) -> Bar {
        let part = |(i, size): (usize, &u64)| Part {
            size: *size,
            name: (i + 1).to_string(),
            class: step_class(step(i, sizes.len())),
            tip: format!("{size}×"),
            href: None,
        };
        Bar { label: label.into(), note: "n".into(), parts: sizes.iter().enumerate().map(part).collect() }
    }

    /// The values of an attribute in the elements with the given opening.
    fn values<'a>(svg: &'a str, opening: &str, attribute: &str) -> Vec<&'a str> {
        let key = format!(" {attribute}=\"");
        svg.split(opening)
            .skip(1)
            .filter_map(|rest| rest.split('>').next()?.split(key.as_str()).nth(1)?.split('"').next())
            .collect()
    }

    #[test]
    fn bars_are_cut_in_proportion() {
        let check = |sizes: &[u64], widths: &[&str]| {
            let svg = stacked_bars("none", &[bar("m", sizes)]);
            assert_eq!(values(&svg, "<rect", "width"), widths, "{sizes:?}");
        };
        check(&[1, 1, 2], &["25.000%", "25.000%", "50.000%"]);
        check(&[0, 0, 7], &["100.000%"]);
        check(&[1, 0, 1], &["50.000%", "50.000%"]);
        check(&[0, 0, 0], &["100%"]);
        check(&[], &["100%"]);
    }

    #[test]
    fn mark_with_a_target_is_a_link() {
        let mut part = bar("m", &[1, 1]);
        part.parts[1].href = Some("/x?a=1&b=2".into());
        let svg = stacked_bars("none", &[part]);
        assert_eq!(values(&svg, "<a", "href"), ["/x?a=1&amp;b=2"]);
        assert_eq!(svg.matches(r#"tabindex="0""#).count(), 1, "{svg}");
        assert_eq!((svg.matches("</a>").count(), svg.matches("</g>").count()), (1, 1));
    }

    #[test]
    fn narrow_parts_have_no_labels() {
        let svg = stacked_bars("none", &[bar("m", &[2, 13, 85])]);
        assert!(!svg.contains(">1<"), "2 % has no room");
        assert!(svg.contains(">2<"), "13 % has room for its name");
        assert!(svg.contains(">3 · 85%<"), "85 % has room for both");
    }

    #[test]
    fn model_names_are_escaped() {
        let name = r#"<script>alert("x")</script> & 'more' "#;
        let mark = Mark {
            label: name.into(),
            note: name.into(),
            value: Some(2.0),
            interval: None,
            n: 0,
            letters: String::new(),
            strong: false,
            href: Some(name.into()),
        };
        let bars = [bar(name, &[1, 0]), bar(name, &[])];
        for svg in [stacked_bars(name, &bars), intervals(&Axis::scores(1, 3), &[mark])] {
            assert!(!svg.contains("<script") && !svg.contains("onload=\""), "{svg}");
            assert!(svg.contains("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &#39;more&#39;"), "{svg}");
        }
    }

    #[test]
    fn points_are_at_their_values() {
        let check = |axis: Axis, value: f64, place: &str| {
            let mark = Mark {
                label: "m".into(),
                note: String::new(),
                value: Some(value),
                interval: Some(Interval { low: value, high: value }),
                n: 0,
                letters: String::new(),
                strong: true,
                href: None,
            };
            let svg = intervals(&axis, &[mark]);
            assert_eq!(values(&svg, "<circle", "cx"), [place], "{value}");
        };
        check(Axis::scores(1, 5), 1.0, "2.000%");
        check(Axis::scores(1, 5), 3.0, "50.000%");
        check(Axis::scores(1, 5), 5.0, "98.000%");
        check(Axis::differences([0.3, -0.1]), 0.0, "26.000%");
        check(Axis::differences([0.3, -0.1]), 0.3, "98.000%");
        // An interval outside its scale is clamped to the edge.
        check(Axis::scores(1, 3), 9.0, "98.000%");
    }

    #[test]
    fn a_scale_around_zero_holds_its_values() {
        let check = |values: &[f64], ticks: &[&str]| {
            let axis = Axis::differences(values.iter().copied());
            let within = |v: f64| axis.low - 1e-9 <= v && v <= axis.high + 1e-9;
            assert!(within(0.0) && values.iter().all(|v| !v.is_finite() || within(*v)), "{values:?}");
            assert_eq!(axis.ticks.iter().map(|t| t.1.as_str()).collect::<Vec<_>>(), ticks, "{values:?}");
        };
        check(&[], &["0.00", "+0.02"]);
        check(&[-0.28, 0.1], &["−0.3", "−0.2", "−0.1", "0.0", "+0.1"]);
        check(&[1.2], &["0.0", "+0.5", "+1.0", "+1.5"]);
        check(&[-34.0, -2.0], &["−40", "−30", "−20", "−10", "0"]);
        check(&[f64::NAN, 4.0], &["0", "+1", "+2", "+3", "+4"]);
    }

    #[test]
    fn numbers_carry_their_sign() {
        let check = |value, text| assert_eq!(signed(value, 2), text);
        check(0.254, "+0.25");
        check(-0.3, "−0.30");
        check(0.0, "0.00");
        check(-0.001, "0.00");
    }

    #[test]
    fn scores_spread_over_the_whole_palette() {
        let check = |count, steps: &[usize]| {
            assert_eq!((0..count).map(|i| step(i, count)).collect::<Vec<_>>(), steps, "{count}");
        };
        check(1, &[4]);
        check(2, &[0, 8]);
        check(3, &[0, 4, 8]);
        check(4, &[0, 3, 5, 8]);
        check(5, &[0, 2, 4, 6, 8]);
        check(9, &[0, 1, 2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn cell_bars_begin_at_the_low_end_of_their_scale() {
        let check = |value: f64, width: &str| {
            let svg = cell_bar((1.0, 5.0), value, Some(Interval { low: 0.0, high: value }));
            assert_eq!(values(&svg, r#"<rect class="cell-bar-value""#, "width"), [width], "{value}");
            assert_eq!(values(&svg, "<line", "x1")[0], "0.00%", "an end outside the scale is at its edge");
        };
        check(1.0, "0.00%");
        check(3.0, "50.00%");
        check(5.0, "100.00%");
        check(7.0, "100.00%");
        assert!(!cell_bar((0.0, 1.0), 0.4, None).contains("<line"), "no interval, no line");
        assert!(!cell_bar((1.0, 1.0), 1.0, None).contains("NaN"), "a scale of one level");
    }

    /// WCAG contrast between a part and its text, from the style sheet.
    #[test]
    fn labels_on_bars_have_contrast() {
        let css = include_str!("../../../style/60-admin.css");
        let color = |name: &str| -> [f64; 3] {
            let hex = css.split(&format!("{name}: light-dark(#")).nth(1).unwrap_or_else(|| panic!("no {name}"));
            [0, 2, 4].map(|i| f64::from(u8::from_str_radix(&hex[i..i + 2], 16).expect("hexadecimal")) / 255.0)
        };
        let light = |name: &str| {
            let linear = color(name).map(|v| if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) });
            0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        };
        let mut last = f64::INFINITY;
        for i in 0..STEPS {
            let (part, ink) = (light(&format!("--step-{i}")), light(&format!("--on-step-{i}")));
            let contrast = (part.max(ink) + 0.05) / (part.min(ink) + 0.05);
            assert!(contrast >= 4.5, "step {i}: {contrast:.2}");
            assert!(part < last, "step {i} is not darker than the one before");
            last = part;
        }
    }
}
