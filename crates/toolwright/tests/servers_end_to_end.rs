//! `toolwright call server/tool` with real servers: a call as a model wrote it, mended by the server's own
//! schema, and beside every mended mistake one that looks like it and must not reach the server.

#[path = "../../../tests/servers/installed.rs"]
pub mod installed;
use crate::program;

use std::path::{Path, PathBuf};
use std::process::Command;

use installed::Server;
use program::command;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

/// A user's configuration with one server, in a folder of its own.
struct Desk {
    folder: TempDir,
    server: &'static str,
}

impl Desk {
    fn with(folder: TempDir, server: Server) -> Desk {
        let entry = json!({"command": server.program, "args": server.args, "env": Map::from_iter(
            server.env.into_iter().map(|(name, value)| (name, Value::from(value))))});
        let text = json!({"mcpServers": {server.name: entry}}).to_string();
        std::fs::write(folder.path().join("servers.json"), text).expect("written");
        Desk { folder, server: server.name }
    }

    fn new(server: Server) -> Desk {
        Desk::with(folder(), server)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let mut command = command(arguments);
        command.arg("--config").arg(self.path("servers.json"));
        // What lasts from run to run lasts in this test only.
        command.env("XDG_STATE_HOME", self.path("state")).env("XDG_RUNTIME_DIR", self.folder.path());
        let output = command.output().expect("the program ends");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
    }

    fn call(&self, tool: &str, arguments: &Value) -> Value {
        let name = format!("{}/{tool}", self.server);
        let (code, stdout, stderr) = self.run(&["call", &name, &arguments.to_string(), "--json"]);
        let answer: Value =
            serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{name}: {stdout}{stderr}"));
        assert_eq!(code, i32::from(answer["ok"] != true), "{answer}");
        answer
    }

    /// A call that is mended in these ways and then answered; what it says.
    fn mended(&self, tool: &str, sent: &Value, got: &Value, codes: &[&str]) -> String {
        let answer = self.call(tool, sent);
        assert_eq!(answer["ok"], true, "{answer}");
        assert_eq!(&answer["arguments"], got, "{answer}");
        let changes = answer["changes"].as_array().expect("changes");
        let mut done: Vec<&str> = changes.iter().filter_map(|change| change["code"].as_str()).collect();
        done.sort_unstable();
        assert_eq!(done, codes, "{answer}");
        answer["text"].as_str().expect("text").to_owned()
    }

    /// A call that reaches no server; the code of its first problem.
    fn refused(&self, tool: &str, sent: &Value, code: &str) {
        let answer = self.call(tool, sent);
        assert_eq!((&answer["ok"], &answer["run"]), (&json!(false), &json!(false)), "{answer}");
        assert_eq!(answer["error"]["problems"][0]["code"], code, "{answer}");
    }

    /// A call that the tool itself answers with an error: its own words arrive.
    fn failed(&self, tool: &str, sent: &Value) -> String {
        let answer = self.call(tool, sent);
        assert_eq!((&answer["ok"], &answer["run"]), (&json!(false), &json!(true)), "{answer}");
        answer["error"]["details"].as_str().expect("details").to_owned()
    }
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

/// The server of the testkit, which the build puts beside the program.
fn rmcp(era: &str) -> Server {
    let beside = Path::new(env!("CARGO_BIN_EXE_toolwright")).with_file_name("rmcp-server");
    installed::rmcp(&beside, era)
}

#[test]
fn everything_from_npm() {
    let desk = Desk::new(installed::everything());
    let said = desk.mended("echo", &json!({"msg": "hi"}), &json!({"message": "hi"}), &["N4"]);
    assert_eq!(said, "Echo: hi");
    let sent = json!({"message_type": "SUCCESS", "include_image": "false"});
    let got = json!({"messageType": "success", "includeImage": false});
    desk.mended("get-annotated-message", &sent, &got, &["N1", "N1", "T1", "V1"]);
    let said =
        desk.mended("getSum", &json!({"a": "2", "b": "3"}), &json!({"a": 2, "b": 3}), &["F2", "T1", "T1"]);
    assert_eq!(said, "The sum of 2 and 3 is 5.");
    desk.refused("get-sum", &json!({"a": "2", "b": "3 apples"}), "R8");
    desk.refused("get-structured-content", &json!({"location": "Boston"}), "R4");
}

#[test]
fn filesystem_from_npm() {
    let files = folder();
    let root = files.path().canonicalize().expect("a path");
    let file = root.join("a.txt");
    std::fs::write(&file, "first\nsecond\n").expect("written");
    let desk = Desk::new(installed::filesystem(&root));
    let sent = json!({"file_path": file, "head": "1"});
    let said = desk.mended("read_text_file", &sent, &json!({"path": file, "head": 1}), &["N4", "T1"]);
    assert_eq!(said, "first");
    let edits = json!([{"oldText": "first", "newText": "erst"}]);
    let sent = json!({"path": file, "edits": edits.to_string(), "dry_run": "false"});
    let got = json!({"path": file, "edits": edits, "dryRun": false});
    desk.mended("edit_file", &sent, &got, &["N1", "T1", "T2"]);
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), "erst\nsecond\n");
    // It overwrites, so what would have to be guessed is asked.
    desk.refused("write_file", &json!({"filename": file, "text": "gone"}), "R11");
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), "erst\nsecond\n");
    let said = desk.failed("read_text_file", &json!({"path": "/etc/passwd"}));
    assert!(said.starts_with("Access denied - path outside allowed directories: /etc/passwd"), "{said}");
}

#[test]
fn memory_from_npm() {
    let kept = folder();
    let desk = Desk::new(installed::memory(&kept.path().join("graph.jsonl")));
    let ada = json!([{"name": "Ada", "entityType": "person", "observations": ["writes"]}]);
    let sent = json!({"entities": ada.to_string()});
    desk.mended("create_entities", &sent, &json!({"entities": ada}), &["T2"]);
    let bob = json!({"name": "Bob", "entity_type": "person", "observations": "reads"});
    let got = json!({"entities": [{"name": "Bob", "entityType": "person", "observations": ["reads"]}]});
    desk.mended("create_entities", &json!({"entities": [bob]}), &got, &["N1", "T4"]);
    let graph = desk.mended("search_nodes", &json!({"q": "Ada"}), &json!({"query": "Ada"}), &["N4"]);
    assert!(graph.contains("writes"), "{graph}");
    desk.refused("create_entities", &json!({"entities": [{"name": "Eve", "observations": ["x"]}]}), "R1");
    let nobody = json!({"observations": [{"entityName": "Eve", "contents": ["x"]}]});
    assert_eq!(desk.failed("add_observations", &nobody), "Entity with name Eve not found");
}

#[test]
fn time_from_pip() {
    let desk = Desk::new(installed::time());
    let berlin = json!({"timezone": "Europe/Berlin"});
    let said = desk.mended("get_current_time", &json!({"tz": "Europe/Berlin"}), &berlin, &["N4"]);
    assert!(said.contains("Europe/Berlin"), "{said}");
    let sent = json!({"from_timezone": "Europe/Berlin", "to_timezone": "Asia/Tokyo", "time": "16:30"});
    let got = json!({"source_timezone": "Europe/Berlin", "target_timezone": "Asia/Tokyo", "time": "16:30"});
    let said = desk.mended("convert_time", &sent, &got, &["N4", "N4"]);
    assert!(said.contains("Asia/Tokyo"), "{said}");
    // One zone for two places.
    desk.refused("convert_time", &json!({"timezone": "Europe/Berlin", "time": "16:30"}), "R1");
    let said = desk.failed("get_current_time", &json!({"timezone": "Mars/Base"}));
    assert!(said.contains("No time zone found with key Mars/Base"), "{said}");
}

#[test]
fn git_from_pip() {
    let repository = folder();
    let path = repository.path();
    let made = Command::new("git").args(["init", "--quiet", "--initial-branch=main"]).arg(path).status();
    assert!(made.expect("git runs").success());
    std::fs::write(path.join("a.txt"), "a").expect("written");
    let desk = Desk::new(installed::git());
    let said = desk.mended("git_status", &json!({"path": path}), &json!({"repo_path": path}), &["N4"]);
    assert!(said.contains("On branch main") && said.contains("a.txt"), "{said}");
    let got = json!({"repo_path": path, "files": ["a.txt"]});
    desk.mended("git_add", &json!({"repoPath": path, "files": "a.txt"}), &got, &["N1", "T4"]);
    // A file is no repository.
    desk.refused("git_reset", &json!({"file": "a.txt"}), "R1");
    desk.refused("git_log", &json!({"repo_path": path, "max_count": "a few"}), "R8");
    let said = desk.failed("git_status", &json!({"repo_path": "/no/such/folder"}));
    assert!(said.contains("/no/such/folder"), "{said}");
}

/// What every server of ours takes and does not take.
fn measures_rooms(desk: &Desk) {
    let size = json!({"width_cm": "400", "length_cm": "250", "is_inside": "no"});
    let got = json!({"roomName": "hall", "size": {"widthCm": 400, "lengthCm": 250, "isInside": false}});
    let codes = ["N1", "N1", "N1", "N1", "T1", "T1", "T1"];
    let said = desk.mended("measureRoom", &json!({"room_name": "hall", "size": size}), &got, &codes);
    assert!(said.contains("squareMeters") && said.contains("10"), "{said}");
    // Written flat, and the tool's name in another form.
    let got = json!({"roomName": "hall", "size": {"widthCm": 400, "lengthCm": 250}});
    let sent = json!({"roomName": "hall", "widthCm": 400, "lengthCm": 250});
    desk.mended("measure_room", &sent, &got, &["E2", "F2"]);
    // A height is no length, and four metres are not 4.
    let sent = json!({"roomName": "hall", "size": {"widthCm": 400, "heightCm": 250}});
    desk.refused("measureRoom", &sent, "R1");
    let sent = json!({"roomName": "hall", "size": {"widthCm": "4 m", "lengthCm": 250}});
    desk.refused("measureRoom", &sent, "R8");
    let said = desk.failed("fail", &json!({"reason": "the tape tore"}));
    assert!(said.contains("the tape tore"), "{said}");
}

#[test]
fn a_server_on_the_first_python_sdk() {
    measures_rooms(&Desk::new(installed::python_sdk_1()));
}

#[test]
fn a_server_on_the_second_python_sdk() {
    measures_rooms(&Desk::new(installed::python_sdk_2()));
}

#[test]
fn a_server_on_rmcp_of_each_era() {
    for era in ["legacy", "modern"] {
        measures_rooms(&Desk::new(rmcp(era)));
    }
}

#[test]
fn a_server_shows_its_state_and_its_tools() {
    let desk = Desk::new(installed::everything());
    let (code, stdout, stderr) = desk.run(&["servers", "--json"]);
    let views: Value = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stdout}{stderr}"));
    assert_eq!((code, stderr.as_str()), (0, ""));
    let view = views.as_array().and_then(|views| views.first()).expect("one server");
    assert_eq!(
        (&view["name"], &view["state"], &view["transport"]),
        (&json!("everything"), &json!("ready"), &json!("stdio"))
    );
    assert_eq!((&view["era"], &view["protocol_version"]), (&json!("legacy"), &json!("2025-11-25")));
    assert_eq!((&view["tools"], &view["noise"], &view["last_error"]), (&json!(13), &json!(0), &Value::Null));
    let (code, stdout, stderr) = desk.run(&["tools"]);
    assert_eq!(code, 0, "{stderr}");
    for tool in ["echo", "get-structured-content"] {
        assert!(stdout.lines().any(|line| line.contains(tool) && line.contains("everything")), "{stdout}");
    }
}
