//! File uploads: a plain multipart form, which shows its progress if JavaScript is enabled.
//!
//! The server answers a script with `{"location": …}` or `{"error": …}` and a plain form with a redirect or
//! an error page; both lead to the same page. Fields come before files in the form, because the server reads
//! it as a stream and must know the fields first. Files can also be dropped on their field.

use leptos::{
    prelude::*,
    wasm_bindgen::{JsCast, closure::Closure},
    web_sys,
};
use serde::Deserialize;

use super::parts::{FormError, size};
use model::error::AppError;
use ui::{context::use_i18n, json};

/// A file field with its label.
#[component]
pub fn Picker(
    /// The form field.
    name: &'static str,
    /// The label.
    label: &'static str,
    /// A hint.
    hint: &'static str,
    /// File name endings for the browser's dialog.
    accept: &'static str,
    /// Whether several files may be selected.
    #[prop(optional)]
    multiple: bool,
) -> impl IntoView {
    let t = use_i18n().uploads();
    let (field, help) = (format!("pick-{name}"), format!("pick-{name}-hint"));
    let input = NodeRef::<leptos::html::Input>::new();
    let over = RwSignal::new(false);
    let said = RwSignal::new(String::new());
    let on_over = move |event: web_sys::DragEvent| {
        if has_files(&event) {
            // Otherwise, the browser would open the file.
            event.prevent_default();
            over.set(true);
        }
    };
    let on_drop = move |event: web_sys::DragEvent| {
        over.set(false);
        if !has_files(&event) {
            return;
        }
        event.prevent_default();
        let Some((files, input)) = event.data_transfer().and_then(|data| data.files()).zip(input.get()) else { return };
        if files.length() > 1 && !multiple {
            said.set(t.drop_only_one.to_owned());
            return;
        }
        let names: Vec<_> = (0..files.length()).filter_map(|n| Some(files.get(n)?.name())).collect();
        input.set_files(Some(&files));
        said.set((t.dropped)(&names.join(", ")));
    };
    view! {
        <div class="field drop" class:over=over on:dragover=on_over on:dragleave=move |_| over.set(false) on:drop=on_drop>
            <label class="label" for=field.clone()>{label}</label>
            <input node_ref=input class="input" id=field type="file" name=name accept=accept multiple=multiple required aria-describedby=help.clone()/>
            <p class="drop-sign scripted">{if multiple { t.drop_several } else { t.drop_one }}</p>
            <p class="drop-said" role="status">{said}</p>
            <p class="hint" id=help>{hint}</p>
        </div>
    }
}

/// Whether files are dragged, and not text or a link.
fn has_files(event: &web_sys::DragEvent) -> bool {
    event.data_transfer().is_some_and(|data| data.types().includes(&"Files".into(), 0))
}

/// The state of an upload.
#[derive(Clone, PartialEq)]
enum Sending {
    Idle,
    /// Bytes sent, and their total.
    Under(f64, f64),
    /// Everything is sent; the server reads it.
    Reading,
    Failed(AppError),
}

/// A form with files.
#[component]
pub fn FileForm(
    /// Its action.
    action: &'static str,
    /// Label of the button.
    send: &'static str,
    /// The fields; files last.
    children: Children,
) -> impl IntoView {
    let t = use_i18n().admin();
    let state = RwSignal::new(Sending::Idle);
    // Created when the form is sent, so never on the server, whose threads must not drop it.
    let request = RwSignal::new(None::<StoredValue<web_sys::XmlHttpRequest, LocalStorage>>);
    let on_submit = move |event: web_sys::SubmitEvent| {
        let Some(form) = event.target().and_then(|target| target.dyn_into::<web_sys::HtmlFormElement>().ok()) else {
            return;
        };
        // If any of this is unavailable, the browser sends the form itself.
        if let Some(sent) = begin(&form, action, state) {
            event.prevent_default();
            request.set(Some(StoredValue::new_local(sent)));
        }
    };
    let stop = move |_| {
        if let Some(sent) = request.try_update(Option::take).flatten() {
            sent.with_value(|sent| _ = sent.abort());
            sent.dispose();
        }
        state.set(Sending::Idle);
    };
    let busy = move || matches!(state.get(), Sending::Under(..) | Sending::Reading);
    view! {
        <form class="stack form" action=action method="post" enctype="multipart/form-data" on:submit=on_submit>
            {children()}
            <div class="form-actions">
                <button class="button primary" type="submit" disabled=busy>{send}</button>
            </div>
            <div class="sending" aria-live="polite">
                {move || match state.get() {
                    Sending::Idle => ().into_any(),
                    Sending::Under(done, whole) => {
                        let text = (t.sending)(&size(done as u64), &size(whole as u64));
                        view! {
                            <progress max=whole value=done aria-label=t.sending_label></progress>
                            <span class="so-far-figures">{text}</span>
                            <button class="button" type="button" on:click=stop>{t.stop_sending}</button>
                        }
                        .into_any()
                    }
                    Sending::Reading => {
                        view! {
                            <progress aria-label=t.sending_label></progress>
                            <span class="so-far-figures">{t.server_reads}</span>
                        }
                        .into_any()
                    }
                    Sending::Failed(error) => view! { <FormError of=move || Some(error.clone())/> }.into_any(),
                }}
            </div>
        </form>
    }
}

/// The server's answer to a script.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Answer {
    Location(String),
    Error(AppError),
}

fn begin(form: &web_sys::HtmlFormElement, action: &str, state: RwSignal<Sending>) -> Option<web_sys::XmlHttpRequest> {
    let data = web_sys::FormData::new_with_form(form).ok()?;
    let request = web_sys::XmlHttpRequest::new().ok()?;
    request.open_with_async("POST", action, true).ok()?;
    request.set_request_header("Accept", "application/json").ok()?;
    let upload = request.upload().ok()?;

    let on_progress = Closure::<dyn FnMut(_)>::new(move |event: web_sys::ProgressEvent| {
        let (done, whole) = (event.loaded(), event.total());
        state.set(if done < whole { Sending::Under(done, whole) } else { Sending::Reading });
    });
    upload.set_onprogress(Some(on_progress.as_ref().unchecked_ref()));
    let answered = request.clone();
    let on_load = Closure::<dyn FnMut()>::new(move || {
        let text = answered.response_text().ok().flatten().unwrap_or_default();
        match json::read::<Answer>(text) {
            Ok(Answer::Location(path)) => _ = window().location().set_href(&path),
            Ok(Answer::Error(error)) => state.set(Sending::Failed(error)),
            Err(_) => state.set(Sending::Failed(by_status(answered.status().unwrap_or(0)))),
        }
    });
    request.set_onload(Some(on_load.as_ref().unchecked_ref()));
    let on_error = Closure::<dyn FnMut()>::new(move || state.set(Sending::Failed(AppError::Unreachable)));
    request.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    // The request outlives this call, and so must its callbacks; they are a few bytes per upload.
    on_progress.forget();
    on_load.forget();
    on_error.forget();

    state.set(Sending::Under(0.0, 1.0));
    request.send_with_opt_form_data(Some(&data)).ok()?;
    Some(request)
}

/// The message for a response that is not ours: a proxy's, or a crash's.
fn by_status(status: u16) -> AppError {
    match status {
        401 => AppError::Unauthenticated,
        403 => AppError::Forbidden,
        400 => AppError::Malformed,
        0 | 502..=504 => AppError::Unreachable,
        _ => AppError::Internal("-".into()),
    }
}
