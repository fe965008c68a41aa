//! The table of a run's outputs, with a filter that lives in the address.

use std::sync::Arc;

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::verdicts::came_to;
use crate::{
    i18n::{I18n, use_i18n},
    model::{
        ids::RunId,
        lang::Lang,
        run::{ItemRow, ItemState, MissingTask, Verdict},
    },
    pages::admin::{
        filter::{Field, FilterBar},
        parts::{asked, holds},
    },
    ui::notice::{Badge, Empty, Tone},
};

/// A row: an output, or a task that has none.
#[derive(Clone, PartialEq)]
enum Entry {
    Output(ItemRow),
    Missing(MissingTask),
}

impl Entry {
    fn text(&self) -> String {
        match self {
            Entry::Output(o) => format!("{} {}", o.task_id, o.raw_nl),
            Entry::Missing(m) => format!("{} {}", m.task_id, m.raw_nl),
        }
    }

    /// Whether a choice in the list of verdicts holds it.
    fn is(&self, wanted: &str) -> bool {
        match (self, wanted) {
            (_, "") => true,
            (Entry::Missing(_), wanted) => wanted == "no_output",
            (Entry::Output(o), "engine_failed") => o.state == ItemState::Failed,
            (Entry::Output(o), "waiting") => matches!(o.state, ItemState::Waiting | ItemState::Leased),
            (Entry::Output(o), wanted) => o.verdict.is_some_and(|v| v.name() == wanted),
        }
    }

    fn is_flagged(&self) -> bool {
        matches!(self, Entry::Output(o) if o.flags > 0 || o.verdict == Some(Verdict::Anomaly))
    }
}

/// Every task of a run.
#[component]
pub fn Items(
    /// The run.
    run: RunId,
    /// Every output.
    items: Vec<ItemRow>,
    /// Every task without one.
    missing: Vec<MissingTask>,
) -> impl IntoView {
    let i = use_i18n();
    let (t, a) = (i.runs(), i.admin());
    let query = use_query_map();
    let read = move |key: &str| asked(query, key);
    let entries: Vec<Entry> =
        items.into_iter().map(Entry::Output).chain(missing.into_iter().map(Entry::Missing)).collect();
    let all = entries.len() as u64;
    // What the address asks for can be chosen, also where nothing has it.
    let choices = choices(i, &entries, &untrack(|| read("verdict")));
    let entries = Arc::new(entries);
    let found = Memo::new(move |_| {
        let (text, wanted, flagged) = (read("q"), read("verdict"), read("flagged") == "1");
        let fits = |e: &&Entry| holds(&e.text(), &text) && e.is(&wanted) && (!flagged || e.is_flagged());
        entries.iter().filter(fits).cloned().collect::<Vec<_>>()
    });
    let fields = vec![Field::Words, Field::Choice("verdict", t.verdict, choices), Field::Tick("flagged", t.flagged)];
    view! {
        <section class="stack" aria-labelledby="outputs">
            <h2 id="outputs">{a.outputs}</h2>
            <FilterBar fields shown=Signal::derive(move || found.with(Vec::len) as u64) all/>
            {move || {
                let rows = found.get();
                if rows.is_empty() { view! { <Empty title=a.none_match/> }.into_any() } else { table(i, run, rows) }
            }}
        </section>
    }
}

/// The verdicts to choose from, each with how many it has; those that nothing came to are left out.
fn choices(i: I18n, entries: &[Entry], asked: &str) -> Vec<(&'static str, String)> {
    let t = i.runs();
    let verdicts = Verdict::ALL.map(|v| (v.name(), t.verdict_name(v)));
    let others = [("engine_failed", t.engine_failed_short), ("waiting", t.waiting), ("no_output", t.missing)];
    let count = |value| entries.iter().filter(|e| e.is(value)).count();
    let counted = verdicts.into_iter().chain(others).filter_map(|(value, name)| match count(value) {
        0 if value != asked => None,
        n => Some((value, format!("{name} ({n})"))),
    });
    std::iter::once(("", i.admin().any.to_owned())).chain(counted).collect()
}

fn table(i: I18n, run: RunId, rows: Vec<Entry>) -> AnyView {
    let (t, a) = (i.runs(), i.admin());
    let sampled = rows.iter().any(|r| matches!(r, Entry::Output(o) if o.sample > 0));
    let rows = rows.into_iter().map(|entry| match entry {
        Entry::Output(row) => output(i, run, row, sampled),
        Entry::Missing(task) => missing(i, task, sampled),
    });
    view! {
        <div class="table-box list-box"><table class="table list" role="table">
            <caption class="visually-hidden">{a.outputs}</caption>
            <thead role="rowgroup">
                <tr role="row">
                    <th role="columnheader" scope="col">{a.task}</th>
                    {sampled.then(|| view! { <th role="columnheader" scope="col" class="num">{a.sample}</th> })}
                    <th role="columnheader" scope="col">{a.description}</th>
                    <th role="columnheader" scope="col">{t.verdict}</th>
                    <th role="columnheader" scope="col" class="num">{t.passed_cases}</th>
                    <th role="columnheader" scope="col" class="num">{t.cpu}</th>
                    <th role="columnheader" scope="col" class="num">{t.flags}</th>
                </tr>
            </thead>
            <tbody role="rowgroup">{rows.collect_view()}</tbody>
        </table></div>
    }
    .into_any()
}

fn output(i: I18n, run: RunId, row: ItemRow, sampled: bool) -> AnyView {
    let (t, a) = (i.runs(), i.admin());
    let came_to = came_to(i, row.state, row.verdict, row.limit);
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
            <td role="cell" data-label=t.verdict>{came_to}</td>
            <td role="cell" data-label=t.passed_cases class="num">{done.then(|| format!("{}/{}", row.passed, row.total))}</td>
            <td role="cell" data-label=t.cpu class="num">{done.then(|| format!("{} ms", i.number(row.cpu_ms.into())))}</td>
            <td role="cell" data-label=t.flags class="num">{flags}</td>
        </tr>
    }
    .into_any()
}

fn missing(i: I18n, task: MissingTask, sampled: bool) -> AnyView {
    let (t, a) = (i.runs(), i.admin());
    let lang = Lang::detect(&task.raw_nl).tag();
    view! {
        <tr role="row">
            <th role="rowheader" scope="row" data-label=a.task>{task.task_id}</th>
            {sampled.then(|| view! { <td role="cell"></td> })}
            <td role="cell" data-label=a.description class="nl-text" lang=lang>{task.raw_nl}</td>
            <td role="cell" data-label=t.verdict>
                <span class="verdict-word" title=t.missing_hint><span class="verdict-mark v-open" aria-hidden="true"></span>{t.missing}</span>
            </td>
            <td role="cell"></td><td role="cell"></td><td role="cell"></td>
        </tr>
    }
    .into_any()
}
