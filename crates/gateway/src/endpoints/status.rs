//! How the gateway is doing, as a resource: an agent sees which servers it can count on.

use toolwright_jsonrpc::{ErrorObject, INVALID_PARAMS, Json};
use toolwright_mcp::front::Visitor;

use crate::status::{STATUS_URI, StatusSource};

/// The type of its text.
const JSON: &str = "application/json";

/// The list of resources: this one.
pub(super) fn listed() -> Json {
    let resource = Json::empty_object()
        .with("uri", &Json::text(STATUS_URI))
        .with("name", &Json::text("status"))
        .with("title", &Json::text("Status of the gateway"))
        .with(
            "description",
            &Json::text("Which servers can be used now, and why others cannot; calls, errors and repairs of the last hour"),
        )
        .with("mimeType", &Json::text(JSON));
    Json::empty_object().with("resources", &Json::list(&[resource]))
}

/// No resource here is made of a template.
pub(super) fn templates() -> Json {
    Json::empty_object().with("resourceTemplates", &Json::list(&[]))
}

/// Reads it, as this visitor may see it.
pub(super) async fn read(
    source: &StatusSource,
    visitor: &Visitor,
    uri: Option<&str>,
) -> Result<Json, ErrorObject> {
    match uri {
        Some(STATUS_URI) => {}
        Some(other) => {
            let message = format!("there is no resource \"{other}\" here; there is {STATUS_URI}");
            return Err(ErrorObject::new(INVALID_PARAMS, message));
        }
        None => {
            let message = format!("\"uri\" is missing; write {{\"uri\": \"{STATUS_URI}\"}}");
            return Err(ErrorObject::new(INVALID_PARAMS, message));
        }
    }
    let status = source.now().await.for_visitor(visitor);
    // Names and numbers are always written.
    let text = serde_json::to_string_pretty(&status).unwrap_or_default();
    let content = Json::empty_object()
        .with("uri", &Json::text(STATUS_URI))
        .with("mimeType", &Json::text(JSON))
        .with("text", &Json::text(&text));
    Ok(Json::empty_object().with("contents", &Json::list(&[content])))
}
