//! `/admin/studies/new?dataset=`: create a study.
//!
//! Two steps, so that it works without JavaScript: the dataset first (in the address), then the form with
//! that dataset's submissions. If only one dataset has any, it is selected automatically.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::{
    parts::{FormError, asked},
    study_form::StudyFields,
};
use model::{error::AppError, group::Group, page::PageOf, submission::SubmissionRow, user::UserRow};
use rpc::{accounts::people, datasets::datasets, groups::groups, studies::CreateStudy, submissions::submissions};
use texts::I18n;
use ui::{
    context::use_i18n,
    form::{ActionForm, FormAction},
    frame::Page,
    load::{Data, Load},
    notice::Empty,
};

/// The form that creates a study.
#[component]
pub fn NewStudyPage() -> impl IntoView {
    let i = use_i18n();
    let t = i.admin();
    let query = use_query_map();
    let data = Data::new(move || asked(query, "dataset"), load);
    let create = FormAction::<CreateStudy>::new();
    view! {
        <Page title=t.new_study crumbs=vec![("/admin/studies".into(), t.studies.into())]>
            <Load data let:loaded>{choose(i, loaded.0, loaded.1, create)}</Load>
        </Page>
    }
}

/// The datasets with outputs for people to grade, by their short names, with the number of their submissions.
type Offered = Vec<(String, u64)>;

/// What a study of one dataset can consist of.
type Choices = (String, Vec<SubmissionRow>, Vec<UserRow>, Vec<Group>);

/// Loads the choices of the dataset in the address, or of the only one that has any.
async fn load(asked: String) -> Result<(Offered, Option<Choices>), AppError> {
    let most = PageOf::first(PageOf::MOST);
    let rows = datasets(most.clone()).await?.rows;
    // A dataset with only tests is not offered; its address still shows the form.
    let offered = rows.into_iter().filter(|row| row.human > 0 && row.submissions > 0);
    let offered: Offered = offered.map(|row| (row.slug, row.submissions)).collect();
    let slug = match (&*asked, &offered[..]) {
        ("", [(only, _)]) => only.clone(),
        ("", _) => return Ok((offered, None)),
        _ => asked,
    };
    let rows = submissions(Some(slug.clone()), most.clone()).await?.rows;
    let groups = groups(most.clone()).await?.rows;
    let users = people(most, PageOf::first(1)).await?.0.rows;
    Ok((offered, Some((slug, rows, users, groups))))
}

fn choose(i: I18n, offered: Offered, choices: Option<Choices>, create: FormAction<CreateStudy>) -> AnyView {
    let t = i.admin();
    match choices {
        Some((slug, rows, ..)) if rows.is_empty() => nothing_to_grade(i, &slug),
        Some((slug, rows, users, groups)) => {
            let users = users.into_iter().filter(|u| !u.disabled).collect();
            let several = offered.len() > 1;
            view! {
                <ActionForm action=create attr:class="study-form study-form--wide">
                    <input type="hidden" name="study[dataset]" value=slug.clone()/>
                    <StudyFields slug rows users groups several>
                        <button class="button primary" type="submit" disabled=move || create.pending().get()>
                            {i.plan().preview_button}
                        </button>
                    </StudyFields>
                </ActionForm>
                <FormError of=move || create.value().get().and_then(Result::err)/>
            }
            .into_any()
        }
        None if offered.is_empty() => nothing_to_grade(i, ""),
        None => {
            let links = offered.into_iter().map(|(slug, count)| {
                view! {
                    <li class="card">
                        <h3><a href=format!("/admin/studies/new?dataset={slug}")>{slug.clone()}</a></h3>
                        <p class="muted">{(t.submissions_n)(count)}</p>
                    </li>
                }
            });
            view! {
                <h2>{t.choose_dataset}</h2>
                <ul class="cards">{links.collect_view()}</ul>
            }
            .into_any()
        }
    }
}

fn nothing_to_grade(i: I18n, slug: &str) -> AnyView {
    let t = i.admin();
    let upload = if slug.is_empty() { "/admin/upload".to_owned() } else { format!("/admin/upload?dataset={slug}") };
    view! {
        <Empty title=t.study_needs_outputs>
            <p><a class="button" href=upload>{t.upload_outputs}</a></p>
        </Empty>
    }
    .into_any()
}
