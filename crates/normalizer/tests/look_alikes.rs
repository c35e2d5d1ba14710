//! Names that look or sound alike and mean something else. Every line is one call that would go
//! wrong in production if the key were renamed: the schema has the second name, the first was sent.

mod support;

use support::{closed, tool};
use toolwright_model::Outcome;
use toolwright_normalizer::{Normalizer, RawArguments};

/// One call per line: tool, sent key, declared name, value, and what the schema says of the name.
struct LookAlike(&'static str, &'static str, &'static str, &'static str, &'static str);

fn is_taken(case: &LookAlike) -> bool {
    let LookAlike(name, sent, declared, value, description) = case;
    let kind = if value.starts_with(['t', 'f']) {
        "boolean"
    } else if value.starts_with('"') {
        "string"
    } else {
        "integer"
    };
    let property = format!(r#""{declared}":{{"type":"{kind}","description":"{description}"}}"#);
    let tool = tool(name, &closed(&property, &[declared]));
    let arguments = format!(r#"{{"{sent}":{value}}}"#);
    let outcome = Normalizer::default().normalize(&tool, &RawArguments::json(&arguments));
    !matches!(outcome, Outcome::Refused { .. })
}

#[track_caller]
fn all_refused(cases: &[LookAlike]) {
    let taken: Vec<String> = cases
        .iter()
        .filter(|case| is_taken(case))
        .map(|LookAlike(tool, sent, declared, ..)| format!("{tool}: {sent} → {declared}"))
        .collect();
    assert!(taken.is_empty(), "{} look-alikes were taken:\n{}", taken.len(), taken.join("\n"));
}

fn both_ways(pairs: &[(&str, &str)], value: &str) {
    let taken: Vec<String> = pairs
        .iter()
        .flat_map(|(a, b)| [(*a, *b), (*b, *a)])
        .filter(|(sent, declared)| {
            let kind = if value == "true" { "boolean" } else { "string" };
            let tool = tool("run_it", &closed(&format!(r#""{declared}":{{"type":"{kind}"}}"#), &[declared]));
            let arguments = format!(r#"{{"{sent}":{value}}}"#);
            let outcome = Normalizer::default().normalize(&tool, &RawArguments::json(&arguments));
            !matches!(outcome, Outcome::Refused { .. })
        })
        .map(|(sent, declared)| format!("{sent} → {declared}"))
        .collect();
    assert!(taken.is_empty(), "{} look-alikes were taken:\n{}", taken.len(), taken.join("\n"));
}

#[test]
fn a_negated_flag_is_another_flag() {
    both_ways(
        &[
            ("case_insensitive", "case_sensitive"),
            ("only_read", "only_unread"),
            ("allow_safe", "allow_unsafe"),
            ("only_resolved", "only_unresolved"),
            ("include_tracked", "include_untracked"),
            ("show_complete", "show_incomplete"),
            ("explicit_only", "implicit_only"),
            ("reversible", "irreversible"),
            ("connected", "disconnected"),
            ("blocking", "nonblocking"),
        ],
        "true",
    );
}

#[test]
fn a_word_that_exists_is_no_slip() {
    both_ways(
        &[
            ("east_bound", "west_bound"),
            ("product_id", "project_id"),
            ("session_id", "version_id"),
            ("service_id", "device_id"),
            ("rule_id", "role_id"),
            ("payment_id", "parent_id"),
            ("transaction_id", "translation_id"),
            ("store_id", "story_id"),
            ("contact_id", "contract_id"),
            ("reference_id", "preference_id"),
            ("birth_rate", "birth_date"),
            ("speed_limit", "spend_limit"),
            ("gender", "sender"),
            ("threat", "thread"),
            ("reason", "season"),
            ("folder", "holder"),
            ("transfer", "transform"),
            ("reference", "preference"),
            ("lang", "lng"),
            ("policy", "police"),
            ("data_type", "date_type"),
        ],
        "\"a\"",
    );
}

#[test]
fn an_identifier_is_one_of_one_thing() {
    both_ways(
        &[
            ("room_id", "channel_id"),
            ("job_id", "role_id"),
            ("workspace_id", "team_id"),
            ("client_id", "customer_id"),
            ("username", "user_id"),
            ("customer_id", "field_id"),
            ("path", "folder_id"),
            ("file", "document_id"),
            ("message_id", "text"),
            ("query_id", "sql"),
            ("task_id", "prompt"),
            ("question_id", "query"),
            ("comment_id", "body"),
            ("order_id", "order_by"),
            ("issue_id", "issue_number"),
        ],
        "\"42a\"",
    );
    all_refused(&[
        LookAlike("get_order", "customer_id", "id", "\"c1\"", "The order"),
        LookAlike("get_user", "manager_id", "id", "\"c1\"", ""),
        LookAlike("delete_message", "message", "message_id", "\"hello there\"", ""),
        LookAlike("delete_message", "message", "message_id", "\"m1\"", ""),
        LookAlike("list_orders", "sort", "order_id", "\"asc\"", ""),
        LookAlike("list_rows", "block_id", "skip", "\"7\"", ""),
    ]);
}

#[test]
fn a_count_is_no_number_of_something() {
    all_refused(&[
        LookAlike("get_issue", "count", "issue_number", "5", ""),
        LookAlike("call_phone", "quantity", "phone_number", "\"5\"", ""),
        LookAlike("list_flights", "flight_number", "count", "5", ""),
        LookAlike("read_file", "page_number", "file", "\"5\"", ""),
        LookAlike("find_place", "script", "postal_code", "\"x\"", ""),
        LookAlike("convert", "code", "currency_code", "\"x\"", ""),
        LookAlike("get_report", "fiscal_year", "year", "2026", ""),
        LookAlike("search_images", "size", "limit", "5", "How many images"),
    ]);
}

#[test]
fn a_synonym_counts_only_in_its_sense() {
    all_refused(&[
        LookAlike("list_logs", "source", "since", "\"app\"", ""),
        LookAlike("list_logs", "target", "until", "\"app\"", ""),
        LookAlike("send_note", "end_date", "to", "\"2026-01-01\"", "Recipient email"),
        LookAlike("send_note", "start_date", "from", "\"2026-01-01\"", "Sender email"),
        LookAlike("list_commits", "old_text", "before", "\"a\"", "Only commits before this date"),
        LookAlike("list_commits", "replacement", "after", "\"a\"", "Only commits after this date"),
        LookAlike("get_tax", "status", "state", "\"open\"", "US state"),
        LookAlike("ship_parcel", "email_address", "address", "\"a@b.org\"", "Street and city"),
        LookAlike("ship_parcel", "url", "address", "\"https://a.org\"", "Street and city"),
        LookAlike("invite", "location", "email_address", "\"Oslo\"", ""),
        LookAlike("get_logs", "pod_name", "title", "\"web\"", ""),
        LookAlike("send_mail", "table_name", "subject", "\"users\"", ""),
        LookAlike("list_files", "mime_type", "category", "\"text\"", ""),
        LookAlike("book_hotel", "output", "check_out", "\"a\"", ""),
        LookAlike("geocode_address", "ip_address", "address", "\"10.0.0.1\"", ""),
        LookAlike("read_file", "directory", "path", "\"src\"", ""),
    ]);
}

#[test]
fn somebody_elses_attribute_is_another_one() {
    all_refused(&[
        LookAlike("invite_user", "manager_email", "email", "\"a@b.org\"", ""),
        LookAlike("connect", "jump_host", "host", "\"h\"", ""),
        LookAlike("create_monitor", "escalation_message", "message", "\"a\"", ""),
        LookAlike("set_price", "compare_at_price", "price", "5", ""),
        LookAlike("transcribe", "target_language", "language", "\"en\"", ""),
        LookAlike("generate_image", "system_prompt", "prompt", "\"a\"", ""),
        LookAlike("pay", "amount", "amount_cents", "5", ""),
        LookAlike("report", "monthly_income", "income", "5", ""),
    ]);
}
