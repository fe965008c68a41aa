//! The first outputs of an uploaded file, in the views in which raters see tasks and code.

use leptos::prelude::*;

use model::submission::PreviewOutput;
use texts::I18n;
use ui::{
    code::CodeBox,
    description::task_text,
    notice::{Notice, Tone},
};

/// The section with the outputs.
pub fn first_outputs(i: I18n, outputs: Vec<PreviewOutput>) -> AnyView {
    let t = i.uploads();
    let content = match outputs.is_empty() {
        true => view! { <p class="muted">{t.first_none}</p> }.into_any(),
        false => view! {
            <p class="muted">{t.first_lead}</p>
            {outputs.into_iter().map(|shown| output(i, shown)).collect_view()}
        }
        .into_any(),
    };
    view! {
        <section class="stack" aria-labelledby="first-outputs">
            <h2 id="first-outputs">{t.first}</h2>
            {content}
        </section>
    }
    .into_any()
}

fn output(i: I18n, shown: PreviewOutput) -> AnyView {
    let t = i.uploads();
    let PreviewOutput { line, task, code, masked } = shown;
    let heading = (t.output_heading)(line, &task.task_id);
    let (of, of_masked) = (heading.clone(), format!("{heading}, {}", t.names_masked));
    let signature = i.admin().signature;
    let above = view! { <h4 class="eyebrow">{signature}</h4> }.into_any();
    let text = task_text(task.nl_lang, &task.raw_nl, task.signature, signature, above);
    let masked = masked.map(|code| {
        view! {
            <Notice tone=Tone::Care><p>{t.names_seen}</p></Notice>
            <details class="finding masked">
                <summary>{t.names_masked}</summary>
                <CodeBox code of=of_masked/>
            </details>
        }
    });
    view! {
        <article class="card stack first-output">
            <h3>{heading}</h3>
            <div class="task">{text}</div>
            <CodeBox code of/>
            {masked}
        </article>
    }
    .into_any()
}
