//! What an item of the inbox says.

use leptos::prelude::*;

use super::Queue;
use model::{
    ids::StudyId,
    inbox::{InboxItem, InboxKind},
    quality::FlagOn,
    study::StudyStatus,
};
use texts::{
    I18n,
    faults::{request_fault, routine_fault},
};
use ui::form::ActionForm;

/// What the item says, and what it links to. The element of class `inbox-open` is what Enter opens.
#[allow(clippy::too_many_lines, reason = "one arm for each kind")]
pub fn body(i: I18n, id: i64, kind: InboxKind, study: Option<StudyId>, item: InboxItem, queue: Queue) -> AnyView {
    let t = i.inbox();
    let of_study = study.map(|id| id.to_string()).unwrap_or_default();
    match item {
        // The rating with its flag and comment is below.
        InboxItem::Flag { on, .. } => view! {
            {reply(i, id, of_study.clone(), on, queue)}
            <p class="small"><a href=format!("/admin/studies/{of_study}/flags")>{t.not_blind}</a></p>
        }
        .into_any(),
        InboxItem::Disagreement { task_id, token, .. } => {
            let decide = match token {
                Some(token) => view! {
                    <a class="button primary inbox-open" href=format!("/adjudicate/{token}?from=inbox")>
                        {t.adjudicate}<span class="visually-hidden">" "{task_id}</span>" "<kbd>"Enter"</kbd>
                    </a>
                }
                .into_any(),
                None => view! { <span class="muted small inbox-open" tabindex="-1">{t.own}</span> }.into_any(),
            };
            view! {
                <p class="row">
                    {decide}
                    <a class="small" href=format!("/admin/studies/{of_study}/disagreements")>{t.not_blind}</a>
                </p>
            }
            .into_any()
        }
        InboxItem::Rater { rater, name, count, of, seconds, paused } => {
            let words = t.about_rater(kind, count, of, seconds);
            let (href, open) = match kind {
                InboxKind::Calibration => {
                    (format!("/admin/studies/{of_study}/quality#calibrations"), t.open_calibration)
                }
                _ => (format!("/admin/studies/{of_study}/ratings?rater={rater}"), t.open_ratings),
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
fn reply(i: I18n, id: i64, study: String, on: FlagOn, queue: Queue) -> impl IntoView {
    let q = i.quality();
    let (check, number) = match on {
        FlagOn::Assignment(id) => (false, id),
        FlagOn::Check(id) => (true, id),
    };
    let field = format!("reply-{id}");
    view! {
        <ActionForm action=queue.reply attr:class="stack-tight">
            <input type="hidden" name="study" value=study/>
            <input type="hidden" name="check" value=check.to_string()/>
            <input type="hidden" name="on" value=number.to_string()/>
            <input type="hidden" name="inbox" value=queue.filter().address()/>
            <label class="label" for=field.clone()>{q.reply}" "<kbd>"Enter"</kbd></label>
            <div class="inbox-reply">
                <textarea class="input inbox-open" id=field.clone() name="reply" rows="1" maxlength="4000" aria-describedby=format!("{field}-hint")></textarea>
                <button class="button" type="submit" disabled=move || queue.reply.pending().get()>{q.reply_button}</button>
            </div>
            <p class="hint" id=format!("{field}-hint")>{q.reply_hint}</p>
        </ActionForm>
    }
}
