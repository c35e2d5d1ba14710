//! `toolwright ask` with a real model behind it: SmolLM2 is made to call a tool of ours, gets the result and says something.

use std::process::{Command, Stdio};

use serde_json::{Value, json};
use toolwright_testkit::llm_upstream::Dialect;
use toolwright_testkit::load::GatewayPrograms;

use crate::model::model;
use crate::stage::entry;

#[tokio::test(flavor = "multi_thread")]
async fn a_real_model_that_is_asked_calls_a_tool_and_gets_its_result() {
    let Some(model) = model().await else { return };
    let programs = GatewayPrograms::beside(&std::path::PathBuf::from(env!("CARGO_BIN_EXE_llm-upstream")));
    let folder = tempfile::tempdir().expect("a folder");
    let mut upstream = entry(Dialect::Chat, &format!("http://127.0.0.1:{}", model.port));
    upstream["quirks"] = json!({"temperature": true});
    let configuration = json!({
        "llm": {"upstreams": {"local": upstream}, "models": {"*": "local/*"}},
        // At any other temperature the model is not to be led.
        "agent": {"model": "smollm2", "temperature": 0, "answerTokens": 120},
    });
    let file = folder.path().join("toolwright.json");
    std::fs::write(&file, configuration.to_string()).expect("written");
    std::fs::create_dir(folder.path().join("desk")).expect("made");
    std::fs::write(folder.path().join("desk/notes.md"), "buy milk\n").expect("written");
    let command = Command::new(&programs.toolwright)
        .args(["ask", "Read the file notes.md.", "--tool", "read_file", "--must-call", "read_file"])
        .args(["--max-rounds", "1", "--json", "--quiet", "--timeout", "300", "--config"])
        .arg(&file)
        .current_dir(folder.path().join("desk"))
        .env("XDG_STATE_HOME", folder.path().join("state"))
        .stdin(Stdio::null())
        .output();
    let output = tokio::task::block_in_place(|| command.expect("it runs"));
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    eprintln!("{stdout}\n{stderr}");
    let told: Value = serde_json::from_str(&stdout).expect("one document");
    let calls = told["calls"].as_array().expect("calls");
    assert!(!calls.is_empty(), "{told}");
    assert_eq!((&calls[0]["name"], &calls[0]["run"]), (&json!("files/read_file"), &json!(true)), "{told}");
    assert!(calls[0]["arguments"]["path"].is_string(), "{told}");
    assert_eq!((&told["provider"], &told["rounds"]), (&json!("openai"), &json!(2)), "{told}");
    assert!(told["tokens"]["output"].as_u64().is_some_and(|count| count > 0), "{told}");
    assert!(told["answer"].as_str().is_some_and(|answer| !answer.is_empty()), "{told}");
    assert!(output.status.success(), "{stderr}");
}
