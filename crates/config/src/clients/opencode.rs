//! OpenCode: `mcp`, in version 2 `mcp.servers`; a command is a list.

use super::{
    Client, Data, Format, Gateway, KeyMeaning, Step, Value, Variables, Ways, no_conversion, no_other_paths,
};

pub(super) const CLIENT: Client = Client {
    id: "opencode",
    title: "OpenCode",
    aliases: &["open-code"],
    format: Format::Json,
    ways: Ways::Both,
    variables: Variables::Curly,
    next_step: "restart opencode",
    user_files: |places| {
        let folder = places.config.join("opencode");
        vec![folder.join("opencode.json"), folder.join("opencode.jsonc")]
    },
    project_files: &[
        "opencode.json",
        "opencode.jsonc",
        ".opencode/opencode.json",
        ".opencode/opencode.jsonc",
    ],
    holder,
    is_list: false,
    key_meanings: &[("environment", KeyMeaning::Key("env")), ("timeout", KeyMeaning::ClientOnly)],
    convert: no_conversion,
    other_paths: no_other_paths,
    entry,
};

fn entry(_: &str, gateway: &Gateway) -> Data {
    match gateway {
        Gateway::Stdio { command, args } => Data::map([
            ("type", Data::text("local")),
            ("command", Data::texts(std::iter::once(command).chain(args).cloned())),
        ]),
        Gateway::Http { url, token } => Data::map([
            ("type", Data::text("remote")),
            ("url", Data::text(url.as_str())),
            ("headers", token.header(&CLIENT)),
        ]),
    }
}

/// Version 2 has the servers one level deeper.
fn holder(root: &Value) -> Vec<Step> {
    let mut path = vec![Step::key("mcp")];
    let servers = root.get("mcp").and_then(|mcp| mcp.get("servers"));
    // In version 1, a server may have the name `servers`.
    if servers.is_some_and(|servers| servers.get("type").is_none()) {
        path.push(Step::key("servers"));
    }
    path
}
