//! Every answer is speakable (U20).

use toolwright_speech::{MAX_SPOKEN_CHARS, Sentences, speakable, speakable_failure};

#[test]
fn markup_becomes_speakable_text() {
    for (text, spoken) in [
        ("The lamp is on", "The lamp is on."),
        ("  It is **very** warm: 21.5 °C!  ", "It is very warm: 21.5 °C."),
        ("# Weather\n- Sun in the morning\n- Rain *later*", "Weather. Sun in the morning. Rain later."),
        ("1. Open the box\n2. Take it out", "Open the box. Take it out."),
        ("Done! 🎉🎉", "Done."),
        ("See [the manual](https://example.org/x?y=1) for more.", "See the manual for more."),
        ("Look at https://example.org/a/b.", "Look at a link."),
        ("Use `control_zwave_device` for it.", "Use control zwave device for it."),
        ("It works.\n```\nlet x = 1;\n```\nTry it.", "It works. Try it."),
        ("<b>Yes</b>, it is.", "Yes, it is."),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "a, b. 1, 2."),
        ("Shall I turn it on?", "Shall I turn it on?"),
        ("Really?!", "Really?"),
        ("It is 10:30 p.m. on 3/4.", "It is 10:30 p.m. on 3/4."),
        ("Dr. Smith said “hello” — twice…", "Dr. Smith said \"hello\" - twice."),
        ("connect ECONNREFUSED 127.0.0.1:1883. The lamp is off.", "The lamp is off."),
        ("TypeError: x is undefined", "I have an answer, but it cannot be said aloud."),
        ("", "I have an answer, but it cannot be said aloud."),
        ("🎉", "I have an answer, but it cannot be said aloud."),
        ("The port of Hamburg is large.", "The port of Hamburg is large."),
        ("It listens on port 1883. That is all.", "That is all."),
        ("Das Wetter ist schön.", "Das Wetter ist schön."),
        ("今天很好。明天也好。", "今天很好. 明天也好."),
    ] {
        assert_eq!(speakable(text), spoken, "{text}");
    }
}

#[test]
fn failures_omit_ports_and_codes() {
    for (text, spoken) in [
        ("The broker on port 1883 did not answer.", "That did not work."),
        (
            "The Z-Wave service is currently unavailable. Please check the port.",
            "The Z-Wave service is currently unavailable.",
        ),
        ("connect ECONNREFUSED", "That did not work."),
        ("The device \"Porch\" was not found.", "The device \"Porch\" was not found."),
    ] {
        assert_eq!(speakable_failure(text), spoken, "{text}");
    }
}

#[test]
fn long_answers_end_behind_a_sentence() {
    let long = "This is one sentence of it. ".repeat(40);
    let spoken = speakable(&long);
    assert!(spoken.chars().count() <= MAX_SPOKEN_CHARS && spoken.ends_with("sentence of it."), "{spoken}");
    let endless = "word ".repeat(400);
    let spoken = speakable(&endless);
    assert!(spoken.chars().count() <= MAX_SPOKEN_CHARS && spoken.ends_with("word."), "{spoken}");
    let one_word = "x".repeat(23);
    assert_eq!(speakable(&one_word), format!("{one_word}."));
}

#[test]
fn sentences_come_as_soon_as_they_are_whole() {
    let mut sentences = Sentences::default();
    assert_eq!(sentences.push("It is 3."), Vec::<String>::new());
    assert_eq!(sentences.push("5 degrees. And"), ["It is 3.5 degrees."]);
    assert_eq!(sentences.push(" sunny! Now"), ["And sunny."]);
    assert_eq!(sentences.push(" ```code. more. ```  end. x"), Vec::<String>::new());
}

/// The invariants of a spoken answer.
fn is_spoken(spoken: &str) -> Result<(), String> {
    let wrong = |why: &str| Err(format!("{why}: {spoken:?}"));
    if spoken.is_empty() || spoken.chars().count() >= 300 {
        return wrong("length");
    }
    if !spoken.ends_with(['.', '?']) {
        return wrong("no stop");
    }
    if spoken.contains(['*', '`', '#', '_', '|', '<', '>', '{', '}', '[', ']', '\\', '~', '=', '^']) {
        return wrong("signs");
    }
    if spoken.contains("://") || spoken.contains("www.") || spoken.contains("ECONN") {
        return wrong("an address or a code");
    }
    if spoken.chars().any(|c| {
        c.is_control() || ('\u{1F000}'..='\u{1FAFF}').contains(&c) || ('\u{2600}'..='\u{27BF}').contains(&c)
    }) {
        return wrong("pictures");
    }
    let words: Vec<&str> = spoken.split_whitespace().collect();
    let names_port = words.windows(2).any(|pair| {
        pair[0].trim_matches(|c: char| !c.is_alphanumeric()).eq_ignore_ascii_case("port")
            && pair[1].starts_with(|c: char| c.is_ascii_digit())
    });
    if names_port { wrong("a port") } else { Ok(()) }
}

proptest::proptest! {
    #[test]
    fn any_text_becomes_speakable(text in "\\PC{0,400}") {
        is_spoken(&speakable(&text)).map_err(proptest::test_runner::TestCaseError::fail)?;
        is_spoken(&speakable_failure(&text)).map_err(proptest::test_runner::TestCaseError::fail)?;
    }

    #[test]
    fn model_output_becomes_speakable(parts in proptest::collection::vec(proptest::sample::select(PIECES), 0..40)) {
        let text = parts.concat();
        is_spoken(&speakable(&text)).map_err(proptest::test_runner::TestCaseError::fail)?;
        let twice = speakable(&speakable(&text));
        proptest::prop_assert_eq!(twice, speakable(&text));
    }

    #[test]
    fn streamed_sentences_are_limited(parts in proptest::collection::vec(proptest::sample::select(PIECES), 0..60)) {
        let mut sentences = Sentences::default();
        let spoken: Vec<String> = parts.iter().flat_map(|piece| sentences.push(piece)).collect();
        proptest::prop_assert!(spoken.join(" ").chars().count() < 300);
        for sentence in &spoken {
            is_spoken(sentence).map_err(proptest::test_runner::TestCaseError::fail)?;
        }
    }
}

const PIECES: &[&str] = &[
    "The lamp is on. ",
    "**bold** ",
    "`code` ",
    "https://a.example/b ",
    "🎉",
    "ECONNREFUSED ",
    "\n- item\n",
    "\n# Title\n",
    "port 1883 ",
    "? ",
    "! ",
    "... ",
    "[a](b) ",
    "<br>",
    "```\nx\n```\n",
    "word ",
    "3.5 ",
    "e.g. ",
    "\"quoted.\" ",
    "(in brackets.) ",
    "127.0.0.1:80 ",
    "%",
    "\t",
    "a::b() ",
    "TypeError ",
    "0xff ",
    "ä ö ü ",
    "|a|b|\n",
    "-",
    "'",
    "\u{200d}",
    "/usr/lib/x ",
];
