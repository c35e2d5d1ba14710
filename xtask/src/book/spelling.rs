//! Every word of the prose is in the dictionary of British English or in the project's own list. Code is not looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::{Command, Stdio};

use super::Mistake;
use super::markdown::prose;
use super::pages::Pages;
use crate::debian;

/// The project's own words: one a line, sorted, each of them needed. One in small letters may stand with a capital too.
pub const WORDS: &str = "docs/words.txt";

/// The program that knows English, and its dictionary.
const PROGRAM: &str = "hunspell";
const DICTIONARY: &str = "en_GB";

/// A word and where it stands first.
type Found<'a> = BTreeMap<String, (&'a str, usize)>;

/// Whether there is somebody who knows English.
pub fn is_possible() -> bool {
    debian::has_program(PROGRAM)
}

/// Words that are none, and words of the list that are not needed or not in order.
pub fn mistakes(pages: &Pages) -> Result<Vec<Mistake>, String> {
    let own: Vec<&str> = pages.words().lines().collect();
    let mut found = Found::new();
    for (name, text) in pages.all() {
        for (word, line) in words(&prose(text)) {
            found.entry(word).or_insert((name, line));
        }
    }
    let unknown = unknown(&found.keys().map(String::as_str).collect::<Vec<_>>())?;
    let mut mistakes = of_the_list(&own);
    let mut needed = BTreeSet::new();
    for word in unknown {
        let small = word.to_lowercase();
        let Some((page, line)) = found.get(&word) else { continue };
        match own.iter().find(|own| **own == word || **own == small) {
            Some(own) => drop(needed.insert(*own)),
            None => {
                let what = format!("\"{word}\": mend it, write it as `code`, or add it to {WORDS}");
                mistakes.push(Mistake { page: (*page).to_owned(), line: *line, what });
            }
        }
    }
    for (index, word) in own.iter().enumerate().filter(|(_, word)| !needed.contains(*word)) {
        let what = format!("\"{word}\" is not needed: no page has it, or the dictionary knows it");
        mistakes.push(Mistake { page: WORDS.to_owned(), line: index + 1, what });
    }
    Ok(mistakes)
}

fn of_the_list(own: &[&str]) -> Vec<Mistake> {
    let pairs = own.windows(2).enumerate().filter(|(_, pair)| pair[0] >= pair[1]);
    pairs
        .map(|(index, pair)| Mistake {
            page: WORDS.to_owned(),
            line: index + 2,
            what: format!("\"{}\" belongs before \"{}\": sort -u, in the order of bytes", pair[1], pair[0]),
        })
        .collect()
}

/// The words of a prose with their lines: letters, with apostrophes inside. What has a digit, an underscore or a point inside
/// is a name.
fn words(prose: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (index, line) in prose.lines().enumerate() {
        let line = without_targets(line);
        let pieces = line.split_whitespace().filter(|piece| !is_name(piece));
        let parts = pieces
            .flat_map(|piece| piece.split(|char: char| !(char.is_alphanumeric() || "'’_".contains(char))));
        for part in parts {
            let word = part.replace('’', "'");
            let word = word.trim_matches('\'');
            let word = word.strip_suffix("'s").unwrap_or(word);
            let is_word = word.chars().all(|char| char.is_alphabetic() || char == '\'');
            if is_word && word.chars().count() > 1 {
                found.push((word.to_owned(), index + 1));
            }
        }
    }
    found
}

/// Names of files and the like: a point between letters.
fn is_name(piece: &str) -> bool {
    let letters: Vec<char> = piece.chars().collect();
    letters
        .windows(3)
        .any(|three| three[1] == '.' && three[0].is_alphanumeric() && three[2].is_alphanumeric())
}

/// The line without the targets of its links.
fn without_targets(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, target)) = rest.split_once("](") {
        out.push_str(before);
        out.push(' ');
        rest = target.split_once(')').map_or("", |(_, rest)| rest);
    }
    out.push_str(rest);
    out.split(' ').filter(|part| !part.contains("://")).collect::<Vec<_>>().join(" ")
}

/// Those of the words that the dictionary does not have.
fn unknown(words: &[&str]) -> Result<Vec<String>, String> {
    let wrong = |error: std::io::Error| format!("{PROGRAM}: {error}");
    let mut child = Command::new(PROGRAM)
        .args(["-d", DICTIONARY, "-i", "utf-8", "-l"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(wrong)?;
    let text = words.join("\n") + "\n";
    let stdin = child.stdin.take();
    let writer = std::thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(text.as_bytes())));
    let output = child.wait_with_output().map_err(wrong)?;
    // A program that ended early says why itself.
    drop(writer.join());
    if !output.status.success() {
        return Err(format!("{PROGRAM} -d {DICTIONARY}: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(page: &str, own: &str) -> Vec<String> {
        let mut pages = Pages::default().with_words(own);
        pages.add("docs/page.md", page);
        mistakes(&pages).expect("the dictionary").iter().map(Mistake::to_string).collect()
    }

    #[test]
    fn a_planted_misspelling_is_found_and_code_is_left_alone() {
        if !is_possible() {
            eprintln!("SKIPPED: there is no {PROGRAM}");
            return;
        }
        let page = "# A page\n\nThe colour of a gatway, `gatway` in code and [a link](gatway.md).\n\n```sh\ngatway\n```\n";
        let wrong = "docs/page.md:3: \"gatway\": mend it, write it as `code`, or add it to docs/words.txt";
        assert_eq!(said(page, ""), [wrong]);
        assert_eq!(said(page, "gatway\n"), Vec::<String>::new());
    }

    #[test]
    fn the_list_is_sorted_and_has_nothing_that_is_not_needed() {
        if !is_possible() {
            eprintln!("SKIPPED: there is no {PROGRAM}");
            return;
        }
        let page = "Toolwrights gatways\n";
        assert_eq!(
            said(page, "gatways\nToolwrights\nhouse\n"),
            [
                "docs/words.txt:2: \"Toolwrights\" belongs before \"gatways\": sort -u, in the order of bytes",
                "docs/words.txt:3: \"house\" is not needed: no page has it, or the dictionary knows it",
            ]
        );
    }

    #[test]
    fn names_and_numbers_are_no_words() {
        let found =
            words("The 3rd of read_file in docs/api.md, it's \"Ann's\" – and http://a.b/c [x](y.md) a");
        let found: Vec<&str> = found.iter().map(|(word, _)| word.as_str()).collect();
        assert_eq!(found, ["The", "of", "in", "it", "Ann", "and"]);
    }
}
