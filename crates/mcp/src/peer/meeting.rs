//! The first words with a server: which era it speaks, and what it says of itself.

use std::pin::pin;
use std::time::Duration;

use tokio::time::timeout;
use toolwright_jsonrpc::{ErrorObject, Json, METHOD_NOT_FOUND};

use super::meta::{self, SERVER};
use super::{About, ConnectError, Identity, PeerOptions, Protocol};
use crate::era::{Era, LEGACY_REVISIONS, MODERN_REVISIONS, newest};
use crate::{Connection, RequestError, RequestOptions};

/// The error of a modern server that does not support the revision of a request.
const UNSUPPORTED_REVISION: i64 = -32022;

/// Finds out how the server is spoken to, and begins.
pub(super) async fn meet(
    connection: &Connection,
    identity: Identity,
    options: &PeerOptions,
) -> Result<About, ConnectError> {
    match (options.protocol, options.known) {
        (Protocol::Only(Era::Legacy), _) | (_, Some(Era::Legacy)) => {
            initialize(connection, identity, options.start).await
        }
        (Protocol::Only(Era::Modern), _) => {
            let found = discover(connection, &identity, options).await?;
            found.into_modern(identity).map_err(|_| ConnectError::NotModern)
        }
        (Protocol::LegacyFirst, None) => legacy_first(connection, identity, options).await,
        (_, known) => modern_first(connection, identity, options, known).await,
    }
}

/// A server that answers `initialize` is a legacy one, however long it takes to start; one that refuses it, or is
/// silent for the whole time of a start, is asked whether it is modern.
async fn legacy_first(
    connection: &Connection,
    identity: Identity,
    options: &PeerOptions,
) -> Result<About, ConnectError> {
    let refused = match initialize(connection, identity.clone(), options.start).await {
        Ok(about) => return Ok(about),
        // It is gone, and answers nothing else.
        Err(error @ ConnectError::Failed(RequestError::Closed(_) | RequestError::Unauthorized(_))) => {
            return Err(error);
        }
        Err(error) => error,
    };
    let wait = PeerOptions { start: Duration::ZERO, ..*options };
    match discover(connection, &identity, &wait).await {
        Ok(Discovery::Unknown(theirs)) => Err(ConnectError::NoCommonRevision { theirs: theirs.join(", ") }),
        Ok(found) => found.into_modern(identity).map_err(|_| refused),
        Err(error @ ConnectError::Failed(RequestError::Closed(_))) => Err(error),
        Err(_) => Err(refused),
    }
}

async fn modern_first(
    connection: &Connection,
    identity: Identity,
    options: &PeerOptions,
    known: Option<Era>,
) -> Result<About, ConnectError> {
    let mut discovery = pin!(discover(connection, &identity, options));
    let patience = match known {
        // It will answer, however slowly it starts.
        Some(Era::Modern) => options.probe + options.start,
        _ => options.probe,
    };
    if let Ok(found) = timeout(patience, &mut discovery).await {
        return match found? {
            Discovery::Modern(revision, said) => Ok(modern(identity.clone(), revision, &said)),
            Discovery::Unknown(theirs) => Err(ConnectError::NoCommonRevision { theirs: theirs.join(", ") }),
            Discovery::Legacy => initialize(connection, identity.clone(), options.start).await,
        };
    }
    // Silence is what some legacy servers answer before they are initialized, or the server is slow to
    // start. The question stays open: told that it is given up, before anything else, some servers end.
    let refused = match initialize(connection, identity.clone(), options.start).await {
        Ok(about) => return Ok(about),
        Err(error) => error,
    };
    // A server of the modern era alone has answered the question before it refused the rest.
    match timeout(Duration::ZERO, discovery).await {
        Ok(Ok(Discovery::Modern(revision, said))) => Ok(modern(identity.clone(), revision, &said)),
        _ => Err(refused),
    }
}

fn modern(identity: Identity, revision: &str, said: &Json) -> About {
    let server = said.get("_meta").and_then(|meta| meta.get(SERVER));
    About::new(identity, Era::Modern, revision.to_owned(), server, said)
}

/// Begins with a legacy server.
pub(super) async fn initialize(
    connection: &Connection,
    identity: Identity,
    start: Duration,
) -> Result<About, ConnectError> {
    const METHOD: &str = "initialize";
    let params = Json::empty_object()
        .with("protocolVersion", &Json::text(LEGACY_REVISIONS[0]))
        .with("capabilities", &identity.capabilities)
        .with("clientInfo", &identity.client);
    let wait = RequestOptions { timeout: Some(start), ..RequestOptions::default() };
    let said = connection.request(METHOD, Some(params), &wait).await?;
    let revision = said
        .get_text("protocolVersion")
        .ok_or(ConnectError::NotUnderstood { method: METHOD, what: "\"protocolVersion\"" })?;
    if !LEGACY_REVISIONS.contains(&revision.as_str()) {
        return Err(ConnectError::NoCommonRevision { theirs: revision });
    }
    connection.notify("notifications/initialized", None).await?;
    Ok(About::new(identity, Era::Legacy, revision, said.get("serverInfo"), &said))
}

/// What came of the question for a modern server.
enum Discovery {
    Modern(&'static str, Json),
    /// Modern, but of revisions that nobody here knows.
    Unknown(Vec<String>),
    Legacy,
}

impl Discovery {
    /// A modern server; else this is given back.
    fn into_modern(self, identity: Identity) -> Result<About, Discovery> {
        match self {
            Discovery::Modern(revision, said) => Ok(modern(identity, revision, &said)),
            other => Err(other),
        }
    }
}

async fn discover(
    connection: &Connection,
    identity: &Identity,
    options: &PeerOptions,
) -> Result<Discovery, ConnectError> {
    let params = meta::with(None, identity, MODERN_REVISIONS[0], &RequestOptions::default(), None);
    let patience = options.probe + options.start;
    let wait = RequestOptions { timeout: Some(patience), ..RequestOptions::default() };
    let mut answer = connection.request("server/discover", Some(params.clone()), &wait).await;
    if let Err(RequestError::Server(error)) = &answer
        && supported(error).is_some_and(|theirs| newest(MODERN_REVISIONS, &theirs).is_some())
    {
        // It refuses a revision that it supports: what was wrong with the question may have passed.
        answer = connection.request("server/discover", Some(params), &wait).await;
    }
    let said = match answer {
        Ok(said) => said,
        Err(RequestError::Server(error)) => return Ok(refused(&error)),
        Err(RequestError::TimedOut(_) | RequestError::Unreadable(_)) => return Ok(Discovery::Legacy),
        Err(error @ (RequestError::Closed(_) | RequestError::Unauthorized(_))) => return Err(error.into()),
        // A server that knows no such request may say it by a status, or by nothing at all.
        Err(RequestError::Http { .. } | RequestError::NoAnswer(_)) => return Ok(Discovery::Legacy),
        Err(error) => return Err(error.into()),
    };
    let Some(theirs) = said.get("supportedVersions").and_then(|versions| texts(&versions)) else {
        // An answer without the one thing it is for is none: some servers answer everything.
        return Ok(Discovery::Legacy);
    };
    Ok(match newest(MODERN_REVISIONS, &theirs) {
        Some(revision) => Discovery::Modern(revision, said),
        None if newest(LEGACY_REVISIONS, &theirs).is_some() => Discovery::Legacy,
        None => Discovery::Unknown(theirs),
    })
}

/// What a refusal of the question means: only a modern server knows the error for unknown revisions.
fn refused(error: &ErrorObject) -> Discovery {
    match supported(error) {
        Some(theirs) if newest(LEGACY_REVISIONS, &theirs).is_none() => Discovery::Unknown(theirs),
        _ => {
            if error.number() != Some(METHOD_NOT_FOUND) {
                tracing::debug!(code = %error.code, message = %error.message, "no modern server");
            }
            Discovery::Legacy
        }
    }
}

/// The revisions that a server names when it does not support the one of a request.
fn supported(error: &ErrorObject) -> Option<Vec<String>> {
    let data = error.data.as_ref().filter(|_| error.number() == Some(UNSUPPORTED_REVISION))?;
    texts(&data.get("supported")?)
}

fn texts(list: &Json) -> Option<Vec<String>> {
    list.items()?.iter().map(Json::to_text).collect()
}
