//! How a server is reached: a command or an address.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use toolwright_base::{closest_name, fold_name};
use toolwright_jsonrpc::raw::{Member, Node, quote};

use super::checks::{Check, check_address, check_header, check_variable};
use super::fields::is_secret_variable;
use super::{Reader, given};
use crate::locate::under_home;
use crate::{HttpKind, Transport};

/// The words for a transport, and what they mean.
const WORDS: &[(&str, Way)] = &[
    ("stdio", Way::Command),
    ("local", Way::Command),
    ("process", Way::Command),
    ("command", Way::Command),
    ("http", Way::Address(HttpKind::Auto)),
    ("https", Way::Address(HttpKind::Auto)),
    ("remote", Way::Address(HttpKind::Auto)),
    ("url", Way::Address(HttpKind::Auto)),
    ("streamable-http", Way::Address(HttpKind::Streamable)),
    ("streamable", Way::Address(HttpKind::Streamable)),
    ("http-streamable", Way::Address(HttpKind::Streamable)),
    ("http-stream", Way::Address(HttpKind::Streamable)),
    ("sse", Way::Address(HttpKind::Sse)),
    ("http-sse", Way::Address(HttpKind::Sse)),
    ("http+sse", Way::Address(HttpKind::Sse)),
];

const COMMAND_KEYS: &[&str] = &["args", "env", "environment", "env_from", "envFrom", "cwd"];
const ADDRESS_KEYS: &[&str] = &["headers", "oauth"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Command,
    Address(HttpKind),
}

impl<'t> Reader<'t, '_> {
    pub(super) fn transport(&mut self, server: &Member<'t>, members: &'t [Member<'t>]) -> Option<Transport> {
        let command = given(members, "command");
        let url = self.one_of(members, &["url", "httpUrl", "serverUrl", "baseUrl"]);
        // Some clients write the part that does not apply as an empty string.
        let (command, url) = match (command, url) {
            (Some(command), Some(url)) if is_blank(&command) != is_blank(&url.value) => {
                (Some(command).filter(|node| !is_blank(node)), Some(url).filter(|url| !is_blank(&url.value)))
            }
            both => both,
        };
        let is_meant = self.check_server_keys(members, command.is_some() || url.is_some());
        let said = self.said_way(members);
        match (command, url, said) {
            (Some(command), None, said) => {
                if let Some(Way::Address(_)) = said {
                    self.contradiction(
                        members,
                        "the type needs a \"url\", and there is a \"command\"",
                        "write \"stdio\"",
                    );
                }
                self.tell_unused(members, ADDRESS_KEYS, "by a server that is started by a command");
                self.stdio(&command, members)
            }
            (None, Some(url), said) => {
                if said == Some(Way::Command) {
                    self.contradiction(
                        members,
                        "the type needs a \"command\", and there is a \"url\"",
                        "write \"http\"",
                    );
                }
                self.tell_unused(members, COMMAND_KEYS, "by a server that is reached by a url");
                let kind = if let Some(Way::Address(kind)) = said { kind } else { HttpKind::Auto };
                self.http(&url, members, kind)
            }
            (Some(command), Some(url), Some(Way::Command)) => {
                self.tell_unused(members, &[url.key, "headers"], "by a server that is started by a command");
                self.stdio(&command, members)
            }
            (Some(_), Some(url), Some(Way::Address(kind))) => {
                self.tell_unused(members, &["command"], "by a server that is reached by a url");
                self.tell_unused(members, COMMAND_KEYS, "by a server that is reached by a url");
                self.http(&url, members, kind)
            }
            (Some(_), Some(url), None) => {
                let message = format!("there is a \"command\" and a {}: which one is it?", quote(url.key));
                self.mistakes.error_at_key(
                    url.raw_key(),
                    message,
                    "remove one of them, or say \"type\": \"stdio\" or \"http\"",
                );
                None
            }
            (None, None, said) => {
                if !is_meant {
                    self.no_way(server, members, said);
                }
                self.check_the_rest(members);
                None
            }
        }
    }

    /// What else is wrong with a server that cannot be reached, so that all of it is told at once.
    fn check_the_rest(&mut self, members: &'t [Member<'t>]) {
        if let Some(node) = given(members, "args") {
            self.texts(&node, "args");
        }
        for (key, check) in [("env", check_variable as fn(&str, &str) -> Check), ("headers", check_header)] {
            if let Some(node) = given(members, key) {
                self.pairs(&node, key, check);
            }
        }
    }

    fn no_way(&mut self, server: &Member<'t>, members: &'t [Member<'t>], said: Option<Way>) {
        let (message, fix) = match said {
            Some(Way::Command) => ("a server of this type needs a \"command\"", "add \"command\": \"…\""),
            Some(Way::Address(_)) => ("a server of this type needs a \"url\"", "add \"url\": \"https://…\""),
            None if members.is_empty() => (
                "the server's entry is empty",
                "add \"command\": \"…\" or \"url\": \"https://…\", or remove it",
            ),
            None if given(members, "args").is_some() => {
                ("a server needs a \"command\" for its \"args\"", "add \"command\": \"…\"")
            }
            None => (
                "a server needs a \"command\" or a \"url\"",
                "add \"command\": \"…\" or \"url\": \"https://…\"",
            ),
        };
        self.mistakes.error_at_key(server.raw_key(), message, fix);
    }

    fn contradiction(&mut self, members: &'t [Member<'t>], message: &str, fix: &str) {
        let node = given(members, "type").or_else(|| given(members, "transport"));
        if let Some(node) = node {
            self.mistakes.error(&node, message, fix);
        }
    }

    /// What `type` or `transport` says.
    fn said_way(&mut self, members: &'t [Member<'t>]) -> Option<Way> {
        let node = self.one_of(members, &["type", "transport"])?.value;
        let word = self.text(&node, "the type of a server")?;
        let plain = fold_name(&word);
        let known = WORDS.iter().find(|(known, _)| fold_name(known) == plain);
        // What came from a variable is not told.
        let word = node.as_text().unwrap_or_default();
        if let Some((_, way)) = known {
            return Some(*way);
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
        self.mistakes.error(&node, message, fix);
        None
    }

    fn stdio(&mut self, command: &Node<'t>, members: &'t [Member<'t>]) -> Option<Transport> {
        let errors = self.mistakes.errors();
        let mut args = Vec::new();
        let mut cwd = None;
        if let Some(node) = given(members, "cwd") {
            cwd = self.folder_at(&node, "cwd");
        }
        let command = self.command(command, members, cwd.as_deref(), &mut args);
        if let Some(node) = given(members, "args") {
            args.extend(self.texts(&node, "args").unwrap_or_default());
        }
        let env = self.one_of(members, &["env", "environment"]);
        let env = env.and_then(|member| self.pairs(&member.value, member.key, check_variable));
        let env_from = self.env_from(members);
        let fix = "write the variables into \"env\", or their names into \"env_from\"";
        self.tell_not_done(members, "envFile", "\"envFile\" is not read", fix);
        (self.mistakes.errors() == errors).then_some(Transport::Stdio {
            command: command?,
            args,
            env: env.unwrap_or_default(),
            env_from,
            cwd,
        })
    }

    /// The program; the rest of a list goes before the arguments.
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
                    self.mistakes.error(node, "the command is empty", "write the program to start");
                    return None;
                };
                let program = texts.remove(0);
                *args = texts;
                (first, program)
            }
            None => (node, self.text(node, "a command")?),
        };
        if text.trim().is_empty() {
            self.mistakes.error(node, "the command is empty", "write the program to start");
            return None;
        }
        if text.contains(char::is_control) {
            self.control_characters(node, "the command");
            return None;
        }
        // As it is written: what came from a variable is not told.
        self.check_spaces(node, &node.as_text().unwrap_or_default(), members);
        self.at_home(node, Path::new(&text)).map(|path| match path {
            Some(path) => path.into_os_string(),
            // How a relative program is found beside a folder to run in differs between systems.
            None if is_relative_path(&text) => {
                let from = cwd.unwrap_or(self.folder);
                from.join(text.strip_prefix("./").unwrap_or(&text)).into_os_string()
            }
            None => OsString::from(&text),
        })
    }

    /// A whole command line where only the program belongs.
    fn check_spaces(&mut self, node: &Node<'t>, text: &str, members: &'t [Member<'t>]) {
        let mut words = text.split_whitespace();
        let Some(program) = words.next().filter(|word| !word.contains(['/', '\\'])) else { return };
        let has_args =
            given(members, "args").is_some_and(|args| args.as_array().is_some_and(|args| !args.is_empty()));
        let rest: Vec<String> = words.take(8).map(quote).collect();
        if rest.is_empty() || has_args {
            return;
        }
        let fix = format!("write \"command\": {}, \"args\": [{}]", quote(program), rest.join(", "));
        self.mistakes.warning(node, "the command is one program; its arguments belong into \"args\"", fix);
    }

    /// Backslashes of a path that JSON took for escapes: `C:\new` has a line break in it.
    fn control_characters(&mut self, node: &Node<'t>, what: &str) {
        let message = format!("{what} holds a line break, a tab or another control character");
        self.mistakes.error(node, message, "write `\\\\` for each backslash, or `/`");
    }

    /// A folder; a relative one begins at the folder of the file.
    pub(super) fn folder_at(&mut self, node: &Node<'t>, key: &str) -> Option<PathBuf> {
        let what = format!("\"{key}\"");
        let text = self.text(node, &what)?;
        self.path(node, &text, &what, "folder")
    }

    /// The same for a text that was read already.
    pub(super) fn path(&mut self, node: &Node<'t>, text: &str, what: &str, of: &str) -> Option<PathBuf> {
        if text.trim().is_empty() {
            self.mistakes.error(node, format!("{what} is empty"), format!("write a {of}, or leave it out"));
            return None;
        }
        if text.contains(char::is_control) {
            self.control_characters(node, what);
            return None;
        }
        let at_home = self.at_home(node, Path::new(text))?;
        Some(at_home.unwrap_or_else(|| self.folder.join(text.strip_prefix("./").unwrap_or(text))))
    }

    /// The path under the home folder that `~` stands for; nothing when there is no home folder.
    fn at_home(&mut self, node: &Node<'t>, path: &Path) -> Option<Option<PathBuf>> {
        if !path.starts_with("~") {
            return Some(None);
        }
        let found = under_home(path, self.environment);
        if found.is_none() {
            self.mistakes.error(
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
                self.mistakes.error(item, message, fix);
            } else if let Some(value) = (self.environment)(name).and_then(|value| value.into_string().ok())
                && is_secret_variable(name, &value)
            {
                self.secrets.insert(value);
            }
        }
        names
    }

    /// Tells of a key that a client would have done something for.
    fn tell_not_done(&mut self, members: &'t [Member<'t>], key: &str, message: &str, fix: &str) {
        if let Some(member) = members.iter().find(|member| member.key == key) {
            self.mistakes.warning_at_key(member.raw_key(), message, fix);
        }
    }

    fn http(&mut self, url: &Member<'t>, members: &'t [Member<'t>], kind: HttpKind) -> Option<Transport> {
        let errors = self.mistakes.errors();
        let address = self.text(&url.value, "a url");
        if let Some(Err((message, fix))) = address.as_deref().map(check_address) {
            // What came from a variable is not told.
            let is_written = address.as_deref() == url.value.as_text().as_deref();
            let fix = if is_written { fix } else { "check the value of the variable".to_owned() };
            self.mistakes.error(&url.value, message, fix);
        }
        let fix = "write the headers into \"headers\", with ${NAME} for what is secret";
        self.tell_not_done(members, "headersHelper", "\"headersHelper\" is not run", fix);
        let headers = given(members, "headers");
        let headers = headers.and_then(|node| self.pairs(&node, "headers", check_header));
        let login = self.login(members);
        let transport = Transport::Http { url: address?, headers: headers.unwrap_or_default(), kind, login };
        (self.mistakes.errors() == errors).then_some(transport)
    }
}

fn is_blank(node: &Node<'_>) -> bool {
    node.as_text().is_some_and(|text| text.trim().is_empty())
}

/// Whether a command is a path that begins nowhere: `./serve`, `bin/serve`.
fn is_relative_path(command: &str) -> bool {
    let has_separator = command.contains('/') || cfg!(windows) && command.contains('\\');
    has_separator && Path::new(command).is_relative()
}
