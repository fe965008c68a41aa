//! `/admin/submissions/:id`: one submission and its outputs.

use std::sync::Arc;

use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

use super::{
    engine::{EngineNotice, engine_data},
    parts::{Filter, FormError, asked, holds, param},
};
use crate::{
    error::AppError,
    i18n::{I18n, use_i18n},
    model::{
        ids::SubmissionId,
        lang::Lang,
        run::EngineReadiness,
        submission::{MaskState, OutputRow, SubmissionDetail},
    },
    rpc::{
        quality::{self, SetMask},
        runs::StartRun,
        submissions::submission,
    },
    ui::{
        form::{ActionForm, FormAction},
        frame::Page,
        load::{Data, Load},
        notice::{Badge, Empty, Notice, Tone},
    },
};

/// A submission.
#[component]
pub fn SubmissionPage() -> impl IntoView {
    let i = use_i18n();
    let params = use_params_map();
    let start = FormAction::<StartRun>::new();
    let id = Memo::new(move |_| param(params, "id").map(SubmissionId));
    let data = Data::new(
        move || id.get(),
        |id| async move {
            match id {
                Some(id) => submission(id).await,
                None => Err(AppError::NotFound("submission".into())),
            }
        },
    );
    let engine = engine_data();
    let mask = FormAction::<SetMask>::new();
    let masking = Data::new(
        move || (id.get(), mask.version().get()),
        |(id, _)| async move { quality::mask(id.ok_or_else(|| AppError::NotFound("submission".into()))?).await },
    );
    view! { <Load data let:detail>{page(i, detail, start, engine, mask, masking)}</Load> }
}

/// Names of models in the outputs, and whether raters get to see them.
fn masking_of(i: I18n, id: SubmissionId, state: MaskState, action: FormAction<SetMask>) -> AnyView {
    let t = i.quality();
    let MaskState { masked, telltales, telltale_count, .. } = state;
    let on = masked.is_some();
    let note = match masked {
        Some((by, at)) => {
            let by = by.map(|name| (t.masked_by)(&name, &i.time(at)));
            view! { <Notice tone=Tone::Good><p>{t.masked_note}" "{by}</p></Notice> }.into_any()
        }
        None if telltale_count > 0 => view! { <Notice tone=Tone::Care><p>{t.mask_note}</p></Notice> }.into_any(),
        None => view! { <p class="muted">{t.mask_none}</p> }.into_any(),
    };
    let more = telltale_count.saturating_sub(telltales.len() as u64);
    let places = telltales
        .into_iter()
        .map(|found| {
            let place = found.code_line.map_or_else(|| t.in_words.to_owned(), t.code_line);
            view! { <li>{found.task_id}", "{place}": "<code>{found.excerpt}</code></li> }
        })
        .collect_view();
    view! {
        <section class="stack" aria-labelledby="masking">
            <h2 id="masking">{t.masking}</h2>
            {note}
            {(telltale_count > 0).then(|| view! {
                <details class="finding">
                    <summary><h3>{(t.outputs_n)(telltale_count)}</h3></summary>
                    <ul class="places">{places}</ul>
                    {(more > 0).then(|| view! { <p class="muted">{(i.admin().and_more)(more)}</p> })}
                </details>
            })}
            {(on || telltale_count > 0).then(|| view! {
                <ActionForm action>
                    <input type="hidden" name="submission" value=id.to_string()/>
                    <input type="hidden" name="on" value=(!on).to_string()/>
                    <button class="button" type="submit" disabled=move || action.pending().get()>{if on { t.unmask } else { t.mask }}</button>
                </ActionForm>
            })}
            <FormError of=move || action.value().get().and_then(Result::err)/>
        </section>
    }
    .into_any()
}

fn page(
    i: I18n,
    detail: SubmissionDetail,
    start: FormAction<StartRun>,
    engine: Data<EngineReadiness>,
    mask: FormAction<SetMask>,
    masking: Data<MaskState>,
) -> AnyView {
    let t = i.admin();
    let SubmissionDetail { row, outputs } = detail;
    let study = format!("/admin/studies/new?dataset={}", row.dataset);
    view! {
        <Page
            title=row.model_name.clone()
            crumbs=vec![("/admin/submissions".into(), t.submissions.into())]
            actions=move || view! {
                <a class="button" href=study.clone()>{t.new_study}</a>
                <ActionForm action=start>
                    <input type="hidden" name="submission" value=row.id.to_string()/>
                    <button class="button primary" type="submit">{i.runs().start}</button>
                </ActionForm>
                {start_so(i, row.id, start)}
            }
        >
        <FormError of=move || start.value().get().and_then(Result::err)/>
        <EngineNotice data=engine/>
        <dl class="facts">
            <div><dt>{t.dataset}</dt><dd>
                <a href=format!("/admin/datasets/{}", row.dataset)>{row.dataset.clone()}</a>
                " "
                <span class="muted">{(t.version_n)(row.number)}</span>
            </dd></div>
            <div><dt>{t.file}</dt><dd class="file-name">{row.file.clone()}</dd></div>
            <div><dt>{t.outputs}</dt><dd>{i.number(row.outputs)}</dd></div>
            <div><dt>{t.tasks_answered}</dt><dd>{i.number(row.tasks)}</dd></div>
            <div><dt>{t.taken_at}</dt><dd>{i.time(row.created_at)}</dd></div>
        </dl>
        <Load data=masking let:state>{masking_of(i, row.id, state, mask)}</Load>
        <Outputs outputs/>
        </Page>
    }
    .into_any()
}

/// A run done otherwise than usual.
fn start_so(i: I18n, id: SubmissionId, action: FormAction<StartRun>) -> impl IntoView {
    let t = i.runs();
    let tick = |name: &'static str, label: &'static str, hint: &'static str| {
        let described = format!("{name}-hint");
        view! {
            <div>
                <label class="check">
                    <input type="checkbox" name=name value="true" aria-describedby=described.clone()/>
                    <span>{label}</span>
                </label>
                <p class="muted small" id=described>{hint}</p>
            </div>
        }
    };
    view! {
        <details class="confirm start-how">
            <summary class="button">{t.start_how}</summary>
            <div class="confirm-box">
                <ActionForm action attr:class="stack">
                    <input type="hidden" name="submission" value=id.to_string()/>
                    {tick("fast", t.start_fast, t.start_fast_hint)}
                    {tick("june_2022", t.start_dates, t.start_dates_hint)}
                    {tick("fresh", t.start_fresh, t.start_fresh_hint)}
                    <button class="button" type="submit">{t.start_now}</button>
                </ActionForm>
            </div>
        </details>
    }
}

/// The outputs, with a filter that lives in the address.
#[component]
fn Outputs(
    /// Every output.
    outputs: Vec<OutputRow>,
) -> impl IntoView {
    let i = use_i18n();
    let t = i.admin();
    let query = use_query_map();
    let read = move |key: &str| asked(query, key);
    let all = outputs.len() as u64;
    let sampled = outputs.iter().any(|o| o.sample > 0);
    let outputs = Arc::new(outputs);
    let found = Memo::new(move |_| {
        let (text, only_empty) = (read("q"), read("empty") == "1");
        let fits = |o: &&OutputRow| holds(&format!("{} {}", o.task_id, o.raw_nl), &text) && (!only_empty || o.empty);
        outputs.iter().filter(fits).cloned().collect::<Vec<_>>()
    });
    view! {
        <section class="stack" aria-labelledby="outputs">
            <h2 id="outputs">{t.outputs}</h2>
            <Filter search=true>
                <div class="field">
                    <label class="label" for="filter-q">{t.filter_text}</label>
                    <input class="input" id="filter-q" type="search" name="q" value=move || read("q") prop:value=move || read("q")/>
                </div>
                <label class="check">
                    <input type="checkbox" name="empty" value="1" checked=move || read("empty") == "1" prop:checked=move || read("empty") == "1"/>
                    {t.only_empty}
                </label>
                <button class="button" type="submit">{t.filter}</button>
                <p class="filter-count" role="status">{move || (t.shown_of)(found.with(Vec::len) as u64, all)}</p>
            </Filter>
            {move || {
                let rows = found.get();
                if rows.is_empty() {
                    view! { <Empty title=t.none_match/> }.into_any()
                } else {
                    table(i, rows, sampled)
                }
            }}
        </section>
    }
}

fn table(i: I18n, rows: Vec<OutputRow>, sampled: bool) -> AnyView {
    let t = i.admin();
    let rows = rows.into_iter().map(|row| {
        let lang = Lang::detect(&row.raw_nl).tag();
        view! {
            <tr role="row">
                <th role="rowheader" scope="row" data-label=t.task>
                    <a href=format!("/admin/outputs/{}", row.id)>{row.task_id}</a>
                </th>
                {sampled.then(|| view! { <td role="cell" data-label=t.sample class="num">{row.sample + 1}</td> })}
                <td role="cell" data-label=t.description class="nl-text" lang=lang>{row.raw_nl}</td>
                <td role="cell" data-label=t.lines class="num">
                    {if row.empty {
                        view! { <Badge tone=Tone::Care>{t.no_code}</Badge> }.into_any()
                    } else {
                        i.number(row.lines).into_any()
                    }}
                </td>
            </tr>
        }
    });
    view! {
        <div class="table-box list-box"><table class="table list" role="table">
            <caption class="visually-hidden">{t.outputs}</caption>
            <thead role="rowgroup">
                <tr role="row">
                    <th role="columnheader" scope="col">{t.task}</th>
                    {sampled.then(|| view! { <th role="columnheader" scope="col" class="num">{t.sample}</th> })}
                    <th role="columnheader" scope="col">{t.description}</th>
                    <th role="columnheader" scope="col" class="num">{t.lines}</th>
                </tr>
            </thead>
            <tbody role="rowgroup">{rows.collect_view()}</tbody>
        </table></div>
    }
    .into_any()
}
