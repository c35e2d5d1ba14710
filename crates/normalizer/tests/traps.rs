//! Next to every kind of repair, the look-alike that must be refused or stay unchanged. Those of the text
//! itself and of the words around it are in `traps_text.rs`.

use crate::trap;

use toolwright_model::{Code, Finish, Outcome, ToolDefinition};
use toolwright_normalizer::{Normalizer, RawArguments, Tool};
use trap::{NUMBER, TEXT, outcome, refused, repaired, tool};

#[test]
fn grade_is_a_score_but_radius_is_not_a_diameter() {
    let grades = tool("class_average", r#""gradeDict":{"type":"object"}"#, r#""gradeDict""#, false);
    repaired(&grades, r#"{"scores":{"ann":1}}"#, r#"{"gradeDict":{"ann":1}}"#);
    let circle = tool("circle_area", &format!(r#""diameter":{NUMBER}"#), r#""diameter""#, false);
    refused(&circle, r#"{"radius":2}"#, Code::MissingRequired);
}

#[test]
fn one_free_target_is_filled_and_two_are_not() {
    let one = tool("find_user", &format!(r#""user_id":{TEXT}"#), r#""user_id""#, false);
    repaired(&one, r#"{"id":"7"}"#, r#"{"user_id":"7"}"#);
    let two =
        tool("link", &format!(r#""user_id":{TEXT},"group_id":{TEXT}"#), r#""user_id","group_id""#, false);
    refused(&two, r#"{"id":"7"}"#, Code::MeaningfulUnknown);
    let optional = tool("link", &format!(r#""user_id":{TEXT},"group_id":{TEXT}"#), r#""user_id""#, false);
    refused(&optional, r#"{"id":"7"}"#, Code::MissingRequired);
    let words = tool("say", &format!(r#""message":{TEXT},"note":{TEXT}"#), r#""message","note""#, false);
    refused(&words, r#"{"text":"x"}"#, Code::AmbiguousReading);
}

#[test]
fn two_sources_for_one_target_are_refused() {
    let read = tool("open_note", &format!(r#""path":{TEXT}"#), r#""path""#, false);
    repaired(&read, r#"{"filePath":"a"}"#, r#"{"path":"a"}"#);
    refused(&read, r#"{"filePath":"a","file_name":"b"}"#, Code::ConflictingValues);
}

#[test]
fn whole_numbers_are_read_and_fractions_are_not_rounded() {
    let count = tool("take", r#""count":{"type":"integer"}"#, r#""count""#, false);
    repaired(&count, r#"{"count":"12345678901234567890123"}"#, r#"{"count":12345678901234567890123}"#);
    refused(&count, r#"{"count":3.7}"#, Code::LossyNumber);
    refused(&count, r#"{"count":"3.7"}"#, Code::LossyNumber);
    refused(&count, r#"{"count":"5*2800"}"#, Code::Expression);
}

#[test]
fn brackets_are_closed_after_a_normal_finish_but_never_for_a_destructive_tool() {
    let close = |tool: &Tool| {
        Normalizer::default().normalize(tool, &RawArguments::text(r#"{"path": "a""#, Finish::Stop))
    };
    let read = tool("open_note", &format!(r#""path":{TEXT}"#), r#""path""#, false);
    assert!(matches!(close(&read), Outcome::Repaired { .. }));
    let wipe = tool("clear_note", &format!(r#""path":{TEXT}"#), r#""path""#, true);
    assert!(matches!(close(&wipe), Outcome::Refused { .. }));
}

#[test]
fn old_and_new_text_are_never_invented_or_swapped() {
    let properties = format!(r#""path":{TEXT},"old_string":{TEXT},"new_string":{TEXT}"#);
    let edit = tool("edit", &properties, r#""path","old_string","new_string""#, false);
    repaired(
        &edit,
        r#"{"path":"a","old_str":"x","new_str":"y"}"#,
        r#"{"path":"a","old_string":"x","new_string":"y"}"#,
    );
    refused(&edit, r#"{"path":"a","new_string":"y"}"#, Code::MissingRequired);
    refused(&edit, r#"{"path":"a","new_string":"y","new_text":"z"}"#, Code::MissingRequired);
    refused(&edit, r#"{"path":"a","old_string":"x","old_text":"z"}"#, Code::MissingRequired);
    refused(&edit, r#"{"path":"a","new_string":"y","text":"z"}"#, Code::MissingRequired);
}

#[test]
fn a_near_alias_is_kept_and_a_filter_is_not_dropped() {
    let list = tool("list_items", r#""page":{"type":"integer"},"limit":{"type":"integer"}"#, "", false);
    repaired(&list, r#"{"page":1,"line_limit":5}"#, r#"{"page":1,"limit":5}"#);
    refused(&list, r#"{"page":1,"owners":["admin"]}"#, Code::MeaningfulUnknown);
    repaired(&list, r#"{"page":1,"owners":null}"#, r#"{"page":1}"#);
}

#[test]
fn value_accepted_by_union_stays_unchanged() {
    let find = tool("find", r#""id":{"anyOf":[{"type":"string"},{"type":"integer"}]}"#, r#""id""#, false);
    assert_eq!(outcome(&find, r#"{"id":"42"}"#), Outcome::Unchanged);
    let nullable = tool("save", r#""template":{"anyOf":[{"type":"string"},{"type":"null"}]}"#, "", false);
    assert_eq!(outcome(&nullable, r#"{"template":"None"}"#), Outcome::Unchanged);
    assert_eq!(outcome(&nullable, r#"{"template":"{\"a\": 1}"}"#), Outcome::Unchanged);
}

#[test]
fn a_destructive_flag_is_read_by_its_own_name_and_plain_words_only() {
    let properties = format!(r#""path":{TEXT},"overwrite":{{"type":"boolean"}}"#);
    let copy = tool("store", &properties, r#""path""#, false);
    repaired(&copy, r#"{"path":"a","overwrite":"true"}"#, r#"{"path":"a","overwrite":true}"#);
    refused(&copy, r#"{"path":"a","overwrite":"yes"}"#, Code::ValueMismatch);
    refused(&copy, r#"{"path":"a","overwirte":true}"#, Code::MeaningfulUnknown);
    refused(&copy, r#"{"path":"a","replace_existing":true}"#, Code::MeaningfulUnknown);
}

#[test]
fn destructive_tool_accepts_one_clear_alias_and_no_typo() {
    let wipe = tool("drop_table", &format!(r#""table":{TEXT}"#), r#""table""#, true);
    repaired(&wipe, r#"{"table_name":"t"}"#, r#"{"table":"t"}"#);
    refused(&wipe, r#"{"tabel":"t"}"#, Code::OverRiskBudget);
}

#[test]
fn units_negations_and_opposites_are_other_parameters() {
    for (declared, sent) in [
        ("timeout_ms", "timeout_seconds"),
        ("dose_mg", "dose_mcg"),
        ("max_price", "min_price"),
        ("start_date", "end_date"),
        ("include_hidden", "exclude_hidden"),
        ("latitude", "longitude"),
        ("payee_id", "payer_id"),
        ("cache", "no_cache"),
    ] {
        let schema = format!(r#""{declared}":{{}}"#);
        let probe = tool("probe", &schema, &format!("\"{declared}\""), false);
        refused(&probe, &format!(r#"{{"{sent}":1}}"#), Code::MissingRequired);
    }
}

#[test]
fn envelope_is_removed_unless_parameter_or_other_tool() {
    let read = tool("open_note", &format!(r#""path":{TEXT}"#), r#""path""#, false);
    repaired(&read, r#"{"name":"open_note","arguments":{"path":"a"}}"#, r#"{"path":"a"}"#);
    refused(&read, r#"{"name":"delete_note","arguments":{"path":"a"}}"#, Code::ConflictingValues);
    let run = tool("run", r#""arguments":{"type":"object"}"#, r#""arguments""#, false);
    assert_eq!(outcome(&run, r#"{"arguments":{"arguments":{"x":1}}}"#), Outcome::Unchanged);
}

#[test]
fn normalizer_and_tools_are_send_and_sync() {
    fn shared<T: Send + Sync>() {}
    shared::<Normalizer>();
    shared::<Tool>();
}

#[test]
fn one_rename_in_every_item_is_one_guess_and_many_renames_are_many() {
    let file = format!(
        r#"{{"type":"object","properties":{{"path":{TEXT},"content":{TEXT}}},"required":["path"],"additionalProperties":false}}"#
    );
    let files =
        tool("save_all", &format!(r#""files":{{"type":"array","items":{file}}}"#), r#""files""#, false);
    let listed = |keys: &[&str]| {
        let items: Vec<String> = keys.iter().map(|key| format!(r#"{{"{key}":"a"}}"#)).collect();
        format!(r#"{{"files":[{}]}}"#, items.join(","))
    };
    repaired(&files, &listed(&["file_path"; 40]), &listed(&["path"; 40]));
    let slips = ["pth", "paht", "ptah", "pathh", "patth", "ppath", "paath"];
    repaired(&files, &listed(&slips[..6]), &listed(&["path"; 6]));
    refused(&files, &listed(&slips), Code::OverRiskBudget);
    let map = tool(
        "save_all",
        &format!(r#""files":{{"type":"object","additionalProperties":{file}}}"#),
        r#""files""#,
        true,
    );
    repaired(
        &map,
        r#"{"files":{"a":{"file_path":"x"},"b":{"file_path":"y"}}}"#,
        r#"{"files":{"a":{"path":"x"},"b":{"path":"y"}}}"#,
    );
    refused(&map, r#"{"files":{"a":{"file_path":"x"},"b":{"filename":"y"}}}"#, Code::OverRiskBudget);
    // Two positions in the schema are two guesses.
    let two = tool("move", &format!(r#""one":{file},"two":{file}"#), "", true);
    repaired(
        &two,
        r#"{"one":{"file_path":"x"},"two":{"path":"y"}}"#,
        r#"{"one":{"path":"x"},"two":{"path":"y"}}"#,
    );
    refused(&two, r#"{"one":{"file_path":"x"},"two":{"file_path":"y"}}"#, Code::OverRiskBudget);
}

/// A union of `count` forms, each with its own `kind`.
fn shapes(count: usize, branch: impl Fn(usize) -> String) -> Tool {
    let branches: Vec<String> = (0..count).map(branch).collect();
    tool("draw", &format!(r#""shape":{{"oneOf":[{}]}}"#, branches.join(",")), r#""shape""#, false)
}

#[test]
fn discriminator_selects_the_form() {
    let by_kind = shapes(400, |at| {
        format!(
            r#"{{"type":"object","properties":{{"kind":{{"const":"k{at}"}},"size":{{"type":"integer"}}}},"required":["kind","size"],"additionalProperties":false}}"#
        )
    });
    let kind = |kind: &str, size: &str| format!(r#"{{"shape":{{"kind":"{kind}","size":{size}}}}}"#);
    repaired(&by_kind, &kind("k399", "\"5\""), &kind("k399", "5"));
    repaired(&by_kind, &kind("K399", "5"), &kind("k399", "5"));
    refused(&by_kind, &kind("k399", "\"big\""), Code::ValueMismatch);
    refused(&by_kind, &kind("circle", "5"), Code::UnknownEnumValue);
    // Nothing selects the form.
    refused(&by_kind, r#"{"shape":{"size":"5"}}"#, Code::OverLimit);
    let by_name = shapes(400, |at| {
        format!(
            r#"{{"type":"object","properties":{{"size{at}":{{"type":"integer"}}}},"required":["size{at}"],"additionalProperties":false}}"#
        )
    });
    repaired(&by_name, r#"{"shape":{"size399":"5"}}"#, r#"{"shape":{"size399":5}}"#);
    refused(&by_name, r#"{"shape":{"side399":"5"}}"#, Code::OverLimit);
}

#[test]
fn a_union_of_texts_is_an_enum() {
    let pick = shapes(80, |at| format!(r#"{{"const":"Form {at}","description":"number {at}"}}"#));
    repaired(&pick, r#"{"shape":"form-79"}"#, r#"{"shape":"Form 79"}"#);
    refused(&pick, r#"{"shape":"form-80"}"#, Code::UnknownEnumValue);
    // The same text twice is never exactly one of the forms.
    let twice = shapes(2, |_| r#"{"const":"a"}"#.to_owned());
    refused(&twice, r#"{"shape":"A"}"#, Code::ValueMismatch);
}

#[test]
fn one_item_is_put_in_a_list_and_several_in_one_text_are_not() {
    let list = tool("label", &format!(r#""labels":{{"type":"array","items":{TEXT}}}"#), r#""labels""#, false);
    for item in [
        "bug",
        "src/a b.md",
        "https://a.org/x?at=1,2",
        "Validated Tech UI flows, end to end",
        "slow, but safe",
        "*.{ts,tsx}",
        "^a{1,3}$",
        "done,",
        "First check the lights.\nThen open the door.",
    ] {
        let item = item.replace('\n', "\\n");
        repaired(&list, &format!(r#"{{"labels":"{item}"}}"#), &format!(r#"{{"labels":["{item}"]}}"#));
    }
    for several in [
        "bug,urgent",
        "bug, urgent",
        "a@x.org, b@y.org",
        "a;b",
        "1,2",
        "- a\n- b",
        "1. Buy some milk\n2. Call the bank today",
        "a.md\nb.md",
        "https://a.org,https://b.org",
    ] {
        refused(&list, &format!(r#"{{"labels":"{}"}}"#, several.replace('\n', "\\n")), Code::ValueMismatch);
    }
    // A list of allowed values decides what one item is.
    let listed =
        tool("label", r#""labels":{"type":"array","items":{"enum":["a,b","c"]}}"#, r#""labels""#, false);
    repaired(&listed, r#"{"labels":"a,b"}"#, r#"{"labels":["a,b"]}"#);
    refused(&listed, r#"{"labels":"a,c"}"#, Code::UnknownEnumValue);
}

#[test]
fn map_written_as_pairs_is_not_a_map_in_a_list() {
    let map = format!(r#""headers":{{"type":"object","additionalProperties":{TEXT}}}"#);
    let send = tool("send", &map, r#""headers""#, false);
    repaired(&send, r#"{"headers":[{"Accept":"text"}]}"#, r#"{"headers":{"Accept":"text"}}"#);
    refused(&send, r#"{"headers":[{"key":"Accept","value":"text"}]}"#, Code::ValueMismatch);
    refused(&send, r#"{"headers":[{"name":"Accept","value":"text"}]}"#, Code::ValueMismatch);
    refused(&send, r#"{"headers":[{"key":"A","value":"b"},{"key":"C","value":"d"}]}"#, Code::ValueMismatch);
    // If `key` and `value` are the members of the object, it is one.
    let pair = format!(r#""entry":{{"type":"object","properties":{{"key":{TEXT},"value":{TEXT}}}}}"#);
    let put = tool("put", &pair, r#""entry""#, false);
    repaired(&put, r#"{"entry":[{"key":"a","value":"b"}]}"#, r#"{"entry":{"key":"a","value":"b"}}"#);
}

#[test]
fn only_neutral_level_around_the_parameters_is_removed() {
    let properties = format!(r#""city":{TEXT},"country":{TEXT},"days":{{"type":"integer"}}"#);
    let weather = tool("get_weather", &properties, r#""city""#, false);
    for key in ["location", "fields", "item", "object", "root", "settings", "record"] {
        repaired(
            &weather,
            &format!(r#"{{"{key}":{{"city":"Rome","days":2}}}}"#),
            r#"{"city":"Rome","days":2}"#,
        );
    }
    repaired(&weather, r#"{"fields":{"City":"Rome","days":"2"}}"#, r#"{"city":"Rome","days":2}"#);
    // A key inside that is not a parameter, one that is only similar, a required one missing.
    refused(&weather, r#"{"fields":{"city":"Rome","color":"red"}}"#, Code::MeaningfulUnknown);
    refused(&weather, r#"{"fields":{"town":"Rome"}}"#, Code::MeaningfulUnknown);
    refused(&weather, r#"{"fields":{"country":"Italy"}}"#, Code::MissingRequired);
    // Something next to it, and a key that selects one of two things.
    refused(&weather, r#"{"fields":{"city":"Rome"},"unit":"metric"}"#, Code::MeaningfulUnknown);
    refused(&weather, r#"{"parent":{"city":"Rome"}}"#, Code::MeaningfulUnknown);
    // Keys that determine whether, when, by whom or to what it is done.
    for key in [
        "foo",
        "dry_run",
        "draft",
        "preview",
        "simulate",
        "schedule",
        "cancelled",
        "error",
        "result",
        "output",
        "target",
        "source",
        "filter",
        "new",
        "old",
        "not",
        "never",
        "undo",
        "example",
        "user",
        "later",
        "dont",
        "failed",
        "approved",
        "read_note",
        "search",
        "fields_not",
    ] {
        refused(&weather, &format!(r#"{{"{key}":{{"city":"Rome"}}}}"#), Code::MeaningfulUnknown);
    }
    // A key that may name another tool.
    refused(&weather, r#"{"delete_city":{"city":"Rome"}}"#, Code::MeaningfulUnknown);
    refused(&weather, r#"{"delete":{"city":"Rome"}}"#, Code::MeaningfulUnknown);
    // A misspelt parameter is not an envelope.
    let area = r#""field":{"type":"object","properties":{"city":{"type":"string"}}}"#;
    let both = tool("get_weather", &format!(r#""city":{TEXT},{area}"#), "", false);
    refused(&both, r#"{"fields":{"city":"Rome"}}"#, Code::AmbiguousReading);
    // Never for a destructive tool.
    let wipe = tool("reset_city", &properties, r#""city""#, true);
    refused(&wipe, r#"{"fields":{"city":"Rome"}}"#, Code::OverRiskBudget);
    let definition = ToolDefinition {
        name: "get_weather".to_owned(),
        input_schema: format!(r#"{{"type":"object","properties":{{{properties}}}}}"#),
        ..ToolDefinition::default()
    };
    let open = Tool::compile(&definition).expect("the schema compiles");
    assert_eq!(outcome(&open, r#"{"foo":{"city":"Rome"}}"#), Outcome::Unchanged);
    repaired(&open, r#"{'foo':{'city':'Rome'}}"#, r#"{"foo":{"city":"Rome"}}"#);
}

#[test]
fn whole_call_is_unwrapped_even_if_name_is_a_parameter() {
    let get = tool("get_pods", &format!(r#""kind":{TEXT},"name":{TEXT}"#), r#""kind""#, false);
    repaired(&get, r#"{"name":"get_pods","arguments":{"kind":"pods"}}"#, r#"{"kind":"pods"}"#);
    // Another name is a value and stays.
    repaired(&get, r#"{"name":"web","arguments":{"kind":"pods"}}"#, r#"{"name":"web","kind":"pods"}"#);
}

#[test]
fn only_own_tool_name_next_to_arguments_is_dropped() {
    let find = tool("search_docs", &format!(r#""query":{TEXT}"#), r#""query""#, false);
    for sent in [
        r#"{"tool":"search_docs","query":"x"}"#,
        r#"{"name":"search_docs","query":"x"}"#,
        r#"{"query":"x","function":"functions.search_docs"}"#,
        r#"{"tool_uses":[{"recipient_name":"functions.search_docs","parameters":{"query":"x"}}]}"#,
        r#"{"command":"search_docs","parameters":{"query":"x"}}"#,
    ] {
        repaired(&find, sent, r#"{"query":"x"}"#);
    }
    refused(&find, r#"{"tool":"delete_docs","query":"x"}"#, Code::MeaningfulUnknown);
    refused(&find, r#"{"tool":"research_docs","query":"x"}"#, Code::MeaningfulUnknown);
    refused(&find, r#"{"name":"undo_search_docs","arguments":{"query":"x"}}"#, Code::ConflictingValues);
    refused(&find, r#"{"command":"delete_docs","parameters":{"query":"x"}}"#, Code::MeaningfulUnknown);
    refused(
        &find,
        r#"{"tool_uses":[{"recipient_name":"functions.delete_docs","parameters":{"query":"x"}}]}"#,
        Code::ValueMismatch,
    );
    // If the tool has a parameter of that name, it is one.
    let named = tool("search_docs", &format!(r#""query":{TEXT},"name":{TEXT}"#), r#""query""#, false);
    assert_eq!(outcome(&named, r#"{"name":"search_docs","query":"x"}"#), Outcome::Unchanged);
}

#[test]
fn only_remarks_next_to_arguments_are_dropped() {
    let path = format!(r#""path":{TEXT}"#);
    let read = tool("read_note", &path, r#""path""#, false);
    let wipe = tool("delete_note", &path, r#""path""#, false);
    for key in ["thought", "reasoning", "_comment", "toolSummary", "thinking", "rationale", "description"] {
        let sent = |value: &str| format!(r#"{{"path":"a","{key}":{value}}}"#);
        repaired(&read, &sent(r#""It was asked for""#), r#"{"path":"a"}"#);
        repaired(&wipe, &sent(r#""It was asked for""#), r#"{"path":"a"}"#);
        refused(&wipe, &sent(r#""Do not run this yet""#), Code::MeaningfulUnknown);
        refused(&read, &sent("5"), Code::MeaningfulUnknown);
        refused(&read, &sent(r#"{"a":"b"}"#), Code::MeaningfulUnknown);
    }
    for key in ["explanation", "comment", "reason", "note", "message"] {
        refused(&read, &format!(r#"{{"path":"a","{key}":"x"}}"#), Code::MeaningfulUnknown);
    }
    // Names have priority.
    let explain = tool("save_note", &format!(r#""path":{TEXT},"explanation":{TEXT}"#), r#""path""#, false);
    assert_eq!(outcome(&explain, r#"{"path":"a","explanation":"b"}"#), Outcome::Unchanged);
}
