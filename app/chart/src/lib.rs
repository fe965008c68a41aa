//! Charts as SVG: pure functions from figures to text, the same on the server, in the browser and in
//! exported files (`report::figures`).
//!
//! - [`comparison`] has every chart of a comparison, for pages and files.
//! - [`figures`] builds a [`figure::Figure`] from figures: title, description, chart, legend, and the table
//!   with the same values.
//! - [`draw`] turns a chart into SVG; [`bars`] has the two kinds that fill their box,
//!   `tradeoff` points with names.
//!
//! `ui::chart_figure` puts a figure on a page. This crate may not know pages, the database and the server.
//!
//! Colors come from classes (`style/60-admin.css`, `style/70-charts.css`), because the page's policy
//! forbids style attributes; a file has the same classes with the colors of one theme inside.

pub mod bars;
pub mod comparison;
pub mod draw;
pub mod figure;
pub mod figures;
mod tradeoff;

pub use bars::{STEPS, percentage, signed};
