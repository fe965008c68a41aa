//! A run's figures by the verdicts of the evaluator published with the benchmark, next to the guarded ones; and how its
//! verdicts compare with those that came with the outputs.

use leptos::prelude::*;

use chart::percentage;
use model::{
    ids::RunId,
    published::Difference,
    run::{Agreement, ItemResult, PassAtK, RunRow},
};
use texts::I18n;

/// The interval of a figure, if it has one.
pub fn interval(at: &PassAtK) -> Option<impl IntoView + use<>> {
    let interval = at.interval?;
    let text = format!("[{:.1}, {:.1}]", interval.low * 100.0, interval.high * 100.0);
    Some(view! { <dd class="muted small">{text}</dd> })
}

/// The figures as published, and why they differ from the guarded ones; nothing where the benchmark has no evaluator.
pub fn figures(
    i: I18n,
    row: &RunRow,
    tasks: u32,
    pass_at: &[PassAtK],
    differences: Vec<Difference>,
) -> Option<impl IntoView + use<>> {
    let (t, published) = (i.runs(), row.published?);
    let head = if row.conversations { t.solved_turns } else { t.solved };
    let solved = (i.common.of)(published.solved.into(), tasks.into());
    let each = pass_at.iter().map(|at| {
        let first = (at.k == 1).then(|| view! { <dd class="muted small">{head}{i.common.colon}{solved.clone()}</dd> });
        view! {
            <div class="figure">
                <dt>{t.published_k(at.k)}</dt>
                <dd>{percentage(at.value)}</dd>
                {interval(at)}
                {first}
            </div>
        }
    });
    let each = each.collect_view();
    let reasons = differences.into_iter().map(|difference| view! { <li>{t.difference_line(&difference)}</li> });
    let reasons = reasons.collect_view();
    let link = (published.differ > 0).then(|| {
        let address = format!("/admin/runs/{}?verdict=differs#outputs", row.id);
        view! { <p><a href=address>{t.see_differing}</a></p> }
    });
    Some(view! {
        <section class="stack" aria-labelledby="published">
            <h2 id="published">{t.published}</h2>
            <p class="muted small">{t.published_hint}</p>
            <dl class="figures">{each}</dl>
            <p>{t.differ(published.differ)}</p>
            {(published.differ > 0).then(|| view! { <ul class="plain-list">{reasons}</ul> })}
            {link}
        </section>
    })
}

/// How a run's verdicts compare with those that came with the outputs; nothing where none did.
pub fn agreement(i: I18n, run: RunId, theirs: Agreement) -> Option<impl IntoView + use<>> {
    let t = i.runs();
    let compared = theirs.compared();
    (compared > 0).then(|| {
        let line = |result: ItemResult, text: &'static str, count: u32| {
            let address = format!("/admin/runs/{run}?verdict={}#outputs", result.name());
            let shown = i.number(count.into());
            match count {
                0 => view! { <div><dt>{text}</dt><dd>{shown}</dd></div> }.into_any(),
                _ => view! { <div><dt>{text}</dt><dd><a href=address>{shown}</a></dd></div> }.into_any(),
            }
        };
        view! {
            <section class="stack" aria-labelledby="theirs">
                <h2 id="theirs">{t.their_verdict}</h2>
                <p class="muted small">{t.theirs_hint}</p>
                <dl class="facts">
                    <div><dt>{t.agree}</dt><dd>{(i.common.of)(theirs.agree.into(), compared.into())}</dd></div>
                    {line(ItemResult::TheirsOnly, t.theirs_only, theirs.theirs_only)}
                    {line(ItemResult::OursOnly, t.ours_only, theirs.ours_only)}
                </dl>
            </section>
        }
    })
}
