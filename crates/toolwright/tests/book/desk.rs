//! Where the examples of a page are run: a folder that is its home too, a state and a port of its own, and programs of the
//! names that people have on their path. Whatever was started there ends with it.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;
use tokio::runtime::Runtime;
use toolwright_testkit::llm_upstream::{LlmUpstream, Said};

use super::compare::without_times;
use crate::servers_end_to_end::installed as servers;

/// What stands on pages for the port of the gateway.
const PORT: &str = "8484";

/// How long one block may take, in seconds.
const PATIENCE: &str = "180";

/// The model that pages ask, and what it says to everything.
const MODEL: &str = "qwen3:8b";
const ANSWER: &str = "You want to buy bread.";

/// What a block left behind.
pub struct Done {
    pub code: i32,
    /// Standard output and standard error as they came, in the words of the page.
    pub printed: String,
}

pub struct Desk {
    root: TempDir,
    /// Where blocks are run.
    folder: PathBuf,
    port: u16,
    /// Groups of processes, one for each block.
    groups: Vec<u32>,
    upstream: LlmUpstream,
    _runtime: Runtime,
}

impl Drop for Desk {
    fn drop(&mut self) {
        let beside = fs::read_to_string(self.state().join("pids")).unwrap_or_default();
        let groups = self.groups.iter().map(|group| format!("-{group}"));
        let ids = beside.lines().map(str::to_owned).chain(groups);
        for id in ids {
            // One that has ended by itself is as good.
            let _ = Command::new("kill").args(["-TERM", "--", &id]).stderr(Stdio::null()).status();
        }
    }
}

impl Desk {
    /// The desk of a page, with what `book/before` puts there first.
    pub fn new(page: &str) -> Desk {
        let root = tempfile::tempdir().expect("a folder");
        let real = fs::canonicalize(root.path()).expect("a path");
        for name in ["desk", "state", "run", "bin", "tmp"] {
            fs::create_dir(real.join(name)).expect("a folder");
        }
        fs::set_permissions(real.join("run"), fs::Permissions::from_mode(0o700)).expect("a mode");
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime");
        let upstream = runtime.block_on(LlmUpstream::start()).expect("a port");
        upstream.script(MODEL, vec![Said::text(ANSWER); 32]);
        let port = free_port();
        let mut desk =
            Desk { folder: real.join("desk"), root, port, groups: Vec::new(), upstream, _runtime: runtime };
        desk.install();
        let before =
            beside_us("before").join(format!("{}.sh", page.trim_end_matches(".md").replace('/', ".")));
        if let Ok(script) = fs::read_to_string(&before) {
            let done = desk.run(&format!("set -e\n{script}"));
            assert_eq!(done.code, 0, "{}: {}", before.display(), done.printed);
        }
        desk
    }

    /// Where its gateway listens.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Runs a script there; what goes on beside it goes on until the desk is left.
    pub fn run(&mut self, script: &str) -> Done {
        let (file, out) = (self.state().join("script"), self.state().join("out"));
        fs::write(&file, format!("exec 2>&1\n{}", self.in_our_words(script))).expect("written");
        // A file and no pipe: what goes on beside would keep a pipe open.
        let printed = fs::File::create(&out).expect("a file");
        let mut child = self.shell().arg(&file).stdout(printed).spawn().expect("a shell");
        self.groups.push(child.id());
        let status = child.wait().expect("it ends");
        let printed = fs::read(&out).expect("what was printed");
        Done {
            code: status.code().unwrap_or(-1),
            printed: self.in_words_of_the_page(&String::from_utf8_lossy(&printed)),
        }
    }

    fn shell(&self) -> Command {
        let mut shell = Command::new("timeout");
        let path = std::env::var("PATH").unwrap_or_default();
        shell
            .args(["--kill-after=5", PATIENCE, "sh"])
            .current_dir(&self.folder)
            .env_clear()
            .env("PATH", format!("{}:{path}", self.path("bin").display()))
            .env("HOME", &self.folder)
            .env("PWD", &self.folder)
            .env("XDG_STATE_HOME", self.state())
            .env("XDG_RUNTIME_DIR", self.path("run"))
            .env("TMPDIR", self.path("tmp"))
            .env("LANG", "C.UTF-8")
            .env("TZ", "UTC")
            .env("USER", "ann")
            .env("NO_COLOR", "1")
            .env("OLLAMA_HOST", self.upstream.url.trim_start_matches("http://"))
            .env("BOOK_TOOLWRIGHT", env!("CARGO_BIN_EXE_toolwright"))
            .env("BOOK_PORT", self.port.to_string())
            .env("BOOK_STATE", self.state())
            .env("BOOK_PROJECT", super::root())
            .env("BOOK_UPSTREAM", &self.upstream.url)
            .stdin(Stdio::null());
        shell
    }

    /// Programs of the names that pages use. Servers are those that the tests install.
    fn install(&self) {
        for entry in fs::read_dir(beside_us("bin")).expect("the programs of the book") {
            let entry = entry.expect("an entry");
            self.program(
                &entry.file_name().to_string_lossy(),
                &fs::read_to_string(entry.path()).expect("a script"),
            );
        }
        let memory = self.state().join("memory.jsonl");
        let all = [servers::everything(), servers::memory(&memory), servers::time(), servers::git()];
        for server in all.into_iter().chain([servers::filesystem(&self.folder)]) {
            // What comes behind the package's name is the page's.
            let env: String = server.env.iter().map(|(key, value)| format!("{key}='{value}' ")).collect();
            self.program(
                &format!("book-server-{}", server.name),
                &format!("#!/bin/sh\n{env}exec '{}' \"$@\"\n", server.program.display()),
            );
        }
        let notes = crate::notes::configuration(&serde_json::json!({}));
        fs::write(self.state().join("notes.json"), notes).expect("written");
        self.program("python", &format!("#!/bin/sh\nexec '{}' \"$@\"\n", servers::llm_python().display()));
    }

    fn program(&self, name: &str, text: &str) {
        let path = self.path("bin").join(name);
        fs::write(&path, text).expect("written");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a mode");
    }

    /// The script with our port, without `&` behind what goes on beside anyway, and with words that only this run knows.
    fn in_our_words(&self, script: &str) -> String {
        let mut script = script.replace(PORT, &self.port.to_string());
        for line in fs::read_to_string(self.state().join("words")).unwrap_or_default().lines() {
            let (word, value) = line.split_once('=').expect("WORD=value");
            script = whole_words(&script, word, value);
        }
        script
            .replace("toolwright voice &", "toolwright voice")
            .replace("toolwright serve &", "toolwright serve")
    }

    fn in_words_of_the_page(&self, printed: &str) -> String {
        let mut printed = without_times(printed)
            .replace(&self.folder.display().to_string(), "ROOT")
            .replace(env!("CARGO_BIN_EXE_toolwright"), "/usr/local/bin/toolwright")
            .replace(&format!(":{}", self.port), &format!(":{PORT}"));
        for line in fs::read_to_string(self.state().join("spoken")).unwrap_or_default().lines() {
            let (value, word) = line.split_once('=').expect("value=word");
            printed = printed.replace(value, word);
        }
        printed
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.with_file_name(name)
    }

    fn state(&self) -> PathBuf {
        debug_assert!(self.root.path().exists());
        self.path("state")
    }
}

fn beside_us(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/book").join(name)
}

/// A port that nobody has now. Who takes it in between makes the test fail, and nothing else.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

fn whole_words(text: &str, word: &str, value: &str) -> String {
    let is_part = |char: Option<char>| char.is_some_and(|char| char.is_alphanumeric() || char == '_');
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let (before, behind) = (&rest[..at], &rest[at + word.len()..]);
        out.push_str(before);
        let is_whole = !is_part(out.chars().next_back()) && !is_part(behind.chars().next());
        out.push_str(if is_whole { value } else { word });
        rest = behind;
    }
    out + rest
}
