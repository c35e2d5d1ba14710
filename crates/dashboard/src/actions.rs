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
pub enum Action {
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

impl Action {
    const ALL: [(&'static str, Action); 8] = [
        ("try", Action::Try),
        ("again", Action::Again),
        ("try-suggestion", Action::TrySuggestion),
        ("save-test", Action::SaveTest),
        ("check-rules", Action::CheckRules),
        ("save-rules", Action::SaveRules),
        ("restart", Action::Restart),
        ("approve", Action::Approve),
    ];

    pub fn of(name: &str) -> Option<Action> {
        Action::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, action)| action)
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
struct Approved {
    server: String,
    tool: String,
    fingerprint: String,
}

#[derive(Deserialize)]
struct Restarted {
    server: String,
}

/// Why an action was refused.
struct Refused {
    status: StatusCode,
    why: String,
}

impl Refused {
    fn new(status: StatusCode, why: impl Into<String>) -> Refused {
        Refused { status, why: why.into() }
    }
}

impl From<crate::Problem> for Refused {
    fn from(problem: crate::Problem) -> Refused {
        Refused::new(problem.status, format!("{} {}", problem.what, problem.fix))
    }
}

pub async fn answer(dashboard: &Dashboard, action: Action, body: &[u8]) -> Response<InsideBody> {
    match done(dashboard, action, body).await {
        Ok(page) => html(StatusCode::OK, page),
        Err(refused) => told(refused.status, &refused.why),
    }
}

async fn done(dashboard: &Dashboard, action: Action, body: &[u8]) -> Result<Markup, Refused> {
    match action {
        Action::Try => {
            let Tried { tool, schema, arguments } = read(body)?;
            Ok(pages::playground::result(dashboard, &tool, &schema, &arguments))
        }
        Action::Again => calling::again(dashboard, read(body)?).await,
        Action::TrySuggestion => calling::try_suggestion(dashboard, read(body)?).await,
        Action::SaveTest => rules::save_test(dashboard, read(body)?).await,
        Action::CheckRules => rules::check(read(body)?),
        Action::SaveRules => rules::save(dashboard, read(body)?).await,
        Action::Approve => {
            let Approved { server, tool, fingerprint } = read(body)?;
            let definitions = dashboard.servers.definitions();
            let definitions = definitions
                .ok_or_else(|| Refused::new(StatusCode::NOT_FOUND, "nobody looks at definitions"))?;
            let approved = definitions.approve(&server, &tool, &fingerprint);
            approved.map_err(|error| Refused::new(StatusCode::CONFLICT, error.to_string()))?;
            dashboard.servers.offer_anew();
            Ok(maud::html! { p { "✓ Agreed: " (tool) " of " (server) " is offered as it is." } })
        }
        Action::Restart => {
            let Restarted { server } = read(body)?;
            let server = dashboard.servers.get(&server);
            let server =
                server.ok_or_else(|| Refused::new(StatusCode::NOT_FOUND, "there is no such server"))?;
            server.restart().await;
            Ok(maud::html! { p { "restarted" } })
        }
    }
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refused> {
    serde_json::from_slice(body).map_err(|error| {
        Refused::new(StatusCode::BAD_REQUEST, format!("the body cannot be understood: {error}"))
    })
}

fn told(status: StatusCode, message: &str) -> Response<InsideBody> {
    let mut response = Response::new(whole(json!({ "message": message }).to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
