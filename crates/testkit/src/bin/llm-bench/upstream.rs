//! A model's server that costs next to nothing: its answers are text with a hole or two.
//!
//! The model that is asked for says what is answered: `bench-small` and `bench-large` whole, `bench-stream-N`,
//! `bench-call-N` and `bench-paced-N` in N pieces, each written by itself. Every piece says when it was written, after an `@`.

use std::io::{self, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep_until};

use crate::order::Dialect;

/// What stands in every whole answer.
pub const ANSWER: &str = "bench-answer";
/// Before the time at which a piece was written.
pub const MARK: u8 = b'@';
/// The digits of that time.
pub const DIGITS: usize = 19;

/// The tool that answers call.
pub const TOOL: &str = "tool_7";

/// Nanoseconds since 1970, as every process of this machine sees them.
pub fn now() -> u64 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Serves at a free port, which is printed, until its stdin closes.
pub async fn serve() -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?.port());
    io::stdout().flush()?;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let _ = stream.set_nodelay(true);
            tokio::spawn(async move {
                // Who goes away has heard enough.
                let _ = connection(stream).await;
            });
        }
    });
    tokio::io::copy(&mut tokio::io::stdin(), &mut tokio::io::sink()).await?;
    Ok(())
}

async fn connection(mut stream: TcpStream) -> io::Result<()> {
    let mut buffer = Vec::with_capacity(256 << 10);
    loop {
        let head = loop {
            if let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
            if stream.read_buf(&mut buffer).await? == 0 {
                return Ok(());
            }
        };
        let text = String::from_utf8_lossy(&buffer[..head]).to_ascii_lowercase();
        let length =
            text.split("\r\n").find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
        let dialect = match text.contains(Dialect::Anthropic.path()) {
            true => Dialect::Anthropic,
            false => Dialect::Chat,
        };
        let length: usize = match (length, text.starts_with("post ")) {
            (Some(length), _) => length,
            (None, false) => 0,
            (None, true) => {
                return stream.write_all(b"HTTP/1.1 411 Length Required\r\ncontent-length: 0\r\n\r\n").await;
            }
        };
        while buffer.len() < head + length {
            if stream.read_buf(&mut buffer).await? == 0 {
                return Ok(());
            }
        }
        let model = model(&buffer[head..head + length]);
        buffer.drain(..head + length);
        answer(&mut stream, dialect, &model).await?;
    }
}

/// The value of `model`, wherever it stands.
fn model(body: &[u8]) -> String {
    let text = std::str::from_utf8(body).unwrap_or_default();
    let value = text.split("\"model\"").skip(1).find_map(|rest| {
        let rest = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
        rest.split('"').next()
    });
    value.unwrap_or_default().to_owned()
}

async fn answer(stream: &mut TcpStream, dialect: Dialect, model: &str) -> io::Result<()> {
    let words: Vec<&str> = model.split('-').collect();
    let count = |text: &str| text.parse::<u64>().unwrap_or(0).min(1_000_000);
    match words.as_slice() {
        ["bench", "stream", chunks] => pieces(stream, dialect, Piece::Text, count(chunks), None).await,
        ["bench", "call", chunks] => pieces(stream, dialect, Piece::Argument, count(chunks), None).await,
        ["bench", "paced", chunks] => {
            pieces(stream, dialect, Piece::Text, count(chunks), Some(Duration::from_millis(1))).await
        }
        _ => {
            let body = whole(dialect, model);
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
            stream.write_all(head.as_bytes()).await
        }
    }
}

fn whole(dialect: Dialect, model: &str) -> String {
    let text = format!(
        "{ANSWER}: the switch is on, and the lamp in the hall is as bright as it was yesterday evening."
    );
    let arguments = r#"{"path":"/srv/notes/today.md","count":3,"deep":true}"#;
    let is_call = model == "bench-large";
    match dialect {
        Dialect::Chat => {
            let escaped = arguments.replace('"', "\\\"");
            let calls = format!(
                r#","tool_calls":[{{"id":"call_bench1","type":"function","function":{{"name":"{TOOL}","arguments":"{escaped}"}}}}]"#
            );
            let (calls, finish) = if is_call { (calls.as_str(), "tool_calls") } else { ("", "stop") };
            format!(
                r#"{{"id":"chatcmpl-bench","object":"chat.completion","created":1700000000,"model":"{model}","choices":[{{"index":0,"message":{{"role":"assistant","content":"{text}"{calls}}},"logprobs":null,"finish_reason":"{finish}"}}],"usage":{{"prompt_tokens":40,"completion_tokens":20,"total_tokens":60}}}}"#
            )
        }
        Dialect::Anthropic => {
            let call =
                format!(r#",{{"type":"tool_use","id":"toolu_bench1","name":"{TOOL}","input":{arguments}}}"#);
            let (call, stop) = if is_call { (call.as_str(), "tool_use") } else { ("", "end_turn") };
            format!(
                r#"{{"id":"msg_bench","type":"message","role":"assistant","model":"{model}","content":[{{"type":"text","text":"{text}"}}{call}],"stop_reason":"{stop}","stop_sequence":null,"usage":{{"input_tokens":40,"output_tokens":20}}}}"#
            )
        }
    }
}

/// What comes in pieces.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    Text,
    Argument,
}

async fn pieces(
    stream: &mut TcpStream,
    dialect: Dialect,
    piece: Piece,
    count: u64,
    pace: Option<Duration>,
) -> io::Result<()> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).await?;
    let mut out = Vec::with_capacity(1024);
    for event in opening(dialect, piece) {
        write(stream, &mut out, &event).await?;
    }
    let (before, after) = around(dialect, piece);
    let mut due = Instant::now();
    for _ in 0..count {
        if let Some(pace) = pace {
            due += pace;
            sleep_until(due).await;
        }
        write(stream, &mut out, &format!("{before}@{:019} {after}", now())).await?;
    }
    for event in closing(dialect, piece) {
        write(stream, &mut out, &event).await?;
    }
    stream.write_all(b"0\r\n\r\n").await
}

/// One event, one chunk, one write.
async fn write(stream: &mut TcpStream, out: &mut Vec<u8>, event: &str) -> io::Result<()> {
    out.clear();
    write!(out, "{:x}\r\n{event}\r\n", event.len())?;
    stream.write_all(out).await
}

fn chat(delta: &str, finish: &str) -> String {
    format!(
        "data: {{\"id\":\"chatcmpl-bench\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"bench\",\
         \"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n"
    )
}

fn event(name: &str, rest: &str) -> String {
    format!("event: {name}\ndata: {{\"type\":\"{name}\"{rest}}}\n\n")
}

fn opening(dialect: Dialect, piece: Piece) -> Vec<String> {
    match dialect {
        Dialect::Chat => {
            let call = format!(
                r#"{{"tool_calls":[{{"index":0,"id":"call_bench1","type":"function","function":{{"name":"{TOOL}","arguments":""}}}}]}}"#
            );
            let opened = r#"{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\":\""}}]}"#;
            let mut events = vec![chat(r#"{"role":"assistant","content":""}"#, "null")];
            if piece == Piece::Argument {
                events.extend([chat(&call, "null"), chat(opened, "null")]);
            }
            events
        }
        Dialect::Anthropic => {
            let message = r#","message":{"id":"msg_bench","type":"message","role":"assistant","model":"bench","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":40,"output_tokens":1}}"#;
            let block = match piece {
                Piece::Text => r#"{"type":"text","text":""}"#.to_owned(),
                Piece::Argument => {
                    format!(r#"{{"type":"tool_use","id":"toolu_bench1","name":"{TOOL}","input":{{}}}}"#)
                }
            };
            let mut events = vec![
                event("message_start", message),
                event("content_block_start", &format!(r#","index":0,"content_block":{block}"#)),
            ];
            if piece == Piece::Argument {
                let opened =
                    r#","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"path\":\""}"#;
                events.push(event("content_block_delta", opened));
            }
            events
        }
    }
}

/// What stands before and after the text of a piece.
fn around(dialect: Dialect, piece: Piece) -> (String, String) {
    const HOLE: &str = "%";
    let full = match (dialect, piece) {
        (Dialect::Chat, Piece::Text) => chat(r#"{"content":"%"}"#, "null"),
        (Dialect::Chat, Piece::Argument) => {
            chat(r#"{"tool_calls":[{"index":0,"function":{"arguments":"%"}}]}"#, "null")
        }
        (Dialect::Anthropic, Piece::Text) => {
            event("content_block_delta", r#","index":0,"delta":{"type":"text_delta","text":"%"}"#)
        }
        (Dialect::Anthropic, Piece::Argument) => event(
            "content_block_delta",
            r#","index":0,"delta":{"type":"input_json_delta","partial_json":"%"}"#,
        ),
    };
    let (before, after) = full.split_once(HOLE).unwrap_or_default();
    (before.to_owned(), after.to_owned())
}

fn closing(dialect: Dialect, piece: Piece) -> Vec<String> {
    match dialect {
        Dialect::Chat => {
            let closed = r#"{"tool_calls":[{"index":0,"function":{"arguments":"\"}"}}]}"#;
            let usage = "data: {\"id\":\"chatcmpl-bench\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\
                \"model\":\"bench\",\"choices\":[],\"usage\":{\"prompt_tokens\":40,\"completion_tokens\":20,\"total_tokens\":60}}\n\n";
            let (mut events, finish) = match piece {
                Piece::Text => (Vec::new(), r#""stop""#),
                Piece::Argument => (vec![chat(closed, "null")], r#""tool_calls""#),
            };
            events.extend([chat("{}", finish), usage.to_owned(), "data: [DONE]\n\n".to_owned()]);
            events
        }
        Dialect::Anthropic => {
            let closed = r#","index":0,"delta":{"type":"input_json_delta","partial_json":"\"}"}"#;
            let (mut events, stop) = match piece {
                Piece::Text => (Vec::new(), "end_turn"),
                Piece::Argument => (vec![event("content_block_delta", closed)], "tool_use"),
            };
            let end = format!(
                r#","delta":{{"stop_reason":"{stop}","stop_sequence":null}},"usage":{{"output_tokens":20}}"#
            );
            events.extend([
                event("content_block_stop", r#","index":0"#),
                event("message_delta", &end),
                event("message_stop", ""),
            ]);
            events
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    const BOTH: [Dialect; 2] = [Dialect::Chat, Dialect::Anthropic];

    #[test]
    fn the_model_is_found_wherever_it_stands() {
        assert_eq!(model(br#"{"a":{"model":{"type":"string"}},"model": "bench-small"}"#), "bench-small");
        assert_eq!(model(b"{}"), "");
    }

    #[test]
    fn whole_answers_are_json_and_a_large_request_gets_a_call() {
        for dialect in BOTH {
            for name in ["bench-small", "bench-large"] {
                let body = whole(dialect, name);
                let value: Value = serde_json::from_str(&body).expect("JSON");
                assert_eq!(value["model"], name);
                assert_eq!(body.contains(TOOL), name == "bench-large");
            }
        }
    }

    #[test]
    fn every_event_of_a_stream_is_json_and_the_arguments_are_whole() {
        for dialect in BOTH {
            for piece in [Piece::Text, Piece::Argument] {
                let (before, after) = around(dialect, piece);
                let mut events = opening(dialect, piece);
                events.push(format!("{before}@{:019} {after}", 7));
                events.extend(closing(dialect, piece));
                let mut arguments = String::new();
                for event in events {
                    let data = event.trim_end().rsplit_once("data: ").expect("data").1.to_owned();
                    if data == "[DONE]" {
                        continue;
                    }
                    let value: Value = serde_json::from_str(&data).expect(&data);
                    let pointers =
                        ["/choices/0/delta/tool_calls/0/function/arguments", "/delta/partial_json"];
                    let told = pointers.iter().find_map(|pointer| value.pointer(pointer)?.as_str());
                    arguments.push_str(told.unwrap_or_default());
                }
                if piece == Piece::Argument {
                    let value: Value = serde_json::from_str(&arguments).expect(&arguments);
                    assert_eq!(value["path"], "@0000000000000000007 ");
                }
            }
        }
    }
}
