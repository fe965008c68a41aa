//! Guidelines: the admin's editor and what raters read.

use leptos::prelude::*;

#[cfg(not(target_arch = "wasm32"))]
use model::audit::Object;
use model::{
    error::AppError,
    guidelines::{GuidelinesDetail, GuidelinesSheet},
    ids::Token,
    lang::Bilingual,
};
use ui::call::Call;
#[cfg(not(target_arch = "wasm32"))]
use ui::context::ports;

#[cfg(not(target_arch = "wasm32"))]
fn object(text: &str) -> Result<Object, AppError> {
    text.parse().map_err(|_| AppError::NotFound("object".into()))
}

/// The guidelines of an object, which is named in words such as `study 3`.
#[server(prefix = "/rpc", endpoint = "guidelines", protocol = Call)]
pub async fn guidelines(object: String, version: Option<u32>) -> Result<GuidelinesDetail, AppError> {
    let (ports, admin) = ports()?;
    ports.guidelines.get(&admin, self::object(&object)?, version).await
}

/// Saves a new version of an object's guidelines.
#[server(prefix = "/rpc", endpoint = "save_guidelines")]
pub async fn save_guidelines(object: String, en: String, zh: String, expected: u32) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.guidelines.save(&admin, self::object(&object)?, Bilingual { en, zh }, Some(expected)).await
}

/// Markdown as the HTML that raters get.
#[server(prefix = "/rpc", endpoint = "preview_guidelines", protocol = Call)]
pub async fn preview_guidelines(en: String, zh: String) -> Result<Bilingual, AppError> {
    let (ports, admin) = ports()?;
    ports.guidelines.preview(&admin, Bilingual { en, zh }).await
}

/// The guidelines of one of the rater's studies, which are noted as read.
#[server(prefix = "/rpc", endpoint = "read_guidelines", protocol = Call)]
pub async fn read_guidelines(study: Token) -> Result<GuidelinesSheet, AppError> {
    let (ports, person) = ports()?;
    ports.guidelines.read(&person, &study).await
}
