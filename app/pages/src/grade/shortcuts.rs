//! Actions of keys and buttons on the grading page, and its set-up after hydration.

use leptos::{ev, html::Dialog, prelude::*};
use leptos_router::{NavigateOptions, hooks::use_navigate};

use super::{
    ViewSettings,
    activity::now,
    browser,
    keys::{Command, FocusContext, after_score, command},
    prefetch::Prefetch,
    session::{SaveState, Session},
    submit_queue::Decision,
};
use model::{
    ids::Token,
    keys::{Action, Keys},
    note,
    rubric::Rubric,
};
use rpc::grading::{bookmark, undo_rating};
use texts::I18n;
use ui::{
    announce::{sayer, toaster},
    context::use_i18n,
    effect::effect,
    failure::error_text,
};

type Go = dyn Fn(&str, NavigateOptions) + Send + Sync;
type Say = dyn Fn(String) + Send + Sync;

/// How long a new output ignores Enter, in milliseconds: a second press that was meant for the previous
/// output must not submit this one.
const SETTLING: f64 = 350.0;

/// Everything that a key or a button acts on.
#[derive(Clone, Copy)]
pub struct Shortcuts {
    /// The draft and its delivery.
    pub session: Session,
    /// The dimension that digits score.
    pub current: RwSignal<usize>,
    /// The dimension that lacks a score, after an attempt to submit.
    pub missing: RwSignal<Option<usize>>,
    /// The list of shortcuts.
    pub dialog: NodeRef<Dialog>,
    /// Whether the guidelines are open.
    pub guidelines: RwSignal<bool>,
    /// Whether original code is shown.
    pub raw: RwSignal<bool>,
    /// The position of the note that is being edited.
    pub noting: RwSignal<Option<note::Position>>,
    /// Whether the output is bookmarked.
    pub bookmarked: RwSignal<bool>,
    /// The rubric.
    pub rubric: StoredValue<Rubric>,
    /// Prefetched outputs and submissions that can be withdrawn.
    pub prefetch: Prefetch,
    /// When this output begins to obey Enter, in milliseconds since the page was opened. Compared with the
    /// time of the press, not with the time at which a busy page gets to it.
    settled: StoredValue<f64>,
    /// Reopens an output that is on this page; returns whether it is.
    pub on_page: StoredValue<Option<Callback<Token, bool>>>,
    i18n: I18n,
    before: StoredValue<Option<Token>>,
    back: StoredValue<Option<String>>,
    forward: StoredValue<Option<String>>,
    go: StoredValue<Box<Go>>,
    say: StoredValue<Box<Say>>,
    toast: StoredValue<Box<Say>>,
}

impl Shortcuts {
    /// The shortcuts of one output, with the previously rated output and the address of the next page.
    pub fn new(session: Session, rubric: Rubric, before: Option<Token>, forward: Option<String>) -> Shortcuts {
        let back = before.as_ref().map(|before| format!("/grade/{}/{before}", session.study()));
        let view_settings = use_context::<ViewSettings>();
        Shortcuts {
            session,
            current: RwSignal::new(session.draft.with_untracked(|d| d.first_open()).unwrap_or(0)),
            missing: RwSignal::new(None),
            dialog: NodeRef::new(),
            guidelines: RwSignal::new(false),
            raw: view_settings.map_or_else(|| RwSignal::new(false), |view_settings| view_settings.raw),
            noting: RwSignal::new(None),
            bookmarked: RwSignal::new(false),
            rubric: StoredValue::new(rubric),
            prefetch: Prefetch::current(),
            settled: StoredValue::new(f64::INFINITY),
            on_page: StoredValue::new(None),
            i18n: use_i18n(),
            before: StoredValue::new(before),
            back: StoredValue::new(back),
            forward: StoredValue::new(forward),
            go: StoredValue::new(Box::new(use_navigate())),
            say: StoredValue::new(Box::new(sayer())),
            toast: StoredValue::new(Box::new(toaster())),
        }
    }

    /// Executes the command of a key that was pressed at `pressed`, in milliseconds since the page was opened.
    pub fn run(self, what: Command, pressed: f64) {
        match what {
            Command::Score(score) => self.score(score),
            Command::Up => self.move_to(self.current.get_untracked().saturating_sub(1)),
            Command::Down => {
                let last = self.rubric.with_value(|r| r.dimensions.len().saturating_sub(1));
                self.move_to((self.current.get_untracked() + 1).min(last));
            }
            Command::Submit if pressed >= self.settled.get_value() => self.submit(),
            Command::Submit => {}
            Command::Leave => self.move_to(self.current.get_untracked()),
            Command::Do(action) => self.perform(action),
        }
    }

    /// Executes an action, from a configurable key or a button.
    pub fn perform(self, action: Action) {
        let t = self.i18n.grading();
        match action {
            Action::Note => {
                if !browser::focus_shown(&format!("{} .line-mark[tabindex='0']", self.scope())) {
                    self.tell(t.no_lines.into());
                }
            }
            Action::Comment => browser::focus(&self.session.id("comment"), false),
            Action::Flag => browser::focus(&self.session.id("flag"), false),
            Action::Skip => {
                self.session.skip();
                let problem = self.session.problem.get_untracked();
                if !problem.is_empty() {
                    self.tell(problem);
                }
            }
            Action::Undo => self.undo(),
            Action::Back => self.leave_for(self.back.get_value(), self.i18n.rater().no_back),
            Action::Forward => self.leave_for(self.forward.get_value(), self.i18n.rater().no_forward),
            Action::Raw => self.raw.update(|raw| *raw = !*raw),
            // In one-at-a-time studies there is nothing on the left or right.
            Action::Left | Action::Right => {}
            Action::Guidelines => self.guidelines.set(true),
            Action::Bookmark => self.bookmark(),
            Action::Help => {
                if let Some(dialog) = self.dialog.get_untracked() {
                    let _ = dialog.show_modal();
                }
            }
        }
    }

    /// Bookmarks the output, or removes the bookmark; nothing for an output that has none.
    fn bookmark(self) {
        if !self.session.has_bookmark() {
            return;
        }
        let (on, t) = (!self.bookmarked.get_untracked(), self.i18n.grading());
        self.bookmarked.set(on);
        let token = self.session.token();
        leptos::task::spawn_local(async move {
            match bookmark(token, on).await {
                Ok(()) => self.toast(if on { t.bookmarked } else { t.unbookmarked }.into()),
                Err(error) => {
                    self.bookmarked.try_set(!on);
                    self.toast(error_text(&error, self.i18n));
                }
            }
        });
    }

    /// Where on the page these shortcuts act, as a selector: the output's own column, or the page.
    pub fn scope(self) -> String {
        match self.session.id("").as_str() {
            "" => ".grading".to_owned(),
            prefix => format!("#{prefix}column"),
        }
    }

    /// Focuses the scales.
    pub fn to_scales(self) {
        self.move_to(self.current.get_untracked());
    }

    /// Withdraws the last submission: from the submit queue if it still waits there, otherwise from the
    /// server. Its scores become the draft again, and the scales get the focus.
    pub fn undo(self) {
        let (study, t) = (self.session.study(), self.i18n.grading());
        let Some(last) = self.prefetch.last_submitted(&study).or_else(|| self.before.get_value()) else {
            self.tell(t.undo_nothing.into());
            return;
        };
        let waiting = self.session.submit_queue.waiting_for(&last);
        if let Some(entry) = waiting
            && let Some(entry) = self.session.submit_queue.take_back(&entry.key)
        {
            let draft = match entry.what {
                Decision::Rate(draft) => Some(draft),
                Decision::Skip => None,
            };
            if let (Some(draft), Some(rater)) = (&draft, self.session.submit_queue.rater()) {
                browser::stash(&rater, &last, draft);
            }
            self.reopen(study, last);
            return;
        }
        let session = self.session;
        leptos::task::spawn_local(async move {
            match undo_rating(last.clone()).await {
                Ok(()) => self.reopen(study, last),
                Err(error) => {
                    let why = error_text(&error, self.i18n);
                    session.problem.try_set(why.clone());
                    self.tell(why);
                }
            }
        });
    }

    fn reopen(self, study: Token, token: Token) {
        self.prefetch.reopened(&study, &token);
        self.toast(self.i18n.grading().undone.into());
        // Side by side, it is still on the page.
        if self.on_page.try_with_value(|on_page| on_page.is_some_and(|here| here.run(token.clone()))) == Some(true) {
            return;
        }
        let href = format!("/grade/{study}/{token}");
        // Withdrawn on its own page: the address stays, so it is reloaded.
        if self.session.token() == token {
            let _ = window().location().reload();
            return;
        }
        self.go.try_with_value(|go| go(&href, NavigateOptions::default()));
    }

    /// Submits, or goes to the missing score and says so.
    pub fn submit(self) {
        let gap = self.session.submit();
        self.missing.set(gap);
        if let Some(gap) = gap {
            self.move_to(gap);
        }
        let problem = self.session.problem.get_untracked();
        if !problem.is_empty() {
            self.tell(problem);
        }
    }

    fn score(self, score: u8) {
        let at = self.current.get_untracked();
        let refused = self.rubric.with_value(|rubric| {
            let dimension = rubric.dimensions.get(at)?;
            // 0 is a key of the checklist only.
            if score == 0 && !dimension.checklist {
                return Some(String::new());
            }
            let (low, high) = dimension.range();
            (!dimension.has(score))
                .then(|| (self.i18n.rater().off_this_scale)(dimension.name.get(self.i18n.lang), low, high))
        });
        if let Some(refused) = refused {
            if refused.is_empty() {
                return;
            }
            self.session.problem.set(refused.clone());
            self.tell(refused);
            return;
        }
        self.session.give(at, score);
        // The rater is working on this output: the next Enter is meant for it.
        self.settled.set_value(f64::NEG_INFINITY);
        if self.missing.get_untracked() == Some(at) {
            self.missing.set(None);
        }
        self.move_to(self.session.draft.with_untracked(|d| after_score(&d.scores, at)));
    }

    /// Focuses a dimension: its selected level, otherwise its first.
    fn move_to(self, place: usize) {
        self.current.set(place);
        self.focus(place, false);
    }

    fn focus(self, place: usize, still: bool) {
        let chosen = self.session.draft.with_untracked(|d| d.scores.get(place).copied().flatten());
        let first = || self.rubric.with_value(|r| r.dimensions.get(place)?.levels.first().map(|l| l.score));
        if let Some(score) = chosen.or_else(first) {
            browser::focus(&self.session.radio_id(place, score), still);
        }
    }

    fn leave_for(self, href: Option<String>, nowhere: &'static str) {
        match href {
            Some(href) => {
                self.session.hurry();
                self.go.with_value(|go| go(&href, NavigateOptions::default()));
            }
            None => self.tell(nowhere.into()),
        }
    }

    fn tell(self, text: String) {
        self.say.try_with_value(|say| say(text));
    }

    fn toast(self, text: String) {
        self.toast.try_with_value(|toast| toast(text));
    }
}

/// The set-up of one output after hydration; nothing on the server. `first` focuses its scales.
pub fn set_up(shortcuts: Shortcuts, token: Token, first: bool) {
    let session = shortcuts.session;
    effect(move |began: Option<()>| {
        if began.is_some() {
            return;
        }
        session.recover();
        shortcuts.settled.set_value(now() + SETTLING);
        take_over_clicks(session, shortcuts.rubric, &token);
        if !first {
            return;
        }
        // Next to the code on a wide screen; on a narrow one, reading starts at the top.
        request_animation_frame(move || {
            // The rater may have left this output before the frame.
            let Some(place) = shortcuts.current.try_get_untracked() else { return };
            // The page's elements may be the previous output's, at its scroll position.
            browser::to_top(".rating-body");
            shortcuts.focus(place, true);
            // What follows in this frame is painting.
            browser::mark("aixgrade-shown");
        });
    });
    let online = window_event_listener(ev::online, move |_| session.hurry());
    // Somebody who logged in again in another tab returns to this one.
    let focus = window_event_listener(ev::focus, move |_| {
        if session.kept.get_untracked() == SaveState::LoggedOut {
            session.hurry();
        }
    });
    effect(move |_| session.follow());
    on_cleanup(move || {
        online.remove();
        focus.remove();
    });
}

/// Lets `run` handle keys until the page is left. It gets the command and the time of the press, in
/// milliseconds since the page was opened.
pub fn listen(run: impl Fn(Command, f64) + 'static) {
    let view_settings = use_context::<ViewSettings>();
    let keys = window_event_listener(ev::keydown, move |event| {
        let modified = event.ctrl_key() || event.alt_key() || event.meta_key() || event.is_composing();
        if modified || event.default_prevented() {
            return;
        }
        let place = focus_context(&event);
        let what = match view_settings {
            Some(view_settings) => view_settings.keys.with_untracked(|keys| command(&event.key(), place, keys)),
            None => command(&event.key(), place, &Keys::default()),
        };
        let Some(what) = what else { return };
        event.prevent_default();
        if !event.repeat() || matches!(what, Command::Up | Command::Down) {
            run(what, event.time_stamp());
        }
    });
    on_cleanup(move || keys.remove());
}

/// Scores that were clicked before hydration.
fn take_over_clicks(session: Session, rubric: StoredValue<Rubric>, token: &Token) {
    for place in 0..rubric.with_value(|r| r.dimensions.len()) {
        let ticked = browser::ticked(&token.0, &format!("score-{place}"));
        let known = session.draft.with_untracked(|d| d.scores.get(place).copied().flatten());
        if let Some(score) = ticked
            && known.is_none()
        {
            session.give(place, score);
        }
    }
}

/// Where the focus is when a key is pressed.
fn focus_context(event: &web_sys::KeyboardEvent) -> FocusContext {
    use leptos::wasm_bindgen::JsCast;
    let Some(element) = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok()) else {
        return FocusContext::Scale;
    };
    let within = |selector: &str| element.closest(selector).ok().flatten().is_some();
    if within("dialog") {
        FocusContext::Dialog
    } else if within("textarea, select, input:not([type=radio]):not([type=checkbox])") {
        FocusContext::Field
    } else if within(".line-mark") {
        FocusContext::Line
    } else if within("a, button, summary, input[type=checkbox]") {
        FocusContext::Control
    } else if within("[role=region][tabindex]") {
        FocusContext::Scroller
    } else {
        FocusContext::Scale
    }
}
