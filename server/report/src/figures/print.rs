//! Figures as a journal prints them: one column (89 mm) or the page (183 mm) wide, names next to their intervals, ticks
//! under their lines, axis titles with units, numbers of tasks, and marks that are told apart in gray.
//!
//! Lengths are in points, 72 to an inch. No title stands in the picture: journals print captions.

use std::fmt::Write;

use chart::{
    bars::{Axis, Bar, Mark, escape, kind_class, step_class, verdict_class},
    draw,
    figure::{Chart, Figure, Group, Key, MarkStyle, SERIES},
};

use super::fonts::{fit, width, wrap};

/// Width of a printed figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Width {
    /// One column of a journal, 89 mm.
    #[default]
    Column,
    /// The whole page, 183 mm.
    Page,
}

impl Width {
    /// By its name in addresses: `column` or `page`.
    pub(super) fn named(name: &str) -> Option<Width> {
        match name {
            "column" => Some(Width::Column),
            "page" => Some(Width::Page),
            _ => None,
        }
    }

    /// In millimetres.
    pub fn mm(self) -> f64 {
        match self {
            Width::Column => 89.0,
            Width::Page => 183.0,
        }
    }

    fn points(self) -> f64 {
        self.mm() * 72.0 / 25.4
    }
}

/// Size of letters.
pub const SIZE: f64 = 7.0;
/// Distance of rows.
const ROW: f64 = 12.0;
/// Height of a bar.
const BAR: f64 = 8.0;
/// Space between columns.
const GAP: f64 = 6.0;
/// Outer margin.
const EDGE: f64 = 2.0;
/// Length of a tick.
const TICK: f64 = 3.0;
/// From the middle of a line of text to its baseline.
const DROP: f64 = 2.5;

/// A picture with its size in points.
pub struct Drawn {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
    /// SVG elements.
    pub body: String,
}

/// The words over the columns beside an interval plot, and under stacked bars.
pub struct Heads<'a> {
    /// Over the values with their intervals.
    pub value: &'a str,
    /// Over the numbers of tasks.
    pub n: &'a str,
    /// Over the letters of groups.
    pub letters: &'a str,
    /// Under the scale of stacked bars.
    pub share: &'a str,
}

/// Draws the figure.
pub fn draw(figure: &Figure, size: Width, heads: &Heads) -> Drawn {
    let mut canvas = Canvas { out: String::new(), width: size.points() };
    let height = match &figure.chart {
        Chart::Intervals { axis, marks } => canvas.intervals(axis, marks, heads),
        Chart::Stacked { nothing, bars } => {
            let foot = canvas.stacked(nothing, bars, heads.share);
            canvas.legend(&figure.legend, foot, false)
        }
        Chart::Columns { axis, groups } => {
            let foot = canvas.columns(axis, groups);
            canvas.legend(&figure.legend, foot, true)
        }
        chart => {
            let foot = canvas.scaled(chart);
            canvas.legend(&figure.legend, foot, false)
        }
    };
    Drawn { width: canvas.width, height: height + EDGE, body: canvas.out }
}

struct Canvas {
    out: String,
    width: f64,
}

impl Canvas {
    fn text(&mut self, (x, y): (f64, f64), anchor: &str, class: &str, text: &str) {
        let text = escape(text);
        _ = write!(self.out, r#"<text x="{x:.2}" y="{y:.2}" text-anchor="{anchor}" class="{class}">{text}</text>"#);
    }

    fn line(&mut self, class: &str, [x1, y1, x2, y2]: [f64; 4]) {
        _ = write!(self.out, r#"<line class="{class}" x1="{x1:.2}" y1="{y1:.2}" x2="{x2:.2}" y2="{y2:.2}"/>"#);
    }

    /// Ticks under their lines, and the axis's title; returns where it ends.
    fn foot(&mut self, axis: &Axis, (from, to): (f64, f64), y: f64) -> f64 {
        self.line("print-axis", [from, y, to, y]);
        let every = spaced(axis, (from, to));
        // The tick at zero keeps its label.
        let zero = axis.ticks.iter().position(|(value, _)| axis.zero == Some(*value)).unwrap_or_default();
        for (at, (value, text)) in axis.ticks.iter().enumerate() {
            let x = along(axis, *value, from, to);
            self.line("print-axis", [x, y, x, y + TICK]);
            if at.abs_diff(zero).is_multiple_of(every) {
                self.text((x, y + TICK + SIZE), "middle", "print-tick", text);
            }
        }
        if axis.title.is_empty() {
            return y + TICK + SIZE + 2.0;
        }
        let title = fit(&axis.title, SIZE, self.width - 2.0 * EDGE);
        // Centered under the axis, but inside the figure.
        let half = width(&title, SIZE) / 2.0;
        let middle = ((from + to) / 2.0).clamp(EDGE + half, self.width - EDGE - half);
        self.text((middle, y + TICK + 2.0 * SIZE + 3.0), "middle", "print-title", &title);
        y + TICK + 2.0 * SIZE + 5.0
    }

    fn intervals(&mut self, axis: &Axis, marks: &[Mark], heads: &Heads) -> f64 {
        let widest = |texts: &mut dyn Iterator<Item = &str>| texts.map(|text| width(text, SIZE)).fold(0.0, f64::max);
        let n: Vec<String> = marks.iter().map(|mark| mark.n.to_string()).collect();
        let (with_n, with_letters) =
            (marks.iter().any(|mark| mark.n > 0), marks.iter().any(|mark| !mark.letters.is_empty()));
        let column = |shown: bool, head: &str, texts: &mut dyn Iterator<Item = &str>| {
            if shown { widest(texts).max(width(head, SIZE)) + GAP } else { 0.0 }
        };
        let letters_w = column(with_letters, heads.letters, &mut marks.iter().map(|mark| mark.letters.as_str()));
        let n_w = column(with_n, heads.n, &mut n.iter().map(String::as_str));
        let notes_w = column(true, heads.value, &mut marks.iter().map(|mark| mark.note.as_str()));
        let right = self.width - EDGE - letters_w - n_w - notes_w;
        // The picture keeps at least a quarter of the width; longer names are cut.
        let room = (right - EDGE - self.width * 0.25).max(self.width * 0.15);
        let names_w = widest(&mut marks.iter().map(|mark| mark.label.as_str())).min(room);
        let (from, to) = (EDGE + names_w + GAP + 2.0, right - 2.0);
        let top = EDGE + ROW;
        let bottom = top + ROW * marks.len() as f64;
        let (notes_at, n_at) = (right + notes_w, right + notes_w + n_w);
        let head = top - ROW / 2.0 + DROP;
        self.text((notes_at, head), "end", "print-head", heads.value);
        if with_n {
            self.text((n_at, head), "end", "print-head", heads.n);
        }
        if with_letters {
            self.text((n_at + GAP, head), "start", "print-head", heads.letters);
        }
        for (value, _) in &axis.ticks {
            let x = along(axis, *value, from, to);
            let zero = axis.zero.is_some_and(|zero| (zero - value).abs() < 1e-9);
            self.line(if zero { "print-zero" } else { "print-grid" }, [x, top, x, bottom]);
        }
        for ((at, mark), n) in marks.iter().enumerate().zip(&n) {
            let y = top + ROW * (at as f64 + 0.5);
            self.text((EDGE + names_w, y + DROP), "end", "print-label", &fit(&mark.label, SIZE, names_w + 0.5));
            self.text((notes_at, y + DROP), "end", "print-note", &mark.note);
            if with_n && mark.n > 0 {
                self.text((n_at, y + DROP), "end", "print-note", n);
            }
            self.text((n_at + GAP, y + DROP), "start", "print-note", &mark.letters);
            let Some(value) = mark.value else { continue };
            if let Some(interval) = mark.interval {
                let (low, high) = (along(axis, interval.low, from, to), along(axis, interval.high, from, to));
                self.line("print-reach", [low, y, high, y]);
                for end in [low, high] {
                    self.line("print-reach", [end, y - 2.0, end, y + 2.0]);
                }
            }
            let x = along(axis, value, from, to);
            // Without groups, a filled point is a significant difference; told apart without color.
            let class = if axis.zero.is_none() || mark.strong { "print-point" } else { "print-open" };
            _ = write!(self.out, r#"<circle class="{class}" cx="{x:.2}" cy="{y:.2}" r="2.2"/>"#);
        }
        self.foot(axis, (from, to), bottom)
    }

    fn stacked(&mut self, nothing: &str, bars: &[Bar], share: &str) -> f64 {
        let widest = |texts: &mut dyn Iterator<Item = &str>| texts.map(|text| width(text, SIZE)).fold(0.0, f64::max);
        let names_w = widest(&mut bars.iter().map(|bar| bar.label.as_str())).min(self.width * 0.35);
        let notes_w = widest(&mut bars.iter().map(|bar| bar.note.as_str()));
        let (from, to) = (EDGE + names_w + GAP, self.width - EDGE - notes_w - GAP);
        let top = EDGE;
        let bottom = top + ROW * bars.len() as f64;
        for (at, bar) in bars.iter().enumerate() {
            let y = top + ROW * (at as f64 + 0.5);
            self.text((EDGE + names_w, y + DROP), "end", "print-label", &fit(&bar.label, SIZE, names_w + 0.5));
            self.text((self.width - EDGE, y + DROP), "end", "print-note", &bar.note);
            let whole: u64 = bar.parts.iter().map(|part| part.size).sum();
            if whole == 0 {
                self.text(((from + to) / 2.0, y + DROP), "middle", "print-note", nothing);
                continue;
            }
            let mut before = 0;
            for part in bar.parts.iter().filter(|part| part.size > 0) {
                let at = |n: u64| from + (to - from) * n as f64 / whole as f64;
                let (x, end) = (at(before), at(before + part.size));
                before += part.size;
                let (style, wide, high) = (&part.class, end - x, BAR);
                let upper = y - BAR / 2.0;
                _ = write!(
                    self.out,
                    r#"<g class="{style}"><rect class="print-part" x="{x:.2}" y="{upper:.2}" width="{wide:.2}" height="{high}"/>"#
                );
                let label = format!("{:.0}%", part.size as f64 * 100.0 / whole as f64);
                if width(&label, SIZE) + 2.0 <= wide {
                    self.text(((x + end) / 2.0, y + DROP), "middle", "print-inside", &label);
                }
                self.out.push_str("</g>");
            }
        }
        self.foot(&Axis::percent().titled(share), (from, to), bottom)
    }

    fn columns(&mut self, axis: &Axis, groups: &[Group]) -> f64 {
        let ticks_w = axis.ticks.iter().map(|(_, text)| width(text, SIZE)).fold(0.0, f64::max);
        let (from, to) = (EDGE + ticks_w + TICK + 2.0, self.width - EDGE);
        let title = if axis.title.is_empty() { 0.0 } else { SIZE + 3.0 };
        if !axis.title.is_empty() {
            self.text((EDGE, EDGE + SIZE), "start", "print-title", &fit(&axis.title, SIZE, self.width - 2.0 * EDGE));
        }
        let (top, bottom) = (EDGE + SIZE + 4.0 + title, EDGE + 110.0 + title);
        for (value, text) in &axis.ticks {
            let y = along(axis, *value, bottom, top);
            self.line("print-grid", [from, y, to, y]);
            self.line("print-axis", [from - TICK, y, from, y]);
            self.text((from - TICK - 1.5, y + DROP), "end", "print-tick", text);
        }
        let wide = (to - from) / groups.len().max(1) as f64;
        for (g, group) in groups.iter().enumerate() {
            let bar = (wide * 0.8 / group.bars.len().max(1) as f64).min(28.0);
            let begin = from + wide * g as f64 + (wide - bar * group.bars.len() as f64) / 2.0;
            for (m, upright) in group.bars.iter().enumerate() {
                let Some(value) = upright.value else { continue };
                let (x, y) = (begin + bar * m as f64 + 0.75, along(axis, value, bottom, top));
                let (inner, high) = (bar - 1.5, bottom - y);
                for fill in fills(m) {
                    _ = write!(
                        self.out,
                        r#"<rect class="{fill}" x="{x:.2}" y="{y:.2}" width="{inner:.2}" height="{high:.2}"/>"#
                    );
                }
                let mut over = y;
                if let Some(interval) = upright.interval {
                    let middle = x + inner / 2.0;
                    let (low, high) = (along(axis, interval.low, bottom, top), along(axis, interval.high, bottom, top));
                    self.line("print-reach", [middle, low, middle, high]);
                    for end in [low, high] {
                        self.line("print-reach", [middle - 2.0, end, middle + 2.0, end]);
                    }
                    over = over.min(high);
                }
                let label = upright.text.rsplit(": ").next().unwrap_or_default();
                if width(label, SIZE) <= bar {
                    self.text((x + inner / 2.0, over - 2.0), "middle", "print-note", label);
                }
            }
            let name = fit(&group.name, SIZE, wide - 2.0);
            self.text((from + wide * (g as f64 + 0.5), bottom + SIZE + 3.0), "middle", "print-label", &name);
        }
        self.line("print-axis", [from, bottom, to, bottom]);
        bottom + SIZE + 6.0
    }

    /// A picture of fixed size, made as wide as the figure; its letters are made larger where it becomes smaller.
    fn scaled(&mut self, chart: &Chart) -> f64 {
        let size = draw::size(chart);
        let own = size.width.unwrap_or(800.0);
        let scale = ((self.width - 2.0 * EDGE) / own).min(1.0);
        let (high, letters) = (size.height * scale, SIZE / scale);
        let inside = draw::inside(chart);
        let (wide, tall) = (own * scale, size.height);
        _ = write!(
            self.out,
            r#"<svg x="{EDGE}" y="{EDGE}" width="{wide:.2}" height="{high:.2}" viewBox="0 0 {own} {tall}" overflow="visible"><g font-size="{:.2}">{inside}</g></svg>"#,
            letters.clamp(11.0, 16.0)
        );
        EDGE + high + 4.0
    }

    /// The legend's entries side by side; returns where it ends. `hatched` where models are columns instead of marks.
    fn legend(&mut self, keys: &[Key], top: f64, hatched: bool) -> f64 {
        if keys.is_empty() {
            return top;
        }
        let (mut x, mut y) = (EDGE, top + ROW / 2.0 + 2.0);
        for key in keys {
            let lines = wrap(&key.text, SIZE, self.width - 2.0 * EDGE - 12.0);
            let text = lines.first().map(String::as_str).unwrap_or_default();
            let text =
                if lines.len() > 1 { fit(&key.text, SIZE, self.width - 2.0 * EDGE - 12.0) } else { text.to_owned() };
            let long = 11.0 + width(&text, SIZE);
            if x > EDGE && x + long > self.width - EDGE {
                (x, y) = (EDGE, y + ROW - 1.0);
            }
            let (left, upper) = (x, y - 4.0);
            match key.style {
                MarkStyle::Step(_) | MarkStyle::Verdict(_) | MarkStyle::Kind(_) => {
                    let class = match key.style {
                        MarkStyle::Verdict(verdict) => verdict_class(verdict).to_owned(),
                        MarkStyle::Kind(kind) => kind_class(kind),
                        MarkStyle::Step(step) => step_class(step),
                        MarkStyle::Series(_) | MarkStyle::Empty => String::new(),
                    };
                    _ = write!(
                        self.out,
                        r#"<g class="{class}"><rect class="print-part" x="{left:.2}" y="{upper:.2}" width="8" height="8"/></g>"#
                    );
                }
                MarkStyle::Series(series) if hatched => {
                    for fill in fills(series) {
                        _ = write!(
                            self.out,
                            r#"<rect class="{fill}" x="{left:.2}" y="{upper:.2}" width="8" height="8"/>"#
                        );
                    }
                }
                MarkStyle::Series(_) => {
                    let swatch = draw::swatch(key.style, 0.0, 0.0);
                    _ = write!(self.out, r#"<g transform="translate({left:.2} {upper:.2}) scale(0.58)">{swatch}</g>"#);
                }
                MarkStyle::Empty => {
                    _ = write!(
                        self.out,
                        r#"<rect class="print-empty" x="{left:.2}" y="{upper:.2}" width="8" height="8"/>"#
                    );
                }
            }
            self.text((x + 11.0, y + DROP), "start", "print-note", &text);
            x += long + GAP + 2.0;
        }
        y + ROW / 2.0
    }
}

/// The classes of a model's column: its color, and the hatch over it.
fn fills(series: usize) -> [String; 2] {
    [format!("series-{}", draw::tint(series)), format!("hatch-{}", series % SERIES)]
}

/// The smallest number such that the labels of every so many ticks have room side by side.
fn spaced(axis: &Axis, (from, to): (f64, f64)) -> usize {
    let widest = axis.ticks.iter().map(|(_, text)| width(text, SIZE)).fold(0.0, f64::max);
    let places = axis.ticks.iter().map(|(value, _)| along(axis, *value, from, to));
    let places: Vec<f64> = places.collect();
    let fits = |every: &usize| {
        let shown: Vec<f64> = places.iter().copied().step_by(*every).collect();
        shown.windows(2).all(|two| (two[1] - two[0]).abs() >= widest + 2.0)
    };
    (1..places.len().max(2)).find(fits).unwrap_or(places.len().max(1))
}

/// Position of a value on an axis from `from` to `to`.
fn along(axis: &Axis, value: f64, from: f64, to: f64) -> f64 {
    let share = if axis.high > axis.low { (value - axis.low) / (axis.high - axis.low) } else { 0.5 };
    from + (to - from) * share.clamp(0.0, 1.0)
}
