//! The faults that `toolwright doctor` must name: each is planted for real, in a home of its own.

mod neighbours;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::gateway::{Gateway, Home};
use crate::program::command;

/// Answers as servers do; what it lists is in the variable TOOLS.
const SERVER: &str = r#"#!/bin/sh
[ -z "$NOISE" ] || echo "starting up, please wait"
while IFS= read -r line; do
  id=$(printf '%s\n' "$line" | sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p')
  [ -n "$id" ] || continue
  case "$line" in
    *'"method":"initialize"'*)
      result='"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1"}}' ;;
    *'"method":"tools/list"'*) result='"result":{"tools":['"$TOOLS"']}' ;;
    *'"method":"tools/call"'*) touch "$CALLED"; result='"result":{"content":[]}' ;;
    *) result='"error":{"code":-32601,"message":"Method not found"}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$result"
done
"#;

const TOOL: &str = r#"{"name":"send_note","inputSchema":{"type":"object"}}"#;

/// A fault, how it is planted, and what its fix is.
pub struct Fault {
    /// The id of the finding.
    pub id: &'static str,
    /// What is wrong, in words.
    pub title: &'static str,
    pub plant: fn(&mut Patient),
    pub paste: Paste,
}

/// What is done with the fix.
pub enum Paste {
    /// It is a command: it is run in the shell that the doctor is run in again.
    Shell,
    /// It is a command that runs on: it is run beside, and the doctor looks there.
    Beside,
    /// It is a value for the configuration: it is written there.
    Written,
    /// It is the command to run in the place of the one that was.
    Instead,
    /// Words for a person, with this among them.
    Words(&'static str),
    /// The same, and this command of it is run.
    WordsWith(&'static str, fn(&Patient) -> String),
}

/// A user's home in which something is wrong.
pub struct Patient {
    pub home: Home,
    /// What stands before the doctor in its shell.
    pub before: Vec<String>,
    /// What the doctor is asked with besides.
    pub flags: Vec<String>,
    pub port: u16,
    gateways: Vec<Gateway>,
    listeners: Vec<TcpListener>,
    programs: Vec<Beside>,
}

/// A program that ends with its patient.
struct Beside(Child);

impl Drop for Beside {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Patient {
    pub fn new() -> Patient {
        // A port that nobody has, so that the fault of a port is the one that is planted.
        let port = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port").port();
        let patient = Patient {
            home: Home::new(),
            before: Vec::new(),
            flags: Vec::new(),
            port,
            gateways: Vec::new(),
            listeners: Vec::new(),
            programs: Vec::new(),
        };
        patient.executable("bin/notes-server", SERVER);
        patient.configure(&json!({ "notes": patient.good() }));
        patient
    }

    /// A server that is well.
    fn good(&self) -> Value {
        json!({
            "command": self.file("bin/notes-server"),
            "env": { "TOOLS": TOOL, "CALLED": self.file("called") },
        })
    }

    /// The good server with other members.
    fn server(&self, members: Value) -> Value {
        let mut server = self.good();
        for (key, value) in members.as_object().expect("members") {
            server[key] = value.clone();
        }
        server
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.home.work().join(name)
    }

    pub fn state(&self, name: &str) -> PathBuf {
        self.home.path().join("state/toolwright").join(name)
    }

    fn put(&self, file: PathBuf, text: &str, mode: u32) -> PathBuf {
        let folder = file.parent().expect("a folder");
        std::fs::create_dir_all(folder).expect("made");
        std::fs::write(&file, text).expect("written");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).expect("changed");
        file
    }

    fn executable(&self, name: &str, text: &str) -> PathBuf {
        self.put(self.file(name), text, 0o755)
    }

    /// A file of the state folder, which is closed to others.
    fn kept(&self, name: &str, text: &str, mode: u32) -> PathBuf {
        let file = self.put(self.state(name), text, mode);
        let closed = std::fs::Permissions::from_mode(0o700);
        std::fs::set_permissions(self.state(""), closed).expect("closed");
        file
    }

    fn configure(&self, servers: &Value) {
        self.configure_all(&json!({ "mcpServers": servers }));
    }

    pub fn configure_all(&self, configuration: &Value) {
        self.put(self.file("toolwright.json"), &configuration.to_string(), 0o600);
    }

    /// A gateway of somebody else, with a home of its own that goes when the test does.
    fn other_gateway(&mut self, flags: &[&str]) -> u16 {
        let folder = self.home.path().join("other");
        std::fs::create_dir_all(&folder).expect("made");
        let arguments = [&["serve", "--port", "0", "--json"], flags].concat();
        let mut program = command(&arguments);
        program
            .current_dir(&folder)
            .env("HOME", &folder)
            .env("XDG_STATE_HOME", folder.join("state"))
            .env("XDG_RUNTIME_DIR", &folder)
            .env("XDG_CONFIG_HOME", &folder)
            .env_remove("WORKBENCH_CONFIG")
            .stderr(Stdio::null());
        let gateway = Gateway::of(&mut program);
        let port = gateway.port;
        self.gateways.push(gateway);
        port
    }

    /// A call that was made and written down.
    fn history(&mut self) {
        let mut gateway = Gateway::start(&self.home, &[]);
        let params = json!({ "name": "send_note", "arguments": {} });
        gateway.modern("/mcp/t/default", "tools/call", params).expect("a call");
        gateway.signal("TERM");
        gateway.end(Duration::from_secs(30)).expect("it ends");
    }

    /// Somebody at a port who answers every request with this status.
    fn answering(&mut self, status: &'static str) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let heard = listener.try_clone().expect("a listener");
        std::thread::spawn(move || {
            for stream in heard.incoming().flatten() {
                answer(stream, status);
            }
        });
        self.listeners.push(listener);
        port
    }

    /// Runs the doctor after these commands, in one shell; exit code, what it printed, and its standard error.
    pub fn doctor(&self, pasted: &[String]) -> (i32, Value, String) {
        let line = format!(
            "exec toolwright doctor --json --timeout 4 --listen 127.0.0.1:{} {}",
            self.port,
            self.flags.join(" ")
        );
        self.shell(pasted, &line)
    }

    pub fn shell(&self, pasted: &[String], line: &str) -> (i32, Value, String) {
        let lines = [self.before.as_slice(), pasted, &[line.to_owned()]].concat();
        let output = self.home_shell(&lines.join("\n")).output().expect("a shell");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        // What is pasted may print too, before the doctor does.
        let printed = text(&output.stdout);
        let said = serde_json::from_str(printed.lines().last().unwrap_or_default())
            .unwrap_or_else(|error| panic!("{error}: {printed} {}", text(&output.stderr)));
        (output.status.code().unwrap_or(-1), said, text(&output.stderr))
    }

    /// A shell as the user has it, with the program on its search path.
    pub fn home_shell(&self, script: &str) -> Command {
        let program = command(&[]);
        let program = std::path::Path::new(program.get_program()).parent().expect("a folder").to_owned();
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
        let mut shell = Command::new("sh");
        shell
            .args(["-c", script])
            .current_dir(self.home.work())
            .env("PATH", path)
            .env("HOME", self.home.path())
            .env("XDG_STATE_HOME", self.home.path().join("state"))
            .env("XDG_RUNTIME_DIR", self.home.path())
            .env("XDG_CONFIG_HOME", self.home.path().join("config"))
            .env("NO_COLOR", "1")
            .env_remove("WORKBENCH_CONFIG")
            .env_remove("TOOLWRIGHT_LOG")
            .stdin(Stdio::null());
        shell
    }
}

fn answer(mut stream: TcpStream, status: &str) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(2)));
    let mut head = [0; 4096];
    let _ = stream.read(&mut head);
    let body = r#"{"error":{"message":"no"}}"#;
    let length = body.len();
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
}

/// All of them.
pub fn faults() -> Vec<&'static Fault> {
    FAULTS.iter().chain(neighbours::FAULTS).collect()
}

/// Those of ourselves and our servers.
const FAULTS: &[Fault] = &[
    Fault {
        id: "configuration-unusable",
        title: "the file after --config is not there",
        plant: |patient| patient.flags = vec!["--config".into(), "toolwrigth.json".into()],
        paste: Paste::Instead,
    },
    Fault {
        id: "configuration-mistake",
        title: "a comma is missing in the configuration",
        plant: |patient| {
            let text = "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"true\"}\n    \"b\": {\"command\": \"true\"}\n  }\n}";
            patient.put(patient.file("toolwright.json"), text, 0o600);
        },
        paste: Paste::Words("write , at the end of what comes before"),
    },
    Fault {
        id: "configuration-mistake",
        title: "a variable that the configuration uses is not set",
        plant: |patient| {
            let env = json!({ "KEY": "${NOTES_KEY_OF_NOBODY}" });
            patient.configure(&json!({ "notes": patient.server(json!({ "env": env })) }));
        },
        paste: Paste::WordsWith("export NOTES_KEY_OF_NOBODY=value", |_| {
            "export NOTES_KEY_OF_NOBODY=value".to_owned()
        }),
    },
    Fault {
        id: "configuration-doubt",
        title: "a key is misspelt",
        plant: |patient| {
            patient.configure(&json!({ "notes": patient.server(json!({ "toolFilter": ["*"] })) }));
        },
        paste: Paste::Words("did you mean \"toolFilters\"?"),
    },
    Fault {
        id: "program-not-found",
        title: "the program of a server is misspelt",
        plant: |patient| {
            let command = patient.file("bin/notes-servre");
            patient.configure(&json!({ "notes": patient.server(json!({ "command": command })) }));
        },
        paste: Paste::Written,
    },
    Fault {
        id: "program-not-found",
        title: "npx is not installed",
        plant: |patient| {
            let env = json!({ "PATH": "/var/empty" });
            patient.configure(&json!({ "memory": { "command": "npx", "args": ["-y", "x"], "env": env } }));
        },
        paste: Paste::Words("install Node.js"),
    },
    Fault {
        id: "program-not-executable",
        title: "the program of a server may not be run",
        plant: |patient| drop(patient.put(patient.file("bin/notes-server"), SERVER, 0o644)),
        paste: Paste::Shell,
    },
    Fault {
        id: "program-is-folder",
        title: "the program of a server is a folder",
        plant: |patient| {
            let command = patient.file("bin");
            patient.configure(&json!({ "notes": patient.server(json!({ "command": command })) }));
        },
        paste: Paste::Words("write the program in it"),
    },
    Fault {
        id: "folder-not-found",
        title: "the folder that a server runs in is not there",
        plant: |patient| {
            let cwd = patient.file("not yet there");
            patient.configure(&json!({ "notes": patient.server(json!({ "cwd": cwd })) }));
        },
        paste: Paste::Shell,
    },
    Fault {
        id: "interpreter-not-found",
        title: "what runs the script of a server is not there",
        plant: |patient| drop(patient.executable("bin/notes-server", "#!/usr/bin/env python-of-nobody\n")),
        paste: Paste::Words("install python-of-nobody"),
    },
    Fault {
        id: "script-not-found",
        title: "the script in the arguments of a server is misspelt",
        plant: |patient| {
            patient.executable("server.sh", SERVER);
            let args = json!([patient.file("sevrer.sh")]);
            patient.configure(&json!({ "notes": patient.server(json!({ "command": "sh", "args": args })) }));
        },
        paste: Paste::Written,
    },
    Fault {
        id: "node-too-old",
        title: "Node.js is too old",
        plant: |patient| {
            patient.executable(
                "old/node",
                "#!/bin/sh\n[ \"$1\" = --version ] && echo v12.22.9 && exit 0\nexec sh \"$@\"\n",
            );
            patient.executable("server.sh", SERVER);
            let path =
                format!("{}:{}", patient.file("old").display(), std::env::var("PATH").unwrap_or_default());
            let env = json!({ "PATH": path, "TOOLS": TOOL, "CALLED": "/dev/null" });
            let members = json!({ "command": "node", "args": [patient.file("server.sh")], "env": env });
            patient.configure(&json!({ "notes": members }));
        },
        paste: Paste::Words("install Node.js 18 or later"),
    },
    Fault {
        id: "ends-at-start",
        title: "a server ends with an error at its start",
        plant: |patient| {
            patient.executable("bin/notes-server", "#!/bin/sh\necho 'cannot open the notes' >&2\nexit 3\n");
        },
        paste: Paste::Words("bin/notes-server"),
    },
    Fault {
        id: "ends-at-once",
        title: "the program of a server is no server",
        plant: |patient| patient.configure(&json!({ "notes": { "command": "true" } })),
        paste: Paste::Words("run it by hand"),
    },
    Fault {
        id: "variable-not-passed",
        title: "a variable that a server needs is set, and not passed on to it",
        plant: |patient| {
            let text = SERVER.replacen(
                '\n',
                "\n[ -n \"$NOTES_TOKEN\" ] || { echo 'NOTES_TOKEN is not set' >&2; exit 1; }\n",
                1,
            );
            patient.executable("bin/notes-server", &text);
            patient.before = vec!["export NOTES_TOKEN=abc".to_owned()];
        },
        paste: Paste::Written,
    },
    Fault {
        id: "variable-missing",
        title: "a variable that a server needs is not set",
        plant: |patient| {
            patient.executable(
                "bin/notes-server",
                "#!/bin/sh\necho 'Error: NOTES_TOKEN environment variable is required' >&2\nexit 1\n",
            );
        },
        paste: Paste::Words("export NOTES_TOKEN="),
    },
    Fault {
        id: "no-answer",
        title: "a program runs and does not answer",
        plant: |patient| patient.configure(&json!({ "notes": { "command": "sleep", "args": ["61"] } })),
        paste: Paste::Words("sleep 61"),
    },
    Fault {
        id: "stdout-noise",
        title: "a server prints its log among its messages",
        plant: |patient| {
            let env = json!({ "TOOLS": TOOL, "CALLED": patient.file("called"), "NOISE": "1" });
            patient.configure(&json!({ "notes": patient.server(json!({ "env": env })) }));
        },
        paste: Paste::Words("log to standard error"),
    },
    Fault {
        id: "tool-unusable",
        title: "a tool of a server has a definition that cannot be used",
        plant: |patient| {
            let tools = r#"{"name":"note","inputSchema":{"type":"object"}},{"name":"bad","inputSchema":{"type":"objct"}}"#;
            let env = json!({ "TOOLS": tools, "CALLED": patient.file("called") });
            patient.configure(&json!({ "notes": patient.server(json!({ "env": env })) }));
        },
        paste: Paste::Words("correct the definition in the server"),
    },
    Fault {
        id: "unreachable",
        title: "nothing listens at the address of a server",
        plant: |patient| {
            let url = format!("http://127.0.0.1:{}/mcp", patient.port);
            patient.configure(&json!({ "notes": { "url": url } }));
        },
        paste: Paste::Words("start the server that listens at"),
    },
    Fault {
        id: "wrong-address",
        title: "the path of a server's address is wrong",
        plant: |patient| {
            let url = format!("http://127.0.0.1:{}/wrong", patient.other_gateway(&["--no-auth"]));
            patient.configure(&json!({ "notes": { "url": url } }));
        },
        paste: Paste::Written,
    },
    Fault {
        id: "wrong-address",
        title: "https is written for a server that speaks http",
        plant: |patient| {
            let url = format!("https://127.0.0.1:{}/mcp", patient.other_gateway(&["--no-auth"]));
            patient.configure(&json!({ "notes": { "url": url } }));
        },
        paste: Paste::Written,
    },
    Fault {
        id: "login-needed",
        title: "a server wants a login",
        plant: |patient| {
            let url = format!("http://127.0.0.1:{}/mcp", patient.other_gateway(&[]));
            patient.configure(&json!({ "notes": { "url": url } }));
        },
        paste: Paste::Words("toolwright servers login notes"),
    },
    Fault {
        id: "token-refused",
        title: "the token in the entry of a server is not valid",
        plant: |patient| {
            let url = format!("http://127.0.0.1:{}/mcp", patient.other_gateway(&[]));
            let headers = json!({ "Authorization": "Bearer tw_of-nobody-at-all" });
            patient.configure(&json!({ "notes": { "url": url, "headers": headers } }));
        },
        paste: Paste::Words("/mcpServers/notes/headers/Authorization"),
    },
    Fault {
        id: "no-tools",
        title: "a server has no tools",
        plant: |patient| {
            let env = json!({ "TOOLS": "", "CALLED": patient.file("called") });
            patient.configure(&json!({ "notes": patient.server(json!({ "env": env })) }));
        },
        paste: Paste::Words("its arguments and variables"),
    },
    Fault {
        id: "filters-hide-all",
        title: "a misspelt filter hides all tools of a server",
        plant: |patient| {
            patient.configure(&json!({ "notes": patient.server(json!({ "toolFilters": ["send_notes"] })) }));
        },
        paste: Paste::Written,
    },
    Fault {
        id: "filter-names-no-tool",
        title: "a filter names a tool that is not there",
        plant: |patient| {
            let filters = json!({ "toolFilters": ["send_note", "read_note"] });
            patient.configure(&json!({ "notes": patient.server(filters) }));
        },
        paste: Paste::Words("correct \"read_note\""),
    },
    Fault {
        id: "upstream-unreachable",
        title: "Ollama is not running",
        plant: |patient| {
            let url = format!("http://127.0.0.1:{}", patient.port);
            let llm = json!({ "upstreams": { "local": { "kind": "ollama", "url": url } }, "models": { "*": "local/*" } });
            patient.configure_all(&json!({ "mcpServers": {}, "llm": llm }));
        },
        paste: Paste::Words("ollama serve"),
    },
    Fault {
        id: "upstream-refuses-key",
        title: "the key of an upstream is not valid",
        plant: |patient| {
            let url = format!("http://127.0.0.1:{}/v1", patient.answering("401 Unauthorized"));
            let upstream = json!({ "kind": "openai", "url": url, "apiKey": "${NOTES_KEY}" });
            let llm = json!({ "upstreams": { "far": upstream }, "models": { "*": "far/*" } });
            patient.configure_all(&json!({ "mcpServers": {}, "llm": llm }));
            patient.before = vec!["export NOTES_KEY=sk-of-nobody".to_owned()];
        },
        paste: Paste::Words("/llm/upstreams/far/apiKey"),
    },
    Fault {
        id: "nobody-listens",
        title: "no collector of telemetry listens",
        plant: |patient| {
            let otlp = format!("http://127.0.0.1:{}", patient.port);
            patient.configure_all(&json!({ "mcpServers": {}, "telemetry": { "otlp": otlp } }));
        },
        paste: Paste::Words("start the collector"),
    },
    Fault {
        id: "database-away",
        title: "the PostgreSQL database is not running",
        plant: |patient| {
            let store = format!("postgres://nobody@127.0.0.1:{}/calls", patient.port);
            patient.configure_all(&json!({ "mcpServers": {}, "store": store }));
        },
        paste: Paste::Words("start the database"),
    },
    Fault {
        id: "journal-damaged",
        title: "a record of the journal was changed",
        plant: |patient| {
            patient.history();
            let journal = std::fs::read_dir(patient.state("journal")).expect("journals").flatten().next();
            let files = std::fs::read_dir(journal.expect("one").path()).expect("files").flatten();
            let segment = files
                .map(|file| file.path())
                .find(|file| std::fs::read_to_string(file).is_ok_and(|text| text.contains("send_note")));
            let segment = segment.expect("a segment with the call");
            let text = std::fs::read_to_string(&segment).expect("read").replacen("send_note", "read_note", 1);
            std::fs::write(segment, text).expect("written");
        },
        paste: Paste::Shell,
    },
    Fault {
        id: "index-damaged",
        title: "the index is no database any more",
        plant: |patient| {
            patient.history();
            let files =
                std::fs::read_dir(patient.state("")).expect("files").flatten().map(|file| file.path());
            let index = files
                .into_iter()
                .find(|file| std::fs::read(file).is_ok_and(|bytes| bytes.starts_with(b"SQLite format 3")));
            std::fs::write(index.expect("an index"), "this is no database at all").expect("written");
        },
        paste: Paste::Shell,
    },
    Fault {
        id: "state-is-no-folder",
        title: "a file is where the state folder should be",
        plant: |patient| drop(patient.put(patient.home.path().join("state/toolwright"), "", 0o600)),
        paste: Paste::Shell,
    },
    Fault {
        id: "no-state-folder",
        title: "neither HOME nor XDG_STATE_HOME is set",
        plant: |patient| patient.before = vec!["unset HOME XDG_STATE_HOME".to_owned()],
        paste: Paste::Shell,
    },
    Fault {
        id: "port-taken",
        title: "another program has the port",
        plant: |patient| patient.port = patient.answering("404 Not Found"),
        paste: Paste::Beside,
    },
    Fault {
        id: "gateway-refuses-token",
        title: "the gateway that runs does not know the token",
        plant: |patient| {
            patient.port = patient.other_gateway(&[]);
            patient.kept("token", "tw_0123456789abcdef0123456789abcdef\n", 0o600);
        },
        paste: Paste::Words("start it anew: toolwright serve"),
    },
    Fault {
        id: "state-open",
        title: "others can look into the state folder",
        plant: |patient| {
            patient.kept("tokens.lock", "", 0o600);
            let open = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(patient.state(""), open).expect("opened");
        },
        paste: Paste::Shell,
    },
    Fault {
        id: "secret-open",
        title: "others can read the token",
        plant: |patient| drop(patient.kept("token", "tw_0123456789abcdef0123456789abcdef\n", 0o644)),
        paste: Paste::Shell,
    },
    Fault {
        id: "configuration-open",
        title: "others can read a configuration with secrets",
        plant: |patient| {
            let env = json!({ "API_KEY": "hunter2-hunter2", "TOOLS": TOOL, "CALLED": "/dev/null" });
            patient.configure(&json!({ "notes": patient.server(json!({ "env": env })) }));
            let open = std::fs::Permissions::from_mode(0o644);
            std::fs::set_permissions(patient.file("toolwright.json"), open).expect("opened");
        },
        paste: Paste::Shell,
    },
    Fault {
        id: "token-damaged",
        title: "the file of the token is empty",
        plant: |patient| drop(patient.kept("token", "\n", 0o600)),
        paste: Paste::Shell,
    },
    Fault {
        id: "seal-key-damaged",
        title: "the key of sessions is cut off",
        plant: |patient| drop(patient.kept("seal-key", "AAAA\n", 0o600)),
        paste: Paste::Shell,
    },
    Fault {
        id: "tokens-damaged",
        title: "the file of named tokens is no JSON",
        plant: |patient| drop(patient.kept("tokens.json", "{\"tokens\": [", 0o600)),
        paste: Paste::Shell,
    },
    Fault {
        id: "rules-mistake",
        title: "a rule has a type that there is not",
        plant: |patient| {
            let rules = r#"[{"id": "a", "tools": ["t"], "type": "param_dorp", "from": "x"}]"#;
            patient.put(patient.file("rules.json"), rules, 0o600);
            patient.flags = vec!["--rules".into(), "rules.json".into()];
        },
        paste: Paste::Words("param_drop"),
    },
    Fault {
        id: "learned-rules-damaged",
        title: "the file of learned rules is cut off",
        plant: |patient| drop(patient.kept("learned-rules.json", "[{\"id\":", 0o600)),
        paste: Paste::Shell,
    },
    Fault {
        id: "definitions-damaged",
        title: "what tools were agreed to be is cut off",
        plant: |patient| drop(patient.kept("definitions.json", "{\"ser", 0o600)),
        paste: Paste::Shell,
    },
    Fault {
        id: "clock-behind",
        title: "the clock is behind what was written before",
        plant: |patient| {
            let file = patient.kept("token", "tw_0123456789abcdef0123456789abcdef\n", 0o600);
            let later = std::time::SystemTime::now() + Duration::from_secs(2 * 86_400);
            std::fs::File::options()
                .append(true)
                .open(file)
                .and_then(|file| file.set_modified(later))
                .expect("set");
        },
        paste: Paste::WordsWith("timedatectl", |patient| {
            format!("touch {}", patient.state("token").display())
        }),
    },
    Fault {
        id: "few-files",
        title: "too few files may be open",
        plant: |patient| patient.before = vec!["ulimit -n 256".to_owned()],
        paste: Paste::Words("ulimit -Hn 16384"),
    },
];
