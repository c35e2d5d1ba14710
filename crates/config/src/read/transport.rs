//! The transport of a server: a command or an address.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use toolwright_base::{closest_name, fold_name};
use toolwright_jsonrpc::raw::{Member, Node, quote};

use super::checks::{Check, check_address, check_header, check_variable};
use super::fields::is_secret_variable;
use super::{ConfigReader, non_null_value};
use crate::locate::under_home;
use crate::{HttpKind, Transport};

/// The values of `type` and `transport`, with their meanings.
const WORDS: &[(&str, DeclaredTransport)] = &[
    ("stdio", DeclaredTransport::Command),
    ("local", DeclaredTransport::Command),
    ("process", DeclaredTransport::Command),
    ("command", DeclaredTransport::Command),
    ("http", DeclaredTransport::Address(HttpKind::Auto)),
    ("https", DeclaredTransport::Address(HttpKind::Auto)),
    ("remote", DeclaredTransport::Address(HttpKind::Auto)),
    ("url", DeclaredTransport::Address(HttpKind::Auto)),
    ("streamable-http", DeclaredTransport::Address(HttpKind::Streamable)),
    ("streamable", DeclaredTransport::Address(HttpKind::Streamable)),
    ("http-streamable", DeclaredTransport::Address(HttpKind::Streamable)),
    ("http-stream", DeclaredTransport::Address(HttpKind::Streamable)),
    ("sse", DeclaredTransport::Address(HttpKind::Sse)),
    ("http-sse", DeclaredTransport::Address(HttpKind::Sse)),
    ("http+sse", DeclaredTransport::Address(HttpKind::Sse)),
];

const COMMAND_KEYS: &[&str] = &["args", "env", "environment", "env_from", "envFrom", "cwd"];
const ADDRESS_KEYS: &[&str] = &["headers", "oauth"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum DeclaredTransport {
    Command,
    Address(HttpKind),
}

impl<'t> ConfigReader<'t, '_> {
    pub(super) fn transport(&mut self, server: &Member<'t>, members: &'t [Member<'t>]) -> Option<Transport> {
        let command = non_null_value(members, "command");
        let url = self.one_of(members, &["url", "httpUrl", "serverUrl", "baseUrl"]);
        // Some clients write an empty string for the key that does not apply.
        let (command, url) = match (command, url) {
            (Some(command), Some(url)) if is_blank(&command) != is_blank(&url.value) => {
                (Some(command).filter(|node| !is_blank(node)), Some(url).filter(|url| !is_blank(&url.value)))
            }
            both => both,
        };
        let is_misspelled = self.check_server_keys(members, command.is_some() || url.is_some());
        let declared = self.declared_transport(members);
        match (command, url, declared) {
            (Some(command), None, declared) => {
                if let Some(DeclaredTransport::Address(_)) = declared {
                    self.contradiction(
                        members,
                        "the type needs a \"url\", and there is a \"command\"",
                        "write \"stdio\"",
                    );
                }
                self.warn_unused(members, ADDRESS_KEYS, "by a server that is started by a command");
                self.stdio(&command, members)
            }
            (None, Some(url), declared) => {
                if declared == Some(DeclaredTransport::Command) {
                    self.contradiction(
                        members,
                        "the type needs a \"command\", and there is a \"url\"",
                        "write \"http\"",
                    );
                }
                self.warn_unused(members, COMMAND_KEYS, "by a server that is reached by a url");
                let kind =
                    if let Some(DeclaredTransport::Address(kind)) = declared { kind } else { HttpKind::Auto };
                self.http(&url, members, kind)
            }
            (Some(command), Some(url), Some(DeclaredTransport::Command)) => {
                self.warn_unused(members, &[url.key, "headers"], "by a server that is started by a command");
                self.stdio(&command, members)
            }
            (Some(_), Some(url), Some(DeclaredTransport::Address(kind))) => {
                self.warn_unused(members, &["command"], "by a server that is reached by a url");
                self.warn_unused(members, COMMAND_KEYS, "by a server that is reached by a url");
                self.http(&url, members, kind)
            }
            (Some(_), Some(url), None) => {
                let message = format!("there is a \"command\" and a {}: which one is it?", quote(url.key));
                self.collector.error_at_key(
                    url.raw_key(),
                    message,
                    "remove one of them, or say \"type\": \"stdio\" or \"http\"",
                );
                None
            }
            (None, None, declared) => {
                if !is_misspelled {
                    self.report_missing_transport(server, members, declared);
                }
                self.check_other_keys(members);
                None
            }
        }
    }

    /// Checks the other keys of a server without a transport, so that all problems are reported at once.
    fn check_other_keys(&mut self, members: &'t [Member<'t>]) {
        if let Some(node) = non_null_value(members, "args") {
            self.texts(&node, "args");
        }
        for (key, check) in [("env", check_variable as fn(&str, &str) -> Check), ("headers", check_header)] {
            if let Some(node) = non_null_value(members, key) {
                self.pairs(&node, key, check);
            }
        }
    }

    fn report_missing_transport(
        &mut self,
        server: &Member<'t>,
        members: &'t [Member<'t>],
        declared: Option<DeclaredTransport>,
    ) {
        let (message, fix) = match declared {
            Some(DeclaredTransport::Command) => {
                ("a server of this type needs a \"command\"", "add \"command\": \"…\"")
            }
            Some(DeclaredTransport::Address(_)) => {
                ("a server of this type needs a \"url\"", "add \"url\": \"https://…\"")
            }
            None if members.is_empty() => (
                "the server's entry is empty",
                "add \"command\": \"…\" or \"url\": \"https://…\", or remove it",
            ),
            None if non_null_value(members, "args").is_some() => {
                ("a server needs a \"command\" for its \"args\"", "add \"command\": \"…\"")
            }
            None => (
                "a server needs a \"command\" or a \"url\"",
                "add \"command\": \"…\" or \"url\": \"https://…\"",
            ),
        };
        self.collector.error_at_key(server.raw_key(), message, fix);
    }

    fn contradiction(&mut self, members: &'t [Member<'t>], message: &str, fix: &str) {
        let node = non_null_value(members, "type").or_else(|| non_null_value(members, "transport"));
        if let Some(node) = node {
            self.collector.error(&node, message, fix);
        }
    }

    /// The transport in `type` or `transport`.
    fn declared_transport(&mut self, members: &'t [Member<'t>]) -> Option<DeclaredTransport> {
        let node = self.one_of(members, &["type", "transport"])?.value;
        let word = self.text(&node, "the type of a server")?;
        let plain = fold_name(&word);
        let known = WORDS.iter().find(|(known, _)| fold_name(known) == plain);
        // The message must not quote a value from a variable.
        let word = node.as_text().unwrap_or_default();
        if let Some((_, kind)) = known {
            return Some(*kind);
        }
        let (message, fix) = match (plain.as_str(), closest_name(&word, WORDS.iter().map(|(word, _)| *word)))
        {
            ("ws" | "wss" | "websocket", _) => {
                let message = "servers over WebSocket are not supported".to_owned();
                (message, "write \"http\" if the server has an http address as well".to_owned())
            }
            (_, Some(near)) => {
                (format!("unknown type {}", quote(&word)), format!("did you mean \"{near}\"?"))
            }
            (_, None) => {
                let fix = "write \"stdio\", \"http\" or \"sse\", or leave it out".to_owned();
                (format!("unknown type {}", quote(&word)), fix)
            }
        };
        self.collector.error(&node, message, fix);
        None
    }

    fn stdio(&mut self, command: &Node<'t>, members: &'t [Member<'t>]) -> Option<Transport> {
        let errors = self.collector.errors();
        let mut args = Vec::new();
        let mut cwd = None;
        if let Some(node) = non_null_value(members, "cwd") {
            cwd = self.folder_at(&node, "cwd");
        }
        let command = self.command(command, members, cwd.as_deref(), &mut args);
        if let Some(node) = non_null_value(members, "args") {
            args.extend(self.texts(&node, "args").unwrap_or_default());
        }
        let env = self.one_of(members, &["env", "environment"]);
        let env = env.and_then(|member| self.pairs(&member.value, member.key, check_variable));
        let env_from = self.env_from(members);
        let fix = "write the variables into \"env\", or their names into \"env_from\"";
        self.warn_unsupported(members, "envFile", "\"envFile\" is not read", fix);
        (self.collector.errors() == errors).then_some(Transport::Stdio {
            command: command?,
            args,
            env: env.unwrap_or_default(),
            env_from,
            cwd,
        })
    }

    /// The program. The rest of a list becomes the first arguments.
    fn command(
        &mut self,
        node: &Node<'t>,
        members: &'t [Member<'t>],
        cwd: Option<&Path>,
        args: &mut Vec<String>,
    ) -> Option<OsString> {
        let (node, text) = match node.as_array() {
            Some(items) => {
                let mut texts = self.texts(node, "command")?;
                let Some(first) = items.first() else {
                    self.collector.error(node, "the command is empty", "write the program to start");
                    return None;
                };
                let program = texts.remove(0);
                *args = texts;
                (first, program)
            }
            None => (node, self.text(node, "a command")?),
        };
        if text.trim().is_empty() {
            self.collector.error(node, "the command is empty", "write the program to start");
            return None;
        }
        if text.contains(char::is_control) {
            self.control_characters(node, "the command");
            return None;
        }
        // The written text: the message must not quote a value from a variable.
        self.check_spaces(node, &node.as_text().unwrap_or_default(), members);
        self.expand_home(node, Path::new(&text)).map(|path| match path {
            Some(path) => path.into_os_string(),
            // Operating systems differ in whether a relative program path starts at the working directory of the
            // child.
            None if is_relative_path(&text) => {
                let from = cwd.unwrap_or(self.folder);
                from.join(text.strip_prefix("./").unwrap_or(&text)).into_os_string()
            }
            None => OsString::from(&text),
        })
    }

    /// Warns about a whole command line in place of the program.
    fn check_spaces(&mut self, node: &Node<'t>, text: &str, members: &'t [Member<'t>]) {
        let mut words = text.split_whitespace();
        let Some(program) = words.next().filter(|word| !word.contains(['/', '\\'])) else { return };
        let has_args = non_null_value(members, "args")
            .is_some_and(|args| args.as_array().is_some_and(|args| !args.is_empty()));
        let rest: Vec<String> = words.take(8).map(quote).collect();
        if rest.is_empty() || has_args {
            return;
        }
        let fix = format!("write \"command\": {}, \"args\": [{}]", quote(program), rest.join(", "));
        self.collector.warning(node, "the command is one program; its arguments belong into \"args\"", fix);
    }

    /// Reports control characters: backslashes of a path that JSON took as escapes. `C:
    /// ew` contains a line break.
    fn control_characters(&mut self, node: &Node<'t>, what: &str) {
        let message = format!("{what} holds a line break, a tab or another control character");
        self.collector.error(node, message, "write `\\\\` for each backslash, or `/`");
    }

    /// A folder; a relative one starts at the folder of the file.
    pub(super) fn folder_at(&mut self, node: &Node<'t>, key: &str) -> Option<PathBuf> {
        let what = format!("\"{key}\"");
        let text = self.text(node, &what)?;
        self.path(node, &text, &what, "folder")
    }

    /// Like [`folder_at`](Self::folder_at), for a text that is already read.
    pub(super) fn path(&mut self, node: &Node<'t>, text: &str, what: &str, of: &str) -> Option<PathBuf> {
        if text.trim().is_empty() {
            self.collector.error(node, format!("{what} is empty"), format!("write a {of}, or leave it out"));
            return None;
        }
        if text.contains(char::is_control) {
            self.control_characters(node, what);
            return None;
        }
        let expand_home = self.expand_home(node, Path::new(text))?;
        Some(expand_home.unwrap_or_else(|| self.folder.join(text.strip_prefix("./").unwrap_or(text))))
    }

    /// Expands `~`. The outer `None` means that there is no home folder.
    fn expand_home(&mut self, node: &Node<'t>, path: &Path) -> Option<Option<PathBuf>> {
        if !path.starts_with("~") {
            return Some(None);
        }
        let found = under_home(path, self.environment);
        if found.is_none() {
            self.collector.error(
                node,
                "`~` stands for the home folder, and HOME is not set",
                "write the whole path",
            );
        }
        found.map(Some)
    }

    fn env_from(&mut self, members: &'t [Member<'t>]) -> Vec<String> {
        let Some(member) = self.one_of(members, &["env_from", "envFrom"]) else { return Vec::new() };
        let Some(names) = self.texts(&member.value, member.key) else { return Vec::new() };
        for (item, name) in member.value.as_array().unwrap_or_default().iter().zip(&names) {
            if let Err((message, fix)) = check_variable(name, "") {
                self.collector.error(item, message, fix);
            } else if let Some(value) = (self.environment)(name).and_then(|value| value.into_string().ok())
                && is_secret_variable(name, &value)
            {
                self.secrets.insert(value);
            }
        }
        names
    }

    /// Warns about a client feature that Toolwright does not have.
    fn warn_unsupported(&mut self, members: &'t [Member<'t>], key: &str, message: &str, fix: &str) {
        if let Some(member) = members.iter().find(|member| member.key == key) {
            self.collector.warning_at_key(member.raw_key(), message, fix);
        }
    }

    fn http(&mut self, url: &Member<'t>, members: &'t [Member<'t>], kind: HttpKind) -> Option<Transport> {
        let errors = self.collector.errors();
        let address = self.text(&url.value, "a url");
        if let Some(Err((message, fix))) = address.as_deref().map(check_address) {
            // The message must not quote a value from a variable.
            let is_written = address.as_deref() == url.value.as_text().as_deref();
            let fix = if is_written { fix } else { "check the value of the variable".to_owned() };
            self.collector.error(&url.value, message, fix);
        }
        let fix = "write the headers into \"headers\", with ${NAME} for what is secret";
        self.warn_unsupported(members, "headersHelper", "\"headersHelper\" is not run", fix);
        let headers = non_null_value(members, "headers");
        let headers = headers.and_then(|node| self.pairs(&node, "headers", check_header));
        let login = self.login(members);
        let transport = Transport::Http { url: address?, headers: headers.unwrap_or_default(), kind, login };
        (self.collector.errors() == errors).then_some(transport)
    }
}

fn is_blank(node: &Node<'_>) -> bool {
    node.as_text().is_some_and(|text| text.trim().is_empty())
}

/// Whether a command is a relative path: `./serve`, `bin/serve`.
fn is_relative_path(command: &str) -> bool {
    let has_separator = command.contains('/') || cfg!(windows) && command.contains('\\');
    has_separator && Path::new(command).is_relative()
}
