//! What pages can have done. Decisions about suggestions go to `/api/`. Nothing here starts a program that is not
//! configured; a tool is called only when its definition says that it does no harm.

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

/// What can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// `try`: what becomes of a call.
    Try,
    /// `again`: a call is made once more.
    Again,
    /// `try-suggestion`: what a suggested rule would do to the calls it comes from.
    TrySuggestion,
    /// `save-test`: a call of the playground becomes a test of rules.
    SaveTest,
    /// `check-rules`: what is wrong with a text of rules.
    CheckRules,
    /// `save-rules`: a text of rules is put into force.
    SaveRules,
    /// `restart`: a server is started anew.
    Restart,
    /// `approve`: a definition is agreed to.
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

/// Why something was not done.
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
