//! Names that may have been meant.

/// How alike a name must be.
const ALIKE: f64 = 0.6;
/// How many are told.
const TOLD: usize = 3;

/// The names most like this one, the nearest first; none when nothing is near.
pub fn nearest<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let wanted = wanted.to_lowercase();
    let mut alike: Vec<(f64, &str)> = names
        .into_iter()
        .map(|name| {
            let lower = name.to_lowercase();
            let begins = wanted.chars().count() >= 3 && lower.starts_with(&wanted);
            let near = strsim::normalized_damerau_levenshtein(&wanted, &lower);
            (if begins { near.max(ALIKE + 0.1) } else { near }, name)
        })
        .filter(|(near, _)| *near >= ALIKE)
        .collect();
    alike.sort_by(|(one, first), (other, second)| other.total_cmp(one).then(first.cmp(second)));
    alike.dedup_by(|(_, one), (_, other)| one == other);
    alike.into_iter().take(TOLD).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn what_was_meant_is_found_and_nothing_else() {
        let names = ["N4", "R10", "edit-old_str", "force-bool-coerce", "doctor", "dashboard"];
        for (wanted, meant) in [
            ("N44", vec!["N4"]),
            ("doctr", vec!["doctor"]),
            ("edit-old-str", vec!["edit-old_str"]),
            ("force", vec!["force-bool-coerce"]),
            ("zzzz", vec![]),
        ] {
            assert_eq!(nearest(wanted, names), meant, "{wanted}");
        }
    }
}
