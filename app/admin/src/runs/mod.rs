//! `/admin/runs`: every run of automated tests. One run is [`run`], one output [`item`], the comparison of
//! two runs [`compare`].

pub mod compare;
mod compare_task;
pub mod item;
mod items;
mod live;
mod published;
pub mod run;
pub mod verdicts;
mod workers;

use leptos::prelude::*;

use super::{
    engine::{EngineNotice, engine_data},
    filter::Field,
    list::Listing,
    parts::{state, state_choices},
};
use crate::places::{Place, tabs};
use chart::percentage;
use model::run::{Metrics, RunRow, RunStatus};
use rpc::runs::runs;
use texts::I18n;
use ui::{
    context::use_i18n,
    frame::Page,
    load::{Data, Load},
    notice::{Badge, Empty, Tone},
};

/// The list of runs.
#[component]
pub fn RunsPage() -> impl IntoView {
    let i = use_i18n();
    let (t, l) = (i.runs(), i.lists());
    let list = Listing::new("-started", &["status", "dataset", "model"]);
    let data = Data::new(move || list.asked(), |page| runs(None, page));
    let engine = engine_data();
    let workers = workers::workers_data();
    let actions = move || view! { <a class="button" href="/admin/runs/compare">{i.runs().compare_runs}</a> };
    let states = state_choices(i, &RunStatus::ALL.map(|status| (status.name(), status)));
    view! {
        <Page title=t.runs actions>
            {tabs(i, Place::Results, "/admin/runs")}
            <EngineNotice data=engine/>
            {workers::section(i, workers)}
            {list.bar(vec![Field::Choice("status", l.status, states), Field::Kept("dataset"), Field::Kept("model")])}
            <Load data let:page>{list.view(page, move || none(i), move |rows| table(i, Some(list), rows))}</Load>
        </Page>
    }
}

fn none(i: I18n) -> AnyView {
    let t = i.runs();
    view! {
        <Empty title=t.no_runs>
            <p>{t.no_runs_hint}</p>
            <p><a class="button" href="/admin/submissions">{i.admin().submissions}</a></p>
        </Empty>
    }
    .into_any()
}

/// Says for how many tasks there is a verdict where it is not all, because the others count as not solved.
pub fn coverage(i: I18n, m: &Metrics) -> Option<AnyView> {
    (m.answered < m.tasks).then(|| {
        let text = (i.results().tested)(m.answered.into(), m.tasks.into());
        view! { " "<Badge tone=Tone::Care>{text}</Badge> }.into_any()
    })
}

/// Runs, whose headings sort a list.
pub fn table(i: I18n, list: Option<Listing>, rows: Vec<RunRow>) -> AnyView {
    let (t, a) = (i.runs(), i.admin());
    let head = |name: &'static str, sort: &'static str, class: &'static str| match list {
        Some(list) => list.head(name, sort, class),
        None => view! { <th role="columnheader" scope="col" class=class>{name}</th> }.into_any(),
    };
    let rows = rows.into_iter().map(|row| {
        let (m, done) = (row.metrics, (i.common.of)(row.done.into(), row.items.into()));
        // Figures count what has no verdict as unsolved, so those of a part of the outputs would be too low.
        let is_whole = row.items > 0 && row.done == row.items;
        let shown = move |share| if is_whole && m.has_tasks() { percentage(share) } else { "–".to_owned() };
        let not_counted = (m.not_counted > 0)
            .then(|| view! { " "<span class="interval">{(t.not_counted_n)(m.not_counted)}</span> });
        let failed =
            (row.failed > 0).then(|| view! { " · "<span class="interval">{(t.without_verdict_n)(row.failed)}</span> });
        view! {
            <tr role="row">
                <th role="rowheader" scope="row" data-label=t.run>
                    <a href=format!("/admin/runs/{}", row.id)>{row.model_name}</a>
                    " "<span class="muted small">{(t.run_n)(row.id)}</span>
                </th>
                <td role="cell" data-label=a.dataset><span>{row.dataset}" "<span class="muted">{(a.version_n)(row.number)}</span></span></td>
                <td role="cell" data-label=t.state>
                    {state(i, row.status)}
                    {row.lacks_sources.then(|| view! { " "<Badge tone=Tone::Care>{t.no_sources}</Badge> })}
                </td>
                <td role="cell" data-label=t.done_count class="num">{done}</td>
                <td role="cell" data-label="pass@1" class="num">
                    <span class="mean">{shown(m.pass_at_1)}</span>
                    {coverage(i, &m)}
                    {not_counted}
                    {failed}
                    {row.published.filter(|_| is_whole).map(|published| view! {
                        " · "<span class="interval">{percentage(published.pass_at_1)}" "{t.published_short}</span>
                    })}
                </td>
                <td role="cell" data-label=t.ratio class="num">{shown(m.ratio_mean)}</td>
                <td role="cell" data-label=t.started class="when">{i.time(row.created_at)}</td>
            </tr>
        }
    });
    view! {
        <div class="table-box list-box"><table class="table list" role="table">
            <caption class="visually-hidden">{t.runs}</caption>
            <thead role="rowgroup">
                <tr role="row">
                    {head(t.run, "model", "")}
                    {head(a.dataset, "dataset", "")}
                    {head(t.state, "status", "")}
                    {head(t.done_count, "", "num")}
                    {head("pass@1", "", "num")}
                    {head(t.ratio, "", "num")}
                    {head(t.started, "-started", "")}
                </tr>
            </thead>
            <tbody role="rowgroup">{rows.collect_view()}</tbody>
        </table></div>
    }
    .into_any()
}
