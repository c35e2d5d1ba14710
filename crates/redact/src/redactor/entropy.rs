//! Which long words look random.
//!
//! The rule: of the pairs of neighbours in the word, at most two in five are usual ones. Usual are two letters
//! that often follow each other in English, and two digits. A letter beside a digit is not. Between `-`, `_`,
//! `/` and `+` nothing is counted, and a capital that begins a word inside (`getName`) counts half. Random
//! words have about one in five; names, paths and identifiers have more than three in five.
//!
//! Left are: what is shorter than 20 characters, hexadecimal digits (hashes, UUIDs), what has no long part
//! without a sign in it, what is longer than 3,584 (contents of files), identifiers of calls and messages, check sums, pictures, public keys and ULIDs.
//!
//! What it hides although it is no secret: identifiers that are random by design, such as those of documents
//! (`1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgVE2upms`), nanoids, and binary data in base64 that is no picture, up to 3,584 characters.

/// The shortest word that may look random, in bytes, and the longest: a private key in one line has some 3,200.
const MIN_CHARS: usize = 20;
const MAX_CHARS: usize = 3584;

/// The longest identifier behind its harmless start, in bytes. Longer ones are hexadecimal.
const MAX_ID: usize = 36;

/// The shortest part without a sign in it that such a word must have; more when there is no digit in it.
const MIN_PART: usize = 12;
const MIN_PART_OF_LETTERS: usize = 24;

/// A word with more usual pairs than this looks like words, in percent.
const MAX_USUAL_PERCENT: usize = 42;

/// The same for a part of a path, which is shorter.
const MAX_USUAL_IN_PATH_PERCENT: usize = 60;

/// What stands between the parts of a word.
const SIGNS: [char; 4] = ['-', '_', '/', '+'];

/// Pairs of letters that make up nine tenths of English and of names in programs.
const USUAL: &str = "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le \
    ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac \
    ot il tr ly nc et ut ss so rs un lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh \
    ir su id os iv ia am fi ci vi pl ig tu ev ld ry mp fe bl ab gh ty op wo sa ay ex ke fr oo av ag if ap gr \
    od bo sp rd do uc bu ei ov by rm ep tt oc fa ef cu rn sc gi da cr cl du qu ue ff ba ey va um pp up ck br \
    ht ob xt ub db ug au pt ld ls ui ds";

/// How identifiers of calls and messages begin, which are random and harmless.
const HARMLESS_IDS: &[&str] =
    &["call_", "toolu_", "msg_", "chatcmpl-", "req_", "thread_", "file-", "resp_", "asst_", "step_", "fc_"];

/// How other words begin that are random and known to be harmless: check sums, pictures.
const HARMLESS_STARTS: &[&str] = &[
    "sha1-",
    "sha256-",
    "sha384-",
    "sha512-",
    "md5-",
    "pk_live_",
    "pk_test_",
    // Pictures, sounds, archives, fonts, documents.
    "iVBORw0KGg",
    "/9j/",
    "R0lGOD",
    "UklGR",
    "PHN2Zy",
    "JVBERi0",
    "UEsDB",
    "H4sI",
    "d09GR",
    "d09GMg",
    "AAEAAAA",
    "T2dnUw",
    "SUQz",
    "AAABAA",
    "Qk0",
    // Public keys of SSH.
    "AAAAB3NzaC1",
    "AAAAC3NzaC1",
    "AAAAE2VjZHNh",
];

/// What stands before random words that are harmless.
const HARMLESS_BEFORE: &[&str] = &["SHA256:", "sha256:", "MD5:", "/nix/store/", "integrity="];

static IS_USUAL: [[bool; 26]; 26] = usual();

const fn usual() -> [[bool; 26]; 26] {
    let mut table = [[false; 26]; 26];
    let bytes = USUAL.as_bytes();
    let mut at = 0;
    while at + 1 < bytes.len() {
        if bytes[at] != b' ' && bytes[at + 1] != b' ' {
            table[(bytes[at] - b'a') as usize][(bytes[at + 1] - b'a') as usize] = true;
        }
        at += 1;
    }
    table
}

/// Whether a word of what base64 is written with looks random; `before` is what stands before it.
pub(super) fn looks_random(before: &str, word: &str) -> bool {
    if !(MIN_CHARS..=MAX_CHARS).contains(&word.len())
        || is_data_address(before)
        || HARMLESS_IDS.iter().any(|start| is_id(word, start))
        || HARMLESS_STARTS.iter().any(|start| word.starts_with(start))
        || HARMLESS_BEFORE
            .iter()
            .any(|end| before.ends_with(end) || end.ends_with('/') && word.starts_with(end))
        || is_ulid(word)
    {
        return false;
    }
    // Names in a path are taken away: what is left may be a part of it that is random.
    let left: Vec<&str> = word.split('/').filter(|part| !is_usual(part)).collect();
    let left = left.join("/");
    let has_digit = left.bytes().any(|byte| byte.is_ascii_digit());
    let longest = left.split(SIGNS).map(str::len).max().unwrap_or_default();
    left.len() >= MIN_CHARS
        && longest >= if has_digit { MIN_PART } else { MIN_PART_OF_LETTERS }
        && usual_percent(&left) <= MAX_USUAL_PERCENT
}

/// Whether `data:font/woff2;base64,` stands before.
fn is_data_address(before: &str) -> bool {
    let near = before.floor_char_boundary(before.len().saturating_sub(80));
    before.ends_with(";base64,") && before[near..].contains("data:")
}

/// Whether a word is an identifier that begins so.
fn is_id(word: &str, start: &str) -> bool {
    word.strip_prefix(start)
        .is_some_and(|rest| rest.len() <= MAX_ID || rest.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Whether a part of a path is a name, a number or a hash.
fn is_usual(part: &str) -> bool {
    part.split(SIGNS).all(is_number_or_hash) || usual_percent(part) > MAX_USUAL_IN_PATH_PERCENT
}

/// How many pairs of neighbours are usual, in percent.
fn usual_percent(word: &str) -> usize {
    // In halves.
    let (mut usual, mut all) = (0, 0);
    for pair in word.as_bytes().windows(2) {
        let (left, right) = (pair[0], pair[1]);
        if !left.is_ascii_alphanumeric() || !right.is_ascii_alphanumeric() {
            continue;
        }
        all += 2;
        match (left.is_ascii_digit(), right.is_ascii_digit()) {
            (true, true) => usual += 2,
            (false, false) if left.is_ascii_lowercase() && right.is_ascii_uppercase() => all -= 1,
            (false, false) => {
                let letter = |byte: u8| usize::from(byte.to_ascii_lowercase() - b'a');
                usual += 2 * usize::from(IS_USUAL[letter(left)][letter(right)]);
            }
            _ => {}
        }
    }
    (usual * 100_usize).checked_div(all).unwrap_or(100)
}

/// Hashes, UUIDs, dates and the words between them. The words must be short enough to be no secret.
fn is_number_or_hash(part: &str) -> bool {
    part.bytes().all(|byte| byte.is_ascii_hexdigit())
        || part.strip_prefix("0x").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_hexdigit()))
        || part.len() < MIN_PART && part.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// 26 characters of which the first says when: an identifier with a time in it.
fn is_ulid(word: &str) -> bool {
    word.len() == 26
        && word.starts_with('0')
        && word.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
}
