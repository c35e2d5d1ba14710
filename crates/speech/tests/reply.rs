//! Recognition of yes and no (T23).

use toolwright_speech::{Reply, reply_of};

#[test]
fn only_a_plain_yes_is_a_yes() {
    for yes in ["yes", "Yes!", "yes, please", "Yeah.", "okay", "do it", "go ahead", "Sure"] {
        assert_eq!(reply_of(yes), Reply::Yes, "{yes}");
    }
    for no in ["no", "No, thanks.", "stop", "cancel", "don't do it", "never mind", "not now"] {
        assert_eq!(reply_of(no), Reply::No, "{no}");
    }
    for both in [
        "yes, but tomorrow",
        "yes no",
        "no yes",
        "yes turn off everything",
        "okay what time is it",
        "no wait",
        "maybe",
    ] {
        assert_eq!(reply_of(both), Reply::Both, "{both}");
    }
    for other in
        ["what time is it", "did you say yes", "the answer is yes", "", "yesterday", "not yes", "oh yes"]
    {
        assert_eq!(reply_of(other), Reply::Other, "{other}");
    }
}
