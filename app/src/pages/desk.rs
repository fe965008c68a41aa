//! The rater's desk: their studies.

use leptos::prelude::*;

use crate::{
    i18n::use_i18n,
    model::grading::DeskStudy,
    rpc::grading::desk,
    ui::{
        frame::Page,
        load::Load,
        notice::{Badge, Empty, Progress, Tone},
    },
};

/// `/desk`, and the start page of raters.
#[component]
pub fn DeskPage() -> impl IntoView {
    let studies = Resource::new_blocking(|| (), |()| desk());
    let i18n = use_i18n();
    let t = i18n.rater();
    view! {
        <Page title=i18n.common.nav_desk>
            <Load data=studies let:studies>
                {if studies.is_empty() {
                    view! { <Empty title=t.desk_empty><p>{t.desk_empty_hint}</p></Empty> }.into_any()
                } else {
                    let cards = studies.into_iter().map(|study| view! { <StudyCard study /> }).collect_view();
                    view! {
                        <p class="lead">{t.desk_lead}</p>
                        <ul class="desk">{cards}</ul>
                    }
                        .into_any()
                }}
            </Load>
        </Page>
    }
}

#[component]
fn StudyCard(study: DeskStudy) -> impl IntoView {
    let t = use_i18n().rater();
    let DeskStudy { token, title, open, progress, .. } = study;
    let done = progress.left == 0 && progress.rated > 0;
    let badge = match (open, done) {
        (false, _) => Some((Tone::Care, t.desk_closed)),
        (true, true) => Some((Tone::Good, t.desk_done)),
        (true, false) => None,
    };
    let go = if progress.rated == 0 { t.desk_start } else { t.desk_continue };
    view! {
        <li class="card stack">
            <div class="row">
                <h2>{title}</h2>
                {badge.map(|(tone, text)| view! { <Badge tone>{text}</Badge> })}
            </div>
            <div class="stack-tight">
                <Progress value=progress.rated max=progress.rated + progress.left label=t.progress_label />
                <p class="row muted small">
                    <span>{(t.progress_text)(progress.rated, progress.left)}</span>
                    {(progress.skipped > 0).then(|| view! { <span>{(t.skipped_text)(progress.skipped)}</span> })}
                </p>
            </div>
            <p class="row">
                {(open && !done).then(|| view! { <a class="button primary" href=format!("/grade/{token}")>{go}</a> })}
                {(progress.rated > 0)
                    .then(|| view! { <a class="button" href=format!("/studies/{token}/mine")>{t.mine_title}</a> })}
            </p>
        </li>
    }
}
