//! Shows code: numbered, highlighted lines, formatted or original.
//!
//! Both forms are in the document and a checkbox switches between them, so that switching needs
//! no JavaScript. The style sheet draws line numbers, so they are never selected or copied.

use leptos::{ev, prelude::*};

use super::margin::{DisplayedLine, Margin, spots};
use crate::context::use_i18n;
use model::{
    code::{CodeView, Line, Remark},
    note::starts,
};

/// A box with one output's code.
#[component]
pub fn CodeBox(
    /// The code.
    code: CodeView,
    /// Whether the original form is shown, if the page tracks it.
    #[prop(optional)]
    raw: Option<RwSignal<bool>>,
    /// Label of the code, if a page shows several.
    #[prop(optional, into)]
    of: String,
    /// The margin next to the lines.
    #[prop(optional)]
    margin: Option<Margin>,
    /// Shortcut that switches between the forms, if any.
    #[prop(optional)]
    key: Option<char>,
) -> impl IntoView {
    let common = use_i18n().common;
    let label = if of.is_empty() { common.code.to_owned() } else { format!("{}: {of}", common.code) };
    let key = key.map(|key| view! { <kbd>{key.to_string()}</kbd> });
    let raw_starts = starts(&code, false);
    let laid_out_starts = code.starts.clone();
    let laid_out_margin = margin.clone();
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
    let (laid_out_only, raw_only) = if both { (code.only_here, Vec::new()) } else { (Vec::new(), code.only_here) };
    let surrounding_text = (!code.surrounding_text.is_empty()).then(|| {
        view! {
            <details class="said">
                <summary>{common.code_said}</summary>
                <p class="said-text">{code.surrounding_text}</p>
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
                        {code.laid_out.map(|lines| {
                            let spots = spots(&laid_out_starts, lines.len(), false);
                            view! { <Listing lines label=common.code_laid_out class="code laid-out" margin=laid_out_margin spots only_here=laid_out_only /> }.into_any()
                        })}
                        <Listing
                            spots=spots(&raw_starts, code.raw.len(), true)
                            lines=code.raw
                            label=common.code_raw
                            class="code raw"
                            margin
                            only_here=raw_only
                        />
                    }
                })}
            {surrounding_text}
        </section>
    }
}

/// Numbered lines that scroll sideways in their own box, also by keyboard.
#[component]
pub fn Listing(
    /// The lines.
    lines: Vec<Line>,
    /// Label for screen readers.
    label: &'static str,
    /// The classes of the box.
    #[prop(default = "code")]
    class: &'static str,
    /// The margin next to the lines.
    #[prop(default = None)]
    margin: Option<Margin>,
    /// Start of each line in the original code; required with a margin.
    #[prop(optional)]
    spots: Vec<DisplayedLine>,
    /// Lines that no other output on the page has, counted from 0.
    #[prop(optional)]
    only_here: Vec<u32>,
) -> impl IntoView {
    // One of four widths that fits the last line's number, because inline styles are not allowed.
    let digits = match lines.len() {
        0..=9 => "digits-1",
        10..=99 => "digits-2",
        100..=999 => "digits-3",
        _ => "digits-5",
    };
    let open = margin.as_ref().and_then(|margin| margin.open);
    let mut reachable = true;
    let lines = lines
        .into_iter()
        .enumerate()
        .map(|(n, line)| {
            let spot = spots.get(n).copied();
            let only = u32::try_from(n).is_ok_and(|n| only_here.binary_search(&n).is_ok());
            // One line is a tab stop; arrow keys move to the others.
            let mark = spot.zip(open).filter(|_| !line.0.is_empty()).map(|(spot, open)| {
                let tabindex = if std::mem::take(&mut reachable) { "0" } else { "-1" };
                let mut label = (open.label)(spot.number, line.text().trim());
                if only {
                    // The style sheet marks the line, unless the rater has switched the marks off.
                    label = format!("{label} ({})", use_i18n().common.only_here);
                }
                view! {
                    <button type="button" class="line-mark scripted" tabindex=tabindex data-line=n.to_string() aria-label=label></button>
                }
            });
            let under = margin.as_ref().zip(spot).map(|(margin, spot)| {
                view! { <span class="line-under">{(margin.under)(spot)}</span> }
            });
            let runs = line
                .0
                .into_iter()
                .map(|run| {
                    let class = (!run.0.is_empty()).then(|| format!("tok-{}", run.0));
                    view! { <span class=class>{run.1}</span> }
                })
                .collect_view();
            view! { <span class=if only { "line only-here" } else { "line" }>{mark}{runs}"\n"</span>{under} }
        })
        .collect_view();
    let opener = move |event: ev::MouseEvent| {
        if let Some(spot) = clicked_line(&event).and_then(|n| spots.get(n).copied())
            && let Some(open) = open
        {
            open.run.run(spot);
        }
    };
    match open {
        None => view! {
            <div class=class tabindex="0" role="group" aria-label=label>
                <pre class=digits translate="no"><code>{lines}</code></pre>
            </div>
        }
        .into_any(),
        // The lines' buttons are focusable, so the box need not be.
        Some(_) => view! {
            <div class=format!("{class} open") role="group" aria-label=label>
                <pre class=digits translate="no" on:click=opener on:keydown=walk on:focusin=rove><code>{lines}</code></pre>
            </div>
        }
        .into_any(),
    }
}

/// Index of the clicked line. A click that ends a selection opens
/// nothing, and neither does one below a line.
fn clicked_line(event: &ev::MouseEvent) -> Option<usize> {
    let target = element(event.target())?;
    if target.closest(".line-under").ok()?.is_some() {
        return None;
    }
    let by_button = target.closest(".line-mark").ok()?.is_some();
    let selecting = || window().get_selection().ok().flatten().is_some_and(|selection| !selection.is_collapsed());
    if !by_button && selecting() {
        return None;
    }
    number(&target.closest(".line").ok()??.query_selector(".line-mark").ok()??)
}

/// Moves up, down, to the first and to the last line.
fn walk(event: ev::KeyboardEvent) {
    let steps: fn(usize, usize) -> usize = match event.key().as_str() {
        "ArrowUp" => |at, _| at.saturating_sub(1),
        "ArrowDown" => |at, last| (at + 1).min(last),
        "Home" => |_, _| 0,
        "End" => |_, last| last,
        _ => return,
    };
    let held = event.ctrl_key() || event.alt_key() || event.meta_key() || event.shift_key();
    let go = || {
        use leptos::wasm_bindgen::JsCast;
        let here = element(event.target())?.closest(".line-mark").ok()??;
        let marks = here.closest("pre").ok()??.query_selector_all(".line-mark").ok()?;
        let of = |at: u32| marks.item(at).and_then(|node| node.dyn_into::<web_sys::HtmlElement>().ok());
        let at = (0..marks.length()).find(|at| of(*at).is_some_and(|mark| *mark == here))?;
        let to = steps(usize::try_from(at).ok()?, usize::try_from(marks.length()).ok()?.checked_sub(1)?);
        of(u32::try_from(to).ok()?)?.focus().ok()
    };
    if !held && go().is_some() {
        event.prevent_default();
    }
}

/// The focused line becomes the tab stop.
fn rove(event: ev::FocusEvent) {
    let _ = (|| {
        let here = element(event.target())?.closest(".line-mark").ok()??;
        let before = here.closest("pre").ok()??.query_selector(".line-mark[tabindex='0']").ok()?;
        if let Some(before) = before {
            before.set_attribute("tabindex", "-1").ok()?;
        }
        here.set_attribute("tabindex", "0").ok()
    })();
}

fn element(target: Option<web_sys::EventTarget>) -> Option<web_sys::Element> {
    use leptos::wasm_bindgen::JsCast;
    target?.dyn_into().ok()
}

fn number(mark: &web_sys::Element) -> Option<usize> {
    mark.get_attribute("data-line")?.parse().ok()
}
