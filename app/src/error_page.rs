//! The error page: header, error, and a link. Server side only.
//!
//! It has no script, because it must work where the client cannot be loaded.

use leptos::prelude::*;
use leptos_meta::{MetaTags, Title, provide_meta_context};
use leptos_router::components::Router;

use crate::{
    error::AppError,
    i18n::use_i18n,
    port::visitor,
    shell::ICON,
    ui::{failure::Failure, frame::Header},
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
        <html lang=visitor().lang.tag()>
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
    provide_context(visitor());
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

/// Sends the same form again, so that nothing has to be retyped.
#[component]
fn SendAgain(
    /// The form.
    form: SentForm,
) -> impl IntoView {
    let t = use_i18n().error_page();
    let fields = form.fields.into_iter().map(|(name, value)| view! { <input type="hidden" name=name value=value /> });
    view! {
        <form class="failure stack" method="post" action=form.action>
            {fields.collect_view()}
            <p>{t.send_again_hint}</p>
            <p><button class="button primary" type="submit">{t.send_again}</button></p>
        </form>
    }
}
