//! Someone who agrees to everything, and changes nothing.

use toolwright_jsonrpc::{ErrorObject, Json, METHOD_NOT_FOUND, Notification, Request};
use toolwright_mcp::{Answer, Host};

use super::arguments;

/// Answers a form with its defaults.
pub struct Defaults;

impl Host for Defaults {
    fn request(&self, request: Request) -> Answer<'_> {
        Box::pin(async move {
            if request.method != "elicitation/create" {
                let message = format!("\"{}\" is not offered here", request.method);
                return Err(ErrorObject::new(METHOD_NOT_FOUND, message));
            }
            let form = request.params.and_then(|params| params.get("requestedSchema"));
            let content = arguments::defaults(&form.unwrap_or_else(Json::empty_object));
            Ok(Json::empty_object().with("action", &Json::text("accept")).with("content", &content))
        })
    }

    fn notified(&self, _: Notification) {}
}
