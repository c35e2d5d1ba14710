//! JSON with line breaks and two spaces for each level; strings and numbers stay as they are.

use toolwright_jsonrpc::Json;

/// The value over several lines.
pub(super) fn pretty(value: &Json) -> String {
    let mut out = String::with_capacity(value.as_str().len() * 3 / 2);
    let mut depth = 0usize;
    let mut rest = value.as_str();
    while let Some(first) = rest.bytes().next() {
        let token = match first {
            b'"' => string_end(rest),
            b'{' | b'}' | b'[' | b']' | b',' | b':' | b' ' | b'\t' | b'\r' | b'\n' => 1,
            _ => rest.find([',', '}', ']', ' ', '\t', '\r', '\n']).unwrap_or(rest.len()),
        };
        let (token, after) = rest.split_at(token);
        rest = after;
        match first {
            b' ' | b'\t' | b'\r' | b'\n' => {}
            b':' => out.push_str(": "),
            b',' => {
                out.push(',');
                line(&mut out, depth);
            }
            b'{' | b'[' => {
                out.push_str(token);
                let inner = rest.trim_start_matches([' ', '\t', '\r', '\n']);
                if let Some(after) = inner.strip_prefix(['}', ']']) {
                    out.push_str(&inner[..1]);
                    rest = after;
                } else {
                    depth += 1;
                    line(&mut out, depth);
                }
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push_str(token);
            }
            _ => out.push_str(token),
        }
    }
    out
}

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

/// The length of the string that a text begins with.
fn string_end(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_laid_out_and_nothing_else_changes() {
        let value = Json::parse(r#"{"a":[1.0,{"b\"]":"x, {y}: \\"}],"c" : { },"d":[ ],"e":1e400,"f":true}"#)
            .expect("it is JSON");
        let text = pretty(&value);
        assert_eq!(
            text,
            "{\n  \"a\": [\n    1.0,\n    {\n      \"b\\\"]\": \"x, {y}: \\\\\"\n    }\n  ],\n  \"c\": {},\n  \"d\": [],\n  \"e\": 1e400,\n  \"f\": true\n}"
        );
        assert_eq!(pretty(&Json::parse(&text).expect("it is JSON still")), text);
        assert_eq!(pretty(&Json::text("ä")), "\"ä\"");
        assert_eq!(pretty(&Json::empty_object()), "{}");
    }
}
