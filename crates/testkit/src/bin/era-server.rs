//! An MCP server over stdio that uses what each era of the protocol offers.
//!
//! `--modern` makes it a modern server, else it is a legacy one; `--ttl=MS` is how long its tools may be
//! kept, `--list-fails=N` how often listing them fails at first, `--no-tools` announces none and knows no
//! list. `--resource=URI` is a resource whose text is `--name=NAME`. The tool `task` creates tasks. `tools/call` names what it does; the answer to any other request holds the params as they came.

#![allow(clippy::print_stdout, reason = "its stdout is what is tested")]

use std::collections::BTreeSet;
use std::io::{self, BufRead, Lines, StdinLock, Write};

use toolwright_jsonrpc::{Id, Json, METHOD_NOT_FOUND, Message, Request, Response, raw};

/// What a gateway must not lose: an unknown field, number forms, the order of keys, escapes.
const ODD: &str = r#"{"z":1.0,"a":12345678901234567890,"m":1e2,"\u00e9":"\u00e9\/","deep":[[ ],{ "b":-0 }]}"#;

fn main() -> io::Result<()> {
    let mut server = Server::new();
    while let Some(line) = server.lines.next() {
        server.hear(&line?)?;
    }
    Ok(())
}

struct Server {
    lines: Lines<StdinLock<'static>>,
    is_modern: bool,
    /// Counts the changes of its tools.
    version: u32,
    /// How often its tools were listed.
    listed: u32,
    /// How many requests it does not answer.
    silent: u32,
    level: Option<String>,
    /// The open subscription of a modern client: its request and what it wants.
    listening: Option<(Id, Json)>,
    uris: BTreeSet<String>,
    /// How many tasks it has.
    tasks: u32,
}

fn flag(name: &str) -> Option<String> {
    let start = format!("{name}=");
    std::env::args().find_map(|argument| argument.strip_prefix(&start).map(str::to_owned))
}

fn has(flag: &str) -> bool {
    std::env::args().any(|argument| argument == flag)
}

fn json(text: &str) -> Json {
    Json::parse(text).unwrap_or_else(|_| Json::empty_object())
}

fn print(line: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{line}")?;
    stdout.flush()
}

fn notify(method: &str, params: &Json) -> io::Result<()> {
    print(&format!(r#"{{"jsonrpc":"2.0","method":{},"params":{params}}}"#, raw::quote(method)))
}

fn refuse(id: &Id, code: i64, message: &str) -> io::Result<()> {
    print(&format!(
        r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{},"data":{ODD},"hint":1.0}}}}"#,
        raw::quote(message)
    ))
}

fn number(json: &Json, key: &str) -> u32 {
    json.get(key).and_then(|value| value.as_str().parse().ok()).unwrap_or(0)
}

impl Server {
    fn new() -> Server {
        Server {
            lines: io::stdin().lock().lines(),
            is_modern: has("--modern"),
            version: 0,
            listed: 0,
            silent: 0,
            level: None,
            listening: None,
            uris: BTreeSet::new(),
            tasks: 0,
        }
    }

    fn hear(&mut self, line: &str) -> io::Result<()> {
        match Message::parse(line) {
            Ok(Message::Request(request)) => {
                let params = request.params.clone().unwrap_or_else(Json::empty_object);
                eprintln!("asked: {} {} {params}", request.id, request.method);
                if self.silent > 0 {
                    self.silent -= 1;
                    return Ok(());
                }
                self.answer(&request, &params)
            }
            Ok(Message::Notification(told)) => {
                let params = told.params.unwrap_or_else(Json::empty_object);
                eprintln!("told: {} {params}", told.method);
                let ended = params.get("requestId").and_then(Id::from_json);
                if told.method == "notifications/cancelled"
                    && ended == self.listening.as_ref().map(|(id, _)| id.clone())
                {
                    self.listening = None;
                }
                Ok(())
            }
            Ok(Message::Response(_)) | Err(_) => {
                eprintln!("unexpected: {line}");
                Ok(())
            }
        }
    }

    /// A result; a modern one says that it is complete.
    fn say(&self, id: &Id, result: &str) -> io::Result<()> {
        let result = json(result);
        let kind = Json::text("complete");
        let is_kind_needed = self.is_modern && result.get("resultType").is_none();
        let result = if is_kind_needed { result.with("resultType", &kind) } else { result };
        let outcome = Ok(result);
        print(&Message::Response(Response { id: Some(id.clone()), outcome, extra: Vec::new() }).to_line())
    }

    fn answer(&mut self, request: &Request, params: &Json) -> io::Result<()> {
        let id = &request.id;
        let capabilities = match has("--no-tools") {
            true => "{}",
            false => r#"{"tools":{"listChanged":true},"resources":{"subscribe":true},"logging":{}}"#,
        };
        let capabilities = match flag("--name") {
            Some(_) => {
                r#"{"tools":{},"resources":{"subscribe":true},"logging":{},"tasks":{"list":{},"cancel":{}}}"#
            }
            None => capabilities,
        };
        match request.method.as_str() {
            "server/discover" if self.is_modern => self.say(
                id,
                &format!(r#"{{"supportedVersions":["2026-07-28"],"capabilities":{capabilities},"ttlMs":0,"cacheScope":"public"}}"#),
            ),
            "initialize" if !self.is_modern => self.say(
                id,
                &format!(r#"{{"protocolVersion":"2025-11-25","capabilities":{capabilities},"serverInfo":{{"name":"era","version":"1"}}}}"#),
            ),
            "server/discover" | "initialize" => refuse(id, METHOD_NOT_FOUND, "of the other era"),
            "tools/list" if has("--no-tools") => refuse(id, METHOD_NOT_FOUND, "no tools"),
            "tools/list" => self.list_tools(id),
            "tasks/list" if self.tasks > 0 => {
                let tasks: Vec<String> =
                    (1..=self.tasks).map(|task| format!(r#"{{"taskId":"task-{task}"}}"#)).collect();
                self.say(id, &format!(r#"{{"tasks":[{}]}}"#, tasks.join(",")))
            }
            "resources/list" if flag("--resource").is_some() => {
                let uri = raw::quote(&flag("--resource").unwrap_or_default());
                self.say(id, &format!(r#"{{"resources":[{{"uri":{uri},"name":"shared"}}]}}"#))
            }
            "resources/read" if flag("--resource").is_some() => {
                let (uri, name) = (params.get_text("uri").unwrap_or_default(), flag("--name").unwrap_or_default());
                let (uri, text) = (raw::quote(&uri), raw::quote(&name));
                self.say(id, &format!(r#"{{"contents":[{{"uri":{uri},"text":{text}}}]}}"#))
            }
            "tools/call" | "prompts/get" | "resources/read" => self.call(id, params),
            "subscriptions/listen" if self.is_modern => self.listen(id, params),
            "resources/subscribe" | "resources/unsubscribe" if !self.is_modern => {
                let uri = params.get_text("uri").unwrap_or_default();
                match request.method.ends_with("/subscribe") {
                    true => self.uris.insert(uri),
                    false => self.uris.remove(&uri),
                };
                self.say(id, "{}")
            }
            "logging/setLevel" if !self.is_modern => {
                self.level = params.get_text("level");
                self.say(id, "{}")
            }
            "fails" => refuse(id, -32002, "as it was asked to"),
            _ => self.say(id, &format!(r#"{{"asked":{params},"odd":{ODD}}}"#)),
        }
    }

    fn list_tools(&mut self, id: &Id) -> io::Result<()> {
        self.listed += 1;
        let fails = flag("--list-fails").and_then(|times| times.parse().ok()).unwrap_or(0);
        if self.listed <= fails {
            return refuse(id, -32603, "the tools are lost");
        }
        let keep =
            flag("--ttl").map(|ms| format!(r#","ttlMs":{ms},"cacheScope":"private""#)).unwrap_or_default();
        let name = format!("v{}", self.version);
        let more = match flag("--name") {
            Some(_) => r#",{"name":"task","inputSchema":{"type":"object"}}"#,
            None => "",
        };
        self.say(
            id,
            &format!(
                r#"{{"tools":[{{"name":"{name}","inputSchema":{{"type":"object"}},"odd":{ODD}}}{more}]{keep}}}"#
            ),
        )
    }

    fn listen(&mut self, id: &Id, params: &Json) -> io::Result<()> {
        let wanted = params.get("notifications").unwrap_or_else(Json::empty_object);
        // This server has no prompts.
        let granted = wanted.without("promptsListChanged");
        self.listening = Some((id.clone(), granted.clone()));
        let params = json(&format!(r#"{{"notifications":{granted}}}"#));
        self.tell("notifications/subscriptions/acknowledged", params)
    }

    /// Tells something on the open subscription.
    fn tell(&self, method: &str, params: Json) -> io::Result<()> {
        let Some((id, _)) = &self.listening else { return Ok(()) };
        let meta = json(&format!(r#"{{"io.modelcontextprotocol/subscriptionId":{id}}}"#));
        notify(method, &params.with("_meta", &meta))
    }

    fn wants(&self, key: &str) -> Option<Json> {
        self.listening.as_ref()?.1.get(key)
    }

    fn call(&mut self, id: &Id, params: &Json) -> io::Result<()> {
        let name = params.get_text("name").or_else(|| params.get_text("uri")).unwrap_or_default();
        let arguments = params.get("arguments").unwrap_or_else(Json::empty_object);
        let meta = params.get("_meta").unwrap_or_else(Json::empty_object);
        match name.as_str() {
            "change" => {
                self.version += 1;
                for _ in 0..number(&arguments, "times").max(1) {
                    match (self.is_modern, self.wants("toolsListChanged")) {
                        (true, Some(_)) => {
                            self.tell("notifications/tools/list_changed", Json::empty_object())?
                        }
                        (true, None) => {}
                        (false, _) => {
                            print(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#)?
                        }
                    }
                }
                self.say(id, "{}")
            }
            "touch" => {
                let uri = arguments.get_text("uri").unwrap_or_default();
                let params = json(&format!(r#"{{"uri":{},"odd":{ODD}}}"#, raw::quote(&uri)));
                let wanted =
                    self.wants("resourceSubscriptions").and_then(|uris| uris.items()).unwrap_or_default();
                if wanted.iter().filter_map(Json::to_text).any(|wanted| wanted == uri) {
                    self.tell("notifications/resources/updated", params)?;
                } else if self.uris.contains(&uri) {
                    notify("notifications/resources/updated", &params)?;
                }
                self.say(id, "{}")
            }
            "log" => {
                let asked = meta.get_text("io.modelcontextprotocol/logLevel");
                if let Some(level) = asked.filter(|_| self.is_modern).or_else(|| self.level.clone()) {
                    let params = format!(r#"{{"level":{},"data":{ODD}}}"#, raw::quote(&level));
                    notify("notifications/message", &json(&params))?;
                }
                self.say(id, "{}")
            }
            "tell" => {
                let method = arguments.get_text("method").unwrap_or_default();
                notify(&method, &arguments.get("params").unwrap_or_else(Json::empty_object))?;
                self.say(id, "{}")
            }
            "progress" => {
                let token = meta.get("progressToken").unwrap_or_else(Json::empty_object);
                notify(
                    "notifications/progress",
                    &json(&format!(r#"{{"progressToken":{token},"progress":1.0,"odd":{ODD}}}"#)),
                )?;
                self.say(id, "{}")
            }
            "end-subscription" => {
                if let Some((listening, _)) = self.listening.take() {
                    self.say(&listening, "{}")?;
                }
                self.say(id, "{}")
            }
            "task" => {
                self.tasks += 1;
                let task = self.tasks;
                match self.is_modern {
                    true => self.say(id, &format!(r#"{{"resultType":"task","taskId":"task-{task}"}}"#)),
                    false => {
                        self.say(id, &format!(r#"{{"task":{{"taskId":"task-{task}","status":"working"}}}}"#))
                    }
                }
            }
            "listed" => self.say(id, &format!(r#"{{"listed":{}}}"#, self.listed)),
            "silent" => {
                self.silent = number(&arguments, "requests");
                self.say(id, "{}")
            }
            "ask" if self.is_modern => self.ask_back(id, params, &arguments),
            "ask" => self.ask(id, &arguments),
            _ => self.say(id, &format!(r#"{{"asked":{params},"odd":{ODD}}}"#)),
        }
    }

    /// A legacy server sends a request of its own and waits for its answer.
    fn ask(&mut self, id: &Id, arguments: &Json) -> io::Result<()> {
        let method = arguments.get_text("method").unwrap_or_default();
        let params = arguments.get("params").unwrap_or_else(Json::empty_object);
        print(&format!(
            r#"{{"jsonrpc":"2.0","id":"own-1","method":{},"params":{params}}}"#,
            raw::quote(&method)
        ))?;
        while let Some(line) = self.lines.next() {
            match Message::parse(&line?) {
                Ok(Message::Response(Response { outcome: Ok(result), .. })) => {
                    return self.say(id, &format!(r#"{{"answered":{result}}}"#));
                }
                Ok(Message::Response(Response { outcome: Err(error), .. })) => {
                    return self.say(id, &format!(r#"{{"refused":{}}}"#, error.to_json()));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A modern server answers with questions, `rounds` times; its state counts them.
    fn ask_back(&mut self, id: &Id, params: &Json, arguments: &Json) -> io::Result<()> {
        let state = params.get_text("requestState").unwrap_or_default();
        let round = state.strip_prefix("round ").and_then(|round| round.parse().ok()).unwrap_or(0);
        if round > 0 && round >= number(arguments, "rounds").max(1) {
            let answered = params.get("inputResponses").unwrap_or_else(Json::empty_object);
            return self.say(id, &format!(r#"{{"answered":{answered},"asked":{params}}}"#));
        }
        let question = arguments.without("rounds").without("silently");
        let questions = match arguments.get("silently") {
            Some(_) => String::new(),
            None => format!(r#""inputRequests":{{"q \"1\"":{question}}},"#),
        };
        self.say(
            id,
            &format!(r#"{{"resultType":"input_required",{questions}"requestState":"round {}"}}"#, round + 1),
        )
    }
}
