//! The rater's start page: their studies.

use leptos::prelude::*;

use crate::{
    grade::{UnsentBar, tour::LeaveTour, use_submit_queue},
    rater_feedback::{rater_feedback, rater_figures},
};
use model::{grading::MyStudy, guidelines::GuidelinesState, plan::Presentation};
use rpc::{grading::my_studies, quality::my_feedback};
use ui::{
    context::{use_i18n, use_visitor},
    frame::Page,
    load::{Data, Load},
    notice::{Badge, Empty, Progress, Tone},
};

/// `/my-studies`, and the start page of raters.
#[component]
pub fn MyStudiesPage() -> impl IntoView {
    let submit_queue = use_submit_queue();
    let studies = Data::new(move || submit_queue.waiting(), |_| my_studies());
    let back = Data::new(|| (), |()| my_feedback());
    let i18n = use_i18n();
    let (t, b) = (i18n.rater(), i18n.grading());
    let toured = use_visitor().me.is_some_and(|me| me.settings.toured);
    view! {
        <Page title=i18n.common.nav_my_studies>
            <UnsentBar />
            <Load data=back let:back>{rater_feedback(i18n, back)}</Load>
            <Load data=studies let:studies>
                // Whoever has begun to work finds the tour below the work.
                {(!toured && studies.iter().all(|study| study.progress.rated == 0)).then(|| view! { <TourOffer /> })}
                {if studies.is_empty() {
                    view! { <Empty title=t.studies_empty><p>{t.studies_empty_hint}</p></Empty> }.into_any()
                } else {
                    let begun = studies.iter().any(|study| study.progress.rated > 0);
                    let cards = studies.into_iter().map(|study| view! { <StudyCard study /> }).collect_view();
                    view! {
                        <p class="lead">{t.studies_lead}</p>
                        <ul class="card-list">{cards}</ul>
                        <p class="row">
                            {(toured || begun)
                                .then(|| view! { <a href="/tour">{if toured { b.tour_again } else { b.tour_go }}</a> })}
                            <a href="/account#keys">{b.keys_change}</a>
                        </p>
                    }
                        .into_any()
                }}
            </Load>
            <Load data=back let:back>{rater_figures(i18n, back)}</Load>
        </Page>
    }
}

/// The tour, until it was taken or dismissed.
#[component]
fn TourOffer() -> impl IntoView {
    let b = use_i18n().grading();
    view! {
        <section class="card row tour-offer" aria-label=b.tour_title>
            <p>{b.tour_offer}</p>
            <a class="button primary" href="/tour">{b.tour_go}</a>
            <LeaveTour text=b.tour_later />
        </section>
    }
}

#[component]
fn StudyCard(study: MyStudy) -> impl IntoView {
    let i18n = use_i18n();
    let (t, b) = (i18n.rater(), i18n.grading());
    let MyStudy { token, title, open, paused, progress, presentation, guidelines, due } = study;
    let way = match presentation {
        Presentation::One => "grade",
        Presentation::SideBySide => "side-by-side",
    };
    let done = progress.left == 0 && progress.rated > 0;
    let badge = match (open, done) {
        (false, _) => Some((Tone::Care, if paused { t.you_are_paused } else { t.paused_or_closed })),
        (true, true) => Some((Tone::Good, t.all_rated)),
        (true, false) => None,
    };
    let fresh = match guidelines {
        GuidelinesState::New => Some(b.guidelines_new),
        GuidelinesState::Changed => Some(b.guidelines_changed),
        GuidelinesState::None | GuidelinesState::Read => None,
    };
    let guidelines = (guidelines != GuidelinesState::None).then(|| {
        view! {
            <a class="button quiet" href=format!("/guidelines/{token}")>
                {b.guidelines} {fresh.map(|text| view! { " "<Badge tone=Tone::Care>{text}</Badge> })}
            </a>
        }
    });
    let due = due.filter(|_| open && !done).map(|(day, overdue)| {
        let badge = overdue.then(|| view! { " "<Badge tone=Tone::Care>{t.overdue}</Badge> });
        view! { <span>{(t.due_on)(&i18n.day(day))}{badge}</span> }
    });
    let go = if progress.rated == 0 { t.start_rating } else { t.continue_rating };
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
                    {due}
                    {(progress.skipped > 0)
                        .then(|| view! { <a href=format!("/studies/{token}/mine#skipped")>{(t.skipped_text)(progress.skipped)}</a> })}
                </p>
            </div>
            <p class="row">
                {(open && !done).then(|| view! { <a class="button primary" href=format!("/{way}/{token}")>{go}</a> })}
                {(progress.rated > 0)
                    .then(|| view! { <a class="button" href=format!("/studies/{token}/mine")>{t.mine_title}</a> })}
                <a class="button quiet" href=format!("/rubric/{token}")>{b.rubric_open}</a>
                {guidelines}
            </p>
        </li>
    }
}
