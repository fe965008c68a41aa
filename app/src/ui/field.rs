//! Form fields: label, control, hint and error, tied together for eyes and screen readers.

use leptos::prelude::*;

/// A line of text, a password, a number: any `<input>` with a label.
#[component]
pub fn TextField(
    /// The field's name in the form, and its id.
    name: &'static str,
    /// Its label.
    label: &'static str,
    /// The input's type.
    #[prop(default = "text")]
    kind: &'static str,
    /// What it holds at first.
    #[prop(optional, into)]
    value: String,
    /// What to write, under the label.
    #[prop(optional, into)]
    hint: String,
    /// What is wrong with it; empty where nothing is.
    #[prop(optional, into)]
    error: String,
    /// What the browser may fill in (`username`, `current-password`, …).
    #[prop(default = "off")]
    autocomplete: &'static str,
    /// Whether the form may be sent without it.
    #[prop(optional)]
    optional: bool,
    /// Whether writing starts here.
    #[prop(optional)]
    autofocus: bool,
) -> impl IntoView {
    let wrong = !error.is_empty();
    let described = described_by(name, &hint, &error);
    view! {
        <Field id=name label hint error>
            <input
                class="input"
                id=name
                name=name
                type=kind
                value=value
                autocomplete=autocomplete
                autocapitalize="none"
                spellcheck="false"
                required=!optional
                autofocus=autofocus
                aria-invalid=wrong.then_some("true")
                aria-describedby=described
            />
        </Field>
    }
}

/// The frame of a field. The control inside has the same `id`, and [`described_by`] as its
/// `aria-describedby`.
#[component]
pub fn Field(
    /// The control's id.
    id: &'static str,
    /// The label.
    label: &'static str,
    /// What to write or choose.
    #[prop(optional, into)]
    hint: String,
    /// What is wrong; empty where nothing is.
    #[prop(optional, into)]
    error: String,
    /// The control.
    children: Children,
) -> impl IntoView {
    let hint_id = format!("{id}-hint");
    let error_id = format!("{id}-error");
    let wrong = !error.is_empty();
    view! {
        <div class="field" class:field-wrong=wrong>
            <label class="label" for=id>{label}</label>
            {(!hint.is_empty()).then(|| view! { <p class="hint" id=hint_id>{hint}</p> })}
            {children()}
            {wrong.then(|| view! { <p class="field-error" id=error_id>{error}</p> })}
        </div>
    }
}

/// The ids of a field's hint and error, where it has them.
pub fn described_by(id: &str, hint: &str, error: &str) -> Option<String> {
    let ids = [(hint, "hint"), (error, "error")];
    let ids: Vec<_> = ids.iter().filter(|(text, _)| !text.is_empty()).map(|(_, kind)| format!("{id}-{kind}")).collect();
    (!ids.is_empty()).then(|| ids.join(" "))
}
