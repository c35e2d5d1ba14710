//! Gemini CLI: `httpUrl` for Streamable HTTP, and servers that are switched off by name.

use super::{
    Client, Data, Format, Gateway, Ours, Value, Variables, Ways, mcp_servers, nowhere, read::Entry,
    stdio_entry,
};

pub(super) const CLIENT: Client = Client {
    id: "gemini-cli",
    title: "Gemini CLI",
    aliases: &["gemini"],
    format: Format::Json,
    ways: Ways::Both,
    variables: Variables::Dollar,
    next_step: "start gemini anew; /mcp shows the state",
    user_files: |places| vec![places.home.join(".gemini/settings.json")],
    project_files: &[".gemini/settings.json"],
    holder: mcp_servers,
    is_list: false,
    words: &[("timeout", Ours::Key("timeoutMs")), ("tcp", Ours::Aside)],
    special,
    elsewhere: nowhere,
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

/// `mcp.excluded` and `mcp.allowed` name servers that are off and on.
fn special(entry: &mut Entry<'_>) {
    let names = |key: &str| {
        let list = entry.root.get("mcp")?.get(key)?;
        Some(list.items().iter().filter_map(Value::text).collect::<Vec<_>>())
    };
    let is_off = names("excluded").is_some_and(|names| names.contains(&entry.name.as_str()));
    let is_on = names("allowed").is_none_or(|names| names.contains(&entry.name.as_str()));
    entry.is_disabled |= is_off || !is_on;
    if let Some(url) = entry.take("httpUrl") {
        if let Some(other) = entry.take("url") {
            entry.aside.push(("url".to_owned(), other));
        }
        entry.set("url", url);
    }
}
