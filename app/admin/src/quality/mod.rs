//! `/admin/studies/:id/quality`: a study's quality control: settings, known-score items, raters' results,
//! adjudicators. Related pages are [`ratings`], [`flags`] and [`disagreements`].

pub mod disagreements;
pub mod flags;
mod known;
mod limits;
pub mod ratings;

use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

use super::{
    parts::{FormError, asked, param},
    study_tabs::{StudyFrame, StudyTab, tab_data},
};
use model::{
    error::AppError,
    ids::{StudyId, UserId},
    quality::{
        CORRECTNESS, CalibrationMode, CalibrationRow, CalibrationState, QualityPage, QualitySettings, TabCounts,
    },
    rubric::Rubric,
};
use rpc::quality::{
    AddKnownItem, ChangeKnownItem, PauseRater, RemoveKnownItem, SetAdjudicator, SetAdmission, SetQuality, study_quality,
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
    let counts = tab_data(id);
    view! { <Load data let:found>{page(i, id.get_untracked(), found, forms, counts)}</Load> }
}

fn page(i: I18n, id: Option<StudyId>, found: QualityPage, forms: Forms, counts: Data<TabCounts>) -> AnyView {
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
    } = found;
    let adding = proposal.is_some();
    let Some(id) = id else { return ().into_any() };
    let saved = use_query_map();
    let was_saved =
        move || saved.read().get("saved").is_some() && forms.set.value().with(|v| v.as_ref().is_none_or(Result::is_ok));
    let calibration = settings.calibration != CalibrationMode::None;
    view! {
        <StudyFrame title counts here=StudyTab::Quality>
            {move || was_saved().then(|| view! { <Notice tone=Tone::Good><p>{t.settings_saved}</p></Notice> })}
            {proposal.map(|proposal| known::proposed(i, id, &rubric, proposal, forms))}
            {settings_form(i, id, &rubric, settings, forms)}
            {(!adding).then(|| known::section(i, id, (&rubric, &settings), (known_items, choices, pools), forms))}
            {limits::table(i, id, raters, &settings, forms)}
            {calibration.then(|| calibrations_table(i, id, calibrations, forms))}
            {adjudicator_list(i, id, adjudicators, forms)}
        </StudyFrame>
    }
    .into_any()
}

/// A select field.
fn options(of: Vec<(&'static str, &'static str)>, chosen: &'static str) -> impl IntoView {
    of.into_iter()
        .map(|(value, name)| view! { <option value=value selected=value == chosen>{name}</option> })
        .collect_view()
}

/// An integer field.
fn number(name: &'static str, label: &'static str, value: String, hint: &'static str, needed: bool) -> impl IntoView {
    let hint_id = format!("{name}-hint");
    let described = (!hint.is_empty()).then(|| hint_id.clone());
    view! {
        <div class="field field--short">
            <label class="label" for=name>{label}</label>
            <input class="input" id=name name=format!("settings[{name}]") type="number" inputmode="numeric" min="0" max="10000" value=value required=needed aria-describedby=described/>
            {(!hint.is_empty()).then(|| view! { <p class="hint" id=hint_id>{hint}</p> })}
        </div>
    }
}

fn settings_form(i: I18n, id: StudyId, rubric: &Rubric, s: QualitySettings, forms: Forms) -> impl IntoView + use<> {
    let t = i.quality();
    let (calibration, policy, shown) = (s.calibration.code(), s.policy.code(), s.shown.code());
    let level = |v: Option<u8>| v.map(|v| v.to_string()).unwrap_or_default();
    let with_instructions = rubric.instructions;
    let correctness = rubric.dimensions.iter().any(|d| d.key == CORRECTNESS);
    let set = forms.set;
    view! {
        <section class="stack" aria-labelledby="settings">
            <h2 id="settings">{t.settings}</h2>
            <ActionForm action=set attr:class="stack quality-form">
                <input type="hidden" name="study" value=id.to_string()/>
                <fieldset>
                    <legend>{t.calibration}</legend>
                    <div class="field">
                        <label class="label" for="calibration">{t.calibration}</label>
                        <select class="input" id="calibration" name="settings[calibration]" aria-describedby="calibration-hint">
                            {options(vec![("none", t.calibration_none), ("must_pass", t.calibration_must), ("train", t.calibration_train)], calibration)}
                        </select>
                        <p class="hint" id="calibration-hint">{t.calibration_hint}</p>
                    </div>
                    <div class="fields">
                        {number("needed", t.needed, s.needed.to_string(), "", true)}
                        {number("tolerance", t.tolerance, s.tolerance.to_string(), t.tolerance_hint, true)}
                    </div>
                </fieldset>
                <fieldset>
                    <legend>{t.hidden}</legend>
                    <p class="hint">{t.hidden_hint}</p>
                    <div class="fields">
                        {number("known_item_every", t.known_item_every, s.known_item_every.to_string(), t.every_hint, true)}
                        {number("repeat_every", t.repeat_every, s.repeat_every.to_string(), t.every_hint, true)}
                        {number("repeat_apart", t.repeat_apart, s.repeat_apart.to_string(), "", true)}
                    </div>
                </fieldset>
                {limits::fields(i, &s)}
                <fieldset>
                    <legend>{t.disagreement}</legend>
                    {with_instructions.then(|| view! { <p class="hint">{i.admin().spread_of_instructions}</p> })}
                    <div class="fields">
                        {number("spread", t.spread, level(s.spread), t.spread_hint, false)}
                        {correctness.then(|| number("spread_correctness", t.spread_correctness, level(s.spread_correctness), "", false))}
                        <div class="field">
                            <label class="label" for="policy">{t.policy}</label>
                            <select class="input" id="policy" name="settings[policy]">
                                {options(vec![("adjudicator", t.policy_adjudicator), ("extra_rater", t.policy_extra)], policy)}
                            </select>
                        </div>
                    </div>
                </fieldset>
                <div class="field">
                    <label class="label" for="shown">{t.shown}</label>
                    <select class="input" id="shown" name="settings[shown]">
                        {options(vec![("nothing", t.shown_nothing), ("progress", t.shown_progress), ("own", t.shown_own)], shown)}
                    </select>
                </div>
                <p><button class="button primary" type="submit" disabled=move || set.pending().get()>{t.save}</button></p>
            </ActionForm>
            <FormError of=move || set.value().get().and_then(Result::err)/>
        </section>
    }
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
