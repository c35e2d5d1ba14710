//! Windsurf: addresses are under `serverUrl`.

use super::{
    Client, Data, Format, Gateway, Ours, Variables, Ways, mcp_servers, nothing_special, nowhere, stdio_entry,
};

pub(super) const CLIENT: Client = Client {
    id: "windsurf",
    title: "Windsurf",
    aliases: &["codeium"],
    format: Format::Json,
    ways: Ways::Both,
    variables: Variables::Editor,
    next_step: "press the refresh button in Windsurf's MCP panel",
    user_files: |places| vec![places.home.join(".codeium/windsurf/mcp_config.json")],
    project_files: &[],
    holder: mcp_servers,
    is_list: false,
    words: &[("serverUrl", Ours::Key("url"))],
    special: nothing_special,
    elsewhere: nowhere,
    entry,
};

fn entry(_: &str, gateway: &Gateway) -> Data {
    match gateway {
        Gateway::Stdio { command, args } => stdio_entry(command, args),
        Gateway::Http { url, token } => {
            Data::map([("serverUrl", Data::text(url.as_str())), ("headers", token.header(&CLIENT))])
        }
    }
}
