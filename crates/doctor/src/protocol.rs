//! Whether a server that was started answers as the protocol wants it, told from what could be seen of it.

use serde_json::{Value, json};
use toolwright_backend::ServerView;
use toolwright_config::{Configuration, ServerConfig, Toolbox, Transport};
use toolwright_toolbox::FailureCause;

use crate::entry;
use crate::finding::{Area, Check, Finding, Fix, quoted};

/// How much of what a server said is shown, in characters.
const SHOWN: usize = 300;

/// One server, where it is described, and what was seen of it.
pub(crate) struct Seen<'s> {
    pub configuration: &'s Configuration,
    pub toolbox: &'s Toolbox,
    pub server: &'s ServerConfig,
    pub view: &'s ServerView,
    /// The names of its tools.
    pub tools: &'s [String],
    /// Another address at which a server answers, when this one is wrong.
    pub elsewhere: Option<String>,
}

/// What is wrong with a server that cannot be used.
enum Trouble {
    Process(Finding),
    Protocol(Finding),
    Backend(Finding),
}

/// The lines of a server: process, protocol and backend. The process line is the one from before it was started, and
/// gets what was seen since.
pub(crate) fn check(seen: &Seen<'_>, process: Option<Check>) -> Vec<Check> {
    let view = seen.view;
    let mut process = process;
    if view.is_off() {
        let said = "switched off in the configuration";
        let protocol = Check::new(Area::Protocol, Some(&view.name), said);
        return process.into_iter().chain([protocol]).collect();
    }
    if !view.is_usable() {
        let mut protocol = Check::new(Area::Protocol, Some(&view.name), "not seen");
        let mut backend = None;
        match trouble(seen) {
            Trouble::Process(finding) => {
                let said = "ended before it was ready";
                let check = process.get_or_insert_with(|| Check::new(Area::Process, Some(&view.name), said));
                check.said = format!("{}: {said}", check.said);
                check.findings.push(finding);
            }
            Trouble::Protocol(finding) => {
                "it does not answer".clone_into(&mut protocol.said);
                protocol.findings.push(finding);
            }
            Trouble::Backend(finding) => {
                "it answers, and lets nobody in without a login".clone_into(&mut protocol.said);
                backend = Some(Check::new(Area::Backend, Some(&view.name), "not seen").with([finding]));
            }
        }
        return process.into_iter().chain([protocol]).chain(backend).collect();
    }
    let said = format!(
        "{}, {} {}{}",
        view.transport,
        view.era.as_deref().unwrap_or("unknown era"),
        view.protocol_version.as_deref().unwrap_or_default(),
        view.server.as_ref().map(|server| format!(", {server}")).unwrap_or_default(),
    );
    let protocol =
        Check::new(Area::Protocol, Some(&view.name), said).with(noise(view)).with(unusable_tools(view));
    let backend = super::backend::check(seen, seen.tools);
    process.into_iter().chain([protocol, backend]).collect()
}

fn noise(view: &ServerView) -> Option<Finding> {
    (view.noise > 0).then(|| {
        let last = view.last_noise.last().map(|noise| format!(": {}", shown(noise))).unwrap_or_default();
        Finding::warning(
            "stdout-noise",
            format!("it printed {} pieces of text among its messages{last}", view.noise),
            "standard output belongs to the protocol; Toolwright steps over what is no message, other clients break",
            Fix::Do(
                "let it log to standard error: many servers have a switch or a variable for that, such as --quiet or LOG_LEVEL=error".to_owned(),
            ),
        )
    })
}

fn unusable_tools(view: &ServerView) -> Option<Finding> {
    let first = view.unusable_tools.first()?;
    let more = match view.unusable_tools.len() {
        1 => String::new(),
        count => format!(" (and {} more)", count - 1),
    };
    Some(Finding::warning(
        "tool-unusable",
        format!("{first}{more}"),
        "calls of it cannot be validated, so models and commands of Toolwright do not get it; the other tools of the server work",
        Fix::Do("correct the definition in the server, or ask its author to".to_owned()),
    ))
}

fn trouble(seen: &Seen<'_>) -> Trouble {
    let Seen { configuration, toolbox, server, view, elsewhere, .. } = seen;
    let why = view.last_error.clone().unwrap_or_else(|| format!("it is {}", view.state));
    let why = server.redacted(&why);
    let file = configuration.file.display().to_string();
    if view.wants_login() {
        if let Some(header) = authorization(server) {
            let place = entry::pointer(&configuration.file, &toolbox.name, &server.name).unwrap_or_default();
            let fix = Fix::Do(format!("write a token that is valid into {place}/headers/{header} of {file}"));
            let finding =
                Finding::error("token-refused", "it does not take the token of its entry", why, fix);
            return Trouble::Backend(finding.at(address(server)));
        }
        let login = format!("toolwright servers login {} --config {}", quoted(&view.name), quoted(&file));
        let finding = Finding::error("login-needed", "it wants a login", why, Fix::Run(login));
        return Trouble::Backend(finding.at(address(server)));
    }
    if let Transport::Stdio { .. } = &server.transport {
        return match view.failure.is_some_and(FailureCause::is_of_process) {
            true => Trouble::Process(ends(seen, &why)),
            false => Trouble::Protocol(mute(seen, &why)),
        };
    }
    let fix = match elsewhere {
        // What came from the environment is not written into the file.
        Some(url) if server.redacted(url) == *url => {
            entry::set(&configuration.file, &toolbox.name, &server.name, "url", &json!(url))
        }
        Some(url) => Fix::Do(format!("correct the path of its \"url\" in {file}: {}", server.redacted(url))),
        None => Fix::Do(format!(
            "start the server that listens at {}, or correct its \"url\" in {file}",
            address(server)
        )),
    };
    let (id, what) = match elsewhere {
        Some(url) => (
            "wrong-address",
            format!("no server answers at its address; one does at {}", server.redacted(url)),
        ),
        None if view.failure == Some(FailureCause::ConnectionRefused) => {
            ("unreachable", "nothing listens at its address".to_owned())
        }
        None => ("unreachable", "it does not answer at its address".to_owned()),
    };
    Trouble::Protocol(Finding::error(id, what, shown(&why), fix).at(address(server)))
}

/// The header by which the configuration gives a login itself.
fn authorization(server: &ServerConfig) -> Option<&str> {
    let Transport::Http { headers, .. } = &server.transport else { return None };
    headers.iter().map(|(name, _)| name.as_str()).find(|name| name.eq_ignore_ascii_case("authorization"))
}

/// A program that ended by itself.
fn ends(seen: &Seen<'_>, why: &str) -> Finding {
    let Seen { configuration, toolbox, server, view, .. } = seen;
    if let Some(variable) = named_variable(&view.stderr_tail) {
        return missing_variable(seen, &variable, why);
    }
    let by_hand = Fix::Do(format!("run it by hand and see to what it says: {}", command_line(server)));
    let finding = match view.failure == Some(FailureCause::Exited { code: 0 }) {
        true => Finding::error(
            "ends-at-once",
            "it ends at once, without a word",
            "a server waits for messages on its standard input; this program may be none, or wants an argument that makes it one",
            by_hand,
        ),
        false => Finding::error("ends-at-start", "it ends at its start", shown(why), by_hand),
    };
    let place = entry::pointer(&configuration.file, &toolbox.name, &server.name).unwrap_or_default();
    finding.at(format!(
        "{}{}",
        configuration.file.display(),
        if place.is_empty() { String::new() } else { format!(" {place}") }
    ))
}

/// A variable that the server misses. It gets none that its entry does not name.
fn missing_variable(seen: &Seen<'_>, variable: &str, why: &str) -> Finding {
    let Seen { configuration, toolbox, server, .. } = seen;
    let what = format!("it misses the variable {variable}");
    let finding = match std::env::var_os(variable) {
        Some(_) => {
            let passed = match &server.transport {
                Transport::Stdio { env_from, .. } => env_from.as_slice(),
                Transport::Http { .. } => &[],
            };
            let mut names: Vec<Value> = passed.iter().map(|name| json!(name)).collect();
            names.push(json!(variable));
            let fix = entry::set(
                &configuration.file,
                &toolbox.name,
                &server.name,
                "env_from",
                &Value::Array(names),
            );
            let why = format!(
                "it is set here, but servers get no variable that their entry does not name; {}",
                shown(why)
            );
            Finding::error("variable-not-passed", what, why, fix)
        }
        None => {
            let value = json!(format!("${{{variable}}}"));
            let fix = match entry::pointer(&configuration.file, &toolbox.name, &server.name) {
                Some(place) => Fix::Do(format!(
                    "set it before the start (export {variable}=…), and pass it on: \"env\": {{\"{variable}\": {value}}} in {place} of {}",
                    configuration.file.display()
                )),
                None => Fix::Do(format!(
                    "set it before the start, and pass it on: \"env\": {{\"{variable}\": {value}}}"
                )),
            };
            Finding::error("variable-missing", what, shown(why), fix)
        }
    };
    finding.at(configuration.file.display())
}

/// A program that runs and says nothing that can be understood.
fn mute(seen: &Seen<'_>, why: &str) -> Finding {
    let Seen { server, view, .. } = seen;
    let what = match view.noise {
        0 => "it runs and does not answer",
        _ => "it runs, prints text, and answers no message",
    };
    let last = view.last_noise.last().map(|noise| format!("; the last it printed: {}", shown(noise)));
    Finding::error(
        "no-answer",
        what,
        format!("{}{}", shown(why), last.unwrap_or_default()),
        Fix::Do(format!(
            "run it by hand: {}; if it needs long for its first start, let it finish once; if it is no MCP server over standard input, give its \"url\" instead",
            command_line(server)
        )),
    )
}

/// The variable that a message misses: a name in capitals beside a word for missing.
pub(crate) fn named_variable(text: &str) -> Option<String> {
    const MISSING: [&str; 7] =
        ["not set", "missing", "required", "undefined", "must be set", "must set", "not found"];
    let is_name = |word: &str| {
        word.len() >= 4
            && word.contains('_')
            && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    };
    let lines = text.lines().filter(|line| {
        let lower = line.to_lowercase();
        MISSING.iter().any(|word| lower.contains(word))
    });
    lines
        .flat_map(|line| line.split(|char: char| !char.is_ascii_alphanumeric() && char != '_'))
        .find(|word| is_name(word))
        .map(str::to_owned)
}

/// The command of a server for a shell, without what is secret.
fn command_line(server: &ServerConfig) -> String {
    let Transport::Stdio { command, args, cwd, .. } = &server.transport else { return address(server) };
    let words = std::iter::once(command.to_string_lossy().into_owned()).chain(args.iter().cloned());
    let words: Vec<String> = words.map(|word| quoted(&word)).collect();
    let line = match cwd {
        Some(folder) => format!("cd {} && {}", quoted(&folder.display().to_string()), words.join(" ")),
        None => words.join(" "),
    };
    shown(&server.redacted(&line))
}

pub(crate) fn address(server: &ServerConfig) -> String {
    match &server.transport {
        Transport::Http { url, .. } => server.redacted(url),
        Transport::Stdio { command, .. } => command.to_string_lossy().into_owned(),
    }
}

pub(crate) fn shown(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_that_a_message_misses_is_found() {
        for (text, name) in [
            ("API_TOKEN is not set", Some("API_TOKEN")),
            (
                "Error: GITHUB_PERSONAL_ACCESS_TOKEN environment variable is required",
                Some("GITHUB_PERSONAL_ACCESS_TOKEN"),
            ),
            ("KeyError: 'BRAVE_API_KEY' missing", Some("BRAVE_API_KEY")),
            ("listening on API_PORT", None),
            ("module not found: foo", None),
            ("ENOENT not found", None),
        ] {
            assert_eq!(named_variable(text).as_deref(), name, "{text}");
        }
    }
}
