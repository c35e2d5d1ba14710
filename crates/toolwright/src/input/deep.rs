//! Lines whose arguments nest too deeply to be parsed: taken apart without going into them, so that
//! the call is refused like any other rather than called no JSON.

/// A line without its arguments, and the arguments.
pub(super) struct Parts<'t> {
    /// The line with `null` for its arguments.
    pub rest: String,
    pub arguments: &'t str,
}

/// Takes the value of the top-level key `arguments` out of a line.
pub(super) fn take_arguments_out(line: &str) -> Option<Parts<'_>> {
    let bytes = line.as_bytes();
    let mut depth = 0usize;
    let mut at = 0;
    let mut start = None;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let end = string_end(bytes, at)?;
                let is_key = line[end..].trim_start().starts_with(':');
                if depth == 1 && is_key && start.is_none() && &line[at..end] == "\"arguments\"" {
                    start = Some(end + line[end..].find(':')? + 1);
                }
                at = end;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' | b',' => {
                // The value ends at the comma or bracket of the line itself.
                if let Some(start) = start.filter(|_| depth == 1) {
                    let rest = format!("{}null{}", &line[..start], &line[at..]);
                    return Some(Parts { rest, arguments: &line[start..at] });
                }
                depth = if *byte == b',' { depth } else { depth.checked_sub(1)? };
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Where the string that starts at `start` ends.
fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::take_arguments_out;

    #[test]
    fn the_arguments_are_found_at_the_top_only() {
        let line =
            r#"{"id":"arguments","tool":{"arguments":[1]},"arguments" : {"a,":["}"]} ,"finish":"stop"}"#;
        let parts = take_arguments_out(line).expect("there are arguments");
        assert_eq!(parts.arguments.trim(), r#"{"a,":["}"]}"#);
        assert_eq!(
            parts.rest,
            r#"{"id":"arguments","tool":{"arguments":[1]},"arguments" :null,"finish":"stop"}"#
        );
        assert!(take_arguments_out(r#"{"tool":{"arguments":1}}"#).is_none());
        assert!(take_arguments_out("{\"arguments\":\"\\").is_none());
    }
}
