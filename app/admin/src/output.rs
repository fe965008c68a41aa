//! `/admin/outputs/:id`: one output with its task.

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use super::parts::{param, task_text};
use model::{code::visible, error::AppError, ids::OutputId, submission::OutputDetail};
use rpc::submissions::output;
use texts::I18n;
use ui::{
    code::CodeBox,
    context::use_i18n,
    frame::Page,
    load::{Data, Load},
};

/// An output.
#[component]
pub fn OutputPage() -> impl IntoView {
    let i = use_i18n();
    let params = use_params_map();
    let id = Memo::new(move |_| param(params, "id").map(OutputId));
    let data = Data::new(
        move || id.get(),
        |id| async move {
            match id {
                Some(id) => output(id).await,
                None => Err(AppError::NotFound("output".into())),
            }
        },
    );
    view! { <Load data let:detail>{page(i, detail)}</Load> }
}

fn page(i: I18n, detail: OutputDetail) -> AnyView {
    let t = i.admin();
    let OutputDetail { row, model_name, task, code, conversation, reasoning } = detail;
    let title = (t.output_of)(&model_name, &row.task_id);
    let sample = (row.sample > 0).then(|| view! { <p class="muted">{(t.sample_n)(row.sample + 1)}</p> });
    view! {
        <Page title crumbs=vec![("/admin/submissions".into(), t.submissions.into())]>
            {sample}
            {task_text(i, task)}
            {conversation.map(|html| view! { <div inner_html=html></div> })}
            <CodeBox code/>
            {reasoning.map(|text| folded_reasoning(i, &text))}
        </Page>
    }
    .into_any()
}

/// A model's reasoning, folded: it is no part of what is graded.
pub fn folded_reasoning(i: I18n, text: &str) -> AnyView {
    let t = i.collections();
    view! {
        <details class="more">
            <summary>{t.reasoning}</summary>
            <p class="muted">{t.reasoning_hint}</p>
            <pre class="prompt-text" translate="no" tabindex="0">{visible(text).into_owned()}</pre>
        </details>
    }
    .into_any()
}
