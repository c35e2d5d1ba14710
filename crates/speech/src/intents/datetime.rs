//! Date and time: "what time is it?", "what day is it today?".
//!
//! Not: "what time is it in Tokyo", "what time is the meeting", "what day is Christmas".

use super::{Tells, words_are};

/// Every supported question, without "today" at its end.
const QUESTIONS: &[(&str, Tells)] = &[
    ("what time is it", Tells::Time),
    ("what is the time", Tells::Time),
    ("whats the time", Tells::Time),
    ("what is the current time", Tells::Time),
    ("whats the current time", Tells::Time),
    ("tell me the time", Tells::Time),
    ("tell me what time it is", Tells::Time),
    ("do you have the time", Tells::Time),
    ("what is the date", Tells::Date),
    ("whats the date", Tells::Date),
    ("what is todays date", Tells::Date),
    ("whats todays date", Tells::Date),
    ("what is the current date", Tells::Date),
    ("tell me the date", Tells::Date),
    ("what date is it", Tells::Date),
    ("which date is it", Tells::Date),
    ("what day is it", Tells::Day),
    ("which day is it", Tells::Day),
    ("what day is today", Tells::Day),
    ("what day of the week is it", Tells::Day),
    ("what month is it", Tells::Month),
    ("which month is it", Tells::Month),
    ("what year is it", Tells::Year),
    ("which year is it", Tells::Year),
];

pub(super) fn read(words: &[String]) -> Option<Tells> {
    let words = match words.split_last() {
        Some((last, rest)) if last == "today" && !words_are(words, &["what", "day", "is", "today"]) => rest,
        _ => words,
    };
    let is = |question: &&(&str, Tells)| words.iter().map(String::as_str).eq(question.0.split(' '));
    QUESTIONS.iter().find(is).map(|(_, tells)| *tells)
}

impl Tells {
    /// The arguments for `get_current_datetime`.
    pub fn arguments(self) -> &'static str {
        match self {
            Tells::Time => r#"{"format":"It is %-I:%M %p."}"#,
            Tells::Date => r#"{"format":"Today is %A, %B %-d, %Y."}"#,
            Tells::Day => r#"{"format":"Today is %A."}"#,
            Tells::Month => r#"{"format":"It is %B."}"#,
            Tells::Year => r#"{"format":"It is %Y."}"#,
        }
    }

    /// The intent name in Hermes messages.
    pub fn name(self) -> &'static str {
        match self {
            Tells::Time => "GetTime",
            Tells::Date | Tells::Day | Tells::Month | Tells::Year => "GetDate",
        }
    }
}
