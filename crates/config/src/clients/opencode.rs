//! OpenCode: `mcp`, in its second version `mcp.servers`; a command is a list.

use super::{Client, Data, Format, Gateway, Ours, Step, Value, Variables, Ways, nothing_special, nowhere};

pub(super) const CLIENT: Client = Client {
    id: "opencode",
    title: "OpenCode",
    aliases: &["open-code"],
    format: Format::Json,
    ways: Ways::Both,
    variables: Variables::Curly,
    next_step: "start opencode anew",
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
    words: &[("environment", Ours::Key("env")), ("timeout", Ours::Aside)],
    special: nothing_special,
    elsewhere: nowhere,
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

/// The second version has them one level deeper.
fn holder(root: &Value) -> Vec<Step> {
    let mut path = vec![Step::key("mcp")];
    let servers = root.get("mcp").and_then(|mcp| mcp.get("servers"));
    // A server of the first version may have that name.
    if servers.is_some_and(|servers| servers.get("type").is_none()) {
        path.push(Step::key("servers"));
    }
    path
}
