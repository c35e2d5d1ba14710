//! Goose: `extensions` in YAML, with its own keys; most kinds are built into Goose.

use super::{
    Client, Data, Format, Gateway, KeyMeaning, Step, System, Value, Variables, Ways, no_other_paths,
    read::EntryConversion,
};

pub(super) const CLIENT: Client = Client {
    id: "goose",
    title: "Goose",
    aliases: &[],
    format: Format::Yaml,
    ways: Ways::Both,
    variables: Variables::Dollar,
    next_step: "restart goose",
    user_files: |places| match places.system {
        System::Windows => vec![places.app_data.join("Block/goose/config/config.yaml")],
        System::Linux | System::MacOs => vec![places.config.join("goose/config.yaml")],
    },
    project_files: &[],
    holder: |_| vec![Step::key("extensions")],
    is_list: false,
    key_meanings: &[
        ("cmd", KeyMeaning::Key("command")),
        ("envs", KeyMeaning::Key("env")),
        ("env_keys", KeyMeaning::Special),
        ("uri", KeyMeaning::Key("url")),
        ("timeout", KeyMeaning::Seconds("timeoutMs")),
        ("available_tools", KeyMeaning::Special),
        ("name", KeyMeaning::Special),
        ("display_name", KeyMeaning::ClientOnly),
        ("bundled", KeyMeaning::ClientOnly),
    ],
    convert,
    other_paths: no_other_paths,
    entry,
};

fn entry(name: &str, gateway: &Gateway) -> Data {
    let mut members = vec![("enabled", Data::Bool(true)), ("name", Data::text(name))];
    members.extend(match gateway {
        Gateway::Stdio { command, args } => [
            ("type", Data::text("stdio")),
            ("cmd", Data::text(command.as_str())),
            ("args", Data::texts(args.iter().cloned())),
        ],
        Gateway::Http { url, token } => [
            ("type", Data::text("streamable_http")),
            ("uri", Data::text(url.as_str())),
            ("headers", token.header(&CLIENT)),
        ],
    });
    members.push(("description", Data::text("Every tool call, made to fit")));
    members.push(("envs", Data::Map(Vec::new())));
    members.push(("timeout", Data::Number("300".to_owned())));
    Data::map(members)
}

fn convert(entry: &mut EntryConversion<'_>) {
    let kind = entry.value.get("type").and_then(Value::text).unwrap_or_default();
    if !["", "stdio", "sse", "streamable_http"].contains(&kind) {
        entry.left_out = Some(format!("it is of the kind \"{kind}\": a part of Goose itself"));
    }
    let name = entry.value.get("name").and_then(Value::text);
    if let Some(name) = name.filter(|name| *name != entry.name) {
        entry.client_only.push(("name".to_owned(), Data::text(name)));
    }
    let texts = |key: &str| entry.value.get(key).map(|it| it.data()).unwrap_or(Data::Null);
    let (keys, tools) = (texts("env_keys"), texts("available_tools"));
    if !keys.is_empty() {
        let names = keys.as_texts().join(", ");
        entry
            .notes
            .push(format!("Goose stores {names} in its keyring; for Toolwright, set it in the environment"));
        entry.set("env_from", keys);
    }
    if !tools.is_empty() {
        entry.set("allowedTools", tools);
    }
}
