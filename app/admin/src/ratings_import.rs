//! `/admin/upload/ratings?dataset=` and `/admin/uploads/:id/ratings?dataset=&kind=&OURS=THEIRS`: upload,
//! preview and import of ratings that were made elsewhere.

use leptos::prelude::*;
use leptos_router::{
    hooks::{use_params_map, use_query_map},
    params::ParamsMap,
};

use super::{
    parts::{Filter, FormError, asked, param},
    preview::problem_table,
    sending::{FileForm, Picker},
    upload::{dataset_field, no_dataset},
};
use model::{
    dataset::DatasetRow,
    error::AppError,
    ids::UploadId,
    page::PageOf,
    ratings_import::{RatingsPreview, RatingsReading},
    table::TableField,
};
use rpc::{
    datasets::datasets,
    ratings_import::{ImportRatings, preview_ratings},
};
use texts::I18n;
use ui::{
    context::use_i18n,
    form::{ActionForm, FormAction},
    frame::Page,
    load::{Data, Load},
    notice::{Notice, Tone},
    scores::{Names, whole_scores},
};

/// Prefix of a column's name in the address.
const COLUMN: &str = "column.";

/// The form that uploads a file of ratings. Nothing is imported yet: the preview comes next.
#[component]
pub fn UploadRatingsPage() -> impl IntoView {
    let i = use_i18n();
    let (t, a) = (i.ratings_import(), i.admin());
    let query = use_query_map();
    let data = Data::new(|| (), |()| async { Ok(datasets(PageOf::first(PageOf::MOST)).await?.rows) });
    view! {
        <Page title=t.import_ratings crumbs=vec![("/admin/studies".into(), a.studies.into())]>
            <p class="lead">{t.lead}</p>
            <Load data let:rows>{sending_form(i, rows, &asked(query, "dataset"))}</Load>
        </Page>
    }
}

fn sending_form(i: I18n, rows: Vec<DatasetRow>, chosen: &str) -> AnyView {
    let t = i.ratings_import();
    if rows.is_empty() {
        return no_dataset(i);
    }
    let dataset = dataset_field(i, "dataset".into(), rows, chosen);
    view! {
        <section class="card stack" aria-labelledby="file-form">
            <h2 id="file-form">{t.file_form}</h2>
            <FileForm action="/admin/upload/ratings" send=t.send>
                {dataset}
                <fieldset class="field">
                    <legend class="label">{t.whose}</legend>
                    <label class="check"><input type="radio" name="kind" value="people" checked/>{t.people}</label>
                    <label class="check"><input type="radio" name="kind" value="judge"/>{t.judge}</label>
                </fieldset>
                <Picker name="file" label=t.csv hint=t.csv_hint accept=".csv,text/csv"/>
            </FileForm>
            <p class="muted small">{t.export_note}</p>
        </section>
    }
    .into_any()
}

/// The content of an uploaded file of ratings, and the form that imports it.
#[component]
pub fn RatingsPreviewPage() -> impl IntoView {
    let i = use_i18n();
    let (t, a) = (i.ratings_import(), i.admin());
    let params = use_params_map();
    let query = use_query_map();
    let wanted = Memo::new(move |_| (param(params, "id").map(UploadId), reading(query)));
    let data = Data::new(
        move || wanted.get(),
        |(id, reading)| async move {
            let missing = || AppError::NotFound("upload".into());
            let id = id.ok_or_else(missing)?;
            Ok::<_, AppError>((id, preview_ratings(id, reading).await?))
        },
    );
    let import = FormAction::<ImportRatings>::new();
    let crumbs =
        vec![("/admin/studies".into(), a.studies.into()), ("/admin/upload/ratings".into(), t.import_ratings.into())];
    view! {
        <Page title=a.preview crumbs>
            <Load data let:found>{preview(i, found, wanted.get_untracked().1, import)}</Load>
        </Page>
    }
}

/// The file's options in the address.
fn reading(query: Memo<ParamsMap>) -> RatingsReading {
    query.with(|query| {
        let one = |key: &str| query.get(key).unwrap_or_default();
        let fields = query.clone().into_iter();
        let columns = fields.filter_map(|(key, value)| {
            let own = key.strip_prefix(COLUMN)?.to_owned();
            (!value.is_empty()).then_some((own, value))
        });
        RatingsReading { dataset: one("dataset"), judge: one("kind") == "judge", columns: columns.collect() }
    })
}

fn preview(
    i: I18n,
    (upload, p): (UploadId, RatingsPreview),
    reading: RatingsReading,
    import: FormAction<ImportRatings>,
) -> AnyView {
    let t = i.ratings_import();
    let good = p.problem_count == 0;
    let verdict = match good {
        true => {
            view! { <Notice tone=Tone::Good><p>{(t.good)(&i.number(p.ratings), &i.number(p.outputs))}</p></Notice> }
                .into_any()
        }
        false => view! { <Notice tone=Tone::Bad><p>{(t.bad)(&i.number(p.problem_count))}</p></Notice> }.into_any(),
    };
    let problems = (!good).then(|| problem_table(i, p.problems.clone(), p.problem_count));
    view! {
        {verdict}
        {facts(i, &p, &reading)}
        {problems}
        {columns_form(i, &p, &reading)}
        {first_rows(i, &p, reading.judge)}
        {import_form(i, upload, &p, reading, import)}
    }
    .into_any()
}

fn facts(i: I18n, p: &RatingsPreview, reading: &RatingsReading) -> impl IntoView + use<> {
    let (t, a) = (i.ratings_import(), i.admin());
    let each = |name: &String, n: u64| (t.with_ratings)(name, &i.number(n));
    let raters: Vec<_> = p.raters.iter().map(|one| each(&one.rater, one.ratings)).collect();
    let models: Vec<_> = p.models.iter().map(|one| each(&one.model, one.ratings)).collect();
    let line = |word: &'static str, text: String| {
        (!text.is_empty()).then(|| view! { <div><dt>{word}</dt><dd>{text}</dd></div> })
    };
    let whose = if reading.judge { t.judge } else { t.people };
    view! {
        <dl class="facts">
            <div><dt>{a.file}</dt><dd class="file-name">{p.file.clone()}</dd></div>
            <div>
                <dt>{a.dataset}</dt>
                <dd><a href=format!("/admin/datasets/{}", reading.dataset)>{reading.dataset.clone()}</a></dd>
            </div>
            <div><dt>{t.whose}</dt><dd>{whose}</dd></div>
            <div><dt>{a.ratings}</dt><dd>{i.number(p.ratings)}</dd></div>
            <div><dt>{t.outputs}</dt><dd>{i.number(p.outputs)}</dd></div>
            {line(a.models, models.join(" · "))}
            {line(t.raters, raters.join(" · "))}
            {(p.replaced > 0).then(|| line(t.replaced, i.number(p.replaced)))}
            {line(t.unused, p.unused.join(" · "))}
        </dl>
    }
}

/// The mapping of columns, for names that differ.
fn columns_form(i: I18n, p: &RatingsPreview, reading: &RatingsReading) -> Option<AnyView> {
    let t = i.ratings_import();
    if p.fields.is_empty() {
        return None;
    }
    let field = |field: &TableField| {
        let key = format!("{COLUMN}{}", field.name);
        let (id, own) = (format!("column-{}", field.name), field.name.clone());
        let asked = reading.columns.get(&field.name).cloned().unwrap_or_default();
        let by_name = p.columns.contains(&field.name);
        let options = p
            .columns
            .iter()
            .filter(|column| **column != field.name)
            .map(|column| view! { <option value=column.clone() selected=*column == asked>{column.clone()}</option> })
            .collect_view();
        let needed = field.needed.then(|| view! { " "<span class="muted small">{t.needed}</span> });
        view! {
            <div class="field">
                <label class="label" for=id.clone()><code>{own}</code>{needed}</label>
                <select class="input" id=id name=key>
                    <option value="" selected=asked.is_empty()>{if by_name { t.by_name } else { t.no_column }}</option>
                    {options}
                </select>
            </div>
        }
    };
    let fields = p.fields.iter().map(field).collect_view();
    let (dataset, kind) = (reading.dataset.clone(), if reading.judge { "judge" } else { "people" });
    Some(
        view! {
            <section class="card stack" aria-labelledby="columns">
                <h2 id="columns">{t.columns}</h2>
                <Filter>
                    <input type="hidden" name="dataset" value=dataset/>
                    <div class="field">
                        <label class="label" for="kind">{t.whose}</label>
                        <select class="input" id="kind" name="kind">
                            <option value="people" selected=kind == "people">{t.people}</option>
                            <option value="judge" selected=kind == "judge">{t.judge}</option>
                        </select>
                    </div>
                    {fields}
                    <button class="button" type="submit">{t.read_again}</button>
                </Filter>
            </section>
        }
        .into_any(),
    )
}

fn first_rows(i: I18n, p: &RatingsPreview, judge: bool) -> Option<AnyView> {
    let (t, a) = (i.ratings_import(), i.admin());
    if p.first.is_empty() {
        return None;
    }
    let rows = p
        .first
        .iter()
        .map(|one| {
            let scores = whole_scores(i, &[], &one.scores, Names::Full);
            let rater = (!judge).then(|| view! { <td role="cell" data-label=t.rater>{one.rater.clone()}</td> });
            view! {
                <tr role="row">
                    <th role="rowheader" scope="row" data-label=t.line class="num">{i.number(one.line)}</th>
                    <td role="cell" data-label=a.task>{one.task_id.clone()}</td>
                    <td role="cell" data-label=i.comparison().model>{one.model.clone()}</td>
                    {rater}
                    <td role="cell" data-label=t.scores class="num">{scores}</td>
                </tr>
            }
        })
        .collect_view();
    let rater = (!judge).then(|| view! { <th role="columnheader" scope="col">{t.rater}</th> });
    Some(
        view! {
            <section class="stack" aria-labelledby="first-rows">
                <h2 id="first-rows">{t.first}</h2>
                <div class="table-box list-box"><table class="table list" role="table">
                    <caption class="visually-hidden">{t.first}</caption>
                    <thead role="rowgroup">
                        <tr role="row">
                            <th role="columnheader" scope="col" class="num">{t.line}</th>
                            <th role="columnheader" scope="col">{a.task}</th>
                            <th role="columnheader" scope="col">{i.comparison().model}</th>
                            {rater}
                            <th role="columnheader" scope="col" class="num">{t.scores}</th>
                        </tr>
                    </thead>
                    <tbody role="rowgroup">{rows}</tbody>
                </table></div>
            </section>
        }
        .into_any(),
    )
}

fn import_form(
    i: I18n,
    upload: UploadId,
    p: &RatingsPreview,
    reading: RatingsReading,
    import: FormAction<ImportRatings>,
) -> impl IntoView + use<> {
    let t = i.ratings_import();
    let good = p.problem_count == 0;
    let ratings = i.number(p.ratings);
    let (lead, label, hint) = match reading.judge {
        true => (t.import_judge_lead, t.judge_name, Some(t.judge_name_hint)),
        false => (t.import_people_lead, t.title, None),
    };
    let again = format!("/admin/upload/ratings?dataset={}", reading.dataset);
    let columns = reading.columns.into_iter();
    let columns = columns
        .map(|(own, theirs)| view! { <input type="hidden" name=format!("columns[{own}]") value=theirs/> })
        .collect_view();
    view! {
        <section class="card stack" aria-labelledby="import">
            <h2 id="import">{t.import}</h2>
            <p>{lead}</p>
            <ActionForm action=import attr:class="stack form">
                <input type="hidden" name="upload" value=upload.to_string()/>
                <input type="hidden" name="dataset" value=reading.dataset/>
                {reading.judge.then(|| view! { <input type="hidden" name="judge" value="true"/> })}
                {columns}
                <div class="field">
                    <label class="label" for="import-name">{label}</label>
                    <input class="input" id="import-name" name="name" required maxlength="200" autocomplete="off" disabled=!good/>
                    {hint.map(|hint| view! { <p class="hint">{hint}</p> })}
                </div>
                <button class="button primary" type="submit" disabled=move || !good || import.pending().get()>
                    {(t.import_button)(&ratings)}
                </button>
            </ActionForm>
            <FormError of=move || import.value().get().and_then(Result::err)/>
            <p><a href=again>{t.other_file}</a></p>
        </section>
    }
}
