//! Canonical JSON: one form, independent of key order and whitespace.

use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Parses JSON text. Keys are sorted by their bytes.
///
/// All occurrences of a duplicate key are retained, the later ones under unique names: parsers differ in which one
/// they use, so a change in any of them counts.
pub(crate) fn read(text: &str) -> Option<Value> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = SortedJson.deserialize(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    Some(value)
}

struct SortedJson;

impl<'de> DeserializeSeed<'de> for SortedJson {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for SortedJson {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(SortedJson)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut pairs: Vec<(String, Value)> = Vec::new();
        while let Some(key) = entries.next_key::<String>()? {
            pairs.push((key, entries.next_value_seed(SortedJson)?));
        }
        // A stable sort: among duplicate keys, the first stays first.
        pairs.sort_by(|one, other| one.0.cmp(&other.0));
        let repeated = pairs.windows(2).any(|pair| pair[0].0 == pair[1].0);
        if repeated {
            rename_repeated(&mut pairs);
        }
        Ok(Value::Object(pairs.into_iter().collect::<Map<String, Value>>()))
    }
}

fn rename_repeated(pairs: &mut [(String, Value)]) {
    let mut taken: HashSet<String> = pairs.iter().map(|(key, _)| key.clone()).collect();
    let mut before: Option<String> = None;
    for (key, _) in pairs.iter_mut() {
        if before.as_ref() != Some(key) {
            before = Some(key.clone());
            continue;
        }
        // The NUL keeps the new name apart from any key that a server would use. A text that was read before and
        // written again is not renamed twice.
        let mut count = 2_usize;
        while !taken.insert(format!("{key}\0again {count}")) {
            count += 1;
        }
        key.push_str(&format!("\0again {count}"));
    }
    pairs.sort_by(|one, other| one.0.cmp(&other.0));
}
