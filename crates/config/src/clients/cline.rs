//! Cline, as an extension of VS Code or Cursor, and as a program.

use super::{
    Client, Data, Format, Gateway, KeyMeaning, Variables, Ways, mcp_servers, no_conversion, no_other_paths,
    stdio_entry,
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
    key_meanings: &[("timeout", KeyMeaning::Seconds("timeoutMs"))],
    convert: no_conversion,
    other_paths: no_other_paths,
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
