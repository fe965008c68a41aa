//! `/admin/submissions/:id`: one submission and its outputs.

use leptos::prelude::*;
use leptos_router::{
    hooks::{use_params_map, use_query_map},
    params::ParamsMap,
};

use super::{
    engine::{EngineNotice, engine_data},
    filter::Field,
    list::Listing,
    menu::{item, more_menu, object_items},
    parts::{FormError, asked, param},
    runs,
    toolchains::{Lacking, ToolchainNotices},
};
use model::{
    audit::Object,
    conversation::TestProfile,
    error::AppError,
    ids::SubmissionId,
    lang::Lang,
    page::{PageOf, Paged},
    run::{Dates, EngineReadiness, RunRow},
    submission::{MaskState, OutputFilter, OutputRow, SubmissionRow},
};
use rpc::{
    quality::{self, SetMask},
    runs::{StartRun, runs as list_runs},
    submissions::{submission, submission_outputs},
};
use texts::I18n;
use ui::{
    context::use_i18n,
    form::{ActionForm, FormAction},
    frame::Page,
    load::{Data, Load},
    notice::{Badge, Empty, Notice, Tone},
    pager::{page_of, pager},
};

/// Whether the address asks to search many outputs for names of models.
const NAMES: &str = "names";

/// The name of the list of runs in the address.
const RUNS: &str = "runs";

/// Runs on a page of that list.
const RUNS_SHOWN: u32 = 5;

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
    let query = use_query_map();
    let list = Listing::new("order", OUTPUT_FILTERS);
    let missing = || AppError::NotFound("submission".into());
    let outputs = Data::new(
        move || (id.get(), filter(query), list.asked()),
        move |(id, filter, page)| async move { submission_outputs(id.ok_or_else(missing)?, filter, page).await },
    );
    let runs = Data::new(
        move || (id.get(), page_of(query, RUNS)),
        move |(id, page)| async move {
            list_runs(Some(id.ok_or_else(missing)?), PageOf { limit: RUNS_SHOWN, ..page }).await
        },
    );
    let machine = (engine_data(), Lacking::of(id));
    let mask = FormAction::<SetMask>::new();
    let masking = Data::new(
        move || (id.get(), mask.version().get(), asked(query, NAMES) == "1"),
        move |(id, _, whole)| async move { quality::mask(id.ok_or_else(missing)?, whole).await },
    );
    view! {
        <Load data let:row>
            {
                let has_tests = row.has_tests;
                let below = view! {
                    <Load data=runs let:found>{runs_of(i, query, found, has_tests)}</Load>
                    <Outputs data=outputs/>
                };
                page(i, row, start, machine, mask, masking, below.into_any())
            }
        </Load>
    }
}

/// Names of models in the outputs, and whether they are masked for raters.
fn masking_of(i: I18n, id: SubmissionId, state: MaskState, action: FormAction<SetMask>) -> AnyView {
    let t = i.quality();
    let MaskState { masked, identity_leaks, identity_leak_count, unread, .. } = state;
    let search = unread.then(|| {
        let address = format!("/admin/submissions/{id}?{NAMES}=1");
        view! { <p>{t.mask_many}" "<a href=address>{t.mask_search}</a></p> }
    });
    let on = masked.is_some();
    let note = match masked {
        Some((by, at)) => {
            let by = by.map(|name| (t.masked_by)(&name, &i.time(at)));
            view! { <Notice tone=Tone::Good><p>{t.masked_note}" "{by}</p></Notice> }.into_any()
        }
        None if identity_leak_count > 0 => view! { <Notice tone=Tone::Care><p>{t.mask_note}</p></Notice> }.into_any(),
        None if unread => ().into_any(),
        None => view! { <p class="muted">{t.mask_none}</p> }.into_any(),
    };
    let more = identity_leak_count.saturating_sub(identity_leaks.len() as u64);
    let places = identity_leaks
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
            {search}
            {(identity_leak_count > 0).then(|| view! {
                <details class="finding">
                    <summary><h3>{(t.outputs_n)(identity_leak_count)}</h3></summary>
                    <ul class="places">{places}</ul>
                    {(more > 0).then(|| view! { <p class="muted">{(i.admin().and_more)(more)}</p> })}
                </details>
            })}
            {(on || unread || identity_leak_count > 0).then(|| view! {
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
    row: SubmissionRow,
    start: FormAction<StartRun>,
    (engine, lacking): (Data<EngineReadiness>, Lacking),
    mask: FormAction<SetMask>,
    masking: Data<MaskState>,
    below: AnyView,
) -> AnyView {
    let t = i.admin();
    let study = format!("/admin/studies/new?dataset={}", row.dataset);
    let judging = format!("/admin/judgings/new?submission={}", row.id);
    view! {
        <Page
            title=row.model_name.clone()
            crumbs=vec![("/admin/submissions".into(), t.submissions.into())]
            actions=move || view! {
                {(row.for_people && !row.has_tests).then(|| view! { <a class="button primary" href=study.clone()>{t.new_study}</a> })}
                {row.has_tests.then(|| view! {
                    <ActionForm action=start>
                        <input type="hidden" name="submission" value=row.id.to_string()/>
                        <button class="button primary" type="submit">{i.runs().start}</button>
                    </ActionForm>
                    {start_so(i, row.id, row.way.is_some(), start)}
                })}
                {more_menu(i, view! {
                    {(row.for_people && row.has_tests).then(|| item(study.clone(), t.new_study))}
                    {row.for_people.then(|| item(judging.clone(), t.judge_with_model))}
                    {object_items(i, &Object::Submission(row.id))}
                })}
            }
        >
        <FormError of=move || start.value().get().and_then(Result::err)/>
        <EngineNotice data=engine/>
        <ToolchainNotices lacking/>
        <dl class="facts">
            <div><dt>{t.dataset}</dt><dd>
                <a href=format!("/admin/datasets/{}", row.dataset)>{row.dataset.clone()}</a>
                " "
                <span class="muted">{(t.version_n)(row.number)}</span>
            </dd></div>
            <div><dt>{t.file}</dt><dd>
                <span class="file-name">{row.file.clone()}</span>
                " "
                <a href=format!("/admin/submissions/{}/file", row.id) download="">{i.uploads().original}</a>
            </dd></div>
            {row.collection.map(|id| view! {
                <div><dt>{i.collections().collected}</dt><dd>
                    <a href=format!("/admin/collections/{id}")>{(i.collections().number)(id.0)}</a>
                </dd></div>
            })}
            {row.way.map(|way| view! {
                <div><dt>{i.conversations().way}</dt><dd>{i.conversations().way_name(way)}</dd></div>
            })}
            <div><dt>{t.outputs}</dt><dd>{i.number(row.outputs)}</dd></div>
            <div><dt>{t.tasks_answered}</dt><dd>{i.number(row.tasks)}</dd></div>
            <div><dt>{t.taken_at}</dt><dd>{i.time(row.created_at)}</dd></div>
        </dl>
        {left_out(i, &row)}
        <Load data=masking let:state>{masking_of(i, row.id, state, mask)}</Load>
        {below}
        </Page>
    }
    .into_any()
}

/// Says how many lines of the file the submission lacks, with links to them.
fn left_out(i: I18n, row: &SubmissionRow) -> Option<AnyView> {
    let u = i.uploads();
    let address = |ending: &str| format!("/admin/submissions/{}/bad-lines.{ending}", row.id);
    let archive = [".zip", ".tgz", ".tar.gz"].iter().any(|end| row.file.to_lowercase().ends_with(end));
    (row.left_out > 0).then(|| {
        let (said, list) = ((u.left_out)(row.left_out, row.missing), address("csv"));
        let lines = (!archive).then(|| view! { <a href=address("jsonl") download="">{u.bad_lines_file}</a> });
        view! {
            <Notice tone=Tone::Care>
                <p>{said}</p>
                <p class="row">{lines}<a href=list download="">{u.bad_list_file}</a></p>
            </Notice>
        }
        .into_any()
    })
}

/// A run with options.
fn start_so(i: I18n, id: SubmissionId, is_conversation: bool, action: FormAction<StartRun>) -> impl IntoView {
    let t = i.runs();
    let profile = is_conversation.then(|| {
        let c = i.conversations();
        let options =
            TestProfile::ALL.into_iter().map(|of| view! { <option value=of.name()>{c.profile_name(of)}</option> });
        view! {
            <div>
                <label class="field">
                    <span>{c.profile}</span>
                    <select name="profile" aria-describedby="profile-hint">{options.collect_view()}</select>
                </label>
                <p class="muted small" id="profile-hint">{c.profile_hint}</p>
            </div>
        }
    });
    let tick = |name: &'static str, value: &'static str, label: &'static str, hint: &'static str| {
        let described = format!("{name}-hint");
        view! {
            <div>
                <label class="check">
                    <input type="checkbox" name=name value=value aria-describedby=described.clone()/>
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
                    {profile}
                    {(!is_conversation).then(|| view! {
                        {tick("fast", "true", t.start_fast, t.start_fast_hint)}
                        {tick("dates", Dates::June2022.name(), t.start_dates, t.start_dates_hint)}
                    })}
                    {tick("fresh", "true", t.start_fresh, t.start_fresh_hint)}
                    <button class="button" type="submit">{t.start_now}</button>
                </ActionForm>
            </div>
        </details>
    }
}

/// Filters of the outputs.
const OUTPUT_FILTERS: &[&str] = &["empty"];

/// The filter in the address.
fn filter(query: Memo<ParamsMap>) -> OutputFilter {
    OutputFilter { words: asked(query, "q"), empty: asked(query, "empty") == "1" }
}

/// A page of the outputs, with a filter in the address.
#[component]
fn Outputs(
    /// The outputs that the address asks for, created at the top of the page.
    data: Data<Paged<OutputRow>>,
) -> impl IntoView {
    let i = use_i18n();
    let t = i.admin();
    let list = Listing::new("order", OUTPUT_FILTERS);
    view! {
        <section class="stack" aria-labelledby="outputs">
            <h2 id="outputs">{t.outputs}</h2>
            {list.bar(vec![Field::Tick("empty", t.only_empty)])}
            <Load data let:page>
                {list.view(page, move || view! { <Empty title=t.none_match/> }.into_any(), move |rows| table(i, list, rows))}
            </Load>
        </section>
    }
}

/// The submission's test runs, newest first; a notice if its tests have not run.
fn runs_of(i: I18n, query: Memo<ParamsMap>, page: Paged<RunRow>, has_tests: bool) -> Option<AnyView> {
    let t = i.runs();
    if page.rows.is_empty() {
        return (has_tests && page.is_all()).then(|| view! { <Notice><p>{t.not_tested}</p></Notice> }.into_any());
    }
    let links = pager(i, query, RUNS, &page);
    let runs = view! {
        <section class="stack" aria-labelledby="runs">
            <h2 id="runs">{t.runs}</h2>
            {runs::table(i, None, page.rows)}
            {links}
        </section>
    };
    Some(runs.into_any())
}

fn table(i: I18n, list: Listing, rows: Vec<OutputRow>) -> AnyView {
    let t = i.admin();
    let sampled = rows.iter().any(|row| row.sample > 0);
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
                    {list.head(t.task, "order", "")}
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
