//! The leaderboard's table: a row per model, a group of columns per dataset.

use leptos::prelude::*;

use super::board_address;
use crate::comparison::slices::slice_name;
use chart::bars::cell_bar;
use model::{
    results::{Board, BoardDataset, BoardDimension, BoardQuery, BoardResults, Estimated, Measured},
    slices::{BoardSlice, DatasetSlice, SliceBy, SliceOf, Slices},
};
use texts::I18n;

/// The table with what is missing from it, and the ways to its other pages. `path` is the page's own address.
pub fn view(i: I18n, path: &'static str, asked: &BoardQuery, found: &Board) -> AnyView {
    let t = i.results();
    let missing = missing(i, found);
    let empty = empty(i, found);
    if found.rows.is_empty() {
        let none = (found.found_empty == 0).then(|| view! { <p class="muted">{t.none_match}</p> });
        return view! { {none}{empty}{missing} }.into_any();
    }
    let many = found.datasets.len() > 1;
    let ranked = found.rows.iter().any(|row| row.rank.is_some());
    let sort = Sort { i, path, asked: asked.clone(), by: found.sort.clone() };
    let groups = found.datasets.iter().map(|dataset| group(i, dataset)).collect_view();
    let heads = found.datasets.iter().map(|dataset| heads(i, dataset, &sort)).collect_view();
    let rows = found.rows.iter().map(|row| {
        let cells = found.datasets.iter().zip(&row.results).map(|(dataset, results)| cells(i, dataset, results, many));
        view! {
            <tr role="row">
                {ranked.then(|| view! { <td role="cell" class="num muted board-rank">{row.rank}</td> })}
                <th role="rowheader" scope="row"><a href=format!("/admin/results/models/{}", row.model)>{row.name.clone()}</a></th>
                {cells.collect_view()}
            </tr>
        }
    });
    view! {
        <div class="table-box board" role="group" aria-label=t.results tabindex="0">
            <table class="table means" role="table">
                <caption class="visually-hidden">{t.results}</caption>
                <thead role="rowgroup">
                    <tr role="row">{ranked.then(|| view! { <td role="cell" class="board-rank"></td> })}<td role="cell"></td>{groups}</tr>
                    <tr role="row">{ranked.then(|| view! { <th role="columnheader" scope="col" class="num board-rank">{i.comparison().rank}</th> })}{sort.head("model", t.model.to_owned(), false)}{heads}</tr>
                </thead>
                <tbody role="rowgroup">{rows.collect_view()}</tbody>
            </table>
        </div>
        {pages(i, path, asked, found)}
        {empty}
        {missing}
    }
    .into_any()
}

/// The models without any result, folded; open if the filter finds nothing else.
fn empty(i: I18n, found: &Board) -> Option<AnyView> {
    let t = i.results();
    if found.found_empty == 0 {
        return None;
    }
    let names = found.empty.iter().map(|model| {
        view! { <li><a href=format!("/admin/results/models/{}", model.model)>{model.name.clone()}</a></li> }
    });
    let names = names.collect_view();
    let count = if found.slice.is_empty() { t.empty_models } else { t.empty_models_here };
    let alone = found.rows.is_empty();
    let class = if alone { "fold board-empty alone" } else { "fold board-empty" };
    let more = found.found_empty.saturating_sub(found.empty.len() as u64);
    let more = (more > 0).then(|| view! { <p class="muted small">{(t.more_empty)(&i.number(more))}</p> });
    Some(
        view! {
            <details class=class open=alone>
                <summary>{count(found.found_empty)}</summary>
                <ul>{names}</ul>
                {more}
            </details>
        }
        .into_any(),
    )
}

/// The numbers of models without results, the figures that are being computed, and what is to be known of a slice.
fn missing(i: I18n, found: &Board) -> impl IntoView + use<> {
    let t = i.results();
    let lines = found.datasets.iter().flat_map(|dataset| {
        let name = dataset.name.get(i.lang);
        if dataset.computing {
            return vec![format!("{name}{}{}", i.common.colon, t.computing)];
        }
        let mut lines = dataset.slice.as_ref().map(|slice| of_slice(i, name, found, slice)).unwrap_or_default();
        let (ratings, tests) = match dataset.slice {
            Some(_) => (t.without_ratings_here, t.without_tests_here),
            None => (t.without_ratings, t.without_runs),
        };
        if dataset.without_ratings > 0 && !dataset.dimensions.is_empty() {
            lines.push(ratings(name, dataset.without_ratings));
        }
        if dataset.without_runs > 0 && !dataset.pass_at.is_empty() {
            lines.push(tests(name, dataset.without_runs));
        }
        if dataset.behind {
            lines.push(format!("{name}{}{}", i.common.colon, t.behind));
        }
        lines
    });
    let is_few = |of: &Measured| of.tasks < Slices::MIN_TASKS && of.values.iter().any(Option::is_some);
    let mut results = found.rows.iter().flat_map(|row| &row.results);
    let has_few = !found.slice.is_empty() && results.any(|of| of.people.iter().chain(&of.tests).any(is_few));
    let few = has_few.then(|| (i.comparison().slice_few)(Slices::MIN_TASKS));
    let lines = lines.chain(few).map(|line| view! { <li>{line}</li> }).collect_view();
    view! { <ul class="plain-list muted small board-missing">{lines}</ul> }
}

/// What is to be known of a dataset's tasks in the slice.
fn of_slice(i: I18n, name: &str, found: &Board, slice: &DatasetSlice) -> Vec<String> {
    let (t, c) = (i.results(), i.comparison());
    let is_by = |by: SliceBy| matches!(BoardSlice::read(&found.slice), Ok(Some(slice)) if slice.by() == by);
    let of_dataset = |line: &str| format!("{name}{}{line}", i.common.colon);
    let mut lines = Vec::new();
    if slice.tasks == 0 {
        lines.push((t.none_in_slice)(name));
    }
    if is_by(SliceBy::Difficulty) && slice.of_tasks > 0 {
        match slice.tested {
            0 | 1 => lines.push(of_dataset(c.difficulty_none)),
            2..5 if slice.tasks > 0 => lines.push(of_dataset(c.difficulty_rough)),
            _ => {}
        }
    }
    if is_by(SliceBy::Length) && slice.tasks > 0 && slice.nl_langs > 1 {
        lines.push((t.mixed_lengths)(name));
    }
    lines
}

/// Columns of one kind in a group: the metrics and the number of tasks.
fn width(metrics: usize) -> usize {
    if metrics == 0 { 0 } else { metrics + 1 }
}

fn group(i: I18n, dataset: &BoardDataset) -> impl IntoView + use<> {
    let columns = (width(dataset.dimensions.len()) + width(dataset.pass_at.len())).max(1);
    let href = format!("/admin/results/datasets/{}", dataset.slug);
    view! {
        <th role="columnheader" scope="colgroup" colspan=columns.to_string() class="board-group">
            <a href=href>{dataset.name.get(i.lang).to_owned()}</a>
            " "
            {dataset.slice.as_ref().map(|slice| view! { <span class="muted small">{slice_size(i, slice)}</span> })}
        </th>
    }
}

/// The number of a dataset's tasks in the slice; by length, with its bounds.
fn slice_size(i: I18n, slice: &DatasetSlice) -> String {
    let (found, all) = (i.number(slice.tasks), i.number(slice.of_tasks));
    let tasks = (i.results().tasks_with_results)(&found, &all);
    match slice.of {
        None => i.results().no_task_in_slice.to_owned(),
        Some(SliceOf::Difficulty(_)) => (i.results().tasks_for_some)(&found, &all),
        Some(of @ SliceOf::Length { .. }) => format!("{} · {tasks}", slice_name(i, of)),
        Some(SliceOf::CodeLang(_) | SliceOf::NlLang(_)) => tasks,
    }
}

/// A dimension with its scale.
pub fn dimension_name(i: I18n, dimension: &BoardDimension) -> String {
    let name = dimension.name.get(i.lang);
    match dimension.checklist {
        true => format!("{name} (%)"),
        false => format!("{name} ({}–{})", dimension.low, dimension.high),
    }
}

fn heads(i: I18n, dataset: &BoardDataset, sort: &Sort) -> AnyView {
    let t = i.results();
    let key = |metric: &str| BoardQuery::column(&dataset.slug, metric);
    let mut heads: Vec<AnyView> = Vec::new();
    for dimension in &dataset.dimensions {
        heads.push(sort.head(&key(&dimension.key), dimension_name(i, dimension), true));
    }
    if !dataset.dimensions.is_empty() {
        heads.push(view! { <th role="columnheader" scope="col" class="num board-n">{t.people}</th> }.into_any());
    }
    for k in &dataset.pass_at {
        heads.push(sort.head(&key(&format!("pass@{k}")), format!("pass@{k} (%)"), true));
    }
    if !dataset.pass_at.is_empty() {
        heads.push(view! { <th role="columnheader" scope="col" class="num board-n">{t.tests}</th> }.into_any());
    }
    if heads.is_empty() {
        heads.push(view! { <td role="cell"></td> }.into_any());
    }
    heads.collect_view().into_any()
}

/// A model's cells of a dataset. On a phone, a model is a card, where every line has its label; `many` datasets are named
/// in it.
fn cells(i: I18n, dataset: &BoardDataset, results: &BoardResults, many: bool) -> AnyView {
    let t = i.results();
    let label = |name: &str| match many {
        true => format!("{} · {name}", dataset.name.get(i.lang)),
        false => name.to_owned(),
    };
    let none = |columns: usize, kind: &str| {
        let word = if dataset.computing {
            "…"
        } else if results.outputs && dataset.slice.as_ref().is_some_and(|slice| slice.tasks == 0) {
            t.no_tasks
        } else if results.outputs {
            t.no_data
        } else {
            t.no_outputs
        };
        view! {
            <td role="cell" data-label=label(kind) class="num muted small board-n" colspan=columns.to_string()>{word}</td>
        }
        .into_any()
    };
    let (dimensions, ks) = (dataset.dimensions.len(), dataset.pass_at.len());
    let highest = |column: usize| dataset.highest.get(column).copied().flatten();
    if dimensions + ks == 0 {
        return none(1, t.results);
    }
    let mut cells: Vec<AnyView> = Vec::new();
    match &results.people {
        _ if dimensions == 0 => {}
        None => cells.push(none(width(dimensions), t.people)),
        Some(people) => {
            cells.extend(dataset.dimensions.iter().enumerate().map(|(d, dimension)| {
                let (number, scale): (fn(f64) -> String, _) = match dimension.checklist {
                    true => (share, (0.0, 1.0)),
                    false => (score, (f64::from(dimension.low), f64::from(dimension.high))),
                };
                let figure = Figure { name: label(&dimension_name(i, dimension)), number, scale, highest: highest(d) };
                bar(i, people.values.get(d).copied().flatten(), figure)
            }));
            let of = (t.rated)(&i.number(people.tasks), &i.number(people.ratings));
            cells.push(behind(i, people, of, Some(label(t.people))));
        }
    }
    match &results.tests {
        _ if ks == 0 => {}
        None => cells.push(none(width(ks), t.tests)),
        Some(tests) => {
            cells.extend(dataset.pass_at.iter().enumerate().map(|(at, k)| {
                let (name, highest) = (label(&format!("pass@{k} (%)")), highest(dimensions + at));
                let figure = Figure { name, number: share, scale: (0.0, 1.0), highest };
                bar(i, tests.values.get(at).copied().flatten(), figure)
            }));
            cells.push(behind(i, tests, tested(i, tests), Some(label(t.tests))));
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

/// What a column is about.
struct Figure {
    name: String,
    /// A value as text.
    number: fn(f64) -> String,
    /// The ends of its scale.
    scale: (f64, f64),
    /// The highest value of all models, if there are two.
    highest: Option<f64>,
}

/// A value with a bar from the low end of its scale, and a mark if it is the highest of all models.
fn bar(i: I18n, estimated: Option<Estimated>, Figure { name, number, scale, highest }: Figure) -> AnyView {
    let Some(Estimated { value: figure, interval }) = estimated else {
        return view! { <td role="cell" data-label=name class="num muted small board-n">{i.results().no_data}</td> }
            .into_any();
    };
    let is_highest = highest.is_some_and(|highest| figure > highest - 1e-9);
    let word = is_highest.then(|| view! { <span class="visually-hidden">{i.results().highest}" "</span> });
    let within = interval.map(|r| format!("[{}, {}]", number(r.low), number(r.high)));
    let class = if is_highest { "num board-value best" } else { "num board-value" };
    view! {
        <td role="cell" data-label=name class=class title=is_highest.then_some(i.results().highest)>
            {word}
            <span class="mean">{number(figure)}</span>
            " "
            {within.map(|text| view! { <span class="interval">{text}</span> })}
            <span class="board-bar" inner_html=cell_bar(scale, figure, interval)></span>
        </td>
    }
    .into_any()
}

/// The tasks behind a model's test results: for how many there are verdicts, and how many outputs have none.
pub fn tested(i: I18n, measured: &Measured) -> String {
    let tasks = (i.results().tested)(measured.answered, measured.tasks);
    let missing = measured.missing.map(|n| u32::try_from(n).unwrap_or(u32::MAX)).filter(|n| *n > 0);
    let missing = missing.map(|n| format!(" · {}", (i.runs().without_verdict_n)(n)));
    tasks + &missing.unwrap_or_default()
}

/// The data behind a group of values, and their date.
pub fn behind(i: I18n, measured: &Measured, of: String, label: Option<String>) -> AnyView {
    let at = measured.at.map(|at| i.date(at));
    let at = match measured.run {
        Some(run) => {
            view! { <a href=format!("/admin/runs/{run}")>{at.unwrap_or_else(|| run.to_string())}</a> }.into_any()
        }
        None => at.into_any(),
    };
    view! { <td role="cell" data-label=label class="num small muted board-n"><span>{of}</span><span>{at}</span></td> }
        .into_any()
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
            <th role="columnheader" scope="col" class=class aria-sort=order>
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
