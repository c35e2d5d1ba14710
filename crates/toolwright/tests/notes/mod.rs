//! A server with one tool that models get wrong, and calls to it.

#![allow(dead_code, reason = "each test file uses its own part")]

use serde_json::{Value, json};

use crate::gateway::Gateway;

/// Answers as servers do, and checks nothing: the gateway does. With `LATE` it answers the first list after so many
/// seconds, and what is requested meanwhile at once.
const SERVER: &str = r#"
while IFS= read -r line; do
  id=$(printf '%s\n' "$line" | sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p')
  [ -n "$id" ] || continue
  case "$line" in
    *'"method":"initialize"'*)
      result='"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1"}}' ;;
    *'"method":"tools/list"'*) result='"result":{"tools":['"$TOOLS"']}'
      if [ -n "$LATE" ]; then
        (sleep "$LATE"; printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$result") &
        LATE=
        continue
      fi ;;
    *'never answer this'*) continue ;;
    *'"method":"tools/call"'*) result='"result":{"content":[{"type":"text","text":"sent"}]}' ;;
    *) result='"error":{"code":-32601,"message":"Method not found"}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$result"
done
"#;

/// A configuration with that server as `notes`, and other keys besides.
pub fn configuration(besides: &Value) -> String {
    configuration_of(&tool("Sends a note."), besides)
}

/// The tool with this description.
pub fn tool(description: &str) -> Value {
    json!({
        "name": "send_note",
        "description": description,
        "inputSchema": {
            "type": "object",
            "properties": { "recipient": { "type": "string" }, "prose": { "type": "string" } },
            "required": ["recipient", "prose"],
            "additionalProperties": false,
        },
    })
}

/// A configuration with a server `notes` that has this tool, and other keys besides.
pub fn configuration_of(tool: &Value, besides: &Value) -> String {
    let server = json!({ "command": "sh", "args": ["-c", SERVER], "env": { "TOOLS": tool.to_string() } });
    let mut configuration = json!({ "mcpServers": { "notes": server } });
    for (key, value) in besides.as_object().into_iter().flatten() {
        configuration[key] = value.clone();
    }
    // What a shell needs is no variable of the configuration.
    configuration
        .to_string()
        .replace("$line", "$$line")
        .replace("$id", "$$id")
        .replace("$TOOLS", "$$TOOLS")
        .replace("$LATE", "$$LATE")
        .replace("$result", "$$result")
        .replace("$(", "$$(")
}

/// Sends a note with its text under this name. Whether it was sent.
pub fn send(gateway: &Gateway, name: &str, text: &str) -> bool {
    let params = json!({ "name": "send_note", "arguments": { "recipient": "anna", name: text } });
    let result = gateway.modern("/mcp/t/default", "tools/call", params);
    result.is_ok_and(|result| result["isError"] != json!(true))
}

/// The mistake and its correction, as a model makes them.
pub fn correct_itself(gateway: &Gateway, text: &str) {
    assert!(!send(gateway, "payload", text), "the mistake must fail");
    assert!(send(gateway, "prose", text), "the correction must be taken");
}
