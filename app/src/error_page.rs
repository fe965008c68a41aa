//! The error page: header, error, and a link. Server side only.
//!
//! It has no script, because it must work where the client cannot be loaded.

use leptos::prelude::*;
use leptos_meta::{MetaTags, Title, provide_meta_context};
use leptos_router::components::Router;

use crate::{header::Header, shell::ICON};
use model::error::AppError;
use texts::I18n;
use ui::{
    context::{use_i18n, use_visitor},
    failure::Failure,
    text_area::area_text,
};

/// The error and its context.
#[derive(Clone, Debug)]
pub struct Failed {
    /// The error.
    pub error: AppError,
    /// A form to send again, if retrying may help.
    pub form: Option<SentForm>,
}

/// A form that was sent.
#[derive(Clone, Debug)]
pub struct SentForm {
    /// Its address.
    pub action: String,
    /// Its fields; none of them is a password.
    pub fields: Vec<(String, String)>,
}

/// The document, in the visitor's language, with the style sheet `css`.
pub fn document(css: String, failed: Failed) -> impl IntoView {
    view! {
        <!DOCTYPE html>
        <html lang=use_visitor().lang.tag()>
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                <link rel="stylesheet" href=css />
                <link rel="icon" type="image/svg+xml" href=ICON />
                <MetaTags />
            </head>
            <body>
                <Content failed />
            </body>
        </html>
    }
}

#[component]
fn Content(
    /// The content of the page.
    failed: Failed,
) -> impl IntoView {
    provide_meta_context();
    provide_context(use_visitor());
    view! {
        <Title formatter=|title: String| format!("{title} · AixGrade") />
        <Router>
            <Header />
            <main class="main" id="main" tabindex="-1">
                <Failure error=failed.error />
                {failed.form.map(|form| view! { <SendAgain form /> })}
            </main>
        </Router>
    }
}

/// Shows what was entered and sends the same form again, so that nothing is lost or has to be retyped.
#[component]
fn SendAgain(
    /// The form.
    form: SentForm,
) -> impl IntoView {
    let t = use_i18n().error_page();
    let fields = form.fields.into_iter().enumerate().map(|(n, (name, value))| match label(use_i18n(), &name, &value) {
        None => view! { <input type="hidden" name=name value=value /> }.into_any(),
        Some(label) => {
            let id = format!("field-{n}");
            view! {
                <div class="field">
                    <label class="label" for=id.clone()>{label}</label>
                    <textarea class="input" id=id name=name rows=rows(&value)>{area_text(&value)}</textarea>
                </div>
            }
            .into_any()
        }
    });
    view! {
        <form class="failure stack" method="post" action=form.action>
            <p>{t.send_again_hint}</p>
            {fields.collect_view()}
            <p><button class="button primary" type="submit">{t.send_again}</button></p>
        </form>
    }
}

/// The label of a field that somebody filled in; absent for values that the form set by itself.
fn label(i: I18n, name: &str, value: &str) -> Option<String> {
    if value.trim().is_empty() {
        return None;
    }
    if let Some(place) = name.strip_prefix("score-").and_then(|place| place.parse::<usize>().ok()) {
        return Some((i.error_page().score_n)(place + 1));
    }
    match name {
        "comment" => Some(i.rater().comment.into()),
        "notes" => Some(i.grading().notes.into()),
        "flag_text" => Some(i.flags().text.into()),
        // Numbers, codes and keys have no spaces.
        _ => value.trim().contains(char::is_whitespace).then(|| name.to_owned()),
    }
}

/// As many rows as the text has lines, within reason.
fn rows(value: &str) -> String {
    (value.lines().count() + value.chars().count() / 80).clamp(1, 16).to_string()
}
