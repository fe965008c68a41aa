//! The leaderboard's table: a row per model, a group of columns per dataset.

use leptos::prelude::*;

use super::board_address;
use model::results::{Board, BoardDataset, BoardQuery, BoardResults, Estimated, Measured};
use texts::I18n;

/// The table with what is missing from it, and the ways to its other pages. `path` is the page's own address.
pub fn view(i: I18n, path: &'static str, asked: &BoardQuery, found: &Board) -> AnyView {
    let t = i.results();
    let missing = missing(i, found);
    if found.rows.is_empty() {
        return view! { <p class="muted">{t.none_match}</p>{missing} }.into_any();
    }
    let sort = Sort { i, path, asked: asked.clone(), by: found.sort.clone() };
    let groups = found.datasets.iter().map(|dataset| group(i, dataset)).collect_view();
    let heads = found.datasets.iter().map(|dataset| heads(i, dataset, &sort)).collect_view();
    let rows = found.rows.iter().map(|row| {
        let cells = found.datasets.iter().zip(&row.results).map(|(dataset, results)| cells(i, dataset, results));
        view! {
            <tr>
                <th scope="row"><a href=format!("/admin/results/models/{}", row.model)>{row.name.clone()}</a></th>
                {cells.collect_view()}
            </tr>
        }
    });
    view! {
        <div class="table-box board" role="group" aria-label=t.results tabindex="0">
            <table class="table means">
                <caption class="visually-hidden">{t.results}</caption>
                <thead>
                    <tr><td></td>{groups}</tr>
                    <tr>{sort.head("model", t.model.to_owned(), false)}{heads}</tr>
                </thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
        {pages(i, path, asked, found)}
        {missing}
    }
    .into_any()
}

/// The numbers of models without results, and the figures that are being computed.
fn missing(i: I18n, found: &Board) -> impl IntoView + use<> {
    let t = i.results();
    let lines = found.datasets.iter().flat_map(|dataset| {
        let name = dataset.name.get(i.lang);
        if dataset.computing {
            return vec![format!("{name}{}{}", i.common.colon, t.computing)];
        }
        let mut lines = Vec::new();
        if dataset.without_ratings > 0 && !dataset.dimensions.is_empty() {
            lines.push((t.without_ratings)(name, dataset.without_ratings));
        }
        if dataset.without_runs > 0 && !dataset.pass_at.is_empty() {
            lines.push((t.without_runs)(name, dataset.without_runs));
        }
        if dataset.behind {
            lines.push(format!("{name}{}{}", i.common.colon, t.behind));
        }
        lines
    });
    let lines = lines.map(|line| view! { <li>{line}</li> }).collect_view();
    view! { <ul class="plain-list muted small board-missing">{lines}</ul> }
}

/// Columns of one kind in a group: the metrics and the number of tasks.
fn width(metrics: usize) -> usize {
    if metrics == 0 { 0 } else { metrics + 1 }
}

fn group(i: I18n, dataset: &BoardDataset) -> impl IntoView + use<> {
    let columns = (width(dataset.dimensions.len()) + width(dataset.pass_at.len())).max(1);
    let href = format!("/admin/results/datasets/{}", dataset.slug);
    view! {
        <th scope="colgroup" colspan=columns.to_string() class="board-group">
            <a href=href>{dataset.name.get(i.lang).to_owned()}</a>
        </th>
    }
}

fn heads(i: I18n, dataset: &BoardDataset, sort: &Sort) -> AnyView {
    let t = i.results();
    let key = |metric: &str| BoardQuery::column(&dataset.slug, metric);
    let mut heads: Vec<AnyView> = Vec::new();
    for dimension in &dataset.dimensions {
        let name = dimension.name.get(i.lang);
        let scale = match dimension.checklist {
            true => format!("{name} (%)"),
            false => format!("{name} ({}–{})", dimension.low, dimension.high),
        };
        heads.push(sort.head(&key(&dimension.key), scale, true));
    }
    if !dataset.dimensions.is_empty() {
        heads.push(view! { <th scope="col" class="num board-n">{t.people}</th> }.into_any());
    }
    for k in &dataset.pass_at {
        heads.push(sort.head(&key(&format!("pass@{k}")), format!("pass@{k} (%)"), true));
    }
    if !dataset.pass_at.is_empty() {
        heads.push(view! { <th scope="col" class="num board-n">{t.tests}</th> }.into_any());
    }
    if heads.is_empty() {
        heads.push(view! { <td></td> }.into_any());
    }
    heads.collect_view().into_any()
}

fn cells(i: I18n, dataset: &BoardDataset, results: &BoardResults) -> AnyView {
    let t = i.results();
    let none = |columns: usize| {
        let word = if dataset.computing {
            "…"
        } else if results.outputs {
            t.no_data
        } else {
            t.no_outputs
        };
        view! { <td class="num muted small" colspan=columns.to_string()>{word}</td> }.into_any()
    };
    let (dimensions, ks) = (dataset.dimensions.len(), dataset.pass_at.len());
    if dimensions + ks == 0 {
        return none(1);
    }
    let mut cells: Vec<AnyView> = Vec::new();
    match &results.people {
        _ if dimensions == 0 => {}
        None => cells.push(none(width(dimensions))),
        Some(people) => {
            cells.extend(dataset.dimensions.iter().enumerate().map(|(d, dimension)| {
                let number = if dimension.checklist { share } else { score };
                value(i, people.values.get(d).copied().flatten(), number)
            }));
            let of = (t.rated)(&i.number(people.tasks), &i.number(people.ratings));
            cells.push(behind(i, people, of));
        }
    }
    match &results.tests {
        _ if ks == 0 => {}
        None => cells.push(none(width(ks))),
        Some(tests) => {
            cells.extend((0..ks).map(|k| value(i, tests.values.get(k).copied().flatten(), share)));
            cells.push(behind(i, tests, (t.tested)(tests.answered, tests.tasks)));
        }
    }
    cells.collect_view().into_any()
}

/// A mean score.
pub fn score(value: f64) -> String {
    format!("{value:.2}")
}

/// A share in percent, without the sign.
pub fn share(value: f64) -> String {
    format!("{:.1}", value * 100.0)
}

/// A value with its interval, or a dash.
pub fn value(i: I18n, estimated: Option<Estimated>, number: fn(f64) -> String) -> AnyView {
    let Some(Estimated { value, interval }) = estimated else {
        return view! { <td class="num muted small">{i.results().no_data}</td> }.into_any();
    };
    let within = interval.map(|r| format!("[{}, {}]", number(r.low), number(r.high)));
    view! {
        <td class="num">
            <span class="mean">{number(value)}</span>
            {within.map(|text| view! { <span class="interval">{text}</span> })}
        </td>
    }
    .into_any()
}

/// The data behind a group of values, and their date.
pub fn behind(i: I18n, measured: &Measured, of: String) -> AnyView {
    let at = measured.at.map(|at| i.date(at));
    let at = match measured.run {
        Some(run) => {
            view! { <a href=format!("/admin/runs/{run}")>{at.unwrap_or_else(|| run.to_string())}</a> }.into_any()
        }
        None => at.into_any(),
    };
    view! { <td class="num small muted board-n"><span>{of}</span><span>{at}</span></td> }.into_any()
}

/// The order of the rows, as links in the head.
struct Sort {
    i: I18n,
    path: &'static str,
    asked: BoardQuery,
    by: String,
}

impl Sort {
    fn head(&self, key: &str, name: String, number: bool) -> AnyView {
        let current = self.by == key;
        // Figures begin with the highest, names with the first.
        let down = number != self.asked.reverse;
        let order = current.then_some(if down { "descending" } else { "ascending" });
        let arrow = current.then_some(if down { " ↓" } else { " ↑" });
        let next =
            BoardQuery { sort: key.to_owned(), reverse: current && !self.asked.reverse, page: 0, ..self.asked.clone() };
        let sort_title = (self.i.results().sort_by)(&name);
        let class = if number { "num" } else { "" };
        view! {
            <th scope="col" class=class aria-sort=order>
                <a href=board_address(self.path, &next) title=sort_title rel="nofollow">{name}<span aria-hidden="true">{arrow}</span></a>
            </th>
        }
        .into_any()
    }
}

fn pages(i: I18n, path: &str, asked: &BoardQuery, found: &Board) -> Option<AnyView> {
    let more = found.found > (u64::from(asked.page) + 1) * BoardQuery::PAGE as u64;
    if asked.page == 0 && !more {
        return None;
    }
    let link = |page: u32, word: &'static str| {
        let href = board_address(path, &BoardQuery { page, ..asked.clone() });
        view! { <a class="button" href=href>{word}</a> }
    };
    let before = asked.page.checked_sub(1).map(|page| link(page, i.common.previous_page));
    let after = more.then(|| link(asked.page + 1, i.common.next_page));
    Some(view! { <nav class="row" aria-label=i.common.pages>{before}{after}</nav> }.into_any())
}
