//! `/admin/studies/:id/disagreements`: outputs on which raters disagree, the state of each, and the history of
//! adjudications.

use leptos::prelude::*;
use leptos_router::{
    hooks::{use_params_map, use_query_map},
    params::ParamsMap,
};

use crate::{
    parts::{FormError, param},
    study_tabs::{StudyFrame, StudyTab, tab_data},
};
use model::{
    error::AppError,
    ids::StudyId,
    inbox::{InboxFilter, InboxKind},
    lang::Lang,
    page::PageOf,
    quality::{DISAGREEMENTS_PAGE, Decision, DisagreementList, DisagreementRow, DisagreementState, TabCounts},
    rubric::{Dimension, Rubric},
};
use rpc::quality::{AskExtra, study_disagreements};
use texts::I18n;
use ui::{
    context::use_i18n,
    form::{ActionForm, FormAction},
    load::{Data, Load},
    notice::{Badge, Empty, Notice, Tone},
    pager::{page_of, pager},
    scores::{Names, score, whole_scores},
};

/// The list.
#[component]
pub fn DisagreementsPage() -> impl IntoView {
    let i = use_i18n();
    let params = use_params_map();
    let id = Memo::new(move |_| param(params, "id").map(StudyId));
    let query = use_query_map();
    let here = Memo::new(move |_| PageOf { limit: DISAGREEMENTS_PAGE, ..page_of(query, "") });
    let ask = FormAction::<AskExtra>::new();
    let data = Data::new(
        move || (id.get(), here.get(), ask.version().get()),
        |(id, here, _)| async move {
            study_disagreements(id.ok_or_else(|| AppError::NotFound("study".into()))?, here).await
        },
    );
    let counts = tab_data(id);
    view! { <Load data let:found>{page(i, id.get_untracked(), query, found, ask, counts)}</Load> }
}

fn page(
    i: I18n,
    id: Option<StudyId>,
    query: Memo<ParamsMap>,
    list: DisagreementList,
    ask: FormAction<AskExtra>,
    counts: Data<TabCounts>,
) -> AnyView {
    let t = i.quality();
    let DisagreementList { title, rubric, settings, page } = list;
    let Some(id) = id else { return ().into_any() };
    let off = settings.spread.is_none() && settings.spread_correctness.is_none();
    let around = pager(i, query, "", &page);
    let body = if page.rows.is_empty() {
        let hint = if off { t.disagreements_off } else { t.disagreements_none_hint };
        view! {
            <Empty title=t.disagreements_none>
                <p>{hint}</p>
                {off.then(|| view! { <p><a class="button" href=format!("/admin/studies/{id}/quality")>{t.set_threshold}</a></p> })}
            </Empty>
        }
        .into_any()
    } else {
        let cards = page.rows.into_iter().map(|row| card(i, id, &rubric, row, ask)).collect_view();
        let blind = InboxFilter { kind: Some(InboxKind::Disagreement), study: Some(id) }.address();
        view! {
            <Notice><p>{t.disagreements_not_blind}" "<a href=blind>{t.to_blind}</a></p></Notice>
            <ul class="card-list disagreements">{cards}</ul>
        }
        .into_any()
    };
    view! {
        <StudyFrame title counts here=StudyTab::Disagreements>
            <FormError of=move || ask.value().get().and_then(Result::err)/>
            {body}
            {around}
        </StudyFrame>
    }
    .into_any()
}

fn card(
    i: I18n,
    study: StudyId,
    rubric: &Rubric,
    row: DisagreementRow,
    ask: FormAction<AskExtra>,
) -> impl IntoView + use<> {
    let (t, a) = (i.quality(), i.admin());
    let (tone, word) = match row.state {
        DisagreementState::Waiting => (Tone::Bad, t.waiting),
        DisagreementState::ExtraRater => (Tone::Care, t.extra),
        DisagreementState::Median => (Tone::Good, t.median),
        DisagreementState::Adjudicated => (Tone::Good, t.decided),
    };
    let dimensions: Vec<Dimension> = rubric.dimensions.iter().cloned().chain(row.instructions).collect();
    let heads = dimensions
        .iter()
        .map(|d| view! { <th scope="col" class="num">{d.name.get(i.lang).to_owned()}</th> })
        .collect_view();
    let line = |name: String, scores: Vec<Option<f64>>, class: &'static str| {
        let cells = scores.into_iter().enumerate();
        let cells = cells.map(|(d, s)| view! { <td class="num">{score(i, dimensions.get(d), s)}</td> }).collect_view();
        view! { <tr class=class><th scope="row">{name}</th>{cells}</tr> }
    };
    let whole = |scores: Vec<u8>| scores.into_iter().map(|score| Some(f64::from(score))).collect();
    let given = row.ratings.into_iter().map(|(name, scores)| line(name, whole(scores), "")).collect_view();
    let last = row.final_scores.map(|scores| {
        // A median has no final answers about instructions.
        let scores = scores.into_iter().map(Some).chain(std::iter::repeat(None)).take(dimensions.len());
        line(t.final_scores.to_owned(), scores.collect(), "final-row")
    });
    let past = (!row.history.is_empty()).then(|| history(i, &dimensions, row.history));
    let is_final = matches!(row.state, DisagreementState::Adjudicated | DisagreementState::Median);
    let known = is_final.then(|| format!("/admin/studies/{study}/quality?output={}", row.output));
    let known_task = row.task_id.clone();
    let decided = row.state == DisagreementState::Adjudicated;
    let text = if decided { t.decide_again } else { t.decide };
    let decide = match row.token {
        Some(token) => {
            view! { <a class="button" href=format!("/adjudicate/{token}")>{text}<span class="visually-hidden">" "{row.task_id.clone()}</span></a> }.into_any()
        }
        None => view! { <span class="muted small">{t.own_rating}</span> }.into_any(),
    };
    let may_ask = row.rater_left && matches!(row.state, DisagreementState::Waiting | DisagreementState::Median);
    let (output, table_id) = (row.output.to_string(), format!("disagreement-{}", row.output));
    view! {
        <li class="card stack-tight">
            <p class="row">
                <Badge tone>{word}</Badge>
                <a href=format!("/admin/studies/{study}/tasks/{}", row.task)>{row.task_id.clone()}</a>
                <span id=table_id.clone()>{row.model}</span>
            </p>
            <p class="nl-text" lang=row.nl_lang.tag()>{row.raw_nl}</p>
            <div class="table-box" role="group" aria-labelledby=table_id tabindex="0">
                <table class="table ratings">
                    <thead><tr><th scope="col">{a.rater}</th>{heads}</tr></thead>
                    <tbody>{given}{last}</tbody>
                </table>
            </div>
            <div class="row">
                {decide}
                {known.map(|href| view! {
                    <a class="button quiet" href=href>{t.known_this}<span class="visually-hidden">" "{known_task}</span></a>
                })}
                {may_ask.then(|| view! {
                    <ActionForm action=ask>
                        <input type="hidden" name="study" value=study.to_string()/>
                        <input type="hidden" name="output" value=output.clone()/>
                        <button class="button" type="submit" disabled=move || ask.pending().get()>{t.ask_extra}</button>
                    </ActionForm>
                })}
            </div>
            {past}
        </li>
    }
}

/// The decisions on an output, latest first.
fn history(i: I18n, dimensions: &[Dimension], decisions: Vec<Decision>) -> impl IntoView + use<> {
    let t = i.quality();
    let items = decisions
        .into_iter()
        .map(|d| {
            let scores = whole_scores(i, dimensions, &d.scores, Names::Full);
            let old = d.replaced.then(|| view! { <Badge>{t.replaced}</Badge> });
            let why = (!d.comment.is_empty()).then(|| {
                let lang = Lang::detect(&d.comment).tag();
                view! { <p class="comment" lang=lang>{d.comment.clone()}</p> }
            });
            view! { <li><p class="row">{scores}<span>{d.by}</span><span class="muted small">{i.time(d.at)}</span>{old}</p>{why}</li> }
        })
        .collect_view();
    view! { <details class="more"><summary>{t.history}</summary><ul class="history">{items}</ul></details> }
}
