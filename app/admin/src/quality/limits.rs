//! How the raters of a study keep its limits.

use leptos::prelude::*;

use super::Forms;
use crate::parts::FormError;
use model::{
    announcement::Audience,
    ids::StudyId,
    quality::{QualitySettings, RaterLimits},
};
use texts::I18n;
use ui::{
    form::ActionForm,
    notice::{Badge, Tone},
};

/// How each rater keeps the limits; nothing in a study without limits and paused raters.
pub(super) fn table(
    i: I18n,
    id: StudyId,
    raters: Vec<RaterLimits>,
    settings: &QualitySettings,
    forms: Forms,
) -> Option<impl IntoView + use<>> {
    let (t, a) = (i.quality(), i.admin());
    if !settings.has_limits() && raters.iter().all(|rater| rater.paused_at.is_none()) {
        return None;
    }
    let rows = raters
        .into_iter()
        .map(|row| {
            let paused = row.paused_at.is_some();
            let state = match (row.paused_at, row.warned) {
                (Some(at), _) => Some((Tone::Bad, t.paused, Some(i.time(at)))),
                (None, true) => Some((Tone::Care, t.warned, None)),
                (None, false) => None,
            };
            let state = state.map(|(tone, word, at)| {
                view! { <Badge tone>{word}</Badge>{at.map(|at| view! { " "<span class="muted small">{at}</span> })} }
            });
            let announce = (i.announcements().announce_whom)(&row.name);
            view! {
                <tr role="row">
                    <th role="rowheader" scope="row" data-label=a.rater>{row.name.clone()}</th>
                    <td role="cell" data-label=t.state>{state}</td>
                    <td role="cell" data-label=t.too_fast class="num">{(row.fast > 0).then(|| (t.right_of)(row.fast, row.items))}</td>
                    <td role="cell" data-label=t.missed class="num">{(row.missed > 0).then(|| (t.right_of)(row.missed, row.checks))}</td>
                    <td role="cell" data-label=a.actions>
                        <ActionForm action=forms.pause>
                            <input type="hidden" name="study" value=id.to_string()/>
                            <input type="hidden" name="rater" value=row.rater.to_string()/>
                            <input type="hidden" name="paused" value=(!paused).to_string()/>
                            <button class="button quiet" type="submit">
                                {if paused { t.resume } else { t.pause }}<span class="visually-hidden">" "{row.name}</span>
                            </button>
                        </ActionForm>
                        <a class="small" href=Audience::Account(row.rater).announce_address() aria-label=announce>
                            {i.announcements().write_to}
                        </a>
                    </td>
                </tr>
            }
        })
        .collect_view();
    Some(view! {
        <section class="stack" aria-labelledby="limits">
            <h2 id="limits">{t.limits_of_raters}</h2>
            <FormError of=move || forms.pause.value().get().and_then(Result::err)/>
            <div class="table-box list-box"><table class="table list" role="table">
                <caption class="visually-hidden">{t.limits_of_raters}</caption>
                <thead role="rowgroup"><tr role="row">
                    <th role="columnheader" scope="col">{a.rater}</th>
                    <th role="columnheader" scope="col">{t.state}</th>
                    <th role="columnheader" scope="col" class="num">{t.too_fast}</th>
                    <th role="columnheader" scope="col" class="num">{t.missed}</th>
                    <th role="columnheader" scope="col">{a.actions}</th>
                </tr></thead>
                <tbody role="rowgroup">{rows}</tbody>
            </table></div>
        </section>
    })
}
