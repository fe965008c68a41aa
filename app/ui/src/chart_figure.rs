//! A figure on a page: caption, legend, chart, the focused mark in words, the table, files.

use leptos::{prelude::*, wasm_bindgen::JsCast, web_sys};

use crate::context::use_i18n;
use chart::{
    comparison::Files,
    draw,
    figure::{Chart, Figure, Table},
};
use model::comparison::Caption;
use texts::I18n;

/// A chart with its caption and table. It has one tab stop; arrow keys move among its values, which are
/// shown as text below it. Without JavaScript there is the table.
#[component]
pub fn ChartFigure(
    /// The figure.
    figure: Figure,
    /// The addresses of its files.
    #[prop(optional_no_strip)]
    files: Option<Files>,
) -> impl IntoView {
    let i = use_i18n();
    let t = i.chart();
    let focused = RwSignal::new(String::new());
    let svg = draw::page(&figure);
    let legend = figure.legend.iter().map(|key| {
        let mark = draw::swatch(key.style, 0.0, 0.0);
        view! {
            <li>
                <svg class="chart-key" width="14" height="14" aria-hidden="true" inner_html=mark></svg>
                {key.text.clone()}
            </li>
        }
    });
    let legend = (!figure.legend.is_empty()).then(|| view! { <ol class="legend">{legend.collect_view()}</ol> });
    let wide = !matches!(figure.chart, Chart::Stacked { .. } | Chart::Intervals { .. });
    let class = if wide { "canvas canvas--wide" } else { "canvas" };
    let keys = move |event: web_sys::KeyboardEvent| {
        if let Some(by) = stride(&event.key())
            && let Some(mark) = neighbor(&event, by)
        {
            event.prevent_default();
            let _ = mark.focus();
        }
    };
    let show = move |target: Option<web_sys::EventTarget>| {
        if let Some(mark) = target.and_then(mark_of) {
            focused.set(name_of(&mark));
        }
    };
    let links = files.map(|files| figure_files(i, &figure.id, files));
    let table = table(&figure.table, &figure.title);
    view! {
        <figure class="picture">
            <div class="figure-head"><figcaption>{figure.title.clone()}</figcaption>{links}</div>
            {legend}
            <div
                class=class
                inner_html=svg
                on:keydown=keys
                on:focusin=move |event| show(event.target())
                on:pointerover=move |event| show(event.target())
            ></div>
            <p class="chart-says small" aria-hidden="true">
                <span class="chart-hint">{t.hint}</span>
                {move || focused.get()}
            </p>
            <details class="chart-table"><summary>{t.the_figures}</summary>{table}</details>
        </figure>
    }
}

/// The files of a figure and its captions, behind a button.
pub fn figure_files(i: I18n, id: &str, files: Files) -> AnyView {
    let t = i.chart();
    let (wide, data) = ([("column", t.column_width), ("page", t.page_width)], files.href("csv", ""));
    let rows = wide.map(|(width, word)| {
        let links = [("svg", t.svg), ("png", t.png), ("pdf", t.pdf)].map(|(kind, name)| {
            let href = files.href(kind, &format!("width={width}"));
            let (file, label) = (format!("{id}-{width}.{kind}"), format!("{name}, {word}"));
            view! { <a href=href download=file rel="external" aria-label=label>{name}</a> }
        });
        view! { <li><span class="small muted">{word}</span><span class="row">{links.collect_view()}</span></li> }
    });
    let caption = files.caption.map(|caption| {
        let Caption { text, .. } = caption;
        view! {
            <p class="small muted">{t.captions}</p>
            <p class="small caption-text" lang="en">{text.en}</p>
            <p class="small caption-text" lang="zh-CN">{text.zh}</p>
        }
    });
    view! {
        <details class="export-menu chart-files">
            <summary class="button small-button">{t.export}</summary>
            <div class="export-menu-box">
                <ul>
                    {rows.collect_view()}
                    <li><a href=data download=format!("{id}.csv") rel="external">{t.data_csv}</a></li>
                </ul>
                {caption}
            </div>
        </details>
    }
    .into_any()
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

/// Moves the tab stop to the mark that a key leads to from the focused one.
fn neighbor(event: &web_sys::KeyboardEvent, by: Stride) -> Option<web_sys::SvgElement> {
    let here = mark_of(event.target()?)?;
    let chart = here.closest("svg.chart").ok()??;
    let marks = chart.query_selector_all("[tabindex]").ok()?;
    let count = i32::try_from(marks.length()).ok()?;
    let mark = |at: i32| marks.get(u32::try_from(at).ok()?)?.dyn_into::<web_sys::SvgElement>().ok();
    let at = (0..count).find(|at| mark(*at).is_some_and(|m| *m == here))?;
    let across = chart.get_attribute("data-across").and_then(|n| n.parse().ok()).unwrap_or(1);
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
