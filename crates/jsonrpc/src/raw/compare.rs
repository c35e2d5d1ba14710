//! Equality by value: `1.0` equals `1`, key order and escapes do not matter.

use std::collections::HashSet;

use super::{Kind, Member, Node, Number, write_quoted};

/// Up to this many values are compared pairwise.
const COMPARED_EACH_WITH_EACH: usize = 32;

/// Whether two nodes have the same JSON value. Big integers are compared exactly.
pub fn same_value(a: &Node<'_>, b: &Node<'_>) -> bool {
    match (a.kind, b.kind) {
        (Kind::Null, Kind::Null) => true,
        (Kind::Bool(a), Kind::Bool(b)) => a == b,
        (Kind::Number(a), Kind::Number(b)) => a == b || same_number(a, b),
        (Kind::String(a), Kind::String(b)) => a.raw() == b.raw() || a.decode() == b.decode(),
        (Kind::Array(a), Kind::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_value(a, b))
        }
        (Kind::Object(a), Kind::Object(b)) if a.len() > COMPARED_EACH_WITH_EACH => same_large_objects(a, b),
        (Kind::Object(a), Kind::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|left| {
                    b.iter().any(|right| left.key == right.key && same_value(&left.value, &right.value))
                })
        }
        _ => false,
    }
}

/// Large objects are compared in the order of their keys.
fn same_large_objects(a: &[Member<'_>], b: &[Member<'_>]) -> bool {
    let sorted = |members: &[Member<'_>]| {
        let mut order: Vec<usize> = (0..members.len()).collect();
        order.sort_by(|x, y| members[*x].key.cmp(members[*y].key));
        order
    };
    a.len() == b.len()
        && sorted(a)
            .into_iter()
            .zip(sorted(b))
            .all(|(x, y)| a[x].key == b[y].key && same_value(&a[x].value, &b[y].value))
}

/// Whether no two of the values are the same.
pub fn are_distinct(items: &[Node<'_>]) -> bool {
    if items.len() <= COMPARED_EACH_WITH_EACH {
        return items
            .iter()
            .enumerate()
            .all(|(index, item)| !items[..index].iter().any(|earlier| same_value(earlier, item)));
    }
    let mut seen = HashSet::with_capacity(items.len());
    items.iter().all(|item| {
        let mut form = String::new();
        write_form(item, &mut form);
        seen.insert(form)
    })
}

/// Writes a value so that equal values have equal texts.
fn write_form(node: &Node<'_>, out: &mut String) {
    match node.kind {
        Kind::Number(text) => match Number::parse(text) {
            Some(number) => number.write_form(out),
            None => out.push_str(text),
        },
        Kind::String(text) => write_quoted(&text.decode(), out),
        Kind::Array(items) => {
            out.push('[');
            for item in items {
                write_form(item, out);
                out.push(',');
            }
            out.push(']');
        }
        Kind::Object(members) => {
            let mut sorted: Vec<&Member<'_>> = members.iter().collect();
            sorted.sort_by(|a, b| a.key.cmp(b.key));
            out.push('{');
            for member in sorted {
                write_quoted(member.key, out);
                write_form(&member.value, out);
            }
            out.push('}');
        }
        Kind::Null | Kind::Bool(_) => node.write(out),
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
    fn large_values_compare_like_small_ones() {
        let arena = Bump::new();
        let list =
            |last: &str| format!("[{},{last}]", (0..60).map(|n| n.to_string()).collect::<Vec<_>>().join(","));
        let node = |text: String| parse(arena.alloc_str(&text), &arena).unwrap().root;
        assert!(are_distinct(node(list("60")).as_array().unwrap()));
        assert!(!are_distinct(node(list("1e1")).as_array().unwrap()));
        let object = |value: &str, turn: usize| {
            let mut members: Vec<String> = (0..60).map(|n| format!("\"k{n}\":{value}")).collect();
            members.rotate_left(turn);
            format!("{{{}}}", members.join(","))
        };
        assert!(same_value(&node(object("1", 0)), &node(object("1.0", 7))));
        assert!(!same_value(&node(object("1", 0)), &node(object("2", 7))));
    }

    #[test]
    fn values_are_compared_by_meaning() {
        let arena = Bump::new();
        let node = |text: &'static str| parse(text, &arena).unwrap().root;
        assert!(same_value(&node(r#"{"a":1,"b":"A"}"#), &node(r#"{"b":"\u0041","a":1.0}"#)));
        assert!(!same_value(&node("[1,2]"), &node("[2,1]")));
        assert!(!same_value(&node("9007199254740993"), &node("9007199254740992")));
        assert!(!same_value(&node("\"1\""), &node("1")));
    }
}
