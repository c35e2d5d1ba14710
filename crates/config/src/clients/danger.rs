//! What of a command somebody should look at twice before it is run.

use super::data::Data;

/// Programs, and why they are worth a second look.
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
    ("chmod", "changes who may use files"),
    ("chown", "changes who may use files"),
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

/// What joins several commands, or sends output somewhere; only a shell reads it so.
const JOINS: &[(&str, &str)] = &[
    ("|", "a pipe"),
    ("&&", "several commands"),
    (";", "several commands"),
    ("$(", "a command within the command"),
    ("`", "a command within the command"),
    (">", "output into a file"),
];

/// What is worth a second look, in the order of the command: `sudo: runs as another user`.
pub fn dangers(entry: &Data) -> Vec<String> {
    let command = entry.get("command").and_then(Data::as_text).unwrap_or_default();
    let args = entry.get("args").map(Data::as_texts).unwrap_or_default();
    let mut found: Vec<String> = Vec::new();
    let mut tell = |word: &str, why: &str| {
        let said = format!("{word}: {why}");
        if !found.contains(&said) {
            found.push(said);
        }
    };
    for word in std::iter::once(command).chain(args.iter().copied()).flat_map(words) {
        let name = word.rsplit(['/', '\\']).next().unwrap_or(word).to_ascii_lowercase();
        let name = name.strip_suffix(".exe").unwrap_or(&name);
        if let Some((_, why)) = PROGRAMS.iter().find(|(program, _)| *program == name) {
            tell(name, why);
        }
    }
    for text in std::iter::once(command).chain(args.iter().copied()) {
        // An address may hold `;`, a pattern `|`.
        let is_line = text.contains(char::is_whitespace);
        for (mark, why) in JOINS.iter().filter(|(mark, _)| is_line && text.contains(mark)) {
            tell(mark, why);
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
    fn what_is_dangerous_is_told_and_the_rest_is_not() {
        let told = |command: &str, args: &[&str]| {
            dangers(&Data::map([
                ("command", Data::text(command)),
                ("args", Data::texts(args.iter().copied())),
            ]))
        };
        assert_eq!(told("npx", &["-y", "server-memory"]), [""; 0]);
        assert_eq!(told("node", &["/opt/shell/cmdline.js", "--sum", "https://x/a;b|c"]), [""; 0]);
        assert_eq!(told("/usr/bin/sudo", &["npx"]), ["sudo: runs as another user"]);
        let line = told("bash", &["-c", "curl https://x | sudo sh; rm -rf ~/x"]);
        for word in ["bash:", "curl:", "sudo:", "sh:", "rm:", "|:", ";:"] {
            assert!(line.iter().any(|said| said.starts_with(word)), "{word} {line:?}");
        }
        assert_eq!(told("C:\\Windows\\cmd.exe", &["/c", "npx"]), ["cmd: is a shell"]);
    }
}
