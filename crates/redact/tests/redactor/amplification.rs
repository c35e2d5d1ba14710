//! What texts made to take long cost: time that grows as they do, and no more than a fixed multiple of their size.
//!
//! No time is compared with a clock: each text is compared with a shorter one of its kind, and with ordinary prose.

use std::time::{Duration, Instant};

use toolwright_redact::{MAX_NAMED, NamedValues, Redactor};

use super::random::Random;
use super::redactor;

/// The size of the shorter text, and how many times longer the other is. What grows with the square of the length
/// takes 16 times as long.
const SHORT_BYTES: usize = 32 << 10;
const TIMES: usize = 4;

/// How many times the cost may grow, at most: the caches are smaller than the longer text.
const MAX_GROWTH: u32 = 10;

/// What may be measured wrongly: the system counts a thread's time in steps of some milliseconds.
const STEP: Duration = Duration::from_millis(30);

/// How many times as much as prose a text of the same length may cost. `docs/security.md` states it.
const MAX_TIMES_PROSE: u32 = 150;

/// Prose is quick, so more of it is measured.
const PROSE_TIMES: usize = 16;

/// How many times longer the shown text may be: a secret may have one byte, and a mark has 19 with its quotes.
const MAX_TIMES_LONGER: usize = 24;

/// Repeated, each of these was slow once or is close to what was.
const PIECES: &[&str] = &[
    "token=",
    "a=",
    "\"token\": \"",
    "bearer x",
    "bearer \"",
    "x://a:",
    "a://",
    "x://a:b@",
    " is ",
    "pin is '",
    "password: ",
    "pin=1 ",
    "pin:\n ",
    "api_key x",
    "passwd \"",
    "passwort ist ",
    "kind: Secret\n",
    "name: pin\nvalue: ",
    "variable \"pin\" {\ndefault = ",
    "define('pin', '",
    "sqlplus a/",
    "htpasswd -b ",
    "login <<< ",
    "secrets set a=",
    "<a name=\"pin\" ",
    "-----BEGIN A-----\n",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n",
    "-----BEGIN A PRIVATE KEY-----: \n",
    "-----BEGIN x",
    "-----END",
    "[",
    "{\"a\":",
    "{\"value\":1,\"name\":",
    "[{\"token\":[",
    "{pin:1,",
    "\\",
    "\\\\\"",
    "\\u0041",
    "%41",
    "%25",
    "eyJ",
    "sk-",
    "A",
    "q8Zk2LwX0vB7nM4t",
    "q8Zk2LwX0vB7nM4tR6yP1sD3 ",
    "[redacted:12345678]",
    "[redacted",
    "\"",
    "'",
    "é",
    "{\"",
    "[[\"",
    "password \"",
    "password=\\\"",
    "1//0",
    ":AA",
    "1234567:AA",
    "aGVsbG8gd29ybGQg",
    "6869",
    "hunter2-know",
    "hunter2-known",
    " --token ",
    " --",
    " -- ",
    "--user=",
    " -u ",
    "--user=a:",
    "=:",
    "token==",
    "pwd=/",
    "pwd=",
    "passwrod=",
    "eyJ-",
    "eyJ.a.",
    "AKIA",
    "ghp_0123456789abcdefghijABCDEFGHIJ01 ",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6y\n",
    "{\"a\":1} ",
    "[\"a\"] ",
    "aaaab=",
    "<password>",
    "<password>a",
    "identified by '",
    "with password ",
    "machine a password ",
    "4111 ",
    "4111111111111111 ",
    "DE89 ",
    "-p",
    " -p ",
    "mysql -p",
    "a:b:c:",
    "password for ",
];

/// How long a thread worked, and not how long it waited for others.
fn worked() -> Duration {
    let nanos = std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|stat| stat.split(' ').next()?.parse().ok());
    static BEGIN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    nanos.map_or_else(|| BEGIN.get_or_init(Instant::now).elapsed(), Duration::from_nanos)
}

/// The least of some tries.
fn cost(mut work: impl FnMut()) -> Duration {
    let mut once = || {
        let begin = worked();
        work();
        worked() - begin
    };
    (0..2).map(|_| once()).min().unwrap_or_default()
}

/// What is wrong with how the cost of a text grows.
fn growth(name: &str, mut cost_of: impl FnMut(usize) -> Duration) -> Option<String> {
    let (short, long) = (cost_of(SHORT_BYTES), cost_of(SHORT_BYTES * TIMES));
    let is_linear = long <= short * MAX_GROWTH + STEP;
    (!is_linear).then(|| format!("{name}: {short:?}, and {long:?} for {TIMES} times as much"))
}

fn texts(piece: &str, bytes: usize) -> [String; 3] {
    let many = piece.repeat(bytes / piece.len());
    [format!("{{\"a\":\"{many}"), format!("q8Zk2LwX0vB7nM4tR6yP1sD3 {many}"), many]
}

#[test]
fn cost_is_linear_in_every_text_and_close_to_that_of_prose() {
    let redactor = redactor().with_known(vec!["hunter2-known".to_owned()]);
    let look = |text: &str| drop((redactor.json(text), redactor.text(text)));
    let prose = "the quick brown fox jumps over the lazy dog, and nothing else happens. ";
    let prose = prose.repeat(SHORT_BYTES * TIMES * PROSE_TIMES / prose.len());
    let usual = cost(|| look(&prose)) / PROSE_TIMES as u32;
    let (mut wrong, mut worst) = (Vec::new(), (Duration::ZERO, ""));
    for piece in PIECES {
        let mut long = Duration::ZERO;
        wrong.extend(growth(&format!("{piece:?}"), |bytes| {
            let texts = texts(piece, bytes);
            long = cost(|| texts.iter().for_each(|text| look(text)));
            long
        }));
        worst = worst.max((long / 3, piece));
    }
    println!("the worst is {:?} with {:?}; prose takes {usual:?}", worst.1, worst.0);
    if worst.0 > usual * MAX_TIMES_PROSE + STEP {
        wrong.push(format!("{:?} costs {:?}, and prose {usual:?}", worst.1, worst.0));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_shown_is_at_most_a_fixed_multiple_of_what_was_sent() {
    let redactor = redactor();
    let many = |piece: &str| piece.repeat((16 << 10) / piece.len());
    let mut texts: Vec<String> = PIECES.iter().flat_map(|piece| texts(piece, 16 << 10)).collect();
    texts.push(format!("{{\"pin\":[{}1]}}", many("1,")));
    texts.push(format!("{{\"pin\":{{{}\"a\":1}}}}", many("\"\":1,")));
    // Numbers without quotes, deep in strings.
    let mut deep = format!("{{{}", many("pin:1,"));
    for _ in 0..6 {
        deep = serde_json::json!({"a": deep}).to_string();
        texts.push(deep.clone());
    }
    for text in texts {
        for shown in [redactor.json(&text), redactor.text(&text)] {
            let times = shown.len() / text.len();
            assert!(times <= MAX_TIMES_LONGER, "{times} times: {}", &text[..text.floor_char_boundary(60)]);
        }
    }
}

/// Arguments whose hidden values are searched for in the texts next to them.
fn arguments(kind: usize, bytes: usize) -> String {
    let many = |piece: &str| piece.repeat(bytes / piece.len());
    let mut random = Random::new(7);
    let pairs: Vec<String> = (0..bytes / 20).map(|n| format!("\"pin\":\"a{n}-{}\"", n * 7)).collect();
    let alike: Vec<String> =
        (0..100).map(|n| format!("\"token\":\"{}{n}\"", "a".repeat(bytes / 100))).collect();
    match kind {
        0 => format!(r#"{{"a":"{}"}}"#, many("\\\\")),
        1 => format!(r#"{{"token":"{}"}}"#, many("a")),
        2 => format!(r#"{{"token":"{}"}}"#, random.word(bytes)),
        3 => format!(r#"{{"a":"{}"}}"#, many("-----BEGIN PRIVATE KEY-----")),
        4 => format!(
            r#"{{"a":"{}"}}"#,
            many("-----BEGIN PRIVATE KEY-----\\nMIIEabcdefghijkl\\n-----END PRIVATE KEY-----\\n")
        ),
        5 => format!(r#"{{"a":"{}"}}"#, many("ghp_0123456789abcdefghijABCDEFGHIJ01 ")),
        6 => format!(
            r#"{{"a":"{}"}}"#,
            many("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpMeJ\\n")
        ),
        7 => format!(r#"{{"token":"{}"}}"#, many("MIIEabcdefghijklmnop\\n")),
        8 => format!("{{{}}}", pairs.join(",")),
        9 => format!("{{{}}}", alike.join(",")),
        10 => format!(r#"{{"a":"q8Zk2LwX0vB7nM4tR6yP1sD3 {}"}}"#, many("xxxxxxxxxxxxxxxxxxxxxxxx ")),
        _ => format!(r#"{{"a":"password={}"}}"#, many("a ")),
    }
}
const KINDS: usize = 12;

/// What is done for a record: arguments are hidden, and what they hid is hidden in an error.
fn record(redactor: &Redactor, arguments: &str, error: &str) -> NamedValues {
    let (_, named) = redactor.json_and_named(arguments);
    let _ = redactor.and_named(&named).text(error);
    named
}

#[test]
fn searching_for_hidden_values_costs_no_more_than_their_length() {
    let redactor = redactor();
    let mut wrong = Vec::new();
    for kind in 0..KINDS {
        wrong.extend(growth(&format!("arguments {kind}"), |bytes| {
            let (arguments, error) = (arguments(kind, bytes), "a".repeat(bytes));
            cost(|| drop(record(&redactor, &arguments, &error)))
        }));
        // An error that repeats all of it.
        wrong.extend(growth(&format!("arguments {kind}, repeated"), |bytes| {
            let arguments = arguments(kind, bytes);
            cost(|| drop(record(&redactor, &arguments, &arguments)))
        }));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_searched_for_is_bounded_and_more_is_reported() {
    let redactor = redactor();
    let pins = |count: usize| {
        let pins: Vec<String> = (0..count).map(|n| format!("\"pin\":\"pin-number-{n}\"")).collect();
        format!("{{{}}}", pins.join(","))
    };
    let named = record(&redactor, &pins(MAX_NAMED), "");
    assert!(!named.is_incomplete() && !named.is_empty());
    let last = format!("no such door: pin-number-{}", MAX_NAMED - 1);
    assert!(!redactor.and_named(&named).text(&last).contains("pin-number-2"));
    assert!(record(&redactor, &pins(MAX_NAMED + 1), "").is_incomplete());
    // What its own shape reveals need not be searched for, however much there is.
    assert!(record(&redactor, &arguments(5, 64 << 10), "").is_empty());
}

#[test]
fn long_values_are_hidden_as_far_as_they_are_repeated() {
    let redactor = redactor();
    let mut random = Random::new(9);
    let (start, one, other) = ("x-y ".repeat(40), random.base64(300), random.base64(300));
    let arguments =
        serde_json::json!({"token": format!("{start}{one}"), "password": format!("{start}{other}")});
    let (_, named) = redactor.json_and_named(&arguments.to_string());
    let redactor = redactor.and_named(&named);
    for rest in [&one, &other] {
        let value = format!("{start}{rest}");
        let hex: String = value.bytes().map(|byte| format!("{byte:02x}")).collect();
        let percent: String = value.bytes().map(|byte| format!("%{byte:02X}")).collect();
        for text in
            [format!("refused {value}, and so on"), format!("sum {hex} it is"), format!("GET /{percent} now")]
        {
            let shown = redactor.text(&text);
            assert!(!shown.contains("x-y"), "{shown}");
            assert!(!shown.contains(&rest[20..40]) && !shown.contains(&hex[400..440]), "{shown}");
            assert!(!shown.contains(&percent[600..640]), "{shown}");
        }
        // What only begins alike is another text.
        assert_eq!(redactor.text("it said x-y x-y x-z"), "it said x-y x-y x-z");
    }
}

#[test]
fn a_value_that_begins_like_itself_is_found_at_every_place() {
    let value = format!("{}b", "a".repeat(16));
    let redactor = redactor().with_known(vec![value.clone(), "aaaa".to_owned()]);
    assert!(!redactor.text(&format!("aa{value}")).contains(&value));
    assert!(!redactor.text(&format!("x {value} aaaa y")).contains("aaaa"));
}
