//! A gateway with servers that work and fail and a model's server, and a browser in front of it.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use tokio::time::timeout;
use toolwright_testkit::llm_upstream::LlmUpstream;
use toolwright_testkit::load::{GatewayPrograms, Served};

use crate::installed::{self, Browser};

/// Longer than any subject takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(240);

/// Models: two that call tools, and one that only says something.
const MODELS: [&str; 3] = ["s1", "s4", "nothing"];

/// All that a test needs. It ends with its owner.
pub struct Stage {
    pub gateway: Served,
    _upstream: LlmUpstream,
    browser: Browser,
    /// Where rules are, and where the browser keeps what it keeps.
    folder: TempDir,
}

/// A program of the browser's.
fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("browser").join(name)
}

/// The entry of a server that is what this says; `server.mjs` knows the words.
pub fn server(says: &Value) -> Value {
    json!({"command": installed::node(), "args": [script("server.mjs"), says.to_string()]})
}

/// Tools about notes: one that models get wrong, and one that always fails.
pub fn tools() -> Vec<Value> {
    let schema = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    let text = json!({"type": "string"});
    let note = json!({"recipient": text, "prose": text, "urgent": {"type": "boolean"}});
    vec![
        json!({"name": "send_note", "inputSchema": schema(note, json!(["recipient", "prose"]))}),
        json!({"name": "lose_note", "inputSchema": schema(json!({"id": {"type": "integer"}}), json!(["id"]))}),
    ]
}

/// A server with those tools, and one that never starts.
pub fn servers() -> Value {
    let notes =
        json!({"name": "notes", "tools": tools(), "fails": {"lose_note": "note 7 is gone"}, "says": "ready"});
    json!({
        "notes": server(&notes),
        "broken": {"command": "sh", "args": ["-c", "echo there is no database >&2; exit 3"]},
    })
}

impl Stage {
    /// The usual one, or nothing where there is no browser; then it says so.
    pub async fn set() -> Option<Stage> {
        Stage::set_with(servers(), json!([])).await
    }

    /// One with these servers and these rules.
    pub async fn set_with(servers: Value, rules: Value) -> Option<Stage> {
        let browser = match installed::browser() {
            Ok(browser) => browser,
            Err(reason) => {
                eprintln!("SKIPPED: no page was looked at, for a browser cannot be had: {reason}");
                return None;
            }
        };
        let folder = tempfile::tempdir().expect("a folder");
        let upstream = LlmUpstream::start().await.expect("a port");
        let entry =
            json!({"kind": "openai", "api": "chat", "url": format!("{}/v1", upstream.url), "apiKey": "key"});
        let configuration = json!({
            "builtinTools": true,
            "mcpServers": servers,
            "llm": {"upstreams": {"up": entry}, "models": {"*": "up/*"}},
        });
        let file = folder.path().join("rules.json");
        std::fs::write(&file, rules.to_string()).expect("written");
        let flags = ["--rate", "0", "--rules", file.to_str().expect("UTF-8")];
        let gateway = Served::start_behind(&programs(), &[], Some(&configuration), &flags, &[]);
        std::fs::write(gateway.folder().join("notes.md"), "buy milk\n").expect("written");
        Some(Stage { gateway, _upstream: upstream, browser, folder })
    }

    /// Lets the browser examine a subject, and gives what it has seen when there was no fault.
    pub async fn examine(&self, subject: &str, more: Value) -> Report {
        let screenshots = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("screenshots");
        std::fs::create_dir_all(&screenshots).expect("a folder");
        let mut order = json!({
            "modules": self.browser.modules,
            "chromium": self.browser.program,
            "url": url(&self.gateway),
            "link": link(&self.gateway),
            "token": self.gateway.token,
            "models": MODELS,
            "screenshots": screenshots,
        });
        if let (Some(order), Value::Object(more)) = (order.as_object_mut(), more) {
            order.extend(more);
        }
        let report = self.run(subject, &order).await;
        eprintln!("{subject}: {}", report["figures"]);
        let faults: Vec<&str> =
            report["faults"].as_array().expect("faults").iter().filter_map(Value::as_str).collect();
        assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
        Report(report)
    }

    async fn run(&self, subject: &str, order: &Value) -> Value {
        let mut command = Command::new(installed::node());
        command.arg(script("run.mjs")).arg(subject);
        // All that the browser leaves behind goes with this folder.
        for name in ["HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"] {
            command.env(name, self.folder.path());
        }
        let mut child = command
            .kill_on_drop(true)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("node starts");
        let asked = Duration::from_secs(order["seconds"].as_u64().unwrap_or(0));
        // It ends with its stdin, which is held until then.
        let mut stdin = child.stdin.take().expect("its stdin");
        stdin.write_all(format!("{order}\n").as_bytes()).await.expect("read");
        let output = timeout(PATIENCE + asked, child.wait_with_output())
            .await
            .expect("the browser ends")
            .expect("it runs");
        drop(stdin);
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
    }
}

/// What the browser tells.
pub struct Report(Value);

impl Report {
    /// What it has looked at.
    pub fn seen(&self, name: &str) -> &Value {
        &self.0["seen"][name]
    }

    /// A figure, in milliseconds.
    pub fn figure(&self, name: &str) -> f64 {
        self.0["figures"][name]
            .as_f64()
            .unwrap_or_else(|| panic!("there is no {name} in {}", self.0["figures"]))
    }
}

/// The programs of this build.
pub fn programs() -> GatewayPrograms {
    GatewayPrograms::beside(Path::new(env!("CARGO_BIN_EXE_load-server")))
}

/// The address of a gateway, without a path.
pub fn url(gateway: &Served) -> String {
    format!("http://{}", gateway.address)
}

/// A link that lets somebody in, once.
pub fn link(gateway: &Served) -> String {
    let (code, link, error) = gateway.run(&["dashboard", "--url", &url(gateway)]);
    assert_eq!(code, 0, "{error}");
    link.trim().to_owned()
}
