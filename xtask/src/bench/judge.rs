//! Whether what a lane made of a call is what the call meant.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// What a lane made of one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The arguments that were meant.
    Right,
    /// Arguments, but not those.
    Wrong,
    /// It said that the call cannot be used.
    Refuses,
}

impl Verdict {
    /// The word in the table.
    pub fn label(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Wrong => "wrong",
            Self::Refuses => "refuses",
        }
    }
}

/// Compares the result that a lane left in `output` with what was meant, by value.
pub fn judge(output: &Path, expected: &Value) -> Verdict {
    match fs::read_to_string(output) {
        Ok(text) => judge_text(&text, expected),
        Err(_) => Verdict::Refuses,
    }
}

fn judge_text(text: &str, expected: &Value) -> Verdict {
    match serde_json::from_str::<Value>(text) {
        Ok(value) if value == *expected => Verdict::Right,
        _ => Verdict::Wrong,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn results_are_compared_by_value() {
        let expected = json!({"a": 1, "b": true});
        assert_eq!(judge_text(r#"{ "b": true, "a": 1 }"#, &expected), Verdict::Right);
        assert_eq!(judge_text(r#"{"a":"1","b":true}"#, &expected), Verdict::Wrong);
        assert_eq!(judge_text(r#"{"a":1,"b":true,}"#, &expected), Verdict::Wrong);
    }

    #[test]
    fn no_result_is_a_refusal() {
        assert_eq!(judge(Path::new("no/such/file.json"), &json!({})), Verdict::Refuses);
    }
}
