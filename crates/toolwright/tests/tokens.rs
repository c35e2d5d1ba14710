//! `toolwright token` as a user runs it, beside a gateway.

#![cfg(unix)]

use crate::gateway;

use gateway::{Gateway, Home, until};

#[test]
fn tokens_are_made_listed_and_revoked_beside_a_gateway_that_runs() {
    let home = Home::new();
    let gateway = Gateway::start(&home, &[]);
    let (code, stdout, stderr) = home.run(&[
        "token",
        "add",
        "ci",
        "--toolbox",
        "builtin",
        "--model",
        "*haiku*",
        "--model",
        "gpt-4.1",
        "--rate",
        "50",
    ]);
    assert_eq!(code, 0, "{stderr}");
    let token = stdout.trim().to_owned();
    assert!(token.starts_with("tw_"), "{stdout}");
    assert!(
        stderr.contains(
            "It may use the toolbox builtin and the language models *haiku*, gpt-4.1. It is not shown again."
        ),
        "{stderr}"
    );
    let (_, listed, _) = home.run(&["token", "list"]);
    assert!(!listed.contains(&token));
    let root = std::fs::canonicalize(home.path()).expect("a path").display().to_string();
    let date = listed.split_whitespace().last().expect("a date").to_owned();
    let root_seen = home.path().display().to_string();
    let shown = listed.replace(&date, "DATE").replace(&root, "HOME").replace(&root_seen, "HOME");
    insta::assert_snapshot!(shown);
    let bearer = format!("Authorization: Bearer {token}\r\n");
    until("it is known", || gateway.send("POST", "/mcp/t/builtin", &bearer, "").status != 401);
    let answer = gateway.send("POST", "/mcp/t/other", &bearer, "");
    assert_eq!(answer.status, 403, "{}", answer.body);
    let (_, json, _) = home.run(&["token", "list", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json[0]["name"], &json[0]["rate"]), (&"ci".into(), &50.into()));
    assert_eq!(json[0]["models"], serde_json::json!(["*haiku*", "gpt-4.1"]));
    assert!(json[0].get("sha256").is_none());
    let (code, stdout, stderr) = home.run(&["token", "revoke", "ci"]);
    assert_eq!((code, stdout.as_str()), (0, "The token \"ci\" is revoked.\n"));
    assert!(
        stderr.contains("tokens.json") && stderr.contains("until the file is copied there again"),
        "{stderr}"
    );
    until("it is gone", || gateway.send("POST", "/mcp/t/builtin", &bearer, "").status == 401);
}

/// A token that is limited in one thing is limited in the other.
#[test]
fn a_token_for_toolboxes_asks_no_model_and_one_for_models_opens_no_toolbox() {
    let home = Home::new();
    let gateway = Gateway::start(&home, &[]);
    let add = |arguments: &[&str]| {
        let (code, stdout, stderr) = home.run(&[&["token", "add"], arguments].concat());
        assert_eq!(code, 0, "{stderr}");
        (format!("Authorization: Bearer {}\r\nContent-Type: application/json\r\n", stdout.trim()), stderr)
    };
    let (tools, said) = add(&["tools", "--toolbox", "builtin"]);
    assert!(
        said.contains("the toolbox builtin and no language model.") && said.contains("--model"),
        "{said}"
    );
    let (models, said) = add(&["models", "--model", "gpt-*"]);
    assert!(
        said.contains("no toolbox and the language model gpt-*.") && said.contains("--toolbox"),
        "{said}"
    );
    let (both, said) = add(&["both", "--toolbox", "*", "--model", "gpt-*"]);
    assert!(said.contains("every toolbox and the language model gpt-*."), "{said}");
    let (all, said) = add(&["all"]);
    assert!(said.contains("every toolbox and every language model."), "{said}");
    let ask = |bearer: &str| {
        let body = r#"{"model": "claude-x", "messages": [], "max_tokens": 1}"#;
        gateway.send("POST", "/v1/messages", bearer, body).status
    };
    let open = |bearer: &str| gateway.send("POST", "/mcp/t/builtin", bearer, "{}").status;
    until("they are known", || ask(&all) != 401 && open(&both) != 401);
    assert_eq!((ask(&tools), open(&models)), (403, 403));
    assert!(open(&tools) != 403 && open(&both) != 403 && open(&all) != 403 && ask(&all) != 403);
    let (_, listed, _) = home.run(&["token", "list"]);
    assert!(listed.lines().any(|line| line.starts_with("tools") && line.contains("none")), "{listed}");
}

#[test]
fn wrong_use_is_told_with_what_to_do() {
    let home = Home::new();
    assert_eq!(home.run(&["token", "add", "ci"]).0, 0);
    let mut told = String::new();
    for arguments in [
        &["token", "add", "ci"][..],
        &["token", "add", "default"],
        &["token", "add", "stdio"],
        &["token", "add", "a b"],
        &["token", "revoke", "other"],
    ] {
        let (code, stdout, stderr) = home.run(arguments);
        assert_eq!((code, stdout.as_str()), (2, ""), "{arguments:?}");
        told.push_str(&format!("$ toolwright {}\n{stderr}", arguments.join(" ")));
    }
    insta::assert_snapshot!(told);
    let (code, _, stderr) = home.run(&["token", "revoke", "default"]);
    assert!(code == 2 && stderr.contains("start the gateway anew"), "{stderr}");
}

#[test]
fn a_toolbox_that_the_configuration_does_not_have_is_told() {
    let home = Home::new();
    let add = |name: &str, toolbox: &str| home.run(&["token", "add", name, "--toolbox", toolbox]);
    let (code, _, stderr) = add("before", "nosuch");
    assert!(code == 0 && !stderr.contains("warning"), "nothing is known yet: {stderr}");
    let server = r#"{"mcpServers": {"a": {"command": "a"}}}"#;
    home.put("toolwright.json", &format!(r#"{{"toolboxes": {{"dev": {server}}}}}"#));
    let (code, stdout, stderr) = add("wrong", "nosuch");
    assert_eq!((code, stdout.lines().count()), (0, 1), "{stderr}");
    assert!(stderr.contains("has no toolbox \"nosuch\"; it has dev"), "{stderr}");
    assert!(add("own", "builtin").2.contains("has no toolbox \"builtin\""));
    assert!(!add("right", "dev").2.contains("warning"));
}
