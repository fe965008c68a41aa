//! A notice for pages that start runs: what the server's machine lacks, and the command that installs it.

use leptos::prelude::*;

use model::run::EngineReadiness;
use rpc::runs::check_engine;
use texts::I18n;
use ui::{
    context::use_i18n,
    load::{Data, Load},
    notice::{Notice, Tone},
};

/// Whether the server can run tests. Called at the top of a page, like every page's data.
pub fn engine_data() -> Data<EngineReadiness> {
    Data::new(|| (), |()| check_engine())
}

/// Names what is missing; empty if nothing is.
#[component]
pub fn EngineNotice(
    /// What [`engine_data`] loads.
    data: Data<EngineReadiness>,
) -> impl IntoView {
    let i = use_i18n();
    view! { <Load data let:readiness>{notice(i, readiness)}</Load> }
}

fn notice(i: I18n, readiness: EngineReadiness) -> AnyView {
    if readiness.missing.is_empty() {
        return ().into_any();
    }
    let t = i.runs();
    let lacks = t.engine_lacks(&readiness.missing);
    match readiness.install {
        Some(command) => view! {
            <Notice tone=Tone::Care><p>{lacks}" "{t.engine_install}" "<code>{command}</code></p></Notice>
        }
        .into_any(),
        None => view! { <Notice tone=Tone::Care><p>{lacks}</p></Notice> }.into_any(),
    }
}
