//! STAND-IN until the reader of calls in texts is merged.

use toolwright_jsonrpc::raw;

const OPEN: &str = "<tool_call>";
const CLOSE: &str = "</tool_call>";

pub(super) fn may_be_calls(text: &str, _tools: &[String]) -> bool {
    let text = text.trim_start();
    OPEN.starts_with(text) || text.starts_with(OPEN)
}

pub(super) fn calls_of(text: &str, tools: &[String]) -> Option<Vec<(String, String)>> {
    let inner = text.trim().strip_prefix(OPEN)?.strip_suffix(CLOSE)?;
    let name = raw::find(inner, "name")?.trim_matches('"').to_owned();
    tools.contains(&name).then(|| vec![(name, raw::find(inner, "arguments").unwrap_or("{}").to_owned())])
}
