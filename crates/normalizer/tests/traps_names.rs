//! Next to every alias that is accepted, and every tool that needs care, its look-alike.

use crate::trap;

use toolwright_model::Code;
use toolwright_normalizer::Tool;
use trap::{TEXT, refused, repaired};

/// A tool with parameters of plain types, `name:type`; those with a `!` are required.
fn tool(name: &str, parameters: &[&str]) -> Tool {
    let parts = || parameters.iter().filter_map(|parameter| parameter.trim_end_matches('!').split_once(':'));
    let properties: Vec<String> =
        parts().map(|(name, kind)| format!(r#""{name}":{{"type":"{kind}"}}"#)).collect();
    let required: Vec<String> = parameters
        .iter()
        .filter(|parameter| parameter.ends_with('!'))
        .filter_map(|parameter| parameter.split_once(':'))
        .map(|(name, _)| format!("\"{name}\""))
        .collect();
    trap::tool(name, &properties.join(","), &required.join(","), false)
}

#[test]
fn sort_field_is_not_sort_direction() {
    for name in ["sort_direction", "sort_order"] {
        let find = tool("find_items", &["q:string!", &format!("{name}:string")]);
        repaired(&find, r#"{"q":"x","sort":"desc"}"#, &format!(r#"{{"q":"x","{name}":"desc"}}"#));
        repaired(&find, r#"{"q":"x","order":"Ascending"}"#, &format!(r#"{{"q":"x","{name}":"Ascending"}}"#));
        refused(&find, r#"{"q":"x","sort":"price"}"#, Code::MeaningfulUnknown);
        refused(&find, r#"{"q":"x","sort_by":"price"}"#, Code::MeaningfulUnknown);
    }
    let by = tool("find_items", &["q:string!", "sort_by:string"]);
    repaired(&by, r#"{"q":"x","sort":"price"}"#, r#"{"q":"x","sort_by":"price"}"#);
    repaired(&by, r#"{"q":"x","order_by":"price"}"#, r#"{"q":"x","sort_by":"price"}"#);
    refused(&by, r#"{"q":"x","order":"desc"}"#, Code::MeaningfulUnknown);
    refused(&by, r#"{"q":"x","sort":"desc"}"#, Code::MeaningfulUnknown);
    let both = tool("find_items", &["q:string!", "sort_by:string", "sort_order:string"]);
    repaired(
        &both,
        r#"{"q":"x","sort":"price","order":"desc"}"#,
        r#"{"q":"x","sort_by":"price","sort_order":"desc"}"#,
    );
    let bare = tool("find_items", &["q:string!", "sort:string"]);
    refused(&bare, r#"{"q":"x","sort_direction":"desc"}"#, Code::MeaningfulUnknown);
    let sorted = tool("find_items", &["q:string!", "sort:string", "order:string"]);
    repaired(
        &sorted,
        r#"{"q":"x","sort_by":"price","sort_direction":"asc"}"#,
        r#"{"q":"x","sort":"price","order":"asc"}"#,
    );
    let order = tool("find_items", &["q:string!", "order:string"]);
    refused(&order, r#"{"q":"x","sort_by":"price"}"#, Code::MeaningfulUnknown);
    let number = tool("find_items", &["q:string!", "sort_direction:integer"]);
    repaired(&number, r#"{"q":"x","sort":-1}"#, r#"{"q":"x","sort_direction":-1}"#);
}

#[test]
fn typo_is_refused_for_destructive_tools() {
    for name in [
        "empty_trash",
        "format_disk",
        "tear_down_stack",
        "scrub_logs",
        "stop_service",
        "disable_user",
        "rotate_keys",
        "send_money",
        "charge_card",
        "place_bet",
        "buy_stock",
    ] {
        let destroys = tool(name, &["target:string!"]);
        refused(&destroys, r#"{"targt":"a"}"#, Code::OverRiskBudget);
        repaired(&destroys, r#"{"Target":"a"}"#, r#"{"target":"a"}"#);
    }
    for name in
        ["format_date", "list_empty_folders", "stop_words", "run_query", "rotate_image", "list_orders"]
    {
        repaired(&tool(name, &["target:string!"]), r#"{"targt":"a"}"#, r#"{"target":"a"}"#);
    }
}

#[test]
fn running_tool_allows_a_typo_but_not_many_guesses() {
    let run = tool("run_shell", &["command:string!", "workdir:string!", "label:string!", "quiet:boolean"]);
    repaired(
        &run,
        r#"{"comand":"ls","cwd":"/","label":"a"}"#,
        r#"{"command":"ls","workdir":"/","label":"a"}"#,
    );
    refused(&run, r#"{"comand":"ls","cwd":"/","labl":"a"}"#, Code::OverRiskBudget);
    refused(&run, r#"{"command":"ls","workdir":"/","label":"a","quiet":"yes"}"#, Code::ValueMismatch);
    let find = tool("find_it", &["command:string!", "workdir:string!", "label:string!"]);
    repaired(
        &find,
        r#"{"comand":"ls","cwd":"/","labl":"a"}"#,
        r#"{"command":"ls","workdir":"/","label":"a"}"#,
    );
}

#[test]
fn destructive_flag_accepts_true_and_false_only() {
    for flag in
        ["remove_files", "discard_changes", "empty_trash", "unlink", "everything", "include_volumes", "amend"]
    {
        let sync = tool("sync_it", &["zone:string!", &format!("{flag}:boolean")]);
        refused(&sync, &format!(r#"{{"zone":"z","{flag}":"yes"}}"#), Code::ValueMismatch);
        refused(&sync, &format!(r#"{{"zone":"z","{flag}":1}}"#), Code::ValueMismatch);
        let arguments = format!(r#"{{"zone":"z","{flag}":"true"}}"#);
        repaired(&sync, &arguments, &format!(r#"{{"zone":"z","{flag}":true}}"#));
    }
    // And so do all flags of a destructive tool.
    let purge = tool("purge_cache", &["zone:string!", "verbose:boolean"]);
    refused(&purge, r#"{"zone":"z","verbose":"yes"}"#, Code::ValueMismatch);
    repaired(&purge, r#"{"zone":"z","verbose":"False"}"#, r#"{"zone":"z","verbose":false}"#);
    let warm = tool("warm_cache", &["zone:string!", "verbose:boolean", "remove_file_extension:boolean"]);
    repaired(&warm, r#"{"zone":"z","verbose":"yes"}"#, r#"{"zone":"z","verbose":true}"#);
    repaired(
        &warm,
        r#"{"zone":"z","remove_file_extension":"yes"}"#,
        r#"{"zone":"z","remove_file_extension":true}"#,
    );
}

#[test]
fn one_and_zero_are_booleans_and_no_other_number_is() {
    let weather = tool("weather", &["city:string!", "hourly:boolean"]);
    repaired(&weather, r#"{"city":"R","hourly":1}"#, r#"{"city":"R","hourly":true}"#);
    repaired(&weather, r#"{"city":"R","Hourly":0}"#, r#"{"city":"R","hourly":false}"#);
    for number in ["2", "1.5", "-1", "1.0", "10"] {
        refused(&weather, &format!(r#"{{"city":"R","hourly":{number}}}"#), Code::ValueMismatch);
    }
    let delete = tool("delete_city", &["city:string!", "hourly:boolean"]);
    refused(&delete, r#"{"city":"R","hourly":1}"#, Code::ValueMismatch);
    // A level is not a flag, and neither are the items of a list.
    let build = tool("build_it", &["city:string!", "debug:boolean"]);
    refused(&build, r#"{"city":"R","debug_level":1}"#, Code::MeaningfulUnknown);
    let list = r#""flags":{"type":"array","items":{"type":"boolean"}}"#;
    refused(&trap::tool("mark_it", list, r#""flags""#, false), r#"{"flags":[1,0]}"#, Code::ValueMismatch);
}

#[test]
fn project_is_its_key_only_if_it_is_a_code() {
    let create = tool("jira_create_issue", &["project_key:string!", "summary:string!"]);
    repaired(&create, r#"{"project":"OPS","summary":"s"}"#, r#"{"project_key":"OPS","summary":"s"}"#);
    refused(&create, r#"{"project":"Operations","summary":"s"}"#, Code::MeaningfulUnknown);
    refused(&create, r#"{"project":"my project","summary":"s"}"#, Code::MeaningfulUnknown);
    refused(&tool("call_it", &["api_key:string!"]), r#"{"api":"PROD"}"#, Code::MeaningfulUnknown);
    repaired(&tool("get_it", &["issue_key:string!"]), r#"{"issue":"OPS-12"}"#, r#"{"issue_key":"OPS-12"}"#);
}

#[test]
fn identifier_matches_its_entity_only_by_prefix() {
    let get = tool("get_invoices", &["customer:string!"]);
    repaired(&get, r#"{"customer_id":"cus_1"}"#, r#"{"customer":"cus_1"}"#);
    refused(&get, r#"{"customer_id":"ord_1"}"#, Code::MeaningfulUnknown);
    refused(&get, r#"{"customer_id":"Ann"}"#, Code::MeaningfulUnknown);
    refused(&tool("top_tracks", &["artist:string!"]), r#"{"artist_id":"6eUK1"}"#, Code::MeaningfulUnknown);
    refused(&tool("search_items", &["order:string!"]), r#"{"order_id":"ord_1"}"#, Code::MeaningfulUnknown);
}

#[test]
fn both_ends_of_a_route_are_renamed_or_neither() {
    let way = tool("maps_directions", &["origin:string!", "destination:string!", "mode:string"]);
    repaired(&way, r#"{"start":"Rome","end":"Milan"}"#, r#"{"origin":"Rome","destination":"Milan"}"#);
    refused(&way, r#"{"start":"Rome"}"#, Code::MeaningfulUnknown);
    refused(&way, r#"{"start":"2026-01-01","end":"2026-01-02"}"#, Code::MeaningfulUnknown);
    refused(&way, r#"{"start":"Monday","end":"next week"}"#, Code::MeaningfulUnknown);
    refused(&way, r#"{"start":3,"end":4}"#, Code::MeaningfulUnknown);
    let trim = tool("trim_video", &["source:string!", "target:string!"]);
    refused(&trim, r#"{"start":"intro","end":"outro"}"#, Code::MeaningfulUnknown);
    let third = tool("maps_directions", &["origin:string!", "destination:string!", "target:string"]);
    refused(&third, r#"{"start":"Rome","end":"Milan"}"#, Code::MeaningfulUnknown);
    let translate = tool("translate", &["from:string!", "to:string!", "text:string!"]);
    repaired(
        &translate,
        r#"{"source":"en","target":"de","text":"x"}"#,
        r#"{"from":"en","to":"de","text":"x"}"#,
    );
    let copy = tool("copy_it", &["source:string!", "target:string!"]);
    repaired(&copy, r#"{"origin":"a b","destination":"c d"}"#, r#"{"source":"a b","target":"c d"}"#);
    let mail = tool("send_email", &["from:string!", "to:string!", "subject:string"]);
    refused(&mail, r#"{"source":"a@x.org","target":"b@x.org"}"#, Code::MeaningfulUnknown);
    let transfer = tool("transfer_money", &["origin:string!", "destination:string!"]);
    refused(&transfer, r#"{"start":"A","end":"B"}"#, Code::OverRiskBudget);
}

#[test]
fn statement_is_a_query_only_for_databases() {
    repaired(&tool("bigquery", &["query:string!"]), r#"{"sql":"SELECT 1"}"#, r#"{"query":"SELECT 1"}"#);
    refused(&tool("web_search", &["query:string!"]), r#"{"sql":"SELECT 1"}"#, Code::MeaningfulUnknown);
    refused(&tool("ask_it", &["query:string!"]), r#"{"sql":"cats"}"#, Code::MeaningfulUnknown);
    let jira = tool("jira_search", &["jql:string!", "maxResults:integer"]);
    repaired(&jira, r#"{"query":"project = OPS"}"#, r#"{"jql":"project = OPS"}"#);
    refused(&jira, r#"{"query":"login bug"}"#, Code::MeaningfulUnknown);
}

#[test]
fn enable_is_enabled_and_not_disabled() {
    repaired(&tool("toggle", &["enabled:boolean!"]), r#"{"enable":"true"}"#, r#"{"enabled":true}"#);
    refused(&tool("toggle", &["disabled:boolean!"]), r#"{"enable":"true"}"#, Code::MeaningfulUnknown);
    refused(&tool("toggle", &["enabled:boolean!"]), r#"{"disable":true}"#, Code::MeaningfulUnknown);
}

#[test]
fn replacement_text_is_not_a_flag() {
    let edit = tool("edit_text", &["find:string!", "replace:string!"]);
    repaired(&edit, r#"{"find":"a","replacement":"b"}"#, r#"{"find":"a","replace":"b"}"#);
    let copy = tool("copy_it", &["path:string!", "replace:boolean"]);
    refused(&copy, r#"{"path":"a","replacement":true}"#, Code::MeaningfulUnknown);
    let confirm = tool("close_it", &["confirm:string!"]);
    refused(&confirm, r#"{"confrim":"yes"}"#, Code::MeaningfulUnknown);
}

#[test]
fn email_is_the_recipient_without_a_sender() {
    let send = tool("send_email", &["to:string!", "subject:string!", "cc:string"]);
    repaired(&send, r#"{"email":"a@x.org","subject":"s"}"#, r#"{"to":"a@x.org","subject":"s"}"#);
    refused(&send, r#"{"email":"Hello","subject":"s"}"#, Code::MeaningfulUnknown);
    let named = tool("send_email", &["to:string!", "subject:string!", "from:string"]);
    refused(&named, r#"{"email":"a@x.org","subject":"s"}"#, Code::MeaningfulUnknown);
    let pay = tool("send_money", &["to:string!", "amount:number!"]);
    refused(&pay, r#"{"email":"a@x.org","amount":3}"#, Code::MeaningfulUnknown);
}

#[test]
fn null_is_replaced_by_its_alias() {
    let read = tool("read_it", &["path:string!", "limit:integer"]);
    repaired(&read, r#"{"path":"a","limit":null,"max_results":"5"}"#, r#"{"path":"a","limit":5}"#);
    repaired(&read, r#"{"path":"a","limit":null,"Limit":"5"}"#, r#"{"path":"a","limit":5}"#);
    refused(&read, r#"{"path":"a","limit":3,"max_results":"5"}"#, Code::ConflictingValues);
    // If null is a valid value, it is intentional.
    let takes_null = format!(r#""path":{TEXT},"limit":{{"type":["integer","null"]}}"#);
    let nullable = trap::tool("read_it", &takes_null, r#""path""#, false);
    refused(&nullable, r#"{"path":"a","limit":null,"max_results":5}"#, Code::ConflictingValues);
}

#[test]
fn alias_with_the_same_value_is_dropped() {
    let read = tool("read_it", &["path:string!", "limit:integer"]);
    repaired(&read, r#"{"path":"a","file_path":"a"}"#, r#"{"path":"a"}"#);
    repaired(&read, r#"{"path":"a","limit":5,"max_results":"5"}"#, r#"{"path":"a","limit":5}"#);
    refused(&read, r#"{"path":"a","file_path":"b"}"#, Code::ConflictingValues);
    refused(&read, r#"{"path":"a","parent_path":"a"}"#, Code::MeaningfulUnknown);
    let copy = tool("copy_it", &["path:string!", "overwrite:boolean"]);
    refused(&copy, r#"{"path":"a","overwrite":true,"replace":true}"#, Code::MeaningfulUnknown);
    // Five pieces for five dollars.
    let buy = tool("buy_it", &["item:string!", "amount:number!"]);
    refused(&buy, r#"{"item":"a","amount":5,"quantity":5}"#, Code::ConflictingValues);
}

#[test]
fn the_body_of_a_request_is_json_and_that_of_a_message_is_not() {
    let request = tool("http_request", &["url:string!", "method:string", "body:string"]);
    repaired(&request, r#"{"url":"u","body":{"a":1}}"#, r#"{"url":"u","body":"{\"a\":1}"}"#);
    for name in ["text", "message", "content"] {
        let request = tool("http_request", &["url:string!", &format!("{name}:string")]);
        refused(&request, &format!(r#"{{"url":"u","{name}":{{"a":1}}}}"#), Code::ValueMismatch);
    }
    refused(&tool("create_issue", &["body:string!"]), r#"{"body":{"a":1}}"#, Code::ValueMismatch);
}

#[test]
fn location_is_built_from_both_coordinates() {
    let place = r#""location":{"type":"object","properties":{"lat":{"type":"number"},"lng":{"type":"number"}},"required":["lat","lng"],"additionalProperties":false}"#;
    let weather = trap::tool("weather", place, r#""location""#, false);
    repaired(&weather, r#"{"latitude":"1.5","longitude":"2"}"#, r#"{"location":{"lat":1.5,"lng":2}}"#);
    refused(&weather, r#"{"latitude":"1.5","altitude":"2"}"#, Code::MeaningfulUnknown);
}
