//! `/beside/:study`: all outputs of one task side by side, under letters in an order of the rater's own.
//! Columns on a wide screen, tabs on a narrow one.
//!
//! Each output is submitted by itself, also by the button for all: every rating is acknowledged, kept
//! and delivered on its own, so that a lost connection or a reload in the middle leaves no task half
//! known. Scores may be compared until the last one is in: one is taken back by the key for it.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

use super::{
    Finished, InPlace, Paused,
    active::{Clock, Parts},
    ahead::Ahead,
    bar::OutboxBar,
    desk::{Desk, Onward, Outcome, Phase, Work},
    form::{RatingForm, key_names},
    hands::{Hands, listen, set_up},
    help::HelpSheet,
    keys::Act,
    notes::margin,
    outbox::use_outbox,
};
use crate::{
    i18n::use_i18n,
    model::{
        grading::{GradingItem, NextTask},
        ids::Token,
        keys::Action,
        note,
    },
    rpc::grading::next_task_items,
    ui::{
        announce::sayer,
        code::CodeBox,
        effect::effect,
        load::{Data, Load},
        notice::{Empty, Progress},
    },
};

/// The letters, and what the ids of each column's fields begin with. More outputs than letters have not
/// been heard of; they would share the last one's number.
const COLUMNS: [(&str, &str); 12] = [
    ("A", "a-"),
    ("B", "b-"),
    ("C", "c-"),
    ("D", "d-"),
    ("E", "e-"),
    ("F", "f-"),
    ("G", "g-"),
    ("H", "h-"),
    ("I", "i-"),
    ("J", "j-"),
    ("K", "k-"),
    ("L", "l-"),
];

/// The page.
#[component]
pub fn BesidePage() -> impl IntoView {
    let params = use_params_map();
    let study = Memo::new(move |_| params.read().get("study").unwrap_or_default());
    let outbox = use_outbox();
    let ready = StoredValue::new(None::<Vec<GradingItem>>);
    let next = Data::new(
        move || study.get(),
        move |study| async move {
            if let Some(Some(items)) = ready.try_update_value(Option::take) {
                return Ok(NextTask::Task(items));
            }
            let study = Token(study);
            next_task_items(study.clone(), outbox.waiting_in(&study)).await
        },
    );
    let i18n = use_i18n();
    let say = sayer();
    let go_on = Callback::new(move |()| {
        say(i18n.bench().beside_said.into());
        next.refetch();
    });
    view! {
        <Load data=next let:next>
            {match next {
                NextTask::Task(items) => {
                    fetch_ahead(ready, &items);
                    view! { <Bench items ready done=go_on /> }.into_any()
                }
                // So the study has it, or its calibration comes first.
                NextTask::OneByOne => {
                    view! { <InPlace path=format!("/grade/{}", study.get_untracked()) /> }.into_any()
                }
                NextTask::Finished { title, progress, previous } => {
                    view! { <Finished study=study.get_untracked() title progress previous /> }.into_any()
                }
                NextTask::Paused { title, progress } => {
                    view! { <Paused study=study.get_untracked() title progress /> }.into_any()
                }
            }}
        </Load>
    }
}

/// Fetches the task after this one while the rater reads.
fn fetch_ahead(ready: StoredValue<Option<Vec<GradingItem>>>, items: &[GradingItem]) {
    let Some(study) = items.first().map(|item| item.study.clone()) else { return };
    let holding: Vec<Token> = items.iter().map(|item| item.token.clone()).collect();
    effect(move |began: Option<()>| {
        let (study, holding) = (study.clone(), holding.clone());
        if began.is_none() {
            leptos::task::spawn_local(async move {
                if let Ok(NextTask::Task(items)) = next_task_items(study, holding.clone()).await
                    && !items.iter().any(|item| holding.contains(&item.token))
                {
                    ready.try_set_value(Some(items));
                }
            });
        }
    });
}

/// One task with its outputs.
#[component]
fn Bench(items: Vec<GradingItem>, ready: StoredValue<Option<Vec<GradingItem>>>, done: Callback<()>) -> impl IntoView {
    let i18n = use_i18n();
    let (t, b) = (i18n.rater(), i18n.bench());
    let (outbox, ahead) = (use_outbox(), Ahead::current());
    let Some(first) = items.first().cloned() else {
        return view! { <Empty title=t.desk_empty /> }.into_any();
    };
    let study = first.study.clone();
    let active = RwSignal::new(items.iter().position(|item| !item.rated).unwrap_or(0));
    let parts = Parts::new(items.len(), active.get_untracked());
    effect(move |_| parts.turn_to(active.get()));
    let over = RwSignal::new(false);
    let rated_before = items.iter().filter(|item| item.rated).count() as u64;
    let columns: Vec<(Hands, GradingItem, &'static str)> = items
        .iter()
        .zip(COLUMNS)
        .enumerate()
        .map(|(n, (item, (letter, prefix)))| {
            let work = Work {
                study: item.study.clone(),
                token: item.token.clone(),
                rubric: item.rubric.clone(),
                draft: item.draft.clone(),
                skippable: !item.rated,
                practice: false,
                prefix,
                clock: Clock::Part(parts, n),
            };
            let then = item.clone();
            let onward = Onward {
                // The other columns are there to go on with.
                ready: Callback::new(|()| true),
                done: Callback::new(move |outcome| {
                    ahead.ended(&then, outcome);
                    // Passing over one passes over the task: its outputs belong together.
                    if outcome == Outcome::Skipped {
                        over.set(true);
                    }
                }),
            };
            let desk = Desk::new(work, i18n, onward);
            if item.rated {
                desk.phase.set(Phase::Done);
            }
            (Hands::new(desk, item.rubric.clone(), item.previous.clone(), None), item.clone(), letter)
        })
        .collect();
    ahead.begin(&study);
    let hands: Vec<Hands> = columns.iter().map(|(hands, ..)| *hands).collect();
    let Some(leader) = hands.first().copied() else {
        return view! { <Empty title=t.desk_empty /> }.into_any();
    };
    let all = StoredValue::new(hands.clone());
    let at = move |n: usize| all.with_value(|all| all.get(n).copied());
    let go_to = move |n: usize| {
        active.set(n);
        // The tab's panel is drawn before it takes the keyboard.
        request_animation_frame(move || {
            if let Some(hands) = at(n) {
                hands.to_scales();
            }
        });
    };
    let is_done = move |hands: &Hands| hands.desk.phase.get() == Phase::Done;
    let left = Memo::new(move |_| all.with_value(|all| all.iter().filter(|hands| !is_done(hands)).count()));
    // What was submitted gives the keyboard to the next column that is not; after the last, or when the
    // task was passed over, the page goes on as soon as there is something to go on to.
    effect(move |before: Option<usize>| {
        let left = left.get();
        if before.is_some_and(|before| left < before) {
            let open = all.with_value(|all| {
                let from = active.get_untracked();
                let open = |n: &usize| all.get(*n).is_some_and(|h| h.desk.phase.get_untracked() != Phase::Done);
                (from..all.len()).chain(0..from).find(open)
            });
            if let Some(n) = open
                && !over.get_untracked()
            {
                go_to(n);
            }
        }
        left
    });
    let gone = StoredValue::new(false);
    let of_study = study.clone();
    effect(move |_| {
        let finished = left.get() == 0 || over.get();
        outbox.entries.track();
        let there = ready.with_value(Option::is_some) || outbox.waiting_in(&of_study).is_empty();
        if finished && there && !gone.get_value() {
            gone.set_value(true);
            done.run(());
        }
    });
    let reopen = Callback::new(move |token: Token| {
        let found = all.with_value(|all| all.iter().position(|hands| hands.desk.token() == token));
        if let Some(n) = found
            && let Some(hands) = at(n)
        {
            gone.set_value(false);
            hands.desk.reopen(None);
            go_to(n);
        }
        found.is_some()
    });
    for (n, (hands, item, _)) in columns.iter().enumerate() {
        hands.on_page.set_value(Some(reopen));
        set_up(*hands, item.token.clone(), n == active.get_untracked());
    }
    let last = hands.len().saturating_sub(1);
    listen(move |what| match what {
        Act::Do(Action::Left) => go_to(active.get_untracked().saturating_sub(1)),
        Act::Do(Action::Right) => go_to((active.get_untracked() + 1).min(last)),
        // The sheet of keys and the forms of the code are the page's, not a column's.
        Act::Do(Action::Help) => leader.perform(Action::Help),
        what => {
            if let Some(hands) = at(active.get_untracked()) {
                hands.act(what);
            }
        }
    });
    let submit_all = move |_| {
        let open = all.with_value(|all| {
            all.iter().position(|hands| {
                hands.desk.phase.get_untracked() == Phase::Editing && {
                    hands.submit();
                    hands.desk.phase.get_untracked() == Phase::Editing
                }
            })
        });
        // The first that is not whole says what it misses and has the keyboard.
        if let Some(n) = open {
            active.set(n);
        }
    };
    let key = key_names();
    let progress = first.progress;
    let place = move || {
        let now = all.with_value(|all| all.iter().filter(|hands| is_done(hands)).count()) as u64;
        let more = now.saturating_sub(rated_before);
        (t.progress_text)(progress.rated + more, progress.left.saturating_sub(more))
    };
    let count = columns.len();
    let tabs = columns
        .iter()
        .enumerate()
        .map(|(n, (hands, _, letter))| {
            let (hands, letter) = (*hands, *letter);
            view! {
                <button
                    type="button"
                    class="tab"
                    aria-pressed=move || if active.get() == n { "true" } else { "false" }
                    on:click=move |_| go_to(n)
                >
                    {(b.output_letter)(letter)}
                    {move || is_done(&hands).then_some(" ✓")}
                </button>
            }
        })
        .collect_view();
    let columns = columns
        .into_iter()
        .enumerate()
        .map(|(n, (hands, item, letter))| view! { <Column hands item letter active n /> }.into_any())
        .collect_view();
    let rubric = format!("/rubric/{study}");
    let back = first.previous.map(|previous| format!("/grade/{study}/{previous}"));
    view! {
        <Title text=first.title.clone() />
        <div class="beside" data-columns=count.to_string()>
            <div class="bench-bar">
                <h1 class="bench-title">{first.title}</h1>
                <div class="bench-progress">
                    <Progress value=progress.rated max=progress.rated + progress.left label=t.progress_label />
                    <span class="bench-count">{place}</span>
                </div>
                <nav class="bench-nav" aria-label=t.bench_navigation>
                    {back.map(|href| view! { <a class="button quiet" href=href>{t.back} " " <kbd>{key(Action::Back)}</kbd></a> })}
                    <button class="button quiet scripted" type="button" on:click=move |_| leader.undo()>
                        {b.undo} " " <kbd>{key(Action::Undo)}</kbd>
                    </button>
                    <a class="button quiet" href=format!("/studies/{study}/mine")>{t.mine_title}</a>
                    <a class="button quiet" href=rubric target="_blank" rel="external">{t.rubric}</a>
                    <button class="button quiet scripted keys-button" type="button" on:click=move |_| leader.perform(Action::Help)>
                        {t.help_title} " " <kbd>{key(Action::Help)}</kbd>
                    </button>
                </nav>
            </div>
            <div class="beside-task">
                <OutboxBar />
                <section class="task">
                    <h2 class="eyebrow">{t.task}</h2>
                    <p class="task-text" lang=first.lang.tag()>{first.raw_nl}</p>
                    {first
                        .signature
                        .map(|signature| {
                            view! {
                                <h3 class="eyebrow">{t.signature}</h3>
                                <pre class="signature" tabindex="0" role="region" aria-label=t.signature translate="no"><code>{signature}</code></pre>
                            }
                        })}
                </section>
            </div>
            <div class="tabs scripted" role="group" aria-label=b.beside_outputs>{tabs}</div>
            <div class="columns">{columns}</div>
            <div class="beside-foot scripted">
                <button class="button primary" type="button" on:click=submit_all>{b.beside_all}</button>
                <span class="muted small">{b.beside_hint} " " <kbd>{key(Action::Left)}</kbd> " " <kbd>{key(Action::Right)}</kbd></span>
            </div>
            <HelpSheet dialog=leader.dialog beside=true />
        </div>
    }
    .into_any()
}

/// One output: its code and its scales.
#[component]
fn Column(hands: Hands, item: GradingItem, letter: &'static str, active: RwSignal<usize>, n: usize) -> impl IntoView {
    let b = use_i18n().bench();
    let name = (b.output_letter)(letter);
    let GradingItem { token, code, rubric, draft, rated, .. } = item;
    let (skippable, notes) = (!rated, note::to_text(&draft.notes, &code));
    let margin = margin(hands, code.laid_out.is_some());
    let submitted = move || hands.desk.phase.get() == Phase::Done;
    let heading = hands.desk.id("heading");
    view! {
        <section
            class="column"
            class:active=move || active.get() == n
            class:done=submitted
            id=hands.desk.id("column")
            aria-labelledby=heading.clone()
            on:focusin=move |_| {
                if active.get_untracked() != n {
                    active.set(n);
                }
            }
        >
            <h2 class="column-head" id=heading.clone()>
                {name.clone()}
                {move || submitted().then(|| view! { " " <span class="badge tone-good">{b.beside_submitted}</span> })}
            </h2>
            <CodeBox code of=name.clone() raw=hands.raw margin />
            <div class="column-form" inert=submitted>
                <RatingForm hands token rubric rated skippable notes beside=true name />
            </div>
        </section>
    }
}
