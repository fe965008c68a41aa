//! The fields of a study's settings: for a new study, and for a draft with its present settings. A summary next to them
//! follows the choices.

mod submissions;
mod summary;

use std::collections::{HashMap, HashSet};

use leptos::prelude::*;

use self::{
    submissions::SubmissionChoice,
    summary::{Chosen, summary},
};
use super::rubrics::choose::RubricField;
use model::{
    group::Group,
    ids::{GroupId, SubmissionId, UserId},
    plan::{Presentation, RatedAnswers, Sharing},
    study::StudyDraft,
    submission::SubmissionRow,
    user::{Role, UserRow},
};
use rpc::rubrics::rubrics_for;
use ui::{
    context::use_i18n,
    load::{Data, Load},
};

/// The fields. They track the selections to show the number of ratings.
#[component]
#[allow(clippy::too_many_lines, reason = "one form")]
pub fn StudyFields(
    /// The dataset's short name.
    slug: String,
    /// Its submissions, newest first.
    rows: Vec<SubmissionRow>,
    /// Every active person.
    users: Vec<UserRow>,
    /// Every group.
    groups: Vec<Group>,
    /// Whether another dataset could be selected.
    several: bool,
    /// The present settings of a draft.
    #[prop(optional)]
    draft: Option<StudyDraft>,
    /// The buttons.
    children: Children,
) -> impl IntoView {
    let i = use_i18n();
    let t = i.admin();
    let sizes: Vec<(SubmissionId, u64, u64)> = rows.iter().map(|r| (r.id, r.outputs, r.tasks)).collect();
    let present = draft.map(|draft| draft.settings).unwrap_or_default();
    let settings = present.settings;
    let members: HashSet<UserId> = present.raters.iter().copied().collect();
    let ticked = RwSignal::new(present.submissions.iter().copied().collect::<HashSet<SubmissionId>>());
    let raters_per_output = RwSignal::new(u64::from(settings.raters_per_output));
    // Deactivated people are not offered.
    let alone: HashSet<UserId> = users.iter().map(|user| user.id).filter(|id| members.contains(id)).collect();
    let alone = RwSignal::new(alone);
    // Whole groups that are selected, by their members.
    let in_groups = RwSignal::new(HashMap::<GroupId, Vec<UserId>>::new());
    let raters = move || {
        let mut all = alone.get();
        in_groups.with(|groups| all.extend(groups.values().flatten()));
        all.len()
    };
    let tasks = RwSignal::new(settings.tasks.map(u64::from));
    let p = i.plan();
    let sharing = RwSignal::new(settings.sharing);
    let shares: HashMap<UserId, u32> = present.raters.iter().copied().zip(present.shares.iter().copied()).collect();
    let by_hand = settings.sharing == Sharing::Hand;
    let (sharing_now, presentation_now) = (settings.sharing, settings.presentation);
    let shared = move |one: Sharing| one == sharing_now;
    let shown = move |one: Presentation| one == presentation_now;
    let in_turns = rows.iter().any(|row| row.way.is_some());
    let answers_now = settings.answers;
    let rated = move |one: RatedAnswers| one == answers_now;
    let outputs = move || -> u64 {
        ticked.with(|ticked| {
            let chosen = sizes.iter().filter(|(id, ..)| ticked.contains(id));
            // A pilot takes the first tasks of the order: about as many outputs of each model as tasks.
            chosen
                .map(|(_, outputs, answered)| match tasks.get() {
                    Some(most) if *answered > 0 => outputs * most.min(*answered) / answered,
                    _ => *outputs,
                })
                .sum()
        })
    };
    let rubrics = {
        let dataset = slug.clone();
        Data::new(move || dataset.clone(), rubrics_for)
    };
    let pace = RwSignal::new(settings.pace_s);
    let chosen = move |measured_s: Option<u32>| Chosen {
        outputs: outputs(),
        raters: raters() as u64,
        raters_per_output: raters_per_output.get(),
        pace_s: pace.get().or(measured_s),
    };
    let chosen = StoredValue::new(chosen);
    let people = users
        .into_iter()
        .map(|user| {
            let admin =
                (user.role == Role::Admin).then(|| view! { <span class="badge tone-plain">{t.role_admin}</span> });
            let id = user.id;
            let share = shares.get(&user.id).filter(|_| by_hand).map(u32::to_string);
            view! {
                <li class="share-row">
                    <label class="check">
                        <input type="checkbox" name="study[raters][]" value=user.id.to_string() checked=members.contains(&user.id) on:change=move |event| {
                            let on = event_target_checked(&event);
                            alone.update(|alone| _ = if on { alone.insert(id) } else { alone.remove(&id) });
                        }/>
                        <span><strong>{user.name.clone()}</strong>" "{admin}</span>
                    </label>
                    <span class="share-field" class:is-off=move || sharing.get() != Sharing::Hand>
                        <input class="input" name=format!("study[shares][{}]", user.id) type="number" inputmode="numeric" min="0" value=share
                            placeholder=p.share aria-label=(p.share_of)(&user.name)/>
                    </span>
                </li>
            }
        })
        .collect_view();
    view! {
        <div class="study-fields stack">
        <p>
            {(t.study_of)(&slug)}
            {several.then(|| view! { " "<a href="/admin/studies/new">{t.other_dataset}</a> })}
        </p>
        <div class="field">
            <label class="label" for="study-title">{t.study_title}</label>
            <input class="input" id="study-title" name="study[title]" value=present.title required maxlength="120" autocomplete="off" aria-describedby="study-title-hint"/>
            <p class="hint" id="study-title-hint">{t.study_title_hint}</p>
        </div>
        <RubricField data=rubrics present=present.rubric/>
        <SubmissionChoice rows ticked/>
        <fieldset>
            <legend>{t.study_raters}</legend>
            <p class="hint">{t.study_raters_hint}" "<a href="/admin/people">{t.invite_people}</a></p>
            <ul class="checks">{people}</ul>
        </fieldset>
        {group_choice(groups, in_groups)}
        <div class="field field--short">
            <label class="label" for="study-raters-per-output">{t.raters_per_output}</label>
            <input class="input" id="study-raters-per-output" name="study[settings][raters_per_output]" type="number" inputmode="numeric" min="1" max="100" value=settings.raters_per_output.to_string() required
                aria-describedby="study-raters-per-output-hint"
                on:input=move |event| raters_per_output.set(event_target_value(&event).parse().unwrap_or(1))/>
            <p class="hint" id="study-raters-per-output-hint">{t.raters_per_output_hint}</p>
        </div>
        <div class="plan-row">
            <div class="field">
                <label class="label" for="study-sharing">{p.sharing}</label>
                <select class="input" id="study-sharing" name="study[settings][sharing]" aria-describedby="study-sharing-hint"
                    on:change=move |event| sharing.set(event_target_value(&event).parse().unwrap_or_default())>
                    <option value="count" selected=shared(Sharing::Count)>{p.by_count}</option>
                    <option value="language" selected=shared(Sharing::Language)>{p.by_language}</option>
                    <option value="hand" selected=shared(Sharing::Hand)>{p.by_hand}</option>
                </select>
            </div>
            <div class="field">
                <label class="label" for="study-presentation">{p.presentation}</label>
                <select class="input" id="study-presentation" name="study[settings][presentation]">
                    <option value="one" selected=shown(Presentation::One)>{p.one}</option>
                    <option value="side_by_side" selected=shown(Presentation::SideBySide)>{p.side_by_side}</option>
                </select>
            </div>
            {in_turns.then(|| view! {
                <div class="field">
                    <label class="label" for="study-answers">{p.answers}</label>
                    <select class="input" id="study-answers" name="study[settings][answers]">
                        <option value="last" selected=rated(RatedAnswers::Last)>{p.answers_last}</option>
                        <option value="each" selected=rated(RatedAnswers::Each)>{p.answers_each}</option>
                    </select>
                </div>
            })}
            <p class="hint" id="study-sharing-hint">
                <span class="hint-when" class:is-off=move || sharing.get() == Sharing::Count>{p.sharing_hint}</span>" "
                <span class="hint-when" class:is-off=move || sharing.get() != Sharing::Hand>{p.share_hint}</span>
            </p>
        </div>
        <details class="more">
            <summary>{t.study_more}</summary>
            <div class="field field--short">
                <label class="label" for="study-pace">{p.pace}</label>
                <input class="input" id="study-pace" name="study[settings][pace_s]" value=settings.pace_s.map(|n| n.to_string()) type="number" inputmode="numeric" min="1" max="86400" aria-describedby="study-pace-hint"
                    on:input=move |event| pace.set(event_target_value(&event).parse().ok())/>
                <p class="hint" id="study-pace-hint">{p.pace_hint}</p>
            </div>
            <div class="field field--short">
                <label class="label" for="study-tasks">{t.study_tasks}</label>
                <input class="input" id="study-tasks" name="study[settings][tasks]" value=settings.tasks.map(|n| n.to_string()) type="number" inputmode="numeric" min="1" aria-describedby="study-tasks-hint"
                    on:input=move |event| tasks.set(event_target_value(&event).parse().ok())/>
                <p class="hint" id="study-tasks-hint">{t.study_tasks_hint}</p>
            </div>
            <div class="field field--short">
                <label class="label" for="study-break">{p.break_minutes}</label>
                <input class="input" id="study-break" name="study[settings][break_minutes]" value=(settings.quality.break_minutes > 0).then(|| settings.quality.break_minutes.to_string()) type="number" inputmode="numeric" min="0" max="480" aria-describedby="study-break-hint"/>
                <p class="hint" id="study-break-hint">{p.break_hint}</p>
            </div>
            <div class="field field--short">
                <label class="label" for="study-seed">{t.seed}</label>
                <input class="input" id="study-seed" name="study[seed]" value=present.seed.map(|n| n.to_string()) inputmode="numeric" pattern="[0-9]{1,20}" autocomplete="off" aria-describedby="study-seed-hint"/>
                <p class="hint" id="study-seed-hint">{t.seed_hint}</p>
            </div>
        </details>
        </div>
        <aside class="form-summary" aria-labelledby="study-summary">
            <h2 id="study-summary">{t.study_summary}</h2>
            <div role="status">
                <Load data=rubrics let:choices>{move || summary(i, chosen.with_value(|chosen| chosen(choices.measured_s)))}</Load>
            </div>
            {children()}
        </aside>
    }
}

/// Whole groups as raters. The server adds their members, so this works without JavaScript.
fn group_choice(groups: Vec<Group>, chosen: RwSignal<HashMap<GroupId, Vec<UserId>>>) -> impl IntoView {
    let g = use_i18n().groups();
    let rows = groups
        .into_iter()
        .filter_map(|group| {
            let id = group.id;
            let active: Vec<_> = group.members.iter().filter(|member| !member.disabled).map(|m| m.id).collect();
            if active.is_empty() {
                return None;
            }
            let count = (g.members_n)(active.len() as u64);
            let select = move |event| {
                let on = event_target_checked(&event);
                let active = active.clone();
                chosen.update(|chosen| _ = if on { chosen.insert(id, active) } else { chosen.remove(&id) });
            };
            Some(view! {
                <li><label class="check">
                    <input type="checkbox" name="study[groups][]" value=id.to_string() on:change=select/>
                    <span><strong>{group.name}</strong>" "<span class="muted small">{count}</span></span>
                </label></li>
            })
        })
        .collect::<Vec<_>>();
    (!rows.is_empty()).then(|| {
        view! {
            <fieldset>
                <legend>{g.choose}</legend>
                <p class="hint">{g.choose_hint}</p>
                <ul class="checks">{rows}</ul>
            </fieldset>
        }
    })
}
