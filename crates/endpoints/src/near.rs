//! Which tools a flat name may have meant that is none: by what people read in a name, not by its hash.

use toolwright_base::{closest_by, is_slip, keystrokes_apart, letters_apart};
use toolwright_toolbox::naming::{CLIENT_PREFIX, Identifier};

/// How many are told.
const TOLD: usize = 3;

/// How long a name may be to be compared, in bytes.
const LONGEST: usize = 128;

/// Up to three flat names of the tools that are most like the one sent, the nearest first: by the tool's own
/// name, then by where it is. Tools whose own name is another altogether are left out.
pub(crate) fn nearest<'t>(sent: &str, tools: impl Iterator<Item = (&'t str, &'t Identifier)>) -> Vec<String> {
    if sent.len() > LONGEST {
        return Vec::new();
    }
    let sent = sent.strip_prefix(CLIENT_PREFIX).unwrap_or(sent).to_lowercase();
    let candidates = tools.filter(|(_, tool)| tool.name.len() <= LONGEST).map(|(flat, tool)| {
        let name = tool.name.to_lowercase();
        let (place, own) = parted(&sent, &name);
        Candidate { flat, tool, place, own, name }
    });
    let near = closest_by(
        candidates,
        |tool| Some((tool.likeness(letters_apart(tool.own, &tool.name))?, tool.flat)),
        |tool| {
            let apart = tool.likeness(keystrokes_apart(tool.own, &tool.name))?;
            Some((apart, tool.place_apart(), tool.flat))
        },
        TOLD,
    );
    near.into_iter().map(|tool| tool.flat.to_owned()).collect()
}

/// A tool that may have been meant, with what was sent as a place and a name of its own.
struct Candidate<'s, 't> {
    flat: &'t str,
    tool: &'t Identifier,
    place: &'s str,
    own: &'s str,
    name: String,
}

impl Candidate<'_, '_> {
    /// So many keystrokes, when the name may be meant at that distance.
    fn likeness(&self, apart: usize) -> Option<usize> {
        (is_slip(apart, self.own, &self.name) || share_a_word(self.own, &self.name)).then_some(apart)
    }

    fn place_apart(&self) -> usize {
        let (toolbox, server) = (self.tool.toolbox.to_lowercase(), self.tool.server.to_lowercase());
        let whole = format!("{toolbox}__{server}");
        keystrokes_apart(self.place, &whole).min(keystrokes_apart(self.place, &server))
    }
}

/// What was sent, as a place and a tool's own name: that may hold what stands between the parts.
fn parted<'s>(sent: &'s str, name: &str) -> (&'s str, &'s str) {
    let within = name.matches("__").count();
    match sent.rmatch_indices("__").nth(within) {
        Some((at, between)) => (&sent[..at], &sent[at + between.len()..]),
        None => ("", sent),
    }
}

/// Whether two names have a word in common that says something.
fn share_a_word(one: &str, other: &str) -> bool {
    let words = |name: &str| -> Vec<String> {
        let words = name.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| word.chars().count() > 2).map(str::to_owned).collect()
    };
    let others = words(other);
    words(one).iter().any(|word| others.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(sent: &str) -> Vec<String> {
        let tools = [
            ("A__a1__sp_ace_7430000000", Identifier::new("A", "a1", "sp ace")),
            ("A__a1__xxxx_1bbeaab4a5", Identifier::new("A", "a1", "x".repeat(70))),
            ("d1__n_1bbeaab4a5", Identifier::new("default", "d1", "n\u{e4}\u{e4}")),
            ("d1__read_file", Identifier::new("default", "d1", "read_file")),
            ("d1__write_file", Identifier::new("default", "d1", "write_file")),
            ("d1__copy_file", Identifier::new("default", "d1", "copy_file")),
            ("d1__echo", Identifier::new("default", "d1", "echo")),
            ("A__a1__echo", Identifier::new("A", "a1", "echo")),
            ("B__b1__who", Identifier::new("B", "b1", "who")),
            ("B__b1__a__b_0000000000", Identifier::new("B", "b1", "left__right")),
        ];
        nearest(sent, tools.iter().map(|(flat, tool)| (*flat, tool)))
    }

    #[test]
    fn the_nearest_come_first_and_what_is_unlike_not_at_all() {
        assert_eq!(near("A__a1__ech"), ["A__a1__echo", "d1__echo"]);
        assert_eq!(near("mcp__toolwright__A__a1__ech"), ["A__a1__echo", "d1__echo"]);
        assert_eq!(near("d1__ecko"), ["d1__echo", "A__a1__echo"]);
        assert_eq!(near("d1__who"), ["B__b1__who"]);
        assert_eq!(near("b1__left__rigth"), ["B__b1__a__b_0000000000"]);
        assert_eq!(near("d1__READ_FILES").first().map(String::as_str), Some("d1__read_file"));
        assert_eq!(near("d1__stat_file").len(), 3);
        assert!(near("d1__paint").is_empty());
        assert!(near("").is_empty());
        assert!(near(&"echo".repeat(100)).is_empty());
    }

    #[test]
    fn the_nearest_of_many_is_found_within_the_bound() {
        let named = |at: usize| format!("tool_{at:04}_{}", "x".repeat(20));
        let tools: Vec<(String, Identifier)> = (0..2_000)
            .map(|at| (format!("s__{}", named(at)), Identifier::new("default", "s", named(at))))
            .collect();
        let sent = format!("s__tool_1320_{}", "x".repeat(19));
        let found = nearest(&sent, tools.iter().map(|(flat, tool)| (flat.as_str(), tool)));
        assert_eq!(found.first(), Some(&tools[1320].0));
    }
}
