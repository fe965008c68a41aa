//! Grading. Nothing here takes or returns a model, a submission or a database id.

use leptos::prelude::*;

#[cfg(not(target_arch = "wasm32"))]
use model::caller::Person;
use model::{
    error::AppError,
    grading::{self, Draft, GradingItem, MyStudy, Next, NextTask, OwnItems, Receipt, RubricSheet},
    ids::Token,
};
use ui::call::Call;
#[cfg(not(target_arch = "wasm32"))]
use ui::context::ports;

/// The rater's studies.
#[server(prefix = "/rpc", endpoint = "my_studies", protocol = Call)]
pub async fn my_studies() -> Result<Vec<MyStudy>, AppError> {
    let (ports, person) = ports()?;
    ports.grading.my_studies(&person).await
}

/// The next output to rate, other than those that the page is already `holding`.
#[server(prefix = "/rpc", endpoint = "next_item", protocol = Call)]
pub async fn next_item(study: Token, #[server(default)] holding: Vec<Token>) -> Result<Next, AppError> {
    let (ports, person) = ports()?;
    ports.grading.next(&person, &study, holding).await
}

/// The next task to rate with all its outputs, other than tasks of which the page is `holding` an output.
#[server(prefix = "/rpc", endpoint = "next_task_items", protocol = Call)]
pub async fn next_task_items(study: Token, #[server(default)] holding: Vec<Token>) -> Result<NextTask, AppError> {
    let (ports, person) = ports()?;
    ports.grading.next_task(&person, &study, holding).await
}

/// An output that was assigned to the rater before.
#[server(prefix = "/rpc", endpoint = "item", protocol = Call)]
pub async fn item(assignment: Token) -> Result<GradingItem, AppError> {
    let (ports, person) = ports()?;
    ports.grading.item(&person, &assignment).await
}

/// Saves a draft.
#[server(prefix = "/rpc", endpoint = "save_draft", protocol = Call)]
pub async fn save_draft(assignment: Token, draft: Draft) -> Result<(), AppError> {
    let (ports, person) = ports()?;
    ports.grading.save_draft(&person, &assignment, draft).await
}

/// Submits a rating; responds only after the commit. Without JavaScript the form goes to
/// `server/web/src/grade.rs`, which makes the same call.
#[server(prefix = "/rpc", endpoint = "submit_rating", protocol = Call)]
pub async fn submit_rating(
    assignment: Token,
    draft: Draft,
    key: String,
    #[server(default)] first: bool,
) -> Result<Receipt, AppError> {
    let (ports, person) = ports()?;
    ports.grading.submit(&person, &assignment, draft, &key, first).await
}

/// Skips an output.
#[server(prefix = "/rpc", endpoint = "skip", protocol = Call)]
pub async fn skip(assignment: Token) -> Result<(), AppError> {
    let (ports, person) = ports()?;
    ports.grading.skip(&person, &assignment).await
}

/// Marks an output for the rater to find again, or removes the mark.
#[server(prefix = "/rpc", endpoint = "bookmark", protocol = Call)]
pub async fn bookmark(assignment: Token, on: bool) -> Result<(), AppError> {
    let (ports, person) = ports()?;
    ports.grading.bookmark(&person, &assignment, on).await
}

/// The outputs of a study that the rater skipped or bookmarked.
#[server(prefix = "/rpc", endpoint = "own_lists", protocol = Call)]
pub async fn own_lists(study: Token) -> Result<OwnItems, AppError> {
    let (ports, person) = ports()?;
    ports.grading.own_items(&person, &study).await
}

/// Withdraws the newest rating; see [`port::Grading::undo`].
#[server(prefix = "/rpc", endpoint = "undo_rating", protocol = Call)]
pub async fn undo_rating(assignment: Token) -> Result<(), AppError> {
    let (ports, person) = ports()?;
    ports.grading.undo(&person, &assignment).await
}

/// The rubric of one of the rater's studies.
#[server(prefix = "/rpc", endpoint = "study_rubric", protocol = Call)]
pub async fn study_rubric(study: Token) -> Result<RubricSheet, AppError> {
    let (ports, person) = ports()?;
    ports.grading.rubric(&person, &study).await
}

/// Name of the person that this browser is logged in as. A page can outlive its session: before discarding
/// a refused submission, the page checks that the person is still the same.
#[server(prefix = "/rpc", endpoint = "who", protocol = Call)]
pub async fn who() -> Result<String, AppError> {
    let (_, person) = ports::<Person>()?;
    Ok(person.name.clone())
}

/// The rater's ratings in a study.
#[server(prefix = "/rpc", endpoint = "own_ratings", protocol = Call)]
pub async fn own_ratings(
    study: Token,
    #[server(default)] words: String,
    #[server(default)] page: usize,
) -> Result<grading::OwnRatings, AppError> {
    let (ports, person) = ports()?;
    ports.grading.own(&person, &study, &words, page).await
}
