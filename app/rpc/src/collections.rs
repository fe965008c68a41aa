//! Outputs and judge models' scores that are requested from endpoints.

use leptos::prelude::*;

#[cfg(not(target_arch = "wasm32"))]
use model::{
    address::query_value,
    collection::{CollectionResume, CollectionSettings, NewCollection},
    conversation::Way,
    ids::{StudyId, SubmissionId},
    judging::{LevelOrder, NewJudging},
    lang::{Bilingual, Lang},
};
use model::{
    collection::{CollectionDetail, CollectionForm, CollectionRow, EndpointRow, RequestDetail, RequestRow},
    error::AppError,
    ids::CollectionId,
    page::{PageOf, Paged},
};
use ui::call::Call;
#[cfg(not(target_arch = "wasm32"))]
use ui::context::ports;

/// The endpoints that the operator allows.
#[server(prefix = "/rpc", endpoint = "endpoints", protocol = Call)]
pub async fn endpoints() -> Result<Vec<EndpointRow>, AppError> {
    let (ports, admin) = ports()?;
    ports.collections.endpoints(&admin).await
}

/// A page of the collections.
#[server(prefix = "/rpc", endpoint = "collections", protocol = Call)]
pub async fn collections(#[server(default)] page: PageOf) -> Result<Paged<CollectionRow>, AppError> {
    let (ports, admin) = ports()?;
    ports.collections.list(&admin, page).await
}

/// One collection.
#[server(prefix = "/rpc", endpoint = "collection", protocol = Call)]
pub async fn collection(id: CollectionId) -> Result<CollectionDetail, AppError> {
    let (ports, admin) = ports()?;
    ports.collections.get(&admin, id).await
}

/// A page of a collection's requests, and one of them with its texts.
#[server(prefix = "/rpc", endpoint = "collection_requests", protocol = Call)]
pub async fn collection_requests(
    id: CollectionId,
    request: Option<i64>,
    #[server(default)] page: PageOf,
) -> Result<(Paged<RequestRow>, Option<RequestDetail>), AppError> {
    let (ports, admin) = ports()?;
    let rows = ports.collections.requests(&admin, id, page).await?;
    let one = match request {
        Some(request) => Some(ports.collections.request(&admin, id, request).await?),
        None => None,
    };
    Ok((rows, one))
}

/// Creates a draft and redirects to it.
#[server(prefix = "/rpc", endpoint = "create_collection")]
pub async fn create_collection(collection: CollectionForm) -> Result<CollectionId, AppError> {
    let (ports, admin) = ports()?;
    let settings = settings(&collection)?;
    let CollectionForm { dataset, model, endpoint, endpoint_model, tasks, .. } = collection;
    let new = NewCollection { dataset, model, endpoint, endpoint_model, tasks: words(&tasks), settings };
    let id = ports.collections.create(&admin, new).await?;
    leptos_axum::redirect(&format!("/admin/collections/{id}"));
    Ok(id)
}

/// Creates the draft of a judging and redirects to it.
#[server(prefix = "/rpc", endpoint = "create_judging")]
pub async fn create_judging(collection: CollectionForm) -> Result<CollectionId, AppError> {
    let (ports, admin) = ports()?;
    let settings = settings(&collection)?;
    let CollectionForm { study, submission, rubric, judge, endpoint, endpoint_model, tasks, lang, level_order, .. } =
        collection;
    let new = NewJudging {
        study: number("study", &study)?.map(StudyId),
        submission: number("submission", &submission)?.map(SubmissionId),
        rubric,
        judge,
        endpoint,
        endpoint_model,
        tasks: words(&tasks),
        lang: chosen("lang", &lang, |text| text.parse().ok())?.unwrap_or(Lang::En),
        level_order: chosen("level_order", &level_order, |text| text.parse().ok())?.unwrap_or(LevelOrder::BestFirst),
        settings,
    };
    let id = ports.collections.create_judging(&admin, new).await?;
    leptos_axum::redirect(&format!("/admin/collections/{id}"));
    Ok(id)
}

/// The settings of a form.
#[cfg(not(target_arch = "wasm32"))]
fn settings(form: &CollectionForm) -> Result<CollectionSettings, AppError> {
    let usual = CollectionSettings::default();
    let lines = |text: &str| text.replace("\r\n", "\n");
    Ok(CollectionSettings {
        samples: number("samples", &form.samples)?.unwrap_or(usual.samples),
        temperature: number("temperature", &form.temperature)?,
        top_p: number("top_p", &form.top_p)?,
        seed: number("seed", &form.seed)?,
        response_tokens: number("response_tokens", &form.response_tokens)?,
        system: lines(&form.system).trim().to_owned(),
        template: Bilingual { en: lines(&form.template), zh: lines(&form.template_zh) },
        way: chosen("way", &form.way, Way::from_name)?,
        turn_template: Bilingual { en: lines(&form.turn_template), zh: String::new() },
        feedback_template: Bilingual { en: lines(&form.feedback_template), zh: String::new() },
        parameters: form.parameters.clone(),
        stream: chosen("stream", &form.stream, yes_or_no)?,
        at_once: number("at_once", &form.at_once)?.unwrap_or(usual.at_once),
        per_minute: number("per_minute", &form.per_minute)?,
        timeout_s: number("timeout_s", &form.timeout_s)?.unwrap_or(usual.timeout_s),
        max_requests: number("max_requests", &form.max_requests)?,
        max_tokens: number("max_tokens", &form.max_tokens)?,
    })
}

/// Starts or resumes a collection. An empty limit stays as it is.
#[server(prefix = "/rpc", endpoint = "resume_collection")]
pub async fn resume_collection(
    id: CollectionId,
    #[server(default)] failed: bool,
    #[server(default)] max_requests: String,
    #[server(default)] max_tokens: String,
) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    let how = CollectionResume {
        failed,
        max_requests: number("max_requests", &max_requests)?,
        max_tokens: number("max_tokens", &max_tokens)?,
    };
    ports.collections.resume(&admin, id, how).await
}

/// Stops a collection.
#[server(prefix = "/rpc", endpoint = "stop_collection")]
pub async fn stop_collection(id: CollectionId) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.collections.stop(&admin, id).await
}

/// Deletes a collection and redirects to the list.
#[server(prefix = "/rpc", endpoint = "delete_collection")]
pub async fn delete_collection(id: CollectionId) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    ports.collections.remove(&admin, id).await?;
    leptos_axum::redirect("/admin/collections");
    Ok(())
}

/// Makes an upload of a collection's responses and redirects to its preview.
#[server(prefix = "/rpc", endpoint = "upload_collection")]
pub async fn upload_collection(id: CollectionId) -> Result<(), AppError> {
    let (ports, admin) = ports()?;
    let row = ports.collections.get(&admin, id).await?.row;
    let upload = ports.collections.upload(&admin, id).await?;
    let (dataset, model) = (query_value(&row.dataset), query_value(&row.model_name));
    leptos_axum::redirect(&format!("/admin/uploads/{upload}?dataset={dataset}&model={model}"));
    Ok(())
}

/// The words of a field, separated by spaces or commas.
#[cfg(not(target_arch = "wasm32"))]
fn words(text: &str) -> Vec<String> {
    let words = text.split([' ', ',', '\n', '\r', '\t', '，', '、']).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// A choice of a form; empty is `None`.
#[cfg(not(target_arch = "wasm32"))]
fn chosen<T>(field: &str, text: &str, read: impl Fn(&str) -> Option<T>) -> Result<Option<T>, AppError> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    read(text).map(Some).ok_or_else(|| {
        let what = (format!("\"{text}\" is not one of the choices"), format!("“{text}”不在可选项中"));
        AppError::invalid(field, what, ("Choose one, or leave it empty", "请选择其一，或留空"))
    })
}

#[cfg(not(target_arch = "wasm32"))]
fn yes_or_no(text: &str) -> Option<bool> {
    match text {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

/// A number of a form; empty is `None`.
#[cfg(not(target_arch = "wasm32"))]
fn number<T: std::str::FromStr>(field: &str, text: &str) -> Result<Option<T>, AppError> {
    match text.trim() {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|_| {
            let what = (
                format!("\"{text}\" is not a number that this field accepts"),
                format!("“{text}”不是该字段可接受的数字"),
            );
            AppError::invalid(field, what, ("Enter a number, or leave it empty", "请输入数字，或留空"))
        }),
    }
}
