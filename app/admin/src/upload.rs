//! `/admin/upload?dataset=`: choose a dataset and a file of model outputs.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::{
    parts::asked,
    previous_uploads::{PreviousUploads, uploads_data},
    sending::{FileForm, Picker},
};
use model::{dataset::DatasetRow, page::PageOf};
use rpc::datasets::datasets;
use texts::I18n;
use ui::{
    context::use_i18n,
    frame::Page,
    load::{Data, Load},
    notice::Empty,
};

/// The form that uploads a file of outputs. Nothing is imported yet: the preview comes next.
#[component]
pub fn UploadPage() -> impl IntoView {
    let i = use_i18n();
    let t = i.admin();
    let query = use_query_map();
    let data = Data::new(|| (), |()| async { Ok(datasets(PageOf::first(PageOf::MOST)).await?.rows) });
    let (list, previous) = uploads_data();
    view! {
        <Page title=t.upload_outputs crumbs=vec![("/admin/submissions".into(), t.submissions.into())]>
        <p class="lead">{t.upload_lead}</p>
        <Load data let:rows>{form(i, rows, &asked(query, "dataset"))}</Load>
        <section class="stack" aria-labelledby="shapes">
            <h2 id="shapes">{t.shapes_head}</h2>
            <p>{t.shapes_lead}</p>
            <dl class="shapes">
                <div><dt>"AixBench"</dt><dd><code>"task_id"</code>", "<code>"raw_nl"</code>", "<code>"signature"</code>", "<code>"code"</code>", "<code>"end_by"</code></dd></div>
                <div><dt>"HumanEval-X"</dt><dd><code>"task_id"</code>", "<code>"generation"</code>", "<code>"prompt"</code></dd></div>
                <div><dt>"CodeIF-Bench"</dt><dd><code>"task_id"</code>", "<code>"completion"</code></dd></div>
                <div><dt>"Java"</dt><dd>{t.shape_classes}" "<code>"GenerateMethod12.java"</code></dd></div>
            </dl>
            <p>{i.uploads().other_tools}</p>
            <dl class="shapes">
                <div><dt>"human-eval"</dt><dd><code>"samples.jsonl"</code>", "<code>"samples.jsonl_results.jsonl"</code></dd></div>
                <div><dt>"EvalPlus"</dt><dd><code>"samples.jsonl"</code>", "<code>"*_eval_results.json"</code>", "<code>"HumanEval_0/0.py"</code></dd></div>
                <div><dt>"bigcode-evaluation-harness"</dt><dd><code>"generations_*.json"</code></dd></div>
                <div><dt>"lm-evaluation-harness"</dt><dd><code>"samples_*.jsonl"</code></dd></div>
                <div><dt>"Inspect"</dt><dd><code>"*.eval"</code>", "<code>"*.json"</code></dd></div>
                <div><dt>"MultiPL-E"</dt><dd><code>"*.results.json.gz"</code>", "<code>"*.json.gz"</code></dd></div>
                <div><dt>"OpenAI, Anthropic"</dt><dd>{i.uploads().batches}</dd></div>
                <div><dt>{i.uploads().tables}</dt><dd><code>"*.csv"</code>", "<code>"*.parquet"</code></dd></div>
            </dl>
            <p class="muted">{t.shapes_note}</p>
        </section>
        <PreviousUploads list data=previous/>
        </Page>
    }
}

fn form(i: I18n, rows: Vec<DatasetRow>, chosen: &str) -> AnyView {
    let t = i.admin();
    if rows.is_empty() {
        return no_dataset(i);
    }
    let dataset = dataset_field(i, "dataset".into(), rows, chosen);
    view! {
        <section class="card stack" aria-labelledby="upload-form">
            <h2 id="upload-form">{t.upload_form}</h2>
            <FileForm action="/admin/upload/submission" send=t.upload_button>
                {dataset}
                <Picker name="file" label=t.upload_file hint=t.upload_file_hint accept=".jsonl,.gz,.zst,.json,.txt,.zip,.tgz,.eval,.csv,.tsv,.parquet"/>
            </FileForm>
        </section>
    }
    .into_any()
}

/// Shown instead of such a form while there is no dataset.
pub fn no_dataset(i: I18n) -> AnyView {
    let t = i.admin();
    view! {
        <Empty title=t.upload_needs_dataset>
            <p><a class="button" href="/admin/datasets#import">{t.import_dataset}</a></p>
        </Empty>
    }
    .into_any()
}

/// The dataset field of an upload form.
pub fn dataset_field(i: I18n, name: String, rows: Vec<DatasetRow>, chosen: &str) -> AnyView {
    let t = i.admin();
    let options = rows
        .into_iter()
        .map(|row| {
            let text = format!("{} · {}", row.name.get(i.lang), (t.tasks_n)(row.tasks));
            let selected = row.slug == chosen;
            view! { <option value=row.slug selected=selected>{text}</option> }
        })
        .collect_view();
    view! {
        <div class="field">
            <label class="label" for="upload-dataset">{t.dataset}</label>
            <select class="input" id="upload-dataset" name=name required>{options}</select>
        </div>
    }
    .into_any()
}
