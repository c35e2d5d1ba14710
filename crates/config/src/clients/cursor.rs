//! Cursor: `mcp.json` for the user, and for a project.

use super::{
    Client, Data, Format, Gateway, Variables, Ways, mcp_servers, no_conversion, no_other_paths, stdio_entry,
};

pub(super) const CLIENT: Client = Client {
    id: "cursor",
    title: "Cursor",
    aliases: &[],
    format: Format::Json,
    ways: Ways::Both,
    variables: Variables::Editor,
    next_step: "open Cursor's settings, MCP, and switch the server on if it is off",
    user_files: |places| vec![places.home.join(".cursor/mcp.json")],
    project_files: &[".cursor/mcp.json"],
    holder: mcp_servers,
    is_list: false,
    key_meanings: &[],
    convert: no_conversion,
    other_paths: no_other_paths,
    entry,
};

fn entry(_: &str, gateway: &Gateway) -> Data {
    match gateway {
        Gateway::Stdio { command, args } => stdio_entry(command, args),
        Gateway::Http { url, token } => {
            Data::map([("url", Data::text(url.as_str())), ("headers", token.header(&CLIENT))])
        }
    }
}
