//! Studies and their comparison, for admins.

use leptos::{prelude::*, server_fn::codec::Json};

use crate::{
    error::AppError,
    model::{
        comparison::{Comparison, TaskRatings, TaskScores},
        ids::{StudyId, SubmissionId, TaskId, UserId},
        study::{StudyDetail, StudyRow, StudyStatus},
    },
};
#[cfg(feature = "ssr")]
use crate::{model::study::NewStudy, port::ports};

/// Every study.
#[server(prefix = "/rpc", endpoint = "studies", input = Json)]
pub async fn studies() -> Result<Vec<StudyRow>, AppError> {
    let (ports, caller) = ports()?;
    ports.studies.list(&caller).await
}

/// One study with its progress.
#[server(prefix = "/rpc", endpoint = "study", input = Json)]
pub async fn study(id: StudyId) -> Result<StudyDetail, AppError> {
    let (ports, caller) = ports()?;
    ports.studies.get(&caller, id).await
}

/// Makes and starts a study, and goes to it. The fields are a form's: lists come as repeated
/// `submissions[]` and `raters[]`, absent when nothing is ticked; an empty `seed` or `tasks` asks
/// for the default.
#[server(prefix = "/rpc", endpoint = "create_study")]
pub async fn create_study(
    title: String,
    dataset: String,
    #[server(default)] submissions: Vec<SubmissionId>,
    #[server(default)] raters: Vec<UserId>,
    overlap: u32,
    #[server(default)] seed: String,
    #[server(default)] tasks: String,
) -> Result<StudyId, AppError> {
    let (ports, caller) = ports()?;
    let number = |field: &str, text: &str, most: u64| match text.trim() {
        "" => Ok(None),
        text => match text.parse::<u64>() {
            Ok(n) if n <= most => Ok(Some(n)),
            _ => Err(AppError::invalid(
                field,
                format!("`{text}` is no whole number up to {most}"),
                "Leave it empty for the default",
            )),
        },
    };
    let seed = number("seed", &seed, u64::MAX)?;
    let tasks = number("tasks", &tasks, u32::MAX.into())?.and_then(|n| u32::try_from(n).ok());
    let new = NewStudy { title, dataset, submissions, raters, overlap, seed, tasks, ..NewStudy::default() };
    let id = ports.studies.create(&caller, new).await?;
    leptos_axum::redirect(&format!("/admin/studies/{id}"));
    Ok(id)
}

/// Pauses, resumes or closes a study.
#[server(prefix = "/rpc", endpoint = "set_study_status")]
pub async fn set_study_status(id: StudyId, status: StudyStatus) -> Result<(), AppError> {
    let (ports, caller) = ports()?;
    ports.studies.set_status(&caller, id, status).await
}

/// The models compared by the ratings so far.
#[server(prefix = "/rpc", endpoint = "comparison", input = Json)]
pub async fn compare(id: StudyId) -> Result<Comparison, AppError> {
    let (ports, caller) = ports()?;
    ports.studies.comparison(&caller, id).await
}

/// Every task of the study with its mean scores.
#[server(prefix = "/rpc", endpoint = "study_tasks", input = Json)]
pub async fn study_tasks(id: StudyId) -> Result<Vec<TaskScores>, AppError> {
    let (ports, caller) = ports()?;
    ports.studies.tasks(&caller, id).await
}

/// One task with every output and rating.
#[server(prefix = "/rpc", endpoint = "study_task", input = Json)]
pub async fn study_task(id: StudyId, task: TaskId) -> Result<TaskRatings, AppError> {
    let (ports, caller) = ports()?;
    ports.studies.task(&caller, id, task).await
}
