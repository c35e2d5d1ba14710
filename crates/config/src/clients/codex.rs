//! Codex: TOML tables, with separate keys for headers.

use super::{
    Client, Data, Format, Gateway, KeyMeaning, Secret, Step, Variables, Ways, no_other_paths,
    read::EntryConversion, stdio_entry,
};

pub(super) const CLIENT: Client = Client {
    id: "codex",
    title: "Codex",
    aliases: &["openai-codex"],
    format: Format::Toml,
    ways: Ways::Both,
    variables: Variables::None,
    next_step: "restart codex; /mcp shows the state (a project must be trusted)",
    user_files: |places| {
        let folder = places.codex.clone().unwrap_or_else(|| places.home.join(".codex"));
        vec![folder.join("config.toml")]
    },
    project_files: &[".codex/config.toml"],
    holder: |_| vec![Step::key("mcp_servers")],
    is_list: false,
    key_meanings: &[
        ("http_headers", KeyMeaning::Special),
        ("env_http_headers", KeyMeaning::Special),
        ("bearer_token_env_var", KeyMeaning::Special),
        ("env_vars", KeyMeaning::Special),
        ("headers", KeyMeaning::ClientOnly),
        ("tool_timeout_sec", KeyMeaning::Seconds("timeoutMs")),
        ("enabled_tools", KeyMeaning::Key("enabledTools")),
        ("disabled_tools", KeyMeaning::Key("disabledTools")),
    ],
    convert,
    other_paths: no_other_paths,
    entry,
};

fn entry(_: &str, gateway: &Gateway) -> Data {
    match gateway {
        Gateway::Stdio { command, args } => stdio_entry(command, args),
        Gateway::Http { url, token: Secret::Variable(name) } => Data::map([
            ("url", Data::text(url.as_str())),
            ("bearer_token_env_var", Data::text(name.as_str())),
        ]),
        Gateway::Http { url, token } => {
            Data::map([("url", Data::text(url.as_str())), ("http_headers", token.header(&CLIENT))])
        }
    }
}

fn convert(entry: &mut EntryConversion<'_>) {
    let data = |key: &str| entry.value.get(key).map(|it| it.data()).unwrap_or(Data::Null);
    let (plain, of_variables, bearer) =
        (data("http_headers"), data("env_http_headers"), data("bearer_token_env_var"));
    let names = data("env_vars");
    // Codex does not expand variables in a text, Toolwright does: escape them.
    let quoted = |text: &str| Data::text(text.replace("${", "$${"));
    let mut headers: Vec<(String, Data)> = Vec::new();
    headers.extend(plain.members().iter().map(|(key, value)| match value {
        Data::Text(text) => (key.clone(), quoted(text)),
        other => (key.clone(), other.clone()),
    }));
    let reference = |name: &str| format!("${{env:{name}}}");
    let named = of_variables.members().iter().filter_map(|(key, name)| Some((key, name.as_text()?)));
    headers.extend(named.map(|(key, name)| (key.clone(), Data::Text(reference(name)))));
    if let Some(name) = bearer.as_text() {
        headers.push(("Authorization".to_owned(), Data::Text(format!("Bearer {}", reference(name)))));
    }
    entry.converted_headers = headers;
    if !names.as_texts().is_empty() {
        entry.set("env_from", Data::texts(names.as_texts()));
    }
    let others: Vec<Data> = match names {
        Data::List(items) => items.into_iter().filter(|item| item.as_text().is_none()).collect(),
        _ => Vec::new(),
    };
    if !others.is_empty() {
        entry.client_only.push(("env_vars".to_owned(), Data::List(others)));
    }
}
