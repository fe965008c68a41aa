//! The grading form without JavaScript. With JavaScript, the page calls `rpc::grading` instead; both
//! use the same service.

use std::collections::HashMap;

use axum::{
    Extension, Form,
    extract::{Path, State},
    response::Redirect,
};
use model::{
    caller::{Caller, Capability, Person},
    error::AppError,
    flag::{Flag, FlagReason},
    grading::{Draft, DraftFault, GradingItem},
    ids::Token,
    note,
};
use port::Grading;

use super::errors::HttpError;
use crate::state::AppState;

/// `POST /grade/{assignment}`: `score-0`, `score-1`, …, `comment`, `flag`, `flag_text`, `notes`, `key`,
/// `action`.
pub async fn submit(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    Path(assignment): Path<String>,
    Form(fields): Form<HashMap<String, String>>,
) -> Result<Redirect, HttpError> {
    let (grading, assignment) = (&state.services.grading, Token(assignment));
    let Ok(person) = Person::of(&caller) else { return Ok(Redirect::to("/log-in")) };
    let item = grading.item(&person, &assignment).await?;
    // In side-by-side studies, the task's other outputs come first.
    let way = if fields.contains_key("side_by_side") { "side-by-side" } else { "grade" };
    let next = Redirect::to(&format!("/{way}/{}", item.study));
    let field = |name: &str| fields.get(name).map_or("", String::as_str);
    if field("action") == "skip" {
        grading.skip(&person, &assignment).await?;
        return Ok(next);
    }
    let again = |error: String| Redirect::to(&format!("/grade/{}/{assignment}?error={error}", item.study));
    let draft = match read(&item, field) {
        Ok(draft) => draft,
        Err(line) => return Ok(again(format!("notes-{line}"))),
    };
    // Saves the draft before validating it, so that an incomplete form comes
    // back unchanged.
    if draft.draft_fault(&item.rubric).is_none() {
        grading.save_draft(&person, &assignment, draft.clone()).await?;
    }
    match field("action") {
        "draft" => return Ok(again("saved".into())),
        mark @ ("bookmark" | "unbookmark") => {
            grading.bookmark(&person, &assignment, mark == "bookmark").await?;
            return Ok(if way == "side-by-side" { next } else { again(mark.into()) });
        }
        _ => {}
    }
    match grading.submit(&person, &assignment, draft, field("key"), field("first") == "true").await {
        Ok(_) if item.rated => Ok(again("changed".into())),
        Ok(_) => Ok(next),
        Err(AppError::Draft(DraftFault::Missing(place))) => Ok(again(format!("missing-{place}"))),
        Err(AppError::Draft(DraftFault::OffScale(place))) => Ok(again(format!("off-scale-{place}"))),
        Err(AppError::Draft(DraftFault::NoReason)) => Ok(again("no-reason".into())),
        Err(AppError::Draft(DraftFault::Notes)) => Ok(again("notes-0".into())),
        Err(AppError::Draft(_)) => Ok(again("too-long".into())),
        Err(e) => Err(e.into()),
    }
}

/// Parses the form; the error is the number of the first invalid line of notes.
fn read<'a>(item: &GradingItem, field: impl Fn(&str) -> &'a str) -> Result<Draft, usize> {
    let scores = (0..item.rubric.dimensions.len()).map(|i| field(&format!("score-{i}")).parse().ok()).collect();
    let flag =
        FlagReason::from_name(field("flag")).map(|reason| Flag { reason, text: field("flag_text").trim().to_owned() });
    // Browsers send CR LF; the rest of the program uses LF.
    let notes = note::from_text(field("notes"), &item.code)?;
    Ok(Draft { scores, comment: field("comment").replace("\r\n", "\n"), flag, notes, active_ms: None })
}
