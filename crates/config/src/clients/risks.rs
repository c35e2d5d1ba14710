//! Suspicious parts of a command that the user should review before it runs.

use super::data::Data;

/// Programs, and why they are risky.
const PROGRAMS: &[(&str, &str)] = &[
    ("sudo", "runs as another user"),
    ("doas", "runs as another user"),
    ("su", "runs as another user"),
    ("pkexec", "runs as another user"),
    ("runas", "runs as another user"),
    ("rm", "removes files"),
    ("rmdir", "removes files"),
    ("del", "removes files"),
    ("shred", "removes files"),
    ("dd", "writes to disks"),
    ("mkfs", "writes to disks"),
    ("chmod", "changes file permissions"),
    ("chown", "changes file permissions"),
    ("curl", "loads from the network"),
    ("wget", "loads from the network"),
    ("nc", "opens connections"),
    ("ncat", "opens connections"),
    ("ssh", "opens connections"),
    ("eval", "runs a text as a program"),
    ("sh", "is a shell"),
    ("bash", "is a shell"),
    ("zsh", "is a shell"),
    ("fish", "is a shell"),
    ("dash", "is a shell"),
    ("ksh", "is a shell"),
    ("cmd", "is a shell"),
    ("powershell", "is a shell"),
    ("pwsh", "is a shell"),
    ("osascript", "is a shell"),
];

/// Operators that only a shell interprets: they combine commands or redirect output.
const JOINS: &[(&str, &str)] = &[
    ("|", "a pipe"),
    ("&&", "several commands"),
    (";", "several commands"),
    ("$(", "a command within the command"),
    ("`", "a command within the command"),
    (">", "output into a file"),
];

/// The risks in the order of the command, such as `sudo: runs as another user`.
pub fn dangers(entry: &Data) -> Vec<String> {
    let command = entry.get("command").and_then(Data::as_text).unwrap_or_default();
    let args = entry.get("args").map(Data::as_texts).unwrap_or_default();
    let mut found: Vec<String> = Vec::new();
    let mut add_risk = |word: &str, why: &str| {
        let risk = format!("{word}: {why}");
        if !found.contains(&risk) {
            found.push(risk);
        }
    };
    for word in std::iter::once(command).chain(args.iter().copied()).flat_map(words) {
        let name = word.rsplit(['/', '\\']).next().unwrap_or(word).to_ascii_lowercase();
        let name = name.strip_suffix(".exe").unwrap_or(&name);
        if let Some((_, why)) = PROGRAMS.iter().find(|(program, _)| *program == name) {
            add_risk(name, why);
        }
    }
    for text in std::iter::once(command).chain(args.iter().copied()) {
        // An address may contain `;` and a pattern `|`; only a text with spaces is a shell command.
        let is_line = text.contains(char::is_whitespace);
        for (mark, why) in JOINS.iter().filter(|(mark, _)| is_line && text.contains(mark)) {
            add_risk(mark, why);
        }
    }
    found
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_between = |c: char| c.is_whitespace() || "|&;()`<>'\"$=".contains(c);
    text.split(is_between).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn risky_commands_are_reported() {
        let risks_of = |command: &str, args: &[&str]| {
            dangers(&Data::map([
                ("command", Data::text(command)),
                ("args", Data::texts(args.iter().copied())),
            ]))
        };
        assert_eq!(risks_of("npx", &["-y", "server-memory"]), [""; 0]);
        assert_eq!(risks_of("node", &["/opt/shell/cmdline.js", "--sum", "https://x/a;b|c"]), [""; 0]);
        assert_eq!(risks_of("/usr/bin/sudo", &["npx"]), ["sudo: runs as another user"]);
        let line = risks_of("bash", &["-c", "curl https://x | sudo sh; rm -rf ~/x"]);
        for word in ["bash:", "curl:", "sudo:", "sh:", "rm:", "|:", ";:"] {
            assert!(line.iter().any(|risk| risk.starts_with(word)), "{word} {line:?}");
        }
        assert_eq!(risks_of("C:\\Windows\\cmd.exe", &["/c", "npx"]), ["cmd: is a shell"]);
    }
}
