//! The upper half of a study's page: its state and settings.

use leptos::{either::Either, prelude::*};

use crate::{
    parts::{FormError, status},
    rubrics,
};
use model::study::{LONGEST_REASON, StudyDetail, StudyRow, StudyStatus};
use rpc::studies::{ReopenStudy, SetStudyStatus};
use texts::I18n;
use ui::form::{ActionForm, FormAction};

/// A change of a study's state.
#[derive(Clone, Copy)]
pub struct Actions {
    pub set_status: FormAction<SetStudyStatus>,
    pub reopen: FormAction<ReopenStudy>,
}

impl Actions {
    /// Actions of the current page.
    pub fn new() -> Actions {
        Actions { set_status: FormAction::new(), reopen: FormAction::new() }
    }

    /// Increases with every finished action.
    pub fn version(self) -> usize {
        self.set_status.version().get() + self.reopen.version().get()
    }
}

/// A study without its figures.
pub fn view(i: I18n, detail: StudyDetail, actions: Actions) -> AnyView {
    let t = i.admin();
    let StudyDetail { row, raters_per_output, seed, rubric, .. } = detail;
    view! {
        {controls(i, &row, actions)}
        <dl class="facts">
            <div><dt>{t.models}</dt><dd>{row.models.join(" · ")}</dd></div>
            <div><dt>{t.dataset}</dt><dd><a href=format!("/admin/datasets/{}", row.dataset)>{row.dataset.clone()}</a></dd></div>
            <div><dt>{t.raters_per_output}</dt><dd>{raters_per_output}</dd></div>
            <div><dt>{t.rubric}</dt><dd><a href=rubrics::address(&rubric)>{rubric.clone()}</a></dd></div>
            <div><dt>{t.seed}</dt><dd><code>{seed}</code></dd></div>
            <div><dt>{t.created_at}</dt><dd>{i.time(row.created_at)}</dd></div>
            {row.due.map(|day| view! { <div><dt>{i.quality().due}</dt><dd>{i.day(day)}</dd></div> })}
        </dl>
    }
    .into_any()
}

fn controls(i: I18n, row: &StudyRow, Actions { set_status, reopen }: Actions) -> impl IntoView + use<> {
    let t = i.admin();
    let id = row.id;
    let button = move |status: StudyStatus, text: &'static str, class: &'static str| {
        view! {
            <ActionForm action=set_status>
                <input type="hidden" name="id" value=id.to_string()/>
                <input type="hidden" name="status" value=status.code()/>
                <button class=class type="submit" disabled=move || set_status.pending().get()>{text}</button>
            </ActionForm>
        }
    };
    let buttons = match row.status {
        StudyStatus::Closed => Either::Left(view! {
            <p class="muted">{t.closed_note}</p>
            <details class="confirm">
                <summary class="button">{t.reopen_study}</summary>
                <div class="confirm-box">
                    <p>{t.reopen_warning}</p>
                    <ActionForm action=reopen>
                        <input type="hidden" name="id" value=id.to_string()/>
                        <div class="field">
                            <label class="label" for="reopen-reason">{t.reopen_reason}</label>
                            <input class="input" id="reopen-reason" name="reason" required maxlength=LONGEST_REASON.to_string()/>
                        </div>
                        <button class="button primary" type="submit" disabled=move || reopen.pending().get()>
                            {t.reopen_confirm}
                        </button>
                    </ActionForm>
                </div>
            </details>
        }),
        other => {
            let toggle = match other {
                StudyStatus::Running => button(StudyStatus::Paused, t.pause, "button"),
                StudyStatus::Draft => button(StudyStatus::Running, i.plan().start, "button primary"),
                _ => button(StudyStatus::Running, t.resume, "button primary"),
            };
            Either::Right(view! {
                {toggle}
                <details class="confirm">
                    <summary class="button">{t.close_study}</summary>
                    <div class="confirm-box">
                        <p>{t.close_warning}</p>
                        {button(StudyStatus::Closed, t.close_for_good, "button danger")}
                    </div>
                </details>
            })
        }
    };
    view! {
        <div class="study-state">
            {status(i, row.status)}
            <div class="study-controls">
                {buttons}
            </div>
        </div>
        <FormError of=move || set_status.value().get().and_then(Result::err)/>
        <FormError of=move || reopen.value().get().and_then(Result::err)/>
    }
}
