//! One line of input: a call and the tool, or tools, it is for.

mod deep;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bumpalo::Bump;
use toolwright_jsonrpc::raw::{Kind, Member, Node, ParseErrorKind, parse, quote, same_value};
use toolwright_model::{Annotations, Change, Code, Finish, Problem, ToolDefinition};
use toolwright_normalizer::{NamedTool, Tool, find_tool};

use crate::finish;

/// How many compiled tools one thread keeps.
const MAX_CACHED_TOOLS: usize = 2048;
/// The keys that a tool may have its schema under.
const SCHEMA_KEYS: [&str; 3] = ["inputSchema", "input_schema", "parameters"];
/// Up to this many keys of a line are compared each with each.
const PAIRWISE_KEYS: usize = 16;
/// What to do about a line without arguments.
const NO_ARGUMENTS: &str = "\"arguments\" is missing; give an object, or a string with the text as the model wrote it ({} for a call without arguments)";

/// A call as read from a line.
pub struct CallLine {
    /// The line's id as JSON text.
    pub id: String,
    /// The tool, or why there is none.
    pub tool: Result<Found, Problem>,
    /// The name as it was sent, for answers without a tool.
    pub sent_name: Option<String>,
    /// The arguments: JSON text, or what the model wrote.
    pub arguments: String,
    /// How the model's turn ended.
    pub finish: Finish,
    /// The value of `expect`, as JSON text, for rule tests.
    pub expect: Option<String>,
}

/// A tool that was found, and how its name had to be read.
pub struct Found {
    pub tool: Arc<Tool>,
    /// The tool as the line defines it.
    pub definition: Arc<ToolDefinition>,
    /// The name to answer with: with its server where several tools share it.
    pub name: String,
    pub change: Option<Change>,
}

/// Compiled tools by their definition.
#[derive(Default)]
pub struct ToolCache {
    tools: HashMap<String, Known>,
}

/// A tool, compiled and as it was defined.
type Known = (Arc<Tool>, Arc<ToolDefinition>);

/// A line that is no call: its id, if it has one, and what is wrong with it.
pub struct WrongLine {
    /// The line's id as JSON text.
    pub id: String,
    pub message: String,
}

/// The text without the mark that some editors put before it.
pub fn without_byte_order_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Reads one line; the error says what is wrong with it.
pub fn read_line(line: &str, cache: &mut ToolCache) -> Result<CallLine, WrongLine> {
    let arena = Bump::new();
    let wrong = |id: &str, message: String| WrongLine { id: id.to_owned(), message };
    let (root, too_deep) = match parse(line, &arena) {
        Ok(parsed) => (parsed.root, None),
        Err(error) => {
            let parts = Some(error.kind)
                .filter(|kind| *kind == ParseErrorKind::TooDeep)
                .and_then(|_| deep::take_arguments_out(line));
            let rest = parts.as_ref().and_then(|parts| parse(arena.alloc_str(&parts.rest), &arena).ok());
            match (rest, parts) {
                (Some(rest), Some(parts)) => (rest.root, Some(parts.arguments)),
                _ => return Err(wrong("null", format!("the line is not JSON: {error}"))),
            }
        }
    };
    let id = root.get("id").map_or("null".to_owned(), |id| id.to_json());
    let mut call = read_call(root, &id, cache).map_err(|message| wrong(&id, message))?;
    if let Some(arguments) = too_deep {
        call.arguments = arguments.to_owned();
    }
    Ok(call)
}

fn read_call(root: Node<'_>, id: &str, cache: &mut ToolCache) -> Result<CallLine, String> {
    let Some(members) = root.as_object() else {
        return Err(format!(
            "the line is {}, but an object with \"tool\" and \"arguments\" is expected",
            root.a_type_name()
        ));
    };
    if let Some(key) = repeated_key(members) {
        return Err(format!("{} stands twice on the line; keep one of them", quote(key)));
    }
    let finish = match root.get("finish") {
        None => Finish::Unknown,
        Some(node) => read_finish(&node)?,
    };
    let arguments = match root.get("arguments") {
        None => return Err(NO_ARGUMENTS.to_owned()),
        Some(node) => match node.kind {
            Kind::String(text) => text.decode().into_owned(),
            _ => node.to_json(),
        },
    };
    let sent_name = root.get("name").and_then(|name| name.as_text()).map(|name| name.into_owned());
    let tool = match (root.get("tool"), root.get("tools")) {
        (Some(_), Some(_)) => {
            return Err("\"tool\" and \"tools\" are both there; keep one of them".to_owned());
        }
        (Some(tool), None) => match sent_name.as_deref() {
            Some(name) => cache.find(name, &[tool])?,
            None => {
                let (tool, definition) = cache.compile(&tool)?;
                let name = tool.name().to_owned();
                Ok(Found { tool, definition, name, change: None })
            }
        },
        (None, Some(tools)) => {
            let name = sent_name.as_deref().ok_or("\"tools\" needs a \"name\" beside it")?;
            cache.find(name, tools.as_array().ok_or("\"tools\" is a list of tools")?)?
        }
        (None, None) => {
            return Err(
                "\"tool\" is missing; give {\"name\", \"inputSchema\"}, or \"name\" and \"tools\"".to_owned()
            );
        }
    };
    let expect = root.get("expect").map(|expect| expect.to_json());
    Ok(CallLine { id: id.to_owned(), tool, sent_name, arguments, finish, expect })
}

fn repeated_key<'a>(members: &[Member<'a>]) -> Option<&'a str> {
    let keys = || members.iter().map(|member| member.key);
    if members.len() <= PAIRWISE_KEYS {
        return keys()
            .enumerate()
            .find(|(index, key)| keys().take(*index).any(|other| other == *key))
            .map(|(_, key)| key);
    }
    let mut seen = HashSet::with_capacity(members.len());
    keys().find(|key| !seen.insert(*key))
}

fn read_finish(node: &Node<'_>) -> Result<Finish, String> {
    match node.kind {
        // What an API says while the turn is going on.
        Kind::Null => Ok(Finish::Unknown),
        Kind::String(word) => {
            finish::parse(&word.decode()).map_err(|message| format!("\"finish\": {message}"))
        }
        _ => Err(format!("\"finish\" is {}; use \"stop\" or \"length\"", node.a_type_name())),
    }
}

/// Reads a tool file.
pub fn read_tool(text: &str) -> Result<Tool, String> {
    let arena = Bump::new();
    let parsed = parse(without_byte_order_mark(text), &arena)
        .map_err(|error| format!("the tool is not JSON: {error}"))?;
    if let Some(key) = parsed.conflicting_key {
        return Err(twice_in_tool(key));
    }
    Tool::compile(&definition(&parsed.root)?).map_err(|error| error.to_string())
}

fn twice_in_tool(key: &str) -> String {
    format!("the tool has {} twice in one object with different values; keep one of them", quote(key))
}

impl ToolCache {
    fn compile(&mut self, node: &Node<'_>) -> Result<Known, String> {
        let key = node.to_json();
        if let Some(known) = self.tools.get(&key) {
            return Ok(known.clone());
        }
        let definition = definition(node)?;
        if let Some(twice) = parse(&key, &Bump::new()).ok().and_then(|parsed| parsed.conflicting_key) {
            return Err(twice_in_tool(twice));
        }
        let tool =
            Tool::compile(&definition).map_err(|error| format!("tool \"{}\": {error}", definition.name))?;
        let known = (Arc::new(tool), Arc::new(definition));
        if self.tools.len() >= MAX_CACHED_TOOLS {
            self.tools.clear();
        }
        self.tools.insert(key, known.clone());
        Ok(known)
    }

    fn find(&mut self, name: &str, list: &[Node<'_>]) -> Result<Result<Found, Problem>, String> {
        let definitions: Vec<ToolDefinition> = list.iter().map(definition).collect::<Result<_, _>>()?;
        let tools: Vec<NamedTool<'_>> = definitions
            .iter()
            .map(|tool| {
                NamedTool::new(&tool.name, tool.server.as_deref()).destroying(tool.annotations.destructive)
            })
            .collect();
        Ok(match find_tool(name, &tools, &[]) {
            Ok(found) => {
                let NamedTool { name: known, server, .. } = tools[found.index];
                let is_shared = tools.iter().filter(|tool| tool.name == known).count() > 1;
                let name_to_answer = match server.filter(|_| is_shared) {
                    Some(server) => format!("{server}/{known}"),
                    None => known.to_owned(),
                };
                let change = found.code.map(|code| Change {
                    code,
                    path: String::new(),
                    from: Some(quote(name)),
                    to: Some(quote(&name_to_answer)),
                    rule: None,
                    rule_type: None,
                    why: code.title().to_owned(),
                });
                let (tool, definition) = self.compile(&list[found.index])?;
                Ok(Found { tool, definition, name: name_to_answer, change })
            }
            Err(error) => {
                Err(Problem { code: Code::UnknownTool, path: String::new(), message: error.to_string() })
            }
        })
    }
}

/// A definition in the form of MCP, Anthropic or OpenAI.
fn definition(node: &Node<'_>) -> Result<ToolDefinition, String> {
    let node = node.get("function").filter(|inner| inner.as_object().is_some()).unwrap_or(*node);
    if node.as_object().is_none() {
        return Err(format!(
            "a tool is an object with \"name\" and \"inputSchema\", not {}",
            node.a_type_name()
        ));
    }
    let text = |key: &str| node.get(key).and_then(|value| value.as_text()).map(|text| text.into_owned());
    let mut schemas = SCHEMA_KEYS.iter().filter_map(|key| Some((*key, node.get(key)?)));
    let first = schemas.next();
    if let Some((one, schema)) = &first
        && let Some((other, _)) = schemas.find(|(_, other)| !same_value(other, schema))
    {
        return Err(format!("the tool has two different schemas, {one} and {other}; keep one of them"));
    }
    let schema = first.map(|(_, schema)| schema);
    let hint = |name: &str| {
        let annotations = node.get("annotations")?;
        match annotations.get(name)?.kind {
            Kind::Bool(hint) => Some(hint),
            _ => None,
        }
    };
    Ok(ToolDefinition {
        name: text("name").ok_or("a tool needs a \"name\"")?,
        server: text("server"),
        input_schema: schema.map_or(String::new(), |schema| schema.to_json()),
        annotations: Annotations {
            destructive: hint("destructiveHint").unwrap_or(false),
            ..Annotations::default()
        },
        ..ToolDefinition::default()
    })
}
