//! What the scripted model sends: calls that fit, mistakes that are mended, and look-alikes that must be refused.
//!
//! The tools read and write inside the demo's folder. `search_web` and `control_speaker_volume` are not called: the
//! one would ask the network, the other would be heard.

/// A step of the script.
pub struct Turn {
    pub sent: Call,
    /// What is sent when that was refused.
    pub corrected: Option<Call>,
}

/// A call as a model writes it.
pub struct Call {
    /// The tool's own name, or what the model takes for it.
    pub tool: &'static str,
    /// JSON, which is a string where the model wrote one. `{thing}` is another word in every round.
    pub arguments: &'static str,
}

/// What a round is about.
pub const THINGS: [&str; 6] = ["milk", "bread", "tea", "plants", "books", "music"];

/// A call that is answered.
macro_rules! right {
    ($tool:literal, $arguments:literal) => {
        Turn { sent: Call { tool: $tool, arguments: $arguments }, corrected: None }
    };
}

/// A call that is refused, and what the model sends then.
macro_rules! wrong {
    ($tool:literal, $arguments:literal, then $other:literal, $corrected:literal) => {
        Turn {
            sent: Call { tool: $tool, arguments: $arguments },
            corrected: Some(Call { tool: $other, arguments: $corrected }),
        }
    };
}

/// One round.
pub const SCRIPT: &[Turn] = &[
    // As they should be.
    right!("list_directory", r#"{"path": "notes"}"#),
    right!("get_current_datetime", r#"{"timezone": "Europe/Berlin", "format": "iso"}"#),
    // Names: a rule's alias, the schema's evidence, camelCase, a slip.
    right!("read_file", r#"{"file_path": "notes/todo.md"}"#),
    right!("list_directory", r#"{"directory": "src"}"#),
    right!("read_file", r#"{"path": "src/main.rs", "startLine": 1, "endLine": 3}"#),
    right!("search_files", r#"{"patern": "{thing}", "path": "notes"}"#),
    // Types: words and digits in quotes.
    right!("list_directory", r#"{"path": ".", "recursive": "true"}"#),
    right!("read_file", r#"{"path": "src/main.rs", "start_line": "5", "end_line": "7"}"#),
    right!("search_files", r#"{"pattern": "{thing}", "caseSensitive": "False", "count_only": "yes"}"#),
    // Everything one level too deep.
    right!("read_file", r#"{"arguments": {"path": "notes/ideas.md"}}"#),
    right!("list_directory", r#"{"arguments": {"file_path": "src", "recursive": "true"}}"#),
    // Text instead of JSON, JSON twice, Python's quotes, a fence.
    right!("read_file", r#""{\"path\": \"README.md\"}""#),
    right!("search_files", r#""{'pattern': '{thing}', 'regex': False}""#),
    right!("list_directory", r#""```json\n{\"path\": \"notes\"}\n```""#),
    right!("read_file", r#""{\"path\": \"notes/todo.md\", \"end_line\": 3,}""#),
    // Edits as other clients' tools have them; JSON where text is wanted.
    right!("write_to_file", r#"{"file": "notes/list.md", "contents": "- {thing}\n"}"#),
    right!(
        "edit_file",
        r#"{"path": "notes/list.md", "old_str": "{thing}", "new_str": "{thing}, twice", "dry_run": "true"}"#
    ),
    right!(
        "multi_edit",
        r#"{"path": "notes/list.md", "edits_json": [{"old_str": "- ", "new_str": "* "}], "force": "false"}"#
    ),
    // An optional parameter that says nothing.
    right!("read_file", r#"{"path": "notes/list.md", "start_line": null, "end_line": null}"#),
    // Another form of a tool's name.
    right!("readFile", r#"{"path": "notes/todo.md"}"#),
    right!("list-directory", r#"{"path": "notes"}"#),
    // Cut off: nobody knows what was to follow.
    wrong!(
        "write_to_file", r#""{\"path\": \"notes/list.md\", \"content\": \"- {thing} and""#,
        then "write_to_file", r#"{"path": "notes/list.md", "content": "- {thing} and tea\n"}"#
    ),
    // A parameter that the tool does not have, and nothing says what it stands for.
    wrong!(
        "write_to_file", r#"{"path": "notes/draft.md", "prose": "a line about {thing}\n"}"#,
        then "write_to_file", r#"{"path": "notes/draft.md", "content": "a line about {thing}\n"}"#
    ),
    wrong!(
        "write_to_file", r#"{"path": "notes/letter.md", "prose": "a letter about {thing}\n"}"#,
        then "write_to_file", r#"{"path": "notes/letter.md", "content": "a letter about {thing}\n"}"#
    ),
    wrong!(
        "get_current_datetime", r#"{"city": "Asia/Tokyo", "format": "time"}"#,
        then "get_current_datetime", r#"{"timezone": "Asia/Tokyo", "format": "time"}"#
    ),
    wrong!(
        "search_files", r#"{"pattern": "{thing}", "max_results": 5}"#,
        then "search_files", r#"{"pattern": "{thing}"}"#
    ),
    // Two values for one parameter.
    wrong!(
        "read_file", r#"{"file_path": "notes/todo.md", "filename": "notes/ideas.md"}"#,
        then "read_file", r#"{"path": "notes/todo.md"}"#
    ),
    // A number that is none.
    wrong!(
        "read_file", r#"{"path": "notes/todo.md", "end_line": "2.5"}"#,
        then "read_file", r#"{"path": "notes/todo.md", "end_line": 2}"#
    ),
    // A required parameter is missing.
    wrong!(
        "edit_file", r#"{"path": "notes/todo.md", "new_text": "- buy {thing} tomorrow"}"#,
        then "edit_file",
        r#"{"path": "notes/todo.md", "old_text": "- buy milk", "new_text": "- buy {thing} tomorrow", "dry_run": true}"#
    ),
    // What the tool itself refuses: no repair can find a file that is not there.
    wrong!(
        "read_file", r#"{"path": "notes/{thing}.md"}"#,
        then "list_directory", r#"{"path": "notes"}"#
    ),
    wrong!(
        "read_file", r#"{"path": "../secret.md"}"#,
        then "read_file", r#"{"path": "README.md"}"#
    ),
    // A tool that there is not.
    wrong!(
        "cat_file", r#"{"path": "src/settings.toml"}"#,
        then "read_file", r#"{"path": "src/settings.toml"}"#
    ),
    // And away with it.
    right!("delete_file", r#"{"path": "notes/list.md", "permanent": "true"}"#),
];

#[cfg(test)]
mod tests {
    use toolwright_jsonrpc::Json;

    use super::*;

    #[test]
    fn every_step_is_json_and_leaves_network_and_loudspeaker_alone() {
        for Turn { sent, corrected } in SCRIPT {
            for Call { tool, arguments } in std::iter::once(sent).chain(corrected) {
                assert!(Json::parse(&arguments.replace("{thing}", "tea")).is_ok(), "{tool} {arguments}");
                assert!(!["search_web", "control_speaker_volume"].contains(tool), "{tool}");
            }
        }
    }
}
