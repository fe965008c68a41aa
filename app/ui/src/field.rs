//! Form fields: label, control, hint and error, connected for screen readers.

use leptos::prelude::*;

/// An `<input>` with a label.
#[component]
pub fn TextField(
    /// Name in the form, and id.
    name: &'static str,
    /// Its label.
    label: &'static str,
    /// The input's type.
    #[prop(default = "text")]
    kind: &'static str,
    /// Initial value.
    #[prop(optional, into)]
    value: String,
    /// Hint below the label.
    #[prop(optional, into)]
    hint: String,
    /// Error; empty for none.
    #[prop(optional, into)]
    error: String,
    /// Value of `autocomplete` (`username`, `current-password`, …).
    #[prop(default = "off")]
    autocomplete: &'static str,
    /// Whether it is optional.
    #[prop(optional)]
    optional: bool,
    /// Whether it gets the focus.
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
    /// Hint.
    #[prop(optional, into)]
    hint: String,
    /// Error; empty for none.
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

/// Ids of the field's hint and error, if it has them.
pub fn described_by(id: &str, hint: &str, error: &str) -> Option<String> {
    let ids = [(hint, "hint"), (error, "error")];
    let ids: Vec<_> = ids.iter().filter(|(text, _)| !text.is_empty()).map(|(_, kind)| format!("{id}-{kind}")).collect();
    (!ids.is_empty()).then(|| ids.join(" "))
}
