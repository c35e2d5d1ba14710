//! Continue: a list of servers in YAML, each with its name.

use super::{Client, Data, Format, Gateway, Ours, Variables, Ways, mcp_servers, nowhere, read::Entry};

pub(super) const CLIENT: Client = Client {
    id: "continue",
    title: "Continue",
    aliases: &["continue-dev"],
    format: Format::Yaml,
    ways: Ways::Both,
    variables: Variables::Secrets,
    next_step: "Continue reads it again by itself; use agent mode",
    user_files: |places| vec![places.home.join(".continue/config.yaml")],
    project_files: &[],
    holder: mcp_servers,
    is_list: true,
    words: &[("name", Ours::Read), ("requestOptions", Ours::Read), ("connectionTimeout", Ours::Aside)],
    special,
    elsewhere: nowhere,
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

/// Headers are among the options of a request; the other options are Continue's own.
fn special(entry: &mut Entry<'_>) {
    let Some(Data::Map(options)) = entry.value.get("requestOptions").map(|options| options.data()) else {
        return;
    };
    let (headers, others): (Vec<_>, Vec<_>) = options.into_iter().partition(|(key, _)| key == "headers");
    entry.add("headers", headers.into_iter().flat_map(|(_, headers)| headers.members().to_vec()));
    if !others.is_empty() {
        entry.aside.push(("requestOptions".to_owned(), Data::Map(others)));
    }
}
