//! Cline, inside VS Code, inside Cursor, and by itself.

use super::{
    Client, Data, Format, Gateway, Ours, Variables, Ways, mcp_servers, nothing_special, nowhere, stdio_entry,
};

pub(super) const CLIENT: Client = Client {
    id: "cline",
    title: "Cline",
    aliases: &[],
    format: Format::Json,
    ways: Ways::Both,
    variables: Variables::Editor,
    next_step: "Cline notices it; open its MCP Servers page to see the state",
    user_files: |places| {
        const INSIDE: &str = "User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json";
        let editors = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"];
        let mut files: Vec<_> =
            editors.iter().map(|editor| places.app_data.join(editor).join(INSIDE)).collect();
        files.push(places.home.join(".cline/data/settings/cline_mcp_settings.json"));
        files
    },
    project_files: &[],
    holder: mcp_servers,
    is_list: false,
    words: &[("timeout", Ours::Seconds("timeoutMs"))],
    special: nothing_special,
    elsewhere: nowhere,
    entry,
};

fn entry(_: &str, gateway: &Gateway) -> Data {
    match gateway {
        Gateway::Stdio { command, args } => stdio_entry(command, args),
        Gateway::Http { url, token } => Data::map([
            ("type", Data::text("streamableHttp")),
            ("url", Data::text(url.as_str())),
            ("headers", token.header(&CLIENT)),
        ]),
    }
}
