//! The tools that a rule applies to.

use crate::tool::Tool;

/// Patterns with more characters are not compared with each other.
const MAX_COMPARED_CHARS: usize = 256;

/// One entry of a rule's `tools`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// `*`: every tool.
    Every,
    /// A tool's name.
    Name(String),
    /// `server/name` without wildcards.
    ServerAndName(String, String),
    /// A pattern with `*` or `?`, of the name or of `server/name`.
    Glob(String),
}

impl Scope {
    /// Parses an entry.
    pub fn parse(text: &str) -> Scope {
        if text == "*" {
            return Scope::Every;
        }
        if text.contains(['*', '?']) {
            return Scope::Glob(text.to_owned());
        }
        match text.split_once('/') {
            Some((server, name)) => Scope::ServerAndName(server.to_owned(), name.to_owned()),
            None => Scope::Name(text.to_owned()),
        }
    }

    /// Whether every tool of `other` is a tool of this entry, and rules for this one run first: rules
    /// for every tool run after those that name one.
    pub(super) fn covers(&self, other: &Scope) -> bool {
        match (self, other) {
            (Scope::Every, _) | (_, Scope::Every) => self == other,
            (Scope::Name(name), Scope::ServerAndName(_, other)) => name == other,
            (Scope::Glob(pattern), Scope::Name(name)) => glob(pattern, name),
            (Scope::Glob(pattern), Scope::ServerAndName(server, name)) => {
                glob_takes(pattern, Some(server), name)
            }
            _ => self == other,
        }
    }

    /// The tools that both entries apply to: the narrower of the two, if they have one in common.
    pub(super) fn meet(&self, other: &Scope) -> Option<Scope> {
        let narrower = match (self, other) {
            (Scope::Every, _) => Some(other),
            (_, Scope::Every) => Some(self),
            (Scope::Glob(one), Scope::Glob(two)) => globs_meet(one, two).then_some(self),
            (Scope::Glob(pattern), Scope::Name(name)) | (Scope::Name(name), Scope::Glob(pattern)) => {
                globs_meet(pattern, name).then_some(if matches!(self, Scope::Name(_)) { self } else { other })
            }
            _ if other.covers(self) => Some(self),
            _ => self.covers(other).then_some(other),
        };
        narrower.cloned()
    }

    /// The tool's name, if the entry names a single tool.
    pub(super) fn tool_name(&self) -> Option<&str> {
        match self {
            Scope::Name(name) | Scope::ServerAndName(_, name) => Some(name),
            Scope::Every | Scope::Glob(_) => None,
        }
    }

    /// Whether the entry applies to the tool.
    pub fn matches(&self, tool: &Tool) -> bool {
        match self {
            Scope::Every => true,
            Scope::Name(name) => name == tool.name(),
            Scope::ServerAndName(server, name) => {
                tool.server() == Some(server.as_str()) && name == tool.name()
            }
            Scope::Glob(pattern) => glob_takes(pattern, tool.server(), tool.name()),
        }
    }
}

impl std::fmt::Display for Scope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Scope::Every => f.write_str("*"),
            Scope::Name(text) | Scope::Glob(text) => f.write_str(text),
            Scope::ServerAndName(server, name) => write!(f, "{server}/{name}"),
        }
    }
}

/// Whether a pattern matches a tool; one with a slash is matched against `server/name`.
fn glob_takes(pattern: &str, server: Option<&str>, name: &str) -> bool {
    match server {
        Some(server) if pattern.contains('/') => glob(pattern, &format!("{server}/{name}")),
        _ => !pattern.contains('/') && glob(pattern, name),
    }
}

/// Whether some tool matches both patterns, each of which may be a plain name.
fn globs_meet(one: &str, two: &str) -> bool {
    let parts = |pattern: &str| match pattern.split_once('/') {
        Some((server, name)) => (server.to_owned(), name.to_owned()),
        None => ("*".to_owned(), pattern.to_owned()),
    };
    let ((one_server, one_name), (two_server, two_name)) = (parts(one), parts(two));
    texts_meet(&one_server, &two_server) && texts_meet(&one_name, &two_name)
}

/// Whether some text matches both patterns. Very long ones count as having none in common.
fn texts_meet(one: &str, two: &str) -> bool {
    let (one, two): (Vec<char>, Vec<char>) = (one.chars().collect(), two.chars().collect());
    if one.len() > MAX_COMPARED_CHARS || two.len() > MAX_COMPARED_CHARS {
        return false;
    }
    // `meets[j]`: a text matches both the rest of `one` from `at` on and `two[j..]`.
    let only_stars = |rest: &[char]| rest.iter().all(|char| *char == '*');
    let mut meets: Vec<bool> = (0..=two.len()).map(|at| only_stars(&two[at..])).collect();
    for at in (0..one.len()).rev() {
        let below = meets.clone();
        for other in (0..=two.len()).rev() {
            meets[other] = match (one[at], two.get(other)) {
                ('*', None) => below[other],
                (_, None) => false,
                ('*', Some(_)) => below[other] || meets[other + 1],
                (_, Some('*')) => meets[other + 1] || below[other],
                (a, Some(b)) => (a == '?' || *b == '?' || a == *b) && below[other + 1],
            };
        }
    }
    meets[0]
}

/// Matches `*` (any run) and `?` (any one character), in linear time.
fn glob(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut from) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while from < text.len() {
        if at < pattern.len() && (pattern[at] == '?' || pattern[at] == text[from]) && pattern[at] != '*' {
            at += 1;
            from += 1;
        } else if at < pattern.len() && pattern[at] == '*' {
            star = Some((at, from));
            at += 1;
        } else if let Some((star_at, star_from)) = star {
            at = star_at + 1;
            from = star_from + 1;
            star = Some((star_at, from));
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|char| *char == '*')
}

#[cfg(test)]
mod tests {
    use super::{Scope, glob};

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, text, expected) in [
            ("read_*", "read_file", true),
            ("*_file", "read_file", true),
            ("read_????", "read_file", true),
            ("read_*", "unread_file", false),
            ("fs/*", "fs/read", true),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "aXbY", false),
        ] {
            assert_eq!(glob(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn scopes_meet_if_a_tool_matches_both() {
        for (one, two, expected) in [
            ("read", "read", true),
            ("read", "write", false),
            ("*", "read", true),
            ("fs/read", "read", true),
            ("fs/read", "db/read", false),
            ("re*", "read", true),
            ("fs/*", "read", true),
            ("fs/re*", "write", false),
            ("fs/*", "db/read", false),
            ("read_*", "*_file", true),
            ("read_*", "write_*", false),
            ("fs/*", "*_file", true),
            ("a?c", "ab*", true),
            ("a?c", "ab", false),
        ] {
            let (one, two) = (Scope::parse(one), Scope::parse(two));
            assert_eq!(one.meet(&two).is_some(), expected, "{one} {two}");
            assert_eq!(two.meet(&one).is_some(), expected, "{two} {one}");
        }
    }
}
