//! `/tour`: two minutes of practice on the grading page itself, with an output of our own. Nothing is sent
//! to the server. Without JavaScript, the steps are shown as text.

use leptos::prelude::*;

use super::{
    grading_view::GradingView,
    session::{Callbacks, Outcome},
};
use crate::{
    i18n::use_i18n,
    model::{
        code::{CodeView, Line, Run},
        grading::{Draft, GradingItem, Progress},
        guidelines::GuidelinesState,
        ids::Token,
        lang::Bilingual,
        plan::Presentation,
        rubric::{Dimension, Level, Rubric},
    },
    ui::effect::effect,
};

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

/// Where the grading page reports tried steps; present only during the tour.
#[derive(Clone, Copy)]
pub struct Coach(pub RwSignal<TourProgress>);

/// The page.
#[component]
pub fn TourPage() -> impl IntoView {
    let i18n = use_i18n();
    let b = i18n.bench();
    let coach = Coach(RwSignal::new(TourProgress::default()));
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
                <section class="tour" aria-labelledby="tour-title">
                    <h1 id="tour-title">{b.tour_title}</h1>
                    <p>{b.tour_lead}</p>
                    <Steps coach />
                    <LeaveTour text=b.tour_skip />
                </section>
                <GradingView item=item.clone() next=callbacks practice=true />
            }
            .into_any()
        }
    }
}

/// A step, and whether it was tried; absent if nothing shows it.
type Step = (&'static str, fn(TourProgress) -> Option<bool>);

#[component]
fn Steps(coach: Coach) -> impl IntoView {
    let b = use_i18n().bench();
    let progress = coach.0;
    let steps: [Step; 6] = [
        (b.tour_read, |_| None),
        (b.tour_score, |progress| Some(progress.scored)),
        (b.tour_note, |progress| Some(progress.noted)),
        (b.tour_comment, |progress| Some(progress.commented)),
        (b.tour_submit, |_| Some(false)),
        (b.tour_keep, |_| None),
    ];
    let all = steps.iter().filter(|(_, done)| done(TourProgress::default()).is_some()).count();
    let done = move || steps.iter().filter(|(_, done)| done(progress.get()) == Some(true)).count();
    let rows = steps
        .into_iter()
        .map(|(text, done)| {
            let class = move || if done(progress.get()) == Some(true) { "tour-step done" } else { "tour-step" };
            view! { <li class=class>{text}</li> }
        })
        .collect_view();
    view! {
        <ol class="tour-steps">{rows}</ol>
        <p class="muted small scripted" role="status">{move || (b.steps_done)(done(), all)}</p>
    }
}

#[component]
fn Done() -> impl IntoView {
    let b = use_i18n().bench();
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
fn practice(task: &str, lang: crate::model::lang::Lang) -> GradingItem {
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
    let code = [
        "int largest(List<Integer> numbers) {",
        "    int best = 0;",
        "    for (int number : numbers) {",
        "        if (number > best) {",
        "            best = number;",
        "        }",
        "    }",
        "    return best;",
        "}",
    ];
    let raw = code.into_iter().map(|line| Line(vec![Run(String::new(), line.into())])).collect();
    GradingItem {
        token: Token("tour".into()),
        study: Token("tour".into()),
        title: String::new(),
        presentation: Presentation::One,
        raw_nl: task.into(),
        nl_lang: lang,
        signature: None,
        code: CodeView { raw, ..CodeView::default() },
        conversation: None,
        draft: Draft::blank(&rubric),
        rubric,
        rated: false,
        progress: Progress { rated: 0, skipped: 0, left: 1 },
        previous: None,
        following: None,
        calibration: None,
        replies: Vec::new(),
        guidelines: GuidelinesState::None,
    }
}
