//! Windsurf: addresses are under `serverUrl`.

use super::{
    Client, Data, Format, Gateway, KeyMeaning, Variables, Ways, mcp_servers, no_conversion, no_other_paths,
    stdio_entry,
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
    key_meanings: &[("serverUrl", KeyMeaning::Key("url"))],
    convert: no_conversion,
    other_paths: no_other_paths,
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
