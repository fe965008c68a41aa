//! Import of ratings made with other tools, for admins.

use std::collections::BTreeMap;

use leptos::prelude::*;

#[cfg(not(target_arch = "wasm32"))]
use model::ratings_import::RatingsKind;
use model::{
    error::AppError,
    ids::UploadId,
    ratings_import::{RatingsPreview, RatingsReading},
};
use ui::call::Call;
#[cfg(not(target_arch = "wasm32"))]
use ui::context::ports;

/// Preview of an uploaded file of ratings.
#[server(prefix = "/rpc", endpoint = "preview_ratings", protocol = Call)]
pub async fn preview_ratings(upload: UploadId, reading: RatingsReading) -> Result<RatingsPreview, AppError> {
    let (ports, admin) = ports()?;
    ports.ratings.preview(&admin, upload, reading).await
}

/// Imports an uploaded file of ratings and redirects to the result: a closed study called `name`, or the
/// comparison with the judge of that name. Columns come as `columns[OURS]=THEIRS`.
#[server(prefix = "/rpc", endpoint = "import_ratings")]
pub async fn import_ratings(
    upload: UploadId,
    dataset: String,
    name: String,
    #[server(default)] judge: bool,
    #[server(default)] columns: BTreeMap<String, String>,
) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    let kind = if judge { RatingsKind::Judge(name) } else { RatingsKind::People(name) };
    let to = format!("/admin/compare/{dataset}");
    let imported = ports.ratings.import(&admin, upload, RatingsReading { dataset, judge, columns }, kind).await?;
    leptos_axum::redirect(&imported.study.map_or(to, |study| format!("/admin/studies/{study}")));
    Ok(())
}
