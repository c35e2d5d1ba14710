//! What a server says of itself, for clients of another one.

use std::time::Duration;

use toolwright_jsonrpc::Json;
use toolwright_mcp::front::About;
use toolwright_mcp::{Era, Peer};

use crate::gather;
use crate::members::{Member, reach};

/// How long a server that is there may take to say what it is.
const SAYS: Duration = Duration::from_secs(5);

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
pub(crate) fn of_peer(peer: &Peer, name: &str) -> About {
    let mut extra = Vec::new();
    for member in peer.said().members().unwrap_or_default() {
        let Ok(value) = Json::parse(member.value) else { continue };
        match &*member.key {
            // A legacy client gets the revision of its server, as it would without a gateway.
            "protocolVersion" if peer.era() == Era::Legacy => extra.push((member.key.to_string(), value)),
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
pub(crate) fn of_absent(name: &str) -> About {
    let tools = Json::empty_object().with("listChanged", &Json::yes());
    About {
        server: named(name, "unknown"),
        capabilities: Json::empty_object().with("tools", &tools),
        instructions: None,
        extra: Vec::new(),
    }
}

/// `{"name", "version"}`
pub(crate) fn named(name: &str, version: &str) -> Json {
    Json::empty_object().with("name", &Json::text(name)).with("version", &Json::text(version))
}

/// Who we are to clients.
pub(crate) fn of_us(version: &str) -> Json {
    named("toolwright", version).with("title", &Json::text("Toolwright"))
}

/// What several servers are together: what any of them can do, and what each says about its use. A server that
/// was never there may turn out to be able to do anything.
pub(crate) async fn of_many(server: Json, members: &[Member], era: Era) -> About {
    let is_true = Json::yes();
    let lists = Json::empty_object().with("listChanged", &is_true);
    let mut capabilities = Json::empty_object().with("tools", &lists);
    let mut instructions = Vec::new();
    for member in members {
        let Some(server) = member.configured_server() else { continue };
        let peer = match gather::is_there(server) {
            true => reach(server, era, SAYS).await.ok(),
            false => None,
        };
        match peer {
            Some(peer) => {
                capabilities = union(&capabilities, peer.capabilities());
                if let Some(said) = peer.instructions().filter(|said| !said.trim().is_empty()) {
                    // Servers of one name in two toolboxes are two.
                    let is_alone = !members
                        .iter()
                        .any(|other| other.server == member.server && other.toolbox != member.toolbox);
                    let name = match is_alone {
                        true => member.server.clone(),
                        false => format!("{} / {}", member.toolbox, member.server),
                    };
                    instructions.push(format!("## {name}\n{said}"));
                }
            }
            None => {
                let resources = lists.with("subscribe", &is_true);
                let any = Json::empty_object()
                    .with("prompts", &lists)
                    .with("resources", &resources)
                    .with("logging", &Json::empty_object())
                    .with("completions", &Json::empty_object());
                capabilities = union(&capabilities, &any);
            }
        }
    }
    let instructions = Some(instructions.join("\n\n")).filter(|text| !text.is_empty());
    About { server, capabilities, instructions, extra: Vec::new() }
}

/// What either of two can do.
fn union(own: &Json, other: &Json) -> Json {
    let mut all = own.clone();
    for member in other.members().unwrap_or_default() {
        let Ok(value) = Json::parse(member.value) else { continue };
        let merged = match all.get(&member.key) {
            None => value,
            Some(known) if known.members().is_some() && value.members().is_some() => union(&known, &value),
            Some(known) if known.as_str() == "false" => value,
            Some(known) => known,
        };
        all = all.with(&member.key, &merged);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_can_do_what_either_can() {
        let json = |text: &str| Json::parse(text).expect("JSON");
        let one = json(r#"{"tools":{"listChanged":false},"prompts":{}}"#);
        let other = json(r#"{"tools":{"listChanged":true},"extensions":{"a/b":{"x":1.0}}}"#);
        assert_eq!(
            union(&one, &other).as_str(),
            r#"{"tools":{"listChanged":true},"prompts":{},"extensions":{"a/b":{"x":1.0}}}"#
        );
        assert_eq!(union(&other, &one).get("tools"), other.get("tools"));
    }
}
