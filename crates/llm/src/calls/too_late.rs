//! Arguments that turn out to be unreadable when a part of them has left.
//!
//! SDKs of Anthropic Messages read pieces of JSON leniently: of `{"a":1}{"b":2}` they take the first object, of
//! `{"a":1` what is there, and nobody learns that the rest is missing. So the object is closed around what has left, and
//! its first member is told once more as what no schema takes for it: parsers keep the last of two, and refuse both
//! otherwise. The client then says to the model what is wrong, as it does for a whole answer.

use toolwright_jsonrpc::raw;

use crate::form::UNREADABLE;

/// What to write behind `left`, the start of the unreadable arguments `sent`. `None` where no JSON object can be made of
/// it.
pub(super) fn marked_rest(left: &str, sent: &str) -> Option<String> {
    let key = first_key(left)?;
    let mut rest = closing(left);
    let (mark, sent) = (raw::quote(UNREADABLE), raw::quote(sent));
    rest.push_str(&format!(",{key}:{{{mark}:{sent}}}}}"));
    raw::check(&[left, &rest].concat()).is_ok().then_some(rest)
}

/// The first key, with its quotes. Nothing leaves behind a key with escapes.
fn first_key(object: &str) -> Option<&str> {
    let inner = object.trim_start().strip_prefix('{')?.trim_start();
    let end = inner.strip_prefix('"')?.find('"')?;
    Some(&inner[..end + 2])
}

/// What closes everything that is open but for the outermost object.
fn closing(text: &str) -> String {
    let mut open = Vec::new();
    let mut is_in_string = false;
    // What is missing of the escape that the text is in.
    let mut escape = "";
    for byte in text.bytes() {
        match byte {
            b'u' if escape == "\\" => escape = "0000",
            _ if !escape.is_empty() => escape = &escape[1..],
            b'\\' if is_in_string => escape = "\\",
            b'"' => is_in_string = !is_in_string,
            _ if is_in_string => {}
            b'{' => open.push('}'),
            b'[' => open.push(']'),
            b'}' | b']' => drop(open.pop()),
            _ => {}
        }
    }
    let inner = open.get(1..).unwrap_or_default().iter().rev();
    escape.chars().chain(is_in_string.then_some('"')).chain(inner.copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_left_is_closed_and_taken_back() {
        for (left, sent, rest) in [
            (r#"{"a":1"#, r#"{"a":1}{"b":2}"#, r#","a":{"unreadable_arguments":"{\"a\":1}{\"b\":2}"}}"#),
            (r#"{ "a":"x"#, r#"{ "a":"x"#, r#"","a":{"unreadable_arguments":"{ \"a\":\"x"}}"#),
            (r#"{"a":[{"b":"]\""#, "?", r#""}],"a":{"unreadable_arguments":"?"}}"#),
            (r#"{"a":"\"#, "?", r#"\","a":{"unreadable_arguments":"?"}}"#),
            (r#"{"a":"\u00"#, "?", r#"00","a":{"unreadable_arguments":"?"}}"#),
        ] {
            assert_eq!(marked_rest(left, sent).as_deref(), Some(rest), "{left}");
        }
        for left in ["", "{", "[1", r#"{"a":"#] {
            assert_eq!(marked_rest(left, "?"), None, "{left}");
        }
    }
}
