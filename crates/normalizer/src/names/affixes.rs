//! What may stand before and after a tool's name without meaning anything. Everything else means something.

use super::fold::{Folded, fold};
use super::places::Places;
use super::signs::has_signs;
use super::tool_name::NamedTool;
use super::words::words;

/// What models and clients put around every tool's name, whatever it does. Each is a wrapper only before a
/// [`SEPARATORS`] that names servers: `functions.read_file`, but not `tool_search`.
const WRAPPERS: &[&str] = &[
    // The namespace in which OpenAI's models and those trained like them see their tools.
    "functions",
    "function",
    // The module in which Gemini's models call them from code.
    "default_api",
    // What models write that were shown a list called so.
    "tools",
    "tool",
    // The first part of `mcp__server__tool`, without the server.
    "mcp",
    // Our own name as a server, which clients put before all tools of a gateway: `mcp__toolwright__`.
    "mcp__toolwright",
];

/// Between a place and a name. They name servers; `_` and `-` do not.
const SEPARATORS: &[&str] = &["__", ".", "/", ":"];

/// Words that a server's name may have or lack: `github-mcp-server` is `github`.
const OF_SERVERS: &[&str] = &["mcp", "server"];

/// How many wrappers may stand before one name: `functions.mcp__toolwright__read_file`.
const MOST_WRAPPERS: usize = 2;

/// The parts of a name between separators that name servers.
pub(super) fn parts(name: &str) -> Vec<&str> {
    let mut parts = vec![name];
    for separator in SEPARATORS {
        parts = parts.into_iter().flat_map(|part| part.split(separator)).collect();
    }
    parts.retain(|part| !fold(part).is_empty());
    parts
}

/// Whether two names that fold alike have the same parts. `is_loose`: a name that has only one may be sent as
/// several (`kubectl.get` → `kubectl_get`).
pub(super) fn has_same_parts(sent: &str, name: &str, is_loose: bool) -> bool {
    let (sent, name) = (parts(sent), parts(name));
    if is_loose && name.len() == 1 {
        return true;
    }
    sent.len() == name.len() && sent.iter().zip(&name).all(|(sent, name)| fold(sent) == fold(name))
}

/// A sent name without its wrappers, in every way they can be taken off.
pub(super) struct Affixes<'s> {
    forms: Vec<Form<'s>>,
}

/// One way to read a sent name.
struct Form<'s> {
    text: &'s str,
    folded: Folded,
    words: Vec<String>,
    /// Whether something was taken off.
    is_changed: bool,
    /// Whether it has signs that are no separators: then nothing but the very name is meant.
    has_signs: bool,
}

impl<'s> Affixes<'s> {
    /// `is_wrapper` says of a word of the list whether nothing else is called so.
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
        let form = |text| Form {
            text,
            folded: fold(text),
            words: words(text),
            is_changed: text != sent,
            has_signs: has_signs(text),
        };
        Affixes { forms: texts.into_iter().map(form).collect() }
    }

    /// Whether the name, without what means nothing, is the tool's, and speaks of no other place.
    pub(super) fn lead_to(&self, tool: &NamedTool<'_>, places: &Places<'_>) -> bool {
        let folded = fold(tool.name);
        let may_lead = |form: &&Form<'_>| form.folded.contains(&*folded) || folded.ends_with(&*form.folded);
        let mut likely = self.forms.iter().filter(may_lead).peekable();
        if folded.is_empty() || likely.peek().is_none() {
            return false;
        }
        let name = words(tool.name);
        let leads = |form: &Form<'_>| {
            form.is_changed && form.text == tool.name
                || !form.has_signs && is_with_own_place(form, &name, tool)
                || !form.has_signs && tool.server.is_none() && lacks_place(form.text, tool.name)
        };
        likely.any(|form| leads(form) && !places.has_another_in(form.text, tool))
            && !places.has_another_in(tool.name, tool)
    }
}

/// The rest of a name behind a wrapper.
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

/// The tool's name, behind its own server or toolbox or nothing, and before a generic ending or nothing.
fn is_with_own_place(form: &Form<'_>, name: &[String], tool: &NamedTool<'_>) -> bool {
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

/// Whether no separator that names servers is inside the tool's name: `functions.vault__put` is not `vault_put` of
/// another server.
fn keeps_parts(form: &str, tool: &NamedTool<'_>, has_place: bool) -> bool {
    let (sent, name) = (parts(form), parts(tool.name));
    if name.len() == 1 && tool.server.is_none() {
        return true;
    }
    let count = |part: Option<&&str>| part.map_or(0, |part| words(part).len());
    match has_place {
        // The place may be joined to the first part by any separator.
        true => sent.len() >= name.len() && count(sent.last()) >= count(name.last()),
        false => sent.len() == name.len(),
    }
}

/// Whether words name the tool's own server, its toolbox, or both.
fn is_own_place(words_of_place: &[String], tool: &NamedTool<'_>) -> bool {
    let said = origin(words_of_place);
    let server = tool.server.map(|server| origin(&words(server))).unwrap_or_default();
    let toolbox = tool.toolbox.map(|toolbox| origin(&words(toolbox))).unwrap_or_default();
    !said.is_empty() && (said == server || said == toolbox || said == format!("{toolbox}{server}"))
}

/// A place without the words that every server's name may have.
fn origin(words: &[String]) -> String {
    words.iter().filter(|word| !OF_SERVERS.contains(&word.as_str())).map(String::as_str).collect()
}

/// Whether the tool's name is the sent one behind a place: `github__create_issue` for `create_issue`, and
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
    fn parts_are_what_separators_of_servers_leave() {
        assert_eq!(parts("mcp__git-hub.a_b/c:d"), ["mcp", "git-hub", "a_b", "c", "d"]);
        assert_eq!(parts("read_file"), ["read_file"]);
        assert!(parts("__._").is_empty());
    }

    proptest! {
        /// Whatever the word: before a tool's name it is no wrapper, so it means something.
        #[test]
        fn a_word_that_is_no_wrapper_is_never_dropped(
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
