//! What a visitor changed in a filter, or folded, stays while the page is redrawn.
//!
//! A page is redrawn whenever its data arrive, and Leptos then removes and sets the attributes and properties of every
//! element. A browser takes an option's new attribute for a choice: the list would return to what the address says, and
//! the form would send that.

use std::cell::Cell;

use leptos::{
    prelude::*,
    wasm_bindgen::{JsCast, JsValue},
    web_sys::{Element, HtmlSelectElement, js_sys::Reflect},
};

/// Fields whose form becomes an address, and folds.
const SELECTOR: &str = "form[method=get] :is(input, select, textarea), details";

thread_local! {
    /// Whether the fields before this redraw are already known.
    static IS_REDRAWING: Cell<bool> = const { Cell::new(false) };
}

/// Draws nothing. Through each redraw, fields and folds that are drawn after it keep what the visitor changed. A
/// field of which the page now says something else follows the page; a fold that the page itself opens has a class of
/// its own while it is open.
pub fn keep_unsent() -> impl IntoView {
    // A closure runs in the redraw itself, which may be later than the creation of the view.
    move || remember()
}

fn remember() {
    if cfg!(not(target_arch = "wasm32")) || IS_REDRAWING.replace(true) {
        return;
    }
    let before: Vec<Field> = fields().into_iter().map(Field::read).collect();
    // The first microtask follows the redraw, the second follows what the redraw postpones.
    queue_microtask(move || {
        queue_microtask(move || {
            IS_REDRAWING.set(false);
            for old in before {
                old.settle();
            }
        });
    });
}

fn fields() -> Vec<Element> {
    let Ok(found) = document().query_selector_all(SELECTOR) else { return Vec::new() };
    (0..found.length()).filter_map(|at| found.get(at)?.dyn_into().ok()).collect()
}

/// A field or fold at one moment.
struct Field {
    element: Element,
    /// Tells whether the element is still the same field: a redraw may draw other fields with the same elements.
    identity: [Option<String>; 3],
    /// The property that a visitor changes.
    property: &'static str,
    current: JsValue,
    /// The value of the field that the page has drawn. A fold has none, because the attribute follows the visitor.
    drawn: JsValue,
}

impl Field {
    fn read(element: Element) -> Field {
        let get = |name: &str| Reflect::get(&element, &name.into()).unwrap_or(JsValue::UNDEFINED);
        let kind = element.get_attribute("type").unwrap_or_default();
        let is_tick = kind == "checkbox" || kind == "radio";
        let (property, drawn) = match element.dyn_ref::<HtmlSelectElement>() {
            Some(select) => ("value", drawn_choice(select)),
            None if element.tag_name() == "DETAILS" => ("open", JsValue::UNDEFINED),
            None if is_tick => ("checked", get("defaultChecked")),
            None => ("value", get("defaultValue")),
        };
        let own = if is_tick { "value" } else { "class" };
        let identity = ["id", "name", own].map(|name| element.get_attribute(name));
        let current = get(property);
        Field { identity, property, current, drawn, element }
    }

    /// After the redraw: what the visitor had, unless the page has drawn something else.
    fn settle(self) {
        let now = Field::read(self.element);
        if now.identity != self.identity {
            return;
        }
        let value = if now.drawn == self.drawn { self.current } else { now.drawn };
        if value != now.current {
            let _ = Reflect::set(&now.element, &now.property.into(), &value);
        }
    }
}

/// The value of a list in which the visitor chose nothing: of the option with the attribute, else of the first.
fn drawn_choice(select: &HtmlSelectElement) -> JsValue {
    let of = |selector| select.query_selector(selector).ok().flatten();
    let option = of("option[selected]").or_else(|| of("option"));
    option.and_then(|option| Reflect::get(&option, &"value".into()).ok()).unwrap_or(JsValue::UNDEFINED)
}
