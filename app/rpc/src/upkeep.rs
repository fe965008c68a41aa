//! Renaming, archiving and deleting.

use leptos::prelude::*;

#[cfg(not(target_arch = "wasm32"))]
use model::audit::Object;
use model::{
    error::AppError,
    upkeep::{Archived, Upkeep},
};
use ui::call::Call;
#[cfg(not(target_arch = "wasm32"))]
use ui::context::ports;

#[cfg(not(target_arch = "wasm32"))]
fn object(text: &str) -> Result<Object, AppError> {
    text.parse().map_err(|_| AppError::NotFound("object".into()))
}

/// The state of an object, which is named in words such as `study 3`.
#[server(prefix = "/rpc", endpoint = "object_upkeep", protocol = Call)]
pub async fn object_upkeep(object: String) -> Result<Upkeep, AppError> {
    let (ports, admin) = ports()?;
    ports.upkeep.get(&admin, self::object(&object)?).await
}

/// Everything archived.
#[server(prefix = "/rpc", endpoint = "archived_objects", protocol = Call)]
pub async fn archived_objects() -> Result<Vec<Archived>, AppError> {
    let (ports, admin) = ports()?;
    ports.upkeep.archived(&admin).await
}

/// Renames an object.
#[server(prefix = "/rpc", endpoint = "rename_object")]
pub async fn rename_object(object: String, name: String) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.upkeep.rename(&admin, self::object(&object)?, &name).await
}

/// Archives an object, or unarchives it.
#[server(prefix = "/rpc", endpoint = "archive_object")]
pub async fn archive_object(object: String, archived: bool) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.upkeep.set_archived(&admin, self::object(&object)?, archived).await
}

/// Deletes an object. A dataset or a rubric is gone at once, so its list follows.
#[server(prefix = "/rpc", endpoint = "delete_object")]
pub async fn delete_object(object: String) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    let object = self::object(&object)?;
    let list = match object {
        Object::Dataset(_) => Some("/admin/datasets"),
        Object::Rubric(_) => Some("/admin/rubrics"),
        _ => None,
    };
    ports.upkeep.delete(&admin, object).await?;
    if let Some(list) = list {
        leptos_axum::redirect(list);
    }
    Ok(())
}

/// Undoes a deletion.
#[server(prefix = "/rpc", endpoint = "restore_object")]
pub async fn restore_object(object: String) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.upkeep.restore(&admin, self::object(&object)?).await
}
