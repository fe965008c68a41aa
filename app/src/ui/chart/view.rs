//! A figure on a page: caption, legend, picture, the mark that is looked at in words, the table, files.

use leptos::{prelude::*, wasm_bindgen::JsCast, web_sys};

use super::{
    draw,
    figure::{Figure, Picture, Table},
};
use crate::i18n::use_i18n;

/// The most rows of a table that is open from the beginning.
const OPEN: usize = 12;

/// A picture with all that belongs to it. The keyboard stops at it once; arrow keys move among its values,
/// which are said in words under it. Without JavaScript there is the table.
#[component]
pub fn ChartFigure(
    /// The figure.
    figure: Figure,
    /// Where it can be had as a file: SVG, PNG.
    #[prop(optional_no_strip)]
    files: Option<(String, String)>,
) -> impl IntoView {
    let t = use_i18n().chart();
    let said = RwSignal::new(String::new());
    let svg = draw::page(&figure);
    let legend = figure.legend.iter().map(|key| {
        let mark = draw::swatch(key.look, 0.0, 0.0);
        view! {
            <li>
                <svg class="chart-key" width="14" height="14" aria-hidden="true" inner_html=mark></svg>
                {key.text.clone()}
            </li>
        }
    });
    let legend = (!figure.legend.is_empty()).then(|| view! { <ol class="legend">{legend.collect_view()}</ol> });
    let wide = !matches!(figure.picture, Picture::Stacked { .. } | Picture::Intervals { .. });
    let class = if wide { "canvas canvas--wide" } else { "canvas" };
    let keys = move |event: web_sys::KeyboardEvent| {
        if let Some(by) = stride(&event.key())
            && let Some(mark) = neighbour(&event, by)
        {
            event.prevent_default();
            let _ = mark.focus();
        }
    };
    let show = move |target: Option<web_sys::EventTarget>| {
        if let Some(mark) = target.and_then(mark_of) {
            said.set(name_of(&mark));
        }
    };
    let links = files.map(|(svg, png)| {
        let name = figure.id.clone();
        view! {
            <p class="chart-files small">
                <span class="muted">{t.take_away}</span>
                <a href=svg download=format!("{name}.svg") rel="external">{t.svg}</a>
                <a href=png download=format!("{name}.png") rel="external">{t.png}</a>
            </p>
        }
    });
    let folded = figure.table.rows.len() > OPEN;
    let table = table(&figure.table, &figure.title);
    let table = if folded {
        view! { <details class="chart-table"><summary>{t.the_figures}</summary>{table}</details> }.into_any()
    } else {
        view! { <div class="chart-table">{table}</div> }.into_any()
    };
    view! {
        <figure class="picture">
            <figcaption>{figure.title.clone()}</figcaption>
            {legend}
            <div
                class=class
                inner_html=svg
                on:keydown=keys
                on:focusin=move |event| show(event.target())
                on:pointerover=move |event| show(event.target())
            ></div>
            <p class="chart-says small" aria-hidden="true">
                {move || if said.read().is_empty() { t.hint.to_owned() } else { said.get() }}
            </p>
            {table}
            {links}
        </figure>
    }
}

fn table(table: &Table, title: &str) -> impl IntoView + use<> {
    let heads = table.head.iter().enumerate().map(|(at, head)| match at {
        0 if head.is_empty() => view! { <td></td> }.into_any(),
        0 => view! { <th scope="col">{head.clone()}</th> }.into_any(),
        _ => view! { <th scope="col" class="num">{head.clone()}</th> }.into_any(),
    });
    let rows = table.rows.iter().enumerate().map(|(number, row)| {
        let cells = row.iter().enumerate().map(|(at, cell)| {
            let text = match table.links.get(&(number, at)) {
                Some(href) => view! { <a href=href.clone()>{cell.clone()}</a> }.into_any(),
                None => cell.clone().into_any(),
            };
            match at {
                0 => view! { <th scope="row">{text}</th> }.into_any(),
                _ => view! { <td class="num">{text}</td> }.into_any(),
            }
        });
        view! { <tr>{cells.collect_view()}</tr> }
    });
    view! {
        <div class="table-box" role="group" aria-label=title.to_owned() tabindex="0">
            <table class="table counts">
                <thead><tr>{heads.collect_view()}</tr></thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
    }
}

/// How far a key moves: in marks, or in rows of marks.
#[derive(Clone, Copy)]
enum Stride {
    Marks(i32),
    Rows(i32),
    First,
    Last,
}

fn stride(key: &str) -> Option<Stride> {
    Some(match key {
        "ArrowLeft" => Stride::Marks(-1),
        "ArrowRight" => Stride::Marks(1),
        "ArrowUp" => Stride::Rows(-1),
        "ArrowDown" => Stride::Rows(1),
        "Home" => Stride::First,
        "End" => Stride::Last,
        _ => return None,
    })
}

/// The mark that a key leads to from the one with the focus; from now on it is the picture's stop.
fn neighbour(event: &web_sys::KeyboardEvent, by: Stride) -> Option<web_sys::SvgElement> {
    let here = mark_of(event.target()?)?;
    let picture = here.closest("svg.chart").ok()??;
    let marks = picture.query_selector_all("[tabindex]").ok()?;
    let count = i32::try_from(marks.length()).ok()?;
    let mark = |at: i32| marks.get(u32::try_from(at).ok()?)?.dyn_into::<web_sys::SvgElement>().ok();
    let at = (0..count).find(|at| mark(*at).is_some_and(|m| *m == here))?;
    let across = picture.get_attribute("data-across").and_then(|n| n.parse().ok()).unwrap_or(1);
    let to = match by {
        Stride::Marks(n) => at + n,
        Stride::Rows(n) => at + n * across,
        Stride::First => 0,
        Stride::Last => count - 1,
    };
    let found = mark(to.clamp(0, count - 1))?;
    let _ = here.set_attribute("tabindex", "-1");
    let _ = found.set_attribute("tabindex", "0");
    Some(found)
}

fn mark_of(target: web_sys::EventTarget) -> Option<web_sys::Element> {
    target.dyn_into::<web_sys::Element>().ok()?.closest("svg.chart [tabindex]").ok()?
}

fn name_of(mark: &web_sys::Element) -> String {
    mark.query_selector("title").ok().flatten().and_then(|title| title.text_content()).unwrap_or_default()
}
