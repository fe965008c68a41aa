//! What an output came to in a run: its verdict or its progress, why, and a chart of the verdicts' frequencies.

use leptos::prelude::*;

use chart::bars::verdict_class;
use model::{
    reason::{Fault, Reason},
    run::{ItemState, LimitHit, Verdict},
};
use texts::I18n;
use ui::verdict::{marked, sign, verdict};

/// Why an output got its verdict, and what the program, its tests or the compiler said.
pub fn explanation(
    i: I18n,
    reason: Option<&Reason>,
    message: &str,
    class: Option<&'static str>,
) -> Option<impl IntoView + use<>> {
    let reason = reason.map(|reason| i.runs().reason(reason));
    let between = (reason.is_some() && !message.is_empty()).then_some(": ");
    (reason.is_some() || !message.is_empty()).then(|| {
        let message = (!message.is_empty())
            .then(|| view! { <span lang=i.lang.pick(None, Some("en")) translate="no">{message.to_owned()}</span> });
        view! { <p class=class>{reason}{between}{message}</p> }
    })
}

/// Why the engine failed on an output or a run.
pub fn fault(i: I18n, fault: &Fault) -> impl IntoView + use<> {
    let (words, detail) = i.runs().fault(fault);
    let detail = detail.map(|detail| view! { <p lang="en" translate="no">{detail.to_owned()}</p> });
    view! { <p>{words}</p>{detail} }
}

/// An output's verdict, or its progress.
pub fn item_result(i: I18n, state: ItemState, found: Option<Verdict>, limit: Option<LimitHit>) -> AnyView {
    let t = i.runs();
    let word = match (state, found) {
        (_, Some(found)) => {
            let limit = limit.map(|limit| view! { <span class="muted small">" · "{t.limit_name(limit)}</span> });
            return view! { {verdict(i, found)}{limit} }.into_any();
        }
        (ItemState::Failed, None) => t.engine_failed_short,
        (ItemState::Leased, None) => t.at_work,
        (_, None) => t.waiting,
    };
    marked(NO_VERDICT, "", word)
}

/// The class of the mark of an output without a verdict.
pub const NO_VERDICT: &str = "v-open";

/// The minimum width of a verdict in the chart, in percent.
const LEAST: f64 = 1.5;

/// Outputs without a verdict, by the reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unjudged {
    /// Outputs that the run has not reached.
    pub not_run: u32,
    /// Outputs on which the engine failed.
    pub failed: u32,
    /// Tasks for which the submission has no output.
    pub missing: u32,
}

/// The frequency of each verdict: one bar, and the same figures as a table. Outputs that were not run are waiting in a
/// run that is `running`.
pub fn verdict_bar(
    i: I18n,
    verdicts: &[(Verdict, u32)],
    Unjudged { not_run, failed, missing }: Unjudged,
    running: bool,
) -> impl IntoView + use<> {
    let t = i.runs();
    let judged: u64 = verdicts.iter().map(|(_, n)| u64::from(*n)).sum();
    let whole = judged + u64::from(not_run) + u64::from(failed) + u64::from(missing);
    let share = |n: u32| if whole == 0 { 0.0 } else { f64::from(n) * 100.0 / whole as f64 };
    let named = verdicts.iter().filter(|(_, n)| *n > 0);
    let parts =
        named.clone().map(|(v, n)| (verdict_class(*v), sign(*v), t.verdict_name(*v), t.verdict_meaning(*v), *n));
    let rest = [
        (NO_VERDICT, "", if running { t.waiting } else { t.not_run }, "", not_run),
        (NO_VERDICT, "", t.engine_failed_short, "", failed),
        (NO_VERDICT, "", t.missing, t.missing_meaning, missing),
    ];
    let rest = rest.into_iter().filter(|(.., n)| *n > 0);
    let parts: Vec<_> = parts.chain(rest).collect();
    let label_parts: Vec<String> = parts.iter().map(|(_, _, name, _, n)| format!("{name}: {n}")).collect();
    // One of a hundred and seventy-five must be visible on a phone, so the others shrink a little.
    let broad = |n: u32| share(n).max(LEAST);
    let all: f64 = parts.iter().map(|(.., n)| broad(*n)).sum();
    let mut from = 0.0;
    let bars = parts.iter().map(|(class, _, name, _, n)| {
        let (x, width) = (from, broad(*n) * 100.0 / all);
        from += width;
        view! {
            <rect class=*class x=format!("{x:.3}%") y="0" width=format!("{width:.3}%") height="28"><title>{format!("{name}: {n}")}</title></rect>
        }
    });
    let bars = bars.collect_view();
    let rows = parts
        .iter()
        .map(|&(class, sign, name, meaning, n)| {
            view! {
                <tr>
                    <th scope="row">{marked(class, sign, name)}</th>
                    <td class="verdict-meaning muted">{meaning}</td>
                    <td class="num">{i.number(n.into())}</td>
                    <td class="num muted">{format!("{:.1}%", share(n))}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <figure class="picture">
            <figcaption>{t.every_verdict}</figcaption>
            <svg class="verdict-bar" role="img" aria-label=label_parts.join(", ") width="100%" height="28">{bars}</svg>
            <div class="table-box" role="group" aria-label=t.every_verdict tabindex="0">
                <table class="table verdict-table">
                    <caption class="visually-hidden">{t.every_verdict}</caption>
                    <thead class="visually-hidden"><tr>
                        <th scope="col">{t.verdict}</th><th scope="col">{t.why}</th>
                        <th scope="col" class="num">{i.admin().outputs}</th><th scope="col" class="num">{t.of_all}</th>
                    </tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </figure>
    }
}
