//! Properties that hold for all messages.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use toolwright_ledger::patterns::{MAX_MESSAGE, normalize};

/// Parts of typical messages, and characters with a meaning.
fn message() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-z]{1,8}",
        "[0-9]{1,6}",
        "[0-9a-f]{6,12}",
        "/[a-z0-9]{1,5}(/[a-z0-9.]{1,5}){0,3}",
        r"[A-Z]:\\[a-z]{1,5}(\\[a-z. ]{1,5}){0,3}",
        "https?://[a-z]{1,5}\\.[a-z]{2}/[a-z0-9?&=]{0,6}",
        "[a-z]{1,5}@[a-z]{1,5}\\.[a-z]{2}",
        "[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}",
        "<(PATH|N|STR|ID|UUID|TIME|URL|IP|EMAIL|N|B)>?",
        "[\"'`“”«»‘’<>/\\\\:;,.~@ #=+-]{1,4}",
        "\\PC{1,3}",
    ];
    prop::collection::vec((piece, prop_oneof![Just(""), Just(" ")]), 0..20)
        .prop_map(|pieces| pieces.into_iter().flat_map(|(piece, gap)| [piece, gap.to_owned()]).collect())
}

fn id() -> impl Strategy<Value = String> {
    "[0-9a-f]{8,40}".prop_filter("a number or a word", |id| {
        id.bytes().any(|byte| byte.is_ascii_digit())
            && id.bytes().any(|byte| byte.is_ascii_alphabetic() && byte != b'e')
    })
}

fn path() -> impl Strategy<Value = String> {
    prop_oneof![
        "/[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,8}(/[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,8}){0,4}[a-z]",
        r"[A-Z]:\\[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,8}(\\[a-zA-Z0-9_]{1,8}){0,4}[a-z]",
        r"\\\\[a-z]{1,8}\\[a-zA-Z0-9_.-]{0,8}[a-z]",
        "~/[a-zA-Z0-9_]{1,8}(/[a-zA-Z0-9_]{1,8}){0,4}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn normalizing_is_idempotent(message in message(), name in "[a-z]{1,3}") {
        let names = [name];
        let once = normalize(&message, &names);
        prop_assert!(once.len() <= MAX_MESSAGE);
        prop_assert_eq!(normalize(&once, &names), once);
    }

    #[test]
    fn any_text_is_accepted(message in "\\PC{0,300}") {
        let once = normalize(&message, &[]);
        prop_assert_eq!(normalize(&once, &[]), once);
    }

    #[test]
    fn variable_parts_become_placeholders(
        number in -1_000_000_000_i64..1_000_000_000,
        fraction in 0_u32..1_000_000,
        id in id(),
        path in path(),
        uuid in "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        text in "[^\"\\\\\n]{0,40}",
        second in 0_i64..4_000_000_000,
    ) {
        let time = jiff::Timestamp::from_second(second).expect("a moment");
        let message = format!(
            "{number} of {fraction}.5 in {path}: job {id} ({uuid}) said \"{text}\" at {time}, retry in {fraction}ms"
        );
        prop_assert_eq!(
            normalize(&message, &[]),
            "<N> of <N> in <PATH>: job <ID> (<UUID>) said <STR> at <TIME>, retry in <N>ms"
        );
    }
}

#[test]
fn truncated_messages_normalize_idempotently() {
    for unit in ["1 ", "/a/b ", "'x' ", "ä", "<N", "<PATH> 5", "a@", "😀1"] {
        let once = normalize(&unit.repeat(10_000), &[]);
        assert!(once.len() <= MAX_MESSAGE);
        assert_eq!(normalize(&once, &[]), once, "{unit}");
    }
}

/// The bound is far above the usual time: each takes some milliseconds, most of them much less.
#[test]
fn hostile_text_is_normalized_quickly() {
    for unit in [
        "'", "\"\\", "a.", "a/", "a-", "0", "0.", "1:", "@", "a@a.", "<", "<N>", "//", "\\", "C:\\ ", "::",
        "x1", "“", "a1b", " \\a", "«“", "1-", "a1.", "'“\"", "a.1/", "/a:",
    ] {
        let message = unit.repeat((10 << 20) / unit.len());
        let begin = Instant::now();
        let once = normalize(&message, &[]);
        let took = begin.elapsed();
        println!("{unit:?}: {took:?}");
        assert!(took < Duration::from_secs(5), "{unit:?}: {took:?}");
        assert_eq!(normalize(&once, &[]), once, "{unit}");
    }
}
