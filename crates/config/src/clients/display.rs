//! Display of entries: commands in full, secrets hidden.

use toolwright_redact::{holds_secret, is_secret_key};

use super::data::{Data, Node, Value};
use crate::configuration::{HIDDEN, secret_arguments, secrets_of_address};

/// Whether secrets are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secrets {
    /// Secrets are replaced by `[redacted]`.
    Hidden,
    /// Secrets are shown.
    Shown,
}

/// The shortest secret that is hidden wherever it occurs; shorter ones would match too many harmless texts.
const MIN_SECRET_CHARS: usize = 6;

/// The command line or the address, never truncated, each argument quoted for a shell. Then the folder, variables and
/// headers, one line each.
pub fn command_line(entry: &Data, secrets: Secrets) -> Vec<String> {
    let text = |key: &str| entry.get(key).and_then(Data::as_text).unwrap_or_default();
    let mut lines: Vec<String> = Vec::new();
    if let Some(command) = entry.get("command").and_then(Data::as_text) {
        let args = entry.get("args").map(texts).unwrap_or_default();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let hidden = secrets_of_command(command, &args);
        let shown = |arg: &str| {
            let found = hidden.iter().filter(|secret| secrets == Secrets::Hidden && arg.contains(**secret));
            word(&found.fold(arg.to_owned(), |arg, secret| arg.replace(secret, HIDDEN)))
        };
        let words: Vec<String> =
            std::iter::once(shown(command)).chain(args.iter().map(|arg| shown(arg))).collect();
        lines.push(words.join(" "));
    }
    if entry.get("url").is_some() {
        let url = text("url");
        let shown = secrets_of_address(url).into_iter().filter(|secret| !secret.is_empty());
        let hide = |url: String, secret: &str| match secrets {
            Secrets::Hidden if !is_reference(secret) => url.replace(secret, HIDDEN),
            _ => url,
        };
        lines.push(shown.fold(url.to_owned(), hide));
    }
    if !text("cwd").is_empty() {
        lines.push(format!("in {}", text("cwd")));
    }
    for (what, between) in [("env", "="), ("headers", ": ")] {
        for (key, value) in entry.get(what).map(Data::members).unwrap_or_default() {
            let value = plain(value);
            let is_secret = is_secret_key(key) || holds_secret(&value);
            let is_hidden = secrets == Secrets::Hidden && is_secret && !is_reference(&value);
            lines.push(format!("{what} {key}{between}{}", if is_hidden { HIDDEN } else { &value }));
        }
    }
    let names = entry.get("env_from").map(texts).unwrap_or_default();
    if !names.is_empty() {
        lines.push(format!("env from here: {}", names.join(", ")));
    }
    lines
}

/// The secrets of a command and its arguments, the longest first. Some clients write the whole command line as the
/// command.
fn secrets_of_command<'a>(command: &'a str, args: &[&'a str]) -> Vec<&'a str> {
    let words: Vec<&str> = command.split_whitespace().chain(args.iter().copied()).collect();
    let mut found: Vec<&str> = secret_arguments(&words).collect();
    let addresses = words.iter().filter(|word| word.contains("://"));
    found.extend(addresses.flat_map(|address| secrets_of_address(address)));
    found.retain(|secret| !secret.is_empty() && !is_reference(secret));
    found.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    found.dedup();
    found
}

/// All secret texts of a file.
pub fn secret_texts(root: &Value) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    collect(root, "", &mut found);
    found.sort_by_key(|text| std::cmp::Reverse(text.len()));
    found.dedup();
    found
}

fn collect(value: &Value, key: &str, found: &mut Vec<String>) {
    match &value.node {
        Node::Text(text) => {
            let secret = text.strip_prefix("Bearer ").unwrap_or(text);
            let is_long = secret.chars().count() >= MIN_SECRET_CHARS;
            let inside = secrets_of_command(text, &[]).into_iter();
            found.extend(inside.filter(|it| it.chars().count() >= MIN_SECRET_CHARS).map(str::to_owned));
            if (is_secret_key(key) || holds_secret(text)) && is_long && !is_reference(secret) {
                found.push(secret.to_owned());
            }
        }
        Node::List(items) => {
            let args: Vec<&str> = items.iter().filter_map(Value::text).collect();
            let secrets = secret_arguments(&args).filter(|it| it.chars().count() >= MIN_SECRET_CHARS);
            found.extend(secrets.filter(|it| !is_reference(it)).map(str::to_owned));
            items.iter().for_each(|item| collect(item, key, found));
        }
        Node::Map(pairs) => pairs.iter().for_each(|pair| collect(&pair.value, &pair.key, found)),
        _ => {}
    }
}

/// Whether a text refers to a secret without containing it: `${TOKEN}`, `Bearer $TOKEN`, `{env:TOKEN}`.
fn is_reference(text: &str) -> bool {
    let text = text.strip_prefix("Bearer ").unwrap_or(text);
    let is_name =
        |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_:. -~/".contains(&byte));
    let inside = text.strip_prefix("${").and_then(|it| it.strip_suffix('}'));
    let inside = inside.or_else(|| text.strip_prefix('{').and_then(|it| it.strip_suffix('}')));
    let inside = inside.map(|it| it.trim_matches(['{', '}'])).or_else(|| text.strip_prefix('$'));
    inside.is_some_and(is_name)
}

fn texts(data: &Data) -> Vec<String> {
    match data {
        Data::List(items) => items.iter().map(plain).collect(),
        _ => Vec::new(),
    }
}

fn plain(data: &Data) -> String {
    data.as_text().map_or_else(|| data.json(), str::to_owned)
}

/// A word, quoted for a shell if necessary.
fn word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:@=,+%\\~[]".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_shown_whole_with_hidden_secrets() {
        let long = "x".repeat(500);
        let entry = Data::map([
            ("command", Data::text("npx")),
            ("args", Data::texts(["-y", &long, "--token", "abcdefgh", "a b"])),
            ("env", Data::map([("API_KEY", Data::text("sk-1234567890")), ("MODE", Data::text("fast"))])),
            ("headers", Data::map([("Authorization", Data::text("Bearer ${TOKEN}"))])),
        ]);
        let shown = command_line(&entry, Secrets::Hidden);
        assert_eq!(shown[0], format!("npx -y {long} --token [redacted] 'a b'"));
        assert_eq!(
            shown[1..],
            ["env API_KEY=[redacted]", "env MODE=fast", "headers Authorization: Bearer ${TOKEN}"]
        );
        // Some clients write the whole command line as the command; addresses contain secrets too.
        let address = "postgresql://me:hunter2secret@localhost/db";
        let line = Data::map([("command", Data::text(format!("npx -y server-postgres {address}")))]);
        let shown_line = command_line(&line, Secrets::Hidden).join(" ");
        assert!(
            !shown_line.contains("hunter2secret") && shown_line.contains("server-postgres"),
            "{shown_line}"
        );
        assert!(command_line(&line, Secrets::Shown)[0].contains(address));
        let sse = "https://x.example/sse?key=s3cretkey12345&mode=fast";
        let remote = Data::map([("command", Data::text("npx")), ("args", Data::texts(["mcp-remote", sse]))]);
        let shown_sse = command_line(&remote, Secrets::Hidden).join(" ");
        assert!(!shown_sse.contains("s3cretkey12345") && shown_sse.contains("mode=fast"), "{shown_sse}");
        // Look-alikes stay: paths, names of variables, addresses without a secret.
        let plain =
            ["npx", "-y", "server-filesystem", "/home/me/docs", "https://x.example/sse?page=2", "${TOKEN}"];
        let whole = Data::map([("command", Data::text(plain.join(" ")))]);
        assert!(
            !command_line(&whole, Secrets::Hidden)[0].contains(HIDDEN),
            "{:?}",
            command_line(&whole, Secrets::Hidden)
        );
        let shown = command_line(&entry, Secrets::Shown);
        assert!(
            shown[0].contains("--token abcdefgh") && shown[1] == "env API_KEY=sk-1234567890",
            "{shown:?}"
        );
    }
}
