//! Adjudicating by keyboard: digits give the scores, one dimension after the other, and Enter saves. Shift with a letter
//! takes over that rater's scores; the keys of the grading page go back, on, and to the reason. The browser owns focus and
//! choice, so the scales are found in the document.

use leptos::{
    ev,
    prelude::*,
    wasm_bindgen::JsCast,
    web_sys::{Element, HtmlElement, HtmlTextAreaElement, KeyboardEvent},
};

use crate::grade::ViewSettings;
use model::keys::{Action, Keys};
use ui::{context::use_visitor, effect::effect};

/// Listens until the page is left. Where the visitor switched single keys off, only Enter and Escape act.
pub fn listen() {
    let settings = use_context::<ViewSettings>();
    let of_account = StoredValue::new(use_visitor().me.map(|me| me.settings.keys).unwrap_or_default());
    effect(move |_| {
        let listener = window_event_listener(ev::keydown, move |event| match settings {
            Some(settings) => settings.with_keys(|keys| press(&event, keys)),
            None => of_account.with_value(|keys| press(&event, keys)),
        });
        on_cleanup(move || listener.remove());
    });
}

fn press(event: &KeyboardEvent, keys: &Keys) {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let within = |selector: &str| target.as_ref().is_some_and(|at| at.closest(selector).ok().flatten().is_some());
    let modified = event.ctrl_key() || event.alt_key() || event.meta_key() || event.is_composing();
    if modified || event.default_prevented() {
        return;
    }
    let key = event.key();
    let acts = if within("textarea, select, input:not([type=radio])") {
        key == "Escape" && next_scale().is_some_and(|at| at.focus().is_ok())
    } else {
        match key.as_str() {
            // The form's own, on a scale; a link's or a button's, on one.
            "Enter" => {
                !within("a, button, summary, input") && found("#decision-save").is_some_and(|save| press_on(&save))
            }
            _ if keys.off => false,
            letter if event.shift_key() && letter.len() == 1 => {
                found(&format!("[data-accept='{}']", letter.to_ascii_uppercase()))
                    .is_some_and(|button| press_on(&button))
            }
            digit if digit.len() == 1 && digit.as_bytes().first().is_some_and(u8::is_ascii_digit) => score(digit),
            other => TARGETS.iter().any(|(action, target)| {
                other.chars().eq([keys.key(*action)]) && found(target).is_some_and(|target| go_to(&target))
            }),
        }
    };
    if acts {
        event.prevent_default();
    }
}

/// The keys of the grading page, and what they do here.
const TARGETS: [(Action, &str); 4] = [
    (Action::Comment, "#decision-comment"),
    (Action::Back, "#previous-one"),
    (Action::Forward, "#next-one"),
    (Action::Skip, "#skip-one"),
];

/// Follows a link, or starts writing in a field.
fn go_to(target: &HtmlElement) -> bool {
    if target.tag_name() == "A" { press_on(target) } else { target.focus().is_ok() }
}

/// Moves the focus to the reason.
pub fn write_reason() {
    if let Some(reason) = found("#decision-comment") {
        let _ = reason.focus();
    }
}

/// Gives every dimension the score that a rater gave.
pub fn take_over(scores: &[u8]) {
    for (place, score) in scores.iter().enumerate() {
        if let Some(level) = found(&format!("input[name='scores[{place}]'][value='{score}']")) {
            level.click();
        }
    }
    if let Some(save) = found("#decision-save") {
        let _ = save.focus();
    }
}

fn press_on(button: &HtmlElement) -> bool {
    button.click();
    true
}

fn found(selector: &str) -> Option<HtmlElement> {
    document().query_selector(selector).ok()??.dyn_into().ok()
}

/// The scale that has the focus, otherwise the first without a score.
fn scale() -> Option<Element> {
    let focused = document().active_element().and_then(|at| at.closest(".decision-scales fieldset").ok().flatten());
    focused.or_else(|| document().query_selector(".decision-scales fieldset:not(:has(:checked))").ok().flatten())
}

/// Gives the current dimension this score and goes to the next; returns whether it has such a level.
fn score(digit: &str) -> bool {
    let Some(scale) = scale().or_else(|| document().query_selector(".decision-scales fieldset").ok().flatten()) else {
        return false;
    };
    let level = scale.query_selector(&format!("input[value='{digit}']")).ok().flatten();
    let Some(level) = level.and_then(|level| level.dyn_into::<HtmlElement>().ok()) else { return false };
    level.click();
    match scale.next_element_sibling().and_then(|next| first_level(&next)) {
        Some(next) => next.focus().is_ok(),
        None => found("#decision-save").is_some_and(|save| save.focus().is_ok()),
    }
}

/// The element of a scale that gets the focus: the chosen level, otherwise the first.
fn first_level(scale: &Element) -> Option<HtmlElement> {
    let chosen = scale.query_selector("input:checked").ok().flatten();
    let level = chosen.or_else(|| scale.query_selector("input").ok().flatten())?;
    level.dyn_into().ok()
}

/// Where Escape goes from the reason: the first scale without a score, otherwise the button that saves.
fn next_scale() -> Option<HtmlElement> {
    let _reason: HtmlTextAreaElement = document().active_element()?.dyn_into().ok()?;
    scale().and_then(|scale| first_level(&scale)).or_else(|| found("#decision-save"))
}
