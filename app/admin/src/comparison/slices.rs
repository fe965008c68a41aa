//! A comparison's results by slices of its tasks: by difficulty, length or language. Attribute and metric are in the
//! address.

use leptos::prelude::*;
use leptos_router::{hooks::use_query_map, params::ParamsMap};

use crate::{
    filter::send,
    parts::{Filter, asked},
    results::board::{dimension_name, score, share},
};
use chart::bars::cell_bar;
use model::{
    comparison::Selection,
    slices::{Difficulty, SliceBy, SliceFigure, SliceMetric, SliceOf, Slices},
    text::natural_cmp,
};
use rpc::comparison::comparison_slices;
use texts::I18n;
use ui::{
    context::use_i18n,
    load::{Data, Load},
    notice::{Notice, Tone},
};

/// The attribute in the address.
const BY: &str = "slice_by";
/// The metric in the address.
const METRIC: &str = "slice_metric";
/// Values closer than this are equal: what differs is the rounding of sums.
const EQUAL: f64 = 1e-9;
/// Most models in the table; the CSV file has all.
const MOST: usize = 50;

/// The slices of the attribute in the address; nothing without one.
pub fn data(selection: impl Fn() -> Selection + Send + Sync + 'static, query: Memo<ParamsMap>) -> Data<Option<Slices>> {
    let by = Memo::new(move |_| SliceBy::from_name(&asked(query, BY)));
    Data::new(
        move || (selection(), by.get()),
        |(selection, by)| async move {
            match by {
                Some(by) => comparison_slices(selection, by).await.map(Some),
                None => Ok(None),
            }
        },
    )
}

/// The section of a page. `csv` is the address of the file with all slices.
#[component]
pub fn SlicesSection(slices: Data<Option<Slices>>, csv: String) -> impl IntoView {
    let i = use_i18n();
    let t = i.comparison();
    let query = use_query_map();
    let open = move || !asked(query, BY).is_empty();
    view! {
        <section id="slices" class="stack" aria-labelledby="slices-head">
            <h2 id="slices-head">{t.slices}</h2>
            <details class="fold" open=open prop:open=open>
                <summary>{t.slices_what}</summary>
                <Load data=slices let:found>{body(i, query, found, csv.clone())}</Load>
            </details>
        </section>
    }
}

fn body(i: I18n, query: Memo<ParamsMap>, found: Option<Slices>, csv: String) -> AnyView {
    let t = i.comparison();
    let form = form(i, query, found.as_ref());
    // Another metric is in the address only: the slices are loaded with all of them.
    let table = found.map(|found| move || table(i, &asked(query, METRIC), &found));
    view! {
        <div class="stack">
            {form}
            {table}
            <p class="small"><a href=csv download="" rel="external">{t.slices_csv}</a></p>
        </div>
    }
    .into_any()
}

/// The name of an attribute.
pub fn by_name(i: I18n, by: SliceBy) -> &'static str {
    let t = i.comparison();
    match by {
        SliceBy::Difficulty => t.by_difficulty,
        SliceBy::Length => t.by_length,
        SliceBy::CodeLang => t.by_code_lang,
        SliceBy::NlLang => t.lang,
    }
}

fn metric_name(i: I18n, metric: &SliceMetric) -> String {
    metric.dimension.as_ref().map_or_else(|| "pass@1 (%)".to_owned(), |dimension| dimension_name(i, dimension))
}

/// The name of what the tasks of a slice have in common.
pub fn slice_name(i: I18n, of: SliceOf) -> String {
    let t = i.comparison();
    match of {
        SliceOf::Difficulty(Difficulty::Hard) => t.hard.to_owned(),
        SliceOf::Difficulty(Difficulty::Medium) => t.medium.to_owned(),
        SliceOf::Difficulty(Difficulty::Easy) => t.easy.to_owned(),
        SliceOf::Difficulty(Difficulty::Unknown) => t.unknown_difficulty.to_owned(),
        SliceOf::Length { shortest, longest } if shortest == longest => (t.characters_of)(&i.number(longest)),
        SliceOf::Length { shortest, longest } => (t.characters)(&i.number(shortest), &i.number(longest)),
        SliceOf::CodeLang(lang) => lang.name().to_owned(),
        SliceOf::NlLang(lang) => lang.name().to_owned(),
    }
}

/// The attribute and, once there are slices, the metric. The form keeps the rest of the address.
fn form(i: I18n, query: Memo<ParamsMap>, found: Option<&Slices>) -> AnyView {
    let t = i.comparison();
    let hidden = query.with_untracked(|query| {
        let fields = query.clone().into_iter().filter(|(key, _)| ![BY, METRIC].contains(&key.as_ref()));
        fields.map(|(key, value)| view! { <input type="hidden" name=key.into_owned() value=value/> }).collect_view()
    });
    let attributes = SliceBy::ALL.map(|by| {
        let chosen = found.is_some_and(|found| found.by == by);
        view! { <option value=by.name() selected=chosen>{by_name(i, by)}</option> }
    });
    let metrics = found.filter(|found| found.metrics.len() > 1).map(|found| {
        let all = StoredValue::new(found.metrics.clone());
        let options = found.metrics.iter().map(|metric| {
            let key = metric.key().to_owned();
            let is_shown = Memo::new(move |_| {
                let now = asked(query, METRIC);
                all.with_value(|all| chosen(all, &now).is_some_and(|metric| metric.key() == key))
            });
            view! {
                <option value=metric.key().to_owned() selected=is_shown prop:selected=is_shown>
                    {metric_name(i, metric)}
                </option>
            }
        });
        view! {
            <div class="field">
                <label class="label" for="slice-metric">{t.metric}</label>
                <select class="input" id="slice-metric" name=METRIC on:change=|event| send(&event)>
                    {options.collect_view()}
                </select>
            </div>
        }
    });
    // Before a choice, the first attribute is only proposed: a change of the list would not send it.
    let is_chosen = found.is_some();
    view! {
        <Filter>
            {hidden}
            <div class="field">
                <label class="label" for="slice-by">{t.slice_by}</label>
                <select class="input" id="slice-by" name=BY on:change=move |event| if is_chosen { send(&event) }>
                    {attributes.collect_view()}
                </select>
            </div>
            {metrics}
            <button class="button" type="submit">{i.results().show}</button>
        </Filter>
    }
    .into_any()
}

/// The metric of this key; else the first.
fn chosen<'a>(metrics: &'a [SliceMetric], key: &str) -> Option<&'a SliceMetric> {
    metrics.iter().find(|metric| metric.key() == key).or(metrics.first())
}

fn table(i: I18n, metric: &str, found: &Slices) -> AnyView {
    let t = i.comparison();
    if found.computing {
        return view! { <Notice tone=Tone::Care><p role="status">{t.counting}</p></Notice> }.into_any();
    }
    let Some(metric) = chosen(&found.metrics, metric) else {
        return view! { <p class="muted">{t.nothing}</p> }.into_any();
    };
    if found.by == SliceBy::Difficulty && found.tested < 2 {
        return view! { <p class="muted">{t.difficulty_none}</p> }.into_any();
    }
    if let ([only], true) = (found.slices.as_slice(), found.by != SliceBy::Difficulty) {
        let text = (t.slice_single)(&i.number(only.tasks), &slice_name(i, only.of));
        return view! { <p class="muted">{text}</p> }.into_any();
    }
    let (models, without) = ranked(found, metric);
    let without = without_data(i, found, &without);
    let cut = (models.len() > MOST)
        .then(|| view! { <p class="muted small">{(t.slice_models)(MOST as u64, models.len() as u64)}</p> });
    let shown: Vec<usize> = models.into_iter().take(MOST).collect();
    let name = metric_name(i, metric);
    let all = t.all_tasks.to_owned();
    let columns: Vec<(String, &Vec<SliceFigure>)> = [(all, &metric.all)]
        .into_iter()
        .chain(found.slices.iter().zip(&metric.slices).map(|(slice, figures)| (slice_name(i, slice.of), figures)))
        .collect();
    let heads =
        columns.iter().map(|(name, _)| view! { <th role="columnheader" scope="col" class="num">{name.clone()}</th> });
    let heads = heads.collect_view();
    // By difficulty, models have different tasks in a slice, so that none is the highest.
    let is_comparable = |column: usize| column == 0 || found.by.is_shared();
    let highest = columns.iter().enumerate();
    let highest: Vec<Option<f64>> =
        highest.map(|(at, (_, figures))| highest_of(figures).filter(|_| is_comparable(at))).collect();
    let rank = |at: usize| {
        let own = value(&metric.all, at)?;
        Some(1 + metric.all.iter().filter(|other| other.value.is_some_and(|other| other > own + EQUAL)).count())
    };
    let rows = shown.iter().map(|at| {
        let (id, model) = found.models.get(*at).map(|(id, name)| (id.to_string(), name.clone())).unwrap_or_default();
        let cells = columns.iter().zip(&highest);
        let cells = cells.map(|((name, figures), highest)| cell(i, name, (metric, *highest), figures.get(*at)));
        view! {
            <tr role="row">
                <td role="cell" class="num muted board-rank">{rank(*at)}</td>
                <th role="rowheader" scope="row"><a href=format!("/admin/results/models/{id}")>{model}</a></th>
                {cells.collect_view()}
            </tr>
        }
    });
    let rows = rows.collect_view();
    view! {
        <div class="table-box board slices" role="group" aria-labelledby="slices-caption" tabindex="0">
            <table class="table means" role="table">
                <caption id="slices-caption">{name}</caption>
                <thead role="rowgroup"><tr role="row">
                    <th role="columnheader" scope="col" class="num board-rank">{t.rank}</th>
                    <th role="columnheader" scope="col">{t.model}</th>
                    {heads}
                </tr></thead>
                <tbody role="rowgroup">{rows}</tbody>
            </table>
        </div>
        {cut}
        {without}
        {notes(i, found, metric, &shown)}
    }
    .into_any()
}

/// The models with a value over all tasks, highest first, and those without one. Models with the same value are in the
/// order of their names, where 2 comes before 10. One sort does both, because each kind costs browsers kilobytes.
fn ranked(found: &Slices, metric: &SliceMetric) -> (Vec<usize>, Vec<usize>) {
    let name = |at: usize| found.models.get(at).map_or("", |(_, name)| name.as_str());
    let (mut models, without): (Vec<usize>, Vec<usize>) =
        (0..found.models.len()).partition(|at| value(&metric.all, *at).is_some());
    models.sort_by(|a, b| {
        let by_value = value(&metric.all, *b).partial_cmp(&value(&metric.all, *a));
        by_value.unwrap_or(std::cmp::Ordering::Equal).then_with(|| natural_cmp(name(*a), name(*b)))
    });
    (models, without)
}

/// The models without a value, folded.
fn without_data(i: I18n, found: &Slices, models: &[usize]) -> Option<AnyView> {
    if models.is_empty() {
        return None;
    }
    let names = models.iter().take(MOST).filter_map(|at| found.models.get(*at));
    let names = names.map(|(_, name)| view! { <li>{name.clone()}</li> }).collect_view();
    let folded = view! {
        <details class="fold board-empty">
            <summary>{(i.results().empty_models)(models.len() as u64)}</summary>
            <ul>{names}</ul>
        </details>
    };
    Some(folded.into_any())
}

/// The highest value, if two models have one.
fn highest_of(figures: &[SliceFigure]) -> Option<f64> {
    let values: Vec<f64> = figures.iter().filter_map(|figure| figure.value).collect();
    (values.len() > 1).then(|| values.into_iter().fold(f64::NEG_INFINITY, f64::max))
}

fn value(figures: &[SliceFigure], at: usize) -> Option<f64> {
    figures.get(at).and_then(|figure| figure.value)
}

/// A figure with its bar, and a mark if it is the highest of its column.
fn cell(i: I18n, name: &str, (metric, highest): (&SliceMetric, Option<f64>), figure: Option<&SliceFigure>) -> AnyView {
    let figure = figure.copied().unwrap_or_default();
    let Some(value) = figure.value else {
        return view! { <td role="cell" data-label=name.to_owned() class="num muted small board-n">{i.results().no_data}</td> }
            .into_any();
    };
    let (number, scale): (fn(f64) -> String, _) = match &metric.dimension {
        Some(dimension) if !dimension.checklist => (score, (f64::from(dimension.low), f64::from(dimension.high))),
        _ => (share, (0.0, 1.0)),
    };
    let within = figure.interval.map(|r| format!("[{}, {}]", number(r.low), number(r.high)));
    let is_highest = highest.is_some_and(|highest| value > highest - EQUAL);
    let word = is_highest.then(|| view! { <span class="visually-hidden">{i.results().highest}" "</span> });
    let class = if is_highest { "num board-value best" } else { "num board-value" };
    view! {
        <td role="cell" data-label=name.to_owned() class=class title=is_highest.then_some(i.results().highest)>
            {word}
            <span class="mean">{number(value)}</span>
            " "
            {within.map(|text| view! { <span class="interval">{text}</span> })}
            " "
            <span class="muted small slice-n">{(i.comparison().slice_tasks)(&i.number(figure.tasks))}</span>
            <span class="board-bar" inner_html=cell_bar(scale, value, figure.interval)></span>
        </td>
    }
    .into_any()
}

/// What the figures mean, as far as it applies to what is shown.
fn notes(i: I18n, found: &Slices, metric: &SliceMetric, shown: &[usize]) -> impl IntoView + use<> {
    let t = i.comparison();
    let mut notes: Vec<String> = Vec::new();
    match found.by {
        SliceBy::Difficulty => {
            notes.push((t.difficulty_note)(found.tested));
            if found.tested < 5 {
                notes.push(t.difficulty_rough.to_owned());
            }
            if metric.adjusted.first() == Some(&true) {
                notes.push(t.difficulty_own.to_owned());
            }
        }
        SliceBy::Length => {
            notes.push(t.length_note.to_owned());
            if found.nl_langs > 1 {
                notes.push(t.length_mixed.to_owned());
            }
        }
        SliceBy::CodeLang | SliceBy::NlLang => {}
    }
    if found.by.is_shared() && metric.adjusted.iter().any(|adjusted| *adjusted) {
        notes.push(t.slice_adjusted.to_owned());
    }
    notes.push(t.slice_intervals.to_owned());
    let is_small = |figure: &SliceFigure| figure.value.is_some() && figure.tasks < Slices::MIN_TASKS;
    let figures = metric.slices.iter().flat_map(|figures| shown.iter().filter_map(|at| figures.get(*at)));
    if figures.clone().any(is_small) {
        notes.push((t.slice_few)(Slices::MIN_TASKS));
    }
    let notes = notes.into_iter().map(|note| view! { <li>{note}</li> }).collect_view();
    view! { <ul class="plain-list muted small">{notes}</ul> }
}
