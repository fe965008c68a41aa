//! Builds the charts of a comparison from figures. Called by [`compared`](super::compared);
//! all text is in the requested language.

use std::collections::BTreeMap;

use model::{ratings::Interval, run::Verdict, stats::Kappa};
use texts::I18n;

use super::{
    bars::{Axis, Bar, Mark, Part, kind_class, share_step, signed, step, step_class, verdict_class},
    figure::{
        Cell, Chart, ColumnBar, Dot, DotStyle, Figure, Group, KINDS, Key, MarkStyle, NamedPoint, Table, TaskColumn,
    },
};

/// Link target of a mark; `None` in a file.
pub type LinkFor<'a, T> = &'a dyn Fn(T) -> Option<String>;

/// Distribution of scores per model. `levels` are scores with their labels, lowest first; `models` are
/// names with a count per level. `way` gives the link target for a model's index and a score.
pub fn distribution(
    i: I18n,
    id: &str,
    name: &str,
    levels: &[(u8, String)],
    models: &[(String, Vec<u64>)],
    way: LinkFor<(usize, u8)>,
) -> Figure {
    let t = i.chart();
    let bars = models.iter().enumerate().map(|(at, (model, counts))| {
        let whole: u64 = counts.iter().sum();
        let part = |(place, ((score, _), count)): (usize, (&(u8, String), &u64))| Part {
            size: *count,
            name: score.to_string(),
            class: step_class(step(place, levels.len())),
            tip: (t.part_tip)(model, *score, *count, whole),
            href: way((at, *score)),
        };
        Bar {
            label: model.clone(),
            note: (t.ratings)(whole),
            parts: levels.iter().zip(counts).enumerate().map(part).collect(),
        }
    });
    let legend = levels.iter().enumerate().map(|(at, (score, label))| Key {
        style: MarkStyle::Step(step(at, levels.len())),
        text: format!("{score} {label}").trim_end().to_owned(),
    });
    let head = std::iter::once(t.model.to_owned()).chain(levels.iter().map(|(score, _)| score.to_string()));
    let rows = models.iter().map(|(model, counts)| {
        let each = (0..levels.len()).map(|at| i.number(counts.get(at).copied().unwrap_or(0)));
        let sum = i.number(counts.iter().sum());
        std::iter::once(model.clone()).chain(each).chain([sum]).collect()
    });
    Figure {
        id: format!("{id}-distribution"),
        title: (t.distribution_title)(name),
        desc: t.distribution_desc.into(),
        chart: Chart::Stacked { nothing: t.no_ratings.into(), bars: bars.collect() },
        legend: legend.collect(),
        table: Table {
            head: head.chain([t.sum.to_owned()]).collect(),
            rows: rows.collect(),
            links: ways(models, levels.iter().map(|(score, _)| *score), way),
        },
    }
}

/// Link targets of a table's counts above 0.
fn ways<K: Copy>(
    models: &[(String, Vec<u64>)],
    kinds: impl Iterator<Item = K> + Clone,
    way: LinkFor<(usize, K)>,
) -> BTreeMap<(usize, usize), String> {
    let cell = |at: usize, column: usize, kind: K, count: u64| {
        let href = (count > 0).then(|| way((at, kind))).flatten()?;
        Some(((at, column + 1), href))
    };
    let rows = models.iter().enumerate().flat_map(|(at, (_, counts))| {
        let kinds = kinds.clone().zip(counts).enumerate();
        kinds.filter_map(move |(column, (kind, count))| cell(at, column, kind, *count))
    });
    rows.collect()
}

/// Distribution of verdicts per model. `kinds` are verdicts with their names, from left to right;
/// `models` are names with a count per verdict.
pub fn verdicts(
    i: I18n,
    id: &str,
    kinds: &[(Verdict, String)],
    models: &[(String, Vec<u64>)],
    way: LinkFor<(usize, Verdict)>,
) -> Figure {
    let t = i.chart();
    let bars = models.iter().enumerate().map(|(at, (model, counts))| {
        let whole: u64 = counts.iter().sum();
        let part = |((verdict, name), count): (&(Verdict, String), &u64)| Part {
            size: *count,
            name: name.clone(),
            class: verdict_class(*verdict).to_owned(),
            tip: (t.verdict_tip)(model, name, *count, whole),
            href: way((at, *verdict)),
        };
        Bar { label: model.clone(), note: (t.outputs_n)(whole), parts: kinds.iter().zip(counts).map(part).collect() }
    });
    let legend = kinds.iter().map(|(verdict, name)| Key { style: MarkStyle::Verdict(*verdict), text: name.clone() });
    let head = std::iter::once(t.model.to_owned()).chain(kinds.iter().map(|(_, name)| name.clone()));
    let rows = models.iter().map(|(model, counts)| {
        let each = counts.iter().map(|n| i.number(*n));
        std::iter::once(model.clone()).chain(each).chain([i.number(counts.iter().sum())]).collect()
    });
    Figure {
        id: id.to_owned(),
        title: t.verdicts.into(),
        desc: t.verdicts_desc.into(),
        chart: Chart::Stacked { nothing: t.none.into(), bars: bars.collect() },
        legend: legend.collect(),
        table: Table {
            head: head.chain([t.sum.to_owned()]).collect(),
            rows: rows.collect(),
            links: ways(models, kinds.iter().map(|(verdict, _)| *verdict), way),
        },
    }
}

/// Failures of each model by class. `classes` are names with the counts of all models, the most frequent first; what
/// is beyond the colors for kinds is one gray part. The table has every class.
pub fn failures(i: I18n, id: &str, title: String, models: &[String], classes: &[(String, Vec<u64>)]) -> Figure {
    let t = i.chart();
    let (apart, rare) = classes.split_at(classes.len().min(KINDS));
    let mut shown = apart.to_vec();
    if !rare.is_empty() {
        let sum = |at| rare.iter().map(|(_, counts): &(String, Vec<u64>)| counts[at]).sum::<u64>();
        let name = if let [(one, _)] = rare { one.clone() } else { t.other_classes.to_owned() };
        shown.push((name, (0..models.len()).map(sum).collect()));
    }
    let bars = models.iter().enumerate().map(|(model, name)| {
        let whole: u64 = classes.iter().map(|(_, counts)| counts[model]).sum();
        let part = |(at, (class, counts)): (usize, &(String, Vec<u64>))| Part {
            size: counts[model],
            name: class.clone(),
            class: kind_class(at),
            tip: (t.failure_tip)(name, class, counts[model], whole),
            href: None,
        };
        Bar { label: name.clone(), note: (t.failures_n)(whole), parts: shown.iter().enumerate().map(part).collect() }
    });
    let legend =
        shown.iter().enumerate().map(|(at, (class, _))| Key { style: MarkStyle::Kind(at), text: class.clone() });
    let rows = models.iter().enumerate().map(|(model, name)| {
        let each = classes.iter().map(|(_, counts)| i.number(counts[model]));
        let sum = i.number(classes.iter().map(|(_, counts)| counts[model]).sum());
        std::iter::once(name.clone()).chain(each).chain([sum]).collect()
    });
    let head = std::iter::once(t.model.to_owned()).chain(classes.iter().map(|(class, _)| class.clone()));
    Figure {
        id: id.to_owned(),
        title,
        desc: t.failures_desc.into(),
        chart: Chart::Stacked { nothing: t.no_failures.into(), bars: bars.collect() },
        legend: legend.collect(),
        table: Table { head: head.chain([t.sum.to_owned()]).collect(), rows: rows.collect(), ..Table::default() },
    }
}

/// A row of an interval plot: a model, or a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// The value; rows without one are left out.
    pub value: Option<f64>,
    /// Its 95 % interval.
    pub interval: Option<Interval>,
    /// Number of tasks behind it.
    pub n: u64,
    /// Number of these tasks with a verdict, if not all have one; the others count as not passed.
    pub answered: Option<u64>,
    /// Letters of the groups within which no significant difference was found; empty without a test.
    pub letters: String,
    /// Link target.
    pub href: Option<String>,
}

/// Highest value first; entries without a value are left out.
pub fn by_value(mut entries: Vec<Entry>) -> Vec<Entry> {
    entries.retain(|entry| entry.value.is_some());
    entries.sort_by(|a, b| b.value.unwrap_or(f64::NAN).total_cmp(&a.value.unwrap_or(f64::NAN)));
    entries
}

/// Each model's mean with its interval, on a scale of whole scores, in the order given.
pub fn means(i: I18n, id: &str, name: &str, (low, high): (u8, u8), models: &[Entry]) -> Figure {
    let t = i.chart();
    let axis = Axis::scores(low, high).titled((t.axis_mean)(name, low, high));
    points(i, (format!("{id}-means"), (t.means_title)(name), t.means_desc), axis, models, |v| format!("{v:.2}"))
}

/// Shares of yes, 0 to 1, to an item of the checklist.
pub fn answers(i: I18n, id: &str, name: &str, models: &[Entry]) -> Figure {
    shares(i, &format!("{id}-means"), &(i.comparison().answers)(name), models)
}

/// Shares, 0 to 1, with their intervals, in percent; one row per model, in the order given.
pub fn shares(i: I18n, id: &str, metric: &str, models: &[Entry]) -> Figure {
    let t = i.chart();
    let percent = |entry: &Entry| Entry {
        value: entry.value.map(|v| v * 100.0),
        interval: entry.interval.map(|r| Interval { low: r.low * 100.0, high: r.high * 100.0 }),
        ..entry.clone()
    };
    let models: Vec<Entry> = models.iter().map(percent).collect();
    let titles = (id.to_owned(), (t.shares_title)(metric), t.shares_desc);
    points(i, titles, Axis::percent().titled(format!("{metric} (%)")), &models, |v| format!("{v:.1}%"))
}

fn points(
    i: I18n,
    (id, title, desc): (String, String, &str),
    axis: Axis,
    models: &[Entry],
    number: fn(f64) -> String,
) -> Figure {
    let t = i.chart();
    let models: Vec<&Entry> = models.iter().filter(|entry| entry.value.is_some()).collect();
    let marks = models.iter().map(|entry| Mark {
        label: entry.name.clone(),
        note: entry.value.map_or_else(|| t.none.into(), |v| with_ends(number(v), entry.interval, number)),
        value: entry.value,
        interval: entry.interval,
        n: entry.n,
        letters: entry.letters.clone(),
        strong: false,
        href: entry.href.clone(),
    });
    let lettered = models.iter().any(|entry| !entry.letters.is_empty());
    let rows = models.iter().map(|entry| {
        let mut cells = row(entry.name.clone(), entry.value, entry.interval, number);
        cells.push(i.number(entry.n));
        cells.extend(lettered.then(|| entry.letters.clone()));
        cells
    });
    let head = heads([t.model, t.mean, t.interval, t.n]).into_iter().chain(lettered.then(|| t.letters.to_owned()));
    Figure {
        id,
        title,
        desc: desc.into(),
        legend: Vec::new(),
        table: Table { head: head.collect(), rows: rows.collect(), ..Table::default() },
        chart: Chart::Intervals { axis, marks: marks.collect() },
    }
}

/// The difference of two models.
#[derive(Clone, Debug, PartialEq)]
pub struct PairDifference {
    /// First and second model of the difference.
    pub models: (String, String),
    /// The difference.
    pub value: Option<f64>,
    /// Its interval.
    pub interval: Option<Interval>,
    /// Number of common tasks.
    pub n: u64,
    /// Whether the difference is significant.
    pub separated: bool,
    /// Link target.
    pub href: Option<String>,
}

/// Pairwise differences with their intervals; in percentage points if `percent`.
pub fn differences(i: I18n, id: &str, name: &str, pairs: &[PairDifference], percent: bool) -> Figure {
    let t = i.chart();
    let scale = if percent { 100.0 } else { 1.0 };
    let number = |v: f64| signed(v, if percent { 1 } else { 2 });
    let scaled = |r: Interval| Interval { low: r.low * scale, high: r.high * scale };
    let each = || pairs.iter().map(|p| (p, p.value.map(|v| v * scale), p.interval.map(scaled)));
    let label = |p: &PairDifference| format!("{} − {}", p.models.0, p.models.1);
    let marks = each().map(|(p, value, interval)| Mark {
        label: label(p),
        note: value.map_or_else(|| t.none.into(), |v| with_ends(number(v), interval, number)),
        value,
        interval,
        n: p.n,
        letters: String::new(),
        strong: p.separated,
        href: p.href.clone(),
    });
    let reach = each().flat_map(|(_, value, interval)| [value, interval.map(|r| r.low), interval.map(|r| r.high)]);
    let unit = if percent { t.axis_points } else { t.axis_levels };
    let axis = Axis::differences(reach.flatten()).titled((t.axis_difference)(name, unit));
    let rows = each().map(|(p, value, interval)| row(label(p), value, interval, number));
    Figure {
        id: format!("{id}-differences"),
        title: (t.differences_title)(name),
        desc: t.differences_desc.into(),
        legend: Vec::new(),
        table: Table { head: heads([t.pair, t.difference, t.interval]), rows: rows.collect(), ..Table::default() },
        chart: Chart::Intervals { axis, marks: marks.collect() },
    }
}

/// Quadratic-weighted kappa of each pair of raters. `raters` are indices with display names.
pub fn rater_agreement(i: I18n, id: &str, name: &str, raters: &[(u32, String)], kappas: &[Kappa]) -> Figure {
    let t = i.chart();
    let found = |a: u32, b: u32| kappas.iter().find(|k| (k.first, k.second) == (a, b) || (k.first, k.second) == (b, a));
    let value = |k: &Kappa| k.kappa.map_or_else(|why| (t.why)(why), |e| signed(e.value, 2).replace('+', ""));
    let cell = |(a, first): &(u32, String), (b, second): &(u32, String)| {
        if a == b {
            return Cell {
                style: MarkStyle::Empty,
                text: String::new(),
                tip: format!("{first}: {}", t.itself),
                href: None,
            };
        }
        match found(*a, *b) {
            None => Cell {
                style: MarkStyle::Empty,
                text: "–".into(),
                tip: (t.kappa_tip)(first, second, t.none, 0),
                href: None,
            },
            Some(k) => {
                let tip = (t.kappa_tip)(first, second, &value(k), k.outputs);
                match k.kappa {
                    // Kappas of 0 and below are lightest.
                    Ok(e) => Cell { style: MarkStyle::Step(share_step(e.value)), text: value(k), tip, href: None },
                    Err(_) => Cell { style: MarkStyle::Empty, text: "–".into(), tip, href: None },
                }
            }
        }
    };
    let rows = raters.iter().map(|a| raters.iter().map(|b| cell(a, b)).collect()).collect();
    let called = |rater: u32| raters.iter().find(|(r, _)| *r == rater).map_or("?", |(_, name)| name.as_str());
    let lines = kappas.iter().map(|k| {
        let ends = k.kappa.ok().and_then(|e| e.interval.ok());
        let pair = format!("{} – {}", called(k.first), called(k.second));
        vec![pair, value(k), range(ends, |v| signed(v, 2).replace('+', "")), i.number(k.outputs.into())]
    });
    Figure {
        id: format!("{id}-raters"),
        title: (t.heat_title)(name),
        desc: t.heat_desc.into(),
        chart: Chart::Heat { names: raters.iter().map(|(_, name)| name.clone()).collect(), rows },
        legend: [0.0, 0.25, 0.5, 0.75, 1.0]
            .map(|v| Key {
                style: MarkStyle::Step(share_step(v)),
                text: if v == 0.0 { "≤ 0".into() } else { format!("{v}") },
            })
            .into(),
        table: Table {
            head: heads([t.pair, t.kappa, t.interval, t.outputs]),
            rows: lines.collect(),
            ..Table::default()
        },
    }
}

/// One output that has both tests and ratings.
#[derive(Clone, Debug, PartialEq)]
pub struct TestedRating {
    /// Index of the model.
    pub model: usize,
    /// The task's name.
    pub task: String,
    /// Its pass ratio, 0 to 1.
    pub ratio: f64,
    /// Its mean score.
    pub score: f64,
    /// Link target.
    pub href: Option<String>,
}

/// Pass ratio against the mean score of people.
pub fn tests_and_people(
    i: I18n,
    id: &str,
    name: &str,
    (low, high): (u8, u8),
    models: &[String],
    points: &[TestedRating],
) -> Figure {
    let t = i.chart();
    let called = |m: usize| models.get(m).map_or("?", String::as_str);
    let dots = points.iter().map(|p| Dot {
        x: p.ratio,
        y: p.score,
        of: DotStyle::Series(p.model),
        tip: (t.dot_tip)(called(p.model), &p.task, p.ratio, p.score),
        href: p.href.clone(),
    });
    let rows = points.iter().map(|p| {
        vec![p.task.clone(), called(p.model).to_owned(), format!("{:.1}%", p.ratio * 100.0), format!("{:.2}", p.score)]
    });
    let links = points.iter().enumerate().filter_map(|(at, p)| Some(((at, 0), p.href.clone()?)));
    Figure {
        id: format!("{id}-both"),
        title: (t.scatter_title)(name),
        desc: t.scatter_desc.into(),
        chart: scatter(i, (low, high), dots.collect()),
        legend: series(models),
        table: Table {
            head: heads([t.task, t.model, t.pass_ratio, t.human_score]),
            rows: rows.collect(),
            links: links.collect(),
        },
    }
}

/// Dots over pass ratio and score.
fn scatter(i: I18n, (low, high): (u8, u8), dots: Vec<Dot>) -> Chart {
    let t = i.chart();
    let ticks = [0.0, 0.25, 0.5, 0.75, 1.0].map(|v| (v, format!("{:.0}%", v * 100.0)));
    let x = Axis { low: 0.0, high: 1.0, ticks: ticks.into(), zero: None, title: t.pass_ratio.into() };
    Chart::Scatter { x: (x, t.pass_ratio.into()), y: (Axis::scores(low, high), t.human_score.into()), dots }
}

/// A model's score and the tokens of its outputs.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenScore {
    /// Name of the model.
    pub name: String,
    /// Mean number of generated tokens, above 0.
    pub tokens: f64,
    /// Outputs behind this mean, of all.
    pub outputs: (u64, u64),
    /// The score.
    pub value: f64,
    /// Its interval.
    pub interval: Option<Interval>,
    /// Link target.
    pub href: Option<String>,
}

/// What a score is measured on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreScale {
    /// Scores from low to high.
    Scores(u8, u8),
    /// Shares, 0 to 1, drawn in percent.
    Shares,
}

/// The score of each model against the mean number of tokens that it generates for an output. The frontier has the models
/// that no other one beats: none has at least their score with fewer tokens, or a higher score with no more.
pub fn against_tokens(i: I18n, id: &str, name: &str, scale: ScoreScale, models: &[TokenScore]) -> Figure {
    let t = i.chart();
    let (axis, number, unit): (Axis, fn(f64) -> String, _) = match scale {
        ScoreScale::Scores(low, high) => (Axis::scores(low, high), |v| format!("{v:.2}"), 1.0),
        ScoreScale::Shares => (Axis::percent(), |v| format!("{v:.1}%"), 100.0),
    };
    let tokens = |amount: f64| match amount {
        few if few < 10.0 && few.fract() > 0.0 => format!("{few:.1}"),
        many => i.number(many.round() as u64),
    };
    let amounts: Vec<f64> = models.iter().map(|model| model.tokens).collect();
    let (x, place) = Axis::amounts(&amounts, tokens);
    let frontier = frontier(models);
    let scaled = |r: Interval| Interval { low: r.low * unit, high: r.high * unit };
    let points = models.iter().map(|model| {
        let (value, interval) = (model.value * unit, model.interval.map(scaled));
        NamedPoint {
            amount: model.tokens,
            x: place(model.tokens),
            y: value,
            interval,
            name: model.name.clone(),
            tip: (t.tokens_tip)(&model.name, &tokens(model.tokens), &with_ends(number(value), interval, number)),
            href: model.href.clone(),
        }
    });
    let points: Vec<NamedPoint> = points.collect();
    let rows = models.iter().zip(&points).enumerate().map(|(at, (model, point))| {
        let (counted, all) = model.outputs;
        let is_best = frontier.contains(&at);
        vec![
            model.name.clone(),
            tokens(model.tokens),
            (t.outputs_of)(&i.number(counted), &i.number(all)),
            number(point.y),
            range(point.interval, number),
            if is_best { t.on_frontier } else { "–" }.to_owned(),
        ]
    });
    Figure {
        id: format!("{id}-tokens"),
        title: (t.tokens_title)(name),
        desc: t.tokens_desc.into(),
        legend: Vec::new(),
        table: Table {
            head: heads([t.model, t.tokens_mean, t.outputs_all, name, t.interval, t.frontier]),
            rows: rows.collect(),
            ..Table::default()
        },
        chart: Chart::Tradeoff { x: (x, t.tokens_mean.into()), y: (axis, name.to_owned()), points, frontier },
    }
}

/// The models that no other one beats, by their tokens. Of models with the same tokens and score, all are. Without a sort,
/// of which each kind costs browsers kilobytes.
fn frontier(models: &[TokenScore]) -> Vec<usize> {
    let beats = |a: &TokenScore, b: &TokenScore| {
        (a.value >= b.value && a.tokens < b.tokens) || (a.value > b.value && a.tokens <= b.tokens)
    };
    let each = models.iter().enumerate();
    let mut left: Vec<(usize, f64)> = each
        .filter(|(_, model)| !models.iter().any(|other| beats(other, model)))
        .map(|(at, model)| (at, model.tokens))
        .collect();
    let mut found = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let mut next = 0;
        for (place, (_, tokens)) in left.iter().enumerate() {
            if left.get(next).is_some_and(|(_, fewest)| tokens < fewest) {
                next = place;
            }
        }
        found.push(left.remove(next).0);
    }
    found
}

/// Outputs in one cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Bin {
    /// Approximate pass ratio, 0 to 1.
    pub ratio: f64,
    /// Approximate mean score.
    pub score: f64,
    /// Number of outputs per model.
    pub models: Vec<u64>,
    /// Link target.
    pub href: Option<String>,
}

/// With more models, the table of cells has no column per model.
const COLUMNS: usize = 12;

/// Pass ratio against mean score for many outputs, as counts per cell.
pub fn bins(i: I18n, id: &str, name: &str, (low, high): (u8, u8), models: &[String], bins: &[Bin]) -> Figure {
    let t = i.chart();
    let sum = |bin: &Bin| bin.models.iter().sum::<u64>();
    let largest = bins.iter().map(sum).max().unwrap_or(1).max(1) as f64;
    let dots = bins.iter().map(|bin| Dot {
        x: bin.ratio,
        y: bin.score,
        of: DotStyle::Bin(sum(bin) as f64 / largest),
        tip: (t.bin_tip)(&i.number(sum(bin)), bin.ratio, bin.score),
        href: bin.href.clone(),
    });
    let each = if models.len() <= COLUMNS { models } else { &[] };
    let rows = bins.iter().map(|bin| {
        let place = [format!("{:.0}%", bin.ratio * 100.0), format!("{:.2}", bin.score), i.number(sum(bin))];
        let own = bin.models.iter().take(each.len()).map(|n| i.number(*n));
        place.into_iter().chain(own).collect()
    });
    let links = bins.iter().enumerate().filter_map(|(at, bin)| Some(((at, 0), bin.href.clone()?)));
    Figure {
        id: format!("{id}-both"),
        title: (t.scatter_title)(name),
        desc: t.bins_desc.into(),
        chart: scatter(i, (low, high), dots.collect()),
        legend: Vec::new(),
        table: Table {
            head: heads([t.pass_ratio, t.human_score, t.outputs_all]).into_iter().chain(each.iter().cloned()).collect(),
            rows: rows.collect(),
            links: links.collect(),
        },
    }
}

/// A task of [`grid`].
#[derive(Clone, Debug, PartialEq)]
pub struct GridTask {
    /// Its name.
    pub name: String,
    /// For each model the share of the best possible value, 0 to 1, and the figure as text.
    pub values: Vec<Option<(f64, String)>>,
    /// Link target.
    pub href: Option<String>,
}

/// The scale of shares, for the legend of a [`grid`].
pub fn percent_scale() -> Vec<(f64, String)> {
    [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| (share, format!("{:.0}%", share * 100.0))).into()
}

/// One cell per model and task. `scale` has the figures at some shares, lowest first, for the legend.
pub fn grid(i: I18n, id: &str, name: &str, models: &[String], tasks: &[GridTask], scale: &[(f64, String)]) -> Figure {
    let t = i.chart();
    let columns = tasks.iter().map(|GridTask { name: task, values, href }| {
        let cell = |(at, model): (usize, &String)| {
            let value = values.get(at).and_then(Option::as_ref);
            let said = value.map_or(t.none, |(_, text)| text.as_str());
            Cell {
                style: value.map_or(MarkStyle::Empty, |(share, _)| MarkStyle::Step(share_step(*share))),
                text: String::new(),
                tip: format!("{} {task}, {model}: {said}", t.task),
                href: href.clone(),
            }
        };
        TaskColumn { name: task.clone(), cells: models.iter().enumerate().map(cell).collect() }
    });
    let head = std::iter::once(t.task.to_owned()).chain(models.iter().cloned());
    let links = tasks.iter().enumerate().filter_map(|(at, task)| Some(((at, 0), task.href.clone()?)));
    let keys = scale.iter().map(|(share, text)| Key { style: MarkStyle::Step(share_step(*share)), text: text.clone() });
    let rows = tasks.iter().map(|GridTask { name: task, values, .. }| {
        let text = |at: usize| values.get(at).and_then(Option::as_ref).map_or("–".into(), |(_, text)| text.clone());
        std::iter::once(task.clone()).chain((0..models.len()).map(text)).collect()
    });
    Figure {
        id: format!("{id}-grid"),
        title: (t.grid_title)(name),
        desc: t.grid_desc.into(),
        legend: keys.chain([Key { style: MarkStyle::Empty, text: t.none.into() }]).collect(),
        table: Table { head: head.collect(), rows: rows.collect(), links: links.collect() },
        chart: Chart::Grid { models: models.to_vec(), tasks: columns.collect() },
    }
}

/// A group of columns: its name, and a value with its interval per model.
pub type ColumnGroup = (String, Vec<Option<(f64, Option<Interval>)>>);

/// Grouped columns as in the paper's two charts. `groups` are names with a figure per
/// model; `way` gives the link target of a column; the scale has a title and two ends.
pub fn columns(
    i: I18n,
    id: &str,
    title: &str,
    models: &[String],
    groups: &[ColumnGroup],
    (scale, low, top): (&str, f64, f64),
    way: LinkFor<(usize, usize)>,
) -> Figure {
    let t = i.chart();
    let number = |v: f64| format!("{v:.2}");
    let bars = groups.iter().enumerate().map(|(group, (name, values))| {
        let bar = |(at, model): (usize, &String)| {
            let (value, interval) = values.get(at).copied().flatten().unzip();
            let text = format!("{model}: {}", value.map_or_else(|| t.none.into(), number));
            ColumnBar { value, interval: interval.flatten(), text, href: way((group, at)) }
        };
        Group { name: name.clone(), bars: models.iter().enumerate().map(bar).collect() }
    });
    // Ticks at whole scores, or at quarters of other scales.
    let reach = top - low;
    let parts = if reach.fract() == 0.0 && (2.0..=9.0).contains(&reach) { reach } else { 4.0 };
    let ticks = (0..=parts as u32).map(|n| low + reach * f64::from(n) / parts).map(|v| (v, trimmed(v)));
    let axis = Axis { low, high: top, ticks: ticks.collect(), zero: None, title: scale.to_owned() };
    let head = std::iter::once(String::new()).chain(models.iter().cloned());
    let rows = groups.iter().map(|(name, values)| {
        let text = |at: usize| {
            values.get(at).copied().flatten().map_or("–".into(), |(v, within)| with_ends(number(v), within, number))
        };
        std::iter::once(name.clone()).chain((0..models.len()).map(text)).collect()
    });
    Figure {
        id: id.to_owned(),
        title: title.to_owned(),
        desc: t.columns_desc.into(),
        legend: series(models),
        table: Table { head: head.collect(), rows: rows.collect(), ..Table::default() },
        chart: Chart::Columns { axis, groups: bars.collect() },
    }
}

fn trimmed(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn series(models: &[String]) -> Vec<Key> {
    models.iter().enumerate().map(|(at, model)| Key { style: MarkStyle::Series(at), text: model.clone() }).collect()
}

fn heads<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).into()
}

fn row(name: String, value: Option<f64>, interval: Option<Interval>, number: impl Fn(f64) -> String) -> Vec<String> {
    vec![name, value.map_or("–".into(), &number), range(interval, number)]
}

fn range(interval: Option<Interval>, number: impl Fn(f64) -> String) -> String {
    interval.map_or("–".into(), |r| format!("[{}, {}]", number(r.low), number(r.high)))
}

fn with_ends(value: String, interval: Option<Interval>, number: impl Fn(f64) -> String) -> String {
    match interval {
        Some(_) => format!("{value} {}", range(interval, number)),
        None => value,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use model::{
        lang::Lang,
        stats::{Estimate, Undefined},
    };

    #[test]
    fn missing_figures_say_so() {
        let kappas = [Kappa { first: 1, second: 2, outputs: 3, kappa: Err(Undefined::NoVariation) }];
        let raters = [(1, "ada".into()), (2, "bo".into()), (3, "chen".into())];
        let figure = rater_agreement(I18n::of(Lang::En), "c", "Correctness", &raters, &kappas);
        assert_eq!(figure.table.rows, [["ada – bo", "all values are equal", "–", "3"]]);
        let Chart::Heat { rows, .. } = figure.chart else { panic!("not a heat map") };
        assert_eq!(
            (rows[0][1].style, rows[1][0].tip.as_str()),
            (MarkStyle::Empty, "bo and ada: all values are equal, 3 shared outputs")
        );
        assert_eq!(rows[0][2].tip, "ada and chen: no data, 0 shared outputs");
    }

    #[test]
    fn the_darkest_is_the_best() {
        let kappa = |value| Kappa {
            first: 1,
            second: 2,
            outputs: 3,
            kappa: Ok(Estimate { value, interval: Err(Undefined::TooFew) }),
        };
        let check = |value, step| {
            let raters = [(1, "ada".into()), (2, "bo".into())];
            let figure = rater_agreement(I18n::of(Lang::Zh), "c", "正确性", &raters, &[kappa(value)]);
            let Chart::Heat { rows, .. } = figure.chart else { panic!("not a heat map") };
            assert_eq!(rows[0][1].style, MarkStyle::Step(step), "{value}");
        };
        check(-0.4, 0);
        check(0.0, 0);
        check(0.5, 4);
        check(1.0, 8);
    }

    #[test]
    fn shares_are_drawn_in_percent() {
        let pair = PairDifference {
            models: ("a".into(), "b".into()),
            value: Some(-0.0714),
            interval: Some(Interval { low: -0.14, high: 0.01 }),
            n: 9,
            separated: false,
            href: None,
        };
        let figure = differences(I18n::of(Lang::En), "p", "pass@1", &[pair], true);
        assert_eq!(figure.table.rows, [["a − b", "−7.1", "[−14.0, +1.0]"]]);
        let Chart::Intervals { axis, marks } = figure.chart else { panic!("no intervals") };
        assert_eq!(
            (axis.low, axis.high, axis.title.as_str()),
            (-15.0, 5.0, "Difference in pass@1 (percentage points)")
        );
        assert_eq!(marks[0].note, "−7.1 [−14.0, +1.0]");
    }

    #[test]
    fn frontier_has_the_models_that_no_other_beats() {
        let check = |models: &[(f64, f64)], expected: &[usize]| {
            let models = models.iter().map(|(tokens, value)| TokenScore {
                name: "m".into(),
                tokens: *tokens,
                outputs: (1, 1),
                value: *value,
                interval: None,
                href: None,
            });
            assert_eq!(frontier(&models.collect::<Vec<_>>()), expected);
        };
        check(&[(100.0, 0.5), (50.0, 0.4), (200.0, 0.45), (300.0, 0.6)], &[1, 0, 3]);
        // The same score with more tokens is no better, nor is a lower score with the same tokens.
        check(&[(100.0, 0.5), (120.0, 0.5), (100.0, 0.4)], &[0]);
        check(&[(100.0, 0.5), (100.0, 0.5)], &[0, 1]);
        check(&[(7.0, 0.0)], &[0]);
        check(&[], &[]);
    }

    #[test]
    fn tokens_that_differ_much_are_on_a_scale_of_powers() {
        let labels = |values: &[f64]| {
            let (axis, place) = Axis::amounts(values, |v| format!("{v}"));
            for value in values {
                let at = place(*value);
                assert!(axis.low - 1e-9 <= at && at <= axis.high + 1e-9, "{value} is at {at}, outside of {axis:?}");
            }
            axis.ticks.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(labels(&[120.0, 310.0]), "0 100 200 300 400");
        assert_eq!(labels(&[5.0, 5.0]), "0 1 2 3 4 5");
        assert_eq!(labels(&[90.0, 4200.0]), "50 100 200 500 1000 2000 5000");
        assert_eq!(labels(&[1.0, 250_000.0]), "1 10 100 1000 10000 100000 1000000");
    }

    #[test]
    fn tokens_have_exact_values_in_the_table() {
        let model = |name: &str, tokens, value| TokenScore {
            name: name.into(),
            tokens,
            outputs: (40, 164),
            value,
            interval: Some(Interval { low: value - 0.05, high: value + 0.05 }),
            href: None,
        };
        let models = [model("A", 1234.6, 0.5), model("B", 90.0, 0.7)];
        let figure = against_tokens(I18n::of(Lang::En), "pass", "pass@1", ScoreScale::Shares, &models);
        assert_eq!(figure.id, "pass-tokens");
        assert_eq!(figure.table.rows[0], ["A", "1,235", "40 of 164", "50.0%", "[45.0%, 55.0%]", "–"]);
        assert_eq!(figure.table.rows[1][5], "yes");
        let Chart::Tradeoff { points, frontier, .. } = figure.chart else { panic!("no points") };
        assert_eq!((frontier, points[1].tip.as_str()), (vec![1], "B: 90 tokens per output, 70.0% [65.0%, 75.0%]"));
    }

    #[test]
    fn rare_classes_of_failures_are_one_part_and_stay_apart_in_the_table() {
        let models = ["A".to_owned(), "B".to_owned()];
        let classes: Vec<(String, Vec<u64>)> = (0..12).map(|at| (format!("class {at}"), vec![12 - at, 0])).collect();
        let figure = failures(I18n::of(Lang::En), "f", "Failures".into(), &models, &classes);
        let Chart::Stacked { bars, .. } = &figure.chart else { panic!("{figure:?}") };
        let sizes: Vec<u64> = bars[0].parts.iter().map(|part| part.size).collect();
        assert_eq!(sizes, [12, 11, 10, 9, 8, 7, 6 + 5 + 4 + 3 + 2 + 1]);
        assert_eq!(bars[0].parts[6].name, "other classes");
        assert_eq!((bars[0].note.as_str(), bars[1].note.as_str()), ("78 failures", "0 failures"));
        let colors: BTreeSet<&str> = bars[0].parts.iter().map(|part| part.class.as_str()).collect();
        assert_eq!(colors.len(), KINDS + 1);
        assert!(colors.iter().all(|color| color.starts_with("kind-")), "names have no order: {colors:?}");
        // The model, twelve classes, the sum.
        assert!(figure.table.rows.iter().chain([&figure.table.head]).all(|row| row.len() == 14));
        let six = failures(I18n::of(Lang::En), "f", "Failures".into(), &models, &classes[..6]);
        let Chart::Stacked { bars, .. } = &six.chart else { panic!("{six:?}") };
        assert_eq!((bars[0].parts.len(), &*bars[0].parts[5].name), (6, "class 5"));
    }
}
