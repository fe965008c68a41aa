//! Draws a [`Figure`] as SVG.
//!
//! Bars and intervals fill their box: widths are percentages and heights are pixels, so that
//! text keeps its size. Other charts have a fixed size and scroll in a
//! narrower box. All text is escaped here and in [`bars`](super::bars), nowhere else.

use std::{collections::HashMap, fmt::Write};

use super::{
    bars::{self, Axis, Marks, escape},
    figure::{Cell, Chart, ColumnBar, Dot, DotStyle, Figure, Group, MarkStyle, SERIES, TaskColumn},
    tradeoff,
};

/// Size of a chart in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// Width; `None` if it fills its box.
    pub width: Option<f64>,
    /// Its height.
    pub height: f64,
}

/// The chart for a page: keyboard-reachable marks, colors from the style sheet.
pub fn page(figure: &Figure) -> String {
    let size = size(&figure.chart);
    let (id, title, desc) = (escape(&figure.id), escape(&figure.title), escape(&figure.desc));
    let height = size.height;
    let frame = match size.width {
        None => format!(r#"class="chart" width="100%" height="{height}""#),
        Some(width) => {
            let class =
                if matches!(figure.chart, Chart::Columns { .. } | Chart::Scatter { .. } | Chart::Tradeoff { .. }) {
                    "chart chart-scaled"
                } else {
                    "chart chart-fixed"
                };
            format!(r#"class="{class}" width="{width}" height="{height}" viewBox="0 0 {width} {height}""#)
        }
    };
    let across = across(&figure.chart);
    let mut out = format!(
        r#"<svg {frame} role="group" aria-labelledby="{id}-title {id}-desc" data-across="{across}" xmlns="http://www.w3.org/2000/svg"><title id="{id}-title">{title}</title><desc id="{id}-desc">{desc}</desc>"#
    );
    body(&mut out, &figure.chart, &mut Marks::spoken());
    out.push_str("</svg>");
    out
}

/// The content of the chart for a file, to be placed in a viewport of [`size`].
pub fn inside(chart: &Chart) -> String {
    let mut out = String::new();
    body(&mut out, chart, &mut Marks::silent());
    out
}

/// Size of the chart.
pub fn size(chart: &Chart) -> Size {
    match chart {
        Chart::Stacked { bars, .. } => Size { width: None, height: bars::stacked_height(bars).into() },
        Chart::Intervals { marks, .. } => Size { width: None, height: bars::intervals_height(marks).into() },
        Chart::Columns { .. } => Size { width: Some(COLUMNS.0), height: COLUMNS.1 },
        Chart::Heat { names, .. } => {
            let n = names.len() as f64;
            Size { width: Some(NAMES + n * HEAT), height: HEAD + n * HEAT * 0.75 + 4.0 }
        }
        Chart::Scatter { .. } => Size { width: Some(SCATTER.0), height: SCATTER.1 },
        Chart::Tradeoff { .. } => Size { width: Some(tradeoff::SIZE.0), height: tradeoff::SIZE.1 },
        Chart::Grid { models, tasks } => {
            let bands = tasks.len().div_ceil(BAND) as f64;
            let widest = tasks.len().min(BAND) as f64;
            let room = GridRoom::of(tasks.len());
            Size {
                width: Some(room.names + widest * GRID + room.right),
                height: bands * room.band_height(models.len()),
            }
        }
    }
}

/// Draws a legend's mark in a box of 14 by 14 pixels.
pub fn swatch(style: MarkStyle, x: f64, y: f64) -> String {
    match style {
        MarkStyle::Step(step) => {
            format!(r#"<g class="chart-part step-{step}"><rect x="{x}" y="{y}" width="14" height="14" rx="2"/></g>"#)
        }
        MarkStyle::Verdict(verdict) => {
            let class = bars::verdict_class(verdict);
            format!(r#"<g class="chart-part {class}"><rect x="{x}" y="{y}" width="14" height="14" rx="2"/></g>"#)
        }
        MarkStyle::Series(series) => {
            let class = tint(series);
            format!(r#"<g class="series-{class}">{}</g>"#, shape(series, x + 7.0, y + 7.0, 6.0))
        }
        MarkStyle::Kind(kind) => {
            let class = bars::kind_class(kind);
            format!(r#"<g class="chart-part {class}"><rect x="{x}" y="{y}" width="14" height="14" rx="2"/></g>"#)
        }
        MarkStyle::Empty => {
            format!(r#"<g class="chart-none"><rect x="{x}" y="{y}" width="14" height="14" rx="2"/></g>"#)
        }
    }
}

/// Left margin for names, in pixels.
const NAMES: f64 = 132.0;
/// Top margin of a heat map for names, in pixels.
const HEAD: f64 = 24.0;
/// Size of a heat map's cell, in pixels.
const HEAT: f64 = 60.0;
/// Size of a grid's cell, in pixels.
const GRID: f64 = 20.0;
/// Tasks per band of a grid.
const BAND: usize = 40;
/// Most columns of a grid that all have their names, at a slant.
const FEW: usize = 12;
/// Width and height of a column chart.
const COLUMNS: (f64, f64) = (680.0, 300.0);
/// Width and height of a scatter plot.
const SCATTER: (f64, f64) = (640.0, 440.0);
/// Maximum displacement of a dot: less than half the distance between two scores on the longest scale.
const AWAY: f64 = 17.0;
/// Maximum radius of a cell's dot: half the distance between two cells.
const BIN_RADIUS: f64 = 12.5;
/// Margins of columns and dots: left, top, right, bottom.
const ROOM: [f64; 4] = [52.0, 22.0, 16.0, 44.0];

/// Marks per row, for the up and down keys; 1 without rows.
fn across(chart: &Chart) -> usize {
    match chart {
        Chart::Stacked { .. } | Chart::Intervals { .. } | Chart::Scatter { .. } | Chart::Tradeoff { .. } => 1,
        Chart::Columns { groups, .. } => groups.first().map_or(1, |g| g.bars.len().max(1)),
        Chart::Heat { names, .. } => names.len().max(1),
        // Marks are ordered by task, then by model.
        Chart::Grid { models, .. } => models.len().max(1),
    }
}

fn body(out: &mut String, chart: &Chart, marks: &mut Marks) {
    match chart {
        Chart::Stacked { nothing, bars } => bars::stacked_body(out, nothing, bars, marks),
        Chart::Intervals { axis, marks: lines } => bars::intervals_body(out, axis, lines, marks),
        Chart::Columns { axis, groups } => columns(out, axis, groups, marks),
        Chart::Heat { names, rows } => heat(out, names, rows, marks),
        Chart::Scatter { x, y, dots } => scatter(out, x, y, dots, marks),
        Chart::Tradeoff { x, y, points, frontier } => tradeoff::body(out, (x, y), points, frontier, marks),
        Chart::Grid { models, tasks } => grid(out, models, tasks, marks),
    }
}

/// Position of a value on an axis that starts at `from`, in pixels.
pub(super) fn along(axis: &Axis, value: f64, from: f64, to: f64) -> f64 {
    let share = if axis.high > axis.low { (value - axis.low) / (axis.high - axis.low) } else { 0.5 };
    from + (to - from) * share.clamp(0.0, 1.0)
}

fn rules(out: &mut String, axis: &Axis, size: (f64, f64)) {
    let [left, top, right, bottom] = ROOM;
    for (value, text) in &axis.ticks {
        let y = along(axis, *value, size.1 - bottom, top);
        let (to, base) = (size.0 - right, y + 4.5);
        let at = left - 8.0;
        _ = write!(
            out,
            r#"<line class="chart-grid" x1="{left}" x2="{to}" y1="{y:.1}" y2="{y:.1}"/><text class="chart-tick" x="{at}" y="{base:.1}" text-anchor="end">{}</text>"#,
            escape(text)
        );
    }
}

fn columns(out: &mut String, axis: &Axis, groups: &[Group], marks: &mut Marks) {
    let [left, top, right, bottom] = ROOM;
    rules(out, axis, COLUMNS);
    let foot = COLUMNS.1 - bottom;
    let wide = (COLUMNS.0 - left - right) / groups.len().max(1) as f64;
    for (g, group) in groups.iter().enumerate() {
        let start = left + wide * g as f64;
        let bar = (wide * 0.8 / group.bars.len().max(1) as f64).min(64.0);
        let begin = start + (wide - bar * group.bars.len() as f64) / 2.0;
        for (m, ColumnBar { value, interval, text, href }) in group.bars.iter().enumerate() {
            let Some(value) = value else { continue };
            let (x, y) = (begin + bar * m as f64, along(axis, *value, foot, top));
            let (middle, above, inner, series) = (x + bar / 2.0, y - 5.0, bar - 4.0, tint(m));
            let high = foot - y;
            let tip = format!("{}: {text}", group.name);
            let end = marks.open(out, &format!("chart-column series-{series}"), &tip, href.as_deref());
            let from = x + 2.0;
            _ = write!(out, r#"<rect x="{from:.1}" y="{y:.1}" width="{inner:.1}" height="{high:.1}"/>"#);
            let mut above = above;
            if let Some(interval) = interval {
                let (low, high) = (along(axis, interval.low, foot, top), along(axis, interval.high, foot, top));
                above = above.min(high - 5.0);
                _ = write!(
                    out,
                    r#"<line class="chart-zero" x1="{middle:.1}" x2="{middle:.1}" y1="{low:.1}" y2="{high:.1}"/>"#
                );
            }
            // Shows the figure above its column only if it does not overlap its neighbor's.
            if bar >= 40.0 {
                let figure = escape(text.rsplit(": ").next().unwrap_or_default());
                _ = write!(out, r#"<text x="{middle:.1}" y="{above:.1}" text-anchor="middle">{figure}</text>"#);
            }
            out.push_str(end);
        }
        let (middle, base) = (start + wide / 2.0, foot + 20.0);
        _ = write!(
            out,
            r#"<text class="chart-label" x="{middle:.1}" y="{base}" text-anchor="middle">{}</text>"#,
            escape(&group.name)
        );
    }
    let to = COLUMNS.0 - right;
    _ = write!(out, r#"<line class="chart-zero" x1="{left}" x2="{to}" y1="{foot}" y2="{foot}"/>"#);
}

fn heat(out: &mut String, names: &[String], rows: &[Vec<Cell>], marks: &mut Marks) {
    let high = HEAT * 0.75;
    for (at, name) in names.iter().enumerate() {
        let (x, y) = (NAMES + HEAT * (at as f64 + 0.5), HEAD + high * (at as f64 + 0.5) + 4.5);
        let (side, top) = (escape(&short(name, 15)), escape(&short(name, 9)));
        let edge = NAMES - 10.0;
        _ = write!(
            out,
            r#"<text class="chart-label" x="{edge}" y="{y:.1}" text-anchor="end">{side}</text><text class="chart-label" x="{x:.1}" y="16" text-anchor="middle">{top}</text>"#
        );
    }
    for (r, row) in rows.iter().enumerate() {
        for (c, one) in row.iter().enumerate() {
            let (x, y) = (NAMES + HEAT * c as f64 + 1.0, HEAD + high * r as f64 + 1.0);
            cell(out, one, [x, y, HEAT - 2.0, high - 2.0], marks);
        }
    }
}

fn cell(out: &mut String, cell: &Cell, [x, y, width, height]: [f64; 4], marks: &mut Marks) {
    let class = match cell.style {
        MarkStyle::Step(step) => format!("chart-part step-{step}"),
        MarkStyle::Verdict(verdict) => format!("chart-part {}", bars::verdict_class(verdict)),
        MarkStyle::Series(series) => format!("series-{}", tint(series)),
        MarkStyle::Kind(kind) => format!("chart-part {}", bars::kind_class(kind)),
        MarkStyle::Empty => "chart-none".into(),
    };
    let end = marks.open(out, &class, &cell.tip, cell.href.as_deref());
    _ = write!(out, r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="2"/>"#);
    if !cell.text.is_empty() {
        let (middle, base) = (x + width / 2.0, y + height / 2.0 + 4.5);
        _ = write!(out, r#"<text x="{middle}" y="{base}" text-anchor="middle">{}</text>"#, escape(&cell.text));
    }
    out.push_str(end);
}

fn scatter(out: &mut String, x: &(Axis, String), y: &(Axis, String), dots: &[Dot], marks: &mut Marks) {
    let [left, top, right, bottom] = ROOM;
    // Room for displaced dots at the ends of both scales.
    const INSET: f64 = AWAY + 5.0;
    rules(out, &inset(&y.0, INSET / (SCATTER.1 - top - bottom - 2.0 * INSET)), SCATTER);
    let foot = SCATTER.1 - bottom;
    for (value, text) in &x.0.ticks {
        let at = along(&x.0, *value, left + INSET, SCATTER.0 - right - INSET);
        let base = foot + 18.0;
        _ = write!(
            out,
            r#"<line class="chart-grid" x1="{at:.1}" x2="{at:.1}" y1="{top}" y2="{foot}"/><text class="chart-tick" x="{at:.1}" y="{base}" text-anchor="middle">{}</text>"#,
            escape(text)
        );
    }
    let (end, low) = (SCATTER.0 - right, SCATTER.1 - 6.0);
    _ = write!(
        out,
        r#"<text class="chart-label" x="0" y="14">{}</text><text class="chart-label" x="{end}" y="{low}" text-anchor="end">{}</text>"#,
        escape(&y.1),
        escape(&x.1)
    );
    let at = |dot: &Dot| {
        (along(&x.0, dot.x, left + INSET, SCATTER.0 - right - INSET), along(&y.0, dot.y, foot - INSET, top + INSET))
    };
    for (dot, (x, y)) in dots.iter().zip(apart(dots.iter().map(at))) {
        let (class, mark) = match dot.of {
            DotStyle::Series(series) => (format!("chart-dot series-{}", tint(series)), shape(series, x, y, 4.5)),
            DotStyle::Bin(share) => {
                let r = (BIN_RADIUS * share.clamp(0.0, 1.0).sqrt()).max(1.5);
                ("chart-dot series-0".to_owned(), format!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="{r:.1}"/>"#))
            }
        };
        let end = marks.open(out, &class, &dot.tip, dot.href.as_deref());
        _ = write!(out, "{mark}{end}");
    }
}

/// The axis extended at both ends by a share of its length.
pub(super) fn inset(axis: &Axis, share: f64) -> Axis {
    let more = (axis.high - axis.low) * share;
    Axis { low: axis.low - more, high: axis.high + more, ticks: axis.ticks.clone(), ..axis.clone() }
}

/// Separates overlapping dots: the n-th dot at a position moves n steps along a sunflower spiral, wide
/// enough that dots do not touch while there is room, but at most [`AWAY`]. The same positions
/// always move in the same way.
fn apart(places: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    const GOLDEN: f64 = 2.399_963_229_728_653;
    let places: Vec<(f64, f64)> = places.collect();
    // Positions within two pixels count as equal.
    let whole = |(x, y): &(f64, f64)| ((x / 2.0).round() as i64, (y / 2.0).round() as i64);
    let mut bins: HashMap<(i64, i64), (u32, u32)> = HashMap::new();
    for place in &places {
        bins.entry(whole(place)).or_default().0 += 1;
    }
    let moved = |place: &(f64, f64)| {
        let (all, before) = bins.entry(whole(place)).or_default();
        let n = f64::from(*before);
        *before += 1;
        let step = (AWAY / f64::from(*all).sqrt()).min(7.0);
        let (away, angle) = (step * n.sqrt(), n * GOLDEN);
        (place.0 + away * angle.cos(), place.1 + away * angle.sin())
    };
    places.iter().map(moved).collect()
}

/// A model's color. When the palette repeats, it is shifted against the shapes, so that no two of 36 models
/// share both.
pub fn tint(series: usize) -> usize {
    (series + series / SERIES) % SERIES
}

/// A model's shape, which distinguishes models without color.
fn shape(series: usize, x: f64, y: f64, r: f64) -> String {
    let points = |corners: &[(f64, f64)]| {
        let each = corners.iter().map(|(dx, dy)| format!("{:.1},{:.1}", x + r * dx, y + r * dy));
        format!(r#"<polygon points="{}"/>"#, each.collect::<Vec<_>>().join(" "))
    };
    match series % SERIES {
        0 => format!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="{r}"/>"#),
        1 => points(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
        2 => points(&[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)]),
        3 => points(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)]),
        4 => points(&[(0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)]),
        _ => points(&[
            (-0.4, -1.2),
            (0.4, -1.2),
            (0.4, -0.4),
            (1.2, -0.4),
            (1.2, 0.4),
            (0.4, 0.4),
            (0.4, 1.2),
            (-0.4, 1.2),
            (-0.4, 0.4),
            (-1.2, 0.4),
            (-1.2, -0.4),
            (-0.4, -0.4),
        ]),
    }
}

/// The space around the cells of a grid, in pixels, and how much of a name fits into it, in Latin characters.
struct GridRoom {
    /// Left, for the names of models.
    names: f64,
    model: usize,
    /// Above each band, for the names of tasks.
    head: f64,
    task: usize,
    /// Right.
    right: f64,
    /// Whether each column has its name, at a slant.
    slanted: bool,
}

impl GridRoom {
    fn of(tasks: usize) -> GridRoom {
        if tasks <= FEW {
            GridRoom { names: 196.0, model: 24, head: 116.0, task: 24, right: 100.0, slanted: true }
        } else {
            GridRoom { names: NAMES, model: 16, head: 22.0, task: 12, right: 2.0, slanted: false }
        }
    }

    fn band_height(&self, models: usize) -> f64 {
        self.head + GRID * models as f64 + 14.0
    }
}

fn grid(out: &mut String, models: &[String], tasks: &[TaskColumn], marks: &mut Marks) {
    let room = GridRoom::of(tasks.len());
    for (b, band) in tasks.chunks(BAND).enumerate() {
        let top = room.band_height(models.len()) * b as f64;
        for (m, name) in models.iter().enumerate() {
            let (edge, base) = (room.names - 8.0, top + room.head + GRID * (m as f64 + 0.5) + 4.5);
            let name = escape(&short(name, room.model));
            _ = write!(out, r#"<text class="chart-label" x="{edge}" y="{base}" text-anchor="end">{name}</text>"#);
        }
        for (t, task) in band.iter().enumerate() {
            let x = room.names + GRID * t as f64;
            let (base, name) = (top + room.head - 8.0, escape(&short(&task.name, room.task)));
            if room.slanted {
                let middle = x + GRID / 2.0;
                _ = write!(
                    out,
                    r#"<text class="chart-tick" x="{middle}" y="{base}" transform="rotate(-45 {middle} {base})">{name}</text>"#
                );
            } else if t % 5 == 0 {
                // Every fifth name, to avoid overlaps.
                _ = write!(out, r#"<text class="chart-tick" x="{x}" y="{base}">{name}</text>"#);
            }
            for (m, one) in task.cells.iter().enumerate() {
                let y = top + room.head + GRID * m as f64;
                cell(out, one, [x, y, GRID - 2.0, GRID - 2.0], marks);
            }
        }
    }
}

/// Truncates a name to the available width.
pub(super) fn short(name: &str, most: usize) -> String {
    // A Chinese character is twice as wide as a Latin one.
    let wide = |c: char| if c >= '\u{2e80}' { 2 } else { 1 };
    if name.chars().map(wide).sum::<usize>() <= most {
        return name.to_owned();
    }
    let mut room = most.saturating_sub(1);
    let kept = name.chars().take_while(|c| {
        let fits = room >= wide(*c);
        room = room.saturating_sub(wide(*c));
        fits
    });
    format!("{}…", kept.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::NamedPoint;
    use model::ratings::Interval;

    #[test]
    fn overlapping_dots_are_separated() {
        let moved = apart(std::iter::repeat_n((100.0, 100.0), 40));
        assert_eq!(moved[0], (100.0, 100.0), "the first stays");
        for (i, a) in moved.iter().enumerate() {
            assert!((a.0 - 100.0).hypot(a.1 - 100.0) <= AWAY);
            for b in &moved[i + 1..] {
                assert!((a.0 - b.0).hypot(a.1 - b.1) > 1.5, "{a:?} {b:?}");
            }
        }
        assert_eq!(moved, apart(std::iter::repeat_n((100.0, 100.0), 40)), "always the same way");
    }

    #[test]
    fn models_beyond_the_palette_have_unique_marks() {
        let mark = |series: usize| (tint(series), shape(series, 0.0, 0.0, 1.0));
        let marks: std::collections::HashSet<_> = (0..36).map(mark).collect();
        assert_eq!(marks.len(), 36);
        assert!((0..SERIES).all(|series| tint(series) == series));
    }

    #[test]
    fn names_are_truncated() {
        let check = |name, most, expected| assert_eq!(short(name, most), expected);
        check("Copilot", 9, "Copilot");
        check("aiXcoder XL", 9, "aiXcoder…");
        check("模型模型模型", 9, "模型模型…");
        check("", 3, "");
    }

    fn cell_of(style: MarkStyle) -> Cell {
        Cell { style, text: "<b>".into(), tip: "a & b".into(), href: None }
    }

    fn figure(chart: Chart) -> Figure {
        Figure {
            id: "f".into(),
            title: "T <script>".into(),
            desc: "D".into(),
            chart,
            legend: vec![],
            table: Default::default(),
        }
    }

    #[test]
    fn chart_is_one_tab_stop_and_escapes_text() {
        let pictures = [
            Chart::Heat {
                names: vec!["<i>".into(), "b".into()],
                rows: vec![vec![cell_of(MarkStyle::Empty), cell_of(MarkStyle::Step(3))]; 2],
            },
            Chart::Grid {
                models: vec!["<i>".into()],
                tasks: vec![TaskColumn { name: "<u>".into(), cells: vec![cell_of(MarkStyle::Step(0))] }; 90],
            },
            Chart::Columns {
                axis: Axis::scores(1, 4),
                groups: vec![Group {
                    name: "<i>".into(),
                    bars: vec![ColumnBar {
                        value: Some(2.0),
                        interval: None,
                        text: "2 <b>".into(),
                        href: Some("<b>".into()),
                    }],
                }],
            },
            Chart::Scatter {
                x: (Axis::scores(0, 1), "<x>".into()),
                y: (Axis::scores(1, 4), "<y>".into()),
                dots: vec![Dot { x: 0.5, y: 2.0, of: DotStyle::Series(7), tip: "<tip>".into(), href: None }; 3],
            },
            Chart::Scatter {
                x: (Axis::scores(0, 1), "<x>".into()),
                y: (Axis::scores(1, 4), "<y>".into()),
                dots: vec![Dot { x: 0.5, y: 2.0, of: DotStyle::Bin(0.5), tip: "<tip>".into(), href: None }],
            },
            Chart::Tradeoff {
                x: (Axis::scores(0, 1), "<x>".into()),
                y: (Axis::scores(1, 4), "<y>".into()),
                points: vec![
                    NamedPoint {
                        amount: 0.5,
                        x: 0.5,
                        y: 2.0,
                        interval: Some(Interval { low: 1.5, high: 2.5 }),
                        name: "<i>".into(),
                        tip: "<tip>".into(),
                        href: None,
                    };
                    2
                ],
                frontier: vec![0],
            },
        ];
        for chart in pictures {
            let svg = page(&figure(chart.clone()));
            assert_eq!(svg.matches(r#"tabindex="0""#).count(), 1, "{svg}");
            for wrong in ["<script>", "<i>", "<b>", "<u>", "<x>", "<tip>"] {
                assert!(!svg.contains(wrong), "{wrong} in {svg}");
            }
            assert!(!inside(&chart).contains("tabindex"));
        }
    }

    #[test]
    fn a_grid_is_as_high_as_its_bands() {
        let tasks = |n| vec![TaskColumn { name: "1".into(), cells: vec![cell_of(MarkStyle::Empty)] }; n];
        let size = |n| size(&Chart::Grid { models: vec!["m".into()], tasks: tasks(n) });
        assert_eq!(size(161).height, 5.0 * size(40).height);
        assert_eq!(size(161).width, size(40).width);
        assert!(size(3).width < size(40).width);
    }

    #[test]
    fn few_columns_all_have_their_names() {
        let named = |n: usize| {
            let column = |at: usize| TaskColumn { name: format!("kind {at}"), cells: vec![cell_of(MarkStyle::Empty)] };
            let tasks = (0..n).map(column).collect();
            inside(&Chart::Grid { models: vec!["m".into()], tasks }).matches(">kind ").count()
        };
        assert_eq!((named(1), named(FEW), named(FEW + 1)), (1, FEW, 3));
    }
}
