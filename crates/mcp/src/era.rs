//! The two eras of the protocol and their revisions.

/// How a server is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// `initialize` first, then requests that build on it.
    Legacy,
    /// Every request says everything by itself.
    Modern,
}

/// Revisions that begin with `initialize`, the newest first.
pub const LEGACY_REVISIONS: &[&str] = &["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// Revisions without state, the newest first.
pub const MODERN_REVISIONS: &[&str] = &["2026-07-28"];

/// The newest of our revisions that the server lists.
pub(crate) fn newest<'r>(ours: &'r [&'r str], theirs: &[String]) -> Option<&'r str> {
    ours.iter().find(|revision| theirs.iter().any(|other| other == *revision)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_common_revision_is_taken() {
        let theirs = ["2024-11-05".to_owned(), "2025-06-18".to_owned(), "2030-01-01".to_owned()];
        assert_eq!(newest(LEGACY_REVISIONS, &theirs), Some("2025-06-18"));
        assert_eq!(newest(MODERN_REVISIONS, &theirs), None);
    }
}
