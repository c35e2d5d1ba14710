//! What a search looks for: a pattern within a line, in files whose name fits.

use std::iter::Peekable;
use std::str::Chars;

use regex::{Regex, RegexBuilder};
use toolwright_executor::ToolFailure;

use super::super::super::arguments::invalid;
use super::super::place::Place;

/// The largest compiled pattern, in bytes.
const MAX_COMPILED_BYTES: usize = 4 << 20;

/// A compiled search. The default finds nothing anywhere.
#[derive(Default)]
pub(super) struct Query {
    line: Option<Regex>,
    name: Option<Glob>,
}

/// A pattern for names, or for paths when it holds a `/`: from the root or from where the search begins.
struct Glob {
    regex: Regex,
    whole_path: bool,
}

impl Query {
    pub(super) fn new(
        pattern: &str,
        regex: bool,
        case_sensitive: bool,
        include: Option<&str>,
    ) -> Result<Self, ToolFailure> {
        if pattern.is_empty() {
            return Err(invalid("the pattern is empty. Send the text to look for"));
        }
        if pattern.contains('\n') {
            return Err(invalid(
                "the pattern holds a line break, but files are searched line by line. Search for one of its lines",
            ));
        }
        let source = if regex { pattern.to_owned() } else { regex::escape(pattern) };
        let line = compile(&source, case_sensitive)
            .map_err(|error| invalid(format!("the pattern is not a regular expression: {error}")))?;
        Ok(Query { line: Some(line), name: include.map(Glob::new).transpose()? })
    }

    pub(super) fn matches(&self, line: &str) -> bool {
        self.line.as_ref().is_some_and(|regex| regex.is_match(line))
    }

    /// Whether a file that was found in the folder `start` is searched.
    pub(super) fn takes(&self, place: &Place, start: &Place) -> bool {
        self.name.as_ref().is_none_or(|glob| glob.fits(place, start))
    }

    /// Fails when the one file that was asked for is not to be searched.
    pub(super) fn check_takes(&self, place: &Place) -> Result<(), ToolFailure> {
        if self.takes(place, place) {
            return Ok(());
        }
        Err(invalid(format!(
            "path is the file {:?}, which does not fit include. Leave include out to search this file, or send the \
             folder as path",
            place.shown
        )))
    }
}

impl Glob {
    fn new(text: &str) -> Result<Self, ToolFailure> {
        if text.is_empty() {
            return Err(wrong(text, "is empty, which fits no file. Leave it out to search all of them"));
        }
        if let Some(fault) = cannot_fit(text) {
            return Err(wrong(text, &fault));
        }
        let mut regex = String::from("^");
        let mut braces = 0usize;
        let mut characters = text.trim_start_matches("./").chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '*' if characters.peek() == Some(&'*') => {
                    characters.next();
                    // `**/` also stands for no folder at all.
                    let slash = characters.next_if_eq(&'/').is_some();
                    regex.push_str(if slash { "(?:.*/)?" } else { ".*" });
                }
                '*' => regex.push_str("[^/]*"),
                '?' => regex.push_str("[^/]"),
                '{' => {
                    braces += 1;
                    regex.push_str("(?:");
                }
                '}' if braces > 0 => {
                    braces -= 1;
                    regex.push(')');
                }
                ',' if braces > 0 => regex.push('|'),
                '[' => match class(&mut characters) {
                    Some(class) => regex.push_str(&class),
                    None => {
                        return Err(wrong(
                            text,
                            "has an opening bracket without a closing one. A [ that is part of the name is written [[]",
                        ));
                    }
                },
                other => regex.push_str(&escaped(other)),
            }
        }
        if braces > 0 {
            return Err(wrong(text, "has an opening brace without a closing one"));
        }
        regex.push('$');
        let regex = compile(&regex, true).map_err(|_| wrong(text, "is not a pattern for file names"))?;
        Ok(Glob { regex, whole_path: text.contains('/') })
    }

    fn fits(&self, place: &Place, start: &Place) -> bool {
        if self.whole_path {
            let below_start = place.path.strip_prefix(&start.path).ok();
            let mut paths = below_start.into_iter().chain([place.path.as_path()]);
            return paths.any(|path| self.regex.is_match(&path.to_string_lossy()));
        }
        place.name().is_some_and(|name| self.regex.is_match(&name.to_string_lossy()))
    }
}

/// Why a pattern, as other programs take it, fits no file here.
fn cannot_fit(text: &str) -> Option<String> {
    if let Some(rest) = text.strip_prefix('!') {
        return Some(format!(
            "begins with !, but nothing can be left out here. A ! in a name is written {{!}}{rest}"
        ));
    }
    if text.starts_with('/') {
        let rest = text.trim_start_matches('/');
        return Some(format!("begins with /, but paths are relative here. Send {rest:?} without it"));
    }
    text.ends_with('/').then(|| format!("names a folder, not files. Send \"{text}**\" for all files in it"))
}

/// The rest of `[a-z]` or `[!a-z]` as a regular expression; nothing when it does not end.
fn class(characters: &mut Peekable<Chars<'_>>) -> Option<String> {
    let is_not = characters.next_if(|character| matches!(character, '!' | '^')).is_some();
    let mut class = String::from(if is_not { "[^/" } else { "[" });
    let mut is_first = true;
    loop {
        match characters.next()? {
            ']' if !is_first => break,
            '-' => class.push('-'),
            other => class.push_str(&escaped(other)),
        }
        is_first = false;
    }
    class.push(']');
    Some(class)
}

/// A character that stands for itself, within a class too.
fn escaped(character: char) -> String {
    regex::escape(character.encode_utf8(&mut [0; 4]))
}

fn wrong(include: &str, why: &str) -> ToolFailure {
    invalid(format!("include {include:?} {why}. Send for example *.rs or *.{{ts,tsx}}"))
}

fn compile(source: &str, case_sensitive: bool) -> Result<Regex, regex::Error> {
    RegexBuilder::new(source).case_insensitive(!case_sensitive).size_limit(MAX_COMPILED_BYTES).build()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{Glob, Place};

    #[test]
    fn patterns_for_names() {
        for (glob, path, fits) in [
            ("*.rs", "src/a.rs", true),
            ("*.rs", "a.rsx", false),
            ("*.{ts,tsx}", "a/b.tsx", true),
            ("src/*.rs", "src/a.rs", true),
            ("src/*.rs", "src/b/a.rs", false),
            ("src/**/*.rs", "src/b/c/a.rs", true),
            ("src/**/*.rs", "src/a.rs", true),
            ("a?.txt", "ab.txt", true),
            ("a.txt", "abtxt", false),
            ("[ab].txt", "b.txt", true),
            ("[ab].txt", "c.txt", false),
            ("[!a-c]*.txt", "dd.txt", true),
            ("[!a-c]*.txt", "b.txt", false),
            ("[^a]?", "bb", true),
            ("[]x]", "]", true),
            ("[[]id].tsx", "[id].tsx", true),
            ("[&&~.]", "&", true),
            ("a[!b]c", "a/c", false),
        ] {
            let place = Place { root: 0, path: PathBuf::from(path), shown: path.to_owned() };
            let root = Place { root: 0, path: PathBuf::from("."), shown: ".".to_owned() };
            assert_eq!(Glob::new(glob).unwrap().fits(&place, &root), fits, "{glob} {path}");
        }
    }

    #[test]
    fn paths_fit_from_the_root_and_from_where_the_search_begins() {
        let place = |path: &str| Place { root: 0, path: PathBuf::from(path), shown: path.to_owned() };
        for (glob, start, fits) in [
            ("a/*.rs", "src", true),
            ("src/a/*.rs", "src", true),
            ("**/a/*.rs", "src", true),
            ("a/*.rs", ".", false),
            ("src/*.rs", "src", false),
        ] {
            let glob_fits = Glob::new(glob).unwrap().fits(&place("src/a/b.rs"), &place(start));
            assert_eq!(glob_fits, fits, "{glob} {start}");
        }
    }

    #[test]
    fn patterns_that_cannot_fit_are_refused_with_the_fault() {
        for (glob, fault) in [
            ("[", "has an opening bracket without a closing one"),
            ("src/[a-z.rs", "has an opening bracket"),
            ("[]", "has an opening bracket"),
            ("{a", "has an opening brace without a closing one"),
            ("", "is empty"),
            ("[z-a]", "is not a pattern"),
            ("!*.rs", "nothing can be left out here. A ! in a name is written {!}*.rs"),
            ("/src/*.rs", "paths are relative here. Send \"src/*.rs\" without it"),
            ("src/", "names a folder, not files. Send \"src/**\""),
        ] {
            let refused = Glob::new(glob).err().expect(glob).to_string();
            assert!(refused.contains(fault), "{refused}");
        }
    }
}
