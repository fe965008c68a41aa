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
    /// The text. A path on this server at the start of the text, of an attribute, or of the field `url` of BibTeX is shown as a full
    /// address.
    #[prop(into)]
    text: String,
    /// Number of lines that are in sight.
    #[prop(default = 1)]
    rows: u32,
) -> impl IntoView {
    let t = use_i18n().admin();
    let (field, area) = (NodeRef::<leptos::html::Input>::new(), NodeRef::<leptos::html::Textarea>::new());
    let toast = toaster();
    let full = RwSignal::new(text);
    // The server does not know its public name; the browser does.
    effect(move |_| {
        if let Ok(origin) = window().location().origin() {
            full.update(|text| *text = with_origin(text, &origin));
        }
    });
    let copy = move |_| {
        match (field.get_untracked(), area.get_untracked()) {
            (Some(input), _) => input.select(),
            (None, Some(area)) => area.select(),
            (None, None) => return,
        }
        // The clipboard API is missing on plain http; selected text can be copied everywhere.
        let done = copy_selection();
        toast(if done { t.copied } else { t.copy_by_hand }.into());
    };
    let input = match rows {
        0 | 1 => {
            view! { <input class="input" id=id node_ref=field readonly prop:value=full value=full.get_untracked()/> }
                .into_any()
        }
        rows => view! {
            <textarea class="input" id=id node_ref=area readonly rows=rows.to_string() prop:value=full>
                {area_text(&full.get_untracked())}
            </textarea>
        }
        .into_any(),
    };
    view! {
        <div class="copy-row">
            <label class="visually-hidden" for=id>{label}</label>
            {input}
            <button class="button" type="button" on:click=copy>{t.copy}</button>
        </div>
    }
}

/// The text with full addresses in place of paths.
fn with_origin(text: &str, origin: &str) -> String {
    if text.starts_with('/') {
        return format!("{origin}{text}");
    }
    text.replace("=\"/", &format!("=\"{origin}/")).replace("url = {/", &format!("url = {{{origin}/"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_addresses_and_nothing_else_changes() {
        let check = |text, expected| assert_eq!(with_origin(text, "https://a.example"), expected);
        check("/public/x", "https://a.example/public/x");
        check(
            r#"<a href="/x"><img src="/y.svg" alt="1/2"></a>"#,
            r#"<a href="https://a.example/x"><img src="https://a.example/y.svg" alt="1/2"></a>"#,
        );
        check("url = {/x}, title = {/b}", "url = {https://a.example/x}, title = {/b}");
        check("https://b.example/x", "https://b.example/x");
    }
}
