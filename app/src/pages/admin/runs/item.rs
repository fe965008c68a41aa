//! `/admin/runs/:id/outputs/:output`: what came of one output, with all that is known.

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use super::verdict;
use crate::{
    error::AppError,
    i18n::{I18n, use_i18n},
    model::{
        code::{Line, Run},
        ids::{OutputId, RunId},
        lang::Lang,
        run::{ItemDetail, Outcome},
    },
    pages::admin::parts::param,
    rpc::runs::{RunAgain, run_item},
    ui::{
        code::Listing,
        frame::Page,
        load::Load,
        notice::{Badge, Notice, Tone},
    },
};

/// One output of a run.
#[component]
pub fn RunItemPage() -> impl IntoView {
    let i = use_i18n();
    let params = use_params_map();
    let ids = Memo::new(move |_| Some((RunId(param(params, "id")?), OutputId(param(params, "output")?))));
    let again = ServerAction::<RunAgain>::new();
    let data = Resource::new(
        move || ids.get(),
        |ids| async move {
            match ids {
                Some((run, output)) => run_item(run, output).await,
                None => Err(AppError::NotFound("output".into())),
            }
        },
    );
    view! { <Load data let:detail>{page(i, detail, again)}</Load> }
}

fn page(i: I18n, detail: ItemDetail, again: ServerAction<RunAgain>) -> AnyView {
    let (t, a) = (i.runs(), i.admin());
    let ItemDetail { row, run, model_name, raw_nl, signature, code, outcome, fault } = detail;
    let title = (a.output_of)(&model_name, &row.task_id);
    let back = format!("/admin/runs/{run}");
    let ended = outcome.is_some() || fault.is_some();
    view! {
        <Page title crumbs=vec![("/admin/runs".into(), t.runs.into()), (back, model_name)]>
            <div class="task">
                <p class="task-text" lang=Lang::detect(&raw_nl).tag()>{raw_nl.clone()}</p>
                {signature.map(|s| view! { <p class="task-signature"><code translate="no">{s}</code></p> })}
            </div>
            {fault.map(|fault| view! { <Notice tone=Tone::Care><p>{t.engine_failed}</p><p>{fault}</p></Notice> })}
            {outcome.map(|outcome| result(i, outcome))}
            <section class="stack" aria-labelledby="text">
                <h2 id="text">{t.model_text}</h2>
                <Listing lines=plain(&code) label=t.model_text/>
            </section>
            {ended.then(|| view! {
                <ActionForm action=again>
                    <input type="hidden" name="id" value=run.to_string()/>
                    <input type="hidden" name="output" value=row.output.to_string()/>
                    <button class="button" type="submit">{t.again}</button>
                </ActionForm>
            })}
        </Page>
    }
    .into_any()
}

fn result(i: I18n, o: Outcome) -> AnyView {
    let t = i.runs();
    let mib = o.memory_kib / 1024;
    let cases = (!o.cases.is_empty()).then(|| {
        let rows = o.cases.into_iter().map(|case| {
            let tone = if case.passed { Tone::Good } else { Tone::Bad };
            let word = if case.passed { i.common.yes } else { i.common.no };
            view! {
                <tr><th scope="row">{case.name}</th><td><Badge tone>{word}</Badge></td><td translate="no">{case.detail}</td></tr>
            }
        });
        let rows = rows.collect_view();
        view! {
            <div class="table-box" role="group" aria-label=t.cases tabindex="0"><table class="table">
                <caption class="visually-hidden">{t.cases}</caption>
                <thead><tr><th scope="col">{t.case}</th><th scope="col">{t.passed_cases}</th><th scope="col">{t.why}</th></tr></thead>
                <tbody>{rows}</tbody>
            </table></div>
        }
    });
    let at = move |line: Option<u32>| line.map(|line| format!("{} {line}: ", t.line)).unwrap_or_default();
    let diagnostics: Vec<String> = o.diagnostics.iter().map(|d| format!("{}{}", at(d.line), d.message)).collect();
    let changes: Vec<String> = o.changes.into_iter().map(|c| c.detail).collect();
    let flags: Vec<String> = o.flags.iter().map(|f| format!("{}{}", at(f.line), f.detail)).collect();
    view! {
        <p class="verdict">{verdict(i, o.verdict)}" "{t.verdict_meaning(o.verdict)}</p>
        {(!o.message.is_empty()).then(|| view! { <p translate="no">{o.message}</p> })}
        <dl class="facts">
            <div><dt>{t.passed_cases}</dt><dd>{format!("{}/{}", o.passed, o.total)}</dd></div>
            {o.limit.map(|limit| view! { <div><dt>{t.limit}</dt><dd>{t.limit_name(limit)}</dd></div> })}
            <div><dt>{t.cpu}</dt><dd>{format!("{} ms", i.number(o.cpu_ms.into()))}</dd></div>
            <div><dt>{t.clock_time}</dt><dd>{format!("{} ms", i.number(o.wall_ms.into()))}</dd></div>
            <div><dt>{t.memory}</dt><dd>{format!("{} MiB", i.number(mib.into()))}</dd></div>
        </dl>
        {cases}
        {list(t.flags, flags)}
        {list(t.compiler, diagnostics)}
        {list(t.changes, changes)}
        {text(t.printed, &o.printed)}
        {text(t.assembled, &o.source)}
    }
    .into_any()
}

fn list(title: &'static str, lines: Vec<String>) -> Option<impl IntoView> {
    (!lines.is_empty()).then(|| {
        let lines = lines.into_iter().map(|line| view! { <li translate="no">{line}</li> }).collect_view();
        view! { <section class="stack"><h2>{title}</h2><ul>{lines}</ul></section> }
    })
}

fn text(title: &'static str, text: &str) -> Option<impl IntoView + use<>> {
    (!text.trim().is_empty()).then(|| {
        let lines = plain(text);
        view! { <section class="stack"><h2>{title}</h2><Listing lines label=title/></section> }
    })
}

fn plain(text: &str) -> Vec<Line> {
    text.lines().map(|line| Line(vec![Run(String::new(), line.to_owned())])).collect()
}
