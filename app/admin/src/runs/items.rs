//! The table of a run's outputs, with a filter in the address.

use leptos::prelude::*;
use leptos_router::{hooks::use_query_map, params::ParamsMap};

use super::verdicts::{NO_VERDICT, item_result};
use crate::{filter::Field, list::Listing, parts::asked};
use model::{
    ids::RunId,
    lang::Lang,
    page::{Paged, holds},
    run::{Agreement, ItemFilter, ItemResult, ItemRow, MissingTask, RunRow, Verdict},
};
use texts::I18n;
use ui::{
    context::use_i18n,
    load::{Data, Load},
    notice::{Badge, Tone},
    pager::pager,
    verdict::{marked, other_verdict, their_verdict},
};

/// Number of outputs per state or verdict, for the options of the filter.
#[derive(Clone)]
pub struct Counts(Vec<(ItemResult, u32)>);

impl Counts {
    /// From a run's figures and the number of tasks without an output.
    pub fn of(row: &RunRow, verdicts: &[(Verdict, u32)], theirs: &Agreement, missing: usize) -> Counts {
        let verdicts = verdicts.iter().map(|(verdict, count)| (ItemResult::Verdict(*verdict), *count));
        let others = [
            (ItemResult::Differs, row.published.map_or(0, |published| published.differ)),
            (ItemResult::TheirsOnly, theirs.theirs_only),
            (ItemResult::OursOnly, theirs.ours_only),
            (ItemResult::EngineFailed, row.failed),
            (ItemResult::Waiting, row.items.saturating_sub(row.done)),
            (ItemResult::NoOutput, u32::try_from(missing).unwrap_or(u32::MAX)),
        ];
        Counts(verdicts.chain(others).collect())
    }

    /// The choices, each with its count. Those with none are left out, but not what the address asks for.
    fn choices(&self, i: I18n, asked: &str) -> Vec<(&'static str, String)> {
        let t = i.runs();
        let name = |result| match result {
            ItemResult::Verdict(verdict) => t.verdict_name(verdict),
            ItemResult::Differs => t.differs_published,
            ItemResult::TheirsOnly => t.theirs_only,
            ItemResult::OursOnly => t.ours_only,
            ItemResult::EngineFailed => t.engine_failed_short,
            ItemResult::Waiting => t.waiting,
            ItemResult::NoOutput => t.missing,
        };
        let counted = self.0.iter().filter(|(result, count)| *count > 0 || result.name() == asked);
        let counted = counted.map(|(result, count)| (result.name(), format!("{} ({count})", name(*result))));
        std::iter::once(("", i.admin().any.to_owned())).chain(counted).collect()
    }
}

/// The list in the address.
pub fn listing() -> Listing {
    Listing::new("order", &["verdict", "flagged"])
}

/// The filter in the address.
pub fn filter(query: Memo<ParamsMap>) -> ItemFilter {
    ItemFilter {
        words: asked(query, "q"),
        result: ItemResult::from_name(&asked(query, "verdict")),
        flagged: asked(query, "flagged") == "1",
    }
}

/// A page of a run's outputs, and the tasks without one.
#[component]
pub fn Items(
    /// The run.
    run: RunId,
    /// The outputs that the address asks for, created at the top of the page.
    data: Data<Paged<ItemRow>>,
    counts: Counts,
    /// Every task without an output.
    missing: Vec<MissingTask>,
) -> impl IntoView {
    let i = use_i18n();
    let (t, a) = (i.runs(), i.admin());
    let query = use_query_map();
    // The choice in the address can be selected even if no output has it.
    let choices = counts.choices(i, &untrack(|| asked(query, "verdict")));
    let list = listing();
    let fields = vec![Field::Choice("verdict", t.verdict, choices), Field::Tick("flagged", t.flagged)];
    let without = move || {
        let filter = filter(query);
        let fits = |task: &&MissingTask| holds(&format!("{} {}", task.task_id, task.raw_nl), &filter.words);
        match filter.result {
            None | Some(ItemResult::NoOutput) if !filter.flagged => missing.iter().filter(fits).cloned().collect(),
            _ => Vec::new(),
        }
    };
    view! {
        <section class="stack" aria-labelledby="outputs">
            <h2 id="outputs">{a.outputs}</h2>
            {list.bar(fields)}
            <Load data let:page>
                {
                    // After the last output.
                    let without = if page.next.is_none() { without() } else { Vec::new() };
                    let more = page.next.is_some();
                    let below = pager(i, query, "", &page);
                    if page.rows.is_empty() && without.is_empty() {
                        view! { {list.no_match(more)}{below} }.into_any()
                    } else {
                        view! { {table(i, list, run, page.rows, without)}{below} }.into_any()
                    }
                }
            </Load>
        </section>
    }
}

fn table(i: I18n, list: Listing, run: RunId, rows: Vec<ItemRow>, without: Vec<MissingTask>) -> AnyView {
    let (t, a) = (i.runs(), i.admin());
    let sampled = rows.iter().any(|row| row.sample > 0);
    let published = rows.iter().any(|row| row.published.is_some());
    let theirs = rows.iter().any(|row| row.theirs.is_some());
    let shown = Shown { sampled, published, theirs };
    let rows = rows.into_iter().map(|row| output(i, run, row, shown));
    let rows: Vec<AnyView> = rows.chain(without.into_iter().map(|task| missing(i, task, shown))).collect();
    view! {
        <div class="table-box list-box"><table class="table list" role="table">
            <caption class="visually-hidden">{a.outputs}</caption>
            <thead role="rowgroup">
                <tr role="row">
                    {list.head(a.task, "order", "")}
                    {sampled.then(|| view! { <th role="columnheader" scope="col" class="num">{a.sample}</th> })}
                    <th role="columnheader" scope="col">{a.description}</th>
                    <th role="columnheader" scope="col">{t.verdict}</th>
                    {published.then(|| view! { <th role="columnheader" scope="col">{t.published}</th> })}
                    {theirs.then(|| view! { <th role="columnheader" scope="col">{t.their_verdict}</th> })}
                    <th role="columnheader" scope="col" class="num">{t.passed_cases}</th>
                    <th role="columnheader" scope="col" class="num">{t.cpu}</th>
                    <th role="columnheader" scope="col" class="num">{t.flags}</th>
                </tr>
            </thead>
            <tbody role="rowgroup">{rows}</tbody>
        </table></div>
    }
    .into_any()
}

/// Columns that only some runs have.
#[derive(Clone, Copy)]
struct Shown {
    sampled: bool,
    published: bool,
    theirs: bool,
}

fn output(i: I18n, run: RunId, row: ItemRow, Shown { sampled, published, theirs }: Shown) -> AnyView {
    let (t, a) = (i.runs(), i.admin());
    let why = t.why_differs(&row).map(|why| view! { <span class="muted small">" · "{why}</span> });
    let as_published = published.then(|| {
        let word = row.published.map(|verdict| other_verdict(i, verdict));
        view! { <td role="cell" data-label=t.published>{word}{why}</td> }
    });
    let theirs = theirs.then(|| {
        let word = row.theirs.map(|passed| their_verdict(i, passed));
        view! { <td role="cell" data-label=t.their_verdict>{word}</td> }
    });
    let result = item_result(i, row.state, row.verdict, row.limit);
    let lang = Lang::detect(&row.raw_nl).tag();
    let done = row.verdict.is_some();
    let flags = (row.flags > 0).then(|| view! { <Badge tone=Tone::Care>{row.flags}</Badge> });
    view! {
        <tr role="row" class:odd=row.verdict == Some(Verdict::Anomaly)>
            <th role="rowheader" scope="row" data-label=a.task>
                <a href=format!("/admin/runs/{run}/outputs/{}", row.output)>{row.task_id}</a>
            </th>
            {sampled.then(|| view! { <td role="cell" data-label=a.sample class="num">{row.sample + 1}</td> })}
            <td role="cell" data-label=a.description class="nl-text" lang=lang>{row.raw_nl}</td>
            <td role="cell" data-label=t.verdict>{result}</td>
            {as_published}
            {theirs}
            <td role="cell" data-label=t.passed_cases class="num">{done.then(|| format!("{}/{}", row.passed, row.total))}</td>
            <td role="cell" data-label=t.cpu class="num">{done.then(|| format!("{} ms", i.number(row.cpu_ms.into())))}</td>
            <td role="cell" data-label=t.flags class="num">{flags}</td>
        </tr>
    }
    .into_any()
}

fn missing(i: I18n, task: MissingTask, Shown { sampled, published, theirs }: Shown) -> AnyView {
    let (t, a) = (i.runs(), i.admin());
    let lang = Lang::detect(&task.raw_nl).tag();
    view! {
        <tr role="row">
            <th role="rowheader" scope="row" data-label=a.task>{task.task_id}</th>
            {sampled.then(|| view! { <td role="cell"></td> })}
            <td role="cell" data-label=a.description class="nl-text" lang=lang>{task.raw_nl}</td>
            <td role="cell" data-label=t.verdict>
                <span title=t.missing_hint>{marked(NO_VERDICT, "", t.missing)}</span>
            </td>
            {published.then(|| view! { <td role="cell"></td> })}
            {theirs.then(|| view! { <td role="cell"></td> })}
            <td role="cell"></td><td role="cell"></td><td role="cell"></td>
        </tr>
    }
    .into_any()
}
