use proptest::prelude::*;

use super::*;

const ANSWER: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"text":"x{y"}}"#;

fn lines_of(chunks: &[&[u8]], limit: usize) -> Vec<String> {
    let mut lines = Lines::new(limit);
    let mut found = Vec::new();
    let mut each = |line: Line<'_>| {
        found.push(match line {
            Line::Whole(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            Line::TooLong { start, bytes, .. } => {
                format!("{bytes} bytes: {}", String::from_utf8_lossy(start))
            }
        });
    };
    chunks.iter().for_each(|chunk| lines.push(chunk, &mut each));
    lines.finish(&mut each);
    assert_eq!(lines.waiting(), 0);
    found
}

fn reading(text: &str) -> (usize, usize, Option<NoiseKind>) {
    let Reading { messages, noise } = read(Line::Whole(text.as_bytes()));
    let believed = messages.iter().filter(|found| !found.is_behind_text).count();
    (believed, messages.len() - believed, noise.map(|noise| noise.kind))
}

#[test]
fn lines_end_at_line_feeds_with_or_without_a_return() {
    assert_eq!(lines_of(&[b"a\r\nb\n\nc"], 10), ["a", "b", "", "c"]);
    assert_eq!(lines_of(&[b"ab", b"c\nd", b"", b"e\n"], 10), ["abc", "de"]);
}

#[test]
fn overlong_line_is_reported_and_next_line_arrives() {
    assert_eq!(lines_of(&[b"12345678", b"9abc\nok\n"], 10), ["12 bytes: 123456789abc", "ok"]);
    let long = vec![b'x'; 100_000];
    let found = lines_of(&[&long, &long, b"\nok\n"], 1000);
    assert_eq!(found[0].len(), "200000 bytes: ".len() + SHOWN_BYTES);
    assert_eq!(found[1], "ok");
}

#[test]
fn overlong_line_uses_bounded_memory() {
    let mut lines = Lines::new(1 << 20);
    for _ in 0..64 {
        lines.push(&[b'x'; 1 << 20], |_| panic!("no line ends here"));
        assert!(lines.buffer.capacity() <= (1 << 21), "{}", lines.buffer.capacity());
    }
    assert_eq!(lines.waiting(), 64 << 20);
}

#[test]
fn messages_are_found_alone_adjacent_and_in_a_batch() {
    for (line, count) in [
        (ANSWER.to_owned(), 1),
        (format!("\u{feff} {ANSWER}\r"), 1),
        (format!("\0\0{ANSWER}\0"), 1),
        (format!("\u{1b}[2K\u{1b}[1;32m{ANSWER}\u{1b}[0m"), 1),
        (format!("{ANSWER}{ANSWER}"), 2),
        (format!("{ANSWER} {ANSWER}\t{ANSWER}"), 3),
        (format!("[{ANSWER}, {ANSWER}]"), 2),
        (String::new(), 0),
        ("  \t".to_owned(), 0),
    ] {
        assert_eq!(reading(&line), (count, 0, None), "{line:?}");
    }
}

#[test]
fn message_after_other_text_is_marked() {
    for line in [
        format!("Loading model... {ANSWER}"),
        format!("DEBUG sent {ANSWER} to client"),
        format!("[info] {{not json}} {ANSWER}"),
        format!("{{\"level\":\"info\"}} {ANSWER}"),
    ] {
        let (believed, behind, noise) = reading(&line);
        assert_eq!((believed, behind), (0, 1), "{line}");
        assert!(noise.is_some(), "{line}");
    }
    // Text after a message does not affect it.
    assert_eq!(reading(&format!("{ANSWER} done")), (1, 0, Some(NoiseKind::Text)));
}

#[test]
fn other_lines_are_noise_with_a_reason() {
    for (line, kind) in [
        ("Server started on port 3000".to_owned(), NoiseKind::Text),
        (ANSWER[..20].to_owned(), NoiseKind::Text),
        ("{\"level\":\"info\"}".to_owned(), NoiseKind::NotAMessage),
        ("[1, 2]".to_owned(), NoiseKind::Text),
        ("null".to_owned(), NoiseKind::Text),
        (format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}}", "[".repeat(5000)), NoiseKind::TooDeep),
        (
            format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}{}}}", "[".repeat(200), "]".repeat(200)),
            NoiseKind::TooDeep,
        ),
        ("{".repeat(10_000), NoiseKind::Text),
    ] {
        assert_eq!(reading(&line), (0, 0, Some(kind)), "{}", &line[..line.len().min(60)]);
    }
}

#[test]
fn invalid_utf8_does_not_hide_the_response() {
    let line = [b"\xff\xfe".as_slice(), ANSWER.as_bytes()].concat();
    let Reading { messages, noise } = read(Line::Whole(&line));
    assert_eq!(messages.len(), 1);
    assert_eq!(noise.unwrap().kind, NoiseKind::NotUtf8);
    let Reading { messages, noise } = read(Line::Whole(b"\xff\xfe"));
    assert_eq!((messages.len(), noise.unwrap().kind), (0, NoiseKind::NotUtf8));
}

#[test]
fn unreadable_response_is_matched_by_id() {
    let long = "x".repeat(4000);
    let deep = "[".repeat(300);
    for (line, id) in [
        (format!(r#"{{"jsonrpc":"2.0","id":7,"result":"{long}"}}"#), Some("7")),
        (format!(r#"{{"result":{{"id":5,"a":"{long}"}},"jsonrpc":"2.0","id":7}}"#), Some("7")),
        (format!(r#"{{"result":"{long}","id":"a","jsonrpc":"2.0"}}"#), Some("\"a\"")),
        (format!(r#"{{"jsonrpc":"2.0","id":7,"method":"m","params":"{long}"}}"#), None),
        (format!(r#"{{"result":"{long}","x":{{"id":7}}}}"#), None),
        (format!("log {long}"), None),
    ] {
        let mut found = Vec::new();
        let mut lines = Lines::new(1000);
        lines.push(format!("{line}\n").as_bytes(), |line| found.push(read(line)));
        let noise = found.pop().unwrap().noise.unwrap();
        assert_eq!(noise.kind, NoiseKind::TooLong);
        assert_eq!(noise.id.map(|id| id.to_string()).as_deref(), id, "{}", &line[..40]);
    }
    let line = format!(r#"{{"jsonrpc":"2.0","id":7,"result":{deep}"#);
    let noise = read(Line::Whole(line.as_bytes())).noise.unwrap();
    assert_eq!((noise.kind, noise.id), (NoiseKind::TooDeep, Some(Id::number(7))));
}

#[test]
fn shown_noise_is_bounded() {
    let Noise { shown, .. } = read(Line::Whole("ä".repeat(5000).as_bytes())).noise.unwrap();
    assert!(shown.len() <= SHOWN_BYTES + 8 && shown.ends_with('…'), "{}", shown.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn lines_do_not_depend_on_chunks(
        bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(b'a'), any::<u8>()], 0..200),
        cuts in proptest::collection::vec(0usize..200, 0..8),
        limit in 1usize..40,
    ) {
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
        cuts.sort_unstable();
        cuts.push(bytes.len());
        let mut from = 0;
        let mut chunks = Vec::new();
        for cut in cuts {
            chunks.push(&bytes[from..cut]);
            from = cut;
        }
        prop_assert_eq!(lines_of(&chunks, limit), lines_of(&[&bytes], limit));
    }

    #[test]
    fn any_line_is_read(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(Line::Whole(&bytes));
    }

    #[test]
    fn response_is_found_in_any_text(before in "[^{\n]{0,40}", after in "[^{\n]{0,40}") {
        let line = format!("{before}{ANSWER}{after}");
        prop_assert_eq!(read(Line::Whole(line.as_bytes())).messages.len(), 1);
    }
}
