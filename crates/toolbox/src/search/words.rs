//! The words of a text, each in the form in which it is counted.

/// Whether a word says nothing about a tool.
fn says_nothing(word: &str) -> bool {
    matches!(
        word.as_bytes(),
        b"a" | b"an"
            | b"and"
            | b"any"
            | b"are"
            | b"as"
            | b"at"
            | b"be"
            | b"by"
            | b"can"
            | b"could"
            | b"do"
            | b"does"
            | b"for"
            | b"from"
            | b"have"
            | b"how"
            | b"i"
            | b"if"
            | b"in"
            | b"into"
            | b"is"
            | b"it"
            | b"its"
            | b"like"
            | b"me"
            | b"my"
            | b"need"
            | b"of"
            | b"on"
            | b"or"
            | b"our"
            | b"out"
            | b"please"
            | b"should"
            | b"so"
            | b"some"
            | b"that"
            | b"the"
            | b"their"
            | b"them"
            | b"then"
            | b"there"
            | b"these"
            | b"this"
            | b"to"
            | b"tool"
            | b"tools"
            | b"us"
            | b"use"
            | b"used"
            | b"using"
            | b"want"
            | b"we"
            | b"what"
            | b"when"
            | b"where"
            | b"which"
            | b"who"
            | b"will"
            | b"with"
            | b"would"
            | b"you"
            | b"your"
    )
}

/// Words that people use for each other, the more common first. A query's word finds the others as well.
const ALIKE: &[&[&str]] = &[
    &["delete", "remove", "erase", "rm", "drop"],
    &["create", "make", "new", "add"],
    &["list", "show", "enumerate", "ls"],
    &["search", "find", "look", "locate", "query"],
    &["get", "fetch", "retrieve", "read"],
    &["write", "save", "store"],
    &["update", "edit", "change", "modify"],
    &["send", "post", "email", "mail"],
    &["run", "execute", "start"],
    &["folder", "directory", "dir"],
    &["picture", "image", "photo", "screenshot"],
    &["repository", "repo"],
    &["issue", "bug", "ticket"],
    &["weather", "forecast", "rain", "temperature"],
    &["web", "internet", "online"],
    &["page", "site", "website", "url"],
    &["database", "sql", "db"],
    &["time", "date", "clock"],
    &["rename", "move"],
    &["text", "content"],
    &["volume", "louder", "quieter", "sound"],
    &["translate", "language"],
    &["calendar", "appointment", "meeting", "event"],
];

/// How much a word counts that stands for the one that was asked for.
const STANDS_FOR: f32 = 0.45;

/// The words of a text: split at what is no letter, at camelCase and at digits.
fn of(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    each(text, |word| words.push(word.to_owned()));
    words
}

/// The same, one after the other.
pub(super) fn each(text: &str, mut see: impl FnMut(&str)) {
    let mut word = String::new();
    let mut end = |word: &mut String| {
        if !word.is_empty() && !says_nothing(word) {
            cut(word);
            see(word);
        }
        word.clear();
    };
    for run in text.split(|c: char| !c.is_alphanumeric()) {
        let mut before: Option<char> = None;
        let mut letters = run.chars().peekable();
        while let Some(letter) = letters.next() {
            let is_next_lower = letters.peek().is_some_and(|next| next.is_lowercase());
            let begins = before.is_some_and(|before| {
                before.is_lowercase() && letter.is_uppercase()
                    || before.is_numeric() != letter.is_numeric()
                    // The last capital of `HTTPServer` begins a word.
                    || before.is_uppercase() && letter.is_uppercase() && is_next_lower
                    // There are no spaces between words of these; every letter is one.
                    || is_ideograph(letter)
                    || is_ideograph(before)
            });
            if begins {
                end(&mut word);
            }
            match letter.is_ascii() {
                true => word.push(letter.to_ascii_lowercase()),
                false => word.extend(letter.to_lowercase()),
            }
            before = Some(letter);
        }
        end(&mut word);
    }
}

/// The words of a query that say something, and how much each counts.
pub(super) fn of_query(query: &str, limit: usize) -> Vec<(String, f32)> {
    let mut found: Vec<(String, f32)> = Vec::new();
    let mut put = |word: String, importance: f32| match found.iter_mut().find(|(known, _)| *known == word) {
        Some((_, known)) => *known = known.max(importance),
        None => found.push((word, importance)),
    };
    let words = of(query);
    let said: Vec<&String> = words.iter().take(limit).collect();
    for word in &said {
        put((*word).clone(), 1.0);
    }
    for word in said {
        let group = ALIKE.iter().find(|group| group.iter().any(|alike| stem(alike) == *word));
        for alike in group.into_iter().copied().flatten() {
            put(stem(alike), STANDS_FOR);
        }
    }
    found
}

fn is_ideograph(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// A word without the ends that English puts to it.
fn stem(word: &str) -> String {
    let mut stem = word.to_owned();
    cut(&mut stem);
    stem
}

/// Takes away the ends that English puts to a word. Both sides are cut alike; what is left need be no word.
fn cut(stem: &mut String) {
    if !stem.is_ascii() || stem.len() < 4 {
        return;
    }
    for (end, instead) in
        [("sses", "ss"), ("ies", "y"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("s", "")]
    {
        if stem.ends_with(end)
            && !(end == "s" && (stem.ends_with("ss") || stem.ends_with("us") || stem.ends_with("is")))
        {
            stem.truncate(stem.len() - end.len());
            stem.push_str(instead);
            break;
        }
    }
    for end in ["ing", "er", "ed", "ion", "or"] {
        if stem.len() >= end.len() + 4 && stem.ends_with(end) {
            stem.truncate(stem.len() - end.len());
            // `running`, `stopped`
            let bytes = stem.as_bytes();
            if let [.., one, other] = bytes
                && one == other
                && !matches!(one, b'l' | b's' | b'z')
            {
                stem.pop();
            }
            break;
        }
    }
    if stem.len() > 3 && stem.ends_with('e') {
        stem.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(of("readTextFile"), ["read", "text", "fil"]);
        assert_eq!(of("HTTPServer_get-URL2json"), ["http", "serv", "get", "url", "2", "json"]);
        assert_eq!(of("Größe ändern"), ["größe", "ändern"]);
        assert_eq!(of("搜索文件"), ["搜", "索", "文", "件"]);
        assert_eq!(of("the tools of a"), Vec::<String>::new());
    }

    #[test]
    fn forms_of_a_word_are_one() {
        for forms in [
            &["file", "files"][..],
            &["directory", "directories"],
            &["search", "searches", "searching", "searched"],
            &["delete", "deletes", "deleting", "deleted"],
            &["stop", "stopped", "stopping"],
            &["translate", "translation", "translations", "translating"],
            &["box", "boxes"],
        ] {
            let stems: Vec<String> = forms.iter().map(|form| stem(form)).collect();
            assert!(stems.iter().all(|one| *one == stems[0]), "{forms:?}: {stems:?}");
        }
        for (one, other) in [("status", "stat"), ("process", "proces"), ("user", "us")] {
            assert_ne!(stem(one), stem(other), "{one}");
        }
    }
}
