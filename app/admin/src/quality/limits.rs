//! The limits of the page: their fields in the settings, and how raters keep them.

use leptos::prelude::*;

use super::{Forms, number, options};
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

/// The length of a window that the form offers first.
const WINDOW: u32 = 20;

/// The fields of the settings.
pub(super) fn fields(i: I18n, s: &QualitySettings) -> impl IntoView + use<> {
    let t = i.quality();
    let window = if s.limit_window == 0 { WINDOW } else { s.limit_window };
    let fast = if s.fast_limit == 0 { window / 2 } else { s.fast_limit };
    view! {
        <fieldset>
            <legend>{t.schedule}</legend>
            <div class="fields">
                <div class="field field--short">
                    <label class="label" for="due">{t.due}</label>
                    <input class="input" id="due" name="settings[due]" type="date" value=s.due.map(|day| day.to_string()) aria-describedby="due-hint"/>
                    <p class="hint" id="due-hint">{t.due_hint}</p>
                </div>
            </div>
        </fieldset>
        <fieldset>
            <legend>{t.breaks}</legend>
            <div class="fields">
                {number("break_minutes", i.plan().break_minutes, s.break_minutes.to_string(), i.plan().break_hint, true)}
            </div>
        </fieldset>
        <fieldset>
            <legend>{t.limits}</legend>
            <p class="hint">{t.limits_hint}</p>
            <div class="fields">
                {number("limit_window", t.limit_window, window.to_string(), t.limit_window_hint, true)}
                {number("min_seconds", t.min_seconds, s.min_seconds.to_string(), t.min_seconds_hint, true)}
                {number("fast_limit", t.fast_limit, fast.to_string(), "", true)}
                {number("missed_limit", t.missed_limit, s.missed_limit.to_string(), t.missed_limit_hint, true)}
                <div class="field">
                    <label class="label" for="limit_action">{t.limit_action}</label>
                    <select class="input" id="limit_action" name="settings[limit_action]">
                        {options(vec![("note", t.limit_note), ("warn", t.limit_warn), ("pause", t.limit_pause)], s.limit_action.code())}
                    </select>
                </div>
            </div>
        </fieldset>
    }
}

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
