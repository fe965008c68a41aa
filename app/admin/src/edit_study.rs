//! `/admin/studies/:id/edit`: edit a draft. A study that has started shows what can still be changed, and where.

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use super::{
    parts::{FormError, param},
    study_form::StudyFields,
};
use model::{
    error::AppError,
    group::Group,
    ids::StudyId,
    page::PageOf,
    study::{StudyDraft, StudyStatus},
    submission::SubmissionRow,
    user::UserRow,
};
use rpc::{
    accounts::people,
    groups::groups,
    plans::{EditStudy, draft_settings},
    submissions::submissions,
};
use texts::I18n;
use ui::{
    context::use_i18n,
    form::{ActionForm, FormAction},
    frame::Page,
    load::{Data, Load},
    notice::{Notice, Tone},
};

/// The form with the draft's settings.
#[component]
pub fn EditStudyPage() -> impl IntoView {
    let i = use_i18n();
    let params = use_params_map();
    let id = Memo::new(move |_| param(params, "id").map(StudyId));
    let data = Data::new(
        move || id.get(),
        |id| async move {
            let id = id.ok_or_else(|| AppError::NotFound("study".into()))?;
            let draft = draft_settings(id).await?;
            let most = PageOf::first(PageOf::MOST);
            let rows = submissions(Some(draft.settings.dataset.clone()), most.clone()).await?.rows;
            let groups = groups(most.clone()).await?.rows;
            Ok((draft, rows, people(most, PageOf::first(1)).await?.0.rows, groups))
        },
    );
    let edit = FormAction::<EditStudy>::new();
    view! { <Load data let:all>{page(i, id.get_untracked(), all, edit)}</Load> }
}

type Loaded = (StudyDraft, Vec<SubmissionRow>, Vec<UserRow>, Vec<Group>);

fn page(i: I18n, id: Option<StudyId>, (draft, rows, users, groups): Loaded, edit: FormAction<EditStudy>) -> AnyView {
    let (t, p) = (i.admin(), i.plan());
    let Some(id) = id else { return ().into_any() };
    let title = draft.settings.title.clone();
    let plan = format!("/admin/studies/{id}/plan");
    let crumbs = vec![
        ("/admin/studies".into(), t.studies.into()),
        (format!("/admin/studies/{id}"), title.clone()),
        (plan.clone(), p.plan.into()),
    ];
    let body = if draft.status == StudyStatus::Draft {
        let slug = draft.settings.dataset.clone();
        let users: Vec<_> = users.into_iter().filter(|user| !user.disabled).collect();
        let quality = format!("/admin/studies/{id}/quality");
        view! {
            <p class="lead">{p.edit_lead}</p>
            <p><a href=quality>{i.quality().settings}</a></p>
            <ActionForm action=edit attr:class="study-form study-form--wide">
                <input type="hidden" name="id" value=id.to_string()/>
                <StudyFields slug rows users groups several=false draft>
                    <p class="row">
                        <button class="button primary" type="submit" disabled=move || edit.pending().get()>{p.edit_save}</button>
                        <a class="button" href=plan>{p.edit_cancel}</a>
                    </p>
                </StudyFields>
            </ActionForm>
            <FormError of=move || edit.value().get().and_then(Result::err)/>
        }
        .into_any()
    } else {
        view! {
            <Notice tone=Tone::Care><p>{p.edit_started}</p></Notice>
            <p><a class="button" href=plan>{p.plan_link}</a></p>
        }
        .into_any()
    };
    view! { <Page title=(p.edit_of)(&title) crumbs>{body}</Page> }.into_any()
}
