//! VS Code: `servers`, and `inputs` that it asks for.

use super::{Client, Data, Format, Gateway, Step, Value, Variables, Ways, nowhere, read::Entry};

pub(super) const CLIENT: Client = Client {
    id: "vs-code",
    title: "VS Code",
    aliases: &["vscode", "code", "copilot"],
    format: Format::Json,
    ways: Ways::Both,
    variables: Variables::Editor,
    next_step: "run `MCP: List Servers` in VS Code and start it; it asks whether it is trusted",
    user_files: |places| {
        let editors = ["Code", "Code - Insiders", "VSCodium"];
        editors.iter().map(|editor| places.app_data.join(editor).join("User/mcp.json")).collect()
    },
    project_files: &[".vscode/mcp.json"],
    holder: |_| vec![Step::key("servers")],
    is_list: false,
    words: &[],
    special,
    elsewhere: nowhere,
    entry,
};

fn entry(_: &str, gateway: &Gateway) -> Data {
    match gateway {
        Gateway::Stdio { command, args } => Data::map([
            ("type", Data::text("stdio")),
            ("command", Data::text(command.as_str())),
            ("args", Data::texts(args.iter().cloned())),
        ]),
        Gateway::Http { url, token } => Data::map([
            ("type", Data::text("http")),
            ("url", Data::text(url.as_str())),
            ("headers", token.header(&CLIENT)),
        ]),
    }
}

/// What the inputs of an entry are for, in the words that VS Code asks with.
fn special(entry: &mut Entry<'_>) {
    let text = entry.value.data().json();
    let inputs = entry.root.get("inputs").map(|inputs| inputs.items()).unwrap_or_default();
    for input in inputs {
        let said = |key: &str| input.get(key).and_then(Value::text).unwrap_or_default();
        if !said("id").is_empty() && text.contains(&format!("${{input:{}}}", said("id"))) {
            entry.notes.push(format!("VS Code asks for {}: {}", said("id"), said("description")));
        }
    }
}
