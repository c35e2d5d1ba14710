//! F1, F2: lookup of a tool by the name that was sent.
//!
//! # What it does
//! Matches exactly, then by case and separators (`ReadFile` → `read_file`), then without affixes that only say where a
//! tool comes from ([`affixes`](super::affixes)): a known wrapper, the tool's own server or toolbox.
//!
//! # What it refuses
//! Edit distance: `delete_files` is never `delete_file`. Two tools of the same form. Every word that is not known
//! to be meaningless: `revert_update_user` is not `update_user`. Every sign that does not separate words:
//! `!send_mail` is not `send_mail`. The name of another server or toolbox, also after a wrapper. For a destructive
//! tool, everything but its own name in another form.

use toolwright_model::Code;

use super::affixes::{Affixes, has_same_parts};
use super::destructive::is_destructive_tool;
use super::fold::{fold, folds_to};
use super::nearest::nearest;
use super::places::KnownPlaces;
use super::signs::form;
use crate::schema::MAX_NAME_BYTES;

/// Number of characters of an overlong name that are shown.
const SHOWN_CHARS: usize = 60;

/// A tool that a name may match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NamedTool<'t> {
    /// Its name, as it is listed.
    pub name: &'t str,
    /// Its server, if known.
    pub server: Option<&'t str>,
    /// The toolbox of that server, if known.
    pub toolbox: Option<&'t str>,
    /// Whether its definition marks it as destructive. A destructive name counts by itself.
    pub is_destructive: bool,
}

impl<'t> NamedTool<'t> {
    /// A tool of which only the name is known, and maybe the server.
    pub fn new(name: &'t str, server: Option<&'t str>) -> NamedTool<'t> {
        NamedTool { name, server, ..NamedTool::default() }
    }

    /// Sets `is_destructive` from its definition.
    pub fn destroying(self, is_destructive: bool) -> NamedTool<'t> {
        NamedTool { is_destructive, ..self }
    }

    /// Whether the tool is destructive, by its definition or by its name.
    pub fn destroys(&self) -> bool {
        self.is_destructive || is_destructive_tool(self.name)
    }
}

/// The tool that a name matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameMatch {
    /// Its index in the list.
    pub index: usize,
    /// The code of the match; `None` for the exact name.
    pub code: Option<Code>,
}

/// Why a name matches no tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// No tool has the name in any form.
    #[error("there is no tool \"{sent}\"{}", hint(.nearest, *.has_tools))]
    Unknown {
        /// The name that was sent.
        sent: String,
        /// Up to three closest matches.
        nearest: Vec<String>,
        /// Whether there are tools at all.
        has_tools: bool,
    },
    /// The name is too long to be compared, and no tool, or more than one, has exactly this name.
    #[error("there is no tool \"{start}…\": a name of {bytes} bytes is only found as it is")]
    TooLong {
        /// Its length.
        bytes: usize,
        /// Its first characters.
        start: String,
    },
    /// Several tools match.
    #[error("\"{sent}\" could be {}; send the one you mean, with its server", .candidates.join(" or "))]
    Ambiguous {
        /// The name that was sent.
        sent: String,
        /// The tools, each with its server if known.
        candidates: Vec<String>,
    },
}

fn hint(nearest: &[String], has_tools: bool) -> String {
    match (nearest, has_tools) {
        (_, false) => "; the list of tools is empty".to_owned(),
        ([], true) => "; send a name from the list of tools".to_owned(),
        _ => format!("; the nearest are {}", nearest.join(", ")),
    }
}

/// Why a name matches no tool, without the data for a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameMiss {
    /// No tool has the name in any form.
    Unknown,
    /// The name is too long to be compared.
    TooLong,
    /// Several tools match: their indices in the list.
    Ambiguous(Vec<usize>),
}

/// Finds the tool that a name matches. `configured` are the names of servers and toolboxes that a name may
/// mention in addition to those of the tools: servers that are down, hidden, or not available to this caller.
pub fn find_tool(sent: &str, tools: &[NamedTool<'_>], configured: &[&str]) -> Result<NameMatch, NameError> {
    match_tool(sent, tools, configured).map_err(|miss| match miss {
        NameMiss::Unknown => {
            let nearest = nearest(sent, tools.iter().map(|tool| tool.name));
            NameError::Unknown { sent: sent.to_owned(), nearest, has_tools: !tools.is_empty() }
        }
        NameMiss::TooLong => {
            NameError::TooLong { bytes: sent.len(), start: sent.chars().take(SHOWN_CHARS).collect() }
        }
        NameMiss::Ambiguous(found) => {
            let candidates = found.iter().map(|index| qualified(&tools[*index])).collect();
            NameError::Ambiguous { sent: sent.to_owned(), candidates }
        }
    })
}

/// Finds the tool for callers that need no suggestions: closest matches are only computed if a message
/// needs them.
pub fn match_tool(sent: &str, tools: &[NamedTool<'_>], configured: &[&str]) -> Result<NameMatch, NameMiss> {
    // A name of that length is not a misspelling: only the exact name matches.
    if sent.len() > MAX_NAME_BYTES {
        let found = indices(tools, |tool| tool.name == sent);
        return match found[..] {
            [index] => Ok(NameMatch { index, code: None }),
            _ => Err(NameMiss::TooLong),
        };
    }
    let is_exact = |tool: &NamedTool<'_>| {
        let qualified = |server: &str| {
            sent.strip_prefix(server).and_then(|rest| rest.strip_prefix('/')) == Some(tool.name)
        };
        tool.name == sent || tool.server.is_some_and(qualified)
    };
    let places = KnownPlaces::new(tools, configured);
    let mut found = indices(tools, is_exact);
    let mut code = None;
    if found.is_empty() {
        let (folded, sent_form) = (fold(sent), form(sent));
        found = indices(tools, |tool| {
            !folded.is_empty()
                && folds_to(tool.name, &folded)
                && form(tool.name) == sent_form
                && is_form(sent, tool, &places)
        });
        code = Some(Code::ToolNameForm);
    }
    if found.is_empty() {
        let affixes = Affixes::of(sent, |word| !places.contain(word));
        found = indices(tools, |tool| affixes.lead_to(tool, &places) && !tool.destroys());
        code = Some(Code::ToolNameAffix);
    }
    match found[..] {
        [index] => Ok(NameMatch { index, code }),
        [] => Err(NameMiss::Unknown),
        _ => Err(NameMiss::Ambiguous(found)),
    }
}

/// Whether a name with the same folded form is the tool's own in another form. A server separator must match:
/// `vault__write_secret` is not `vault_write_secret` of another server. Nor can the name of another server or
/// toolbox become the start of a tool's name.
fn is_form(sent: &str, tool: &NamedTool<'_>, places: &KnownPlaces<'_>) -> bool {
    let is_loose = tool.server.is_none() && !tool.destroys();
    has_same_parts(sent, tool.name, is_loose)
        && !places.has_another_in(sent, tool)
        && !places.has_another_in(tool.name, tool)
}

fn qualified(tool: &NamedTool<'_>) -> String {
    tool.server.map_or_else(|| tool.name.to_owned(), |server| format!("{server}/{}", tool.name))
}

fn indices<'t>(tools: &[NamedTool<'t>], test: impl Fn(&NamedTool<'t>) -> bool) -> Vec<usize> {
    tools.iter().enumerate().filter(|(_, tool)| test(tool)).map(|(index, _)| index).collect()
}

#[cfg(test)]
mod tests {
    use super::{NamedTool, find_tool};
    use toolwright_model::Code;

    fn find<'t>(sent: &str, names: &[&'t str]) -> Option<(&'t str, Option<Code>)> {
        let tools: Vec<NamedTool<'_>> = names.iter().map(|name| NamedTool::new(name, None)).collect();
        find_tool(sent, &tools, &[]).ok().map(|found| (names[found.index], found.code))
    }

    #[test]
    fn forms_and_affixes_of_one_tool_are_found() {
        let names = ["read_file", "browser_click", "server_get-by-id", "create_issue"];
        assert_eq!(find("read_file", &names), Some(("read_file", None)));
        assert_eq!(find("ReadFile", &names), Some(("read_file", Some(Code::ToolNameForm))));
        assert_eq!(find("server_get_by_id", &names), Some(("server_get-by-id", Some(Code::ToolNameForm))));
        for sent in
            ["mcp__toolwright__read_file", "functions.read_file", "functions.read_file:0", "read_file_tool"]
        {
            assert_eq!(find(sent, &names), Some(("read_file", Some(Code::ToolNameAffix))), "{sent}");
        }
        assert_eq!(find("BrowserClick_tool", &names), Some(("browser_click", Some(Code::ToolNameAffix))));
        assert_eq!(
            find("create_issue", &["github__create_issue", "x"]).map(|found| found.0),
            Some("github__create_issue")
        );
        for sent in ["READ", "read", "Read_", "functions.Read", "mcp__Read", "default_api.read"] {
            assert_eq!(find(sent, &["Read", "Write"]).map(|found| found.0), Some("Read"), "{sent}");
        }
    }

    #[test]
    fn server_prefix_must_be_the_tools_own() {
        let github = NamedTool::new("create_issue", Some("github"));
        let gitlab = NamedTool::new("create_issue", Some("gitlab"));
        let found = |sent, tools: &[NamedTool<'_>]| find_tool(sent, tools, &[]).map(|found| found.index);
        assert!(found("slack__create_issue", &[github]).is_err());
        let unplaced = NamedTool::new("create_issue", None);
        for sent in ["slack__create_issue", "mcp__slack__create_issue"] {
            assert!(found(sent, &[unplaced, NamedTool::new("post", Some("slack"))]).is_err());
            assert!(find_tool(sent, &[unplaced], &["slack"]).is_err());
        }
        assert_eq!(found("mcp__github__create_issue", &[gitlab, github]), Ok(1));
        for sent in ["github-mcp-server.create_issue", "github_create_issue", "mcp_github_create_issue"] {
            assert_eq!(found(sent, &[github]), Ok(0), "{sent}");
        }
        assert!(found("mcp__git__create_issue", &[github]).is_err());
        assert!(found("github-enterprise__create_issue", &[github]).is_err());
        assert!(found("trash.read", &[NamedTool::new("read", None)]).is_err());
        let qualified = find_tool("gitlab/create_issue", &[github, gitlab], &[]).expect("its full name");
        assert_eq!((qualified.index, qualified.code), (1, None));
        assert_eq!(found("functions.create_issue:0", &[github]), Ok(0));
        let both = find_tool("create_issue", &[github, gitlab], &[]).expect_err("two tools");
        assert_eq!(
            both.to_string(),
            "\"create_issue\" could be github/create_issue or gitlab/create_issue; send the one you mean, with its server"
        );
        let boxed = NamedTool { toolbox: Some("dev"), ..github };
        assert_eq!(found("dev__github__create_issue", &[boxed]), Ok(0));
        assert!(found("staging__github__create_issue", &[boxed]).is_err());
    }

    #[test]
    fn look_alike_of_another_server_is_refused() {
        let evil = NamedTool::new("vault_put_note", Some("evil"));
        for sent in ["vault__put_note", "vault/put_note", "vault.put_note", "vault:put_note"] {
            assert!(find_tool(sent, &[evil], &[]).is_err(), "{sent}");
        }
        assert!(find_tool("Vault_Put_Note", &[evil], &["vault"]).is_err());
        assert!(find_tool("Vault_Put_Note", &[evil], &[]).is_ok());
        // A word is a wrapper only if no server or toolbox has this name.
        let read = NamedTool::new("read_note", None);
        assert!(find_tool("functions.read_note", &[read], &[]).is_ok());
        assert!(find_tool("functions.read_note", &[read], &["functions"]).is_err());
        assert!(find_tool("mcp__vault__read_note", &[read], &["vault"]).is_err());
    }

    #[test]
    fn very_long_name_needs_exact_match() {
        let long = "read_file_".repeat(1_500);
        let names = [long.as_str(), "read_file"];
        assert_eq!(find(&long, &names), Some((long.as_str(), None)));
        let error =
            find_tool(&long.to_uppercase(), &[NamedTool::new(&long, None)], &[]).expect_err("another form");
        assert_eq!(
            error.to_string(),
            "there is no tool \"READ_FILE_READ_FILE_READ_FILE_READ_FILE_READ_FILE_READ_FILE_…\": a name of 15000 bytes is only found as it is"
        );
    }

    #[test]
    fn other_tools_are_refused() {
        for (sent, names) in [
            ("delete_files", &["delete_file"][..]),
            ("undo_create_user", &["create_user"]),
            ("bulk_delete_user", &["delete_user"]),
            ("read_fil", &["read_file"]),
            ("file", &["read_file"]),
            ("create_issue", &["github_create_issue", "gitlab_create_issue"]),
            ("create_issue", &["draft_create_issue"]),
            ("tool_search", &["search"]),
            ("create_function", &["create"]),
            ("list_api", &["list"]),
            ("", &["a"]),
        ] {
            assert_eq!(find(sent, names), None, "{sent}");
        }
    }

    /// Words that turn an action into another one, or into none.
    const OPPOSITES: &[&str] = &[
        "revert",
        "rollback",
        "abort",
        "simulate",
        "prevent",
        "fake",
        "plan",
        "dryrun",
        "dry_run",
        "sandbox",
        "staging",
        "deny",
        "block",
        "skip",
        "what_if",
        "without",
        "noop",
        "would",
        "undo",
        "cancel",
        "mock",
        "test",
        "preview",
        "validate",
        "check",
        "estimate",
        "propose",
        "draft",
        "schedule",
        "request",
        "suggest",
        "explain",
        "describe",
        "log",
        "audit",
        "approve",
        "reject",
        "never",
        "dont",
        "not",
        "no",
        "pretend",
        "stub",
        "replica",
        "shadow",
        "backup",
        "restore",
        "unschedule",
        "queue",
        "try",
        "maybe",
        "can",
        "should",
        "is",
        "has",
    ];

    #[test]
    fn no_meaningful_word_around_a_name_is_dropped() {
        for tool in ["delete_user", "transfer_money", "update_user", "deploy", "write_secret"] {
            for word in OPPOSITES {
                for between in ["_", "__", "-", ".", "/", ":", " "] {
                    for sent in [format!("{word}{between}{tool}"), format!("{tool}{between}{word}")] {
                        assert_eq!(find(&sent, &[tool]), None, "{sent}");
                        let of_server = NamedTool::new(tool, Some("crm"));
                        assert!(find_tool(&sent, &[of_server], &[]).is_err(), "{sent} of a server");
                    }
                }
            }
        }
    }

    #[test]
    fn destructive_tool_needs_its_own_name() {
        let hinted = NamedTool::new("sync_bucket", Some("s3")).destroying(true);
        let named = NamedTool::new("delete_user", Some("crm"));
        for (sent, tool) in [
            ("functions.sync_bucket", hinted),
            ("s3__sync_bucket", hinted),
            ("sync_bucket_tool", hinted),
            ("sync_bucket:0", hinted),
            ("mcp__crm__delete_user", named),
            ("crm_delete_user", named),
            ("functions.delete_user", named),
            ("delete__user", named),
        ] {
            assert!(find_tool(sent, &[tool], &[]).is_err(), "{sent}");
        }
        assert_eq!(find("mcp__crm__delete_user", &["delete_user"]), None);
        assert_eq!(find("delete_user", &["mcp__crm__delete_user"]), None);
        assert_eq!(find("Delete-User", &["delete_user"]), Some(("delete_user", Some(Code::ToolNameForm))));
        let qualified = find_tool("crm/delete_user", &[named], &[]).expect("its full name");
        assert_eq!(qualified.code, None);
    }
}
