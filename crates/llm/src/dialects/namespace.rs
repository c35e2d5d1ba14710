//! Tools in namespaces, which is how Codex sends the tools of MCP servers.
//!
//! `{"type": "namespace", "name": "mcp__files", "tools": [{"type": "function", "name": "read_file", …}]}`: calls of such a
//! tool have its own name and a `namespace` next to it. In the form such a tool is called `mcp__files/read_file`, which
//! no function of OpenAI can be called. Other dialects are sent `mcp__files__read_file` (see [`fit`](crate::fit)), and
//! calls come back with both names again. The namespace itself is carried whole, for the same dialect.

use toolwright_jsonrpc::{Json, raw};

use crate::dialects::offer::carried;
use crate::form::{Members, Request, Tool};

/// The type of such a tool, and the member of a call and of a tool in the form that holds its namespace.
pub(crate) const NAMESPACE: &str = "namespace";
/// What stands between the namespace and the name of a tool in the form.
const BETWEEN: char = '/';

/// What a tool of a namespace is called in the form.
pub(crate) fn full_name(namespace: &str, tool: &str) -> String {
    format!("{namespace}{BETWEEN}{tool}")
}

/// The namespace and the tool that a name of the form is made of, where `extra` says that it is.
pub(crate) fn parts<'n>(extra: &Members, name: &'n str) -> Option<(&'n str, &'n str)> {
    let namespace = carried(extra, NAMESPACE)?.to_text()?;
    let tool = name.strip_prefix(namespace.as_str())?.strip_prefix(BETWEEN)?;
    Some((&name[..namespace.len()], tool))
}

/// The namespace and the tool that a name of the form is made of, where nothing says so but the name itself.
pub(crate) fn split(name: &str) -> Option<(&str, &str)> {
    name.rsplit_once(BETWEEN)
}

/// The same of a tool of a request.
pub(crate) fn of_tool<'n>(request: &Request, name: &'n str) -> Option<(&'n str, &'n str)> {
    let tool = request.tools.iter().find(|tool| tool.name == name)?;
    parts(&tool.extra, name)
}

/// Whether a tool is one of a namespace.
pub(crate) fn is_within(tool: &Tool) -> bool {
    carried(&tool.extra, NAMESPACE).is_some()
}

/// Whether a tool that only its dialect knows is a namespace, whose tools are known one by one.
pub(crate) fn is_namespace(tool: &Json) -> bool {
    tool.get_text("type").as_deref() == Some(NAMESPACE)
}

/// What a namespace calls itself, and the tools in it, as they were sent.
pub(crate) fn read(namespace: &Json) -> Option<(String, Vec<Json>)> {
    let tools = raw::items(raw::find(namespace.as_str(), "tools")?).ok()?;
    let tools = tools.into_iter().filter_map(|tool| Json::parse(tool).ok()).collect();
    Some((namespace.get_text("name").filter(|name| !name.is_empty())?, tools))
}

/// The kinds of tools in a namespace that the client does not run.
pub(crate) fn kinds_of_others(namespace: &Json) -> Vec<String> {
    let (_, tools) = read(namespace).unwrap_or_default();
    let kinds = tools.iter().map(|tool| tool.get_text("type").unwrap_or_else(|| "without a type".to_owned()));
    kinds.filter(|kind| kind != "function" && kind != super::openai_responses::CUSTOM).collect()
}
