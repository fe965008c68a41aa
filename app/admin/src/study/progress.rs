//! The upper half of a study's page: its state and settings.

use leptos::{either::Either, prelude::*};

use crate::{
    parts::{FormError, state},
    rubrics,
};
use model::{
    comparison::Selection,
    ids::StudyId,
    study::{LONGEST_REASON, StudyDetail, StudyRow, StudyStatus},
};
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
    let StudyDetail { row, raters_per_output, rubric, .. } = detail;
    view! {
        <p class="row">
            {state(i, row.status)}
            {(row.status == StudyStatus::Closed).then(|| view! { <span class="muted">{t.closed_note}</span> })}
        </p>
        <FormError of=move || actions.set_status.value().get().and_then(Result::err)/>
        <FormError of=move || actions.reopen.value().get().and_then(Result::err)/>
        <dl class="facts">
            <div><dt>{t.models}</dt><dd>{row.models.join(" · ")}</dd></div>
            <div><dt>{t.dataset}</dt><dd><a href=format!("/admin/datasets/{}", row.dataset)>{row.dataset.clone()}</a></dd></div>
            <div><dt>{t.raters_per_output}</dt><dd>{raters_per_output}</dd></div>
            <div><dt>{t.rubric}</dt><dd><a href=rubrics::address(&rubric)>{rubric.clone()}</a></dd></div>
            <div><dt>{t.created_at}</dt><dd>{i.time(row.created_at)}</dd></div>
            {row.due.map(|day| view! { <div><dt>{i.quality().due}</dt><dd>{i.day(day)}</dd></div> })}
        </dl>
    }
    .into_any()
}

/// The primary action of a study in its state: start, resume, or compare what there is.
pub fn primary(i: I18n, row: &StudyRow, actions: Actions) -> Option<AnyView> {
    match row.status {
        StudyStatus::Draft => {
            Some(change(row.id, StudyStatus::Running, i.plan().start, "button primary", actions).into_any())
        }
        StudyStatus::Paused => {
            Some(change(row.id, StudyStatus::Running, i.admin().resume, "button primary", actions).into_any())
        }
        StudyStatus::Running | StudyStatus::Closed => (row.done > 0).then(|| {
            let selection = Selection { studies: Some(vec![row.id]), ..Selection::default() };
            let href = format!("/admin/compare/{}?{}", row.dataset, selection.query());
            view! { <a class="button primary" href=href>{i.comparison().compare}</a> }.into_any()
        }),
    }
}

/// The other changes of its state, for the menu.
pub fn menu_items(i: I18n, row: &StudyRow, actions: Actions) -> impl IntoView + use<> {
    let t = i.admin();
    let id = row.id;
    match row.status {
        StudyStatus::Closed => Either::Left(view! {
            <li><details class="confirm">
                <summary class="menu-item">{t.reopen_study}</summary>
                <div class="confirm-box">
                    <p>{t.reopen_warning}</p>
                    <ActionForm action=actions.reopen>
                        <input type="hidden" name="id" value=id.to_string()/>
                        <div class="field">
                            <label class="label" for="reopen-reason">{t.reopen_reason}</label>
                            <input class="input" id="reopen-reason" name="reason" required maxlength=LONGEST_REASON.to_string()/>
                        </div>
                        <button class="button primary" type="submit" disabled=move || actions.reopen.pending().get()>
                            {t.reopen_confirm}
                        </button>
                    </ActionForm>
                </div>
            </details></li>
        }),
        status => {
            let pause = (status == StudyStatus::Running).then(|| {
                view! { <li>{change(id, StudyStatus::Paused, t.pause, "menu-item", actions)}</li> }
            });
            Either::Right(view! {
                {pause}
                <li><details class="confirm">
                    <summary class="menu-item">{t.close_study}</summary>
                    <div class="confirm-box">
                        <p>{t.close_warning}</p>
                        {change(id, StudyStatus::Closed, t.close_for_good, "button danger", actions)}
                    </div>
                </details></li>
            })
        }
    }
}

/// A form that changes the state.
fn change(
    id: StudyId,
    to: StudyStatus,
    text: &'static str,
    class: &'static str,
    Actions { set_status, .. }: Actions,
) -> impl IntoView {
    view! {
        <ActionForm action=set_status>
            <input type="hidden" name="id" value=id.to_string()/>
            <input type="hidden" name="status" value=to.code()/>
            <button class=class type="submit" disabled=move || set_status.pending().get()>{text}</button>
        </ActionForm>
    }
}
