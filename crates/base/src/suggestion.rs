//! "Did you mean" suggestions: the known names closest to a wrong one.
//!
//! One metric everywhere: the keystrokes between two names (optimal string alignment distance), ignoring case and
//! separators. Up to one keystroke in three letters is a typing mistake; more is another name. The work is bounded,
//! because models and other programs send the names.

/// Longer names are not compared: they are not misspellings of a known name.
const MAX_COMPARED_BYTES: usize = 128;

/// How many names are compared letter by letter, in time proportional to the product of both lengths. The others are
/// ruled out beforehand in time proportional to the sum.
const MAX_DISTANCES: usize = 32;

/// The number of names that are suggested.
const MAX_SUGGESTIONS: usize = 3;

/// A prefix of a name counts as that name from this many letters on.
const MIN_PREFIX_LETTERS: usize = 3;

/// The known name closest to a wrong one; `None` if no name is close.
pub fn closest_name<'n>(wrong: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    closest_names(wrong, known).into_iter().next()
}

/// Up to three known names close to a wrong one, the closest first. A name that starts with the wrong one is close
/// too.
pub fn closest_names<'n>(wrong: &str, known: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let folded = fold_name(wrong);
    if folded.is_empty() || wrong.len() > MAX_COMPARED_BYTES {
        return Vec::new();
    }
    let letters = folded.chars().count();
    let has_prefix = |name: &str| letters >= MIN_PREFIX_LETTERS && name.starts_with(&folded);
    let names = known.into_iter().filter(|name| name.len() <= MAX_COMPARED_BYTES);
    let names = names.map(|name| (fold_name(name), name));
    let closeness = |apart: usize, (name, _): &(String, &'n str)| match is_slip(apart, &folded, name) {
        true => Some(apart),
        // Farther away than any typing mistake in a name of this length.
        false => has_prefix(name).then(|| name.chars().count() / 3 + 1),
    };
    let mut found = closest_by(
        names,
        |name| closeness(letters_apart(&folded, &name.0), name),
        |name| Some((closeness(keystrokes_apart(&folded, &name.0), name)?, !has_prefix(&name.0), name.1)),
        MAX_DISTANCES,
    );
    found.dedup_by(|one, other| one.1 == other.1);
    found.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| name).collect()
}

/// Up to `at_most` candidates, the closest first. The estimate must be cheap: only the candidates that are closest by
/// it are compared exactly. A candidate for which either returns `None` is left out.
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

/// The number of keystrokes that turn one text into the other: missing, extra, wrong and swapped letters.
pub fn keystrokes_apart(one: &str, other: &str) -> usize {
    strsim::osa_distance(one, other)
}

/// Whether a distance may be a typing mistake in names of this length.
pub fn is_slip(apart: usize, one: &str, other: &str) -> bool {
    apart * 3 <= one.chars().count().max(other.chars().count())
}

/// The name without case and separators.
pub fn fold_name(name: &str) -> String {
    name.chars().filter(|char| !matches!(char, '_' | '-' | ' ' | '.')).flat_map(char::to_lowercase).collect()
}

/// The number of letters that one text has and the other lacks. It is a lower bound of [`keystrokes_apart`], found in
/// one pass over each text.
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
    fn typo_is_matched_and_another_name_is_not() {
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
    fn prefix_is_close_and_typo_is_closer() {
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
    fn match_is_found_among_many_names() {
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
