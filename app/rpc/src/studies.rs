//! Studies and their comparison, for admins.

#![allow(clippy::too_many_arguments, reason = "a form's fields; the macro's function on the client has them too")]

use std::collections::BTreeMap;

use leptos::prelude::*;

#[cfg(not(target_arch = "wasm32"))]
use crate::plans::{number, parse_seed, shares_of, with_groups};
#[cfg(not(target_arch = "wasm32"))]
use model::study::NewStudy;
use model::{
    comparison::StudyComparison,
    error::AppError,
    ids::{GroupId, StudyId, SubmissionId, TaskId, UserId},
    overview::Overview,
    page::{PageOf, Paged},
    plan::{Presentation, RatedAnswers, Sharing},
    ratings::{TaskRatings, TaskScores},
    study::{StudyDetail, StudyRow, StudyStatus},
};
use ui::call::Call;
#[cfg(not(target_arch = "wasm32"))]
use ui::context::ports;

/// The admins' first page.
#[server(prefix = "/rpc", endpoint = "admin_overview", protocol = Call)]
pub async fn admin_overview() -> Result<Overview, AppError> {
    let (ports, admin) = ports()?;
    ports.overview.get(&admin).await
}

/// A page of the studies.
#[server(prefix = "/rpc", endpoint = "studies", protocol = Call)]
pub async fn studies(#[server(default)] page: PageOf) -> Result<Paged<StudyRow>, AppError> {
    let (ports, admin) = ports()?;
    ports.studies.list(&admin, page).await
}

/// One study with its progress.
#[server(prefix = "/rpc", endpoint = "study", protocol = Call)]
pub async fn study(id: StudyId) -> Result<StudyDetail, AppError> {
    let (ports, admin) = ports()?;
    ports.studies.get(&admin, id).await
}

/// Creates a draft of a study and redirects to its plan. The fields come from a form: lists as repeated
/// `submissions[]`, `raters[]` and `groups[]`, whose active members rate too, absent when nothing is selected, shares set by hand as `shares[ID]`; an
/// empty number selects the default.
#[server(prefix = "/rpc", endpoint = "create_study")]
pub async fn create_study(
    title: String,
    dataset: String,
    #[server(default)] submissions: Vec<SubmissionId>,
    #[server(default)] raters: Vec<UserId>,
    raters_per_output: u32,
    #[server(default)] seed: String,
    #[server(default)] tasks: String,
    #[server(default)] presentation: Presentation,
    #[server(default)] answers: RatedAnswers,
    #[server(default)] sharing: Sharing,
    #[server(default)] shares: BTreeMap<String, String>,
    #[server(default)] pace: String,
    #[server(default)] rubric: String,
    #[server(default)] groups: Vec<GroupId>,
    #[server(default)] break_minutes: String,
) -> Result<StudyId, AppError> {
    let (ports, admin) = ports()?;
    let raters = with_groups(&ports, &admin, raters, groups).await?;
    let seed = parse_seed(&seed)?;
    let shares = shares_of(sharing, &raters, &shares)?;
    let new = NewStudy {
        title,
        dataset,
        submissions,
        raters,
        raters_per_output,
        seed,
        tasks: number("tasks", &tasks)?,
        presentation,
        answers,
        sharing,
        shares,
        pace_s: number("pace", &pace)?,
        rubric: Some(rubric),
        break_minutes: number("break_minutes", &break_minutes)?.unwrap_or(0),
        draft: true,
    };
    let id = ports.studies.create(&admin, new).await?;
    leptos_axum::redirect(&format!("/admin/studies/{id}/plan"));
    Ok(id)
}

/// Starts, pauses, resumes or closes a study. A draft whose outputs name a model starts only if `unmasked` says that this
/// is meant; otherwise its plan asks.
#[server(prefix = "/rpc", endpoint = "set_study_status")]
pub async fn set_study_status(
    id: StudyId,
    status: StudyStatus,
    #[server(default)] unmasked: bool,
) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    if status == StudyStatus::Running && !unmasked {
        let draft = ports.plans.draft(&admin, id).await?.status == StudyStatus::Draft;
        if draft && ports.quality.leaks(&admin, id, false).await?.any() {
            leptos_axum::redirect(&format!("/admin/studies/{id}/plan?start=unmasked"));
            return Ok(());
        }
    }
    ports.studies.set_status(&admin, id, status).await?;
    if unmasked {
        // Without the question.
        leptos_axum::redirect(&format!("/admin/studies/{id}/plan"));
    }
    Ok(())
}

/// Makes a closed study accept ratings again.
#[server(prefix = "/rpc", endpoint = "reopen_study")]
pub async fn reopen_study(id: StudyId, reason: String) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.studies.reopen(&admin, id, &reason).await
}

/// What the comparison of the study is about.
#[server(prefix = "/rpc", endpoint = "compare", protocol = Call)]
pub async fn compare(id: StudyId) -> Result<StudyComparison, AppError> {
    let (ports, admin) = ports()?;
    ports.comparisons.of_study(&admin, id).await
}

/// A page of the study's tasks with their mean scores.
#[server(prefix = "/rpc", endpoint = "study_tasks", protocol = Call)]
pub async fn study_tasks(id: StudyId, #[server(default)] page: PageOf) -> Result<Paged<TaskScores>, AppError> {
    let (ports, admin) = ports()?;
    ports.studies.tasks(&admin, id, page).await
}

/// One task with every output and rating.
#[server(prefix = "/rpc", endpoint = "study_task", protocol = Call)]
pub async fn study_task(id: StudyId, task: TaskId) -> Result<TaskRatings, AppError> {
    let (ports, admin) = ports()?;
    ports.studies.task(&admin, id, task).await
}
