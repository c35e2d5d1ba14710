//! VS Code: `servers`, and `inputs` that it asks the user for.

use super::{
    Client, Data, Format, Gateway, Step, Value, Variables, Ways, no_other_paths, read::EntryConversion,
};

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
    key_meanings: &[],
    convert,
    other_paths: no_other_paths,
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

/// Adds a note for each input of the entry, with the description from VS Code.
fn convert(entry: &mut EntryConversion<'_>) {
    let text = entry.value.data().json();
    let inputs = entry.root.get("inputs").map(|inputs| inputs.items()).unwrap_or_default();
    for input in inputs {
        let field = |key: &str| input.get(key).and_then(Value::text).unwrap_or_default();
        if !field("id").is_empty() && text.contains(&format!("${{input:{}}}", field("id"))) {
            entry.notes.push(format!("VS Code asks for {}: {}", field("id"), field("description")));
        }
    }
}
