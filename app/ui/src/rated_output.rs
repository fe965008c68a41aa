//! An output with ratings of it: its task, its code with the raters' notes on their lines, and their scores and comments.

use leptos::prelude::*;

use crate::{
    code::CodeBox,
    description::task_text,
    flag::{flag_badge, flag_words},
    margin::read_only,
    scores::{Names, whole_scores},
};
use model::{
    feedback::{AnonymousRating, RatedOutput},
    lang::Lang,
};
use texts::I18n;

/// The task and the code. `names` are those of the ratings, in their order.
pub fn task_and_code(i: I18n, output: &RatedOutput, names: &[String]) -> AnyView {
    let RatedOutput { raw_nl, nl_lang, signature, code, conversation, ratings, .. } = output.clone();
    let notes = ratings.into_iter().zip(names);
    let notes: Vec<_> =
        notes.flat_map(|(rating, name)| rating.notes.into_iter().map(|note| (note, name.clone()))).collect();
    let code = if notes.is_empty() {
        view! { <CodeBox code /> }.into_any()
    } else {
        view! { <CodeBox code margin=read_only(notes) /> }.into_any()
    };
    view! {
        <section class="task">
            {task_text(nl_lang, &raw_nl, signature, i.quality().asked_signature, ().into_any())}
            {conversation.map(|html| view! { <div inner_html=html></div> })}
        </section>
        {code}
    }
    .into_any()
}

/// The ratings, one below the other: name, scores, flag and comment. `action` draws what can be done with one of them.
pub fn ratings(i: I18n, output: &RatedOutput, names: &[String], action: impl Fn(usize) -> AnyView) -> AnyView {
    let rows = output.ratings.iter().zip(names).enumerate();
    let rows = rows
        .map(|(n, (rating, name))| {
            let AnonymousRating { scores, comment, flag, .. } = rating.clone();
            let scores = whole_scores(i, &output.rubric.dimensions, &scores, Names::Full);
            let flag = flag.map(|flag| view! { <p>{flag_badge(i, &flag)}</p>{flag_words(&flag)} });
            let comment = (!comment.is_empty()).then(|| {
                let lang = Lang::detect(&comment).tag();
                view! { <p class="comment" lang=lang>{comment}</p> }
            });
            view! {
                <li class="rated-by">
                    <p class="rated-head"><b>{name.clone()}</b>{scores}{action(n)}</p>
                    {flag}
                    {comment}
                </li>
            }
        })
        .collect_view();
    view! { <ul class="rated">{rows}</ul> }.into_any()
}
