//! Quality of studies: known scores, settings, live figures, flags, disagreements; and the views of raters
//! and adjudicators. Forms also work without JavaScript, so their functions redirect to a page.

use std::collections::BTreeMap;

use leptos::prelude::*;

use model::{
    error::AppError,
    feedback::{Disagreement, DisagreementQueue, RaterFeedback},
    ids::{StudyId, SubmissionId, Token, UserId},
    page::PageOf,
    quality::{DisagreementList, FlagRow, KnownItemForm, Live, Pool, QualityPage, RatingFilter, RatingList, TabCounts},
    submission::{MaskState, StudyLeaks},
};
#[cfg(not(target_arch = "wasm32"))]
use model::{
    ids::{OutputId, TaskRevisionId},
    lang::Bilingual,
    patch::Patch,
    quality::{FlagOn, KnownItemChange, KnownItemSource, NewKnownItem},
    study::StudyStatus,
};
use ui::call::Call;
#[cfg(not(target_arch = "wasm32"))]
use ui::context::ports;

/// A study's settings, known-score items, raters' progress in the calibration, and adjudicators. `output` is one that
/// the study grades, to be added as a known-score item.
#[server(prefix = "/rpc", endpoint = "study_quality", protocol = Call)]
pub async fn study_quality(study: StudyId, #[server(default)] output: Option<i64>) -> Result<QualityPage, AppError> {
    let (ports, admin) = ports()?;
    let page = ports.quality.page(&admin, study).await?;
    let proposal = match output {
        Some(output) => Some(ports.quality.propose_known_item(&admin, study, OutputId(output)).await?),
        None => None,
    };
    Ok(QualityPage { proposal, ..page })
}

/// Changes a study's quality settings, by name. An empty one gets its default.
#[server(prefix = "/rpc", endpoint = "set_quality")]
pub async fn set_quality(
    study: StudyId,
    #[server(default)] settings: BTreeMap<String, String>,
) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.quality.set(&admin, study, Patch::of_texts(settings).into()).await?;
    leptos_axum::redirect(&format!("/admin/studies/{study}/quality?saved=1"));
    Ok(())
}

/// Adds a known-score item: an output by its id, or code for a task by its revision.
#[server(prefix = "/rpc", endpoint = "add_known_item")]
pub async fn add_known_item(study: StudyId, item: KnownItemForm) -> Result<i64, AppError> {
    let (ports, admin) = ports()?;
    let KnownItemForm { output, task, code, surrounding_text, scores, reasons_en, reasons_zh, pool } = item;
    let number = |field: &str, text: &str| {
        let chosen = text.trim().parse::<i64>();
        chosen.map_err(|_| {
            AppError::invalid(
                field,
                ("nothing is selected", "未选择任何项"),
                ("Select one from the list", "请从列表中选择一项"),
            )
        })
    };
    let source = if output.trim().is_empty() {
        KnownItemSource::Pasted { task: TaskRevisionId(number("task", &task)?), code, surrounding_text }
    } else {
        KnownItemSource::Output(OutputId(number("output", &output)?))
    };
    let text = |texts: &[String], place: usize| texts.get(place).cloned().unwrap_or_default();
    let longest = reasons_en.len().max(reasons_zh.len());
    let reasons = (0..longest).map(|d| Bilingual { en: text(&reasons_en, d), zh: text(&reasons_zh, d) }).collect();
    let id = ports.quality.add_known_item(&admin, study, NewKnownItem { source, scores, reasons, pool }).await?;
    leptos_axum::redirect(&format!("/admin/studies/{study}/quality#known"));
    Ok(id)
}

/// Deactivates or activates a known-score item, or changes its pool.
#[server(prefix = "/rpc", endpoint = "change_known_item")]
pub async fn change_known_item(
    study: StudyId,
    item: i64,
    #[server(default)] deactivated: Option<bool>,
    #[server(default)] pool: Option<Pool>,
) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.quality.change_known_item(&admin, study, item, KnownItemChange { deactivated, pool }).await?;
    leptos_axum::redirect(&format!("/admin/studies/{study}/quality#known"));
    Ok(())
}

/// Removes a known-score item that no rater has had.
#[server(prefix = "/rpc", endpoint = "remove_known_item")]
pub async fn remove_known_item(study: StudyId, item: i64) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.quality.remove_known_item(&admin, study, item).await?;
    leptos_axum::redirect(&format!("/admin/studies/{study}/quality#known"));
    Ok(())
}

/// Pauses a rater until an admin decides, or lets a paused one continue.
#[server(prefix = "/rpc", endpoint = "pause_rater")]
pub async fn pause_rater(study: StudyId, rater: UserId, paused: bool) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.quality.pause_rater(&admin, study, rater, paused).await?;
    leptos_axum::redirect(&format!("/admin/studies/{study}/quality#limits"));
    Ok(())
}

/// Admits a rater, or restarts their calibration.
#[server(prefix = "/rpc", endpoint = "set_admission")]
pub async fn set_admission(study: StudyId, rater: UserId, admitted: bool) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.quality.set_admission(&admin, study, rater, admitted).await?;
    leptos_axum::redirect(&format!("/admin/studies/{study}/quality#calibrations"));
    Ok(())
}

/// Adds or removes an adjudicator.
#[server(prefix = "/rpc", endpoint = "set_adjudicator")]
pub async fn set_adjudicator(study: StudyId, user: UserId, on: bool) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.quality.set_adjudicator(&admin, study, user, on).await?;
    leptos_axum::redirect(&format!("/admin/studies/{study}/quality#adjudicators"));
    Ok(())
}

/// A submission's masking. Without `whole`, the outputs of a large submission are not searched.
#[server(prefix = "/rpc", endpoint = "mask", protocol = Call)]
pub async fn mask(submission: SubmissionId, #[server(default)] whole: bool) -> Result<MaskState, AppError> {
    let (ports, admin) = ports()?;
    ports.quality.mask(&admin, submission, whole).await
}

/// Outputs of a study that name a model. Without `whole`, large studies are not searched.
#[server(prefix = "/rpc", endpoint = "named_models", protocol = Call)]
pub async fn named_models(study: StudyId, #[server(default)] whole: bool) -> Result<StudyLeaks, AppError> {
    let (ports, admin) = ports()?;
    ports.quality.leaks(&admin, study, whole).await
}

/// Hides names of models from the raters of a study, and starts it if `start` says so.
#[server(prefix = "/rpc", endpoint = "mask_study")]
pub async fn mask_study(study: StudyId, #[server(default)] start: bool) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.quality.mask_study(&admin, study).await?;
    if start {
        ports.studies.set_status(&admin, study, StudyStatus::Running).await?;
    }
    leptos_axum::redirect(&format!("/admin/studies/{study}/plan"));
    Ok(())
}

/// Hides names of models from raters of a submission, or shows the original outputs.
#[server(prefix = "/rpc", endpoint = "set_mask")]
pub async fn set_mask(submission: SubmissionId, on: bool) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.quality.set_mask(&admin, submission, on).await?;
    leptos_axum::redirect(&format!("/admin/submissions/{submission}"));
    Ok(())
}

/// What waits on each of a study's pages.
#[server(prefix = "/rpc", endpoint = "study_tabs", protocol = Call)]
pub async fn study_tabs(study: StudyId) -> Result<TabCounts, AppError> {
    let (ports, admin) = ports()?;
    ports.monitoring.tabs(&admin, study).await
}

/// A study's live status.
#[server(prefix = "/rpc", endpoint = "study_live", protocol = Call)]
pub async fn study_live(study: StudyId) -> Result<Live, AppError> {
    let (ports, admin) = ports()?;
    ports.monitoring.live(&admin, study).await
}

/// A page of a study's ratings.
#[server(prefix = "/rpc", endpoint = "study_ratings", protocol = Call)]
pub async fn study_ratings(study: StudyId, filter: RatingFilter) -> Result<RatingList, AppError> {
    let (ports, admin) = ports()?;
    ports.monitoring.ratings(&admin, study, filter).await
}

/// A study's title and its flags.
#[server(prefix = "/rpc", endpoint = "study_flags", protocol = Call)]
pub async fn study_flags(study: StudyId) -> Result<(String, Vec<FlagRow>), AppError> {
    let (ports, admin) = ports()?;
    let (mut flags, mut of) = (Vec::new(), PageOf::first(PageOf::MOST));
    loop {
        let (title, page) = ports.monitoring.flags(&admin, study, of.clone()).await?;
        flags.extend(page.rows);
        if page.next.is_none() {
            return Ok((title, flags));
        }
        of.after = page.next;
    }
}

/// Replies to a flag, and returns to the study's flags or to the address of the inbox.
#[server(prefix = "/rpc", endpoint = "reply_to_flag")]
pub async fn reply_to_flag(
    study: StudyId,
    check: bool,
    on: i64,
    #[server(default)] reply: String,
    #[server(default)] inbox: String,
) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    let on = if check { FlagOn::Check(on) } else { FlagOn::Assignment(on) };
    ports.monitoring.reply_to_flag(&admin, study, on, &reply).await?;
    // From the inbox, back to it with its filter.
    match inbox.strip_prefix("/admin/inbox") {
        Some(rest) if rest.is_empty() || rest.starts_with('?') => leptos_axum::redirect(&inbox),
        _ => leptos_axum::redirect(&format!("/admin/studies/{study}/flags")),
    }
    Ok(())
}

/// A page of a study's disagreements.
#[server(prefix = "/rpc", endpoint = "study_disagreements", protocol = Call)]
pub async fn study_disagreements(
    study: StudyId,
    #[server(default)] page: PageOf,
) -> Result<DisagreementList, AppError> {
    let (ports, admin) = ports()?;
    ports.monitoring.disagreements(&admin, study, page).await
}

/// Requests one more rating of an output.
#[server(prefix = "/rpc", endpoint = "ask_extra")]
pub async fn ask_extra(study: StudyId, output: i64) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.monitoring.ask_extra(&admin, study, OutputId(output)).await?;
    leptos_axum::redirect(&format!("/admin/studies/{study}/disagreements"));
    Ok(())
}

/// Feedback to the person.
#[server(prefix = "/rpc", endpoint = "my_feedback", protocol = Call)]
pub async fn my_feedback() -> Result<RaterFeedback, AppError> {
    let (ports, person) = ports()?;
    ports.feedback.rater_feedback(&person).await
}

/// Records that the person read the replies to their flags.
#[server(prefix = "/rpc", endpoint = "read_replies")]
pub async fn read_replies() -> Result<(), AppError> {
    let (ports, person) = ports()?;
    ports.feedback.read_replies(&person).await?;
    leptos_axum::redirect("/my-studies");
    Ok(())
}

/// Continues after a calibration item's known scores, or after the calibration.
#[server(prefix = "/rpc", endpoint = "go_on")]
pub async fn go_on(what: Token) -> Result<(), AppError> {
    let (ports, person) = ports()?;
    let study = ports.feedback.go_on(&person, &what).await?;
    leptos_axum::redirect(&format!("/grade/{study}"));
    Ok(())
}

/// The disagreements that the person can adjudicate.
#[server(prefix = "/rpc", endpoint = "my_disagreements", protocol = Call)]
pub async fn my_disagreements() -> Result<DisagreementQueue, AppError> {
    let (ports, person) = ports()?;
    ports.feedback.disagreements(&person).await
}

/// One disagreement.
#[server(prefix = "/rpc", endpoint = "open_disagreement", protocol = Call)]
pub async fn open_disagreement(token: Token) -> Result<Disagreement, AppError> {
    let (ports, person) = ports()?;
    ports.feedback.disagreement(&person, &token).await
}

/// Adjudicates a disagreement and redirects to the next one, or to the list; `inbox` if that is the admin's inbox.
/// `seen` is the time of the adjudication that the page showed, 0 for none.
#[server(prefix = "/rpc", endpoint = "adjudicate")]
pub async fn adjudicate(
    token: Token,
    #[server(default)] scores: Vec<u8>,
    #[server(default)] comment: String,
    #[server(default)] seen: Option<i64>,
    #[server(default)] inbox: bool,
) -> Result<(), AppError> {
    let (ports, person) = ports()?;
    match (ports.feedback.decide(&person, &token, scores, &comment, seen).await?, inbox) {
        (Some(next), false) => leptos_axum::redirect(&format!("/adjudicate/{next}?adjudicated=1")),
        (Some(next), true) => leptos_axum::redirect(&format!("/adjudicate/{next}?adjudicated=1&from=inbox")),
        (None, false) => leptos_axum::redirect("/adjudicate?adjudicated=1"),
        (None, true) => leptos_axum::redirect("/admin/inbox?done=1"),
    }
    Ok(())
}
