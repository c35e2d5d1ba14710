//! Texts that look equal and are not: an accent may be part of its letter or follow it.
//!
//! `é` is one character or two (`e` and an accent). Keys are compared as they are written, so the two forms
//! differ; the message for an unknown parameter explains it.

/// Whether two different texts can be two Unicode forms of one: where one has a letter with combining marks,
/// the other has one letter outside of ASCII. The kind of accent is not compared.
pub(super) fn are_forms_of_one_text(one: &str, two: &str) -> bool {
    one != two && (composes(one, two) || composes(two, one))
}

/// Whether the second text can be the composed form of the first.
fn composes(apart: &str, together: &str) -> bool {
    let mut apart = apart.chars().peekable();
    let mut has_marks = false;
    for letter in together.chars() {
        let Some(base) = apart.next() else { return false };
        let mut marks = 0;
        while apart.next_if(|next| is_mark(*next)).is_some() {
            marks += 1;
        }
        let is_same = match marks {
            0 => base == letter,
            _ => !letter.is_ascii() && letter.is_alphabetic() && base.is_uppercase() == letter.is_uppercase(),
        };
        if !is_same {
            return false;
        }
        has_marks |= marks > 0;
    }
    has_marks && apart.next().is_none()
}

fn is_mark(char: char) -> bool {
    matches!(char, '\u{300}'..='\u{36f}')
}

#[cfg(test)]
mod tests {
    use super::are_forms_of_one_text;

    #[test]
    fn combining_accents_follow_their_letters() {
        assert!(are_forms_of_one_text("cafe\u{301}", "café"));
        assert!(are_forms_of_one_text("Übergröße", "U\u{308}bergro\u{308}ße"));
        for other in ["cafe", "cafe\u{301}", "cafés", "cofé"] {
            assert!(!are_forms_of_one_text("cafe\u{301}", other), "{other}");
        }
    }
}
