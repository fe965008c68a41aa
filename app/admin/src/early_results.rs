//! How a few outputs of an uploaded file end, before the import.

use leptos::prelude::*;
use model::submission::EarlyResults;
use serde::{Deserialize, Serialize};
use texts::I18n;
use ui::{
    notice::{Notice, Tone},
    verdict::verdict,
};

use super::runs::verdicts;

/// The state of early results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Early {
    NotBegun,
    /// `None`: no output can be run here.
    Ended(Option<EarlyResults>),
}

/// How a few of the outputs end, with a link to `begin` for browsers without scripts.
pub fn early_results(i: I18n, state: Early, begin: String) -> AnyView {
    let (u, t) = (i.uploads(), i.runs());
    let found = match state {
        // Without scripts, a link runs them.
        Early::NotBegun => {
            return view! {
                <section class="stack" aria-labelledby="early">
                    <h2 id="early">{u.early}</h2>
                    <p class="muted" role="status">{u.early_running}</p>
                    <noscript><a href=begin>{u.early_begin}</a></noscript>
                </section>
            }
            .into_any();
        }
        Early::Ended(None) => return ().into_any(),
        Early::Ended(Some(found)) => found,
    };
    let (passed, ran) = (found.passed(), found.results.len());
    let usual = found.usual_failure().map(|usual| {
        let cause = (passed == 0).then(|| t.likely_cause(usual.verdict)).flatten();
        view! {
            <p>{(u.early_usual)(&t.failure_line(&usual))}</p>
            {cause.map(|cause| view! { <p>{cause}</p> })}
        }
    });
    let fault = found.fault.map(|why| verdicts::fault(i, &why));
    let tone = match passed {
        0 => Tone::Care,
        all if all == ran => Tone::Good,
        _ => Tone::Plain,
    };
    let line = (ran > 0).then(|| {
        view! { <Notice tone><p>{(u.early_line)(passed as u64, ran as u64)}</p>{usual}</Notice> }
    });
    let rows = found.results.into_iter().map(|one| {
        let place = (one.place.line > 0).then(|| (i.admin().line_n)(one.place.line));
        view! {
            <li>
                <code>{one.place.label}</code>" "<span class="muted">{place}</span>" "
                {verdict(i, one.verdict)}
                {verdicts::explanation(i, one.reason.as_ref(), &one.message, Some("small"))}
            </li>
        }
    });
    let rows = rows.collect_view();
    let list = (ran > 0).then(|| {
        view! {
            <details class="finding">
                <summary><h3>{u.early_outputs}" "<span class="count">{ran}</span></h3></summary>
                <ul class="places">{rows}</ul>
            </details>
        }
    });
    view! {
        <section class="stack" aria-labelledby="early">
            <h2 id="early">{u.early}</h2>
            <p class="muted">{u.early_lead}</p>
            {fault}
            {line}
            {list}
        </section>
    }
    .into_any()
}
