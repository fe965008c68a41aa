//! A text to copy: shown in full in a field, with a button.

use leptos::prelude::*;

use crate::{announce::toaster, context::use_i18n, effect::effect, text_area::area_text};

/// A text in a read-only field, and a button that copies it.
#[component]
pub fn CopyRow(
    /// The field's id.
    id: &'static str,
    /// The field's label, for screen readers.
    label: &'static str,
    /// The text. If it begins with `/`, it is a path on this server and shown as a full address.
    #[prop(into)]
    text: String,
) -> impl IntoView {
    let t = use_i18n().admin();
    let field = NodeRef::<leptos::html::Input>::new();
    let toast = toaster();
    let full = RwSignal::new(text);
    // The server does not know its public name; the browser does.
    effect(move |_| {
        if let Ok(origin) = window().location().origin() {
            full.update(|text| {
                if text.starts_with('/') {
                    text.insert_str(0, &origin);
                }
            });
        }
    });
    let copy = move |_| {
        let Some(input) = field.get_untracked() else { return };
        input.select();
        // The clipboard API is missing on plain http; selected text can be copied everywhere.
        let done = copy_selection();
        toast(if done { t.copied } else { t.copy_by_hand }.into());
    };
    view! {
        <div class="copy-row">
            <label class="visually-hidden" for=id>{label}</label>
            <input class="input" id=id node_ref=field readonly prop:value=full value=full.get_untracked()/>
            <button class="button" type="button" on:click=copy>{t.copy}</button>
        </div>
    }
}

/// A long text in a read-only text area, and a button that copies it.
#[component]
pub fn CopyText(
    /// The area's id.
    id: &'static str,
    /// Its label.
    label: &'static str,
    text: String,
) -> impl IntoView {
    let t = use_i18n().admin();
    let area = NodeRef::<leptos::html::Textarea>::new();
    let toast = toaster();
    let copy = move |_| {
        let Some(area) = area.get_untracked() else { return };
        area.select();
        toast(if copy_selection() { t.copied } else { t.copy_by_hand }.into());
    };
    view! {
        <div class="field">
            <label class="label" for=id>{label}</label>
            <textarea class="input" id=id node_ref=area rows="6" readonly>{area_text(&text)}</textarea>
            <p><button class="button" type="button" on:click=copy>{t.copy}</button></p>
        </div>
    }
}

/// Copies the selected text; returns whether it succeeded.
fn copy_selection() -> bool {
    use leptos::wasm_bindgen::{JsCast, JsValue};
    let document: JsValue = document().into();
    let call = leptos::web_sys::js_sys::Reflect::get(&document, &"execCommand".into());
    call.ok()
        .and_then(|f| f.dyn_into::<leptos::web_sys::js_sys::Function>().ok())
        .and_then(|f| f.call1(&document, &"copy".into()).ok())
        .is_some_and(|done| done.is_truthy())
}
