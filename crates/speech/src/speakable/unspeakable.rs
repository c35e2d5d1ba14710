//! Unspeakable parts of a text: emojis, addresses, codes.

/// How much is removed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Strictness {
    /// Removes what cannot be spoken.
    Answer,
    /// Also removes technical details of a failure.
    Failure,
}

/// Punctuation that is spoken or affects the pronunciation.
const SIGNS: &str = ".,;:!?'\"()%€$£°+-&/";

/// The replacement of an address.
const LINK: &str = "a link";

/// The sentence in speakable characters.
pub(super) fn plain(sentence: &str) -> String {
    let words = sentence.split_whitespace().map(|word| {
        let spoken = characters(word);
        if is_address(word) || is_address(&spoken) { LINK.to_owned() } else { spoken }
    });
    let mut out = String::with_capacity(sentence.len());
    for word in words.filter(|word| !word.is_empty()) {
        if !out.is_empty() && !matches!(word.as_str(), "." | "," | ":" | ";" | "!" | "?") {
            out.push(' ');
        }
        out.push_str(&word);
    }
    out
}

fn characters(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    for c in word.chars() {
        match c {
            '’' | '‘' => out.push('\''),
            '“' | '”' | '„' | '«' | '»' => out.push('"'),
            '–' | '—' => out.push('-'),
            '…' => out.push('.'),
            c if is_letter(c) || SIGNS.contains(c) => out.push(c),
            // Drops brackets, arrows, emojis, joiners and control characters.
            _ => {}
        }
    }
    out
}

/// Letters and digits, except pictographs.
fn is_letter(c: char) -> bool {
    c.is_alphanumeric() && !matches!(c, '\u{2460}'..='\u{27BF}' | '\u{1F000}'..='\u{1FAFF}')
}

fn is_address(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/').to_ascii_lowercase();
    word.contains("://") || word.starts_with("www.") || word.starts_with("mailto:")
}

/// Whether a sentence contains technical terms.
pub(super) fn is_technical(sentence: &str, strictness: Strictness) -> bool {
    let words: Vec<&str> = sentence.split_whitespace().map(bare).collect();
    let is_port = |at: usize, word: &str| {
        let is_word = word.eq_ignore_ascii_case("port") || word.eq_ignore_ascii_case("ports");
        let next_is_number = words.get(at + 1).is_some_and(|next| next.chars().any(|c| c.is_ascii_digit()));
        is_word && (strictness == Strictness::Failure || next_is_number)
    };
    words.iter().enumerate().any(|(at, word)| is_code(word) || is_port(at, word))
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Matches `ECONNREFUSED`, `TypeError`, `0x7f`, `127.0.0.1:1883`, `/usr/lib/x.so`, `a::b`, an id of thirty
/// letters.
fn is_code(word: &str) -> bool {
    let is_errno = word.len() >= 5
        && word.starts_with('E')
        && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
        && ERRNO_WORDS.iter().any(|part| word.contains(part));
    let is_class = word.len() > 5
        && (word.ends_with("Error") || word.ends_with("Exception"))
        && word.chars().filter(|c| c.is_ascii_uppercase()).count() >= 2;
    let is_hex = word.len() > 2 && (word.starts_with("0x") || word.starts_with("0X"));
    let is_place = word.matches('.').count() == 3
        && word.split(['.', ':']).all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()));
    let has_port = word.rsplit_once(':').is_some_and(|(host, port)| {
        port.len() >= 2 && port.chars().all(|c| c.is_ascii_digit()) && host.chars().any(char::is_alphabetic)
    });
    let is_path = word.matches('/').count() >= 2 && !word.chars().all(|c| c.is_ascii_digit() || c == '/');
    let is_member = word.contains("::") || word.contains("()");
    let is_id =
        word.len() >= 24 && word.chars().any(|c| c.is_ascii_digit()) && word.chars().any(char::is_alphabetic);
    is_errno || is_class || is_hex || is_place || has_port || is_path || is_member || is_id
}

/// Parts of the names of system errors.
const ERRNO_WORDS: &[&str] = &[
    "CONN", "NOTFOUND", "TIMEDOUT", "HOST", "PIPE", "ACCES", "NOENT", "ADDR", "NET", "AGAIN", "PERM",
    "INVAL", "PROTO", "EXIST", "ISDIR", "NOTDIR", "MFILE", "NOSPC", "BUSY",
];
