//! Errors in the visitor's language. The only place where an [`AppError`] becomes a page, and where a failed
//! page gets its HTTP status.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_location;

use crate::context::use_i18n;
use model::{address::query_value, error::AppError, grading::DraftFault, problem::Problem};
use texts::{I18n, refusal};

/// An error instead of the requested content. Sets the response's status on the server.
#[component]
pub fn Failure(
    /// The error.
    error: AppError,
    /// Retries, if that may help.
    #[prop(optional, into)]
    retry: Option<Callback<()>>,
) -> impl IntoView {
    set_status(error.status());
    let i18n = use_i18n();
    let common = i18n.common;
    let (title, hint) = words(&error, i18n);
    let problems = match &error {
        AppError::Invalid(problems) => problems.clone(),
        _ => Vec::new(),
    };
    let log_in = matches!(error, AppError::Unauthenticated);
    let retriable =
        matches!(error, AppError::Unreachable | AppError::Internal(_) | AppError::TooMany(_) | AppError::Busy(_));
    let here = use_location();
    let log_in_href = move || format!("/log-in?next={}", query_value(&here.pathname.get()));
    view! {
        <Title text=title />
        <section class="failure" role="alert">
            <h1>{title}</h1>
            <p>{hint}</p>
            <ProblemList problems />
            <p class="row">
                {log_in
                    .then(|| {
                        view! { <a class="button primary" href=log_in_href rel="external">{common.log_in}</a> }
                    })}
                {retry
                    .filter(|_| retriable)
                    .map(|retry| {
                        view! {
                            <button type="button" class="button primary" on:click=move |_| retry.run(())>
                                {common.try_again}
                            </button>
                        }
                    })}
                {(!log_in).then(|| view! { <a class="button" href="/">{common.back_to_start}</a> })}
            </p>
        </section>
    }
}

/// Every problem of an input: where, what, and how to fix it. Empty without any.
#[component]
pub fn ProblemList(
    /// The problems.
    problems: Vec<Problem>,
) -> impl IntoView {
    let i = use_i18n();
    let row = |p: Problem| {
        let link = p.page.clone().map(|page| view! { " "<a href=page>{i.common.accepting_page}</a> });
        view! { <li>{with_code(&p.sentence(i.lang))}{link}</li> }
    };
    let rows = problems.into_iter().map(row).collect_view();
    view! { <ul class="problems">{rows}</ul> }
}

/// A text in which backticks enclose code.
fn with_code(text: &str) -> Vec<AnyView> {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return vec![text.to_owned().into_any()];
    }
    let part = |(at, part): (usize, &str)| match at % 2 {
        0 => part.to_owned().into_any(),
        _ => view! { <code>{part.to_owned()}</code> }.into_any(),
    };
    parts.into_iter().enumerate().map(part).collect()
}

/// An error as one line of text.
pub fn error_text(error: &AppError, i18n: I18n) -> String {
    match error {
        AppError::Invalid(problems) => {
            problems.iter().map(|problem| problem.sentence(i18n.lang)).collect::<Vec<_>>().join(" ")
        }
        AppError::Draft(_)
        | AppError::Conflict(_)
        | AppError::Refused(_)
        | AppError::TooMany(_)
        | AppError::Busy(_)
        | AppError::Internal(_) => {
            let (title, hint) = words(error, i18n);
            i18n.lang.pick(format!("{title}. {hint}"), format!("{title}。{hint}"))
        }
        _ => words(error, i18n).0.into(),
    }
}

/// Gives the page being rendered on the server its HTTP status; nothing in the browser.
pub fn set_status(status: u16) {
    #[cfg(not(target_arch = "wasm32"))]
    if let Some(response) = use_context::<leptos_axum::ResponseOptions>()
        && let Ok(status) = http::StatusCode::from_u16(status)
    {
        response.set_status(status);
    }
    #[cfg(target_arch = "wasm32")]
    let _ = status;
}

fn words(error: &AppError, i18n: I18n) -> (&'static str, String) {
    let c = i18n.common;
    match error {
        AppError::Unauthenticated => (c.unauthenticated, c.unauthenticated_hint.into()),
        AppError::Forbidden => (c.forbidden, c.forbidden_hint.into()),
        AppError::NotFound(_) => (c.not_found, c.not_found_hint.into()),
        AppError::Invalid(_) => (c.invalid, String::new()),
        AppError::Draft(fault) => (
            c.failed,
            match fault {
                DraftFault::Missing(_) => c.score_missing,
                DraftFault::OffScale(_) => c.off_scale,
                DraftFault::NoReason => c.no_reason,
                DraftFault::TooLong => c.too_long,
                DraftFault::Notes => c.notes_wrong,
                DraftFault::OtherRubric => c.other_rubric,
                DraftFault::Time => c.time_wrong,
            }
            .into(),
        ),
        AppError::Conflict(why) => (c.conflict, why.get(i18n.lang).0.to_owned()),
        AppError::Refused(refusal) => (c.conflict, refusal::words(*refusal, i18n.lang).into()),
        AppError::TooMany(seconds) => (c.too_many, (c.wait)(*seconds)),
        AppError::Busy(seconds) => (c.busy, (c.wait)(*seconds)),
        AppError::Malformed => (c.malformed, c.malformed_hint.into()),
        AppError::Unreachable => (c.unreachable, c.unreachable_hint.into()),
        AppError::Internal(incident) => (c.internal, (c.internal_hint)(incident)),
    }
}
