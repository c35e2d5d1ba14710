//! Kiro: one file for the user, one for a project.

use super::{
    Client, Data, Format, Gateway, Variables, Ways, mcp_servers, no_conversion, no_other_paths, stdio_entry,
};

pub(super) const CLIENT: Client = Client {
    id: "kiro",
    title: "Kiro",
    aliases: &[],
    format: Format::Json,
    ways: Ways::Both,
    variables: Variables::Braces,
    next_step: "Kiro connects when the file is saved; its MCP panel shows the state",
    user_files: |places| vec![places.home.join(".kiro/settings/mcp.json")],
    project_files: &[".kiro/settings/mcp.json"],
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
