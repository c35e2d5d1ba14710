//! `docs/commands.md` has every command and every flag, in the words of `--help`. `BOOK_UPDATE=1` writes it anew.

use super::root;
use crate::program::run;

const PAGE: &str = "docs/commands.md";

/// Where more is said of a command, when no page has its name.
const PAGES: [(&str, &str); 14] = [
    ("serve", "gateway.md"),
    ("stdio", "gateway.md"),
    ("dashboard", "dashboard.md"),
    ("token", "gateway.md#who-may-come-in"),
    ("explain", "status.md#toolwright-explain"),
    ("completions", "status.md#completions"),
    ("man", "status.md#the-manual"),
    ("replay", "learning.md#recorded-calls"),
    ("tools", "call.md#toolwright-tools"),
    ("rules", "rules.md"),
    ("servers", "servers.md"),
    ("llm", "llm.md"),
    ("audit", "audit.md"),
    ("voice", "voice.md"),
];

/// What `--help` says of a command.
#[derive(Default)]
struct Help {
    about: String,
    usage: String,
    commands: Vec<String>,
    /// Arguments and flags, each with what it means.
    entries: Vec<(String, String)>,
}

fn help(path: &[&str]) -> Help {
    let arguments: Vec<&str> = path.iter().copied().chain(["-h"]).collect();
    let said = run(&arguments, "").stdout;
    let mut help = Help::default();
    let mut section = String::new();
    for line in said.lines() {
        let indent = line.len() - line.trim_start().len();
        match (line.strip_prefix("Usage: "), section.as_str()) {
            (Some(usage), _) => help.usage = usage.to_owned(),
            _ if indent == 0 && line.ends_with(':') => section = line.trim_end_matches(':').to_owned(),
            // What comes behind the flags is for the terminal.
            _ if indent == 0 && !line.is_empty() && !section.is_empty() => section = "end".to_owned(),
            (None, "") if !line.is_empty() => {
                help.about.extend([if help.about.is_empty() { "" } else { " " }, line])
            }
            (None, "Commands") => help.commands.extend(line.split_whitespace().next().map(str::to_owned)),
            (None, "Options" | "Arguments") if line.is_empty() => {}
            (None, "Options" | "Arguments") => entry(line, indent, &mut help.entries),
            _ => {}
        }
    }
    help.commands.retain(|command| command != "help");
    help.entries.retain(|(name, _)| !name.contains("--help") && !name.contains("--version"));
    help
}

/// A line of the list: a name and what it means, or more of what the last one means.
fn entry(line: &str, indent: usize, entries: &mut Vec<(String, String)>) {
    let text = line.trim();
    let begins = text.starts_with(['-', '[', '<']) && indent <= 6;
    match (begins, entries.last_mut()) {
        (false, Some((_, meaning))) => {
            let blank = if meaning.is_empty() { "" } else { " " };
            meaning.extend([blank, text]);
        }
        _ => {
            let (name, meaning) = text.split_once("  ").unwrap_or((text, ""));
            entries.push((name.to_owned(), meaning.trim().to_owned()));
        }
    }
}

fn describe(path: &[&str], page: &mut String) {
    let help = help(path);
    assert!(!help.about.is_empty() && !help.usage.is_empty(), "{path:?}");
    let level = if path.len() == 1 { "##" } else { "###" };
    let (name, meaning) = (path.join(" "), cell(&help.about));
    page.push_str(&format!("{level} toolwright {name}\n\n{meaning}.{}\n\n", more(path)));
    page.push_str(&format!("`{}`\n\n", help.usage));
    if !help.entries.is_empty() {
        page.push_str("| | |\n|---|---|\n");
        for (name, meaning) in &help.entries {
            page.push_str(&format!("| `{}` | {} |\n", name.replace('|', "\\|"), cell(meaning)));
        }
        page.push('\n');
    }
    for command in &help.commands {
        describe(&[path, &[command.as_str()]].concat(), page);
    }
}

fn more(path: &[&str]) -> String {
    let [command] = path else { return String::new() };
    let known = PAGES.iter().find(|(name, _)| name == command).map(|(_, page)| (*page).to_owned());
    let own = format!("{command}.md");
    let own = root().join("docs").join(&own).exists().then_some(own);
    own.or(known).map(|page| format!(" See [{page}]({page}).")).unwrap_or_default()
}

/// The text as a cell of a table: values in brackets as code, and nothing that Markdown would take for its own.
fn cell(text: &str) -> String {
    let mut out = String::new();
    for part in text.split_inclusive(']') {
        let bracket = part.strip_suffix(']').and_then(|part| part.rsplit_once('['));
        match bracket.and_then(|(before, inside)| Some((before, inside.split_once(": ")?))) {
            Some((before, (what, values))) => {
                let values: Vec<String> = values.split(", ").map(value).collect();
                out.push_str(&format!("{}[{what}: {}]", plain(before), values.join(", ")));
            }
            None => out.push_str(&plain(part)),
        }
    }
    out
}

/// One word is a value; several are an explanation.
fn value(text: &str) -> String {
    if text.contains([' ', '`']) { plain(text) } else { format!("`{text}`") }
}

/// Outside of code nothing is a mark of Markdown, and an address is no link.
fn plain(text: &str) -> String {
    let parts = text.split('`').enumerate().map(|(index, part)| {
        let part = part.replace('|', "\\|");
        if index % 2 == 1 {
            return part;
        }
        let words = part.split(' ').map(|word| match word.contains("://") {
            true => format!("`{word}`"),
            false => word.replace('*', "\\*").replace('<', "&lt;"),
        });
        words.collect::<Vec<_>>().join(" ")
    });
    parts.collect::<Vec<_>>().join("`")
}

#[test]
fn the_page_of_commands_has_every_command_and_flag() {
    let mut page = "# Every command\n\n\
        Every command with every argument and flag, as `toolwright COMMAND --help` shows them; `--help` also has the exit\n\
        codes. This page is written by a test (`BOOK_UPDATE=1 cargo nextest run -p toolwright book::commands`).\n\n"
        .to_owned();
    let all = help(&[]);
    assert!(all.commands.len() > 15, "{:?}", all.commands);
    for command in &all.commands {
        describe(&[command.as_str()], &mut page);
    }
    let page = page.trim_end().to_owned() + "\n";
    let path = root().join(PAGE);
    if std::env::var_os("BOOK_UPDATE").is_some() {
        std::fs::write(&path, &page).expect("written");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there == page, "{PAGE} is not what --help says: BOOK_UPDATE=1 writes it anew");
}
