//! Actions of the dashboard. Decisions about suggestions go to `/api/`. No action starts a program that is
//! not configured; a tool is called only if its definition says that it is harmless.

mod calling;
mod rules;

use http::header::CONTENT_TYPE;
use http::{HeaderValue, Response, StatusCode};
use maud::Markup;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use toolwright_port::InsideBody;

use crate::{Dashboard, html, pages, whole};

/// An action of the dashboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DashboardAction {
    /// `try`: show the outcome of a call.
    Try,
    /// `again`: repeat a call.
    Again,
    /// `try-suggestion`: apply a suggested rule to the recent calls of its tool.
    TrySuggestion,
    /// `save-test`: store a call of the playground as a test of the rules.
    SaveTest,
    /// `check-rules`: validate the text of a rules file.
    CheckRules,
    /// `save-rules`: store the text of a rules file and activate it.
    SaveRules,
    /// `restart`: restart a server.
    Restart,
    /// `approve`: approve a tool definition.
    Approve,
}

impl DashboardAction {
    const ALL: [(&'static str, DashboardAction); 8] = [
        ("try", DashboardAction::Try),
        ("again", DashboardAction::Again),
        ("try-suggestion", DashboardAction::TrySuggestion),
        ("save-test", DashboardAction::SaveTest),
        ("check-rules", DashboardAction::CheckRules),
        ("save-rules", DashboardAction::SaveRules),
        ("restart", DashboardAction::Restart),
        ("approve", DashboardAction::Approve),
    ];

    pub fn of(name: &str) -> Option<DashboardAction> {
        DashboardAction::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, action)| action)
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PlaygroundCall {
    tool: String,
    schema: String,
    arguments: String,
}

#[derive(Deserialize)]
struct ApproveRequest {
    server: String,
    tool: String,
    fingerprint: String,
}

#[derive(Deserialize)]
struct RestartRequest {
    server: String,
}

/// Why an action was refused.
struct ActionRefusal {
    status: StatusCode,
    why: String,
}

impl ActionRefusal {
    fn new(status: StatusCode, why: impl Into<String>) -> ActionRefusal {
        ActionRefusal { status, why: why.into() }
    }
}

impl From<crate::PageProblem> for ActionRefusal {
    fn from(problem: crate::PageProblem) -> ActionRefusal {
        ActionRefusal::new(problem.status, format!("{} {}", problem.what, problem.fix))
    }
}

pub async fn answer(dashboard: &Dashboard, action: DashboardAction, body: &[u8]) -> Response<InsideBody> {
    match perform(dashboard, action, body).await {
        Ok(page) => html(StatusCode::OK, page),
        Err(refused) => json_message(refused.status, &refused.why),
    }
}

async fn perform(
    dashboard: &Dashboard,
    action: DashboardAction,
    body: &[u8],
) -> Result<Markup, ActionRefusal> {
    match action {
        DashboardAction::Try => {
            let PlaygroundCall { tool, schema, arguments } = read(body)?;
            Ok(pages::playground::result(dashboard, &tool, &schema, &arguments))
        }
        DashboardAction::Again => calling::again(dashboard, read(body)?).await,
        DashboardAction::TrySuggestion => calling::try_suggestion(dashboard, read(body)?).await,
        DashboardAction::SaveTest => rules::save_test(dashboard, read(body)?).await,
        DashboardAction::CheckRules => rules::check(read(body)?),
        DashboardAction::SaveRules => rules::save(dashboard, read(body)?).await,
        DashboardAction::Approve => {
            let ApproveRequest { server, tool, fingerprint } = read(body)?;
            let definitions = dashboard.servers.definitions();
            let definitions = definitions
                .ok_or_else(|| ActionRefusal::new(StatusCode::NOT_FOUND, "nobody looks at definitions"))?;
            let approved = definitions.approve(&server, &tool, &fingerprint);
            approved.map_err(|error| ActionRefusal::new(StatusCode::CONFLICT, error.to_string()))?;
            dashboard.servers.offer_anew();
            Ok(maud::html! { p { "✓ Agreed: " (tool) " of " (server) " is offered as it is." } })
        }
        DashboardAction::Restart => {
            let RestartRequest { server } = read(body)?;
            let server = dashboard.servers.get(&server);
            let server =
                server.ok_or_else(|| ActionRefusal::new(StatusCode::NOT_FOUND, "there is no such server"))?;
            server.restart().await;
            Ok(maud::html! { p { "restarted" } })
        }
    }
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, ActionRefusal> {
    serde_json::from_slice(body).map_err(|error| {
        ActionRefusal::new(StatusCode::BAD_REQUEST, format!("the body cannot be understood: {error}"))
    })
}

fn json_message(status: StatusCode, message: &str) -> Response<InsideBody> {
    let mut response = Response::new(whole(json!({ "message": message }).to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
