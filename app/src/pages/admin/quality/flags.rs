//! `/admin/studies/:id/flags`: raters' flags, and the replies.

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use super::crumbs;
use crate::{
    error::AppError,
    i18n::{I18n, use_i18n},
    model::{
        ids::StudyId,
        lang::Lang,
        quality::{FlagOn, FlagRow, Live},
    },
    pages::admin::{
        parts::{FormError, param},
        study::flag_text,
        study_tabs::{StudyTab, study_tabs, tab_data},
    },
    rpc::quality::{AnswerFlag, study_flags},
    ui::{
        form::{ActionForm, FormAction},
        frame::Page,
        load::{Data, Load},
        notice::{Badge, Empty, Tone},
    },
};

/// The list, open ones first.
#[component]
pub fn FlagsPage() -> impl IntoView {
    let i = use_i18n();
    let params = use_params_map();
    let id = Memo::new(move |_| param(params, "id").map(StudyId));
    let answer = FormAction::<AnswerFlag>::new();
    let data = Data::new(
        move || (id.get(), answer.version().get()),
        |(id, _)| async move { study_flags(id.ok_or_else(|| AppError::NotFound("study".into()))?).await },
    );
    let counts = tab_data(id);
    view! { <Load data let:found>{page(i, id.get_untracked(), found, answer, counts)}</Load> }
}

fn page(
    i: I18n,
    id: Option<StudyId>,
    (title, rows): (String, Vec<FlagRow>),
    answer: FormAction<AnswerFlag>,
    counts: Data<Live>,
) -> AnyView {
    let t = i.quality();
    let Some(id) = id else { return ().into_any() };
    let (done, open): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.answer.is_some());
    let none = done.is_empty() && open.is_empty();
    let section = move |name: &'static str, key: &'static str, rows: Vec<FlagRow>| {
        (!rows.is_empty()).then(|| {
            let count = rows.len() as u64;
            view! {
                <section class="stack" aria-labelledby=key>
                    <h2 id=key>{name}" "<span class="count">{i.number(count)}</span></h2>
                    <ul class="desk">
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
        <Page title=t.flags crumbs=crumbs(i, Some(id), &title)>
            {study_tabs(i, counts, StudyTab::Flags)}
            <FormError of=move || answer.value().get().and_then(Result::err)/>
            {none.then(|| view! { <Empty title=t.flags_none/> })}
            {section(t.open, "flags-open", open)}
            {section(t.answered, "flags-answered", done)}
        </Page>
    }
    .into_any()
}

/// A unique id for the flag on the page.
fn name_of(row: &FlagRow) -> String {
    match row.on {
        FlagOn::Assignment(id) => format!("a{id}"),
        FlagOn::Check(id) => format!("p{id}"),
    }
}

fn card(i: I18n, study: StudyId, row: FlagRow, answer: FormAction<AnswerFlag>) -> impl IntoView + use<> {
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
            <input type="hidden" name="probe" value=check.to_string()/>
            <input type="hidden" name="on" value=on.to_string()/>
            <label class="label" for=id.clone()>{t.reply}</label>
            <textarea class="input" id=id name="reply" rows="2" maxlength="4000" aria-describedby=hint.clone()></textarea>
            <p class="hint" id=hint>{t.reply_hint}</p>
            <p><button class="button" type="submit" disabled=move || answer.pending().get()>{t.reply_button}</button></p>
        </ActionForm>
    };
    let form = if answered {
        view! { <details class="more"><summary>{t.reply_again}</summary>{form}</details> }.into_any()
    } else {
        form.into_any()
    };
    view! {
        <li class="card stack-tight">
            <p class="row">
                <Badge tone=Tone::Care>{flag_text(i, &row.flag)}</Badge>
                {task}
                {row.model.map(|model| view! { <span>{model}</span> })}
                {check.then(|| view! { <Badge>{t.probe}</Badge> })}
                <span>{row.rater}</span>
                <span class="muted small">{i.time(row.at)}</span>
            </p>
            <p class="nl-text" lang=row.nl_lang.tag()>{row.raw_nl}</p>
            {comment}
            {before}
            {form}
        </li>
    }
}
