//! An MCP server over stdio whose every byte is known: `faithful-server [--modern]`. What it says stands in the
//! library of the testkit, where a test finds it too.

#![allow(clippy::print_stdout, reason = "its stdout is what is tested")]

use std::io::{self, BufRead, Write};

use toolwright_jsonrpc::{Id, Json, METHOD_NOT_FOUND, Message, Request, raw};
use toolwright_testkit::faithful::{CAPABILITIES, CURSOR, ERROR, INFO, INSTRUCTIONS, RESULTS, TOOLS, result};

fn main() -> io::Result<()> {
    let is_modern = std::env::args().any(|word| word == "--modern");
    for line in io::stdin().lock().lines() {
        if let Ok(Message::Request(request)) = Message::parse(&line?) {
            let outcome = match answer(&request, is_modern) {
                Ok(result) => format!(r#""result":{result}"#),
                Err(error) => format!(r#""error":{error}"#),
            };
            say(&request.id, &outcome)?;
        }
    }
    Ok(())
}

fn say(id: &Id, outcome: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, r#"{{"jsonrpc":"2.0","id":{id},{outcome}}}"#)?;
    stdout.flush()
}

fn answer(request: &Request, is_modern: bool) -> Result<String, String> {
    let params = request.params.clone().unwrap_or_else(Json::empty_object);
    let told = |result: String| Ok(complete(result, is_modern, &request.method));
    match request.method.as_str() {
        "initialize" if !is_modern => Ok(format!(
            r#"{{"serverInfo":{INFO},"protocolVersion":"2025-11-25","capabilities":{CAPABILITIES},"instructions":{INSTRUCTIONS}}}"#
        )),
        "server/discover" if is_modern => told(format!(
            r#"{{"supportedVersions":["2026-07-28"],"capabilities":{CAPABILITIES},"instructions":{INSTRUCTIONS},"_meta":{{"io.modelcontextprotocol/serverInfo":{INFO}}}}}"#
        )),
        "ping" => Ok("{}".into()),
        "tools/list" => told(match params.get("cursor") {
            None => format!(r#"{{"tools":[{}],"nextCursor":{CURSOR},"x-more":1.0}}"#, TOOLS[0].join(",")),
            // The cursor comes back as it was given out, in whatever escapes.
            Some(cursor) if cursor.to_text() == raw_text(CURSOR) => {
                format!(r#"{{"tools":[{}]}}"#, TOOLS[1].join(","))
            }
            Some(cursor) => {
                return Err(format!(r#"{{"code":-32602,"message":{}}}"#, raw::quote(cursor.as_str())));
            }
        }),
        "tools/call" => {
            let arguments = params.get("arguments").unwrap_or_else(Json::empty_object);
            match params.get_text("name").as_deref() {
                Some("zebra") => told(result(arguments.as_str())),
                Some("echo") => {
                    told(format!(r#"{{"content":[],"structuredContent":{{"got":{arguments}}}}}"#))
                }
                _ => Err(ERROR.into()),
            }
        }
        "vendor.example/fails" => Err(ERROR.into()),
        method => match RESULTS.iter().find(|(name, ..)| *name == method) {
            Some((_, _, result)) => told((*result).to_owned()),
            None => Err(format!(r#"{{"code":{METHOD_NOT_FOUND},"message":"not here"}}"#)),
        },
    }
}

/// What a modern server adds to a result.
fn complete(result: String, is_modern: bool, method: &str) -> String {
    if !is_modern {
        return result;
    }
    let is_cacheable = method.ends_with("/list") || matches!(method, "resources/read" | "server/discover");
    let cache = if is_cacheable { r#","ttlMs":60000,"cacheScope":"public""# } else { "" };
    let inside = result.strip_suffix('}').unwrap_or(&result);
    format!(r#"{inside},"resultType":"complete"{cache}}}"#)
}

fn raw_text(quoted: &str) -> Option<String> {
    Json::parse(quoted).ok()?.to_text()
}
