//! One task of two runs: the code of both models, side by side.

use leptos::prelude::*;

use super::{
    compare::{names, side},
    verdicts::{explanation, fault},
};
use model::{
    address::query_value,
    ids::RunId,
    lang::Lang,
    run_pair::{PairCode, PairFocus, PairOutput, RunPairPage},
};
use texts::I18n;
use ui::code::CodeBox;

/// The task named in the address. Empty if it names none.
pub fn view(i: I18n, RunPairPage { pair, tasks }: RunPairPage) -> AnyView {
    let t = i.runs();
    let [left, right] = names(i, &pair.a, &pair.b);
    let (a, b) = (pair.a.id, pair.b.id);
    let Some(focus) = pair.focus else { return ().into_any() };
    let PairFocus { task_id, raw_nl, signature, a: code_a, b: code_b, previous, next } = focus;
    let (samples_a, samples_b) = tasks.rows.into_iter().next().map(|row| (row.a, row.b)).unwrap_or_default();
    let to = move |task: &str| format!("/admin/runs/compare?a={a}&b={b}&task={}", query_value(task));
    let previous = previous.map(|task| {
        view! { <a class="button" href=to(&task) rel="prev">{format!("← {}: {task}", t.previous_difference)}</a> }
    });
    let next = next.map(|task| {
        view! { <a class="button" href=to(&task) rel="next">{format!("{}: {task} →", t.next_difference)}</a> }
    });
    view! {
        <section class="stack" aria-labelledby="beside">
            <h2 id="beside">{i.admin().task}" "{task_id}</h2>
            <nav class="ways" aria-label=t.neighbors>
                <a class="button" href=format!("/admin/runs/compare?a={a}&b={b}")>{t.to_all_tasks}</a>
                {previous}
                {next}
            </nav>
            <div class="task-box">
                <p class="nl-text" lang=Lang::detect(&raw_nl).tag()>{raw_nl.clone()}</p>
                {signature.map(|s| view! { <p class="task-signature"><code translate="no">{s}</code></p> })}
            </div>
            <div class="outputs-beside">
                {one(i, a, left, &samples_a, code_a)}
                {one(i, b, right, &samples_b, code_b)}
            </div>
        </section>
    }
    .into_any()
}

fn one(i: I18n, run: RunId, name: String, samples: &[PairOutput], code: Option<PairCode>) -> impl IntoView + use<> {
    let t = i.runs();
    let result = side(i, run, samples);
    let of = name.clone();
    let code = code.map(|code| {
        view! {
            {code.fault.map(|why| view! { <div class="small">{fault(i, &why)}</div> })}
            {explanation(i, code.reason.as_ref(), &code.message, Some("small"))}
            <CodeBox code=code.code of/>
            <p><a href=format!("/admin/runs/{run}/outputs/{}", code.output)>{t.open_output}</a></p>
        }
    });
    view! {
        <article class="output">
            <h3>{name}</h3>
            <p>{result}</p>
            {code}
        </article>
    }
}
