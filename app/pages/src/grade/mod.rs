//! Grading: one output at a time, with description, code and scales.
//!
//! `/grade/:study` shows the next output; `/grade/:study/:item` an earlier one. Both draw the same
//! [`grading_view`] with its [`form`] of [`scales`] and its line [`notes`]; [`keys`] gives the meaning of
//! keys, [`shortcuts`] executes it, [`session`] saves drafts, [`submit_queue`] delivers submissions ([`bar`]
//! reports if it cannot), [`prefetch`] loads the next output, [`browser`] has the browser functions.
//! [`tour`] is the same page for practice.

mod activity;
mod bar;
mod bookmark;
mod browser;
mod calibration;
mod drafts;
mod form;
mod grading_view;
mod guidelines;
pub mod help;
mod keys;
mod notes;
mod prefetch;
pub mod scales;
mod session;
mod shortcuts;
pub mod side_by_side;
mod submit_queue;
pub mod tour;

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::{
    NavigateOptions,
    components::Redirect,
    hooks::{use_navigate, use_params_map},
};

pub use self::{
    activity::provide_activity_timer,
    bar::{LogOutGuard, UnsentBar},
    form::key_names,
    prefetch::provide_prefetch,
    submit_queue::{provide_submit_queue, use_submit_queue},
};
use self::{
    calibration::{CalibrationPage, go_on_form},
    grading_view::GradingView,
    prefetch::Prefetch,
    session::{Callbacks, Outcome},
    submit_queue::{Connection, Decision, SubmitQueue},
};
use model::{
    grading::{Draft, GradingItem, Halt, Next, Progress, Warning},
    ids::Token,
    keys::Keys,
    lang::Lang,
    plan::Presentation,
};
use rpc::grading::{item, next_item};
use ui::{
    announce::toaster,
    context::{use_i18n, use_visitor},
    effect::effect,
    load::{Data, Load},
    notice,
};

/// The rater's display settings, kept from one output to the next.
#[derive(Clone, Copy)]
pub struct ViewSettings {
    /// Original code instead of formatted.
    raw: RwSignal<bool>,
    /// The rubric's language.
    rubric: RwSignal<Lang>,
    /// The keyboard shortcuts.
    keys: RwSignal<Keys>,
    /// Side by side: whether lines that only one output has are marked.
    marks: RwSignal<bool>,
    /// The study whose guidelines were read since the page was loaded.
    guidelines: RwSignal<Option<Token>>,
}

impl ViewSettings {
    /// Looks at the keyboard shortcuts, without being called again when they change.
    pub fn with_keys<T>(self, look: impl FnOnce(&Keys) -> T) -> T {
        self.keys.with_untracked(look)
    }
}

/// Provides the settings to everything below; the root calls it once.
pub fn provide_view_settings() {
    provide_context(ViewSettings {
        raw: RwSignal::new(false),
        rubric: RwSignal::new(use_visitor().lang),
        keys: RwSignal::new(use_visitor().me.map(|me| me.settings.keys).unwrap_or_default()),
        marks: RwSignal::new(false),
        guidelines: RwSignal::new(None),
    });
}

/// `/grade/:study`: the next output.
#[component]
pub fn GradeNextPage() -> impl IntoView {
    let params = use_params_map();
    let study = Memo::new(move |_| params.read().get("study").unwrap_or_default());
    let (submit_queue, prefetch) = (use_submit_queue(), Prefetch::current());
    let next = Data::new(
        move || study.get(),
        move |study| async move {
            let study = Token(study);
            // Left unfinished by the back button, a link or an undo.
            if let Some(token) = prefetch.left_behind(&study)
                && submit_queue.waiting_for(&token).is_none()
                && let Ok(item) = item(token).await
                && !item.rated
            {
                return Ok(Next::Item(Box::new(item)));
            }
            match prefetch.take(&study) {
                Some(item) => Ok(Next::Item(Box::new(item))),
                // Items in the submit queue are rated, though the server does not know it yet.
                None => next_item(study.clone(), submit_queue.waiting_in(&study)).await,
            }
        },
    );
    let toast = toaster();
    let i18n = use_i18n();
    let go_on = Callback::new(move |(outcome, item): (Outcome, GradingItem)| {
        toast(outcome_text(i18n.rater(), submit_queue, &item.token, outcome).into());
        prefetch.ended(&item, outcome);
        next.refetch();
    });
    let read = Callback::new(move |()| next.refetch());
    view! {
        <Load data=next let:next>
            {match next {
                // The calibration is over, or somebody typed the address.
                Next::Item(item) if item.presentation == Presentation::SideBySide && item.calibration.is_none() => {
                    view! { <InPlace path=format!("/side-by-side/{}", item.study) /> }.into_any()
                }
                Next::Item(item) => {
                    let study = item.study.clone();
                    let (of, then) = (study.clone(), (*item).clone());
                    prefetch.shows(&item);
                    // Again whenever the submit queue changes, because a delivery makes room for more.
                    effect(move |_| {
                        submit_queue.entries.track();
                        prefetch.fill(study.clone(), submit_queue);
                    });
                    let callbacks = Callbacks {
                        ready: Callback::new(move |()| prefetch.has(&of)),
                        done: Callback::new(move |outcome| go_on.run((outcome, then.clone()))),
                    };
                    view! { <GradingView item=*item next=callbacks /> }.into_any()
                }
                Next::Finished { title, progress, previous } => {
                    view! { <Finished study=study.get_untracked() title progress previous /> }.into_any()
                }
                Next::Calibration(calibration) => {
                    view! { <CalibrationPage calibration=*calibration done=read /> }.into_any()
                }
                Next::Paused { title, progress, why } => {
                    view! { <Paused study=study.get_untracked() title progress why done=read /> }.into_any()
                }
            }}
        </Load>
    }
}

/// `/grade/:study/:item`: an earlier output. The error of the form without JavaScript is in `?error=…`.
#[component]
pub fn GradeItemPage() -> impl IntoView {
    let params = use_params_map();
    let token = Memo::new(move |_| params.read().get("item").unwrap_or_default());
    let submit_queue = use_submit_queue();
    let data = Data::new(
        move || Token(token.get()),
        move |token| async move {
            // Read before the request: the rating may arrive between the server's answer and a later look.
            let waiting = submit_queue.waiting_for(&token);
            let item = item(token).await?;
            Ok(match waiting.map(|entry| entry.what) {
                Some(Decision::Rate(draft)) => as_rated(item, draft),
                _ => item,
            })
        },
    );
    let toast = toaster();
    let i18n = use_i18n();
    let prefetch = Prefetch::current();
    let navigate = use_navigate();
    let go_on = Callback::new(move |(outcome, item): (Outcome, GradingItem)| {
        toast(outcome_text(i18n.rater(), submit_queue, &item.token, outcome).into());
        prefetch.ended(&item, outcome);
        navigate(&callbacks(&item), NavigateOptions::default());
    });
    view! {
        <Load data let:item>
            {
                let then = item.clone();
                let callbacks = Callbacks {
                    // Another page follows, and its content depends on the server's state.
                    ready: Callback::new(|()| false),
                    done: Callback::new(move |outcome| go_on.run((outcome, then.clone()))),
                };
                view! { <GradingView item next=callbacks /> }
            }
        </Load>
    }
}

/// The output as it will be when a rating that waits in the submit queue has arrived.
fn as_rated(mut item: GradingItem, draft: Draft) -> GradingItem {
    if !item.rated {
        item.rated = true;
        item.progress = item.progress.after(1);
    }
    item.draft = draft;
    item
}

/// The page after `item`: forward through earlier ratings, otherwise the next output.
fn callbacks(item: &GradingItem) -> String {
    match &item.following {
        Some(following) => format!("/grade/{}/{following}", item.study),
        None => format!("/grade/{}", item.study),
    }
}

/// What has happened to a submission when its page is left: the server has it, or it is on its way, or it waits in this browser.
fn outcome_text(t: &texts::rater::Rater, queue: SubmitQueue, assignment: &Token, outcome: Outcome) -> &'static str {
    match (outcome, queue.waiting_for(assignment).is_some(), queue.connection.get_untracked()) {
        (Outcome::Rated, false, _) => t.rating_submitted,
        (Outcome::Rated, true, Connection::Open) => t.rating_sending,
        (Outcome::Skipped, false, _) => t.skipped,
        (Outcome::Skipped, true, Connection::Open) => t.skip_sending,
        (_, true, _) => t.saved_here,
    }
}

/// Replaces the page in the history, so that the back button skips both.
#[component]
fn InPlace(path: String) -> impl IntoView {
    let options = NavigateOptions { replace: true, ..NavigateOptions::default() };
    view! { <Redirect path options /> }
}

/// Nothing is left.
#[component]
fn Finished(study: String, title: String, progress: Progress, previous: Option<Token>) -> impl IntoView {
    let i18n = use_i18n();
    let t = i18n.rater();
    view! {
        <Title text=title.clone() />
        <div class="page narrow">
            <UnsentBar />
            <p class="eyebrow">{title}</p>
            <h1>{t.finished_title}</h1>
            <p class="lead">{(t.finished_lead)(progress.rated)}</p>
            <notice::Progress value=progress.rated max=progress.rated label=t.progress_label />
            <p class="row">
                <a class="button primary" href="/my-studies">{t.to_my_studies}</a>
                <a class="button" href=format!("/studies/{study}/mine")>{t.mine_title}</a>
                {previous
                    .map(|previous| {
                        view! { <a class="button quiet" href=format!("/grade/{study}/{previous}")>{t.back_to_last}</a> }
                    })}
                <a class="button quiet" href=format!("/grade/{study}") rel="external">{t.look_for_more}</a>
            </p>
        </div>
    }
}

/// Nothing can be rated now.
#[component]
fn Paused(study: String, title: String, progress: Progress, why: Halt, done: Callback<()>) -> impl IntoView {
    let i18n = use_i18n();
    let (t, f) = (i18n.rater(), i18n.feedback());
    let (head, lead) = match why {
        Halt::Study => (t.paused_title, t.paused_lead.to_owned()),
        Halt::Rater => (f.paused_head, f.paused_lead.to_owned()),
        Halt::Warning(Warning { fast, of, seconds, far }) => {
            let fast = (fast > 0).then(|| (f.warned_fast)(fast, of, seconds));
            let reasons = fast.into_iter().chain(far.then(|| f.warned_far.to_owned()));
            let reasons: Vec<String> = reasons.chain([f.warned_lead.to_owned()]).collect();
            (f.warned_head, reasons.join(i18n.lang.pick(" ", "")))
        }
    };
    let warned = matches!(why, Halt::Warning(_));
    let read = warned.then(|| go_on_form(study.clone(), f.go_on, done));
    view! {
        <Title text=title.clone() />
        <div class="page narrow">
            <UnsentBar />
            <p class="eyebrow">{title}</p>
            <h1>{head}</h1>
            <p class="lead">{lead}</p>
            <p class="muted">{(t.progress_text)(progress.rated, progress.left)}</p>
            <div class="row">
                {read}
                <a class=if warned { "button" } else { "button primary" } href="/my-studies">{t.to_my_studies}</a>
                <a class="button" href=format!("/studies/{study}/mine")>{t.mine_title}</a>
            </div>
        </div>
    }
}
