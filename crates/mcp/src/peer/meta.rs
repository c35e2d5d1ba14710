//! What every request to a modern server says of itself.

use toolwright_jsonrpc::Json;

use super::Identity;
use crate::RequestOptions;

/// The key of a request's revision in its `_meta`.
pub(crate) const REVISION: &str = "io.modelcontextprotocol/protocolVersion";
pub(crate) const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
pub(crate) const CLIENT: &str = "io.modelcontextprotocol/clientInfo";
pub(crate) const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// The key of the server's name and version in what it answers.
pub(crate) const SERVER: &str = "io.modelcontextprotocol/serverInfo";

/// The params with what a modern request says of itself; what is there already is kept, but for
/// capabilities that the options name.
pub(super) fn with(
    params: Option<Json>,
    identity: &Identity,
    revision: &str,
    options: &RequestOptions,
    log_level: Option<&str>,
) -> Json {
    let params = params.unwrap_or_else(Json::empty_object);
    let mut meta = params.get("_meta").unwrap_or_else(Json::empty_object);
    let own = [
        (REVISION, Some(Json::text(revision))),
        (CLIENT, Some(identity.client.clone())),
        (CAPABILITIES, Some(identity.capabilities.clone())),
        (LOG_LEVEL, log_level.map(Json::text)),
    ];
    for (key, value) in own {
        if let Some(value) = value.filter(|_| meta.get(key).is_none()) {
            meta = meta.with(key, &value);
        }
    }
    if let Some(capabilities) = &options.capabilities {
        meta = meta.with(CAPABILITIES, capabilities);
    }
    params.with("_meta", &meta)
}
