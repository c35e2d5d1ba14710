//! Line endings: which kind a text has, and fitting another text to it.

use std::borrow::Cow;

/// The line endings of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Endings {
    /// No line ends.
    None,
    /// Every line ends in `\n`.
    Lf,
    /// Every line ends in `\r\n`.
    CrLf,
    /// Some of each.
    Mixed,
}

impl Endings {
    /// Finds out which endings `text` has.
    pub(super) fn of(text: &str) -> Self {
        let all = text.matches('\n').count();
        let windows = text.matches("\r\n").count();
        match (all, windows) {
            (0, _) => Endings::None,
            (_, 0) => Endings::Lf,
            (all, windows) if all == windows => Endings::CrLf,
            _ => Endings::Mixed,
        }
    }

    /// Gives `text` these endings. Texts for a file without one kind of its own stay as they are.
    pub(super) fn fit(self, text: &str) -> Cow<'_, str> {
        match self {
            Endings::Lf if text.contains("\r\n") => Cow::Owned(text.replace("\r\n", "\n")),
            Endings::CrLf if text.contains('\n') => {
                Cow::Owned(text.replace("\r\n", "\n").replace('\n', "\r\n"))
            }
            _ => Cow::Borrowed(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Endings;

    #[test]
    fn the_kind_is_found() {
        for (text, kind) in [
            ("", Endings::None),
            ("a\rb", Endings::None),
            ("a\n", Endings::Lf),
            ("a\r\nb\r\n", Endings::CrLf),
            ("a\r\nb\n", Endings::Mixed),
        ] {
            assert_eq!(Endings::of(text), kind, "{text:?}");
        }
    }

    #[test]
    fn fitting_twice_is_fitting_once() {
        for text in ["a\nb", "a\r\nb\n", "\r\r\n", "x"] {
            for kind in [Endings::None, Endings::Lf, Endings::CrLf, Endings::Mixed] {
                let once = kind.fit(text).into_owned();
                if kind != Endings::Lf {
                    assert_eq!(kind.fit(&once), once.as_str());
                }
            }
        }
        assert_eq!(Endings::CrLf.fit("a\nb\r\nc"), "a\r\nb\r\nc");
        assert_eq!(Endings::Lf.fit("a\nb\r\nc"), "a\nb\nc");
    }
}
