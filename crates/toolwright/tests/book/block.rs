//! What a fenced block is, and so what has to be done with it. A block of which that cannot be said is a mistake.

use super::json::{self, JsonKind};
use super::markdown::Block;
use super::root;

/// Why a block may stay without being run: `no_run=…` behind the language.
const REASONS: &[(&str, &str)] = &[
    ("picture", "a drawing or a form, not what a program prints"),
    ("builds", "it builds the project, which the tests have done already"),
    ("needs-docker", "it needs a Docker daemon"),
    ("needs-systemd", "it needs a systemd that runs for the user"),
    ("needs-kubernetes", "it needs a Kubernetes cluster"),
    ("needs-a-house", "it needs devices and programs of a house"),
    ("needs-a-person", "it waits for somebody at a terminal"),
    ("needs-a-download", "it fetches something large from elsewhere"),
];

/// What is done with a block.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A script of a shell; it ends with the exit code of `exit=`, else 0.
    Run,
    /// `$ ` and a command, then what it prints.
    Session,
    /// What the script before it prints.
    Shown,
    /// A configuration without a problem.
    Config,
    /// A configuration, and behind `---` what is said of it.
    Problems,
    /// JSON of some kind.
    Json(JsonKind),
    /// Another test takes it from the page.
    Elsewhere,
    /// Nobody runs it, for this reason.
    NotRun(&'static str),
}

/// What the block is, or what to do so that it is something.
pub fn kind(page: &str, block: &Block, is_behind_a_script: bool) -> Result<Kind, String> {
    if let Some(reason) = block.value("no_run") {
        let known = REASONS.iter().find(|(name, _)| *name == reason);
        let names: Vec<String> = REASONS.iter().map(|(name, what)| format!("{name} ({what})")).collect();
        let unknown = || format!("\"{reason}\" is no reason; use one of {}", names.join(", "));
        return known.map(|(name, _)| Kind::NotRun(name)).ok_or_else(unknown);
    }
    if let Some(test) = block.value("checked_by") {
        let is_there = root().join(test).exists();
        return is_there.then_some(Kind::Elsewhere).ok_or_else(|| format!("there is no {test}"));
    }
    match block.language.as_str() {
        "sh" => Ok(Kind::Run),
        "console" => Ok(Kind::Session),
        "text" if is_behind_a_script => Ok(Kind::Shown),
        "config" => Ok(Kind::Config),
        "config-problems" => Ok(Kind::Problems),
        "json" => json::kind(&block.text).map(Kind::Json),
        // crates/normalizer/tests/docs.rs and crates/builtin-tools/tests/files_docs.rs
        "normalize" if page.starts_with("docs/") => Ok(Kind::Elsewhere),
        "call" | "file" if page.starts_with("docs/tools/") && !page.ends_with("README.md") => {
            Ok(Kind::Elsewhere)
        }
        "text" => {
            Err("a text that is not what the command before it prints: put it right behind its `sh` block, \
                       or say `text checked_by=FILE` or `text no_run=picture`"
                .to_owned())
        }
        "" => Err("a block without a language: say `sh`, `console`, `json`, `config` or `text`".to_owned()),
        other => Err(format!(
            "blocks of \"{other}\" are not known here: teach crates/toolwright/tests/book/block.rs, or say `checked_by=FILE`"
        )),
    }
}
