//! Every sentence for people is speakable: short, complete, without codes.

use toolwright_agent::AskErrorKind;

#[test]
fn every_failure_has_a_sentence_that_can_be_spoken() {
    use AskErrorKind::{Broken, Busy, Invalid, Key, NoModel, NoTool, Slow, TooLarge};
    let mut events = String::new();
    for kind in [NoModel, NoTool, Key, Busy, Slow, TooLarge, Broken, Invalid] {
        let sentence = kind.sentence();
        assert!(sentence.chars().count() < 300 && sentence.ends_with('.'), "{sentence}");
        assert!(!sentence.contains(|c: char| c.is_ascii_digit() || "{}[]<>_/\\`:".contains(c)), "{sentence}");
        assert!(!sentence.contains("port") && !sentence.contains("HTTP"), "{sentence}");
        events.push_str(&format!("{}: {sentence}\n", kind.word()));
    }
    insta::assert_snapshot!(events);
}
