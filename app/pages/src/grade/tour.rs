//! `/tour`: two minutes of practice on the grading page itself, with an output of our own. One step at a time points at
//! the element that it is about. Nothing is sent to the server. Without JavaScript, the steps are a list above the page.

use leptos::prelude::*;

use super::{
    form::key_names,
    grading_view::GradingView,
    session::{Callbacks, Outcome},
};
use model::{
    code::{CodeView, Line, Run},
    grading::{Draft, GradingItem, Progress},
    guidelines::GuidelinesState,
    ids::Token,
    keys::Action,
    lang::Bilingual,
    note::Position,
    plan::Presentation,
    rubric::{Dimension, Level, Rubric},
};
use texts::grading::GradingTexts;
use ui::{announce::sayer, context::use_i18n, effect::effect};

/// The steps that the rater has tried so far, as seen by the grading page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TourProgress {
    /// Every dimension has a score.
    pub scored: bool,
    /// There is a line note.
    pub noted: bool,
    /// There is a comment or a flag.
    pub commented: bool,
}

impl TourProgress {
    /// The steps visible in a draft.
    pub fn of(draft: &Draft) -> TourProgress {
        TourProgress {
            scored: draft.first_open().is_none() && !draft.scores.is_empty(),
            noted: !draft.notes.is_empty(),
            commented: !draft.comment.trim().is_empty() || draft.flag.is_some(),
        }
    }
}

/// The tour's state, shared with the grading page; present only during the tour.
#[derive(Clone, Copy)]
pub struct Coach {
    /// What the rater has tried, as the grading page reports it.
    pub progress: RwSignal<TourProgress>,
    /// The current step, counted from 0.
    step: RwSignal<usize>,
}

impl Coach {
    /// Goes to the next step; after the last, it stays there.
    pub fn forward(self) {
        self.go(|step| (step + 1).min(STEPS.len() - 1));
    }

    /// Goes to the step before.
    pub fn back(self) {
        self.go(|step| step.saturating_sub(1));
    }

    fn go(self, to: fn(usize) -> usize) {
        self.step.update(|step| *step = to(*step));
        if let Some(step) = STEPS.get(self.step.get_untracked()) {
            show(step.place);
        }
    }
}

/// A step of the tour.
struct Step {
    text: fn(&GradingTexts) -> &'static str,
    /// The element that it points at, as a selector. `style/55-rater.css` highlights it, by the number of the step.
    place: &'static str,
    /// Whether the rater has tried it; absent if nothing shows that.
    tried: Option<fn(TourProgress) -> bool>,
}

const STEPS: [Step; 5] = [
    Step { text: |b| b.tour_read, place: ".task", tried: None },
    Step { text: |b| b.tour_score, place: ".rating-body", tried: Some(|progress| progress.scored) },
    Step { text: |b| b.tour_note, place: ".code-box", tried: Some(|progress| progress.noted) },
    Step { text: |b| b.tour_comment, place: ".extra", tried: Some(|progress| progress.commented) },
    Step { text: |b| b.tour_submit, place: ".rating-foot", tried: None },
];

/// Scrolls to an element, unless it is in sight.
fn show(place: &'static str) {
    request_animation_frame(move || {
        if let Ok(Some(element)) = document().query_selector(place) {
            element.scroll_into_view_with_bool(false);
        }
    });
}

/// The page.
#[component]
pub fn TourPage() -> impl IntoView {
    let i18n = use_i18n();
    let b = i18n.grading();
    let coach = Coach { progress: RwSignal::new(TourProgress::default()), step: RwSignal::new(0) };
    provide_context(coach);
    let submitted = RwSignal::new(false);
    let callbacks = Callbacks {
        ready: Callback::new(|()| true),
        done: Callback::new(move |outcome| {
            if outcome == Outcome::Rated {
                submitted.set(true);
            }
        }),
    };
    let item = practice(b.tour_task, i18n.lang);
    move || {
        if submitted.get() {
            view! { <Done /> }.into_any()
        } else {
            view! {
                <div class="tour-stage" data-step=move || coach.step.get().to_string()>
                    <Steps coach />
                    <GradingView item=item.clone() next=callbacks practice=true />
                </div>
            }
            .into_any()
        }
    }
}

/// The steps: one at a time beside the element that it points at; without JavaScript, all as a list.
#[component]
fn Steps(coach: Coach) -> impl IntoView {
    let b = use_i18n().grading();
    let key = key_names();
    let step = coach.step;
    let tried = |step: &Step, progress| step.tried.is_some_and(|tried| tried(progress));
    let rows = STEPS
        .iter()
        .enumerate()
        .map(|(n, of)| {
            view! {
                <li class="tour-step" class:now=move || step.get() == n class:done=move || tried(of, coach.progress.get())>
                    {(of.text)(b)}
                </li>
            }
        })
        .collect_view();
    let place = move || (b.tour_step)(step.get() + 1, STEPS.len());
    // What is announced has no page around it.
    let say = sayer();
    effect(move |before: Option<()>| {
        let now = step.get();
        if let (Some(()), Some(of)) = (before, STEPS.get(now)) {
            say(format!("{}. {}", (b.tour_step)(now + 1, STEPS.len()), (of.text)(b)));
        }
    });
    view! {
        <section class="tour" aria-labelledby="tour-title">
            <div class="tour-head">
                <h1 id="tour-title">{b.tour_title}</h1>
                <span class="muted small scripted">{place}</span>
            </div>
            <ol class="tour-steps">{rows}</ol>
            <div class="tour-act">
                <button class="button scripted" type="button" disabled=move || step.get() == 0 on:click=move |_| coach.back()>
                    {b.tour_back} " " <kbd>{key(Action::Back)}</kbd>
                </button>
                <button
                    class="button primary scripted"
                    type="button"
                    disabled=move || step.get() + 1 == STEPS.len()
                    on:click=move |_| coach.forward()
                >
                    {b.tour_next} " " <kbd>{key(Action::Forward)}</kbd>
                </button>
                <LeaveTour text=b.tour_skip />
            </div>
        </section>
    }
}

#[component]
fn Done() -> impl IntoView {
    let b = use_i18n().grading();
    let heading = NodeRef::<leptos::html::H1>::new();
    effect(move |_| {
        if let Some(heading) = heading.get() {
            let _ = heading.focus();
        }
    });
    view! {
        <div class="page narrow">
            <h1 tabindex="-1" node_ref=heading>{b.tour_done}</h1>
            <p class="lead">{b.tour_done_lead}</p>
            <LeaveTour text=b.tour_finish />
        </div>
    }
}

/// Ends the tour: a form, so that it is stored without JavaScript, too.
#[component]
pub fn LeaveTour(
    /// Label of the button.
    text: &'static str,
) -> impl IntoView {
    view! {
        <form method="post" action="/account/toured">
            <button class="button" type="submit">{text}</button>
        </form>
    }
}

/// A sample output for practice. Its code has a fault to find: it begins with 0, so a list of negative
/// numbers gets the wrong result.
#[allow(clippy::too_many_lines, reason = "one item, field by field")]
fn practice(task: &str, lang: model::lang::Lang) -> GradingItem {
    let text = |en: &str, zh: &str| Bilingual { en: en.into(), zh: zh.into() };
    let level = |score, en: &str, zh: &str| Level { score, label: Bilingual::default(), text: text(en, zh) };
    let dimension = |key: &str, name: Bilingual, question: Bilingual, levels| Dimension {
        key: key.into(),
        checklist: false,
        name,
        question,
        levels,
    };
    let rubric = Rubric {
        slug: "tour".into(),
        version: 1,
        instructions: false,
        dimensions: vec![
            dimension(
                "correctness",
                text("Correctness", "正确性"),
                text("Does it do what was asked?", "是否实现了要求？"),
                vec![
                    level(3, "It does, in every case.", "在所有情况下都正确。"),
                    level(2, "It does in most cases.", "大多数情况下正确。"),
                    level(1, "It does not.", "不正确。"),
                ],
            ),
            dimension(
                "readability",
                text("Readability", "可读性"),
                text("Is it easy to read?", "是否易读？"),
                vec![
                    level(2, "Easy at first sight.", "一看就懂。"),
                    level(1, "It takes a second look.", "需要再看一遍。"),
                ],
            ),
        ],
    };
    // As the server sends code: highlighted runs, formatted, and the original in one line with spaced tokens.
    let line =
        |runs: &[(&str, &str)]| Line(runs.iter().map(|(kind, text)| Run((*kind).into(), (*text).into())).collect());
    let laid_out = vec![
        line(&[
            ("type", "int"),
            ("", " "),
            ("function", "largest"),
            ("", "("),
            ("type", "List"),
            ("", "<"),
            ("type", "Integer"),
            ("", "> numbers) {"),
        ]),
        line(&[("", "    "), ("type", "int"), ("", " best = "), ("number", "0"), ("", ";")]),
        line(&[("", "    "), ("keyword", "for"), ("", " ("), ("type", "int"), ("", " number : numbers) {")]),
        line(&[("", "        "), ("keyword", "if"), ("", " (number > best) {")]),
        line(&[("", "            best = number;")]),
        line(&[("", "        }")]),
        line(&[("", "    }")]),
        line(&[("", "    "), ("keyword", "return"), ("", " best;")]),
        line(&[("", "}")]),
    ];
    let mut raw = String::new();
    let starts = laid_out.iter().map(|line| {
        let column = u32::try_from(raw.chars().count() + 1).unwrap_or(1);
        raw.push_str(line.text().trim());
        raw.push(' ');
        Position { line: 1, column }
    });
    let starts = starts.collect();
    let raw = vec![Line(vec![Run(String::new(), raw.trim_end().into())])];
    let code = CodeView { laid_out: Some(laid_out), raw, starts, ..CodeView::default() };
    GradingItem {
        token: Token("tour".into()),
        study: Token("tour".into()),
        title: String::new(),
        presentation: Presentation::One,
        raw_nl: task.into(),
        nl_lang: lang,
        signature: None,
        code,
        conversation: None,
        draft: Draft::blank(&rubric),
        rubric,
        rated: false,
        progress: Progress { rated: 0, skipped: 0, left: 1 },
        previous: None,
        following: None,
        calibration: None,
        replies: Vec::new(),
        bookmarked: false,
        break_minutes: 0,
        guidelines: GuidelinesState::None,
    }
}
