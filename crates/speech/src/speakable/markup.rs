//! Removal of markup.

/// The text without markdown, HTML and code; lines become sentences.
pub(super) fn stripped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_code = false;
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            is_code = !is_code;
            continue;
        }
        if is_code || is_rule(trimmed) {
            continue;
        }
        let plain = of_line(trimmed);
        let plain = plain.trim();
        if plain.is_empty() {
            continue;
        }
        out.push_str(plain);
        // A line is a sentence, with or without punctuation.
        if !plain.ends_with(['.', '!', '?', ':', ',', ';', '…']) && is_sentence_line(trimmed) {
            out.push('.');
        }
        out.push(' ');
    }
    out
}

/// Matches `---`, `===`, `|---|---|`.
fn is_rule(line: &str) -> bool {
    line.len() >= 3 && line.chars().all(|c| matches!(c, '-' | '=' | '*' | '_' | '|' | ':' | ' '))
}

/// Whether the next line does not continue this one.
fn is_sentence_line(line: &str) -> bool {
    line.starts_with(['#', '-', '*', '•', '|', '>']) || line.starts_with(|c: char| c.is_ascii_digit())
}

fn of_line(line: &str) -> String {
    let line = line.trim_start_matches(['#', '>', ' ']);
    let bullet = ["- ", "* ", "• ", "+ "].iter().find_map(|bullet| line.strip_prefix(bullet));
    inline(&links(&tags(bullet.or_else(|| behind_number(line)).unwrap_or(line))))
}

/// The text after `1. ` or `1) `.
fn behind_number(line: &str) -> Option<&str> {
    let behind = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = line.len() - behind.len();
    let is_list = (1..=3).contains(&digits);
    behind.strip_prefix(". ").or_else(|| behind.strip_prefix(") ")).filter(|_| is_list)
}

/// Removes tags: `<b>x</b>` is `x`. Other angle brackets stay.
fn tags(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        let is_tag = behind.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!'));
        match behind.find('>').filter(|_| is_tag) {
            Some(end) => rest = &behind[end + 1..],
            None => {
                out.push('<');
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    out
}

/// Replaces links: `[text](address)` is `text`, `![picture](address)` is removed.
fn links(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(open) = rest.find('[') {
        let is_picture = rest[..open].ends_with('!');
        let link = rest[open..].find("](").map(|middle| open + middle);
        let end = link.and_then(|middle| rest[middle..].find(')').map(|end| middle + end));
        let (Some(middle), Some(end)) = (link, end) else { break };
        out.push_str(rest[..open].trim_end_matches('!'));
        if !is_picture {
            out.push_str(&rest[open + 1..middle]);
        }
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    out
}

/// Removes asterisks, backticks, bars and underscores.
fn inline(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '*' | '`' | '~' => {}
            '|' => out.push(','),
            // `control_zwave_device` is spoken as words.
            '_' => out.push(' '),
            c => out.push(c),
        }
    }
    out.trim_matches(',').to_owned()
}
