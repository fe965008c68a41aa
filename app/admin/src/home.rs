//! `/admin`: overview and next steps.

use leptos::prelude::*;

use super::parts::{progress, status};
use model::{
    inbox::{InboxFilter, InboxKind},
    study::{Overview, StudyRow, StudyStatus},
};
use rpc::studies::admin_overview;
use texts::I18n;
use ui::{
    context::use_i18n,
    frame::Page,
    load::{Data, Load},
    notice::Empty,
};

/// The admin's first page.
#[component]
pub fn AdminHome() -> impl IntoView {
    let i = use_i18n();
    let data = Data::new(|| (), |()| admin_overview());
    view! {
        <Page title=i.admin().home>
            <Load data let:all>{content(i, all)}</Load>
        </Page>
    }
}

fn content(i: I18n, all: Overview) -> AnyView {
    let t = i.admin();
    let next = next_step(i, &all);
    let more = all.studies > all.cards.len() as u64;
    let tile = |href: &'static str, name: &'static str, count: u64, line: String| {
        view! {
            <li class="tile">
                <h2><a href=href>{name}</a></h2>
                <p class="tile-figure">{i.number(count)}</p>
                <p class="muted">{line}</p>
            </li>
        }
    };
    view! {
        <section class="next-step" aria-labelledby="next-step">
            <div>
                <h2 id="next-step">{t.next_step}</h2>
                <p>{next.sentence}</p>
            </div>
            <a class="button primary" href=next.href>{next.action}</a>
        </section>
        <ul class="tiles">
            {tile("/admin/datasets", t.datasets, all.datasets, (t.tasks_in_all)(all.tasks))}
            {tile("/admin/submissions", t.submissions, all.submissions, (t.models_in_all)(all.models))}
            {tile("/admin/studies", t.studies, all.studies, (t.running_now)(all.running))}
        </ul>
        <section class="stack" aria-labelledby="home-studies">
            <h2 id="home-studies">{t.studies}</h2>
            {study_cards(i, all.cards)}
            {more.then(|| view! { <p><a href="/admin/studies">{t.all_studies}</a></p> })}
        </section>
    }
    .into_any()
}

/// Probable next steps of an admin.
struct Step {
    sentence: String,
    href: String,
    action: &'static str,
}

fn next_step(i: I18n, all: &Overview) -> Step {
    let t = i.admin();
    let step = |sentence: &str, href: &str, action| Step { sentence: sentence.into(), href: href.into(), action };
    let open = all.cards.iter().find(|s| s.status != StudyStatus::Closed && s.done < s.wanted);
    let complete = all.cards.iter().find(|s| s.wanted > 0 && s.done >= s.wanted);
    if all.datasets == 0 {
        step(t.next_import, "/admin/datasets#import", t.import_dataset)
    } else if all.submissions == 0 {
        step(t.next_upload, "/admin/upload", t.upload_outputs)
    } else if all.waiting > 0 {
        step(&(t.next_decide)(all.waiting), "/admin/inbox", t.open_inbox)
    } else if let Some(study) = open {
        let left = (t.next_watch)(&study.title, study.wanted - study.done);
        step(&left, &format!("/admin/studies/{}", study.id), t.open_study)
    } else if let Some(study) = complete {
        let sentence = (t.next_read)(&study.title);
        step(&sentence, &format!("/admin/studies/{}#comparison", study.id), t.read_comparison)
    } else if !all.raters {
        step(t.next_invite, "/admin/people", t.invite_people)
    } else {
        step(t.next_study, "/admin/studies/new", t.new_study)
    }
}

/// Studies, each with its state and progress. Placed under a heading of level 2.
pub fn study_cards(i: I18n, studies: Vec<StudyRow>) -> AnyView {
    let t = i.admin();
    if studies.is_empty() {
        return view! {
            <Empty title=t.no_studies>
                <p><a class="button" href="/admin/studies/new">{t.new_study}</a></p>
            </Empty>
        }
        .into_any();
    }
    let cards = studies.into_iter().map(|study| {
        view! {
            <li class="card study-card">
                <div class="study-card-head">
                    <h3><a href=format!("/admin/studies/{}", study.id)>{study.title.clone()}</a></h3>
                    {status(i, study.status)}
                </div>
                <p>{study.models.join(" · ")}</p>
                {progress(i, study.done, study.wanted)}
                {waiting(i, &study)}
                <p class="muted small">{(t.study_line)(&study.dataset, study.raters, &i.time(study.created_at))}</p>
            </li>
        }
    });
    view! { <ul class="cards">{cards.collect_view()}</ul> }.into_any()
}

/// The remaining ratings of a study, and links into the inbox.
fn waiting(i: I18n, study: &StudyRow) -> impl IntoView + use<> {
    let t = i.admin();
    let inbox = |kind| InboxFilter { kind, study: Some(study.id) }.address();
    let left = study.wanted.saturating_sub(study.done);
    let open = matches!(study.status, StudyStatus::Running | StudyStatus::Paused);
    let rest = study.waiting.saturating_sub(study.flags + study.disagreements);
    let links = [
        (study.flags, inbox(Some(InboxKind::Flag)), (t.flags_n)(study.flags)),
        (study.disagreements, inbox(Some(InboxKind::Disagreement)), (t.disagreements_n)(study.disagreements)),
        (rest, inbox(None), (t.other_n)(rest)),
        (study.idle, format!("/admin/studies/{}", study.id), (t.idle_n)(study.idle)),
    ];
    let links = links
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(_, href, words)| view! { <li><a href=href>{words}</a></li> })
        .collect_view();
    view! {
        <ul class="study-waiting">
            {(open && left > 0).then(|| view! { <li>{(t.left_n)(&i.number(left))}</li> })}
            {links}
        </ul>
    }
}
