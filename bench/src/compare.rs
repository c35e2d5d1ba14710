//! When two arguments are the same.

use serde_json::{Number, Value};

/// Equal by value: the order of keys does not matter, numbers are compared by value and integers exactly, and
/// JSON text inside strings is compared by what it says.
pub fn same_value(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, value)| right.get(key).is_some_and(|other| same_value(value, other)))
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same_value(left, right))
        }
        (Value::Number(left), Value::Number(right)) => same_number(left, right),
        (Value::String(left), Value::String(right)) => left == right || same_json_text(left, right),
        _ => left == right,
    }
}

/// Integers must agree in every digit; anything else to the last bit but one, for parsers differ there.
pub fn same_number(left: &Number, right: &Number) -> bool {
    let integer = |number: &Number| {
        number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from)).or_else(|| {
            let value = number.as_f64()?;
            (value.fract() == 0.0 && value.abs() < 9e15).then_some(value as i128)
        })
    };
    match (integer(left), integer(right)) {
        (Some(left), Some(right)) => left == right,
        (None, None) => match (left.as_f64(), right.as_f64()) {
            (Some(left), Some(right)) => (left - right).abs() <= f64::EPSILON * left.abs(),
            _ => false,
        },
        _ => false,
    }
}

fn same_json_text(left: &str, right: &str) -> bool {
    let container = |text: &str| {
        let value: Value = serde_json::from_str(text).ok()?;
        (value.is_object() || value.is_array()).then_some(value)
    };
    matches!((container(left), container(right)), (Some(left), Some(right)) if same_value(&left, &right))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn order_and_number_form_do_not_matter() {
        assert!(same_value(&json!({"a": 1, "b": [1.5]}), &json!({"b": [1.5], "a": 1.0})));
        assert!(!same_value(&json!({"a": 1}), &json!({"a": 1, "b": null})));
    }

    #[test]
    fn large_integers_are_exact() {
        assert!(!same_value(&json!(9007199254740993_i64), &json!(9007199254740992_i64)));
        assert!(!same_value(&json!(9007199254740993_i64), &json!(9007199254740992.0)));
        assert!(same_value(&json!(18446744073709551615_u64), &json!(18446744073709551615_u64)));
    }

    #[test]
    fn json_text_is_compared_by_what_it_says() {
        assert!(same_value(&json!("{\"a\": 1}"), &json!("{\"a\":1}")));
        assert!(!same_value(&json!("1.0"), &json!("1")));
        assert!(!same_value(&json!("1"), &json!(1)));
    }
}
