//! A chart as data, before it is drawn.

use std::collections::BTreeMap;

use super::bars::{Axis, Bar, Mark};
use model::{ratings::Interval, run::Verdict};

pub use model::comparison::SERIES;

/// Number of colors for kinds: those of the models.
pub const KINDS: usize = SERIES;

/// A chart with its description and its figures as a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Unique in the page and usable as a file name: ASCII letters, digits, `-`.
    pub id: String,
    /// Title.
    pub title: String,
    /// Description in one or two sentences.
    pub desc: String,
    pub chart: Chart,
    /// Legend of colors and shapes.
    pub legend: Vec<Key>,
    /// The figures in the chart.
    pub table: Table,
}

/// An entry of a legend.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    pub style: MarkStyle,
    pub text: String,
}

/// Mark of a legend entry or a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkStyle {
    /// Step of the score palette, 0 to 8.
    Step(usize),
    /// A verdict.
    Verdict(Verdict),
    /// Index of a model.
    Series(usize),
    /// A kind without an order, such as a class of failures; from [`KINDS`] on, gray for all others.
    Kind(usize),
    /// No data.
    Empty,
}

/// The kinds of charts.
#[derive(Clone, Debug, PartialEq)]
pub enum Chart {
    /// Stacked bars of equal length.
    Stacked {
        /// Text in a bar without parts.
        nothing: String,
        /// The bars.
        bars: Vec<Bar>,
    },
    /// Points with intervals on a common scale.
    Intervals {
        /// The scale.
        axis: Axis,
        /// One row per point.
        marks: Vec<Mark>,
    },
    /// Grouped columns, one per model.
    Columns {
        /// Vertical scale; columns start at its low end.
        axis: Axis,
        /// Groups from left to right.
        groups: Vec<Group>,
    },
    /// A square heat map, one cell per pair of names.
    Heat {
        /// Names along both axes.
        names: Vec<String>,
        /// One row per name.
        rows: Vec<Vec<Cell>>,
    },
    /// A scatter plot.
    Scatter {
        /// Horizontal scale with its name.
        x: (Axis, String),
        /// Vertical scale with its name.
        y: (Axis, String),
        /// The dots.
        dots: Vec<Dot>,
    },
    /// Amounts and scores of models, each with its name, and the line of the best score for an amount.
    Tradeoff {
        /// Horizontal scale with its name.
        x: (Axis, String),
        /// Vertical scale with its name.
        y: (Axis, String),
        /// One point per model.
        points: Vec<NamedPoint>,
        /// The points on the frontier, from left to right.
        frontier: Vec<usize>,
    },
    /// A grid with one cell per model and task; tasks run from left to right in several bands.
    Grid {
        /// The models, one row each in every band.
        models: Vec<String>,
        /// The tasks, one column each.
        tasks: Vec<TaskColumn>,
    },
}

/// A group of columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Name, below the group.
    pub name: String,
    /// One column per model.
    pub bars: Vec<ColumnBar>,
}

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnBar {
    /// Height; `None` without a figure.
    pub value: Option<f64>,
    /// Its 95 % interval, drawn as a line.
    pub interval: Option<Interval>,
    /// The figure as text, after the model's name and a colon.
    pub text: String,
    /// Link target.
    pub href: Option<String>,
}

/// A cell of a heat map or a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Its color.
    pub style: MarkStyle,
    /// Short label, may be empty.
    pub text: String,
    /// Tooltip.
    pub tip: String,
    /// Link target.
    pub href: Option<String>,
}

/// A task of a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskColumn {
    /// The task's name.
    pub name: String,
    /// One cell per model.
    pub cells: Vec<Cell>,
}

/// A dot of a scatter.
#[derive(Clone, Debug, PartialEq)]
pub struct Dot {
    /// Position on the horizontal scale.
    pub x: f64,
    /// Position on the vertical scale.
    pub y: f64,
    pub of: DotStyle,
    /// Tooltip.
    pub tip: String,
    /// Link target.
    pub href: Option<String>,
}

/// A point with its name and the interval of its vertical value.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedPoint {
    /// The amount.
    pub amount: f64,
    /// Position on the horizontal scale, which may be logarithmic.
    pub x: f64,
    /// Position on the vertical scale.
    pub y: f64,
    /// 95 % interval on the vertical scale.
    pub interval: Option<Interval>,
    /// Name of the model.
    pub name: String,
    /// Tooltip.
    pub tip: String,
    /// Link target.
    pub href: Option<String>,
}

/// The thing that a dot stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DotStyle {
    /// One output of the model with this index.
    Series(usize),
    /// Many outputs; the dot's area relative to the largest, 0 to 1.
    Bin(f64),
}

/// Figures as a table. The first column names its row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Column names.
    pub head: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
    /// Link target of a cell, by row and column.
    pub links: BTreeMap<(usize, usize), String>,
}
