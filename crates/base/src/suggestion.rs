//! Which known names a wrong one may have been meant as: "did you mean".
//!
//! One metric everywhere: the keystrokes between two names (optimal string alignment), without case and separators. One slip in every three letters is a typing mistake; more is another
//! name. The work is bounded, because models and other programs send the names.

/// Longer names are not compared: no known one is mistyped into them.
const MAX_COMPARED_BYTES: usize = 128;

/// How many names are compared letter by letter, which takes time by the product of two lengths. The others are sorted
/// out by what takes time by their sum.
const MAX_DISTANCES: usize = 32;

/// How many names are suggested.
const SUGGESTIONS: usize = 3;

/// A beginning of a name counts as meant for it from this many letters on.
const MIN_BEGINNING: usize = 3;

/// The known name that is closest to a wrong one; nothing when none is close.
pub fn closest_name<'n>(wrong: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    closest_names(wrong, known).into_iter().next()
}

/// Up to three known names that are close to a wrong one, the closest first. A name that starts with the wrong one is
/// close too.
pub fn closest_names<'n>(wrong: &str, known: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let folded = fold_name(wrong);
    if folded.is_empty() || wrong.len() > MAX_COMPARED_BYTES {
        return Vec::new();
    }
    let letters = folded.chars().count();
    let begins = |name: &str| letters >= MIN_BEGINNING && name.starts_with(&folded);
    let names = known.into_iter().filter(|name| name.len() <= MAX_COMPARED_BYTES);
    let names = names.map(|name| (fold_name(name), name));
    let near = |apart: usize, (name, _): &(String, &'n str)| match is_slip(apart, &folded, name) {
        true => Some(apart),
        // Farther than any slip in names of this length.
        false => begins(name).then(|| name.chars().count() / 3 + 1),
    };
    let mut found = closest_by(
        names,
        |name| near(letters_apart(&folded, &name.0), name),
        |name| Some((near(keystrokes_apart(&folded, &name.0), name)?, !begins(&name.0), name.1)),
        MAX_DISTANCES,
    );
    found.dedup_by(|one, other| one.1 == other.1);
    found.into_iter().take(SUGGESTIONS).map(|(_, name)| name).collect()
}

/// Up to so many candidates, the closest first. The estimate must be cheap: only those that are closest by it are compared
/// exactly. A candidate for which either gives nothing is left out.
pub fn closest_by<T, E: Ord, D: Ord>(
    candidates: impl IntoIterator<Item = T>,
    estimate: impl Fn(&T) -> Option<E>,
    distance: impl Fn(&T) -> Option<D>,
    at_most: usize,
) -> Vec<T> {
    let likely = candidates.into_iter().filter_map(|candidate| Some((estimate(&candidate)?, candidate)));
    let mut likely: Vec<(E, T)> = likely.collect();
    likely.sort_by(|(one, _), (other, _)| one.cmp(other));
    likely.truncate(MAX_DISTANCES);
    let close = likely.into_iter().filter_map(|(_, candidate)| Some((distance(&candidate)?, candidate)));
    let mut close: Vec<(D, T)> = close.collect();
    close.sort_by(|(one, _), (other, _)| one.cmp(other));
    close.into_iter().take(at_most).map(|(_, candidate)| candidate).collect()
}

/// How many keystrokes make one text the other: letters that are missing, too many, wrong or swapped.
pub fn keystrokes_apart(one: &str, other: &str) -> usize {
    strsim::osa_distance(one, other)
}

/// Whether so few keystrokes may be a slip in names of this length.
pub fn is_slip(apart: usize, one: &str, other: &str) -> bool {
    apart * 3 <= one.chars().count().max(other.chars().count())
}

/// A name without case and separators.
pub fn fold_name(name: &str) -> String {
    name.chars().filter(|char| !matches!(char, '_' | '-' | ' ' | '.')).flat_map(char::to_lowercase).collect()
}

/// How many letters one of two texts has and the other lacks. Never more than the keystrokes between them, and found in
/// one pass over each.
pub fn letters_apart(one: &str, other: &str) -> usize {
    let mut counts = [0_i32; 64];
    let place = |letter: char| (letter as usize) & 63;
    one.chars().for_each(|letter| counts[place(letter)] += 1);
    other.chars().for_each(|letter| counts[place(letter)] -= 1);
    let more: i32 = counts.iter().filter(|count| **count > 0).sum();
    let fewer: i32 = counts.iter().filter(|count| **count < 0).sum();
    more.max(-fewer) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_seen_and_another_name_is_not() {
        let keys = ["command", "args", "env", "url", "toolFilters"];
        for (wrong, name) in [
            ("comand", Some("command")),
            ("Command", Some("command")),
            ("tool_filters", Some("toolFilters")),
            ("arg", Some("args")),
            ("port", None),
            ("", None),
        ] {
            assert_eq!(closest_name(wrong, keys), name, "{wrong}");
        }
        assert_eq!(closest_name(&"command".repeat(20), keys), None);
        let programs = ["npx", "node", "python3", "uvx", "sh"];
        for (wrong, name) in [
            ("npxx", Some("npx")),
            ("python", Some("python3")),
            ("nodee", Some("node")),
            ("no-such-program", None),
            ("ls", None),
        ] {
            assert_eq!(closest_name(wrong, programs), name, "{wrong}");
        }
    }

    #[test]
    fn a_beginning_is_close_and_a_slip_is_closer() {
        let names = ["N4", "R10", "edit-old_str", "force-bool-coerce", "doctor", "dashboard"];
        for (wrong, close) in [
            ("N44", vec!["N4"]),
            ("doctr", vec!["doctor"]),
            ("edit-old-str", vec!["edit-old_str"]),
            ("force", vec!["force-bool-coerce"]),
            ("zzzz", vec![]),
        ] {
            assert_eq!(closest_names(wrong, names), close, "{wrong}");
        }
        assert_eq!(closest_names("read", ["read_file", "raed", "read_file"]), ["raed", "read_file"]);
    }

    #[test]
    fn the_right_one_of_many_is_found_within_the_bound() {
        let names: Vec<String> = (0..2_000).map(|at| format!("tool_{at:04}_{}", "x".repeat(20))).collect();
        let wrong = format!("tool_1320_{}", "x".repeat(19));
        let found = closest_name(&wrong, names.iter().map(String::as_str));
        assert_eq!(found, Some(names[1320].as_str()));
    }

    #[test]
    fn letters_are_counted_on_both_sides() {
        assert_eq!(letters_apart("read", "raed"), 0);
        assert_eq!(letters_apart("read", "reads"), 1);
        assert_eq!(letters_apart("abc", "xyz"), 3);
        assert_eq!(letters_apart("grün", "grun"), 1);
    }
}
