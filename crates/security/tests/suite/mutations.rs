//! Every kind of change to a definition is detected, and changes of notation alone are recognised as such.

use serde_json::{Value, json};
use toolwright_security::{Class, Pins, Sight};

const COMMAND: &str = "npx -y files@1.2.3";

fn tool() -> Value {
    json!({
        "name": "read", "title": "Read", "description": "Reads a file.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Path", "pattern": "^/", "maxLength": 100, "default": "/"},
                "mode": {"type": "string", "enum": ["text", "bytes"]},
                "lines": {"type": "integer", "minimum": 1, "examples": [5]},
                "tags": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["path", "mode"],
            "additionalProperties": false,
            "$defs": {"a": {"type": "string"}},
        },
        "outputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
        "annotations": {"readOnlyHint": true, "title": "Read"},
        "icons": [{"src": "https://example.com/a.png"}],
    })
}

type Mutation = (&'static str, &'static str, Value, Class);

/// A name, the position, the new value (`null` removes it), and the class of the change.
fn mutations() -> Vec<Mutation> {
    use Class::{Meaning, Words};
    vec![
        ("description replaced", "/description", json!("Deletes a file."), Words),
        ("description extended", "/description", json!("Reads a file. And more."), Words),
        ("description removed", "/description", Value::Null, Words),
        ("one letter in the description", "/description", json!("Reads a fiIe."), Words),
        ("look-alike letter", "/description", json!("Re\u{430}ds a file."), Words),
        ("zero-width space", "/description", json!("Reads a \u{200b}file."), Words),
        ("tag characters at the end", "/description", json!("Reads a file.\u{e0041}"), Words),
        ("space in front", "/description", json!(" Reads a file."), Words),
        ("no-break space at the end", "/description", json!("Reads a file.\u{a0}"), Words),
        ("case of a letter", "/description", json!("reads a file."), Words),
        ("description of another type", "/description", json!({"text": "Reads a file."}), Meaning),
        ("title replaced", "/title", json!("Write"), Words),
        ("title removed", "/title", Value::Null, Words),
        (
            "parameter described otherwise",
            "/inputSchema/properties/path/description",
            json!("Any path"),
            Words,
        ),
        ("parameter gets a title", "/inputSchema/properties/path/title", json!("A path"), Words),
        ("examples", "/inputSchema/properties/lines/examples", json!([6]), Words),
        ("parameter added", "/inputSchema/properties/sidenote", json!({"type": "string"}), Meaning),
        ("parameter removed", "/inputSchema/properties/mode", Value::Null, Meaning),
        ("type of a parameter", "/inputSchema/properties/path/type", json!("array"), Meaning),
        ("type becomes a list", "/inputSchema/properties/path/type", json!(["string", "null"]), Meaning),
        ("pattern", "/inputSchema/properties/path/pattern", json!("^"), Meaning),
        ("pattern with a space at the end", "/inputSchema/properties/path/pattern", json!("^/ "), Meaning),
        ("default", "/inputSchema/properties/path/default", json!("/etc/passwd"), Meaning),
        ("limit", "/inputSchema/properties/path/maxLength", json!(101), Meaning),
        ("minimum taken away", "/inputSchema/properties/lines/minimum", Value::Null, Meaning),
        (
            "value added to an enum",
            "/inputSchema/properties/mode/enum",
            json!(["text", "bytes", "exec"]),
            Meaning,
        ),
        ("value taken from an enum", "/inputSchema/properties/mode/enum", json!(["text"]), Meaning),
        ("enum emptied", "/inputSchema/properties/mode/enum", json!([]), Meaning),
        ("required grows", "/inputSchema/required", json!(["path", "mode", "lines"]), Meaning),
        ("required removed", "/inputSchema/required", Value::Null, Meaning),
        ("more properties allowed", "/inputSchema/additionalProperties", json!(true), Meaning),
        ("items of a list", "/inputSchema/properties/tags/items/type", json!("object"), Meaning),
        ("definition that is referred to", "/inputSchema/$defs/a/type", json!("number"), Meaning),
        ("reference", "/inputSchema/properties/path/$ref", json!("#/$defs/a"), Meaning),
        ("output schema", "/outputSchema/properties/text/type", json!("object"), Meaning),
        ("output schema removed", "/outputSchema", Value::Null, Meaning),
        ("annotation turned round", "/annotations/readOnlyHint", json!(false), Meaning),
        ("annotation added", "/annotations/destructiveHint", json!(false), Meaning),
        ("annotations removed", "/annotations", Value::Null, Meaning),
        ("annotated title", "/annotations/title", json!("Look"), Words),
        ("icon", "/icons/0/src", json!("https://example.org/b.png"), Meaning),
        ("unknown field", "/execution", json!({"taskSupport": "required"}), Meaning),
        ("number becomes a text", "/inputSchema/properties/path/maxLength", json!("100"), Meaning),
    ]
}

fn mutated(place: &str, new: Value) -> String {
    let mut tool = tool();
    let (parent, key) = place.rsplit_once('/').expect("a place");
    match tool.pointer_mut(parent).expect("a parent") {
        Value::Object(fields) if new.is_null() => {
            fields.remove(key).expect("it was there");
        }
        Value::Object(fields) => {
            fields.insert(key.to_owned(), new);
        }
        _ => panic!("{place} is in no object"),
    }
    tool.to_string()
}

fn approved_pins() -> Pins {
    let pins = Pins::open(None).expect("opened");
    let seen = pins.see("files", COMMAND, &[tool().to_string()]);
    assert_eq!(seen[0].sight, Sight::First);
    pins
}

#[test]
fn every_mutation_is_detected_and_waits() {
    assert!(mutations().len() >= 30);
    for (name, place, new, class) in mutations() {
        let pins = approved_pins();
        let seen = pins.see("files", COMMAND, &[mutated(place, new)]);
        let Some(Sight::Changed(change)) = seen.first().map(|seen| &seen.sight) else {
            panic!("{name}: {seen:?}")
        };
        assert_eq!(change.class, class, "{name}: {change:?}");
        assert!(pins.is_waiting("files", "read"), "{name}");
        assert_eq!(pins.waiting()[0].class, class, "{name}");
    }
}

#[test]
fn new_name_and_new_command_are_detected() {
    let pins = approved_pins();
    let seen = pins.see("files", COMMAND, &[mutated("/name", json!("read_all"))]);
    assert_eq!((seen[0].tool.as_str(), &seen[0].sight), ("read_all", &Sight::Added));
    let pins = approved_pins();
    let seen = pins.see("files", "npx -y files@1.2.4", &[tool().to_string()]);
    assert_eq!(seen[0].sight, Sight::Moved);
    assert!(pins.is_waiting("files", "read"));
}

#[test]
fn change_of_notation_is_approved() {
    let cases = [
        ("order of required", "/inputSchema/required", json!(["mode", "path"])),
        ("order of an enum", "/inputSchema/properties/mode/enum", json!(["bytes", "text"])),
        ("space at the end of a description", "/description", json!("Reads a file. \n")),
        ("1.0 for 1", "/inputSchema/properties/lines/minimum", json!(1.0)),
        ("empty title where there was none", "/inputSchema/properties/path/title", json!("")),
        ("empty list where nothing was required", "/outputSchema/required", json!([])),
    ];
    for (name, place, new) in cases {
        let pins = approved_pins();
        let text = mutated(place, new);
        let seen = pins.see("files", COMMAND, std::slice::from_ref(&text));
        let Some(Sight::Respelled(change)) = seen.first().map(|seen| &seen.sight) else {
            panic!("{name}: {seen:?}")
        };
        assert_eq!((change.class, change.fields.len()), (Class::Notation, 1), "{name}");
        assert!(!pins.is_waiting("files", "read"), "{name}");
        assert!(pins.see("files", COMMAND, &[text]).is_empty(), "{name}: told once");
    }
}

#[test]
fn key_order_whitespace_and_meta_are_no_change() {
    let pins = approved_pins();
    let Value::Object(fields) = tool() else { panic!("an object") };
    let reversed: Value = fields.into_iter().rev().collect::<serde_json::Map<_, _>>().into();
    let mut with_meta = tool();
    with_meta["_meta"] = json!({"time": 12});
    let pretty = serde_json::to_string_pretty(&tool()).expect("JSON");
    let escaped = tool().to_string().replace("Reads", "\\u0052eads");
    for text in [reversed.to_string(), with_meta.to_string(), pretty, escaped] {
        assert_eq!(pins.see("files", COMMAND, &[text]), []);
    }
}
