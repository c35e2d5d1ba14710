//! No repair makes a destructive or writing tool affect more than the call says.
//!
//! Each attack is a call whose closest valid form deletes, changes or confirms more than was sent. Each has a
//! look-alike: the same mistake where nothing can be destroyed, or one that is allowed for a destructive tool.

use crate::trap::tool;

use toolwright_model::{Finish, Outcome};
use toolwright_normalizer::{Normalizer, RawArguments};

const RECORDS: &str = r#""table":{"type":"string"},"filter":{"type":"object"},"limit":{"type":"integer"}"#;
const FILES: &str = r#""paths":{"type":"array","items":{"type":"string"}},"recursive":{"type":"boolean"}"#;
const PATH: &str = r#""path":{"type":"string"},"force":{"type":"boolean"}"#;

/// A tool by its name, properties and required names, and the arguments that are sent.
type Call = (&'static str, &'static str, &'static str, &'static str);

fn outcome(&(name, properties, required, arguments): &Call) -> Outcome {
    let tool = tool(name, properties, required, false);
    Normalizer::default().normalize(&tool, &RawArguments::text(arguments, Finish::Stop))
}

#[track_caller]
fn all_refused(attacks: &[Call]) {
    let taken: Vec<String> = attacks
        .iter()
        .map(|call| (call, outcome(call)))
        .filter(|(_, outcome)| !matches!(outcome, Outcome::Refused { .. }))
        .map(|((name, _, _, arguments), outcome)| format!("{name} {arguments} → {outcome:?}"))
        .collect();
    assert!(taken.is_empty(), "{} of {} got through:\n{}", taken.len(), attacks.len(), taken.join("\n"));
}

#[track_caller]
fn all_repaired(calls: &[(Call, &str)]) {
    for (call, expected) in calls {
        match outcome(call) {
            Outcome::Repaired { arguments, .. } => assert_eq!(arguments, *expected, "{call:?}"),
            other => panic!("{call:?} should be repaired, got {other:?}"),
        }
    }
}

#[test]
fn unknown_parameter_of_destructive_tool_is_never_dropped() {
    const TABLE: &str = r#""table":{"type":"string"}"#;
    for key in [
        "where",
        "only",
        "filter",
        "exclude",
        "except",
        "keep",
        "dry_run",
        "dryRun",
        "limit",
        "older_than",
        "before",
        "max",
        "preview",
        "soft",
        "backup",
        "confirm",
        "scope",
        "x",
        "options",
        "if_empty",
        "region",
    ] {
        for value in
            ["null", "\"\"", "\"  \"", "[]", "{}", "\"null\"", "true", "false", "0", "\"id=1\"", "[1]"]
        {
            let arguments = format!(r#"{{"table":"t","{key}":{value}}}"#);
            for name in ["delete_rows", "purge_table", "drop_rows"] {
                let tool = tool(name, TABLE, r#""table""#, false);
                let outcome = Normalizer::default().normalize(&tool, &RawArguments::json(&arguments));
                assert!(matches!(outcome, Outcome::Refused { .. }), "{name} {arguments}: {outcome:?}");
            }
        }
    }
    all_refused(&[
        ("update_rows", TABLE, r#""table""#, r#"{"table":"t","where":null}"#),
        ("update_rows", TABLE, r#""table""#, r#"{"table":"t","dry_run":""}"#),
        ("sync_tables", TABLE, r#""table""#, r#"{"table":"t","exclude":[]}"#),
        ("migrate_table", TABLE, r#""table""#, r#"{"table":"t","only":{}}"#),
        // The same inside of a level, and next to an envelope.
        (
            "delete_rows",
            r#""where":{"type":"object","properties":{"id":{"type":"integer"}},"additionalProperties":false}"#,
            "",
            r#"{"where":{"status":null}}"#,
        ),
        (
            "update_rows",
            r#""where":{"type":"object","properties":{"id":{"type":"integer"}},"additionalProperties":false}"#,
            "",
            r#"{"where":{"id":null}}"#,
        ),
        (
            "delete_rows",
            TABLE,
            r#""table""#,
            r#"{"name":"delete_rows","arguments":{"table":"t"},"dry_run":true}"#,
        ),
        ("delete_rows", TABLE, r#""table""#, r#"{"arguments":{"table":"t"},"dry_run":true}"#),
        ("delete_rows", TABLE, r#""table""#, r#"{"table":"t","options":{"dry_run":true}}"#),
        (
            "delete_users",
            r#""id":{"type":"string"}"#,
            "",
            r#"{"name":"delete_users","id":"7","arguments":{}}"#,
        ),
        (
            "delete_users",
            r#""status":{"type":"string"}"#,
            "",
            r#"{"name":"delete_users","status":"inactive","arguments":{}}"#,
        ),
    ]);
    all_repaired(&[
        (("list_rows", TABLE, r#""table""#, r#"{"table":"t","where":null}"#), r#"{"table":"t"}"#),
        (("list_rows", TABLE, r#""table""#, r#"{"table":"t","only":[]}"#), r#"{"table":"t"}"#),
        (("update_rows", TABLE, r#""table""#, r#"{"table":"t","color":null}"#), r#"{"table":"t"}"#),
        (
            ("delete_rows", TABLE, r#""table""#, r#"{"table":"t","reasoning":"The user asked for it"}"#),
            r#"{"table":"t"}"#,
        ),
        (("delete_rows", TABLE, r#""table""#, r#"{"table":"t","thought":null}"#), r#"{"table":"t"}"#),
    ]);
}

#[test]
fn empty_parameter_of_destructive_tool_is_not_dropped() {
    let note = r#""id":{"type":"string"},"note_id":{"type":"integer"},"label":{"type":"integer"},"title":{"type":"integer"}"#;
    all_refused(&[
        ("delete_records", RECORDS, r#""table""#, r#"{"table":"t","filter":null}"#),
        ("delete_records", RECORDS, r#""table""#, r#"{"table":"t","filter":"{}"}"#),
        ("delete_records", RECORDS, r#""table""#, r#"{"table":"t","filter":"null"}"#),
        ("delete_records", RECORDS, r#""table""#, r#"{"table":"t","filter":[]}"#),
        ("delete_records", RECORDS, r#""table""#, r#"{"table":"t","filter":[{}]}"#),
        ("delete_records", RECORDS, r#""table""#, r#"{"table":"t","filter":{"filter":{}}, "where":null}"#),
        ("delete_records", RECORDS, r#""table""#, r#"{"table":"t","limit":""}"#),
        ("delete_records", RECORDS, r#""table""#, r#"{"table":"t","Limit":null}"#),
        ("update_records", RECORDS, r#""table""#, r#"{"table":"t","filter":"{}"}"#),
        ("update_records", RECORDS, r#""table""#, r#"{"table":"t","filter":[{}]}"#),
        // Words of remarks that select what is deleted.
        ("delete_notes", note, "", r#"{"note_id":null}"#),
        ("delete_notes", note, "", r#"{"label":null}"#),
        ("delete_notes", note, "", r#"{"title":""}"#),
        // A filter that may be null was sent as text.
        ("delete_rows", r#""filter":{"type":["object","null"]}"#, "", r#"{"filter":"null"}"#),
        ("update_rows", r#""filter":{"type":["object","null"]}"#, "", r#"{"filter":"None"}"#),
        (
            "delete_rows",
            r#""filter":{"type":["object","null"],"properties":{"id":{"type":"integer"}},"additionalProperties":false}"#,
            "",
            r#"{"filter":{"filter":null}}"#,
        ),
        // Flags that hold an action back, and flags that are on by default.
        (
            "delete_path",
            r#""path":{"type":"string"},"dry_run":{"type":"boolean"}"#,
            r#""path""#,
            r#"{"path":"a","dry_run":null}"#,
        ),
        (
            "delete_path",
            r#""path":{"type":"string"},"trash":{"type":"boolean"}"#,
            r#""path""#,
            r#"{"path":"a","trash":null}"#,
        ),
        (
            "delete_path",
            r#""path":{"type":"string"},"no_force":{"type":"boolean"}"#,
            r#""path""#,
            r#"{"path":"a","no_force":null}"#,
        ),
        (
            "delete_path",
            r#""path":{"type":"string"},"recursive":{"type":"boolean","default":true}"#,
            r#""path""#,
            r#"{"path":"a","recursive":null}"#,
        ),
        (
            "create_refund",
            r#""charge":{"type":"string"},"amount":{"type":"integer"}"#,
            r#""charge""#,
            r#"{"charge":"c","amount":null}"#,
        ),
    ]);
    all_repaired(&[
        (("list_records", RECORDS, r#""table""#, r#"{"table":"t","filter":null}"#), r#"{"table":"t"}"#),
        (
            ("list_records", RECORDS, r#""table""#, r#"{"table":"t","filter":"{}"}"#),
            r#"{"table":"t","filter":{}}"#,
        ),
        (
            ("delete_records", RECORDS, r#""table""#, r#"{"table":"t","filter":"{\"id\":1}"}"#),
            r#"{"table":"t","filter":{"id":1}}"#,
        ),
        (("delete_path", PATH, r#""path""#, r#"{"path":"a","force":null}"#), r#"{"path":"a"}"#),
        (
            (
                "delete_path",
                r#""path":{"type":"string"},"reason":{"type":"string","minLength":1}"#,
                r#""path""#,
                r#"{"path":"a","reason":null}"#,
            ),
            r#"{"path":"a"}"#,
        ),
        (
            ("list_rows", r#""filter":{"type":["object","null"]}"#, "", r#"{"filter":"null"}"#),
            r#"{"filter":null}"#,
        ),
    ]);
}

#[test]
fn missing_arguments_do_not_select_everything() {
    for nothing in [
        "null",
        "",
        "  ",
        "None",
        "undefined",
        "\"null\"",
        "\"\"",
        "[null]",
        "[]",
        r#"{"arguments":null}"#,
        r#"{"input":""}"#,
    ] {
        all_refused(&[
            ("delete_records", r#""filter":{"type":"object"}"#, "", nothing),
            ("clear_cache", r#""keys":{"type":"array","items":{"type":"string"}}"#, "", nothing),
            ("update_records", r#""where":{"type":"object"}"#, "", nothing),
        ]);
    }
    all_repaired(&[
        (("list_records", r#""filter":{"type":"object"}"#, "", "null"), "{}"),
        (("clear_cache", "", "", "null"), "{}"),
        (("clear_cache", "", "", ""), "{}"),
        (("update_index", r#""verbose":{"type":"boolean"}"#, "", "null"), "{}"),
    ]);
}

#[test]
fn one_item_is_not_every_item() {
    for value in [
        "\"*\"",
        "\"\"",
        "\" \"",
        "\"**/*\"",
        "\"*.log\"",
        "\"all\"",
        "\"ALL\"",
        "\"everything\"",
        "\"/\"",
        "\".\"",
        "\"..\"",
        "\"~\"",
        "\"%\"",
        "\"a,b\"",
        "\"a, my b\"",
        "\"a;b\"",
        "\"a|b\"",
        "\"a\\nb\"",
        "\"[]\"",
        "\"[a, b\"",
        "null",
        "{}",
        "\"{}\"",
        "\"['a'\"",
        "{\"paths\":\"*\"}",
        "{\"value\":\"*\"}",
    ] {
        let arguments = format!(r#"{{"paths":{value}}}"#);
        let tool = tool("delete_files", FILES, "", false);
        let outcome = Normalizer::default().normalize(&tool, &RawArguments::json(&arguments));
        assert!(matches!(outcome, Outcome::Refused { .. }), "{arguments}: {outcome:?}");
    }
    for value in [
        "[\"\"]",
        "[\"*\"]",
        "[\"/\"]",
        "[\".\"]",
        "[]",
        "[null]",
        "[\"a\",\"b\"]",
        "[[\"*\"]]",
        "{}",
        "{\"path\":\"*\"}",
    ] {
        let arguments = format!(r#"{{"path":{value}}}"#);
        let tool = tool("delete_file", PATH, "", false);
        let outcome = Normalizer::default().normalize(&tool, &RawArguments::json(&arguments));
        assert!(matches!(outcome, Outcome::Refused { .. }), "{arguments}: {outcome:?}");
    }
    all_repaired(&[
        (("list_files", FILES, "", r#"{"paths":"*"}"#), r#"{"paths":["*"]}"#),
        (("list_files", PATH, "", r#"{"path":["."]}"#), r#"{"path":"."}"#),
        (("delete_files", FILES, "", r#"{"paths":"a.log"}"#), r#"{"paths":["a.log"]}"#),
        (("delete_files", FILES, "", r#"{"paths":"[\"a\",\"b\"]"}"#), r#"{"paths":["a","b"]}"#),
        (("delete_file", PATH, "", r#"{"path":["a.log"]}"#), r#"{"path":"a.log"}"#),
    ]);
}

#[test]
fn a_confirmation_is_typed_out_by_the_caller() {
    for name in [
        "confirm",
        "acknowledge",
        "i_am_sure",
        "phrase",
        "verification",
        "safety_text",
        "really",
        "type_here",
        "x",
    ] {
        for schema in
            [r#"{"const":"DELETE"}"#, r#"{"enum":["DELETE"]}"#, r#"{"type":"string","const":"DELETE"}"#]
        {
            for value in [
                "\"delete\"",
                "\"Delete\"",
                "\" DELETE \"",
                "\"DELETE.\"",
                "true",
                "[\"delete\"]",
                "null",
                "\"\"",
                "\"yes\"",
                "{\"value\":\"delete\"}",
            ] {
                let properties = format!(r#""id":{{"type":"string"}},"{name}":{schema}"#);
                let tool = tool("delete_account", &properties, &format!(r#""id","{name}""#), false);
                let arguments = format!(r#"{{"id":"7","{name}":{value}}}"#);
                let outcome = Normalizer::default().normalize(&tool, &RawArguments::json(&arguments));
                assert!(matches!(outcome, Outcome::Refused { .. }), "{schema} {arguments}: {outcome:?}");
            }
        }
    }
    let sure = r#""id":{"type":"string"},"i_am_sure":{"const":true}"#;
    let phrase = r#""id":{"type":"string"},"phrase":{"enum":["DELETE","ERASE"]}"#;
    all_refused(&[
        ("delete_account", sure, r#""id","i_am_sure""#, r#"{"id":"7"}"#),
        ("delete_account", sure, r#""id","i_am_sure""#, r#"{"id":"7","i_am_sure":"yes"}"#),
        ("delete_account", sure, r#""id","i_am_sure""#, r#"{"id":"7","i_am_sure":1}"#),
        ("delete_account", sure, r#""id","i_am_sure""#, r#"{"id":"7","i_am_sure":null}"#),
        ("delete_account", phrase, r#""id","phrase""#, r#"{"id":"7","phrase":"delete"}"#),
    ]);
    all_repaired(&[
        (
            ("open_account", r#""kind":{"const":"SAVINGS"}"#, r#""kind""#, r#"{"kind":"savings"}"#),
            r#"{"kind":"SAVINGS"}"#,
        ),
        (
            ("reset_branch", r#""mode":{"enum":["soft","hard"]}"#, r#""mode""#, r#"{"mode":"Soft"}"#),
            r#"{"mode":"soft"}"#,
        ),
    ]);
}

#[test]
fn flags_and_numbers_that_widen_are_not_guessed() {
    let flags = r#""path":{"type":"string"},"recursive":{"type":"boolean"},"overwrite":{"type":"boolean"}"#;
    let keep = r#""folder":{"type":"string"},"keep":{"type":"integer","minimum":1,"maximum":100}"#;
    all_refused(&[
        ("delete_path", flags, "", r#"{"path":"a","recursive":"yes"}"#),
        ("delete_path", flags, "", r#"{"path":"a","recursive":1}"#),
        ("delete_path", flags, "", r#"{"path":"a","recursive":"1"}"#),
        ("delete_path", flags, "", r#"{"path":"a","recursive":"on"}"#),
        ("delete_path", flags, "", r#"{"path":"a","recursive":["yes"]}"#),
        ("store_file", flags, "", r#"{"path":"a","overwrite":["yes"]}"#),
        ("store_file", flags, "", r#"{"path":"a","overwrite":[1]}"#),
        ("store_file", flags, "", r#"{"path":"a","overwrite":{"value":"yes"}}"#),
        ("delete_path", flags, "", r#"{"path":"a","-r":true}"#),
        ("delete_path", flags, "", r#"{"path":"a","r":true}"#),
        ("prune_backups", keep, r#""folder""#, r#"{"folder":"a","keep":0}"#),
        ("prune_backups", keep, r#""folder""#, r#"{"folder":"a","keep":"-1"}"#),
        ("prune_backups", keep, r#""folder""#, r#"{"folder":"a","keep":1000}"#),
        ("prune_backups", keep, r#""folder""#, r#"{"folder":"a","keep":2.5}"#),
        ("prune_backups", keep, r#""folder""#, r#"{"folder":"a","keep":"10 days"}"#),
        ("prune_backups", keep, r#""folder""#, r#"{"folder":"a","keep":"1,000"}"#),
        ("delete_path", r#""path":{"type":"string"}"#, r#""path""#, r#"{"path":null}"#),
        ("delete_path", r#""path":{"type":"string","minLength":1}"#, r#""path""#, r#"{"path":""}"#),
        ("delete_path", r#""path":{"type":"string","minLength":1}"#, "", r#"{"path":""}"#),
        ("delete_path", r#""path":{"type":"string"}"#, r#""path""#, r#"{}"#),
    ]);
}

#[test]
fn guards_are_not_used_as_targets() {
    for (declared, sent) in [
        ("paths", "exclude"),
        ("paths", "keep"),
        ("paths", "keep_paths"),
        ("paths", "except"),
        ("paths", "except_paths"),
        ("paths", "skip"),
        ("paths", "skip_paths"),
        ("paths", "protected_paths"),
        ("paths", "ignore_paths"),
        ("paths", "not_paths"),
        ("paths", "excluded_paths"),
        ("paths", "whitelist"),
        ("paths", "preserve"),
        ("paths", "preserve_paths"),
        ("ids", "exclude_ids"),
        ("ids", "keep_ids"),
        ("ids", "excluding_ids"),
        ("ids", "protected"),
        ("ids", "safe_ids"),
        ("ids", "retain_ids"),
    ] {
        let properties = format!(r#""{declared}":{{"type":"array","items":{{"type":"string"}}}}"#);
        let tool = tool("delete_items", &properties, &format!("\"{declared}\""), false);
        let arguments = format!(r#"{{"{sent}":["a"]}}"#);
        let outcome = Normalizer::default().normalize(&tool, &RawArguments::json(&arguments));
        assert!(matches!(outcome, Outcome::Refused { .. }), "{arguments} for {declared}: {outcome:?}");
    }
    for (declared, sent) in [
        ("older_than", "newer_than"),
        ("before", "after"),
        ("older_than_days", "older_than_hours"),
        ("max_age_days", "min_age_days"),
    ] {
        let properties = format!(r#""{declared}":{{"type":"integer"}}"#);
        let tool = tool("delete_items", &properties, &format!("\"{declared}\""), false);
        let arguments = format!(r#"{{"{sent}":5}}"#);
        let outcome = Normalizer::default().normalize(&tool, &RawArguments::json(&arguments));
        assert!(matches!(outcome, Outcome::Refused { .. }), "{arguments} for {declared}: {outcome:?}");
    }
}

#[test]
fn action_parameter_makes_a_tool_destructive() {
    const ROWS: &str = r#""action":{"type":"string"},"where":{"type":"object"},"ids":{"type":"array","items":{"type":"string"}}"#;
    all_refused(&[
        ("manage_rows", ROWS, "", r#"{"action":"delete","where":null}"#),
        ("rows", ROWS, "", r#"{"action":"DELETE","where":"{}"}"#),
        ("rows", ROWS, "", r#"{"action":"delete_all","ids":"*"}"#),
        ("rows", ROWS, "", r#"{"action":"purge","only":null}"#),
        ("rows", ROWS, "", r#"{"arguments":{"action":"delete","where":null}}"#),
        ("rows", ROWS, "", r#"{'action': 'delete', 'where': None}"#),
    ]);
    all_repaired(&[
        (("rows", ROWS, "", r#"{"action":"list","where":null}"#), r#"{"action":"list"}"#),
        (("rows", ROWS, "", r#"{"action":"delete","ids":"7"}"#), r#"{"action":"delete","ids":["7"]}"#),
    ]);
}
