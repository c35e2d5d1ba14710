//! The names of servers: each has one that nobody else has.

use toolwright_config::{Configuration, ServerConfig, Toolbox};
use toolwright_executor::registry::FILES_SERVER;
use toolwright_executor::registry::{BUILT_IN, UNNAMED_SERVER};

/// Names of our own among servers.
const TAKEN: &[&str] = &[BUILT_IN, UNNAMED_SERVER, FILES_SERVER];

/// Every entry with a name that nobody else has and that can stand before a tool's.
pub fn named(configuration: &Configuration) -> impl Iterator<Item = (String, &Toolbox, &ServerConfig)> {
    let mut given: Vec<String> = Vec::new();
    configuration.servers().map(move |(toolbox, entry)| {
        let is_shared = configuration
            .servers()
            .any(|(other, same)| same.name == entry.name && other.name != toolbox.name);
        let mut name = entry.name.clone();
        if is_shared || TAKEN.contains(&name.as_str()) {
            name = format!("{}.{name}", toolbox.name);
        }
        let mut name = name.replace(|c: char| c == '/' || c.is_control(), "-");
        while given.contains(&name) {
            name.push_str("-2");
        }
        given.push(name.clone());
        (name, toolbox, entry)
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn every_server_has_a_name_of_its_own() {
        let entry = r#"{"command": "x"}"#;
        let text = format!(
            r#"{{"mcpServers": {{"a": {entry}, "files": {entry}, "b/c": {entry}, "b-c": {entry}}},
                "toolboxes": {{"t": {{"description": "d", "mcpServers": {{"a": {entry}}}}}}}}}"#
        );
        let configuration = toolwright_config::parse(&text, Path::new("f"), &|_| None).expect("it is right");
        let names: Vec<String> = named(&configuration).map(|(name, ..)| name).collect();
        assert_eq!(names, ["default.a", "default.files", "b-c", "b-c-2", "t.a"]);
    }
}
