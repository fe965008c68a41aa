//! `/admin/studies/:id/plan`: the assignment of a study's work. For a draft, the expected work before it
//! starts; afterwards, forms to add and remove raters and to add work.

use leptos::{either::Either, prelude::*};
use leptos_router::hooks::use_params_map;

use super::{
    list::Listing,
    parts::{FormError, param, state},
    plan_leaks::Leaks,
    study_tabs::{StudyFrame, StudyTab, tab_data},
};
use model::{
    announcement::Audience,
    error::AppError,
    group::Group,
    ids::StudyId,
    lang::Lang,
    page::{PageOf, Paged},
    plan::{PagedPlan, PlanDetail, Presentation, RatedAnswers, RaterPlan, Reads, Sharing},
    quality::TabCounts,
    study::StudyStatus,
};
use rpc::{
    groups::{AddGroup, groups},
    plans::{AddRater, DuplicateStudy, ExtendStudy, RemoveRater, SetPace, plan},
    studies::SetStudyStatus,
};
use texts::I18n;
use ui::{
    context::use_i18n,
    form::{ActionForm, FormAction},
    load::{Data, Load},
    notice::{Notice, Tone},
};

/// The page's actions.
#[derive(Clone, Copy)]
struct Doing {
    status: FormAction<SetStudyStatus>,
    join: FormAction<AddRater>,
    join_group: FormAction<AddGroup>,
    leave: FormAction<RemoveRater>,
    extend: FormAction<ExtendStudy>,
    copy: FormAction<DuplicateStudy>,
    pace: FormAction<SetPace>,
}

/// A study's plan.
#[component]
pub fn PlanPage() -> impl IntoView {
    let i = use_i18n();
    let params = use_params_map();
    let id = Memo::new(move |_| param(params, "id").map(StudyId));
    let doing = Doing {
        status: FormAction::new(),
        join: FormAction::new(),
        join_group: FormAction::new(),
        leave: FormAction::new(),
        extend: FormAction::new(),
        copy: FormAction::new(),
        pace: FormAction::new(),
    };
    let changes = move || {
        let Doing { status, join, join_group, leave, extend, copy: _, pace } = doing;
        [
            status.version().get(),
            join.version().get() + join_group.version().get(),
            leave.version().get(),
            extend.version().get(),
            pace.version().get(),
        ]
    };
    let list = Listing::new("", &[]);
    let data = Data::new(
        move || (id.get(), list.asked(), changes()),
        |(id, page, _)| async move {
            let plan = plan(id.ok_or_else(|| AppError::NotFound("study".into()))?, page).await?;
            Ok((plan, groups(PageOf::first(PageOf::MOST)).await?.rows))
        },
    );
    let counts = tab_data(id);
    view! { <Load data let:both>{page(i, list, both.0, both.1, doing, counts)}</Load> }
}

fn page(
    i: I18n,
    list: Listing,
    PagedPlan { plan, raters }: PagedPlan,
    groups: Vec<Group>,
    doing: Doing,
    counts: Data<TabCounts>,
) -> AnyView {
    let p = i.plan();
    let id = plan.study;
    let open = plan.status != StudyStatus::Closed;
    view! {
        <StudyFrame title=plan.title.clone() counts here=StudyTab::Plan>
            {controls(i, &plan, doing)}
            {(plan.status == StudyStatus::Draft).then(|| view! { <Leaks study=id start=doing.status/> })}
            {(plan.waiting > 0).then(|| view! { <Notice tone=Tone::Care><p>{(p.waiting)(plan.waiting)}</p></Notice> })}
            {facts(i, &plan, doing)}
            {people(i, list, &plan, raters, doing)}
            {open.then(|| view! {
                <div class="plan-changes">{join_form(i, &plan, groups, doing)}{extend_form(i, &plan, doing)}</div>
            })}
            {history(i, &plan)}
        </StudyFrame>
    }
    .into_any()
}

fn controls(i: I18n, plan: &PlanDetail, doing: Doing) -> impl IntoView + use<> {
    let p = i.plan();
    let id = plan.study;
    let draft = plan.status == StudyStatus::Draft;
    let start = draft.then(|| {
        view! {
            <ActionForm action=doing.status>
                <input type="hidden" name="id" value=id.to_string()/>
                <input type="hidden" name="status" value=StudyStatus::Running.code()/>
                <button class="button primary" type="submit" disabled=move || doing.status.pending().get()>{p.start}</button>
            </ActionForm>
        }
    });
    let errors = move || {
        let failed = |value: Option<Result<(), AppError>>| value.and_then(Result::err);
        failed(doing.status.value().get()).or_else(|| doing.copy.value().get().and_then(Result::err))
    };
    view! {
        <div class="study-state">
            {state(i, plan.status)}
            <p class="plan-lead">{if draft { p.draft_lead } else { p.running_lead }}</p>
            <div class="study-controls">
                {start}
                {draft.then(|| view! { <a class="button" href=format!("/admin/studies/{id}/edit")>{p.edit}</a> })}
                <ActionForm action=doing.copy>
                    <input type="hidden" name="id" value=id.to_string()/>
                    <button class="button" type="submit" title=p.clone_hint disabled=move || doing.copy.pending().get()>{p.clone}</button>
                </ActionForm>
            </div>
        </div>
        <FormError of=errors/>
    }
}

fn facts(i: I18n, plan: &PlanDetail, doing: Doing) -> impl IntoView + use<> {
    let (t, p) = (i.admin(), i.plan());
    let id = plan.study;
    let hours = plan.hours(plan.wanted - plan.done.min(plan.wanted));
    let expected = plan.pace_s.map(|seconds| seconds.to_string());
    let pace = match (plan.pace_s, plan.measured_s) {
        (Some(set), _) => (p.pace_set)(set),
        (None, Some(measured)) => (p.pace_measured)(measured),
        (None, None) => p.pace_unknown.to_owned(),
    };
    view! {
        <dl class="facts">
            <div><dt>{t.tasks}</dt><dd>{i.number(plan.tasks)}</dd></div>
            <div><dt>{t.outputs}</dt><dd>{i.number(plan.outputs)}</dd></div>
            <div><dt>{t.raters_per_output}</dt><dd>{plan.raters_per_output}</dd></div>
            <div><dt>{p.ratings_wanted}</dt><dd>{i.number(plan.wanted)}</dd></div>
            <div><dt>{p.hours_left}</dt><dd>{hours.map_or_else(|| "–".into(), |h| (p.hours)(&tenths(h)))}</dd></div>
            <div><dt>{p.presentation}</dt><dd>{presentation(i, plan.presentation)}</dd></div>
            {plan.answers.map(|answers| view! { <div><dt>{p.answers}</dt><dd>{rated_answers(i, answers)}</dd></div> })}
            <div><dt>{p.sharing}</dt><dd>{sharing(i, plan.sharing)}</dd></div>
            <div><dt>{t.seed}</dt><dd><code>{plan.seed.clone()}</code></dd></div>
        </dl>
        <ActionForm action=doing.pace attr:class="plan-row">
            <input type="hidden" name="id" value=id.to_string()/>
            <div class="field field--short">
                <label class="label" for="plan-pace">{p.pace}</label>
                <input class="input" id="plan-pace" name="seconds" type="number" inputmode="numeric" min="1" max="86400"
                    value=expected aria-describedby="plan-pace-hint"/>
            </div>
            <button class="button" type="submit">{p.pace_button}</button>
            <p class="hint" id="plan-pace-hint">{pace}</p>
        </ActionForm>
        <FormError of=move || doing.pace.value().get().and_then(Result::err)/>
    }
}

/// How outputs are shown to raters, in words.
pub fn presentation(i: I18n, presentation: Presentation) -> &'static str {
    match presentation {
        Presentation::One => i.plan().one,
        Presentation::SideBySide => i.plan().side_by_side,
    }
}

/// Which answers of a conversation are rated, in words.
pub fn rated_answers(i: I18n, answers: RatedAnswers) -> &'static str {
    match answers {
        RatedAnswers::Last => i.plan().answers_last,
        RatedAnswers::Each => i.plan().answers_each,
    }
}

/// How work is shared, in words.
pub fn sharing(i: I18n, sharing: Sharing) -> &'static str {
    match sharing {
        Sharing::Count => i.plan().by_count,
        Sharing::Language => i.plan().by_language,
        Sharing::Hand => i.plan().by_hand,
    }
}

/// Languages by their own names.
fn languages(reads: Reads) -> String {
    let names: Vec<_> = Lang::ALL.into_iter().filter(|lang| reads.has(*lang)).map(Lang::name).collect();
    names.join(", ")
}

/// Hours with one decimal place; some hours never look like none.
fn tenths(hours: f64) -> String {
    if hours > 0.0 && hours < 0.05 {
        return "< 0.1".to_owned();
    }
    format!("{hours:.1}")
}

fn people(i: I18n, list: Listing, plan: &PlanDetail, raters: Paged<RaterPlan>, doing: Doing) -> impl IntoView + use<> {
    let p = i.plan();
    let table = |raters: Vec<RaterPlan>| people_table(i, plan, &raters, doing);
    let none = || people_table(i, plan, &[], doing);
    // The raters of most studies fit on one page, which needs neither search nor count.
    let is_searched = !raters.is_all() || list.is_narrow();
    let found = raters.found.filter(|_| is_searched);
    let raters = Paged { found, ..raters };
    view! {
        <section class="stack" aria-labelledby="plan-people">
            <div class="row plan-people-head">
                <h2 id="plan-people">{p.shares}</h2>
                // The raters of a draft do not see it yet.
                {(plan.status != StudyStatus::Draft).then(|| view! {
                    <a href=Audience::Study(plan.study).announce_address()>{i.announcements().announce}</a>
                })}
            </div>
            <p class="muted small">{p.shares_lead}</p>
            {is_searched.then(|| list.bar(Vec::new()))}
            {list.view(raters, none, table)}
            <FormError of=move || doing.leave.value().get().and_then(Result::err)/>
        </section>
    }
}

fn people_table(i: I18n, plan: &PlanDetail, raters: &[RaterPlan], doing: Doing) -> AnyView {
    let (t, p) = (i.admin(), i.plan());
    let by_hand = plan.sharing == Sharing::Hand;
    let heads = plan
        .models
        .iter()
        .map(|name| view! { <th role="columnheader" scope="col" class="num">{name.clone()}</th> })
        .collect_view();
    let rows = raters.iter().map(|rater| rater_row(i, plan, rater, doing)).collect_view();
    view! {
        <div class="table-box list-box"><table class="table list" role="table">
            <caption class="visually-hidden">{p.shares}</caption>
            <thead role="rowgroup">
                <tr role="row">
                    <th role="columnheader" scope="col">{t.rater}</th>
                    {by_hand.then(|| view! { <th role="columnheader" scope="col" class="num">{p.share}</th> })}
                    <th role="columnheader" scope="col" class="num">{t.rated}</th>
                    <th role="columnheader" scope="col" class="num">{p.to_come}</th>
                    <th role="columnheader" scope="col" class="num">{p.hours_head}</th>
                    {heads}
                    <th role="columnheader" scope="col" class="num">{Lang::En.name()}</th>
                    <th role="columnheader" scope="col" class="num">{Lang::Zh.name()}</th>
                    <th role="columnheader" scope="col"><span class="visually-hidden">{t.actions}</span></th>
                </tr>
            </thead>
            <tbody role="rowgroup">{rows}</tbody>
        </table></div>
    }
    .into_any()
}

fn rater_row(i: I18n, plan: &PlanDetail, rater: &RaterPlan, doing: Doing) -> impl IntoView + use<> {
    let (t, p) = (i.admin(), i.plan());
    let (study, user) = (plan.study, rater.id);
    let counts = plan
        .models
        .iter()
        .zip(&rater.models)
        .map(|(name, n)| view! { <td role="cell" data-label=name.clone() class="num">{i.number(*n)}</td> })
        .collect_view();
    let note = match (rater.removed_at, plan.sharing) {
        (Some(at), _) => Some((p.left_on)(&i.time(at))),
        (None, Sharing::Count) => None,
        (None, _) => Some(languages(rater.reads)),
    };
    let staying = rater.removed_at.is_none() && plan.status != StudyStatus::Closed;
    let whose = (p.leave_whose)(&rater.name);
    let form = move |aria: String| {
        view! {
            <ActionForm action=doing.leave>
                <input type="hidden" name="id" value=study.to_string()/>
                <input type="hidden" name="user" value=user.to_string()/>
                <button class="button small-button" type="submit" aria-label=aria disabled=move || doing.leave.pending().get()>{p.leave}</button>
            </ActionForm>
        }
    };
    let leave = staying.then(|| match plan.status {
        StudyStatus::Draft => form(whose).into_any(),
        // It moves work of people who may be rating at this moment.
        _ => {
            let leads_to = (p.leave_leads_to)(&i.number(rater.open));
            view! {
                <details class="confirm">
                    <summary class="button small-button">{whose.clone()}</summary>
                    <div class="confirm-box"><p>{leads_to}</p>{form(whose)}</div>
                </details>
            }
            .into_any()
        }
    });
    let hours = plan.hours(rater.open).map_or_else(|| "–".into(), tenths);
    let share = (plan.sharing == Sharing::Hand).then(|| {
        let share = rater.share.map_or_else(|| "–".into(), |n| i.number(n.into()));
        view! { <td role="cell" data-label=p.share class="num">{share}</td> }
    });
    view! {
        <tr role="row">
            <th role="rowheader" scope="row" data-label=t.rater>
                {rater.name.clone()}
                {note.map(|note| view! { " "<span class="muted small">{note}</span> })}
            </th>
            {share}
            <td role="cell" data-label=t.rated class="num">{i.number(rater.rated)}</td>
            <td role="cell" data-label=p.to_come class="num">{i.number(rater.open)}</td>
            <td role="cell" data-label=p.hours_head class="num">{hours}</td>
            {counts}
            <td role="cell" data-label=Lang::En.name() class="num">{i.number(rater.langs[0])}</td>
            <td role="cell" data-label=Lang::Zh.name() class="num">{i.number(rater.langs[1])}</td>
            <td role="cell" data-label="">{leave}</td>
        </tr>
    }
}

fn join_form(i: I18n, plan: &PlanDetail, groups: Vec<Group>, doing: Doing) -> impl IntoView + use<> {
    let p = i.plan();
    let by_hand = plan.sharing == Sharing::Hand;
    let options = plan
        .others
        .iter()
        .map(|(id, name, reads)| {
            let text =
                if plan.sharing == Sharing::Count { name.clone() } else { format!("{name} ({})", languages(*reads)) };
            view! { <option value=id.to_string()>{text}</option> }
        })
        .collect_view();
    let form = if plan.others.is_empty() {
        Either::Left(
            view! { <p class="muted">{p.nobody_else}" "<a href="/admin/people">{i.admin().invite_people}</a></p> },
        )
    } else {
        let study = plan.study;
        let share = by_hand.then(|| {
            view! {
                <div class="field field--short">
                    <label class="label" for="join-share">{p.share}</label>
                    <input class="input" id="join-share" name="share" type="number" inputmode="numeric" min="0" required/>
                </div>
            }
        });
        Either::Right(view! {
            <ActionForm action=doing.join attr:class="plan-row">
                <input type="hidden" name="id" value=study.to_string()/>
                <div class="field">
                    <label class="label" for="join-user">{p.joins}</label>
                    <select class="input" id="join-user" name="user">{options}</select>
                </div>
                {share}
                <button class="button" type="submit" disabled=move || doing.join.pending().get()>{p.join}</button>
            </ActionForm>
        })
    };
    let lead = if plan.status == StudyStatus::Draft { p.join_draft } else { p.join_lead };
    view! {
        <section class="card stack" aria-labelledby="plan-join">
            <h2 id="plan-join">{p.join_head}</h2>
            <p class="muted small">{lead}</p>
            {form}
            <FormError of=move || doing.join.value().get().and_then(Result::err)/>
            {(!by_hand).then(|| join_group_form(i, plan, groups, doing))}
        </section>
    }
}

/// Adds the people of a group. With shares set by hand each person needs a share, so they are added one by one.
fn join_group_form(i: I18n, plan: &PlanDetail, groups: Vec<Group>, doing: Doing) -> impl IntoView + use<> {
    let (g, study) = (i.groups(), plan.study);
    let others: Vec<_> = plan.others.iter().map(|(id, ..)| *id).collect();
    let options: Vec<_> = groups
        .into_iter()
        .filter_map(|group| {
            let new = group.members.iter().filter(|member| others.contains(&member.id)).count();
            (new > 0).then(|| {
                let text = format!("{} ({})", group.name, (g.members_n)(new as u64));
                view! { <option value=group.id.to_string()>{text}</option> }
            })
        })
        .collect();
    (!options.is_empty()).then(|| {
        view! {
            <ActionForm action=doing.join_group attr:class="plan-row">
                <input type="hidden" name="id" value=study.to_string()/>
                <div class="field">
                    <label class="label" for="join-group">{g.join}</label>
                    <select class="input" id="join-group" name="group">{options}</select>
                </div>
                <button class="button" type="submit" disabled=move || doing.join_group.pending().get()>{g.join_button}</button>
            </ActionForm>
            <FormError of=move || doing.join_group.value().get().and_then(Result::err)/>
        }
    })
}

fn extend_form(i: I18n, plan: &PlanDetail, doing: Doing) -> impl IntoView + use<> {
    let (t, p) = (i.admin(), i.plan());
    let study = plan.study;
    let more = (!plan.more.is_empty()).then(|| {
        let rows = plan
            .more
            .iter()
            .map(|(id, model)| {
                view! {
                    <li><label class="check">
                        <input type="checkbox" name="submissions[]" value=id.to_string()/>
                        <span>{model.clone()}" "<span class="muted small">{(p.submission_n)(&id.to_string())}</span></span>
                    </label></li>
                }
            })
            .collect_view();
        view! { <fieldset><legend>{t.study_submissions}</legend><ul class="checks">{rows}</ul></fieldset> }
    });
    let (fewest, most, raters_per_output) =
        (plan.tasks.to_string(), plan.tasks_most, plan.raters_per_output.to_string());
    let tasks = (plan.tasks < plan.tasks_most).then(|| {
        view! {
            <div class="field field--short">
                <label class="label" for="extend-tasks">{t.tasks}</label>
                <input class="input" id="extend-tasks" name="tasks" type="number" inputmode="numeric"
                    min=fewest max=most.to_string()/>
                <p class="hint">{(p.tasks_most)(most)}</p>
            </div>
        }
    });
    view! {
        <section class="card stack" aria-labelledby="plan-extend">
            <h2 id="plan-extend">{p.extend_head}</h2>
            <p class="muted small">{p.extend_lead}</p>
            <ActionForm action=doing.extend attr:class="stack study-form">
                <input type="hidden" name="id" value=study.to_string()/>
                {more}
                <div class="plan-row">
                    <div class="field field--short">
                        <label class="label" for="extend-raters-per-output">{t.raters_per_output}</label>
                        <input class="input" id="extend-raters-per-output" name="raters_per_output" type="number" inputmode="numeric"
                            min=raters_per_output.clone() max="100" value=raters_per_output/>
                    </div>
                    {tasks}
                    <button class="button" type="submit" disabled=move || doing.extend.pending().get()>{p.extend}</button>
                </div>
            </ActionForm>
            <FormError of=move || doing.extend.value().get().and_then(Result::err)/>
        </section>
    }
}

fn history(i: I18n, plan: &PlanDetail) -> impl IntoView + use<> {
    let p = i.plan();
    let rows = plan
        .events
        .iter()
        .map(|event| {
            let who = event.who.clone().unwrap_or_default();
            let what = match event.kind.as_str() {
                "planned" => (p.was_planned)(event.ratings),
                "started" => p.was_started.to_owned(),
                "added" => (p.was_added)(&who, event.ratings),
                "removed" => (p.was_removed)(&who, event.ratings),
                _ => (p.was_extended)(event.ratings),
            };
            view! { <li><span class="muted when">{i.time(event.at)}</span>" "{what}</li> }
        })
        .collect_view();
    view! {
        <section class="stack" aria-labelledby="plan-history">
            <h2 id="plan-history">{p.history}</h2>
            <ul class="plan-events">{rows}</ul>
            {(plan.taken_over > 0).then(|| view! { <p class="muted small">{(p.taken_over)(plan.taken_over)}</p> })}
        </section>
    }
}
