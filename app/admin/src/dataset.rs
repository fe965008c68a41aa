//! `/admin/datasets/:slug`: one dataset, its versions, its tasks.

use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

use super::{
    filter::Field,
    list::Listing,
    menu::{item, more_menu, object_items},
    parts::{asked, code_langs, task_text},
    rubrics::choose::DatasetRubric,
};
use model::{
    audit::Object,
    dataset::{DatasetDetail, TaskDefect, TaskRow, VersionRow},
    ids::DatasetVersionId,
    lang::Lang,
    page::Paged,
};
use rpc::datasets::{dataset, dataset_tasks};
use texts::I18n;
use ui::{
    context::use_i18n,
    frame::Page,
    load::{Data, Load},
    notice::Empty,
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
    let list = Listing::new("order", &["nl_lang", "check"]);
    let tasks =
        Data::new(move || (which.get(), list.asked()), |((slug, version), page)| dataset_tasks(slug, version, page));
    view! { <Load data let:detail>{page(i, which.get_untracked().1, detail, list, tasks)}</Load> }
}

fn page(
    i: I18n,
    asked: Option<DatasetVersionId>,
    detail: DatasetDetail,
    list: Listing,
    tasks: Data<Paged<TaskRow>>,
) -> AnyView {
    let t = i.admin();
    let DatasetDetail { row, description, license, source, versions, defects } = detail;
    let name = row.name.get(i.lang).to_owned();
    let description_text = description.get(i.lang).to_owned();
    let upload = format!("/admin/upload?dataset={}", row.slug);
    let study = format!("/admin/studies/new?dataset={}", row.slug);
    let compare = format!("/admin/compare/{}", row.slug);
    let for_people = row.human > 0;
    let shown = asked.unwrap_or(row.version);
    let object = Object::Dataset(row.slug.clone());
    // First what the dataset needs next.
    let mut actions = vec![(upload, t.upload_outputs), (compare, i.comparison().compare)];
    if for_people {
        actions.insert(1, (study, t.new_study));
    }
    let first = actions.remove(usize::from(row.submissions > 0));
    let others = actions;
    let slug = StoredValue::new(row.slug.clone());
    view! {
        <Page title=name crumbs=vec![("/admin/datasets".into(), t.datasets.into())] actions=move || view! {
            <a class="button primary" href=first.0.clone()>{first.1}</a>
            {more_menu(i, view! {
                {others.iter().map(|(href, text)| item(href.clone(), text)).collect_view()}
                {object_items(i, &object)}
            })}
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
        {for_people.then(|| view! { <DatasetRubric dataset=row.slug.clone()/> })}
        {(versions.len() > 1).then(|| versions_table(i, &row.slug, &versions, shown))}
        {(!defects.is_empty()).then(|| defects_table(i, defects))}
        <section class="stack" aria-labelledby="tasks">
            <h2 id="tasks">{t.tasks}</h2>
            {list.bar(filters(i))}
            <Load data=tasks let:page>
                {list.view(page, move || view! { <Empty title=t.none_match/> }.into_any(), move |rows| slug.with_value(|slug| task_list(i, slug, rows)))}
            </Load>
        </section>
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

fn defects_table(i: I18n, defects: Vec<TaskDefect>) -> impl IntoView + use<> {
    let t = i.admin();
    let rows = defects.into_iter().map(|TaskDefect { task_id, instruction, defect }| {
        let which =
            instruction.map_or_else(|| t.all_answers.to_owned(), |kind| i.conversations().kind_name(kind).to_owned());
        view! {
            <tr>
                <th scope="row" translate="no"><code>{task_id}</code></th>
                <td>{which}</td>
                <td>{i.runs().data_defect(&defect)}</td>
            </tr>
        }
    });
    let rows = rows.collect_view();
    view! {
        <section class="stack" aria-labelledby="defects">
            <h2 id="defects">{t.defects}</h2>
            <p>{t.defects_what}</p>
            <div class="table-box" role="group" aria-labelledby="defects" tabindex="0">
                <table class="table">
                    <thead>
                        <tr>
                            <th scope="col">{t.task}</th>
                            <th scope="col">{t.cannot_be_judged}</th>
                            <th scope="col">{t.defect}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </section>
    }
}

/// A page of the tasks, each with a link to its tests and outputs.
fn task_list(i: I18n, slug: &str, rows: Vec<TaskRow>) -> AnyView {
    let rows = rows.into_iter().map(|task| {
        let href = format!("/admin/compare/{slug}/tasks/{}", task.id);
        let label = (i.comparison().task_outputs_of)(&task.task_id);
        view! {
            <li>
                {task_text(i, task)}
                <p class="small"><a href=href aria-label=label>{i.comparison().task_outputs}</a></p>
            </li>
        }
    });
    let rows = rows.collect_view();
    view! { <ul class="task-list">{rows}</ul> }.into_any()
}

/// The search and the filters of the tasks.
fn filters(i: I18n) -> Vec<Field> {
    let t = i.admin();
    let any = || std::iter::once(("", i.lists().any.to_owned()));
    let langs = any().chain(Lang::ALL.map(|lang| (lang.code(), lang.name().to_owned())));
    let checks = [("human", t.check_human), ("tests", t.check_tests)].map(|(value, name)| (value, name.to_owned()));
    vec![
        Field::Choice("nl_lang", t.language, langs.collect()),
        Field::Choice("check", t.checks, any().chain(checks).collect()),
        Field::Kept("version"),
    ]
}
