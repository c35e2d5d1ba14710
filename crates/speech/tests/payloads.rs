//! Message parsers, with valid and hostile input.

use toolwright_speech::{Event, FrameError, Frames, PayloadError, read_hermes, read_payload};

#[test]
fn the_message_of_the_seed_is_read() {
    let payload = br#"{"text":"turn on switch one","timestamp":"2026-11-17T08:00:00.123Z","source":"voice-gateway-oww","duration":1.2}"#;
    let arrived = read_payload(payload).expect("it is in order");
    assert_eq!(
        (arrived.text.as_str(), arrived.source.as_deref()),
        ("turn on switch one", Some("voice-gateway-oww"))
    );
    assert_eq!(arrived.said_at.map(|at| at.to_string()).as_deref(), Some("2026-11-17T08:00:00.123Z"));
    assert_eq!((arrived.conversation.as_str(), arrived.id), ("voice-gateway-oww", None));
}

#[test]
fn optional_fields_are_parsed() {
    let payload =
        br#"{"text":" hello\nthere ","timestamp":1763366400,"id":7,"siteId":"kitchen","language":"en"}"#;
    let arrived = read_payload(payload).expect("it is in order");
    assert_eq!((arrived.text.as_str(), arrived.id.as_deref()), ("hello there", Some("7")));
    assert_eq!((arrived.conversation.as_str(), arrived.language.as_deref()), ("kitchen", Some("en")));
    assert_eq!(
        arrived.said_at,
        read_payload(br#"{"text":"x","timestamp":1763366400000}"#).expect("read").said_at
    );
    assert_eq!(read_payload(b"turn on switch one").expect("plain text").text, "turn on switch one");
    assert_eq!(read_payload(br#"{"text":"x","timestamp":null}"#).expect("read").said_at, None);
}

#[test]
fn malformed_payload_reports_reason() {
    let wrong = |payload: &[u8]| read_payload(payload).expect_err("it is wrong");
    assert_eq!(wrong(b""), PayloadError::NoText);
    assert_eq!(wrong(b"{}"), PayloadError::NoText);
    assert_eq!(wrong(br#"{"text":"  "}"#), PayloadError::NoText);
    assert_eq!(wrong(br#"{"text":5}"#), PayloadError::WrongType("text", "a number", "a string"));
    assert_eq!(wrong(br#"["x"]"#), PayloadError::NotObject("a list"));
    assert_eq!(wrong(&[0xff, 0xfe]), PayloadError::NotText);
    assert_eq!(wrong(br#"{"text":"x","timestamp":"yesterday"}"#), PayloadError::NoTime);
    assert!(matches!(wrong(br#"{"text":"x""#), PayloadError::NotJson(_)));
    assert_eq!(wrong(&vec![b'x'; 70_000]), PayloadError::TooLarge(70_000));
    assert_eq!(wrong(&[b'x'; 3_000]), PayloadError::TooLong(3_000));
    let deep = format!("{{\"text\":{}", "[".repeat(10_000));
    assert!(matches!(wrong(deep.as_bytes()), PayloadError::NotJson(_)));
    insta::assert_snapshot!(wrong(br#"{"text":{}}"#).to_string(), @r#""text" is an object; send a string"#);
    insta::assert_snapshot!(wrong(b"{}").to_string(), @r#"the message has no "text"; send {"text": "turn on the lamp"}"#);
}

#[test]
fn messages_of_rhasspy_are_read() {
    let captured = br#"{"text":"turn on switch one","likelihood":1.0,"seconds":0.5,"siteId":"hall","sessionId":"s-1","wakewordId":null,"asrTokens":null,"lang":null}"#;
    let heard = read_hermes(captured).expect("it is in order");
    assert_eq!((heard.site.as_deref(), heard.session.as_deref()), (Some("hall"), Some("s-1")));
    assert_eq!(read_hermes(br#"{"input":"x","id":"q"}"#).expect("a query").id.as_deref(), Some("q"));
    assert!(
        read_hermes(b"{}").is_err()
            && read_hermes(b"x").is_err()
            && read_hermes(&vec![b' '; 70_000]).is_err()
    );
}

#[test]
fn events_come_out_however_the_bytes_are_split() {
    let first = Event::new("transcript", serde_json::json!({ "text": "hello", "language": "en" }));
    let second = Event::new("ping", serde_json::json!({}));
    let mut bytes = first.to_bytes();
    bytes.extend_from_slice(
        b"{\"type\":\"audio-chunk\",\"data\":{\"rate\":16000},\"payload_length\":5}\n12345\n",
    );
    bytes.extend(second.to_bytes());
    for size in 1..bytes.len() {
        let mut frames = Frames::default();
        let mut events = Vec::new();
        for piece in bytes.chunks(size) {
            frames.push(piece);
            while let Some(event) = frames.next().expect("in order") {
                events.push(event);
            }
        }
        let kinds: Vec<&str> = events.iter().map(|event| event.kind.as_str()).collect();
        assert_eq!(kinds, ["transcript", "audio-chunk", "ping"], "{size}");
        assert_eq!(events[0], first);
    }
}

#[test]
fn bytes_that_are_no_events_are_refused() {
    let wrong = |bytes: &[u8]| {
        let mut frames = Frames::default();
        frames.push(bytes);
        frames.next().expect_err("it is wrong")
    };
    assert!(matches!(wrong(b"GET / HTTP/1.1\r\n"), FrameError::NoEvent(_)));
    assert!(matches!(wrong(b"{}\n"), FrameError::NoEvent(_)));
    assert!(matches!(wrong(b"{\"type\":\"x\",\"data_length\":-1}\n"), FrameError::NoEvent(_)));
    assert!(matches!(wrong(b"{\"type\":\"x\",\"data_length\":99999999}\n"), FrameError::Data(_)));
    assert!(matches!(wrong(b"{\"type\":\"x\",\"data_length\":2}\n[]"), FrameError::Data(_)));
    assert_eq!(
        wrong(b"{\"type\":\"x\",\"payload_length\":99999999}\n"),
        FrameError::LargePayload(99_999_999)
    );
    assert_eq!(wrong(&vec![b'x'; 100_000]), FrameError::LongLine);
}

proptest::proptest! {
    #[test]
    fn no_bytes_break_a_reader(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..600)) {
        let _ = read_payload(&bytes);
        let _ = read_hermes(&bytes);
        let mut frames = Frames::default();
        frames.push(&bytes);
        while let Ok(Some(_)) = frames.next() {}
    }
}
