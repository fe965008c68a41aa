//! On the rater's start page: replies to flags, disagreements to adjudicate, the rater's own figures.

use leptos::prelude::*;

use model::{
    feedback::{FlagReply, OwnFigures, RaterFeedback},
    quality::Match,
};
use rpc::quality::ReadReplies;
use texts::I18n;
use ui::{
    context::use_i18n,
    flag::flag_words,
    form::{ActionForm, FormAction},
    notice::Badge,
};

/// Replies and disagreements for a rater; empty without any.
pub fn rater_feedback(i: I18n, back: RaterFeedback) -> impl IntoView {
    let t = i.feedback();
    let RaterFeedback { replies, disagreements, .. } = back;
    let decide = (disagreements > 0).then(|| {
        view! { <p class="card row"><a class="button primary" href="/adjudicate">{(t.decide_n)(disagreements)}</a></p> }
    });
    view! {
        {decide}
        {(!replies.is_empty()).then(|| view! { <Replies replies/> })}
    }
}

/// A rater's own figures; empty without any.
pub fn rater_figures(i: I18n, back: RaterFeedback) -> impl IntoView {
    let mut figures = back.figures;
    // At the beginning of a study, nothing has been measured yet.
    figures.retain(|own| own.per_hour.is_some() || minutes(own) > 0 || own.figures.is_some());
    (!figures.is_empty()).then(|| own_figures(i, figures))
}

#[component]
fn Replies(replies: Vec<FlagReply>) -> impl IntoView {
    let i = use_i18n();
    let t = i.feedback();
    let fresh = replies.iter().any(|r| r.fresh);
    let read = FormAction::<ReadReplies>::new();
    let was_read = move || read.value().get().is_some_and(|answer| answer.is_ok());
    let rows = replies
        .into_iter()
        .map(|r| {
            let words = if r.reply.is_empty() { t.no_words.to_owned() } else { r.reply };
            let (reason, details) = (i.flags().reason(r.flag.reason), flag_words(&r.flag));
            let new = r.fresh;
            view! {
                <li class="card stack-tight">
                    <p class="row">
                        <a href=format!("/grade/{}/{}", r.study, r.token) lang=r.nl_lang.tag()>{r.raw_nl}</a>
                        {move || (new && !was_read()).then(|| view! { <Badge>{t.new}</Badge> })}
                    </p>
                    <p class="muted small">{t.you_raised}" "{reason}</p>
                    {details}
                    <p class="reply-text">{words}</p>
                    <p class="muted small">{r.title}" · "{i.time(r.at)}</p>
                </li>
            }
        })
        .collect_view();
    view! {
        <section class="stack" aria-labelledby="came-back">
            <h2 id="came-back">{t.replies_title}</h2>
            <ul class="card-list">{rows}</ul>
            {move || (fresh && !was_read()).then(|| view! {
                <ActionForm action=read>
                    <button class="button" type="submit">{t.mark_read}</button>
                </ActionForm>
            })}
        </section>
    }
}

fn minutes(own: &OwnFigures) -> u64 {
    own.active_ms / 60_000
}

fn own_figures(i: I18n, figures: Vec<OwnFigures>) -> impl IntoView {
    let t = i.feedback();
    let cards = figures
        .into_iter()
        .map(|own| {
            let minutes = minutes(&own);
            let more = own.figures.map(|(rubric, f)| {
                let names: Vec<String> = rubric.dimensions.iter().map(|d| d.name.get(i.lang).to_owned()).collect();
                view! {
                    {matched(i, t.with_peers, &f.peers)}
                    {matched(i, t.with_known_scores, &f.known_items)}
                    {matched(i, t.with_self, &f.again)}
                    {leniency(i, &names, &f.peers)}
                }
            });
            view! {
                <li class="card stack-tight">
                    <h3>{own.title}</h3>
                    <dl class="facts">
                        {own.per_hour.map(|n| view! { <div><dt>{t.pace}</dt><dd>{(t.per_hour)(&i.number(n.round() as u64))}</dd></div> })}
                        {(minutes > 0).then(|| view! { <div><dt>{t.active}</dt><dd>{(t.hours)(minutes / 60, minutes % 60)}</dd></div> })}
                        {more}
                    </dl>
                </li>
            }
        })
        .collect_view();
    view! {
        <section class="stack" aria-labelledby="own-figures">
            <h2 id="own-figures">{t.own_figures}</h2>
            <ul class="card-list">{cards}</ul>
        </section>
    }
}

fn matched(i: I18n, name: &'static str, m: &Match) -> Option<impl IntoView + use<>> {
    let t = i.feedback();
    let text = (t.matches)(m.exact?, m.within_one?);
    let outputs = (t.outputs_n)(m.outputs);
    Some(view! { <div><dt>{name}</dt><dd>{text}" "<span class="muted">{outputs}</span></dd></div> })
}

fn leniency(i: I18n, names: &[String], m: &Match) -> Option<impl IntoView + use<>> {
    let t = i.feedback();
    let each: Vec<String> =
        names.iter().zip(&m.difference).filter_map(|(name, d)| d.map(|d| format!("{name} {d:+.2}"))).collect();
    (!each.is_empty()).then(|| {
        view! { <div><dt>{t.leniency}</dt><dd>{each.join(" · ")}<span class="muted small">" "{t.leniency_hint}</span></dd></div> }
    })
}
