//! A study's calibration from the rater's view: the note above an item, the known scores after it, and the
//! result. The forms work without JavaScript.

use leptos::{html::Button, prelude::*};
use leptos_meta::Title;

use model::{
    feedback::{Calibration, CalibrationResult, CalibrationStep, Feedback, FlagReply},
    quality::CalibrationMode,
};
use rpc::quality::GoOn;
use ui::{
    code::CodeBox,
    context::use_i18n,
    description::task_text,
    effect::effect,
    form::{ActionForm, FormAction},
    notice::{Notice, Tone},
};

/// The page between two items, or after the last.
#[component]
pub fn CalibrationPage(
    /// Its content.
    calibration: Calibration,
    /// Called when the rater goes on.
    done: Callback<()>,
) -> impl IntoView {
    match calibration {
        Calibration::Feedback(feedback) => view! { <KnownScores feedback=*feedback done/> }.into_any(),
        Calibration::Passed(result) => view! { <Ended result passed=true done/> }.into_any(),
        Calibration::Stopped(result) => view! { <Ended result passed=false done/> }.into_any(),
    }
}

/// A form by which the rater confirms having read it.
pub fn go_on_form(what: String, text: &'static str, done: Callback<()>) -> impl IntoView {
    let go_on = FormAction::<GoOn>::new();
    effect(move |_| {
        if go_on.value().get().is_some_and(|answer| answer.is_ok()) {
            done.run(());
        }
    });
    // The attribute works only where the page is loaded, not where it follows another: Enter goes on in both.
    let button = NodeRef::<Button>::new();
    effect(move |_| {
        if let Some(button) = button.get() {
            let _ = button.focus();
        }
    });
    view! {
        <ActionForm action=go_on>
            <input type="hidden" name="what" value=what/>
            <button class="button primary" type="submit" node_ref=button autofocus disabled=move || go_on.pending().get()>{text}</button>
        </ActionForm>
    }
}

#[component]
fn KnownScores(feedback: Feedback, done: Callback<()>) -> impl IntoView {
    let i = use_i18n();
    let t = i.feedback();
    let Feedback {
        token,
        title,
        step,
        raw_nl,
        nl_lang: lang,
        signature,
        code,
        conversation,
        rubric,
        yours,
        known,
        reasons,
        ..
    } = feedback;
    let rows = rubric
        .dimensions
        .iter()
        .enumerate()
        .map(|(d, dimension)| {
            let (own, right) = (yours.get(d).copied().flatten(), known.get(d).copied());
            let off = own.zip(right).map(|(own, right)| own.abs_diff(right)).unwrap_or(0);
            let text = |score: Option<u8>| score.map_or_else(|| "–".to_owned(), |s| i.score(Some(dimension), s));
            let level =
                right.filter(|_| !dimension.checklist).and_then(|s| dimension.levels.iter().find(|l| l.score == s));
            let meaning = level.map(|l| l.text.get(i.lang).to_owned());
            let reason = reasons.get(d).filter(|r| !r.is_empty()).cloned();
            let (class, word) =
                if off == 0 { ("known-row same", t.same.to_owned()) } else { ("known-row", (t.off_by)(off)) };
            view! {
                <section class=class>
                    <h3>{dimension.name.get(i.lang).to_owned()}</h3>
                    <dl class="known-pair">
                        <div><dt>{t.yours_head}</dt><dd>{text(own)}</dd></div>
                        <div><dt>{t.known_col}</dt><dd>{text(right)}</dd></div>
                    </dl>
                    <p class="known-off">{word}</p>
                    {meaning.map(|m| view! { <p class="muted small">{m}</p> })}
                    {reason.map(|r| view! { <p class="known-reason">{r}</p> })}
                </section>
            }
        })
        .collect_view();
    view! {
        <Title text=title.clone()/>
        <div class="page">
            <p class="eyebrow">{title}" · "{(t.step_of)(step.number, step.of)}</p>
            <h1>{t.known_head}</h1>
            <div class="known-scores">{rows}</div>
            {go_on_form(token.0, t.go_on, done)}
            <section class="task">{task_text(lang, &raw_nl, signature, t.asked_signature, ().into_any())}
                {conversation.map(|html| view! { <div inner_html=html></div> })}
            </section>
            <CodeBox code/>
        </div>
    }
}

#[component]
fn Ended(result: CalibrationResult, passed: bool, done: Callback<()>) -> impl IntoView {
    let t = use_i18n().feedback();
    let CalibrationResult { study, title, right, of, needed } = result;
    let (head, lead) = if passed { (t.passed_head, t.passed_lead) } else { (t.stopped_head, t.stopped_lead) };
    view! {
        <Title text=title.clone()/>
        <div class="page narrow">
            <p class="eyebrow">{title}</p>
            <h1>{head}</h1>
            <p class="lead">{lead}</p>
            <p>{(t.result_of)(right, of)} " " {(needed > 0).then(|| (t.result_needed)(needed))}</p>
            <div class="row">
                {passed.then(|| go_on_form(study.0, t.begin, done))}
                <a class=if passed { "button" } else { "button primary" } href="/my-studies">{t.to_my_studies}</a>
            </div>
        </div>
    }
}

/// The note above a calibration item.
pub fn calibration_note(step: CalibrationStep) -> impl IntoView {
    let t = use_i18n().feedback();
    let text = if step.mode == CalibrationMode::Train { t.calibration_train_note } else { t.calibration_must_note };
    view! { <Notice><b>{(t.step_of)(step.number, step.of)}</b>" "{text}</Notice> }
}

/// Next to an item: the replies to the rater's flags on it.
pub fn reply_notes(replies: Vec<FlagReply>) -> impl IntoView {
    let t = use_i18n().feedback();
    replies
        .into_iter()
        .map(|r| {
            let words = if r.reply.is_empty() { t.no_words.to_owned() } else { r.reply };
            view! { <Notice tone=Tone::Good><p><b>{t.reply_from}</b></p><p class="reply-text">{words}</p></Notice> }
        })
        .collect_view()
}
