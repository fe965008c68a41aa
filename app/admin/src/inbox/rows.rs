//! The list: a line for each item, below a heading for each study.

use leptos::prelude::*;

use super::Queue;
use model::{
    inbox::{InboxItem, InboxKind, InboxRow},
    lang::Lang,
};
use texts::{I18n, faults::routine_fault};
use ui::notice::{Badge, Tone};

/// The items of a page, in its order.
pub fn rows(i: I18n, rows: Vec<InboxRow>, queue: Queue) -> AnyView {
    let t = i.inbox();
    let mut groups: Vec<(Option<String>, Vec<AnyView>)> = Vec::new();
    let mut study = None;
    for row in rows {
        if groups.is_empty() || study != row.study {
            study = row.study;
            groups.push((row.title.clone(), Vec::new()));
        }
        if let Some((_, lines)) = groups.last_mut() {
            lines.push(line(i, row, queue));
        }
    }
    groups
        .into_iter()
        .map(|(title, lines)| {
            let title = title.unwrap_or_else(|| t.of_no_study.to_owned());
            view! {
                <section class="inbox-group">
                    <h2>{title.clone()}</h2>
                    <ul class="inbox-rows" aria-label=title>{lines}</ul>
                </section>
            }
        })
        .collect_view()
        .into_any()
}

/// An item with its checkbox.
fn line(i: I18n, row: InboxRow, queue: Queue) -> AnyView {
    let t = i.inbox();
    let id = row.id;
    let is_current = move || queue.current.get() == Some(id);
    let tick = (!row.kind.acts().is_empty()).then(|| {
        view! {
            <input type="checkbox" form="inbox-form" name="items[]" value=id.to_string() aria-label=(t.select_n)(id)/>
        }
    });
    let Subject { name, text, lang, detail } = subject(i, &row);
    view! {
        <li class="inbox-row" class:current=is_current hidden=move || queue.gone.with(|gone| gone.contains(&id)) id=format!("item-{id}") data-kind=row.kind.code()>
            <span class="inbox-tick">{tick}</span>
            <a class="inbox-link" href=queue.address(Some(id)) aria-current=move || is_current().then_some("true")>
                <Badge tone=tone(row.kind)>{t.kind(row.kind)}</Badge>
                <span class="inbox-subject"><b>{name}</b>" "<span lang=lang.tag()>{text}</span></span>
                <span class="inbox-detail">{detail}</span>
                <span class="inbox-since">{i.time(row.since)}</span>
            </a>
        </li>
    }
    .into_any()
}

/// The tone of a kind.
pub fn tone(kind: InboxKind) -> Tone {
    match kind {
        InboxKind::Disagreement | InboxKind::Backup | InboxKind::Integrity => Tone::Bad,
        _ => Tone::Care,
    }
}

/// One line about an item: the name of what it is about, what the rest of the line says, and what matters at a glance.
struct Subject {
    name: String,
    text: String,
    lang: Lang,
    detail: String,
}

fn subject(i: I18n, row: &InboxRow) -> Subject {
    let t = i.inbox();
    let of = |name: String, text: String, detail: String| Subject { name, text, lang: i.lang, detail };
    match &row.item {
        InboxItem::Flag { task_id, raw_nl, nl_lang, rater, flag, .. } => Subject {
            name: (t.task)(task_id),
            text: raw_nl.clone(),
            lang: *nl_lang,
            detail: format!("{} · {rater}", i.flags().reason(flag.reason)),
        },
        InboxItem::Disagreement { task_id, raw_nl, nl_lang, spread, .. } => Subject {
            name: (t.task)(task_id),
            text: raw_nl.clone(),
            lang: *nl_lang,
            detail: (i.quality().spread_n)(*spread),
        },
        InboxItem::Rater { name, count, of: all, seconds, paused, .. } => {
            let words = t.about_rater(row.kind, *count, *all, *seconds);
            of(name.clone(), words, if *paused { t.paused_short.to_owned() } else { String::new() })
        }
        InboxItem::Plan { unassigned, inactive, .. } => {
            let waits = (*unassigned > 0).then(|| (t.unassigned_n)(*unassigned));
            let inactive = (!inactive.is_empty()).then(|| (t.inactive)(&inactive.join(", ")));
            let words: Vec<String> = waits.into_iter().chain(inactive).collect();
            of(String::new(), words.join(" "), String::new())
        }
        InboxItem::Run { run, dataset, fault, errors } => {
            let words = match fault {
                Some(fault) if row.kind == InboxKind::Run => i.runs().fault(fault).0.clone(),
                _ => (t.errors_n)(*errors),
            };
            of((t.run_n)(&run.to_string(), dataset), words, String::new())
        }
        InboxItem::Delivery { url, attempts, .. } => of(String::new(), url.clone(), (t.attempts_n)(*attempts)),
        InboxItem::Routine { failures, why, .. } => {
            let words = routine_fault(why).get(i.lang).0.to_owned();
            of(String::new(), words, (t.attempts_n)(*failures))
        }
    }
}
