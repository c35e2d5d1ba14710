//! Recognition of yes and no.

use crate::words::words_of;

/// The interpretation of an answer to a yes-or-no question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A plain yes.
    Yes,
    /// A plain no.
    No,
    /// It starts like an answer but continues: "yes, but tomorrow".
    Both,
    /// Something else.
    Other,
}

const YES: &[&str] = &[
    "yes",
    "yes please",
    "yeah",
    "yep",
    "yup",
    "sure",
    "yes sure",
    "ok",
    "okay",
    "yes do it",
    "do it",
    "please do",
    "confirm",
    "confirmed",
    "i confirm",
    "go ahead",
    "yes go ahead",
    "correct",
    "affirmative",
    "of course",
    "yes of course",
    "yes yes",
    "absolutely",
    "yes i do",
    "yes i am sure",
    "i am sure",
    "im sure",
    "yes im sure",
];
const NO: &[&str] = &[
    "no",
    "no thanks",
    "no thank you",
    "nope",
    "nah",
    "dont",
    "do not",
    "no dont",
    "no do not",
    "dont do it",
    "no dont do it",
    "do not do it",
    "stop",
    "cancel",
    "no stop",
    "no cancel",
    "never mind",
    "nevermind",
    "forget it",
    "abort",
    "leave it",
    "no leave it",
    "no no",
    "please dont",
    "cancel that",
    "not now",
    "no not now",
];
/// A sentence with one of these as its first word refers to the question.
const BEGINNINGS: &[&str] =
    &["yes", "yeah", "yep", "sure", "ok", "okay", "no", "nope", "maybe", "perhaps", "confirm"];

/// Interprets an answer.
pub fn reply_of(text: &str) -> Reply {
    let words = words_of(text);
    let spoken = words.join(" ");
    if YES.contains(&spoken.as_str()) {
        Reply::Yes
    } else if NO.contains(&spoken.as_str()) {
        Reply::No
    } else if words.first().is_some_and(|first| BEGINNINGS.contains(&first.as_str())) {
        Reply::Both
    } else {
        Reply::Other
    }
}
