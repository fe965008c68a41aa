//! `/adjudicate` and `/adjudicate/:token`: disagreements to adjudicate. Neither raters nor models are named
//! here, for admins either.

mod keyboard;

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::{use_location, use_params_map, use_query_map};

use crate::grade::key_names;
use model::{
    error::AppError,
    feedback::{Disagreement, DisagreementLine, DisagreementQueue},
    ids::Token,
    keys::Action,
    rubric::Dimension,
};
use rpc::quality::{Adjudicate, my_disagreements, open_disagreement};
use texts::{I18n, quality::letter_of};
use ui::{
    context::{use_i18n, use_visitor},
    failure::{ProblemList, error_text},
    form::{ActionForm, FormAction},
    frame::Page,
    load::{Data, Load},
    notice::{Empty, Notice, Tone},
    rated_output::{ratings, task_and_code},
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

/// One disagreement, in the layout of the grading page.
#[component]
pub fn DisagreementPage() -> impl IntoView {
    let i = use_i18n();
    let params = use_params_map();
    let token = Memo::new(move |_| params.read().get("token").unwrap_or_default());
    let decide = FormAction::<Adjudicate>::new();
    let data = Data::new(move || token.get(), |token| open_disagreement(Token(token)));
    let queue = Data::new(move || token.get(), |_| my_disagreements());
    // The router's own: `use_query_map` does not update when one disagreement follows another
    // (leptos_router 0.8.17 renews a route's address only if its path stays).
    let query = use_location().query;
    let stored = move || query.read().get("adjudicated").is_some();
    let from_inbox = use_visitor().is_admin() && query.read_untracked().get("from").as_deref() == Some("inbox");
    keyboard::listen();
    view! {
        <Load data let:disagreement>
            // Keyed by name, so that the next one begins with an empty form instead of the previous scores.
            <For each=move || [disagreement.clone()] key=|disagreement| disagreement.token.0.clone() let:disagreement>
                {
                    let here = disagreement.token.clone();
                    let queue = view! { <Load data=queue let:queue>{around(i, queue, &here, from_inbox)}</Load> }.into_any();
                    let stored = move || stored().then(|| view! { <Notice tone=Tone::Good><p>{i.quality().adjudicate_done}</p></Notice> });
                    one(i, disagreement, decide, from_inbox, queue, stored.into_any())
                }
            </For>
        </Load>
    }
}

/// The address of a disagreement.
fn address(token: &Token, from_inbox: bool) -> String {
    format!("/adjudicate/{token}{}", if from_inbox { "?from=inbox" } else { "" })
}

/// Where the disagreement is among those that wait, what comes before and after it, and the list.
fn around(i: I18n, queue: DisagreementQueue, here: &Token, from_inbox: bool) -> AnyView {
    let t = i.quality();
    let key = key_names();
    let waiting: Vec<_> = queue.lines.into_iter().filter(|line| line.adjudicated_at.is_none()).collect();
    let at = waiting.iter().position(|line| line.token == *here);
    let place = at.map(|at| (t.nth_of)(at as u64 + 1, queue.waiting));
    let link = |line: Option<&DisagreementLine>, id: &'static str, name: &'static str, action: Action| {
        line.filter(|line| line.token != *here).map(|line| {
            view! { <a class="button quiet" id=id href=address(&line.token, from_inbox)>{name} " " <kbd>{key(action)}</kbd></a> }
        })
    };
    let previous =
        link(at.and_then(|at| waiting.get(at.checked_sub(1)?)), "previous-one", t.previous_one, Action::Back);
    let next = link(at.and_then(|at| waiting.get(at + 1)), "next-one", t.next_one, Action::Forward);
    // On, and from the end to the beginning: what was skipped comes again.
    let after = at.map_or(0, |at| at + 1);
    let skip = link(waiting.get(after).or_else(|| waiting.first()), "skip-one", t.skip_one, Action::Skip);
    let lines = waiting
        .iter()
        .map(|line| {
            let current = (line.token == *here).then_some("page");
            view! {
                <li>
                    <a href=address(&line.token, from_inbox) aria-current=current>
                        <span class="queue-text" lang=line.nl_lang.tag()>{line.raw_nl.clone()}</span>
                        <span class="muted small">{line.title.clone()} " · " {(t.spread_n)(line.spread)}</span>
                    </a>
                </li>
            }
        })
        .collect_view();
    let (all, name) = if from_inbox { ("/admin/inbox", i.common.nav_inbox) } else { ("/adjudicate", t.to_list) };
    view! {
        <span class="grading-count">{place}</span>
        <nav class="grading-nav" aria-label=t.queue>
            {previous}{next}{skip}
            <a class="button quiet" href=all>{name}</a>
        </nav>
        <nav class="queue" aria-label=t.disagreements_waiting><ol>{lines}</ol></nav>
    }
    .into_any()
}

fn one(
    i: I18n,
    d: Disagreement,
    decide: FormAction<Adjudicate>,
    from_inbox: bool,
    around: AnyView,
    stored: AnyView,
) -> AnyView {
    let t = i.quality();
    let Disagreement { token, title, output, adjudicated, adjudicated_at } = d;
    let names: Vec<String> = (0..output.ratings.len()).map(t.letter).collect();
    let scores_by_rater: Vec<Vec<u8>> = output.ratings.iter().map(|rating| rating.scores.clone()).collect();
    let accept = |n: usize| accept(i, n, scores_by_rater.get(n).cloned().unwrap_or_default());
    let opinions = ratings(i, &output, &names, accept);
    let task = task_and_code(i, &output, &names);
    let (before, comment) = adjudicated.map(|(scores, comment)| (Some(scores), comment)).unwrap_or_default();
    let again = before.is_some();
    let scales = output.rubric.dimensions.into_iter().enumerate().map(|(d, dimension)| {
        let chosen = before.as_ref().and_then(|scores| scores.get(d).copied());
        let scores_by_rater = scores_by_rater.iter().map(|scores| scores.get(d).copied()).collect();
        scale(i, d, dimension, chosen, scores_by_rater)
    });
    let scales = scales.collect_view();
    let error = move || decide.value().get().and_then(Result::err);
    view! {
        <Title text=format!("{} · {title}", t.adjudicate_one)/>
        <div class="grading adjudication">
            <div class="grading-bar">
                <h1 class="grading-title">{t.adjudicate_one} ": " {title}</h1>
                {around}
            </div>
            <div class="grading-work">
                {stored}
                {task}
            </div>
            <ActionForm action=decide attr:class="rating" attr:aria-label=t.decision>
                <input type="hidden" name="token" value=token.0/>
                <input type="hidden" name="seen" value=adjudicated_at.map_or(0, |at| at.0).to_string()/>
                {from_inbox.then(|| view! { <input type="hidden" name="inbox" value="true"/> })}
                <div class="rating-body">
                    <section class="opinions" aria-label=t.opinions>{opinions}</section>
                    {again.then(|| view! { <p class="opinions muted">{t.adjudicate_done}</p> })}
                    <div class="decision-scales">{scales}</div>
                </div>
                <div class=if comment.is_empty() { "extra" } else { "extra open" }>
                    <div class="field reason">
                        <label class="label" for="decision-comment">{t.why} " " <kbd>{key_names()(Action::Comment)}</kbd></label>
                        <textarea class="input" id="decision-comment" name="comment" rows="1" maxlength="4000" aria-describedby="decision-hint">{area_text(&comment)}</textarea>
                        <p class="hint" id="decision-hint">{t.why_hint}</p>
                    </div>
                </div>
                <div class="rating-foot">
                    {move || error().map(|e| match e {
                        AppError::Invalid(problems) => view! { <Notice tone=Tone::Bad><ProblemList problems/></Notice> }.into_any(),
                        e => view! { <Notice tone=Tone::Bad><p>{error_text(&e, i)}</p></Notice> }.into_any(),
                    })}
                    <div class="rating-act">
                        <span class="extra-keys">
                            <button class="button quiet" type="button" on:click=|_| keyboard::write_reason()>
                                {t.why} " " <kbd>{key_names()(Action::Comment)}</kbd>
                            </button>
                        </span>
                        <p class="hint scripted">{t.adjudicate_keys}</p>
                        <button class="button primary submit" id="decision-save" type="submit" disabled=move || decide.pending().get()>
                            {t.decide_button} <kbd>"Enter"</kbd>
                        </button>
                    </div>
                </div>
            </ActionForm>
        </div>
    }
    .into_any()
}

/// A button that takes over a rater's scores.
fn accept(i: I18n, n: usize, scores: Vec<u8>) -> AnyView {
    let t = i.quality();
    let letter = letter_of(n);
    let key = (n < 26).then(|| view! { " " <kbd>{format!("⇧{letter}")}</kbd> });
    view! {
        <button
            class="button scripted accept"
            type="button"
            data-accept=letter
            aria-label=(t.accept)(&(t.letter)(n))
            on:click=move |_| keyboard::take_over(&scores)
        >
            {t.accept_short}
            {key}
        </button>
    }
    .into_any()
}

/// A dimension's levels, each with the letters of the raters who chose it. `scores_by_rater` has the score of each, in the order of their letters.
fn scale(
    i: I18n,
    place: usize,
    dimension: Dimension,
    chosen: Option<u8>,
    scores_by_rater: Vec<Option<u8>>,
) -> impl IntoView {
    let t = i.quality();
    let question = dimension.question.get(i.lang).to_owned();
    let levels = dimension
        .levels
        .into_iter()
        .map(|level| {
            let label = level.label.get(i.lang).to_owned();
            let who: Vec<usize> =
                scores_by_rater.iter().enumerate().filter(|(_, score)| **score == Some(level.score)).map(|(n, _)| n).collect();
            let spoken = (!who.is_empty()).then(|| {
                let names: Vec<String> = who.iter().map(|n| (t.letter)(*n)).collect();
                view! { <span class="visually-hidden">{format!(" ({})", (t.chosen_by)(&names.join(", ")))}</span> }
            });
            let marks = who.into_iter().map(|n| view! { <b class="rater-mark">{letter_of(n)}</b> }).collect_view();
            view! {
                <label class="level">
                    <input type="radio" name=format!("scores[{place}]") value=level.score.to_string() required checked=chosen == Some(level.score)/>
                    <span class="level-score">{level.score}</span>
                    <span class="level-text">
                        {(!label.is_empty()).then(|| view! { <b>{label}</b> " " })}
                        {level.text.get(i.lang).to_owned()}
                        {spoken}
                    </span>
                    <span class="rater-marks" aria-hidden="true">{marks}</span>
                </label>
            }
        })
        .collect_view();
    view! {
        <fieldset class=if dimension.checklist { "scale item" } else { "scale" }>
            <legend class="scale-head"><span class="scale-name">{dimension.name.get(i.lang).to_owned()}</span>" "<span class="scale-question">{question}</span></legend>
            <div class="levels">{levels}</div>
        </fieldset>
    }
}
