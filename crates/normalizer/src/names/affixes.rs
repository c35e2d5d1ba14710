//! Prefixes and suffixes of a tool's name that mean nothing. Everything else means something.

use super::fold::{Folded, fold};
use super::places::KnownPlaces;
use super::signs::has_signs;
use super::tool_name::NamedTool;
use super::words::words;

/// Prefixes that models and clients put before every tool's name. Each is a wrapper only before one of the
/// [`SEPARATORS`] that follow a server name: `functions.read_file`, but not `tool_search`.
const WRAPPERS: &[&str] = &[
    // The namespace in which OpenAI's models and those trained like them see their tools.
    "functions",
    "function",
    // The module in which Gemini's models call them from code.
    "default_api",
    // Written by models that saw a list with this name.
    "tools",
    "tool",
    // The first part of `mcp__server__tool`, without the server.
    "mcp",
    // Toolwright's own name as a server, which clients put before all tools of a gateway: `mcp__toolwright__`.
    "mcp__toolwright",
];

/// Separators between a server and a name. `_` and `-` do not separate servers.
const SEPARATORS: &[&str] = &["__", ".", "/", ":"];

/// Words that a server's name may have or lack: `github-mcp-server` is `github`.
const OF_SERVERS: &[&str] = &["mcp", "server"];

/// Maximum number of wrappers before one name: `functions.mcp__toolwright__read_file`.
const MOST_WRAPPERS: usize = 2;

/// The parts of a name between server separators.
pub(super) fn parts(name: &str) -> Vec<&str> {
    let mut parts = vec![name];
    for separator in SEPARATORS {
        parts = parts.into_iter().flat_map(|part| part.split(separator)).collect();
    }
    parts.retain(|part| !fold(part).is_empty());
    parts
}

/// Whether two names with equal folded forms have the same parts. `is_loose`: a name with only one part may be sent as
/// several (`kubectl.get` → `kubectl_get`).
pub(super) fn has_same_parts(sent: &str, name: &str, is_loose: bool) -> bool {
    let (sent, name) = (parts(sent), parts(name));
    if is_loose && name.len() == 1 {
        return true;
    }
    sent.len() == name.len() && sent.iter().zip(&name).all(|(sent, name)| fold(sent) == fold(name))
}

/// A sent name without its wrappers, in every way they can be removed.
pub(super) struct Affixes<'s> {
    forms: Vec<NameForm<'s>>,
}

/// One way to read a sent name.
struct NameForm<'s> {
    text: &'s str,
    folded: Folded,
    words: Vec<String>,
    /// Whether something was removed.
    is_changed: bool,
    /// Whether it has signs that are not separators: then only the exact name matches.
    has_signs: bool,
}

impl<'s> Affixes<'s> {
    /// `is_wrapper` returns whether a word of the list is not the name of anything else.
    pub(super) fn of(sent: &'s str, is_wrapper: impl Fn(&str) -> bool) -> Affixes<'s> {
        let mut texts = vec![without_call_number(sent)];
        let mut from = 0;
        for _ in 0..MOST_WRAPPERS {
            let until = texts.len();
            for at in from..until {
                let text = texts[at];
                let unwrapped = |word: &&str| unwrapped(text, word).filter(|_| is_wrapper(word));
                texts.extend(WRAPPERS.iter().filter_map(unwrapped));
            }
            from = until;
        }
        let form = |text| NameForm {
            text,
            folded: fold(text),
            words: words(text),
            is_changed: text != sent,
            has_signs: has_signs(text),
        };
        Affixes { forms: texts.into_iter().map(form).collect() }
    }

    /// Whether the name, without meaningless affixes, is the tool's, and names no other server.
    pub(super) fn lead_to(&self, tool: &NamedTool<'_>, places: &KnownPlaces<'_>) -> bool {
        let folded = fold(tool.name);
        let may_lead =
            |form: &&NameForm<'_>| form.folded.contains(&*folded) || folded.ends_with(&*form.folded);
        let mut likely = self.forms.iter().filter(may_lead).peekable();
        if folded.is_empty() || likely.peek().is_none() {
            return false;
        }
        let name = words(tool.name);
        let leads = |form: &NameForm<'_>| {
            form.is_changed && form.text == tool.name
                || !form.has_signs && is_with_own_place(form, &name, tool)
                || !form.has_signs && tool.server.is_none() && lacks_place(form.text, tool.name)
        };
        likely.any(|form| leads(form) && !places.has_another_in(form.text, tool))
            && !places.has_another_in(tool.name, tool)
    }
}

/// The rest of a name after a wrapper.
fn unwrapped<'s>(sent: &'s str, wrapper: &str) -> Option<&'s str> {
    let head = sent.get(..wrapper.len()).filter(|head| head.eq_ignore_ascii_case(wrapper))?;
    let rest = &sent[head.len()..];
    let rest = SEPARATORS.iter().find_map(|separator| rest.strip_prefix(separator))?;
    (!fold(rest).is_empty()).then_some(rest)
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

/// Whether it is the tool's name, after its own server or toolbox or nothing, and before a generic ending or nothing.
fn is_with_own_place(form: &NameForm<'_>, name: &[String], tool: &NamedTool<'_>) -> bool {
    let sent = &form.words[..];
    let prefix = |words: &[String]| words.strip_suffix(name).map(<[String]>::to_vec);
    let is_ended = |ending: &String| {
        ending == "tool" || name.len() > 1 && ["function", "func"].contains(&ending.as_str())
    };
    let (place, has_ending) = match (prefix(sent), sent.split_last()) {
        (Some(place), _) => (place, false),
        (None, Some((ending, rest))) if is_ended(ending) => match prefix(rest) {
            Some(place) => (place, true),
            None => return false,
        },
        _ => return false,
    };
    let is_affixed = match place.is_empty() {
        true => has_ending || form.is_changed,
        false => is_own_place(&place, tool),
    };
    is_affixed && keeps_parts(form.text, tool, !place.is_empty())
}

/// Whether no server separator is inside the tool's name: `functions.vault__put` is not `vault_put` of
/// another server.
fn keeps_parts(form: &str, tool: &NamedTool<'_>, has_place: bool) -> bool {
    let (sent, name) = (parts(form), parts(tool.name));
    if name.len() == 1 && tool.server.is_none() {
        return true;
    }
    let count = |part: Option<&&str>| part.map_or(0, |part| words(part).len());
    match has_place {
        // The server may be joined to the first part by any separator.
        true => sent.len() >= name.len() && count(sent.last()) >= count(name.last()),
        false => sent.len() == name.len(),
    }
}

/// Whether words name the tool's own server, its toolbox, or both.
fn is_own_place(words_of_place: &[String], tool: &NamedTool<'_>) -> bool {
    let place_name = origin(words_of_place);
    let server = tool.server.map(|server| origin(&words(server))).unwrap_or_default();
    let toolbox = tool.toolbox.map(|toolbox| origin(&words(toolbox))).unwrap_or_default();
    !place_name.is_empty()
        && (place_name == server || place_name == toolbox || place_name == format!("{toolbox}{server}"))
}

/// A server name without the words that every server's name may have.
fn origin(words: &[String]) -> String {
    words.iter().filter(|word| !OF_SERVERS.contains(&word.as_str())).map(String::as_str).collect()
}

/// Whether the tool's name is the sent one with a server prefix: `github__create_issue` for `create_issue`, and
/// `mcp__github__create_issue` for both.
fn lacks_place(form: &str, name: &str) -> bool {
    let (sent, name) = (parts(form), parts(name));
    let Some(front) = name.len().checked_sub(sent.len()).filter(|front| *front > 0) else { return false };
    let is_end = sent.iter().zip(&name[front..]).all(|(sent, name)| fold(sent) == fold(name));
    let is_client = matches!(name[..front], ["mcp"] | ["mcp", "toolwright"]);
    is_end && !sent.is_empty() && (sent.len() == 1 || is_client)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tool_name::find_tool;
    use super::*;

    #[test]
    fn parts_split_at_server_separators() {
        assert_eq!(parts("mcp__git-hub.a_b/c:d"), ["mcp", "git-hub", "a_b", "c", "d"]);
        assert_eq!(parts("read_file"), ["read_file"]);
        assert!(parts("__._").is_empty());
    }

    proptest! {
        /// No word before a tool's name is a wrapper unless it is listed, so it means something.
        #[test]
        fn word_that_is_not_a_wrapper_is_never_dropped(
            word in "[a-z]{1,12}(_[a-z]{1,8})?",
            tool in prop::sample::select(vec!["delete_user", "update_row", "read_file", "send", "Read", "get-sum"]),
            between in prop::sample::select(vec!["_", "-", "__", ".", "/", ":"]),
        ) {
            prop_assume!(!WRAPPERS.contains(&word.as_str()));
            let sent = format!("{word}{between}{tool}");
            let tools = [NamedTool::new(tool, None), NamedTool::new("other_thing", Some("elsewhere"))];
            prop_assert!(find_tool(&sent, &tools, &[]).is_err(), "{}", sent);
            let of_server = [NamedTool::new(tool, Some("zz9"))];
            prop_assert!(find_tool(&sent, &of_server, &[]).is_err(), "{} of a server", sent);
        }
    }
}
