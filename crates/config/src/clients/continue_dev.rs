//! Continue: a YAML list of servers, each with its name.

use super::{
    Client, Data, Format, Gateway, KeyMeaning, Variables, Ways, mcp_servers, no_other_paths,
    read::EntryConversion,
};

pub(super) const CLIENT: Client = Client {
    id: "continue",
    title: "Continue",
    aliases: &["continue-dev"],
    format: Format::Yaml,
    ways: Ways::Both,
    variables: Variables::Secrets,
    next_step: "Continue reloads it automatically; use agent mode",
    user_files: |places| vec![places.home.join(".continue/config.yaml")],
    project_files: &[],
    holder: mcp_servers,
    is_list: true,
    key_meanings: &[
        ("name", KeyMeaning::Special),
        ("requestOptions", KeyMeaning::Special),
        ("connectionTimeout", KeyMeaning::ClientOnly),
    ],
    convert,
    other_paths: no_other_paths,
    entry,
};

fn entry(name: &str, gateway: &Gateway) -> Data {
    match gateway {
        Gateway::Stdio { command, args } => Data::map([
            ("name", Data::text(name)),
            ("type", Data::text("stdio")),
            ("command", Data::text(command.as_str())),
            ("args", Data::texts(args.iter().cloned())),
        ]),
        Gateway::Http { url, token } => Data::map([
            ("name", Data::text(name)),
            ("type", Data::text("streamable-http")),
            ("url", Data::text(url.as_str())),
            ("requestOptions", Data::map([("headers", token.header(&CLIENT))])),
        ]),
    }
}

/// Headers are part of the request options; the other options are ignored.
fn convert(entry: &mut EntryConversion<'_>) {
    let Some(Data::Map(options)) = entry.value.get("requestOptions").map(|options| options.data()) else {
        return;
    };
    let (headers, others): (Vec<_>, Vec<_>) = options.into_iter().partition(|(key, _)| key == "headers");
    entry.add("headers", headers.into_iter().flat_map(|(_, headers)| headers.members().to_vec()));
    if !others.is_empty() {
        entry.client_only.push(("requestOptions".to_owned(), Data::Map(others)));
    }
}
