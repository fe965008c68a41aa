//! Rubrics. Files are imported by `server/web/src/upload.rs`.

use leptos::prelude::*;

#[cfg(not(target_arch = "wasm32"))]
use model::rubric::Rubric;
use model::{
    error::AppError,
    page::{PageOf, Paged},
    rubric::{DimensionForm, RubricChoices, RubricDetail, RubricRow},
};
use ui::call::Call;
#[cfg(not(target_arch = "wasm32"))]
use ui::context::ports;

/// A page of the rubrics.
#[server(prefix = "/rpc", endpoint = "rubrics", protocol = Call)]
pub async fn rubrics(#[server(default)] page: PageOf) -> Result<Paged<RubricRow>, AppError> {
    let (ports, admin) = ports()?;
    ports.rubrics.list(&admin, page).await
}

/// A version of a rubric, by default the newest.
#[server(prefix = "/rpc", endpoint = "rubric_version", protocol = Call)]
pub async fn rubric_version(slug: String, version: Option<u32>) -> Result<RubricDetail, AppError> {
    let (ports, admin) = ports()?;
    ports.rubrics.get(&admin, &slug, version).await
}

/// Saves the editor's rubric as the next version of its short name. `expected` is the newest version that the
/// editor knows of, 0 for a new rubric.
#[server(prefix = "/rpc", endpoint = "save_rubric")]
pub async fn save_rubric(
    slug: String,
    #[server(default)] instructions: bool,
    #[server(default)] dimensions: Vec<DimensionForm>,
    expected: u32,
) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    let dimensions = dimensions.into_iter().map(Into::into).collect();
    let rubric = Rubric { slug: slug.trim().to_owned(), version: 0, instructions, dimensions };
    let saved = ports.rubrics.save(&admin, rubric, Some(expected)).await?;
    leptos_axum::redirect(&saved.address());
    Ok(())
}

/// The rubrics that a new study of a dataset can use.
#[server(prefix = "/rpc", endpoint = "rubrics_for", protocol = Call)]
pub async fn rubrics_for(dataset: String) -> Result<RubricChoices, AppError> {
    let (ports, admin) = ports()?;
    ports.rubrics.choices(&admin, &dataset).await
}

/// Sets the rubric of a dataset's new studies.
#[server(prefix = "/rpc", endpoint = "set_dataset_rubric")]
pub async fn set_dataset_rubric(dataset: String, rubric: String) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.rubrics.set_default(&admin, &dataset, &rubric).await
}
