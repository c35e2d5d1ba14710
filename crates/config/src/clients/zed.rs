//! Zed: `context_servers` in its settings; those of extensions have no command.

use super::{
    Client, Data, Format, Gateway, KeyMeaning, Step, System, Value, Variables, Ways, no_other_paths,
    read::EntryConversion,
};

pub(super) const CLIENT: Client = Client {
    id: "zed",
    title: "Zed",
    aliases: &[],
    format: Format::Json,
    ways: Ways::Both,
    variables: Variables::None,
    next_step: "Zed notices it; its agent panel shows the state",
    user_files: |places| match places.system {
        System::Windows => vec![places.app_data.join("Zed/settings.json")],
        System::Linux | System::MacOs => vec![places.config.join("zed/settings.json")],
    },
    project_files: &[".zed/settings.json"],
    holder: |_| vec![Step::key("context_servers")],
    is_list: false,
    key_meanings: &[("source", KeyMeaning::Special), ("remote", KeyMeaning::ClientOnly)],
    convert,
    other_paths: no_other_paths,
    entry,
};

fn entry(_: &str, gateway: &Gateway) -> Data {
    match gateway {
        Gateway::Stdio { command, args } => Data::map([
            ("source", Data::text("custom")),
            ("command", Data::text(command.as_str())),
            ("args", Data::texts(args.iter().cloned())),
            ("env", Data::Map(Vec::new())),
        ]),
        Gateway::Http { url, token } => {
            Data::map([("url", Data::text(url.as_str())), ("headers", token.header(&CLIENT))])
        }
    }
}

fn convert(entry: &mut EntryConversion<'_>) {
    // An older format: a map in place of the command.
    if let Some(command @ Data::Map(_)) = entry.get("command").cloned() {
        entry.take("command");
        for (key, value) in command.members() {
            match key.as_str() {
                "path" => entry.set("command", value.clone()),
                "args" | "env" => entry.set(key, value.clone()),
                _ => entry.client_only.push((format!("command.{key}"), value.clone())),
            }
        }
    }
    let source = entry.value.get("source").and_then(Value::text);
    let has_transport = entry.get("command").is_some() || entry.get("url").is_some();
    if source == Some("extension") || !has_transport {
        entry.left_out = Some("a Zed extension starts it; Toolwright cannot".to_owned());
    }
}
