//! Variable parts of error messages: paths, URLs, numbers, ids, times and quoted text.

use std::sync::LazyLock;

use regex::Regex;

/// Kind of a variable part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VariableKind {
    Path,
    Url,
    Number,
    Id,
    Uuid,
    Time,
    Text,
    Email,
    Ip,
}

impl VariableKind {
    pub const ALL: [VariableKind; 9] = [
        VariableKind::Path,
        VariableKind::Url,
        VariableKind::Number,
        VariableKind::Id,
        VariableKind::Uuid,
        VariableKind::Time,
        VariableKind::Text,
        VariableKind::Email,
        VariableKind::Ip,
    ];

    /// The placeholder in a pattern.
    pub const fn placeholder(self) -> &'static str {
        match self {
            VariableKind::Path => "<PATH>",
            VariableKind::Url => "<URL>",
            VariableKind::Number => "<N>",
            VariableKind::Id => "<ID>",
            VariableKind::Uuid => "<UUID>",
            VariableKind::Time => "<TIME>",
            VariableKind::Text => "<STR>",
            VariableKind::Email => "<EMAIL>",
            VariableKind::Ip => "<IP>",
        }
    }
}

/// The variable part at the start of the text, and its length. `before` is the preceding character. Without
/// `may_be_relative`, relative paths that start with a name are not matched.
pub(super) fn find(text: &str, before: Option<char>, may_be_relative: bool) -> Option<(VariableKind, usize)> {
    let first = text.chars().next()?;
    let is_word_begin = !before.is_some_and(char::is_alphanumeric);
    if matches!(first, '/' | '\\' | '~' | '.') {
        return path(text, before).map(|length| (VariableKind::Path, length));
    }
    if !is_word_begin || !(first.is_alphanumeric() || matches!(first, '+' | '-' | ':')) {
        return None;
    }
    if let Some(length) = url(text) {
        return Some((VariableKind::Url, length));
    }
    if let Some(length) = email(text) {
        return Some((VariableKind::Email, length));
    }
    if let Some(length) = begins(&UUID, text) {
        return Some((VariableKind::Uuid, length));
    }
    if let Some(length) = begins(&TIME, text) {
        return Some((VariableKind::Time, length));
    }
    if let Some(length) = ip(text) {
        return Some((VariableKind::Ip, length));
    }
    if let Some(length) =
        windows_path(text).or_else(|| may_be_relative.then(|| relative_path(text)).flatten())
    {
        return Some((VariableKind::Path, length));
    }
    number_or_id(text)
}

/// Length of the word at the start of the text.
pub(super) fn word(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len())
}

/// Result of matching a quoted text.
pub(super) enum QuotedText<'a> {
    /// No quote. An apostrophe inside a word is none.
    No,
    /// The text without its quotes, and its length with them.
    Yes(&'a str, usize),
    /// An opening quote without a closing one on this line, whose end is at this length.
    Open(usize),
}

/// Matches a quoted text.
pub(super) fn quoted(text: &str, before: Option<char>) -> QuotedText<'_> {
    let Some(open) = text.chars().next() else { return QuotedText::No };
    let close = match open {
        '"' | '`' => open,
        '\'' if !before.is_some_and(char::is_alphanumeric) => open,
        '“' | '„' => '”',
        '‘' if !before.is_some_and(char::is_alphanumeric) => '’',
        '«' => '»',
        _ => return QuotedText::No,
    };
    let inside = &text[open.len_utf8()..];
    let mut is_escaped = false;
    for (at, c) in inside.char_indices() {
        match c {
            '\n' => return QuotedText::Open(open.len_utf8() + at),
            '\\' if !is_escaped && open == '"' => {
                is_escaped = true;
                continue;
            }
            _ if c == close && !is_escaped => {
                return QuotedText::Yes(&inside[..at], open.len_utf8() + at + close.len_utf8());
            }
            _ => {}
        }
        is_escaped = false;
    }
    QuotedText::Open(text.len())
}

/// Continuation of a Windows path after a space: Windows paths contain spaces.
pub(super) fn rest_of_windows_path(text: &str) -> Option<usize> {
    let rest = text.strip_prefix(' ')?;
    let length = path_end(rest);
    let more = &rest[..length];
    let is_new = more.starts_with('\\') || more.chars().nth(1) == Some(':');
    (more.contains('\\') && !is_new).then(|| 1 + trimmed(more))
}

/// An absolute path, one relative to home or to the current folder, or a UNC path.
fn path(text: &str, before: Option<char>) -> Option<usize> {
    if before
        .is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '/' | '\\' | '~' | '<' | '>'))
    {
        return None;
    }
    let name =
        ["~/", "~\\", "../", "..\\", "./", ".\\", "\\\\", "/"].iter().find_map(|it| text.strip_prefix(it))?;
    let is_name =
        |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '~' | '@' | '$' | '%' | '+' | '#');
    name.starts_with(is_name).then(|| trimmed(&text[..path_end(text)]))
}

/// A path with a drive letter.
fn windows_path(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_one = bytes.first()?.is_ascii_alphabetic()
        && bytes.get(1) == Some(&b':')
        && matches!(bytes.get(2), Some(b'\\' | b'/'));
    is_one.then(|| (2 + trimmed(&text[2..][..path_end(&text[2..])])).max(3))
}

/// A path that starts with a name: two separators, or one and a file extension. `and/or` is none.
fn relative_path(text: &str) -> Option<usize> {
    let whole = &text[..path_end(text)];
    let whole = &whole[..trimmed(whole)];
    let separators = whole.bytes().filter(|byte| matches!(byte, b'/' | b'\\')).count();
    let last = whole.rsplit(['/', '\\']).next()?;
    let has_ending = last.rsplit_once('.').is_some_and(|(name, ending)| {
        !name.is_empty()
            && (1..=5).contains(&ending.len())
            && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && ending.bytes().any(|byte| byte.is_ascii_alphabetic())
    });
    (separators >= 2 || (separators == 1 && has_ending)).then_some(whole.len())
}

/// End of a path: spaces, quotes and brackets are not expected in it.
pub(super) fn path_end(text: &str) -> usize {
    let ends = |c: char| c.is_whitespace() || "\"'`<>|,;:()[]{}*?!=“”„‘’«»".contains(c);
    text.find(ends).unwrap_or(text.len())
}

/// Length without trailing punctuation.
fn trimmed(text: &str) -> usize {
    text.trim_end_matches(['.', ',', ':', ';', '!', '?']).len()
}

/// Longer URL schemes are not in use.
const MAX_SCHEME: usize = 16;

fn url(text: &str) -> Option<usize> {
    let start = &text.as_bytes()[..text.len().min(MAX_SCHEME + 3)];
    let scheme = start.windows(3).position(|three| three == b"://").filter(|at| *at >= 2)?;
    let is_scheme = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    if !text.bytes().take(scheme).all(is_scheme) {
        return None;
    }
    let ends = |c: char| c.is_whitespace() || "\"'`<>|()[]{}“”„‘’«»".contains(c);
    let length = text.find(ends).unwrap_or(text.len());
    let length = trimmed(&text[..length]);
    (length > scheme + 3).then_some(length)
}

/// Maximum length of the local part of an email address (RFC 5321).
const MAX_EMAIL_NAME: usize = 64;

fn email(text: &str) -> Option<usize> {
    let start = &text.as_bytes()[..text.len().min(MAX_EMAIL_NAME + 1)];
    start.contains(&b'@').then(|| begins(&EMAIL, text)).flatten()
}

/// Maximum length of the text form of an IPv6 address.
const MAX_IPV6: usize = 45;

fn ip(text: &str) -> Option<usize> {
    if let Some(length) = begins(&IPV4, text) {
        return Some(length);
    }
    let is_part = |byte: &u8| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.');
    let length = text.bytes().take(MAX_IPV6 + 1).take_while(is_part).count();
    let whole = &text[..length];
    let whole = &whole[..whole.trim_end_matches('.').len()];
    (whole.len() > 2 && whole.bytes().filter(|byte| *byte == b':').count() >= 2)
        .then(|| whole.parse::<std::net::Ipv6Addr>().ok().map(|_| whole.len()))
        .flatten()
}

/// A number, or a generated run of letters and digits. `utf8` and `int32` are neither.
fn number_or_id(text: &str) -> Option<(VariableKind, usize)> {
    let word = &text[..word(text)];
    if word.is_empty() {
        return begins(&NUMBER, text).map(|length| (VariableKind::Number, length));
    }
    if is_id(word) {
        return Some((VariableKind::Id, word.len()));
    }
    begins(&NUMBER, text).map(|length| (VariableKind::Number, length))
}

fn is_id(word: &str) -> bool {
    if !word.is_ascii() {
        return false;
    }
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    if digits == 0 || digits == word.len() {
        return false;
    }
    let is_hex = |word: &str| word.bytes().all(|byte| byte.is_ascii_hexdigit());
    if let Some(hex) = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        return is_hex(hex);
    }
    // A number with an exponent is not an id.
    let is_power = begins(&NUMBER, word) == Some(word.len());
    if word.len() >= 6 && is_hex(word) && !is_power {
        return true;
    }
    let turns =
        word.as_bytes().windows(2).filter(|two| two[0].is_ascii_digit() != two[1].is_ascii_digit()).count();
    word.len() >= 12 && digits >= 2 && turns >= 3
}

fn begins(regex: &LazyLock<Option<Regex>>, text: &str) -> Option<usize> {
    Some(regex.as_ref()?.find(text)?.end())
}

/// The tests check that every pattern compiles: without it nothing would match.
fn compiled(pattern: &str) -> Option<Regex> {
    Regex::new(pattern).ok()
}

static UUID: LazyLock<Option<Regex>> =
    LazyLock::new(|| compiled(r"(?i)\A[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"));

static EMAIL: LazyLock<Option<Regex>> =
    LazyLock::new(|| compiled(r"\A[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+"));

static IPV4: LazyLock<Option<Regex>> = LazyLock::new(|| compiled(r"\A(?:[0-9]{1,3}\.){3}[0-9]{1,3}\b"));

static NUMBER: LazyLock<Option<Regex>> =
    LazyLock::new(|| compiled(r"\A[+-]?[0-9]+(?:[.,][0-9]+)*(?:[eE][+-]?[0-9]+)?"));

/// Dates with and without a time, times alone, and the date formats of HTTP and email.
static TIME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compiled(
        r"(?x)\A(?:
            [0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}
                (?: (?:[Tt]|\x20) [0-9]{1,2}:[0-9]{2} (?: :[0-9]{2} (?:[.,][0-9]+)? )? )?
                (?: \x20?(?:Z|z|UTC|GMT)\b | \x20?[+-][0-9]{2}:?[0-9]{2}\b )?
          | [0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{4} (?: ,?\x20[0-9]{1,2}:[0-9]{2}(?: :[0-9]{2})? )?
          | [0-9]{1,2}:[0-9]{2}:[0-9]{2} (?:[.,][0-9]+)? (?:\x20?[AaPp][Mm]\b)?
          | (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),?\x20
            (?: [0-9]{1,2}\x20(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)
              | (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\x20{1,2}[0-9]{1,2} )
            (?:\x20[0-9]{4})? \x20[0-9]{2}:[0-9]{2}:[0-9]{2}
            (?:\x20(?:GMT|UTC|[+-][0-9]{4}))? (?:\x20[0-9]{4})?
        )",
    )
});

#[cfg(test)]
mod tests {
    use super::super::normalize;

    fn pattern(message: &str) -> String {
        normalize(message, &[])
    }

    #[test]
    fn each_kind_is_found() {
        for (message, expected) in [
            ("open /home/ann/a.txt: no", "open <PATH>: no"),
            ("open ~/a.txt.", "open <PATH>."),
            ("open ./a/b and ../c", "open <PATH> and <PATH>"),
            (r"open C:\Users\ann\a.txt failed", "open <PATH> failed"),
            (r"open C:\Program Files\My App\a.txt: no", "open <PATH>: no"),
            ("open d:/x/y", "open <PATH>"),
            (r"open \\host\share\a.txt", "open <PATH>"),
            ("in src/main.rs:12:5", "in <PATH>:<N>:<N>"),
            (r"in src\main.rs", "in <PATH>"),
            ("GET https://example.org/a?b=1&c=2 failed", "GET <URL> failed"),
            ("(see http://x.y/z).", "(see <URL>)."),
            ("took 1500 ms, 1.5 s, -3, 1e9 and 10ms", "took <N> ms, <N> s, <N>, <N> and <N>ms"),
            ("user_42 of item-7", "user_<N> of item-<N>"),
            ("commit 3f9a2bc4d1 is not 0xDEADBEEF0", "commit <ID> is not <ID>"),
            ("req_01HV3K9QZ8XW2 failed", "req_<ID> failed"),
            ("no 123e4567-e89b-12d3-a456-426614174000 here", "no <UUID> here"),
            ("at 2026-03-16T10:11:12.345Z it", "at <TIME> it"),
            ("at 2026-03-16 10:11:12 +0100 it", "at <TIME> it"),
            ("on 2026-03-16, at 10:11:12", "on <TIME>, at <TIME>"),
            ("since Mon, 16 Mar 2026 10:11:12 GMT", "since <TIME>"),
            ("mail ann.b+c@example.co.uk now", "mail <EMAIL> now"),
            ("connect 10.0.0.1:8080 or ::1 or fe80::1", "connect <IP>:<N> or <IP> or <IP>"),
            (
                "no 'x' nor \"a \\\" b\" nor `c` nor “d” nor «e»",
                "no <STR> nor <STR> nor <STR> nor <STR> nor <STR>",
            ),
        ] {
            assert_eq!(pattern(message), expected);
        }
    }

    #[test]
    fn words_stay() {
        for message in [
            "expected application/json and/or text",
            "utf8, sha256, base64 and int32 are words",
            "can't and won't, the dogs' bone",
            "tools/call is unknown",
            "a:b, c=d; e|f <b> </b",
            "it's 'open",
            "",
        ] {
            assert_eq!(pattern(message), message);
        }
    }

    #[test]
    fn parameter_names_stay_in_quotes_and_pointers() {
        let names = ["path".to_owned(), "old text".to_owned()];
        assert_eq!(
            normalize("'path' and \"old text\" at /path, not 'other' in /other", &names),
            "'path' and \"old text\" at /path, not <STR> in <PATH>"
        );
    }
}
