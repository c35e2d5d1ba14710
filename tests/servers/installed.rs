//! Where the real servers and clients are that `cargo xtask test` installs. Every test that starts one includes this
//! file.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::path::{Path, PathBuf};

/// How a server is started.
#[derive(Clone, Debug)]
pub struct Server {
    /// What a user would call it.
    pub name: &'static str,
    pub program: PathBuf,
    pub args: Vec<String>,
    pub env: Vec<(String, String)>,
}

impl Server {
    fn new(name: &'static str, program: PathBuf) -> Server {
        Server { name, program, args: Vec::new(), env: Vec::new() }
    }

    fn arg(mut self, argument: impl AsRef<Path>) -> Server {
        self.args.push(argument.as_ref().to_str().expect("UTF-8").to_owned());
        self
    }
}

/// Every kind of thing that the protocol knows; npm.
pub fn everything() -> Server {
    Server::new("everything", npm("mcp-server-everything"))
}

/// Files below one folder; npm.
pub fn filesystem(folder: &Path) -> Server {
    Server::new("filesystem", npm("mcp-server-filesystem")).arg(folder)
}

/// A graph of facts, kept in this file; npm.
pub fn memory(file: &Path) -> Server {
    let mut server = Server::new("memory", npm("mcp-server-memory"));
    server.env.push(("MEMORY_FILE_PATH".into(), file.to_str().expect("UTF-8").into()));
    server
}

/// Times and zones; pip.
pub fn time() -> Server {
    Server::new("time", python("python-2", "mcp-server-time"))
}

/// Git; pip.
pub fn git() -> Server {
    Server::new("git", python("python-2", "mcp-server-git"))
}

/// Ours, on the first line of the Python SDK.
pub fn python_sdk_1() -> Server {
    Server::new("python-sdk-1", python("python-1", "python")).arg(script("python_sdk_1.py"))
}

/// Ours, on the second line of the Python SDK.
pub fn python_sdk_2() -> Server {
    Server::new("python-sdk-2", python("python-2", "python")).arg(script("python_sdk_2.py"))
}

/// Ours, on rmcp, of this era.
pub fn rmcp(program: &Path, era: &str) -> Server {
    let program = there(program.to_owned(), "`cargo build -p toolwright-testkit`");
    Server::new("rmcp", program).arg("--era").arg(era)
}

/// Something of the clients, by its path among what is installed.
pub fn client(path: &str) -> PathBuf {
    installed(path)
}

/// A program of ours on somebody's SDK, in `tests/clients`.
pub fn client_script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/clients").join(name)
}

/// A node that is new enough for the clients.
pub fn node() -> PathBuf {
    installed("npm-clients/node_modules/node/bin/node")
}

/// The model that is served for the tests, or why it cannot be had.
pub fn llm_model() -> Result<Server, String> {
    if let Some(reason) =
        peers().and_then(|peers| std::fs::read_to_string(peers.join("llm-model/cannot-be-had")).ok())
    {
        return Err(reason);
    }
    Ok(Server::new("llm-model", python("llm-model", "python")).arg(script("llm_model/serve.py")))
}

/// The Python that understands speech, where there is also what speaks; or why not.
pub fn speech() -> Result<PathBuf, String> {
    let missing = peers().and_then(|peers| std::fs::read_to_string(peers.join("speech/cannot-be-had")).ok());
    let has = |name: &&str| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|folder| folder.join(name).exists())
    };
    match (missing, ["espeak-ng", "sox"].iter().find(|name| !has(name))) {
        (Some(reason), _) => Err(reason),
        (None, Some(program)) => Err(format!("there is no {program}")),
        (None, None) => Ok(python("speech", "python")),
    }
}

/// The Python that has the SDKs of the LLM proxy's dialects.
pub fn llm_python() -> PathBuf {
    python("llm-clients", "python")
}

/// The folder with the AI SDK.
pub fn llm_node_modules() -> PathBuf {
    installed("npm-llm-clients/node_modules")
}

/// A browser, and the folder with what drives it.
#[derive(Clone, Debug)]
pub struct Browser {
    pub program: PathBuf,
    pub modules: PathBuf,
}

/// The browser for the tests of the pages, or why it cannot be had.
pub fn browser() -> Result<Browser, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut programs = std::env::split_paths(&path).map(|folder| folder.join("chromium"));
    let program = programs.find(|program| program.exists()).ok_or("there is no chromium on the path")?;
    if let Some(reason) =
        peers().and_then(|peers| std::fs::read_to_string(peers.join("npm-browser/cannot-be-had")).ok())
    {
        return Err(reason);
    }
    Ok(Browser { program, modules: installed("npm-browser/node_modules") })
}

fn npm(program: &str) -> PathBuf {
    installed(&format!("npm/node_modules/.bin/{program}"))
}

fn python(environment: &str, program: &str) -> PathBuf {
    installed(&format!("{environment}/bin/{program}"))
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/servers").join(name)
}

fn installed(path: &str) -> PathBuf {
    let path = peers().unwrap_or_else(|| Path::new(env!("CARGO_TARGET_TMPDIR")).join("peers")).join(path);
    there(path, "`cargo xtask test`")
}

fn peers() -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    target.ancestors().map(|folder| folder.join("peers")).find(|peers| peers.is_dir())
}

fn there(path: PathBuf, brings: &str) -> PathBuf {
    assert!(
        path.exists(),
        "{} is not installed: run {brings} once, it brings the servers and clients of the tests",
        path.display()
    );
    path
}
