//! Names and lists as they are said aloud.

/// The longest name that is said whole, in characters.
const MAX_NAME_CHARS: usize = 48;

/// `control_zwave_device` is said "control zwave device".
pub(super) fn name(name: &str) -> String {
    // A qualified name is said without its server.
    let bare = name.rsplit('/').next().unwrap_or(name);
    let mut spoken = String::new();
    let mut before_is_lower = false;
    for c in bare.chars() {
        let gap = !c.is_alphanumeric() || c.is_uppercase() && before_is_lower;
        if gap && !spoken.is_empty() && !spoken.ends_with(' ') {
            spoken.push(' ');
        }
        if c.is_alphanumeric() {
            spoken.extend(c.to_lowercase());
        }
        before_is_lower = c.is_lowercase() || c.is_ascii_digit();
    }
    spoken.trim().chars().take(MAX_NAME_CHARS).collect::<String>().trim_end().to_owned()
}

/// `a, b and c`, as many as fit into `room` characters, and how many more there are.
pub(super) fn list(items: &[String], joint: &str, room: usize) -> String {
    let mut left = room;
    let fits = |item: &&String| {
        let rest = left.checked_sub(item.chars().count() + 5);
        left = rest.unwrap_or(left);
        rest.is_some()
    };
    let shown = items.iter().take_while(fits).count();
    let mut words: Vec<String> = items[..shown].to_vec();
    if shown < items.len() {
        words.push(format!("{} more", items.len() - shown));
    }
    match words.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} {joint} {last}", rest.join(", ")),
    }
}

/// Whether a text says "port 1883", which is nothing to people.
pub(super) fn numbers_a_port(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.windows(2).any(|pair| is_port(pair[0], pair[1]))
}

/// Whether two words are "port" and its number.
pub(super) fn is_port(word: &str, next: &str) -> bool {
    word.eq_ignore_ascii_case("port") && next.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a message can be said aloud as it is: short, one line, no codes and no signs of code.
pub(super) fn is_speakable(text: &str, max_chars: usize) -> bool {
    const SIGNS: &[&str] =
        &["{", "}", "[", "]", "<", ">", "\\", "`", "::", "://", "0x", "_", "=", "|", "()", "#", "/"];
    // Said letter by letter, and known to whoever has a house with it.
    const SAID: &[&str] = &["MQTT", "HDMI", "WLAN"];
    let is_code = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        if SAID.contains(&word) {
            return false;
        }
        let has = |test: fn(char) -> bool| word.chars().any(test);
        // ECONNREFUSED, TypeError, E404, -32602
        word.chars().filter(|c| c.is_uppercase()).count() >= 4
            || word.len() > 5 && word.ends_with("Error")
            || word.ends_with("Exception")
            || has(char::is_uppercase) && has(|c| c.is_ascii_digit())
    };
    !text.trim().is_empty()
        && text.chars().count() <= max_chars
        && !text.contains(|c: char| c.is_control())
        && !SIGNS.iter().any(|sign| text.contains(sign))
        && !text.split_whitespace().any(is_code)
        && !text.split_whitespace().any(|word| word.starts_with('-') && word.len() > 4)
        && !numbers_a_port(text)
        && !text.split_once(" code ").is_some_and(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_said_as_words() {
        assert_eq!(name("control_zwave_device"), "control zwave device");
        assert_eq!(name("files/readFile"), "read file");
        assert_eq!(name("get-HTTP.page2"), "get http page2");
        assert_eq!(name("__ \n"), "");
        assert_eq!(name(&"x".repeat(500)).len(), MAX_NAME_CHARS);
    }

    #[test]
    fn lists_say_how_much_they_leave_out() {
        let items: Vec<String> = ["one", "two", "three"].map(str::to_owned).into();
        assert_eq!(list(&items, "and", 100), "one, two and three");
        assert_eq!(list(&items[..1], "and", 100), "one");
        assert_eq!(list(&items, "or", 17), "one, two or 1 more");
        assert_eq!(list(&items, "or", 0), "3 more");
    }

    #[test]
    fn a_long_list_costs_what_its_length_costs() {
        let cost = |count: usize| {
            let items = vec!["key".to_owned(); count];
            let once = || {
                let begin = std::time::Instant::now();
                assert!(list(&items, "and", 100).ends_with("more"));
                begin.elapsed()
            };
            (0..5).map(|_| once()).min().unwrap_or_default()
        };
        // What grows with the square of the length takes 256 times as long.
        assert!(cost(8_000) <= cost(500) * 64 + std::time::Duration::from_millis(25));
    }

    #[test]
    fn what_only_programmers_say_is_not_spoken() {
        assert!(is_speakable("Device \"Porch\" was not found. Is it switched on?", 200));
        assert!(is_speakable("The MQTT broker cannot be reached.", 200));
        for text in [
            "connect ECONNREFUSED 127.0.0.1:1883",
            "TypeError: x is undefined",
            "{\"a\":1}",
            "",
            "a\nb",
            "code -32602",
            "exit code 1",
        ] {
            assert!(!is_speakable(text, 200), "{text}");
        }
    }
}
