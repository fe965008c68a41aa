//! The components that pages are built of, and what they need to call the server: [`call`] and [`context`].
//!
//! This crate may not know server functions, pages and their addresses.
//!
//! - [`frame::Page`]: title, breadcrumbs, heading, actions and content of a page.
//! - [`load::Data`]: a page's data. [`load::Load`]: waits for it, and shows the error if it fails.
//! - [`form::ActionForm`]: a form that posts to a server function; [`form::FormAction`] has its result.
//! - [`effect::effect`]: runs in the browser when something changes.
//! - [`failure::Failure`]: a [`model::error::AppError`] in the visitor's language, with the HTTP status.
//! - [`failure::error_text`]: the same as one line of text, for notices and live regions.
//! - [`notice::Notice`]: a framed message in one of four tones. [`notice::Empty`]: an empty list.
//! - [`notice::Badge`]: a word in a tone. [`notice::Progress`]: a progress bar.
//! - [`field::TextField`]: label, input, hint and error.
//! - [`field::Field`]: the same frame around any other control (give it `id=…`).
//! - [`flag::flag_badge`], [`flag::flag_words`]: a rater's flag.
//! - [`text_area::area_text`]: text as the content of a `<textarea>`, which Leptos does not escape.
//! - [`code::CodeBox`]: highlighted, numbered code, formatted or original.
//! - [`rated_output::task_and_code`], [`rated_output::ratings`]: an output with ratings of it.
//! - [`scores::scores`], [`scores::score`]: a set of scores, or one, in its color. [`verdict::verdict`]: a verdict.
//! - [`margin::Margin`]: content next to single lines of code, such as raters' notes.
//! - [`chart_figure::ChartFigure`]: a chart with its legend and its table.
//! - [`loading_indicator::LoadingIndicator`]: says that the next page's code is loading (the root draws it once).
//! - [`pager::pager`]: links to the pages around one page of a list; [`pager::page_of`] reads which one is asked for.
//! - [`announce::say`]: announces to screen readers; [`announce::toast`]: shows a message for a moment.
//!
//! Classes without a component (style/20-kit.css): `button` with `primary`, `quiet` or `danger`; `card`;
//! `stack` and `row` (spacing), `split` (content and side column); `table-box` around `table` with `num`
//! cells; `facts` on a `<dl>`; `lead`, `muted`, `small`; `visually-hidden`.

pub mod announce;
pub mod call;
pub mod chart_figure;
pub mod code;
pub mod context;
pub mod copy;
pub mod description;
pub mod effect;
pub mod failure;
pub mod field;
pub mod flag;
pub mod form;
pub mod frame;
pub mod json;
pub mod load;
pub mod loading_indicator;
pub mod margin;
pub mod notice;
pub mod pager;
pub mod palette;
pub mod rated_output;
pub mod scores;
pub mod text_area;
pub mod verdict;
