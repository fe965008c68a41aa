//! `/admin/runs/:id`: one run: figures, verdicts, every output.

use std::sync::Arc;

use leptos::{
    prelude::*,
    wasm_bindgen::{JsCast, closure::Closure},
    web_sys,
};
use leptos_router::hooks::{use_params_map, use_query_map};

use super::{percent, status, verdict};
use crate::{
    error::AppError,
    i18n::{I18n, use_i18n},
    model::{
        ids::RunId,
        lang::Lang,
        run::{ItemRow, ItemState, RunDetail, RunProgress, RunStatus, Verdict},
    },
    pages::admin::parts::{Filter, asked, choice, holds, param, progress},
    rpc::runs::{CancelRun, run},
    ui::{
        chart,
        frame::Page,
        load::Load,
        notice::{Badge, Empty, Notice, Tone},
    },
};

/// A run. While it is at work the browser listens to its progress, and asks for everything again
/// when it is at its end.
#[component]
pub fn RunPage() -> impl IntoView {
    let i = use_i18n();
    let params = use_params_map();
    let id = Memo::new(move |_| param(params, "id").map(RunId));
    let cancel = ServerAction::<CancelRun>::new();
    let data = Resource::new(
        move || (id.get(), cancel.version().get()),
        |(id, _)| async move {
            match id {
                Some(id) => run(id).await,
                None => Err(AppError::NotFound("run".into())),
            }
        },
    );
    let heard = RwSignal::new(None::<RunProgress>);
    Effect::new(move |_| {
        let at_work = data.get().and_then(Result::ok).filter(|d| d.row.status == RunStatus::Running);
        if let Some(detail) = at_work {
            listen(detail.row.id, heard, move || data.refetch());
        }
    });
    view! { <Load data let:detail>{page(i, detail, cancel, heard)}</Load> }
}

/// Listens until the run is at its end; then calls `over`.
fn listen(run: RunId, heard: RwSignal<Option<RunProgress>>, over: impl Fn() + 'static) {
    let Ok(source) = web_sys::EventSource::new(&format!("/admin/runs/{run}/progress")) else { return };
    let hear = move |event: &web_sys::MessageEvent| {
        let text = event.data().as_string().unwrap_or_default();
        if let Ok(progress) = serde_json::from_str(&text) {
            heard.try_set(Some(progress));
        }
    };
    let on_message = Closure::<dyn FnMut(_)>::new(move |event: web_sys::MessageEvent| hear(&event));
    source.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    let ending = source.clone();
    let on_end = Closure::<dyn FnMut(_)>::new(move |event: web_sys::MessageEvent| {
        ending.close();
        hear(&event);
        over();
    });
    let _ = source.add_event_listener_with_callback("end", on_end.as_ref().unchecked_ref());
    // The browser calls them as long as the source is open; a page left behind closes it.
    on_message.forget();
    on_end.forget();
    let source = StoredValue::new_local(source);
    on_cleanup(move || {
        let _ = source.try_with_value(web_sys::EventSource::close);
    });
}

/// The bar, as last heard of, with the time left.
fn so_far(i: I18n, done: u32, items: u32, heard: RwSignal<Option<RunProgress>>) -> impl IntoView {
    move || {
        let now = heard.get();
        let (done, items) = now.map_or((done, items), |p| (p.done, p.items));
        let left = now.and_then(|p| p.left_s.filter(|_| p.status == RunStatus::Running));
        let left = left.map(
            |s| view! { <p class="muted">{i.runs().left}" "{(i.admin().minutes)((s / 60).into(), (s % 60).into())}</p> },
        );
        view! { {progress(i, done.into(), items.into())}{left} }
    }
}

fn page(i: I18n, detail: RunDetail, cancel: ServerAction<CancelRun>, heard: RwSignal<Option<RunProgress>>) -> AnyView {
    let (t, a) = (i.runs(), i.admin());
    let RunDetail { row, environment, pass_at, fault, verdicts, cached, items } = detail;
    let id = row.id;
    let actions = move || {
        view! {
            <a class="button" href=format!("/admin/runs/{id}/results.csv") download="">{t.export_csv}</a>
            <a class="button" href=format!("/admin/runs/{id}/results.jsonl") download="">{t.export_jsonl}</a>
        }
    };
    let m = row.metrics;
    let odd = (m.ratio_sum - m.ratio_sum_clamped).abs() > 1e-9;
    let clamped = odd.then(|| {
        let figures = format!("{:.4}, {} ", m.ratio_sum_clamped, percent(m.ratio_mean_clamped));
        view! { <span class="muted">" · "{figures}{t.clamped}</span> }
    });
    let more = pass_at.into_iter().skip(1).map(|p| {
        view! { <div><dt>{format!("pass@{}", p.k)}</dt><dd>{percent(p.value)}</dd></div> }
    });
    let more = more.collect_view();
    let running = row.status == RunStatus::Running;
    view! {
        <Page title=row.model_name.clone() crumbs=vec![("/admin/runs".into(), t.runs.into())] actions>
            {fault.map(|fault| view! { <Notice tone=Tone::Bad><p>{fault}</p></Notice> })}
            {(row.failed > 0).then(|| view! {
                <Notice tone=Tone::Care><p>{i.number(row.failed.into())}": "{t.engine_failed}</p></Notice>
            })}
            <dl class="facts">
                <div><dt>{a.dataset}</dt><dd>
                    <a href=format!("/admin/datasets/{}", row.dataset)>{row.dataset.clone()}</a>
                    " "<span class="muted">{(a.version_n)(row.number)}</span>
                </dd></div>
                <div><dt>{a.submissions}</dt><dd>
                    <a href=format!("/admin/submissions/{}", row.submission)>{row.submission.to_string()}</a>
                </dd></div>
                <div><dt>{t.state}</dt><dd>{status(i, row.status)}</dd></div>
                <div><dt>{t.started}</dt><dd>{i.time(row.created_at)}</dd></div>
                <div><dt>"pass@1"</dt><dd>
                    {percent(m.pass_at_1)}
                    " "<span class="muted">{(i.common.of)(m.solved.into(), m.tasks.into())}</span>
                </dd></div>
                {more}
                <div><dt>{t.ratio}</dt><dd>{format!("{:.4}, {}", m.ratio_sum, percent(m.ratio_mean))}{clamped}</dd></div>
            </dl>
            {so_far(i, row.done, row.items, heard)}
            {(cached > 0).then(|| view! { <p class="muted">{i.number(cached.into())}" "{t.cached}</p> })}
            {running.then(|| view! {
                <ActionForm action=cancel>
                    <input type="hidden" name="id" value=id.to_string()/>
                    <button class="button" type="submit">{t.cancel}</button>
                </ActionForm>
            })}
            {chart_of(i, &verdicts)}
            <Items run=id items/>
            <details class="said">
                <summary>{t.environment}</summary>
                <p>{format!(
                    "Java {}; {}; {}; {}; {}",
                    environment.java, environment.time_zone, environment.locale, environment.encoding, environment.limits
                )}</p>
            </details>
        </Page>
    }
    .into_any()
}

/// How often each verdict came, as one bar with its figures beside it.
fn chart_of(i: I18n, verdicts: &[(Verdict, u32)]) -> impl IntoView + use<> {
    let t = i.runs();
    let part = |&(v, count): &(Verdict, u32)| chart::Part {
        size: count.into(),
        name: t.verdict_name(v).into(),
        tip: format!("{}: {count}", t.verdict_name(v)),
    };
    let whole: u64 = verdicts.iter().map(|(_, n)| u64::from(*n)).sum();
    let bar =
        chart::Bar { label: t.every_verdict.into(), note: i.number(whole), parts: verdicts.iter().map(part).collect() };
    let said: Vec<String> =
        verdicts.iter().filter(|(_, n)| *n > 0).map(|(v, n)| format!("{}: {n}", t.verdict_name(*v))).collect();
    let head = chart::Head { id: "verdicts", title: t.every_verdict, desc: &said.join(", ") };
    let svg = chart::stacked_bars(&head, i.runs().waiting, &[bar]);
    let rows = verdicts
        .iter()
        .filter(|(_, n)| *n > 0)
        .map(|(v, n)| {
            view! { <tr><th scope="row">{verdict(i, *v)}" "{t.verdict_meaning(*v)}</th><td class="num">{i.number((*n).into())}</td></tr> }
        })
        .collect_view();
    view! {
        <figure class="picture">
            <figcaption>{t.every_verdict}</figcaption>
            <div class="canvas" inner_html=svg></div>
            <div class="table-box" role="group" aria-label=t.every_verdict tabindex="0">
                <table class="table counts">
                    <caption class="visually-hidden">{t.every_verdict}</caption>
                    <thead><tr><th scope="col">{t.verdict}</th><th scope="col" class="num">{i.admin().outputs}</th></tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </figure>
    }
}

/// The outputs, with a filter that lives in the address.
#[component]
fn Items(
    /// The run.
    run: RunId,
    /// Every output.
    items: Vec<ItemRow>,
) -> impl IntoView {
    let i = use_i18n();
    let (t, a) = (i.runs(), i.admin());
    let query = use_query_map();
    let read = move |key: &str| asked(query, key);
    let all = items.len() as u64;
    let items = Arc::new(items);
    let found = Memo::new(move |_| {
        let (text, wanted) = (read("q"), read("verdict"));
        let fits = |o: &&ItemRow| {
            holds(&format!("{} {}", o.task_id, o.raw_nl), &text)
                && (wanted.is_empty() || o.verdict.is_some_and(|v| v.name() == wanted))
        };
        items.iter().filter(fits).cloned().collect::<Vec<_>>()
    });
    let choices = Verdict::ALL.map(|v| choice(query, "verdict", v.name(), t.verdict_name(v))).collect_view();
    view! {
        <section aria-labelledby="outputs">
            <h2 id="outputs">{a.outputs}</h2>
            <Filter search=true>
                <div class="field">
                    <label class="label" for="filter-q">{a.filter_text}</label>
                    <input class="input" id="filter-q" type="search" name="q" value=move || read("q")/>
                </div>
                <div class="field">
                    <label class="label" for="filter-verdict">{t.verdict}</label>
                    <select class="input" id="filter-verdict" name="verdict"><option value="">{a.any}</option>{choices}</select>
                </div>
                <button class="button" type="submit">{a.filter}</button>
                <p class="filter-count" role="status">{move || (a.shown_of)(found.with(Vec::len) as u64, all)}</p>
            </Filter>
            {move || {
                let rows = found.get();
                if rows.is_empty() { view! { <Empty title=a.none_match/> }.into_any() } else { table(i, run, rows) }
            }}
        </section>
    }
}

fn table(i: I18n, run: RunId, rows: Vec<ItemRow>) -> AnyView {
    let (t, a) = (i.runs(), i.admin());
    let sampled = rows.iter().any(|r| r.sample > 0);
    let rows = rows.into_iter().map(|row| {
        let came_to = match (row.state, row.verdict) {
            (_, Some(v)) => verdict(i, v).into_any(),
            (ItemState::Failed, _) => view! { <Badge tone=Tone::Care>{t.engine_failed}</Badge> }.into_any(),
            (ItemState::Leased, _) => t.at_work.into_any(),
            _ => t.waiting.into_any(),
        };
        let lang = Lang::detect(&row.raw_nl).tag();
        view! {
            <tr role="row">
                <th role="rowheader" scope="row" data-label=a.task>
                    <a href=format!("/admin/runs/{run}/outputs/{}", row.output)>{row.task_id}</a>
                </th>
                {sampled.then(|| view! { <td role="cell" data-label=a.sample class="num">{row.sample + 1}</td> })}
                <td role="cell" data-label=a.description class="task-text" lang=lang>{row.raw_nl}</td>
                <td role="cell" data-label=t.verdict>{came_to}</td>
                <td role="cell" data-label=t.cases class="num">{format!("{}/{}", row.passed, row.total)}</td>
                <td role="cell" data-label=t.cpu class="num">{format!("{} ms", i.number(row.cpu_ms.into()))}</td>
                <td role="cell" data-label=t.flags class="num">{row.flags}</td>
            </tr>
        }
    });
    view! {
        <div class="table-box list-box"><table class="table list" role="table">
            <caption class="visually-hidden">{a.outputs}</caption>
            <thead role="rowgroup">
                <tr role="row">
                    <th role="columnheader" scope="col">{a.task}</th>
                    {sampled.then(|| view! { <th role="columnheader" scope="col" class="num">{a.sample}</th> })}
                    <th role="columnheader" scope="col">{a.description}</th>
                    <th role="columnheader" scope="col">{t.verdict}</th>
                    <th role="columnheader" scope="col" class="num">{t.cases}</th>
                    <th role="columnheader" scope="col" class="num">{t.cpu}</th>
                    <th role="columnheader" scope="col" class="num">{t.flags}</th>
                </tr>
            </thead>
            <tbody role="rowgroup">{rows.collect_view()}</tbody>
        </table></div>
    }
    .into_any()
}
