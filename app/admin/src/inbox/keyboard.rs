//! The inbox by keyboard: moving, selecting, resolving. Items are found in the document by their ids, because the browser
//! owns focus and checkboxes.

use leptos::{
    ev,
    prelude::*,
    wasm_bindgen::JsCast,
    web_sys::{Element, HtmlElement, HtmlInputElement, KeyboardEvent},
};

use model::inbox::{InboxKind, InboxRow};
use ui::{context::use_visitor, effect::effect};

/// The items on the page, and the one that has the focus.
#[derive(Clone, Copy)]
pub struct Keyboard {
    items: StoredValue<Vec<(i64, InboxKind)>>,
    at: StoredValue<Option<usize>>,
}

impl Keyboard {
    /// Listens until the page is left, unless the visitor switched single keys off.
    pub fn new() -> Keyboard {
        let keyboard = Keyboard { items: StoredValue::new(Vec::new()), at: StoredValue::new(None) };
        let off = use_visitor().me.is_some_and(|me| me.settings.keys.off);
        effect(move |_| {
            if !off {
                let listener = window_event_listener(ev::keydown, move |event| keyboard.press(&event));
                on_cleanup(move || listener.remove());
            }
        });
        keyboard
    }

    /// The items that are drawn now. After one was dealt with, the next gets the focus.
    pub fn show(self, rows: &[InboxRow]) {
        self.items.set_value(rows.iter().map(|row| (row.id, row.kind)).collect());
        effect(move |_| {
            if self.at.get_value().is_some() {
                request_animation_frame(move || self.go_to(self.at.get_value().unwrap_or(0)));
            }
        });
    }

    fn press(self, event: &KeyboardEvent) {
        let typing = event.target().and_then(|target| target.dyn_into::<Element>().ok()).is_some_and(|target| {
            target.closest("textarea, select, input:not([type=checkbox])").ok().flatten().is_some()
        });
        if typing || event.ctrl_key() || event.alt_key() || event.meta_key() || event.default_prevented() {
            return;
        }
        let last = self.items.with_value(Vec::len).saturating_sub(1);
        let at = self.focused();
        match event.key().as_str() {
            "j" => self.go_to(at.map_or(0, |at| (at + 1).min(last))),
            "k" => self.go_to(at.map_or(0, |at| at.saturating_sub(1))),
            "x" => {
                if let Some(tick) = at.and_then(|at| self.part(at, "input[name=item]")) {
                    tick.click();
                }
            }
            "e" => self.resolve(at),
            "?" => {
                if let Some(list) = document().query_selector("#inbox-keys > summary").ok().flatten() {
                    list.unchecked_into::<HtmlElement>().click();
                }
            }
            _ => return,
        }
        event.prevent_default();
    }

    /// The item that the focus is in.
    fn focused(self) -> Option<usize> {
        let id = document().active_element()?.closest(".inbox-item").ok()??.id();
        self.items.with_value(|items| items.iter().position(|(item, _)| format!("item-{item}") == id))
    }

    fn part(self, at: usize, selector: &str) -> Option<HtmlElement> {
        let id = self.items.with_value(|items| items.get(at).map(|(id, _)| *id))?;
        let found = document().query_selector(&format!("#item-{id} {selector}")).ok()??;
        found.dyn_into().ok()
    }

    fn go_to(self, at: usize) {
        let last = self.items.with_value(Vec::len).saturating_sub(1);
        let at = at.min(last);
        self.at.set_value(Some(at));
        if let Some(open) = self.part(at, ".inbox-open") {
            let _ = open.focus();
        }
    }

    /// Asks for the usual act on the selected items, or on the one with the focus, which may have none.
    fn resolve(self, at: Option<usize>) {
        self.at.set_value(at.or_else(|| self.at.get_value()));
        let ticked = || document().query_selector("input[name=item]:checked").ok().flatten();
        if ticked().is_none() {
            let Some(at) = at else { return };
            let kind = self.items.with_value(|items| items.get(at).map(|(_, kind)| *kind));
            match kind {
                // Whoever decides these looks at them first.
                Some(InboxKind::Disagreement | InboxKind::Plan) | None => {
                    if let Some(open) = self.part(at, ".inbox-open") {
                        open.click();
                    }
                    return;
                }
                Some(_) => {
                    if let Some(tick) = self.part(at, "input[name=item]") {
                        tick.click();
                    }
                }
            }
        }
        let first = ticked().and_then(|tick| tick.closest(".inbox-item").ok().flatten());
        let kind = first.and_then(|item| item.get_attribute("data-kind")?.parse::<InboxKind>().ok());
        let Some(act) = kind.and_then(|kind| kind.acts().first().copied()) else { return };
        let button = format!("#inbox-form button[value={act}]");
        if let Some(button) = document().query_selector(&button).ok().flatten() {
            button.unchecked_into::<HtmlElement>().click();
        }
    }
}

/// Selects every item on the page, or none.
pub fn select_all(on: bool) {
    let Ok(ticks) = document().query_selector_all("input[name=item]") else { return };
    for at in 0..ticks.length() {
        if let Some(tick) = ticks.item(at).and_then(|tick| tick.dyn_into::<HtmlInputElement>().ok()) {
            tick.set_checked(on);
        }
    }
}

/// Moves the focus to the button that confirms, once it is there.
pub fn focus_confirm() {
    effect(move |_| {
        request_animation_frame(|| {
            if let Some(button) = document().get_element_by_id("inbox-confirm") {
                let _ = button.unchecked_into::<HtmlElement>().focus();
            }
        });
    });
}
