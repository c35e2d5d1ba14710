//! The tool and the argument texts that every lane gets: four kinds of call in three sizes.

use std::fmt::Write;

use serde_json::{Map, Value, json};

/// The name of the tool that is called.
pub const TOOL: &str = "save_note";

/// One line of the table.
#[derive(Debug)]
pub struct Row {
    /// What the call is like.
    pub kind: Kind,
    /// How long its arguments are.
    pub size: Size,
    /// The argument text as a model would send it.
    pub input: String,
    /// What it means.
    pub expected: Value,
}

impl Row {
    /// The row's name in file names and reports.
    pub fn id(&self) -> String {
        format!("{}-{}", self.kind.id(), self.size.id())
    }
}

/// What is wrong with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing.
    Valid,
    /// A number sent as a string.
    Single,
    /// A key in another case, a boolean sent as a string, and everything one level too deep.
    Wrapped,
    /// A key in another case, a boolean sent as a string, and a trailing comma.
    Broken,
}

impl Kind {
    /// Every kind, in the order of the table.
    pub const ALL: [Self; 4] = [Self::Valid, Self::Single, Self::Wrapped, Self::Broken];

    /// The words in the table.
    pub fn label(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Single => "1 error",
            Self::Wrapped => "3 errors, envelope",
            Self::Broken => "3 errors, syntax",
        }
    }

    fn id(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Single => "single",
            Self::Wrapped => "wrapped",
            Self::Broken => "broken",
        }
    }
}

/// How long the arguments are, about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Some 60 bytes.
    Small,
    /// Some 1,000 bytes.
    Typical,
    /// Some 1,000,000 bytes.
    Large,
}

impl Size {
    /// Every size, in the order of the table.
    pub const ALL: [Self; 3] = [Self::Small, Self::Typical, Self::Large];

    /// The words in the table.
    pub fn label(self) -> &'static str {
        match self {
            Self::Small => "60 B",
            Self::Typical => "1 KB",
            Self::Large => "1 MB",
        }
    }

    fn id(self) -> &'static str {
        match self {
            Self::Small => "60b",
            Self::Typical => "1kb",
            Self::Large => "1mb",
        }
    }
}

/// The schema of the tool, as its server would send it.
pub fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "title": {"type": "string", "minLength": 1, "description": "What the note is about"},
            "body": {"type": "string", "description": "The text of the note"},
            "priority": {"type": "string", "enum": ["low", "normal", "high"]},
            "tasks": {
                "type": "array",
                "description": "What is to be done",
                "items": {
                    "type": "object",
                    "properties": {
                        "id": {"type": "integer"},
                        "text": {"type": "string"},
                        "done": {"type": "boolean"}
                    },
                    "required": ["id", "text"],
                    "additionalProperties": false
                }
            },
            "due_days": {"type": "integer", "minimum": 0, "description": "Days until it is due"},
            "notify": {"type": "boolean", "description": "Whether to send a reminder"}
        },
        "required": ["title"],
        "additionalProperties": false
    })
}

/// Every row of the table.
pub fn rows() -> Vec<Row> {
    let sized = |kind| Size::ALL.map(|size| row(kind, size));
    Kind::ALL.into_iter().flat_map(sized).collect()
}

fn row(kind: Kind, size: Size) -> Row {
    let valid = arguments(size);
    let input = match kind {
        Kind::Valid => valid.clone(),
        Kind::Single => edited(&valid, |key, value| match key {
            "due_days" => (key.to_owned(), Value::String(value.to_string())),
            _ => (key.to_owned(), value.clone()),
        }),
        Kind::Wrapped => json!({"arguments": renamed_and_stringified(&valid)}),
        Kind::Broken => renamed_and_stringified(&valid),
    };
    let mut text = input.to_string();
    if kind == Kind::Broken {
        text.insert(text.len() - 1, ',');
    }
    Row { kind, size, input: text, expected: valid }
}

fn renamed_and_stringified(valid: &Value) -> Value {
    edited(valid, |key, value| match key {
        "due_days" => ("dueDays".to_owned(), value.clone()),
        "notify" => (key.to_owned(), Value::String(value.to_string())),
        _ => (key.to_owned(), value.clone()),
    })
}

fn edited(object: &Value, edit: impl Fn(&str, &Value) -> (String, Value)) -> Value {
    let entries = object.as_object().into_iter().flatten();
    Value::Object(entries.map(|(key, value)| edit(key, value)).collect())
}

fn arguments(size: Size) -> Value {
    let mut object = Map::new();
    let (paragraphs, tasks) = match size {
        Size::Small => (0, 0),
        Size::Typical => (4, 8),
        Size::Large => (4_500, 8_000),
    };
    object.insert("title".to_owned(), json!("Buy milk"));
    if paragraphs > 0 {
        object.insert("body".to_owned(), json!(body(paragraphs)));
    }
    object.insert("priority".to_owned(), json!("low"));
    if tasks > 0 {
        object.insert("tasks".to_owned(), (1..=tasks).map(task).collect());
    }
    object.insert("due_days".to_owned(), json!(3));
    object.insert("notify".to_owned(), json!(true));
    Value::Object(object)
}

/// Text with what makes strings slow to read: quotes, line ends, back-slashes, letters beyond ASCII.
fn body(paragraphs: usize) -> String {
    let mut text = String::new();
    for number in 1..=paragraphs {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{number}. The café said \"half past six\"; the list is in C:\\notes\\{number}.txt,\n\
             \tand everything else can wait until Thursday morning."
        );
    }
    text
}

fn task(id: u32) -> Value {
    json!({"id": id, "text": format!("Ask for item {id}"), "done": id.is_multiple_of(3)})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_row_for_every_kind_and_size() {
        assert_eq!(rows().len(), Kind::ALL.len() * Size::ALL.len());
    }

    #[test]
    fn the_sizes_are_what_the_table_says() {
        for row in rows() {
            let (low, high) = match row.size {
                Size::Small => (50, 90),
                Size::Typical => (900, 1_150),
                Size::Large => (900_000, 1_150_000),
            };
            assert!((low..high).contains(&row.input.len()), "{}: {} bytes", row.id(), row.input.len());
        }
    }

    #[test]
    fn valid_rows_mean_what_they_say() {
        for row in rows().iter().filter(|row| row.kind == Kind::Valid) {
            assert_eq!(row.input, row.expected.to_string());
        }
    }

    #[test]
    fn small_rows_carry_the_errors_of_their_kind() {
        let input = |kind| row(kind, Size::Small).input;
        let start = r#"{"title":"Buy milk","priority":"low","#;
        assert_eq!(input(Kind::Valid), format!(r#"{start}"due_days":3,"notify":true}}"#));
        assert_eq!(input(Kind::Single), format!(r#"{start}"due_days":"3","notify":true}}"#));
        assert_eq!(input(Kind::Wrapped), format!(r#"{{"arguments":{start}"dueDays":3,"notify":"true"}}}}"#));
        assert_eq!(input(Kind::Broken), format!(r#"{start}"dueDays":3,"notify":"true",}}"#));
    }
}
