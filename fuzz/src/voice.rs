//! What is spoken to the house, as it comes from a broker or a client.

use toolwright_speech::{Frames, read_hermes, read_intent, read_payload, speakable};

/// A message is read or refused; what was read is short and holds no control characters, and its answer can be said.
pub fn voice_payload(data: &[u8]) {
    if let Ok(arrived) = read_payload(data) {
        assert!(!arrived.text.trim().is_empty() && arrived.text.chars().count() <= 2_000);
        assert!(!arrived.text.chars().any(char::is_control), "{:?}", arrived.text);
        let _ = read_intent(&arrived.text, &[]);
        let said = speakable(&arrived.text);
        assert!(said.chars().count() < 300 && said.ends_with(['.', '?']), "{said:?}");
    }
    if let Ok(heard) = read_hermes(data) {
        assert!(!heard.text.chars().any(char::is_control), "{:?}", heard.text);
    }
}

/// Events do not depend on the pieces they come in, and are written so that they are read the same.
pub fn voice_wyoming(data: &[u8]) {
    let whole = events(&[data]);
    let halves = data.split_at(data.len() / 2);
    assert_eq!(whole, events(&[halves.0, halves.1]));
    for event in whole.0 {
        let again = events(&[&event.to_bytes()]).0;
        assert_eq!(again, [event]);
    }
}

fn events(chunks: &[&[u8]]) -> (Vec<toolwright_speech::Event>, bool) {
    let (mut frames, mut found) = (Frames::default(), Vec::new());
    for chunk in chunks {
        frames.push(chunk);
        loop {
            match frames.next() {
                Ok(Some(event)) => found.push(event),
                Ok(None) => break,
                Err(_) => return (found, true),
            }
        }
    }
    (found, false)
}
