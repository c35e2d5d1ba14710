//! Servers and toolboxes that a name may mention.

use super::affixes::parts;
use super::fold::fold;
use super::tool_name::NamedTool;
use super::words::words;

/// Whether a name starts with the words of a server or toolbox and has more: `github_create_issue` for `GitHub`.
pub fn starts_with_place(name: &str, place: &str) -> bool {
    words_of_place(&words(name), place).is_some()
}

/// Number of these words that belong to a server or toolbox, if they start with it and have more.
fn words_of_place(words: &[String], place: &str) -> Option<usize> {
    let folded = fold(place);
    let mut rest = folded.as_str();
    for (at, word) in words.iter().enumerate() {
        rest = rest.strip_prefix(word.as_str())?;
        if rest.is_empty() {
            return (at + 1 < words.len()).then_some(at + 1);
        }
    }
    None
}

/// The server that a client wrote into a tool's name: `github` in `mcp__github__create_issue`.
fn place_in_name(name: &str) -> Option<&str> {
    let parts = parts(name);
    let parts = parts.strip_prefix(&["mcp"]).unwrap_or(&parts);
    (parts.len() > 1).then(|| parts[0])
}

/// The known servers and toolboxes.
pub(super) struct KnownPlaces<'p> {
    tools: &'p [NamedTool<'p>],
    configured: &'p [&'p str],
}

impl<'p> KnownPlaces<'p> {
    /// Those of the tools, and also the `configured` ones.
    pub(super) fn new(tools: &'p [NamedTool<'p>], configured: &'p [&'p str]) -> KnownPlaces<'p> {
        KnownPlaces { tools, configured }
    }

    /// Whether a server or toolbox has this name.
    pub(super) fn contain(&self, name: &str) -> bool {
        let folded = fold(name);
        self.all().any(|place| fold(place) == folded)
    }

    /// Whether a name starts with a server or toolbox that is not the tool's. Of two, the longer one counts.
    pub(super) fn has_another_in(&self, name: &str, tool: &NamedTool<'_>) -> bool {
        let own = own_places(tool);
        let words = words(name);
        let own_words = own.iter().flatten().filter_map(|place| words_of_place(&words, place)).max();
        let others = self.all().filter(|place| !own.contains(&Some(place)));
        others.filter_map(|place| words_of_place(&words, place)).any(|other| Some(other) >= own_words)
    }

    fn all(&self) -> impl Iterator<Item = &'p str> {
        let of_tools = self.tools.iter().flat_map(own_places).flatten();
        of_tools.chain(self.configured.iter().copied())
    }
}

/// The server and toolbox of a tool: as known, or else as in its name.
fn own_places<'t>(tool: &NamedTool<'t>) -> [Option<&'t str>; 2] {
    match tool.server {
        None if tool.toolbox.is_none() => [place_in_name(tool.name), None],
        server => [server, tool.toolbox],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_prefix_is_whole_words() {
        for (name, place) in [
            ("vault_put", "vault"),
            ("github_create_issue", "GitHub"),
            ("MyVaultPut", "my_vault"),
            ("my_vault_put", "myvault"),
            ("fs_local__put", "fs.local"),
        ] {
            assert!(starts_with_place(name, place), "{name} of {place}");
        }
        for (name, place) in [("vault", "vault"), ("add_note", "a"), ("vaults_list", "vault"), ("x", "")] {
            assert!(!starts_with_place(name, place), "{name} of {place}");
        }
    }

    #[test]
    fn server_is_parsed_from_tool_name() {
        assert_eq!(place_in_name("mcp__github__create_issue"), Some("github"));
        assert_eq!(place_in_name("github__create_issue"), Some("github"));
        assert_eq!(place_in_name("mcp__create_issue"), None);
        assert_eq!(place_in_name("create_issue"), None);
    }
}
