//! The outputs of a study that show a model name to its raters: on the page of its plan before it starts, again
//! when somebody starts it nevertheless, and on the study's page as long as raters can read them.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::{
    parts::{FormError, asked},
    preview::leak_places,
};
use model::{
    error::AppError,
    ids::StudyId,
    study::StudyStatus,
    submission::{StudyLeaks, SubmissionLeaks},
};
use rpc::{
    quality::{MaskStudy, named_models},
    studies::SetStudyStatus,
};
use texts::I18n;
use ui::{
    context::use_i18n,
    form::{ActionForm, FormAction},
    load::{Data, Load},
    notice::{Notice, Tone},
};

/// The warning, or the question whether to start without masking; nothing where no output names a model.
#[component]
pub fn Leaks(
    /// The study.
    study: StudyId,
    /// The action that starts it, if it is a draft.
    #[prop(optional)]
    start: Option<FormAction<SetStudyStatus>>,
) -> impl IntoView {
    let i = use_i18n();
    let query = use_query_map();
    let mask = FormAction::<MaskStudy>::new();
    let data = Data::new(
        move || (asked(query, "search") == "all", mask.version().get()),
        move |(whole, _)| named_models(study, whole),
    );
    let asks = move || asked(query, "start") == "unmasked";
    view! {
        <Load data let:leaks>
            {move || match start {
                Some(start) if asks() => question(i, study, &leaks, start, mask),
                _ => warning(i, study, &leaks, mask, start.is_some()),
            }}
        </Load>
        <FormError of=move || mask.value().get().and_then(Result::err)/>
    }
}

/// The outputs that are known to name a model. That some were not searched is said before the start only.
fn warning(i: I18n, study: StudyId, leaks: &StudyLeaks, mask: FormAction<MaskStudy>, is_draft: bool) -> AnyView {
    let p = i.plan();
    let unread = leaks.unread && is_draft;
    if leaks.count == 0 && !unread {
        return ().into_any();
    }
    let unread = unread.then(|| {
        view! { <p>{p.leaks_unread}" "<a href="?search=all">{i.quality().mask_search}</a></p> }
    });
    let known = (leaks.count > 0).then(|| {
        view! {
            <p>{(p.leaks_n)(leaks.count, &quoted(i, &leaks.names))}</p>
            {list(i, leaks)}
            <ActionForm action=mask>
                <input type="hidden" name="study" value=study.to_string()/>
                <button class="button" type="submit" disabled=move || mask.pending().get()>{i.quality().mask}</button>
            </ActionForm>
        }
    });
    view! { <Notice tone=Tone::Care>{known}{unread}</Notice> }.into_any()
}

/// Names in quotation marks: “As an AI”, “GPT-4”.
fn quoted(i: I18n, names: &[String]) -> String {
    texts::list(i.lang, &names.iter().map(|name| format!("“{name}”")).collect::<Vec<_>>())
}

/// Asks whether the study is to start although raters will read names of models.
fn question(
    i: I18n,
    study: StudyId,
    leaks: &StudyLeaks,
    start: FormAction<SetStudyStatus>,
    mask: FormAction<MaskStudy>,
) -> AnyView {
    let p = i.plan();
    let what =
        if leaks.count > 0 { (p.leaks_n)(leaks.count, &quoted(i, &leaks.names)) } else { p.leaks_unread.to_owned() };
    view! {
        <section class="card stack" aria-labelledby="leaks-title">
            <h2 id="leaks-title">{p.leaks_title}</h2>
            <p>{what}</p>
            {list(i, leaks)}
            <p>{p.leaks_consequence}</p>
            <div class="row">
                <ActionForm action=mask>
                    <input type="hidden" name="study" value=study.to_string()/>
                    <input type="hidden" name="start" value="true"/>
                    <button class="button primary" type="submit" disabled=move || mask.pending().get()>{p.leaks_mask_start}</button>
                </ActionForm>
                <ActionForm action=start>
                    <input type="hidden" name="id" value=study.to_string()/>
                    <input type="hidden" name="status" value=StudyStatus::Running.code()/>
                    <input type="hidden" name="unmasked" value="true"/>
                    <button class="button" type="submit" disabled=move || start.pending().get()>{p.leaks_start}</button>
                </ActionForm>
                <a class="button" href=format!("/admin/studies/{study}/plan")>{p.edit_cancel}</a>
            </div>
            <FormError of=move || start.value().get().and_then(Result::<(), AppError>::err)/>
        </section>
    }
    .into_any()
}

/// Every output that names a model, by submission.
fn list(i: I18n, leaks: &StudyLeaks) -> impl IntoView + use<> {
    let submissions = leaks
        .submissions
        .iter()
        .cloned()
        .map(|SubmissionLeaks { submission, model, count, identity_leaks }| {
            let more = count.saturating_sub(identity_leaks.len() as u64);
            let tasks: Vec<_> = identity_leaks.iter().map(|leak| leak.task_id.clone()).collect();
            let places = tasks
                .into_iter()
                .zip(leak_places(i, identity_leaks))
                .map(|(task, (_, place))| view! { <li>{(i.admin().task_n)(&task)}": "{place}</li> })
                .collect_view();
            view! {
                <details class="more">
                    <summary>{model}" "<span class="count">{i.number(count)}</span></summary>
                    <ul>{places}</ul>
                    {(more > 0).then(|| view! { <p class="muted">{(i.admin().and_more)(more)}</p> })}
                    <p><a href=format!("/admin/submissions/{submission}")>{i.plan().leaks_submission}</a></p>
                </details>
            }
        })
        .collect_view();
    view! { <div class="stack-tight">{submissions}</div> }
}
