//! What a model is told about the toolboxes before its first call.

use toolwright_jsonrpc::Json;

use super::Identifier;
use super::pretty::pretty;
use super::responses::identifier;

/// How long the list of toolboxes may get.
const LIST_CHARS: usize = 8_000;

/// How much of one name or description is shown.
const NAME_CHARS: usize = 100;
const DESCRIPTION_CHARS: usize = 400;

/// One toolbox, for the instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolboxSummary {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Its servers.
    pub servers: Vec<String>,
    /// How many tools it has, when that is known.
    pub tools: Option<usize>,
}

/// The instructions for these toolboxes: which there are, and how they are used.
pub fn instructions(toolboxes: &[ToolboxSummary]) -> String {
    let Some(first) = toolboxes.first() else { return EMPTY.to_owned() };
    let mut text = String::from("Available Toolboxes:\n");
    let mut left = LIST_CHARS;
    for (at, toolbox) in toolboxes.iter().enumerate() {
        let entry = entry(toolbox);
        let chars = entry.chars().count();
        // The first is always told.
        if chars > left && at > 0 {
            let more = toolboxes.len() - at;
            text.push_str(&format!("\n… and {more} more: list_toolboxes tells all of them.\n"));
            break;
        }
        left = left.saturating_sub(chars);
        text.push_str(&entry);
    }
    text.push_str("\nUse open_toolbox to connect to a toolbox, then use_tool to invoke tools.\n");
    text.push_str("search_tools finds tools by what they do.\n\nExample of use_tool:\n");
    let server = first.servers.first().map_or("server_name", String::as_str);
    let tool = Identifier::new(first.name.as_str(), server, "tool_name");
    let call = Json::empty_object().with("tool", &identifier(&tool)).with("arguments", &Json::empty_object());
    text.push_str(&pretty(&call));
    text
}

const EMPTY: &str = "No toolboxes configured.\n\
    Name MCP servers under \"mcpServers\" or \"toolboxes\" in toolwright.json.\n\
    Then list_toolboxes tells what there is.";

fn entry(toolbox: &ToolboxSummary) -> String {
    let servers = counted(toolbox.servers.len(), "server");
    let mut entry = format!("\n{} ({servers})\n", shown(&toolbox.name, NAME_CHARS));
    if let Some(description) = toolbox.description.as_deref().filter(|text| !text.trim().is_empty()) {
        entry.push_str(&format!("  Description: {}\n", shown(description, DESCRIPTION_CHARS)));
    }
    if let Some(tools) = toolbox.tools {
        entry.push_str(&format!("  Tools: {tools}\n"));
    }
    entry
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// A text in one line, and not too long.
fn shown(text: &str, chars: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace(char::is_control, "");
    match line.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meta::contract;

    fn toolbox(name: &str, servers: &[&str]) -> ToolboxSummary {
        ToolboxSummary {
            name: name.to_owned(),
            description: Some("Files\nand more".to_owned()),
            servers: servers.iter().map(|server| (*server).to_owned()).collect(),
            tools: None,
        }
    }

    #[test]
    fn they_name_the_toolboxes_and_show_a_call_that_is_right() {
        let text = instructions(&[toolbox("dev", &["fs", "git"]), toolbox("home", &["one"])]);
        assert!(text.starts_with(
            "Available Toolboxes:\n\ndev (2 servers)\n  Description: Files and more\n\nhome (1 server)\n  Description:"
        ));
        let example = &text[text.find('{').expect("an example")..];
        let call =
            contract::check(&Json::parse(example).expect("it is JSON")).expect("it keeps the contract");
        assert_eq!(call.0, Identifier::new("dev", "fs", "tool_name"));
    }

    #[test]
    fn they_stay_short_with_many_toolboxes() {
        let many: Vec<ToolboxSummary> = (0..5000)
            .map(|at| ToolboxSummary {
                name: format!("toolbox-{at}-{}", "ü".repeat(300)),
                ..toolbox("", &["a"])
            })
            .collect();
        let text = instructions(&many);
        assert!(text.chars().count() < LIST_CHARS + 1000);
        assert!(text.contains("more: list_toolboxes tells all of them."));
        assert!(text.contains("Example of use_tool:"));
    }

    #[test]
    fn without_toolboxes_they_say_what_to_do() {
        let text = instructions(&[]);
        assert!(text.starts_with("No toolboxes configured.\n"));
        assert_eq!(text.lines().count(), 3);
    }
}
