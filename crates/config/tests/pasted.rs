//! Applies the fix of each message automatically: the file is valid then.

use toolwright_config::Problem;
use toolwright_jsonrpc::Json;

use crate::support::problems;
use crate::wrong_cases::CASES;

/// How many fixes must work unchanged. Others contain a placeholder for a value that only the user knows.
const PASTED: usize = 40;
/// The most fixes per file.
const STEPS: usize = 6;

/// The byte offset of a problem.
fn offset(text: &str, problem: &Problem) -> usize {
    let before: usize = text.split_inclusive('\n').take(problem.line - 1).map(str::len).sum();
    let line = &text[before..];
    let column = line.char_indices().nth(problem.column - 1).map_or(line.len(), |(at, _)| at);
    before + column
}

/// The end of a value or a key that starts here.
fn end(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut in_string, mut is_escaped) = (0_usize, false, false);
    for (index, byte) in bytes.iter().enumerate().skip(at) {
        match (in_string, byte) {
            (true, _) if is_escaped => is_escaped = false,
            (true, b'\\') => is_escaped = true,
            (true, b'"') => {
                in_string = false;
                if depth == 0 {
                    return Some(index + 1);
                }
            }
            (true, _) => {}
            (false, b'"') => in_string = true,
            (false, b'{' | b'[') => depth += 1,
            (false, b'}' | b']') if depth == 0 => return Some(index),
            (false, b'}' | b']') => {
                depth -= 1;
                if depth == 0 {
                    return Some(index + 1);
                }
            }
            (false, b',' | b':' | b' ' | b'\n') if depth == 0 => return Some(index),
            (false, _) => {}
        }
    }
    (depth == 0 && !in_string).then_some(text.len())
}

fn replaced(text: &str, at: usize, until: usize, with: &str) -> String {
    format!("{}{with}{}", &text[..at], &text[until..])
}

/// Removes the member whose key starts here, with its comma.
fn without_member(text: &str, at: usize) -> Option<String> {
    let key = end(text, at)?;
    let value = key + text[key..].find(':')? + 1;
    let value = value + (text[value..].len() - text[value..].trim_start().len());
    let until = end(text, value)?;
    let rest = text[until..].trim_start();
    if let Some(rest) = rest.strip_prefix(',') {
        return Some(format!("{}{}", &text[..at], rest.trim_start()));
    }
    let before = text[..at].trim_end().trim_end_matches(',');
    Some(format!("{before}{}", &text[until..]))
}

/// The longest JSON value at the start of a text.
fn value_of(words: &str) -> Option<&str> {
    let ends =
        [", or ", "; ", " for ", ": the "].iter().filter_map(|end| words.find(end)).chain([words.len()]);
    let mut ends: Vec<usize> = ends.collect();
    ends.sort_unstable();
    let found = ends.into_iter().map(|end| &words[..end]).find(|part| Json::parse(part).is_ok())?;
    (!found.contains('…')).then_some(found)
}

/// Applies the fix at the position of the problem. `None` if that needs the user.
fn apply_fix(text: &str, problem: &Problem) -> Option<String> {
    let at = offset(text, problem);
    let fix = problem.fix.as_str();
    let quoted = |words: &str| words.split('"').nth(1).map(|name| format!("\"{name}\""));
    if fix.starts_with("did you mean \"") {
        return Some(replaced(text, at, end(text, at)?, &quoted(fix)?));
    }
    if fix == "remove it" || fix.starts_with("leave it out") || fix.starts_with("remove it:") {
        return without_member(text, at);
    }
    if let Some((_, default)) = fix.split_once("give a default: ") {
        let name = default.split_once(":-")?.0;
        let reference = format!("{name}}}");
        return text.contains(&reference).then(|| text.replacen(&reference, default, 1));
    }
    let written = fix.strip_prefix("write ")?;
    for (sign, means) in [(" instead of ", true), (" before it", false)] {
        if let Some((new, old)) = written.split_once(sign) {
            let new = new.trim_matches('`');
            let old = old.trim_matches('`');
            return match means {
                true if text[at..].starts_with(old) => Some(replaced(text, at, at + old.len(), new)),
                true => None,
                false => Some(format!("{}{new}{}", &text[..at], &text[at..])),
            };
        }
    }
    if written == ", at the end of what comes before" {
        let before = text[..at].trim_end().len();
        return Some(format!("{},{}", &text[..before], &text[before..]));
    }
    let value = value_of(written)?;
    Some(replaced(text, at, end(text, at)?, value))
}

#[test]
fn fixes_work_when_applied_automatically() {
    let mut fixed = 0;
    let mut left = Vec::new();
    for case in CASES {
        let mut text = case.wrong.to_owned();
        for _ in 0..STEPS {
            let found = problems(&text);
            let Some(next) = found.iter().find_map(|problem| apply_fix(&text, problem)) else { break };
            if next == text {
                break;
            }
            text = next;
        }
        match problems(&text).is_empty() && text != case.wrong {
            true => fixed += 1,
            false => left.push(case.title),
        }
    }
    println!("{fixed} of {} are mended by a machine; for a person: {left:#?}", CASES.len());
    assert!(fixed >= PASTED, "{fixed}: {left:#?}");
}

#[test]
fn every_message_has_the_same_layout() {
    for case in CASES {
        for problem in problems(case.wrong) {
            let shown = problem.to_string();
            let lines: Vec<&str> = shown.lines().collect();
            assert!(lines[0].starts_with("error: ") || lines[0].starts_with("warning: "), "{shown}");
            assert!(lines[1].trim_start().starts_with("--> "), "{shown}");
            let caret = lines[3].find('^').unwrap_or_else(|| panic!("no caret: {shown}"));
            let bar = lines[3].find('|').expect("a bar");
            assert!(
                caret > bar && lines[3].len() > caret + 2,
                "what is wrong stands behind the caret: {shown}"
            );
            assert!(lines[4].trim_start().starts_with("= fix: "), "{shown}");
        }
    }
}
