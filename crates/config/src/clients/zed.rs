//! Zed: `context_servers` among all its settings; those of extensions are no commands.

use super::{
    Client, Data, Format, Gateway, Ours, Step, System, Value, Variables, Ways, nowhere, read::Entry,
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
    words: &[("source", Ours::Read), ("remote", Ours::Aside)],
    special,
    elsewhere: nowhere,
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

fn special(entry: &mut Entry<'_>) {
    // An older form: a map in the place of the program.
    if let Some(command @ Data::Map(_)) = entry.get("command").cloned() {
        entry.take("command");
        for (key, value) in command.members() {
            match key.as_str() {
                "path" => entry.set("command", value.clone()),
                "args" | "env" => entry.set(key, value.clone()),
                _ => entry.aside.push((format!("command.{key}"), value.clone())),
            }
        }
    }
    let source = entry.value.get("source").and_then(Value::text);
    let has_way = entry.get("command").is_some() || entry.get("url").is_some();
    if source == Some("extension") || !has_way {
        entry.left_out = Some("an extension of Zed starts it: only Zed knows how".to_owned());
    }
}
