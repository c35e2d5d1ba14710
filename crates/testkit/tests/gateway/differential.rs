//! T08: there is one reading of a message. What differs between two parsers is refused, or both see the same.

use toolwright_jsonrpc::Json;
use toolwright_testkit::wire::{Caller, Speech, json};

use crate::{serve, server};

/// Looks like this key to a parser that does not care for case.
fn look_alikes(key: &str) -> Vec<String> {
    let mut first = key.to_owned();
    first[..1].make_ascii_uppercase();
    let mut alikes = vec![first, key.to_uppercase(), format!(" {key}"), format!("{key} "), format!("{key}\\u0000")];
    if key.contains('s') {
        alikes.push(key.replace('s', "\u{17f}"));
    }
    if key.contains('k') {
        alikes.push(key.replace('k', "\u{212a}"));
    }
    alikes
}

/// The same key, spelled with escapes: it is that key.
fn escaped(key: &str) -> String {
    key.bytes().map(|byte| format!("\\u{byte:04x}")).collect()
}

/// One message of the table and what it is about.
struct Case {
    about: String,
    body: String,
}

/// A `tools/call` of `echo`, with one member spelled, doubled or shadowed in some way.
fn cases(meta: &str) -> Vec<Case> {
    let top = [
        ("jsonrpc", r#""2.0""#, r#""1.0""#),
        ("id", "1", "2"),
        ("method", r#""tools/call""#, r#""tools/list""#),
    ];
    let call = [("name", r#""echo""#, r#""zebra""#), ("arguments", r#"{"a":1}"#, r#"{"a":2}"#)];
    let mut cases = Vec::new();
    let mut add = |about: String, top: &[(String, String)], call: &[(String, String)]| {
        let join = |members: &[(String, String)]| {
            members.iter().map(|(key, value)| format!(r#""{key}":{value}"#)).collect::<Vec<_>>().join(",")
        };
        let params = format!(r#"{{{}{meta}}}"#, join(call));
        let body = format!(r#"{{{},"params":{params}}}"#, join(top));
        cases.push(Case { about, body });
    };
    let owned = |members: &[(&str, &str, &str)]| -> Vec<(String, String)> {
        members.iter().map(|(key, value, _)| ((*key).to_owned(), (*value).to_owned())).collect()
    };
    let (plain_top, plain_call) = (owned(&top), owned(&call));
    for (is_top, members) in [(true, &top[..]), (false, &call[..])] {
        for (at, (key, value, other)) in members.iter().enumerate() {
            let mut variants: Vec<(String, Vec<(String, String)>)> = Vec::new();
            let base = if is_top { &plain_top } else { &plain_call };
            for alike in look_alikes(key) {
                let mut only = base.clone();
                only[at].0 = alike.clone();
                variants.push((format!("only {alike:?}"), only));
                for is_behind in [true, false] {
                    let mut both = base.clone();
                    let place = if is_behind { both.len() } else { 0 };
                    both.insert(place, (alike.clone(), (*other).to_owned()));
                    variants.push((format!("{key} and {alike:?}, behind: {is_behind}"), both));
                }
            }
            for same in [value, other] {
                for spelled in [(*key).to_owned(), escaped(key)] {
                    let mut twice = base.clone();
                    twice.push((spelled.clone(), (*same).to_owned()));
                    variants.push((format!("{key} twice as {spelled} = {same}"), twice));
                }
            }
            let mut once = base.clone();
            once[at].0 = escaped(key);
            variants.push((format!("{key} in escapes"), once));
            for (about, members) in variants {
                match is_top {
                    true => add(about, &members, &plain_call),
                    false => add(about, &plain_top, &members),
                }
            }
        }
    }
    let bodies = [
        ("a batch", r#"[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":1}}}]"#),
        ("two messages", r#"{"jsonrpc":"2.0","id":1,"method":"ping"} {"jsonrpc":"2.0","id":2,"method":"ping"}"#),
        ("behind a byte order mark", "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"),
        ("a comment", r#"{"jsonrpc":"2.0","id":1,/* x */"method":"ping"}"#),
        ("single quotes", r#"{'jsonrpc':'2.0','id':1,'method':'ping'}"#),
        ("a trailing comma", r#"{"jsonrpc":"2.0","id":1,"method":"ping",}"#),
        ("not a number", r#"{"jsonrpc":"2.0","id":NaN,"method":"ping"}"#),
        ("nothing", ""),
        ("not closed", r#"{"jsonrpc":"2.0","id":1,"method":"ping""#),
        ("half a character", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"\\ud83d\"}}"),
    ];
    cases.extend(bodies.map(|(about, body)| Case { about: about.into(), body: body.into() }));
    cases
}

/// How a strict reader that takes no key twice understands a message: the arguments that `echo` is to get.
fn strict(body: &str) -> Option<String> {
    let message = Json::parse(body).ok()?;
    let once = |object: &Json, key: &str| {
        let members = object.members()?;
        let same: Vec<_> = members.iter().filter(|member| member.key == key).collect();
        if same.len() == 1 { object.get(key) } else { None }
    };
    let params = once(&message, "params")?;
    let is_call = once(&message, "jsonrpc")?.to_text()? == "2.0"
        && once(&message, "method")?.to_text()? == "tools/call"
        && once(&params, "name")?.to_text()? == "echo"
        && once(&message, "id")?.as_str() == "1";
    if !is_call {
        return None;
    }
    match params.get("arguments") {
        Some(_) => once(&params, "arguments").map(|arguments| arguments.to_string()),
        None => Some("{}".into()),
    }
}

async fn is_read_in_one_way(mut caller: Caller, meta: &str, headers: &[(&str, &str)]) {
    let table = cases(meta);
    assert!(table.len() >= 100, "{} cases", table.len());
    let mut faults = Vec::new();
    for case in table {
        let reply = caller.post(&case.body, headers).await.expect("an answer");
        let got = reply.result().ok().and_then(|result| {
            result.get("structuredContent")?.get("got").map(|got| got.to_string())
        });
        let meant = strict(&case.body);
        // Refusing is always right; understanding something else never is.
        if got.is_some() && got != meant {
            faults.push(format!("{}: the server got {got:?}, meant was {meant:?}: {}", case.about, case.body));
        }
        if got.is_none() && reply.result().is_ok() && reply.error().is_none() {
            faults.push(format!("{}: it was read as another request: {}", case.about, reply.body));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(caller.call("echo", r#"{"a":3}"#).await.result().expect("it works on").get("structuredContent"),
        Some(json(r#"{"got":{"a":3}}"#)));
}

#[tokio::test]
async fn a_legacy_message_is_read_in_one_way() {
    let gateway = serve(&[("faithful", server("faithful-server", &[]))]).await;
    let caller = Caller::legacy(&gateway.url("/mcp/t/faithful")).await;
    is_read_in_one_way(caller, "", &[]).await;
}

#[tokio::test]
async fn a_modern_message_is_read_in_one_way() {
    let gateway = serve(&[("faithful", server("faithful-server", &["--modern"]))]).await;
    let caller = Caller::silent(&gateway.url("/mcp/t/faithful"), Speech::Modern).await;
    let meta = r#","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    is_read_in_one_way(caller, meta, &[("Mcp-Method", "tools/call"), ("Mcp-Name", "echo")]).await;
}
