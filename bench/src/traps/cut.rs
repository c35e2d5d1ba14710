//! Traps in the text: it ends too early, or it holds more than one call.

use serde_json::Value;

use super::Trap;
use crate::mutate::Scene;
use crate::mutate::envelope::{self, Envelope, Form};
use crate::rng::Rng;
use crate::write::{self, Style};

/// Makes a trap of this kind from a call, or nothing when there is no place for it.
pub fn make(scenes: &[Scene<'_>], scene: &Scene<'_>, kind: &'static str, rng: &mut Rng) -> Option<Trap> {
    if kind == "trap:two_calls" {
        return two_calls(scenes, scene, rng);
    }
    let wrapped = rng.one_in(4) && kind.starts_with("trap:cut");
    let name = "arguments".to_string();
    let free = scene.tool.parameters().all(|parameter| *parameter != name);
    let value = if wrapped && free {
        envelope::wrap(&Envelope::Key(name, Form::Plain), scene.call.clone())
    } else {
        scene.call.clone()
    };
    let text = write::text(&value, &Style { pretty: rng.one_in(4), ..Style::default() });
    let places = Places::of(&text);
    let (places, finishes): (Vec<usize>, &[Option<&'static str>]) = match kind {
        "trap:cut_in_string" => (places.in_strings, &[Some("length"), None, Some("stop")]),
        "trap:cut_in_number" => (places.in_numbers, &[Some("length"), None]),
        "trap:cut_after_key" => (places.after_keys, &[Some("length"), None, Some("stop")]),
        "trap:cut_after_member" => (places.after_commas, &[Some("length"), None]),
        "trap:cut_before_close" => (before_close(&text), &[Some("length"), None]),
        "trap:close_missing_destructive" if scene.tool.is_destructive() => {
            (before_close(&text), &[Some("stop")])
        }
        _ => return None,
    };
    let at = *rng.pick(&places)?;
    Some(Trap::Text(text.get(..at)?.to_string(), *rng.pick(finishes)?))
}

/// Two different calls of one tool, one after the other.
fn two_calls(scenes: &[Scene<'_>], scene: &Scene<'_>, rng: &mut Rng) -> Option<Trap> {
    let others: Vec<&Scene<'_>> = scenes
        .iter()
        .filter(|other| {
            other.tool.name == scene.tool.name && other.call != scene.call && has_members(other.call)
        })
        .collect();
    let other = rng.pick(&others).filter(|_| has_members(scene.call))?;
    let (one, two) = (scene.call.to_string(), other.call.to_string());
    let text = match rng.below(5) {
        0 => format!("{one}{two}"),
        1 => format!("{one}\n{two}"),
        2 => format!("{one}, {two}"),
        3 => format!("[{one}, {two}]"),
        _ => format!("```json\n{one}\n```\n\n```json\n{two}\n```"),
    };
    Some(Trap::Text(text, None))
}

fn has_members(call: &Value) -> bool {
    call.as_object().is_some_and(|members| !members.is_empty())
}

/// The end of the last value, all brackets after it missing; nowhere when that value is a number.
fn before_close(text: &str) -> Vec<usize> {
    let rest = text.trim_end_matches(|letter: char| matches!(letter, '}' | ']') || letter.is_whitespace());
    let ends = rest.chars().last().is_some_and(|letter| letter == '"' || letter.is_ascii_lowercase());
    if ends { vec![rest.len()] } else { Vec::new() }
}

/// Places in JSON text where a model may run out of tokens.
#[derive(Debug, Default)]
struct Places {
    in_strings: Vec<usize>,
    in_numbers: Vec<usize>,
    after_keys: Vec<usize>,
    after_commas: Vec<usize>,
}

impl Places {
    fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut found = Self::default();
        let mut at = 0;
        while at < bytes.len() {
            let start = at;
            match bytes[at] {
                b'"' => {
                    at = end_of_string(bytes, at);
                    if bytes.get(at) == Some(&b':') {
                        found.after_keys.extend([at, at + 1]);
                    } else {
                        // Not right after the quote: an empty string could be meant.
                        let inside =
                            (start + 2..at.saturating_sub(1)).filter(|place| text.is_char_boundary(*place));
                        found.in_strings.extend(inside);
                    }
                }
                b'-' | b'0'..=b'9' => {
                    while bytes
                        .get(at)
                        .is_some_and(|byte| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'0'..=b'9'))
                    {
                        at += 1;
                    }
                    found
                        .in_numbers
                        .extend((start + 1..at).filter(|place| bytes[place - 1].is_ascii_digit()));
                }
                b',' => {
                    at += 1;
                    found.after_commas.push(at);
                }
                _ => at += 1,
            }
        }
        found
    }
}

/// The place after the closing quote of the string that starts here.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_are_where_their_names_say() {
        let text = r#"{"path": "a\"bc", "n": 125}"#;
        let places = Places::of(text);
        assert!(places.in_strings.iter().all(|at| text[..*at].starts_with(r#"{"path": "a"#)));
        assert_eq!(
            places.in_numbers.iter().map(|at| &text[..*at]).collect::<Vec<_>>(),
            [r#"{"path": "a\"bc", "n": 1"#, r#"{"path": "a\"bc", "n": 12"#]
        );
        assert_eq!(places.after_keys.len(), 4);
        assert_eq!(before_close(text), Vec::<usize>::new());
    }
}
