//! F1, F2: which tool a name stands for.
//!
//! # What it does
//! Exact, then by case and separators (`ReadFile` → `read_file`), then by a server prefix or a
//! generic suffix on either side (`mcp__files__read_file`, `functions.read_file`, `read_file_tool`).
//!
//! # What it refuses
//! Distance: `delete_files` is never `delete_file`. Two tools of the same form, the name of another
//! server, and prefixes that change what is done (`undo_create_user`, `bulk_delete`).

use toolwright_model::Code;

use super::fold::fold;
use super::words::words;

/// Words that wrap a tool's name without meaning.
const WRAPPERS: &[&str] = &[
    "mcp",
    "function",
    "functions",
    "tool",
    "tools",
    "default",
    "api",
    "namespace",
    "server",
    "client",
    "call",
    "use",
];
/// Generic endings.
const ENDINGS: &[&str] = &["tool", "function", "func", "mcp", "api"];
/// Words that are no server's name: they say what is done or how.
const DOING: &[&str] = &[
    "un",
    "undo",
    "redo",
    "bulk",
    "batch",
    "multi",
    "async",
    "sync",
    "force",
    "safe",
    "dry",
    "test",
    "mock",
    "pre",
    "post",
    "re",
    "dont",
    "do",
    "not",
    "no",
    "never",
    "delete",
    "remove",
    "create",
    "update",
    "add",
    "get",
    "set",
    "list",
    "read",
    "write",
    "move",
    "copy",
    "rename",
    "search",
    "find",
    "fetch",
    "send",
    "start",
    "stop",
    "open",
    "close",
    "run",
    "execute",
    "insert",
    "upsert",
    "patch",
    "put",
    "merge",
    "cancel",
    "enable",
    "disable",
    "lock",
    "unlock",
    "check",
    "validate",
    "verify",
    "confirm",
    "preview",
    "schedule",
    "archive",
    "restore",
    "export",
    "import",
    "upload",
    "download",
    "sub",
    "parent",
    "child",
    "all",
    "any",
    "new",
    "old",
    "my",
    "raw",
    "soft",
    "hard",
    "temp",
    "draft",
    "approve",
    "reject",
    "admin",
    "trash",
    "unsafe",
    "archived",
    "deprecated",
    "legacy",
    "backup",
    "auto",
    "partial",
    "full",
    "quick",
    "deep",
    "local",
    "remote",
];

/// The tool a name was found to stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameMatch {
    /// Its place in the list.
    pub index: usize,
    /// How it was found; `None` for the exact name.
    pub code: Option<Code>,
}

/// Why a name stands for no tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// No tool has the name in any form.
    #[error("there is no tool \"{sent}\"{}", hint(.nearest))]
    Unknown {
        /// The name that was sent.
        sent: String,
        /// Up to three names that share the most with it.
        nearest: Vec<String>,
    },
    /// Several tools have it.
    #[error("\"{sent}\" could be {}; send the one you mean, with its server", .candidates.join(" or "))]
    Ambiguous {
        /// The name that was sent.
        sent: String,
        /// The tools, each with its server where that is known.
        candidates: Vec<String>,
    },
}

fn hint(nearest: &[String]) -> String {
    if nearest.is_empty() {
        "; the list of tools is empty".to_owned()
    } else {
        format!("; the nearest are {}", nearest.join(", "))
    }
}

/// Finds the tool that a name stands for. Tools are given by name and, where known, server.
pub fn find_tool(sent: &str, tools: &[(&str, Option<&str>)]) -> Result<NameMatch, NameError> {
    let folded = fold(sent);
    let has_form = |name: &str| !folded.is_empty() && fold(name) == folded;
    let bare = without_call_number(sent);
    let is_exact = |name: &str, server: Option<&str>| {
        name == sent
            || server.is_some_and(|server| {
                sent.strip_prefix(server).and_then(|rest| rest.strip_prefix('/')) == Some(name)
            })
    };
    let mut found = indices(tools, is_exact);
    let mut code = None;
    if found.is_empty() {
        found = indices(tools, |name, _| has_form(name));
        code = Some(Code::F1);
    }
    if found.is_empty() {
        found = indices(tools, |name, server| {
            name == bare && bare != sent
                || (is_affixed(bare, name) || is_affixed(name, bare))
                    && !names_another_server(bare, name, server, tools)
        });
        code = Some(Code::F2);
    }
    match found[..] {
        [index] => Ok(NameMatch { index, code }),
        [] => Err(NameError::Unknown { sent: sent.to_owned(), nearest: nearest(sent, tools) }),
        _ => {
            let candidates = found.iter().map(|index| qualified(tools[*index])).collect();
            Err(NameError::Ambiguous { sent: sent.to_owned(), candidates })
        }
    }
}

/// `functions.read_file:0`: some models number their calls.
fn without_call_number(sent: &str) -> &str {
    match sent.rsplit_once(':') {
        Some((name, number)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            name
        }
        _ => sent,
    }
}

fn qualified((name, server): (&str, Option<&str>)) -> String {
    server.map_or_else(|| name.to_owned(), |server| format!("{server}/{name}"))
}

fn indices(tools: &[(&str, Option<&str>)], test: impl Fn(&str, Option<&str>) -> bool) -> Vec<usize> {
    tools
        .iter()
        .enumerate()
        .filter(|(_, (name, server))| test(name, *server))
        .map(|(index, _)| index)
        .collect()
}

/// Whether what stands before the tool's name says that it is another server's: `slack__create_issue`
/// is not GitHub's `create_issue`.
fn names_another_server(
    sent: &str,
    name: &str,
    server: Option<&str>,
    tools: &[(&str, Option<&str>)],
) -> bool {
    let Some(prefix) = prefix(sent, name) else { return false };
    let said = origin(&prefix);
    if said.is_empty() {
        return false;
    }
    let is_like = |server: &str| {
        let server = origin(&words(server));
        !server.is_empty() && said == server
    };
    match server {
        Some(server) => !is_like(server),
        None => tools.iter().filter_map(|(_, server)| *server).any(is_like),
    }
}

/// A server's name without the words that every server's name may have.
fn origin(words: &[String]) -> String {
    words.iter().filter(|word| !WRAPPERS.contains(&word.as_str())).map(String::as_str).collect()
}

/// The words before the tool's name, when the sent name ends in it.
fn prefix(long: &str, short: &str) -> Option<Vec<String>> {
    let (long_words, short_words) = (words(long), words(short));
    if short_words.is_empty() || long_words.len() <= short_words.len() {
        return None;
    }
    let mut rest = &long_words[..];
    while !rest.ends_with(&short_words) && rest.last().is_some_and(|word| ENDINGS.contains(&word.as_str())) {
        rest = &rest[..rest.len() - 1];
    }
    rest.strip_suffix(&short_words[..]).map(<[String]>::to_vec)
}

/// Whether `long` is `short` with a server's prefix or a generic ending.
fn is_affixed(long: &str, short: &str) -> bool {
    let Some(prefix) = prefix(long, short) else { return false };
    let meaningless = prefix.iter().all(|word| WRAPPERS.contains(&word.as_str()));
    let is_doing = prefix.iter().any(|word| DOING.contains(&word.as_str()));
    let names_server = has_qualifier(long, short) || words(short).len() >= 2 && prefix.len() <= 3;
    meaningless || !is_doing && names_server
}

/// `server__tool`, `server.tool`, `server/tool`, `server:tool`: a separator that only names servers.
fn has_qualifier(long: &str, short: &str) -> bool {
    let folded = fold(short);
    ["__", ".", "/", ":"].iter().any(|separator| {
        long.rsplit_once(separator).is_some_and(|(head, tail)| !head.is_empty() && fold(tail) == folded)
    })
}

/// Up to three names that share the most with the one sent.
fn nearest(sent: &str, tools: &[(&str, Option<&str>)]) -> Vec<String> {
    let sent_words = words(sent);
    let mut scored: Vec<(usize, usize, &str)> = tools
        .iter()
        .map(|(name, _)| {
            let shared = words(name).iter().filter(|word| sent_words.contains(word)).count();
            (usize::MAX - shared, strsim::osa_distance(&fold(sent), &fold(name)), *name)
        })
        .collect();
    scored.sort();
    scored.into_iter().take(3).map(|(_, _, name)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::find_tool;
    use toolwright_model::Code;

    fn find<'t>(sent: &str, names: &[&'t str]) -> Option<(&'t str, Option<Code>)> {
        let tools: Vec<(&str, Option<&str>)> = names.iter().map(|name| (*name, None)).collect();
        find_tool(sent, &tools).ok().map(|found| (names[found.index], found.code))
    }

    #[test]
    fn forms_and_affixes_of_one_tool_are_found() {
        let names = ["read_file", "browser_click", "server_get-by-id", "create_issue"];
        assert_eq!(find("read_file", &names), Some(("read_file", None)));
        assert_eq!(find("ReadFile", &names), Some(("read_file", Some(Code::F1))));
        assert_eq!(find("server_get_by_id", &names), Some(("server_get-by-id", Some(Code::F1))));
        for sent in ["mcp__files__read_file", "functions.read_file", "filesystem_read_file", "read_file_tool"]
        {
            assert_eq!(find(sent, &names), Some(("read_file", Some(Code::F2))), "{sent}");
        }
        assert_eq!(find("BrowserClick_tool", &names), Some(("browser_click", Some(Code::F2))));
        assert_eq!(
            find("create_issue", &["github__create_issue", "x"]).map(|found| found.0),
            Some("github__create_issue")
        );
    }

    #[test]
    fn a_server_that_is_named_must_be_the_tools_own() {
        let github = ("create_issue", Some("github"));
        let gitlab = ("create_issue", Some("gitlab"));
        let found = |sent, tools: &[(&str, Option<&str>)]| find_tool(sent, tools).map(|found| found.index);
        assert!(found("slack__create_issue", &[github]).is_err());
        assert!(found("slack__create_issue", &[("create_issue", None), ("post", Some("slack"))]).is_err());
        assert_eq!(found("mcp__github__create_issue", &[gitlab, github]), Ok(1));
        assert_eq!(found("github-mcp-server.create_issue", &[github]), Ok(0));
        assert!(found("mcp__git__create_issue", &[github]).is_err());
        assert!(found("github-enterprise__create_issue", &[github]).is_err());
        assert!(find_tool("trash.read", &[("read", None)]).is_err());
        let qualified = find_tool("gitlab/create_issue", &[github, gitlab]).expect("its full name");
        assert_eq!((qualified.index, qualified.code), (1, None));
        assert_eq!(found("functions.create_issue:0", &[github]), Ok(0));
        let both = find_tool("create_issue", &[github, gitlab]).expect_err("two tools");
        assert_eq!(
            both.to_string(),
            "\"create_issue\" could be github/create_issue or gitlab/create_issue; send the one you mean, with its server"
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
            ("", &["a"]),
        ] {
            assert_eq!(find(sent, names), None, "{sent}");
        }
    }
}
