//! One flat name for every tool: what clients that know only names call it by.
//!
//! A name says where its tool is: `server__tool`, and `toolbox__server__tool` where toolboxes stand side by
//! side. It is made of its own three parts and of nothing else, so it stays when servers come and go. Parts
//! that would not fit, or that could be mistaken for others once they are joined, give a name that ends with
//! a hash of the whole identifier. Nobody takes a name apart: the way back is the table.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use sha2::{Digest, Sha256};

pub use crate::identifier::Identifier;

/// What model vendors take at most.
pub const MAX_NAME_CHARS: usize = 64;

/// What clients put before a name: ours as a server, in the longest form that is known.
pub const CLIENT_PREFIX: &str = "mcp__toolwright__";

/// The longest name unless somebody says otherwise: with the client's own prefix it still fits.
pub const DEFAULT_LIMIT: usize = MAX_NAME_CHARS - CLIENT_PREFIX.len();

/// The shortest limit; below it nothing readable would be left.
pub const MIN_LIMIT: usize = 32;

/// Between the parts. A part that holds it, or touches it with its own `_`, is never joined plainly.
const BETWEEN: &str = "__";

/// How many hexadecimal digits of the hash a name ends with.
const HASH_CHARS: usize = 10;

/// How many characters of a toolbox and of a server stay in a name that is too long: the tool's own says most.
const KEPT_TOOLBOX: usize = 6;
const KEPT_SERVER: usize = 10;

/// How names are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// What stands before a tool's own name.
    pub qualified: Qualified,
    /// The longest name, in characters; between [`MIN_LIMIT`] and [`MAX_NAME_CHARS`].
    pub limit: usize,
}

/// What stands before a tool's own name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Qualified {
    /// Toolbox and server; the toolbox `default` of a client's file is left out.
    ByToolbox,
    /// The server, for tools of one toolbox.
    ByServer,
}

/// The names of all tools, in both directions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlatNames {
    names: HashMap<Identifier, String>,
    tools: HashMap<String, Identifier>,
}

impl Style {
    /// For the tools of all toolboxes.
    pub fn all() -> Style {
        Style { qualified: Qualified::ByToolbox, limit: DEFAULT_LIMIT }
    }

    /// For the tools of one toolbox.
    pub fn one_toolbox() -> Style {
        Style { qualified: Qualified::ByServer, limit: DEFAULT_LIMIT }
    }

    /// The same with another limit.
    pub fn with_limit(self, limit: usize) -> Style {
        Style { limit, ..self }
    }
}

impl FlatNames {
    /// Names these tools. What is named twice has one name; the order does not matter.
    pub fn build(tools: impl IntoIterator<Item = Identifier>, style: Style) -> FlatNames {
        FlatNames::hashed_by(tools, style, digest)
    }

    /// The name of a tool.
    pub fn name_of(&self, tool: &Identifier) -> Option<&str> {
        self.names.get(tool).map(String::as_str)
    }

    /// The tool of a name.
    pub fn tool_of(&self, name: &str) -> Option<&Identifier> {
        self.tools.get(name)
    }

    /// How many tools have names.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    fn hashed_by(
        tools: impl IntoIterator<Item = Identifier>,
        style: Style,
        digest: impl Fn(&Identifier) -> String,
    ) -> FlatNames {
        let tools: BTreeSet<Identifier> = tools.into_iter().collect();
        let mut wanted: HashMap<String, Vec<&Identifier>> = HashMap::with_capacity(tools.len());
        for tool in &tools {
            wanted.entry(name(tool, style, &digest(tool), HASH_CHARS)).or_default().push(tool);
        }
        let mut flat = FlatNames::default();
        let mut clashing = Vec::new();
        for (name, mut tools) in wanted {
            match tools[..] {
                [tool] => flat.put(tool.clone(), name),
                _ => clashing.append(&mut tools),
            }
        }
        // Two hashes that begin alike. Neither keeps the short name: it would be the other's as well.
        clashing.sort_unstable();
        for tool in clashing {
            let digest = digest(tool);
            let longer = (HASH_CHARS + 1..=digest.len().min(MIN_LIMIT - 1))
                .map(|chars| name(tool, style, &digest, chars))
                .find(|name| !flat.tools.contains_key(name));
            // Digests that are equal to the end: counted, in the order of the identifiers.
            let name = longer.unwrap_or_else(|| counted(&flat, &digest, tool, style));
            flat.put(tool.clone(), name);
        }
        flat
    }

    fn put(&mut self, tool: Identifier, name: String) {
        self.tools.insert(name.clone(), tool.clone());
        self.names.insert(tool, name);
    }
}

/// The name that an identifier has by itself.
fn name(tool: &Identifier, style: Style, digest: &str, hash_chars: usize) -> String {
    let limit = style.limit.clamp(MIN_LIMIT, MAX_NAME_CHARS);
    let parts = parts(tool, style.qualified);
    let plain = parts.join(BETWEEN);
    let is_plain = parts.iter().all(|part| is_plain_part(part)) && !ends_like_a_hash(&plain);
    if is_plain && plain.len() <= limit && hash_chars == HASH_CHARS {
        return plain;
    }
    let hash = &digest[..hash_chars.min(digest.len())];
    let room = limit - hash.len() - 1;
    format!("{}_{hash}", head(&parts, room))
}

fn counted(flat: &FlatNames, digest: &str, tool: &Identifier, style: Style) -> String {
    let mut count = 1u64;
    loop {
        let digest = format!("{count:x}{digest}");
        let name = name(tool, style, &digest, HASH_CHARS + 1);
        if !flat.tools.contains_key(&name) {
            return name;
        }
        count += 1;
    }
}

fn parts(tool: &Identifier, qualified: Qualified) -> Vec<&str> {
    let in_toolbox = [tool.server.as_str(), tool.name.as_str()];
    match qualified {
        Qualified::ByToolbox if tool.toolbox != toolwright_config::DEFAULT_TOOLBOX => {
            [&[tool.toolbox.as_str()][..], &in_toolbox[..]].concat()
        }
        Qualified::ByToolbox | Qualified::ByServer => in_toolbox.to_vec(),
    }
}

/// Whether a part can be joined with others and be seen as itself.
fn is_plain_part(part: &str) -> bool {
    !part.is_empty()
        && part.bytes().all(is_allowed)
        && !part.contains(BETWEEN)
        && !part.starts_with('_')
        && !part.ends_with('_')
}

/// Whether a name could be taken for one with a hash: then it gets one.
fn ends_like_a_hash(name: &str) -> bool {
    let hex = name.bytes().rev().take_while(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')).count();
    hex >= HASH_CHARS && (hex == name.len() || name.as_bytes()[name.len() - hex - 1] == b'_')
}

/// As much of the parts as there is room for, in letters that are allowed.
fn head(parts: &[&str], room: usize) -> String {
    let clean: Vec<String> = parts.iter().map(|part| cleaned(part)).collect();
    let whole = clean.join(BETWEEN);
    if whole.len() <= room {
        return whole;
    }
    let kept: &[usize] = if parts.len() == 3 { &[KEPT_TOOLBOX, KEPT_SERVER] } else { &[KEPT_SERVER] };
    let mut head = String::new();
    for (part, kept) in clean.iter().zip(kept) {
        head.push_str(cut(part, *kept));
        head.push_str(BETWEEN);
    }
    let last = clean.last().map(String::as_str).unwrap_or_default();
    let left = room.saturating_sub(head.len());
    head.push_str(cut(last, left));
    cut(&head, room).to_owned()
}

/// Other letters become `_`, several in a row one; what is left of nothing is `x`.
fn cleaned(part: &str) -> String {
    let mut clean = String::with_capacity(part.len());
    for c in part.chars() {
        let allowed = u8::try_from(c).ok().filter(|byte| is_allowed(*byte)).map_or('_', char::from);
        if allowed != '_' || !clean.ends_with('_') {
            clean.push(allowed);
        }
    }
    match clean.trim_matches('_') {
        "" => "x".to_owned(),
        trimmed => trimmed.to_owned(),
    }
}

/// The beginning of a text of allowed letters.
fn cut(text: &str, chars: usize) -> &str {
    &text[..chars.min(text.len())]
}

fn is_allowed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// A hash of all three parts and of where each ends.
fn digest(tool: &Identifier) -> String {
    let mut hasher = Sha256::new();
    for part in [&tool.toolbox, &tool.server, &tool.name] {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().iter().fold(String::with_capacity(64), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn one(toolbox: &str, server: &str, name: &str) -> String {
        let tool = Identifier::new(toolbox, server, name);
        let names = FlatNames::build([tool.clone()], Style::all());
        names.name_of(&tool).expect("it is named").to_owned()
    }

    #[test]
    fn plain_parts_are_joined() {
        assert_eq!(one("default", "filesystem", "read_file"), "filesystem__read_file");
        assert_eq!(one("dev", "brave-search", "web"), "dev__brave-search__web");
        let tool = Identifier::new("dev", "fs", "read");
        let names = FlatNames::build([tool.clone()], Style::one_toolbox());
        assert_eq!(names.name_of(&tool), Some("fs__read"));
        assert_eq!(names.tool_of("fs__read"), Some(&tool));
        assert_eq!(names.tool_of("dev__fs__read"), None);
    }

    #[test]
    fn what_could_be_mistaken_or_does_not_fit_ends_with_a_hash() {
        let hashed = |text: &str| ends_like_a_hash(text);
        for (toolbox, server, name) in [
            ("default", "a", "b__c"),
            ("default", "a_", "b"),
            ("default", "a", "_b"),
            ("t", "files", "räd"),
            ("t", "s", "read.file"),
            ("t", "s", ""),
            ("t", "", "x"),
            ("t", "s", "💥"),
            ("t", "s", "x_0123456789"),
            ("a-rather-long-toolbox", "a-server-with-a-long-name", "a_tool_whose_name_goes_on_and_on"),
        ] {
            let name = one(toolbox, server, name);
            assert!(hashed(&name), "{name}");
            assert!(name.len() <= DEFAULT_LIMIT, "{name}");
        }
        let long = one("a-rather-long-toolbox", "a-server-with-a-long-name", "query_everything_there_is");
        assert!(long.starts_with("a-rath__a-server-w__query_everything"), "{long}");
        // The same in every version of the program: clients remember names.
        assert_eq!(
            one("t", "s", "read.file"),
            format!("t__s__read_file_{}", &digest(&Identifier::new("t", "s", "read.file"))[..10])
        );
        assert_eq!(digest(&Identifier::new("", "", ""))[..10], *"9d908ecfb6");
    }

    #[test]
    fn the_default_leaves_room_for_the_prefix_of_a_client() {
        assert_eq!(DEFAULT_LIMIT, 47);
        assert_eq!(CLIENT_PREFIX.len() + DEFAULT_LIMIT, MAX_NAME_CHARS);
        let tool = Identifier::new("default", "server", "t".repeat(100));
        for (limit, longest) in [(0, MIN_LIMIT), (40, 40), (1000, MAX_NAME_CHARS)] {
            let names = FlatNames::build([tool.clone()], Style::all().with_limit(limit));
            assert_eq!(names.name_of(&tool).map(str::len), Some(longest));
        }
    }

    #[test]
    fn hashes_that_meet_give_nobody_the_name_of_another() {
        let tools: Vec<Identifier> =
            (0..40).map(|at| Identifier::new("t", "server", format!("tool.{}", "x".repeat(at)))).collect();
        let same = |_: &Identifier| "0".repeat(64);
        let begins =
            |tool: &Identifier| format!("{}{:02x}{}", "0".repeat(10), tool.name.len(), "0".repeat(52));
        for names in [
            FlatNames::hashed_by(tools.clone(), Style::all(), same),
            FlatNames::hashed_by(tools.clone(), Style::all(), begins),
        ] {
            assert_eq!(names.len(), tools.len());
            for tool in &tools {
                let name = names.name_of(tool).expect("it is named");
                assert_eq!(names.tool_of(name), Some(tool));
                assert!(name.len() <= DEFAULT_LIMIT);
            }
        }
    }

    fn any_part() -> impl Strategy<Value = String> {
        prop_oneof![
            "[a-c_]{0,4}",
            "[a-z][a-z0-9_-]{0,30}",
            "\\PC{0,12}",
            "[a-f0-9_]{8,14}",
            Just("default".to_owned())
        ]
    }

    fn any_tool() -> impl Strategy<Value = Identifier> {
        let parts = (any_part(), any_part(), any_part());
        parts.prop_map(|(toolbox, server, name)| Identifier::new(toolbox, server, name))
    }

    fn any_style() -> impl Strategy<Value = Style> {
        let qualified = prop_oneof![Just(Qualified::ByToolbox), Just(Qualified::ByServer)];
        (qualified, 0usize..80).prop_map(|(qualified, limit)| Style { qualified, limit })
    }

    proptest! {
        #[test]
        fn names_are_allowed_short_unique_and_lead_back(
            tools in prop::collection::vec(any_tool(), 0..40), style in any_style(),
        ) {
            let names = FlatNames::build(tools.clone(), style);
            let distinct: BTreeSet<&Identifier> = tools.iter().collect();
            prop_assert_eq!(names.len(), distinct.len());
            for tool in distinct {
                let name = names.name_of(tool).expect("it is named");
                prop_assert!(!name.is_empty() && name.bytes().all(is_allowed), "{}", name);
                prop_assert!(name.len() <= style.limit.clamp(MIN_LIMIT, MAX_NAME_CHARS), "{}", name);
                prop_assert_eq!(names.tool_of(name), Some(tool));
            }
        }

        #[test]
        fn names_stay_when_others_come(
            mut tools in prop::collection::vec(any_tool(), 1..20),
            mut more in prop::collection::vec(any_tool(), 0..20),
            style in any_style(),
        ) {
            if style.qualified == Qualified::ByServer {
                tools.iter_mut().chain(&mut more).for_each(|tool| tool.toolbox = "one".to_owned());
            }
            let before = FlatNames::build(tools.clone(), style);
            // In another order, and among others.
            let after = FlatNames::build(more.into_iter().chain(tools.iter().rev().cloned()), style);
            for tool in &tools {
                prop_assert_eq!(before.name_of(tool), after.name_of(tool));
            }
        }
    }
}
