//! Where a server's entry stands in its file, so that a fix can be written there.

use std::path::Path;

use serde_json::Value;
use toolwright_config::blanked;

use crate::finding::Fix;

/// The keys that hold servers, in the files that are read.
const HOLDERS: [&str; 3] = ["/mcpServers", "/servers", "/mcp/servers"];

/// A value for a key of a server's entry; words where the entry is not found.
pub(crate) fn set(file: &Path, toolbox: &str, server: &str, key: &str, value: &Value) -> Fix {
    match pointer(file, toolbox, server) {
        Some(entry) => {
            Fix::Set { file: file.to_owned(), at: format!("{entry}/{key}"), value: value.to_string() }
        }
        None => Fix::Do(format!("write \"{key}\": {value} into the entry of '{server}'")),
    }
}

/// Where the entry stands, as a JSON pointer.
pub(crate) fn pointer(file: &Path, toolbox: &str, server: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let text = blanked(text.strip_prefix('\u{feff}').unwrap_or(&text));
    let document: Value = serde_json::from_str(&text).ok()?;
    let of_toolbox = format!("/toolboxes/{}/mcpServers", escaped(toolbox));
    let places = std::iter::once(of_toolbox.as_str()).chain(HOLDERS);
    places
        .map(|holder| format!("{holder}/{}", escaped(server)))
        .find(|place| document.pointer(place).is_some_and(Value::is_object))
}

/// A key in a JSON pointer.
pub(crate) fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_found_wherever_a_file_may_have_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("t.json");
        for (text, place) in [
            (r#"{"mcpServers": {"a": {}}, } // c"#, Some("/mcpServers/a")),
            (r#"{"servers": {"a": {}}}"#, Some("/servers/a")),
            (r#"{"toolboxes": {"x/y": {"mcpServers": {"a": {}}}}}"#, Some("/toolboxes/x~1y/mcpServers/a")),
            (r#"{"mcpServers": {"b": {}}}"#, None),
            ("no JSON", None),
        ] {
            std::fs::write(&file, text).expect("written");
            assert_eq!(pointer(&file, "x/y", "a").as_deref(), place, "{text}");
        }
    }
}
