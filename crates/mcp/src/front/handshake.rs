//! How a client and we get to know each other: `initialize` and `server/discover`.

use std::sync::Arc;

use toolwright_jsonrpc::{ErrorObject, INVALID_PARAMS, Json, ObjectWriter};

use super::client::{Client, SessionId, Visitor};
use super::meta::served_revisions;
use super::reading::Params;
use super::service::{About, Service};
use crate::peer::SERVER;
use crate::{Era, LEGACY_REVISIONS};

/// The client that an `initialize` introduces.
pub(super) fn introduced(
    params: &Params<'_>,
    visitor: &Visitor,
    session: SessionId,
) -> Result<Arc<Client>, ErrorObject> {
    let Some(asked) = params.get_text("protocolVersion") else {
        let said = "\"initialize\" needs \"protocolVersion\", a string, in its params";
        return Err(ErrorObject::new(INVALID_PARAMS, said));
    };
    let capabilities = match params.get("capabilities") {
        None | Some("null") => Json::empty_object(),
        Some(text) => {
            Json::parse(text).ok().filter(|value| value.as_str().starts_with('{')).ok_or_else(|| {
                ErrorObject::new(INVALID_PARAMS, "\"capabilities\" of \"initialize\" is not an object")
            })?
        }
    };
    Ok(Arc::new(Client {
        visitor: visitor.clone(),
        era: Era::Legacy,
        revision: negotiated(&asked).to_owned(),
        info: params.get("clientInfo").and_then(|text| Json::parse(text).ok()),
        capabilities,
        session: Some(session),
        is_resumed: false,
    }))
}

/// The newest legacy revision that is not newer than what was asked for, or else our newest.
fn negotiated(asked: &str) -> &'static str {
    // Revisions are dates, so their texts are in the order of time.
    LEGACY_REVISIONS.iter().find(|ours| **ours <= asked).unwrap_or(&LEGACY_REVISIONS[0])
}

/// The result of `initialize`, and the client with the revision that was agreed on: that of a legacy server where it
/// says one, so that nothing newer is promised for it.
pub(super) async fn initialized(
    service: &Arc<dyn Service>,
    client: Arc<Client>,
) -> Result<(Json, Arc<Client>), ErrorObject> {
    let about = service.about(&client).await?;
    let said = about.extra.iter().find(|(key, _)| key == "protocolVersion");
    let said = said.and_then(|(_, revision)| revision.to_text());
    let older = said.filter(|said| LEGACY_REVISIONS.contains(&said.as_str()) && **said < *client.revision);
    let client = match older {
        Some(revision) => Arc::new(Client { revision, ..Client::clone(&client) }),
        None => client,
    };
    let mut out = ObjectWriter::default();
    out.text("protocolVersion", &client.revision);
    out.value("capabilities", &about.capabilities);
    out.value("serverInfo", &about.server);
    if let Some(instructions) = &about.instructions {
        out.text("instructions", instructions);
    }
    let of_other_era = ["resultType", "ttlMs", "cacheScope", "supportedVersions"];
    for (key, value) in others(&about).filter(|(key, _)| !of_other_era.contains(key)) {
        out.value(key, value);
    }
    Ok((out.finish(), client))
}

/// The result of `server/discover`.
pub(super) async fn discovered(
    service: &Arc<dyn Service>,
    client: &Arc<Client>,
    ttl_ms: u64,
) -> Result<Json, ErrorObject> {
    let about = service.about(client).await?;
    let mut out = ObjectWriter::default();
    out.text("resultType", "complete");
    out.value("supportedVersions", &Json::texts(&served_revisions()));
    out.value("capabilities", &about.capabilities);
    if let Some(instructions) = &about.instructions {
        out.text("instructions", instructions);
    }
    let extra = |key: &str| others(&about).find(|(known, _)| *known == key).map(|(_, value)| value.clone());
    let meta =
        extra("_meta").filter(|meta| meta.as_str().starts_with('{')).unwrap_or_else(Json::empty_object);
    out.value("_meta", &meta.with(SERVER, &about.server));
    match extra("ttlMs") {
        Some(ttl) => out.value("ttlMs", &ttl),
        None => out.number("ttlMs", ttl_ms),
    }
    out.text("cacheScope", "private");
    let written = ["_meta", "ttlMs", "cacheScope", "resultType", "supportedVersions"];
    for (key, value) in others(&about).filter(|(key, _)| !written.contains(key)) {
        out.value(key, value);
    }
    Ok(out.finish())
}

/// What else a server said, without what is written for it anyway.
fn others(about: &About) -> impl Iterator<Item = (&str, &Json)> {
    let written = ["protocolVersion", "capabilities", "serverInfo", "instructions"];
    let all = about.extra.iter().map(|(key, value)| (key.as_str(), value));
    all.filter(move |(key, _)| !written.contains(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_revision_that_the_client_can_know_is_agreed_on() {
        for (asked, agreed) in [
            ("2025-11-25", "2025-11-25"),
            ("2025-06-18", "2025-06-18"),
            ("2025-03-26", "2025-03-26"),
            ("2024-11-05", "2024-11-05"),
            ("2025-08-01", "2025-06-18"),
            ("2026-07-28", "2025-11-25"),
            ("2099-01-01", "2025-11-25"),
            ("2023-01-01", "2025-11-25"),
            ("", "2025-11-25"),
        ] {
            assert_eq!(negotiated(asked), agreed, "{asked}");
        }
    }
}
