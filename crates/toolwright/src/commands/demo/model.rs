//! The scripted "model": a client of the gateway that calls tools as models do, mistakes included.
//!
//! It comes in by the port like every other client, so its calls go the whole way: guard, normalizer, executor,
//! ledger. What is refused it reads, and sends the correction that its script has for it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;
use toolwright_jsonrpc::Json;
use toolwright_mcp::http::{self, HttpKind, HttpTarget};
use toolwright_mcp::{Connection, Era, Identity, NoHost, Peer, PeerOptions, RequestError, RequestOptions};

use super::script::{Call, SCRIPT, THINGS, Turn};

/// How long a call may take; they take milliseconds.
pub const LONGEST_CALL: Duration = Duration::from_secs(2);
/// Between calls at the beginning, so that there is something to see at once, and then.
const AT_FIRST: Duration = Duration::from_millis(60);
const THEN: Duration = Duration::from_millis(500);
/// How many calls are the beginning: the script, twice.
const BEGINNING: usize = 2 * SCRIPT.len();
/// Between attempts to come in.
const AGAIN: Duration = Duration::from_secs(1);

/// Talks without end: the script again and again, each time as a conversation of its own, about another thing.
pub async fn talk(url: &str, token: &str) {
    let mut pace = Pace::default();
    for thing in THINGS.iter().cycle() {
        if let Err(error) = converse(url, token, thing, &mut pace).await {
            tracing::debug!("the script begins anew: {error}");
            sleep(AGAIN).await;
        }
    }
}

/// What became of a call, as a model sees it.
enum Seen {
    Answered,
    Refused,
}

/// How fast calls follow each other.
#[derive(Default)]
struct Pace {
    calls: usize,
}

impl Pace {
    async fn wait(&mut self) {
        self.calls += 1;
        sleep(if self.calls < BEGINNING { AT_FIRST } else { THEN }).await;
    }
}

async fn converse(url: &str, token: &str, thing: &str, pace: &mut Pace) -> Result<(), String> {
    let target = HttpTarget {
        url: url.to_owned(),
        headers: vec![("Authorization".to_owned(), format!("Bearer {token}"))],
        kind: HttpKind::Streamable,
        authorizer: None,
        max_response_bytes: None,
    };
    let connection = Connection::open(http::open(target), Arc::new(NoHost));
    // A legacy client has a session, and so every round is a conversation.
    let options = PeerOptions { known: Some(Era::Legacy), ..PeerOptions::default() };
    let peer = Peer::connect(connection, identity(), &options).await.map_err(|error| error.to_string())?;
    let listed = peer.list("tools/list", "tools", &RequestOptions::default()).await;
    let names = own_names(&listed.map_err(|error| error.to_string())?);
    for Turn { sent, corrected } in SCRIPT {
        let seen = call(&peer, &names, sent, thing).await?;
        pace.wait().await;
        if let (Seen::Refused, Some(corrected)) = (seen, corrected) {
            call(&peer, &names, corrected, thing).await?;
            pace.wait().await;
        }
    }
    Ok(())
}

fn identity() -> Identity {
    let client = Json::empty_object()
        .with("name", &Json::text("demo"))
        .with("title", &Json::text("A scripted model"))
        .with("version", &Json::text(env!("CARGO_PKG_VERSION")));
    Identity { client, capabilities: Json::empty_object() }
}

/// The names that tools are listed by, by their own.
fn own_names(listed: &[Json]) -> BTreeMap<String, String> {
    let names = listed.iter().filter_map(|tool| tool.get_text("name"));
    names.map(|name| (name.rsplit("__").next().unwrap_or(&name).to_owned(), name.clone())).collect()
}

async fn call(
    peer: &Peer,
    names: &BTreeMap<String, String>,
    sent: &Call,
    thing: &str,
) -> Result<Seen, String> {
    // A name that no tool has is sent as the model writes it.
    let name = names.get(sent.tool).map_or(sent.tool, String::as_str);
    let arguments = sent.arguments.replace("{thing}", thing);
    let arguments = Json::parse(&arguments).map_err(|error| format!("{}: {error}", sent.arguments))?;
    let params = Json::empty_object().with("name", &Json::text(name)).with("arguments", &arguments);
    let options = RequestOptions { timeout: Some(LONGEST_CALL), ..RequestOptions::default() };
    match peer.request("tools/call", Some(params), &options).await {
        Ok(result) => Ok(match result.get("isError").is_some_and(|it| it.as_str() == "true") {
            true => Seen::Refused,
            false => Seen::Answered,
        }),
        Err(RequestError::Server(_)) => Ok(Seen::Refused),
        Err(error) => Err(error.to_string()),
    }
}
