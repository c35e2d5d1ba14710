//! The arguments of a call, parsed strictly by the schema of the tool.

use std::ops::RangeInclusive;

use rmcp::model::JsonObject;
use serde_json::Value;

/// The arguments of one call; the schema contains all their names.
#[derive(Debug)]
pub struct ToolArguments<'a> {
    given: &'a JsonObject,
}

impl<'a> ToolArguments<'a> {
    /// Checks the names of the arguments against the schema.
    pub fn of(tool: &str, schema: &str, given: &'a JsonObject) -> Result<ToolArguments<'a>, String> {
        let schema = super::schema(schema);
        let known: Vec<&String> = schema
            .get("properties")
            .and_then(Value::as_object)
            .map(|it| it.keys().collect())
            .unwrap_or_default();
        if let Some(unknown) = given.keys().find(|name| !known.contains(name)) {
            let known = match known.as_slice() {
                [] => "no arguments".to_owned(),
                known => known.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", "),
            };
            return Err(format!("Unknown argument \"{unknown}\". {tool} takes {known}."));
        }
        Ok(ToolArguments { given })
    }

    /// A text; `None` if it is absent, null or empty.
    pub fn text(&self, name: &str) -> Result<Option<&'a str>, String> {
        match self.given.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.trim()).filter(|text| !text.is_empty())),
            Some(_) => Err(format!("{name} must be a string")),
        }
    }

    /// A flag; false if it is absent.
    pub fn is_set(&self, name: &str) -> Result<bool, String> {
        match self.given.get(name) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(is_set)) => Ok(*is_set),
            Some(_) => Err(format!("{name} must be true or false")),
        }
    }

    /// A whole number in this range.
    pub fn integer(&self, name: &str, bounds: RangeInclusive<u64>) -> Result<Option<u64>, String> {
        let Some(value) = self.given.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
        let whole = value.as_u64().or_else(|| {
            // 50.0 is a whole number in JSON Schema as well.
            let number = value.as_f64().filter(|it| it.fract() == 0.0 && (0.0..=1e15).contains(it))?;
            Some(number as u64)
        });
        match whole {
            Some(number) if bounds.contains(&number) => Ok(Some(number)),
            _ if *bounds.end() == u64::MAX => {
                Err(format!("{name} must be a whole number of at least {}", bounds.start()))
            }
            _ => Err(format!(
                "{name} must be between {} and {}, as a whole number",
                bounds.start(),
                bounds.end()
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const SCHEMA: &str = r#"{"type":"object","properties":{"deviceName":{},"level":{}}}"#;

    fn level(value: Value) -> Result<Option<u64>, String> {
        let given = json!({"level": value});
        let given = given.as_object().expect("an object");
        ToolArguments::of("tool", SCHEMA, given).expect("known").integer("level", 0..=100)
    }

    #[test]
    fn a_number_is_taken_as_it_is_or_refused() {
        assert_eq!(level(json!(0)), Ok(Some(0)));
        assert_eq!(level(json!(100)), Ok(Some(100)));
        assert_eq!(level(json!(50.0)), Ok(Some(50)));
        assert_eq!(level(json!(null)), Ok(None));
        for wrong in [json!(101), json!(-1), json!(50.5), json!("50"), json!(true), json!(1e300), json!([1])]
        {
            assert_eq!(
                level(wrong.clone()),
                Err("level must be between 0 and 100, as a whole number".to_owned()),
                "{wrong}"
            );
        }
    }

    #[test]
    fn an_argument_that_the_tool_does_not_have_is_refused() {
        let given = json!({"device_name": "Lamp"});
        let problem =
            ToolArguments::of("tool", SCHEMA, given.as_object().expect("an object")).expect_err("refused");
        assert_eq!(problem, "Unknown argument \"device_name\". tool takes deviceName, level.");
    }
}
