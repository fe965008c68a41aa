//! Studies and their comparison, for admins.

use leptos::prelude::*;

#[cfg(not(target_arch = "wasm32"))]
use crate::plans::{People, parse_seed, people};
use model::{
    comparison::StudyComparison,
    error::AppError,
    ids::{StudyId, TaskId},
    overview::Overview,
    page::{PageOf, Paged},
    ratings::{TaskRatings, TaskScores},
    study::{StudyDetail, StudyForm, StudyRow, StudyStatus},
};
#[cfg(not(target_arch = "wasm32"))]
use model::{
    patch::Patch,
    study::{NewStudy, StudySettings},
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

/// Creates a draft of a study and redirects to its plan.
#[server(prefix = "/rpc", endpoint = "create_study")]
pub async fn create_study(study: StudyForm) -> Result<StudyId, AppError> {
    let (ports, admin) = ports()?;
    let People { raters, shares } = people(&ports, &admin, &study).await?;
    let new = NewStudy {
        title: study.title,
        dataset: study.dataset,
        submissions: study.submissions,
        raters,
        seed: parse_seed(&study.seed)?,
        shares,
        rubric: Some(study.rubric),
        draft: true,
        settings: Patch::of_texts(study.settings).apply(&StudySettings::default())?,
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
