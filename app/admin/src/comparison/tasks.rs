//! The tasks behind a comparison, with a filter in the address.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::{asked_filter, matrix::Matrix};
use crate::parts::{Filter, asked, choice as option};
use chart::comparison::{self, Links};
use model::{
    comparison::{GridCell, Selection, SortColumn, TaskFilter, TaskPage},
    lang::Lang,
    run::Verdict,
};
use texts::I18n;
use ui::{chart_figure::ChartFigure, notice::Empty, pager::query_text};

/// The keys of an address that filter and sort tasks; the rest is the comparison's selection.
pub const OWN: [&str; 14] = [
    "q",
    "task_nl_lang",
    "model",
    "score",
    "verdict",
    "spread",
    "differ",
    "grid_cell",
    "sort",
    "order",
    "base",
    "from",
    "page",
    "grid",
];

/// A query with one key replaced, or removed if the value is empty.
pub fn with(query: &str, key: &str, value: &str) -> String {
    let kept = query.split('&').filter(|field| !field.is_empty() && field.split('=').next() != Some(key));
    let new = (!value.is_empty()).then(|| format!("{key}={value}"));
    kept.map(str::to_owned).chain(new).collect::<Vec<_>>().join("&")
}

/// The address's query.
pub fn here(query: Memo<leptos_router::params::ParamsMap>) -> String {
    query.with_untracked(query_text).trim_start_matches('?').to_owned()
}

/// The list.
#[allow(clippy::too_many_lines, reason = "one form and one list, from top to bottom")]
pub fn view(i: I18n, selection: Selection, page: TaskPage) -> AnyView {
    let t = i.comparison();
    let query = use_query_map();
    let read = move |key: &str| asked(query, key);
    // The list is drawn again with every change of the address, so its initial state needs no tracking.
    let now = move |key: &str| query.with_untracked(|query| query.get(key)).unwrap_or_default();
    let hidden = query.with_untracked(|query| {
        let fields = query.clone().into_iter();
        fields
            .filter(|(key, _)| !OWN.contains(&key.as_ref()))
            .map(|(key, value)| view! { <input type="hidden" name=key.into_owned() value=value/> })
            .collect_view()
    });
    let models = |key: &'static str| {
        let ids = page.model_ids.iter().map(|id| id.to_string());
        let options = ids.zip(page.models.iter().cloned()).map(|(id, name)| {
            let chosen = now(key) == id;
            view! { <option value=id selected=chosen>{name}</option> }
        });
        options.collect_view().into_any()
    };
    let of_model = models("model");
    let of_base = (page.models.len() > 1).then(|| models("base"));
    let filter = untrack(|| asked_filter(query));
    let column = filter.column.as_ref().and_then(|column| column_option(i, &page, column));
    let bases = of_base.map(|models| {
        view! {
            <div class="field">
                <label class="label" for="task-base">{t.differences_from}</label>
                <select class="input" id="task-base" name="base"><option value="">{t.no_base}</option>{models}</select>
            </div>
        }
    });
    let scores = page
        .rubric
        .iter()
        .flat_map(|rubric| &rubric.dimensions)
        .flat_map(|d| d.levels.iter().map(move |level| (d, level.score)))
        .map(|(d, score)| {
            let value = format!("{}.{score}", d.key);
            let chosen = now("score") == value;
            view! { <option value=value selected=chosen>{format!("{} {score}", d.name.get(i.lang))}</option> }
        })
        .collect_view();
    let verdicts = Verdict::ALL
        .map(|verdict| {
            let chosen = now("verdict") == verdict.name();
            view! { <option value=verdict.name() selected=chosen>{i.runs().verdict_name(verdict)}</option> }
        })
        .collect_view();
    // Selected in the chart of tests and people, and kept until it is cleared.
    let grid_cell = GridCell::read(&now("grid_cell")).map(|grid_cell| {
        let (ratio, share) = grid_cell.place();
        let rubric = page.rubric.as_ref();
        let dimension = rubric.and_then(|rubric| rubric.dimensions.get(rubric.against_tests()?));
        let range = dimension.map_or((0, 1), |d| d.range());
        let score = f64::from(range.0) + share * f64::from(range.1.saturating_sub(range.0));
        let href = format!("?{}#tasks", with(&with(&here(query), "page", ""), "grid_cell", ""));
        view! {
            <p class="row small" role="status">
                <span>{(t.on_spot)(&format!("{:.0}", ratio * 100.0), &format!("{score:.2}"))}</span>
                <a href=href>{t.any_spot}</a>
            </p>
        }
    });
    let kept =
        ["grid_cell", "grid", "order"].map(|key| (key, now(key))).into_iter().filter(|(_, value)| !value.is_empty());
    let kept = kept.map(|(key, value)| view! { <input type="hidden" name=key value=value/> }).collect_view();
    let count = (t.tasks_of)(&i.number(page.found), &i.number(page.all));
    let at: u32 = now("page").parse().unwrap_or(0);
    let pages = {
        let more = page.found > (u64::from(at) + 1) * TaskFilter::PAGE as u64;
        let link = move |to: u32, word: &'static str| {
            let href =
                format!("?{}#tasks", with(&here(query), "page", &if to == 0 { String::new() } else { to.to_string() }));
            view! { <a class="button" href=href>{word}</a> }
        };
        (at > 0 || more).then(|| {
            view! {
                <p class="row">
                    {(at > 0).then(|| link(at - 1, i.common.previous_page))}
                    {more.then(|| link(at + 1, i.common.next_page))}
                </p>
            }
        })
    };
    let grid_view = grid(i, &selection, &here(query), &page);
    let list = if page.lines.is_empty() {
        view! { <Empty title=i.admin().none_match/> }.into_any()
    } else {
        Matrix { i, dataset: &selection.dataset, query: &here(query), filter, page }.view()
    };
    let a = i.admin();
    view! {
        <Filter search=true>
            {hidden}
            {kept}
            <div class="field">
                <label class="label" for="task-q">{a.filter_text}</label>
                <input class="input" id="task-q" type="search" name="q" value=now("q") prop:value=move || read("q")/>
            </div>
            <div class="field">
                <label class="label" for="task-lang">{a.language}</label>
                <select class="input" id="task-lang" name="task_nl_lang">
                    {option(query, "task_nl_lang", "", a.any)} {option(query, "task_nl_lang", "en", Lang::En.name())}
                    {option(query, "task_nl_lang", "zh", Lang::Zh.name())}
                </select>
            </div>
            <div class="field">
                <label class="label" for="task-model">{t.model}</label>
                <select class="input" id="task-model" name="model"><option value="">{t.any_model}</option>{of_model}</select>
            </div>
            <div class="field">
                <label class="label" for="task-score">{t.score}</label>
                <select class="input" id="task-score" name="score"><option value="">{t.any}</option>{scores}</select>
            </div>
            <div class="field">
                <label class="label" for="task-verdict">{t.verdict}</label>
                <select class="input" id="task-verdict" name="verdict"><option value="">{t.any}</option>{verdicts}</select>
            </div>
            <div class="field">
                <label class="label" for="task-spread">{t.disagreement}</label>
                <select class="input" id="task-spread" name="spread">
                    {option(query, "spread", "", t.any)} {option(query, "spread", "1", t.by_one)}
                    {option(query, "spread", "2", t.by_two)}
                </select>
            </div>
            <div class="field">
                <label class="label" for="task-differ">{t.differ}</label>
                <select class="input" id="task-differ" name="differ">
                    {option(query, "differ", "", t.any)} {option(query, "differ", "1", t.differing)}
                </select>
            </div>
            <div class="field">
                <label class="label" for="task-sort">{t.order}</label>
                <select class="input" id="task-sort" name="sort">
                    {option(query, "sort", "", t.order_dataset)} {option(query, "sort", "spread", t.order_spread)}
                    {option(query, "sort", "gap", t.order_gap)} {option(query, "sort", "difference", t.order_apart)}
                    {column}
                </select>
            </div>
            {bases}
            <button class="button" type="submit">{a.filter}</button>
            <p class="filter-count" role="status">{count}</p>
        </Filter>
        {grid_cell}
        {grid_view}
        {list}
        {pages}
    }
    .into_any()
}

/// The option of the order by a column of the table, whose head chose it.
fn column_option(i: I18n, page: &TaskPage, column: &SortColumn) -> Option<AnyView> {
    let model = page.model_ids.iter().position(|id| *id == column.model)?;
    let dimension = page.rubric.iter().flat_map(|rubric| &rubric.dimensions).find(|d| d.key == column.metric);
    let metric = dimension.map_or(i.comparison().pass_ratio, |dimension| dimension.name.get(i.lang));
    let name = (i.comparison().column_of)(page.models.get(model)?, metric);
    Some(view! { <option value=column.sort() selected=true>{name}</option> }.into_any())
}

/// The filtered tasks as one chart, and the selection of its figure.
fn grid(i: I18n, selection: &Selection, query: &str, page: &TaskPage) -> Option<AnyView> {
    let t = i.comparison();
    let links = Links::of(selection);
    let filter: Vec<&str> = query
        .split('&')
        .filter(|field| {
            field.split('=').next().is_some_and(|key| OWN.contains(&key) && !["page", "base", "from"].contains(&key))
        })
        .collect();
    let filter = filter.join("&");
    let figure = comparison::grid(i, &page.models, &page.grid, Some((&links, &filter)))?;
    let files = links.files(&figure.id, &filter);
    let tests = page.grid.tested.then(|| ("tests".to_owned(), t.pass_ratio.to_owned()));
    let rubric = page.rubric.iter().flat_map(|rubric| &rubric.dimensions);
    let kinds: Vec<_> =
        tests.into_iter().chain(rubric.map(|d| (d.key.clone(), d.name.get(i.lang).to_owned()))).collect();
    let now = page.grid.dimension.as_ref().map_or("tests", |d| d.key.as_str());
    let switch = (kinds.len() > 1).then(|| {
        let ways = kinds.iter().map(|(key, name)| {
            let href = format!("?{}#tasks", with(&with(query, "page", ""), "grid", key));
            match key == now {
                true => view! { <strong aria-current="true">{name.clone()}</strong> }.into_any(),
                false => view! { <a href=href>{name.clone()}</a> }.into_any(),
            }
        });
        view! { <p class="row small"><span class="muted">{t.grid_shows}</span>{ways.collect_view()}</p> }
    });
    let left = (page.grid.left_off > 0)
        .then(|| view! { <p class="muted small">{(t.grid_left_off)(&i.number(page.grid.left_off))}</p> });
    Some(
        view! {
            <div class="stack task-grid">
                <h3>{t.grid_head}</h3>
                {switch}
                <ChartFigure figure files=Some(files)/>
                {left}
            </div>
        }
        .into_any(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changing_a_query_keeps_other_keys() {
        let check = |query, key, value, new: &str| assert_eq!(with(query, key, value), new);
        check("models=1&page=2", "page", "3", "models=1&page=3");
        check("models=1&page=2", "page", "", "models=1");
        check("", "page", "1", "page=1");
    }
}
