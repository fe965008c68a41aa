//! An item of the inbox.

use leptos::prelude::*;

use super::Forms;
use model::{
    ids::StudyId,
    inbox::{InboxFilter, InboxItem, InboxKind, InboxRow},
    lang::Lang,
    quality::FlagOn,
    study::StudyStatus,
};
use texts::{
    I18n,
    faults::{request_fault, routine_fault},
};
use ui::{
    flag::{flag_badge, flag_words},
    form::ActionForm,
    notice::{Badge, Tone},
};

/// The item with its checkbox. The element of class `inbox-open` is what Enter opens.
pub fn card(i: I18n, row: InboxRow, filter: InboxFilter, forms: Forms) -> impl IntoView {
    let t = i.inbox();
    let InboxRow { id, kind, study, title, since, item } = row;
    let tone = if kind == InboxKind::Disagreement { Tone::Bad } else { Tone::Care };
    let selectable = !kind.acts().is_empty();
    view! {
        <li class="card stack-tight inbox-item" id=format!("item-{id}") data-kind=kind.code()>
            <p class="row">
                {selectable.then(|| view! {
                    <input type="checkbox" form="inbox-form" name="item" value=id.to_string() aria-label=(t.select_n)(id)/>
                })}
                <Badge tone>{t.kind(kind)}</Badge>
                {title.map(|title| view! { <span>{title}</span> })}
                <span class="muted small">{(t.since)(&i.time(since))}</span>
            </p>
            {body(i, id, kind, study, item, filter, forms)}
        </li>
    }
}

#[allow(clippy::too_many_lines, reason = "one arm for each kind")]
fn body(
    i: I18n,
    id: i64,
    kind: InboxKind,
    study: Option<StudyId>,
    item: InboxItem,
    filter: InboxFilter,
    forms: Forms,
) -> AnyView {
    let t = i.inbox();
    let of_study = study.map(|id| id.to_string()).unwrap_or_default();
    match item {
        InboxItem::Flag { on, task_id, raw_nl, nl_lang, rater, flag, comment } => {
            let comment = (!comment.is_empty()).then(|| {
                let lang = Lang::detect(&comment).tag();
                view! { <p class="comment" lang=lang>{comment}</p> }
            });
            view! {
                <p class="row">{flag_badge(i, &flag)}<span>{rater}</span><span>{(t.task)(&task_id)}</span></p>
                <p class="nl-text" lang=nl_lang.tag()>{raw_nl}</p>
                {flag_words(&flag)}
                {comment}
                {reply(i, id, of_study.clone(), on, filter, forms)}
                <p class="small"><a href=format!("/admin/studies/{of_study}/flags")>{t.not_blind}</a></p>
            }
            .into_any()
        }
        InboxItem::Disagreement { task_id, raw_nl, nl_lang, spread, token } => {
            let decide = match token {
                Some(token) => view! {
                    <a class="button inbox-open" href=format!("/adjudicate/{token}?from=inbox")>
                        {t.adjudicate}<span class="visually-hidden">" "{task_id.clone()}</span>
                    </a>
                }
                .into_any(),
                None => view! { <span class="muted small inbox-open" tabindex="-1">{t.own}</span> }.into_any(),
            };
            view! {
                <p class="row"><span>{(t.task)(&task_id)}</span><span>{(i.quality().spread_n)(spread)}</span></p>
                <p class="nl-text" lang=nl_lang.tag()>{raw_nl}</p>
                <p class="row">
                    {decide}
                    <a class="small" href=format!("/admin/studies/{of_study}/disagreements")>{t.not_blind}</a>
                </p>
            }
            .into_any()
        }
        InboxItem::Rater { rater, name, count, of, seconds, paused } => {
            let (words, href, open) = match kind {
                InboxKind::Pace => (
                    (t.fast_n)(count, of, seconds),
                    format!("/admin/studies/{of_study}/ratings?rater={rater}"),
                    t.open_ratings,
                ),
                InboxKind::Checks => (
                    (t.missed_n)(count, of),
                    format!("/admin/studies/{of_study}/ratings?rater={rater}"),
                    t.open_ratings,
                ),
                _ => (
                    t.calibration_text.to_owned(),
                    format!("/admin/studies/{of_study}/quality#calibrations"),
                    t.open_calibration,
                ),
            };
            view! {
                <p><b>{name}</b>" "{words}</p>
                {paused.then(|| view! { <p>{t.paused}</p> })}
                {open_link(href, open)}
            }
            .into_any()
        }
        InboxItem::Plan { status, unassigned, inactive } => view! {
            {(status == StudyStatus::Draft).then(|| view! { <p>{t.plan_draft}</p> })}
            {(unassigned > 0).then(|| view! { <p>{(t.unassigned_n)(unassigned)}</p> })}
            {(!inactive.is_empty()).then(|| view! { <p>{(t.inactive)(&inactive.join(", "))}</p> })}
            {open_link(format!("/admin/studies/{of_study}/plan"), t.open_plan)}
        }
        .into_any(),
        InboxItem::Run { run, dataset, fault, errors } => {
            let why = match (kind, fault) {
                (InboxKind::Run, Some(fault)) => {
                    let (words, detail) = i.runs().fault(&fault);
                    let detail = detail.map(str::to_owned);
                    view! { <p>{words}</p>{detail.map(|text| view! { <pre class="small">{text}</pre> })} }.into_any()
                }
                _ => view! { <p>{(t.errors_n)(errors)}</p> }.into_any(),
            };
            view! {
                <p><b>{(t.run_n)(&run.to_string(), &dataset)}</b></p>
                {why}
                {open_link(format!("/admin/runs/{run}"), t.open_run)}
            }
            .into_any()
        }
        InboxItem::Delivery { url, error, attempts, .. } => view! {
            <p class="row">
                <code>{url}</code>
                <span>{(t.attempts_n)(attempts)}</span>
            </p>
            {error.map(|fault| view! { <p>{request_fault(i.lang, &fault)}</p> })}
            {open_link("/admin/api/webhooks".into(), t.open_webhook)}
        }
        .into_any(),
        InboxItem::Routine { failures, why, succeeded_at } => {
            let why = routine_fault(&why);
            let (text, lang) = why.get(i.lang);
            let text = text.to_owned();
            let last = match succeeded_at {
                Some(when) => (t.routine_since)(&i.time(when)),
                None => t.routine_never.to_owned(),
            };
            // Nothing of it is opened: it leaves the inbox when the next attempt succeeds.
            view! {
                <p lang=lang>{text}</p>
                <p class="row inbox-open" tabindex="-1"><span>{(t.attempts_n)(failures)}</span><span>{last}</span></p>
            }
            .into_any()
        }
    }
}

fn open_link(href: String, name: &'static str) -> impl IntoView {
    view! { <p><a class="button inbox-open" href=href>{name}</a></p> }
}

/// A reply to a flag, in a form of its own.
fn reply(i: I18n, id: i64, study: String, on: FlagOn, filter: InboxFilter, forms: Forms) -> impl IntoView {
    let (t, q) = (i.inbox(), i.quality());
    let (check, number) = match on {
        FlagOn::Assignment(id) => (false, id),
        FlagOn::Check(id) => (true, id),
    };
    let field = format!("reply-{id}");
    view! {
        <details class="more">
            <summary class="inbox-open">{t.reply}</summary>
            <ActionForm action=forms.reply attr:class="stack-tight">
                <input type="hidden" name="study" value=study/>
                <input type="hidden" name="check" value=check.to_string()/>
                <input type="hidden" name="on" value=number.to_string()/>
                <input type="hidden" name="inbox" value=filter.address()/>
                <label class="label" for=field.clone()>{q.reply}</label>
                <textarea class="input" id=field.clone() name="reply" rows="2" maxlength="4000" aria-describedby=format!("{field}-hint")></textarea>
                <p class="hint" id=format!("{field}-hint")>{q.reply_hint}</p>
                <p><button class="button" type="submit" disabled=move || forms.reply.pending().get()>{q.reply_button}</button></p>
            </ActionForm>
        </details>
    }
}
