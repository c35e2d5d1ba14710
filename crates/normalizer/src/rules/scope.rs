//! Which tools a rule applies to.

use crate::tool::Tool;

/// One entry of a rule's `tools`.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// Reads an entry.
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

    /// Whether a pattern takes in a plain tool name.
    pub(super) fn covers_name(&self, name: &str) -> bool {
        matches!(self, Scope::Glob(pattern) if glob(pattern, name))
    }

    /// Whether the entry names the tool.
    pub fn matches(&self, tool: &Tool) -> bool {
        match self {
            Scope::Every => true,
            Scope::Name(name) => name == tool.name(),
            Scope::ServerAndName(server, name) => {
                tool.server() == Some(server.as_str()) && name == tool.name()
            }
            Scope::Glob(pattern) if pattern.contains('/') => {
                tool.server().is_some_and(|server| glob(pattern, &format!("{server}/{}", tool.name())))
            }
            Scope::Glob(pattern) => glob(pattern, tool.name()),
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
    use super::glob;

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
}
