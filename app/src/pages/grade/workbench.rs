//! One output on the bench: what was asked and what the model gave on the left, the scales on the
//! right. Carries out what keys ask for; [`super::desk`] keeps what is put down.
//!
//! Must stay true: without JavaScript the same markup is a form that the server understands
//! (`server/src/http/grade.rs`), and nothing in it names a model.

use leptos::{ev, html::Dialog, prelude::*};
use leptos_meta::Title;
use leptos_router::{
    NavigateOptions,
    hooks::{use_location, use_navigate, use_query_map},
};

use super::{
    Habits, browser,
    desk::{Desk, Kept, Outcome, Phase},
    help::HelpSheet,
    keys::{Act, Place, act, after_score},
    onward,
    scales::{Scales, give, radio_id},
};
use crate::{
    i18n::use_i18n,
    model::{
        grading::{Flag, GradingItem, TEXT_MAX},
        ids::Token,
        lang::Lang,
        rubric::Rubric,
    },
    ui::{
        announce::{say, sayer},
        code::CodeBox,
        failure::escape,
        notice::{Notice, Progress, Tone},
    },
};

/// The whole of one output's page.
#[component]
pub fn Workbench(
    /// The output.
    item: GradingItem,
    /// What happens once it is rated or given back.
    done: Callback<Outcome>,
) -> impl IntoView {
    let i18n = use_i18n();
    let t = i18n.rater;
    let onward = onward(&item);
    let GradingItem {
        token,
        study,
        title,
        raw_nl,
        lang,
        signature,
        code,
        rubric,
        draft,
        rated,
        progress,
        previous,
        following,
    } = item;
    let desk = Desk::new(token.clone(), rubric.clone(), draft, i18n, done);
    let first = desk.draft.with_untracked(|d| d.first_open()).unwrap_or(0);
    let current = RwSignal::new(first);
    let missing = RwSignal::new(None::<usize>);
    let dialog = NodeRef::<Dialog>::new();
    let habits = use_context::<Habits>();
    let raw = habits.map_or_else(|| RwSignal::new(false), |h| h.raw);

    let back = previous.map(|previous| format!("/grade/{study}/{previous}"));
    let forward = (rated || following.is_some()).then_some(onward);
    let hands = Hands {
        desk,
        current,
        missing,
        dialog,
        raw,
        rubric: StoredValue::new(rubric.clone()),
        back: StoredValue::new(back.clone()),
        forward: StoredValue::new(forward.clone()),
        no_back: t.no_back,
        no_forward: t.no_forward,
        off_scale: t.off_this_scale,
        lang: i18n.lang,
        go: StoredValue::new(Box::new(use_navigate())),
        say: StoredValue::new(Box::new(sayer())),
    };
    set_up(hands, token.clone(), habits);

    let query = use_query_map();
    let told = move || query.read().get("error").and_then(|told| told_text(&told, desk, t));
    let place = (t.progress_text)(progress.rated, progress.left);
    let page_title = title.clone();
    // Boxed: views nest as types, and the compiler measures the whole of them.
    let code = view! { <CodeBox code raw /> }.into_any();
    let form = view! { <RatingForm hands token rubric rated /> }.into_any();
    let jump = view! { <JumpBar hands rubric_names=names(desk, hands.rubric) /> }.into_any();
    view! {
        <Title text=page_title />
        <div class="bench">
            <div class="bench-bar">
                <h1 class="bench-title">{title}</h1>
                <div class="bench-progress">
                    <Progress value=progress.rated max=progress.rated + progress.left label=t.progress_label />
                    <span class="bench-count">{place}</span>
                    {(progress.skipped > 0).then(|| view! { <span class="muted">{(t.skipped_text)(progress.skipped)}</span> })}
                </div>
                <nav class="bench-nav" aria-label=t.bench_navigation>
                    {back.map(|href| view! { <a class="button quiet" href=href>{t.back} <kbd>"b"</kbd></a> })}
                    {forward.map(|href| view! { <a class="button quiet" href=href>{t.forward} <kbd>"n"</kbd></a> })}
                    <a class="button quiet" href=format!("/studies/{study}/mine")>{t.mine_title}</a>
                    <button class="button quiet scripted" type="button" on:click=move |_| hands.act(Act::Help)>
                        {t.help_title} " " <kbd>"?"</kbd>
                    </button>
                </nav>
            </div>
            <div class="bench-work">
                {rated.then(|| view! { <Notice>{t.rated_before}</Notice> })}
                {move || told().map(|(tone, text)| view! { <Notice tone>{text}</Notice> })}
                <section class="task">
                    <h2 class="eyebrow">{t.task}</h2>
                    <p class="task-text" lang=lang.tag()>{raw_nl}</p>
                    {signature
                        .map(|signature| {
                            view! {
                                <h3 class="eyebrow">{t.signature}</h3>
                                <pre class="signature" tabindex="0" role="region" aria-label=t.signature translate="no"><code>{signature}</code></pre>
                            }
                        })}
                </section>
                {code}
            </div>
            {form}
            {jump}
            <HelpSheet dialog />
        </div>
    }
}

/// What the hands can reach: everything that a key or a button acts on.
#[derive(Clone, Copy)]
struct Hands {
    desk: Desk,
    current: RwSignal<usize>,
    missing: RwSignal<Option<usize>>,
    dialog: NodeRef<Dialog>,
    raw: RwSignal<bool>,
    rubric: StoredValue<Rubric>,
    back: StoredValue<Option<String>>,
    forward: StoredValue<Option<String>>,
    no_back: &'static str,
    no_forward: &'static str,
    off_scale: fn(&str, u8, u8) -> String,
    lang: Lang,
    go: StoredValue<Box<dyn Fn(&str, NavigateOptions) + Send + Sync>>,
    say: StoredValue<Box<dyn Fn(String) + Send + Sync>>,
}

impl Hands {
    /// Does what a key asked for.
    fn act(self, what: Act) {
        match what {
            Act::Score(score) => self.score(score),
            Act::Up => self.move_to(self.current.get_untracked().saturating_sub(1)),
            Act::Down => {
                let last = self.rubric.with_value(|r| r.dimensions.len().saturating_sub(1));
                self.move_to((self.current.get_untracked() + 1).min(last));
            }
            Act::Submit => self.submit(),
            Act::Comment => browser::focus("comment", false),
            Act::Flag => browser::focus("flag", false),
            Act::Leave => self.move_to(self.current.get_untracked()),
            Act::Skip => self.desk.skip(),
            Act::Back => self.leave_for(self.back.get_value(), self.no_back),
            Act::Forward => self.leave_for(self.forward.get_value(), self.no_forward),
            Act::Raw => self.raw.update(|raw| *raw = !*raw),
            Act::Help => {
                if let Some(dialog) = self.dialog.get_untracked() {
                    let _ = dialog.show_modal();
                }
            }
        }
    }

    /// Submits, or goes to what is missing and says so.
    fn submit(self) {
        let gap = self.desk.submit();
        self.missing.set(gap);
        if let Some(gap) = gap {
            self.move_to(gap);
        }
        let problem = self.desk.problem.get_untracked();
        if !problem.is_empty() {
            self.tell(problem);
        }
    }

    fn score(self, score: u8) {
        let at = self.current.get_untracked();
        let refused = self.rubric.with_value(|rubric| {
            let dimension = rubric.dimensions.get(at)?;
            let (low, high) = dimension.range();
            (!dimension.has(score)).then(|| (self.off_scale)(dimension.name.get(self.lang), low, high))
        });
        if let Some(refused) = refused {
            self.desk.problem.set(refused.clone());
            self.tell(refused);
            return;
        }
        give(self.desk, at, score);
        if self.missing.get_untracked() == Some(at) {
            self.missing.set(None);
        }
        self.move_to(self.desk.draft.with_untracked(|d| after_score(&d.scores, at)));
    }

    /// Puts the keyboard on a dimension: on its chosen level, else on its first.
    fn move_to(self, place: usize) {
        self.current.set(place);
        self.focus(place, false);
    }

    fn focus(self, place: usize, still: bool) {
        let chosen = self.desk.draft.with_untracked(|d| d.scores.get(place).copied().flatten());
        let first = || self.rubric.with_value(|r| r.dimensions.get(place)?.levels.first().map(|l| l.score));
        if let Some(score) = chosen.or_else(first) {
            browser::focus(&radio_id(place, score), still);
        }
    }

    fn leave_for(self, href: Option<String>, nowhere: &'static str) {
        match href {
            Some(href) => {
                self.desk.hurry();
                self.go.with_value(|go| go(&href, NavigateOptions::default()));
            }
            None => self.tell(nowhere.into()),
        }
    }

    fn tell(self, text: String) {
        self.say.with_value(|say| say(text));
    }
}

/// Everything that begins when the client takes the page over; nothing on the server.
fn set_up(hands: Hands, token: Token, habits: Option<Habits>) {
    let desk = hands.desk;
    Effect::new(move |began: Option<()>| {
        if began.is_some() {
            return;
        }
        desk.recover();
        take_over_clicks(desk, hands.rubric, &token);
        // Beside the code on a wide screen; on a narrow one the reader begins at the top.
        hands.focus(hands.current.get_untracked(), true);
    });
    let keys = window_event_listener(ev::keydown, move |event| {
        let modified = event.ctrl_key() || event.alt_key() || event.meta_key() || event.is_composing();
        let off = habits.is_some_and(|h| !h.keys.get_untracked());
        if modified || event.default_prevented() {
            return;
        }
        let place = place_of(&event);
        let Some(what) = act(&event.key(), place) else { return };
        // With single keys switched off, what has no letter or digit still works.
        if off && !matches!(what, Act::Up | Act::Down | Act::Leave | Act::Submit) {
            return;
        }
        event.prevent_default();
        if !event.repeat() || matches!(what, Act::Up | Act::Down) {
            hands.act(what);
        }
    });
    let online = window_event_listener(ev::online, move |_| desk.hurry());
    // Somebody who logged in again in another tab comes back to this one.
    let focus = window_event_listener(ev::focus, move |_| {
        let waits = desk.phase.get_untracked() == Phase::LoggedOut || desk.kept.get_untracked() == Kept::LoggedOut;
        if waits {
            desk.hurry();
        }
    });
    let leaving = window_event_listener(ev::beforeunload, move |event| {
        let unsent = matches!(desk.kept.get_untracked(), Kept::Retrying | Kept::LoggedOut)
            || matches!(desk.phase.get_untracked(), Phase::Sending | Phase::Retrying | Phase::LoggedOut);
        if unsent {
            event.prevent_default();
        }
    });
    on_cleanup(move || {
        keys.remove();
        online.remove();
        focus.remove();
        leaving.remove();
    });
}

/// Scores that were clicked before the client was there.
fn take_over_clicks(desk: Desk, rubric: StoredValue<Rubric>, token: &Token) {
    for place in 0..rubric.with_value(|r| r.dimensions.len()) {
        let ticked = browser::ticked(&token.0, &format!("score-{place}"));
        let known = desk.draft.with_untracked(|d| d.scores.get(place).copied().flatten());
        if let Some(score) = ticked
            && known.is_none()
        {
            give(desk, place, score);
        }
    }
}

/// Where the keyboard is when a key is pressed.
fn place_of(event: &web_sys::KeyboardEvent) -> Place {
    use leptos::wasm_bindgen::JsCast;
    let Some(element) = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok()) else {
        return Place::Scale;
    };
    let within = |selector: &str| element.closest(selector).ok().flatten().is_some();
    if within("dialog") {
        Place::Dialog
    } else if within("textarea, select, input:not([type=radio]):not([type=checkbox])") {
        Place::Field
    } else if within("a, button, summary, input[type=checkbox]") {
        Place::Control
    } else if within("[role=region][tabindex]") {
        Place::Scroller
    } else {
        Place::Scale
    }
}

/// The scales, the comment, the flag and the buttons.
#[component]
fn RatingForm(hands: Hands, token: Token, rubric: Rubric, rated: bool) -> impl IntoView {
    let i18n = use_i18n();
    let t = i18n.rater;
    let desk = hands.desk;
    let habits = use_context::<Habits>();
    let at_first = desk.draft.get_untracked();
    let locked = move || matches!(desk.phase.get(), Phase::Retrying | Phase::LoggedOut);
    let rubric_switch = habits.map(|habits| {
        let choices = Lang::ALL
            .into_iter()
            .map(|lang| {
                view! {
                    <button
                        type="button"
                        lang=lang.tag()
                        aria-pressed=move || if habits.rubric.get() == lang { "true" } else { "false" }
                        on:click=move |_| habits.rubric.set(lang)
                    >
                        {lang.name()}
                    </button>
                }
            })
            .collect_view();
        view! { <div class="languages scripted" role="group" aria-label=t.rubric_language>{choices}</div> }
    });
    let scales = view! { <Scales rubric desk current=hands.current missing=hands.missing /> }.into_any();
    let flag = view! { <FlagField desk flag=at_first.flag /> }.into_any();
    let state = view! { <State hands /> }.into_any();
    let submit_text = if rated { t.submit_again } else { t.submit };
    view! {
        <form
            class="rating"
            method="post"
            action=format!("/grade/{token}")
            autocomplete="off"
            data-token=token.0.clone()
            aria-label=t.rating
            on:submit=move |event| {
                event.prevent_default();
                hands.submit();
            }
        >
            <input type="hidden" name="key" value=form_key() />
            <div class="rating-body" inert=locked>
                <div class="rating-head">
                    <h2 class="eyebrow">{t.rubric}</h2>
                    {rubric_switch}
                </div>
                {scales}
                <div class="extra">
                    <div class="field">
                        <label class="label" for="comment">{t.comment} " " <kbd>"c"</kbd></label>
                        <textarea
                            class="input"
                            id="comment"
                            name="comment"
                            rows="2"
                            maxlength=TEXT_MAX.to_string()
                            prop:value=move || desk.draft.with(|d| d.comment.clone())
                            on:input=move |event| {
                                let text = event_target_value(&event);
                                desk.write(|draft| draft.comment = text);
                            }
                        >
                            {at_first.comment.clone()}
                        </textarea>
                    </div>
                    {flag}
                </div>
            </div>
            <div class="rating-foot">
                {state}
                <div class="row">
                    <button class="button primary submit" type="submit" name="action" value="submit">
                        {submit_text}
                        <kbd>"Enter"</kbd>
                    </button>
                    {(!rated)
                        .then(|| {
                            view! {
                                <button
                                    class="button"
                                    type="submit"
                                    name="action"
                                    value="skip"
                                    on:click=move |event| {
                                        event.prevent_default();
                                        desk.skip();
                                    }
                                >
                                    {t.skip}
                                    <kbd>"s"</kbd>
                                </button>
                            }
                        })}
                    <button class="button quiet unscripted" type="submit" name="action" value="draft">{t.save_draft}</button>
                </div>
            </div>
        </form>
    }
}

/// Why somebody should look at this output.
#[component]
fn FlagField(desk: Desk, flag: Option<Flag>) -> impl IntoView {
    let t = use_i18n().rater;
    let choices = [
        ("", t.flag_none),
        ("description_unclear", t.flag_description_unclear),
        ("cannot_judge", t.flag_cannot_judge),
        ("code_truncated", t.flag_code_truncated),
        ("other", t.flag_other),
    ];
    let first_code = flag_code(&flag);
    let first_text = flag_text(&flag);
    let options = choices
        .into_iter()
        .map(|(code, name)| view! { <option value=code selected=code == first_code>{name}</option> })
        .collect_view();
    view! {
        <div class="field">
            <label class="label" for="flag">{t.flag} " " <kbd>"f"</kbd></label>
            <select
                class="input"
                id="flag"
                name="flag"
                prop:value=move || desk.draft.with(|d| flag_code(&d.flag))
                on:change=move |event| {
                    let code = event_target_value(&event);
                    desk.change(|draft| draft.flag = flag_of(&code, flag_text(&draft.flag)));
                }
            >
                {options}
            </select>
        </div>
        <div class="field flag-text">
            <label class="label" for="flag_text">{t.flag_text}</label>
            <input
                class="input"
                id="flag_text"
                name="flag_text"
                maxlength=TEXT_MAX.to_string()
                value=first_text
                prop:value=move || desk.draft.with(|d| flag_text(&d.flag))
                on:input=move |event| {
                    let text = event_target_value(&event);
                    desk.write(|draft| {
                        if let Some(Flag::Other(_)) = draft.flag {
                            draft.flag = Some(Flag::Other(text));
                        }
                    });
                }
            />
        </div>
    }
}

/// Whether the server has what is on screen, and what to do where it has not.
#[component]
fn State(hands: Hands) -> impl IntoView {
    let i18n = use_i18n();
    let t = i18n.rater;
    let desk = hands.desk;
    let here = use_location();
    let log_in = move || format!("/log-in?next={}", escape(&here.pathname.get()));
    let calm = move || match desk.kept.get() {
        Kept::Untouched => ("state", String::new()),
        Kept::Saving => ("state state-busy", t.state_saving.into()),
        Kept::Saved => ("state state-good", t.state_saved.into()),
        Kept::Retrying => ("state state-care", t.state_retrying.into()),
        Kept::LoggedOut => ("state state-care", t.state_logged_out.into()),
        Kept::Refused(why) => ("state state-bad", why),
    };
    let now = move || match desk.phase.get() {
        Phase::Editing => calm(),
        Phase::Sending => ("state state-busy", t.state_sending.into()),
        Phase::Retrying => ("state state-care", t.state_submit_retrying.into()),
        Phase::LoggedOut => ("state state-care", t.state_logged_out.into()),
        Phase::Done => ("state state-good", t.state_done.into()),
    };
    let logged_out = move || desk.phase.get() == Phase::LoggedOut || desk.kept.get() == Kept::LoggedOut;
    let stuck = move || logged_out() || desk.phase.get() == Phase::Retrying || desk.kept.get() == Kept::Retrying;
    Effect::new(move |before: Option<bool>| {
        // Only what needs the rater is said aloud; "saved" after every digit would be noise.
        let stuck = stuck();
        if stuck && before != Some(true) {
            say(now().1);
        }
        stuck
    });
    view! {
        {move || {
            let problem = desk.problem.get();
            (!problem.is_empty()).then(|| view! { <p class="problem">{problem}</p> })
        }}
        <p class=move || now().0>
            <span>{move || now().1}</span>
            {move || {
                logged_out()
                    .then(|| view! { <a href=log_in target="_blank" rel="external">{t.log_in_again}</a> })
            }}
            {move || {
                stuck()
                    .then(|| {
                        view! {
                            <button class="button" type="button" on:click=move |_| desk.hurry()>
                                {i18n.common.try_again}
                            </button>
                        }
                    })
            }}
        </p>
    }
}

/// On a narrow screen: how the scales stand, and a way to each of them.
#[component]
fn JumpBar(hands: Hands, rubric_names: Vec<String>) -> impl IntoView {
    let t = use_i18n().rater;
    let desk = hands.desk;
    let links = rubric_names
        .into_iter()
        .enumerate()
        .map(|(place, name)| {
            let score = move || {
                desk.draft
                    .with(|d| d.scores.get(place).copied().flatten().map_or_else(|| "–".to_owned(), |s| s.to_string()))
            };
            view! {
                <li>
                    <a href=format!("#scale-{place}") rel="external">
                        <span class="jump-name">{name}</span>
                        <b>{score}</b>
                    </a>
                </li>
            }
        })
        .collect_view();
    view! {
        <nav class="jump" aria-label=t.rubric>
            <ul>{links}</ul>
        </nav>
    }
}

fn names(desk: Desk, rubric: StoredValue<Rubric>) -> Vec<String> {
    let lang = desk.lang();
    rubric.with_value(|rubric| rubric.dimensions.iter().map(|d| d.name.get(lang).to_owned()).collect())
}

fn flag_code(flag: &Option<Flag>) -> &'static str {
    match flag {
        None => "",
        Some(Flag::DescriptionUnclear) => "description_unclear",
        Some(Flag::CannotJudge) => "cannot_judge",
        Some(Flag::CodeTruncated) => "code_truncated",
        Some(Flag::Other(_)) => "other",
    }
}

fn flag_text(flag: &Option<Flag>) -> String {
    match flag {
        Some(Flag::Other(text)) => text.clone(),
        _ => String::new(),
    }
}

fn flag_of(code: &str, text: String) -> Option<Flag> {
    match code {
        "description_unclear" => Some(Flag::DescriptionUnclear),
        "cannot_judge" => Some(Flag::CannotJudge),
        "code_truncated" => Some(Flag::CodeTruncated),
        "other" => Some(Flag::Other(text)),
        _ => None,
    }
}

/// What the form without JavaScript came back with.
fn told_text(told: &str, desk: Desk, t: &crate::i18n::rater::Rater) -> Option<(Tone, String)> {
    use crate::model::grading::DraftFault;
    let place = |prefix: &str| told.strip_prefix(prefix).and_then(|place| place.parse().ok());
    if let Some(place) = place("missing-") {
        return Some((Tone::Bad, desk.fault_text(DraftFault::Missing(place))));
    }
    if let Some(place) = place("off-scale-") {
        return Some((Tone::Bad, desk.fault_text(DraftFault::OffScale(place))));
    }
    match told {
        "saved" => Some((Tone::Good, t.state_saved.into())),
        "changed" => Some((Tone::Good, t.told_changed.into())),
        "too-long" => Some((Tone::Bad, desk.fault_text(DraftFault::TooLong))),
        _ => None,
    }
}

/// Names one submission of the form without JavaScript, so that sending it twice counts once. The
/// client has keys of its own and leaves this one alone.
fn form_key() -> String {
    #[cfg(feature = "ssr")]
    {
        use std::hash::{BuildHasher, Hasher, RandomState};
        // Seeded by the operating system: not secret, only different each time.
        let draw = || RandomState::new().build_hasher().finish();
        format!("form-{:016x}{:016x}", draw(), draw())
    }
    #[cfg(not(feature = "ssr"))]
    String::new()
}
