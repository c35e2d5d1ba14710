//! How the gateway is doing, as a resource: an agent sees which servers it can count on.

use futures_util::future::BoxFuture;
use toolwright_jsonrpc::{ErrorObject, INVALID_PARAMS, Json};
use toolwright_mcp::front::Visitor;

/// Where the status is read as a resource.
const STATUS_URI: &str = "toolwright://status";

/// A source of the gateway's status. The endpoints show it, and do not know what it is made of.
pub trait StatusReport: Send + Sync + 'static {
    /// The status now, as JSON text for people and agents, as far as this client may see it.
    fn report<'s>(&'s self, visitor: &'s Visitor) -> BoxFuture<'s, String>;
}

/// The type of its text.
const JSON: &str = "application/json";

/// The list of resources: this one.
pub(crate) fn listed() -> Json {
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
pub(crate) fn templates() -> Json {
    Json::empty_object().with("resourceTemplates", &Json::list(&[]))
}

/// Reads it, as this visitor may see it.
pub(crate) async fn read(
    source: &dyn StatusReport,
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
    let text = source.report(visitor).await;
    let content = Json::empty_object()
        .with("uri", &Json::text(STATUS_URI))
        .with("mimeType", &Json::text(JSON))
        .with("text", &Json::text(&text));
    Ok(Json::empty_object().with("contents", &Json::list(&[content])))
}
