//! The corpus: what must be hidden wherever it stands, and what only looks like it and must stay readable.

use super::redactor;

const HIDDEN: &str = include_str!("corpus/hidden.txt");
const READABLE: &str = include_str!("corpus/readable.txt");

fn lines(corpus: &str) -> impl Iterator<Item = String> {
    corpus.lines().filter(|line| !line.starts_with('#')).map(|line| line.replace('␤', "\n"))
}

#[test]
fn every_secret_of_the_corpus_is_hidden() {
    let redactor = redactor();
    let mut shown = Vec::new();
    let mut count = 0;
    for line in lines(HIDDEN) {
        let (secret, text) = line.split_once('\t').expect("a secret, a tab and a text");
        assert!(text.contains(secret), "{line}");
        count += 1;
        // As it is, and as an argument of a call.
        let argument = serde_json::json!({ "command": text }).to_string();
        for (how, output) in [
            ("text", redactor.text(text)),
            ("json", redactor.json(text)),
            ("argument", redactor.json(&argument)),
        ] {
            if output.contains(secret) || output.contains(&secret[secret.len() - 4..]) && secret.len() > 8 {
                shown.push(format!("{how}: {text}\n    {output}"));
            }
        }
    }
    assert!(shown.is_empty(), "{} shown:\n{}", shown.len(), shown.join("\n"));
    assert!(count >= 160, "{count}");
}

#[test]
fn what_only_looks_like_a_secret_stays_readable() {
    let redactor = redactor();
    let mut hidden = Vec::new();
    for text in lines(READABLE) {
        let argument = serde_json::json!({ "text": text }).to_string();
        for (input, output) in [
            (&text, redactor.text(&text)),
            (&text, redactor.json(&text)),
            (&argument, redactor.json(&argument)),
        ] {
            if *input != output {
                hidden.push(format!("{input}\n    {output}"));
            }
        }
    }
    assert!(hidden.is_empty(), "{} hidden:\n{}", hidden.len(), hidden.join("\n"));
}
