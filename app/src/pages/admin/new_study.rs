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
use crate::{
    i18n::{I18n, use_i18n},
    model::{group::Group, page::PageOf, submission::SubmissionRow, user::UserRow},
    rpc::{accounts::people, groups::groups, studies::CreateStudy, submissions::submissions},
    ui::{
        form::{ActionForm, FormAction},
        frame::Page,
        load::{Data, Load},
        notice::Empty,
    },
};

/// The form that creates a study.
#[component]
pub fn NewStudyPage() -> impl IntoView {
    let i = use_i18n();
    let t = i.admin();
    let query = use_query_map();
    let data = Data::new(
        || (),
        |()| async move {
            let most = PageOf::first(PageOf::MOST);
            let groups = groups(most.clone()).await?.rows;
            let rows = submissions(None, most.clone()).await?.rows;
            Ok((rows, (people(most, PageOf::first(1)).await?.0.rows, groups)))
        },
    );
    let create = FormAction::<CreateStudy>::new();
    view! {
        <Page title=t.new_study crumbs=vec![("/admin/studies".into(), t.studies.into())]>
            <Load data let:both>
                {move || {
                    let slug = Some(asked(query, "dataset")).filter(|d| !d.is_empty());
                    choose(i, slug, both.0.clone(), both.1.clone(), create)
                }}
            </Load>
        </Page>
    }
}

fn choose(
    i: I18n,
    asked: Option<String>,
    rows: Vec<SubmissionRow>,
    (users, groups): (Vec<UserRow>, Vec<Group>),
    create: FormAction<CreateStudy>,
) -> AnyView {
    let t = i.admin();
    let mut datasets: Vec<(String, usize)> = Vec::new();
    // A dataset with only tests is not offered; its address still shows the form.
    for row in rows.iter().filter(|row| row.for_people) {
        match datasets.iter_mut().find(|(slug, _)| *slug == row.dataset) {
            Some((_, count)) => *count += 1,
            None => datasets.push((row.dataset.clone(), 1)),
        }
    }
    let only = (datasets.len() == 1).then(|| datasets[0].0.clone());
    let several = datasets.len() > 1;
    match asked.or(only) {
        Some(slug) => {
            let rows: Vec<_> = rows.into_iter().filter(|r| r.dataset == slug).collect();
            if rows.is_empty() {
                return nothing_to_grade(i, &slug);
            }
            let users = users.into_iter().filter(|u| !u.disabled).collect();
            view! {
                <ActionForm action=create attr:class="stack study-form">
                    <input type="hidden" name="dataset" value=slug.clone()/>
                    <StudyFields slug rows users groups several/>
                    <button class="button primary" type="submit" disabled=move || create.pending().get()>
                        {i.plan().preview_button}
                    </button>
                </ActionForm>
                <FormError of=move || create.value().get().and_then(Result::err)/>
            }
            .into_any()
        }
        None if datasets.is_empty() => nothing_to_grade(i, ""),
        None => {
            let links = datasets.into_iter().map(|(slug, count)| {
                view! {
                    <li class="card">
                        <h3><a href=format!("/admin/studies/new?dataset={slug}")>{slug.clone()}</a></h3>
                        <p class="muted">{(t.submissions_n)(count as u64)}</p>
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
