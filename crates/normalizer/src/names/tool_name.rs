//! F1, F2: which tool a name stands for.
//!
//! # What it does
//! Exact, then by case and separators (`ReadFile` → `read_file`), then by a server prefix or a
//! generic suffix on either side (`mcp__files__read_file`, `functions.read_file`, `read_file_tool`).
//!
//! # What it refuses
//! Distance: `delete_files` is never `delete_file`. Two tools of the same form, and prefixes that
//! change what is done (`undo_create_user`, `bulk_delete`).

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
    "un", "undo", "redo", "bulk", "batch", "multi", "async", "sync", "force", "safe", "dry", "test", "mock",
    "pre", "post", "re", "dont", "do", "not", "no", "never", "delete", "remove", "create", "update", "add",
    "get", "set", "list", "read", "write", "move", "copy", "rename", "search", "find", "fetch", "send",
    "start", "stop", "open", "close", "run", "execute", "insert", "upsert", "patch", "put", "merge",
    "cancel", "enable", "disable", "lock", "unlock", "check", "validate", "verify", "confirm", "preview",
    "schedule", "archive", "restore", "export", "import", "upload", "download", "sub", "parent", "child",
    "all", "any", "new", "old", "my", "raw", "soft", "hard", "temp", "draft", "approve", "reject", "admin",
    "auto", "partial", "full", "quick", "deep", "local", "remote",
];

/// The tool a name was found to stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameMatch {
    /// Its place in the list.
    pub index: usize,
    /// How it was found; `None` for the exact name.
    pub code: Option<Code>,
}

/// Finds the tool that a name stands for, or the nearest names to show.
pub fn find_tool(sent: &str, tools: &[(&str, Option<&str>)]) -> Result<NameMatch, Vec<String>> {
    if let Some(index) = tools.iter().position(|(name, _)| *name == sent) {
        return Ok(NameMatch { index, code: None });
    }
    let folded = fold(sent);
    let same_form: Vec<usize> = indices(tools, |name, _| fold(name) == folded && !folded.is_empty());
    match same_form[..] {
        [index] => return Ok(NameMatch { index, code: Some(Code::F1) }),
        [] => {}
        _ => return Err(same_form.iter().map(|index| tools[*index].0.to_owned()).collect()),
    }
    let affixed =
        indices(tools, |name, server| is_affixed(sent, name, server) || is_affixed(name, sent, server));
    match affixed[..] {
        [index] => Ok(NameMatch { index, code: Some(Code::F2) }),
        [] => Err(nearest(sent, tools)),
        _ => Err(affixed.iter().map(|index| tools[*index].0.to_owned()).collect()),
    }
}

fn indices(tools: &[(&str, Option<&str>)], test: impl Fn(&str, Option<&str>) -> bool) -> Vec<usize> {
    tools
        .iter()
        .enumerate()
        .filter(|(_, (name, server))| test(name, *server))
        .map(|(index, _)| index)
        .collect()
}

/// Whether `long` is `short` with a server's prefix or a generic ending.
fn is_affixed(long: &str, short: &str, server: Option<&str>) -> bool {
    let (long_words, short_words) = (words(long), words(short));
    if short_words.is_empty() || long_words.len() <= short_words.len() {
        return false;
    }
    let mut rest = &long_words[..];
    while !rest.ends_with(&short_words) && rest.last().is_some_and(|word| ENDINGS.contains(&word.as_str())) {
        rest = &rest[..rest.len() - 1];
    }
    let Some(prefix) = rest.strip_suffix(&short_words[..]) else { return false };
    if prefix.is_empty() {
        return true;
    }
    if server.is_some_and(|server| fold(server) == prefix.concat()) {
        return true;
    }
    let meaningless = prefix.iter().all(|word| WRAPPERS.contains(&word.as_str()));
    let is_doing = prefix.iter().any(|word| DOING.contains(&word.as_str()));
    meaningless || !is_doing && (has_qualifier(long, short) || short_words.len() >= 2 && prefix.len() <= 3)
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
