//! Tool names that look like another one: by a sign, by a wrapper, by their server; and the cost of the lookup.

use crate::support;

use std::hint::black_box;

use support::assert_grows_linearly;
use toolwright_model::Code;
use toolwright_normalizer::{NameError, NameMiss, NamedTool, find_tool, match_tool};

fn code(sent: &str, tools: &[NamedTool<'_>], places: &[&str]) -> Result<Option<Code>, NameMiss> {
    match_tool(sent, tools, places).map(|found| found.code)
}

#[test]
fn a_sign_before_or_after_a_name_is_never_dropped() {
    for name in ["delete_user", "send_mail", "deploy"] {
        for tool in [NamedTool::new(name, None), NamedTool::new(name, Some("crm"))] {
            for sign in
                ["!", "-", "~", "¬", "❌", "# ", "//", "/", ".", "--", "\u{336}", "\u{202e}", "\u{200b}", "("]
            {
                let sent = [
                    format!("{sign}{name}"),
                    format!("{name}{sign}?"),
                    format!("functions.{sign}{name}"),
                    format!("crm__{sign}{name}"),
                    format!("crm/{sign}{name}"),
                    format!("{sign}mcp__toolwright__{name}"),
                ];
                for sent in sent {
                    assert_eq!(code(&sent, &[tool], &[]), Err(NameMiss::Unknown), "{sent:?}");
                }
            }
        }
    }
    let mail = [NamedTool::new("send_mail", None)];
    for sent in ["Send-Mail", "send mail", "send.mail", "send/mail", "send:mail", "SendMail", " send_mail_"] {
        assert_eq!(code(sent, &mail, &[]), Ok(Some(Code::ToolNameForm)), "{sent}");
    }
    // A tool's own signs are part of its name.
    let odd = [NamedTool::new("get$value", None)];
    assert_eq!(code("Get$Value", &odd, &[]), Ok(Some(Code::ToolNameForm)));
    assert_eq!(code("functions.get$value", &odd, &[]), Ok(Some(Code::ToolNameAffix)));
    for sent in ["get_value", "get$value$", "$get_value", "functions.$getvalue"] {
        assert_eq!(code(sent, &odd, &[]), Err(NameMiss::Unknown), "{sent}");
    }
}

#[test]
fn wrapper_does_not_hide_another_server() {
    let evil = [NamedTool::new("vault_put", Some("evil")), NamedTool::new("staging_db_write", Some("evil"))];
    let places = ["vault", "staging", "db"];
    for name in ["vault_put", "vaultPut", "staging_db_write"] {
        for before in ["mcp__toolwright__", "mcp__", "mcp:", "functions.", "tools/", "tool.", "default_api."]
        {
            for after in ["", ":0", "_tool"] {
                let sent = format!("{before}{name}{after}");
                assert_eq!(code(&sent, &evil, &places), Err(NameMiss::Unknown), "{sent}");
                assert!(code(&sent, &evil, &[]).is_ok(), "{sent} where nothing is called so");
            }
        }
    }
    for sent in ["vaultput", "VAULTPUT", "stagingdbwrite"] {
        assert_eq!(code(sent, &evil, &places), Err(NameMiss::Unknown), "{sent}");
        assert_eq!(code(sent, &evil, &[]), Ok(Some(Code::ToolNameForm)), "{sent} where nothing is called so");
    }
    // The configuration may write the name of a server differently from the tool name.
    let look_alike = [NamedTool::new("github_create_issue", Some("evil"))];
    assert_eq!(code("functions.github_create_issue", &look_alike, &["GitHub"]), Err(NameMiss::Unknown));
    // If one server name is a prefix of another, the longer one counts.
    let own = [NamedTool::new("my_vault__put", Some("my_vault"))];
    assert_eq!(code("My_Vault__Put", &own, &["my"]), Ok(Some(Code::ToolNameForm)));
    let other = [NamedTool::new("my_vault_put", Some("my"))];
    assert_eq!(code("My_Vault_Put", &other, &["my_vault"]), Err(NameMiss::Unknown));
}

#[test]
fn unknown_server_prefix_is_not_removed() {
    let tools = ["deploy", "mcp__prod__list", "staging__list"].map(|name| NamedTool::new(name, None));
    for server in ["undo", "simulate", "dry_run", "staging", "prod", "github"] {
        let sent = format!("mcp__{server}__deploy");
        assert_eq!(code(&sent, &tools, &[]), Err(NameMiss::Unknown), "{sent}");
    }
    assert_eq!(code("mcp__toolwright__deploy", &tools, &[]), Ok(Some(Code::ToolNameAffix)));
    let of_server = [NamedTool::new("deploy", Some("ci"))];
    assert_eq!(code("mcp__ci__deploy", &of_server, &[]), Ok(Some(Code::ToolNameAffix)));
    assert_eq!(code("list", &tools, &[]), Err(NameMiss::Ambiguous(vec![1, 2])));
}

#[test]
fn long_name_has_no_closest_match() {
    let tools = [NamedTool::new("read_file", None)];
    let error = find_tool(&"read_file_".repeat(20), &tools, &[]).expect_err("unknown");
    assert!(matches!(&error, NameError::Unknown { nearest, .. } if nearest.is_empty()), "{error}");
    assert!(error.to_string().ends_with("send a name from the list of tools"), "{error}");
    let empty = find_tool("x", &[], &[]).expect_err("unknown");
    assert_eq!(empty.to_string(), "there is no tool \"x\"; the list of tools is empty");
}

#[test]
fn lookup_of_unknown_name_takes_linear_time() {
    assert_grows_linearly(250, |count| {
        let names: Vec<String> = (0..count).map(|at| format!("tool_{at:04}_{}", "x".repeat(40))).collect();
        let tools: Vec<NamedTool<'_>> = names.iter().map(|name| NamedTool::new(name, None)).collect();
        for sent in ["tool_".repeat(25), "tool_".repeat(50), "functions.tool_".repeat(8)] {
            assert!(black_box(find_tool(&sent, &tools, &[])).is_err());
        }
    });
}
