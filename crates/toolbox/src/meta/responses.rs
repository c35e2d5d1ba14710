//! What the meta-tools answer: JSON for models to read, over several lines.

use toolwright_jsonrpc::Json;

use super::pretty::pretty;
use super::{Identifier, texts};

/// A server that could not be used, in the answer of `open_toolbox`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerError {
    /// The server.
    pub server: String,
    /// What is wrong with it.
    pub message: String,
}

/// A toolbox in the answer of `list_toolboxes`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedToolbox {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Its servers.
    pub servers: Vec<String>,
    /// How many tools it has, when all its servers were asked.
    pub tools: Option<usize>,
    /// Whether this client has opened it.
    pub is_open: bool,
}

/// A tool in the answer of `search_tools`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What `use_tool` takes.
    pub tool: Identifier,
    /// The tool as its server sent it.
    pub definition: Json,
}

/// The answer of `open_toolbox`. Tools are given with their server's name, in order, each as it was sent.
pub fn opened(
    toolbox: &str,
    description: Option<&str>,
    servers_connected: usize,
    tools: &[(String, Json)],
    errors: &[ServerError],
) -> String {
    let of_toolbox = Json::text(toolbox);
    let tools = tools
        .iter()
        .map(|(server, tool)| tool.with("server", &Json::text(server)).with("toolbox", &of_toolbox));
    let mut answer = Json::empty_object()
        .with("toolbox", &of_toolbox)
        .with("description", &Json::text(description.unwrap_or_default()))
        .with("servers_connected", &number(servers_connected))
        .with("tools", &list(tools));
    if !errors.is_empty() {
        let errors = errors.iter().map(|error| {
            Json::empty_object()
                .with("server", &Json::text(&error.server))
                .with("message", &Json::text(&error.message))
        });
        answer = answer.with("errors", &list(errors));
    }
    pretty(&answer)
}

/// The answer of `list_toolboxes`.
pub fn listed(toolboxes: &[ListedToolbox]) -> String {
    let items = toolboxes.iter().map(|toolbox| {
        Json::empty_object()
            .with("name", &Json::text(&toolbox.name))
            .with("description", &Json::text(toolbox.description.as_deref().unwrap_or_default()))
            .with("servers", &Json::texts(&toolbox.servers))
            .with("tool_count", &toolbox.tools.map_or_else(null, number))
            .with("is_open", &boolean(toolbox.is_open))
    });
    let open = toolboxes.iter().filter(|toolbox| toolbox.is_open).count();
    pretty(
        &Json::empty_object()
            .with("toolboxes", &list(items))
            .with("total_count", &number(toolboxes.len()))
            .with("open_count", &number(open)),
    )
}

/// The answer of `search_tools`, the best first. `note` tells what else is to be known, such as servers
/// whose tools are not known yet.
pub fn found(query: &str, tools: &[Found], note: Option<&str>) -> String {
    let items = tools.iter().map(|found| {
        let first = Json::empty_object().with("tool", &identifier(&found.tool));
        let members = found.definition.members().unwrap_or_default();
        members.iter().filter(|member| !["tool", "name"].contains(&member.key.as_ref())).fold(
            first,
            |item, member| match Json::parse(member.value) {
                Ok(value) => item.with(&member.key, &value),
                Err(_) => item,
            },
        )
    });
    let mut answer = Json::empty_object()
        .with("query", &Json::text(query))
        .with("tools", &list(items))
        .with("found_count", &number(tools.len()));
    if let Some(note) = note {
        answer = answer.with("note", &Json::text(note));
    }
    pretty(&answer)
}

/// The answer of `close_toolbox`.
pub fn closed(toolbox: &str) -> String {
    texts::closed(toolbox)
}

/// The identifier as `use_tool` takes it.
pub(super) fn identifier(tool: &Identifier) -> Json {
    Json::empty_object()
        .with("toolbox", &Json::text(&tool.toolbox))
        .with("server", &Json::text(&tool.server))
        .with("name", &Json::text(&tool.name))
}

fn list(items: impl Iterator<Item = Json>) -> Json {
    let mut text = String::from("[");
    for (at, item) in items.enumerate() {
        if at > 0 {
            text.push(',');
        }
        text.push_str(item.as_str());
    }
    text.push(']');
    Json::parse(&text).unwrap_or_else(|_| null())
}

fn number(number: usize) -> Json {
    Json::parse(&number.to_string()).unwrap_or_else(|_| null())
}

fn boolean(is_so: bool) -> Json {
    if is_so { Json::yes() } else { Json::parse("false").unwrap_or_else(|_| null()) }
}

fn null() -> Json {
    Json::parse("null").unwrap_or_else(|_| Json::empty_object())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).expect("it is JSON")
    }

    #[test]
    fn an_opened_toolbox_gives_the_tools_as_they_were_sent() {
        let tool = json(
            r#"{"name":"read","inputSchema":{"type":"object","x-max":1.0},"_meta":{"a":[]},"title":"T"}"#,
        );
        let text = opened("dev", Some("For work"), 1, &[("fs".to_owned(), tool)], &[]);
        let answer = json(&text);
        assert!(text.starts_with(
            "{\n  \"toolbox\": \"dev\",\n  \"description\": \"For work\",\n  \"servers_connected\": 1"
        ));
        assert!(text.contains("\"x-max\": 1.0"));
        let tool = answer.get("tools").and_then(|tools| tools.items()).expect("a list").remove(0);
        let keys: Vec<String> =
            tool.members().expect("an object").iter().map(|member| member.key.to_string()).collect();
        assert_eq!(keys, ["name", "inputSchema", "_meta", "title", "server", "toolbox"]);
        assert_eq!(answer.get("errors"), None);
        let error = ServerError { server: "s".to_owned(), message: "gone".to_owned() };
        let partly = json(&opened("dev", None, 0, &[], &[error]));
        assert_eq!(
            partly.get("errors").expect("told").items().expect("a list")[0].get_text("message").as_deref(),
            Some("gone")
        );
    }

    #[test]
    fn toolboxes_are_listed_with_their_counts() {
        let dev = ListedToolbox {
            name: "dev".to_owned(),
            description: None,
            servers: vec!["a".to_owned(), "b".to_owned()],
            tools: None,
            is_open: true,
        };
        let text = listed(&[dev.clone(), ListedToolbox { tools: Some(3), is_open: false, ..dev }]);
        let flat: String = text.split_whitespace().collect();
        assert_eq!(
            flat,
            concat!(
                r#"{"toolboxes":[{"name":"dev","description":"","servers":["a","b"],"tool_count":null,"is_open":true},"#,
                r#"{"name":"dev","description":"","servers":["a","b"],"tool_count":3,"is_open":false}],"#,
                r#""total_count":2,"open_count":1}"#
            )
        );
    }

    #[test]
    fn a_found_tool_carries_what_use_tool_takes() {
        let found = [Found {
            tool: Identifier::new("dev", "fs", "read"),
            definition: json(r#"{"name":"read","description":"Reads","inputSchema":{"type":"object"}}"#),
        }];
        let flat: String = super::found("q", &found, Some("n")).split_whitespace().collect();
        assert_eq!(
            flat,
            concat!(
                r#"{"query":"q","tools":[{"tool":{"toolbox":"dev","server":"fs","name":"read"},"#,
                r#""description":"Reads","inputSchema":{"type":"object"}}],"found_count":1,"note":"n"}"#
            )
        );
    }
}
