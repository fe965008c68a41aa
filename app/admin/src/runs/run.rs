//! `/admin/runs/:id`: one run: figures, verdicts, every output.

use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

use super::{
    coverage,
    items::{Counts, Items, filter, listing},
    live,
    live::Live,
    published, verdicts,
};
use crate::parts::{FormError, param, state};
use chart::percentage;
use model::{
    error::AppError,
    ids::RunId,
    page::Paged,
    run::{Environment, ItemRow, LenientTests, Metrics, PassAtK, RunDetail, RunRow, RunStatus, Verdict},
    usual_failure::UsualFailure,
};
use rpc::runs::{ResumeRun, RunChangedAgain, RunFailedAgain, StartRun, StopRun, run, run_items};
use texts::I18n;
use ui::{
    context::use_i18n,
    effect::effect,
    form::{ActionForm, FormAction},
    frame::Page,
    load::{Data, Load},
    notice::{Notice, Tone},
};

/// The actions on a run.
#[derive(Clone, Copy)]
struct Actions {
    cancel: FormAction<StopRun>,
    resume: FormAction<ResumeRun>,
    failed: FormAction<RunFailedAgain>,
    changed: FormAction<RunChangedAgain>,
    all: FormAction<StartRun>,
}

impl Actions {
    fn new() -> Self {
        Actions {
            cancel: FormAction::new(),
            resume: FormAction::new(),
            failed: FormAction::new(),
            changed: FormAction::new(),
            all: FormAction::new(),
        }
    }

    /// Changes whenever an action has finished.
    fn version(self) -> [usize; 4] {
        [
            self.cancel.version().get(),
            self.resume.version().get(),
            self.failed.version().get(),
            self.changed.version().get(),
        ]
    }

    fn error(self) -> Option<AppError> {
        let of = |value: Option<Result<(), AppError>>| value.and_then(Result::err);
        of(self.cancel.value().get())
            .or_else(|| of(self.resume.value().get()))
            .or_else(|| of(self.failed.value().get()))
            .or_else(|| of(self.changed.value().get()))
            .or_else(|| self.all.value().get().and_then(Result::err))
    }
}

/// A run. While it is in progress, the browser listens to its events; at its end, everything is loaded
/// again.
#[component]
pub fn RunPage() -> impl IntoView {
    let i = use_i18n();
    let params = use_params_map();
    let id = Memo::new(move |_| param(params, "id").map(RunId));
    let actions = Actions::new();
    let data = Data::new(
        move || (id.get(), actions.version()),
        |(id, _)| async move {
            match id {
                Some(id) => run(id).await,
                None => Err(AppError::NotFound("run".into())),
            }
        },
    );
    let query = use_query_map();
    let list = listing();
    let items = Data::new(
        move || (id.get(), actions.version(), filter(query), list.asked()),
        |(id, _, filter, page)| async move {
            match id {
                Some(id) => run_items(id, filter, page).await,
                None => Err(AppError::NotFound("run".into())),
            }
        },
    );
    let live = Live::new();
    effect(move |_| {
        let at_work = data.get().and_then(Result::ok).filter(|d| d.row.status == RunStatus::Running);
        if let Some(detail) = at_work {
            live.listen(detail.row.id, move || {
                data.refetch();
                items.refetch();
            });
        }
    });
    view! { <Load data let:detail>{page(i, detail, items, actions, live)}</Load> }
}

fn page(i: I18n, detail: RunDetail, items: Data<Paged<ItemRow>>, actions: Actions, live: Live) -> AnyView {
    let t = i.runs();
    let RunDetail {
        row,
        environment,
        pass_at,
        published_pass_at,
        published_tasks,
        differences,
        fault,
        usual_failure,
        verdicts,
        cached,
        taken_over,
        mixed,
        missing,
        theirs,
        lenient_tests,
    } = detail;
    let id = row.id;
    let comparison = format!("/admin/compare/{}", row.dataset);
    let finished = row.status == RunStatus::Finished;
    let links = move || {
        view! {
            <a class="button" class:primary=finished href=comparison.clone()>{i.comparison().compare}</a>
            <a class="button" href=format!("/admin/runs/compare?a={id}")>{t.compare_runs}</a>
            {export(i, id)}
        }
    };
    let care = |text: String| view! { <Notice tone=Tone::Care><p>{text}</p></Notice> };
    let unjudged = verdicts::Unjudged {
        not_run: row.items.saturating_sub(row.done),
        failed: row.failed,
        missing: u32::try_from(missing.len()).unwrap_or(u32::MAX),
    };
    let running = row.status == RunStatus::Running;
    let counts = Counts::of(&row, &verdicts, &theirs, missing.len());
    let passed = verdicts.iter().filter(|(verdict, _)| *verdict == Verdict::Passed).map(|(_, n)| *n).sum();
    let crumbs = vec![("/admin/runs".into(), t.runs.into())];
    view! {
        <Page title=(t.run_of)(&row.model_name, id) crumbs actions=links>
            {fault.map(|why| view! { <Notice tone=Tone::Bad>{verdicts::fault(i, &why)}</Notice> })}
            {usual_failure.map(|usual| alike(i, id, usual, passed))}
            {(row.failed > 0).then(|| care((t.failures)(row.failed)))}
            {(mixed > 0).then(|| care((t.mixed)(mixed)))}
            {(taken_over > 0).then(|| view! { <Notice><p>{(t.taken_over)(taken_over)}</p></Notice> })}
            {figures(i, &row, &pass_at)}
            {(row.done > 0).then(|| published::figures(i, &row, published_tasks, &published_pass_at, differences))}
            {lenient_tests.map(|tests| lenient(i, tests))}
            {published::agreement(i, id, theirs)}
            <section class="run-state" aria-label=t.state>
                {state(i, row.status)}
                {live::so_far(i, &row, live)}
                {controls(i, &row, actions)}
            </section>
            <FormError of=move || actions.error()/>
            {facts(i, &row)}
            {(cached > 0).then(|| view! { <p class="muted small">{i.number(cached.into())}" "{t.cached}</p> })}
            {verdicts::verdict_bar(i, &verdicts, unjudged, running)}
            <Items run=id data=items counts missing/>
            {where_it_ran(i, &environment)}
        </Page>
    }
    .into_any()
}

/// The menu of files with the results.
fn export(i: I18n, id: RunId) -> impl IntoView + use<> {
    let c = i.comparison();
    let files = [
        ("results.csv", "CSV"),
        ("results.csv?bom=true", c.csv_for_excel),
        ("results.jsonl", "JSON Lines"),
        ("results.parquet", "Parquet"),
    ];
    let links = files.map(|(file, name)| {
        let href = format!("/admin/runs/{id}/{file}");
        view! { <li><a href=href download="" rel="external">{name}</a></li> }
    });
    view! {
        <details class="export-menu">
            <summary class="button">{c.export}</summary>
            <div class="export-menu-box"><ul>{links.into_iter().collect_view()}</ul></div>
        </details>
    }
}

/// That failures are alike, with the likely cause and an output to look at.
fn alike(i: I18n, run: RunId, usual: UsualFailure, passed: u32) -> impl IntoView + use<> {
    let t = i.runs();
    let cause = t.likely_cause(usual.verdict);
    let nothing_passes = (passed == 0).then_some(t.nothing_passes);
    let line = (t.usual_failure)(usual.outputs, usual.of, &t.failure_line(&usual));
    let example = usual.example.map(|output| {
        view! { <p><a href=format!("/admin/runs/{run}/outputs/{output}")>{t.first_of_these}</a></p> }
    });
    view! {
        <Notice tone=Tone::Care>
            <p>{nothing_passes}" "{line}</p>
            {cause.map(|cause| view! { <p>{cause}</p> })}
            {example}
        </Notice>
    }
}

/// The main figures, as a paper prints them.
fn figures(i: I18n, row: &RunRow, pass_at: &[PassAtK]) -> impl IntoView + use<> {
    let (t, m) = (i.runs(), row.metrics);
    // A figure of no result is none: 0 % would look like one.
    let nothing_yet = row.items > 0 && row.done == 0;
    let nothing = nothing_yet || !m.has_tasks();
    let shown = |share| if nothing { "–".to_owned() } else { percentage(share) };
    let pass_at = if nothing { &[] } else { pass_at };
    let more = pass_at.iter().skip(1).map(|p| {
        let interval = published::interval(p);
        view! {
            <div class="figure"><dt>{format!("pass@{}", p.k)}</dt><dd>{percentage(p.value)}</dd>{interval}</div>
        }
    });
    let more = more.collect_view();
    let solved = if row.conversations { t.solved_turns } else { t.solved };
    let so_far = (row.status != RunStatus::Finished).then(|| {
        let text = if nothing_yet { t.nothing_yet } else { t.so_far };
        view! { <p class="muted small">{text}</p> }
    });
    let failed = (row.failed > 0).then(|| view! { <dd class="muted small">{(t.without_verdict_n)(row.failed)}</dd> });
    let not_counted =
        (m.not_counted > 0).then(|| view! { <p class="muted small">{(t.not_counted)(m.not_counted)}</p> });
    let (clamped, odd) = (format!("{:.4}, {}", m.ratio_sum_clamped, percentage(m.ratio_mean_clamped)), is_odd(&m));
    view! {
        <dl class="figures">
            <div class="figure">
                <dt>"pass@1"{row.published.map(|_| format!(", {}", t.guarded.to_lowercase()))}</dt>
                <dd>{shown(m.pass_at_1)}</dd>
                {pass_at.first().and_then(published::interval)}
                <dd class="muted small">{solved}{i.common.colon}{(i.common.of)(m.solved.into(), m.tasks.into())}</dd>
                {failed}
                {coverage(i, &m).filter(|_| !nothing_yet).map(|badge| view! { <dd>{badge}</dd> })}
            </div>
            {more}
            <div class="figure">
                <dt>{t.ratio}</dt>
                <dd>{shown(m.ratio_mean)}</dd>
                <dd class="muted small">{t.ratio_sum}{i.common.colon}{format!("{:.4}", m.ratio_sum)}" "{odd.then_some(t.as_reported)}</dd>
                {odd.then(|| view! { <dd class="muted small">{clamped}" "{t.clamped}</dd> })}
            </div>
        </dl>
        {not_counted}
        {so_far}
    }
}

/// How many of the degenerate answers that a task's tests accept are listed; the API has all.
const ANSWERS: usize = 3;

/// The tasks whose tests accept a constant, with these answers, or that there are none.
fn lenient(i: I18n, tests: Vec<LenientTests>) -> AnyView {
    let t = i.runs();
    if tests.is_empty() {
        return view! { <p class="muted small">{t.no_lenient_tests}</p> }.into_any();
    }
    let count = tests.len() as u64;
    let lines = tests.into_iter().map(|of| {
        let more = of.answers.len().saturating_sub(ANSWERS) as u64;
        let more = (more > 0).then(|| view! { <span class="muted">{(i.admin().and_more)(more)}</span> });
        let answers = of.answers.into_iter().take(ANSWERS).enumerate();
        let answers =
            answers.map(|(n, answer)| view! { {(n > 0).then_some(" · ")}<code translate="no">{answer}</code> });
        view! { <li>{of.task_id}{i.common.colon}{answers.collect_view()}" "{more}</li> }
    });
    let lines = lines.collect_view();
    view! {
        <details class="fold">
            <summary>{(t.lenient_tests)(count)}</summary>
            <p class="muted small">{t.lenient_tests_what}</p>
            <ul class="plain-list">{lines}</ul>
        </details>
    }
    .into_any()
}

/// Whether a task counts for more than 1.
fn is_odd(m: &Metrics) -> bool {
    (m.ratio_sum - m.ratio_sum_clamped).abs() > 1e-9
}

fn facts(i: I18n, row: &RunRow) -> impl IntoView + use<> {
    let (t, a) = (i.runs(), i.admin());
    let submission = format!("{} {}", row.submission, row.model_name);
    view! {
        <dl class="facts">
            <div><dt>{a.dataset}</dt><dd>
                <a href=format!("/admin/datasets/{}", row.dataset)>{row.dataset.clone()}</a>
                " "<span class="muted">{(a.version_n)(row.number)}</span>
            </dd></div>
            <div><dt>{t.submission}</dt><dd>
                <a href=format!("/admin/submissions/{}", row.submission)>{submission}</a>
            </dd></div>
            <div><dt>{t.started}</dt><dd>{i.time(row.created_at)}</dd></div>
            {row.finished_at.map(|at| view! { <div><dt>{t.done}</dt><dd>{i.time(at)}</dd></div> })}
        </dl>
    }
}

/// The available actions. Expensive ones ask for confirmation.
fn controls(i: I18n, row: &RunRow, actions: Actions) -> AnyView {
    let t = i.runs();
    let (id, submission, failed) = (row.id.to_string(), row.submission.to_string(), row.failed);
    match row.status {
        RunStatus::Running => view! {
            <div class="run-controls">
                <ActionForm action=actions.cancel>
                    <input type="hidden" name="id" value=id/>
                    <button class="button" type="submit" aria-describedby="cancel-hint">{t.cancel}</button>
                </ActionForm>
                <p class="muted small" id="cancel-hint">{t.cancel_warning}</p>
            </div>
        }
        .into_any(),
        RunStatus::Stopped => view! {
            <div class="run-controls">
                <ActionForm action=actions.resume>
                    <input type="hidden" name="id" value=id/>
                    <button class="button primary" type="submit">{t.go_on}</button>
                </ActionForm>
                <p class="muted small">{t.stopped_hint}</p>
            </div>
        }
        .into_any(),
        RunStatus::Finished => {
            let (failed_id, like) = (id.clone(), id.clone());
            view! {
            <details class="confirm run-again">
                <summary class="button">{t.again_head}</summary>
                <div class="confirm-box">
                    {(failed > 0).then(|| view! {
                        <ActionForm action=actions.failed attr:class="stack">
                            <p class="small">{t.again_failed_warning}</p>
                            <input type="hidden" name="id" value=failed_id.clone()/>
                            <button class="button" type="submit">{t.again_failed}" ("{failed}")"</button>
                        </ActionForm>
                    })}
                    <ActionForm action=actions.changed attr:class="stack">
                        <p class="small">{t.again_changed_warning}</p>
                        <input type="hidden" name="id" value=id.clone()/>
                        <button class="button" type="submit">{t.again_changed}</button>
                    </ActionForm>
                    <ActionForm action=actions.all attr:class="stack">
                        <p class="small">{t.again_all_warning}</p>
                        <input type="hidden" name="submission" value=submission/>
                        <input type="hidden" name="fresh" value="true"/>
                        <input type="hidden" name="like" value=like.clone()/>
                        <button class="button" type="submit">{t.again_all}</button>
                    </ActionForm>
                </div>
            </details>
            }
            .into_any()
        }
    }
}

fn where_it_ran(i: I18n, environment: &Environment) -> impl IntoView + use<> {
    let t = i.runs();
    let e = environment;
    let mut entries = vec![
        (t.toolchain, e.java.clone()),
        (t.time_zone, e.time_zone.clone()),
        (t.locale, e.locale.clone()),
        (t.encoding, e.encoding.clone()),
    ];
    entries.extend(t.conditions(&e.conditions));
    (!e.java.is_empty()).then(|| {
        let rows = entries.into_iter().map(|(what, value)| view! { <div><dt>{what}</dt><dd>{value}</dd></div> });
        view! {
            <details class="more">
                <summary>{t.environment}</summary>
                <dl class="facts">{rows.collect_view()}</dl>
            </details>
        }
    })
}
