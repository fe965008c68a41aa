//! One output on the grading page: description and code on the left, the scales on the right, and links to
//! the previous and next outputs. Nothing in it names a model.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use super::{
    activity::{BreakNote, Clock},
    bar::UnsentBar,
    bookmark::BookmarkButton,
    calibration::{calibration_note, reply_notes},
    callbacks,
    form::{RatingForm, key_names},
    guidelines::{GuidelinesDrawer, GuidelinesLink},
    help::HelpSheet,
    keys::Command,
    notes::margin,
    session::{Callbacks, Session, Work},
    shortcuts::{Shortcuts, listen, set_up},
    tour::{Coach, TourProgress},
};
use model::{
    grading::{DraftFault, GradingItem},
    keys::Action,
    note,
};
use texts::rater::Rater;
use ui::{
    code::CodeBox,
    context::use_i18n,
    description::task_text,
    effect::effect,
    notice::{Notice, Progress, Tone},
};

/// Most characters of a description that stays in sight above long code.
const SHORT: usize = 400;

/// The whole of one output's page.
#[component]
#[allow(clippy::too_many_lines, reason = "one page, from top to bottom")]
pub fn GradingView(
    /// The output.
    item: GradingItem,
    /// Called once it is rated or skipped.
    next: Callbacks,
    /// Whether nothing is sent to the server: the tour.
    #[prop(optional)]
    practice: bool,
) -> impl IntoView {
    let i18n = use_i18n();
    let t = i18n.rater();
    let callbacks = callbacks(&item);
    let GradingItem {
        token,
        study,
        title,
        raw_nl,
        nl_lang: lang,
        signature,
        code,
        conversation,
        rubric,
        draft,
        rated,
        progress,
        previous,
        following,
        calibration,
        replies,
        bookmarked,
        break_minutes,
        guidelines,
        ..
    } = item;
    let notes = note::to_text(&draft.notes, &code);
    // It stays in sight above long code; a longer one would leave the code no room.
    let is_short = conversation.is_none() && raw_nl.chars().count() <= SHORT;
    let skippable = !rated && calibration.is_none();
    let work = Work {
        study: study.clone(),
        token: token.clone(),
        rubric: rubric.clone(),
        draft,
        skippable,
        practice,
        has_bookmark: !practice && calibration.is_none(),
        earlier: rated,
        column: None,
        clock: if practice { Clock::Stopped } else { Clock::whole() },
    };
    let session = Session::new(work, i18n, next);
    let forward = (rated || following.is_some()).then_some(callbacks);
    let shortcuts = Shortcuts::new(session, rubric.clone(), previous.clone(), forward.clone());
    shortcuts.bookmarked.set(bookmarked);
    let skipped_href = format!("/studies/{study}/mine#skipped");
    let back = previous.map(|previous| format!("/grade/{study}/{previous}"));
    let key = key_names();
    let coach = use_context::<Coach>().filter(|_| practice);
    if let Some(coach) = coach {
        effect(move |_| coach.progress.set(session.draft.with(TourProgress::of)));
    }
    // The tour is of no study.
    let links = (!practice).then(|| {
        view! {
            <a class="button quiet" href=format!("/studies/{study}/mine")>{t.mine_title}</a>
            <a class="button quiet" href=format!("/rubric/{study}") target="_blank" rel="external">{t.rubric}</a>
            <GuidelinesLink study=study.clone() state=guidelines open=shortcuts.guidelines />
        }
        .into_any()
    });
    let (b, margin) = (i18n.grading(), margin(shortcuts, code.laid_out.is_some()));
    set_up(shortcuts, token.clone(), true);
    listen(move |what, pressed| match (coach, what) {
        (Some(coach), Command::Do(Action::Forward)) => coach.forward(),
        (Some(coach), Command::Do(Action::Back)) => coach.back(),
        _ => shortcuts.run(what, pressed),
    });

    let query = use_query_map();
    let told = move || query.read().get("error").and_then(|told| told_text(&told, session, t));
    let place = (t.progress_text)(progress.rated, progress.left);
    let page_title = title.clone();
    // Boxed: views nest as types, and the compiler measures the whole of them.
    let code =
        view! { <CodeBox code raw=shortcuts.raw key=key(Action::Raw).chars().next().unwrap_or_default() margin /> }
            .into_any();
    let form = view! { <RatingForm shortcuts token rubric rated skippable notes /> }.into_any();
    let signature_heading = view! { <h3 class="eyebrow">{t.signature}</h3> }.into_any();
    let bookmark = view! { <BookmarkButton shortcuts /> }.into_any();
    let drawer = view! { <GuidelinesDrawer study state=guidelines open=shortcuts.guidelines /> }.into_any();
    let jump = view! { <JumpBar shortcuts rubric_names=names(shortcuts) /> }.into_any();
    view! {
        <Title text=page_title />
        <div class="grading">
            <div class="grading-bar">
                {(!practice).then(|| view! { <h1 class="grading-title">{title}</h1> })}
                <div class="grading-progress">
                    <Progress value=progress.rated max=progress.rated + progress.left label=t.progress_label />
                    <span class="grading-count">{place}</span>
                    {(progress.skipped > 0).then(|| view! { <a href=skipped_href>{(t.skipped_text)(progress.skipped)}</a> })}
                </div>
                <nav class="grading-nav" aria-label=t.outputs_navigation>
                    {back.map(|href| view! { <a class="button quiet" href=href>{t.back} <kbd>{key(Action::Back)}</kbd></a> })}
                    <button class="button quiet scripted" type="button" on:click=move |_| shortcuts.perform(Action::Undo)>
                        {b.undo} " " <kbd>{key(Action::Undo)}</kbd>
                    </button>
                    {forward.map(|href| view! { <a class="button quiet" href=href>{t.forward} <kbd>{key(Action::Forward)}</kbd></a> })}
                    {links}
                    <button class="button quiet scripted keys-button" type="button" on:click=move |_| shortcuts.perform(Action::Help)>
                        {t.help_title} " " <kbd>{key(Action::Help)}</kbd>
                    </button>
                </nav>
            </div>
            <div class="grading-work">
                <UnsentBar />
                <BreakNote minutes=break_minutes />
                {calibration.map(calibration_note)}
                {rated.then(|| view! { <Notice>{t.rated_before}</Notice> })}
                {reply_notes(replies)}
                {move || told().map(|(tone, text)| view! { <Notice tone>{text}</Notice> })}
                <section class=if is_short { "task sticky" } else { "task" }>
                    <div class="task-head">
                        <h2 class="eyebrow">{t.task}</h2>
                        {bookmark}
                    </div>
                    {task_text(lang, &raw_nl, signature, t.signature, signature_heading)}
                    {conversation.map(|html| view! { <div inner_html=html></div> })}
                </section>
                {code}
                <p class="hint scripted notes-hint">{b.notes_hint} " " <kbd>{key(Action::Note)}</kbd></p>
            </div>
            {form}
            {jump}
            <HelpSheet dialog=shortcuts.dialog />
            {drawer}
        </div>
    }
}

/// On a narrow screen: the state of the scales, and a link to each of them.
#[component]
fn JumpBar(shortcuts: Shortcuts, rubric_names: Vec<String>) -> impl IntoView {
    let t = use_i18n().rater();
    let session = shortcuts.session;
    let links = rubric_names
        .into_iter()
        .enumerate()
        .map(|(place, name)| {
            let score = move || {
                session
                    .draft
                    .with(|d| d.scores.get(place).copied().flatten().map_or_else(|| "–".to_owned(), |s| s.to_string()))
            };
            view! {
                <li>
                    <a href=format!("#scale-{place}") rel="external">
                        <span class="jump-name">{name}</span>
                        <b>{score}</b>
                    </a>
                </li>
            }
        })
        .collect_view();
    view! {
        <nav class="jump" aria-label=t.rubric>
            <ul>{links}</ul>
        </nav>
    }
}

fn names(shortcuts: Shortcuts) -> Vec<String> {
    let lang = shortcuts.session.lang();
    shortcuts.rubric.with_value(|rubric| rubric.dimensions.iter().map(|d| d.name.get(lang).to_owned()).collect())
}

/// The error of the form without JavaScript.
fn told_text(told: &str, session: Session, t: &Rater) -> Option<(Tone, String)> {
    let place = |prefix: &str| told.strip_prefix(prefix).and_then(|place| place.parse().ok());
    if let Some(place) = place("missing-") {
        return Some((Tone::Bad, session.fault_text(DraftFault::Missing(place))));
    }
    if let Some(place) = place("off-scale-") {
        return Some((Tone::Bad, session.fault_text(DraftFault::OffScale(place))));
    }
    if let Some(line) = place("notes-") {
        return Some((Tone::Bad, (use_i18n().grading().notes_unread)(line)));
    }
    match told {
        "saved" => Some((Tone::Good, t.state_saved.into())),
        "bookmark" => Some((Tone::Good, use_i18n().grading().bookmarked.into())),
        "unbookmark" => Some((Tone::Good, use_i18n().grading().unbookmarked.into())),
        "changed" => Some((Tone::Good, t.told_changed.into())),
        "no-reason" => Some((Tone::Bad, session.fault_text(DraftFault::NoReason))),
        "too-long" => Some((Tone::Bad, session.fault_text(DraftFault::TooLong))),
        _ => None,
    }
}
