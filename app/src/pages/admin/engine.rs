//! A notice for pages that start runs: what the server's machine lacks, and the command that installs it.

use leptos::prelude::*;

use crate::{
    i18n::{I18n, use_i18n},
    model::run::EngineReadiness,
    rpc::runs::check_engine,
    ui::{
        load::{Data, Load},
        notice::{Notice, Tone},
    },
};

/// Says what is missing; nothing where the machine has it all.
#[component]
pub fn EngineNotice() -> impl IntoView {
    let i = use_i18n();
    let data = Data::new(|| (), |()| check_engine());
    view! { <Load data let:readiness>{notice(i, readiness)}</Load> }
}

fn notice(i: I18n, readiness: EngineReadiness) -> AnyView {
    if readiness.missing.is_empty() {
        return ().into_any();
    }
    let t = i.runs();
    let command = readiness.install.map(|command| {
        view! {
            <p>{t.engine_install}</p>
            <pre><code>{command}</code></pre>
        }
    });
    view! { <Notice tone=Tone::Care><p>{t.engine_lacks(&readiness.missing)}</p>{command}</Notice> }.into_any()
}
