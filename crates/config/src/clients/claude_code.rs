//! Claude Code: `~/.claude.json` for the user, including servers for single folders, and `.mcp.json` for a project.

use std::path::PathBuf;

use super::{
    Client, Data, FolderServers, Format, Gateway, Pair, Step, Value, Variables, Ways, mcp_servers,
    read::EntryConversion,
};

pub(super) const CLIENT: Client = Client {
    id: "claude-code",
    title: "Claude Code",
    aliases: &["claude"],
    format: Format::Json,
    ways: Ways::Both,
    variables: Variables::Braces,
    next_step: "restart claude; /mcp shows the state (project servers need approval first)",
    user_files: |places| {
        let folder = places.claude.as_ref().unwrap_or(&places.home);
        vec![folder.join(".claude.json")]
    },
    project_files: &[".mcp.json"],
    holder: mcp_servers,
    is_list: false,
    key_meanings: &[],
    convert,
    other_paths: folder_servers,
    entry,
};

fn entry(_: &str, gateway: &Gateway) -> Data {
    match gateway {
        Gateway::Stdio { command, args } => Data::map([
            ("type", Data::text("stdio")),
            ("command", Data::text(command.as_str())),
            ("args", Data::texts(args.iter().cloned())),
            ("env", Data::Map(Vec::new())),
        ]),
        Gateway::Http { url, token } => Data::map([
            ("type", Data::text("http")),
            ("url", Data::text(url.as_str())),
            ("headers", token.header(&CLIENT)),
        ]),
    }
}

/// Servers that were added for one folder.
fn folder_servers(root: &Value) -> Vec<FolderServers> {
    let folders = root.get("projects").map(|projects| projects.pairs()).unwrap_or_default();
    let has_servers =
        |folder: &&Pair| folder.value.get("mcpServers").is_some_and(|it| !it.pairs().is_empty());
    let path = |folder: &Pair| vec![Step::key("projects"), Step::key(&folder.key), Step::key("mcpServers")];
    folders.iter().filter(has_servers).map(|folder| (PathBuf::from(&folder.key), path(folder))).collect()
}

fn convert(entry: &mut EntryConversion<'_>) {
    // Toolwright does not support these transports.
    if entry.get("type").and_then(Data::as_text).is_some_and(|kind| ["ws", "sdk"].contains(&kind)) {
        entry.left_out = Some("only Claude Code supports its transport".to_owned());
    }
}
