//! The form of the settings: presets, sentences with fields, and the work that the settings add for a rater.
//!
//! A preset is an address that fills in the form, so it works without JavaScript and saves nothing.

use leptos::prelude::*;

use super::Forms;
use crate::parts::FormError;
use model::{
    error::AppError,
    ids::StudyId,
    quality::{CORRECTNESS, CalibrationMode, Policy, QualitySettings},
    quality_preset::{ExtraWork, QualityPreset, Workload},
    rubric::Rubric,
};
use texts::I18n;
use ui::{
    form::ActionForm,
    notice::{Badge, Notice, Tone},
};

/// The length of a window that the form offers first, and the fast outputs in it.
const WINDOW: u32 = 20;
const FAST: u32 = 10;

/// What the form needs besides the settings.
#[derive(Clone)]
pub(super) struct Around {
    pub study: StudyId,
    pub rubric: Rubric,
    pub workload: Workload,
}

/// The section: `saved` are the study's settings, `preset` the one that the address asks for.
pub(super) fn section(
    i: I18n,
    around: Around,
    saved: QualitySettings,
    preset: Memo<Option<QualityPreset>>,
    forms: Forms,
) -> impl IntoView {
    let t = i.quality();
    let set = forms.set;
    let error = move || set.value().get().and_then(Result::err).map(|error| labeled(i, error));
    view! {
        <section class="stack" aria-labelledby="settings">
            <h2 id="settings">{t.settings}</h2>
            {move || {
                let of = |preset: QualityPreset| preset.settings(&saved, &around.rubric, around.workload.calibration as usize);
                form(i, &around, preset.get().map_or(saved, of), preset.get().is_some(), forms)
            }}
            <FormError of=error/>
        </section>
    }
}

fn form(i: I18n, around: &Around, s: QualitySettings, filled: bool, forms: Forms) -> AnyView {
    let t = i.quality();
    let now = RwSignal::new(s);
    let set = forms.set;
    let Around { study, workload, .. } = *around;
    let disagreements = disagreements(i, &around.rubric, s, now);
    view! {
        {presets(i, around, s, now)}
        <ActionForm action=set attr:class="quality-form quality-settings">
            <input type="hidden" name="study" value=study.to_string()/>
            <div class="stack">
                {calibration(i, s, now)}
                {hidden_checks(i, s, now)}
                {limits(i, s, now)}
                {disagreements}
                {for_raters(i, s, now)}
            </div>
            <section class="quality-cost stack-tight" aria-labelledby="cost">
                <h3 id="cost">{t.cost}</h3>
                {cost(i, workload, now)}
                {filled.then(|| view! { <Notice tone=Tone::Care><p>{t.preset_filled}</p></Notice> })}
                <p class="hint">{t.off_hint}</p>
                <p><button class="button primary" type="submit" disabled=move || set.pending().get()>{t.save}</button></p>
            </section>
        </ActionForm>
    }
    .into_any()
}

fn presets(i: I18n, around: &Around, s: QualitySettings, now: RwSignal<QualitySettings>) -> impl IntoView + use<> {
    let t = i.quality();
    let Around { rubric, workload, .. } = around.clone();
    let calibration = workload.calibration as usize;
    let current = {
        let rubric = rubric.clone();
        Memo::new(move |_| now.with(|now| QualityPreset::of(now, &rubric, calibration)))
    };
    let cards = QualityPreset::ALL
        .map(|preset| {
            let (name, what) = match preset {
                QualityPreset::Off => (t.preset_off, t.preset_off_what),
                QualityPreset::Light => (t.preset_light, t.preset_light_what),
                QualityPreset::Strict => (t.preset_strict, t.preset_strict_what),
            };
            let extra = ExtraWork::of(&preset.settings(&s, &rubric, calibration), &workload);
            let without_items = preset == QualityPreset::Strict && (workload.calibration == 0 || workload.hidden == 0);
            let on = move || current.get() == Some(preset);
            view! {
                <li>
                    <a class="preset" data-noscroll="" href=format!("?preset={preset}") aria-current=move || on().then_some("true")>
                        <span class="preset-name">
                            {name}
                            {move || on().then(|| view! { " "<Badge tone=Tone::Good>{t.preset_now}</Badge> })}
                        </span>
                        <span>{what}</span>
                        <span class="muted small">{(t.extra_work)(extra.percent())}</span>
                        {without_items.then(|| view! { <span class="small">{t.preset_strict_needs}</span> })}
                    </a>
                </li>
            }
        })
        .into_iter()
        .collect_view();
    view! {
        <nav class="stack-tight" aria-labelledby="presets">
            <h3 id="presets">{t.presets}</h3>
            <p class="hint">
                {t.presets_hint}" "
                {move || current.get().is_none().then_some(t.preset_custom)}
            </p>
            <ul class="presets">{cards}</ul>
        </nav>
    }
}

/// The work that the settings of the form add for a rater.
fn cost(i: I18n, load: Workload, now: RwSignal<QualitySettings>) -> impl IntoView {
    let t = i.quality();
    move || {
        let s = now.get();
        let extra = ExtraWork::of(&s, &load);
        let parts = (t.extra_parts)(&i.number(extra.ratings), extra.calibration, extra.known, extra.repeats);
        let by_extra_raters = s.policy == Policy::ExtraRater && (s.spread.is_some() || s.spread_correctness.is_some());
        let notes = [
            (load.ratings == 0, t.cost_no_raters),
            (load.side_by_side && s.has_hidden_checks(), t.cost_side_by_side),
            (by_extra_raters, t.cost_extra_rater),
        ];
        let notes = notes.into_iter().filter(|(on, _)| *on);
        view! {
            <div role="status" class="stack-tight">
                <p><strong>{(t.extra_work)(extra.percent())}</strong></p>
                {(extra.total() >= 0.5).then(|| view! { <p class="small">{parts}</p> })}
                {notes.map(|(_, note)| view! { <p class="muted small">{note}</p> }).collect_view()}
            </div>
        }
    }
}

/// A sentence of a catalog, in which `[name]` is where the field of that name goes.
fn sentence(text: &'static str, field: impl Fn(&str) -> AnyView) -> impl IntoView {
    let part = |part: &'static str| match part.split_once(']') {
        Some((name, rest)) => view! { {field(name)}{rest} }.into_any(),
        None => part.into_any(),
    };
    view! { <p class="rule">{text.split('[').map(part).collect_view()}</p> }
}

/// A number in a sentence. Empty means off.
#[derive(Clone, Copy)]
struct Number {
    name: &'static str,
    label: &'static str,
    value: Option<u32>,
    most: u32,
    put: fn(&mut QualitySettings, Option<u32>),
}

impl Number {
    fn view(self, i: I18n, now: RwSignal<QualitySettings>) -> AnyView {
        let Number { name, label, value, most, put } = self;
        let input = move |event| now.update(|now| put(now, event_target_value(&event).trim().parse().ok()));
        view! {
            <input class="input rule-number" id=name name=format!("settings[{name}]") type="number" inputmode="numeric" min="0"
                max=most.to_string() value=value.map(|n| n.to_string()) placeholder=i.quality().off aria-label=label on:input=input/>
        }
        .into_any()
    }
}

/// The number, or none if 0 turns it off.
fn some(number: u32) -> Option<u32> {
    (number > 0).then_some(number)
}

/// A score or a number of levels; beyond them, the most that there are.
fn level(number: u32) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}

/// A choice in a sentence.
fn select(
    name: &'static str,
    label: &'static str,
    of: Vec<(&'static str, &'static str)>,
    chosen: &'static str,
    put: impl Fn(&str) + 'static,
) -> AnyView {
    let options =
        of.into_iter().map(|(value, name)| view! { <option value=value selected=value == chosen>{name}</option> });
    view! {
        <select class="input rule-choice" id=name name=format!("settings[{name}]") aria-label=label on:change=move |event| put(&event_target_value(&event))>
            {options.collect_view()}
        </select>
    }
    .into_any()
}

fn calibration(i: I18n, s: QualitySettings, now: RwSignal<QualitySettings>) -> impl IntoView {
    let t = i.quality();
    let modes = vec![("none", t.calibration_none), ("must_pass", t.calibration_must), ("train", t.calibration_train)];
    let choose = move |mode: &str| {
        now.update(|now| now.calibration = CalibrationMode::from_name(mode).unwrap_or_default());
    };
    let number = move |name: &str| match name {
        "needed" => Number {
            name: "needed",
            label: t.needed,
            value: some(s.needed),
            most: 10_000,
            put: |s, n| s.needed = n.unwrap_or(0),
        },
        _ => Number {
            name: "tolerance",
            label: t.tolerance,
            value: Some(s.tolerance.into()),
            most: 100,
            put: |s, n| s.tolerance = level(n.unwrap_or(0)),
        },
    };
    let field = move |name: &str| number(name).view(i, now);
    let off = move || now.with(|now| now.calibration == CalibrationMode::None);
    view! {
        <fieldset>
            <legend>{t.calibration}</legend>
            <p class="hint">{t.calibration_hint}</p>
            {select("calibration", t.calibration, modes, s.calibration.code(), choose)}
            <div class="rules" class:is-off=off>
                <div class:is-off=move || now.with(|now| now.calibration != CalibrationMode::MustPass)>{sentence(t.rule_needed, field)}</div>
                {sentence(t.rule_tolerance, field)}
            </div>
            <p class="hint">{t.tolerance_hint}</p>
        </fieldset>
    }
}

fn hidden_checks(i: I18n, s: QualitySettings, now: RwSignal<QualitySettings>) -> impl IntoView {
    let t = i.quality();
    let number = move |name: &str| match name {
        "known_item_every" => Number {
            name: "known_item_every",
            label: t.known_item_every,
            value: some(s.known_item_every),
            most: 10_000,
            put: |s, n| s.known_item_every = n.unwrap_or(0),
        },
        "repeat_every" => Number {
            name: "repeat_every",
            label: t.repeat_every,
            value: some(s.repeat_every),
            most: 10_000,
            put: |s, n| s.repeat_every = n.unwrap_or(0),
        },
        _ => Number {
            name: "repeat_apart",
            label: t.repeat_apart,
            value: Some(s.repeat_apart),
            most: 10_000,
            put: |s, n| s.repeat_apart = n.unwrap_or(0),
        },
    };
    let field = move |name: &str| number(name).view(i, now);
    view! {
        <fieldset>
            <legend>{t.hidden}</legend>
            <p class="hint">{t.hidden_hint}</p>
            <div class="rules">
                <div class:is-off=move || now.with(|now| now.known_item_every == 0)>{sentence(t.rule_known, field)}</div>
                <div class:is-off=move || now.with(|now| now.repeat_every == 0)>{sentence(t.rule_repeat, field)}</div>
            </div>
        </fieldset>
    }
}

fn limits(i: I18n, s: QualitySettings, now: RwSignal<QualitySettings>) -> impl IntoView {
    let t = i.quality();
    let window = some(s.limit_window).unwrap_or(WINDOW);
    let actions = vec![("note", t.limit_note), ("warn", t.limit_warn), ("pause", t.limit_pause)];
    let number = move |name: &str| match name {
        "limit_window" => Number {
            name: "limit_window",
            label: t.limit_window,
            value: Some(window),
            most: 1000,
            put: |s, n| s.limit_window = n.unwrap_or(0),
        },
        "fast_limit" => Number {
            name: "fast_limit",
            label: t.fast_limit,
            value: Some(some(s.fast_limit).unwrap_or(FAST)),
            most: 1000,
            put: |s, n| s.fast_limit = n.unwrap_or(0),
        },
        "min_seconds" => Number {
            name: "min_seconds",
            label: t.min_seconds,
            value: some(s.min_seconds),
            most: 3600,
            put: |s, n| s.min_seconds = n.unwrap_or(0),
        },
        _ => Number {
            name: "missed_limit",
            label: t.missed_limit,
            value: some(s.missed_limit),
            most: 1000,
            put: |s, n| s.missed_limit = n.unwrap_or(0),
        },
    };
    let field = move |name: &str| match name {
        "limit_action" => select("limit_action", t.limit_action, actions.clone(), s.limit_action.code(), |_| ()),
        name => number(name).view(i, now),
    };
    view! {
        <fieldset>
            <legend>{t.limits}</legend>
            <p class="hint">{t.limits_hint}</p>
            <div class="rules">
                {sentence(t.rule_window, &field)}
                <div class:is-off=move || now.with(|now| now.min_seconds == 0)>{sentence(t.rule_fast, &field)}</div>
                <div class:is-off=move || now.with(|now| now.missed_limit == 0)>{sentence(t.rule_missed, &field)}</div>
                <div class:is-off=move || now.with(|now| !now.has_limits())>{sentence(t.rule_action, &field)}</div>
            </div>
            <p class="hint">{t.min_seconds_hint}" "{t.missed_limit_hint}</p>
        </fieldset>
    }
}

fn disagreements(
    i: I18n,
    rubric: &Rubric,
    s: QualitySettings,
    now: RwSignal<QualitySettings>,
) -> impl IntoView + use<> {
    let t = i.quality();
    let with_instructions = rubric.instructions;
    let correctness = rubric.dimensions.iter().any(|d| d.key == CORRECTNESS);
    let policies = vec![("adjudicator", t.policy_adjudicator), ("extra_rater", t.policy_extra)];
    let choose = move |policy: &str| now.update(|now| now.policy = Policy::from_name(policy).unwrap_or_default());
    let number = move |name: &str| match name {
        "spread" => Number {
            name: "spread",
            label: t.spread,
            value: s.spread.map(u32::from),
            most: 100,
            put: |s, n| s.spread = n.map(level),
        },
        _ => Number {
            name: "spread_correctness",
            label: t.spread_correctness,
            value: s.spread_correctness.map(u32::from),
            most: 100,
            put: |s, n| s.spread_correctness = n.map(level),
        },
    };
    let field = move |name: &str| match name {
        "policy" => select("policy", t.policy, policies.clone(), s.policy.code(), choose),
        name => number(name).view(i, now),
    };
    let off = move || now.with(|now| now.spread.is_none());
    let off_correctness = move || now.with(|now| now.spread_correctness.is_none());
    let all_off = move || off() && off_correctness();
    view! {
        <fieldset>
            <legend>{t.disagreement}</legend>
            {with_instructions.then(|| view! { <p class="hint">{i.admin().spread_of_instructions}</p> })}
            <div class="rules">
                <div class:is-off=off>{sentence(t.rule_spread, &field)}</div>
                {correctness.then(|| view! { <div class:is-off=off_correctness>{sentence(t.rule_spread_correctness, &field)}</div> })}
                <div class:is-off=all_off>{sentence(t.rule_policy, &field)}</div>
            </div>
        </fieldset>
    }
}

fn for_raters(i: I18n, s: QualitySettings, now: RwSignal<QualitySettings>) -> impl IntoView {
    let t = i.quality();
    let shown = vec![("nothing", t.shown_nothing), ("progress", t.shown_progress), ("own", t.shown_own)];
    let field = move |name: &str| {
        match name {
        "due" => view! {
            <input class="input rule-date" id="due" name="settings[due]" type="date" value=s.due.map(|day| day.to_string()) aria-label=t.due/>
        }
        .into_any(),
        "shown" => select("shown", t.shown, shown.clone(), s.shown.code(), |_| ()),
        _ => Number {
            name: "break_minutes",
            label: i.plan().break_minutes,
            value: some(s.break_minutes),
            most: 480,
            put: |s, n| s.break_minutes = n.unwrap_or(0),
        }
        .view(i, now),
    }
    };
    view! {
        <fieldset>
            <legend>{t.for_raters}</legend>
            <div class="rules">
                {sentence(t.rule_due, &field)}
                <p class="hint">{t.due_hint}</p>
                <div class:is-off=move || now.with(|now| now.break_minutes == 0)>{sentence(t.rule_break, &field)}</div>
                {sentence(t.rule_shown, &field)}
            </div>
        </fieldset>
    }
}

/// The error, with the form's labels in place of the names of settings.
fn labeled(i: I18n, error: AppError) -> AppError {
    let t = i.quality();
    let label = |name: &str| match name {
        "calibration" => Some(t.calibration),
        "needed" => Some(t.needed),
        "tolerance" => Some(t.tolerance),
        "known_item_every" => Some(t.known_item_every),
        "repeat_every" => Some(t.repeat_every),
        "repeat_apart" => Some(t.repeat_apart),
        "limit_window" => Some(t.limit_window),
        "fast_limit" => Some(t.fast_limit),
        "min_seconds" => Some(t.min_seconds),
        "missed_limit" => Some(t.missed_limit),
        "spread" => Some(t.spread),
        "spread_correctness" => Some(t.spread_correctness),
        "policy" => Some(t.policy),
        "break_minutes" => Some(i.plan().break_minutes),
        "due" => Some(t.due),
        _ => None,
    };
    let AppError::Invalid(mut problems) = error else { return error };
    for problem in &mut problems {
        if let Some(label) = label(&problem.file) {
            label.clone_into(&mut problem.file);
        }
    }
    AppError::Invalid(problems)
}
