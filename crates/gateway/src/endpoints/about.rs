//! What a server says of itself, for clients of another one.

use toolwright_jsonrpc::Json;
use toolwright_mcp::Peer;
use toolwright_mcp::front::About;

/// The key of a modern server's name and version in the `_meta` of its answers.
const SERVER: &str = "io.modelcontextprotocol/serverInfo";
/// What belongs to the conversation with us and says nothing of the server.
const OURS: &[&str] = &[
    "protocolVersion",
    "supportedVersions",
    "capabilities",
    "serverInfo",
    "instructions",
    "resultType",
    "ttlMs",
    "cacheScope",
];

/// What a server said of itself, as it did.
pub(super) fn of_peer(peer: &Peer, name: &str) -> About {
    let mut extra = Vec::new();
    for member in peer.said().members().unwrap_or_default() {
        let Ok(value) = Json::parse(member.value) else { continue };
        match &*member.key {
            key if OURS.contains(&key) => {}
            "_meta" => {
                let meta = value.without(SERVER);
                if meta.as_str() != "{}" {
                    extra.push(("_meta".to_owned(), meta));
                }
            }
            key => extra.push((key.to_owned(), value)),
        }
    }
    About {
        server: peer.server().cloned().unwrap_or_else(|| named(name, "unknown")),
        capabilities: peer.capabilities().clone(),
        instructions: peer.instructions().map(str::to_owned),
        extra,
    }
}

/// What is said of a server that was never there: it is known by its name, and its tools may come.
pub(super) fn of_absent(name: &str) -> About {
    let tools = Json::empty_object().with("listChanged", &Json::yes());
    About {
        server: named(name, "unknown"),
        capabilities: Json::empty_object().with("tools", &tools),
        instructions: None,
        extra: Vec::new(),
    }
}

/// `{"name", "version"}`
pub(super) fn named(name: &str, version: &str) -> Json {
    Json::empty_object().with("name", &Json::text(name)).with("version", &Json::text(version))
}
