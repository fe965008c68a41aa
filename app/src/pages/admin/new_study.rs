//! `/admin/studies/new?dataset=`: create a study.
//!
//! Two steps, so that it works without JavaScript: the dataset first (in the address), then the form with
//! that dataset's submissions. If only one dataset has any, it is selected automatically.

use std::collections::HashSet;

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::{
    parts::{FormError, asked},
    rubrics::choose::RubricField,
};
use crate::{
    i18n::{I18n, use_i18n},
    model::{
        ids::SubmissionId,
        page::PageOf,
        plan::Sharing,
        submission::SubmissionRow,
        user::{Role, UserRow},
    },
    rpc::{accounts::people, studies::CreateStudy, submissions::submissions},
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
            Ok((submissions(None, most.clone()).await?.rows, people(most, PageOf::first(1)).await?.0.rows))
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
    users: Vec<UserRow>,
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
            view! { <StudyForm slug rows users create several/> }.into_any()
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

/// The form itself. It tracks the selections to show the number of ratings.
#[component]
fn StudyForm(
    /// The dataset's short name.
    slug: String,
    /// Its submissions, newest first.
    rows: Vec<SubmissionRow>,
    /// Every active person.
    users: Vec<UserRow>,
    /// The action that creates the study.
    create: FormAction<CreateStudy>,
    /// Whether another dataset could be selected.
    several: bool,
) -> impl IntoView {
    let i = use_i18n();
    let t = i.admin();
    let newest = rows.iter().map(|r| r.number).max().unwrap_or(0);
    let sizes: Vec<(SubmissionId, u64, u64)> = rows.iter().map(|r| (r.id, r.outputs, r.tasks)).collect();
    let ticked = RwSignal::new(HashSet::<SubmissionId>::new());
    let overlap = RwSignal::new(1_u64);
    let raters = RwSignal::new(0_usize);
    let tasks = RwSignal::new(None::<u64>);
    let p = i.plan();
    let sharing = RwSignal::new(Sharing::Count);
    let estimate = move || {
        let outputs: u64 = ticked.with(|ticked| {
            let chosen = sizes.iter().filter(|(id, ..)| ticked.contains(id));
            // A pilot takes the first tasks of the order: about as many outputs of each model as tasks.
            chosen
                .map(|(_, outputs, answered)| match tasks.get() {
                    Some(most) if *answered > 0 => outputs * most.min(*answered) / answered,
                    _ => *outputs,
                })
                .sum()
        });
        let each = raters.get() as u64;
        match (outputs, each) {
            (0, _) | (_, 0) => t.estimate_open.to_owned(),
            (_, each) if each < overlap.get() => (t.overlap_short)(overlap.get(), each),
            (outputs, each) => {
                let ratings = outputs * overlap.get();
                (t.estimate)(outputs, ratings, ratings.div_ceil(each))
            }
        }
    };
    let submissions = rows
        .into_iter()
        .map(|row| {
            let id = row.id;
            let old = row.number < newest;
            view! {
                <li>
                    <label class="check">
                        <input type="checkbox" name="submissions[]" value=id.to_string() on:change=move |event| {
                            let on = event_target_checked(&event);
                            ticked.update(|ticked| _ = if on { ticked.insert(id) } else { ticked.remove(&id) });
                        }/>
                        <span>
                            <strong>{row.model_name}</strong>
                            <span class="muted small">
                                {(t.submission_line)(row.outputs, row.tasks, &row.file)}
                            </span>
                            {old.then(|| view! { <span class="badge tone-care">{(t.version_n)(row.number)}</span> })}
                        </span>
                    </label>
                </li>
            }
        })
        .collect_view();
    let people = users
        .into_iter()
        .map(|user| {
            let admin =
                (user.role == Role::Admin).then(|| view! { <span class="badge tone-plain">{t.role_admin}</span> });
            view! {
                <li class="share-row">
                    <label class="check">
                        <input type="checkbox" name="raters[]" value=user.id.to_string() on:change=move |event| {
                            let on = event_target_checked(&event);
                            raters.update(|n| *n = if on { *n + 1 } else { n.saturating_sub(1) });
                        }/>
                        <span><strong>{user.name.clone()}</strong>" "{admin}</span>
                    </label>
                    <span class="share-field" class:is-off=move || sharing.get() != Sharing::Hand>
                        <input class="input" name=format!("shares[{}]", user.id) type="number" inputmode="numeric" min="0"
                            placeholder=p.share aria-label=(p.share_of)(&user.name)/>
                    </span>
                </li>
            }
        })
        .collect_view();
    view! {
        <ActionForm action=create attr:class="stack study-form">
            <input type="hidden" name="dataset" value=slug.clone()/>
            <p>
                {(t.study_of)(&slug)}
                {several.then(|| view! { " "<a href="/admin/studies/new">{t.other_dataset}</a> })}
            </p>
            <div class="field">
                <label class="label" for="study-title">{t.study_title}</label>
                <input class="input" id="study-title" name="title" required maxlength="120" autocomplete="off" aria-describedby="study-title-hint"/>
                <p class="hint" id="study-title-hint">{t.study_title_hint}</p>
            </div>
            <RubricField dataset=slug.clone()/>
            <fieldset>
                <legend>{t.study_submissions}</legend>
                <p class="hint">{t.study_submissions_hint}</p>
                <ul class="checks">{submissions}</ul>
            </fieldset>
            <fieldset>
                <legend>{t.study_raters}</legend>
                <p class="hint">{t.study_raters_hint}" "<a href="/admin/people">{t.invite_people}</a></p>
                <ul class="checks">{people}</ul>
            </fieldset>
            <div class="field field--short">
                <label class="label" for="study-overlap">{t.overlap}</label>
                <input class="input" id="study-overlap" name="overlap" type="number" inputmode="numeric" min="1" max="100" value="1" required
                    aria-describedby="study-overlap-hint"
                    on:input=move |event| overlap.set(event_target_value(&event).parse().unwrap_or(1))/>
                <p class="hint" id="study-overlap-hint">{t.overlap_hint}</p>
            </div>
            <div class="plan-row">
                <div class="field">
                    <label class="label" for="study-sharing">{p.sharing}</label>
                    <select class="input" id="study-sharing" name="sharing" aria-describedby="study-sharing-hint"
                        on:change=move |event| sharing.set(event_target_value(&event).parse().unwrap_or_default())>
                        <option value="count">{p.by_count}</option>
                        <option value="language">{p.by_language}</option>
                        <option value="hand">{p.by_hand}</option>
                    </select>
                </div>
                <div class="field">
                    <label class="label" for="study-presentation">{p.presentation}</label>
                    <select class="input" id="study-presentation" name="presentation">
                        <option value="one">{p.one}</option>
                        <option value="side_by_side">{p.side_by_side}</option>
                    </select>
                </div>
                <p class="hint" id="study-sharing-hint">
                    <span class="hint-when" class:is-off=move || sharing.get() == Sharing::Count>{p.sharing_hint}</span>" "
                    <span class="hint-when" class:is-off=move || sharing.get() != Sharing::Hand>{p.share_hint}</span>
                </p>
            </div>
            <details class="more">
                <summary>{t.study_more}</summary>
                <div class="field field--short">
                    <label class="label" for="study-pace">{p.pace}</label>
                    <input class="input" id="study-pace" name="pace" type="number" inputmode="numeric" min="1" max="86400" aria-describedby="study-pace-hint"/>
                    <p class="hint" id="study-pace-hint">{p.pace_hint}</p>
                </div>
                <div class="field field--short">
                    <label class="label" for="study-tasks">{t.study_tasks}</label>
                    <input class="input" id="study-tasks" name="tasks" type="number" inputmode="numeric" min="1" aria-describedby="study-tasks-hint"
                        on:input=move |event| tasks.set(event_target_value(&event).parse().ok())/>
                    <p class="hint" id="study-tasks-hint">{t.study_tasks_hint}</p>
                </div>
                <div class="field field--short">
                    <label class="label" for="study-seed">{t.seed}</label>
                    <input class="input" id="study-seed" name="seed" inputmode="numeric" pattern="[0-9]{1,20}" autocomplete="off" aria-describedby="study-seed-hint"/>
                    <p class="hint" id="study-seed-hint">{t.seed_hint}</p>
                </div>
            </details>
            <p class="estimate" role="status">{estimate}</p>
            <button class="button primary" type="submit" disabled=move || create.pending().get()>{p.preview_button}</button>
        </ActionForm>
        <FormError of=move || create.value().get().and_then(Result::err)/>
    }
}
