//! Plans of studies, for admins.

#[cfg(not(target_arch = "wasm32"))]
use std::collections::BTreeMap;

use leptos::prelude::*;

#[cfg(not(target_arch = "wasm32"))]
use model::{
    caller::Admin,
    ids::GroupId,
    plan::{Extension, Sharing},
    study::StudyChange,
};
use model::{
    error::AppError,
    ids::{StudyId, SubmissionId, UserId},
    page::PageOf,
    plan::PagedPlan,
    study::{StudyDraft, StudyForm},
};
#[cfg(not(target_arch = "wasm32"))]
use port::Ports;
use ui::call::Call;
#[cfg(not(target_arch = "wasm32"))]
use ui::context::ports;

/// A study's current plan with a page of its raters.
#[server(prefix = "/rpc", endpoint = "plan", protocol = Call)]
pub async fn plan(id: StudyId, #[server(default)] page: PageOf) -> Result<PagedPlan, AppError> {
    let (ports, admin) = ports()?;
    Ok(ports.plans.get(&admin, id).await?.page(&page))
}

/// A study's settings, to edit while it is a draft.
#[server(prefix = "/rpc", endpoint = "draft_settings", protocol = Call)]
pub async fn draft_settings(id: StudyId) -> Result<StudyDraft, AppError> {
    let (ports, admin) = ports()?;
    ports.plans.draft(&admin, id).await
}

/// Who rates, with groups replaced by their members.
#[cfg(not(target_arch = "wasm32"))]
pub(super) struct People {
    pub raters: Vec<UserId>,
    /// The share of each rater, if shares are set by hand.
    pub shares: Vec<u32>,
}

/// The people of a form.
#[cfg(not(target_arch = "wasm32"))]
pub(super) async fn people(ports: &Ports, admin: &Admin, form: &StudyForm) -> Result<People, AppError> {
    let raters = with_groups(ports, admin, form.raters.clone(), form.groups.clone()).await?;
    let by_hand = form.settings.get("sharing").is_some_and(|sharing| sharing == Sharing::Hand.code());
    let shares = if by_hand { shares_of(&raters, &form.shares)? } else { Vec::new() };
    Ok(People { raters, shares })
}

/// Changes a draft and redirects to its plan.
#[server(prefix = "/rpc", endpoint = "edit_study")]
pub async fn edit_study(id: StudyId, study: StudyForm) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    let People { raters, shares } = people(&ports, &admin, &study).await?;
    let mut change = StudyChange::of_texts(study.settings)
        .and("title", study.title)
        .and("submissions", study.submissions.iter().map(|id| id.0).collect::<Vec<_>>())
        .and("raters", raters.iter().map(|id| id.0).collect::<Vec<_>>())
        .and("shares", shares)
        .and("rubric", study.rubric);
    if let Some(seed) = parse_seed(&study.seed)? {
        change = change.and("seed", seed);
    }
    ports.plans.edit(&admin, id, change).await?;
    leptos_axum::redirect(&format!("/admin/studies/{id}/plan"));
    Ok(())
}

/// Parses a form's seed; empty is `None`.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn parse_seed(text: &str) -> Result<Option<u64>, AppError> {
    match text.trim() {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|_| {
            AppError::invalid(
                "seed",
                (
                    format!("\"{text}\" is not a whole number up to {}", u64::MAX),
                    format!("“{text}”不是 {} 以内的整数", u64::MAX),
                ),
                ("Leave it empty for the default", "留空则使用默认值"),
            )
        }),
    }
}

/// The raters with the active members of the groups, each once.
#[cfg(not(target_arch = "wasm32"))]
async fn with_groups(
    ports: &Ports,
    admin: &Admin,
    mut raters: Vec<UserId>,
    groups: Vec<GroupId>,
) -> Result<Vec<UserId>, AppError> {
    for member in ports.groups.active(admin, groups).await? {
        if !raters.contains(&member) {
            raters.push(member);
        }
    }
    Ok(raters)
}

/// The shares of the raters, in order, from a form's `shares[ID]`.
#[cfg(not(target_arch = "wasm32"))]
fn shares_of(raters: &[UserId], shares: &BTreeMap<String, String>) -> Result<Vec<u32>, AppError> {
    let share = |rater: &UserId| number("shares", shares.get(&rater.to_string()).map_or("", String::as_str));
    raters.iter().map(|rater| Ok(share(rater)?.unwrap_or(0))).collect()
}

/// Adds a rater; an empty `share` means none.
#[server(prefix = "/rpc", endpoint = "add_rater")]
pub async fn add_rater(id: StudyId, user: UserId, #[server(default)] share: String) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    let share = number("share", &share)?;
    ports.plans.join(&admin, id, user, share).await
}

/// Removes a rater.
#[server(prefix = "/rpc", endpoint = "remove_rater")]
pub async fn remove_rater(id: StudyId, user: UserId) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.plans.leave(&admin, id, user).await
}

/// Extends a study; empty fields change nothing.
#[server(prefix = "/rpc", endpoint = "extend_study")]
pub async fn extend_study(
    id: StudyId,
    #[server(default)] submissions: Vec<SubmissionId>,
    #[server(default)] raters_per_output: String,
    #[server(default)] tasks: String,
) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    let by = Extension {
        submissions,
        raters_per_output: number("raters_per_output", &raters_per_output)?,
        tasks: number("tasks", &tasks)?,
    };
    ports.plans.extend(&admin, id, by).await
}

/// Creates a draft with the same settings and redirects to its plan.
#[server(prefix = "/rpc", endpoint = "duplicate_study")]
pub async fn duplicate_study(id: StudyId) -> Result<StudyId, AppError> {
    let (ports, admin) = ports()?;
    let copy = ports.plans.copy(&admin, id).await?;
    leptos_axum::redirect(&format!("/admin/studies/{copy}/plan"));
    Ok(copy)
}

/// Sets the seconds per rating; empty for the measured value.
#[server(prefix = "/rpc", endpoint = "set_pace")]
pub async fn set_pace(id: StudyId, #[server(default)] seconds: String) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    let seconds = number("seconds", &seconds)?;
    ports.plans.set_pace(&admin, id, seconds).await
}

/// Sets the languages that a person reads: `en`, `zh` or `en,zh`.
#[server(prefix = "/rpc", endpoint = "set_reads")]
pub async fn set_reads(user: UserId, reads: String) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    let reads = reads.parse().map_err(|what: String| {
        AppError::invalid("reads", (what, "未选择语言，或语言未知"), ("Choose at least one", "请至少选择一种"))
    })?;
    ports.plans.set_reads(&admin, user, reads).await
}

/// Parses a form's number; empty is `None`.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn number(field: &str, text: &str) -> Result<Option<u32>, AppError> {
    match text.trim() {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|_| {
            AppError::invalid(
                field,
                (
                    format!("\"{text}\" is not a whole number up to {}", u32::MAX),
                    format!("“{text}”不是 {} 以内的整数", u32::MAX),
                ),
                ("Enter a number, or leave it empty", "请输入数字，或留空"),
            )
        }),
    }
}
