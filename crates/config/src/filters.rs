//! Filters of a server's tools.

/// A list of names, patterns and `!` exclusions. Without names or patterns, all tools are offered except the excluded
/// ones; an empty list offers none. An exclusion takes precedence over everything else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolFilters {
    /// A tool must match each of these lists.
    allowed: Vec<Vec<String>>,
    refused: Vec<String>,
}

impl ToolFilters {
    /// Creates the filter of a list such as `["read_*", "!read_secret"]`.
    pub fn new(list: &[String]) -> ToolFilters {
        let refused: Vec<String> =
            list.iter().filter_map(|entry| entry.strip_prefix('!')).map(str::to_owned).collect();
        let allowed: Vec<String> = list.iter().filter(|entry| !entry.starts_with('!')).cloned().collect();
        let names_any = !allowed.is_empty() || refused.is_empty();
        ToolFilters { allowed: if names_any { vec![allowed] } else { Vec::new() }, refused }
    }

    /// Adds a list of names and patterns that a tool must match too.
    pub(crate) fn allow(&mut self, list: Vec<String>) {
        self.allowed.push(list);
    }

    /// Adds names and patterns to exclude.
    pub(crate) fn refuse(&mut self, list: Vec<String>) {
        self.refused.extend(list);
    }

    /// The intersection of two filters.
    #[must_use]
    pub fn and(mut self, other: ToolFilters) -> ToolFilters {
        self.allowed.extend(other.allowed);
        self.refused.extend(other.refused);
        self
    }

    /// Whether a tool is offered. Names are compared exactly; `*` matches any text, `?` one character.
    pub fn allows(&self, tool: &str) -> bool {
        let is_in = |list: &[String]| list.iter().any(|pattern| glob(pattern, tool));
        self.allowed.iter().all(|list| is_in(list)) && !is_in(&self.refused)
    }

    /// Whether a tool with two names is offered: excluding either excludes it, allowing either allows it.
    pub fn allows_either(&self, name: &str, other: &str) -> bool {
        let is_in = |list: &[String]| list.iter().any(|pattern| glob(pattern, name) || glob(pattern, other));
        self.allowed.iter().all(|list| is_in(list)) && !is_in(&self.refused)
    }

    /// Whether every tool is offered.
    pub fn is_open(&self) -> bool {
        self.refused.is_empty() && self.allowed.iter().all(|list| list.iter().any(|pattern| pattern == "*"))
    }

    /// The entries without wildcards: names of tools that should exist.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let all = self.allowed.iter().flatten().chain(&self.refused);
        all.map(String::as_str).filter(|entry| !entry.contains(['*', '?']))
    }
}

/// Whether a pattern matches a text. Backtracks to the last star only, so the time stays at most proportional to the
/// product of both lengths.
pub(crate) fn glob(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut of) = (0, 0);
    // The position of the last star, and the end of the text that it matches.
    let mut star: Option<(usize, usize)> = None;
    while at < text.len() {
        match pattern.get(of) {
            Some('*') => {
                star = Some((of, at));
                of += 1;
            }
            Some(char) if *char == '?' || *char == text[at] => (at, of) = (at + 1, of + 1),
            _ => {
                let Some((place, taken)) = star else { return false };
                star = Some((place, taken + 1));
                (at, of) = (taken + 1, place + 1);
            }
        }
    }
    pattern[of..].iter().all(|char| *char == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(list: &[&str]) -> Vec<&'static str> {
        let list: Vec<String> = list.iter().map(|entry| (*entry).to_owned()).collect();
        let filters = ToolFilters::new(&list);
        ["read_file", "read_secret", "write_file"].into_iter().filter(|tool| filters.allows(tool)).collect()
    }

    #[test]
    fn list_offers_allowed_and_not_excluded_tools() {
        assert_eq!(offered(&["*"]), ["read_file", "read_secret", "write_file"]);
        assert_eq!(offered(&["read_file"]), ["read_file"]);
        assert_eq!(offered(&["read_*"]), ["read_file", "read_secret"]);
        assert_eq!(offered(&["*_file"]), ["read_file", "write_file"]);
        assert_eq!(offered(&["?ead*"]), ["read_file", "read_secret"]);
        assert_eq!(offered(&["!read_secret"]), ["read_file", "write_file"]);
        assert_eq!(offered(&["read_*", "!*_secret"]), ["read_file"]);
        assert_eq!(offered(&["!*_file", "write_file"]), [""; 0]);
        assert_eq!(offered(&["Read_file"]), [""; 0]);
        assert_eq!(offered(&[]), [""; 0]);
        assert_eq!(offered(&["x", "*"]).len(), 3);
    }

    #[test]
    fn every_tool_is_offered_without_a_list() {
        let filters = ToolFilters::default();
        assert!(filters.allows("anything") && filters.is_open());
        let mut both = ToolFilters::new(&["read_*".to_owned()]);
        both.allow(vec!["*_file".to_owned()]);
        both.refuse(vec!["read_x_file".to_owned()]);
        assert!(both.allows("read_file") && !both.allows("read_secret") && !both.allows("write_file"));
        assert!(!both.allows("read_x_file") && !both.is_open());
    }

    #[test]
    fn many_stars_match_in_bounded_time() {
        assert!(!glob(&"*a".repeat(1_000), &"a".repeat(999)));
        assert!(glob("**", "") && glob("", "") && !glob("?", ""));
    }
}
