//! What the form's study comes to: ratings, ratings for each rater, and hours.

use leptos::prelude::*;

use texts::I18n;

/// The choices of the form that the summary depends on.
#[derive(Clone, Copy, Default)]
pub(super) struct Chosen {
    /// Outputs to rate.
    pub outputs: u64,
    pub raters: u64,
    pub raters_per_output: u64,
    /// Seconds per rating, entered or measured; `None` if not known.
    pub pace_s: Option<u32>,
}

/// The summary, below its heading.
pub(super) fn summary(i: I18n, chosen: Chosen) -> AnyView {
    let t = i.admin();
    let Chosen { outputs, raters, raters_per_output, pace_s } = chosen;
    if outputs == 0 || raters == 0 {
        return view! { <p>{t.estimate_open}</p> }.into_any();
    }
    if raters < raters_per_output {
        return view! { <p>{(t.raters_per_output_short)(raters_per_output, raters)}</p> }.into_any();
    }
    let ratings = outputs * raters_per_output;
    let each = ratings.div_ceil(raters);
    let time = match pace_s {
        Some(pace) => view! {
            <dd>{(t.about_hours)(each * u64::from(pace))}" "<span class="muted small">{(t.at_pace)(pace)}</span></dd>
        }
        .into_any(),
        None => view! { <dd class="muted small">{t.summary_no_pace}</dd> }.into_any(),
    };
    view! {
        <p><strong>{(t.summary_of)(outputs, ratings, raters)}</strong></p>
        <dl class="summary-facts">
            <div><dt>{t.summary_per_rater}</dt><dd>{(t.about_n)(each)}</dd></div>
            <div><dt>{t.summary_hours}</dt>{time}</div>
        </dl>
    }
    .into_any()
}
