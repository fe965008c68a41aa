//! `/admin/studies/:id/flags`: raters' flags, and the replies.

use leptos::prelude::*;
use leptos_router::{
    hooks::{use_params_map, use_query_map},
    params::ParamsMap,
};

use crate::{
    filter::{Field, FilterBar},
    parts::{FormError, asked, param},
    study_tabs::{StudyFrame, StudyTab, tab_data},
};
use model::{
    error::AppError,
    flag::FlagReason,
    ids::StudyId,
    inbox::{InboxFilter, InboxKind},
    lang::Lang,
    quality::{FlagOn, FlagRow, TabCounts},
};
use rpc::quality::{ReplyToFlag, study_flags};
use texts::I18n;
use ui::{
    context::use_i18n,
    flag::{flag_badge, flag_words},
    form::{ActionForm, FormAction},
    load::{Data, Load},
    notice::{Badge, Empty},
};

/// The list, open ones first.
#[component]
pub fn FlagsPage() -> impl IntoView {
    let i = use_i18n();
    let params = use_params_map();
    let id = Memo::new(move |_| param(params, "id").map(StudyId));
    let answer = FormAction::<ReplyToFlag>::new();
    let data = Data::new(
        move || (id.get(), answer.version().get()),
        |(id, _)| async move { study_flags(id.ok_or_else(|| AppError::NotFound("study".into()))?).await },
    );
    let counts = tab_data(id);
    let query = use_query_map();
    view! { <Load data let:found>{page(i, id.get_untracked(), query, found, answer, counts)}</Load> }
}

fn page(
    i: I18n,
    id: Option<StudyId>,
    query: Memo<ParamsMap>,
    (title, rows): (String, Vec<FlagRow>),
    answer: FormAction<ReplyToFlag>,
    counts: Data<TabCounts>,
) -> AnyView {
    let t = i.quality();
    let Some(id) = id else { return ().into_any() };
    let choices = reasons(i, &rows);
    let waiting = rows.iter().any(|row| row.answer.is_none());
    let all = rows.len() as u64;
    let rows = StoredValue::new(rows);
    let chosen = move || {
        let reason = FlagReason::from_name(&asked(query, "reason"));
        let fits = |row: &&FlagRow| reason.is_none_or(|reason| row.flag.reason == reason);
        rows.with_value(|rows| rows.iter().filter(fits).cloned().collect::<Vec<_>>())
    };
    let in_inbox = InboxFilter { kind: Some(InboxKind::Flag), study: Some(id) }.address();
    let section = move |name: &'static str, key: &'static str, rows: Vec<FlagRow>| {
        (!rows.is_empty()).then(|| {
            let count = rows.len() as u64;
            view! {
                <section class="stack" aria-labelledby=key>
                    <h2 id=key>{name}" "<span class="count">{i.number(count)}</span></h2>
                    <ul class="card-list">
                        // Keyed by name, so that a written reply does not stay in the next flag's field.
                        <For each=move || rows.clone() key=|row| (name_of(row), row.answer.as_ref().map(|(_, _, at)| at.0)) let:row>
                            {card(i, id, row, answer)}
                        </For>
                    </ul>
                </section>
            }
        })
    };
    view! {
        <StudyFrame title counts here=StudyTab::Flags>
            <FormError of=move || answer.value().get().and_then(Result::err)/>
            {(all == 0).then(|| view! { <Empty title=t.flags_none/> })}
            {(all > 0).then(|| view! {
                <FilterBar fields=vec![Field::Choice("reason", t.flag_reason, choices)] shown=Signal::derive(move || chosen().len() as u64) all/>
            })}
            {waiting.then(|| view! { <p><a href=in_inbox>{t.flags_inbox}</a></p> })}
            {move || {
                let (done, open): (Vec<_>, Vec<_>) = chosen().into_iter().partition(|row| row.answer.is_some());
                view! {
                    {section(t.open, "flags-open", open)}
                    {section(t.answered, "flags-answered", done)}
                }
            }}
        </StudyFrame>
    }
    .into_any()
}

/// The choices of the filter: the reasons of these flags, each with its number.
fn reasons(i: I18n, rows: &[FlagRow]) -> Vec<(&'static str, String)> {
    let count = |reason| rows.iter().filter(|row| row.flag.reason == reason).count();
    let counted = FlagReason::ALL.into_iter().map(|reason| (reason, count(reason))).filter(|(_, count)| *count > 0);
    let named = counted.map(|(reason, count)| (reason.code(), format!("{} ({count})", i.flags().reason(reason))));
    std::iter::once(("", i.admin().any.to_owned())).chain(named).collect()
}

/// A unique id for the flag on the page.
fn name_of(row: &FlagRow) -> String {
    match row.on {
        FlagOn::Assignment(id) => format!("a{id}"),
        FlagOn::Check(id) => format!("p{id}"),
    }
}

fn card(i: I18n, study: StudyId, row: FlagRow, answer: FormAction<ReplyToFlag>) -> impl IntoView + use<> {
    let t = i.quality();
    let key = name_of(&row);
    let (check, on) = match row.on {
        FlagOn::Assignment(id) => (false, id),
        FlagOn::Check(id) => (true, id),
    };
    let task = match row.task {
        Some(task) => {
            view! { <a href=format!("/admin/studies/{study}/tasks/{task}")>{row.task_id.clone()}</a> }.into_any()
        }
        None => row.task_id.clone().into_any(),
    };
    let comment = (!row.comment.is_empty()).then(|| {
        let lang = Lang::detect(&row.comment).tag();
        view! { <p class="comment" lang=lang>{row.comment.clone()}</p> }
    });
    let answered = row.answer.is_some();
    let before = row.answer.map(|(reply, by, at)| {
        let words = if reply.is_empty() { t.settled.to_owned() } else { reply };
        let read = if row.read { t.read_by_rater } else { t.unread_by_rater };
        view! {
            <p class="reply-text">{words}</p>
            <p class="muted small">{by}" · "{i.time(at)}" · "{read}</p>
        }
    });
    let (id, hint) = (format!("reply-{key}"), format!("hint-{key}"));
    let form = view! {
        <ActionForm action=answer attr:class="stack-tight">
            <input type="hidden" name="study" value=study.to_string()/>
            <input type="hidden" name="check" value=check.to_string()/>
            <input type="hidden" name="on" value=on.to_string()/>
            <label class="label" for=id.clone()>{t.reply}</label>
            <textarea class="input" id=id name="reply" rows="2" maxlength="4000" aria-describedby=hint.clone()></textarea>
            <p class="hint" id=hint>{t.reply_hint}</p>
            <p><button class="button" type="submit" disabled=move || answer.pending().get()>{t.reply_button}</button></p>
        </ActionForm>
    };
    let name = if answered { t.reply_again } else { t.reply };
    let without_reply = (!answered).then(|| {
        view! {
            <ActionForm action=answer>
                <input type="hidden" name="study" value=study.to_string()/>
                <input type="hidden" name="check" value=check.to_string()/>
                <input type="hidden" name="on" value=on.to_string()/>
                <input type="hidden" name="reply" value=""/>
                <button class="button small-button" type="submit" disabled=move || answer.pending().get()>{t.settle}</button>
            </ActionForm>
        }
    });
    let words = flag_words(&row.flag);
    view! {
        <li class="card stack-tight">
            <p class="row">
                {flag_badge(i, &row.flag)}
                {task}
                {row.model.map(|model| view! { <span>{model}</span> })}
                {check.then(|| view! { <Badge>{t.hidden_check}</Badge> })}
                <span>{row.rater}</span>
                <span class="muted small">{i.time(row.at)}</span>
            </p>
            <p class="nl-text" lang=row.nl_lang.tag()>{row.raw_nl}</p>
            {words}
            {comment}
            {before}
            {without_reply}
            <details class="more"><summary>{name}</summary>{form}</details>
        </li>
    }
}
