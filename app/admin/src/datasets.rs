//! `/admin/datasets`: every dataset, and the form that imports more.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::{
    filter::Field,
    list::Listing,
    parts::{asked, code_langs},
    sending::{FileForm, Picker},
};
use crate::places::{Place, tabs};
use model::{audit::Object, code_lang::CodeLang, dataset::DatasetRow};
use rpc::datasets::datasets;
use texts::I18n;
use ui::{
    context::use_i18n,
    frame::Page,
    load::{Data, Load},
    notice::{Empty, Notice, Tone},
};

/// The list of datasets.
#[component]
pub fn DatasetsPage() -> impl IntoView {
    let i = use_i18n();
    let t = i.admin();
    let query = use_query_map();
    let list = Listing::new("name", &["code_lang", "check"]);
    let data = Data::new(move || list.asked(), datasets);
    let any = || std::iter::once(("", i.lists().any.to_owned()));
    let langs = any().chain(CodeLang::ALL.map(|lang| (lang.code(), lang.name().to_owned()))).collect();
    let checks = [("human", t.check_human), ("tests", t.check_tests)].map(|(value, name)| (value, name.to_owned()));
    let fields = vec![
        Field::Choice("code_lang", t.code_lang, langs),
        Field::Choice("check", t.checks, any().chain(checks).collect()),
    ];
    view! {
        <Page title=t.datasets>
            {tabs(i, Place::Data, "/admin/datasets")}
        {list.bar(fields)}
        <Load data let:page>
            {outcome(i, &asked(query, "imported"), &asked(query, "same"), &page.rows)}
            {list.view(page, move || view! { <Empty title=t.no_datasets><p><a class="button" href="#import" rel="external">{t.import_dataset}</a></p></Empty> }.into_any(), move |rows| table(i, list, rows))}
        </Load>
        <section id="import" class="card stack" aria-labelledby="import-head">
            <h2 id="import-head">{t.import_dataset}</h2>
            <p>{t.import_what}</p>
            <ul class="plain-list">
                <li>{t.import_checkout}</li>
                <li>{t.import_bare}</li>
                <li>{t.import_humaneval}</li>
                <li>{t.import_codeif}</li>
                <li>{t.import_own}</li>
            </ul>
            <p class="muted">{t.import_again}</p>
            <FileForm action="/admin/upload/dataset" send=t.import_button>
                <label class="check">
                    <input type="checkbox" name="translation" value="true"/>
                    <span>{t.import_translation}</span>
                </label>
                <Picker name="files" label=t.import_files hint=t.import_files_hint multiple=true accept=".jsonl,.json,.md,.gz,.tgz,.tar,.zip"/>
            </FileForm>
        </section>
        </Page>
    }
}

/// The result of an import; the server redirects the browser back here with it in the address.
fn outcome(i: I18n, imported: &str, same: &str, rows: &[DatasetRow]) -> Option<AnyView> {
    let t = i.admin();
    let among = |row: &&DatasetRow, slugs: &str| slugs.split(',').any(|slug| slug == row.slug);
    let new = rows.iter().filter(|row| among(row, imported)).map(|row| {
        let text = (t.import_new)(&row.slug, row.number, row.tasks);
        // What was imported by mistake is found and deleted from here.
        let undo = (row.number == 1).then(|| Object::Dataset(row.slug.clone()).upkeep_address()).flatten();
        let undo = undo.map(|href| view! { " "<a href=href>{i.upkeep().link}</a> });
        view! { <p>{text}" "<a href=format!("/admin/datasets/{}", row.slug)>{t.import_check}</a>{undo}</p> }.into_any()
    });
    let old = rows.iter().filter(|row| among(row, same)).map(|row| {
        let text = (t.import_same)(&row.slug, row.number);
        view! { <p>{text}</p> }.into_any()
    });
    let lines: Vec<AnyView> = new.chain(old).collect();
    (!lines.is_empty()).then(|| view! { <Notice tone=Tone::Good>{lines}</Notice> }.into_any())
}

fn table(i: I18n, list: Listing, rows: Vec<DatasetRow>) -> AnyView {
    let t = i.admin();
    let rows = rows.into_iter().map(|row| {
        view! {
            <tr role="row">
                <th role="rowheader" scope="row" data-label=t.name>
                    <a href=format!("/admin/datasets/{}", row.slug)>{row.name.get(i.lang).to_owned()}</a>
                    <code class="muted small">{row.slug.clone()}</code>
                </th>
                <td role="cell" data-label=t.version class="num">{row.number}</td>
                <td role="cell" data-label=t.tasks class="num">{row.tasks}</td>
                <td role="cell" data-label=t.graded_by_people class="num">{row.human}</td>
                <td role="cell" data-label=t.with_tests class="num">{row.tests}</td>
                <td role="cell" data-label=t.code_lang translate="no">{code_langs(&row.code_langs)}</td>
                <td role="cell" data-label=t.submissions class="num">
                    <a href=format!("/admin/submissions?dataset={}", row.slug)>{row.submissions}</a>
                </td>
                <td role="cell" data-label=t.imported_at class="when">{i.time(row.imported_at)}</td>
                <td role="cell" data-label="">
                    <a class="button small-button" href=format!("/admin/upload?dataset={}", row.slug) aria-label=(t.upload_for)(&row.slug)>
                        {t.upload_outputs}
                    </a>
                </td>
            </tr>
        }
    });
    view! {
        <div class="table-box list-box"><table class="table list" role="table">
            <caption class="visually-hidden">{t.datasets}</caption>
            <thead role="rowgroup">
                <tr role="row">
                    {list.head(t.name, "name", "")}
                    <th role="columnheader" scope="col" class="num">{t.version}</th>
                    <th role="columnheader" scope="col" class="num">{t.tasks}</th>
                    <th role="columnheader" scope="col" class="num">{t.graded_by_people}</th>
                    <th role="columnheader" scope="col" class="num">{t.with_tests}</th>
                    <th role="columnheader" scope="col">{t.code_lang}</th>
                    <th role="columnheader" scope="col" class="num">{t.submissions}</th>
                    {list.head(t.imported_at, "-added", "")}
                    <th role="columnheader" scope="col"><span class="visually-hidden">{t.actions}</span></th>
                </tr>
            </thead>
            <tbody role="rowgroup">{rows.collect_view()}</tbody>
        </table></div>
    }
    .into_any()
}
