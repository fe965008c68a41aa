//! A running study: progress by person and model, pending work of admins, figures about raters. While the
//! page is visible, it reloads every few seconds. Every figure links to its ratings.

use std::time::Duration;

use leptos::{leptos_dom::helpers::IntervalHandle, prelude::*, task::spawn_local};

use crate::parts::progress;
use chart::signed;
use model::{
    ids::StudyId,
    lang::Bilingual,
    quality::{Lease, Live, LiveModel, LiveRater, Match},
    study::StudyStatus,
};
use rpc::quality::study_live;
use texts::I18n;
use ui::{
    effect::effect,
    load::Data,
    notice::{Notice, Tone},
    scores::named_values,
};

/// How often a visible page reloads: often enough to watch people work, and a hundredth of one rater's
/// requests.
const BEAT: Duration = Duration::from_secs(5);

/// Data received since the page was loaded.
#[derive(Clone, Copy)]
pub struct Heard {
    /// The newest figures.
    live: RwSignal<Option<Live>>,
    /// Whether the last request failed.
    lost: RwSignal<bool>,
}

impl Heard {
    /// Calls `then` whenever the number of ratings has changed. `first` has the page's own figures.
    pub fn on_ratings(self, first: Data<Live>, then: impl Fn() + 'static) {
        effect(move |before: Option<Option<u64>>| {
            let heard = self.live.with(|live| live.as_ref().map(|live| live.done));
            let now = heard.or_else(|| Some(first.get()?.ok()?.done));
            if before.flatten().is_some_and(|before| now.is_some_and(|now| now != before)) {
                then();
            }
            now
        });
    }
}

/// Keeps reloading while the page is visible. Call it at the top of the page.
pub fn listen(id: Memo<Option<StudyId>>) -> Heard {
    let heard = Heard { live: RwSignal::new(None), lost: RwSignal::new(false) };
    let busy = RwSignal::new(false);
    effect(move |before: Option<Option<IntervalHandle>>| {
        if let Some(Some(handle)) = before {
            handle.clear();
        }
        heard.live.set(None);
        let id = id.get()?;
        let ask = move || {
            let over = heard.live.with_untracked(|l| l.as_ref().is_some_and(|l| l.status == StudyStatus::Closed));
            if document().hidden() || over || busy.try_get_untracked() != Some(false) {
                return;
            }
            busy.set(true);
            spawn_local(async move {
                let answer = study_live(id).await;
                heard.lost.try_set(answer.is_err());
                if let Ok(live) = answer {
                    heard.live.try_set(Some(live));
                }
                busy.try_set(false);
            });
        };
        let handle = set_interval_with_handle(ask, BEAT).ok();
        if let Some(handle) = handle {
            on_cleanup(move || handle.clear());
        }
        handle
    });
    heard
}

/// The figures: first the page's own, then newer ones.
pub fn view(i: I18n, first: Live, heard: Heard) -> impl IntoView {
    let t = i.quality();
    let came = first.status;
    view! {
        <section class="stack live" aria-labelledby="live">
            <div class="row">
                <h2 id="live">{t.live}</h2>
                {move || {
                    let status = heard.live.with(|live| live.as_ref().map_or(came, |live| live.status));
                    (status != StudyStatus::Closed).then(|| view! { <span class="muted small scripted">{t.live_hint}</span> })
                }}
            </div>
            {move || heard.lost.get().then(|| view! { <Notice tone=Tone::Care><p>{t.live_lost}</p></Notice> })}
            {move || figures(i, heard.live.get().unwrap_or_else(|| first.clone()))}
        </section>
    }
}

fn figures(i: I18n, live: Live) -> AnyView {
    let t = i.quality();
    let id = live.study;
    let base = format!("/admin/studies/{id}");
    let ratings = format!("{base}/ratings");
    let over = live.status == StudyStatus::Closed;
    let end = match live.projection {
        Some(p) => {
            let hours = p.window_ms as f64 / 3_600_000.0;
            let how = (t.how_projected)(p.ratings, hours, p.left);
            view! { <dd>{i.time(p.end)}<span class="muted small block">{how}</span></dd> }.into_any()
        }
        None if live.done >= live.wanted => view! { <dd>"–"</dd> }.into_any(),
        None => view! { <dd class="muted">{t.end_unknown}</dd> }.into_any(),
    };
    let waits = [
        (live.disagreements, t.disagreements_waiting, format!("{base}/disagreements")),
        (live.extra_waiting, t.extra_waiting, format!("{base}/disagreements")),
        (live.flags, t.flags_open, format!("{base}/flags")),
        (live.stopped, t.stopped_raters, format!("{base}/quality#calibrations")),
    ];
    let waits = waits
        .into_iter()
        .map(|(count, name, href)| {
            let class = if count > 0 { "waits some" } else { "waits" };
            view! { <li class=class><a href=href><b>{i.number(count)}</b>" "{name}</a></li> }
        })
        .collect_view();
    let extra = (live.extra > 0).then(|| (t.extra_n)(live.extra));
    view! {
        {progress(i, live.done, live.wanted)}
        {extra.map(|text| view! { <p class="muted small">{text}</p> })}
        <ul class="waits-list">{waits}</ul>
        <dl class="facts">
            {(!over).then(|| view! { <div><dt>{t.end}</dt>{end}</div> })}
            {agreement(i, &live, &ratings)}
        </dl>
        {raters(i, &live, &ratings)}
        {models(i, live.models, &ratings)}
        // Outputs that were in progress when a study was closed no longer count.
        {(!over).then(|| leases(i, id, live.leases))}
    }
    .into_any()
}

fn agreement(i: I18n, live: &Live, ratings: &str) -> impl IntoView + use<> {
    let t = i.quality();
    let each = live
        .dimensions
        .iter()
        .zip(&live.agreement)
        .map(|(name, a)| {
            let name = name.get(i.lang).to_owned();
            if a.pairs == 0 {
                return view! { <li>{name}" "<span class="muted small">{t.no_pairs_yet}</span></li> }.into_any();
            }
            let alpha = a.alpha.map_or_else(|| "–".to_owned(), |a| format!("{a:.2}").replace('-', "−"));
            let equal = (t.equal_of)(&share(a.exact), &i.number(a.pairs));
            view! { <li>{name}" α "<b>{alpha}</b><span class="muted small">" "{equal}</span></li> }.into_any()
        })
        .collect_view();
    let href = format!("{ratings}?has_disagreement=1");
    view! { <div><dt><a href=href>{t.agreement_so_far}</a></dt><dd><ul class="plain">{each}</ul></dd></div> }
}

fn share(v: Option<f64>) -> String {
    v.map_or_else(|| "–".into(), |v| format!("{:.0}%", v * 100.0))
}

/// A share of equal scores, with the number of outputs that it is of.
pub fn matched(i: I18n, m: &Match) -> String {
    if m.outputs == 0 { "–".into() } else { format!("{} ({})", share(m.exact), i.number(m.outputs)) }
}

fn raters(i: I18n, live: &Live, ratings: &str) -> impl IntoView + use<> {
    let (t, a) = (i.quality(), i.admin());
    let ratings = ratings.to_owned();
    let rows = live.raters.clone().into_iter().map(|r| rater(i, r, &live.dimensions, &ratings)).collect_view();
    view! {
        <section class="stack" aria-labelledby="raters">
            <h3 id="raters">{t.figures_of_raters}</h3>
            <div class="table-box list-box"><table class="table list live-raters" role="table">
                <caption class="visually-hidden">{t.figures_of_raters}</caption>
                <thead role="rowgroup"><tr role="row">
                    <th role="columnheader" scope="col">{a.rater}</th>
                    <th role="columnheader" scope="col" class="num">{a.rated}</th>
                    <th role="columnheader" scope="col" class="num">{a.handed_out}</th>
                    <th role="columnheader" scope="col" class="num">{t.pace}</th>
                    <th role="columnheader" scope="col" class="num">{t.leniency}</th>
                    <th role="columnheader" scope="col" class="num">{t.with_peers}</th>
                    <th role="columnheader" scope="col" class="num">{t.with_known_scores}</th>
                    <th role="columnheader" scope="col" class="num">{t.with_self}</th>
                    <th role="columnheader" scope="col" class="num">{t.flat}</th>
                    <th role="columnheader" scope="col">{a.last_rating}</th>
                </tr></thead>
                <tbody role="rowgroup">{rows}</tbody>
            </table></div>
            <p class="muted small">{t.leniency_hint}</p>
        </section>
    }
}

fn rater(i: I18n, r: LiveRater, dimensions: &[Bilingual], ratings: &str) -> impl IntoView + use<> {
    let (t, a) = (i.quality(), i.admin());
    let f = r.figures;
    let disagreements = format!("{ratings}?rater={}&has_disagreement=1", r.id);
    let leniency = if f.peers.outputs == 0 {
        "–".into_any()
    } else {
        let signed = |d: f64| signed(d, 1);
        let each: Vec<String> = f.peers.difference.iter().map(|d| d.map_or_else(|| "–".to_owned(), signed)).collect();
        let names: Vec<&str> = dimensions.iter().map(|name| name.get(i.lang)).collect();
        view! { <a href=disagreements.clone()>{named_values(&names, &each)}</a> }.into_any()
    };
    let minutes = f.active_ms / 60_000;
    let pace = f.per_hour.map_or_else(|| "–".to_owned(), |n| (t.per_hour)(&i.number(n.round() as u64)));
    let active = (minutes > 0).then(|| (t.hours)(minutes / 60, minutes % 60));
    let known_items = if f.known_items.outputs == 0 {
        "–".to_owned()
    } else {
        (t.right_of)(f.known_items_right, f.known_items.outputs)
    };
    let skipped = (r.skipped > 0).then(|| format!("{} {}", a.skipped, i.number(r.skipped)));
    let run = (f.longest_run > 1).then(|| format!("{} {}", i.number(f.longest_run), t.run_hint));
    let link = format!("{ratings}?rater={}", r.id);
    let quality = ratings.replace("/ratings", "/quality#known");
    // A figure links to its ratings; a dash has no link.
    let to = |href: String, text: String| match text.as_str() {
        "–" => text.into_any(),
        _ => view! { <a href=href>{text}</a> }.into_any(),
    };
    view! {
        <tr role="row">
            <th role="rowheader" scope="row" data-label=a.rater><a href=link.clone()>{r.name.clone()}</a></th>
            <td role="cell" data-label=a.rated class="num">
                {to(link.clone(), i.number(r.rated))}
                {skipped.map(|text| view! { <span class="muted small block">{text}</span> })}
            </td>
            <td role="cell" data-label=a.handed_out class="num">{i.number(r.leased)}</td>
            <td role="cell" data-label=t.pace class="num">
                {pace}
                {active.map(|text| view! { <span class="muted small block">{t.active}" "{text}</span> })}
            </td>
            <td role="cell" data-label=t.leniency class="num">{leniency}</td>
            <td role="cell" data-label=t.with_peers class="num">{to(disagreements, matched(i, &f.peers))}</td>
            <td role="cell" data-label=t.with_known_scores class="num">{to(quality, known_items)}</td>
            <td role="cell" data-label=t.with_self class="num">{matched(i, &f.again)}</td>
            <td role="cell" data-label=t.flat class="num">
                {to(link.clone(), share(f.flat))}
                {run.map(|text| view! { <span class="muted small block">{text}</span> })}
            </td>
            <td role="cell" data-label=a.last_rating class="when">{r.last_at.map_or_else(|| "–".into(), |at| i.time(at))}</td>
        </tr>
    }
}

fn models(i: I18n, models: Vec<LiveModel>, ratings: &str) -> impl IntoView + use<> {
    let t = i.quality();
    let ratings = ratings.to_owned();
    let rows = models
        .into_iter()
        .map(|m| {
            let href = format!("{ratings}?model={}", m.id);
            view! { <li class="model-progress"><a href=href>{m.name}</a>{progress(i, m.done, m.wanted)}</li> }
        })
        .collect_view();
    view! {
        <section class="stack" aria-labelledby="by-model">
            <h3 id="by-model">{t.by_model}</h3>
            <ul class="plain stack-tight">{rows}</ul>
        </section>
    }
}

fn leases(i: I18n, study: StudyId, leases: Vec<Lease>) -> impl IntoView {
    let (t, a) = (i.quality(), i.admin());
    let body = if leases.is_empty() {
        view! { <p class="muted">{t.no_leases}</p> }.into_any()
    } else {
        let rows = leases
            .into_iter()
            .map(|l| {
                view! {
                    <tr role="row">
                        <th role="rowheader" scope="row" data-label=a.rater>{l.rater}</th>
                        <td role="cell" data-label=a.task><a href=format!("/admin/studies/{study}/tasks/{}", l.task)>{l.task_id}</a></td>
                        <td role="cell" data-label=a.model>{l.model}</td>
                        <td role="cell" data-label=t.since class="when">{l.since.map_or_else(|| "–".into(), |at| i.time(at))}</td>
                        <td role="cell" data-label=t.until class="when">{i.time(l.until)}</td>
                    </tr>
                }
            })
            .collect_view();
        view! {
            <div class="table-box list-box"><table class="table list" role="table">
                <caption class="visually-hidden">{t.leases}</caption>
                <thead role="rowgroup"><tr role="row">
                    <th role="columnheader" scope="col">{a.rater}</th>
                    <th role="columnheader" scope="col">{a.task}</th>
                    <th role="columnheader" scope="col">{a.model}</th>
                    <th role="columnheader" scope="col">{t.since}</th>
                    <th role="columnheader" scope="col">{t.until}</th>
                </tr></thead>
                <tbody role="rowgroup">{rows}</tbody>
            </table></div>
        }
        .into_any()
    };
    view! {
        <section class="stack" aria-labelledby="leases">
            <h3 id="leases">{t.leases}</h3>
            {body}
        </section>
    }
}
