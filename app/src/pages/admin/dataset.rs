//! `/admin/datasets/:slug`: one dataset, its versions, its tasks.

use std::sync::Arc;

use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

use super::{
    parts::{Filter, asked, choice, code_langs, holds, task_text},
    rubrics::choose::DatasetRubric,
    upkeep::upkeep_link,
};
use crate::{
    i18n::{I18n, use_i18n},
    model::{
        audit::Object,
        dataset::{DatasetDetail, TaskRow, VersionRow},
        ids::DatasetVersionId,
        lang::Lang,
    },
    rpc::datasets::dataset,
    ui::{
        frame::Page,
        load::{Data, Load},
        notice::Empty,
    },
};

/// A dataset.
#[component]
pub fn DatasetPage() -> impl IntoView {
    let i = use_i18n();
    let params = use_params_map();
    let query = use_query_map();
    // Only the keys that the server uses: typing in a filter must not reload.
    let which = Memo::new(move |_| (asked(params, "slug"), asked(query, "version").parse().ok()));
    let data = Data::new(move || which.get(), |(slug, version)| dataset(slug, version));
    view! { <Load data let:detail>{page(i, which.get_untracked().1, detail)}</Load> }
}

fn page(i: I18n, asked: Option<DatasetVersionId>, detail: DatasetDetail) -> AnyView {
    let t = i.admin();
    let DatasetDetail { row, description, license, source, versions, tasks } = detail;
    let name = row.name.get(i.lang).to_owned();
    let description_text = description.get(i.lang).to_owned();
    let upload = format!("/admin/upload?dataset={}", row.slug);
    let study = format!("/admin/studies/new?dataset={}", row.slug);
    let compare = format!("/admin/compare/{}", row.slug);
    let shown = asked.unwrap_or(row.version);
    let object = Object::Dataset(row.slug.clone());
    view! {
        <Page title=name crumbs=vec![("/admin/datasets".into(), t.datasets.into())] actions=move || view! {
            <a class="button" href=upload.clone()>{t.upload_outputs}</a>
            <a class="button" href=study.clone()>{t.new_study}</a>
            <a class="button" href=compare.clone()>{i.compare().compare}</a>
            {object.guidelines_address().map(|href| view! { <a class="button" href=href>{i.guidelines().title}</a> })}
            {upkeep_link(i, &object)}
        }>
        {(!description_text.is_empty()).then(|| view! { <p class="lead">{description_text}</p> })}
        <dl class="facts">
            <div><dt>{t.short_name}</dt><dd><code>{row.slug.clone()}</code></dd></div>
            <div><dt>{t.code_lang}</dt><dd translate="no">{code_langs(&row.code_langs)}</dd></div>
            <div><dt>{t.version}</dt><dd>{row.number}</dd></div>
            <div><dt>{t.tasks}</dt><dd>{row.tasks}</dd></div>
            <div><dt>{t.graded_by_people}</dt><dd>{row.human}</dd></div>
            <div><dt>{t.with_tests}</dt><dd>{row.tests}</dd></div>
            <div><dt>{t.submissions}</dt><dd>
                <a href=format!("/admin/submissions?dataset={}", row.slug)>{row.submissions}</a>
            </dd></div>
            <div><dt>{t.source}</dt><dd>{source}</dd></div>
            <div><dt>{t.license}</dt><dd>{license}</dd></div>
        </dl>
        {(row.human > 0).then(|| view! { <DatasetRubric dataset=row.slug.clone()/> })}
        {(versions.len() > 1).then(|| versions_table(i, &row.slug, &versions, shown))}
        <TaskTable tasks/>
        </Page>
    }
    .into_any()
}

fn versions_table(i: I18n, slug: &str, versions: &[VersionRow], shown: DatasetVersionId) -> impl IntoView + use<> {
    let t = i.admin();
    let rows = versions
        .iter()
        .map(|v| {
            let current = (shown == v.id).then_some("true");
            view! {
                <tr>
                    <th scope="row"><a href=format!("/admin/datasets/{slug}?version={}", v.id) aria-current=current>{v.number}</a></th>
                    <td class="num">{v.tasks}</td>
                    <td class="num">{v.changed}</td>
                    <td class="when">{i.time(v.imported_at)}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <section class="stack" aria-labelledby="versions">
            <h2 id="versions">{t.versions}</h2>
            <div class="table-box" role="group" aria-labelledby="versions" tabindex="0">
                <table class="table">
                    <thead>
                        <tr>
                            <th scope="col">{t.version}</th>
                            <th scope="col" class="num">{t.tasks}</th>
                            <th scope="col" class="num">{t.changed}</th>
                            <th scope="col">{t.imported_at}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </section>
    }
}

/// The tasks, with a filter in the address.
#[component]
fn TaskTable(
    /// Every task of the version shown.
    tasks: Vec<TaskRow>,
) -> impl IntoView {
    let i = use_i18n();
    let t = i.admin();
    let query = use_query_map();
    let read = move |key: &str| asked(query, key);
    let all = tasks.len() as u64;
    let tasks = Arc::new(tasks);
    let found = Memo::new(move |_| {
        let (text, lang, check) = (read("q"), read("lang").parse::<Lang>().ok(), read("check"));
        tasks
            .iter()
            .filter(|task| {
                let signature = task.signature.as_deref().unwrap_or_default();
                holds(&format!("{} {} {signature}", task.task_id, task.raw_nl), &text)
                    && lang.is_none_or(|l| l == task.nl_lang)
                    && match check.as_str() {
                        "human" => task.checks.human,
                        "tests" => task.checks.tests,
                        _ => true,
                    }
            })
            .cloned()
            .collect::<Vec<_>>()
    });
    view! {
        <section class="stack" aria-labelledby="tasks">
            <h2 id="tasks">{t.tasks}</h2>
            <Filter search=true>
                <div class="field">
                    <label class="label" for="filter-q">{t.filter_text}</label>
                    <input class="input" id="filter-q" type="search" name="q" value=move || read("q") prop:value=move || read("q")/>
                </div>
                <div class="field">
                    <label class="label" for="filter-lang">{t.language}</label>
                    <select class="input" id="filter-lang" name="lang">
                        {choice(query, "lang", "", t.any)} {choice(query, "lang", "en", Lang::En.name())} {choice(query, "lang", "zh", Lang::Zh.name())}
                    </select>
                </div>
                <div class="field">
                    <label class="label" for="filter-check">{t.checks}</label>
                    <select class="input" id="filter-check" name="check">
                        {choice(query, "check", "", t.any)} {choice(query, "check", "human", t.check_human)} {choice(query, "check", "tests", t.check_tests)}
                    </select>
                </div>
                {move || {
                    let version = read("version");
                    (!version.is_empty()).then(|| view! { <input type="hidden" name="version" value=version/> })
                }}
                <button class="button" type="submit">{t.filter}</button>
                <p class="filter-count" role="status">{move || (t.shown_of)(found.with(Vec::len) as u64, all)}</p>
            </Filter>
            {move || {
                let rows = found.get();
                if rows.is_empty() {
                    view! { <Empty title=t.none_match/> }.into_any()
                } else {
                    view! { <ul class="task-list">{rows.into_iter().map(|task| view! { <li>{task_text(i, task)}</li> }).collect_view()}</ul> }.into_any()
                }
            }}
        </section>
    }
}
