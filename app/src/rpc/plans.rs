//! The sharing of a study's work, for admins.

use leptos::prelude::*;

use super::call::Call;
use crate::{
    error::AppError,
    model::{
        ids::{StudyId, SubmissionId, UserId},
        plan::PlanDetail,
    },
};
#[cfg(feature = "ssr")]
use crate::{model::plan::Extension, port::ports};

/// A study's plan as it stands.
#[server(prefix = "/rpc", endpoint = "plan", protocol = Call)]
pub async fn plan(id: StudyId) -> Result<PlanDetail, AppError> {
    let (ports, caller) = ports()?;
    ports.plans.get(&caller, id).await
}

/// Lets somebody join; an empty `share` is none.
#[server(prefix = "/rpc", endpoint = "join_study")]
pub async fn join_study(id: StudyId, user: UserId, #[server(default)] share: String) -> Result<(), AppError> {
    let (ports, caller) = ports()?;
    let share = number("share", &share)?;
    ports.plans.join(&caller, id, user, share).await
}

/// Lets somebody leave.
#[server(prefix = "/rpc", endpoint = "leave_study")]
pub async fn leave_study(id: StudyId, user: UserId) -> Result<(), AppError> {
    let (ports, caller) = ports()?;
    ports.plans.leave(&caller, id, user).await
}

/// Adds to a study; empty fields leave it as it is.
#[server(prefix = "/rpc", endpoint = "extend_study")]
pub async fn extend_study(
    id: StudyId,
    #[server(default)] submissions: Vec<SubmissionId>,
    #[server(default)] overlap: String,
    #[server(default)] tasks: String,
) -> Result<(), AppError> {
    let (ports, caller) = ports()?;
    let by = Extension { submissions, overlap: number("overlap", &overlap)?, tasks: number("tasks", &tasks)? };
    ports.plans.extend(&caller, id, by).await
}

/// Makes a draft with the same settings and goes to its plan.
#[server(prefix = "/rpc", endpoint = "copy_study")]
pub async fn copy_study(id: StudyId) -> Result<StudyId, AppError> {
    let (ports, caller) = ports()?;
    let copy = ports.plans.copy(&caller, id).await?;
    leptos_axum::redirect(&format!("/admin/studies/{copy}/plan"));
    Ok(copy)
}

/// Says how many seconds a rating takes; empty: as measured.
#[server(prefix = "/rpc", endpoint = "set_pace")]
pub async fn set_pace(id: StudyId, #[server(default)] seconds: String) -> Result<(), AppError> {
    let (ports, caller) = ports()?;
    let seconds = number("seconds", &seconds)?;
    ports.plans.set_pace(&caller, id, seconds).await
}

/// Says which languages somebody reads: `en`, `zh` or `en,zh`.
#[server(prefix = "/rpc", endpoint = "set_reads")]
pub async fn set_reads(user: UserId, reads: String) -> Result<(), AppError> {
    let (ports, caller) = ports()?;
    let reads = reads.parse().map_err(|what: String| AppError::invalid("reads", what, "Choose at least one"))?;
    ports.plans.set_reads(&caller, user, reads).await
}

/// A form's number; empty is none.
#[cfg(feature = "ssr")]
pub(super) fn number(field: &str, text: &str) -> Result<Option<u32>, AppError> {
    match text.trim() {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|_| {
            AppError::invalid(
                field,
                format!("`{text}` is no whole number up to {}", u32::MAX),
                "Write a number, or leave it empty",
            )
        }),
    }
}
