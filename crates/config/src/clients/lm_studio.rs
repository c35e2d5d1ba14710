//! LM Studio, in the format of Cursor.

use super::{
    Client, Data, Format, Gateway, Variables, Ways, mcp_servers, no_conversion, no_other_paths, stdio_entry,
};

pub(super) const CLIENT: Client = Client {
    id: "lm-studio",
    title: "LM Studio",
    aliases: &["lmstudio"],
    format: Format::Json,
    ways: Ways::Both,
    variables: Variables::None,
    next_step: "LM Studio notices it; switch it on in the Program tab",
    user_files: |places| {
        let folders = [".lmstudio", ".cache/lm-studio"];
        folders.iter().map(|folder| places.home.join(folder).join("mcp.json")).collect()
    },
    project_files: &[],
    holder: mcp_servers,
    is_list: false,
    key_meanings: &[],
    convert: no_conversion,
    other_paths: no_other_paths,
    entry,
};

fn entry(_: &str, gateway: &Gateway) -> Data {
    match gateway {
        Gateway::Stdio { command, args } => stdio_entry(command, args),
        Gateway::Http { url, token } => {
            Data::map([("url", Data::text(url.as_str())), ("headers", token.header(&CLIENT))])
        }
    }
}
