//! Claude Code: `~/.claude.json` for a person, with servers for single folders in it, and `.mcp.json` of a project.

use std::path::PathBuf;

use super::{
    Client, Data, ForFolder, Format, Gateway, Pair, Step, Value, Variables, Ways, mcp_servers, read::Entry,
};

pub(super) const CLIENT: Client = Client {
    id: "claude-code",
    title: "Claude Code",
    aliases: &["claude"],
    format: Format::Json,
    ways: Ways::Both,
    variables: Variables::Braces,
    next_step: "start claude anew; /mcp shows the state (servers of a project are asked for first)",
    user_files: |places| {
        let folder = places.claude.as_ref().unwrap_or(&places.home);
        vec![folder.join(".claude.json")]
    },
    project_files: &[".mcp.json"],
    holder: mcp_servers,
    is_list: false,
    words: &[],
    special,
    elsewhere: of_folders,
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
fn of_folders(root: &Value) -> Vec<ForFolder> {
    let folders = root.get("projects").map(|projects| projects.pairs()).unwrap_or_default();
    let has_servers =
        |folder: &&Pair| folder.value.get("mcpServers").is_some_and(|it| !it.pairs().is_empty());
    let path = |folder: &Pair| vec![Step::key("projects"), Step::key(&folder.key), Step::key("mcpServers")];
    folders.iter().filter(has_servers).map(|folder| (PathBuf::from(&folder.key), path(folder))).collect()
}

fn special(entry: &mut Entry<'_>) {
    // Known to Claude Code alone.
    if entry.get("type").and_then(Data::as_text).is_some_and(|kind| ["ws", "sdk"].contains(&kind)) {
        entry.left_out = Some("its way of connecting is known to Claude Code only".to_owned());
    }
}
