//! Every call in the pages of the built-in tools is run, in a folder of its own for each page.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot prepare itself stops")]

use crate::search_web_support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use search_web_support::{Reply, Server};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use toolwright_builtin_tools::{
    BuiltinConfig, BuiltinTool, Clock, FilesConfig, ProviderConfig, SearchConfig, VolumeConfig, builtin_tools,
};
use toolwright_normalizer::Tool;

/// What a page holds.
enum Block<'a> {
    File { name: &'a str, contents: String },
    Call { line: usize, text: &'a str },
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tools")
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    let mut contents = String::new();
    for (number, line) in page.lines().enumerate() {
        if let Some(mark) = line.strip_prefix("```") {
            if let Some(name) = fence.and_then(|fence| fence.strip_prefix("file ")) {
                found.push(Block::File { name, contents: std::mem::take(&mut contents) });
            }
            fence = if fence.is_some() { None } else { Some(mark) };
        } else if fence == Some("call") {
            found.push(Block::Call { line: number + 1, text: line });
        } else if fence.is_some_and(|fence| fence.starts_with("file ")) {
            contents.push_str(line);
            contents.push('\n');
        }
    }
    found
}

/// A speaker at 40 percent, a search engine with one answer, noon in UTC, and a folder for files.
struct Stand {
    root: tempfile::TempDir,
    _bin: tempfile::TempDir,
    _server: Server,
    tools: Vec<BuiltinTool>,
    runtime: Runtime,
}

impl Stand {
    fn new() -> Stand {
        let (root, bin) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        install_speaker(bin.path());
        let answer = json!({"results": [
            {"url": "https://rust-lang.org/", "title": "Rust", "content": "A language empowering everyone"}
        ]});
        let server = Server::new(Reply::Say(200, answer.to_string()));
        let config = BuiltinConfig {
            timezone: Some("UTC".to_owned()),
            clock: Clock::new(|| "2026-11-16T12:00:00Z".parse().unwrap()),
            search: SearchConfig {
                provider: Some(ProviderConfig::SearxNg { url: server.url.clone() }),
                ..SearchConfig::default()
            },
            volume: VolumeConfig { path: Some(bin.path().as_os_str().to_owned()) },
            files: FilesConfig { roots: vec![root.path().to_owned()], ..FilesConfig::default() },
        };
        let tools = builtin_tools(&config).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Stand { root, _bin: bin, _server: server, tools, runtime }
    }

    fn put(&self, name: &str, contents: &str) {
        let path = self.root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }

    fn check(&self, example: &str) -> Result<(), String> {
        let example: Value = serde_json::from_str(example).map_err(|error| error.to_string())?;
        let name = example["tool"].as_str().unwrap_or_default();
        let tool = self.tools.iter().find(|tool| tool.definition.name == name).ok_or("no such tool")?;
        let arguments = example["arguments"].to_string();
        if !Tool::compile(&tool.definition).unwrap().accepts(&arguments) {
            return Err("the schema does not accept the arguments".to_owned());
        }
        let done = self.runtime.block_on(Arc::clone(&tool.function).call(arguments));
        let (words, said) = match (&example["result_contains"], &example["error_contains"], done) {
            (Value::String(words), Value::Null, Ok(output)) => (words, output.text),
            (Value::Null, Value::String(words), Err(failure)) => (words, failure.to_string()),
            (_, _, done) => return Err(format!("another outcome was expected than {done:?}")),
        };
        if said.contains(words.as_str()) { Ok(()) } else { Err(format!("{words:?} is not in {said:?}")) }
    }
}

fn install_speaker(bin: &Path) {
    let script = format!(
        "#!/bin/sh\nPATH=/usr/bin:/bin\ncd '{}'\ncase \"$1\" in\n\
         get-volume) printf 'Volume: 0.%s%s\\n' \"$(cat level)\" \"$(cat muted)\" ;;\n\
         set-volume) printf '%s' \"${{5%\\%}}\" > level ;;\n\
         set-mute) printf ' [MUTED]' > muted ;;\nesac\n",
        bin.display()
    );
    fs::write(bin.join("level"), "40").unwrap();
    fs::write(bin.join("muted"), "").unwrap();
    fs::write(bin.join("wpctl"), script).unwrap();
    fs::set_permissions(bin.join("wpctl"), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn every_built_in_tool_has_a_page_whose_examples_work() {
    let mut wrong = Vec::new();
    for tool in Stand::new().tools {
        let name = tool.definition.name;
        let page = fs::read_to_string(folder().join(format!("{name}.md"))).expect(&name);
        let stand = Stand::new();
        let mut own = 0;
        for block in blocks(&page) {
            match block {
                Block::File { name, contents } => stand.put(name, &contents),
                Block::Call { line, text } => {
                    own += usize::from(text.contains(&format!("\"tool\":\"{name}\"")));
                    if let Err(reason) = stand.check(text) {
                        wrong.push(format!("{name}.md:{line}: {reason}"));
                    }
                }
            }
        }
        assert!(own > 0, "{name}.md has no example of its own tool");
        let schema: Value = serde_json::from_str(&tool.definition.input_schema).unwrap();
        for parameter in schema["properties"].as_object().unwrap().keys() {
            assert!(page.contains(&format!("`{parameter}`")), "{name}.md says nothing of {parameter}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
