//! `/admin/conversations`: CodeIF-Bench over its ways, turns and kinds, a row for each model.

use std::ops::RangeInclusive;

use leptos::prelude::*;

use crate::places::{Place, tabs};
use chart::{
    figures::{self, ColumnGroup, GridTask},
    percentage,
};
use model::{
    conversation::{InstructionKind, Way},
    conversation_results::{
        AuthorComparison, ConversationDataset, ConversationFigures, ConversationResults, DynamicFigures, DynamicShares,
        ModelConversations, RoundFigures, Share, WayResults,
    },
    ratings::Interval,
};
use rpc::runs::conversations;
use texts::I18n;
use ui::{
    chart_figure::ChartFigure,
    context::use_i18n,
    frame::Page,
    load::{Data, Load},
    notice::Empty,
    verdict::their_verdict,
};

/// Every model in every way.
#[component]
pub fn ConversationsPage() -> impl IntoView {
    let i = use_i18n();
    let t = i.conversations();
    let data = Data::new(|| (), |()| conversations());
    let actions = move || view! { <a class="button" href="/admin/conversations.csv" download="">{t.export}</a> };
    view! {
        <Page title=t.title actions>
            {tabs(i, Place::Results, "/admin/conversations")}
            <Load data let:results>{page(i, &results)}</Load>
        </Page>
    }
}

fn page(i: I18n, results: &ConversationResults) -> AnyView {
    let t = i.conversations();
    if results.datasets.is_empty() {
        return view! { <Empty title=t.none><p>{t.none_hint}</p></Empty> }.into_any();
    }
    let datasets = results.datasets.iter().map(|dataset| section(i, dataset)).collect_view();
    let contents = (results.datasets.len() > 1).then(|| {
        let link = |dataset: &ConversationDataset| {
            view! { <a href=format!("#dataset-{}", dataset.slug) rel="external" translate="no">{dataset.slug.clone()}</a> }
        };
        let links = results.datasets.iter().map(link).collect_view();
        view! { <nav class="comparison-nav" aria-label=i.comparison().contents>{links}</nav> }
    });
    view! { <p>{t.lead}</p> {contents} {datasets} {leaderboard(i, results)} }.into_any()
}

fn section(i: I18n, dataset: &ConversationDataset) -> AnyView {
    let t = i.conversations();
    let id = format!("dataset-{}", dataset.slug);
    let address = format!("/admin/datasets/{}", dataset.slug);
    view! {
        <section class="stack" aria-labelledby=id.clone()>
            <h2 id=id.clone()><a href=address translate="no">{dataset.slug.clone()}</a></h2>
            {(!dataset.runs).then(|| view! { <p class="notice">{t.authors_only}</p> })}
            {passes(i, dataset)}
            {kinds(i, dataset)}
            {conversation_table(i, dataset)}
            {round_charts(i, dataset)}
            {dynamic(i, dataset)}
            {differences(i, dataset)}
        </section>
    }
    .into_any()
}

fn ends(interval: Option<Interval>) -> Option<String> {
    interval.map(|i| format!("[{:.1}, {:.1}]", i.low * 100.0, i.high * 100.0))
}

/// A share with its interval and what it is of.
fn cell(share: &Share) -> AnyView {
    view! {
        <td class="num">
            <span class="mean">{percentage(share.value)}</span>
            {ends(share.interval).map(|text| view! { <span class="interval">{text}</span> })}
        </td>
    }
    .into_any()
}

fn way_cell(i: I18n, of: Option<&WayResults>) -> AnyView {
    let Some(of) = of else { return view! { <td class="num">{i.conversations().nothing}</td> }.into_any() };
    let address = match of.run {
        Some(run) => format!("/admin/runs/{run}"),
        None => format!("/admin/submissions/{}", of.submission),
    };
    let not_counted = of.not_counted();
    let differs = |guarded: &Share| not_counted > 0 || (guarded.value - of.published.value).abs() > 1e-9;
    let guarded = of.guarded.filter(differs).map(|share| {
        let value = if share.of > 0 { percentage(share.value) } else { i.conversations().nothing.to_owned() };
        format!("{value} {}", i.conversations().guarded)
    });
    let not_counted = (not_counted > 0).then(|| (i.runs().not_counted_n)(not_counted));
    let count = format!("{} / {}", of.published.count(), of.published.of);
    view! {
        <td class="num">
            <a class="mean" href=address>{percentage(of.published.value)}</a>
            <span class="interval">{count}</span>
            {ends(of.published.interval).map(|text| view! { <span class="interval">{text}</span> })}
            {guarded.map(|text| view! { <span class="interval">{text}</span> })}
            {not_counted.map(|text| view! { <span class="interval">{text}</span> })}
            {of.run.is_none().then(|| view! { <span class="interval">{i.conversations().authors_verdicts}</span> })}
        </td>
    }
    .into_any()
}

fn of_way(model: &ModelConversations, way: Way) -> Option<&WayResults> {
    model.ways.iter().find(|of| of.way == way)
}

/// A table in a box that can be scrolled.
fn table(id: String, title: &str, heads: Vec<String>, rows: AnyView) -> AnyView {
    let heads = heads.into_iter().enumerate().map(|(at, head)| {
        let class = if at == 0 { "" } else { "num" };
        view! { <th scope="col" class=class>{head}</th> }
    });
    let heads = heads.collect_view();
    view! {
        <h3 id=id.clone()>{title.to_owned()}</h3>
        <div class="table-box" role="group" aria-labelledby=id tabindex="0"><table class="table means">
            <thead><tr>{heads}</tr></thead>
            <tbody>{rows}</tbody>
        </table></div>
    }
    .into_any()
}

/// Pass rates of each model in each way.
fn passes(i: I18n, dataset: &ConversationDataset) -> AnyView {
    let t = i.conversations();
    let has = |way: &Way| dataset.models.iter().any(|model| of_way(model, *way).is_some());
    let ways: Vec<Way> = Way::ALL.into_iter().filter(has).collect();
    if ways.is_empty() {
        return view! { <p class="muted">{t.untested}</p> }.into_any();
    }
    let rows = dataset.models.iter().map(|model| {
        let cells = ways.iter().map(|way| way_cell(i, of_way(model, *way))).collect_view();
        view! { <tr><th scope="row">{model.name.clone()}</th>{cells}</tr> }
    });
    let heads = std::iter::once(t.model).chain(ways.iter().map(|way| t.way_name(*way))).map(str::to_owned).collect();
    table(format!("passes-{}", dataset.slug), t.passes, heads, rows.collect_view().into_any())
}

/// A heat map of kinds and models for each way that asks for single instructions.
fn kinds(i: I18n, dataset: &ConversationDataset) -> AnyView {
    let t = i.conversations();
    let maps = [Way::Single, Way::Multi, Way::N, Way::Dynamic].into_iter().filter_map(|way| {
        let models: Vec<(&str, &WayResults)> =
            dataset.models.iter().filter_map(|model| Some((&*model.name, of_way(model, way)?))).collect();
        let occurs = |kind: &InstructionKind| {
            *kind != InstructionKind::Base
                && models.iter().any(|(_, of)| of.kinds.iter().any(|(known, _)| known == kind))
        };
        let of_kind = |kind: InstructionKind| {
            let value = |(_, of): &(&str, &WayResults)| {
                let (_, share) = of.kinds.iter().find(|(known, _)| *known == kind)?;
                let text = format!("{} {}", percentage(share.value), ends(share.interval).unwrap_or_default());
                Some((share.value, text))
            };
            GridTask { name: t.kind_name(kind).to_owned(), values: models.iter().map(value).collect(), href: None }
        };
        let tasks: Vec<GridTask> = InstructionKind::ALL.into_iter().filter(occurs).map(of_kind).collect();
        let names: Vec<String> = models.iter().map(|(name, _)| (*name).to_owned()).collect();
        let id = format!("kinds-{}-{}", dataset.slug, way.name());
        let mut figure = figures::grid(i, &id, "", &names, &tasks, &figures::percent_scale());
        figure.title = (t.kinds_in)(t.way_name(way));
        if let Some(head) = figure.table.head.first_mut() {
            t.kind.clone_into(head);
        }
        (!tasks.is_empty()).then(|| view! { <ChartFigure figure files=None/> })
    });
    view! { <div class="pictures">{maps.collect_view()}</div> }.into_any()
}

/// The models with a run of conversations of all turns.
fn with_conversations(dataset: &ConversationDataset) -> Vec<(&ModelConversations, &ConversationFigures)> {
    dataset.models.iter().filter_map(|model| Some((model, model.conversation.as_ref()?))).collect()
}

/// IA, CA and IFR of each model.
fn conversation_table(i: I18n, dataset: &ConversationDataset) -> Option<AnyView> {
    let t = i.conversations();
    let models = with_conversations(dataset);
    if models.is_empty() {
        return None;
    }
    let rows = models.iter().map(|(model, figures)| {
        let accuracy = of_way(model, Way::N).map(|of| cell(&of.published));
        view! {
            <tr>
                <th scope="row">{model.name.clone()}</th>
                {cell(&figures.instruction_accuracy)}
                {accuracy}
                {cell(&figures.forgotten)}
                {cell(&figures.forgotten_as_coded)}
            </tr>
        }
    });
    let heads = [t.model, t.instruction_accuracy, t.last_accuracy, t.forgotten, t.forgotten_as_coded];
    let id = format!("figures-{}", dataset.slug);
    let rows = rows.collect_view().into_any();
    let table = table(id, t.figures, heads.map(str::to_owned).into(), rows);
    Some(view! { {table} <p class="muted small">{t.figures_hint}</p> }.into_any())
}

/// Accuracy and forgetting by round.
fn round_charts(i: I18n, dataset: &ConversationDataset) -> Option<AnyView> {
    let t = i.conversations();
    let models = with_conversations(dataset);
    let last = models.iter().flat_map(|(_, figures)| figures.rounds.iter().map(|round| round.round)).max()?;
    let names: Vec<String> = models.iter().map(|(model, _)| model.name.clone()).collect();
    let chart = |id: &str, title: &str, first: u32, figure: fn(&RoundFigures) -> &Share| {
        let share = |model: usize, number: u32| {
            let (_, figures) = models.get(model)?;
            figures.rounds.iter().find(|round| round.round == number).map(figure)
        };
        columns_by_round(i, &format!("{id}-{}", dataset.slug), title, &names, first..=last, share)
    };
    Some(
        view! {
            <div class="pictures">
                {chart("rounds", t.by_round, 1, |round| &round.accuracy)}
                {chart("forgotten", t.forgotten_by_round, 2, |round| &round.forgotten)}
                {chart("forgotten-as-coded", t.forgotten_as_coded, 2, |round| &round.forgotten_as_coded)}
            </div>
        }
        .into_any(),
    )
}

/// A chart of a share of each model by round. `share` gives that of the model at a place in `names`, in a round.
fn columns_by_round<'f>(
    i: I18n,
    id: &str,
    title: &str,
    names: &[String],
    rounds: RangeInclusive<u32>,
    share: impl Fn(usize, u32) -> Option<&'f Share>,
) -> AnyView {
    let t = i.conversations();
    let groups: Vec<ColumnGroup> = rounds
        .map(|number| {
            let value = |model| {
                let share = share(model, number).filter(|share| share.of > 0)?;
                Some((share.value, share.interval))
            };
            ((t.round)(number), (0..names.len()).map(value).collect())
        })
        .collect();
    let figure = figures::columns(i, id, title, names, &groups, (t.share, 0.0, 1.0), &|_| None);
    view! { <ChartFigure figure files=None/> }.into_any()
}

/// The figures of dynamic conversations: over all answers, and CA and IFE by round.
fn dynamic(i: I18n, dataset: &ConversationDataset) -> Option<AnyView> {
    let t = i.conversations();
    let models: Vec<(&ModelConversations, &DynamicFigures)> =
        dataset.models.iter().filter_map(|model| Some((model, model.dynamic.as_ref()?))).collect();
    let last = models.iter().flat_map(|(_, figures)| figures.rounds.iter().map(|of| of.round)).max()?;
    let rows = models.iter().map(|(model, figures)| {
        let of = &figures.all;
        view! {
            <tr>
                <th scope="row">{model.name.clone()}</th>
                {cell(&of.instruction_accuracy)}
                {cell(&of.accuracy)}
                {cell(&of.efficiency)}
                {cell(&of.forgotten)}
            </tr>
        }
    });
    let heads = [t.model, t.instruction_accuracy, t.dynamic_accuracy, t.efficiency, t.forgotten];
    let id = format!("dynamic-{}", dataset.slug);
    let rows = rows.collect_view().into_any();
    let table = table(id, t.dynamic, heads.map(str::to_owned).into(), rows);
    let names: Vec<String> = models.iter().map(|(model, _)| model.name.clone()).collect();
    let chart = |id: &str, title: &str, figure: fn(&DynamicShares) -> &Share| {
        let share = |model: usize, number: u32| {
            let (_, figures) = models.get(model)?;
            figures.rounds.iter().find(|of| of.round == number).map(|of| figure(&of.shares))
        };
        columns_by_round(i, &format!("{id}-{}", dataset.slug), title, &names, 1..=last, share)
    };
    Some(
        view! {
            {table}
            <p class="muted small">{t.dynamic_hint}</p>
            <div class="pictures">
                {chart("dynamic-accuracy", t.dynamic_by_round, |of| &of.accuracy)}
                {chart("dynamic-efficiency", t.efficiency_by_round, |of| &of.efficiency)}
            </div>
        }
        .into_any(),
    )
}

/// How the verdicts compare with those that the authors published.
fn differences(i: I18n, dataset: &ConversationDataset) -> Option<AnyView> {
    let t = i.conversations();
    let ways: Vec<(&ModelConversations, &WayResults)> =
        dataset.models.iter().flat_map(|model| model.ways.iter().map(move |of| (model, of))).collect();
    let authors = || ways.iter().filter_map(|(_, way)| way.authors.as_ref());
    let sum = |of: fn(&AuthorComparison) -> u32| authors().map(of).sum::<u32>();
    let (compared, equal) = (sum(|of| of.compared), sum(|of| of.equal));
    let (defective, defective_equal) = (sum(|of| of.defective), sum(|of| of.defective_equal));
    if compared == 0 {
        return None;
    }
    let number = |count: u32| i.number(count.into());
    let without = (defective > 0)
        .then(|| (t.equal_without_defects)(&number(equal - defective_equal), &number(compared - defective)))
        .map(|text| view! { <p>{text}</p> });
    let rows = ways.iter().flat_map(|(model, of)| {
        let differences = of.authors.iter().flat_map(|authors| &authors.differences);
        differences.map(move |difference| {
            let passed = their_verdict(i, difference.authors_passed);
            view! {
                <tr>
                    <th scope="row">{model.name.clone()}</th>
                    <td>{t.way_name(of.way)}</td>
                    <td><a href=format!("/admin/outputs/{}", difference.output)>{difference.task_id.clone()}</a></td>
                    <td>{t.kind_name(difference.kind)}</td>
                    <td>{passed}</td>
                    <td>{t.difference(difference.reason)}</td>
                </tr>
            }
        })
    });
    let rows: Vec<_> = rows.collect();
    let heads = [t.model, t.way, t.task, t.kind, t.authors_passed, t.reason];
    let heads = heads.into_iter().map(|head| view! { <th scope="col">{head}</th> });
    let id = format!("differences-{}", dataset.slug);
    let listed = (!rows.is_empty()).then(|| {
        view! {
            <div class="table-box" role="group" aria-labelledby=id.clone() tabindex="0"><table class="table">
                <thead><tr>{heads.collect_view()}</tr></thead>
                <tbody>{rows}</tbody>
            </table></div>
        }
    });
    Some(
        view! {
            <h3 id=id.clone()>{t.differences}</h3>
            <p>{(t.equal)(&number(equal), &number(compared))}</p>
            {without}
            {listed}
        }
        .into_any(),
    )
}

/// The leaderboard's column L-1 with its arithmetic.
fn leaderboard(i: I18n, results: &ConversationResults) -> Option<AnyView> {
    let t = i.conversations();
    if results.leaderboard.is_empty() {
        return None;
    }
    let of = |(passed, of): (u32, u32)| format!("{passed} / {of}");
    let rows = results.leaderboard.iter().map(|row| {
        view! {
            <tr>
                <th scope="row">{row.name.clone()}</th>
                <td class="num">{t.way_name(row.way)}</td>
                <td class="num">{of(row.function)}</td>
                <td class="num">{of(row.repository)}</td>
                <td class="num"><span class="mean">{percentage(row.published)}</span></td>
                <td class="num">{percentage(row.value)}</td>
            </tr>
        }
    });
    let heads = [t.model, t.way, t.function_level, t.repository_level, t.as_printed, t.all_answers];
    let rows = rows.collect_view().into_any();
    let table = table("leaderboard".into(), t.leaderboard, heads.map(str::to_owned).into(), rows);
    Some(view! { <section class="stack">{table}<p class="muted small">{t.leaderboard_hint}</p></section> }.into_any())
}
