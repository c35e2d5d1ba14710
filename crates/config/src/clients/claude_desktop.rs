//! Claude Desktop. It only supports stdio: it silently ignores an entry with an address.

use super::{
    Client, Data, Format, Gateway, Variables, Ways, mcp_servers, no_conversion, no_other_paths, stdio_entry,
};

pub(super) const CLIENT: Client = Client {
    id: "claude-desktop",
    title: "Claude Desktop",
    aliases: &["claude-app"],
    format: Format::Json,
    ways: Ways::StdioOnly,
    variables: Variables::None,
    next_step: "quit Claude Desktop from its tray icon or menu (closing the window is not enough) and start it again",
    user_files: |places| vec![places.app_data.join("Claude/claude_desktop_config.json")],
    project_files: &[],
    holder: mcp_servers,
    is_list: false,
    key_meanings: &[],
    convert: no_conversion,
    other_paths: no_other_paths,
    entry,
};

// `Ways::StdioOnly` rules out HTTP before this is called.
fn entry(_: &str, gateway: &Gateway) -> Data {
    match gateway {
        Gateway::Stdio { command, args } => stdio_entry(command, args),
        Gateway::Http { .. } => Data::Map(Vec::new()),
    }
}
