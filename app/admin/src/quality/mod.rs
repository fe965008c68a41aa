//! `/admin/studies/:id/quality`: a study's quality control: settings, known-score items, raters' results,
//! adjudicators. Related pages are [`ratings`], [`flags`] and [`disagreements`].

pub mod disagreements;
pub mod flags;
mod known;
mod limits;
pub mod ratings;
mod results;
mod settings;

use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

use super::{
    parts::{FormError, asked, param},
    study_tabs::{StudyFrame, StudyTab, tab_data},
};
use model::{
    error::AppError,
    ids::{StudyId, UserId},
    quality::{CalibrationMode, CalibrationRow, CalibrationState, Live, QualityPage, TabCounts},
    quality_preset::QualityPreset,
};
use rpc::quality::{
    AddKnownItem, ChangeKnownItem, PauseRater, RemoveKnownItem, SetAdjudicator, SetAdmission, SetQuality, study_live,
    study_quality,
};
use texts::I18n;
use ui::{
    context::use_i18n,
    form::{ActionForm, FormAction},
    load::{Data, Load},
    notice::{Badge, Notice, Tone},
};

/// The forms of the page.
#[derive(Clone, Copy)]
struct Forms {
    set: FormAction<SetQuality>,
    add: FormAction<AddKnownItem>,
    change: FormAction<ChangeKnownItem>,
    remove: FormAction<RemoveKnownItem>,
    pause: FormAction<PauseRater>,
    open: FormAction<SetAdmission>,
    adjudicator: FormAction<SetAdjudicator>,
}

/// The page.
#[component]
pub fn QualityStudyPage() -> impl IntoView {
    let i = use_i18n();
    let params = use_params_map();
    let id = Memo::new(move |_| param(params, "id").map(StudyId));
    let forms = Forms {
        set: FormAction::new(),
        add: FormAction::new(),
        change: FormAction::new(),
        remove: FormAction::new(),
        pause: FormAction::new(),
        open: FormAction::new(),
        adjudicator: FormAction::new(),
    };
    let query = use_query_map();
    // The output to add as a known-score item.
    let output = Memo::new(move |_| asked(query, "output").parse::<i64>().ok());
    let changed = move || (forms.set.version().get(), forms.add.version().get(), forms.change.version().get());
    let moved = move || (forms.open.version().get(), forms.adjudicator.version().get());
    let more = move || (forms.remove.version().get(), forms.pause.version().get());
    let data = Data::new(
        move || (id.get(), output.get(), (changed(), moved(), more())),
        |(id, output, _)| async move { study_quality(id.ok_or_else(|| AppError::NotFound("study".into()))?, output).await },
    );
    let live = Data::new(
        move || id.get(),
        |id| async move { study_live(id.ok_or_else(|| AppError::NotFound("study".into()))?).await },
    );
    let counts = tab_data(id);
    view! { <Load data let:found>{page(i, id.get_untracked(), found, forms, (counts, live))}</Load> }
}

fn page(
    i: I18n,
    id: Option<StudyId>,
    found: QualityPage,
    forms: Forms,
    (counts, live): (Data<TabCounts>, Data<Live>),
) -> AnyView {
    let t = i.quality();
    let pools = found.pool_sizes();
    let QualityPage {
        title,
        rubric,
        settings,
        known_items,
        choices,
        calibrations,
        adjudicators,
        limits: raters,
        proposal,
        workload,
        ..
    } = found;
    let adding = proposal.is_some();
    let Some(id) = id else { return ().into_any() };
    let saved = use_query_map();
    // Only once these are the saved settings: what is typed before would be lost when they arrive.
    let version = forms.set.version().get_untracked();
    let was_saved = move || {
        saved.read().get("saved").is_some()
            && forms.set.version().get() == version
            && forms.set.value().with(|v| v.as_ref().is_none_or(Result::is_ok))
    };
    let calibration = settings.calibration != CalibrationMode::None;
    let limits = limits::table(i, id, raters, &settings, forms);
    let preset = Memo::new(move |_| QualityPreset::from_name(&asked(saved, "preset")));
    let around = settings::Around { study: id, rubric: rubric.clone(), workload };
    let places = [
        (true, "settings", t.settings),
        (!adding, "known", t.known),
        (true, "results", t.results),
        (limits.is_some(), "limits", t.limits_of_raters),
        (calibration, "calibrations", t.calibrations),
        (true, "adjudicators", t.adjudicators),
    ];
    let places = places.into_iter().filter(|(on, ..)| *on);
    let places = places.map(|(_, place, name)| view! { <li><a href=format!("#{place}")>{name}</a></li> });
    view! {
        <StudyFrame title counts here=StudyTab::Quality>
            {move || was_saved().then(|| view! { <Notice tone=Tone::Good><p>{t.settings_saved}</p></Notice> })}
            <nav class="on-this-page" aria-label=t.on_this_page><ul>{places.collect_view()}</ul></nav>
            {proposal.map(|proposal| known::proposed(i, id, &rubric, proposal, forms))}
            {settings::section(i, around, settings, preset, forms)}
            {(!adding).then(|| known::section(i, id, (&rubric, &settings), (known_items, choices, pools), forms))}
            <section class="stack" aria-labelledby="results">
                <h2 id="results">{t.results}</h2>
                <Load data=live let:live>{results::view(i, &live)}</Load>
            </section>
            {limits}
            {calibration.then(|| calibrations_table(i, id, calibrations, forms))}
            {adjudicator_list(i, id, adjudicators, forms)}
        </StudyFrame>
    }
    .into_any()
}

fn calibrations_table(i: I18n, id: StudyId, rows: Vec<CalibrationRow>, forms: Forms) -> impl IntoView {
    let (t, a) = (i.quality(), i.admin());
    let button = move |rater: UserId, admitted: bool, text: &'static str, name: String| {
        view! {
            <ActionForm action=forms.open>
                <input type="hidden" name="study" value=id.to_string()/>
                <input type="hidden" name="rater" value=rater.to_string()/>
                <input type="hidden" name="admitted" value=admitted.to_string()/>
                <button class="button quiet" type="submit">{text}<span class="visually-hidden">" "{name}</span></button>
            </ActionForm>
        }
    };
    let rows = rows
        .into_iter()
        .map(|row| {
            let (tone, word) = match row.state {
                None => (Tone::Plain, t.not_begun),
                Some(CalibrationState::Open) => (Tone::Plain, t.at_it),
                Some(CalibrationState::Passed) if row.admitted => (Tone::Good, t.admitted_already),
                Some(CalibrationState::Passed) => (Tone::Good, t.passed),
                Some(CalibrationState::Stopped) => (Tone::Bad, t.stopped),
            };
            let out = row.state != Some(CalibrationState::Passed);
            let begun = row.state.is_some();
            let name = row.name.clone();
            view! {
                <tr role="row">
                    <th role="rowheader" scope="row" data-label=a.rater>{row.name.clone()}</th>
                    <td role="cell" data-label=t.state><Badge tone>{word}</Badge></td>
                    <td role="cell" data-label=t.right class="num">
                        {(t.right_of)(row.right, row.rated)}
                        {(row.earlier > 0).then(|| view! { <span class="muted small">" "{(t.rounds_n)(row.earlier)}</span> })}
                    </td>
                    <td role="cell" data-label=a.actions>
                        <div class="row">
                            {out.then(|| button(row.rater, true, t.admit, name.clone()))}
                            {begun.then(|| button(row.rater, false, t.reset, name.clone()))}
                        </div>
                    </td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <section class="stack" aria-labelledby="calibrations">
            <h2 id="calibrations">{t.calibrations}</h2>
            <FormError of=move || forms.open.value().get().and_then(Result::err)/>
            <div class="table-box list-box"><table class="table list" role="table">
                <caption class="visually-hidden">{t.calibrations}</caption>
                <thead role="rowgroup"><tr role="row">
                    <th role="columnheader" scope="col">{a.rater}</th>
                    <th role="columnheader" scope="col">{t.state}</th>
                    <th role="columnheader" scope="col" class="num">{t.right}</th>
                    <th role="columnheader" scope="col">{a.actions}</th>
                </tr></thead>
                <tbody role="rowgroup">{rows}</tbody>
            </table></div>
        </section>
    }
}

fn adjudicator_list(i: I18n, id: StudyId, people: Vec<(UserId, String, bool)>, forms: Forms) -> impl IntoView {
    let t = i.quality();
    let rows = people
        .into_iter()
        .map(|(user, name, on)| {
            let text = if on { t.take_role } else { t.give_role };
            view! {
                <li class="row">
                    <span>{name.clone()}</span>
                    {on.then(|| view! { <Badge tone=Tone::Good>{t.adjudicator}</Badge> })}
                    <ActionForm action=forms.adjudicator>
                        <input type="hidden" name="study" value=id.to_string()/>
                        <input type="hidden" name="user" value=user.to_string()/>
                        <input type="hidden" name="on" value=(!on).to_string()/>
                        <button class="button small-button" type="submit">{text}<span class="visually-hidden">" "{name}</span></button>
                    </ActionForm>
                </li>
            }
        })
        .collect_view();
    view! {
        <section class="stack" aria-labelledby="adjudicators">
            <h2 id="adjudicators">{t.adjudicators}</h2>
            <p class="muted">{t.adjudicators_hint}</p>
            <FormError of=move || forms.adjudicator.value().get().and_then(Result::err)/>
            <ul class="people-list">{rows}</ul>
        </section>
    }
}
