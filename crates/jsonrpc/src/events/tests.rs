//! Events from streams that are split, interleaved with comments, and too long.

use super::*;
use crate::lines::NoiseKind;

fn read(chunks: &[&[u8]], limit: usize) -> Vec<ServerEvent> {
    let mut reader = EventReader::new(limit);
    let mut events = Vec::new();
    for chunk in chunks {
        reader.push(chunk, |event| events.push(event));
    }
    events
}

fn event(kind: &str, id: Option<&str>, retry: Option<u64>, data: Option<&str>) -> ServerEvent {
    let data = data.map(|data| EventData::Whole(data.as_bytes().to_vec()));
    ServerEvent { kind: kind.into(), id: id.map(Into::into), retry, data }
}

const STREAM: &str = "\u{feff}: hello\n\nid: 1\nretry: 500\ndata:\n\n:\n:\n\nevent: message\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\n\
     id:2\rdata:ä ö\rdata\r\rfoo: bar\n\nevent: endpoint\ndata:  /x\n\ndata: no end\n";

#[test]
fn events_do_not_depend_on_chunk_boundaries() {
    let whole = read(&[STREAM.as_bytes()], 1 << 20);
    let expected = [
        event("", Some("1"), Some(500), Some("")),
        event("message", None, None, Some("{\"a\":\n1}")),
        event("", Some("2"), None, Some("ä ö\n")),
        event("endpoint", None, None, Some(" /x")),
    ];
    assert_eq!(whole, expected);
    for cut in 0..=STREAM.len() {
        let (before, behind) = STREAM.as_bytes().split_at(cut);
        assert_eq!(read(&[before, behind], 1 << 20), expected, "cut at {cut}");
    }
    let bytes: Vec<&[u8]> = STREAM.as_bytes().chunks(1).collect();
    assert_eq!(read(&bytes, 1 << 20), expected);
}

#[test]
fn overlong_event_does_not_break_the_stream() {
    let long = format!("data: {{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":\"{}\"}}\n\n", "x".repeat(5000));
    let spread = format!(
        "data: {{\"jsonrpc\":\"2.0\",\"result\":[\n{}data: \"\"],\"id\":8}}\n\n",
        format!("data: \"{}\",\n", "y".repeat(400)).repeat(10)
    );
    let stream = format!("{long}{spread}data: {{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":1}}\n\n");
    for size in [1, 7, 100, 1_000_000] {
        let chunks: Vec<&[u8]> = stream.as_bytes().chunks(size).collect();
        let events = read(&chunks, 1000);
        let noise: Vec<_> = events.iter().filter_map(|event| event.read().noise).collect();
        assert_eq!(noise.len(), 2);
        assert!(noise.iter().all(|noise| noise.kind == NoiseKind::TooLong));
        let ids: Vec<_> = noise.iter().map(|noise| noise.id.as_ref().and_then(|id| id.to_number())).collect();
        assert_eq!(ids, [Some(7), Some(8)]);
        assert_eq!(events[2].read().messages.len(), 1);
    }
}

#[test]
fn unterminated_event_is_not_buffered() {
    let mut reader = EventReader::new(1000);
    let mut events = Vec::new();
    reader.push(b"id: main:7\ndata: ", |event| events.push(event));
    for _ in 0..20 {
        reader.push(&[b'x'; 1000], |event| panic!("{event:?}"));
    }
    reader.push(b"\n\ndata: next\n\n", |event| events.push(event));
    assert_eq!((events[0].id.as_deref(), events[0].data()), (Some("main:7"), None));
    assert!(events[0].is_too_long() && !events[1].is_too_long());
    assert_eq!(events[1].data(), Some(&b"next"[..]));
}

#[test]
fn endless_comments_use_no_memory() {
    let mut reader = EventReader::new(100);
    for _ in 0..10_000 {
        reader.push(b":\n", |event| panic!("{event:?}"));
    }
    let mut events = 0;
    reader.push(b"data: x\n\n", |_| events += 1);
    assert_eq!(events, 1);
}

#[test]
fn invalid_utf8_breaks_only_its_event() {
    let events = read(&[b"data: \xff\xfe\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1}\n\n"], 1000);
    assert!(events[0].read().noise.is_some());
    assert_eq!(events[1].read().messages.len(), 1);
}
