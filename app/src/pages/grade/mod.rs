//! Grading: one output at a time, described, shown and scored.
//!
//! `/grade/:study` shows the next output; `/grade/:study/:item` one that was given before. Both
//! draw the same [`workbench`] with its [`form`] of [`scales`]; [`keys`] says which key does what,
//! [`hands`] does it, [`desk`] keeps what is put down from being lost, [`browser`] is what they need
//! of the browser.

mod browser;
mod desk;
mod form;
mod hands;
mod help;
mod keys;
mod scales;
mod workbench;

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::{
    NavigateOptions,
    hooks::{use_navigate, use_params_map},
};

use self::{desk::Outcome, workbench::Workbench};
use crate::{
    i18n::{use_i18n, use_visitor},
    model::{
        grading::{GradingItem, Next, Progress},
        ids::Token,
        lang::Lang,
    },
    rpc::grading::{item, next_item},
    ui::{announce::sayer, load::Load, notice},
};

/// How the rater likes to see things, from one output to the next.
#[derive(Clone, Copy)]
pub struct Habits {
    /// Code as it came instead of laid out.
    raw: RwSignal<bool>,
    /// The rubric's language.
    rubric: RwSignal<Lang>,
    /// Whether single keys act.
    keys: RwSignal<bool>,
}

/// Makes the habits available below; the root calls it once.
pub fn provide_habits() {
    provide_context(Habits {
        raw: RwSignal::new(false),
        rubric: RwSignal::new(use_visitor().lang),
        keys: RwSignal::new(true),
    });
}

/// `/grade/:study`: the next output.
#[component]
pub fn GradeNextPage() -> impl IntoView {
    let params = use_params_map();
    let study = Memo::new(move |_| params.read().get("study").unwrap_or_default());
    let next = Resource::new_blocking(move || study.get(), |study| next_item(Token(study), Vec::new()));
    let say = sayer();
    let i18n = use_i18n();
    let go_on = Callback::new(move |outcome: Outcome| {
        say(done_text(i18n.rater(), outcome).into());
        next.refetch();
    });
    view! {
        <Load data=next let:next>
            {match next {
                Next::Item(item) => view! { <Workbench item=*item done=go_on /> }.into_any(),
                Next::Finished { title, progress, previous } => {
                    view! { <Finished study=study.get_untracked() title progress previous /> }.into_any()
                }
                Next::Paused { title, progress } => {
                    view! { <Paused study=study.get_untracked() title progress /> }.into_any()
                }
            }}
        </Load>
    }
}

/// `/grade/:study/:item`: an output that was given before. What the form without JavaScript has
/// to say comes as `?error=…`.
#[component]
pub fn GradeItemPage() -> impl IntoView {
    let params = use_params_map();
    let token = Memo::new(move |_| params.read().get("item").unwrap_or_default());
    let data = Resource::new_blocking(move || token.get(), |token| item(Token(token)));
    let say = sayer();
    let i18n = use_i18n();
    let navigate = use_navigate();
    let go_on = Callback::new(move |(outcome, item): (Outcome, GradingItem)| {
        say(done_text(i18n.rater(), outcome).into());
        navigate(&onward(&item), NavigateOptions::default());
    });
    view! {
        <Load data let:item>
            {
                let then = item.clone();
                let done = Callback::new(move |outcome| go_on.run((outcome, then.clone())));
                view! { <Workbench item done /> }
            }
        </Load>
    }
}

/// Where one goes after `item`: forward through what was rated before, else to the next output.
fn onward(item: &GradingItem) -> String {
    match &item.following {
        Some(following) => format!("/grade/{}/{following}", item.study),
        None => format!("/grade/{}", item.study),
    }
}

fn done_text(t: &crate::i18n::rater::Rater, outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Rated => t.said_rated,
        Outcome::Skipped => t.said_skipped,
    }
}

/// Nothing is left.
#[component]
fn Finished(study: String, title: String, progress: Progress, previous: Option<Token>) -> impl IntoView {
    let i18n = use_i18n();
    let t = i18n.rater();
    view! {
        <Title text=title.clone() />
        <div class="page narrow">
            <p class="eyebrow">{title}</p>
            <h1>{t.finished_title}</h1>
            <p class="lead">{(t.finished_lead)(progress.rated)}</p>
            <notice::Progress value=progress.rated max=progress.rated label=t.progress_label />
            <p class="row">
                <a class="button primary" href="/desk">{t.to_desk}</a>
                <a class="button" href=format!("/studies/{study}/mine")>{t.mine_title}</a>
                {previous
                    .map(|previous| {
                        view! { <a class="button quiet" href=format!("/grade/{study}/{previous}")>{t.back_to_last}</a> }
                    })}
            </p>
        </div>
    }
}

/// The study takes no ratings now.
#[component]
fn Paused(study: String, title: String, progress: Progress) -> impl IntoView {
    let i18n = use_i18n();
    let t = i18n.rater();
    view! {
        <Title text=title.clone() />
        <div class="page narrow">
            <p class="eyebrow">{title}</p>
            <h1>{t.paused_title}</h1>
            <p class="lead">{t.paused_lead}</p>
            <p class="muted">{(t.progress_text)(progress.rated, progress.left)}</p>
            <p class="row">
                <a class="button primary" href="/desk">{t.to_desk}</a>
                <a class="button" href=format!("/studies/{study}/mine")>{t.mine_title}</a>
            </p>
        </div>
    }
}
