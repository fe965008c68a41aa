//! `/admin/results`: the leaderboard of models on datasets, by people and by tests side by side.
//!
//! Filter and order live in the address, so that a link shows a colleague the same.

pub mod board;
pub mod dataset;
pub mod model;

use std::time::Duration;

use leptos::{prelude::*, web_sys};
use leptos_router::{hooks::use_query_map, params::ParamsMap};

use super::{comparison::slices, parts::Filter};
use crate::places::{Place, tabs};
use ::model::{
    address::query_of,
    comparison::{CountedScores, Selection},
    results::{Board, BoardQuery, DatasetPage},
    slices::{BoardSlice, Length, SliceBy, SliceOf, Slices},
};
use rpc::results::results_board;
use texts::I18n;
use ui::{
    context::use_i18n,
    effect::effect,
    frame::Page,
    load::{Data, Load},
    notice::Empty,
    pager::query_text,
};

/// How often a page whose figures are being computed asks for them.
const BEAT: Duration = Duration::from_secs(3);

/// The selection in the address.
fn asked_board(query: Memo<ParamsMap>) -> BoardQuery {
    query.with(|query| BoardQuery::read(|key| query.get(key).unwrap_or_default()))
}

/// Fetches again, while the page is looked at, as long as its figures are being computed.
fn until_computed<T: Clone + serde::Serialize + serde::de::DeserializeOwned + Send + Sync + 'static>(
    data: Data<T>,
    is_waiting: fn(&T) -> bool,
) {
    let waiting = StoredValue::new(false);
    effect(move |_| waiting.set_value(data.get().and_then(Result::ok).is_some_and(|found| is_waiting(&found))));
    effect(move |_| {
        let ask = move || {
            let hidden = web_sys::window().and_then(|w| w.document()).is_none_or(|d| d.hidden());
            if waiting.get_value() && !hidden {
                data.refetch();
            }
        };
        if let Ok(beat) = set_interval_with_handle(ask, BEAT) {
            on_cleanup(move || beat.clear());
        }
    });
}

/// The leaderboard.
#[component]
pub fn ResultsPage() -> impl IntoView {
    let i = use_i18n();
    let query = use_query_map();
    let which = Memo::new(move |_| asked_board(query));
    let data = Data::new(move || which.get(), results_board);
    until_computed(data, |board| board.datasets.iter().any(|d| d.computing || d.behind));
    // Slices are of one dataset's tasks.
    let only = Memo::new(move |_| which.get().dataset);
    let sliced = slices::data(
        move || Selection { dataset: only.get(), scores: CountedScores::Final, ..Selection::default() },
        query,
    );
    until_computed(sliced, |found| found.as_ref().is_some_and(|found| found.computing));
    let csv = move || {
        let query = query.with(query_text);
        format!("/admin/results.csv{query}")
    };
    view! {
        <Page title=i.results().results actions=move || view! {
            <a class="button" href=csv download="" rel="external">{i.results().csv}</a>
        }>
            {tabs(i, Place::Results, "/admin/results")}
            <p class="muted board-lead">{move || lead(i, &which.get())}</p>
            <Load data let:found>{page(i, which.get_untracked(), found, sliced)}</Load>
        </Page>
    }
}

fn page(i: I18n, asked: BoardQuery, found: Board, sliced: Data<Option<Slices>>) -> AnyView {
    if found.all_datasets.is_empty() || (found.models == 0 && asked.dataset.is_empty()) {
        return nothing(i).into_any();
    }
    let pages = dataset_pages(i, &found.page, found.datasets.len(), |after| {
        let other = BoardQuery { after: after.to_owned(), page: 0, ..asked.clone() };
        // Another page of datasets has none of this one's columns but the models' names.
        let other =
            if other.sort == "model" { other } else { BoardQuery { sort: String::new(), reverse: false, ..other } };
        board_address("/admin/results", &other)
    });
    view! {
        {filter(i, &asked, &found)}
        {(found.found == 0 && asked.q.is_empty() && asked.slice.is_empty()).then(|| nothing(i))}
        {slice_chosen(i, &asked)}
        {pages}
        {board::view(i, "/admin/results", &asked, &found)}
        {slices_of(i, &asked, &found, sliced)}
    }
    .into_any()
}

/// The slice in the address; what is no slice has a page with the error only.
fn chosen_slice(asked: &BoardQuery) -> Option<BoardSlice> {
    BoardSlice::read(&asked.slice).ok().flatten()
}

/// What the figures are.
fn lead(i: I18n, asked: &BoardQuery) -> &'static str {
    match chosen_slice(asked) {
        Some(slice) if !slice.by().is_shared() => i.results().lead_own,
        _ => i.results().lead,
    }
}

fn board_slice_name(i: I18n, slice: BoardSlice) -> String {
    let t = i.results();
    match slice {
        BoardSlice::Length(Length::Short) => t.short.to_owned(),
        BoardSlice::Length(Length::Medium) => t.medium.to_owned(),
        BoardSlice::Length(Length::Long) => t.long.to_owned(),
        BoardSlice::Difficulty(difficulty) => slices::slice_name(i, SliceOf::Difficulty(difficulty)),
        BoardSlice::CodeLang(lang) => slices::slice_name(i, SliceOf::CodeLang(lang)),
        BoardSlice::NlLang(lang) => slices::slice_name(i, SliceOf::NlLang(lang)),
    }
}

/// The slice of tasks that the figures are of, what that means for them, and the way back to all tasks.
fn slice_chosen(i: I18n, asked: &BoardQuery) -> Option<AnyView> {
    let t = i.results();
    let slice = chosen_slice(asked)?;
    let meaning = match slice.by() {
        SliceBy::Difficulty => t.slice_difficulty,
        SliceBy::Length => t.slice_length,
        SliceBy::CodeLang | SliceBy::NlLang => t.slice_same,
    };
    let all = board_address("/admin/results", &BoardQuery { slice: String::new(), page: 0, ..asked.clone() });
    let name = format!("{} · {}", slices::by_name(i, slice.by()), board_slice_name(i, slice));
    Some(
        view! {
            <div class="board-slice">
                <p>{t.only_tasks}{i.common.colon}<strong>{name}</strong>" "<a href=all>{i.comparison().all_tasks}</a></p>
                <p class="muted small board-lead">{meaning}</p>
            </div>
        }
        .into_any(),
    )
}

/// The choice of a slice.
fn slice_field(i: I18n, asked: &BoardQuery) -> impl IntoView + use<> {
    let groups = SliceBy::ALL.map(|by| {
        let options = BoardSlice::of(by).into_iter().map(|slice| {
            let chosen = slice.name() == asked.slice;
            view! { <option value=slice.name() selected=chosen>{board_slice_name(i, slice)}</option> }
        });
        view! { <optgroup label=slices::by_name(i, by)>{options.collect_view()}</optgroup> }
    });
    let every = asked.slice.is_empty();
    view! {
        <div class="field">
            <label class="label" for="board-slice">{i.results().tasks}</label>
            <select class="input" id="board-slice" name="slice">
                <option value="" selected=every>{i.comparison().all_tasks}</option>
                {groups.into_iter().collect_view()}
            </select>
        </div>
    }
}

/// That there are no results, and what leads to some.
fn nothing(i: I18n) -> impl IntoView {
    let (t, a) = (i.results(), i.admin());
    view! {
        <Empty title=t.nothing>
            <p>{t.nothing_hint}</p>
            <p class="row">
                <a class="button" href="/admin/upload">{a.upload_outputs}</a>
                <a class="button" href="/admin/studies/new">{a.new_study}</a>
            </p>
        </Empty>
    }
}

/// The slices of the only dataset of the leaderboard; of several datasets, how to get them.
fn slices_of(i: I18n, asked: &BoardQuery, found: &Board, sliced: Data<Option<Slices>>) -> AnyView {
    match found.datasets.as_slice() {
        [only] if !asked.dataset.is_empty() => {
            if only.dimensions.is_empty() && only.pass_at.is_empty() {
                return ().into_any();
            }
            let csv = format!("/admin/compare/{}/export/slices.csv?scores=final", only.slug);
            view! { <slices::SlicesSection slices=sliced csv/> }.into_any()
        }
        [] => ().into_any(),
        all => {
            let links = all.iter().map(|dataset| {
                let query = BoardQuery { dataset: dataset.slug.clone(), ..BoardQuery::default() };
                let href = format!("{}#slices", board_address("/admin/results", &query));
                view! { <li><a href=href>{dataset.name.get(i.lang).to_owned()}</a></li> }
            });
            view! {
                <section id="slices" class="stack" aria-labelledby="slices-head">
                    <h2 id="slices-head">{i.comparison().slices}</h2>
                    <p class="muted">{i.results().slices_lead}</p>
                    <ul class="plain-list row">{links.collect_view()}</ul>
                </section>
            }
            .into_any()
        }
    }
}

fn filter(i: I18n, asked: &BoardQuery, found: &Board) -> impl IntoView + use<> {
    let t = i.results();
    let datasets = found
        .all_datasets
        .iter()
        .map(|(slug, name)| {
            let chosen = *slug == asked.dataset;
            view! { <option value=slug.clone() selected=chosen>{name.get(i.lang).to_owned()}</option> }
        })
        .collect_view();
    let order = if asked.reverse { "reverse".to_owned() } else { String::new() };
    let kept = [("sort", asked.sort.clone()), ("order", order)];
    let kept = kept.into_iter().filter(|(_, value)| !value.is_empty());
    let kept = kept.map(|(key, value)| view! { <input type="hidden" name=key value=value/> }).collect_view();
    let count = (t.found)(&i.number(found.found + found.found_empty), &i.number(found.models));
    let (slices, every, words) = (slice_field(i, asked), asked.dataset.is_empty(), asked.q.clone());
    view! {
        <Filter search=true>
            <div class="field">
                <label class="label" for="board-dataset">{t.dataset}</label>
                <select class="input" id="board-dataset" name="dataset">
                    <option value="" selected=every>{t.all_datasets}</option>
                    {datasets}
                </select>
            </div>
            {slices}
            <div class="field">
                <label class="label" for="board-q">{t.model_name}</label>
                <input class="input" id="board-q" type="search" name="q" value=words/>
            </div>
            {kept}
            <button class="button" type="submit">{t.show}</button>
            <span class="muted small" role="status">{count}</span>
        </Filter>
    }
}

/// Links to the pages of datasets around this one, of which it shows `shown`; nothing if it shows all. `to` is the
/// address of the page after a dataset.
fn dataset_pages(i: I18n, page: &DatasetPage, shown: usize, to: impl Fn(&str) -> String) -> Option<AnyView> {
    let link = |after: &Option<String>, word: &'static str| {
        let href = to(after.as_ref()?);
        Some(view! { <a class="button" href=href>{word}</a> })
    };
    let (previous, next) = (link(&page.previous, i.common.previous_page), link(&page.next, i.common.next_page));
    if previous.is_none() && next.is_none() {
        return None;
    }
    let t = i.results();
    let range = match shown as u64 {
        0 => String::new(),
        shown => (t.datasets_shown)(page.before + 1, page.before + shown, page.all),
    };
    let range = view! { <span class="muted">{range}</span> };
    Some(view! { <nav class="row" aria-label=t.dataset_pages>{previous}{range}{next}</nav> }.into_any())
}

/// The address of a page with these fields, without the empty ones.
fn address<const N: usize>(path: &str, fields: [(&'static str, String); N]) -> String {
    let fields = fields.iter().filter(|(_, value)| !value.is_empty());
    let fields = fields.map(|(key, value)| (*key, value.as_str())).collect::<Vec<_>>();
    if fields.is_empty() { path.to_owned() } else { format!("{path}?{}", query_of(&fields)) }
}

/// The address of the leaderboard with these settings.
fn board_address(path: &str, query: &BoardQuery) -> String {
    let page = if query.page > 0 { query.page.to_string() } else { String::new() };
    let on = |on: bool, word: &str| if on { word.to_owned() } else { String::new() };
    address(
        path,
        [
            ("dataset", query.dataset.clone()),
            ("q", query.q.clone()),
            ("sort", query.sort.clone()),
            ("order", on(query.reverse, "reverse")),
            ("page", page),
            ("after", query.after.clone()),
            ("slice", query.slice.clone()),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_leaves_defaults_out_and_survives_reading() {
        assert_eq!(board_address("/admin/results", &BoardQuery::default()), "/admin/results");
        let query = BoardQuery { sort: "d-1".into(), reverse: true, page: 2, ..BoardQuery::default() };
        assert_eq!(board_address("/x", &query), "/x?sort=d-1&order=reverse&page=2");
        let query = BoardQuery { slice: "difficulty.hard".into(), ..BoardQuery::default() };
        assert_eq!(board_address("/x", &query), "/x?slice=difficulty.hard");
    }
}
