//! An MCP server over stdio that switches things, as the founding documents' Z-Wave server does.
//!
//! Its log goes to stderr, messages alone to stdout. `--noisy` prints a log line before each message on
//! stdout, as servers do that do not know better; `--fails N FILE` ends the first N starts, counted in FILE.
//! `--house` has a tool that lists devices as well, and answers in sentences.

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

/// The tool that lists devices, and what it says.
const LIST: &str = r#",{"name":"list_zwave_devices","description":"Lists the devices.","inputSchema":{"type":"object","properties":{},"additionalProperties":false}}]"#;
const DEVICES: &str = r#"Available Z-Wave devices (3 total):\n- \"Switch One\" in Hall is online\n- \"Switch Two\" in Hall is online\n- \"Garage Door\" is online"#;

fn main() -> io::Result<()> {
    let args: Vec<String> = std::env::args().collect();
    if let Some(at) = args.iter().position(|arg| arg == "--fails") {
        fail_at_first(&args[at + 1..])?;
    }
    eprintln!("[debug] switch server started");
    let is_house = args.iter().any(|arg| arg == "--house");
    let is_noisy = args.iter().any(|arg| arg == "--noisy");
    for line in io::stdin().lock().lines() {
        let Ok(Message::Request(request)) = Message::parse(&line?) else { continue };
        eprintln!("[debug] asked for {}", request.method);
        let answer = if is_house { house(&request) } else { answer(&request) };
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

/// The answers of a house.
fn house(request: &Request) -> String {
    let params = request.params.clone().unwrap_or_else(Json::empty_object);
    let arguments = params.get("arguments").unwrap_or_else(Json::empty_object);
    let text = match (request.method.as_str(), params.get_text("name").as_deref()) {
        ("tools/list", _) => {
            let tools = TOOLS.strip_suffix(']').unwrap_or(TOOLS);
            return format!(r#""result":{{"tools":{tools}{LIST}}}"#);
        }
        ("tools/call", Some("list_zwave_devices")) => DEVICES.to_owned(),
        ("tools/call", Some("control_zwave_device")) => {
            let of = |key: &str| arguments.get_text(key).unwrap_or_default();
            format!("Successfully sent command to turn {} {}", of("action"), of("deviceName"))
        }
        _ => return answer(request),
    };
    let text = if text.contains("\\n") { format!("\"{text}\"") } else { raw::quote(&text) };
    format!(r#""result":{{"content":[{{"type":"text","text":{text}}}]}}"#)
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
