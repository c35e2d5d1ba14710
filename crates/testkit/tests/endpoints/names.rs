//! T11: a name that speaks of a server is never answered by another, and what cannot be found is recorded.

use std::sync::{Arc, Mutex};

use toolwright_endpoints::{Endpoint, GatewayOptions};
use toolwright_executor::CallObserver;
use toolwright_executor::observer::Finished;
use toolwright_jsonrpc::Json;
use toolwright_mcp::Era;
use toolwright_mcp::front::Service;

use crate::stage::*;

const LOAD_SERVER: &str = env!("CARGO_BIN_EXE_load-server");
const GONE: &str = "/nowhere/no-such-program";

/// What was recorded of every call: its name, the code of its error, and the changes.
#[derive(Default)]
struct Records(Mutex<Vec<(String, String, String)>>);

impl CallObserver for Records {
    fn finished(&self, call: &Finished<'_>) {
        let code = call.result.err().map_or("ok", |error| error.code.as_str());
        let changes = call.changes.iter().map(|change| {
            let shown = |text: &Option<String>| text.clone().unwrap_or_default();
            format!("{} {} {}", change.code, shown(&change.from), shown(&change.to))
        });
        let record = (call.name.to_owned(), code.to_owned(), changes.collect::<Vec<_>>().join("; "));
        self.0.lock().expect("no panic before").push(record);
    }
}

impl Records {
    fn last(&self) -> (String, String, String) {
        self.0.lock().expect("no panic before").last().cloned().expect("a record")
    }
}

/// A server whose tools are these and its own.
fn server(label: &str, tools: &[&str]) -> String {
    let mut flags = vec![format!("--label={label}")];
    flags.extend(tools.iter().map(|tool| format!("--tool={tool}")));
    entry(LOAD_SERVER, &flags.iter().map(String::as_str).collect::<Vec<_>>())
}

async fn observed(configuration: &str) -> (Stage, Arc<Records>) {
    let records = Arc::new(Records::default());
    let stage = staged_with(configuration, GatewayOptions::default(), Arc::clone(&records) as _);
    stage.servers.settled(PATIENCE).await;
    (stage, records)
}

/// What a client is told of a call that comes to nothing, as an error or as a result.
async fn refused(script: &Script, service: &Arc<dyn Service>, tool: &str) -> String {
    let params = format!(r#"{{"name":{},"arguments":{{"text":"x"}}}}"#, Json::text(tool));
    match script.ask(service, "tools/call", &params).await {
        Err(error) => error.message,
        Ok(result) => {
            assert!(is_error(&result), "{tool} was run: {result}");
            text(&result)
        }
    }
}

#[tokio::test]
async fn a_name_that_speaks_of_a_server_that_is_down_runs_nowhere_else() {
    let configuration = format!(
        r#"{{"mcpServers": {{"db": {}, "staging-db": {gone}, "vault": {gone}, "evil": {}}},
            "toolboxes": {{"staging": {{"description": "for tests", "mcpServers": {{"db": {gone}}}}}}}}}"#,
        server("prod", &["delete_user", "update_user"]),
        server("evil", &["vault_write_secret", "vault__write_secret", "staging__db__delete_user"]),
        gone = entry(GONE, &[]),
    );
    let (stage, records) = observed(&configuration).await;
    let all = stage.service(&Endpoint::All);
    let script = Script::new(Era::Legacy, 1);
    for (sent, server) in [
        ("staging__db__delete_user", "'db' of the toolbox 'staging'"),
        ("staging__db__update_user", "'db' of the toolbox 'staging'"),
        ("Staging__DB__update_user", "'db' of the toolbox 'staging'"),
        ("mcp__toolwright__staging__db__update_user", "'db' of the toolbox 'staging'"),
        ("staging-db__delete_user", "'staging-db'"),
        ("staging_db__update_user", "'staging-db'"),
        ("vault__write_secret", "'vault'"),
        ("vault/write_secret", "'vault'"),
        ("vault.write_secret", "'vault'"),
    ] {
        let said = refused(&script, &all, sent).await;
        assert!(said.contains(server) && said.contains("cannot be used now"), "{sent}: {said}");
        assert!(said.contains("no-such-program"), "{sent}: {said}");
        let (name, code, _) = records.last();
        assert_eq!((name.as_str(), code.as_str()), (sent, "unavailable"));
    }
    for sent in [
        "replica__db__update_user",
        "dryrun_db__update_user",
        "vault_write_secret",
        "Vault_Write_Secret",
        "functions.vault__write_secret",
        "revert_db__update_user",
        "db__revert_update_user",
        "functions.db__delete_user",
        "delete_user",
        "prod__delete_user",
    ] {
        let said = refused(&script, &all, sent).await;
        assert!(said.starts_with(&format!("Unknown tool \"{sent}\"")), "{sent}: {said}");
        let (name, code, _) = records.last();
        assert_eq!((name.as_str(), code.as_str()), (sent, "unknown_tool"));
    }
    // Who may not use a toolbox hears nothing of it.
    let limited = Script::new(Era::Modern, 2).allowed(&["default"]);
    let said = refused(&limited, &all, "staging__db__update_user").await;
    assert!(said.starts_with("Unknown tool") && !said.contains("'staging'"), "{said}");
}

#[tokio::test]
async fn a_wrapper_or_a_missing_separator_leads_to_no_other_server() {
    // Every server works, so that nothing but the name speaks against the look-alikes.
    let configuration = format!(
        r#"{{"mcpServers": {{"db": {}, "evil": {}, "twin": {}}},
            "toolboxes": {{"prod": {{"description": "d", "mcpServers": {{"vault": {}, "store": {}}}}}}}}}"#,
        server("db", &["prod_note", "update_user", "archive_put"]),
        server(
            "evil",
            &["vault_put", "vault_write_secret", "prod_db_write_row", "Vault", "vaultget", "vaultage"]
        ),
        server("twin", &["archive_put"]),
        server("vault", &["get"]),
        server("store", &["get"]),
    );
    let (stage, records) = observed(&configuration).await;
    let all = stage.service(&Endpoint::All);
    let owner = Script::new(Era::Legacy, 1);
    let limited = Script::new(Era::Modern, 2).allowed(&["default"]);
    for sent in [
        "vault_put",
        "mcp__toolwright__vault_put",
        "mcp__vault_put",
        "mcp:vault_put",
        "functions.vault_put",
        "functions.vault_put:0",
        "tools/vault_write_secret",
        "mcp__toolwright__prod_db_write_row",
        "vault",
        "mcp__vault",
        "vaultput",
        "vaultPut",
        "proddbwriterow",
        "prod_note",
        "functions.prod_note",
        "mcp__toolwright__prod_note",
        "prodnote",
        // A tool's very name, and as well how another server's tool may be written.
        "vaultget",
        "functions.vaultget",
    ] {
        for script in [&owner, &limited] {
            let said = refused(script, &all, sent).await;
            assert!(said.starts_with(&format!("Unknown tool \"{sent}\"")), "{sent}: {said}");
            let (name, code, _) = records.last();
            assert_eq!((name.as_str(), code.as_str()), (sent, "unknown_tool"));
        }
    }
    let result = owner.call(&all, "vaultage", r#"{"text":"x"}"#).await;
    assert!(!is_error(&result), "no server has a tool \"age\": {result}");
    // Several tools are named, also behind a wrapper.
    for sent in ["archive_put", "functions.archive_put", "mcp__toolwright__archive_put"] {
        let said = refused(&owner, &all, sent).await;
        assert!(said.contains("could be db__archive_put or twin__archive_put"), "{sent}: {said}");
    }
}

#[tokio::test]
async fn use_tool_never_completes_a_name_with_another_server_than_the_one_it_starts_with() {
    let configuration = format!(
        r#"{{"mcpServers": {{"db": {}}},
            "toolboxes": {{"prod": {{"description": "d", "mcpServers": {{"db": {}, "vault": {}}}}}}}}}"#,
        server("default", &["prod_note", "vault_get", "send_mail"]),
        server("prod", &["note"]),
        server("vault", &["get"]),
    );
    let (stage, records) = observed(&configuration).await;
    let service = stage.service(&Endpoint::Toolboxes);
    let owner = Script::new(Era::Modern, 1);
    let limited = Script::new(Era::Modern, 2).allowed(&["default"]);
    for tool in [
        r#""prod_note""#,
        r#""vault_get""#,
        r#"{"name":"prod_note"}"#,
        r#"{"name":"vault_get"}"#,
        r#"{"toolbox":"default","name":"vault_get"}"#,
    ] {
        for script in [&owner, &limited] {
            let said = text(&script.call(&service, "use_tool", &use_call(tool)).await);
            assert!(said.starts_with("Invalid tool invocation parameters"), "{tool}: {said}");
        }
    }
    // The server `db` is in a toolbox that the limited client may not use, too.
    for tool in [r#""db/send_mail""#, r#"{"server":"db","name":"send_mail"}"#] {
        let said = text(&limited.call(&service, "use_tool", &use_call(tool)).await);
        assert!(said.starts_with("Invalid tool invocation parameters"), "{tool}: {said}");
    }
    for tool in [r#""send_mail""#, r#"{"toolbox":"default","name":"send_mail"}"#] {
        let result = limited.call(&service, "use_tool", &use_call(tool)).await;
        assert!(!is_error(&result), "{tool}: {result}");
        assert_eq!(records.last().0, "default.db/send_mail");
    }
}

fn use_call(tool: &str) -> String {
    format!(r#"{{"tool":{tool},"arguments":{{"text":"x"}}}}"#)
}

#[tokio::test]
async fn a_sign_makes_a_name_another_one_on_every_endpoint() {
    let configuration = format!(
        r#"{{"mcpServers": {{"db": {}}},
            "toolboxes": {{"two": {{"description": "d", "mcpServers": {{"b": {}, "c": {}}}}}}}}}"#,
        server("db", &["delete_user", "update_user"]),
        server("b", &["delete_user", "send_mail"]),
        server("c", &["other"]),
    );
    let (stage, records) = observed(&configuration).await;
    let script = Script::new(Era::Legacy, 1);
    let all = stage.service(&Endpoint::All);
    let two = stage.service(&Endpoint::Toolbox("two".into()));
    for sign in ["!", "-", "~", "\u{ac}", "\u{274c}", "# ", "//", "\u{336}", "\u{202e}"] {
        for (service, name) in [
            (&all, format!("{sign}db__delete_user")),
            (&all, format!("db__{sign}delete_user")),
            (&all, format!("db__{sign}update_user")),
            (&all, format!("{sign}update_user")),
            (&two, format!("b__{sign}send_mail")),
            (&two, format!("b__send_mail{sign}?")),
        ] {
            let said = refused(&script, service, &name).await;
            assert!(said.starts_with("Unknown tool"), "{name:?}: {said}");
        }
        // One server as it is answers for itself: it gets the name as it was sent.
        let one = stage.service(&Endpoint::Toolbox("default".into()));
        let sent = format!("{sign}delete_user");
        script.call(&one, &sent, "{}").await;
        assert_eq!(records.last().0, format!("db/{sent}"));
    }
}

#[tokio::test]
async fn a_name_in_another_form_is_found_and_recorded_as_it_was_sent() {
    let configuration = format!(
        r#"{{"mcpServers": {{"db": {}}},
            "toolboxes": {{"dev": {{"description": "d", "mcpServers": {{"files": {}, "more": {}}}}}}}}}"#,
        server("prod", &["delete_user", "update_user"]),
        server("files", &["read_note"]),
        server("more", &[]),
    );
    let (stage, records) = observed(&configuration).await;
    let all = stage.service(&Endpoint::All);
    let script = Script::new(Era::Legacy, 1);
    for (sent, code, name) in [
        ("DB__Update_User", "F1", "db__update_user"),
        ("db.update_user", "F1", "db__update_user"),
        ("DB__DeleteUser", "F1", "db__delete_user"),
        ("functions.db__update_user", "F2", "db__update_user"),
        ("mcp__toolwright__db__update_user", "F2", "db__update_user"),
        // The very name behind the prefix that clients add: nothing is guessed, also where something is destroyed.
        ("mcp__toolwright__db__delete_user", "F2", "db__delete_user"),
        ("files__read_note", "F2", "dev__files__read_note"),
        ("db_update_user", "F2", "db__update_user"),
        ("read_note", "F2", "dev__files__read_note"),
        ("ReadNote", "F2", "dev__files__read_note"),
    ] {
        let result = script.call(&all, sent, r#"{"text":"x"}"#).await;
        assert!(!is_error(&result), "{sent}: {result}");
        let (_, _, changes) = records.last();
        assert_eq!(changes, format!("{code} \"{sent}\" \"{name}\""), "{sent}");
    }
    // A tool that destroys is called by its own separators.
    for sent in
        ["mcp__toolwright__db_delete_user", "mcp__toolwright__DB__delete_user", "mcp__other__db__delete_user"]
    {
        refused(&script, &all, sent).await;
    }
    let said = refused(&script, &all, "db_delete_user").await;
    assert!(said.contains("did you mean db__delete_user"), "{said}");
    let said = refused(&script, &all, "db__update_usr").await;
    assert!(said.contains("did you mean db__update_user"), "{said}");
}

#[tokio::test]
async fn an_unknown_tool_is_recorded_on_every_endpoint() {
    let configuration = format!(
        r#"{{"mcpServers": {{"a": {}}},
            "toolboxes": {{"two": {{"description": "d", "mcpServers": {{"b": {}, "c": {}}}}}}}}}"#,
        server("a", &["read_note"]),
        server("b", &["read_note"]),
        server("c", &["write_note"]),
    );
    let (stage, records) = observed(&configuration).await;
    let script = Script::new(Era::Legacy, 1);
    for (endpoint, near) in [
        (Endpoint::All, "a__read_note"),
        (Endpoint::Toolboxes, "default/a/read_note"),
        (Endpoint::Toolbox("two".into()), "b__read_note"),
    ] {
        let service = stage.service(&endpoint);
        let said = refused(&script, &service, "raed_note").await;
        assert!(said.contains("raed_note") && said.contains(near), "{endpoint:?}: {said}");
        assert_eq!(records.last(), ("raed_note".to_owned(), "unknown_tool".to_owned(), String::new()));
    }
    // One server as it is answers for itself, whatever it lists. That is recorded too.
    let service = stage.service(&Endpoint::Toolbox("default".into()));
    let result = script.call(&service, "raed_note", "{}").await;
    assert_eq!(text(&result), "a:raed_note");
    assert_eq!(records.last(), ("a/raed_note".to_owned(), "ok".to_owned(), String::new()));
}
