//! The OpenAPI document for the reference page: operations by area, each with an example call.

use async_trait::async_trait;
use model::{
    api::{ApiArea, ApiOperation, ApiReference},
    caller::Admin,
    error::Answer,
};
use port::api::Reference;
use serde_json::Value;

use super::document;

/// Areas in display order; other areas follow.
const AREAS: [&str; 11] = [
    "About the API",
    "Datasets",
    "Model outputs",
    "Runs",
    "Studies",
    "Quality",
    "Comparisons",
    "People",
    "Tokens",
    "Webhooks",
    "Audit log",
];

/// The port of the reference page.
pub struct OpenApiReference;

#[async_trait]
impl Reference for OpenApiReference {
    async fn reference(&self, _: &Admin) -> Answer<ApiReference> {
        Ok(reference())
    }
}

/// Every operation of the document.
fn reference() -> ApiReference {
    let document = serde_json::to_value(document()).unwrap_or_default();
    let mut areas: Vec<ApiArea> =
        AREAS.iter().map(|name| ApiArea { name: (*name).into(), operations: Vec::new() }).collect();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in item.as_object().into_iter().flatten() {
            let name = operation["tags"][0].as_str().unwrap_or("Other");
            let read = read(&method.to_uppercase(), path, operation);
            match areas.iter_mut().find(|area| area.name == name) {
                Some(area) => area.operations.push(read),
                None => areas.push(ApiArea { name: name.into(), operations: vec![read] }),
            }
        }
    }
    ApiReference { areas }
}

fn read(method: &str, path: &str, operation: &Value) -> ApiOperation {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let scope = operation["security"][0]["token"][0].as_str().and_then(|name| name.parse().ok());
    let parameters = operation["parameters"].as_array().into_iter().flatten().map(|parameter| {
        let needed = parameter["required"].as_bool().unwrap_or_default();
        (text(&parameter["name"]), text(&parameter["in"]), text(&parameter["description"]), needed)
    });
    let content = operation["requestBody"]["content"].as_object().and_then(|content| content.iter().next());
    let body = content.map(|(kind, media)| match media["schema"]["$ref"].as_str() {
        Some(name) => format!("{kind}: {}", name.rsplit('/').next().unwrap_or(name)),
        None => kind.clone(),
    });
    let parameters: Vec<_> = parameters.collect();
    ApiOperation {
        id: text(&operation["operationId"]),
        example: example(method, path, scope.is_some(), &parameters, content),
        method: method.into(),
        path: path.into(),
        summary: text(&operation["summary"]).trim_end_matches('.').to_owned(),
        description: text(&operation["description"]),
        scope,
        parameters,
        body,
    }
}

fn example(
    method: &str,
    path: &str,
    token: bool,
    parameters: &[(String, String, String, bool)],
    content: Option<(&String, &Value)>,
) -> String {
    let needed = parameters.iter().filter(|(_, place, _, needed)| place == "query" && *needed);
    let query: Vec<String> = needed
        .map(|(name, ..)| match name.as_str() {
            "file" => "file=FILE".into(),
            "dataset" => "dataset=starter".into(),
            name => format!("{name}={}", name.to_uppercase()),
        })
        .collect();
    let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
    let mut lines = vec![match method {
        "GET" => "curl".to_owned(),
        method => format!("curl -X {method}"),
    }];
    if token {
        lines.push("  -H \"Authorization: Bearer $TOKEN\"".into());
    }
    match content {
        Some((kind, media)) if kind == "application/json" => {
            lines.push("  -H 'Content-Type: application/json'".into());
            lines.push(format!("  -d '{}'", media["example"]));
        }
        Some(_) => lines.push("  --data-binary @FILE".into()),
        None => {}
    }
    lines.push(format!("  \"$AIXGRADE{path}{query}\""));
    lines.join(" \\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_a_summary_and_an_example() {
        let shown = reference();
        let paths = serde_json::to_value(document()).unwrap()["paths"].clone();
        let documented: usize = paths.as_object().unwrap().values().map(|item| item.as_object().unwrap().len()).sum();
        assert_eq!(shown.areas.iter().map(|area| area.operations.len()).sum::<usize>(), documented);
        for operation in shown.areas.iter().flat_map(|area| &area.operations) {
            let called = format!("{} {}", operation.method, operation.path);
            assert!(!operation.summary.is_empty(), "{called} has no summary");
            assert!(!operation.example.contains("null"), "{called} has a JSON body without an example");
        }
        for area in &shown.areas {
            assert!(texts::api::chinese(&area.name).is_some(), "{} has no Chinese name", area.name);
        }
    }
}
