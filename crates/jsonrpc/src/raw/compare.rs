//! Equality by value: `1.0` equals `1`, key order and escapes do not matter.

use super::{Kind, Node, Number};

/// Whether two nodes stand for the same JSON value. Big integers are compared exactly.
pub fn same_value(a: &Node<'_>, b: &Node<'_>) -> bool {
    match (a.kind, b.kind) {
        (Kind::Null, Kind::Null) => true,
        (Kind::Bool(a), Kind::Bool(b)) => a == b,
        (Kind::Number(a), Kind::Number(b)) => a == b || same_number(a, b),
        (Kind::String(a), Kind::String(b)) => a.raw() == b.raw() || a.decode() == b.decode(),
        (Kind::Array(a), Kind::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_value(a, b))
        }
        (Kind::Object(a), Kind::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|left| {
                    b.iter().any(|right| left.key == right.key && same_value(&left.value, &right.value))
                })
        }
        _ => false,
    }
}

fn same_number(a: &str, b: &str) -> bool {
    match (Number::parse(a), Number::parse(b)) {
        (Some(a), Some(b)) => a == b,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;
    use bumpalo::Bump;

    #[test]
    fn values_are_compared_by_what_they_stand_for() {
        let arena = Bump::new();
        let node = |text: &'static str| parse(text, &arena).unwrap().root;
        assert!(same_value(&node(r#"{"a":1,"b":"A"}"#), &node(r#"{"b":"\u0041","a":1.0}"#)));
        assert!(!same_value(&node("[1,2]"), &node("[2,1]")));
        assert!(!same_value(&node("9007199254740993"), &node("9007199254740992")));
        assert!(!same_value(&node("\"1\""), &node("1")));
    }
}
