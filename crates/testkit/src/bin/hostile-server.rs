//! An MCP server over stdio with one bad habit for each tool.
//!
//! `tools/call` names the habit; the answer's text is what came in `arguments.text`. How it meets a client
//! is an argument: `--modern`, `--newer`, `--silent-probe`, `--answers-anything`, `--dies-on-probe`,
//! `--unknown-revision`; without one it is a legacy server. `--lists-habits` has every habit in its list of
//! tools, in one page, for clients that call only what they were shown; `--quiet` says nothing on stderr.

#![allow(clippy::print_stdout, reason = "its stdout is what is tested")]

use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::process::exit;
use std::sync::LazyLock;
use std::thread::sleep;
use std::time::Duration;

use toolwright_jsonrpc::{Id, Json, Message, Notification, Request, Response, raw};
use toolwright_testkit::{BROKEN_ANSWERS, OTHER_HABITS, STDOUT_HABITS};

/// What it remembers of its calls.
#[derive(Default)]
struct Seen {
    /// Calls without an answer.
    hung: Vec<Id>,
    /// The texts of calls that are told apart by them.
    tracked: HashMap<Id, String>,
    /// How many cancellations came, and the texts of tracked calls among them.
    cancelled: usize,
    cancelled_texts: Vec<String>,
}

impl Seen {
    fn note(&mut self, notification: &Notification) {
        if notification.method == "notifications/cancelled" {
            self.cancelled += 1;
            let id = notification.params.as_ref().and_then(|params| params.get("requestId"));
            let text = id.and_then(Id::from_json).and_then(|id| self.tracked.get(&id).cloned());
            self.cancelled_texts.extend(text);
        }
    }
}

/// An id that no client reaches by counting its requests.
const NEVER_SENT: u64 = 1 << 52;
/// How much of a request is logged.
const SHOWN_BYTES: usize = 2000;

fn main() -> io::Result<()> {
    log(|| "hostile server started".to_owned());
    let mut seen = Seen::default();
    for line in io::stdin().lock().lines() {
        let line = line?;
        match Message::parse(&line) {
            Ok(Message::Request(request)) => answer(&line, &request, &mut seen)?,
            Ok(Message::Notification(notification)) => {
                seen.note(&notification);
                log(|| format!("notified: {} {:?}", notification.method, notification.params));
            }
            Ok(Message::Response(response)) => {
                let refusal = response.outcome.err().map(|error| error.message);
                log(|| format!("answered: {:?} {}", response.id, refusal.unwrap_or_default()));
            }
            Err(error) => log(|| format!("cannot read {line:?}: {error}")),
        }
    }
    if std::env::args().any(|argument| argument == "--ignore-end") {
        log(|| "stdin is closed, and I stay".to_owned());
        sleep(Duration::from_secs(3600));
    }
    Ok(())
}

/// How the line of an answer ends, after its text.
const LARGE_END: &str = r#""}]}}"#;

fn result_line(id: &Id, text: &str) -> String {
    let content = format!(r#"{{"content":[{{"type":"text","text":{}}}]}}"#, raw::quote(text));
    let result = Json::parse(&content).unwrap_or_else(|_| Json::empty_object());
    Message::Response(Response { id: Some(id.clone()), outcome: Ok(result), extra: Vec::new() }).to_line()
}

fn write(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}

/// Says something on stderr, where it disturbs nobody.
fn log(said: impl FnOnce() -> String) {
    static IS_QUIET: LazyLock<bool> = LazyLock::new(|| has("--quiet"));
    if !*IS_QUIET {
        // Nobody may be left who reads it, and that is no reason to end.
        let _ = writeln!(io::stderr(), "{}", said());
    }
}

fn has(flag: &str) -> bool {
    std::env::args().any(|argument| argument == flag)
}

fn says(id: &Id, result: &str) -> io::Result<()> {
    write(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n").as_bytes())
}

fn refuses(id: &Id, error: &str) -> io::Result<()> {
    write(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}\n").as_bytes())
}

fn discover(id: &Id) -> io::Result<()> {
    let said = |versions: &str| {
        format!(
            r#"{{"resultType":"complete","ttlMs":0,"cacheScope":"public","capabilities":{{"tools":{{}}}},
            "supportedVersions":{versions},"instructions":"be careful",
            "_meta":{{"io.modelcontextprotocol/serverInfo":{{"name":"hostile","version":"1"}}}}}}"#
        )
        .replace('\n', " ")
    };
    if has("--modern") {
        says(id, &said(r#"["2026-07-28","2025-11-25"]"#))
    } else if has("--newer") {
        let data = r#"{"requested":"2026-07-28","supported":["2031-01-01"]}"#;
        refuses(id, &format!(r#"{{"code":-32022,"message":"unsupported","data":{data}}}"#))
    } else if has("--silent-probe") {
        Ok(())
    } else if has("--answers-anything") {
        says(id, "{}")
    } else if has("--dies-on-probe") {
        eprintln!("I only know initialize");
        exit(3);
    } else {
        refuses(id, r#"{"code":-32601,"message":"Method not found"}"#)
    }
}

fn initialize(id: &Id) -> io::Result<()> {
    let revision = if has("--unknown-revision") { "1999-01-01" } else { "2025-06-18" };
    says(
        id,
        &format!(
            r#"{{"protocolVersion":"{revision}","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"hostile","version":"1"}},"instructions":"be careful"}}"#
        ),
    )
}

/// Three pages of two tools, then the second page again and again.
fn list_tools(id: &Id, params: &Json) -> io::Result<()> {
    let page: u32 = params.get_text("cursor").and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
    let tool = |number: u32| {
        format!(
            r#"{{"name":"tool-{number}","inputSchema":{{"type":"object"}},"x-vendor":{{"n":{number}.0}}}}"#
        )
    };
    if has("--lists-habits") {
        let habits = STDOUT_HABITS
            .iter()
            .chain(OTHER_HABITS)
            .copied()
            .chain(BROKEN_ANSWERS.iter().map(|(habit, _)| *habit));
        let tools: Vec<String> = habits
            .map(|habit| format!(r#"{{"name":"{habit}","inputSchema":{{"type":"object","properties":{{"every_ms":{{"type":"integer"}}}}}}}}"#))
            .collect();
        return says(id, &format!(r#"{{"tools":[{}]}}"#, tools.join(",")));
    }
    let next = if page == 2 { 1 } else { page + 1 };
    says(id, &format!(r#"{{"tools":[{},{}],"nextCursor":"{next}"}}"#, tool(page * 2), tool(page * 2 + 1)))
}

/// The bytes of an answer that cannot be read; none when the habit is another one.
fn broken(habit: &str, id: &Id, reply: &str) -> Option<Vec<u8>> {
    let open = reply.strip_suffix('}').unwrap_or(reply);
    let head = format!(r#"{{"jsonrpc":"2.0","id":{id}"#);
    let line = match habit {
        "not-a-number" => format!(r#"{head},"result":{{"value":NaN}}}}"#),
        "trailing-comma" => format!("{open},}}"),
        "cut-off" => reply[..reply.len() / 2].to_owned(),
        "result-and-error" => format!(r#"{open},"error":{{"code":1,"message":"m"}}}}"#),
        "neither" => format!("{head}}}"),
        "repeated-key" => format!(r#"{open},"result":{{}}}}"#),
        "repeated-id" => format!(r#"{open},"id":{id}}}"#),
        "two-ids" => format!(r#"{open},"id":{NEVER_SENT}}}"#),
        "no-id" => reply.replacen(&format!("\"id\":{id},"), "", 1),
        "error-as-text" => format!(r#"{head},"error":"boom"}}"#),
        "version-1" => reply.replacen("2.0", "1.0", 1),
        "no-version" => reply.replacen(r#""jsonrpc":"2.0","#, "", 1),
        "utf16" => {
            return Some(format!("{reply}\n").encode_utf16().flat_map(u16::to_le_bytes).collect());
        }
        _ => return None,
    };
    Some(format!("{line}\n").into_bytes())
}

fn answer(line: &str, request: &Request, seen: &mut Seen) -> io::Result<()> {
    let params = request.params.clone().unwrap_or_else(Json::empty_object);
    log(|| {
        // The whole of it would fill what is kept of stderr.
        let shown = params.as_str();
        format!("asked: {} {}", request.method, &shown[..shown.floor_char_boundary(SHOWN_BYTES)])
    });
    match request.method.as_str() {
        "server/discover" => return discover(&request.id),
        "initialize" => return initialize(&request.id),
        "tools/list" => return list_tools(&request.id, &params),
        _ => {}
    }
    let habit = params.get_text("name").unwrap_or_default();
    let arguments = params.get("arguments").unwrap_or_else(Json::empty_object);
    let text = arguments.get_text("text").unwrap_or_default();
    let number =
        |key: &str| arguments.get(key).and_then(|value| value.as_str().parse::<u64>().ok()).unwrap_or(0);
    let id = &request.id;
    let reply = result_line(id, &text);
    let plain = |text: String| write(format!("{text}\n").as_bytes());
    if let Some(broken) = broken(&habit, id, &reply) {
        return write(&broken);
    }
    match habit.as_str() {
        "log-line" => plain(format!("Server is working on it\n{reply}")),
        "many-log-lines" => plain(format!("{}{reply}", "INFO still here\n".repeat(500))),
        "half-json" => plain(format!("{}\n{reply}", &reply[..reply.len() / 2])),
        "crlf" => plain(format!("{reply}\r")),
        "byte-order-mark" => plain(format!("\u{feff}{reply}")),
        "ansi-colours" => plain(format!("\u{1b}[32mready\u{1b}[0m\n{reply}")),
        "ansi-around" => plain(format!("\u{1b}[2K\u{1b}[1G{reply}\u{1b}[0m")),
        "nul-bytes" => plain(format!("\0\0{reply}\0")),
        "bad-utf8-line" => write(&[b"\xff\xfe\n".as_slice(), reply.as_bytes(), b"\n"].concat()),
        "bad-utf8-before" => write(&[b"\xff\xfe".as_slice(), reply.as_bytes(), b"\n"].concat()),
        "utf16-line" => {
            let wide: Vec<u8> = "loading\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
            write(&[&wide, reply.as_bytes(), b"\n"].concat())
        }
        "two-on-a-line" => plain(format!("{reply}{}", result_line(&Id::number(NEVER_SENT), "other"))),
        "batch" => plain(format!("[{reply},{}]", result_line(&Id::number(NEVER_SENT), "other"))),
        "unknown-id" => plain(format!("{}\n{reply}", result_line(&Id::number(NEVER_SENT), "other"))),
        "id-as-string" => plain(reply.replacen(&format!("\"id\":{id}"), &format!("\"id\":\"{id}\""), 1)),
        "id-as-fraction" => plain(reply.replacen(&format!("\"id\":{id}"), &format!("\"id\":{id}.0"), 1)),
        "answers-twice" => plain(format!("{reply}\n{reply}")),
        "text-before" => plain(format!("Loading model... {reply}")),
        "text-behind" => plain(format!("{reply} done")),
        "echoes-request" => plain(format!("received {line}\n{reply}")),
        "json-log-line" => plain(format!("{{\"level\":\"info\",\"msg\":\"x\"}}\n{reply}")),
        "empty-lines" => plain(format!("\n\n \t\n{reply}\n")),
        "spread-out" => {
            for piece in reply.as_bytes().chunks(7) {
                write(piece)?;
                sleep(Duration::from_millis(1));
            }
            write(b"\n")
        }
        "long-line-before" => {
            let piece = vec![b'x'; 1 << 20];
            for _ in 0..number("megabytes").max(20) {
                write(&piece)?;
            }
            plain(format!("\n{reply}"))
        }
        "carriage-return-progress" => plain(format!("10%\r50%\r100%\r\n{reply}")),
        "null-error" => plain(format!("{},\"error\":null}}", &reply[..reply.len() - 1])),
        "pretty-printed" => {
            let members = reply[1..reply.len() - 1].replacen(",\"id\"", ",\n  \"id\"", 1);
            plain(format!("{{\n  {}\n}}", members.replacen(",\"result\":", ",\n  \"result\":\n  ", 1)))
        }
        "id-with-exponent" => plain(reply.replacen(&format!("\"id\":{id}"), &format!("\"id\":{id}e0"), 1)),
        "no-line-end" => write(reply.as_bytes()),
        "closes-stdout" => {
            // A process of its own takes the pipe over and closes it: `exec` replaces this one.
            #[cfg(unix)]
            let failed = std::os::unix::process::CommandExt::exec(
                std::process::Command::new("sh").args(["-c", "exec 1>&-; exec sleep 3600"]),
            );
            #[cfg(unix)]
            return Err(failed);
            #[cfg(not(unix))]
            Ok(())
        }
        "error-without-id" => {
            plain(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#.to_owned())
        }
        "environment" => {
            let names: Vec<String> = std::env::vars().map(|(name, _)| name).collect();
            plain(result_line(id, &names.join(" ")))
        }
        "large" => {
            // Piece by piece: what is tested is not how quickly it is made.
            let (before, after) = reply.split_at(reply.len() - LARGE_END.len());
            let piece = vec![b'x'; 1 << 20];
            write(before.as_bytes())?;
            for _ in 0..number("megabytes") {
                write(&piece)?;
            }
            plain(after.to_owned())
        }
        "deep" => {
            let depth = number("depth") as usize;
            let result = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
            let content = r#"[{"type":"text","text":"deep"}]"#;
            let result = format!(r#"{{"content":{content},"structuredContent":{{"deep":{result}}}}}"#);
            plain(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#))
        }
        "hang" => {
            seen.hung.push(id.clone());
            Ok(())
        }
        "answers-hung" => {
            seen.hung.drain(..).try_for_each(|hung| plain(result_line(&hung, "late")))?;
            plain(reply)
        }
        "tracked" => {
            seen.tracked.insert(id.clone(), text);
            plain(reply)
        }
        "tally" => plain(result_line(id, &seen.cancelled.to_string())),
        "tally-texts" => plain(result_line(id, &seen.cancelled_texts.join(" "))),
        "heartbeat" => {
            let token = params.get("_meta").and_then(|meta| meta.get("progressToken"));
            let token = token.map_or("null".to_owned(), |token| token.to_string());
            for beat in 1..=number("beats") {
                sleep(Duration::from_millis(number("every_ms")));
                plain(format!(
                    r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":{beat}}}}}"#
                ))?;
            }
            plain(reply)
        }
        "asks-back" => {
            plain(r#"{"jsonrpc":"2.0","id":"q-1","method":"ping"}"#.to_owned())?;
            plain(r#"{"jsonrpc":"2.0","id":"q-2","method":"roots/list"}"#.to_owned())?;
            plain(reply)
        }
        "asks-without-end" => {
            for number in 0..500 {
                plain(format!(r#"{{"jsonrpc":"2.0","id":"q-{number}","method":"roots/list"}}"#))?;
            }
            plain(reply)
        }
        "die" => {
            eprintln!("cannot go on: {text}");
            exit(i32::try_from(number("code")).unwrap_or(1));
        }
        "starts-children" => {
            let child = std::process::Command::new("sleep").arg("3600").spawn()?;
            plain(result_line(id, &child.id().to_string()))
        }
        _ => plain(reply),
    }
}
