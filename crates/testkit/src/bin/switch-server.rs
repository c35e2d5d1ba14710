//! An MCP server over stdio that switches things, as the founding documents' Z-Wave server does.
//!
//! Its log goes to stderr, messages alone to stdout. `--noisy` prints a log line before each message on
//! stdout, as servers do that do not know better; `--fails N FILE` ends the first N starts, counted in FILE.

#![allow(clippy::print_stdout, reason = "its stdout is what is tested")]

use std::io::{self, BufRead, Write};
use std::process::exit;

use toolwright_jsonrpc::{Json, Message, Request, raw};

const TOOLS: &str = concat!(
    r#"[{"name":"control_zwave_device","description":"Switches a device on or off.","inputSchema":{"type":"object","#,
    r#""properties":{"deviceName":{"type":"string"},"action":{"type":"string","enum":["on","off"]},"#,
    r#""level":{"type":"integer"}},"required":["deviceName","action"],"additionalProperties":false}},"#,
    r#"{"name":"configure","description":"Sets one thing.","inputSchema":{"type":"object","#,
    r#""properties":{"newParameterName":{"type":"string"},"value":{"type":"number"}},"additionalProperties":false}}]"#
);

fn main() -> io::Result<()> {
    let args: Vec<String> = std::env::args().collect();
    if let Some(at) = args.iter().position(|arg| arg == "--fails") {
        fail_at_first(&args[at + 1..])?;
    }
    eprintln!("[debug] switch server started");
    let is_noisy = args.iter().any(|arg| arg == "--noisy");
    for line in io::stdin().lock().lines() {
        let Ok(Message::Request(request)) = Message::parse(&line?) else { continue };
        eprintln!("[debug] asked for {}", request.method);
        let answer = answer(&request);
        let mut stdout = io::stdout().lock();
        if is_noisy {
            writeln!(stdout, "[debug] answering {}", request.method)?;
        }
        writeln!(stdout, r#"{{"jsonrpc":"2.0","id":{},{answer}}}"#, request.id)?;
        stdout.flush()?;
    }
    Ok(())
}

/// Ends with words on stderr until it was started often enough.
fn fail_at_first(args: &[String]) -> io::Result<()> {
    let (Some(Ok(times)), Some(file)) = (args.first().map(|times| times.parse::<usize>()), args.get(1))
    else {
        return Err(io::Error::other("--fails needs a number and a file"));
    };
    let starts = std::fs::read_to_string(file).map(|text| text.len()).unwrap_or(0);
    std::fs::write(file, "x".repeat(starts + 1))?;
    if starts < times {
        eprintln!("Error: connect ECONNREFUSED 127.0.0.1:1883 (is the MQTT broker running?)");
        exit(1);
    }
    Ok(())
}

fn answer(request: &Request) -> String {
    let params = request.params.clone().unwrap_or_else(Json::empty_object);
    let arguments = params.get("arguments").unwrap_or_else(Json::empty_object);
    match request.method.as_str() {
        "initialize" => r#""result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"switch","version":"1.0.0"}}"#.to_owned(),
        "tools/list" => format!(r#""result":{{"tools":{TOOLS}}}"#),
        "tools/call" if arguments.get_text("deviceName").as_deref() == Some("Nowhere") => {
            r#""result":{"content":[{"type":"text","text":"Device \"Nowhere\" not found. Known: Switch One"}],"isError":true}"#.to_owned()
        }
        "tools/call" if arguments.get_text("deviceName").as_deref() == Some("Broken") => {
            r#""error":{"code":-32602,"message":"MCP error -32602: nodeId is required"}"#.to_owned()
        }
        "tools/call" => {
            let got = raw::quote(arguments.as_str());
            format!(r#""result":{{"content":[{{"type":"text","text":{got}}}]}}"#)
        }
        _ => r#""error":{"code":-32601,"message":"Method not found"}"#.to_owned(),
    }
}
