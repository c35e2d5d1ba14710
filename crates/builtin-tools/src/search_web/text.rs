//! Plain text from what providers send: no tags, no entities, no control characters.

/// Entities that occur in titles and snippets.
const ENTITIES: [(&str, &str); 8] = [
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&#39;", "'"),
    ("&#x27;", "'"),
    ("&apos;", "'"),
    ("&nbsp;", " "),
    // Last, so that `&amp;lt;` does not become `<`.
    ("&amp;", "&"),
];

/// Takes tags out, replaces entities, and makes one line.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        out.push_str(before);
        let is_tag = tag[1..].starts_with(|next: char| next.is_ascii_alphabetic() || next == '/');
        match tag.find('>') {
            Some(end) if is_tag => rest = &tag[end + 1..],
            _ => {
                out.push('<');
                rest = &tag[1..];
            }
        }
    }
    out.push_str(rest);
    for (entity, character) in ENTITIES {
        if out.contains('&') {
            out = out.replace(entity, character);
        }
    }
    let words = out.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// At most `max` characters, with `…` where something was cut off.
pub(super) fn cut(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{cut, plain};

    #[test]
    fn tags_and_entities_become_text() {
        assert_eq!(plain("<strong>Rust</strong> &amp; C &#39;n\n x"), "Rust & C 'n x");
        assert_eq!(plain("1 < 2 and <3"), "1 < 2 and <3");
        assert_eq!(plain("a <b"), "a <b");
        assert_eq!(plain("&amp;lt;"), "&lt;");
        assert_eq!(cut("äöü", 2), "äö…");
    }
}
