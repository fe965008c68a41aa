//! `/side-by-side/:study`: all outputs of one task side by side, under letters in an order of the rater's own.
//! Columns on a wide screen, which scroll if there are many; tabs on a narrow one. On a wide screen, code and scores fit
//! into the window: each column has a row of scores per dimension, and the levels of the current dimension are described
//! once, below all columns ([`rubric`]).
//!
//! Each output is submitted separately, also by the button for all: every rating is acknowledged and stored
//! on its own, so that a lost connection or a reload in the middle leaves no task half known. The rater may
//! compare scores until the last one is submitted: a shortcut withdraws one.
//!
//! [`task`] decides what happens; this module draws it.

mod rubric;
mod task;

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

pub use self::task::letters;
use self::{rubric::SharedRubric, task::Task};
use super::{
    Finished, InPlace, Paused, ViewSettings,
    activity::{BreakNote, Clock, Parts},
    bar::UnsentBar,
    bookmark::BookmarkButton,
    form::{RatingForm, key_names},
    guidelines::{GuidelinesDrawer, GuidelinesLink},
    help::HelpSheet,
    keys::Command,
    notes::margin,
    prefetch::Prefetch,
    session::{Callbacks, Phase, Session, Work},
    shortcuts::{Shortcuts, listen, set_up},
    submit_queue::{SubmitQueue, use_submit_queue},
};
use model::{
    grading::{GradingItem, NextTask},
    ids::Token,
    keys::Action,
    note,
};
use rpc::grading::next_task_items;
use ui::{
    announce::toaster,
    code::CodeBox,
    context::use_i18n,
    description::task_text,
    effect::effect,
    load::{Data, Load},
    notice::{Notice, Progress},
};

/// From this many columns on, a wide screen shows the tabs, too, and the columns scroll.
const MANY: usize = 5;

/// The prefetched task.
type Prefetched = StoredValue<Option<Vec<GradingItem>>>;

/// The page.
#[component]
pub fn SideBySidePage() -> impl IntoView {
    let params = use_params_map();
    let study = Memo::new(move |_| params.read().get("study").unwrap_or_default());
    let submit_queue = use_submit_queue();
    let prefetched: Prefetched = StoredValue::new(None);
    let next = Data::new(
        move || study.get(),
        move |study| async move {
            if let Some(Some(items)) = prefetched.try_update_value(Option::take) {
                return Ok(NextTask::Task(items));
            }
            let study = Token(study);
            next_task_items(study.clone(), submit_queue.waiting_in(&study)).await
        },
    );
    let i18n = use_i18n();
    let toast = toaster();
    let go_on = Callback::new(move |()| {
        toast(i18n.grading().side_by_side_said.into());
        next.refetch();
    });
    let read = Callback::new(move |()| next.refetch());
    view! {
        <Load data=next let:next>
            {match next {
                NextTask::Task(items) => {
                    prefetch_after(prefetched, submit_queue, &items);
                    view! { <TaskView items prefetched go_on /> }.into_any()
                }
                // Determined by the study, or its calibration comes first.
                NextTask::OneByOne => {
                    view! { <InPlace path=format!("/grade/{}", study.get_untracked()) /> }.into_any()
                }
                NextTask::Finished { title, progress, previous } => {
                    view! { <Finished study=study.get_untracked() title progress previous /> }.into_any()
                }
                NextTask::Paused { title, progress, why } => {
                    view! { <Paused study=study.get_untracked() title progress why done=read /> }.into_any()
                }
            }}
        </Load>
    }
}

/// Fetches the task after this one while the rater reads. Ratings of the task before may still wait to be sent; they
/// are named, too, or the server would return that task again.
fn prefetch_after(prefetched: Prefetched, submit_queue: SubmitQueue, items: &[GradingItem]) {
    let Some(study) = items.first().map(|item| item.study.clone()) else { return };
    let mut holding: Vec<Token> = items.iter().map(|item| item.token.clone()).collect();
    holding.extend(submit_queue.waiting_in(&study));
    effect(move |began: Option<()>| {
        let (study, holding) = (study.clone(), holding.clone());
        if began.is_none() {
            leptos::task::spawn_local(async move {
                if let Ok(NextTask::Task(items)) = next_task_items(study, holding.clone()).await
                    && !items.iter().any(|item| holding.contains(&item.token))
                {
                    prefetched.try_set_value(Some(items));
                }
            });
        }
    });
}

/// One output of the task with its session.
#[derive(Clone)]
struct Column {
    shortcuts: Shortcuts,
    item: GradingItem,
    letters: String,
}

/// State shared by the parts of the view. Cheap to copy into closures.
#[derive(Clone, Copy)]
struct Shared {
    task: RwSignal<Task>,
    columns: StoredValue<Vec<Shortcuts>>,
}

impl Shared {
    fn shortcuts(self, column: usize) -> Option<Shortcuts> {
        self.columns.try_with_value(|columns| columns.get(column).copied()).flatten()
    }

    /// Makes a column active and focuses its scales, unless the page has gone on by then.
    fn go_to(self, column: usize) {
        self.task.try_update(|task| task.activate(column));
        // The panel of a tab is drawn before it gets the focus.
        request_animation_frame(move || {
            if let Some(shortcuts) = self.shortcuts(column) {
                shortcuts.to_scales();
            }
        });
    }

    /// Submits every complete output. The first incomplete one becomes active and shows what is missing.
    fn submit_all(self) {
        let editing = |shortcuts: &Shortcuts| shortcuts.session.phase.get_untracked() == Phase::Editing;
        let incomplete = self.columns.get_value().iter().position(|shortcuts| {
            editing(shortcuts) && {
                shortcuts.submit();
                editing(shortcuts)
            }
        });
        if let Some(column) = incomplete {
            self.task.update(|task| task.activate(column));
        }
    }

    /// Reopens the output for changes if it is on this page; returns whether it is.
    fn reopen(self, token: &Token) -> bool {
        let found =
            self.columns.with_value(|columns| columns.iter().position(|shortcuts| shortcuts.session.token() == *token));
        if let Some(column) = found
            && let Some(shortcuts) = self.shortcuts(column)
        {
            shortcuts.session.reopen(None);
            self.task.update(|task| task.reopened(column));
            self.go_to(column);
        }
        found.is_some()
    }
}

/// Draws one task and connects it with the browser: shortcuts, the submit queue, the next page.
#[component]
fn TaskView(items: Vec<GradingItem>, prefetched: Prefetched, go_on: Callback<()>) -> impl IntoView {
    let task = RwSignal::new(Task::new(items.iter().map(|item| item.rated).collect()));
    let shared = Shared { task, columns: StoredValue::new(Vec::new()) };
    let differ = items.iter().any(|item| !item.code.only_here.is_empty());
    let columns = columns(items, shared);
    shared.columns.set_value(columns.iter().map(|column| column.shortcuts).collect());
    let Some((leader, first)) = columns.first().map(|column| (column.shortcuts, column.item.clone())) else {
        // Never from our server: a task has an output.
        return view! { <NothingToRate /> }.into_any();
    };
    Prefetch::current().begin(&first.study);
    go_on_when_done(task, prefetched, first.clone(), go_on);
    for (n, column) in columns.iter().enumerate() {
        column.shortcuts.on_page.set_value(Some(Callback::new(move |token: Token| shared.reopen(&token))));
        set_up(column.shortcuts, column.item.token.clone(), n == task.with_untracked(Task::active));
    }
    listen(move |what, pressed| match what {
        Command::Do(Action::Left) => shared.go_to(task.with_untracked(Task::left_of_active)),
        Command::Do(Action::Right) => shared.go_to(task.with_untracked(Task::right_of_active)),
        // The help and the format of the code belong to the page, not to a column.
        Command::Do(action @ (Action::Help | Action::Guidelines)) => leader.perform(action),
        what => {
            if let Some(shortcuts) = shared.shortcuts(task.with_untracked(Task::active)) {
                shortcuts.run(what, pressed);
            }
        }
    });
    let count = columns.len();
    let many = count >= MANY;
    let tabs = columns.iter().enumerate().map(|(n, column)| tab(shared, n, &column.letters)).collect_view();
    let panels = columns.into_iter().enumerate().map(|(n, column)| view! { <Panel column task n /> }.into_any());
    let panels = panels.collect_view();
    let (b, key) = (use_i18n().grading(), key_names());
    let current = Memo::new(move |_| {
        let active = shared.shortcuts(task.with(Task::active));
        active.map_or(0, |shortcuts| shortcuts.current.get())
    });
    let rubric = view! { <SharedRubric rubric=first.rubric.clone() current /> }.into_any();
    let drawer = view! {
        <GuidelinesDrawer study=first.study.clone() state=first.guidelines open=leader.guidelines />
    }
    .into_any();
    view! {
        <Title text=first.title.clone() />
        <div class="beside" class:many=many data-columns=count.to_string()>
            {view! { <TaskBar first=first.clone() task leader /> }.into_any()}
            {view! { <TaskText first task /> }.into_any()}
            <div class="tabs scripted" role="group" aria-label=b.side_by_side_outputs>{tabs}</div>
            <div class="columns">{panels}</div>
            {rubric}
            <div class="beside-foot">
                <button class="button primary scripted" type="button" on:click=move |_| shared.submit_all()>{b.side_by_side_all}</button>
                <span class="muted small scripted">{b.side_by_side_hint} " " <kbd>{key(Action::Left)}</kbd> " " <kbd>{key(Action::Right)}</kbd></span>
                {differ.then(|| view! { <Marks /> })}
            </div>
            <HelpSheet dialog=leader.dialog side_by_side=true />
            {drawer}
        </div>
    }
    .into_any()
}

/// A column for every output, whose events go to the task.
fn columns(items: Vec<GradingItem>, shared: Shared) -> Vec<Column> {
    let (i18n, prefetch, task) = (use_i18n(), Prefetch::current(), shared.task);
    let parts = Parts::new(items.len(), task.with_untracked(Task::active));
    let active = Memo::new(move |_| task.with(Task::active));
    effect(move |_| parts.turn_to(active.get()));
    let column = |(n, item): (usize, GradingItem)| {
        let work = Work {
            study: item.study.clone(),
            token: item.token.clone(),
            rubric: item.rubric.clone(),
            draft: item.draft.clone(),
            skippable: !item.rated,
            practice: false,
            has_bookmark: true,
            earlier: false,
            column: Some(n),
            clock: Clock::Part(parts, n),
        };
        let ended = item.clone();
        let callbacks = Callbacks {
            // The other columns remain to be rated.
            ready: Callback::new(|()| true),
            done: Callback::new(move |outcome| {
                prefetch.ended(&ended, outcome);
                let next = task.try_update(|task| task.ended(n, outcome)).flatten();
                if let Some(next) = next {
                    shared.go_to(next);
                }
            }),
        };
        let session = Session::new(work, i18n, callbacks);
        if item.rated {
            session.phase.set(Phase::Done);
        }
        let shortcuts = Shortcuts::new(session, item.rubric.clone(), item.previous.clone(), None);
        shortcuts.bookmarked.set(item.bookmarked);
        Column { shortcuts, item, letters: letters(n) }
    };
    items.into_iter().enumerate().map(column).collect()
}

/// Goes on to the next task once this one is done and there is something to go on to. `first` is an output of this task.
fn go_on_when_done(task: RwSignal<Task>, prefetched: Prefetched, first: GradingItem, go_on: Callback<()>) {
    let (submit_queue, prefetch) = (use_submit_queue(), Prefetch::current());
    effect(move |_| {
        task.track();
        submit_queue.entries.track();
        let there = prefetched.with_value(Option::is_some);
        let unsent = !submit_queue.waiting_in(&first.study).is_empty();
        // It changes nothing on screen, so no one is notified.
        if task.try_update_untracked(|task| task.go_on(there, unsent)) == Some(true) {
            // The next task was fetched before this one was rated.
            let progress = first.progress.after(task.with_untracked(Task::newly_rated));
            let previous = prefetch.last_submitted(&first.study).or_else(|| first.previous.clone());
            prefetched.update_value(|next| {
                for item in next.iter_mut().flatten() {
                    item.progress = progress;
                    item.previous.clone_from(&previous);
                }
            });
            go_on.run(());
        }
    });
}

fn tab(shared: Shared, n: usize, letters: &str) -> impl IntoView + use<> {
    let name = (use_i18n().grading().output_letter)(letters);
    let task = shared.task;
    view! {
        <button
            type="button"
            class="tab"
            aria-pressed=move || if task.with(|task| task.active() == n) { "true" } else { "false" }
            on:click=move |_| shared.go_to(n)
        >
            {name}
            {move || task.with(|task| task.is_submitted(n)).then_some(" ✓")}
        </button>
    }
}

/// The bar at the top: progress and links to other pages.
#[component]
fn TaskBar(first: GradingItem, task: RwSignal<Task>, leader: Shortcuts) -> impl IntoView {
    let i18n = use_i18n();
    let (t, b, key) = (i18n.rater(), i18n.grading(), key_names());
    let GradingItem { study, title, progress, previous, guidelines, .. } = first;
    let now = move || progress.after(task.with(Task::newly_rated));
    let place = move || (t.progress_text)(now().rated, now().left);
    let back = previous.map(|previous| format!("/grade/{study}/{previous}"));
    view! {
        <div class="grading-bar">
            <h1 class="grading-title">{title}</h1>
            <div class="grading-progress">
                <Progress value=progress.rated max=progress.rated + progress.left label=t.progress_label />
                <span class="grading-count">{place}</span>
            </div>
            <nav class="grading-nav" aria-label=t.outputs_navigation>
                {back.map(|href| view! { <a class="button quiet" href=href>{t.back} " " <kbd>{key(Action::Back)}</kbd></a> })}
                <button class="button quiet scripted" type="button" on:click=move |_| leader.undo()>
                    {b.undo} " " <kbd>{key(Action::Undo)}</kbd>
                </button>
                <a class="button quiet" href=format!("/studies/{study}/mine")>{t.mine_title}</a>
                <a class="button quiet" href=format!("/rubric/{study}") target="_blank" rel="external">{t.rubric}</a>
                <GuidelinesLink study=study.clone() state=guidelines open=leader.guidelines />
                <button class="button quiet scripted keys-button" type="button" on:click=move |_| leader.perform(Action::Help)>
                    {t.help_title} " " <kbd>{key(Action::Help)}</kbd>
                </button>
            </nav>
        </div>
    }
}

/// The task's description, and a notice if all of it was rated before.
#[component]
fn TaskText(first: GradingItem, task: RwSignal<Task>) -> impl IntoView {
    let t = use_i18n().rater();
    let nothing = Memo::new(move |_| task.with(Task::nothing_to_rate));
    let heading = view! { <h3 class="eyebrow">{t.signature}</h3> }.into_any();
    view! {
        <div class="beside-task">
            <UnsentBar />
            <BreakNote minutes=first.break_minutes />
            {move || nothing.get().then(|| view! { <NothingToRate /> })}
            <section class="task">
                <h2 class="eyebrow">{t.task}</h2>
                {task_text(first.nl_lang, &first.raw_nl, first.signature, t.signature, heading)}
            </section>
        </div>
    }
}

/// The task had nothing left to rate when it arrived. The page stops here, because asking again would return
/// the same task.
#[component]
fn NothingToRate() -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <Notice>
            {i18n.grading().side_by_side_said} " " <a href="/my-studies">{i18n.rater().to_my_studies}</a>
        </Notice>
    }
}

/// Switches the marks of lines that only one output has. The style sheet follows the checkbox.
#[component]
fn Marks() -> impl IntoView {
    let b = use_i18n().grading();
    let on = use_context::<ViewSettings>().map_or_else(|| RwSignal::new(false), |view_settings| view_settings.marks);
    view! {
        <label class="choice small">
            <input
                type="checkbox"
                class="marks"
                checked=on.get_untracked()
                prop:checked=on
                on:change=move |event| on.set(event_target_checked(&event))
            />
            <span>{b.side_by_side_differences} " " <b class="only-mark" aria-hidden="true"></b></span>
        </label>
    }
}

/// One output: its code and its scales.
#[component]
fn Panel(column: Column, task: RwSignal<Task>, n: usize) -> impl IntoView {
    let b = use_i18n().grading();
    let Column { shortcuts, item, letters } = column;
    let name = (b.output_letter)(&letters);
    let GradingItem { token, code, conversation, rubric, draft, rated, .. } = item;
    let (skippable, notes) = (!rated, note::to_text(&draft.notes, &code));
    let margin = margin(shortcuts, code.laid_out.is_some());
    let submitted = move || shortcuts.session.phase.get() == Phase::Done;
    let heading = shortcuts.session.id("heading");
    view! {
        <section
            class="column"
            class:active=move || task.with(|task| task.active() == n)
            class:done=submitted
            id=shortcuts.session.id("column")
            aria-labelledby=heading.clone()
            on:focusin=move |_| {
                if task.with_untracked(Task::active) != n {
                    task.update(|task| task.activate(n));
                }
            }
        >
            <div class="column-head">
                <h2 id=heading.clone()>
                    {name.clone()}
                    {move || submitted().then(|| view! { " " <span class="badge tone-good">{b.side_by_side_submitted}</span> })}
                </h2>
                <BookmarkButton shortcuts />
            </div>
            {conversation.map(|html| view! { <div class="task" inner_html=html></div> })}
            <CodeBox code of=name.clone() raw=shortcuts.raw margin />
            <div class="column-form" inert=submitted>
                <RatingForm shortcuts token rubric rated skippable notes side_by_side=true name />
            </div>
        </section>
    }
}
