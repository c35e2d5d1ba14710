//! Names that look or sound alike and mean something else. Every line is one call that would be wrong in
//! production if the key were renamed: the schema has the second name, the first was sent.

use crate::support;

use support::{closed, tool};
use toolwright_model::Outcome;
use toolwright_normalizer::{Normalizer, RawArguments};

/// One call per line: tool, sent key, declared name, value, and the description of the name in the schema.
struct LookAlike(&'static str, &'static str, &'static str, &'static str, &'static str);

fn is_accepted(case: &LookAlike) -> bool {
    let LookAlike(name, sent, declared, value, description) = case;
    let kind = if value.starts_with(['t', 'f']) {
        "boolean"
    } else if value.starts_with('"') {
        "string"
    } else {
        "integer"
    };
    let schema = format!(r#"{{"type":"{kind}","description":"{description}"}}"#);
    !matches!(outcome_of(name, declared, &schema, sent, value), Outcome::Refused { .. })
}

/// The outcome of one key and value for a tool with one required parameter.
fn outcome_of(name: &str, declared: &str, schema: &str, sent: &str, value: &str) -> Outcome {
    let tool = tool(name, &closed(&format!(r#""{declared}":{schema}"#), &[declared]));
    let arguments = format!(r#"{{"{sent}":{value}}}"#);
    Normalizer::default().normalize(&tool, &RawArguments::json(&arguments))
}

#[track_caller]
fn all_refused(cases: &[LookAlike]) {
    let accepted: Vec<String> = cases
        .iter()
        .filter(|case| is_accepted(case))
        .map(|LookAlike(tool, sent, declared, ..)| format!("{tool}: {sent} → {declared}"))
        .collect();
    assert!(accepted.is_empty(), "{} look-alikes were accepted:\n{}", accepted.len(), accepted.join("\n"));
}

fn both_ways(pairs: &[(&str, &str)], value: &str) {
    let accepted: Vec<String> = pairs
        .iter()
        .flat_map(|(a, b)| [(*a, *b), (*b, *a)])
        .filter(|(sent, declared)| {
            let kind = if value == "true" { "boolean" } else { "string" };
            let schema = format!(r#"{{"type":"{kind}"}}"#);
            !matches!(outcome_of("run_it", declared, &schema, sent, value), Outcome::Refused { .. })
        })
        .map(|(sent, declared)| format!("{sent} → {declared}"))
        .collect();
    assert!(accepted.is_empty(), "{} look-alikes were accepted:\n{}", accepted.len(), accepted.join("\n"));
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
fn existing_word_is_not_a_typo() {
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
fn identifier_belongs_to_one_thing() {
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
fn count_is_not_a_number_of_something() {
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
fn synonym_needs_the_same_sense() {
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
fn attribute_of_another_entity_is_refused() {
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

#[test]
fn mention_in_description_is_no_evidence() {
    all_refused(&[
        LookAlike("get_weather", "country", "place", "\"Norway\"", "City or region, not a country"),
        LookAlike(
            "get_weather",
            "zip_code",
            "place",
            "\"12345\"",
            "Name of the place. Do not pass a zip code.",
        ),
        LookAlike("list_notes", "offset", "limit", "3", "How many; ignored if offset is set"),
        LookAlike("bet", "loser", "winner", "\"x\"", "The team that beat the loser"),
        LookAlike("plan", "departure", "when", "\"3\"", "Date of arrival (the departure is computed)"),
        LookAlike("review", "manager", "who", "\"x\"", "Employee reporting to the manager"),
        LookAlike("close_ticket", "project", "ticket", "\"P\"", "Ticket to close, in the given project"),
        LookAlike("resize", "width", "size", "\"3\"", "Size of the image, e.g. width x height"),
    ]);
}

#[test]
fn singular_is_not_a_count() {
    all_refused(&[
        LookAlike("forecast", "year", "years", "2025", "Number of years"),
        LookAlike("read", "line", "lines", "4", ""),
        LookAlike("read", "lines", "line_number", "4", ""),
        LookAlike("read", "pages", "page", "3", ""),
        LookAlike("plan", "day", "days", "3", ""),
        LookAlike("plan", "months", "month", "3", ""),
    ]);
}

#[test]
fn query_languages_and_name_kinds_are_distinct() {
    all_refused(&[
        LookAlike("find_files", "regex", "pattern", "\"^a.*\"", "Glob pattern to match"),
        LookAlike("ask", "sql", "query", "\"select 1\"", "A natural language question"),
        LookAlike("run", "javascript", "code", "\"1\"", "Python code"),
        LookAlike("list_notes", "order_number", "order", "\"17\"", "Sort order"),
        LookAlike("open", "folder_path", "folder", "\"/tmp\"", "Folder id"),
        LookAlike("ban_user", "user_name", "user", "\"Ann\"", "User id"),
        LookAlike("post", "channel", "channel_id", "\"#general\"", "Channel ID such as C0123ABC"),
        LookAlike("move", "folder", "folder_id", "\"/tmp\"", ""),
        LookAlike("draw", "line_width", "width", "3", ""),
    ]);
}

#[test]
fn allowed_value_under_another_role_is_no_evidence() {
    let accepted: Vec<&str> = [
        "old_status",
        "from_status",
        "from",
        "old",
        "was",
        "source",
        "before",
        "except",
        "unless",
        "forbidden",
        "remove",
        "blocked_by",
        "door",
        "note",
        "comment",
        "review",
        "approved_by",
        "as",
    ]
    .into_iter()
    .filter(|key| {
        let schema = r#"{"type":"string","enum":["open","closed"]}"#;
        !matches!(outcome_of("set_ticket", "status", schema, key, r#""open""#), Outcome::Refused { .. })
    })
    .collect();
    assert!(accepted.is_empty(), "accepted: {accepted:?}");
}

#[test]
fn case_sensitive_values_are_distinct() {
    let outcome = |options: &str, sent: &str| {
        let schema = format!(r#"{{"type":"string","enum":[{options}]}}"#);
        outcome_of("measure", "unit", &schema, "unit", &format!(r#""{sent}""#))
    };
    for (options, sent) in [
        (r#""1m","5m","1h","1d""#, "1M"),
        (r#""m","h","d""#, "M"),
        (r#""mW","kW""#, "MW"),
        (r#""Kb","Mb","Gb""#, "MB"),
        (r#""-R","-l""#, "-r"),
        (r#""Co","Ni""#, "CO"),
        (r#""HH:mm","hh:mm a""#, "hh:mm"),
        (r#""1-10","110""#, "1_10"),
    ] {
        assert!(matches!(outcome(options, sent), Outcome::Refused { .. }), "{sent} for {options}");
    }
    for (options, sent) in [(r#""S","M","L""#, "m"), (r#""km","mi""#, "KM"), (r#""en","de""#, "EN")] {
        assert!(matches!(outcome(options, sent), Outcome::Repaired { .. }), "{sent} for {options}");
    }
}
