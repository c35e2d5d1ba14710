//! Claude Desktop. It starts its servers itself: an entry with an address is left out without a word.

use super::{
    Client, Data, Format, Gateway, Variables, Ways, mcp_servers, nothing_special, nowhere, stdio_entry,
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
    words: &[],
    special: nothing_special,
    elsewhere: nowhere,
    entry,
};

// It is never asked for one with an address.
fn entry(_: &str, gateway: &Gateway) -> Data {
    match gateway {
        Gateway::Stdio { command, args } => stdio_entry(command, args),
        Gateway::Http { .. } => Data::Map(Vec::new()),
    }
}
