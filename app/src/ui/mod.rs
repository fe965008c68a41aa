//! The pieces that pages are built of. One line each:
//!
//! - [`frame::Page`]: title, breadcrumbs, heading, actions and content of a page.
//! - [`frame::Header`]: brand, role-dependent navigation, language, account (the root draws it once).
//! - [`load::Data`]: what a page loads. [`load::Load`]: waits for it; shows what went wrong where it failed.
//! - [`form::ActionForm`]: a form that posts to a server function; [`form::FormAction`] says what came of it.
//! - [`effect::effect`]: what happens in the browser when something changes.
//! - [`failure::Failure`]: an [`crate::error::AppError`] in the visitor's words, with the HTTP status.
//! - [`failure::error_text`]: the same as one line of text, for notices and live regions.
//! - [`notice::Notice`]: a framed message in one of four tones. [`notice::Empty`]: nothing here yet.
//! - [`notice::Badge`]: a word in a tone. [`notice::Progress`]: so many of so many, as a bar.
//! - [`field::TextField`]: label, input, hint and error that belong together.
//! - [`field::Field`]: the same frame around any other control (give it `id=…`).
//! - [`code::CodeBox`]: highlighted code, numbered, laid out or as it came.
//! - [`margin::Margin`]: what stands beside single lines of code, such as raters' notes.
//! - [`chart`]: pictures as SVG text; [`chart::view::ChartFigure`] puts one on a page with its table.
//! - [`arriving::ArrivingSign`]: says that the next page's code is loading (the root draws it once).
//! - [`announce::say`]: tells screen readers; [`announce::toast`]: tells everybody, for a moment.
//!
//! Classes without a component (style/20-kit.css): `button` with `primary`, `quiet` or `danger`;
//! `card`; `stack` and `row` (spacing), `split` (content and side column); `table-box` around
//! `table` with `num` cells; `facts` on a `<dl>`; `lead`, `muted`, `small`; `visually-hidden`.

pub mod announce;
pub mod arriving;
pub mod chart;
pub mod code;
pub mod copy;
pub mod effect;
pub mod failure;
pub mod field;
pub mod form;
pub mod frame;
pub mod load;
pub mod margin;
pub mod notice;
