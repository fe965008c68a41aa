//! `/admin/collections/:id`: one collection. `?request=` shows a request with its texts.

use std::time::Duration;
use texts::collections::stop_reason;

use leptos::{prelude::*, task::spawn_local};
use leptos_router::hooks::{use_params_map, use_query_map};

use crate::{
    filter::Field,
    list::Listing,
    output::folded_reasoning,
    parts::{FormError, param, percent, state},
    rubrics,
};
use model::{
    code::visible,
    collection::{
        ChatMessage, CollectionDetail, CollectionRow, CollectionStatus, RequestDetail, RequestRow, RequestStatus,
    },
    conversation::InstructionAnswer,
    error::AppError,
    ids::CollectionId,
    judging::JudgingFacts,
    page::Paged,
};
use rpc::collections::{
    DeleteCollection, ResumeCollection, StopCollection, UploadCollection, collection, collection_requests,
};
use texts::{I18n, faults::request_fault};
use ui::{
    context::use_i18n,
    effect::effect,
    form::{ActionForm, FormAction},
    frame::Page,
    load::{Data, Load},
    notice::{Badge, Empty, Notice, Progress, Tone},
    scores::{Names, whole_scores},
};

/// How often the page of a running collection asks.
const BEAT: Duration = Duration::from_secs(2);

/// The actions on a collection.
#[derive(Clone, Copy)]
struct Actions {
    resume: FormAction<ResumeCollection>,
    stop: FormAction<StopCollection>,
    delete: FormAction<DeleteCollection>,
    upload: FormAction<UploadCollection>,
}

impl Actions {
    fn version(self) -> usize {
        self.resume.version().get() + self.stop.version().get() + self.upload.version().get()
    }

    fn error(self) -> Option<AppError> {
        let of = |value: Option<Result<(), AppError>>| value.and_then(Result::err);
        of(self.resume.value().get())
            .or_else(|| of(self.stop.value().get()))
            .or_else(|| of(self.delete.value().get()))
            .or_else(|| of(self.upload.value().get()))
    }
}

/// A collection. While it is running, a visible page asks again every few seconds.
#[component]
pub fn CollectionPage() -> impl IntoView {
    let i = use_i18n();
    let params = use_params_map();
    let query = use_query_map();
    let id = Memo::new(move |_| param(params, "id").map(CollectionId));
    let actions = Actions {
        resume: FormAction::new(),
        stop: FormAction::new(),
        delete: FormAction::new(),
        upload: FormAction::new(),
    };
    let missing = || AppError::NotFound("collection".into());
    let data = Data::new(
        move || (id.get(), actions.version()),
        move |(id, _)| async move { collection(id.ok_or_else(missing)?).await },
    );
    let list = Listing::new("order", &["status"]);
    let one = Memo::new(move |_| param(query, "request"));
    let sent = Data::new(
        move || (id.get(), one.get(), list.asked(), actions.version()),
        move |(id, one, page, _)| async move { collection_requests(id.ok_or_else(missing)?, one, page).await },
    );
    let live = RwSignal::new(None::<CollectionRow>);
    let busy = StoredValue::new(None::<CollectionId>);
    effect(move |_| {
        let is_busy = |detail: &CollectionDetail| detail.row.status == CollectionStatus::Running || detail.in_work;
        live.set(None);
        busy.set_value(data.get().and_then(Result::ok).filter(is_busy).map(|detail| detail.row.id));
    });
    effect(move |_| {
        let ask = move || {
            let Some(id) = busy.get_value().filter(|_| !document().hidden()) else { return };
            spawn_local(async move {
                match collection(id).await {
                    Ok(now) if now.row.status == CollectionStatus::Running || now.in_work => {
                        live.try_set(Some(now.row));
                    }
                    // It ended: everything is loaded again.
                    Ok(_) => {
                        data.refetch();
                        sent.refetch();
                    }
                    // The next beat asks again.
                    Err(_) => {}
                }
            });
        };
        if let Ok(beat) = set_interval_with_handle(ask, BEAT) {
            on_cleanup(move || beat.clear());
        }
    });
    view! {
        <Load data let:detail>
            {page(i, detail, actions, live, view! { <Requests data=sent/> }.into_any())}
        </Load>
    }
}

fn page(
    i: I18n,
    detail: CollectionDetail,
    actions: Actions,
    live: RwSignal<Option<CollectionRow>>,
    below: AnyView,
) -> AnyView {
    let t = i.collections();
    let row = detail.row.clone();
    let is_draft = row.sent == 0;
    let (notices, controls, facts) = (notices(i, &detail), controls(i, &detail, actions), facts(i, &detail));
    let prompts = is_draft.then(|| prompts(i, &detail));
    let by_order = by_order(i, &detail);
    let state = state(i, row.status);
    let crumbs = vec![
        ("/admin/submissions".into(), i.admin().submissions.into()),
        ("/admin/collections".into(), t.title.into()),
    ];
    let title = format!(
        "{} · {}",
        row.model_name,
        if row.judging.is_some() { (t.judging_n)(row.id.0) } else { (t.number)(row.id.0) }
    );
    view! {
        <Page title crumbs>
            <FormError of=move || actions.error()/>
            {notices}
            <section class="run-state" aria-label=t.state>
                {state}
                {(!is_draft).then(|| so_far(i, row, live))}
                {controls}
            </section>
            {facts}
            {by_order}
            {prompts}
            {(!is_draft).then_some(below)}
        </Page>
    }
    .into_any()
}

/// Notices above the page's content.
fn notices(i: I18n, detail: &CollectionDetail) -> AnyView {
    let t = i.collections();
    let care = |text: String| view! { <Notice tone=Tone::Care><p>{text}</p></Notice> };
    let row = &detail.row;
    let reason = row.reason.as_ref().map(|reason| {
        let reason = stop_reason(reason);
        let (text, lang) = reason.get(i.lang);
        let text = text.to_owned();
        view! { <Notice tone=Tone::Care><p lang=lang>{text}{t.full_stop}</p></Notice> }
    });
    let ended = row.status != CollectionStatus::Running;
    view! {
        {reason}
        {(!detail.endpoint_known && row.status != CollectionStatus::Finished)
            .then(|| care((t.endpoint_gone)(&row.endpoint, &detail.url)))}
        {(row.status == CollectionStatus::Running && !detail.in_work).then(|| view! { <Notice><p>{t.waits}</p></Notice> })}
        {(ended && detail.in_work).then(|| view! { <Notice><p>{t.in_flight}</p></Notice> })}
        {t.warnings(row).into_iter().map(care).collect_view()}
        {detail.outdated.then(|| care(t.outdated.to_owned()))}
    }
    .into_any()
}

/// How many requests are answered, and the time left.
fn so_far(i: I18n, row: CollectionRow, live: RwSignal<Option<CollectionRow>>) -> AnyView {
    let t = i.collections();
    view! {
        <div class="run-progress">
            {move || {
                let now = live.get().unwrap_or_else(|| row.clone());
                let done = now.answered + now.failed;
                let figures = (i.admin().done_of)(&i.number(done), &i.number(now.total), percent(done, now.total));
                let waiting = now.waiting.map(|waiting| {
                    (t.waits_for)(&i.time(waiting.until), request_fault(i.lang, &waiting.fault).trim_end_matches('.'))
                });
                let left = now.left_s.map(|s| format!("{} {}", t.left, (i.admin().minutes)(s / 60, s % 60)));
                view! {
                    <div class="so-far">
                        <Progress value=done max=now.total label=t.answered/>
                        <span class="so-far-figures">{figures}</span>
                    </div>
                    {left.map(|text| view! { <p class="muted time-left">{text}</p> })}
                    {waiting.map(|text| view! { <p class="muted">{text}</p> })}
                }
            }}
        </div>
    }
    .into_any()
}

fn controls(i: I18n, detail: &CollectionDetail, actions: Actions) -> AnyView {
    let t = i.collections();
    let row = &detail.row;
    let id = row.id.0;
    let (running, complete) = (row.status == CollectionStatus::Running, row.answered + row.failed >= row.total);
    let known = detail.endpoint_known;
    let hidden = move || view! { <input type="hidden" name="id" value=id.to_string()/> };
    let limit = |name: &'static str, label: &'static str, value: Option<u64>| {
        let field = format!("resume-{name}");
        value.map(|value| {
            view! {
                <div class="field field--short">
                    <label class="label" for=field.clone()>{label}</label>
                    <input class="input" id=field name=name type="number" min="1" value=value.to_string()/>
                </div>
            }
        })
    };
    let s = &detail.settings;
    let limits = (row.sent > 0).then(|| {
        (limit("max_requests", t.max_requests, s.max_requests), limit("max_tokens", t.max_tokens, s.max_tokens))
    });
    let resume_word = if row.sent == 0 { t.start } else { t.resume };
    let resume = (known && !running && !complete).then(|| view! {
        <ActionForm action=actions.resume attr:class="row">
            {hidden()}
            {limits}
            <button class="button primary" type="submit" disabled=move || actions.resume.pending().get()>{resume_word}</button>
        </ActionForm>
    });
    let again = (known && !running && row.failed > 0).then(|| view! {
        <ActionForm action=actions.resume>
            {hidden()}
            <input type="hidden" name="failed" value="true"/>
            <button class="button" type="submit" disabled=move || actions.resume.pending().get()>{t.resume_failed}</button>
        </ActionForm>
    });
    let stop = running.then(|| {
        view! {
            <ActionForm action=actions.stop>
                {hidden()}
                <button class="button" type="submit" disabled=move || actions.stop.pending().get()>{t.stop}</button>
            </ActionForm>
        }
    });
    let is_judging = row.judging.is_some();
    let import = (!is_judging && row.answered > 0 && !detail.outdated).then(|| {
        view! {
            <ActionForm action=actions.upload>
                {hidden()}
                <button class=if complete { "button primary" } else { "button" } type="submit" title=t.import_hint
                    disabled=move || actions.upload.pending().get()>{t.import}</button>
            </ActionForm>
        }
    });
    let delete = (!running && !detail.in_work).then(|| {
        view! {
            <details class="confirm">
                <summary class="button">{t.delete}</summary>
                <div class="confirm-box">
                    <p>{if is_judging { t.judging_delete_warning } else { t.delete_warning }}</p>
                    <ActionForm action=actions.delete>
                        {hidden()}
                        <button class="button danger" type="submit">{t.delete_now}</button>
                    </ActionForm>
                </div>
            </details>
        }
    });
    view! { <div class="row">{resume}{stop}{again}{import}{delete}</div> }.into_any()
}

fn facts(i: I18n, detail: &CollectionDetail) -> AnyView {
    let (t, a) = (i.collections(), i.admin());
    let CollectionDetail { row, settings: s, plan, .. } = detail;
    let fact = |name: &'static str, value: Option<String>| {
        value.map(|value| view! { <div><dt>{name}</dt><dd>{value}</dd></div> })
    };
    let submissions = detail
        .submissions
        .iter()
        .map(|id| view! { <a href=format!("/admin/submissions/{id}")>{(t.submission_n)(id.0)}</a>" " })
        .collect_view();
    let imported =
        (!detail.submissions.is_empty()).then(|| view! { <div><dt>{t.submissions}</dt><dd>{submissions}</dd></div> });
    let most = plan.response_tokens.map(t.cost_most);
    let cost = if plan.at_most { t.cost_at_most } else { t.cost };
    let cost = format!("{} {}", cost(plan.requests, plan.prompt_tokens), most.unwrap_or_default());
    let requests = if row.sent == 0 { cost } else { (t.sent_n)(row.sent) };
    let code = |name: &'static str, text: &str| {
        let text = text.trim().to_owned();
        (!text.is_empty()).then(|| view! { <div><dt>{name}</dt><dd><pre class="prompt-text">{text}</pre></dd></div> })
    };
    let form = detail.form.unwrap_or_default();
    let streamed = match (s.stream, form.stream) {
        (Some(true), _) => Some(t.stream_yes.to_owned()),
        (Some(false), _) => Some(t.stream_no.to_owned()),
        (None, true) => Some(t.stream_found.to_owned()),
        (None, false) => None,
    };
    let judging = row.judging.as_ref();
    let samples = if judging.is_some() { t.answers } else { t.samples };
    view! {
        <dl class="facts">
            {judging.map(|judging| judged(i, row, judging))}
            <div><dt>{t.model}</dt><dd>{(t.at_endpoint)(&row.endpoint_model, &row.endpoint)}" "<code>{detail.url.clone()}</code></dd></div>
            <div><dt>{a.dataset}</dt><dd>
                <a href=format!("/admin/datasets/{}", row.dataset)>{row.dataset.clone()}</a>
                " "<span class="muted">{(a.version_n)(row.number)}</span>
            </dd></div>
            <div><dt>{t.requests}</dt><dd>{requests}</dd></div>
            {(row.prompt_tokens + row.response_tokens > 0).then(|| view! {
                <div><dt>{t.prompt_tokens}</dt><dd>{i.number(row.prompt_tokens)}</dd></div>
                <div><dt>{t.tokens_out}</dt><dd>
                    {i.number(row.response_tokens)}" "{(row.estimated > 0).then(|| (t.estimated)(row.estimated))}
                </dd></div>
            })}
            {(row.sent > 0).then(|| {
                // Every turn of a conversation is a request.
                let name = if s.way.is_some() { t.conversations_done } else { t.answered };
                fact(name, Some((i.common.of)(row.answered, row.total)))
            })}
            {fact(t.failed_count, (row.failed > 0).then(|| i.number(row.failed)))}
            {fact(t.ended_by, Some(t.ends(row)).filter(|ends| !ends.is_empty()))}
            {fact(samples, Some(s.samples.to_string()))}
            {fact(t.way, s.way.map(|way| t.way_name(way).to_owned()))}
            {fact(t.temperature, s.temperature.map(|t| t.to_string()))}
            {fact(t.top_p, s.top_p.map(|p| p.to_string()))}
            {fact(t.seed, s.seed.map(|seed| seed.to_string()))}
            {fact(t.response_tokens, s.response_tokens.map(|n| i.number(n.into())))}
            {fact(t.max_requests, s.max_requests.map(|n| i.number(n)))}
            {fact(t.max_tokens, s.max_tokens.map(|n| i.number(n)))}
            {fact(t.created, Some(i.time(row.created_at)))}
            {imported}
        </dl>
        <details class="more">
            <summary>{t.settings}</summary>
            <dl class="facts">
                {code(t.system, &s.system)}
                {code(t.template, &s.template.en)}
                {code(t.template_zh, &s.template.zh)}
                {code(t.turn_template, &s.turn_template.en)}
                {code(t.feedback_template, &s.feedback_template.en)}
                {code(t.parameters, &s.parameters)}
                {fact(t.stream, streamed)}
                {fact(t.limit_field, form.max_completion_tokens.then(|| "max_completion_tokens".to_owned()))}
                {fact(t.at_once, Some(s.at_once.to_string()))}
                {fact(t.per_minute, s.per_minute.map(|n| n.to_string()))}
                {fact(t.timeout, Some(s.timeout_s.to_string()))}
            </dl>
        </details>
    }
    .into_any()
}

/// What a judging has besides.
fn judged(i: I18n, row: &CollectionRow, judging: &JudgingFacts) -> AnyView {
    let t = i.collections();
    let study = judging.study.map(|id| {
        let comparison = format!("/admin/compare/{}?studies={id}#judges", row.dataset);
        view! {
            <div><dt>{t.study}</dt><dd>
                <a href=format!("/admin/studies/{id}")>{(t.study_n)(id.0)}</a>
            </dd></div>
            <div><dt>{t.scores}</dt><dd><a href=comparison rel="external">{t.comparison}</a></dd></div>
        }
    });
    view! {
        {study}
        <div><dt>{t.rubric}</dt><dd><a href=rubrics::address(&judging.rubric)>{judging.rubric.clone()}</a></dd></div>
        <div><dt>{t.dimensions}</dt><dd>{judging.dimensions.join(", ")}</dd></div>
        {judging.instructions.then(|| view! { <div><dt>{t.instructions}</dt><dd>{t.instructions_asked}</dd></div> })}
        <div><dt>{t.scored}</dt><dd>{(i.common.of)(judging.scored, judging.outputs)}</dd></div>
        <div><dt>{t.invalid}</dt><dd>{i.number(judging.invalid)}</dd></div>
        <div><dt>{t.judging_lang}</dt><dd>{judging.lang.name()}</dd></div>
        <div><dt>{t.level_order}</dt><dd>{t.order_name(judging.level_order)}</dd></div>
    }
    .into_any()
}

/// A judge's mean scores by the order of levels in its prompts, if that was drawn.
fn by_order(i: I18n, detail: &CollectionDetail) -> Option<AnyView> {
    let t = i.collections();
    let judging = detail.row.judging.as_ref().filter(|_| !detail.orders.is_empty())?;
    let heads =
        judging.dimensions.iter().map(|key| view! { <th scope="col" class="num">{key.clone()}</th> }).collect_view();
    let rows = detail
        .orders
        .iter()
        .map(|of| {
            let means =
                of.means.iter().map(|mean| view! { <td class="num">{format!("{mean:.2}")}</td> }).collect_view();
            view! {
                <tr><th scope="row">{t.order_name(of.order)}</th><td class="num">{i.number(of.answers)}</td>{means}</tr>
            }
        })
        .collect_view();
    let table = view! {
        <div class="table-box" role="group" aria-label=t.by_order tabindex="0">
            <table class="table counts">
                <caption>{t.by_order}</caption>
                <thead><tr><th scope="col">{t.level_order}</th><th scope="col" class="num">{t.valid_answers}</th>{heads}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    };
    Some(table.into_any())
}

/// The first prompts of a collection that has not begun.
fn prompts(i: I18n, detail: &CollectionDetail) -> AnyView {
    let t = i.collections();
    let all = detail
        .plan
        .first
        .iter()
        .map(|prompt| {
            view! {
                <article class="card stack">
                    <h3>{t.task}" "<code>{prompt.task_id.clone()}</code></h3>
                    {messages(&prompt.messages)}
                </article>
            }
        })
        .collect_view();
    view! {
        <section class="stack" aria-labelledby="first-prompts">
            <h2 id="first-prompts">{t.prompts}</h2>
            {all}
        </section>
    }
    .into_any()
}

fn messages(all: &[ChatMessage]) -> AnyView {
    all.iter()
        .map(|message| {
            view! {
                <div>
                    <p class="label"><code>{message.role.name()}</code></p>
                    <pre class="prompt-text" translate="no" tabindex="0">{visible(&message.content).into_owned()}</pre>
                </div>
            }
        })
        .collect_view()
        .into_any()
}

/// The requests that were sent, with one of them in full if the address names it.
#[component]
fn Requests(data: Data<(Paged<RequestRow>, Option<RequestDetail>)>) -> impl IntoView {
    let i = use_i18n();
    let (t, l) = (i.collections(), i.lists());
    let list = Listing::new("order", &["status"]);
    let states = RequestStatus::ALL.map(|status| (status.name(), t.request_name(status).to_owned()));
    let states = std::iter::once(("", l.any.to_owned())).chain(states).collect();
    view! {
        <section class="stack" aria-labelledby="requests">
            <h2 id="requests">{t.requests}</h2>
            {list.bar(vec![Field::Choice("status", t.state, states)])}
            <Load data let:found>
                {found.1.map(|request| one(i, request))}
                {list.view(
                    found.0,
                    move || view! { <Empty title=t.no_requests/> }.into_any(),
                    move |rows| table(i, list, rows),
                )}
            </Load>
        </section>
    }
}

fn one(i: I18n, request: RequestDetail) -> AnyView {
    let t = i.collections();
    let RequestDetail { row, messages: sent, response, reasoning, refusal, other_parts, fault } = request;
    let fault = fault.map(|why| view! { <Notice tone=Tone::Care><p>{(t.fault)(why.get(i.lang))}</p></Notice> });
    let output = row.output.as_ref().map(|output| {
        view! {
            <p>{t.output}{i.common.colon}<a href=format!("/admin/outputs/{}", output.id)>{output.model.clone()}", "{t.sample}" "{output.sample + 1}</a></p>
        }
    });
    let scores = row
        .scores
        .as_ref()
        .map(|scores| view! { <p>{t.scores}{i.common.colon}{whole_scores(i, &[], scores, Names::Full)}</p> });
    let instructions = (!row.instruction_answers.is_empty())
        .then(|| view! { <p>{t.instructions}{i.common.colon}{followed(i, &row.instruction_answers)}</p> });
    let number = if row.output.is_some() { t.answer } else { t.sample };
    let response = match response {
        Some(text) => {
            view! { <pre class="prompt-text" translate="no" tabindex="0">{visible(&text).into_owned()}</pre> }
                .into_any()
        }
        None => view! { <p class="muted">{t.no_response}</p> }.into_any(),
    };
    let left_out = (!other_parts.is_empty()).then(|| {
        let text = (t.left_out)(&other_parts.join(t.comma));
        view! { <Notice tone=Tone::Care><p>{text}</p></Notice> }
    });
    let refusal = refusal.map(|text| {
        view! {
            <h4>{t.refusal}</h4>
            <pre class="prompt-text" translate="no" tabindex="0">{visible(&text).into_owned()}</pre>
        }
    });
    let reasoning = reasoning.map(|text| folded_reasoning(i, &text));
    let tests = tests_of(i, &row);
    let error = row.error.map(|fault| view! { <Notice tone=Tone::Bad><p>{request_fault(i.lang, &fault)}</p></Notice> });
    let reported =
        row.reported_model.map(|name| view! { <p class="muted">{t.reported_model}{i.common.colon}{name}</p> });
    view! {
        <article class="card stack" aria-labelledby="request">
            <h3 id="request">{t.task}" "<code>{row.task_id}</code>", "{number}" "{row.sample + 1}</h3>
            {output}
            {scores}
            {instructions}
            {fault}
            {error}
            {reported}
            <h4>{t.messages}</h4>
            {messages(&sent)}
            <h4>{t.response}</h4>
            {response}
            {left_out}
            {refusal}
            {reasoning}
            {tests}
        </article>
    }
    .into_any()
}

/// What the tests of an answer showed, in a dynamic conversation.
fn tests_of(i: I18n, row: &RequestRow) -> Option<AnyView> {
    let t = i.collections();
    let fault = row.tests_fault.as_ref().map(|fault| {
        let line = i.runs().fault_line(fault);
        view! { <Notice tone=Tone::Bad><p>{line}</p></Notice> }
    });
    let shown = match &row.tests {
        Some(tests) => {
            let passed = tests.checks.iter().filter(|check| check.published).count();
            let failure = (!tests.failure.is_empty()).then(|| {
                view! {
                    <p class="label">{t.told}</p>
                    <pre class="prompt-text" translate="no" tabindex="0">{visible(&tests.failure).into_owned()}</pre>
                }
            });
            view! { <p>{(t.follows)(passed as u64, tests.checks.len() as u64)}</p> {failure} }.into_any()
        }
        None if row.instruction.is_some() => view! { <p class="muted">{t.tests_pending}</p> }.into_any(),
        None => return None,
    };
    Some(view! { <h4>{t.tests}</h4> {fault} {shown} }.into_any())
}

/// The result of an answer's own tests, in a dynamic conversation.
fn tests_name(i: I18n, row: &RequestRow) -> &'static str {
    let t = i.collections();
    match &row.tests {
        Some(tests) if tests.failure.is_empty() => t.tests_passed,
        Some(_) => t.tests_failed,
        None if row.status == RequestStatus::Answered => t.tests_pending,
        None => "–",
    }
}

/// Answers about instructions, such as "turn 1: yes, turn 2: no".
fn followed(i: I18n, answers: &[InstructionAnswer]) -> String {
    let t = i.collections();
    let each = answers.iter().map(|answer| {
        let word = if answer.follows { t.followed } else { t.not_followed };
        format!("{} {}{}{word}", t.turn, answer.turn, i.common.colon)
    });
    each.collect::<Vec<_>>().join(t.comma)
}

fn table(i: I18n, list: Listing, rows: Vec<RequestRow>) -> AnyView {
    let t = i.collections();
    let is_judging = rows.first().is_some_and(|row| row.output.is_some());
    let is_dynamic = rows.first().is_some_and(|row| row.instruction.is_some());
    let number_of = if is_judging { t.answer } else { t.sample };
    let number = move |value: Option<u64>| value.map_or_else(|| "–".to_owned(), |value| i.number(value));
    let rows = rows.into_iter().map(|row| {
        let tone = match row.status {
            RequestStatus::Answered => Tone::Good,
            RequestStatus::Failed => Tone::Bad,
            RequestStatus::Sent | RequestStatus::Waiting => Tone::Plain,
        };
        let tests = is_dynamic.then(|| view! { <td role="cell" data-label=t.tests>{tests_name(i, &row)}</td> });
        let scores = match (&row.scores, row.status) {
            (Some(scores), _) => whole_scores(i, &[], scores, Names::Full),
            (None, RequestStatus::Answered) => t.no_scores.into_any(),
            (None, _) => "–".into_any(),
        };
        let judged = row.output.map(|output| {
            let name = format!("{}, {} {}", output.model, t.sample, output.sample + 1);
            view! {
                <td role="cell" data-label=t.output><a href=format!("/admin/outputs/{}", output.id)>{name}</a></td>
                <td role="cell" data-label=t.scores class="num">{scores}</td>
            }
        });
        let turn = match &judged {
            Some(_) => t.asked_again.to_owned(),
            None => format!("{}\u{a0}{}", t.turn, row.turn),
        };
        let again = (row.turn > 0).then(|| view! { " "<span class="muted small">{turn}</span> });
        view! {
            <tr role="row">
                <th role="rowheader" scope="row" data-label=t.task>
                    <a href=format!("?request={}#request", row.id)>{row.task_id}</a>{again}
                </th>
                {judged}
                <td role="cell" data-label=number_of class="num">{row.sample + 1}</td>
                <td role="cell" data-label=t.state><Badge tone>{t.request_name(row.status)}</Badge></td>
                {tests}
                <td role="cell" data-label=t.attempts class="num">{row.attempts}</td>
                <td role="cell" data-label=t.prompt_tokens class="num">{number(row.prompt_tokens)}</td>
                <td role="cell" data-label=t.tokens_out class="num">{number(row.response_tokens)}</td>
                <td role="cell" data-label=t.latency class="num">{row.latency_ms.map(|ms| format!("{:.1} s", ms as f64 / 1000.0))}</td>
                <td role="cell" data-label=t.ended_by>{row.error.map(|fault| request_fault(i.lang, &fault)).or(row.finish_reason)}</td>
            </tr>
        }
    });
    view! {
        <div class="table-box list-box"><table class="table list" role="table">
            <caption class="visually-hidden">{t.requests}</caption>
            <thead role="rowgroup">
                <tr role="row">
                    {list.head(t.task, "order", "")}
                    {is_judging.then(|| view! { {list.head(t.output, "", "")} {list.head(t.scores, "", "num")} })}
                    {list.head(number_of, "", "num")}
                    {list.head(t.state, "", "")}
                    {is_dynamic.then(|| list.head(t.tests, "", ""))}
                    {list.head(t.attempts, "", "num")}
                    {list.head(t.prompt_tokens, "", "num")}
                    {list.head(t.tokens_out, "", "num")}
                    {list.head(t.latency, "", "num")}
                    {list.head(t.ended_by, "", "")}
                </tr>
            </thead>
            <tbody role="rowgroup">{rows.collect_view()}</tbody>
        </table></div>
    }
    .into_any()
}
