//! `/admin/runs/:id/outputs/:output`: one output's result with all details.

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use super::{
    live::Live,
    verdicts::{explanation, fault, item_result},
};
use crate::parts::{FormError, param};
use model::{
    code::{Line, Run, visible},
    error::AppError,
    ids::{OutputId, RunId},
    lang::Lang,
    published::differ,
    run::{CaseResult, ItemDetail, ItemState, Neighbor, Origin, Outcome, SourceLine, Verdict},
};
use rpc::runs::{RunAgain, run_item};
use texts::I18n;
use ui::{
    code::Listing,
    context::use_i18n,
    description::description,
    effect::effect,
    form::{ActionForm, FormAction},
    frame::Page,
    load::{Data, Load},
    notice::{Notice, Tone},
    verdict::{self, other_verdict, their_verdict, verdict},
};

/// One output of a run. While it is being run (again), the browser listens, and then shows the result.
#[component]
pub fn RunItemPage() -> impl IntoView {
    let i = use_i18n();
    let params = use_params_map();
    let ids = Memo::new(move |_| Some((RunId(param(params, "id")?), OutputId(param(params, "output")?))));
    let again = FormAction::<RunAgain>::new();
    let data = Data::new(
        move || (ids.get(), again.version().get()),
        |(ids, _)| async move {
            match ids {
                Some((run, output)) => run_item(run, output).await,
                None => Err(AppError::NotFound("output".into())),
            }
        },
    );
    let live = Live::new();
    effect(move |_| {
        let open = |d: &ItemDetail| matches!(d.row.state, ItemState::Waiting | ItemState::Leased);
        if let Some(detail) = data.get().and_then(Result::ok).filter(open) {
            live.listen(detail.run, move || data.refetch());
        }
    });
    view! { <Load data let:detail>{page(i, detail, again)}</Load> }
}

fn page(i: I18n, detail: ItemDetail, again: FormAction<RunAgain>) -> AnyView {
    let (t, a) = (i.runs(), i.admin());
    let d = detail;
    let title = (a.output_of)(&d.model_name, &d.row.task_id);
    let back = format!("/admin/runs/{}", d.run);
    let crumbs = vec![("/admin/runs".into(), t.runs.into()), (back, (t.run_of)(&d.model_name, d.run))];
    let ended = d.outcome.is_some() || d.fault.is_some();
    let (run, output) = (d.run.to_string(), d.row.output.to_string());
    let neighbors = neighbors(i, d.run, d.previous, d.next);
    let state = d.outcome.is_none().then(|| view! { <p>{item_result(i, d.row.state, None, None)}</p> });
    view! {
        <Page title crumbs actions=move || neighbors.clone().into_view()>
            <div class="task-box">
                {description("nl-text", Lang::detect(&d.raw_nl).tag(), &d.raw_nl)}
                {d.signature.map(|s| view! { <p class="task-signature"><code translate="no">{s}</code></p> })}
            </div>
            <p class="small item-links">
                <a href=format!("/admin/submissions/{}", d.submission)>{t.submission}" "{d.submission.to_string()}</a>
                <a href=format!("/admin/outputs/{}", d.row.output)>{t.output_page}</a>
                <a href=format!("/admin/datasets/{}", d.dataset)>{d.dataset.clone()}</a>
                {(d.row.sample > 0).then(|| view! { <span>{(a.sample_n)(d.row.sample + 1)}</span> })}
                {d.row.cached.then(|| view! { <span class="muted">{t.cached_short}</span> })}
            </p>
            {d.fault.map(|why| view! { <Notice tone=Tone::Care><p>{t.engine_failed}</p>{fault(i, &why)}</Notice> })}
            {d.mixed.then(|| view! { <Notice tone=Tone::Care><p>{t.mixed_one}</p></Notice> })}
            {state}
            {d.row.theirs.map(|passed| view! { <p>{t.their_verdict}{i.common.colon}{their_verdict(i, passed)}</p> })}
            {d.outcome.map(|outcome| result(i, outcome, d.listing))}
            <section class="stack" aria-labelledby="text">
                <h2 id="text">{t.model_text}</h2>
                <div class="code-box"><Listing lines=d.text label=t.model_text/></div>
            </section>
            {ended.then(|| view! {
                <ActionForm action=again>
                    <input type="hidden" name="id" value=run/>
                    <input type="hidden" name="output" value=output/>
                    <button class="button" type="submit" disabled=move || again.pending().get()>{t.again}</button>
                </ActionForm>
            })}
            <FormError of=move || again.value().get().and_then(Result::err)/>
        </Page>
    }
    .into_any()
}

/// Links to the previous and next outputs.
#[derive(Clone)]
struct Ways(Vec<(String, String, &'static str)>, &'static str);

impl Ways {
    fn into_view(self) -> impl IntoView {
        let links =
            self.0.into_iter().map(|(href, text, rel)| view! { <a class="button" href=href rel=rel>{text}</a> });
        view! { <nav class="ways" aria-label=self.1>{links.collect_view()}</nav> }
    }
}

fn neighbors(i: I18n, run: RunId, previous: Option<Neighbor>, next: Option<Neighbor>) -> Ways {
    let t = i.runs();
    let way = |n: Neighbor, text: String, rel| (format!("/admin/runs/{run}/outputs/{}", n.output), text, rel);
    let before = previous.map(|n| {
        let text = format!("← {} {}", t.previous, n.task_id);
        way(n, text, "prev")
    });
    let after = next.map(|n| {
        let text = format!("{} {} →", t.next, n.task_id);
        way(n, text, "next")
    });
    Ways(before.into_iter().chain(after).collect(), t.neighbors)
}

fn result(i: I18n, o: Outcome, listing: Vec<SourceLine>) -> AnyView {
    let t = i.runs();
    let mib = o.memory_kib / 1024;
    let at = move |line: Option<u32>| line.map(|line| format!("{} {line}: ", t.line)).unwrap_or_default();
    let java = i.lang.pick(None, Some("en"));
    let diagnostics = o.diagnostics.iter().map(|d| (at(d.line), d.message.clone(), java)).collect();
    let changes = o.changes.iter().map(|change| (String::new(), t.change(change), None)).collect();
    let flags = o.flags.iter().map(|flag| (at(flag.line), t.sign(&flag.sign), None)).collect();
    let odd = o.verdict == Verdict::Anomaly;
    let differs = differ(o.published.as_ref().map(|published| published.verdict), Some(o.verdict));
    let difference = differs.then(|| t.difference(o.reason.as_ref()));
    let printed = (!o.printed.trim().is_empty()).then(|| {
        view! {
            <section class="stack" aria-labelledby="printed">
                <h2 id="printed">{t.printed}</h2>
                <div class="code-box"><Listing lines=plain(&o.printed) label=t.printed/></div>
            </section>
        }
    });
    view! {
        <section class="verdict-line" aria-label=t.verdict>
            <p><strong>{verdict(i, o.verdict)}</strong>" "{t.verdict_meaning(o.verdict)}</p>
            {explanation(i, o.reason.as_ref(), &o.message, None)}
        </section>
        {odd.then(|| view! { <Notice tone=Tone::Care><p>{t.anomaly_hint}</p></Notice> })}
        <dl class="facts">
            <div><dt>{t.passed_cases}</dt><dd>{format!("{}/{}", o.passed, o.total)}</dd></div>
            {o.published.map(|published| {
                // The evaluator's words may begin with its verdict.
                let reason = published.reason.strip_prefix("failed: ").unwrap_or(&published.reason).to_owned();
                view! {
                    <div><dt>{t.published}</dt><dd>
                        {other_verdict(i, published.verdict)}
                        {(!reason.is_empty()).then(|| view! { ": "<span translate="no" lang="en">{reason}</span> })}
                        {difference.map(|why| view! { <p>{why}</p> })}
                    </dd></div>
                }
            })}
            {o.limit.map(|limit| view! { <div><dt>{t.limit}</dt><dd>{t.limit_name(limit)}</dd></div> })}
            <div><dt>{t.cpu}</dt><dd>{format!("{} ms", i.number(o.cpu_ms.into()))}</dd></div>
            <div><dt>{t.clock_time}</dt><dd>{format!("{} ms", i.number(o.wall_ms.into()))}</dd></div>
            <div><dt>{t.memory}</dt><dd>{format!("{} MiB", i.number(mib.into()))}</dd></div>
        </dl>
        {cases(i, o.cases)}
        {list(t.flags, flags)}
        {list(t.compiler, diagnostics)}
        {list(t.changes, changes)}
        {printed}
        {assembled(i, listing)}
    }
    .into_any()
}

fn cases(i: I18n, cases: Vec<CaseResult>) -> Option<impl IntoView> {
    let t = i.runs();
    // The test harness says why in English.
    let lang = i.lang.pick(None, Some("en"));
    (!cases.is_empty()).then(|| {
        let rows = cases.into_iter().map(|case| {
            let passed = verdict::case(i, case.passed);
            view! {
                <tr><th scope="row" translate="no">{case.name}</th><td>{passed}</td><td translate="no" lang=lang class="case-why">{case.detail}</td></tr>
            }
        });
        view! {
            <div class="table-box" role="group" aria-label=t.cases tabindex="0"><table class="table">
                <caption class="visually-hidden">{t.cases}</caption>
                <thead><tr><th scope="col">{t.case}</th><th scope="col">{t.case_passed}</th><th scope="col">{t.why}</th></tr></thead>
                <tbody>{rows.collect_view()}</tbody>
            </table></div>
        }
    })
}

/// A list of texts, each with what stands before it and its language where that is not the page's.
fn list(title: &'static str, lines: Vec<(String, String, Option<&'static str>)>) -> Option<impl IntoView> {
    (!lines.is_empty()).then(|| {
        let line = |(before, text, lang): (String, String, Option<&'static str>)| {
            view! { <li translate="no">{before}<span lang=lang>{visible(&text).into_owned()}</span></li> }
        };
        let lines = lines.into_iter().map(line).collect_view();
        view! { <section class="stack"><h2>{title}</h2><ul class="plain-list said-list">{lines}</ul></section> }
    })
}

/// The compiled source, each line with the model's own line number, and the compiler's messages and warnings
/// below it.
fn assembled(i: I18n, listing: Vec<SourceLine>) -> Option<impl IntoView> {
    let t = i.runs();
    (!listing.is_empty()).then(|| {
        let lines = listing.into_iter().map(|line| {
            let (class, number, was) = match line.origin {
                Origin::Added => ("source-line source-added", String::new(), None),
                Origin::Same(n) => ("source-line", n.to_string(), None),
                Origin::Changed(n, was) => ("source-line source-changed", n.to_string(), Some(was)),
            };
            let runs = line.code.0.into_iter().map(|run| {
                let class = (!run.0.is_empty()).then(|| format!("tok-{}", run.0));
                view! { <span class=class>{run.1}</span> }
            });
            let note = |class: &'static str, text: String, lang: Option<&'static str>| {
                view! { <span class=class lang=lang>{text}"\n"</span> }
            };
            let was = was.map(|was| note("source-note", format!("{} {}", t.changed_from, was.trim()), None));
            let java = i.lang.pick(None, Some("en"));
            let messages = line.messages.into_iter().map(|m| note("source-note source-wrong", m, java)).collect_view();
            let flags =
                line.flags.iter().map(|sign| note("source-note source-flag", t.sign(sign), None)).collect_view();
            view! { <span class=class data-line=number>{runs.collect_view()}"\n"</span>{was}{messages}{flags} }
        });
        let lines = lines.collect_view();
        view! {
            <section class="stack" aria-labelledby="assembled">
                <h2 id="assembled">{t.assembled}</h2>
                <p class="muted small">{t.assembled_hint}</p>
                <div class="code-box"><div class="code source" tabindex="0" role="group" aria-label=t.assembled>
                    <pre translate="no"><code>{lines}</code></pre>
                </div></div>
            </section>
        }
    })
}

fn plain(text: &str) -> Vec<Line> {
    text.lines().map(|line| Line(vec![Run(String::new(), line.to_owned())])).collect()
}
