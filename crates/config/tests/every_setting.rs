//! Every key of the JSON Schema is in a table of the docs, and every key in such a table is in the schema.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;
use toolwright_config::JSON_SCHEMA;

/// The tables of keys: the page, the heading above them, the start of the table, and the part of the schema that they
/// describe.
const TABLES: [(&str, &str, &str, &str); 9] = [
    ("configuration.md", "## The file", "| key |", "#"),
    ("configuration.md", "## A server", "| key |", "server"),
    ("configuration.md", "### oauth", "| key |", "login"),
    (
        "configuration.md",
        "## Records, secrets,",
        "| key |",
        "# ledger redact store learn learnFrom telemetry security notify",
    ),
    ("configuration.md", "## Language models", "| key |", "llm"),
    ("configuration.md", "An upstream:", "| key |", "upstream"),
    ("configuration.md", "An upstream:", "| quirk |", "quirks"),
    ("configuration.md", "## Questions", "| key |", "agent"),
    ("voice.md", "## Settings", "| key of `voice` |", "voice"),
];

/// Aliases that the text of the page mentions besides the name in the table, and keys of a toolbox.
const IN_THE_TEXT: [&str; 7] =
    ["servers", "httpUrl", "serverUrl", "baseUrl", "transport", "description", "mcpServers"];

fn schema() -> Value {
    serde_json::from_str(JSON_SCHEMA).expect("it is JSON")
}

fn page(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    std::fs::read_to_string(path).expect("the page")
}

/// The code spans in the first cells of a table.
fn documented(page: &str, heading: &str, head: &str) -> BTreeSet<String> {
    let (_, below) = page.split_once(&format!("\n{heading}")).unwrap_or_else(|| panic!("no {heading:?}"));
    let (_, table) =
        below.split_once(&format!("\n{head}")).unwrap_or_else(|| panic!("no {head:?} below {heading:?}"));
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

/// The keys of an object of the schema; those of nested objects after a dot.
fn keys(schema: &Value, object: &Value, prefix: &str, depth: usize, into: &mut BTreeSet<String>) {
    let mut objects = vec![object];
    while let Some(object) = objects.pop() {
        for several in ["anyOf", "oneOf", "allOf"] {
            objects.extend(object[several].as_array().into_iter().flatten());
        }
        if let Some(name) = object["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/")) {
            objects.push(&schema["$defs"][name]);
        }
        for (key, value) in object["properties"].as_object().into_iter().flatten() {
            into.insert(format!("{prefix}{key}"));
            if depth > 0 {
                keys(schema, value, &format!("{prefix}{key}."), depth - 1, into);
            }
        }
    }
}

#[test]
fn documented_keys_equal_the_schema_keys() {
    let schema = schema();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for (name, heading, head, describes) in TABLES {
        let documented = documented(&page(name), heading, head);
        let mut known = BTreeSet::new();
        match describes.strip_prefix('#') {
            Some("") => keys(&schema, &schema, "", 0, &mut known),
            Some(sections) => {
                for section in sections.split_whitespace() {
                    let mut inside = BTreeSet::new();
                    keys(&schema, &schema["properties"][section], &format!("{section}."), 0, &mut inside);
                    if inside.is_empty() {
                        inside.insert(section.to_owned());
                    }
                    known.extend(inside);
                }
            }
            None => {
                let depth = usize::from(matches!(describes, "agent" | "voice"));
                keys(&schema, &schema["$defs"][describes], "", depth, &mut known);
            }
        }
        // An object with a row for each of its keys needs no row itself.
        let has_rows = |key: &String| documented.iter().any(|other| other.starts_with(&format!("{key}.")));
        let missing: Vec<&String> = known
            .iter()
            .filter(|key| {
                !documented.contains(*key) && !has_rows(key) && !IN_THE_TEXT.contains(&key.as_str())
            })
            .collect();
        assert!(missing.is_empty(), "docs/{name}, {heading:?}: no row for {missing:?}");
        let made_up: Vec<&String> = documented
            .iter()
            .filter(|key| !known.contains(*key) && !IN_THE_TEXT.contains(&key.as_str()))
            .collect();
        assert!(made_up.is_empty(), "docs/{name}, {heading:?}: the schema has no {made_up:?}");
        seen.insert(describes.to_owned());
    }
    let page = page("configuration.md");
    for key in IN_THE_TEXT {
        assert!(page.contains(&format!("`{key}`")), "{key}");
    }
    // A new kind of object needs a table.
    let defs = schema["$defs"].as_object().expect("definitions").iter();
    let objects =
        defs.filter(|(_, definition)| definition.get("properties").is_some()).map(|(name, _)| name.as_str());
    let inside = ["ledger", "redact", "telemetry", "security", "notify", "mqtt", "wyoming", "toolbox"];
    for object in objects.filter(|name| !inside.contains(name)) {
        assert!(seen.contains(object), "no table describes {object}");
    }
}
