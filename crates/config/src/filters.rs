//! Which tools of a server are offered.

/// A list of names, patterns and `!` refusals. Without names or patterns every tool is offered but the
/// refused ones; an empty list offers none. A refusal wins over everything else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolFilters {
    /// Lists that each must let a tool pass.
    allowed: Vec<Vec<String>>,
    refused: Vec<String>,
}

impl ToolFilters {
    /// The filter that a list such as `["read_*", "!read_secret"]` is.
    pub fn new(list: &[String]) -> ToolFilters {
        let refused: Vec<String> =
            list.iter().filter_map(|entry| entry.strip_prefix('!')).map(str::to_owned).collect();
        let allowed: Vec<String> = list.iter().filter(|entry| !entry.starts_with('!')).cloned().collect();
        let names_any = !allowed.is_empty() || refused.is_empty();
        ToolFilters { allowed: if names_any { vec![allowed] } else { Vec::new() }, refused }
    }

    /// A tool has to pass this list of names and patterns as well.
    pub(crate) fn allow(&mut self, list: Vec<String>) {
        self.allowed.push(list);
    }

    /// These names and patterns are refused as well.
    pub(crate) fn refuse(&mut self, list: Vec<String>) {
        self.refused.extend(list);
    }

    /// A filter that passes what both pass.
    #[must_use]
    pub fn and(mut self, other: ToolFilters) -> ToolFilters {
        self.allowed.extend(other.allowed);
        self.refused.extend(other.refused);
        self
    }

    /// Whether a tool is offered. Names are compared exactly; `*` is any text, `?` one character.
    pub fn allows(&self, tool: &str) -> bool {
        let is_in = |list: &[String]| list.iter().any(|pattern| glob(pattern, tool));
        self.allowed.iter().all(|list| is_in(list)) && !is_in(&self.refused)
    }

    /// Whether a tool that has two names is offered: a refusal of either refuses it, a permission of either allows it.
    pub fn allows_either(&self, name: &str, other: &str) -> bool {
        let is_in = |list: &[String]| list.iter().any(|pattern| glob(pattern, name) || glob(pattern, other));
        self.allowed.iter().all(|list| is_in(list)) && !is_in(&self.refused)
    }

    /// Whether every tool is offered.
    pub fn is_open(&self) -> bool {
        self.refused.is_empty() && self.allowed.iter().all(|list| list.iter().any(|pattern| pattern == "*"))
    }

    /// The names without wildcards, of tools that should be there.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let all = self.allowed.iter().flatten().chain(&self.refused);
        all.map(String::as_str).filter(|entry| !entry.contains(['*', '?']))
    }
}

/// Whether a pattern takes a text; linear in both but for the last star.
pub(crate) fn glob(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut of) = (0, 0);
    // Where the last star is, and how far the text it stands for goes.
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
    fn a_list_offers_what_it_names_and_not_what_it_refuses() {
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
    fn without_a_list_every_tool_is_offered() {
        let filters = ToolFilters::default();
        assert!(filters.allows("anything") && filters.is_open());
        let mut both = ToolFilters::new(&["read_*".to_owned()]);
        both.allow(vec!["*_file".to_owned()]);
        both.refuse(vec!["read_x_file".to_owned()]);
        assert!(both.allows("read_file") && !both.allows("read_secret") && !both.allows("write_file"));
        assert!(!both.allows("read_x_file") && !both.is_open());
    }

    #[test]
    fn many_stars_do_not_take_for_ever() {
        assert!(!glob(&"*a".repeat(1_000), &"a".repeat(999)));
        assert!(glob("**", "") && glob("", "") && !glob("?", ""));
    }
}
