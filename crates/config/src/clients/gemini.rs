//! Gemini CLI: `httpUrl` for Streamable HTTP, and servers that are disabled by name.

use super::{
    Client, Data, Format, Gateway, KeyMeaning, Value, Variables, Ways, mcp_servers, no_other_paths,
    read::EntryConversion, stdio_entry,
};

pub(super) const CLIENT: Client = Client {
    id: "gemini-cli",
    title: "Gemini CLI",
    aliases: &["gemini"],
    format: Format::Json,
    ways: Ways::Both,
    variables: Variables::Dollar,
    next_step: "restart gemini; /mcp shows the state",
    user_files: |places| vec![places.home.join(".gemini/settings.json")],
    project_files: &[".gemini/settings.json"],
    holder: mcp_servers,
    is_list: false,
    key_meanings: &[("timeout", KeyMeaning::Key("timeoutMs")), ("tcp", KeyMeaning::ClientOnly)],
    convert,
    other_paths: no_other_paths,
    entry,
};

fn entry(_: &str, gateway: &Gateway) -> Data {
    match gateway {
        Gateway::Stdio { command, args } => stdio_entry(command, args),
        Gateway::Http { url, token } => {
            Data::map([("httpUrl", Data::text(url.as_str())), ("headers", token.header(&CLIENT))])
        }
    }
}

/// Applies `mcp.excluded` and `mcp.allowed`, which list disabled and enabled servers.
fn convert(entry: &mut EntryConversion<'_>) {
    let names = |key: &str| {
        let list = entry.root.get("mcp")?.get(key)?;
        Some(list.items().iter().filter_map(Value::text).collect::<Vec<_>>())
    };
    let is_off = names("excluded").is_some_and(|names| names.contains(&entry.name.as_str()));
    let is_on = names("allowed").is_none_or(|names| names.contains(&entry.name.as_str()));
    entry.is_disabled |= is_off || !is_on;
    if let Some(url) = entry.take("httpUrl") {
        if let Some(other) = entry.take("url") {
            entry.client_only.push(("url".to_owned(), other));
        }
        entry.set("url", url);
    }
}
