//! One real server, reached and asked.

use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep, timeout};
use toolwright_jsonrpc::{ErrorObject, Json, METHOD_NOT_FOUND, Notification, Request};
use toolwright_mcp::http::{HttpKind, HttpTarget};
use toolwright_mcp::stdio::ChildCommand;
use toolwright_mcp::{Answer, Era, Host, Identity, Peer, PeerOptions, RequestOptions};
use toolwright_toolbox::{Connector, HttpConnector, Policy, State, StdioConnector, Supervisor};

use super::installed::Server;

/// Longer than a cold start on a busy machine, so that a hang is a failure and not a wait.
const PATIENCE: Duration = Duration::from_secs(60);

const NAME_FORM: &str = r#"{"action":"accept","content":{"firstName":"Ada"}}"#;
const SHORTER: &str = r#"{"role":"assistant","content":{"type":"text","text":"short"},"model":"test"}"#;

/// A server that was reached.
pub struct Met {
    supervisor: Supervisor,
    peer: Peer,
    user: Arc<User>,
    /// The server itself, when it is reached over HTTP.
    process: Option<Child>,
}

/// Answers what servers ask: a name for a form, a short text for a model.
#[derive(Default)]
struct User {
    heard: Mutex<Vec<String>>,
}

impl Host for User {
    fn request(&self, request: Request) -> Answer<'_> {
        let answer = answer_to(&request.method)
            .ok_or_else(|| ErrorObject::new(METHOD_NOT_FOUND, format!("no {} here", request.method)));
        Box::pin(async move { answer })
    }

    fn notified(&self, notification: Notification) {
        self.heard.lock().expect("no panic").push(notification.method);
    }
}

fn answer_to(method: &str) -> Option<Json> {
    match method {
        "elicitation/create" => Some(json(NAME_FORM)),
        "sampling/createMessage" => Some(json(SHORTER)),
        _ => None,
    }
}

impl Met {
    /// Starts a server and waits until it is ready.
    pub async fn reach(server: Server) -> Met {
        Met::reach_as(server, None).await
    }

    /// The same, for a server whose era is known.
    pub async fn reach_as(server: Server, known: Option<Era>) -> Met {
        Met::reach_with(server, PeerOptions { known, ..options() }).await
    }

    /// The same, for a server that is met in this way.
    pub async fn reach_with(server: Server, options: PeerOptions) -> Met {
        let user = Arc::new(User::default());
        let command = ChildCommand {
            program: server.program.into(),
            args: server.args.iter().map(Into::into).collect(),
            env: server.env,
            ..ChildCommand::default()
        };
        let host = Arc::clone(&user);
        let connector = StdioConnector::new(server.name, command, identity(&server.args), options, host);
        Met::supervise(Arc::new(connector), user, None).await
    }

    /// Starts a server that listens on the loopback, and waits until it is ready.
    pub async fn reach_over_http(server: Server) -> Met {
        let mut process = Command::new(&server.program)
            .args(&server.args)
            .args(["--http", "0"])
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("the server starts");
        let mut lines = BufReader::new(process.stderr.take().expect("stderr")).lines();
        let url = timeout(PATIENCE, lines.next_line())
            .await
            .expect("in time")
            .expect("a line")
            .expect("an address");
        let user = Arc::new(User::default());
        let host = Arc::clone(&user);
        let target = HttpTarget {
            url,
            headers: Vec::new(),
            kind: HttpKind::Auto,
            authorizer: None,
            max_response_bytes: None,
        };
        let connector = HttpConnector {
            name: server.name.into(),
            target,
            identity: identity(&server.args),
            options: options(),
            host,
            secrets: Vec::new(),
        };
        Met::supervise(Arc::new(connector), user, Some(process)).await
    }

    async fn supervise(connector: Arc<dyn Connector>, user: Arc<User>, process: Option<Child>) -> Met {
        let supervisor = Supervisor::start(connector, Policy::default());
        let peer = supervisor.peer(PATIENCE).await.unwrap_or_else(|error| {
            panic!("{error}; its stderr: {}", supervisor.stderr());
        });
        let snapshot = supervisor.snapshot();
        assert!(matches!(snapshot.state, State::Ready), "{snapshot:?}");
        assert_eq!((snapshot.restarts, snapshot.noise, snapshot.last_failure), (0, 0, None));
        Met { supervisor, peer, user, process }
    }

    /// Checks the era and the revision.
    pub fn speaks(&self, (era, revision): (Era, &str)) {
        assert_eq!((self.peer.era(), self.peer.revision()), (era, revision));
        let snapshot = self.supervisor.snapshot();
        assert_eq!((snapshot.era, snapshot.revision.as_deref()), (Some(era), Some(revision)));
    }

    /// Checks who the server says it is.
    pub fn is_called(&self, name: &str) {
        let server = self.supervisor.snapshot().server.expect("it says who it is");
        assert_eq!(server.get_text("name").as_deref(), Some(name));
    }

    /// The names of its tools, sorted, as the supervisor has them.
    pub async fn tools(&self) -> Vec<String> {
        let mut seen = self.supervisor.subscribe();
        let listed = timeout(PATIENCE, seen.wait_for(|seen| seen.tools.is_current)).await;
        let listed = listed.expect("in time").expect("supervised").tools.clone();
        assert_eq!(self.supervisor.snapshot().tools, listed.items.len());
        let mut names: Vec<String> = listed.items.iter().filter_map(|tool| tool.get_text("name")).collect();
        names.sort();
        names
    }

    /// Sends a request.
    pub async fn request(&self, method: &str, params: &str) -> Json {
        let options = RequestOptions { timeout: Some(PATIENCE), ..RequestOptions::default() };
        self.peer.request(method, Some(json(params)), &options).await.unwrap_or_else(|error| {
            panic!("{method}: {error}");
        })
    }

    /// Calls a tool.
    pub async fn call(&self, tool: &str, arguments: &str) -> Json {
        self.request("tools/call", &format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#)).await
    }

    /// Calls a tool and gives what it said about its progress as well.
    pub async fn call_listening(&self, tool: &str, arguments: &str) -> (Json, Vec<String>) {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let listener = Arc::clone(&heard);
        let options = RequestOptions {
            timeout: Some(PATIENCE),
            on_progress: Some(Arc::new(move |params| {
                listener.lock().expect("no panic").push(params.to_string());
            })),
            ..RequestOptions::default()
        };
        let params = json(&format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#));
        let result = self.peer.request("tools/call", Some(params), &options).await.expect("an answer");
        let heard = heard.lock().expect("no panic").clone();
        (result, heard)
    }

    /// The text of a call that succeeds.
    pub async fn says(&self, tool: &str, arguments: &str) -> String {
        let result = self.call(tool, arguments).await;
        assert_ne!(is_error(&result), Some(true), "{result}");
        text_of(&result)
    }

    /// The text of a call that fails.
    pub async fn fails(&self, tool: &str, arguments: &str) -> String {
        let result = self.call(tool, arguments).await;
        assert_eq!(is_error(&result), Some(true), "{result}");
        text_of(&result)
    }

    /// Every item of a list.
    pub async fn list(&self, method: &str, key: &str) -> Vec<Json> {
        let options = RequestOptions { timeout: Some(PATIENCE), ..RequestOptions::default() };
        self.peer.list(method, key, &options).await.expect("a list")
    }

    /// How many notifications of this method came.
    pub fn heard(&self, method: &str) -> usize {
        self.user.heard.lock().expect("no panic").iter().filter(|heard| *heard == method).count()
    }

    /// A server asks us in the middle of a call, in the way of its era, and our answer reaches it.
    pub async fn asks_back(&self) {
        assert_eq!(self.says("greet", r#"{"greeting":"Hello"}"#).await, "Hello, Ada");
        assert_eq!(self.says("summarize", r#"{"text":"long"}"#).await, "short");
    }

    /// A modern server ends a call with what it wants to know. Whoever wants the question itself gets it,
    /// and the call goes on when it comes again with the answer.
    pub async fn passes_questions_on(&self) {
        let options =
            RequestOptions { timeout: Some(PATIENCE), passes_input_on: true, ..RequestOptions::default() };
        let params = json(r#"{"name":"greet","arguments":{"greeting":"Hello"}}"#);
        let asked =
            self.peer.request("tools/call", Some(params.clone()), &options).await.expect("a question");
        assert_eq!(asked.get_text("resultType").as_deref(), Some("input_required"), "{asked}");
        let requests = asked.get("inputRequests").expect("what it asks");
        let requests: serde_json::Value = serde_json::from_str(requests.as_str()).expect("JSON");
        let (key, request) = requests.as_object().and_then(|all| all.iter().next()).expect("a question");
        let answer = answer_to(request["method"].as_str().expect("a method")).expect("a known one");
        let mut again = params.with("inputResponses", &Json::empty_object().with(key, &answer));
        if let Some(state) = asked.get("requestState") {
            again = again.with("requestState", &state);
        }
        let result = self.peer.request("tools/call", Some(again), &options).await.expect("an answer");
        assert_eq!(text_of(&result), "Hello, Ada");
    }

    /// Lets go of the server: nothing that it started is left.
    pub async fn ends(self) {
        let snapshot = self.supervisor.snapshot();
        assert_eq!((snapshot.in_flight, snapshot.restarts), (0, 0));
        assert_eq!(snapshot.noise, 0, "it prints what is no message");
        let Met { supervisor, peer, process, .. } = self;
        drop((supervisor, peer));
        if let Some(mut process) = process {
            process.kill().await.expect("ended");
            return;
        }
        let group = snapshot.pid.expect("a child");
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = members_of(group);
            if left.is_empty() {
                return;
            }
            assert!(Instant::now() < deadline, "still there: {left:?}");
            sleep(Duration::from_millis(20)).await;
        }
    }
}

/// The processes of a group that run.
fn members_of(group: u32) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").expect("/proc");
    let stats =
        processes.flatten().filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
    stats
        .filter(|stat| {
            // After the name in brackets: state, parent, group.
            let rest = stat.rsplit(") ").next().unwrap_or_default();
            let mut fields = rest.split(' ');
            let is_running = fields.next() != Some("Z");
            is_running && fields.nth(1) == Some(group.to_string().as_str())
        })
        .collect()
}

fn identity(args: &[String]) -> Identity {
    // Servers that know no questions are told that none can be answered: some offer more tools otherwise.
    let asks =
        args.iter().any(|arg| arg == "--era" || Path::new(arg).extension().is_some_and(|end| end == "py"));
    Identity {
        client: json(r#"{"name":"toolwright","version":"0"}"#),
        capabilities: if asks { json(r#"{"elicitation":{},"sampling":{}}"#) } else { Json::empty_object() },
    }
}

/// Nothing is taken for silence that is only slow.
pub fn options() -> PeerOptions {
    PeerOptions { probe: PATIENCE, start: PATIENCE, ..PeerOptions::default() }
}

fn json(text: &str) -> Json {
    Json::parse(text).expect("JSON")
}

fn is_error(result: &Json) -> Option<bool> {
    result.get("isError").map(|flag| flag.as_str() == "true")
}

/// The text of a result's first content.
pub fn text_of(result: &Json) -> String {
    let content = result.get("content").and_then(|content| content.items()).expect("content");
    content[0].get_text("text").expect("text")
}
