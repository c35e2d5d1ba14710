//! A call before and after, and what was mended: one line for each kind of change and place.

use toolwright_model::Change;

/// The call as it was sent and as it was run, and the changes between. Nothing when it was run as it was sent.
pub fn before_and_after(
    (sent_name, sent): (&str, &str),
    (name, got): (&str, &str),
    changes: &[Change],
) -> Vec<String> {
    if changes.is_empty() {
        return Vec::new();
    }
    let before = format!("- {sent_name} {}", sent.trim());
    let after = format!("+ {name} {got}");
    [before, after].into_iter().chain(lines(changes)).collect()
}

/// The lines for the changes of a call, in order. Changes that differ only in the number of a list's item are
/// one line with `*` for the number and their count: twelve steps without an id are one matter.
pub fn lines(changes: &[Change]) -> Vec<String> {
    let mut kinds: Vec<(&Change, String, usize)> = Vec::new();
    for change in changes {
        let place = without_numbers(&change.path);
        let is_same = |(first, known, _): &&mut (&Change, String, usize)| {
            (first.code, &first.why, &first.rule) == (change.code, &change.why, &change.rule)
                && *known == place
        };
        match kinds.iter_mut().find(is_same) {
            Some((_, _, count)) => *count += 1,
            None => kinds.push((change, place, 1)),
        }
    }
    kinds.into_iter().map(|(first, place, count)| line(first, &place, count)).collect()
}

fn line(change: &Change, place: &str, count: usize) -> String {
    let place = match (count, change.path.as_str()) {
        (1, "") => "/",
        (1, path) => path,
        _ => place,
    };
    let rule = change.rule.as_ref().map_or(String::new(), |rule| format!(", rule {rule}"));
    let times = if count == 1 { String::new() } else { format!(" ({count} times)") };
    format!("  {:<3} {place}  {}{rule}{times}", change.code.to_string(), change.why)
}

/// `/steps/3/id` is `/steps/*/id`.
fn without_numbers(path: &str) -> String {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    path.split('/').map(|part| if is_number(part) { "*" } else { part }).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use toolwright_model::Code;

    use super::*;

    fn change(code: Code, path: &str, rule: Option<&str>) -> Change {
        let rule = rule.map(str::to_owned);
        Change {
            code,
            path: path.to_owned(),
            from: None,
            to: None,
            rule,
            rule_type: None,
            why: "default".to_owned(),
        }
    }

    #[test]
    fn the_same_change_in_many_items_is_one_line() {
        let changes = [
            change(Code::ContainerToString, "/p", None),
            change(Code::NestedDefaultByRule, "/p/steps/0/id", Some("ids")),
            change(Code::NestedDefaultByRule, "/p/steps/12/id", Some("ids")),
            change(Code::NestedDefaultByRule, "/p/steps/12/name", Some("ids")),
            change(Code::NestedDefaultByRule, "/p/steps/2/id", Some("others")),
            change(Code::ToolNameForm, "", None),
        ];
        assert_eq!(
            lines(&changes),
            [
                "  T3  /p  default",
                "  D2  /p/steps/*/id  default, rule ids (2 times)",
                "  D2  /p/steps/12/name  default, rule ids",
                "  D2  /p/steps/2/id  default, rule others",
                "  F1  /  default",
            ]
        );
    }
}
