//! The current item: what an admin decides it by, and the acts.

use leptos::prelude::*;

use super::{Queue, filter_fields, item, rows::tone};
use model::inbox::{InboxItem, InboxKind, InboxPreview, LatestRating};
use texts::I18n;
use ui::{
    form::ActionForm,
    notice::Badge,
    rated_output::{ratings, task_and_code},
    scores::{Names, whole_scores},
};

/// The pane on the right; without an item, it says how to choose one.
pub fn pane(i: I18n, preview: Option<InboxPreview>, queue: Queue) -> AnyView {
    let t = i.inbox();
    let Some(InboxPreview { row, output, latest }) = preview else {
        return view! { <section class="inbox-pane" aria-label=t.preview><p class="muted">{t.choose}</p></section> }
            .into_any();
    };
    let acts = acts(i, row.id, row.kind, queue);
    let (kind, study, id, since) = (row.kind, row.study, row.id, i.time(row.since));
    let title = row.title.unwrap_or_else(|| t.of_no_study.to_owned());
    let names: Vec<String> = match &row.item {
        InboxItem::Flag { rater, .. } => vec![rater.clone()],
        _ => (0..output.as_ref().map_or(0, |output| output.ratings.len())).map(i.quality().letter).collect(),
    };
    let (opinions, task) = output
        .map(|output| (ratings(i, &output, &names, |_| ().into_any()), task_and_code(i, &output, &names)))
        .unzip();
    let latest = (!latest.is_empty()).then(|| latest_table(i, latest));
    let body = item::body(i, id, kind, study, row.item, queue);
    view! {
        <section class="inbox-pane" aria-label=t.preview data-item=id.to_string()>
            <p class="inbox-back"><a href=queue.address(None)>{t.back_to_list}</a></p>
            <p class="row">
                <Badge tone=tone(kind)>{t.kind(kind)}</Badge>
                <span>{title}</span>
                <span class="muted small">{(t.since)(&since)}</span>
            </p>
            {opinions}
            {body}
            {acts}
            {task}
            {latest}
        </section>
    }
    .into_any()
}

/// A button for each act, the usual one first.
fn acts(i: I18n, id: i64, kind: InboxKind, queue: Queue) -> Option<AnyView> {
    let t = i.inbox();
    let acts = kind.acts();
    let usual = acts.first().copied();
    let buttons = acts
        .iter()
        .map(|act| {
            let key = (Some(*act) == usual && !keyboard_opens(kind)).then(|| view! { " " <kbd>"e"</kbd> });
            view! { <button class="button" type="submit" name="act" value=act.code() title=t.consequence(*act, 1)>{t.act(*act)}{key}</button> }
        })
        .collect_view();
    (!acts.is_empty()).then(|| {
        view! {
            <ActionForm action=queue.act attr:class="row">
                <input type="hidden" name="items[]" value=id.to_string()/>
                {filter_fields(queue.filter())}
                {buttons}
            </ActionForm>
        }
        .into_any()
    })
}

/// Whether the key that acts opens an item of this kind instead: nobody decides these without a look.
pub fn keyboard_opens(kind: InboxKind) -> bool {
    matches!(kind, InboxKind::Disagreement) || kind.acts().is_empty()
}

/// What a rater rated last.
fn latest_table(i: I18n, latest: Vec<LatestRating>) -> impl IntoView {
    let t = i.inbox();
    let with_known = latest.iter().any(|one| one.known.is_some());
    let rows = latest
        .into_iter()
        .map(|one| {
            let seconds = one.active_ms.map(|ms| format!("{:.1}", ms as f64 / 1000.0));
            let known = with_known
                .then(|| view! { <td>{one.known.map(|known| whole_scores(i, &[], &known, Names::Full))}</td> });
            view! {
                <tr>
                    <th scope="row">{(t.task)(&one.task_id)}</th>
                    <td>{whole_scores(i, &[], &one.scores, Names::Full)}</td>
                    {known}
                    <td class="num">{seconds}</td>
                    <td>{i.time(one.at)}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <div class="table-box" role="group" aria-label=t.latest tabindex="0">
            <table class="table">
                <caption>{t.latest}</caption>
                <thead><tr>
                    <th scope="col">{t.latest_task}</th>
                    <th scope="col">{t.latest_scores}</th>
                    {with_known.then(|| view! { <th scope="col">{t.latest_known}</th> })}
                    <th scope="col" class="num">{t.latest_seconds}</th>
                    <th scope="col">{t.latest_at}</th>
                </tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}
