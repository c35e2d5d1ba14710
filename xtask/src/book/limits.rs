//! `docs/limits.md`: every limit and every time in the source, with what its comment says.
//!
//! The page is generated, so that it cannot fall behind: `cargo xtask book --write` writes it, and `cargo xtask book`
//! fails when it is not what the source says.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Where the page is, from the top folder.
pub(super) const PAGE: &str = "docs/limits.md";

const HEAD: &str = "# Limits and times\n\n\
    Every limit and every time that is a constant of the program, by crate, generated from the source by \
    `cargo xtask book --write`. What can be set is in [configuration](configuration.md) and [commands](commands.md).\n";

/// Parts of names that say that a number is a limit. Every time is one.
const LIMIT_WORDS: [&str; 8] = ["MAX", "MOST", "LIMIT", "LONGEST", "LARGEST", "DEEPEST", "KEPT", "SIZE"];

/// Folders of crates that ship.
const CRATES: [&str; 2] = ["crates", "servers"];

/// Crates that do not.
const LEFT_OUT: [&str; 1] = ["testkit"];

/// One constant.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Limit {
    file: String,
    name: String,
    value: String,
    meaning: String,
}

/// The page as the source has it now.
pub(super) fn page(root: &Path) -> io::Result<String> {
    let mut by_crate: BTreeMap<String, Vec<Limit>> = BTreeMap::new();
    for folder in CRATES {
        for entry in fs::read_dir(root.join(folder))? {
            let path = entry?.path();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if LEFT_OUT.contains(&name.as_str()) {
                continue;
            }
            for file in sources(&path.join("src"))? {
                let shown = file.strip_prefix(root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
                let limits = limits(&shown, &fs::read_to_string(&file)?);
                if !limits.is_empty() {
                    by_crate.entry(format!("{folder}/{name}")).or_default().extend(limits);
                }
            }
        }
    }
    let mut page = HEAD.to_owned();
    for (name, mut limits) in by_crate {
        limits.sort();
        page.push_str(&format!("\n## `{name}`\n\n| constant | value | meaning |\n|---|---|---|\n"));
        for Limit { file, name: constant, value, meaning } in limits {
            page.push_str(&format!("| [`{constant}`](../{file}) | {value} | {meaning} |\n"));
        }
    }
    Ok(page)
}

/// All source files below a folder, in order.
fn sources(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    if !folder.is_dir() {
        return Ok(found);
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(sources(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The limits of one file: documented constants that are times, or numbers whose name says that they are limits.
fn limits(file: &str, source: &str) -> Vec<Limit> {
    let mut found = Vec::new();
    let mut comment: Vec<&str> = Vec::new();
    for line in source.lines() {
        // What follows are the tests of the file.
        if line == "#[cfg(test)]" {
            break;
        }
        let line = line.trim();
        if let Some(text) = line.strip_prefix("///") {
            comment.push(text.trim());
            continue;
        }
        if let Some((name, value)) = constant(line).filter(|_| !comment.is_empty()) {
            found.push(Limit {
                file: file.to_owned(),
                name: name.to_owned(),
                value: shown(value),
                meaning: comment.join(" ").replace('|', "\\|"),
            });
        }
        comment.clear();
    }
    found
}

/// The name and the value of a constant that is a limit.
fn constant(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("pub(crate) ").or_else(|| line.strip_prefix("pub(super) ")).unwrap_or(line);
    let line = line.strip_prefix("pub ").unwrap_or(line).strip_prefix("const ")?;
    let (name, rest) = line.split_once(": ")?;
    let (kind, value) = rest.strip_suffix(';')?.split_once(" = ")?;
    let is_limit = match kind {
        "Duration" => true,
        "usize" | "u64" | "u32" | "u16" => name.split('_').any(|word| LIMIT_WORDS.contains(&word)),
        _ => false,
    };
    is_limit.then_some((name, value))
}

/// A value as people write it.
fn shown(value: &str) -> String {
    let number = |text: &str| -> Option<String> {
        let digits = text.trim().replace('_', "");
        let digits: u64 = digits.parse().ok()?;
        Some(grouped(digits))
    };
    let within =
        |start: &str| value.strip_prefix(start).and_then(|rest| rest.strip_suffix(')')).and_then(number);
    let shifted = |by: &str| value.strip_suffix(by).and_then(number);
    within("Duration::from_secs(")
        .map(|secs| format!("{secs} s"))
        .or_else(|| within("Duration::from_millis(").map(|millis| format!("{millis} ms")))
        .or_else(|| within("Duration::from_micros(").map(|micros| format!("{micros} µs")))
        .or_else(|| shifted(" << 10").or_else(|| shifted(" * 1024")).map(|count| format!("{count} KiB")))
        .or_else(|| {
            shifted(" << 20").or_else(|| shifted(" * 1024 * 1024")).map(|count| format!("{count} MiB"))
        })
        .or_else(|| number(value))
        .unwrap_or_else(|| format!("`{value}`"))
}

/// `16384` as `16,384`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documented_times_and_limits_are_found() {
        let source = "/// How long a call\n/// may take.\npub const CALL_TIMEOUT: Duration = Duration::from_secs(30);\n\
                      const MAX_HIDDEN: usize = 3;\n/// The largest text | in bytes.\n    pub(crate) const MAX_TEXT: usize = 4 << 20;\n\
                      /// No limit.\nconst POLLED: u8 = 1;\n/// A number.\nconst COUNT: usize = 5;\n#[cfg(test)]\n\
                      /// In a test.\nconst MAX_TESTS: usize = 5;\n";
        let found: Vec<String> = limits("a.rs", source)
            .into_iter()
            .map(|limit| format!("{} {} {}", limit.name, limit.value, limit.meaning))
            .collect();
        assert_eq!(
            found,
            ["CALL_TIMEOUT 30 s How long a call may take.", "MAX_TEXT 4 MiB The largest text \\| in bytes."]
        );
    }

    #[test]
    fn values_are_written_for_people() {
        for (value, text) in [
            ("16_384", "16,384"),
            ("64 << 10", "64 KiB"),
            ("16 * 1024 * 1024", "16 MiB"),
            ("Duration::from_millis(1_500)", "1,500 ms"),
            ("OTHER * 2", "`OTHER * 2`"),
        ] {
            assert_eq!(shown(value), text, "{value}");
        }
    }
}
