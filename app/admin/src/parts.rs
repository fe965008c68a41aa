//! Parts shared by the admin's pages: small figures, a task's text, a form's error, filters.

use leptos::{prelude::*, wasm_bindgen::JsCast, web_sys};
use leptos_router::{
    NavigateOptions,
    hooks::{use_location, use_navigate},
    params::ParamsMap,
};

use crate::unsent::keep_unsent;
use model::{
    code_lang::CodeLang,
    dataset::{Checks, TaskRow},
    error::AppError,
    lang::Lang,
    state::State,
};
use texts::I18n;
use ui::{
    context::use_i18n,
    description::description,
    failure::{ProblemList, error_text},
    notice::{Badge, Notice, Progress, Tone},
};

/// A number in the address's path.
pub fn param(params: Memo<ParamsMap>, key: &str) -> Option<i64> {
    params.with(|p| p.get(key)).and_then(|text| text.parse().ok())
}

/// The value of `key` in the address's query, or empty.
pub fn asked(query: Memo<ParamsMap>, key: &str) -> String {
    query.with(|q| q.get(key)).unwrap_or_default()
}

/// An option of a filter's list, selected if the address says so.
///
/// Both the attribute, for the server's page, and the property, for a visitor who goes back.
pub fn choice(query: Memo<ParamsMap>, key: &'static str, value: &'static str, name: &'static str) -> impl IntoView {
    let chosen = move || asked(query, key) == value;
    view! { <option value=value selected=chosen prop:selected=chosen>{name}</option> }
}

/// A labeled list of a filter: each option's value and text, with `any` first for no filter.
pub fn select_field(
    key: &'static str,
    label: &'static str,
    any: &'static str,
    of: Vec<(String, String)>,
    chosen: String,
) -> impl IntoView {
    let id = format!("filter-{key}");
    let options = of
        .into_iter()
        .map(|(value, text)| {
            let on = value == chosen;
            view! { <option value=value selected=on>{text}</option> }
        })
        .collect_view();
    view! {
        <div class="field">
            <label class="label" for=id.clone()>{label}</label>
            <select class="input" id=id name=key><option value="">{any}</option>{options}</select>
        </div>
    }
}

/// A form whose fields become the address's query, so that a link reproduces the view. Empty fields are left
/// out. Without JavaScript the browser does the same.
#[component]
pub fn Filter(
    /// Whether it searches the page's content.
    #[prop(optional)]
    search: bool,
    /// Its id, for fields elsewhere on the page.
    #[prop(optional)]
    id: Option<&'static str>,
    /// The fields and the buttons.
    children: Children,
) -> impl IntoView {
    let navigate = use_navigate();
    let here = use_location().pathname;
    let on_submit = move |event: web_sys::SubmitEvent| {
        let form = event.target().and_then(|target| target.dyn_into::<web_sys::HtmlFormElement>().ok());
        let fields = form.and_then(|form| web_sys::FormData::new_with_form(&form).ok());
        let button = event.submitter().and_then(|button| button.dyn_into::<web_sys::HtmlButtonElement>().ok());
        if let (Some(fields), Some(button)) = (&fields, button)
            && !button.name().is_empty()
        {
            let _ = fields.append_with_str(&button.name(), &button.value());
        }
        let Some(fields) = fields.and_then(|f| web_sys::UrlSearchParams::new_with_str_sequence_sequence(&f).ok())
        else {
            return;
        };
        event.prevent_default();
        let query = String::from(fields.to_string());
        let given: Vec<_> = query.split('&').filter(|field| !field.ends_with('=')).collect();
        let address = format!("{}?{}", here.get_untracked(), given.join("&"));
        navigate(&address, NavigateOptions { scroll: false, ..NavigateOptions::default() });
    };
    view! {
        <form class="filter" id=id method="get" role=search.then_some("search") on:submit=on_submit>
            {keep_unsent()}
            {children()}
        </form>
    }
}

/// Why a form was rejected, close to it. Errors of whole pages are in `ui::failure`.
#[component]
pub fn FormError<F: Fn() -> Option<AppError> + Send + Sync + 'static>(
    /// The error, once there is one.
    of: F,
) -> impl IntoView {
    let i = use_i18n();
    move || {
        of().map(|error| match error {
            AppError::Invalid(problems) => view! {
                <Notice tone=Tone::Bad>
                    <p>{i.common.invalid}</p>
                    <ProblemList problems/>
                </Notice>
            }
            .into_any(),
            error => view! { <Notice tone=Tone::Bad><p>{error_text(&error, i)}</p></Notice> }.into_any(),
        })
    }
}

/// Progress: a bar and its figures.
pub fn progress(i: I18n, done: u64, wanted: u64) -> impl IntoView {
    let figures = (i.admin().done_of)(&i.number(done), &i.number(wanted), percent(done, wanted));
    view! {
        <div class="so-far">
            <Progress value=done max=wanted label=i.admin().ratings/>
            <span class="so-far-figures">{figures}</span>
        </div>
    }
}

/// The state of a study, a run, a collection or a judging as a colored word: green while it runs, yellow while somebody has
/// to resume it.
pub fn state(i: I18n, state: impl Into<State>) -> AnyView {
    let state = state.into();
    let tone = match state {
        State::Draft | State::Finished | State::Closed => Tone::Plain,
        State::Running => Tone::Good,
        State::Paused | State::Stopped => Tone::Care,
    };
    view! { <Badge tone>{i.state_name(state)}</Badge> }.into_any()
}

/// The choices of a filter by state.
pub fn state_choices<S: Copy + Into<State>>(i: I18n, of: &[(&'static str, S)]) -> Vec<(&'static str, String)> {
    let named = of.iter().map(|(value, state)| (*value, i.state_name(*state).to_owned()));
    std::iter::once(("", i.lists().any.to_owned())).chain(named).collect()
}

/// A task's description and signature, as raters see them.
pub fn task_text(i: I18n, task: TaskRow) -> impl IntoView {
    let signature = task.signature.map(|signature| {
        view! {
            <p class="task-signature">
                <span class="visually-hidden">{i.admin().signature}": "</span>
                <code translate="no">{signature}</code>
            </p>
        }
    });
    view! {
        <div class="task-box">
            <p class="task-head">
                <code class="task-id">{task.task_id}</code>
                <span class="badge tone-plain" translate="no">{task.code_lang.name()}</span>
                {lang_badge(task.nl_lang)}
                {check_badges(i, task.checks)}
            </p>
            {description("nl-text", task.nl_lang.tag(), &task.raw_nl)}
            {signature}
        </div>
    }
}

/// The names of programming languages.
pub fn code_langs(langs: &[CodeLang]) -> String {
    langs.iter().map(|lang| lang.name()).collect::<Vec<_>>().join(", ")
}

/// The largest difference between two ratings of one output, marked from 2 on; a dash where no output has two ratings.
pub fn spread(of: Option<u8>) -> AnyView {
    match of {
        Some(spread) => view! { <span class:spread--wide=spread.ge(&2)>{spread}</span> }.into_any(),
        None => "–".into_any(),
    }
}

/// A description's language.
pub fn lang_badge(lang: Lang) -> impl IntoView {
    view! { <span class="badge tone-plain" lang=lang.tag()>{lang.name()}</span> }
}

fn check_badges(i: I18n, checks: Checks) -> impl IntoView {
    let words = [(checks.human, i.admin().check_human), (checks.tests, i.admin().check_tests)];
    words
        .into_iter()
        .filter(|(on, _)| *on)
        .map(|(_, word)| view! { <span class="badge tone-plain">{word}</span> })
        .collect_view()
}

/// A share in whole percent, rounded down: 100 only when all is done. 0 of nothing is 0.
pub fn percent(part: u64, whole: u64) -> u64 {
    part.saturating_mul(100).checked_div(whole).unwrap_or(0)
}

/// A readable size: `812 B`, `12.4 MB`.
pub fn size(bytes: u64) -> String {
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1000.0;
    let mut units = ["kB", "MB", "GB", "TB"].into_iter();
    let mut unit = units.next();
    while value >= 1000.0 {
        let Some(next) = units.next() else { break };
        (value, unit) = (value / 1000.0, Some(next));
    }
    format!("{value:.1} {}", unit.unwrap_or("TB"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_readable() {
        let check = |bytes, text| assert_eq!(size(bytes), text);
        check(0, "0 B");
        check(999, "999 B");
        check(1000, "1.0 kB");
        check(12_400_000, "12.4 MB");
        check(5_000_000_000, "5.0 GB");
        check(5_000_000_000_000_000, "5000.0 TB");
    }

    #[test]
    fn progress_is_full_only_when_complete() {
        let check = |part, whole, share| assert_eq!(percent(part, whole), share, "{part} of {whole}");
        check(0, 0, 0);
        check(1, 3, 33);
        check(999, 1000, 99);
        check(1000, 1000, 100);
    }
}
