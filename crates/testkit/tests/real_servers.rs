//! Servers that others wrote, or that run on what others wrote, under supervision: each is reached in its
//! own era, lists its tools, answers, fails in its own words and ends with everything it started.

#[path = "../../../tests/servers/installed.rs"]
mod installed;
#[path = "real_servers/met.rs"]
mod met;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use installed::Server;
use met::{Met, text_of};
use toolwright_mcp::{Era, PeerOptions};

const MODERN: (Era, &str) = (Era::Modern, "2026-07-28");
const LEGACY: (Era, &str) = (Era::Legacy, "2025-11-25");

const ROOM_TOOLS: [&str; 9] = [
    "announce_change",
    "count_cancelled",
    "count_steps",
    "fail",
    "greet",
    "measureRoom",
    "name_roots",
    "summarize",
    "wait_long",
];

fn rmcp(era: &str) -> Server {
    installed::rmcp(Path::new(env!("CARGO_BIN_EXE_rmcp-server")), era)
}

/// A folder of its own, empty.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder.canonicalize().expect("a path")
}

#[tokio::test]
async fn everything_from_npm() {
    let server = Met::reach(installed::everything()).await;
    server.speaks(LEGACY);
    server.is_called("mcp-servers/everything");
    let tools = server.tools().await;
    assert_eq!(tools.len(), 13, "{tools:?}");
    for name in ["echo", "get-sum", "get-structured-content", "trigger-long-running-operation"] {
        assert!(tools.contains(&name.to_owned()), "{name} in {tools:?}");
    }
    assert_eq!(server.says("echo", r#"{"message":"hi"}"#).await, "Echo: hi");
    assert_eq!(server.says("get-sum", r#"{"a":2,"b":3}"#).await, "The sum of 2 and 3 is 5.");
    let weather = server.call("get-structured-content", r#"{"location":"Chicago"}"#).await;
    let structured = weather.get("structuredContent").expect("structured content");
    assert!(structured.get("temperature").is_some(), "{structured}");
    assert_eq!(
        server.fails("get-structured-content", r#"{"location":"Boston"}"#).await,
        "MCP error -32602: Input validation error: Invalid arguments for tool get-structured-content: \
         Invalid option: expected one of \"New York\"|\"Chicago\"|\"Los Angeles\" at location"
    );
    server.ends().await;
}

#[tokio::test]
async fn everything_from_npm_shows_its_progress_resources_and_prompts() {
    let server = Met::reach(installed::everything()).await;
    let arguments = r#"{"duration":0.3,"steps":3}"#;
    let (result, heard) = server.call_listening("trigger-long-running-operation", arguments).await;
    assert!(text_of(&result).contains("Long running operation completed"), "{result}");
    assert!(!heard.is_empty() && heard.iter().all(|progress| progress.contains(r#""total":3"#)), "{heard:?}");
    assert!(server.list("resources/list", "resources").await.len() > 3);
    assert!(server.list("prompts/list", "prompts").await.len() > 2);
    server.ends().await;
}

#[tokio::test]
async fn filesystem_from_npm() {
    let folder = scratch("real-filesystem");
    std::fs::write(folder.join("a.txt"), "first\nsecond\n").expect("written");
    let server = Met::reach(installed::filesystem(&folder)).await;
    server.speaks(LEGACY);
    let tools = server.tools().await;
    assert_eq!(tools.len(), 14, "{tools:?}");
    let path = folder.join("a.txt");
    let arguments = format!(r#"{{"path":"{}","head":1}}"#, path.display());
    assert_eq!(server.says("read_text_file", &arguments).await, "first");
    let refusal = server.fails("read_text_file", r#"{"path":"/etc/passwd"}"#).await;
    assert!(
        refusal.starts_with("Access denied - path outside allowed directories: /etc/passwd"),
        "{refusal}"
    );
    server.ends().await;
}

#[tokio::test]
async fn memory_from_npm() {
    let file = scratch("real-memory").join("graph.jsonl");
    let server = Met::reach(installed::memory(&file)).await;
    server.speaks(LEGACY);
    let tools = server.tools().await;
    assert_eq!(tools.len(), 9, "{tools:?}");
    let ada = r#"{"entities":[{"name":"Ada","entityType":"person","observations":["writes"]}]}"#;
    server.call("create_entities", ada).await;
    let graph = server.says("read_graph", "{}").await;
    assert!(graph.contains("Ada") && graph.contains("writes"), "{graph}");
    assert!(file.is_file(), "the variable of the server was not given to it");
    let nobody = r#"{"observations":[{"entityName":"Bob","contents":["x"]}]}"#;
    assert_eq!(server.fails("add_observations", nobody).await, "Entity with name Bob not found");
    server.ends().await;
}

#[tokio::test]
async fn time_from_pip() {
    let server = Met::reach(installed::time()).await;
    server.speaks(MODERN);
    server.is_called("mcp-time");
    assert_eq!(server.tools().await, ["convert_time", "get_current_time"]);
    let arguments = r#"{"source_timezone":"Europe/Berlin","target_timezone":"Asia/Tokyo","time":"16:30"}"#;
    let converted = server.says("convert_time", arguments).await;
    assert!(converted.contains("T16:30:00") && converted.contains("Asia/Tokyo"), "{converted}");
    assert_eq!(
        server.fails("get_current_time", r#"{"timezone":"Mars/Base"}"#).await,
        "Error executing tool get_current_time: Invalid timezone: 'No time zone found with key Mars/Base'"
    );
    server.ends().await;
}

#[tokio::test]
async fn git_from_pip() {
    let folder = scratch("real-git");
    let made = Command::new("git").args(["init", "--quiet", "--initial-branch=main"]).arg(&folder).status();
    assert!(made.expect("git runs").success());
    let server = Met::reach(installed::git()).await;
    server.speaks(MODERN);
    let tools = server.tools().await;
    assert_eq!(tools.len(), 12, "{tools:?}");
    let here = format!(r#"{{"repo_path":"{}"}}"#, folder.display());
    let status = server.says("git_status", &here).await;
    assert!(status.contains("On branch main") && status.contains("No commits yet"), "{status}");
    let refusal = server.fails("git_status", r#"{"repo_path":"/no/such/folder"}"#).await;
    assert_eq!(refusal, "Error executing tool git_status: /no/such/folder");
    server.ends().await;
}

/// What every server of ours does alike, whatever it is written with.
async fn measures_rooms(server: &Met) {
    assert_eq!(server.tools().await, ROOM_TOOLS);
    let room = r#"{"roomName":"hall","size":{"widthCm":400,"lengthCm":250},"labels":["a","b"]}"#;
    let measured = server.call("measureRoom", room).await;
    let structured = measured.get("structuredContent").expect("structured content");
    assert_eq!(
        structured.as_str(),
        r#"{"roomName":"hall","squareMeters":10.0,"isInside":true,"labelCount":2}"#
    );
    let failure = server.fails("fail", r#"{"reason":"the tape tore"}"#).await;
    assert!(failure.ends_with("the tape tore"), "{failure}");
    let (counted, heard) = server.call_listening("count_steps", r#"{"steps":3}"#).await;
    assert_eq!(text_of(&counted), "3 steps");
    let steps: Vec<bool> =
        (1..=3).map(|step| heard.iter().any(|said| said.contains(&format!("step {step}")))).collect();
    assert_eq!(steps, [true; 3], "{heard:?}");
    let welcome = server.request("resources/read", r#"{"uri":"memo://welcome"}"#).await;
    assert!(welcome.as_str().contains("Welcome."), "{welcome}");
    let templates = server.list("resources/templates/list", "resourceTemplates").await;
    assert_eq!(templates[0].get_text("uriTemplate").as_deref(), Some("memo://notes/{title}"));
    let review = server.request("prompts/get", r#"{"name":"review","arguments":{"language":"Rust"}}"#).await;
    assert!(review.as_str().contains("Review this Rust program."), "{review}");
}

#[tokio::test]
async fn a_server_on_the_first_python_sdk() {
    let server = Met::reach(installed::python_sdk_1()).await;
    server.speaks(LEGACY);
    measures_rooms(&server).await;
    server.asks_back().await;
    assert_eq!(server.heard("notifications/message"), 3);
    server.ends().await;
}

#[tokio::test]
async fn a_server_on_the_second_python_sdk() {
    let server = Met::reach(installed::python_sdk_2()).await;
    server.speaks(MODERN);
    measures_rooms(&server).await;
    server.asks_back().await;
    server.passes_questions_on().await;
    server.ends().await;
}

#[tokio::test]
async fn a_server_on_the_second_python_sdk_that_is_known_to_be_legacy() {
    let server = Met::reach_as(installed::python_sdk_2(), Some(Era::Legacy)).await;
    server.speaks(LEGACY);
    measures_rooms(&server).await;
    server.asks_back().await;
    server.ends().await;
}

#[tokio::test]
async fn a_server_on_rmcp_of_each_era() {
    for (era, spoken) in [("legacy", LEGACY), ("modern", MODERN), ("both", MODERN)] {
        let server = Met::reach(rmcp(era)).await;
        server.speaks(spoken);
        server.is_called("rmcp-server");
        measures_rooms(&server).await;
        server.asks_back().await;
        if spoken == MODERN {
            server.passes_questions_on().await;
        }
        server.ends().await;
    }
}

#[tokio::test]
async fn a_server_on_rmcp_over_http_of_each_era() {
    for (era, spoken) in [("legacy", LEGACY), ("modern", MODERN), ("both", MODERN)] {
        let server = Met::reach_over_http(rmcp(era)).await;
        server.speaks(spoken);
        measures_rooms(&server).await;
        server.asks_back().await;
        if spoken == MODERN {
            server.passes_questions_on().await;
        }
        server.ends().await;
    }
}

#[tokio::test]
async fn a_server_that_starts_slower_than_the_first_question_waits_is_not_put_off() {
    let servers = [
        (rmcp("legacy"), LEGACY),
        (rmcp("both"), LEGACY),
        // It has answered the question when it is initialized, and refuses that.
        (installed::python_sdk_2(), MODERN),
    ];
    for (inner, spoken) in servers {
        let line = format!("sleep 1; exec '{}' {}", inner.program.display(), inner.args.join(" "));
        let slow = Server { program: "sh".into(), args: vec!["-c".into(), line], ..inner };
        let options = PeerOptions { probe: Duration::from_millis(100), ..met::options() };
        let server = Met::reach_with(slow, options).await;
        server.speaks(spoken);
        assert_eq!(server.tools().await, ROOM_TOOLS);
        server.ends().await;
    }
}

#[tokio::test]
async fn what_a_program_starts_ends_with_it() {
    // As npx does it: a shell stays before the server and hands its pipes on.
    let inner = installed::everything();
    let line = format!("'{}'; exit $?", inner.program.display());
    let shell = Server { program: "sh".into(), args: vec!["-c".into(), line], ..inner };
    let server = Met::reach(shell).await;
    server.speaks(LEGACY);
    server.ends().await;
}
