//! Lines of a program's output without the secrets in them.
//!
//! What it does: known values go, wherever they stand. Of what only looks like a secret the part is
//! hidden and its name is kept: `password=[redacted]`, `https://user:[redacted]@host`. Keys in several lines
//! are hidden as a whole.
//!
//! What it leaves: words that say what is wrong with a secret (`token is expired`, `password: missing`),
//! since no secret is written like that and a fault cannot be found without them.

use std::borrow::Cow;

use crate::secret::{SECRET_STARTS, is_secret_key, is_secret_start};
use crate::{HIDDEN, known};

/// Words that say something of a secret and are none.
pub(crate) const PLAIN_VALUES: &[&str] = &[
    "bad",
    "cannot",
    "closed",
    "empty",
    "error",
    "expected",
    "expired",
    "failed",
    "false",
    "found",
    "header",
    "incorrect",
    "invalid",
    "malformed",
    "missing",
    "must",
    "needed",
    "never",
    "no",
    "none",
    "not",
    "null",
    "ok",
    "provided",
    "received",
    "rejected",
    "required",
    "revoked",
    "set",
    "too",
    "true",
    "undefined",
    "unexpected",
    "unknown",
    "unset",
    "unsupported",
    "valid",
    "wrong",
];

/// Names whose value is one word; of others the rest of the line goes when it is not in quotes.
const ONE_WORD: &[&str] = &["token", "session", "pin", "auth", "otp", "key"];

/// A name of the protocol that only sounds secret; servers print it with every request.
const HARMLESS_NAME: &str = "progressToken";

/// What is between names and their values.
const QUOTES: [char; 3] = ['"', '\'', '`'];

/// The text without the known secrets and without what looks like one.
pub fn lines(text: &str, secrets: &[String]) -> String {
    let text = known(text, secrets);
    let mut out = String::with_capacity(text.len());
    let mut in_key = false;
    for line in text.split_inclusive('\n') {
        let (line, end) = match line.strip_suffix('\n') {
            Some(line) => (line, "\n"),
            None => (line, ""),
        };
        let begins = line.find("-----BEGIN");
        if let (false, Some(start)) = (in_key, begins) {
            in_key = !line.contains("-----END");
            out.push_str(&line_without_secrets(&line[..start]));
            out.push_str(HIDDEN);
        } else if in_key {
            // The end of it may be missing: what is no part of a key ends it.
            in_key = is_part_of_key(line);
            out.push_str(if in_key || line.contains("-----END") { HIDDEN } else { line });
        } else {
            out.push_str(&line_without_secrets(line));
        }
        out.push_str(end);
    }
    out
}

pub(crate) fn is_part_of_key(line: &str) -> bool {
    let line = line.trim();
    let is_coded = |c: char| c.is_ascii_alphanumeric() || "+/=".contains(c);
    !line.contains("-----END") && !line.contains("  ") && (line.contains(": ") || line.chars().all(is_coded))
}

fn line_without_secrets(line: &str) -> Cow<'_, str> {
    let mut hidden = Spans::default();
    assigned(line, &mut hidden);
    schemes(line, &mut hidden);
    addresses(line, &mut hidden);
    words(line, &mut hidden);
    hidden.hide_in(line)
}

/// Parts of a line that are hidden.
#[derive(Default)]
struct Spans(Vec<(usize, usize)>);

impl Spans {
    fn add(&mut self, start: usize, end: usize) {
        if start < end {
            self.0.push((start, end));
        }
    }

    fn hide_in(mut self, line: &str) -> Cow<'_, str> {
        if self.0.is_empty() {
            return Cow::Borrowed(line);
        }
        self.0.sort_unstable();
        let mut out = String::with_capacity(line.len());
        let mut done = 0;
        for (start, end) in self.0 {
            // What is hidden already stays as it is.
            if start >= done && line[start..].starts_with(HIDDEN) {
                continue;
            }
            if start >= done {
                out.push_str(&line[done..start]);
                out.push_str(HIDDEN);
            }
            done = done.max(end);
        }
        out.push_str(&line[done..]);
        Cow::Owned(out)
    }
}

/// `password=…`, `"token": …`, `--api-key …`, `the password is …`.
fn assigned(line: &str, hidden: &mut Spans) {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut at = 0;
    while let Some(start) = line[at..].find(is_name).map(|start| at + start) {
        let end = line[start..].find(|c| !is_name(c)).map_or(line.len(), |end| start + end);
        at = end;
        let name = &line[start..end];
        let Some(value) = value_at(line, name, end).filter(|_| is_secret_key(name) && name != HARMLESS_NAME)
        else {
            continue;
        };
        let is_quoted = line[value..].starts_with(QUOTES) || line[value..].starts_with("\\\"");
        let one_word = is_quoted || ONE_WORD.iter().any(|word| name.to_ascii_lowercase().ends_with(word));
        let is_flat = line[..value].ends_with(['=', '-']) || line[..value].ends_with(':');
        let finish = match one_word || is_flat || name.starts_with("--") {
            true => end_of_word(line, value),
            false => line.len(),
        };
        let word = line[value..end_of_word(line, value)].trim_matches(|c: char| !c.is_alphanumeric());
        if !PLAIN_VALUES.contains(&word.to_ascii_lowercase().as_str()) {
            let opening =
                line[value..].len() - line[value..].trim_start_matches(['"', '\'', '`', '\\']).len();
            hidden.add(value + opening, finish);
            // What is hidden is not looked at again.
            at = at.max(finish);
        }
    }
}

/// Where the value of a name begins, if something is said to be its value.
fn value_at(line: &str, name: &str, end: usize) -> Option<usize> {
    let rest = &line[end..];
    let behind = rest.trim_start_matches(['"', '\'', '\\', '`', ' ']);
    let at = line.len() - behind.len();
    let skip_spaces = |at: usize| at + line[at..].len() - line[at..].trim_start().len();
    if behind.starts_with([':', '=']) {
        // `=>`, `:=`, `==`
        let sign = behind.len() - behind.trim_start_matches([':', '=', '>']).len();
        // The part before `://` is no name.
        return (!behind.starts_with("://")).then(|| skip_spaces(at + sign));
    }
    if rest.trim_start().starts_with("is ") {
        return Some(skip_spaces(end + rest.len() - rest.trim_start().len() + 3));
    }
    (name.starts_with("--") && rest.starts_with(' ')).then(|| skip_spaces(end))
}

/// The end of the word, or of the text in quotes, that begins here.
fn end_of_word(line: &str, start: usize) -> usize {
    let rest = &line[start..];
    for quote in ["\\\"", "\"", "'", "`"] {
        if let Some(inside) = rest.strip_prefix(quote) {
            let from = start + quote.len();
            return inside.find(quote).map_or(line.len(), |end| from + end);
        }
    }
    let is_end = |c: char| c.is_whitespace() || "\"'`,;&)}]>|".contains(c);
    rest.find(is_end).map_or(line.len(), |end| start + end)
}

/// `Bearer …`, `Basic …`.
fn schemes(line: &str, hidden: &mut Spans) {
    let lower = line.to_ascii_lowercase();
    for scheme in ["bearer ", "basic "] {
        for (at, _) in lower.match_indices(scheme) {
            let value = at + scheme.len();
            let end = end_of_word(line, value);
            let word = line[value..end].to_ascii_lowercase();
            // "basic usage", "bearer token": a credential has something in it that words have not.
            let is_word =
                word.chars().all(|c| c.is_ascii_lowercase() || ".:!?".contains(c)) && word.len() < 16;
            if !is_word {
                hidden.add(value, end);
            }
        }
    }
}

/// The password in `scheme://user:password@host`.
fn addresses(line: &str, hidden: &mut Spans) {
    for (at, _) in line.match_indices("://") {
        let start = at + 3;
        let end = line[start..].find(['/', '?', '#', ' ', '"']).map_or(line.len(), |end| start + end);
        // A password may hold an `@`.
        let Some(host) = line[start..end].rfind('@').map(|host| start + host) else { continue };
        if let Some(colon) = line[start..host].find(':') {
            hidden.add(start + colon + 1, host);
        }
    }
}

/// Words that begin as well-known secrets do.
fn words(line: &str, hidden: &mut Spans) {
    let is_between = |c: char| c.is_whitespace() || "\"'`=,;(){}[]<>:/&?".contains(c);
    for word in line.split(is_between).filter(|word| word.len() > 3) {
        if SECRET_STARTS.iter().any(|start| is_secret_start(word, start)) {
            let start = word.as_ptr() as usize - line.as_ptr() as usize;
            hidden.add(start, start + word.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_that_is_a_secret_is_hidden_and_the_rest_is_kept() {
        for (line, shown) in [
            ("plain line: nothing here", "plain line: nothing here"),
            ("connecting with password=hunter2 to db", "connecting with password=[redacted] to db"),
            (r#"config {"apiKey": "abc def", "port": 1}"#, r#"config {"apiKey": "[redacted]", "port": 1}"#),
            (r#"{\"token\": \"x y\", \"a\": 1}"#, r#"{\"token\": \"[redacted]\", \"a\": 1}"#),
            ("curl --api-key abc123 http://x", "curl --api-key [redacted] http://x"),
            ("password: correct horse battery", "password: [redacted]"),
            ("GITHUB_TOKEN=ghp_0123456789abcdef next", "GITHUB_TOKEN=[redacted] next"),
            ("using sk-abcdefghijkl, sure", "using [redacted], sure"),
            ("Authorization: Bearer abc.def.ghi", "Authorization: [redacted]"),
            ("sent Bearer abc123 to it", "sent Bearer [redacted] to it"),
            ("postgres://me:s3cr@t@db:5432/x is down", "postgres://me:[redacted]@db:5432/x is down"),
            ("the password is hunter2", "the password is [redacted]"),
            ("GET /x?token=abc&page=2", "GET /x?token=[redacted]&page=2"),
            ("Cookie: a=b; c=d", "Cookie: [redacted]"),
            ("session_id='a b' next", "session_id='[redacted]' next"),
        ] {
            assert_eq!(lines(line, &[]), shown, "{line}");
        }
    }

    #[test]
    fn what_says_only_what_is_wrong_is_kept() {
        for line in [
            "SyntaxError: Unexpected token } in JSON at position 4",
            "the token is expired",
            "password: missing",
            "Error: API_KEY is not set",
            "auth: failed",
            "basic usage: server [options]",
            "at Object.<anonymous> (/home/me/app.js:3:7)",
            "Error: connect ECONNREFUSED 127.0.0.1:1883",
            "max_tokens: 4000",
            r#"{"_meta":{"progressToken":7}}"#,
            "https://example.com:80/a@b",
        ] {
            assert_eq!(lines(line, &[]), line);
        }
    }

    #[test]
    fn keys_in_several_lines_are_hidden_as_a_whole() {
        let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEabc+/\nabcd==\n-----END RSA PRIVATE KEY-----";
        let shown = lines(&format!("before\nkey {key}\nafter that"), &[]);
        assert_eq!(shown, "before\nkey [redacted]\n[redacted]\n[redacted]\n[redacted]\nafter that");
        // The end is missing.
        let shown = lines("-----BEGIN KEY-----\nMIIE\nError: it broke here  now\nx", &[]);
        assert_eq!(shown, "[redacted]\n[redacted]\nError: it broke here  now\nx");
    }

    #[test]
    fn known_values_are_hidden_across_lines_too() {
        let secrets = ["line one\nline two".to_owned(), "s3cr3t".to_owned()];
        assert_eq!(lines("a line one\nline two b s3cr3t\n", &secrets), "a [redacted] b [redacted]\n");
    }

    #[test]
    fn no_mixture_of_signs_breaks_it_or_shows_a_known_secret() {
        const PIECES: [&str; 15] = [
            "password",
            "=",
            ": ",
            "\"",
            "é",
            "://",
            "@",
            "Bearer ",
            "is ",
            "\\\"",
            "-----BEGIN",
            "\n",
            "--token ",
            "S3CR3T-VALUE",
            "😀",
        ];
        let secrets = ["S3CR3T-VALUE".to_owned()];
        for mixture in 0..PIECES.len().pow(4) {
            let text: String =
                (0..4).map(|place| PIECES[mixture / PIECES.len().pow(place) % PIECES.len()]).collect();
            assert!(!lines(&text, &secrets).contains("S3CR3T"), "{text:?}");
        }
    }

    #[test]
    fn a_long_line_of_secrets_takes_no_long_time() {
        let begin = std::time::Instant::now();
        for piece in ["token=", "a=", "\"token\": \"", "bearer x", "x://a:", "is ", "password: "] {
            lines(&piece.repeat((64 << 10) / piece.len()), &["hunter2".to_owned()]);
        }
        // Each takes some milliseconds; what grows with the square of the length takes minutes.
        assert!(begin.elapsed() < std::time::Duration::from_secs(10), "{:?}", begin.elapsed());
    }

    #[test]
    fn hiding_twice_changes_nothing_more() {
        for line in ["password=hunter2 x", r#""token": "abc""#, "a://u:p@h", "Bearer abc123", "pwd: a b"] {
            let once = lines(line, &[]);
            assert_eq!(lines(&once, &[]), once);
        }
    }
}
