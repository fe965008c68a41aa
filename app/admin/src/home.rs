//! `/admin`: what waits for an admin, who is late, how far the studies are, and what changed.

use leptos::prelude::*;

use super::{
    audit::{name, page_of},
    parts::{percent, progress, state},
    server::{ServerNotices, notices_data},
};
use model::{
    audit::{Action, Entry, Object},
    collection::CollectionRow,
    day::Day,
    inbox::{InboxCount, InboxFilter},
    overview::{LateRater, OpenRun, Overview, StudyPace},
    study::StudyStatus,
};
use rpc::studies::admin_overview;
use texts::I18n;
use ui::{
    context::use_i18n,
    frame::Page,
    load::{Data, Load},
    notice::{Badge, Empty, Progress, Tone},
};

/// The height of a bar for the highest day.
const FULL: f64 = 100.0;

/// The admin's first page.
#[component]
pub fn AdminHome() -> impl IntoView {
    let i = use_i18n();
    let data = Data::new(|| (), |()| admin_overview());
    let notices = notices_data();
    view! {
        <Page title=i.admin().home>
            <ServerNotices data=notices/>
            <Load data let:all>{content(i, all)}</Load>
        </Page>
    }
}

fn content(i: I18n, all: Overview) -> AnyView {
    let step = next_step(i, &all).map(|Step { sentence, href, action }| {
        view! {
            <section class="next-step" aria-labelledby="next-step">
                <div>
                    <h2 id="next-step">{i.admin().next_step}</h2>
                    <p>{sentence}</p>
                </div>
                <a class="button primary" href=href>{action}</a>
            </section>
        }
    });
    view! {
        {step}
        {waiting(i, &all.waiting)}
        {studies(i, all.in_progress, all.open_studies, all.studies)}
        <div class="overview-columns">
            {days(i, all.days, all.needed_a_day)}
            {late_raters(i, all.late_raters, all.more_late)}
            {in_progress(i, all.runs, all.collections)}
            {changes(i, all.changes, all.last_visit.map(|at| i.time(at)))}
        </div>
    }
    .into_any()
}

/// What an installation without work needs next.
struct Step {
    sentence: &'static str,
    href: &'static str,
    action: &'static str,
}

fn next_step(i: I18n, all: &Overview) -> Option<Step> {
    let t = i.admin();
    let step = |sentence, href, action| Some(Step { sentence, href, action });
    if !all.has_datasets {
        step(t.next_import, "/admin/datasets#import", t.import_dataset)
    } else if !all.has_submissions {
        step(t.next_upload, "/admin/upload", t.upload_outputs)
    } else if !all.has_raters {
        step(t.next_invite, "/admin/people", t.invite_people)
    } else if all.studies == 0 {
        step(t.next_study, "/admin/studies/new", t.new_study)
    } else {
        None
    }
}

/// Items of the inbox by kind.
fn waiting(i: I18n, counts: &[InboxCount]) -> AnyView {
    let t = i.overview();
    let body = match counts.is_empty() {
        true => view! { <p class="muted">{t.waiting_none}</p> }.into_any(),
        false => {
            let rows = counts.iter().map(|InboxCount { kind, waiting }| {
                let href = InboxFilter { kind: Some(*kind), study: None }.address();
                let text = (t.kind_n)(i.inbox().kind(*kind), &i.number(*waiting));
                view! { <li><a href=href>{text}</a></li> }
            });
            view! {
                <ul class="waiting">{rows.collect_view()}</ul>
                <p><a class="button primary" href="/admin/inbox">{i.admin().open_inbox}</a></p>
            }
            .into_any()
        }
    };
    section("waiting", t.waiting, body)
}

fn section(id: &'static str, title: &'static str, body: AnyView) -> AnyView {
    view! { <section class="stack-tight" aria-labelledby=id><h2 id=id>{title}</h2>{body}</section> }.into_any()
}

fn studies(i: I18n, rows: Vec<StudyPace>, open: u64, all: u64) -> AnyView {
    let t = i.overview();
    let is_whole = rows.len() as u64 >= open && all == open;
    let link = (!is_whole).then(|| view! { <p><a href="/admin/studies">{i.admin().all_studies}</a></p> });
    let body = match rows.is_empty() {
        true => view! {
            <Empty title=t.studies_none>
                <p><a class="button" href="/admin/studies/new">{i.admin().new_study}</a></p>
            </Empty>
            {link}
        }
        .into_any(),
        false => {
            let rows = rows.into_iter().map(|pace| study_row(i, pace)).collect_view();
            let columns = [t.study, t.progress, t.pace, t.due, t.agreement]
                .map(|name| view! { <th role="columnheader" scope="col">{name}</th> })
                .collect_view();
            view! {
                <div class="table-box list-box"><table class="table list" role="table">
                    <caption class="visually-hidden">{t.studies}</caption>
                    <thead role="rowgroup"><tr role="row">{columns}</tr></thead>
                    <tbody role="rowgroup">{rows}</tbody>
                </table></div>
                <p class="muted small">{t.agreement_note}</p>
                {link}
            }
            .into_any()
        }
    };
    section("studies", t.studies, body)
}

fn study_row(i: I18n, pace: StudyPace) -> impl IntoView {
    let t = i.overview();
    let is_complete = pace.left() == 0 && pace.row.wanted > 0;
    let (needed, is_late) = (pace.needed_a_day(), pace.is_late());
    let StudyPace { row, recent, days, days_left, agreement } = pace;
    let href = format!("/admin/studies/{}", row.id);
    let state = match (is_complete, is_late) {
        (true, _) => view! { <Badge tone=Tone::Good>{t.complete}</Badge> }.into_any(),
        (_, true) => view! { <Badge tone=Tone::Bad>{t.late}</Badge> }.into_any(),
        _ if row.status == StudyStatus::Paused => state(i, row.status),
        _ => ().into_any(),
    };
    let a_day = format!("{:.1}", recent as f64 / days as f64);
    let needed = needed.map(|needed| view! { <span class="muted small">{(t.needed)(&i.number(needed))}</span> });
    let due = row.due.map(|due| match days_left {
        Some(days) if days < 1 => (t.overdue)(&i.day(due)),
        _ => i.day(due),
    });
    let agreement = agreement.map(|(name, alpha)| {
        view! { <span>{format!("{alpha:.2}")}" "<span class="muted small">{name.get(i.lang).to_owned()}</span></span> }
    });
    let compare = is_complete.then(|| {
        view! { <a class="small" href=format!("{href}#comparison")>{t.compare}</a> }
    });
    view! {
        <tr role="row">
            <th role="rowheader" scope="row" data-label=t.study>
                <span class="row"><a href=href.clone()>{row.title.clone()}</a>{state}</span>
            </th>
            <td role="cell" data-label=t.progress>{progress(i, row.done, row.wanted)}</td>
            <td role="cell" data-label=t.pace><span class="row">{a_day}{needed}</span></td>
            <td role="cell" data-label=t.due>{due.unwrap_or_else(|| "–".to_owned())}</td>
            <td role="cell" data-label=t.agreement>{agreement.map_or_else(|| "–".into_any(), IntoAny::into_any)}{compare}</td>
        </tr>
    }
}

/// Bars for the last days, with a line at what the due dates need.
fn days(i: I18n, days: Vec<(Day, u64)>, needed: Option<u64>) -> AnyView {
    let t = i.overview();
    let highest = days.iter().map(|(_, count)| *count).chain(needed).max().unwrap_or(0);
    if days.iter().all(|(_, count)| *count == 0) {
        return section("days", t.days, view! { <p class="muted">{t.days_none}</p> }.into_any());
    }
    let height = move |count: u64| count as f64 / highest.max(1) as f64 * FULL;
    let line = needed.map(|needed| FULL - height(needed));
    let bars = days.into_iter().map(|(day, count)| {
        let bar = height(count);
        let line = line.map(|y| {
            view! { <line class="day-needed" x1="0" x2="10" y1=y y2=y/> }
        });
        view! {
            <li>
                <span class="day-count">{i.number(count)}</span>
                <svg class="day-bar" viewBox="0 0 10 100" preserveAspectRatio="none" aria-hidden="true">
                    <rect x="1" width="8" y=FULL - bar height=bar/>
                    {line}
                </svg>
                <span class="day-name" aria-hidden="true">{day.day}</span>
                <span class="visually-hidden">{i.day(day)}</span>
            </li>
        }
    });
    let needed = needed.map(|needed| format!("{}{}", i.lang.pick(" ", ""), (t.needed_a_day)(&i.number(needed))));
    let bars = bars.collect_view();
    let body = view! { <ol class="days">{bars}</ol><p class="muted small">{t.days_utc}{needed}</p> };
    section("days", t.days, body.into_any())
}

fn late_raters(i: I18n, late: Vec<LateRater>, more: bool) -> AnyView {
    let t = i.overview();
    let body = match late.is_empty() {
        true => view! { <p class="muted">{t.late_none}</p> }.into_any(),
        false => {
            let rows = late.into_iter().map(|LateRater { study, title, name, left, since }| {
                view! {
                    <li>
                        <b translate="no">{name}</b>" · "<a href=format!("/admin/studies/{study}")>{title}</a>
                        <p class="muted small">{(t.late_left)(left, &i.date(since))}</p>
                    </li>
                }
            });
            let more = more.then(|| view! { <p class="muted small">{t.late_more}</p> });
            view! { <ul class="overview-list">{rows.collect_view()}</ul>{more} }.into_any()
        }
    };
    section("late", t.late_raters, body)
}

fn in_progress(i: I18n, runs: Vec<OpenRun>, collections: Vec<CollectionRow>) -> AnyView {
    let t = i.overview();
    if runs.is_empty() && collections.is_empty() {
        return section("in-progress", t.in_progress, view! { <p class="muted">{t.in_progress_none}</p> }.into_any());
    }
    let row = |href: String, name: String, done: u64, of: u64| {
        let figures = (i.admin().done_of)(&i.number(done), &i.number(of), percent(done, of));
        view! {
            <li>
                <a href=href>{name.clone()}</a>
                <div class="so-far"><Progress value=done max=of label=name/><span class="so-far-figures">{figures}</span></div>
            </li>
        }
    };
    let runs = runs.into_iter().map(|run| {
        let name = (t.run)(&run.model_name, &run.dataset);
        row(format!("/admin/runs/{}", run.id), name, run.done, run.items)
    });
    let collections = collections.into_iter().map(|of| {
        let name = match of.judging {
            Some(_) => (t.judging)(&of.model_name, &of.dataset),
            None => (t.collection)(&of.model_name, &of.dataset),
        };
        row(format!("/admin/collections/{}", of.id), name, of.answered + of.failed, of.total)
    });
    let rows = runs.chain(collections).collect_view();
    section("in-progress", t.in_progress, view! { <ul class="overview-list">{rows}</ul> }.into_any())
}

fn changes(i: I18n, entries: Vec<Entry>, since: Option<String>) -> AnyView {
    let t = i.overview();
    let title = if since.is_some() { t.changes } else { t.changes_first };
    let lead = since.map(|since| view! { <p class="muted small">{(t.since)(&since)}</p> });
    let list = match entries.is_empty() {
        true => view! { <p class="muted">{t.changes_none}</p> }.into_any(),
        false => {
            let rows = entries.into_iter().map(|entry| change(i, entry)).collect_view();
            view! { <ul class="overview-list">{rows}</ul> }.into_any()
        }
    };
    let all = view! { <p><a href="/admin/audit">{t.all_changes}</a></p> };
    section("changes", title, view! { {lead}{list}{all} }.into_any())
}

fn change(i: I18n, entry: Entry) -> impl IntoView {
    let t = i.audit();
    let Entry { at, person, action, object, .. } = entry;
    // The API's names are texts; this version knows all of them.
    let what = Action::named(&action).map_or_else(|| action.clone(), |action| name(i, action));
    let object = object.parse::<Object>().ok().map(|object| {
        view! { <a href=page_of(&object)>{t.object_name(&object)}</a> }
    });
    view! {
        <li>
            {what}" · "{object}
            <p class="muted small"><span translate="no">{person.unwrap_or_else(|| t.command_line.to_owned())}</span>" · "{i.time(at)}</p>
        </li>
    }
}
