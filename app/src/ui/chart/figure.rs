//! A picture with all that belongs to it, before it is drawn.

use std::collections::BTreeMap;

use super::bars::{Axis, Bar, Mark};

/// How many colours and shapes the palette for models has; with more models they begin again, in other pairs.
pub const SERIES: usize = 6;

/// A picture, what it says about itself, and the same figures as a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Unique in the page and fit for a file's name: ASCII letters, digits, `-`.
    pub id: String,
    /// What the picture is.
    pub title: String,
    /// What can be read off it, in a sentence or two.
    pub desc: String,
    /// The picture.
    pub picture: Picture,
    /// What colours and shapes mean.
    pub legend: Vec<Key>,
    /// The figures that the picture shows.
    pub table: Table,
}

/// An entry of a legend.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// What it looks like.
    pub look: Look,
    /// What it means.
    pub text: String,
}

/// How something is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// A step of the palette for scores, 0 to 8.
    Step(usize),
    /// A model, by its place.
    Series(usize),
    /// Nothing there.
    Empty,
}

/// The kinds of pictures.
#[derive(Clone, Debug, PartialEq)]
pub enum Picture {
    /// Bars of equal length, each cut into its parts.
    Stacked {
        /// What stands in a bar without parts.
        nothing: String,
        /// The bars.
        bars: Vec<Bar>,
    },
    /// Points with the intervals around them, over one scale.
    Intervals {
        /// The scale.
        axis: Axis,
        /// A line each.
        marks: Vec<Mark>,
    },
    /// Upright bars in groups, a bar for each model.
    Columns {
        /// The scale at the left; its low end is the foot of the bars.
        axis: Axis,
        /// The groups from left to right.
        groups: Vec<Group>,
    },
    /// A square of cells, one for each pair of names.
    Heat {
        /// The names, along both sides.
        names: Vec<String>,
        /// A row for each name.
        rows: Vec<Vec<Cell>>,
    },
    /// Dots over two scales.
    Scatter {
        /// The scale along the bottom, with its name.
        x: (Axis, String),
        /// The scale at the left, with its name.
        y: (Axis, String),
        /// The dots.
        dots: Vec<Dot>,
    },
    /// A cell for each model and task; tasks run from left to right, in several bands.
    Grid {
        /// The models, a row each in every band.
        models: Vec<String>,
        /// The tasks, a column each.
        tasks: Vec<TaskColumn>,
    },
}

/// A group of upright bars.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Its name, under it.
    pub name: String,
    /// A bar for each model.
    pub bars: Vec<Upright>,
}

/// An upright bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Upright {
    /// Its height; none where there is no figure.
    pub value: Option<f64>,
    /// The figure as text, after the model's name and a colon.
    pub text: String,
    /// Where it leads.
    pub href: Option<String>,
}

/// A cell of a heat map or a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Its colour.
    pub look: Look,
    /// What is written in it; short or nothing.
    pub text: String,
    /// What it says in full.
    pub tip: String,
    /// Where it leads.
    pub href: Option<String>,
}

/// A task of a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskColumn {
    /// The task's name.
    pub name: String,
    /// A cell for each model.
    pub cells: Vec<Cell>,
}

/// A dot of a scatter.
#[derive(Clone, Debug, PartialEq)]
pub struct Dot {
    /// Its place along the bottom scale.
    pub x: f64,
    /// Its place along the left scale.
    pub y: f64,
    /// Whose it is.
    pub of: Whose,
    /// What it says in full.
    pub tip: String,
    /// Where it leads.
    pub href: Option<String>,
}

/// Whose a dot is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Whose {
    /// One output's of a model, by its place.
    Series(usize),
    /// Many outputs': its area is to the largest's as this to 1.
    Crowd(f64),
}

/// Figures as a table. The first column names its row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The names of the columns.
    pub head: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
    /// Where a cell leads, by its row and its column.
    pub links: BTreeMap<(usize, usize), String>,
}
