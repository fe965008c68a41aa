//! `/adjudicate` and `/adjudicate/:token`: disagreements to adjudicate. Neither raters nor models are named
//! here, for admins either.

mod keyboard;

use leptos::prelude::*;
use leptos_router::hooks::{use_location, use_params_map, use_query_map};

use model::{
    error::AppError,
    feedback::{AnonymousRating, Disagreement, DisagreementLine, DisagreementQueue},
    ids::Token,
    lang::Lang,
    rubric::Dimension,
};
use rpc::quality::{Adjudicate, my_disagreements, open_disagreement};
use texts::I18n;
use ui::{
    code::CodeBox,
    context::{use_i18n, use_visitor},
    description::task_text,
    failure::{ProblemList, error_text},
    flag::{flag_badge, flag_words},
    form::{ActionForm, FormAction},
    frame::Page,
    load::{Data, Load},
    notice::{Empty, Notice, Tone},
    text_area::area_text,
};

/// The list.
#[component]
pub fn AdjudicatePage() -> impl IntoView {
    let i = use_i18n();
    let t = i.quality();
    let data = Data::new(|| (), |()| my_disagreements());
    let query = use_query_map();
    let stored = move || query.read().get("adjudicated").is_some();
    view! {
        <Page title=t.adjudicate crumbs=vec![("/my-studies".into(), i.common.nav_my_studies.into())]>
            {move || stored().then(|| view! { <Notice tone=Tone::Good><p>{t.adjudicate_done}</p></Notice> })}
            <Load data let:queue>{list(i, queue)}</Load>
        </Page>
    }
}

fn list(i: I18n, queue: DisagreementQueue) -> AnyView {
    let t = i.quality();
    let (done, waiting): (Vec<_>, Vec<_>) = queue.lines.into_iter().partition(|line| line.adjudicated_at.is_some());
    let card = move |line: DisagreementLine| {
        view! {
            <li class="card stack-tight">
                <p><a href=format!("/adjudicate/{}", line.token) lang=line.nl_lang.tag()>{line.raw_nl}</a></p>
                <p class="row muted small">
                    <span>{line.title}</span>
                    <span>{(t.spread_n)(line.spread)}</span>
                    {line.adjudicated_at.map(|at| view! { <span>{i.time(at)}</span> })}
                </p>
            </li>
        }
    };
    let more = move |all: u64, shown: usize| {
        let hidden = all.saturating_sub(shown as u64);
        (hidden > 0).then(|| view! { <p class="muted">{(t.more_n)(hidden)}</p> })
    };
    let (more_waiting, more_done) = (more(queue.waiting, waiting.len()), more(queue.adjudicated, done.len()));
    let waits = if waiting.is_empty() {
        view! { <Empty title=t.adjudicate_none><p>{t.adjudicate_none_hint}</p></Empty> }.into_any()
    } else {
        view! {
            <p class="lead">{t.adjudicate_lead}</p>
            <ul class="card-list">{waiting.into_iter().map(card).collect_view()}</ul>
            {more_waiting}
        }
        .into_any()
    };
    let yours = (!done.is_empty()).then(|| {
        view! {
            <section class="stack" aria-labelledby="adjudicated">
                <h2 id="adjudicated">{t.yours}</h2>
                <ul class="card-list">{done.into_iter().map(card).collect_view()}</ul>
                {more_done}
            </section>
        }
    });
    view! { {waits}{yours} }.into_any()
}

/// One disagreement.
#[component]
pub fn DisagreementPage() -> impl IntoView {
    let i = use_i18n();
    let t = i.quality();
    let params = use_params_map();
    let token = Memo::new(move |_| params.read().get("token").unwrap_or_default());
    let decide = FormAction::<Adjudicate>::new();
    let data = Data::new(move || token.get(), |token| open_disagreement(Token(token)));
    // The router's own: `use_query_map` does not update when one disagreement follows another
    // (leptos_router 0.8.17 renews a route's address only if its path stays).
    let query = use_location().query;
    let stored = move || query.read().get("adjudicated").is_some();
    let from_inbox = use_visitor().is_admin() && query.read_untracked().get("from").as_deref() == Some("inbox");
    let crumb = if from_inbox { ("/admin/inbox", i.common.nav_inbox) } else { ("/adjudicate", t.to_list) };
    keyboard::listen();
    view! {
        <Page title=t.adjudicate crumbs=vec![(crumb.0.into(), crumb.1.into())]>
            {move || stored().then(|| view! { <Notice tone=Tone::Good><p>{t.adjudicate_done}</p></Notice> })}
            <Load data let:disagreement>
                // Keyed by name, so that the next one begins with an empty form instead of the previous
                // scores.
                <For each=move || [disagreement.clone()] key=|disagreement| disagreement.token.0.clone() let:disagreement>
                    {one(i, disagreement, decide, from_inbox)}
                </For>
            </Load>
        </Page>
    }
}

fn one(i: I18n, d: Disagreement, decide: FormAction<Adjudicate>, from_inbox: bool) -> AnyView {
    let t = i.quality();
    let Disagreement {
        token,
        title,
        raw_nl,
        nl_lang: lang,
        signature,
        code,
        conversation,
        rubric,
        ratings,
        adjudicated,
        adjudicated_at,
    } = d;
    let heads =
        rubric.dimensions.iter().map(|d| view! { <th scope="col" class="num">{d.name.get(i.lang).to_owned()}</th> });
    let heads = heads.collect_view();
    let voices =
        ratings.into_iter().enumerate().map(|(n, voice)| voice_rows(i, n, &rubric.dimensions, voice)).collect_view();
    let (before, comment) = adjudicated.map(|(scores, comment)| (Some(scores), comment)).unwrap_or_default();
    let again = before.is_some();
    let scales = rubric
        .dimensions
        .into_iter()
        .enumerate()
        .map(|(d, dimension)| {
            let chosen = before.as_ref().and_then(|scores| scores.get(d).copied());
            scale(i, d, dimension, chosen)
        })
        .collect_view();
    let error = move || decide.value().get().and_then(Result::err);
    view! {
        <p class="eyebrow">{title}</p>
        <section class="task">{task_text(lang, &raw_nl, signature, t.asked_signature, ().into_any())}
            {conversation.map(|html| view! { <div inner_html=html></div> })}
        </section>
        <CodeBox code/>
        <section class="stack" aria-labelledby="opinions">
            <h2 id="opinions">{t.opinions}</h2>
            <div class="table-box" role="group" aria-labelledby="opinions" tabindex="0">
                <table class="table ratings">
                    <thead><tr><td></td>{heads}</tr></thead>
                    <tbody>{voices}</tbody>
                </table>
            </div>
        </section>
        <section class="card stack" aria-labelledby="decision">
            <h2 id="decision">{t.decision}</h2>
            {again.then(|| view! { <p class="muted">{t.adjudicate_done}</p> })}
            <ActionForm action=decide attr:class="stack">
                <input type="hidden" name="token" value=token.0/>
                <input type="hidden" name="seen" value=adjudicated_at.map_or(0, |at| at.0).to_string()/>
                {from_inbox.then(|| view! { <input type="hidden" name="inbox" value="true"/> })}
                <div class="decision-scales">{scales}</div>
                <div class="field">
                    <label class="label" for="decision-comment">{t.why}</label>
                    <textarea class="input" id="decision-comment" name="comment" rows="3" maxlength="4000" aria-describedby="decision-hint">{area_text(&comment)}</textarea>
                    <p class="hint" id="decision-hint">{t.why_hint}</p>
                </div>
                <p><button class="button primary" id="decision-save" type="submit" disabled=move || decide.pending().get()>{t.decide_button}</button></p>
                <p class="hint">{t.adjudicate_keys}</p>
            </ActionForm>
            {move || error().map(|e| match e {
                AppError::Invalid(problems) => view! { <Notice tone=Tone::Bad><ProblemList problems/></Notice> }.into_any(),
                e => view! { <Notice tone=Tone::Bad><p>{error_text(&e, i)}</p></Notice> }.into_any(),
            })}
        </section>
    }
    .into_any()
}

fn scale(i: I18n, place: usize, dimension: Dimension, chosen: Option<u8>) -> impl IntoView {
    let statement = dimension.checklist.then(|| dimension.question.get(i.lang).to_owned());
    let levels = dimension
        .levels
        .into_iter()
        .map(|level| {
            let label = level.label.get(i.lang).to_owned();
            view! {
                <label class="level">
                    <input type="radio" name=format!("scores[{place}]") value=level.score.to_string() required checked=chosen == Some(level.score)/>
                    <span class="level-score">{level.score}</span>
                    <span class="level-text">
                        {(!label.is_empty()).then(|| view! { <b>{label}</b> " " })}
                        {level.text.get(i.lang).to_owned()}
                    </span>
                </label>
            }
        })
        .collect_view();
    view! {
        <fieldset class=if dimension.checklist { "scale item" } else { "scale" }>
            <legend class="scale-head"><span class="scale-name">{dimension.name.get(i.lang).to_owned()}</span>" "<span class="scale-question">{statement}</span></legend>
            <div class="levels">{levels}</div>
        </fieldset>
    }
}

fn voice_rows(i: I18n, n: usize, dimensions: &[Dimension], voice: AnonymousRating) -> impl IntoView + use<> {
    let t = i.quality();
    let AnonymousRating { scores, comment, flag, notes } = voice;
    let width = dimensions.len() + 1;
    let cells =
        scores.into_iter().enumerate().map(|(d, s)| view! { <td class="num">{i.score(dimensions.get(d), s)}</td> });
    let cells = cells.collect_view();
    let flag = flag.map(|f| view! { <p>{flag_badge(i, &f)}</p>{flag_words(&f)} });
    let comment_view = (!comment.is_empty()).then(|| {
        let lang = Lang::detect(&comment).tag();
        view! { <p class="comment" lang=lang>{comment.clone()}</p> }
    });
    let notes = notes
        .into_iter()
        .map(|(line, text)| {
            let lang = Lang::detect(&text).tag();
            view! { <p class="comment"><b>{(t.place)(line.into())}</b>" "<span lang=lang>{text.clone()}</span></p> }
        })
        .collect::<Vec<_>>();
    let any = flag.is_some() || comment_view.is_some() || !notes.is_empty();
    view! {
        <tr><th scope="row">{(t.letter)(n)}</th>{cells}</tr>
        {any.then(|| view! { <tr class="said-row"><td colspan=width>{flag}{comment_view}{notes}</td></tr> })}
    }
}
