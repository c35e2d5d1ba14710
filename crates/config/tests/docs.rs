//! The examples in docs/configuration.md are parsed: `config` without a problem, `config-problems` with the problems
//! after its `---`.

use std::ffi::OsString;
use std::path::Path;

use toolwright_config::{ConfigError, Problem, parse};

fn environment(name: &str) -> Option<OsString> {
    match name {
        "HOME" => Some("/home/ann".into()),
        "TOKEN" => Some("t0ken-of-ann".into()),
        _ => None,
    }
}

fn problems(text: &str) -> Vec<Problem> {
    match parse(text, Path::new("toolwright.json"), &environment) {
        Ok(configuration) => configuration.problems,
        Err(ConfigError::Wrong(problem)) => vec![*problem],
        Err(error) => panic!("{error}"),
    }
}

/// The code blocks of the page with this language tag.
fn blocks(page: &str, mark: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut is_inside = false;
    for line in page.lines() {
        match line.strip_prefix("```") {
            Some(word) => {
                is_inside = !is_inside && word == mark;
                found.extend(is_inside.then(String::new));
            }
            None if is_inside => found.iter_mut().last().expect("a block").extend([line, "\n"]),
            None => {}
        }
    }
    found
}

#[test]
fn documented_examples_give_the_documented_problems() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let (right, wrong) = (blocks(&page, "config"), blocks(&page, "config-problems"));
    assert!(!right.is_empty() && !wrong.is_empty(), "the page has no examples");
    for text in right {
        assert_eq!(problems(&text), [], "{text}");
    }
    let voice = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/voice.md");
    let voice = blocks(&std::fs::read_to_string(voice).expect("the page"), "config");
    assert!(!voice.is_empty(), "the page of the voice has no examples");
    for text in voice {
        assert_eq!(problems(&text), [], "{text}");
    }
    for example in wrong {
        let (text, expected) = example.split_once("---\n").expect("what is said of it");
        let messages: String = problems(text).iter().map(|problem| format!("{problem}\n")).collect();
        assert_eq!(messages, expected);
    }
}
