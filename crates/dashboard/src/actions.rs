//! What pages can have done: a call tried out, a server started anew. Decisions about suggestions go to `/api/`.
//! Nothing here starts a program that is not configured, and nothing calls a tool.

use http::header::CONTENT_TYPE;
use http::{HeaderValue, Response, StatusCode};
use serde::Deserialize;
use serde_json::json;
use toolwright_gateway::web::InsideBody;

use crate::{Dashboard, html, pages, whole};

/// What can be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// `try`: what becomes of a call.
    Try,
    /// `restart`: a server is started anew.
    Restart,
}

impl Action {
    pub fn of(name: &str) -> Option<Action> {
        match name {
            "try" => Some(Action::Try),
            "restart" => Some(Action::Restart),
            _ => None,
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Tried {
    tool: String,
    schema: String,
    arguments: String,
}

#[derive(Deserialize)]
struct Restarted {
    server: String,
}

pub async fn answer(dashboard: &Dashboard, action: &Action, body: &[u8]) -> Response<InsideBody> {
    match action {
        Action::Try => match serde_json::from_slice::<Tried>(body) {
            Ok(tried) => {
                let result =
                    pages::playground::result(dashboard, &tried.tool, &tried.schema, &tried.arguments);
                html(StatusCode::OK, result)
            }
            Err(error) => told(StatusCode::BAD_REQUEST, &format!("the body cannot be understood: {error}")),
        },
        Action::Restart => match serde_json::from_slice::<Restarted>(body) {
            Ok(restarted) => match dashboard.servers.get(&restarted.server) {
                Some(server) => {
                    server.restart().await;
                    told(StatusCode::OK, "restarted")
                }
                None => told(StatusCode::NOT_FOUND, "there is no such server"),
            },
            Err(error) => told(StatusCode::BAD_REQUEST, &format!("the body cannot be understood: {error}")),
        },
    }
}

fn told(status: StatusCode, message: &str) -> Response<InsideBody> {
    let mut response = Response::new(whole(json!({ "message": message }).to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
