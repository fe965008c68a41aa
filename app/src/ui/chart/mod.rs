//! Charts as SVG: pure functions from figures to text, the same on the server, in the browser and in
//! exported files (`server/src/report/figures`).
//!
//! - [`compared`] has every picture of a comparison, for the pages and for files.
//! - [`figures`] makes a [`figure::Figure`] of figures: title, description, picture, legend, and the table
//!   with the same values.
//! - [`draw`] turns a picture into SVG; [`bars`] has the two that fill their box.
//! - [`view::ChartFigure`] puts one on a page: its marks are reached by the arrow keys, its table is beside it.
//!
//! Colours come from classes (`style/60-admin.css`, `style/70-charts.css`), because the page's policy forbids
//! style attributes; a file has the same classes with the colours of one theme inside.

pub mod bars;
pub mod compared;
pub mod draw;
pub mod figure;
pub mod figures;
pub mod view;

pub use bars::{STEPS, signed};
