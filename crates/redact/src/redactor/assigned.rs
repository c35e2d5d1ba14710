//! Secrets that stand behind their names in text: `password=…`, `"token": …`, `--api-key …`, `the pin is …`.
//!
//! Names are looked for before `:` and `=`, so most texts cost one search. What says something of a secret
//! (`password: missing`) or is a piece of a program that only handles one (`token = read_token()`) is left.

use super::addresses::end_of_word;
use super::keys::Keys;
use super::spans::Found;
use super::walk::is_reference;
use crate::key_names::is_harmless_value;
use crate::lines::PLAIN_VALUES;

/// The longest name, in bytes. Of longer ones the end is looked at.
const MAX_NAME_BYTES: usize = 64;

/// The most signs between a name and what is assigned to it.
const MAX_BETWEEN_BYTES: usize = 12;

/// More words that are no secrets: types, and how sentences go on.
const NO_SECRETS: &[&str] = &[
    "a",
    "about",
    "after",
    "already",
    "also",
    "always",
    "an",
    "and",
    "any",
    "are",
    "as",
    "at",
    "be",
    "been",
    "before",
    "being",
    "bool",
    "boolean",
    "both",
    "by",
    "bytes",
    "can",
    "case",
    "char",
    "checked",
    "const",
    "correct",
    "could",
    "created",
    "default",
    "different",
    "disabled",
    "does",
    "done",
    "enabled",
    "encrypted",
    "for",
    "from",
    "generated",
    "going",
    "hashed",
    "here",
    "how",
    "if",
    "in",
    "int",
    "integer",
    "is",
    "it",
    "just",
    "kept",
    "known",
    "long",
    "lost",
    "me",
    "more",
    "most",
    "my",
    "new",
    "nil",
    "now",
    "number",
    "object",
    "of",
    "off",
    "old",
    "on",
    "only",
    "open",
    "option",
    "optional",
    "or",
    "our",
    "over",
    "passed",
    "per",
    "printed",
    "private",
    "public",
    "read",
    "reset",
    "safe",
    "same",
    "saved",
    "secret",
    "secure",
    "sensitive",
    "sent",
    "shared",
    "short",
    "shown",
    "so",
    "some",
    "static",
    "still",
    "stored",
    "str",
    "string",
    "strong",
    "stuff",
    "taken",
    "text",
    "that",
    "the",
    "their",
    "then",
    "there",
    "this",
    "to",
    "type",
    "typeof",
    "unique",
    "until",
    "up",
    "use",
    "used",
    "using",
    "value",
    "very",
    "void",
    "was",
    "weak",
    "what",
    "when",
    "where",
    "which",
    "who",
    "will",
    "with",
    "without",
    "you",
    "your",
];

/// Names whose value is the rest of the line, unless it is in quotes.
const WHOLE_LINE: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passwort",
    "kennwort",
    "mnemonic",
    "phrase",
    "cookie",
    "authorization",
];

/// Names that also mean something else: their value must look like more than a word.
const WEAK: &[&str] = &[
    "auth",
    "session",
    "authentication",
    "bearer",
    "pin",
    "secret",
    "secrets",
    "token",
    "jwt",
    "cookies",
    "pass",
    "pw",
    "sid",
    "sas",
    "clave",
    "pins",
    "dsn",
    "parole",
    "hmac",
];

/// Names that a sentence of a prompt may have between them and their value: `Password for bob: x`.
const PROMPTED: &[&str] = &["password", "passwd", "passphrase", "passwort", "kennwort", "passcode", "pin"];

/// Names that are secret unless their value says otherwise.
const WEAK_ALONE: &[&str] = &["pass", "pw", "sid", "sas", "clave"];

/// Ends of a name that say nothing alone: `api key`, `token value`.
const NEEDS_WORD_BEFORE: &[&str] = &[
    "key",
    "code",
    "phrase",
    "value",
    "id",
    "string",
    "hash",
    "header",
    "word",
    "passe",
    "sandi",
    "khẩu",
    "المرور",
    "number",
];

/// Parts of an address's query that are secrets there, and nowhere else.
const IN_QUERY: &[&str] =
    &["key", "sig", "signature", "code", "x-amz-signature", "x-amz-credential", "sas", "hmac"];

/// How expressions of programs begin.
const EXPRESSIONS: &[&str] = &[
    "self.",
    "this.",
    "process.",
    "os.",
    "config.",
    "cfg.",
    "args.",
    "opts.",
    "options.",
    "req.",
    "request.",
    "env.",
    "settings.",
    "props.",
    "ctx.",
    "context.",
    "params.",
    "data.",
    "user.",
    "body.",
    "event.",
    "std::",
    "await ",
    "new ",
    "&",
    "*",
    "$",
    "<",
    "{",
    "[",
    "(",
    "@",
    "%(",
    "%s",
    "%d",
    "Option<",
    "Vec<",
    "String::",
    "Box<",
];

/// Hides what is assigned to names of secrets.
pub(super) fn find(text: &str, keys: &Keys, found: &mut Found<'_>) {
    let mut at = 0;
    while let Some(sign) = text[at..].find([':', '=', '：', '＝']).map(|sign| at + sign) {
        let signs = &text[sign..];
        let behind = signs.trim_start_matches([':', '=', '>', '~', '：', '＝']);
        let signs = &signs[..signs.len() - behind.len()];
        at = sign + signs.len();
        // `std::auth::login`, `https://`
        if signs == "::" || signs.ends_with(':') && behind.starts_with("//") {
            continue;
        }
        if let Some(name) = secret_name(text, sign, keys) {
            at = value(text, name, signs, at, found).max(at);
        }
    }
}

/// Hides what follows `--password `, and what is said of names: `the password is …`.
pub(super) fn find_said(text: &str, keys: &Keys, found: &mut Found<'_>) {
    for (at, _) in text.match_indices(" --").chain(text.starts_with("--").then_some((0, "--"))) {
        let option = text[at..].trim_start_matches(' ');
        let start = text.len() - option.trim_start_matches('-').len();
        let name = name_at(&text[start..]);
        let value = start + name.len() + 1;
        let is_harmless = |value: &str| keys.weak(name).is_some_and(|weak| is_harmless_value(weak, value));
        if text.as_bytes().get(value - 1) == Some(&b' ')
            && keys.is_secret(name)
            && !is_harmless(&text[value..end_of_word(text, value)])
        {
            one_word(text, value, found);
        }
    }
    for (at, _) in text.match_indices(" is ") {
        let Some(name) = secret_name(text, at, keys) else { continue };
        let value = at + 4;
        if text[value..].starts_with(['"', '\'', '`']) {
            quoted(text, value, found);
            continue;
        }
        let word = bare(&text[value..end_of_word(text, value)]);
        let is_mere_word = word.bytes().all(|byte| byte.is_ascii_alphabetic() || b"'-".contains(&byte));
        let is_password = WHOLE_LINE.iter().any(|whole| name.to_ascii_lowercase().ends_with(whole));
        if !is_mere_word || is_password {
            one_word(text, value, found);
        }
    }
}

fn one_word(text: &str, value: usize, found: &mut Found<'_>) {
    if text[value..].starts_with(['"', '\'', '`']) {
        quoted(text, value, found);
        return;
    }
    let end = end_of_word(text, value);
    let word = text[value..end].trim_end_matches(['.', '!', '?', '…', ':']);
    if !is_plain(word) && !word.starts_with(['-', '<', '$', '[']) {
        found.add(value, value + word.len());
    }
}

/// The name before this place, if it is one of a secret.
pub(super) fn secret_name<'t>(text: &'t str, end: usize, keys: &Keys) -> Option<&'t str> {
    let bytes = text.as_bytes();
    let is_between = |byte: &u8| b" \t\"'`\\]?!*".contains(byte);
    let between =
        bytes[..end].iter().rev().take(MAX_BETWEEN_BYTES).take_while(|byte| is_between(byte)).count();
    let end = end - between;
    let start = begin_of_name(text, end);
    let name = &text[start..end];
    if name.is_empty() {
        return None;
    }
    if keys.is_secret(name) {
        return Some(name);
    }
    let lower = name.to_ascii_lowercase();
    if matches!(lower.as_str(), "value" | "default") && is_described(&text[..start], keys) {
        return Some(name);
    }
    if matches!(bytes[..start].last(), Some(b'?' | b'&')) && IN_QUERY.contains(&lower.as_str()) {
        return Some(name);
    }
    if !NEEDS_WORD_BEFORE.contains(&lower.as_str()) || bytes[..start].last() != Some(&b' ') {
        return prompted(text, end);
    }
    let mut start = start;
    // `api key`, `mot de passe`
    for _ in 0..2 {
        if !text[..start].ends_with(' ') {
            return None;
        }
        let before = begin_of_name(text, start - 1);
        if before + 1 >= start {
            return None;
        }
        if keys.is_secret(&text[before..end]) {
            return Some(&text[before..end]);
        }
        start = before;
    }
    None
}

/// Whether the line before is `- name: DB_PASSWORD` or `variable "db_password" {`, so that this one has its value.
fn is_described(before: &str, keys: &Keys) -> bool {
    let from = before.floor_char_boundary(before.len().saturating_sub(2 * MAX_NAME_BYTES));
    let mut lines = before[from..].rsplit('\n').skip(1).map(|line| line.trim().trim_start_matches("- "));
    let Some(line) = lines.next() else { return false };
    let name = match (line.split_once(": "), line.strip_prefix("variable ")) {
        (Some(("name" | "key", name)), _) => name,
        (_, Some(variable)) => variable.trim_end_matches(['{', ' ']),
        _ => return false,
    };
    keys.is_secret(name.trim().trim_matches(['"', '\'']))
}

/// The name in `Password for bob`, which ends here.
fn prompted(text: &str, end: usize) -> Option<&str> {
    let from = text.floor_char_boundary(end.saturating_sub(MAX_NAME_BYTES));
    let line = &text[from..end];
    let line = &line[line.rfind(['\n', ';', ':', '=']).map_or(0, |sign| sign + 1)..];
    let (before, _) = line.rsplit_once(" for ")?;
    let name = before.rsplit(|c: char| !c.is_alphanumeric()).next()?;
    PROMPTED.iter().any(|prompted| prompted.eq_ignore_ascii_case(name)).then_some(name)
}

fn begin_of_name(text: &str, end: usize) -> usize {
    let is_name = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let mut start = end;
    for c in text[..end].chars().rev().take_while(is_name) {
        if end - start >= MAX_NAME_BYTES {
            break;
        }
        start -= c.len_utf8();
    }
    start
}

fn name_at(text: &str) -> &str {
    let length = text
        .bytes()
        .take(MAX_NAME_BYTES)
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte));
    &text[..length.count()]
}

/// Hides the value behind these signs and says where to go on.
fn value(text: &str, name: &str, signs: &str, from: usize, found: &mut Found<'_>) -> usize {
    let blanks = text[from..].len() - text[from..].trim_start_matches([' ', '\t']).len();
    let start = from + blanks;
    let rest = &text[start..];
    let unescaped = rest.trim_start_matches('\\');
    if unescaped.starts_with(['"', '\'', '`']) {
        return quoted(text, start, found);
    }
    let lower = name.to_ascii_lowercase();
    // The folder in which a program runs; a comparison.
    if rest.starts_with(['/', '~']) && lower.ends_with("pwd") || signs.ends_with("==") {
        return from;
    }
    let mut end = end_of_word(text, start);
    let word = &text[start..end];
    if let Some(line) = rest.bytes().take(4).position(|byte| byte == b'\n')
        && matches!(rest[..line].trim_end(), "" | ">" | ">-" | "|" | "|-")
    {
        return below(text, start + line + 1, found).unwrap_or(from);
    }
    if matches!(lower.as_str(), "code") && word.len() < 4 && word.bytes().all(|byte| byte.is_ascii_digit()) {
        return from;
    }
    let weak = WEAK_ALONE.iter().find(|weak| lower.ends_with(*weak));
    if weak.is_some_and(|weak| {
        is_harmless_value(weak, bare(word)) || lower == *weak && signs != "=" && is_in_sentence(text, name)
    }) {
        return from;
    }
    let is_whole_line =
        WHOLE_LINE.iter().any(|whole| lower.ends_with(whole)) && (blanks > 0 || lower.ends_with("cookie"));
    // A phrase of several words may begin with any word.
    let says_nothing = match is_whole_line && text[end..].starts_with(' ') {
        true => PLAIN_VALUES.iter().any(|plain| plain.eq_ignore_ascii_case(bare(word))),
        false => is_plain(word),
    };
    if says_nothing || is_reference(word) {
        return from;
    }
    if blanks > 0 && is_expression(text, start, word) {
        return from;
    }
    let is_mere_word = word.len() < 16 && bare(word).bytes().all(|byte| byte.is_ascii_alphabetic());
    if WEAK.contains(&lower.as_str()) && blanks > 0 && is_mere_word {
        return from;
    }
    if is_whole_line && !is_in_list(text, name) {
        let line = text[start..].find(['\n', '\r', '"']).map_or(text.len(), |end| start + end);
        end = line.max(end);
    }
    let scheme = scheme_bytes(&text[start..end]);
    if scheme > 0 && start + scheme >= end {
        // Only the scheme is in this word.
        end = end_of_word(text, start + scheme);
    }
    let shown = text[start..end].trim_end_matches([' ', '\\']);
    found.add(start + scheme.min(shown.len()), start + shown.len());
    end
}

/// Hides a value that is alone on the line that begins here, deeper than its name: YAML.
fn below(text: &str, start: usize, found: &mut Found<'_>) -> Option<usize> {
    let line = text[start..].split('\n').next().filter(|line| line.starts_with([' ', '\t']))?;
    let value = line.trim().trim_matches(['"', '\'']);
    if is_plain(value)
        || is_reference(value)
        || value.contains([' ', ':', '=', '{', '['])
        || value.starts_with('-')
    {
        return None;
    }
    let at = value.as_ptr() as usize - text.as_ptr() as usize;
    found.add(at, at + value.len());
    Some(at + value.len())
}

/// Whether the name is one of several on its line: `{password: …, n: 1}`.
fn is_in_list(text: &str, name: &str) -> bool {
    let start = name.as_ptr() as usize - text.as_ptr() as usize;
    text[..start].trim_end_matches([' ', '"', '\'']).ends_with(['{', ',', '('])
}

/// Whether a name is a word of a sentence or of a report: `PASS: test_login`, `second pass: 3 s`.
fn is_in_sentence(text: &str, name: &str) -> bool {
    let start = name.as_ptr() as usize - text.as_ptr() as usize;
    let before = text[..start].strip_suffix(' ');
    name.bytes().all(|byte| byte.is_ascii_uppercase())
        || before.is_some_and(|before| before.ends_with(|c: char| c.is_alphanumeric() || c == '-'))
}

/// How long `Bearer ` is, when the value begins with it.
fn scheme_bytes(value: &str) -> usize {
    let schemes = ["bearer ", "basic ", "token ", "digest "];
    let begins =
        |scheme: &&str| value.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(scheme));
    schemes.iter().find(|scheme| begins(scheme)).map_or(0, |scheme| scheme.len())
}

/// Hides what stands in the quotes that begin here, and says where they end. They may be escaped.
fn quoted(text: &str, start: usize, found: &mut Found<'_>) -> usize {
    let slashes = text[start..].len() - text[start..].trim_start_matches('\\').len();
    let inside = start + slashes + 1;
    let Some(quote) = text.as_bytes().get(inside - 1) else { return start };
    let mut end = inside;
    let mut before = 0;
    for byte in text[inside..].bytes() {
        if byte == b'\n' || byte == *quote && before <= slashes {
            break;
        }
        before = if byte == b'\\' { before + 1 } else { 0 };
        end += 1;
    }
    // The slashes before the closing quote belong to it.
    let value = text[inside..end].trim_end_matches('\\');
    if !is_plain(value) && !is_reference(value) {
        let scheme = scheme_bytes(value);
        found.add(inside + scheme, inside + value.len());
    }
    end
}

/// Whether a value says something of a secret and is none.
pub(super) fn is_plain(word: &str) -> bool {
    let word = bare(word);
    let is_in = |list: &[&str]| list.iter().any(|plain| plain.eq_ignore_ascii_case(word));
    word.is_empty() || word.len() <= 12 && (is_in(PLAIN_VALUES) || is_in(NO_SECRETS))
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Whether a piece of a program stands here and not a value.
fn is_expression(text: &str, start: usize, word: &str) -> bool {
    if EXPRESSIONS.iter().any(|begin| text[start..].starts_with(begin)) {
        return true;
    }
    // `read_token(`, `Session::new()`, `tokens.next()`
    let called = word.find('(').map(|end| &word[..end]);
    called.is_some_and(|name| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(|byte| byte.is_ascii_alphabetic() || b"_.:!<>".contains(&byte))
    })
}
