//! Code to read: numbered lines of highlighted runs, laid out or as it came.
//!
//! Both forms are in the document and a checkbox chooses between them, so that the choice needs
//! no JavaScript. Line numbers are drawn by the style sheet: they are never selected or copied.

use leptos::prelude::*;

use crate::{
    i18n::use_i18n,
    model::code::{CodeView, Line, Remark},
};

/// A box with one output's code.
#[component]
pub fn CodeBox(
    /// The code.
    code: CodeView,
    /// Whether it is shown as it came, where the page wants to know and to switch it by key.
    #[prop(optional)]
    raw: Option<RwSignal<bool>>,
    /// Whose code it is, where a page shows several.
    #[prop(optional, into)]
    of: String,
) -> impl IntoView {
    let common = use_i18n().common;
    let label = if of.is_empty() { common.code.to_owned() } else { format!("{}: {of}", common.code) };
    // Only a page that hands the switch in has a key for it.
    let key = raw.is_some().then(|| view! { <kbd>"r"</kbd> });
    let raw = raw.unwrap_or_else(|| RwSignal::new(false));
    let remark = code.remark.map(|remark| {
        let text = match remark {
            Remark::Empty => common.code_empty,
            Remark::DoesNotParse => common.code_does_not_parse,
            Remark::Truncated => common.code_truncated,
        };
        view! { <p class="code-remark">{text}</p> }
    });
    let lines = code.laid_out.as_ref().unwrap_or(&code.raw).len();
    let empty = code.raw.iter().all(|line| line.0.is_empty());
    let both = code.laid_out.is_some();
    let said = (!code.said.is_empty()).then(|| {
        view! {
            <details class="said">
                <summary>{common.code_said}</summary>
                <p class="said-text">{code.said}</p>
            </details>
        }
    });
    view! {
        <section class="code-box" aria-label=label>
            <div class="code-bar">
                <span class="code-title">{common.code}</span>
                <span class="muted small">{(!empty).then(|| (common.lines)(lines as u64))}</span>
                {both
                    .then(|| {
                        view! {
                            <label class="code-switch">
                                <input
                                    type="checkbox"
                                    class="code-raw-input"
                                    prop:checked=raw
                                    on:change=move |event| raw.set(event_target_checked(&event))
                                />
                                <span>{common.code_raw}</span>
                                {key}
                            </label>
                        }
                    })}
            </div>
            {remark}
            {(!empty)
                .then(|| {
                    view! {
                        {code.laid_out.map(|lines| view! { <Listing lines label=common.code_laid_out class="code laid-out" /> }.into_any())}
                        <Listing lines=code.raw label=common.code_raw class="code raw" />
                    }
                })}
            {said}
        </section>
    }
}

/// Numbered lines that scroll sideways in their own box, by keyboard too.
#[component]
pub fn Listing(
    /// The lines.
    lines: Vec<Line>,
    /// What they are, for screen readers.
    label: &'static str,
    /// The classes of the box.
    #[prop(default = "code")]
    class: &'static str,
) -> impl IntoView {
    // Wide enough for the last line's number: one of four widths, since inline styles are not allowed.
    let digits = match lines.len() {
        0..=9 => "digits-1",
        10..=99 => "digits-2",
        100..=999 => "digits-3",
        _ => "digits-5",
    };
    let lines = lines
        .into_iter()
        .map(|line| {
            let runs = line
                .0
                .into_iter()
                .map(|run| {
                    let class = (!run.0.is_empty()).then(|| format!("tok-{}", run.0));
                    view! { <span class=class>{run.1}</span> }
                })
                .collect_view();
            view! { <span class="line">{runs}"\n"</span> }
        })
        .collect_view();
    view! {
        <div class=class tabindex="0" role="group" aria-label=label>
            <pre class=digits translate="no"><code>{lines}</code></pre>
        </div>
    }
}
