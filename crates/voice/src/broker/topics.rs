//! Topic filters of MQTT.

/// Whether a client may publish to a topic.
pub(super) fn is_topic(topic: &str) -> bool {
    !topic.is_empty() && topic.len() <= 1_024 && !topic.contains(['+', '#', '\0'])
}

/// Whether a client may subscribe to a filter.
pub(super) fn is_filter(filter: &str) -> bool {
    if filter.is_empty() || filter.len() > 1_024 || filter.contains('\0') {
        return false;
    }
    let levels: Vec<&str> = filter.split('/').collect();
    levels.iter().enumerate().all(|(at, level)| match *level {
        "#" => at + 1 == levels.len(),
        "+" => true,
        level => !level.contains(['+', '#']),
    })
}

/// Whether a filter matches a topic. A leading wildcard does not match topics that start with `$` (MQTT 5,
/// 4.7.2).
pub(super) fn matches_topic(filter: &str, topic: &str) -> bool {
    if topic.starts_with('$') && filter.starts_with(['+', '#']) {
        return false;
    }
    let (mut filters, mut levels) = (filter.split('/'), topic.split('/'));
    loop {
        match (filters.next(), levels.next()) {
            (Some("#"), _) => return true,
            (Some("+"), Some(_)) => {}
            (Some(filter), Some(level)) if filter == level => {}
            (None, None) => return true,
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_mean_what_the_protocol_says() {
        for (filter, topic) in [
            ("a/b", "a/b"),
            ("a/+", "a/b"),
            ("a/#", "a/b/c"),
            ("a/#", "a"),
            ("#", "a/b"),
            ("+/+", "/x"),
            ("/+", "/x"),
            ("$SYS/#", "$SYS/x"),
        ] {
            assert!(matches_topic(filter, topic), "{filter} {topic}");
        }
        for (filter, topic) in [
            ("a/b", "a"),
            ("a/+", "a"),
            ("a/+", "a/b/c"),
            ("#", "$SYS/x"),
            ("+/x", "$SYS/x"),
            ("a", "a/b"),
            ("A", "a"),
        ] {
            assert!(!matches_topic(filter, topic), "{filter} {topic}");
        }
        for filter in ["a/#/b", "a#", "a/b+", "", "a\0b"] {
            assert!(!is_filter(filter), "{filter}");
        }
        assert!(is_filter("+/a/#") && is_topic("a/b") && !is_topic("a/+"));
    }
}
