//! The inbox by keyboard: moving, selecting, acting, undoing. Lines are found in the document by their ids, because the
//! browser owns focus and checkboxes.

use leptos::{
    ev,
    prelude::*,
    wasm_bindgen::JsCast,
    web_sys::{Element, HtmlElement, HtmlInputElement, KeyboardEvent},
};

use super::{Queue, preview::keyboard_opens};
use model::inbox::{InboxAct, InboxKind, InboxRow};
use ui::{context::use_visitor, effect::effect};

/// The items on the page, and the place of the current one.
#[derive(Clone, Copy)]
pub struct Keyboard {
    queue: Queue,
    items: StoredValue<Vec<(i64, InboxKind)>>,
    at: StoredValue<usize>,
    /// Whether the last act was by key: then the focus follows the current item.
    used: StoredValue<bool>,
    /// The item that is opened as soon as it is there: Enter came before it.
    wanted: StoredValue<Option<i64>>,
}

impl Keyboard {
    /// Listens until the page is left, unless the visitor switched single keys off.
    pub fn new(queue: Queue) -> Keyboard {
        let items = StoredValue::new(Vec::new());
        let (at, used, wanted) = (StoredValue::new(0), StoredValue::new(false), StoredValue::new(None));
        let keyboard = Keyboard { queue, items, at, used, wanted };
        let off = use_visitor().me.is_some_and(|me| me.settings.keys.off);
        effect(move |_| {
            if !off {
                let listener = window_event_listener(ev::keydown, move |event| keyboard.press(&event));
                on_cleanup(move || listener.remove());
            }
        });
        keyboard
    }

    /// The items that are drawn now.
    pub fn show(self, rows: &[InboxRow]) {
        self.items.set_value(rows.iter().map(|row| (row.id, row.kind)).collect());
        effect(move |_| {
            self.settle();
            if self.used.get_value() {
                request_animation_frame(move || self.focus());
            }
        });
    }

    /// If the current item is gone, the one in its place becomes the current one; at first, on a wide page, the first.
    fn settle(self) {
        let items = self.left();
        let current = self.queue.current.get_untracked();
        match items.iter().position(|(id, _)| Some(*id) == current) {
            Some(at) => self.at.set_value(at),
            None if current.is_none() && !is_wide() => {}
            None => {
                let at = self.at.get_value().min(items.len().saturating_sub(1));
                self.at.set_value(at);
                self.queue.current.set(items.get(at).map(|(id, _)| *id));
            }
        }
    }

    /// The items that were not acted on.
    fn left(self) -> Vec<(i64, InboxKind)> {
        let gone = self.queue.gone.get_untracked();
        self.items.with_value(|items| items.iter().copied().filter(|(id, _)| !gone.contains(id)).collect())
    }

    fn press(self, event: &KeyboardEvent) {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let within = |selector: &str| target.as_ref().is_some_and(|at| at.closest(selector).ok().flatten().is_some());
        if event.ctrl_key() || event.alt_key() || event.meta_key() || event.default_prevented() {
            return;
        }
        if within("textarea, select, input:not([type=checkbox])") {
            if event.key() == "Escape" {
                event.prevent_default();
                self.focus();
            }
            return;
        }
        self.used.set_value(true);
        match event.key().as_str() {
            "j" => self.go_to(self.next()),
            "k" => self.go_to(self.at.get_value().saturating_sub(1)),
            "x" => self.tick(),
            "Enter" if within(".inbox-link") || !within("a, button, summary, input") => self.open(),
            "e" => self.act(),
            "u" => self.queue.undo_last(),
            "?" => toggle_help(),
            _ => return,
        }
        event.prevent_default();
    }

    /// The place of the next item; of the current one, before it has been gone to.
    fn next(self) -> usize {
        let focused = document().active_element().is_some_and(|at| at.class_list().contains("inbox-link"));
        if focused { self.at.get_value() + 1 } else { self.at.get_value() }
    }

    fn go_to(self, at: usize) {
        let items = self.left();
        let at = at.min(items.len().saturating_sub(1));
        self.at.set_value(at);
        self.wanted.set_value(None);
        self.queue.current.set(items.get(at).map(|(id, _)| *id));
        self.focus();
    }

    fn current(self) -> Option<(i64, InboxKind)> {
        let current = self.queue.current.get_untracked()?;
        self.left().into_iter().find(|(id, _)| *id == current)
    }

    fn focus(self) {
        let Some((id, _)) = self.current() else { return };
        if let Some(link) = found(&format!("#item-{id} .inbox-link")) {
            let _ = link.focus();
        }
    }

    fn tick(self) {
        let Some((id, _)) = self.current() else { return };
        if let Some(tick) = found(&format!("#item-{id} input")) {
            tick.click();
        }
    }

    /// Opens the current item: its page, or the field for a reply.
    fn open(self) {
        let Some((id, _)) = self.current() else { return };
        let Some(open) = found(&format!(".inbox-pane[data-item='{id}'] .inbox-open")) else {
            self.wanted.set_value(Some(id));
            return;
        };
        self.wanted.set_value(None);
        if open.tag_name() == "A" {
            open.click();
        } else {
            let _ = open.focus();
        }
    }

    /// The item has come, and is drawn before the next frame.
    pub fn arrived(self, item: i64) {
        if self.wanted.get_value() == Some(item) {
            request_animation_frame(move || {
                if self.wanted.try_get_value().flatten() == Some(item) {
                    self.open();
                }
            });
        }
    }

    /// Does the usual with the selected items, or with the current one.
    fn act(self) {
        let ticked = ticked();
        if let Some(first) = ticked.first() {
            let kind = self.items.with_value(|items| items.iter().find(|(id, _)| id == first).map(|(_, kind)| *kind));
            if let Some(act) = kind.and_then(|kind| kind.acts().first().copied()) {
                self.act_on(act, &ticked);
            }
            return;
        }
        match self.current() {
            Some((_, kind)) if keyboard_opens(kind) => self.open(),
            Some((id, kind)) => {
                if let Some(act) = kind.acts().first() {
                    self.act_on(*act, &[id]);
                }
            }
            None => {}
        }
    }
}

impl Keyboard {
    /// Acts, and goes on to the next item without waiting for the answer.
    fn act_on(self, act: InboxAct, items: &[i64]) {
        self.queue.act_on(act, items);
        self.settle();
        self.focus();
    }
}

fn found(selector: &str) -> Option<HtmlElement> {
    document().query_selector(selector).ok()??.dyn_into().ok()
}

/// Whether list and item are side by side.
fn is_wide() -> bool {
    window().match_media("(min-width: 60rem)").ok().flatten().is_some_and(|query| query.matches())
}

fn toggle_help() {
    let Some(help) = found("#inbox-keys") else { return };
    let _ = help.toggle_attribute("open");
    help.scroll_into_view();
}

fn ticks() -> Vec<HtmlInputElement> {
    let Ok(found) = document().query_selector_all(".inbox-tick input") else { return Vec::new() };
    (0..found.length()).filter_map(|at| found.item(at)?.dyn_into().ok()).collect()
}

/// The selected items.
fn ticked() -> Vec<i64> {
    ticks().into_iter().filter(HtmlInputElement::checked).filter_map(|tick| tick.value().parse().ok()).collect()
}

/// Selects every item on the page, or none.
pub fn select_all(on: bool) {
    ticks().into_iter().for_each(|tick| tick.set_checked(on));
}
