//! Draws points with names and intervals, and the line of the best value for an amount.
//!
//! Must stay true: no name covers another name or a point. A name without a free place is left out; the tooltip and the
//! table below the chart have it.

use std::fmt::Write;

use model::ratings::Interval;

use super::{
    bars::{Axis, Marks, escape},
    draw::{along, inset, short},
    figure::NamedPoint,
};

/// Width and height.
pub const SIZE: (f64, f64) = (640.0, 400.0);
/// Margins: left, top, right, bottom. The texts of the scales have room in the large letters of a phone.
const ROOM: [f64; 4] = [64.0, 26.0, 16.0, 58.0];
/// Distance of the outermost points from the ends of a scale.
const INSET: f64 = 20.0;
/// Radius of a point.
const RADIUS: f64 = 5.0;
/// Longest name, in Latin characters.
const LONGEST: usize = 22;
/// Most points whose names are placed; with more, a chart has no room for further names.
const MOST_NAMES: usize = 200;
/// Size of letters on a phone, and the largest elsewhere, in the chart's pixels.
const LETTERS: [f64; 2] = [20.0, 16.0];

/// A rectangle that a name must not cover.
#[derive(Clone, Copy)]
struct Area {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Area {
    fn meets(&self, other: &Area) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }
}

/// Where a name is written.
struct Name {
    x: f64,
    base: f64,
    anchor: &'static str,
    /// Whether there is no room for it in the large letters of a phone.
    spare: bool,
}

/// A point in pixels, with the ends of its interval.
struct Place {
    x: f64,
    y: f64,
    reach: Option<(f64, f64)>,
}

/// Scales, frontier, intervals, points, names.
pub fn body(
    out: &mut String,
    (x, y): (&(Axis, String), &(Axis, String)),
    points: &[NamedPoint],
    frontier: &[usize],
    marks: &mut Marks,
) {
    let [left, top, right, bottom] = ROOM;
    let (end, foot) = (SIZE.0 - right, SIZE.1 - bottom);
    let tall = inset(&y.0, INSET / (foot - top - 2.0 * INSET));
    for (value, text) in &y.0.ticks {
        let (at, edge) = (along(&tall, *value, foot, top), left - 8.0);
        let base = at + 4.5;
        _ = write!(
            out,
            r#"<line class="chart-grid" x1="{left}" x2="{end}" y1="{at:.1}" y2="{at:.1}"/><text class="chart-tick" x="{edge}" y="{base:.1}" text-anchor="end">{}</text>"#,
            escape(text)
        );
    }
    for (value, text) in &x.0.ticks {
        let (at, base) = (along(&x.0, *value, left + INSET, end - INSET), foot + 20.0);
        _ = write!(
            out,
            r#"<line class="chart-grid" x1="{at:.1}" x2="{at:.1}" y1="{top}" y2="{foot}"/><text class="chart-tick" x="{at:.1}" y="{base}" text-anchor="middle">{}</text>"#,
            escape(text)
        );
    }
    let low = SIZE.1 - 6.0;
    _ = write!(
        out,
        r#"<text class="chart-label" x="0" y="14">{}</text><text class="chart-label" x="{end}" y="{low}" text-anchor="end">{}</text>"#,
        escape(&y.1),
        escape(&x.1)
    );
    let vertical = |value: f64| along(&tall, value, foot, top);
    let places: Vec<Place> = points
        .iter()
        .map(|point| Place {
            x: along(&x.0, point.x, left + INSET, end - INSET),
            y: vertical(point.y),
            reach: point.interval.map(|Interval { low, high }| (vertical(low), vertical(high))),
        })
        .collect();
    let steps = line(out, &places, frontier, end);
    for Place { x, reach, .. } in &places {
        if let Some((low, high)) = reach {
            _ = write!(out, r#"<path class="chart-whisker" d="M{x:.1} {low:.1}V{high:.1}"/>"#);
        }
    }
    for (at, (point, Place { x, y, .. })) in points.iter().zip(&places).enumerate() {
        let class = if frontier.contains(&at) { "chart-dot series-0" } else { "chart-dot chart-hollow" };
        let end = marks.open(out, class, &point.tip, point.href.as_deref());
        _ = write!(out, r#"<circle cx="{x:.1}" cy="{y:.1}" r="{RADIUS}"/>{end}"#);
    }
    for (point, name) in points.iter().zip(names(points, &places, frontier, &steps)) {
        let Some(Name { x, base, anchor, spare }) = name else { continue };
        let class = if spare { "chart-name chart-spare" } else { "chart-name" };
        _ = write!(
            out,
            r#"<text class="{class}" x="{x:.1}" y="{base:.1}" text-anchor="{anchor}" aria-hidden="true">{}</text>"#,
            escape(&short(&point.name, LONGEST))
        );
    }
}

/// Steps from point to point: as high as the best value for at most this amount. Returns where they are.
fn line(out: &mut String, places: &[Place], frontier: &[usize], end: f64) -> Vec<Area> {
    let mut each = frontier.iter().filter_map(|at| places.get(*at));
    let Some(first) = each.next() else { return Vec::new() };
    let mut path = format!("M{:.1} {:.1}", first.x, first.y);
    let (mut before, mut steps) = ((first.x, first.y), Vec::new());
    let flat = |left: f64, right: f64, y: f64| Area { left, top: y - 1.0, right, bottom: y + 1.0 };
    for Place { x, y, .. } in each {
        _ = write!(path, "H{x:.1}V{y:.1}");
        steps.push(flat(before.0, *x, before.1));
        steps.push(Area { left: x - 1.0, top: y.min(before.1), right: x + 1.0, bottom: y.max(before.1) });
        before = (*x, *y);
    }
    steps.push(flat(before.0, end, before.1));
    _ = write!(out, r#"<path class="chart-frontier" d="{path}H{end:.1}"/>"#);
    steps
}

/// A place for each name, those of the frontier first; `None` where none is free.
fn names(points: &[NamedPoint], places: &[Place], frontier: &[usize], steps: &[Area]) -> Vec<Option<Name>> {
    let dot = |place: &Place| Area {
        left: place.x - RADIUS - 1.0,
        top: place.y - RADIUS - 1.0,
        right: place.x + RADIUS + 1.0,
        bottom: place.y + RADIUS + 1.0,
    };
    let reach = |place: &Place| {
        let (low, high) = place.reach?;
        Some(Area { left: place.x - 1.5, top: high, right: place.x + 1.5, bottom: low })
    };
    let mut occupied: Vec<Area> = places.iter().map(dot).collect();
    let crossed: Vec<Area> = places.iter().filter_map(reach).chain(steps.iter().copied()).collect();
    let rest = (0..points.len()).filter(|at| !frontier.contains(at));
    let order: Vec<usize> = frontier.iter().copied().chain(rest).take(MOST_NAMES).collect();
    let mut found: Vec<Option<Name>> = points.iter().map(|_| None).collect();
    // Next to intervals and the frontier as far as possible, and over them rather than not at all: names have a halo.
    for (letters, over_lines) in [(LETTERS[0], false), (LETTERS[1], false), (LETTERS[1], true)] {
        for at in &order {
            let (Some(point), Some(place), Some(None)) = (points.get(*at), places.get(*at), found.get(*at)) else {
                continue;
            };
            let width = wide(&short(&point.name, LONGEST)) * letters;
            let is_free = |(_, candidate): &(Name, Area)| {
                let lines: &[Area] = if over_lines { &[] } else { &crossed };
                !occupied.iter().chain(lines).any(|other| other.meets(candidate))
            };
            let spare = letters < LETTERS[0];
            let Some((name, own)) = around(place, width, letters, spare).into_iter().find(is_free) else { continue };
            occupied.push(own);
            if let Some(slot) = found.get_mut(*at) {
                *slot = Some(name);
            }
        }
    }
    found
}

/// The places around a point for a text of this width that are inside the chart, the best first.
fn around(place: &Place, width: f64, letters: f64, spare: bool) -> Vec<(Name, Area)> {
    let gap = RADIUS + 4.0;
    let (middle, above, below) = (place.y + 0.35 * letters, place.y - gap, place.y + gap + 0.75 * letters);
    let (after, before) = (place.x + gap, place.x - gap);
    let candidates = [
        (after, middle, "start"),
        (before, middle, "end"),
        (after, above, "start"),
        (after, below, "start"),
        (before, above, "end"),
        (before, below, "end"),
        (place.x, above - 2.0, "middle"),
        (place.x, below + 2.0, "middle"),
    ];
    let [left, top, right, bottom] = ROOM;
    let boxed = candidates.into_iter().map(|(x, base, anchor)| {
        let start = match anchor {
            "start" => x,
            "end" => x - width,
            _ => x - width / 2.0,
        };
        let own = Area { left: start, top: base - 0.8 * letters, right: start + width, bottom: base + 0.25 * letters };
        (Name { x, base, anchor, spare }, own)
    });
    let is_inside = |own: &Area| {
        own.left >= left && own.right <= SIZE.0 - right + 8.0 && own.top >= top && own.bottom <= SIZE.1 - bottom
    };
    boxed.filter(|(_, own)| is_inside(own)).collect()
}

/// The width of a text in units of its letters' size, generously.
fn wide(text: &str) -> f64 {
    text.chars().map(|c| if c >= '\u{2e80}' { 1.02 } else { 0.6 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: f64, y: f64, name: &str) -> NamedPoint {
        NamedPoint { amount: x, x, y, interval: None, name: name.into(), tip: name.into(), href: None }
    }

    fn placed(points: &[NamedPoint], frontier: &[usize]) -> Vec<(usize, Area)> {
        let places: Vec<Place> =
            points.iter().map(|p| Place { x: p.x, y: p.y, reach: Some((p.y + 30.0, p.y - 30.0)) }).collect();
        let steps = line(&mut String::new(), &places, frontier, 600.0);
        let found = names(points, &places, frontier, &steps);
        let boxed = found.into_iter().enumerate().filter_map(|(at, name)| {
            let Name { x, base, anchor, spare } = name?;
            let letters = if spare { LETTERS[1] } else { LETTERS[0] };
            let width = wide(&short(&points[at].name, LONGEST)) * letters;
            let left = match anchor {
                "start" => x,
                "end" => x - width,
                _ => x - width / 2.0,
            };
            Some((at, Area { left, top: base - 0.8 * letters, right: left + width, bottom: base + 0.25 * letters }))
        });
        boxed.collect()
    }

    #[test]
    fn names_cover_neither_each_other_nor_points() {
        // A crowd around one place, and points along the edges.
        let mut points: Vec<NamedPoint> = (0..40)
            .map(|n| {
                let (step, turn) = (f64::from(n), f64::from(n) * 2.4);
                point(320.0 + 4.0 * step * turn.cos(), 190.0 + 3.0 * step * turn.sin(), &format!("Model number {n}"))
            })
            .collect();
        points.extend([point(70.0, 40.0, "左上角的模型"), point(620.0, 350.0, "A rather long name of a model")]);
        let found = placed(&points, &[39]);
        assert!((6..points.len()).contains(&found.len()), "{} names", found.len());
        assert!(found.iter().any(|(at, _)| *at == 39), "the frontier's name comes first");
        for (n, (at, own)) in found.iter().enumerate() {
            assert!(
                own.left >= ROOM[0] && own.right <= SIZE.0 && own.top >= ROOM[1],
                "{} leaves the chart",
                points[*at].name
            );
            for (other, occupied) in &found[n + 1..] {
                assert!(!own.meets(occupied), "{} covers {}", points[*at].name, points[*other].name);
            }
            for dot in &points {
                let occupied = Area { left: dot.x - 5.0, top: dot.y - 5.0, right: dot.x + 5.0, bottom: dot.y + 5.0 };
                assert!(!own.meets(&occupied), "{} covers the point of {}", points[*at].name, dot.name);
            }
        }
    }

    #[test]
    fn two_points_at_one_place_have_both_names() {
        assert_eq!(placed(&[point(300.0, 200.0, "Saltmarsh"), point(300.0, 200.0, "Northwind")], &[0]).len(), 2);
    }

    #[test]
    fn frontier_goes_up_in_steps_to_the_end() {
        let place = |x, y| Place { x, y, reach: None };
        let mut out = String::new();
        let steps = line(&mut out, &[place(10.0, 90.0), place(50.0, 95.0), place(70.0, 40.0)], &[0, 2], 100.0);
        assert_eq!(steps.len(), 3, "two flat ones and one up");
        assert_eq!(out, r#"<path class="chart-frontier" d="M10.0 90.0H70.0V40.0H100.0"/>"#);
        out.clear();
        assert_eq!(line(&mut out, &[], &[], 100.0).len(), 0);
        assert_eq!(out, "");
    }
}
