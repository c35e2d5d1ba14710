//! The rest of a text whose start is already forwarded.

use bumpalo::Bump;
use toolwright_jsonrpc::raw::{self, Kind, Member, Node, Str, same_value};

/// The text to write after `sent` so that the whole is JSON of the same value as `repaired`. Complete members in `sent`
/// must have the same value in `repaired`, and an open string must be a prefix of the one there. The other members of
/// `repaired` follow in its order. `None` if no such text exists.
pub fn continuation(sent: &str, repaired: &str) -> Option<String> {
    let arena = Bump::new();
    let target = raw::parse(repaired, &arena).ok()?.root;
    let mut writer = ContinuationWriter { sent, at: 0, rest: String::new() };
    writer.value(&target)?;
    writer.skip_space();
    writer.has_ended().then_some(writer.rest)
}

/// Parses the sent text in parallel with the value that it must become.
struct ContinuationWriter<'t> {
    sent: &'t str,
    at: usize,
    /// The text to write after it.
    rest: String,
}

impl ContinuationWriter<'_> {
    /// Parses a value as far as it was sent, and writes the rest of it.
    fn value(&mut self, target: &Node<'_>) -> Option<()> {
        self.skip_space();
        if self.has_ended() {
            target.write(&mut self.rest);
            return Some(());
        }
        match (self.peek()?, target.kind) {
            (b'{', Kind::Object(members)) => self.object(members),
            (b'[', Kind::Array(items)) => self.list(items),
            (b'"', Kind::String(text)) => self.text(text),
            (b'{' | b'[' | b'"', _) => None,
            _ => self.word(target),
        }
    }

    fn object(&mut self, members: &[Member<'_>]) -> Option<()> {
        self.at += 1;
        let mut is_written = vec![false; members.len()];
        let mut next = NextToken::First;
        loop {
            self.skip_space();
            match self.peek() {
                None => break,
                Some(b'}') if next != NextToken::Item => {
                    self.at += 1;
                    return is_written.iter().all(|is_written| *is_written).then_some(());
                }
                Some(b',') if next == NextToken::Comma => {
                    self.at += 1;
                    next = NextToken::Item;
                }
                Some(b'"') if next != NextToken::Comma => {
                    let index = self.key(members, &is_written)?;
                    is_written[index] = true;
                    self.value(&members[index].value)?;
                    next = NextToken::Comma;
                }
                Some(_) => return None,
            }
        }
        for (member, _) in members.iter().zip(is_written).filter(|(_, is_written)| !is_written) {
            self.separate(&mut next);
            raw::write_quoted(member.key, &mut self.rest);
            self.rest.push(':');
            member.value.write(&mut self.rest);
        }
        self.rest.push('}');
        (next != NextToken::Item).then_some(())
    }

    fn list(&mut self, items: &[Node<'_>]) -> Option<()> {
        self.at += 1;
        let mut next = NextToken::First;
        let mut count = 0;
        loop {
            self.skip_space();
            match self.peek() {
                None => break,
                Some(b']') if next != NextToken::Item => {
                    self.at += 1;
                    return (count == items.len()).then_some(());
                }
                Some(b',') if next == NextToken::Comma => {
                    self.at += 1;
                    next = NextToken::Item;
                }
                Some(_) if next != NextToken::Comma => {
                    self.value(items.get(count)?)?;
                    count += 1;
                    next = NextToken::Comma;
                }
                Some(_) => return None,
            }
        }
        for item in items.iter().skip(count) {
            self.separate(&mut next);
            item.write(&mut self.rest);
        }
        self.rest.push(']');
        (next != NextToken::Item).then_some(())
    }

    /// Writes the comma before another member or item, if it is missing.
    fn separate(&mut self, next: &mut NextToken) {
        if *next == NextToken::Comma {
            self.rest.push(',');
        }
        *next = NextToken::Comma;
    }

    /// Parses a key and its colon; returns the index of the member.
    fn key(&mut self, members: &[Member<'_>], is_written: &[bool]) -> Option<usize> {
        let start = self.at + 1;
        let end = self.string_end();
        let mut free = members.iter().enumerate().filter(|(index, _)| !is_written[*index]);
        let Some(end) = end else {
            // The first key with this prefix.
            let prefix = &self.sent[start..];
            let (index, text) = free
                .map(|(index, member)| (index, raw::quote(member.key)))
                .find(|(_, text)| text[1..].starts_with(prefix))?;
            self.at = self.sent.len();
            self.rest.push_str(&text[1 + prefix.len()..]);
            self.rest.push(':');
            return Some(index);
        };
        let key = Str::from_escaped(&self.sent[start..end]).decode();
        let (index, _) = free.find(|(_, member)| member.key == key)?;
        self.at = end + 1;
        self.skip_space();
        match self.peek() {
            Some(b':') => self.at += 1,
            Some(_) => return None,
            None => self.rest.push(':'),
        }
        Some(index)
    }

    fn text(&mut self, target: Str<'_>) -> Option<()> {
        let start = self.at + 1;
        if let Some(end) = self.string_end() {
            self.at = end + 1;
            let sent = &self.sent[start..end];
            let is_same = sent == target.raw() || Str::from_escaped(sent).decode() == target.decode();
            return is_same.then_some(());
        }
        self.at = self.sent.len();
        let sent = &self.sent[start..];
        if let Some(rest) = target.raw().strip_prefix(sent) {
            self.rest.push_str(rest);
            self.rest.push('"');
            return Some(());
        }
        if !raw::is_string_contents(sent) {
            return None;
        }
        let target = target.decode();
        let rest = target.strip_prefix(&*Str::from_escaped(sent).decode())?;
        let quoted = raw::quote(rest);
        self.rest.push_str(&quoted[1..]);
        Some(())
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self, target: &Node<'_>) -> Option<()> {
        if matches!(target.kind, Kind::Object(_) | Kind::Array(_) | Kind::String(_)) {
            return None;
        }
        let rest = &self.sent[self.at..];
        let length =
            rest.bytes().position(|byte| matches!(byte, b',' | b']' | b'}' | b' ' | b'\n' | b'\r' | b'\t'));
        let sent = &rest[..length.unwrap_or(rest.len())];
        self.at += sent.len();
        let written = target.to_json();
        if length.is_none()
            && let Some(rest) = written.strip_prefix(sent)
        {
            self.rest.push_str(rest);
            return Some(());
        }
        let arena = Bump::new();
        let is_same = raw::parse(sent, &arena).is_ok_and(|parsed| same_value(&parsed.root, target));
        is_same.then_some(())
    }

    /// Offset of the closing quote of the string that starts here.
    fn string_end(&self) -> Option<usize> {
        let bytes = self.sent.as_bytes();
        let mut at = self.at + 1;
        loop {
            match bytes.get(at)? {
                b'"' => return Some(at),
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.sent.as_bytes().get(self.at).copied()
    }

    fn has_ended(&self) -> bool {
        self.at >= self.sent.len()
    }
}

/// The next token in an object or array.
#[derive(Clone, Copy, PartialEq)]
enum NextToken {
    /// Its first member or item, or its end.
    First,
    /// A comma, or its end.
    Comma,
    /// A member or an item.
    Item,
}

#[cfg(test)]
mod tests {
    use super::continuation;

    fn whole(sent: &str, repaired: &str) -> Option<String> {
        continuation(sent, repaired).map(|rest| format!("{sent}{rest}"))
    }

    #[test]
    fn continuation_adds_missing_members_in_order() {
        let repaired = r#"{"path":"a.md","limit":5,"tags":["x","y"]}"#;
        for (sent, expected) in [
            ("", repaired),
            ("{", repaired),
            (r#" { "limit""#, r#" { "limit":5,"path":"a.md","tags":["x","y"]}"#),
            (r#"{"li"#, r#"{"limit":5,"path":"a.md","tags":["x","y"]}"#),
            (r#"{"path":"a."#, repaired),
            (r#"{"path":"a.md","tags":["x" "#, r#"{"path":"a.md","tags":["x" ,"y"],"limit":5}"#),
            (r#"{"path":"a.md" , "#, r#"{"path":"a.md" , "limit":5,"tags":["x","y"]}"#),
            (r#"{"limit":5.0,"path":"\u0061.m"#, r#"{"limit":5.0,"path":"\u0061.md","tags":["x","y"]}"#),
        ] {
            assert_eq!(whole(sent, repaired).as_deref(), Some(expected), "{sent}");
        }
    }

    #[test]
    fn contradicting_text_has_no_continuation() {
        let repaired = r#"{"path":"a.md","tags":["x"]}"#;
        for sent in [
            r#"{"file"#,
            r#"{"path":"b"#,
            r#"{"path":"a.""#,
            r#"{"path":"a.md"}"#,
            r#"{"path":"a.md","tags":["x"],"#,
            r#"{"tags":["x","#,
            r#"{"tags":["x"},"#,
            r#"{"tags":{"#,
            r#"{"path":5"#,
            r#"{"path":"a.md","path":"#,
            r#"{"path":"a.md","tags":["x"]} {"#,
            r#"["#,
        ] {
            assert_eq!(continuation(sent, repaired), None, "{sent}");
        }
        assert_eq!(
            continuation(r#"{"n":12"#, r#"{"n":12345678901234567891}"#).as_deref(),
            Some("345678901234567891}")
        );
        assert_eq!(continuation(r#"{"n":12,"#, r#"{"n":123,"m":1}"#), None);
    }
}
