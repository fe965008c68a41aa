//! A notice for pages that start runs: languages that the server cannot run, each with a button that installs its
//! toolchain.

use std::time::Duration;

use leptos::prelude::*;

use super::parts::FormError;
use model::{
    error::AppError,
    ids::SubmissionId,
    toolchains::{Installation, Toolchain},
};
use rpc::toolchains::{InstallToolchain, submission_toolchains};
use texts::I18n;
use ui::{
    context::use_i18n,
    effect::effect,
    form::{ActionForm, FormAction},
    load::{Data, Load},
    notice::{Notice, Tone},
};

/// How often a page asks for the progress of an installation.
const AGAIN: Duration = Duration::from_secs(2);

/// The toolchains that a submission lacks, and the action that installs one. Created at the top of a page, like every
/// page's data.
#[derive(Clone, Copy)]
pub struct Lacking {
    data: Data<Vec<Toolchain>>,
    install: FormAction<InstallToolchain>,
}

impl Lacking {
    pub fn of(submission: Memo<Option<SubmissionId>>) -> Lacking {
        let install = FormAction::<InstallToolchain>::new();
        let missing = || AppError::NotFound("submission".into());
        let data = Data::new(
            move || (submission.get(), install.version().get()),
            move |(id, _)| async move { submission_toolchains(id.ok_or_else(missing)?).await },
        );
        effect(move |_| {
            let is_running = data.get().is_some_and(|all| all.is_ok_and(|all| all.iter().any(Toolchain::is_running)));
            if is_running {
                set_timeout(move || data.refetch(), AGAIN);
            }
        });
        Lacking { data, install }
    }
}

/// Names each toolchain that is missing; empty if none is.
#[component]
pub fn ToolchainNotices(
    /// What the page created.
    lacking: Lacking,
) -> impl IntoView {
    let i = use_i18n();
    let Lacking { data, install } = lacking;
    view! {
        <FormError of=move || install.value().get().and_then(Result::err)/>
        <div class="stack" role="status">
            <Load data let:all>{all.into_iter().map(|of| notice(i, of, install)).collect_view()}</Load>
        </div>
    }
}

fn notice(i: I18n, of: Toolchain, action: FormAction<InstallToolchain>) -> AnyView {
    let t = i.runs();
    let name = of.name.as_str();
    let tone = match (&of.installation, of.missing.is_empty()) {
        (Installation::Done, true) => Tone::Good,
        _ => Tone::Care,
    };
    let missing = (!of.missing.is_empty()).then(|| (t.toolchain_missing)(name, &of.missing));
    let state = match &of.installation {
        Installation::None => None,
        Installation::Running { what, done, of } => Some((t.toolchain_running)(name, what, *done, *of)),
        Installation::Failed { why } => Some((t.toolchain_failed)(name, why)),
        Installation::Done => Some((t.toolchain_done)(name)),
    };
    let running = of.is_running();
    let button = (of.can_install && !running && !of.missing.is_empty()).then(|| {
        let label = (t.toolchain_install)(name);
        view! {
            <ActionForm action>
                <input type="hidden" name="code" value=of.code.clone()/>
                <button class="button" type="submit" disabled=move || action.pending().get()>{label}</button>
            </ActionForm>
            <p class="muted small">{t.toolchain_by_server}</p>
        }
    });
    view! {
        <Notice tone>
            {missing.map(|missing| view! { <p>{missing}</p> })}
            {state.map(|state| view! { <p>{state}</p> })}
            {running.then(|| view! { <p class="muted small without-script">{t.toolchain_reload}</p> })}
            {button}
        </Notice>
    }
    .into_any()
}
