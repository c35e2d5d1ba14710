//! Beside every kind of repair, the look-alike that must be refused or left alone.

use toolwright_model::{Annotations, Code, Finish, Outcome, ToolDefinition};
use toolwright_normalizer::{Normalizer, RawArguments, Tool};

fn tool(name: &str, properties: &str, required: &str, destructive: bool) -> Tool {
    let definition = ToolDefinition {
        name: name.to_owned(),
        input_schema: format!(
            r#"{{"type":"object","properties":{{{properties}}},"required":[{required}],"additionalProperties":false}}"#
        ),
        annotations: Annotations { destructive },
        ..ToolDefinition::default()
    };
    Tool::compile(&definition).expect("the schema compiles")
}

fn outcome(tool: &Tool, arguments: &str) -> Outcome {
    Normalizer::default().normalize(tool, &RawArguments::text(arguments, Finish::Unknown))
}

#[track_caller]
fn repaired(tool: &Tool, arguments: &str, expected: &str) {
    match outcome(tool, arguments) {
        Outcome::Repaired { arguments: got, .. } => assert_eq!(got, expected),
        other => panic!("{arguments} should be repaired, got {other:?}"),
    }
}

#[track_caller]
fn refused(tool: &Tool, arguments: &str, code: Code) {
    match outcome(tool, arguments) {
        Outcome::Refused { problems, .. } => {
            assert!(problems.iter().any(|problem| problem.code == code), "{arguments}: {problems:?}");
        }
        other => panic!("{arguments} should be refused, got {other:?}"),
    }
}

const NUMBER: &str = r#"{"type":"number"}"#;
const TEXT: &str = r#"{"type":"string"}"#;

#[test]
fn a_grade_is_a_score_but_a_radius_is_no_diameter() {
    let grades = tool("class_average", r#""gradeDict":{"type":"object"}"#, r#""gradeDict""#, false);
    repaired(&grades, r#"{"scores":{"ann":1}}"#, r#"{"gradeDict":{"ann":1}}"#);
    let circle = tool("circle_area", &format!(r#""diameter":{NUMBER}"#), r#""diameter""#, false);
    refused(&circle, r#"{"radius":2}"#, Code::R1);
}

#[test]
fn one_free_target_is_filled_and_two_are_not() {
    let one = tool("find_user", &format!(r#""user_id":{TEXT}"#), r#""user_id""#, false);
    repaired(&one, r#"{"id":"7"}"#, r#"{"user_id":"7"}"#);
    let two =
        tool("link", &format!(r#""user_id":{TEXT},"group_id":{TEXT}"#), r#""user_id","group_id""#, false);
    refused(&two, r#"{"id":"7"}"#, Code::R6);
    let optional = tool("link", &format!(r#""user_id":{TEXT},"group_id":{TEXT}"#), r#""user_id""#, false);
    refused(&optional, r#"{"id":"7"}"#, Code::R1);
    let words = tool("say", &format!(r#""message":{TEXT},"note":{TEXT}"#), r#""message","note""#, false);
    refused(&words, r#"{"text":"x"}"#, Code::R2);
}

#[test]
fn two_sources_for_one_target_are_refused() {
    let read = tool("open_note", &format!(r#""path":{TEXT}"#), r#""path""#, false);
    repaired(&read, r#"{"filePath":"a"}"#, r#"{"path":"a"}"#);
    refused(&read, r#"{"filePath":"a","file_name":"b"}"#, Code::R7);
}

#[test]
fn whole_numbers_are_read_and_fractions_are_not_rounded() {
    let count = tool("take", r#""count":{"type":"integer"}"#, r#""count""#, false);
    repaired(&count, r#"{"count":"12345678901234567890123"}"#, r#"{"count":12345678901234567890123}"#);
    refused(&count, r#"{"count":3.7}"#, Code::R3);
    refused(&count, r#"{"count":"3.7"}"#, Code::R3);
    refused(&count, r#"{"count":"5*2800"}"#, Code::R5);
}

#[test]
fn a_fence_is_taken_off_and_a_cut_path_is_not_completed() {
    let read = tool("open_note", &format!(r#""path":{TEXT}"#), r#""path""#, false);
    repaired(&read, "```json\n{\"path\": \"a\"}\n```", r#"{"path": "a"}"#);
    refused(&read, r#"{"path": "/etc/pas"#, Code::S2);
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
fn a_missing_old_text_is_never_made_up_and_old_and_new_never_change_places() {
    let properties = format!(r#""path":{TEXT},"old_string":{TEXT},"new_string":{TEXT}"#);
    let edit = tool("edit", &properties, r#""path","old_string","new_string""#, false);
    repaired(
        &edit,
        r#"{"path":"a","old_str":"x","new_str":"y"}"#,
        r#"{"path":"a","old_string":"x","new_string":"y"}"#,
    );
    refused(&edit, r#"{"path":"a","new_string":"y"}"#, Code::R1);
    refused(&edit, r#"{"path":"a","new_string":"y","new_text":"z"}"#, Code::R1);
    refused(&edit, r#"{"path":"a","old_string":"x","old_text":"z"}"#, Code::R1);
    refused(&edit, r#"{"path":"a","new_string":"y","text":"z"}"#, Code::R1);
}

#[test]
fn a_near_alias_is_kept_and_a_filter_is_not_dropped() {
    let list = tool("list_items", r#""page":{"type":"integer"},"limit":{"type":"integer"}"#, "", false);
    repaired(&list, r#"{"page":1,"line_limit":5}"#, r#"{"page":1,"limit":5}"#);
    refused(&list, r#"{"page":1,"owners":["admin"]}"#, Code::R6);
    repaired(&list, r#"{"page":1,"owners":null}"#, r#"{"page":1}"#);
}

#[test]
fn a_value_that_a_union_accepts_is_left_alone() {
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
    refused(&copy, r#"{"path":"a","overwrite":"yes"}"#, Code::R8);
    refused(&copy, r#"{"path":"a","overwirte":true}"#, Code::R6);
    refused(&copy, r#"{"path":"a","replace_existing":true}"#, Code::R6);
}

#[test]
fn a_destructive_tool_takes_one_clear_alias_and_no_slip() {
    let wipe = tool("drop_table", &format!(r#""table":{TEXT}"#), r#""table""#, true);
    repaired(&wipe, r#"{"table_name":"t"}"#, r#"{"table":"t"}"#);
    refused(&wipe, r#"{"tabel":"t"}"#, Code::R11);
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
        refused(&probe, &format!(r#"{{"{sent}":1}}"#), Code::R1);
    }
}

#[test]
fn an_envelope_is_opened_unless_it_is_a_parameter_or_names_another_tool() {
    let read = tool("open_note", &format!(r#""path":{TEXT}"#), r#""path""#, false);
    repaired(&read, r#"{"name":"open_note","arguments":{"path":"a"}}"#, r#"{"path":"a"}"#);
    refused(&read, r#"{"name":"delete_note","arguments":{"path":"a"}}"#, Code::R7);
    let run = tool("run", r#""arguments":{"type":"object"}"#, r#""arguments""#, false);
    assert_eq!(outcome(&run, r#"{"arguments":{"arguments":{"x":1}}}"#), Outcome::Unchanged);
}

#[test]
fn text_is_never_lost_outside_of_the_object() {
    let find = tool("find_docs", r#""query":{"type":"object"},"limit":{"type":"integer"}"#, "", false);
    refused(&find, "query: {\"text\": \"fjord\"}\nlimit: 5", Code::R9);
    refused(&find, "find_docs(query={\"text\": \"fjord\"}, limit=5)", Code::R9);
    refused(&find, r#"{"limit": 5} {"limit": 6}"#, Code::R2);
}

#[test]
fn the_normalizer_and_its_tools_go_between_threads() {
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
    refused(&files, &listed(&slips), Code::R11);
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
    refused(&map, r#"{"files":{"a":{"file_path":"x"},"b":{"filename":"y"}}}"#, Code::R11);
    // Two places of the schema are two guesses.
    let two = tool("move", &format!(r#""one":{file},"two":{file}"#), "", true);
    repaired(
        &two,
        r#"{"one":{"file_path":"x"},"two":{"path":"y"}}"#,
        r#"{"one":{"path":"x"},"two":{"path":"y"}}"#,
    );
    refused(&two, r#"{"one":{"file_path":"x"},"two":{"file_path":"y"}}"#, Code::R11);
}

/// A union of so many forms, each with its own `kind`.
fn shapes(count: usize, branch: impl Fn(usize) -> String) -> Tool {
    let branches: Vec<String> = (0..count).map(branch).collect();
    tool("draw", &format!(r#""shape":{{"oneOf":[{}]}}"#, branches.join(",")), r#""shape""#, false)
}

#[test]
fn of_many_forms_the_one_that_the_value_names_is_taken() {
    let by_kind = shapes(400, |at| {
        format!(
            r#"{{"type":"object","properties":{{"kind":{{"const":"k{at}"}},"size":{{"type":"integer"}}}},"required":["kind","size"],"additionalProperties":false}}"#
        )
    });
    let kind = |kind: &str, size: &str| format!(r#"{{"shape":{{"kind":"{kind}","size":{size}}}}}"#);
    repaired(&by_kind, &kind("k399", "\"5\""), &kind("k399", "5"));
    repaired(&by_kind, &kind("K399", "5"), &kind("k399", "5"));
    refused(&by_kind, &kind("k399", "\"big\""), Code::R8);
    // Nothing says which form it is.
    refused(&by_kind, r#"{"shape":{"size":"5"}}"#, Code::R12);
    refused(&by_kind, &kind("circle", "5"), Code::R12);
    let by_name = shapes(400, |at| {
        format!(
            r#"{{"type":"object","properties":{{"size{at}":{{"type":"integer"}}}},"required":["size{at}"],"additionalProperties":false}}"#
        )
    });
    repaired(&by_name, r#"{"shape":{"size399":"5"}}"#, r#"{"shape":{"size399":5}}"#);
    refused(&by_name, r#"{"shape":{"side399":"5"}}"#, Code::R12);
}

#[test]
fn a_union_of_texts_is_an_enum() {
    let pick = shapes(80, |at| format!(r#"{{"const":"Form {at}","description":"number {at}"}}"#));
    repaired(&pick, r#"{"shape":"form-79"}"#, r#"{"shape":"Form 79"}"#);
    refused(&pick, r#"{"shape":"form-80"}"#, Code::R4);
    // The same text twice is never exactly one of the forms.
    let twice = shapes(2, |_| r#"{"const":"a"}"#.to_owned());
    refused(&twice, r#"{"shape":"A"}"#, Code::R8);
}

#[test]
fn a_tuple_is_a_list_and_a_string_in_parentheses_a_string() {
    let tags = format!(r#""title":{TEXT},"tags":{{"type":"array","items":{TEXT}}}"#);
    let tag = tool("tag_note", &tags, r#""title""#, false);
    let listed = r#"{"title":"x","tags":["a","b, c"]}"#;
    repaired(&tag, "{'title': 'x', 'tags': ('a', 'b, c')}", listed);
    repaired(&tag, r#"{"title": "x", "tags": ("a", "b, c",)}"#, listed);
    repaired(&tag, "{'title': 'x', 'tags': ('a',)}", r#"{"title":"x","tags":["a"]}"#);
    repaired(&tag, "{'title': ('x'), 'tags': ()}", r#"{"title":"x","tags":[]}"#);
    refused(&tag, "{'title': ('x', 'y')}", Code::R8);
    refused(&tag, "{'title': 'x', 'tags': tuple('a', 'b')}", Code::R5);
    refused(&tag, "{'title': 'x', 'tags': ('a' 'b')}", Code::R2);
    refused(&tag, "{'title': 'x', 'tags': ('a', 'b'", Code::S2);
    let count = tool("take", r#""count":{"type":"integer"}"#, r#""count""#, false);
    refused(&count, "{'count': (5)}", Code::R5);
    refused(&count, "{'count': (2 + 3)}", Code::R5);
    // Parentheses inside a string stay.
    repaired(&tag, "{'title': 'f(\"a\", \"b\") and (c)'}", r#"{"title":"f(\"a\", \"b\") and (c)"}"#);
}

#[test]
fn strings_side_by_side_are_neither_joined_nor_taken_apart() {
    let read = tool("open_note", &format!(r#""path":{TEXT},"mode":{TEXT}"#), r#""path""#, false);
    for sent in [
        "{'path': 'a' 'b'}",
        "{'path': 'a''b'}",
        "{'path': 'one '\n  'two', 'mode': 'r'}",
        r#"{"path": "one " " two", "mode": 'r'}"#,
        r#"{"path": "a" "b", "mode": 'r'}"#,
        "{'path': `a` `b`}",
    ] {
        refused(&read, sent, Code::R2);
    }
    repaired(&read, "{'path': 'a' 'mode': 'r'}", r#"{"path":"a","mode":"r"}"#);
    repaired(&read, "{'path': 'rock 'n' roll'}", r#"{"path":"rock 'n' roll"}"#);
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
        refused(&list, &format!(r#"{{"labels":"{}"}}"#, several.replace('\n', "\\n")), Code::R8);
    }
    // A list of allowed values says what one item is.
    let listed =
        tool("label", r#""labels":{"type":"array","items":{"enum":["a,b","c"]}}"#, r#""labels""#, false);
    repaired(&listed, r#"{"labels":"a,b"}"#, r#"{"labels":["a,b"]}"#);
    refused(&listed, r#"{"labels":"a,c"}"#, Code::R4);
}

#[test]
fn a_map_written_as_pairs_is_no_map_in_a_list() {
    let map = format!(r#""headers":{{"type":"object","additionalProperties":{TEXT}}}"#);
    let send = tool("send", &map, r#""headers""#, false);
    repaired(&send, r#"{"headers":[{"Accept":"text"}]}"#, r#"{"headers":{"Accept":"text"}}"#);
    refused(&send, r#"{"headers":[{"key":"Accept","value":"text"}]}"#, Code::R8);
    refused(&send, r#"{"headers":[{"name":"Accept","value":"text"}]}"#, Code::R8);
    refused(&send, r#"{"headers":[{"key":"A","value":"b"},{"key":"C","value":"d"}]}"#, Code::R8);
    // Where `key` and `value` are the members of the object, it is one.
    let pair = format!(r#""entry":{{"type":"object","properties":{{"key":{TEXT},"value":{TEXT}}}}}"#);
    let put = tool("put", &pair, r#""entry""#, false);
    repaired(&put, r#"{"entry":[{"key":"a","value":"b"}]}"#, r#"{"entry":{"key":"a","value":"b"}}"#);
}

#[test]
fn a_neutral_level_around_exactly_the_parameters_is_opened_and_no_other() {
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
    // A key inside that is no parameter, one that is only like one, a required one missing.
    refused(&weather, r#"{"fields":{"city":"Rome","color":"red"}}"#, Code::R6);
    refused(&weather, r#"{"fields":{"town":"Rome"}}"#, Code::R6);
    refused(&weather, r#"{"fields":{"country":"Italy"}}"#, Code::R1);
    // Something beside it, and a key that says which of two things is meant.
    refused(&weather, r#"{"fields":{"city":"Rome"},"unit":"metric"}"#, Code::R6);
    refused(&weather, r#"{"parent":{"city":"Rome"}}"#, Code::R6);
    // What says whether, when, by whom or to what it is done.
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
        refused(&weather, &format!(r#"{{"{key}":{{"city":"Rome"}}}}"#), Code::R6);
    }
    // A key that may name another tool.
    refused(&weather, r#"{"delete_city":{"city":"Rome"}}"#, Code::R6);
    refused(&weather, r#"{"delete":{"city":"Rome"}}"#, Code::R6);
    // A misspelt parameter is no envelope.
    let area = r#""field":{"type":"object","properties":{"city":{"type":"string"}}}"#;
    let both = tool("get_weather", &format!(r#""city":{TEXT},{area}"#), "", false);
    refused(&both, r#"{"fields":{"city":"Rome"}}"#, Code::R2);
    // Never for a tool that can destroy something.
    let wipe = tool("reset_city", &properties, r#""city""#, true);
    refused(&wipe, r#"{"fields":{"city":"Rome"}}"#, Code::R11);
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
fn a_whole_call_is_opened_even_where_name_is_a_parameter() {
    let get = tool("get_pods", &format!(r#""kind":{TEXT},"name":{TEXT}"#), r#""kind""#, false);
    repaired(&get, r#"{"name":"get_pods","arguments":{"kind":"pods"}}"#, r#"{"kind":"pods"}"#);
    // Another name is a value and stays.
    repaired(&get, r#"{"name":"web","arguments":{"kind":"pods"}}"#, r#"{"name":"web","kind":"pods"}"#);
}

#[test]
fn the_tools_own_name_beside_the_arguments_is_left_out_and_another_name_is_not() {
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
    refused(&find, r#"{"tool":"delete_docs","query":"x"}"#, Code::R6);
    refused(&find, r#"{"tool":"research_docs","query":"x"}"#, Code::R6);
    refused(&find, r#"{"name":"undo_search_docs","arguments":{"query":"x"}}"#, Code::R7);
    refused(&find, r#"{"command":"delete_docs","parameters":{"query":"x"}}"#, Code::R6);
    refused(
        &find,
        r#"{"tool_uses":[{"recipient_name":"functions.delete_docs","parameters":{"query":"x"}}]}"#,
        Code::R8,
    );
    // A parameter of that name is one.
    let named = tool("search_docs", &format!(r#""query":{TEXT},"name":{TEXT}"#), r#""query""#, false);
    assert_eq!(outcome(&named, r#"{"name":"search_docs","query":"x"}"#), Outcome::Unchanged);
}

#[test]
fn words_that_take_the_call_back_refuse_it() {
    let path = format!(r#""path":{TEXT}"#);
    let read = tool("read_note", &path, r#""path""#, false);
    let wipe = tool("delete_note", &path, r#""path""#, false);
    for around in [
        "Do not run this: {}",
        "I will not call it {}",
        "not {}",
        "Don't do this:\n{}",
        "Don’t: {}",
        "{} <- wrong, ignore",
        "{}\n\nOops, cancel that.",
        "~~{}~~",
        "Error: {}",
        "Never call it like this:\n```json\n{}\n```",
        "// {}",
        "x = 1 // {}",
        "# {}",
        "/* {} */",
        "<!-- {} -->",
        "<think>{}</think>",
        "<thinking>I could send {}</thinking>",
        "I could send {}\n</think>",
        "<think>{}",
        "<tool_response>{}</tool_response>",
        "<tool_response>\n{}\n</tool_response>",
        "Observation: {}",
        "Nicht ausführen: {}",
        "不要执行 {}",
    ] {
        let sent = around.replace("{}", r#"{"path": "a"}"#);
        refused(&read, &sent, Code::R2);
        refused(&wipe, &sent, Code::R2);
        // The same in a string of JSON.
        refused(&read, &format!("{sent:?}"), Code::R2);
    }
    for around in [
        "```json\n{}\n```",
        "~~~json\n{}\n~~~",
        "Here are the arguments:\n{}",
        "Sure, I'll do that now.\n{}",
        "No problem! {}",
        "Action Input: {}",
        "<tool_call>{}</tool_call>",
        "<tool_call>\n{}\n</tool_call>",
        "<think>I must not forget the path, never.</think>\n{}",
        "I should not stop here.</think>\n{}",
        "arguments = {}",
        "// the arguments\n{}",
        "<tool_response>ok</tool_response>\n{}",
        "I will wait for the result. {}",
    ] {
        repaired(&read, &around.replace("{}", r#"{"path": "a"}"#), r#"{"path": "a"}"#);
    }
    // What is inside of the object is not read as words.
    repaired(&read, r#"Sure: {"path": "do not run"}"#, r#"{"path": "do not run"}"#);
    repaired(&read, r#"{"path": "not"} {"path": "not"}"#, r#"{"path": "not"}"#);
}

#[test]
fn text_that_names_another_tool_is_refused() {
    let path = format!(r#""path":{TEXT}"#);
    let update = tool("update_note", &path, r#""path""#, false);
    let forms = [
        "NAME: {}",
        "NAME {}",
        "NAME\n{}",
        "NAME({})",
        "`NAME`\n```json\n{}\n```",
        "I will call NAME with {}",
        "<function=NAME>{}</function>",
        "<invoke name=\"NAME\">{}</invoke>",
        "<NAME>{}</NAME>",
        "Action: NAME\nAction Input: {}",
        "functions.NAME:0 {}",
        "[TOOL_CALLS]NAME{}",
    ];
    for form in forms {
        let sent = |name: &str| form.replace("NAME", name).replace("{}", r#"{"path": "a"}"#);
        refused(&update, &sent("read_note"), Code::R7);
        refused(&update, &sent("delete_note"), Code::R7);
        refused(&update, &sent("deleteNote"), Code::R7);
        repaired(&update, &sent("update_note"), r#"{"path": "a"}"#);
    }
    refused(&update, "Action: search\nAction Input: {\"path\": \"a\"}", Code::R7);
    refused(&update, r#"delete: {"path": "a"}"#, Code::R7);
    // A parameter, or what the arguments are about.
    repaired(&update, r#"I change my_notes now: {"path": "my_notes/a"} ok"#, r#"{"path": "my_notes/a"}"#);
}

#[test]
fn a_destructive_tool_takes_labels_around_its_arguments_and_no_other_words() {
    let wipe = tool("delete_note", &format!(r#""path":{TEXT}"#), r#""path""#, false);
    for around in [
        "```json\n{}\n```",
        "Here are the arguments: {}",
        "Action: delete_note\nAction Input: {}",
        "<function=delete_note>{}</function>",
        "delete_note({})",
        "<tool_call>{}</tool_call>",
        "<think>Remove it?</think>{}",
    ] {
        repaired(&wipe, &around.replace("{}", r#"{"path": "a"}"#), r#"{"path": "a"}"#);
    }
    for around in ["Sure, if you say so: {}", "{} after they agree", "Example: {}", "Should I send {}?"] {
        refused(&wipe, &around.replace("{}", r#"{"path": "a"}"#), Code::R11);
    }
}

#[test]
fn words_that_are_left_out_are_reported() {
    let read = tool("read_note", &format!(r#""path":{TEXT}"#), r#""path""#, false);
    let said = |sent: &str| match outcome(&read, sent) {
        Outcome::Repaired { changes, .. } => changes[0].from.clone().expect("what was left out"),
        other => panic!("{sent}: {other:?}"),
    };
    assert_eq!(said(r#"Sure, I'll do that now. {"path": "a"}"#), r#""Sure, I'll do that now.""#);
    let long = said(&format!(r#"{} {{"path": "a"}}"#, "word ".repeat(100)));
    assert!(long.ends_with("…\"") && long.chars().count() < 90, "{long}");
}

#[test]
fn a_string_is_not_glued_to_the_next() {
    let read = tool("read_note", &format!(r#""path":{TEXT}"#), r#""path""#, false);
    for sent in
        ["{'path': 'a', 'b'}", "{'path': 'a', b, 'c'}", "{'path': 'a' , 'b', 'c'}", "{'path': `a`, `b`}"]
    {
        refused(&read, sent, Code::R2);
    }
    repaired(&read, "{'path': 'it's here, isn't it'}", r#"{"path":"it's here, isn't it"}"#);
    repaired(&read, "{'path': 'say 'yes', then go'}", r#"{"path":"say 'yes', then go"}"#);
}

#[test]
fn a_tuple_in_a_string_is_a_list_and_strings_side_by_side_are_no_item() {
    let tag = tool("tag_note", &format!(r#""tags":{{"type":"array","items":{TEXT}}}"#), r#""tags""#, false);
    for (sent, list) in [
        ("('a', 'b')", r#"["a","b"]"#),
        (r#"(\"a\",\"b\")"#, r#"["a","b"]"#),
        ("('a',)", r#"["a"]"#),
        ("a (b) c", r#"["a (b) c"]"#),
        (r#"\"a\" OR \"b\""#, r#"["\"a\" OR \"b\""]"#),
        ("(optional)", r#"["(optional)"]"#),
    ] {
        repaired(&tag, &format!(r#"{{"tags":"{sent}"}}"#), &format!(r#"{{"tags":{list}}}"#));
    }
    for sent in
        [r#"\"a\" \"b\""#, "'a' 'b'", r#"\"a b\", \"c d\""#, "('a' 'b')", "('a')", "('a', 'b'", "(a, b)"]
    {
        refused(&tag, &format!(r#"{{"tags":"{sent}"}}"#), Code::R8);
    }
}

#[test]
fn strings_and_numbers_of_python_are_read() {
    let properties =
        format!(r#""query":{TEXT},"tags":{{"type":"array","items":{TEXT}}},"min_score":{NUMBER}"#);
    let find = tool("search_docs", &properties, "", false);
    repaired(&find, "{'query': u'x'}", r#"{"query":"x"}"#);
    repaired(
        &find,
        "{u'query': u'x', u'tags': [u'a', u\"b\"], u'min_score': 5}",
        r#"{"query":"x","tags":["a","b"],"min_score":5}"#,
    );
    repaired(&find, r#"{"min_score":5.}"#, r#"{"min_score":5.0}"#);
    refused(&find, r#"{"min_score":5..}"#, Code::R5);
    refused(&find, r#"{"min_score":5.5.}"#, Code::R5);
    refused(&find, "{'query': f'x{y}'}", Code::R5);
    refused(&find, r#"{"query":"x")"#, Code::R9);
}

#[test]
fn a_call_as_code_is_read_when_it_names_this_tool_and_holds_literals_only() {
    let properties =
        format!(r#""query":{TEXT},"limit":{{"type":"integer"}},"tags":{{"type":"array","items":{TEXT}}}"#);
    let find = tool("search_docs", &properties, r#""query""#, false);
    repaired(&find, r#"search_docs(query="x", limit=5)"#, r#"{"query":"x","limit":5}"#);
    repaired(&find, "search_docs( query = 'a, b=c (d)', limit = 5, )", r#"{"query":"a, b=c (d)","limit":5}"#);
    repaired(&find, "functions.search_docs(tags=['a', 'b'], query='x')", r#"{"tags":["a","b"],"query":"x"}"#);
    repaired(&find, "```python\nsearch_docs(query=\"x\")\n```", r#"{"query":"x"}"#);
    refused(&find, r#"delete_docs(query="x")"#, Code::R7);
    refused(&find, r#"delete(query="x")"#, Code::R7);
    refused(&find, "search_docs(query=x)", Code::R5);
    refused(&find, r#"search_docs(query="x" + y)"#, Code::R9);
    refused(&find, "search_docs(query=load('x'))", Code::R5);
    refused(&find, r#"search_docs("x", limit=5)"#, Code::R9);
    refused(&find, r#"search_docs(query="x", limit=5"#, Code::S2);
    refused(&find, "search_docs(query=\"x\")\nsearch_docs(query=\"y\")", Code::R9);
    refused(&find, "search_docs(query=\"x\", query=\"y\")", Code::R7);
    refused(&find, "# search_docs(query=\"x\")", Code::R9);
}

#[test]
fn remarks_beside_the_arguments_are_dropped_and_what_shapes_the_call_is_not() {
    let path = format!(r#""path":{TEXT}"#);
    let read = tool("read_note", &path, r#""path""#, false);
    let wipe = tool("delete_note", &path, r#""path""#, false);
    for key in ["thought", "reasoning", "_comment", "toolSummary", "thinking", "rationale", "description"] {
        let sent = |value: &str| format!(r#"{{"path":"a","{key}":{value}}}"#);
        repaired(&read, &sent(r#""It was asked for""#), r#"{"path":"a"}"#);
        repaired(&wipe, &sent(r#""It was asked for""#), r#"{"path":"a"}"#);
        refused(&wipe, &sent(r#""Do not run this yet""#), Code::R6);
        refused(&read, &sent("5"), Code::R6);
        refused(&read, &sent(r#"{"a":"b"}"#), Code::R6);
    }
    for key in ["explanation", "comment", "reason", "note", "message"] {
        refused(&read, &format!(r#"{{"path":"a","{key}":"x"}}"#), Code::R6);
    }
    // Names come first.
    let explain = tool("save_note", &format!(r#""path":{TEXT},"explanation":{TEXT}"#), r#""path""#, false);
    assert_eq!(outcome(&explain, r#"{"path":"a","explanation":"b"}"#), Outcome::Unchanged);
}
