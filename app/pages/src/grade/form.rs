//! The rating form: scales, comment, flag, buttons, and its saved state.
//!
//! Must stay true: without JavaScript, the server understands the form (`server/web/src/grade.rs`).

use leptos::prelude::*;

use super::{
    ViewSettings,
    scales::Scales,
    session::{Phase, SaveState, Session},
    shortcuts::Shortcuts,
    submit_queue::Connection,
};
use model::{
    address::query_value,
    flag::{Flag, FlagReason},
    grading::TEXT_MAX,
    ids::Token,
    keys::Action,
    lang::Lang,
    rubric::Rubric,
};
use ui::{announce::say, context::use_i18n, effect::effect, text_area::area_text};

/// The scales, the comment, the flag and the buttons.
#[component]
#[allow(clippy::too_many_lines, reason = "one form, field by field")]
pub fn RatingForm(
    /// The target of its buttons.
    shortcuts: Shortcuts,
    /// The assignment.
    token: Token,
    /// The rubric.
    rubric: Rubric,
    /// Whether a rating of it was submitted before.
    rated: bool,
    /// Whether it can be skipped.
    skippable: bool,
    /// The line notes as text, for the form without JavaScript.
    notes: String,
    /// Whether it is one of several side by side: without JavaScript, submitting it returns to all of them.
    #[prop(optional)]
    side_by_side: bool,
    /// The form's accessible name.
    #[prop(optional, into)]
    name: String,
) -> impl IntoView {
    let i18n = use_i18n();
    let (t, b) = (i18n.rater(), i18n.grading());
    let name = if name.is_empty() { t.rating.to_owned() } else { name };
    let session = shortcuts.session;
    let at_first = session.draft.get_untracked();
    // Disabling it for the moment of sending would only flicker.
    let locked =
        move || session.phase.get() == Phase::Sending && session.submit_queue.connection.get() != Connection::Open;
    let key = key_names();
    // Side by side, the rubric has one heading for all columns.
    let head = (!side_by_side).then(|| {
        view! {
            <div class="rating-head">
                <h2 class="eyebrow">{t.rubric}</h2>
                {rubric_switch()}
            </div>
        }
        .into_any()
    });
    let scales = view! { <Scales rubric sheet=session.sheet() current=shortcuts.current missing=shortcuts.missing /> }
        .into_any();
    let flag = view! { <FlagField session flag=at_first.flag /> }.into_any();
    let plain_notes = view! { <PlainNotes session text=notes /> }.into_any();
    let state = view! { <State shortcuts /> }.into_any();
    let problem = move || {
        let problem = session.problem.get();
        (!problem.is_empty()).then(|| view! { <p class="problem">{problem}</p> })
    };
    // In a low window they are out of sight while they are empty.
    let has_extra = move || session.draft.with(|draft| !draft.comment.is_empty() || draft.flag.is_some());
    let extra_keys = view! {
        <span class="extra-keys">
            <button class="button quiet" type="button" on:click=move |_| shortcuts.perform(Action::Comment)>
                {t.comment} " " <kbd>{key(Action::Comment)}</kbd>
            </button>
            <button class="button quiet" type="button" on:click=move |_| shortcuts.perform(Action::Flag)>
                {t.flag} " " <kbd>{key(Action::Flag)}</kbd>
            </button>
        </span>
    }
    .into_any();
    let submit_text = if rated { t.submit_again } else { t.submit };
    view! {
        <form
            class="rating"
            method="post"
            action=format!("/grade/{token}")
            autocomplete="off"
            data-token=token.0.clone()
            aria-label=name
            on:submit=move |event| {
                event.prevent_default();
                shortcuts.submit();
            }
        >
            <input type="hidden" name="key" value=form_key() />
            {(!session.sees_rating()).then(|| view! { <input type="hidden" name="first" value="true" /> })}
            {side_by_side.then(|| view! { <input type="hidden" name="side_by_side" value="1" /> })}
            <div class="rating-body" inert=locked>
                {head}
                {scales}
            </div>
            <div class="extra" class:open=has_extra inert=locked>
                    <div class="field">
                        <label class="label" for=session.id("comment")>{t.comment} " " <kbd>{key(Action::Comment)}</kbd></label>
                        <textarea
                            class="input"
                            id=session.id("comment")
                            name="comment"
                            rows="1"
                            maxlength=TEXT_MAX.to_string()
                            prop:value=move || session.draft.with(|d| d.comment.clone())
                            on:input=move |event| {
                                let text = event_target_value(&event);
                                session.write(|draft| draft.comment = text);
                            }
                        >
                            {area_text(&at_first.comment)}
                        </textarea>
                    </div>
                    {flag}
                    {plain_notes}
            </div>
            <div class="rating-foot">
                {problem}
                <div class="rating-act">
                    {extra_keys}
                    {state}
                    <button class="button primary submit" type="submit" name="action" value="submit">
                        {submit_text}
                        <kbd>"Enter"</kbd>
                    </button>
                    {skippable
                        .then(|| {
                            view! {
                                <button
                                    class="button"
                                    type="submit"
                                    name="action"
                                    value="skip"
                                    on:click=move |event| {
                                        event.prevent_default();
                                        session.skip();
                                    }
                                >
                                    {t.skip}
                                    <kbd>{key(Action::Skip)}</kbd>
                                </button>
                            }
                        })}
                    <button class="button quiet unscripted" type="submit" name="action" value="draft">{t.save_draft}</button>
                    {session
                        .has_bookmark()
                        .then(|| {
                            let (mark, text) = match shortcuts.bookmarked.get_untracked() {
                                true => ("unbookmark", b.bookmark_remove),
                                false => ("bookmark", b.bookmark),
                            };
                            view! {
                                <button class="button quiet unscripted" type="submit" name="action" value=mark>{text}</button>
                            }
                        })}
                </div>
            </div>
        </form>
    }
}

/// Chooses the rubric's language.
pub fn rubric_switch() -> impl IntoView {
    let t = use_i18n().rater();
    use_context::<ViewSettings>().map(|view_settings| {
        let choices = Lang::ALL
            .into_iter()
            .map(|lang| {
                view! {
                    <button
                        type="button"
                        lang=lang.tag()
                        aria-pressed=move || if view_settings.rubric.get() == lang { "true" } else { "false" }
                        on:click=move |_| view_settings.rubric.set(lang)
                    >
                        {lang.name()}
                    </button>
                }
            })
            .collect_view();
        view! { <div class="languages scripted" role="group" aria-label=t.rubric_language>{choices}</div> }.into_any()
    })
}

/// The reason of a flag, and what the rater writes about it.
#[component]
fn FlagField(session: Session, flag: Option<Flag>) -> impl IntoView {
    let i = use_i18n();
    let t = i.flags();
    let first = flag.as_ref().map(|flag| flag.reason);
    let reasons = FlagReason::ALL.into_iter().map(|reason| (reason.code(), t.reason(reason)));
    let options = std::iter::once(("", t.none))
        .chain(reasons)
        .map(|(code, name)| {
            let selected = code == first.map_or("", FlagReason::code);
            view! { <option value=code selected=selected>{name}</option> }
        })
        .collect_view();
    let first_text = flag.map(|flag| flag.text).unwrap_or_default();
    let reason = move || session.draft.with(|draft| draft.flag.as_ref().map(|flag| flag.reason));
    // Without JavaScript the page does not know what is selected later.
    let label = move || match reason() {
        Some(FlagReason::Other) => t.text,
        _ => t.text_optional,
    };
    view! {
        <div class="field">
            <label class="label" for=session.id("flag")>{i.rater().flag} " " <kbd>{key_names()(Action::Flag)}</kbd></label>
            <select
                class="input"
                id=session.id("flag")
                name="flag"
                prop:value=move || reason().map_or("", FlagReason::code)
                on:change=move |event| {
                    let reason = FlagReason::from_name(&event_target_value(&event));
                    session.change(|draft| {
                        let text = draft.flag.take().map(|flag| flag.text).unwrap_or_default();
                        draft.flag = reason.map(|reason| Flag { reason, text });
                    });
                }
            >
                {options}
            </select>
        </div>
        <div class="field flag-text">
            <label class="label" for=session.id("flag_text")>{label}</label>
            <input
                class="input"
                id=session.id("flag_text")
                name="flag_text"
                maxlength=TEXT_MAX.to_string()
                value=first_text
                prop:value=move || {
                    session.draft.with(|draft| draft.flag.as_ref().map(|flag| flag.text.clone()).unwrap_or_default())
                }
                on:input=move |event| {
                    let text = event_target_value(&event);
                    session.write(|draft| {
                        if let Some(flag) = &mut draft.flag {
                            flag.text = text;
                        }
                    });
                }
            />
        </div>
    }
}

/// Line notes without JavaScript: one line each, with the number of the line of the code. With JavaScript
/// they are written in the code itself.
#[component]
fn PlainNotes(session: Session, text: String) -> impl IntoView {
    let b = use_i18n().grading();
    view! {
        <div class="field unscripted plain-notes">
            <label class="label" for=session.id("notes")>{b.notes}</label>
            <p class="hint" id=session.id("notes-hint")>{b.notes_plain_hint}</p>
            <textarea class="input" id=session.id("notes") name="notes" rows="2" aria-describedby=session.id("notes-hint")>{area_text(&text)}</textarea>
        </div>
    }
}

/// The names of the rater's keys, shown next to their actions.
pub fn key_names() -> impl Fn(Action) -> String + Copy {
    let view_settings = use_context::<ViewSettings>();
    move |action| match view_settings {
        Some(view_settings) => view_settings.keys.with_untracked(|keys| keys.key(action)).to_string(),
        None => action.default_key().to_string(),
    }
}

/// The saved state, and what to do if the server does not have it.
#[component]
fn State(shortcuts: Shortcuts) -> impl IntoView {
    let i18n = use_i18n();
    let (t, b) = (i18n.rater(), i18n.grading());
    let session = shortcuts.session;
    // Back to this output, whatever the address of the page is.
    let log_in = format!("/log-in?next={}", query_value(&format!("/grade/{}/{}", session.study(), session.token())));
    let calm = move || match session.kept.get() {
        SaveState::Untouched => ("state state-none", String::new()),
        SaveState::Saving => ("state state-busy", t.state_saving.into()),
        SaveState::Saved => ("state state-good", t.state_saved.into()),
        SaveState::Retrying => ("state state-care", t.state_retrying.into()),
        SaveState::LoggedOut => ("state state-care", b.state_logged_out.into()),
        SaveState::Refused(why) => ("state state-bad", why),
    };
    let now = move || match (session.phase.get(), session.submit_queue.connection.get()) {
        (Phase::Editing, _) if session.elsewhere.get() => ("state state-care", b.elsewhere.into()),
        (Phase::Editing, _) => calm(),
        (Phase::Sending, Connection::Open) => ("state state-busy", t.state_sending.into()),
        (Phase::Sending, Connection::Unreachable) => ("state state-care", t.state_submit_retrying.into()),
        (Phase::Sending, Connection::Busy) => ("state state-care", t.state_submit_busy.into()),
        (Phase::Sending, Connection::LoggedOut | Connection::SomebodyElse(_)) => {
            ("state state-care", b.state_waits_for_you.into())
        }
        (Phase::Done, _) => ("state state-good", t.state_done.into()),
    };
    let logged_out = move || {
        let waits = session.phase.get() == Phase::Sending
            && matches!(session.submit_queue.connection.get(), Connection::LoggedOut);
        waits || session.kept.get() == SaveState::LoggedOut
    };
    let stuck = move || {
        let sending = session.phase.get() == Phase::Sending
            && matches!(session.submit_queue.connection.get(), Connection::Unreachable | Connection::Busy);
        logged_out() || sending || (session.phase.get() == Phase::Editing && session.kept.get() == SaveState::Retrying)
    };
    effect(move |before: Option<bool>| {
        // Only states that need the rater are announced; "saved" after every digit would be noise.
        let stuck = stuck();
        if stuck && before != Some(true) {
            say(now().1);
        }
        stuck
    });
    view! {
        <p class=move || now().0>
            <span>{move || now().1}</span>
            {move || {
                logged_out()
                    .then(|| view! { <a href=log_in.clone() rel="external">{b.log_in_again}</a> })
            }}
            {move || {
                stuck()
                    .then(|| {
                        view! {
                            <button class="button" type="button" on:click=move |_| session.hurry()>
                                {i18n.common.try_again}
                            </button>
                        }
                    })
            }}
        </p>
    }
}

/// Identifies one submission of the form without JavaScript, so that sending it twice counts once. The
/// client has its own keys and ignores this one.
fn form_key() -> String {
    #[cfg(not(target_arch = "wasm32"))]
    {
        use std::hash::{BuildHasher, Hasher, RandomState};
        // Seeded by the operating system: not secret, only different each time.
        let draw = || RandomState::new().build_hasher().finish();
        format!("form-{:016x}{:016x}", draw(), draw())
    }
    #[cfg(target_arch = "wasm32")]
    String::new()
}
